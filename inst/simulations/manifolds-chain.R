# The paper's Metropolis chain on the unit sphere (10,000 steps from the mean, 2,000 chains), for several lengths of a
# step, beside exact draws: mean Euclidean distance of a release from the mean, epsilon = 1, r = pi / 8, relative to
# that of the ambient mechanism. The paper does not state the length of a step.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-common.R")
set.seed(13)

chains <- sized(2000)
exact_draws <- sized(1e5)
sizes <- c(25, 100, 500)
lengths <- c(0.001, 0.002, 0.005, 0.1)
keep <- c(1000, 10000)
radius <- studies$sphere$radius
numerator <- searched_numerator(radius)

# Share of the ambient error that is saved, with its standard error. The ambient error has a known mean.
saved <- function(angles, n) {
  ambient <- 3 * 2 * studies$sphere$ambient_radius / n
  error <- 2 * sin(angles / 2)
  data.frame(saved = signif(1 - mean(error) / ambient, 4), se = signif(sd(error) / sqrt(length(error)) / ambient, 2))
}

one_size <- function(n) {
  scale <- numerator / convexity(radius) / n
  pole <- studies$sphere$center
  exact <- manifold_distance(pole, rmanifold_laplace(exact_draws, manifold_sphere(2), pole, scale, rng = "R"),
                             manifold_sphere(2))
  walks <- lapply(lengths, function(length) {
    angles <- sphere_chain(chains, keep, scale, length)
    cbind(n, length, step = keep, do.call(rbind, lapply(seq_along(keep), function(i) saved(angles[, i], n))))
  })
  rbind(cbind(n, length = 0, step = Inf, saved(exact, n)), do.call(rbind, walks))
}
write_table(do.call(rbind, repetitions(length(sizes), function(i) one_size(sizes[i]))), "manifolds-chain")
record_time("manifolds-chain.R")
