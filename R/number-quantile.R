#' Private median and quantiles
#'
#' `private_quantile()` releases quantiles of a numeric column under differential privacy; `private_median()` releases
#' the median. You supply a public interval. A single quantile is drawn by the exponential mechanism. For several, the
#' method with the smallest predicted error is used ([quantile_methods]).
#'
#' @details
#' # Estimated quantity
#' The interval `box` is divided into `2^bits` cells of equal width. The target for p is the first cell up to whose end
#' at least `p * n` of the `n` rows, and at least one, are counted. A cell is drawn at random near the target, and its
#' midpoint is released. The target is `stats::quantile(type = 1)`, up to half a cell width. For an even number of rows,
#' the median is the lower of the two middle rows.
#'
#' For multiples of some number, use `step`: for ages in whole years, `step = 1`. Only multiples are then released.
#' Without `step`, a gap of `g` empty cells costs up to `2 * log(g) / epsilon` rows of accuracy for one quantile.
#'
#' For people ([table_rows()]), each person has weight one, divided equally among that person's rows; half of the total
#' weight lies below the median. Ranks are in people. [quantile_methods] explains missing values, people without rows
#' (`people`), groups (`by`), and intervals for the population (`interval`).
#'
#' # Accuracy
#' Noise moves *ranks*, not values. In a region with few rows, a released value can be far from the true quantile. The
#' minimum and the maximum (`probs` 0 and 1) often are.
#'
#' The error of a median in rank does not depend on the number of rows. As a fraction of the rows, it falls as 1/n. At
#' `epsilon = 1`, it is about 2.6 rows on average, for skewed data in 2^16 cells. `print()` shows a proved bound for all
#' quantiles together (95%), if it is below n. Typical errors are smaller.
#'
#' @param x A vector of numbers, logical values (0 and 1), dates, times, or durations with one element per row; or a
#'   table with such a column ([table_rows()]). Rows outside the interval are moved into it, silently.
#' @param box Two finite numbers `c(lower, upper)`, public, or a [domain_box()] of one side, such as one released by
#'   [private_bounds()]: the interval. For dates, times, or durations, give bounds of the same class.
#' @param probs A numeric vector of one or more probabilities from 0 to 1, in any order. Values may repeat.
#' @param bits `NULL` or one integer from 1 to 24: the interval has `2^bits` cells, 2^16 by default. With `method =
#'   "counts"`, each bit costs budget: fewer bits give more accurate ranks and wider cells.
#' @param step `NULL` or one positive number (public) of which all data are multiples: days for dates, seconds for
#'   times. Replaces `bits`. For dates, the default is one day if `bits` is `NULL`.
#' @param method `NULL` to choose by the predicted error, from public numbers alone; or `"exponential"`, `"halving"`, or
#'   `"counts"` ([quantile_methods]).
#' @param by `NULL` or a list of public levels, named by columns of the table: quantiles for each group, see
#'   [private_groups].
#' @param interval `NULL` or one number in (0, 1), such as 0.95: the level of an interval for the quantile of the
#'   population, which is drawn together with the quantile, from at most 2^17 cells. With a private number of values,
#'   the result is a [private_groups].
#' @param delta `NULL`, or one number in (0, 1), together with `epsilon`. The release then satisfies (`epsilon`,
#'   `delta`)-differential privacy, or `epsilon`-differential privacy if the predicted error is smaller without `delta`,
#'   as it is for a single quantile. [privacy()] states which.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_quantile`, a [private_value]. `value` holds the quantiles in the order of
#' `probs`, named as in [stats::quantile()]. They never decrease with `probs`. Other fields: [quantile_methods].
#' Intervals, tables, and plots: [plot.dptda_private_quantile].
#'
#' With `by`, a data frame ([private_groups]).
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity, in ranks: a replaced row changes the distance of each cell from its target rank by at most 1.
#' [quantile_methods] has the sensitivities of halving and counts.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly, because draws use integers only. With the exponential mechanism or halving, `epsilon` costs at most
#' `epsilon^2 / (8 * k)` in `rho`, with k the number of different ranks, or of levels of halving.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]).
#'
#' @section Implementation:
#' The proof is in `system.file("proofs", "number-quantile.md", package = "dptda")`.
#'
#' @references
#' Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates. *STOC*, 813-822.
#' @seealso [private_histogram()]
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' private_median(income, c(0, 2e5), epsilon = 1)
#' private_median(income, c(0, 2e5), epsilon = 1, interval = 0.95)
#' private_quantile(income, c(0, 2e5), 1:9 / 10, epsilon = 1)
#'
#' # a median for each group
#' staff <- data.frame(income, region = rep(c("north", "south"), 2500))
#' private_median(staff, c(0, 2e5), epsilon = 1, columns = "income",
#'                by = list(region = c("north", "south")))
#'
#' # ages are whole years
#' private_median(infert$age, c(0, 110), epsilon = 1, step = 1)
#'
#' # the median of five trees, each measured seven times
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' private_median(growth, c(0, 250), epsilon = 50)
#' @order 1
#' @export
private_quantile <- function(x, box, probs, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                             bits = NULL, step = NULL, method = NULL, by = NULL, interval = NULL, budget = NULL,
                             rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  # arguments in the order of quantile()
  if (!missing(box) && !missing(probs) && is_pair(probs) && is_plain_numeric(box) && length(box) == 1) {
    stop_argument("box", "must be a pair c(lower, upper), not ", describe(box), ". It comes before `probs`: ",
                  "private_quantile(x, c(lower, upper), 0.5).")
  }
  box <- check_box(box)
  probs <- check_probs(probs)
  cost <- check_cost(epsilon, rho, delta, mu)
  read <- function(x) {
    rows <- check_quantile_rows(x, columns, box, by)
    if (rows$n < 1) stop_argument("x", "must have at least 1 row.")
    rows
  }
  make <- function(units, rows) {
    asked <- if (is.null(columns)) box$columns else columns # also known without rows
    quantile_mechanism(units, box, probs, cost, bits, step, method, by, asked, interval)
  }
  release(x, budget, rng, read, make, columns = unread_column(columns, by))
}

