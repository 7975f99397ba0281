entry_points <- function() names(getDLLRegisteredRoutines("dptda")$.Call)

test_that("what R may call is an entry point by its name, and every one is attacked below", {
  expect_match(entry_points(), "^ffi_(base|privacy|topology|manifold)_")
  expect_setequal(entry_points(), names(boundary_calls()))
})

test_that("the calls that are made hostile are valid", {
  for (manifold in boundary_manifolds()) {
    calls <- boundary_calls(manifold)
    for (name in grep("^ffi_(privacy_round|privacy_scale|base_forked|base_live)", names(calls), invert = TRUE, value = TRUE)) {
      if (is_outside(name, manifold)) next
      expect_no_error(do.call(.Call, c(list(asNamespace("dptda")[[name]]), calls[[name]], list(boundary_options()))))
    }
  }
})

test_that("no entry point crashes R, whatever it is called with", {
  skip_on_cran()
  job <- list(calls = lapply(boundary_manifolds(), boundary_calls), options = boundary_options(), values = hostile_values(),
              times = 10, seed = 1, log = withr::local_tempfile(), result = withr::local_tempfile(), attack = attack_boundary)
  others <- lapply(job$calls[-1], function(calls) calls[grep("manifold", names(calls))])
  job$calls <- c(job$calls[1], others)
  environment(job$attack) <- globalenv()
  from <- withr::local_tempfile()
  saveRDS(job, from)
  code <- sprintf(".libPaths(%s); library(dptda); job <- readRDS(%s); job$attack(job)", deparse1(.libPaths()), deparse(from))
  # the limit is for a kernel that never ends
  said <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE, stderr = TRUE,
                                   timeout = 900))
  last <- utils::tail(readLines(job$log), 1)
  expect_true(file.exists(job$result), info = paste(c(last, utils::tail(said, 30)), collapse = "\n"))
  if (file.exists(job$result)) expect_identical(readRDS(job$result)$blocks, 0)
})
