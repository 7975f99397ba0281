#' Private bounds for data without public ones
#'
#' `private_bounds()` finds bounds of numeric data under differential privacy: a box that holds most of the rows. Use it
#' for releases that need a box if no public bounds are known. It spends budget. Public bounds, such as the range of an
#' instrument or of a questionnaire, are better and cost nothing. Do not use the range of the data: it shows the most
#' extreme rows.
#'
#' @details
#' # Search for bounds
#' Each column is counted in intervals that double in length away from zero, with exact noise. An interval is kept if
#' its noisy count reaches a threshold that noise alone rarely reaches. The box spans the kept intervals.
#'
#' Each bound is plus or minus a power of two, up to twice as far out as the data. For values from 20 to 900, bounds are
#' often 16 and 1,024. Intervals with fewer rows than the threshold are probably dropped, and later releases move their
#' rows into the box. The threshold is about `2 * d / epsilon` times the logarithm of the number of intervals over
#' `failure`, for d columns.
#'
#' Dates are counted in days since 1970-01-01, so the bounds are far apart: use `probs`, or find better public bounds.
#'
#' If people have several rows ([table_rows()]), each person has weight one, divided equally among that person's rows.
#' Counts and the threshold are in people. With `probs`, each person must have a row.
#'
#' @param x A numeric matrix or data frame with one row per point and 1 to 1,024 columns, or a vector; or a table of a
#'   database ([table_rows()]). Columns may hold dates, times, or durations; the sides of the box then have the same
#'   class. Durations are always in seconds, because their unit may have been chosen from all rows.
#' @param exponents Two increasing integers from -1000 to 1000, public. The smallest interval ends at `2^exponents[1]`
#'   in absolute value; rows beyond `2^exponents[2]` count in the outermost interval.
#' @param probs `NULL`, or two increasing probabilities such as `c(0.05, 0.95)`: the sides of the box are these
#'   quantiles ([bounds_methods]).
#' @param failure One number in (0, 1): an upper bound on the probability that any interval without rows is kept.
#' @inheritParams private_release
#'
#' @return A box as from [domain_box()], of class `c("dptda_private_box", "dptda_box")`. [privacy()] returns its
#' guarantee, which a changed box loses. Later releases that use the box are charged separately. With `probs`, the field
#' `within` is the box of powers of two, and the guarantee has two steps, which are spent together.
#'
#' If no interval of some column was kept, the result is an object of class `dptda_no_box`: a list of `found` (which
#' columns have sides), `lower`, and `upper` (`NA` if not found). Using it as a box is an error of class
#' `dptda_error_no_box` ([bounds_methods]).
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: `2 * d` in the l1 norm and `sqrt(2 * d)` in the l2 norm, for all counts of all d columns together.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Noise is drawn and added in integers, and its scale is rounded up. Threshold and box are computed from the
#' noisy counts alone. Quantiles are a second release, on a lattice that the first one has chosen
#' ([private_quantile()]).
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]).
#'
#' @section Implementation:
#' One pass over the rows for each column, two with `probs`. The proofs are in `system.file("proofs",
#' "number-bounds.md", package = "dptda")` and `number-quantile.md` beside it.
#'
#' @references
#' Wilson, R. J., Zhang, C. Y., Lam, W., Desfontaines, D., Simmons-Marengo, D.
#' and Gipson, B. (2020). Differentially private SQL with bounded user
#' contribution. *Proceedings on Privacy Enhancing Technologies* 2020(2),
#' 230-250.
#' @examples
#' income <- stats::rlnorm(2000, 10, 0.6)
#' budget <- privacy_budget(epsilon = 1)
#' box <- private_bounds(income, epsilon = 0.3, budget = budget)
#' box
#' private_mean(income, box, epsilon = 0.7, budget = budget)
#'
#' # too few rows for this epsilon: stop before any budget is spent
#' tryCatch(private_bounds(income[1:50], epsilon = 0.3),
#'          dptda_warning_no_box = function(cnd) message(conditionMessage(cnd)))
#' @export
private_bounds <- function(x, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                           exponents = c(-32, 64), failure = 0.01, probs = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  classes <- NULL
  read <- function(x) {
    refuse_scaled(x, columns = columns)
    if (inherits(x, "tbl_lazy")) x <- read_table(x, columns, "x")
    classes <<- own_classes(x, columns)
    rows <- check_point_rows(x, columns, classes_box(classes), if (!is_table(x) && is.null(dim(x))) 1L, min_rows = 0)
    d <- length(rows$types)
    if (!d %in% seq_len(max_box_dimension)) {
      stop_argument("x", "must have 1 to ", format_count(max_box_dimension), " columns, not ", d, ".")
    }
    if (!is.null(probs) && rows$n < 1) stop_argument("x", "must have at least 1 row if `probs` is given.")
    rows
  }
  make <- function(units, rows) {
    units <- check_public_units(units, if (is.null(probs)) 0 else 1, exact = !is.null(probs))
    d <- if (is_unseen(rows)) max(1, length(rows$columns)) else length(rows$types)
    mechanism <- bounds_mechanism(units, d, rows$columns, check_cost(epsilon, rho, delta, mu), exponents, failure,
                                  probs)
    mechanism$plan$classes <- classes
    mechanism
  }
  release(x, budget, rng, read, make, columns = if (!is.null(columns)) check_column_names(columns, "columns"))
}

