# Rows that stay in a database: the two verbs as one SQL statement each, written
# by dbplyr. What is done to a row is what src/core/base-rows.c does, operation
# by operation in doubles. Here are spelled out only constants, with 17 digits (dbplyr's
# 15 change every second one), and searches among many cuts, as CASE within
# CASE: one list of conditions takes as long as it is. Nothing is written into
# the database, no raw value becomes the name of a group, and the statement also
# counts all rows, so that a row that counts twice or not at all is found.

read_table.tbl_lazy <- function(table, columns, arg, partition = NULL) {
  rows <- uncounted_rows(table, columns, arg, partition)
  rows$n <- count_all(rows)
  rows
}

uncounted_rows <- function(table, columns, arg, partition = NULL) {
  known <- table_columns(table)
  refuse_groups(table, arg, length(dplyr::group_vars(table)) > 0)
  columns <- check_columns(columns, known, arg)
  check_partition(partition, known, arg)
  rows <- database_rows(subquery(table, known), columns, character(), 0, arg, partition)
  rows$types <- database_types(rows)
  rows
}

table_columns.tbl_lazy <- function(table) {
  require_database_packages()
  as.character(dplyr::tbl_vars(table))
}

# Rows in a database have `table`, lazy, `partition`, the column that deals them out or NULL, and `dialect`, the words
# of their database (base-dialect.R).
database_rows <- function(table, columns, types, n, arg, partition = NULL) {
  new_rows("dptda_database_rows", columns, types, n, arg, table = table, partition = partition,
           dialect = dialect_of(dbplyr::remote_con(table)))
}

holds_rows.dptda_database_rows <- function(rows) inherits(rows$table, "tbl_lazy") && is.list(rows$dialect)

place_of_rows.dptda_database_rows <- function(rows) paste0("in a database (", class(database_connection(rows))[1], ")")

# A table has the columns that the box names, where no others are asked for.
point_rows.tbl_lazy <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, if (is.null(columns)) box$columns else columns, arg)
  point_rows(rows, NULL, box, dimension, arg, min_rows)
}

point_rows.dptda_database_rows <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, columns, arg)
  if (!is.null(box$columns)) {
    rows <- take_columns(rows, match_names(rows$columns, box$columns, arg, "the columns that the box names"))
  }
  if (length(dimension) && length(rows$columns) != dimension) {
    stop_argument(arg, "must have ", dimension, " column", if (dimension != 1) "s",
                  ", one for each side of the box, not ",
                  length(rows$columns), "; `columns` chooses them.")
  }
  if (rows$n < min_rows) stop_argument(arg, "must have at least ", min_rows, " row", if (min_rows != 1) "s", ".")
  class_rows(rows, box$classes)
}

# Dates, times and logical values are read as numbers, row by row. A database that has no dates keeps their numbers, as
# R's drivers write them.
class_rows.dptda_database_rows <- function(rows, classes) {
  dialect <- rows$dialect
  for (place in seq_along(rows$types)) {
    type <- rows$types[place]
    class <- class_at(classes, place)
    if (is.na(class) || type == "unknown" || class != "number" && dialect$number_dates && type %in%
        c("number", "bit")) next
    check_class_type(type, class, column_arg(rows, place))
    rows$types[place] <- number_type(type, dialect, column_arg(rows, place))
  }
  rows
}

number_type <- function(type, dialect, arg) {
  if (type %in% c("Date", "POSIXct") && dialect$number_dates) return("number")
  wanted <- switch(type, logical = "logical number", Date = "date number", POSIXct = "time number", type)
  if (type == "difftime" || wanted != type && is.null(read_word(dialect, wanted))) {
    stop_argument(arg, "holds ", if (type == "logical") "logical values" else class_words(type),
                  ", which cannot be read as numbers in this database; make numbers of them in the table, each by ",
                  "itself.")
  }
  wanted
}

# How what is no number is read as a double; what is missing is none. Constants with a point are decimals to some.
read_word <- function(dialect, type) {
  if (type == "date number") return(dialect$date)
  if (type == "time number") return(dialect$time)
  zero_or_one <- paste0("CASE WHEN ", dialect$logical, " THEN 1.0 WHEN NOT (", dialect$logical, ") THEN 0.0 END")
  if (type == "logical number" && !is.null(dialect$double)) fill_word(dialect$double, zero_or_one)
}

