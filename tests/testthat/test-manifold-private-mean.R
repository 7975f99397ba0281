# Without noise the release is the mean; large data, tiny noise.
nearly_noiseless <- 1e9

test_that("without noise the release is the mean: sphere and positive definite matrices against slow oracles", {
  set.seed(701)
  balls <- mean_balls()
  X <- points_about(balls$sphere, 40)
  expect_equal(release_of(balls$sphere, X, epsilon = nearly_noiseless)$value, slow_mean(X, sphere_log, sphere_exp),
               tolerance = 1e-6)
  X <- points_about(balls$spd, 20)
  oracle <- slow_mean(X, spd_log_at, spd_exp_at, function(x) matrix(x, 2))
  expect_equal(release_of(balls$spd, X, epsilon = nearly_noiseless)$value, oracle, tolerance = 1e-6)
  # the mean is on no lattice where noise is drawn on the manifold
  expect_equal(release_of(balls$spd, X, epsilon = nearly_noiseless, method = "intrinsic")$value, oracle,
               tolerance = 1e-7)
  X <- points_about(balls$spd_log, 20)
  logs <- lapply(seq_len(20), function(i) matrix_function(matrix(X[i, ], 2), log))
  oracle <- matrix_function(Reduce(`+`, logs) / 20, exp)
  for (charge in list(list(epsilon = nearly_noiseless), list(rho = noiseless))) {
    released <- do.call(release_of, c(list(balls$spd_log, X), charge))
    expect_equal(released$value, oracle, tolerance = 1e-5)
  }
})

test_that("what is spent is what was declared, on every manifold and in every size", {
  skip_if_instrumented()
  set.seed(702)
  for (ball in mean_balls()) {
    for (n in c(1, 2, 7, 500)) {
      X <- points_about(ball, n)
      for (value in c(0.01, 0.7, 20)) {
        for (name in c("epsilon", "rho")) {
          released <- do.call(release_of, c(list(ball, X), stats::setNames(list(value), name)))
          guarantee <- privacy(released)
          expect_identical(guarantee$measure, stats::setNames(value, name))
          expect_identical(sum(guarantee$ledger$value), value)
          # scales of 24 bits for rho; for epsilon rounding takes its part
          expect_equal(spent_by(released, guarantee), value, tolerance = if (name == "rho") 5e-7 else 5e-7 + 2^-
                       22 / value)
          expect_lte(spent_by(released, guarantee), value * (1 + 1e-12))
        }
      }
    }
  }
})

test_that("the sensitivity is that of the mean, never more than the diameter, and of the paper if asked for", {
  ball <- mean_balls()$sphere
  sensitivity <- function(n, ...) {
    privacy(release_of(ball, points_about(ball, n), epsilon = 1, method = "intrinsic", ...))$sensitivity
  }
  set.seed(703)
  expect_equal(sensitivity(50), frechet_sensitivity(50, ball$manifold, ball$radius), tolerance = 1e-8)
  expect_equal(sensitivity(50, bound = "paper"), frechet_sensitivity(50, ball$manifold, ball$radius, bound = "paper"),
               tolerance = 1e-8)
  expect_gt(sensitivity(50), frechet_sensitivity(50, ball$manifold, ball$radius))
  expect_equal(sensitivity(1), 2 * ball$radius, tolerance = 1e-8)
})

test_that("neighbors move the statistic by at most its sensitivity, however hostile", {
  skip_if_instrumented()
  set.seed(704)
  for (ball in mean_balls()) {
    for (measure in list(c(epsilon = 1), c(rho = 1))) {
      center <- check_manifold_points(ball$center, ball$manifold)
      for (n in c(1, 2, 3)) {
        mechanism <- mean_plan(n, ball$manifold, ball$radius, measure)
        worst <- 0
        for (i in 1:60) {
          P <- private_coordinates(t(points_about(ball, n + 1, 3 * ball$radius)), ball$manifold, center, ball$radius)
          here <- plan_statistic(mechanism, P[, 1:n, drop = FALSE])
          there <- plan_statistic(mechanism, cbind(P[, seq_len(n - 1), drop = FALSE], P[, n + 1]))
          worst <- max(worst, change_of_statistic(mechanism, here, there))
        }
        expect_lte(worst, mechanism$sensitivity)
        expect_gt(worst, mechanism$sensitivity / 5)
      }
    }
  }
})

