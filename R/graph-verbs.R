# Tables of graphs, models of graphs, and results computed from them.

#' @exportS3Method
result_table.dptda_debiased_graph <- function(x) {
  edges <- graph_edges(x)
  if (!is.null(x$vertices)) edges <- lapply(edges, function(end) x$vertices[end])
  data.frame(from = edges$from, to = edges$to, weight = rep((1 - x$flip) / x$contrast, length(edges$from)))
}

# Returns one row per vertex, with its point or its block.
#' @exportS3Method
result_table.dptda_graph_model <- function(x) {
  vertex <- seq_len(x$n)
  if (is.null(x$rates)) return(cbind(vertex = vertex, point_columns(x$X)))
  frame <- data.frame(vertex = vertex)
  if (x$kernel == "blocks") frame$block <- rep(seq_along(x$sizes), x$sizes)
  if (!is.null(x$weights)) frame$weight <- x$weights
  frame
}

#' @exportS3Method
result_table.dptda_embedding <- function(x) {
  names <- rownames(x$X)
  cbind(vertex = if (is.null(names)) seq_len(x$n) else names, point_columns(x$X))
}

point_columns <- function(x) {
  as.data.frame(structure(unname(x), dimnames = list(NULL, paste0("x", seq_len(ncol(x)), recycle0 = TRUE))))
}

#' @exportS3Method
result_table.summary.dptda_embedding <- function(x) x$table

#' @exportS3Method
result_table.summary.dptda_graph_model <- function(x) as.data.frame(unclass(x))

#' @exportS3Method
result_table.summary.dptda_private_graph <- function(x) as.data.frame(unclass(x))

# Draws the first two coordinates of the points.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_embedding <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  if (ncol(object$X) == 0) stop_argument("object", "must have at least one dimension to be drawn.")
  point_picture(object$X, "dimension 1", "dimension 2", tell_columns(seq_len(min(2, ncol(object$X))),
                                                                     paste("dimension", seq_len(ncol(object$X)))))
}

point_picture <- function(X, xlab, ylab, words = NULL) {
  frame <- data.frame(x = X[, 1], y = if (ncol(X) > 1) X[, 2] else 0)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$x, y = .data$y)) +
    ggplot2::geom_point(color = picture_colors[1], alpha = 0.6) + ggplot2::coord_fixed() +
    ggplot2::labs(x = xlab, y = if (ncol(X) > 1) ylab, subtitle = words) + picture_theme()
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_graph_model <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  if (object$n == 0) stop_argument("object", "must have at least one vertex to be drawn.")
  if (is.null(object$rates) && ncol(object$X) > 1) {
    return(point_picture(object$X, "first coordinate", "second coordinate"))
  }
  shown <- unique(round(seq(1, object$n, length.out = min(object$n, 200))))
  P <- model_probabilities(object, shown, shown)
  frame <- data.frame(row = as.vector(row(P)), column = as.vector(col(P)), probability = as.vector(P))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$column, y = -.data$row, fill = .data$probability)) +
    ggplot2::geom_raster() + ggplot2::coord_fixed() + picture_labels(object, x = NULL, y = NULL) + picture_void()
}

# Uses the layout of igraph, like plot().
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_graph <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  if (object$n > 2000) {
    stop_argument("object", "must have at most 2,000 vertices to be drawn, not ", format_count(object$n), ".")
  }
  need_graph_package("igraph", "To draw a graph")
  at <- igraph::layout_nicely(as.igraph.dptda_private_graph(object))
  edges <- graph_edges(object)
  lines <- data.frame(x = at[edges$from, 1], y = at[edges$from, 2], xend = at[edges$to, 1], yend = at[edges$to, 2])
  ggplot2::ggplot(data.frame(x = at[, 1], y = at[, 2]), ggplot2::aes(x = .data$x, y = .data$y)) +
    ggplot2::geom_segment(data = lines, ggplot2::aes(xend = .data$xend, yend = .data$yend), color = "gray50",
                          alpha = edge_opacity(object)) +
    ggplot2::geom_point(color = picture_colors[1], size = if (object$n > 60) 1 else 2) +
    picture_labels(object, graph_picture_words(object)) + picture_void()
}