# Returns the method of a release with intervals.
check_interval <- function(interval, method, lattice) {
  check_number(interval, 0, 1, open_lower = TRUE, open_upper = TRUE, arg = "interval")
  if (!is.null(method) && !inherits(method, "quantile_exponential")) {
    stop_argument("method", "must be \"exponential\" with `interval`, which draws a quantile and its ends together.")
  }
  if (lattice_cells(lattice) > 2^17) {
    stop_argument(if (is.null(lattice$step)) "bits" else "step", "must give at most 2^17 cells with `interval`, not ",
                  format_count(lattice_cells(lattice)), ".")
  }
  default_method("quantile", "exponential")
}

check_quantile_rows <- function(x, columns, box, by) {
  if (!is.null(by)) {
    one_side(box, "box")
    return(check_counted_rows(ungrouped_by(x, by, "x"), columns, box, by, "x"))
  }
  x <- ungrouped_by(x, by, "x")
  rows <- check_one_column(check_rows(x, named_columns(x, columns, box$columns, "box"), "x", omit = TRUE))
  class_rows(rows, if (length(box$classes) <= 1) box$classes)
}

#' @rdname private_quantile
#' @order 2
#' @export
private_median <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                           bits = NULL, step = NULL, method = NULL, by = NULL, interval = NULL, budget = NULL,
                           rng = c("os", "R")) {
  check_no_dots(...)
  # checked here, so that messages name these arguments
  if (missing(x)) stop_missing("x")
  if (missing(box)) stop_missing("box")
  private_quantile(x, box, 0.5, epsilon, rho, delta = delta, mu = mu, columns = columns, bits = bits, step = step,
                   method = method, by = by, interval = interval, budget = budget, rng = rng)
}

