# Rows that stay in an engine: the two verbs as one SQL statement each, written
# by dbplyr. What is done to a row is what src/core/base-rows.c does, operation
# by operation in doubles. Here are spelled out only constants, with 17 digits (dbplyr's
# 15 change every second one), and searches among many cuts, as CASE within
# CASE: one list of conditions takes as long as it is. Nothing is written into
# the engine, no raw value becomes the name of a group, and the statement also
# counts all rows, so that a row that counts twice or not at all is found.

read_table.tbl_lazy <- function(table, columns, arg, partition = NULL) {
  known <- table_columns(table)
  refuse_groups(table, arg, length(dplyr::group_vars(table)) > 0)
  columns <- check_columns(columns, known, arg)
  check_partition(partition, known, arg)
  rows <- database_rows(alone(table, known), columns, engine_types(table, columns, arg), 0, arg, partition)
  rows$n <- count_all(rows)
  rows
}

table_columns.tbl_lazy <- function(table) {
  require_engine_packages()
  as.character(dplyr::tbl_vars(table))
}

# Rows in a database have `table`, lazy, and `partition`, the column that deals them out or NULL.
database_rows <- function(table, columns, types, n, arg, partition = NULL) {
  new_rows("dptda_database_rows", columns, types, n, arg, table = table, partition = partition)
}

holds_rows.dptda_database_rows <- function(rows) inherits(rows$table, "tbl_lazy")

place_of_rows.dptda_database_rows <- function(rows) paste0("in an engine (", class(engine_connection(rows))[1], ")")

# A table has the columns that the box names, where no others are asked for.
point_rows.tbl_lazy <- function(X, columns, box, dimension, arg, min_rows) {
  rows <- read_table(X, if (is.null(columns)) box$columns else columns, arg)
  point_rows(rows, NULL, box, dimension, arg, min_rows)
}

point_rows.dptda_database_rows <- function(X, columns, box, dimension, arg, min_rows) {
  rows <- read_table(X, columns, arg)
  if (!is.null(box$columns)) {
    rows <- take_columns(rows, match_names(rows$columns, box$columns, arg, "the columns that the box names"))
  }
  if (length(dimension) && length(rows$columns) != dimension) {
    stop_argument(arg, "must have ", dimension, " column", if (dimension != 1) "s", ", one for each side of the box, not ",
                  length(rows$columns), "; `columns` chooses them.")
  }
  if (rows$n < min_rows) stop_argument(arg, "must have at least ", min_rows, " row", if (min_rows != 1) "s", ".")
  for (type in rows$types) check_type(type, "number", arg)
  rows
}

# What a pipe ends with must not flow into the statement that reads from it: of distinct() some versions of dbplyr make
# SELECT DISTINCT of the cells.
alone <- function(table, known) {
  if (!is.null(dbplyr::remote_name(table))) return(table)
  name <- rev(make.unique(c(known, "one_row")))[1]
  do.call(dplyr::mutate, c(list(table), structure(list(1L), names = name)))
}

# A driver may be told to read big integers as R's, which end at 2^31: a sum above would look like a missing value.
count_all <- function(rows) {
  answer <- ask_engine(rows, dplyr::mutate(total_query(rows), big = !!as_big("9007199254740991")))
  if (!identical(suppressWarnings(as.double(answer$big)), 2^53 - 1)) {
    stop_dptda("engine", "The connection of `", rows$arg, "` does not keep big integers; connect with bigint = \"integer64\".")
  }
  as.double(answer$rows)
}

require_engine_packages <- function() {
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), c("DBI", "dplyr", "dbplyr"))
  if (length(missing)) {
    stop_dptda("engine", "Tables of an engine need the package", if (length(missing) > 1) "s", " ",
               paste0("`", missing, "`", collapse = " and "), ".")
  }
}

engine_connection <- function(rows) dbplyr::remote_con(rows$table)

