# The shape of an embedding: persistence diagrams of its points. Other packages compute them, except for components,
# which a spanning tree gives in doubles, and the distance to a measure.

#' Persistence diagram of a graph embedding
#'
#' `embedding_diagram()` computes the persistence diagram (components, loops, and cavities) of the points that
#' [spectral_embedding()] finds for the vertices of a graph. Computations on a private graph are as private as the
#' graph, so the diagram carries its guarantee.
#'
#' Embeddings are determined up to rotations, which do not change a diagram. If they are debiased, they have the scale
#' of the graph, and [bottleneck_distance()] compares two such diagrams. Without debiasing, flips shrink the points.
#' [shift_invariant_distance()] with `log = TRUE` then compares diagrams up to scale, but small loops, which are noise,
#' get as much weight as large ones. Distances are Euclidean; dimensions of negative eigenvalues count like others.
#'
#' @section Filtrations:
#' `"rips"`: points are joined if all their pairwise distances are at most the level, so levels are distances. It works
#' for any number of dimensions, and computes loops for up to 5,792 points.
#'
#' `"alpha"`: balls grow around the points, and the Delaunay complex describes their union. Levels are radii: a
#' component ends at half the level of `"rips"`. Use it for few dimensions, best two or three, because each dimension
#' multiplies the number of simplices.
#'
#' `"dtm"`: the sublevel sets of the [distance_to_measure()] on a grid, as in [dtm_persistence()]. A few vertices that
#' noise has placed between clusters do not join them; with the other two methods they do. A grid has at most four
#' dimensions, and landmarks any number.
#'
#' If the noise is not small compared with the shape, the diagram shows the noise. Check this before a release with
#' [power_graph()].
#'
#' @section Implementation:
#' Components come from a minimum spanning tree, in O(n^2), without other packages. Loops and cavities of `"rips"` come
#' from the package ripserr, applied to the ranks of the distances, so that levels have full double precision. For
#' `"alpha"` they come from the package TDA; levels are the square roots of its levels. TDA gets equal points once, and
#' points in a plane of fewer dimensions in coordinates of that plane. Neither package can be interrupted.
#'
#' @param embedding An object from [spectral_embedding()], or a numeric matrix with one row per point. All values must
#'   be finite.
#' @param method `"rips"`, `"alpha"`, or `"dtm"`: see *Filtrations*.
#' @param ... Not used. Later arguments must be named.
#' @param grid For `"dtm"`: a grid from [domain_grid()] or landmarks from [domain_landmarks()], with as many dimensions
#'   as the embedding. Points outside its box are moved into it. The choice may depend on the graph only through its
#'   release: use the embedding to choose it, not the data.
#' @param m0 For `"dtm"`: one number in (0, 1\], the fraction of the mass, see [distance_to_measure()].
#' @param max_dimension An integer, at least 0: the highest homology dimension.
#' @param threshold One number, at least 0: the level at which the filtration ends. Features that are alive there have
#'   an infinite death.
#' @return A `dptda_diagram` in the units of the embedding, by dimension and decreasing persistence. One component never
#'   ends, unless there are no points. Points on the diagonal are left out.
#' @references
#' Vishwanath, S. and Hehir, J. (2022). The shape of edge differential privacy. *Journal of Privacy and
#' Confidentiality*.
#'
#' Bauer, U. (2021). Ripser: efficient computation of Vietoris-Rips persistence barcodes. *Journal of Applied and
#' Computational Topology* 5, 391-423.
#'
#' Rouvreau, V. (2015). Alpha complex. In *GUDHI User and Reference Manual*.
#' @seealso [spectral_embedding()], [shift_invariant_distance()], [cluster_tomato()], and
#'   `vignette("graphs", package = "dptda")`
#' @examples
#' # vertices along a circle, joined if they are near
#' angle <- 2 * pi * (1:200) / 200
#' X <- 0.65 * cbind(1, cos(angle), sin(angle)) / sqrt(2)
#' ring <- simulate(graph_rdpg(sqrt(2) * X))
#' points <- spectral_embedding(private_graph(ring, epsilon = 4, n = 200), d = 3)
#' diagram <- embedding_diagram(points, max_dimension = 0)
#' diagram
#'
#' grid <- domain_grid(domain_box(c(-1, -1), c(1, 1)), by = 0.05)
#' plane <- as.matrix(points)[, 2:3]
#' plot(embedding_diagram(plane, "dtm", grid = grid, m0 = 0.1))
#' @export
embedding_diagram <- function(embedding, method = c("rips", "alpha", "dtm"), ..., grid, m0, max_dimension = 1,
                              threshold = Inf) {
  check_no_dots(...)
  if (missing(embedding)) stop_missing("embedding")
  X <- embedded_points(embedding)
  method <- check_choice(method, c("rips", "alpha", "dtm"))
  if (method == "dtm") {
    domain <- check_embedding_grid(grid, ncol(X))
    m0 <- check_m0(m0)
  } else if (!missing(grid) || !missing(m0)) {
    stop_argument(if (missing(grid)) "m0" else "grid", "is for the method \"dtm\", not \"", method, "\".")
  }
  max_dimension <- check_count(max_dimension, upper = 2^30)
  threshold <- check_number(threshold, 0, finite = FALSE)
  pairs <- switch(method,
    rips = rips_diagram(X, max_dimension, threshold),
    alpha = alpha_diagram(X, max_dimension),
    dtm = measure_diagram(X, domain, m0, max_dimension)
  )
  settings <- c(list(method = method, max_dimension = max_dimension, threshold = threshold), if (method == "dtm")
                list(m0 = m0))
  diagram <- pairs_to_diagram(end_at(pairs, threshold), settings)
  guarantee <- if (inherits(embedding, "dptda_embedding")) privacy(embedding)
  # the cost of landmarks is for rows, and cannot be added to the cost of a graph
  if (is.null(guarantee) || (method == "dtm" && !is.null(privacy(domain)))) {
    diagram
  } else {
    attach_guarantee(diagram, guarantee)
  }
}

