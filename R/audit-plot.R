#' Print and plot the result of an audit
#'
#' `print()` shows the verdict of [audit_mechanism()], the lower bound, and the event that supports it. `plot()` draws
#' the outputs, the bounds, and the privacy curve. `as.data.frame()` returns one row. Like the audit, these results are
#' not private.
#'
#' @param x A result of [audit_mechanism()].
#' @param col Two colors, for `x` and for `neighbor`.
#' @param ... Not used.
#' @param row.names,optional Not used.
#' @return `plot()` and `print()`: `x`, invisibly. `format()`: the printed lines, a character vector. `as.data.frame()`:
#'   a data frame with one row and the columns `measure`, `declared`, `delta`, `lower`, `estimate`, `reach`, `rejected`,
#'   `level`, and `runs`.
#' @details
#' # Elements
#' A result of [audit_mechanism()] is a list with these elements:
#'
#' * `declared`: named numbers, the declared guarantee.
#' * `lower`: the lower bound on the parameter, in its units; 0 if nothing was found. `estimate`: the same from the
#'   plain frequencies, without confidence.
#' * `rejected`: `TRUE` if `lower` exceeds the declared value.
#' * `event`: a list of `description`, `favors` (the data set on which it is more likely), `threshold`, `tail`, and
#'   `count` (its frequency in the `tested` runs on each data set).
#' * `divergence`: `NULL`; or, if the bound on `rho` is based on averages, a list of `description`, `favors`, and
#'   `order`.
#' * `reach`: the largest bound possible with this number of runs.
#' * `level`, `runs`, `tested`, and `scores` (a list of two numeric vectors, the measured quantity in the tested runs).
#'
#' # Pictures
#' The three pictures of `plot()` are:
#'
#' * *outputs*: the measured quantity in the tested runs on both data sets. The dashed line is the threshold of the
#'   event.
#' * *bound and claim*: the lower bound at every threshold, and the declared parameter (dotted). Each bound alone has
#'   the stated confidence. The verdict is the marked one, which was chosen on other runs. If the bound on `rho` is
#'   based on averages, a dashed line marks it instead.
#' * *privacy curve*: for each epsilon, the declared delta (dotted) and the largest delta that the frequencies imply.
#'   The latter is a plain estimate, which chance can raise a little.
#' @examples
#' broken <- function(x) sum(x) + (rexp(1) - rexp(1)) / 2
#' lie <- audit_mechanism(broken, c(0, 0, 0), c(0, 0, 1), epsilon = 1)
#' as.data.frame(lie)
#' plot(lie)
#' @rdname audit_result
#' @name audit_result
#' @order 1
#' @export
plot.dptda_audit <- function(x, col = c("#0072B2", "#D55E00"), ...) {
  check_valid(x, "dptda_audit")
  saved <- graphics::par(mfrow = c(1, 3), cex = 0.9, mar = c(4.2, 4.6, 2.5, 0.8), mgp = c(3, 0.8, 0), las = 1)
  on.exit(graphics::par(saved))
  plot_outputs(x, col)
  plot_bounds(x)
  plot_curves(x)
  invisible(x)
}

# Plots the measured quantity on both data sets, and the threshold of the event.
plot_outputs <- function(x, col) {
  scores <- lapply(x$scores, function(part) part[is.finite(part)])
  range <- central_range(unlist(scores), x$event$threshold)
  breaks <- seq(range[1], range[2], length.out = 41)
  heights <- lapply(scores, function(part) {
    tabulate(findInterval(part, breaks, all.inside = TRUE), 40) / x$tested
  })
  graphics::plot(range, c(0, max(unlist(heights), 0) * 1.15), type = "n", bty = "l",
                 xlab = sub(" [<>]= .*$", "", x$event$description), ylab = "fraction of runs", main = "outputs")
  for (i in 1:2) graphics::lines(breaks, c(heights[[i]], 0), type = "s", col = col[i], lwd = 2)
  graphics::abline(v = x$event$threshold, lty = 2) # invisible if infinite
  graphics::legend("topright", names(scores), col = col, lwd = 2, bty = "n")
}

# Returns the range of the central 99% of the scores and the threshold. A few outliers would squeeze all other runs into
# one bar.
central_range <- function(scores, threshold) {
  if (!length(scores)) scores <- 0
  range <- range(stats::quantile(scores, c(0.005, 0.995), names = FALSE), if (is.finite(threshold)) threshold)
  if (range[1] == range[2]) range + c(-0.5, 0.5) else range
}

# Plots the lower bounds at every threshold of the tested runs. Each bound alone has the stated confidence. The verdict
# rests on the marked bound, which was chosen on other runs.
plot_bounds <- function(x) {
  parameter <- names(x$declared)[1]
  bounds <- audit_bounds(x)
  range <- central_range(bounds$threshold, x$event$threshold)
  declared <- x$declared[[1]]
  graphics::plot(bounds$threshold, bounds$lower, type = "s", lwd = 2, bty = "l", xlim = range,
                 ylim = c(0, 1.15 * max(bounds$lower, declared, x$lower)),
                 xlab = "threshold", ylab = paste("lower bound on", parameter), main = "bound and claim")
  graphics::abline(h = declared, lty = 3, lwd = 2, col = "#CC0000")
  # puts the label at the side with more space between bounds and line
  gap <- function(part) min(Inf, abs(bounds$lower[part] - declared))
  third <- diff(range) / 3
  left <- gap(bounds$threshold < range[1] + third) >= gap(bounds$threshold > range[2] - third)
  graphics::text(if (left) range[1] else range[2], declared, "declared", adj = c(if (left) 0 else 1, -0.4),
                 col = "#CC0000", cex = 0.9)
  if (is.null(x$divergence)) {
    graphics::points(x$event$threshold, x$lower, pch = 19, cex = 1.3)
  } else {
    # the verdict rests on averages over all outputs, not on an event
    graphics::abline(h = x$lower, lwd = 2, lty = 2)
  }
}

audit_bounds <- function(x) {
  scores <- lapply(x$scores, function(part) part[is.finite(part)])
  threshold <- score_thresholds(unlist(scores))
  count <- lapply(scores, tail_counts, thresholds = threshold, tail = x$event$tail)
  favors <- x$event$favors
  other <- setdiff(names(count), favors)
  lower <- bound_from_counts(count[[favors]], count[[other]], x$tested, x$declared, (1 - x$level) / 2)
  data.frame(threshold = threshold, lower = lower)
}

# Plots the privacy curve: for each epsilon, the declared delta and the delta that the frequencies of the tested runs
# imply (the largest over all thresholds, tails, and directions). These are plain estimates, which chance can raise a
# little.
plot_curves <- function(x) {
  declared <- privacy_curve(x$declared)
  measured <- audit_curve(x, declared$epsilon)
  graphics::plot(range(declared$epsilon), c(0, 1.05 * max(declared$delta, measured, 1e-300)), type = "n", bty = "l",
                 xlab = expression(epsilon), ylab = expression(delta), main = "privacy curve")
  graphics::lines(declared$epsilon, declared$delta, lty = 3, lwd = 2, col = "#CC0000")
  graphics::lines(declared$epsilon, measured, lwd = 2)
  graphics::legend("topright", c("declared", "measured"), col = c("#CC0000", "black"), lty = c(3, 1), lwd = 2,
                   bty = "n")
}

audit_curve <- function(x, epsilon) {
  events <- candidate_events(x$scores)
  vapply(epsilon, function(at) max(0, events$favored - exp(at) * events$other) / x$tested, 0)
}
