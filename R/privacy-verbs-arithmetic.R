# Raises an error for arithmetic with results that are lists, which names their numeric fields, because the intended
# field is unknown. R would report "non-numeric argument to mathematical function" instead, or compute with columns of a
# table by groups. Numeric results have their own methods (privacy-arithmetic.R), and plain data frames are computed as
# usual.

is_listed_result <- function(x) inherits(x, "dptda_result") && !is.atomic(x) && !is_plain_frame(x)

is_plain_frame <- function(x) is.data.frame(x) && !inherits(x, "dptda_private_groups")

#' @export
Math.dptda_result <- function(x, ...) {
  if (is_plain_frame(x)) return(NextMethod())
  stop_arithmetic(x, deparse1(substitute(x)), paste0(.Generic, "()"))
}

#' @export
Summary.dptda_result <- function(..., na.rm = FALSE) {
  if (is_plain_frame(..1)) return(NextMethod())
  stop_arithmetic(..1, deparse1(substitute(list(...))[[2]]), paste0(.Generic, "()"))
}

#' @export
Ops.dptda_result <- function(e1, e2) {
  if (missing(e2) || is_listed_result(e1)) stop_arithmetic(e1, deparse1(substitute(e1)), .Generic)
  stop_arithmetic(e2, deparse1(substitute(e2)), .Generic)
}

# Operations with two data frames need the same method for both, or R refuses them.
#' @export
Ops.dptda_diagram <- Ops.data.frame

#' @export
Ops.dptda_privacy_curve <- Ops.data.frame

#' @export
Ops.summary.dptda_diagram <- Ops.data.frame

#' @export
Ops.summary.dptda_synthesis <- Ops.data.frame

stop_arithmetic <- function(x, arg, operation) {
  owner <- field_owner(arg)
  stop_dptda("argument", "`", operation, "` needs one table of numbers. `", owner, "`, made by ", maker_of(x), ", has ",
             several_words(number_fields(x), owner),
             if (!is.null(value_or(privacy(x), NULL))) c(". privacy(", owner, ") is the guarantee of each"), ".")
}

maker_of <- function(x) known_classes[[intersect(class(x), names(known_classes))[1]]]$maker

# Returns the suffixes of numeric fields, to follow the name of the object.
number_fields <- function(x) {
  if (inherits(x, "dptda_private_covariances")) return(c("[[1]]$cov", "[[1]]$center"))
  paste0("$", Filter(function(name) is.numeric(.subset2(x, name)), list_fields(x)), recycle0 = TRUE)
}

several_words <- function(fields, owner) {
  if (!length(fields)) return("none")
  paste0(if (length(fields) > 1) "several: ", paste0("`", owner, fields, "`", collapse = ", "))
}

# Raises an error for methods of confint(). `...`: what to use instead.
refuse_intervals <- function(x, arg, ...) {
  words <- gsub("{x}", field_owner(arg), paste0(...), fixed = TRUE)
  stop_dptda("argument", "`", field_owner(arg), "` has no intervals: ", words, " Counts, sums, means, variances, and ",
             "quantiles have intervals.")
}
