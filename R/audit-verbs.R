# Returns the rows of both data sets in one data frame.
#' @exportS3Method
result_table.dptda_neighbors <- function(x) {
  frame <- function(rows, set) {
    if (is.list(rows) && !is.data.frame(rows)) rows <- vapply(rows, deparse1, "")
    rows <- if (is.null(dim(rows))) data.frame(value = rows) else as.data.frame(rows)
    cbind(set = rep(set, nrow(rows)), rows, row.names = NULL)
  }
  rbind(frame(x$x, "x"), frame(x$neighbor, "neighbor"))
}

# Draws the measured quantity of the runs on both data sets, and the threshold of the event.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_audit <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  scores <- lapply(object$scores, function(part) part[is.finite(part)])
  frame <- data.frame(score = unlist(scores, use.names = FALSE), data = rep(names(scores), lengths(scores)))
  range <- central_range(frame$score, object$event$threshold)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$score, color = .data$data)) +
    ggplot2::geom_freqpoly(breaks = seq(range[1], range[2], length.out = 41), na.rm = TRUE) +
    (if (is.finite(object$event$threshold)) ggplot2::geom_vline(xintercept = object$event$threshold, linetype = 2)) +
    ggplot2::scale_color_manual(values = picture_colors) +
    ggplot2::labs(x = sub(" [<>]= .*$", "", object$event$description), y = "runs", color = NULL) + picture_theme()
}
