# Rows of private means that are off the manifold, by the digits of their file or because they are singular: each is
# moved to it by itself, or is an error before anything is drawn or charged. Seeds are fixed, and nothing here is left
# to chance.

bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

float32 <- function(x) readBin(writeBin(as.vector(x), raw(), size = 4), "double", length(x), size = 4)

# Balls on every manifold, with points of it as columns.
row_balls <- function() {
  balls <- mean_balls()
  balls$turns <- list(manifold = manifold_rotation(5), center = diag(5), radius = 0.6)
  balls$lines <- list(manifold = manifold_grassmann(1, 3), center = cbind(c(0, 0.6, 0.8)), radius = 0.3)
  balls$wide_spd <- list(manifold = manifold_spd(10), center = diag(10:1), radius = 3)
  balls$by_hand <- list(manifold = own_sphere(), center = c(0, 0, 1), radius = 0.3)
  balls$pair <- list(manifold = manifold_product(manifold_sphere(2), manifold_spd(2), manifold_rotation(3)),
                     center = list(c(0, 0, 1), diag(2), diag(3)), radius = 0.5)
  balls
}

# Coordinates of the mean of the rows about the center of the ball, noise being far below the digits.
mean_of_rows <- function(ball, P) {
  x <- shape_points(P, ball$manifold)
  private_frechet_mean(x, ball$manifold, ball$center, ball$radius, epsilon = 1e9, rng = "R")$coordinates
}

# The lattice of releases is a millionth of the radius here.
expect_near <- function(coordinates, exact, ball, tolerance = 2e-6) {
  expect_lte(max(abs(coordinates - exact)), tolerance * ball$radius, label = ball$manifold$title)
}

test_that("rows with the digits of a file have the mean of the exact rows, on every manifold", {
  set.seed(4201)
  roundings <- list(list(float32, 1e-6), list(function(x) round(x, 7), 1e-6), list(function(x) round(x, 6), 1e-5),
                    list(function(x) round(x, 5), 1e-4), list(function(x) round(x, 4), 1e-3))
  for (ball in row_balls()) {
    P <- t(points_about(ball, 60, ball$radius * 0.9))
    exact <- mean_of_rows(ball, P)
    expect_gt(sqrt(sum(exact^2)), 0.001) # it is not the center
    for (rounding in roundings) {
      rounded <- matrix(rounding[[1]](P), nrow(P))
      expect_near(mean_of_rows(ball, rounded), exact, ball, 5 * rounding[[2]])
    }
  }
})

test_that("directions have any length, and subspaces any basis, also of people with many rows", {
  set.seed(4202)
  balls <- row_balls()
  sizes <- rep_len(c(3, 0.001, 1e100, 1e-290, 1e300), 20)
  for (ball in balls[c("sphere", "wide", "circle", "by_hand", "lines", "shapes")]) {
    P <- t(points_about(ball, 20))
    exact <- mean_of_rows(ball, P)
    times <- if (ball$manifold$kind == "custom") rep_len(c(3, 0.001, 2, 9, 1e5), 20) else sizes
    expect_near(mean_of_rows(ball, P * rep(times, each = nrow(P))), exact, ball)
  }
  ball <- balls$subspaces
  P <- t(points_about(ball, 20))
  others <- apply(P, 2, function(x) matrix(x, 4) %*% matrix(stats::rnorm(4), 2) %*% diag(c(1e-150, 1e150)))
  expect_near(mean_of_rows(ball, others), mean_of_rows(ball, P), ball)
  X <- points_about(balls$sphere, 30)
  release <- function(X) {
    rows <- table_rows(X, person = rep(1:10, 3))
    private_frechet_mean(rows, balls$sphere$manifold, c(0, 0, 1), 0.4, epsilon = 1e9, rng = "R")$value
  }
  expect_lte(max(abs(release(X * sizes[1:5]) - release(X))), 1e-6)
})

