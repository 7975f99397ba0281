#!/usr/bin/env Rscript
# Writes inst/simulations/tables.rds, which holds the tables of inst/simulations/results/ that vignettes read. In an
# installed package, sixty small files take twice the space of one. Run from the top of the checkout:
#
#   Rscript tools/pack-tables.R [--check | FILE]
#
# With --check, nothing is written, and the file must be current. With FILE, the tables of articles, which are on the
# site only, are packed too, into that file. A table is packed if a page names it, by its file name up to the first dot.

folder <- "inst/simulations/results"
own <- "inst/simulations/tables.rds"
check <- "--check" %in% commandArgs(TRUE)
target <- c(setdiff(commandArgs(TRUE), "--check"), own)[1]

files <- list.files(folder, "[.]csv([.]xz)?$")
names(files) <- sub("[.].*$", "", files)
pages <- list.files("vignettes", "[.]Rmd$", recursive = target != own, full.names = TRUE)
pages <- unlist(lapply(pages, readLines, warn = FALSE, encoding = "UTF-8"))
quoted <- unlist(regmatches(pages, gregexpr("\"[a-z0-9-]+\"", pages)))
files <- files[names(files) %in% gsub("\"", "", quoted)]
# As text, which takes two thirds of the room of doubles.
tables <- lapply(file.path(folder, files), utils::read.csv, colClasses = "character", na.strings = character())
names(tables) <- names(files)
tables <- tables[order(names(tables), method = "radix")]

if (check) {
  if (!file.exists(target) || !identical(readRDS(target), tables)) {
    stop("run make document: ", target, " is not current", call. = FALSE)
  }
} else if (!file.exists(target) || !identical(readRDS(target), tables)) {
  saveRDS(tables, target, version = 2, compress = "xz")
}
