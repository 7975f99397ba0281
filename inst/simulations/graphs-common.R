# What the scripts on private graphs share: graphs of given probabilities, diagrams of embeddings, and what Vishwanath
# and Hehir (2022) computed from them.
source("inst/simulations/common.R")

# A graph with the probabilities P, as a matrix.
draw_graph <- function(P) {
  n <- nrow(P)
  upper <- matrix(runif(n^2) < P, n) * upper.tri(P)
  upper + t(upper)
}

# n points of the lemniscate of Gerono, evenly along its length, as the paper's code draws them; and its kernel, the
# density of Normal(0, .75) at the distance.
lemniscate_points <- function(n) {
  t <- seq(0, 2 * pi, length.out = 4097)
  curve <- cbind(cos(t), cos(t) * sin(t))
  along <- c(0, cumsum(sqrt(rowSums(diff(curve)^2))))
  at <- approx(along, t, runif(n, 0, max(along)))$y
  cbind(cos(at), cos(at) * sin(at))
}
normal_probabilities <- function(Z) matrix(dnorm(as.matrix(dist(Z)), 0, 0.75), nrow(Z))

# A random dot product graph on a circle: probabilities .5 + .4 cos(s - t), positions in R^3.
circle_positions <- function(n) {
  angle <- runif(n, 0, 2 * pi)
  cbind(sqrt(0.5), sqrt(0.4) * cos(angle), sqrt(0.4) * sin(angle))
}

# Components and loops of the alpha complex of some points (package TDA), as the paper has them. The component that
# never ends is left out: it is the same for all clouds, and would not let a diagram be shifted.
cloud_diagram <- function(X) {
  found <- embedding_diagram(X, "alpha", max_dimension = 1)
  found <- found[is.finite(found$death), ]
  persistence_diagram(found$dimension, found$birth, found$death)
}

# The distances of two diagrams, in one dimension: bottleneck, shift-invariant, and both of the logarithms. The
# logarithm of a birth of 0 is the paper's: no logarithm is below that of the smallest death of a component.
kinds <- c("bottleneck", "shift", "log bottleneck", "log shift")
all_distances <- function(x, y, dimension) {
  c(bottleneck_distance(x, y, dimension = dimension), shift_invariant_distance(x, y, dimension = dimension),
    log_bottleneck(x, y, dimension), shift_invariant_distance(x, y, dimension = dimension, log = TRUE))
}

log_bottleneck <- function(x, y, dimension) {
  bottleneck_distance(floored_logarithms(x), floored_logarithms(y), dimension = dimension)
}
floored_logarithms <- function(x) {
  floor <- log(min(x$death[x$dimension == 0]))
  birth <- pmax(log(x$birth), floor)
  death <- pmax(log(x$death), floor)
  kept <- death > birth
  persistence_diagram(x$dimension[kept], birth[kept], death[kept])
}

rand_index <- function(a, b) mclust::adjustedRandIndex(a, b)

# Clusters of points by k-means and by ToMaTo, with the logarithm of the distance to a measure for the density and as
# many neighbors as that has mass. One number where no dimension was found.
kmeans_labels <- function(X, k) {
  if (ncol(X) == 0 || nrow(unique(X)) <= k) return(rep(1, nrow(X)))
  suppressWarnings(kmeans(X, k, nstart = 25, iter.max = 100))$cluster
}
tomato_labels <- function(X, k, neighbors = 30) {
  if (ncol(X) == 0) return(rep(1, nrow(X)))
  # equal points have no distance
  distance <- pmax(as.vector(distance_to_measure(X, X, m0 = neighbors / nrow(X))), 1e-12)
  cluster_tomato(X, -log(distance), neighbors, k = k)$labels
}

mean_and_error <- function(x) c(mean = mean(x), error = stats::sd(x) / sqrt(length(x)))

# A table with a row for each group of rows of `x` that have the same `by`: mean and quartiles of `value`, and how many.
summarize_by <- function(x, by, value = "value", digits = 4) {
  of <- interaction(x[by], drop = TRUE, lex.order = TRUE)
  rows <- lapply(split(seq_len(nrow(x)), of), function(i) {
    v <- x[[value]][i]
    q <- quantile(v, c(0.25, 0.5, 0.75), names = FALSE, na.rm = TRUE)
    cbind(x[i[1], by, drop = FALSE], mean = signif(mean(v), digits), quarter = signif(q[1], digits),
          median = signif(q[2], digits),
          three_quarters = signif(q[3], digits), runs = length(v))
  })
  do.call(rbind, unname(rows))
}

# Where the noise ends, by another public rule than that of spectral_embedding(): as if all rows of the matrix were as
# noisy as the noisiest, which is that of the largest degree of the release.
row_edge <- function(operand) {
  n <- operand$n
  degree <- graph_multiply(operand, rep(1, n))[, 1] * operand$contrast + operand$flip * (n - 1)
  q <- pmin(max(degree, 0) / (n - 1), 0.5)
  noise <- sqrt(max(q * (1 - q), operand$flip * (1 - operand$flip))) / operand$contrast
  max(1, 2 * noise * sqrt(n) * (1 + 1.5 * n^(-2 / 3)))
}
