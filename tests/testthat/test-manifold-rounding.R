# Bounds of rounding errors for all points of a ball around the origin, against
# those at single points and against many digits.

rounding_at <- function(manifold, x, P) .Call(ffi_test_manifold_rounding, manifold, x, P, kernel_options())

rounding_within <- function(manifold, radius, step = 1, reach = 1.2 * radius) {
  .Call(ffi_test_manifold_rounding_within, manifold, origin_of(manifold), radius, step, reach, kernel_options())
}

is_promised <- function(manifold, radius) {
  all(is.finite(.Call(ffi_manifold_mean_bound, manifold, origin_of(manifold), radius, kernel_options())))
}

largest_promised <- function(manifold) {
  if (is.finite(largest_radius(manifold))) return(0.9999 * largest_radius(manifold))
  grid <- seq(0.5, 40, by = 0.25)
  max(Filter(function(radius) is_promised(manifold, radius), grid))
}

# Tangents at the origin of lengths up to `radius`, most of them of that length:
# in all directions, along few coordinates, in pairs almost alike or opposite.
adverse_tangents <- function(manifold, radius, n) {
  d <- manifold$dimension
  V <- matrix(stats::rnorm(d * n), d)
  if (d > 1) for (i in which(seq_len(n) %% 3 == 1)) V[sample(d, d - sample(min(d - 1, 2), 1)), i] <- 0
  near <- which(seq_len(n) %% 4 == 0)
  V[, near] <- V[, near - 1] * rep(sample(c(-1, 1), length(near), TRUE), each = d) +
    10^-stats::runif(1, 1, 12) * V[, near]
  length <- radius * ifelse(stats::runif(n) < 0.7, 1, stats::runif(n))
  sweep(V, 2, length / sqrt(colSums(V^2)), `*`)
}

# Spectra whose condition is the worst of a ball, along axes and not.
worst_spectra <- function(p, radius, n) {
  replicate(n, {
    Q <- if (stats::runif(1) < 0.3) diag(p) else qr.Q(qr(matrix(stats::rnorm(p * p), p)))
    l <- sample(c(1, -1, rep(0, p - 2)) * sqrt(0.5) * radius)
    A <- Q %*% (exp(l) * t(Q))
    c(A + t(A)) / 2
  })
}

points_in_ball <- function(manifold, radius, n) {
  P <- normal_points(adverse_tangents(manifold, radius, n), manifold, origin_of(manifold))
  has_spectra <- manifold$kind %in% c("spd", "spd_log") && manifold$dimension > 1
  if (has_spectra) cbind(P, worst_spectra(manifold$shape[1], radius, n)) else P
}

# Those of mean_balls() too, so that the bounds of a new manifold are attacked.
spaces_with_bounds <- function() {
  c(lapply(unname(mean_balls()), `[[`, "manifold"), list(
    manifold_euclidean(3), manifold_sphere(1), manifold_sphere(2), manifold_sphere(5, 1e3), manifold_hyperbolic(1),
    manifold_hyperbolic(2), manifold_hyperbolic(5, -9), manifold_spd(1), manifold_spd(2),
    manifold_spd(3), manifold_spd(8), manifold_spd(10), manifold_spd(20), manifold_spd(2, "log-euclidean"),
    manifold_spd(4, "log-euclidean"), manifold_rotation(2), manifold_rotation(3),
    manifold_rotation(5), manifold_grassmann(1, 3), manifold_grassmann(2, 5),
    manifold_shapes(3), manifold_shapes(30),
    manifold_product(manifold_sphere(2), manifold_spd(2), manifold_hyperbolic(2))
  ))
}

test_that("every kind of manifold has its rounding attacked here, and a ball where its means are tried", {
  kinds <- setdiff(ls(manifold_kinds), c("custom", "product"))
  balls <- vapply(mean_balls(), function(ball) ball$manifold$kind, "")
  for (kind in setdiff(kinds, balls)) fail(paste0(kind, " has no ball: write one in mean_balls()"))
  expect_true(all(kinds %in% vapply(spaces_with_bounds(), `[[`, "", "kind")))
})

test_that("bounds for a ball are above those at all of its points, at every radius that is promised", {
  set.seed(21)
  for (manifold in spaces_with_bounds()) {
    largest <- largest_promised(manifold)
    for (radius in largest * c(1e-3, 0.1, 0.5, 0.8, 1)) {
      P <- points_in_ball(manifold, radius, 12)
      bound <- rounding_within(manifold, radius)[1:3]
      worst <- do.call(pmax, lapply(1:6, function(i) apply(rounding_at(manifold, P[, i], P), 1, max)))
      expect(all(worst <= bound + 1e-300),
             paste0("in a ball of ", manifold$title, " with the radius ", format(radius), " rounding() is ",
                    paste(signif(worst, 4), collapse = ", "), ", and rounding_within() says ",
                    paste(signif(bound, 4), collapse = ", "), " at most: see src/core/manifold-", manifold$kind, ".c"))
    }
  }
})

