# What the draws should be: distances from the location follow the law that
# quadrature gives, directions are uniform in the tangent space.

test_that("distances on spheres, hyperbolic and flat spaces follow the radial density", {
  set.seed(1)
  for (d in c(1, 2, 5)) for (scale in c(0.05, 0.7, Inf)) {
    pole <- c(rep(0, d), 2)
    X <- rmanifold_laplace(2e4, manifold_sphere(d, 2), pole, scale)
    law <- distance_law(function(rho) (d - 1) * log_sin(rho / 2), scale, 2 * pi)
    expect_law(manifold_distance(X, pole, manifold_sphere(d, 2)), law)
  }
  for (d in c(1, 2, 4)) for (part in c(0.1, 0.6, 0.97)) {
    scale <- if (d == 1) part else part / (d - 1)
    origin <- c(1, rep(0, d))
    X <- rmanifold_laplace(2e4, manifold_hyperbolic(d), origin, scale)
    upper <- 30 * d * scale / (1 - (d - 1) * scale)
    law <- distance_law(function(rho) (d - 1) * log_sinh(rho), scale, upper)
    expect_law(manifold_distance(X, origin, manifold_hyperbolic(d)), law)
  }
  X <- rmanifold_laplace(2e4, manifold_euclidean(3), 1:3, 2)
  expect_law(manifold_distance(X, 1:3, manifold_euclidean(3)), function(q) stats::pgamma(q, 3, scale = 2))
})

test_that("distances of positive definite matrices follow the spectral density", {
  skip_if_instrumented()
  set.seed(2)
  A <- matrix(c(2, 1, 0, 1, 3, 0.5, 0, 0.5, 1), 3)
  for (scale in c(0.1, 0.5, 0.9)) {
    X <- rmanifold_laplace(2e4, manifold_spd(2), A[1:2, 1:2], scale)
    expect_law(manifold_distance(X, A[1:2, 1:2], manifold_spd(2)),
               spd_law(2, scale, 25 * scale / (1 - scale / sqrt(2))))
  }
  for (scale in c(0.1, 0.5)) {
    X <- rmanifold_laplace(2e4, manifold_spd(3), A, scale)
    expect_law(manifold_distance(X, A, manifold_spd(3)), spd_law(3, scale, 20 * scale / (1 - scale * sqrt(2))))
  }
  X <- rmanifold_laplace(2e4, manifold_spd(3, "log-euclidean"), A, 1)
  expect_law(manifold_distance(X, A, manifold_spd(3, "log-euclidean")), function(q) stats::pgamma(q, 6))
})

test_that("distances of rotations and subspaces follow the densities of their angles", {
  set.seed(3)
  for (scale in c(0.1, 1, Inf)) {
    X <- rmanifold_laplace(2e4, manifold_rotation(3), diag(3), scale)
    expect_law(manifold_distance(X, diag(3), manifold_rotation(3)),
               distance_law(function(rho) 2 * log_sin(rho / 2), scale, pi))
    X <- rmanifold_laplace(2e4, manifold_rotation(4), diag(4), scale)
    expect_law(manifold_distance(X, diag(4), manifold_rotation(4)), rotation4_law(scale))
    plane <- diag(5)[, 1:2]
    X <- rmanifold_laplace(2e4, manifold_grassmann(2, 5), plane, scale)
    expect_law(manifold_distance(X, plane, manifold_grassmann(2, 5)), grassmann25_law(scale))
    line <- cbind(c(0.6, 0, 0.8))
    X <- rmanifold_laplace(2e4, manifold_grassmann(1, 3), line, scale)
    expect_law(manifold_distance(X, line, manifold_grassmann(1, 3)), distance_law(log_sin, scale, pi / 2))
    for (k in c(3, 4, 6)) {
      shape <- as_shapes(cbind(seq_len(k), seq_len(k)^2))
      X <- rmanifold_laplace(2e4, manifold_shapes(k), shape, scale)
      expect_law(manifold_distance(X, shape, manifold_shapes(k)),
                 distance_law(function(rho) (2 * k - 6) * log_sin(rho) + log_sin(2 * rho), scale, pi / 2))
    }
  }
})