# What a pipe ends with must not flow into the statement that reads from it: of distinct() some versions of dbplyr make
# SELECT DISTINCT of the cells.
subquery <- function(table, known) {
  if (!is.null(dbplyr::remote_name(table))) return(table)
  name <- rev(make.unique(c(known, "one_row")))[1]
  do.call(dplyr::mutate, c(list(table), structure(list(1L), names = name)))
}

count_all <- function(rows) {
  answer <- ask_database(rows, dplyr::mutate(total_query(rows), big = !!as_big("9007199254740991")))
  check_big_integers(answer, rows)
  as.double(answer$rows)
}

# A driver may be told to read big integers as R's, which end at 2^31: a sum above would look like a missing value.
check_big_integers <- function(answer, rows) {
  if (!identical(suppressWarnings(as.double(answer$big)), 2^53 - 1)) {
    stop_dptda("database", "The connection of `", rows$arg,
               "` does not keep big integers; connect with bigint = \"integer64\".")
  }
}

require_database_packages <- function() {
  missing <- Filter(function(name) !requireNamespace(name, quietly = TRUE), c("DBI", "dplyr", "dbplyr"))
  if (length(missing)) {
    stop_dptda("database", "Tables of a database need the package", if (length(missing) > 1) "s", " ",
               paste0("`", missing, "`", collapse = " and "), ".")
  }
}

database_connection <- function(rows) rows$dialect$connection

# ---- types ---------------------------------------------------------------------

# As value_type(), and "decimal" for numbers that are no doubles and may be beyond them, "bit" for whole numbers that
# may be truths, "unknown". The database is asked for no rows.
database_types <- function(rows) {
  dialect <- rows$dialect
  none <- utils::head(dplyr::select(rows$table, dplyr::all_of(rows$columns)), 0)
  if (!dialect$answers) return(rep("unknown", length(rows$columns)))
  frame <- before_rows(dplyr::collect(none), rows$arg)
  types <- vapply(frame, function(x) if (inherits(x, "integer64")) "number" else value_type(x), "", USE.NAMES = FALSE)
  if (dialect$whole_bits) types[vapply(frame, is.integer, NA) & types == "number"] <- "bit"
  if (dialect$weak_logicals) types[types == "logical"] <- "unknown"
  if (is.null(dialect$types)) return(types)
  own <- before_rows(own_types(dialect, none), rows$arg)
  known <- own %in% names(dialect$types)
  types[known] <- dialect$types[own[known]]
  types
}

# What the database itself calls the types of a query.
own_types <- function(dialect, query) {
  result <- DBI::dbSendQuery(dialect$connection, dbplyr::remote_query(query))
  on.exit(DBI::dbClearResult(result))
  DBI::dbColumnInfo(result)$.typname
}

# ---- words ---------------------------------------------------------------------

# A name as a double.
sql_double <- function(name, dialect, type = "number") {
  if (is.null(dialect$double)) {
    stop_dptda("database", "Numbers cannot be read in a database of which it is not known what it calls a double (",
               class(dialect$connection)[1], ").")
  }
  if (type %in% class_types) return(fill_word(read_word(dialect, type), name))
  fill_word(if (type == "decimal" && !is.null(dialect$decimal)) dialect$decimal else dialect$double, name)
}

sql_string <- function(x, dialect) {
  as.character(dbplyr::escape(enc2utf8(x), parens = FALSE, collapse = NULL, con = dialect$connection))
}

# The column at a place, by its name; as doubles; that it is present: neither NULL nor NaN, whatever the database's
# order makes of NaN. (Not `-x`, which does not exist for the least integer.)
column_name <- function(rows, place) sql_name(rows$columns[place], rows$dialect)

column_double <- function(rows, place) sql_double(column_name(rows, place), rows$dialect, rows$types[place])

column_present <- function(rows, place) {
  if (!is.null(rows$dialect$is_number)) return(fill_word(rows$dialect$is_number, column_name(rows, place)))
  fill_word("(@ <= 0 OR 0.0 - @ <= 0)", column_double(rows, place))
}

# The same where it may hold no numbers, which are there unless they are NULL.
column_there <- function(rows, place) {
  if (rows$types[place] %in% c("number", "decimal", "bit", class_types)) return(column_present(rows, place))
  paste(column_name(rows, place), "IS NOT NULL")
}

