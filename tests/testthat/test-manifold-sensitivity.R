test_that("the two bounds are what the formulas say", {
  r <- pi / 8
  expect_equal(frechet_sensitivity(10, manifold_sphere(2), r),
               2 * r * (pi / 4) / sin(pi / 4) / (10 * (1 - (1 - pi / 4) * 0.35)))
  expect_equal(frechet_sensitivity(10, manifold_sphere(2), r, bound = "paper"), 2 * r * (2 - pi / 4) / (10 * pi / 4))
  expect_equal(frechet_sensitivity(10, manifold_sphere(2, radius = 3), 3 * r), 3 *
               frechet_sensitivity(10, manifold_sphere(2), r))
  for (manifold in list(manifold_euclidean(3), manifold_hyperbolic(2), manifold_spd(3),
                        manifold_spd(2, "log-euclidean"), manifold_sphere(1), manifold_rotation(2))) {
    expect_identical(frechet_sensitivity(8, manifold, 1.5), 3 / 8)
    expect_identical(frechet_sensitivity(8, manifold, 1.5, bound = "paper"), 3 / 8)
  }
  expect_equal(frechet_sensitivity(5, manifold_product(manifold_sphere(2), manifold_spd(2)), 0.3),
               frechet_sensitivity(5, manifold_sphere(2), 0.3))
})

test_that("the sharp bound is never the larger, and both tend to the flat one", {
  for (manifold in list(manifold_sphere(2), manifold_rotation(3), manifold_rotation(4), manifold_grassmann(2, 4),
                        manifold_grassmann(1, 3), manifold_shapes(3), manifold_shapes(5))) {
    radius <- largest_radius(manifold) * seq(0.001, 0.999, length.out = 400)
    for (n in c(1, 2, 5, 1000)) {
      sharp <- frechet_sensitivity(n, manifold, radius)
      paper <- frechet_sensitivity(n, manifold, radius, bound = "paper")
      expect_true(all(sharp <= paper))
      expect_true(all(sharp <= 2 * radius) && all(n * sharp >= 2 * radius * (1 - 1e-15)) && all(diff(sharp) > 0))
      if (n == 1) expect_identical(sharp, 2 * radius) else expect_true(all(n * sharp > 2 * radius))
      expect_equal(n * sharp[1], 2 * radius[1], tolerance = 1e-5)
    }
  }
})

test_that("radius and number are vectors of equal length, or one of them is one", {
  expect_identical(frechet_sensitivity(c(1, 2, 4), manifold_euclidean(1), 2), c(4, 2, 1))
  expect_identical(frechet_sensitivity(2, manifold_euclidean(1), 1:3), c(1, 2, 3))
  expect_identical(frechet_sensitivity(1:3, manifold_euclidean(1), 1:3), c(2, 2, 2))
  expect_error(frechet_sensitivity(1:3, manifold_euclidean(1), 1:2), class = "dptda_error_argument")
})

test_that("a radius that is too large is an error that says which one would do", {
  largest <- list(list(manifold_sphere(2), pi / 4), list(manifold_sphere(2, radius = 10), 10 * pi / 4),
                  list(manifold_sphere(1), pi / 2),
                  list(manifold_rotation(2), pi / 2), list(manifold_rotation(3), pi / 2),
                  list(manifold_rotation(4), pi / 4 * sqrt(2)),
                  list(manifold_grassmann(2, 4), pi / 8 * sqrt(2)), list(manifold_grassmann(1, 3), pi / 4),
                  list(manifold_shapes(3), pi / 8), list(manifold_shapes(9), pi / 8), list(manifold_spd(3), Inf),
                  list(manifold_hyperbolic(3), Inf), list(manifold_euclidean(2), Inf),
                  list(manifold_product(manifold_spd(2), manifold_sphere(2)), pi / 4))
  for (each in largest) {
    expect_equal(largest_radius(each[[1]]), each[[2]])
    if (is.infinite(each[[2]])) {
      expect_gt(frechet_sensitivity(1, each[[1]], 1e6), 0)
    } else {
      error <- expect_error(frechet_sensitivity(1, each[[1]], each[[2]]), class = "dptda_error_argument")
      offered <- as.numeric(sub("[^0-9]*([0-9.]+).*", "\\1", sub(".*must be below", "", conditionMessage(error))))
      expect_gt(frechet_sensitivity(1, each[[1]], offered), 0)
      expect_equal(offered, each[[2]], tolerance = 1e-5)
    }
  }
  for (bad in list(0, -1, NA, Inf, "1", NULL, c(0.1, 2), matrix(0.1))) {
    expect_error(frechet_sensitivity(1, manifold_sphere(2), bad), class = "dptda_error_argument")
  }
  for (bad in list(0, 1.5, NA, Inf, "1", NULL, numeric())) {
    expect_error(frechet_sensitivity(bad, manifold_sphere(2), 0.1), class = "dptda_error_argument")
  }
  expect_error(frechet_sensitivity(manifold = manifold_sphere(2), radius = 0.1), class = "dptda_error_argument")
  expect_error(frechet_sensitivity(1, manifold_sphere(2)), class = "dptda_error_argument")
  expect_error(frechet_sensitivity(1, "sphere", 0.1), class = "dptda_error_argument")
  unknown <- manifold_custom(3, 2, exp = function(x, v) x, log = function(x, y) x, basis = function(x) diag(3)[, 1:2],
                             curvature = c(0, Inf), injectivity_radius = 1)
  expect_error(frechet_sensitivity(1, unknown, 0.1), class = "dptda_error_argument")
})

