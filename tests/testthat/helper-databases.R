# Real databases. A server is started once for all test processes, or for the process of a test file, in its own folder.
# It ends with that process, even after a crash. Each call returns a connection to a database, or to a part of one, that
# contains only `data` and is removed after the test:
#
#   people <- dplyr::tbl(local_sqlite(data), "people")

local_sqlite <- function(data = NULL, name = "people", env = parent.frame()) {
  skip_if_no_databases()
  for (package in c("DBI", "RSQLite", "dbplyr")) testthat::skip_if_not_installed(package)
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con), envir = env)
  if (!is.null(data)) DBI::dbWriteTable(con, name, data)
  con
}

# Connects to a database in memory of this process.
local_duckdb <- function(data = NULL, name = "people", env = parent.frame()) {
  skip_if_no_databases()
  # its backend recommends a newer dbplyr in a message
  for (package in c("DBI", "dbplyr", "duckdb")) suppressWarnings(testthat::skip_if_not_installed(package))
  quiet <- if ("shared_home" %in% names(formals(duckdb::duckdb))) list(shared_home = FALSE)
  con <- DBI::dbConnect(do.call(duckdb::duckdb, quiet))
  suppressWarnings(dplyr::tbl(con, dbplyr::sql("SELECT 1 AS x"))) # once a session
  withr::defer(DBI::dbDisconnect(con, shutdown = TRUE), envir = env)
  if (!is.null(data)) DBI::dbWriteTable(con, name, data)
  con
}

local_postgres <- function(data = NULL, name = "people", env = parent.frame()) {
  skip_if_no_postgres()
  server <- database_server("start")
  admin <- connect_postgres(server)
  schema <- unused_name("test")
  DBI::dbExecute(admin, paste("CREATE SCHEMA", schema))
  # first connected, last disconnected
  withr::defer({
    DBI::dbExecute(admin, paste("DROP SCHEMA", schema, "CASCADE"))
    DBI::dbDisconnect(admin)
  }, envir = env)
  con <- connect_postgres(server, options = paste0("-c search_path=", schema))
  withr::defer(DBI::dbDisconnect(con), envir = env)
  if (!is.null(data)) {
    DBI::dbCreateTable(con, name, data)
    append_exactly(con, name, data)
  }
  con
}

# Connects to the coordinator of three servers. The rows of `data` are distributed to them by the column `shard`. The
# name of the table is attr(, "table"), because shards have no schema of their own.
local_shards <- function(data = data.frame(x = double(), y = double()), env = parent.frame()) {
  skip_if_no_postgres()
  server <- database_server("shards")
  con <- connect_postgres(server)
  name <- unused_name("people")
  types <- vapply(data, function(column) DBI::dbDataType(con, column), "")
  columns <- paste(vapply(names(data), function(column) format(DBI::dbQuoteIdentifier(con, column)), ""), types)
  run_postgres("table", server$folder, server$port, name, toString(columns))
  withr::defer({
    DBI::dbExecute(con, paste("DROP TABLE", name))
    DBI::dbDisconnect(con)
  }, envir = env)
  dealt <- (seq_len(nrow(data)) - 1) %% 3 + 1
  for (shard in 1:3) fill_shard(server, shard, name, data[dealt == shard, , drop = FALSE], env)
  structure(con, table = name)
}

# Skips tests of databases in instrumented builds, because databases use no separate C code.
skip_if_no_databases <- function() testthat::skip_if(Sys.getenv("DPTDA_ENGINES") == "none", "without databases")

skip_if_no_postgres <- function() {
  skip_if_no_databases()
  for (package in c("DBI", "RPostgres", "dbplyr")) testthat::skip_if_not_installed(package)
  testthat::skip_on_os("windows")
  testthat::skip_if_not(file.exists(postgres_script), "not in a checkout: there is no tools/postgres.sh")
  why <- suppressWarnings(system2("sh", c(shQuote(postgres_script), "check"), stdout = TRUE, stderr = TRUE))
  testthat::skip_if_not(is.null(attr(why, "status")), toString(sub("^tools/postgres.sh: ", "", why)))
}

# ---- internals -------------------------------------------------------------------------------------------------------

# Tests run in their folder. DPTDA_TOOLS is the path of the scripts if this folder is not part of a checkout.
postgres_script <- normalizePath(file.path(Sys.getenv("DPTDA_TOOLS", "../../tools"), "postgres.sh"), mustWork = FALSE)

run_postgres <- function(...) {
  said <- suppressWarnings(system2("sh", shQuote(c(postgres_script, ...)), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) stop(paste(said, collapse = "\n"))
}

database_servers <- new.env()

# Returns the folder and the port of the server or the shards, from the process that runs the tests (tools/run-tests.R),
# or otherwise from this process. Our folder lies beside R's own, and no other user can enter it. It holds the socket,
# so that another process may use the same port number.
database_server <- function(task) {
  shared <- file.path(Sys.getenv("DPTDA_TEST_SERVERS"), task)
  if (nzchar(Sys.getenv("DPTDA_TEST_SERVERS")) && dir.exists(shared)) return(list(folder = shared, port = 54321))
  if (is.null(database_servers[[task]])) {
    folder <- tempfile("dptda-postgres-", dirname(tempdir()))
    owner <- Sys.getpid() # not a fork of it
    run_postgres(task, folder, 54321, owner)
    reg.finalizer(database_servers, function(servers) if (Sys.getpid() == owner) run_postgres("stop", folder),
                  onexit = TRUE)
    database_servers[[task]] <- list(folder = folder, port = 54321)
  }
  database_servers[[task]]
}

connect_postgres <- function(server, port = server$port, options = "-c client_min_messages=warning", ...) {
  # a package that is loaded here reads the time zone, and warns if the machine has none
  if (!nzchar(Sys.getenv("TZ"))) withr::local_envvar(TZ = "UTC")
  DBI::dbConnect(RPostgres::Postgres(), host = file.path(server$folder, "socket"), port = port, user = "postgres",
                 dbname = "postgres", check_interrupts = TRUE, options = options, ...)
}

fill_shard <- function(server, shard, name, rows, env) {
  con <- connect_postgres(server, server$port + shard)
  withr::defer({
    DBI::dbExecute(con, paste("DROP TABLE", name))
    DBI::dbDisconnect(con)
  }, envir = env)
  append_exactly(con, name, cbind(shard = rep(shard, nrow(rows)), rows))
}

# Appends rows by COPY, which keeps every double except the sign of zero. An INSERT would write 15 digits.
append_exactly <- function(con, name, data) {
  # new versions of RPostgres copy NaN as NULL, but not the string
  odd <- vapply(data, function(x) is.double(x) && !is.object(x) && any(is.nan(x)), NA)
  data[odd] <- lapply(data[odd], function(x) ifelse(is.na(x) & !is.nan(x), NA, sprintf("%.17g", x)))
  DBI::dbAppendTable(con, name, data, copy = TRUE)
}

# Makes names with the number of the process, because servers are shared with other processes.
unused_name <- local({
  used <- 0
  function(stem) {
    used <<- used + 1
    paste0(stem, "_", Sys.getpid(), "_", used)
  }
})

# Each round of a release reads the rows of its table again, since R keeps none.
in_each_round <- function(code) {
  withr::with_options(list(dptda.kept_numbers = 0), suppressMessages(code, classes = "dptda_message_rows"))
}
