#!/usr/bin/env Rscript
# Writes inst/simulations/tables.rds, which holds the tables of inst/simulations/results/ that vignettes and articles of
# the site read: sixty small files take twice the room of one if they are installed. Run from the top of the checkout:
#
#   Rscript tools/pack-tables.R [--check]
#
# With --check nothing is written, and the file must be current. A table that a page names is packed, by its name
# without what follows the first point.

folder <- "inst/simulations/results"
target <- "inst/simulations/tables.rds"

files <- list.files(folder, "[.]csv([.]xz)?$")
names(files) <- sub("[.].*$", "", files)
pages <- unlist(lapply(list.files("vignettes", "[.]Rmd$", full.names = TRUE, recursive = TRUE), readLines,
                       warn = FALSE, encoding = "UTF-8"))
quoted <- unlist(regmatches(pages, gregexpr("\"[a-z0-9-]+\"", pages)))
files <- files[names(files) %in% gsub("\"", "", quoted)]
# As text, which takes two thirds of the room of doubles.
tables <- lapply(file.path(folder, files), utils::read.csv, colClasses = "character", na.strings = character())
names(tables) <- names(files)
tables <- tables[order(names(tables), method = "radix")]

if ("--check" %in% commandArgs(TRUE)) {
  if (!file.exists(target) || !identical(readRDS(target), tables)) {
    stop("run make document: ", target, " is not current", call. = FALSE)
  }
} else if (!file.exists(target) || !identical(readRDS(target), tables)) {
  saveRDS(tables, target, version = 2, compress = "xz")
}
