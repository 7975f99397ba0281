# Converts columns whose numbers have a class: dates are days, times are seconds, durations have a unit, and 64-bit
# integers are bits in a double. Each value is converted to a double separately, before it is clamped, and released
# values are converted back.
#
# The meaning of the numbers in a column is public, and is one string: "number"; "Date", days since 1970-01-01; "POSIXct
# UTC", seconds since then, and the time zone in which they are shown; "difftime hours", with the unit; "difftime hms",
# times of day of the package hms, in seconds. A box has `classes`, one for each side, and an axis has `class`. Both
# are absent if all are "number".

duration_units <- c(hms = 1, secs = 1, mins = 60, hours = 3600, days = 86400, weeks = 604800)

# The class of public values or of a column, or NULL if it does not hold supported numbers.
value_class <- function(x) {
  if (!is.numeric(unclass(x)) || length(dim(x)) > 1) return(NULL)
  if (!is.object(x)) return("number")
  switch(value_type(x), number = , integer64 = "number", Date = "Date", POSIXct = paste("POSIXct", time_zone(x)),
         difftime = paste("difftime", if (inherits(x, "hms")) "hms" else attr(x, "units", exact = TRUE)))
}

# The time zone of an object, or UTC, because the session's zone was not chosen for the data.
time_zone <- function(x) {
  zone <- attr(x, "tzone", exact = TRUE)[1]
  if (is_one_string(zone) && nzchar(zone)) zone else "UTC"
}

is_class_name <- function(x) is_one_string(x) && (x %in% c("number", "Date") || grepl("^POSIXct .", x) ||
                                                  is_duration(x))

is_duration <- function(class) class %in% paste("difftime", names(duration_units))

is_time <- function(class) startsWith(class, "POSIXct ")

is_time_of_day <- function(class) class == "difftime hms"

duration_unit <- function(class) sub("^difftime ", "", class)

# Whether two classes are of one kind. Time zones and units may differ.
same_class <- function(a, b) sub(" .*", "", a) == sub(" .*", "", b)

# Returns NULL if all are numbers.
known_classes_of <- function(classes) if (!all(classes == "number")) classes

are_class_names <- function(x) is.character(x) && length(x) > 0 && all(vapply(x, is_class_name, NA))

# ---- types ----------------------------------------------------------------------

# Returns the type of values that can be counted: numbers, texts, logical values. Other classes hide the meaning of
# their numbers, and the text of one row may depend on the others (times without seconds, in R before 4.3). For a
# factor, only the type of its codes is checked, because the codes are the rows.
value_type <- function(x) {
  if (is.factor(x) && typeof(x) == "integer" && is.character(levels(x))) return("text")
  if (is.object(x)) return(object_type(x))
  if (is.numeric(x)) "number" else if (is.character(x)) "text" else if (is.logical(x)) "logical" else typeof(x)
}

# The type of an object with a class, supported or not.
object_type <- function(x) {
  numbers <- typeof(x) %in% c("double", "integer") && length(dim(x)) < 2
  # a time series: its times are an attribute of the whole, not of its values
  if (inherits(x, "ts") && is.null(dim(x))) return(if (numbers) "number" else typeof(x))
  if (numbers && inherits(x, "Date")) return("Date")
  if (numbers && inherits(x, "POSIXct")) return("POSIXct")
  unit <- attr(x, "units", exact = TRUE)
  if (numbers && inherits(x, "difftime") && is_one_string(unit) && unit %in% names(duration_units)) return("difftime")
  if (typeof(x) == "double" && inherits(x, "integer64")) return("integer64")
  # made by hand
  if (class(x)[1] %in% understood_types) paste("damaged", class(x)[1]) else class(x)[1]
}

understood_types <- c("number", "text", "logical", "decimal", "bit", "unknown", "Date", "POSIXct", "difftime",
                      "integer64",
                      "logical number", "date number", "time number")

check_type <- function(type, wanted, arg) {
  good <- list(number = c("number", "decimal", "bit", "unknown", class_types),
               logical = c("logical", "bit", "unknown"))[[wanted]]
  if (type %in% good) return(invisible())
  stop_argument(arg, "must hold ", c(number = "numbers", logical = "logical values")[[wanted]], ", not ",
                type_words(type), type_hint(type, wanted, arg), ".")
}

type_hint <- function(type, wanted, arg) {
  if (wanted == "logical") return(if (type %in% c("number", "decimal")) c(", as ", arg, " == 1 does"))
  if (type == "text") return(c(registered$counts_categories, registered$describes_categories))
  type_remedy(type)
}

# Advice to convert columns of a class to numbers.
type_remedy <- function(type) {
  if (type %in% c("Date", "POSIXct"))
    return(". Give the box or the breaks as dates too, or use as.numeric() of the column")
  if (type == "difftime")
    return(". Give the box or the breaks as durations too, such as as.difftime(c(0, 8), units = \"hours\")")
  paste0(". ", if (type %in% names(remedies)) remedies[[type]] else
    "Turn each row separately into a number, a date, or a string")
}

