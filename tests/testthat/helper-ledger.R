# Budgets in files, and what happens to them in other processes.

# One payment; the class of the error if it is refused.
pay <- function(budget, epsilon = .1) {
  tryCatch({
    private_count(TRUE, epsilon = epsilon, budget = budget)
    "paid"
  }, dptda_error = function(e) class(e)[1])
}

ledger_file <- function(env = parent.frame()) {
  testthat::skip_if_not_installed("filelock")
  file <- tempfile(fileext = ".ledger")
  withr::defer(unlink(paste0(file, c("", ".lock"))), envir = env)
  file
}

# R processes that have this package attached, ended with the test.
ledger_workers <- function(count, env = parent.frame()) {
  cluster <- parallel::makePSOCKcluster(count)
  withr::defer(parallel::stopCluster(cluster), envir = env)
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  parallel::clusterEvalQ(cluster, library(dptda))
  cluster
}

# Runs lines of code in another R process and does not wait for it.
start_r <- function(lines, env = parent.frame()) {
  script <- tempfile(fileext = ".R")
  libraries <- paste0(".libPaths(", paste(deparse(.libPaths()), collapse = ""), ")")
  writeLines(c(libraries, "library(dptda)", lines), script)
  withr::defer(unlink(script), envir = env)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), wait = FALSE, stdout = FALSE,
          stderr = FALSE)
}

# Waits for what another process does; a minute is a guard against hanging.
wait_until <- function(done) {
  for (i in 1:600) {
    if (done()) return(TRUE)
    Sys.sleep(.1)
  }
  FALSE
}

file_bytes <- function(file) readBin(file, "raw", file.size(file))
