#!/usr/bin/env Rscript
# Brings the packages that DESCRIPTION suggests to the newest versions of CRAN, for tools/newest.sh:
#
#   Rscript tools/newest-packages.R [PATTERN]
#
# Packages that match the pattern are left alone. What could not be built is named, and the exit status is 1.
pattern <- commandArgs(TRUE)
repository <- "https://cloud.r-project.org"
suggested <- read.dcf("DESCRIPTION", "Suggests")[[1]]
suggested <- trimws(sub("\\(.*", "", strsplit(suggested, ",")[[1]]))
if (length(pattern)) suggested <- grep(pattern, suggested, value = TRUE, invert = TRUE)
newest <- available.packages(repos = repository)
suggested <- intersect(suggested, rownames(newest))

lags <- function() {
  has <- installed.packages()[, "Version"]
  there <- suggested %in% names(has)
  old <- rep(TRUE, length(suggested))
  old[there] <- package_version(has[suggested[there]]) < package_version(newest[suggested[there], "Version"])
  suggested[old]
}
old <- lags()
cat("From CRAN:", old, "\n")
if (length(old)) install.packages(old, repos = repository, Ncpus = 2)
old <- lags()
if (length(old)) stop("not the newest: ", paste(old, collapse = ", "))