labelled_remedy <- "Use haven::as_factor() for its labels, or haven::zap_labels() for its numbers"

remedies <- c(
  POSIXlt = "Use as.POSIXct() for times, or as.Date() for dates", mts = "Use as.data.frame() to get its columns",
  units = "Use as.numeric() to get its numbers, in its unit",
  haven_labelled = labelled_remedy, haven_labelled_spss = labelled_remedy, labelled_spss = labelled_remedy,
  labelled = labelled_remedy,
  Period = "Use as.numeric(x, \"hours\") to get hours",
  Duration = "Use as.difftime(as.numeric(x), units = \"secs\") to get a duration",
  yearmon = "Use as.Date() to get dates", yearqtr = "Use as.Date() to get dates",
  AsIs = "Use unclass() to remove the class that I() gives", noquote = "Use as.character() to get strings",
  roman = "Use as.integer() to get its numbers"
)

# Types of database columns that are read as numbers.
class_types <- c("logical number", "date number", "time number")

type_words <- function(type) {
  known <- c(number = "numbers", text = "strings or a factor",
             logical = "logical values", bit = "numbers", decimal = "numbers")
  if (type %in% names(known)) known[[type]] else paste0("values of class \"", type, "\"")
}

# ---- to numbers and back ---------------------------------------------------------

# The numbers of a column or of public values as doubles, in the unit of `class`. For "number", the class of the values
# is not known, and logical values are 0 and 1.
class_numbers <- function(x, class = "number") {
  if (inherits(x, "integer64")) return(integer64_numbers(x))
  number <- as.double(unclass(x))
  if (!inherits(x, "difftime") || !is_duration(class)) return(number)
  from <- duration_units[[attr(x, "units", exact = TRUE)]]
  to <- duration_units[[duration_unit(class)]]
  # one of them is an integer multiple of the other
  if (from >= to) number * (from / to) else number / (to / from)
}

# Returns the nearest doubles. They are exact up to 2^53 and keep the order beyond it, so it does not matter whether
# they are clamped before or after. The package bit64 is not called, because it would warn about rows.
integer64_numbers <- function(x) join_halves(x, double(length(x)), function(high, low) high * 2^32 + low)

# Keys that distinguish all integers, even beyond 2^53, unlike doubles.
integer64_keys <- function(x) {
  join_halves(x, complex(length(x)), function(high, low) complex(real = high, imaginary = low))
}

# `into`: a vector of the same length, filled with the result of `join` for the halves of each integer.
join_halves <- function(x, into, join) {
  bits <- unclass(x)
  for (from in seq.int(1, by = integer64_chunk, length.out = ceiling(length(bits) / integer64_chunk))) {
    place <- seq.int(from, min(from + integer64_chunk - 1, length(bits)))
    halves <- matrix(readBin(writeBin(as.vector(bits[place]), raw(), endian = "little"), "integer", 2 * length(place),
                             endian = "little"), 2)
    # R's integers use -2^31 as NA
    low <- ifelse(is.na(halves[1, ]), 2^31, halves[1, ] + 2^32 * (halves[1, ] < 0))
    high <- ifelse(is.na(halves[2, ]), -2^31, halves[2, ])
    into[place] <- ifelse(is.na(halves[2, ]) & low == 0, NA, join(high, low))
  }
  into
}

integer64_chunk <- 2^20

# Returns numbers with their class.
in_class <- function(number, class) {
  if (class == "number") return(number)
  if (class == "Date") return(structure(number, class = "Date"))
  if (is_time(class)) return(structure(number, class = c("POSIXct", "POSIXt"), tzone = sub("^POSIXct ", "", class)))
  if (is_time_of_day(class)) return(structure(number, class = c("hms", "difftime"), units = "secs"))
  structure(number, class = "difftime", units = duration_unit(class))
}

# The same with a class per number. Numbers stay plain if classes differ, because a vector has one class.
in_classes <- function(number, classes) {
  if (is.null(classes) || length(unique(classes)) > 1) number else in_class(number, classes[1])
}

# Labels that distinguish public values. Values too large for the calendar are shown as numbers.
class_labels <- function(number, class) {
  if (class == "number") return(formatC(number, digits = 15, width = 1, format = "g", decimal.mark = "."))
  if (is_time_of_day(class)) return(vapply(number, time_label, ""))
  if (is_duration(class)) return(paste(class_labels(number, "number"), duration_unit(class)))
  label <- class_labels(number, "number")
  near <- is.finite(number) & abs(number) <= if (class == "Date") 1e7 else 1e12
  label[near] <- with_plain_numbers(format(in_class(number[near], class)))
  label
}

# 08:30:00, with fractions of a second.
time_label <- function(seconds) {
  if (!is.finite(seconds) || abs(seconds) > 1e12) return(class_labels(seconds, "number"))
  size <- abs(seconds)
  whole <- floor(size)
  below <- if (size > whole) formatC(size - whole, digits = 15, width = 1, format = "fg", decimal.mark = ".")
  paste0(if (seconds < 0) "-", sprintf("%02.0f:%02.0f:%02.0f", whole %/% 3600, whole %/% 60 %% 60, whole %% 60),
         sub("^0", "", below))
}

