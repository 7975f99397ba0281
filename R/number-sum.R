#' Private sum and mean
#'
#' Releases the sums or the means of the columns of data in a public box under differential privacy, with exact discrete
#' noise.
#'
#' @details
#' # Noise
#' For d columns, a column whose side of the box has width w gets discrete Laplace noise of scale about `d * w /
#' epsilon`, or rounded Gaussian noise of standard deviation about `w * sqrt(d / (2 * rho))` or `w * sqrt(d) / mu`. The
#' noise of a mean is the noise of the sum divided by the number of rows or people. With `by`, `missing = "omit"`, or
#' people without rows, see [private_groups]. For 1,000 ages between 0 and 100, the mean at `epsilon = 1` has noise of
#' scale 0.1.
#'
#' Each row is first moved to the nearest point of a public lattice of multiples of a power of two, with at most
#' `2^bits` steps per side, so that the sums are integers. This moves a row in the box by less than a step, usually
#' at most `2^(1 - bits)` of the width.
#'
#' # Sampling and standard deviations
#' A mean is released with a second moment, at no cost and with the same noise. It gives `x$sd`, the
#' standard deviations, and `confint(x, of = "population")`. For people with several rows, both describe people's means.
#' `sd` is 0 if its square is below 3 standard deviations of its noise.
#'
#' # Checks
#' `print()` names columns whose result is at a bound of the box, up to noise. Rows beyond a bound count as the bound,
#' so check its units.
#'
#' Do not use [scale()] first: one row then changes every row, and no guarantee holds. Use [domain_rescale()] instead.
#'
#' Logical columns are read as 0 and 1. Dates and times have means but no sums; durations have both.
#'
#' @param x A numeric matrix or data frame with one row per point and one column for each side (interval) of the box,
#'   matched by name if both have names; a vector for a box of one side; or a table of a database ([table_rows()]). Rows
#'   outside the box are moved to its nearest point, silently. A mean needs at least one row.
#' @param box A public box: from [domain_box()] or [private_bounds()]; a pair `c(lower, upper)` for one side; or a list
#'   of pairs, `list(age = c(0, 100), bmi = c(10, 60))`. For columns of dates, times, or durations, give sides of the
#'   same class.
#' @param bits One integer from 1 to 24: each side of the box gets at most `2^bits` steps. The number of rows or
#'   people times `2^bits` must not exceed 2^52. For many people, fewer bits are used: `privacy(x)$public$bits`.
#' @param by `NULL` or a list of public levels, named by columns of the table: one result per group, see
#'   [private_groups].
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_sum` or `dptda_private_mean`, a [private_value]. `value` has one number for
#' each column, in the units of the data. Noise may move a mean outside the box. `value` is named as the sides of the
#' box, or otherwise as the columns of `x` if their names are all different. If all sides of the box are dates, times,
#' or durations, so are the means, with noise in days, seconds, or their unit. If only some are dates, their means are
#' numbers (days since 1970-01-01). A mean also has `sd`.
#'
#' With `by`, or with `missing = "omit"` or the argument `people` of [table_rows()], the result is a data frame of class
#' [`dptda_private_groups`][private_groups].
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: for each column, the number of lattice steps of its side. Replacing one row can change the sums of all
#' columns at once, each by the full width of its side, and then changes no second moment.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Sums and noise are integers, and noise scales are rounded up. Only released integers are converted to
#' floating point, so rounding reveals nothing more.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message. `missing` of [table_rows()] avoids the error. Running time is protected only by the option
#' `dptda.release_time` ([dptda-package]).
#'
#' @section Implementation:
#' Each column gets 1/d of the budget. The proofs are in `system.file("proofs", package = "dptda")`,
#' `number-sum.md` and `number-moments.md`.
#'
#' @references
#' Mironov, I. (2012). On significance of the least significant bits for
#' differential privacy. *ACM Conference on Computer and Communications
#' Security*, 650-661.
#'
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#' @examples
#' # heights in m and weights in kg
#' people <- cbind(height = stats::rnorm(1000, 1.7, 0.1),
#'                 weight = stats::rnorm(1000, 70, 10))
#' box <- domain_box(c(1, 20), c(2.5, 200))
#' private_mean(people, box, epsilon = 1)
#' private_sum(people, box, rho = 0.1)
#' @export
private_sum <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, bits = 20,
                        by = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  release_sums("private_sum", x, check_box(box), check_cost(epsilon, rho, delta, mu), columns, bits, by, budget, rng)
}

#' @rdname private_sum
#' @export
private_mean <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, bits = 20,
                         by = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  release_sums("private_mean", x, check_box(box), check_cost(epsilon, rho, delta, mu), columns, bits, by, budget, rng)
}

release_sums <- function(name, x, box, cost, columns, bits, by, budget, rng) {
  force(cost)
  make <- function(units, rows) sum_mechanism(units, summed_columns(rows, by), box, cost, bits, name, by)
  read <- function(x) {
    least <- if (name == "private_mean") 1 else 0
    check_summed_rows(x, columns, box, by, least)
  }
  release(x, budget, rng, read, make, columns = unread_columns(columns, box, by), once = is.null(by))
}

# Raises a product of integers that may have been rounded down, which is possible from 2^53 on.
raise_product <- function(x) ifelse(x > 2^53, x * (1 + 2^-51), x)

# Makes a mechanism for a checked box and its columns. `name`: the release, "private_sum" or "private_mean". A mean is
# the sum divided by the public number of rows.
# `moments`: whether second moments are released as well (number-moments.R).
sum_mechanism <- function(n, columns, box, cost, bits, name, by = NULL, moments = name == "private_mean") {
  if (name == "private_sum") refuse_dates(box)
  units <- check_public_units(n, if (name == "private_mean") 1 else 0, omit = TRUE)
  axes <- by_axes(by, columns)
  # the number of values is private (number-groups.R)
  if (!is.null(axes) || !units$complete) return(counted_mechanism(units, columns, box, cost, bits, name, axes, moments))
  bits <- check_unit_bits(units, check_bits(bits, units$n, "bits"))
  lattice <- public_lattice(box, bits)
  steps <- lattice$last - lattice$first
  d <- length(steps)
  # each of d columns spends the fraction 1 / d
  planned <- plan_unit_noise(units, cost, l1 = d * steps, l2_squared = raise_product(d * steps^2), largest = 2^bits)
  noise <- planned$noise
  unit <- lattice$step / planned$weight / (if (name == "private_mean") units$n else 1)
  refuse_overflow(unit * (units$n * planned$weight * pmax(abs(lattice$first), abs(lattice$last)) + 64 * noise$scale))
  public <- list(n = units$n, box = box, bits = bits, scale = noise$scale * noise$step, step = lattice$step)
  if (moments) {
    spreads <- plan_spreads(units, cost, lattice, planned$weight, l1 = d, l2_squared = d * 25 / 256)
    lattice$dropped <- spreads$dropped
    noise$scale <- c(noise$scale, spreads$scale)
    public$moment_scale <- spreads$scale * noise$step
  }
  guarantee <- new_guarantee(
    cost$measure, sensitivity = unit * planned$weight * steps,
    mechanism = paste0(noise_words(noise), " on a lattice ", sub("private_", "", name), moment_words(moments)),
    public = c(public, weight_words(units, planned$weight)),
    sampler = "exact", step = name, spent = cost$known, person = units$person
  )
  plan <- public_plan(c(name, "lattice_sum", "additive"), n = units$n, columns = columns, box = box, lattice = lattice,
                      noise = noise, weight = planned$weight, unit = unit)
  new_mechanism(plan, guarantee)
}

check_summed_rows <- function(x, columns, box, by, least, arg = deparse1(substitute(x))) {
  force(arg)
  x <- ungrouped_by(x, by, arg)
  if (!is.null(by) || is_omitting(x)) return(check_counted_rows(x, columns, box, by, arg))
  check_point_rows(x, columns, box, min_rows = least, arg = arg)
}

rows_for.lattice_sum <- function(plan, x) check_point_rows(x, if (is_table(x)) plan$columns, plan$box, min_rows = 0)

statistic_of.lattice_sum <- function(plan, rows) {
  as.vector(sum_rows(weigh_rows(rows, plan$weight), plan$lattice))
}

noise_of.lattice_sum <- function(plan) {
  quantity <- if (is.null(plan$columns)) paste("column", seq_along(plan$lattice$last)) else plan$columns
  noise_table(quantity, new_noise(plan$noise$kind, plan$noise$scale[seq_along(plan$unit)], plan$unit))
}

# The ratio of the noise to the side is the same for each column, up to rounding of its lattice.
weakness_of.lattice_sum <- function(plan) {
  steps <- plan$lattice$last - plan$lattice$first
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale[seq_along(steps)]) / plan$weight
  weak_sides(plan$n, max(0, (sd / steps)[steps > 0]), class(plan)[1])
}

result_of.lattice_sum <- function(plan, drawn) {
  columns <- seq_along(plan$unit)
  value <- structure(plan$unit * (drawn[columns] + plan$n * plan$weight * plan$lattice$first), names = plan$columns)
  noise <- new_noise(plan$noise$kind, plan$noise$scale[columns], plan$unit)
  found <- if (!is.null(plan$lattice$dropped)) mean_moments(plan, drawn[-columns], value, noise)
  new_private_value(value, noise, moments = found$moments, rows = if (!is.null(found)) as.double(plan$n), sd = found$sd,
                    classes = plan$box$classes, class = paste0("dptda_", class(plan)[1]))
}

# Refuses dates, as sum() does. A sum of durations is a duration.
refuse_dates <- function(box) {
  classes <- if (is.null(box$classes)) "number" else box$classes
  if (all(classes == "number" | is_duration(classes))) return(invisible())
  stop_argument("box", "must be of numbers or durations, because dates have no sum. Use private_mean() for their mean.")
}

example_of.private_sum <- function(plan) {
  total <- function(note, ...) {
    release_example("sum", note, matrix(c(0, 0)), matrix(c(0, 1)), list(box = domain_box(0, 1), ...))
  }
  # a row moves from the lower bound in one group to the upper bound in another
  by <- function(note, ...) {
    release_example("sum", note, table_rows(data.frame(x = c(0, 0), g = c("a", "b"))),
                    table_rows(data.frame(x = c(0, 1), g = c("a", "a"))),
                    list(box = domain_box(c(x = 0), 1), by = list(g = c("a", "b")), ...))
  }
  list(total("", epsilon = 1), total("rho", rho = 0.5), by("by", epsilon = 1), by("by, rho", rho = 0.5))
}

example_of.private_mean <- function(plan) {
  side <- domain_box(c(x = 0), 1)
  gaps <- function(x) table_rows(data.frame(x = x), missing = "omit")
  visits <- function(x, who, g) people_example(data.frame(x, g, who))
  by_group <- function(note, ...) {
    release_example("mean", note, visits(c(0, 1, 1), c(1, 2, 2), c("a", "a", "b")),
                    visits(c(0, 0), c(1, 2), c("a", "b")), list(box = side, by = list(g = c("a", "b")), ...))
  }
  someone <- function(x, who) table_rows(data.frame(x = x, who = as.integer(who)), "x", person = "who", people = 2)
  # a row whose spread changes too
  moved <- function(note, from, ...) {
    release_example("mean", note, matrix(c(0, from)), matrix(c(0, 1)), list(box = domain_box(0, 1), ...))
  }
  list(release_example("mean", "", matrix(c(0, 0)), matrix(c(0, 1)), list(box = domain_box(0, 1), epsilon = 1)),
       moved("moments", 0.125, epsilon = 1), moved("moments, rho", 0.375, rho = 0.5),
       by_group("by, people", epsilon = 1), by_group("by, people, mu", mu = 1),
       release_example("mean", "omit", gaps(c(0, NA)), gaps(c(0, 1)), list(box = side, epsilon = 1)),
       release_example("mean", "omit, rho", gaps(c(0, NA)), gaps(c(0, 1)), list(box = side, rho = 0.5)),
       release_example("mean", "some people", someone(c(0, 0), c(1, 1)), someone(c(0, 1), c(1, 2)),
                       list(box = side, epsilon = 1)),
       release_example("mean", "people", people_example(data.frame(x = c(0, 0, 0, 0), who = c(1, 1, 2, 1))),
                       people_example(data.frame(x = c(1, 0, 1), who = c(1, 2, 1))),
                       list(box = domain_box(c(x = 0), 1), epsilon = 1)))
}
