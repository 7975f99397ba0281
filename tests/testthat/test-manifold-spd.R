# ---- the obvious slow way -----------------------------------------------------

of_eigenvalues <- function(A, f) {
  e <- eigen(A, symmetric = TRUE)
  e$vectors %*% (f(e$values) * t(e$vectors))
}
symmetric <- function(A) (A + t(A)) / 2
slow_root <- function(x) of_eigenvalues(x, sqrt)

slow_exp <- function(x, v) {
  root <- slow_root(x)
  root %*% of_eigenvalues(symmetric(solve(root, t(solve(root, v)))), exp) %*% root
}
slow_log <- function(x, y) {
  root <- slow_root(x)
  root %*% of_eigenvalues(symmetric(solve(root, t(solve(root, y)))), log) %*% root
}
slow_distance <- function(x, y) sqrt(sum(log(Re(eigen(solve(x, y))$values))^2))
slow_inner <- function(x, u, v) sum(diag(solve(x, u) %*% solve(x, v)))
slow_transport <- function(x, y, u) {
  root <- slow_root(x)
  carry <- root %*% slow_root(symmetric(solve(root, t(solve(root, y))))) %*% solve(root) # (y x^-1)^(1/2)
  carry %*% u %*% t(carry)
}

# The exponential without eigenvalues: its power series, after halving.
series_exp <- function(A) {
  A <- A / 2^12
  term <- sum <- diag(nrow(A))
  for (k in 1:12) sum <- sum + (term <- term %*% A / k)
  for (k in 1:12) sum <- sum %*% sum
  sum
}
# Its differential at A in the direction V is a block of the exponential of [A V; 0 A].
series_differential <- function(A, V) {
  n <- nrow(A)
  series_exp(rbind(cbind(A, V), cbind(0 * A, A)))[seq_len(n), n + seq_len(n), drop = FALSE]
}

# Coordinates at the identity: diagonal, and sqrt(2) times what is below it.
pack <- function(S) (S * ifelse(row(S) == col(S), 1, sqrt(2)))[lower.tri(S, diag = TRUE)]
unpack <- function(v, p) {
  S <- matrix(0, p, p)
  S[lower.tri(S, diag = TRUE)] <- v
  S <- S * ifelse(row(S) == col(S), 1 / 2, sqrt(0.5))
  S + t(S)
}

random_tangent <- function(p, length = 1) {
  v <- stats::rnorm(p * (p + 1) / 2)
  unpack(v / sqrt(sum(v^2)) * length, p)
}
metrics <- c("affine", "log-euclidean")

# ---- the affine invariant metric ------------------------------------------------

test_that("exp, log, distance, inner product and transport are those of the formulas", {
  set.seed(1)
  for (p in c(1, 2, 3, 5, 7, 10)) for (i in 1:5) {
    M <- manifold_spd(p)
    x <- random_definite(p)
    y <- random_definite(p)
    u <- random_tangent(p)
    v <- random_tangent(p)
    expect_equal(manifold_exp(x, v, M), slow_exp(x, v), tolerance = 1e-10)
    expect_equal(manifold_log(x, y, M), slow_log(x, y), tolerance = 1e-10)
    expect_equal(manifold_distance(x, y, M), slow_distance(x, y), tolerance = 1e-10)
    expect_equal(manifold_inner(x, u, v, M), slow_inner(x, u, v), tolerance = 1e-10)
    expect_equal(manifold_transport(x, y, u, M), slow_transport(x, y, u), tolerance = 1e-10)
  }
})

test_that("congruence is an isometry of everything", {
  set.seed(2)
  for (p in c(2, 3, 8, 14)) {
    M <- manifold_spd(p)
    A <- matrix(stats::rnorm(p * p), p) + 2 * diag(p)
    move <- function(S) symmetric(A %*% S %*% t(A))
    x <- random_definite(p)
    y <- random_definite(p)
    u <- random_tangent(p)
    expect_equal(manifold_distance(move(x), move(y), M), manifold_distance(x, y, M), tolerance = 1e-10)
    expect_equal(manifold_log(move(x), move(y), M), move(manifold_log(x, y, M)), tolerance = 1e-10)
    expect_equal(manifold_exp(move(x), move(u), M), move(manifold_exp(x, u, M)), tolerance = 1e-10)
    expect_equal(manifold_transport(move(x), move(y), move(u), M), move(manifold_transport(x, y, u, M)),
                 tolerance = 1e-10)
    expect_equal(manifold_inner(move(x), move(u), move(u), M), manifold_inner(x, u, u, M), tolerance = 1e-10)
    expect_equal(manifold_distance(solve(x), solve(y), M), manifold_distance(x, y, M), tolerance = 1e-10)
  }
})

