# Oracle: the probability of each pair by its definition, pair by pair.
pair_by_pair <- function(n, probability) {
  P <- matrix(0, n, n)
  for (i in seq_len(n)) for (j in seq_len(n)) if (i != j) P[i, j] <- min(1, max(0, probability(i, j)))
  P
}

# All draws at once: an n x n x runs array, upper triangles only.
draw_matrices <- function(model, runs, seed) {
  A <- array(0, c(model$n, model$n, runs))
  graphs <- simulate(model, runs, seed = seed)
  for (k in seq_len(runs)) A[cbind(graphs[[k]]$from, graphs[[k]]$to, rep(k, nrow(graphs[[k]])))] <- 1
  A
}

# Each pair has its probability, and pairs are independent: sums of squared scores of the pairs, and of the products of
# two of them, against their laws. About two false alarms in a million calls with a right sampler, and the seeds are
# fixed.
expect_distribution <- function(model, P, runs = 4000, seed = 1) {
  A <- draw_matrices(model, runs, seed)
  upper <- which(upper.tri(P))
  drawn <- apply(A, 3, function(a) a[upper])
  p <- P[upper]
  expect_true(all(drawn[p == 0, ] == 0) && all(drawn[p == 1, ] == 1))
  random <- p > 0 & p < 1
  scores <- (drawn[random, , drop = FALSE] - p[random]) / sqrt(p[random] * (1 - p[random]))
  z <- rowSums(scores) / sqrt(runs)
  expect_gt(stats::pchisq(sum(z^2), sum(random), lower.tail = FALSE), 1e-6)
  products <- tcrossprod(scores)[upper.tri(diag(sum(random)))] / sqrt(runs)
  # many nearly normal, nearly independent numbers: their squares add up to about how many they are
  expect_lt(abs(sum(products^2) - length(products)) / sqrt(length(products) * (2 + 4 / min(p[random]))), 4.9)
}

positions <- rbind(c(.9, .2), c(.5, -.4), c(.3, .6), c(-.2, .5), c(1.1, .7), c(.1, .1))
rates <- rbind(c(.5, .05, 0), c(.05, .1, .9), c(0, .9, 1))

test_that("inner products", {
  model <- graph_rdpg(positions)
  P <- pair_by_pair(6, function(i, j) sum(positions[i, ] * positions[j, ]))
  expect_equal(as.matrix(model), P, tolerance = 1e-15)
  expect_true(any(P[upper.tri(P)] == 0) && any(P == 1)) # clamped
  expect_distribution(model, P)
  expect_identical(as.matrix(graph_rdpg(as.data.frame(positions))), as.matrix(model))
})

test_that("Vishwanath and Hehir (2022), Proposition 1: f + (1 - 2 f) P is the product of mapped positions", {
  set.seed(2)
  X <- matrix(stats::runif(60, 0, .5), 20)
  P <- as.matrix(graph_rdpg(X))
  for (epsilon in c(0, 1e-3, 1, 4, 30)) {
    flip <- 1 / (1 + exp(epsilon))
    mapped <- cbind(sqrt(tanh(epsilon / 2)) * X, sqrt(flip)) # 1 - 2 flip = tanh(epsilon/2)
    off <- upper.tri(P)
    expect_equal(as.matrix(graph_rdpg(mapped))[off], (flip + (1 - 2 * flip) * P)[off], tolerance = 1e-15)
  }
})

test_that("a map of O(1, 1) keeps the probabilities of edges and changes the diagram", {
  X <- cbind(c(0.9, 0.8, 0.7), c(0, 0.3, -0.1))
  boosted <- X %*% rbind(c(cosh(0.5), sinh(0.5)), c(sinh(0.5), cosh(0.5)))
  expect_equal(boosted %*% diag(c(1, -1)) %*% t(boosted), X %*% diag(c(1, -1)) %*% t(X), tolerance = 1e-15)
  expect_gt(bottleneck_distance(embedding_diagram(X, "rips", max_dimension = 0),
                                embedding_diagram(boosted, "rips", max_dimension = 0), dimension = 0), 0.05)
})

