# Counts rows exactly in the cells of tables, and sums whole steps.

# A table: axes for columns at some places. Its cells are the product of the axes, the first axis fastest.
cell_table <- function(axes, columns = seq_along(axes)) list(axes = axes, columns = columns)

table_size <- function(table) prod(vapply(table$axes, `[[`, 0, "size"))

max_cells <- 1e8

# Checks columns and axes before rows are used. Both are public.
check_table <- function(table, rows) {
  for (i in seq_along(table$axes)) {
    place <- table$columns[i]
    check_axis(table$axes[[i]], rows$types[place], column_arg(rows, place))
  }
  check_table_size(table, rows$arg)
}

check_table_size <- function(table, arg) {
  if (table_size(table) <= max_cells) return(invisible())
  stop_argument(arg, "would be counted in ", format(table_size(table), digits = 3), " cells, but at most ",
                format(max_cells), " are possible. Use fewer columns, levels, or breaks.")
}

# A database may lack logical values (0 and 1 stand for them), or the type of a column ("unknown").
check_axis <- function(axis, type, arg) {
  if (!is.null(axis$inner)) return(check_axis(axis$inner, type, arg))
  if (!is.null(axis$levels)) return(check_level_type(axis$levels, type, arg))
  check_type(type, if (is.null(axis$logical)) "number" else "logical", arg)
}

check_level_type <- function(levels, type, arg) {
  if (type %in% c("Date", "POSIXct", "difftime")) {
    stop_argument("levels", "must be of class \"", type, "\", like `", arg, "`.")
  }
  if (!type %in% c("number", "decimal", "bit", "text", "logical", "unknown", class_types)) {
    stop_argument(arg, "must hold numbers, strings, or logical values, not values of class \"", type, "\"",
                  type_remedy(type), ".")
  }
  if (type == "logical" && is.numeric(levels) || type %in% c("number", "decimal", "bit") && is.logical(levels)) {
    stop_argument("levels", "must be of the same kind as `", arg, "`, which holds ", type_words(type), ".")
  }
  if (type %in% c("number", "decimal", "bit", "integer64")) refuse_equal_levels(levels, arg)
}

# Refuses text levels that become the same number if rows are numbers: "1" and "1.0", or integers with the same
# double.
refuse_equal_levels <- function(levels, arg) {
  if (!is.character(levels)) return(invisible())
  keys <- number_keys(as_plain_number(levels))
  again <- which(duplicated(keys) & !is.na(keys))[1]
  if (is.na(again)) return(invisible())
  first <- match(keys[again], keys)
  exact <- all(abs(as_plain_number(levels[c(first, again)])) < 2^53)
  stop_argument("levels", "must be different numbers, because `", arg, "` holds numbers, but ",
                paste0("\"", levels[c(first, again)], "\"", collapse = " and "), " are the same number",
                if (!exact) ". Integers are exact only up to 2^53. For identifiers, use text in both", ".")
}

# Converts columns with a class to numbers, if a release uses them as `classes` states, by their places. NA means that a
# column is compared by value.
class_rows <- function(rows, classes) UseMethod("class_rows")

class_rows.dptda_memory_rows <- function(rows, classes) {
  if (is.matrix(rows$data)) return(rows)
  for (place in seq_along(rows$types)) {
    type <- rows$types[place]
    class <- class_at(classes, place)
    if (is.na(class)) class <- if (type == "integer64") "number" else next
    check_class_type(type, class, column_arg(rows, place))
    rows$data[[place]] <- if (type == "number") rows$data[[place]] else class_numbers(rows$data[[place]], class)
    rows$types[place] <- "number"
  }
  rows
}

class_at <- function(classes, place) if (is.null(classes)) "number" else classes[[place]]

# Counts rows in the cells of each table. Returns, for each table, `cell`, the increasing numbers of the occupied cells
# from 1, and `count`.
count_rows <- function(rows, tables) {
  for (table in tables) check_table(table, rows)
  count_cells(rows, tables)
}

count_cells <- function(rows, tables) UseMethod("count_cells")

count_cells.dptda_memory_rows <- function(rows, tables) {
  lapply(tables, function(table) {
    refuse_missing(.Call(ffi_base_count_rows, memory_columns(rows, table), table$axes, row_weights(rows),
                         kernel_options(progress = kernel_progress("Counts"))), rows)
  })
}

# The counts of all cells, as doubles.
dense_counts <- function(counts, size) {
  all <- new_doubles(size)
  all[counts$cell] <- counts$count
  all
}

# The counts of all cells of one table.
count_table <- function(rows, table) dense_counts(count_rows(rows, list(table))[[1]], table_size(table))

# Sums whole steps of a lattice, as public_lattice() makes it for the columns `summed`, over all rows or by the cells of
# the table `groups`. A matrix of exact doubles with one row for each group. If the lattice has `dropped`, one number
# for each column, the columns of spreads follow (number-moments.md): the spread of a row with z of w steps is z (w -
# z), without its last `dropped` binary digits. The spread of a person is computed from the mean of that person's rows.
sum_rows <- function(rows, lattice, summed = seq_along(lattice$step), groups = NULL) {
  if (!is.null(groups)) check_table(groups, rows)
  for (place in summed) check_type(rows$types[place], "number", column_arg(rows, place))
  sum_whole_steps(rows, lattice, summed, groups)
}

sum_whole_steps <- function(rows, lattice, summed, groups) UseMethod("sum_whole_steps")