test_that("outside rows are clamped", {
  set.seed(705)
  for (ball in mean_balls()) {
    X <- points_about(ball, 12, 2 * ball$radius)
    seeded <- function(X) {
      set.seed(1)
      release_of(ball, X, epsilon = 5)$value
    }
    center <- check_manifold_points(ball$center, ball$manifold)
    clamped <- t(clamped_points(t(X), ball$manifold, center, ball$radius))
    expect_lte(max(distance_from(ball, clamped)), ball$radius * (1 + 1e-9))
    expect_equal(seeded(X), seeded(clamped), tolerance = 1e-6)
  }
})

test_that("a matrix that is hardly definite, a point on the cut locus and identical points are no trouble", {
  balls <- mean_balls()
  inside <- function(ball, X, ...) {
    released <- release_of(ball, X, epsilon = 1, ...)
    expect_true(released$on_manifold)
    expect_lte(distance_from(ball, released$value), ball$radius * (1 + 1e-9))
  }
  set.seed(706)
  inside(balls$spd, rbind(c(1, 1, 1, 1 + 1e-13), c(1, 0, 0, 1e-300), c(1, 2, 2, 4)))
  inside(balls$sphere, rbind(c(0, 0, -1), c(0, 0, -1), c(0, 0, 1)))
  inside(balls$rotation, rbind(c(-1, 0, 0, 0, -1, 0, 0, 0, 1), as.vector(diag(3))))
  inside(balls$subspaces, rbind(as.vector(diag(4)[, 3:4]), as.vector(diag(4)[, 3:4])))
  for (ball in balls) {
    inside(ball, points_about(ball, 1)[rep(1, 5), , drop = FALSE])
    inside(ball, points_about(ball, 1))
  }
})

test_that("the bound of coordinates holds whatever the numbers are", {
  set.seed(717)
  for (ball in mean_balls()) {
    center <- check_manifold_points(ball$center, ball$manifold)
    size <- length(center)
    wild <- cbind(center, center * NaN, center * Inf, center * 1e300, 0 * center,
                  matrix(stats::rnorm(40 * size) * 10^stats::runif(40, -300, 300), size))
    rows <- .Call(ffi_manifold_chart_rows, ball$manifold, center, wild, ball$radius, kernel_options())
    V <- rows$value
    expect_false(anyNA(rows$stray))
    expect_identical(is.finite(rows$stray[1:3]), c(TRUE, FALSE, FALSE))
    expect_true(all(is.finite(V)))
    expect_lte(max(sqrt(colSums(V^2))), ball$radius * (1 + 1e-12))
    expect_identical(max(abs(V[, 1:3])), 0)
  }
  expect_identical(whole_columns(cbind(c(3, 4), c(30, 40)), 1, 10), cbind(c(3, 4), c(0, 0)))
})

test_that("the distance of a release from the mean follows the radial law (false alarm 1e-5 each)", {
  skip_if_instrumented()
  set.seed(707)
  for (kind in names(radial_laws())) {
    ball <- mean_balls()[[kind]]
    X <- points_about(ball, 30)
    mean <- release_of(ball, X, epsilon = nearly_noiseless)$value
    released <- lapply(1:400, function(i) release_of(ball, X, epsilon = 2, support = "manifold", method = "intrinsic"))
    scale <- released[[1]]$noise$scale
    law <- law_of(function(t) radial_laws()[[kind]](t) * exp(-t / scale), if (kind == "sphere") pi else 60 * scale)
    distances <- vapply(released, function(one) manifold_distance(mean, one$value, ball$manifold), 0)
    expect_gt(stats::ks.test(distances, law)$p.value, 1e-5)
  }
})

test_that("a clamped release is the clamped draw", {
  set.seed(708)
  ball <- mean_balls()$hyperbolic
  X <- points_about(ball, 20)
  for (method in c("tangent", "intrinsic")) {
    seeded <- function(...) {
      set.seed(2)
      release_of(ball, X, epsilon = 0.3, method = method, ...)
    }
    draw <- seeded(support = "manifold")
    space <- c(tangent = "tangent", intrinsic = "manifold")[[method]]
    expect_identical(draw$noise$space, space)
    expect_identical(seeded()$noise$space, space)
    expect_equal(seeded()$value, manifold_clamp(draw$value, ball$manifold, ball$center, ball$radius), tolerance = 1e-6)
  }
})