# How an engine compares texts, and what it calls a double, is not in dbplyr.
engine_dialect <- function(connection) {
  if (inherits(connection, "SQLiteConnection")) return("sqlite")
  if (inherits(connection, "RedshiftConnection")) return("other")
  if (inherits(connection, c("PqConnection", "PostgreSQLConnection"))) return("postgres")
  "other"
}

# ---- types ---------------------------------------------------------------------

# As value_type(), and "decimal" for numbers that are no doubles and may be beyond them, "bit" for whole numbers that
# may be truths, "unknown". The engine is asked for no rows.
engine_types <- function(table, columns, arg) {
  none <- utils::head(dplyr::select(table, dplyr::all_of(columns)), 0)
  connection <- dbplyr::remote_con(table)
  if (inherits(connection, "TestConnection")) return(rep("unknown", length(columns)))
  frame <- before_rows(dplyr::collect(none), arg)
  types <- vapply(frame, function(x) if (inherits(x, "integer64")) "number" else value_type(x), "", USE.NAMES = FALSE)
  if (engine_dialect(connection) == "sqlite") {
    whole <- vapply(frame, is.integer, NA)
    types[types == "truth"] <- "unknown"
    types[whole & types == "number"] <- "bit"
  }
  if (inherits(connection, "PqConnection")) {
    own <- before_rows(postgres_types(connection, none), arg)
    types[own == "numeric"] <- "decimal"
    types[own == "int8"] <- "number" # which a connection may read as texts
  }
  types
}

postgres_types <- function(connection, query) {
  result <- DBI::dbSendQuery(connection, dbplyr::remote_query(query))
  on.exit(DBI::dbClearResult(result))
  DBI::dbColumnInfo(result)$.typname
}

# ---- words ---------------------------------------------------------------------

# Exact constants. A number below zero in brackets: two minus signs are a comment.
sql_number <- function(x) {
  words <- sprintf("%.17g", x)
  words <- ifelse(grepl("[.e]", words), words, paste0(words, ".0"))
  ifelse(x < 0, paste0("(", words, ")"), words)
}

sql_integer <- function(x) vapply(x, format, "", scientific = FALSE, digits = 17)

sql_name <- function(column, connection) as.character(dbplyr::escape(dbplyr::ident(column), con = connection))

# A column as doubles. (In SQLite too: it compares an integer beyond 2^53 exactly, and then computes with a double.)
sql_double <- function(column, type, connection) {
  name <- sql_name(column, connection)
  switch(engine_dialect(connection),
    sqlite = paste0("CAST(", name, " AS REAL)"),
    postgres = if (type == "decimal") decimal_as_double(name) else paste0("CAST(", name, " AS DOUBLE PRECISION)"),
    other = other_double(name, column, connection)
  )
}

# What dbplyr knows, but for decimals: those have few digits or none behind the point.
other_double <- function(name, column, connection) {
  if (inherits(connection, "Oracle")) return(paste0("CAST(", name, " AS BINARY_DOUBLE)"))
  words <- as.character(dbplyr::translate_sql_(list(call("as.double", as.name(column))), con = connection))
  if (grepl(" AS (NUMERIC|NUMBER|DECIMAL)", words)) {
    stop_dptda("engine", "Numbers cannot be read in an engine of which it is not known what it calls a double (",
               class(connection)[1], ").")
  }
  words
}

# Some engines have no truths.
sql_truth <- function(name, connection) {
  if (inherits(connection, c("Microsoft SQL Server", "Oracle"))) paste(name, "<> 0") else name
}

# A decimal beyond the doubles must not end the statement: it is infinite, or zero.
decimal_as_double <- function(name) {
  paste0("CASE WHEN ", name, " > -1.7976931348623157e308 AND ", name, " < -5e-324 OR ", name, " > 5e-324 AND ", name,
         " < 1.7976931348623157e308 THEN CAST(", name, " AS DOUBLE PRECISION) WHEN ", name,
         " = 'NaN' THEN CAST('NaN' AS DOUBLE PRECISION) WHEN ", name, " >= 1.7976931348623157e308 THEN ",
         "CAST('Infinity' AS DOUBLE PRECISION) WHEN ", name, " <= -1.7976931348623157e308 THEN ",
         "CAST('-Infinity' AS DOUBLE PRECISION) WHEN ", name, " IS NOT NULL THEN CAST(0 AS DOUBLE PRECISION) END")
}

