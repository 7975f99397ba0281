# Private means are found, and their noise drawn, about the origin: nothing may
# fail, or be cut, at a place that the data choose, whatever the public center.

# The coordinates, about the origin, of the ends of exp(v) at a location.
ends <- function(manifold, location, V) {
  .Call(ffi_test_manifold_end, manifold, origin_of(manifold, location), as.double(location), V, kernel_options())
}

# Centers where doubles are coarse: list(manifold, center, radius).
hard_balls <- function() {
  turn <- function(p) qr.Q(qr(matrix(stats::rnorm(p^2), p)))
  spread <- function(p, condition, aligned) {
    values <- condition^seq(0.5, -0.5, length.out = p)
    x <- if (aligned) diag(values) else { q <- turn(p); q %*% (values * t(q)) }
    (x + t(x)) / 2
  }
  far <- function(a, angle, d = 2) c(cosh(a), sinh(a) * c(cos(angle), sin(angle)), rep(0, d - 2))
  balls <- list(
    list(manifold = manifold_spd(2, "log-euclidean"), center = diag(c(8000, 1.2e-4)), radius = 0.5),
    list(manifold = manifold_hyperbolic(2), center = far(16, 0.3), radius = 1),
    list(manifold = manifold_hyperbolic(2), center = far(18, 1e-9), radius = 1),
    list(manifold = manifold_hyperbolic(5), center = far(17, pi / 2, 5), radius = 0.2),
    list(manifold = manifold_euclidean(2), center = c(1e15, -1e-15), radius = 1),
    list(manifold = manifold_sphere(2, 1e-5), center = c(0, 0, 1e-5), radius = 2e-6)
  )
  for (p in c(2, 3, 6)) for (condition in 10^c(4, 8, 12)) for (aligned in c(TRUE, FALSE)) {
    center <- spread(p, condition, aligned)
    balls <- c(balls, list(
      list(manifold = manifold_spd(p), center = center, radius = 0.3),
      list(manifold = manifold_spd(p), center = center * 1e30, radius = 3),
      list(manifold = manifold_spd(p, "log-euclidean"), center = center, radius = 1)
    ))
  }
  balls
}

# How coarse the doubles of the center are, relative to the radius.
kappa_of <- function(ball) {
  x <- ball$center
  if (is.matrix(x)) kappa(stats::cov2cor(x), exact = TRUE) / ball$radius else max(abs(x)) / ball$radius
}

# Rows that try to make something fail: inside, on the rim, outside, in two
# crowds, at the center, hardly definite, not definite, huge, tiny.
hard_rows <- function(ball, n = 12) {
  manifold <- ball$manifold
  center <- check_manifold_points(ball$center, manifold)
  d <- manifold$dimension
  V <- matrix(stats::rnorm(d * n), d)
  V <- sweep(V, 2, sqrt(colSums(V^2)), `/`)
  near <- function(reach) normal_points(sweep(V, 2, reach * ball$radius, `*`), manifold, center)
  crowds <- normal_points(V[, 1] %o% (rep_len(c(-1, 1), n) * ball$radius), manifold, center)
  noise <- matrix(stats::rnorm(length(center) * n), ncol = n)
  list(near(stats::runif(n)), near(1), near(5), crowds, center[, rep(1, n)], crowds[, rep(1, n)], noise, noise * 1e150,
       noise * 1e-150, near(1) * (1 + noise * 1e-9), cbind(near(1)[, -1], Inf))
}

test_that("no rows make a private mean fail, speak or leave the ball, wherever its center is", {
  skip_unless_long()
  set.seed(751)
  for (ball in hard_balls()) {
    mechanisms <- list(
      mean_plan(12, ball$manifold, ball$radius, c(epsilon = 1)),
      mean_plan(12, ball$manifold, ball$radius, c(epsilon = 1), method = "intrinsic"),
      mean_plan(12, ball$manifold, ball$radius, c(rho = 0.5))
    )
    center <- check_manifold_points(ball$center, ball$manifold)
    for (P in hard_rows(ball)) {
      rows <- .Call(ffi_manifold_chart_rows, ball$manifold, center, P, ball$radius, kernel_options())
      V <- rows$value
      expect_lte(max(sqrt(colSums(V^2))), ball$radius * (1 + 1e-12))
      for (mechanism in mechanisms) {
        statistic <- expect_silent(plan_statistic(mechanism, V))
        expect_true(all(is.finite(statistic)))
        if (mechanism$statistic == "mean") { # the promise on which the noise rests
          points <- normal_points(V, ball$manifold, mechanism$origin)
          found <- .Call(ffi_manifold_mean_in_ball, ball$manifold, points, NULL, mechanism$origin, mechanism$reach,
                         kernel_options())
          expect_lte(found$gradient, check_mean_bound(ball$manifold, mechanism$origin, mechanism$reach)$tolerance)
        }
      }
    }
    # those that can be moved to the manifold
    X <- shape_points(P[, rows$stray <= row_tolerance, drop = FALSE], ball$manifold)
    expect_silent(released <- private_frechet_mean(X, ball$manifold, ball$center, ball$radius, epsilon = 1))
    expect_lte(sqrt(sum(released$coordinates^2)), ball$radius * (1 + 1e-12))
    expect_true(all(is.finite(as.numeric(released))))
  }
})

