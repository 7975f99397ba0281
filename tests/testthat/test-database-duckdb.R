# What DuckDB has of its own. That it gives what memory gives is tested beside the other databases, where it is there.

bad <- function(expr, words) expect_error(expr, words, class = "dptda_error_argument")

typed <- function(con, words, name = "people") {
  DBI::dbExecute(con, paste("CREATE TABLE", name, "AS SELECT", words))
  dplyr::tbl(con, name)
}

test_that("numbers of all types are doubles, and cells are those of memory", {
  con <- local_duckdb()
  types <- c("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "UBIGINT", "FLOAT", "DOUBLE",
             "DECIMAL(9, 2)", "DECIMAL(38, 10)")
  words <- paste0("CAST(i AS ", types, ") AS c", seq_along(types), collapse = ", ")
  people <- typed(con, paste(words, "FROM range(100) t(i)"))
  for (place in seq_along(types)) {
    rows <- table_rows(people, paste0("c", place))
    expect_identical(rows$types, "number", info = types[place])
    counts <- count_rows(rows, list(cell_table(list(axis_intervals(seq(0, 99, 3))))))[[1]]$count
    expect_identical(counts, c(rep(3, 32), 4), info = types[place])
    expect_identical(sum_rows(rows, list(step = 0.5, first = 20, last = 100))[1],
                     sum(pmin(pmax(2 * (0:99), 20), 100) - 20), info = types[place])
  }
})

test_that("numbers beyond all, none and absent ones", {
  con <- local_duckdb()
  hard <- c("'inf'", "'-inf'", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "-5e-324", "0.3", "1e300")
  values <- paste0("(CAST(", hard, " AS DOUBLE))", collapse = ", ")
  people <- typed(con, paste0("x FROM (VALUES ", values, ") t(x)"))
  x <- c(Inf, -Inf, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.3, 1e300)
  rows <- table_rows(people, "x")
  memory <- table_rows(data.frame(x = x))
  breaks <- list(seq(0, 1, 0.1), seq(-5, 5, 1), c(-1, 0, 0.2, 5), seq(-8e303, 8e303, 1e303),
                 seq(-1e-300, 1e-300, 1e-301))
  tables <- c(lapply(breaks, function(breaks) cell_table(list(axis_intervals(breaks)))),
              list(cell_table(list(axis_cells(-1e308, 7e307, 17))), cell_table(list(axis_nearest(seq(-1, 1, 0.125))))))
  expect_identical(count_rows(rows, tables), count_rows(memory, tables))
  for (absent in c("'nan'", "NULL")) {
    DBI::dbExecute(con, "DROP TABLE IF EXISTS holes")
    holes <- typed(con, paste0("x FROM (VALUES (CAST(1 AS DOUBLE)), (CAST(", absent, " AS DOUBLE))) t(x)"), "holes")
    budget <- privacy_budget(epsilon = 1)
    bad(private_histogram(holes, 0:9, 1, columns = "x", budget = budget), "missing")
    bad(private_mean(holes, c(0, 1), 1, columns = "x", budget = budget), "missing")
    expect_identical(nrow(budget$ledger), 0L)
    left <- private_histogram(table_rows(holes, "x", missing = "omit"), 0:9, 1e9)
    expect_identical(sum(left$value), 1)
  }
})

test_that("what is near the cells, far from them or left out has the cell and the step that it has in memory", {
  con <- local_duckdb()
  x <- c(-6e8, -5e8, -2^29, -1, 0, 0.5, 99.5, 100, 101, 250, 1e6, 2^29, 5e8, 6e8, 1e300, Inf, -Inf)
  DBI::dbWriteTable(con, "near", data.frame(x = c(x, NA, NaN), y = 1))
  DBI::dbWriteTable(con, "there", data.frame(x = x, y = 1))
  breaks <- lapply(list(0:100, seq(0, 100, length.out = 98), seq(-1e8, 1e8, 1e7)), axis_intervals)
  tables <- c(lapply(breaks, function(axis) cell_table(list(axis))), list(cell_table(breaks[1:2], c(1, 1))))
  lattice <- list(step = 2^-13, first = 0, last = 819200)
  memory <- table_rows(data.frame(x = x))
  for (missing in c("error", "omit")) {
    rows <- table_rows(dplyr::tbl(con, if (missing == "omit") "near" else "there"), "x", missing = missing)
    expect_identical(count_rows(rows, tables), count_rows(memory, tables))
    expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice))
  }
  # what is left out has the cell behind the last one, and nothing else has it
  counts <- count_rows(rows, tables[1])[[1]]
  expect_identical(c(sum(counts$count), counts$count[counts$cell == 100]), c(17, 10))
})

