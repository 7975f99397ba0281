# Several quantiles by halving: first the middle one, then lower ones in the rows below it, higher ones in those above
# (src/core/number-quantile-halving.c; inst/proofs/number-quantile.md). After Kaplan, Schnapp and Stemmer (2022).

max_halving_rows <- 2^25

# Returns one row for each rank, in the order of the search: its position, the positions on both sides, fraction, unit,
# and the epsilon of weights by units. `share`: the epsilon of a level, at which a row may affect two parts. Then the
# level, and how far a row moves distances, in rows. The target is the middle of a row, so that even the first and the
# last row have two sides. `grouped`: whether a row may move from one line to another (number-quantile-by.R).
halving_splits <- function(ranks, n, share, grouped = FALSE) {
  count <- length(ranks)
  at <- c(0, (ranks - 0.5) / n, 1)
  # in the order of discovery: each part that contains a rank has one split
  parts <- vector("list", count)
  parts[[1]] <- c(0, count + 1, 1)
  known <- 1
  splits <- matrix(0, count, 9)
  for (i in seq_len(count)) {
    part <- parts[[i]]
    middle <- (part[1] + part[2]) %/% 2
    for (half in list(c(part[1], middle), c(middle, part[2]))) {
      if (half[2] - half[1] < 2) next
      known <- known + 1
      parts[[known]] <- c(half, part[3] + 1)
    }
    width <- at[part[2] + 1] - at[part[1] + 1]
    fraction <- halving_fraction((at[middle + 1] - at[part[1] + 1]) / width)
    # the whole line is one part, and no row enters from another: it moves within, or leaves, which changes less
    moves <- if (i == 1 && !grouped) fraction[3] / 2 else split_sensitivity(fraction)
    # the division may round up
    splits[i, ] <- c(middle, part[1:2], fraction, share / (2 * moves) * (1 - 2^-50), part[3], moves / fraction[3])
  }
  splits
}

halving_levels <- function(ranks) floor(log2(length(ranks))) + 1

# Returns whether all tables fit in memory. The smallest epsilon needs the longest one.
has_split_weights <- function(splits, n) length(rank_weights(min(splits[, 7]), n * max(splits[, 6]))) > 0

quantile_plan.quantile_halving <- function(method, units, cost, ranks, bits, cells) {
  refuse_people(units, "halving")
  if (units$n > max_halving_rows) {
    stop_argument("method", "must not be \"halving\" for more than 2^25 rows; there are ", format_count(units$n), ".")
  }
  levels <- halving_levels(ranks)
  share <- rank_share(cost, levels)
  splits <- halving_splits(ranks, units$n, share, is_grouped(units))
  if (!has_split_weights(splits, units$n)) refuse_small_share(cost, units)
  list(sensitivity = 2 * max(splits[, 9]), times = levels, weight = 1, splits = splits, public = list(cells = cells),
       words = paste0("exponential mechanism on ranks, halving in ", count_of(levels, "level")),
       noise = new_noise("exponential", max(2 / (splits[, 7] * splits[, 6]))))
}

quantile_draw.quantile_halving <- function(method, plan, statistic, rng) {
  cell <- draw_splits(plan, statistic, rng)
  c(list(cell = cell[match(plan$ranks, sort(unique(plan$ranks)))], splits = plan$splits),
    if (isFALSE(plan$complete)) list(complete = FALSE))
}

draw_splits <- function(plan, statistic, rng) {
  cells <- lattice_cells(plan$lattice)
  .Call(ffi_number_draw_splits, as.double(statistic$cell), as.double(statistic$count), cells,
        plan$splits[, 1:7, drop = FALSE], row_digits(cells), kernel_options(rng))
}

# Returns the number of random digits of each row. Positions are at most 2^40, so all distant ones have little weight.
row_digits <- function(cells) as.integer(min(24, 40 - ceiling(log2(cells))))

quantile_noise.quantile_halving <- function(method, plan) {
  rank_lines(plan, halving_bound(plan$splits, lattice_cells(plan$lattice), plan$n, 0.95))
}

# Returns how far quantiles are from their ranks at most, in rows, with probability `level`. Splits are bounded as in
# rank_bound(), relative to all positions within `near` rows of the target: at least near_places(), if the part has more
# rows than that. Adds one row for rounding, and rows that may have equal digits. `groups`: how many lines are split.
halving_bound <- function(splits, cells, n, level, groups = 1) {
  chance <- (1 - level) / (2 * nrow(splits) * groups + 1)
  digits <- row_digits(cells)
  near <- 0:min(64, n - 1)
  places <- near_places(near, n, digits, chance)
  # splits of equal unit and epsilon share a table
  kinds <- unique(splits[, 6:7, drop = FALSE])
  within <- vapply(seq_len(nrow(kinds)), function(i) {
    unit <- kinds[i, 1]
    weights <- rank_weights(kinds[i, 2], n * unit)
    mass <- places * weights[pmin(near * unit + 1, length(weights))]
    best <- which.max(mass)
    beyond <- which(cells * 2^digits * weights / mass[best] <= chance)
    if (length(beyond)) max((beyond[1] - 1) / unit, near[best]) else Inf
  }, 0)
  kind <- match(paste(splits[, 6], splits[, 7]), paste(kinds[, 1], kinds[, 2]))
  # up to 1,500 of them for max_halving_rows rows in 2^24 cells
  equal <- seq_len(4096)
  together <- equal[equal * log(n) - lgamma(equal + 1) - (equal - 1) * digits * log(2) <= log(chance)][1]
  min(ceiling(max(split_errors(splits, within[kind] + together + 1))), n)
}

# Returns the smallest number of positions, at least one, from a row to the one `near` rows further, for any rows. The
# random digits leave fewer with probability at most `chance`.
near_places <- function(near, n, digits, chance) {
  ifelse(near == 0, 1, pmax(1, 2^digits * exp((log(chance) + lgamma(near + 1) - (near + 1) * log(n)) / near)))
}

# Adds to the error of each split the errors of the positions on both sides, weighted by the fraction at which it lies
# between them. `errors`: the error of each split alone.
split_errors <- function(splits, errors) {
  error <- numeric(nrow(splits) + 2)
  for (i in seq_len(nrow(splits))) {
    share <- splits[i, 4] / splits[i, 5]
    error[splits[i, 1] + 1] <- errors[i] + (1 - share) * error[splits[i, 2] + 1] + share * error[splits[i, 3] + 1]
  }
  error
}

# Predicts the mean error from measurements (inst/simulations/quantiles.R): as for one rank, with the epsilon of the
# levels, and more with many levels, because the positions around a part add their errors.
halving_rank_error <- function(cost, units, ranks) {
  if (length(ranks) < 2 || units$most > 0 || units$n > max_halving_rows) return(NA)
  share <- rank_share(cost, halving_levels(ranks))
  splits <- halving_splits(ranks, units$n, share, is_grouped(units))
  if (!has_split_weights(splits, units$n)) return(NA)
  # as measured: with a first share other than 1/2, parts are uneven, which costs what its weights save
  splits[1, 9] <- split_sensitivity(splits[1, 4:6]) / splits[1, 6]
  moves <- vapply(split(2 * splits[, 9], splits[, 8]), max, 0)
  2.6 * (0.7 + 0.075 * length(moves)) * mean(moves) / share
}
