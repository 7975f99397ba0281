# Columns of every type of numbers, as their doubles: each break, its neighbors and whole numbers beside it fall into
# the same cells, and have the same sums, as in memory.

column_types <- list(
  sqlite = c("INTEGER", "REAL", "NUMERIC"),
  postgres = c("SMALLINT", "INTEGER", "BIGINT", "REAL", "DOUBLE PRECISION", "NUMERIC", "NUMERIC(12, 3)"),
  duckdb = c("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "UINTEGER", "UBIGINT", "FLOAT",
             "DOUBLE", "DECIMAL(4, 1)", "DECIMAL(18, 6)")
)

# What a type can hold, or that it holds anything.
type_range <- function(type) {
  known <- list(TINYINT = c(-128, 127), SMALLINT = c(-2^15, 2^15 - 1), INTEGER = c(-2^31, 2^31 - 1),
                BIGINT = c(-2^62, 2^62), HUGEINT = c(-1e37, 1e37), UTINYINT = c(0, 255), UINTEGER = c(0, 2^32 - 1),
                UBIGINT = c(0, 2^62), REAL = c(-1e38, 1e38), FLOAT = c(-1e38, 1e38),
                "DECIMAL(4, 1)" = c(-999, 999), "DECIMAL(18, 6)" = c(-1e11, 1e11), "NUMERIC(12, 3)" = c(-1e8, 1e8))
  if (is.null(known[[type]])) c(-Inf, Inf) else known[[type]]
}

for (database in names(column_types)) {
  test_that(paste("numbers of each type fall where memory has them:", database), {
    con <- list(sqlite = local_sqlite, postgres = local_postgres, duckdb = local_duckdb)[[database]]()
    as_double <- c(sqlite = "CAST(x AS REAL)", postgres = "CAST(x AS DOUBLE PRECISION)", duckdb = "CAST(x AS DOUBLE)")
    all_breaks <- list(seq(-20, 40, 3), 0.1 * (-20:30), (0:9) / 3 - 2, c(0, 1, 2, 2.9, 4, 5, 6), 2^31 + -5:5,
                       2^53 + 2 * (0:9))
    types <- column_types[[database]]
    for (type in types) {
      range <- type_range(type)
      for (breaks in all_breaks[long_or(1:6, c(2, 6)[1 + match(type, types) %% 2])]) {
        x <- c(breaks, double_below(breaks), -double_below(-breaks), round(breaks), floor(breaks) + 1, 0, 100, range)
        x <- x[is.finite(x) & x >= range[1] & x <= range[2]]
        if (type %in% c("REAL", "FLOAT")) x <- x[x == 0 | abs(x) > 1e-37]
        words <- sprintf("%.17g", x)
        if (database == "duckdb") words <- paste0("CAST(CAST('", words, "' AS DOUBLE) AS ", type, ")")
        DBI::dbExecute(con, "DROP TABLE IF EXISTS people")
        DBI::dbExecute(con, paste0("CREATE TABLE people (x ", type, ")"))
        DBI::dbExecute(con, paste0("INSERT INTO people VALUES ", paste0("(", words, ")", collapse = ", ")))
        memory <- table_rows(DBI::dbGetQuery(con, paste("SELECT", as_double[[database]], "AS x FROM people")))
        rows <- table_rows(dplyr::tbl(con, "people"), "x")
        ends <- range(breaks)
        levels <- breaks[!duplicated(number_keys(breaks))]
        axes <- list(axis_intervals(breaks), axis_cells(ends[1], ends[2], 13), axis_levels(levels),
                     axis_nearest(seq(ends[1], ends[2], length.out = 7)))
        tables <- lapply(axes, function(axis) cell_table(list(axis)))
        expect_identical(count_rows(rows, tables), count_rows(memory, tables), info = paste(type, breaks[1]))
        lattice <- public_lattice(domain_box(ends[1], ends[2]), 20)
        expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice), info = paste(type, breaks[1]))
      }
    }
  })
}
