# Quantiles by the exponential mechanism. The weight of a cell falls with its distance in rank from the target, an
# integer (src/core/number-quantile.c; inst/proofs/number-quantile.md).

# Returns the epsilon of each of `times` mechanisms of bounded range, which costs a rho of epsilon^2 / 8. It is never
# rounded above its part, and is at most 1024, since more would change nothing visible.
rank_share <- function(cost, times) {
  spent <- with_choices(cost, 1)$spent
  share <- switch(names(spent), epsilon = 2 * choice_rate(unname(spent), times),
                  # each of five roundings is at most 2^-53
                  rho = sqrt(8 * spent[[1]] / times) * (1 - 2^-50))
  min(share, 1024)
}

# Returns type 1 of stats::quantile(), with its tolerance for rounding of n p. If the number of values among n is
# private, ranks are not integers: the target is a fraction of the values, (rank - 1/2) / n.
target_ranks <- function(probs, n, known = TRUE) {
  place <- n * probs
  rank <- if (known) ceiling(place - 4 * .Machine$double.eps * place) else place + 0.5
  pmin(pmax(rank, 1), n)
}

# Returns the weights of the distances 0, 1, ... as doubles, up to `most` or until they remain constant. The length is 0
# if there would be too many.
rank_weights <- function(epsilon, most) .Call(ffi_number_rank_weights, epsilon, most, kernel_options())

# Returns the weight of a person: the largest one for which counts are exact and the table of weights fits.
rank_units <- function(units, share) {
  weight <- units_weight(units, 52 - ceiling(log2(units$n)))
  while (weight > 1 && !length(rank_weights(share / weight, units$n * weight))) weight <- weight / 2
  weight
}

quantile_plan.quantile_exponential <- function(method, units, cost, ranks, bits, cells) {
  if (!knows_sizes(units)) return(shares_plan(units, cost, ranks, cells))
  draws <- length(ranks)
  share <- rank_share(cost, draws)
  weight <- rank_units(units, share)
  share <- share / weight
  if (!length(rank_weights(share, units$n * weight))) {
    refuse_small_share(cost, units)
  }
  words <- paste0("exponential mechanism on ranks", if (draws > 1) paste0(", ", count_of(draws, "draw")))
  list(sensitivity = weight, words = words, public = list(cells = cells), times = draws, weight = weight,
       noise = new_noise("exponential", 2 / share, 1 / weight), share = share)
}

refuse_small_share <- function(cost, units) {
  stop_argument(names(cost$measure)[1], "is too small for the exponential mechanism on the ranks of ",
                count_units(units$n, units$person),
                if (knows_sizes(units)) ". Use `method = \"counts\"`, which has no such limit", ".")
}

quantile_draw.quantile_exponential <- function(method, plan, statistic, rng) {
  ranks <- sort(unique(plan$ranks))
  if (!is.null(plan$shares)) {
    cell <- draw_shares(plan, statistic, rng)
    return(c(list(cell = cell[match(plan$ranks, ranks)]), plan["shares"], list(complete = FALSE)))
  }
  # sorting does not increase the total distance from the ranks, and makes quantiles increase
  cell <- sort(.Call(ffi_number_draw_ranks, as.double(statistic$cell), as.double(statistic$count),
                     lattice_cells(plan$lattice), ranks, plan$share, kernel_options(rng)))
  list(cell = cell[match(plan$ranks, ranks)])
}

quantile_noise.quantile_exponential <- function(method, plan) {
  cells <- lattice_cells(plan$lattice)
  within <- if (!is.null(plan$shares)) shares_bound(plan$shares, plan$weight, cells, plan$n, 0.95) else
    if (is.null(plan$targets)) rank_bound(plan$noise, length(unique(plan$ranks)), cells, plan$n, 0.95) else
      rank_bound(plan$noise, nrow(plan$targets), cells^3, plan$n, 0.95)
  rank_lines(plan, within)
}

rank_lines <- function(plan, within) {
  among <- if (isFALSE(plan$complete)) paste(plan$units, "with a value") else paste("all", plan$units)
  noise_lines(paste("each rank among", among), "exponential mechanism", plan$noise$scale * plan$noise$step,
              within = proved_bound(within, plan$n))
}

# A rank is off by at most n, so a bound of n or more proves nothing.
proved_bound <- function(within, n) if (within < n) within else NA_real_

# Returns the expected mean distance in rank, in rows or people, also for halving. The scale of the noise is 2 /
# epsilon: see alone_rank_error().
rank_error <- function(noise) 1.3 * noise$scale * noise$step

