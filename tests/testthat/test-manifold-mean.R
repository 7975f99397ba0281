near_pole <- function(n, d, sd) {
  X <- cbind(matrix(rnorm(n * d, sd = sd), n), 1)
  X / sqrt(rowSums(X^2))
}

random_spd <- function(n, p, sd) {
  X <- replicate(n, {
    A <- matrix(rnorm(p * p, sd = sd), p)
    spectrum <- eigen(A + t(A), symmetric = TRUE)
    spectrum$vectors %*% (exp(spectrum$values) * t(spectrum$vectors))
  })
  (X + aperm(X, c(2, 1, 3))) / 2
}

random_rotations <- function(n, p, sd) {
  replicate(n, {
    A <- matrix(rnorm(p * p, sd = sd), p)
    manifold_exp(diag(p), A - t(A), manifold_rotation(p))
  })
}

random_subspaces <- function(n, k, p, sd) {
  replicate(n, qr.Q(qr(diag(p)[, seq_len(k)] + matrix(rnorm(p * k, sd = sd), p))))
}

random_shapes <- function(n, k, sd) {
  as_shapes(array(c(cos(seq_len(k)), sin(seq_len(k))) + rnorm(2 * k * n, sd = sd), c(k, 2, n)))
}

random_hyperbolic <- function(n, d, sd) {
  X <- matrix(rnorm(n * d, sd = sd), n)
  cbind(sqrt(1 + rowSums(X^2)), X)
}

# One cloud on each kind of manifold, narrow enough for a certificate.
clouds <- function(n = 9) {
  set.seed(3)
  list(
    list(manifold_euclidean(3), matrix(rnorm(3 * n), n)),
    list(manifold_sphere(2), near_pole(n, 2, 0.3)),
    list(manifold_sphere(1, radius = 2), 2 * near_pole(n, 1, 0.3)),
    list(manifold_hyperbolic(2), random_hyperbolic(n, 2, 1)),
    list(manifold_spd(2), random_spd(n, 2, 0.7)),
    list(manifold_spd(3), random_spd(n, 3, 0.4)),
    list(manifold_spd(2, "log-euclidean"), random_spd(n, 2, 0.7)),
    list(manifold_rotation(3), random_rotations(n, 3, 0.3)),
    list(manifold_rotation(4), random_rotations(n, 4, 0.1)),
    list(manifold_grassmann(2, 4), random_subspaces(n, 2, 4, 0.07)),
    list(manifold_grassmann(1, 3), random_subspaces(n, 1, 3, 0.1)),
    list(manifold_shapes(3), random_shapes(n, 3, 0.15)),
    list(manifold_shapes(6), random_shapes(n, 6, 0.1)),
    list(manifold_product(manifold_sphere(2), manifold_spd(2)), list(near_pole(n, 2, 0.1), random_spd(n, 2, 0.1)))
  )
}

each_cloud <- function(test, n = 9) for (cloud in clouds(n)) test(cloud[[1]], cloud[[2]])

columns <- function(X, manifold) check_manifold_points(X, manifold)

gap <- function(a, b, manifold) manifold_distance(a, b, manifold)

# The obvious algorithm, slow: average the logarithms, follow, repeat.
slow_mean <- function(P, manifold, weights = rep(1, ncol(P)), steps = 300) {
  x <- P[, 1, drop = FALSE]
  for (step in seq_len(steps)) {
    logs <- .Call(ffi_manifold_log, manifold, x, P, kernel_options())
    v <- logs %*% weights / sum(weights)
    x <- .Call(ffi_manifold_exp, manifold, x, 0.9 * v, kernel_options())$value
  }
  x
}

test_that("the mean is that of the obvious algorithm, and its error is in the bound", {
  each_cloud(function(manifold, X) {
    mean <- frechet_mean(X, manifold)
    expect_s3_class(mean, "dptda_frechet_mean")
    expect_true(mean$certified)
    slow <- shape_points(canonical_points(slow_mean(columns(X, manifold), manifold), manifold), manifold, single = TRUE)
    expect_lt(gap(mean$point, slow, manifold), 1e-11)
    expect_lt(mean$error, 1e-10)
    expect_gte(mean$error, mean$gradient)
    distances <- manifold_distance(mean$point, X, manifold)
    expect_equal(mean$variance, mean(distances^2))
    expect_equal(mean$radius, max(distances))
  })
})

