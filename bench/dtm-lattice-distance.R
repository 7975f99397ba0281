#!/usr/bin/env Rscript
# The diagram of the distance to a measure in whole numbers, as the release has it, against that in doubles, on the
# same rows and grids in one run: simulate() of a mechanism, with one draw, beside dtm_persistence() and simulate() of
# the same mechanism on its result. First, draws of both must be near the diagram in doubles. Run from the top of the
# checkout:
#   Rscript bench/dtm-lattice-distance.R [RUNS]

library(dptda)
source("bench/common.R")
set.seed(20)
options(dptda.threads = 1)
most_runs <- as.numeric(c(commandArgs(TRUE), Inf)[1])

circles <- function(n, d) {
  angle <- stats::runif(n, 0, 2 * pi)
  X <- cbind(cos(angle) + c(-1.5, 1.5), sin(angle), if (d == 3) stats::runif(n, -1, 1))
  X + stats::rnorm(length(X), sd = 0.1)
}

say("diagram of the distance to a measure, m0 = 0.2, two circles, one thread; processor seconds, best of several runs")
compare <- function(X, grid, r, clip, what, runs) {
  n <- if (is.matrix(X)) nrow(X) else sum(X$weights)
  mechanism <- private_diagram(unseen(n), grid, epsilon = 1000, m0 = 0.2, r = r, clip = clip, max_points = 20)
  truth <- function() dtm_persistence(X, grid, 0.2, r = r, clip = clip, max_dimension = 1, essential = "drop")
  doubles <- function() simulate(mechanism, 1, x = truth())
  wholes <- function() simulate(mechanism, 1, x = X)
  for (draw in list(doubles, wholes)) check_near(draw()[[1]], mechanism, truth())
  best <- race(min(runs, most_runs), doubles, wholes, of_runs = min)
  say("%-38s r = %.1f, clip = %3.1f: doubles %.4f, whole numbers %.4f, ratio %.2f", what, r, clip, best[1],
      best[2], best[2] / best[1])
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
