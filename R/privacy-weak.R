#' Warnings about weak releases
#'
#' Lists the warnings about releases whose result or guarantee will be weak. They are computed from public numbers
#' alone: the numbers of rows and columns, the box, the grid, and the budget. They come before any budget is spent and
#' do not depend on the rows, so a handler may stop the call.
#'
#' All of these warnings also have the class `dptda_warning_weak`.
#'
#' @details
#' # Numbers
#' Class `dptda_warning_noise`: the standard deviation of the noise is
#'
#' * [private_mean()], [private_sum()], [private_var()], [private_sd()], [private_count()], [private_proportion()]:
#'   above half of the range that the result can have. The middle of that range, which needs no data, is never farther
#'   from the truth than that.
#' * [private_table()], [private_histogram()]: above the number of rows per cell, if all cells had equally many.
#' * [private_degrees()]: above half of the number of pairs of vertices.
#'
#' With `by`, each group is assumed to have an equal fraction of the rows. The same class is used if
#'
#' * [private_quantile()]: the expected error in rank exceeds a quarter of the rows, which is the error of a cell drawn
#'   at random.
#' * [private_synthesis()] from noisy counts: no column has as many rows per cell, on average, as the noise is large.
#' * [private_frechet_mean()]: the noise moves the mean by more than the radius of the ball.
#' * [private_curve()]: the noise on the curve is longer than the longest curve.
#'
#' Class `dptda_warning_end`: [private_quantile()] with `interval` has too few rows for one of the ends.
#'
#' # Boxes and clusters
#' Class `dptda_warning_no_box`: [private_bounds()] keeps an interval only if it has more than an eighth of the rows.
#'
#' Class `dptda_warning_no_fit`:
#'
#' * [private_covariance()]: no round can distinguish a variance from its noise, or the rounds would not find the rows
#'   in a box that extends 5 of their standard deviations to each side.
#' * [private_pca()]: the same, or the noise on the number of rows within a radius is at least half of all
#'   rows.
#' * [private_mixture()], [private_kmeans()], [private_covariance()] with `by`: a component, center, or group of average
#'   size would be indistinguishable from noise.
#'
#' # Diagrams and graphs
#' Class `dptda_warning_power`:
#'
#' * [private_diagram()]: fewer than half of the releases would show even a single feature with the largest persistence
#'   that the grid allows ([power_diagram()]), or a loop as persistent as the shorter sides of the grid allow.
#' * [private_graph()]: fewer than half of the releases would show even two communities without an edge between them, if
#'   a tenth of all pairs are connected ([power_graph()]).
#' * [private_curve_test()]: fewer than half of the releases would show even the largest possible difference of two
#'   groups ([power_curve_test()]).
#'
#' # Guarantees
#' Class `dptda_warning_delta`, for all releases with `delta`: `delta` is 1 / n or more. A release that publishes one
#' row at random would satisfy such a guarantee. For graphs, one pair of vertices takes the place of one row.
#'
#' # No warning
#' A release without a warning is not necessarily accurate enough. [privacy_price()] shows its noise before you have
#' data, and repeats the warning if there is one.
#'
#' `options(dptda.weak_release = FALSE)` turns all of these warnings off, for studies with few rows. Audits turn them
#' off automatically.
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
#' # in advance, without rows
#' box <- domain_box(c(0, 0), c(1, 1))
#' privacy_price(private_mean(unseen(4), box, epsilon = 1))
NULL

# Explains, from public numbers alone, why a release will show little: NULL, or the result of weak(). Methods are for
# the class of a plan.
weakness_of <- function(plan) UseMethod("weakness_of")

weakness_of.default <- function(plan) NULL

