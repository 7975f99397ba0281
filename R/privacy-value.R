# Numbers released under a guarantee: counts, histograms, sums, means.

#' Released numbers: print, interval, plain value
#'
#' Prints numbers released under differential privacy together with the size of their noise and their guarantee
#' ([privacy()]), and computes intervals for the noise. [private_count()], [private_table()], [private_histogram()],
#' [private_quantile()], [private_sum()], and [private_mean()] return such values.
#'
#' In all other respects, they are numbers. Results computed from them, or elements selected from them, keep their
#' guarantee for the operations in [private_arithmetic]. `x$value`, `as.numeric(x)`, `as.vector(x)`, and `unclass(x)`
#' are plain numbers without a guarantee.
#'
#' @param x,object An object of class `dptda_private_value`. If it has no field `name`, `x$name` is an error.
#' @param parm Not used: all values get an interval.
#' @param level One number in (0, 1): the probability of each interval.
#' @param of `"data"` or `"population"`: the target of the intervals, see below.
#' @param exact `TRUE` or `FALSE`. For counts, tables, and proportions with `of = "population"`: whether the probability
#'   is at least `level` for every proportion. Otherwise, it is close to `level`: from 0.93 to 0.99 for a level of 0.95.
#' @param by `NULL`, or for a [private_table()] of several columns, the names of some of them, with `of = "population"`:
#'   intervals for the proportion of each cell in its group, such as `by = "sex"`. See [compare_groups()].
#' @param row.names,optional As in [base::as.data.frame()].
#' @param height An object of class `dptda_private_value`.
#' @param ... For `barplot()`, as in [graphics::barplot.default()]. For `plot()`, graphical parameters of the frame.
#'   Otherwise not used.
#' @section Data and population:
#' An interval for the data (`of = "data"`) contains the number that the rows give, without noise. It does not account
#' for sampling error. An interval for the population (`of = "population"`) contains the number behind the rows, and
#' accounts for sampling error and noise together. It costs nothing, and assumes that rows, or people, are independent
#' draws from the population. If no such interval is known, `of = "population"` is an error.
#'
#' Every interval has the probability `level` by itself, not jointly. For m numbers at once, use
#' `level = 1 - 0.05 / m`. Survey weights, clusters, strata, and finite populations are not supported.
#'
#' @return The object is a numeric vector, named by the cells for a histogram. Its fields:
#'
#'   * `x$value`: the plain numbers.
#'   * `x$noise`: a list of `kind` (`"laplace"` or `"gaussian"`), `scale` (in units of `step`), and `step` (in the units
#'     of the value). For quantiles, `step` is in rows, because the noise moves their ranks.
#'   * `x$classes`: only for means and quantiles of dates, times, and durations. Their `value` has that class, and
#'     `as.numeric()` returns days since 1970-01-01, seconds since then, or the numbers of the duration.
#'   * Further fields depend on the mechanism.
#'
#'   `confint()`: a matrix with one row per value and the two bounds of its interval. Dates return a data frame instead.
#'   Its attribute `"of"` is the target.
#'
#'   `as.data.frame()`: one row per value with its name, the value, and the half-width of its 95% interval. For a
#'   histogram, the name is a factor in the order of the cells, and `lower` and `upper` are the breaks of each cell, if
#'   there are breaks.
#'
#'   `summary()`: an object of class `summary.dptda_private_value`, a list of `title`, `table`, `level`, and
#'   `guarantee`. `table` has the value, the standard deviation `sd` of its added noise, and the bounds `lower` and
#'   `upper` of its interval, if these are known. `as.data.frame()` returns the table.
#'
#'   `plot()` draws values and intervals side by side on one axis and returns its argument invisibly.
#' @examples
#' count <- private_count(rep(c(TRUE, FALSE), c(30, 70)), epsilon = 1)
#' count
#' confint(count, level = 0.99)
#' privacy(count)$ledger
#'
#' color <- private_table(rep(c("red", "blue"), c(60, 40)),
#'                        levels = c("red", "blue"), epsilon = 2)
#' summary(color)
#' color["red"]
#' barplot(color)
#' @name private_value
#' @order 1
NULL

is_noise <- function(x) is.list(x) && is_one_string(x$kind) && is_numbers(x$scale) && is_numbers(x$step)
define_class("dptda_private_value", "a function such as private_count()", .bare = is.double,
             .valid = function(x) {
               classes <- attr(x, "classes", exact = TRUE)
               !anyNA(unclass(x)) && is_noise(attr(x, "noise", exact = TRUE)) &&
                 (is.null(classes) || are_class_names(classes) && length(classes) == length(x))
             })

