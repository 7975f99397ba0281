# Axes of pictures whose numbers are dates, times or durations.

# Of dates a few days apart R would label days of the week, of times hours without a day, of durations their numbers.
draw_class_axis <- function(side, ends, class) {
  own <- is_duration(class) || side == 2 && (class == "Date" || is_time(class) && diff(ends) < 5 * 86400)
  if (!own) return(graphics::Axis(in_class(ends, class), side = side))
  marks <- class_marks(ends, class)
  graphics::axis(side, marks$at, marks$labels)
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
