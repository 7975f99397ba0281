#' Private median and quantiles
#'
#' Releases the median, or other quantiles, of numbers in a public interval under differential privacy: by the
#' exponential mechanism on ranks, or from noisy counts of the rows below points of a public lattice
#' ([quantile_methods]).
#'
#' The interval `box` is divided into `2^bits` cells of one width, or into one around each multiple of `step` (for
#' dates, around each day);
#' rows outside count in the first or last one. The quantile of
#' probability p is the first cell at whose end at least `p * n` of the n rows, and at
#' least one, have been counted; its middle is released. So what is aimed at is
#' type 1 of [stats::quantile()], an element of the data, of rows moved into the
#' interval, up to half the width of a cell. Noise moves *ranks*: where there are hardly any rows the value may be
#' far off, though its rank is not. In particular the
#' least and the largest row (`probs` 0 and 1) are what privacy hides, and what comes
#' out for them may be anything between the bulk of the rows and the bound.
#'
#' Data that are multiples of something, as ages are of one year, want `step`: many equal rows in one of many cells are
#' hard to hit (a gap of g empty cells costs up to `2 * log(g) / epsilon` rows), and what is released are values that
#' occur.
#'
#' The exponential mechanism is off by 2.6 rows on average at `epsilon = 1`, one median of any number of rows, where
#' counts are by 12; nine deciles by 12 rows, found by halving, where counts are by 20. `print()` says within how many
#' rows of its rank each value is with probability 0.95. This bound holds for all data sets, with each row moved to the
#' middle of its cell, so with several quantiles it is much larger than the typical error.
#' Counts on the way are part of a release by counts: `confint()` derives from them where the quantiles are, and
#' `plot()` draws them.
#'
#' Of people with many rows each ([table_rows()]) ranks and counts are in people: each counts one, in equal parts at the
#' own rows, and half of all that lies below the median. Each person must have a row.
#'
#' Where missing values are left out (`missing = "omit"` in [table_rows()]), or of one row of each of `people` of whom
#' some have none, quantiles are those of what is there: by halving, which needs not know how many that are, and is as
#' near in rank. How many they are is private and not released: where they may be few, count them, too
#' ([private_count()]), and compare with the distance in rank that is printed. No lines are drawn.
#'
#' By counts a few quantiles are found by a search that halves the cells which hold them in
#' each of `bits` steps, all of them together; many by a tree that goes from counts to
#' their parts, and has one noise for all quantiles. Public numbers decide which
#' (`x$plan`).
#'
#' @param x A vector of numbers, logical values (0 and 1), dates, times or durations with one element per row; or a
#'   table, of which `columns` names such a column ([table_rows()]). At least one row. Rows outside the interval are
#'   moved into it, silently.
#' @param box Two finite numbers `c(lower, upper)`, public, or a [domain_box()] of one side, as [private_bounds()]
#'   releases: the interval. Where `x` are dates, times or durations it is of these, and so are the quantiles.
#' @param probs A numeric vector of at least one probability, from 0 to 1, in any
#'   order; some may be equal.
#' @param bits `NULL` or one whole number from 1 to 24: there are `2^bits` cells, and 2^16 by default. For counts fewer
#'   are better.
#' @param step `NULL` or one positive number, public: the data are multiples of it, and so is what is released (of
#'   dates in days, of times in seconds). For dates it is one day if `bits` is `NULL`.
#' @param method `NULL`: public numbers choose by the predicted error, for one quantile always `"exponential"`. Or
#'   `"exponential"`, `"halving"` or `"counts"`: see [quantile_methods].
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]);
#'   else must be empty: what follows is given by name.
#' @param delta `NULL`, or one number in (0, 1), together with `epsilon`. The release then satisfies (`epsilon`,
#'   `delta`)-differential privacy, or `epsilon` alone if the predicted error is smaller without `delta`, as it is for a
#'   single quantile.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_quantile`, a [private_value]: `value` are the
#'   quantiles, named as [stats::quantile()] names them, in the order of `probs`; they
#'   increase with `probs`. Further fields are `probs`, `cell` (the cells that were found,
#'   counted from 0), `lattice` and `method`. By halving there are also `splits`, the public plan. By counts there are
#'   also `plan` (`method`, `"search"` or `"tree"`, and `split`, the bits of each step) and `counts`, a data frame of
#'   all that was looked at: `step`, `cell`, `at`, a point between two cells, and `count`, the noisy number of rows,
#'   or people, below it. `noise` is in rows or people, not in the units of the data: that of the counts, or, of the
#'   kind `"exponential"`, the scale at which the weight of a cell falls with its distance in rank.
#'
#'   `confint()`, of counts: with probability `level` all quantiles, as defined above, are in their
#'   intervals together, which end at multiples of a `step`; what is not known is the noise, not the rows.
#'   `as.data.frame()`: one row for each quantile with `name`, `probability`, `value` and the ends `lower`
#'   and `upper` of its interval of level 0.95, or `within`, how many rows, or people, all values are from their ranks
#'   at most with probability 0.95 (`NA` if no bound is proved). `plot()` draws the quantiles at their probabilities
#'   with their intervals, or with lines as long as their ranks may be off; and of counts the noisy share of rows
#'   below each point that was looked at, with the band in which all of them are with
#'   probability `level`. It returns its argument invisibly.
#'
#'   `private_median()`: the same with `probs = 0.5`, of an even number of rows the lower of the two in the middle.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Relation: replace one, their number is public. Sensitivity: 1 for the
#' distance of each cell in rank; by halving what a row moves distances within a part, in two parts of a level. For
#' counts 2 in the l1 distance for the counts of one step, so 2 times the number of steps; in the squared l2 distance
#' the same, or 2 more for a tree that halves. Guarantee: `epsilon`-differential privacy or `rho`-zero-concentrated
#' differential privacy, exactly: weights are whole numbers whose ratios are bounded in whole numbers, and cells are
#' drawn from their exact totals (of bounded range, so that an `epsilon` is `epsilon^2 / 8` of rho). By counts, where a
#' step looks depends on the noisy counts of the steps before and on nothing else, the noise is drawn and added in
#' integers, and its scale is rounded up. A missing value is an error before anything is drawn; that message is for the
#' curator and not part of a release. Running time is not protected, except by the option `dptda.release_time`
#' ([dptda-package]). What these words promise: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' The rows are counted once, in the cells of the lattice, by one grouped count in a database; the rest works on these
#' exact counts: two passes over the occupied cells for each draw of a rank; by halving, random digits for each row, so
#' that equal rows have an order, and two passes over the rows for each level; by counts at most `2 * bits` draws for
#' each quantile in a search and 4 `bits` in a tree of sixteen children. A median of 10^7 rows takes a tenth
#' of a second. The proof is in `system.file("proofs", "number-quantile.md", package = "dptda")`; what was compared
#' is in `inst/simulations/quantiles.R` of the sources.
#'
#' @references
#' Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of
#' differentially private histograms through consistency. *Proceedings of the VLDB Endowment* 3,
#' 1021-1032.
#'
#' Qardaji, W., Yang, W. and Li, N. (2013). Understanding hierarchical methods for
#' differentially private histograms. *Proceedings of the VLDB Endowment* 6, 1954-1965.
#'
#' Smith, A. (2011). Privacy-preserving statistical estimation with optimal convergence rates. *STOC*, 813-822.
#'
#' Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate
#' quantiles. *ICML*.
#' @seealso [private_histogram()] where the cells are few and all of interest.
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' private_median(income, c(0, 2e5), epsilon = 1)
#' deciles <- private_quantile(income, c(0, 2e5), 1:9 / 10, rho = 0.1,
#'                             method = "counts")
#' confint(deciles)
#' plot(deciles)
#'
#' # ages are whole years
#' private_median(infert$age, c(0, 110), epsilon = 1, step = 1)
#'
#' # a date, between public dates
#' joined <- as.Date("2015-01-01") + stats::rpois(1000, 1500)
#' private_quantile(joined, as.Date(c("2010-01-01", "2025-01-01")), 0.5,
#'                  epsilon = 1)
#'
#' # five trees, each measured seven times: half of the trees, not of the rows
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' private_quantile(growth, c(0, 250), 0.5, epsilon = 50, bits = 8)
#' @order 1
#' @export
private_quantile <- function(x, box, probs, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL,
                             bits = NULL, step = NULL, method = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  # as quantile() has it
  if (!missing(box) && !missing(probs) && is_pair(probs) && is_plain_numeric(box) && length(box) == 1) {
    stop_argument("box", "comes before `probs`, as in private_quantile(x, c(lower, upper), 0.5): it must be a pair ",
                  "c(lower, upper), not ", describe(box), ".")
  }
  box <- check_box(box)
  probs <- check_probs(probs)
  cost <- check_cost(epsilon, rho, delta)
  read <- function(x) {
    rows <- check_one_column(check_rows(x, named_columns(x, columns, box$columns, "box"), "x", omit = TRUE))
    rows <- class_rows(rows, if (length(box$classes) <= 1) box$classes)
    if (rows$n < 1) stop_argument("x", "must have at least 1 row.")
    rows
  }
  make <- function(units, rows) quantile_mechanism(units, box, probs, cost, bits, step, method)
  release(x, budget, rng, read, make, columns = unread_column(columns))
}

