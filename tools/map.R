#!/usr/bin/env Rscript
# The map of a topic: every file whose stem begins with it, in all places, with its lines.
#
#   Rscript tools/map.R TOPIC...        dtm-landmarks, manifold, private_mean
#
# Stems are compared by words, and what is exported is found by its page in man/. Without a topic all stems of R/ are
# listed with the places that know them.

topics <- gsub("_", "-", commandArgs(TRUE))

# A stem is what a name has left without its ending and without the word that says what it is.
places <- list(
  R = c("R", "\\.R$", ""), core = c("src/core", "\\.[ch]$", ""),
  boundary = c("src", "^ffi-.*\\.[ch]$", "^ffi-(test-)?"),
  tests = c("tests/testthat", "^(test|helper)-.*\\.R$", "^(test|helper)-"),
  snapshots = c("tests/testthat/_snaps", "\\.md$", ""),
  bench = c("bench", "\\.R$", ""), audits = c("inst/audits", "\\.R$", ""),
  simulations = c("inst/simulations", "\\.R$", ""),
  proofs = c("inst/proofs", "\\.(R|md|Rmd)$", ""), man = c("man", "\\.Rd$", ""),
  vignettes = c("vignettes", "\\.Rmd$", ""), articles = c("vignettes/articles", "\\.Rmd$", "")
)
files <- do.call(rbind, lapply(names(places), function(place) {
  where <- places[[place]]
  names <- list.files(where[1], where[2])
  stem <- gsub("_", "-", sub(where[3], "", sub("\\.[A-Za-z]+$", "", names)))
  data.frame(place = rep(place, length(names)), file = file.path(rep(where[1], length(names)), names), stem = stem)
}))

begins <- function(stem, topic) stem == topic | startsWith(stem, paste0(topic, "-"))

# The pages of what a file of R documents, whatever they are called.
pages_of <- function(scripts) {
  pages <- files$file[files$place == "man"]
  source <- vapply(pages, function(page) sub("^% Please edit documentation in ", "", readLines(page, 3)[2]), "")
  pages[vapply(strsplit(source, ",\\s*"), function(of) any(of %in% scripts), NA)]
}

if (!length(topics)) {
  stems <- sort(unique(files$stem[files$place == "R"]), method = "radix")
  for (stem in stems) cat(stem, ": ", toString(unique(files$place[begins(files$stem, stem)])), "\n", sep = "")
  quit(status = 0)
}
for (topic in topics) {
  found <- files[begins(files$stem, topic), ]
  extra <- setdiff(pages_of(found$file[found$place == "R"]), found$file)
  found <- rbind(found, files[files$file %in% extra, ])
  if (!nrow(found)) stop("no file's stem begins with `", topic, "`")
  found$lines <- vapply(found$file, function(file) length(readLines(file, warn = FALSE)), 0L)
  cat(topic, ": ", nrow(found), " files, ", sum(found$lines), " lines\n", sep = "")
  for (place in unique(found$place)) {
    here <- found[found$place == place, ]
    cat("  ", place, " (", sum(here$lines), ")\n", sep = "")
    cat(sprintf("    %5d  %s\n", here$lines, here$file), sep = "")
  }
}
