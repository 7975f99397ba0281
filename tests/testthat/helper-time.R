# The value of `code`, or the error that ended it; that of R where it takes longer than so many seconds. On a busy
# machine the limit may strike wherever R looks at the clock until it is lifted, also after the code has ended: so all
# of it stands within a handler. One that has struck is lifted. Nothing is compiled meanwhile: R's compiler takes a
# limit that strikes within it for a failure of its own, and goes on without it.
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
