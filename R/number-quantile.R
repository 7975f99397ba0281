#' Private median and quantiles
#'
#' Releases the median, or other quantiles, of numbers in a public interval under differential privacy, from noisy
#' counts of the rows below points of a public lattice. The counts on the way are part of the release: `confint()`
#' derives from them where the quantiles are, and `plot()` draws them.
#'
#' The interval `box` is divided into `2^bits` cells of one width;
#' rows outside count in the first or last one. The quantile of
#' probability p is the first cell at whose end at least `p * n` of the n rows, and at
#' least one, have been counted; its middle is released. So what is aimed at is
#' type 1 of [stats::quantile()], an element of the data, of rows moved into the
#' interval, up to half the width of a cell. Where many rows are equal
#' the cell is found nearly always; where there are hardly any rows the value may be
#' far off, though the *rank* is not: noise moves ranks. In particular the
#' least and the largest row (`probs` 0 and 1) are what privacy hides, and what comes
#' out for them may be anything between the bulk of the rows and the bound.
#'
#' Of people with many rows each ([table_rows()]) ranks and counts are in people: each counts one, in equal parts at the
#' own rows, and half of all that lies below the median. Each person must have a row.
#'
#' A few quantiles are found by a search that halves the cells which hold them in
#' each of `bits` steps, all of them together; many by a tree that goes from counts to
#' their parts, and has one noise for all quantiles. Public numbers decide which
#' (`x$plan`). At `bits = 16`: up to five quantiles are searched for with `epsilon`, up to
#' fourteen with `rho`.
#'
#' @param x A vector of numbers, logical values (0 and 1), dates, times or durations with one element per row; or a
#'   table, of which `columns` names such a column ([table_rows()]). At least one row. Rows outside the interval are
#'   moved into it, silently.
#' @param box Two finite numbers `c(lower, upper)`, public, or a [domain_box()] of one side, as [private_bounds()]
#'   releases: the interval. Where `x` are dates, times or durations it is of these, and so are the quantiles.
#' @param probs A numeric vector of at least one probability, from 0 to 1, in any
#'   order; some may be equal.
#' @param bits One whole number from 1 to 24: there are `2^bits` cells. A step of the
#'   search that is not needed makes all others worse.
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]);
#'   else must be empty: what follows is given by name.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_quantile`, a [private_value]: `value` are the
#'   quantiles, named as [stats::quantile()] names them, in the order of `probs`; they
#'   increase with `probs`. Further fields are `probs`, `cell` (the cells that were found,
#'   counted from 0), `lattice`, `plan` (`method`, `"search"` or `"tree"`, and `split`,
#'   the bits of each step) and `counts`, a data frame of all that was looked at: `step`,
#'   `cell`, `at`, a point between two cells, and `count`, the noisy number of rows, or people, below
#'   it. `noise` is that of the counts: it is in rows or people, not in the units of the data.
#'
#'   `confint()`: with probability `level` all quantiles, as defined above, are in their
#'   intervals together; what is not known is the noise, not the rows. `as.data.frame()`:
#'   one row for each quantile with `name`, `probability`, `value` and the ends `lower`
#'   and `upper` of its interval of level 0.95. `plot()` draws the noisy share of rows
#'   below each point that was looked at, the band in which all of them are with
#'   probability `level`, and the quantiles with their intervals; it returns its argument
#'   invisibly.
#'
#'   `mechanism_quantile()`: the same for `n` rows, or people ([table_people()]), that nobody has seen, for
#'   [privacy_price()].
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Relation: replace one, their number is public. Sensitivity: 2
#' in the l1 distance for the counts of one step, so 2 times the number of steps; in the
#' squared l2 distance the same, or 2 more for a tree that halves. Guarantee:
#' `epsilon`-differential privacy or `rho`-zero-concentrated differential privacy,
#' exactly: where a step looks depends on the noisy counts of the steps before and on
#' nothing else, the noise is drawn and added in integers, and its scale is rounded up. A
#' missing value is an error before anything is drawn; that message is for the curator and
#' not part of a release. Running time is not protected. What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' The rows are counted once, in the cells of the lattice; the rest works on these exact
#' counts, at most `2 * bits` draws for each quantile in a search and 4 `bits` in a tree
#' of sixteen children. A count is off by about `22 / epsilon` rows in the search for one
#' quantile, at `bits = 16`, or by `2.8 / sqrt(rho)` (standard deviations). The proof is
#' in `system.file("proofs", "number-quantile.md", package = "dptda")`; what was compared
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
#' Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate
#' quantiles. *ICML*.
#' @seealso [private_histogram()] where the cells are few and all of interest.
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' median <- private_quantile(income, c(0, 2e5), 0.5, epsilon = 1)
#' median
#' deciles <- private_quantile(income, c(0, 2e5), 1:9 / 10, rho = 0.1)
#' confint(deciles)
#' plot(deciles)
#'
#' # a date, between public dates
#' joined <- as.Date("2015-01-01") + stats::rpois(1000, 1500)
#' private_quantile(joined, as.Date(c("2010-01-01", "2025-01-01")), 0.5,
#'                  epsilon = 1)
#'
#' # five trees, each measured seven times: half of the trees, not of the rows
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' private_quantile(growth, c(0, 250), 0.5, epsilon = 50, bits = 8)
#' @export
private_quantile <- function(x, box, probs, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL, bits = 16,
                             budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  rows <- check_one_column(check_rows(x, columns, "x"))
  if (missing(box)) check_type(rows$types, "number", column_arg(rows)) else rows <- box_rows(rows, box)
  if (rows$n < 1) stop_argument("x", "must have at least 1 row.")
  mechanism <- mechanism_quantile(public_units(rows), box, probs, epsilon, rho, delta = delta, bits = bits)
  draw_release(mechanism, rows, budget, check_choice(rng, c("os", "R")))
}

