# Privacy curves: delta as a function of epsilon.

#' Privacy curve: delta for each epsilon
#'
#' `privacy_curve()` computes the privacy curve (privacy profile) of a guarantee: the smallest `delta` that is known for
#' each `epsilon`. Every point of the curve is a guarantee of the same release.
#'
#' @param x For `privacy_curve()`, a guarantee or anything that [privacy_compose()] accepts as one. For `plot()` and
#'   `print()`, a privacy curve.
#' @param epsilon Numeric vector of nonnegative values at which to compute `delta`. By default, 100 values from zero to
#'   the point where `delta` is negligible.
#' @param y Not used.
#' @param xlab,ylab Strings: titles of the axes.
#' @param type As in [graphics::plot.default()].
#' @param ... For `plot()`, as in [graphics::plot.default()]. For `print()`, as in [print.data.frame()].
#'
#' @return A data frame of class `dptda_privacy_curve` with the columns `epsilon` and `delta`. `plot()` returns it
#'   invisibly.
#' @inherit privacy_convert references
#' @examples
#' plot(privacy_curve(c(mu = 1)))
#' privacy_curve(c(rho = 0.5), epsilon = 0:4)
#' @export
privacy_curve <- function(x, epsilon = NULL) {
  if (missing(x)) stop_missing("x")
  parts <- as_guarantee(x)$parts
  if (is.null(epsilon)) {
    epsilon <- seq(0, curve_end(parts), length.out = 100)
  } else if (!(is.numeric(epsilon) && length(epsilon) && !anyNA(epsilon) && all(epsilon >= 0 & is.finite(epsilon)))) {
    stop_argument("epsilon", "must be finite numbers of at least 0, not ", describe(epsilon), ".")
  }
  new_result(data.frame(epsilon = as.double(epsilon), delta = parts_delta(parts, epsilon)), "dptda_privacy_curve",
             also = "data.frame")
}

define_class("dptda_privacy_curve", "privacy_curve()", epsilon = is_numbers, delta = is_numbers, .valid = is.data.frame)

# Returns an epsilon beyond which delta is almost equal to the leak.
curve_end <- function(parts) {
  leak <- parts_leak(parts)
  if (leak >= 1) return(1)
  end <- min(parts_epsilon_sum(parts), parts_epsilon(parts, leak + (1 - leak) * 1e-12))
  if (end > 0) end else 1
}

# Drops the class if a column is missing: the result is then a plain data frame.
#' @export
`[.dptda_privacy_curve` <- function(x, ...) {
  part <- NextMethod()
  if (is.data.frame(part) && !is_valid(part, "dptda_privacy_curve")) class(part) <- "data.frame"
  part
}

#' @rdname privacy_curve
#' @param n One integer: the number of rows to print.
#' @export
print.dptda_privacy_curve <- function(x, n = 10, ...) {
  check_valid(x, "dptda_privacy_curve")
  n <- check_count(n)
  cat("<privacy curve> ", count_of(nrow(x), "point"), "\n", sep = "")
  print(data.frame(epsilon = x$epsilon, delta = x$delta)[seq_len(min(n, nrow(x))), ], row.names = FALSE, ...)
  if (nrow(x) > n) cat("... and", nrow(x) - n, "more\n")
  invisible(x)
}

#' @rdname privacy_curve
#' @export
plot.dptda_privacy_curve <- function(x, y, xlab = expression(epsilon), ylab = expression(delta), type = "l", ...) {
  check_valid(x, "dptda_privacy_curve")
  # a delta of zero cannot be shown on a logarithmic axis
  some <- any(x$delta > 0)
  shown <- x$delta > 0 | !some
  settings <- utils::modifyList(
    list(x = x$epsilon[shown], y = x$delta[shown], log = if (some) "y" else "", xlab = xlab, ylab = ylab, type = type,
         las = 1, yaxt = "n"),
    list(...)
  )
  do.call(graphics::plot.default, settings)
  if (settings$yaxt == "n" && is.null(list(...)$yaxt) && !isFALSE(settings$axes)) delta_axis(settings$las)
  invisible(x)
}

# Draws short labels, because labels such as 1e-12 or 0.005 would overlap the title of the axis.
delta_axis <- function(las) {
  at <- graphics::axTicks(2)
  labels <- sub("^(-?)0[.]", "\\1.", vapply(at, format, "", digits = 3))
  if (graphics::par("ylog")) {
    power <- round(log10(at))
    whole <- abs(log10(at) - power) < 1e-6
    if (sum(whole) > 2) {
      at <- at[whole]
      labels <- as.expression(lapply(power[whole], function(p) if (p == 0) 1 else bquote(10^.(p))))
    }
  }
  graphics::axis(2, at = at, labels = labels, las = las)
}
