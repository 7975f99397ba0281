# Conversions, print, and pictures of a private graph, computed from the release only.

# The edges, a list of `from` < `to`, sorted.
graph_edges <- function(x) {
  if (!is.null(x$edges)) x$edges else .Call(ffi_graph_unpack, x$n, x$bits, kernel_options())
}

graph_size <- function(x) {
  if (is.null(x$bits)) as.double(length(x$edges$from)) else .Call(ffi_graph_count, x$n, x$bits)
}

graph_pairs <- function(x) x$n * (x$n - 1) / 2

#' Convert, summarize, and plot a private graph
#'
#' Methods for [private_graph()] that convert it to a matrix or an edge list, estimate the original number of edges, and
#' draw the graph. They use the release only, so they cost no further privacy.
#'
#' @param x,object An object of class `dptda_private_graph`.
#' @param sparse `TRUE` or `FALSE`: return a symmetric sparse logical matrix of package Matrix instead of a base R
#'   matrix of 0 and 1.
#' @return
#' * `as.matrix()`: a symmetric matrix, named by the vertices. `as.data.frame()`: a data frame with one row per edge and
#'   the columns `from` and `to`. [igraph::as.igraph()] returns an igraph. These carry no guarantee.
#' * `summary()`: an object of class `summary.dptda_private_graph`, a list of `n`, `pairs` (the number of pairs),
#'   `edges` (the number of released edges), `flip`, `contrast` (1 - 2 `flip`), `estimate` (of the original number of
#'   edges), and `sd` (its standard deviation).
#' * `print()` and `plot()`: `x`, invisibly. `plot()` draws at most 2,000 vertices, with package igraph.
#' @seealso [private_graph()], [spectral_embedding()]
#' @examples
#' ring <- data.frame(from = 1:100, to = c(2:100, 1))
#' release <- private_graph(ring, epsilon = 4, n = 100)
#' summary(release)
#' as.matrix(release)[1:4, 1:4]
#' head(as.data.frame(release))
#' @export
as.matrix.dptda_private_graph <- function(x, ..., sparse = FALSE) {
  check_no_dots(...)
  check_valid(x, "dptda_private_graph")
  if (check_flag(sparse)) need_graph_package("Matrix", "For a sparse matrix")
  edges <- graph_edges(x)
  names <- if (!is.null(x$vertices)) list(x$vertices, x$vertices)
  if (sparse) {
    return(Matrix::sparseMatrix(i = edges$from, j = edges$to, x = rep(TRUE, length(edges$from)), dims = c(x$n, x$n),
                                symmetric = TRUE,
                                dimnames = names))
  }
  full <- new_square(x$n)
  full[edges$from + x$n * (edges$to - 1)] <- 1L
  full[edges$to + x$n * (edges$from - 1)] <- 1L
  dimnames(full) <- names
  full
}

new_square <- function(n) {
  no_room <- function(cnd) stop_dptda("memory", "Not enough memory for a matrix with ", format_count(n),
                                      " rows.")
  tryCatch(matrix(0L, n, n), error = no_room)
}

#' @rdname as.matrix.dptda_private_graph
#' @param row.names,optional As in [base::as.data.frame()].
#' @export
as.data.frame.dptda_private_graph <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "dptda_private_graph")
  edges <- graph_edges(x)
  if (!is.null(x$vertices)) edges <- lapply(edges, function(end) x$vertices[end])
  data.frame(from = edges$from, to = edges$to, row.names = row.names, stringsAsFactors = FALSE)
}

#' @exportS3Method igraph::as.igraph
as.igraph.dptda_private_graph <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_private_graph")
  need_graph_package("igraph", "For an igraph")
  edges <- graph_edges(x)
  graph <- igraph::add_edges(igraph::make_empty_graph(x$n, directed = FALSE), rbind(edges$from, edges$to))
  if (!is.null(x$vertices)) graph <- igraph::set_vertex_attr(graph, "name", value = x$vertices)
  graph
}

#' @rdname as.matrix.dptda_private_graph
#' @export
print.dptda_private_graph <- function(x, ...) {
  check_valid(x, "dptda_private_graph")
  print_release(x, {
    cat(count_vertices(x$n), "; edges after randomized response: ", format_count(graph_size(x)), " of ",
        format_count(graph_pairs(x)), " pairs\n", "noise: each pair was flipped with probability ",
        format(x$flip, digits = 4), "\n", sep = "")
    if (!is.null(privacy(x))) cat(vertex_words(x$n), "\n", sep = "")
    # stats::kmeans() and dist() accept the rows of as.matrix() silently
    if (2 * x$flip * graph_pairs(x) > graph_size(x)) {
      cat("Most edges are noise. To cluster vertices, use spectral_embedding() instead of\n",
          "  rows of the matrix.\n", sep = "")
    }
  })
}

