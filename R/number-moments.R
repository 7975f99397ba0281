# The second moment of a private mean, released without further cost (inst/proofs/number-moments.md). The spread of a
# row with z of w steps is z (w - z): the product of its distances to both ends of its side, at most (w / 2)^2. The sum
# of spreads gives the sum of squared distances from the middle of the side, and so the variance of the rows.

# Drops binary digits of spreads, so that their sums are exact and their noise has a scale below 2^40. Returns
# `dropped`, one number for each column, and `scale`, the scales of the noise on sums of spreads. For up to
# `rows_asked_once` rows, `dropped` does not depend on their number, so one query of a table returns both.
# `l1`, `l2_squared`: the sensitivities of sums of spreads in units of w^2, as if alone. They keep the cost together
# with the noise on the sums, which they leave unchanged.
plan_spreads <- function(units, cost, lattice, weight, l1, l2_squared) {
  steps <- unname(lattice$last - lattice$first)
  bits <- ceiling(log2(pmax(steps, 1)))
  # the scale in units of w^2
  unit <- weight * unname(if (measure_noise(cost$spent) == "laplace") l1 / cost$spent else
    sqrt(l2_squared / 2 / cost$spent))
  most <- max(units$n * weight, rows_asked_once)
  dropped <- pmax(0, ceiling(log2(most)) + 2 * bits - 54, ceiling(log2(unit)) + 2 * bits - 39)
  square <- steps^2 / 2^dropped
  up <- 1 + 2^-40 # more than all rounding errors
  list(dropped = dropped, scale = noise_scale(cost$spent, l1 * weight * square * up,
                                              l2_squared * (weight * square)^2 * up))
}

rows_asked_once <- 2^28

# Names the second sum in a guarantee.
moment_words <- function(moments) if (moments) ", with second moments"

# ---- variances -----------------------------------------------------------------------------------------------------

# Returns the fields of a mean about its second moments. `moments`: one row for each column, with the mean of `square`,
# the squared distance of the rows from the `middle` of the side in units of `half` the side, and the standard deviation
# of its `noise`. `sd`: the standard deviations of the rows, in the units of the data.
mean_moments <- function(plan, drawn, value, noise) {
  steps <- unname(plan$lattice$last - plan$lattice$first)
  d <- length(steps)
  each <- 4 * 2^plan$lattice$dropped / pmax(steps, 1)^2 / plan$n / plan$weight
  off <- noise_deviation(plan$noise$kind, plan$noise$scale[d + seq_len(d)])
  # rounding down raises the mean of squares by less than one unit
  rounding <- each * plan$n * plan$weight / 2 * (plan$lattice$dropped > 0)
  moments <- cbind(square = (steps > 0) - each * drawn, noise = each * off + rounding,
                   middle = unname(plan$lattice$step * (plan$lattice$first + plan$lattice$last) / 2),
                   half = unname(plan$lattice$step * steps / 2))
  rownames(moments) <- plan$columns
  list(moments = moments, sd = structure(noisy_deviation(as.vector(value), moments, noise, plan$n),
                                         names = plan$columns))
}

# Returns the standard deviations of `n` rows, or 0 if noise hides them.
noisy_deviation <- function(value, moments, noise, n) {
  off <- middle_off(value, moments)
  variance <- noisy_variance(value, moments, noise)
  own <- spread_noise(noise$kind, moments[, "noise"], 2 * off * off_noise(moments, noise),
                        square = off_noise(moments, noise)^2)
  shown <- n > 1 & variance > clear_variance * own
  ifelse(shown, moments[, "half"] * sqrt(variance * n / max(n - 1, 1)), 0)
}

# A variance is shown if it is more than this many standard deviations of its own noise. So with probability 0.95, no
# standard deviation is shown that noise changes by more than a factor of 1.5 (number-moments.md).
clear_variance <- 3

# Returns the standard deviation of the noise of a variance: of several noises, `...`, and of the square of the noise of
# the mean, which has the variance `square`.
spread_noise <- function(kind, ..., square) {
  sqrt(Reduce(`+`, lapply(list(...), function(part) part^2)) + (if (kind == "laplace") 5 else 2) * square^2)
}

