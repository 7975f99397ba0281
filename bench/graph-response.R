#!/usr/bin/env Rscript
# Flips of all pairs of a graph: ours against runif() < p in plain R, which is neither exact nor packed. Frequencies are
# compared before times; processor time, since others may use the machine. Run from the top of the checkout:
#   Rscript bench/graph-response.R

library(dptda)
source("bench/common.R")
set.seed(30)

one_edge <- data.frame(from = 1L, to = 2L)

# the upper triangle, column by column
plain_response <- function(n, epsilon) stats::runif(n * (n - 1) / 2) < 1 / (1 + exp(epsilon))

seconds <- function(code) {
  time <- system.time(code)
  c(processor = sum(time[1:2]), clock = time[[3]])
}

# both flip as often as they should, and so as often as each other
for (epsilon in c(0.5, 1, 3)) {
  pairs <- 3000 * 2999 / 2
  p <- 1 / (1 + exp(epsilon))
  counts <- c(summary(private_graph(one_edge, epsilon, n = 3000))$edges, sum(plain_response(3000, epsilon)))
  stopifnot(abs(counts - pairs * p) < 6 * sqrt(pairs * p * (1 - p)))
}

# ours first: what plain R takes is more than all of the graph
before <- most_memory()
runs <- expand.grid(threads = 1:2, n = c(1e4, 1e5))
times <- lapply(seq_len(nrow(runs)), function(i) {
  options(dptda.threads = runs$threads[i])
  release <<- NULL # or two of them would be there at once
  invisible(gc())
  seconds(release <<- private_graph(one_edge, 1, n = runs$n[i]))
})
memory <- most_memory() - before
size <- as.numeric(utils::object.size(release$bits)) / 2^20
rm(release)
plain <- seconds(plain_response(1e4, 1))[["processor"]] / (1e4 * (1e4 - 1) / 2)
say("%9s %8s %8s %8s %12s %12s %12s", "vertices", "epsilon", "threads", "clock s", "processor s", "pairs/s/core",
    "ratio to R")
for (i in seq_len(nrow(runs))) {
  pairs <- runs$n[i] * (runs$n[i] - 1) / 2
  processor <- times[[i]][["processor"]]
  say("%9.0f %8.3g %8d %8.3f %12.3f %12.3g %12.1f", runs$n[i], 1, runs$threads[i], times[[i]][["clock"]], processor,
      pairs / processor, plain / (processor / pairs))
}
say("%9.0f vertices: %.0f MB of bits, and the process has grown by %.0f MB at most", max(runs$n), size, memory)
options(dptda.threads = 1)
n <- 1e6
ends <- data.frame(from = sample.int(n, 5e6, TRUE), to = sample.int(n, 5e6, TRUE))
time <- seconds(release <- private_graph(ends, log(n), n = n))
response <- release$flip * n * (n - 1) / 2
say(paste0("%9.0f vertices, 5 million edges, epsilon = log(n), a list: %.3f s of the clock, %.3f s of the ",
           "processor; %.0f flips expected"),
    n, time[["clock"]], time[["processor"]], response)
time <- seconds(private_graph(one_edge, log(n), n = n))
say("%9.0f vertices, one edge: %.0f ns a flip", n, 1e9 * time[["processor"]] / response)

dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("graph-response")
