#!/usr/bin/env Rscript
# Runs the tests against the package that is installed in the first library:
#
#   Rscript tools/run-tests.R [FILE [STEM]]
#
# Prints "N passed, N failed, N skipped" (tests, that is calls of test_that()), writes the three numbers to the file
# and ends with status 1 if anything failed. A test file that does not parse, or fails outside a test, is a failure.
# With a stem, only test-STEM.R runs.

arguments <- commandArgs(TRUE)
count_file <- if (length(arguments) > 0) arguments[1]
wanted <- if (length(arguments) > 1) arguments[2] else ".*"
folder <- "tests/testthat"

library(testthat)
library(dptda)

parses <- function(file) {
  tryCatch(is.expression(parse(file)), error = function(cnd) {
    message(file, ": ", conditionMessage(cnd))
    FALSE
  })
}

files <- list.files(folder, paste0("^test-", wanted, "\\.R$"))
good <- vapply(file.path(folder, files), parses, NA)
stems <- sub("^test-(.*)\\.R$", "\\1", files[good])

reporter <- ProgressReporter$new(show_praise = FALSE, update_interval = Inf, max_failures = Inf)
tests <- as.data.frame(test_dir(folder, filter = paste0("^(", paste(stems, collapse = "|"), ")$"), package = "dptda",
                                load_package = "installed", reporter = reporter, stop_on_failure = FALSE))

broken <- tests$failed > 0 | tests$error
slow <- utils::head(tests[order(-tests$real), c("real", "file", "test")], 10)
cat("\nThe slowest tests, seconds:\n",
    sprintf("%7.2f  %s: %s\n", slow$real, slow$file, substr(slow$test, 1, 80)), sep = "")

# A failed expectation outside a test is known to the reporter only.
stray <- max(0, reporter$n_fail - sum(tests$failed) - sum(tests$error))
count <- c(passed = sum(!broken & !tests$skipped),
           failed = sum(broken) + stray + sum(!good),
           skipped = sum(tests$skipped & !broken))
cat("\n", toString(paste(count, names(count))), "\n", sep = "")
if (!is.null(count_file)) writeLines(as.character(count), count_file)
quit(status = if (count[["failed"]] > 0) 1 else 0)
