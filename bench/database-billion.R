#!/usr/bin/env Rscript
# One run each of a histogram, a mean of two columns, nine quantiles, bins and the private diagram of them, k-means,
# rows by AIM and a mean by groups, of more rows than memory holds: in a file of DuckDB, or spread over two ClickHouse
# servers on one machine. The first rows of the same table, ten million of them, give what the same rows in memory give
# under one seed, to the last digit, or the script stops. Seconds by the clock. `peak`: the largest that the process has
# been so far, MB, which is R's for ClickHouse; DuckDB is in the same process, has a limit of its own, and R is what
# stands before the first release. `sent`: the bytes of the answers of the second server, by its own log: what a release
# moves from server to server. Run from the top of the checkout:
#   Rscript bench/database-billion.R ENGINE [ROWS [FOLDER]]
#
# ENGINE: duckdb or clickhouse, where the packages of these names are (tools/duckdb.sh; tools/clickhouse.sh, which
# starts and stops the servers). Without ROWS: 10^8; 10^9 take 13 bytes a row in FOLDER (or a temporary one), twice
# that while they are written, and half an hour. Results of 10^9 are those that an article of the site shows.

if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")
arguments <- commandArgs(TRUE)
engine <- if (length(arguments)) match.arg(arguments[1], c("duckdb", "clickhouse")) else "duckdb"
n <- if (length(arguments) > 1) as.numeric(arguments[2]) else 1e8
folder <- if (length(arguments) > 2) arguments[3] else tempfile("billion-", dirname(tempdir()))
some <- min(n, 1e7)

suppressPackageStartupMessages({
  library(dptda)
  library(dplyr)
})
source("bench/common.R")
options(dptda.weak_release = FALSE)

# ---- engines: each fills a table of rows by a formula of their number, in half of the digits of a double -------------

# `pieces`: calls `write` of the first number and of how many, some at a time.
in_pieces <- function(rows, write, each = 2.5e7) {
  for (from in seq(0, rows - 1, by = each)) write(from, min(each, rows - from))
}

