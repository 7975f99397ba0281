# How far private quantiles are off, in ranks and in the units of the data, and which mechanism finds them best at
# equal budget. Columns of 10^3 to 10^6 rows, smooth (normal), skewed (log-normal) and tied (Poisson), all in [0, 1],
# 1, 3, 9 and 19 quantiles, epsilon = 1 and rho = 0.05, lattices of 2^16 cells. Compared are
#
#   alone     each quantile by its own search: every step counts the rows below the middle of each cell that
#             is left, with noise for sensitivity 1 at each of them
#   search    the pieces between these middles are counted, with noise for sensitivity 2 in all
#   tree 1 .. tree 8   2^1 .. 2^8 children a step are counted
#   counts    private_quantile(method = "counts"), which takes the search or the best tree by public numbers
#   exponential  private_quantile(method = "exponential"), each quantile with its share of the budget
#   halving   private_quantile(method = "halving"), of several quantiles
#   chosen    private_quantile() itself, which takes one of these three by public numbers
#
# The error in ranks of a cell is how far the rank that was aimed at is from those that the rows of the cell have; the
# error in units is the distance from type 1 of stats::quantile(). Root mean squares over the quantiles and 100
# releases; the mean, too, of the distance in rank. Then what intervals of level 0.95 cover, and how wide they are,
# what a box of quantiles leaves out, and medians by both methods.
source("inst/simulations/common.R")
set.seed(10)
bits <- 16
cells <- 2^bits
releases <- sized(100)

columns <- list(
  smooth = function(n) pmin(pmax((rnorm(n) + 4) / 8, 0), 1),
  skewed = function(n) pmin(rlnorm(n) / 200, 1),
  tied = function(n) pmin((rpois(n, 6) + 0.5) / 40, 1)
)
measures <- list(c(epsilon = 1), c(rho = 0.05))

# Numbers of rows plus discrete noise, for queries that move by so much together when one row is replaced.
noisy_counts <- function(measure, l1, l2_squared) {
  if (names(measure) == "epsilon") return(function(exact, part = 1) {
    exact + rdiscrete_laplace(length(exact), part * l1 / measure[[1]], rng = "R")
  })
  sd <- sqrt(l2_squared / 2 / measure[[1]])
  function(exact, part = 1) exact + rdiscrete_gaussian(length(exact), part * sd, rng = "R")
}

# `below(cell)`: the exact number of rows before a cell. All of these give cells from 0.
draw_alone <- function(measure, below, n, ranks) {
  queries <- bits * length(ranks)
  noisy <- noisy_counts(measure, queries, queries)
  cell <- 0 * ranks
  for (width in cells / 2^seq_len(bits)) cell <- cell + ifelse(noisy(below(cell + width)) >= ranks - 0.5, 0, width)
  cell
}

# What the pieces have more or less than the known whole is taken from all of them alike.
sum_pieces <- function(pieces, from, to) {
  inner <- seq_len(length(pieces) - 1)
  from + cumsum(pieces)[inner] - inner / length(pieces) * (sum(pieces) - (to - from))
}

draw_search <- function(measure, below, n, ranks) {
  noisy <- noisy_counts(measure, 2 * bits, 2 * bits)
  cell <- 0 * ranks
  for (width in cells / 2^seq_len(bits)) {
    middle <- cell + width
    cut <- sort(unique(middle))
    # one number of rows below a place moves by 1, where two pieces move by 2
    half <- length(cut) == 1 && names(measure) == "epsilon"
    count <- if (half) noisy(below(cut), 1 / 2) else sum_pieces(noisy(diff(c(0, below(cut), n))), 0, n)
    cell <- ifelse(count[match(middle, cut)] >= ranks - 0.5, cell, middle)
  }
  cell
}

# Of as few steps of at most `each` bits as there can be. Of two children the difference says all: in one step it may
# move by 2.
draw_tree <- function(measure, below, n, ranks, each) {
  steps <- ceiling(bits / each)
  split <- diff(floor(seq(0, steps) * bits / steps))
  noisy <- noisy_counts(measure, 2 * steps, 2 * steps + if (any(split == 1)) 2 else 0)
  width <- cells
  cell <- from <- 0 * ranks
  to <- from + n
  for (pieces in 2^split) {
    width <- width / pieces
    first <- which(!duplicated(cell)) # all cells that are visited, once
    exact <- apply(matrix(below(outer(seq(0, pieces) * width, cell[first], "+")), pieces + 1), 2, diff)
    drawn <- matrix(noisy(if (pieces == 2) exact[1, ] - exact[2, ] else as.vector(exact)), ncol = length(first))
    at <- match(cell, cell[first])
    counts <- vapply(seq_along(first), function(i) {
      ends <- c(from[first[i]], to[first[i]])
      c(ends[1], if (pieces == 2) (sum(ends) + drawn[, i]) / 2 else sum_pieces(drawn[, i], ends[1], ends[2]), ends[2])
    }, double(pieces + 1))
    # as many children back as their ends do not reach the rank
    child <- colSums(counts[seq(2, pieces), at, drop = FALSE] < rep(ranks - 0.5, each = pieces - 1))
    cell <- cell + child * width
    from <- counts[cbind(child + 1, at)]
    to <- counts[cbind(child + 2, at)]
  }
  cell
}

# `below`: the exact numbers of rows in the cells before each cell, and in all.
rank_error <- function(below, cell, rank) pmax(below[cell + 1] - (rank - 1), rank - below[cell + 2], 0)