#' @rdname private_quantile
#' @order 2
#' @export
private_median <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL, bits = NULL,
                           step = NULL, method = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  # looked at here, so that messages are of the argument
  if (missing(x)) stop_missing("x")
  if (missing(box)) stop_missing("box")
  private_quantile(x, box, 0.5, epsilon, rho, delta = delta, columns = columns, bits = bits, step = step,
                   method = method, budget = budget, rng = rng)
}

quantile_mechanism <- function(n, box, probs, cost, bits, step, method) {
  units <- check_public_units(n, omit = TRUE)
  side <- one_side(box, "box")
  if (is.null(step) && is.null(bits) && identical(unname(box$classes), "Date")) step <- day_step(side)
  lattice <- if (is.null(step)) {
    new_lattice_line(side[1], side[2], if (is.null(bits)) 16 else check_count(bits, 1, 24))
  } else {
    if (!is.null(bits)) stop_argument("bits", "must be NULL where `step` is given: it says how many cells there are.")
    new_step_line(side[1], side[2], check_number(step, 0, open_lower = TRUE))
  }
  ranks <- sort(unique(target_ranks(probs, units$n, units$complete)))
  if (!is.null(method)) method <- check_method(method, "quantile")
  chosen <- choose_quantile_way(cost, method, units, ranks, lattice$bits)
  cost <- chosen$cost
  method <- chosen$method
  if (!units$complete && !inherits(method, "quantile_halving")) {
    stop_argument("method", "must be \"halving\" where missing values are left out or people may have no row: how ",
                  "many there are is private then, which other methods must know.")
  }
  planned <- quantile_plan(method, units, cost, ranks, lattice$bits, lattice_cells(lattice))
  public <- c(list(n = units$n, probs = probs, lower = side[1], upper = side[2]),
              if (is.null(step)) lattice["bits"] else list(step = lattice$step), planned$public,
              weight_words(units, planned$weight))
  guarantee <- new_guarantee(
    cost$measure, sensitivity = planned$sensitivity, mechanism = planned$words, public = public, sampler = "exact",
    step = "private_quantile", spent = cost$spent, person = units$person,
    bounded_range = !is.null(planned$times), times = max(1, planned$times)
  )
  # ranks are among all that the rows weigh
  plan <- public_plan("private_quantile", n = units$n, probs = probs,
                      ranks = target_ranks(probs, units$n * planned$weight, units$complete), lattice = lattice,
                      method = method, noise = planned$noise, weight = planned$weight, units = units_noun(units$person))
  plan[c("queries", "share", "splits")] <- planned[c("queries", "share", "splits")]
  if (!units$complete) plan$complete <- FALSE
  plan$classes <- box$classes
  new_mechanism(plan, guarantee)
}

