# The slow query: the definitions of the proof, one row at a time, in natural units. The kernel computes the same in
# another order of operations, and rounds its features. So the features of a row are at most two steps apart.

slow_features <- function(x, lower, upper, model, query) {
  p <- length(model$beta)
  z <- 2 * (pmin(pmax(x, lower), upper) - lower) / (upper - lower) - 1
  y <- if (model$family == "binomial") as.double(x[p + 1] > 0.5) else z[p + 1]
  z <- z[seq_len(p)]
  eta <- sum(z * model$beta)
  if (model$family == "binomial") {
    P <- stats::plogis(eta)
    c <- min(1, query$cut^2 * P * (1 - P) / max(P, 1 - P)^2)
    v <- c * P * (1 - P)
    psi <- (y - P) * sqrt(c / (P * (1 - P)))
  } else {
    v <- 1
    psi <- min(max((y - eta) / model$scale, -query$cut), query$cut)
  }
  h <- sqrt(v) * as.vector(model$map %*% z)
  w <- if (all(h == 0)) 1 else min(1, query$reach / sqrt(sum(h^2)))
  w * c(h, query$kappa * psi)
}

upper_triangle <- function(S) S[upper.tri(S, diag = TRUE)]

families <- c("gaussian", "binomial")

some_regression <- function(p, family, spread = 1) {
  map <- diag(exp(stats::rnorm(p, sd = spread)), p)
  map[lower.tri(map)] <- stats::rnorm(p * (p - 1) / 2)
  list(family = family, beta = stats::rnorm(p), map = map, scale = exp(stats::rnorm(1)))
}

# A constant, dummies, numbers beyond the box, and y.
some_rows_of <- function(n, p, family) {
  X <- matrix(stats::rnorm(n * p, sd = 2), n)
  X[, 1] <- 1
  if (p > 1) X[, 2] <- stats::rbinom(n, 1, 0.3)
  cbind(X, if (family == "binomial") stats::rbinom(n, 1, 0.4) else stats::rnorm(n))
}

some_bounds <- function(p) list(lower = c(rep(-1, min(p, 2)), rep(-3, max(p - 2, 0)), -2),
                                upper = c(rep(1, min(p, 2)), seq_len(max(p - 2, 0)), 3))

test_query <- function(p, family, bits = 14, reach = sqrt(p), cut = 2, rho = 1, scores = FALSE) {
  query <- plan_regression_query(100, p, rho, reach, cut, family, scores = scores)
  query$unit <- query$unit * 4^(query$bits[1] - bits)
  query$bits[1] <- bits
  query
}

test_that("the kernel's sums are those of a slow query", {
  set.seed(1)
  for (i in 1:40) {
    family <- families[i %% 2 + 1]
    p <- sample(1:7, 1)
    n <- sample(1:20, 1)
    box <- some_bounds(p)
    model <- some_regression(p, family)
    query <- test_query(p, family, reach = sqrt(p) * c(.3, 1, 4)[i %% 3 + 1], cut = c(.5, 2, 6)[i %% 3 + 1])
    X <- some_rows_of(n, p, family)
    f <- apply(X, 1, slow_features, box$lower, box$upper, model, query) / query$reach * 2^14
    sums <- regression_sums(X, box$lower, box$upper, model, query)
    # features of at most 2^14 that are two steps apart
    expect_lt(max(abs(sums - upper_triangle(tcrossprod(f)))), n * (4 * 2^14 + 4))
    alone <- Reduce(`+`, lapply(seq_len(n), function(r) regression_sums(X[r, , drop = FALSE], box$lower, box$upper,
                                                                        model, query)))
    expect_identical(sums, alone)
  }
})

