# Counts rows that stay in a database, by one SQL statement with one scan, and shares code with sums (database-sums.R).
# No raw value becomes the name of a group. All cells together hold all rows, so a row that counts twice or not at all
# is detected.

# For a stored table, a release with one query learns the number of rows with the rest of its answer. A view, or a query
# with a condition, may choose rows at random, which no second count would reveal, so its rows are counted first.
read_table.tbl_lazy <- function(table, columns, arg, partition = NULL) {
  rows <- uncounted_rows(table, columns, arg, partition)
  tell_filtered(rows)
  later <- counts_later() && has_all_rows(rows)
  rows$state <- reading_state(rows)
  if (!later) return(count_now(rows))
  check_big_integers(ask_database(rows, select_words(c(big = big_word(big_integer, rows)), NULL, rows)), rows)
  rows
}

count_now <- function(rows) with_count(rows, seen_by(count_all(rows)))

count_all <- function(rows) {
  answer <- ask_database(rows, total_query(rows, c(big = big_integer)))
  check_big_integers(answer, rows)
  as.double(answer$rows)
}

# Rows with the number that an answer gave.
counted_rows <- function(rows) if (is_counted(rows)) rows else with_count(rows, rows$state$n)

with_count <- function(rows, n) {
  rows$n <- n
  require_rows(rows, c(rows$least, 0)[1])
}

# The number of rows, or NULL before an answer has given it.
known_count <- function(rows) if (is_counted(rows)) rows$n else rows$state$n

# Whether the query selects all rows of a stored table, with unchanged columns.
has_all_rows <- function(rows) {
  if (is.null(rows$dialect$stored) || !rows$dialect$answers) return(FALSE)
  query <- as.character(before_rows(dbplyr::remote_query(rows$given), rows$arg))
  name <- sub(all_rows, "\\1", query, perl = TRUE)
  if (identical(name, query)) return(FALSE)
  question <- fill_word(rows$dialect$stored, sql_string(name, rows$dialect))
  value_or(as.double(DBI::dbGetQuery(database_connection(rows), question)[[1]]) == 1, FALSE)
}

# Checks big integers. A driver may return them as R's integers, which end at 2^31, and a larger sum would look like a
# missing value. The largest integer in use, 2^53 - 1, is therefore queried.
big_integer <- "9007199254740991"

check_big_integers <- function(answer, rows) {
  if (!identical(suppressWarnings(as.double(answer$big)), 2^53 - 1)) {
    stop_dptda("database", "The connection of `", rows$arg,
               "` does not return big integers. Connect with bigint = \"integer64\".")
  }
}

# Integers as big integers.
big_word <- function(words, rows) fill_word(rows$dialect$big, words)

# The number of `words` that are not NULL.
count_word <- function(words, rows) {
  vapply(words, fill_word, "", template = sub("*", "@", rows$dialect$count, fixed = TRUE), USE.NAMES = FALSE)
}

# A sum over no rows is NULL.
sum_word <- function(words) paste0("COALESCE(SUM(", words, "), 0)")

# ---- people --------------------------------------------------------------------

# Weighted rows of people (database-people.R) have `weight`, the weight of a person, and their table has the columns
# `weight_names`: the weight of each row, and whether it is the first of a person.

is_weighed <- function(rows) !is.null(rows$weight)

# Columns with the weight of each row and whether it is the first of a person, with their bounds and names. Empty for
# other rows.
row_weight_words <- function(rows) {
  if (is.null(rows$weight)) return(NULL)
  vapply(rows$weight_names, function(name) big_word(sql_name(name, rows$dialect), rows), "")
}

person_most <- function(rows) if (!is.null(rows$weight)) c(weight = rows$weight, first = 1L)

person_names <- function(rows) if (!is.null(rows$weight)) c(weight = "weight", first = "first")

# The weights in an answer to one table must match the people that it counted.
check_people <- function(weights, first, rows) {
  people <- sum(first)
  right <- if (rows$complete) people == rows$n else people <= rows$n
  if (!isTRUE(right && sum(weights) == people * rows$weight)) {
    stop_dptda("database", "The people in `", rows$arg, "` changed during the release, or `person` is computed at ",
               "random. Nothing was released, and ", rows$spent, ".")
  }
}

