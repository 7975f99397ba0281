# What a private mean curve shows: its table, intervals, and picture.

#' Intervals and plots of a private mean curve
#'
#' Methods for [private_curve()]. They use the release only, so they cost no further privacy.
#'
#' @param x,object An object of class `dptda_private_curve`.
#' @param parm Not used: the intervals hold at all levels together.
#' @param level One number in (0, 0.9999\]: the probability of the band.
#' @param of `"data"`: for the mean of these people's curves, after they are shortened and smoothed. `"population"`: for
#'   the population, if people are independent draws (approximate).
#' @param main,xlab,ylab Strings or `NULL`: the titles. By default, they name the curve. `""` omits one.
#' @param col The color of the curve and its bands.
#' @param ... Not used. For `plot()`, further graphical parameters.
#' @return
#' * `confint()`: a matrix with one row per level, and the lower and upper limits as columns.
#' * `as.data.frame()`: one row per level, with `grid`, `value`, and the limits `lower` and `upper` of the 95% band for
#'   the data.
#' * `print()` and `plot()`: `x`, invisibly. With `of = "population"`, the outer band is for the population.
#' @seealso [private_curve()]
#' @examples
#' loops <- lapply(1:300, function(i) {
#'   persistence_diagram(1, stats::runif(1, 0.1, 0.3), stats::runif(1, 0.7, 1))
#' })
#' curve <- curve_landscape(c(0, 1.2), dimension = 1)
#' release <- private_curve(loops, curve, radius = 0.15, epsilon = 1)
#' head(confint(release))
#' plot(release, of = "population")
#' @order 1
#' @export
plot.dptda_private_curve <- function(x, level = 0.95, of = c("data", "population"), main = NULL, xlab = "Level",
                                     ylab = NULL, col = "#0072B2", ...) {
  check_valid(x, "dptda_private_curve")
  level <- check_number(level, 0, 0.9999, open_lower = TRUE)
  of <- check_target(of)
  bands <- curve_bands(x, level, of)
  if (is.null(ylab)) ylab <- curve_label(x)
  saved <- open_picture(x$curve$range, range(0, x$value, bands), xlab, ylab, ...)
  on.exit(graphics::par(saved))
  graphics::abline(h = 0, col = "gray70")
  for (band in bands) {
    graphics::polygon(c(x$grid, rev(x$grid)), c(band[, 1], rev(band[, 2])), col = grDevices::adjustcolor(col, 0.22),
                      border = NA)
  }
  graphics::lines(x$grid, x$value, col = col, lwd = 2.5)
  tell_on_picture(curve_band_words(of, level), main = picture_title(x, main))
  invisible(x)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_curve <- function(object, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_result(object, "object")
  level <- check_number(level, 0, 0.9999, open_lower = TRUE)
  of <- check_target(of)
  drawn <- data.frame(grid = object$grid, value = object$value)
  picture <- ggplot2::ggplot(drawn, ggplot2::aes(x = .data$grid, y = .data$value))
  for (band in curve_bands(object, level, of)) {
    picture <- picture + ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), alpha = 0.22,
                                              data = cbind(drawn, lower = band[, 1], upper = band[, 2]),
                                              fill = picture_colors[1])
  }
  picture + ggplot2::geom_line(color = picture_colors[1], linewidth = 1) +
    picture_labels(object, curve_band_words(of, level), x = "Level", y = curve_label(object)) + picture_theme()
}

# The widest band first.
curve_bands <- function(x, level, of) {
  c(if (of == "population") list(known_population_ends(x, level)), list(curve_ends(x, level)))
}

curve_label <- function(x) {
  label <- paste("Mean", curve_title(x$curve))
  if (startsWith(curve_title(x$curve), "Betti")) label else sub("^Mean (.)", "Mean \\L\\1", label, perl = TRUE)
}

curve_band_words <- function(of, level) {
  paste0(if (of == "population") "bands: noise, and population" else "band: noise", " (", format_percent(level), ")")
}

#' @rdname plot.dptda_private_curve
#' @export
confint.dptda_private_curve <- function(object, parm, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_curve")
  level <- check_number(level, 0, 0.9999, open_lower = TRUE)
  of <- check_target(of)
  finish_ends(target_ends(object, level, of, curve_ends), format(object$grid, digits = 4), level, of)
}

curve_ends <- function(x, level) {
  off <- curve_noise_band(x$noise, x$curve$size, x$smooth, level)
  cbind(x$value - off, x$value + off)
}

# If people are independent draws: their mean varies like a normal curve whose variance is the released one. It falls
# with the frequency like 1 / j over the cosines, and is proportional to the curve over the levels. The variance is
# raised by the standard deviation of its noise.
population_ends.dptda_private_curve <- function(x, level, ...) {
  if (x$n < 2) return(NULL)
  own <- x$noise$scale * if (x$noise$kind == "laplace") sqrt(x$smooth + 2) else 1
  clear <- max(0, mean(x$value^2) - curve_noise_length(x$noise, x$smooth)^2)
  variance <- min(max(x$square - clear, 0) + own * x$radius, x$radius^2)
  over <- pmax(x$value, 0)
  over <- if (any(over > 0)) over / mean(over) else over + 1
  off <- curve_noise_band(x$noise, x$curve$size, x$smooth, level, variance / (x$n - 1), over)
  cbind(x$value - off, x$value + off)
}

population_reason.dptda_private_curve <- function(x) "because one person does not show how people differ"

#' @exportS3Method
result_table.dptda_private_curve <- function(x) {
  ends <- curve_ends(x, 0.95)
  data.frame(grid = x$grid, value = x$value, lower = ends[, 1], upper = ends[, 2])
}

#' @exportS3Method
tidy_table.dptda_private_curve <- function(x) {
  cbind(term = format(x$grid, digits = 4), estimate = x$value, tidy_intervals(x, NULL, curve_ends(x, 0.95)))
}

#' @export
print.dptda_private_curve <- function(x, ...) {
  check_valid(x, "dptda_private_curve")
  print_release(x, {
    top <- which.max(x$value)
    off <- function(ends) format(ends[1, 2] - x$value[1], digits = 2)
    around <- population_ends(x, 0.95)
    writeLines(wrap_lines(c(
      paste0("mean ", curve_title(x$curve), " of ", count_of(format_count(x$n), "diagram"), ": ",
             curve_grid_words(x$curve), ", by ", count_of(x$smooth, "cosine")),
      paste0("largest value: ", format(x$value[top], digits = 3), " at level ", format(x$grid[top], digits = 3)),
      paste0("noise: within ", off(curve_ends(x, 0.95)), " at all levels (95%)",
             if (!is.null(around)) paste0("; with sampling of people: about ", off(around))),
      paste0("for curves of length up to ", format(x$radius, digits = 3), ", smoothed")
    )))
  })
}

weighed_words.dptda_private_curve <- function(x) NULL
