# Intervals of quantiles for the population: a quantile and the ends of its interval in one draw, at ranks farther out
# than those of an interval without noise (src/core/number-quantile-together.c; inst/proofs/number-quantile.md).

# Returns the probabilities that the rank of a draw is off by at least t towards one side, for t = 0, 1, ..., if all
# cells between two rows are equally likely ("smooth"). `targets`: how many cells are drawn together.
smooth_tail <- function(share, targets) {
  top <- ceiling(80 / share) + 2
  layer <- exp(-share / 2 * (0:top)) * (2 * (0:top) + 1)^(targets - 1)
  off <- rev(cumsum(rev(layer))) # in proportion to P(off by j), for j = 0, 1, ...
  tail <- rev(cumsum(rev(off)))
  tail / (2 * tail[1] - off[1])
}

# Returns the weights w(0), w(1), ... of results of the kernel as fractions of w(0), up to the last different one or to
# `most`. The length is 0 if there would be too many.
together_weights <- function(share, most, cells, targets) {
  .Call(ffi_number_together_weights, share, most, cells, targets, kernel_options())
}

# The same bounds for all data, t = 0, 1, ... The last one holds beyond. There are at most cells^targets results, and
# one of them has the largest weight. `weights`: of together_weights(), in rows or people.
proved_tail <- function(weights, targets, cells) {
  odds <- cells^targets * weights
  c(1, (odds / (1 + odds))[-1])
}

# Returns the largest rank at which a lower end is above the p-quantile of the population with probability at most
# `miss`, or NA. At least a binomial number B of rows are at or below that quantile, and an end above it is off by
# B - rank + 1 rows or more. Off by j < 0 is the opposite of off by -j on the other side.
lower_end_rank <- function(n, p, miss, tail, symmetric) {
  near <- 9 * sqrt(n * p * (1 - p)) + 30
  rows <- max(0, floor(n * p - near)):min(n, ceiling(n * p + near))
  weight <- stats::dbinom(rows, n, p)
  at <- function(t) tail[pmin(t, length(tail) - 1) + 1]
  missed <- function(rank) {
    off <- rows - rank + 1
    # P(off by at least -j) = 1 - P(off by more than j)
    ahead <- if (symmetric) 1 - at(abs(off) + 1) else 1
    sum(weight * ifelse(off >= 0, at(abs(off)), ahead))
  }
  if (n < 1 || missed(1) > miss) return(NA_real_)
  from <- 1
  to <- n + 1
  while (to - from > 1) {
    middle <- (from + to) %/% 2
    if (missed(middle) <= miss) from <- middle else to <- middle
  }
  from
}

# Returns the ranks of both ends, or NA for an end that does not exist, and whether they are proved for all data. The
# proved ranks are taken if they are not much farther out. The smooth ones need rows beyond the ends. A gap of almost
# all cells may otherwise attract one of the cells, and then the others are off by as much. This includes the quantile.
# `weights`: NULL if no ranks are proved.
interval_ranks <- function(n, p, share, cells, level, weights = together_weights(share, n, cells, 3), targets = 3) {
  miss <- (1 - level) / 2
  needed <- 2 * (log(cells) + 3) / share
  # with fewer rows, smooth ends are not used, and their table may be too long
  smooth <- if (needed < n) smooth_tail(share, targets)
  proved <- if (!is.null(weights)) proved_tail(weights, targets, cells)
  one <- function(p) {
    near <- if (is.null(smooth)) NA_real_ else lower_end_rank(n, p, miss, smooth, TRUE)
    far <- if (is.null(proved)) NA_real_ else lower_end_rank(n, p, miss, proved, FALSE)
    if (!is.na(far) && (is.na(near) || n * p - far <= proved_reach * (n * p - near))) return(c(far, 1))
    c(if (!is.na(near) && near - 1 >= needed) near else NA, 0)
  }
  lower <- one(p)
  upper <- one(1 - p)
  # without an end on its side, the quantile itself may be attracted
  alone <- c(is.na(lower[1]) && n * p < needed, is.na(upper[1]) && n * (1 - p) < needed)
  if (any(alone)) lower[1] <- upper[1] <- NA
  list(rank = c(lower[1], n + 1 - upper[1]), proved = c(lower[2], upper[2]) == 1)
}

# Three cells in one draw are off by twice as much as one, on average.
together_error <- function(interval) if (is.null(interval)) 1 else 2

# The proved ranks may be this many times as far from the target.
proved_reach <- 1.1

# ---- the plan ----------------------------------------------------------------------------------------------------

