# Sums whole steps over rows that stay in a database, over all rows or by cell, by one statement with one scan
# (database-counts.R). Sums are exact, because none may exceed 2^53.

sum_query <- function(rows, lattice, summed, groups) {
  names <- paste0("sum", seq_along(summed))
  if (is.null(groups)) groups <- cell_table(list())
  map <- table_cell(groups, rows, bounded = !is_omitting(rows))
  present <- c(map$present, vapply(summed, column_present, "", rows = rows))
  steps <- vapply(seq_along(summed), function(i) {
    dialect <- rows$dialect
    x <- column_double(rows, summed[i])
    is_present <- column_present(rows, summed[i])
    found <- sql_steps(x, lattice$step[i], lattice$first[i], lattice$last[i], dialect, is_present)
    # values that are not numbers are already converted
    if (is.null(dialect$is_number)) is_present <- NULL
    or_omitted(where_present(is_present, found, rows, if (!is.null(dialect$between)) "@"), 0, rows)
  }, "")
  cell <- c(cell = cell_or_omitted(present, map$cell, rows, groups))
  steps <- structure(steps, names = names)
  sums <- structure(lattice$last - lattice$first, names = names)
  if (is_one_group(groups, rows)) {
    # steps computed row by row are missing if a value is
    cell <- if (rows$dialect$by_column) c(cell = fill_word(rows$dialect$one_if, paste(present, collapse = " AND ")))
    return(with_total(one_answer(mapped_query(rows, c(cell, steps), summed), rows, 1, sums, lattice$dropped), rows,
                      c(names, spread_names(lattice))))
  }
  person <- if (is_weighed(rows) && !is.null(lattice$dropped)) {
    c(person = sql_name(added_columns(rows)[["id"]], rows$dialect))
  }
  mapped <- mapped_query(rows, c(cell, steps, person), c(groups$columns, summed))
  mapped <- bounded(mapped, rows, first_cell(rows), c(cell = table_size(groups) + is_omitting(rows)), sums,
                    names(person))
  if (!is.null(lattice$dropped)) mapped <- with_spreads(mapped, rows, sums, lattice$dropped)
  with_total(cell_answer(mapped, rows, 1, names, spread_names(lattice)), rows, c(names, spread_names(lattice)))
}

# ---- spreads -----------------------------------------------------------------------------------------------------

spread_names <- function(lattice) if (!is.null(lattice$dropped)) paste0("spread", seq_along(lattice$dropped))

# A query of the columns of `mapped`, which are bounded, and of the spreads of the steps (base-rows-counts.R). All
# numbers are below 2^48, and so exact as doubles. For people, it has one row for each person and cell, with the total
# weight and the weighted sums of that person's rows there.
with_spreads <- function(mapped, rows, sums, dropped) {
  names <- names(sums)
  kept <- c(if (!is.null(rows$partition)) "part_of_rows", "cell", person_names(rows))
  if (is_weighed(rows)) {
    around <- query_around(mapped, rows)
    by <- around$quoted(c("person", "cell"))
    weight <- around$quoted("weight")
    added <- c(weight, around$quoted("first"), paste(weight, "*", around$quoted(names)))
    words <- c(cell = by[2], structure(paste0("SUM(", added, ")"), names = c("weight", "first", names)))
    mapped <- select_words(words, around$from, rows, paste(" GROUP BY", toString(by)), around$given)
  }
  around <- query_around(mapped, rows)
  quoted <- function(names) structure(around$quoted(names), names = names)
  words <- c(quoted(c(kept, names)),
             structure(sql_spreads(around$quoted(names), sums, dropped, rows, if (is_weighed(rows))
               around$quoted("weight")), names = spread_names(list(dropped = dropped))))
  query <- select_words(words, around$from, rows, given = around$given)
  if (!is.null(around$given)) attr(query, "parts") <- list(words = words, from = around$from, given = around$given)
  query
}

# Bounds spreads once more, in case a database draws steps twice. `weight`: for people, the weight of the rows in
# `steps`, or NULL.
sql_spreads <- function(steps, most, dropped, rows, weight = NULL) {
  double <- function(word) fill_word(rows$dialect$double, word)
  spread <- quote(floor(z * (w - z) * unit))
  if (!is.null(weight)) {
    near <- quote(floor(cases(z < m * w - z, z, m * w - z) / m))
    spread <- bquote(cases(m > 0, m * floor(.(near) * (w - .(near)) * unit), 0))
  }
  words <- mapply(function(z, w, unit) {
    values <- list(z = double(z), w = w, unit = unit)
    if (!is.null(weight)) values$m <- double(weight)
    big_word(sql_of(spread, values, rows$dialect), rows)
  }, steps, most, 2^-dropped)
  sums_bounded(words, max(1, rows$weight) * most_spread(most, dropped), rows)
}

