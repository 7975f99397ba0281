#' Persistent homology of a function on a grid
#'
#' `grid_persistence()` computes the persistent homology of a function given by its values on a grid of one to four
#' dimensions: components, loops, and cavities of its sublevel (or superlevel) sets. `dtm_persistence()` computes the
#' distance to a measure on a grid and its diagram in one step. The results are not private.
#'
#' @details
#' # Filtration
#' A vertex enters at its value, and a cell with its last vertex (*lower star*). Values between the vertices are never
#' used. With `triangulation = "cubical"`, the cells are edges, squares, cubes, and their analog in four dimensions.
#' With `"alternating"`, each square is split by one diagonal and each cube into five tetrahedra, such that diagonals
#' join vertices of even coordinate sum (counted from zero). This is the complex of `TDA::gridDiag()`. The two can
#' differ if only a diagonal connects.
#'
#' Infinite values are allowed. A vertex at `Inf` (`-Inf` for superlevel sets) never enters, so you can mask a grid to
#' any shape. A class that lives until such a value is *essential*, like the component that is born first.
#'
#' Homology has coefficients modulo 2. (In three dimensions, a few pairs of the diagram of a large noisy image may
#' depend on the field: Obayashi and Yoshiwaki 2023. GUDHI's default is the integers modulo 11.) Only pairs of nonzero
#' persistence are returned, so the diagram does not depend on the order of ties.
#'
#' @section Implementation:
#' Vertices are in strict order (value, then index), so every cell belongs to the lower star of one vertex. A discrete
#' gradient inside each lower star (Robins, Wood and Sheppard 2011) leaves few critical cells. The lowest dimension is
#' computed by union-find over critical edges, and the highest by union-find in the dual graph. The dimensions between
#' use the boundary of the critical cells, followed along the gradient no further than the birth and reduced with
#' clearing.
#'
#' Plane images take nearly linear time, without sorting the vertices, and about 13 bytes per vertex beside the values
#' (57 for noise). Images in three dimensions take about 70. `max_dimension = 0` stops after the components. In three
#' and four dimensions, a larger `max_dimension` saves little, because a dimension is reduced faster once the one above
#' is known.
#'
#' @param values A numeric array of 1 to 4 dimensions (a vector has one): the values at the vertices. Infinite values
#'   are allowed, missing values are an error. Logical arrays and data frames are refused.
#' @param max_dimension An integer, at least 0: the largest homology dimension to compute. By default, the dimension of
#'   the grid minus 1, which computes everything.
#' @param sublevel `TRUE` or `FALSE`: use sublevel sets, or superlevel sets from above (births are then at least deaths,
#'   in the units of `values`).
#' @param triangulation `"cubical"` or `"alternating"` (up to three dimensions).
#' @param essential How to treat classes that never die: `"keep"` them with an infinite death, `"drop"` them, or `"cap"`
#'   their death.
#' @param cap One number: the death of essential classes for `essential = "cap"`. By default, the largest finite value
#'   (the smallest, for superlevel sets), as in TDA. Note that the default depends on the data. A class whose
#'   persistence under the cap is not positive is omitted.
#' @return A `dptda_diagram`: a data frame with the columns `dimension` (integer), `birth`, and `death` (in the units of
#'   `values`), ordered by dimension, decreasing persistence, and birth.
#' @references Robins V, Wood PJ, Sheppard AP (2011). Theory and algorithms for constructing discrete Morse complexes
#'   from grayscale digital images. *IEEE Transactions on Pattern Analysis and Machine Intelligence* 33(8), 1646-1658.
#'   \doi{10.1109/TPAMI.2011.95}
#'
#'   Obayashi I, Yoshiwaki M (2023). Field choice problem in persistent homology. *Discrete and Computational Geometry*
#'   70, 645-670. \doi{10.1007/s00454-023-00544-7}
#'
#'   Wagner H, Chen C, Vucini E (2012). Efficient computation of persistent homology for cubical data. In *Topological
#'   Methods in Data Analysis and Visualization II*, 91-106. \doi{10.1007/978-3-642-23175-9_7}
#'
#'   Chen C, Kerber M (2011). Persistent homology computation with a twist. In *Proceedings of the 27th European
#'   Workshop on Computational Geometry*.
#' @examples
#' # one ring of low values around a peak, and a deeper pit beside it
#' x <- seq(-2, 2, length.out = 81)
#' ring <- function(x, y) abs(sqrt((x + .5)^2 + y^2) - 1)
#' pit <- function(x, y) sqrt((x - 1.6)^2 + (y - 1.6)^2) - .2
#' f <- outer(x, x, function(x, y) pmin(ring(x, y), pit(x, y)))
#' grid_persistence(f)
#' grid_persistence(f, essential = "cap", cap = 2)
#' @export
grid_persistence <- function(values, ..., max_dimension = length(grid_extents(values)) - 1, sublevel = TRUE,
                             triangulation = c("cubical", "alternating"), essential = c("keep", "drop", "cap"),
                             cap = NULL) {
  check_no_dots(...)
  values <- check_values(values)
  max_dimension <- check_count(max_dimension, upper = 2^30)
  sublevel <- check_flag(sublevel)
  triangulation <- check_choice(triangulation, c("cubical", "alternating"))
  if (triangulation == "alternating" && length(grid_extents(values)) > 3) {
    stop_argument("triangulation", "must be \"cubical\" for a grid of four dimensions.")
  }
  essential <- check_choice(essential, c("keep", "drop", "cap"))
  if (!is.null(cap)) cap <- check_number(cap)
  pairs <- grid_pairs(values, max_dimension, sublevel, triangulation, essential, cap)
  new_diagram(pairs$dimension, pairs$birth, pairs$death, sublevel = sublevel, software = "grid",
              parameters = list(triangulation = triangulation, essential = essential, cap = cap,
                                max_dimension = max_dimension))
}

