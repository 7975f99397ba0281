# Mixtures for tests, and slow computations of their densities.

random_mixture <- function(K, D, spread = 3, size = 1) {
  root <- function() matrix(stats::rnorm(D * D), D) * size / sqrt(D)
  covariances <- lapply(seq_len(K), function(k) crossprod(root()) + diag(0.1 * size^2, D))
  as_mixture(list(weights = stats::runif(K, 0.2, 1), means = matrix(stats::rnorm(K * D, sd = spread), K),
                  covariances = covariances))
}

slow_log_parts <- function(mixture, X) {
  part <- function(k) {
    S <- matrix(mixture$covariances[, , k], ncol(X))
    d <- t(X) - mixture$means[k, ]
    log(mixture$weights[k]) - (ncol(X) * log(2 * pi) + as.numeric(determinant(S)$modulus) +
                               colSums(d * solve(S, d))) / 2
  }
  matrix(vapply(seq_along(mixture$weights), part, numeric(nrow(X))), nrow(X))
}

slow_log_density <- function(mixture, X) {
  parts <- slow_log_parts(mixture, X)
  apply(parts, 1, function(p) max(p) + log(sum(exp(p - max(p)))))
}

# Draws a single start.
draw_centers <- function(clusters, dimension, rng) draw_starts(1, clusters, dimension, rng)[[1]]
