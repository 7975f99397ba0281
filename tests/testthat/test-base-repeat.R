# Runs that are shared by workers. `shared` has seven runs in three parts, so that parts have different sizes.
with_plan <- function(strategy, ..., env = parent.frame()) {
  testthat::skip_if_not_installed("future.apply")
  plan <- future::plan(strategy, ...)
  withr::defer(future::plan(plan), envir = env)
}
two_workers <- function(env = parent.frame()) with_plan(future::multisession, workers = 2, env = env)
draws <- function(i) c(i, stats::rnorm(1), sample(10, 1))
shared <- function(...) {
  set.seed(911)
  list(runs = repeat_runs(7, draws, parts = 3, ...), next_draw = stats::runif(1), kind = RNGkind())
}

test_that("the numbers are the same whatever the plan, and the stream of the session goes on", {
  in_turn <- shared()
  expect_identical(vapply(in_turn$runs, `[`, 0, 1), as.double(1:7))
  expect_length(unique(vapply(in_turn$runs, `[`, 0, 2)), 7)
  expect_identical(in_turn$kind, RNGkind())
  set.seed(911)
  stats::runif(6)
  expect_identical(stats::runif(1), in_turn$next_draw)
  expect_false(identical(repeat_runs(7, draws, parts = 3), in_turn$runs))
  expect_identical(shared(cores = 2), in_turn)
  two_workers()
  expect_identical(shared(), in_turn)
  expect_identical(shared(cores = 2), in_turn)
  withr::local_seed(912, .rng_kind = "Wichmann-Hill")
  repeat_runs(3, draws)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
})

test_that("R's other plan, one without workers, and an empty list of runs", {
  in_turn <- shared()
  expect_identical(repeat_runs(0, draws), list())
  expect_identical(repeat_runs(2, function(i) NULL), list(NULL, NULL))
  expect_identical(repeat_runs(2, function(i) list(i)), list(list(1L), list(2L)))
  with_plan(future::sequential)
  expect_false(plan_is_set())
  expect_identical(shared(), in_turn)
  skip_on_os("windows")
  with_plan(future::multicore, workers = 2)
  expect_identical(plan_is_set(), inherits(future::plan(), "multicore"))
  expect_identical(shared(), in_turn)
})

test_that("an audit is the same on every plan, its globals are found, and the plan stays set", {
  audit <- function(...) {
    set.seed(913)
    audit_mechanism(mechanism, c(0, 0), c(0, 1), epsilon = 1, runs = 200, ...)
  }
  scale <- 1 / 3
  noise <- function() scale * (stats::rexp(1) - stats::rexp(1))
  mechanism <- function(data) sum(data) + noise()
  in_turn <- audit()
  expect_identical(audit(cores = 2), in_turn)
  two_workers()
  plan <- future::plan()
  expect_identical(audit(), in_turn)
  expect_identical(future::plan(), plan)
  expect_s3_class(plan, "multisession")
})

test_that("a worker that dies is an error with a class, and nobody else is blamed", {
  skip_on_os("windows")
  die <- function(i) if (i == 3) tools::pskill(Sys.getpid(), tools::SIGKILL) else i
  lost <- function(...) expect_error(..., class = "dptda_error_worker")
  lost(suppressWarnings(repeat_runs(4, die, cores = 2)))
  mechanism <- function(data) if (data == 2) tools::pskill(Sys.getpid(), tools::SIGKILL) else 1
  lost(suppressWarnings(audit_mechanism(mechanism, 1, 2, epsilon = 1, runs = 80, cores = 2)))
  two_workers()
  error <- lost(repeat_runs(4, die))
  expect_s3_class(error$parent, "FutureError")
  lost(audit_mechanism(mechanism, 1, 2, epsilon = 1, runs = 80))
})

test_that("an error of a run arrives from every plan as it was", {
  fail <- function(i) if (i == 3) stop_dptda("memory", "no room") else i
  blamed <- function(data) if (data == 2) stop("no such file") else 1
  arrives <- function(...) {
    expect_error(repeat_runs(4, fail, ...), "no room", class = "dptda_error_memory")
    error <- expect_error(audit_mechanism(blamed, 1, 2, epsilon = 1, runs = 80, ...), class = "dptda_error_argument")
    expect_match(conditionMessage(error), "`mechanism` failed on `neighbor`: no such file", fixed = TRUE)
    expect_identical(conditionMessage(error$parent), "no such file")
  }
  arrives()
  arrives(cores = 2)
  two_workers()
  arrives()
  # the workers are there still
  expect_identical(unlist(repeat_runs(4, function(i) i)), 1:4)
})

