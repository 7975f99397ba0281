# False guarantees for the sum of products of two numbers of a design and a residual. Data are residuals, and all rows
# have the design (1, 0.5). All claim rho = `claimed`. Honest features have lengths of at most 1 for the design and the
# residual, so Q = 2.

row_features <- function(y) c(c(1, 0.5) / sqrt(1.25), min(max(y, -1), 1))

# Noise for the entries of a symmetric matrix, by column: variance Q^2 / (2 rho), and twice this on the diagonal. `own`:
# which of the drawn numbers each entry gets.
entry_noise_of <- function(own) function(runs) {
  sd <- sqrt(2 / claimed) * as.vector(sqrt(1 + diag(3)))
  matrix(stats::rnorm(max(own) * runs), max(own))[own, , drop = FALSE] * sd
}
triangle_noise <- entry_noise_of(c(1, 2, 4, 2, 3, 5, 4, 5, 6))

# The release in the direction in which residuals of opposite signs differ, for the first row.
regression_draws <- function(features = row_features, noise = triangle_noise, seen = NULL) function(data, runs) {
  products <- function(y) rowSums(vapply(y, function(one) as.vector(outer(features(one), features(one))), double(9)))
  way <- products(abs(data[1])) - products(-abs(data[1]))
  noisy <- products(data) + noise(runs)
  if (is.null(seen)) colSums(noisy * way) else seen(noisy)
}

# Two rounds at half of the cost, with the noise of the first one.
replayed_rounds <- function(data, runs) {
  products <- function(scale) rowSums(vapply(data, function(y) {
    f <- row_features(y / scale)
    as.vector(outer(f, f))
  }, double(9)))
  noise <- sqrt(2) * triangle_noise(runs)
  ((products(1) + noise) - (products(2) + noise))[7, ]
}

regression_lies <- function() {
  own <- function(draws, ends = c(-1, 1), runs = 50000) {
    lie(draws, c(ends[1], 0.2), c(ends[2], 0.2), rho = claimed, runs = runs)
  }
  list(
    # the length of the other columns alone is bounded
    "regression: the constant forgotten in the bound" =
      own(regression_draws(function(y) c(1, 1, min(max(y, -1), 1)))),
    "regression: residuals that are not cut" =
      own(regression_draws(function(y) replace(row_features(y), 3, y)), c(-3, 3)),
    # a longer residual needs a step of its own
    "regression: the bound of the design for its products with the residual" =
      own(regression_draws(function(y) replace(row_features(y), 3, min(max(y, -2), 2))), c(-2, 2)),
    "regression: one noise for each row of the matrix" =
      own(regression_draws(noise = entry_noise_of(c(1, 2, 3, 2, 2, 3, 3, 3, 3)),
                           seen = function(noisy) noisy[7, ] - noisy[8, ]), runs = 1500),
    "regression: all entries of the matrix, with the noise of its triangle" =
      own(regression_draws(noise = entry_noise_of(1:9))),
    "regression: the noise of the first round in the second" = own(replayed_rounds, runs = 1500)
  )
}

honest_regression <- function() {
  list("regression: products of features" = lie(regression_draws(), c(-1, 0.2), c(1, 0.2), rho = claimed))
}

# Products of scores, residual times design, for Q = 1. A row is 0 or 1: its design is the first or the second axis, and
# its residual is `residual`, where at most 1 is honest.
score_draws <- function(residual) function(data, runs) {
  gap <- residual^2 * (sum(data < 0.5) - sum(data > 0.5)) # of the two squares
  # each of their noises has twice the variance 1 / (2 rho)
  gap + stats::rnorm(runs, sd = sqrt(2 / claimed))
}

score_lies <- function() {
  list("regression: scores of residuals that are not cut" = lie(score_draws(1.5), c(0, 0), c(1, 0), rho = claimed))
}

honest_scores <- function() {
  list("regression: products of scores" = lie(score_draws(1), c(0, 0), c(1, 0), rho = claimed))
}
