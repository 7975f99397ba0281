# Selects the columns that a release uses, as rows (base-rows-class.R).

# Reads the columns `columns` of a table of the user, or all columns if `columns` is NULL.
read_table <- function(table, columns, arg, partition = NULL) UseMethod("read_table")

read_table.data.frame <- function(table, columns, arg, partition = NULL) {
  check_partition(partition, names(table), arg)
  frame_rows(table, columns, arg)
}

# A matrix of numbers.
read_table.matrix <- function(table, columns, arg, partition = NULL) {
  check_partition(partition, colnames(table), arg)
  refuse_scaled(table, arg)
  if (!is.null(columns)) table <- table[, check_columns(columns, colnames(table), arg), drop = FALSE]
  matrix_rows(check_points(table, columns = NULL, arg = arg, min_rows = 0, advice = missing_advice()), arg)
}

read_table.dptda_rows <- function(table, columns, arg, partition = NULL) {
  rows <- check_valid(table, "dptda_rows", arg)
  rows$arg <- arg
  refuse_omitting(rows)
  if (is.null(columns)) return(rows)
  take_columns(rows, match(check_columns(columns, rows$columns, arg), rows$columns))
}

is_table <- function(x) inherits(x, c("data.frame", "tbl_lazy", "dptda_rows"))

check_partition <- function(partition, known, arg) {
  if (!is.null(partition) && !partition %in% known) {
    stop_argument("partition", "must be the name of a column of `", arg, "`.")
  }
}

# The names of the columns of a table.
table_columns <- function(table) UseMethod("table_columns")

table_columns.data.frame <- function(table) names(table)

table_columns.dptda_rows <- function(table) table$columns

# Reads columns of a data frame. A column that is a matrix or a list does not have one value per row.
frame_rows <- function(frame, columns, arg) {
  refuse_groups(frame, arg)
  columns <- check_columns(columns, names(frame), arg)
  refuse_scaled(frame, arg, columns)
  data <- lapply(match(columns, names(frame)), function(j) .subset2(frame, j))
  plain <- vapply(data, function(x) is.atomic(x) && length(dim(x)) < 2 && length(x) == nrow(frame), NA)
  if (!all(plain)) {
    first <- data[!plain][[1]]
    stop_argument(arg, "must have one value per row in each column, but `", columns[!plain][1], "` is ",
                  if (is.object(first)) c(describe_column(first), class_hint(first)) else "a list or a matrix", ".")
  }
  list_rows(data, columns, arg)
}

# The used columns, among the known ones.
check_columns <- function(columns, known, arg) {
  named <- !is.null(columns) || are_names(known)
  columns <- if (is.null(columns)) known else check_column_names(columns, "columns")
  if (!all(columns %in% known)) {
    stop_argument("columns", "must be names of columns of `", arg, "`, which has no ",
                  quote_names(setdiff(columns, known)), ". Its columns are ", quote_names(known), ".")
  }
  if (!named || sum(known %in% columns) > length(columns)) {
    stop_argument(arg, "must have columns with different names.")
  }
  check_column_count(length(columns), "columns")
  columns
}

# As many as a box has sides.
max_row_columns <- 1024

check_column_count <- function(count, arg) {
  if (count > max_row_columns) {
    stop_argument(arg, "must be at most ", format_count(max_row_columns), " columns, not ", format_count(count), ".")
  }
}

check_column_names <- function(columns, arg, most = max_row_columns) {
  good <- is.character(columns) && are_names(columns)
  if (good && most > 1) check_column_count(length(columns), arg)
  if (!good || length(columns) > most) {
    twice <- if (is.character(columns)) columns[duplicated(columns)]
    stop_argument(arg, "must be ", if (most == 1) "the name of a column" else "different names of columns", ", not ",
                  describe(columns), if (length(twice) && are_names(twice[1])) c(" with `", twice[1], "` twice"), ".")
  }
  as.vector(columns)
}

