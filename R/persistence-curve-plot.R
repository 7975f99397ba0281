# Results of diagram_curve(): text, tables, means, and pictures. All curves are thin and pale, and their means thick.

#' @rdname diagram_curve
#' @export
mean.dptda_diagram_curves <- function(x, ...) {
  check_no_dots(...)
  unname(colMeans(check_valid(x, "dptda_diagram_curves")$values))
}

#' @export
as.matrix.dptda_diagram_curves <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_diagram_curves")$values
}

#' @export
print.dptda_diagram_curves <- function(x, ...) {
  check_valid(x, "dptda_diagram_curves")
  middle <- mean(x)
  zero <- sum(rowSums(x$values) == 0)
  writeLines(wrap_lines(c(
    paste0("<diagram curves> of ", count_of(format_count(nrow(x$values)), "diagram"), ", not private"),
    paste0("  ", curve_title(x$curve), ": ", curve_grid_words(x$curve)),
    paste0("  mean curve: at most ", format(max(middle), digits = 3), ", at ",
           format(x$grid[which.max(middle)], digits = 3), if (zero > 0) paste0("; zero for ", format_count(zero)))
  )))
  invisible(x)
}

#' @exportS3Method
result_table.dptda_diagram_curves <- function(x) {
  n <- nrow(x$values)
  names <- rownames(x$values)
  data.frame(diagram = rep(if (is.null(names)) seq_len(n) else names, each = length(x$grid)),
             grid = rep(x$grid, n), value = as.vector(t(x$values)))
}

# Title of the vertical axis.
curve_axis <- function(curve) {
  switch(curve$kind, landscape = "Landscape", betti = "Points alive",
         life = if (curve$normalize) "Share of total persistence" else "Persistence alive")
}

#' @rdname diagram_curve
#' @export
plot.dptda_diagram_curves <- function(x, group = NULL, main = NULL, xlab = "Level", ylab = NULL, ...) {
  check_valid(x, "dptda_diagram_curves")
  groups <- check_curve_groups(group, nrow(x$values))
  colors <- curve_colors(groups)
  # room for the legend
  top <- max(x$values, 1e-300) * (1 + if (is.null(group)) 0 else 0.12 * length(colors))
  saved <- open_picture(x$curve$range, c(0, top), xlab,
                        if (is.null(ylab)) curve_axis(x$curve) else ylab, ...)
  on.exit(graphics::par(saved))
  pale <- grDevices::adjustcolor(thin_colors(groups), curve_alpha(nrow(x$values)))[as.integer(groups)]
  graphics::matlines(x$grid, t(x$values), lty = 1, lwd = 1, col = pale)
  means <- curve_means(x, groups)
  for (i in seq_along(colors)) {
    graphics::lines(x$grid, means[i, ], lwd = 6, col = "white")
    graphics::lines(x$grid, means[i, ], lwd = 3.5, col = colors[i])
  }
  if (!is.null(group)) graphics::legend("topright", levels(groups), col = colors, lwd = 3.5, bty = "n")
  tell_on_picture(curve_picture_words(x), main = if (is.null(main)) curve_heading(x) else main)
  invisible(x)
}

# Groups of diagrams as a factor. Values that are missing form no group.
check_curve_groups <- function(group, n) {
  if (is.null(group)) return(factor(rep("", n)))
  good <- is.atomic(group) && is.null(dim(group)) && length(group) == n && !anyNA(group)
  if (good) group <- droplevels(as.factor(group))
  if (!good || nlevels(group) > length(picture_colors)) {
    stop_argument("group", "must be NULL or a vector with one value per diagram, ", n, ", and at most ",
                  length(picture_colors), " different ones.")
  }
  group
}

curve_colors <- function(groups) picture_colors[seq_len(nlevels(groups))]

# A single group is gray, so that its mean stands out.
thin_colors <- function(groups) if (nlevels(groups) == 1) "gray40" else curve_colors(groups)

# Opacity of one curve, so that a thousand do not form a solid block.
curve_alpha <- function(n) max(0.05, min(0.5, 15 / n))

curve_means <- function(x, groups) {
  rowsum(x$values, as.integer(groups)) / tabulate(as.integer(groups))
}

curve_heading <- function(x) {
  title <- curve_title(x$curve)
  paste0(toupper(substr(title, 1, 1)), substring(title, 2))
}

curve_picture_words <- function(x) {
  paste0("thin: ", count_of(format_count(nrow(x$values)), "diagram"), ", not private; thick: mean")
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_diagram_curves <- function(object, group = NULL, ...) {
  check_no_dots(...)
  check_result(object, "object")
  groups <- check_curve_groups(group, nrow(object$values))
  size <- length(object$grid)
  table <- data.frame(level = object$grid, value = as.vector(t(object$values)),
                      row = rep(seq_len(nrow(object$values)), each = size), group = rep(groups, each = size))
  means <- curve_means(object, groups)
  mean <- data.frame(level = object$grid, value = as.vector(t(means)),
                     group = rep(factor(levels(groups), levels(groups)), each = size))
  ggplot2::ggplot(table, ggplot2::aes(x = .data$level, y = .data$value, color = .data$group)) +
    ggplot2::geom_line(ggplot2::aes(group = .data$row), color = thin_colors(groups)[as.integer(table$group)],
                       alpha = curve_alpha(nrow(object$values)), linewidth = 0.4) +
    ggplot2::geom_line(ggplot2::aes(group = .data$group), mean, color = "white", linewidth = 2.4) +
    ggplot2::geom_line(data = mean, linewidth = 1.4) +
    ggplot2::scale_color_manual(values = curve_colors(groups), guide = if (is.null(group)) "none" else "legend") +
    picture_labels(object, curve_picture_words(object), title = curve_heading(object), x = "Level",
                   y = curve_axis(object$curve), color = NULL) +
    picture_theme()
}
