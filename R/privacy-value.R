# Numbers released under a guarantee: counts, histograms, sums, means.

#' A number released under differential privacy
#'
#' The results of [private_count()], [private_histogram()], [private_sum()] and
#' [private_mean()] are such values. They print the released numbers, how far
#' the noise may have moved them, and the guarantee ([privacy()]).
#'
#' @param x,object An object of class `dptda_private_value`.
#' @param parm Not used: all values get an interval.
#' @param level One number in (0, 1): the probability with which the noise alone
#'   stays in the interval.
#' @param row.names,optional As in [base::as.data.frame()].
#' @param ... Not used.
#' @return The object is a list with the fields `value` (the released numbers),
#'   `noise` (a list of `kind`, `"laplace"` or `"gaussian"`, `scale`, in units of
#'   `step`, and `step`, in the units of the value) and those of its mechanism.
#'
#'   `confint()`: a matrix with one row per value and the two ends of the interval
#'   in its columns: the noise puts the value that was computed from the data
#'   there with probability `level`. It says nothing about sampling error.
#'   `as.data.frame()`: one row per value with its name, the value and the half
#'   width of the interval of level 0.95. `as.numeric()`: the plain values. What
#'   has been converted or changed carries no guarantee.
#' @examples
#' count <- private_count(rep(c(TRUE, FALSE), c(30, 70)), epsilon = 1)
#' count
#' as.numeric(count)
#' confint(count, level = 0.99)
#' privacy(count)$ledger
#' @name private_value
NULL

# A release that was changed is none, but it is still a value.
is_noise <- function(x) is.list(x) && is_one_string(x$kind) && is_numbers(x$scale) && is_numbers(x$step)
define_class("dptda_private_value", "a function such as private_count()", value = is_numbers, noise = is_noise)

# What all releases of this package that are not diagrams are: public fields,
# the first of them `value`, and the guarantee of what was released.
new_private_release <- function(fields, guarantee, class) {
  attach_guarantee(structure(fields, class = c(class, "dptda_private_release")), guarantee)
}

# `value` and `noise` as above, further public fields in `...`.
new_private_value <- function(value, noise, guarantee, ..., class) {
  new_private_release(list(value = value, noise = noise, ...), guarantee, c(class, "dptda_private_value"))
}

new_noise <- function(kind, scale, step = 1) list(kind = kind, scale = scale, step = step)

value_half_width <- function(x, level = 0.95) {
  noise <- x$noise
  rep_len(noise_half_width(noise$kind, noise$scale, level) * noise$step, length(x$value))
}

#' @rdname private_value
#' @importFrom stats confint
#' @export
confint.dptda_private_value <- function(object, parm, level = 0.95, ...) {
  check_whole(object, "dptda_private_value")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  half_width <- value_half_width(object, level)
  ends <- cbind(object$value - half_width, object$value + half_width)
  dimnames(ends) <- list(names(object$value), paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE), "%"))
  ends
}

#' @rdname private_value
#' @export
as.double.dptda_private_release <- function(x, ...) {
  values <- if (is.list(x)) unlist(x$value)
  if (!is.numeric(values)) stop_argument("x", "must be a release with a numeric `value`.")
  as.double(values)
}

#' @rdname private_value
#' @export
as.data.frame.dptda_private_value <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_whole(x, "dptda_private_value")
  name <- names(x$value)
  frame <- data.frame(value = unname(x$value), half_width = value_half_width(x), row.names = row.names)
  if (is.null(name)) frame else cbind(data.frame(name = name, row.names = row.names), frame)
}

#' @rdname private_value
#' @export
print.dptda_private_value <- function(x, ...) {
  check_whole(x, "dptda_private_value")
  print_release(x, {
    frame <- as.data.frame(x)
    shown <- utils::head(frame, 20)
    shown$half_width <- paste("+-", format(shown$half_width, digits = 3))
    names(shown)[names(shown) == "half_width"] <- "noise (95 %)"
    print(shown, row.names = FALSE)
    if (nrow(frame) > nrow(shown)) cat("... and", nrow(frame) - nrow(shown), "more\n")
  })
}

# A title, what `body` prints, and the guarantee.
print_release <- function(x, body) {
  cat("<", release_title(x), ">\n", sep = "")
  force(body)
  guarantee <- privacy(x)
  if (!is.null(guarantee)) print(guarantee)
  invisible(x)
}

release_title <- function(x) gsub("_", " ", sub("^dptda_", "", class(x)[1]))
