# What the benchmarks share; they source it from the top of the checkout.

said <- character()

# Prints a line, and keeps it for the file of results.
say <- function(...) {
  line <- sprintf(...)
  message(line)
  said <<- c(said, line)
}

save_said <- function(stem, first = NULL) writeLines(c(first, said),
                                                     file.path("bench", "results", paste0(stem, ".txt")))

# Processor seconds of each racer, over several runs that take turns, so that other work on the machine counts little.
race <- function(runs, ..., of_runs = stats::median) {
  racers <- list(...)
  spent <- matrix(0, runs, length(racers))
  for (run in seq_len(runs)) for (i in seq_along(racers)) {
    gc(FALSE)
    spent[run, i] <- sum(system.time(racers[[i]]())[c("user.self", "sys.self")])
  }
  apply(spent, 2, of_runs)
}

# The largest that this process has been, in MB, where the system tells.
most_memory <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA)
  as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines(status), value = TRUE))) / 1024
}

# A benchmark that takes turns with an earlier version of the package calls itself, one process a version. This stands
# in the place of library(dptda). `child`: is this such a process? It writes to `answer`. `rest`: its further
# arguments, or those of the user.
load_version <- function() {
  arguments <- commandArgs(TRUE)
  child <- length(arguments) > 0 && arguments[1] == "--library"
  library(dptda, lib.loc = if (child && nzchar(arguments[2])) arguments[2])
  options(dptda.threads = 1)
  list(child = child, answer = if (child) arguments[3], rest = if (child) arguments[-(1:3)] else arguments)
}

# What such a process answers; `library` is where its version is, or "" for the one of this process.
ask_version <- function(stem, library, ...) {
  answer <- tempfile()
  on.exit(unlink(answer))
  script <- file.path("bench", paste0(stem, ".R"))
  stopifnot(system2("Rscript", c(script, "--library", shQuote(library), shQuote(answer), ...)) == 0)
  readRDS(answer)
}

# Stops if a release of a private diagram, with a budget that hides little, is not near the true one. It has at most 20
# points in each dimension: half of the 21st is how far it may be from the truth without noise, in all dimensions.
check_near <- function(release, mechanism, truth) {
  dimensions <- unique(truth$dimension)
  left <- vapply(dimensions, function(q) {
    c(sort((truth$death - truth$birth)[truth$dimension == q], decreasing = TRUE), double(21))[21] / 2
  }, 0)
  noise <- 100 * privacy_price(mechanism)$noise$scale[1]
  stopifnot(bottleneck_distance(release, truth, dimension = dimensions) <= max(left) + noise)
}

# ---- a server of PostgreSQL ------------------------------------------------------------------------------------------

has_postgres <- function() {
  requireNamespace("RPostgres", quietly = TRUE) &&
    system2("sh", c("tools/postgres.sh", "check"), stdout = FALSE, stderr = FALSE) == 0
}

# `code`, a function of a connection to a server that is there for it alone; FALSE where there is none to start.
with_postgres <- function(code) {
  if (!has_postgres()) return(FALSE)
  folder <- tempfile("server-", dirname(tempdir()))
  on.exit(system2("sh", c("tools/postgres.sh", "stop", shQuote(folder)), stdout = FALSE))
  system2("sh", c("tools/postgres.sh", "start", shQuote(folder), 54321), stdout = FALSE)
  con <- DBI::dbConnect(RPostgres::Postgres(), host = file.path(folder, "socket"), port = 54321, user = "postgres",
                        dbname = "postgres")
  on.exit(DBI::dbDisconnect(con), add = TRUE, after = FALSE)
  code(con)
  TRUE
}

# A formula of whole numbers and one division, whose constants are decimals in PostgreSQL: in doubles.
postgres_doubles <- function(formula) {
  gsub("([0-9]+[.]0)", "\\1::float8", gsub("(% [0-9]+[)])", "\\1::float8", formula))
}

# ---- servers of ClickHouse -------------------------------------------------------------------------------------------

clickhouse_port <- 29000

has_clickhouse <- function() {
  requireNamespace("RClickhouse", quietly = TRUE) && nzchar(Sys.which("clickhouse-server"))
}

# Two servers in a folder that is not there yet.
start_clickhouse <- function(folder) {
  stopifnot(system2("sh", c("tools/clickhouse.sh", "start", shQuote(folder), clickhouse_port)) == 0)
}

stop_clickhouse <- function(folder) system2("sh", c("tools/clickhouse.sh", "stop", shQuote(folder)))

connect_clickhouse <- function() {
  DBI::dbConnect(RClickhouse::clickhouse(), host = "127.0.0.1", port = clickhouse_port)
}

# The answer of a server, 1 or 2, as text.
ask_clickhouse <- function(number, sql) {
  system2("clickhouse-client", c("--host", "127.0.0.1", "--port", clickhouse_port + 3 * (number - 1), "--query",
                                 shQuote(sql)), stdout = TRUE)
}