# A ball to search in: its center and the tangent vectors there, orthonormal, one
# per column.
search_ball <- function(kind) {
  skew <- function(i, j) {
    A <- matrix(0, 3, 3)
    A[i, j] <- 1
    A[j, i] <- -1
    c(A)
  }
  switch(kind,
    sphere = list(manifold = manifold_sphere(2), center = c(0, 0, 1), basis = diag(3)[, 1:2]),
    circle = list(manifold = manifold_sphere(1), center = c(1, 0), basis = cbind(c(0, 1))),
    rotation = list(manifold = manifold_rotation(3), center = c(diag(3)),
                    basis = cbind(skew(1, 2), skew(1, 3), skew(2, 3))),
    grassmann = list(manifold = manifold_grassmann(2, 4), center = c(diag(4)[, 1:2]),
                     basis = sapply(c(3, 4, 7, 8), function(i) replace(numeric(8), i, 1))),
    shapes = local({ # landmark 1 to the right: tangents are the complex lines of two centered vectors
      z <- c(3, -1, -1, -1) / sqrt(12)
      lines <- cbind(c(0, 1, -1, 0) / sqrt(2), c(0, 1, 1, -2) / sqrt(6))
      list(manifold = manifold_shapes(4), center = c(z, 0 * z), basis = rbind(cbind(lines, 0 * lines),
                                                                              cbind(0 * lines, lines)))
    }),
    spd = list(manifold = manifold_spd(2), center = c(diag(2)),
               basis = cbind(c(1, 0, 0, 0), c(0, 0, 0, 1), c(0, 1, 1, 0) / sqrt(2)))
  )
}

# Points of the ball, the columns of a matrix, from numbers without bounds.
points_in_ball <- function(ball, radius, numbers) {
  v <- matrix(numbers, ncol(ball$basis))
  length <- sqrt(colSums(v^2))
  tangents <- ball$basis %*% (v * rep(radius * pmin(length, 1) / pmax(length, 1e-9), each = nrow(v)))
  .Call(ffi_manifold_exp, ball$manifold, matrix(ball$center), tangents, kernel_options())$value
}

climb <- function(objective, numbers, starts, steps) {
  best <- -Inf
  for (start in seq_len(starts)) {
    found <- stats::optim(stats::rnorm(numbers, sd = 2), function(x) -objective(x), control = list(maxit = steps))
    best <- max(best, -found$value)
  }
  best
}

test_that("no neighbors that a search finds are farther apart than the bound", {
  skip_if_instrumented()
  set.seed(11)
  for (kind in c("sphere", "circle", "rotation", "grassmann", "shapes", "spd")) {
    ball <- search_ball(kind)
    widest <- min(largest_radius(ball$manifold), 3)
    for (part in c(0.5, 0.98)) for (n in c(2, 3, 12)) {
      radius <- part * widest
      # eleven of twelve points crowd in three places
      places <- if (n == 12) rep(1:3, c(4, 4, 3)) else seq_len(n - 1)
      moved <- max(places) + 1:2
      change <- function(x) {
        P <- points_in_ball(ball, radius, x)
        mean_with <- function(z) mean_in_ball(P[, c(places, z), drop = FALSE], ball$manifold, ball$center, radius)
        before <- mean_with(moved[1])
        after <- mean_with(moved[2])
        distance <- .Call(ffi_manifold_distance, ball$manifold, matrix(before$point), matrix(after$point),
                          kernel_options())
        (distance - before$error - after$error) / frechet_sensitivity(n, ball$manifold, radius)
      }
      near <- climb(change, max(moved) * ncol(ball$basis), starts = 2, steps = 250)
      if (Sys.getenv("DPTDA_SHOW") != "") {
        cat(sprintf("%-10s radius %.3f n %d: change %.3f of the bound\n", kind, radius, n, near))
      }
      expect_lte(near, 1 + 1e-9)
      expect_gt(near, 0.1) # the search searches
    }
  }
})

