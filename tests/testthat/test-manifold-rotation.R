skew <- function(p, length = 1) {
  A <- matrix(0, p, p)
  A[lower.tri(A)] <- stats::rnorm(p * (p - 1) / 2)
  A <- A - t(A)
  A * length / sqrt(sum(A^2) / 2)
}

# Block diagonal turns by the given angles, the rest of R^p unmoved.
turns <- function(p, angles) {
  R <- diag(p)
  for (i in seq_along(angles)) {
    here <- 2 * i - 1:0
    R[here, here] <- c(cos(angles[i]), sin(angles[i]), -sin(angles[i]), cos(angles[i]))
  }
  R
}

# expm by Taylor's series of A / 1024, squared ten times.
series_exp <- function(A) {
  S <- A / 1024
  E <- term <- diag(nrow(A))
  for (i in 1:15) {
    term <- term %*% S / i
    E <- E + term
  }
  for (i in 1:10) E <- E %*% E
  E
}

largest_angle <- function(A) svd(A)$d[1]
length_of <- function(A) sqrt(sum(A^2) / 2)

test_that("exp is the matrix exponential, and log its inverse", {
  set.seed(1)
  for (p in c(2, 3, 4, 5, 8, 13)) {
    M <- manifold_rotation(p)
    for (i in 1:10) {
      x <- random_turn(p)
      A <- skew(p, 3.1 * i / 10)
      y <- manifold_exp(x, x %*% A, M)
      expect_equal(y, x %*% series_exp(A), tolerance = 1e-11)
      expect_lt(max(abs(crossprod(y) - diag(p))), 1e-13)
      expect_lt(max(abs(manifold_log(x, y, M) - x %*% A)), 1e-12)
      expect_lt(abs(manifold_distance(x, y, M) - length_of(A)), 1e-12)
      # far beyond the cut locus
      expect_equal(manifold_exp(x, 30 * x %*% A, M), x %*% series_exp(30 * A), tolerance = 1e-9)
      z <- random_turn(p)
      expect_lt(max(abs(manifold_exp(x, manifold_log(x, z, M), M) - z)), 1e-12)
      expect_equal(manifold_distance(x, z, M), length_of(manifold_log(x, z, M)), tolerance = 1e-12)
    }
  }
})

test_that("in space the distance is that of the quaternions", {
  set.seed(2)
  rotate <- function(q) {
    w <- q[1]
    n <- q[-1]
    cross <- rbind(c(0, -n[3], n[2]), c(n[3], 0, -n[1]), c(-n[2], n[1], 0))
    (w^2 - sum(n^2)) * diag(3) + 2 * outer(n, n) + 2 * w * cross
  }
  for (i in 1:50) {
    q <- stats::rnorm(4)
    r <- q + stats::rnorm(4) * 10^-(i %% 10)
    q <- q / sqrt(sum(q^2))
    r <- r / sqrt(sum(r^2))
    apart <- sort(sqrt(c(sum((q - r)^2), sum((q + r)^2)))) # r and -r are the same rotation
    expect_lt(abs(manifold_distance(rotate(q), rotate(r), manifold_rotation(3)) - 4 * atan2(apart[1], apart[2])), 1e-14)
  }
})

test_that("tiny angles and angles near pi keep their digits", {
  set.seed(3)
  for (p in c(2, 3, 4, 7, 10)) {
    M <- manifold_rotation(p)
    for (gap in 10^-(1:14)) {
      x <- random_turn(p)
      A <- skew(p)
      near <- x %*% A * gap
      expect_lt(max(abs(manifold_log(x, manifold_exp(x, near, M), M) - near)), 1e-13)
      expect_lt(abs(manifold_distance(x, manifold_exp(x, near, M), M) - gap), 1e-13)
      far <- A * (pi - gap) / largest_angle(A)
      y <- manifold_exp(x, x %*% far, M)
      expect_lt(abs(manifold_distance(x, y, M) - length_of(far)), 1e-13)
      # nearer, rounding may step across the cut locus, where the velocity turns around
      if (gap > 1e-12) expect_lt(max(abs(manifold_log(x, y, M) - x %*% far)), 1e-12)
    }
  }
})

