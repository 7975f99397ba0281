# Rows of a database for releases of several rounds. The driver hands the rows over in pieces, and kernels sum each
# piece as they sum rows in memory: SQL does no arithmetic of a round. One reading before the charge finds missing
# values and rows that the database cannot read. Rows that fit into memory are kept from this reading, so that nothing
# in the database can fail after the charge. A larger table is read again in each round.
#
# A table that is read in each round has the class "dptda_pieces" and three more fields: `piece_statement`, a query for
# its columns as doubles, the number of each row's group, and the weight of each of a person's rows; `piece_columns`,
# the number of these columns; and `group_count`, the number of groups, or NULL.

# Numbers in a piece: 2 MB, which a kernel reads in a millisecond or two.
piece_numbers <- 2^18

# The largest number of table entries that R may keep.
most_kept <- function() {
  most <- getOption("dptda.kept_numbers", 2^27)
  if (is_one_number(most) && isTRUE(most >= 0)) return(most)
  stop_dptda("argument", "The option `dptda.kept_numbers` must be one number at least 0, not ", describe(most), ".")
}

fetch_rows.dptda_database_rows <- function(rows, rounds, groups = NULL) {
  pieces <- as_pieces(rows, groups)
  check_reading(pieces, rounds)
  read <- list()
  left <- if (fits_in_memory(pieces)) most_kept() else -1
  has_gaps <- FALSE
  read_pieces(pieces, function(piece) {
    has_gaps <<- has_gaps || piece$has_gaps
    left <<- left - length(piece$data) # people may have any number of rows
    if (left < 0) read <<- list() else read[[length(read) + 1]] <<- piece
  })
  if (has_gaps) stop_missing_values(rows, also = text_among_numbers)
  if (left < 0) return(pieces)
  count_again(rows, rounds)
  bind_pieces(read, pieces)
}

# Messages depend on public facts only: for people on their number, and not on the number of their rows.
fits_in_memory <- function(rows) rows$n * rows$piece_columns <= most_kept()

# Refuses a table that its driver would read into R at once. Announces a table that is read many times, or that is
# spread over servers, which do not compute rounds. `each_round`: whether rounds read the rows even if they fit.
check_reading <- function(rows, rounds, each_round = FALSE) {
  fits <- fits_in_memory(rows)
  sample <- if (rows$n > 1e6) {
    " A random sample of 1,000,000 rows, stored as a table of the database, usually gives as good a model."
  }
  if (!fits && !rows$dialect$streams()) {
    stop_dptda("database", "`", rows$arg, "` has ", units_words(rows), " in a database whose driver (",
               class(database_connection(rows))[1], ") reads all rows into R at once. Rounds take at most ",
               format_count(most_kept()), " numbers from it (option `dptda.kept_numbers`).", sample)
  }
  if (fits && is.null(rows$partition) && !rows$dialect$spread) return(invisible())
  tell_dptda("rows", "`", rows$arg, "` has ", units_words(rows), " in a database, and rounds read all rows into R",
             if (!is.null(rows$partition)) " (they do not use `partition`)", ": ",
             if (is.null(rows$person)) "about " else "at least ",
             format_count(ceiling(8e-6 * rows$n * rows$piece_columns)), " MB, ",
             if (fits && !each_round) "once" else paste(format_count(rounds + 1), "times"), ".", sample)
}

# Counts rows again, before anything is spent. A query may choose its rows at random, and rounds that read them again
# would find another number of rows, as these counts do.
count_again <- function(rows, times) {
  if (has_all_rows(rows)) return(invisible())
  query <- cell_answer(mapped_query(rows, c(cell = big_word("1", rows)), integer()), rows, 1)
  for (time in seq_len(times)) check_answer(ask_database(rows, with_total(query, rows)), rows, 1)
}

# The same rows, read in pieces. The statement is tried without rows.
as_pieces <- function(rows, groups = NULL) {
  points <- setdiff(seq_along(rows$columns), groups$columns)
  rows$piece_statement <- before_rows(piece_query(rows, points, groups), rows$arg)
  rows$piece_columns <- length(points)
  if (!is.null(groups)) rows$group_count <- table_size(groups)
  try_statement(rows, dbplyr::sql(rows$piece_statement))
  class(rows) <- c("dptda_pieces", class(rows))
  rows
}

