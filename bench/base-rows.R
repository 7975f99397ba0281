#!/usr/bin/env Rscript
# Rows counted in 257 x 257 cells (bin_points()) and summed (private_sum()), from raw rows to numbers in R: in memory,
# SQLite, PostgreSQL on one server and on three. The yardstick of a database is SQL written by hand with the same
# groups, in the same run; all give the same counts, and the same sums with the same noise, which is checked before
# times. Each source runs in a process of its own, so that the peak of R's memory is its own. Run from the top of the
# checkout; servers are started and stopped by tools/postgres.sh:
#   Rscript bench/base-rows.R [ROWS ...]
#
# Without ROWS: 10^5, 10^6 and 10^7. Minutes.

if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC") # drivers ask for it, and warn where the machine does not know
arguments <- commandArgs(TRUE)
child <- length(arguments) && arguments[1] == "--source"
sizes <- if (child || !length(arguments)) c(1e5, 1e6, 1e7) else as.numeric(arguments)

suppressPackageStartupMessages(library(dptda))
source("bench/common.R")
cells <- 257
box <- domain_box(c(-3, -3), c(3, 3))
grid <- domain_grid(box, size = cells)

# The rows are made by a formula that SQL can say as well: two sequences that fill the square evenly, no random numbers.
# Whole numbers below 2^53 and one division, so that every database has the same doubles.
formula_x <- "((i * 7919) % 1000003) / 1000003.0 * 7.0 - 3.5"
formula_y <- "((i * 104729) % 999983) / 999983.0 * 7.0 - 3.5"
rows_in_memory <- function(n) {
  i <- seq_len(n)
  cbind(x = ((i * 7919) %% 1000003) / 1000003 * 7 - 3.5, y = ((i * 104729) %% 999983) / 999983 * 7 - 3.5)
}

