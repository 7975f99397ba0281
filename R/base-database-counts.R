# Counts and sums of rows that stay in a database: the two verbs as one SQL statement each, of one scan. What is done to
# a row is what src/core/base-rows.c does, operation by operation in doubles; constants have all their digits (of
# dbplyr's 15 every second one is another). Among equally spaced cuts a place is computed, and among others searched, as
# CASE within CASE: one list of conditions takes as long as it is. No raw value becomes the name of a group, and all
# cells together hold all rows, or a row that counts twice or not at all is found.

read_table.tbl_lazy <- function(table, columns, arg, partition = NULL) {
  rows <- uncounted_rows(table, columns, arg, partition)
  rows$state <- reading_state(rows)
  rows$n <- count_all(rows)
  rows
}

count_all <- function(rows) {
  answer <- ask_database(rows, total_query(rows, c(big = "9007199254740991")))
  check_big_integers(answer, rows)
  as.double(answer$rows)
}

# Sums of all rows say how many there are, so that a database which takes as long to count rows as to sum them is asked
# for both at once: before a mechanism is made of the number of rows, as they are counted before. The statement is the
# one that the mechanism asks for, with the same bounds; where it asks for another one, that is asked. That so many rows
# may be summed is known afterwards, before anything is made of the sums: of steps below 2^25 more than 2^38 rows would
# be needed to leave 64 bits.
read_with_sums.tbl_lazy <- function(x, columns, box, lattice, arg) {
  if (!length(releases_now$states)) return(x)
  rows <- uncounted_rows(x, if (is.null(columns)) box$columns else columns, arg)
  if (!rows$dialect$counts_late || !rows$dialect$answers) return(x)
  rows$n <- 1 # for the checks of columns alone
  points <- point_rows(rows, NULL, box, length(box$lower), arg, 0)
  for (place in seq_along(points$types)) check_type(points$types[place], "number", column_arg(points, place))
  rows$state <- points$state <- reading_state(rows)
  big <- select_words(c(big = big_word("9007199254740991", rows)), NULL, rows)
  check_big_integers(ask_database(rows, big), rows)
  query <- sum_query(points, lattice, seq_along(lattice$step), NULL)
  rows$asked <- list(query = query, answer = ask_database(points, query))
  rows$n <- sum(as.double(rows$asked$answer$rows))
  rows
}

# The answer to a query, once for all where it was asked when the rows were read.
asked_before <- function(rows, query) {
  if (identical(rows$asked$query, query)) rows$asked$answer else ask_database(rows, query)
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
  if (length(axis$cuts) > max_database_cuts && is.null(spaced_cuts(axis$cuts))) {
    stop_argument(rows$arg, "is in a database, where at most ", max_database_cuts,
                  " cells of different widths are possible.")
  }
  if (!is.null(axis$inner)) return(sql_absent(axis, place, rows))
  if (!is.null(axis$levels)) return(sql_levels(axis, place, rows))
  dialect <- rows$dialect
  name <- column_name(rows, place)
  if (!is.null(axis$logical)) {
    cell <- cell_numbers(c(1, 0), dialect)
    cell <- sql_case(fill_word(dialect$logical, name), cell[1], cell[2])
    return(list(present = paste(name, "IS NOT NULL"), cell = cell))
  }
  x <- column_double(rows, place)
  present <- column_present(rows, place)
  if (axis$size == 1) return(list(present = present, cell = cell_numbers(0, dialect)))
  cell <- if (!is.null(axis$origin)) sql_uniform(x, axis, dialect) else sql_cuts(x, axis, dialect)
  # what is not a number has been made one
  list(present = if (!is.null(dialect$is_number)) present, cell = cell)
}

max_database_cuts <- 1e4

# What is missing has a cell, and nothing is without one.
sql_absent <- function(axis, place, rows) {
  map <- sql_axis(axis$inner, place, rows)
  present <- if (is.null(map$present)) column_present(rows, place) else map$present
  list(present = NULL, cell = sql_case(present, map$cell, cell_numbers(axis$absent, rows$dialect)))
}

