box <- domain_box(c(0, -1), c(1, 2))
bad <- function(expr) expect_error(expr, class = "dptda_error_argument")

test_that("a box keeps its corners", {
  expect_s3_class(box, "dptda_box")
  expect_identical(unclass(box), list(lower = c(0, -1), upper = c(1, 2)))
  expect_equal(box_diameter(box), sqrt(10))
  expect_equal(box_diameter(domain_box(-1e200, 1e200)), 2e200)
  expect_equal(box_diameter(domain_box(c(0, 0), c(3e-200, 4e-200))) / 5e-200, 1)
  expect_output(print(box), "[0, 1] x [-1, 2]", fixed = TRUE)
})

test_that("what is not a box is refused", {
  bad(domain_box(0, 0))
  bad(domain_box(c(0, 0), c(1, -1)))
  bad(domain_box(0, c(1, 2)))
  bad(domain_box(rep(0, 5), rep(1, 5)))
  bad(domain_box(numeric(), numeric()))
  bad(domain_box(NA_real_, 1))
  bad(domain_box(0, Inf))
  bad(domain_box(NaN, 1))
  bad(domain_box("0", 1))
  bad(domain_box(factor(0), 1))
  bad(domain_box(matrix(0), 1))
  bad(domain_box(-1.7e308, 1.7e308))
  expect_error(domain_box(1, 0), "`upper` must be above `lower`", fixed = TRUE)
})

test_that("a grid by spacing covers the box, by size meets its ends", {
  grid <- domain_grid(box, by = 0.4)
  expect_equal(grid$axes, list(c(0, 0.4, 0.8, 1.2), seq(-1, 2.2, by = 0.4)))
  expect_equal(dim(domain_grid(box, by = c(0.1, 0.3))), c(11, 11))
  grid <- domain_grid(box, size = c(3, 2), pad = c(0.5, 0))
  expect_equal(grid$axes, list(c(-0.5, 0.5, 1.5), c(-1, 2)))
  for (by in c(0.1, 0.2, 0.3, 0.7, 5, 1 / 3)) {
    axis <- domain_grid(domain_box(0.1, 0.7), by = by, pad = 0.3)$axes[[1]]
    last <- axis[length(axis)]
    expect_equal(axis[1], -0.2)
    expect_gt(last, 1 - 1e-9)
    expect_lt(last - by, 1 - 1e-9)
  }
})

test_that("a grid may have one point", {
  grid <- domain_grid(box, size = 1)
  expect_equal(as.matrix(grid), matrix(c(0.5, 0.5), 1))
  expect_output(print(grid), "1 x 1 point over", fixed = TRUE)
})

test_that("the points of a grid come first axis fastest", {
  for (d in 1:4) {
    grid <- domain_grid(domain_box(rep(0, d), rep(1, d)), size = seq_len(d) + 1)
    expect_identical(dim(grid), seq_len(d) + 1L)
    expect_equal(as.matrix(grid), as.matrix(expand.grid(grid$axes)), ignore_attr = TRUE)
  }
})

test_that("what does not make a grid is refused", {
  bad(domain_grid(c(0, 1), by = 1))
  bad(domain_grid(box))
  bad(domain_grid(box, by = 1, size = 2))
  bad(domain_grid(box, by = 0))
  bad(domain_grid(box, by = -1))
  bad(domain_grid(box, by = Inf))
  bad(domain_grid(box, by = NA_real_))
  bad(domain_grid(box, by = c(1, 1, 1)))
  bad(domain_grid(box, by = "1"))
  bad(domain_grid(box, by = 1e-9))
  bad(domain_grid(box, by = 1e-300))
  bad(domain_grid(box, size = 0))
  bad(domain_grid(box, size = 2.5))
  bad(domain_grid(box, size = NaN))
  bad(domain_grid(box, size = factor(2)))
  bad(domain_grid(box, size = 1e5))
  bad(domain_grid(box, size = 2, pad = -1))
  bad(domain_grid(box, size = 2, pad = Inf))
  bad(domain_grid(box, size = 2, pad = 1.7e308))
  bad(domain_grid(domain_box(1, 1 + 1e-15), size = 100))
})

test_that("points are clamped row by row, infinite ones too", {
  X <- rbind(c(0.5, 0), c(-7, 9), c(Inf, -Inf), c(1, 2))
  clamped <- rbind(c(0.5, 0), c(0, 2), c(1, -1), c(1, 2))
  expect_identical(clamp_to_box(X, box), clamped)
  for (i in 1:4) expect_identical(clamp_to_box(X[i, , drop = FALSE], box), clamped[i, , drop = FALSE])
})