#' Bounds by quantiles, and columns without bounds
#'
#' Describes two cases of [private_bounds()]: bounds at quantiles of the data, with `probs`, and a column for which no
#' interval is kept.
#'
#' @details
#' # Bounds by quantiles
#' With `probs`, a quarter of the budget finds powers of two, as without `probs`. At either end, kept intervals are
#' dropped if together they hold at most half of the requested tail (for `probs = c(0.05, 0.95)`, 2.5% of the noisy
#' counts). The rest of the budget finds the quantiles between these powers, with 16 bits.
#'
#' Noise moves the ranks by about `50 * d / epsilon` rows, or `4 * sqrt(d / rho)`. This should be less than the number
#' of rows beyond the quantiles, which are moved into the box. Quantiles help if some rows are far out or if a grid must
#' be fine, but the mean of skewed data may be more accurate with the powers of two.
#'
#' In at most a fraction `failure` of releases, an outlying interval without rows is kept. The box of quantiles may then
#' be far too large. `print()` shows both boxes.
#'
#' # If no interval is kept
#' If no interval of a column is kept, there is no box, but the result has been charged and has a guarantee. Functions
#' that take a box refuse it, with an error that states how many rows, what budget, or how many columns would suffice.
#'
#' If an eighth of the rows in one interval would not reach the threshold, a warning of class `dptda_warning_no_box`
#' comes *before* any budget is spent, so a handler can end the call ([weak_releases]).
#' @seealso [private_bounds()]
#' @examples
#' income <- stats::rlnorm(2000, 10, 0.6)
#' private_bounds(income, epsilon = 1, probs = c(0.05, 0.95))
#' @name bounds_methods
NULL

# Holds the classes of the sides, which are known before the bounds are found.
classes_box <- function(classes) if (!is.null(classes)) list(classes = classes)

