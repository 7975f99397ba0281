# The slow look: one row, one cluster, one number after the other. Roundings may differ from the kernel's in the last
# bit of a double, so that a whole number may be one off: what is compared is near, and exact where it must be.

slow_row <- function(x, model, box, query) {
  D <- length(x)
  z <- pmin(pmax(2 * (pmin(pmax(x, box$lower), box$upper) - box$lower) / (box$upper - box$lower) - 1, -1), 1)
  K <- length(model$weights)
  u <- sapply(seq_len(K), function(k) {
    forwardsolve(t(chol(matrix(model$covariances[, , k], D))), z - model$means[, k])
  })
  u <- matrix(u, D)
  log_density <- sapply(seq_len(K), function(k) {
    log(model$weights[k]) - determinant(matrix(model$covariances[, , k], D))$modulus / 2 - sum(u[, k]^2) / 2
  })
  share <- exp(log_density - max(log_density))
  share <- if (query$hard) as.numeric(seq_len(K) == which.max(share)) else share / sum(share)
  rows <- sapply(seq_len(K), function(k) {
    f <- if (query$whitened) u[, k] * min(1, sqrt(query$stretch * D / sum(u[, k]^2))) else z
    share[k] * c(1, f, outer(f, f)[upper.tri(diag(D), TRUE)])
  })
  matrix(rows, ncol = K)
}

some_model <- function(D, K) {
  S <- array(0, c(D, D, K))
  for (k in seq_len(K)) {
    S[, , k] <- bound_eigenvalues(stats::rWishart(1, D + 2, diag(D))[, , 1] * 10^stats::runif(1, -5, 0), 1e-7, 4)
  }
  list(weights = (w <- stats::runif(K, 0.1, 1)) / sum(w), means = matrix(stats::runif(D * K, -1, 1), D),
       covariances = S)
}

query_kinds <- expand.grid(whitened = c(TRUE, FALSE), hard = c(TRUE, FALSE))