test_that("units do not matter: variables over two hundred decades lose nothing", {
  set.seed(3)
  for (p in c(2, 3, 6, 10)) {
    units <- 2^round(seq(-330, 330, length.out = p))
    x <- random_definite(p)
    y <- random_definite(p)
    scaled <- function(S) S * outer(units, units)
    expect_equal(manifold_distance(scaled(x), scaled(y), manifold_spd(p)), manifold_distance(x, y, manifold_spd(p)),
                 tolerance = 1e-12)
    expect_equal(manifold_log(scaled(x), scaled(y), manifold_spd(p)) / outer(units, units),
                 manifold_log(x, y, manifold_spd(p)),
                 tolerance = 1e-12)
  }
})

test_that("the geodesic between commuting matrices is that of their eigenvalues", {
  q <- qr.Q(qr(matrix(c(1, 2, 3, 4, 6, 5, 7, 9, 8), 3)))
  of <- function(values) symmetric(q %*% (values * t(q)))
  a <- c(1, 4, 9)
  b <- c(16, 1, 0.25)
  for (metric in metrics) {
    M <- manifold_spd(3, metric)
    half <- manifold_exp(of(a), manifold_log(of(a), of(b), M) / 2, M)
    expect_equal(half, of(sqrt(a * b)), tolerance = 1e-13)
    expect_equal(manifold_distance(of(a), of(b), M), sqrt(sum(log(a / b)^2)), tolerance = 1e-14)
  }
})

# Holonomy of a small triangle at the identity: it turns u towards v by the
# sectional curvature of their plane times the area.
sectional <- function(u, v, M, side = 1e-2) {
  o <- diag(nrow(u))
  corners <- list(o, manifold_exp(o, side * u, M), manifold_exp(o, side * v, M), o)
  carried <- u
  if (M$metric == "log-euclidean") u <- manifold_log(o, manifold_exp(o, u, M), M)
  for (i in 1:3) carried <- manifold_transport(corners[[i]], corners[[i + 1]], carried, M)
  manifold_inner(o, carried, v, M) / (side^2 / 2)
}

test_that("the curvature seen by holonomy is between the bounds, and attains them", {
  turn <- diag(c(1, -1)) / sqrt(2)
  swap <- matrix(c(0, 1, 1, 0), 2) / sqrt(2)
  expect_equal(sectional(turn, swap, manifold_spd(2)), -1 / 2, tolerance = 1e-3)
  expect_equal(sectional(turn, diag(2) / sqrt(2), manifold_spd(2)), 0, tolerance = 1e-8)
  set.seed(4)
  for (p in c(2, 3, 4)) for (i in 1:10) {
    u <- random_tangent(p)
    v <- random_tangent(p)
    v <- v - sum(u * v) * u
    v <- v / sqrt(sum(v^2))
    curvature <- sectional(u, v, manifold_spd(p))
    expect_equal(curvature, -sum((u %*% v - v %*% u)^2) / 4, tolerance = 1e-2)
    expect_true(curvature >= -0.5 - 1e-3 && curvature <= 1e-8)
    expect_lt(abs(sectional(u, v, manifold_spd(p, "log-euclidean"))), 1e-8)
  }
})

# ---- the log-Euclidean metric ----------------------------------------------------

test_that("the log-Euclidean geometry is flat in the logarithm", {
  set.seed(5)
  for (p in c(1, 2, 3, 5, 7, 10)) for (i in 1:5) {
    M <- manifold_spd(p, "log-euclidean")
    x <- random_definite(p)
    y <- random_definite(p)
    log_x <- of_eigenvalues(x, log)
    log_y <- of_eigenvalues(y, log)
    expect_equal(manifold_distance(x, y, M), sqrt(sum((log_x - log_y)^2)), tolerance = 1e-11)
    expect_equal(manifold_log(x, y, M), series_differential(log_x, log_y - log_x), tolerance = 1e-9)
    V <- random_tangent(p)
    tangent <- symmetric(series_differential(log_x, V))
    expect_equal(manifold_exp(x, tangent, M), series_exp(log_x + V), tolerance = 1e-9)
    expect_equal(manifold_inner(x, tangent, tangent, M), sum(V^2), tolerance = 1e-9)
    expect_equal(manifold_transport(x, y, tangent, M), series_differential(log_y, V), tolerance = 1e-9)
  }
})

test_that("rotations, scales and inversion are isometries of the log-Euclidean metric", {
  set.seed(6)
  M <- manifold_spd(4, "log-euclidean")
  q <- qr.Q(qr(matrix(stats::rnorm(16), 4)))
  x <- random_definite(4)
  y <- random_definite(4)
  distance <- manifold_distance(x, y, M)
  move <- function(S) symmetric(3 * q %*% S %*% t(q))
  expect_equal(manifold_distance(move(x), move(y), M), distance, tolerance = 1e-12)
  expect_equal(manifold_distance(solve(x), solve(y), M), distance, tolerance = 1e-12)
})

