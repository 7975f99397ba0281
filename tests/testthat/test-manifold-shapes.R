# Shapes of landmarks in the plane. Seeds are fixed, and nothing is left to chance unless stated.

bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

random_landmarks <- function(k, n = 1) array(stats::rnorm(2 * k * n), c(k, 2, n))

# Landmarks as complex numbers, one column per configuration.
as_complex <- function(X) {
  X <- array(X, c(dim(X)[1:2], if (length(dim(X)) == 3) dim(X)[3] else 1))
  matrix(X[, 1, ] + 1i * X[, 2, ], dim(X)[1])
}
v_of <- function(z) cbind(Re(z), Im(z))
inner <- function(z, w) sum(Conj(z) * w)

# Shift, rotation, and size of each configuration.
moved <- function(X, shift = 3, size = 5) {
  z <- as_complex(X)
  n <- ncol(z)
  turned <- sweep(z, 2, exp(2i * pi * stats::runif(n)) * size^stats::runif(n, -1, 1), `*`)
  sweep(turned, 2, complex(real = stats::rnorm(n), imaginary = stats::rnorm(n)) * shift, `+`)
}

test_that("shapes are invariant under shifts, rotations, and sizes, to the last digits", {
  set.seed(1)
  for (k in c(3, 4, 8, 50)) {
    M <- manifold_shapes(k)
    X <- random_landmarks(k, 50)
    shapes <- as_shapes(X)
    same <- as_shapes(moved(X))
    expect_lt(max(manifold_distance(shapes, same, M)), 1e-15 * (1 + sqrt(k)))
    expect_lt(max(abs(shapes - same)), 1e-14)
    # far from zero only the digits of the differences are left
    whole <- round(X * 2^20)
    expect_lt(max(manifold_distance(as_shapes(whole), as_shapes(whole + 2^50), M)), 1e-15)
    # a shape is centered, of size one, with a landmark to the right, and in its own rotation
    expect_lt(max(abs(apply(shapes, 2:3, sum))), 1e-14)
    expect_equal(apply(shapes^2, 3, sum), rep(1, 50), tolerance = 1e-14)
    expect_true(all(apply(shapes, 3, function(x) any(x[, 2] == 0 & x[, 1] > 0))))
    expect_equal(as_shapes(shapes), shapes, tolerance = 1e-14)
    # reflections are other shapes
    expect_gt(min(manifold_distance(shapes, as_shapes(Conj(as_complex(X))), M)), 1e-4)
  }
})

test_that("distance, exp, and log are those of the complex sphere", {
  set.seed(2)
  for (k in c(3, 4, 8, 50)) {
    M <- manifold_shapes(k)
    X <- as_shapes(random_landmarks(k, 15))
    Y <- as_shapes(random_landmarks(k, 15))
    for (i in 1:15) {
      x <- as_complex(X[, , i])
      y <- as_complex(Y[, , i])
      angle <- acos(Mod(inner(x, y)))
      expect_equal(manifold_distance(X[, , i], Y[, , i], M), angle, tolerance = 1e-13)
      v <- as_complex(manifold_log(X[, , i], Y[, , i], M))
      expect_lt(Mod(inner(x, v)), 1e-14) # neither a rotation nor a size
      expect_lt(Mod(sum(v)), 1e-14)
      along <- cos(angle) * x + sin(angle) / angle * v
      expect_equal(Mod(inner(along, y)), 1, tolerance = 1e-14)
      expect_equal(Mod(inner(as_complex(manifold_exp(X[, , i], v_of(v), M)), along)), 1, tolerance = 1e-14)
    }
  }
})
test_that("tiny distances and distances near pi / 2 keep their digits", {
  set.seed(3)
  for (k in c(3, 6)) for (gap in 10^-(1:14)) {
    M <- manifold_shapes(k)
    x <- as_shapes(random_landmarks(k)[, , 1])
    v <- manifold_log(x, as_shapes(random_landmarks(k)[, , 1]), M)
    v <- v / sqrt(sum(v^2))
    for (length in c(gap, pi / 2 - gap)) {
      y <- manifold_exp(x, length * v, M)
      expect_lt(abs(manifold_distance(x, y, M) - length), 2e-15)
      back <- manifold_log(x, y, M)
      # near pi / 2, rounding of y by e turns the direction by e / gap
      expect_lt(sqrt(sum((back - length * v)^2)), if (length == gap) 2e-15 else 1e-14 + 1e-15 / gap)
    }
  }
})

