# Statistical tests that take seconds and that no small change breaks run in `make check` only, which asks for them.
skip_unless_long <- function() {
  testthat::skip_if_not(asks_long(), "a long test (DPTDA_LONG_TESTS=true)")
}

asks_long <- function() identical(Sys.getenv("DPTDA_LONG_TESTS"), "true")

# How often, or how many: all of them in `make check`, and fewer before.
long_or <- function(long, quick) if (asks_long()) long else quick

# Laws and searches that call the same kernels thousands of times, as other tests do once: a build that watches memory
# or lines learns nothing from the number, and takes minutes for it.
skip_if_instrumented <- function() {
  testthat::skip_if(identical(Sys.getenv("DPTDA_INSTRUMENTED"), "true"), "an instrumented build")
}