# ---- both ------------------------------------------------------------------------

test_that("exp and log are symmetric to the last digit", {
  set.seed(7)
  for (metric in metrics) for (p in c(1, 2, 3, 4, 6, 7, 12, 13, 50)) {
    M <- manifold_spd(p, metric)
    x <- random_definite(p)
    v <- manifold_log(x, random_definite(p), M)
    expect_true(isSymmetric(manifold_exp(x, v, M), tol = 0))
    expect_true(isSymmetric(v, tol = 0))
  }
})

test_that("results are right to the last digits where the condition number is 1e30", {
  # x = L L' with L = (1, 0; a, 1) is exact, and so is its logarithm.
  for (a in 2^c(-20, 0, 10, 20, 25)) {
    x <- matrix(c(1, a, a, a^2 + 1), 2)
    size <- 2 * asinh(a / 2)
    for (metric in metrics) {
      M <- manifold_spd(2, metric)
      expect_lt(abs(manifold_distance(diag(2), x, M) - sqrt(2) * size), 1e-15 * (size + 1))
      exact <- size / sqrt(a^2 + 4) * matrix(c(-a, 2, 2, a), 2)
      expect_lt(max(abs(manifold_log(diag(2), x, M) - exact)), 1e-15 * (size + 1))
    }
    expect_lt(abs(manifold_distance(x, diag(2), manifold_spd(2)) - sqrt(2) * size), 1e-15 * (size + 1))
  }
})

test_that("eigenvalues over six hundred decades are told apart", {
  for (metric in metrics) for (decades in c(50, 150, 300)) {
    x <- diag(10^c(decades, -decades))
    expect_equal(manifold_distance(x, diag(2), manifold_spd(2, metric)), sqrt(2) * log(10) * decades, tolerance = 1e-14)
  }
})

test_that("one row and one column: positive numbers and their logarithms", {
  for (metric in metrics) {
    M <- manifold_spd(1, metric)
    expect_equal(manifold_distance(2, c(2, 6, 1e-300), M), abs(log(c(1, 3, 5e-301))), tolerance = 1e-14)
    expect_equal(c(manifold_log(2, 6, M)), 2 * log(3), tolerance = 1e-14)
    expect_equal(c(manifold_exp(2, 2, M)), 2 * exp(1), tolerance = 1e-14)
    expect_equal(c(manifold_transport(2, 6, 1, M)), 3, tolerance = 1e-14)
    expect_identical(.Call(ffi_test_manifold_jacobian, M, matrix(3), kernel_options())$value, 0)
  }
})

test_that("the distance of a point to itself is zero", {
  set.seed(9)
  for (metric in metrics) for (p in c(1, 3, 7, 20)) {
    x <- random_definite(p)
    expect_lt(manifold_distance(x, x, manifold_spd(p, metric)), 1e-13)
    expect_lt(max(abs(manifold_log(x, x, manifold_spd(p, metric)))), 1e-12)
    expect_equal(manifold_exp(x, 0 * x, manifold_spd(p, metric)), x, tolerance = 1e-13)
  }
})

test_that("what is not symmetric positive definite to working precision is no point", {
  bad <- list(
    diag(c(1, 0)), matrix(0, 2, 2), matrix(1, 2, 2), diag(c(1, -1)), matrix(c(1, 1 - 1e-16, 1 - 1e-16, 1), 2),
    matrix(c(1, 0.5, 0.5 + 1e-6, 1), 2), diag(c(Inf, 1)), matrix(c(1, -Inf, Inf, 1), 2), matrix(c(1, NaN, 0, 1), 2)
  )
  good <- list(diag(c(1, 1e-300)), 1e-200 * diag(2), matrix(c(1, 1 - 1e-12, 1 - 1e-12, 1), 2))
  for (metric in metrics) {
    for (x in bad) expect_error(manifold_distance(x, diag(2), manifold_spd(2, metric)), class = "dptda_error_argument")
    for (x in good) expect_true(is.finite(manifold_distance(x, diag(2), manifold_spd(2, metric))))
    nearly <- matrix(c(1, 0.5, 0.5 + 1e-9, 1), 2)
    middle <- matrix(c(1, 0.5 + 5e-10, 0.5 + 5e-10, 1), 2)
    expect_equal(manifold_distance(nearly, diag(2), manifold_spd(2, metric)),
                 manifold_distance(middle, diag(2), manifold_spd(2, metric)),
                 tolerance = 1e-14)
  }
})