test_that("the median has the least mean distance that optim() finds", {
  each_cloud(function(manifold, X) {
    median <- frechet_mean(X, manifold, type = "median")
    expect_true(median$certified)
    deviation <- function(y) mean(manifold_distance(y, X, manifold))
    expect_equal(median$deviation, deviation(median$point))
    P <- columns(X, manifold)
    # around the median along the logarithms of the points, which span the tangents
    start <- columns(median$point, manifold)
    logs <- .Call(ffi_manifold_log, manifold, start, P, kernel_options())
    found <- stats::optim(rep(0.01, ncol(P)), function(a) {
      deviation(shape_points(.Call(ffi_manifold_exp, manifold, start, logs %*% a, kernel_options())$value,
                             manifold, TRUE))
    }, control = list(maxit = 400))
    expect_gte(found$value, median$deviation - median$error)
    expect_lt(median$error, 1e-8)
  })
})

# Bounds of the rounding errors of the logarithms at x of points, each as a length.
rounding_of <- function(manifold, x, P) {
  bounds <- .Call(ffi_test_manifold_rounding, manifold, x, P, kernel_options())
  pi / 2 * colSums(bounds)
}

# The computed mean of a case: its error, and the error that is certified.
errors_of <- function(case, length = small_length) {
  points <- project_points(case$points, case$manifold)$value
  mean <- frechet_mean(shape_points(points, case$manifold), case$manifold)
  point <- columns(mean$point, case$manifold)
  c(true = length((point - case$mean$high) - case$mean$low, point, case$manifold), certified = mean$error)
}

# Log-Euclidean distances do not follow from first differences where small
# eigenvalues are known to a few digits only.
is_coarse <- function(case) case$manifold$kind == "spd_log" &&
  kappa(matrix(case$mean$high, case$manifold$shape[1])) > 1e8

test_that("certificates hold over the whole range of each manifold, against 60 digits", {
  cases <- Filter(Negate(is_coarse), read_references("mean-references.csv"))
  expect_gt(length(cases), 180)
  found <- vapply(cases, errors_of, numeric(2))
  expect_true(all(found["true", ] <= found["certified", ] + 1e-100)) # a reference has 32 digits
  # and they are of use, as long as doubles tell the points apart
  loose <- found["certified", ] / pmax(found["true", ], 1e-15)
  expect_lt(stats::median(loose), 200)
  expect_lt(max(loose[found["certified", ] < 1e-9]), 1e6)
})

test_that("log-Euclidean certificates hold at conditions of 1e12, against 60 digits", {
  skip_if_not_installed("Rmpfr")
  cases <- Filter(function(case) is_coarse(case) && case$manifold$shape[1] < 4, read_references("mean-references.csv"))
  expect_gte(length(cases), 3)
  # of the point less the mean, and of the point, as small_length() gets them
  exact <- function(difference, point, manifold) {
    side <- manifold$shape[1]
    number <- function(x) matrix_of_many_digits(x, side)
    apart <- logarithm_of_many_digits(number(point)) - logarithm_of_many_digits(number(point) - number(difference))
    as.numeric(sqrt(sum(apart^2)))
  }
  found <- vapply(cases, errors_of, numeric(2), length = exact)
  expect_true(all(found["true", ] <= found["certified", ]))
  expect_lt(max(found["certified", ] / found["true", ]), 1e5)
})