# Makes a release that is a list of public fields. The drawn numbers are in the field `value`, or in a field named as in
# base R (then the class has its own method of as.double()).
new_private_release <- function(fields, class) new_result(fields, c(class, "dptda_private_release"))

# Makes released numbers with `noise` as above and further public fields in `...`. draw_release() adds the guarantee.
new_private_value <- function(value, noise, ..., class) {
  new_result(value, c(class, "dptda_private_value"), noise = noise, ...)
}

is_released_number.dptda_private_value <- function(x) TRUE

# Attributes of a value that are not its fields. `draw` marks its draw (draw_release()), and `sources` lists the draws
# that it was computed from (privacy-arithmetic.R).
value_marks <- c("class", "privacy", "released", "draw", "sources")

# A release consists of its numbers, their names, its fields, and its sources.
define_release("dptda_private_value", function(x) {
  parts <- attributes(x)
  parts[setdiff(value_marks, "sources")] <- NULL
  draw <- attr(x, "draw", exact = TRUE)
  if (!is.null(draw) && !is_draw_mark(draw)) return(NULL)
  list(as.vector(unclass(x)), parts[order(names(parts))])
})

is_draw_mark <- function(x) is_one_string(x) && is.null(attributes(x)) && grepl("^[0-9a-f]{32}$", x)

# Returns the plain numbers of an operand. This also works if another function copied only some of its attributes.
plain_value <- function(x, arg = "x") {
  if (!inherits(x, "dptda_private_value")) return(x)
  if (!is_number_like(unclass(x))) check_valid(x, "dptda_private_value", arg)
  bare_numbers(unclass(x))
}

# Drops all attributes except names and dimensions.
bare_numbers <- function(x) {
  structure(as.vector(x), dim = dim(x), dimnames = dimnames(x), names = if (is.null(dim(x))) names(x))
}

is_number_like <- function(x) (is.numeric(x) || is.logical(x) || is.complex(x)) && !is.object(x)

# Checks a value as it was released, or a value computed from releases.
check_value <- function(x, arg = deparse1(substitute(x))) {
  check_valid(x, if (inherits(x, "dptda_private_derived")) "dptda_private_derived" else "dptda_private_value", arg)
}

new_noise <- function(kind, scale, step = 1) list(kind = kind, scale = scale, step = step)

#' @export
`$.dptda_private_value` <- function(x, name) {
  name <- check_field(as.character(name), c("value", value_fields(x)))
  if (name == "value") return(in_classes(plain_value(x), attr(x, "classes", exact = TRUE)))
  if (name == "breaks") return(classed_breaks(x))
  if (inherits(x, "dptda_private_histogram") && name %in% c("counts", "mids")) return(histogram_field(x, name))
  attr(x, name, exact = TRUE)
}

histogram_field <- function(x, name) if (name == "counts") plain_value(x) else classed_breaks(x, middles)

# Returns the midpoints of intervals, for one column or several.
middles <- function(breaks) if (is.list(breaks)) lapply(breaks, middles) else breaks[-1] - diff(breaks) / 2

# Returns the breaks, or the result of `change`, in their class, such as dates.
classed_breaks <- function(x, change = identity) {
  breaks <- change(attr(x, "breaks", exact = TRUE))
  classes <- attr(x, "break_classes", exact = TRUE)
  if (is.null(classes)) return(breaks)
  if (!is.list(breaks)) return(in_class(breaks, classes[[1]]))
  breaks[names(classes)] <- Map(in_class, breaks[names(classes)], classes)
  breaks
}

# Returns names of fields, including a NULL `breaks` of levels and unknown `noise`. Histograms add names of hist().
value_fields <- function(x) {
  union(setdiff(names(attributes(x)), c("names", "dim", "dimnames", value_marks)),
        c(if (inherits(x, "dptda_private_table")) "breaks", if (inherits(x, "dptda_private_histogram"))
          c("counts", "mids"),
          if (inherits(x, "dptda_private_derived")) "noise"))
}

#' @rawNamespace S3method(utils::.DollarNames, dptda_private_value)
.DollarNames.dptda_private_value <- function(x, pattern = "") {
  grep(pattern, c("value", value_fields(x)), value = TRUE)
}

#' @export
`$<-.dptda_private_value` <- function(x, name, value) {
  stop_argument("x", "is a release, whose fields cannot be changed. Its numbers are `x$value`.")
}

