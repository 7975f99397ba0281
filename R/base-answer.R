# Plans and evaluations of releases: power, settings, evidence, quality of synthetic rows. Each has its own class, with
# the fields that its page names, followed by "dptda_answer". Three methods of its own class define its output. They are
# called only for valid objects:
#
#   answer_blocks(x, n)   printed output, a list: first a string behind the title, then lines and data frames
#   answer_table(x)       the result of as.data.frame()
#   answer_curve(x)       the curve of plot(): list(x, y, xlab, ylab), and optional parts, see draw_curve(). An answer
#                         without a curve has its own plot()

new_answer <- function(class, fields) new_result(fields, c(class, "dptda_answer"))

answer_blocks <- function(x, n) UseMethod("answer_blocks")

answer_table <- function(x) UseMethod("answer_table")

answer_curve <- function(x) UseMethod("answer_curve")

# Returns the name of the one argument that is left out and computed. `...`: whether each is left out, by name.
what_is_asked <- function(...) {
  open <- c(...)
  left_out <- names(open)[open]
  if (length(left_out) == 1) return(left_out)
  all <- paste0("`", names(open), "`")
  stop_dptda("argument", "Exactly one of ", words_of(all, "and"), " must be left out, to be computed from the others, ",
             "but ", if (length(left_out) == 0) "all are given." else {
               paste0(words_of(paste0("`", left_out, "`"), "and"), " are left out.")
             })
}

words_of <- function(x, last) paste(paste(x[-length(x)], collapse = ", "), last, x[length(x)])

# Formats lines as power.t.test() prints them.
named_numbers <- function(x, names) {
  values <- vapply(names, function(name) format(x[[name]], digits = 3, big.mark = ",", decimal.mark = "."), "")
  paste(format(names, width = 15, justify = "right"), values, sep = " = ")
}

# Makes a block of a data frame. `...`: arguments of its print(), such as `digits`.
shown_table <- function(rows, ...) structure(list(rows = rows, settings = list(...)), class = "shown_table")

#' Print, plot, and read plans and evaluations
#'
#' Prints, plots, and converts to data frames the results of [power_diagram()], [plan_private_diagram()],
#' [feature_evidence()], [power_graph()], and [evaluate_synthesis()]. The page of each function lists the fields of its
#' result.
#'
#' @param x A result of one of these functions.
#' @param n One integer: the number of rows to print of a long table.
#' @param row.names,optional See [as.data.frame()].
#' @param ... For `plot()`, arguments of [graphics::plot.default()]. Otherwise unused.
#' @return `print()` and `plot()` return `x`, invisibly. `as.data.frame()` returns a data frame.
#' @examples
#' answer <- power_graph(epsilon = 1, p_in = 0.3, p_out = 0.2, power = 0.9)
#' answer
#' head(as.data.frame(answer))
#' @name answers
NULL

#' @rdname answers
#' @export
print.dptda_answer <- function(x, n = 8, ...) {
  check_result(x)
  n <- check_count(n)
  blocks <- answer_blocks(x, n)
  writeLines(wrap_lines(paste0("<", names(blocks)[1], "> ", blocks[[1]])))
  for (block in blocks[-1]) {
    if (is.character(block)) writeLines(if (length(block) == 1) wrap_lines(block) else block)
    else do.call(print, c(list(block$rows, row.names = FALSE), block$settings))
  }
  invisible(x)
}

#' @rdname answers
#' @export
as.data.frame.dptda_answer <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  as.data.frame(answer_table(check_result(x)), row.names = row.names, optional = optional)
}

#' @rdname answers
#' @export
plot.dptda_answer <- function(x, ...) {
  draw_curve(answer_curve(check_result(x)), list(...))
  invisible(x)
}

# Draws a curve. Optional parts: `log`, as in plot(); `second` and `third`, more values at the same x, dashed and
# dotted; `told`, a legend above the picture; `level`, a horizontal line; `at`, the answer as a point, drawn if finite.
draw_curve <- function(curve, wanted) {
  settings <- list(x = curve$x, y = curve$y, type = "l", lwd = 2, ylim = c(0, 1), las = 1, xlab = curve$xlab,
                   ylab = curve$ylab)
  if (!is.null(curve$log)) settings$log <- curve$log
  do.call(graphics::plot.default, utils::modifyList(settings, wanted))
  if (!is.null(curve$second)) graphics::lines(curve$x, curve$second, lty = 2)
  if (!is.null(curve$third)) graphics::lines(curve$x, curve$third, lty = 3)
  tell_on_picture(curve$told)
  if (!is.null(curve$level)) graphics::abline(h = curve$level, col = "gray60", lty = 3)
  if (all(is.finite(curve$at))) {
    graphics::abline(v = curve$at[1], col = "gray60", lty = 3)
    graphics::points(curve$at[1], curve$at[2], pch = 19)
  }
}

# Wraps each line that is too long. Further lines are indented by two.
wrap_lines <- function(lines, width = getOption("width")) {
  long <- nchar(lines, "width") >= width
  lines[long] <- vapply(lines[long], function(line) {
    indent <- attr(regexpr("^ *", line), "match.length")
    paste(strwrap(line, width, indent, indent + 2), collapse = "\n")
  }, "")
  lines
}
