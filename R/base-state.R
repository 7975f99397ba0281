# All that one release asks is to be answered from the same rows. Memory does not change; a database is asked within a
# transaction of its own, where it has such. Of a release that looks once this ends before the budget is charged, which
# may wait for a file, and for a time (privacy-time.R). A table that a release reads itself is counted in it as well: of
# rows that come and go all the time there would be another number at each question. Where the connection is in a
# transaction of the user's, that one decides what its statements see.

# `rows`: what a mechanism sees. `code`: a function of `looked`, which is told what the rows gave before anything is
# paid.
in_one_state <- function(rows, code) UseMethod("in_one_state")

in_one_state.default <- function(rows, code) code(function(statistic) NULL)

# Interrupts wait until it has ended, however many there are. A driver may let one in; then it is ended once more.
end_state <- function(state, by) {
  # a question that a time limit ended is closed by the next one, which warns of it; R forgets one that strikes here
  end <- function() suppressWarnings(by(state$connection))
  interrupted <- FALSE
  suspendInterrupts(while (state$open) {
    state$open <- tryCatch({
      tryCatch(end(), error = function(cnd) if (is_time_limit(cnd)) value_or(end(), NULL))
      FALSE
    }, interrupt = function(cnd) interrupted <<- TRUE)
  })
  # what ends by a roll back ends anyway
  if (interrupted && identical(by, DBI::dbCommit)) pass_on_interrupt()
}

# Releases that have begun and not ended, the last one first: of each the states that its reading has begun, and whether
# it has looked at rows there: how long that took must not be told by what ends it before its time (privacy-time.R).
releases_now <- list2env(list(states = list()), parent = emptyenv())

# From here on the call that `frame` is of reads in states that end with it, however it ends.
read_in_state <- function(frame) {
  before <- releases_now$states
  release <- list2env(list(begun = list(), seen = FALSE, later = FALSE), parent = emptyenv())
  end <- function() suspendInterrupts({
    for (state in release$begun) end_state(state, DBI::dbRollback)
    releases_now$states <- before
  })
  # an interrupt in between would leave it begun
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
  releases_now$states <- c(list(release), before)
  invisible(release)
}

# Rows that it reads from here on are counted with what it asks of them, where a database has them in a table. What it
# was given was read before.
count_later <- function() releases_now$states[[1]]$later <- TRUE

counts_later <- function() length(releases_now$states) > 0 && isTRUE(releases_now$states[[1]]$later)

# Rows that a user reads, be it in an argument of a release that counts later, have their number at once.
count_at_once <- function(code) {
  if (!counts_later()) return(code)
  release <- releases_now$states[[1]]
  release$later <- FALSE
  on.exit(release$later <- TRUE)
  code
}

mark_seen <- function() if (length(releases_now$states)) releases_now$states[[1]]$seen <- TRUE

# What `code` gives, which looks at rows: where it fails, too, it has taken as long as they say.
seen_by <- function(code) {
  value <- withCallingHandlers(code, error = function(cnd) mark_seen())
  mark_seen()
  value
}