# A place drawn at random is a quarter of all rows, or people, away from the median.
weakness_of.private_quantile <- function(plan) {
  error <- plan_rank_error(plan)
  weak_noise(plan$n, 4 * error, "a quantile is off by about ",
             name_units(format(min(error, plan$n), digits = 2), plan$units), " in rank: ",
             "a place drawn at random is as near to the median")
}

rows_for.private_quantile <- function(plan, x) {
  rows <- class_rows(check_one_column(check_rows(x, NULL, "x", omit = TRUE)), plan$classes)
  if (isFALSE(rows$complete) && !isFALSE(plan$complete)) {
    stop_argument("x", "may have people without a row, and the mechanism was made for people who have a row each: ",
                  "`complete` in unseen() says so.")
  }
  rows
}

statistic_of.private_quantile <- function(plan, rows) {
  count_rows(weigh_rows(omit_missing(rows), plan$weight), list(line_cells(plan$lattice, 1)))[[1]]
}

draw_of.private_quantile <- function(plan, statistic, rng) quantile_draw(plan$method, plan, statistic, rng)

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
  # noise may lead to where the cells have ended
  list(cell = pmin(drawn$cell, lattice_cells(plan$lattice) - 1), plan = plan$queries[c("method", "split")],
       counts = data.frame(step = queries$step, cell = queries$cell, at = line_point(plan$lattice, queries$cell),
                           count = queries$count * plan$noise$step))
}

