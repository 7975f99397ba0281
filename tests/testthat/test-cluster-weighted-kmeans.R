# The slow way, told by the same uniform numbers.
slow_seeds <- function(P, w, u) {
  square <- rep(1, ncol(P))
  taken <- integer()
  for (i in seq_along(u)) {
    chance <- w * square
    if (sum(chance) == 0) chance <- square
    up_to <- cumsum(chance)
    one <- if (sum(chance) == 0) 1 else which(chance > 0 & up_to > u[i] * sum(chance))
    if (length(one) == 0) one <- max(which(chance > 0))
    taken <- c(taken, one[1])
    new <- colSums((P - P[, one[1]])^2)
    square <- if (i == 1) new else pmin(square, new)
  }
  P[, taken, drop = FALSE]
}

slow_kmeans <- function(P, w, k, u, rounds = 100) {
  runs <- lapply(split(u, rep(seq_len(length(u) / k), each = k)), function(u) {
    centers <- slow_seeds(P, w, u)
    before <- 0
    for (round in 0:rounds) {
      square <- sapply(seq_len(k), function(j) colSums((P - centers[, j])^2))
      square <- matrix(square, ncol = k)
      nearest <- max.col(-square, "first")
      if (identical(nearest, before) || round == rounds) break
      for (j in seq_len(k)) {
        mine <- nearest == j
        if (sum(w[mine]) > 0) centers[, j] <- P[, mine, drop = FALSE] %*% w[mine] / sum(w[mine])
      }
      before <- nearest
    }
    list(centers = centers, size = vapply(seq_len(k), function(j) sum(w[nearest == j]), 0),
         loss = sum(w * square[cbind(seq_along(nearest), nearest)]))
  })
  runs[[which.min(vapply(runs, `[[`, 0, "loss"))]]
}

kernel_kmeans <- function(P, w, k, u, rounds = 100) {
  .Call(ffi_cluster_weighted_kmeans, P, as.double(w), as.double(k), u, rounds, kernel_options())
}

test_that("centers of points with weights are those of the slow way", {
  set.seed(1)
  for (i in 1:60) {
    D <- sample(1:4, 1)
    m <- sample(1:30, 1)
    k <- sample(1:6, 1)
    P <- matrix(stats::runif(D * m, -1, 1), D)
    if (i %% 3 == 0) P <- round(2 * P) / 2 # ties, and equal points
    w <- sample(c(0, 1, 2.5, 7), m, TRUE)
    u <- stats::runif(k * sample(1:4, 1))
    rounds <- sample(c(0, 1, 100), 1)
    expect_equal(kernel_kmeans(P, w, k, u, rounds), slow_kmeans(P, w, k, u, rounds), tolerance = 1e-12)
  }
})

test_that("a point that weighs twice is two points, and sizes add up", {
  set.seed(2)
  P <- matrix(stats::rnorm(60), 2)
  w <- sample(1:3, 30, TRUE)
  u <- stats::runif(40)
  one <- kernel_kmeans(P, w, 4, u)
  expect_equal(one, kernel_kmeans(P[, rep(1:30, w)], rep(1, sum(w)), 4, u), tolerance = 1e-12)
  expect_equal(sum(one$size), sum(w))
  # scales of weights do not matter, and the best of k-means from many starts is no better than that of many seedings
  set.seed(3)
  mine <- weighted_kmeans(P, w * 1e-30, 4, "R", starts = 50)
  theirs <- stats::kmeans(t(P[, rep(1:30, w)]), 4, nstart = 50)
  expect_equal(mine$loss * 1e30, theirs$tot.withinss, tolerance = 1e-6)
})

test_that("fewer points than centers, equal points and no weights give centers all the same", {
  set.seed(4)
  P <- cbind(c(0, 0), c(1, 1), c(1, 1))
  for (w in list(c(1, 1, 1), c(0, 1, 0), c(0, 0, 0))) for (k in c(1, 2, 3, 7)) {
    found <- weighted_kmeans(P, w, k, "R")
    expect_identical(dim(found$centers), c(2L, as.integer(k)))
    expect_true(all(found$centers >= 0 & found$centers <= 1) && all(found$size >= 0))
    expect_equal(sum(found$size), sum(w))
    if (k > 1) expect_equal(found$loss, 0)
  }
  expect_identical(weighted_kmeans(matrix(0.5), 1, 3, "R")$centers, matrix(0.5, 1, 3))
  # by chance alone, and repeatable
  fit <- function() {
    set.seed(5)
    weighted_kmeans(matrix(sin(1:200), 2), rep(1, 100), 5, "R")
  }
  expect_identical(fit(), fit())
  expect_identical(dim(weighted_kmeans(matrix(sin(1:200), 2), rep(1, 100), 5, "os")$centers), c(2L, 5L))
})

# 3000 first centers: each frequency within five standard deviations, a false-alarm rate of 2e-6. The seed is fixed.
test_that("seeds are drawn by weight, then by weight times squared distance", {
  set.seed(6)
  P <- cbind(0, 1, 3)
  w <- c(3, 2, 1)
  draws <- replicate(3000, kernel_kmeans(P, w, 2, stats::runif(2), 0)$centers)
  expected <- c(w / 6)
  seen <- as.vector(table(factor(draws[1, 1, ], c(0, 1, 3)))) / 3000
  expect_true(all(abs(seen - expected) < 5 * sqrt(expected * (1 - expected) / 3000)))
  first <- draws[1, 1, ] == 0
  second <- 2 * 1 / (2 * 1 + 1 * 9)
  expect_lt(abs(mean(draws[1, 2, first] == 1) - second), 5 * sqrt(second * (1 - second) / sum(first)))
})
