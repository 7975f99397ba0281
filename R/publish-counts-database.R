# Coded rows of a database, which stay there: `rows`, and `axes` with a cell for each code. The methods are the verbs
# of coded rows (publish-codes.R), by counts of cells (database-counts.R).

code_rows.dptda_database_rows <- function(rows, schema, sizes) {
  coded <- list(sizes = sizes, n = rows$n, rows = rows, axes = lapply(schema$columns, database_axis),
                reading = database_reading)
  structure(c(coded, unclass(rows)[c("person", "take", "complete")]), class = "dptda_database_codes")
}

# Weights the rows of people in the order of all of their codes, as in memory, or takes one row of each.
weigh_rows.dptda_database_codes <- function(rows, weight) {
  rows$rows <- weigh_in_order(rows$rows, weight, code_words(rows))
  rows
}

code_words <- function(coded) {
  maps <- Map(sql_axis, coded$axes, seq_along(coded$axes), MoreArgs = list(rows = coded$rows))
  vapply(maps, function(map) if (is.null(map$present)) map$cell else sql_case(map$present, map$cell), "")
}

settle_rows.dptda_database_codes <- function(rows, rng) {
  rows$rows <- settle_in_database(rows$rows, rng, which(vapply(rows$axes, function(axis) is.null(axis$inner), NA)))
  rows
}

in_one_state.dptda_database_codes <- function(rows, code) in_one_state(rows$rows, code)

asks_database.dptda_database_codes <- function(statistic) TRUE

# Returns the axis of a column, with a cell for missing values if it has one.
database_axis <- function(column) {
  if (is.na(column$missing)) return(column$axis)
  list(size = column$size, inner = column$axis, absent = column$missing)
}

# The most tables in one statement: dbplyr takes longer to write many than a database to count them. For people,
# weights need terms for the codes of all columns, so one table is long enough.
most_tables <- 10

tables_at_once <- function(source) if (is_weighed(source$rows)) 1 else most_tables

# Combines scopes into tables with few cells, and sums these. A database spends most of its time on reading rows,
# again for each table.
count_scopes.dptda_database_codes <- function(source, scopes) {
  tables <- cover_scopes(scopes, source$sizes)
  counted <- lapply(split(seq_along(tables), (seq_along(tables) - 1) %/% tables_at_once(source)), function(some) {
    cells <- lapply(tables[some], function(table) cell_table(unname(source$axes[table]), table))
    found <- count_rows(source$rows, cells)
    Map(function(found, table) dense_counts(found, prod(source$sizes[table])), found, tables[some])
  })
  counted <- unlist(unname(counted), recursive = FALSE)
  home <- vapply(scopes, function(scope) which(vapply(tables, function(table) all(scope %in% table), NA))[1], 0L)
  Map(function(scope, home) sum_counts(counted[[home]], tables[[home]], scope, source$sizes), scopes, home)
}

# Counts all columns once before anything is spent, which finds missing values and unsupported statements. Later
# statements combine columns and may be longer, so the longest is tried too. If rows can change, a value that becomes
# missing later causes no error: the row counts in the first cell.
ready_source.dptda_database_codes <- function(source) {
  refusing <- source
  source$axes <- lapply(source$axes, total_axis)
  longest <- longest_table(source$sizes)
  if (sum(source$sizes[longest]) > most_plain_cells || is_weighed(source$rows)) {
    try_count(source$rows, cell_table(unname(source$axes[longest]), longest), tables_at_once(source) - 1)
  }
  joint_counts_all(refusing, as.list(seq_along(source$sizes)))
  source$rows <- charged_rows(source$rows)
  source
}

total_axis <- function(axis) if (is.null(axis$inner)) list(size = axis$size, inner = axis, absent = 0) else axis

# Statements for columns with so few cells are short.
most_plain_cells <- 500

longest_table <- function(sizes) {
  first <- order(-sizes)
  first[cumprod(as.double(sizes[first])) <= most_network_cells]
}