# The kernel's operations, one after the other in their order: integers to the last one. `m`: regression_model().
exact_features <- function(x, m, bits) {
  p <- length(m$beta)
  unit <- 2^bits
  nearest <- function(x) if (is.nan(x)) 0 else floor(min(max(x, -unit), unit) + 0.5)
  in_order <- function(x) Reduce(`+`, x, 0) # sum() has longer numbers
  z <- pmin(pmax(2 * ((pmin(pmax(x, m$lower), m$upper) - m$lower) / (m$upper - m$lower)) - 1, -1), 1)
  y <- if (m$binomial) as.double(x[p + 1] > 0.5) else z[p + 1]
  z <- z[seq_len(p)]
  eta <- in_order(m$beta * z)
  u <- vapply(seq_len(p), function(i) in_order(m$map[i, seq_len(i)] * z[seq_len(i)]), 0)
  root <- 1
  residual <- min(max((y - eta) / m$cut, -1), 1)
  if (m$binomial) {
    r <- exp(-abs(eta) / 2)
    root <- r * min(m$cut * r, 1) / (1 + r * r)
    residual <- (if (y > 0) 1 else -1) * (if (m$cut * r > 1) 1 / (m$cut * r) else 1) *
      (if ((y > 0) == (eta > 0)) r * r else 1)
  }
  distance <- root * sqrt(in_order(u^2))
  scale <- (if (distance > 1) 1 / distance else 1) * unit
  q <- vapply(u * (root * scale), nearest, 0)
  while (sum(q^2) > unit^2) q <- q - sign(q)
  c(q, nearest(residual * scale))
}

# On other machines compilers fuse products with sums, and last digits differ.
test_that("the kernel's sums are those of its operations in R, to the last integer", {
  skip_if_not(identical(R.version$arch, "x86_64"))
  set.seed(2)
  for (i in 1:40) {
    family <- families[i %% 2 + 1]
    p <- sample(c(1:9, 17), 1)
    n <- sample(c(1:9, 40), 1)
    box <- some_bounds(p)
    model <- some_regression(p, family, spread = 3)
    query <- test_query(p, family, bits = sample(c(0, 3, 13, 20), 1), reach = 10^stats::runif(1, -3, 1),
                        cut = 10^stats::runif(1, -1, 1))
    X <- some_rows_of(n, p, family)
    m <- regression_model(box$lower, box$upper, model, query$reach, query$cut)
    q <- matrix(apply(X, 1, exact_features, m, query$bits[1]), p + 1)
    expect_identical(regression_sums(X, box$lower, box$upper, model, query), upper_triangle(tcrossprod(q)))
  }
})

test_that("scores are products of features, moved toward 0, and those of a slow query", {
  set.seed(21)
  for (i in 1:40) {
    family <- families[i %% 2 + 1]
    p <- sample(c(1:9, 17), 1)
    n <- sample(c(1:9, 40), 1)
    box <- some_bounds(p)
    model <- some_regression(p, family)
    query <- test_query(p, family, bits = if (i %% 4) sample(c(0, 3, 13), 1) else 18, reach = 10^stats::runif(1, -1, 1),
                        cut = 10^stats::runif(1, -1, 1), scores = TRUE)
    X <- some_rows_of(n, p, family)
    sums <- regression_sums(X, box$lower, box$upper, model, query)
    f <- matrix(apply(X, 1, slow_features, box$lower, box$upper, model, query), p + 1)
    psi <- f[p + 1, ] / query$kappa
    B <- upper_triangle(tcrossprod(f[seq_len(p), , drop = FALSE] * rep(psi, each = p)))
    # scores are at most 1.5 steps of two features and one of their own apart
    unit <- 2^query$bits[[1]]
    expect_lt(max(abs(sums - B / query$unit[["B"]])), n * (10 * unit + 25))
    skip_if_not(identical(R.version$arch, "x86_64"))
    m <- regression_model(box$lower, box$upper, model, query$reach, query$cut)
    q <- matrix(apply(X, 1, exact_features, m, query$bits[1]), p + 1)
    g <- trunc(q[seq_len(p), , drop = FALSE] * rep(q[p + 1, ], each = p) / unit)
    expect_identical(sums, upper_triangle(tcrossprod(g)))
  }
})

# The lengths of the two parts of a row's features, from its products.
part_lengths <- function(sums) {
  squares <- sums[is_square((sqrt(8 * length(sums) + 1) - 1) / 2)]
  c(sum(utils::head(squares, -1)), utils::tail(squares, 1))
}

hostile_numbers <- function() c(NaN, NA, Inf, -Inf, 1e308, -1e308, 5e-324, -0, 1, 0.5)

