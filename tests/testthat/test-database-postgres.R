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

test_that("rows that are chosen at random are counted before they are summed, and once more with the sums", {
  con <- local_postgres(data.frame(x = c(rep(0, 500), rep(9, 500)), k = 1:2))
  chosen <- "random() < CASE WHEN x > 5 THEN 0.3 ELSE 0.7 END"
  DBI::dbExecute(con, paste("CREATE VIEW chosen AS SELECT x, k FROM people WHERE", chosen))
  DBI::dbExecute(con, "CREATE VIEW sampled AS SELECT x, k FROM people TABLESAMPLE BERNOULLI (50)")
  DBI::dbExecute(con, "CREATE TABLE parts (x double precision, k integer) PARTITION BY LIST (k)")
  DBI::dbExecute(con, "CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1)")
  DBI::dbExecute(con, "CREATE TABLE part_2 PARTITION OF parts FOR VALUES IN (2)")
  DBI::dbExecute(con, "INSERT INTO parts SELECT * FROM people")
  people <- dplyr::tbl(con, "people")
  tables <- list(dplyr::tbl(con, "chosen"), dplyr::tbl(con, "sampled"), dplyr::filter(people, dplyr::sql(chosen)),
                 dplyr::tbl(con, dbplyr::sql(paste("SELECT x, k FROM people WHERE", chosen))),
                 dplyr::tbl(con, dbplyr::sql("SELECT x, k FROM people TABLESAMPLE BERNOULLI (50)")),
                 dplyr::mutate(dplyr::tbl(con, "chosen"), x = x + 1))
  releases <- list(function(x) private_mean(x, c(0, 9), 9, columns = "x"),
                   function(x) private_histogram(x, c(0, 3, 9), 9, columns = "x"),
                   function(x) private_count(dplyr::mutate(x, far = x > 3), 9, columns = "far"))
  # two counts of about 500 rows agree once in 40 times: of three in a row, once in 6 * 10^4
  for (table in tables) {
    budget <- privacy_budget(epsilon = 100)
    refused <- vapply(releases, function(release) {
      inherits(tryCatch(suppressMessages(release(table)), error = identity), "dptda_error_database")
    }, NA)
    expect_true(any(refused))
  }
  # a table that is stored is asked once
  late <- function(x) is.list(with_replaced("releases_now", list(states = list(list2env(list(begun = list())))), {
    rows <- uncounted_rows(x, "x", "x")
    if (has_all_rows(rows)) list()
  }))
  for (x in list(people, dplyr::select(people, x), dplyr::tbl(con, "parts"))) expect_true(late(x))
  for (x in tables) expect_false(late(x))
  DBI::dbExecute(con, "ALTER TABLE people ENABLE ROW LEVEL SECURITY")
  expect_false(late(people))
})

test_that("times without a zone are those that R's driver reads", {
  skip_if_no_postgres()
  admin <- local_postgres(data.frame(id = 1:24))
  schema <- DBI::dbGetQuery(admin, "SELECT current_schema()")[[1]]
  DBI::dbExecute(admin, "CREATE TABLE hours AS SELECT id, TIMESTAMP '2019-04-30' + (id - 1) * INTERVAL '1 hour' AS at,
                 TIMESTAMP WITH TIME ZONE '2019-04-30 02:00Z' + id * INTERVAL '1 hour' AS zoned FROM people")
  DBI::dbExecute(admin, "INSERT INTO hours VALUES (25, '4713-12-31 BC', '2019-04-30'),
                 (26, '294276-12-31', 'infinity')")
  for (zone in c("America/Anchorage", "Asia/Kathmandu", "UTC")) {
    con <- connect_postgres(database_server("start"), options = paste0("-c search_path=", schema), timezone = zone)
    breaks <- as.POSIXct(c("2019-04-29", "2019-04-30", "2019-05-01", "2019-05-02"), tz = zone)
    hours <- dplyr::tbl(con, "hours")
    counts <- function(x, column) as.numeric(round(private_histogram(x, breaks, 1e9, columns = column)))
    collected <- as.data.frame(dplyr::collect(dplyr::filter(hours, id < 25)))
    for (column in c("at", "zoned")) {
      ends <- if (column == "at") c(1, 0, 1) else counts(data.frame(zoned = as.POSIXct(c("2019-04-30", "2030-01-01"),
                                                                                       tz = "UTC")), "zoned")
      expect_identical(counts(hours, column), counts(collected, column) + ends, info = paste(zone, column))
    }
    DBI::dbDisconnect(con)
  }
})

test_that("an ENUM is text, and an interval is a duration", {
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy')")
  DBI::dbExecute(con, "CREATE TABLE people (x mood, y mood, w interval, z double precision)")
  DBI::dbExecute(con, "INSERT INTO people VALUES ('sad', 'sad', '1 hour', 1), ('happy', NULL, '1 day', 2),
                 ('happy', 'so so', '2 days', 3)")
  people <- dplyr::tbl(con, "people")
  expect_identical(as.numeric(private_table(people, list(x = c("happy", "sad")), 1e9)), c(2, 1, 0))
  expect_error(private_table(people, list(y = c("happy", "sad")), 1e9), "missing values")
  filled <- table_rows(people, "y", missing = "level")
  expect_identical(as.numeric(private_table(filled, list(y = c("sad", "missing")), 1e9)), c(1, 1, 1))
  expect_identical(table_rows(people, "z", person = "x")$n, 2)
  expect_error(private_mean(people, c(0, 4), 1, columns = "w"), "durations|difftime", class = "dptda_error_argument")
})
