# Normal coordinates about a public point: what goes into a private mean, and
# what comes out. Points are the columns of a matrix, and so are coordinates.

# Rows may be longer than the radius by rounding, this part of it; sensitivities
# are those of the larger ball.
ball_slack <- 1e-9

# Columns as coordinates in the ball about the center, each by itself, silently:
# what is no point of the manifold becomes the center, and so does what
# arithmetic cannot do. What rounding does here is a row's own: any map of each
# row by itself leaves neighbors neighbors.
private_coordinates <- function(P, manifold, center, radius) {
  nearest <- project_points(P, manifold)
  V <- normal_coordinates(nearest$value, manifold, center, radius)
  replace_columns(V, nearest$stray <= point_tolerance, 0)
}

# The same column in place of each that is not known to be good.
replace_columns <- function(P, good, column) {
  P[, is.na(good) | !good] <- column
  P
}

# Coordinates of the logarithms at the center, `dimension` rows, shortened to the
# radius; and back.
normal_coordinates <- function(P, manifold, center, radius = Inf) {
  .Call(ffi_manifold_chart, manifold, as.double(center), P, radius, kernel_options())
}
normal_points <- function(V, manifold, center) {
  .Call(ffi_manifold_from_chart, manifold, as.double(center), V, kernel_options())
}

# Where the means of a manifold are found and its noise is drawn: the point about
# which its numbers are finest. Isometries take every center there; only those of
# a manifold of the user's own are not known, and its origin is the center.
origin_of <- function(manifold, center) {
  if (manifold$kind == "custom") return(as.double(center))
  if (manifold$kind != "product") return(some_point(manifold))
  unlist(Map(function(factor, rows) origin_of(factor, center[rows]), manifold$factors, factor_rows(manifold)))
}

# The step of the public lattice of releases, a power of two: small against the
# noise wherever in the ball it ends, and at least 2^16 times the rounding errors
# of coordinates as long as the radius, or as draws are (dimension times scale).
chart_step <- function(manifold, radius, scale) {
  bend <- radius * sqrt(max(0, -manifold$curvature[1]))
  spread <- if (bend > 0 && manifold$dimension > 1) sinh(bend) / bend else 1
  longest <- max(radius, min(manifold$dimension * scale, manifold$reach))
  max(2^binary_exponent(min(scale, radius) * 2^-20 / spread), 2^binary_exponent(longest * 2^-35))
}

# Columns longer than the radius, shortened to it; what is not finite is zero.
shorten_columns <- function(V, radius) {
  normal_coordinates(V, manifold_euclidean(nrow(V)), double(nrow(V)), radius)
}

# Columns in whole steps of the lattice, none longer than `most` steps: what
# arithmetic left outside becomes zero, so that the bound holds for any numbers.
whole_columns <- function(V, step, most) {
  V <- round(V / step)
  replace_columns(V, colSums(V^2) <= most^2, 0)
}