#' @rawNamespace S3method(utils::str, dptda_private_value)
str.dptda_private_value <- function(object, ...) utils::str(plain_value(object, "object"), ...)

#' @export
format.dptda_private_value <- function(x, ...) format(in_classes(plain_value(x), attr(x, "classes", exact = TRUE)), ...)

#' @rdname private_value
#' @rawNamespace S3method(graphics::barplot, dptda_private_value)
barplot.dptda_private_value <- function(height, ...) {
  check_value(height)
  graphics::barplot(plain_value(height), ...)
}

# Returns half the width of each interval. A class has its own method if noise is not simply added.
value_half_width <- function(x, level = 0.95) UseMethod("value_half_width")

value_half_width.default <- function(x, level = 0.95) {
  noise <- x$noise
  rep_len(noise_half_width(noise$kind, noise$scale, level) * noise$step, length(x))
}

# Returns the bounds of each interval, in two columns. Classes with impossible numbers have their own method.
value_ends <- function(x, level) UseMethod("value_ends")

value_ends.default <- function(x, level) {
  half_width <- value_half_width(x, level)
  as.vector(plain_value(x)) + cbind(-half_width, half_width, deparse.level = 0)
}

# Returns the noise that was added to each number, or NULL if numbers were not made by adding noise.
added_noise <- function(x) UseMethod("added_noise")

added_noise.default <- function(x) attr(x, "noise", exact = TRUE)

# Returns its standard deviation at each number.
added_noise_sd <- function(x) {
  noise <- added_noise(x)
  rep_len(noise_deviation(noise$kind, noise$scale) * noise$step, length(x))
}

# Returns whether noise was added to each number, independently. Quantiles, variances, and correlations are computed
# from noisy numbers instead.
adds_its_noise <- function(x) !inherits(x, "dptda_private_derived") && !is.null(added_noise(x))

# Returns whether the noise of a release describes the error of its numbers.
has_noise <- function(x) {
  !is.null(privacy(x)) && isTRUE(attr(x, "noise", exact = TRUE)[["kind"]] %in% c("laplace", "gaussian"))
}

#' @rdname private_value
#' @param main,xlab,ylab Strings: the titles. By default, `main` names the release. `""` omits a title. Numbers of
#'   different scales, such as means of several columns, each have an axis, from one bound of the box to the other. With
#'   `ylim`, they share one.
#' @param col Color of points and lines.
#' @export
plot.dptda_private_value <- function(x, level = 0.95, main = NULL, xlab = "", ylab = "Noisy value", col = "#0072B2",
                                     ...) {
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  drawn <- drawn_values(x, level)
  sides <- unlike_sides(x, drawn)
  main <- picture_title(x, main)
  labels <- value_labels(x)
  if (!is.null(sides) && is.null(list(...)$ylim)) {
    plot_on_own_axes(drawn, sides, labels, attr(x, "classes", exact = TRUE), xlab = xlab, ylab = ylab, col = col, ...)
    tell_on_picture(noise_words_of(x, level), main = main)
    return(invisible(x))
  }
  ends <- range(drawn$lower, drawn$upper)
  classes <- unique(attr(x, "classes", exact = TRUE))
  saved <- open_picture(range(drawn$place) + c(-0.5, 0.5), ends, xlab, ylab, xaxt = "n", ...,
                        left = if (length(classes) == 1) classes else "number")
  on.exit(graphics::par(saved))
  graphics::segments(drawn$place, drawn$lower, drawn$place, drawn$upper, lwd = 1.5, col = col)
  graphics::points(drawn$place, drawn$value, pch = 19, col = col)
  if (!is.null(labels)) draw_names(drawn$place, labels)
  tell_on_picture(noise_words_of(x, level), main = main)
  invisible(x)
}

# Returns the names of numbers. A single number without a name is named after its release: "count".
value_labels <- function(x) {
  if (is.null(names(x)) && length(x) == 1) sub("^private ", "", release_title(x)) else names(x)
}