# Reads the rows of a mechanism. A vector is one column without a name. For a table, the user names the columns. `omit`:
# whether the release supports rows that leave missing values out (base-missing.R). `advice`: other possible meanings of
# a table without named columns.
check_rows <- function(x, columns = NULL, arg = deparse1(substitute(x)), omit = FALSE, advice = NULL) {
  force(arg)
  if (omit && is_omitting(x)) x$omit_known <- TRUE
  if (is_table(x)) {
    if (is.null(columns) && !inherits(x, "dptda_rows")) {
      if (is.data.frame(x)) refuse_groups(x, arg) # that is not mended by naming columns
      columns <- table_columns(x)
      if (length(columns) != 1) {
        if (is.null(advice) && length(columns)) advice <- paste0(". Write columns = ", deparse1(columns[1]), " for one")
        stop_argument("columns", "must be given, by name, if `", arg, "` is a table",
                      if (length(columns)) c(". Its columns are ", quote_names(columns)), advice, ".")
      }
    }
    return(read_table(x, columns, arg))
  }
  if (!is.null(columns)) stop_argument("columns", "is for tables, but `", arg, "` is ", describe_data(x), ".")
  if (!is.atomic(x) || is.null(x) || !is.null(dim(x))) {
    stop_argument(arg, "must be a vector, a factor, or a table, not ", describe_data(x),
                  if (is.matrix(x)) ". Use as.data.frame() to make it a table", if (is.null(x)) rows_hint(x),
                  if (is.object(x)) class_hint(x), ".")
  }
  refuse_scaled(x, arg)
  list_rows(list(x), NULL, arg)
}

# The columns that public arguments name, if the user names none. Rows have their own. `named_by`: the argument that has
# the names.
named_columns <- function(x, columns, names, named_by) {
  if (!is.null(columns) || !is_table(x) || !is.character(names) || !are_names(names)) return(columns)
  # selected columns keep their order, unless fewer names choose among them
  if (inherits(x, "dptda_rows")) return(if (all(names %in% x$columns) && length(names) < length(x$columns)) names)
  refuse_other_columns(names, table_columns(x), named_by)
  names
}

refuse_other_columns <- function(names, known, named_by, arg = "x") {
  absent <- setdiff(names, known)
  if (!length(absent)) return(invisible())
  stop_argument(arg, "has no column ", quote_names(absent), ", which `", named_by, "` names. Its columns are ",
                quote_names(known), ".")
}

# For releases of one column. `advice`: a function of the plural name of the units, "rows" or "people".
check_one_column <- function(rows, advice = NULL) {
  many <- length(rows$types)
  if (many != 1) {
    stop_argument("columns", "must be the name of one column, not of ", many, ": ", quote_names(rows$columns),
                  if (!is.null(advice)) advice(units_noun(rows$person)), ".")
  }
  rows
}

take_columns <- function(rows, places) UseMethod("take_columns")

take_columns.dptda_rows <- function(rows, places) {
  rows$columns <- rows$columns[places]
  rows$types <- rows$types[places]
  rows
}

take_columns.dptda_memory_rows <- function(rows, places) {
  rows$data <- if (is.matrix(rows$data)) rows$data[, places, drop = FALSE] else rows$data[places]
  take_columns.dptda_rows(rows, places)
}

# Rows that are points: columns of numbers, one per side of the box, if any, matched by name if the box has names.
check_point_rows <- function(x, columns = NULL, box = NULL, dimension = length(box$lower),
                             arg = deparse1(substitute(x)), min_rows = 1) {
  force(arg)
  if (missing(x)) stop_missing(arg)
  point_rows(x, columns_of_box(x, columns, box), box, dimension, arg, min_rows)
}

# If the user names no columns, those that the box names, for a table with more columns.
columns_of_box <- function(x, columns, box) {
  if (is.null(columns) && is_table(x) && has_columns(table_columns(x), box$columns)) box$columns else columns
}

point_rows <- function(x, columns, box, dimension, arg, min_rows) UseMethod("point_rows")

point_rows.dptda_memory_rows <- function(x, columns, box, dimension, arg, min_rows) {
  rows <- read_table(x, columns, arg)
  points <- if (is.matrix(rows$data)) rows$data else as_frame(rows)
  new <- point_rows(points, NULL, box, dimension, arg, if (is.null(rows$person)) min_rows else 0)
  if (is.null(rows$person)) return(new)
  if (rows$n < min_rows) stop_argument(arg, "must have at least ", count_units(min_rows, rows$person), ".")
  add_people(new, rows$n, rows$person, rows$take, rows$complete, rows$owner)
}

point_rows.default <- function(x, columns, box, dimension, arg, min_rows) {
  x <- dense_matrix(x, arg)
  if (!is.null(columns)) {
    if (!is.data.frame(x) && !is.matrix(x)) stop_argument("columns", "is for tables, but `", arg, "` is not a table.")
    columns <- check_columns(columns, colnames(x), arg)
    x <- if (is.data.frame(x)) as_frame(frame_rows(x, columns, arg)) else x[, columns, drop = FALSE]
  }
  matrix_rows(check_points(x, columns = dimension, arg = arg, min_rows = min_rows, box = box,
                           advice = missing_advice()),
              arg)
}

as_frame <- function(rows) {
  structure(rows$data, names = rows$columns, row.names = .set_row_names(memory_count(rows)), class = "data.frame")
}
