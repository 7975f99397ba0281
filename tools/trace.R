#!/usr/bin/env Rscript
# Counts how many functions of the package a release enters, and how often it crosses into C:
#
#     R_LIBS=$PWD/.lib Rscript tools/trace.R            the table, one row a release
#     R_LIBS=$PWD/.lib Rscript tools/trace.R NAME       and for the releases whose name matches NAME, each function
#                                                       and each entry point with its count
#
# after `sh tools/install.sh .lib`. The counts are exact: nothing is sampled. Every function of the namespace is given a
# body that counts before it does what it did, and so is every function written inside of another; S3 methods are
# counted where they are registered, too. `.Call()` is counted where it is called. What R itself and other packages do
# is not counted, nor is this file.
#
# Columns: `functions`, how often a function of the package was entered, and of these `checks`, those whose names begin
# with check_, is_, are_ or refuse_; `inner`, how often a function was that is written inside of another (a handler,
# what is given to lapply()); `crossings`, how often .Call() was called. Each release is drawn twice by the same seed
# and counted the second time, so that what happens once in a session, such as the loading of a package, is left out.

namespace <- loadNamespace("dptda")

# Counts live here: names of functions and of entry points as they come.
counts <- new.env(parent = emptyenv())
reset <- function() {
  counts$functions <- counts$inner <- counts$crossings <- character()
}
reset()
entered <- function(name) counts$functions[length(counts$functions) + 1] <- name
entered_inner <- function(name) counts$inner[length(counts$inner) + 1] <- name
crossed <- function(entry, ...) {
  counts$crossings[length(counts$crossings) + 1] <- entry$name
  .Call(entry, ...)
}

# A call with each `.Call` in it counted, and each function.
counted <- function(call, name) {
  if (identical(call[[1]], quote(.Call))) call[[1]] <- crossed
  is_function <- identical(call[[1]], quote(`function`))
  for (i in seq_along(call)) {
    if (is.call(call[[i]])) call[[i]] <- counted(call[[i]], name)
    if (is_function && typeof(call[[i]]) == "pairlist") call[[i]] <- counted_defaults(call[[i]], name)
  }
  if (is_function) call[[3]] <- as.call(list(quote(`{`), as.call(list(entered_inner, name)), call[[3]]))
  call
}

counted_defaults <- function(arguments, name) {
  for (i in seq_along(arguments)) if (is.call(arguments[[i]])) arguments[[i]] <- counted(arguments[[i]], name)
  arguments
}

counted_body <- function(body, name, count) {
  as.call(list(quote(`{`), as.call(list(count, name)), if (is.call(body)) counted(body, name) else body))
}

instrument <- function(name, f) {
  formals(f) <- counted_defaults(formals(f), name)
  body(f) <- counted_body(body(f), name, entered)
  f
}

rebind <- function(name, value, where) {
  locked <- bindingIsLocked(name, where)
  if (locked) unlockBinding(name, where)
  assign(name, value, envir = where)
  if (locked) lockBinding(name, where)
}

for (name in ls(namespace, all.names = TRUE)) {
  f <- get(name, namespace)
  if (is.function(f) && !is.primitive(f) && identical(environment(f), namespace)) {
    rebind(name, instrument(name, f), namespace)
  }
}

# A registered method is a copy, in the table of the namespace that its generic is of.
methods <- getNamespaceInfo(namespace, "S3methods")
for (i in seq_len(nrow(methods))) {
  generic <- get0(methods[i, 1], namespace, mode = "function")
  home <- if (is.primitive(generic) || is.null(generic)) baseenv() else topenv(environment(generic))
  registered <- home[[".__S3MethodsTable__."]]
  method <- paste(methods[i, 1], methods[i, 2], sep = ".")
  if (exists(method, registered, inherits = FALSE)) rebind(method, namespace[[methods[i, 3]]], registered)
}
attachNamespace(namespace)

# ---- the releases ------------------------------------------------------------------------------------------------

turn <- 2 * pi * seq_len(200) / 200
rows <- data.frame(a = cos(turn), b = sin(turn) + seq_len(200) %% 3 / 4, inside = seq_len(200) %% 4 > 0,
                   group = c("u", "v", "w")[1 + seq_len(200)^2 %% 3], stringsAsFactors = FALSE)
X <- as.matrix(rows[c("a", "b")])
box <- domain_box(c(-2, -2), c(2, 2))
grid <- domain_grid(box, by = .5)
schema <- table_schema(a = schema_numeric(-2, 2, cells = 3), inside = schema_logical(),
                       group = schema_categorical(c("u", "v", "w")))

releases <- list(
  "count" = quote(private_count(rows$inside, epsilon = 1, rng = "R")),
  "mean" = quote(private_mean(X, box, epsilon = 1, rng = "R")),
  "diagram" = quote(private_diagram(X, grid, epsilon = 2, m0 = .2, max_points = 2, rng = "R")),
  "Frechet mean" = quote(private_frechet_mean(X, manifold_euclidean(2), c(0, 0), 3, epsilon = 1, rng = "R")),
  "mixture" = quote(private_mixture(X, box, 2, rho = 2, rounds = 4, rng = "R")),
  "mixture, SQLite" = quote(private_mixture(sqlite, box, 2, rho = 2, rounds = 4, columns = c("a", "b"), rng = "R")),
  "synthesis" = quote(private_synthesis(rows, schema, epsilon = 2, rng = "R"))
)

if (requireNamespace("RSQLite", quietly = TRUE) && requireNamespace("dbplyr", quietly = TRUE)) {
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  sqlite <- dplyr::copy_to(connection, rows, "rows")
} else {
  releases[["mixture, SQLite"]] <- NULL
  cat("RSQLite or dbplyr is not installed: no release from SQLite\n")
}

count_release <- function(call) {
  for (time in 1:2) {
    reset()
    set.seed(7)
    eval(call, globalenv())
  }
  as.list(counts)
}
found <- lapply(releases, count_release)

sizes <- t(vapply(found, function(count) {
  c(functions = length(count$functions), checks = sum(grepl("^(check|is|are|refuse)_", count$functions)),
    inner = length(count$inner), crossings = length(count$crossings))
}, numeric(4)))
print(sizes)

wanted <- commandArgs(TRUE)
for (name in if (length(wanted)) grep(wanted[1], names(found), value = TRUE)) {
  for (kind in c("functions", "crossings")) {
    cat("\n", name, ": ", kind, "\n", sep = "")
    times <- sort(table(found[[name]][[kind]]), decreasing = TRUE)
    cat(sprintf("%6d  %s\n", times, names(times)), sep = "")
  }
}