quantile_mechanism <- function(n, box, probs, cost, bits, step, method, by = NULL, columns = NULL,
                               interval = NULL) {
  units <- check_public_units(n, omit = TRUE)
  side <- one_side(box, "box")
  if (is.null(step) && is.null(bits) && identical(unname(box$classes), "Date")) step <- day_step(side)
  lattice <- if (is.null(step)) {
    new_lattice_line(side[1], side[2], if (is.null(bits)) 16 else check_count(bits, 1, 24))
  } else {
    if (!is.null(bits)) stop_argument("bits", "must be NULL if `step` is given, which sets the number of cells.")
    new_step_line(side[1], side[2], check_number(step, 0, open_lower = TRUE))
  }
  axes <- by_axes(by, setdiff(columns, names(by)))
  if (!is.null(axes)) units$groups <- table_size(cell_table(axes))
  ranks <- sort(unique(target_ranks(probs, units$n, knows_sizes(units))))
  if (!is.null(method)) method <- check_method(method, "quantile")
  if (!is.null(interval)) method <- check_interval(interval, method, lattice)
  chosen <- choose_quantile_way(cost, method, units, ranks, lattice$bits)
  cost <- chosen$cost
  method <- chosen$method
  if (!knows_sizes(units) && inherits(method, "quantile_counts")) {
    stop_argument("method", "must not be \"counts\" ", if (units$complete) "with `by`" else
      "if missing values are dropped or people may have no row", ", because the number of values is then private. Use ",
      "\"exponential\" or \"halving\".")
  }
  if (!is.null(axes) || !is.null(interval) && !knows_sizes(units)) {
    return(quantile_by_mechanism(units, side, box, probs, ranks, cost, method, lattice, axes, columns, interval))
  }
  planned <- if (is.null(interval)) quantile_plan(method, units, cost, ranks, lattice$bits, lattice_cells(lattice)) else
    interval_plan(units, cost, sort(unique(probs)), lattice_cells(lattice), interval)
  public <- c(list(n = units$n, probs = probs, lower = side[1], upper = side[2]),
              if (is.null(step)) lattice["bits"] else list(step = lattice$step), planned$public,
              weight_words(units, planned$weight))
  known <- if (is.null(planned$times)) cost$known else with_choices(cost, 1)$known
  guarantee <- new_guarantee(
    cost$measure, sensitivity = planned$sensitivity, mechanism = planned$words, public = public, sampler = "exact",
    step = "private_quantile", spent = known, person = units$person,
    bounded_range = !is.null(planned$times), times = max(1, planned$times)
  )
  # ranks refer to the total weight of all rows
  plan <- public_plan("private_quantile", n = units$n, probs = probs,
                      ranks = target_ranks(probs, units$n * planned$weight, units$complete), lattice = lattice,
                      method = method, noise = planned$noise, weight = planned$weight, units = units_noun(units$person))
  parts <- c("queries", "share", "splits", "shares", "targets", "proved", "level")
  plan[parts] <- planned[parts]
  if (!units$complete) plan$complete <- FALSE
  plan$classes <- box$classes
  new_mechanism(plan, guarantee)
}

# A random position is on average a quarter of all rows, or people, away from the median.
weakness_of.private_quantile <- function(plan) {
  error <- plan_rank_error(plan)
  weak_noise(plan$n, 4 * error, "a quantile is off by about ",
             name_units(format(min(error, plan$n), digits = 2), plan$units), " in rank. ",
             "A random guess would be as close to the median")
}

rows_for.private_quantile <- function(plan, x) {
  rows <- class_rows(check_one_column(check_rows(x, NULL, "x", omit = TRUE)), plan$classes)
  if (isFALSE(rows$complete) && !isFALSE(plan$complete)) {
    stop_argument("x", "may have people without a row, but the mechanism was made for people with a row each. Use ",
                  "unseen(n, person = , complete = FALSE).")
  }
  rows
}

statistic_of.private_quantile <- function(plan, rows) {
  count_rows(weigh_rows(omit_missing(rows), plan$weight), list(line_cells(plan$lattice, 1)))[[1]]
}

draw_of.private_quantile <- function(plan, statistic, rng) {
  if (!is.null(plan$targets)) interval_draw(plan, statistic, rng) else
    quantile_draw(plan$method, plan, statistic, rng)
}