test_that("on the cut locus there is a choice, always the same", {
  set.seed(4)
  for (angles in list(pi, c(pi, pi), c(pi, 1), c(pi, pi, pi), c(0, pi, 2), rep(pi, 25))) {
    for (p in unique(pmax(2, 2 * length(angles) + 0:1))) {
      M <- manifold_rotation(p)
      Q <- random_turn(p)
      for (y in list(turns(p, angles), Q %*% turns(p, angles) %*% t(Q))) {
        v <- manifold_log(diag(p), y, M)
        expect_identical(v, manifold_log(diag(p), y, M))
        expect_lt(max(abs(v + t(v))), 1e-13)
        expect_equal(length_of(v), sqrt(sum(angles^2)), tolerance = 1e-13)
        expect_equal(manifold_distance(diag(p), y, M), sqrt(sum(angles^2)), tolerance = 1e-13)
        expect_lt(max(abs(manifold_exp(diag(p), v, M) - y)), 1e-13)
      }
    }
  }
  # counterclockwise in the plane; about the axis whose first coordinate is positive in space
  expect_equal(manifold_log(diag(2), -diag(2), manifold_rotation(2)), rbind(c(0, -pi), c(pi, 0)))
  expect_equal(manifold_log(diag(3), diag(c(-1, -1, 1)), manifold_rotation(3)), pi * rbind(c(0, -1, 0), c(1, 0, 0), 0))
  half <- 2 * outer(c(-3, 0, 4), c(-3, 0, 4)) / 25 - diag(3)
  expect_equal(manifold_log(diag(3), half, manifold_rotation(3)) * 5 / pi, rbind(c(0, 4, 0), c(-4, 0, -3), c(0, 3, 0)))
})

test_that("identical points are at no distance, permutations at theirs", {
  for (p in c(2, 3, 4, 9)) {
    M <- manifold_rotation(p)
    expect_identical(manifold_distance(diag(p), diag(p), M), 0)
    expect_identical(manifold_log(diag(p), diag(p), M), matrix(0, p, p))
    expect_equal(manifold_exp(diag(p), matrix(0, p, p), M), diag(p))
  }
  # a cycle of p places turns by the arguments of the p-th roots of one
  for (p in c(3, 5, 7, 21)) {
    cycle <- diag(p)[c(2:p, 1), ]
    angles <- 2 * pi * seq_len((p - 1) / 2) / p
    expect_equal(manifold_distance(diag(p), cycle, manifold_rotation(p)), sqrt(sum(angles^2)), tolerance = 1e-13)
  }
})

test_that("multiplication from either side is an isometry, and so is inversion", {
  set.seed(5)
  for (p in c(2, 3, 4, 6, 11)) {
    M <- manifold_rotation(p)
    x <- random_turn(p)
    y <- manifold_exp(x, x %*% skew(p, 2), M)
    g <- random_turn(p)
    d <- manifold_distance(x, y, M)
    expect_equal(manifold_distance(y, x, M), d, tolerance = 1e-12)
    expect_equal(manifold_distance(g %*% x, g %*% y, M), d, tolerance = 1e-12)
    expect_equal(manifold_distance(x %*% g, y %*% g, M), d, tolerance = 1e-12)
    expect_equal(manifold_distance(t(x), t(y), M), d, tolerance = 1e-12)
    v <- manifold_log(x, y, M)
    expect_lt(max(abs(manifold_log(g %*% x, g %*% y, M) - g %*% v)), 1e-11)
    expect_lt(max(abs(manifold_log(x %*% g, y %*% g, M) - v %*% g)), 1e-11)
    u <- x %*% skew(p)
    expect_lt(max(abs(manifold_transport(g %*% x, g %*% y, g %*% u, M) - g %*% manifold_transport(x, y, u, M))), 1e-11)
  }
})

test_that("transport takes velocity to velocity", {
  set.seed(6)
  for (p in c(2, 3, 4, 5, 9)) {
    M <- manifold_rotation(p)
    x <- random_turn(p)
    A <- skew(p, 2)
    y <- manifold_exp(x, x %*% A, M)
    expect_lt(max(abs(manifold_transport(x, y, x %*% A, M) - y %*% A)), 1e-12)
  }
})

# K of the plane of u, v (orthonormal), from the third side of a small triangle
# (d^2 = 2 t^2 - K t^4 / 3 + ..) and from the turn of v on its way around it
# (area t^2 / 2).
curvatures <- function(x, u, v, M, t = 0.003) {
  y <- manifold_exp(x, t * u, M)
  z <- manifold_exp(x, t * v, M)
  around <- manifold_transport(z, x, manifold_transport(y, z, manifold_transport(x, y, v, M), M), M)
  c(side = 3 * (2 * t^2 - manifold_distance(y, z, M)^2) / t^4,
    turn = abs(manifold_inner(x, u, around, M) - manifold_inner(x, u, v, M)) * 2 / t^2)
}

test_that("curvatures lie within the bounds, which are attained", {
  set.seed(7)
  unit <- function(p, i, j) {
    A <- matrix(0, p, p)
    A[i, j] <- 1
    A[j, i] <- -1
    A
  }
  for (p in 3:6) {
    M <- manifold_rotation(p)
    bounds <- M$curvature
    x <- random_turn(p)
    for (i in 1:10) {
      u <- skew(p)
      v <- skew(p)
      v <- v - u * sum(u * v) / 2
      v <- v / length_of(v)
      exact <- sum((u %*% v - v %*% u)^2) / 8
      found <- curvatures(x, x %*% u, x %*% v, M)
      expect_lt(max(abs(found - exact)), 1e-3)
      expect_gte(exact, bounds[1] - 1e-12)
      expect_lte(exact, bounds[2] + 1e-12)
    }
    if (p < 4) next
    top <- curvatures(x, x %*% (unit(p, 2, 1) + unit(p, 4, 3)) / sqrt(2), x %*% (unit(p, 3, 1) - unit(p, 4, 2)) /
                      sqrt(2), M)
    expect_lt(max(abs(top - bounds[2])), 1e-3)
    flat <- curvatures(x, x %*% unit(p, 2, 1), x %*% unit(p, 4, 3), M)
    expect_lt(max(abs(flat - bounds[1])), 1e-3)
  }
})

