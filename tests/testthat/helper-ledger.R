# Budgets in files, and their use by other processes.

# Makes one charge. Returns the class of the error if it is refused.
charge <- function(budget, epsilon = .1) {
  tryCatch({
    private_count(TRUE, epsilon = epsilon, budget = budget)
    "spent"
  }, dptda_error = function(e) class(e)[1])
}

ledger_file <- function(env = parent.frame()) {
  testthat::skip_if_not_installed("filelock")
  file <- tempfile(fileext = ".ledger")
  withr::defer(unlink(paste0(file, c("", ".lock"))), envir = env)
  file
}

# Starts R processes with this package attached, which end with the test.
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

# Waits for another process, at most a minute.
wait_until <- function(done) {
  for (i in 1:600) {
    if (done()) return(TRUE)
    Sys.sleep(.1)
  }
  FALSE
}

file_bytes <- function(file) readBin(file, "raw", file.size(file))

# Forgets open ledgers, as in a new session.
forget_ledgers <- function() {
  rm(list = ls(ledgers_read), envir = ledgers_read)
  rm(list = ls(places_seen), envir = places_seen)
}

# Runs code while a user's methods exist for all generics that dispatch on plain numbers, strings, lists, and
# guarantees. Returns the names of the methods called.
asked_methods <- function(code) {
  asks <- function(package) {
    functions <- Filter(is.function, mget(getNamespaceExports(package), asNamespace(package), ifnotfound = list(NULL)))
    names(Filter(function(code) !is.primitive(code) && "UseMethod" %in% all.names(body(code)), functions))
  }
  generics <- unique(c(unlist(lapply(c("base", "stats", "utils"), asks)), names(.knownS3Generics), "$", "[[", "["))
  classes <- c("numeric", "double", "integer", "character", "logical", "list", "raw", "function", "matrix", "array",
               "dptda_guarantee")
  planted <- as.vector(outer(generics, classes, paste, sep = "."))
  asked <- new.env()
  note <- function(name) {
    force(name)
    function(...) {
      assign(name, TRUE, envir = asked)
      stop("a method of the user was asked")
    }
  }
  # R's compiler, which runs when a function has been called twice, also calls methods
  compiling <- compiler::enableJIT(0)
  on.exit(compiler::enableJIT(compiling))
  # methods of base are found before methods of a user
  planted <- Filter(function(name) !exists(name, globalenv()), planted)
  on.exit(rm(list = planted, envir = globalenv()), add = TRUE)
  methods <- lapply(planted, note)
  for (i in seq_along(planted)) assign(planted[i], methods[[i]], envir = globalenv())
  force(code)
  ls(asked)
}
