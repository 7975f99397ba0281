#!/usr/bin/env Rscript
# Morse merging: how long it takes, how many of the merges go over a saddle that was found, and in the plane, how far
# the persistence of its modes is from that of the density on a fine grid (whose error is of the order of its spacing).
# Run from the top of the checkout:
#   Rscript bench/cluster-morse.R

library(dptda)
source("bench/common.R")
options(dptda.threads = 1)

random_mixture <- function(K, D, spread) {
  root <- function() matrix(stats::rnorm(D * D), D) / sqrt(D)
  as_mixture(list(weights = stats::runif(K, 0.2, 1), means = matrix(stats::rnorm(K * D, sd = spread), K),
                  covariances = lapply(seq_len(K), function(k) crossprod(root()) + diag(0.1, D))))
}

# Merges over saddles, and all.
over_saddles <- function(merging) {
  key <- function(pairs) paste(pmin(pairs$from, pairs$to), pmax(pairs$from, pairs$to))
  found <- merging$passes$saddle[match(key(merging$merges), key(merging$passes))]
  c(sum(found), length(found))
}

grid_diagram <- function(mixture, size) {
  axes <- lapply(1:2, function(j) {
    half <- 6 * max(sqrt(mixture$covariances[j, j, ]))
    seq(min(mixture$means[, j]) - half, max(mixture$means[, j]) + half, length.out = size)
  })
  grid_persistence(matrix(-predict(mixture, as.matrix(expand.grid(axes)), "logdensity"), size), max_dimension = 0)
}

say("random mixtures, five of each kind; processor seconds of cluster_morse() on one core, the median and the most")
for (K in c(10, 30)) for (D in c(2, 10, 30)) for (spread in c(1, 2, 6)) {
  if (K * D > 300) next
  seconds <- double()
  merges <- c(0, 0)
  for (seed in 1:5) {
    set.seed(seed)
    mixture <- random_mixture(K, D, spread)
    seconds[seed] <- sum(system.time(merging <- cluster_morse(mixture))[1:2])
    merges <- merges + over_saddles(merging)
  }
  say("K = %d, D = %2d, centers %d apart: %.2f, %.2f; %d of %d merges over saddles", K, D, spread,
      stats::median(seconds),
      max(seconds), merges[1], merges[2])
}

say(paste0("in the plane, K = 30, ten of each kind, grid of 500 x 500: bottleneck distance of the diagrams, the ",
           "median and the most"))
for (spread in c(1, 2, 4)) {
  apart <- seconds <- slow <- double()
  for (seed in 1:10) {
    set.seed(100 + seed)
    mixture <- random_mixture(30, 2, spread)
    seconds[seed] <- sum(system.time(merging <- cluster_morse(mixture))[1:2])
    slow[seed] <- sum(system.time(grid <- grid_diagram(mixture, 500))[1:2])
    apart[seed] <- bottleneck_distance(grid, merging$diagram, dimension = 0)
  }
  say("centers %d apart: %.4f, %.4f; %.2f s against %.2f s on the grid, ratio %.1f", spread, stats::median(apart),
      max(apart),
      stats::median(seconds), stats::median(slow), stats::median(slow / seconds))
}
save_said("cluster-morse")
