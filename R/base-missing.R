# Missing values, which table_rows() says what to do with: an error, unless a public value stands for them, or they are
# left out. A value that stands in their place is put there when rows are read, and nothing after it knows: all rows
# together weigh what they weighed. Rows that are left out are taken out of each statistic by the releases that are
# known for it (number-by.md); everything else refuses such rows, before it looks at one.
#
# Nothing shows how many values are missing, or of which rows: neither a message, nor what is printed, nor the size of a
# release.

# What is missing in a column of categories, where it is a level.
missing_level <- "missing"

# `missing`: one of the ways, one public value, or a list of values and of "level", named by column.
settle_missing <- function(rows, missing) {
  if (identical(missing, "error")) return(rows)
  if (identical(missing, "omit")) return(omitting_rows(rows))
  wanted <- missing_wanted(missing, rows)
  for (place in which(!vapply(wanted, is.null, NA))) rows <- replace_missing(rows, place, wanted[[place]])
  rows
}

# For each column what stands for its missing values, or NULL.
missing_wanted <- function(missing, rows) {
  named <- is.list(missing) && !is.object(missing)
  if (!named) {
    if (!is_public_value(missing)) {
      stop_argument("missing", "must be \"error\", \"level\", \"omit\", one public value, or a list of values and ",
                    "of \"level\", named by column, not ", describe(missing), ".")
    }
    return(lapply(seq_along(rows$types), function(place) missing_value(missing, rows, place, "missing")))
  }
  if (!are_names(names(missing)) || !all(names(missing) %in% rows$columns)) {
    stop_argument("missing", "must have names that are columns of `", rows$arg, "`",
                  if (length(rows$columns)) c(". Its columns are ", quote_names(rows$columns)), ".")
  }
  lapply(seq_along(rows$types), function(place) {
    own <- rows$columns[place]
    value <- missing[[own]]
    if (is.null(value) || identical(value, "error")) return(NULL)
    arg <- paste0("missing$", own)
    if (identical(value, "omit")) {
      stop_argument(arg, "cannot be \"omit\" for one column. Use missing = \"omit\" for all columns.")
    }
    if (!is_public_value(value)) stop_argument(arg, "must be \"level\" or one public value, not ", describe(value), ".")
    missing_value(value, rows, place, arg)
  })
}

is_public_value <- function(x) is.atomic(x) && length(x) == 1 && is.null(dim(x)) && !is.na(x)

# Of the kind that the column is.
missing_value <- function(value, rows, place, arg) {
  type <- rows$types[place]
  own <- column_arg(rows, place)
  if (identical(value, "level")) {
    if (type %in% c("text", "logical")) return(structure(missing_level, level = TRUE))
    stop_argument(arg, "can be \"level\" only for strings, factors, and logical values, but `", own, "` holds ",
                  type_words(type), ". Give a public value that replaces missing ones, such as list(",
                  rows$columns[place], " = 0).")
  }
  good <- type == value_type(value) ||
    type %in% switch(value_type(value), number = c("decimal", "bit", "unknown", "integer64"), text = "unknown",
                     logical = c("bit", "logical number"))
  if (!good) {
    stop_argument(arg, "must be of the kind of the column, but `", own, "` holds ", type_words(type), " and the value ",
                  "is ", describe(value), ". Use a list named by column for different values",
                  if (is_one_string(value)) ", or \"omit\" to leave the rows out", ".")
  }
  if (is.factor(value)) as.character(value) else value
}

# ---- names ---------------------------------------------------------------------------------------------------------

# What a message calls one of the columns.
column_arg <- function(rows, place = 1) paste(c(rows$arg, rows$columns[place]), collapse = "$")

# ---- values in their place -----------------------------------------------------------------------------------------

replace_missing <- function(rows, place, value) UseMethod("replace_missing")

replace_missing.dptda_memory_rows <- function(rows, place, value) {
  x <- rows$data[[place]]
  if (isTRUE(attr(value, "level"))) value <- as.vector(value)
  if (is.logical(x) && is.character(value)) x <- as.character(x)
  rows$data[[place]] <- filled_in(x, value)
  rows$types[place] <- value_type(rows$data[[place]])
  rows
}