test_that("directions are isotropic", {
  set.seed(4)
  A <- matrix(c(2, 1, 1, 3), 2)
  for (case in list(list(manifold_sphere(3), c(0, 0.6, 0, 0.8)), list(manifold_hyperbolic(3), c(sqrt(3), 1, 0, 1)),
                    list(manifold_spd(2), A),
                    list(manifold_rotation(3), diag(3)), list(manifold_grassmann(2, 4), diag(4)[, 1:2]),
                    list(manifold_shapes(4), as_shapes(cbind(1:4, c(0, 2, 1, 1)))))) {
    manifold <- case[[1]]
    point <- check_manifold_points(case[[2]], manifold, "x")
    drawn <- draw_laplace(5000, manifold, point, 0.3, rng = "R")
    V <- .Call(ffi_manifold_log, manifold, point, drawn$points, kernel_options())
    # ambient coordinates of an isotropic law in an isometry's image of the
    # origin: signs are fair for each
    fair <- apply(V, 1, function(v) stats::binom.test(sum(v > 0), sum(v != 0) + (all(v == 0)))$p.value)
    expect_gt(min(fair[apply(V, 1, function(v) any(abs(v) > 1e-8))]), failure)
  }
  # a sphere's tangent directions are uniform: their first coordinate on S^2 of
  # directions is uniform on [-1, 1]
  X <- rmanifold_laplace(2e4, manifold_sphere(3), c(1, 0, 0, 0), 0.3)
  first <- X[, 2] / sqrt(rowSums(X[, -1]^2))
  expect_law(first, function(q) stats::punif(q, -1, 1))
  # tangents at the identity of SPD(2): orthonormal coordinates
  L <- apply(rmanifold_laplace(5000, manifold_spd(2), diag(2), 0.2), 3, function(x) {
    e <- eigen(x)
    S <- e$vectors %*% (log(e$values) * t(e$vectors))
    c(S[1, 1] + S[2, 2], S[1, 1] - S[2, 2], 2 * S[1, 2]) / sqrt(2)
  })
  # the volume turns the trace apart from the rest, among which all are alike
  expect_law((atan2(L[3, ], L[2, ]) / pi + 1) / 2, stats::punif)
})

test_that("tangent, drifting and uniform proposals give the same law", {
  set.seed(5)
  drifts <- c("tangent", "drift", "steep")
  compare <- function(manifold, point, scale, kinds) {
    distances <- lapply(kinds, function(kind) {
      distances_to(draw_by(kind, 1e4, manifold, point, scale)$points, point, manifold)
    })
    for (i in seq_along(kinds)[-1]) expect_same_law(distances[[1]], distances[[i]])
  }
  compare(manifold_spd(2), diag(2), 1, drifts)
  compare(manifold_spd(3), diag(3), 0.5, drifts)
  compare(manifold_hyperbolic(3), c(1, 0, 0, 0), 0.35, drifts)
  compare(manifold_sphere(2), c(0, 0, 1), 0.5, c("tangent", "uniform"))
  compare(manifold_rotation(4), diag(4), 1, c("tangent", "uniform"))
  compare(manifold_grassmann(2, 5), diag(5)[, 1:2], 0.3, c("tangent", "uniform"))
  compare(manifold_shapes(5), as_shapes(cbind(1:5, c(0, 2, 1, 1, 0))), 0.3, c("tangent", "uniform"))
  mixed <- manifold_product(manifold_hyperbolic(2), manifold_euclidean(1), manifold_sphere(1))
  compare(mixed, c(1, 0, 0, 5, 0, 1), 0.6, drifts)
  expect_error(draw_by("uniform", 1, manifold_spd(2), diag(2), 1), class = "dptda_error_argument")
  expect_error(draw_by("ball", 1, manifold_spd(2), diag(2), 1), class = "dptda_error_argument")
})

