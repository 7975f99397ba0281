# Conversions by their formulas, at 400 bits.

wide <- function(x) Rmpfr::mpfr(x, 400)

wide_response_renyi <- function(epsilon, s) {
  epsilon <- wide(epsilon)
  s <- wide(s)
  log(cosh((s + 0.5) * epsilon) / cosh(epsilon / 2)) / s
}

wide_sinhc <- function(x) log(sinh(x / 2) / (x / 2))

wide_range_renyi <- function(epsilon, s) {
  epsilon <- wide(epsilon)
  s <- wide(s)
  most <- wide_sinhc((1 + s) * epsilon)
  most - wide_sinhc(s * epsilon) + (most - wide_sinhc(epsilon)) / s
}

wide_range_rho <- function(epsilon) {
  u <- wide(epsilon) / expm1(wide(epsilon))
  u - 1 - log(u)
}

wide_renyi_epsilon <- function(divergence, s, log_delta) {
  s <- wide(s)
  wide(divergence) - log1p(1 / s) - (wide(log_delta) + log1p(s)) / s
}

wide_gaussian_delta <- function(epsilon, mu) {
  epsilon <- wide(epsilon)
  tail <- function(x) Rmpfr::erfc(x / sqrt(wide(2))) / 2
  tail(epsilon / mu - wide(mu) / 2) - exp(epsilon) * tail(epsilon / mu + wide(mu) / 2)
}

# Computes delta for randomized responses with losses `epsilons`, one after the other.
wide_response_delta <- function(epsilon, epsilons) {
  loss <- wide(0)
  p <- wide(1)
  for (one in epsilons) {
    up <- 1 / (1 + exp(-wide(one)))
    loss <- c(loss + one, loss - one)
    p <- c(p * up, p * (1 - up))
  }
  above <- which(loss > epsilon)
  if (length(above)) sum(p[above] * -expm1(epsilon - loss[above])) else wide(0)
}

# Computes the normal quantile at 1 / (1 + exp(epsilon)), by Newton's method.
wide_quantile <- function(epsilon) {
  target <- 1 / (1 + exp(wide(epsilon)))
  x <- wide(stats::qnorm(as.numeric(target)))
  root <- sqrt(wide(2))
  pi <- Rmpfr::Const("pi", 400)
  for (i in 1:8) x <- x - (Rmpfr::erfc(-x / root) / 2 - target) * sqrt(2 * pi) * exp(x^2 / 2)
  x
}