jacobian <- function(M, V) .Call(ffi_test_manifold_jacobian, M, as.matrix(V), kernel_options())

test_that("the Jacobian of exp is its determinant by differences", {
  set.seed(8)
  h <- 1e-5
  for (p in 2:5) {
    M <- manifold_rotation(p)
    D <- M$dimension
    from_coordinates <- function(v) {
      A <- matrix(0, p, p)
      A[lower.tri(A)] <- v
      A - t(A)
    }
    for (size in c(0.01, 1, 3)) {
      A <- skew(p, size)
      v <- A[lower.tri(A)]
      y <- manifold_exp(diag(p), A, M)
      differential <- vapply(seq_len(D), function(i) {
        E <- from_coordinates(replace(numeric(D), i, h))
        dY <- (manifold_exp(diag(p), A + E, M) - manifold_exp(diag(p), A - E, M)) / (2 * h)
        crossprod(y, dY)[lower.tri(A)]
      }, numeric(D))
      expect_lt(abs(jacobian(M, v)$value - log(abs(det(as.matrix(differential))))), 1e-8)
    }
    expect_identical(jacobian(M, numeric(D))$value, 0)
  }
})

test_that("the Jacobian obeys its bound, and ends where an angle is pi", {
  set.seed(9)
  for (p in c(2, 3, 4, 5, 10, 25)) {
    M <- manifold_rotation(p)
    D <- M$dimension
    angles <- matrix(stats::runif(50 * (p %/% 2), 0, pi), ncol = 50)
    V <- apply(angles, 2, function(a) {
      Q <- random_turn(p)
      A <- matrix(0, p, p)
      for (i in seq_along(a)) A[2 * i + -1:0, 2 * i + -1:0] <- c(0, a[i], -a[i], 0)
      A <- Q %*% A %*% t(Q)
      A[lower.tri(A)]
    })
    V <- matrix(V, D)
    found <- jacobian(M, V)
    count <- found$growth[3]
    x <- found$growth[4] * sqrt(colSums(V^2))
    expect_equal(count, D - p %/% 2)
    bound <- count * ifelse(x > 0, log(sin(x) / x), 0)
    expect_true(all(found$value <= bound + 1e-10))
    if (p < 4) expect_equal(found$value, bound, tolerance = 1e-10)
    expect_equal(found$growth[6], pi * sqrt(p %/% 2))
    expect_identical(jacobian(M, V * (pi + 1e-9) / apply(angles, 2, max)[col(V)])$value, rep(-Inf, 50))
  }
})

test_that("large matrices work", {
  set.seed(10)
  M <- manifold_rotation(50)
  x <- random_turn(50)
  A <- skew(50)
  A <- A * 3 / largest_angle(A)
  y <- manifold_exp(x, x %*% A, M)
  expect_lt(max(abs(manifold_log(x, y, M) - x %*% A)), 1e-12)
  expect_equal(manifold_distance(x, y, M), length_of(A), tolerance = 1e-13)
  z <- random_turn(50)
  expect_equal(manifold_distance(x, z, M), length_of(manifold_log(x, z, M)), tolerance = 1e-13)
  expect_lt(max(abs(manifold_exp(x, manifold_log(x, z, M), M) - z)), 1e-12)
})

test_that("matrices near a rotation are repaired, others are refused", {
  set.seed(11)
  for (p in c(2, 3, 7)) {
    M <- manifold_rotation(p)
    x <- random_turn(p)
    off <- x + 1e-9 * matrix(stats::rnorm(p^2), p)
    expect_lt(manifold_distance(off, x, M), 1e-7)
    expect_lt(max(abs(crossprod(manifold_exp(off, 0 * x, M)) - diag(p))), 1e-13)
    reflected <- x %*% diag(c(-1, rep(1, p - 1)))
    for (bad in list(reflected, 2 * x, 0 * x, x[, c(1, 1, seq_len(p)[-(1:2)])], replace(x, 1, Inf),
                     replace(x, 1, NA))) {
      expect_error(manifold_distance(bad, x, M), class = "dptda_error_argument")
    }
  }
})

test_that("clamping brings a point of the cut locus into the ball", {
  M <- manifold_rotation(4)
  expect_equal(manifold_distance(manifold_clamp(-diag(4), M, diag(4), 0.5), diag(4), M), 0.5, tolerance = 1e-12)
})