# Returns a range for each number if their noise differs in scale, so that each gets an axis: the side of the box for a
# mean, otherwise three times the interval. NULL if one axis suffices for all.
unlike_sides <- function(x, drawn) {
  wide <- drawn$upper - drawn$lower
  kinds <- length(unique(attr(x, "classes", exact = TRUE)))
  if (!has_noise(x) || kinds == 1 || length(x) > 12 || kinds == 0 && max(wide) <= 3 * min(wide)) return(NULL)
  box <- if (inherits(x, "dptda_private_mean")) privacy(x)$public$box
  if (length(box$lower) == nrow(drawn)) return(cbind(pmin(box$lower, drawn$lower), pmax(box$upper, drawn$upper)))
  # an axis of values that cannot be negative begins at 0 or above
  least <- if (inherits(x, c("dptda_private_var", "dptda_private_sd"))) 0 else -Inf
  cbind(pmax(drawn$lower - wide, least), drawn$upper + wide)
}

# Draws all numbers in one region, so that a user's layout() holds. Each is scaled to 0 to 1, with an axis at its left.
plot_on_own_axes <- function(drawn, sides, labels, classes, xlab, ylab, col, ...) {
  height <- function(value, i) (value - sides[i, 1]) / (sides[i, 2] - sides[i, 1])
  graphics::plot(range(drawn$place) + c(-0.6, 0.4), c(0, 1), type = "n", axes = FALSE, xlab = xlab, ylab = ylab, ...)
  for (i in drawn$place) {
    marks <- class_marks(sides[i, ], if (is.null(classes)) "number" else classes[[i]])
    within <- marks$at >= sides[i, 1] & marks$at <= sides[i, 2]
    graphics::axis(2, height(marks$at[within], i), marks$labels[within], pos = i - 0.25, las = 1, cex.axis = 0.8,
                   tcl = -0.3, lwd = 0, lwd.ticks = 1, col.ticks = "gray60", mgp = c(3, 0.5, 0))
    graphics::segments(i - 0.25, 0, i - 0.25, 1, col = "gray60")
    graphics::segments(i, height(drawn$lower[i], i), i, height(drawn$upper[i], i), lwd = 1.5, col = col)
    graphics::points(i, height(drawn$value[i], i), pch = 19, col = col)
  }
  if (!is.null(labels)) draw_names(drawn$place, labels)
}

drawn_values <- function(x, level, arg = "x") {
  value <- as.vector(plain_value(x, arg))
  if (!length(value) || !all(is.finite(value))) {
    stop_argument(arg, "must have at least one value, all of them finite, to be drawn.")
  }
  ends <- if (has_noise(x)) value_ends(x, level) else cbind(value, value)
  data.frame(place = seq_along(value), value = value, lower = ends[, 1], upper = ends[, 2])
}

noise_words_of <- function(x, level) if (has_noise(x)) paste0("lines: noise (", format_percent(level), ")")

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_value <- function(object, ...) {
  check_no_dots(...)
  drawn <- drawn_values(object, 0.95, "object")
  classes <- attr(object, "classes", exact = TRUE)
  labels <- value_labels(object)
  if (is.null(labels)) labels <- rep("", nrow(drawn))
  sides <- unlike_sides(object, drawn)
  titles <- picture_labels(object, noise_words_of(object, 0.95), x = NULL, y = "Noisy value")
  if (!is.null(sides)) return(autoplot_on_own_axes(drawn, sides, labels) + titles)
  drawn[c("value", "lower", "upper")] <- lapply(drawn[c("value", "lower", "upper")], in_classes, classes)
  ggplot2::ggplot(drawn, ggplot2::aes(x = .data$place, y = .data$value)) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), color = picture_colors[1]) +
    ggplot2::geom_point(color = picture_colors[1], size = 2) +
    ggplot2::scale_x_continuous(breaks = drawn$place, labels = labels, expand = ggplot2::expansion(add = 0.5)) +
    unit_scale(unique(classes), ggplot2::scale_y_continuous) + titles + picture_theme()
}

autoplot_on_own_axes <- function(drawn, sides, labels) {
  labels <- make.unique(ifelse(nzchar(labels), labels, as.character(drawn$place)))
  drawn$label <- factor(labels, labels)
  ends <- data.frame(label = rep(drawn$label, 2), value = as.vector(sides), lower = NA_real_, upper = NA_real_)
  ggplot2::ggplot(drawn, ggplot2::aes(x = 0, y = .data$value)) +
    ggplot2::geom_blank(data = ends) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), color = picture_colors[1]) +
    ggplot2::geom_point(color = picture_colors[1], size = 2) +
    ggplot2::facet_wrap("label", scales = "free_y", nrow = if (nrow(drawn) <= 6) 1) +
    ggplot2::scale_x_continuous(breaks = NULL) + picture_theme() + ggplot2::theme(strip.clip = "off")
}

