# Algorithm 3 of Byun, Choi and Lee (2025) for the heights of passes, beside cluster_morse(): the string between two
# centers is a parabola whose vertex follows the ascent, and its highest point leads to a saddle. m = 20 points, tau = 5
# rounds, and epsilon = 0.05, as in the paper. THIS IS NOT PRIVATE, AND NEEDS NOT BE: mixtures are drawn, and no data.
#
#   Rscript inst/simulations/clusters-string.R
#
# The paper does not state for how long way (7) is followed from a vertex; `time` is tried. Line 9 has the vertex m^0
# in each round, and the text that of the last round, m^(t-1): taken is the text. The solution of grad f = 0 is searched
# by Newton's steps. Heights are those of f = -log density, for all pairs of modes of cluster_morse(), through any other
# modes. In the plane the truth is a grid of 240 x 240 points. In 8 columns it is cluster_morse(), whose heights are
# proved to be at most 1/400 too low. `missed`: pairs that are never joined, and `high`, `low`: pairs whose height is
# off by more than 0.05.
source("inst/simulations/common.R")
set.seed(47)

draw_mixture <- function(columns, components) {
  sd <- 0.12 * sqrt(columns / 2)
  covariances <- lapply(seq_len(components), function(k) {
    Q <- qr.Q(qr(matrix(rnorm(columns^2), columns)))
    Q %*% (sd^2 * runif(columns, 0.1, 1) * t(Q))
  })
  as_mixture(list(weights = rep(1, components), means = matrix(runif(components * columns), components),
                  covariances = covariances))
}

# f = -log density, its gradient and Hessian, and the mean shift, on which way (7) ends.
derivatives <- function(model) {
  K <- length(model$weights)
  D <- ncol(model$means)
  P <- lapply(seq_len(K), function(k) solve(matrix(model$covariances[, , k], D)))
  determinants <- vapply(P, function(p) as.numeric(determinant(p)$modulus), 0)
  constant <- log(model$weights) + determinants / 2 - D / 2 * log(2 * pi)
  at <- function(x) {
    pull <- matrix(vapply(seq_len(K), function(k) as.vector(P[[k]] %*% (x - model$means[k, ])), double(D)), D)
    parts <- constant - colSums((x - t(model$means)) * pull) / 2
    w <- exp(parts - max(parts))
    w <- w / sum(w)
    list(f = -max(parts) - log(sum(exp(parts - max(parts)))), w = w, pull = pull, gradient = as.vector(pull %*% w))
  }
  list(
    f = function(x) at(x)$f, gradient = function(x) at(x)$gradient,
    hessian = function(x) {
      here <- at(x)
      Reduce(`+`, Map(`*`, here$w, P)) - here$pull %*% (here$w * t(here$pull)) + tcrossprod(here$gradient)
    },
    way = function(x) {
      here <- at(x)
      -as.vector(solve(Reduce(`+`, Map(`*`, here$w, P)), here$gradient))
    }
  )
}

# Follows way (7) in the metric sum w_k P_k for some time, by Euler's steps of at most 0.1; or to its end.
follow <- function(g, x, time) {
  steps <- ceiling(time / 0.1)
  for (i in seq_len(steps)) x <- x + time / steps * g$way(x)
  x
}
ascend <- function(g, x) {
  for (i in 1:5000) {
    step <- g$way(x)
    x <- x + step
    if (sum(step^2) < 1e-20) break
  }
  x
}

newton <- function(g, x) {
  for (i in 1:50) {
    step <- tryCatch(solve(g$hessian(x), g$gradient(x)), error = function(e) NULL)
    if (is.null(step) || sum(step^2) > 1) return(NULL)
    x <- x - step
    if (sum(step^2) < 1e-20) return(x)
  }
  NULL
}

# Lines 5 to 13, from one center to another.
candidate <- function(g, from, to, time, m = 20, tau = 5) {
  part <- seq_len(m) / (m + 1)
  u <- to - from
  highest <- function(path) path[which.max(apply(path, 1, g$f)), ]
  middle <- follow(g, highest(t(from + outer(u, part))), time)
  for (t in seq_len(tau)) {
    v <- middle - from
    middle <- follow(g, highest(t(from + outer(u, part) + outer(4 * v - 2 * u, part - part^2))), time)
  }
  newton(g, middle)
}

