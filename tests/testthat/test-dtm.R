bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

# The definition, slowly: sort the distances, repeat by weight, cut, average.
slow_dtm <- function(X, Q, m0, r = 1, clip = Inf, weights = rep(1, nrow(X))) {
  k <- neighbor_count(sum(weights), m0)
  apply(Q, 1, function(x) {
    distances <- pmin(sqrt(colSums((t(X) - x)^2)), clip)
    mean(sort(rep(distances, weights))[seq_len(k)]^r)^(1 / r)
  })
}

expect_dtm <- function(X, Q, m0, r = 1, clip = Inf, weights = NULL) {
  slow <- slow_dtm(X, Q, m0, r, clip, if (is.null(weights)) rep(1, nrow(X)) else weights)
  expect_equal(distance_to_measure(X, Q, m0, r = r, clip = clip, weights = weights), slow, tolerance = 1e-12)
}

test_that("the rule for k takes rounding into account", {
  expect_equal(neighbor_count(100, 0.07), 7)
  expect_equal(neighbor_count(10, 0.1 + 0.2), 3)
  expect_equal(neighbor_count(10, 0.31), 4)
  expect_equal(neighbor_count(1, 1e-9), 1)
  expect_equal(neighbor_count(5, 1), 5)
  expect_equal(neighbor_count(1e9, 0.2), 2e8)
  pairs <- expand.grid(n = 1:200, k = 1:200)
  pairs <- pairs[pairs$k <= pairs$n, ]
  expect_equal(neighbor_count(pairs$n, pairs$k / pairs$n), pairs$k)
})

test_that("random clouds of any dimension agree with the definition", {
  set.seed(1)
  for (d in c(1:4, 7)) for (n in c(1, 2, 13, 300)) for (r in c(1, 2, 3.5)) {
    X <- matrix(rnorm(n * d), n)
    Q <- matrix(rnorm(40 * d), 40)
    for (clip in c(0.2, 1, Inf)) {
      expect_dtm(X, Q, runif(1), r, clip)
      expect_dtm(X, Q, runif(1), r, clip, weights = rpois(n, 1.2) + (seq_len(n) == 1))
    }
  }
})

test_that("degenerate clouds and queries agree with the definition", {
  set.seed(2)
  same <- matrix(0.25, 50, 2)
  lattice <- as.matrix(expand.grid(0:6, 0:6)) + 0
  crowded <- cbind(2^-(0:200), 0)
  on_circle <- cbind(cos(1:64), sin(1:64))
  queries <- rbind(lattice[1:20, ], crowded[1:80, ], matrix(0.25, 9, 2), matrix(0, 3, 2))
  for (X in list(same, lattice, lattice[rep(1:49, 5), ], crowded, on_circle, rbind(same, on_circle))) {
    for (m0 in c(0.01, 0.2, 0.5, 1)) expect_dtm(X, queries, m0)
    expect_dtm(X, queries, 0.3, r = 2, clip = 0.5)
  }
})

test_that("queries that crowd together deeper than the descent goes are answered", {
  expect_dtm(cbind(c(0, 0.3, 1)), cbind(c(0, 2^-(0:1000))), 0.5)
})

test_that("queries that are neighbors among the doubles are told apart", {
  # the middle of two neighbors is one of them: a half without a query would be read beyond its end
  axis <- 1 + (0:40) * .Machine$double.eps
  X <- cbind(1 + c(3, 3, 17, 39, 40) * .Machine$double.eps, 1)
  expect_dtm(X, as.matrix(expand.grid(axis, c(1, 1 + .Machine$double.eps))), 0.4)
  many <- cbind(rep(X[, 1], 1e6))
  f <- distance_to_measure(many, cbind(rep(axis[1:2], each = 300)), 0.4)
  expect_equal(f, rep(slow_dtm(X[, 1, drop = FALSE], cbind(axis[1:2]), 0.4), each = 300), tolerance = 1e-12)
})

test_that("sizes beyond the squares of doubles keep their digits", {
  set.seed(3)
  X <- matrix(rnorm(60), 30)
  Q <- matrix(rnorm(20), 10)
  for (r in c(1, 2, 5)) {
    f <- distance_to_measure(X, Q, 0.3, r = r)
    for (power in c(-900, -300, 300, 900)) {
      expect_equal(distance_to_measure(X * 2^power, Q * 2^power, 0.3, r = r) / 2^power, f, tolerance = 1e-14)
    }
  }
  kth <- apply(Q, 1, function(x) sort(sqrt(colSums((t(X) - x)^2)))[9])
  expect_equal(distance_to_measure(X, Q, 0.3, r = 1e6), kth, tolerance = 1e-5)
})

