# Groups of a graph from the embedding of its release, in a range of epsilon where power_graph() says whether they
# are found. Seeded: no false alarms; margins are several times the spread over seeds.

blocks <- function(k, inside, between) matrix(between, k, k) + diag(inside - between, k)
groups <- function(sizes) rep(seq_along(sizes), sizes)
released <- function(model, epsilon) private_graph(simulate(model), epsilon, n = model$n, rng = "R")

# Hubert and Arabie (1985)
adjusted_rand <- function(a, b) {
  counts <- table(a, b)
  both <- sum(choose(counts, 2))
  rows <- sum(choose(rowSums(counts), 2))
  columns <- sum(choose(colSums(counts), 2))
  chance <- rows * columns / choose(sum(counts), 2)
  (both - chance) / ((rows + columns) / 2 - chance)
}

test_that("three blocks are found where the plan says that they are, and are not where it says that noise hides them", {
  sizes <- rep(150, 3)
  model <- graph_sbm(sizes, blocks(3, 0.5, 0.1))
  set.seed(1)
  # squared overlap .95, and none
  expect_gt(power_graph(450, 2, p_in = 0.5, p_out = 0.1, k = 3)$overlap, 0.9)
  expect_identical(power_graph(450, 0.3, p_in = 0.5, p_out = 0.1, k = 3)$overlap, 0)
  for (run in 1:3) {
    points <- spectral_embedding(released(model, 2))
    expect_identical(ncol(points$X), 3L)
    means <- stats::kmeans(points, 3, nstart = 20)$cluster
    expect_gt(adjusted_rand(means, groups(sizes)), 0.97)
    peaks <- cluster_tomato(points, "dtm", graph = 30, m0 = 0.1, k = 3)
    expect_gt(adjusted_rand(peaks$labels, groups(sizes)), 0.9)
    hidden <- spectral_embedding(released(model, 0.3), 3)
    expect_lt(abs(adjusted_rand(stats::kmeans(hidden, 3, nstart = 20)$cluster, groups(sizes))), 0.2)
  }
})

test_that("the part of vertices on the right side is the one that was planned", {
  # 6 graphs of 1,000 vertices, planned .87: the mean of the parts varies by .007 over seeds
  set.seed(2)
  plan <- power_graph(1000, 1, p_in = 0.3, p_out = 0.2)
  model <- graph_sbm(c(500, 500), blocks(2, 0.3, 0.2))
  right <- replicate(6, {
    second <- spectral_embedding(released(model, 1), 2)$X[, 2]
    part <- mean((second > 0) == (groups(c(500, 500)) == 1))
    max(part, 1 - part)
  })
  expect_lt(abs(mean(right) - plan$accuracy), 0.03)
})

test_that("degrees that differ are no groups once points have length one", {
  set.seed(3)
  weights <- pmin(stats::rgamma(800, 1) + 0.1, 4)
  model <- graph_sbm(c(400, 400), blocks(2, 0.2, 0.05), weights = weights / mean(weights))
  release <- released(model, 4)
  rand <- function(normalize) {
    points <- spectral_embedding(release, 2, normalize = normalize)
    adjusted_rand(stats::kmeans(points, 2, nstart = 20)$cluster, groups(c(400, 400)))
  }
  expect_gt(rand(TRUE), 0.9)
  expect_lt(rand(FALSE), 0.5)
})

test_that("two rings in each other: peaks of a density find them, means do not", {
  # Vishwanath and Hehir, figure 2, smaller: |<x, y>| of two circles
  set.seed(4)
  angle <- stats::runif(600, 0, 2 * pi)
  radius <- rep(c(0.9, 0.5), c(450, 150))
  X <- radius * cbind(cos(angle), sin(angle))
  graph <- matrix(stats::runif(600^2), 600) < abs(tcrossprod(X))
  release <- private_graph(mirror(graph), 4, rng = "R")
  points <- spectral_embedding(release, 3)
  rand <- function(labels) adjusted_rand(labels, radius)
  rings <- function(points) cluster_tomato(points, "dtm", graph = 20, m0 = 0.03, k = 2)$labels
  expect_gt(rand(rings(points)), 0.9)
  expect_lt(rand(stats::kmeans(points, 2, nstart = 20)$cluster), 0.3)
  # what tells them apart is the length of a point
  expect_lt(rand(rings(spectral_embedding(release, 3, normalize = TRUE))), 0.3)
})

test_that("clusters of a private embedding carry its guarantee, unless more went into them than the embedding", {
  release <- private_graph(kronecker(diag(2), matrix(1, 20, 20)), 3)
  points <- spectral_embedding(release, 2)
  found <- cluster_tomato(points, "kernel", graph = 5)
  expect_identical(privacy(found), privacy(release))
  expect_identical(privacy(found$diagram), privacy(release))
  expect_output(print(found), "one edge")
  expect_identical(found$labels, cluster_tomato(as.matrix(points), "kernel", graph = 5)$labels)
  expect_identical(privacy(cluster_tomato(points, "dtm", graph = 5)), privacy(release))
  for (other in list(as.matrix(points), spectral_embedding(matrix(1, 9, 9) - diag(9), 2))) {
    found <- cluster_tomato(other, "kernel", graph = 5)
    expect_null(privacy(found))
    expect_null(privacy(found$diagram))
    expect_output(print(found), "not private")
  }
  expect_null(privacy(cluster_tomato(points, rep(1:2, 20), graph = 5)))
  expect_null(privacy(cluster_tomato(points, "kernel", graph = matrix(rep(1:40, 2), 40))))
  found <- cluster_tomato(points, "kernel", graph = 5)
  found$density[1] <- found$density[1] + 1
  expect_null(privacy(found))
  points$X[1, 1] <- 0
  expect_null(privacy(cluster_tomato(points, "kernel", graph = 5)))
  expect_error(cluster_tomato(spectral_embedding(release, 0), "kernel", graph = 5), class = "dptda_error_argument")
})