# A column as text that is compared byte by byte.
sql_text <- function(column, connection) {
  name <- sql_name(column, connection)
  switch(engine_dialect(connection),
    sqlite = paste(name, "COLLATE BINARY"),
    postgres = paste0("CAST(", name, " AS TEXT) COLLATE \"C\""),
    other = name
  )
}

sql_string <- function(x, connection) {
  as.character(dbplyr::escape(enc2utf8(x), parens = FALSE, collapse = NULL, con = connection))
}

# Neither NULL nor NaN, whatever the engine's order makes of NaN. In SQLite a column of numbers may hold text, which is
# above all numbers. (Not `-x`, which does not exist for the least integer.)
sql_present <- function(column, x, connection) {
  if (engine_dialect(connection) != "sqlite") return(paste0("(", x, " <= 0 OR 0.0 - ", x, " <= 0)"))
  paste0("TYPEOF(", sql_name(column, connection), ") IN ('integer', 'real')") # it has no NaN
}

# The column at a place as doubles, and that it is present.
column_double <- function(rows, place) sql_double(rows$columns[place], rows$types[place], engine_connection(rows))

column_present <- function(rows, place) {
  sql_present(rows$columns[place], column_double(rows, place), engine_connection(rows))
}

# At or above a number, and not NaN.
sql_from <- function(x, number) paste0("0.0 - ", x, " <= ", sql_number(-number))

# `leaves[i]` for what is at or above i - 1 of the increasing cuts: of eight parts that the leaves are in one after the other,
# as parsers have little room for CASE within CASE (SQLite's ends at some twelve of them, SQL Server at ten).
sql_search <- function(x, cuts, leaves) {
  count <- length(leaves)
  if (count == 1) return(leaves)
  parts <- min(search_parts, count)
  last <- (seq_len(parts) * count) %/% parts
  first <- c(0, last[-parts]) + 1
  found <- vapply(seq_len(parts), function(i) {
    own <- seq.int(first[i], last[i])
    sql_search(x, cuts[own[-length(own)]], leaves[own])
  }, "")
  sql_case(paste(x, "<", cuts[last[-parts]]), found[-parts], found[parts])
}

search_parts <- 8

sql_case <- function(conditions, values, otherwise = NULL) {
  paste0("CASE ", paste0("WHEN ", conditions, " THEN ", values, collapse = " "),
         if (!is.null(otherwise)) paste0(" ELSE ", otherwise), " END")
}

# dbplyr's own word for it.
sql_floor <- function(x, connection) {
  as.character(dbplyr::translate_sql_(list(call("floor", dbplyr::sql(x))), con = connection))
}

# ---- maps ----------------------------------------------------------------------

# What the column at a place is to a table: `cell`, a number from 0, or NULL for a value that is missing; where one might have
# a number `present` is a condition, without which there is none.
sql_axis <- function(axis, place, rows) {
  if (length(axis$cuts) > max_engine_cuts) {
    stop_argument(rows$arg, "is in an engine, where at most ", max_engine_cuts, " cells of different widths are possible.")
  }
  if (!is.null(axis$inner)) return(sql_absent(axis, place, rows))
  if (!is.null(axis$levels)) return(sql_levels(axis, place, rows))
  connection <- engine_connection(rows)
  name <- sql_name(rows$columns[place], connection)
  if (!is.null(axis$truth)) return(list(present = paste(name, "IS NOT NULL"), cell = sql_case(sql_truth(name, connection), "1.0", "0.0")))
  x <- column_double(rows, place)
  present <- column_present(rows, place)
  if (axis$size == 1) return(list(present = present, cell = "0.0"))
  cell <- if (!is.null(axis$origin)) sql_uniform(x, axis, connection) else sql_cuts(x, axis)
  # text in a column of numbers has been made a number there
  list(present = if (engine_dialect(connection) == "sqlite") present, cell = cell)
}

