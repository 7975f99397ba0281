test_that("the noise that is foretold is the noise that comes (false alarm 1e-5 each)", {
  skip_unless_long()
  set.seed(731)
  for (kind in names(mean_balls())) {
    ball <- mean_balls()[[kind]]
    for (charge in list(list(epsilon = 2), list(epsilon = 2, method = "intrinsic"), list(rho = 1))) {
      plan <- c(list(40, ball$manifold, ball$radius), charge, level = 0.5, support = "manifold", mean_at = "center")
      foretold <- do.call(frechet_noise, plan)
      # a mean at the center, for which the answer is exact
      X <- matrix(rep(check_manifold_points(ball$center, ball$manifold), each = 40), 40)
      released <- lapply(1:200, function(i) do.call(release_of, c(list(ball, X, support = "manifold"), charge)))
      mean <- release_of(ball, X, epsilon = 1e9)$value
      below <- sum(vapply(released, function(one) manifold_distance(mean, one$value, ball$manifold), 0) <= foretold)
      # the median of 1,000 draws or more is off by 0.016 at one standard error
      expect_gt(stats::binom.test(below, 200, 0.5)$p.value, 1e-5)
    }
  }
})

test_that("it needs no data and no seed, and a release prints the same number", {
  ball <- mean_balls()$hyperbolic
  noise <- function() frechet_noise(20, ball$manifold, ball$radius, epsilon = 1, level = c(0.5, 0.95))
  set.seed(732)
  before <- .Random.seed
  expect_identical(noise(), noise())
  expect_identical(.Random.seed, before)
  shown <- capture.output(print(release_of(ball, points_about(ball, 20), epsilon = 1)))
  expect_match(shown, paste("within", format(noise()[2], digits = 3)), all = FALSE, fixed = TRUE)
})

test_that("flat manifolds have the quantiles of textbooks", {
  level <- c(0.1, 0.95)
  expect_equal(frechet_noise(10, manifold_euclidean(3), 2, 1, level = level, support = "manifold"),
               0.4 * stats::qgamma(level, 3), tolerance = 1e-6)
  expect_equal(frechet_noise(1000, manifold_spd(2, "log-euclidean"), 2, rho = 1, level = level),
               0.004 * sqrt(stats::qchisq(level, 3) / 2), tolerance = 1e-4)
  chord <- 2 * sin(0.25)
  expect_equal(frechet_noise(10, manifold_sphere(2), 0.5, 1, level = level, method = "ambient"),
               0.2 * chord * stats::qgamma(level, 3), tolerance = 1e-6)
})

test_that("a clamped release is never farther than the diameter", {
  expect_equal(frechet_noise(1, manifold_sphere(2), pi / 8, 0.001), pi / 4)
  expect_identical(frechet_noise(1, manifold_hyperbolic(2), 3, 0.1, level = 0.999), 6)
  center <- frechet_noise(100, manifold_hyperbolic(2), 1, 1, method = "tangent", mean_at = "center")
  expect_equal(center, 0.02 * stats::qgamma(0.95, 2), tolerance = 1e-5)
  expect_equal(frechet_noise(100, manifold_hyperbolic(2), 1, 1, method = "tangent"), center * sinh(1))
  expect_lte(frechet_noise(5, manifold_sphere(2), 0.5, rho = 1e-6, support = "manifold"), pi)
})

test_that("bad arguments are classed errors", {
  refused <- function(...) expect_error(frechet_noise(...), class = "dptda_error_argument")
  refused(manifold = manifold_sphere(2), radius = 0.1, epsilon = 1)
  refused(0, manifold_sphere(2), 0.1, 1)
  refused(10, 1, 0.1, 1)
  refused(10, manifold_sphere(2), 2, 1)
  refused(10, manifold_sphere(2), 0.1)
  for (level in list(0, 1, NA, "a", double())) refused(10, manifold_sphere(2), 0.1, 1, level = level)
  own <- manifold_custom(1, 1, exp = `+`, log = function(x, y) y - x, basis = function(x) matrix(1),
                         curvature = c(0, 0), injectivity_radius = Inf)
  refused(10, own, 0.1, 1)
})

test_that("every manifold has a center to plan with", {
  more <- list(manifold_product(a = manifold_sphere(2), b = manifold_spd(3)), manifold_grassmann(3, 4), manifold_spd(1))
  all <- c(lapply(mean_balls(), `[[`, "manifold"), more)
  for (manifold in all) expect_silent(check_manifold_points(any_center(manifold), manifold, n = 1))
})

test_that("noise in the tangent space keeps what is said of it for a mean at the border (false alarm 1e-5 each)", {
  set.seed(733)
  for (case in list(list(manifold_hyperbolic(2), 3, 50), list(manifold_hyperbolic(2), 8, 50),
                    list(manifold_spd(3), 6, 100))) {
    manifold <- case[[1]]
    rim <- cbind(c(case[[2]], double(manifold$dimension - 1)))
    origin <- origin_of(manifold)
    mechanism <- mean_plan(case[[3]], manifold, case[[2]], c(rho = 0.5))
    statistic <- plan_statistic(mechanism, rim[, rep(1, case[[3]])])
    released <- normal_points(draw_mean(mechanism, statistic, 400, "R"), manifold, origin)
    mean <- normal_points(rim, manifold, origin)
    distance <- .Call(ffi_manifold_distance, manifold, mean, released, kernel_options())
    said <- frechet_noise(case[[3]], manifold, case[[2]], rho = 0.5)
    expect_gt(stats::binom.test(sum(distance <= said), 400, 0.95, "less")$p.value, 1e-5)
  }
})

test_that("Reimherr et al. (2021), Theorem 3: noise is of order d r / (n epsilon)", {
  noise <- function(manifold, n = 1000, r = 0.1, epsilon = 1, ...) {
    frechet_noise(n, manifold, r, epsilon = epsilon, ...)
  }
  # exact in a flat space
  flat <- manifold_euclidean(4)
  expect_equal(noise(flat, n = 10000) / noise(flat), 0.1, tolerance = 1e-6)
  expect_equal(noise(flat, r = 0.3) / noise(flat), 3, tolerance = 1e-6)
  expect_equal(noise(flat, epsilon = 0.5) / noise(flat), 2, tolerance = 1e-6)
  for (d in c(1, 16, 64)) {
    expect_equal(noise(manifold_euclidean(d)) / noise(flat), stats::qgamma(0.95, d) / stats::qgamma(0.95, 4),
                 tolerance = 1e-6)
  }
  # linear in d, from above
  expect_lt(noise(manifold_euclidean(64)) / noise(manifold_euclidean(32)), 2)
  expect_gt(noise(manifold_euclidean(64)) / noise(manifold_euclidean(32)), 1.85)
  # the same rates on curved spaces, up to terms of higher order in r and the error of simulated quantiles
  for (manifold in list(manifold_sphere(2), manifold_hyperbolic(2), manifold_spd(2), manifold_rotation(3))) {
    for (method in c("tangent", "intrinsic")) {
      curved <- function(...) noise(manifold, ..., method = method, support = "manifold")
      expect_equal(curved(n = 10000) / curved(), 0.1, tolerance = 0.04)
      expect_equal(curved(epsilon = 0.5) / curved(), 2, tolerance = 0.04)
      expect_equal(curved(r = 0.02) / curved(r = 0.01), 2, tolerance = 0.04)
    }
  }
})
