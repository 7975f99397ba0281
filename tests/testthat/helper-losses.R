# Oracles for the distribution of the privacy loss: hockey sticks in closed form, and sums over the losses of further
# mechanisms by a rule with many nodes. `reversed` exchanges the two neighbors.

stick_of_pure <- function(x, epsilon) {
  plogis(epsilon) * pmax(0, -expm1(x - epsilon)) + plogis(-epsilon) * pmax(0, -expm1(x + epsilon))
}

stick_of_gaussian <- function(x, mu) pnorm(mu / 2 - x / mu) - exp(x) * pnorm(-mu / 2 - x / mu)

# A mixture of normals at zero and 1 / noise, against the one at zero.
stick_of_mixture <- function(x, noise, rate) {
  ratio <- pmax((expm1(x) + rate) / rate, 0)
  z <- noise * log(ratio) + .5 / noise
  ifelse(ratio > 0, rate * (pnorm(1 / noise - z) - ratio * pnorm(-z)), -expm1(x))
}

reversed_stick <- function(x, stick) -expm1(x) + exp(x) * stick(-x)

stick_of_poisson <- function(x, noise, rate, reversed) {
  stick <- function(x) stick_of_mixture(x, noise, rate)
  if (reversed) reversed_stick(x, stick) else stick(x)
}

stick_of_batches <- function(x, noise, rate) {
  stick <- function(x) stick_of_mixture(x, noise, rate)
  ifelse(x >= 0, stick(pmax(x, 0)), reversed_stick(pmin(x, 0), stick))
}

stick_of_range <- function(x, epsilon) {
  ifelse(x >= epsilon, 0, ifelse(x <= -epsilon, -expm1(x), expm1((x - epsilon) / 2)^2 / -expm1(-epsilon)))
}

# Adds one range, over many starts of its interval: a lower bound, which is nearly reached.
add_range_slowly <- function(x, stick, epsilon, starts = 400) {
  best <- 0
  for (t in seq(0, epsilon, length.out = starts)) {
    up <- expm1(t - epsilon) / expm1(-epsilon)
    best <- pmax(best, up * stick(x - t) + (1 - up) * stick(x - t + epsilon))
  }
  best
}

# Returns losses and their probabilities under the first of the two neighbors.
losses_of_gaussian <- function(mu, step = .004) {
  z <- seq(-9, 9, by = step)
  list(loss = mu * z + mu^2 / 2, p = step * dnorm(z))
}

losses_of_mixture <- function(noise, rate, reversed, step = .004) {
  z <- seq(-9, 9 + 1 / noise, by = step)
  loss <- log1p(rate * expm1(pmin(z / noise - .5 / noise^2, 600)))
  if (reversed) list(loss = -loss, p = step * dnorm(z)) else
    list(loss = loss, p = step * ((1 - rate) * dnorm(z) + rate * dnorm(z - 1 / noise)))
}

losses_of_batches <- function(noise, rate, step = .004) {
  z <- seq(.5 / noise + step / 2, 9 + 1 / noise, by = step)
  loss <- log1p(rate * expm1(z / noise - .5 / noise^2))
  q <- step * dnorm(z)
  p <- step * ((1 - rate) * dnorm(z) + rate * dnorm(z - 1 / noise))
  list(loss = c(loss, -loss, 0), p = c(p, q, (1 - rate) * (1 - 2 * pnorm(-.5 / noise))))
}

losses_of_pure <- function(epsilons) {
  loss <- 0
  p <- 1
  for (epsilon in epsilons) {
    loss <- c(loss + epsilon, loss - epsilon)
    p <- c(p * plogis(epsilon), p * plogis(-epsilon))
  }
  list(loss = loss, p = p)
}

mean_stick <- function(x, stick, losses) {
  vapply(x, function(one) sum(losses$p * stick(one - losses$loss)), 0)
}
