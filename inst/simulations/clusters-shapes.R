# Clusters that are not convex, from private mixtures of ten components that are merged along their passes: two rings
# around one center, and two arcs that reach into each other. 10,000 rows, half of them in each, in a public box; delta
# = 1e-6. The adjusted Rand index of the labels with the truth, medians over 10 runs, quartiles, and the part of the
# runs above .98.
#
# `oracle` is the best merging of the same components into two that the true labels could find: what it lacks, the fit
# lacks, and what the other lacks in comparison, the merging.
#
#   Rscript inst/simulations/clusters-shapes.R
source("inst/simulations/clusters-common.R")
set.seed(21)
runs <- sized(10)
n <- 1e4

ring_rows <- function(radii, sd) {
  angle <- runif(n, 0, 2 * pi)
  label <- rep(1:2, length.out = n)
  list(X = radii[label] * cbind(cos(angle), sin(angle)) + rnorm(2 * n, sd = sd), labels = label,
       box = domain_box(c(-4, -4), c(4, 4)))
}

arc_rows <- function(sd) {
  angle <- runif(n, 0, pi)
  label <- rep(1:2, length.out = n)
  X <- cbind(cos(angle), sin(angle))
  X[label == 2, ] <- rep(c(1, 0.5), each = sum(label == 2)) - X[label == 2, ]
  list(X = X + rnorm(2 * n, sd = sd), labels = label, box = domain_box(c(-3, -3), c(4, 4)))
}

shapes <- list(
  `rings, radii 1 and 3, sd .1` = function() ring_rows(c(1, 3), 0.1),
  `rings, radii 1 and 3, sd .25` = function() ring_rows(c(1, 3), 0.25),
  `rings, radii 1 and 2, sd .1` = function() ring_rows(c(1, 2), 0.1),
  `arcs, sd .05` = function() arc_rows(0.05),
  `arcs, sd .1` = function() arc_rows(0.1)
)
settings <- expand.grid(epsilon = c(0.5, 1, 2), rounds = c(12, 24))
mergings <- list(
  height = function(fit) cluster_morse(fit),
  `height, floor .02, guard .05` = function(fit) cluster_morse(fit, floor = 0.02, min_mass = 0.05),
  prominence = function(fit) cluster_morse(fit, order = "prominence")
)

one_setting <- function(data, epsilon, rounds) {
  fit <- private_mixture(data$X, data$box, 10, epsilon = epsilon, delta = 1e-6, rounds = rounds, rng = "R")
  component <- predict(fit, data$X)
  merged <- vapply(mergings, function(merge) rand_index(cut_into(merge(fit), 2)[component], data$labels), 0)
  c(merged, oracle = best_merging(component, data$labels, 10))
}

results <- do.call(rbind, lapply(names(shapes), function(shape) {
  found <- repetitions(runs, function(i) {
    data <- shapes[[shape]]()
    Map(function(epsilon, rounds) one_setting(data, epsilon, rounds), settings$epsilon, settings$rounds)
  })
  do.call(rbind, lapply(seq_len(nrow(settings)), function(s) {
    ari <- do.call(cbind, lapply(found, `[[`, s))
    data.frame(shape, settings[s, ], merging = rownames(ari), runs, rand_summary(ari),
               above = rowMeans(ari > 0.98), row.names = NULL)
  }))
}))
write_points(results, "clusters-shapes")
record_time("clusters-shapes.R")
