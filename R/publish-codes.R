# Codes of rows by a schema, their joint counts, and rows from codes.

# Coded rows. The methods of this family use `sizes` (integers named by column), `n`, and joint_counts(). Rows in
# memory become `codes` (an integer matrix from 0, one row per row). Coded rows of a database stay there
# (publish-counts-database.R). Coded rows of people (base-people.R) also have `person`, `take`, `complete`, and
# `owner`, `weight` after weigh_rows(), and the class "dptda_people_codes"; `n` counts people.
encode_table <- function(data, schema, arg = deparse1(substitute(data))) {
  force(arg)
  rows <- schema_rows(data, schema, arg)
  sizes <- schema_sizes(schema)
  for (i in seq_along(sizes)) {
    check_axis(schema$columns[[i]]$axis, rows$types[i], paste0(arg, "$", names(schema$columns)[i]))
  }
  if (rows$n < 1) stop_argument(arg, "must have at least one row.")
  code_rows(rows, schema, sizes)
}

code_rows <- function(rows, schema, sizes) UseMethod("code_rows")

code_rows.dptda_memory_rows <- function(rows, schema, sizes) {
  if (is.matrix(rows$data)) rows$data <- lapply(seq_len(ncol(rows$data)), function(j) rows$data[, j])
  codes <- vapply(seq_along(sizes), function(i) column_codes(rows, i, schema$columns[[i]]), integer(memory_count(rows)))
  coded <- list(sizes = sizes, n = as.double(rows$n), codes = matrix(codes, ncol = length(sizes)))
  if (is.null(rows$person)) return(coded)
  structure(add_people(coded, rows$n, rows$person, rows$take, rows$complete, rows$owner), class = "dptda_people_codes")
}

# Converts coded rows to rows in memory whose columns are the codes.
code_columns <- function(coded) {
  columns <- lapply(seq_len(ncol(coded$codes)), function(j) coded$codes[, j])
  rows <- list_rows(columns, names(coded$sizes))
  add_people(rows, coded$n, coded$person, coded$take, coded$complete, coded$owner)
}

weigh_rows.dptda_people_codes <- function(rows, weight) {
  if (!is.null(rows$owner)) rows$weight <- weigh_rows(code_columns(rows), weight)$weight
  rows
}

settle_rows.dptda_people_codes <- function(rows, rng) {
  settled <- settle_rows(code_columns(rows), rng)
  rows["owner"] <- list(settled$owner)
  rows$codes <- matrix(unlist(settled$data, use.names = FALSE), ncol = length(rows$sizes))
  rows
}

# The weights of coded rows.
code_weights <- function(coded) {
  coded <- unclass(coded) # models have other methods
  weights_of(coded[["owner"]], coded[["weight"]], "x")
}

# Returns the codes if each row is a unit.
unit_codes <- function(coded) {
  if (!is.null(unclass(coded)[["owner"]])) stop_argument("x", "must have one row per person for this method.")
  coded$codes
}

# Returns the public part of coded rows, which planners take instead of the rows. `units` includes the exact number of
# units, because models and scores need it.
public_part <- function(coded, schema = coded$schema, units = check_public_units(public_units(coded), exact = TRUE)) {
  list(sizes = coded$sizes, n = coded$n, units = units, caveat = schema_caveat(schema), schema = schema,
       reading = if (is.null(coded$reading)) memory_reading else coded$reading)
}

# Limits in memory: the number of candidates, and the cells of all candidates of three columns together. One hundred
# columns have 166,750 candidates.
most_candidates <- 20000
most_candidate_cells <- 2^26

# Returns the units. In objects made by hand, each row is a unit.
domain_units <- function(domain) if (is.null(domain$units)) check_public_units(domain$n) else domain$units

# How rows can be read, which is public. `once`: all counts come from one reading. `batches`: rows can be read a few
# at a time. `candidates`: the largest number of sets of columns to count. Coded rows have a field `reading` if it
# differs from rows in memory.
memory_reading <- list(once = TRUE, batches = TRUE, candidates = most_candidates)

# A database reads rows again for each table. A view may draw random numbers, and without a transaction a row may
# change between two statements.
database_reading <- list(once = FALSE, batches = FALSE, candidates = 2000)

# Returns the schema's columns, by name, from a table or from a matrix with column names.
schema_rows <- function(data, schema, arg) {
  if (is.matrix(data) && !is.object(data) && is.atomic(data) && are_names(colnames(data))) {
    refuse_scaled(data, arg)
    data <- as.data.frame(data)
  }
  if (!is_table(data)) stop_argument(arg, "must be a data frame or a table, not ", describe_data(data), ".")
  absent <- setdiff(names(schema$columns), table_columns(data))
  if (length(absent)) {
    stop_argument("schema", "has a column `", absent[1], "`, but `", arg, "` does not. Its columns are ",
                  quote_names(table_columns(data)), ".")
  }
  rows <- read_table(data, names(schema$columns), arg)
  rows$advice <- c(vapply(names(schema$columns), function(name) cell_for_missing(schema$columns[[name]], name), ""),
                   ". Write missing = \"level\" in its column of the schema for a cell of their own")
  class_rows(rows, vapply(schema$columns, schema_class, ""))
}