test_that("Vishwanath and Hehir (2022), Proposition 1: a signature (p, q) becomes (p + 1, q)", {
  set.seed(3)
  X <- cbind(stats::runif(40, 0.5, 0.9), stats::runif(40, 0, 0.3), stats::runif(40, 0, 0.2))
  for (signs in list(c(1, 1, 1), c(1, -1, 1), c(1, -1, -1))) {
    P <- X %*% diag(signs) %*% t(X)
    expect_true(all(P >= 0 & P <= 1))
    for (epsilon in c(0, 0.5, 1, 4)) {
      flip <- private_graph(matrix(0, 40, 40), epsilon, rng = "R")$flip
      flipped <- flip + (1 - 2 * flip) * P
      mapped <- cbind(sqrt(flip), sqrt(1 - 2 * flip) * X)
      expect_equal(mapped %*% diag(c(1, signs)) %*% t(mapped), flipped, tolerance = 1e-15)
      # for epsilon = 0 all points are one
      values <- eigen(flipped, TRUE)$values
      values <- values[abs(values) > 1e-12 * max(values)]
      expect_identical(c(sum(values > 0), sum(values < 0)), if (epsilon == 0) c(1L, 0L) else
        1:0 + c(sum(signs > 0), sum(signs < 0)))
    }
  }
  # if the constant vector is a combination of the positions, then there is no further dimension
  blocks <- cbind(rep(1:0, each = 20), rep(0:1, each = 20)) %*% rbind(c(0.5, 0.3), c(0.5, -0.3))
  values <- eigen(0.2 + 0.6 * (blocks %*% diag(c(1, -1)) %*% t(blocks)), TRUE)$values
  expect_identical(sum(abs(values) > 1e-12), 2L)
})

test_that("blocks", {
  skip_if_instrumented()
  sizes <- c(3, 0, 4)
  block <- c(1, 1, 1, 3, 3, 3, 3)
  model <- graph_sbm(sizes, rates)
  P <- pair_by_pair(7, function(i, j) rates[block[i], block[j]])
  expect_identical(as.matrix(model), P)
  expect_distribution(model, P)
  sparse <- graph_sbm(c(4, 5), rbind(c(.1, .03), c(.03, .14))) # all by skips
  expect_distribution(sparse, as.matrix(sparse), 20000)
  dense <- graph_sbm(c(4, 5), rbind(c(.3, .6), c(.6, .16)))
  expect_distribution(dense, as.matrix(dense))
})

test_that("blocks with weights", {
  skip_if_instrumented()
  weights <- c(1, .2, 3, 0, .9, 1.5, 1)
  block <- c(1, 1, 1, 2, 2, 2, 2)
  model <- graph_sbm(c(3, 4), 2 * rates[1:2, 1:2], weights = weights)
  P <- pair_by_pair(7, function(i, j) weights[i] * weights[j] * 2 * rates[block[i], block[j]])
  expect_equal(as.matrix(model), P, tolerance = 1e-15)
  expect_distribution(model, P, 20000)
  expect_identical(as.matrix(graph_sbm(c(3, 4), rates[1:2, 1:2], weights = rep(1, 7))),
                   as.matrix(graph_sbm(c(3, 4), rates[1:2, 1:2])))
})

test_that("an edge list is sorted, has each pair once and says how many vertices there are", {
  set.seed(5)
  X <- matrix(stats::runif(300, 0, .5), 100)
  models <- list(graph_rdpg(X), graph_sbm(c(40, 60), rbind(c(.3, .02), c(.02, .1))),
                 graph_sbm(c(40, 60), rbind(c(.3, .02), c(.02, .1)), weights = stats::rexp(100)))
  for (model in models) {
    edges <- simulate(model, seed = 6)
    expect_identical(names(edges), c("from", "to"))
    expect_identical(vapply(edges, typeof, ""), c(from = "integer", to = "integer"))
    expect_identical(attr(edges, "n"), 100)
    expect_true(all(edges$from < edges$to & edges$from >= 1 & edges$to <= 100))
    expect_identical(order(edges$from, edges$to), seq_len(nrow(edges)))
    expect_identical(anyDuplicated(edges), 0L)
    # 5 standard deviations
    P <- as.matrix(model)
    expect_lt(abs(nrow(edges) - sum(P) / 2), 5 * sqrt(sum(P * (1 - P)) / 2))
  }
})

test_that("skips reach every pair of large blocks alike", {
  # each of the 4 corners of the two triangles and of the rectangle, by counts of pairs within 5 standard deviations
  model <- graph_sbm(c(3e5, 2e5), rbind(c(4e-6, 1e-6), c(1e-6, 1e-5)))
  edges <- simulate(model, seed = 7)
  low <- edges$from <= 3e5
  high <- edges$to <= 3e5
  expected <- c(choose(3e5, 2) * 4e-6, 6e10 * 1e-6, choose(2e5, 2) * 1e-5)
  expect_true(all(abs(c(sum(high), sum(low & !high), sum(!low)) - expected) < 5 * sqrt(expected)))
  halves <- function(from, to, low, high) table(factor(from > low, c(FALSE, TRUE)), factor(to > high, c(FALSE, TRUE)))
  crossing <- halves(edges$from[low & !high], edges$to[low & !high], 1.5e5, 4e5)
  expect_true(all(abs(crossing - 1.5e4) < 5 * sqrt(1.5e4)))
  within <- halves(edges$from[high], edges$to[high], 1.5e5, 1.5e5)
  expect_lt(abs(within[1, 2] - 9e4), 5 * sqrt(9e4))
  expect_lt(abs(within[1, 1] - 4.5e4), 5 * sqrt(4.5e4))
  expect_identical(within[2, 1], 0L)
})

