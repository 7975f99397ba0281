# A test that takes more than about a fifth of a second calls this first: the
# checkers of memory (tools/memory-tests.sh) make it fifty times slower.
skip_if_slow <- function() {
  checker <- Sys.getenv("DPTDA_SLOW_CHECKER")
  if (nzchar(checker)) testthat::skip(paste("too slow under", checker))
}