# ---- columns ---------------------------------------------------------------------

# Checks a column's `type`, a result of value_type().
check_class_type <- function(type, class, arg) {
  if (class == "number") return(if (!type %in% c("integer64", "logical")) check_type(type, "number", arg))
  if (type == sub(" .*", "", class) || is_duration(class) && type %in% c("number", "decimal", "bit"))
    return(invisible())
  stop_argument(arg, "must hold ", class_words(class), ", not ", type_words(type), ", because its box, breaks, or ",
                "levels are of class \"", sub(" .*", "", class), "\"", class_remedy(type, class), ".")
}

class_words <- function(class) {
  if (class == "Date") "dates" else if (is_duration(class)) "durations (difftime)" else "times (POSIXct)"
}

class_remedy <- function(type, class) {
  if (type == "text") {
    converter <- if (is_duration(class)) "as.difftime()" else if (class == "Date") "as.Date()" else "as.POSIXct()"
    return(c(". Use ", converter, " to convert text"))
  }
  if (class == "Date" && type == "POSIXct") return(". Use as.Date() with a public `tz` to convert times to dates")
  if (is_time(class) && type == "Date") return(". Use as.POSIXct() to convert dates to times")
}

# Converts columns of a data frame to numbers if possible, by the names of `box` or in its order.
number_columns <- function(frame, box = NULL) {
  class <- vapply(seq_along(frame), side_class, "", box = box, names = names(frame))
  changes <- vapply(seq_along(frame), function(j) {
    x <- .subset2(frame, j)
    length(x) == nrow(frame) && length(dim(x)) < 2 && holds_class(x, class[j])
  }, NA)
  if (!any(changes)) return(frame)
  parts <- lapply(seq_along(frame), function(j) {
    if (changes[j]) class_numbers(.subset2(frame, j), class[j]) else .subset2(frame, j)
  })
  structure(parts, names = names(frame), row.names = .set_row_names(nrow(frame)), class = "data.frame")
}

side_class <- function(place, box, names = NULL) {
  if (is.null(box$classes)) return("number")
  if (!is.null(box$columns) && !is.null(names) && anyDuplicated(names) == 0) place <- match(names[place], box$columns)
  if (is.na(place) || place > length(box$classes)) "number" else box$classes[place]
}

# Whether a column or vector that is not plain has numbers of this class.
holds_class <- function(x, class) {
  type <- value_type(x)
  if (class == "number") return(type %in% c("logical", "integer64") || type == "number" && is.object(x))
  type == sub(" .*", "", class)
}

# Refuses columns whose class differs from the side of the box. Columns of plain numbers are not dates, even if the user
# means dates.
check_side_classes <- function(frame, box, arg) {
  for (j in seq_along(frame)) {
    class <- side_class(j, box, names(frame))
    type <- value_type(.subset2(frame, j))
    if (class != "number" && type %in% c("number", "text", "logical", "integer64", "Date", "POSIXct", "difftime")) {
      check_class_type(type, class, paste(c(arg, if (is.data.frame(frame)) names(frame)[j]), collapse = "$"))
    }
  }
}

# The classes of the columns themselves, for releases that find a box. Durations are in seconds, because their own unit
# may depend on all rows.
own_classes <- function(x, columns = NULL) {
  if (inherits(x, "dptda_database_rows"))
    return(known_classes_of(vapply(x$types, own_class_of_type, "", USE.NAMES = FALSE)))
  if (inherits(x, "dptda_rows")) {
    check_valid(x, "dptda_rows")
    if (is.matrix(x$data)) return(NULL)
    x <- structure(x$data, names = x$columns)
  }
  parts <- if (is.object(x) && !is.data.frame(x) || !is.list(x)) list(x) else as.list(x)
  if (is.character(columns) && !is.null(names(parts)) && all(columns %in% names(parts))) parts <- parts[columns]
  classes <- vapply(parts, function(x) {
    class <- value_class(x)
    if (is.null(class)) "number" else plain_duration(class)
  }, "", USE.NAMES = FALSE)
  if (length(classes)) known_classes_of(classes)
}

# The class hms has seconds only.
plain_duration <- function(class) if (is_duration(class) && !is_time_of_day(class)) "difftime secs" else class

own_class_of_type <- function(type) switch(type, Date = "Date", POSIXct = "POSIXct UTC", difftime = "difftime secs",
                                           "number")

# Converts a matrix of the package Matrix, sparse or dense, to a matrix of R.
dense_matrix <- function(x, arg) {
  # several time series side by side
  if (inherits(x, "mts") && is.matrix(x)) return(structure(unclass(x), tsp = NULL))
  if (!inherits(x, "Matrix")) return(x)
  if (!requireNamespace("Matrix", quietly = TRUE)) {
    stop_dptda("package", "`", arg, "` needs the package Matrix. Run install.packages(\"Matrix\").")
  }
  as.matrix(x)
}