most_spread <- function(most, dropped) floor(most^2 / 4 / 2^dropped)

# Whether all rows are one group, whose count is the number of rows, so that the query needs no groups.
is_one_group <- function(groups, rows) {
  length(groups$axes) == 0 && is.null(rows$weight) && is.null(rows$partition) && !is_omitting(rows)
}

# The answer for a table of one cell, without grouping, because a database sums ungrouped rows in several processes, and
# SQLite would sort grouped ones. The cell is missing if a value is: if a column `cell` is not 1 for all rows, or,
# without that column, if some steps are missing. A step is then named twice, and computed once if the database can do
# that (`apart`). Over no rows the sums are zero.
one_answer <- function(mapped, rows, table, sums, dropped = NULL) {
  around <- query_around(mapped, rows, apart = TRUE)
  count <- rows$dialect$count
  present <- if (rows$dialect$by_column) sum_word(around$quoted("cell")) else
    count_word(around$quoted(names(sums)), rows)
  all_present <- paste(present, "=", count, collapse = " AND ")
  steps <- sums_bounded(around$quoted(names(sums)), sums, rows)
  if (!is.null(dropped)) steps <- c(steps, sql_spreads(steps, sums, dropped, rows))
  names <- c(names(sums), spread_names(list(dropped = dropped)))
  words <- c(table = sql_integer(table), cell = sql_case(all_present, big_word("1", rows)),
             rows = big_word(count, rows), structure(big_word(sum_word(steps), rows), names = names))
  select_words(words, around$from, rows, given = around$given)
}

sum_whole_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  found <- count_and_sum_steps(rows, lattice, summed, groups)
  cbind(found$sums, found$spreads)
}

count_and_sum_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  check_constants(rows, c(lattice$step, lattice$first * lattice$step, lattice$last * lattice$step))
  refuse_large_sums(rows, lattice)
  size <- if (is.null(groups)) 1 else table_size(groups)
  answer <- check_answer(ask_all_rows(rows, sum_query(rows, lattice, summed, groups)), rows, 1, size)
  refuse_large_sums(rows, lattice) # where the answer has counted them
  part <- without_omitted(check_cells(answer[answer$table == 1, ], size + is_omitting(rows), rows), size)
  most <- lattice$last - lattice$first
  names <- c(paste0("sum", seq_along(summed)), spread_names(lattice))
  if (!is.null(lattice$dropped)) most <- c(most, most_spread(most, lattice$dropped))
  sums <- matrix(0, size, length(names))
  sums[part$cell, ] <- check_sums(as.matrix(part[names]), part$rows, most, rows)
  sums_and_spreads(dense_counts(list(cell = part$cell, count = part$rows), size), sums, lattice)
}

# Ensures that no sum exceeds exact doubles or wraps around in the database. If rows are counted with their sums, this
# is checked before the sums are used: with steps below 2^25, more than 2^38 rows would be needed to exceed 64 bits.
refuse_large_sums <- function(rows, lattice) {
  if (any(known_count(rows) * max(1, rows$weight) * (lattice$last - lattice$first) > 2^53)) {
    stop_argument("bits", "must be smaller for so many rows.")
  }
}

# Refuses sums that no rows can have: the database has then computed incorrectly.
check_sums <- function(sums, count, most, rows) {
  if (!all(sums >= 0 & sums <= outer(count, most))) {
    stop_dptda("database", "The database finds sums for rows of `", rows$arg,
               "` that are impossible. Nothing was released.")
  }
  sums
}

# A database that reads constants an ulp off would use another lattice.
check_constants <- function(rows, numbers) {
  if (rows$dialect$exact_constants) return(invisible())
  question <- paste("SELECT", toString(sql_number(numbers, rows$dialect)))
  answer <- before_rows(DBI::dbGetQuery(database_connection(rows), question), rows$arg)
  if (!identical(as.double(unlist(answer)), as.double(numbers) + 0)) {
    stop_dptda("database", "The database of `", rows$arg, "` does not read numbers exactly at the scale of the box.")
  }
}
