with_field <- function(x, field, value) {
  x[[field]] <- value
  x
}

test_that("a value prints what was released, its noise and its guarantee", {
  release <- private_count(rep(TRUE, 10), epsilon = noiseless)
  expect_output(print(release), "<private count>.*10 +\\+- 0.*differential privacy for one row.*operating system")
  many <- private_histogram(1:3, levels = 1:100, epsilon = 1, rng = "R")
  expect_output(print(many), "<private histogram>.*and 81 more.*SEEDED: NOT PRIVATE")
})

test_that("plain values carry no guarantee", {
  release <- private_histogram(c("a", "b"), levels = c("a", "b"), epsilon = noiseless)
  expect_identical(as.numeric(release), c(1, 1, 0))
  expect_null(privacy(as.numeric(release)))
  expect_identical(as.data.frame(release), data.frame(name = c("a", "b", "other"), value = c(1, 1, 0), half_width = 0))
  expect_identical(as.data.frame(private_count(TRUE, noiseless)), data.frame(value = 1, half_width = 0))
  expect_null(privacy(as.data.frame(release)))
  expect_null(privacy(release$value))
})

test_that("a changed value loses its guarantee", {
  release <- private_count(TRUE, epsilon = 1)
  expect_s3_class(privacy(release), "dptda_guarantee")
  for (change in list(function(x) with_field(x, "value", -3), function(x) with_field(x, "extra", 1),
                      function(x) with_field(x, "noise", list()), function(x) x[1])) {
    expect_null(privacy(change(release)))
  }
  release$value <- 12
  expect_output(print(release), "12")
})

test_that("intervals hold the noise as often as they say", {
  # false alarm: 1e-6, with a fixed seed
  set.seed(701)
  release <- private_histogram(integer(), levels = 1:3999, epsilon = 0.5, rng = "R")
  for (level in c(0.5, 0.95)) {
    ends <- confint(release, level = level)
    expect_identical(dim(ends), c(4000L, 2L))
    held <- sum(ends[, 1] <= 0 & ends[, 2] >= 0)
    expect_gte(held, stats::qbinom(1e-6, 4000, level))
  }
  expect_identical(colnames(confint(private_count(TRUE, 1))), c("2.5 %", "97.5 %"))
  for (bad in list(0, 1, NA)) expect_error(confint(release, level = bad), class = "dptda_error_argument")
})

test_that("a saved value keeps its guarantee", {
  file <- tempfile()
  withr::defer(unlink(file))
  release <- private_mean(c(0, 1), domain_box(0, 1), epsilon = 1)
  saveRDS(release, file)
  expect_identical(privacy(readRDS(file)), privacy(release))
})
