#!/usr/bin/env Rscript
# The long audits: every mechanism of mechanisms.R, many runs, noise from the operating system. Minutes.
#
#   Rscript inst/audits/audits.R [RUNS [NAME]]
#
# Two processes are forked for the releases (option mc.cores), or a plan of the package future is followed:
#
#   Rscript -e 'future::plan(future::cluster, workers = c("node1", "node2")); source("inst/audits/audits.R")'
#
# Run from the top of the checkout; writes inst/audits/results/audits.csv, of which only the mechanisms with this text
# in their names are run again. `lower` is a lower bound on the declared parameter at confidence 99 %, `reach` the
# largest that so many runs can give. An exponential mechanism spends half of its epsilon on a normalizing constant that
# hardly moves for diagrams, so bounds of half the declared epsilon and less are what an intact one gives: this table
# would catch a diagram mechanism that is wrong by clearly more than a factor of two, or wrong in kind. The ledger
# identity in the tests catches a factor of two.
library(dptda)
source("inst/audits/mechanisms.R")

arguments <- commandArgs(TRUE)
runs <- as.numeric(c(arguments, 2e4)[1])
wanted <- c(arguments, NA)[2]
cores <- getOption("mc.cores", 2L)
path <- "inst/audits/results/audits.csv"

entries <- audited_mechanisms()
names(entries) <- vapply(entries, `[[`, "", "name")
rerun <- if (is.na(wanted)) names(entries) else grep(wanted, names(entries), fixed = TRUE, value = TRUE)

found <- do.call(rbind, lapply(rerun, function(name) {
  audit <- audit_entry(entries[[name]], runs, cores)
  cat(name, format(audit), "", sep = "\n")
  cbind(mechanism = name, as.data.frame(audit))
}))
numbers <- c("lower", "estimate", "reach")
found[numbers] <- lapply(found[numbers], signif, digits = 4)
if (!is.na(wanted)) {
  known <- utils::read.csv(path)
  found <- rbind(found, known[!known$mechanism %in% rerun, names(found)])
}
found <- found[match(names(entries), found$mechanism, nomatch = 0), ]
row.names(found) <- NULL
utils::write.csv(found, path, row.names = FALSE)
print(found)
