# Coded rows of a database, which stay there: `rows`, and `axes` with a cell for each code. What is done to them are the
# verbs of coded rows (publish-codes.R), by counts of cells (database-counts.R).

code_rows.dptda_database_rows <- function(rows, schema, sizes) {
  coded <- list(sizes = sizes, n = rows$n, rows = rows, axes = lapply(schema$columns, database_axis),
                reading = database_reading)
  structure(c(coded, unclass(rows)[c("person", "take", "complete")]), class = "dptda_database_codes")
}

# Of people: the rows themselves are weighed, in the order of all of their codes, as in memory, or one of each is taken.
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

# An axis has a cell for missing values.
database_axis <- function(column) {
  if (is.na(column$missing)) return(column$axis)
  list(size = column$size, inner = column$axis, absent = column$missing)
}

# Tables in one statement: many of them take dbplyr longer to write than a database to count. Of people each has what
# weighs its rows, with words for the codes of all columns: one table is long enough.
most_tables <- 10

tables_at_once <- function(source) if (is_weighed(source$rows)) 1 else most_tables

# Scopes are put together, as long as a table has few cells, and added up from there: most of the time a database takes
# is for the rows, and for each table anew.
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

# All columns are counted once before anything is spent, which finds missing values and whatever else the database will
# not do. Longer statements than these may follow, of the longest columns together. A row that has a missing value since
# then, where a database does not hold rows still, fails nothing: it counts in the first cell.
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

# Statements of columns of so few cells are short.
most_plain_cells <- 500

longest_table <- function(sizes) {
  first <- order(-sizes)
  first[cumprod(as.double(sizes[first])) <= most_network_cells]
}
