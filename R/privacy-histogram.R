#' A private histogram
#'
#' Counts the rows in each of the declared cells and adds exact discrete noise
#' to every one of them, the empty ones included.
#'
#' The cells are public: the declared `levels`, and one more named `"other"` for
#' everything else, whether there is anything else or not; or the intervals
#' between `breaks`, where a number beyond the ends counts in the first or last
#' interval. The levels of a factor are never used, since they may come from
#' the data.
#'
#' @param x A plain vector of numbers, strings or logical values or a factor,
#'   with one element per row; a numeric vector if `breaks` are given. Dates,
#'   times, 64-bit integers and other classes are refused, since their numbers
#'   are not what they seem and how one row is written may depend on the others.
#' @param levels A plain vector or a factor of different values without missing
#'   ones: the cells; numbers by name only, so that they are not taken for
#'   `breaks`. Where `x` or `levels` are numbers, both are compared as
#'   numbers, however they are written: whole numbers up to 2^53 exactly, others
#'   to 15 significant digits; otherwise as character strings, whatever their
#'   encoding. A string that is not valid text counts as `"other"`. `character()`
#'   gives the cell `"other"` alone.
#' @param breaks An increasing numeric vector of at least 2 finite numbers: the
#'   ends of the intervals, closed on the left, the last one on both sides.
#'   Either this, by name, or `levels` is given.
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]);
#'   else must be empty: what follows is given by name.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_histogram`, a [private_value]:
#'   `value` are the counts, named by the cells; some may be negative. `breaks`
#'   is a further field, `NULL` for levels. `plot()` shows the counts with lines
#'   in which the noise stays with probability 0.95, and returns its argument
#'   invisibly.
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public. A row
#' may leave one cell and enter another, so the sensitivity is 2 in the l1
#' distance and sqrt(2) in the l2 distance (under *add or remove one row* it
#' would be 1; that guarantee is not the one given here). Guarantee:
#' `epsilon`-differential privacy or `rho`-zero-concentrated differential
#' privacy, exactly: the noise is drawn and added in integers, and its scale is
#' rounded up. The number of cells does not matter. A missing value is an error
#' before anything is drawn; that message is for the curator and not part of a
#' release. Running time is not protected. What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' One pass over `x` ([base::match()] or [base::findInterval()]), one draw per
#' cell as in [rdiscrete_laplace()]. The proof is in
#' `system.file("proofs", "privacy-count.md", package = "dptda")`.
#'
#' @references
#' Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential
#' privacy. *Foundations and Trends in Theoretical Computer Science* 9,
#' 211-407. Example 3.2 counts under the other relation.
#' @examples
#' color <- rep(c("brown", "blue", "green", "red"), c(120, 60, 15, 2))
#' release <- private_histogram(color, levels = c("brown", "blue", "green"), epsilon = 1)
#' release
#' plot(release)
#'
#' age <- c(23, 31, 35, 38, 44, 47, 52, 58, 61, 93)
#' plot(private_histogram(age, breaks = seq(0, 100, by = 20), epsilon = 2))
#' @export
private_histogram <- function(x, levels = NULL, epsilon = NULL, rho = NULL, ..., breaks = NULL, budget = NULL,
                              rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  # of numbers in that place nobody can tell which of the two they are meant to be
  if (is.numeric(levels) && !"levels" %in% typed_names(sys.nframe())) {
    stop_argument("levels", "must be given by name where it is numeric: `levels = ` counts these values, `breaks = ` ",
                  "the intervals between them.")
  }
  cells <- histogram_cells(levels, breaks)
  cell <- cell_numbers(x, cells)
  measure <- check_measure(epsilon, rho)
  rng <- check_choice(rng, c("os", "R"))
  scale <- noise_scale(measure, l1 = 2, l2_squared = 2)
  kind <- measure_noise(measure)
  guarantee <- new_guarantee(
    measure, sensitivity = if (kind == "laplace") 2 else sqrt(2),
    mechanism = paste("discrete", noise_names[[kind]], "noise on a histogram"),
    public = list(n = length(cell), scale = scale, cells = cells$names), sampler = "exact", random = rng, step = "private_histogram"
  )
  value <- structure(double(length(cells$names)), names = cells$names)
  counts <- draw_release(budget, guarantee, as.double(tabulate(cell, length(cells$names))), function(counts) {
    add_noise(counts, scale, kind, rng)
  })
  value[] <- counts
  new_private_value(value, new_noise(kind, scale), guarantee, breaks = cells$breaks,
                    class = "dptda_private_histogram")
}

