# Rows as points of a public ball, and normal coordinates about its center:
# what goes into a private mean, and what comes out.

# A clamped point may be farther from the center than the radius by this part
# of it; sensitivities are those of the larger ball.
ball_slack <- 1e-9

# Columns as points of the ball, each by itself, silently: what is no point of
# the manifold becomes the center, and so does what arithmetic lost on the way.
private_points <- function(P, manifold, center, radius) {
  nearest <- project_points(P, manifold)
  P <- replace_columns(nearest$value, nearest$stray <= point_tolerance, center)
  P <- clamp_points(P, manifold, center, radius)
  P <- replace_columns(P, colSums(!is.finite(P)) == 0, center)
  distance <- .Call(ffi_manifold_distance, manifold, center, P, kernel_options())
  replace_columns(P, distance <= radius * (1 + ball_slack), center)
}

# The center in place of each column that is not known to be good.
replace_columns <- function(P, good, center) {
  P[, is.na(good) | !good] <- center
  P
}

# Coordinates of the logarithms at the center, `dimension` rows; and back.
normal_coordinates <- function(P, manifold, center) .Call(ffi_manifold_chart, manifold, center, P, kernel_options())
normal_points <- function(V, manifold, center) .Call(ffi_manifold_from_chart, manifold, center, V, kernel_options())

# The step of the public lattice of releases, a power of two: small against the
# noise wherever in the ball it ends, large against rounding errors.
chart_step <- function(manifold, radius, scale) {
  bend <- radius * sqrt(max(0, -manifold$curvature[1]))
  spread <- if (bend > 0 && manifold$dimension > 1) sinh(bend) / bend else 1
  max(2^binary_exponent(min(scale, radius) * 2^-20 / spread), 2^binary_exponent(radius * 2^-48))
}

# Columns longer than the radius, shortened to it; squares of what is huge or
# tiny would leave the range of a double.
shorten_columns <- function(V, radius) {
  largest <- pmax(apply(abs(V), 2, max), .Machine$double.xmin)
  length <- largest * sqrt(colSums(sweep(V, 2, largest, `/`)^2))
  sweep(V, 2, pmin(1, radius / length), `*`)
}

# Columns in whole steps of the lattice, none longer than `most` steps: what
# arithmetic left outside becomes zero, so that the bound holds for any numbers.
whole_columns <- function(V, step, most) {
  V <- round(V / step)
  replace_columns(V, colSums(V^2) <= most^2, 0)
}