test_that("noise in the tangent space has the law of its space, about the mean's coordinates (false alarm 1e-5)", {
  set.seed(718)
  balls <- mean_balls()
  sphere <- c(balls$sphere, stretch = (pi / 8) / sin(pi / 8))
  for (ball in list(c(balls$hyperbolic, stretch = 1), c(balls$spd, stretch = 1), sphere)) {
    X <- points_about(ball, 8)
    center <- check_manifold_points(ball$center, ball$manifold)
    mean <- normal_coordinates(cbind(as.numeric(frechet_mean(X, ball$manifold)$point)), ball$manifold, center)
    wanted <- ball$stretch * frechet_sensitivity(8, ball$manifold, ball$radius)
    d <- ball$manifold$dimension
    for (charge in list(list(epsilon = 0.5), list(rho = 0.5))) {
      mechanism <- mean_plan(8, ball$manifold, ball$radius, unlist(charge), method = "tangent", support = "manifold")
      expect_equal(mechanism$sensitivity, wanted, tolerance = 1e-5)
      statistic <- plan_statistic(mechanism, private_coordinates(t(X), ball$manifold, center, ball$radius))
      expect_equal(statistic * mechanism$unit, as.vector(mean), tolerance = 1e-5)
      W <- draw_mean(mechanism, statistic, 2000, "R") - as.vector(mean)
      length <- sqrt(colSums(W^2)) / shown_noise(mechanism)$scale
      law <- if (mechanism$noise == "laplace") function(t) stats::pgamma(t, d) else function(t) stats::pchisq(t^2, d)
      expect_gt(stats::ks.test(length, law)$p.value, 1e-5)
      expect_gt(stats::binom.test(sum(W[d, ] > 0), 2000)$p.value, 1e-5)
      expect_lte(mechanism$scale * mechanism$unit,
                 wanted * (if (mechanism$noise == "laplace") 2 else 1) * (1 + 1e-4))
    }
  }
})

test_that("no neighbors move the coordinates of the mean by more than the stretched sensitivity", {
  set.seed(719)
  for (kind in c("sphere", "wide", "hyperbolic", "spd", "rotation", "subspaces", "circle")) {
    ball <- mean_balls()[[kind]]
    for (n in c(1, 2, 5)) {
      mechanism <- mean_plan(n, ball$manifold, ball$radius, c(epsilon = 1), method = "tangent")
      worst <- 0
      for (i in 1:80) {
        V <- matrix(stats::rnorm(ball$manifold$dimension * (n + 1)), ncol = n + 1)
        V <- sweep(V, 2, ball$radius / sqrt(colSums(V^2)), `*`)
        if (i %% 2 == 0) V[, n + 1] <- -V[, 1]
        here <- plan_statistic(mechanism, V[, 1:n, drop = FALSE])
        there <- plan_statistic(mechanism, V[, 1 + 1:n, drop = FALSE])
        if (n > 1) there <- plan_statistic(mechanism, cbind(V[, 2:n, drop = FALSE], V[, n + 1]))
        worst <- max(worst, change_of_statistic(mechanism, here, there))
      }
      expect_lte(worst, mechanism$sensitivity)
    }
  }
})

test_that("Gaussian noise on a flat manifold has the declared spread (false alarm 1e-5)", {
  skip_if_instrumented()
  set.seed(709)
  for (kind in c("euclidean", "spd_log", "circle")) {
    ball <- mean_balls()[[kind]]
    X <- points_about(ball, 50)
    mean <- release_of(ball, X, rho = noiseless)$value
    released <- lapply(1:400, function(i) release_of(ball, X, rho = 0.5, support = "manifold"))
    noise <- released[[1]]$noise
    expect_identical(noise$kind, "gaussian")
    expect_length(privacy(released[[1]])$inexact, 0)
    # a little more than the continuous one, for the lattice
    expect_equal(noise$scale, 2 * ball$radius / 50, tolerance = 1e-5)
    expect_gte(noise$scale, 2 * ball$radius / 50)
    distances <- vapply(released, function(one) manifold_distance(mean, one$value, ball$manifold), 0)
    expect_gt(stats::ks.test((distances / noise$scale)^2, stats::pchisq, ball$manifold$dimension)$p.value, 1e-5)
  }
})

