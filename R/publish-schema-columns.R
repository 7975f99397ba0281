# Columns of schemas: numbers, dates, levels and logical values.

#' @rdname table_schema
#' @export
schema_numeric <- function(lower, upper, cells = 20, ..., breaks = NULL, whole = FALSE,
                           missing = c("refuse", "level")) {
  check_no_dots(...)
  if (base::missing(lower)) stop_missing("lower") # `missing` is an argument here
  if (inherits(lower, c("dptda_box", "dptda_no_box"))) lower <- box_pair(lower)
  if (are_dates(lower)) {
    if (!is.null(breaks)) {
      stop_argument("breaks", "must be left out if `lower` is a date. Use schema_date() to choose intervals.")
    }
    return(schema_date(lower, upper, cells = if (!base::missing(cells)) cells, missing = missing))
  }
  if (is_pair(lower)) {
    if (!base::missing(upper)) stop_argument("upper", "must be left out if `lower` is a pair, c(lower, upper).")
    upper <- lower[2]
    lower <- lower[1]
  }
  class <- value_class(lower)
  if (is.object(lower) && !is.null(class)) {
    number <- function(x) if (identical(value_type(x), value_type(lower))) class_numbers(x, class) else x
    if (!base::missing(upper)) upper <- number(upper)
    breaks <- number(breaks)
    lower <- number(lower)
  }
  lower <- check_number(lower)
  upper <- check_number(upper, lower, open_lower = TRUE)
  if (!is.finite(upper - lower)) stop_argument("upper", "must be closer to `lower`: their difference must be finite.")
  cells <- check_count(cells, 1, max_schema_cells)
  whole <- check_flag(whole)
  missing <- check_missing_policy(missing)
  numeric_column(lower, upper, cells, breaks, whole, missing, class)
}

# The bounds of a box of one side, in their own class.
box_pair <- function(box, arg = "lower") {
  box <- check_box(box, arg)
  in_classes(one_side(box, arg), box$classes)
}

# `class`: the meaning of the numbers, or NULL for plain numbers.
numeric_column <- function(lower, upper, cells, breaks, whole, missing, class = NULL) {
  if (is.null(breaks)) {
    ends <- c(lower + (upper - lower) / cells * seq.int(0, cells - 1), upper)
    if (is.unsorted(ends, strictly = TRUE)) {
      stop_argument("cells", "must be smaller, because the bounds are so close to each other.")
    }
    # integers are drawn between the breaks, so counts must use exactly the same breaks
    axis <- if (whole) axis_intervals(ends) else axis_cells(lower, upper, cells)
  } else {
    ends <- c(lower, check_inner_breaks(breaks, lower, upper), upper)
    axis <- axis_intervals(ends)
  }
  if (whole && any(cell_wholes(ends)$count < 1)) {
    stop_argument("whole", "must be FALSE, because an interval contains no integer. Use wider intervals for integers.")
  }
  shown <- if (is.null(class)) interval_names(ends) else interval_names(ends, class)
  column <- new_schema_column("numeric", axis, shown, missing, breaks = ends, whole = whole)
  if (!is.null(class) && class != "number") column$holds <- class
  column
}

#' @rdname table_schema
#' @export
schema_date <- function(lower, upper, by = "month", ..., cells = NULL, missing = c("refuse", "level")) {
  check_no_dots(...)
  if (base::missing(lower)) stop_missing("lower", "the first date, as \"2020-01-01\"") # as above
  if (inherits(lower, c("dptda_box", "dptda_no_box"))) lower <- box_pair(lower)
  if (length(lower) == 2) {
    if (!base::missing(upper)) stop_argument("upper", "must be left out if `lower` is a pair, c(lower, upper).")
    upper <- lower[2]
    lower <- lower[1]
  }
  lower <- as_date(lower)
  if (!base::missing(upper)) upper <- as_date(upper)
  class <- value_class(lower)
  if (is.null(class) || !class == "Date" && !is_time(class)) {
    stop_argument("lower",
                  "must be a date, as \"2020-01-01\", or a time, as.POSIXct(\"2020-01-01\", tz = \"UTC\"), ",
                  "not ", describe(lower), ".")
  }
  if (base::missing(upper)) stop_missing("upper", "the last date")
  if (is.null(value_class(upper)) || !same_class(value_class(upper), class)) {
    stop_argument("upper", "must be of the class of `lower`, \"", sub(" .*", "", class), "\", not ",
                  describe(upper), ".")
  }
  first <- check_number(class_numbers(lower), arg = "lower")
  last <- check_number(class_numbers(upper), first, arg = "upper", open_lower = TRUE)
  if (!is.null(cells)) {
    if (!base::missing(by)) stop_argument("cells", "must be left out if `by` is given.")
    return(equal_dates(first, last, check_date_cells(cells, first, last, class), check_missing_policy(missing), class))
  }
  inner <- date_steps(first, last, by, class)
  numeric_column(first, last, 1, if (length(inner)) inner, TRUE, check_missing_policy(missing), class)
}

check_date_cells <- function(cells, first, last, class) {
  cells <- check_count(cells, 1, max_schema_cells)
  most <- max(1, floor(last - first))
  if (cells > most) {
    stop_argument("cells", "must be at most ", format_count(most), ", the number of ",
                  if (class == "Date") "days" else "seconds", " between the bounds.")
  }
  cells
}

