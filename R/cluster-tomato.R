# ToMATo: modes of a density that is known at points only, and clusters of the points.

#' Density-based clustering by persistence (ToMATo)
#'
#' `cluster_tomato()` clusters points by the persistence of a density on a graph (ToMATo; Chazal, Guibas, Oudot, and
#' Skraba 2013). Each point climbs to its densest neighbor until it arrives at a peak. Peaks with little prominence are
#' merged into the higher peak across the highest pass. A persistence diagram shows which peaks are prominent.
#'
#' @section Not private:
#' Labels, peaks, and the diagram are computed from the raw points. For private data, cluster a private mixture with
#' [cluster_morse()] instead. The embedding of a private graph is as private as the graph, and so are its clusters. They
#' keep its guarantee if density and neighbors are computed here, from the points alone.
#'
#' @section Implementation:
#' Clustering takes O(n log n) in C, after the graph and the density. Nearest neighbors and kernel densities use all
#' distances, O(n^2 D). For more than about ten thousand points, supply neighbors from another package. If points have
#' equal density, the first one counts as denser; if neighbors are equally near, the first one counts as nearer.
#' Densities of a kernel and of a mixture are logarithms, and the distance to a measure has a minus sign. Prominences
#' are differences of these numbers.
#'
#' @param x A numeric matrix or data frame with one row per point, a numeric vector in one dimension, or an embedding
#'   from [spectral_embedding()]. All values must be finite. For `print()` and `plot()`, an object of class
#'   `dptda_tomato`.
#' @param density A numeric vector with one number per row of `x`, larger where denser (`-Inf` is allowed); or an object
#'   of class `dptda_mixture` with the columns of `x`; or `"kernel"`, for a normal kernel density, or `"dtm"`, for the
#'   distance to a measure.
#' @param graph An integer: the number of nearest neighbors that each point is joined to. Or a matrix with n rows, or a
#'   list of n vectors, with the numbers of the neighbors. A neighbor in one direction is a neighbor in both.
#' @param ... For `plot()`, arguments of [plot.dptda_diagram()]. Otherwise not used.
#' @param prominence `NULL`, or one number, at least 0: peaks with at least this height above their pass are clusters.
#' @param k `NULL`, or an integer: the number of clusters, from the most prominent peaks. There are fewer clusters if
#'   there are fewer peaks, and more if the graph has more components or prominences are equal. Supply `prominence` or
#'   `k`, or neither: then each peak is a cluster.
#' @param bandwidth `NULL`, or a numeric vector: the bandwidth of the kernel, one positive number per column of `x` or
#'   one for all. By default, the standard deviation of each column times `n^(-1 / (D + 4))`.
#' @param m0 One number in (0, 1]: the fraction of the mass for `density = "dtm"`, see [distance_to_measure()].
#' @return An object of class `dptda_tomato`, a list of
#'   \item{labels}{integers, one per row: clusters in the order of decreasing density of their peaks.}
#'   \item{peaks}{integers: the row that is the peak of each cluster.}
#'   \item{diagram}{a `dptda_diagram` of superlevel sets in dimension 0: the density of each peak, and of the pass at
#'     which it would merge, `-Inf` if the graph has no pass. Peaks with prominence zero are left out.}
#'   \item{prominence}{a number: the prominence below which peaks were merged.}
#'   \item{density}{numbers: the density at each row.}
#' @references Chazal, F., Guibas, L. J., Oudot, S. Y. and Skraba, P. (2013). Persistence-based clustering in Riemannian
#'   manifolds. *Journal of the ACM* 60(6), article 41. \doi{10.1145/2535927}
#' @examples
#' angle <- pi * (1:150) / 150
#' arcs <- rbind(cbind(cos(angle), sin(angle)),
#'               cbind(1 - cos(angle), 0.4 - sin(angle)))
#' X <- arcs + rnorm(600, sd = 0.08)
#' clusters <- cluster_tomato(X, "dtm", graph = 8, m0 = 0.03)
#' plot(clusters)
#' two <- cluster_tomato(X, "dtm", graph = 8, m0 = 0.03, k = 2)
#' two
#' plot(X, col = two$labels)
#' @export
cluster_tomato <- function(x, density, graph, ..., prominence = NULL, k = NULL, bandwidth = NULL, m0 = 0.1) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  guarantee <- NULL
  if (inherits(x, "dptda_embedding")) {
    guarantee <- privacy(x)
    x <- check_valid(x, "dptda_embedding")$X
  }
  x <- check_points(x, if (is.null(dim(x))) 1)
  if (ncol(x) == 0 || !all(is.finite(x))) stop_argument("x", "must have columns, and finite numbers.")
  if (missing(density)) stop_missing("density", "\"kernel\", \"dtm\", a mixture, or a number for each row")
  if (missing(graph)) stop_missing("graph")
  # other inputs are unknown
  if (!is.character(density) || !is_one_number(graph)) guarantee <- NULL
  density <- tomato_density(density, x, bandwidth, m0)
  edges <- tomato_edges(graph, x)
  if (!is.null(prominence) && !is.null(k)) stop_argument("k", "must be NULL if `prominence` is given.")
  if (!is.null(prominence)) prominence <- check_number(prominence, 0, finite = FALSE)
  if (!is.null(k)) k <- check_count(k, 1)
  all <- run_tomato(density, edges, Inf)
  fallen <- density[all$lower] - density[all$pass]
  if (is.null(prominence)) prominence <- if (is.null(k)) 0 else prominence_of_rank(fallen, k - length(unique(all$root)))
  found <- run_tomato(density, edges, prominence)
  peaks <- unique(found$root)
  peaks <- peaks[order(-density[peaks], peaks)]
  diagram <- peak_diagram(density, all)
  if (!is.null(guarantee)) diagram <- attach_guarantee(diagram, guarantee)
  clusters <- new_tomato(match(found$root, peaks), as.integer(peaks), diagram, prominence, density)
  if (is.null(guarantee)) clusters else attach_guarantee(clusters, guarantee)
}

