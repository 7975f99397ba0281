# The distance to a measure at landmarks, in whole numbers. Seeds are fixed, and nothing here is left to chance: the
# numbers are those of the kernel for grids, or of the definition.

bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

grid_values <- function(points, weights, places, k, r, cap, scale, change, steps) {
  withr::local_options(dptda.threads = 1)
  .Call(ffi_dtm_lattice_distance, points, weights, places, k, r, cap, scale, change, steps, 1, kernel_options())
}

# Steps for which no value exceeds 2^31.
most_steps <- function(k, r, cap, change) floor(min(2^31 - 1, 2^30 * change / cap / k^(1 / r)))

expect_same_values <- function(X, weights, P, k, r, cap, scale = 1, change = cap,
                               steps = most_steps(k, r, cap, change)) {
  storage.mode(X) <- storage.mode(P) <- "double"
  if (steps < 1) return(invisible())
  wanted <- grid_values(X, weights, P, k, r, cap, scale, change, steps)
  for (threads in 1:2) {
    withr::local_options(dptda.threads = threads)
    expect_identical(landmark_values(X, weights, P, k, r, cap, scale, change, steps), wanted,
                     label = paste(nrow(X), ncol(X), nrow(P), k, r, cap, scale, change, steps, threads))
  }
}

rounded <- function(n, d, spread) matrix(round(stats::rnorm(n * d) * spread), n)

test_that("the values are those of the kernel for grids", {
  set.seed(301)
  for (time in 1:150) {
    n <- sample(c(1, 2, 9, 100, 3000, 20000), 1)
    d <- sample(c(1, 2, 3, 7, 10, 50, 200), 1)
    if (n * d > 4e5) next
    spread <- sample(c(1, 10, 1e4, 1e6), 1)
    X <- rounded(n, d, spread)
    weights <- if (time %% 2) as.double(stats::rpois(n, 1))
    total <- if (is.null(weights)) n else sum(weights)
    if (total == 0) next
    k <- max(1, ceiling(total * sample(c(0, .01, .05, .5, .99, 1), 1)))
    cap <- min(2^26, max(1, round(spread * sqrt(d) * sample(c(.3, 1, 5, 1e5), 1))))
    cap <- min(cap, floor(2^52 / k))
    expect_same_values(X, weights, rounded(sample(c(1, 5, 6, 7, 31), 1), d, spread), k, sample(1:2, 1), cap)
  }
})

test_that("a scale, a change below the cap, many landmarks and none", {
  set.seed(302)
  X <- matrix(stats::rnorm(3000), ncol = 3)
  P <- matrix(stats::rnorm(6000), ncol = 3)
  for (scale in 2^c(-3, 0, 20, 24)) for (r in 1:2) {
    cap <- max(1, round(scale * 1.5))
    expect_same_values(X, NULL, P, 50, r, cap, scale, max(1, cap - 3))
  }
  expect_identical(landmark_values(X, NULL, P[0, , drop = FALSE], 50, 1, 9, 1, 9, 5), numeric())
})

test_that("rows far from all landmarks, far from the origin, and beyond what is exact in doubles", {
  set.seed(303)
  for (d in c(1, 20)) for (far in 2^c(25, 26, 30, 52, 500)) {
    X <- rounded(500, d, 1e3)
    P <- rounded(20, d, 1e3)
    ends <- matrix(sample(c(-far, far), 20 * d, replace = TRUE), 20)
    for (cap in c(100, 2^26)) for (k in c(1, 260, 520)) {
      expect_same_values(rbind(X, ends), NULL, P, k, 1, cap)                # a few rows
      expect_same_values(X, NULL, rbind(P, ends), min(k, 500), 2, cap)      # a few landmarks
      expect_same_values(X + far, NULL, P + far, min(k, 500), 1, cap)       # all of them
      expect_same_values(rbind(X, ends + rounded(20, d, 1e3)), rep(c(3, 1), c(500, 20)), rbind(P, ends), k, 2, cap)
    }
  }
  edge <- matrix(c(-2^26, 0, 2^26, 2^26 - 1))
  for (k in 1:4) expect_same_values(edge, NULL, edge, k, 2, 2^26)
  expect_same_values(matrix(-.Machine$double.xmax, 3, 2), NULL, matrix(.Machine$double.xmax, 2, 2), 2, 1, 7, 2^-20)
})