test_that("an ill-conditioned center costs digits of its own rows, and no rows", {
  set.seed(752)
  for (ball in hard_balls()) {
    center <- check_manifold_points(ball$center, ball$manifold)
    V <- matrix(stats::rnorm(ball$manifold$dimension * 20), ncol = 20)
    V <- sweep(V, 2, ball$radius * c(0.5, 3) / sqrt(colSums(V^2)), `*`)
    P <- normal_points(V, ball$manifold, center)
    seen <- private_coordinates(P, ball$manifold, center, ball$radius)
    # rows inside where they are, as far as doubles hold them; rows outside on the border and not at the center
    lengths <- sqrt(colSums(seen^2))
    expect_equal(lengths[c(FALSE, TRUE)], rep(ball$radius, 10), tolerance = 1e-9)
    if (kappa_of(ball) < 1e9) expect_equal(seen, shorten_columns(V, ball$radius), tolerance = 1e-3)
  }
})

test_that("the same data about another center give the same release, moved", {
  set.seed(753)
  balls <- list(
    list(manifold = manifold_spd(3), center = crossprod(matrix(stats::rnorm(9), 3))),
    list(manifold = manifold_spd(2, "log-euclidean"), center = diag(c(3, 0.1))),
    list(manifold = manifold_hyperbolic(3), center = c(cosh(2), sinh(2) * c(0.6, 0.8, 0))),
    list(manifold = manifold_sphere(2), center = c(0.6, 0, -0.8)),
    list(manifold = manifold_rotation(3), center = qr.Q(qr(matrix(stats::rnorm(9), 3)))),
    list(manifold = manifold_grassmann(2, 4), center = qr.Q(qr(matrix(stats::rnorm(8), 4)))),
    list(manifold = manifold_shapes(5), center = as_shapes(matrix(stats::rnorm(10), 5)))
  )
  if (det(balls[[5]]$center) < 0) balls[[5]]$center <- -balls[[5]]$center
  for (ball in balls) {
    manifold <- ball$manifold
    center <- check_manifold_points(ball$center, manifold)
    origin <- cbind(origin_of(manifold, center))
    V <- matrix(stats::rnorm(manifold$dimension * 15, sd = 0.1), ncol = 15)
    moved <- function(center) {
      set.seed(5)
      X <- shape_points(normal_points(V, manifold, center), manifold)
      private_frechet_mean(X, manifold, shape_points(center, manifold, single = TRUE), 0.3, epsilon = 2, rng = "R")
    }
    expect_equal(moved(center)$coordinates, moved(origin)$coordinates, tolerance = 1e-5)
    # the value is the point with these coordinates about the center
    released <- moved(center)
    value <- cbind(as.numeric(released))
    expect_equal(as.vector(normal_coordinates(value, manifold, center)), released$coordinates, tolerance = 1e-10)
  }
})

test_that("ends are those of exp and log where points hold them", {
  set.seed(754)
  manifolds <- list(manifold_euclidean(3), manifold_sphere(2), manifold_hyperbolic(2), manifold_hyperbolic(4, -2),
                    manifold_hyperbolic(1), manifold_spd(1), manifold_spd(2), manifold_spd(5),
                    manifold_spd(12), manifold_spd(3, "log-euclidean"), manifold_rotation(3), manifold_grassmann(2, 4),
                    manifold_shapes(3), manifold_shapes(6),
                    manifold_product(manifold_spd(2), manifold_sphere(2), manifold_hyperbolic(2)))
  for (manifold in manifolds) {
    origin <- origin_of(manifold)
    d <- manifold$dimension
    location <- normal_points(cbind(stats::rnorm(d) / 2 / sqrt(d)), manifold, origin)
    V <- matrix(stats::rnorm(d * 50), d) / sqrt(d)
    V <- cbind(sweep(V, 2, min(manifold$injectivity_radius / 2, 2) * stats::runif(50) / sqrt(colSums(V^2)), `*`), 0)
    expect_equal(ends(manifold, location, V), normal_coordinates(normal_points(V, manifold, location), manifold,
                                                                 origin),
                 tolerance = 1e-11)
  }
})