#' @rdname private_quantile
#' @export
mechanism_quantile <- function(n, box, probs, epsilon = NULL, rho = NULL, ..., delta = NULL, bits = 16) {
  check_no_dots(...)
  of <- check_public_units(n, exact = TRUE)
  # as quantile() has it
  if (!missing(box) && !missing(probs) && is_pair(probs) && is_plain_numeric(box) && length(box) == 1) {
    stop_argument("box", "comes before `probs`, as in private_quantile(x, c(lower, upper), 0.5): it must be a pair ",
                  "c(lower, upper), not ", describe(box), ".")
  }
  box <- check_box(box)
  side <- one_side(box, "box")
  probs <- check_probs(probs)
  bits <- check_count(bits, 1, 24)
  lattice <- new_lattice_line(side[1], side[2], bits)
  cost <- check_cost(epsilon, rho, delta)
  kind <- measure_noise(cost$spent)
  queries <- plan_queries(kind, lattice$bits, length(unique(target_ranks(probs, of$n))))
  planned <- plan_query_noise(of, cost, queries)
  noise <- planned$noise
  guarantee <- new_guarantee(
    cost$measure, sensitivity = queries_sensitivity(queries, kind), mechanism = queries_text(queries, kind),
    public = c(list(n = of$n, probs = probs, lower = lattice$lower, upper = lattice$upper, bits = lattice$bits,
                    scale = noise$scale * noise$step),
               weight_words(of, planned$weight)),
    sampler = "exact", step = "private_quantile", spent = cost$spent, person = of$person
  )
  # ranks are among all that the rows weigh
  plan <- public_plan("private_quantile", n = of$n, probs = probs, ranks = target_ranks(probs, of$n * planned$weight),
                      lattice = lattice, queries = queries, noise = noise, weight = planned$weight,
                      units = units_noun(of$person))
  plan$classes <- box$classes
  new_mechanism(plan, guarantee)
}