max_engine_cuts <- 1e4

# What is missing has a cell, and nothing is without one.
sql_absent <- function(axis, place, rows) {
  map <- sql_axis(axis$inner, place, rows)
  present <- if (is.null(map$present)) column_present(rows, place) else map$present
  list(present = NULL, cell = sql_case(present, map$cell, sql_number(axis$absent)))
}

# All of the first cell comes by its condition: a product that is no double but zero is an error in PostgreSQL.
sql_uniform <- function(x, axis, connection) {
  second <- least_double(function(x) (x - axis$origin) * axis$per >= 1, axis$first, axis$last)
  place <- paste0("(", x, " - ", sql_number(axis$origin), ") * ", sql_number(axis$per))
  sql_case(c(paste(x, "<", sql_number(c(second, axis$last))), sql_from(x, axis$last)),
           c("0.0", sql_floor(place, connection), sql_number(axis$size - 1)))
}

sql_cuts <- function(x, axis) {
  last <- axis$size - 1
  below <- sql_search(x, sql_number(axis$cuts[-last]), sql_number(seq_len(last) - 1))
  sql_case(c(paste(x, "<", sql_number(axis$cuts[last])), sql_from(x, axis$cuts[last])), c(below, sql_number(last)))
}

sql_levels <- function(axis, at, rows) {
  type <- rows$types[at]
  connection <- engine_connection(rows)
  as_numbers <- is.numeric(axis$levels) || type %in% c("number", "decimal", "bit")
  if (is.numeric(axis$levels) && type == "text") {
    stop_argument("levels", "are numbers, and `", rows$arg, "` holds strings; in an engine they must be of one kind.")
  }
  place <- sql_number(seq_len(axis$size) - 1)
  other <- place[match(axis$other, axis$names)]
  name <- sql_name(rows$columns[at], connection)
  if (type == "truth") {
    cell <- place[level_cells(c(TRUE, FALSE), axis$levels, axis$other)]
    return(list(present = paste(name, "IS NOT NULL"), cell = sql_case(sql_truth(name, connection), cell[1], cell[2])))
  }
  if (!as_numbers) {
    return(list(present = paste(name, "IS NOT NULL"), cell = sql_text_levels(axis, rows$columns[at], place, other, connection)))
  }
  list(present = column_present(rows, at), cell = sql_number_levels(axis, column_double(rows, at), place, other))
}

# Numbers are a level where they have its key: an interval of doubles, mostly of a few.
sql_number_levels <- function(axis, x, place, other) {
  number <- as_plain_number(axis$levels)
  if (any(is.infinite(number))) stop_argument("levels", "must be finite where rows are in an engine.")
  used <- which(!is.na(number) & !duplicated(number_keys(number)))
  range <- key_range(number[used])
  order <- order(range$lower)
  leaves <- sql_case_each(paste(x, "<=", sql_number(range$upper[order])), place[used[order]], other)
  sql_search(x, sql_number(range$lower[order]), c(other, leaves))
}

sql_case_each <- function(conditions, values, otherwise) {
  if (length(values)) paste0("CASE WHEN ", conditions, " THEN ", values, " ELSE ", otherwise, " END")
}

# The order of bytes is known where texts are compared by them.
sql_text_levels <- function(axis, column, place, other, connection) {
  x <- sql_text(column, connection)
  levels <- level_names(axis$levels)
  if (length(levels) == 0) return(other)
  order <- order(levels, method = "radix")
  strings <- sql_string(levels[order], connection)
  place <- place[order]
  if (!has_order_of_bytes(connection)) return(sql_case(paste(x, "=", strings), place, other))
  sql_search(x, strings, c(other, sql_case_each(paste(x, "=", strings), place, other)))
}

