#' A private box for data without public bounds
#'
#' Finds a box that holds most of the data, and pays for it. Counts each column
#' in intervals that double in length away from zero, with exact noise, and keeps
#' the span of the intervals whose noisy count is so high that noise alone would
#' hardly ever reach it.
#'
#' The best bounds are the ones that are known without the data, such as those
#' of an instrument or of a questionnaire; they cost nothing. Where there are
#' none, this is better than looking at the range of the data, which shows the
#' most extreme rows.
#'
#' An end of the box is plus or minus a power of two, so it is up to twice
#' as far out as the data. Intervals with fewer rows than the threshold (about
#' `2 * d / epsilon` times the logarithm of the number of intervals over
#' `false_alarm`) are likely left out, and their rows are then moved into the box by
#' whatever uses it.
#'
#' Where no interval of a column is kept there is no box, and what is returned says so: it
#' has been paid for and has a guarantee, but whatever takes a box refuses it, by an error that says how many rows,
#' what budget or how many columns it takes. Public numbers tell beforehand where that is likely, which is
#' where an eighth of the rows in one interval would not reach the threshold: there is a warning of
#' class `dptda_warning_no_box` then, *before* anything is paid, so that a handler of it may end the call.
#'
#' @param X A numeric matrix or data frame with one row per point and 1 to 50
#'   columns, or a vector; or a table of an engine ([table_rows()]).
#' @param exponents Two increasing whole numbers from -1000 to 1000, public: the
#'   smallest interval is from `-2^exponents[1]` to `2^exponents[1]`, and beyond
#'   `2^exponents[2]` in absolute value rows count in the outermost one.
#' @param probs `NULL`, or two increasing probabilities such as `c(0.05, 0.95)`: a quarter of
#'   the budget finds powers of two as above, without those beyond which fewer than half as
#'   many rows are as beyond the quantile; the rest finds the quantiles between them, as
#'   [private_quantile()] does with 16 bits, and these are the sides of the box that is
#'   released. They take more rows than powers of two alone: noise moves their ranks by about
#'   `50 * d / epsilon` rows or `4 * sqrt(d / rho)`, which should be less than the rows that
#'   are beyond the quantiles. A box of quantiles moves rows, which is what it is for where
#'   some are far out or a grid must be fine; a mean of skewed data may be nearer to that of
#'   the rows with the powers of two. Where an interval far out is kept that has no rows, which happens in at
#'   most a share `false_alarm` of releases, the quantiles are found on a lattice as wide as that, and the box may be far too
#'   large: `print()` shows both boxes. (It was seen among 100 boxes of 1,000 log-normal rows with `epsilon = 0.5`, and among 100 of 10^5 rows.)
#' @param false_alarm One number in (0, 1): an upper bound of the probability that
#'   any interval without rows is kept.
#' @inheritParams private_release
#'
#' @return A box as from [domain_box()], of class `c("dptda_private_box", "dptda_box")`; or, where
#'   there is a column of which no interval was kept, an object of class `dptda_no_box`, a list of
#'   `found` (which columns have sides), `lower` and `upper` (`NA` where not), which is no box: its
#'   use as one is an error of class `dptda_error_no_box`. Ask by `inherits(box, "dptda_no_box")`.
#'   [privacy()] gives its guarantee, which a changed box loses. What uses the box later
#'   is paid for on its own. With `probs` it has the further field `within`, the box of
#'   powers of two, and the guarantee has two steps. They are paid one after the other,
#'   once the budget reaches for both; a budget that is spent meanwhile, by another
#'   process, may refuse the second, and what was paid stays paid.
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public. All
#' counts of all columns together have sensitivity `2 * d` in the l1 distance and
#' `sqrt(2 * d)` in the l2 distance, where d is the number of columns. Guarantee:
#' `epsilon`-differential privacy or `rho`-zero-concentrated differential
#' privacy, exactly: the noise is drawn and added in integers, and its scale is
#' rounded up; threshold and box are computed from the noisy counts alone. The quantiles
#' are a second release, on a lattice that the first one has chosen: see [private_quantile()]. A
#' missing value is an error before anything is drawn; that message is for the
#' curator and not part of a release. Running time is not protected. What these
#' words promise: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' One pass over the rows for each column, two with `probs`, and `2 * diff(exponents) + 1`
#' draws per column. The proofs are in `system.file("proofs", "privacy-bounds.md", package
#' = "dptda")` and `privacy-quantile.md` beside it.
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
#' budget
#'
#' # nearer to the data: from the first to the last percentile
#' budget <- privacy_budget(epsilon = 2)
#' box <- private_bounds(income, epsilon = 1, probs = c(0.05, 0.95), budget = budget)
#' box
#' private_mean(income, box, epsilon = 1, budget = budget)
#' budget
#'
#' # too few rows for this epsilon: end before anything is paid
#' tryCatch(private_bounds(income[1:50], epsilon = 0.3),
#'          dptda_warning_no_box = function(cnd) message(conditionMessage(cnd)))
#' @export
private_bounds <- function(X, epsilon = NULL, rho = NULL, ..., columns = NULL, exponents = c(-32, 64),
                           false_alarm = 0.01, probs = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(X)) stop_missing("X")
  refuse_scaled(X)
  rows <- check_point_rows(X, columns, dimension = if (!is_table(X) && is.null(dim(X))) 1L, min_rows = 0)
  d <- length(rows$types)
  if (!d %in% seq_len(max_box_dimension)) {
    stop_argument("X", "must have 1 to ", max_box_dimension, " columns, not ", d, ".")
  }
  measure <- check_measure(epsilon, rho)
  exponents <- check_exponents(exponents)
  false_alarm <- check_number(false_alarm, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (!is.null(probs)) {
    if (length(check_probs(probs)) != 2 || probs[1] >= probs[2]) {
      stop_argument("probs", "must be two increasing numbers from 0 to 1, not ", describe(probs), ".")
    }
    if (rows$n < 1) stop_argument("X", "must have at least 1 row where `probs` are given.")
  }
  rng <- check_choice(rng, c("os", "R"))
  if (is.null(probs)) return(release_bounds(rows, measure, exponents, false_alarm, budget, rng))
  release_quantile_box(rows, measure, exponents, false_alarm, as.double(probs), budget, rng)
}