# The heights of passes between `modes`, directly; lines 15 to 21.
string_passes <- function(model, modes, time) {
  g <- derivatives(model)
  heights <- matrix(Inf, nrow(modes), nrow(modes))
  mode_at <- function(x) {
    away <- colSums((t(modes) - x)^2)
    if (min(away) < 1e-4) which.min(away) else NA
  }
  for (pair in utils::combn(nrow(model$means), 2, simplify = FALSE)) {
    x <- candidate(g, model$means[pair[1], ], model$means[pair[2], ], time)
    if (is.null(x)) next
    axes <- eigen(g$hessian(x), symmetric = TRUE)
    if (sum(axes$values < 0) != 1) next
    ends <- vapply(c(0.05, -0.05), function(s) mode_at(ascend(g, x + s * axes$vectors[, ncol(modes)])), 1)
    if (anyNA(ends)) next
    i <- ends[1]
    j <- ends[2]
    heights[i, j] <- heights[j, i] <- min(heights[i, j], g$f(x))
  }
  heights
}

# The lowest way between any two modes, through others.
through_others <- function(heights) {
  for (k in seq_len(nrow(heights))) heights <- pmin(heights, outer(heights[, k], heights[k, ], pmax))
  heights
}

morse_passes <- function(merging) {
  heights <- matrix(Inf, nrow(merging$modes), nrow(merging$modes))
  ends <- as.matrix(merging$passes[c("from", "to")])
  heights[ends] <- heights[ends[, 2:1, drop = FALSE]] <- merging$passes$height
  heights
}

# The truth in the plane: grid points join their neighbors from the lowest f on.
grid_passes <- function(model, modes, size = 240) {
  axis <- seq(-0.4, 1.4, length.out = size)
  f <- -predict(model, as.matrix(expand.grid(axis, axis)), "logdensity")
  cell <- apply(modes, 1, function(x) which.min(abs(axis - x[1])) + size * (which.min(abs(axis - x[2])) - 1))
  heights <- matrix(Inf, nrow(modes), nrow(modes))
  above <- integer(size^2)
  held <- vector("list", size^2)
  for (k in seq_along(cell)) held[[cell[k]]] <- c(held[[cell[k]]], k)
  root <- function(i) {
    while (above[i] != i) i <- above[i]
    i
  }
  for (here in order(f)) {
    above[here] <- here
    i <- (here - 1) %% size
    near <- here + c(if (i > 0) -1, if (i < size - 1) 1, if (here > size) -size, if (here <= size^2 - size) size)
    for (other in near[above[near] > 0]) {
      a <- root(here)
      b <- root(other)
      if (a == b) next
      both <- c(held[[a]], held[[b]])
      heights[held[[a]], held[[b]]] <- f[here]
      heights[held[[b]], held[[a]]] <- f[here]
      if (length(both)) held[[b]] <- both
      above[a] <- b
      if (length(both) == length(cell)) return(heights)
    }
  }
  heights
}

one_mixture <- function(columns, components, times) {
  model <- draw_mixture(columns, components)
  merging <- cluster_morse(model)
  modes <- as.matrix(merging$modes[paste0("x", seq_len(columns))])
  if (nrow(modes) < 2) return(NULL)
  own <- through_others(morse_passes(merging))
  true <- if (columns == 2) grid_passes(model, modes) else own
  row <- function(method, time, found) {
    apart <- upper.tri(true)
    off <- (found - true)[apart]
    data.frame(method, time, pairs = sum(apart), missed = sum(is.infinite(off)),
               high = sum(is.finite(off) & off > 0.05), low = sum(off < -0.05))
  }
  strings <- lapply(times, function(time) {
    row("Algorithm 3", time, through_others(string_passes(model, modes, time)))
  })
  do.call(rbind, c(list(row("cluster_morse()", NA, own)), strings))
}

settings <- data.frame(columns = c(2, 2, 8), components = c(6, 12, 10), mixtures = sized(c(30, 12, 8)))
results <- do.call(rbind, Map(function(columns, components, mixtures) {
  found <- repetitions(mixtures, function(i) one_mixture(columns, components, c(0.05, 0.5)))
  found <- do.call(rbind, found)
  sums <- stats::aggregate(found[c("pairs", "missed", "high", "low")],
                           list(method = found$method, time = ifelse(is.na(found$time), "", found$time)), sum)
  data.frame(columns, components, mixtures, sums[order(sums$method != "Algorithm 3", sums$time), ])
}, settings$columns, settings$components, settings$mixtures))
write_table(results, "clusters-string")
record_time("clusters-string.R")