test_that("the best proposal is found near the threshold and far from it", {
  set.seed(6)
  near <- draw_by("best", 1000, manifold_spd(5), diag(5), 0.999 / manifold_spd(5)$threshold)
  expect_identical(near$proposal, "drift")
  expect_gt(near$acceptance, 0.9)
  far <- draw_by("best", 1000, manifold_spd(5), diag(5), 0.3 / manifold_spd(5)$threshold)
  expect_identical(far$proposal, "tangent")
  expect_gt(far$acceptance, 0.9)
  between <- draw_by("best", 100, manifold_spd(7), diag(7), 1 / 1.15 / manifold_spd(7)$threshold)
  expect_identical(between$proposal, "steep")
  expect_identical(draw_by("best", 10, manifold_rotation(4), diag(4), 100)$proposal, "uniform")
  expect_true(draw_by("best", 10, manifold_spd(2), diag(2), 100, diag(2), 1)$proposal %in% c("ball", "center"))
  expect_identical(draw_by("best", 10, manifold_spd(5), diag(5), 1, diag(5), 2)$proposal, "center")
  # no proposal fits: found out from public numbers, before anything is drawn
  expect_error(draw_by("best", 0, manifold_spd(20), diag(20), 1 / 1.1 / manifold_spd(20)$threshold), "too long",
               class = "dptda_error_argument")
  # |v| just below the threshold: exponential of rate 1 / scale - threshold
  d <- distances_to(draw_by("best", 2e4, manifold_hyperbolic(2), c(1, 0, 0), 1 / 1.02)$points, c(1, 0, 0),
                    manifold_hyperbolic(2))
  expect_law(d, distance_law(log_sinh, 1 / 1.02, 2000))
})

test_that("the location has no part in the choice of the proposal", {
  # at these scales two proposals are about equally good
  for (case in list(list(manifold_rotation(6), 2.5), list(manifold_rotation(8), 1.5),
                    list(manifold_spd(7), 1 / 1.15 / manifold_spd(7)$threshold))) {
    set.seed(3)
    manifold <- case[[1]]
    chosen <- vapply(1:8, function(i) {
      location <- if (is.finite(manifold$reach)) rmanifold_uniform(1, manifold) else diag(exp(rnorm(7)))
      draw_by("best", 0, manifold, location, case[[2]])$proposal
    }, "")
    expect_length(unique(chosen), 1)
  }
})

test_that("a ball holds the law of the manifold, conditioned", {
  set.seed(7)
  compare <- function(manifold, point, scale, center, radius, kinds) {
    whole <- draw_laplace(6e4, manifold, point, scale, rng = "R")$points
    kept <- whole[, distances_to(whole, center, manifold) <= radius, drop = FALSE]
    for (kind in kinds) {
      ball <- draw_by(kind, 3000, manifold, point, scale, center, radius)$points
      expect_true(all(distances_to(ball, center, manifold) <= radius * (1 + 1e-12)))
      expect_same_law(distances_to(kept, point, manifold), distances_to(ball, point, manifold))
      expect_same_law(distances_to(kept, center, manifold), distances_to(ball, center, manifold))
    }
  }
  compare(manifold_sphere(2), c(0, 0, 1), 0.5, c(0, 0.6, 0.8), 0.5, c("best", "tangent", "uniform", "ball", "center"))
  compare(manifold_spd(2), diag(2), 0.5, matrix(c(2, 0.5, 0.5, 1), 2), 0.8,
          c("best", "tangent", "drift", "steep", "ball", "center"))
  compare(manifold_hyperbolic(2), c(1, 0, 0), 0.4, c(sqrt(2), 1, 0), 1, c("best", "tangent", "ball", "center"))
  compare(manifold_rotation(3), diag(3), 0.4, diag(3), 1, c("best", "tangent", "uniform", "ball", "center"))
  # the location outside
  compare(manifold_euclidean(2), c(0, 0), 1, c(2, 0), 1, c("best", "tangent", "ball", "center"))
  # where the integral over the manifold is infinite
  ball <- draw_by("best", 1e4, manifold_spd(2), diag(2), 5, diag(2), 2)$points
  expect_law(distances_to(ball, diag(2), manifold_spd(2)), {
    law <- spd_law(2, 5, 2, 800)
    function(q) law(q) / law(2)
  })
})

test_that("a ball that holds the whole of a compact manifold changes nothing", {
  set.seed(8)
  for (kind in c("tangent", "uniform", "ball", "center")) {
    X <- draw_by(kind, 1e4, manifold_sphere(2), c(0, 0, 1), 0.5, c(1, 0, 0), 10)$points
    expect_law(distances_to(X, c(0, 0, 1), manifold_sphere(2)), distance_law(log_sin, 0.5, pi))
  }
})

