# Several quantiles by halving: the middle one, then those below it among the rows below it and the others among those
# above (src/core/number-quantile-halving.c; inst/proofs/number-quantile.md). After Kaplan, Schnapp and Stemmer (2022).

max_halving_rows <- 2^25

# The share of a part is taken as a fraction with a denominator of at most `halving_units`, in whose units distances are
# whole, where it is one, and else to nine digits, in units of 1 / halving_units. Units are even parts of a row.
halving_units <- 32

halving_fraction <- function(share) {
  denominators <- 2:halving_units
  numerators <- round(share * denominators)
  good <- which(abs(numerators / denominators - share) < 1e-9 & numerators > 0 & numerators < denominators)
  if (length(good)) {
    q <- denominators[good[1]]
    return(c(numerators[good[1]], q, if (q %% 2) 2 * q else q))
  }
  c(min(max(round(share * 2^30), 1), 2^30 - 1), 2^30, halving_units)
}

# By how many units all distances of a part move where a row comes or goes.
split_sensitivity <- function(fraction) {
  moves <- fraction[3] * fraction[1]
  max(-(-moves %/% fraction[2]), fraction[3] - moves %/% fraction[2])
}

# One row for each of the ranks, in the order in which they are found: place, those between which it lies, fraction,
# unit, and the epsilon of the weights by units (`share` is that of a level; two parts may be touched); then the level
# and how far a row moves distances, in rows. Aimed at is the middle of a row, so that the first and the last one have a
# side to be on.
halving_splits <- function(ranks, n, share) {
  count <- length(ranks)
  at <- c(0, (ranks - 0.5) / n, 1)
  # in the order in which they come up: each part with a rank within has one split
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
    # the whole line is one part, and no row comes into it from another: it moves within, or leaves, which is less
    moves <- if (i == 1) fraction[3] / 2 else split_sensitivity(fraction)
    # the division is rounded, perhaps up
    splits[i, ] <- c(middle, part[1:2], fraction, share / (2 * moves) * (1 - 2^-50), part[3], moves / fraction[3])
  }
  splits
}

halving_levels <- function(ranks) floor(log2(length(ranks))) + 1

# Whether all tables have room: that of the smallest epsilon is the longest.
has_split_weights <- function(splits, n) length(rank_weights(min(splits[, 7]), n * max(splits[, 6]))) > 0

quantile_plan.quantile_halving <- function(method, units, cost, ranks, bits, cells) {
  refuse_people(units, "halving")
  if (units$n > max_halving_rows) {
    stop_argument("method", "must not be \"halving\" for more than 2^25 rows; there are ", format_count(units$n), ".")
  }
  levels <- halving_levels(ranks)
  share <- rank_share(cost$spent, levels)
  splits <- halving_splits(ranks, units$n, share)
  if (!has_split_weights(splits, units$n)) refuse_small_share(cost, units)
  list(sensitivity = 2 * max(splits[, 9]), times = levels, weight = 1, splits = splits, public = list(cells = cells),
       words = paste0("exponential mechanism on ranks, halving in ", count_of(levels, "level")),
       noise = new_noise("exponential", max(2 / (splits[, 7] * splits[, 6]))))
}

quantile_draw.quantile_halving <- function(method, plan, statistic, rng) {
  cell <- .Call(ffi_number_draw_splits, as.double(statistic$cell), as.double(statistic$count),
                lattice_cells(plan$lattice), plan$splits[, 1:7, drop = FALSE], row_digits(lattice_cells(plan$lattice)),
                kernel_options(rng))
  c(list(cell = cell[match(plan$ranks, sort(unique(plan$ranks)))], splits = plan$splits),
    if (isFALSE(plan$complete)) list(complete = FALSE))
}

# Random digits of each row below its cell: places are at most 2^40, so that far ones weigh next to nothing together.
row_digits <- function(cells) as.integer(min(24, 40 - ceiling(log2(cells))))

quantile_noise.quantile_halving <- function(method, plan) {
  rank_lines(plan, halving_bound(plan$splits, lattice_cells(plan$lattice), plan$n, 0.95))
}

# With probability `level` all quantiles are within so many rows of their ranks. Of each split as in rank_bound(), but
# against all places that are within `near` rows of the target: there are at least near_places() of them, or the part
# has no more rows than that. One row more for roundings, and those that may have equal digits.
halving_bound <- function(splits, cells, n, level) {
  chance <- (1 - level) / (2 * nrow(splits) + 1)
  digits <- row_digits(cells)
  near <- 0:min(64, n - 1)
  places <- near_places(near, n, digits, chance)
  # splits of one share have one table
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
  # up to 1,500 of them where max_halving_rows rows are in 2^24 cells
  equal <- seq_len(4096)
  together <- equal[equal * log(n) - lgamma(equal + 1) - (equal - 1) * digits * log(2) <= log(chance)][1]
  min(ceiling(max(split_errors(splits, within[kind] + together + 1))), n)
}

# The least number of places, at least one, from a row to that which is `near` rows further, wherever the rows are:
# fewer there are with probability `chance` at most, by the digits.
near_places <- function(near, n, digits, chance) {
  ifelse(near == 0, 1, pmax(1, 2^digits * exp((log(chance) + lgamma(near + 1) - (near + 1) * log(n)) / near)))
}

# `errors`: by how much each split may be wrong by itself. It takes on what its ends are wrong, in the parts in which it
# lies between them.
split_errors <- function(splits, errors) {
  error <- numeric(nrow(splits) + 2)
  for (i in seq_len(nrow(splits))) {
    share <- splits[i, 4] / splits[i, 5]
    error[splits[i, 1] + 1] <- errors[i] + (1 - share) * error[splits[i, 2] + 1] + share * error[splits[i, 3] + 1]
  }
  error
}

# Measured: as alone, at the exponents that the levels have, and more where there are many levels, since errors of the
# places around a part are among those within it (inst/simulations/quantiles.R).
halving_rank_error <- function(cost, units, ranks) {
  if (length(ranks) < 2 || units$most > 0 || units$n > max_halving_rows) return(NA)
  share <- rank_share(cost$spent, halving_levels(ranks))
  splits <- halving_splits(ranks, units$n, share)
  if (!has_split_weights(splits, units$n)) return(NA)
  # as it was measured: where the first share is no half its parts are uneven, which costs what its weights save
  splits[1, 9] <- split_sensitivity(splits[1, 4:6]) / splits[1, 6]
  moves <- vapply(split(2 * splits[, 9], splits[, 8]), max, 0)
  2.6 * (0.7 + 0.075 * length(moves)) * mean(moves) / share
}
