#!/usr/bin/env Rscript
# private_lm() and private_glm() beside lm() and glm(), on one thread. A release reads its rows six times for a linear
# model (four rounds, the scores, the level) and five times for a logistic one. Before a time is printed, a release with
# next to no noise must agree with the known fit: the rows have normal errors and bounded columns, so that little weight
# is taken. Run from the top of the checkout:
#   OMP_NUM_THREADS=1 Rscript bench/regression-query.R

source("bench/common.R")
library(dptda)
options(dptda.threads = 1)

draw_rows <- function(n, p, family) {
  x <- matrix(stats::runif(n * (p - 1), -1, 1), n, dimnames = list(NULL, paste0("x", seq_len(p - 1))))
  eta <- 0.2 + rowSums(x) / sqrt(p)
  data.frame(x, y = if (family == "gaussian") eta + stats::rnorm(n, sd = 0.5) else stats::runif(n) < stats::plogis(eta))
}

measure <- function(n, p, family) {
  set.seed(1)
  rows <- draw_rows(n, p, family)
  formula <- stats::reformulate(paste0("x", seq_len(p - 1)), "y")
  box <- c(stats::setNames(rep(list(c(-1, 1)), p - 1), paste0("x", seq_len(p - 1))),
           if (family == "gaussian") list(y = c(-6, 6)))
  release <- function() {
    if (family == "gaussian") private_lm(rows, formula, box, rho = 1e6)
    else private_glm(rows, formula, box, rho = 1e6)
  }
  plain <- function() {
    if (family == "gaussian") stats::lm(formula, rows) else stats::glm(formula, stats::binomial(), rows)
  }
  known <- plain()
  apart <- max(abs(stats::coef(release()) - stats::coef(known)) / sqrt(diag(stats::vcov(known))))
  stopifnot(apart < 1)
  c(race(5, plain, release, of_runs = min), apart)
}

say("processor milliseconds of one thread, the least of five runs; plain: lm() or glm()")
say("%16s %10s %8s %8s %8s %16s", "n x p", "family", "plain", "private", "ratio", "apart, in s.e.")
for (family in c("gaussian", "binomial")) for (size in list(c(1e4, 5), c(1e5, 5), c(1e5, 21), c(1e6, 10))) {
  found <- measure(size[1], size[2], family)
  say("%16s %10s %8.0f %8.0f %8.2f %16.2f", sprintf("%d x %d", as.integer(size[1]), as.integer(size[2])), family,
      1000 * found[1], 1000 * found[2], found[1] / found[2], found[3])
}
say("ratio: above 1, the private release is faster")
save_said("regression-query")
