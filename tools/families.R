#!/usr/bin/env Rscript
# Families only look down, and no files go round in a circle. Run from the top of the checkout; each offending
# arrow is printed, and the exit status is 1 if there is one.
#
# The first word of a file's name is its family. A family may use itself and every family below it; those of one line
# stand side by side and do not use each other:
#
#     base <- database <- accounting <- budget <- privacy <- number, audit <- dtm, manifold, graph
#     dtm <- persistence <- diagram <- cluster <- publish, regression <- front <- test
#
# `test` is src/ffi-test-*.c. In C an arrow is an #include. In R it is a function or constant that is defined at the top
# level of a file and used in another, or an entry point ffi_<family>_*. What a call finds by its class (an S3 method)
# is no arrow.
#
# A name is defined once in all of R.
#
# Circles of R: files that use each other, by way of others too. They are to be gone; until then they are printed with
# the three thinnest arrows of each (all of them with --circles), and the number of files on them must not grow.
#
# Circles of C: a .c file and its header are one node, and a .c file without a header belongs to the node of the header
# that declares its functions. An arrow is an #include, since what is used of another node is declared in its header.

source("tools/floors.R")

# The boundary's own files serve every family: they stand at the bottom.
boundary <- c("ffi", "ffi-call", "ffi-raise", "ffi-read", "init")

# Headers that are tables: one line for each of many files, which know nothing of each other. A manifold's file fills in
# the table of manifold.h, and ffi.h is the generated list of entry points. Their files are nodes of their own.
tables <- c("manifold.h", "ffi.h")

# Files of R that belong to no family: the page of the package.
apart <- "dptda-package.R"

# How many files of R may stand on circles: to be lowered with each circle that is broken.
circles_left <- 0

verbose <- "--circles" %in% commandArgs(TRUE)
faults <- character()
fault <- function(...) faults <<- c(faults, paste0(...))

stem_of <- function(file) sub("\\.[chR]$", "", basename(file))

family_of <- function(file) {
  stem <- stem_of(file)
  if (stem %in% boundary && grepl("\\.[ch]$", file)) return("base")
  family <- sub("-.*$", "", sub("^ffi-", "", stem))
  if (!family %in% names(floors)) {
    fault(file, ": `", family, "` is no family")
    return(NA)
  }
  family
}

may_use <- function(user, used) is.na(user) || is.na(used) || user == used || floors[[used]] < floors[[user]]

# ---- C -----------------------------------------------------------------------------------------------------------

sources <- sort(list.files(c("src", "src/core"), "\\.[ch]$", full.names = TRUE), method = "radix")
file_of <- function(name) sources[basename(sources) == name]

# A row for each #include of a file of ours.
read_includes <- function(file) {
  lines <- grep("^ *# *include *\"", readLines(file), value = TRUE)
  names <- sub("^[^\"]*\"([^\"]*)\".*$", "\\1", lines)
  data.frame(from = rep(file, length(names)), name = names)
}
includes <- do.call(rbind, lapply(sources, read_includes))

family <- vapply(sources, family_of, "")
for (i in seq_len(nrow(includes))) {
  from <- includes$from[i]
  to <- file_of(includes$name[i])
  if (length(to) != 1) {
    fault(from, " includes \"", includes$name[i], "\", which is ", length(to), " files of src")
  } else if (startsWith(from, "src/core/") && !startsWith(to, "src/core/")) {
    fault(from, " includes ", to, ": the core stands below the boundary")
  } else if (!may_use(family[[from]], family[[to]])) {
    fault(from, " includes ", to, ": ", family[[from]], " may not use ", family[[to]])
  }
}

# Names of functions with external linkage, by the style of the house: a head starts in the first column.
heads <- function(file) {
  head <- "^(?!static|typedef|return|#)[A-Za-z_].*\\b(dpt|ffi)_[a-z0-9_]+\\("
  lines <- grep(head, readLines(file), value = TRUE, perl = TRUE)
  sub("^.*?\\b((dpt|ffi)_[a-z0-9_]+)\\(.*$", "\\1", lines, perl = TRUE)
}

headers <- sources[endsWith(sources, ".h")]
declared <- lapply(stats::setNames(headers, headers), heads)
node_of <- function(file) {
  own <- stem_of(file)
  if (endsWith(file, ".h") || any(stem_of(headers) == own)) return(own)
  in_header <- vapply(declared[!basename(headers) %in% tables], function(names) any(heads(file) %in% names), NA)
  if (any(in_header)) stem_of(names(which(in_header))[1]) else own
}
node <- vapply(sources, node_of, "")

known <- includes[includes$name %in% basename(sources), ]
arrows <- data.frame(from = node[known$from], to = node[vapply(known$name, file_of, "")], file = known$from,
                     name = known$name)
arrows <- arrows[arrows$from != arrows$to, ]

