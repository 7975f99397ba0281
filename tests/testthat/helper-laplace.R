# Distributions of the distance from the location, computed without the package: by quadrature over the distance, or
# over the spectrum if that has more dimensions.

# Computes the distribution function of the density exp(log_weight(rho) - rho / scale).
distance_law <- function(log_weight, scale, upper) {
  edges <- seq(0, upper, length.out = 20001)
  middle <- (edges[-1] + edges[-20001]) / 2
  log_density <- log_weight(middle) - middle / scale
  density <- exp(log_density - max(log_density))
  stats::approxfun(edges, c(0, cumsum(density)) / sum(density), rule = 2)
}

log_sin <- function(x) log(sin(x))
log_sinh <- function(x) x + log1p(-exp(-2 * x)) - log(2)

# The same for a spectrum: `axes` are the midpoints of cells in orthonormal
# coordinates, `weight` is a function of the columns of their grid.
spectral_law <- function(axes, weight, scale) {
  cells <- as.matrix(expand.grid(axes))
  rho <- sqrt(rowSums(cells^2))
  mass <- exp(log(pmax(weight(cells), 0)) - rho / scale)
  order <- order(rho)
  stats::approxfun(c(0, rho[order]), c(0, cumsum(mass[order]) / sum(mass)), rule = 2, ties = "ordered")
}

midpoints <- function(lower, upper, cells) lower + (upper - lower) * (seq_len(cells) - 0.5) / cells

# For positive definite 2 x 2 and 3 x 3 matrices. Coordinates are orthonormal, and the last one is the trace, on which
# the volume does not depend.
spd_law <- function(p, scale, most, cells = c(500, 130)[p - 1]) {
  axis <- midpoints(0, most, cells)
  if (p == 2) {
    return(spectral_law(list(axis, axis), function(x) sinh(x[, 1] / sqrt(2)), scale))
  }
  weight <- function(x) {
    first <- sqrt(2) * x[, 1]
    second <- (sqrt(3) * x[, 2] - x[, 1]) / sqrt(2)
    ifelse(second > 0, sinh(first / 2) * sinh(second / 2) * sinh((first + second) / 2), 0)
  }
  spectral_law(list(axis, axis, axis), weight, scale)
}

# For rotations of R^4 by two angles, and subspaces of dimension 2 of R^5.
rotation4_law <- function(scale, cells = 600) {
  spectral_law(list(midpoints(0, pi, cells), midpoints(-pi, pi, cells)),
               function(x) ifelse(abs(x[, 2]) < x[, 1], sin((x[, 1] - x[, 2]) / 2)^2 * sin((x[, 1] + x[, 2]) / 2)^2, 0),
               scale)
}
grassmann25_law <- function(scale, cells = 600) {
  axis <- midpoints(0, pi / 2, cells)
  spectral_law(list(axis, axis), function(x) {
    ifelse(x[, 2] < x[, 1], sin(x[, 1] - x[, 2]) * sin(x[, 1] + x[, 2]) * sin(x[, 1]) * sin(x[, 2]), 0)
  }, scale)
}

proposal_kinds <- c("best", "tangent", "drift", "steep", "uniform", "ball", "center")

# Returns list(points, acceptance, proposal), by one kind of proposal or the best.
draw_by <- function(kind, n, manifold, location, scale, center = NULL, radius = NULL) {
  .Call(ffi_manifold_laplace, manifold, n, as.double(location), scale, if (!is.null(center)) as.double(center), radius,
        match(kind, proposal_kinds) - 1L, NULL, kernel_options("R"))
}

distances_to <- function(P, x, manifold) {
  .Call(ffi_manifold_distance, manifold, cbind(as.double(x)), P, kernel_options())
}

# The limit for p-values. With fixed seeds these tests never fail by chance. Without them, each would fail at this rate.
failure <- 1e-4
expect_law <- function(x, law) testthat::expect_gt(suppressWarnings(stats::ks.test(x, law)$p.value), failure)
expect_same_law <- function(x, y) testthat::expect_gt(suppressWarnings(stats::ks.test(x, y)$p.value), failure)
