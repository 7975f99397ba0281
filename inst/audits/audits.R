#!/usr/bin/env Rscript
# The long audits: every example of a mechanism (mechanism_examples()), many runs, noise from the operating system.
# Minutes for what draws many at once, an hour for all.
#
#   Rscript inst/audits/audits.R [RUNS [NAME]]
#
# RUNS is how often each mechanism is run on each of its two data sets, 20,000 if it is not given, and a fifth of it
# where an example says that it is slow. Run from the top of the checkout; writes inst/audits/results/audits.csv, of
# which only the mechanisms with NAME in their names are run again. `lower` is a lower bound on the declared parameter
# at confidence 99 %, `reach` the largest that so many runs can give. An exponential mechanism spends half of its
# epsilon on a normalizing constant that hardly moves for diagrams, so bounds of half the declared epsilon and less
# are what an intact one gives: this table would catch a diagram mechanism that is wrong by clearly more than a factor
# of two, or wrong in kind. The ledger identity in the tests catches a factor of two.
library(dptda)

arguments <- commandArgs(TRUE)
runs <- as.numeric(c(arguments, 2e4)[1])
wanted <- c(arguments, NA)[2]
path <- "inst/audits/results/audits.csv"

examples <- mechanism_examples()
rerun <- if (is.na(wanted)) examples else mechanism_examples(wanted)
if (!length(rerun)) stop("no mechanism has `", wanted, "` in its name")
numbers <- c("lower", "estimate", "reach")
known <- utils::read.csv(path)

# Row by row, so that a run that is cut off leaves what it found.
for (example in rerun) {
  audit <- audit_mechanism(example$mechanism, example$x, example$neighbor, part = example$part,
                           runs = if (example$slow) runs / 5 else runs)
  cat(example$name, format(audit), "", sep = "\n")
  found <- cbind(mechanism = example$name, as.data.frame(audit))[names(known)]
  found[numbers] <- lapply(found[numbers], signif, digits = 4)
  known <- rbind(found, known[known$mechanism != example$name, ])
  known <- known[match(names(examples), known$mechanism, nomatch = 0), ]
  utils::write.csv(known, path, row.names = FALSE)
}
row.names(known) <- NULL
print(known)
