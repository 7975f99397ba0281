#!/usr/bin/env Rscript
# A histogram of 100 and one of 97 cells of one width, the mean of two columns and 129 x 129 bins in DuckDB (one
# thread and two), SQLite, PostgreSQL and ClickHouse (one server), beside the statement that a person would write for
# the same whole numbers. The cells and sums of both are those that R finds, and releases those of memory under one
# seed, which is checked before times. A release is all that is asked of the database, from a table of dplyr to the
# result: how many rows there are, the columns of the statement, the statement. `constant`: what it takes of a hundred
# rows. Seconds of the processor, PostgreSQL's and ClickHouse's those of the clock. Run from the top of the checkout;
# servers are started and stopped by tools/postgres.sh and tools/clickhouse.sh:
#   Rscript bench/database-rows.R [ROWS [RUNS [ENGINES]]]
#
# Without ROWS: 10^7, best of 3, of duckdb,sqlite,postgres,clickhouse. Minutes.

if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC") # drivers ask for it, and warn where the machine does not know
arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e7
runs <- if (length(arguments) > 1) as.numeric(arguments[2]) else 3
engines <- strsplit(if (length(arguments) > 2) arguments[3] else "duckdb,sqlite,postgres,clickhouse", ",")[[1]]

suppressPackageStartupMessages({
  library(dptda)
  library(dbplyr)
})
source("bench/common.R")

# Rows by a formula that SQL can say as well: whole numbers, and one division. Some are out of the box.
formula_x <- "((i * 104729) % 999983) / 999983.0 * 104.0 - 2.0"
formula_y <- "((i * 7919) % 1000003) / 1000003.0 * 10.0 - 5.0"
i <- seq_len(n)
in_memory <- data.frame(x = ((i * 104729) %% 999983) / 999983 * 104 - 2, y = ((i * 7919) %% 1000003) / 1000003 * 10 - 5)
box <- domain_box(c(x = 0, y = -5), c(100, 5))
grid <- domain_grid(box, size = 129)
step <- c(x = 2^-13, y = 2^-16) # of sums

releases <- list(
  `100 cells` = function(rows) private_histogram(rows, breaks = 0:100, columns = "x", epsilon = 1, rng = "R"),
  `97 cells` = function(rows) {
    private_histogram(rows, breaks = seq(0, 100, length.out = 98), columns = "x", epsilon = 1, rng = "R")
  },
  `mean of two` = function(rows) private_mean(rows, box, columns = c("x", "y"), epsilon = 1, rng = "R"),
  `129 x 129` = function(rows) bin_points(rows, grid)$weights
)
seeded <- function(release, rows) {
  set.seed(1)
  release(rows)
}

# By hand: no check of anything, and no missing values. `double`: the word for it.
hand <- function(double) {
  number <- function(x) sprintf("CAST(%.17g AS %s)", x, double)
  cells <- function(column, lower, per, count) {
    sprintf("CASE WHEN %1$s < %2$s THEN 0 WHEN %1$s >= %3$s THEN %4$d ELSE FLOOR((%1$s - (%2$s)) * %5$s) END",
            column, number(lower), number(lower + (count - 1) / per), count - 1L, number(per))
  }
  counted <- function(cell) {
    paste("SELECT CAST(", cell, "AS INTEGER) AS cell, COUNT(*) AS number FROM points GROUP BY cell")
  }
  steps <- function(column, j) {
    sprintf(paste("SUM(CAST(CASE WHEN %1$s < %2$s THEN %4$s WHEN %1$s > %3$s THEN %5$s",
                  "ELSE FLOOR(%1$s / %6$s + 0.5) END AS BIGINT))"), column, number(box$lower[j]), number(box$upper[j]),
            number(box$lower[j] / step[j]), number(box$upper[j] / step[j]), number(step[j]))
  }
  list(`100 cells` = counted(cells("x", 0, 1, 100L)), `97 cells` = counted(cells("x", 0, 0.97, 97L)),
       `mean of two` = paste("SELECT COUNT(*) AS number,", steps("x", 1), "AS x,", steps("y", 2), "AS y FROM points"),
       `129 x 129` = counted(paste(cells("x", -100 / 256, 1.28, 129L), "+ 129 *",
                                   cells("y", -5 - 10 / 256, 12.8, 129L))))
}

# The same in R.
truth <- local({
  place <- function(x, lower, width, count) pmin(pmax(floor((x - lower) / width), 0), count - 1)
  bins <- place(in_memory$x, -100 / 256, 100 / 128, 129) + 129 * place(in_memory$y, -5 - 10 / 256, 10 / 128, 129)
  whole <- function(x, lower, upper, step) sum(floor(pmin(pmax(x, lower), upper) / step + 0.5))
  breaks <- seq(0, 100, length.out = 98)
  list(`100 cells` = tabulate(place(in_memory$x, 0, 1, 100) + 1, 100),
       `97 cells` = tabulate(pmin(pmax(findInterval(in_memory$x, breaks), 1), 97), 97),
       `mean of two` = c(n, whole(in_memory$x, 0, 100, step[["x"]]), whole(in_memory$y, -5, 5, step[["y"]])),
       `129 x 129` = tabulate(bins + 1, 129^2))
})

# Where a person's formula puts rows next to a cut otherwise than the cuts say, this many are elsewhere.
moved_by_hand <- function(answer, truth) {
  if (!"cell" %in% names(answer)) return(sum(abs(vapply(answer, as.double, 0) - truth)))
  counts <- double(length(truth))
  counts[as.double(answer$cell) + 1] <- as.double(answer$number)
  sum(abs(counts - truth)) / 2
}