test_that("features keep their bounds in integers, whatever the row and the model are", {
  set.seed(3)
  # a list of what was wrong, since each expectation takes a millisecond
  wrong <- character()
  for (i in 1:400) {
    p <- sample(c(1:4, 9), 1)
    bits <- sample(c(0, 1, 5, 20), 1)
    huge <- function(n) sample(c(0, 1, -1, 1e-308, 5e-324, 1e10, 1e150, -1e200, 1e308, -1.7e308), n, TRUE)
    model <- list(lower = sample(c(-1, -1e308, -1e-300), p + 1, TRUE), upper = sample(c(1, 1e308, 5e-324), p + 1, TRUE),
                  beta = huge(p), map = matrix(huge(p^2), p), cut = sample(c(2.3e-308, 1, 1e308), 1),
                  binomial = i %% 2 == 0)
    X <- matrix(sample(hostile_numbers(), 9 * (p + 1), TRUE), 9)
    for (row in 1:9) {
      sums <- .Call(ffi_regression_query, X[row, , drop = FALSE], NULL, model, bits, FALSE, kernel_options())
      scores <- .Call(ffi_regression_query, X[row, , drop = FALSE], NULL, model, bits, TRUE, kernel_options())
      level <- .Call(ffi_regression_level, X[row, , drop = FALSE], NULL, replace(model, "binomial", FALSE), bits,
                     kernel_options())
      kept <- all(is.finite(sums)) && all(sums == floor(sums)) && all(part_lengths(sums) <= 4^bits) &&
        sum(part_lengths(scores)) <= 4^bits &&
        abs(level) <= 2^bits
      if (!isTRUE(kept)) wrong <- c(wrong, deparse1(list(model, X[row, ])))
    }
  }
  expect_identical(wrong, character())
})

test_that("a number that is missing is a public number, and a row outside is its nearest point of the box", {
  for (family in families) {
    model <- list(family = family, beta = c(0.1, 0.2), map = diag(2), scale = 1)
    query <- test_query(2, family)
    sums <- function(...) regression_sums(rbind(c(...)), c(-1, 0, 0), c(1, 4, 1), model, query)
    expect_identical(sums(1, NaN, 1), sums(1, 2, 1))
    expect_identical(sums(1, NA, 1), sums(1, 2, 1))
    expect_identical(sums(1, 3, NaN), sums(1, 3, if (family == "binomial") 0 else 0.5))
    expect_identical(sums(1, 100, 7), sums(1, 4, 1))
    expect_identical(sums(1, -Inf, -Inf), sums(1, 0, 0))
  }
})

test_that("a model of numbers that are not finite is cut to a public one, and fails nothing", {
  X <- rbind(c(1, 0.5, 1))
  for (family in families) {
    query <- test_query(2, family)
    for (bad in c(Inf, NaN, 1e308)) {
      model <- list(family = family, beta = c(0, bad), map = matrix(c(1, bad, 0, 1), 2), scale = 1)
      expect_true(all(part_lengths(regression_sums(X, c(-1, -1, 0), c(1, 1, 1), model, query)) <= 4^14))
    }
    for (scale in c(0, Inf, NaN, -1)) {
      model <- list(family = family, beta = c(0, 1), map = matrix(0, 2, 2), scale = scale)
      expect_true(all(part_lengths(regression_sums(X, c(-1, -1, 0), c(1, 1, 1), model, query)) <= 4^14))
    }
  }
})

# ---- sensitivity -------------------------------------------------------------------------------------------------

# Rows of full length, short ones, and opposite ones, with any y.
searched_rows <- function(n, p) {
  X <- matrix(switch(sample(3, 1), stats::runif(n * p, -1, 1), sample(c(-1, 1), n * p, TRUE),
                     stats::rnorm(n * p) * 10^stats::runif(n, -3, 0)), n)
  X <- rbind(X, -X, X)
  cbind(X, sample(c(-1, 0, 0.3, 1), nrow(X), TRUE))
}