test_that("matrices are symmetric to 1%, and those of unequal triangles are moved to their symmetric part", {
  set.seed(4203)
  for (metric in c("affine", "log-euclidean")) {
    ball <- list(manifold = manifold_spd(4, metric), center = diag(4), radius = 2)
    P <- t(points_about(ball, 30, 1.5))
    skew <- apply(P, 2, function(x) {
      a <- matrix(stats::rnorm(16), 4)
      x + as.vector(a - t(a)) * 1e-3 * sqrt(sum(x^2)) / sqrt(sum(a^2))
    })
    expect_near(mean_of_rows(ball, skew), mean_of_rows(ball, P), ball)
  }
})

test_that("singular matrices are at the edge of the ball, as those are that are hardly definite", {
  set.seed(4204)
  for (metric in c("affine", "log-euclidean")) {
    manifold <- manifold_spd(5, metric)
    center <- crossprod(matrix(stats::rnorm(25), 5)) + diag(5)
    # fewer samples than columns, and columns that sum to zero
    singular <- lapply(1:40, function(i) {
      X <- matrix(stats::rnorm(20 + 20 * (i %% 2) * 5), ncol = 5)
      stats::cov(X - if (i %% 2) rowMeans(X) else 0)
    })
    P <- matrix(unlist(singular), 25)
    place <- function(P, radius) private_coordinates(P, manifold, as.vector(center), radius)
    for (radius in c(0.5, 2, 4)) {
      V <- place(P, radius)
      expect_equal(sqrt(colSums(V^2)), rep(radius, 40), tolerance = 1e-12)
      # what rounding makes of the zeros, of either sign, does not matter, nor does what users add against it
      for (much in c(1e-15, -1e-15, 1e-10, if (radius < 4) c(1e-8, -1e-8))) {
        moved <- P + much * rep(colSums(P[seq(1, 25, 6), ]), each = 25) * as.vector(diag(5))
        expect_equal(place(moved, radius), V, tolerance = 1e-3)
      }
    }
    # the part in which they are not singular counts
    expect_gt(sum(apply(place(P, 2), 1, stats::var)), 0.01)
  }
  # the null space is far below the center, and zero is in no direction above another
  P <- cbind(c(2, 0, 0, 0), 0, c(1, 0, 0, 1e-300))
  V <- private_coordinates(P, manifold_spd(2), c(1, 0, 0, 1), 1)
  expect_equal(V[, 1], c(log(2), 0, -3) / sqrt(9 + log(2)^2))
  expect_equal(V[, 2], c(-1, 0, -1) * sqrt(0.5))
  expect_equal(V[, 3], c(0, 0, -1))
  flat <- private_coordinates(cbind(c(2, 0, 0, 0)), manifold_spd(2, "log-euclidean"), c(4, 0, 0, 1), 1)
  expect_equal(c(flat), c(log(2 / 4), 0, -3) / sqrt(9 + log(2)^2))
  expect_equal(private_frechet_mean(c(0, 0, 1), manifold_spd(1), 1, 2, epsilon = 1e9)$value,
               matrix(exp(-4 / 3)), tolerance = 1e-5)
})

test_that("a row is moved by itself: neither the others nor their order have a part in it", {
  set.seed(4205)
  for (ball in row_balls()) {
    center <- as.double(unlist(ball$center))
    P <- t(points_about(ball, 25, 2 * ball$radius))
    P <- P * (1 + 1e-3 * matrix(stats::rnorm(length(P)), nrow(P)))
    place <- function(P) private_coordinates(P, ball$manifold, center, ball$radius)
    V <- place(P)
    order <- sample(25)
    expect_identical(place(P[, order]), V[, order, drop = FALSE])
    for (i in c(1, 13)) expect_identical(place(P[, i, drop = FALSE]), V[, i, drop = FALSE])
    expect_identical(withr::with_options(list(dptda.threads = 2), place(P[, rep(1:25, 400)])),
                     V[, rep(1:25, 400), drop = FALSE])
    expect_lte(max(colSums(V^2)), (ball$radius * (1 + 1e-9))^2)
  }
})