# What one would write by hand for the same cells, without a check of anything.
place <- function(column) {
  step <- 6 / (cells - 1)
  sprintf("CASE WHEN %1$s < -3 THEN 0 WHEN %1$s >= 3 THEN %2$d ELSE FLOOR((%1$s - (%3$.17g)) * %4$.17g) END",
          column, cells - 1L, -3 - step / 2, 1 / step)
}
by_hand <- function(table) {
  sprintf("SELECT CAST(1 + %s + %d * (%s) AS BIGINT) AS cell, COUNT(*) AS number FROM %s GROUP BY 1", place("x"), cells,
          place("y"), table)
}
by_hand_on_shards <- function(table) {
  sprintf("SELECT cell, SUM(number) AS number
           FROM (SELECT shard, CAST(1 + %s + %d * (%s) AS BIGINT) AS cell, COUNT(*) AS number
           FROM %s GROUP BY 1, 2) parts GROUP BY cell", place("x"), cells, place("y"), table)
}

seconds <- function(code, runs = 3) {
  code <- substitute(code)
  env <- parent.frame()
  times <- vapply(seq_len(runs), function(run) {
    gc(FALSE)
    system.time(eval(code, env))[["elapsed"]]
  }, 0)
  min(times)
}

counts_of <- function(frame) {
  frame <- frame[order(frame$cell), ]
  list(cell = as.double(frame$cell), count = as.double(frame$number))
}

# The same of bins.
cells_of <- function(bins) {
  place <- round((bins$points + 3) / 6 * (cells - 1))
  list(cell = as.double(1 + place[, 1] + cells * place[, 2]), count = as.double(bins$weights))
}

sum_of <- function(rows) {
  set.seed(1)
  private_sum(rows, box, epsilon = 1, rng = "R")
}

# ---- one source, in its own process ----------------------------------------------------------------------------------

connect <- function(source, folder) {
  if (source == "sqlite") return(DBI::dbConnect(RSQLite::SQLite(), file.path(folder, "rows.sqlite")))
  DBI::dbConnect(RPostgres::Postgres(), host = file.path(folder, source, "socket"), port = 54321, user = "postgres",
                 dbname = "postgres")
}

# R with the packages that a database needs, and no rows.
measure_bare <- function() {
  for (package in c("dplyr", "dbplyr", "DBI", "RSQLite", "RPostgres")) requireNamespace(package, quietly = TRUE)
  c(counts = NA, sums = NA, hand = NA, peak = most_memory())
}

measure <- function(source, n, folder) {
  if (source == "bare") return(measure_bare())
  if (source == "memory") {
    rows <- rows_in_memory(n)
    times <- c(counts = seconds(bin_points(rows, grid)), sums = seconds(sum_of(rows)), hand = NA)
    return(c(times, peak = most_memory()))
  }
  suppressPackageStartupMessages({
    library(dplyr)
    library(dbplyr)
  })
  con <- connect(source, folder)
  on.exit(DBI::dbDisconnect(con))
  rows <- table_rows(dplyr::tbl(con, "points"), columns = c("x", "y"), partition = if (source == "shards") "shard")
  times <- c(counts = seconds(bin_points(rows, grid)), sums = seconds(sum_of(rows)))
  peak <- most_memory()
  statement <- if (source == "shards") by_hand_on_shards("points") else by_hand("points")
  hand <- seconds(DBI::dbGetQuery(con, statement))
  bins <- bin_points(rows, grid)
  memory <- rows_in_memory(n)
  stopifnot(identical(counts_of(DBI::dbGetQuery(con, statement)), cells_of(bins)),
            identical(bin_points(memory, grid), bins), identical(sum_of(memory)$value, sum_of(rows)$value))
  c(times, hand = hand, peak = peak)
}

if (child) {
  result <- measure(arguments[2], as.numeric(arguments[3]), arguments[4])
  saveRDS(result, arguments[5])
  quit()
}

# ---- all of them -----------------------------------------------------------------------------------------------------

folder <- tempfile("rows-", dirname(tempdir()))
dir.create(folder)
Sys.chmod(folder, "755")
postgres <- has_postgres()
sqlite <- requireNamespace("RSQLite", quietly = TRUE)
sources <- c("bare", "memory", if (sqlite) "sqlite", if (postgres) c("one", "shards"))
if (!sqlite) message("RSQLite is absent: skipped")
if (!postgres) message("PostgreSQL or RPostgres is absent: skipped")

stop_all <- function() {
  for (name in c("one", "shards")) {
    if (dir.exists(file.path(folder, name))) system2("sh",
                                                     c("tools/postgres.sh", "stop", shQuote(file.path(folder, name))),
                                                     stdout = FALSE)
  }
  unlink(folder, recursive = TRUE)
}

fill_sqlite <- function(n) {
  unlink(file.path(folder, "rows.sqlite"))
  con <- connect("sqlite", folder)
  on.exit(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "CREATE TABLE points (x REAL, y REAL)")
  DBI::dbExecute(con, sprintf("WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d)
                               INSERT INTO points SELECT %s, %s FROM numbers", as.integer(n), formula_x, formula_y))
}

postgres_formula <- function(formula) gsub(" / ([0-9.]+) \\* ([0-9.]+) - ([0-9.]+)",
  "::float8 / \\1::float8 * \\2::float8 - \\3::float8", formula)

fill_postgres <- function(source, n) {
  if (source == "one") {
    con <- connect(source, folder)
    on.exit(DBI::dbDisconnect(con))
    DBI::dbExecute(con, "DROP TABLE IF EXISTS points")
    DBI::dbExecute(con, sprintf("CREATE TABLE points AS SELECT %s AS x, %s AS y FROM generate_series(1, %d::bigint) i",
                                postgres_formula(formula_x), postgres_formula(formula_y), as.integer(n)))
    DBI::dbExecute(con, "ANALYZE points")
    return(invisible())
  }
  # each server makes its own rows
  for (shard in 1:3) {
    con <- DBI::dbConnect(RPostgres::Postgres(), host = file.path(folder, "shards", "socket"), port = 54321 + shard,
                          user = "postgres",
                          dbname = "postgres")
    DBI::dbExecute(con, "TRUNCATE points")
    DBI::dbExecute(con, sprintf("INSERT INTO points (shard, x, y)
                                 SELECT %d, %s, %s FROM generate_series(1, %d::bigint) i WHERE i %% 3 = %d",
                                shard, postgres_formula(formula_x), postgres_formula(formula_y), as.integer(n),
                                shard - 1L))
    DBI::dbExecute(con, "ANALYZE points")
    DBI::dbDisconnect(con)
  }
}

tryCatch({
  if (postgres) {
    system2("sh", c("tools/postgres.sh", "start", shQuote(file.path(folder, "one")), 54321), stdout = FALSE)
    system2("sh", c("tools/postgres.sh", "shards", shQuote(file.path(folder, "shards")), 54321), stdout = FALSE)
  }
  say("rows in 257 x 257 cells, elapsed seconds, best of 3; peak of R's memory in MB")
  say("%-10s %9s %8s %8s %8s %10s %8s %6s", "source", "rows", "counts", "sums", "by hand", "rows/s", "to hand", "peak")
  for (n in sizes) {
    for (source in sources) {
      if (source == "sqlite") fill_sqlite(n)
      if (source %in% c("one", "shards")) fill_postgres(source, n)
      answer <- tempfile()
      status <- system2("Rscript", c("bench/base-rows.R", "--source", source, format(n, scientific = FALSE),
                                     shQuote(folder), answer))
      stopifnot(status == 0)
      m <- readRDS(answer)
      say("%-10s %9.0f %8.3f %8.3f %8.3f %10.2e %8.2f %6.0f", source, n, m[["counts"]], m[["sums"]], m[["hand"]],
          n / m[["counts"]], m[["counts"]] / m[["hand"]], m[["peak"]])
    }
  }
  # the vignette shows it
  for (path in c("bench/results/base-rows.txt", "inst/extdata/base-rows.txt")) writeLines(said, path)
}, finally = stop_all())