check_embedding_grid <- function(grid, d) {
  if (missing(grid)) stop_missing("grid")
  grid <- check_domain(grid)
  dimension <- if (inherits(grid, "dptda_grid")) length(grid$axes) else ncol(grid$points)
  if (dimension != d) {
    stop_argument("grid", "must have as many dimensions as `embedding`, ", d, ", not ", dimension, ".",
                  if (d > 4) " Grids end at four; domain_landmarks() makes what does not.")
  }
  grid
}

# Features that are alive at the threshold.
end_at <- function(pairs, threshold) {
  kept <- pairs$birth <= threshold
  death <- pairs$death[kept]
  list(dimension = pairs$dimension[kept], birth = pairs$birth[kept], death = replace(death, death > threshold, Inf))
}

pairs_to_diagram <- function(pairs, settings) {
  by <- order(pairs$dimension, pairs$birth - pairs$death, pairs$birth)
  software <- c(rips = "ripserr", alpha = "TDA", dtm = "grid")[[settings$method]]
  if (settings$max_dimension == 0 && software != "grid") software <- "dptda"
  new_diagram(as.integer(pairs$dimension[by]), pairs$birth[by], pairs$death[by], software = software,
              parameters = settings)
}

no_pairs <- list(dimension = integer(), birth = double(), death = double())

# The component that never ends.
add_component <- function(pairs) Map(c, pairs, list(dimension = 0L, birth = 0, death = Inf))

# ---- Rips ------------------------------------------------------------------

rips_diagram <- function(x, max_dimension, threshold) {
  n <- nrow(x)
  if (n == 0) return(no_pairs)
  # a feature of dimension q has at least q + 2 points
  dimensions <- seq.int(0, min(max_dimension, max(n - 2, 0)))
  check_rips_size(n, dimensions, "embedding")
  check_ripserr(dimensions, "max_dimension")
  # beyond the threshold, so that what ends at it ends
  cap <- max(threshold * (1 + .Machine$double.eps), .Machine$double.xmin)
  pairs <- rips_pairs(double(n), 2 * point_distances(x), cap, dimensions)
  add_component(pairs[names(no_pairs)])
}

# All distances, as a matrix. Filtration values are half of its input.
point_distances <- function(x) {
  n <- nrow(x)
  if (n > 20000) {
    stop_dptda("size", "`embedding` has ", format_count(n), " points, and all distances are made for at most 20,000.")
  }
  no_room <- function(cnd) stop_dptda("memory", "There is not enough memory for the distances of ", format_count(n),
                                      " points.")
  lengths <- tryCatch(as.matrix(stats::dist(unname(x))), error = no_room)
  if (ncol(x) == 0) lengths[] <- 0
  if (!all(is.finite(2 * lengths))) stop_argument("embedding", "must be small enough that distances are finite.")
  unname(lengths)
}

# ---- alpha -----------------------------------------------------------------

# Components come from a minimum spanning tree, which is part of the Delaunay complex: the balls of two points meet
# halfway. TDA writes an infinite death if it finds one, and only that component has it.
alpha_diagram <- function(x, max_dimension) {
  if (max_dimension > 0) need_graph_package("TDA", "For `method = \"alpha\"`")
  if (nrow(x) == 0) return(no_pairs)
  components <- rips_pairs(double(nrow(x)), point_distances(x), Inf, 0)
  pairs <- Map(c, add_component(components[names(no_pairs)]), alpha_holes(x, max_dimension))
  kept <- pairs$birth < pairs$death
  lapply(pairs, `[`, kept)
}

alpha_holes <- function(x, max_dimension) {
  flat <- span_points(unique(x))
  if (ncol(flat) < 2 || max_dimension == 0) return(no_pairs)
  # its default, GUDHI's own reduction, writes out of bounds in more than three dimensions (TDA 1.9.4)
  found <- TDA::alphaComplexDiag(flat, min(max_dimension, ncol(flat) - 1), library = c("GUDHI", "PHAT"))
  found <- as_dptda_diagram(found, sublevel = TRUE)
  found <- found[found$dimension > 0, ]
  list(dimension = found$dimension, birth = sqrt(found$birth), death = sqrt(found$death))
}

# Coordinates in the plane that the points span, up to rounding.
span_points <- function(x) {
  if (nrow(x) < 2) return(x[, 0, drop = FALSE])
  x <- unname(x)
  parts <- svd(sweep(x, 2, colMeans(x)))
  rank <- sum(parts$d > 1e-12 * parts$d[1])
  if (rank == ncol(x)) return(x)
  parts$u[, seq_len(rank), drop = FALSE] %*% diag(parts$d[seq_len(rank)], rank)
}

# ---- the distance to a measure ---------------------------------------------

measure_diagram <- function(x, grid, m0, max_dimension) {
  if (nrow(x) == 0) return(no_pairs)
  found <- dtm_persistence(unname(x), grid, m0, max_dimension = min(max_dimension, domain_facts(grid)$top))
  found <- list(dimension = found$dimension, birth = found$birth, death = found$death)
  kept <- found$birth < found$death
  lapply(found, `[`, kept)
}
