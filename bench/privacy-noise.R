#!/usr/bin/env Rscript
# Discrete noise: ours from the operating system's entropy and from a key, against the textbook in plain R, which is
# fast and not exact (it inverts with log() on doubles), and against the exact sampler of Canonne, Kamath and Steinke
# with one R call a coin. Distributions are compared before times. Run from the top of the checkout:
#   Rscript bench/privacy-noise.R

library(dptda)
source("bench/common.R")
set.seed(20)

# seconds of this process for one draw, over at least 0.3 seconds
per_draw <- function(draw, n) {
  runs <- 0
  started <- sum(proc.time()[1:2])
  repeat {
    draw(n)
    runs <- runs + 1
    spent <- sum(proc.time()[1:2]) - started
    if (spent > 0.3) return(spent / runs / n)
  }
}

textbook_laplace <- function(n, scale) {
  geometric <- function() floor(log(stats::runif(n)) * -scale)
  geometric() - geometric()
}
# by inversion over the table of probabilities
textbook_gaussian <- function(n, scale) {
  support <- seq(-ceiling(9 * scale), ceiling(9 * scale))
  sample(support, n, replace = TRUE, prob = exp(-support^2 / (2 * scale^2)))
}

coin_exp <- function(x) {
  while (x > 1) {
    if (!coin_exp(1)) return(FALSE)
    x <- x - 1
  }
  k <- 1
  while (stats::runif(1) < x / k) k <- k + 1
  k %% 2 == 1
}
plain_laplace_one <- function(t) {
  repeat {
    u <- sample.int(t, 1) - 1
    if (!coin_exp(u / t)) next
    v <- 0
    while (coin_exp(1)) v <- v + 1
    negative <- stats::runif(1) < 0.5
    if (u + t * v > 0 || !negative) return((u + t * v) * (1 - 2 * negative))
  }
}
plain_gaussian_one <- function(scale) {
  t <- floor(scale) + 1
  repeat {
    y <- plain_laplace_one(t)
    if (coin_exp((abs(y) - scale^2 / t)^2 / (2 * scale^2))) return(y)
  }
}
plain_laplace <- function(n, scale) vapply(seq_len(n), function(i) plain_laplace_one(scale), 0)
plain_gaussian <- function(n, scale) vapply(seq_len(n), function(i) plain_gaussian_one(scale), 0)

# a two-sample chi-square; p-values above 1e-6 count as the same distribution
same <- function(x, y) {
  cells <- unique(stats::quantile(c(x, y), seq(0.02, 0.98, 0.04)))
  tables <- rbind(table(findInterval(x, cells)), table(findInterval(y, cells)))
  stopifnot(stats::chisq.test(tables)$p.value > 1e-6)
}

peers <- list(
  laplace = list(ours = rdiscrete_laplace, "plain R, exact form" = plain_laplace, "textbook R" = textbook_laplace),
  gaussian = list(ours = rdiscrete_gaussian, "plain R, exact form" = plain_gaussian, "textbook R" = textbook_gaussian)
)
say("%-9s %6s %-20s %14s %14s %14s %8s", "noise", "scale", "peer", "ours os (us)", "ours key (us)", "peer (us)",
    "ratio")
for (kind in names(peers)) for (scale in c(1, 10, 1000)) {
  ours <- peers[[kind]]$ours
  from_system <- 1e6 * per_draw(function(n) ours(n, scale), 1e5)
  from_key <- 1e6 * per_draw(function(n) ours(n, scale, rng = "R"), 1e5)
  for (name in names(peers[[kind]])[-1]) {
    peer <- peers[[kind]][[name]]
    n <- if (name == "textbook R") 1e5 else 2000
    same(ours(20000, scale), peer(if (name == "textbook R") 20000 else 5000, scale))
    theirs <- 1e6 * per_draw(function(n) peer(n, scale), n)
    say("%-9s %6g %-20s %14.3f %14.3f %14.3f %8.1f", kind, scale, name, from_system, from_key, theirs,
        theirs / from_system)
  }
}
for (scale in c(1, 1000, 2^40)) {
  time <- system.time(rdiscrete_gaussian(1e6, scale))
  say("a million discrete Gaussians of scale %g from the operating system: %.2f s of processor time", scale,
      sum(time[1:2]))
}
dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("privacy-noise")