# Intervals of whole days or seconds. Their lengths differ by at most one.
equal_dates <- function(first, last, cells, missing, class) {
  steps <- unique(round(seq(first, last, length.out = cells + 1)))
  inner <- steps[steps > first & steps < last]
  numeric_column(first, last, 1, if (length(inner)) inner, TRUE, missing, class)
}

check_missing_policy <- function(missing, other = NULL) {
  if (is_one_flag(missing)) return(if (missing) "level" else "refuse")
  check_choice(missing, c("refuse", "level", other))
}

# Checks for dates or times, or for text that schema_date() accepts as a date.
are_dates <- function(x) {
  class <- value_class(if (is.character(x)) as_date(x[1]) else x)
  !is.null(class) && (class == "Date" || is_time(class))
}

# Converts text of the form "2020-01-01" to a date. Other formats are not guessed.
as_date <- function(x) {
  if (!is_one_string(x) || !grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x)) return(x)
  date <- as.Date(x, format = "%Y-%m-%d")
  if (is.na(date)) x else date
}

# Dates between two dates in steps, as in seq(). Months, quarters, and years follow the calendar, in the time zone.
date_steps <- function(first, last, by, class) {
  if (inherits(by, "difftime") && !is.null(value_class(by))) {
    by <- class_numbers(by, if (class == "Date") "difftime days" else "difftime secs")
  }
  good <- if (is.character(by)) are_calendar_words(by) && (class != "Date" || !grepl("sec|min|hour|DST", by)) else
    is_one_number(by) && is.finite(by) && by >= 1 && by == floor(by)
  # a lower bound on the steps limits their number before they are made
  least <- if (is.character(by)) 1 else by
  if (!isTRUE(good)) {
    stop_argument("by", "must be \"week\", \"month\", \"quarter\", or \"year\", also with a number, as in ",
                  "\"2 weeks\", or an integer number of ", if (class == "Date") "days" else "seconds", ", not ",
                  describe(by), ".")
  }
  if (is.character(by)) {
    seconds <- c(sec = 1, min = 60, hour = 3600, day = 86400, DSTday = 82800, week = 604800, month = 28 * 86400,
                 quarter = 89 * 86400, year = 365 * 86400)
    count <- suppressWarnings(as.double(sub(" .*", "", by)))
    unit <- seconds[[sub("s$", "", sub("^[0-9]+ ", "", by))]] * (if (is.na(count)) 1 else count)
    least <- if (class == "Date") unit / 86400 else unit
  }
  if (!isTRUE(least > 0) || (last - first) / least > max_schema_cells + 1) {
    stop_argument("by", "must be longer: at most ", format_count(max_schema_cells), " steps are possible.")
  }
  steps <- class_numbers(seq(in_class(first, class), in_class(last, class), by = by))
  steps <- steps[steps > first & steps < last]
  if (is.unsorted(steps, strictly = TRUE)) stop_argument("by", "must give dates that increase from `lower`.")
  if (length(steps) >= max_schema_cells) {
    stop_argument("by", "must be longer: at most ", format_count(max_schema_cells), " steps are possible.")
  }
  steps
}

check_inner_breaks <- function(breaks, lower, upper, arg = "breaks") {
  good <- is_plain_numeric(breaks) && is.null(dim(breaks)) && length(breaks) < max_schema_cells &&
    all(is.finite(breaks)) &&
    !is.unsorted(c(lower, breaks, upper), strictly = TRUE)
  if (!good) stop_argument(arg, "must be increasing numbers between `lower` and `upper`.")
  as.double(breaks)
}

# The integers of each interval: the first, and their number.
cell_wholes <- function(ends) {
  size <- length(ends) - 1
  first <- ceiling(ends[-(size + 1)])
  list(first = first, count = c(ceiling(ends[-c(1, size + 1)]) - 1, floor(ends[size + 1])) - first + 1)
}

#' @rdname table_schema
#' @export
schema_categorical <- function(levels, ..., ordered = FALSE, other = "other", missing = c("refuse", "level", "other")) {
  check_no_dots(...)
  if (base::missing(levels)) stop_missing("levels") # `missing` is an argument here
  levels <- check_schema_levels(levels)
  type <- if (check_flag(ordered)) "ordered" else "categorical"
  level_column(type, levels, other, check_missing_policy(missing, "other"))
}

#' @rdname table_schema
#' @export
schema_logical <- function(..., missing = c("refuse", "level")) {
  check_no_dots(...)
  new_schema_column("logical", axis_logical(), c("FALSE", "TRUE"), check_missing_policy(missing))
}

check_schema_levels <- function(levels, arg = deparse1(substitute(levels))) {
  force(arg)
  levels <- check_cell_levels(levels, arg)
  if (is.object(levels)) stop_argument(arg, "must not be of class \"", class(levels)[1],
                                       "\". For dates, use schema_date().")
  if (length(levels) > max_schema_cells) {
    stop_argument(arg, "must have at most ", format_count(max_schema_cells), " levels.")
  }
  levels
}

level_column <- function(type, levels, other, missing) {
  if (!is_one_string(other) || !nzchar(other)) stop_argument("other", "must be a string, not ", describe(other), ".")
  axis <- axis_levels(levels, other)
  if (missing == "level" && "missing" %in% axis$names) {
    stop_argument("levels", "must not contain \"missing\" if `missing` is \"level\".")
  }
  new_schema_column(type, axis, axis$names, missing, other)
}

register(describes_categories = ", and schema_categorical() describes them")