test_that("a basis of a row tells no more than its subspace", {
  set.seed(710)
  ball <- mean_balls()$subspaces
  X <- points_about(ball, 6)
  turn <- qr.Q(qr(matrix(stats::rnorm(4), 2)))
  turned <- t(apply(X, 1, function(x) as.vector(matrix(x, 4) %*% turn)))
  seeded <- function(X, support) {
    set.seed(3)
    release_of(ball, X, epsilon = 2, support = support)$value
  }
  for (support in c("ball", "manifold")) expect_equal(seeded(X, support), seeded(turned, support), tolerance = 1e-6)
})

test_that("products and manifolds of one's own work, the latter marked as a Markov chain's", {
  set.seed(711)
  pair <- manifold_product(place = manifold_euclidean(2), way = manifold_sphere(2))
  X <- list(matrix(stats::rnorm(40), 20), points_about(mean_balls()$sphere, 20))
  released <- private_frechet_mean(X, pair, list(c(0, 0), c(0, 0, 1)), 0.5, epsilon = 10)
  expect_named(released$value, c("place", "way"))
  expect_identical(as.numeric(released), unlist(released$value, use.names = FALSE))
  own <- own_line()
  X <- c(1, 2, 3, 1, 1e9)
  # a straight line by any name: coordinates are an isometry, and the noise is that of numbers
  for (charge in list(list(epsilon = 1), list(rho = 1))) {
    released <- do.call(private_frechet_mean, c(list(X, own, 1, 2), charge))
    expect_identical(privacy(released)$sampler, "exact")
    expect_lte(abs(log(released$value)), 2 + 1e-9)
  }
  for (charge in list(list(epsilon = 1e9), list(rho = noiseless))) {
    expect_equal(do.call(private_frechet_mean, c(list(X, own, 1, 2), charge))$value, exp((log(2) + log(3) + 2) / 5),
                 tolerance = 1e-5)
  }
  own <- own_sphere()
  X <- points_about(mean_balls()$sphere, 20)
  # a Markov chain gives no release
  expect_error(private_frechet_mean(X, own, c(0, 0, 1), 0.3, epsilon = 10, support = "manifold", method = "intrinsic"),
               "`method` must be \"tangent\"", class = "dptda_error_argument")
  # in the tangent space there is an exact draw on any manifold
  for (charge in list(list(epsilon = 10), list(rho = 1))) {
    released <- do.call(private_frechet_mean, c(list(X, own, c(0, 0, 1), 0.3), charge))
    expect_identical(privacy(released)$sampler, "exact")
    expect_lte(acos(released$value[3]), 0.3 + 1e-9)
    released <- do.call(private_frechet_mean, c(list(X, own, c(0, 0, 1), 0.3, support = "manifold"), charge))
    expect_length(privacy(released)$inexact, 0)
  }
})

test_that("seeds repeat a release with R's stream, which is stamped; the system's entropy does not repeat", {
  ball <- mean_balls()$sphere
  set.seed(712)
  X <- points_about(ball, 10)
  seeded <- function(rng) {
    set.seed(4)
    release_of(ball, X, epsilon = 1, rng = rng)
  }
  expect_identical(seeded("R"), seeded("R"))
  expect_match(format(privacy(seeded("R")))[1], "NOT PRIVATE")
  expect_false(identical(seeded("os")$value, seeded("os")$value))
})

test_that("a release whose fields are changed has no guarantee", {
  ball <- mean_balls()$sphere
  released <- release_of(ball, points_about(ball, 10), epsilon = 1)
  expect_s3_class(privacy(released), "dptda_guarantee")
  changed <- released
  changed$value <- ball$center
  expect_null(privacy(changed))
  expect_identical(audit_features(released)[["size"]], 2)
})

test_that("only public numbers are in a release: two data sets give the same but for the value", {
  ball <- mean_balls()$spd
  set.seed(713)
  shown <- function(X) {
    released <- release_of(ball, X, epsilon = 1)
    expect_silent(release_of(ball, X, epsilon = 1))
    fields <- unclass(released)
    list(fields[setdiff(names(fields), c("value", "coordinates"))], privacy(released))
  }
  near <- points_about(ball, 9)
  strange <- near * 1e200
  strange[1, ] <- 0
  expect_identical(shown(near), shown(strange))
})