test_that("however long the velocity, exp ends at a point", {
  set.seed(10)
  for (metric in metrics) for (p in c(1, 2, 3, 8)) for (length in c(30, 100, 500, 5000)) {
    M <- manifold_spd(p, metric)
    x <- random_definite(p)
    v <- random_tangent(p, length)
    y <- manifold_exp(x, v, M)
    expect_true(all(is.finite(y)))
    expect_true(is.finite(manifold_distance(x, y, M)))
    expect_true(all(is.finite(manifold_log(y, x, M))))
  }
  expect_equal(manifold_exp(diag(2), diag(c(300, -300)), manifold_spd(2)), diag(exp(c(300, -300))), tolerance = 1e-12)
})

# ---- the Jacobian of exp ---------------------------------------------------------

log_jacobian <- function(M, V) {
  coordinates <- matrix(vapply(V, pack, numeric(M$dimension)), M$dimension)
  .Call(ffi_test_manifold_jacobian, M, coordinates, kernel_options())$value
}
# Count and rate of the expanding bound.
growth_of <- function(M) .Call(ffi_test_manifold_jacobian, M, matrix(0, M$dimension), kernel_options())$growth[1:2]
sinhc <- function(x) ifelse(x == 0, 1, sinh(x) / x)

# The determinant of the differential at v, in orthonormal frames, by differences of order four.
difference_jacobian <- function(M, S) {
  p <- nrow(S)
  o <- diag(p)
  factor <- chol(manifold_exp(o, S, M))
  step <- 1e-3
  columns <- vapply(seq_len(M$dimension), function(k) {
    e <- unpack(as.numeric(seq_len(M$dimension) == k), p)
    at <- function(h) manifold_exp(o, S + h * e, M)
    slope <- (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
    pack(symmetric(solve(t(factor), t(solve(t(factor), slope)))))
  }, numeric(M$dimension))
  determinant(matrix(columns, M$dimension))$modulus[1]
}

test_that("the Jacobian of exp is the determinant of its differential", {
  set.seed(11)
  for (p in 1:4) {
    tangents <- c(list(matrix(0, p, p), 2 * diag(p), diag(seq_len(p) %% 2, p)),
                  lapply(c(0.1, 1, 3), function(length) random_tangent(p, length)))
    expect_equal(log_jacobian(manifold_spd(p), tangents), vapply(tangents, difference_jacobian, 0, M = manifold_spd(p)),
                 tolerance = 1e-8)
    expect_identical(log_jacobian(manifold_spd(p, "log-euclidean"), tangents), numeric(6))
  }
  expect_equal(log_jacobian(manifold_spd(2), list(diag(c(1000, -1000)))), 1000 - log(2000), tolerance = 1e-14)
})

test_that("the Jacobian stays below the bounds of the manifold, and meets them", {
  set.seed(12)
  for (p in c(1, 2, 3, 6)) {
    M <- manifold_spd(p)
    growth <- growth_of(M)
    lengths <- rep(c(0.01, 1, 10, 100), each = 50)
    values <- log_jacobian(M, lapply(lengths, random_tangent, p = p))
    expect_true(all(values <= growth[1] * log(sinhc(growth[2] * lengths)) + 1e-12))
    expect_true(all(values <= M$threshold * lengths))
    expect_true(all(values >= 0))
  }
  growth <- growth_of(manifold_spd(2))
  expect_equal(log_jacobian(manifold_spd(2), list(diag(c(1, -1)))), growth[1] * log(sinhc(growth[2] * sqrt(2))))
  along <- unpack(pack(diag((4 - 2 * (1:3)) / 2)), 3)
  far <- along / sqrt(sum(along^2)) * 1000
  expect_equal(log_jacobian(manifold_spd(3), list(far)) / 1000, manifold_spd(3)$threshold, tolerance = 0.02)
  expect_equal(manifold_spd(5)$threshold, sqrt(5 * 24 / 3) / 2)
})

test_that("proposals along the drift have the spectrum asked for and the density of the polar coordinates", {
  set.seed(13)
  for (p in c(1, 2, 3, 8)) {
    M <- manifold_spd(p)
    delta <- .Call(ffi_test_manifold_drift, M, kernel_options())
    expect_equal(sqrt(sum(delta^2)), M$threshold)
    L <- apply(matrix(stats::rnorm(p * 5), p), 2, sort, decreasing = TRUE)
    drawn <- .Call(ffi_test_manifold_from_drift, M, matrix(L, p), kernel_options("os"))
    for (i in 1:5) {
      l <- matrix(L, p)[, i]
      expect_equal(eigen(unpack(drawn$v[, i], p), TRUE, TRUE)$values, l, tolerance = 1e-13)
      gaps <- outer(l, l, "-")
      expect_equal(sum(delta * l) + drawn$log_accept[i], sum(log(2 * sinh(gaps[upper.tri(gaps)] / 2))))
    }
    if (p > 1) {
      refused <- .Call(ffi_test_manifold_from_drift, M, matrix(L, p)[p:1, ], kernel_options("os"))
      expect_identical(refused$log_accept, rep(-Inf, 5))
    }
  }
})