# ---- maps ----------------------------------------------------------------------

# What the column at a place is to a table: `cell`, a number from 0, or NULL for a value that is missing; where one
# might have a number `present` is a condition, without which there is none.
sql_axis <- function(axis, place, rows) {
  if (length(axis$cuts) > max_database_cuts) {
    stop_argument(rows$arg, "is in a database, where at most ", max_database_cuts,
                  " cells of different widths are possible.")
  }
  if (!is.null(axis$inner)) return(sql_absent(axis, place, rows))
  if (!is.null(axis$levels)) return(sql_levels(axis, place, rows))
  dialect <- rows$dialect
  name <- column_name(rows, place)
  if (!is.null(axis$logical)) {
    return(list(present = paste(name, "IS NOT NULL"), cell = sql_case(fill_word(dialect$logical, name), "1.0", "0.0")))
  }
  x <- column_double(rows, place)
  present <- column_present(rows, place)
  if (axis$size == 1) return(list(present = present, cell = "0.0"))
  cell <- if (!is.null(axis$origin)) sql_uniform(x, axis, dialect) else sql_cuts(x, axis, dialect)
  # what is not a number has been made one
  list(present = if (!is.null(dialect$is_number)) present, cell = cell)
}

max_database_cuts <- 1e4

# What is missing has a cell, and nothing is without one.
sql_absent <- function(axis, place, rows) {
  map <- sql_axis(axis$inner, place, rows)
  present <- if (is.null(map$present)) column_present(rows, place) else map$present
  list(present = NULL, cell = sql_case(present, map$cell, sql_number(axis$absent)))
}

# All of the first cell comes by its condition: a product that is no double but zero is an error in PostgreSQL.
sql_uniform <- function(x, axis, dialect) {
  second <- least_double(function(x) (x - axis$origin) * axis$per >= 1, axis$first, axis$last)
  values <- list(x = x, second = second, last = axis$last, origin = axis$origin, per = axis$per,
                 highest = axis$size - 1)
  sql_of(uniform_cell, values, dialect)
}

# What is at or above the last cut, and no NaN, is in the last cell.
uniform_cell <- quote(cases(x < second, 0, x < last, floor((x - origin) * per), 0 - x <= -last, highest))

sql_cuts <- function(x, axis, dialect) {
  count <- length(axis$cuts)
  values <- list(x = x, cuts = axis$cuts[-count], cells = seq_len(count) - 1, last = axis$cuts[count],
                 highest = as.double(count))
  sql_of(cell_between, values, dialect)
}

cell_between <- quote(cases(x < last, search(x, cuts, cells), 0 - x <= -last, highest))

sql_levels <- function(axis, at, rows) {
  type <- rows$types[at]
  dialect <- rows$dialect
  as_numbers <- is.numeric(axis$levels) || type %in% c("number", "decimal", "bit")
  if (is.numeric(axis$levels) && type == "text") {
    stop_argument("levels", "are numbers, and `", rows$arg, "` holds strings; in a database they must be of one kind.")
  }
  place <- sql_number(seq_len(axis$size) - 1)
  other <- place[match(axis$other, axis$names)]
  name <- column_name(rows, at)
  if (type == "logical") {
    cell <- place[level_cells(c(TRUE, FALSE), axis$levels, axis$other)]
    return(list(present = paste(name, "IS NOT NULL"),
                cell = sql_case(fill_word(dialect$logical, name), cell[1], cell[2])))
  }
  if (!as_numbers) {
    return(list(present = paste(name, "IS NOT NULL"), cell = sql_text_levels(axis, name, place, other, dialect)))
  }
  list(present = column_present(rows, at), cell = sql_number_levels(axis, column_double(rows, at), place, other))
}