# For each manifold what is no row of it: columns beside good ones.
rows_without_point <- function() {
  balls <- row_balls()
  lower <- c(2, 0.5, 0, 1)
  negative <- c(2, 0, 0, -0.3)
  list(
    list(balls$euclidean, cbind(c(Inf, 0))),
    list(balls$sphere, cbind(0, c(Inf, 0, 1))),
    list(balls$hyperbolic, cbind(c(5, 1, 1), c(-1, 0, 0), c(1, Inf, 0))),
    list(balls$spd, cbind(lower, negative, c(-1, 0, 0, -1), c(Inf, 0, 0, 1))),
    list(list(manifold = manifold_spd(1), center = matrix(1), radius = 1), cbind(-1, Inf)),
    list(balls$spd_log, cbind(lower, negative, c(0, 1, 1, 0))),
    list(balls$rotation, cbind(c(1, 0, 0, 0, 1, 0, 0, 0, -1), 0, 2 * as.vector(diag(3)), c(1, 0, 0, 0, 1, 0, 0, 0, 0),
                               1e300 * as.vector(diag(3)))),
    list(balls$subspaces, cbind(0, c(1, 2, 3, 4, 2, 4, 6, 8), c(1, 0, 0, 0, Inf, 0, 0, 0))),
    list(balls$shapes, cbind(c(Inf, 0, 1, 0, 0, 1, 1, 0))),
    list(balls$pair, cbind(c(0, 0, 0, diag(2), diag(3)), c(0, 0, 1, lower, diag(3)), c(0, 0, 1, diag(2), -diag(3)),
                           c(0, 0, 1, diag(2), 1e300 * diag(3)))),
    list(list(manifold = own_line(), center = 1, radius = 2), cbind(-1))
  )
}

test_that("a row that has no point is an error before anything is drawn or charged, and no row or value is in it", {
  set.seed(4206)
  for (case in rows_without_point()) {
    ball <- case[[1]]
    d <- ball$manifold$dimension
    good <- normal_points(matrix(0.01, d, 7), ball$manifold, as.double(unlist(ball$center)))
    messages <- character()
    for (i in seq_len(ncol(case[[2]]))) for (cost in list(list(epsilon = 1), list(rho = 1))) {
      budget <- privacy_budget(epsilon = 5)
      if (!is.null(cost$rho)) budget <- privacy_budget(rho = 5)
      x <- shape_points(cbind(good, case[[2]][, i], good), ball$manifold)
      set.seed(1)
      before <- .Random.seed
      release <- function(x) {
        do.call(private_frechet_mean, c(list(x, ball$manifold, ball$center, ball$radius, budget = budget, rng = "R"),
                                        cost))
      }
      condition <- bad(release(x), "`x` must have rows that can be moved to the manifold")
      expect_identical(budget$spent, 0)
      expect_identical(.Random.seed, before)
      messages <- c(messages, conditionMessage(condition))
    }
    expect_length(unique(messages), 1)
    # the same of people, and where rows come to a mechanism
    if (ball$manifold$kind %in% c("product", "custom")) next
    rows <- table_rows(t(cbind(good, case[[2]][, 1])), person = c(1:4, 1:4))
    bad(private_frechet_mean(rows, ball$manifold, ball$center, ball$radius, epsilon = 1), "`x` must have rows that can")
  }
  # a user's logarithm that gives no numbers
  own <- manifold_custom(shape = 1, dimension = 1, exp = function(x, v) x * exp(v / x), log = function(x, y) {
    suppressWarnings(x * log(y / x))
  }, basis = function(x) matrix(x), curvature = c(0, 0), injectivity_radius = Inf)
  for (row in c(0, -1)) bad(private_frechet_mean(c(1, 2, row), own, 1, 2, epsilon = 1), "`project` and `log`")
})