test_that("on the cut locus there is a choice, always the same, of the right length", {
  M <- manifold_shapes(4)
  x <- as_shapes(c(1, -1, 0, 0) + 0i)
  for (y in list(as_shapes(c(0, 0, 1, -1) + 0i), as_shapes(c(1, 1, -1, -1) + 0i))) {
    v <- manifold_log(x, y, M)
    expect_identical(v, manifold_log(x, y, M))
    expect_equal(sqrt(sum(v^2)), pi / 2, tolerance = 1e-15)
    expect_lt(manifold_distance(manifold_exp(x, v, M), y, M), 1e-15)
  }
})

# Unitary maps of centered landmarks are the isometries: here of random coordinates in a basis of those.
random_unitary <- function(k) {
  basis <- centered_basis(k)
  A <- matrix(complex(real = stats::rnorm((k - 1)^2), imaginary = stats::rnorm((k - 1)^2)), k - 1)
  spectrum <- eigen(A + Conj(t(A)), symmetric = TRUE)
  basis %*% (spectrum$vectors %*% (exp(1i * spectrum$values) * Conj(t(spectrum$vectors)))) %*% t(basis)
}

test_that("unitary maps of the landmarks are isometries, and rotations of a shape do not matter", {
  set.seed(4)
  for (k in c(3, 4, 9)) {
    M <- manifold_shapes(k)
    shapes <- as_shapes(random_landmarks(k, 3))
    x <- shapes[, , 1]
    y <- shapes[, , 2]
    u <- manifold_log(x, shapes[, , 3], M)
    g <- random_unitary(k)
    a <- exp(1i)
    b <- exp(2i)
    map <- function(x, by = 1) v_of(by * (g %*% as_complex(x)))
    turn <- function(x, by) v_of(by * as_complex(x))
    expect_equal(manifold_distance(map(x, a), map(y, b), M), manifold_distance(x, y, M), tolerance = 1e-13)
    expect_lt(max(abs(manifold_log(map(x, a), map(y, b), M) - map(manifold_log(x, y, M), a))), 1e-13)
    there <- manifold_transport(x, y, u, M)
    expect_lt(max(abs(manifold_transport(map(x, a), map(y, b), map(u, a), M) - map(there, b))), 1e-13)
    expect_lt(Mod(inner(as_complex(y), as_complex(there))), 1e-14) # tangent to where it goes
    # coordinates depend on the shapes alone
    V <- normal_coordinates(cbind(c(y)), M, c(x))
    expect_lt(max(abs(normal_coordinates(cbind(c(turn(y, b))), M, c(turn(x, a))) - V)), 1e-14)
  }
})

test_that("transport solves its equation: it turns the complex line of the velocity with the geodesic", {
  set.seed(5)
  M <- manifold_shapes(5)
  x <- as_shapes(random_landmarks(5)[, , 1])
  z <- as_complex(x)
  v <- as_complex(manifold_log(x, as_shapes(random_landmarks(5)[, , 1]), M))
  v <- v / sqrt(Re(inner(v, v)))
  u <- as_complex(manifold_log(x, as_shapes(random_landmarks(5)[, , 1]), M))
  at <- function(t) {
    y <- cos(t) * z + sin(t) * v
    list(y = y, u = as_complex(manifold_transport(x, v_of(y), v_of(u), M)))
  }
  h <- 1e-4
  for (t in c(0.1, 0.7, 1.4)) {
    change <- (at(t + h)$u - at(t - h)$u) / (2 * h)
    here <- at(t)
    # the change of a horizontal field along a horizontal curve has no horizontal part
    change <- change - here$y * inner(here$y, change)
    expect_lt(sqrt(Re(inner(change, change))), 1e-7)
  }
})

