orthonormal <- function(p, k) qr.Q(qr(matrix(stats::rnorm(p * k), p)))

# A tangent at the basis x with the given length, or the given largest angle.
tangent <- function(x, size = 1, angle = NULL) {
  H <- matrix(stats::rnorm(length(x)), nrow(x))
  H <- H - x %*% crossprod(x, H)
  H * if (is.null(angle)) size / sqrt(sum(H^2)) else angle / svd(H)$d[1]
}

projector <- function(x) tcrossprod(x)

# Principal angles from the eigenvalues of P Q and of (1 - P) Q, for bases x, y.
principal_angles <- function(x, y) {
  P <- projector(x)
  k <- ncol(x)
  sines <- svd((diag(nrow(x)) - P) %*% projector(y))$d[1:k]
  cosines <- rev(svd(P %*% projector(y))$d[1:k])
  atan2(sines, cosines)
}

test_that("the distance is that of the principal angles", {
  set.seed(1)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    for (i in 1:10) {
      x <- orthonormal(size[2], size[1])
      y <- orthonormal(size[2], size[1])
      expect_equal(manifold_distance(x, y, M), sqrt(sum(principal_angles(x, y)^2)), tolerance = 1e-12)
      expect_equal(manifold_distance(y, x, M), manifold_distance(x, y, M), tolerance = 1e-13)
      # complements are as far apart
      rest <- function(z) qr.Q(qr(z), complete = TRUE)[, -seq_len(size[1]), drop = FALSE]
      other <- manifold_grassmann(size[2] - size[1], size[2])
      expect_equal(manifold_distance(rest(x), rest(y), other), manifold_distance(x, y, M), tolerance = 1e-12)
    }
  }
})

test_that("exp follows the geodesic, and log is its inverse", {
  set.seed(2)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    for (i in 1:10) {
      x <- orthonormal(size[2], size[1])
      H <- tangent(x, angle = 1.57 * i / 10)
      y <- manifold_exp(x, H, M)
      expect_lt(max(abs(crossprod(y) - diag(size[1]))), 1e-13)
      expect_lt(max(abs(manifold_log(x, y, M) - H)), 1e-12)
      expect_lt(abs(manifold_distance(x, y, M) - sqrt(sum(H^2))), 1e-13)
      # the projector moves as exp(t [H x' - x H']) turns it
      A <- H %*% t(x) - x %*% t(H)
      E <- with(eigen(A %*% A, symmetric = TRUE), { # exp(A) = cos + A sin / A, functions of A^2 = -a^2
        a <- sqrt(pmax(-values, 0))
        vectors %*% (cos(a) * t(vectors)) + A %*% vectors %*% (ifelse(a > 1e-8, sin(a) / a, 1) * t(vectors))
      })
      expect_equal(projector(y), E %*% projector(x) %*% t(E), tolerance = 1e-11)
      z <- orthonormal(size[2], size[1])
      v <- manifold_log(x, z, M)
      expect_lt(max(abs(crossprod(x, v))), 1e-13)
      expect_lt(max(abs(projector(manifold_exp(x, v, M)) - projector(z))), 1e-12)
    }
  }
})

test_that("tiny angles and angles near pi / 2 keep their digits", {
  set.seed(3)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    m <- min(size[1], size[2] - size[1])
    for (gap in 10^-(1:14)) {
      x <- orthonormal(size[2], size[1])
      near <- tangent(x, gap)
      y <- manifold_exp(x, near, M)
      expect_lt(abs(manifold_distance(x, y, M) - gap), 1e-14)
      expect_lt(max(abs(manifold_log(x, y, M) - near)), 1e-14)
      # tiny ones and nearly right ones at once
      parts <- svd(tangent(x))
      angles <- rep(c(pi / 2 - gap, gap, pi / 2 - 3 * gap, 0.3), length.out = m)
      far <- parts$u[, 1:m, drop = FALSE] %*% (angles * t(parts$v[, 1:m, drop = FALSE]))
      y <- manifold_exp(x, far, M)
      expect_lt(abs(manifold_distance(x, y, M) - sqrt(sum(angles^2))), 1e-13)
      # two nearly right angles: rounding of y by e turns their directions by e / gap
      if (gap > 1e-12) expect_lt(max(abs(manifold_log(x, y, M) - far)), 1e-12 + 1e-14 / gap)
    }
  }
})

