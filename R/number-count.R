#' Private count
#'
#' Counts the rows that satisfy a condition, the `TRUE`s of a logical vector, under differential privacy, with exact
#' discrete noise: discrete Laplace of scale `1 / epsilon`, or discrete Gaussian of standard deviation
#' `1 / sqrt(2 * rho)`.
#'
#' @param x A logical vector, one element per row: whether the row is counted; or a table, of which
#'   `columns` names a logical column (in a database without logical values: numbers, of which zero
#'   does not count).
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_count`, a [private_value]: `value`
#'   is one whole number, which may be negative or above the number of rows.
#'
#'   `mechanism_count()`: the same for `n` rows that nobody has seen, for [privacy_price()].
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public.
#' Sensitivity: 1. Guarantee: `epsilon`-differential privacy or
#' `rho`-zero-concentrated differential privacy, exactly: the noise is drawn
#' and added in integers, and its scale is rounded up. Nothing is floating
#' point on the way. A missing value is an error before anything is drawn; that
#' message is for the curator and not part of a release. Running time is not
#' protected. What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' One pass over the rows and one draw as in [rdiscrete_laplace()]. The proof is in
#' `system.file("proofs", "number-count.md", package = "dptda")`.
#'
#' @references
#' Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally
#' utility-maximizing privacy mechanisms. *SIAM Journal on Computing* 41,
#' 1673-1693.
#'
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#' @seealso [private_table()] for many counts at the price of two.
#' @examples
#' smokes <- rep(c(TRUE, FALSE), c(212, 788))
#' private_count(smokes, epsilon = 0.5)
#' private_count(smokes, rho = 0.1)
#' @export
private_count <- function(x, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL, budget = NULL,
                          rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  rows <- check_logical_rows(x, columns)
  mechanism <- mechanism_count(public_units(rows), epsilon, rho, delta = delta)
  draw_release(mechanism, rows, budget, check_choice(rng, c("os", "R")))
}

#' @rdname private_count
#' @export
mechanism_count <- function(n, epsilon = NULL, rho = NULL, ..., delta = NULL) {
  check_no_dots(...)
  of <- check_public_units(n, 0)
  cost <- check_cost(epsilon, rho, delta)
  planned <- plan_unit_noise(of, cost, l1 = 1, l2_squared = 1)
  noise <- planned$noise
  guarantee <- new_guarantee(
    cost$measure, sensitivity = 1, mechanism = paste(noise_words(noise), "on a count"),
    public = c(list(n = of$n, scale = noise$scale * noise$step), weight_words(of, planned$weight)), sampler = "exact",
    step = "private_count", spent = cost$spent, person = of$person
  )
  plan <- public_plan(c("private_count", "additive"), n = of$n, noise = noise, weight = planned$weight)
  new_mechanism(plan, guarantee)
}

rows_for.private_count <- function(plan, x) check_logical_rows(x, NULL)

statistic_of.private_count <- function(plan, rows) {
  rows <- weigh_rows(rows, plan$weight)
  dense_counts(count_rows(rows, list(cell_table(list(axis_logical()))))[[1]], 2)[2]
}

noise_target.private_count <- function(plan) "the count"

result_of.private_count <- function(plan, drawn) {
  new_private_value(drawn * plan$noise$step, plan$noise, class = "dptda_private_count")
}

check_logical_rows <- function(x, columns, arg = deparse1(substitute(x))) {
  force(arg)
  if (!is_table(x)) check_logical(x, arg)
  rows <- check_one_column(check_rows(x, columns, arg))
  check_axis(axis_logical(), rows$types, column_arg(rows))
  rows
}

check_logical <- function(x, arg = deparse1(substitute(x))) {
  if (!is.logical(x) || is.object(x) || !is.null(dim(x))) {
    stop_argument(arg, "must be a logical vector", if (is.numeric(x)) paste0(", for example ", arg, " == 1"), ", not ",
                  describe_data(x), ".")
  }
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  x
}

example_of.private_count <- function(plan) {
  count <- function(note, settings) release_example("count", note, c(TRUE, FALSE), c(TRUE, TRUE), settings)
  # who has three rows goes, and who has two comes
  people <- function(x, who) people_example(data.frame(x, who))
  list(count("", list(epsilon = 1)), count("rho", list(rho = 0.5)), count("delta", list(epsilon = 1, delta = 1e-6)),
       release_example("count", "people", people(c(TRUE, FALSE, TRUE, TRUE), c(1, 2, 1, 1)),
                       people(c(FALSE, FALSE, FALSE), c(1, 2, 1)), list(epsilon = 1)))
}