test_that("errors are within their bounds against 60 digits", {
  for (case in read_references()) {
    manifold <- case$manifold
    P <- project_points(case$points, manifold)$value
    first <- P[, 1, drop = FALSE]
    logs <- .Call(ffi_manifold_log, manifold, first, P[, -1], kernel_options())
    distances <- .Call(ffi_manifold_distance, manifold, first, P[, -1], kernel_options())
    for (j in 1:4) {
      error <- small_length((logs[, j] - case$logs$high[, j]) - case$logs$low[, j], first, manifold)
      expect_lte(error, rounding_of(manifold, first, P[, j + 1, drop = FALSE]))
    }
    mean <- frechet_mean(shape_points(P, manifold), manifold)
    point <- columns(mean$point, manifold)
    expect_true(mean$certified)
    expect_lte(small_length((point - case$mean$high) - case$mean$low, point, manifold), mean$error)
    if (max(distances) < min(largest_radius(manifold), 4)) {
      moved <- at_origin(P, manifold, first)
      private <- mean_in_ball(moved, manifold, origin_of(manifold), max(distances, 1e-6) * (1 + 1e-9))
      known <- frechet_mean(shape_points(moved, manifold), manifold)
      expect_lte(.Call(ffi_manifold_distance, manifold, matrix(private$point), columns(known$point, manifold),
                       kernel_options()), private$error + known$error)
    }
  }
})

test_that("closed forms", {
  set.seed(5)
  X <- matrix(rnorm(60), 20)
  flat <- frechet_mean(X, manifold_euclidean(3))
  expect_equal(flat$point, colMeans(X), tolerance = 1e-14)
  expect_lte(flat$iterations, 1)
  expect_equal(flat$variance, mean(rowSums(sweep(X, 2, colMeans(X))^2)))

  Q <- qr.Q(qr(matrix(rnorm(9), 3)))
  L <- matrix(rnorm(30, sd = 2), 10)
  commuting <- lapply(1:10, function(i) Q %*% (exp(L[i, ]) * t(Q)))
  commuting <- lapply(commuting, function(A) (A + t(A)) / 2)
  expected <- Q %*% (exp(colMeans(L)) * t(Q))
  for (metric in c("affine", "log-euclidean")) {
    expect_lt(gap(frechet_mean(commuting, manifold_spd(3, metric))$point, (expected + t(expected)) / 2,
                  manifold_spd(3, metric)), 1e-11)
  }
  expect_lte(frechet_mean(commuting, manifold_spd(3, "log-euclidean"))$iterations, 1)

  angles <- c(-1, 0.2, 0.5)
  circle <- frechet_mean(cbind(cos(angles), sin(angles)), manifold_sphere(1))
  expect_equal(circle$point, c(cos(mean(angles)), sin(mean(angles))), tolerance = 1e-14)

  line <- frechet_mean(c(1, 5, 2), manifold_euclidean(1), type = "median")
  expect_equal(line$point, 2)
  expect_equal(line$gradient, 0)
})

test_that("the mean of two points is half way", {
  each_cloud(function(manifold, X) {
    P <- columns(X, manifold)[, 1:2]
    ends <- shape_points(P, manifold)
    mean <- frechet_mean(ends, manifold)
    distance <- .Call(ffi_manifold_distance, manifold, P[, 1, drop = FALSE], P[, 2, drop = FALSE], kernel_options())
    expect_equal(manifold_distance(mean$point, ends, manifold), rep(distance / 2, 2), tolerance = 1e-12)
    thirds <- frechet_mean(ends, manifold, weights = c(2, 1))
    expect_equal(manifold_distance(thirds$point, ends, manifold), c(1, 2) * distance / 3, tolerance = 1e-12)
  }, n = 2)
})