test_that("texts and enums are categories, whatever the collation", {
  con <- local_duckdb()
  DBI::dbExecute(con, "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
  people <- typed(con, paste("CAST(['sad', 'ok', 'happy'][1 + i % 3] AS mood) AS m, ['a', 'A'][1 + i % 2] AS s",
                             "FROM range(60) t(i)"))
  expect_identical(as.double(private_table(people, c("happy", "sad"), 1e9, columns = "m")$value), c(20, 20, 20))
  DBI::dbExecute(con, "CREATE TABLE folded (s VARCHAR COLLATE NOCASE)")
  DBI::dbExecute(con, "INSERT INTO folded SELECT s FROM people")
  for (table in list(people, dplyr::tbl(con, "folded"))) {
    expect_identical(as.double(private_table(table, c("A", "B"), 1e9, columns = "s")$value), c(30, 0, 30))
  }
})

# Of each type one value, and what it is taken for: a number, a truth, a text, a day or a time, whose people may have
# rows ("p"), or nothing.
column_types <- list(
  c("TINYINT", "1", "np"), c("SMALLINT", "1", "np"), c("INTEGER", "1", "np"), c("BIGINT", "1", "np"),
  c("HUGEINT", "1", "n"), c("UTINYINT", "1", "np"), c("USMALLINT", "1", "np"), c("UINTEGER", "1", "np"),
  c("UBIGINT", "1", "n"), c("UHUGEINT", "1", "n"), c("FLOAT", "1", "n"), c("DOUBLE", "1", "n"),
  c("DECIMAL(4, 1)", "1", "n"), c("DECIMAL(38, 5)", "1", "n"), c("BOOLEAN", "TRUE", "nb"), c("VARCHAR", "'a'", "tp"),
  c("ENUM ('a', 'b')", "'a'", "tp"), c("UUID", "uuid()", "tp"), c("JSON", "'{}'", "tp"),
  c("DATE", "'2020-01-01'", "d"), c("TIMESTAMP", "'2020-01-01'", "s"), c("TIMESTAMPTZ", "'2020-01-01'", "s"),
  c("TIMESTAMP_S", "'2020-01-01'", "s"), c("TIMESTAMP_MS", "'2020-01-01'", "s"),
  c("TIMESTAMP_NS", "'2020-01-01'", "s"), c("TIME", "'01:00:00'", ""), c("TIMETZ", "'01:00:00'", ""),
  c("INTERVAL", "'1 day'", ""), c("BLOB", "'a'", ""), c("INTEGER[]", "[1]", ""), c("STRUCT(a INTEGER)", "{'a': 1}", ""),
  c("MAP(VARCHAR, INTEGER)", "MAP {'a': 1}", ""), c("STRUCT(a INTEGER[])[]", "[{'a': [1]}]", "")
)

test_that("columns of every type are answered, or refused by name before anything is spent", {
  con <- local_duckdb()
  days <- as.Date(c("2019-01-01", "2021-01-01"))
  asked <- list(
    n = function(x, budget) private_mean(x, domain_box(c(odd = 0), 2), 1, budget = budget),
    b = function(x, budget) private_count(x, 1, columns = "odd", budget = budget),
    t = function(x, budget) private_table(x, list(odd = c("a", "b")), 1, budget = budget),
    d = function(x, budget) private_histogram(x, days, 1, columns = "odd", budget = budget),
    s = function(x, budget) private_histogram(x, as.POSIXct(days), 1, columns = "odd", budget = budget),
    p = function(x, budget) private_histogram(table_rows(x, "id", person = "odd"), 0:3, 1, budget = budget)
  )
  json <- DBI::dbGetQuery(con, "SELECT loaded FROM duckdb_extensions() WHERE extension_name = 'json'")$loaded
  for (type in column_types) {
    if (type[1] == "JSON" && !isTRUE(json)) next # an extension, which is fetched where it was not built in
    DBI::dbExecute(con, "DROP TABLE IF EXISTS people")
    DBI::dbExecute(con, paste0("CREATE TABLE people AS SELECT CAST(", type[2], " AS ", type[1], ") AS odd, i AS id ",
                               "FROM range(3) t(i)"))
    for (kind in names(asked)) {
      budget <- if (kind == "p") privacy_budget(epsilon = 1, relation = "person", person = "odd") else
        privacy_budget(epsilon = 1)
      outcome <- tryCatch({
        asked[[kind]](dplyr::tbl(con, "people"), budget)
        "answered"
      }, dptda_error_argument = function(cnd) if (grepl("odd|person", conditionMessage(cnd))) "refused")
      # a table of levels takes numbers, too
      taken <- grepl(kind, type[3]) || kind == "t" && type[3] %in% c("n", "np", "nb")
      expect_identical(outcome, if (taken) "answered" else "refused", info = paste(type[1], kind))
      expect_identical(nrow(budget$ledger), as.integer(taken), info = paste(type[1], kind))
    }
  }
})

test_that("what is no value of R is refused by the name of its column, before anything is spent", {
  con <- local_duckdb()
  people <- typed(con, paste("1 AS x, [1, 2] AS list, {'a': 1} AS struct, MAP {'a': 1} AS map, 'a'::BLOB AS blob,",
                             "INTERVAL 1 DAY AS span"))
  budget <- privacy_budget(epsilon = 1)
  for (column in c("list", "struct", "map", "blob", "span")) {
    bad(private_histogram(people, 0:9, 1, columns = column, budget = budget), column)
    bad(private_mean(people, c(0, 1), 1, columns = column, budget = budget), column)
    bad(private_table(people, "a", 1, columns = column, budget = budget), column)
  }
  expect_identical(nrow(budget$ledger), 0L)
  expect_identical(table_rows(people, "x")$n, 1)
})

test_that("days and times without end are at the ends", {
  con <- local_duckdb()
  people <- typed(con, paste("CAST(d AS DATE) AS d, CAST(d AS TIMESTAMP) AS t",
                             "FROM (VALUES ('infinity'), ('-infinity'), ('2020-06-01'), ('0044-03-15 (BC)'),",
                             "('1969-12-31')) v(d)"))
  days <- as.Date("2020-01-01") + 0:366
  expect_identical(unname(private_histogram(people, range(days), 1e9, columns = "d")$value), 5)
  found <- private_histogram(people, as.Date(c("1960-01-01", "1970-01-01", "2020-06-01", "2021-01-01")), 1e9,
                             columns = "d")$value
  expect_identical(unname(found), c(3, 0, 2))
  times <- as.POSIXct(c("1960-01-01", "1970-01-01", "2020-06-01", "2021-01-01"), tz = "UTC")
  expect_identical(unname(private_histogram(people, times, 1e9, columns = "t")$value), c(3, 0, 2))
})

test_that("a transaction of the user's stays as it is", {
  con <- local_duckdb(data.frame(x = 1:10))
  people <- dplyr::tbl(con, "people")
  DBI::dbBegin(con)
  DBI::dbExecute(con, "INSERT INTO people VALUES (11)")
  expect_identical(sum(private_histogram(people, 0:20, 1e9, columns = "x")$value), 11)
  DBI::dbRollback(con)
  expect_identical(sum(private_histogram(people, 0:20, 1e9, columns = "x")$value), 10)
})

test_that("a Parquet file is a table", {
  expect_false(is_parquet("people.csv"))
  expect_false(is_parquet(c("a.parquet", "b.parquet")))
  con <- local_duckdb(data.frame(age = 0:99, sex = c("f", "m")))
  folder <- withr::local_tempdir("it's ")
  file <- file.path(folder, "people.parquet")
  DBI::dbExecute(con, paste("COPY people TO", DBI::dbQuoteString(con, file), "(FORMAT parquet)"))
  rows <- table_rows(file, "age")
  expect_identical(rows$n, 100)
  expect_identical(sum(private_histogram(rows, seq(0, 100, 10), 1e9)$value), 100)
  # the name of a file is no pattern, whatever is in it
  for (name in c("\u03a9 \"b\".parquet", "a[1].parquet", "peopl*.parquet", "peopl?.PARQUET")) {
    odd <- file.path(folder, name)
    DBI::dbExecute(con, paste("COPY (SELECT 1 AS age) TO", DBI::dbQuoteString(con, odd), "(FORMAT parquet)"))
    expect_identical(table_rows(odd, "age")$n, 1)
    file.remove(odd)
  }
  dir.create(file.path(folder, "empty"))
  bad(table_rows(file.path(folder, "empty", "*.parquet")), "existing Parquet file")
  expect_identical(table_rows(dplyr::tbl(con, dplyr::sql(paste0(
    "SELECT * FROM read_parquet(", DBI::dbQuoteString(con, file.path(folder, "*.parquet")), ")"
  ))), "age")$n, 100)
  both <- table_rows(file.path(folder, "*.parquet"))
  expect_identical(both$columns, c("age", "sex"))
  bad(table_rows(file.path(folder, "none.parquet")), "existing Parquet file")
  broken <- file.path(folder, "broken.parquet")
  writeLines("age", broken)
  expect_error(table_rows(broken), "Parquet", class = "dptda_error_database")
})

test_that("without DuckDB a Parquet file is refused by the name of the package", {
  skip_if(requireNamespace("duckdb", quietly = TRUE), "DuckDB is there")
  expect_error(table_rows("people.parquet"), "duckdb", class = "dptda_error_database")
})