# In units of the noise a pair may differ by 2 rho. 20 models with 90 rows, all 4,005 pairs each: 80,100.
test_that("no pair of rows moves a query farther than is charged, and 2 Q^2 bounds the matrices", {
  skip_if_instrumented()
  set.seed(4)
  worst <- vapply(1:20, function(i) {
    family <- families[i %% 2 + 1]
    p <- sample(1:6, 1)
    model <- some_regression(p, family, spread = sample(c(0.3, 2), 1))
    model$scale <- sample(c(0.01, 1), 1)
    model$beta <- model$beta * sample(c(0, 1, 10), 1)
    bits <- sample(c(0:6, 12), 1)
    query <- test_query(p, family, bits, reach = sample(c(0.1, 1), 1), cut = sample(c(0.3, 1, 3), 1), rho = 0.7)
    X <- searched_rows(30, p)
    V <- apply(X, 1, function(x) regression_sums(rbind(x), rep(-1, p + 1), rep(1, p + 1), model, query))
    Q <- 2 * 4^bits
    scale <- noise_scale(c(rho = 0.7), l2_squared = c(1, 2) * Q^2)
    scale <- ifelse(is_square(p + 1), scale[2], scale[1])
    spent <- max(stats::dist(t(V / scale)))^2 / 2
    expect_lte(spent, 0.7)
    square <- is_square(p + 1)
    apart <- stats::dist(t(V[square, , drop = FALSE]))^2 + 2 * stats::dist(t(V[!square, , drop = FALSE]))^2
    expect_lte(max(apart), 2 * Q^2 * (1 + 1e-12))
    # and against no row half of it
    expect_lte(max(colSums((V / scale)^2)) / 2, 0.35)
    spent / 0.7
  }, 0)
  expect_gt(max(worst), 0.95)
})

test_that("orthogonal rows attain the sensitivity, in both families", {
  pairs <- list(
    list(model = list(family = "gaussian", beta = c(0, 0, 0), map = diag(3), scale = 0.1), reach = sqrt(1.5), cut = 3,
         x = c(1, 0.5, -0.5, 1), y = c(1, 0.5, -0.5, -1)),
    # the designs differ by little after the map, and both y are the less likely ones; the weight is 4 exp(-8) / (1 +
    # exp(-4))^2
    list(model = list(family = "binomial", beta = c(0, 4), map = diag(c(1, 1e-3))), cut = 2,
         reach = 2 * exp(-4) / (1 + exp(-4)), x = c(1, 1, 0), y = c(1, -1, 1))
  )
  for (pair in pairs) for (rho in c(0.01, 1)) {
    p <- length(pair$model$beta)
    query <- plan_regression_query(10, p, rho, pair$reach, pair$cut, pair$model$family)
    V <- vapply(pair[c("x", "y")], function(x) {
      regression_sums(rbind(x), rep(-1, p + 1), rep(1, p + 1), pair$model, query)
    }, double((p + 1) * (p + 2) / 2))
    spent <- sum(((V[, 1] - V[, 2]) / regression_scales(query))^2) / 2
    expect_lte(spent, rho)
    expect_gt(spent, 0.99 * rho)
  }
})

# 20 models with 90 rows, all 4,005 pairs each: 80,100.
test_that("no pair of rows moves products of scores farther than is charged", {
  skip_if_instrumented()
  set.seed(22)
  worst <- vapply(1:20, function(i) {
    family <- families[i %% 2 + 1]
    p <- sample(1:6, 1)
    model <- some_regression(p, family, spread = sample(c(0.3, 2), 1))
    model$scale <- sample(c(0.01, 1), 1)
    bits <- sample(c(0:6, 12), 1)
    query <- test_query(p, family, bits, reach = sample(c(0.1, 1), 1), cut = sample(c(0.3, 1, 3), 1), rho = 0.7,
                        scores = TRUE)
    X <- searched_rows(30, p)
    V <- apply(X, 1, function(x) regression_sums(rbind(x), rep(-1, p + 1), rep(1, p + 1), model, query))
    V <- matrix(V, p * (p + 1) / 2)
    scale <- noise_scale(c(rho = 0.7), l2_squared = c(1, 2) * 16^bits)
    scale <- ifelse(is_square(p), scale[2], scale[1])
    spent <- max(stats::dist(t(V / scale)))^2 / 2
    expect_lte(spent, 0.7)
    spent / 0.7
  }, 0)
  # a long row has a short residual; the example of the mechanism attains the cost
  expect_gt(max(worst), 0.6)
})