quantile_noise.quantile_counts <- function(method, plan) noise_table(below_words(plan$units), plan$noise)

# Of noisy counts, where there are some.
plan_rank_error <- function(plan) {
  queries <- plan$queries
  if (is.null(queries)) return(rank_error(plan$noise))
  error <- predicted_error(queries, plan$noise$kind, length(unique(plan$ranks)))
  # in units of the scale
  share <- if (plan$noise$kind == "laplace") queries$l1^2 else queries$l2_squared
  counts_rank_part[[plan$noise$kind]] * sqrt(error / share) * plan$noise$scale * plan$noise$step
}

below_words <- function(units) paste("each count of", units, "below a place")

# ---- the result ----------------------------------------------------------------

define_class(
  "dptda_private_quantile", "private_quantile()", .bare = is_made("dptda_private_value"),
  .valid = function(x) {
    length(x) == length(x$probs) && length(names(x)) == length(x) && is_numbers(x$probs) && is_numbers(x$cell) &&
      length(x$cell) == length(x$probs) && all(vapply(x$lattice[c("lower", "upper", "bits")], is_one_number, NA)) &&
      is_one_number(x$noise$scale) && is_one_number(x$noise$step) &&
      (identical(x$method, "exponential") || identical(x$method, "halving") && is.matrix(x$splits) ||
         identical(x$method, "counts") && has_valid_counts(x))
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
                           if (are_percents(probs)) "; percents are to be divided by 100", ".")
  as.double(probs)
}

are_percents <- function(x) is_numbers(x) && length(x) > 0 && all(x >= 0 & x <= 100) && any(x > 1)

# Type 1 of stats::quantile(), with its leave for roundings of n p. Where it is private how many of the n are there, a
# rank is no whole number: what is aimed at is its share, (rank - 1/2) / n, of those that are.
target_ranks <- function(probs, n, known = TRUE) {
  place <- n * probs
  rank <- if (known) ceiling(place - 4 * .Machine$double.eps * place) else place + 0.5
  pmin(pmax(rank, 1), n)
}

quantile_names <- function(probs) {
  paste0(formatC(100 * probs, format = "fg", width = 1, digits = 7, decimal.mark = "."), "%")
}

# ---- methods -------------------------------------------------------------------

#' @rdname private_quantile
#' @param object An object of class `dptda_private_quantile`, as `x` of `plot()`, `print()` and `as.data.frame()`.
#' @param parm Not used: all quantiles get an interval.
#' @param level One number in (0, 1): the probability with which the noise leaves all
#'   quantiles in their intervals.
#' @export
confint.dptda_private_quantile <- function(object, parm, level = 0.95, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_quantile")
  guarantee <- privacy(object)
  if (is.null(guarantee)) {
    stop_argument("object", "must be a value as it was released: of what was computed from it the noise is not known.")
  }
  if (object$method != "counts") {
    stop_argument("object", "has no counts, and so no intervals: as.data.frame() has how far its ranks may be off",
                  if (!identical(guarantee$public$missing, "omit")) {
                    "; `method = \"counts\"` in private_quantile() gives intervals"
                  }, ".")
  }
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  cells <- interval_cells(object, guarantee$public$n, level)
  ends <- cbind(first_of(object$lattice, cells$first), last_of(object$lattice, cells$last))
  dimnames(ends) <- list(names(object$value), paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE), "%"))
  classed_ends(ends, attr(object, "classes", exact = TRUE))
}

# Noise is added to counts.
added_noise.dptda_private_quantile <- function(x) NULL

# A boundary that surely has too few rows below it comes before the end of the cell; one that surely has enough does not
# come before it. The cell that was found is always among the others.
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
  proved_bound(if (x$method == "halving") halving_bound(x$splits, cells, n, level) else
    rank_bound(x$noise, length(unique(target_ranks(x$probs, n))), cells, n, level), n)
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
    if (x$method == "counts") {
      table[[paste0("interval (", format_percent(level), ", all together)")]] <-
        paste(beside(shown$lower), "to", beside(shown$upper))
    }
    print(table, row.names = FALSE)
    if (nrow(frame) > nrow(shown)) cat("... and", nrow(frame) - nrow(shown), "more\n")
    words <- if (x$method == "counts") counts_words(x, level) else rank_words(x, level)
    writeLines(c(wrap_lines(c(words, cell_words(x$lattice, class))), end_words(x)))
  })
}

counts_words <- function(x, level) {
  paste0("noise in ranks: counts of ", units_noun(privacy(x)$person), " below ", count_of(nrow(x$counts), "point"),
         ", each within +-", format(max(counts_half_width(x, level)), digits = 3), " of ", released_units(x), " (",
         format_percent(level), ", all together)")
}