run_tomato <- function(density, edges, prominence) {
  .Call(ffi_cluster_tomato, density, edges$from, edges$to, prominence, kernel_options())
}

# The `rank`-th largest prominence of the peaks that merge: Inf below rank 1, and 0 beyond the last.
prominence_of_rank <- function(fallen, rank) {
  fallen <- sort(fallen, decreasing = TRUE)
  if (rank < 1) return(Inf)
  if (rank > length(fallen)) return(0)
  fallen[rank]
}

# Every peak dies at its pass, except one per component of the graph.
peak_diagram <- function(density, all) {
  last <- unique(all$root)
  birth <- c(density[last], density[all$lower])
  death <- c(rep(-Inf, length(last)), density[all$pass])
  lasting <- birth > death
  by <- order(death - birth, -birth)
  by <- by[lasting[by]]
  new_diagram(rep(0L, length(by)), birth[by], death[by], sublevel = FALSE, software = "tomato")
}

new_tomato <- function(labels, peaks, diagram, prominence, density) {
  new_result(list(labels = labels, peaks = peaks, diagram = diagram, prominence = prominence, density = density),
             "dptda_tomato")
}

define_class("dptda_tomato", "cluster_tomato()", labels = function(x) is_numbers(x) && length(x) > 0,
             peaks = function(x) is_numbers(x) && length(x) > 0, diagram = is_made("dptda_diagram"),
             prominence = is_one_number,
             density = is_numbers, .valid = function(x) length(x$labels) == length(x$density) &&
               all(x$labels %in% seq_along(x$peaks)))

