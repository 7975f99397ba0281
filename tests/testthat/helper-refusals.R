# Takes a snapshot of each call in `code`, with the class and message of its required error. testthat's own format of
# errors depends on its version.
expect_refusals <- function(code) {
  code <- substitute(code)
  env <- parent.frame()
  calls <- if (identical(code[[1]], quote(`{`))) as.list(code)[-1] else list(code)
  said <- lapply(calls, function(call) {
    cnd <- tryCatch(list(eval(call, env)), error = identity)
    testthat::expect(inherits(cnd, "error"), paste("no error:", deparse1(call)))
    c(deparse(call, width.cutoff = 110L), if (inherits(cnd, "error")) {
      c(paste0("Error <", class(cnd)[1], ">"), paste0("  ", conditionMessage(cnd)))
    })
  })
  testthat::expect_snapshot_output(cat(unlist(said), sep = "\n"))
}
