#!/usr/bin/env Rscript
# One private query of the rows beside one round of expectation and maximization without privacy, and releases that are
# made of queries, on one thread. A query is a fifth of what five more of them cost private_mixture(), with its noise
# and the model that follows; what comes before the queries (a mean, starts and their scores) is what is left of the
# release. With a library that holds an earlier version of the package, this one and that take turns, and what they
# release with the same seed must be equal before a time is printed. Run from the top of the checkout:
#   OMP_NUM_THREADS=1 Rscript bench/cluster-query.R [LIBRARY OF AN EARLIER VERSION, or "" [ROWS COLUMNS CLUSTERS]]

source("bench/common.R")
version <- load_version()
sizes <- list(c(59130, 8, 10), c(59130, 8, 20), c(59130, 16, 10), c(200000, 10, 12))

# Normal clusters.
scene <- function(n, D, K) {
  set.seed(1)
  means <- matrix(stats::rnorm(K * D, sd = 2.5), K)
  X <- means[sample(K, n, TRUE), ] + matrix(stats::rnorm(n * D), n)
  list(X = X, box = domain_box(rep(-15, D), rep(15, D)), K = K, start = fit_mixture(X[1:2000, ], K, rounds = 1))
}

measure <- function(n, D, K) {
  s <- scene(n, D, K)
  fit <- function(rounds) function() fit_mixture(s$X, start = s$start, rounds = rounds, tolerance = 0)
  release <- function(rounds) function() {
    set.seed(2)
    private_mixture(s$X, s$box, K, epsilon = 1, delta = 1e-6, rounds = rounds, rng = "R")
  }
  # what is not a round falls out
  spent <- race(5, fit(2), fit(7), release(5), release(10), of_runs = min)
  query <- (spent[4] - spent[3]) / 5
  found <- release(10)()
  list(spent = c(round = (spent[2] - spent[1]) / 5, query = query, before_queries = spent[4] - 10 * query,
                 release = spent[4]),
       released = found[c("weights", "means", "covariances")])
}

if (version$child) {
  saveRDS(do.call(measure, as.list(as.numeric(version$rest))), version$answer)
  quit()
}
if (length(version$rest) > 1) sizes <- list(as.numeric(version$rest[-1]))

say("processor milliseconds of one thread, the least of five runs; a release is private_mixture() with ten rounds and")
say("epsilon = 1; was: an earlier version in the same run, which released the same")
say("%22s %8s %8s %8s %14s %8s %8s %8s %8s", "n x D, K", "round", "query", "was", "before queries", "was", "release",
    "was", "rounds")
earlier <- if (length(version$rest) && nzchar(version$rest[1])) version$rest[1]
for (size in sizes) {
  now <- ask_version("cluster-query", "", size)
  was <- if (length(earlier)) ask_version("cluster-query", earlier, size)
  if (length(was)) stopifnot(identical(now$released, was$released))
  ms <- function(x) if (length(x)) sprintf("%.1f", 1000 * x) else "-"
  say("%22s %8s %8s %8s %14s %8s %8s %8s %8.1f", sprintf("%d x %d, %d", size[1], size[2], size[3]),
      ms(now$spent[["round"]]), ms(now$spent[["query"]]), ms(was$spent["query"]), ms(now$spent[["before_queries"]]),
      ms(was$spent["before_queries"]),
      ms(now$spent[["release"]]), ms(was$spent["release"]), now$spent[["query"]] / now$spent[["round"]])
}
say("rounds: how many rounds without privacy a query takes now")
save_said("cluster-query")
