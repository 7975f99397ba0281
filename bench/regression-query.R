#!/usr/bin/env Rscript
# One query of the rows for a regression beside the same round without privacy in R, on one thread: clamping, the
# design after the map, weights, and crossprod(), which is BLAS. Both results must agree before a time is printed: the
# noise is that of a rho so large that only the rounding of features is left. Run from the top of the checkout:
#   OMP_NUM_THREADS=1 Rscript bench/regression-query.R

source("bench/common.R")
library(dptda)
options(dptda.threads = 1)

# The definitions of the proof, for all rows at once.
plain_round <- function(X, box, model, reach, cut) {
  p <- length(model$beta)
  Z <- matrix(0, nrow(X), p + 1)
  for (j in seq_len(p + 1)) {
    Z[, j] <- 2 * (pmin(pmax(X[, j], box$lower[j]), box$upper[j]) - box$lower[j]) / (box$upper[j] - box$lower[j]) - 1
  }
  z <- Z[, seq_len(p), drop = FALSE]
  eta <- as.vector(z %*% model$beta)
  h <- tcrossprod(z, model$map)
  if (model$family == "binomial") {
    P <- stats::plogis(eta)
    v <- P * (1 - P)
    c <- pmin(1, cut^2 * v / pmax(P, 1 - P)^2)
    h <- sqrt(c * v) * h
    psi <- ((X[, p + 1] > 0.5) - P) * sqrt(c / v)
  } else {
    psi <- pmin(pmax((Z[, p + 1] - eta) / model$scale, -cut), cut)
  }
  w <- pmin(1, reach / sqrt(rowSums(h^2)))
  crossprod(w * cbind(h, psi))
}

measure <- function(n, p, family) {
  set.seed(1)
  X <- matrix(stats::runif(n * p, -1, 1), n)
  X[, 1] <- 1
  beta <- c(0.2, rep(1 / sqrt(p), p - 1))
  eta <- as.vector(X %*% beta)
  y <- if (family == "binomial") stats::rbinom(n, 1, stats::plogis(eta)) else eta + stats::rnorm(n, sd = 0.3)
  X <- cbind(X, y)
  box <- list(lower = c(rep(-1, p), -3), upper = c(rep(1, p), 3))
  map <- diag(1.7, p)
  map[lower.tri(map)] <- 0.1
  model <- list(family = family, beta = beta / if (family == "binomial") 1 else 3, map = map, scale = 0.1)
  query <- dptda:::plan_regression_query(n, p, 1e12, sqrt(1.5 * p), 2, family)
  asked <- dptda:::regression_query(box$lower, box$upper, model, query)
  plain <- plain_round(X, box, model, query$reach, query$cut)
  drawn <- asked$draw(asked$statistic(X), "os")
  apart <- max(abs(c(drawn$A - plain[1:p, 1:p], drawn$b - plain[1:p, p + 1], drawn$c - plain[p + 1, p + 1]))) / n
  stopifnot(apart < 1e-3)
  spent <- race(7, function() plain_round(X, box, model, query$reach, query$cut),
                function() asked$draw(asked$statistic(X), "os"), of_runs = min)
  c(spent, apart)
}

say("processor milliseconds of one thread, the least of seven runs; plain: the same round without privacy in R")
say("%22s %10s %8s %8s %8s %14s", "n x p", "family", "plain", "query", "ratio", "ns per row")
for (family in c("gaussian", "binomial")) for (size in list(c(1e5, 5), c(1e5, 10), c(1e5, 21), c(1e6, 10))) {
  found <- measure(size[1], size[2], family)
  say("%22s %10s %8.1f %8.1f %8.1f %14.1f", sprintf("%d x %d", as.integer(size[1]), as.integer(size[2])), family,
      1000 * found[1], 1000 * found[2], found[1] / found[2], 1e9 * found[2] / size[1])
}
say("ratio: how many queries take as long as a round without privacy")
save_said("regression-query")
