#!/usr/bin/env Rscript
# A round of expectation and maximization without privacy, beside mclust and ClusterR where they are installed, on one
# thread and from the same mixture: the labels after ten rounds must be equal before a time is printed. Then the same
# with privacy, private_mixture(), and how both grow. Run from the top of the checkout:
#   OMP_NUM_THREADS=1 Rscript bench/cluster-fit.R

library(dptda)
source("bench/common.R")
options(dptda.threads = 1)
has <- function(package) requireNamespace(package, quietly = TRUE)
if (has("mclust")) library(mclust, quietly = TRUE)

random_rows <- function(n, D, K) {
  set.seed(1)
  means <- matrix(stats::rnorm(K * D, sd = 2.5), K)
  means[sample(K, n, TRUE), ] + matrix(stats::rnorm(n * D), n)
}

# Seconds of an expression, the median of five: of the processor on one thread, of the clock on two.
seconds <- function(f, of = 1:2) stats::median(vapply(1:5, function(i) sum(system.time(f())[of]), 0))

rounds <- 10
run_ours <- function(X, start, times = rounds) fit_mixture(X, start = start, rounds = times, tolerance = 0)

run_mclust <- function(X, start, times = rounds) {
  K <- length(start$weights)
  D <- ncol(X)
  factors <- array(apply(start$covariances, 3, chol), c(D, D, K))
  parameters <- list(pro = start$weights, mean = t(start$means),
                     variance = list(modelName = "VVV", d = D, G = K, sigma = start$covariances, cholsigma = factors))
  mclust::em(data = X, modelName = "VVV", parameters = parameters, control = mclust::emControl(itmax = times, tol = 0))
}

run_clusterr <- function(X, K, rounds) {
  ClusterR::GMM(X, K, seed_mode = "static_subset", km_iter = 0, em_iter = rounds, full_covariance_matrices = TRUE)
}

as_ours <- function(fit) {
  as_mixture(list(weights = as.vector(fit$weights), means = fit$centroids, covariances = fit$covariance_matrices))
}

compare <- function(n, D, K) {
  X <- random_rows(n, D, K)
  start <- if (has("ClusterR")) as_ours(run_clusterr(X, K, 2)) else fit_mixture(X[1:2000, ], K, rounds = 1)
  ours <- run_ours(X, start)
  labels <- predict(ours, X)
  # ten rounds more than two: the time of what is not a round falls out, here and below
  per_round <- (seconds(function() run_ours(X, start, 2 + rounds)) - seconds(function() run_ours(X, start, 2))) / rounds
  say("n = %d, D = %d, K = %d: %.1f ms a round", n, D, K, 1000 * per_round)
  if (has("mclust")) {
    theirs <- run_mclust(X, start)
    stopifnot(mean(max.col(theirs$z, "first") == labels) > 0.9999)
    once <- (seconds(function() run_mclust(X, start, 2 + rounds)) -
             seconds(function() run_mclust(X, start, 2))) / rounds
    say("  mclust::em        %.1f ms, %.1f times as long", 1000 * once, once / per_round)
  } else say("  mclust is not installed")
  if (has("ClusterR")) {
    theirs <- as_ours(run_clusterr(X, K, 2 + rounds))
    same <- mean(predict(theirs, X) == labels)
    stopifnot(same > 0.999)
    once <- (seconds(function() run_clusterr(X, K, 2 + rounds)) - seconds(function() run_clusterr(X, K, 2))) / rounds
    say("  ClusterR::GMM     %.1f ms, %.1f times as long (%.4f of the labels equal)", 1000 * once, once /
        per_round, same)
  } else say("  ClusterR is not installed")
}

say("one thread; processor time, medians of five runs")
compare(59130, 8, 10)
compare(200000, 10, 12)
compare(20000, 30, 5)

say(paste0("private_mixture(), ten rounds, epsilon = 1, and fit_mixture(), ten rounds; seconds by the clock with ",
           "one thread and with two"))
private <- function(X, K) {
  private_mixture(X, domain_box(rep(-15, ncol(X)), rep(15, ncol(X))), K, epsilon = 1, delta = 1e-6, rounds = rounds)
}
for (size in list(c(59130, 8, 10), c(59130, 8, 20), c(59130, 16, 10), c(118260, 8, 10), c(1e6, 10, 12))) {
  X <- random_rows(size[1], size[2], size[3])
  start <- fit_mixture(X[1:2000, ], size[3], rounds = 1)
  taken <- vapply(1:2, function(threads) {
    options(dptda.threads = threads)
    c(seconds(function() private(X, size[3]), 3), seconds(function() run_ours(X, start), 3))
  }, c(0, 0))
  say("n = %7d, D = %2d, K = %d: private %.2f and %.2f, without privacy %.2f and %.2f", size[1], size[2], size[3],
      taken[1, 1], taken[1, 2], taken[2, 1], taken[2, 2])
}
save_said("cluster-fit")
