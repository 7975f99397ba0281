#!/usr/bin/env Rscript
# Runs the tests on an instrumented build and prints which part of the lines of R and of C they reach. Ends with
# status 1 if either part is below the threshold, or if a test fails here.
#
# A covered process takes ten seconds to count its lines and to save the counts, so that the files of tests run in two
# processes, one after the other (see tools/run-tests.R), and what tests start in processes of its own is a plain build. Each
# has one thread, because threads that share gcov's counters make a test sixty times slower. Code that counts its lines gains
# less from R's compiler than the compiler takes.
#
# Left out are audits, which take lines that other files take, ten thousand times.

threshold <- 95 # percent
left_out <- "^privacy-lies$"

# covr compiles where it finds the sources: a copy, as it would be shipped.
source_copy <- tempfile("dptda-")
stopifnot(system2("sh", c("tools/unpack.sh", shQuote(source_copy))) == 0)

plain <- tempfile("library-")
stopifnot(system2("sh", c("tools/install.sh", shQuote(plain))) == 0)

# The tests on the covered package, which covr puts first. covr shows nothing of its child process, and ends with an error
# if the child does.
log <- tempfile()
run_tests <- sprintf(
  "setwd(%s); if (system2(file.path(R.home('bin'), 'Rscript'), 'tools/run-tests.R', stdout = %s) != 0) stop('failed')",
  deparse(getwd()), deparse(log)
)

Sys.setenv(OMP_THREAD_LIMIT = "1", R_ENABLE_JIT = "0", NOT_CRAN = "true", DPTDA_INSTRUMENTED = "true", DPTDA_TEST_TOGETHER = plain,
           DPTDA_TEST_WITHOUT = left_out)
options(covr.flags = c(CFLAGS = "-O1 -g --coverage", LDFLAGS = "--coverage"))
coverage <- tryCatch(covr::package_coverage(source_copy, type = "none", code = run_tests), error = identity)
writeLines(readLines(log))
if (inherits(coverage, "error")) stop(coverage)

lines <- covr::tally_coverage(coverage, by = "line")
language <- ifelse(grepl("\\.R$", lines$filename), "R", "C")
percent <- function(hit) if (length(hit)) 100 * mean(hit > 0) else 100
of_file <- vapply(split(lines$value, lines$filename), percent, 0)
cat(sprintf("%7.2f %%  %s\n", of_file, names(of_file)), sep = "")

parts <- c(R = percent(lines$value[language == "R"]), C = percent(lines$value[language == "C"]),
           total = percent(lines$value))
missed <- lines[lines$value == 0, ]
if (nrow(missed)) {
  cat("Lines that no test reaches:\n")
  by_file <- split(missed$line, missed$filename, drop = TRUE)
  cat(sprintf("  %s: %s\n", names(by_file), vapply(by_file, toString, "")), sep = "")
}
cat(sprintf("Coverage of %s: %.2f %%\n", names(parts), parts), sep = "")
if (any(parts < threshold)) stop("the coverage is below ", threshold, " %")