# Returns the plan of quantile_plan() with `targets`: a matrix with one row for each of `probs`, which increase, of the
# lower end, the quantile, and the upper end in weights, NA for an end that does not exist.
interval_plan <- function(units, cost, probs, cells, level) {
  ranks <- target_ranks(probs, units$n)
  repeat {
    plan <- quantile_plan(default_method("quantile", "exponential"), units, cost, ranks, NULL, cells)
    weight <- plan$weight
    # a quantile without ends is drawn alone, with more weights than three cells
    if (length(together_weights(plan$share, units$n * weight, cells, 1))) break
    if (weight == 1) refuse_small_share(cost, units)
    units$most <- log2(weight) - 1
  }
  weights <- together_weights(plan$share, units$n * weight, cells, 3)
  weights <- weights[seq(1, length(weights), by = weight)]
  found <- lapply(probs, interval_ranks, n = units$n, share = plan$share * weight, cells = cells, level = level,
                  weights = weights)
  ends <- t(vapply(found, `[[`, numeric(2), "rank"))
  # an end that is a row of weight one stays beyond the same rows
  plan$targets <- cbind(lower = (ends[, 1] - 1) * weight + 1, value = ranks * weight, upper = ends[, 2] * weight)
  # people with several rows are not binomial
  plan$proved <- t(vapply(found, `[[`, logical(2), "proved")) & weight == 1
  plan$level <- level
  refuse_no_end(plan$targets, units, cost)
  plan$words <- paste0(plan$words, ", each with the ends of its interval")
  plan
}

# `targets`: of all quantiles. If one end exists, its interval is of use.
refuse_no_end <- function(targets, units, cost) {
  if (!all(rowSums(is.na(targets)) == 2)) return(invisible())
  stop_argument("interval", "has no ends here: with ", count_units(units$n, units$person), " and ",
                short_measure(cost$measure), ", noise hides them. Use more ", units_noun(units$person),
                " or a larger ", names(cost$measure)[1], ", or leave out `interval`.")
}

# Warns before the charge of ends that public numbers do not allow.
announce.private_quantile <- function(plan) {
  if (is.null(plan$targets)) return(invisible())
  none <- is.na(plan$targets[, c("lower", "upper"), drop = FALSE])
  if (!any(none)) return(invisible())
  probs <- sort(unique(plan$probs))
  sides <- c("lower", "upper")
  words <- unlist(lapply(1:2, function(i) {
    if (any(none[, i])) paste0("no ", sides[i], " end of ", paste(quantile_names(probs[none[, i]]), collapse = ", "))
  }))
  warn_weak("end", "With ", format_count(plan$n), " ", plan$units, " and this budget, there is ",
            paste(words, collapse = ", and "), ": the interval ends at the bound of the box. No budget has been spent ",
            "yet. Set options(warn = 2) to stop here.")
}

# ---- groups --------------------------------------------------------------------------------------------------------

# Plans three cells together for each rank, in each group, or among the rows that are not dropped. The fractions at
# which the ends aim depend on noisy counts, which are released first. `shares`: as in shares_plan(), with the largest
# sensitivity that they may have. `moves`: the sensitivity of a single line, where a row moves by itself, or NULL.
grouped_interval_plan <- function(units, cost, ranks, cells, level) {
  share <- rank_share(cost, length(ranks))
  weight <- units_weight(units, 52 - ceiling(log2(units$n)) - log2(halving_units))
  single <- if (!is_grouped(units)) halving_units / 2
  repeat {
    smallest <- together_epsilon(share, if (is.null(single)) halving_units else single, weight)
    if (length(together_weights(smallest, units$n * weight * halving_units, cells, 1))) break
    if (weight == 1) refuse_small_share(cost, units)
    weight <- weight / 2
  }
  fractions <- t(vapply((ranks - 0.5) / units$n, together_fraction, numeric(3)))
  moves <- if (is.null(single)) apply(fractions, 1, split_sensitivity) else single
  draws <- length(ranks)
  list(sensitivity = weight, moves = single, times = draws, weight = weight, share = share, level = level,
       shares = cbind(fractions, smallest, deparse.level = 0), public = list(cells = cells),
       words = paste0("exponential mechanism on ranks", if (draws > 1) paste0(", ", count_of(draws, "draw")),
                      ", each with the ends of its interval"),
       noise = new_noise("exponential", 2 / (together_epsilon(share, max(moves), weight) * halving_units), 1 / weight))
}

# All targets of a draw have the same units, 1 / halving_units of a row.
together_fraction <- function(share) c(min(max(round(share * 2^30), 1), 2^30 - 1), 2^30, halving_units)

# Returns the epsilon of weights by units of 1 / unit weights. The division may round up.
together_epsilon <- function(share, moves, weight) share / (2 * moves * weight) * (1 - 2^-50)

# Returns the fractions of the lower end, the quantile, and the upper end, NA for an end that does not exist, and the
# largest of their sensitivities. `rows`: a lower bound of the number of rows. More rows have farther ends. `single`:
# the sensitivity of a single line, or NULL.
together_targets <- function(rows, at, share, cells, level, single = NULL) {
  needed_by <- function(at) {
    if (is.null(single)) max(vapply(at, function(one) split_sensitivity(together_fraction(one)), 0)) else single
  }
  moves <- needed_by(at)
  repeat {
    by_row <- share / (2 * moves) * halving_units
    ends <- if (rows < 1) c(NA, NA) else interval_ranks(rows, at, by_row, cells, level, NULL)$rank
    targets <- c((ends - 0.5) / rows, at)[c(1, 3, 2)]
    needed <- needed_by(targets[!is.na(targets)])
    if (needed <= moves) return(list(at = targets, moves = moves))
    moves <- needed
  }
}

