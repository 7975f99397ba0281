#!/usr/bin/env Rscript
# Draws from the Laplace distribution of a manifold: ours, and the published procedure, a Metropolis walk of which one
# point per draw is kept, after 10,000 steps of burn-in and 100 between draws, written plainly in R; and, for a fairer
# ratio, the same walk in our C core. Laws are compared before times. Then a million draws, acceptance over the scale,
# and growth with the dimension. Times are of this process, so that a busy machine matters less. Run from the top of
# the checkout:
#   Rscript bench/manifold-laplace.R

library(dptda)
source("bench/common.R")
set.seed(40)
options(dptda.threads = 1)

# seconds of this process for one run
seconds <- function(code, least = 0.3) {
  code <- substitute(code)
  env <- parent.frame()
  runs <- 0
  started <- sum(proc.time()[1:2])
  repeat {
    eval(code, env)
    runs <- runs + 1
    spent <- sum(proc.time()[1:2]) - started
    if (spent > least) return(spent / runs)
  }
}
# The walk of the paper's supplement, A.5: a Gaussian vector, projected to the tangent space, of a fixed length. On
# positive definite matrices the same, in coordinates at the current point.
walk_sphere <- function(n, pole, scale, burn, thin, length = scale) {
  x <- pole
  kept <- matrix(0, n, length(pole))
  d <- 0
  for (step in seq_len(burn + (n - 1) * thin)) {
    v <- stats::rnorm(length(x))
    v <- v - sum(v * x) * x
    v <- v / sqrt(sum(v^2)) * length
    y <- cos(length) * x + sin(length) * v / length
    y <- y / sqrt(sum(y^2))
    proposed <- acos(min(1, max(-1, sum(y * pole))))
    if (stats::runif(1) < exp((d - proposed) / scale)) {
      x <- y
      d <- proposed
    }
    if (step >= burn && (step - burn) %% thin == 0) kept[(step - burn) / thin + 1, ] <- x
  }
  kept
}
spd_function <- function(x, f) {
  e <- eigen(x, symmetric = TRUE)
  e$vectors %*% (f(e$values) * t(e$vectors))
}
walk_spd <- function(n, p, scale, burn, thin, length = scale) {
  x <- diag(p)
  kept <- double(n)
  d <- 0
  for (step in seq_len(burn + (n - 1) * thin)) {
    v <- matrix(stats::rnorm(p * p), p)
    v <- (v + t(v)) / 2
    v <- v / sqrt(sum(v^2)) * length
    root <- spd_function(x, sqrt)
    y <- root %*% spd_function(v, exp) %*% root
    y <- (y + t(y)) / 2
    proposed <- sqrt(sum(log(eigen(y, symmetric = TRUE, only.values = TRUE)$values)^2))
    if (stats::runif(1) < exp((d - proposed) / scale)) {
      x <- y
      d <- proposed
    }
    if (step >= burn && (step - burn) %% thin == 0) kept[(step - burn) / thin + 1] <- d
  }
  kept
}

# the chain's draws are nearly independent after 100 steps in these small dimensions; 1e-6 allows for the rest
same <- function(x, y) {
  p <- suppressWarnings(stats::ks.test(x, y)$p.value)
  stopifnot(p > 1e-6)
  p
}

say("Microseconds per draw: one release (a call with its set-up; a walk with its burn-in), and each further one (of")
say(paste0("1,000; 100 steps); by our exact sampler, the walk in R, the walk in C; ratios to the exact sampler; p ",
           "of equal laws"))
say("%-10s %6s %9s %9s %12s %9s %10s %9s %9s %9s %9s %9s %6s", "manifold", "scale", "ours", "further", "R walk",
    "further", "C walk", "further", "R ratio", "further", "C ratio", "further", "p")
