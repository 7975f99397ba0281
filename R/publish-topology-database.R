# Rows of a database in the plane. SQL sums one number for each code of a row, like project_codes(). The result is a
# lazy table of two columns, which counts of cells and rounds accept like any other.
#
# A separate subquery computes codes, so that the number of a code is found among integers instead of texts. Limits
# that no table reaches keep databases from computing inner columns again for each use. Users of places clamp them to
# the box.

# The sums of the rows. Before anything is spent, the database computes them, and tries later statements with a
# similar plane.
topology_statistic.dptda_database_codes <- function(source, plan) {
  sums <- moment_sums(source, plan$moments$book)
  trial <- database_places(source, trial_tables(plan$moments$book))
  check_reading(as_pieces(trial), count_rounds(plan$mixture), each_round = TRUE)
  if (has_diagram(plan)) try_count(trial, plane_cells(plan), 0)
  source$rows <- charged_rows(source$rows)
  list(sums = sums, coded = source)
}

# Rounds read the places piece by piece.
plane_places.dptda_database_codes <- function(coded, plane, book, side) {
  as_pieces(database_places(coded, plane_tables(plane, book)))
}

# Constants with all digits.
trial_tables <- function(book) {
  numbers <- function(column, axis) seq_len(nrow(column$whole)) / (axis + 6)
  lapply(1:2, function(axis) list(center = 1 / 7, tables = lapply(book$columns, numbers, axis)))
}

# `tables`: from plane_tables().
database_places <- function(source, tables) {
  rows <- source$rows
  dialect <- rows$dialect
  kept <- lapply(c(if (!is.null(rows$partition)) c(part_of_rows = "part_of_rows"), person_names(rows)), as.name)
  limited <- function(table) if (!dialect$limits) table else utils::head(table, most_rows)
  step <- function(table, words) limited(do.call(dplyr::transmute, c(list(table), kept, lapply(words, dbplyr::sql))))
  maps <- Map(sql_axis, source$axes, seq_along(rows$columns), MoreArgs = list(rows = rows))
  codes <- vapply(maps, function(map) if (is.null(map$present)) map$cell else sql_case(map$present, map$cell), "")
  names(codes) <- paste0("code", seq_along(maps))
  coded <- limited(table_of_query(mapped_query(rows, codes), c(names(kept), names(codes)), rows))
  code <- fill_word(dialect$quoted, names(codes))
  numbers <- unlist(lapply(seq_along(tables), function(i) {
    words <- unlist(Map(number_word, code, tables[[i]]$tables, MoreArgs = list(dialect = dialect)))
    structure(words, names = paste("number", i, seq_along(words), sep = "_"))
  }))
  places <- vapply(seq_along(tables), function(i) {
    # databases may read the constants as decimals
    own <- sql_double(fill_word(dialect$quoted, paste("number", i, seq_along(maps), sep = "_")), dialect)
    paste0("(", paste(own, collapse = " + "), ") - ", sql_number(flush_to_zero(tables[[i]]$center), dialect))
  }, "")
  names(places) <- paste0("place", seq_along(places))
  rows[c("columns", "types", "table")] <- list(names(places), rep("number", length(places)),
                                               step(step(coded, numbers), places))
  if (!is.null(rows$partition)) rows$partition <- "part_of_rows"
  if (!is.null(rows$weight)) rows$weight_names <- person_names(rows)
  rows
}

# The number of a code. Missing values were found before anything was spent. If rows can change, a value that becomes
# missing later counts as 0 and causes no error.
number_word <- function(code, table, dialect) {
  found <- sql_search(code, cell_numbers(seq_along(table)[-1] - 1, dialect), sql_number(flush_to_zero(table), dialect))
  sql_case(paste(code, ">=", cell_numbers(0, dialect)), found, sql_number(0, dialect))
}

# Cells for the diagram, from a grid eight times as fine as its own.
plane_points <- function(plan) {
  lapply(plan$diagram$grid$axes, function(axis) seq(axis[1], axis[length(axis)], length.out = 8 *
                                                    (length(axis) - 1) + 1))
}

plane_cells <- function(plan) cell_table(lapply(plane_points(plan), axis_nearest))

# Rows of a plane for the diagram, each moved separately to the nearest of these points.
plane_cloud.dptda_database_rows <- function(x, plan) {
  counts <- count_rows(x, list(plane_cells(plan)))[[1]]
  list(points = cell_points(counts$cell, plane_points(plan)), weights = counts$count, total = x$n, binned = TRUE)
}