test_that("on the cut locus there is a choice, always the same", {
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    m <- min(size[1], size[2] - size[1])
    I <- diag(size[2])
    x <- I[, seq_len(size[1]), drop = FALSE]
    y <- I[, size[2] + 1 - seq_len(size[1]), drop = FALSE]
    v <- manifold_log(x, y, M)
    expect_identical(v, manifold_log(x, y, M))
    expect_equal(sqrt(sum(v^2)), pi / 2 * sqrt(m), tolerance = 1e-14)
    expect_equal(manifold_distance(x, y, M), pi / 2 * sqrt(m), tolerance = 1e-14)
    expect_lt(max(abs(projector(manifold_exp(x, v, M)) - projector(y))), 1e-14)
  }
})

test_that("identical subspaces are at no distance, whatever their bases", {
  set.seed(4)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    x <- orthonormal(size[2], size[1])
    y <- x %*% orthonormal(size[1], size[1])
    expect_lt(manifold_distance(x, y, M), 1e-14)
    expect_lt(max(abs(manifold_log(x, y, M))), 1e-14)
  }
  expect_identical(manifold_log(diag(4)[, 1:2], diag(4)[, 1:2], manifold_grassmann(2, 4)), matrix(0, 4, 2))
})

test_that("rotations of the space are isometries, and bases do not matter", {
  set.seed(5)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    x <- orthonormal(size[2], size[1])
    H <- tangent(x, angle = 1.2)
    u <- tangent(x)
    y <- manifold_exp(x, H, M)
    g <- orthonormal(size[2], size[2])
    a <- orthonormal(size[1], size[1])
    b <- orthonormal(size[1], size[1])
    expect_equal(manifold_distance(g %*% x %*% a, g %*% y %*% b, M), manifold_distance(x, y, M), tolerance = 1e-12)
    expect_lt(max(abs(manifold_log(g %*% x %*% a, g %*% y %*% b, M) - g %*% manifold_log(x, y, M) %*% a)), 1e-11)
    moved <- manifold_transport(x, y, u, M)
    expect_lt(max(abs(manifold_transport(g %*% x %*% a, g %*% y %*% b, g %*% u %*% a, M) - g %*% moved %*% b)), 1e-11)
  }
})

test_that("what is transported is tangent to where it goes", {
  set.seed(6)
  for (size in grassmann_sizes) {
    M <- manifold_grassmann(size[1], size[2])
    x <- orthonormal(size[2], size[1])
    y <- manifold_exp(x, tangent(x, angle = 1.4), M)
    expect_lt(max(abs(crossprod(y, manifold_transport(x, y, tangent(x), M)))), 1e-13)
  }
})

# As in the tests of rotations: from the third side of a small triangle, and
# from the turn on the way around it.
curvatures <- function(x, u, v, M, t = 0.003) {
  y <- manifold_exp(x, t * u, M)
  z <- manifold_exp(x, t * v, M)
  around <- manifold_transport(z, x, manifold_transport(y, z, manifold_transport(x, y, v, M), M), M)
  c(side = 3 * (2 * t^2 - manifold_distance(y, z, M)^2) / t^4, turn = abs(sum(u * around) - sum(u * v)) * 2 / t^2)
}