piece_query <- function(rows, points, groups = NULL) {
  words <- vapply(points, function(place) sql_case(column_present(rows, place), column_double(rows, place)), "")
  names(words) <- paste0("point", seq_along(points))
  if (!is.null(groups)) {
    found <- table_cell(groups, rows)
    words <- c(words, own_group = where_present(found$present, found$cell, rows))
  }
  rows$partition <- NULL
  # without its own limit, SQLite merges the inner query and draws a random number at each mention
  paste0(as.vector(mapped_query(rows, words)), limit_clause(rows$dialect))
}

# The sum of a kernel over all pieces.
sum_over.dptda_pieces <- function(x, kernel) {
  begin_part()
  next_part <- shared_bar$next_part
  on.exit(shared_bar$next_part <- next_part)
  shared_bar$next_part <- function() NULL
  sums <- 0
  read_pieces(charged_rows(x), function(piece) sums <<- sums + kernel(piece_rows(piece, x)))
  sums
}

# Passes one piece after another to `use`, and fails if rows are missing at the end.
read_pieces <- function(rows, use) {
  size <- max(1, floor(piece_numbers / rows$piece_columns))
  pieces <- without_errors(rows, rows$dialect$pieces(database_connection(rows), rows$piece_statement, size))
  on.exit(suppressWarnings(pieces$close()))
  totals <- c(rows = 0, people = 0, weight = 0)
  repeat {
    frame <- without_errors(rows, pieces$read())
    if (!nrow(frame)) break
    piece <- as_piece(frame, rows)
    totals <- totals + piece$totals
    use(piece)
  }
  check_pieces(totals, rows)
}

# Returns a matrix of doubles, `data`, and for each row its `group` and, if rows are of people, its `weight`. Weights
# are bounded as integers, whatever the database returned. Rows with a missing value are left out on request. Otherwise
# the first reading refuses missing values, and values that are missing later become 0, because nothing may fail after
# the charge.
as_piece <- function(frame, rows) {
  places <- seq_len(rows$piece_columns)
  data <- matrix(unlist(lapply(frame[places], as.double), use.names = FALSE), nrow(frame))
  beside <- lapply(frame[-places], as.double)
  group <- if (!is.null(rows$group_count)) beside[[1]]
  has_gaps <- anyNA(data) || anyNA(group)
  weights <- if (is_weighed(rows)) Map(bounded_weight, utils::tail(beside, 2), person_most(rows))
  piece <- list(data = data, group = group, weight = weights[[1]], has_gaps = has_gaps && !is_omitting(rows),
                totals = c(nrow(data), sum(weights[[2]]), sum(weights[[1]])))
  if (!has_gaps) return(piece)
  if (is_omitting(rows)) {
    kept <- do.call(stats::complete.cases, c(list(data), if (!is.null(group)) list(group)))
    piece[c("data", "group", "weight")] <- list(data[kept, , drop = FALSE], group[kept], piece$weight[kept])
    return(piece)
  }
  piece$data[is.na(data)] <- 0
  if (!is.null(group)) piece$group[is.na(group)] <- 1
  piece
}

bounded_weight <- function(x, most) {
  x <- pmin(pmax(x, 0), most)
  as.integer(ifelse(is.na(x), 0, x))
}

# A piece in the form of rows in memory.
piece_rows <- function(piece, rows) {
  if (is.null(rows$group_count)) return(piece)
  split_rows(piece$data, piece$weight, piece$group, rows$group_count)
}

bind_pieces <- function(pieces, rows) {
  all <- lapply(c(group = "group", weight = "weight"), function(name) unlist(lapply(pieces, `[[`, name)))
  all$data <- do.call(rbind, c(list(matrix(0, 0, rows$piece_columns)), lapply(pieces, `[[`, "data")))
  if (!is.null(rows$group_count)) return(piece_rows(all, rows))
  new_rows("dptda_memory_rows", rows$columns, rep("number", rows$piece_columns), rows$n, rows$arg, data = all$data,
           weight = all$weight)
}

check_pieces <- function(totals, rows) {
  if (is_weighed(rows)) return(check_people(totals[["weight"]], totals[["people"]], rows))
  check_total(data.frame(table = 1, rows = totals[["rows"]]), rows, 1)
}
