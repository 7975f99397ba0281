# A field that a result does not have is an error, on every class: R answers NULL, and a slip of the pen (fit$mean for
# fit$means) would go on as nothing. Partial matching is such a slip too. The methods are those of all results; numbers
# and budgets have their own. One lookup and a test of NULL are what a field costs that is there, since kernels' callers
# read fields in loops.

# For lists, environments and data frames: of these it is a column.
#' @export
`$.dptda_result` <- function(x, name) {
  value <- if (is.list(x) || is.environment(x)) .subset2(x, name)
  if (is.null(value) && !name %in% unlist(mget(class(x), known_fields, ifnotfound = list(NULL)))) {
    check_list_field(x, name, deparse1(substitute(x)))
  }
  value
}

# By number it is that of a list, and of a data frame always that of one.
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

# NULL is the value of a field that may be missing, and of one that a damaged object has lost: who is given such an
# object says so (check_valid()).
check_list_field <- function(x, name, arg) {
  fields <- list_fields(x)
  if (!name %in% fields) stop_field(name, fields, field_owner(arg), class(x)[1], if (is.data.frame(x)) "column")
}

# In the order in which they are printed, then those that are not there now.
list_fields <- function(x) {
  declared <- mget(class(x), known_fields, ifnotfound = list(NULL))
  union(if (is.environment(x)) ls(x) else names(unclass(x)), unlist(declared))
}

# What stands before `$`, where that is short and a name that a person has given.
field_owner <- function(arg) if (nchar(arg) > 40 || startsWith(arg, "*")) "x" else arg

stop_field <- function(name, fields, arg = "x", class = NULL, noun = NULL) {
  if (is.null(noun)) noun <- "field"
  meant <- closest_field(name, fields)
  stop_dptda("argument", "`", arg, "`", if (!is.null(class)) paste0(" (", class, ")"), " has no ", noun, " `", name,
             "`. ", if (is.null(meant)) "It has " else paste0("Did you mean `", meant, "`? It has "),
             if (length(fields)) paste0("`", fields, "`", collapse = ", ") else "no named parts", ".")
}

# The field that begins so, or that a third of the letters make of it; NULL where there is none.
closest_field <- function(name, fields) {
  if (!length(fields) || is.na(name) || !nzchar(name)) return(NULL)
  begins <- fields[startsWith(tolower(fields), tolower(name))]
  if (length(begins)) return(begins[1])
  far <- utils::adist(name, fields, ignore.case = TRUE)
  if (min(far) <= max(1, nchar(name) %/% 3)) fields[which.min(far)]
}
