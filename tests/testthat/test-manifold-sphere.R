sphere_points <- function(n, d, radius = 1) {
  X <- matrix(stats::rnorm(n * (d + 1)), n)
  radius * X / sqrt(rowSums(X^2))
}
tangents_at <- function(X, length = 1) {
  V <- matrix(stats::rnorm(prod(dim(X))), nrow(X))
  V <- V - X * rowSums(V * X) / rowSums(X^2)
  length * V / sqrt(rowSums(V^2))
}

# The formulas of a textbook.
slow_exp <- function(x, v, radius) {
  l <- sqrt(sum(v^2))
  cos(l / radius) * x + radius * sin(l / radius) * v / l
}
slow_log <- function(x, y, radius) {
  w <- y - sum(x * y) * x / radius^2
  radius * acos(sum(x * y) / radius^2) * w / sqrt(sum(w^2))
}
slow_transport <- function(x, y, u, radius) {
  u - sum(y * u) / (radius^2 + sum(x * y)) * (x + y)
}

test_that("exp, log, distance and transport are those of a textbook", {
  set.seed(1)
  for (d in c(1, 2, 3, 10)) for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_sphere(d, radius)
    X <- sphere_points(40, d, radius)
    Y <- sphere_points(40, d, radius)
    V <- tangents_at(X, radius * stats::runif(40, 0.1, 9))
    row_by_row <- function(f, A, B, ...) t(sapply(1:40, function(i) f(A[i, ], B[i, ], ..., radius)))
    expect_equal(manifold_exp(X, V, M), row_by_row(slow_exp, X, V), tolerance = 1e-12)
    expect_equal(manifold_log(X, Y, M), row_by_row(slow_log, X, Y), tolerance = 1e-9)
    expect_equal(manifold_distance(X, Y, M), radius * acos(rowSums(X * Y) / radius^2), tolerance = 1e-12)
    moved <- t(sapply(1:40, function(i) slow_transport(X[i, ], Y[i, ], V[i, ], radius)))
    expect_equal(manifold_transport(X, Y, V, M), moved, tolerance = 1e-9)
    expect_equal(manifold_inner(X, V, V, M), rowSums(V^2), tolerance = 1e-12)
  }
})

test_that("small angles and nearly antipodal points keep their digits", {
  for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_sphere(2, radius)
    # the point itself and others, so that the frame takes part
    for (pole in list(c(1, 0, 0), c(0, 0, 1), c(0, -1, 0))) {
      side <- pole[c(3, 1, 2)]
      for (angle in c(1e-300, 1e-20, 1e-12, 1e-8, 1e-3, 1, 3, pi - 1e-3, pi - 1e-8, pi - 1e-12)) {
        y <- radius * (cos(angle) * pole + sin(angle) * side)
        expect_lt(abs(manifold_distance(radius * pole, y, M) / (radius * angle) - 1), 1e-15)
        v <- manifold_log(radius * pole, y, M)
        expect_lt(max(abs(v / (radius * angle) - side)), if (angle < pi - 1e-11) 1e-15 else 1e-4)
      }
    }
    # far from the axes, by differences that are exact
    x <- radius * c(0.6, 0.48, 0.64)
    v <- radius * 1e-9 * c(0.8, -0.36, -0.48)
    expect_equal(manifold_distance(x, manifold_exp(x, v, M), M), radius * 1e-9, tolerance = 1e-6)
    expect_equal(manifold_log(x, manifold_exp(x, v, M), M), v, tolerance = 1e-6)
  }
})

test_that("the antipode is reached by one fixed geodesic of length pi radius", {
  set.seed(3)
  for (d in 1:4) for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_sphere(d, radius)
    X <- sphere_points(20, d, radius)
    V <- manifold_log(X, -X, M)
    expect_equal(sqrt(rowSums(V^2)), rep(pi * radius, 20), tolerance = 1e-15)
    expect_identical(manifold_distance(X, -X, M), rep(pi * radius, 20))
    expect_equal(manifold_exp(X, V, M), -X, tolerance = 1e-14)
    expect_identical(manifold_log(X, -X, M), V)
    # what rounding makes of the antipode does not turn it
    nudged <- -X
    nudged[, 1] <- nudged[, 1] * (1 + 2e-16)
    expect_identical(manifold_log(X, nudged, M), V)
    expect_identical(manifold_log(X, X, M), 0 * X)
    expect_identical(manifold_distance(X, X, M), numeric(20))
  }
})

