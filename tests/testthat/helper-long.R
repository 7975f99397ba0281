# Statistical tests that take seconds and that no small change breaks run in `make check` only, which asks for them.
skip_unless_long <- function() {
  asked <- identical(Sys.getenv("DPTDA_LONG_TESTS"), "true")
  testthat::skip_if_not(asked, "a long test (DPTDA_LONG_TESTS=true)")
}