test_that("curvatures lie within the bounds, which are attained", {
  set.seed(7)
  for (size in grassmann_sizes[-1]) {
    M <- manifold_grassmann(size[1], size[2])
    bounds <- M$curvature
    x <- orthonormal(size[2], size[1])
    for (i in 1:10) {
      u <- tangent(x)
      v <- tangent(x)
      v <- v - u * sum(u * v)
      v <- v / sqrt(sum(v^2))
      exact <- (sum((crossprod(u, v) - crossprod(v, u))^2) + sum((u %*% t(v) - v %*% t(u))^2)) / 2
      expect_lt(max(abs(curvatures(x, u, v, M) - exact)), 1e-3)
      expect_gte(exact, bounds[1] - 1e-12)
      expect_lte(exact, bounds[2] + 1e-12)
    }
    if (min(size[1], size[2] - size[1]) == 1) next
    I <- diag(size[2])
    x <- I[, seq_len(size[1])]
    lift <- function(B) { # a 2 x 2 block of coordinates as a tangent at x
      H <- 0 * x
      H[size[1] + 1:2, 1:2] <- B
      H
    }
    top <- curvatures(x, lift(diag(2)) / sqrt(2), lift(rbind(0:1, c(-1, 0))) / sqrt(2), M)
    expect_lt(max(abs(top - bounds[2])), 1e-3)
    flat <- curvatures(x, lift(diag(1:0)), lift(diag(0:1)), M)
    expect_lt(max(abs(flat - bounds[1])), 1e-3)
  }
})

test_that("the canonical basis depends on the subspace alone", {
  set.seed(8)
  canonical <- function(x) manifold_exp(x, 0 * x, manifold_grassmann(ncol(x), nrow(x)))
  check <- function(x) {
    p <- nrow(x)
    k <- ncol(x)
    found <- canonical(x)
    expect_lt(max(abs(projector(found) - projector(x))), 1e-13)
    expect_lt(max(abs(crossprod(found) - diag(k))), 1e-13)
    for (i in 1:5) expect_lt(max(abs(canonical(x %*% orthonormal(k, k)) - found)), 1e-12)
    # the pivots are lower triangular with a positive diagonal
    zeros <- rowSums(found != 0)
    for (j in seq_len(k)) {
      pivots <- rowSums(found[, seq_len(k) > j, drop = FALSE] != 0) == 0 & found[, j] > 0
      expect_true(any(pivots))
    }
    found
  }
  for (size in c(grassmann_sizes, list(c(20, 40), c(5, 50), c(49, 50)))) check(orthonormal(size[2], size[1]))
  # subspaces whose rows tie: coordinate planes, diagonals, all-ones
  for (columns in list(1:2, c(2, 5), 3:5)) {
    expect_equal(check(diag(5)[, columns]), diag(5)[, columns], tolerance = 1e-13)
  }
  expect_equal(check(matrix(-1 / sqrt(7), 7, 1)), matrix(1 / sqrt(7), 7, 1), tolerance = 1e-13)
  check(cbind(c(1, 1, 1, 1), c(1, -1, 1, -1)) / 2)
  check(qr.Q(qr(stats::contr.sum(6))))
  check(cbind(c(1, 1, sqrt(2))) / 2)
  # stable: close subspaces have close bases
  x <- check(orthonormal(6, 3))
  expect_lt(max(abs(manifold_exp(x, tangent(x, 1e-8), manifold_grassmann(3, 6)) - x)), 1e-6)
})

jacobian <- function(M, V) .Call(ffi_test_manifold_jacobian, M, as.matrix(V), kernel_options())

