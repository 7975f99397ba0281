# Of p x p matrices, as plot_ellipsoids() sees them.
anisotropy <- function(tensors) {
  tensors <- check_tensors(tensors)
  vapply(seq_len(dim(tensors)[3]), function(i) anisotropy_of(eigen(tensors[, , i], symmetric = TRUE)$values), 0)
}

with_device <- function(code) {
  grDevices::pdf(NULL, width = 5, height = 4)
  on.exit(grDevices::dev.off())
  force(code)
}

turned <- function(angle, values = c(1.7, 0.4, 0.3)) {
  turn <- rbind(c(cos(angle), -sin(angle), 0), c(sin(angle), cos(angle), 0), c(0, 0, 1))
  turn %*% diag(values) %*% t(turn)
}
field <- vapply(seq(0, pi, length.out = 7), turned, diag(3))

test_that("fields of both sizes can be drawn in every way, and tell their size", {
  with_device({
    for (tensors in list(field, field[1:2, 1:2, ], diag(2), diag(3), field * 1e-9, field * 1e9)) {
      for (color in list("anisotropy", "direction", "red", grDevices::rainbow(7))) {
        if (length(color) > 1 && length(dim(tensors)) < 3) next
        for (radii in c("root", "eigenvalue")) expect_silent(plot_ellipsoids(tensors, color = color, radii = radii))
      }
      drawn <- withVisible(plot_ellipsoids(tensors, main = "title", legend = FALSE))
      expect_false(drawn$visible)
      expect_gt(drawn$value, 0)
    }
    expect_silent(plot_ellipsoids(field, cbind(1:7, 0, 7:1), theta = 30, phi = 20, palette = c("white", "black")))
    expect_silent(plot_ellipsoids(field, cbind(1:7, 0), size = 0.3, xlim = c(0, 9), ylim = c(-1, 1), add = FALSE))
    expect_silent(plot_ellipsoids(field, cbind(1:7, 0), add = TRUE))
    expect_silent(plot_ellipsoids(field, matrix(0, 7, 2)))
    expect_silent(plot_ellipsoids(field, cbind(1:7, 0, 0), add = FALSE, phi = 0))
    expect_equal(plot_ellipsoids(field, size = 0.3), 0.3)
  })
})

test_that("the default size lets neighbors touch but not overlap", {
  with_device({
    size <- plot_ellipsoids(field, cbind(1:7 * 10, 0), radii = "eigenvalue")
    expect_equal(size * 1.7, 4.8)
    size <- plot_ellipsoids(field, cbind(1:7 * 10, 0), radii = "root")
    expect_equal(size * sqrt(1.7), 4.8)
  })
})

test_that("a cast ellipsoid covers its shadow, and its surface solves the quadratic", {
  axes <- view_matrix(20, 35) %*% turned(0.4, c(2, 1, 0.5))
  pixel <- 0.01
  x <- seq(-2.5, 2.5, by = pixel)
  matte <- c(ambient = 0.5, diffuse = 0.5, gloss = 0)
  patch <- cast_ellipsoid(axes, x, rev(x), c(0.2, 0.4, 0.6), matte, pixel)
  spread <- axes %*% t(axes)
  expect_equal(sum(patch$color[, , 4]) * pixel^2, pi * sqrt(det(spread[1:2, 1:2])), tolerance = 1e-3)
  expect_true(all(patch$color >= 0 & patch$color <= 1 + 1e-12))
  # the middle of a sphere points to the eye, its rim does not
  expect_equal(shade_pixels(diag(3), 0, 0, c(1, 0.5, 0), matte), cbind(1, 0.5, 0) * (0.5 + 0.5 * cast_light[3]))
  expect_lt(shade_pixels(diag(3), 0.999, 0, c(1, 1, 1), matte)[1], 0.5)
})

test_that("the view turns and tilts, and looks down by default", {
  expect_equal(view_matrix(0, 90), diag(3))
  expect_equal(as.vector(view_matrix(0, 0) %*% c(0, 0, 1)), c(0, 1, 0))
  view <- view_matrix(33, 21)
  expect_equal(view %*% t(view), diag(3))
  expect_equal(det(view), 1)
})