test_that("equal rows, rows on the landmarks and rows at one distance", {
  set.seed(304)
  for (n in c(10, 20000)) for (r in 1:2) for (k in c(1, n / 10, n / 2, n)) {
    same <- matrix(5, n, 2)
    expect_same_values(same, NULL, rbind(c(5, 5), c(5, 6), c(9, 9)), k, r, 5)
    ring <- rbind(c(3, 4), c(-3, 4), c(5, 0), c(0, -5))[sample(4, n, replace = TRUE), ]
    for (cap in 4:6) expect_same_values(ring, NULL, rbind(0, ring[1:9, ]), k, r, cap)
    few <- matrix(sample(-1:1, 2 * n, replace = TRUE), n)
    expect_same_values(few, NULL, few[1:8, ], k, r, 3)
    weights <- as.double(sample(0:2, n, replace = TRUE))
    if (k <= sum(weights)) expect_same_values(few, weights, few[1:8, ], k, r, 3)
  }
})

test_that("no order of the rows deceives the guess from a sample", {
  set.seed(305)
  n <- 20000 # every 32nd row is in the sample
  P <- matrix(c(0, 100, 5000))
  near <- rep_len(rep(c(TRUE, FALSE), c(1, 31)), n)
  noise <- round(abs(stats::rnorm(n)) * 1000)
  rows <- list(sampled_near = ifelse(near, noise %% 50, 3000 + noise), sampled_far = ifelse(near, 9000, noise),
               nearest_last = sort(noise, decreasing = TRUE), nearest_first = sort(noise),
               one_near = c(noise[-1] + 50, 0))
  for (name in names(rows)) for (k in c(1, 100, 4000, n)) for (cap in c(4000, 2^20)) {
    r <- if (cap == 4000) 1 else 2
    expect_same_values(matrix(rows[[name]]), NULL, P, k, r, cap)
    heavy <- ifelse(near, 0, 2)
    if (k <= sum(heavy)) expect_same_values(matrix(rows[[name]]), heavy, P, k, r, cap)
    expect_same_values(matrix(rows[[name]]), ifelse(near, 1000, 1), P, k, r, cap)
  }
})

test_that("a row counts as often as its weight, in any order", {
  set.seed(306)
  X <- rounded(9000, 4, 50)
  P <- rounded(13, 4, 50)
  weights <- as.double(sample(0:4, 9000, replace = TRUE))
  often <- X[rep(seq_len(9000), weights), ]
  for (r in 1:2) for (k in c(1, 77, 3000)) for (cap in c(40, 500)) {
    values <- landmark_values(X, weights, P, k, r, cap, 1, cap, 1000)
    expect_identical(landmark_values(often[sample(nrow(often)), ], NULL, P, k, r, cap, 1, cap, 1000), values)
    order <- sample(9000)
    expect_identical(landmark_values(X[order, ], weights[order], P, k, r, cap, 1, cap, 1000), values)
    places <- sample(13)
    expect_identical(landmark_values(X, weights, P[places, ], k, r, cap, 1, cap, 1000), values[places])
  }
})

test_that("many rows take more than one part of the work, and report it", {
  set.seed(307)
  X <- rounded(3e5, 2, 1e4)
  P <- rounded(60, 2, 1e4)
  expect_same_values(X, NULL, P, 15000, 1, 2^16)
  expect_same_values(X, rep_len(c(1, 2), 3e5), P[1:8, ], 2e5, 2, 2^16)
})

# --- distances that are given ---------------------------------------------------------------------------------------

