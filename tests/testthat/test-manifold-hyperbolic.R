on_sheet <- function(space, radius = 1) {
  space <- rbind(space)
  cbind(sqrt(radius^2 + rowSums(space^2)), space)
}
sheet_points <- function(n, d, radius = 1, distance = 2) {
  space <- matrix(stats::rnorm(n * d), n)
  on_sheet(radius * sinh(distance * stats::runif(n)) * space / sqrt(rowSums(space^2)), radius)
}
lorentz <- function(A, B) {
  A <- rbind(A)
  B <- rbind(B)
  rowSums(A * B) - 2 * A[, 1] * B[, 1]
}
tangents_at <- function(X, length = 1) {
  radius_squared <- -lorentz(X, X)
  V <- matrix(stats::rnorm(prod(dim(X))), nrow(X))
  V <- V + X * lorentz(V, X) / radius_squared
  length * V / sqrt(lorentz(V, V))
}
row_by_row <- function(f, ...) t(mapply(function(...) f(...), ..., SIMPLIFY = TRUE))
rows <- function(X) lapply(seq_len(nrow(X)), function(i) X[i, ])

# The formulas of a textbook.
slow_exp <- function(x, v, radius) {
  l <- sqrt(lorentz(v, v))
  cosh(l / radius) * x + radius * sinh(l / radius) * v / l
}
slow_distance <- function(X, Y, radius) 2 * radius * asinh(sqrt(lorentz(X - Y, X - Y)) / (2 * radius))
slow_log <- function(x, y, radius) {
  w <- y + lorentz(x, y) * x / radius^2
  slow_distance(x, y, radius) * w / sqrt(lorentz(w, w))
}
slow_transport <- function(x, y, u, radius) u + lorentz(y, u) / (radius^2 - lorentz(x, y)) * (x + y)

test_that("exp, log, distance and transport are those of a textbook", {
  set.seed(1)
  for (d in c(1, 2, 3, 10)) for (radius in c(1e-2, 1, 1e2)) {
    M <- manifold_hyperbolic(d, -1 / radius^2)
    X <- sheet_points(40, d, radius)
    Y <- sheet_points(40, d, radius)
    V <- tangents_at(X, radius * stats::runif(40, 0.1, 4))
    expect_equal(manifold_exp(X, V, M), row_by_row(slow_exp, rows(X), rows(V), radius), tolerance = 1e-11)
    expect_equal(manifold_distance(X, Y, M), slow_distance(X, Y, radius), tolerance = 1e-11)
    expect_equal(manifold_log(X, Y, M), row_by_row(slow_log, rows(X), rows(Y), radius), tolerance = 1e-10)
    expect_equal(manifold_transport(X, Y, V, M), row_by_row(slow_transport, rows(X), rows(Y), rows(V), radius),
                 tolerance = 1e-10)
    expect_equal(manifold_inner(X, V, V, M), lorentz(V, V), tolerance = 1e-10)
  }
})

test_that("distances and directions keep the digits that the points have", {
  M <- manifold_hyperbolic(2)
  at <- function(a, angle) on_sheet(cbind(sinh(a) * cos(angle), sinh(a) * sin(angle)))[1, ]
  for (a in c(0, 1e-9, 1, 10, 25, 200)) for (b in c(1e-12, 1, 20, 229)) {
    # along a radius nothing is lost
    expect_equal(manifold_distance(at(a, 0), at(b, 0), M), abs(a - b), tolerance = 1e-13)
    expect_equal(manifold_distance(at(a, 0), at(b, pi), M), a + b, tolerance = 1e-13)
    # the law of cosines, as a sum of positive terms
    for (angle in c(1e-3, 0.1, 2)) {
      expected <- 2 * asinh(sqrt(sinh((a - b) / 2)^2 + sinh(a) * sinh(b) * sin(angle / 2)^2))
      expect_equal(manifold_distance(at(a, 0), at(b, angle), M), expected, tolerance = 1e-13)
    }
  }
  # neighbors, far from the origin, along and across the radius
  for (a in c(1, 5, 10, 15)) for (step in c(1e-12, 1e-6, 1e-2)) {
    expect_equal(manifold_distance(at(a, 0), at(a + step, 0), M), step, tolerance = 4e-16 * (1 + a) / step)
    across <- 2 * asinh(sinh(a) * sin(step / 2))
    expect_equal(manifold_distance(at(a, 0), at(a, step), M), across, tolerance = 1e-15 * (1 + exp(a)))
  }
  # where the Lorentz product has lost everything
  expect_equal(manifold_distance(at(18, 0.3), at(18.5, 0.3), M), 0.5, tolerance = 1e-7)
})