# Numbers are a level where they have its key: an interval of doubles, mostly of a few.
sql_number_levels <- function(axis, x, place, other) {
  number <- as_plain_number(axis$levels)
  if (any(is.infinite(number))) stop_argument("levels", "must be finite where rows are in a database.")
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
sql_text_levels <- function(axis, name, place, other, dialect) {
  x <- fill_word(dialect$text, name)
  levels <- level_names(axis$levels)
  if (length(levels) == 0) return(other)
  order <- order(levels, method = "radix")
  strings <- sql_string(levels[order], dialect)
  place <- place[order]
  if (!has_order_of_bytes(dialect)) return(sql_case(paste(x, "=", strings), place, other))
  sql_search(x, strings, c(other, sql_case_each(paste(x, "=", strings), place, other)))
}

# Whether texts are in the order of their bytes in UTF-8.
has_order_of_bytes <- function(dialect) {
  if (is.null(dialect$encoding)) return(FALSE)
  !dialect$answers || DBI::dbGetQuery(dialect$connection, dialect$encoding)[[1]] %in%
    c("UTF-8", "UTF8", "SQL_ASCII", "LATIN1")
}

# Whole steps of a lattice from its first one, as whole_steps() of the kernel. By wide steps what is next to zero is not
# divided: a quotient that is no double but zero is an error in PostgreSQL.
sql_steps <- function(x, step, first, last, dialect) {
  values <- list(x = x, step = step, first = first, lower = first * step, upper = last * step, most = last - first,
                 tiny = step * 2^-60, zero = 0 - first)
  sql_of(if (step > 1 && first <= 0 && last >= 0) wide_steps else fine_steps, values, dialect)
}

fine_steps <- quote(cases(x <= lower, 0, x >= upper, most, floor(x / step + 0.5) - first))
wide_steps <- quote(cases(x <= lower, 0, x >= upper, most, x > -tiny & x < tiny, zero, floor(x / step + 0.5) - first))

# A whole number as a big integer.
as_big <- function(sql) call("as.integer64", dbplyr::sql(sql))

# ---- people --------------------------------------------------------------------

# Rows of people that are weighed (base-people-database.R) have `weight`, what a person weighs, and their table has the
# columns `weight_names`: what each row weighs, and whether it is the first of a person.

is_weighed <- function(rows) !is.null(rows$weight)

# Fails closed: rows of people that were not weighed are counted nowhere.
refuse_unweighed <- function(rows) {
  if (!is.null(rows$person_id) && is.null(rows$weight)) {
    stop_argument(rows$arg, "has rows of people that were not weighed.")
  }
}

# What each row weighs, and whether it is the first of a person: columns that stand beside what is counted, their ends,
# and what they are called there. Nothing of other rows.
person_maps <- function(rows) lapply(rows$weight_names, function(name) as_big(sql_name(name, rows$dialect)))

person_most <- function(rows) if (!is.null(rows$weight)) c(weight = rows$weight, first = 1L)

person_names <- function(rows) if (!is.null(rows$weight)) c(weight = "weight", first = "first")

# The weights of an answer to one table must be those of the people that it has seen.
check_people <- function(weights, first, rows) {
  people <- sum(first)
  right <- if (rows$complete) people == rows$n else people <= rows$n
  if (!isTRUE(right && sum(weights) == people * rows$weight)) {
    stop_dptda("database", "`", rows$arg, "` has other people than when it was first asked for, or rows that belong ",
               "to another person at each reading; there is no release.")
  }
}

# ---- statements ------------------------------------------------------------------

# `cell` for the rows whose columns are all present, from 1; else it is NULL.
table_cell <- function(table, rows) {
  maps <- Map(sql_axis, table$axes, table$columns, MoreArgs = list(rows = rows))
  stride <- cumprod(c(1, vapply(table$axes, `[[`, 0, "size")))[seq_along(maps)]
  list(present = unlist(lapply(maps, `[[`, "present")),
       cell = paste(c("1.0", paste(sql_number(stride), "*", vapply(maps, `[[`, "", "cell"))[length(maps) > 0]),
                    collapse = " + "))
}

# Rows with a missing value that are left out have a cell of their own, behind all others: each is counted, and the cell
# dropped.
cell_or_omitted <- function(present, cell, rows, table) {
  found <- where_present(present, cell)
  if (is_omitting(rows)) call("coalesce", found, as_big(sql_integer(table_size(table) + 1))) else found
}

without_omitted <- function(part, size) part[part$cell <= size, ]

where_present <- function(present, value) {
  as_big(if (length(present)) sql_case(paste(present, collapse = " AND "), value) else value)
}

# One row for each group of `mapped` by `by`, with the number of rows and the sums of the columns `summed`. Over a
# partition the groups are counted in each of its parts first.
grouped <- function(mapped, rows, by, summed = character()) {
  sums <- function(first) {
    weighed <- !is.null(rows$weight)
    total <- lapply(lapply(summed, as.name), function(name) {
      call("sum", if (weighed) call("*", quote(weight), name) else name, na.rm = TRUE)
    })
    # over no parts a sum is NULL
    number <- if (first) quote(n()) else quote(coalesce(sum(rows, na.rm = TRUE), 0L))
    of_people <- list(rows = quote(sum(weight, na.rm = TRUE)), people = quote(sum(first, na.rm = TRUE)))
    c(if (weighed) of_people else list(rows = number), structure(total, names = summed))
  }
  group <- function(x, names) if (length(names)) do.call(dplyr::group_by, c(list(x), lapply(names, as.name))) else x
  # SQLite computes what it groups by once more for each group: of numbers drawn at random in a view one row would move
  # others
  if (length(by)) mapped <- computed_once(mapped, rows)
  if (is.null(rows$partition)) {
    return(do.call(dplyr::summarise, c(list(group(mapped, by)), sums(TRUE), .groups = "drop")))
  }
  parts <- do.call(dplyr::summarise, c(list(group(mapped, c("part_of_rows", by))), sums(TRUE), .groups = "drop"))
  do.call(dplyr::summarise, c(list(group(parts, by)), sums(FALSE), .groups = "drop"))
}

# A limit that no table reaches: what is computed below it is computed once.
most_rows <- 2^62

# SQLite writes a query into the one that reads from it, and each mention of a column computes it anew: of a view that
# draws numbers at random each would be another number. A limit on both sides keeps them apart. PostgreSQL does so by
# itself where a function is volatile.
computed_once <- function(table, rows) if (rows$dialect$anew) utils::head(table, most_rows) else table

# SQL of the columns at some places.
mapped_rows <- function(rows, maps, places = seq_along(rows$columns)) {
  refuse_unweighed(rows)
  # words, not names of R: to dplyr `.data` is none, and what is only named it writes into the next query, limit and all
  word <- function(column) dbplyr::sql(sql_name(column, rows$dialect))
  partition <- if (!is.null(rows$partition)) list(part_of_rows = word(rows$partition))
  used <- unique(c(rows$columns[places], rows$partition))
  table <- rows$table
  # what rows weigh is computed once already, and their columns with it
  if (length(used) && rows$dialect$anew && is.null(rows$weight)) {
    # spliced, or a column `.data` would be taken for the table
    table <- computed_once(dplyr::transmute(table, !!!structure(lapply(used, word), names = used)), rows)
  }
  do.call(dplyr::transmute, c(list(table), partition, maps, person_maps(rows)))
}

# What is added up, bounded once more in the last step and in whole numbers, whatever a database has made of the maps: a
# table of the columns of `mapped` that `least` and `most` name.
bounded <- function(mapped, rows, least, most) {
  kept <- if (!is.null(rows$partition)) list(part_of_rows = quote(part_of_rows))
  least <- c(least, 0 * person_most(rows))
  most <- c(most, person_most(rows))
  names <- vapply(names(most), sql_name, "", rows$dialect)
  words <- sql_bounded(names, least, most, rows)
  do.call(dplyr::transmute, c(list(computed_once(mapped, rows)), kept,
                              structure(lapply(words, dbplyr::sql), names = names(most))))
}

# A word that names a number once is between its ends whatever is drawn, and PostgreSQL, which writes the maps into it,
# computes them once.
sql_bounded <- function(x, least, most, rows) {
  dialect <- rows$dialect
  if (!is.null(dialect$bounded) && (dialect$in_parts || is.null(rows$partition))) {
    return(dialect$bounded(x, least, most))
  }
  mapply(function(x, least, most) sql_case(paste(x, c("<", ">"), c(least, most)), c(least, most), x),
         x, sql_integer(least), sql_integer(most))
}

# Answers have one shape: the number of the table (0 for all rows), the cell, the rows in it, the sums. Of people it is
# what rows weigh, and how many people begin there: together these are all, and nobody asks for all rows.
answer_of <- function(query, table, cell, summed = list(), rows = NULL) {
  people <- if (!is.null(rows$weight)) list(people = quote(as.integer64(people)))
  counted <- c(list(table = table, cell = cell, rows = quote(as.integer64(rows))), people)
  do.call(dplyr::transmute, c(list(query), counted, summed))
}

with_total <- function(parts, rows, summed = character()) {
  Reduce(dplyr::union_all, c(parts, if (is.null(rows$weight)) list(total_query(rows, summed))))
}

total_query <- function(rows, summed = character()) {
  zero <- structure(rep(list(as_big("0")), length(summed)), names = summed)
  all <- grouped(mapped_rows(rows, list(one = 1L), integer()), rows, character())
  answer_of(all, 0L, as_big("0"), zero)
}

count_query <- function(rows, tables) {
  parts <- lapply(seq_along(tables), function(i) {
    map <- table_cell(tables[[i]], rows)
    mapped <- mapped_rows(rows, list(cell = cell_or_omitted(map$present, map$cell, rows, tables[[i]])),
                          tables[[i]]$columns)
    cells <- bounded(mapped, rows, c(cell = 1), c(cell = table_size(tables[[i]]) + is_omitting(rows)))
    answer_of(grouped(cells, rows, "cell"), i, quote(cell), rows = rows)
  })
  with_total(parts, rows)
}

count_cells.dptda_database_rows <- function(rows, tables) {
  answer <- check_answer(ask_database(rows, count_query(rows, tables)), rows, seq_along(tables))
  lapply(seq_along(tables), function(i) {
    part <- without_omitted(check_cells(answer[answer$table == i, ], table_size(tables[[i]]) + is_omitting(rows), rows),
                            table_size(tables[[i]]))
    part <- part[part$rows > 0, ] # rows may weigh nothing
    list(cell = part$cell, count = part$rows)
  })
}

# Asks the database for no rows of a table beside as many that have one cell: what its parser has no room for, nor its
# planner, is an error before any row is seen.
try_count <- function(rows, table, beside) {
  tables <- c(list(table), rep(list(cell_table(list())), beside))
  try_statement(rows, written_query(rows, count_query(rows, tables)))
}

# The part of an answer that is about one table, by the numbers of its cells.
check_cells <- function(part, size, rows) {
  if (!all(part$cell %in% seq_len(size))) {
    stop_dptda("database", "The database finds a cell for rows of `", rows$arg,
               "` that there is not; there is no release.")
  }
  if (anyDuplicated(part$cell)) {
    stop_dptda("database", "The database counts a cell of `", rows$arg, "` twice; there is no release.")
  }
  part[order(part$cell), ]
}

sum_query <- function(rows, lattice, summed, groups) {
  names <- paste0("sum", seq_along(summed))
  if (is.null(groups)) groups <- cell_table(list())
  map <- table_cell(groups, rows)
  present <- c(map$present, vapply(summed, column_present, "", rows = rows))
  steps <- lapply(seq_along(summed), function(i) {
    x <- column_double(rows, summed[i])
    found <- where_present(present, sql_steps(x, lattice$step[i], lattice$first[i], lattice$last[i], rows$dialect))
    if (is_omitting(rows)) call("coalesce", found, as_big("0")) else found
  })
  cell <- cell_or_omitted(present, map$cell, rows, groups)
  mapped <- mapped_rows(rows, c(list(cell = cell), structure(steps, names = names)), c(groups$columns, summed))
  most <- structure(c(table_size(groups) + is_omitting(rows), lattice$last - lattice$first), names = c("cell", names))
  mapped <- bounded(mapped, rows, structure(c(1, 0 * lattice$first), names = names(most)), most)
  big <- structure(lapply(names, function(name) call("as.integer64", as.name(name))), names = names)
  with_total(list(answer_of(grouped(mapped, rows, "cell", names), 1L, quote(cell), big, rows)), rows, names)
}

sum_whole_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  count_and_sum_steps(rows, lattice, summed, groups)$sums
}