# Whether texts are in the order of their bytes in UTF-8.
has_order_of_bytes <- function(connection) {
  if (inherits(connection, "TestConnection")) return(engine_dialect(connection) != "other")
  question <- switch(engine_dialect(connection), sqlite = "PRAGMA encoding", postgres = "SHOW server_encoding",
                     other = return(FALSE))
  DBI::dbGetQuery(connection, question)[[1]] %in% c("UTF-8", "UTF8", "SQL_ASCII", "LATIN1")
}

# Whole steps of a lattice from its first one, as whole_steps() of the kernel. By wide steps what is next to zero is not
# divided: a quotient that is no double but zero is an error in PostgreSQL.
sql_steps <- function(x, step, first, last, connection) {
  place <- paste0(x, " / ", sql_number(step), " + 0.5")
  conditions <- paste(x, c("<=", ">="), sql_number(c(first, last) * step))
  values <- c(0, last - first)
  if (step > 1 && first <= 0 && last >= 0) {
    conditions <- c(conditions, paste0(x, " > ", sql_number(-step * 2^-60), " AND ", x, " < ", sql_number(step * 2^-60)))
    values <- c(values, 0 - first)
  }
  sql_case(conditions, sql_number(values), paste(sql_floor(place, connection), "-", sql_number(first)))
}

# A whole number as a big integer.
as_big <- function(sql) call("as.integer64", dbplyr::sql(sql))

# ---- statements ------------------------------------------------------------------

# `cell` for the rows whose columns are all present, from 1; else it is NULL.
table_cell <- function(table, rows) {
  maps <- Map(sql_axis, table$axes, table$columns, MoreArgs = list(rows = rows))
  stride <- cumprod(c(1, vapply(table$axes, `[[`, 0, "size")))[seq_along(maps)]
  list(present = unlist(lapply(maps, `[[`, "present")),
       cell = paste(c("1.0", paste(sql_number(stride), "*", vapply(maps, `[[`, "", "cell"))[length(maps) > 0]), collapse = " + "))
}

where_present <- function(present, value) {
  as_big(if (length(present)) sql_case(paste(present, collapse = " AND "), value) else value)
}

# One row for each group of `mapped` by `by`, with the number of rows and the sums of the columns `summed`. Over a
# partition the groups are counted in each of its parts first.
grouped <- function(mapped, rows, by, summed = character()) {
  sums <- function(first) {
    total <- lapply(summed, function(name) call("sum", as.name(name), na.rm = TRUE))
    # over no parts a sum is NULL
    number <- if (first) quote(n()) else quote(coalesce(sum(rows, na.rm = TRUE), 0L))
    c(list(rows = number), structure(total, names = summed))
  }
  group <- function(x, names) if (length(names)) do.call(dplyr::group_by, c(list(x), lapply(names, as.name))) else x
  # SQLite computes what it groups by once more for each group: of numbers drawn at random in a view one row would move others
  if (length(by)) mapped <- computed_once(mapped, rows)
  if (is.null(rows$partition)) {
    return(do.call(dplyr::summarise, c(list(group(mapped, by)), sums(TRUE), .groups = "drop")))
  }
  parts <- do.call(dplyr::summarise, c(list(group(mapped, c("part_of_rows", by))), sums(TRUE), .groups = "drop"))
  do.call(dplyr::summarise, c(list(group(parts, by)), sums(FALSE), .groups = "drop"))
}

# A limit that no table reaches: what is computed below it is computed once.
most_rows <- 2^62

# SQLite writes a query into the one that reads from it, and each mention of a column computes it anew: of a view that draws
# numbers at random each would be another number. A limit on both sides keeps them apart. PostgreSQL does so by itself where a function
# is volatile.
computed_once <- function(table, rows) if (draws_anew(rows)) utils::head(table, most_rows) else table