# The number of a cell: a whole number where that is added up faster.
cell_numbers <- function(x, dialect) if (dialect$by_column) sql_integer(x) else sql_number(x)

# All of the first cell comes by its condition: a product that is no double but zero is an error in PostgreSQL.
sql_uniform <- function(x, axis, dialect) {
  if (isTRUE(dialect$by_column)) {
    ends <- c(axis$first, axis$last)
    return(sql_by_column(x, exact_places$exact, axis[c("origin", "per")], ends, axis$size - 1, dialect, axis$bounded))
  }
  second <- least_double(function(x) (x - axis$origin) * axis$per >= 1, axis$first, axis$last)
  values <- list(x = x, second = second, last = axis$last, origin = unless_zero(axis$origin, dialect), per = axis$per,
                 highest = axis$size - 1)
  sql_of(spaced_cells$exact, values, dialect)
}

# How a value between two cuts finds its cell: of equally spaced ones by one arithmetic or another (equal_spaces()).
spaced_places <- local({
  nearest <- quote(floor((x - origin) * per + 0.5))
  among <- function(cut) bquote(.(nearest) - one_if(x < .(cut)))
  c(exact_places, list(line = among(bquote(first + .(nearest) * step)),
                       product = among(bquote((first + .(nearest)) * scale)),
                       quotient = among(bquote((first + .(nearest) * step) / scale))))
})

# What is at or above the last cut, and no NaN, is in the last cell.
spaced_cells <- lapply(spaced_places, function(place) {
  bquote(cases(x < second, 0, x < last, .(place), 0 - x <= -last, highest))
})

# A database that computes column by column is fast where all rows of a piece take the same way: what is not far beyond
# the ends is computed as what is between them, and then moved there as a whole number: where what is asked next does
# that (`bounded`) not here as well, since it takes as long as all the rest.
sql_by_column <- function(x, place, constants, ends, highest, dialect, bounded = NULL) {
  far <- if (highest > 0) (ends[2] - ends[1]) * max(1, 2^29 / highest) else 0
  low <- min(ends[1], max(ends[1] - far, -2^1022))
  high <- max(ends[2], min(ends[2] + far, 2^1022))
  if (!is.null(constants$origin)) constants$origin <- unless_zero(constants$origin, dialect)
  values <- c(list(x = x, low = low, high = high, zero = 0L, highest = as_whole(highest)), constants)
  inside <- if (isTRUE(bounded)) bquote(near(.(place), highest)) else bquote(moved(.(place), highest))
  sql_of(bquote(cases(x >= low & x <= high, .(inside), x < low, zero, 0 - x <= -high, highest)), values, dialect)
}

sql_cuts <- function(x, axis, dialect) {
  count <- length(axis$cuts)
  spaced <- spaced_cuts(axis$cuts)
  if (!is.null(spaced) && isTRUE(dialect$by_column)) {
    return(sql_by_column(x, spaced_places[[spaced$form]], spaced, axis$cuts[c(1, count)], count, dialect, axis$bounded))
  }
  values <- list(x = x, last = axis$cuts[count], highest = as.double(count))
  if (!is.null(spaced)) {
    spaced$origin <- unless_zero(spaced$origin, dialect)
    return(sql_of(spaced_cells[[spaced$form]], c(values, second = axis$cuts[1], spaced), dialect))
  }
  sql_of(cell_between, c(values, list(cuts = axis$cuts[-count], cells = seq_len(count) - 1)), dialect)
}

cell_between <- quote(cases(x < last, search(x, cuts, cells), 0 - x <= -last, highest))