# Arrows from a node that nothing uses, and to one that uses nothing, are taken away until none is left: what stays is
# on a circle, or on a way between two.
peel <- function(arrows) {
  repeat {
    on <- arrows$to %in% arrows$from & arrows$from %in% arrows$to
    if (all(on)) return(arrows)
    arrows <- arrows[on, ]
  }
}
circles <- peel(arrows)
for (i in seq_len(nrow(circles))) {
  fault(circles$file[i], " includes \"", circles$name[i], "\": on a circle, ", circles$from[i], " -> ", circles$to[i])
}

# ---- R -----------------------------------------------------------------------------------------------------------

scripts <- setdiff(sort(list.files("R", "\\.R$", full.names = TRUE), method = "radix"), file.path("R", apart))
expressions <- lapply(stats::setNames(scripts, scripts), parse, keep.source = FALSE)

# The name that an expression at the top level defines, or NA.
defined <- function(expression) {
  is_assignment <- is.call(expression) && as.character(expression[[1]])[1] %in% c("<-", "=")
  if (is_assignment && is.name(expression[[2]])) as.character(expression[[2]]) else NA_character_
}
definitions <- do.call(rbind, lapply(scripts, function(file) {
  names <- vapply(expressions[[file]], defined, "")
  names <- names[!is.na(names)]
  data.frame(name = names, file = rep(file, length(names)))
}))
home <- stats::setNames(definitions$file, definitions$name)

# Of two functions of one name the file that R reads last wins, without a word.
for (name in unique(definitions$name[duplicated(definitions$name)])) {
  fault("`", name, "` is defined more than once: ", paste(definitions$file[definitions$name == name], collapse = ", "))
}

# What an expression takes from outside of itself: its own locals and arguments are not counted.
outside <- function(expression) {
  wrapped <- eval(call("function", NULL, expression), baseenv())
  unique(unlist(codetools::findGlobals(wrapped, merge = FALSE)))
}

# For each use of a name, what uses it. Files that are as they were at the last call are not searched again.
uses_in <- function(file) {
  one <- lapply(as.list(expressions[[file]]), function(expression) {
    name <- as.character(outside(expression))
    by <- defined(expression)
    data.frame(from = rep(file, length(name)), by = rep(if (is.na(by)) "its top level" else by, length(name)), name)
  })
  do.call(rbind, one)
}
kept <- ".lib/families.rds"
searched <- if (file.exists(kept)) readRDS(kept)
digests <- paste(scripts, tools::md5sum(scripts), tools::md5sum("tools/families.R"))
searched <- stats::setNames(lapply(seq_along(scripts), function(i) {
  if (is.null(searched[[digests[i]]])) uses_in(scripts[i]) else searched[[digests[i]]]
}), digests)
if (dir.exists(dirname(kept))) saveRDS(searched, kept)

uses <- do.call(rbind, unname(searched))
uses$to <- unname(home[uses$name])
uses <- uses[!is.na(uses$to) | grepl("^ffi_[a-z]+_", uses$name), ]
script_family <- vapply(scripts, family_of, "")
user <- script_family[uses$from]
used <- ifelse(is.na(uses$to), sub("^ffi_([a-z]+)_.*$", "\\1", uses$name), script_family[uses$to])
is_fault <- !mapply(may_use, user, used)
where <- ifelse(is.na(uses$to), uses$name, paste0(uses$name, " of ", uses$to))
faults <- c(faults, sprintf("%s: %s uses %s: %s may not use %s", uses$from, uses$by, where, user, used)[is_fault])
uses <- uses[!is.na(uses$to) & uses$to != uses$from, ]

# ---- circles of R --------------------------------------------------------------------------------------------------

# What a file reaches by arrows of any number, as rows of a matrix.
reach <- matrix(FALSE, length(scripts), length(scripts), dimnames = list(scripts, scripts))
reach[cbind(uses$from, uses$to)] <- TRUE
for (k in scripts) reach[reach[, k], ] <- reach[reach[, k], , drop = FALSE] | rep(reach[k, ], each = sum(reach[, k]))

# Files that reach each other are on one circle.
on_circle <- scripts[diag(reach)]
circle_of <- vapply(on_circle, function(file) on_circle[reach[file, on_circle] & reach[on_circle, file]][1], "")
for (circle in split(on_circle, circle_of)) {
  within <- uses[uses$from %in% circle & uses$to %in% circle, ]
  cat("a circle of ", length(circle), " files of R: ", toString(basename(circle)), "\n", sep = "")
  # the arrow with the fewest names is where to begin
  pairs <- split(within, paste(basename(within$from), "->", basename(within$to)))
  count <- vapply(pairs, function(pair) length(unique(pair$name)), 0L)
  shown <- utils::head(order(count, names(pairs)), if (verbose) Inf else 3)
  for (pair in shown) cat("  ", names(pairs)[pair], ": ", toString(unique(pairs[[pair]]$name)), "\n", sep = "")
}
if (length(on_circle) > circles_left) {
  fault(length(on_circle), " files of R stand on circles, and no more than ", circles_left, " may: break the new one")
}

if (length(faults)) {
  writeLines(faults)
  quit(status = 1)
}
cat(nrow(arrows), " arrows between ", length(unique(node)), " nodes of C and ", length(home),
    " names of R: all look down; ",
    length(on_circle), " files of R on circles\n", sep = "")
