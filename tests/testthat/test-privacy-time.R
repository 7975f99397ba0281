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
    expect_message(with_replaced("seconds_now", ticking(0.003), released()), "^1 of 2 releases .* took longer",
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
    clock <- list2env(list(period = 0.004, begun = 0, late = FALSE))
    now <- function() {
      looked <<- looked + 1
      c(0.005, 0.0069, 0.0071, 0.009)[looked] # ready; too early, twice; over
    }
    with_replaced("seconds_now", now, wait_for_clock(clock))
    expect_identical(looked, 4)
    expect_true(clock$late)
    # what waits again waits for a multiple from there on
    expect_equal(clock$begun, 0.008)
    expect_null(wait_for_clock(NULL))
  })
})

# A clock that only `pass()` sets on, and whose sleep takes no time; `pass(0)` reads it.
with_hands <- function(code) {
  now <- 0
  pass <- function(seconds) {
    now <<- now + seconds
    now
  }
  wait <- function(clock) {
    if (is.null(clock)) return(invisible())
    times <- max(1, ceiling((now - clock$begun) / clock$period))
    now <<- clock$begun <- clock$begun + times * clock$period
    if (times > 1) clock$late <- TRUE
  }
  with_delays(with_replaced("seconds_now", function() now, with_replaced("wait_for_clock", wait, code(pass))))
}

# A step as it was written, where tools/run-tests.R has put a mark before it.
without_mark <- function(step) {
  is_marked <- is.call(step) && length(step) == 3 && identical(step[[1]], quote(`{`)) && is.call(step[[2]]) &&
    is.primitive(step[[2]][[1]])
  if (is_marked) step[[3]] else step
}

test_that("the clock begins before rows are read", {
  # before anything looks at `x`
  steps <- vapply(as.list(body(release))[-1], function(step) deparse(without_mark(step))[1], "")
  begun <- match("clock <- release_clock()", steps)
  expect_false(is.na(begun))
  expect_false(any(grepl("\\bx\\b", steps[seq_len(begun)])))
  withr::local_options(dptda.release_time = 1)
  with_hands(function(pass) {
    read <- function() {
      pass(2.5)
      c(TRUE, FALSE)
    }
    private_count(read(), epsilon = 1, rng = "R")
    expect_identical(pass(0), 3)
    expect_identical(release_delays$late, 1)
  })
})

test_that("a recipe reads its file in a time of its own", {
  withr::local_options(dptda.release_time = 1, dptda.weak_release = FALSE)
  recipe <- release_recipe(list(unit = list(rows = 248), releases = list(
    age = list(release = "mean", box = list(age = c(0, 100)), epsilon = 1)
  )))
  read <- recipe_rows
  with_hands(function(pass) {
    slow <- function(...) {
      pass(0.3)
      read(...)
    }
    with_replaced("recipe_rows", slow, recipe_release(recipe, infert))
    expect_identical(pass(0), 2)
    expect_identical(release_delays$late, 0)
  })
})

test_that("errors that come after rows were looked at wait, too, and are the same", {
  withr::local_options(dptda.release_time = 1)
  with_hands(function(pass) {
    fails <- function(plan, rows) {
      pass(1.2)
      stop_dptda("of_rows", "No.")
    }
    with_replaced("statistic_of", fails, expect_error(private_count(TRUE, epsilon = 1), "No.",
                                                      class = "dptda_error_of_rows"))
    expect_identical(pass(0), 2)
    expect_identical(release_delays$late, 1)
    # also where what was left of a budget is spent while the rows are looked at
    budget <- privacy_budget(epsilon = 1)
    spends <- function(plan, rows) {
      pass(0.4)
      charge_and_draw(budget, privacy_declare(epsilon = 0.7), 1, identity)
    }
    with_replaced("statistic_of", spends, suppressMessages(
      expect_error(private_count(TRUE, epsilon = 0.7, budget = budget), class = "dptda_error_budget")
    ))
    expect_identical(pass(0), 3)
    # what a person ends is not held up
    clock <- list2env(list(period = 1, begun = pass(0), late = FALSE))
    begun <- pass(0)
    interrupt <- structure(class = c("interrupt", "condition"), list())
    expect_true(tryCatch(on_time(clock, stop(interrupt)), interrupt = function(cnd) TRUE))
    expect_identical(pass(0), begun)
  })
})

test_that("what ends a release while a database looks at its rows waits, be it their count or a handler", {
  con <- local_sqlite(data.frame(x = as.double(1:3), k = 1:3))
  # the last row overflows
  DBI::dbExecute(con, "CREATE VIEW fails AS SELECT * FROM people WHERE abs((k = 3) * (-9223372036854775807 - 1)) >= 0")
  fails <- dplyr::tbl(con, "fails")
  withr::local_options(dptda.release_time = 0.001)
  with_delays({
    for (x in list(fails, quote(table_rows(fails, "x", person = "k")))) {
      before <- release_delays$releases
      expect_error(suppressMessages(private_mean(eval(x), c(0, 4), 1)), class = "dptda_error_database")
      expect_identical(release_delays$releases, before + 1)
    }
    before <- release_delays$releases
    release_delays$untold <- FALSE
    other <- function(connection) utils::modifyList(dialect_of_all(connection), list(transactions = FALSE))
    dialect_of_all <- dialect_of
    ended <- with_replaced("dialect_of", other, tryCatch(
      in_each_round(private_covariance(dplyr::tbl(con, "people"), domain_box(c(x = 0), 4), rho = 1)),
      dptda_message_state = function(cnd) "ended"
    ))
    expect_identical(ended, "ended")
    expect_identical(release_delays$releases, before + 1)
  })
})

test_that("a charge that is written to a file is written at a multiple, too", {
  skip_if_not_installed("filelock")
  withr::local_options(dptda.release_time = 1)
  with_hands(function(pass) {
    written <- double()
    spend <- spend_budget
    with_replaced("spend_budget", function(budget, ...) {
      written <<- c(written, pass(0))
      spend(budget, ...)
    }, {
      kept <- privacy_budget(epsilon = 1, file = withr::local_tempfile())
      read <- function() {
        pass(1.5)
        TRUE
      }
      private_count(read(), epsilon = 0.5, budget = kept)
      expect_identical(written, 2)
      expect_identical(pass(0), 3)
      suppressMessages(private_count(TRUE, epsilon = 0.5, budget = privacy_budget(epsilon = 1)))
      expect_identical(written[2], 3)
    })
    expect_identical(release_delays$late, 1)
  })
})

test_that("progress is not shown where durations are not", {
  withr::local_options(dptda.progress = function(fraction) NULL)
  expect_type(kernel_progress("x"), "closure")
  withr::local_options(dptda.release_time = 1)
  expect_null(kernel_progress("x"))
})

test_that("the clock goes on, whatever the date is", {
  seen <- vapply(1:100, function(i) seconds_now(), 0)
  expect_true(all(diff(seen) >= 0))
  expect_true(all(is.finite(seen)))
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
  for (bad in list(0, -1, 1e-4, 5e-324, NA, NaN, Inf, "1", c(1, 2), TRUE, list(1), double())) {
    withr::local_options(dptda.release_time = bad)
    expect_error(private_count(TRUE, epsilon = 1, budget = budget), "option `dptda.release_time` must be",
                 class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
})