#' @rdname private_value
#' @importFrom stats confint
#' @export
confint.dptda_private_value <- function(object, parm, level = 0.95, of = c("data", "population"), ...,
                                       exact = FALSE, by = NULL) {
  check_no_dots(...)
  check_value(object)
  if (!has_noise(object)) {
    stop_argument("object", "must be a value as it was released, or a multiple of it plus a constant. The noise of ",
                  "other results computed from it is not known.")
  }
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  of <- check_target(of)
  if (!is.null(by) && (of == "data" || isTRUE(exact))) {
    stop_argument("by", "must be NULL, except with `of = \"population\"` and `exact = FALSE`.")
  }
  ends <- if (!is.null(by)) population_ends_by(object, by, level) else
    if (check_exact(exact, object, of)) population_ends(object, level, exact = TRUE) else
      target_ends(object, level, of, value_ends)
  finish_ends(ends, names(plain_value(object)), level, of, attr(object, "classes", exact = TRUE))
}

#' @export
as.double.dptda_private_release <- function(x, ...) {
  values <- if (is.list(x)) unlist(x$value)
  if (!is.numeric(values)) stop_argument("x", "must be a release with a numeric `value`.")
  as.double(values)
}

# array() and similar functions call this. A list with only its class left would print as nothing.
#' @export
as.vector.dptda_private_release <- function(x, mode = "any") {
  if (identical(mode, "list")) as.list(unclass(x)) else as.vector(as.double(x), mode)
}

#' @rdname private_value
#' @export
as.data.frame.dptda_private_value <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_value(x)
  value_frame(x, 0.95, row.names)
}

value_frame <- function(x, level, row.names = NULL) {
  name <- names(x)
  frame <- data.frame(value = unname(x$value), row.names = row.names)
  if (has_noise(x)) frame$half_width <- value_half_width(x, level)
  if (is.null(name)) return(frame)
  first <- data.frame(name = name, row.names = row.names)
  if (inherits(x, "dptda_private_table") && !is.null(cells <- attr(x, "cells", exact = TRUE))) {
    # these column names may already be in use
    return(data.frame(do.call(expand.grid, c(lapply(cells, function(x) factor(x, x)), KEEP.OUT.ATTRS = FALSE)), frame,
                      check.names = FALSE, row.names = row.names))
  }
  if (inherits(x, "dptda_private_table")) {
    # keeps the order of cells, instead of alphabetical order
    first$name <- factor(name, unique(name))
    names(first) <- c(attr(x, "column", exact = TRUE), "name")[1]
    if (!is.null(x$breaks)) first[c("lower", "upper")] <- list(x$breaks[-length(x$breaks)], x$breaks[-1])
  }
  cbind(first, frame)
}

#' @rdname private_value
#' @export
print.dptda_private_value <- function(x, level = 0.95, ...) {
  # another function copied only some of the attributes
  if (is.null(privacy(x))) {
    print(plain_value(x), ...)
    return(invisible(x))
  }
  check_valid(x, "dptda_private_value")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  print_release(x, print_value_table(x, level))
}

print_value_table <- function(x, level) {
  frame <- value_frame(x, level)
  shown <- utils::head(frame[setdiff(names(frame), c("lower", "upper"))], 20)
  classes <- attr(x, "classes", exact = TRUE)
  value <- utils::head(as.vector(plain_value(x)), 20)
  shown$value <- vapply(seq_along(value), function(i) format_classed(value[i], shown$half_width[i], classes[i]), "")
  shown$half_width <- NULL
  sd <- utils::head(unname(attr(x, "sd", exact = TRUE)), 20)
  if (length(sd)) shown$sd <- deviation_words(sd, classes)
  names(shown)[names(shown) == "name"] <- value_names(x)
  words <- function(ends) interval_words(ends, utils::head(classes, 20))
  print(add_intervals(shown, x, value_ends(x, level), level, words), row.names = FALSE)
  print_rest(nrow(frame) - nrow(shown))
  writeLines(c(population_words(x), value_words(x), end_words(x)))
}

# Formats standard deviations of rows. `classes`: of the numbers, or NULL.
deviation_words <- function(sd, classes = NULL) {
  words <- vapply(seq_along(sd), function(i) width_words(signif(sd[i], 3), classes[i]), "")
  ifelse(sd > 0, words, "-")
}

# Returns lines about all numbers, printed below them.
value_words <- function(x) UseMethod("value_words")

value_words.default <- function(x) character()