define_class("dptda_private_histogram", "private_histogram()", .of = is_made("dptda_private_value"),
             .whole = function(x) {
               !is.null(names(x)) && (is.null(x$breaks) || is_numbers(x$breaks) && length(x$breaks) == length(x) + 1)
             })

# The public cells: their names, and `breaks` or `levels`.
histogram_cells <- function(levels, breaks) {
  if (is.null(levels) == is.null(breaks)) {
    stop_argument("levels", "or `breaks` must be given, one of the two, not ",
                  if (is.null(levels)) "neither" else "both", ".")
  }
  if (is.null(breaks)) {
    levels <- check_cell_levels(levels)
    return(list(names = union(level_names(levels), "other"), levels = levels))
  }
  breaks <- check_breaks(breaks)
  list(names = interval_names(breaks), breaks = breaks)
}

check_cell_levels <- function(levels, arg = deparse1(substitute(levels))) {
  good <- is_cell_vector(levels)
  if (good && is.factor(levels)) levels <- levels(levels)[factor_codes(levels)]
  if (good) {
    keys <- level_names(levels)
    good <- !anyNA(keys) && !anyDuplicated(keys)
  }
  if (!good) {
    stop_argument(arg, "must be a plain vector of different numbers, strings or logical values, none of them missing, ",
                  "or a factor.")
  }
  levels
}

# What can be counted by its value. Of a factor the type is looked at, never the
# codes, which are the rows.
is_cell_vector <- function(x) {
  if (is.factor(x)) return(is.null(dim(x)) && typeof(x) == "integer" && is.character(levels(x)))
  is.null(dim(x)) && !is.object(x) && (is.numeric(x) || is.character(x) || is.logical(x))
}

# NA where a code, of a factor made by hand, is the number of no level.
factor_codes <- function(x) {
  code <- as.integer(x)
  code[code < 1 | code > nlevels(x)] <- NA
  code
}

# Each element as a string, by itself, NA for what is no text: a number must not
# be written as its neighbors need it, and 100000 is 1e5 whatever the type. A
# string that is no number has no place among numbers.
cell_keys <- function(x, as_numbers) {
  if (is.logical(x)) return(as.character(x))
  if (is.character(x)) x <- canonical_strings(x)
  if (as_numbers) number_keys(if (is.numeric(x)) as.double(x) else suppressWarnings(as.double(x))) else x
}

# Whole numbers are exact, as identifiers must be; of others the last digits are
# roundings.
number_keys <- function(number) {
  number <- number + 0 # -0 is 0
  keys <- sprintf("%.15g", number)
  whole <- which(number == floor(number) & abs(number) >= 1e15 & abs(number) <= 2^53)
  keys[whole] <- sprintf("%.17g", number[whole])
  keys[is.na(number)] <- NA
  keys
}

# A factor's levels are matched, each once; the rows only say which of them.
level_cells <- function(x, levels) {
  as_numbers <- is.numeric(x) || is.numeric(levels)
  values <- if (is.factor(x)) levels(x) else x
  cell <- match(cell_keys(values, as_numbers), cell_keys(levels, as_numbers), incomparables = NA)
  if (is.factor(x)) cell <- cell[factor_codes(x)]
  names <- level_names(levels)
  cell[is.na(cell)] <- match("other", names, nomatch = length(names) + 1L)
  cell
}

level_names <- function(levels) cell_keys(levels, is.numeric(levels))

check_breaks <- function(breaks, arg = deparse1(substitute(breaks))) {
  good <- is_plain_numeric(breaks) && length(breaks) >= 2 && all(is.finite(breaks)) &&
    !is.unsorted(breaks, strictly = TRUE)
  if (!good) stop_argument(arg, "must be at least 2 finite, increasing numbers.")
  as.double(breaks)
}

interval_names <- function(breaks) {
  ends <- formatC(breaks, digits = 15, width = 1, format = "g")
  last <- length(breaks) - 1
  paste0("[", ends[-(last + 1)], ", ", ends[-1], rep(c(")", "]"), c(last - 1, 1)))
}