test_that("what a function of the user's says of a row is not heard", {
  speaks <- function(say) {
    manifold_custom(
      shape = 1, dimension = 1, exp = function(x, v) x + v, basis = function(x) matrix(1), curvature = c(0, 0),
      log = function(x, y) {
        if (abs(y) > 9) say("the row is ", format(as.double(y)))
        y - x
      },
      injectivity_radius = Inf, homogeneous = TRUE, name = "line"
    )
  }
  rows <- c(1, 2, 17, 3)
  budget <- privacy_budget(epsilon = 100)
  for (line in list(speaks(stop), manifold_product(speaks(stop), manifold_euclidean(1)))) {
    x <- if (line$kind == "custom") rows else lapply(rows, function(row) list(row, 0))
    center <- if (line$kind == "custom") 1 else list(1, 0)
    asked <- tryCatch(private_frechet_mean(x, line, center, 2, epsilon = 100, budget = budget), error = identity)
    expect_s3_class(asked, "dptda_error_argument")
    expect_no_match(conditionMessage(asked), "17")
    expect_no_match(geterrmessage(), "17")
  }
  expect_identical(budget$spent[[1]], 0)
  for (say in list(warning, message)) {
    expect_silent(private_frechet_mean(rows, speaks(say), 1, 2, epsilon = 100))
  }
})

test_that("any finite row that has a point has coordinates within the ball, whatever the size of its numbers", {
  set.seed(4207)
  sizes <- c(5e-324, 1e-310, 1e-300, 1e-160, 1e160, 1e300, 1.7e308)
  balls <- row_balls()
  far <- list(list(manifold = manifold_spd(2), center = c(1e-150, 0, 0, 1e150), radius = 3),
              list(manifold = manifold_spd(2, "log-euclidean"), center = c(1e-250, 0, 0, 1e200), radius = 500),
              list(manifold = manifold_spd(1), center = 1e-300, radius = 20))
  for (ball in c(balls[c("euclidean", "sphere", "wide", "lines", "spd", "spd_log", "wide_spd", "shapes")], far)) {
    size <- ball$manifold$size
    p <- ball$manifold$shape[1]
    P <- if (startsWith(ball$manifold$kind, "spd")) {
      cbind(as.vector(diag(p)), as.vector(matrix(0.5, p, p) + diag(0.5, p)), as.vector(tcrossprod(seq_len(p) / p)),
            as.vector(diag(c(1, double(p - 1)), p)), as.vector(diag(10^seq(0, -30, length.out = p), p)))
    } else {
      cbind(1, diag(1, size), c(1, double(size - 1)))
    }
    for (times in if (size < 10) sizes else sizes[3:6]) { # subnormal numbers lose what makes a matrix semidefinite
      V <- private_coordinates(P * times, ball$manifold, as.double(ball$center), ball$radius)
      expect_true(all(is.finite(V)))
      expect_lte(max(colSums(V^2)), (ball$radius * (1 + 1e-9))^2)
      if (ball$manifold$kind %in% c("sphere", "grassmann", "shapes")) {
        expect_equal(V, private_coordinates(P, ball$manifold, as.double(ball$center), ball$radius), tolerance = 1e-12)
      } else if (times > 1e200 && ball$radius < 400) {
        expect_equal(sqrt(colSums(V^2)), rep(ball$radius, ncol(P))) # far out in a direction, and not at the center
      }
    }
  }
  # beyond the range of points there is a direction
  V <- private_coordinates(cbind(c(1e300, 1e300, 0), c(1e150, 0, -1e150)), manifold_hyperbolic(2), c(1, 0, 0), 2)
  expect_equal(V, cbind(c(2, 0), c(0, -2)))
})

test_that("geodesics take rows to the ball's edge within three radii of the center", {
  set.seed(4208)
  for (ball in row_balls()) {
    reach <- min(3 * ball$radius, ball$manifold$injectivity_radius * 0.9)
    V <- matrix(stats::rnorm(20 * ball$manifold$dimension), ncol = 20)
    V <- sweep(V, 2, reach / sqrt(colSums(V^2)), `*`)
    center <- as.double(unlist(ball$center))
    seen <- private_coordinates(normal_points(V, ball$manifold, center), ball$manifold, center, ball$radius)
    expect_equal(seen, V * (ball$radius / reach), tolerance = 1e-6)
  }
})

