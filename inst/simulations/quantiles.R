# How far private quantiles are off, in ranks and in the units of the data, and which mechanism finds them best at
# equal budget. Columns of 10^3 to 10^6 rows, smooth (normal), skewed (log-normal) and tied (Poisson), all in [0, 1],
# 1, 3, 9 and 19 quantiles, epsilon = 1 and rho = 0.05, lattices of 2^16 cells. Compared are
#
#   alone     each quantile by its own search: every step counts the rows below the middle of each cell that
#             is left, with noise for sensitivity 1 at each of them
#   search    the package's: the pieces between these middles are counted, with noise for sensitivity 2 in all
#   tree 1 .. tree 8   the package's: 2^1 .. 2^8 children a step
#   chosen    what private_quantile() takes, by public numbers: the search or the best tree
#   exponential  the exponential mechanism on ranks, each quantile with its share of the budget: a yardstick in
#             doubles, which releases no counts and gives no intervals; drawing it exactly would take a time that
#             depends on the rows
#
# The error in ranks of a cell is how far the rank that was aimed at is from those that the rows of the cell have; the
# error in units is the distance from type 1 of stats::quantile(). Root mean squares over the quantiles and 100
# releases. Then what intervals of level 0.95 cover, and how wide they are, and what a box of quantiles leaves out.
source("inst/simulations/common.R")
set.seed(10)
inside <- asNamespace("dptda")
bits <- 16
cells <- 2^bits
releases <- 100

columns <- list(
  smooth = function(n) pmin(pmax((rnorm(n) + 4) / 8, 0), 1),
  skewed = function(n) pmin(rlnorm(n) / 200, 1),
  tied = function(n) pmin((rpois(n, 6) + 0.5) / 40, 1)
)
measures <- list(c(epsilon = 1), c(rho = 0.05))

exact_counts <- function(x) {
  table <- inside$cell_table(list(inside$axis_cells(0, 1, cells)), 1)
  inside$count_rows(inside$check_rows(x), list(table))[[1]]
}

# All as draw_looks() does it: cells from 0.
draw_plan <- function(plan, measure, counts, n, ranks) {
  scale <- inside$plan_scale(plan, measure)
  noise <- inside$look_noise(scale, inside$measure_noise(measure), "R")
  inside$draw_looks(plan, counts, n, ranks, noise)$cell
}

draw_alone <- function(measure, counts, ranks) {
  total <- c(0, cumsum(counts$count))
  below <- function(cell) total[findInterval(cell, counts$cell) + 1]
  looks <- bits * length(ranks)
  scale <- inside$noise_scale(measure, l1 = looks, l2_squared = looks)
  cell <- 0 * ranks
  for (width in cells / 2^seq_len(bits)) {
    noisy <- inside$add_noise(below(cell + width), scale, inside$measure_noise(measure), "R")
    cell <- cell + ifelse(noisy >= ranks - 0.5, 0, width)
  }
  cell
}

# An exponential mechanism with epsilon is epsilon^2 / 8 zero-concentrated.
draw_exponential <- function(measure, below, ranks) {
  epsilon <- if (names(measure) == "epsilon") measure / length(ranks) else sqrt(8 * measure / length(ranks))
  vapply(ranks, function(rank) {
    utility <- -rank_error(below, seq_len(cells) - 1, rank)
    sample.int(cells, 1, prob = exp(epsilon / 2 * (utility - max(utility)))) - 1
  }, 0)
}

# `below`: the exact numbers of rows in the cells before each cell, and in all.
rank_error <- function(below, cell, rank) pmax(below[cell + 1] - (rank - 1), rank - below[cell + 2], 0)

compare <- function(column, n, measure, m) {
  x <- columns[[column]](n)
  counts <- exact_counts(x)
  below <- c(0, cumsum(inside$dense_counts(counts, cells)))
  probs <- seq_len(m) / (m + 1)
  ranks <- inside$target_ranks(probs, n)
  truth <- quantile(x, probs, type = 1, names = FALSE)
  kind <- inside$measure_noise(measure)
  plans <- c(search = list(inside$new_look_plan("search", rep(1, bits))),
             lapply(setNames(1:8, paste("tree", 1:8)), function(each) {
               inside$new_look_plan("tree", inside$split_bits(bits, each))
             }),
             chosen = list(inside$plan_looks(kind, bits, m)))
  mechanisms <- c(
    lapply(plans, function(plan) function() draw_plan(plan, measure, counts, n, ranks)),
    alone = function() draw_alone(measure, counts, ranks),
    if (n <= 1e5) list(exponential = function() draw_exponential(measure, below, ranks))
  )
  do.call(rbind, lapply(names(mechanisms), function(name) {
    cell <- vapply(seq_len(releases), function(i) mechanisms[[name]](), double(m))
    data.frame(column, n, measure = names(measure), value = measure[[1]], quantiles = m, mechanism = name,
               ranks = signif(sqrt(mean(rank_error(below, cell, ranks)^2)), 3),
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
    release <- do.call(private_quantile, c(list(x, probs, 0, 1, rng = "R"), as.list(measure)))
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
# (In one box of a hundred, false_alarm, an interval far out is kept that has no rows.)
boxes <- do.call(rbind, lapply(c(1e3, 1e4, 1e5), function(n) {
  x <- rlnorm(n, 10, 0.6)
  do.call(rbind, lapply(list(NULL, c(0, 0.99), c(0.01, 0.99), c(0.05, 0.95)), function(probs) {
    runs <- vapply(seq_len(releases), function(i) {
      # a thousand rows are fewer than suffice for a box of columns of any form
      box <- suppressWarnings(private_bounds(x, epsilon = 0.5, probs = probs, rng = "R"), classes = "dptda_warning_no_box")
      c(mean(x < box$lower | x > box$upper), box$upper - box$lower,
        private_mean(x, box, epsilon = 0.5, rng = "R")$value / mean(x) - 1)
    }, double(3))
    data.frame(n, probs = if (is.null(probs)) "powers of two" else paste(probs, collapse = " to "),
               outside = signif(mean(runs[1, ]), 3), width = signif(median(runs[2, ]), 3),
               mean_error = signif(median(abs(runs[3, ])), 3), worst_error = signif(max(abs(runs[3, ])), 3))
  }))
}))
write_table(boxes, "quantiles-boxes")
record_time("quantiles.R")
