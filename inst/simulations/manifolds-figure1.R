# Reimherr, Bharath and Soto (2021), Figure 1, at full size: how far the Frechet mean moves when one row is replaced
# (30 pairs of data sets for each n), and how far private means are from it (1,000 data sets for each n, epsilon = 1),
# for Wishart matrices in SPD(2) and points on the unit sphere. Distances of releases are Euclidean, as in the paper.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-common.R")
set.seed(11)

epsilon <- 1
pairs <- sized(30)
replicates <- sized(1000)
sensitivity_sizes <- seq(20, 500, by = 10)
utility_sizes <- seq(25, 500, by = 25)
outside_sizes <- c(20, 25, 30, 35, 40)

mean_of <- function(X, study) frechet_mean(X, study$manifold)$point

# ---- Panels 1 and 3 --------------------------------------------------------------------------------------------------

one_pair <- function(n, study) {
  X <- study$data(n + 1)
  last <- if (is.matrix(X)) X[n + 1, ] else X[, , n + 1]
  X <- if (is.matrix(X)) X[-(n + 1), ] else X[, , -(n + 1)]
  manifold_distance(mean_of(X, study), mean_of(study$replace_first(X, last), study), study$manifold)
}

sensitivity_panel <- function(name) {
  study <- studies[[name]]
  distances <- lapply(sensitivity_sizes, function(n) unlist(repetitions(pairs, function(i) one_pair(n, study))))
  data.frame(manifold = name, n = rep(sensitivity_sizes, each = pairs), distance = signif(unlist(distances), 3))
}
write_points(do.call(rbind, lapply(names(studies), sensitivity_panel)), "manifolds-sensitivity")

# ---- Panels 2 and 4 --------------------------------------------------------------------------------------------------

# Scales of the noise. "clamped": ours, the sharp bound, all of the manifold, clamped to the ball. "whole": as in the
# paper's simulations, all of the manifold, on the sphere with the constant that was found by search. "conditioned": the
# paper's Theorem 3, within the ball, twice the scale, its bound of Theorem 2. "ambient": noise on the coordinates of
# the Frechet mean in the space around the manifold, as in the paper. "projected": the same noise on the arithmetic
# mean, for which its scale is right, and then the nearest point of the manifold.
scales <- function(name, n) {
  study <- studies[[name]]
  sharp <- frechet_sensitivity(n, study$manifold, study$radius)
  paper <- frechet_sensitivity(n, study$manifold, study$radius, bound = "paper")
  found <- if (name == "sphere") searched_numerator(study$radius) / convexity(study$radius) / n else paper
  c(clamped = sharp, whole = found, conditioned = 2 * paper, ambient = 2 * study$ambient_radius / n) / epsilon
}

releases <- function(mean, study, scale) {
  draw <- function(which, ...) rmanifold_laplace(1, study$manifold, mean, scale[[which]], ..., rng = "R")
  list(
    clamped = manifold_clamp(draw("clamped"), study$manifold, study$center, study$radius),
    whole = draw("whole"),
    conditioned = draw("conditioned", support = "ball", center = study$center, radius = study$radius)
  )
}

utility_size <- function(name, n) {
  study <- studies[[name]]
  scale <- scales(name, n)
  one <- function(i) {
    X <- study$data(n)
    mean <- mean_of(X, study)
    flat <- study$flatten(mean)
    arithmetic <- study$flatten(if (is.matrix(X)) colMeans(X) else rowMeans(X, dims = 2))
    intrinsic <- vapply(releases(mean, study, scale), function(x) sqrt(sum((study$flatten(x) - flat)^2)), 0)
    noise <- euclidean_laplace(1, study$ambient_dimension, scale[["ambient"]])[1, ]
    # matrices have arithmetic means far from their Frechet means; directions hardly
    target <- if (name == "sphere") flat else arithmetic
    c(intrinsic, ambient = sqrt(sum(noise^2)), projected = sqrt(sum((nearest(arithmetic + noise, name) - target)^2)))
  }
  errors <- do.call(cbind, repetitions(replicates, one))
  data.frame(manifold = name, n = n, method = rownames(errors), error = signif(rowMeans(errors), 5),
             se = signif(apply(errors, 1, sd) / sqrt(replicates), 3), row.names = NULL)
}

# The nearest point of the closure of the manifold.
nearest <- function(x, name) {
  if (name == "sphere") return(x / sqrt(sum(x^2)))
  spectrum <- eigen(matrix(c(x[1], x[2] / sqrt(2), x[2] / sqrt(2), x[3]), 2), symmetric = TRUE)
  positive <- spectrum$vectors %*% (pmax(spectrum$values, 0) * t(spectrum$vectors))
  studies$spd$flatten(positive)
}

utility <- function(name) do.call(rbind, lapply(utility_sizes, utility_size, name = name))
write_table(do.call(rbind, lapply(names(studies), utility)), "manifolds-utility")

# ---- How often the ambient release is no positive definite matrix ----------------------------------------------------

# Noise on the Frechet mean, as the paper's text says; on the arithmetic mean, for which the sensitivity holds; and on
# the Frechet mean with equal noise on the three entries of the triangle, which is half as much again off the diagonal.
outside_share <- function(n) {
  study <- studies$spd
  noise <- euclidean_laplace(replicates, 3, 2 * study$ambient_radius / n / epsilon)
  means <- do.call(cbind, repetitions(replicates, function(i) {
    X <- study$data(n)
    c(mean_of(X, study)[c(1, 2, 4)], rowMeans(X, dims = 2)[c(1, 2, 4)])
  }))
  share <- function(mean, off_diagonal) {
    x <- t(mean) + noise * rep(c(1, off_diagonal, 1), each = replicates)
    mean(!(x[, 1] > 0 & x[, 1] * x[, 3] > x[, 2]^2))
  }
  data.frame(n, frechet = share(means[1:3, ], sqrt(0.5)), arithmetic = share(means[4:6, ], sqrt(0.5)),
             triangle = share(means[1:3, ], 1))
}
write_table(do.call(rbind, lapply(outside_sizes, outside_share)), "manifolds-outside")
record_time("manifolds-figure1.R")