test_that("means move with the data", {
  set.seed(6)
  moves <- function(manifold, X, move) {
    for (type in c("mean", "median")) {
      before <- frechet_mean(X, manifold, type = type)
      after <- frechet_mean(move(X), manifold, type = type)
      expect_lt(gap(move(before$point), after$point, manifold), 1e-6)
      if (type == "mean") expect_lte(gap(move(before$point), after$point, manifold), before$error + after$error + 1e-13)
    }
  }
  each <- function(f) function(X) if (length(dim(X)) == 3) array(apply(X, 3, f), dim(X)) else f(X)
  Q <- manifold_exp(diag(3), local({A <- matrix(rnorm(9), 3); A - t(A)}), manifold_rotation(3))
  X <- near_pole(12, 2, 0.2)
  moves(manifold_sphere(2), X, function(X) if (is.matrix(X)) X %*% Q else c(X %*% Q))
  A <- matrix(rnorm(9), 3) + 2 * diag(3)
  moves(manifold_spd(3), random_spd(12, 3, 0.3), each(function(S) A %*% S %*% t(A)))
  moves(manifold_spd(3), random_spd(12, 3, 0.3), each(solve))
  moves(manifold_rotation(3), random_rotations(12, 3, 0.2), each(function(R) Q %*% R))
  moves(manifold_rotation(3), random_rotations(12, 3, 0.2), each(t))
  moves(manifold_grassmann(1, 3), random_subspaces(12, 1, 3, 0.07), each(function(V) Q %*% V))
  # unitary maps of centered landmarks, here to the next harmonics: a permutation of the Fourier basis
  harmonics <- exp(2i * pi * outer(0:4, 0:4) / 5) / sqrt(5)
  U <- harmonics[, c(1, 3, 4, 5, 2)] %*% Conj(t(harmonics))
  moves(manifold_shapes(5), random_shapes(12, 5, 0.1), function(X) {
    z <- U %*% complex_landmarks(matrix(X, 10))
    as_shapes(if (ncol(z) == 1) z[, 1] else z)
  })
})

test_that("weights stand for repeated points, and only their ratios matter", {
  each_cloud(function(manifold, X) {
    P <- columns(X, manifold)
    counts <- c(3, 0, 1, 2, 1, 1, 0, 1, 4)
    for (type in c("mean", "median")) {
      weighted <- frechet_mean(X, manifold, weights = counts, type = type)
      repeated <- frechet_mean(shape_points(P[, rep(1:9, counts)], manifold), manifold, type = type)
      scaled <- frechet_mean(X, manifold, weights = counts * 1e200, type = type)
      expect_lt(gap(weighted$point, repeated$point, manifold), 1e-7)
      expect_lt(gap(weighted$point, scaled$point, manifold), 1e-7)
      expect_equal(weighted$radius, repeated$radius, tolerance = 1e-7)
    }
  })
})

test_that("neither the order of the points nor the number of threads matters", {
  set.seed(7)
  X <- random_spd(500, 3, 0.5)
  mean <- frechet_mean(X, manifold_spd(3))
  shuffled <- frechet_mean(X[, , sample(500)], manifold_spd(3))
  expect_lte(gap(mean$point, shuffled$point, manifold_spd(3)), mean$error + shuffled$error)
  for (type in c("mean", "median")) {
    results <- lapply(1:3, function(threads) {
      withr::with_options(list(dptda.threads = threads), frechet_mean(X, manifold_spd(3), type = type))
    })
    expect_identical(results[[1]], results[[2]])
    expect_identical(results[[1]], results[[3]])
  }
})

test_that("ten thousand covariance matrices", {
  set.seed(8)
  X <- random_spd(10000, 3, 0.5)
  mean <- frechet_mean(X, manifold_spd(3))
  expect_true(mean$certified)
  expect_lt(mean$gradient, 1e-11)
  expect_lt(mean$iterations, 30)
  logs <- apply(manifold_log(mean$point, X, manifold_spd(3)), 1:2, sum) / 10000
  expect_lt(sqrt(manifold_inner(mean$point, logs, logs, manifold_spd(3))), 1e-11)
})

test_that("one point, and identical points, are their own mean and median", {
  each_cloud(function(manifold, X) {
    P <- columns(X, manifold)
    one <- shape_points(P[, 1, drop = FALSE], manifold, single = TRUE)
    for (points in list(one, shape_points(P[, rep(1, 70)], manifold))) for (type in c("mean", "median")) {
      mean <- frechet_mean(points, manifold, type = type)
      expect_true(mean$certified)
      expect_lte(gap(mean$point, one, manifold), 1e-14)
      expect_lt(mean$error, 5e-12)
    }
  })
})

