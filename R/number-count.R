#' Private count
#'
#' Releases the number of rows that satisfy a condition, given as a logical vector, under differential privacy. The
#' noise is exact and discrete: discrete Laplace of scale `1 / epsilon`, or Gaussian of standard deviation
#' `1 / sqrt(2 * rho)` or `1 / mu`, rounded to an integer.
#'
#' @param x A logical vector with one element per row: `TRUE` if the row is counted. Or a table, in which `columns`
#'   names a logical column. In a database without logical values, the column may be numeric; zero does not count.
#' @param by `NULL` or a list of public levels, named by columns of the table: a count for each group, see
#'   [private_groups]. Without `columns`, all rows of a group are counted.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_count`, a [private_value]. `value` is one integer (for people, a multiple
#' of one over `privacy(x)$public$weight`), which may be negative or above the number of rows. With `by`, a
#' [private_table()] of the groups.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: 1. For counts of groups, 2 in the l1 norm and sqrt(2) in the l2 norm.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Noise is drawn and added in integers, and its scale is rounded up. No floating-point number is involved.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]). `vignette("privacy-model", package = "dptda")` explains the
#' guarantee.
#'
#' @section Implementation:
#' One pass over the rows, and one draw, as in [rdiscrete_laplace()] or of a normal variate (Karney 2016). The proof is
#' in `system.file("proofs", "number-count.md", package = "dptda")`.
#'
#' @references
#' Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012). Universally
#' utility-maximizing privacy mechanisms. *SIAM Journal on Computing* 41,
#' 1673-1693.
#'
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#'
#' Karney, C. F. F. (2016). Sampling exactly from the normal distribution. *ACM
#' Transactions on Mathematical Software* 42. <https://arxiv.org/abs/1303.6257>
#' @seealso [private_table()] for many counts, with the sensitivity of two.
#' @examples
#' smokes <- rep(c(TRUE, FALSE), c(212, 788))
#' private_count(smokes, epsilon = 0.5)
#' private_count(smokes, rho = 0.1)
#' @export
private_count <- function(x, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, by = NULL,
                          budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  read <- function(x) {
    if (is.null(by)) return(check_logical_rows(ungrouped_by(x, by, "x"), columns, "x", omit = TRUE))
    if (is.null(columns) && is_table(x)) check_group_rows(x, by, "x") else check_logical_by(x, columns, by)
  }
  make <- function(units, rows) {
    units <- check_public_units(units, 0, omit = TRUE)
    axes <- by_axes(by)
    cost <- check_cost(epsilon, rho, delta, mu)
    if (is.null(axes)) count_mechanism(units, cost) else count_by_mechanism(units, cost, axes)
  }
  release(x, budget, rng, read, make, columns = unread_column(columns, by), once = TRUE)
}

count_mechanism <- function(units, cost) {
  planned <- plan_unit_noise(units, cost, l1 = 1, l2_squared = 1)
  noise <- planned$noise
  guarantee <- new_guarantee(
    cost$measure, sensitivity = 1, mechanism = paste(noise_words(noise), "on a count"),
    public = c(list(n = units$n, scale = noise$scale * noise$step), weight_words(units, planned$weight)),
    sampler = "exact", step = "private_count", spent = cost$known, person = units$person
  )
  plan <- public_plan(c("private_count", "additive"), n = units$n, noise = noise, weight = planned$weight)
  new_mechanism(plan, guarantee)
}

rows_for.private_count <- function(plan, x) check_logical_rows(x, NULL, "x", omit = TRUE)

statistic_of.private_count <- function(plan, rows) {
  rows <- weigh_rows(omit_missing(rows), plan$weight)
  count_table(rows, cell_table(list(axis_logical())))[2]
}

# Also used for proportions. The possible range is from none of the rows to all of them.
weakness_of.private_count <- function(plan) {
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale) * plan$noise$step
  weak_noise(plan$n, sd / middle_share, "the noise on the count has a standard deviation of ", format(sd, digits = 2),
             ". Guessing half of all rows, without data, would be as accurate")
}

noise_target.private_count <- function(plan) "the count"

result_of.private_count <- function(plan, drawn) {
  new_private_value(drawn * plan$noise$step, plan$noise, class = "dptda_private_count")
}

check_logical_rows <- function(x, columns, arg = deparse1(substitute(x)), omit = FALSE) {
  force(arg)
  if (!is_table(x)) check_logical(x, arg, omit)
  rows <- check_one_column(check_rows(x, columns, arg, omit, condition_advice("rows")), condition_advice)
  check_axis(axis_logical(), rows$types, column_arg(rows))
  rows
}