# ---- statements ------------------------------------------------------------------

# `cell`, from 1, for rows without missing columns, and NULL otherwise. `bounded`: whether the next step moves values
# beyond the first and last cell there, which for one column is equivalent.
table_cell <- function(table, rows, bounded = FALSE) {
  if (bounded && length(table$axes) == 1) table$axes[[1]]$bounded <- TRUE
  maps <- Map(sql_axis, table$axes, table$columns, MoreArgs = list(rows = rows))
  cells <- vapply(maps, `[[`, "", "cell")
  stride <- cumprod(c(1, vapply(table$axes, `[[`, 0, "size")))[seq_along(maps)]
  cells[stride > 1] <- paste(cell_numbers(stride, rows$dialect), "*", cells)[stride > 1]
  list(present = unlist(lapply(maps, `[[`, "present")),
       cell = paste(c(cell_numbers(1, rows$dialect), cells), collapse = " + "))
}

# Rows with a missing value that are left out get their own cell, behind all others. They are counted there, and the
# cell is dropped.
cell_or_omitted <- function(present, cell, rows, table) {
  if (!is.null(rows$dialect$cell_if)) return(rows$dialect$cell_if(present, cell))
  or_omitted(where_present(present, cell, rows, rows$dialect$cell), table_size(table) + 1, rows)
}

or_omitted <- function(word, value, rows) {
  if (is_omitting(rows)) paste0("COALESCE(", word, ", ", big_word(sql_integer(value), rows), ")") else word
}

without_omitted <- function(part, size) part[part$cell <= size, ]

where_present <- function(present, value, rows, whole = NULL) {
  word <- if (length(present)) sql_case(paste(present, collapse = " AND "), value) else value
  if (is.null(whole)) big_word(word, rows) else fill_word(whole, word)
}

# Writes plain SQL without dbplyr: SELECT and GROUP BY of our own names. (For nested queries, dbplyr writes each several
# times, which takes longer than a database needs for a million rows.) `given`: words that are named before it.
select_words <- function(words, from, rows, more = "", given = NULL) {
  named <- function(words, names) paste(words, "AS", names, collapse = ", ")
  paste0(if (length(given)) paste0("WITH ", named(given, names(given)), " "),
         "SELECT ", named(words, fill_word(rows$dialect$quoted, names(words))),
         if (length(from)) paste0(" FROM ", from), more)
}

# `apart`: whether the query must stay separate from the query that reads it, if the database can do that
# (database-dialect.R). It does not work for the parts of a partition.
inner_query <- function(query, rows, once = FALSE, apart = FALSE) {
  paste0("(", query, if (once && rows$dialect$anew) paste(" LIMIT", sql_integer(most_rows)),
         if (apart && is.null(rows$partition)) rows$dialect$apart, ") ", fill_word(rows$dialect$quoted, "inner_rows"))
}

# The table of the rows, as a part of a statement.
source_words <- function(rows) {
  query <- query_words(rows)
  plain <- sub(if (rows$dialect$spread) selected_rows else whole_table, "\\1", query, perl = TRUE)
  if (plain != query) plain else inner_query(query, rows)
}

# Patterns of the SQL that dbplyr writes for a whole table, and for some of its columns and rows (select(), filter()).
# The table and a condition follow FROM and fit into any query, because the pattern excludes other clauses.
quoted_name <- "[`\"][^`\"]+[`\"]"
# subquery() adds its own column
plain_columns <- paste0("(?:\\*|", quoted_name, "(?:,\\s*", quoted_name, ")*)(?:, 1 AS ", quoted_name, ")?")
all_rows <- paste0("(?is)^SELECT ", plain_columns, "\\s+FROM ([^\\s(),;]+)$")
whole_table <- "^SELECT \\*\\s+FROM ([^[:space:](),;]+)$"
selected_rows <- local({
  more <- "SELECT|JOIN|GROUP|HAVING|WINDOW|ORDER|LIMIT|UNION|INTERSECT|EXCEPT|SAMPLE|FINAL|PREWHERE|ARRAY"
  paste0("(?is)^SELECT ", plain_columns, "\\s+FROM (?!.*\\b(?:", more, ")\\b)", "([^\\s(),;]+(?:\\s+WHERE\\s.*)?)$")
})