count_and_sum_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  check_constants(rows, c(lattice$step, lattice$first * lattice$step, lattice$last * lattice$step))
  # no sum may leave the doubles, nor wrap around in the database
  if (any(rows$n * max(1, rows$weight) * (lattice$last - lattice$first) > 2^53)) {
    stop_argument("bits", "must be fewer for so many rows.")
  }
  answer <- check_answer(ask_database(rows, sum_query(rows, lattice, summed, groups)), rows, 1)
  size <- if (is.null(groups)) 1 else table_size(groups)
  part <- without_omitted(check_cells(answer[answer$table == 1, ], size + is_omitting(rows), rows), size)
  sums <- matrix(0, size, length(summed))
  sums[part$cell, ] <- check_sums(as.matrix(part[paste0("sum", seq_along(summed))]), part$rows, lattice, rows)
  list(count = dense_counts(list(cell = part$cell, count = part$rows), size), sums = sums)
}

# What stands for missing values, in a column that keeps its type; text among numbers is missing, too.
replace_missing.dptda_database_rows <- function(rows, place, value) {
  name <- column_name(rows, place)
  type <- rows$types[place]
  dialect <- rows$dialect
  level <- isTRUE(attr(value, "level"))
  if (type == "logical" && (level || is.character(value))) {
    words <- sql_string(c("TRUE", "FALSE"), dialect)
    found <- sql_case(paste(name, "IS NULL"), sql_string(as.vector(value), dialect),
                      sql_case(fill_word(dialect$logical, name), words[1], words[2]))
    type <- "text"
  } else {
    if (level) value <- as.vector(value)
    # whole numbers that may be truths stay so
    logical <- type == "bit" && !is.object(value) && as.double(value) %in% c(0, 1)
    numbers <- !logical && !is.object(value) && (type %in% c("number", "decimal", "bit") || is.numeric(value))
    present <- if (numbers) column_present(rows, place) else paste(name, "IS NOT NULL")
    word <- if (is.object(value)) as.character(dbplyr::escape(value, con = dialect$connection)) else
      if (is.character(value)) sql_string(value, dialect) else if (logical) sql_integer(value) else
      if (type == "logical") c("FALSE", "TRUE")[1 + value] else sql_number(as.double(value))
    found <- sql_case(present, if (numbers) column_double(rows, place) else name, word)
    if (numbers && type != "unknown") type <- "number"
  }
  # each mention of a column that is drawn at random draws it anew
  table <- computed_once(rows$table, rows)
  rows$table <- dplyr::mutate(table, !!!structure(list(dbplyr::sql(found)), names = rows$columns[place]))
  rows$types[place] <- type
  rows
}

