# Intervals for a proportion in the population, from a noisy count of n independent draws. The law of the count is
# binomial, convolved with the law of the noise, and the interval contains all proportions that this law does not
# reject (inst/proofs/number-population.md, whose statements are cited by number). Cost: 55 steps of a bisection, each
# with three distribution functions per cell for Laplace noise, and at most 213 terms for Gaussian noise.

population_ends.dptda_private_count <- function(x, level, exact = FALSE, ...) count_ends(x, level, exact)

population_ends.dptda_private_table <- function(x, level, exact = FALSE, ...) count_ends(x, level, exact)

population_ends.dptda_private_proportion <- function(x, level, exact = FALSE, ...) {
  n <- privacy(x)$public$n
  share_ends(plain_value(x) / x$noise$step, new_count_law(n, x$noise, x$noise$step * n), level, exact)
}

# Returns intervals for the mean number of rows of each cell in n draws.
count_ends <- function(x, level, exact) {
  n <- privacy(x)$public$n
  n * share_ends(plain_value(x) / x$noise$step, new_count_law(n, x$noise, x$noise$step), level, exact)
}

# The law of a noisy count, in units of `step`: `weight` times a binomial variable of size n, plus integer noise.
# `sd`: the scale of the noise in rows or people.
new_count_law <- function(n, noise, step) {
  weight <- round(1 / step)
  list(n = n, weight = weight, kind = noise$kind, scale = noise$scale[1], sd = noise$scale[1] / weight)
}

# Returns bounds of proportions for noisy counts `z`, in units of `law`. With `exact`, tails include the count itself
# (statement 2), otherwise half of its probability. A count below 0 or above n has the interval of 0 or n (statement 3).
share_ends <- function(z, law, level, exact) {
  z <- pmin(pmax(round(as.vector(z)), 0), law$n * law$weight)
  chance <- (1 - level) / 2
  lower <- function(p) count_below(if (exact) z - 1 else z, p, law, !exact)
  upper <- function(p) count_below(z, p, law, !exact)
  cbind(last_share(lower, 1 - chance, length(z)), last_share(upper, chance, length(z)))
}

# Returns the largest p in [0, 1] with below(p) >= chance, or 0. `below` decreases in p.
last_share <- function(below, chance, size) {
  low <- rep(0, size)
  high <- rep(1, size)
  for (step in seq_len(55)) {
    middle <- (low + high) / 2
    more <- below(middle) >= chance
    low[more] <- middle[more]
    high[!more] <- middle[!more]
  }
  ifelse(low == 0, 0, high)
}

# Returns the probability of a noisy count of at most `z`, one for each proportion p. With `mid`, the probability of
# `z` itself is halved.
count_below <- function(z, p, law, mid) {
  if (law$kind == "laplace" && law$sd > 1) return(laplace_below(z, p, law, mid))
  # statement 5: a sum over the noise, or over the binomial variable, whichever is narrower
  deviation <- sqrt(law$n * p * (1 - p))
  by_noise <- law$sd < 8 | law$sd <= deviation
  below <- double(length(z))
  if (any(by_noise)) below[by_noise] <- sum_by_noise(z[by_noise], p[by_noise], law, mid)
  if (!all(by_noise)) below[!by_noise] <- sum_by_count(z[!by_noise], p[!by_noise], deviation[!by_noise], law, mid)
  below
}

# Statement 4: noise that is geometric on both sides tilts the binomial law, so both sums are binomial laws again.
laplace_below <- function(z, p, law, mid) {
  q <- exp(-1 / law$scale)
  fall <- expm1(-1 / law$sd) # exp(-1 / sd) - 1
  last <- floor(z / law$weight)
  up <- p / (1 + (1 - p) * fall)
  down <- p * (1 + fall) / (1 + p * fall)
  n <- law$n
  # the sums of b(x) q^(z - x) for x up to z, and of b(x) q^(x - z) above
  left <- exp((n * law$weight - z) / law$scale + n * log1p((1 - p) * fall) +
                stats::pbinom(last, n, up, log.p = TRUE))
  right <- exp(z / law$scale + n * log1p(p * fall) + stats::pbinom(last, n, down, lower.tail = FALSE, log.p = TRUE))
  below <- stats::pbinom(last, n, p) - q / (1 + q) * left + right / (1 + q)
  if (!mid) return(below)
  # the probability of z
  below - (1 - q) / (1 + q) * (left + right) / 2
}

# Statement 5 (a): the sum over x of P(X <= x) times the probability that the noise leaves room for x, but not x + 1.
sum_by_noise <- function(z, p, law, mid) {
  laplace <- law$kind == "laplace"
  by <- if (laplace) 1 else max(1, floor(law$sd / 4))
  reach <- ceiling(if (laplace) 41 * law$sd else 9 * law$sd / by) + 2
  steps <- by * seq.int(-reach, reach)
  x <- outer(floor(z / law$weight), steps, "+")
  room <- noise_below(z - law$weight * x, law, mid) - noise_below(z - law$weight * (x + 1), law, mid)
  by * rowSums(room * stats::pbinom(x, law$n, p))
}

# Statement 5 (b): the sum over x of P(X = x) times the probability that the noise leaves room for x.
sum_by_count <- function(z, p, deviation, law, mid) {
  by <- pmax(1, floor(deviation / 4))
  x <- round(law$n * p) + outer(by, seq.int(-106, 106))
  by * rowSums(stats::dbinom(x, law$n, p) * noise_below(z - law$weight * x, law, mid))
}

# Returns the probability of noise of at most k, for integers k. With `mid`, the probability of k is halved.
noise_below <- function(k, law, mid) {
  if (mid) return((noise_below(k, law, FALSE) + noise_below(k - 1, law, FALSE)) / 2)
  if (law$kind == "gaussian") return(stats::pnorm((k + 0.5) / law$scale))
  q <- exp(-1 / law$scale)
  ifelse(k < 0, exp(pmin(k, 0) / law$scale) / (1 + q), 1 - exp(-pmax(k + 1, 0) / law$scale) / (1 + q))
}
