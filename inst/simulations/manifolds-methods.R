#!/usr/bin/env Rscript
# What exact noise in the tangent space costs, compared with noise in doubles on the manifold itself: the ratio of the
# distances from the mean within which 95 % of the releases lie (frechet_noise()), for a mean at the center of the ball
# and for one anywhere in it, which is a bound. A minute.
#
#   Rscript inst/simulations/manifolds-methods.R
#
# Writes inst/simulations/results/manifolds-methods.csv.
source("inst/simulations/common.R")

settings <- list(
  list("sphere", manifold_sphere(2), pi / 8), list("sphere", manifold_sphere(2), pi / 6),
  list("sphere", manifold_sphere(2), pi / 4.1), list("sphere, dimension 10", manifold_sphere(10), pi / 8),
  list("rotations", manifold_rotation(3), 0.5), list("rotations", manifold_rotation(3), 1),
  list("definite matrices", manifold_spd(2), 0.5), list("definite matrices", manifold_spd(2), 1.5),
  list("definite matrices, 3 x 3", manifold_spd(3), 1.5),
  list("hyperbolic plane", manifold_hyperbolic(2), 1), list("hyperbolic plane", manifold_hyperbolic(2), 3)
)
ratio <- function(setting, mean_at) {
  noise <- function(method) {
    frechet_noise(1000, setting[[2]], setting[[3]], epsilon = 1, mean_at = mean_at, method = method)
  }
  noise("tangent") / noise("intrinsic")
}
found <- do.call(rbind, lapply(settings, function(setting) {
  data.frame(manifold = setting[[1]], radius = signif(setting[[3]], 3),
             center = signif(ratio(setting, "center"), 3), anywhere = signif(ratio(setting, "anywhere"), 3))
}))
write_table(found, "manifolds-methods")
print(found)
