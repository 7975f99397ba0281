# Rows of a database that runs within R's own process, read piece by piece: there a row comes to R as fast as a
# statement looks at it, and a kernel that looks at a piece is many times faster than SQL that does the same arithmetic.
# One statement reads each row once, and no more of them are in R at a time than a piece has. Of a server rows would
# have to travel; those of one stay where they are (cluster-query-database.R).
#
# Rows that are read so have `piece_statement`, which selects their columns as doubles and of people what each weighs.

# Numbers of a piece: 2 MB, which a kernel reads in a millisecond or two.
piece_numbers <- 2^18

# Whether rows may be read so.
hands_over <- function(rows) {
  dialect <- rows$dialect
  !is.null(dialect$pieces) && dialect$answers && is.null(rows$partition) && !asks_total(rows) &&
    dialect$pieces$available()
}

# The same rows, to be read so. After this nothing may fail that could have failed before.
as_pieces <- function(rows) {
  double <- function(place) sql_case(column_present(rows, place), column_double(rows, place))
  words <- structure(vapply(seq_along(rows$columns), double, ""), names = paste0("z", seq_along(rows$columns)))
  query <- before_rows(as.vector(mapped_query(rows, words)), rows$arg)
  # without a limit of its own SQLite writes what it reads from into it, and draws a random number at each mention
  rows$piece_statement <- paste0(query, limit_clause(rows$dialect))
  try_statement(rows, dbplyr::sql(rows$piece_statement))
  class(rows) <- c("dptda_pieces", class(rows))
  rows
}

# The sum of what `kernel` makes of each piece: of a matrix of doubles, or of people a list of it, `data`, and `weight`,
# as rows in memory have them. What is missing, as nothing was when it was checked, is zero: nothing may fail because of
# it. All rows must have come.
sum_over_pieces <- function(rows, kernel) {
  begin_part()
  next_part <- shared_bar$next_part
  on.exit(shared_bar$next_part <- next_part)
  shared_bar$next_part <- function() NULL
  rows <- charged_rows(rows)
  size <- max(1, floor(piece_numbers / length(rows$columns)))
  pieces <- open_pieces(rows, size)
  on.exit(suppressWarnings(pieces$close()), add = TRUE, after = FALSE)
  sums <- 0
  totals <- c(rows = 0, people = 0, weight = 0)
  repeat {
    piece <- without_errors(rows, pieces$read())
    if (!nrow(piece)) break
    piece <- as_piece(piece, rows)
    totals <- totals + piece$totals
    sums <- sums + kernel(piece$rows)
  }
  check_pieces(totals, rows)
  sums
}

open_pieces <- function(rows, size) {
  without_errors(rows, rows$dialect$pieces$open(database_connection(rows), rows$piece_statement, size))
}

# Weights are bounded in whole numbers, whatever the database has made of them.
as_piece <- function(frame, rows) {
  places <- seq_along(rows$columns)
  data <- matrix(unlist(lapply(frame[places], as.double), use.names = FALSE), nrow(frame))
  data[is.na(data)] <- 0
  if (!is_weighed(rows)) return(list(rows = data, totals = c(nrow(data), 0, 0)))
  most <- person_most(rows)
  bounded <- Map(function(x, most) {
    x <- pmin(pmax(as.double(x), 0), most)
    as.integer(ifelse(is.na(x), 0, x))
  }, frame[-places], most)
  list(rows = list(data = data, weight = bounded[[1]]), totals = c(nrow(data), sum(bounded[[2]]), sum(bounded[[1]])))
}

check_pieces <- function(totals, rows) {
  if (is_weighed(rows)) return(check_people(totals[["weight"]], totals[["people"]], rows))
  check_total(data.frame(table = 1, rows = totals[["rows"]]), rows, 1)
}