draws_anew <- function(rows) engine_dialect(engine_connection(rows)) == "sqlite"

# SQL of the columns at some places.
mapped_rows <- function(rows, maps, places = seq_along(rows$columns)) {
  # words, not names of R: to dplyr `.data` is none, and what is only named it writes into the next query, limit and all
  word <- function(column) dbplyr::sql(sql_name(column, engine_connection(rows)))
  partition <- if (!is.null(rows$partition)) list(part_of_rows = word(rows$partition))
  used <- unique(c(rows$columns[places], rows$partition))
  table <- rows$table
  if (length(used) && draws_anew(rows)) {
    # spliced, or a column `.data` would be taken for the table
    table <- computed_once(dplyr::transmute(table, !!!structure(lapply(used, word), names = used)), rows)
  }
  do.call(dplyr::transmute, c(list(table), partition, maps))
}

# What is added up, bounded once more in the last step and in whole numbers, whatever an engine has made of the maps: a
# table of the columns of `mapped` that `least` and `most` name.
bounded <- function(mapped, rows, least, most) {
  kept <- if (!is.null(rows$partition)) list(part_of_rows = quote(part_of_rows))
  names <- vapply(names(most), sql_name, "", engine_connection(rows))
  words <- sql_bounded(names, least, most, rows)
  do.call(dplyr::transmute, c(list(computed_once(mapped, rows)), kept, structure(lapply(words, dbplyr::sql), names = names(most))))
}

# A word that names a number once is between its ends whatever is drawn, and PostgreSQL, which writes the maps into it, computes them
# once. (There LEAST of an absent number is none: what is absent is below all, and so is what is too small. It does not travel to
# where the parts of a table are.)
sql_bounded <- function(x, least, most, rows) {
  dialect <- engine_dialect(engine_connection(rows))
  if (dialect == "sqlite") return(paste0("MIN(MAX(", x, ", ", sql_integer(least), "), ", sql_integer(most), ")"))
  if (dialect == "postgres" && is.null(rows$partition)) {
    below <- sql_integer(least - 1)
    return(paste0("NULLIF(LEAST(GREATEST(COALESCE(", x, ", ", below, "), ", below, "), ", sql_integer(most), "), ", below, ")"))
  }
  mapply(function(x, least, most) sql_case(paste(x, c("<", ">"), c(least, most)), c(least, most), x),
         x, sql_integer(least), sql_integer(most))
}

# Answers have one shape: the number of the table (0 for all rows), the cell, the rows in it, the sums.
answer_of <- function(query, table, cell, summed = list()) {
  do.call(dplyr::transmute, c(list(query, table = table, cell = cell, rows = quote(as.integer64(rows))), summed))
}

total_query <- function(rows, summed = character()) {
  zero <- structure(rep(list(as_big("0")), length(summed)), names = summed)
  all <- grouped(mapped_rows(rows, list(one = 1L), integer()), rows, character())
  answer_of(all, 0L, as_big("0"), zero)
}

count_query <- function(rows, tables) {
  parts <- lapply(seq_along(tables), function(i) {
    map <- table_cell(tables[[i]], rows)
    mapped <- mapped_rows(rows, list(cell = where_present(map$present, map$cell)), tables[[i]]$columns)
    cells <- bounded(mapped, rows, c(cell = 1), c(cell = table_size(tables[[i]])))
    answer_of(grouped(cells, rows, "cell"), i, quote(cell))
  })
  Reduce(dplyr::union_all, c(parts, list(total_query(rows))))
}

count_cells.dptda_database_rows <- function(rows, tables) {
  answer <- check_answer(ask_engine(rows, count_query(rows, tables)), rows, seq_along(tables))
  lapply(seq_along(tables), function(i) {
    part <- check_cells(answer[answer$table == i, ], table_size(tables[[i]]), rows)
    list(cell = part$cell, count = part$rows)
  })
}

