# Statistical tests that take seconds and that no small change breaks run in `make check` only, which asks for them.
skip_unless_long <- function() {
  asked <- identical(Sys.getenv("DPTDA_LONG_TESTS"), "true")
  testthat::skip_if_not(asked, "a long test (DPTDA_LONG_TESTS=true)")
}

# Laws and searches that call the same kernels thousands of times, as other tests do once: a build that watches memory or
# lines learns nothing from the number, and takes minutes for it.
skip_if_instrumented <- function() {
  testthat::skip_if(identical(Sys.getenv("DPTDA_INSTRUMENTED"), "true"), "an instrumented build")
}
