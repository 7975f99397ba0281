# Real databases. A server is started once for all processes of tests, or for the process of a test file, in a
# folder of its own, and ends with that process, however it ends. Each call gives a connection to a database, or a part
# of one, that is empty but for `data`, and that is gone after the test:
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

# In memory of this process.
local_duckdb <- function(data = NULL, name = "people", env = parent.frame()) {
  skip_if_no_databases()
  # its backend would rather have a newer dbplyr, and says so
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

# A connection to the coordinator of three servers. The rows of `data` are dealt out to them; the column `shard` says
# where they are. The name of the table is attr(, "table"), since shards have no schema of their own.
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

# What goes through a database reaches no C code of its own: the instrumented builds leave it out.
skip_if_no_databases <- function() testthat::skip_if(Sys.getenv("DPTDA_ENGINES") == "none", "without databases")

skip_if_no_postgres <- function() {
  skip_if_no_databases()
  for (package in c("DBI", "RPostgres", "dbplyr")) testthat::skip_if_not_installed(package)
  testthat::skip_on_os("windows")
  testthat::skip_if_not(file.exists(postgres_script), "not in a checkout: there is no tools/postgres.sh")
  why <- suppressWarnings(system2("sh", c(shQuote(postgres_script), "check"), stdout = TRUE, stderr = TRUE))
  testthat::skip_if_not(is.null(attr(why, "status")), toString(sub("^tools/postgres.sh: ", "", why)))
}

# ---- behind them -----------------------------------------------------------------------------------------------------

# Tests run in their folder; DPTDA_TOOLS says where the scripts are if that is no part of a checkout.
postgres_script <- normalizePath(file.path(Sys.getenv("DPTDA_TOOLS", "../../tools"), "postgres.sh"), mustWork = FALSE)

run_postgres <- function(...) {
  said <- suppressWarnings(system2("sh", shQuote(c(postgres_script, ...)), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) stop(paste(said, collapse = "\n"))
}

database_servers <- new.env()

# The folder and the port of the server or the shards: those of whoever runs the tests (tools/run-tests.R) or, where
# there are none, of this process. A folder of ours lies beside R's own, which no other user can enter; so the ports may
# be those of another process.
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
  # a package that is loaded here asks for the time zone, and warns where the machine does not know
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

# By COPY every double arrives as it is, but for the sign of zero. In the SQL of an INSERT it has 15 digits.
append_exactly <- function(con, name, data) {
  # new versions of RPostgres copy NaN as NULL, but not the word
  odd <- vapply(data, function(x) is.double(x) && !is.object(x) && any(is.nan(x)), NA)
  data[odd] <- lapply(data[odd], function(x) ifelse(is.na(x) & !is.nan(x), NA, sprintf("%.17g", x)))
  DBI::dbAppendTable(con, name, data, copy = TRUE)
}

# The servers are those of other processes too, and a name without its number would be theirs as well.
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
