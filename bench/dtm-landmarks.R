#!/usr/bin/env Rscript
# The distance to a measure at landmarks, in whole numbers, against the product of the rows with the landmarks that R's
# BLAS computes, and against the kernel for grids, whose numbers it must give: those are compared first. Run from the
# top of the checkout:
#   Rscript bench/dtm-landmarks.R

library(dptda)
source("bench/common.R")
for (name in c("landmark_values", "kernel_options", "ffi_dtm_lattice_distance")) {
  assign(name, utils::getFromNamespace(name, "dptda"))
}
set.seed(20)
options(dptda.threads = 1)

# A circle and noise, and landmarks about it: box [-2, 2]^d, distances within 2^26 steps.
circle <- function(n, d) {
  angle <- stats::runif(n, 0, 2 * pi)
  X <- cbind(cos(angle), sin(angle), if (d > 2) matrix(0, n, d - 2))
  pmax(pmin(X + stats::rnorm(length(X), sd = 0.05), 2), -2)
}
scale_of <- function(d) 2^floor(26 - log2(4 * sqrt(d)))

# In blocks of rows, as the product does not fit beside the rows where these are many.
product <- function(X, P) {
  t_P <- t(P)
  for (from in seq(1, nrow(X), by = 1e5)) X[from:min(from + 1e5 - 1, nrow(X)), , drop = FALSE] %*% t_P
}

say("BLAS: %s", extSoftVersion()[["BLAS"]])
say("one thread; processor seconds, medians of runs that take turns; m0 = 0.05 unless said otherwise")
compare <- function(n, d, landmarks, runs, m0 = 0.05, r = 1, peer = FALSE) {
  X <- circle(n, d)
  P <- circle(landmarks, d)
  scale <- scale_of(d)
  k <- ceiling(m0 * n)
  cap <- min(2 * scale, floor(2^52 / k))
  ours <- function() landmark_values(X, NULL, P, k, r, cap, scale, cap, 1000)
  theirs <- function() {
    .Call(ffi_dtm_lattice_distance, X, NULL, P, k, r, cap, scale, cap, 1000, kernel_options())
  }
  if (peer) {
    stopifnot(identical(ours(), theirs()))
    best <- race(runs, ours, function() product(X, P), theirs)
    say("%7d x %2d rows, %4d landmarks, m0 = %5g, r = %d: ours %6.3f, product %6.3f, ratio %.2f; kernel for grids %7.3f: %.1f times ours",
        n, d, landmarks, m0, r, best[1], best[2], best[1] / best[2], best[3], best[3] / best[1])
  } else {
    best <- race(runs, ours, function() product(X, P))
    say("%7d x %2d rows, %4d landmarks, m0 = %5g, r = %d: ours %6.3f, product %6.3f, ratio %.2f, %.2f ns for each row and landmark",
        n, d, landmarks, m0, r, best[1], best[2], best[1] / best[2], 1e9 * best[1] / n / landmarks)
  }
}
for (d in c(2, 10, 50)) compare(20000, d, 250, 3, peer = TRUE)
for (d in c(2, 10, 50)) compare(20000, d, 250, 3, r = 2, peer = TRUE)
for (landmarks in c(250, 500)) compare(1e5, 10, landmarks, 7)
for (d in c(2, 50)) compare(1e5, d, 250, 5)
for (m0 in c(1e-5, 0.5)) compare(1e5, 10, 250, 7, m0 = m0)
for (landmarks in c(250, 500)) compare(1e6, 10, landmarks, 3)

X <- circle(1e6, 10)
P <- circle(500, 10)
elapsed <- sapply(1:2, function(threads) {
  options(dptda.threads = threads)
  min(replicate(3, system.time(landmark_values(X, NULL, P, 5e4, 1, 2 * scale_of(10), scale_of(10), 2 * scale_of(10), 1000))[["elapsed"]]))
})
say("10^6 x 10 rows, 500 landmarks, elapsed, the best of three (depends on what else runs): one thread %.2f, two threads %.2f", elapsed[1], elapsed[2])

# ---- the whole release ---------------------------------------------------------------------------------------------------
if (requireNamespace("ripserr", quietly = TRUE)) {
  say("")
  say("a whole release, 100000 x 10 rows, a circle; seconds by the clock, default threads, medians of three")
  options(dptda.threads = NULL)
  set.seed(3)
  angle <- stats::runif(1e5, 0, 2 * pi)
  axes <- qr.Q(qr(matrix(stats::rnorm(20), 10)))
  X <- cbind(cos(angle), sin(angle)) %*% t(axes) + stats::rnorm(1e6, sd = 0.05)
  clock <- function(expression) stats::median(vapply(1:3, function(i) system.time(expression())[["elapsed"]], 0))
  box <- domain_box(rep(-3, 10), rep(3, 10))
  mixture <- private_mixture(X, box, 20, epsilon = 0.5, delta = 1e-6, rng = "R")
  say("  private mixture, K0 = 20: %.2f", clock(function() private_mixture(X, box, 20, epsilon = 0.5, delta = 1e-6)))
  for (size in c(250, 500)) {
    landmarks <- landmarks_from(mixture, size)
    setup <- dptda:::release_setup(X, landmarks, 0.5, NULL, 0.05, 1, 0.35, 0:1, 10, TRUE, "drop", "max")
    mechanism <- setup$plan
    values <- function() dptda:::lattice_values(landmarks, setup$cloud, mechanism$lattice, mechanism$steps)
    known <- values()
    pairs <- function() dptda:::domain_pairs(landmarks, known, 0:1, "drop", mechanism$levels, mechanism$step)
    truth <- dptda:::split_diagram(pairs(), 0:1)
    say("  %d landmarks: choosing %.2f, distances %.3f, complex %.3f, draw %.4f; private_diagram() %.2f", size,
        clock(function() landmarks_from(mixture, size)), clock(values), clock(pairs),
        clock(function() dptda:::draw_steps(mechanism, truth, 1, "os")),
        clock(function() private_diagram(X, landmarks, epsilon = 0.5, m0 = 0.05, clip = 0.35)))
  }
}
save_said("dtm-landmarks")
