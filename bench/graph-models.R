#!/usr/bin/env Rscript
# Draws of random graphs: ours, and igraph where it is installed and has the model. Processor seconds; the numbers of
# edges are compared first, by their law. Run from the top of the checkout:
#   Rscript bench/graph-models.R

library(dptda)
source("bench/common.R")
set.seed(20)

seconds <- function(code) {
  gc(FALSE)
  time <- system.time(code)
  time[["user.self"]] + time[["sys.self"]]
}
has_igraph <- requireNamespace("igraph", quietly = TRUE)
if (!has_igraph) say("absent, skipped: igraph")

n <- 1e4
X <- matrix(sqrt(stats::runif(3 * n) / 4), n, 3)
equal <- function(k, within, between) matrix(between, k, k) + diag(within - between, k)
blocks <- rep(1e5, 10)
cases <- list(
  "inner products, n = 10^4" = list(graph_rdpg(X), function() igraph::sample_dot_product(t(X))),
  "inner products / 100, n = 10^4" = list(graph_rdpg(X / 10), function() igraph::sample_dot_product(t(X / 10))),
  "2 dense blocks, n = 10^4" = list(graph_sbm(c(n, n) / 2, equal(2, 0.3, 0.1)),
                                    function() igraph::sample_sbm(n, equal(2, 0.3, 0.1), c(n, n) / 2)),
  "10 sparse blocks, n = 10^6" = list(graph_sbm(blocks, equal(10, 9e-5, 1e-6)),
                                      function() igraph::sample_sbm(1e6, equal(10, 9e-5, 1e-6), blocks)),
  "the same with weights" = list(graph_sbm(blocks, equal(10, 9e-5, 1e-6), weights = stats::rexp(1e6)), NULL)
)
say("%32s %10s %10s %12s %8s", "model", "edges", "ours (s)", "igraph (s)", "ratio")
for (name in names(cases)) {
  model <- cases[[name]][[1]]
  ours <- seconds(edges <- simulate(model))
  theirs <- NA
  if (has_igraph && !is.null(cases[[name]][[2]])) {
    theirs <- seconds(graph <- cases[[name]][[2]]())
    # an edge has at most the variance of a Poisson variable
    stopifnot(abs(igraph::ecount(graph) - nrow(edges)) < 6 * sqrt(2 * nrow(edges)))
  }
  say("%32s %10d %10.2f %12.2f %8.1f", name, nrow(edges), ours, theirs, theirs / ours)
}
dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("graph-models")
