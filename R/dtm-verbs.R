# Tables of public points, with one row per point.

#' @exportS3Method
result_table.dptda_grid <- function(x) place_table(grid_vertices(x))

#' @exportS3Method
result_table.dptda_landmarks <- function(x) place_table(x$points)

#' @exportS3Method
result_table.dptda_bins <- function(x) cbind(place_table(x$points), weight = x$weights)

place_table <- function(points) {
  if (is.null(colnames(points))) colnames(points) <- paste0("x", seq_len(ncol(points)))
  as.data.frame(points, row.names = NULL)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_landmarks <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  picture <- landmark_picture(object)
  frame <- data.frame(x = picture$at[, 1], y = picture$at[, 2])
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$x, y = .data$y)) + ggplot2::geom_point(color = picture_colors[1]) +
    ggplot2::coord_fixed() + ggplot2::labs(x = picture$names[1], y = picture$names[2]) + picture_theme()
}
