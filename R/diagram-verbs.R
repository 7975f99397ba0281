# Table of the chain: distances of its states from the true diagram, step by step.
#' @exportS3Method
result_table.dptda_nonprivate_chain <- function(x) {
  cbind(step = seq_len(nrow(x$distances)), as.data.frame(x$distances))
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_nonprivate_chain <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  distances <- object$distances
  frame <- data.frame(step = as.vector(row(distances)), distance = as.vector(distances),
                      dimension = rep(colnames(distances), each = nrow(distances)))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$step, y = .data$distance, color = .data$dimension)) +
    ggplot2::geom_line() + ggplot2::scale_color_manual(values = rep_len(picture_colors, ncol(distances))) +
    ggplot2::labs(y = "bottleneck distance (not private)", color = NULL) + picture_theme()
}

# Picture of the test: the tested point of each step, and the threshold that it had to pass.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_evidence <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  steps <- object$steps[order(!object$steps$evidence, object$steps$threshold, -object$steps$persistence), ]
  frame <- data.frame(step = seq_len(nrow(steps)), persistence = steps$persistence, threshold = steps$threshold,
                      dimension = factor(steps$dimension), evidence = steps$evidence)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$step)) +
    ggplot2::geom_col(ggplot2::aes(y = .data$threshold), fill = "#F3D9C6", na.rm = TRUE) +
    ggplot2::geom_point(ggplot2::aes(y = .data$persistence, color = .data$dimension, shape = .data$evidence),
                        size = 2.5, na.rm = TRUE) +
    ggplot2::scale_shape_manual(values = c("TRUE" = 16, "FALSE" = 1)) +
    ggplot2::scale_color_manual(values = picture_colors) + ggplot2::labs(y = "persistence") + picture_theme()
}

# Picture of the mean number of detected features at each setting.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_plan <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  frame <- data.frame(m0 = factor(object$settings$m0), clip = factor(object$settings$clip),
                      seen = object$settings$seen)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$m0, y = .data$clip, fill = .data$seen)) +
    ggplot2::geom_tile() + ggplot2::geom_text(ggplot2::aes(label = round(.data$seen, 1))) +
    ggplot2::scale_fill_gradient(low = "#F7FBFF", high = picture_colors[1]) +
    ggplot2::labs(fill = "features detected") + picture_theme()
}

#' @export
confint.dptda_diagram <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "feature_evidence() returns a lower confidence ",
                   "bound on the number of features, and plot() shows the size of the noise.")
}