# The definition: sums stay below 2^53 here.
slow_steps <- function(distances, weights, k, r, cap, scale, change, steps) {
  apply(distances, 2, function(d) {
    whole <- pmin(floor(d * scale), cap)
    whole[is.na(whole)] <- cap
    whole <- pmax(whole, 0)
    smallest <- sort(if (is.null(weights)) whole else rep(whole, weights))[seq_len(k)]
    if (r == 1) return(floor(sum(smallest) * steps / change))
    root <- floor(sqrt(sum(smallest^2)) * steps / change)
    root - ((root * change / steps)^2 > sum(smallest^2) + 1e-6)
  })
}

test_that("given distances are cut to whole numbers as the definition says", {
  set.seed(308)
  odd <- c(NaN, NA, Inf, -Inf, -1, -0.0, 0, 1e-320, 1e308, .Machine$double.xmax, -.Machine$double.xmax, 1, 7, 8.999)
  for (time in 1:80) {
    n <- sample(c(1, 3, 60, 5000), 1)
    m <- sample(1:4, 1)
    D <- matrix(stats::rexp(n * m, .1), n)
    if (time %% 3 == 0) {
      D[sample(length(D), ceiling(length(D) / 3))] <- sample(odd, ceiling(length(D) / 3), replace = TRUE)
    }
    weights <- if (time %% 2) as.double(sample(0:3, n, replace = TRUE))
    total <- if (is.null(weights)) n else sum(weights)
    if (total == 0) next
    k <- max(1, ceiling(total * sample(c(0, .1, .5, 1), 1)))
    cap <- sample(c(1, 30, 1000), 1)
    scale <- sample(c(1, .37, 1e-310, 1e308, 128, 7.3), 1)
    for (r in 1:2) {
      expect_identical(distance_steps(D, weights, k, r, cap, scale, cap, cap),
                       slow_steps(D, weights, k, r, cap, scale, cap, cap),
                       label = paste(n, m, k, cap, scale, r))
    }
  }
  expect_identical(distance_steps(matrix(odd), NULL, 1, 1, 9, 1, 9, 9), 0)
  expect_identical(distance_steps(matrix(c(NaN, Inf, 1e308)), NULL, 3, 1, 9, 1e308, 1, 1), 27)
  expect_identical(distance_steps(matrix(0, 3, 0), NULL, 3, 1, 9, 1, 1, 1), numeric())
})

test_that("distances of whole numbers that are given make the values of the rows", {
  set.seed(309)
  X <- rounded(20000, 3, 1e6)
  P <- rounded(5, 3, 1e6)
  D <- sapply(1:5, function(i) sqrt(colSums((t(X) - P[i, ])^2)))
  for (cap in c(1e5, 2^22)) for (k in c(1, 900, 20000)) {
    steps <- most_steps(k, 1, cap, cap)
    expect_identical(distance_steps(D, NULL, k, 1, cap, 1, cap, steps),
                     landmark_values(X, NULL, P, k, 1, cap, 1, cap, steps))
    line <- abs(outer(X[, 1], P[, 1], "-"))
    steps <- most_steps(k, 2, cap, cap)
    expect_identical(distance_steps(line, NULL, k, 2, cap, 1, cap, steps),
                     landmark_values(X[, 1, drop = FALSE], NULL, P[, 1, drop = FALSE], k, 2, cap, 1, cap, steps))
  }
})

test_that("columns of many rows are shared by threads", {
  set.seed(311)
  D <- matrix(stats::rexp(7e5), 1e5)
  for (weights in list(NULL, rep_len(c(0, 1, 2), 1e5))) for (k in c(1, 5000, 60000)) {
    run <- function(threads) {
      withr::local_options(dptda.threads = threads)
      distance_steps(D, weights, k, 1, 2000, 1000, 2000, 2000)
    }
    expect_identical(run(1), run(2))
    expect_identical(run(2), slow_steps(D, weights, k, 1, 2000, 1000, 2000, 2000))
  }
})