test_that("there and back again, from far away too", {
  set.seed(3)
  for (d in 1:3) for (a in c(0, 1, 5, 10)) {
    M <- manifold_hyperbolic(d)
    X <- on_sheet(sinh(a) * matrix(c(1, numeric(d - 1)), 20, d, byrow = TRUE))
    Y <- sheet_points(20, d, distance = 3)
    loss <- 1e-14 * exp(a + 3)
    back <- manifold_exp(X, manifold_log(X, Y, M), M)
    expect_lt(max(manifold_distance(back, Y, M)), loss)
    forth <- manifold_exp(Y, manifold_log(Y, X, M), M)
    expect_lt(max(manifold_distance(forth, X, M)), loss)
    U <- tangents_at(Y)
    there <- manifold_transport(Y, X, U, M)
    expect_equal(manifold_inner(X, there, there, M), rep(1, 20), tolerance = loss)
    expect_equal(manifold_transport(X, Y, there, M), U, tolerance = loss)
  }
})

test_that("transport around a triangle turns back by its area over the radius squared", {
  set.seed(4)
  for (radius in c(1e-3, 1, 1e3)) {
    M <- manifold_hyperbolic(2, -1 / radius^2)
    for (repetition in 1:20) {
      corners <- sheet_points(3, 2, radius)
      turned <- u <- tangents_at(corners[1, , drop = FALSE])[1, ]
      for (i in 1:3) turned <- manifold_transport(corners[i, ], corners[i %% 3 + 1, ], turned, M)
      defect <- pi
      for (i in 1:3) {
        sides <- rbind(manifold_log(corners[i, ], corners[i %% 3 + 1, ], M),
                       manifold_log(corners[i, ], corners[(i + 1) %% 3 + 1, ], M))
        lengths <- sqrt(manifold_inner(corners[i, ], sides, sides, M))
        defect <- defect - acos(manifold_inner(corners[i, ], sides[1, ], sides[2, ], M) / prod(lengths))
      }
      # x, u and the normal to both are oriented like the axes
      normal <- c(-1, 1, 1) * c(corners[1, 2] * u[3] - corners[1, 3] * u[2], corners[1, 3] * u[1] -
                                corners[1, 1] * u[3],
                                corners[1, 1] * u[2] - corners[1, 2] * u[1]) / radius
      angle <- atan2(lorentz(turned, normal), lorentz(turned, u))
      expect_lt(abs(sin((angle + sign(det(corners)) * defect) / 2)), 1e-7)
    }
  }
})

test_that("long, short and no velocities", {
  M <- manifold_hyperbolic(2, -4)
  x <- sheet_points(1, 2, 1 / 2)
  v <- tangents_at(x)
  expect_equal(manifold_exp(x, 1e-300 * v, M), x, tolerance = 1e-15)
  expect_identical(manifold_exp(x, 0 * v, M), x)
  expect_identical(manifold_log(x, x, M), 0 * x)
  expect_identical(manifold_distance(x, x, M), 0)
  origin <- c(1 / 2, 0, 0)
  for (length in c(50, 110, 200, 1e5, 1e300)) {
    # points end about 115 away from the origin
    end <- manifold_exp(origin, length * c(0, 0.6, -0.8), M)
    expect_equal(manifold_distance(origin, end, M), min(length, asinh(1e100) / 2), tolerance = 1e-14)
    expect_equal(end[-1] / end[1], c(0.6, -0.8), tolerance = 1e-14)
  }
  for (length in c(0.01, 1, 3)) {
    end <- manifold_exp(origin, length * c(0, 0.6, -0.8), M)
    back <- manifold_log(end, origin, M)
    expect_equal(sqrt(manifold_inner(end, back, back, M)), length, tolerance = 1e-14)
    expect_lt(manifold_distance(manifold_exp(end, back, M), origin, M), 1e-15 * exp(4 * length))
  }
})