test_that("ends are right at lengths that no matrix or vector of doubles holds", {
  set.seed(755)
  for (long in c(1, 50, 500, 1e4, 1e9)) {
    # along the line through the origin and the location
    line <- manifold_hyperbolic(2)
    location <- c(cosh(2), sinh(2) * c(0.6, 0.8))
    along <- c(0.6, 0.8)
    expect_equal(ends(line, location, cbind(long * along)), cbind((2 + long) * along), tolerance = 1e-14)
    expect_equal(ends(line, location, cbind(-long * along)), cbind((2 - long) * along), tolerance = 1e-13)
    # distances from the origin by the law of cosines, in logarithms: cosh c = cosh a cosh b - sinh a sinh b cos t
    across <- ends(line, location, cbind(long * c(-0.8, 0.6)))
    if (long >= 50) expect_equal(sqrt(sum(across^2)), long + log(cosh(2)), tolerance = 1e-13)
    # matrices that commute with the location
    for (p in c(2, 3, 6)) {
      values <- stats::rnorm(p)
      v <- long * stats::rnorm(p)
      pack <- function(x) cbind(diag(x)[lower.tri(diag(p), diag = TRUE)])
      expect_equal(ends(manifold_spd(p), diag(exp(values)), pack(v)), pack(values + v), tolerance = 1e-13)
    }
    # and one that does not: eigenvalues by trace and determinant, in logarithms
    a <- crossprod(matrix(stats::rnorm(4), 2)) + diag(2)
    lower <- t(chol(a))
    angle <- stats::runif(1, 0, pi)
    u <- rbind(c(cos(angle), -sin(angle)), c(sin(angle), cos(angle)))
    s <- u %*% diag(c(long, -long)) %*% t(u)
    w <- ends(manifold_spd(2), a, cbind(c(s[1, 1], sqrt(2) * s[2, 1], s[2, 2])))
    log_end <- matrix(c(w[1], w[2] / sqrt(2), w[2] / sqrt(2), w[3]), 2)
    values <- eigen(log_end, TRUE)$values
    expect_equal(sum(values), log(det(a)), tolerance = 1e-12 * max(1, long))
    if (long >= 50) expect_equal(values[1], long + 2 * log(sqrt(sum((lower %*% u[, 1])^2))), tolerance = 1e-13)
  }
})

test_that("a draw is cut where the public center says, and only beyond a mass of 2^-60", {
  for (manifold in list(manifold_spd(2), manifold_spd(5), manifold_hyperbolic(3),
                        manifold_product(manifold_hyperbolic(2), manifold_sphere(2)),
                        manifold_product(manifold_euclidean(1), manifold_spd(2)))) {
    top <- 1 / manifold$threshold
    expect_true(is_within_doubles(manifold, 0.999 * top))
    expect_false(is_within_doubles(manifold, (1 - 1e-6) * top))
    expect_false(is_within_doubles(manifold, top))
    # the bound against draws at a scale whose tail is heavy, at lengths that draws reach
    distance <- sqrt(colSums(draw_laplace(4000, manifold, origin_of(manifold), 0.8 * top, rng = public_key,
                                          origin = origin_of(manifold))$points^2))
    for (t in stats::quantile(distance, c(0.5, 0.9, 0.99))) {
      bound <- with_replaced("far_scales", t / (0.8 * top), log_mass_beyond(manifold, 0.8 * top))
      expect_lte(log(mean(distance > t)), bound + 0.7)
    }
  }
  expect_true(is_within_doubles(manifold_sphere(2), Inf))
})