filled_in <- function(x, value) {
  # what is missing of these only their package knows
  if (inherits(x, "integer64")) x <- class_numbers(x)
  absent <- is_absent(x)
  if (is.object(value)) {
    # `x[] <-` asks dates, before R 4.3, for an origin of numbers
    number <- replace(class_numbers(x, value_class(x)), absent, class_numbers(value, value_class(x)))
    attributes(number) <- attributes(x)
    return(number)
  }
  if (is.factor(x)) {
    # whatever else it is, its levels may be known, and one is written only where it is not there
    x <- factor(levels(x)[factor_codes(x)], union(levels(x)[!is.na(levels(x))], value))
  }
  x[absent] <- value
  x
}

# ---- left out ------------------------------------------------------------------------------------------------------

omitting_rows <- function(rows) {
  rows$missing <- "omit"
  rows
}

is_omitting <- function(x) is.list(x) && identical(unclass(x)[["missing"]], "omit")

# Whoever reads rows says that it is known for those that leave values out, or gets none.
refuse_omitting <- function(rows) {
  if (!is_omitting(rows) || isTRUE(rows$omit_known)) return(rows)
  stop_argument(rows$arg, "leaves missing values out (`missing = \"omit\"` in table_rows()), which works only for ",
                registered$omitting, ". Write table_rows(x, ",
                filling_words(rows$types[1]), ".")
}

# Rows without those of which a value is missing, among the columns that are there, before they are weighed.
omit_missing <- function(rows) UseMethod("omit_missing")

omit_missing.default <- function(rows) rows

omit_missing.dptda_memory_rows <- function(rows) {
  if (!is_omitting(rows)) return(rows)
  absent <- Reduce(`|`, lapply(rows$data, is_absent))
  if (!any(absent)) return(rows)
  rows$data <- lapply(rows$data, `[`, !absent)
  if (!is.null(rows$owner)) rows$owner <- rows$owner[!absent]
  rows
}

# ---- the error -------------------------------------------------------------------------------------------------------

# For the curator, before anything is drawn: the column, and the ways out. Columns are looked at only then.
stop_missing_values <- function(rows, found = missing_column(rows), also = "") {
  stop_argument(if (is.null(found)) rows$arg else column_arg(rows, found), "must not contain missing values", also,
                column_advice(rows, found), ".")
}

# `advice` of rows is that of each column, by its name, and last of one that is not known.
column_advice <- function(rows, found) {
  advice <- rows$advice
  if (is.null(advice)) return(missing_advice(rows$types[if (is.null(found)) 1 else found]))
  own <- match(rows$columns[found], names(advice))
  advice[[if (length(own) && !is.na(own)) own else length(advice)]]
}

# `omit`: whether the release is known for rows that leave them out, or NA.
missing_advice <- function(type = "number", omit = NA) {
  if (identical(omit, FALSE)) return(paste0(". Write table_rows(x, ", filling_words(type)))
  paste0(". Write table_rows(x, missing = \"omit\") to leave them out",
         if (is.na(omit)) paste0(" of ", registered$omitting),
         ", or table_rows(x, ", filling_words(type))
}

# What can stand for missing values of a column.
filling_words <- function(type) {
  if (type %in% "logical") return("missing = FALSE) to replace them")
  if (type %in% "text") return("missing = \"level\") to give them their own level")
  "missing = value), where `value` is a public number that replaces them"
}

# The place of the first column with one, or NULL.
missing_column <- function(rows) UseMethod("missing_column")

missing_column.default <- function(rows) NULL

missing_column.dptda_memory_rows <- function(rows) {
  found <- if (is.matrix(rows$data)) colSums(is.na(rows$data)) > 0 else
    vapply(rows$data, function(x) any(is_absent(x)), NA)
  if (any(found)) unname(which(found)[1])
}
