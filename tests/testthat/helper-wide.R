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

# Returns the distribution of the loss of randomized responses with losses `epsilons`, one after the other.
wide_response_losses <- function(epsilons) {
  loss <- wide(0)
  p <- wide(1)
  for (one in epsilons) {
    up <- 1 / (1 + exp(-wide(one)))
    loss <- c(loss + one, loss - one)
    p <- c(p * up, p * (1 - up))
  }
  list(loss = loss, p = p)
}

wide_response_delta <- function(epsilon, epsilons) {
  all <- wide_response_losses(epsilons)
  above <- which(all$loss > epsilon)
  if (length(above)) sum(all$p[above] * -expm1(epsilon - all$loss[above])) else wide(0)
}

# Returns the smallest mu of randomized responses: the largest difference of quantiles at a corner of their curve.
wide_response_mu <- function(epsilons) {
  all <- wide_response_losses(epsilons)
  sums <- lapply(unique(as.numeric(all$loss[all$loss > 1e-12])), function(loss) {
    above <- which(all$loss > loss - 1e-12)
    c(sum(all$p[above]), sum(all$p[above] * exp(-all$loss[above])))
  })
  quantiles <- wide_quantile(do.call(c, sums))
  max(quantiles[c(TRUE, FALSE)] - quantiles[c(FALSE, TRUE)])
}

# Computes normal quantiles by Newton's method.
wide_quantile <- function(target) {
  upper <- which(target > .5)
  target[upper] <- 1 - target[upper]
  x <- wide(stats::qnorm(as.numeric(log(target)), log.p = TRUE))
  root <- sqrt(wide(2))
  pi <- Rmpfr::Const("pi", 400)
  for (i in 1:8) x <- x - (Rmpfr::erfc(-x / root) / 2 - target) * sqrt(2 * pi) * exp(x^2 / 2)
  x[upper] <- -x[upper]
  x
}