sql_levels <- function(axis, at, rows) {
  type <- rows$types[at]
  dialect <- rows$dialect
  as_numbers <- is.numeric(axis$levels) || type %in% c("number", "decimal", "bit")
  if (is.numeric(axis$levels) && type == "text") {
    stop_argument("levels", "are numbers, and `", rows$arg, "` holds strings; in a database they must be of one kind.")
  }
  place <- cell_numbers(seq_len(axis$size) - 1, dialect)
  other <- place[match(axis$other, axis$names)]
  name <- column_name(rows, at)
  if (type == "logical") {
    cell <- place[level_cells(c(TRUE, FALSE), axis$levels, axis$other)]
    return(list(present = paste(name, "IS NOT NULL"),
                cell = sql_case(fill_word(dialect$logical, name), cell[1], cell[2])))
  }
  if (!as_numbers) {
    return(list(present = paste(name, "IS NOT NULL"), cell = sql_text_levels(axis, name, place, other, rows)))
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
sql_text_levels <- function(axis, name, place, other, rows) {
  dialect <- rows$dialect
  x <- fill_word(dialect$text, name)
  levels <- level_names(axis$levels)
  if (length(levels) == 0) return(other)
  order <- order(levels, method = "radix")
  strings <- sql_string(levels[order], dialect)
  place <- place[order]
  if (!has_order_of_bytes(rows)) return(sql_case(paste(x, "=", strings), place, other))
  sql_search(x, strings, c(other, sql_case_each(paste(x, "=", strings), place, other)))
}

# Whether texts are in the order of their bytes in UTF-8.
has_order_of_bytes <- function(rows) {
  dialect <- rows$dialect
  if (is.null(dialect$encoding)) return(FALSE)
  if (!dialect$answers) return(TRUE)
  encoding <- before_rows(DBI::dbGetQuery(dialect$connection, dialect$encoding), rows$arg)
  encoding[[1]] %in% c("UTF-8", "UTF8", "SQL_ASCII", "LATIN1")
}

# Whole steps of a lattice from its first one, as whole_steps() of the kernel: of what is missing there are none, where
# a database computes row by row. By wide steps what is next to zero is not divided: a quotient that is no double but
# zero is an error in PostgreSQL. They are bounded() afterwards.
#
# Where a number is moved between two others without a condition (`between`), it is moved to the ends of the lattice
# before all else, as the kernel does: no quotient is beyond the doubles then, and no whole number beyond the integers.
# Steps are exact there, as first and last are below 2^52. NaN may be moved to either end.
sql_steps <- function(x, step, first, last, dialect, present) {
  most <- last - first
  from <- unless_zero(first, dialect)
  if (isTRUE(dialect$by_column) && is.null(dialect$between)) {
    place <- quote(floor(x / step + 0.5) - first)
    ends <- c(first, last) * step
    return(sql_by_column(x, place, list(step = step, first = from), ends, most, dialect, bounded = TRUE))
  }
  values <- list(x = x, step = step, first = from, lower = first * step, upper = last * step, most = most,
                 tiny = step * 2^-60, zero = 0 - first, present = present)
  form <- if (!is.null(dialect$between)) moved_steps else
    if (step > 1 && first <= 0 && last >= 0) wide_steps else fine_steps
  sql_of(form, values, dialect)
}

# What is not taken away where it is zero.
unless_zero <- function(x, dialect) if (!is.null(dialect) && isTRUE(x == 0)) NA_character_ else x

moved_steps <- quote(near(floor(between(x, lower, upper) / step + 0.5) - first, most))

# Whether a value is there is asked last, of what is not below the upper end: NaN is neither above nor below it in some
# databases, and above it in others.
fine_steps <- quote(cases(x <= lower, 0, x < upper, floor(x / step + 0.5) - first, present, most))
wide_steps <- quote(cases(
  x <= lower, 0, x > -tiny & x < tiny, zero, x < upper, floor(x / step + 0.5) - first, present, most
))

# Whole numbers as big integers.
big_word <- function(words, rows) fill_word(rows$dialect$big, words)

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
row_weight_words <- function(rows) {
  if (is.null(rows$weight)) return(NULL)
  vapply(rows$weight_names, function(name) big_word(sql_name(name, rows$dialect), rows), "")
}

person_most <- function(rows) if (!is.null(rows$weight)) c(weight = rows$weight, first = 1L)

person_names <- function(rows) if (!is.null(rows$weight)) c(weight = "weight", first = "first")

# The weights of an answer to one table must be those of the people that it has seen.
check_people <- function(weights, first, rows) {
  people <- sum(first)
  right <- if (rows$complete) people == rows$n else people <= rows$n
  if (!isTRUE(right && sum(weights) == people * rows$weight)) {
    stop_dptda("database", "`", rows$arg, "` has other people than when it was first asked for, or rows that belong ",
               "to another person at each reading; there is no release, and ", rows$spent, ".")
  }
}

# ---- statements ------------------------------------------------------------------

# `cell` for the rows whose columns are all present, from 1; else it is NULL. `bounded`: whether what is beyond the
# first and the last cell is moved there by what is asked next, which is the same for one column alone.
table_cell <- function(table, rows, bounded = FALSE) {
  if (bounded && length(table$axes) == 1) table$axes[[1]]$bounded <- TRUE
  maps <- Map(sql_axis, table$axes, table$columns, MoreArgs = list(rows = rows))
  cells <- vapply(maps, `[[`, "", "cell")
  stride <- cumprod(c(1, vapply(table$axes, `[[`, 0, "size")))[seq_along(maps)]
  cells[stride > 1] <- paste(cell_numbers(stride, rows$dialect), "*", cells)[stride > 1]
  list(present = unlist(lapply(maps, `[[`, "present")),
       cell = paste(c(cell_numbers(1, rows$dialect), cells), collapse = " + "))
}

# Rows with a missing value that are left out have a cell of their own, behind all others: each is counted, and the cell
# dropped.
cell_or_omitted <- function(present, cell, rows, table) {
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

# What dbplyr has no hand in is plain: SELECT and GROUP BY of our own names. (Of queries within queries it writes each
# several times, which takes longer than a database takes for a million rows.) `given`: words that are named before it.
select_words <- function(words, from, rows, more = "", given = NULL) {
  named <- function(words, names) paste(words, "AS", names, collapse = ", ")
  paste0(if (length(given)) paste0("WITH ", named(given, names(given)), " "),
         "SELECT ", named(words, fill_word(rows$dialect$quoted, names(words))),
         if (length(from)) paste0(" FROM ", from), more)
}

# `apart`: where a database can keep it apart from what reads from it (base-dialect.R), which the parts of a partition
# could not be asked.
inner_query <- function(query, rows, once = FALSE, apart = FALSE) {
  paste0("(", query, if (once && rows$dialect$anew) paste(" LIMIT", sql_integer(most_rows)),
         if (apart && is.null(rows$partition)) rows$dialect$apart, ") ", fill_word(rows$dialect$quoted, "inner_rows"))
}

# The table of the rows as a part of a statement.
source_words <- function(rows) {
  query <- as.character(before_rows(dbplyr::remote_query(rows$table), rows$arg))
  plain <- sub(if (rows$dialect$spread) selected_rows else whole_table, "\\1", query, perl = TRUE)
  if (plain != query) plain else inner_query(query, rows)
}

# What dbplyr writes for a table as it is; and for some of its columns and rows (select(), filter()), where the table
# and a condition stand behind FROM and may do so in any query: no word there asks for more.
whole_table <- "^SELECT \\*\\s+FROM ([^[:space:](),;]+)$"
selected_rows <- local({
  name <- "[`\"][^`\"]+[`\"]"
  columns <- paste0("(?:\\*|", name, "(?:,\\s*", name, ")*)(?:, 1 AS ", name, ")?") # subquery() has a column of its own
  more <- "SELECT|JOIN|GROUP|HAVING|WINDOW|ORDER|LIMIT|UNION|INTERSECT|EXCEPT|SAMPLE|FINAL|PREWHERE|ARRAY"
  paste0("(?is)^SELECT ", columns, "\\s+FROM (?!.*\\b(?:", more, ")\\b)", "([^\\s(),;]+(?:\\s+WHERE\\s.*)?)$")
})

# The rows that `maps` make of the columns at some places.
mapped_query <- function(rows, maps, places = seq_along(rows$columns)) {
  refuse_unweighed(rows)
  partition <- if (!is.null(rows$partition)) c(part_of_rows = sql_name(rows$partition, rows$dialect))
  used <- vapply(unique(c(rows$columns[places], rows$partition)), sql_name, "", rows$dialect)
  source <- source_words(rows)
  # what rows weigh is computed once already, and their columns with it
  if (length(used) && rows$dialect$anew && is.null(rows$weight)) {
    source <- inner_query(paste0("SELECT ", paste(used, collapse = ", "), " FROM ", source), rows, once = TRUE)
  }
  words <- c(partition, unlist(maps), row_weight_words(rows))
  query <- select_words(words, source, rows)
  if (may_be_one(rows, c(used, source))) attr(query, "parts") <- list(words = words, from = source)
  query
}

# What a query around another reads `from`, and what it calls the columns of that one. A database that spreads a table
# over servers groups where the rows are if that is asked of the table itself: words of the inner query are named before
# the outer one then, which is the only one. `apart`: whether the inner query must not be written into it.
query_around <- function(inner, rows, apart = FALSE) {
  own <- function(names) fill_word(rows$dialect$quoted, names)
  parts <- attr(inner, "parts", exact = TRUE)
  if (is.null(parts)) return(list(from = inner_query(inner, rows, once = TRUE, apart), own = own))
  stem <- paste0(given_stem, length(parts$given), "_")
  called <- function(names) own(paste0(stem, names))
  list(from = parts$from, own = called, words = parts$words,
       given = c(parts$given, stats::setNames(parts$words, called(names(parts$words)))))
}

given_stem <- "given"

# Where a name of ours is that of a column, `used` with what it is selected by, the column would be taken for it. Parts
# and people have queries of their own within.
may_be_one <- function(rows, used) {
  rows$dialect$spread && is.null(rows$partition) && is.null(rows$weight) &&
    !any(grepl(paste0("\\b(table|cell|rows|sum[0-9]+|", given_stem, ".*)\\b"), used, perl = TRUE))
}

# One row for each cell of the rows of `mapped`, with the number of the table (0 for all rows), the rows in it and the
# sums of the columns `summed`; of people what rows weigh in place of their number, and how many people begin there:
# together these are all. Over a partition the cells are counted in each of its parts first.
cell_answer <- function(mapped, rows, table, summed = character()) {
  # SQLite computes what it groups by once more for each group: of numbers drawn at random in a view one row would move
  # others
  around <- query_around(mapped, rows)
  own <- around$own
  sum_of <- function(names) paste0("SUM(", own(names), ")")
  weighed <- !is.null(rows$weight)
  counts <- if (weighed) c(rows = sum_of("weight"), people = sum_of("first")) else c(rows = rows$dialect$count)
  if (length(summed)) {
    counts[summed] <- if (weighed) paste0("SUM(", own("weight"), " * ", own(summed), ")") else sum_of(summed)
  }
  from <- around$from
  cell <- own("cell")
  if (!is.null(rows$partition)) {
    by <- c(part_of_rows = own("part_of_rows"), cell = cell)
    parts <- select_words(c(by, counts), from, rows, paste(" GROUP BY", paste(by, collapse = ", ")))
    from <- inner_query(parts, rows)
    counts <- structure(sum_word(own(names(counts))), names = names(counts))
  }
  by <- cell
  if (!is.null(around$words)) {
    # ClickHouse groups by the name of what is selected, and by no other one for it
    cell <- around$words[["cell"]]
    around$given <- around$given[names(around$given) != by]
    by <- fill_word(rows$dialect$quoted, "cell")
  }
  words <- c(table = sql_integer(table), cell = cell, structure(big_word(counts, rows), names = names(counts)))
  select_words(words, from, rows, paste(" GROUP BY", by), around$given)
}

# How many rows there are, as the answer for a table of the number 0, with what columns follow.
total_query <- function(rows, more = character()) {
  if (is.null(rows$partition)) {
    from <- source_words(rows)
    count <- rows$dialect$count
  } else {
    part <- sql_name(rows$partition, rows$dialect)
    parts <- select_words(c(rows = rows$dialect$count), source_words(rows), rows, paste(" GROUP BY", part))
    from <- inner_query(parts, rows)
    count <- paste0("COALESCE(SUM(", fill_word(rows$dialect$quoted, "rows"), "), 0)") # over no parts a sum is NULL
  }
  words <- c(cell = "0", rows = count, more)
  select_words(c(table = "0", structure(big_word(words, rows), names = names(words))), from, rows)
}

# How many rows there are is what the cells hold together. Where that is not known beforehand it is asked as well.
with_total <- function(parts, rows, summed = character()) {
  paste(c(parts, if (asks_total(rows)) total_of_sums(rows, summed)), collapse = " UNION ALL ")
}

asks_total <- function(rows) is.null(rows$weight) && identical(rows$complete, FALSE)

total_of_sums <- function(rows, summed) total_query(rows, structure(rep("0", length(summed)), names = summed))

# What is added up, bounded once more in the last step and in whole numbers, whatever a database has made of the maps: a
# query of the columns of `mapped` that `least` and `most` name, and of the steps that `sums` does, from 0.
bounded <- function(mapped, rows, least, most, sums = NULL) {
  around <- query_around(mapped, rows, apart = TRUE)
  kept <- if (!is.null(rows$partition)) c(part_of_rows = fill_word(rows$dialect$quoted, "part_of_rows"))
  least <- c(least, 0 * person_most(rows))
  most <- c(most, person_most(rows))
  own <- function(words, names) structure(as.vector(words), names = names)
  words <- c(kept, own(sql_bounded(around$own(names(most)), least, most, rows), names(most)),
             if (length(sums)) own(sums_bounded(around$own(names(sums)), sums, rows), names(sums)))
  query <- select_words(words, around$from, rows, given = around$given)
  if (!is.null(around$given)) attr(query, "parts") <- list(words = words, from = around$from, given = around$given)
  query
}

# Where a database has a word that names a number once, it is between its ends whatever is drawn; in others CASE names a
# column that was computed before.
sql_bounded <- function(x, least, most, rows, bound = rows$dialect$bounded) {
  if (!is.null(bound)) return(bound(x, least, most))
  mapply(function(x, least, most) sql_case(paste(x, c("<", ">"), c(least, most)), c(least, most), x),
         x, sql_integer(least), sql_integer(most))
}

# The same of what is added up. The cell of a row says whether a value is missing; what is added up for it is no matter
# then, but must be between the ends.
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
    cell_answer(bounded(mapped, rows, c(cell = 1), most), rows, i)
  }, ""), rows)
}