# Of people the rows that are left are weighed. Of others each is counted, those that are left out in a cell of their
# own.
omit_missing.dptda_database_rows <- function(rows) {
  if (is_omitting(rows) && !is.null(rows$person_id)) rows_left(rows) else rows
}

# A query of the rows without a missing value in any of the columns, of which nobody knows how many there are, nor how
# many people have any.
rows_left <- function(rows) {
  kept <- unique(c(rows$columns, rows$person_id$name, rows$partition))
  words <- structure(lapply(lapply(kept, sql_name, rows$dialect), dbplyr::sql), names = kept)
  present <- vapply(seq_along(rows$columns), column_there, "", rows = rows)
  # what is looked at twice is computed once
  table <- computed_once(dplyr::transmute(rows$table, !!!words), rows)
  rows$table <- dplyr::filter(table, dbplyr::sql(paste(present, collapse = " AND ")))
  rows$complete <- FALSE
  rows
}

# Asked only once it is known that there is one: which column has it. A database that has no answer gives none.
missing_column.dptda_database_rows <- function(rows) {
  for (place in seq_along(rows$types)) {
    present <- if (rows$types[place] %in% c("text", "logical")) paste(column_name(rows, place), "IS NOT NULL") else
      column_present(rows, place)
    # the type of a column may not be known, and a text be no number
    found <- tryCatch({
      mapped <- mapped_rows(rows, list(cell = where_present(present, "1.0")), place)
      anyNA(ask_database(rows, answer_of(grouped(mapped, rows, "cell"), 1L, quote(cell)))$cell)
    }, error = function(cnd) FALSE)
    if (found) return(place)
  }
  NULL
}

