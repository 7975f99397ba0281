#!/usr/bin/env Rscript
# Releases of several rounds over rows of SQLite, PostgreSQL and DuckDB, kept in R or read in each round, beside the
# same rows in memory: seconds of the processor and by the clock, and by how many MB the objects of R grow meanwhile.
# Releases are those of memory under one seed, which is checked before times; packages are loaded before, by releases of
# few rows. Limit: to read the rows, and the time of memory. Run from the top of the checkout:
#   Rscript bench/database-pieces.R [ROWS [ENGINES]]
#
# Without ROWS: 10^6, of sqlite,postgres,duckdb. A few minutes.

arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e6
engines <- strsplit(if (length(arguments) > 1) arguments[2] else "sqlite,postgres,duckdb", ",")[[1]]

suppressPackageStartupMessages({
  library(dptda)
  library(dplyr)
})

set.seed(1)
in_memory <- data.frame(x = stats::rnorm(n, 4 * (seq_len(n) %% 3)), y = stats::rnorm(n))
box <- domain_box(c(x = -10, y = -10), c(20, 10))
releases <- list(
  mixture = function(rows) private_mixture(rows, box, 3, rho = 1, rng = "R"),
  covariance = function(rows) private_covariance(rows, box, rho = 1, rng = "R"),
  `k-means` = function(rows) private_kmeans(rows, box, 3, rho = 1, method = "lloyd", rng = "R")
)

server <- tempfile("server-", dirname(tempdir())) # its user cannot enter the folder of this session
connect <- list(
  postgres = function() {
    system2("sh", c("tools/postgres.sh", "start", shQuote(server), 54321, Sys.getpid()), stdout = FALSE)
    DBI::dbConnect(RPostgres::Postgres(), host = file.path(server, "socket"), port = 54321, user = "postgres",
                   dbname = "postgres")
  },
  sqlite = function() DBI::dbConnect(RSQLite::SQLite(), tempfile()),
  duckdb = function() DBI::dbConnect(duckdb::duckdb(dbdir = tempfile(), shared_home = FALSE))
)

measured <- function(release, rows) {
  gc(reset = TRUE)
  before <- sum(gc(reset = TRUE)[, 2])
  set.seed(1)
  time <- system.time(made <- release(rows))
  c(list(made = made), as.list(round(c(processor = sum(time[1:2]), clock = time[[3]],
                                       MB = sum(gc()[, 6]) - before), 2)))
}

one_line <- function(engine, name, found) {
  data.frame(rows = n, engine = engine, release = name, processor = found$processor, clock = found$clock, MB = found$MB)
}

# what is loaded and compiled once is no memory of a release
warm <- function(rows) for (release in releases) suppressWarnings(release(rows))

results <- NULL
memory <- list()
warm(in_memory[1:1000, ])
for (name in names(releases)) {
  memory[[name]] <- measured(releases[[name]], in_memory)
  results <- rbind(results, one_line("memory", name, memory[[name]]))
}
for (engine in engines) {
  connection <- connect[[engine]]()
  DBI::dbWriteTable(connection, "people", in_memory)
  DBI::dbWriteTable(connection, "few", in_memory[1:1000, ])
  warm(dplyr::tbl(connection, "few"))
  rows <- dplyr::tbl(connection, "people")
  for (kept in c(2^27, 0)) for (name in names(releases)) {
    options(dptda.kept_numbers = kept)
    found <- measured(function(rows) suppressMessages(releases[[name]](rows)), rows)
    same <- all.equal(unclass(found$made), unclass(memory[[name]]$made), check.attributes = FALSE, tolerance = 1e-12)
    stopifnot(isTRUE(same))
    results <- rbind(results, one_line(paste0(engine, if (kept == 0) ", each round"), name, found))
  }
  DBI::dbDisconnect(connection)
}
print(results, row.names = FALSE)
if (dir.exists(server)) system2("sh", c("tools/postgres.sh", "stop", shQuote(server)), stdout = FALSE)
