#!/usr/bin/env Rscript
# Rows of people: a histogram and a mean of ten rows a person on average (from five to ten thousand of one), in memory,
# SQLite, DuckDB and PostgreSQL, beside the same releases of the same rows as if each were a person. All of them give
# the same releases under one seed, which is checked before times. A release is one statement in a database; reading the
# table, which counts people, is timed on its own; a release in memory weighs the rows. Times of SQLite and DuckDB (one
# thread) are those of the processor, PostgreSQL's those of the clock. Run from the top of the checkout; the server is
# started and stopped by tools/postgres.sh:
#   Rscript bench/base-people.R [ROWS]
#
# Without ROWS: 10^7. Minutes.

if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC") # drivers ask for it, and warn where the machine does not know
arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e7
people <- floor(n / 10)
runs <- if (n > 1e6) 1 else 3

suppressPackageStartupMessages({
  library(dptda)
  library(dbplyr)
})
source("bench/common.R")
options(dptda.threads = 1)

# Rows by a formula that SQL can say as well: the square of a sequence that fills the unit interval, and another one.
spread <- "((i * 7919) % 10000019) / 10000019.0"
formula_x <- "((i * 104729) % 999983) / 999983.0 * 7.0 - 3.5"
sql_person <- function(whole) sprintf("CAST(FLOOR(%s * %s * %d) AS %s) + 1", spread, spread, people, whole)
in_memory <- local({
  i <- seq_len(n)
  part <- ((i * 7919) %% 10000019) / 10000019
  data.frame(patient = as.integer(floor(part * part * people)) + 1L, x = ((i * 104729) %% 999983) / 999983 * 7 - 3.5)
})

releases <- list(
  histogram = function(rows) {
    private_histogram(rows, breaks = c(-4, -1, 0, 1, 4), epsilon = 1, columns = "x", rng = "R")
  },
  mean = function(rows) private_mean(rows, c(-3, 3), epsilon = 1, columns = "x", rng = "R")
)
seeded <- function(release, rows) {
  set.seed(1)
  release(rows)
}

seconds <- function(code, clock) {
  gc(FALSE)
  times <- system.time(code)
  if (clock) times[["elapsed"]] else sum(times[c("user.self", "sys.self")])
}

measure <- function(source, table, clock = FALSE) {
  reading <- seconds(rows <- table_rows(table, "x", person = "patient"), clock)
  plain <- table_rows(table, "x")
  for (name in names(releases)) {
    release <- releases[[name]]
    each <- vapply(seq_len(runs), function(run) {
      c(plain = seconds(seeded(release, plain), clock),
        people = seconds(stopifnot(identical(as.vector(seeded(release, rows)), expected[[name]])), clock))
    }, c(plain = 0, people = 0))
    each <- apply(each, 1, min)
    say("%-10s %9.0f %9.0f  %-10s %8.2f %8.2f %7.2f %9.2f", source, n, found, name, each[["plain"]], each[["people"]],
        each[["people"]] / each[["plain"]], reading)
  }
}

memory_rows <- table_rows(in_memory, "x", person = "patient")
found <- memory_rows$n # nearly as many
# The numbers: a guarantee says more of rows in a database.
expected <- lapply(releases, function(release) as.vector(seeded(release, memory_rows)))
say("people with ten rows each on average, seconds, best of %d; reading counts people", runs)
say("%-10s %9s %9s  %-10s %8s %8s %7s %9s", "source", "rows", "people", "release", "rows", "people", "ratio", "reading")
measure("memory", in_memory)

if (requireNamespace("RSQLite", quietly = TRUE)) {
  file <- tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbExecute(con, "CREATE TABLE visits (patient INTEGER, x REAL)")
  DBI::dbExecute(con, sprintf("WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d)
                               INSERT INTO visits SELECT %s, %s FROM numbers", as.integer(n), sql_person("INTEGER"),
                              formula_x))
  measure("sqlite", dplyr::tbl(con, "visits"))
  DBI::dbDisconnect(con)
  unlink(file)
} else {
  message("RSQLite is absent: skipped")
}

if (requireNamespace("duckdb", quietly = TRUE)) {
  con <- DBI::dbConnect(duckdb::duckdb(shared_home = FALSE))
  DBI::dbExecute(con, "SET threads = 1")
  DBI::dbWriteTable(con, "visits", in_memory)
  measure("duckdb", dplyr::tbl(con, "visits"))
  DBI::dbDisconnect(con)
} else {
  message("duckdb is absent: skipped")
}

served <- with_postgres(function(con) {
  DBI::dbExecute(con, sprintf("CREATE TABLE visits AS SELECT %s AS patient, %s AS x
                               FROM generate_series(1, %d::bigint) i",
                              postgres_doubles(sql_person("INTEGER")), postgres_doubles(formula_x), as.integer(n)))
  DBI::dbExecute(con, "ANALYZE visits")
  measure("postgres", dplyr::tbl(con, "visits"), clock = TRUE)
})
if (!served) message("PostgreSQL or RPostgres is absent: skipped")
save_said("base-people")
