#!/usr/bin/env Rscript
# Writes the field Collate of DESCRIPTION: R reads the families from the ground up, and define_class() before all, since
# what is said of a class is said when its file is read. Run from the top of the checkout; with --check it changes
# nothing and fails if the field is not that of the tree.

source("tools/floors.R")

files <- list.files("R", "\\.R$")
# those of no family last
files <- files[order(floors[sub("[-.].*$", "", files)], files != "base-classes.R", files, method = "radix")]

description <- readLines("DESCRIPTION")
start <- match("Collate:", description)
field <- c("Collate:", paste0("    '", files, "'"))
kept <- description
if (!is.na(start)) {
  entries <- which(startsWith(description, "    '"))
  kept <- description[-c(start, entries[entries > start])]
}
written <- c(kept, field)

if ("--check" %in% commandArgs(TRUE)) {
  if (!identical(description, written)) stop("run make document: the field Collate of DESCRIPTION is old")
} else if (!identical(description, written)) {
  writeLines(written, "DESCRIPTION")
}
