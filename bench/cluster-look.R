#!/usr/bin/env Rscript
# One private look at the rows beside one round of expectation and maximization without privacy, the scores of the starts,
# and releases that are made of them, on one thread. With a library that holds an earlier version of the package,
# this one and that take turns, and their sums and scores must be equal before a time is printed. Run from the top of the
# checkout:
#   OMP_NUM_THREADS=1 Rscript bench/cluster-look.R [LIBRARY OF AN EARLIER VERSION]

arguments <- commandArgs(TRUE)
child <- length(arguments) && arguments[1] == "--library"
library(dptda, lib.loc = if (child && nzchar(arguments[2])) arguments[2])
source("bench/common.R")
verbs <- asNamespace("dptda")
options(dptda.threads = 1)
sizes <- list(c(59130, 8, 10), c(59130, 8, 20), c(59130, 16, 10), c(200000, 10, 12))

# Normal clusters; the looks are those of a model that was released from them.
scene <- function(n, D, K) {
  set.seed(1)
  means <- matrix(stats::rnorm(K * D, sd = 2.5), K)
  X <- means[sample(K, n, TRUE), ] + matrix(stats::rnorm(n * D), n)
  box <- domain_box(rep(-15, D), rep(15, D))
  start <- fit_mixture(X[1:2000, ], K, rounds = 1)
  public <- list(weights = start$weights, means = t(unname(start$means)) / 15, covariances = start$covariances / 225)
  global <- list(weights = 1, means = matrix(0, D, 1), covariances = array(diag(0.1, D), c(D, D, 1)))
  set.seed(2)
  list(X = X, box = box, K = K, start = start, public = public, global = global,
       starts = lapply(1:20, function(i) verbs$draw_centers(K, D, "R")))
}

measure <- function(n, D, K) {
  s <- scene(n, D, K)
  bits <- verbs$look_bits(n, D, 0.01, list(whitened = TRUE, hard = FALSE), K)
  look <- function() verbs$look_sums(s$X, s$public, s$box, list(whitened = TRUE, hard = FALSE, bits = bits))
  scores <- function() verbs$start_scores(s$X, s$global, s$box, s$starts, verbs$start_spread(K, D), 8)
  fit <- function(rounds) function() fit_mixture(s$X, start = s$start, rounds = rounds, tolerance = 0)
  release <- function() private_mixture(s$X, s$box, K, epsilon = 1, delta = 1e-6, rounds = 10)
  # what is not a round falls out
  spent <- race(5, look, scores, fit(2), fit(7), release, of_runs = min)
  list(spent = c(look = spent[1], scores = spent[2], round = (spent[4] - spent[3]) / 5, release = spent[5]),
       sums = look(), scores = scores())
}

if (child) {
  saveRDS(do.call(measure, as.list(as.numeric(arguments[4:6]))), arguments[3])
  quit()
}

measure_in <- function(library, size) {
  answer <- tempfile()
  stopifnot(system2("Rscript", c("bench/cluster-look.R", "--library", shQuote(library), answer, size)) == 0)
  readRDS(answer)
}

say("processor milliseconds of one thread, the least of five runs; a look is the kernel alone, a release private_mixture() with")
say("ten rounds and epsilon = 1; before: an earlier version in the same run, whose sums and scores are the same")
say("%22s %8s %8s %8s %8s %8s %8s %8s %8s", "n x D, K", "round", "look", "before", "scores", "before", "release", "before", "rounds")
earlier <- if (length(arguments)) arguments[1]
for (size in sizes) {
  now <- measure_in("", size)
  before <- if (length(earlier)) measure_in(earlier, size)
  if (length(before)) stopifnot(identical(now$sums, before$sums), identical(now$scores, before$scores))
  ms <- function(x) if (length(x)) sprintf("%.1f", 1000 * x) else "-"
  say("%22s %8s %8s %8s %8s %8s %8s %8s %8.1f", sprintf("%d x %d, %d", size[1], size[2], size[3]), ms(now$spent[["round"]]),
      ms(now$spent[["look"]]), ms(before$spent["look"]), ms(now$spent[["scores"]]), ms(before$spent["scores"]),
      ms(now$spent[["release"]]), ms(before$spent["release"]), now$spent[["look"]] / now$spent[["round"]])
}
say("rounds: how many rounds without privacy a look takes now")
save_said("cluster-look")
