# The curves of the elementary guarantees, on plain numbers. `s` is everywhere
# the order of a Renyi divergence less one: orders near one lose no digits that
# way. Statements and sources: inst/proofs/privacy-compose.md.

log_sum <- function(x) {
  top <- max(x, -Inf)
  if (is.finite(top)) top + log(sum(exp(x - top))) else top
}

log_one_plus_exp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))

# log(exp(x) - 1) for x > 0.
log_expm1 <- function(x) ifelse(x > 1, x + log1p(-exp(-x)), log(expm1(pmin(x, 2))))

# A loss must not become none because its square is too small for a double.
keep_positive <- function(value, loss) ifelse(rep_len(loss > 0, length(value)), pmax(value, .Machine$double.xmin), 0)

# Pure epsilon: randomized response dominates every such mechanism. --------

response_rho <- function(epsilon) keep_positive(epsilon * tanh(epsilon / 2), epsilon)

response_mu <- function(epsilon) {
  # qnorm() near one half would lose a tiny epsilon
  ifelse(epsilon < 1e-5, sqrt(pi / 2) * epsilon * (1 + epsilon^2),
         -2 * stats::qnorm(-log_one_plus_exp(epsilon), log.p = TRUE))
}

# log(cosh((alpha - 1/2) epsilon) / cosh(epsilon / 2)) / (alpha - 1), as a
# product where the quotient is near one.
response_renyi <- function(epsilon, s) {
  near <- (1 + s) * epsilon < 20
  first <- ifelse(near, (1 + s) * epsilon, 0) / 2
  second <- ifelse(near, s * epsilon, 0) / 2
  ifelse(near,
         log1p(2 * sinh(first) * sinh(second) / cosh(first - second)) / s,
         epsilon + (log1p(exp(-(2 * s + 1) * epsilon)) - log1p(exp(-epsilon))) / s)
}

# Bounded range: the log ratios of an exponential mechanism lie in an interval
# of length epsilon. The worst case has two outputs; where its interval starts
# depends on the order. ----------------------------------------------------

range_rho <- function(epsilon) {
  series <- epsilon^2 / 8 - epsilon^4 / 576 + epsilon^6 / 25920
  exact <- epsilon / expm1(epsilon) - 1 + epsilon + log(-expm1(-epsilon)) - log(epsilon)
  keep_positive(ifelse(epsilon < .05, series, exact), epsilon)
}

range_renyi <- function(epsilon, s) {
  y <- s * epsilon
  series <- epsilon * ((y + epsilon) / 8 - (y^3 + 2 * y^2 * epsilon + 2 * y * epsilon^2 + epsilon^3) / 576 +
    (y^5 + 3 * y^4 * epsilon + 5 * y^3 * epsilon^2 + 5 * y^2 * epsilon^3 + 3 * y * epsilon^4 + epsilon^5) / 25920)
  exact <- epsilon / 2 + log1p(-expm1(-epsilon) / expm1(y)) - log1p(1 / s) +
    (log_sinhc(y + epsilon) - log_sinhc(epsilon)) / s
  ifelse(epsilon + y < .05, series, exact)
}

# log(sinh(x / 2) / (x / 2)) for x >= 0.
log_sinhc <- function(x) {
  ifelse(x < .1, x^2 / 24 - x^4 / 2880 + x^6 / 181440 - x^8 / 9676800, x / 2 + log(-expm1(-x)) - log(x))
}

# Gaussian: log delta at any epsilon, also a negative one, exactly. --------

gaussian_log_delta <- function(epsilon, mu) {
  # delta(-epsilon) = 1 - exp(-epsilon) + exp(-epsilon) delta(epsilon)
  size <- abs(epsilon)
  ahead <- gaussian_ahead(size, mu)
  ifelse(epsilon < 0, log(-expm1(-size) + exp(ahead - size)), ahead)
}

# With x = epsilon / mu - mu / 2 and R the ratio of the normal tail to the
# density, delta = density(x) (R(x) - R(x + mu)).
gaussian_ahead <- function(epsilon, mu) {
  x <- epsilon / mu - mu / 2
  tail <- stats::pnorm(-x, log.p = TRUE)
  other <- epsilon + stats::pnorm(-x - mu, log.p = TRUE)
  ifelse(mu < .1 * pmax(1, x),
         stats::dnorm(x, log = TRUE) + log(mills_drop(pmax(x, -1), mu)),
         tail + log(-expm1(pmin(other - tail, 0))))
}

# R(x) - R(x + mu) where the two are nearly equal: the integral of
# -R'(t) = 1 - t R(t) by Gauss and Legendre's rule with five nodes.
mills_drop <- function(x, mu) {
  node <- c(-0.906179845938664, -0.538469310105683, 0, 0.538469310105683, 0.906179845938664)
  weight <- c(0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366, 0.236926885056189)
  total <- 0
  for (i in seq_along(node)) total <- total + weight[i] * mills_slope(x + mu * (1 + node[i]) / 2)
  mu / 2 * total
}

mills_slope <- function(t) {
  ratio <- exp(stats::pnorm(-t, log.p = TRUE) - stats::dnorm(t, log = TRUE))
  far <- t > 50
  u <- ifelse(far, 1 / t^2, 0)
  ifelse(far, u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u))), 1 - t * ratio)
}

# From a Renyi divergence `divergence` of order 1 + s: what the theorem of
# Canonne, Kamath and Steinke says of delta and of epsilon. ----------------

renyi_log_delta <- function(divergence, s, epsilon) {
  s * (divergence - epsilon) - log(s) - (1 + s) * log1p(1 / s)
}

renyi_epsilon <- function(divergence, s, log_delta) {
  divergence - log1p(1 / s) - (log_delta + log1p(s)) / s
}