# Returns how far each of `draws` quantiles is from its rank at most, with probability `level`, for display. A cell at
# distance 0 always exists, so a draw is t or more away with probability at most cells w(t) / w(0).
rank_bound <- function(noise, draws, cells, n, level) {
  weights <- rank_weights(min(2 / noise$scale, 1024), n / noise$step)
  beyond <- which(cells * weights / weights[1] <= (1 - level) / draws)
  min(if (length(beyond)) (beyond[1] - 2) * noise$step else Inf, n)
}

# ---- fractions of a private number of rows --------------------------------------------------------------------------

# Returns the share of a part as a fraction, and units per row. With a denominator of at most `halving_units`, distances
# are integers in these units. Other shares are rounded to nine digits. The number of units per row is even.
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

# Returns by how many units the distances of a part change at most if a row enters or leaves it.
split_sensitivity <- function(fraction) {
  moves <- fraction[3] * fraction[1]
  max(-(-moves %/% fraction[2]), fraction[3] - moves %/% fraction[2])
}

# Returns whether the numbers of rows on the lines are public. `units$groups`: the number of lines, if there are groups.
knows_sizes <- function(units) units$complete && !is_grouped(units)

is_grouped <- function(units) !is.null(units$groups)

# Returns one row for each rank: numerator, denominator, unit, and the epsilon of weights by units of 1 / unit weights
# of a person. A replaced row moves within a line, by a whole row, or between two lines (split_sensitivity()).
rank_fractions <- function(units, ranks, share, weight) {
  t(vapply((ranks - 0.5) / units$n, function(at) {
    fraction <- halving_fraction(at)
    moves <- if (is_grouped(units)) split_sensitivity(fraction) else fraction[3] / 2
    # the division may round up
    c(fraction, share / (2 * moves * weight) * (1 - 2^-50))
  }, numeric(4)))
}

has_share_weights <- function(shares, n, weight) {
  length(rank_weights(min(shares[, 4]), n * weight * max(shares[, 3]))) > 0
}

# Plans one draw for each rank, in each group.
shares_plan <- function(units, cost, ranks, cells) {
  share <- rank_share(cost, length(ranks))
  weight <- units_weight(units, 52 - ceiling(log2(units$n)) - log2(halving_units))
  repeat {
    shares <- rank_fractions(units, ranks, share, weight)
    if (has_share_weights(shares, units$n, weight)) break
    if (weight == 1) refuse_small_share(cost, units)
    weight <- weight / 2
  }
  draws <- length(ranks)
  list(sensitivity = weight, times = draws, weight = weight, shares = shares, public = list(cells = cells),
       words = paste0("exponential mechanism on ranks", if (draws > 1) paste0(", ", count_of(draws, "draw"))),
       noise = new_noise("exponential", max(2 / (shares[, 4] * shares[, 3])), 1 / weight))
}

# Sorting does not increase the total distance from the ranks.
draw_shares <- function(plan, statistic, rng) {
  sort(.Call(ffi_number_draw_shares, as.double(statistic$cell), as.double(statistic$count),
             lattice_cells(plan$lattice), plan$shares, kernel_options(rng)))
}

# As rank_bound(), in all of `groups` lines. Half a unit is for the rounding of the target, and the fraction is within
# 1e-9 of the probability.
shares_bound <- function(shares, weight, cells, n, level, groups = 1) {
  within <- vapply(seq_len(nrow(shares)), function(i) {
    unit <- shares[i, 3]
    weights <- rank_weights(shares[i, 4], n * weight * unit)
    beyond <- which(cells * weights / weights[1] <= (1 - level) / (groups * nrow(shares)))
    if (length(beyond)) (beyond[1] - 1.5) / (unit * weight) + 1e-9 * n else Inf
  }, 0)
  min(max(within), n)
}

shares_rank_error <- function(cost, units, ranks) {
  share <- rank_share(cost, length(ranks))
  shares <- rank_fractions(units, ranks, share, 1)
  if (!has_share_weights(shares, units$n, 1)) return(NA)
  mean(2.6 / (shares[, 4] * shares[, 3]))
}

# Predicts the mean distance in rank: 2.6 / epsilon, as measured (inst/simulations/quantiles.R).
alone_rank_error <- function(cost, n, draws) {
  share <- rank_share(cost, draws)
  if (length(rank_weights(share, n))) 2.6 / share else NA
}