release_bounds <- function(rows, measure, exponents, false_alarm, budget, rng) {
  setup <- bounds_setup(rows, measure, exponents, false_alarm, rng)
  if (!is.null(budget)) check_budget(budget, setup$guarantee, "budget")
  warn_no_box(setup)
  new_private_box(draw_bounds(rows, setup, budget), setup$guarantee, setup)
}

# `share`: the part of the budget that finds the powers of two.
bounds_setup <- function(rows, measure, exponents, false_alarm, rng, share = 1) {
  setup <- list(n = rows$n, d = length(rows$types), measure = measure, share = share, exponents = exponents,
                false_alarm = false_alarm, rng = rng, edges = doubling_edges(exponents), kind = measure_noise(measure))
  setup <- c(setup, bounds_threshold(setup))
  setup$remedy <- box_remedy(setup) # what may be said after the payment is made before it
  d <- setup$d
  setup$guarantee <- new_guarantee(
    measure * share, sensitivity = if (setup$kind == "laplace") 2 * d else sqrt(2 * d),
    mechanism = paste("discrete", noise_names[[setup$kind]], "noise on histograms of magnitudes"),
    public = list(n = rows$n, exponents = exponents, false_alarm = false_alarm, threshold = setup$threshold, scale = setup$scale),
    sampler = "exact", random = rng, step = "private_bounds"
  )
  setup
}

# The scale of the noise, and the count from which on an interval is kept; of another budget or number of columns, where
# these are given.
bounds_threshold <- function(setup, measure = setup$measure, d = setup$d) {
  scale <- noise_scale(measure * setup$share, l1 = 2 * d, l2_squared = 2 * d)
  list(scale = scale, threshold = noise_bound(setup$kind, scale, setup$false_alarm / (d * (length(setup$edges) - 1))))
}

# ---- where there is no box ---------------------------------------------------------------

# Of rows of one sign within a few powers of two a quarter and more are in one interval, of normal rows about zero 15 percent.
# More is not known by public numbers. It is said before anything is paid.
box_share <- 1 / 8

warn_no_box <- function(setup) {
  if (!is_short(setup)) return(invisible())
  rows <- count_of(format_count(setup$threshold), "row")
  why <- if (!is.finite(setup$threshold)) "no interval is ever kept." else
    paste0("an interval is kept that has about ", rows, " or more, which is ",
           if (setup$threshold > setup$n) "more than there are: there will be no box, but by chance." else
             paste("more than an eighth of all: columns whose rows are spread over several powers of two, or to both sides",
                   "of zero, may have no box."))
  warn_dptda("no_box", "Of ", count_of(format_count(setup$n), "row"), " in ", count_of(setup$d, "column"), " with ",
             short_measure(setup$measure), " ", why, " ", setup$remedy, " Nothing has been paid yet.")
}

is_short <- function(setup) setup$threshold > box_share * setup$n