test_that("what is no point is refused elsewhere, and the error says what to do", {
  says <- function(x, manifold, words) bad(frechet_mean(x, manifold), words)
  says(rbind(c(3, 0, 0)), manifold_sphere(2), "Divide each vector by its length")
  says(diag(c(2, 1, 0)), manifold_spd(3), "Add a small multiple of diag\\(nrow\\(x\\)\\) to a singular")
  says(round(diag(3) / 3, 3), manifold_rotation(3), "svd")
  says(matrix(1:6, 3), manifold_grassmann(2, 3), "qr.Q")
  says(rbind(c(2, 0, 0)), manifold_hyperbolic(2), "The first number must be")
})

# ---- what the user's functions and calls say -------------------------------------------------------------------------

# The plane of positive numbers, with the distances of their logarithms, and a basis by hand.
positive_pair <- function(basis, ...) {
  manifold_custom(shape = 2, dimension = 2, exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
                  basis = basis, curvature = c(0, 0), injectivity_radius = Inf, ...)
}

test_that("a basis of the user's that is not orthonormal, or not tangent, is refused at the center", {
  release <- function(manifold, center, x = center) {
    private_frechet_mean(if (is.list(x)) x else rbind(x, x), manifold, center, 0.4, epsilon = 1)
  }
  apart <- function(x, y) sqrt(sum(log(y / x)^2))
  expect_s3_class(release(positive_pair(diag, distance = apart), c(2, 5)), "dptda_private_frechet_mean")
  turned <- function(x) diag(x) %*% matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2)
  expect_s3_class(release(positive_pair(turned, distance = apart), c(2, 5)), "dptda_private_frechet_mean")
  wrong <- list(long = function(x) 2 * diag(x), unscaled = function(x) diag(2),
                oblique = function(x) diag(x) %*% matrix(c(1, 0, 0.6, 0.8), 2))
  for (basis in wrong) {
    own <- positive_pair(basis, distance = apart)
    bad(release(own, c(2, 5)), "`manifold` must have a `basis` of orthonormal tangent vectors")
    bad(private_frechet_mean(unseen(10), own, c(2, 5), 0.4, rho = 1), "`manifold` must have a `basis`")
    pair <- manifold_product(manifold_sphere(1), own)
    bad(release(pair, list(c(1, 0), c(2, 5)), list(rbind(c(1, 0)), rbind(c(2, 5)))), "`manifold` must have a `basis`")
  }
  # right at the center, but not elsewhere
  bad(release(positive_pair(function(x) diag(c(2, 5)), distance = apart), c(2, 5)), "`manifold` must have a `basis`")
  bad(release(positive_pair(function(x) diag(c(2, 5))), c(2, 5)), "`manifold` must have a `basis`")
  elsewhere <- positive_pair(diag)
  elsewhere$functions$log <- function(x, y) if (identical(x, c(2, 5))) x * log(y / x) else y - x
  bad(release(elsewhere, c(2, 5)), "`manifold` must have a `basis`")
  # values that are missing, or are not numbers
  for (value in list(NA_real_, NaN, Inf, "a", NULL)) for (name in c("exp", "log", "basis")) {
    own <- positive_pair(diag)
    # like a function of the user that branches on its argument
    own$functions$exp <- function(x, v) if (sum(v^2) > 0) x * exp(v / x) else x
    own$functions[[name]] <- function(...) rep(value, if (name == "basis") 4 else 2)
    bad(release(own, c(2, 5)), paste0("must have a function `", name, "` that returns [24] finite numbers"))
  }
  # a basis that a pivot of qr() has turned out of the tangent plane
  sphere <- own_sphere()
  sphere$functions$basis <- function(x) qr.Q(qr(cbind(x, diag(3))))[, 1:2]
  expect_s3_class(release(own_sphere(), c(0.6, 0, 0.8)), "dptda_private_frechet_mean")
  bad(release(sphere, c(0.6, 0, 0.8)), "`manifold` must have a `basis`")
  # matrices, and lengths that are small or large
  doubled <- manifold_custom(shape = c(2, 2), dimension = 3, curvature = c(0, 0), injectivity_radius = Inf,
                             exp = function(x, v) x + v, log = function(x, y) y - x,
                             basis = function(x) cbind(c(1, 0, 0, 0), c(0, 1, 1, 0) * sqrt(0.5), c(0, 0, 0, 1)))
  for (radius in c(1e-9, 1e9)) {
    expect_silent(private_frechet_mean(array(diag(2), c(2, 2, 9)), doubled, diag(2), radius, epsilon = 100))
  }
})