rows_for.private_quantile <- function(plan, x) class_rows(check_one_column(check_rows(x, NULL, "x")), plan$classes)

# Of a box that has not been looked at yet: what is wrong with it is told first where it is of numbers.
box_rows <- function(rows, box) {
  classes <- if (inherits(box, "dptda_box")) check_box(box)$classes else known_classes_of(c(value_class(box),
    "number")[1])
  class_rows(rows, if (length(classes) <= 1) classes)
}

statistic_of.private_quantile <- function(plan, rows) {
  count_rows(weigh_rows(rows, plan$weight), list(line_cells(plan$lattice, 1)))[[1]]
}

draw_of.private_quantile <- function(plan, seen, rng) {
  draw_queries(plan$queries, seen, plan$n * plan$weight, plan$ranks,
               query_noise(plan$noise$scale, plan$noise$kind, rng))
}

noise_of.private_quantile <- function(plan) noise_table(below_words(plan$units), plan$noise)

below_words <- function(units) paste("each count of", units, "below a place")

result_of.private_quantile <- function(plan, drawn) {
  lattice <- plan$lattice
  queries <- drawn$queries
  counts <- data.frame(step = queries$step, cell = queries$cell, at = line_point(lattice, queries$cell),
                       count = queries$count * plan$noise$step)
  value <- structure(line_middle(lattice, drawn$cell), names = quantile_names(plan$probs))
  new_private_value(value, plan$noise, probs = plan$probs, cell = drawn$cell, lattice = lattice,
                    plan = plan$queries[c("method", "split")], counts = counts,
                    classes = if (!is.null(plan$classes)) rep(plan$classes, length(value)),
                    class = "dptda_private_quantile")
}

define_class(
  "dptda_private_quantile", "private_quantile()", .of = is_made("dptda_private_value"), .kind = "own",
  .valid = function(x) {
    lattice <- x$lattice
    length(x) == length(x$probs) && length(names(x)) == length(x) && is_numbers(x$probs) && is_numbers(x$cell) &&
      length(x$cell) == length(x$probs) &&
      all(vapply(lattice[c("lower", "upper", "bits")], is_one_number, NA)) &&
      x$plan$method %in% c("search", "tree") && sum(x$plan$split) == lattice$bits && is_one_number(x$noise$scale) &&
      is_one_number(x$noise$step) && is.data.frame(x$counts) &&
      all(vapply(x$counts[c("step", "cell", "at", "count")], is_numbers, NA)) &&
      nrow(x$counts) > 0 && all(x$counts$step %in% seq_along(x$plan$split))
  }
)

check_probs <- function(probs, arg = deparse1(substitute(probs))) {
  force(arg)
  if (missing(probs)) stop_missing(arg)
  good <- is_plain_numeric(probs) && is.null(dim(probs)) && length(probs) > 0 && !anyNA(probs) &&
    all(probs >= 0 & probs <= 1)
  if (!good) stop_argument(arg, "must be one or more numbers from 0 to 1, not ", describe(probs), ".")
  as.double(probs)
}

# Type 1 of stats::quantile(), with its leave for roundings of n p.
target_ranks <- function(probs, n) {
  place <- n * probs
  pmin(pmax(ceiling(place - 4 * .Machine$double.eps * place), 1), n)
}

quantile_names <- function(probs) paste0(formatC(100 * probs, format = "fg", width = 1, digits = 7), "%")

# Noise of one scale for all queries, in `columns` at once.
plan_query_noise <- function(of, cost, queries, columns = 1) {
  plan_unit_noise(of, cost, columns * queries$l1, columns * queries$l2_squared)
}

queries_sensitivity <- function(plan, kind, columns = 1) {
  if (kind == "laplace") columns * plan$l1 else sqrt(columns * plan$l2_squared)
}

