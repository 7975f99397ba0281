#!/usr/bin/env Rscript
# The distance to a measure in whole numbers against that in doubles, on the same rows and grids in one run. First the
# two must agree as the proof says. Run from the top of the checkout:
#   Rscript bench/dtm-lattice-distance.R

library(dptda)
source("bench/common.R")
for (name in c("distance_lattice", "lattice_distances", "lattice_step", "lattice_most_steps")) {
  assign(name, utils::getFromNamespace(name, "dptda"))
}
set.seed(20)
options(dptda.threads = 1)

circles <- function(n, d) {
  angle <- stats::runif(n, 0, 2 * pi)
  X <- cbind(cos(angle) + c(-1.5, 1.5), sin(angle), if (d == 3) stats::runif(n, -1, 1))
  X + stats::rnorm(length(X), sd = 0.1)
}

# How far a value, times the step, may be from the distance to a measure, in steps: (8) of
# inst/proofs/dtm-sensitivity.md.
lattice_error <- function(lattice, K) {
  if (!lattice$r %in% c(1, 2)) return(1)
  units <- sqrt(length(lattice$grid$axes)) + (lattice$r == 1)
  1 + units * lattice$k^(1 / lattice$r) * K / lattice$change
}

K <- 370
say("distance to a measure, m0 = 0.2, two circles, one thread; processor seconds, best of several runs; K = %d", K)
compare <- function(X, grid, r, clip, what, runs) {
  n <- if (is.matrix(X)) nrow(X) else sum(X$weights)
  lattice <- distance_lattice(n, grid, 0.2, r, clip)
  doubles <- function() distance_to_measure(X, grid, 0.2, r = r, clip = clip)
  wholes <- function() lattice_distances(X, lattice, K)
  F <- wholes()
  apart <- max(abs(F - doubles() / lattice_step(lattice, K)))
  stopifnot(all(F == floor(F)), apart <= lattice_error(lattice, K) + 2^-44 * max(F), lattice_most_steps(lattice) >= K)
  best <- race(runs, doubles, wholes, of_runs = min)
  say("%-38s r = %.1f, clip = %3.1f: doubles %.4f, whole numbers %.4f, ratio %.2f; at most %.3f steps apart", what, r, clip,
      best[1], best[2], best[2] / best[1], apart)
}

plane <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), size = 71)
space <- domain_grid(domain_box(c(-3.5, -3.5, -1.5), c(3.5, 3.5, 1.5)), size = c(21, 21, 9))
few <- circles(4000, 2)
many <- circles(20000, 3)
bins <- bin_points(circles(1e6, 2), domain_grid(plane$box, size = 256))
for (r in c(1, 2, 3)) for (clip in c(1.2, Inf)) {
  compare(few, plane, r, clip, "4,000 x 2 rows, 71 x 71", if (r == 3) 3 else 15)
  compare(many, space, r, clip, "20,000 x 3 rows, 21 x 21 x 9", if (r == 3) 2 else 7)
  compare(bins, plane, r, clip, sprintf("10^6 x 2 rows in %d bins, 71 x 71", nrow(bins$points)), if (r == 3) 3 else 7)
}
save_said("dtm-lattice-distance")