# Returns the variance of the rows in units of half the side, squared, from the noisy mean and the noisy mean of
# squares. The square of a noisy mean is too large by the variance of its noise. `times`: the number of standard
# deviations of its own noise by which the variance is raised, and a quarter of them is the smallest variance. No
# variance exceeds 1 - m^2 for a mean m of rows from -1 to 1.
noisy_variance <- function(value, moments, noise, times = 0) {
  off <- middle_off(value, moments)
  cut_variance(moments[, "square"] - off^2 + off_noise(moments, noise)^2, off, moments[, "noise"], times)
}

# Returns the distances of means from the middle of their sides, in units of half the side.
middle_off <- function(value, moments) {
  off <- (value - moments[, "middle"]) / moments[, "half"]
  replace(off, moments[, "half"] == 0, 0)
}

# Returns the standard deviations of the noise of means, in the same units.
off_noise <- function(moments, noise) {
  noise_deviation(noise$kind, noise$scale) * noise$step / pmax(moments[, "half"], 1e-300)
}

cut_variance <- function(variance, off, noise, times) {
  unname(pmin(pmax(variance + times * noise, times * noise / 4), pmax(1 - pmin(abs(off), 1)^2, 0)))
}


# ---- the population ------------------------------------------------------------------------------------------------

# Returns the distance that the mean of a sample plus its noise stays within, with probability `level`: a normal
# variable of standard deviation `sd` plus two independent noises of the scales `a` and `b`, of which Laplace noise has
# this scale and Gaussian noise this standard deviation. The four have one length.
mixed_half_width <- function(kind, sd, a, b, level) {
  if (kind == "gaussian") return(stats::qnorm((1 + level) / 2) * sqrt(sd^2 + a^2 + b^2))
  wide <- pmax(a, b)
  narrow <- pmax(pmin(a, b), 1e-9 * wide)
  # partial fractions need different scales: a larger one is conservative
  wide <- ifelse(wide < 1.01 * narrow, 1.01 * narrow, wide)
  beyond <- function(x) {
    (wide^2 * normal_laplace_tail(x, sd, wide) - narrow^2 * normal_laplace_tail(x, sd, narrow)) / (wide^2 - narrow^2)
  }
  from <- 0 * wide
  to <- stats::qnorm((1 + level) / 2) * sd + wide * (8 - 2 * log(1 - level))
  for (step in seq_len(60)) {
    middle <- (from + to) / 2
    far <- ifelse(wide > 0, beyond(middle), stats::pnorm(-middle / sd)) <= (1 - level) / 2
    to[far] <- middle[far]
    from[!far] <- middle[!far]
  }
  to
}

# Returns P(N + Y > x) for a normal variable N of standard deviation `sd` and Laplace noise Y of `scale`. If one of the
# two is less than 1/1000 of the other, only its variance matters.
normal_laplace_tail <- function(x, sd, scale) {
  sd <- pmax(sd, 1e-3 * scale)
  scale <- pmax(scale, 1e-3 * sd)
  ratio <- sd / scale
  stats::pnorm(-x / sd) +
    (exp(ratio^2 / 2 - x / scale + stats::pnorm(x / sd - ratio, log.p = TRUE)) -
       exp(ratio^2 / 2 + x / scale + stats::pnorm(-x / sd - ratio, log.p = TRUE))) / 2
}

# Returns the standard deviation of the mean of `n` rows that counts as normal: as wide as the interval of Student's t.
as_normal <- function(variance, n, level) {
  sqrt(variance / (n - 1)) * stats::qt((1 + level) / 2, n - 1) / stats::qnorm((1 + level) / 2)
}

# An interval for the mean of the clamped variable. A release without second moments has the largest possible variance.
population_ends.dptda_private_mean <- function(x, level, ...) {
  n <- c(x_field(x, "rows"), privacy(x)$public$n)[1]
  moments <- x_field(x, "moments")
  if (is.null(moments)) moments <- moments_of_box(privacy(x)$public$box)
  if (is.null(moments) || is.na(n) || n < 2) return(NULL)
  noise <- attr(x, "noise", exact = TRUE)
  value <- as.vector(plain_value(x))
  half <- moments[, "half"]
  sd <- half * as_normal(noisy_variance(value, moments, noise, times = 1), n, level)
  off <- mixed_half_width(noise$kind, unname(sd), noise_size(noise$kind, noise$scale) * noise$step, 0 * value, level)
  value + cbind(-off, off, deparse.level = 0)
}

