# Counts and sums of rows that stay in a database: the two verbs as one SQL statement each, written by dbplyr. What is
# done to a row is what src/core/base-rows.c does, operation by operation in doubles. Here are spelled out only
# constants, with 17 digits (dbplyr's 15 change every second one), and searches among many cuts, as CASE within CASE:
# one list of conditions takes as long as it is. No raw value becomes the name of a group, and the statement also counts
# all rows, so that a row that counts twice or not at all is found.

read_table.tbl_lazy <- function(table, columns, arg, partition = NULL) {
  rows <- uncounted_rows(table, columns, arg, partition)
  rows$n <- count_all(rows)
  rows
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
    stop_missing_values(rows, also = text_among_numbers)
  }
  answer
}

text_among_numbers <- ", nor, in a database, text among numbers"

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