# A table without a column suggests that the user wants its number of rows, or has a condition in mind.
condition_advice <- function(units) {
  paste0(". For a logical column, use columns = \"name\". For a condition, use x$name == \"a\" instead of the table, ",
         "without filtering its rows. The number of all ", units, " is public and needs no release")
}

# Reads the grouping columns only, because all rows are counted.
check_group_rows <- function(x, by, arg, axes = by_axes(by)) {
  force(axes)
  x <- ungrouped_by(x, by, arg)
  check_by_names(x, by, arg)
  group_rows(check_rows(x, names(by), arg, omit = TRUE), axes, first = NULL)
}

# Reads one logical column and the grouping columns.
check_logical_by <- function(x, columns, by, arg = deparse1(substitute(x))) {
  force(arg)
  by_axes(by, columns)
  if (is.null(columns) && is_table(x)) columns <- setdiff(table_columns(x), names(by))
  rows <- check_by_rows(x, columns, by, arg)
  if (length(rows$types) != 1 + length(by)) {
    stop_argument("columns", "must name one column besides those of `by`, not ",
                  length(rows$types) - length(by), condition_advice(units_noun(rows$person)), ".")
  }
  check_axis(axis_logical(), rows$types[1], column_arg(rows))
  group_rows(rows, by_axes(by))
}

check_logical <- function(x, arg = deparse1(substitute(x)), omit = NA) {
  if (!is.logical(x) || is.object(x) && value_type(x) != "logical" || !is.null(dim(x))) {
    stop_argument(arg, "must be a logical vector", if (is.numeric(x)) paste0(", for example ", arg, " == 1"), ", not ",
                  describe_data(x),
                  if (is.factor(x) || is.character(x)) {
                    c(". Use ", arg, " == \"a\", or private_table() to count all categories")
                  }, ".")
  }
  if (anyNA(x)) stop_argument(arg, "must not contain missing values", missing_advice("logical", omit), ".")
  x
}

# ---- counts of groups ----------------------------------------------------------------------------------------------

# Makes a mechanism for the number of counted rows in each group.
count_by_mechanism <- function(units, cost, axes) {
  mechanism <- cell_mechanism("private_count", units, public_cells(axes), cost, words = "on a count of each group")
  mechanism$plan$table <- cell_table(c(list(axis_logical()), axes))
  class(mechanism$plan) <- c("private_count_by", class(mechanism$plan)[-1])
  mechanism
}

rows_for.private_count_by <- function(plan, x) {
  by <- lapply(plan$table$axes[-1], `[[`, "levels")
  check_group_rows(x, by, "x", plan$table$axes[-1])
}

# `rows`: the grouping columns only, if all rows are counted, or a logical column before them.
statistic_of.private_count_by <- function(plan, rows) {
  groups <- cell_table(plan$table$axes[-1])
  all <- length(rows$types) == length(groups$axes)
  rows <- weigh_rows(omit_missing(rows), plan$weight)
  if (all) count_table(rows, groups) else count_table(rows, plan$table)[c(FALSE, TRUE)]
}

result_of.private_count_by <- function(plan, drawn) {
  plan$table <- cell_table(plan$table$axes[-1])
  result_of.cell_counts(plan, drawn)
}

example_of.private_count <- function(plan) {
  count <- function(note, settings) release_example("count", note, c(TRUE, FALSE), c(TRUE, TRUE), settings)
  # a person with three rows is replaced by one with two
  people <- function(x, who) people_example(data.frame(x, who))
  list(count("", list(epsilon = 1)), count("rho", list(rho = 0.5)), count("mu", list(mu = 1)),
       count("delta", list(epsilon = 1, delta = 1e-6)),
       release_example("count", "people", people(c(TRUE, FALSE, TRUE, TRUE), c(1, 2, 1, 1)),
                       people(c(FALSE, FALSE, FALSE), c(1, 2, 1)), list(epsilon = 1)),
       # a counted row moves to another group
       release_example("count", "by", table_rows(data.frame(x = TRUE, g = c("a", "b"))),
                       table_rows(data.frame(x = TRUE, g = c("a", "a"))),
                       list(by = list(g = c("a", "b")), epsilon = 1)),
       release_example("count", "omit", table_rows(data.frame(x = c(TRUE, NA)), missing = "omit"),
                       table_rows(data.frame(x = c(TRUE, TRUE)), missing = "omit"), list(epsilon = 1)))
}
