# Reads a file of rows with public types: the type of a column does not depend on its values.

#' Rows of a file, read by public types
#'
#' `table_file()` reads columns of a CSV or Parquet file by types that you declare in advance, so that nothing about a
#' column is guessed from its values. You can release the resulting data frame like any other rows.
#'
#' A text file must be in UTF-8, with or without a byte order mark. Its first line has the names of the columns. Each
#' further line is a row that is read on its own. A field that begins with a quote ends at the next quote, and two
#' quotes within it stand for one. Any other quote is text, as in `5'11"`.
#'
#' A quoted field may contain line breaks if no line on which it continues could be a row on its own. Otherwise, the
#' file is refused. An unclosed quote in one row therefore never decides how other rows are read.
#'
#' If a value does not have its declared type, the result is an error that names the column only, or a missing value
#' (`invalid = "missing"`; see [table_rows()]). Numbers have decimal digits, such as `-1.5` or `2e6`. A column of
#' numbers can be read as text if each number has at most 15 digits.
#'
#' @param file A string: the path of a file. Files that end in `.parquet` are read with the package nanoparquet, or with
#'   arrow if nanoparquet is not installed. All other files are text, which may be compressed.
#' @param types A character vector, named by the columns to read: `"number"`, `"text"`, `"date"` (such as `2024-12-31`),
#'   or `"logical"` (`TRUE` or `FALSE` in any case, 1, or 0).
#' @param ... Not used. Later arguments must be named.
#' @param separator `NULL` or a string: the separator of fields, `","`, `";"`, `"|"`, or `"\t"`. `NULL` uses the
#'   separator with which the first line has the columns.
#' @param decimal `"."` or `","`: the decimal mark of numbers.
#' @param missing `NULL` or a character vector: the fields that are missing values, with or without quotes. By default,
#'   a missing value is an empty field or `NA`. In a text column, `NA` in quotes is text, as R writes it.
#' @param invalid `"error"` or `"missing"`: the treatment of values that do not have their type.
#'
#' @return A data frame of the columns, in the order of `types`.
#' @seealso [table_rows()], [release_recipe()]
#' @examples
#' file <- tempfile(fileext = ".csv")
#' writeLines(c("\ufeffage;sex", "34,5;f", "51;\"m\""), file, useBytes = TRUE)
#' table_file(file, c(age = "number", sex = "text"), decimal = ",")
#' unlink(file)
#' @export
table_file <- function(file, types, ..., separator = NULL, decimal = c(".", ","), missing = NULL,
                       invalid = c("error", "missing")) {
  check_no_dots(...)
  file <- check_data_file(file)
  types <- check_types(types)
  if (!is.null(separator)) separator <- check_choice(separator, separators)
  decimal <- check_choice(decimal, c(".", ","))
  if (!is.null(missing) && (!is.character(missing) || anyNA(missing))) {
    stop_argument("missing", "must be NULL or a character vector, not ", describe(missing), ".")
  }
  invalid <- check_choice(invalid, c("error", "missing"))
  read <- if (grepl("[.]parquet$", file, ignore.case = TRUE)) read_parquet else read_text
  columns <- read(file, names(types), separator, is.null(missing))
  made <- Map(function(x, type, name) read_values(x, type, name, decimal, missing, invalid), columns, types,
              names(types))
  structure(made, names = names(types), row.names = .set_row_names(length(made[[1]])), class = "data.frame")
}

column_types <- c("number", "text", "date", "logical")

check_data_file <- function(file) {
  if (missing(file)) stop_missing("file", "the path of a CSV or Parquet file")
  if (!is_one_string(file) || is.object(file) || !nzchar(file)) {
    stop_argument("file", "must be the path of a file, not ", describe(file), ".")
  }
  if (dir.exists(file)) stop_argument("file", "must be a file, and ", encodeString(file, quote = "\""), " is a folder.")
  if (!file.exists(file)) {
    stop_argument("file", "must be an existing file. There is no ", encodeString(file, quote = "\""),
                  meant_file(file), ".")
  }
  file
}