test_that("curvatures are 4 along complex lines, 1 across, and in between as the formula says", {
  set.seed(6)
  # from the third side of a small triangle with a right angle
  hinge <- function(z, u, v, t = 0.01) {
    M <- manifold_shapes(length(z))
    ends <- lapply(list(u, v), function(w) manifold_exp(v_of(z), v_of(t * w), M))
    3 * (2 * t^2 - manifold_distance(ends[[1]], ends[[2]], M)^2) / t^4
  }
  unit <- function(z) z / sqrt(Re(inner(z, z)))
  for (k in c(3, 4, 8)) for (i in 1:5) {
    z <- as_complex(as_shapes(random_landmarks(k)[, , 1]))[, 1]
    tangent <- function() {
      w <- as_complex(random_landmarks(k)[, , 1])[, 1]
      w <- w - mean(w)
      unit(w - z * inner(z, w))
    }
    u <- tangent()
    expect_lt(abs(hinge(z, u, 1i * u) - 4), 1e-3)
    if (k == 3) next
    v <- tangent()
    across <- unit(v - u * inner(u, v))
    expect_lt(abs(hinge(z, u, across) - 1), 1e-3)
    v <- unit(v - u * Re(inner(u, v)))
    expect_lt(abs(hinge(z, u, v) - (1 + 3 * Re(inner(u, 1i * v))^2)), 1e-3)
  }
})

test_that("the Jacobian of exp is its determinant by differences", {
  set.seed(7)
  h <- 1e-5
  for (k in c(3, 4, 5)) for (length in c(0.01, 0.6, 1.4)) {
    M <- manifold_shapes(k)
    x <- c(as_shapes(random_landmarks(k)[, , 1]))
    v <- stats::rnorm(M$dimension)
    v <- length * v / sqrt(sum(v^2))
    end <- normal_points(cbind(v), M, x)
    differential <- vapply(seq_along(v), function(i) {
      sides <- normal_points(v + cbind(h, -h)[rep(1, length(v)), ] * (seq_along(v) == i), M, x)
      (normal_coordinates(sides[, 1, drop = FALSE], M, end) - normal_coordinates(sides[, 2, drop = FALSE], M, end)) /
        (2 * h)
    }, v)
    expect_lt(abs(log_jacobian(v, M) - log(abs(det(differential)))), 1e-7)
  }
  expect_identical(log_jacobian(c(pi / 2 + 1e-12, 0), manifold_shapes(3)), -Inf)
})

test_that("the shapes of triangles are a sphere of radius 1 / 2", {
  set.seed(8)
  # Kendall's sphere: with orthonormal coordinates (a, b) of the triangle, the point of Hopf's map
  to_sphere <- function(X) {
    z <- as_complex(X)
    a <- (z[2, ] - z[1, ]) / sqrt(2)
    b <- (2 * z[3, ] - z[1, ] - z[2, ]) / sqrt(6)
    cbind(2 * Re(Conj(a) * b), 2 * Im(Conj(a) * b), Mod(a)^2 - Mod(b)^2) / 2
  }
  X <- as_shapes(random_landmarks(3, 20))
  sphere <- manifold_sphere(2, 1 / 2)
  expect_equal(manifold_distance(X, manifold = manifold_shapes(3), pairwise = TRUE),
               manifold_distance(to_sphere(X), manifold = sphere, pairwise = TRUE), tolerance = 1e-12)
  expect_equal(frechet_sensitivity(50, manifold_shapes(3), 0.3), frechet_sensitivity(50, sphere, 0.3))
  near <- as_shapes(array(c(0, 2, 1, 0, 0, 1) + stats::rnorm(180, sd = 0.1), c(3, 2, 30)))
  expect_equal(c(to_sphere(array(frechet_mean(near, manifold_shapes(3))$point, c(3, 2, 1)))),
               frechet_mean(to_sphere(near), sphere)$point, tolerance = 1e-10)
})

test_that("uniform shapes of triangles have a uniform height on Kendall's sphere (false alarm 1e-4)", {
  set.seed(9)
  X <- rmanifold_uniform(1e4, manifold_shapes(3))
  signed_area <- apply(X, 3, function(x) det(cbind(1, x))) # of the largest area, sqrt(3) / 4
  expect_law(signed_area / 2 / (sqrt(3) / 4), function(q) stats::punif(q, -1, 1))
  # a complex coordinate of a uniform point of dimension n has 1 - (1 - |z|^2)^(n - 1) below
  X <- rmanifold_uniform(1e4, manifold_shapes(6))
  first <- apply(X, 3, function(x) sum((x[2, ] - x[1, ])^2) / 2)
  expect_law(first, function(q) 1 - (1 - pmin(q, 1))^4)
})