sum_whole_steps.dptda_memory_rows <- function(rows, lattice, summed, groups) {
  data <- if (identical(summed, seq_along(rows$types))) rows$data else take_columns(rows, summed)$data
  group_columns <- if (!is.null(groups)) memory_columns(rows, groups)
  weight <- row_weights(rows)
  sum <- function(columns, codes, axes) {
    refuse_missing(.Call(ffi_base_sum_rows, data, columns, codes, axes, weight,
                         kernel_options(progress = kernel_progress("Sums"))), rows)
  }
  plain <- cbind(lattice$step, lattice$first, lattice$last)
  if (is.null(lattice$dropped) || is.null(weight)) {
    return(sum(cbind(plain, lattice$dropped), group_columns, groups$axes))
  }
  # a person may have rows in several cells
  cell <- cell_of_rows(group_columns, groups$axes, length(weight))
  of_person <- (rows$owner - 1) * (1 + max(0, cell)) + cell
  known <- which(!duplicated(of_person))
  code <- match(of_person, of_person[known])
  axes <- list(list(size = max(1, length(known))))
  sums <- sum(plain, list(code), axes)
  count <- dense_counts(.Call(ffi_base_count_rows, list(code), axes, weight, kernel_options()), axes[[1]]$size)
  size <- if (is.null(groups)) 1 else table_size(groups)
  by_cell <- function(x) {
    all <- matrix(0, size, ncol(x))
    found <- rowsum(x[seq_along(known), , drop = FALSE], cell[known])
    all[as.integer(rownames(found)), ] <- found
    all
  }
  cbind(by_cell(sums), by_cell(people_spreads(sums, count, lattice)))
}

# The cell of each row in memory, from 1.
cell_of_rows <- function(codes, axes, rows) {
  stride <- cumprod(c(1, vapply(axes, `[[`, 0, "size")))[seq_along(codes)]
  1 + Reduce(`+`, Map(function(code, stride) (code - 1) * stride, codes, stride), double(rows))
}

# The spread of the mean of each person, times the weight of this person's rows. The mean is rounded toward the nearer
# end of the lattice, so its spread is rounded down.
people_spreads <- function(sums, count, lattice) {
  most <- rep(lattice$last - lattice$first, each = nrow(sums))
  near <- floor(pmin(sums, count * most - sums) / pmax(count, 1))
  count * floor(near * (most - near) / rep(2^lattice$dropped, each = nrow(sums)))
}

# The same with the weight of each group, from one query: `sums`, with spreads if they are requested, and `count`.
count_and_sum <- function(rows, lattice, summed, groups) {
  check_table(groups, rows)
  for (place in summed) check_type(rows$types[place], "number", column_arg(rows, place))
  count_and_sum_steps(rows, lattice, summed, groups)
}

count_and_sum_steps <- function(rows, lattice, summed, groups) UseMethod("count_and_sum_steps")

count_and_sum_steps.dptda_memory_rows <- function(rows, lattice, summed, groups) {
  one <- length(groups$axes) == 0
  weight <- row_weights(rows)
  count <- if (!one) dense_counts(count_cells(rows, list(groups))[[1]], table_size(groups)) else
    if (is.null(weight)) as.double(memory_count(rows)) else sum(as.double(weight))
  sums_and_spreads(count, sum_whole_steps(rows, lattice, summed, if (!one) groups), lattice)
}

sums_and_spreads <- function(count, sums, lattice) {
  columns <- seq_along(lattice$step)
  c(list(count = count, sums = sums[, columns, drop = FALSE]),
    if (!is.null(lattice$dropped)) list(spreads = sums[, -columns, drop = FALSE]))
}

# The weights of rows in memory. In a matrix, each row is a unit.
row_weights <- function(rows) if (!is.matrix(rows)) weights_of(rows$owner, rows$weight, rows$arg)

refuse_missing <- function(result, rows) {
  if (is.null(result)) stop_missing_values(rows)
  result
}

# The columns that the kernel counts: numbers unchanged, without a copy, and the codes of levels.
memory_columns <- function(rows, table) {
  if (is.matrix(rows$data) && identical(table$columns, seq_len(ncol(rows$data)))) return(rows$data)
  Map(function(place, axis) {
    x <- if (is.matrix(rows$data)) rows$data[, place] else rows$data[[place]]
    if (!is.null(axis$inner)) return(axis_codes_absent(x, axis) + 1L)
    if (is.null(axis$levels)) return(x)
    if (anyNA(x)) refuse_missing(NULL, rows)
    level_cells_of(x, axis)
  }, table$columns, table$axes)
}

# ---- several rounds ------------------------------------------------------------------------------------------------

# Reads the rows of a release with several rounds before its charge, so that later failures are excluded. With `groups`,
# a table of cells for some columns, the other columns are split by the group of their row.
fetch_rows <- function(rows, rounds, groups = NULL) UseMethod("fetch_rows")

fetch_rows.dptda_memory_rows <- function(rows, rounds, groups = NULL) {
  if (is.null(groups)) return(rows)
  points <- row_matrix(rows, setdiff(seq_along(rows$types), groups$columns))
  if (anyNA(points)) stop_missing_values(rows)
  group <- cell_of_rows(memory_columns(rows, groups), groups$axes, nrow(points))
  split_rows(points, row_weights(rows), group, table_size(groups))
}

row_matrix <- function(rows, places) {
  if (is.matrix(rows$data)) return(rows$data[, places, drop = FALSE])
  matrix(as.double(unlist(rows$data[places], use.names = FALSE)), ncol = length(places))
}

# `parts`: the rows of each group, as kernels take them.
split_rows <- function(data, weight, group, size) {
  parts <- split(seq_len(nrow(data)), factor(group, seq_len(size)))
  list(parts = lapply(unname(parts), function(part) list(data = data[part, , drop = FALSE], weight = weight[part])))
}

# The sum of `kernel` over rows in memory, all at once or piece by piece.
sum_over <- function(x, kernel) UseMethod("sum_over")

sum_over.default <- function(x, kernel) kernel(x)