# Suggests an existing file if the name has a typing error.
meant_file <- function(file) {
  meant <- closest_name(basename(file), list.files(dirname(file)))
  if (is.null(meant)) return(NULL)
  if (basename(file) != file) meant <- file.path(dirname(file), meant)
  paste0(" (did you mean ", encodeString(meant, quote = "\""), "?)")
}

check_types <- function(types, arg = "types") {
  if (missing(types)) stop_missing(arg, "the type of each column, as c(age = \"number\", sex = \"text\")")
  good <- is.character(types) && !is.object(types) && is.null(dim(types)) && length(types) > 0 &&
    are_names(names(types))
  if (!good) {
    stop_argument(arg, "must be a character vector, named by columns, of ",
                  paste0("\"", column_types, "\"", collapse = ", "), ", not ", describe(types), ".")
  }
  wrong <- setdiff(types, column_types)
  if (length(wrong)) {
    stop_argument(arg, "must be of ", paste0("\"", column_types, "\"", collapse = ", "), ", not ", describe(wrong[1]),
                  did_you_mean(wrong[1], column_types), ".")
  }
  types
}

did_you_mean <- function(name, known, mark = "`") {
  meant <- closest_name(name, known)
  if (!is.null(meant)) paste0(" (did you mean ", mark, meant, mark, "?)")
}

# Finds the closest known name, like closest_field(). It also finds names with the same letters in another order.
closest_name <- function(name, known) {
  meant <- closest_field(name, known)
  if (!is.null(meant) || !length(known) || !nzchar(name)) return(meant)
  letters <- function(x) paste(sort(strsplit(tolower(x), "")[[1]]), collapse = "")
  turned <- known[vapply(known, letters, "") == letters(name)]
  if (length(turned)) turned[[1]]
}

# Finds the positions of columns in a file. Messages may contain column names, which are public, but never values.
file_columns <- function(wanted, columns, file, hint = NULL) {
  absent <- setdiff(wanted, columns)
  where <- paste("the file", encodeString(basename(file), quote = "\""))
  if (length(absent)) {
    if (!any(wanted %in% columns) && any(is_entry(columns))) {
      stop_argument("file", "must begin with the names of its columns: ", where, " has no `", absent[1],
                    "`, and its first line looks like a row.")
    }
    stop_argument("types", "must name existing columns, but ", where, " has no `", absent[1], "`. It has ",
                  quote_names(columns), did_you_mean(absent[1], columns), hint, ".")
  }
  twice <- intersect(wanted, columns[duplicated(columns)])
  if (length(twice)) stop_argument("file", "must have each column once, and ", where, " has several `", twice[1], "`.")
  match(wanted, columns)
}

# Strings that are unlikely as column names: values, dates, empty strings. Without names, the first line is a row.
is_entry <- function(x) {
  !nzchar(x) | x %in% c("NA", "TRUE", "FALSE") | grepl("^[-+]?[0-9.,]+([eE][-+]?[0-9]+)?$", x) |
    grepl("^[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}", x)
}

# ---- text --------------------------------------------------------------------------------------------------------

# Reads fields unchanged, as one vector per column. If they are `marked`, NA without quotes is a missing value.
read_text <- function(file, wanted, separator, marked) {
  text <- file_text(file)
  between <- if (is.null(separator)) separators else separator
  headers <- lapply(between, text_header, text = text, file = file)
  found <- vapply(headers, function(header) sum(wanted %in% header$names), 0L)
  # if none is found, takes the separator with the most fields, for the message
  best <- order(-found, -vapply(headers, function(header) length(header$names), 0L))[1]
  header <- headers[[best]]
  at <- file_columns(wanted, header$names, file)
  if (is.null(header$length)) stop_no_table(file)
  columns <- .Call(ffi_front_rows, text, between[best], header$length, length(header$names), at, marked,
                   kernel_options())
  if (is.null(columns)) stop_no_table(file)
  columns
}

# ---- Parquet -----------------------------------------------------------------------------------------------------