test_that("a grid of many regions and tasks agrees with the definition on a sample", {
  set.seed(4)
  X <- matrix(rnorm(3000), ncol = 2)
  grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = c(150, 90), pad = 0.5)
  some <- sample(150 * 90, 200)
  for (m0 in c(0.001, 0.1, 1)) {
    f <- distance_to_measure(X, grid, m0)
    expect_identical(dim(f), c(150L, 90L))
    expect_equal(f[some], slow_dtm(clamp_to_box(X, grid$box), as.matrix(grid)[some, ], m0), tolerance = 1e-12)
  }
})

test_that("the grid gives an array in 1 to 4 dimensions and clamps its data", {
  set.seed(5)
  for (d in 1:4) {
    grid <- domain_grid(domain_box(rep(-1, d), rep(1, d)), size = (2:5)[seq_len(d)], pad = 0.2)
    X <- matrix(rnorm(50 * d, sd = 2), 50)
    X[1, 1] <- Inf
    X[2, d] <- -Inf
    f <- distance_to_measure(X, grid, 0.3)
    expect_identical(dim(f), dim(grid))
    expect_equal(c(f), slow_dtm(clamp_to_box(X, grid$box), as.matrix(grid), 0.3), tolerance = 1e-12)
  }
  line <- domain_grid(domain_box(0, 1), by = 0.25)
  x <- c(0.1, 0.6, 0.7)
  expect_identical(distance_to_measure(x, line, 1), distance_to_measure(cbind(x), line, 1))
  one <- distance_to_measure(cbind(0.5, 0.2), domain_grid(domain_box(c(0, 0), c(1, 1)), size = 1), 1)
  expect_equal(one, matrix(0.3, 1, 1))
})

test_that("weights are copies and zero weights are absence", {
  set.seed(6)
  X <- matrix(rnorm(80), 40)
  Q <- matrix(rnorm(60), 30)
  weights <- rpois(40, 2)
  f <- distance_to_measure(X, Q, 0.37, weights = weights)
  expect_equal(f, distance_to_measure(X[rep(1:40, weights), ], Q, 0.37), tolerance = 1e-13)
  expect_identical(f, distance_to_measure(X[weights > 0, ], Q, 0.37, weights = weights[weights > 0]))
  half <- distance_to_measure(X, Q, 0.5, weights = rep(2, 40))
  expect_equal(distance_to_measure(X, Q, 0.5, weights = rep(1e12, 40)), half, tolerance = 1e-13)
})

test_that("the order of rows, the container and the type of numbers do not matter", {
  set.seed(7)
  X <- matrix(sample(-50:50, 400, TRUE), ncol = 2)
  Q <- matrix(sample(-50:50, 200, TRUE), ncol = 2)
  f <- distance_to_measure(X, Q, 0.2)
  expect_equal(distance_to_measure(X[sample(200), ], Q, 0.2), f, tolerance = 1e-14)
  expect_identical(distance_to_measure(as.data.frame(X), as.data.frame(Q), 0.2), f)
  expect_identical(distance_to_measure(X + 0, Q + 0, 0.2), f)
  expect_equal(distance_to_measure(X[, 2:1], Q[, 2:1], 0.2), f, tolerance = 1e-14)
})

test_that("the function is 1-Lipschitz and within its bound, which is attained", {
  set.seed(8)
  grid <- domain_grid(domain_box(c(0, 0), c(1, 2)), size = c(41, 81), pad = 0.4)
  for (r in c(1, 2, 4)) for (clip in c(0.3, Inf)) {
    f <- distance_to_measure(matrix(runif(400, -1, 3), 200), grid, 0.15, r = r, clip = clip)
    expect_lte(max(abs(diff(f))), diff(grid$axes[[1]])[1] + 1e-12)
    expect_lte(max(abs(diff(t(f)))), diff(grid$axes[[2]])[1] + 1e-12)
    expect_gte(min(f), 0)
    expect_lte(max(f), diagram_bound(grid, clip))
  }
  for (corner in list(c(0, 0), c(1, 2), c(0, 2))) {
    f <- distance_to_measure(matrix(corner, 7, 2, byrow = TRUE), grid, 1, r = 3)
    expect_lte(max(f), diagram_bound(grid))
    expect_equal(max(f), diagram_bound(grid))
  }
  expect_identical(distance_to_measure(matrix(1, 5, 2), cbind(1, 1), 1), 0)
})