duckdb_engine <- list(
  start = function() {
    dir.create(folder)
    con <<- DBI::dbConnect(duckdb::duckdb(file.path(folder, "people.duckdb"), shared_home = FALSE))
    for (setting in c("threads = 2", "memory_limit = '4GB'", sprintf("temp_directory = '%s'", folder))) {
      DBI::dbExecute(con, paste("SET", setting))
    }
  },
  fill = function() {
    DBI::dbExecute(con, "CREATE TABLE people (id BIGINT, x FLOAT, y FLOAT, g UTINYINT)")
    in_pieces(n, function(from, rows) {
      DBI::dbExecute(con, sprintf(
        "INSERT INTO people SELECT id, CAST(CAST(id * 104729 %% 999983 AS DOUBLE) / 999983e0 * 104e0 - 2e0 AS FLOAT),
           CAST(CAST(id * 7919 %% 1000003 AS DOUBLE) / 1000003e0 * 10e0 - 5e0 AS FLOAT), CAST(id %% 7 AS UTINYINT)
         FROM (SELECT range AS id FROM range(%.0f, %.0f))", from, from + rows))
    })
    stopifnot(as.numeric(DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM people")$n) == n)
  },
  people = function() tbl(con, "people"),
  sent = function() NA,
  stop = function() {
    DBI::dbDisconnect(con, shutdown = TRUE)
    unlink(folder, recursive = TRUE)
  }
)

clickhouse_engine <- list(
  start = function() start_clickhouse(folder),
  # every second row is on the second server
  fill = function() {
    for (number in 1:2) {
      ask_clickhouse(number, paste("CREATE TABLE part (id UInt32, x Float32, y Float32, g UInt8) ENGINE = MergeTree",
                               "PARTITION BY tuple() ORDER BY id"))
      in_pieces(n / 2, function(from, rows) {
        ask_clickhouse(number, sprintf(
          "INSERT INTO part SELECT id, toFloat32((id * 104729 %% 999983) / 999983 * 104 - 2) AS x,
             toFloat32((id * 7919 %% 1000003) / 1000003 * 10 - 5) AS y, toUInt8(id %% 7) AS g
           FROM (SELECT toUInt64((number + %.0f) * 2 + %d) AS id FROM (SELECT * FROM system.numbers LIMIT %.0f))",
          from, number - 1L, rows))
      })
    }
    ask_clickhouse(1, "CREATE TABLE people AS part ENGINE = Distributed(both, default, part)")
    stopifnot(as.numeric(ask_clickhouse(1, "SELECT count() FROM people")) == n,
              as.numeric(ask_clickhouse(2, "SELECT count() FROM part")) == floor(n / 2))
  },
  people = function() tbl(connect_clickhouse(), "people"),
  # its log is written after half a second
  sent = function() {
    Sys.sleep(2)
    as.numeric(ask_clickhouse(2, paste("SELECT sum(result_bytes) FROM system.query_log",
                                   "WHERE type = 2 AND is_initial_query = 0")))
  },
  stop = function() stop_clickhouse(folder)
)
engine_of <- list(duckdb = duckdb_engine, clickhouse = clickhouse_engine)[[engine]]

# ---- the same rows, and what is released of them ---------------------------------------------------------------------

in_memory <- function(rows) {
  id <- seq(0, rows - 1)
  short <- function(x) readBin(writeBin(x, raw(), size = 4), "double", length(x), size = 4)
  data.frame(x = short((id * 104729) %% 999983 / 999983 * 104 - 2),
             y = short((id * 7919) %% 1000003 / 1000003 * 10 - 5),
             g = as.integer(id %% 7))
}

box <- domain_box(c(x = 0, y = -5), c(100, 5))
grid <- domain_grid(box, size = 33)
schema <- table_schema(x = schema_numeric(0, 100, cells = 10), y = schema_numeric(-5, 5, cells = 10),
                       g = schema_categorical(0:6))
releases <- list(
  histogram = function(rows) private_histogram(rows, breaks = 0:100, columns = "x", epsilon = 1, rng = "R"),
  `mean of two` = function(rows) private_mean(rows, box, columns = c("x", "y"), epsilon = 1, rng = "R"),
  `nine quantiles` = function(rows) {
    private_quantile(rows, c(0, 100), 1:9 / 10, columns = "x", epsilon = 1, rng = "R")
  },
  `bins, diagram` = function(rows) {
    private_diagram(bin_points(select(rows, x, y), grid), grid, epsilon = 1, m0 = 0.1, rng = "R")
  },
  `k-means, grid` = function(rows) {
    private_kmeans(rows, box, 4, columns = c("x", "y"), epsilon = 1, method = "grid", rng = "R")
  },
  AIM = function(rows) private_synthesis(select(rows, x, y, g), schema, epsilon = 1, method = "aim", rng = "R"),
  `mean by group` = function(rows) {
    private_mean(rows, domain_box(c(x = 0), 100), columns = "x", epsilon = 1, by = list(g = 0:6), rng = "R")
  }
)
# Rounds need subqueries that have names, which came to ClickHouse later than Debian's.
if (engine == "duckdb") {
  releases$`k-means, Lloyd` <- function(rows) {
    private_kmeans(rows, box, 4, columns = c("x", "y"), epsilon = 1, method = "lloyd", rng = "R")
  }
}
# A guarantee says more of rows in a database, and of several answers there is a message that none holds a state.
numbers_of <- function(release) lapply(unclass(`attr<-`(release, "privacy", NULL)), function(part) part)
seeded <- function(release, rows) {
  set.seed(1)
  suppressMessages(suppressWarnings(release(rows)))
}

tryCatch({
  engine_of$start()
  started <- proc.time()[["elapsed"]]
  engine_of$fill()
  say("%s: %.0f rows, written in %.0f s; R is %.0f MB", engine, n, proc.time()[["elapsed"]] - started, most_memory())
  say("%-16s %9s %8s %6s", "release", "seconds", "sent", "peak")
  for (name in names(releases)) {
    before <- engine_of$sent()
    seconds <- system.time(seeded(releases[[name]], engine_of$people()))[["elapsed"]]
    say("%-16s %9.2f %8.0f %6.0f", name, seconds, engine_of$sent() - before, most_memory())
  }
  memory <- in_memory(some)
  for (name in names(releases)) {
    there <- seeded(releases[[name]], filter(engine_of$people(), id < some))
    stopifnot(identical(numbers_of(there), numbers_of(seeded(releases[[name]], memory))))
  }
  say("the first %.0f rows give what they give in memory, to the last digit", some)
}, finally = engine_of$stop())
stem <- paste0("database-billion-", engine)
save_said(stem)
if (n >= 1e9) writeLines(said, file.path("inst", "extdata", paste0(stem, ".txt")))
