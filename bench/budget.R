#!/usr/bin/env Rscript
# Payments into a budget in a file, on one core: the time of one near the first and after many others and of all, the
# memory of the process and the size of the file. Each is charged for the count of one row, whose own time is shown
# beside. What was spent must add up before a time is printed, for who spent and for who opens the file. Payments of one
# kind and ones that all differ. The folder should be one in memory: how long a disk takes until it has a line is the
# disk's. With a library that holds an earlier version of the package, this one and that take turns, process by process.
# Run from the top of the checkout:
#   Rscript bench/budget.R FOLDER [LIBRARY OF AN EARLIER VERSION, or "" [PAYMENTS]]

source("bench/common.R")
version <- load_version()
arguments <- version$rest

n <- as.numeric(c(arguments, NA, NA, NA)[3])
if (is.na(n)) n <- 50000
window <- n / 50
near <- c(0, n / 2, n)

# Processor milliseconds of a count and its charge in each window, and of a count; the sizes of the process and of the
# file at the end.
charge_all <- function(folder, amounts) {
  file <- tempfile(tmpdir = folder)
  on.exit(unlink(paste0(file, c("", ".lock"))))
  budget <- privacy_budget(epsilon = 1e6, file = file)
  used <- function() sum(proc.time()[c("user.self", "sys.self")])
  for (i in 1:20) private_count(TRUE, 1) # what is called twice is compiled
  clock <- used()
  for (i in seq_along(amounts)) {
    private_count(TRUE, amounts[i], budget = budget)
    if (i %% window == 0) clock <- c(clock, used())
  }
  memory <- most_memory()
  start <- used()
  for (i in seq_len(window)) private_count(TRUE, amounts[i])
  alone <- (used() - start) / window * 1000
  stopifnot(all.equal(budget$spent, sum(amounts)), identical(budget$spent, privacy_budget(file = file)$spent),
            identical(budget$ledger$value, amounts))
  list(each = diff(clock) / window * 1000, alone = alone, memory = memory, size = file.size(file) / 2^20)
}

set.seed(1)
kinds <- list(alike = rep(.1, n), different = stats::runif(n))
if (version$child) {
  saveRDS(charge_all(arguments[1], kinds[[arguments[2]]]), version$answer)
  quit()
}

say("%.0f charges into a file in memory; processor milliseconds of a charge, mean of %.0f near the", n, window)
say("%-22s %8s %8s %8s %12s %14s %10s %10s", "", "first", "middle", "last", "count alone", "all, seconds", "memory, MB",
    "file, MB")
for (kind in names(kinds)) for (library in unique(c("", c(arguments, "")[2]))) {
  spent <- ask_version("budget", library, shQuote(arguments[1]), kind, format(n, scientific = FALSE))
  at <- spent$each[pmin(near / window + 1, n / window)]
  say("%-22s %8.2f %8.2f %8.2f %12.2f %14.0f %10.0f %10.1f", paste0(kind, if (nzchar(library)) ", before"), at[1],
      at[2], at[3], spent$alone, mean(spent$each) * n / 1000, spent$memory, spent$size)
}
save_said("budget")
