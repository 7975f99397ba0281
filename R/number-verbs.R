# Verbs of R and of broom for numbers with added noise.

#' @exportS3Method
tidy_table.dptda_private_value <- function(x) {
  frame <- as.data.frame(x)
  cells <- setdiff(names(frame), c("name", "value", "half_width"))
  term <- if (is.null(frame$name)) names(x$value) else as.character(frame$name)
  if (is.null(term)) term <- if (nrow(frame) == 1) release_title(x) else as.character(seq_len(nrow(frame)))
  first <- if (length(cells)) frame[cells] else data.frame(term = term)
  if ("name" %in% names(frame)) first <- cbind(term = term, first[setdiff(names(first), "term")])
  tidy <- cbind(first, estimate = frame$value)
  if (is.null(frame$half_width)) return(tidy)
  sd <- if (adds_its_noise(x)) added_noise_sd(x)
  cbind(tidy, tidy_intervals(x, sd, value_ends(x, 0.95), attr(x, "classes", exact = TRUE)))
}

#' @exportS3Method
tidy_table.dptda_private_quantile <- function(x) {
  frame <- as.data.frame(x)
  names <- c(name = "term", probability = "probability", value = "estimate", lower = "data.low", upper = "data.high")
  frame <- frame[names(frame) %in% names(names)]
  names(frame) <- unname(names[names(frame)])
  as.data.frame(c(frame, tidy_population(x, attr(x, "classes", exact = TRUE))))
}

#' @importFrom stats coef
#' @export
coef.dptda_private_value <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_value")$value
}

#' @importFrom stats vcov
#' @export
vcov.dptda_private_value <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_value")
  if (is.null(privacy(object)) || !adds_its_noise(object)) {
    stop_argument("object",
                  "must be a count, table, histogram, proportion, sum, or mean as it was released, because the ",
                  "covariance of the noise is not known for other values. Use confint() for intervals.")
  }
  value <- object$value
  names <- if (is.null(names(value)) && length(value) == 1) release_title(object) else names(value)
  variances <- diag(added_noise_sd(object)^2, nrow = length(value))
  if (!is.null(names)) dimnames(variances) <- list(names, names)
  variances
}

# Returns one row for each side of a box.
#' @exportS3Method
result_table.dptda_box <- function(x) side_table(x)

#' @exportS3Method
result_table.dptda_no_box <- function(x) cbind(side_table(x), found = x$found)

side_table <- function(x) {
  column <- if (is.null(x$columns)) paste0("x", seq_along(x$lower)) else x$columns
  data.frame(column = column, lower = in_classes(unname(x$lower), x$classes),
             upper = in_classes(unname(x$upper), x$classes))
}

# Draws one bar for each cell, or shades for two columns.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_table <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  frame <- as.data.frame(object)
  cells <- attr(object, "cells", exact = TRUE)
  if (!is.null(cells)) {
    if (length(cells) > 2) stop_argument("object", "must have at most two columns to be drawn.")
    frame <- data.frame(first = frame[[1]], second = frame[[2]], value = frame$value)
    frame$ink <- ifelse(frame$value > 0.55 * max(frame$value, 1), "white", "gray15")
    return(ggplot2::ggplot(frame, ggplot2::aes(x = .data$first, y = .data$second, fill = .data$value)) +
             ggplot2::geom_tile(color = "white") +
             (if (nrow(frame) <= 100) ggplot2::geom_text(ggplot2::aes(label = .data$value), color = frame$ink)) +
             ggplot2::scale_y_discrete(limits = rev) +
             picture_labels(object, shade_words(object), x = names(cells)[1], y = names(cells)[2],
                            fill = "Noisy count") +
             ggplot2::scale_fill_gradient(low = "white", high = picture_colors[1]) + picture_theme() +
             upright_where_long(levels(frame$first)))
  }
  # between breaks a bar is as wide as its interval
  breaks <- !is.null(object$breaks)
  frame$at <- if (breaks) frame$lower + (frame$upper - frame$lower) / 2 else frame[[1]]
  bars <- if (breaks) {
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$lower, xmax = .data$upper, ymin = 0, ymax = .data$value),
                       fill = "#B9D6EA", color = picture_colors[1])
  } else {
    ggplot2::geom_col(fill = "#B9D6EA", color = picture_colors[1], width = 0.8)
  }
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$at, y = .data$value)) + bars + noise_whiskers(frame) +
    unit_scale(if (breaks) attr(object, "break_classes", exact = TRUE)[[1]], ggplot2::scale_x_continuous) +
    picture_labels(object, c(if (!is.null(frame$half_width)) "lines: noise (95%)", if (breaks) end_bar_words),
                   x = NULL, y = "Noisy count") + picture_theme() +
    (if (!breaks) upright_where_long(levels(frame$at)))
}

noise_whiskers <- function(frame) {
  if (is.null(frame$half_width)) return(NULL)
  ggplot2::geom_linerange(ggplot2::aes(ymin = .data$value - .data$half_width, ymax = .data$value + .data$half_width))
}

# Returns the range that plot() shows for values without intervals.
picture_range <- function(x) {
  in_classes(shown_range(around_values(x), x$lattice), attr(x, "classes", exact = TRUE))
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_quantile <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  frame <- as.data.frame(object)
  around <- population_ends(object, min(0.95, attr(object, "interval", exact = TRUE)$level))
  classes <- attr(object, "classes", exact = TRUE)
  picture <- ggplot2::ggplot(frame, ggplot2::aes(x = .data$value, y = .data$probability)) +
    ggplot2::geom_point(color = picture_colors[1], size = 2) +
    ggplot2::coord_cartesian(xlim = if (!is.null(around)) in_classes(shown_range(around, object$lattice), classes) else
      if (object$method != "counts") picture_range(object), ylim = c(0, 1)) +
    unit_scale(attr(object, "classes", exact = TRUE)[1], ggplot2::scale_x_continuous) +
    picture_labels(object, if (knows_rows(object)) {
      if (!is.null(frame$within)) rank_line_words(frame$within, 0.95)
      else if (!is.null(frame$lower)) "points: quantiles; lines: noise (95%)"
    }, x = NULL, y = paste("Fraction of", units_noun(privacy(object)$person), "below")) + picture_theme()
  if (!knows_rows(object)) return(picture)
  if (!is.null(around)) {
    lines <- data.frame(probability = frame$probability, from = in_classes(around[, 1], classes),
                        to = in_classes(around[, 2], classes))
    picture <- picture + ggplot2::geom_linerange(ggplot2::aes(y = .data$probability, xmin = .data$from,
                                                              xmax = .data$to), lines, inherit.aes = FALSE,
                                                 linewidth = 1.2) +
      picture_labels(object, c(rank_line_words(frame$within, 0.95), population_line_words(object)), x = NULL,
                     y = paste("Fraction of", units_noun(privacy(object)$person), "below"))
  }
  if (!is.null(frame$within)) {
    reach <- share_within(frame$within, object)
    ends <- data.frame(value = frame$value, from = pmax(frame$probability - reach, 0),
                       to = pmin(frame$probability + reach, 1))
    return(picture + ggplot2::geom_linerange(ggplot2::aes(x = .data$value, ymin = .data$from, ymax = .data$to), ends,
                                             inherit.aes = FALSE))
  }
  if (is.null(frame$lower)) return(picture)
  picture + ggplot2::geom_linerange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper))
}
