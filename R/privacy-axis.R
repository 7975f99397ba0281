# Axes of pictures whose numbers are dates, times or durations.

# Of dates a few days apart R would label days of the week, of times hours without a day, of durations their numbers.
draw_class_axis <- function(side, ends, class) {
  own <- is_duration(class) || side == 2 && (class == "Date" || is_time(class) && diff(ends) < 5 * 86400)
  if (!own) return(graphics::Axis(in_class(ends, class), side = side))
  marks <- class_marks(ends, class)
  graphics::axis(side, marks$at, marks$labels)
}

# The axes of two sides of a box, as draw_class_axis() has them.
draw_box_axes <- function(box, sides) {
  for (i in seq_along(sides)) {
    class <- if (is.null(box$classes)) "number" else box$classes[[sides[i]]]
    ends <- c(box$lower[[sides[i]]], box$upper[[sides[i]]])
    if (class == "number") graphics::axis(i, las = 1) else draw_class_axis(i, ends, class)
  }
}

# The scale of a picture of ggplot2 of durations: it knows times of day alone.
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

# "20 mins"; of times of day "08:30".
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

# Seconds between two marks.
clock_steps <- c(c(1, 2, 5, 10, 15, 30) %o% c(1, 60), c(1, 2, 3, 6, 12, 24) * 3600)