# Advice on missing values, with a column of the schema that has a cell for them.
cell_for_missing <- function(column, name) {
  maker <- switch(column$type, logical = "schema_logical(", categorical = , ordered = "schema_categorical(..., ",
                  numeric = if (identical(column$holds, "Date")) "schema_date(..., " else "schema_numeric(..., ")
  paste0(". Write ", show_name(name), " = ", maker, "missing = \"level\") in the schema ",
         "for a cell of their own")
}

# The class of the column's numbers, or NA if it has levels.
schema_class <- function(column) {
  if (!is.null(column$holds)) column$holds else if (column$type == "numeric") "number" else NA_character_
}

column_codes <- function(rows, place, column) {
  x <- rows$data[[place]]
  if (!is.na(column$missing)) return(axis_codes_absent(x, list(inner = column$axis, absent = column$missing)))
  if (any(is_absent(x))) refuse_missing(NULL, rows)
  as.integer(axis_codes(x, column$axis))
}

# Counts rows by combination of codes of some columns (names or places), the first column fastest. For people, sums
# the weights of rows.
joint_counts <- function(source, columns) joint_counts_all(source, list(scope_places(columns, source)))[[1]]

# Counts many scopes (places of columns): in memory together, in a database with several per statement.
joint_counts_all <- function(source, scopes) {
  cells <- vapply(scopes, function(scope) prod(source$sizes[scope]), 0)
  if (any(cells > max_cells)) {
    stop_argument("schema", "needs a joint count with ", format(max(cells), digits = 3), " cells, but at most ",
                  format(max_cells), " are possible. Use fewer cells.")
  }
  count_scopes(source, scopes)
}

count_scopes <- function(source, scopes) UseMethod("count_scopes")

count_scopes.default <- function(source, scopes) {
  .Call(ffi_publish_joint_counts, source$codes, unname(source$sizes), code_weights(source), scopes,
        kernel_options(progress = kernel_progress("Counts")))
}

# Returns coded rows that can be counted, for draw_release(). Tests a database before anything is spent.
ready_source <- function(source) UseMethod("ready_source")

ready_source.default <- function(source) source

scope_places <- function(columns, source) {
  if (is.character(columns)) match(columns, names(source$sizes)) else as.integer(columns)
}

# The most cells of a table that combines scopes.
most_cover_cells <- 2^18

cover_scopes <- function(scopes, sizes) {
  scopes <- unique(lapply(scopes, sort.int))
  tables <- list()
  for (scope in scopes[order(-vapply(scopes, function(scope) prod(sizes[scope]), 0))]) {
    fits <- vapply(tables, function(table) prod(sizes[union(table, scope)]) <=
                   max(most_cover_cells, prod(sizes[table])), NA)
    if (any(fits)) {
      first <- which(fits)[1]
      tables[[first]] <- sort.int(union(tables[[first]], scope))
    } else {
      tables <- c(tables, list(scope))
    }
  }
  # a table needs at least one column
  if (length(tables) == 1 && length(tables[[1]]) == 0) list(1L) else tables
}

# Sums counts of the columns `table` to counts of the columns `scope`, in the order of the scope.
sum_counts <- function(counts, table, scope, sizes) {
  if (identical(table, scope)) return(counts)
  if (length(scope) == 0) return(sum(counts))
  cube <- array(counts, sizes[table])
  kept <- match(scope, table)
  others <- setdiff(seq_along(table), kept)
  rowSums(matrix(aperm(cube, c(kept, others)), prod(sizes[scope])))
}

# Converts codes to a data frame. Numbers are uniform within their cell, unless `within` gives the position of each
# row along its cell, in [0, 1).
decode_table <- function(codes, schema, rng, within = NULL) {
  columns <- Map(function(j, column) decode_column(codes[, j], column, rng, within), seq_along(schema$columns),
                 schema$columns)
  structure(columns, names = names(schema$columns), row.names = .set_row_names(nrow(codes)), class = "data.frame")
}

decode_column <- function(code, column, rng, within) {
  if (has_missing_cell(column)) code[code == column$missing] <- NA
  if (column$type == "logical") return(code == 1)
  if (column$type == "numeric") {
    numbers <- decode_numbers(code, column, rng, within)
    return(if (is.null(column$holds)) numbers else in_class(numbers, column$holds))
  }
  # factor() would match a million strings
  structure(as.integer(code) + 1L, levels = column$axis$names,
            class = c(if (column$type == "ordered") "ordered", "factor"))
}

decode_numbers <- function(code, column, rng, within) {
  if (is.null(within)) within <- draw_uniform(length(code), rng)
  lower <- column$breaks[code + 1]
  upper <- column$breaks[code + 2]
  if (!column$whole) return(pmin(lower + within * (upper - lower), upper))
  wholes <- cell_wholes(column$breaks)
  wholes$first[code + 1] + floor(within * wholes$count[code + 1])
}