no_box_reason <- function(setup, found, columns) {
  lost <- if (is.null(columns)) which(!found) else paste0("`", columns[!found], "`")
  lost <- paste0("column", if (length(lost) > 1) "s", " ", paste(lost, collapse = ", "))
  paste0("private_bounds() kept no interval of ", if (setup$d == 1) "the data" else lost,
         ", since no noisy count reached ", format_count(setup$threshold), ". ", setup$remedy)
}

short_measure <- function(measure) paste(names(measure), "=", format(measure[[1]], digits = 4))

# What it takes, by public numbers: that an eighth of the rows reach the threshold; or half of it, where they do so already.
box_remedy <- function(setup) {
  if (!is.finite(setup$threshold)) return("With a `false_alarm` that is so small no count is enough.")
  short <- is_short(setup)
  rows <- if (short) ceiling(setup$threshold / box_share) else 2 * setup$n
  goal <- if (short) box_share * setup$n else setup$threshold / 2
  measure <- enough_measure(setup, goal)
  columns <- 0
  while (columns < setup$d - 1 && bounds_threshold(setup, d = columns + 1)$threshold <= goal) columns <- columns + 1
  paste0("It takes about ", format_count(signif_up(rows)), " rows",
         if (!is.null(measure)) paste0(", or ", short_measure(measure)),
         if (columns > 0) paste0(", or at most ", count_of(columns, "column"), " at a time"),
         "; or a public box made by domain_box(), which costs nothing.")
}

# The least budget, to two digits, for which the threshold is at most `goal`. None makes it less than one row.
enough_measure <- function(setup, goal) {
  if (goal < 1) return(NULL)
  enough <- function(factor) bounds_threshold(setup, setup$measure * factor)$threshold <= goal
  high <- 2
  while (!enough(high) && high < 2^60) high <- 2 * high
  low <- high / 2
  for (i in 1:8) {
    middle <- sqrt(low * high)
    if (enough(middle)) high <- middle else low <- middle
  }
  if (high < 2^60) signif_up(setup$measure * high)
}

signif_up <- function(x) {
  unit <- 10^(floor(log10(x)) - 1)
  ceiling(x / unit) * unit
}

# Two rows: the ends of the box; missing where no interval of a column was kept.
draw_bounds <- function(rows, setup, budget, shares = c(0, 1)) {
  d <- setup$d
  cells <- length(setup$edges) - 1
  noisy <- pay_and_draw(budget, setup$guarantee, magnitude_counts(rows, setup$edges), function(counts) {
    add_noise(counts, setup$scale, setup$kind, setup$rng)
  })
  span <- matrix(0, 2, d, dimnames = list(NULL, rows$columns))
  span[] <- kept_span(matrix(noisy, cells, d), setup$threshold, setup$edges, shares)
  span
}

# The powers of two first, with a quarter of the budget; then quantiles on a lattice between them, with the rest, all
# columns at once. A quarter is exact, and the rest and it add up to the whole.
release_quantile_box <- function(rows, measure, exponents, false_alarm, probs, budget, rng) {
  first <- bounds_setup(rows, measure, exponents, false_alarm, rng, share = 1 / 4)
  rest <- measure - measure / 4
  d <- length(rows$types)
  kind <- measure_noise(measure)
  ranks <- target_ranks(probs, rows$n)
  plan <- plan_looks(kind, quantile_box_bits, length(unique(ranks)))
  scale <- plan_scale(plan, rest, d)
  second <- new_guarantee(
    rest, sensitivity = looks_sensitivity(plan, kind, d), mechanism = looks_words(plan, kind),
    public = list(n = rows$n, probs = probs, bits = quantile_box_bits, scale = scale), sampler = "exact", random = rng,
    step = "private_quantile"
  )
  whole <- privacy_compose(first$guarantee, second)
  whole$public <- c(first$guarantee$public[c("n", "exponents", "false_alarm", "threshold")], probs = list(probs),
                    bits = quantile_box_bits, scales = list(c(first$scale, scale)))
  if (!is.null(budget)) check_budget(budget, whole, "budget")
  warn_no_box(first)
  # far out, half of the rows beyond a quantile may be left out before it is looked for
  within <- draw_bounds(rows, first, budget, shares = c(probs[1] / 2, (1 + probs[2]) / 2))
  # what is paid is the same for all rows: where no interval was kept the quantiles are looked for, and not told
  searched <- within
  searched[is.na(within)] <- rep(range(first$edges), d)[is.na(within)]
  lattices <- lapply(seq_len(d), function(j) new_lattice_line(searched[1, j], searched[2, j], quantile_box_bits))
  tables <- Map(line_cells, lattices, seq_len(d))
  found <- pay_and_draw(budget, second, count_rows(rows, tables), function(counts) {
    lapply(counts, function(one) draw_looks(plan, one, rows$n, ranks, look_noise(scale, kind, rng))$cell)
  })
  # from the beginning of the one cell to the end of the other: never without width
  span <- within
  span[] <- mapply(function(lattice, cell) line_point(lattice, cell + 0:1), lattices, found)
  span[is.na(within)] <- NA
  new_private_box(span, whole, first, within)
}