compare <- function(name, manifold, point, scale, r_walk, r_distances) {
  ours <- rmanifold_laplace(5000, manifold, point, scale)
  p <- same(manifold_distance(ours, point, manifold), r_distances)
  c_walk <- function(steps) {
    1e6 * seconds(rmanifold_laplace(1, manifold, point, scale, sampler = "mcmc", steps = steps))
  }
  one <- 1e6 * seconds(rmanifold_laplace(1, manifold, point, scale))
  further <- 1e3 * seconds(rmanifold_laplace(1000, manifold, point, scale))
  r_step <- 1e6 * seconds(r_walk(1, 1000)) / 1000
  c_step <- (c_walk(10000) - c_walk(1)) / 9999
  say("%-10s %6.2f %9.0f %9.2f %12.0f %9.0f %10.0f %9.1f %9.0f %9.0f %9.0f %9.0f %6.3f", name, scale, one, further,
      1e4 * r_step, 100 * r_step, 1e4 * c_step, 100 * c_step, 1e4 * r_step / one, 100 * r_step / further,
      1e4 * c_step / one, 100 * c_step / further, p)
}
pole <- c(0, 0, 1)
for (scale in c(0.02, 0.2)) {
  walked <- walk_sphere(400, pole, scale, 2000, 50, 2 * scale)
  compare("sphere(2)", manifold_sphere(2), pole, scale, function(n, burn) walk_sphere(n, pole, scale, burn, 100),
          acos(pmin(1, walked[, 3])))
}
for (p in 2:3) {
  scale <- 0.1
  walked <- walk_spd(300, p, scale, 1000, 30 * p, 2 * sqrt(p) * scale)
  compare(sprintf("spd(%d)", p), manifold_spd(p), diag(p), scale, function(n, burn)
          walk_spd(n, p, scale, burn, 100), walked)
}

say("")
say("A million draws (seconds, acceptance)")
million <- function(name, manifold, point, scale) {
  time <- sum(system.time(X <- rmanifold_laplace(1e6, manifold, point, scale))[1:2])
  say("%-14s scale %-6g %6.2f s %7.3f", name, scale, time, attr(X, "acceptance"))
}
million("sphere(2)", manifold_sphere(2), pole, 0.1)
million("sphere(2)", manifold_sphere(2), pole, 100)
million("hyperbolic(2)", manifold_hyperbolic(2), c(1, 0, 0), 0.5)
million("hyperbolic(2)", manifold_hyperbolic(2), c(1, 0, 0), 0.99)
million("spd(2)", manifold_spd(2), diag(2), 0.1)
million("spd(2)", manifold_spd(2), diag(2), 1)
million("rotation(3)", manifold_rotation(3), diag(3), 0.1)
million("grassmann(1,3)", manifold_grassmann(1, 3), cbind(pole), 0.1)

say("")
say(paste0("Acceptance on manifold_spd(p), by the scale relative to the largest (a star: no draw within seconds, ",
           "which is an error)"))
parts <- c(0.05, 0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95, 0.99, 0.999)
say("%8s %s", "p", paste(sprintf("%8g", parts), collapse = ""))
for (p in c(2, 3, 5, 10, 20)) {
  largest <- 1 / manifold_spd(p)$threshold
  rates <- vapply(parts, function(part) {
    n <- if (p < 10) 2000 else if (part < 0.7) 200 else 20
    tryCatch(attr(rmanifold_laplace(n, manifold_spd(p), diag(p), part * largest), "acceptance"),
             dptda_error_argument = function(condition) NA_real_)
  }, 0)
  say("%8d %s", p, paste(ifelse(is.na(rates), sprintf("%8s", "*"), sprintf("%8.2g", rates)), collapse = ""))
}

say("")
say("Growth: microseconds per draw, at half of the largest scale; 0.1 / p or 0.1 / sqrt(d) where there is none")
growth <- function(name, manifold, point, scale) {
  n <- max(100, floor(2e5 / manifold$size^1.5))
  say("%-16s %10.2f", name, 1e6 * seconds(rmanifold_laplace(n, manifold, point, scale)) / n)
}
for (d in c(2, 10, 100, 1000)) growth(sprintf("sphere(%d)", d), manifold_sphere(d), c(1, numeric(d)), 0.1 / sqrt(d))
for (d in c(2, 10, 100, 1000)) growth(sprintf("hyperbolic(%d)", d), manifold_hyperbolic(d), c(1, numeric(d)), 0.5 /
                                      (d - 1))
for (p in c(2, 3, 5, 10, 20, 50)) growth(sprintf("spd(%d)", p), manifold_spd(p), diag(p), 0.5 /
                                         manifold_spd(p)$threshold)
for (p in c(3, 4, 10, 20)) growth(sprintf("rotation(%d)", p), manifold_rotation(p), diag(p), 0.1 / p)
for (p in c(3, 5, 10, 20)) growth(sprintf("grassmann(2, %d)", p), manifold_grassmann(2, p), diag(p)[, 1:2], 0.1 / p)

save_said("manifold-laplace")
