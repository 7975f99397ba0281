# Intervals for ratios of noisy sums and noisy counts (number-by.md). `parts`: of sums and means by group
# (number-groups.R).

# A group has a mean if its count is at least 1. Smaller noisy counts are raised to 1.
possible_counts <- function(parts) pmax(parts$counts, 1)

# Returns intervals for the ratios of sums and counts without noise.
noise_interval <- function(parts, level) {
  wide <- function(x) rep(x, each = nrow(parts$sums))
  ratio_interval(as.vector(parts$sums), as.vector(possible_counts(parts)), wide(parts$most), function(times) {
    two_noises(parts$kind, wide(parts$scale$sums), parts$scale$count, times, level)
  })
}

# Returns Fieller's interval for noise: all ratios r from -most to most for which the noise explains `sum` - r *
# `count`, which would be zero without noise. `count` is positive, so sum / count is in the interval. `off`: the range
# of the noise of sum - r * count, as a function of r. It grows with |r|, so each round bounds it by the largest |r|
# that is left. If no ratio is left, the noise was larger than `off` allows, and the interval contains all ratios.
ratio_interval <- function(sum, count, most, off) {
  lower <- -most
  upper <- most
  for (round in seq_len(8)) {
    within <- off(pmax(abs(lower), abs(upper)))
    lower <- pmax(lower, (sum - within) / count)
    upper <- pmin(upper, (sum + within) / count)
    none <- lower > upper
    lower[none] <- -most[none]
    upper[none] <- most[none]
  }
  cbind(lower, upper)
}

# Returns the distance that the noise of a sum plus `times` the noise of a count stays within, with probability `level`.
# Discrete noise is within 1 of continuous noise at the same quantile.
two_noises <- function(kind, scale_sum, scale_count, times, level) {
  a <- scale_sum
  b <- scale_count * abs(times)
  if (kind == "gaussian") return(stats::qnorm((1 + level) / 2) * sqrt(a^2 + b^2) + 1 + abs(times))
  wide <- pmax(a, b)
  narrow <- pmin(a, b)
  near <- wide - narrow < 1e-4 * wide
  beyond <- function(t) {
    ifelse(near, (1 + t / (2 * wide)) * exp(-t / wide),
           (wide^2 * exp(-t / wide) - narrow^2 * exp(-t / pmax(narrow, 1e-300))) / (wide^2 - narrow^2))
  }
  from <- 0 * wide
  to <- wide * (8 - 2 * log(1 - level))
  for (step in seq_len(60)) {
    middle <- (from + to) / 2
    far <- beyond(middle) <= 1 - level
    to[far] <- middle[far]
    from[!far] <- middle[!far]
  }
  to + 1 + abs(times)
}
