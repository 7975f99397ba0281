entry_points <- function() names(getDLLRegisteredRoutines("dptda")$.Call)

test_that("what R may call is an entry point by its name, and every one is attacked below", {
  families <- "base|budget|privacy|number|dtm|persistence|diagram|manifold|graph|cluster|publish|regression|front|test"
  expect_match(entry_points(), paste0("^ffi_(", families, ")_"))
  expect_setequal(entry_points(), names(boundary_calls()))
})

test_that("the calls that are made hostile are valid", {
  for (manifold in boundary_manifolds()) {
    calls <- boundary_calls(manifold)
    for (name in names(calls)) {
      if (is_outside(name, manifold)) next
      arguments <- full_arguments(name, calls[[name]], boundary_options())
      said <- tryCatch({
        do.call(.Call, c(list(asNamespace("dptda")[[name]]), arguments))
        "nothing"
      }, error = conditionMessage)
      expect_identical(said, "nothing", info = paste(name, "on", manifold$title))
    }
  }
})

test_that("a limited time ends nothing but what it is for, wherever it strikes", {
  late <- within_time
  strike <- function(elapsed = Inf, ...) if (elapsed == Inf) stop("reached elapsed time limit")
  environment(late) <- list2env(list(setTimeLimit = strike)) # when the code has ended
  expect_match(conditionMessage(late(60, 3)), "time limit")
  expect_identical(within_time(60, 3), 3)
  expect_match(conditionMessage(within_time(.01, repeat sqrt(2))), "time limit")
  expect_identical(conditionMessage(within_time(60, stop("own"))), "own")
  # nor in R's compiler, which goes on without it
  before <- compiler::enableJIT(-1)
  expect_identical(within_time(60, compiler::enableJIT(-1)), 0L)
  expect_identical(compiler::enableJIT(-1), before)
})

test_that("no entry point crashes R, whatever it is called with", {
  skip_on_cran()
  job <- list(calls = lapply(boundary_manifolds(), boundary_calls), options = boundary_options(),
              values = hostile_values(),
              few = long_or(12, 6), times = long_or(3, 1), patience = .05, seed = 1, log = withr::local_tempfile(),
              result = withr::local_tempfile())
  job$calls[-1] <- lapply(job$calls[-1], function(calls) calls[grep("manifold", names(calls))])
  for (name in c("attack_boundary", "full_arguments", "within_time")) {
    job[[name]] <- `environment<-`(get(name), globalenv())
  }
  from <- withr::local_tempfile()
  saveRDS(job, from)
  libraries <- c(dirname(getNamespaceInfo("dptda", "path")), .libPaths()) # the build that is loaded here
  code <- sprintf(".libPaths(%s); library(dptda); job <- readRDS(%s); job$attack_boundary(job)", deparse1(libraries),
                  deparse(from))
  # the limit is for a kernel that never ends
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE,
                                   stderr = TRUE,
                                   timeout = 900))
  last <- utils::tail(readLines(job$log), 1)
  expect_true(file.exists(job$result), info = paste(c(last, utils::tail(said, 30)), collapse = "\n"))
  if (file.exists(job$result)) expect_identical(readRDS(job$result)$blocks, 0)
})