test_that("clipping changes nothing where the k-th neighbor is nearer", {
  set.seed(9)
  X <- matrix(rnorm(400), ncol = 2)
  Q <- matrix(rnorm(200), ncol = 2)
  kth <- apply(Q, 1, function(x) sort(sqrt(colSums((t(X) - x)^2)))[40])
  f <- distance_to_measure(X, Q, 0.2)
  clipped <- distance_to_measure(X, Q, 0.2, clip = 0.8)
  expect_equal(clipped[kth <= 0.8], f[kth <= 0.8], tolerance = 1e-13)
  expect_true(all(clipped[kth > 0.8] < f[kth > 0.8]))
  expect_true(any(kth > 0.8) && any(kth <= 0.8))
})

test_that("large powers and small clips agree with the definition", {
  # points far beyond the clip: their powers in units of the clip overflow, and must not count all the same
  X <- cbind(c(0, 1, 0.25))
  for (r in c(1, 2, 3, 500, 1e4)) for (clip in c(1e-104, 1e-60, 0.3, 1e104)) {
    f <- distance_to_measure(X, cbind(c(0, 1)), 1, r = r, clip = clip)
    near <- pmin(c(0.25, 0.75), clip)
    if (clip < 0.3) expect_equal(f / clip, rep((2 / 3)^(1 / r), 2), tolerance = 1e-13)
    if (r == 1 && clip > 1) expect_equal(f, c(1.25, 1.75) / 3, tolerance = 1e-13)
    expect_true(all(f >= near / 3^(1 / r) * (1 - 1e-13) & f <= min(1, clip)))
  }
  set.seed(12)
  X <- matrix(rnorm(400), ncol = 2)
  Q <- matrix(rnorm(60), ncol = 2)
  kth <- apply(Q, 1, function(x) sort(sqrt(colSums((t(X) - x)^2)))[60])
  scaled <- function(r) {
    apply(Q, 1, function(x) {
      near <- sort(sqrt(colSums((t(X) - x)^2)))[1:60]
      near[60] * mean((near / near[60])^r)^(1 / r)
    })
  }
  for (r in c(500, 1e4)) expect_equal(distance_to_measure(X, Q, 0.3, r = r), scaled(r), tolerance = 1e-13)
})

test_that("the kernel is as near to the definition as the proof says, by 300 bits", {
  skip_if_not_installed("Rmpfr")
  set.seed(13)
  ring <- rbind(matrix(0.25, 9, 2), cbind(cos(1:12), sin(1:12)) / 2, c(1, 1), c(0, 0))
  lattice <- as.matrix(expand.grid(0:4, 0:4)) / 4
  tied <- cbind(c(rep(0.1, 40), rep(0.7, 4))) # many at one distance, of which few count
  for (X in list(ring, lattice, matrix(runif(60), ncol = 3) + 1e6, tied)) {
    d <- ncol(X)
    Q <- rbind(X[sample(nrow(X), 1), ], 0.3, 1)
    for (r in c(1, 2, 3, 1e4)) for (clip in c(1e-100, 0.2, Inf)) {
      expect_lte(relative_error_of_dtm(X, Q, sample(c(1e-6, 0.137, 1), 1), r, clip), dtm_rounding)
    }
    weights <- sample(2^(0:40), nrow(X), TRUE)
    for (r in c(1, 500)) expect_lte(relative_error_of_dtm(X, Q, 0.3, r, 0.7, weights), dtm_rounding)
  }
  # the ends of the doubles
  X <- matrix(runif(20), ncol = 2)
  Q <- rbind(X[1, ], 0)
  for (power in c(-1070, -900, 900, 1022)) for (r in c(1, 3)) {
    scaled <- lapply(list(X, Q), `*`, 2^power)
    expect_lte(relative_error_of_dtm(scaled[[1]], scaled[[2]], 0.4, r), dtm_rounding)
  }
})

test_that("equal rows are one row with their number as its weight", {
  set.seed(14)
  X <- matrix(runif(400), ncol = 2)
  tied <- X[sample(200, 3000, TRUE), ]
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 15)
  first <- !duplicated(tied)
  keys <- paste(tied[, 1], tied[, 2])
  weights <- as.double(table(factor(keys, keys[first])))
  for (r in c(1, 2, 3)) for (clip in c(0.1, Inf)) {
    f <- distance_to_measure(tied, grid, 0.1, r = r, clip = clip)
    expect_identical(f, distance_to_measure(tied[first, ], grid, 0.1, r = r, clip = clip, weights = weights))
    expect_equal(c(f), slow_dtm(tied, as.matrix(grid), 0.1, r, clip), tolerance = 1e-12)
  }
  # weights of equal rows are added, and zero is one number
  twice <- rbind(X, X[50:1, ], c(0, 0), c(-0, 0))
  copies <- rpois(nrow(twice), 2)
  expect_equal(distance_to_measure(twice, grid, 0.2, weights = copies),
               distance_to_measure(twice[rep(seq_len(nrow(twice)), copies), ], grid, 0.2), tolerance = 1e-13)
  # a guard against the time of visiting 2e5 equal rows at each of 1e5 queries
  f <- within_time(60, distance_to_measure(matrix(0.5, 2e5, 2), domain_grid(grid$box, size = 320), 0.1))
  expect_equal(f, distance_to_measure(cbind(0.5, 0.5), domain_grid(grid$box, size = 320), 1), tolerance = 1e-13)
})