test_that("the kernel's sums are those of a slow look", {
  set.seed(1)
  for (i in 1:24) {
    kind <- query_kinds[i %% 4 + 1, ]
    D <- sample(1:6, 1)
    K <- sample(1:5, 1)
    n <- sample(1:20, 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    model <- some_model(D, K)
    X <- matrix(stats::rnorm(n * D, sd = 3), n)
    stretch <- if (kind$whitened) c(1, 1.7, 20)[i %% 3 + 1] else 1
    query <- list(whitened = kind$whitened, hard = kind$hard, stretch = stretch, bits = c(14, 14))
    expected <- Reduce(`+`, lapply(seq_len(n), function(i) slow_row(X[i, ], model, box, query)))
    sums <- query_sums(X, model, box, query) * query_units(D, query$bits, stretch)
    expect_lt(max(abs(sums - expected)), n * stretch * 1e-3)
    # of each row by itself the same whole numbers as of all of them
    alone <- Reduce(`+`, lapply(seq_len(n), function(i) query_sums(X[i, , drop = FALSE], model, box, query)))
    expect_identical(query_sums(X, model, box, query), alone)
    expect_identical(query_sums(X[rev(seq_len(n)), , drop = FALSE], model, box, query), alone)
  }
})

# The kernel's operations, one after the other in their order: whole numbers to the last one. `m` is what query_model()
# makes.
exact_row <- function(x, m, query) {
  D <- length(x)
  K <- length(m$level)
  W <- array(m$whiten, c(D, D, K))
  whole <- 2^query$bits[2]
  unit <- 2^query$bits[1]
  nearest <- function(x, most) if (is.nan(x)) 0 else floor(min(max(x, -most), most) + 0.5)
  in_order <- function(x) Reduce(`+`, x, 0) # sum() has longer numbers
  z <- pmin(pmax(2 * ((pmin(pmax(x, m$lower), m$upper) - m$lower) / (m$upper - m$lower)) - 1, -1), 1)
  u <- matrix(0, D, K)
  for (k in seq_len(K)) for (i in seq_len(D)) u[i, k] <- in_order((W[i, , k] * (z - m$mean[, k]))[seq_len(i)])
  square <- apply(u^2, 2, in_order)
  density <- m$level - square * (m$stretch / 2)
  e <- exp(density - max(density))
  wanted <- if (query$hard) whole * (seq_len(K) == which.max(density)) else floor(e / in_order(e) * whole + 0.5)
  share <- diff(c(0, pmin(cumsum(wanted), whole)))
  sums <- vapply(seq_len(K), function(k) {
    scale <- (if (square[k] > D) sqrt(D / square[k]) else 1) * unit
    q <- vapply(if (query$whitened) u[, k] * scale else z * unit, nearest, 0, if (query$whitened) 8 * unit else unit)
    while (query$whitened && sum(q^2) > D * unit^2) q <- q - sign(q)
    share[k] * c(1, q, outer(q, q)[upper.tri(diag(D), TRUE)])
  }, double(1 + D + D * (D + 1) / 2))
  matrix(sums, ncol = K)
}

# Some rows are next to a cluster, some in corners. Elsewhere compilers fuse products with sums, and last digits differ.
test_that("the kernel's sums are those of its operations in R, to the last whole number", {
  skip_if_not(identical(R.version$arch, "x86_64"))
  set.seed(11)
  for (i in 1:32) {
    kind <- query_kinds[i %% 4 + 1, ]
    D <- sample(c(1:9, 17), 1)
    K <- sample(1:6, 1)
    n <- sample(c(1:9, 40), 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    model <- some_model(D, K)
    X <- matrix(stats::rnorm(n * D, sd = 3), n)
    near <- sample(n, n %/% 2)
    X[near, ] <- t((model$means[, sample(K, length(near), TRUE)] + 1) / 2 * (box$upper - box$lower) + box$lower) +
      stats::rnorm(length(near) * D, sd = 10^stats::runif(1, -3, 0))
    stretch <- if (kind$whitened) sample(c(1, 1.3, 9), 1) else 1
    query <- list(whitened = kind$whitened, hard = kind$hard, stretch = stretch,
                  bits = c(sample(c(0, 3, 13), 1), sample(c(0, 5, 18), 1)))
    m <- query_model(model, box, query$stretch)
    expected <- Reduce(`+`, lapply(seq_len(n), function(i) exact_row(X[i, ], m, query)))
    expect_identical(query_sums(X, model, box, query), expected)
  }
})

test_that("blocks and threads change no sum and no score", {
  set.seed(12)
  D <- 3
  K <- 4
  box <- domain_box(rep(-3, D), seq_len(D))
  model <- some_model(D, K)
  X <- matrix(stats::rnorm(20011 * D, sd = 3), ncol = D) # parts of blocks, and blocks of the last rows
  global <- list(weights = 1, means = model$means[, 1, drop = FALSE],
                 covariances = model$covariances[, , 1, drop = FALSE])
  starts <- lapply(1:3, function(i) draw_centers(K, D, "R"))
  results <- function(X) {
    c(lapply(1:4, function(i) query_sums(X, model, box,
                                         c(as.list(query_kinds[i, ]), list(stretch = 1, bits = c(8, 8))))),
      list(start_scores(X, global, box, starts, 0.5, 8)))
  }
  all <- results(X)
  cuts <- c(0, 1, 8, 300, 7777, nrow(X))
  parts <- lapply(1:5, function(i) results(X[seq(cuts[i] + 1, cuts[i + 1]), , drop = FALSE]))
  expect_identical(Reduce(function(a, b) Map(`+`, a, b), parts), all)
  for (threads in c(1, 3)) {
    withr::local_options(dptda.threads = threads)
    expect_identical(results(X), all)
  }
})

# In units of the noise a pair of rows may differ by 2 rho, with the nominal variances; those of the plan are no
# smaller.
test_that("no pair of rows moves a round farther than is charged", {
  skip_if_instrumented()
  set.seed(2)
  worst <- double(4)
  for (i in 1:120) {
    kind <- query_kinds[i %% 4 + 1, ]
    D <- sample(c(1:4, 7), 1)
    K <- sample(1:4, 1)
    box <- domain_box(rep(-1, D), rep(1, D))
    model <- some_model(D, K)
    options <- c(as.list(kind), list(stretch = if (kind$whitened) sample(c(1, 1.5, 9), 1) else 1))
    query <- plan_query(50, D, 0.7, options, K)
    query$bits <- c(sample(0:6, 1), if (kind$hard) 0 else sample(0:6, 1))
    scale <- query_scales(D, query$rho, query, query$bits)
    # corners, centers, places near centers, and opposite ones
    one <- function() {
      m <- model$means[, sample(K, 1)]
      switch(sample(5, 1), sample(c(-1, 1), D, TRUE), m, m + stats::rnorm(D) * 10^stats::runif(1, -4, 0),
             stats::runif(D, -1, 1), ifelse(seq_len(D) == 1, sample(c(-1, 1), 1), 0))
    }
    X <- t(matrix(replicate(160, one()), D))
    V <- sapply(seq_len(160), function(r) as.vector(query_sums(X[r, , drop = FALSE], model, box, query))) / scale
    V <- matrix(V, ncol = 160)
    # all pairs: 12720 a model, 1.5 million altogether
    spent <- max(stats::dist(t(V)))^2 / 2
    worst[i %% 4 + 1] <- max(worst[i %% 4 + 1], spent)
    expect_lte(spent, query$rho)
  }
  # and the bounds are not loose
  expect_true(all(worst > 0.6 * 0.7))
})

test_that("corners in two clusters attain the sensitivity of the box, far rows that of whitened rounds", {
  D <- 3
  box <- domain_box(rep(-1, D), rep(1, D))
  model <- list(weights = c(0.5, 0.5), means = cbind(rep(-1, D), rep(1, D)),
                covariances = array(diag(1e-3, D), c(D, D, 2)))
  X <- rbind(rep(-1, D), rep(1, D))
  for (whitened in c(TRUE, FALSE)) {
    query <- plan_query(2, D, 1, list(whitened = whitened, hard = TRUE), 2)
    rows <- if (whitened) 0.5 * X else X
    V <- sapply(1:2, function(i) as.vector(query_sums(rows[i, , drop = FALSE], model, box, query))) / query$scale
    expect_equal(sum((V[, 1] - V[, 2])^2) / 2, 1, tolerance = 1e-4)
  }
})

test_that("shares and features keep their bounds in integers, whatever the row is", {
  D <- 2
  box <- domain_box(c(-1, -1), c(1, 1))
  model <- list(weights = c(1 - 1e-300, 1e-300), means = matrix(c(-1, -1, 1, 1), 2),
                covariances = array(diag(1e-7, 2), c(2, 2, 2)))
  X <- rbind(c(-Inf, Inf), c(1e300, -1e300), c(0, 0), c(-1, -1), c(5e-324, -0))
  query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(5, 7))
  for (i in seq_len(nrow(X))) {
    sums <- query_sums(X[i, , drop = FALSE], model, box, query)
    expect_true(all(sums[1, ] >= 0) && sum(sums[1, ]) <= 2^7)
    expect_true(all(colSums(sums[c(4, 6), , drop = FALSE]) <= sums[1, ] * D * 4^5))
  }
  # a row outside is its nearest point of the box
  expect_identical(query_sums(X[2, , drop = FALSE], model, box, query), query_sums(rbind(c(1, -1)), model, box, query))
})

# No covariance of a release gives such a model; a row would be brought to its length step by step, in seconds.
test_that("a row whose coordinates are no numbers has no features", {
  model <- list(lower = c(-1, -1, -1), upper = c(1, 1, 1), mean = matrix(c(-1e10, -1e10, 0)), level = 0,
                whiten = c(1e308, 1e308, 0, 0, -1e308, 0, 0, 0, 1e6), stretch = 1)
  sums <- .Call(ffi_cluster_query, rbind(c(1, 1, 1)), NULL, model, TRUE, TRUE, FALSE, c(4, 0),
                kernel_options())
  expect_identical(as.vector(sums), c(1, double(9)))
  # squares of longer features would not be exact
  expect_error(.Call(ffi_cluster_query, rbind(c(1, 1, 1)), NULL, model, TRUE, TRUE, FALSE, c(21, 0),
                     kernel_options()),
               "at most 20")
})

test_that("the shares of a round keep the condition of the proof", {
  for (D in 1:50) for (stretch in c(1, 1 + 2 / sqrt(D), 1e6)) {
    a <- query_weights(D, stretch)
    expect_lt(sum(a), 1)
    expect_lte(a[2]^2, 4 * a[1] * a[3])
    a <- query_weights(D, stretch, far = TRUE)
    expect_lt(a[1] / 2 + a[2] + a[3] + a[2]^2 / (4 * a[3]), 1)
  }
})

# What two rows may differ by where far rows are counted, in units of 2 rho: the worst of all lengths and angles.
test_that("the condition for far rows is the worst case, and not more", {
  for (a in list(c(.3, .5), c(.9, .1), c(.1, .8))) {
    g <- expand.grid(x = seq(0, 1, .02), y = seq(0, 1, .02), cos = seq(-1, 1, .02))
    s <- g$x * g$y * g$cos
    apart <- (a[1] * (g$x^2 + g$y^2 - 2 * s) + a[2] * (g$x^4 + g$y^4 - 2 * s^2)) / 2
    bound <- a[1] + a[2] + a[1]^2 / (4 * a[2])
    expect_lte(max(apart), bound)
    if (a[1] < 2 * a[2]) expect_gt(max(apart), bound - 1e-3)
  }
})

test_that("rows that are shortened are counted, and the rest of a round is as without", {
  set.seed(8)
  for (D in c(1, 2, 5, 9)) {
    model <- some_model(D, 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    X <- matrix(stats::rnorm(300 * D, sd = 3), 300)
    query <- list(whitened = TRUE, hard = FALSE, stretch = 1.7, bits = c(10, 0))
    z <- t(clamp_to_box(X, box) - box$lower[col(X)]) * 2 / (box$upper - box$lower) - 1
    u <- forwardsolve(t(chol(matrix(model$covariances, D))), z - model$means[, 1])
    sums <- query_sums(X, model, box, query)
    far <- query_sums(X, model, box, c(query, far = TRUE))
    expect_identical(far[-1], sums[-1])
    expect_identical(far[1], as.double(sum(colSums(u^2) > 1.7 * D)))
  }
  expect_error(query_sums(X, model, box, list(whitened = FALSE, hard = TRUE, stretch = 1, bits = c(4, 0), far = TRUE)),
               "far")
})

test_that("no pair of rows moves a round that counts far rows farther than is charged", {
  skip_if_instrumented()
  set.seed(14)
  worst <- vapply(1:40, function(i) {
    D <- sample(c(1:4, 7), 1)
    stretch <- sample(c(1, 1 + 2 / sqrt(D), 40), 1)
    model <- some_model(D, 1)
    query <- plan_query(50, D, 0.7, list(whitened = TRUE, hard = FALSE, stretch = stretch, far = TRUE), 1)
    query$bits <- c(sample(2:6, 1), 0)
    scale <- query_scales(D, query$rho, query, query$bits)
    one <- function() {
      u <- stats::rnorm(D)
      length <- sqrt(D * stretch) * sample(c(.3, .9, .999, 1.001, 2), 1)
      model$means[, 1] + as.vector(t(chol(matrix(model$covariances, D))) %*% (u / sqrt(sum(u^2)) * length))
    }
    X <- t(matrix(replicate(160, one()), D))
    X <- rbind(X, model$means[, 1], t(2 * model$means[, 1] - t(X)))
    V <- apply(X, 1, function(x) {
      as.vector(query_sums(rbind(x), model, domain_box(rep(-1, D), rep(1, D)), query)) / scale
    })
    spent <- max(stats::dist(t(V)))^2 / 2
    expect_lte(spent, query$rho)
    spent
  }, 0)
  expect_gt(max(worst), 0.6 * 0.7)
})

# A longer length is another model, and its units bring the sums back.
test_that("a round that sees farther shortens rows to a longer length, and pays the same for them", {
  set.seed(7)
  for (i in 1:12) {
    D <- sample(1:6, 1)
    stretch <- 1 + 2 / sqrt(D)
    model <- some_model(D, 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    X <- matrix(stats::rnorm(20 * D, sd = 3), 20)
    query <- plan_query(20, D, 0.7, list(whitened = TRUE, hard = FALSE, stretch = stretch), 1)
    wider <- within(model, covariances <- stretch * covariances)
    expected <- Reduce(`+`, lapply(1:20, function(i) slow_row(X[i, ], wider, box, replace(query, "stretch", 1))))
    sums <- query_sums(X, model, box, query) * query$unit
    expect_lt(max(abs(sums - expected * c(1, rep(sqrt(stretch), D), rep(stretch, D * (D + 1) / 2)))), 20 * 1e-3)
    V <- sapply(1:20, function(r) as.vector(query_sums(X[r, , drop = FALSE], model, box, query))[-1] / query$scale[-1])
    expect_lte(max(stats::dist(t(matrix(V, ncol = 20))))^2 / 2, query$rho)
  }
})

test_that("bits leave sums exact and scales possible", {
  for (D in c(1, 8, 50)) for (n in c(1, 1e9)) for (rho in c(1e-15, 1e-6, 1e6)) {
    for (i in 1:4) for (K in c(1, 5)) {
      query <- plan_query(n, D, rho, as.list(query_kinds[i, ]), K)
      expect_lte(n * D * 2^query$bits[2] * 4^query$bits[1], 2^52)
      expect_true(all(query$scale >= 2^-30 & query$scale <= 2^40))
    }
  }
  expect_null(plan_query(1e6, 50, 1e-30, list(whitened = TRUE, hard = FALSE), 5))
})

# Each of 1500 noisy numbers, less what was computed, over its scale: the mean of the squares has standard deviation
# sqrt(2 / 1500); five of them, for two kinds, are a false-alarm rate of about 1e-6. The seed is fixed.
test_that("the noise has the scales of the plan", {
  set.seed(3)
  box <- domain_box(c(-1, -1), c(1, 1))
  model <- some_model(2, 3)
  X <- matrix(stats::runif(40, -1, 1), 20)
  for (whitened in c(TRUE, FALSE)) {
    query <- plan_query(20, 2, 1e-3, list(whitened = whitened, hard = FALSE), 3)
    exact <- query_sums(X, model, box, query) * query$unit
    noise <- replicate(250, {
      seen <- draw_query(X, model, box, query, "R")
      c(seen$count - exact[1, ], seen$sum[2, ] - exact[3, ]) / rep((query$scale * query$unit)[c(1, 3)], each = 3)
    })
    expect_lt(abs(mean(noise^2) - 1), 5 * sqrt(2 / 1500))
    expect_lt(abs(mean(noise)), 5 / sqrt(1500))
  }
})

# 20,000 draws: each frequency within five standard deviations, a false-alarm rate of 1e-6. The seed is fixed.
test_that("a start is chosen by the exponential mechanism", {
  set.seed(4)
  loss <- c(3, 0, 8, 200)
  choice <- replicate(20000, .Call(ffi_cluster_choose, loss, 0.25, kernel_options("R")))
  expected <- exp(-0.25 * loss) / sum(exp(-0.25 * loss))
  seen <- tabulate(choice, 4) / 20000
  expect_true(all(abs(seen - expected) <= 5 * sqrt(expected / 20000)))
})

test_that("scores are sums of cut logarithms, and the factor is charged for them", {
  set.seed(5)
  box <- domain_box(c(-1, -1), c(1, 1))
  global <- list(weights = 1, means = matrix(c(0.1, -0.2)), covariances = array(c(0.2, 0.1, 0.1, 0.3), c(2, 2, 1)))
  X <- matrix(stats::runif(60, -1.2, 1.2), 30)
  centers <- matrix(stats::rnorm(2 * 3 * 4), 2)
  scores <- .Call(ffi_cluster_scores, X, NULL, query_model(global, box), centers, 3, 0.4, 8, kernel_options())
  u <- forwardsolve(t(chol(global$covariances[, , 1])), t(clamp_to_box(X, box)) - global$means[, 1])
  slow <- sapply(1:4, function(s) {
    p <- rowMeans(sapply(3 * (s - 1) + 1:3, function(k) exp(-colSums((u - centers[, k])^2) / 0.8) / 0.4))
    sum(pmin(pmax(log(p) + colSums(u^2) / 2, -3), 3) + 3)
  })
  expect_lt(max(abs(scores / 2^8 - slow)), 30 / 2^8)
  # each row gives from 0 to 6 * 2^8, and both ends are reached
  ends <- .Call(ffi_cluster_scores, rbind(c(1, 1)), NULL, query_model(global, box), cbind(c(100, 100), u = c(1.5, 1.5)),
                1, 0.001, 8, kernel_options())
  expect_true(all(ends >= 0 & ends <= 6 * 2^8) && ends[1] == 0)
  for (rho in c(1e-12, 0.01, 5)) {
    choice <- plan_choice(1e4, rho)
    epsilon <- choice$factor * 2 * 6 * 2^choice$bits
    expect_lte(epsilon^2 / 8, rho)
    expect_gt(epsilon^2 / 8, 0.998 * rho)
    digits <- choice$factor / 2^(binary_exponent(choice$factor) - 11)
    expect_identical(digits, floor(digits))
  }
})

test_that("the budget in rho is the largest that keeps epsilon and delta, however the conversion rounds", {
  for (epsilon in c(1e-6, 0.1, 1, 10, 1e3)) for (delta in c(1e-9, 1e-6, 0.01, 0.9)) {
    rho <- largest_rho(epsilon, delta)
    expect_lte(parts_epsilon(new_parts(rho = rho), delta), epsilon - 2^-47 * (epsilon + 15))
    expect_gt(parts_epsilon(new_parts(rho = rho * 1.0001), delta), epsilon)
  }
})

# The lies are caught with 4000 runs, and the honest look is rejected with probability at most 0.01; the seed is fixed.
test_that("an auditor believes a round, and catches one that is charged too little", {
  set.seed(6)
  box <- domain_box(c(-1, -1), c(1, 1))
  model <- list(weights = c(0.5, 0.5), means = cbind(c(-0.5, -0.5), c(0.5, 0.5)),
                covariances = array(diag(0.01, 2), c(2, 2, 2)))
  x <- rbind(c(-1, -1), c(1, 0.9))
  neighbor <- rbind(c(1, 1), c(1, 0.9))
  query <- plan_query(2, 2, 0.5, list(whitened = TRUE, hard = FALSE), 2)
  sums <- function(X) as.vector(query_sums(X, model, box, query))
  way <- (sums(neighbor) - sums(x)) / query$scale^2
  draws <- function(scale, empty = scale) function(X, runs) {
    exact <- sums(X)
    # a cluster without rows may have other noise
    used <- ifelse(rep(exact[c(1, 7)] > 0, each = 6), scale, empty)
    noisy <- matrix(add_noise(rep(exact, runs), rep(used, runs), "gaussian", "R"), 12)
    cbind(colSums(noisy * way), noisy[1, ])
  }
  audit <- function(mechanism) audit_mechanism(draws = mechanism, x = x, neighbor = neighbor, rho = 0.5, runs = 4000)
  expect_false(audit(draws(query$scale))$rejected)
  expect_gt(audit(draws(query$scale))$estimate, 0.35)
  expect_true(audit(draws(query$scale / 2))$rejected)
  expect_true(audit(draws(query$scale, empty = 2^-30))$rejected)
  # the scales of one cluster's sensitivity, where a row may leave for another
  expect_true(audit(draws(query$scale / sqrt(2)))$rejected)
})

# Enough rows for several parts of each thread.
test_that("the sums are the same for any number of threads", {
  set.seed(8)
  X <- matrix(stats::rnorm(2e5), ncol = 10)
  box <- domain_box(rep(-5, 10), rep(5, 10))
  model <- list(weights = rep(1 / 12, 12), means = matrix(stats::rnorm(120, sd = 0.2), 10),
                covariances = array(diag(0.05, 10), c(10, 10, 12)))
  query <- plan_query(nrow(X), 10, 0.1, list(whitened = TRUE, hard = FALSE), 12)
  starts <- matrix(stats::rnorm(10 * 24), 10)
  global <- list(weights = 1, means = matrix(0, 10, 1), covariances = array(diag(10), c(10, 10, 1)))
  seen <- lapply(1:3, function(threads) {
    withr::local_options(dptda.threads = threads)
    list(query_sums(X, model, box, query),
         .Call(ffi_cluster_scores, X, NULL, query_model(global, box), starts, 12, 0.1, 8, kernel_options()),
         .Call(ffi_cluster_means, X, NULL, list(lower = box$lower, upper = box$upper, mean = model$means), 10,
               kernel_options()))
  })
  expect_identical(seen[[2]], seen[[1]])
  expect_identical(seen[[3]], seen[[1]])
})

test_that("starts that are drawn at once are those that are drawn one by one", {
  for (clusters in c(1, 4)) for (dimension in 1:3) {
    set.seed(3)
    at_once <- draw_starts(5, clusters, dimension, "R")
    stream <- stats::runif(1)
    set.seed(3)
    expect_identical(lapply(1:5, function(i) draw_centers(clusters, dimension, "R")), at_once)
    expect_identical(stats::runif(1), stream)
  }
})