test_that("no vertex, one, two; blocks of all or nothing", {
  for (n in 0:2) {
    models <- list(graph_rdpg(matrix(1, n, 1)), graph_sbm(n, 1), graph_sbm(n, 1, weights = rep(100, n)),
                   graph_sbm(c(0, n), diag(2), weights = rep(1, n)))
    for (model in models) {
      edges <- simulate(model)
      expect_identical(c(edges$from, edges$to), if (n == 2) 1:2 else integer())
      expect_identical(attr(edges, "n"), as.double(n))
      expect_identical(dim(as.matrix(model)), c(n, n))
      expect_identical(summary(model)$edges, if (n == 2) 1 else 0)
      expect_identical(plot(model), model)
    }
  }
  expect_identical(nrow(simulate(graph_sbm(50, 0))), 0L)
  expect_identical(nrow(simulate(graph_sbm(50, 1))), 1225L)
  expect_identical(nrow(simulate(graph_sbm(c(20, 30), diag(2)))), 625L)
  expect_identical(nrow(simulate(graph_sbm(c(20, 30), 1 - diag(2)))), 600L)
  expect_identical(nrow(simulate(graph_rdpg(matrix(0, 30, 0)))), 0L)
  expect_identical(nrow(simulate(graph_sbm(30, 1, weights = rep(0:1, 15)))), 105L)
  expect_identical(simulate(graph_sbm(5, .5), 0), list())
  expect_length(simulate(graph_sbm(5, .5), 3), 3)
})

test_that("a seed repeats the draws and leaves the generator as it was", {
  model <- graph_sbm(40, .3)
  set.seed(8)
  before <- .Random.seed
  expect_identical(simulate(model, seed = 1), simulate(model, seed = 1))
  expect_identical(.Random.seed, before)
  one <- simulate(model)
  expect_false(identical(simulate(model), one))
  set.seed(8)
  expect_identical(simulate(model), one)
})

test_that("summaries add up the probabilities, and pictures are drawn", {
  set.seed(9)
  models <- list(graph_sbm(c(5, 8), rbind(c(.4, .1), c(.1, .2))), graph_rdpg(positions),
                 graph_rdpg(positions[, 1, drop = FALSE]^2 / 2),
                 graph_sbm(9, .2, weights = stats::rexp(9)))
  for (model in models) {
    expect_equal(summary(model)$edges, sum(as.matrix(model)) / 2, tolerance = 1e-14)
    expect_identical(plot(model), model)
  }
  expect_output(print(models[[1]]), "<graph model> stochastic block model, 13 vertices, 2 blocks")
  expect_output(print(models[[2]]), "6 vertices, dimension 2")
  expect_output(print(summary(models[[1]])), "expected number of edges: .*% of the pairs")
  expect_identical(summary(graph_sbm(1e5, .5, weights = rep(1, 1e5)))$edges, NA_real_)
  expect_equal(summary(graph_sbm(1e6, 1e-6))$edges, choose(1e6, 2) * 1e-6)
})

test_that("bad input gets a classed error", {
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(graph_rdpg("a"))
  bad(graph_rdpg(matrix(c(1, NA), 2)))
  bad(graph_rdpg(matrix(c(1, Inf), 2)))
  bad(graph_sbm(c(2, 2), rbind(c(.1, .2), c(.3, .1)))) # not symmetric
  bad(graph_sbm(c(2, 2), .5))
  bad(graph_sbm(2, 1.5))
  bad(graph_sbm(2, -.5, weights = c(1, 1)))
  bad(graph_sbm(2.5, .5))
  bad(graph_sbm(2, .5, weights = 1))
  bad(graph_sbm(2, .5, weights = c(1e200, 1)))
  bad(graph_sbm(2, .5, weights = c(1, -1)))
  bad(simulate(graph_sbm(5, .5), -1))
  bad(simulate(graph_sbm(5, .5), seed = "a"))
  damaged <- graph_sbm(5, .5)
  damaged$rates <- matrix(.5, 2, 2)
  bad(simulate(damaged))
  expect_error(simulate(graph_sbm(2^31 - 1, .5)), class = "dptda_error_size")
})

test_that("it leaves no memory behind", {
  expect_identical(.Call(ffi_test_live_blocks), 0)
})

test_that("positions whose inner products are no numbers are refused", {
  signs <- rbind(c(1, 1), c(1, -1))
  expect_error(graph_rdpg(1e200 * signs), "`x`", class = "dptda_error_argument")
  expect_false(anyNA(as.matrix(graph_rdpg(1e153 * signs))))
  expect_identical(graph_rdpg(matrix(0, 3, 0))$n, 3)
})
