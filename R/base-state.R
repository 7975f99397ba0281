# All that one release asks is to be answered from the same rows. Memory does not change; a database is asked within a
# transaction of its own, where it has such. Of a release that looks once this ends before the budget is charged, which
# may wait for a file, and for a time (privacy-time.R). A table that a release reads itself is counted in it as well: of
# rows that come and go all the time there would be another number at each question. Where the connection is in a
# transaction of the user's, that one decides what its statements see.

# `rows`: what a mechanism sees. `code`: a function of `looked`, which is told what the rows gave before anything is
# paid.
in_one_state <- function(rows, code) UseMethod("in_one_state")

in_one_state.default <- function(rows, code) code(function(seen) NULL)

in_one_state.dptda_database_rows <- function(rows, code) {
  state <- if (isTRUE(rows$state$open)) rows$state else new_state(rows)
  on.exit(end_state(state, DBI::dbRollback))
  if (!state$open) begin_state(rows, state)
  own <- state$open
  value <- code(function(seen) {
    if (!asks_database(seen)) end_state(state, DBI::dbCommit) else if (!own) announce_state(rows)
  })
  end_state(state, DBI::dbCommit)
  value
}

# A state that is not open yet. Whoever ends it is known before it begins, so that an interrupt in between leaves no
# transaction open: the caller of this function, and the release in which it is begun.
new_state <- function(rows) {
  state <- list2env(list(connection = database_connection(rows), open = FALSE), parent = emptyenv())
  if (length(releases_now$states)) {
    own <- releases_now$states[[1]]
    own$begun <- c(own$begun, list(state))
  }
  state
}

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
  own <- list2env(list(begun = list(), seen = FALSE), parent = emptyenv())
  end <- function() suspendInterrupts({
    for (state in own$begun) end_state(state, DBI::dbRollback)
    releases_now$states <- before
  })
  # an interrupt in between would leave it begun
  do.call(on.exit, list(as.call(list(end)), add = TRUE), envir = frame)
  releases_now$states <- c(list(own), before)
  invisible(own)
}

mark_seen <- function() if (length(releases_now$states)) releases_now$states[[1]]$seen <- TRUE

# What `code` gives, which looks at rows: where it fails, too, it has taken as long as they say.
seen_by <- function(code) {
  value <- withCallingHandlers(code, error = function(cnd) mark_seen())
  mark_seen()
  value
}

# The state in which a release counts rows, or NULL where none does.
reading_state <- function(rows) {
  if (!length(releases_now$states)) return(NULL)
  state <- new_state(rows)
  begin_state(rows, state)
  state
}

# Whether rows of a database are among what a release has seen, so that it may ask them once more.
asks_database <- function(seen) {
  inherits(seen, c("dptda_database_rows", "dptda_database_codes")) ||
    is.list(seen) && any(vapply(seen, asks_database, NA))
}

# Begins a transaction, if there can be one of ours, and says so in the state: an interrupt comes before or after that.
# A driver may let one in: the state is open from just before it begins, and what has not begun cannot be rolled back.
begin_state <- function(rows, state) {
  dialect <- rows$dialect
  connection <- dialect$connection
  if (!dialect$transactions || !dialect$answers) return(invisible())
  begin <- function() {
    state$open <- TRUE
    DBI::dbBegin(connection)
    for (setting in dialect$settings) DBI::dbExecute(connection, setting)
  }
  before_rows(if (!is_in_transaction(rows)) suspendInterrupts(begin()), rows$arg)
}

# Whether two questions are in one transaction, which is then one of the user's.
is_in_transaction <- function(rows) {
  dialect <- rows$dialect
  if (is.function(dialect$transaction)) return(dialect$transaction(dialect$connection))
  numbers <- lapply(1:2, function(i) as.character(DBI::dbGetQuery(dialect$connection, dialect$transaction)[[1]]))
  identical(numbers[[1]], numbers[[2]])
}

# Said before anything is spent where a release that began no transaction looks several times and its rows may change
# between two looks. Where a database has transactions, it is in one of the user's.
announce_state <- function(rows) {
  dialect <- rows$dialect
  if (!dialect$answers) return(invisible())
  why <- if (!dialect$transactions) {
    "nothing is known of transactions of this database in which they do not"
  } else if (!is.null(dialect$held) && !before_rows(holds_state(dialect), rows$arg)) {
    "the connection is in a transaction of yours in which each statement sees what was written before it"
  }
  if (is.null(why)) return(invisible())
  tell_dptda("state", "The rows of `", rows$arg, "` may change while this release looks at them several times: ", why,
             ". It is as private, but it may describe no one state of the table, and if the number of rows changes ",
             "there is no release and what was declared is spent.", if (dialect$transactions) dialect$advice)
}

holds_state <- function(dialect) as.double(DBI::dbGetQuery(dialect$connection, dialect$held)[[1]]) == 1
