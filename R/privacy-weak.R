#' Warnings of releases that cannot say much
#'
#' Lists the warnings of releases that will show little, or promise little, as public numbers tell before the rows are
#' looked at: the numbers of rows and columns, the box, the grid, the budget. They come *before* anything is
#' spent, whatever the rows are, so that a handler may end the call.
#'
#' All of them have the class `dptda_warning_weak` beside their own:
#'
#' \describe{
#'   \item{`dptda_warning_noise`}{[private_mean()], [private_sum()], [private_var()], [private_sd()], [private_count()],
#'     [private_proportion()]: the standard deviation of the noise is above half of the range that the result can have.
#'     The middle of that range, which needs no rows, is never farther off. [private_table()] and
#'     [private_histogram()]: it is above the number of rows that each cell has, if all have as many. Where there are
#'     groups by `by`, each is taken to have its share of the rows. [private_quantile()]: the error in rank that is to
#'     be expected is above a quarter of the rows, as that of a place drawn at random is.
#'     [private_synthesis()] from noisy counts: in no column are there as many rows in a cell on average.
#'     [private_degrees()]: it is above half of all pairs.
#'     [private_frechet_mean()]: the noise moves the mean by more than the radius of the ball.}
#'   \item{`dptda_warning_no_box`}{[private_bounds()]: an interval must have more than an eighth of the rows to be
#'     kept.}
#'   \item{`dptda_warning_no_fit`}{[private_covariance()]: no round can find a variance in its noise, or rounds would
#'     not find rows in a box that reaches 5 of their standard deviations to each side.
#'     [private_pca()]: the same, or noise on how many rows are within a radius is half of their number.
#'     [private_mixture()], [private_kmeans()], [private_covariance()] with `by`: the same for a component, center or
#'     group with an equal share of the rows.}
#'   \item{`dptda_warning_power`}{Seen in less than half of the releases is, of [private_diagram()], a feature as
#'     persistent as the grid can have, and the only one ([power_diagram()]), or a loop as persistent as the sides
#'     beside the longest allow; of [private_graph()], two communities that share no edge, with a tenth of all
#'     pairs connected ([power_graph()]).}
#'   \item{`dptda_warning_delta`}{All that take `delta`: it is 1 / n or more, which a release that publishes one row at
#'     random keeps; of a graph, one of the pairs of vertices.}
#' }
#'
#' That there is no warning does not say that a release is good enough: [privacy_price()] shows its noise before there
#' are rows, and the same sentence where there is one.
#'
#' `options(dptda.weak_release = FALSE)` turns all of them off, for studies with few rows. Audits do so by themselves.
#'
#' @name weak_releases
#' @seealso [privacy_price()], [power_diagram()], [power_graph()]
#' @examples
#' X <- matrix(stats::runif(8), 4)
#' budget <- privacy_budget(epsilon = 1)
#' tryCatch(
#'   private_mean(X, domain_box(c(0, 0), c(1, 1)), epsilon = 1, budget = budget),
#'   dptda_warning_weak = function(cnd) message(conditionMessage(cnd))
#' )
#' budget
#'
#' # beforehand, without rows
#' box <- domain_box(c(0, 0), c(1, 1))
#' privacy_price(private_mean(unseen(4), box, epsilon = 1))
NULL

# A method for the class of a plan says by public numbers alone why its release cannot say much: NULL, or what weak()
# makes.
weakness_of <- function(plan) UseMethod("weakness_of")

weakness_of.default <- function(plan) NULL

# `what`: of the class. The words follow "Of 4 rows with epsilon = 1 ", or "Of 4 rows in 2 columns with epsilon = 1 "
# where there are `columns`, and end without a stop. `least`: how many rows or people it takes; where the noise is in
# inverse proportion to a budget, `scales`, what budget it takes follows from it. `remedy`: a sentence in its place.
weak <- function(what, ..., columns = NULL, least = NULL, scales = TRUE, remedy = NULL) {
  list(what = what, words = paste0(c(...), collapse = ""), columns = columns, least = least, scales = scales,
       remedy = remedy)
}

# Of the range of what is possible: its middle, which needs no rows, is never farther from the truth.
middle_share <- 1 / 2

# Of noise: NULL where `least` rows, that it takes for it not to hide what it is added to, are there.
weak_noise <- function(n, least, ...) if (least > n) weak("noise", ..., least = least)

# In whole sentences, for a warning and a price; NULL where there is nothing to say.
weak_words <- function(mechanism, found = weakness_of(mechanism$plan)) {
  if (is.null(found)) return(NULL)
  guarantee <- mechanism$guarantee
  n <- guarantee$public$n
  counted <- if (guarantee$unit == "one edge") paste(format_count(n), "vertices") else count_units(n, guarantee$person)
  paste0("Of ", counted, if (!is.null(found$columns)) paste0(" in ", count_of(found$columns, "column")), " with ",
         short_measure(guarantee$measure), " ", found$words, ". ",
         if (is.null(found$remedy)) least_words(found, n, guarantee) else found$remedy)
}

least_words <- function(found, n, guarantee) {
  if (!is.finite(found$least)) return("No number of rows is enough.")
  budget <- if (found$scales) enough_budget(guarantee$measure, found$least / n)
  paste0("It takes about ", count_units(ceiling(signif_up(found$least)), guarantee$person),
         if (!is.null(budget)) paste0(", or ", short_measure(budget)), ".")
}

# Of noise that is so many times too large.
enough_budget <- function(measure, times) {
  if (!is.finite(times) || length(measure) > 1) return(NULL)
  signif_up(measure * times^(if (names(measure) == "rho") 2 else 1))
}

short_measure <- function(measure) paste(names(measure)[1], "=", format(measure[[1]], digits = 4))

# To two digits.
signif_up <- function(x) {
  unit <- 10^(floor(log10(x)) - 1)
  ceiling(x / unit) * unit
}

# Before anything is spent.
announce_weak <- function(mechanism) {
  if (!warns_of_weak()) return(invisible())
  found <- weakness_of(mechanism$plan)
  if (is.null(found)) return(invisible())
  warn_weak(found$what, weak_words(mechanism, found), " Public numbers alone say this, before anything is spent: ",
            "options(warn = 2) stops there.")
}

warn_weak <- function(what, ...) if (warns_of_weak()) warn_dptda(c(what, "weak"), ...)

warns_of_weak <- function() {
  wanted <- getOption("dptda.weak_release", TRUE)
  if (is_one_flag(wanted)) return(wanted)
  stop_dptda("argument", "The option `dptda.weak_release` must be TRUE or FALSE, not ", describe(wanted), ".")
}

# Where the same release is made again and again, of rows as few as one likes.
without_weak <- function(code) {
  before <- options(dptda.weak_release = FALSE)
  on.exit(options(before))
  code
}
