#!/usr/bin/env Rscript
# The long audits: every mechanism of mechanisms.R, many runs, noise from the operating system. Minutes.
#
#   Rscript inst/audits/audits.R [RUNS]
#
# Run from the top of the checkout; writes inst/audits/results/audits.csv. `lower` is a lower bound on the declared
# parameter at confidence 99 %, `reach` the largest that so many runs can give. An exponential mechanism spends half of
# its epsilon on a normalizing constant that hardly moves for diagrams, so bounds of half the declared epsilon and less
# are what an intact one gives: this table would catch a diagram mechanism that is wrong by clearly more than a factor
# of two, or wrong in kind. The ledger identity in the tests catches a factor of two.
library(dptda)
source("inst/audits/mechanisms.R")

runs <- as.numeric(c(commandArgs(TRUE), 2e4)[1])
cores <- getOption("mc.cores", 2L)

table <- do.call(rbind, lapply(audited_mechanisms(), function(entry) {
  found <- audit_entry(entry, runs, cores)
  cat(entry$name, format(found), "", sep = "\n")
  cbind(mechanism = entry$name, as.data.frame(found))
}))
numbers <- c("lower", "estimate", "reach")
table[numbers] <- lapply(table[numbers], signif, digits = 4)
utils::write.csv(table, "inst/audits/results/audits.csv", row.names = FALSE)
print(table)