x_field <- function(x, name) attr(x, name, exact = TRUE)

# The scale of Laplace noise, or the standard deviation of Gaussian noise.
noise_size <- function(kind, scale) if (kind == "laplace") scale else noise_deviation(kind, scale)

# Stands for unknown second moments: no variance is larger.
moments_of_box <- function(box) {
  if (is.null(box)) return(NULL)
  cbind(square = Inf, noise = 0, middle = unname(box$lower + box$upper) / 2, half = unname(box$upper - box$lower) / 2)
}

# Intervals for the means of groups: all ratios r for which T - r N is explained by the sampling of rows and the noise
# of both (Fieller). Weights of people are fractions of `weight`.
group_mean_ends <- function(parts, level) {
  wide <- function(x) rep(x, each = nrow(parts$sums))
  kind <- parts$kind
  count <- as.vector(possible_counts(parts))
  variance <- group_variances(parts, times = 1)$variance
  sd <- count * wide(parts$most) * as_normal(variance, pmax(count / parts$weight, 2), level)
  scale <- wide(noise_size(kind, parts$scale$sums))
  off <- function(times) mixed_half_width(kind, sd, scale, noise_size(kind, parts$scale$count) * abs(times), level)
  ends <- ratio_interval(as.vector(parts$sums), count, wide(parts$most), off)
  # quantiles for the data are rounded up
  data <- noise_interval(parts, level)
  ends <- cbind(pmin(ends[, 1], data[, 1]), pmax(ends[, 2], data[, 2]))
  wide(parts$half_step) * (ends + wide(parts$ends))
}

# Returns the `variance` of each group in units of half the side, squared (noisy_variance()), and the standard deviation
# of its noise, `own`.
group_variances <- function(parts, times = 0) {
  wide <- function(x) rep(x, each = nrow(parts$sums))
  count <- as.vector(possible_counts(parts))
  most <- wide(pmax(parts$most, 1))
  ratio <- as.vector(parts$sums) / most / count
  if (is.null(parts$moments)) return(list(variance = cut_variance(Inf, ratio, 0, 0)))
  size <- function(scale) noise_deviation(parts$kind, scale)
  spread <- wide(parts$moments$unit) * as.vector(parts$moments$spreads) / count
  counted <- size(parts$scale$count)
  summed <- wide(size(parts$scale$sums)) / most
  near <- pmin(abs(ratio), 1)
  unit <- parts$moments$unit
  rounding <- unit / 2 * (unit > 4 / pmax(parts$most, 1)^2) # as in mean_moments()
  squared <- wide(unit * size(parts$moments$scale)) + count * wide(rounding)
  square <- (summed^2 + near^2 * counted^2) / count^2
  variance <- cut_variance(1 - spread - near^2 + square, ratio, sqrt(squared^2 + counted^2) / count, times)
  own <- spread_noise(parts$kind, squared / count, 2 * near * summed / count,
                        (spread + 2 * near^2) * counted / count, square = square)
  list(variance = variance, own = own)
}

# Returns the standard deviations of the rows of each group, in the units of the data, or 0 if noise hides them.
group_deviations <- function(parts) {
  people <- pmax(as.vector(possible_counts(parts)) / parts$weight, 2)
  found <- group_variances(parts)
  ifelse(found$variance > clear_variance * found$own, rep(parts$half_step * parts$most, each = nrow(parts$sums)) *
           sqrt(found$variance * people / (people - 1)), 0)
}

# ---- words ---------------------------------------------------------------------------------------------------------

# Earlier versions released no second moment.
value_words.dptda_private_mean <- function(x) {
  sd <- x_field(x, "sd")
  wrap_lines(c(
    if (any(sd == 0)) "\"-\": noise hides the standard deviation (sd).",
    if (is.null(sd)) paste("The interval for the population is conservative: this release has no second moment, so it",
                           "assumes the largest variance in the box.")
  ))
}
