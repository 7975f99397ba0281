# Guarantee, cost, and noise of a release before there are rows, and its results for made-up rows, for studies.

#' Privacy cost, noise and simulation of a release without the data
#'
#' `privacy_price()` computes, without the data, the guarantee of a planned release, the size of its noise, and the
#' charge to a budget. It takes a mechanism, which a release returns if you pass [unseen()] rows instead of data.
#'
#' A mechanism is the public part of a release. `simulate()` repeats it on rows that are not private (for people, rows
#' from [table_rows()] with `person`). [audit_mechanism()] tries to refute its guarantee.
#' @section Privacy:
#' A mechanism holds no rows and has not read any. Nothing here costs budget, and only the result of `simulate()`
#' depends on rows. If public numbers rule out a release, its mechanism is refused as well.
#'
#' The results of `simulate()` are not releases. It charges nothing and draws from R's stream, and many results for the
#' same rows reveal those rows. Use it only with made-up or public rows: in studies of accuracy, benchmarks, and audits.
#'
#' @param mechanism,object A mechanism: the result of a release such as [private_count()] for [unseen()] rows.
#' @param nsim One integer of at least 0: the number of results.
#' @param seed One integer or `NULL`: the seed of the draws ([set.seed()]). The generator's state is restored
#'   afterwards.
#' @param x For `simulate()`, made-up rows, in the form that the release takes and as many as the mechanism was made
#'   for. A table needs the columns that the mechanism names. For [private_diagram()], also a
#'   [diagram][as_dptda_diagram()], used as the true one. For the other methods, an object of class `dptda_price` or a
#'   mechanism.
#' @param row.names,optional Not used.
#' @param ... Must be empty.
#'
#' @return `privacy_price()`: an object of class `dptda_price`, a list with these elements. `as.data.frame()` returns
#'   the ledger, and `print()` shows everything.
#'
#'   * `guarantee`: the guarantee that [privacy()] would return, with the operating system's randomness.
#'   * `noise`: a data frame with one row for each noisy number or group of numbers. Its columns are `of` (the
#'     statistic), `kind` (of noise, or the way of drawing), `scale`, `sd` (the standard deviation), and `within` (the
#'     distance that the noise stays within, with probability 0.95). `scale` and `sd` are in the units of the result,
#'     and `NA` without any.
#'   * `ledger`: the entries that a budget would be charged.
#'   * `weak`: `NULL`, or the reason why the release would show little ([weak_releases]).
#'
#'   `simulate()`: an object of class `dptda_simulation`, a list of `nsim` results like those of the release, without a
#'   guarantee. Its attribute `mechanism` is the mechanism.
#' @seealso [privacy_budget()], [audit_mechanism()], [mechanism_examples()]
#' @examples
#' box <- domain_box(c(height = 1, weight = 20), c(2.5, 200))
#' privacy_price(private_mean(unseen(1000), box, epsilon = 1))
#'
#' # how far is a noisy median of 200 incomes from the true one?
#' median <- private_quantile(unseen(200), c(0, 2e5), 0.5, epsilon = 1)
#' income <- stats::qlnorm(stats::ppoints(200), 10, 0.6)
#' found <- unlist(simulate(median, 100, seed = 1, x = income))
#' stats::quantile(found - stats::median(income), c(0.05, 0.95))
#' @export
privacy_price <- function(mechanism) {
  check_mechanism_object(mechanism)
  guarantee <- mechanism$guarantee
  new_result(list(guarantee = guarantee, noise = noise_of(mechanism$plan), ledger = guarantee$ledger,
                  weak = weak_words(mechanism)),
             "dptda_price")
}

check_mechanism_object <- function(mechanism, arg = deparse1(substitute(mechanism))) {
  force(arg)
  if (missing(mechanism)) stop_missing(arg)
  if (!inherits(mechanism, "dptda_mechanism")) {
    stop_argument(arg, "must be a mechanism, such as private_count(unseen(10), epsilon = 1), not ",
                  describe(mechanism), ".")
  }
  check_valid(mechanism, "dptda_mechanism", arg)
}

define_class(
  "dptda_mechanism", "a release of unseen() rows", plan = function(x) is.list(x) && is.object(x),
  guarantee = is_made("dptda_guarantee"), earlier = is_null_or(is_made("dptda_guarantee")),
  adaptive = is_null_or(function(x) is_measure(x))
)

define_class("dptda_price", "privacy_price()", guarantee = is_made("dptda_guarantee"),
             noise = function(x) is_noise_table(x),
             ledger = is.data.frame, weak = is_null_or(is_one_string))

define_class("dptda_simulation", "simulate()")

# ---- size of the noise -------------------------------------------------------------------------------

# Returns one row for each line of `noise` (new_noise()), with the name of its statistic.
noise_of <- function(plan) UseMethod("noise_of")

noise_of.additive <- function(plan) noise_table(noise_target(plan), plan$noise)

# Returns the name of the statistic that noise is added to.
noise_target <- function(plan) UseMethod("noise_target")

