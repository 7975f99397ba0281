# What PostgreSQL has of its own: decimals, collations, roles, connections that drop, and interrupts.

bad <- function(expr) expect_error(expr, class = "dptda_error_argument")
broken <- function(expr) expect_error(expr, class = "dptda_error_database")

test_that("PostgreSQL: decimals, narrow numbers, logical values and every kind of text", {
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE TABLE people (d NUMERIC, f REAL, i SMALLINT, b BIGINT, t BOOLEAN, c CHAR(4), v VARCHAR)")
  DBI::dbExecute(con, "INSERT INTO people VALUES
                       (0.30000000000000004, 0.5, 3, 9007199254740993, TRUE, 'ab', 'ab'),
                       (1e400, 'Infinity', -3, -9223372036854775808, FALSE, 'AB', 'AB'),
                       (-1e-400, -1, 0, 0, TRUE, '', '')")
  table <- dplyr::tbl(con, "people")
  sure <- 1e100
  sums <- function(column, box = domain_box(-4, 4))
    unname(private_sum(table, box, sure, columns = column, bits = 3)$value)
  expect_identical(sums("d"), 4)
  expect_identical(sums("f"), 4)
  expect_identical(sums("i"), 0)
  expect_identical(sums("b"), 0)
  expect_identical(unname(private_table(table, columns = "d", levels = c(0.3, 0), epsilon = sure)$value),
                   c(1, 1, 1))
  # decimals around the least double and the greatest one are the nearest doubles
  edges <- c("1.7976931348623157e308", "-1.79769313486231575e308", "1.7976931348623160e308", "-1.8e308",
             "4.9406564584124654e-324", "-2.5e-324", "2.4e-324", "-1e-330")
  ends <- local_postgres()
  DBI::dbExecute(ends, "CREATE TABLE people (d NUMERIC)")
  DBI::dbExecute(ends, paste0("INSERT INTO people VALUES ", paste0("(", edges, ")", collapse = ", ")))
  most <- .Machine$double.xmax
  cells <- cell_table(list(axis_cuts(c(-most, -2^-1073, -2^-1074, 0, 2^-1074, 2^-1073, most))))
  nearest <- data.frame(x = c(most, -most, Inf, -Inf, 2^-1074, -2^-1074, 0, 0))
  expect_identical(count_rows(table_rows(dplyr::tbl(ends, "people"), "d"), list(cells)),
                   count_rows(table_rows(nearest), list(cells)))
  expect_identical(private_count(table, sure, columns = "t")$value, 2)
  expect_identical(unname(private_table(table, columns = "t", levels = TRUE, epsilon = sure)$value), c(2, 1))
  for (column in c("c", "v")) {
    expect_identical(unname(private_table(table, columns = column, levels = c("ab", ""), epsilon = sure)$value),
                     c(1, 1, 1))
  }
  for (value in c("'NaN'", "NULL")) {
    DBI::dbExecute(con, "DELETE FROM people WHERE i = 9")
    DBI::dbExecute(con, paste0("INSERT INTO people VALUES (", value, ", ", value, ", 9, 0, TRUE, 'z', 'z')"))
    for (column in c("d", "f")) {
      bad(private_sum(table, domain_box(0, 1), 1, columns = column))
      bad(private_table(table, columns = column, levels = 1, epsilon = 1))
      bad(private_bounds(table, 1e3, columns = column))
    }
  }
})

test_that("PostgreSQL: a collation that ignores case merges no levels", {
  con <- local_postgres()
  made <-
    try(DBI::dbExecute(con,
                       "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"),
              silent = TRUE)
  skip_if(inherits(made, "try-error"), "this PostgreSQL has no ICU")
  DBI::dbExecute(con, "CREATE TABLE people (s TEXT COLLATE nocase)")
  DBI::dbExecute(con, "INSERT INTO people VALUES ('a'), ('A'), ('b'), ('a')")
  table <- dplyr::tbl(con, "people")
  expect_identical(unname(private_table(table, columns = "s", levels = c("A", "a", "b"), epsilon = 1e100)$value),
                   c(1, 2, 1, 0))
})

test_that("PostgreSQL: who may only read can release, and nothing is written", {
  con <- local_postgres(data.frame(x = c(1, 2, 3)))
  DBI::dbExecute(con, "BEGIN")
  DBI::dbExecute(con, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
  table <- dplyr::tbl(con, "people")
  expect_identical(unname(private_sum(table, domain_box(0, 9), 1e100, columns = "x")$value), 6)
  expect_s3_class(suppressWarnings(private_bounds(table, 1, columns = "x")), c("dptda_box", "dptda_no_box"))
  DBI::dbExecute(con, "COMMIT")
})

test_that("PostgreSQL: a connection that drops ends the release, and a budget has spent nothing", {
  con <- local_postgres(data.frame(x = c(1, 2, 3)))
  other <- local_postgres()
  rows <- table_rows(dplyr::tbl(con, "people"))
  budget <- privacy_budget(epsilon = 10)
  process <- DBI::dbGetQuery(con, "SELECT pg_backend_pid() AS pid")$pid
  DBI::dbGetQuery(other, paste0("SELECT pg_terminate_backend(", process, ")"))
  suppressWarnings(broken(private_sum(rows, domain_box(0, 9), 1, budget = budget)))
  expect_identical(nrow(budget$ledger), 0L)
})

test_that("PostgreSQL: an interrupt cancels the statement, pays nothing, and does not come a second time", {
  skip_unless_long()
  con <- local_postgres(data.frame(x = c(1, 2, 3)))
  server <- database_server("start")
  schema <- DBI::dbGetQuery(con, "SELECT current_schema() AS name")$name
  folder <- withr::local_tempdir()
  script <- file.path(folder, "child.R")
  writeLines(c(
    "arguments <- commandArgs(TRUE)",
    "library(dptda)",
    "con <- DBI::dbConnect(RPostgres::Postgres(), host = arguments[1], port = as.integer(arguments[2]),",
    "                      user = 'postgres', dbname = 'postgres', check_interrupts = TRUE,",
    "                      options = paste0('-c search_path=', arguments[3]))",
    "people <- dplyr::tbl(con, 'people')",
    "slow <- dplyr::mutate(people, y = dplyr::sql('CASE WHEN pg_sleep(20) IS NULL THEN x ELSE x END'))",
    "budget <- privacy_budget(epsilon = 10)",
    "writeLines(as.character(Sys.getpid()), file.path(arguments[4], 'ready'))",
    "first <- tryCatch({ private_sum(slow, domain_box(0, 9), 1, columns = 'y', budget = budget); 'released' },",
    "                  interrupt = function(cnd) 'interrupted', error = function(cnd) class(cnd)[1])",
    "second <- tryCatch({ Sys.sleep(2); 'quiet' }, interrupt = function(cnd) 'interrupted again')",
    "third <- private_sum(people, domain_box(0, 9), 1e100, columns = 'x')$value",
    "saveRDS(list(first, second, unname(third), nrow(budget$ledger)), file.path(arguments[4], 'told'))"
  ), script)
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  started <- Sys.time()
  system2("Rscript", c(shQuote(script), shQuote(file.path(server$folder, "socket")), server$port, schema,
                       shQuote(folder)),
          wait = FALSE, stdout = FALSE, stderr = FALSE)
  wait_for <- function(name) {
    while (!file.exists(file.path(folder, name)) && difftime(Sys.time(), started, units = "secs") < 120) Sys.sleep(0.1)
    Sys.sleep(0.5)
  }
  wait_for("ready")
  running <- function() {
    DBI::dbGetQuery(con, paste("SELECT count(*) AS n FROM pg_stat_activity",
                               "WHERE state = 'active' AND query LIKE '%pg_sleep(20)%'",
                               "AND pid <> pg_backend_pid()",
                               "AND clock_timestamp() - query_start > interval '1 second'"))$n
  }
  while (running() == 0 && difftime(Sys.time(), started, units = "secs") < 120) Sys.sleep(0.1)
  tools::pskill(as.integer(readLines(file.path(folder, "ready"))), tools::SIGINT)
  wait_for("told")
  expect_identical(readRDS(file.path(folder, "told")), list("interrupted", "quiet", 6, 0L))
  expect_equal(as.numeric(running()), 0)
})
