#!/usr/bin/env Rscript
# Frechet means and distances: ours, Riemann, its smaller sister RiemBase, shapes and frechet. Results are compared
# before times: how far the peer's mean is from ours, and whose gradient is shorter (the mean of the logarithms at the
# result, which is zero at the true mean). Run from the top of the checkout, peers in a library that R finds:
#   Rscript bench/manifold-mean.R

suppressMessages({
  library(dptda)
  options(rgl.useNULL = TRUE)
  absent <- Filter(function(peer) !requireNamespace(peer, quietly = TRUE),
                   c("Riemann", "RiemBase", "shapes", "frechet"))
})
source("bench/common.R")
set.seed(30)

seconds <- function(code, least = 0.3) {
  code <- substitute(code)
  env <- parent.frame()
  runs <- 0
  started <- proc.time()[["elapsed"]]
  repeat {
    utils::capture.output(value <- eval(code, env))
    runs <- runs + 1
    spent <- proc.time()[["elapsed"]] - started
    if (spent > least) return(list(value = value, seconds = spent / runs))
  }
}

random_spd <- function(n, p, sd) {
  X <- replicate(n, {
    A <- matrix(stats::rnorm(p * p, sd = sd), p)
    spectrum <- eigen((A + t(A)) / 2, symmetric = TRUE)
    matrix(spectrum$vectors %*% (exp(spectrum$values) * t(spectrum$vectors)), p)
  })
  (X + aperm(X, c(2, 1, 3))) / 2
}
near_pole <- function(n, d, sd) {
  X <- cbind(matrix(stats::rnorm(n * d, sd = sd), n), 1)
  X / sqrt(rowSums(X^2))
}
subspaces <- function(n, k, p, sd) {
  replicate(n, qr.Q(qr(diag(p)[, seq_len(k)] + matrix(stats::rnorm(p * k, sd = sd), p))))
}

as_list <- function(X) lapply(seq_len(dim(X)[3]), function(i) X[, , i])
has <- function(peer) !peer %in% absent
# Tolerances at which the peers come as near as they can.
riemann <- function(wrap) if (has("Riemann")) function(X) {
  Riemann::riem.mean(wrap(X), geometry = "intrinsic", eps = 1e-8, maxiter = 200)$mean
}
riembase <- function(name, form = as_list) if (has("RiemBase")) function(X) {
  RiemBase::rbase.mean(RiemBase::riemfactory(form(X), name = name), eps = 1e-8, maxiter = 200)$x
}
by_row <- function(X) lapply(seq_len(nrow(X)), function(i) X[i, ])
peers <- list(
  spd = list(Riemann = riemann(function(X) Riemann::wrap.spd(as_list(X))), RiemBase = riembase("spd"),
             shapes = if (has("shapes")) function(X) shapes::estcov(X, method = "Riemannian")$mean),
  spd_log = list(frechet = if (has("frechet")) function(X) {
    frechet::CovFMean(as_list(X), optns = list(metric = "power", alpha = 0))$Mout[[1]]
  }),
  sphere = list(Riemann = riemann(function(X) Riemann::wrap.sphere(X)), RiemBase = riembase("sphere", by_row)),
  grassmann = list(Riemann = riemann(function(X) Riemann::wrap.grassmann(as_list(X))), RiemBase = riembase("grassmann"))
)

if (length(absent)) say("absent, skipped: %s", toString(absent))

gradient <- function(point, X, manifold) {
  logs <- manifold_log(point, X, manifold)
  sides <- length(dim(logs))
  v <- if (sides == 3) rowMeans(logs, dims = 2) else colMeans(logs)
  # on the embedded manifolds the metric is that of the numbers around them; what rounding leaves is hardly tangent
  if (manifold$kind %in% c("sphere", "grassmann")) sqrt(sum(v^2)) else sqrt(manifold_inner(point, v, v, manifold))
}

compare <- function(manifold, X, n, among = names(peers[[manifold$kind]])) {
  force(X) # the data are not part of the time
  ours <- seconds(frechet_mean(X, manifold))
  mean <- ours$value
  for (name in among) {
    peer <- peers[[manifold$kind]][[name]]
    if (is.null(peer)) next
    theirs <- tryCatch(seconds(peer(X)), error = function(e) NULL)
    if (is.null(theirs)) {
      say("%-10s %6d %9s: fails", manifold$kind, n, name)
      next
    }
    point <- theirs$value
    if (manifold$kind %in% c("spd", "spd_log")) point <- (point + t(point)) / 2
    if (manifold$kind == "sphere") point <- c(point) / sqrt(sum(point^2))
    if (manifold$kind == "grassmann") point <- qr.Q(qr(point))
    apart <- tryCatch(manifold_distance(point, mean$point, manifold), dptda_error_argument = function(e) NULL)
    if (is.null(apart)) {
      say("%-10s %3s %6d %9s: no point of the manifold", manifold$kind, paste(manifold$shape, collapse = "x"), n, name)
      next
    }
    if (apart > 1e-2 * mean$radius) { # not the same mean; of the same one, the next columns say how well it was found
      say("%-10s %3s %6d %9s: another point, %.2g away, where the gradient is %.2g", manifold$kind,
          paste(manifold$shape, collapse = "x"), n, name, apart, gradient(point, X, manifold))
      next
    }
    say("%-10s %3s %6d %9s %10.5f %10.5f %8.1f %9.1e %9.1e %9.1e %9.1e", manifold$kind,
        paste(manifold$shape, collapse = "x"), n, name, ours$seconds, theirs$seconds, theirs$seconds /
          ours$seconds, apart,
        gradient(mean$point, X, manifold), gradient(point, X, manifold), mean$error)
  }
}