# A database that groups faster by what cannot be absent is asked so first, and once more where some cell is.
ask_cells <- function(rows, tables) {
  present <- rows
  present$dialect$cell <- rows$dialect$present_cell
  again <- function(cnd) ask_database(rows, count_query(rows, tables))
  if (is.null(present$dialect$cell) || is_omitting(rows)) return(again())
  tryCatch(ask_database(present, count_query(present, tables)), dptda_error_database = again)
}

count_cells.dptda_database_rows <- function(rows, tables) {
  answer <- check_answer(ask_cells(rows, tables), rows, seq_along(tables))
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
  map <- table_cell(groups, rows, bounded = !is_omitting(rows))
  present <- c(map$present, vapply(summed, column_present, "", rows = rows))
  steps <- vapply(seq_along(summed), function(i) {
    dialect <- rows$dialect
    x <- column_double(rows, summed[i])
    there <- column_present(rows, summed[i])
    found <- sql_steps(x, lattice$step[i], lattice$first[i], lattice$last[i], dialect, there)
    # what is not a number has been made one
    if (is.null(dialect$is_number)) there <- NULL
    or_omitted(where_present(there, found, rows, if (!is.null(dialect$between)) "@"), 0, rows)
  }, "")
  cell <- c(cell = cell_or_omitted(present, map$cell, rows, groups))
  steps <- structure(steps, names = names)
  sums <- structure(lattice$last - lattice$first, names = names)
  if (is_one_group(groups, rows)) {
    # where steps are computed row by row they are missing where a value is
    there <- if (rows$dialect$by_column) c(cell = fill_word(rows$dialect$one_if, paste(present, collapse = " AND ")))
    return(with_total(one_answer(mapped_query(rows, c(there, steps), summed), rows, 1, sums), rows, names))
  }
  mapped <- mapped_query(rows, c(cell, steps), c(groups$columns, summed))
  mapped <- bounded(mapped, rows, c(cell = 1), c(cell = table_size(groups) + is_omitting(rows)), sums)
  with_total(cell_answer(mapped, rows, 1, names), rows, names)
}