test_that("the Jacobian of exp is that of differences", {
  set.seed(5)
  for (d in 1:4) for (radius in c(0.5, 1, 3)) {
    M <- manifold_hyperbolic(d, -1 / radius^2)
    for (angle in c(0.01, 0.3, 1, 3)) {
      v <- stats::rnorm(d)
      v <- radius * angle * v / sqrt(sum(v^2))
      move <- function(v) manifold_exp(c(radius, numeric(d)), c(0, v), M)
      expect_equal(log_jacobian(v, M), difference_log_jacobian(v, move, lorentz), tolerance = 1e-5)
    }
    axis <- c(1, numeric(d - 1))
    expect_equal(log_jacobian(rbind(0, 1e-200) %*% axis, M), c(0, 0))
    # log(sinh(t) / t) is t - log(2 t) far out, where sinh itself overflows
    expect_equal(log_jacobian(1e4 * radius * axis, M), (d - 1) * (1e4 - log(2e4)), tolerance = 1e-14)
  }
})

test_that("proposals near the threshold have the length drawn and the density of the Jacobian", {
  set.seed(6)
  for (d in c(2, 5)) {
    M <- manifold_hyperbolic(d, -4)
    from_drift <- function(l) .Call(ffi_test_manifold_from_drift, M, matrix(l), kernel_options("R"))
    expect_identical(.Call(ffi_test_manifold_drift, M, kernel_options()), M$threshold)
    found <- lapply(c(1e-3, 0.2, 1, 7), from_drift)
    lengths <- sapply(found, function(each) sqrt(sum(each$v^2)))
    expect_equal(lengths, c(1e-3, 0.2, 1, 7), tolerance = 1e-14)
    # exp(delta l) times the probability is the density of the length, up to a constant
    V <- cbind(lengths, matrix(0, 4, d - 1))
    ratio <- log_jacobian(V, M) + (d - 1) * log(lengths) - M$threshold * lengths - sapply(found, `[[`, "log_accept")
    expect_equal(ratio, rep(ratio[1], 4), tolerance = 1e-10)
    expect_identical(from_drift(-1)$log_accept, -Inf)
  }
})

test_that("one dimension is a straight line", {
  M <- manifold_hyperbolic(1, -1 / 9)
  at <- function(t) cbind(3 * cosh(t / 3), 3 * sinh(t / 3))
  expect_equal(manifold_distance(at(c(-1, 0, 2)), at(c(1, 5, 2)), M), c(2, 5, 0), tolerance = 1e-14)
  expect_identical(log_jacobian(c(-4, 1e5), M), c(0, 0))
})

test_that("a curvature is a number that a double can hold the radius of", {
  for (curvature in list(0, 1, -1e-201, -1e201, -Inf, NA, "-1", -1:-2)) {
    expect_error(manifold_hyperbolic(2, curvature), class = "dptda_error_argument")
  }
  for (radius in c(1e-100, 1e100)) {
    at <- manifold_exp(c(radius, 0), c(0, radius), manifold_hyperbolic(1, -1 / radius^2))
    expect_equal(at / radius, c(cosh(1), sinh(1)), tolerance = 1e-14)
  }
})

test_that("what is not on the sheet is an error, what is nearly there is moved", {
  M <- manifold_hyperbolic(2)
  x <- on_sheet(c(3, 4))[1, ]
  expect_equal(manifold_distance(x + c(1e-9, 0, 0), x, M), 0)
  far <- on_sheet(c(3e8, 4e8))[1, ]
  expect_equal(manifold_distance(far, far * (1 + c(1e-9, 0, 0)), M), 0)
  for (y in list(x + c(1e-6, 0, 0), -x, x * c(-1, 1, 1), c(0, 0, 0), c(NaN, 3, 4), c(Inf, 3, 4), c(1e300, 1e300, 0))) {
    expect_error(manifold_distance(y, x, M), class = "dptda_error_argument")
  }
  expect_error(manifold_exp(x, c(1, 0, 0), M), class = "dptda_error_argument")
})
