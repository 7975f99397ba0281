#!/usr/bin/env Rscript
# The sampler of private diagrams in whole numbers against the one in real arithmetic, on the same diagrams in one run:
# set-up, a further draw, proposals and random bits a draw. The laws are compared before the times: numbers of points, and
# bottleneck distances to the true diagrams. Run from the top of the checkout:
#   Rscript bench/topology-lattice-sampler.R

library(dptda)
set.seed(40)
options(dptda.threads = 1)

seconds <- function(code, times) {
  code <- substitute(code)
  env <- parent.frame()
  stats::median(vapply(1:5, function(round) system.time(for (i in seq_len(times)) eval(code, env))[["elapsed"]] / times, 0))
}
lines <- character()
say <- function(...) {
  line <- sprintf(...)
  lines <<- c(lines, line)
  cat(line, "\n", sep = "")
}

options_of <- function(rng) dptda:::kernel_options(rng)
plan <- function(range, epsilon) .Call(dptda:::ffi_topology_private_plan, range, epsilon, options_of(NULL))
table_of <- function(steps, epsilon) .Call(dptda:::ffi_test_lattice_weights, steps, epsilon, options_of(NULL))
whole <- function(diagrams, setting, most, draws, rng = "os") {
  .Call(dptda:::ffi_topology_private_draws, diagrams, setting$bound, setting$steps, setting$epsilon, as.integer(most), TRUE,
        draws, options_of(rng))
}
# the same law, with the lattice step for a unit
real <- function(diagrams, setting, most, draws, rng = "os") {
  .Call(dptda:::ffi_topology_private_draws, diagrams, setting$bound, setting$rate, as.integer(most), TRUE, draws,
        options_of(rng))
}

# `range`: the bound in sensitivities.
setting_of <- function(range, epsilon) {
  steps <- plan(range, epsilon)
  table <- table_of(steps, epsilon)
  period <- (nrow(table$knots) - 1) * table$stride
  list(epsilon = epsilon, steps = steps, bound = floor(range * steps), period = period, used = table$used,
       rate = 2 * log(2) / period)
}

# The diagrams of the paper's two circles (n = 4,000, m0 = .2, epsilon = 1), unclipped.
angle <- stats::runif(4000, 0, 2 * pi)
first <- seq_len(4000) <= 2000
X <- cbind(ifelse(first, 1.5, 1) * cos(angle) + ifelse(first, 1.5, -1.5), ifelse(first, 1.5, 1) * sin(angle))
X <- X + stats::rnorm(8000, sd = .1)
grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.07)
setup <- dptda:::release_setup(X, grid, 1, NULL, 0.2, 1, Inf, 1, 5, TRUE, "drop", "max")
truth <- dptda:::true_diagrams(setup)
circles <- setting_of(setup$mechanism$bound / setup$mechanism$sensitivity, 1)
on_lattice <- function(D, scale) floor(D[order(D[, 1]), , drop = FALSE] * scale)
two_circles <- lapply(truth, on_lattice, circles$bound / setup$mechanism$bound)

# One dimension of bound 4, whose sensitivity is .002.
unit <- setting_of(2000, 1)
scale <- unit$bound / 4
birth <- stats::runif(58, 0, 3)
sixty <- rbind(cbind(c(.3, .5), c(2.5, 1.9)), cbind(birth, pmin(birth + stats::rexp(58, 10), 4)))
birth <- stats::runif(2000, 0, 3.8)
small <- rbind(c(.5, 3), cbind(birth, birth + stats::runif(2000, 0, .15)))
near <- cbind(1 + seq(0, .01, length.out = 5), 3)

cases <- list(
  list("two circles, 2 dimensions", two_circles, circles, 5), list("two circles, 2 dimensions", two_circles, circles, 10),
  list("60 points", list(on_lattice(sixty, scale)), unit, 5), list("60 points", list(on_lattice(sixty, scale)), unit, 10),
  list("2,001 points, one large", list(on_lattice(small, scale)), unit, 12),
  list("5 nearly coinciding points", list(on_lattice(near, scale)), unit, 5)
)

distance_quantiles <- function(points, D, dimension, draws) {
  own <- points[points[, 2] == dimension, , drop = FALSE]
  true <- persistence_diagram(0, D[, 1], D[, 2])
  vapply(seq_len(draws), function(draw) {
    P <- own[own[, 1] == draw, , drop = FALSE]
    bottleneck_distance(persistence_diagram(rep(0L, nrow(P)), P[, 3], P[, 4]), true, dimension = 0)
  }, 0)
}

say("two circles: %d + %d points, K = %.0f steps a sensitivity, N = %.0f, weights halve in %.0f, %.4f %% of epsilon used",
    nrow(two_circles[[1]]), nrow(two_circles[[2]]), circles$steps, circles$bound, circles$period, 100 * circles$used)
say("others: K = %.0f, N = %.0f, weights halve in %.0f, %.4f %% of epsilon used", unit$steps, unit$bound, unit$period,
    100 * unit$used)
say("plan of K %.3f ms, table of weights %.3f ms", 1e3 * seconds(plan(2000, 1), 200), 1e3 * seconds(table_of(unit$steps, 1), 200))
say("%-28s %3s | %26s | %26s | %12s | %21s | %s", "diagram", "M", "set-up, ms: real, whole", "draw, us: real, whole", "ratios",
    "proposals: real, whole", "bits, whole")
for (case in cases) {
  diagrams <- case[[2]]
  setting <- case[[3]]
  most <- case[[4]]
  for (q in seq_along(diagrams)) {
    drawn <- list(real(diagrams, setting, most, 3000, "R")$points, whole(diagrams, setting, most, 3000, "R")$points)
    distances <- lapply(drawn, distance_quantiles, diagrams[[q]], q - 1, 3000)
    sizes <- vapply(drawn, function(points) sum(points[, 2] == q - 1) / 3000, 0)
    stopifnot(suppressWarnings(stats::ks.test(distances[[1]], distances[[2]])$p.value) > 1e-5, abs(sizes[1] - sizes[2]) < .2)
  }
  opening <- c(seconds(real(diagrams, setting, most, 0), 200), seconds(whole(diagrams, setting, most, 0), 200))
  drawing <- c(seconds(real(diagrams, setting, most, 20000), 1), seconds(whole(diagrams, setting, most, 20000), 1))
  drawing <- pmax(drawing - opening, 0) / 20000
  old <- real(diagrams, setting, most, 20000)
  new <- whole(diagrams, setting, most, 20000)
  say("%-28s %3d | %12.3f %13.3f | %12.2f %13.2f | %5.2f %6.2f | %10.3f %10.3f | %.0f", case[[1]], most, 1e3 * opening[1],
      1e3 * opening[2], 1e6 * drawing[1], 1e6 * drawing[2], opening[1] / opening[2], drawing[1] / drawing[2],
      old$proposals / 20000, new$proposals / 20000, 64 * new$words / 20000)
}
writeLines(lines, "bench/results/topology-lattice-sampler.txt")