test_that("a median that is a point of the data is found, and left where it is not", {
  X <- rbind(c(0, 0), c(1, 0), c(0, 1), c(0.25, 0.3))
  inner <- frechet_mean(X, manifold_euclidean(2), type = "median")
  expect_equal(inner$point, X[4, ])
  expect_equal(inner$gradient, 0)
  # the start is a point of the data, and not the median
  outer <- frechet_mean(X[c(1, 2, 3), ], manifold_euclidean(2), type = "median")
  expect_gt(min(manifold_distance(outer$point, X[1:3, ], manifold_euclidean(2))), 0.1)
  expect_true(outer$certified)
  # more than half of the weight in one place
  heavy <- frechet_mean(X, manifold_euclidean(2), weights = c(1, 1, 4, 1), type = "median")
  expect_equal(heavy$point, X[3, ])
  # Fermat's point of an equilateral triangle
  angle <- c(0, 2, 4) * pi / 3
  expect_equal(frechet_mean(cbind(cos(angle), sin(angle)), manifold_euclidean(2), type = "median")$point, c(0, 0),
               tolerance = 1e-9)
})

test_that("points too far apart for a certificate are not certified, with a warning", {
  set.seed(9)
  X <- matrix(rnorm(300), 100)
  X <- X / sqrt(rowSums(X^2))
  for (type in c("mean", "median")) {
    expect_warning(wide <- frechet_mean(X, manifold_sphere(2), type = type), class = "dptda_warning_uncertified")
    expect_identical(wide$error, Inf)
    expect_false(wide$certified)
    expect_output(print(wide), "not certified")
  }
  # both poles: every point of the equator is a mean
  expect_warning(frechet_mean(rbind(c(0, 0, 1), c(0, 0, -1)), manifold_sphere(2)), class = "dptda_warning_uncertified")
  # a half sphere around the mean still has one mean
  X[, 3] <- abs(X[, 3]) + 0.1
  X <- X / sqrt(rowSums(X^2))
  half <- frechet_mean(X, manifold_sphere(2))
  expect_true(half$certified == (half$radius < pi / 2))
})

test_that("iterations and tolerance are the user's, and what is not reached is said", {
  set.seed(10)
  X <- random_spd(50, 2, 1)
  expect_warning(rough <- frechet_mean(X, manifold_spd(2), max_iterations = 1), class = "dptda_warning_uncertified")
  expect_false(rough$certified)
  expect_identical(rough$iterations, 1)
  exact <- frechet_mean(X, manifold_spd(2))
  expect_lte(gap(rough$point, exact$point, manifold_spd(2)), rough$error + exact$error) # a bound all the same
  expect_warning(none <- frechet_mean(X, manifold_spd(2), max_iterations = 0), class = "dptda_warning_uncertified")
  expect_lte(gap(none$point, exact$point, manifold_spd(2)), none$error + exact$error)
  loose <- frechet_mean(X, manifold_spd(2), tolerance = 1e-3)
  expect_true(loose$certified)
  expect_lt(loose$iterations, exact$iterations)
  expect_lte(loose$gradient, 1e-3)
  expect_lte(gap(loose$point, exact$point, manifold_spd(2)), loose$error + exact$error)
  expect_warning(frechet_mean(X, manifold_spd(2), tolerance = 1e-30), class = "dptda_warning_uncertified")
})

test_that("a manifold of the user's gives the mean of the built-in one", {
  set.seed(11)
  own <- manifold_custom(
    shape = 3, dimension = 2,
    exp = function(x, v) {
      t <- sqrt(sum(v^2))
      if (t == 0) x else cos(t) * x + sin(t) / t * v
    },
    log = function(x, y) {
      side <- y - sum(x * y) * x
      t <- atan2(sqrt(sum(side^2)), sum(x * y))
      if (t == 0) 0 * x else side * t / sqrt(sum(side^2))
    },
    basis = function(x) qr.Q(qr(cbind(x, diag(3))))[, 2:3],
    curvature = c(1, 1), injectivity_radius = pi
  )
  X <- near_pole(20, 2, 0.2)
  for (type in c("mean", "median")) {
    expect_equal(frechet_mean(X, own, type = type)$point, frechet_mean(X, manifold_sphere(2), type = type)$point,
                 tolerance = 1e-9)
  }
  expect_true(frechet_mean(X, own)$certified)
})