# Describes one weakness. `what`: for the class. The words follow "With 4 rows and epsilon = 1, ", or "With 4 rows in 2
# columns and epsilon = 1, " if there are `columns`, and end without a stop. `least`: the number of rows or people that
# suffices. If the noise is inversely proportional to the budget (`scales`), the budget that suffices follows from it.
# `remedy`: a sentence that replaces both. `noise`: the noise, if the plan has no field of that name.
weak <- function(what, ..., columns = NULL, least = NULL, scales = TRUE, remedy = NULL, noise = NULL) {
  list(what = what, words = paste0(c(...), collapse = ""), columns = columns, least = least, scales = scales,
       remedy = remedy, noise = noise)
}

# The fraction of the possible range: its middle, which needs no rows, is never farther from the truth.
middle_share <- 1 / 2

# NULL if there are `least` rows, enough for the noise not to hide the statistic.
weak_noise <- function(n, least, ...) if (least > n) weak("noise", ..., least = least)

# Returns full sentences for a warning and a price, or NULL without a weakness.
weak_words <- function(mechanism, found = weakness_of(mechanism$plan)) {
  if (is.null(found)) return(NULL)
  guarantee <- mechanism$guarantee
  n <- guarantee$public$n
  counted <- if (guarantee$unit == "one edge") paste(format_count(n), "vertices") else count_units(n, guarantee$person)
  paste0("With ", counted, if (!is.null(found$columns)) paste0(" in ", count_of(found$columns, "column")), " and ",
         short_measure(guarantee$measure), ", ", found$words, ". ",
         if (is.null(found$remedy)) least_words(found, n, guarantee, mechanism$plan$noise) else found$remedy)
}

least_words <- function(found, n, guarantee, noise) {
  if (is.null(noise)) noise <- found$noise
  if (!is.finite(found$least)) return("No number of rows would be enough.")
  budget <- if (found$scales) enough_budget(guarantee$measure, found$least / n, noise)
  paste0("It takes about ", count_units(ceiling(signif_up(found$least)), guarantee$person),
         if (!is.null(budget)) paste0(", or ", short_measure(budget)), ".")
}

# The budget for which noise that is `times` too large would be small enough.
enough_budget <- function(measure, times, noise = NULL) {
  if (!is.finite(times) || length(measure) > 1) return(NULL)
  if (identical(noise$kind, "gaussian")) times <- smaller_scale(min(noise$scale), times)
  signif_up(measure * times^(if (names(measure) == "rho") 2 else 1))
}

# Returns by how much the scale of Gaussian noise must shrink if its deviation is `times` too large. Rounding to
# integers adds to the deviation, most of all for small scales.
smaller_scale <- function(scale, times) {
  goal <- noise_deviation("gaussian", scale) / times
  small <- if (goal > 1.05) sqrt(goal^2 - 1 / 12) else {
    exp(stats::uniroot(function(x) noise_deviation("gaussian", exp(x)) - goal, c(-4, 0.1), tol = 1e-10)$root)
  }
  scale / small * (1 + 1e-6)
}

short_measure <- function(measure) paste(names(measure)[1], "=", format(measure[[1]], digits = 4))

# Rounds up to two digits.
signif_up <- function(x) {
  unit <- 10^(floor(log10(x)) - 1)
  ceiling(x / unit) * unit
}

# Warns before any budget is spent.
announce_weak <- function(mechanism) {
  if (!warns_of_weak()) return(invisible())
  found <- weakness_of(mechanism$plan)
  if (is.null(found)) return(invisible())
  warn_weak(found$what, weak_words(mechanism, found), " No budget has been spent yet. Set options(warn = 2) to stop ",
            "here.")
}

warn_weak <- function(what, ...) if (warns_of_weak()) warn_dptda(c(what, "weak"), ...)

warns_of_weak <- function() {
  wanted <- getOption("dptda.weak_release", TRUE)
  if (is_one_flag(wanted)) return(wanted)
  stop_dptda("argument", "The option `dptda.weak_release` must be TRUE or FALSE, not ", describe(wanted), ".")
}

# Runs `code` without these warnings, for many repeated releases of few rows.
without_weak <- function(code) {
  before <- options(dptda.weak_release = FALSE)
  on.exit(options(before))
  code
}
