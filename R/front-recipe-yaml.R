# Reads recipes from YAML without changing values. YAML 1.1 reads 01234 as 668, 0x1F as 31, 1:30 as 90, and y as TRUE.
# Here only plain decimal numbers are numbers, and only true and false are logical. All other scalars are text.

read_recipe <- function(file) {
  if (!file.exists(file) || dir.exists(file)) {
    stop_argument("x", "must be the path of a file of YAML, and there is no ", encodeString(file, quote = "\""),
                  meant_file(file), ".")
  }
  if (!requireNamespace("yaml", quietly = TRUE)) {
    stop_dptda("package", "A recipe in a file needs the package yaml: install.packages(\"yaml\").")
  }
  text <- yaml_of_file(file)
  unread <- function(cnd) {
    stop_argument("x", "must be a file of YAML; ", encodeString(file, quote = "\""), " cannot be read: ",
                  gsub("\\s+", " ", substr(conditionMessage(cnd), 1, 200)))
  }
  # the parser's messages contain line breaks, and for undefined anchors it only warns
  values <- tryCatch({
    yaml_values(yaml::yaml.load(text, eval.expr = FALSE, handlers = yaml_handlers, merge.precedence = "override"))
  }, error = unread, warning = unread)
  if (has_documents(text)) {
    stop_argument("x", "must be one document of YAML, and ", encodeString(file, quote = "\""), " has several.")
  }
  values
}

# Finds further documents, which the parser would skip. Three dashes at the start of any line begin one, even in quotes.
has_documents <- function(text) {
  lines <- strsplit(text, "\r|\n|\u0085|\u2028|\u2029")[[1]]
  begins <- grepl("^---([ \t]|$)", lines)
  content <- begins | !grepl("^([ \t]*(#|$)|%)", lines)
  any(begins & cumsum(content) > 1)
}

# Keeps scalars as text until the type of their sequence is known. A mark distinguishes plain scalars from quoted ones.
yaml_handlers <- local({
  plain <- function(x) structure(x, class = "dptda_yaml_plain")
  text <- c("int#oct", "int#hex", "int#base60", "int#na", "float#base60", "float#inf", "float#neginf", "float#nan",
            "float#na", "bool#na", "str#na")
  marked <- c("int", "float", "float#fix", "float#exp", "bool#yes", "bool#no")
  c(list(seq = identity), sapply(text, function(tag) as.character), sapply(marked, function(tag) plain))
})

# Gives the values of a sequence one type, as in a column. If one value is text, numbers keep their written form.
yaml_values <- function(x) {
  if (inherits(x, "_yaml.merge_")) return("<<")
  if (!is.list(x)) return(yaml_scalar(x))
  values <- lapply(x, yaml_values)
  if (!is.null(names(x)) || !length(x) || any(lengths(values) != 1) || !all(vapply(values, is.atomic, NA))) {
    return(values)
  }
  if (length(unique(vapply(values, typeof, ""))) == 1) return(unlist(values))
  vapply(x, function(one) if (inherits(one, "_yaml.merge_")) "<<" else as.character(unclass(one)), "")
}

yaml_scalar <- function(x) {
  if (!inherits(x, "dptda_yaml_plain")) return(x)
  x <- as.character(unclass(x))
  if (tolower(x) %in% c("true", "false")) return(as.logical(toupper(x)))
  # a leading zero is a digit of a code, such as a postal code
  if (grepl("^[-+]?0[0-9]", x) || !is_number_text(x)) x else as.double(x)
}

# Tests for decimal numbers. Integers without an equal double stay text, because a double would change them.
is_number_text <- function(x) {
  good <- grepl("^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$", x)
  number <- suppressWarnings(as.double(x))
  digits <- sub("^[-+]?0*([0-9]+)$", "\\1", x)
  exact <- !grepl("^[-+]?[0-9]+$", x) | abs(number) < 2^53 | sprintf("%.0f", abs(number)) == digits
  good & is.finite(number) & exact
}

# Reads a complete file. R's reader of lines stops at the first byte that is not UTF-8, and would return only the
# beginning of a recipe or guarantee.
yaml_of_file <- function(file) {
  bytes <- value_or(suppressWarnings(readBin(file, "raw", max(1e7, file.size(file)))), NULL) # a pipe has no size
  if (is.null(bytes)) {
    stop_argument("x", "must be a file that can be read, and ", encodeString(file, quote = "\""), " cannot.")
  }
  if (starts_with(bytes, as.raw(c(0xef, 0xbb, 0xbf)))) bytes <- bytes[-(1:3)]
  text <- if (!any(bytes == 0)) rawToChar(bytes)
  if (is.null(text) || !validUTF8(text)) {
    stop_argument("x", "must be in UTF-8, and the file ", encodeString(file, quote = "\""), " is not.")
  }
  Encoding(text) <- "UTF-8"
  text
}
