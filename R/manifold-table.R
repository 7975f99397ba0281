# The manifolds of the package, with one row each (manifold-kind.R). Their numbers, sizes, and functions in C are in the
# table of src/ffi-manifold.c.

define_manifold("euclidean", origin = function(manifold) double(manifold$size), needs = "Its numbers must be finite.")

define_manifold(
  "sphere", diameter = function(manifold) pi * manifold$numbers[2], ambient = sphere_ambient,
  needs = "Divide each vector by its length, sqrt(rowSums(x^2)), and multiply it by the radius of the sphere.",
  rows = "Vectors may have any length, but must not consist of zeros or contain infinite numbers.",
  picture = function(manifold) if (manifold$dimension == 2) list(draw = draw_globe, shapes = globe_shapes)
)

define_manifold(
  "hyperbolic",
  needs = "The first number must be sqrt(sum(x^2) - 1 / curvature), with x the others.",
  rows = "The first number must be sqrt(sum(x^2) - 1 / curvature), with x the others, within 1%.",
  picture = function(manifold) if (manifold$dimension == 2) list(draw = draw_disk, shapes = disk_shapes)
)

# For both metrics.
picture_spd <- function(manifold) {
  switch(as.character(manifold$shape[1]), "2" = list(draw = draw_bands, shapes = band_shapes),
         "3" = list(draw = draw_pair, shapes = pair_shapes))
}

needs_spd <- paste("Matrices must be symmetric, e.g. (x + t(x)) / 2, and positive definite. Add a small multiple of",
                   "diag(nrow(x)) to a singular matrix.")
rows_spd <- paste("Matrices must be symmetric within 1% of their size, with both triangles, and have no eigenvalue",
                  "below zero by more than that. Singular matrices are valid.")

define_manifold("spd", ambient = spd_ambient, picture = picture_spd, needs = needs_spd, rows = rows_spd)

define_manifold("spd_log", picture = picture_spd, needs = needs_spd, rows = rows_spd)

define_manifold(
  "rotation",
  needs = "With s = svd(x), s$u %*% t(s$v) is orthogonal. Its determinant must be 1 (-1 is a reflection).",
  rows = "Matrices must be orthogonal within 1%, with determinant 1 (-1 is a reflection).",
  diameter = function(manifold) pi * sqrt(floor(manifold$shape[1] / 2)), ambient = rotation_ambient
)

define_manifold(
  "grassmann", ambient = grassmann_ambient, needs = "Use qr.Q(qr(x)), an orthonormal basis of the columns of x.",
  rows = "Any basis of a subspace is valid, but its columns must be independent, and its numbers finite.",
  diameter = function(manifold) pi / 2 * sqrt(min(manifold$shape[2], manifold$shape[1] - manifold$shape[2]))
)

define_manifold(
  "shapes", ambient = shapes_ambient, needs = "Use as_shapes(x), which centers, scales, and turns landmarks.",
  rows = "Landmarks may have any position, rotation, and size, but must be finite numbers.",
  diameter = function(manifold) pi / 2, picture = function(manifold) {
    list(draw = draw_shape_of_landmarks, shapes = shape_shapes)
  }
)

define_manifold("product", needs = "Each part must be a point of its factor.", rows = paste(
  "Each part must be a point of its factor within 1%. Directions may have any length, subspaces any basis, and",
  "landmarks any position, rotation, and size."
), diameter = function(manifold) {
  each <- vapply(manifold$factors, manifold_diameter, 0)
  if (all(is.finite(each))) euclidean_length(each) else Inf
})

define_manifold("custom", needs = "Its function `project` must return the numbers that it gets.",
                rows = "Its functions `project` and `log` must return finite numbers for each row.")