test_that("products: distances and factors", {
  set.seed(9)
  manifold <- manifold_product(a = manifold_hyperbolic(2), b = manifold_sphere(2))
  point <- list(a = c(1, 0, 0), b = c(0, 0, 1))
  X <- rmanifold_laplace(1e4, manifold, point, 0.4)
  expect_named(X, c("a", "b"))
  law <- spectral_law(list(midpoints(0, 25, 1500), midpoints(0, pi, 300)),
                      function(x) sinh(x[, 1]) * sin(x[, 2]), 0.4)
  expect_law(manifold_distance(X, point, manifold), law)
  # flat factors only
  flat <- manifold_product(manifold_euclidean(2), manifold_spd(2, "log-euclidean"))
  X <- rmanifold_laplace(1e4, flat, list(c(0, 0), diag(2)), 3)
  expect_law(manifold_distance(X, list(c(0, 0), diag(2)), flat), function(q) stats::pgamma(q, 5, scale = 3))
  # each factor is finite by itself, the product is not
  pair <- manifold_product(manifold_hyperbolic(2), manifold_hyperbolic(2))
  expect_false(laplace_is_finite(pair, 0.8))
  expect_true(laplace_is_finite(manifold_hyperbolic(2), 0.8))
})

test_that("the Markov chain has the law of the exact sampler in the end", {
  skip_if_instrumented()
  set.seed(10)
  compare <- function(manifold, point, scale, thin) {
    exact <- rmanifold_laplace(5000, manifold, point, scale)
    chain <- rmanifold_laplace(1000, manifold, point, scale, sampler = "mcmc", steps = c(1000, thin))
    expect_identical(attr(chain, "sampler"), "mcmc")
    expect_same_law(manifold_distance(exact, point, manifold), manifold_distance(chain, point, manifold))
  }
  compare(manifold_spd(3), diag(3), 0.5, 300)
  compare(manifold_grassmann(2, 5), diag(5)[, 1:2], 0.15, 200)
  compare(manifold_rotation(4), diag(4), 0.3, 200)
  compare(manifold_sphere(2), c(0, 0, 1), Inf, 200)
})

test_that("the chain stays in its ball and starts there", {
  set.seed(11)
  in_ball <- function(...) {
    rmanifold_laplace(1500, manifold_hyperbolic(2), c(cosh(3), sinh(3), 0), 0.5, support = "ball", center = c(1, 0, 0),
                      radius = 1, ...)
  }
  X <- in_ball(sampler = "mcmc", steps = 200)
  expect_true(all(manifold_distance(X, c(1, 0, 0), manifold_hyperbolic(2)) <= 1))
  expect_same_law(X[, 2], in_ball()[, 2])
})

test_that("a user's manifold is sampled by the chain alone", {
  set.seed(12)
  positive <- manifold_custom(
    shape = 1, dimension = 1, exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
    basis = function(x) matrix(x), curvature = c(0, 0), injectivity_radius = Inf, homogeneous = TRUE
  )
  X <- rmanifold_laplace(400, positive, 2, 0.5, sampler = "mcmc", steps = c(200, 25))
  expect_law(log(X / 2) / 0.5, function(q) ifelse(q < 0, exp(q) / 2, 1 - exp(-q) / 2))
  expect_error(rmanifold_laplace(1, positive, 2, 0.5), class = "dptda_error_argument")
  expect_error(rmanifold_uniform(1, positive), class = "dptda_error_argument")
  expect_identical(draw_laplace(2, positive, 2, 0.5, rng = "R", steps = c(5, 5))$sampler, "mcmc")
})

test_that("uniform draws are uniform", {
  set.seed(13)
  X <- rmanifold_uniform(1e4, manifold_sphere(2))
  expect_law(X[, 1], function(q) stats::punif(q, -1, 1))
  R <- rmanifold_uniform(1e4, manifold_rotation(3))
  expect_law(R[2, 1, ], function(q) stats::punif(q, -1, 1))
  G <- rmanifold_uniform(1e4, manifold_grassmann(1, 3))
  expect_law(abs(G[3, 1, ]), stats::punif)
  B <- rmanifold_uniform(1e4, manifold_euclidean(3), center = c(1, 1, 1), radius = 2)
  expect_law(manifold_distance(B, c(1, 1, 1), manifold_euclidean(3)), function(q) (q / 2)^3)
  H <- rmanifold_uniform(1e4, manifold_hyperbolic(2), center = c(1, 0, 0), radius = 3)
  expect_law(manifold_distance(H, c(1, 0, 0), manifold_hyperbolic(2)), function(q) (cosh(q) - 1) / (cosh(3) - 1))
  S <- rmanifold_uniform(1e4, manifold_sphere(2), center = c(0, 0, 1), radius = 2)
  expect_law(S[, 3], function(q) stats::punif(q, cos(2), 1))
})

