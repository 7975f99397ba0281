#!/usr/bin/env Rscript
# Runs the tests against the package that is installed in the first library:
#
#   Rscript tools/run-tests.R [FILE [STEM]]
#
# Prints "N passed, N failed, N skipped" (tests, that is calls of test_that()), writes the three numbers to FILE and
# ends with status 1 if anything failed. With a stem (a regular expression), only the files test-STEM.R run.
#
# Each file runs in an R process of its own, DPTDA_TEST_WORKERS of them at a time (by default two, or the number of
# cores if that is one). So no file sees what another left behind, whatever the order, and one that kills its process
# costs no other. A file that does not parse, fails outside a test, or whose process dies is a failure. A single file
# runs in this process, for debuggers and valgrind.
#
# DPTDA_TEST_WITHOUT: a regular expression, of stems that do not run.
# DPTDA_TEST_TOGETHER=LIBRARY: the workers are processes that take one file after the other, for a build that takes ten
# seconds to load (tools/coverage.R). The processes that tests start find the package in that library. A worker that dies
# costs the file it was at.

arguments <- commandArgs(TRUE)
count_file <- if (length(arguments) > 0) arguments[1]
wanted <- if (length(arguments) > 1) arguments[2] else ".*"
result_file <- Sys.getenv("DPTDA_TEST_RESULT") # set in the process of one file: where its results go
queue <- Sys.getenv("DPTDA_TEST_QUEUE") # set in a process that takes one file after the other: where their results go
other_library <- Sys.getenv("DPTDA_TEST_TOGETHER")
Sys.unsetenv(c("DPTDA_TEST_RESULT", "DPTDA_TEST_QUEUE"))
folder <- "tests/testthat"

# The longest first, or the last one runs alone; the others by size, which is near enough.
long <- c("base-engine", "privacy-audit-mechanisms", "topology-landmarks", "errors", "publish-wide", "publish-counts", "cluster-look-engine", "topology-sampler",
          "manifold-private-mean", "topology-dtm", "privacy-audit-divergence", "base-repeat", "privacy-compose", "base-boundary", "base-engines", "privacy-ledger", "privacy-budget",
          "topology-grid-persistence", "privacy-quantile", "manifold-sensitivity", "manifold-origin",
          "manifold-private-mean-plot", "manifold-frechet-noise", "privacy-lies")
files <- list.files(folder, paste0("^test-(", wanted, ")\\.R$"))
stems <- sub("^test-(.*)\\.R$", "\\1", files)
without <- Sys.getenv("DPTDA_TEST_WITHOUT")
left_out <- stems[nzchar(without) & grepl(without, stems)]
files <- files[!stems %in% left_out]
stems <- setdiff(stems, left_out)
stems <- stems[order(match(stems, long), -file.size(file.path(folder, files)), stems)]

# The tests of one file: a data frame with their names, seconds, what became of them, and why they were skipped.
run_here <- function(stem) {
  library(testthat)
  library(dptda)
  reporter <- ProgressReporter$new(show_praise = FALSE, update_interval = Inf, max_failures = Inf)
  found <- test_dir(folder, filter = paste0("^", stem, "$"), package = "dptda", load_package = "installed",
                    reporter = reporter, stop_on_failure = FALSE)
  tests <- as.data.frame(found)
  broken <- tests$failed > 0 | tests$error
  outcome <- ifelse(broken, "failed", ifelse(tests$skipped, "skipped", "passed"))
  reason <- function(test) {
    skips <- Filter(function(result) inherits(result, "expectation_skip"), test$results)
    toString(sub("^Reason: ", "", unique(vapply(skips, conditionMessage, ""))))
  }
  outside <- is.na(tests$test)
  result <- data.frame(stem = rep(stem, nrow(tests)), test = ifelse(outside, "outside of its tests", tests$test),
                       seconds = ifelse(outside, 0, tests$real), outcome = outcome,
                       reason = vapply(found, reason, ""), warned = tests$warning > 0)
  # some failures outside a test are known to the reporter only
  stray <- max(0, reporter$n_fail - sum(tests$failed) - sum(tests$error))
  rbind(result, failures(stem, "outside of its tests", stray))
}

failures <- function(stem, what, times = 1) {
  data.frame(stem = rep(stem, times), test = rep(what, times), seconds = rep(0, times), outcome = rep("failed", times),
             reason = rep("", times), warned = rep(FALSE, times))
}

