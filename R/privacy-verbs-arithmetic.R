# A result that is a list is no number, and R would say so in its own words ("non-numeric argument to mathematical
# function"), or compute with the columns of a table by groups. Which field was meant nobody knows, so that arithmetic
# is an error that names the fields of numbers. The same for all classes, registered as the package is loaded
# (privacy-verbs.R); what is numbers has methods of its own (privacy-arithmetic.R).

is_listed_class <- function(class) known_classes[[class]]$kind == "list" || class == "dptda_private_groups"

refuse_math <- function(x, ...) stop_arithmetic(x, deparse1(substitute(x)), paste0(.Generic, "()"))

refuse_summary <- function(..., na.rm = FALSE) {
  given <- list(...)
  first <- which(vapply(given, is_listed_result, NA))[1]
  stop_arithmetic(given[[first]], deparse1(substitute(list(...))[[first + 1]]), paste0(.Generic, "()"))
}

refuse_operation <- function(e1, e2) {
  if (is_listed_result(e1)) stop_arithmetic(e1, deparse1(substitute(e1)), .Generic)
  stop_arithmetic(e2, deparse1(substitute(e2)), .Generic)
}

is_listed_result <- function(x) any(vapply(intersect(class(x), names(known_classes)), is_listed_class, NA))

stop_arithmetic <- function(x, arg, operation) {
  owner <- field_owner(arg)
  numbers <- Filter(function(name) is.numeric(.subset2(x, name)), list_fields(x))
  numbers <- paste0("`", owner, "$", numbers, "`", recycle0 = TRUE)
  stop_argument(owner, "is no number but a ", release_title(x), ", which `", operation, "` does not take",
                if (length(numbers)) c("; its numbers are ", paste(numbers, collapse = ", ")), ".")
}
