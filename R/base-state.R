# Answers all queries of a release from the same rows. Memory does not change. A database is queried within its own
# transaction, if it has transactions. For a release with one query, the transaction ends before the budget is charged,
# because the charge may wait for a file, and for a time (privacy-time.R). A table that a release reads itself is also
# counted in the transaction, because a table that changes all the time would have another number of rows at each query.
# If the connection is in a transaction of the user, that transaction decides which rows its statements see.

# `rows`: the rows of a mechanism. `code`: a function of `looked`, which receives the statistic of the rows before
# the charge.
in_one_state <- function(rows, code) UseMethod("in_one_state")

in_one_state.default <- function(rows, code) code(function(statistic) NULL)

# Ends a state. All interrupts wait until then. A driver may let one in, and the state is then ended once more.
end_state <- function(state, by) {
  # the next query closes one that a time limit ended, with a warning; R forgets a limit that strikes here
  end <- function() suppressWarnings(by(state$connection))
  interrupted <- FALSE
  suspendInterrupts(while (state$open) {
    state$open <- tryCatch({
      tryCatch(end(), error = function(cnd) if (is_time_limit(cnd)) value_or(end(), NULL))
      FALSE
    }, interrupt = function(cnd) interrupted <<- TRUE)
  })
  # after a rollback, the release ends anyway
  if (interrupted && identical(by, DBI::dbCommit)) pass_on_interrupt()
}

# Releases in progress, the last one first. Each has the states that its reading has begun, and whether it has used rows
# there: an early end must not reveal how long that took (privacy-time.R).
releases_now <- list2env(list(states = list()), parent = emptyenv())

# The call of `frame` now reads in states that end with it, however it ends.
read_in_state <- function(frame) {
  before <- releases_now$states
  release <- list2env(list(begun = list(), seen = FALSE, later = FALSE), parent = emptyenv())
  end <- function() suspendInterrupts({
    for (state in release$begun) end_state(state, DBI::dbRollback)
    releases_now$states <- before
  })
  # an interrupt in between would leave the release begun
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
  releases_now$states <- c(list(release), before)
  invisible(release)
}

# Rows that a release reads from now on are counted with its query, if they are a stored table of a database. Rows that
# it was given are already read.
count_later <- function() releases_now$states[[1]]$later <- TRUE

counts_later <- function() length(releases_now$states) > 0 && isTRUE(releases_now$states[[1]]$later)

# Rows that a user reads are counted at once, even in an argument of a release that counts later.
count_at_once <- function(code) {
  if (!counts_later()) return(code)
  release <- releases_now$states[[1]]
  release$later <- FALSE
  on.exit(release$later <- TRUE)
  code
}

mark_seen <- function() if (length(releases_now$states)) releases_now$states[[1]]$seen <- TRUE

# Evaluates `code`, which uses rows, and records that: even if it fails, its duration depends on them.
seen_by <- function(code) {
  value <- withCallingHandlers(code, error = function(cnd) mark_seen())
  mark_seen()
  value
}