seconds <- function(code, clock) {
  gc(FALSE)
  times <- system.time(code)
  if (clock) times[["elapsed"]] else sum(times[c("user.self", "sys.self")])
}

measure <- function(source, con, double, clock = FALSE, few = "few") {
  points <- dplyr::tbl(con, "points")
  by_hand <- hand(double)
  for (name in names(releases)) {
    release <- releases[[name]]
    moved <- moved_by_hand(suppressWarnings(DBI::dbGetQuery(con, by_hand[[name]])), truth[[name]])
    each <- vapply(seq_len(runs), function(run) {
      c(ours = seconds(found <- seeded(release, points), clock) + 0 * stopifnot_same(found, name),
        hand = seconds(suppressWarnings(DBI::dbGetQuery(con, by_hand[[name]])), clock),
        constant = seconds(suppressWarnings(release(dplyr::tbl(con, few))), clock))
    }, c(ours = 0, hand = 0, constant = 0))
    each <- apply(each, 1, min)
    less <- (each[["ours"]] - each[["constant"]]) / each[["hand"]]
    say("%-18s %9.0f  %-12s %7.2f %7.2f %6.2f %8.2f %6.2f %6.0f", source, n, name, each[["ours"]], each[["hand"]],
        each[["ours"]] / each[["hand"]], each[["constant"]], less, moved)
  }
}

# A guarantee says more of rows in a database.
numbers_of <- function(release) `attr<-`(unclass(release), "privacy", NULL)

stopifnot_same <- function(found, name) {
  stopifnot(identical(numbers_of(found), numbers_of(expected[[name]])))
  if (name == "129 x 129") stopifnot(identical(as.double(found), as.double(truth[[name]])))
  0
}

options(dptda.threads = 1)
expected <- lapply(releases, seeded, in_memory)
say("seconds, best of %d; `less`: the ratio without the constant", runs)
say("`moved`: rows that the statement by hand has in another cell")
say("%-18s %9s  %-12s %7s %7s %6s %8s %6s %6s", "source", "rows", "release", "ours", "hand", "ratio", "constant",
    "less", "moved")
for (name in names(releases)) {
  say("%-18s %9.0f  %-12s %7.2f", "memory", n, name, seconds(seeded(releases[[name]], in_memory), FALSE))
}

if ("duckdb" %in% engines && requireNamespace("duckdb", quietly = TRUE)) {
  con <- suppressWarnings(DBI::dbConnect(duckdb::duckdb(shared_home = FALSE)))
  DBI::dbWriteTable(con, "points", in_memory)
  DBI::dbExecute(con, "CREATE TABLE few AS SELECT * FROM points LIMIT 100")
  for (threads in 1:2) {
    DBI::dbExecute(con, paste("SET threads =", threads))
    measure(paste0("duckdb, ", threads, if (threads == 1) " thread" else " threads"), con, "DOUBLE")
  }
  DBI::dbDisconnect(con)
} else {
  message("duckdb is absent, or not asked for: skipped")
}

if ("sqlite" %in% engines && requireNamespace("RSQLite", quietly = TRUE)) {
  file <- tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(con, "points", in_memory)
  DBI::dbExecute(con, "CREATE TABLE few AS SELECT * FROM points LIMIT 100")
  measure("sqlite", con, "REAL")
  DBI::dbDisconnect(con)
  unlink(file)
} else {
  message("RSQLite is absent, or not asked for: skipped")
}

served <- "postgres" %in% engines && with_postgres(function(con) {
  DBI::dbExecute(con, sprintf("CREATE TABLE points AS SELECT %s AS x, %s AS y
                               FROM generate_series(1, %.0f::bigint) i",
                              postgres_doubles(formula_x), postgres_doubles(formula_y), n))
  DBI::dbExecute(con, "CREATE TABLE few AS SELECT * FROM points LIMIT 100")
  DBI::dbExecute(con, "ANALYZE")
  measure("postgres", con, "DOUBLE PRECISION", clock = TRUE)
})
if (!served) message("PostgreSQL or RPostgres is absent, or not asked for: skipped")

if ("clickhouse" %in% engines && has_clickhouse()) {
  folder <- tempfile("clickhouse-", dirname(tempdir()))
  tryCatch({
    start_clickhouse(folder)
    ask_clickhouse(1, paste("CREATE TABLE points (x Float64, y Float64) ENGINE = MergeTree",
                            "PARTITION BY tuple() ORDER BY tuple()"))
    numbers <- sprintf("(SELECT number + 1 AS i FROM system.numbers LIMIT %.0f)", n)
    ask_clickhouse(1, paste("INSERT INTO points SELECT", formula_x, ",", formula_y, "FROM", numbers))
    ask_clickhouse(1, "CREATE TABLE few AS points")
    ask_clickhouse(1, "INSERT INTO few SELECT * FROM points LIMIT 100")
    con <- connect_clickhouse()
    measure("clickhouse", con, "Float64", clock = TRUE)
    DBI::dbDisconnect(con)
  }, finally = stop_clickhouse(folder))
} else {
  message("ClickHouse or RClickhouse is absent, or not asked for: skipped")
}
save_said(if (n == 1e7) "database-rows" else paste0("database-rows-", sub("+0", "", n, fixed = TRUE)))