queries_text <- function(plan, kind) {
  paste0("discrete ", noise_names[[kind]], " noise on counts of a ", plan$method, " in ",
         count_of(length(plan$split), "step"))
}

# ---- the lattice ---------------------------------------------------------------

new_lattice_line <- function(lower, upper, bits) {
  if (!is.finite(2^bits / (upper - lower))) {
    stop_argument("box", "must be so wide that there is room for 2^", bits, " cells.")
  }
  list(lower = lower, upper = upper, bits = bits)
}

line_cells <- function(lattice, column) {
  cell_table(list(axis_cells(lattice$lower, lattice$upper, 2^lattice$bits)), column)
}

# Where cells begin, counted from 0: what was released, in the units of the data and never outside the interval.
line_point <- function(lattice, cell) {
  at <- lattice$lower + (lattice$upper - lattice$lower) * (cell / 2^lattice$bits)
  ifelse(cell == 2^lattice$bits, lattice$upper, pmin(pmax(at, lattice$lower), lattice$upper))
}

line_middle <- function(lattice, cell) line_point(lattice, cell + 0.5)

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
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  cells <- interval_cells(object, guarantee$public$n, level)
  ends <- cbind(line_point(object$lattice, cells$first), line_point(object$lattice, cells$last + 1))
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
  first <- vapply(ranks, function(rank) max(0, queries$cell[queries$count + width < rank]), 0)
  last <- vapply(ranks, function(rank) min(2^x$lattice$bits, queries$cell[queries$count - width >= rank]), 0) - 1
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
  ends <- confint(x, level = level)
  frame[c("lower", "upper")] <- list(unname(ends[, 1]), unname(ends[, 2]))
  frame
}

#' @export
print.dptda_private_quantile <- function(x, level = 0.95, ...) {
  if (is.null(privacy(x))) return(NextMethod())
  check_valid(x, "dptda_private_quantile")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  print_release(x, {
    frame <- quantile_frame(x, level)
    shown <- utils::head(frame, 20)
    cell <- (x$lattice$upper - x$lattice$lower) / 2^x$lattice$bits
    class <- attr(x, "classes", exact = TRUE)[1]
    beside <- function(values) vapply(as.double(values), format_classed, "", cell, class, USE.NAMES = FALSE)
    interval <- paste(beside(shown$lower), "to", beside(shown$upper))
    shown <- data.frame(name = shown$name, value = beside(shown$value), interval = interval)
    names(shown)[3] <- paste0("interval (", format_percent(level), ", all together)")
    print(shown, row.names = FALSE)
    if (nrow(frame) > nrow(shown)) cat("... and", nrow(frame) - nrow(shown), "more\n")
    n <- count_units(privacy(x)$public$n, privacy(x)$person)
    cat("noise in ranks: counts of ", units_noun(privacy(x)$person), " below ", count_of(nrow(x$counts), "point"),
        ", each within +-",
        format(max(counts_half_width(x, level)), digits = 3), " of ", n, " (", format_percent(level),
        ", all together)\n", sep = "")
  })
}

# The cell, and the counts of the first two steps, which all releases look at.
example_of.private_quantile <- function(plan) {
  queries <- function(note, probs, x = rep(0:1, c(5, 4)), neighbor = rep(0:1, c(4, 5))) {
    settings <- list(box = c(0, 1), probs = probs, epsilon = 4, bits = 6)
    release_example("quantile", note, x, neighbor, settings, part = function(found) {
      c(found$value, found$counts$count[found$counts$step == 1])
    })
  }
  # who has two rows goes, and who has three comes
  people <- people_example(data.frame(x = c(0, 0, 1, 0), who = c(1, 2, 3, 1)))
  neighbor <- people_example(data.frame(x = c(1, 0, 1, 1, 1), who = c(1, 2, 3, 1, 1)))
  list(queries("search", 0.5), queries("tree", 1:9 / 10), queries("people", 0.5, people, neighbor))
}