compare <- function(column, n, measure, m) {
  x <- columns[[column]](n)
  total <- c(0, cumsum(tabulate(pmin(floor(x * cells), cells - 1) + 1, cells)))
  below <- function(cell) total[cell + 1]
  probs <- seq_len(m) / (m + 1)
  ranks <- ceiling(n * probs * (1 - 4 * .Machine$double.eps)) # n * probs may be a whole number, but for a rounding
  truth <- quantile(x, probs, type = 1, names = FALSE)
  by <- function(method) function() {
    settings <- c(list(unseen(n), c(0, 1), probs, bits = bits, method = method), as.list(measure))
    vapply(simulate(do.call(private_quantile, settings), releases, x = x), function(release) release$cell, double(m))
  }
  each <- function(draw, ...) function() {
    vapply(seq_len(releases), function(i) draw(measure, below, n, ranks, ...), double(m))
  }
  mechanisms <- c(
    list(search = each(draw_search)), lapply(setNames(1:8, paste("tree", 1:8)), function(bits) each(draw_tree, bits)),
    list(counts = by("counts"), exponential = by("exponential"), halving = by("halving"), chosen = by(NULL),
         alone = each(draw_alone))
  )
  do.call(rbind, lapply(names(mechanisms), function(name) {
    cell <- mechanisms[[name]]()
    data.frame(column, n, measure = names(measure), value = measure[[1]], quantiles = m, mechanism = name,
               ranks = signif(sqrt(mean(rank_error(total, cell, ranks)^2)), 3),
             mean = signif(mean(rank_error(total, cell, ranks)), 3),
               units = signif(sqrt(mean(((cell + 0.5) / cells - truth)^2)), 3))
  }))
}

settings <- expand.grid(column = names(columns), n = 10^(3:6), measure = 1:2, m = c(1, 3, 9, 19),
                        stringsAsFactors = FALSE)
results <- do.call(rbind, Map(function(column, n, measure, m) compare(column, n, measures[[measure]], m),
                              settings$column, settings$n, settings$measure, settings$m))
row.names(results) <- NULL
write_table(results, "quantiles")

set.seed(11)

# Intervals of level 0.95 for all quantiles together: how often they hold them all, how wide they are.
cover <- function(column, n, measure, m) {
  x <- columns[[column]](n)
  probs <- seq_len(m) / (m + 1)
  truth <- quantile(x, probs, type = 1, names = FALSE)
  runs <- lapply(seq_len(releases), function(i) {
    release <- do.call(private_quantile, c(list(x, c(0, 1), probs, rng = "R", method = "counts"), as.list(measure)))
    ends <- confint(release)
    c(all(ends[, 1] <= truth & truth <= ends[, 2]), mean(ends[, 2] - ends[, 1]))
  })
  data.frame(column, n, measure = names(measure), value = measure[[1]], quantiles = m,
             covered = mean(vapply(runs, `[`, 0, 1)), width = signif(mean(vapply(runs, `[`, 0, 2)), 3))
}
settings <- expand.grid(column = names(columns), n = c(1e3, 1e5), measure = 1:2, m = c(1, 3, 9, 19),
                        stringsAsFactors = FALSE)
intervals <- do.call(rbind, Map(function(column, n, measure, m) cover(column, n, measures[[measure]], m),
                                settings$column, settings$n, settings$measure, settings$m))
row.names(intervals) <- NULL
write_table(intervals, "quantiles-intervals")

set.seed(12)

# Boxes for log-normal incomes without public bounds, from powers of two and from quantiles with half of epsilon = 1:
# the mean share of rows outside, the median width, and the median error of the mean with the other half, relative to
# that mean.
# (In one box of a hundred, `failure`, an interval far out is kept that has no rows.)
boxes <- do.call(rbind, lapply(c(1e3, 1e4, 1e5), function(n) {
  x <- rlnorm(n, 10, 0.6)
  do.call(rbind, lapply(list(NULL, c(0, 0.99), c(0.01, 0.99), c(0.05, 0.95)), function(probs) {
    runs <- vapply(seq_len(releases), function(i) {
      # a thousand rows are fewer than suffice for a box of columns of any form
      box <- suppressWarnings(private_bounds(x, epsilon = 0.5, probs = probs, rng = "R"),
                              classes = "dptda_warning_no_box")
      c(mean(x < box$lower | x > box$upper), box$upper - box$lower,
        private_mean(x, box, epsilon = 0.5, rng = "R")$value / mean(x) - 1)
    }, double(3))
    data.frame(n, probs = if (is.null(probs)) "powers of two" else paste(probs, collapse = " to "),
               outside = signif(mean(runs[1, ]), 3), width = signif(median(runs[2, ]), 3),
               mean_error = signif(median(abs(runs[3, ])), 3), worst_error = signif(max(abs(runs[3, ])), 3))
  }))
}))
write_table(boxes, "quantiles-boxes")

set.seed(13)

# Medians of log-normal incomes in [0, 2e5], epsilon = 1: the mean distance in rank and its quantile of level .95, by
# the exponential mechanism and from counts.
medians <- do.call(rbind, lapply(c(100, 500, 1000, 5000), function(n) {
  do.call(rbind, lapply(c("exponential", "counts"), function(method) {
    mechanism <- private_quantile(unseen(n), c(0, 2e5), 0.5, epsilon = 1, method = method)
    far <- unlist(lapply(1:20, function(i) {
      x <- rlnorm(n, 10, 0.6)
      below <- c(0, cumsum(tabulate(pmin(floor(x / 2e5 * cells), cells - 1) + 1, cells)))
      vapply(simulate(mechanism, 100, x = x), function(one) rank_error(below, one$cell, ceiling(n / 2)), 0)
    }))
    data.frame(n, method, mean = signif(mean(far), 3), most = quantile(far, 0.95, names = FALSE))
  }))
}))
write_table(medians, "quantiles-medians")
record_time("quantiles.R")