test_that("logarithms and distances are within their bounds, against 120 digits", {
  skip_if_not_installed("Rmpfr")
  set.seed(10)
  digits <- function(x) Rmpfr::mpfr(x, 400)
  part <- function(x) {
    k <- length(x) / 2
    x <- digits(x)
    list(re = x[1:k] - sum(x[1:k]) / k, im = x[k + 1:k] - sum(x[k + 1:k]) / k)
  }
  norm <- function(a) sqrt(sum(a$re^2) + sum(a$im^2))
  over <- function(a, by) list(re = a$re / by, im = a$im / by)
  log_of <- function(x, y) {
    x <- over(part(x), norm(part(x)))
    y <- over(part(y), norm(part(y)))
    re <- sum(x$re * y$re + x$im * y$im)
    im <- sum(x$re * y$im - x$im * y$re)
    cosine <- sqrt(re^2 + im^2)
    side <- list(re = (y$re * re + y$im * im) / cosine - cosine * x$re, im = (y$im * re - y$re * im) / cosine -
                   cosine * x$im)
    sine <- norm(side)
    c(side$re, side$im) * if (sine > 0) Rmpfr::atan2(sine, cosine) / sine else 1
  }
  for (k in c(3, 8, 40)) {
    M <- manifold_shapes(k)
    x <- project_points(cbind(stats::rnorm(2 * k)), M)$value
    for (reach in c(1e-12, 1e-5, 0.3, 1.2, 1.57, 1.5707)) {
      V <- matrix(stats::rnorm(3 * M$dimension), ncol = 3)
      Y <- normal_points(sweep(V, 2, reach / sqrt(colSums(V^2)), `*`), M, x)
      found <- .Call(ffi_manifold_log, M, x, Y, kernel_options())
      bound <- .Call(ffi_test_manifold_rounding, M, x, Y, kernel_options())
      for (j in 1:3) {
        exact <- log_of(x, Y[, j])
        error <- as.numeric(sqrt(sum((digits(found[, j]) - exact)^2)))
        # a change of y by e turns the direction by e / cos(d)
        allowed <- bound[1, j] / cos(reach) * 2 + sum(bound[2:3, j])
        expect_lte(error, allowed)
        expect_lte(abs(as.numeric(sqrt(sum(exact^2)) - .Call(ffi_manifold_distance, M, x, Y[, j, drop = FALSE],
                                                             kernel_options()))), sum(bound[, j]))
      }
    }
  }
})

test_that("landmarks are read in all forms", {
  set.seed(11)
  X <- random_landmarks(4, 5)
  shapes <- as_shapes(X)
  expect_identical(dim(shapes), c(4L, 2L, 5L))
  expect_identical(as_shapes(lapply(1:5, function(i) X[, , i])), shapes)
  expect_identical(as_shapes(as_complex(X)), shapes)
  rows <- t(matrix(X, 8))
  expect_identical(as_shapes(rows), shapes)
  expect_identical(as_shapes(as.data.frame(rows)), shapes)
  expect_identical(as_shapes(X[, , 2]), shapes[, , 2])
  expect_identical(as_shapes(as_complex(X)[, 2]), shapes[, , 2])
  expect_identical(as_shapes(array(0L, c(4, 2, 0))), shapes[, , 0])
  # each by itself
  expect_identical(as_shapes(X[, , 5:1]), shapes[, , 5:1])
  for (wrong in list(1:6, "a", NULL, list(), matrix(1:4, 2), matrix(1:6, 1)[, 1:5, drop = FALSE],
                     array(1, c(4, 3, 2)), array(1, c(2, 2, 2)), list(diag(2)), list(X[, , 1], X[1:3, , 1]),
                     list(1, 2), mean, 1:2 + 0i, matrix(list(), 0, 2), factor("a"))) {
    bad(as_shapes(wrong), "`landmarks` must be a k x 2 x n array")
  }
  bad(as_shapes(), "`landmarks` must be given")
  for (value in c(NA, NaN, Inf, -Inf)) {
    message <- conditionMessage(bad(as_shapes(replace(X, 7, value)), "missing or infinite"))
    expect_no_match(message, "7")
    expect_match(message, "Leave such configurations out, or replace")
  }
  bad(as_shapes(replace(as_complex(X), 2, NA)), "missing or infinite")
})