tomato_density <- function(density, x, bandwidth, m0) {
  if (inherits(density, "dptda_mixture")) {
    check_valid(density, "dptda_mixture")
    if (ncol(x) != ncol(density$means)) stop_argument("density", "must be a mixture with the columns of `x`.")
    return(pmax(row_log_sums(mixture_log_parts(density, match_columns(x, colnames(density$means), "x", "the mixture"))),
                lowest_density))
  }
  if (is.character(density)) {
    density <- check_choice(density, c("kernel", "dtm"))
    if (density == "dtm") {
      return(-as.vector(distance_to_measure(unname(x), unname(x), check_number(m0, 0, 1, open_lower = TRUE))))
    }
    return(.Call(ffi_cluster_kernel_density, unname(x), check_bandwidth(bandwidth, x),
                 kernel_options(progress = kernel_progress("Kernel density"))))
  }
  good <- is_numbers(density) && is.null(dim(density)) && length(density) == nrow(x) && all(density < Inf)
  if (!good) {
    stop_argument("density",
                  "must be a numeric vector with a number for each row of `x`, a mixture, \"kernel\", or \"dtm\".")
  }
  pmax(as.double(density), lowest_density)
}

# In place of -Inf, so that differences are numbers.
lowest_density <- -1e300

check_bandwidth <- function(bandwidth, x) {
  if (is.null(bandwidth)) {
    bandwidth <- apply(x, 2, stats::sd) * nrow(x)^(-1 / (ncol(x) + 4))
    # constant columns and single rows
    bandwidth[!is.finite(bandwidth) | bandwidth < 1e-300] <- 1
  }
  good <- is_numbers(bandwidth) && length(bandwidth) %in% c(1, ncol(x)) &&
    all(bandwidth >= 1e-300 & is.finite(bandwidth))
  if (!good) stop_argument("bandwidth", "must be NULL or positive numbers, one for each column of `x` or one for all.")
  rep_len(as.double(bandwidth), ncol(x))
}

# list(from, to) of the numbers of points that are neighbors.
tomato_edges <- function(graph, x) {
  n <- nrow(x)
  if (is_plain_numeric(graph) && is.null(dim(graph)) && length(graph) == 1) {
    k <- check_count(graph, 1, arg = "graph")
    graph <- .Call(ffi_cluster_neighbors, unname(x), min(k, n - 1),
                   kernel_options(progress = kernel_progress("Neighbors")))
  }
  if (is.list(graph) && !is.object(graph) && length(graph) == n && all(vapply(graph, is_numbers, NA))) {
    from <- rep(seq_len(n), lengths(graph))
    to <- as.double(unlist(graph, use.names = FALSE))
  } else if (is_number_matrix(graph) && nrow(graph) == n) {
    from <- rep(seq_len(n), ncol(graph))
    to <- as.double(graph)
  } else {
    stop_argument("graph", "must be an integer, or a matrix or list with the neighbors of each row of `x`.")
  }
  if (!all(to %in% seq_len(n))) stop_argument("graph", "must refer to rows of `x` by their numbers.")
  list(from = as.double(from), to = to)
}

#' @rdname cluster_tomato
#' @export
print.dptda_tomato <- function(x, ...) {
  check_valid(x, "dptda_tomato")
  sizes <- tabulate(x$labels, length(x$peaks))
  cat("<tomato> ", count_of(length(sizes), "cluster"), " of ", format_count(length(x$labels)), " points, prominence ",
      format(x$prominence, digits = 3), if (is.null(privacy(x))) " (not private)", "\n", sep = "")
  cat("sizes: ", toString(utils::head(sizes, 12)), if (length(sizes) > 12) ", ...", "\n", sep = "")
  if (!is.null(privacy(x))) print(privacy(x))
  invisible(x)
}

#' @rdname cluster_tomato
#' @param main `NULL`, or a string: the title. `plot()` draws the diagram, with a band as high as the prominence.
#' @export
plot.dptda_tomato <- function(x, main = NULL, ...) {
  check_valid(x, "dptda_tomato")
  band <- if (is.finite(x$prominence) && x$prominence > 0) x$prominence else FALSE
  graphics::plot(x$diagram, band = band, main = main, ...)
  invisible(x)
}
