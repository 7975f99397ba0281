# Skips statistical tests that take seconds and that small changes do not break. Only `make check` runs them.
skip_unless_long <- function() {
  testthat::skip_if_not(asks_long(), "a long test (DPTDA_LONG_TESTS=true)")
}

asks_long <- function() identical(Sys.getenv("DPTDA_LONG_TESTS"), "true")

# Returns the number of repetitions: `long` in `make check`, and otherwise `quick`.
long_or <- function(long, quick) if (asks_long()) long else quick

# Skips long repetitions of kernels that other tests call once. In a build that checks memory or counts lines, they take
# minutes and find nothing new.
skip_if_instrumented <- function() {
  testthat::skip_if(identical(Sys.getenv("DPTDA_INSTRUMENTED"), "true"), "an instrumented build")
}