# The rows that `maps` compute from the columns at some places.
mapped_query <- function(rows, maps, places = seq_along(rows$columns)) {
  weights_of(rows$person_id, rows$weight, rows$arg)
  partition <- if (!is.null(rows$partition)) c(part_of_rows = sql_name(rows$partition, rows$dialect))
  used <- vapply(unique(c(rows$columns[places], rows$partition)), sql_name, "", rows$dialect)
  source <- source_words(rows)
  # the weights are already computed once, and their columns with them
  if (length(used) && rows$dialect$anew && is.null(rows$weight)) {
    source <- inner_query(paste0("SELECT ", paste(used, collapse = ", "), " FROM ", source), rows, once = TRUE)
  }
  words <- c(partition, unlist(maps), row_weight_words(rows))
  query <- select_words(words, source, rows)
  if (may_be_one(rows, c(used, source))) attr(query, "parts") <- list(words = words, from = source)
  query
}

# The source `from` of a query around another, and its names for the columns of that query. A database that spreads a
# table over servers groups rows there only in a query of the table itself. Words of the inner query are then named
# before the outer one, which is the only query. `apart`: whether the inner query must not be merged into it.
query_around <- function(inner, rows, apart = FALSE) {
  quoted <- function(names) fill_word(rows$dialect$quoted, names)
  parts <- attr(inner, "parts", exact = TRUE)
  if (is.null(parts)) return(list(from = inner_query(inner, rows, once = TRUE, apart), quoted = quoted))
  stem <- paste0(given_stem, length(parts$given), "_")
  called <- function(names) quoted(paste0(stem, names))
  list(from = parts$from, quoted = called, words = parts$words,
       given = c(parts$given, stats::setNames(parts$words, called(names(parts$words)))))
}

given_stem <- "given"

# Whether one query suffices. It does not if a column has one of our names, because SQL would use that column instead.
# `used`: the columns with the words that select them. Parts and people have their own inner queries.
may_be_one <- function(rows, used) {
  rows$dialect$spread && is.null(rows$partition) && is.null(rows$weight) &&
    !any(grepl(paste0("\\b(table|cell|rows|sum[0-9]+|", given_stem, ".*)\\b"), used, perl = TRUE))
}

# One row for each cell of the rows of `mapped`: the number of the table (0 for all rows), the number of rows, and the
# sums of the columns `summed` and `spreads`. For people, weights replace the number of rows, and the number of people
# is added. With spreads, sums of people are already weighted. Together, the cells hold all rows. With a partition,
# cells are first counted in each of its parts.
cell_answer <- function(mapped, rows, table, summed = character(), spreads = character()) {
  # SQLite computes the grouping words once more for each group: if a view draws random numbers, one row would then move
  # others
  around <- query_around(mapped, rows)
  quoted <- around$quoted
  sum_of <- function(names) paste0("SUM(", quoted(names), ")")
  weighed <- !is.null(rows$weight)
  counts <- if (weighed) c(rows = sum_of("weight"), people = sum_of("first")) else c(rows = rows$dialect$count)
  if (length(summed)) {
    counts[summed] <- if (weighed && !length(spreads)) paste0("SUM(", quoted("weight"), " * ", quoted(summed), ")") else
      sum_of(summed)
  }
  if (length(spreads)) counts[spreads] <- sum_of(spreads)
  from <- around$from
  cell <- quoted("cell")
  if (!is.null(rows$partition)) {
    by <- c(part_of_rows = quoted("part_of_rows"), cell = cell)
    parts <- select_words(c(by, counts), from, rows, paste(" GROUP BY", paste(by, collapse = ", ")))
    from <- inner_query(parts, rows)
    counts <- structure(sum_word(quoted(names(counts))), names = names(counts))
  }
  by <- cell
  if (!is.null(around$words)) {
    # ClickHouse groups by the name of a selected word, and accepts no other name for it
    cell <- around$words[["cell"]]
    around$given <- around$given[names(around$given) != by]
    by <- fill_word(rows$dialect$quoted, "cell")
  }
  words <- c(table = sql_integer(table), cell = cell, structure(big_word(counts, rows), names = names(counts)))
  select_words(words, from, rows, paste(" GROUP BY", by), around$given)
}

