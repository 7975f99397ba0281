with_device <- function(code) {
  grDevices::pdf(NULL, width = 5, height = 5)
  on.exit(grDevices::dev.off())
  force(code)
}

cases <- function() {
  set.seed(1)
  directions <- cbind(stats::rnorm(50, sd = 0.1), stats::rnorm(50, sd = 0.1), 1)
  list(
    sphere = list(X = 2 * directions / sqrt(rowSums(directions^2)), manifold = manifold_sphere(2, radius = 2),
                  center = c(0, 0, 2), radius = 0.7),
    south = list(X = rbind(c(0, -1, 0)), manifold = manifold_sphere(2), center = c(0, -1, 0), radius = 0.3),
    hyperbolic = list(X = rbind(c(1, 0, 0), c(sqrt(2), 1, 0)) / 2, manifold = manifold_hyperbolic(2, -4),
                      center = c(0.5, 0, 0),
                      radius = 1),
    spd2 = list(X = stats::rWishart(20, 8, diag(2) / 8), manifold = manifold_spd(2), center = diag(2), radius = 1.5),
    log = list(X = stats::rWishart(20, 8, diag(2) / 8), manifold = manifold_spd(2, "log-euclidean"),
               center = diag(c(1, 2)), radius = 1),
    spd3 = list(X = stats::rWishart(20, 8, diag(3) / 8), manifold = manifold_spd(3), center = diag(3), radius = 1.5),
    shapes = list(X = as_shapes(array(c(1, 2, 5, 4, 0, 1, 1, 3) + stats::rnorm(160, sd = 0.2), c(4, 2, 20))),
                  manifold = manifold_shapes(4), center = as_shapes(cbind(c(1, 2, 5, 4), c(0, 1, 1, 3))), radius = 0.3)
  )
}

test_that("private means of these spaces can be drawn, with and without data", {
  with_device({
    for (case in cases()) {
      release <- function(epsilon) {
        private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = epsilon, rng = "R")
      }
      for (epsilon in c(0.01, 100)) expect_identical(withVisible(plot(release(epsilon)))$visible, FALSE)
      expect_silent(plot(release(1), data = case$X, level = 0.5, main = "title", legend = FALSE))
    }
  })
})

test_that("what noise puts far away is drawn, or refused by the distance; its print has no gap", {
  refused <- 0
  for (case in cases()[c("hyperbolic", "spd2", "spd3")]) for (epsilon in c(0.3, 1e-4)) {
    release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = epsilon,
                                    support = "manifold", rng = "R")
    expect_false(any(grepl("within  ", utils::capture.output(print(release)), fixed = TRUE)))
    drawn <- function(draw) {
      tryCatch(expect_silent(with_device(draw(release))), dptda_error_argument = function(cnd) {
        expect_match(conditionMessage(cnd), "must be within a distance of [0-9]+ of the center to be drawn")
        refused <<- refused + 1
      })
    }
    drawn(plot)
    if (requireNamespace("ggplot2", quietly = TRUE)) drawn(function(release) print(ggplot2::autoplot(release)))
  }
  expect_gt(refused, 0)
})

test_that("the picture has the level of the print, in the same words", {
  case <- cases()$sphere
  release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = 1)
  expect_output(print(release), "(95%)", fixed = TRUE)
  expect_true("mean (95%)" %in% drawn_text(plot(release)))
  expect_true("mean (90%)" %in% drawn_text(plot(release, level = 0.9)))
  expect_error(plot(release, probability = 0.9), "no argument `probability`", class = "dptda_error_argument")
})

test_that("an ambient release is drawn where it can be", {
  with_device({
    for (case in cases()[c("sphere", "spd2", "spd3", "shapes")]) for (epsilon in c(0.01, 100)) {
      release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = epsilon,
                                      method = "ambient", rng = "R")
      expect_silent(plot(release, data = case$X))
    }
  })
})

test_that("ggplot2 draws the shapes that plot() draws", {
  skip_if_not_installed("ggplot2")
  for (case in cases()) for (method in c("tangent", "intrinsic", "ambient")) {
    if (method == "ambient" && is.null(kind_of(case$manifold)$ambient)) next
    release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = 1, method = method,
                                    rng = "R")
    expect_silent(with_device(print(ggplot2::autoplot(release, data = case$X))))
  }
  case <- cases()$sphere
  release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = 1)
  expect_true(all(c("public ball", "release", "mean (90%)") %in%
                    drawn_text(print(ggplot2::autoplot(release, level = .9)))))
  shapes <- globe_shapes(release, NULL, .1)
  ball <- shapes[shapes$part %in% "ball", c("x", "y")]
  expect_equal(unname(t(as.matrix(ball))),
               globe_map(release)(geodesic_circle(release$manifold, case$center, case$radius))[1:2, ])
  flat <- private_frechet_mean(matrix(0, 2, 2), manifold_euclidean(2), c(0, 0), 1, epsilon = 1)
  expect_error(ggplot2::autoplot(flat), "`object`", class = "dptda_error_argument")
})

