# Handles missing values as table_rows() requests: by an error, by a public value, or by leaving them out. A replacement
# is inserted when rows are read, and later code treats it like any value: the total weight of the rows is unchanged.
# Releases with a proof for it leave rows out of each statistic (number-by.md). All others refuse such rows before they
# use one.
#
# Nothing shows how many values are missing, or in which rows: neither a message, nor printed output, nor the size of a
# release.

# The level of missing values in a column of categories.
missing_level <- "missing"

# `missing`: an option, one public value, or a list of values and of "level", named by column.
settle_missing <- function(rows, missing) {
  if (identical(missing, "error")) return(rows)
  if (identical(missing, "omit")) return(omitting_rows(rows))
  wanted <- missing_wanted(missing, rows)
  for (place in which(!vapply(wanted, is.null, NA))) rows <- replace_missing(rows, place, wanted[[place]])
  rows
}

# The replacement of missing values for each column, or NULL.
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

# Returns the replacement, which must be of the kind of the column.
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

# The name of a column in messages.
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
  # R itself does not recognize the missing value of this class
  if (inherits(x, "integer64")) x <- class_numbers(x)
  absent <- is_absent(x)
  if (is.object(value)) {
    # before R 4.3, `x[] <-` needs an origin to turn numbers into dates
    number <- replace(class_numbers(x, value_class(x)), absent, class_numbers(value, value_class(x)))
    attributes(number) <- attributes(x)
    return(number)
  }
  if (is.factor(x)) {
    # its levels may be public in any case, and a level is added only if it does not exist
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

# Refuses rows that leave values out, unless the release that reads them declares a proof for them.
refuse_omitting <- function(rows) {
  if (!is_omitting(rows) || isTRUE(rows$omit_known)) return(rows)
  stop_argument(rows$arg, "leaves missing values out (`missing = \"omit\"` in table_rows()), which works only for ",
                registered$omitting, ". Write table_rows(x, ",
                filling_words(rows$types[1]), ".")
}

# Removes rows with a missing value in one of the present columns, before rows are weighted.
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

# Names the column and the remedies, for the curator, before anything is drawn. Columns are searched only now.
stop_missing_values <- function(rows, found = missing_column(rows), also = "") {
  stop_argument(if (is.null(found)) rows$arg else column_arg(rows, found), "must not contain missing values", also,
                column_advice(rows, found), ".")
}

# `advice` of rows is a list with advice for each column, by name, and last for an unknown one.
column_advice <- function(rows, found) {
  advice <- rows$advice
  if (is.null(advice)) return(missing_advice(rows$types[if (is.null(found)) 1 else found]))
  own <- match(rows$columns[found], names(advice))
  advice[[if (length(own) && !is.na(own)) own else length(advice)]]
}

# `omit`: whether the release supports rows that leave values out, or NA.
missing_advice <- function(type = "number", omit = NA) {
  if (identical(omit, FALSE)) return(paste0(". Write table_rows(x, ", filling_words(type)))
  paste0(". Write table_rows(x, missing = \"omit\") to leave them out",
         if (is.na(omit)) paste0(" of ", registered$omitting),
         ", or table_rows(x, ", filling_words(type))
}

# Words for the replacements of missing values in a column.
filling_words <- function(type) {
  if (type %in% "logical") return("missing = FALSE) to replace them")
  if (type %in% "text") return("missing = \"level\") to give them their own level")
  "missing = value), where `value` is a public number that replaces them"
}

# The position of the first column with a missing value, or NULL.
missing_column <- function(rows) UseMethod("missing_column")

missing_column.default <- function(rows) NULL

missing_column.dptda_memory_rows <- function(rows) {
  found <- if (is.matrix(rows$data)) colSums(is.na(rows$data)) > 0 else
    vapply(rows$data, function(x) any(is_absent(x)), NA)
  if (any(found)) unname(which(found)[1])
}