# `counted`: the noisy count of the group, in weights.
grouped_interval_draw <- function(plan, line, counted, rng) {
  cells <- lattice_cells(plan$lattice)
  rows <- floor(counted / plan$weight - count_margin(plan$count_noise, plan$weight))
  drawn <- vapply(plan$shares[, 1] / plan$shares[, 2], function(at) {
    targets <- together_targets(rows, at, plan$share, cells, plan$level, plan$moves)
    there <- which(!is.na(targets$at))
    cell <- .Call(ffi_number_draw_together_shares, as.double(line$cell), as.double(line$count), cells,
                  t(vapply(targets$at[there], together_fraction, numeric(3))),
                  together_epsilon(plan$share, targets$moves, plan$weight), kernel_options(rng))
    replace(c(-1, NA, cells), there, sort(cell))
  }, double(3))
  ordered_ends(drawn)
}

# Returns by how much a noisy count exceeds the count, in rows or people, with a probability of 0.1.
count_margin <- function(noise, weight) noise_bound(noise$kind, noise$scale, 0.1) / weight

# Returns which ends exist, for groups of so many rows, with one row for each quantile.
grouped_ends_exist <- function(plan, rows) {
  rows <- floor(rows - count_margin(plan$count_noise, plan$weight))
  t(vapply(plan$shares[, 1] / plan$shares[, 2], function(at) {
    !is.na(together_targets(rows, at, plan$share, lattice_cells(plan$lattice), plan$level, plan$moves)$at[c(1, 3)])
  }, logical(2)))
}

# ---- the draw ------------------------------------------------------------------------------------------------------

interval_draw <- function(plan, statistic, rng) {
  targets <- plan$targets
  cells <- lattice_cells(plan$lattice)
  drawn <- vapply(seq_len(nrow(targets)), function(i) {
    there <- !is.na(targets[i, ])
    cell <- .Call(ffi_number_draw_together, as.double(statistic$cell), as.double(statistic$count), cells,
                  unname(targets[i, there]), plan$share, kernel_options(rng))
    replace(c(-1, NA, cells), which(there), sort(cell))
  }, double(3))
  drawn <- ordered_ends(drawn)
  at <- match(plan$probs, sort(unique(plan$probs)))
  ends <- list(level = plan$level, lower = drawn[1, at], upper = drawn[3, at], proved = plan$proved[at, , drop = FALSE])
  list(cell = drawn[2, at], interval = ends)
}

# Orders lower ends, quantiles, and upper ends, in three rows. Sorting values does not increase the largest of their
# distances. Ends only move outward, so that they increase with the probability and contain the values.
ordered_ends <- function(drawn) {
  rbind(rev(cummin(rev(drawn[1, ]))), sort(drawn[2, ]), cummax(drawn[3, ]), deparse.level = 0)
}

is_interval <- function(x, length) {
  is.list(x) && is_one_number(x$level) && is_numbers(x$lower) && is_numbers(x$upper) && length(x$lower) == length &&
    length(x$upper) == length && is.logical(x$proved) && identical(dim(x$proved), c(length, 2L))
}

# ---- the result ----------------------------------------------------------------------------------------------------

population_ends.dptda_private_quantile <- function(x, level, ...) {
  drawn_ends(attr(x, "interval", exact = TRUE), x$lattice, level)
}

# An end that does not exist is the bound of the box, which rows cannot pass.
drawn_ends <- function(found, lattice, level) {
  if (is.null(found) || level > found$level + 1e-9) return(NULL)
  last <- lattice_cells(lattice) - 1
  cbind(first_of(lattice, pmax(as.vector(found$lower), 0)), last_of(lattice, pmin(as.vector(found$upper), last)))
}

population_reason.dptda_private_quantile <- function(x) interval_reason(attr(x, "interval", exact = TRUE))

interval_reason <- function(found) {
  if (is.null(found)) return("because its ends are drawn with it. Release it with `interval = 0.95`")
  paste0("or `level` at most ", format(found$level), ", because the ends were drawn for that")
}

# States the level of the interval if another one is printed, and whether it is proved.
end_rank_words <- function(x) drawn_end_words(attr(x, "interval", exact = TRUE), lattice_cells(x$lattice))

drawn_end_words <- function(found, cells) {
  if (is.null(found)) return(NULL)
  none <- c(any(found$lower < 0), any(found$upper >= cells))
  c(if (!is.null(found$proved) && all(found$proved)) "Intervals for the population are proved for all data." else
      paste0("Intervals for the population (", format_percent(found$level), ") assume that rows are spread evenly ",
             "near their ends."),
    if (any(none)) "Ends without a rank are bounds of the box.")
}
