#' Private histogram
#'
#' Releases a histogram under differential privacy: the number of rows in each interval between public breaks, with
#' exact discrete noise on every count. For categories, use [private_table()].
#'
#' @details
#' The intervals are public. `breaks` has both ends, as in [graphics::hist()]. The first and the last interval also
#' count all values beyond the breaks, and their names show it: `< 25` and `>= 45`. Empty intervals also get noise.
#'
#' For dates, `breaks` cannot be `"months"` as in [graphics::hist.Date()], because the first and last month would be
#' read from the rows. Use two public dates: `seq(first, last, by = "month")`.
#'
#' @param x A vector of numbers, logical values (0 and 1), dates, times, or durations with one element per row; or a
#'   table, in memory or in a database ([table_rows()]), in which `columns` names one or more such columns.
#' @param breaks An increasing vector of at least 2 finite numbers, or of dates, times, or durations if `x` has that
#'   class: the ends of the intervals. Intervals are closed on the left, the last one on both sides. For several
#'   columns, a list of such vectors, named by column.
#' @param ... For `plot()`, graphical parameters of the frame. Otherwise unused. Later arguments must be named.
#' @param by `NULL` or a list of public levels, named by columns of the table: a histogram for each group, see
#'   [private_groups].
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_histogram`, which is a [private_table()] with intervals as levels, and so a
#' [private_value]. `value` holds the counts, named by the intervals; some may be negative. The fields are named as in
#' [graphics::hist()]: `counts`, `breaks`, and `mids`, the midpoints of the intervals (dates if `breaks` are dates). For
#' several columns, the cells are all combinations, the first column fastest, and `breaks` and `mids` are lists.
#' `plot()`, `as.data.frame()`, and `as.table()` work as for [private_table()].
#'
#' @section Privacy:
#' As for [private_table()]. Unit: one row, or one person. Neighbors differ by replacing one unit; the number of units
#' is public. Sensitivity: 2 in the l1 norm and sqrt(2) in the l2 norm, for any number of intervals. Guarantee:
#' `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy, exactly. A missing
#' value is an error before anything is drawn.
#'
#' @section Implementation:
#' One pass over the rows, and one draw per interval as for [private_count()]. The proof is in `system.file("proofs",
#' "number-count.md", package = "dptda")`.
#'
#' @references
#' Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential
#' privacy. *Foundations and Trends in Theoretical Computer Science* 9,
#' 211-407. Example 3.2 counts under the other relation.
#' @seealso [private_quantile()], [private_bounds()]
#' @examples
#' age <- private_histogram(infert$age, breaks = seq(20, 50, by = 5),
#'                          epsilon = 1)
#' age
#' plot(age)
#' age$mids
#'
#' # dates between public dates
#' visits <- as.Date("2024-01-01") + 7 * (1:80) %% 90
#' private_histogram(visits, seq(as.Date("2024-01-01"), as.Date("2024-07-01"),
#'                               by = "month"), epsilon = 1)
#' @export
private_histogram <- function(x, breaks, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                              by = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(breaks)) stop_missing_breaks()
  cells <- remembering(function(breaks, columns) histogram_cells(breaks, columns, by))
  make <- function(units, rows) {
    units <- check_public_units(units, 0, omit = TRUE)
    counted <- summed_columns(rows, by)
    if (is.null(columns)) breaks <- name_by_columns(breaks, counted)
    cell_mechanism("private_histogram", units, cells(breaks, counted), check_cost(epsilon, rho, delta, mu))
  }
  read <- function(x) {
    breaks <- named_by_columns(breaks, x, columns)
    if (is.list(breaks)) columns <- named_columns(x, columns, names(breaks), "breaks")
    table <- cells(breaks, asked_columns(x, columns, by))$table
    check_cost(epsilon, rho, delta, mu)
    cell_rows(check_cell_rows(x, columns, by), table)
  }
  release(x, budget, rng, read, make, columns = if (is.null(columns)) names(breaks) else columns, once = TRUE)
}

histogram_cells <- function(breaks, columns, by) {
  if (is.null(dim(breaks)) && value_type(breaks) %in% c("text", "logical")) {
    stop_argument("breaks", "must be numbers or dates, the ends of the intervals, not ", describe(breaks),
                  if (are_calendar_words(breaks)) {
                    c(", because the intervals would be read from the rows. Give public breaks, such as ",
                      "seq(as.Date(\"2020-01-01\"), as.Date(\"2025-01-01\"), by = \"month\").")
                  } else {
                    "; private_table() counts categories."
                  })
  }
  columns <- check_cell_columns(columns)
  public_cells(add_by(cell_axes(NULL, breaks, columns, "breaks"), columns, by))
}

stop_missing_breaks <- function() {
  stop_missing("breaks", "public breaks, such as seq(lower, upper, length.out = 11) for 10 intervals")
}

# Returns whether `x` is a string that hist() accepts as breaks of dates.
are_calendar_words <- function(x) {
  is_one_string(x) && grepl("^([0-9]+ )?(sec|min|hour|day|DSTday|week|month|quarter|year)s?$", x)
}

define_class("dptda_private_histogram", "private_histogram()", .bare = is_made("dptda_private_table"),
             .valid = function(x) {
               cells <- attr(x, "cells", exact = TRUE)
               !is.null(x$breaks) && (is.null(cells) || all(names(x$breaks) %in% names(cells)))
             })

example_of.private_histogram <- function(plan) {
  cells <- function(note, ...) release_example("histogram", note, c(1, 2), c(1, 1), list(breaks = 0:3, ...))
  list(cells("", epsilon = 1), cells("rho", rho = 0.5),
       release_example("histogram", "people", people_example(data.frame(x = c(1, 2, 1), who = c(1, 2, 1))),
                       people_example(data.frame(x = c(2, 2, 2, 2), who = c(1, 1, 1, 2))),
                       list(breaks = 0:3, epsilon = 1)))
}
