burn <- function(steps, how = 0L, rng = "R", progress = NULL) {
  .Call(ffi_test_burn, steps, how, kernel_options(rng, progress))
}
draw <- function(n, rng) .Call(ffi_base_draw_units, n, kernel_options(rng))

test_that("a kernel that fails, runs out of memory or of entropy raises a classed error and leaks nothing", {
  expect_error(burn(1, 1L), class = "dptda_error_argument")
  expect_error(burn(1, 2L), class = "dptda_error_memory")
  expect_error(burn(1, 3L), class = "dptda_error_entropy")
  expect_identical(live_blocks(), 0)
})

test_that("uniform draws are uniform from both sources", {
  for (rng in c("os", "R")) {
    if (rng == "R") set.seed(11)
    u <- draw(1e5, rng)
    expect_true(all(u > 0 & u < 1))
    # false alarm: 1e-6 for "os"; the seed of "R" is fixed
    expect_gt(stats::ks.test(u, "punif")$p.value, 1e-6)
    expect_lt(abs(stats::cor(u[-1], u[-1e5])), 0.02)
  }
})

test_that("rng = \"R\" obeys the seed and \"os\" leaves R's stream alone", {
  set.seed(5); a <- draw(5, "R")
  set.seed(5); b <- draw(5, "R")
  expect_identical(a, b)
  expect_false(identical(draw(5, "R"), a))
  set.seed(5); before <- .Random.seed
  draw(5, "os")
  expect_identical(.Random.seed, before)
  expect_false(identical(draw(5, "os"), draw(5, "os")))
})

test_that("a failed, interrupted or observed kernel never replays its noise", {
  set.seed(8)
  key_after <- function(action) {
    try(action, silent = TRUE)
    draw(3, "R")
  }
  first <- key_after(burn(10, 1L))
  second <- key_after(burn(10, 1L))
  expect_false(identical(first, second))
  noisy <- function(fraction) stats::runif(3)
  third <- key_after(burn(3e6, 0L, progress = noisy))
  expect_false(identical(second, third))
  handled <- tryCatch(burn(10, 1L), dptda_error_argument = function(cnd) stats::runif(2))
  expect_false(identical(draw(3, "R"), third))
  expect_length(handled, 2)
})

test_that("an error in a progress callback passes through and leaks nothing", {
  # burn() works for more than two seconds, so that the callback is heard
  expect_error(burn(1e11, progress = function(fraction) stop("enough")), "enough")
  expect_identical(live_blocks(), 0)
})

test_that("forked workers draw different noise and use one thread", {
  skip_on_os("windows")
  draws <- parallel::mclapply(1:4, function(i) draw(4, "os"), mc.cores = 2)
  expect_length(unique(unlist(draws)), 16)
  threads <- parallel::mclapply(1:2, function(i) .Call(ffi_test_threads, kernel_options()), mc.cores = 2)
  expect_identical(unlist(threads), c(1L, 1L))
})

test_that("the thread option is obeyed and checked", {
  withr::local_options(dptda.threads = 1)
  expect_identical(.Call(ffi_test_threads, kernel_options()), 1L)
  withr::local_options(dptda.threads = "many")
  expect_error(kernel_options(), class = "dptda_error_argument")
})

test_that("progress goes to the user's function, to nobody, to progressr or to cli", {
  listener <- function(fraction) NULL
  withr::local_options(dptda.progress = listener)
  expect_identical(kernel_progress("work"), listener)
  withr::local_options(dptda.progress = FALSE)
  expect_null(kernel_progress("work"))
  withr::local_options(dptda.progress = TRUE)
  skip_if_not_installed("cli")
  withr::local_options(cli.progress_show_after = 1e6)
  bar <- kernel_progress("work")
  expect_silent(for (fraction in c(0, 0.5, 1)) bar(fraction))
})

test_that("progressr hears each percent once, however often the kernel reports", {
  skip_if_not_installed("progressr")
  withr::local_options(progressr.enable = TRUE)
  heard <- 0
  run <- function() {
    step <- progress_by_progressr("work", environment())
    for (fraction in c(0.1, 0.1, 0.305, 0.2, 1)) step(fraction)
  }
  withCallingHandlers(run(), progression = function(condition) {
    if (condition$type == "update") heard <<- heard + condition$amount
  })
  expect_equal(heard, 100)
})

test_that("a thread option that is no whole number is refused before a release is charged, and a large one is cut", {
  X <- circle_points(20)
  spent_by <- function(release) {
    budget <- privacy_budget(epsilon = 10)
    expect_error(release(budget), class = "dptda_error_argument")
    budget$spent
  }
  releases <- list(
    function(budget, rng = "os") private_count(c(TRUE, FALSE), epsilon = 1, budget = budget, rng = rng),
    function(budget, rng = "os") private_table(1:3, levels = 1:3, epsilon = 1, budget = budget, rng = rng),
    function(budget, rng = "os") private_sum(X, small_box(), epsilon = 1, budget = budget, rng = rng),
    function(budget, rng = "os") private_mean(X, small_box(), epsilon = 1, budget = budget, rng = rng),
    function(budget, rng = "os") suppressWarnings(private_bounds(X, epsilon = 1, budget = budget, rng = rng)),
    function(budget, rng = "os") private_diagram(X, small_grid(1), epsilon = 1, m0 = .5, budget = budget, rng = rng),
    function(budget, rng = "os") private_frechet_mean(X, manifold_euclidean(2), c(0, 0), 1, epsilon = 1,
                                                      budget = budget, rng = rng)
  )
  for (release in releases) {
    # an argument that is checked only when it is used would be charged
    expect_identical(spent_by(function(budget) release(budget, rng = "dice")), 0)
    for (bad in list(0, -1, "two", NA, NA_real_, NaN, c(1, 2), 1.5, Inf, list(2), factor(2), TRUE)) {
      withr::with_options(list(dptda.threads = bad), expect_identical(spent_by(release), 0))
    }
  }
  withr::local_options(dptda.threads = 1e10)
  expect_gte(.Call(ffi_test_threads, kernel_options()), 1L)
})

test_that("room for draws is asked for after all checks, and none is an error with a class", {
  expect_error(rdiscrete_laplace(2^52, scale = 1), class = "dptda_error_memory")
  expect_error(rdiscrete_laplace(2^52, scale = -1), class = "dptda_error_argument")
  expect_error(rdiscrete_gaussian(2^52, scale = 1, rng = "dice"), class = "dptda_error_argument")
  expect_error(rdiscrete_gaussian(2^52), "`scale` must be given", class = "dptda_error_argument")
  skip_if(Sys.info()[["sysname"]] != "Linux")
  # 2^31 points of a hundred numbers: beyond any machine's room
  expect_error(rmanifold_uniform(.Machine$integer.max, manifold_sphere(99)), class = "dptda_error_memory")
  expect_error(rmanifold_laplace(.Machine$integer.max, manifold_sphere(99), c(1, double(99)), 1),
               class = "dptda_error_memory")
  expect_error(rmanifold_laplace(.Machine$integer.max, manifold_sphere(99), c(1, double(99)), -1),
               class = "dptda_error_argument")
})