# No rows have such sums: where the database says so it has broken its promise.
check_sums <- function(sums, count, lattice, rows) {
  if (!all(sums >= 0 & sums <= outer(count, lattice$last - lattice$first))) {
    stop_dptda("database", "The database finds sums for rows of `", rows$arg,
               "` that there cannot be; there is no release.")
  }
  sums
}

# A database that reads constants an ulp off would have another lattice.
check_constants <- function(rows, numbers) {
  if (rows$dialect$exact_constants) return(invisible())
  answer <- before_rows(DBI::dbGetQuery(database_connection(rows), paste("SELECT", toString(sql_number(numbers)))),
                        rows$arg)
  if (!identical(as.double(unlist(answer)), as.double(numbers) + 0)) {
    stop_dptda("database", "The database of `", rows$arg, "` does not read numbers exactly at the scale of the box.")
  }
}

# The whole numbers of an answer as doubles, or an error: what a wrong count would do to a guarantee nobody knows.
check_answer <- function(answer, rows, tables) {
  answer <- as.data.frame(lapply(answer, as.double))
  if (is.null(rows$weight)) {
    check_total(answer, rows, tables)
  } else {
    for (i in tables) check_people(answer$rows[answer$table == i], answer$people[answer$table == i], rows)
  }
  if (anyNA(answer)) {
    stop_missing_values(rows, also = ", nor, in a database, text among numbers")
  }
  answer
}