test_that("the mean in a ball is within a public error, wherever the points are", {
  set.seed(12)
  each_cloud(function(manifold, X) {
    center <- origin_of(manifold)
    X <- shape_points(at_origin(columns(X, manifold), manifold, columns(X, manifold)[, 1]), manifold)
    for (radius in min(largest_radius(manifold), 4) * c(1e-5, 0.3, 0.99)) {
      bound <- check_mean_bound(manifold, center, radius)
      expect_lt(bound$error, 0.01 * radius)
      P <- clamp_points(columns(X, manifold), manifold, center, radius)
      # all in one place at the edge; two crowds on opposite sides; the cloud
      edge <- P[, which.max(.Call(ffi_manifold_distance, manifold, matrix(center), P, kernel_options()))]
      away <- -.Call(ffi_manifold_log, manifold, matrix(center), matrix(edge), kernel_options())
      opposite <- .Call(ffi_manifold_exp, manifold, matrix(center), away, kernel_options())$value
      for (points in list(P, matrix(edge), cbind(edge, opposite, edge), matrix(center))) {
        mean <- mean_in_ball(points, manifold, center, radius)
        expect_identical(mean$error, bound$error)
        if (radius > 1e-3) {
          expect_lt(gap(shape_points(matrix(mean$point), manifold, TRUE),
                        shape_points(slow_mean(points, manifold, steps = 150), manifold, TRUE), manifold),
                    max(mean$error, 1e-7))
        }
      }
    }
  })
})

test_that("no point of a ball makes its mean fail where numbers are coarse", {
  edge <- function(manifold, center, radius, n) {
    V <- matrix(rnorm(manifold$dimension * n), ncol = n)
    P <- normal_points(sweep(V, 2, sqrt(colSums(V^2)) / radius, "/"), manifold, center)
    clamped_points(P, manifold, center, radius)
  }
  set.seed(11)
  flat <- manifold_spd(3, "log-euclidean")
  spheres <- manifold_product(manifold_sphere(2, 1e-3), manifold_sphere(2, 1e3))
  for (i in 1:100) {
    for (radius in c(1, 5, 10)) {
      P <- edge(flat, c(diag(3)), radius, 1)
      expect_lte(manifold_distance(matrix(mean_in_ball(P, flat, c(diag(3)), radius)$point, 3), matrix(P, 3), flat),
                 check_mean_bound(flat, c(diag(3)), radius)$error)
    }
    center <- origin_of(spheres)
    expect_no_error(mean_in_ball(edge(spheres, center, 7e-4, 1), spheres, center, 7e-4))
  }
})

test_that("no data make the mean fail in balls just below the largest", {
  set.seed(14)
  balls <- list(list(manifold_sphere(1), c(1, 0)), list(manifold_sphere(2), c(0, 0, 1)),
                list(manifold_sphere(7), c(1, rep(0, 7))),
                list(manifold_rotation(2), diag(2)), list(manifold_rotation(3), diag(3)),
                list(manifold_rotation(4), diag(4)),
                list(manifold_grassmann(1, 2), diag(2)[, 1]), list(manifold_grassmann(2, 4), diag(4)[, 1:2]),
                list(manifold_shapes(3), some_point(manifold_shapes(3))),
                list(manifold_shapes(7), some_point(manifold_shapes(7))))
  for (ball in balls) {
    manifold <- ball[[1]]
    center <- cbind(c(ball[[2]]))
    for (i in 1:40) {
      radius <- largest_radius(manifold) * c(0.9, 0.9999)[1 + i %% 2]
      V <- matrix(rnorm(manifold$dimension * 2), ncol = 2)
      if (i > 20) V[, 2] <- -V[, 1]
      V <- sweep(V, 2, sqrt(colSums(V^2)) / radius, "/")
      P <- clamp_points(normal_points(V, manifold, center), manifold, center, radius)
      # the gradient falls far below the promised tolerance
      for (points in list(P, P[, 1, drop = FALSE])) {
        found <- .Call(ffi_manifold_mean_in_ball, manifold, points, NULL, center, radius, kernel_options())
        expect_lte(found$gradient, check_mean_bound(manifold, center, radius)$tolerance)
        floor <- .Call(ffi_manifold_mean, manifold, points, NULL, FALSE, 1e-300, 60, FALSE, kernel_options())$facts[1]
        expect_lte(floor, check_mean_bound(manifold, center, radius)$tolerance / 8)
      }
    }
  }
})

