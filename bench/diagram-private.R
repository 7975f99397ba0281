#!/usr/bin/env Rscript
# A private diagram of the paper's example (two circles, n = 4,000, M = 5, two dimensions, sum of distances): ours from
# the points to the release, and the published procedure: TDA's distance to a measure and persistence, then 10,000
# Metropolis steps with two bottleneck distances each. Diagrams and distances are compared before times. Then growth
# with n, grid and M. Run from the top of the checkout:
#   Rscript bench/diagram-private.R

library(dptda)
source("bench/common.R")
set.seed(30)
options(dptda.threads = 1)

two_circles <- function(n) {
  angle <- stats::runif(n, 0, 2 * pi)
  first <- seq_len(n) <= n / 2
  radius <- ifelse(first, 1.5, 1)
  center <- ifelse(first, 1.5, -1.5)
  cbind(radius * cos(angle) + center, radius * sin(angle) + center)
}
seconds <- function(code, least = 0.5) {
  code <- substitute(code)
  env <- parent.frame()
  times <- double()
  while (sum(times) < least) times <- c(times, system.time(eval(code, env))[["elapsed"]])
  stats::median(times)
}
box <- domain_box(c(-3.5, -3.5), c(3.5, 3.5))
grid <- domain_grid(box, by = 0.07)
X <- two_circles(4000)
release <- function(X, grid, most) {
  private_diagram(X, grid, epsilon = 1, m0 = 0.2, max_points = most, learn_points = FALSE, utility = "sum")
}

# The mechanism alone, on the diagram at hand.
true_diagram <- function(clip) dtm_persistence(X, grid, 0.2, clip = clip, max_dimension = 1, essential = "drop")
mechanism <- private_diagram(unseen(nrow(X)), grid, epsilon = 1, m0 = 0.2, max_points = 5, learn_points = FALSE,
                               utility = "sum")
price <- privacy_price(mechanism)
bound <- price$guarantee$public$bound
rate <- 1 / price$noise$scale[1]
truth <- true_diagram(Inf)
draw <- function(draws) simulate(mechanism, draws, x = truth)

ours <- seconds(release(X, grid, 5))
once <- seconds(for (i in 1:20) draw(1)) / 20
many <- seconds(draw(10000)) / 10000
say("ours, points to release: %.4f s; mechanism alone: %.4f s with its set-up, %.2e s a further draw", ours, once, many)

# The published procedure, written from its description.
published_steps <- function(state, truth, steps, rate, bound, step_sd) {
  loss <- function(state) TDA::bottleneck(state[[1]], truth[[1]], 0) + TDA::bottleneck(state[[2]], truth[[2]], 1)
  now <- loss(state)
  for (step in seq_len(steps)) {
    proposed <- lapply(state, function(P) {
      P[, 2:3] <- P[, 2:3] + stats::rnorm(2 * nrow(P), sd = step_sd)
      P
    })
    inside <- all(vapply(proposed, function(P) all(P[, 2] >= 0 & P[, 2] <= P[, 3] & P[, 3] <= bound), NA))
    if (!inside) next
    then <- loss(proposed)
    if (log(stats::runif(1)) < rate * (now - then)) {
      state <- proposed
      now <- then
    }
  }
  state
}

if (requireNamespace("TDA", quietly = TRUE)) {
  by_tda <- function() {
    TDA::gridDiag(X, TDA::dtm, lim = cbind(range(grid$axes[[1]]), range(grid$axes[[2]])), by = 0.07,
                  sublevel = TRUE, library = "Dionysus", m0 = 0.2, r = 1)$diagram
  }
  theirs <- as_dptda_diagram(by_tda())
  same <- dtm_persistence(X, grid, 0.2, triangulation = "alternating", essential = "cap")
  for (q in 0:1) stopifnot(bottleneck_distance(theirs, same, dimension = q) < 1e-6)
  as_tda <- function(q) cbind(q, truth$birth, truth$death)[truth$dimension == q, , drop = FALSE]
  tda_truth <- list(as_tda(0), as_tda(1))
  start <- lapply(0:1, function(q) cbind(q, t(apply(matrix(stats::runif(10), 5), 1, sort)) * bound))
  for (q in 0:1) {
    P <- start[[q + 1]]
    mine <- bottleneck_distance(persistence_diagram(q, P[, 2], P[, 3]), truth, dimension = q)
    stopifnot(abs(TDA::bottleneck(P, tda_truth[[q + 1]], q) - mine) < 1e-6)
  }
  front <- system.time(by_tda())[["elapsed"]]
  chain <- system.time(published_steps(start, tda_truth, 10000, rate, bound, 0.1))[["elapsed"]]
  say("published procedure: %.2f s for the diagram, %.2f s for 10,000 steps", front, chain)
  say("ratio, points to release: %.0f; mechanism alone: %.0f (and theirs is not a draw from it)",
      (front + chain) / ours, chain / once)
} else {
  say("absent, skipped: TDA")
}

say("growth, seconds from points to release")
for (n in c(1000, 4000, 16000, 64000)) {
  Y <- two_circles(n)
  say("  n = %6d: %.4f", n, seconds(release(Y, grid, 5)))
}
for (size in c(51, 101, 201, 401)) say("  grid %3d^2: %.4f", size,
                                       seconds(release(X, domain_grid(box, size = size), 5)))
for (most in c(1, 5, 12, 20)) {
  mechanism <- private_diagram(unseen(nrow(X)), grid, epsilon = 1, m0 = 0.2, clip = 1.6, max_points = most)
  truth <- true_diagram(1.6)
  say("  M = %2d, learned: mechanism alone %.5f, a further draw %.2e", most, seconds(for (i in 1:20) draw(1)) / 20,
      seconds(draw(2000)) / 2000)
}
save_said("diagram-private")