# Returns lines about values at a bound of their box (number-ends.R).
end_words <- function(x) UseMethod("end_words")

end_words.default <- function(x) character()

# Names the estimate if people have several rows, since it differs from the one for all rows. NULL for rows.
people_words <- function(x) {
  guarantee <- privacy(x)
  if (is.null(guarantee$person)) return(NULL)
  if (identical(guarantee$public$rows_of_person, "one")) return("of one drawn row per person, not of all rows")
  weighed_words(x)
}

weighed_words <- function(x) UseMethod("weighed_words")

weighed_words.default <- function(x) "each person has weight one, shared equally by the person's rows"

# A value computed from releases may be any quantity.
weighed_words.dptda_private_derived <- function(x) NULL

weighed_words.dptda_private_sum <- function(x) "the sum of one mean row per person, not of all rows"

weighed_words.dptda_private_mean <- function(x) "the mean of one mean row per person, not of all rows"

weighed_words.dptda_private_count <- function(x) {
  "the sum over people of the fraction of their rows, not a count of all rows"
}

weighed_words.dptda_private_proportion <- function(x) {
  "the mean over people of the fraction of their rows, not of all rows"
}

# The number of people with a row in a cell is a different quantity.
weighed_words.dptda_private_table <- function(x) shared_words
weighed_words.dptda_private_groups <- function(x) shared_words
shared_words <- "a person counts in each line with the fraction of the person's rows in it"

# Formats a number or a date to the precision of its noise. `class`: its class, or NULL.
format_classed <- function(value, noise, class = NULL) {
  if (is.null(class) || is.na(class) || class == "number") return(format_beside(value, noise))
  if (is_time_of_day(class)) return(time_label(round(value)))
  if (is_duration(class)) return(paste(format_beside(value, noise), duration_unit(class)))
  # shows whole days or seconds only
  label <- class_labels(if (class == "Date") floor(value) else round(value), class)
  if (is_time(class)) paste(label, sub("^POSIXct ", "", class)) else label
}

# Returns "3 to 5" for each interval, in the class of its numbers, to the precision of its width.
interval_words <- function(ends, classes = NULL) {
  half <- (ends[, 2] - ends[, 1]) / 2
  vapply(seq_len(nrow(ends)), function(i) {
    class <- if (is.null(classes)) NULL else classes[[i]]
    pair <- outward_ends(ends[i, , drop = FALSE], class)
    paste(vapply(pair, format_classed, "", half[i], class), collapse = " to ")
  }, "")
}

# Formats columns of points in a box, one for each side, in their class, such as dates.
show_places <- function(frame, columns, box) {
  for (j in which(box$classes != "number")) {
    beside <- (box$upper[[j]] - box$lower[[j]]) / 1000
    frame[[columns[j]]] <- vapply(frame[[columns[j]]], format_classed, "", noise = beside, class = box$classes[[j]])
  }
  frame
}

# Formats a width with its unit: for times, the largest unit that is not longer than the width.
width_words <- function(width, class = NULL) {
  if (is.null(class) || is.na(class) || class == "number") return(format(width, digits = 3))
  if (!is_time(class) && !is_time_of_day(class)) {
    return(paste(format(width, digits = 3), if (class == "Date") "days" else duration_unit(class)))
  }
  unit <- time_unit(width)
  paste(format(width / duration_units[[unit]], digits = 3), unit)
}

time_unit <- function(seconds) {
  units <- setdiff(names(duration_units), c("hms", "weeks"))
  units[max(1, sum(duration_units[units] <= seconds, na.rm = TRUE))]
}

print_rest <- function(hidden) if (hidden > 0) cat("... and", hidden, "more\n")

# Formats a number without digits below a hundredth of its noise, which carry no information.
format_beside <- function(value, noise) {
  decimals <- if (noise > 0) max(0, 2 - floor(log10(noise))) else 15
  format(round(value, min(decimals, 300)), digits = 7)
}

# Returns the header for the names of values, so that intervals are not mistaken for levels.
value_names <- function(x) {
  if (!inherits(x, "dptda_private_table")) "name" else if (is.null(x$breaks)) "level" else "interval"
}

# Prints a title, the output of `body`, and the guarantee.
print_release <- function(x, body, title = release_title(x)) {
  cat("<", title, ">\n", sep = "")
  force(body)
  writeLines(wrap_lines(as.character(people_words(x))))
  guarantee <- privacy(x)
  if (!is.null(guarantee)) print(guarantee)
  invisible(x)
}