noise_of.private_quantile <- function(plan) quantile_noise(plan$method, plan)

result_of.private_quantile <- function(plan, drawn) {
  lattice <- plan$lattice
  value <- structure(line_middle(lattice, drawn$cell), names = quantile_names(plan$probs))
  do.call(new_private_value, c(list(value, plan$noise, probs = plan$probs, cell = drawn$cell, lattice = lattice,
                                    method = method_name(plan$method)), drawn[names(drawn) != "cell"],
                               list(classes = if (!is.null(plan$classes)) rep(plan$classes, length(value)),
                                    class = "dptda_private_quantile")))
}

# ---- counts --------------------------------------------------------------------

quantile_plan.quantile_counts <- function(method, units, cost, ranks, bits, cells) {
  kind <- measure_noise(cost$spent)
  queries <- plan_queries(kind, bits, length(ranks))
  planned <- plan_query_noise(units, cost, queries)
  noise <- planned$noise
  list(sensitivity = queries_sensitivity(queries, kind), words = queries_text(queries, kind),
       public = list(scale = noise$scale * noise$step), weight = planned$weight, noise = noise, queries = queries)
}

quantile_draw.quantile_counts <- function(method, plan, statistic, rng) {
  drawn <- draw_queries(plan$queries, statistic, plan$n * plan$weight, plan$ranks,
                        query_noise(plan$noise$scale, plan$noise$kind, rng))
  queries <- drawn$queries
  # noise may lead past the last cell
  list(cell = pmin(drawn$cell, lattice_cells(plan$lattice) - 1), plan = plan$queries[c("method", "split")],
       counts = data.frame(step = queries$step, cell = queries$cell, at = line_point(plan$lattice, queries$cell),
                           count = queries$count * plan$noise$step))
}

quantile_noise.quantile_counts <- function(method, plan) noise_table(below_words(plan$units), plan$noise)

# Returns the expected mean distance in rank, from the noisy counts if the method uses them.
plan_rank_error <- function(plan) {
  queries <- plan$queries
  if (is.null(queries)) return(rank_error(plan$noise) * together_error(plan$targets))
  error <- predicted_error(queries, plan$noise$kind, length(unique(plan$ranks)))
  # in units of the scale
  share <- if (plan$noise$kind == "laplace") queries$l1^2 else queries$l2_squared
  counts_rank_part[[plan$noise$kind]] * sqrt(error / share) * plan$noise$scale * plan$noise$step
}

below_words <- function(units) paste("each count of", units, "below a point")

# ---- the result ----------------------------------------------------------------

define_class(
  "dptda_private_quantile", "private_quantile()", .bare = is_made("dptda_private_value"),
  .valid = function(x) {
    length(x) == length(x$probs) && length(names(x)) == length(x) && is_numbers(x$probs) && is_numbers(x$cell) &&
      length(x$cell) == length(x$probs) && all(vapply(x$lattice[c("lower", "upper", "bits")], is_one_number, NA)) &&
      is_one_number(x$noise$scale) && is_one_number(x$noise$step) &&
      (identical(x$method, "exponential") || identical(x$method, "halving") && is.matrix(x$splits) ||
         identical(x$method, "counts") && has_valid_counts(x)) &&
      is_null_or(function(interval) is_interval(interval, length(x)))(attr(x, "interval", exact = TRUE))
  }
)

has_valid_counts <- function(x) {
  x$plan$method %in% c("search", "tree") && sum(x$plan$split) == x$lattice$bits && is.data.frame(x$counts) &&
    all(vapply(x$counts[c("step", "cell", "at", "count")], is_numbers, NA)) &&
    nrow(x$counts) > 0 && all(x$counts$step %in% seq_along(x$plan$split))
}

check_probs <- function(probs, arg = deparse1(substitute(probs))) {
  force(arg)
  if (missing(probs)) stop_missing(arg)
  good <- is_plain_numeric(probs) && is.null(dim(probs)) && length(probs) > 0 && !anyNA(probs) &&
    all(probs >= 0 & probs <= 1)
  if (!good) stop_argument(arg, "must be one or more numbers from 0 to 1, not ", describe(probs),
                           if (are_percents(probs)) ". Divide percentages by 100", ".")
  as.double(probs)
}

