# The newest ClickHouse as a library of Node.js, which needs no server. dbplyr treats the connection like one from
# RClickhouse. It serves the test that is run by hand (see tools/clickhouse.sh).

chdb_program <- "
const chdb = require('chdb'), files = require('fs');
const session = new chdb.Session(process.argv[1]);
require('readline').createInterface({input: process.stdin}).on('line', (file) => {
  let answer;
  try { answer = session.query(files.readFileSync(file, 'utf8'), 'TabSeparatedWithNamesAndTypes') || ''; }
  catch (error) { answer = 'ERROR ' + error; }
  files.writeFileSync(file + '-', answer);
  files.renameSync(file + '-', file + '.tsv');
});"

# Starts the library. `ask` is a function that sends a statement and returns the result as a data frame. The process
# ends with the caller.
local_chdb <- function(modules, frame = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = frame)
  node <- paste("exec node -e", shQuote(chdb_program), file.path(folder, "data"))
  statements <- withr::with_envvar(c(NODE_PATH = modules), pipe(node, "w"))
  withr::defer(close(statements), envir = frame)
  asked <- 0
  methods::new("ChdbConnection", ask = function(statement) {
    asked <<- asked + 1
    file <- file.path(folder, asked)
    writeLines(enc2utf8(as.character(statement)), file, useBytes = TRUE)
    writeLines(file, statements)
    flush(statements)
    answer <- paste0(file, ".tsv")
    while (!file.exists(answer)) Sys.sleep(0.002)
    read_chdb(readLines(answer, warn = FALSE, encoding = "UTF-8"))
  })
}

# Reads names, types, and then the rows.
read_chdb <- function(lines) {
  if (length(lines) && startsWith(lines[1], "ERROR")) stop(paste(lines, collapse = " "))
  if (length(lines) < 2) return(data.frame())
  fields <- lapply(paste0(lines, "\t."), function(line) utils::head(strsplit(line, "\t", fixed = TRUE)[[1]], -1))
  columns <- lapply(seq_along(fields[[1]]), function(j) {
    values <- vapply(fields[-(1:2)], `[`, "", j)
    values[values == "\\N"] <- NA
    type <- sub("^Nullable\\((.*)\\)$", "\\1", fields[[2]][j])
    if (grepl("^(U?Int(8|16)|Int32)$", type)) return(as.integer(values))
    if (grepl("^(Float|U?Int)", type)) return(as.double(values))
    if (type == "Date") return(as.Date(values))
    if (grepl("^DateTime", type)) return(as.POSIXct(values, tz = "UTC"))
    gsub("\\'", "'", values, fixed = TRUE)
  })
  structure(columns, names = fields[[1]], row.names = .set_row_names(length(fields) - 2), class = "data.frame")
}

# Defines classes of a package that the tests do not name.
define_chdb <- function() {
  where <- environment(define_chdb)
  methods::setClass("ChdbConnection", contains = "ClickhouseConnection", slots = list(ask = "function"), where = where)
  methods::setClass("ChdbResult", contains = "DBIResult", slots = list(state = "environment"), where = where)
  method <- function(name, class, definition) {
    methods::setMethod(getExportedValue("DBI", name), class, definition, where = where)
  }
  method("dbGetQuery", c("ChdbConnection", "character"), function(conn, statement, ...) conn@ask(statement))
  method("dbExecute", c("ChdbConnection", "character"), function(conn, statement, ...) nrow(conn@ask(statement)))
  method("dbSendQuery", c("ChdbConnection", "character"), function(conn, statement, ...) {
    methods::new("ChdbResult", state = list2env(list(rows = conn@ask(statement))))
  })
  method("dbFetch", "ChdbResult", function(res, n = -1, ...) {
    rows <- res@state$rows
    res@state$rows <- rows[0, , drop = FALSE]
    rows
  })
  method("dbClearResult", "ChdbResult", function(res, ...) invisible(TRUE))
  method("dbHasCompleted", "ChdbResult", function(res, ...) TRUE)
  method("dbIsValid", "ChdbConnection", function(dbObj, ...) TRUE)
}