quantile_box_bits <- 16

check_exponents <- function(exponents, arg = deparse1(substitute(exponents))) {
  good <- is_plain_numeric(exponents) && length(exponents) == 2 && !anyNA(exponents) &&
    all(exponents == floor(exponents) & abs(exponents) <= 1000) && exponents[1] < exponents[2]
  if (!good) stop_argument(arg, "must be two increasing whole numbers from -1000 to 1000, not ", describe(exponents), ".")
  as.double(exponents)
}

# From -2^most over -2^least, 2^least to 2^most.
doubling_edges <- function(exponents) {
  powers <- 2^seq(exponents[1], exponents[2])
  c(-rev(powers), powers)
}

# The counts of the intervals between edges, column after column.
magnitude_counts <- function(rows, edges) {
  tables <- lapply(seq_along(rows$types), function(j) cell_table(list(axis_intervals(edges)), j))
  unlist(lapply(count_rows(rows, tables), dense_counts, length(edges) - 1))
}

# Two rows: the ends of the kept cells of each column; missing if none is. Of the noisy counts of the kept ones,
# those from the one share to the other.
kept_span <- function(noisy, threshold, edges, shares = c(0, 1)) {
  apply(noisy, 2, function(column) {
    kept <- which(column >= threshold)
    if (length(kept) == 0) return(c(NA_real_, NA_real_))
    below <- cumsum(column[kept])
    below <- below / below[length(kept)]
    c(edges[kept[which(below > shares[1])[1]]], edges[kept[which(below >= shares[2])[1]] + 1])
  })
}

# `within`: the ends of the box in which the quantiles were looked for, if they were. A box is none where a side is missing.
new_private_box <- function(span, guarantee, setup, within = NULL) {
  columns <- colnames(span)
  span <- unname(span)
  found <- !is.na(span[1, ])
  if (!all(found)) return(new_no_box(span, found, columns, guarantee, setup))
  box <- unclass(new_domain_box(span[1, ], span[2, ], columns))
  if (!is.null(within)) box$within <- new_domain_box(unname(within[1, ]), unname(within[2, ]), columns)
  attach_guarantee(structure(box, class = c("dptda_private_box", "dptda_box")), guarantee)
}

new_no_box <- function(span, found, columns, guarantee, setup) {
  fields <- list(lower = span[1, ], upper = span[2, ], found = found, reason = no_box_reason(setup, found, columns))
  if (!is.null(columns)) fields$columns <- columns
  attach_guarantee(structure(fields, class = "dptda_no_box"), guarantee)
}

#' @export
print.dptda_no_box <- function(x, ...) {
  check_whole(x, "dptda_no_box")
  cat("<no box> ", x$reason, "\n", sep = "")
  if (any(x$found)) {
    names <- if (is.null(x$columns)) paste("column", which(x$found)) else x$columns[x$found]
    cat("found alone: ", format_sides(x$lower[x$found], x$upper[x$found], names), "\n", sep = "")
  }
  guarantee <- privacy(x)
  if (!is.null(guarantee)) print(check_whole(guarantee, "dptda_guarantee", "x"))
  invisible(x)
}

#' @export
print.dptda_private_box <- function(x, ...) {
  check_whole(x, "dptda_box")
  NextMethod()
  guarantee <- privacy(x)
  # of a box that was changed nothing is known
  public <- if (!is.null(guarantee)) check_whole(guarantee, "dptda_guarantee", "x")$public
  largest <- if (!is.null(public)) 2^public$exponents[2]
  powers <- if (is.null(x$within)) x else check_whole(x$within, "dptda_box", "x")
  if (!is.null(x$within) && !is.null(public$probs)) {
    cat("from quantile ", paste(quantile_names(public$probs), collapse = " to "), ", looked for within ",
        format_box(powers), "\n", sep = "")
  }
  if (any(-powers$lower == largest | powers$upper == largest)) {
    cat("an outermost interval was kept, in which rows count that are beyond the exponents, however far\n")
  }
  if (!is.null(guarantee)) print(guarantee)
  invisible(x)
}
