#!/usr/bin/env Rscript
# Private diagrams on landmarks, of components alone, whose time is that of the distance to a measure in whole numbers,
# against the product of the rows with the landmarks that R's BLAS computes, and against distance_to_measure() in
# doubles. First, the release must be near the diagram in doubles. Run from the top of the checkout:
#   Rscript bench/dtm-landmarks.R [ROWS]
# ROWS: comparisons of more rows are left out.

library(dptda)
source("bench/common.R")
set.seed(20)
options(dptda.threads = 1)
most_rows <- as.numeric(c(commandArgs(TRUE), Inf)[1])

# A circle and noise, and landmarks about it: box [-2, 2]^d.
circle <- function(n, d) {
  angle <- stats::runif(n, 0, 2 * pi)
  X <- cbind(cos(angle), sin(angle), if (d > 2) matrix(0, n, d - 2))
  pmax(pmin(X + stats::rnorm(length(X), sd = 0.05), 2), -2)
}
places <- function(landmarks, d) domain_landmarks(circle(landmarks, d), box = domain_box(rep(-2, d), rep(2, d)))
mechanism_of <- function(n, P, m0, r) {
  private_diagram(unseen(n), P, epsilon = 1000, m0 = m0, r = r, dimensions = 0, max_points = 20)
}
components <- function(X, P, m0, r = 1) simulate(mechanism_of(nrow(X), P, m0, r), 1, x = X)[[1]]

# In blocks of rows, as the product does not fit beside the rows where these are many.
product <- function(X, P) {
  t_P <- t(P)
  for (from in seq(1, nrow(X), by = 1e5)) X[from:min(from + 1e5 - 1, nrow(X)), , drop = FALSE] %*% t_P
}

say("BLAS: %s", extSoftVersion()[["BLAS"]])
say("one thread; processor seconds, medians of runs that take turns; m0 = 0.05 unless said otherwise")
compare <- function(n, d, landmarks, runs, m0 = 0.05, r = 1, peer = FALSE) {
  if (n > most_rows) return()
  X <- circle(n, d)
  P <- places(landmarks, d)
  ours <- function() components(X, P, m0, r)
  if (peer) {
    truth <- dtm_persistence(X, P, m0, r = r, max_dimension = 0, essential = "drop")
    check_near(ours(), mechanism_of(n, P, m0, r), truth)
    best <- race(runs, ours, function() product(X, P$points), function() distance_to_measure(X, P, m0, r = r))
    say(paste("%7d x %2d rows, %4d landmarks, m0 = %5g, r = %d: release %6.3f, product %6.3f, ratio %.2f;",
              "distances in doubles %7.3f: %.1f times the release"), n, d, landmarks, m0, r,
        best[1], best[2], best[1] / best[2], best[3], best[3] / best[1])
  } else {
    best <- race(runs, ours, function() product(X, P$points))
    say(paste("%7d x %2d rows, %4d landmarks, m0 = %5g, r = %d: release %6.3f, product %6.3f, ratio %.2f,",
              "%.2f ns for each row and landmark"), n, d, landmarks, m0, r,
        best[1], best[2], best[1] / best[2], 1e9 * best[1] / n / landmarks)
  }
}
for (d in c(2, 10, 50)) compare(20000, d, 250, 3, peer = TRUE)
for (d in c(2, 10, 50)) compare(20000, d, 250, 3, r = 2, peer = TRUE)
for (landmarks in c(250, 500)) compare(1e5, 10, landmarks, 7)
for (d in c(2, 50)) compare(1e5, d, 250, 5)
for (m0 in c(1e-5, 0.5)) compare(1e5, 10, 250, 7, m0 = m0)
for (landmarks in c(250, 500)) compare(1e6, 10, landmarks, 3)

if (most_rows >= 1e6) {
  X <- circle(1e6, 10)
  P <- places(500, 10)
  elapsed <- sapply(1:2, function(threads) {
    options(dptda.threads = threads)
    min(replicate(3, system.time(components(X, P, 0.05))[["elapsed"]]))
  })
  say(paste("10^6 x 10 rows, 500 landmarks, elapsed, the best of three (depends on what else runs): one thread %.2f,",
            "two threads %.2f"), elapsed[1], elapsed[2])
}

# ---- the whole release -----------------------------------------------------------------------------------------------
if (requireNamespace("ripserr", quietly = TRUE)) {
  say("")
  n <- min(1e5, most_rows)
  say("a whole release, %.0f x 10 rows, a circle; seconds by the clock, default threads, medians of three", n)
  options(dptda.threads = NULL)
  set.seed(3)
  angle <- stats::runif(n, 0, 2 * pi)
  axes <- qr.Q(qr(matrix(stats::rnorm(20), 10)))
  X <- cbind(cos(angle), sin(angle)) %*% t(axes) + stats::rnorm(10 * n, sd = 0.05)
  clock <- function(expression) stats::median(vapply(1:3, function(i) system.time(expression())[["elapsed"]], 0))
  box <- domain_box(rep(-3, 10), rep(3, 10))
  mixture <- private_mixture(X, box, 20, epsilon = 0.5, delta = 1e-6, rng = "R")
  say("  private mixture, K0 = 20: %.2f", clock(function() private_mixture(X, box, 20, epsilon = 0.5, delta = 1e-6)))
  for (size in c(250, 500)) {
    landmarks <- landmarks_from(mixture, size)
    mechanism <- private_diagram(unseen(n), landmarks, epsilon = 0.5, m0 = 0.05, clip = 0.35)
    diagram <- function() dtm_persistence(X, landmarks, 0.05, clip = 0.35, max_dimension = 1, essential = "drop")
    truth <- diagram()
    say(paste("  %d landmarks: choosing %.2f, distances in doubles %.3f, with their diagram %.3f, draw %.4f;",
              "private_diagram() %.2f"), size,
        clock(function() landmarks_from(mixture, size)),
        clock(function() distance_to_measure(X, landmarks, 0.05, clip = 0.35)),
        clock(diagram),
        clock(function() simulate(mechanism, 1, x = truth)),
        clock(function() private_diagram(X, landmarks, epsilon = 0.5, m0 = 0.05, clip = 0.35)))
  }
}
save_said("dtm-landmarks")
