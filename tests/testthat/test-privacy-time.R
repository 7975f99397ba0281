# Clocks that go on by `step` whenever they are looked at: no test measures time.
ticking <- function(step) {
  now <- 0
  function() {
    now <<- now + step
    now
  }
}

with_delays <- function(code) {
  keep <- as.list(release_delays)
  on.exit(list2env(keep, release_delays))
  list2env(list(releases = 0, late = 0, untold = FALSE), release_delays)
  code
}

test_that("a release waits for the next multiple of the time that was asked for", {
  withr::local_options(dptda.release_time = 0.01)
  released <- function() private_count(c(TRUE, FALSE), epsilon = 1, rng = "R")
  with_delays({
    # begins at 0.003 and is ready at 0.006; what is left of the time it sleeps
    with_replaced("seconds_now", ticking(0.003), expect_s3_class(released(), "dptda_private_value"))
    expect_identical(release_delays$releases, 1)
    expect_identical(release_delays$late, 0)
    # ready at the end of the third time
    with_replaced("seconds_now", ticking(0.025), expect_s3_class(released(), "dptda_private_value"))
    expect_identical(release_delays$releases, 2)
    expect_identical(release_delays$late, 1)
    expect_message(with_replaced("seconds_now", ticking(0.003), released()), "Of 2 releases .* 1 came a multiple",
                   class = "dptda_message_late")
    expect_no_message(with_replaced("seconds_now", ticking(0.003), released()))
    expect_identical(release_delays$releases, 4)
  })
})

test_that("what came late earlier is said before anything is spent", {
  withr::local_options(dptda.release_time = 1e-3)
  with_delays({
    release_delays$untold <- TRUE
    budget <- privacy_budget(epsilon = 1)
    expect_error(withCallingHandlers(private_count(TRUE, epsilon = 1, budget = budget),
                                     message = function(said) stop("ended")), "ended")
    expect_identical(budget$spent, 0)
  })
})

test_that("the wait ends when the multiple is reached, and not before", {
  with_delays({
    looked <- 0
    clock <- list(period = 0.004, begun = 0)
    now <- function() {
      looked <<- looked + 1
      c(0.005, 0.0069, 0.0071, 0.009)[looked] # ready; too early, twice; over
    }
    with_replaced("seconds_now", now, wait_for_clock(clock))
    expect_identical(looked, 4)
    expect_identical(release_delays$late, 1)
    expect_null(wait_for_clock(NULL))
  })
})

test_that("the same is released with the option and without it, and a bad one is an error before anything is spent", {
  released <- function() {
    set.seed(1)
    private_frechet_mean(c(0, 0, 1), manifold_sphere(2), c(0, 0, 1), 0.5, epsilon = 1, rng = "R")
  }
  plain <- released()
  withr::local_options(dptda.release_time = 1e-3)
  with_delays(expect_identical(suppressMessages(released()), plain))
  budget <- privacy_budget(epsilon = 1)
  for (bad in list(0, -1, NA, Inf, "1", c(1, 2), TRUE)) {
    withr::local_options(dptda.release_time = bad)
    expect_error(private_count(TRUE, epsilon = 1, budget = budget), "option `dptda.release_time` must be",
                 class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
})