test_that("the steps with a proof arrive by themselves", {
  each_cloud(function(manifold, X) {
    P <- columns(X, manifold)
    # as frechet_mean() asks, but with none of the fast steps; the ball is that around the first point
    first <- P[, 1, drop = FALSE]
    P <- P[, .Call(ffi_manifold_distance, manifold, first, P, kernel_options()) < 0.99 * largest_radius(manifold)]
    sure <- .Call(ffi_manifold_mean, manifold, P, NULL, FALSE, 0, 0, TRUE, kernel_options())
    facts <- structure(sure$facts, names = c("gradient", "error", "value", "radius", "steps", "converged"))
    expect_identical(facts[["converged"]], 1)
    mean <- frechet_mean(shape_points(P, manifold), manifold)
    apart <- .Call(ffi_manifold_distance, manifold, sure$point, columns(mean$point, manifold), kernel_options())
    expect_lte(apart, facts[["error"]] + mean$error)
    expect_lt(apart, 1e-5)
    expect_lt(facts[["steps"]], 1000)
  })
})

test_that("a ball that double precision cannot resolve is refused before the points are seen", {
  for (radius in c(1e-16, 60)) {
    expect_error(check_mean_bound(manifold_spd(2), c(diag(2)), radius), class = "dptda_error_argument")
  }
  expect_error(mean_in_ball(NULL, manifold_spd(2), c(diag(2)), 60), class = "dptda_error_argument")
  unknown <- manifold_custom(3, 2, exp = function(x, v) x, log = function(x, y) x, basis = function(x) diag(3)[, 1:2],
                             curvature = c(-Inf, 0), injectivity_radius = 1)
  expect_error(check_mean_bound(unknown, 1:3, 0.1), class = "dptda_error_argument")
})

test_that("bad input is an error of its class", {
  X <- diag(3)
  bad <- function(...) expect_error(frechet_mean(...), class = "dptda_error_argument")
  bad()
  bad(X)
  bad(X, "sphere")
  bad(2 * X, manifold_sphere(2))
  bad(X[, 1:2], manifold_sphere(2))
  bad(matrix(0, 0, 3), manifold_sphere(2))
  bad(replace(X, 1, NA), manifold_sphere(2))
  for (weights in list(1:2, c(1, 2, NA), c(1, -1, 1), c(0, 0, 0), c(1, 1, Inf), "1", matrix(1, 3))) {
    bad(X, manifold_sphere(2), weights)
  }
  bad(X, manifold_sphere(2), type = "mode")
  for (tolerance in list(0, -1, NA, "1")) bad(X, manifold_sphere(2), tolerance = tolerance)
  for (iterations in list(-1, 0.5, NA)) bad(X, manifold_sphere(2), max_iterations = iterations)
})

test_that("a mean prints what is known of it, and that it is not private", {
  mean <- frechet_mean(diag(3), manifold_sphere(2))
  expect_output(print(mean), "not private")
  expect_output(print(mean), "error: at most .* \\(distance from the true mean\\)")
  median <- frechet_mean(c(1, 5, 2), manifold_euclidean(1), type = "median")
  expect_output(print(median), "median")
})