are_percents <- function(x) is_numbers(x) && length(x) > 0 && all(x >= 0 & x <= 100) && any(x > 1)

# ---- methods -------------------------------------------------------------------

#' @rdname plot.dptda_private_quantile
#' @order 2
#' @export
confint.dptda_private_quantile <- function(object, parm, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_quantile")
  guarantee <- privacy(object)
  if (is.null(guarantee)) {
    stop_argument("object", "must be a value as it was released. The noise of values computed from it is not known.")
  }
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  of <- check_target(of)
  classes <- attr(object, "classes", exact = TRUE)
  if (of == "population") {
    return(finish_ends(known_population_ends(object, level), names(object$value), level, of, classes))
  }
  if (object$method != "counts") {
    stop_argument("object", "has no counts, and so no intervals. Use as.data.frame() for the error of its ranks",
                  if (!identical(guarantee$public$missing, "omit")) {
                    ", or `method = \"counts\"` in private_quantile() for intervals"
                  }, ".")
  }
  cells <- interval_cells(object, guarantee$public$n, level)
  ends <- cbind(first_of(object$lattice, cells$first), last_of(object$lattice, cells$last))
  finish_ends(ends, names(object$value), level, of, classes)
}

# Noise is added to counts, not to quantiles.
added_noise.dptda_private_quantile <- function(x) NULL

# Returns the first and the last cell of each interval. A boundary with surely too few rows below it precedes the end of
# the cell, and one with surely enough does not. The released cell is always included.
interval_cells <- function(x, n, level) {
  queries <- x$counts
  width <- counts_half_width(x, level)
  ranks <- target_ranks(x$probs, n / x$noise$step) * x$noise$step
  cells <- lattice_cells(x$lattice)
  first <- vapply(ranks, function(rank) max(0, queries$cell[queries$count + width < rank]), 0)
  last <- vapply(ranks, function(rank) min(cells, queries$cell[queries$count - width >= rank]), 0) - 1
  first <- pmin(first, cells - 1)
  list(first = pmin(first, last, x$cell), last = pmax(first, last, x$cell))
}

counts_half_width <- function(x, level) {
  query_half_width(x$counts, x$plan, x$noise$scale, x$noise$kind, level) * x$noise$step
}

#' @export
as.data.frame.dptda_private_quantile <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_private_quantile")
  quantile_frame(x, 0.95, row.names)
}

quantile_frame <- function(x, level, row.names = NULL) {
  frame <- data.frame(name = names(x$value), probability = x$probs, value = unname(x$value), row.names = row.names)
  if (is.null(privacy(x))) return(frame)
  if (x$method != "counts") {
    frame$within <- released_rank_bound(x, level)
    return(frame)
  }
  ends <- confint(x, level = level)
  frame[c("lower", "upper")] <- list(unname(ends[, 1]), unname(ends[, 2]))
  frame
}

released_rank_bound <- function(x, level) {
  n <- privacy(x)$public$n
  cells <- lattice_cells(x$lattice)
  shares <- attr(x, "shares", exact = TRUE)
  proved_bound(if (x$method == "halving") halving_bound(x$splits, cells, n, level) else if (!is.null(shares))
    shares_bound(shares, 1 / x$noise$step, cells, n, level) else
    if (is.null(attr(x, "interval", exact = TRUE)))
      rank_bound(x$noise, length(unique(target_ranks(x$probs, n))), cells, n, level)
    else rank_bound(x$noise, length(unique(x$probs)), cells^3, n, level), n)
}

#' @export
format.dptda_private_quantile <- function(x, ...) format.dptda_result(x, ...)