# 100,000 pairs of real vectors within the bounds: the lemma, without a kernel, and equal noise is too little.
test_that("the bound of the proof is the worst case, and the diagonal must have twice the variance", {
  set.seed(5)
  upper <- function(q) upper_triangle(outer(q, q))
  square <- is_square(4)
  one <- function() {
    x <- stats::rnorm(3) * (stats::runif(3) < 0.7)
    x <- if (any(x != 0)) x / sqrt(sum(x^2)) * sample(c(0, 0.5, 1), 1, prob = c(.1, .2, .7)) else x
    upper(c(x, sample(c(-1, 0, 1, stats::runif(1, -1, 1)), 1)))
  }
  V <- cbind(replicate(450, one()), upper(c(1, 0, 0, 1)), upper(c(1, 0, 0, -1)),
             upper(c(cos(pi / 12), sin(pi / 12), 0, 1)), upper(c(sin(pi / 12), cos(pi / 12), 0, -1)))
  # Q = 2: in units of sigma^2 a pair may differ by Q^2
  expect_lte(max(stats::dist(t(V / ifelse(square, sqrt(2), 1))))^2, 4 + 1e-9)
  expect_equal(max(stats::dist(t(V)))^2, 4.5)
  # all entries of the matrix
  expect_equal(max(stats::dist(t(V * ifelse(square, 1, sqrt(2)))))^2, 8)
})

# ---- people ------------------------------------------------------------------------------------------------------

person_rows <- function(X, who) table_rows(X, person = as.integer(who))

test_that("weighted rows are summed as rows that are repeated", {
  set.seed(6)
  for (family in families) for (weight in c(1, 16, 1024)) {
    p <- 3
    box <- some_bounds(p)
    model <- some_regression(p, family)
    who <- sample(rep(1:12, sample.int(20, 12)))
    rows <- weigh_rows(person_rows(some_rows_of(length(who), p, family), who), weight)
    X <- rows$data[rep(seq_len(nrow(rows$data)), rows$weight), , drop = FALSE]
    query <- test_query(p, family, bits = 6)
    sums <- function(x) regression_sums(x, box$lower, box$upper, model, query)
    expect_identical(sums(rows), sums(X))
    expect_identical(count_ones(rows, p + 1), count_ones(X, p + 1))
    model$family <- "gaussian"
    level <- function(x) level_sum(x, box$lower, box$upper, model, list(cut = 2, bits = c(10, 0)))
    expect_identical(level(rows), level(X))
  }
})

test_that("no person moves a query by more than is charged", {
  skip_if_instrumented()
  set.seed(7)
  box <- list(lower = rep(-1, 3), upper = rep(1, 3))
  for (family in families) {
    model <- list(family = family, beta = c(0, 0), map = diag(2), scale = 0.5)
    # the length of (1, 0), whose binomial weight is 1/4
    query <- plan_regression_query(40, 2, 0.3, if (family == "gaussian") 1 else 0.5, 1, family, digits = 4)
    expect_identical(query$bits[2], 4)
    people <- c(lapply(c(1, 1, 2, 5, 15, 17, 33, rep(3, 40)), function(m) {
      X <- cbind(1, matrix(sample(c(-1, 0, 1), 2 * m, TRUE), m))
      if (stats::runif(1) < 0.5) X[rep(1, m), , drop = FALSE] else X
    }), list(rbind(c(1, 0, -1)), rbind(c(1, 0, 1))[c(1, 1, 1), ], matrix(double(), 0, 3)))
    V <- vapply(people, function(X) {
      if (!nrow(X)) return(double(6))
      regression_sums(weigh_rows(person_rows(X, rep(1, nrow(X))), 16), box$lower, box$upper, model, query)
    }, double(6)) / regression_scales(query)
    spent <- max(stats::dist(t(V)))^2 / 2
    expect_lte(spent, 0.3)
    expect_gt(spent, 0.29)
  }
})

# ---- threads, plans, units -------------------------------------------------------------------------------------------