say("means")
say("%-10s %3s %6s %9s %10s %10s %8s %9s %9s %9s %9s", "manifold", "", "n", "peer", "ours (s)", "peer (s)", "ratio",
    "apart",
    "our grad.", "peer's", "our bound")
for (n in c(30, 100)) compare(manifold_spd(3), random_spd(n, 3, 0.5), n) # shapes takes minutes for 1000
compare(manifold_spd(3), random_spd(10000, 3, 0.5), 10000, "RiemBase")
compare(manifold_spd(10), random_spd(30, 10, 0.3), 30)
for (n in c(100, 1000)) compare(manifold_spd(3, "log-euclidean"), random_spd(n, 3, 0.5), n)
for (n in c(100, 10000)) compare(manifold_sphere(2), near_pole(n, 2, 0.3), n)
compare(manifold_sphere(50), near_pole(1000, 50, 0.1), 1000)
compare(manifold_grassmann(2, 5), subspaces(100, 2, 5, 0.1), 100)

say("")
say("all distances between n points")
say("%-10s %6s %9s %10s %10s %8s %9s", "manifold", "n", "peer", "ours (s)", "peer (s)", "ratio", "difference")
all_distances <- function(manifold, X, n, theirs) {
  force(X)
  ours <- seconds(manifold_distance(X, manifold = manifold, pairwise = TRUE))
  for (name in names(Filter(Negate(is.null), theirs))) {
    peer <- seconds(as.matrix(theirs[[name]](X)))
    difference <- max(abs(peer$value - ours$value))
    stopifnot(difference < 1e-5)
    say("%-10s %6d %9s %10.5f %10.5f %8.1f %9.1e", manifold$kind, n, name, ours$seconds, peer$seconds,
        peer$seconds / ours$seconds, difference)
  }
}
all_distances(manifold_spd(3), random_spd(50, 3, 0.5), 50, list(
  Riemann = if (has("Riemann")) function(X) Riemann::riem.pdist(Riemann::wrap.spd(as_list(X))),
  RiemBase = if (has("RiemBase")) function(X) RiemBase::rbase.pdist(RiemBase::riemfactory(as_list(X), name = "spd")),
  shapes = if (has("shapes")) function(X) {
    n <- dim(X)[3]
    outer(seq_len(n), seq_len(n), Vectorize(function(i, j) if (i == j)
                                            0 else shapes::distcov(X[, , i], X[, , j], "Riemannian")))
  }
))
all_distances(manifold_sphere(2), near_pole(200, 2, 0.3), 200, list(
  Riemann = if (has("Riemann")) function(X) Riemann::riem.pdist(Riemann::wrap.sphere(X)),
  RiemBase = if (has("RiemBase")) function(X) RiemBase::rbase.pdist(RiemBase::riemfactory(by_row(X), name = "sphere")),
  frechet = if (has("frechet")) function(X) {
    apply(X, 1, function(x) apply(X, 1, function(y) if (all(x == y)) 0 else frechet::SpheGeoDist(x, y)))
  }
))

say("")
say("growth: one mean, and one median")
say("%-10s %5s %8s %10s %6s %9s %10s %6s", "manifold", "", "n", "mean (s)", "steps", "error", "median (s)", "steps")
grow <- function(manifold, X, n) {
  force(X)
  mean <- seconds(frechet_mean(X, manifold))
  median <- seconds(suppressWarnings(frechet_mean(X, manifold, type = "median")))
  say("%-10s %5s %8.0f %10.4f %6.0f %9.1e %10.4f %6.0f", manifold$kind, paste(manifold$shape, collapse = "x"), n,
      mean$seconds, mean$value$iterations, mean$value$error, median$seconds, median$value$iterations)
}
for (n in 10^(2:5)) grow(manifold_spd(3), random_spd(n, 3, 0.5), n)
for (p in c(2, 5, 10, 20, 50)) grow(manifold_spd(p), random_spd(200, p, 1 / p), 200)
for (n in 10^c(3, 6)) grow(manifold_sphere(2), near_pole(n, 2, 0.2), n)
for (d in c(10, 100, 1000)) grow(manifold_sphere(d), near_pole(1000, d, 0.2 / sqrt(d)), 1000)
for (p in c(3, 10)) grow(manifold_rotation(p), replicate(200, {
  A <- matrix(stats::rnorm(p * p, sd = 0.3 / p), p)
  manifold_exp(diag(p), A - t(A), manifold_rotation(p))
}), 200)

dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("manifold-mean")
