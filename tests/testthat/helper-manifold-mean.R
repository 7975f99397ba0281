# Small balls with data, and slow oracles, shared by the tests of private means. Data have one vectorized point per row,
# a form that all manifolds except products accept.
mean_balls <- function() {
  list(
    euclidean = list(manifold = manifold_euclidean(2), center = c(1, -1), radius = 2),
    sphere = list(manifold = manifold_sphere(2), center = c(0, 0, 1), radius = pi / 8),
    wide = list(manifold = manifold_sphere(3, radius = 2), center = c(0, 2, 0, 0), radius = 1),
    circle = list(manifold = manifold_sphere(1), center = c(1, 0), radius = 1),
    hyperbolic = list(manifold = manifold_hyperbolic(2), center = c(1, 0, 0), radius = 1),
    spd = list(manifold = manifold_spd(2), center = matrix(c(2, 1, 1, 1), 2), radius = 1.5),
    spd_log = list(manifold = manifold_spd(2, "log-euclidean"), center = diag(2), radius = 1.5),
    rotation = list(manifold = manifold_rotation(3), center = diag(3), radius = 0.7),
    subspaces = list(manifold = manifold_grassmann(2, 4), center = diag(4)[, 1:2], radius = 0.3),
    shapes = list(manifold = manifold_shapes(4), center = as_shapes(cbind(c(0, 2, 2, 0), c(0, 0, 1, 1))), radius = 0.3)
  )
}

release_of <- function(ball, X, ..., rng = "R") {
  private_frechet_mean(X, ball$manifold, ball$center, ball$radius, ..., rng = rng)
}

# Draws n points at distances up to `reach` from the center, in uniform directions.
points_about <- function(ball, n, reach = ball$radius) {
  d <- ball$manifold$dimension
  V <- matrix(stats::rnorm(d * n), d)
  V <- sweep(V, 2, reach * stats::runif(n)^(1 / d) / sqrt(colSums(V^2)), `*`)
  center <- check_manifold_points(ball$center, ball$manifold)
  t(normal_points(V, ball$manifold, center))
}

# Turns columns into points of the ball, as a private mean does.
clamped_points <- function(P, manifold, center, radius) {
  normal_points(private_coordinates(P, manifold, center, radius), manifold, center)
}

distance_from <- function(ball, X, point = ball$center) {
  manifold_distance(point, X, ball$manifold)
}

# --- the mean and its sensitivity, from the definition ---------------------------------------------

sphere_log <- function(x, y) {
  cosine <- min(1, max(-1, sum(x * y)))
  u <- y - cosine * x
  if (sum(u^2) == 0) u else acos(cosine) * u / sqrt(sum(u^2))
}

sphere_exp <- function(x, v) {
  t <- sqrt(sum(v^2))
  if (t == 0) x else cos(t) * x + sin(t) * v / t
}

matrix_function <- function(x, f) {
  e <- eigen(x, symmetric = TRUE)
  e$vectors %*% (f(e$values) * t(e$vectors))
}

spd_log_at <- function(x, y) {
  half <- matrix_function(x, sqrt)
  back <- matrix_function(x, function(l) 1 / sqrt(l))
  half %*% matrix_function(back %*% y %*% back, log) %*% half
}

spd_exp_at <- function(x, v) {
  half <- matrix_function(x, sqrt)
  back <- matrix_function(x, function(l) 1 / sqrt(l))
  half %*% matrix_function(back %*% v %*% back, exp) %*% half
}

# Runs gradient descent with unit steps. Rows are points.
slow_mean <- function(X, log_at, exp_at, read = identity) {
  m <- read(X[1, ])
  for (step in 1:500) {
    v <- Reduce(`+`, lapply(seq_len(nrow(X)), function(i) log_at(m, read(X[i, ])))) / nrow(X)
    m <- exp_at(m, v)
    if (max(abs(v)) < 1e-14) break
  }
  m
}

# --- distributions of the distance between draw and mean ----------------------------------------------------

# Computes the distribution function of a density on (0, end), by Simpson's rule on a fine grid.
law_of <- function(density, end, cells = 4000) {
  at <- seq(0, end, length.out = 2 * cells + 1)
  value <- density(at)
  odd <- seq(1, 2 * cells - 1, 2)
  piece <- (value[odd] + 4 * value[odd + 1] + value[odd + 2]) / 6
  total <- cumsum(piece)
  stats::approxfun(at[odd + 2], total / total[cells], yleft = 0, yright = 1)
}

# Computes the area of the geodesic sphere of radius t, up to a constant. For manifold_spd(2), it integrates the
# Jacobian over directions at angle a to the line of the identity.
sphere_area <- function(t) sin(t)
hyperbolic_area <- function(t) sinh(t)
spd_area <- function(t) {
  angles <- (seq_len(400) - 0.5) * pi / 400
  sinhc <- function(x) ifelse(x < 1e-4, 1 + x^2 / 6, sinh(x) / x)
  t^2 * vapply(t, function(one) mean(sinhc(one * sin(angles) / sqrt(2)) * sin(angles)), 0)
}

radial_laws <- function() list(sphere = sphere_area, hyperbolic = hyperbolic_area, spd = spd_area)

# --- the cost of a release -----------------------------------------------------------------------

# Computes the epsilon or rho of a release's noise, from its sensitivity and scale by the theorems, not by the code.
spent_by <- function(released, guarantee) {
  ratio <- guarantee$sensitivity / released$noise$scale
  if (released$noise$kind == "gaussian") ratio^2 / 2 else ratio
}

# Computes the difference of two statistics, in units of the distance.
change_of_statistic <- function(mechanism, here, there) {
  if (mechanism$statistic != "mean") return(sqrt(sum((here - there)^2)) * mechanism$unit)
  .Call(ffi_manifold_distance, mechanism$manifold, matrix(here), matrix(there), kernel_options())
}

mean_space_holds <- function(space) space$holds(space$read(space$center))

# --- user-defined manifolds ----------------------------------------------------------------------

own_line <- function() {
  manifold_custom(
    shape = 1, dimension = 1, exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
    basis = function(x) matrix(x), project = function(x) if (x > 0) x else NA, curvature = c(0, 0),
    injectivity_radius = Inf, homogeneous = TRUE, name = "positive numbers"
  )
}

own_sphere <- function() {
  manifold_custom(
    shape = 3, dimension = 2, exp = sphere_exp, log = sphere_log, project = function(x) x / sqrt(sum(x^2)),
    basis = function(x) qr.Q(qr(cbind(x, diag(3))))[, 2:3], curvature = c(1, 1), injectivity_radius = pi,
    homogeneous = TRUE, name = "a sphere by hand"
  )
}