# In which cell each row counts, one whole number per row.
cell_numbers <- function(x, cells, arg = "x") {
  if (!is.atomic(x) || is.null(x) || !is.null(dim(x))) stop_argument(arg, "must be a vector or a factor.")
  refuse_scaled(x, arg)
  # as.character() of other classes may look at all rows to write one: times without seconds, in R before 4.3
  if (is.object(x) && !is.factor(x)) {
    stop_argument(arg, "must be a plain vector or a factor, not of class \"", class(x)[1],
                  "\"; turn each row into a number or a string by itself.")
  }
  if (!is_cell_vector(x)) stop_argument(arg, "must be of numbers, strings or logical values.")
  levels <- cells$levels
  if (is.logical(x) && is.numeric(levels) || is.numeric(x) && is.logical(levels)) {
    stop_argument("levels", "must be numbers where `", arg, "` is, and logical values where it is logical.")
  }
  if (!is.null(cells$breaks) && !is_plain_numeric(x)) {
    stop_argument(arg, "must be a numeric vector where `breaks` are given.")
  }
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (is.null(cells$breaks)) return(level_cells(x, cells$levels))
  findInterval(x, cells$breaks, rightmost.closed = TRUE, all.inside = TRUE)
}

#' @rdname private_histogram
#' @param main,xlab,ylab Strings: the titles.
#' @param col,border Colors of the bars and of their borders.
#' @export
plot.dptda_private_histogram <- function(x, main = NULL, xlab = "", ylab = "Noisy count", col = "#B9D6EA",
                                         border = "#0072B2", ...) {
  check_whole(x, "dptda_private_histogram")
  cells <- length(x)
  left <- if (is.null(x$breaks)) seq_len(cells) - 0.4 else x$breaks[-(cells + 1)]
  right <- if (is.null(x$breaks)) seq_len(cells) + 0.4 else x$breaks[-1]
  ends <- confint(x)
  labels <- if (is.null(x$breaks)) fit_labels(names(x$value))
  if (!is.null(labels)) {
    saved <- graphics::par(mar = labels$mar)
    on.exit(graphics::par(saved))
    graphics::par(new = TRUE) # the page was opened to measure the labels
  }
  graphics::plot(range(left, right), range(0, ends), type = "n", axes = FALSE, main = main, xlab = xlab, ylab = ylab,
                 ...)
  graphics::rect(left, 0, right, x$value, col = col, border = border)
  middle <- (left + right) / 2
  graphics::segments(middle, ends[, 1], middle, ends[, 2], lwd = 1.5)
  graphics::abline(h = 0)
  if (is.null(x$breaks)) {
    shown <- seq(1, cells, by = labels$every)
    graphics::axis(1, at = middle[shown], labels = labels$words[shown], tick = FALSE, las = labels$las,
                   cex.axis = labels$cex, gap.axis = -1)
  } else {
    graphics::axis(1)
  }
  graphics::axis(2, las = 1)
  note <- c("lines: noise (95 %)", if (length(labels$every) && labels$every > 1) paste("every", labels$every, "cells a label"))
  graphics::mtext(paste(note, collapse = "; "), side = 3, line = 0.25, adj = 1, cex = 0.8 * graphics::par("cex"), col = "gray25")
  invisible(x)
}

# How the labels of so many bars find room: side by side, or turned, in a wider margin,
# smaller, cut, and in the end not all of them. Opens a page, to measure them.
fit_labels <- function(words) {
  graphics::plot.new()
  mar <- graphics::par("mar")
  full <- graphics::par("cex.axis")
  size <- function(words, measure) max(measure(words, "inches", cex = full), 0)
  room <- graphics::par("pin")[1] / (1.08 * (length(words) - 0.2))
  if (size(words, graphics::strwidth) < 0.95 * room) return(list(words = words, las = 1, cex = full, every = 1, mar = mar))
  small <- max(0.5, min(1, room / (1.15 * size(words, graphics::strheight))))
  every <- ceiling(small * 1.15 * size(words, graphics::strheight) / room)
  # at most a third of the height of the figure
  line <- graphics::par("mai")[1] / mar[1]
  deepest <- graphics::par("fin")[2] / 3 - 1.2 * line
  cut <- vapply(words, function(word) {
    wide <- small * size(word, graphics::strwidth)
    if (wide <= deepest) word else paste0(substr(word, 1, max(1, floor(nchar(word) * deepest / wide) - 3)), "...")
  }, "", USE.NAMES = FALSE)
  mar[1] <- max(mar[1], small * size(cut, graphics::strwidth) / line + 1.5)
  list(words = cut, las = 2, cex = small * full, every = every, mar = mar)
}