# The same in a process of its own. What it prints is shown if there is something to see.
run_apart <- function(stem) {
  answer <- tempfile()
  log <- tempfile()
  on.exit(unlink(c(answer, log)))
  status <- system2(file.path(R.home("bin"), "Rscript"), c("tools/run-tests.R", "/dev/null", stem), stdout = log,
                    stderr = log, env = paste0("DPTDA_TEST_RESULT=", answer))
  result <- results_in(answer, stem, status)
  if (status != 0 && file.exists(answer)) result <- rbind(result, failures(stem, paste("the process ended with status", status)))
  report(result, log)
  result
}

results_in <- function(file, stem, status) {
  tryCatch(suppressWarnings(readRDS(file)), error = function(cnd) {
    failures(stem, paste("the process ended with status", status, "and left no results"))
  })
}

report <- function(result, log) {
  count <- count_of(result)
  line <- sprintf("%6.1f s  %s: %s", sum(result$seconds), result$stem[1], in_words(count))
  shown <- if (count[["failed"]] > 0 || any(result$warned)) readLines(log, warn = FALSE)
  cat(paste0(c(shown, line, ""), collapse = "\n"))
}

# A worker takes the files that no other has taken: a folder can be made once.
run_queue <- function() {
  loadNamespace("dptda")
  .libPaths(c(other_library, .libPaths()))
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  for (stem in stems) {
    taken <- file.path(queue, stem)
    if (!dir.create(taken, showWarnings = FALSE)) next
    log <- file(file.path(taken, "log"), "w")
    sink(log)
    sink(log, type = "message")
    result <- tryCatch(run_here(stem), error = function(cnd) {
      message(conditionMessage(cnd))
      failures(stem, "the file as a whole")
    })
    sink(type = "message")
    sink()
    close(log)
    saveRDS(result, file.path(taken, "result"))
    report(result, file.path(taken, "log"))
  }
}

run_together <- function(workers) {
  queue <- tempfile("queue-")
  dir.create(queue)
  on.exit(unlink(queue, recursive = TRUE))
  run_worker <- function(i) {
    system2(file.path(R.home("bin"), "Rscript"), c("tools/run-tests.R", "/dev/null", shQuote(wanted)),
            env = paste0("DPTDA_TEST_QUEUE=", queue))
  }
  status <- unlist(parallel::mclapply(seq_len(workers), run_worker, mc.cores = workers))
  result <- lapply(stems, function(stem) {
    taken <- file.path(queue, stem)
    log <- file.path(taken, "log")
    if (!file.exists(file.path(taken, "result")) && file.exists(log)) writeLines(readLines(log, warn = FALSE))
    results_in(file.path(taken, "result"), stem, toString(status))
  })
  if (any(status != 0)) result <- c(result, list(failures("a worker", paste("ended with status", toString(status)))))
  result
}

count_of <- function(tests) table(factor(tests$outcome, c("passed", "failed", "skipped")))
in_words <- function(count) toString(paste(count, names(count)))

if (nzchar(queue)) {
  run_queue()
  quit(status = 0)
}
if (nzchar(result_file)) {
  saveRDS(run_here(stems), result_file)
  quit(status = 0)
}

if (length(stems) == 1) {
  results <- list(tryCatch(run_here(stems), error = function(cnd) {
    message(conditionMessage(cnd))
    failures(stems, "the file as a whole")
  }))
} else {
  Sys.setenv(OMP_WAIT_POLICY = "passive") # threads that wait leave their core to the other processes
  cores <- max(1, parallel::detectCores(), na.rm = TRUE)
  workers <- as.integer(Sys.getenv("DPTDA_TEST_WORKERS", min(2, cores)))
  results <- if (nzchar(other_library)) run_together(workers) else
    parallel::mclapply(stems, run_apart, mc.preschedule = FALSE, mc.cores = workers)
}
lost <- !vapply(results, is.data.frame, NA)
results[lost] <- lapply(stems[lost], failures, "the process that waited for its results died")
tests <- do.call(rbind, results)

slow <- utils::head(tests[order(-tests$seconds), ], 10)
cat("\nThe slowest tests, seconds:\n",
    sprintf("%7.2f  %s: %s\n", slow$seconds, slow$stem, substr(slow$test, 1, 80)), sep = "")
broken <- tests[tests$outcome == "failed", ]
if (nrow(broken)) cat("\nFailed:\n", sprintf("  %s: %s\n", broken$stem, broken$test), sep = "")

if (length(left_out)) cat("\nLeft out:\n", paste0("  ", left_out, "\n"), sep = "")
skips <- table(tests$reason[tests$outcome == "skipped"])
if (length(skips)) cat("\nSkipped:\n", sprintf("  %d: %s\n", skips, names(skips)), sep = "")

count <- count_of(tests)
cat("\n", in_words(count), "\n", sep = "")
if (!is.null(count_file)) writeLines(as.character(count), count_file)
quit(status = if (count[["failed"]] > 0 || !length(stems)) 1 else 0)