test_that("blocks and threads change no sum", {
  set.seed(8)
  for (family in families) for (p in c(2, 9)) {
    box <- some_bounds(p)
    model <- some_regression(p, family)
    query <- test_query(p, family, bits = 10)
    scores <- test_query(p, family, bits = 10, scores = TRUE)
    # parts of blocks, several parts of each thread, and blocks of the last rows
    X <- some_rows_of(if (p == 2) 700011 else 20011, p, family)
    results <- function(X) {
      c(regression_sums(X, box$lower, box$upper, model, query),
        regression_sums(X, box$lower, box$upper, model, scores),
        if (family == "gaussian") level_sum(X, box$lower, box$upper, model, list(cut = 2, bits = c(10, 0))))
    }
    all <- results(X)
    cuts <- c(0, 1, 8, 300, 7777, nrow(X))
    parts <- lapply(1:5, function(i) results(X[seq(cuts[i] + 1, cuts[i + 1]), , drop = FALSE]))
    expect_identical(Reduce(`+`, parts), all)
    for (threads in c(1, 2, 3)) {
      withr::local_options(dptda.threads = threads)
      expect_identical(results(X), all)
    }
    expect_identical(results(X[0, , drop = FALSE]), 0 * all)
  }
})

test_that("bits leave sums exact and scales possible, and the scales are no smaller than the proof requires", {
  for (n in c(1, 1000, 1e9, 2^40)) for (rho in c(1e-15, 1e-6, 0.3, 1e6)) for (digits in list(NULL, 4, 10)) {
    for (scores in c(FALSE, TRUE)) {
      query <- plan_regression_query(n, 3, rho, 2, 3, "gaussian", digits, scores)
      if (is.null(query)) next
      W <- 2^query$bits[2]
      Q <- (2 - scores) * 4^query$bits[1]
      expect_lte(n * W * Q, 2^52)
      expect_true(all(query$scale >= 2^-30 & query$scale <= 2^40))
      expect_true(all(query$scale^2 * 2 * rho >= c(1, 2) * (W * Q)^2))
    }
    level <- plan_level(n, rho, 8, digits)
    if (!is.null(level)) {
      expect_lte(n * 2^sum(level$bits), 2^52)
      expect_gte(level$scale^2 * 2 * rho, 4^(1 + sum(level$bits)))
    }
    ones <- plan_ones(n, rho, digits)
    if (!is.null(ones)) expect_gte(ones$scale^2 * 2 * rho, 4^ones$bits[2])
  }
  expect_null(plan_regression_query(1e6, 3, 1e-30, 2, 3, "gaussian"))
  expect_null(plan_regression_query(1e3, 256, 1, 2, 3, "gaussian"))
  expect_null(level_query(c(-1, -1), c(1, 1), list(), 1e6, 1e-30))
  expect_null(ones_query(c(-1, -1), c(1, 1), 1e6, 1e-30))
  # the noise of the proof, in natural units
  query <- plan_regression_query(1000, 4, 0.1, 3, 2, "gaussian")
  expect_equal(query$sd, c(sA = 2 * 9, sb = 2 * 9 / 1.5, sc = sqrt(2) * 2 * 9 / 1.5^2) / sqrt(2 * 0.1),
               tolerance = 1e-6)
  expect_equal(query$sd[["sb"]], 3 * 2 * sqrt(2 / 0.1), tolerance = 1e-6)
  query <- plan_regression_query(1000, 4, 0.1, 3, 2, "gaussian", scores = TRUE)
  expect_equal(query$sd, c(sB = (3 * 2)^2 / sqrt(2 * 0.1)), tolerance = 1e-6)
})

