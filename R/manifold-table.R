# The manifolds of the package, one row each (manifold-kind.R). Its numbers, sizes and functions in C are a row of the
# table in src/ffi-manifold.c.

define_manifold("euclidean", origin = function(manifold) double(manifold$size))

define_manifold(
  "sphere", diameter = function(manifold) pi * manifold$numbers[2], ambient = sphere_ambient,
  picture = function(manifold) if (manifold$dimension == 2) list(draw = draw_globe, shapes = globe_shapes)
)

define_manifold(
  "hyperbolic",
  picture = function(manifold) if (manifold$dimension == 2) list(draw = draw_disk, shapes = disk_shapes)
)

# Of both metrics.
picture_spd <- function(manifold) {
  switch(as.character(manifold$shape[1]), "2" = list(draw = draw_bands, shapes = band_shapes),
         "3" = list(draw = draw_pair, shapes = pair_shapes))
}

define_manifold("spd", ambient = spd_ambient, picture = picture_spd)

define_manifold("spd_log", picture = picture_spd)

define_manifold(
  "rotation", diameter = function(manifold) pi * sqrt(floor(manifold$shape[1] / 2)), ambient = rotation_ambient
)

define_manifold(
  "grassmann", ambient = grassmann_ambient,
  diameter = function(manifold) pi / 2 * sqrt(min(manifold$shape[2], manifold$shape[1] - manifold$shape[2]))
)

define_manifold("product", diameter = function(manifold) {
  each <- vapply(manifold$factors, manifold_diameter, 0)
  if (all(is.finite(each))) euclidean_length(each) else Inf
})

define_manifold("custom")
