# Result tables and pictures: the steps of a model of a table, and the cells of a column.

#' @exportS3Method
result_table.dptda_synthesis <- function(x) x$steps

#' @exportS3Method
result_table.dptda_schema_column <- function(x) {
  frame <- data.frame(cell = seq_along(x$names), name = x$names)
  if (x$type == "numeric") {
    at <- seq_len(nrow(frame))
    breaks <- in_classes(x$breaks, x$holds)
    frame$lower <- breaks[at]
    frame$upper <- breaks[at + 1]
  }
  frame
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_evaluation <- function(object, ...) {
  check_no_dots(...)
  numbers <- check_result(object, "object")$numbers
  if (nrow(numbers) == 0) stop_argument("object", "has no numbers to plot.")
  label <- paste0(numbers$measure, ": ", numbers$what)
  rows <- c(model = "drawn rows", real = "real rows", baseline = "baseline")
  frame <- data.frame(label = factor(rep(label, 3), rev(unique(label))), value = unlist(numbers[names(rows)]),
                      rows = factor(rep(rows, each = length(label)), rows))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$value, y = .data$label, shape = .data$rows)) +
    ggplot2::geom_point(na.rm = TRUE) + ggplot2::scale_shape_manual(values = c(19, 1, 4)) +
    ggplot2::labs(x = "error or distance", y = NULL, shape = NULL, title = "not private: computed from real rows") +
    picture_theme()
}

# The fractions of the cells of each column, for at most twelve columns.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_synthesis <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  columns <- object$schema$columns
  shares <- lapply(utils::head(seq_along(columns), 12), function(j) {
    share <- model_margin(object$model, j)
    data.frame(column = names(columns)[j], cell = columns[[j]]$names, share = share / sum(share))
  })
  frame <- do.call(rbind, shares)
  frame$column <- factor(frame$column, names(columns))
  # columns may share names of levels, in different orders
  key <- paste(as.integer(frame$column), frame$cell)
  frame$key <- factor(key, key)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$key, y = .data$share)) +
    ggplot2::geom_col(fill = picture_colors[1]) + ggplot2::facet_wrap(ggplot2::vars(.data$column), scales = "free_x") +
    ggplot2::scale_x_discrete(labels = function(key) sub("^[0-9]+ ", "", key)) +
    ggplot2::labs(x = NULL) + picture_theme() + upright_where_long(rep(frame$cell, min(3, length(columns))))
}