test_that("positions of the picture stay, those in space are seen", {
  tilted <- view_matrix(0, 30)
  expect_equal(check_positions(cbind(1, 2), 1, FALSE, tilted), cbind(1, 2, 0))
  expect_equal(check_positions(cbind(1, 2, 0), 1, FALSE, tilted), cbind(1, 2 * sin(pi / 6), -2 * cos(pi / 6)))
  expect_equal(check_positions(NULL, 7, FALSE, tilted)[7, 1:2], c(0, -2))
})

test_that("colors follow anisotropy and direction", {
  spectra <- function(tensors) lapply(seq_len(dim(tensors)[3]), function(i) eigen(tensors[, , i], symmetric = TRUE))
  round_one <- array(diag(3), c(3, 3, 1))
  expect_equal(tensor_colors("anisotropy", spectra(round_one), c("#FF0000", "#0000FF"))[1, ], c(1, 0, 0),
               tolerance = 1e-2)
  gray <- tensor_colors("direction", spectra(round_one), NULL)
  expect_equal(diff(range(gray)), 0)
  along <- tensor_colors("direction", spectra(array(turned(0), c(3, 3, 1))), NULL)
  expect_equal(which.max(along), 1)
  # a direction has no sign
  expect_equal(direction_colors(cbind(0.6, 0.8)), direction_colors(cbind(-0.6, -0.8)))
  expect_equal(direction_colors(cbind(0.6, 0, 0.8)), direction_colors(cbind(-0.6, 0, -0.8)))
})

test_that("fractional anisotropy is that of the field", {
  expect_equal(anisotropy(diag(3)), 0)
  expect_equal(anisotropy(diag(c(1, 1e-9, 1e-9))), 1, tolerance = 1e-6)
  values <- c(1.7, 0.4, 0.3)
  expect_equal(anisotropy(field),
               rep(sqrt(1.5 * sum((values - mean(values))^2) / sum(values^2)), 7))
  expect_equal(anisotropy(1000 * field), anisotropy(field))
  expect_equal(anisotropy(diag(c(3, 1))), sqrt(2 * 2 / 10))
})

test_that("bad arguments get a classed error, without a value", {
  with_device({
    for (bad in list(diag(4), 1:3, "a", matrix(1:6, 2), diag(c(1, -1)), rbind(c(1, 2), c(0, 1)), diag(c(1, NA)),
                     array(0, c(2, 2, 0)), NULL)) {
      expect_error(plot_ellipsoids(bad), class = "dptda_error_argument")
    }
    error <- tryCatch(plot_ellipsoids(diag(c(-77, 1))), error = conditionMessage)
    expect_false(grepl("77", error))
    expect_error(plot_ellipsoids(), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, cbind(1:3, 0)), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field[1:2, 1:2, ], cbind(1:7, 0, 0)), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, cbind(c(1:6, Inf), 0)), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, color = "nocolor"), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, color = c("red", "blue")), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, radii = "a"), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, size = 0), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, theta = "a"), class = "dptda_error_argument")
    expect_error(plot_ellipsoids(field, add = NA), class = "dptda_error_argument")
    expect_error(anisotropy(matrix(1)), class = "dptda_error_argument")
  })
})

test_that("the anisotropy is that of the matrix in any unit, and a matrix that is not definite is refused in any", {
  A <- matrix(c(2, 1, 1, 3), 2)
  for (unit in c(2^-1060, 2^-600, 1, 2^600, 2^1022)) {
    expect_equal(anisotropy(A / 4 * unit), anisotropy(A), tolerance = if (unit < 2^-1000) 1e-4 else 1e-12)
    expect_error(anisotropy(matrix(unit, 2, 2)), class = "dptda_error_argument")
    expect_error(anisotropy(matrix(c(1, 2, 2, 1) / 2 * unit, 2)), class = "dptda_error_argument")
  }
  expect_error(anisotropy(matrix(1e308, 2, 2)), "positive definite", class = "dptda_error_argument")
  expect_error(anisotropy(matrix(c(1e308, -1e308, 1e308, 1e308), 2)), "symmetric", class = "dptda_error_argument")
  expect_identical(anisotropy(diag(1e308, 2)), 0)
})
