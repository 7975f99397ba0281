#!/usr/bin/env Rscript
# Which part of the lines the tests reached:
#
#   Rscript tools/covered.R R FOLDER [--threshold]     what tools/run-tests.R left in FOLDER (DPTDA_TEST_COVERAGE)
#   Rscript tools/covered.R C FOLDER [--threshold]     src/ of a build by gcc --coverage
#
# Prints each file that has lines which no test reaches, with their numbers, and last one line "Coverage of R: N %".
# With
# --threshold less than 95 percent is a failure.

threshold <- 95 # percent
arguments <- commandArgs(TRUE)
language <- match.arg(arguments[1], c("R", "C"))
folder <- arguments[2]

# A data frame of file, line and how often it was reached.
lines_of_r <- function() {
  counts <- lapply(list.files(folder, "[.]rds$", full.names = TRUE), readRDS)
  if (!length(counts)) stop("no process left its counts in ", folder)
  one <- function(coverage) {
    first <- vapply(coverage, function(part) part$srcref[[1]], 0L)
    last <- vapply(coverage, function(part) part$srcref[[3]], 0L)
    file <- vapply(coverage, function(part) getSrcFilename(part$srcref), "")
    value <- vapply(coverage, function(part) as.double(part$value), 0)
    times <- last - first + 1
    data.frame(file = rep(file.path("R", file), times), line = unlist(Map(seq, first, last)), value = rep(value, times),
               expression = rep(names(coverage), times))
  }
  # an expression has a count in each process, and a line is reached if all its expressions are
  counted <- stats::aggregate(value ~ expression + file + line, do.call(rbind, lapply(counts, one)), sum)
  lines <- stats::aggregate(value ~ file + line, counted, min)
  # comments and lines of brackets within a longer expression are none
  said <- lapply(split(lines, lines$file), function(part) {
    text <- readLines(part$file[1], warn = FALSE)
    part[!grepl("^\\s*(#.*)?$|^(?:[[:punct:][:space:]]|else)*$", text[part$line], perl = TRUE), ]
  })
  do.call(rbind, unname(said))
}

lines_of_c <- function() {
  owd <- setwd(folder) # where the compiler was, so that gcov finds the sources
  on.exit(setwd(owd))
  read_one <- function(object) {
    report <- system2("gcov", c("--stdout", shQuote(object)), stdout = TRUE, stderr = FALSE)
    head <- grepl("^ *-: *0:Source:", report)
    source <- sub("^ *-: *0:Source:", "", report[head])[cumsum(head)]
    # not what it includes of other people's headers
    counted <- grepl("^ *([0-9]+[*]?|#####|=====): *[1-9]", report) & !startsWith(source, "/")
    times <- suppressWarnings(as.double(sub("^ *([0-9]*).*$", "\\1", report[counted])))
    data.frame(file = file.path("src", source[counted]),
               line = as.integer(sub("^[^:]*: *([0-9]+):.*$", "\\1", report[counted])),
               value = ifelse(is.na(times), 0, times))
  }
  objects <- list.files(".", "[.]gcno$", recursive = TRUE)
  # a line of a header is counted in each object that has it
  stats::aggregate(value ~ file + line, do.call(rbind, lapply(objects, read_one)), max)
}

lines <- if (language == "R") lines_of_r() else lines_of_c()
lines <- lines[order(lines$file, lines$line), ]

missed <- lines[lines$value == 0, ]
if (nrow(missed)) {
  cat("Lines that no test reached here:\n")
  by_file <- split(missed$line, missed$file)
  # 3, 4, 5 are said as 3-5
  runs <- function(numbers) {
    starts <- c(TRUE, diff(numbers) > 1)
    first <- numbers[starts]
    last <- numbers[c(starts[-1], TRUE)]
    toString(ifelse(first == last, first, paste0(first, "-", last)))
  }
  part <- vapply(names(by_file), function(file) 100 * mean(lines$value[lines$file == file] > 0), 0)
  said <- vapply(by_file, runs, "")
  whole <- part == 0
  cat(sprintf("  %5.1f %%  %s: %s\n", part[!whole], names(by_file)[!whole], substr(said[!whole], 1, 200)), sep = "")
  if (any(whole)) cat(sum(whole), "files not at all:", toString(names(by_file)[whole], width = 400), "\n")
}
percent <- 100 * mean(lines$value > 0)
cat(sprintf("Coverage of %s: %.2f %% of %d lines\n", language, percent, nrow(lines)))
if ("--threshold" %in% arguments && percent < threshold) stop("the coverage is below ", threshold, " %")
