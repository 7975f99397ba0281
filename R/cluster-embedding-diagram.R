# The shape of an embedding: persistence diagrams of its points. What computes them is other packages' work, but for
# components, which a spanning tree gives in doubles, and the distance to a measure.

#' Persistence diagram of a graph embedding
#'
#' Computes the persistence diagram (components, loops and voids) of the points that [spectral_embedding()] has found
#' for the vertices of a graph. Whatever is computed from a private graph is as private as it is, so the diagram
#' carries its guarantee.
#'
#' Embeddings are determined up to rotations, which a diagram does not see, and where they are debiased their scale
#' is that of the graph: [bottleneck_distance()] compares two such diagrams. Flips that were left in shrink the points;
#' [shift_invariant_distance()] with `log = TRUE` compares up to a scale, but small loops, which are noise, then weigh
#' as much as large ones. Distances are Euclidean, dimensions of negative eigenvalues count as others do.
#'
#' @section Filtrations:
#' `"rips"`: any points that are pairwise no farther apart than the level are joined, so levels are distances. It takes
#' any number of dimensions, and up to 5,792 points for loops.
#'
#' `"alpha"`: balls grow around the points, and their union is followed through their Delaunay complex. Levels are
#' radii: a component ends at half the level of `"rips"`. For few dimensions, best two or three: with each more there
#' are many times as many simplices.
#'
#' `"dtm"`: the sublevel sets of the [distance_to_measure()] on a grid, as [dtm_persistence()] has them. A few vertices
#' that noise has put between others do not join these, which the first two do not stand. A grid ends at four
#' dimensions, of landmarks there may be any.
#'
#' Where the noise is not small against the shape, a diagram shows the noise; [power_graph()] tells before a
#' release.
#'
#' @section Implementation:
#' Components by a minimum spanning tree, in O(n^2). Loops and voids of `"rips"` by the package ripserr, on the ranks of
#' the distances, so that levels have all digits of doubles; see there for what it costs. Those of `"alpha"` by the
#' package TDA, whose levels are squares: here are their roots. Equal points are given to it once, and points in a plane
#' of fewer dimensions in coordinates of that plane. Neither of the two packages hears an interrupt before it is done,
#' and neither is needed for components alone.
#'
#' @param embedding An object made by [spectral_embedding()], or a numeric matrix with a row for each point. Finite.
#' @param method `"rips"`, `"alpha"` or `"dtm"`, see below.
#' @param ... Not used. Later arguments must be named.
#' @param grid For `"dtm"`: a grid made by [domain_grid()] or landmarks made by [domain_landmarks()], with as many
#'   dimensions as the embedding, in whose box points are moved. What is released must not depend on the graph but
#'   through its release: look at the embedding to choose it, not at the data.
#' @param m0 For `"dtm"`: number in (0, 1\], the fraction of the mass, see [distance_to_measure()].
#' @param max_dimension Integer of at least 0: the largest dimension of homology.
#' @param threshold Number of at least 0: where the filtration ends, in its units. What is alive there has an infinite
#'   death.
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
#' # vertices along a circle, of which near ones are friends
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
  # what landmarks have cost is for rows: it does not add up with what a graph has
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

# What there is at the threshold and not beyond.
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

# The one that never ends.
add_component <- function(pairs) Map(c, pairs, list(dimension = 0L, birth = 0, death = Inf))

# ---- Rips ------------------------------------------------------------------

rips_diagram <- function(x, max_dimension, threshold) {
  n <- nrow(x)
  if (n == 0) return(no_pairs)
  # a hole of dimension q has q + 2 points at least
  dimensions <- seq.int(0, min(max_dimension, max(n - 2, 0)))
  check_rips_size(n, dimensions, "embedding")
  check_ripserr(dimensions, "max_dimension")
  # beyond the threshold, so that what ends at it ends
  cap <- max(threshold * (1 + .Machine$double.eps), .Machine$double.xmin)
  pairs <- rips_pairs(double(n), 2 * point_distances(x), cap, dimensions)
  add_component(pairs[names(no_pairs)])
}

# All distances, as a matrix; a value of the filtration is half of what it is given.
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

# Components are those of a minimum spanning tree, which is part of the Delaunay complex: of two points the balls meet
# halfway. TDA writes an infinite death where it knows of one, and only that component has it.
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
  # its default, GUDHI's own reduction, writes beyond its memory where there are more than three dimensions (TDA 1.9.4)
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