# Whether all rows are one group, of which as many are counted as there are: then nothing is grouped.
is_one_group <- function(groups, rows) {
  length(groups$axes) == 0 && is.null(rows$weight) && is.null(rows$partition) && !is_omitting(rows)
}

# The answer for the table of one cell without grouping: a database sums what is not grouped in several processes, and
# SQLite would sort it. The cell is missing where a value is: where a column `cell` is not 1 for all rows, or, without
# one, where some steps are missing. Of no rows the sums are zero.
one_answer <- function(mapped, rows, table, sums) {
  around <- query_around(mapped, rows, apart = TRUE)
  count <- rows$dialect$count
  there <- if (rows$dialect$by_column) sum_word(around$own("cell")) else
    vapply(around$own(names(sums)), fill_word, "", template = sub("*", "@", count, fixed = TRUE))
  there <- paste(there, "=", count, collapse = " AND ")
  added <- sum_word(sums_bounded(around$own(names(sums)), sums, rows))
  words <- c(table = sql_integer(table), cell = sql_case(there, big_word("1", rows)), rows = big_word(count, rows),
             structure(big_word(added, rows), names = names(sums)))
  select_words(words, around$from, rows, given = around$given)
}

sum_word <- function(words) paste0("COALESCE(SUM(", words, "), 0)")