read_parquet <- function(file, wanted, separator, marked) {
  read <- parquet_reader()
  frame <- tryCatch(as.data.frame(read(file)), error = function(cnd) {
    stop_argument("file", "must be a Parquet file, and ", encodeString(basename(file), quote = "\""),
                  " cannot be read as one.")
  })
  unclass(frame)[file_columns(wanted, names(frame), file)]
}

parquet_reader <- function() {
  if (requireNamespace("nanoparquet", quietly = TRUE)) return(nanoparquet::read_parquet)
  if (requireNamespace("arrow", quietly = TRUE)) return(arrow::read_parquet)
  stop_dptda("package", "A Parquet file needs the package nanoparquet: install.packages(\"nanoparquet\").")
}

# ---- values ------------------------------------------------------------------------------------------------------

read_values <- function(x, type, name, decimal, missing, invalid) {
  if (is.factor(x)) x <- as.character(x)
  absent <- is.na(x)
  if (is.character(x)) {
    x <- canonical_strings(x)
    # in a text column, NA in quotes is text, and any NA if `missing` does not list it
    absent <- absent | x %in% if (is.null(missing)) c("", if (type != "text") "NA") else missing
    x[absent] <- NA
  }
  read <- switch(type, number = read_numbers(x, decimal), date = read_dates(x), logical = read_logical(x),
                 text = read_strings(x))
  if (invalid == "error" && anyNA(read) && any(is.na(read) & !absent)) {
    wanted <- c(number = "numbers", date = "dates such as 2024-12-31", logical = "TRUE or FALSE", text = "text")[[type]]
    stop_dptda(c("values", "argument"), "The column `", name, "` of the file has values that are not ", wanted,
               ". Declare the type of the column, or the fields that are missing values by `missing`",
               if (type == "number" && decimal == ".") ", or `decimal` as \",\"",
               ". If `invalid` is \"missing\", such values are missing values.")
  }
  read
}

read_numbers <- function(x, decimal) {
  if (inherits(x, "integer64")) return(class_numbers(x))
  if (is.object(x) || !(is.character(x) || is.numeric(x) || is.logical(x))) return(rep(NA_real_, length(x)))
  if (is.character(x) && decimal == ",") {
    x[grepl(".", x, fixed = TRUE)] <- NA
    x <- chartr(",", ".", x)
  }
  # excludes values that as.double() accepts: hexadecimal and infinite numbers, and the beginning of "1e"
  text <- is.character(x)
  if (text) x[!grepl("^[ \t]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$", x, perl = TRUE)] <- NA
  read <- as.double(x)
  read[is.nan(read) | (text & is.infinite(read))] <- NA
  read
}

# Converts values to the strings of a text file. A number becomes NA if its text would not read back as the same number.
read_strings <- function(x) {
  if (is.character(x) || inherits(x, "Date") || (is.logical(x) && !is.object(x))) return(as.character(x))
  if (inherits(x, "integer64") && requireNamespace("bit64", quietly = TRUE)) return(as.character(x))
  if (is.object(x) || !is.numeric(x)) return(rep(NA_character_, length(x)))
  x <- as.double(x) + 0 # -0 is 0
  text <- sprintf(ifelse(x == floor(x), "%.0f", "%.15g"), x)
  # beyond 2^53, two integers of a file may be the same double
  text[is.na(x) | !(abs(x) < 2^53 & suppressWarnings(as.double(text)) == x)] <- NA
  text
}

read_dates <- function(x) {
  if (inherits(x, "Date")) return(structure(as.double(x), class = "Date"))
  if (!is.character(x)) return(rep(as.Date(NA), length(x)))
  # as.Date() would accept the beginning of "2024-12-31x"
  x[!grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", x)] <- NA
  as.Date(x, format = "%Y-%m-%d")
}

read_logical <- function(x) {
  if (is.logical(x)) return(as.vector(x))
  if (is.numeric(x) && !is.object(x)) return(ifelse(x == 1, TRUE, ifelse(x == 0, FALSE, NA)))
  word <- tolower(as.character(x))
  read <- rep(NA, length(word))
  read[word %in% c("true", "1")] <- TRUE
  read[word %in% c("false", "0")] <- FALSE
  read
}
