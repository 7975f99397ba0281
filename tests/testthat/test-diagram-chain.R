test_that("the chain keeps its trace apart and carries no guarantee", {
  set.seed(21)
  chain <- nonprivate_chain(circle_points(), small_grid(), 3, m0 = .1, max_points = 3, steps = 500, step_sd = .1,
                            rng = "R")
  expect_s3_class(chain, "dptda_nonprivate_chain")
  expect_identical(dim(chain$distances), c(500L, 2L))
  expect_null(privacy(chain$last))
  truth <- dtm_persistence(circle_points(), small_grid(), .1, essential = "drop")
  for (q in 0:1) {
    # the last state is not rounded: its distance is that of the trace
    # but the true diagram of the chain is on the lattice of the release
    expect_equal(bottleneck_distance(chain$last, truth, dimension = q), unname(chain$distances[500, q + 1]),
                 tolerance = 1e-4)
  }
  expect_output(print(chain), "NOT PRIVATE")
  expect_silent({
    grDevices::pdf(NULL)
    plot(chain, main = "trace")
    grDevices::dev.off()
  })
})

test_that("the chain's arguments are required and checked", {
  chain <- function(...) nonprivate_chain(circle_points(), small_grid(), 3, m0 = .1, ...)
  expect_error(chain(step_sd = .1), "steps", class = "dptda_error_argument")
  expect_error(chain(steps = 10), "step_sd", class = "dptda_error_argument")
  expect_error(chain(steps = 10, step_sd = 0), "step_sd", class = "dptda_error_argument")
  expect_error(chain(steps = 10, step_sd = .1, learn_points = TRUE), "learn_points", class = "dptda_error_argument")
})

test_that("what simulates draws from R's stream", {
  chain <- function() {
    set.seed(8)
    nonprivate_chain(circle_points(), small_grid(), 3, m0 = .1, max_points = 2, steps = 20, step_sd = .1)
  }
  expect_identical(chain(), chain())
})

test_that("a long chain can be interrupted and leaks nothing", {
  # limited time: an error of R's own from the poll of the kernel
  stopped <- within_time(.3, nonprivate_chain(circle_points(), small_grid(), 3, m0 = .1, steps = 1e7, step_sd = .1))
  expect_match(conditionMessage(stopped), "time limit")
  expect_identical(.Call(ffi_test_live_blocks), 0)
})