# The number of rows, as the answer for a table with number 0, followed by the columns `more`.
total_query <- function(rows, more = character()) {
  if (is.null(rows$partition)) {
    from <- source_words(rows)
    count <- rows$dialect$count
  } else {
    part <- sql_name(rows$partition, rows$dialect)
    parts <- select_words(c(rows = rows$dialect$count), source_words(rows), rows, paste(" GROUP BY", part))
    from <- inner_query(parts, rows)
    count <- sum_word(fill_word(rows$dialect$quoted, "rows"))
  }
  words <- c(cell = "0", rows = count, more)
  select_words(c(table = "0", structure(big_word(words, rows), names = names(words))), from, rows)
}

# The cells add up to the number of rows. If that number is not known in advance, it is queried too.
with_total <- function(parts, rows, summed = character()) {
  paste(c(parts, if (asks_total(rows)) total_of_sums(rows, summed)), collapse = " UNION ALL ")
}

asks_total <- function(rows) is.null(rows$weight) && identical(rows$complete, FALSE)

total_of_sums <- function(rows, summed) total_query(rows, structure(rep("0", length(summed)), names = summed))

# Bounds all summed values once more in the last step, as integers, whatever a database made of the maps. Returns a
# query of the columns of `mapped` that `least` and `most` name, and of the steps that `sums` computes, from 0. `also`:
# the name of a column that it keeps.
bounded <- function(mapped, rows, least, most, sums = NULL, also = NULL) {
  around <- query_around(mapped, rows)
  kept <- if (!is.null(rows$partition)) c(part_of_rows = fill_word(rows$dialect$quoted, "part_of_rows"))
  if (length(also)) kept <- c(kept, structure(around$quoted(also), names = also))
  least <- c(least, 0 * person_most(rows))
  most <- c(most, person_most(rows))
  named <- function(words, names) structure(as.vector(words), names = names)
  words <- c(kept, named(sql_bounded(around$quoted(names(most)), least, most, rows), names(most)),
             if (length(sums)) named(sums_bounded(around$quoted(names(sums)), sums, rows), names(sums)))
  query <- select_words(words, around$from, rows, given = around$given)
  if (!is.null(around$given)) attr(query, "parts") <- list(words = words, from = around$from, given = around$given)
  query
}

# Keeps a number within its bounds even if it is drawn at random, if the database has a word that mentions the number
# once. In other databases, CASE mentions a column that was computed before.
sql_bounded <- function(x, least, most, rows, bound = rows$dialect$bounded) {
  if (!is.null(bound)) return(bound(x, least, most))
  mapply(function(x, least, most) sql_case(paste(x, c("<", ">"), c(least, most)), c(least, most), x),
         x, sql_integer(least), sql_integer(most))
}

# The same for summed values. The cell of a row shows whether a value is missing. The summed value is then irrelevant,
# but must be within its bounds.
sums_bounded <- function(x, most, rows) {
  dialect <- rows$dialect
  sql_bounded(x, 0 * most, most, rows, if (is.null(dialect$summed)) dialect$bounded else dialect$summed)
}

count_query <- function(rows, tables) {
  with_total(vapply(seq_along(tables), function(i) {
    map <- table_cell(tables[[i]], rows, bounded = !is_omitting(rows)) # beyond the last cell are those left out
    cell <- cell_or_omitted(map$present, map$cell, rows, tables[[i]])
    mapped <- mapped_query(rows, c(cell = cell), tables[[i]]$columns)
    most <- c(cell = table_size(tables[[i]]) + is_omitting(rows))
    cell_answer(bounded(mapped, rows, first_cell(rows), most), rows, i)
  }, ""), rows)
}