test_that("landmarks that are equal, huge, or tiny become shapes without a word", {
  line <- as_shapes(matrix(0, 5, 2))
  expect_equal(line, as_shapes(cbind(1:5, 0)), tolerance = 1e-15)
  expect_equal(line, as_shapes(cbind(rep(2, 5), 5:1)), tolerance = 1e-15)
  for (value in c(0.1, -7e300, 1.7e308, 5e-324, pi)) {
    expect_identical(expect_silent(as_shapes(matrix(value, 5, 2))), line)
  }
  set.seed(12)
  x <- round(random_landmarks(5)[, , 1] * 1024)
  for (size in 2^c(-1074, -1000, -500, 500, 1000, 1012)) {
    expect_equal(as_shapes(x * size), as_shapes(x), tolerance = if (size < 2^-1050) 1 else 1e-14)
  }
  ends <- matrix(c(-1, 1, 1, 1, -1, 1) * 1.7e308, 3)
  expect_equal(as_shapes(ends), as_shapes(sign(ends)), tolerance = 1e-14)
})

test_that("a mean of shapes is released by every kind of cost, from landmarks or shapes, and by people", {
  set.seed(13)
  base <- cbind(c(0, 2, 3, 1), c(0, 0, 1, 2))
  X <- array(c(base) + stats::rnorm(8 * 300, sd = 0.1), c(4, 2, 300))
  M <- manifold_shapes(4)
  release <- function(X, ...) private_frechet_mean(X, M, as_shapes(base), 0.35, ..., rng = "R")
  true <- frechet_mean(as_shapes(X), M)$point
  for (cost in list(list(epsilon = 20), list(rho = 50), list(mu = 10), list(epsilon = 20, delta = 1e-6),
                    list(epsilon = 20, method = "intrinsic"))) {
    released <- do.call(release, c(list(as_shapes(X)), cost))
    expect_lt(manifold_distance(released$value, true, M), 0.02)
    expect_equal(as_shapes(released$value), released$value, tolerance = 1e-14)
  }
  # landmarks need not be shapes
  exact <- release(as_shapes(X), epsilon = 1e9)$coordinates
  expect_equal(release(X * 7 + 3, epsilon = 1e9)$coordinates, exact, tolerance = 1e-5)
  expect_equal(release(t(matrix(X, 8)), epsilon = 1e9)$coordinates, exact, tolerance = 1e-5)
  people <- table_rows(t(matrix(X, 8)), person = rep(1:100, 3))
  expect_identical(privacy(release(people, epsilon = 20))$unit, privacy(release(people, rho = 1))$unit)
  # equal landmarks are no error, before or after anything is charged
  X[, , 5] <- 0.3
  expect_silent(release(X, epsilon = 20))
  expect_silent(release(as_shapes(X), epsilon = 20))
  expect_error(frechet_mean(X, M), "as_shapes", class = "dptda_error_argument")
  expect_error(release(X, epsilon = 1, support = "ball", method = "ambient"), class = "dptda_error_argument")
})

test_that("the first eigenvector of an ambient value is the extrinsic mean", {
  set.seed(14)
  X <- as_shapes(array(c(0, 2, 3, 1, 0, 0, 1, 2) + stats::rnorm(8 * 50, sd = 0.1), c(4, 2, 50)))
  M <- manifold_shapes(4)
  center <- X[, , 1]
  released <- private_frechet_mean(X, M, center, 0.39, epsilon = 1e10, method = "ambient", rng = "R")
  expect_identical(dim(released$value), c(8L, 8L))
  z <- as_complex(X)
  slow <- eigen(z %*% Conj(t(z)), symmetric = TRUE)$vectors[, 1]
  first <- as_shapes(matrix(eigen(released$value, symmetric = TRUE)$vectors[, 1], 4))
  expect_lt(manifold_distance(first, as_shapes(slow), M), 1e-6)
  expect_false(released$on_manifold)
})

