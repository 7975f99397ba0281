#' Private variance and standard deviation
#'
#' Releases the variances or standard deviations of columns of numbers in a public box under differential privacy, with
#' exact discrete noise on their sums and sums of squares.
#'
#' @details
#' # Estimated quantity
#' Each side of the box has `2^bits` cells of equal width. Each row is replaced by the midpoint of its cell, so it moves
#' by at most half a cell. The sum and the sum of squares of these midpoints are released. The variance follows from the
#' two, with the divisor of [stats::var()]. The standard deviation is its square root. Results are truncated to the
#' range that a variance of rows in the box can take.
#'
#' If people have several rows ([table_rows()]), each person has weight one, divided equally among that person's rows.
#' The variance of this mixture includes the spread between people and within each person's rows. Its divisor is the
#' number of people minus one. Each person must have a row.
#'
#' # Noise
#' In units of half the width of a side, both sums have the same noise: for d columns, discrete Laplace of scale `9 / 4
#' * d / epsilon`, or rounded Gaussian of standard deviation `sqrt(2 * d / rho)` or `2 * sqrt(d) / mu`. The noise of a
#' variance is about this number divided by the number of rows, times the square of half the width, or more if the mean
#' is far from the middle.
#'
#' @param x As for [private_mean()]: a numeric matrix, a data frame, a vector for a box of one side, or a table of a
#'   database. Rows outside the box count in its outermost cells, silently. A variance needs two rows.
#' @param bits One integer from 1 to 10: each side of the box has `2^bits` cells. The number of rows times `4^bits` must
#'   not exceed 2^52.
#' @inheritParams private_mean
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_var` or `dptda_private_sd`, a [private_value]. `value` has one nonnegative
#' number for each column, named as in [private_mean()]. It is a plain number in the unit of the box, or in its square;
#' dates are in days and times in seconds. `moments` is a matrix with one row for each column: the released `sum` and
#' the sum of `squares`, in half cells (`unit`) from the middle of the box. `rows` is the number of rows, or of people.
#' Intervals from `confint()` are nonnegative and account for the noise, not for moving rows to midpoints.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: in half cells, the middle of a side is `m = 2^bits - 1` away from its outermost midpoints. Both sums
#' together, each in units of its noise, have sensitivity 9/4 in the l1 norm and 2 in the l2 norm.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Counts, sums, and noise are integers, and noise scales are rounded up. Only the released sums are converted
#' to floating point, so rounding reveals nothing more.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]).
#'
#' @section Implementation:
#' Each column gets 1/d of the budget. The proof is in `system.file("proofs", "number-var.md", package = "dptda")`.
#' @inherit private_count references
#' @seealso [private_mean()], [private_covariance()]
#' @examples
#' people <- cbind(height = stats::rnorm(1000, 1.7, 0.1),
#'                 weight = stats::rnorm(1000, 70, 10))
#' box <- domain_box(c(1, 20), c(2.5, 200))
#' private_var(people, box, epsilon = 1)
#' spread <- private_sd(people, box, epsilon = 1)
#' spread
#' confint(spread)
#' @export
private_var <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, bits = 10,
                        budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  release_spread("private_var", x, box, check_cost(epsilon, rho, delta, mu), columns, bits, budget, rng)
}

#' @rdname private_var
#' @export
private_sd <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, bits = 10,
                       budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  release_spread("private_sd", x, box, check_cost(epsilon, rho, delta, mu), columns, bits, budget, rng)
}

# `name`: the release. "private_sd" takes square roots at the end.
release_spread <- function(name, x, box, cost, columns, bits, budget, rng) {
  box <- check_squared_box(box, "variances")
  read <- function(x) check_point_rows(x, columns, box, min_rows = 2)
  make <- function(units, rows) {
    spread_mechanism(name, check_public_units(units, 2, exact = TRUE), box, cost, rows$columns, bits)
  }
  release(x, budget, rng, read, make, columns = check_public_columns(columns, box))
}

spread_mechanism <- function(name, units, box, cost, columns, bits) {
  bits <- check_count(bits, 1, 10)
  if (units$n * 4^bits > 2^52) {
    stop_argument("bits", "must be at most ", floor(26 - log2(units$n) / 2), " for ", units$n, " ",
                  units_noun(units$person), ", not ", bits, ".")
  }
  bits <- check_unit_bits(units, bits, squared = TRUE)
  sides <- Map(new_lattice_line, box$lower, box$upper, bits)
  d <- length(sides)
  most <- 2^bits - 1
  # in units of `most` and its square, both sums have the same noise, and each column spends the fraction 1 / d
  planned <- plan_unit_noise(units, cost, l1 = ceiling(9 / 4 * d * most^(1:2)), l2_squared = 4 * d * most^(2 * 1:2),
                             largest = 4^bits)
  noise <- planned$noise
  noise$scale <- rep(noise$scale, d)
  guarantee <- new_guarantee(
    cost$measure, sensitivity = if (noise$kind == "laplace") 9 / 4 * d else 2 * sqrt(d),
    mechanism = paste(noise_words(noise), "on sums and sums of squares"),
    public = c(list(n = units$n, box = box, bits = bits, scale = noise$scale * noise$step),
               weight_words(units, planned$weight)),
    sampler = "exact", step = name, spent = cost$known, person = units$person
  )
  plan <- public_plan(c(name, "column_moments", "derived", "additive"), n = units$n, columns = columns, box = box,
                      sides = unname(sides), most = most, noise = noise, weight = planned$weight)
  new_mechanism(plan, guarantee)
}

rows_for.column_moments <- function(plan, x) check_point_rows(x, if (is_table(x)) plan$columns, plan$box, min_rows = 2)

# Returns for each column the sum and the sum of squares of odd integers from -most to most.
statistic_of.column_moments <- function(plan, rows) {
  rows <- weigh_rows(rows, plan$weight)
  counts <- count_rows(rows, Map(line_cells, plan$sides, seq_along(plan$sides)))
  unlist(lapply(counts, function(one) {
    middle <- 2 * (one$cell - 1) - plan$most
    c(sum(one$count * middle), sum(one$count * middle^2))
  }))
}

# Returns half the width of a cell on each side.
half_cells <- function(plan) (plan$box$upper - plan$box$lower) / (2 * (plan$most + 1))

noise_of.column_moments <- function(plan) {
  quantity <- if (is.null(plan$columns)) paste("column", seq_along(plan$sides)) else plan$columns
  unit <- rep(unname(half_cells(plan)), each = 2)^(1:2)
  noise_table(paste0("the sum of ", rep(quantity, each = 2), c("", " squared"), ", from the middle"),
              new_noise(plan$noise$kind, plan$noise$scale, unit * plan$noise$step))
}

# No variance exceeds the square of half a side, which is about `most` half cells. Noise on the sum, which is ignored
# here, adds to the noise on the squares.
weakness_of.column_moments <- function(plan) {
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale[2]) * plan$noise$step / plan$most^2
  weak_noise(plan$n, sd / middle_share, "the noise on the variance has a standard deviation of ",
             format(sd / plan$n, digits = 2), " times the largest possible variance. Guessing half of that, ",
             "without data, would be as accurate")
}

result_of.column_moments <- function(plan, drawn) {
  step <- plan$noise$step
  moments <- matrix(drawn * step, ncol = 2, byrow = TRUE, dimnames = list(plan$columns, c("sum", "squares")))
  noise <- new_noise(plan$noise$kind, plan$noise$scale[1:2], step)
  name <- class(plan)[1]
  value <- spread_of(moments, plan$n, unname(half_cells(plan)), plan$most, name, plan$weight)
  new_private_value(structure(value, names = plan$columns), noise, moments = moments, rows = plan$n,
                    unit = unname(half_cells(plan)), class = paste0("dptda_", name))
}

# Returns variances in the units of the data, or their roots, from sums in half cells. The variance is largest if half
# of the total weight is at each bound.
spread_of <- function(moments, n, unit, most, name, weight = 1) {
  squares <- moments[, "squares"] - moments[, "sum"]^2 / n
  half <- n * weight / 2
  largest <- 4 * floor(half) * ceiling(half) / (n * weight) / weight * most^2
  variance <- unname(unit^2 * pmin(pmax(squares, 0), largest) / (n - 1))
  if (name == "private_sd") sqrt(variance) else variance
}

# Both sums get half of the error probability. The further a sum is off, the more its square is off.
value_half_width.dptda_private_var <- function(x, level = 0.95) variance_half_width(x, level)

value_half_width.dptda_private_sd <- function(x, level = 0.95) {
  ends <- value_ends(x, level)
  pmax(ends[, 2] - x$value, x$value - ends[, 1])
}

value_ends.dptda_private_var <- function(x, level) variance_ends(unname(x$value), x, level)

value_ends.dptda_private_sd <- function(x, level) sqrt(variance_ends(unname(x$value)^2, x, level))

# A variance is never negative.
variance_ends <- function(variance, x, level) {
  width <- variance_half_width(x, level)
  cbind(pmax(variance - width, 0), variance + width, deparse.level = 0)
}

# States the units of dates and durations, squared for variances.
value_words.dptda_private_sd <- function(x) spread_words(x)

value_words.dptda_private_var <- function(x) spread_words(x, "squared ")

spread_words <- function(x, power = "") {
  classes <- privacy(x)$public$box$classes
  cells <- paste0("Intervals cover the noise, but not the error from moving rows to the midpoints of ",
                  format_count(2^privacy(x)$public$bits), " cells.")
  if (is.null(classes)) return(wrap_lines(cells))
  units <- vapply(classes, function(class) {
    if (class == "number") "" else if (class == "Date") "days" else
      if (is_time(class) || is_time_of_day(class)) "seconds" else duration_unit(class)
  }, "")
  named <- if (length(x) > 1 && !is.null(names(x))) paste0("`", names(x), "` in ")
  wrap_lines(c(paste0(if (is.null(named)) "in ", paste0(named, power, units)[nzchar(units)], collapse = ", "), cells))
}

# Noise is added to sums, not to variances.
added_noise.dptda_private_var <- function(x) NULL

added_noise.dptda_private_sd <- function(x) NULL

variance_half_width <- function(x, level) {
  off <- noise_half_width(x$noise$kind, x$noise$scale, 1 - (1 - level) / 2) * x$noise$step
  x$unit^2 / (x$rows - 1) * (off[2] + off[1] * (2 * abs(unname(x$moments[, "sum"])) + off[1]) / x$rows)
}

define_class("dptda_private_var", "private_var()", .bare = is_made("dptda_private_value"),
             .valid = function(x) is_number_matrix(x$moments) && nrow(x$moments) == length(x) && is_one_number(x$rows))

define_class("dptda_private_sd", "private_sd()", .bare = is_made("dptda_private_value"),
             .valid = function(x) is_number_matrix(x$moments) && nrow(x$moments) == length(x) && is_one_number(x$rows))

# A row that moves from a quarter of the side below the middle to the upper bound changes both sums.
example_of.private_var <- function(plan) {
  spread <- function(note, ...) {
    release_example("var", note, matrix(c(-0.5, 0)), matrix(c(1, 0)), list(box = domain_box(-1, 1), ...))
  }
  list(spread("", epsilon = 1), spread("rho", rho = 0.5),
       release_example("var", "people", spread_people(c(-0.5, 0, -0.5, -0.5)), spread_people(c(1, 0, 1)),
                       list(box = domain_box(c(x = -1), 1), epsilon = 1)))
}

example_of.private_sd <- function(plan) {
  list(release_example("sd", "", matrix(c(-0.5, 0)), matrix(c(1, 0)), list(box = domain_box(-1, 1), epsilon = 1)),
       release_example("sd", "people", spread_people(c(-0.5, 0, -0.5, -0.5)), spread_people(c(1, 0, 1)),
                       list(box = domain_box(c(x = -1), 1), epsilon = 1)))
}

# Makes rows of two people. All rows except the second belong to the first person.
spread_people <- function(x) people_example(data.frame(x = x, who = ifelse(seq_along(x) == 2, 2, 1)))
