# Makes an unknown field of a result an error, for every class. R would return NULL, so a typing error (fit$mean for
# fit$means) would go unnoticed. Partial matching is also refused. These methods serve all results, except numbers and
# budgets, which have their own. An existing field costs one lookup and a test of NULL, because callers of kernels read
# fields in loops.

# For lists, environments, and data frames, whose fields are columns.
#' @export
`$.dptda_result` <- function(x, name) {
  value <- if (is.list(x) || is.environment(x)) .subset2(x, name)
  if (is.null(value) && !name %in% unlist(mget(class(x), known_fields, ifnotfound = list(NULL)))) {
    check_list_field(x, name, deparse1(substitute(x)))
  }
  value
}

# Works as for lists with a number, and always for data frames.
#' @export
`[[.dptda_result` <- function(x, i, ...) {
  if (is.data.frame(x)) return(NextMethod())
  if (!is_one_string(i)) return(.subset2(x, i))
  value <- if (is.list(x) || is.environment(x)) .subset2(x, i)
  if (is.null(value) && !i %in% unlist(mget(class(x), known_fields, ifnotfound = list(NULL)))) {
    check_list_field(x, i, deparse1(substitute(x)))
  }
  value
}

# NULL is the value of an optional field, and of a field that a damaged object has lost. check_valid() detects damaged
# objects.
check_list_field <- function(x, name, arg) {
  fields <- list_fields(x)
  if (!name %in% fields) stop_field(name, fields, field_owner(arg), class(x)[1], if (is.data.frame(x)) "column")
}

# Fields in the order of printing, then those that are absent.
list_fields <- function(x) {
  declared <- mget(class(x), known_fields, ifnotfound = list(NULL))
  union(if (is.environment(x)) ls(x) else names(unclass(x)), unlist(declared))
}

# The expression before `$`, if it is short and typed by a person.
field_owner <- function(arg) if (nchar(arg) > 40 || startsWith(arg, "*")) "x" else arg

stop_field <- function(name, fields, arg = "x", class = NULL, noun = NULL) {
  if (is.null(noun)) noun <- "field"
  meant <- closest_field(name, fields)
  stop_dptda("argument", "`", arg, "`", if (!is.null(class)) paste0(" (", class, ")"), " has no ", noun, " `", name,
             "`. ", if (is.null(meant)) "It has " else paste0("Did you mean `", meant, "`? It has "),
             if (length(fields)) paste0("`", fields, "`", collapse = ", ") else "no named parts", ".")
}

# The field that begins with `name`, or differs from it in at most a third of the letters; otherwise NULL.
closest_field <- function(name, fields) {
  if (!length(fields) || is.na(name) || !nzchar(name)) return(NULL)
  begins <- fields[startsWith(tolower(fields), tolower(name))]
  if (length(begins)) return(begins[1])
  far <- utils::adist(name, fields, ignore.case = TRUE)
  if (min(far) <= max(1, nchar(name) %/% 3)) fields[which.min(far)]
}
