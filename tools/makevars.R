#!/usr/bin/env Rscript
# Writes the lists of objects and headers in src/Makevars from the files of src and src/core, so that none is kept by
# hand. Run from the top of the checkout; with --check it changes nothing and fails if the lists are not those of the
# tree.

makevars <- readLines("src/Makevars")
tree <- function(pattern) {
  files <- c(file.path("core", list.files("src/core", pattern)), list.files("src", pattern))
  sort(files, method = "radix")
}
objects <- sub("\\.c$", ".o", tree("\\.c$"))
in_core <- startsWith(objects, "core/")
lists <- list(CORE = objects[in_core], FFI = c("init.o", setdiff(objects[!in_core], "init.o")), HEADERS = tree("\\.h$"))

# A list is a line "NAME = \" and one file a line, each but the last with a backslash.
for (name in names(lists)) {
  start <- match(paste(name, "= \\"), makevars)
  if (is.na(start)) stop("src/Makevars has no list ", name)
  end <- start + which(!endsWith(makevars[seq(start, length(makevars))], "\\"))[1] - 1
  entries <- paste0("  ", lists[[name]], c(rep(" \\", length(lists[[name]]) - 1), ""))
  makevars <- c(makevars[seq_len(start)], entries, makevars[-seq_len(end)])
}

if ("--check" %in% commandArgs(TRUE)) {
  if (!identical(makevars,
                 readLines("src/Makevars"))) stop("run make document: the lists of src/Makevars are old")
} else if (!identical(makevars, readLines("src/Makevars"))) {
  writeLines(makevars, "src/Makevars")
}
