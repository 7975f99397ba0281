# Titles, frames, and axes of pictures, for numbers that may be dates, times, or durations.

# Returns the user's title, or a default such as "Private mean". "" means no title.
picture_title <- function(x, main = NULL) {
  if (!is.null(main)) return(main)
  title <- sub("pca$", "PCA", sub("kmeans", "k-means", release_title(x)))
  paste0(toupper(substr(title, 1, 1)), substring(title, 2))
}

# Returns title and subtitle of a ggplot2 picture, with line breaks. `...`: as for labs(), including `x` and `y`.
picture_labels <- function(.object, .words = NULL, ..., title = picture_title(.object)) {
  words <- paste(.words, collapse = "; ")
  ggplot2::labs(title = title, subtitle = if (nzchar(words)) paste(strwrap(words, 56), collapse = "\n"), ...)
}

# Opens a frame with horizontal tick labels at its left, and a margin that fits them and the axis title. `left`: the
# class of the numbers on that axis. `...`: arguments of plot.default(). Returns the previous margins.
open_picture <- function(xlim, ylim, xlab, ylab, ..., left = "number") {
  wanted <- list(...)
  frame <- function(...) {
    settings <- list(x = xlim, y = ylim, type = "n", xlab = xlab, ylab = "", las = 1)
    do.call(graphics::plot.default, utils::modifyList(utils::modifyList(settings, wanted), list(...)))
  }
  # measures the labels
  frame(axes = FALSE, ann = FALSE)
  marks <- if (identical(left, "number")) number_marks(graphics::axTicks(2)) else
    class_marks(graphics::par("usr")[3:4], left)
  lines <- 0.6 + wide_in_lines(marks$labels)
  saved <- graphics::par(mar = replace(graphics::par("mar"), 2, max(graphics::par("mar")[2], lines + 1.6)))
  graphics::par(new = TRUE)
  frame(yaxt = "n")
  shown <- !identical(wanted$yaxt, "n") && !isFALSE(wanted$axes)
  if (shown) graphics::axis(2, marks$at, marks$labels, las = 1, mgp = c(3, 0.6, 0), tcl = -0.3)
  graphics::title(ylab = ylab, line = max(2.2, lines + 0.4))
  saved
}

# Draws the axis below a picture. R alone would label durations as numbers.
draw_class_axis <- function(ends, class) {
  if (identical(class, "number")) return(graphics::axis(1))
  if (!is_duration(class)) return(graphics::Axis(in_class(ends, class), side = 1))
  marks <- class_marks(ends, class)
  graphics::axis(1, marks$at, marks$labels)
}

# Returns the class of one side of a box.
class_of_side <- function(box, column) if (is.null(box$classes)) "number" else box$classes[[column]]

# Returns a scale that labels durations in ggplot2, which itself labels only times of day.
unit_scale <- function(class, scale) {
  if (length(class) == 1 && is_duration(class) && !is_time_of_day(class)) {
    scale(labels = function(at) paste(at, duration_unit(class)))
  }
}

class_marks <- function(ends, class) {
  if (is_duration(class)) return(duration_marks(ends, class))
  if (class == "Date") return(date_marks(ends))
  at <- if (is_time(class)) as.double(pretty(in_class(ends, class), 4)) else pretty(ends, 4)
  if (!is_time(class)) return(list(at = at, labels = format(at, trim = TRUE)))
  list(at = at, labels = sub("(:[0-9]{2}):00$", "\\1", format(in_class(at, class))))
}

date_marks <- function(ends) {
  at <- unique(floor(pretty(ends, 4)))
  list(at = at, labels = format(in_class(at, "Date")))
}

# Returns labels such as "20 mins", or "08:30" for times of day.
duration_marks <- function(ends, class) {
  if (!is_time_of_day(class)) {
    at <- pretty(ends, 4)
    return(list(at = at, labels = paste(format(at, trim = TRUE), duration_unit(class))))
  }
  step <- clock_steps[diff(ends) / clock_steps <= 5][1]
  at <- if (is.na(step) || diff(ends) < 2) pretty(ends, 4) else {
    seq.int(ceiling(ends[1] / step), floor(ends[2] / step)) * step
  }
  labels <- vapply(at, time_label, "")
  list(at = at, labels = if (all(at %% 60 == 0)) sub(":00$", "", labels) else labels)
}

# Possible distances between marks of a clock axis, in seconds.
clock_steps <- c(c(1, 2, 5, 10, 15, 30) %o% c(1, 60), c(1, 2, 3, 6, 12, 24) * 3600)