test_that("what is drawn is in natural units, of rows and of people", {
  set.seed(9)
  for (family in families) {
    p <- 3
    box <- some_bounds(p)
    model <- some_regression(p, family)
    X <- some_rows_of(200, p, family)
    S <- function(f, kappa) {
      S <- f %*% t(f)
      list(A = S[1:p, 1:p], b = S[1:p, p + 1] / kappa, c = S[p + 1, p + 1] / kappa^2)
    }
    for (people in c(FALSE, TRUE)) {
      query <- plan_regression_query(if (people) 50 else 200, p, 1e12, 1.5, 2, family, if (people) 10)
      asked <- regression_query(box$lower, box$upper, model, query)
      expect_identical(asked$cost, c(rho = 1e12))
      rows <- if (people) weigh_rows(person_rows(X, rep(1:50, 4)), 2^query$bits[2]) else X
      f <- apply(X, 1, slow_features, box$lower, box$upper, model, query) / if (people) 2 else 1
      drawn <- asked$draw(asked$statistic(rows), "R")
      expected <- S(f, query$kappa)
      expect_named(drawn, c("A", "b", "c"))
      expect_true(isSymmetric(drawn$A))
      for (part in names(drawn)) expect_equal(drawn[[part]], expected[[part]], tolerance = 2e-3)
      query <- plan_regression_query(if (people) 50 else 200, p, 1e12, 1.5, 2, family, if (people) 10, scores = TRUE)
      asked <- regression_query(box$lower, box$upper, model, query)
      drawn <- asked$draw(asked$statistic(rows), "R")
      # f has the root of the weight of a row once, and a product of two scores has the weight
      f <- apply(X, 1, slow_features, box$lower, box$upper, model, query)
      expected <- tcrossprod(f[1:p, ] * rep(f[p + 1, ], each = p)) / query$kappa^2 / if (people) 4 else 1
      expect_equal(drawn, list(B = expected), tolerance = 5e-3)
    }
  }
})

# 250 draws of 10 numbers: the mean of squares has standard deviation sqrt(2 / 2500); 5 of them. The seed is fixed.
test_that("the noise has the deviations of the plan", {
  set.seed(10)
  box <- some_bounds(3)
  model <- some_regression(3, "gaussian")
  X <- some_rows_of(50, 3, "gaussian")
  query <- plan_regression_query(50, 3, 0.02, 1.5, 2, "gaussian")
  sums <- regression_sums(X, box$lower, box$upper, model, query)
  exact <- noisy_regression(sums, replace(query, "scale", list(c(2^-30, 2^-30))), "R")
  asked <- regression_query(box$lower, box$upper, model, query)
  noise <- replicate(250, {
    drawn <- asked$draw(sums, "R")
    c((drawn$A - exact$A)[upper.tri(diag(3))] / query$sd[["sA"]], diag(drawn$A - exact$A) / query$sd[["sA"]] / sqrt(2),
      (drawn$b - exact$b) / query$sd[["sb"]], (drawn$c - exact$c) / query$sd[["sc"]])
  })
  expect_lt(abs(mean(noise^2) - 1), 5 * sqrt(2 / 2500))
  expect_true(all(abs(rowMeans(noise^2) - 1) < 5 * sqrt(2 / 250)))
  expect_lt(abs(mean(noise)), 5 / sqrt(2500))
  # each number has noise of its own
  expect_lt(max(abs(stats::cor(t(noise))[upper.tri(diag(10))])), 5 / sqrt(250))
})

test_that("the level is the mean of cut residuals, and the ones are counted", {
  set.seed(11)
  p <- 3
  box <- some_bounds(p)
  model <- some_regression(p, "gaussian")
  X <- some_rows_of(300, p, "gaussian")
  z <- t((pmin(pmax(t(X), box$lower), box$upper) - box$lower) / (box$upper - box$lower)) * 2 - 1
  residual <- (z[, 4] - z[, 1:3] %*% model$beta) / model$scale
  for (cut in c(0.5, 8)) {
    expected <- mean(pmin(pmax(residual, -cut), cut))
    level <- level_query(box$lower, box$upper, model, 300, 1e9, cut)
    expect_identical(level$cost, c(rho = 1e9))
    expect_equal(level$draw(level$statistic(X), "R")$mean, expected, tolerance = 1e-3)
    people <- level_query(box$lower, box$upper, model, 100, 1e9, cut, digits = 10)
    rows <- weigh_rows(person_rows(X, rep(1:100, 3)), 1024)
    # a third of 1024 is rounded
    expect_equal(people$draw(people$statistic(rows), "R")$mean, expected, tolerance = 1e-2)
  }
  level <- level_query(box$lower, box$upper, model, 300, 0.01)
  drawn <- replicate(400, unlist(level$draw(0, "R")))
  expect_equal(drawn[["sd", 1]], 2 * 8 / sqrt(2 * 0.01) / 300, tolerance = 1e-6)
  expect_lt(abs(stats::sd(drawn["mean", ]) / drawn["sd", 1] - 1), 5 / sqrt(800))
  # residuals at both ends move it by what is charged
  ends <- vapply(c(-1, 1), function(y) {
    level_sum(cbind(0, y), c(-1, -1), c(1, 1), list(family = "gaussian", beta = 0, map = diag(1), scale = 0.01),
              plan_level(1, 1, 8))
  }, 0)
  expect_identical(diff(ends), 2^(plan_level(1, 1, 8)$bits[1] + 1))
  y <- c(1, 0, 0.5, NaN, NA, Inf, -Inf, 0.51, 2)
  ones <- ones_query(c(-1, 0), c(1, 1), 9, 1e9)
  expect_identical(ones$statistic(cbind(1, y)), 4)
  expect_identical(ones$draw(ones$statistic(cbind(1, y)), "R")$count, 4)
  rows <- weigh_rows(person_rows(cbind(1, c(1, 1, 0, 1)), c(1, 2, 2, 3)), 1024)
  ones <- ones_query(c(-1, 0), c(1, 1), 3, 1e9, digits = 10)
  expect_identical(ones$statistic(rows), 2.5 * 1024)
  expect_identical(ones$draw(ones$statistic(rows), "R")$count, 2.5)
  ones <- ones_query(c(-1, 0), c(1, 1), 3, 0.02, digits = 10)
  expect_equal(ones$draw(0, "R")$sd, 5, tolerance = 1e-6)
})