test_that("long, short and no velocities", {
  set.seed(4)
  for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_sphere(2, radius)
    x <- sphere_points(1, 2, radius)
    v <- tangents_at(x)
    for (turns in c(1, 10, 1e6)) {
      expect_equal(manifold_exp(x, radius * (2 * pi * turns + 1) * v, M), manifold_exp(x, radius * v, M),
                   tolerance = 1e-14 * (1 + turns))
    }
    expect_equal(sqrt(sum(manifold_exp(x, 1e300 * v, M)^2)), radius, tolerance = 1e-15)
    expect_equal(manifold_exp(x, 1e-300 * v, M), x, tolerance = 1e-15)
    expect_equal(manifold_exp(x, 0 * v, M), x, tolerance = 1e-15)
    expect_equal(manifold_transport(x, x, v, M), v, tolerance = 1e-15)
  }
})

test_that("transport around a triangle turns by its area over the radius squared", {
  set.seed(5)
  for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_sphere(2, radius)
    for (repetition in 1:20) {
      corners <- sphere_points(3, 2, radius)
      u <- tangents_at(corners[1, , drop = FALSE])[1, ]
      turned <- u
      for (i in 1:3) turned <- manifold_transport(corners[i, ], corners[i %% 3 + 1, ], turned, M)
      normal <- corners[1, ] / radius
      across <- c(normal[2] * u[3] - normal[3] * u[2], normal[3] * u[1] - normal[1] * u[3],
                  normal[1] * u[2] - normal[2] * u[1])
      angle <- atan2(sum(turned * across), sum(turned * u))
      # the solid angle of three directions (Van Oosterom and Strackee 1983)
      cosines <- tcrossprod(corners / radius)
      excess <- 2 * atan2(det(corners / radius), 1 + cosines[1, 2] + cosines[2, 3] + cosines[3, 1])
      expect_lt(abs(sin((angle - excess) / 2)), 1e-10)
    }
  }
})

test_that("the Jacobian of exp is that of differences, and minus infinity beyond the antipode", {
  set.seed(6)
  for (d in 1:4) for (radius in c(0.5, 1, 3)) {
    M <- manifold_sphere(d, radius)
    x <- sphere_points(1, d, radius)[1, ]
    basis <- qr.Q(qr(cbind(x, diag(d + 1))))[, -1, drop = FALSE][, 1:d, drop = FALSE]
    for (angle in c(0.3, 1, 2, 3)) {
      v <- stats::rnorm(d)
      v <- radius * angle * v / sqrt(sum(v^2))
      move <- function(v) manifold_exp(x, as.vector(basis %*% v), M)
      expect_equal(log_jacobian(v, M), difference_log_jacobian(v, move, function(a, b) sum(a * b)), tolerance = 1e-6)
    }
    axis <- c(1, numeric(d - 1))
    expect_identical(log_jacobian(rbind(pi * radius * axis, 9 * radius * axis), M), c(-Inf, -Inf))
    expect_identical(log_jacobian(0 * axis, M), 0)
    expect_identical(log_jacobian(1e-200 * axis, M), 0)
    expect_true(is.finite(log_jacobian(pi * radius * (1 - 1e-15) * axis, M)))
    if (d == 1) expect_identical(log_jacobian(3 * radius, M), 0)
  }
})

test_that("on a circle longer ways round are not taken", {
  M <- manifold_sphere(1, 2)
  at <- function(angle) 2 * cbind(cos(angle), sin(angle))
  expect_equal(manifold_distance(at(c(0.1, 0.1, 3)), at(c(6.2, 1.1, -3)), M), 2 * c(2 * pi - 6.1, 1, 2 * pi - 6),
               tolerance = 1e-14)
})

test_that("a radius is a number that a double can square", {
  for (radius in list(0, -1, 1e-101, 1e101, Inf, NA, "1", 1:2)) {
    expect_error(manifold_sphere(2, radius), class = "dptda_error_argument")
  }
  for (radius in c(1e-100, 1e100)) {
    at <- manifold_exp(c(radius, 0), c(0, radius), manifold_sphere(1, radius))
    expect_equal(at / radius, c(cos(1), sin(1)), tolerance = 1e-14)
  }
})

test_that("what is not on the sphere is an error, what is nearly there is moved", {
  M <- manifold_sphere(2, 10)
  pole <- c(0, 0, 10)
  expect_equal(manifold_distance(pole * (1 + 1e-9), pole, M), 0)
  for (x in list(pole * (1 + 1e-7), c(0, 0, 0), c(NaN, 0, 10), c(Inf, 0, 0), c(1e300, 1e300, 0))) {
    expect_error(manifold_distance(x, pole, M), class = "dptda_error_argument")
  }
  expect_error(manifold_exp(pole, c(0, 0, 1), M), class = "dptda_error_argument")
})