# Asks the engine for no rows of a table beside as many that have one cell: what its parser has no room for, nor its planner,
# is an error before any row is seen.
try_count <- function(rows, table, beside) {
  tables <- c(list(table), rep(list(cell_table(list())), beside))
  try_statement(rows, written_query(rows, count_query(rows, tables)))
}

# The part of an answer that is about one table, by the numbers of its cells.
check_cells <- function(part, size, rows) {
  if (!all(part$cell %in% seq_len(size))) {
    stop_dptda("engine", "The engine finds a cell for rows of `", rows$arg, "` that there is not; there is no release.")
  }
  if (anyDuplicated(part$cell)) stop_dptda("engine", "The engine counts a cell of `", rows$arg, "` twice; there is no release.")
  part[order(part$cell), ]
}

sum_query <- function(rows, lattice, summed, groups) {
  names <- paste0("sum", seq_along(summed))
  if (is.null(groups)) groups <- cell_table(list())
  map <- table_cell(groups, rows)
  present <- c(map$present, vapply(summed, column_present, "", rows = rows))
  steps <- lapply(seq_along(summed), function(i) {
    x <- column_double(rows, summed[i])
    where_present(present, sql_steps(x, lattice$step[i], lattice$first[i], lattice$last[i], engine_connection(rows)))
  })
  mapped <- mapped_rows(rows, c(list(cell = where_present(present, map$cell)), structure(steps, names = names)),
                        c(groups$columns, summed))
  most <- structure(c(table_size(groups), lattice$last - lattice$first), names = c("cell", names))
  mapped <- bounded(mapped, rows, structure(c(1, 0 * lattice$first), names = names(most)), most)
  big <- structure(lapply(names, function(name) call("as.integer64", as.name(name))), names = names)
  dplyr::union_all(answer_of(grouped(mapped, rows, "cell", names), 1L, quote(cell), big), total_query(rows, names))
}

sum_whole_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  check_constants(rows, c(lattice$step, lattice$first * lattice$step, lattice$last * lattice$step))
  # no sum may leave the doubles, nor wrap around in the engine
  if (any(rows$n * (lattice$last - lattice$first) > 2^53)) stop_argument("bits", "must be fewer for so many rows.")
  answer <- check_answer(ask_engine(rows, sum_query(rows, lattice, summed, groups)), rows, 1)
  size <- if (is.null(groups)) 1 else table_size(groups)
  part <- check_cells(answer[answer$table == 1, ], size, rows)
  sums <- matrix(0, size, length(summed))
  sums[part$cell, ] <- check_sums(as.matrix(part[paste0("sum", seq_along(summed))]), part$rows, lattice, rows)
  sums
}

# No rows have such sums: where the engine says so it has broken its promise.
check_sums <- function(sums, count, lattice, rows) {
  if (!all(sums >= 0 & sums <= outer(count, lattice$last - lattice$first))) {
    stop_dptda("engine", "The engine finds sums for rows of `", rows$arg, "` that there cannot be; there is no release.")
  }
  sums
}

# SQLite reads some very small constants an ulp off, and would have another lattice. Others round as they should.
check_constants <- function(rows, numbers) {
  if (engine_dialect(engine_connection(rows)) != "sqlite") return(invisible())
  answer <- before_rows(DBI::dbGetQuery(engine_connection(rows), paste("SELECT", toString(sql_number(numbers)))), rows$arg)
  if (!identical(as.double(unlist(answer)), as.double(numbers) + 0)) {
    stop_dptda("engine", "The engine of `", rows$arg, "` does not read numbers exactly at the scale of the box.")
  }
}