bounds_mechanism <- function(units, d, columns, cost, exponents, failure, probs) {
  exponents <- check_exponents(exponents)
  failure <- check_number(failure, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (is.null(probs)) return(powers_mechanism(units, d, columns, cost, exponents, failure))
  if (length(check_probs(probs)) != 2 || probs[1] >= probs[2]) {
    stop_argument("probs", "must be two increasing numbers from 0 to 1, not ", describe(probs), ".")
  }
  quantile_box_mechanism(units, d, columns, cost, exponents, failure, as.double(probs))
}

powers_mechanism <- function(units, d, columns, cost, exponents, failure) {
  powers <- plan_powers(units, d, cost$spent, exponents, failure)
  guarantee <- powers_guarantee(powers, cost$measure, cost$known)
  plan <- public_plan(c("private_bounds", "additive"), powers = powers, noise = powers$noise, columns = columns)
  new_mechanism(plan, guarantee)
}

# The result of private_bounds() without a box. Sides that were not found are NA, and `reason` states what it takes.
define_class("dptda_no_box", "private_bounds()", lower = is.double, upper = is.double, found = is.logical,
             columns = is_null_or(function(x) is.character(x) && are_names(x)), reason = is_one_string,
             classes = is_null_or(are_class_names),
             .valid = function(x) {
               length(x$lower) == length(x$found) && length(x$columns) %in% c(0, length(x$found)) &&
                 identical(x$found, !is.na(x$lower)) && identical(x$found, !is.na(x$upper)) && !all(x$found)
             })

refuse_no_box.dptda_no_box <- function(box, arg) {
  stop_dptda(c("no_box", "argument"), "`", arg, "` is not a box: ", check_valid(box, "dptda_no_box", arg)$reason)
}

register(finds_box = "; private_bounds() finds some")

weakness_of.private_bounds <- function(plan) no_box_weakness(plan$powers)

# Used by both mechanisms.
rows_for.private_bounds <- function(plan, x) {
  refuse_scaled(x, "x", plan$columns)
  check_point_rows(x, if (is_table(x)) plan$columns, classes_box(plan$classes), plan$powers$d, arg = "x", min_rows = 0)
}

rows_for.private_quantile_box <- rows_for.private_bounds

statistic_of.private_bounds <- function(plan, rows) {
  magnitude_counts(weigh_rows(rows, plan$powers$weight), plan$powers$edges)
}

noise_target.private_bounds <- function(plan) "each count of an interval"

result_of.private_bounds <- function(plan, drawn) new_private_box(find_span(plan, drawn), plan$powers,
                                                                  classes = plan$classes)

# Plans the search for powers of two. `units`: rows or people, see check_public_units(). `measure`: the spent amount, of
# which this query gets the fraction `share`. All counts are in weights of rows. `threshold`: in rows or people.
plan_powers <- function(units, d, measure, exponents, failure, share = 1) {
  powers <- list(n = units$n, d = d, measure = measure, share = share, exponents = exponents, failure = failure,
                 edges = doubling_edges(exponents), kind = measure_noise(measure), person = units$person,
                 take = units$take, weight = powers_noise(units, d, measure, share)$weight)
  powers <- c(powers, bounds_threshold(powers))
  powers$noise <- new_noise(powers$kind, powers$scale, 1 / powers$weight)
  powers$remedy <- box_remedy(powers) # computed before the charge, for messages after it
  powers
}

powers_noise <- function(units, d, measure, share) plan_unit_noise(units, list(spent = measure * share), 2 * d, 2 * d)

powers_guarantee <- function(powers, measure, spent) {
  new_guarantee(
    measure, sensitivity = if (powers$kind == "laplace") 2 * powers$d else sqrt(2 * powers$d),
    mechanism = paste(noise_words(powers$noise), "on histograms of magnitudes"),
    public = c(list(n = powers$n, exponents = powers$exponents, failure = powers$failure,
                    threshold = powers$threshold, scale = powers$scale * powers$noise$step),
               weight_words(powers, powers$weight)),
    sampler = "exact", step = "private_bounds", spent = spent, person = powers$person
  )
}

# Returns the scale of the noise, and the count from which an interval is kept. `measure` and `d`: another budget, or
# another number of columns.
bounds_threshold <- function(powers, measure = powers$measure, d = powers$d) {
  weight <- powers$weight
  scale <- noise_scale(measure * powers$share, l1 = 2 * d * weight, l2_squared = 2 * d * weight^2)
  bound <- noise_bound(powers$kind, scale, powers$failure / (d * (length(powers$edges) - 1)))
  list(scale = scale, threshold = if (weight == 1) bound else bound / weight)
}

# ---- no box ------------------------------------------------------------------------------

# If rows have one sign and lie within a few powers of two, an interval holds a quarter of them or more. For normal rows
# around zero, it holds 15%. Public numbers show no more, and the warning comes before the charge.
box_share <- 1 / 8

no_box_weakness <- function(powers) {
  if (!is_short(powers)) return(NULL)
  rows <- count_units(round(powers$threshold, 1), powers$person)
  why <- if (!is.finite(powers$threshold)) {
    "no interval is ever kept"
  } else if (powers$threshold > powers$n) {
    paste0("only intervals with about ", rows, " or more are kept, which is more than there are: a box will be found ",
           "only by chance")
  } else {
    paste0("only intervals with about ", rows, " or more are kept, which is more than an eighth of all: columns ",
           "whose rows spread over several powers of two, or to both sides of zero, may have no box")
  }
  weak("no_box", why, columns = powers$d, remedy = powers$remedy)
}

is_short <- function(powers) powers$threshold > box_share * powers$n

no_box_reason <- function(powers, found, columns) {
  lost <- if (is.null(columns)) which(!found) else paste0("`", columns[!found], "`")
  lost <- paste0("column", if (length(lost) > 1) "s", " ", paste(lost, collapse = ", "))
  paste0("private_bounds() kept no interval of ", if (powers$d == 1) "the data" else lost,
         ", because no noisy count reached ", format_count(round(powers$threshold, 1)), ". ", powers$remedy)
}

# States how many rows, how much budget, or how few columns suffice for an eighth of the rows to reach the threshold, or
# to halve the threshold if they do so already.
box_remedy <- function(powers) {
  if (!is.finite(powers$threshold)) return("With such a small `failure`, no count is large enough. Increase `failure`.")
  short <- is_short(powers)
  rows <- if (short) ceiling(powers$threshold / box_share) else 2 * powers$n
  goal <- if (short) box_share * powers$n else powers$threshold / 2
  measure <- enough_measure(powers, goal)
  columns <- 0
  while (columns < powers$d - 1 && bounds_threshold(powers, d = columns + 1)$threshold <= goal) columns <- columns + 1
  paste0("It takes about ", count_units(signif_up(rows), powers$person),
         if (!is.null(measure)) paste0(", or ", short_measure(measure)),
         if (columns > 0) paste0(", or at most ", count_of(columns, "column"), " at a time"),
         ". A public box made by domain_box() costs nothing.")
}

# Returns the smallest budget, to two digits, for a threshold of at most `goal`. None lowers it below one row.
enough_measure <- function(powers, goal) {
  if (goal < 1) return(NULL)
  enough <- function(factor) bounds_threshold(powers, powers$measure * factor)$threshold <= goal
  high <- 2
  while (!enough(high) && high < 2^60) high <- 2 * high
  low <- high / 2
  for (i in 1:8) {
    middle <- sqrt(low * high)
    if (enough(middle)) high <- middle else low <- middle
  }
  if (high < 2^60) signif_up(powers$measure * high)
}

# Returns bounds from noisy counts, in two rows: NA for columns without a kept interval.
find_span <- function(plan, noisy, shares = c(0, 1)) {
  powers <- plan$powers
  span <- matrix(0, 2, powers$d, dimnames = list(NULL, plan$columns))
  counts <- matrix(noisy * powers$noise$step, length(powers$edges) - 1, powers$d)
  span[] <- kept_span(counts, powers$threshold, powers$edges, shares)
  span
}

# Makes two queries: powers of two with a quarter of the budget, then quantiles on a lattice between them with the rest.
# Each query uses all columns at once. A quarter is exact in doubles, so both parts add up to the whole budget. Rows
# have the same weight in both.
quantile_box_mechanism <- function(units, d, columns, cost, exponents, failure, probs) {
  rest <- cost$spent - cost$spent / 4
  queries <- plan_queries(measure_noise(cost$spent), quantile_box_bits, length(unique(target_ranks(probs, units$n))))
  asked <- list(spent = rest)
  weights <- c(powers_noise(units, d, cost$spent, 1 / 4)$weight, plan_query_noise(units, asked, queries, d)$weight)
  units$most <- log2(min(weights))
  powers <- plan_powers(units, d, cost$spent, exponents, failure, share = 1 / 4)
  plan <- public_plan("private_quantile_box", powers = powers, columns = columns, probs = probs,
                      ranks = target_ranks(probs, units$n * powers$weight), queries = queries,
                      noise = plan_query_noise(units, asked, queries, d)$noise,
                      costs = list(powers = cost$spent / 4, queries = rest))
  new_mechanism(plan, quantile_box_guarantee(plan, cost), adaptive = cost$spent)
}

quantile_box_guarantee <- function(plan, cost) {
  powers <- plan$powers
  public <- c(list(n = powers$n, exponents = powers$exponents, failure = powers$failure,
                   threshold = powers$threshold),
              probs = list(plan$probs), bits = quantile_box_bits,
              scales = list(c(powers$scale, plan$noise$scale) / powers$weight), weight_words(powers, powers$weight))
  first <- powers_guarantee(powers, plan$costs$powers, known_of(plan$costs$powers))
  second <- new_guarantee(
    plan$costs$queries, sensitivity = queries_sensitivity(plan$queries, powers$kind, powers$d),
    mechanism = queries_text(plan$queries, powers$kind), public = list(), sampler = "exact", step = "private_quantile",
    spent = known_of(plan$costs$queries), person = powers$person
  )
  whole <- privacy_compose(first, second)
  # a declared epsilon and delta are one entry
  declared <- !identical(cost$measure, cost$spent)
  steps <- if (declared) list(new_step("private_bounds", cost$measure, spent = cost$known)) else whole$steps
  new_guarantee(cost$measure, whole$sensitivity, whole$mechanism, public, sampler = "exact", person = powers$person,
                steps = steps)
}

weakness_of.private_quantile_box <- function(plan) no_box_weakness(plan$powers)

# Counts the intervals before the charge, which also detects missing values.
statistic_of.private_quantile_box <- function(plan, rows) {
  rows <- weigh_rows(rows, plan$powers$weight)
  counts <- magnitude_counts(rows, plan$powers$edges)
  list(counts = counts, rows = charged_rows(rows))
}

draw_of.private_quantile_box <- function(plan, statistic, rng) {
  ask <- statistic
  powers <- plan$powers
  noisy <- ask(list(cost = plan$costs$powers, statistic = function(given) given$counts,
                    draw = function(counts, rng) add_noise(counts, powers$scale, powers$kind, rng)))
  # outlying intervals may be dropped before the search, with at most half of the rows beyond a quantile
  within <- find_span(plan, noisy, shares = c(plan$probs[1] / 2, (1 + plan$probs[2]) / 2))
  # the cost is the same for all rows: without a kept interval, quantiles are searched but not returned
  searched <- within
  searched[is.na(within)] <- rep(range(powers$edges), powers$d)[is.na(within)]
  lattices <- lapply(seq_len(powers$d), function(j) new_lattice_line(searched[1, j], searched[2, j], quantile_box_bits))
  tables <- Map(line_cells, lattices, seq_len(powers$d))
  draw_cells <- function(counts, rng) {
    lapply(counts, function(one) {
      noise <- query_noise(plan$noise$scale, powers$kind, rng)
      draw_queries(plan$queries, one, powers$n * powers$weight, plan$ranks, noise)$cell
    })
  }
  found <- ask(list(cost = plan$costs$queries, statistic = function(given) count_rows(given$rows, tables),
                    draw = draw_cells))
  # from the start of one cell to the end of the other, so that the width is never zero
  span <- within
  span[] <- mapply(function(lattice, cell) line_point(lattice, cell + 0:1), lattices, found)
  span[is.na(within)] <- NA
  list(span = span, within = within)
}

noise_of.private_quantile_box <- function(plan) {
  rbind(noise_table("each count of an interval", plan$powers$noise),
        noise_table(below_words(units_noun(plan$powers$person)), plan$noise))
}

result_of.private_quantile_box <- function(plan, drawn) {
  new_private_box(drawn$span, plan$powers, drawn$within, plan$classes)
}

quantile_box_bits <- 16

check_exponents <- function(exponents, arg = deparse1(substitute(exponents))) {
  good <- is_plain_numeric(exponents) && length(exponents) == 2 && !anyNA(exponents) &&
    all(exponents == floor(exponents) & abs(exponents) <= 1000) && exponents[1] < exponents[2]
  if (!good) {
    stop_argument(arg, "must be two increasing integers from -1000 to 1000, not ", describe(exponents), ".")
  }
  as.double(exponents)
}

# Returns the edges -2^most, ..., -2^least, 2^least, ..., 2^most.
doubling_edges <- function(exponents) {
  powers <- 2^seq(exponents[1], exponents[2])
  c(-rev(powers), powers)
}

# Returns the numbers of rows in the intervals between edges, column after column.
magnitude_counts <- function(rows, edges) {
  tables <- lapply(seq_along(rows$types), function(j) cell_table(list(axis_intervals(edges)), j))
  unlist(lapply(count_rows(rows, tables), dense_counts, length(edges) - 1))
}

# Returns the bounds of the kept cells of each column in two rows, or NA without a kept cell. The bounds enclose the
# noisy counts of the kept cells from the first of `shares` to the second.
kept_span <- function(noisy, threshold, edges, shares = c(0, 1)) {
  apply(noisy, 2, function(column) {
    kept <- which(column >= threshold)
    if (length(kept) == 0) return(c(NA_real_, NA_real_))
    below <- cumsum(column[kept])
    below <- below / below[length(kept)]
    c(edges[kept[which(below > shares[1])[1]]], edges[kept[which(below >= shares[2])[1]] + 1])
  })
}

# Makes a box. `within`: the bounds in which quantiles were searched, or NULL. If a side is missing, the result is not a
# box.
new_private_box <- function(span, powers, within = NULL, classes = NULL) {
  columns <- colnames(span)
  span <- unname(span)
  found <- !is.na(span[1, ])
  if (!all(found)) return(new_no_box(span, found, columns, powers, classes))
  box <- unclass(new_domain_box(span[1, ], span[2, ], columns, classes))
  if (!is.null(within)) box$within <- new_domain_box(unname(within[1, ]), unname(within[2, ]), columns, classes)
  new_result(box, c("dptda_private_box", "dptda_box"))
}

define_class("dptda_private_box", "private_bounds()", .bare = is_made("dptda_box"),
             within = is_null_or(is_made("dptda_box")))

new_no_box <- function(span, found, columns, powers, classes = NULL) {
  fields <- list(lower = span[1, ], upper = span[2, ], found = found, reason = no_box_reason(powers, found, columns))
  if (!is.null(columns)) fields$columns <- columns
  if (!is.null(classes)) fields$classes <- classes
  new_result(fields, "dptda_no_box")
}

#' @export
print.dptda_no_box <- function(x, ...) {
  check_valid(x, "dptda_no_box")
  cat("<no box> ", x$reason, "\n", sep = "")
  if (any(x$found)) {
    names <- if (is.null(x$columns)) paste("column", which(x$found)) else x$columns[x$found]
    cat("found: ", format_sides(x$lower[x$found], x$upper[x$found], names, x$classes[x$found]), "\n", sep = "")
  }
  guarantee <- privacy(x)
  if (!is.null(guarantee)) print(check_valid(guarantee, "dptda_guarantee", "x"))
  invisible(x)
}

#' @export
print.dptda_private_box <- function(x, ...) {
  check_valid(x, "dptda_box")
  NextMethod()
  guarantee <- privacy(x)
  # a box that was changed lost its guarantee
  public <- if (!is.null(guarantee)) check_valid(guarantee, "dptda_guarantee", "x")$public
  largest <- if (!is.null(public)) 2^public$exponents[2]
  powers <- if (is.null(x$within)) x else check_valid(x$within, "dptda_box", "x")
  if (!is.null(x$within) && !is.null(public$probs)) {
    cat("from quantile ", paste(quantile_names(public$probs), collapse = " to "), ", searched within ",
        format_box(powers), "\n", sep = "")
  }
  if (any(-powers$lower == largest | powers$upper == largest)) {
    cat("An outermost interval was kept. It also counts all rows beyond the exponents.\n")
  }
  writeLines(as.character(people_words(x)))
  if (!is.null(guarantee)) print(guarantee)
  invisible(x)
}

# Both intervals have counts near the threshold above which they are kept.
example_of.private_bounds <- function(plan) {
  at_threshold <- function(small) matrix(rep(c(3, 100), c(small, 28 - small)))
  list(release_example("bounds", "", at_threshold(14), at_threshold(13), list(epsilon = 1, exponents = c(0, 8))),
       release_example("bounds", "people", people_example(data.frame(x = c(3, 3, 100, 100, 3), who = c(1:4, 1))),
                       people_example(data.frame(x = c(100, 3, 100, 100, 100, 100), who = c(1:4, 1, 1))),
                       list(epsilon = 8, columns = "x", exponents = c(0, 8))))
}

example_of.private_quantile_box <- function(plan) {
  half <- function(high) matrix(rep(c(3, 100), c(60 - high, high)))
  settings <- list(epsilon = 8, exponents = c(0, 8), probs = c(0.25, 0.75))
  sides <- function(box) c(box$lower, box$upper, inherits(box, "dptda_no_box"))
  # the last row belongs to the first person
  people <- function(x) people_example(data.frame(x = c(x, x[1]), who = c(seq_along(x), 1)))
  list(release_example("bounds", "quantiles", half(30), half(31), settings, part = sides),
       release_example("bounds", "quantiles, people", people(rev(half(30))), people(c(3, rev(half(30))[-1])),
                       c(settings, columns = "x"), part = sides))
}