test_that("any number of threads gives the same bits", {
  set.seed(10)
  X <- matrix(rnorm(4000), ncol = 2)
  grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 120)
  run <- function(threads) {
    withr::local_options(dptda.threads = threads)
    distance_to_measure(X, grid, 0.1, r = 2)
  }
  one <- run(1)
  expect_identical(run(2), one)
  expect_identical(run(8), one)
  expect_identical(run(2), one)
})

test_that("it agrees with TDA where the mass is a whole number of rows", {
  skip_if_not_installed("TDA")
  set.seed(11)
  X <- matrix(rnorm(400), 200)
  grid <- domain_grid(domain_box(c(-4, -4), c(4, 4)), size = 12)
  for (r in 1:2) {
    theirs <- TDA::dtm(clamp_to_box(X, grid$box), as.matrix(grid), 0.1, r = r)
    expect_equal(c(distance_to_measure(X, grid, 0.1, r = r)), theirs, tolerance = 1e-10)
  }
})

test_that("an interrupt or an error in a callback ends the work at once and leaks nothing", {
  X <- matrix(runif(2e5), ncol = 2)
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 1000) # minutes of work
  # raised where an interrupt would be
  expect_match(conditionMessage(within_time(0.5, distance_to_measure(X, grid, 0.2))), "time limit")
  expect_identical(.Call(ffi_test_live_blocks), 0)
  withr::local_options(dptda.progress = function(fraction) {
    expect_true(fraction >= 0 && fraction < 1)
    stop("heard")
  })
  expect_error(distance_to_measure(X, grid, 0.2), "heard")
  expect_identical(.Call(ffi_test_live_blocks), 0)
})

test_that("bad arguments get a classed error that names them and shows no data", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 5)
  X <- matrix(runif(20), ncol = 2)
  missing <- replace(X, 3, NA)
  bad(distance_to_measure(missing, grid, 0.1), regexp = "^`x` must not contain missing values; `missing` of table_rows")
  bad(distance_to_measure(replace(X, 3, NaN), grid, 0.1))
  bad(distance_to_measure(bin_points(X, grid), grid, 0.1, weights = 1))
  bad(distance_to_measure(matrix("a", 2, 2), grid, 0.1))
  bad(distance_to_measure(data.frame(a = factor(1:2), b = 1:2), grid, 0.1))
  bad(distance_to_measure(factor(1:2), grid, 0.1))
  bad(distance_to_measure(X[0, ], grid, 0.1))
  bad(distance_to_measure(X[, 0], grid, 0.1))
  bad(distance_to_measure(X[, 1], grid, 0.1))
  bad(distance_to_measure(NULL, grid, 0.1))
  bad(distance_to_measure(list(1), grid, 0.1))
  bad(distance_to_measure(cbind(X, 1), grid, 0.1))
  bad(distance_to_measure(X, "grid", 0.1))
  bad(distance_to_measure(X, X[0, ], 0.1))
  bad(distance_to_measure(X, X[, 0], 0.1))
  bad(distance_to_measure(X, X[, 1, drop = FALSE], 0.1))
  bad(distance_to_measure(X, rbind(c(NA, 1)), 0.1))
  bad(distance_to_measure(X, rbind(c(Inf, 1)), 0.1))
  bad(distance_to_measure(rbind(X, Inf), X, 0.1), regexp = "^`x` must be finite")
  for (m0 in list(0, -1, 1.1, NA, NaN, Inf, "a", c(0.1, 0.2), NULL, factor(1))) bad(distance_to_measure(X, grid, m0))
  for (r in list(0.5, 0, Inf, NA_real_, "2", 1:2)) bad(distance_to_measure(X, grid, 0.1, r = r))
  for (clip in list(0, -1, NA_real_, "1", 1:2)) bad(distance_to_measure(X, grid, 0.1, clip = clip))
  for (weights in list(1, rep(-1, 10), rep(0.5, 10), rep(0, 10), rep(NA, 10), rep("1", 10), rep(1e300, 10),
                       c(rep(1, 9), NaN), c(rep(1, 9), Inf), factor(rep(1, 10)))) {
    bad(distance_to_measure(X, grid, 0.1, weights = weights))
  }
})