test_that("an interrupt ends the runs, the stream goes on, and the plan stays", {
  skip_on_os("windows")
  interrupted <- function() {
    begun <- withr::local_tempfile()
    wait <- function(i) {
      file.create(paste0(begun, i))
      Sys.sleep(30)
    }
    # comes when all who can wait do so, however slow the machine
    waiting <- sprintf("[ ! -e %s%d ]", shQuote(begun), if (plan_is_set()) 1:2 else 1)
    until <- paste("while", paste(waiting, collapse = " || "), "; do sleep 0.2; done; sleep 1; kill -INT", Sys.getpid())
    system(paste("(", until, ")"), wait = FALSE) # all of it in the background
    tryCatch(repeat_runs(2, wait), interrupt = function(cnd) "interrupted")
  }
  set.seed(914)
  expect_identical(interrupted(), "interrupted")
  after <- stats::runif(1)
  set.seed(914)
  stats::runif(6)
  expect_identical(stats::runif(1), after)
  two_workers()
  expect_identical(interrupted(), "interrupted")
  expect_s3_class(future::plan(), "multisession")
})

test_that("plans may be nested", {
  # new versions of future warn of the connections to the workers of workers
  withr::local_options(future.connections.onMisuse = "ignore")
  nested <- function() {
    set.seed(915)
    repeat_runs(2, function(i) {
      list(repeat_runs(3, function(j) stats::runif(1), parts = 2), if (plan_is_set()) "shared" else "in turn")
    })
  }
  numbers <- function(runs) lapply(runs, `[[`, 1)
  in_turn <- nested()
  two_workers()
  inner <- nested()
  expect_identical(numbers(inner), numbers(in_turn))
  expect_identical(unlist(lapply(inner, `[[`, 2)), c("in turn", "in turn"))
  plans <- list(future::tweak(future::multisession, workers = 2), future::tweak(future::multisession, workers = I(2)))
  future::plan(plans)
  deep <- nested()
  expect_identical(numbers(deep), numbers(in_turn))
  expect_identical(unlist(lapply(deep, `[[`, 2)), c("shared", "shared"))
})

test_that("the session hears how far the workers are, and a worker uses one thread", {
  hears <- function() {
    heard <- double()
    threads <- repeat_runs(7, function(i) kernel_options()[[2]], parts = 3, tell = function(done)
                           heard <<- c(heard, done))
    list(heard = heard, threads = unique(unlist(threads)))
  }
  withr::local_options(dptda.threads = 3)
  expect_identical(hears(), list(heard = as.double(1:7), threads = 3L))
  two_workers()
  shared <- hears()
  expect_identical(shared$threads, 1L)
  expect_length(shared$heard, 3)
  expect_identical(max(shared$heard), 7)
})

test_that("long repetitions tell how far they are", {
  told <- double()
  local({
    withr::local_options(dptda.progress = function(fraction) told <<- c(told, fraction))
    tell <- repeat_progress("work")
    now <- 0
    environment(tell)$clock <- function() now
    environment(tell)$due <- 2
    tell(0.1)
    expect_identical(told, double())
    now <- 2
    tell(0.5)
    tell(0.6)
  })
  expect_identical(told, 0.5)
  withr::local_options(dptda.progress = FALSE)
  expect_null(repeat_progress("work")(0.1))
})

test_that("without a bar, long repetitions give one estimate in advance, but not within a release", {
  told <- character()
  heard <- function(code) {
    told <<- character()
    withCallingHandlers(code, dptda_message_progress = function(cnd) {
      told <<- c(told, conditionMessage(cnd))
      invokeRestart("muffleMessage")
    })
    told
  }
  now <- 0
  report <- estimate_once("Work", function() now)
  steps <- list(c(0, 0), c(2, 0), c(3, .5), c(5, .1), c(6, .1), c(300, .2))
  expect_identical(heard(for (step in steps) {
    now <- step[1]
    report(step[2])
  }), "Work: about 45 seconds to go.\n")
  now <- 0
  report <- estimate_once("Work", function() now)
  expect_identical(heard({
    now <- 10
    report(.02)
  }), "Work: about 8.2 minutes to go.\n")
  # in a script, where the option is not set
  tell <- function(...) {
    tell <- repeat_progress("Work", ...)
    environment(tell)$due <- -Inf
    if (is.function(environment(tell)$report)) environment(environment(tell)$report)$begun <- -1e6
    heard(tell(.5))
  }
  withr::local_options(dptda.progress = NULL)
  skip_if(interactive())
  expect_length(tell(), 1)
  expect_length(tell(private = TRUE), 0)
  expect_length(withr::with_options(list(dptda.release_time = 1), tell()), 0)
  expect_length(withr::with_options(list(dptda.progress = FALSE), tell()), 0)
  # a run is counted when it has ended
  ended <- 0
  counted <- double()
  repeat_runs(3, function(i) ended <<- ended + 1, tell = function(done) counted <<- c(counted, done - ended))
  expect_identical(counted, c(0, 0, 0))
})

test_that("streams are states of L'Ecuyer's generator, far from each other", {
  set.seed(916)
  streams <- random_streams(3)
  expect_true(all(vapply(streams, function(stream) stream[1] == 10407L && !anyNA(stream), NA)))
  expect_identical(parallel::nextRNGStream(streams[[1]]), streams[[2]])
  expect_length(unique(streams), 3)
})