# The smallest number of a cell: a database may use 0 for missing values.
first_cell <- function(rows) c(cell = if (is.null(rows$dialect$cell_if)) 1 else 0)

count_cells.dptda_database_rows <- function(rows, tables) {
  sizes <- vapply(tables, table_size, 0)
  answer <- check_answer(ask_all_rows(rows, count_query(rows, tables)), rows, seq_along(tables), sizes)
  lapply(seq_along(tables), function(i) {
    part <- check_cells(answer[answer$table == i, ], sizes[i] + is_omitting(rows), rows)
    part <- without_omitted(part, sizes[i])
    part <- part[part$rows > 0, ] # rows may weigh nothing
    list(cell = part$cell, count = part$rows)
  })
}

# Queries a table without rows in advance, beside as many tables with one cell. A statement that is too large for the
# parser or planner then fails before any row is read.
try_count <- function(rows, table, beside) {
  tables <- c(list(table), rep(list(cell_table(list())), beside))
  try_statement(rows, written_query(rows, count_query(rows, tables)))
}

# The part of an answer for one table, ordered by the numbers of its cells.
check_cells <- function(part, size, rows) {
  if (!all(part$cell %in% seq_len(size))) {
    stop_dptda("database", "The database finds a cell for rows of `", rows$arg,
               "` that does not exist. Nothing was released.")
  }
  if (anyDuplicated(part$cell)) {
    stop_dptda("database", "The database counts a cell of `", rows$arg, "` twice. Nothing was released.")
  }
  part[order(part$cell), ]
}

# Finds the column with a missing value, once one is known to exist. A database without an answer gives none.
missing_column.dptda_database_rows <- function(rows) {
  for (place in seq_along(rows$types)) {
    present <- if (rows$types[place] %in% c("text", "logical")) paste(column_name(rows, place), "IS NOT NULL") else
      column_present(rows, place)
    # the type of a column may be unknown, and text may not be a number
    found <- value_or({
      mapped <- mapped_query(rows, c(cell = where_present(present, "1.0", rows)), place)
      anyNA(ask_database(rows, cell_answer(mapped, rows, 1))$cell)
    }, FALSE)
    if (found) return(place)
  }
  NULL
}

# Converts the integers of an answer to doubles, or fails, because a wrong count could break the guarantee. `sizes`: the
# sizes of the counted tables.
check_answer <- function(answer, rows, tables, sizes = NULL) {
  answer <- as.data.frame(lapply(answer, as.double))
  if (!is.null(rows$dialect$cell_if) && length(sizes)) answer$cell <- absent_cells(answer, rows, sizes)
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

# The cells of an answer that uses 0 for missing values: NA, or the cell of rows left out.
absent_cells <- function(answer, rows, sizes) {
  none <- which(answer$table > 0 & answer$cell == 0)
  replace(answer$cell, none, if (is_omitting(rows)) sizes[answer$table[none]] + 1 else NA)
}

text_among_numbers <- ", nor, in a database, text among numbers"

# Checks the number of rows in an answer. With one row per person, people without rows have none. If the number is not
# yet known, this answer sets it.
check_total <- function(answer, rows, tables) {
  counted <- vapply(tables, function(i) sum(answer$rows[answer$table == i]), 0)
  total <- c(answer$rows[answer$table == 0], counted)[1]
  n <- known_count(rows)
  if (!(is.null(n) || identical(total, as.double(n)) || identical(rows$complete, FALSE) && isTRUE(total <= n))) {
    stop_dptda("database", "The number of rows of `", rows$arg, "` changed during the release. A transaction that ",
               "reads one state of the table prevents this. Nothing was released, and ", rows$spent, ".")
  }
  if (anyNA(answer$rows) || !all(counted == total)) {
    stop_dptda("database", "The database counts rows of `", rows$arg, "` twice, or not at all. Nothing was released, ",
               "and ", rows$spent, ".")
  }
  if (is.null(n)) rows$state$n <- total
}
