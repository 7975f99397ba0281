#!/usr/bin/env Rscript
# Power of the auditor on each planted lie of one kind of mechanism, and its false alarms without the fault:
#
#   Rscript bench/audit.R [AUDITS]
#
# Run from the top of the checkout; writes bench/results/audit.txt. The lies live in the tests
# (tests/testthat/helper-lies.R), many of them as changed parts of the package, and are read as the tests read them;
# these are the numbers of runs that the tests use. Minutes.
library(dptda)
lies <- testthat::test_env("dptda")
testthat::source_test_helpers("tests/testthat", lies)
audits <- as.numeric(c(commandArgs(TRUE), 200)[1])
options(width = 120)

set.seed(1)
share <- function(group, audits) {
  do.call(rbind, lapply(names(group), function(name) {
    one <- group[[name]]
    found <- replicate(audits, lies$audit_lie(one), simplify = FALSE)
    data.frame(
      mechanism = name, declared = if (is.null(one$rho)) one$epsilon else one$rho, runs = one$runs,
      audits = length(found),
      rejected = mean(vapply(found, `[[`, NA, "rejected")),
      median_bound = signif(stats::median(vapply(found, `[[`, 0, "lower")), 3)
    )
  }))
}

report <- c(
  "Audits at confidence 99 %: share rejected, median lower bound on epsilon or, where the name says so, rho.", "",
  "Planted lies (power)",
  utils::capture.output(print(share(lies$planted_lies(), audits), row.names = FALSE, right = FALSE)), "",
  "The same without the fault (false alarms, at most 0.01 by theory)",
  utils::capture.output(print(share(lies$honest_twins(), 5 * audits), row.names = FALSE, right = FALSE))
)
writeLines(report, "bench/results/audit.txt")
writeLines(report)