test_that("steps end where the bound says, as seen by logarithms", {
  set.seed(22)
  for (manifold in spaces_with_bounds()) {
    if (manifold$kind == "product") next
    for (radius in largest_promised(manifold) * c(0.1, 0.6, 0.95)) {
      P <- points_in_ball(manifold, radius, 6)
      step <- min(1, radius)
      bound <- rounding_within(manifold, radius, step, radius + step)
      for (i in 1:6) {
        v <- adverse_tangents(manifold, step, 1)
        end <- normal_points(v, manifold, P[, i])
        back <- normal_coordinates(end, manifold, P[, i])
        expect_lte(sqrt(sum((back - v)^2)), 2 * bound[4] + 2 * sum(bound[1:3]) + 1e-300)
        clamped <- clamp_points(end, manifold, origin_of(manifold), radius)
        expect_lte(sqrt(sum(normal_coordinates(clamped, manifold, origin_of(manifold))^2)),
                   radius + bound[4] + sum(bound[1:3]))
      }
    }
  }
})

# The part of the boost that takes x to the origin, and the polar coordinates
# there: logarithms on the hyperboloid of curvature -1.
hyperbolic_log_of_many_digits <- function(x, y) {
  x <- Rmpfr::mpfr(x[-1], 400)
  y <- Rmpfr::mpfr(y[-1], 400)
  time <- function(z) sqrt(1 + sum(z^2))
  seen <- y + x * (sum(x * y) / (1 + time(x)) - time(y))
  length <- sqrt(sum(seen^2))
  if (length == 0) seen else seen / length * asinh(length)
}

test_that("logarithms in hyperbolic balls are within their bounds, against 120 digits", {
  skip_if_not_installed("Rmpfr")
  set.seed(23)
  for (d in c(1, 3)) {
    manifold <- manifold_hyperbolic(d)
    for (radius in c(0.1, 3, 12, 20)) {
      P <- points_in_ball(manifold, radius, 8)
      for (i in 1:4) {
        logs <- normal_coordinates(P, manifold, P[, i])
        error <- vapply(1:8, function(j) {
          sqrt(sum(as.numeric(Rmpfr::mpfr(logs[, j], 400) - hyperbolic_log_of_many_digits(P[, i], P[, j]))^2))
        }, 0)
        # a reference of zero has 120 digits
        expect_true(all(error <= colSums(rounding_at(manifold, P[, i], P)) + 1e-90))
        expect_true(all(error <= sum(rounding_within(manifold, radius)[1:3])))
      }
    }
  }
})

# From the eigenvalues of x^-1 y, a quadratic equation.
spd_distance_of_many_digits <- function(x, y) {
  x <- Rmpfr::mpfr(x, 400)
  y <- Rmpfr::mpfr(y, 400)
  det <- function(a) a[1] * a[4] - a[2] * a[2]
  half <- (x[4] * y[1] + x[1] * y[4] - 2 * x[2] * y[2]) / det(x) / 2
  ratio <- det(y) / det(x)
  large <- half + sqrt(abs(half^2 - ratio))
  as.numeric(sqrt(log(large)^2 + log(ratio / large)^2))
}

test_that("distances of 2 x 2 matrices are within their bounds, against 120 digits", {
  skip_if_not_installed("Rmpfr")
  set.seed(24)
  manifold <- manifold_spd(2)
  for (radius in c(1, 5, 10, 15)) {
    P <- points_in_ball(manifold, radius, 8)
    for (i in c(1, 9)) {
      found <- sqrt(colSums(normal_coordinates(P, manifold, P[, i])^2))
      true <- vapply(seq_len(ncol(P)), function(j) spd_distance_of_many_digits(P[, i], P[, j]), 0)
      expect_true(all(abs(found - true) <= colSums(rounding_at(manifold, P[, i], P)) + 1e-15))
      expect_true(all(abs(found - true) <= sum(rounding_within(manifold, radius)[1:3])))
    }
  }
})

test_that("no points of a promised ball keep its mean from being found", {
  set.seed(25)
  for (manifold in spaces_with_bounds()) {
    origin <- origin_of(manifold)
    for (radius in largest_promised(manifold) * c(0.3, 0.9, 1)) {
      tolerance <- check_mean_bound(manifold, origin, radius)$tolerance
      P <- clamp_points(points_in_ball(manifold, radius, 9), manifold, origin, radius)
      for (some in list(seq_len(ncol(P)), 1:2, 3:4, c(1, 1, 2), 1, ncol(P) - 0:1)) {
        points <- P[, some, drop = FALSE] # on a line, too
        found <- .Call(ffi_manifold_mean_in_ball, manifold, points, NULL, origin, radius, kernel_options())
        expect_lte(found$gradient, tolerance)
      }
    }
  }
})

test_that("nothing is claimed where a matrix is not definite to working precision, or angles are at the cut locus", {
  expect_true(any(is.infinite(rounding_at(manifold_spd(2), c(diag(2)), matrix(c(1, 1, 1, 1))))))
  expect_true(any(is.infinite(rounding_at(manifold_sphere(2), c(1, 0, 0), matrix(c(-1, 0, 0))))))
  expect_true(any(is.infinite(rounding_at(manifold_rotation(3), c(diag(3)), matrix(c(diag(c(1, -1, -1))))))))
  expect_true(any(is.infinite(rounding_at(manifold_grassmann(1, 2), c(1, 0), matrix(c(0, 1))))))
  expect_true(any(is.infinite(rounding_at(manifold_shapes(3), c(1, -1, 0, 0, 0, 0) / sqrt(2),
                                          matrix(c(1, 1, -2, 0, 0, 0) / sqrt(6))))))
  expect_identical(c(rounding_at(manifold_spd(2), c(diag(2)), matrix(c(diag(2))))) < 1e-13, rep(TRUE, 3))
})
