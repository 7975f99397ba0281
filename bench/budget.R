#!/usr/bin/env Rscript
# Payments into a budget in a file, on one core: the time of one near the first and after many others and of all, the
# memory of the process and the size of the file. What was paid must add up before a time is printed, for who paid and for
# who opens the file. Payments of one kind and ones that all differ. The folder should be one in memory: how long a disk
# takes until it has a line is the disk's. With a library that holds an earlier version of the package, this one and that
# take turns, process by process. Run from the top of the checkout:
#   Rscript bench/budget.R FOLDER [LIBRARY OF AN EARLIER VERSION]

arguments <- commandArgs(TRUE)
child <- length(arguments) > 1 && arguments[1] == "--library"
library(dptda, lib.loc = if (child && nzchar(arguments[2])) arguments[2])
source("bench/common.R")
spend <- asNamespace("dptda")$spend_budget

n <- 50000
window <- 1000
near <- c(50, 25000, 50000)

# Processor milliseconds of a payment of each window, the sizes of the process and of the file at the end.
pay_all <- function(folder, amounts) {
  file <- tempfile(tmpdir = folder)
  on.exit(unlink(paste0(file, c("", ".lock"))))
  budget <- privacy_budget(epsilon = 1e6, file = file)
  used <- function() sum(proc.time()[c("user.self", "sys.self")])
  clock <- used()
  for (i in seq_along(amounts)) {
    spend(budget, "step", c(epsilon = amounts[i]))
    if (i %% window == 0) clock <- c(clock, used())
  }
  memory <- most_memory()
  stopifnot(all.equal(budget$spent, sum(amounts)), identical(budget$spent, privacy_budget(file = file)$spent),
            identical(budget$ledger$value, amounts))
  list(each = diff(clock) / window * 1000, memory = memory, size = file.size(file) / 2^20)
}

set.seed(1)
kinds <- list(alike = rep(.1, n), different = stats::runif(n))
if (child) {
  saveRDS(pay_all(arguments[4], kinds[[arguments[3]]]), arguments[5])
  quit()
}

pay_in <- function(library, kind) {
  answer <- tempfile()
  stopifnot(system2("Rscript", c("bench/budget.R", "--library", shQuote(library), kind, shQuote(arguments[1]),
                                 answer)) == 0)
  readRDS(answer)
}

say("%.0f payments into a file in memory; processor milliseconds of a payment, mean of %d near the", n, window)
say("%-22s %8s %8s %8s %14s %10s %10s", "", "50th", "25000th", "50000th", "all, seconds", "memory, MB", "file, MB")
for (kind in names(kinds)) for (library in c("", arguments[-1])) {
  paid <- pay_in(library, kind)
  at <- paid$each[pmin(pmax(near / window, 1), n / window)]
  say("%-22s %8.2f %8.2f %8.2f %14.0f %10.0f %10.1f", paste0(kind, if (nzchar(library)) ", before"), at[1], at[2], at[3],
      mean(paid$each) * n / 1000, paid$memory, paid$size)
}
save_said("budget")
