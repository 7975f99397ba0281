#!/usr/bin/env Rscript
# Private principal components of a million rows of fifty numbers beside what they cost without privacy: prcomp(), and
# the products of the rows alone, by the BLAS that R has. A release within a ball reads the rows twice a round. Run from
# the top of the checkout:
#   OMP_NUM_THREADS=2 Rscript bench/cluster-pca.R

source("bench/common.R")
library(dptda)
set.seed(1)
rows <- 1e6
columns <- 50
X <- matrix(stats::rnorm(rows * columns), rows)
box <- domain_box(rep(-40, columns), rep(40, columns))
release <- function(method) private_pca(X, box, 3, epsilon = 1, delta = 1e-8, method = method)
time <- function(run) {
  spent <- system.time(found <- run())
  c(processor = spent[["user.self"]] + spent[["sys.self"]], clock = spent[["elapsed"]])
}
seen <- list("prcomp()" = time(function() stats::prcomp(X, rank. = 3)),
             "products of the rows" = time(function() crossprod(X)),
             "ball" = time(function() release("ball")), "covariance" = time(function() release("covariance")))

say("%s rows of %d numbers, seconds of the processor and of the clock", format(rows, big.mark = ","), columns)
for (name in names(seen)) say("%25s %6.1f %6.1f", name, seen[[name]][["processor"]], seen[[name]][["clock"]])
flops <- 3 * 2 * rows * columns * (columns + 1)
say("a release within a ball: %.1f billion operations a second of the processor", flops / seen$ball[[1]] / 1e9)
save_said("cluster-pca")