# What is usual comes first: what is proved of all data is many times as much where there are several.
rank_words <- function(x, level) {
  within <- released_rank_bound(x, level)
  usual <- paste0("rank: off by about ", format(usual_rank_error(x), digits = 2), " of ", released_units(x),
                  " on average, where few are equal; ")
  if (is.na(within)) return(paste0(usual, "no bound is proved for all data"))
  paste0(usual, "proved for all data: within ", format(within, digits = 3), " (", format_percent(level),
         if (length(x) > 1) ", all together", ")")
}

# What the values are, and whose ranks are meant: equal rows share a cell, and its middle may be beside all of them.
# Rows in one of many cells are hard to hit as well.
cell_words <- function(lattice, class = NULL) {
  if (!is.null(lattice$step)) {
    step <- width_words(lattice$step, class)
    return(paste0("Values are ", if (step == "1 days") "days" else paste("multiples of", step),
                  ". Ranks are those of rows moved to the nearest one."))
  }
  paste0("Values are middles of cells of width ",
         width_words((lattice$upper - lattice$lower) / lattice_cells(lattice), class),
         ". Ranks are those of rows moved there. If many rows are equal, `step` helps.")
}

# No rank is farther off than there are rows.
usual_rank_error <- function(x) min(rank_error(x$noise), privacy(x)$public$n)

released_units <- function(x) {
  public <- privacy(x)$public
  units <- count_units(public$n, privacy(x)$person)
  if (knows_rows(x)) units else paste("those with a value among", units)
}

# Whether it is public how many rows, or people, the quantiles are of. Else a distance in rank has no share of them.
knows_rows <- function(x) !isFALSE(attr(x, "complete", exact = TRUE))

# The cell, and the counts of the first two steps, which all releases look at.
example_of.private_quantile <- function(plan) {
  queries <- function(note, probs, x = rep(0:1, c(5, 4)), neighbor = rep(0:1, c(4, 5))) {
    settings <- list(box = c(0, 1), probs = probs, epsilon = 4, bits = 6, method = "counts")
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
  # who has two rows goes, and who has three comes
  people <- people_example(data.frame(x = c(0, 0, 1, 0), who = c(1, 2, 3, 1)))
  neighbor <- people_example(data.frame(x = c(1, 0, 1, 1, 1), who = c(1, 2, 3, 1, 1)))
  list(queries("search", 0.5), queries("tree", 1:9 / 10), queries("people", 0.5, people, neighbor),
       ranks("exponential", 0.5, far_rows(c(9, 2, 9), 10), far_rows(c(10, 2, 8), 10), bits = 10, counts = c(9, 2, 9),
             cells = c(0, 2, 1023)), ranks("exponential, two", c(0.3, 0.7), bits = 2),
       ranks("exponential, step", 0.5, step = 0.5),
       ranks("exponential, people", 0.5, people, neighbor, bits = 3, counts = c(2, 1)),
       ranks("halving", 1:3 / 4, bits = 2, method = "halving"),
       # who has a value loses it
       ranks("omit", 0.95, table_rows(data.frame(x = far_rows(c(37, 2, 1), 8)), missing = "omit"),
             table_rows(data.frame(x = c(far_rows(c(37, 2, 0), 8), NA)), missing = "omit"), bits = 8,
             method = "halving", counts = c(37, 2, 1), cells = c(0, 2, 255)))
}

# So many rows in the first, the third and the last of 2^bits cells. Between the first two is one cell; all the others
# are beyond the rank that is aimed at, which is among the middle rows, and who goes away from the last cell brings the
# one nearer and them farther: it is drawn rarely, and then nearly e^epsilon times as often.
far_rows <- function(counts, bits) rep((c(0, 2, 2^bits - 1) + 0.5) / 2^bits, counts)

# The largest distance in rank of quantiles of rows, or people, of whom so many are in these cells, from 0: the first
# and the last one where `cells` is NULL.
rank_off <- function(found, counts, cells = NULL) {
  if (is.null(cells)) cells <- c(0, lattice_cells(found$lattice) - 1)
  step <- found$noise$step
  ranks <- target_ranks(found$probs, sum(counts) / step) * step
  below <- vapply(found$cell, function(cell) sum(counts[cells < cell]), 0)
  upto <- vapply(found$cell, function(cell) sum(counts[cells <= cell]), 0)
  max(0, ranks - upto, below - (ranks - step))
}