test_that("a budget is charged before anything is drawn, and rejects what exceeds it", {
  ball <- mean_balls()$sphere
  X <- points_about(ball, 10)
  budget <- privacy_budget(epsilon = 1)
  expect_error(release_of(ball, X, epsilon = 2, budget = budget), class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
  release_of(ball, X, epsilon = 1, budget = budget)
  expect_identical(budget$spent, 1)
})

test_that("bad arguments are classed errors that cost nothing and show no datum", {
  ball <- mean_balls()$sphere
  X <- rbind(c(0.123456, 0, 1), c(0, 0, 1))
  budget <- privacy_budget(epsilon = 1)
  refused <- function(..., pattern = NULL) {
    error <- expect_error(private_frechet_mean(..., budget = budget), pattern, class = "dptda_error_argument")
    expect_false(grepl("123456", conditionMessage(error)))
  }
  refused(manifold = ball$manifold, center = ball$center, radius = 0.3, epsilon = 1, pattern = "`x` must be given")
  refused(X, 3, ball$center, 0.3, 1, pattern = "`manifold`")
  refused(X[, 1:2], ball$manifold, ball$center, 0.3, 1, pattern = "`x`")
  refused(X[0, ], ball$manifold, ball$center, 0.3, 1, pattern = "at least 1 point")
  refused(replace(X, 4, NA), ball$manifold, ball$center, 0.3, 1, pattern = "missing values")
  refused(X, ball$manifold, c(0, 1, 1), 0.3, 1, pattern = "`center`")
  refused(X, ball$manifold, X, 0.3, 1, pattern = "`center`")
  refused(X, ball$manifold, ball$center, epsilon = 1, pattern = "`radius` must be given")
  refused(X, ball$manifold, ball$center, 0, 1, pattern = "`radius`")
  refused(X, ball$manifold, ball$center, 0.8, 1, pattern = "`radius`")
  refused(X, ball$manifold, ball$center, 0.3, pattern = "not none")
  refused(X, ball$manifold, ball$center, 0.3, 1, rho = 1, pattern = "one of the three")
  refused(X, ball$manifold, ball$center, 0.3, -1, pattern = "`epsilon`")
  refused(X, ball$manifold, ball$center, 0.3, 1, bound = "best", pattern = "`bound`")
  refused(X, ball$manifold, ball$center, 0.3, 1, support = "cube", pattern = "`support`")
  refused(X, ball$manifold, ball$center, 0.3, 1, method = "magic", pattern = "`method`")
  refused(X, ball$manifold, ball$center, 0.3, 1, method = "ambient", support = "ball", pattern = "`support`")
  refused(X, ball$manifold, ball$center, 0.3, 1, rng = "dice", pattern = "`rng`")
  expect_identical(budget$spent, 0)
})

test_that("where draws on all of a manifold cannot be had, the error says what would do, and it does", {
  set.seed(714)
  whole <- function(manifold, n, radius, epsilon) {
    mean_plan(n, manifold, radius, c(epsilon = epsilon), support = "manifold", method = "intrinsic")
  }
  number <- function(error, words) {
    said <- regmatches(conditionMessage(error), regexec(paste0(words, " ([0-9.e+-]+)"), conditionMessage(error)))[[1]]
    as.numeric(sub("[.]$", "", said[2]))
  }
  settings <- list(list(manifold_hyperbolic(2), 3, 1, 0.37), list(manifold_spd(2), 1, 0.5, 0.02),
                   list(manifold_spd(3), 2, 2.075285, 0.01),
                   list(manifold_hyperbolic(3, -4), 5, 2.393008, 0.0003465119),
                   list(manifold_product(manifold_hyperbolic(2), manifold_sphere(2)), 1, 0.3709786, 0.001732344),
                   list(manifold_product(manifold_euclidean(3), manifold_rotation(3)), 100, 1, 1e-4),
                   list(manifold_spd(12), 100, 1, 0.12))
  for (setting in settings) {
    error <- expect_error(do.call(whole, setting), class = "dptda_error_argument")
    n <- number(error, "n of at least")
    epsilon <- number(error, "epsilon of at least")
    radius <- number(error, "radius of at most")
    expect_true(any(!is.na(c(n, epsilon, radius))))
    better <- list(replace(setting, 2, n), replace(setting, 4, epsilon), replace(setting, 3, radius))
    for (offered in better[!is.na(c(n, epsilon, radius))]) {
      expect_identical(do.call(whole, offered)$support, "manifold")
    }
    expect_false(anyNA(c(n, epsilon, radius)))
    for (times in c(1.1, 1.25, 2)) { # "at least" is meant
      expect_identical(do.call(whole, replace(setting, 4, times * epsilon))$support, "manifold")
    }
    # nearly the least that would do, where the law alone decides
    if (setting[[1]]$kind == "hyperbolic") {
      expect_error(do.call(whole, replace(setting, 4, 0.97 * epsilon)), class = "dptda_error_argument")
      expect_error(do.call(whole, replace(setting, 3, 1.04 * radius)), class = "dptda_error_argument")
    }
    # clamped to the ball all of them are served
    clamped <- do.call(mean_plan, list(setting[[2]], setting[[1]], setting[[3]], c(epsilon = setting[[4]]),
                                       method = "intrinsic"))
    expect_identical(shown_noise(clamped)$space, "tangent")
  }
})

test_that("the lattice is public, fine against the noise, and coarse against rounding", {
  for (ball in mean_balls()) {
    for (scale in c(1e-300, 1e-9, 0.1, 1e6)) {
      step <- chart_step(ball$manifold, ball$radius, scale)
      expect_identical(log2(step), round(log2(step)))
      longest <- max(ball$radius, min(ball$manifold$dimension * scale, ball$manifold$reach))
      expect_lte(step, max(2^-16 * scale, 2^-35 * longest))
      expect_gte(step, max(2^-21 * min(scale, ball$manifold$reach), 2^-36 * longest))
    }
  }
  expect_gt(chart_step(manifold_hyperbolic(2), 1e5, 1), 0)
})

test_that("any scale can be drawn or is refused by name before it is spent", {
  balls <- mean_balls()
  for (kind in c("euclidean", "sphere", "hyperbolic", "spd")) {
    ball <- balls[[kind]]
    for (epsilon in c(1e-25, 1e-9, 1e9, 1e300)) {
      released <- release_of(ball, points_about(ball, 3), epsilon = epsilon)
      expect_lte(distance_from(ball, released$value), ball$radius * (1 + 1e-9))
    }
    budget <- privacy_budget(epsilon = 1)
    least <- function(epsilon) release_of(ball, points_about(ball, 3), epsilon = epsilon, budget = budget)
    if (kind == "sphere") next
    error <- expect_error(least(1e-300), "`epsilon` must be at least", class = "dptda_error_argument")
    expect_identical(budget$spent, 0)
    said <- as.numeric(sub(".*at least ([0-9.e-]+) here.*", "\\1", conditionMessage(error)))
    expect_silent(least(said))
  }
  line <- list(manifold = manifold_euclidean(2), center = c(0, 0))
  for (radius in c(1e-250, 1e250)) {
    for (charge in list(list(epsilon = 1e-3), list(rho = 1e-6))) {
      V <- as.numeric(do.call(release_of, c(list(c(line, radius = radius), t(c(0, 0))), charge)))
      expect_equal(sqrt(sum((V / radius)^2)), 1)
    }
  }
  for (radius in c(5e-324, 1e-310, 1.7e308)) {
    for (charge in list(list(epsilon = 1), list(rho = 1))) {
      expect_error(do.call(release_of, c(list(c(line, radius = radius), t(c(0, 0))), charge)), "`radius`",
                   class = "dptda_error_argument")
    }
  }
  # a sampler that gives up
  tired <- function(...) stop_dptda("argument", "too hard")
  mechanism <- function() mean_plan(1, manifold_spd(2), 0.1, c(epsilon = 1.5), method = "intrinsic")
  expect_identical(shown_noise(mechanism())$space, "manifold")
  expect_identical(shown_noise(with_replaced("draw_laplace", tired, mechanism()))$space, "tangent")
  # the uniform distribution, and no number for a draw in a space without end
  for (manifold in list(manifold_sphere(1), manifold_sphere(2), manifold_rotation(4), manifold_grassmann(2, 5),
                        manifold_shapes(5))) {
    point <- shape_points(cbind(origin_of(manifold)), manifold, single = TRUE)
    for (epsilon in c(1e-31, 1e-300)) {
      for (support in c("ball", "manifold")) {
        expect_silent(private_frechet_mean(point, manifold, point, 0.3, epsilon = epsilon, support = support,
                                           method = "intrinsic"))
      }
    }
  }
  expect_error(private_frechet_mean(rbind(c(0, 0, 1)), own_sphere(), c(0, 0, 1), 0.3, epsilon = 1e-300,
                                    support = "manifold", method = "intrinsic"),
               "`method`", class = "dptda_error_argument")
  # a center that doubles cannot tell from others
  expect_error(private_frechet_mean(1e-300 * diag(2), manifold_spd(2, "log-euclidean"), 1e-300 * diag(2), 1e-3,
                                    epsilon = 1),
               "`center`", class = "dptda_error_argument")
})

test_that("a release prints its value, its noise and its promise", {
  set.seed(715)
  ball <- mean_balls()$euclidean
  released <- release_of(ball, cbind(seq(0, 1, by = 0.1), 0), rho = 1)
  expect_identical(capture.output(expect_invisible(print(released))), c(
    "<private frechet mean>",
    "11 points, Euclidean space of dimension 2",
    capture.output(print(released$value)),
    "noise: within 0.629 of the mean of the clamped points (95%)",
    "rho = 1 zero-concentrated differential privacy for one row (replace one row, n",
    "  public) -- SEEDED: NOT PRIVATE",
    "rounded Gaussian noise on the manifold, clamped to the ball, on a Frechet mean,",
    "  sensitivity 0.3636, sampler: exact",
    "randomness: R's stream"
  ))
  shown <- capture.output(print(release_of(mean_balls()$sphere, t(c(0, 0, 1)), epsilon = 1, method = "ambient")))
  expect_match(shown, "not a point of the manifold", all = FALSE)
  expect_match(shown, "1 point, sphere", all = FALSE)
})

test_that("whether draws take too long is known before a budget is spent", {
  skip_if_instrumented()
  # a matrix in which neither tangent nor uniform proposals are accepted
  manifold <- manifold_rotation(20)
  release <- function(support, budget = NULL) {
    private_frechet_mean(diag(20), manifold, diag(20), radius = 1, epsilon = 4, support = support, method = "intrinsic",
                         budget = budget)
  }
  budget <- privacy_budget(epsilon = 4)
  expect_error(release("manifold", budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  expect_identical(release("ball")$noise$space, "tangent")
})

test_that("draws are found within a few hundred tries wherever the mean is", {
  # tries are counted by their cost: a run of many is a run of much work
  far <- function(a) c(cosh(a), sinh(a), double(19))
  origin <- far(0)
  settings <- list(list(manifold_hyperbolic(20), origin, 2, 5), list(manifold_hyperbolic(10), origin[1:11], 4, 3),
                   list(manifold_spd(8), diag(8), 6, 3),
                   list(manifold_product(manifold_euclidean(3), manifold_rotation(3)), list(c(0, 0, 0), diag(3)),
                        1, 1e-4))
  for (setting in settings) {
    manifold <- setting[[1]]
    mechanism <- mean_plan(10, manifold, setting[[3]], c(epsilon = setting[[4]]), method = "intrinsic")
    if (!is_intrinsic(mechanism)) next
    rim <- cbind(c(setting[[3]], double(manifold$dimension - 1)))
    for (part in c(0, 0.5, 1)) {
      statistic <- plan_statistic(mechanism, part * rim[, rep(1, 10)])
      drawn <- draw_laplace(20, mechanism$space, statistic, mechanism$scale, rng = "R",
                            origin = mechanism$origin_of_noise)
      expect_gt(drawn$acceptance, 1 / 300)
    }
  }
})

test_that("a private mean gives its value as a matrix and as numbers", {
  release <- private_frechet_mean(diag(2), manifold_spd(2), diag(2), 1, epsilon = 5)
  expect_identical(as.matrix(release), release$value)
  expect_identical(as.vector(release), as.numeric(release$value))
  expect_identical(array(release, c(2, 2)), release$value)
  expect_identical(as.list(release)$value, release$value)
  expect_identical(summary(release), release)
  point <- private_frechet_mean(c(0, 0, 1), manifold_sphere(2), c(0, 0, 1), .5, epsilon = 5)
  expect_identical(as.matrix(point), cbind(point$value))
  line <- manifold_euclidean(1)
  pair <- private_frechet_mean(list(0, 0), manifold_product(line, line), list(0, 0), 1, epsilon = 5)
  expect_error(as.matrix(pair), "not a list", class = "dptda_error_argument")
  expect_length(as.vector(pair), 2)
})
