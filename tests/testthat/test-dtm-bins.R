bad <- function(expr) expect_error(expr, class = "dptda_error_argument")

slow_bins <- function(X, grid) {
  X <- clamp_to_box(X, grid$box)
  axes <- Map(within_side, grid$axes, grid$box$lower, grid$box$upper)
  for (j in seq_along(axes)) {
    X[, j] <- vapply(X[, j], function(x) axes[[j]][max(which(abs(axes[[j]] - x) == min(abs(axes[[j]] - x))))], 0)
  }
  X <- X[do.call(order, rev(lapply(seq_along(axes), function(j) X[, j]))), , drop = FALSE]
  key <- apply(X, 1, paste, collapse = " ")
  list(points = X[!duplicated(key), , drop = FALSE], weights = as.double(rle(key)$lengths))
}

test_that("bins agree with a slow count in 1 to 4 dimensions", {
  set.seed(1)
  for (d in 1:4) {
    grid <- domain_grid(domain_box(rep(-1, d), rep(2, d)), size = c(9, 4, 5, 3)[seq_len(d)])
    X <- matrix(rnorm(300 * d, sd = 1.5), 300)
    expect_equal(unclass(bin_points(X, grid)), slow_bins(X, grid))
  }
})

test_that("ties, ends, infinities and padded grids end where they must", {
  grid <- domain_grid(domain_box(0, 1), by = 0.25, pad = 0.5)
  X <- c(0.125, 0.375, 0.124999, -9, 9, Inf, -Inf, 1)
  bins <- bin_points(X, grid)
  expect_equal(bins$points[, 1], c(0, 0.25, 0.5, 1))
  expect_equal(bins$weights, c(3, 1, 1, 3))
  expect_equal(bin_points(X, domain_grid(domain_box(0, 1), by = 0.75))$points[, 1], c(0, 0.75))
  single <- bin_points(X, domain_grid(domain_box(0, 1), size = 1))
  expect_equal(unclass(single), list(points = matrix(0.5), weights = 8))
})

test_that("uneven axes are searched exactly", {
  set.seed(2)
  axis <- c(0, 0.01, 0.011, 0.9, 0.91, 1)
  grid <- new_domain_grid(domain_box(0, 1), list(axis))
  x <- c(runif(200), (axis[-1] + axis[-6]) / 2)
  expect_equal(unclass(bin_points(x, grid)), slow_bins(cbind(x, deparse.level = 0), grid))
})

test_that("an end of the grid that rounding put outside the box still counts, in the box", {
  for (by in c(0.1, 0.2, 0.3)) {
    bins <- bin_points(0.69, domain_grid(domain_box(0.1, 0.7), by = by))
    expect_equal(max(bins$points), 0.7)
    expect_lte(max(bins$points), 0.7)
  }
})

test_that("the order of rows does not matter, and f moves by at most half a cell", {
  set.seed(3)
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 33)
  X <- matrix(runif(2000), ncol = 2)
  bins <- bin_points(X, grid)
  expect_identical(bin_points(X[1000:1, ], grid), bins)
  f <- distance_to_measure(bins, grid, 0.1)
  expect_lte(max(abs(f - distance_to_measure(X, grid, 0.1))), sqrt(2) / 64)
  expect_identical(f, distance_to_measure(bins$points, grid, 0.1, weights = bins$weights))
  expect_output(print(bins), "1,000 points at .* grid points in 2 dimensions")
})

test_that("a grid whose spacing is a denormal has bins", {
  grid <- domain_grid(domain_box(0, 20 * 2^-1074), size = 21)
  bins <- bin_points(c(0, 3, 7.4, 7.4, 20) * 2^-1074, grid)
  expect_identical(bins$points[, 1], c(0, 3, 7, 20) * 2^-1074)
  expect_identical(bins$weights, c(1, 1, 2, 1))
  # the guess of a place is infinite: a walk from one end would take minutes
  fine <- domain_grid(domain_box(0, (2^21 - 2) * 2^-1074), size = 2^20)
  steps <- seq(0, 2^21 - 2, by = 19)
  bins <- bin_points(steps * 2^-1074, fine)
  places <- 2 * floor(steps / 2 + 0.5)
  expect_identical(bins$points[, 1], unique(places) * 2^-1074)
  huge <- domain_grid(domain_box(-8e307, 8e307), size = 3)
  expect_identical(bin_points(c(-Inf, 1e307, 1e308), huge)$weights, c(1, 1, 1))
})

test_that("bad arguments get a classed error", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 5)
  bad(bin_points(cbind(1, NA), grid))
  bad(bin_points(cbind("a", "b"), grid))
  bad(bin_points(cbind(1), grid))
  bad(bin_points(matrix(0, 0, 2), grid))
  bad(bin_points(factor(1:2), grid))
  bad(bin_points(cbind(1, 2), domain_box(0, 1)))
  bad(bin_points(cbind(1, 2), 5))
  bad(bin_points(0.5, domain_grid(domain_box(0, 1), by = 3, pad = 1)))
})

test_that("the names of a box choose the columns, of a data frame, a matrix and a table of a database", {
  set.seed(31)
  data <- data.frame(y = stats::runif(50), word = "a", x = stats::runif(50))
  grid <- domain_grid(domain_box(c(x = 0, y = 0), c(1, 1)), size = 5)
  bins <- bin_points(as.matrix(data[c("x", "y")]), grid)
  expect_identical(bin_points(data, grid), bins)
  expect_identical(bin_points(as.matrix(data[c("y", "x")]), grid), bins)
  expect_identical(bin_points(data, grid, columns = c("y", "x")), bins)
  expect_error(bin_points(data[c("y", "word")], grid), "`x`, which the box names", class = "dptda_error_argument")
  people <- dplyr::tbl(local_sqlite(data), "people")
  expect_equal(bin_points(people, grid), bins)
})
