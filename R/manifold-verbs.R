# Tables of points of manifolds, one number per row, with its factor of a product and its position.

#' @exportS3Method
result_table.dptda_frechet_mean <- function(x) point_table(x$point)

#' @exportS3Method
result_table.dptda_private_frechet_mean <- function(x) point_table(x$value)

#' @exportS3Method
result_table.dptda_manifold <- function(x) {
  data.frame(title = x$title, dimension = x$dimension, size = x$size, curvature_lower = x$curvature[1],
             curvature_upper = x$curvature[2], injectivity_radius = x$injectivity_radius, homogeneous = x$homogeneous)
}

point_table <- function(point, factor = NULL) {
  if (is.list(point)) {
    names <- if (is.null(names(point))) seq_along(point) else names(point)
    parts <- Map(function(part, name) point_table(part, paste(c(factor, name), collapse = ".")), point, names)
    parts <- lapply(parts, function(part) part[c("factor", "entry", "value")])
    return(do.call(rbind, unname(parts)))
  }
  entry <- if (is.matrix(point)) paste0(row(point), ",", col(point)) else as.character(seq_along(point))
  frame <- data.frame(entry = as.vector(entry), value = as.double(point))
  if (is.null(factor)) frame else cbind(factor = factor, frame)
}