#' @export
print.dptda_private_quantile <- function(x, level = 0.95, ...) {
  if (is.null(privacy(x))) return(NextMethod())
  check_valid(x, "dptda_private_quantile")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  print_release(x, {
    frame <- quantile_frame(x, level)
    shown <- utils::head(frame, 20)
    cell <- (x$lattice$upper - x$lattice$lower) / lattice_cells(x$lattice)
    class <- attr(x, "classes", exact = TRUE)[1]
    beside <- function(values) vapply(as.double(values), format_classed, "", cell, class, USE.NAMES = FALSE)
    table <- data.frame(name = shown$name, value = beside(shown$value))
    between <- function(ends) paste(beside(ends[, 1]), "to", beside(ends[, 2]))
    if (x$method == "counts") {
      table[[paste0("data (", format_percent(level), ", simultaneous)")]] <- between(shown[c("lower", "upper")])
    }
    # the ends were drawn for one level
    known <- min(level, attr(x, "interval", exact = TRUE)$level)
    around <- population_ends(x, known)
    if (!is.null(around)) {
      table[[paste0("population (", format_percent(known), ")")]] <- between(utils::head(around, 20))
    }
    print(table, row.names = FALSE)
    if (nrow(frame) > nrow(shown)) cat("... and", nrow(frame) - nrow(shown), "more\n")
    words <- if (x$method == "counts") counts_words(x, level) else rank_words(x, level)
    writeLines(c(population_words(x, known), wrap_lines(c(words, end_rank_words(x), cell_words(x$lattice, class))),
                 end_words(x)))
  })
}

counts_words <- function(x, level) {
  paste0("noise: ranks from counts of ", units_noun(privacy(x)$person), " below ", count_of(nrow(x$counts), "point"),
         ", each +- ", format(max(counts_half_width(x, level)), digits = 3), " of ", released_units(x), " (",
         format_percent(level), ", simultaneous)")
}

# States the usual error first, because the proved bound is many times as large for several quantiles.
rank_words <- function(x, level) {
  within <- released_rank_bound(x, level)
  usual <- paste0("noise: ranks off by about ", format(usual_rank_error(x), digits = 2), " of ", released_units(x),
                  " on average if few are equal. ")
  if (is.na(within)) return(paste0(usual, "No bound is proved for all data."))
  paste0(usual, "Bound for all data: ", format(within, digits = 3), " (", format_percent(level),
         if (length(x) > 1) ", simultaneous", ").")
}

# A rank is off by at most the number of rows.
usual_rank_error <- function(x) {
  min(rank_error(x$noise) * together_error(attr(x, "interval", exact = TRUE)), privacy(x)$public$n)
}

released_units <- function(x) {
  public <- privacy(x)$public
  units <- count_units(public$n, privacy(x)$person)
  if (knows_rows(x)) units else paste("the values present among", units)
}

# Returns whether the number of values is public. Otherwise, a distance in rank is not a known fraction of them.
knows_rows <- function(x) !isFALSE(attr(x, "complete", exact = TRUE))