# --- inner loops and bad input ---------------------------------------------------------------------------------------

test_that("the loops for any machine and for this one keep the same keys", {
  set.seed(310)
  for (time in 1:100) {
    d <- sample(c(1, 2, 5, 40), 1)
    panels <- sample(1:9, 1)
    X <- array(round(stats::rnorm(8 * d * panels) * 20), c(8, d, panels))
    P <- matrix(round(stats::rnorm(6 * d) * 20), 6)
    weights <- if (time %% 2) as.double(sample(1:9, 8 * panels, replace = TRUE))
    rows <- matrix(aperm(X, c(1, 3, 2)), ncol = d)
    key <- apply(P, 1, function(p) colSums((t(rows) - p)^2))
    limit <- floor(stats::quantile(key, stats::runif(1), names = FALSE)) + sample(0:1, 1)
    low <- floor(limit * stats::runif(1))
    high <- floor(low + (limit - low) * stats::runif(1))
    wanted <- lapply(1:6, function(i) {
      kept <- key[, i] < limit
      k <- key[kept, i]
      w <- if (is.null(weights)) numeric() else weights[kept]
      part <- function(which) list(k[which], if (is.null(weights)) w else w[which])
      c(list(k, w), part(k >= low & k <= high), sum((if (is.null(weights)) rep(1, length(k)) else w)[k < low]),
        part(k < low))
    })
    for (any in c(TRUE, FALSE)) for (norms in c(TRUE, FALSE)) {
      found <- .Call(ffi_test_landmark_loops, as.double(X), rowSums(rows^2), weights,
                     as.double(if (norms) -2 * P else P),
                     rowSums(P^2), limit, low, high, norms, any, kernel_options())
      expect_identical(found, wanted)
    }
  }
})

test_that("what the kernels cannot take is refused", {
  call <- function(points = diag(2), weights = c(2^45, 1), places = diag(2), k = 2, r = 1, cap = 9, scale = 1,
                   change = 5, steps = 7) {
    landmark_values(points, weights, places, k, r, cap, scale, change, steps)
  }
  expect_identical(call(), c(0, 1))
  table <- function(...) {
    arguments <- utils::modifyList(list(diag(2), weights = c(2^45, 1), k = 2, r = 1, cap = 9, scale = 1, change = 5,
                                        steps = 7), list(...))
    do.call(distance_steps, arguments)
  }
  expect_identical(table(), c(1, 0))
  for (hostile in list(list(k = 1.5), list(k = 0), list(k = 2^46), list(k = 2^45, cap = 2^8), list(r = 3),
                       list(cap = 0), list(cap = 2^27),
                       list(cap = 1.5), list(scale = 0), list(scale = Inf), list(scale = NaN), list(change = 0),
                       list(change = 1.5),
                       list(steps = 0), list(steps = 2^31), list(k = 2^30, steps = 2, change = 1), list(weights = 1),
                       list(weights = c(-1, 5)), list(weights = c(NaN, 5)))) {
    bad(do.call(call, hostile))
    bad(do.call(table, hostile))
  }
  bad(call(scale = 3))
  bad(call(scale = 2^-1074))
  bad(call(points = matrix(c(1, NA, 1, 1), 2)))
  bad(call(points = matrix(c(1, Inf, 1, 1), 2)))
  bad(call(places = matrix(0, 2, 3)))
  bad(call(points = matrix(0, 2, 0), places = matrix(0, 2, 0)))
  bad(landmark_values(matrix(0, 0, 2), NULL, diag(2), 1, 1, 9, 1, 5, 7))
  bad(distance_steps(matrix(0, 0, 2), NULL, 1, 1, 9, 1, 5, 7))
  bad(distance_steps(matrix(0L, 2, 2), NULL, 1, 1, 9, 1, 5, 7))
  expect_identical(table(scale = 3), c(4, 0))
})
