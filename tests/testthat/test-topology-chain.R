test_that("the chain keeps its trace apart and carries no guarantee", {
  set.seed(21)
  chain <- nonprivate_chain(circle_points(), small_grid(), 3, .1, max_points = 3, steps = 500, step_sd = .1, rng = "R")
  expect_s3_class(chain, "dptda_nonprivate_chain")
  expect_identical(dim(chain$distances), c(500L, 2L))
  expect_null(privacy(chain$last))
  truth <- dtm_persistence(circle_points(), small_grid(), .1, essential = "drop")
  for (q in 0:1) {
    # the last state is not rounded: its distance is that of the trace
    expect_equal(bottleneck_distance(chain$last, truth, dimension = q), unname(chain$distances[500, q + 1]))
  }
  expect_output(print(chain), "NOT PRIVATE")
  expect_silent({
    grDevices::pdf(NULL)
    plot(chain, main = "trace")
    grDevices::dev.off()
  })
})

test_that("a release by the chain shows no trace", {
  release <- small_release(sampler = "mcmc", max_points = 3, steps = 100, step_sd = .1)
  expect_identical(as.vector(table(release$dimension)), c(3L, 3L))
  steps <- as.matrix(release)[, 2:3] / attr(release, "parameters")$bound * 2^20
  expect_equal(steps, round(steps), tolerance = 1e-12)
  expect_identical(order(release$dimension, release$birth - release$death), 1:6)
  expect_false(any(grepl("distance|trace", names(attributes(release)))))
  expect_false(any(c("distances", "trace") %in% names(attr(release, "parameters"))))
})

test_that("the chain's arguments are required and checked", {
  expect_error(small_release(steps = 10), "steps", class = "dptda_error_argument")
  expect_error(small_release(step_sd = "a"), "step_sd", class = "dptda_error_argument")
  expect_error(small_release(sampler = "mcmc", step_sd = .1), "steps", class = "dptda_error_argument")
  expect_error(small_release(sampler = "mcmc", steps = 10), "step_sd", class = "dptda_error_argument")
  expect_error(small_release(sampler = "mcmc", steps = 10, step_sd = 0), class = "dptda_error_argument")
  expect_error(small_release(sampler = "mcmc", steps = 10, step_sd = .1, learn_points = TRUE),
               "learn_points", class = "dptda_error_argument")
})

test_that("a long chain can be interrupted and leaks nothing", {
  # limited time: an error of R's own from the poll of the kernel
  expect_error({
    setTimeLimit(elapsed = .3, transient = TRUE)
    nonprivate_chain(circle_points(), small_grid(), 3, .1, steps = 1e7, step_sd = .1)
  })
  setTimeLimit()
  expect_identical(.Call(ffi_test_live_blocks), 0)
})