test_that("scales from 1e-12 to 1e3, dimensions from one to hundreds", {
  set.seed(14)
  origin <- numeric(3)
  X <- rmanifold_laplace(1e4, manifold_euclidean(3), origin, 1e-12)
  expect_law(sqrt(rowSums(X^2)) * 1e12, function(q) stats::pgamma(q, 3))
  X <- rmanifold_laplace(1e4, manifold_spd(2), diag(2), 1e-12)
  # all directions of a flat space; doubles near 1 are 1e-16 apart
  off <- abs(X[1, 2, ]) * sqrt(2) * 1e12
  expect_true(all(off < 60) && mean(off) > 0.5)
  X <- rmanifold_laplace(1e4, manifold_sphere(2), c(0, 0, 1), 1e3)
  expect_law(acos(X[, 3]), distance_law(log_sin, 1e3, pi))
  X <- rmanifold_laplace(1e3, manifold_euclidean(2000), numeric(2000), 1)
  expect_law(sqrt(rowSums(X^2)), function(q) stats::pgamma(q, 2000))
  X <- rmanifold_laplace(1e3, manifold_sphere(300), c(1, numeric(300)), 1e-2)
  expect_law(acos(X[, 1]), distance_law(function(rho) 299 * log_sin(rho), 1e-2, pi))
  X <- rmanifold_laplace(1e3, manifold_spd(1), matrix(2), 1)
  expect_law(abs(log(X[1, 1, ] / 2)), stats::pexp)
})

test_that("none, one, and the same again", {
  expect_identical(dim(rmanifold_laplace(0, manifold_spd(2), diag(2), 0.1)), c(2L, 2L, 0L))
  expect_identical(dim(rmanifold_laplace(1, manifold_sphere(2), c(0, 0, 1), 0.1)), c(1L, 3L))
  expect_identical(attr(rmanifold_laplace(0, manifold_sphere(2), c(0, 0, 1), 0.1), "acceptance"), NaN)
  set.seed(15); X <- rmanifold_laplace(50, manifold_spd(3), diag(3), 0.4)
  withr::local_options(dptda.threads = 1)
  set.seed(15); Y <- rmanifold_laplace(50, manifold_spd(3), diag(3), 0.4)
  expect_identical(X, Y)
  set.seed(15); before <- .Random.seed
  rmanifold_laplace(5, manifold_spd(3), diag(3), 0.4, rng = "os")
  expect_identical(.Random.seed, before)
})

test_that("what is wrong is said", {
  expect_error(rmanifold_laplace(-1, manifold_sphere(2), c(0, 0, 1), 1), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, "sphere", c(0, 0, 1), 1), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_sphere(2), c(0, 0, 2), 1), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_sphere(2), diag(3), 1), class = "dptda_error_argument")
  for (scale in list(0, -1, NA, "a", 1e-200)) {
    expect_error(rmanifold_laplace(1, manifold_sphere(2), c(0, 0, 1), scale), class = "dptda_error_argument")
  }
  expect_error(rmanifold_laplace(1, manifold_spd(3), diag(3), 1), "`scale` must be below 0.7071068, not 1",
               class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_euclidean(2), c(0, 0), Inf), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, support = "ball"), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, support = "ball", center = diag(2)),
               class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, radius = 1), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, steps = 10), class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, sampler = "mcmc", steps = 0.5),
               class = "dptda_error_argument")
  expect_error(rmanifold_laplace(1, manifold_spd(2), diag(2), 1, sampler = "mcmc", step_sd = 0),
               class = "dptda_error_argument")
  expect_error(rmanifold_uniform(1, manifold_spd(2)), class = "dptda_error_argument")
  expect_error(rmanifold_uniform(1, manifold_sphere(2), radius = 1), class = "dptda_error_argument")
})

test_that("the ball of a uniform draw is given by name, as everywhere", {
  expect_error(rmanifold_uniform(1, manifold_sphere(2), c(0, 0, 1), 1), "must be named", class = "dptda_error_argument")
})
