# The R functions of each kind of manifold, looked up by its name. Its facts come from the core. A manifold is plain
# data, like everything that a mechanism holds, so these functions are not part of it.
#
# The rows are in manifold-table.R. All other code uses these lookups only.

manifold_kinds <- new.env(parent = emptyenv())

# Defines a kind of manifold. `diameter`: a function of the manifold, the largest distance between two points.
# `ambient`: the functions for ambient_space(), or NULL without a baseline. `picture`: a function of the manifold that
# returns the functions that draw its private means, `draw` by R's graphics and `shapes` as a data frame for ggplot2, or
# NULL. `origin`: a function of the manifold, the point around which doubles are finest, or NULL for the projection of
# the unit matrix (some_point()). `needs`: a sentence on the conditions for a point. `rows`: the same for rows of a
# release, which are moved.
define_manifold <- function(kind, diameter = function(manifold) Inf, ambient = NULL,
                            picture = function(manifold) NULL, origin = NULL, needs, rows = needs) {
  manifold_kinds[[kind]] <- list(diameter = diameter, ambient = ambient, picture = picture, origin = origin,
                                 needs = needs, rows = rows)
}

kind_of <- function(manifold) manifold_kinds[[manifold$kind]]

manifold_diameter <- function(manifold) kind_of(manifold)$diameter(manifold)

# Whether it contains functions of the user.
has_functions <- function(manifold) manifold$kind == "custom" || any(vapply(manifold$factors, has_functions, NA))