# The whole numbers of an answer as doubles, or an error: what a wrong count would do to a guarantee nobody knows.
check_answer <- function(answer, rows, tables) {
  answer <- as.data.frame(lapply(answer, as.double))
  total <- answer$rows[answer$table == 0]
  if (!identical(total, as.double(rows$n))) {
    stop_dptda("engine", "`", rows$arg, "` has another number of rows than when it was first asked for; within a transaction ",
               "that reads one state of the table this cannot happen.")
  }
  counted <- vapply(tables, function(i) sum(answer$rows[answer$table == i]), 0)
  if (anyNA(answer$rows) || !all(counted == total)) {
    stop_dptda("engine", "The engine counts rows of `", rows$arg, "` twice, or not at all; there is no release.")
  }
  if (anyNA(answer)) stop_argument(rows$arg, "must not contain missing values, nor, in an engine, text among numbers", rows$advice, ".")
  answer
}

# ---- asking ----------------------------------------------------------------------

# An error before the engine has seen a row is about the question, and shown as it is; a later one may quote rows.
ask_engine <- function(rows, query) ask_statement(rows, written_query(rows, query))

# What is wrong with the arguments of a question is no fault of the engine, and must be found before it is asked.
written_query <- function(rows, query) {
  force(query)
  before_rows(dbplyr::remote_query(query), rows$arg)
}

ask_statement <- function(rows, statement) {
  try_statement(rows, statement)
  ask <- function() suppressMessages(suppressWarnings(DBI::dbGetQuery(engine_connection(rows), statement)))
  outcome <- tryCatch(list(answer = ask()),
                      error = function(cnd) "error", interrupt = function(cnd) "interrupt")
  if (is.list(outcome)) return(outcome$answer)
  # a driver that has seen an interrupt makes it an error, and R has it still before it: it must not end what comes next
  waiting <- tryCatch({
    Sys.sleep(0.05)
    "error"
  }, interrupt = function(cnd) "interrupt")
  if ("interrupt" %in% c(outcome, waiting)) pass_on_interrupt()
  stop_dptda("engine", "The engine failed while it read the rows of `", rows$arg, "`: there is no release, and ", rows$paid,
             ". What it says is not shown here, since it may be about a row.")
}

# The engine is asked for the columns, and for no rows.
try_statement <- function(rows, statement) {
  force(statement)
  connection <- engine_connection(rows)
  before_rows(DBI::dbGetQuery(connection, dbplyr::sql_query_fields(connection, statement)), rows$arg)
}

before_rows <- function(code, arg) {
  tryCatch(code, error = function(cnd) {
    stop_dptda("engine", "The engine cannot do what it is asked for `", arg, "`: ", conditionMessage(cnd))
  })
}

pass_on_interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

# ---- one state of the table ------------------------------------------------------------------

# All that one release asks is to be answered from the same rows: it is in a transaction of its own. Where the connection is
# in one of the user's, that one decides what they see.
in_one_state.dptda_database_rows <- function(rows, code) {
  connection <- engine_connection(rows)
  if (!begin_state(rows)) return(code)
  whole <- FALSE
  on.exit(tryCatch(if (whole) DBI::dbCommit(connection) else DBI::dbRollback(connection), error = function(cnd) NULL))
  value <- code
  whole <- TRUE
  value
}

# Whether a transaction was begun.
begin_state <- function(rows) {
  connection <- engine_connection(rows)
  if (inherits(connection, "TestConnection")) return(FALSE)
  switch(engine_dialect(connection),
    sqlite = value_or({
      DBI::dbBegin(connection)
      TRUE
    }, FALSE), # it is in one
    postgres = before_rows({
      # a transaction of the user's began before this statement (which must be sent as one: prepared, it is two)
      question <- "SELECT now() = statement_timestamp() AS outside"
      outside <- isTRUE(DBI::dbGetQuery(connection, question, immediate = TRUE)[[1]])
      if (outside) {
        DBI::dbBegin(connection)
        DBI::dbExecute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # to compile the expressions of a look takes longer than to compute them for 10^5 rows
        DBI::dbGetQuery(connection, "SELECT set_config(name, 'off', true) FROM pg_settings WHERE name = 'jit'")
      }
      outside
    }, rows$arg),
    other = FALSE
  )
}