vertex_words <- function(n, measure = "epsilon") {
  paste0("group privacy: for k edges the guarantee weakens to k * ", measure, ",\n  for all edges of one vertex to ",
         format_count(max(n - 1, 0)), " * ", measure)
}

#' @rdname as.matrix.dptda_private_graph
#' @export
summary.dptda_private_graph <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_graph")
  pairs <- graph_pairs(object)
  # 1 - 2 flip from the bytes of the coin: near one half, the double has too few digits
  contrast <- flip_contrast(object$coin)
  edges <- graph_size(object)
  new_result(list(
    n = object$n, pairs = pairs, edges = edges, flip = object$flip, contrast = contrast,
    estimate = if (contrast > 0) (edges - pairs * object$flip) / contrast else NA_real_,
    sd = if (contrast > 0) sqrt(pairs * object$flip * (1 - object$flip)) / contrast else Inf
  ), "summary.dptda_private_graph")
}

# 1 - 2 p: the remaining contrast between an edge and a non-edge. Exact up to one rounding, from the digits of 1/2 - p.
flip_contrast <- function(coin) {
  digits <- as.integer(coin)
  half <- c(128L, integer(15))
  borrowed <- 0L
  rest <- integer(16)
  for (i in 16:1) {
    difference <- half[i] - digits[i] - borrowed
    borrowed <- as.integer(difference < 0)
    rest[i] <- difference + 256L * borrowed
  }
  2 * sum(rest * 256^-seq_along(rest))
}

define_class("summary.dptda_private_graph", "summary()", n = function(x) is_vertex_count(x), pairs = is_one_number,
             edges = is_one_number,
             flip = is_one_number, contrast = is_one_number, estimate = function(x) is.numeric(x) && length(x) == 1,
             sd = is_one_number)

#' @rdname as.matrix.dptda_private_graph
#' @export
print.summary.dptda_private_graph <- function(x, ...) {
  check_valid(x, "summary.dptda_private_graph")
  cat("<private graph summary>\n", count_vertices(x$n), ", ", format_count(x$pairs), " pairs\n", sep = "")
  cat("released edges: ", format_count(x$edges), "\n", sep = "")
  if (is.na(x$estimate)) {
    cat("estimate of the original edges: none, each pair was flipped with probability\n  one half\n")
  } else {
    cat("estimate of the original edges: ", format_beside(x$estimate, x$sd), " +- ", format(1.96 * x$sd, digits = 3),
        " (95%)\n", sep = "")
  }
  invisible(x)
}

#' @rdname as.matrix.dptda_private_graph
#' @param ... Not used. Later arguments must be named. For `plot()`: arguments of [igraph::plot.igraph()].
#' @export
plot.dptda_private_graph <- function(x, ...) {
  check_valid(x, "dptda_private_graph")
  if (x$n > 2000) {
    stop_argument("x", "must have at most 2,000 vertices to be drawn, not ", format_count(x$n), ".")
  }
  need_graph_package("igraph", "To draw a graph")
  small <- x$n > 60
  usual <- list(vertex.size = if (small) 3 else 9, vertex.label = if (small) NA else x$vertices,
                vertex.color = "#B9D6EA", vertex.frame.color = "#0072B2", vertex.label.color = "gray15",
                edge.color = grDevices::adjustcolor("gray50", edge_opacity(x)), main = picture_title(x))
  asked <- list(...)
  graph <- as.igraph.dptda_private_graph(x)
  do.call(graphics::plot, c(list(graph), asked, usual[setdiff(names(usual), names(asked))]))
  tell_on_picture(graph_picture_words(x), adj = 0.5)
  invisible(x)
}

# Limits opacity, because thousands of opaque edges would look like a disc.
edge_opacity <- function(x) max(0.015, min(0.6, 150 / max(graph_size(x), 1)))

# The caption, with the estimated fraction of released edges that are flipped pairs.
graph_picture_words <- function(x) {
  found <- summary(x)
  if (found$edges == 0) return("no edges")
  noise <- if (is.na(found$estimate)) 1 else found$flip * (found$pairs - max(found$estimate, 0)) / found$edges
  paste0(count_of(found$edges, "edge"), ", about ", format_percent(signif(min(max(noise, 0), 1), 2)), " of them noise")
}