noise_table <- function(quantity, noise) {
  scale <- rep_len(noise$scale, length(quantity))
  step <- rep_len(noise$step, length(quantity))
  noise_lines(quantity, noise_names[[noise$kind]], scale * step,
              noise_deviation(noise$kind, scale) * step, noise_half_width(noise$kind, scale) * step)
}

noise_lines <- function(quantity, kind, scale, sd = NA_real_, within = NA_real_) {
  data.frame(of = quantity, kind = kind, scale = scale, sd = sd, within = within)
}

is_noise_table <- function(x) {
  is.data.frame(x) && all(vapply(unclass(x)[c("scale", "sd", "within")], is.double, NA)) && is.character(x$of)
}

# ---- methods -----------------------------------------------------------------------------------------

#' @rdname privacy_price
#' @export
print.dptda_price <- function(x, ...) {
  check_valid(x, "dptda_price")
  cat("<price of ", sub(":.*", "", x$ledger$step[1]), "> computed without data\n", sep = "")
  cat(strwrap(format(x$guarantee)[1:2], exdent = 2), sep = "\n")
  if (nrow(x$noise)) print(x$noise, digits = 4, row.names = FALSE, right = FALSE)
  cat("charge to a budget:\n")
  print(x$ledger, digits = 6, row.names = FALSE, right = FALSE)
  if (!is.null(x$weak)) cat(strwrap(paste("NOTE:", x$weak), exdent = 2), sep = "\n")
  invisible(x)
}

#' @rdname privacy_price
#' @export
as.data.frame.dptda_price <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_price")$ledger
}

#' @rdname privacy_price
#' @export
print.dptda_mechanism <- function(x, ...) {
  check_valid(x, "dptda_mechanism")
  n <- x$guarantee$public$n
  cat("<mechanism of ", class(x$plan)[1], ">", if (is_one_number(n)) paste0(" for ", count_made_for(n, x$guarantee)),
      ", without data\n", sep = "")
  cat(strwrap(format(x$guarantee)[1:2], exdent = 2), sep = "\n")
  invisible(x)
}

#' @rdname privacy_price
#' @export
summary.dptda_mechanism <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_mechanism")
}

#' @rdname privacy_price
#' @export
simulate.dptda_mechanism <- function(object, nsim = 1, seed = NULL, ..., x) {
  check_no_dots(...)
  check_valid(object, "dptda_mechanism")
  nsim <- check_count(nsim, upper = 2^31 - 1)
  if (missing(x)) stop_missing("x")
  drawn <- with_seed(seed, study_draws(object, x, nsim, "R"))
  new_result(map_draws(drawn, function(one) result_of(object$plan, one)), "dptda_simulation", mechanism = object)
}

#' @rdname privacy_price
#' @export
print.dptda_simulation <- function(x, ...) {
  check_valid(x, "dptda_simulation")
  cat(count_of(length(x), "result"), ", simulated: not releases, and not private\n", sep = "")
  if (length(x)) print(x[[1]])
  if (length(x) > 1) cat("... and", length(x) - 1, "more\n")
  invisible(x)
}

# Makes many draws for rows that are not private. Nothing is spent, and there is no guarantee.
study_draws <- function(mechanism, x, runs, rng, arg = "x") {
  rows <- mechanism_rows(mechanism, x, arg)
  # if one row per person is drawn, each run draws it again
  if (is_settled(rows)) {
    return(in_one_state(rows, function(looked) many_draws(mechanism, statistic_of(mechanism$plan, rows), runs, rng)))
  }
  each <- lapply(seq_len(runs), function(run) {
    many_draws(mechanism, statistic_of(mechanism$plan, settle_rows(rows, rng)), 1, rng)
  })
  if (length(each) && is.matrix(each[[1]])) do.call(rbind, each) else unlist(each, recursive = FALSE)
}

is_settled <- function(rows) !is.list(rows) || !identical(unclass(rows)[["take"]], "one")

mechanism_rows <- function(mechanism, x, arg) {
  rows <- refuse_left_out(rows_for(mechanism$plan, x), mechanism$guarantee)
  n <- mechanism$guarantee$public$n
  other <- is.null(person_of(rows)) != is.null(mechanism$guarantee$person)
  if (is_one_number(n) && (other || !isTRUE(row_count(rows) == n))) {
    stop_argument(arg, "must have the ", count_made_for(n, mechanism$guarantee), " that the mechanism was made for.")
  }
  # one row per person has weight one
  if (!is_settled(rows) && isTRUE(mechanism$guarantee$public$weight > 1)) {
    stop_argument(arg, "must have all rows of each person, not \"one\", because the mechanism was made for all rows.")
  }
  rows
}

# Returns the number with its noun: rows, people, or the vertices of a graph.
count_made_for <- function(n, guarantee) {
  if (identical(guarantee$relation, relation_edge)) count_vertices(n) else count_units(n, guarantee$person)
}

count_vertices <- function(n) paste(format_count(n), if (n == 1) "vertex" else "vertices")

map_draws <- function(drawn, f) {
  if (is.matrix(drawn)) lapply(seq_len(nrow(drawn)), function(i) f(drawn[i, ])) else lapply(drawn, f)
}