test_that("a basis from a complex qr() that pivots is refused at the center", {
  # R's qr() of a complex matrix pivots, so that its later columns are not orthogonal to the first one given
  as_z <- function(x) complex(real = x[1:3], imaginary = x[4:6])
  as_x <- function(z) c(Re(z), Im(z))
  own <- function(basis) {
    manifold_custom(
      shape = 6, dimension = 4, curvature = c(1, 4), injectivity_radius = pi / 2, homogeneous = TRUE,
      exp = function(x, v) {
        t <- sqrt(sum(v^2))
        y <- cos(t) * x + if (t > 0) sin(t) / t * v else 0
        y / sqrt(sum(y^2))
      },
      log = function(x, y) {
        h <- sum(Conj(as_z(x)) * as_z(y))
        side <- as_x(as_z(y) * Conj(h) / Mod(h) - as_z(x) * Mod(h))
        if (any(side != 0)) side / sqrt(sum(side^2)) * atan2(sqrt(sum(side^2)), Mod(h)) else side
      },
      project = function(x) x / sqrt(sum(x^2)),
      basis = function(x) {
        Q <- basis(as_z(x))
        cbind(apply(Q, 2, as_x), apply(1i * Q, 2, as_x))
      }
    )
  }
  pivoted <- function(z) qr.Q(qr(cbind(z, 2 * diag(3))))[, 2:3]
  aligned <- function(z) {
    w <- z + c(z[1] / Mod(z[1]), 0, 0)
    (diag(3) - 2 * w %*% Conj(t(w)) / sum(Mod(w)^2))[, 2:3]
  }
  x <- as_x(c(0.6, 0.48i, 0.64))
  expect_gt(max(Mod(Conj(t(pivoted(as_z(x)))) %*% as_z(x))), 0.1) # not tangent
  release <- function(basis) private_frechet_mean(rbind(x, x), own(basis), x, 0.3, epsilon = 50, rng = "R")
  expect_s3_class(release(aligned), "dptda_private_frechet_mean")
  bad(release(pivoted), "`manifold` must have a `basis` of orthonormal tangent vectors")
  # and the manifold of the package is that of those functions
  y <- as_x(c(0.6, 0.5i, 0.6 + 0.1i))
  y <- y / sqrt(sum(y^2))
  lift <- function(x) v_of(centered_basis(4) %*% as_z(x))
  expect_equal(manifold_distance(x, y, own(aligned)), manifold_distance(lift(x), lift(y), manifold_shapes(4)))
})

test_that("columns named by axis and number have the order of their names", {
  set.seed(5)
  rows <- matrix(stats::rnorm(10 * 8), 10)
  expected <- as_shapes(rows)
  mixed <- c(1, 5, 2, 6, 3, 7, 4, 8)
  for (names in list(c("x1", "x2", "x3", "x4", "y1", "y2", "y3", "y4"), c(paste0(1:4, ".X"), paste0(1:4, ".Y")),
                     c(paste("X", 9:12), paste("Y", 9:12)))) {
    named <- structure(rows, dimnames = list(NULL, names))[, mixed]
    expect_identical(as_shapes(named), expected, info = names[1])
    expect_identical(as_shapes(as.data.frame(named)), expected, info = names[1])
  }
  # other names say nothing
  other <- structure(rows, dimnames = list(NULL, letters[1:8]))
  expect_identical(as_shapes(other), expected)
  incomplete <- structure(rows, dimnames = list(NULL, c("x1", "y1", "x2", "y2", "x3", "y3", "x4", "y5")))
  expect_identical(as_shapes(incomplete), expected)
})

test_that("two rows are one configuration if they are named, and are not guessed otherwise", {
  corners <- rbind(x = c(0, 1, 2, 2, 1, 0), y = c(0, 0, 0, 1, 1, 1))
  expect_identical(as_shapes(corners), as_shapes(t(unname(corners))))
  expect_error(as_shapes(unname(corners)), "two rows", class = "dptda_error_argument")
  expect_error(as_shapes(unname(as.data.frame(unname(corners)))), class = "dptda_error_argument")
})
