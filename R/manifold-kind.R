# What R knows of a kind of manifold beside its facts, which are those of the core: a row for each kind, looked up by
# its name. A manifold is plain data, as all is that a mechanism stands on, so that functions are not in it.
#
# The rows stand in manifold-table.R, which knows all kinds; nothing but these lookups knows that there is a table.

manifold_kinds <- new.env(parent = emptyenv())

# `diameter`: a function of the manifold; no two points are farther from each other. `ambient`: what ambient_space()
# needs, or NULL where there is no baseline. `picture`: a function of the manifold that gives how its private means are
# drawn, `draw` by R's graphics and `shapes` as a data frame for ggplot2, or NULL. `origin`: a function of the
# manifold, the point about which its numbers are finest, or NULL for what projection makes of the unit matrix (see
# some_point()); where numbers are angles that is not zero. `needs`: a sentence of what numbers must be to be a point;
# `rows`: the same for rows of a release, which are moved.
define_manifold <- function(kind, diameter = function(manifold) Inf, ambient = NULL,
                            picture = function(manifold) NULL, origin = NULL, needs, rows = needs) {
  manifold_kinds[[kind]] <- list(diameter = diameter, ambient = ambient, picture = picture, origin = origin,
                                 needs = needs, rows = rows)
}

kind_of <- function(manifold) manifold_kinds[[manifold$kind]]

manifold_diameter <- function(manifold) kind_of(manifold)$diameter(manifold)

# Is a function of the user part of it?
has_functions <- function(manifold) manifold$kind == "custom" || any(vapply(manifold$factors, has_functions, NA))
