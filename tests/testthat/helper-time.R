# Returns the value of `code`, its error, or R's error if it takes longer than the given seconds. On a busy machine the
# limit may strike at any check of the clock until it is lifted, even after the code has ended. So a handler encloses
# everything, and lifts a limit that has struck. Nothing is compiled meanwhile, because R's compiler treats a limit that
# strikes within it as a failure of its own, and continues without the limit.
within_time <- function(seconds, code) {
  before <- compiler::enableJIT(0)
  on.exit(compiler::enableJIT(before))
  tryCatch({
    setTimeLimit(elapsed = seconds, transient = TRUE)
    answer <- tryCatch(code, error = identity)
    setTimeLimit()
    answer
  }, error = identity)
}
