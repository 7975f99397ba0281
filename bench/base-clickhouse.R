#!/usr/bin/env Rscript
# One run each of a histogram, a mean of two columns, nine quantiles, bins and the private diagram of them, k-means,
# rows by AIM and a mean by groups, of rows that are spread over two ClickHouse servers on one machine. Before times
# count, the first rows of the same table, ten million of them, give what the same rows in memory give under one seed,
# to the last digit, and the two servers have all rows between them. `sent`: the bytes that the second server's
# answers were, by its own log: what a release moves from server to server. `peak`: the largest that R has been so
# far, MB. Run from the top of the checkout, where RClickhouse is installed; the servers are started and stopped by
# tools/clickhouse.sh:
#   Rscript bench/base-clickhouse.R [ROWS [FOLDER]]
#
# Without ROWS: 10^8; 10^9 take 13 bytes a row in FOLDER (or a temporary one) and half an hour. Seconds by the clock:
# servers work on all cores.

if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")
arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e8
folder <- if (length(arguments) > 1) arguments[2] else tempfile("clickhouse-", dirname(tempdir()))
some <- min(n, 1e7)
port <- 29000

suppressPackageStartupMessages({
  library(dptda)
  library(dplyr)
})
source("bench/common.R")
options(dptda.warn_coarse = FALSE)

ask_server <- function(number, sql) {
  system2("clickhouse-client", c("--host", "127.0.0.1", "--port", port + 3 * (number - 1), "--query", shQuote(sql)),
          stdout = TRUE)
}

# Rows by a formula of their number, in half of the digits of a double; every second one is on the second server.
fill <- function(number) {
  ask_server(number, paste("CREATE TABLE part (id UInt32, x Float32, y Float32, g UInt8) ENGINE = MergeTree",
                           "PARTITION BY tuple() ORDER BY id"))
  each <- 2.5e7
  for (from in seq(0, n / 2 - 1, by = each)) {
    rows <- min(each, n / 2 - from)
    ask_server(number, sprintf(
      "INSERT INTO part SELECT id, toFloat32((id * 104729 %% 999983) / 999983 * 104 - 2) AS x,
         toFloat32((id * 7919 %% 1000003) / 1000003 * 10 - 5) AS y, toUInt8(id %% 7) AS g
       FROM (SELECT toUInt64((number + %.0f) * 2 + %d) AS id FROM (SELECT * FROM system.numbers LIMIT %.0f))",
      from, number - 1L, rows))
  }
}

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
# A guarantee says more of rows in a database, and of several answers there is a message that none holds a state.
numbers_of <- function(release) lapply(unclass(`attr<-`(release, "privacy", NULL)), function(part) part)
seeded <- function(release, rows) {
  set.seed(1)
  suppressMessages(suppressWarnings(release(rows)))
}

# Bytes of answers of the second server, so far. Its log is written after half a second.
bytes_sent <- function() {
  Sys.sleep(2)
  as.numeric(ask_server(2, paste("SELECT sum(result_bytes) FROM system.query_log",
                                 "WHERE type = 2 AND is_initial_query = 0")))
}

stopifnot(system2("sh", c("tools/clickhouse.sh", "start", shQuote(folder), port)) == 0)
tryCatch({
  started <- proc.time()[["elapsed"]]
  for (number in 1:2) fill(number)
  ask_server(1, "CREATE TABLE people AS part ENGINE = Distributed(both, default, part)")
  say("%.0f rows on two servers, written in %.0f s", n, proc.time()[["elapsed"]] - started)
  people <- function() tbl(DBI::dbConnect(RClickhouse::clickhouse(), host = "127.0.0.1", port = port), "people")
  stopifnot(as.numeric(ask_server(1, "SELECT count() FROM people")) == n,
            as.numeric(ask_server(2, "SELECT count() FROM part")) == floor(n / 2))

  say("%-16s %9s %8s %6s", "release", "seconds", "sent", "peak")
  for (name in names(releases)) {
    before <- bytes_sent()
    seconds <- system.time(seeded(releases[[name]], people()))[["elapsed"]]
    say("%-16s %9.2f %8.0f %6.0f", name, seconds, bytes_sent() - before, most_memory())
  }
  memory <- in_memory(some)
  for (name in names(releases)) {
    there <- seeded(releases[[name]], filter(people(), id < some))
    stopifnot(identical(numbers_of(there), numbers_of(seeded(releases[[name]], memory))))
  }
  say("the first %.0f rows give what they give in memory, to the last digit", some)
}, finally = system2("sh", c("tools/clickhouse.sh", "stop", shQuote(folder))))
save_said("base-clickhouse")