# Audits use the quantiles, and with counts also the counts of the first step, which all releases query.
example_of.private_quantile <- function(plan) {
  queries <- function(note, probs, x = rep(0:1, c(5, 4)), neighbor = rep(0:1, c(4, 5)), cost = list(epsilon = 4)) {
    settings <- c(list(box = c(0, 1), probs = probs), cost, list(bits = 6, method = "counts"))
    release_example("quantile", note, x, neighbor, settings, part = function(found) {
      c(found$value, found$counts$count[found$counts$step == 1])
    })
  }
  ranks <- function(note, probs, x = rep(0:1, c(5, 4)), neighbor = rep(0:1, c(4, 5)), ..., method = "exponential",
                    counts = c(5, 4), cells = NULL) {
    settings <- list(box = c(0, 1), probs = probs, epsilon = 4, ..., method = method)
    release_example("quantile", note, x, neighbor, settings, part = function(found) found$value,
                    off = function(found) rank_off(found, counts, cells))
  }
  # `copies`: how many rows of each value are in the first group
  by_group <- function(note, probs, ..., epsilon = 4, copies = 1, ends = function(found) NULL) {
    settings <- list(box = domain_box(c(x = 0), 1), probs = probs, epsilon = epsilon, ..., bits = 2,
                     by = list(g = "a"))
    rows <- function(g, x) {
      groups <- rep(c("a", "b"), c(2 * copies, 2))
      table_rows(data.frame(x = c(x, rep(0:1, copies + 1)), g = c(g, groups)))
    }
    release_example("quantile", note, rows("a", 0), rows("b", 1), Filter(Negate(is.null), settings), slow = TRUE,
                    part = function(found) c(found$value, found$count, ends(found)), off = function(found) {
                      cell <- attr(found, "parts")$cell
                      max(share_off(cell[1, ], probs, copies + 1:0), share_off(cell[2, ], probs, c(1, 1)))
                    })
  }
  # a person with two rows is replaced by one with three
  people <- people_example(data.frame(x = c(0, 0, 1, 0), who = c(1, 2, 3, 1)))
  neighbor <- people_example(data.frame(x = c(1, 0, 1, 1, 1), who = c(1, 2, 3, 1, 1)))
  list(queries("search", 0.5), queries("tree", 1:9 / 10), queries("people", 0.5, people, neighbor),
       queries("search, mu", 0.5, cost = list(mu = 2)),
       ranks("exponential", 0.5, far_rows(c(9, 2, 9), 10), far_rows(c(10, 2, 8), 10), bits = 10, counts = c(9, 2, 9),
             cells = c(0, 2, 1023)), ranks("exponential, two", c(0.3, 0.7), bits = 2),
       ranks("exponential, step", 0.5, step = 0.5),
       ranks("exponential, people", 0.5, people, neighbor, bits = 3, counts = c(2, 1)),
       ranks("halving", 1:3 / 4, bits = 2, method = "halving"),
       release_example("quantile", "interval", rep(0:1, c(8, 7)), rep(0:1, c(7, 8)),
                       list(box = c(0, 1), probs = 0.5, epsilon = 4, bits = 2, interval = 0.5),
                       part = function(found) unlist(c(found$value, attr(found, "interval")[c("lower", "upper")])),
                       slow = TRUE, off = function(found) rank_off(found, c(8, 7))),
       # a row moves from one group to another, across both medians
       by_group("by", 0.5), by_group("by, rho", 1:3 / 4, epsilon = NULL, rho = 2),
       by_group("by, interval", 0.5, interval = 0.5, copies = 40,
                ends = function(found) unlist(stats::confint(found, level = 0.5, of = "population"))),
       # one value becomes missing
       ranks("omit", 0.95, table_rows(data.frame(x = far_rows(c(37, 2, 1), 8)), missing = "omit"),
             table_rows(data.frame(x = c(far_rows(c(37, 2, 0), 8), NA)), missing = "omit"), bits = 8,
             method = "halving", counts = c(37, 2, 1), cells = c(0, 2, 255)))
}

# Returns rows in the first, the third, and the last of 2^bits cells. The second cell is below the target rank, which is
# among the rows of the third, and all others are beyond it. If a row leaves the last cell, the second becomes nearer
# and the others farther: it is drawn rarely, and then nearly e^epsilon times as often.
far_rows <- function(counts, bits) rep((c(0, 2, 2^bits - 1) + 0.5) / 2^bits, counts)

# The same among rows in the first and the fourth of four cells, the number of which is private.
share_off <- function(cell, probs, counts) {
  upto <- cumsum(c(counts[1], 0, 0, counts[2]))
  below <- c(0, upto[1:3])
  max(0, probs * sum(counts) - upto[cell + 1], below[cell + 1] - probs * sum(counts))
}

# Returns the largest distance of the quantiles from their ranks. `counts`: the numbers of rows, or people, in `cells`,
# counted from 0. If `cells` is NULL, these are the first and the last cell.
rank_off <- function(found, counts, cells = NULL) {
  if (is.null(cells)) cells <- c(0, lattice_cells(found$lattice) - 1)
  step <- found$noise$step
  ranks <- target_ranks(found$probs, sum(counts) / step) * step
  below <- vapply(found$cell, function(cell) sum(counts[cells < cell]), 0)
  upto <- vapply(found$cell, function(cell) sum(counts[cells <= cell]), 0)
  max(0, ranks - upto, below - (ranks - step))
}
