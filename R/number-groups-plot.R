# Pictures of numbers by group, or of several columns.

# Returns the lines of one column. column_place() returns its position.
shown_column <- function(x, column) {
  size <- nrow(attr(x, "parts", exact = TRUE)$counts)
  (column_place(x, column) - 1) * size + seq_len(size)
}

column_place <- function(x, column) {
  known <- attr(x, "parts", exact = TRUE)$columns
  d <- ncol(attr(x, "parts", exact = TRUE)$counts)
  if (is_one_string(column) && column %in% known) column <- match(column, known)
  if (!is_one_number(column) || !column %in% seq_len(d)) {
    stop_argument("column", "must be one of the ", count_of(d, "column"), " that were summed",
                  if (length(known)) c(", ", quote_names(known)), ".")
  }
  column
}

#' @rdname private_groups
#' @export
plot.dptda_private_groups <- function(x, level = 0.95, column = 1, main = NULL, xlab = "", ylab = NULL, col = "#0072B2",
                                      ...) {
  check_unchanged(x)
  parts <- attr(x, "parts", exact = TRUE)
  ends <- group_intervals(parts, check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE))
  lines <- shown_column(x, column)
  frame <- plain_frame(x)[lines, ]
  if (is.null(ylab)) {
    of <- parts$columns[column_place(x, column)]
    if (parts$what == "median") of <- NULL
    ylab <- paste(c("Noisy", parts$what, if (!is.null(of)) c("of", of)), collapse = " ")
  }
  at <- seq_along(lines)
  words <- if (length(parts$by)) do.call(paste, c(lapply(unname(frame[names(parts$by)]), as.character), sep = ", "))
  labels <- if (!is.null(words)) fit_labels(words)
  if (!is.null(labels)) {
    before <- graphics::par(mar = labels$mar)
    on.exit(graphics::par(before))
    graphics::par(new = TRUE) # the page was opened to measure the labels
  }
  hidden <- are_hidden(parts, level)[lines]
  around <- drawn_intervals(x, ends, level)
  open <- (are_hidden(parts, level) | around$open)[lines]
  ends <- around$ends
  shown <- if (is.null(ends)) shown_values(frame$value, hidden, parts) else
    shown_ends(as.double(ends[lines, 1]), as.double(ends[lines, 2]), open)
  saved <- open_picture(range(at) + c(-0.5, 0.5), range(shown), xlab, ylab, xaxt = "n", ...,
                        left = if (is.object(frame$value)) parts$class else "number")
  on.exit(graphics::par(saved), add = TRUE, after = FALSE)
  if (!is.null(ends)) {
    graphics::segments(at, shown[, 1], at, shown[, 2], lwd = 1.5, lty = 1 + 2 * open, col = col)
  }
  graphics::points(at[!hidden], frame$value[!hidden], pch = 19, col = col)
  if (!is.null(labels)) {
    shown <- seq(1, length(at), by = labels$every)
    graphics::axis(1, at = at[shown], labels = labels$words[shown], tick = FALSE, las = labels$las,
                   cex.axis = labels$cex, gap.axis = -1)
  }
  tell_on_picture(group_words(parts, hidden, level), main = if (is.null(main)) group_title(parts) else main)
  invisible(x)
}

group_title <- function(parts) paste0("Private ", parts$what, if (length(parts$by)) " by group")

# Returns the intervals of a picture: for the data, or otherwise for the population, and which of these lack an end.
drawn_intervals <- function(x, ends, level) {
  parts <- attr(x, "parts", exact = TRUE)
  if (!is.null(ends) || is.null(parts$interval)) return(list(ends = ends, open = FALSE))
  open <- parts$interval$lower < 0 | parts$interval$upper >= parts$cells
  list(ends = population_ends(x, min(level, parts$level)), open = as.vector(open))
}

group_words <- function(parts, hidden, level) {
  if (is.null(group_intervals(parts, level))) {
    known <- format_percent(min(level, parts$level))
    words <- c(if (!is.null(parts$interval)) paste0("lines: population (", known, ")"),
               if (any(hidden)) paste("groups without a point: noise hides the", parts$what))
    return(if (length(words)) paste(words, collapse = "; "))
  }
  paste0("lines: noise (", format_percent(level), ")",
         if (any(hidden)) paste("; dotted: noise hides the", parts$what))
}

# Returns the range of values without intervals, and some room.
shown_values <- function(value, hidden, parts) {
  shown <- as.double(value)[!hidden]
  range(shown, if (!length(shown)) parts$box) + c(-1, 1) * parts$width
}

# Cuts the intervals of hidden groups near the range of the others. They may be as wide as the box, and would flatten
# the picture.
shown_ends <- function(lower, upper, hidden) {
  if (any(hidden) && !all(hidden)) {
    reach <- range(lower[!hidden], upper[!hidden])
    reach <- reach + c(-0.1, 0.1) * if (reach[2] > reach[1]) diff(reach) else max(abs(reach[1]), 1)
    lower <- ifelse(hidden, pmin(pmax(lower, reach[1]), reach[2]), lower)
    upper <- ifelse(hidden, pmin(pmax(upper, reach[1]), reach[2]), upper)
  }
  cbind(lower, upper)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_groups <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  check_unchanged(object)
  parts <- attr(object, "parts", exact = TRUE)
  frame <- plain_frame(object)
  frame$group <- if (length(parts$by)) {
    words <- do.call(paste, c(lapply(unname(frame[names(parts$by)]), as.character), sep = ", "))
    factor(words, unique(words))
  } else factor("all")
  frame$hidden <- are_hidden(parts, 0.95)
  around <- drawn_intervals(object, group_intervals(parts, 0.95), 0.95)
  frame$open <- frame$hidden | around$open
  if (is.null(frame$lower) && !is.null(around$ends)) {
    class <- if (is.object(frame$value)) parts$class else "number"
    frame[c("lower", "upper")] <- lapply(1:2, function(i) in_class(around$ends[, i], class))
  }
  ends <- !is.null(frame$lower)
  column <- group_column(parts)
  for (rows in if (ends) split(seq_len(nrow(frame)), if (ncol(parts$counts) == 1) rep(1, nrow(frame)) else
    frame[[column]])) {
    shown <- shown_ends(as.double(frame$lower)[rows], as.double(frame$upper)[rows], frame$open[rows])
    frame$lower[rows] <- shown[, 1]
    frame$upper[rows] <- shown[, 2]
  }
  picture <- ggplot2::ggplot(frame, ggplot2::aes(x = .data$group, y = .data$value)) +
    (if (ends) ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper),
                                       linetype = ifelse(frame$open, "dotted", "solid"),
                                       color = picture_colors[1])) +
    ggplot2::geom_point(data = frame[!frame$hidden, ], color = picture_colors[1], size = 2) +
    picture_labels(object, group_words(parts, frame$hidden, 0.95), x = paste(names(parts$by), collapse = ", "),
                   y = paste("Noisy", parts$what), title = group_title(parts)) + picture_theme() +
    upright_where_long(levels(frame$group))
  if (ncol(parts$counts) > 1) picture <- picture + ggplot2::facet_wrap(column, scales = "free_y")
  picture
}