test_that("the kernel refuses arguments of other shapes", {
  model <- list(lower = c(-1, -1, 0), upper = c(1, 1, 1), beta = c(0, 1), map = diag(2), cut = 1, binomial = FALSE)
  X <- rbind(c(1, 0.5, 1))
  ask <- function(X = rbind(c(1, 0.5, 1)), weights = NULL, change = list(), bits = 8, entry = ffi_regression_query) {
    model <- utils::modifyList(model, change)
    if (identical(entry, ffi_regression_level)) return(.Call(entry, X, weights, model, bits, kernel_options()))
    .Call(entry, X, weights, model, bits, FALSE, kernel_options())
  }
  expect_length(ask(), 6)
  refused <- function(...) {
    for (entry in list(ffi_regression_query, ffi_regression_level)) {
      expect_error(ask(..., entry = entry), class = "dptda_error_argument")
    }
  }
  refused(X[, 1:2, drop = FALSE])
  refused(c(1, 0.5, 1)) # a column
  refused(weights = c(1L, 1L))
  refused(weights = -1L)
  refused(change = list(lower = c(-1, -1)))
  refused(change = list(lower = c(1, -1, 0)))
  refused(change = list(upper = c(1, 1, Inf)))
  refused(change = list(beta = 1))
  refused(change = list(beta = c(NaN, 1)))
  refused(change = list(map = diag(3)))
  refused(change = list(map = matrix(Inf, 2, 2)))
  refused(change = list(cut = 0))
  refused(change = list(cut = c(1, 2)))
  refused(change = list(binomial = NA))
  refused(bits = 21)
  refused(bits = -1)
  refused(bits = 1.5)
  # sums that are not exact
  expect_error(ask(weights = 2^30L, bits = 11), class = "dptda_error_argument")
  expect_length(ask(weights = as.integer(2^29), bits = 11), 6)
  expect_error(ask(weights = as.integer(2^30), bits = 11), "exact", class = "dptda_error_argument")
  expect_error(ask(change = list(binomial = TRUE), entry = ffi_regression_level), "binomial",
               class = "dptda_error_argument")
})

# ---- guarantees of steps -----------------------------------------------------------------------------------------

test_that("the examples are neighbors that attain their cost", {
  classes <- c("regression_query", "regression_level", "regression_ones")
  examples <- unlist(lapply(classes, function(class) example_of(public_plan(class))), recursive = FALSE)
  expect_identical(vapply(examples, `[[`, "", "name"),
                   c(paste0("a round of a regression (", c("gaussian", "binomial", "people", "scores"), ")"),
                     "the level of a regression", "the ones of a regression"))
  for (example in examples) {
    plan <- example$mechanism$plan
    moved <- statistic_of(plan, example$x) - statistic_of(plan, example$neighbor)
    expect_equal(sum((moved / plan$noise$scale)^2) / 2, 0.5, tolerance = 1e-5)
  }
})