test_that("the Jacobian of exp is its determinant by differences", {
  set.seed(9)
  h <- 1e-5
  for (size in list(c(1, 2), c(1, 3), c(2, 3), c(2, 4), c(2, 5), c(3, 5))) {
    k <- size[1]
    p <- size[2]
    M <- manifold_grassmann(k, p)
    D <- M$dimension
    for (angle in c(0.01, 0.8, 1.5)) {
      B <- matrix(stats::rnorm(D), p - k)
      B <- B * angle / svd(B)$d[1]
      x <- diag(p)[, seq_len(k), drop = FALSE]
      end <- function(B) as.vector(projector(manifold_exp(x, rbind(matrix(0, k, k), B), M)))
      # the length of a tangent is that of the change of the projector, over sqrt(2)
      differential <- vapply(seq_len(D), function(i) {
        E <- replace(0 * B, i, h)
        (end(B + E) - end(B - E)) / (2 * h * sqrt(2))
      }, numeric(p^2))
      expect_lt(abs(jacobian(M, as.vector(B))$value - log(det(crossprod(differential))) / 2), 1e-7)
    }
    expect_identical(jacobian(M, numeric(D))$value, 0)
  }
})

test_that("the Jacobian obeys its bound, and ends where an angle is pi / 2", {
  set.seed(10)
  for (size in c(grassmann_sizes, list(c(10, 25), c(2, 50)))) {
    k <- size[1]
    n <- size[2] - size[1]
    m <- min(k, n)
    M <- manifold_grassmann(k, size[2])
    V <- vapply(1:50, function(i) {
      B <- matrix(stats::rnorm(n * k), n)
      as.vector(B * stats::runif(1, 0, pi / 2) / svd(B)$d[1])
    }, numeric(n * k))
    V <- matrix(V, n * k)
    found <- jacobian(M, V)
    count <- found$growth[3]
    x <- found$growth[4] * sqrt(colSums(V^2))
    expect_equal(count, n * k - m)
    bound <- count * ifelse(x > 0, log(sin(x) / x), 0)
    expect_true(all(found$value <= bound + 1e-10))
    if (m == 1) expect_equal(found$value, bound, tolerance = 1e-10)
    expect_equal(found$growth[6], pi / 2 * sqrt(m))
    largest <- apply(V, 2, function(v) svd(matrix(v, n))$d[1])
    expect_identical(jacobian(M, V * (pi / 2 + 1e-9) / largest[col(V)])$value, rep(-Inf, 50))
  }
})

test_that("large matrices work", {
  set.seed(11)
  for (k in c(1, 10, 25, 49)) {
    M <- manifold_grassmann(k, 50)
    x <- orthonormal(50, k)
    H <- tangent(x, angle = 1.5)
    y <- manifold_exp(x, H, M)
    expect_lt(max(abs(manifold_log(x, y, M) - H)), 1e-12)
    z <- orthonormal(50, k)
    expect_lt(max(abs(projector(manifold_exp(x, manifold_log(x, z, M), M)) - projector(z))), 1e-12)
    expect_equal(manifold_distance(x, z, M), sqrt(sum(principal_angles(x, z)[seq_len(min(k, 50 - k))]^2)),
                 tolerance = 1e-12)
  }
})

test_that("bases near orthonormal are repaired, others are refused", {
  set.seed(12)
  M <- manifold_grassmann(2, 5)
  x <- orthonormal(5, 2)
  off <- x + 1e-9 * matrix(stats::rnorm(10), 5)
  expect_lt(manifold_distance(off, x, M), 1e-7)
  expect_lt(max(abs(crossprod(manifold_exp(off, 0 * x, M)) - diag(2))), 1e-13)
  for (bad in list(2 * x, 0 * x, x[, c(1, 1)], replace(x, 1, Inf), replace(x, 1, NA))) {
    expect_error(manifold_distance(bad, x, M), class = "dptda_error_argument")
  }
})

test_that("what clamping gives does not tell the basis that went in", {
  set.seed(13)
  M <- manifold_grassmann(2, 5)
  center <- diag(5)[, 1:2]
  X <- vapply(1:20, function(i) orthonormal(5, 2), center)
  clamped <- manifold_clamp(X, M, center, 0.4)
  other <- X
  for (i in 1:20) other[, , i] <- X[, , i] %*% orthonormal(2, 2)
  expect_lt(max(abs(manifold_clamp(other, M, center, 0.4) - clamped)), 1e-11)
})