test_that("a call without a manifold is answered by one that works, in its words", {
  set.seed(4209)
  matrices <- lapply(1:40, function(i) stats::cov(matrix(stats::rnorm(60), 20)))
  directions <- matrix(stats::rnorm(300), 100)
  frames <- replicate(40, qr.Q(qr(matrix(stats::rnorm(8), 4))))
  heights <- stats::rnorm(40)
  people <- table_rows(directions, person = rep(1:50, 2))
  for (call in expression(private_frechet_mean(matrices), private_frechet_mean(directions),
                          private_frechet_mean(as.data.frame(directions)), private_frechet_mean(frames),
                          private_frechet_mean(heights), private_frechet_mean(people), frechet_mean(matrices))) {
    told <- conditionMessage(bad(eval(call), "^`manifold` must be given: "))
    offered <- sub("[.]$", "", sub(".*, as in ", "", told))
    expect_match(offered, paste0(call[[1]], "\\("))
    x <- eval(call[[2]]) # the name of what has none
    expect_no_error(suppressWarnings(eval(parse(text = offered))))
  }
  expect_match(conditionMessage(bad(private_frechet_mean(matrices))), "manifold_rotation(3) for rotations",
               fixed = TRUE)
})

test_that("no neighbors with rows off the manifold move the statistic by more than its sensitivity", {
  skip_if_instrumented()
  set.seed(4210)
  kinds <- c("euclidean", "sphere", "hyperbolic", "spd", "spd_log", "rotation", "subspaces", "shapes", "wide_spd")
  for (ball in row_balls()[kinds]) {
    manifold <- ball$manifold
    P <- t(points_about(ball, 120, 2 * ball$radius))
    P <- P * (1 + 0.004 * matrix(stats::rnorm(length(P)), nrow(P)))
    if (manifold$kind %in% c("sphere", "spd", "spd_log")) {
      P[, 1:40] <- P[, 1:40] * rep(c(1e-300, 1e300), each = nrow(P))
    }
    if (startsWith(manifold$kind, "spd")) { # of rank one
      P[, 41:80] <- apply(P[, 41:80], 2, function(x) as.vector(tcrossprod(x[seq_len(manifold$shape[1])])))
    }
    rows <- .Call(ffi_manifold_chart_rows, manifold, as.double(ball$center), P, ball$radius, kernel_options())
    V <- rows$value[, rows$stray <= row_tolerance]
    expect_gt(ncol(V), 60)
    for (measure in list(c(epsilon = 1), c(rho = 1))) for (n in 1:2) {
      mechanism <- mean_plan(n, manifold, ball$radius, measure, center = as.double(ball$center))
      worst <- max(replicate(30, {
        of <- sample(ncol(V), n + 1)
        change_of_statistic(mechanism, plan_statistic(mechanism, V[, of[-1], drop = FALSE]),
                            plan_statistic(mechanism, V[, replace(of, 2, of[1])[-1], drop = FALSE]))
      }))
      expect_lte(worst, mechanism$sensitivity)
      expect_gt(worst, mechanism$sensitivity / 3)
    }
  }
})
