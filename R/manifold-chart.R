# Normal coordinates about a public point: what goes into a private mean, and
# what comes out. Points are the columns of a matrix, and so are coordinates.

# Rows may be longer than the radius by rounding, this part of it; sensitivities
# are those of the larger ball.
ball_slack <- 1e-9

# How far from the manifold, relative to its size, a row is moved to it: rounded numbers (float32, four digits of a
# file) are, and what is farther is a mistake, such as the lower triangle of a matrix. Directions, subspaces and
# manifolds of the user have no limit: any vector has a direction.
row_tolerance <- 0.01

# Columns as coordinates in the ball about the center. Each is moved to the manifold, and into the ball, by itself: any
# map of each row by itself leaves neighbors neighbors, and what rounding does here is a row's own. A column without
# coordinates is an error for the curator, as a missing value is, and so is one at which a function of the user's fails:
# conditions of that function may show the row, and are not heard.
private_coordinates <- function(P, manifold, center, radius, arg = "x") {
  place <- function() {
    .Call(ffi_manifold_chart_rows, manifold, as.double(center), P, radius,
          kernel_options(progress = kernel_progress("Coordinates of rows")))
  }
  rows <- if (has_functions(manifold)) unheard(place()) else place()
  if (is.null(rows) || !all(rows$stray <= row_tolerance)) {
    forget_error()
    stop_no_row(manifold, arg)
  }
  rows$value
}

# One sentence for all rows: neither which of them nor how many.
stop_no_row <- function(manifold, arg) {
  stop_argument(arg, "must have rows that can be moved to the manifold, ", manifold$title, ". ", kind_of(manifold)$rows,
                " Nothing was released, and no budget was spent.")
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
# noise wherever in the ball it ends, and so coarse that each step holds 2^30
# doubles that a draw can be, as far out as draws get (proof: section "The
# lattice"); finer than that only in a large ball of negative curvature. Never
# below 2^16 times the rounding errors of coordinates as long as the radius, or as
# draws are (dimension times scale). The radius does not make it finer: noise that
# is longer hides what is.
chart_step <- function(manifold, radius, scale) 2^binary_exponent(largest_step(manifold, radius, scale))

# The step is this or up to half of it.
largest_step <- function(manifold, radius, scale) {
  bend <- radius * sqrt(max(0, -manifold$curvature[1]))
  spread <- if (bend > 0 && manifold$dimension > 1) sinh(bend) / bend else 1
  longest <- max(radius, min(manifold$dimension * scale, manifold$reach))
  fine <- min(scale, manifold$reach) * 2^-16 / min(spread, 2^4)
  max(fine, longest * 2^-35)
}

# By how much the logarithm of a probability on that lattice may be off, on both
# sides of a comparison together: uniform numbers have 52 bits, lengths and
# coordinates are rounded. It does not grow with the scale. What is longer than
# `depth` scales has a probability below 2^-58. An estimate, not a proof
# (manifold-private-mean.md, section "The lattice").
lost_to_rounding <- function(manifold, radius, scale) {
  extent <- min(scale, manifold$reach)
  depth <- min(stats::qgamma(2^-58, manifold$dimension, lower.tail = FALSE), manifold$reach / extent)
  (2^-46 * (1 + depth) * extent + 2^-50 * radius) / largest_step(manifold, radius, scale) + 2^-42
}

# Columns longer than the radius, shortened to it; what is not finite is zero.
shorten_columns <- function(V, radius) {
  space <- list(kind = "euclidean", numbers = as.double(nrow(V))) # all that the kernel reads of it
  normal_coordinates(V, space, double(nrow(V)), radius)
}

# Columns in whole steps of the lattice, none longer than `most` steps: what
# arithmetic left outside becomes zero, so that the bound holds for any numbers.
whole_columns <- function(V, step, most) {
  V <- round(V / step)
  replace_columns(V, colSums(V^2) <= most^2, 0)
}

# A point of a manifold of the package whose numbers are simple.
some_point <- function(manifold) {
  if (manifold$kind == "product") return(unlist(lapply(manifold$factors, some_point)))
  origin <- kind_of(manifold)$origin
  if (!is.null(origin)) return(origin(manifold))
  columns <- if (length(manifold$shape) == 2) manifold$shape[2] else 1
  as.double(project_points(cbind(as.double(diag(1, manifold$shape[1], columns))), manifold)$value)
}
