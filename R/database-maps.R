# Maps the value of a database column to a cell of a table, or to whole steps of a lattice, as an expression. The
# expression follows src/core/base-rows.c operation by operation in doubles. Constants have all their digits (with
# dbplyr's 15, every second one differs). Among equally spaced cuts, a cell is computed. Among others it is searched by
# CASE within CASE, because one list of conditions takes time proportional to its length.

# Maps a column to a table: `cell`, a number from 0, or NULL for a missing value. If a missing value might get a number,
# `present` is a condition that excludes it.
sql_axis <- function(axis, place, rows) {
  if (length(axis$cuts) > max_database_cuts && is.null(spaced_cuts(axis$cuts))) {
    stop_argument(rows$arg, "is in a database, which can count at most ", max_database_cuts,
                  " cells of different widths.")
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
  # values that are not numbers are already converted, and NaN may have been moved among the numbers
  list(present = if (!is.null(dialect$is_number) || !is.null(dialect$between)) present, cell = cell)
}

max_database_cuts <- 1e4

# Missing values have a cell, so every value has one.
sql_absent <- function(axis, place, rows) {
  map <- sql_axis(axis$inner, place, rows)
  present <- if (is.null(map$present)) column_present(rows, place) else map$present
  list(present = NULL, cell = sql_case(present, map$cell, cell_numbers(axis$absent, rows$dialect)))
}

# The number of a cell, as an integer if that is faster to add up.
cell_numbers <- function(x, dialect) if (dialect$by_column) sql_integer(x) else sql_number(x, dialect)

# The first cell has a condition: a product that underflows to zero is an error in PostgreSQL.
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

# Finds the cell of a value between two cuts: for equally spaced cuts by arithmetic (equal_spaces()).
spaced_places <- local({
  nearest <- quote(floor((x - origin) * per + 0.5))
  among <- function(cut) bquote(.(nearest) - one_if(x < .(cut)))
  c(exact_places, list(line = among(bquote(first + .(nearest) * step)),
                       product = among(bquote((first + .(nearest)) * scale)),
                       quotient = among(bquote((first + .(nearest) * step) / scale))))
})

# Values at or above the last cut, except NaN, are in the last cell.
spaced_cells <- lapply(spaced_places, function(place) {
  bquote(cases(x < second, 0, x < last, .(place), 0 - x <= -last, highest))
})

# A database that computes column by column is fast if all rows of a piece use one formula. Values not far beyond the
# bounds are computed like values between them, and then moved between the bounds as integers. This move costs as much
# as the rest, so it is omitted if a later step bounds them (`bounded`). A database that can move numbers without a
# condition (`between`) uses only that. NaN may move to either bound, so it gets its own condition in
# sql_axis().
sql_by_column <- function(x, place, constants, ends, highest, dialect, bounded = NULL) {
  far <- if (highest > 0) (ends[2] - ends[1]) * max(1, 2^29 / highest) else 0
  low <- min(ends[1], max(ends[1] - far, -2^1022))
  high <- max(ends[2], min(ends[2] + far, 2^1022))
  if (!is.null(constants$origin)) constants$origin <- unless_zero(constants$origin, dialect)
  values <- c(list(x = x, low = low, high = high, zero = 0L, highest = as_whole(highest)), constants)
  if (!is.null(dialect$between)) {
    place <- do.call(substitute, list(place, list(x = quote(between(x, low, high)))))
    return(sql_of(bquote(moved(.(place), highest)), values, dialect))
  }
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
    stop_argument("levels", "must be strings, not numbers, because `", rows$arg, "` holds strings in a database.")
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
  cell <- sql_number_levels(axis, column_double(rows, at), place, other, dialect)
  list(present = column_present(rows, at), cell = cell)
}

# A number is in a level if it has the key of the level: an interval of doubles, usually of a few.
sql_number_levels <- function(axis, x, place, other, dialect) {
  number <- as_plain_number(axis$levels)
  if (any(is.infinite(number))) stop_argument("levels", "must be finite for rows in a database.")
  used <- which(!is.na(number) & !duplicated(number_keys(number)))
  range <- key_range(number[used])
  order <- order(range$lower)
  leaves <- sql_case_each(paste(x, "<=", sql_number(range$upper[order], dialect)), place[used[order]], other)
  sql_search(x, sql_number(range$lower[order], dialect), c(other, leaves))
}

sql_case_each <- function(conditions, values, otherwise) {
  if (length(values)) paste0("CASE WHEN ", conditions, " THEN ", values, " ELSE ", otherwise, " END")
}

# Text levels are searched in the order of bytes, if texts are compared by bytes.
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

# Counts whole steps of a lattice from its first one, like whole_steps() of the kernel. In a database that computes row
# by row, a missing value stays missing. With wide steps, values next to zero are not divided, because PostgreSQL fails
# if a nonzero quotient underflows to zero. Later, bounded() limits the steps.
#
# If a database can move numbers without a condition (`between`), values are first moved to the bounds of the lattice,
# as in the kernel. Then no quotient or integer overflows.
# Steps are exact, as first and last are below 2^52. NaN may move to either bound.
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

# Subtraction in SQL omits a zero.
unless_zero <- function(x, dialect) if (!is.null(dialect) && isTRUE(x == 0)) NA_character_ else x

moved_steps <- quote(near(floor(between(x, lower, upper) / step + 0.5) - first, most))

# The test for missing values comes last, for values that are not below the upper bound: NaN is neither above nor below
# the bound in some databases, and above it in others.
fine_steps <- quote(cases(x <= lower, 0, x < upper, floor(x / step + 0.5) - first, present, most))
wide_steps <- quote(cases(
  x <= lower, 0, x > -tiny & x < tiny, zero, x < upper, floor(x / step + 0.5) - first, present, most
))