sum_whole_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  count_and_sum_steps(rows, lattice, summed, groups)$sums
}

count_and_sum_steps.dptda_database_rows <- function(rows, lattice, summed, groups) {
  check_constants(rows, c(lattice$step, lattice$first * lattice$step, lattice$last * lattice$step))
  # no sum may leave the doubles, nor wrap around in the database
  if (any(rows$n * max(1, rows$weight) * (lattice$last - lattice$first) > 2^53)) {
    stop_argument("bits", "must be fewer for so many rows.")
  }
  answer <- check_answer(asked_before(rows, sum_query(rows, lattice, summed, groups)), rows, 1)
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
      mapped <- mapped_query(rows, c(cell = where_present(present, "1.0", rows)), place)
      anyNA(ask_database(rows, cell_answer(mapped, rows, 1))$cell)
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
  counted <- vapply(tables, function(i) sum(answer$rows[answer$table == i]), 0)
  total <- c(answer$rows[answer$table == 0], counted)[1]
  if (!(identical(total, as.double(rows$n)) || identical(rows$complete, FALSE) && isTRUE(total <= rows$n))) {
    stop_dptda("database", "`", rows$arg,
               "` has another number of rows than when it was first asked for; within a transaction ",
               "that reads one state of the table this cannot happen. There is no release, and ", rows$spent, ".")
  }
  if (anyNA(answer$rows) || !all(counted == total)) {
    stop_dptda("database", "The database counts rows of `", rows$arg, "` twice, or not at all; there is no release, ",
               "and ", rows$spent, ".")
  }
}
