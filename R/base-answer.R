# Answers to questions about releases: what could be detected, which settings to take, what is evidence, how good drawn
# rows are. Each has a class of its own, with the fields that its page names, and "dptda_answer" behind it. What it says
# is in three methods of its own class, which are asked once it is known to be whole:
#
#   answer_blocks(x, n)   what is printed, a list: the first a string behind the title, then lines and data frames
#   answer_table(x)       the data frame that it is
#   answer_curve(x)       what plot() draws: list(x, y, xlab, ylab), and what may be missing, see draw_curve(); an
#                         answer whose picture is no curve has a plot() of its own

new_answer <- function(class, fields) new_result(fields, c(class, "dptda_answer"))

answer_blocks <- function(x, n) UseMethod("answer_blocks")

answer_table <- function(x) UseMethod("answer_table")

answer_curve <- function(x) UseMethod("answer_curve")

# Of several numbers exactly one is left out, and computed. `...`: whether each was left out, by its name.
what_is_asked <- function(...) {
  open <- c(...)
  left_out <- names(open)[open]
  if (length(left_out) == 1) return(left_out)
  all <- paste0("`", names(open), "`")
  stop_dptda("argument", words_of(all, "or"), " must be left out, exactly one, which is computed from the others; ",
             if (length(left_out) == 0) "all are given." else {
               paste0(words_of(paste0("`", left_out, "`"), "and"), " are left out.")
             })
}

words_of <- function(x, last) paste(paste(x[-length(x)], collapse = ", "), last, x[length(x)])

# Lines as power.t.test() prints them.
named_numbers <- function(x, names) {
  values <- vapply(names, function(name) format(x[[name]], digits = 3, big.mark = ",", decimal.mark = "."), "")
  paste(format(names, width = 15, justify = "right"), values, sep = " = ")
}

# A data frame as a block: `digits` and more for its print().
shown_table <- function(rows, ...) structure(list(rows = rows, settings = list(...)), class = "shown_table")

#' Print, plot and read plans and evaluations
#'
#' Prints, plots and turns into data frames what [power_diagram()], [plan_private_diagram()], [feature_evidence()],
#' [power_graph()] and [evaluate_synthesis()] answer, before a release or after it. The fields are those that each page
#' names.
#'
#' @param x An answer of one of these functions.
#' @param n One whole number: how many rows of a long table are printed.
#' @param row.names,optional See [as.data.frame()].
#' @param ... For `plot()`, what [graphics::plot.default()] takes; not used by `print()`, and empty for
#'   `as.data.frame()`.
#' @return `print()` and `plot()` return `x`, invisibly; `as.data.frame()` a data frame.
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
  cat("<", names(blocks)[1], "> ", blocks[[1]], "\n", sep = "")
  for (block in blocks[-1]) {
    if (is.character(block)) writeLines(block)
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

# `log`: as plot() has it; `second`, `third`: more values at the same places, dashed and dotted, and `told`, what the
# lines are, above the picture; `level`: a line across; `at`: the answer itself, a place and a value, marked where it is
# finite.
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