# Of people without a row there is none where one of each is looked at.
check_total <- function(answer, rows, tables) {
  total <- answer$rows[answer$table == 0]
  if (!(identical(total, as.double(rows$n)) || identical(rows$complete, FALSE) && isTRUE(total <= rows$n))) {
    stop_dptda("database", "`", rows$arg,
               "` has another number of rows than when it was first asked for; within a transaction ",
               "that reads one state of the table this cannot happen.")
  }
  counted <- vapply(tables, function(i) sum(answer$rows[answer$table == i]), 0)
  if (anyNA(answer$rows) || !all(counted == total)) {
    stop_dptda("database", "The database counts rows of `", rows$arg, "` twice, or not at all; there is no release.")
  }
}

# ---- asking ----------------------------------------------------------------------

# An error before the database has seen a row is about the question, and shown as it is; a later one may quote rows.
ask_database <- function(rows, query) ask_statement(rows, written_query(rows, query))

# What is wrong with the arguments of a question is no fault of the database, and must be found before it is asked.
written_query <- function(rows, query) {
  force(query)
  before_rows(dbplyr::remote_query(query), rows$arg)
}

ask_statement <- function(rows, statement) {
  try_statement(rows, statement)
  ask <- function() suppressMessages(suppressWarnings(DBI::dbGetQuery(database_connection(rows), statement)))
  outcome <- tryCatch(list(answer = ask()),
                      error = function(cnd) "error", interrupt = function(cnd) "interrupt")
  if (is.list(outcome)) return(outcome$answer)
  # a driver that has seen an interrupt makes it an error, and R has it still before it: it must not end what comes next
  waiting <- tryCatch({
    Sys.sleep(0.05)
    "error"
  }, interrupt = function(cnd) "interrupt")
  if ("interrupt" %in% c(outcome, waiting)) pass_on_interrupt()
  stop_dptda("database", "The database failed while it read the rows of `", rows$arg, "`: there is no release, and ",
             rows$spent,
             ". What it says is not shown here, since it may be about a row.")
}

# The database is asked for the columns, and for no rows.
try_statement <- function(rows, statement) {
  force(statement)
  connection <- database_connection(rows)
  before_rows(DBI::dbGetQuery(connection, dbplyr::sql_query_fields(connection, statement)), rows$arg)
}

before_rows <- function(code, arg) {
  tryCatch(code, error = function(cnd) {
    stop_dptda("database", "The database cannot do what it is asked for `", arg, "`: ", conditionMessage(cnd))
  })
}

pass_on_interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

# ---- one state of the table ------------------------------------------------------------------

# All that one release asks is to be answered from the same rows: it is in a transaction of its own. Where the
# connection is in one of the user's, that one decides what they see.
in_one_state.dptda_database_rows <- function(rows, code) {
  connection <- database_connection(rows)
  if (!begin_state(rows)) return(code)
  whole <- FALSE
  on.exit(tryCatch(if (whole) DBI::dbCommit(connection) else DBI::dbRollback(connection), error = function(cnd) NULL))
  value <- code
  whole <- TRUE
  value
}

# Whether a transaction was begun.
begin_state <- function(rows) {
  dialect <- rows$dialect
  connection <- dialect$connection
  if (!dialect$transactions || !dialect$answers) return(FALSE)
  begin <- function() {
    DBI::dbBegin(connection)
    for (setting in dialect$settings) DBI::dbExecute(connection, setting)
    TRUE
  }
  if (is.null(dialect$outside)) return(value_or(begin(), FALSE)) # it is in one
  before_rows(isTRUE(DBI::dbGetQuery(connection, dialect$outside, immediate = TRUE)[[1]]) && begin(), rows$arg)
}
