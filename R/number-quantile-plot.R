# Pictures of private quantiles: the distribution, as far as the noisy counts show it.

#' Private quantiles: plot and intervals
#'
#' Draws and tabulates the release of [private_quantile()], with intervals if it has noisy counts. The intervals account
#' for privacy noise, not for sampling error.
#'
#' @details
#' With `method = "counts"`, `plot()` draws the quantiles with their intervals, the noisy fraction of rows below each
#' released point, and a band that contains all true fractions with probability `level`. Otherwise, it draws lines as
#' long as the ranks may be off; if values may be missing, it draws no lines. Thick lines are intervals for the
#' population, from `interval` of [private_quantile()].
#'
#' @param x,object An object of class `dptda_private_quantile`.
#' @param level One number in (0, 1): the probability that *all* intervals for the data contain their quantiles.
#' @param of `"data"` or `"population"`: the target of the intervals, as for [private_value].
#' @param main,xlab,ylab Strings: the titles. By default, `main` names the release and `ylab` the values. Use `""` for
#'   no title.
#' @param xlim Two numbers: the part of the interval to show. By default (`NULL`), slightly more than the intervals of
#'   the quantiles.
#' @param col,border Colors of the band and of the counts.
#' @param parm Not used: all quantiles get an interval.
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]). Otherwise not used.
#' @return
#' * `confint()`, for `method = "counts"` only, returns intervals that contain all quantiles, as [private_quantile()]
#'   defines them, at once with probability `level`. They end at multiples of a `step`.
#' * `as.data.frame()` has one row per quantile: `name`, `probability`, `value`, and either its interval of level 0.95
#'   (`lower`, `upper`) or `within`: with probability 0.95, all values are within that many rows or people of their
#'   ranks (`NA` if no bound is proved).
#' * `plot()` returns `x`, invisibly.
#' @seealso [private_quantile()], [quantile_methods]
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' deciles <- private_quantile(income, c(0, 2e5), 1:9 / 10, rho = 0.1,
#'                             method = "counts")
#' confint(deciles)
#' plot(deciles)
#' @order 1
#' @export
plot.dptda_private_quantile <- function(x, level = 0.95, main = NULL, xlab = "", ylab = NULL, xlim = NULL,
                                        col = "#B9D6EA", border = "#0072B2", ...) {
  check_valid(x, "dptda_private_quantile")
  class <- attr(x, "classes", exact = TRUE)[1]
  if (x$method != "counts") return(plot_ranks(x, level, main, xlab, ylab, xlim, border, class, ...))
  ends <- matrix(as.double(unlist(confint(x, level = level))), ncol = 2)
  n <- privacy(x)$public$n
  band <- count_band(x, n, level)
  if (is.null(ylab)) ylab <- paste("Noisy fraction of", units_noun(privacy(x)$person), "below")
  open_quantile_plot(x, ends, xlab, ylab, xlim, class, ...)
  steps <- length(band$at)
  # between two points, the fraction is at least the left one and at most the right one
  from <- band$at[-steps]
  to <- band$at[-1]
  graphics::rect(from, band$lower[-steps], to, band$upper[-1], col = col, border = NA)
  graphics::lines(band$at, band$middle, type = "s", col = border, lwd = 1.5)
  graphics::points(x$counts$at, pmin(pmax(x$counts$count / n, 0), 1), pch = 20, cex = 0.5, col = border)
  graphics::segments(ends[, 1], x$probs, ends[, 2], x$probs, lwd = 1.5)
  graphics::points(plain_value(x), x$probs, pch = 19)
  tell_on_picture(paste0("points: quantiles; band and lines: noise (", format_percent(level), ")"),
                  main = picture_title(x, main))
  invisible(x)
}

# Without counts, draws how far the rank of each value may be from its target.
plot_ranks <- function(x, level, main, xlab, ylab, xlim, border, class, ...) {
  value <- plain_value(x)
  if (is.null(ylab)) ylab <- paste("Fraction of", units_noun(privacy(x)$person), "below")
  around <- population_ends(x, min(level, attr(x, "interval", exact = TRUE)$level))
  open_quantile_plot(x, if (is.null(around)) around_values(x) else around, xlab, ylab, xlim, class, ...)
  words <- NULL
  if (knows_rows(x)) {
    bound <- released_rank_bound(x, level)
    words <- rank_line_words(bound, level)
    reach <- share_within(bound, x)
    graphics::segments(value, pmax(x$probs - reach, 0), value, pmin(x$probs + reach, 1), lwd = 1.5, col = border)
  }
  if (!is.null(around)) {
    graphics::segments(around[, 1], x$probs, around[, 2], x$probs, lwd = 2.5)
    words <- paste(c(words, population_line_words(x)), collapse = "; ")
  }
  tell_on_picture(words, main = picture_title(x, main))
  graphics::points(value, x$probs, pch = 19)
  invisible(x)
}

# Explains lines of intervals for the population.
population_line_words <- function(x) {
  paste0("thick lines: population (", format_percent(attr(x, "interval", exact = TRUE)$level), ")")
}

# Explains lines over all fractions, which show nothing.
rank_line_words <- function(bound, level) {
  paste0("points: quantiles; lines: their ranks (", format_percent(level), ")",
         if (any(is.na(bound))) "; full height: no bound is proved")
}

# A rank without a bound gets a line over all fractions.
share_within <- function(within, x) ifelse(is.na(within), 1, within / privacy(x)$public$n)

around_values <- function(x) range(plain_value(x)) + c(-1, 1) * (x$lattice$upper - x$lattice$lower) / 20

open_quantile_plot <- function(x, ends, xlab, ylab, xlim, class, ..., xaxt = NULL) {
  if (is.null(xlim)) xlim <- shown_range(ends, x$lattice)
  is_classed_axis <- is.null(xaxt) && !is.null(class) && is_duration(class)
  xlim <- if (is_classed_axis || is.null(class)) as.double(xlim) else in_class(as.double(xlim), class)
  graphics::plot(xlim, 0:1, type = "n", xlim = xlim, ylim = c(0, 1), xlab = xlab, ylab = ylab, las = 1,
                 xaxt = if (is_classed_axis) "n" else if (is.null(xaxt)) "s" else xaxt, ...)
  if (is_classed_axis) draw_class_axis(xlim, class)
}

shown_range <- function(ends, lattice) {
  reach <- range(ends)
  cell <- (lattice$upper - lattice$lower) / lattice_cells(lattice)
  reach <- reach + c(-1, 1) * max((reach[2] - reach[1]) / 4, cell)
  c(max(reach[1], lattice$lower), min(reach[2], lattice$upper))
}

# Returns fractions at all queried points and at the bounds. True counts increase from left to right, so a lower bound
# also holds further right, and an upper bound further left. The middle line is the noisy counts, averaged if they
# decrease.
count_band <- function(x, n, level) {
  order <- order(x$counts$at)
  count <- x$counts$count[order]
  width <- counts_half_width(x, level)[order]
  lower <- pmin(cummax(pmax(count - width, 0)), n)
  upper <- pmax(rev(cummin(rev(pmin(count + width, n)))), 0)
  middle <- pmin(pmax(stats::isoreg(count)$yf, 0), n)
  list(at = c(x$lattice$lower, x$counts$at[order], x$lattice$upper), lower = c(0, lower, n) / n,
       upper = c(0, upper, n) / n, middle = c(0, middle, n) / n)
}
