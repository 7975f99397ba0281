# Opens the state of a database that a release reads (base-state.R): its own transaction, if there can be one.

in_one_state.dptda_database_rows <- function(rows, code) {
  state <- if (isTRUE(rows$state$open)) rows$state else new_state(rows)
  on.exit(end_state(state, DBI::dbRollback))
  if (!state$open) begin_state(rows, state)
  is_ours <- state$open
  value <- code(function(statistic) {
    if (!asks_database(statistic)) end_state(state, DBI::dbCommit) else if (!is_ours) announce_state(rows)
  })
  end_state(state, DBI::dbCommit)
  value
}

# Creates a state that is not open yet. The caller and the release that begins the state both hold it before it begins,
# so an interrupt in between leaves no transaction open.
new_state <- function(rows) {
  state <- list2env(list(connection = database_connection(rows), open = FALSE), parent = emptyenv())
  if (length(releases_now$states)) {
    release <- releases_now$states[[1]]
    release$begun <- c(release$begun, list(state))
  }
  state
}

# The state in which a release counts rows, or NULL.
reading_state <- function(rows) {
  if (!length(releases_now$states)) return(NULL)
  state <- new_state(rows)
  begin_state(rows, state)
  state
}

# Whether an object of a release holds rows of a database, so that the release may query them again. Families above add
# methods for their objects.
asks_database <- function(statistic) UseMethod("asks_database")

asks_database.default <- function(statistic) {
  is.list(statistic) && any(vapply(statistic, function(part) asks_database(part), NA))
}

asks_database.dptda_database_rows <- function(statistic) TRUE

# Begins our own transaction, if possible, and records it in the state. An interrupt comes before or after that. A
# driver may let one in: the state counts as open from just before it begins, and rolling back a transaction that has
# not begun is harmless.
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

# Whether two queries are in one transaction, which is then the user's.
is_in_transaction <- function(rows) {
  dialect <- rows$dialect
  if (is.function(dialect$transaction)) return(dialect$transaction(dialect$connection))
  numbers <- lapply(1:2, function(i) as.character(DBI::dbGetQuery(dialect$connection, dialect$transaction)[[1]]))
  identical(numbers[[1]], numbers[[2]])
}

# Announces, before anything is spent, that rows may change between the queries of a release that began no transaction.
# If the database has transactions, the connection is in one of the user's.
announce_state <- function(rows) {
  dialect <- rows$dialect
  if (!dialect$answers) return(invisible())
  why <- if (!dialect$transactions) {
    "this database has no known transactions that prevent it"
  } else if (!is.null(dialect$held) && !before_rows(holds_state(dialect), rows$arg)) {
    "your transaction on this connection lets each statement see earlier changes"
  }
  if (is.null(why)) return(invisible())
  tell_dptda("state", "The rows of `", rows$arg, "` may change between the queries of this release: ", why,
             ". Privacy is unaffected, but the result may mix several states of the table. If the number of rows ",
             "changes, the release fails and its budget is lost.", if (dialect$transactions) dialect$advice)
}

holds_state <- function(dialect) as.double(DBI::dbGetQuery(dialect$connection, dialect$held)[[1]]) == 1