#' @rdname grid_persistence
#' @param x A numeric matrix or data frame with one row per point, or binned points: the data.
#' @param grid A grid from [domain_grid()], or landmarks from [domain_landmarks()]: the points at which the distance to
#'   the measure is computed. Landmarks have their own filtration: leave `triangulation` and `sublevel` at their
#'   defaults. With landmarks, `max_dimension` is 1 by default.
#' @param m0,r,clip,weights How the distance is measured: see [distance_to_measure()].
#' @inheritParams private_release
#' @export
dtm_persistence <- function(x, grid, m0, ..., r = 1, clip = Inf, weights = NULL,
                            max_dimension = NULL, sublevel = TRUE,
                            triangulation = c("cubical", "alternating"), essential = c("keep", "drop", "cap"),
                            cap = NULL) {
  check_no_dots(...)
  if (missing(grid)) stop_missing("grid")
  if (inherits(grid, "dptda_landmarks")) {
    return(landmark_persistence(x, grid, m0, r, clip, weights, max_dimension, sublevel,
                                check_choice(triangulation, c("cubical", "alternating")),
                                check_choice(essential, c("keep", "drop", "cap")), cap))
  }
  if (is.null(max_dimension)) max_dimension <- length(dim(grid)) - 1
  if (inherits(grid, "dptda_grid")) tell_cost(check_valid(grid, "dptda_grid"), 0)
  values <- distance_to_measure(x, grid, m0, r = r, clip = clip, weights = weights)
  grid_persistence(values, max_dimension = max_dimension, sublevel = sublevel, triangulation = triangulation,
                   essential = essential, cap = cap)
}

grid_extents <- function(values) if (is.null(dim(values))) length(values) else dim(values)

# Checks values on a grid and converts them to doubles. Infinite values are valid, missing ones are not.
check_values <- function(values, arg = deparse1(substitute(values))) {
  force(arg) # before `values` changes, because `arg` would then contain its value
  if (missing(values)) stop_missing(arg)
  if (!is_plain_numeric(values)) {
    stop_argument(arg, "must be a numeric array, not ", describe_data(values), ".")
  }
  extents <- grid_extents(values)
  if (length(extents) > 4) stop_argument(arg, "must have 1 to 4 dimensions, not ", length(extents), ".")
  if (any(extents == 0)) stop_argument(arg, "must have at least one value.")
  storage.mode(values) <- "double"
  if (anyNA(values)) stop_argument(arg, "must not contain missing values.")
  values
}

# Codes of the kernels.
essential_codes <- c(keep = 0L, drop = 1L, cap = 2L)

# The pairs from the kernel. `plane = FALSE` uses the general algorithm even for two-dimensional grids, for tests.
grid_pairs <- function(values, max_dimension, sublevel = TRUE, triangulation = "cubical", essential = "keep",
                       cap = NULL, plane = TRUE) {
  if (essential == "cap" && is.null(cap)) cap <- extreme_value(values, sublevel)
  .Call(ffi_persistence_grid, values, as.double(grid_extents(values)), as.integer(min(max_dimension, 4)), sublevel,
        triangulation == "alternating", essential_codes[[essential]],
        if (is.null(cap)) NA_real_ else cap, plane, kernel_options())
}

# The level at which the last finite value enters. Without finite values, no cap leaves any pair.
extreme_value <- function(values, sublevel) {
  extreme <- if (sublevel) max(values) else min(values)
  if (is.finite(extreme)) return(extreme)
  finite <- values[is.finite(values)]
  if (length(finite) == 0) return(if (sublevel) -Inf else Inf)
  if (sublevel) max(finite) else min(finite)
}

#' @export
domain_pairs.dptda_grid <- function(domain, values, dimensions, essential, cap, step = NULL) {
  pairs <- list2DF(grid_pairs(values, max(dimensions), essential = essential, cap = cap))
  pairs[pairs$dimension %in% dimensions, ]
}

#' @export
domain_diagrams.default <- function(domain, cloud, plan, essential) {
  values <- lattice_values(domain, cloud, plan$lattice, plan$steps)
  pairs <- domain_pairs(domain, values, plan$dimensions, essential, cap = plan$levels, step = plan$step)
  split_diagram(pairs, plan$dimensions)
}

# does the same in one kernel, if all numbers are integers
#' @export
domain_diagrams.dptda_grid <- function(domain, cloud, plan, essential) {
  lattice <- plan$lattice
  if (!lattice$r %in% c(1, 2)) return(NextMethod())
  .Call(ffi_persistence_true_diagrams, cloud$points, point_weights(cloud, lattice$weight), domain$axes,
        lattice$k * lattice$weight, lattice$r, lattice$cap, lattice$scale, lattice$change, plan$steps, lattice$weight,
        as.double(plan$dimensions), essential_codes[[essential]], plan$levels,
        kernel_options(progress = kernel_progress("Distance to measure")))
}