test_that("the lattice hides which doubles a draw can be, at any scale", {
  # a draw is a double of its own kind (52 random bits), which far scales would show where the lattice is finer
  for (manifold in list(manifold_euclidean(1), manifold_hyperbolic(2), manifold_spd(3), manifold_sphere(2))) {
    for (scale in 10^c(-12, -3, 0, 3, 12, 24)) {
      for (radius in c(1e-9, 1, 5)) {
        step <- chart_step(manifold, radius, scale)
        longest <- max(radius, min(manifold$dimension * scale, manifold$reach))
        expect_gte(step, 2^16 * longest * .Machine$double.eps)
      }
    }
  }
  draws <- function(data, runs) {
    mechanism <- mean_plan(1, manifold_sphere(1), 1, c(epsilon = 1e-12), support = "manifold", method = "intrinsic")
    V <- draw_mean(mechanism, plan_statistic(mechanism, cbind(data)), runs, "R")
    # the last bits of the distances from the ends
    last_bits <- function(x) (abs(x) / 2^(binary_exponent(abs(x)) - 52)) %% 64
    t(rbind(V, last_bits(V), last_bits(V - 1), last_bits(V + 1)))
  }
  set.seed(757)
  expect_false(audit_mechanism(NULL, 1, -1, 1e-12, runs = 6000, draws = draws)$rejected)
})

test_that("draws near the largest scale are told apart from no neighbor's", {
  # ten copies of a row, and one of them replaced; eigenvalues once ended where the private mean said
  side <- 0.707
  row <- function(sign) exp(sign * side / sqrt(2)) * diag(2)
  x <- array(row(1), c(2, 2, 10))
  neighbor <- x
  neighbor[, , 10] <- row(-1)
  draws <- function(data, runs) {
    ball <- check_mean_ball(10, manifold_spd(2), diag(2), side, 0.1001, NULL, "sharp", "manifold", "intrinsic")
    statistic <- plan_statistic(ball$mean, row_coordinates(ball, read_points(data, manifold_spd(2))))
    W <- draw_mean(ball$mean, statistic, runs, "R")
    values <- apply(released_points(W, manifold_spd(2), diag(2)), 2, function(y) eigen(matrix(y, 2), TRUE, TRUE)$values)
    cbind(log(values[2, ]) / log(values[1, ]), t(W))
  }
  set.seed(756)
  audit <- audit_mechanism(NULL, x, neighbor, 0.1001, runs = 8000, draws = draws)
  expect_false(audit$rejected)
  expect_identical(dim(draws(x, 3)), c(3L, 4L))
})

test_that("every noise that is asked for is drawn or refused by name, at once", {
  refused <- function(..., pattern) expect_error(private_frechet_mean(...), pattern, class = "dptda_error_argument")
  refused(diag(3), manifold_spd(3), diag(3), 1, epsilon = 1e-308, method = "ambient",
          pattern = "`epsilon` must be at least")
  refused(diag(2), manifold_spd(2), diag(2), 1, epsilon = 1e-12, support = "manifold",
          method = "intrinsic", pattern = "`support`")
  refused(t(c(1, 0, 0)), manifold_hyperbolic(2), c(1, 0, 0), 1, epsilon = 1e-12, support = "manifold",
          method = "intrinsic", pattern = "`support`")
  for (epsilon in c(1e-20, 1e-12)) {
    for (manifold in list(manifold_spd(2), manifold_hyperbolic(2), manifold_sphere(2))) {
      point <- shape_points(cbind(origin_of(manifold)), manifold, single = TRUE)
      released <- private_frechet_mean(point, manifold, point, 0.5, epsilon = epsilon)
      expect_lte(sqrt(sum(released$coordinates^2)), 0.5 * (1 + 1e-12))
    }
  }
  # a radius just below its limit, and what the message offers instead
  limit <- pi / 4
  error <- refused(t(c(0, 0, 1)), manifold_sphere(2), c(0, 0, 1), limit * (1 - 1e-10), epsilon = 1,
                   pattern = "`radius`")
  said <- as.numeric(sub(".*Use ([0-9.e-]+) instead.*", "\\1", conditionMessage(error)))
  expect_gt(said, 0.999 * limit)
  expect_s3_class(private_frechet_mean(t(c(0, 0, 1)), manifold_sphere(2), c(0, 0, 1), said, epsilon = 1),
                  "dptda_private_frechet_mean")
  # large matrices are served
  wide <- diag(32)
  for (charge in list(list(epsilon = 1), list(rho = 1))) {
    released <- do.call(private_frechet_mean, c(list(array(wide, c(32, 32, 216)), manifold_spd(32), wide, 5), charge))
    expect_true(released$on_manifold)
    expect_identical(released$noise$space, "tangent")
  }
})