test_that("logarithms are as far apart as Lemma 1 says, and on the sphere nearly so", {
  set.seed(12)
  for (kind in c("sphere", "rotation", "grassmann", "shapes", "spd")) {
    ball <- search_ball(kind)
    radius <- min(largest_radius(ball$manifold), 3) / 2 # pi / 8 on the sphere
    apart <- function(x) {
      P <- points_in_ball(ball, radius, x)
      v <- .Call(ffi_manifold_log, ball$manifold, P[, 1, drop = FALSE], P[, 2:3], kernel_options())
      gap <- matrix(v[, 1] - v[, 2])
      sqrt(.Call(ffi_manifold_inner, ball$manifold, P[, 1, drop = FALSE], gap, gap, 1, kernel_options())$value)
    }
    near <- climb(apart, 3 * ncol(ball$basis), starts = 4, steps = 600)
    bound <- 2 * radius * over_sine(ball_angle(ball$manifold, radius))
    if (Sys.getenv("DPTDA_SHOW") != "") cat(sprintf("%-10s numerator %.4f, bound %.4f\n", kind, near, bound))
    expect_lte(near, bound + 1e-12)
    expect_gt(near, 0.9 * bound)
    if (kind == "sphere") expect_equal(near, 0.806, tolerance = 1e-3)
  }
})

# Sectional curvature at a center of the plane of two orthonormal tangents, from
# a small triangle: its third side squared is 2 t^2 - K t^4 / 3 up to t^6.
triangle_curvature <- function(ball, a, b, t = 0.02) {
  ends <- .Call(ffi_manifold_exp, ball$manifold, matrix(ball$center), t * ball$basis %*% cbind(a, b),
                kernel_options())$value
  side <- .Call(ffi_manifold_distance, ball$manifold, ends[, 1, drop = FALSE], ends[, 2, drop = FALSE],
                kernel_options())
  3 * (2 * t^2 - side^2) / t^4
}

test_that("the stated curvatures are those of small triangles, and attained", {
  set.seed(13)
  skews <- utils::combn(4, 2, function(ij) {
    A <- matrix(0, 4, 4)
    A[ij[1], ij[2]] <- 1
    A[ij[2], ij[1]] <- -1
    c(A)
  })
  balls <- c(lapply(c("sphere", "rotation", "grassmann", "shapes", "spd"), search_ball),
             list(list(manifold = manifold_rotation(4), center = c(diag(4)), basis = skews),
                  list(manifold = manifold_hyperbolic(2, -2), center = c(1 / sqrt(2), 0, 0), basis = diag(3)[, 2:3])))
  for (ball in balls) {
    dimension <- ncol(ball$basis)
    curvature <- function(x) {
      plane <- qr.Q(qr(matrix(x, dimension)))
      triangle_curvature(ball, plane[, 1], plane[, 2])
    }
    bound <- ball$manifold$curvature
    highest <- climb(curvature, 2 * dimension, starts = 3, steps = 400)
    lowest <- -climb(function(x) -curvature(x), 2 * dimension, starts = 3, steps = 400)
    expect_equal(c(lowest, highest), bound, tolerance = 0.01, info = ball$manifold$title)
  }
})

# The mean of angles. The energy is a parabola about each of n candidates.
circle_mean <- function(angles) {
  n <- length(angles)
  candidates <- mean(angles) + 2 * pi * seq_len(n) / n
  apart <- function(t) abs((angles - t + pi) %% (2 * pi) - pi)
  energy <- vapply(candidates, function(t) mean(apart(t)^2), 0)
  list(at = candidates[which.min(energy)], gap = diff(sort(energy)[1:2]))
}

test_that("Reimherr et al. (2021), Example 1: on a circle one row moves the mean by nearly pi, whatever n is", {
  for (n in c(10, 100, 1000)) {
    half <- pi / n
    # two rows of an equally spaced data set, opposite each other, are moved by about half a step
    before <- 2 * pi * seq_len(n) / n
    before[n] <- before[n] - half
    after <- before
    before[n / 2] <- before[n / 2] - 0.9 * half
    after[n / 2] <- after[n / 2] - 1.1 * half
    means <- lapply(list(before, after), circle_mean)
    # both means are unique, and the energy has a clear minimum
    for (mean in means) expect_gt(mean$gap, 0.5 * half^2 / n)
    moved <- abs((means[[1]]$at - means[[2]]$at + pi) %% (2 * pi) - pi)
    expect_equal(moved, pi - 0.2 * half / n, tolerance = 1e-9)
    # such data are in no ball that a private mean accepts
    expect_error(frechet_sensitivity(n, manifold_sphere(1), pi / 2), class = "dptda_error_argument")
    expect_lt(frechet_sensitivity(n, manifold_sphere(1), 0.999 * pi / 2), pi / n)
  }
})