test_that("landmarks are numbered, at most 20 of them, and regions of many do not darken each other", {
  for (k in c(4, 40)) {
    angle <- 2 * pi * seq_len(k) / k
    center <- as_shapes(cbind(2 * cos(angle), sin(angle)))
    release <- private_frechet_mean(array(center, c(k, 2, 100)), manifold_shapes(k), center, 0.3, epsilon = 1,
                                    rng = "R")
    wanted <- as.character(if (k == 4) 1:4 else seq(1, 39, by = 2))
    expect_true(all(wanted %in% drawn_text(plot(release, legend = FALSE))))
    expect_false(any(as.character(setdiff(seq_len(k), wanted)) %in% drawn_text(plot(release, legend = FALSE))))
    shapes <- shape_shapes(release, NULL, 0.1)
    expect_identical(shapes$label[shapes$kind == "label"], wanted)
    expect_identical(sum(shapes$kind == "line"), 2L * as.integer(k))
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      expect_true(all(wanted %in% drawn_text(print(ggplot2::autoplot(release)))))
    }
  }
  expect_identical(pale_color(c(a = "#000000"), 0.5), c(a = "#7F7F7F"))
  expect_identical(pale_color("#0072B2", 1), "#0072B2")
})

test_that("bands hold the ellipses of their ball, and are attained in the affine invariant metric", {
  turn <- seq(0, 2 * pi, length.out = 9)
  center <- matrix(c(2, 0.5, 0.5, 1), 2)
  band <- ellipse_band(manifold_spd(2), as.vector(center), 1.2, turn)
  reach <- ellipse_reach(center, turn)
  expect_equal(band, rbind(reach * exp(-0.6), reach * exp(0.6)), tolerance = 1e-2)
  set.seed(2)
  inside <- rmanifold_uniform(200, manifold_spd(2), center = center, radius = 1.2)
  for (i in 1:200) {
    each <- ellipse_reach(inside[, , i], turn)
    expect_true(all(each <= reach * exp(0.6) * (1 + 1e-9) & each >= reach * exp(-0.6) * (1 - 1e-9)))
  }
})

test_that("regions of landmarks hold those of the shapes of the ball, and are attained", {
  set.seed(3)
  M <- manifold_shapes(5)
  for (reach in c(0.05, 0.35, 1)) {
    center <- as_shapes(matrix(stats::rnorm(10), 5))
    z <- complex_landmarks(c(center))[, 1]
    V <- matrix(stats::rnorm(6 * 4000), 6)
    near <- turned_to(z, normal_points(sweep(V, 2, reach / sqrt(colSums(V^2)), `*`), M, c(center)))
    # the same landmark of all shapes is within the support of the region, in each direction of a polygon
    gaps <- vapply(1:5, function(j) {
      region <- regions_of_shape(z, reach)[[j]]
      support <- function(points) vapply(exp(1i * (1:12) * pi / 6), function(e) max(Re(points * Conj(e))), 0)
      range((support(region) - support(near[j, ])) / (max(support(region)) + max(support(-region))))
    }, c(0, 0))
    expect_gt(min(gaps), -2e-3) # of a polygon, and of 25 disks
    expect_lt(max(gaps), 0.25)
  }
})

test_that("geodesic circles have their radius, and the globe's view is a rotation", {
  circle <- geodesic_circle(manifold_sphere(2), c(0, 0.6, 0.8), 0.4, steps = 12)
  expect_equal(manifold_distance(t(circle), c(0, 0.6, 0.8), manifold_sphere(2)), rep(0.4, 12))
  for (center in list(c(0, 0, 1), c(0, 0, -1), c(1, 0, 0), c(0, 0.6, 0.8))) {
    view <- globe_view(center)
    expect_equal(view %*% t(view), diag(3))
    expect_equal(det(view), 1)
    expect_gt((view %*% center)[3], 0.9)
  }
})

test_that("what cannot be drawn, and bad arguments, get a classed error", {
  with_device({
    flat <- private_frechet_mean(diag(2), manifold_euclidean(2), c(0, 0), 1, epsilon = 1)
    expect_error(plot(flat), class = "dptda_error_argument")
    case <- cases()$sphere
    release <- private_frechet_mean(case$X, case$manifold, case$center, case$radius, epsilon = 1)
    expect_error(plot(release, level = 1), class = "dptda_error_argument")
    expect_error(plot(release, data = diag(2)), class = "dptda_error_argument")
    expect_error(plot(release, legend = NA), class = "dptda_error_argument")
  })
})
