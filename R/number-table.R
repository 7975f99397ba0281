#' Private contingency table (counts of categories)
#'
#' Releases a contingency table under differential privacy: the number of rows with each declared level, or with each
#' combination of levels of several columns. Every count has exact discrete noise. For numbers in intervals, use
#' [private_histogram()].
#'
#' @details
#' # Cells
#' The cells are public: the declared `levels`, and one more named `"other"`, always present, for all other values.
#' Empty cells also get noise. The levels of a factor are never used, because they may come from the data.
#'
#' # Matching of values and levels
#' If `x` or `levels` is numeric, both are compared as numbers: integers up to 2^53 exactly, other numbers to 15
#' significant digits. For example, the string `"1e3"` matches the level 1000. Otherwise, they are compared as strings
#' in any encoding; a string that is not valid text counts as `"other"`. Two text levels that are the same number are an
#' error if the rows are numbers.
#'
#' Dates, times, and durations are compared by their numbers, never by how they print, which may depend on the other
#' rows. Other classes are refused. For ordered factors, the labels are compared. `character()` gives the cell `"other"`
#' alone.
#'
#' @param x A vector of numbers, strings, logical values, dates, or times, or a factor, with one element per row; or a
#'   table, in memory or in a database ([table_rows()]), in which `columns` names one or more such columns.
#' @param levels A plain vector or factor of different values without missing values; if `x` has dates, times, or
#'   durations, a vector of these. For several columns, a list of such vectors, named by column or one for each.
#' @param breaks `NULL` or a list of increasing numeric vectors, named by column. These columns are cut into intervals,
#'   as in [private_histogram()], instead of having levels.
#' @param by `NULL` or a list of public levels, named by columns of the table: further columns whose combinations are
#'   groups, see [private_groups].
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_table`, a [private_value]. `value` holds the counts, named by the cells;
#' some may be negative. For several columns, the cells are all combinations, the first column fastest. `cells` lists
#' the names of the cells of each column, and `breaks` lists the breaks of binned columns. For one column, `column` is
#' its name, if you gave one. Select cells by name, by levels, `x["f, 2"]`, or by one index for each column, `x["f",
#' "2"]`.
#'
#' For `plot()`, `as.table()`, and `as.data.frame()`, see [plot.dptda_private_table].
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: 2 in the l1 norm and sqrt(2) in the l2 norm, for any number of cells, because a replaced row leaves one
#' cell and enters another. (Under *add or remove one row* it would be 1. This function does not give that guarantee.)
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Noise is drawn and added in integers, and its scale is rounded up.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]). `vignette("privacy-model", package = "dptda")` explains the
#' guarantee.
#'
#' @section Implementation:
#' One pass over the rows, and one draw per cell as for [private_count()]. The proof is in `system.file("proofs",
#' "number-count.md", package = "dptda")`.
#'
#' @references
#' Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential
#' privacy. *Foundations and Trends in Theoretical Computer Science* 9,
#' 211-407. Example 3.2 counts under the other relation.
#' @seealso [private_histogram()] for numbers, [private_synthesis()] for many columns.
#' @examples
#' color <- rep(c("brown", "blue", "green", "red"), c(120, 60, 15, 2))
#' release <- private_table(color, c("brown", "blue", "green"), epsilon = 1)
#' release
#' plot(release)
#'
#' # two columns: all combinations, at the price of one table
#' both <- private_table(infert, columns = c("age", "education"),
#'                       levels = list(education = levels(infert$education)),
#'                       breaks = list(age = c(20, 30, 40, 50)), epsilon = 1)
#' as.table(both)
#' @export
private_table <- function(x, levels, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, breaks = NULL,
                          columns = NULL, by = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(levels)) {
    refuse_counts(x)
    stop_missing_levels()
  }
  cells <- remembering(function(levels, columns) table_cells(levels, breaks, columns, by))
  make <- function(units, rows) {
    units <- check_public_units(units, 0, omit = TRUE)
    counted <- summed_columns(rows, by)
    if (is.null(columns)) levels <- name_by_columns(levels, counted)
    cell_mechanism("private_table", units, cells(levels, counted), check_cost(epsilon, rho, delta, mu))
  }
  read <- function(x) {
    refuse_counts(x)
    if (is.null(columns)) refuse_columns_as_levels(x, levels)
    levels <- named_by_columns(levels, x, columns)
    if (is.list(levels)) columns <- named_columns(x, columns, c(names(levels), names(breaks)), "levels")
    table <- cells(levels, asked_columns(x, columns, by))$table
    check_cost(epsilon, rho, delta, mu)
    rows <- check_cell_rows(x, columns, by)
    tell_counts_column(x, rows, table)
    cell_rows(rows, table)
  }
  release(x, budget, rng, read, make, columns = if (is.null(columns)) c(names(levels), names(breaks)) else columns,
          once = TRUE)
}

# Returns `f` with a memory of its last result, because read() and make() of a release need the same cells.
remembering <- function(f) {
  last <- NULL
  function(...) {
    if (!identical(last$given, list(...))) last <<- list(given = list(...), value = f(...))
    last$value
  }
}

# Warns about a table of counts, which has a row for each combination of levels: these rows would be counted. Uses
# public facts only: the name of another numeric column, the number of rows, and the numbers of levels. `Freq` is the
# name in as.data.frame(). It suffices even if some columns are not used, as long as combinations are few.
tell_counts_column <- function(x, rows, table) {
  if (!is.data.frame(x) || !is.null(rows$person)) return(invisible())
  others <- setdiff(names(x), rows$columns)
  named <- others[tolower(others) %in% c("freq", "n", "count")]
  named <- named[vapply(named, function(name) is.numeric(.subset2(x, name)), NA)]
  levels <- prod(vapply(table$axes, function(axis) length(setdiff(axis$names, axis$other)), 0L))
  complete <- rows$n == levels || "Freq" %in% named && rows$n %% max(levels, 1) == 0 && rows$n <= 50 * levels
  if (!length(named) || levels < 2 || !complete) return(invisible())
  tell_dptda("counts", "`x` has a column `", named[1], "` and as many rows as a table of counts. Each row counts one. ",
             "If `", named[1], "` holds counts, repeat the rows: x[rep(seq_len(nrow(x)), x$", named[1],
             "), names(x) != \"", named[1], "\"].")
}

table_cells <- function(levels, breaks, columns, by) {
  columns <- check_cell_columns(columns)
  if (!is.null(breaks) && !is.list(breaks)) {
    stop_argument("breaks", "must be NULL or a list named by column. For one column, use private_histogram().")
  }
  if (is.null(levels)) stop_argument("levels", "must be given: a vector, or a list named by column.")
  public_cells(add_by(cell_axes(levels, breaks, columns, "levels"), columns, by))
}

# Refuses objects of class "table".
refuse_counts <- function(x) {
  if (inherits(x, "table")) stop_argument("x", "must hold rows, not an object of class \"table\"", class_hint(x), ".")
}

stop_missing_levels <- function() {
  stop_argument("levels", "must be given, because categories read from the data are not private. Write ",
                "c(\"a\", \"b\") for one column, or list(column = c(\"a\", \"b\")) for columns of a table.")
}

# Names the elements of a list by the columns of a table, in their order.
named_by_columns <- function(given, x, columns) {
  if (is.null(columns) && is_table(x)) name_by_columns(given, table_columns(x)) else given
}

name_by_columns <- function(given, columns) {
  bare <- is.list(given) && !is.object(given) && is.null(names(given))
  if (bare && length(columns) == length(given) && are_names(columns)) names(given) <- columns
  given
}

# Refuses names of columns that were given as levels.
refuse_columns_as_levels <- function(x, levels) {
  if (!is.character(levels) || !are_names(levels) || inherits(x, "dptda_rows") || !is_table(x)) return(invisible())
  if (!all(levels %in% table_columns(x))) return(invisible())
  stop_argument("levels", "must be the public levels of the columns, as list(", levels[1], " = c(\"a\", \"b\")), not ",
                "their names.")
}

# Reads the counted columns, then the grouping columns.
check_cell_rows <- function(x, columns, by, arg = deparse1(substitute(x))) {
  force(arg)
  if (is.null(by)) return(check_rows(ungrouped_by(x, by, arg), columns, arg, omit = TRUE))
  by_axes(by, columns)
  check_by_rows(x, columns, by, arg)
}

add_by <- function(axes, columns, by) {
  groups <- by_axes(by, columns)
  if (is.null(groups)) return(axes)
  if (is.null(columns)) stop_argument("columns", "must be given if `by` is.")
  c(structure(axes, names = columns), groups)
}

check_cell_columns <- function(columns) if (!is.null(columns)) check_column_names(columns, "columns")

# Returns the cells of some axes, with the names of all combinations.
public_cells <- function(axes) {
  table <- cell_table(axes)
  check_table_size(table, "x") # before the names of the cells are made
  list(table = table, names = cell_names(lapply(table$axes, `[[`, "names")))
}

# `name`: the release, such as "private_table". `made`: the result of public_cells().
cell_mechanism <- function(name, units, made, cost, words = paste("on a", sub("private_", "", name))) {
  cells <- lapply(made$table$axes, `[[`, "names")
  planned <- plan_unit_noise(units, cost, l1 = 2, l2_squared = 2)
  noise <- planned$noise
  guarantee <- new_guarantee(
    cost$measure, sensitivity = if (noise$kind == "laplace") 2 else sqrt(2),
    mechanism = paste(noise_words(noise), words),
    public = c(list(n = units$n, scale = noise$scale * noise$step,
                    cells = if (length(cells) == 1) cells[[1]] else cells),
               weight_words(units, planned$weight)),
    sampler = "exact", step = name, spent = cost$known, person = units$person
  )
  plan <- public_plan(c(name, "cell_counts", "additive"), n = units$n, table = made$table, noise = noise,
                      weight = planned$weight, names = made$names)
  new_mechanism(plan, guarantee)
}

rows_for.cell_counts <- function(plan, x) {
  cell_rows(check_rows(x, if (is_table(x)) names(plan$table$axes), "x", omit = TRUE), plan$table)
}

# Counts dates and binned columns by their numbers. Other levels are compared as they are.
cell_rows <- function(rows, table) {
  if (length(table$axes) == length(rows$types)) rows <- class_rows(rows, vapply(table$axes, axis_class, ""))
  check_table(table, rows)
  rows
}

statistic_of.cell_counts <- function(plan, rows) {
  count_table(weigh_rows(omit_missing(rows), plan$weight), plan$table)
}

weakness_of.cell_counts <- function(plan) {
  cells <- table_size(plan$table)
  if (inherits(plan, "private_count_by")) cells <- cells / 2 # only the counted half
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale) * plan$noise$step
  weak_noise(plan$n, sd * cells, "the noise on each count has a standard deviation of ", format(sd, digits = 2),
             ", and in ", count_of(format_count(cells), "cell"), " there are ",
             format(plan$n / cells, digits = 2), " on average: most counts will be noise")
}

noise_target.cell_counts <- function(plan) "the count of each cell"

result_of.cell_counts <- function(plan, drawn) {
  axes <- plan$table$axes
  breaks <- if (length(axes) == 1) axes[[1]]$breaks else Filter(Negate(is.null), lapply(axes, `[[`, "breaks"))
  classes <- unlist(Filter(Negate(is.null), lapply(axes, function(axis) if (!is.null(axis$breaks)) axis$class)))
  histogram <- inherits(plan, "private_histogram")
  counts <- structure(drawn * plan$noise$step, names = plan$names)
  new_private_value(counts, plan$noise, breaks = if (length(breaks)) breaks, break_classes = classes,
                    cells = if (length(axes) > 1) lapply(axes, `[[`, "names"),
                    column = if (length(axes) == 1) names(axes),
                    class = c(if (histogram) "dptda_private_histogram", "dptda_private_table"))
}

are_cell_breaks <- function(x, cells) is_numbers(x) && length(x) == cells + 1

# `breaks`: a vector for one column, or a list with an element for each binned one of several columns.
define_class("dptda_private_table", "private_table()", .bare = is_made("dptda_private_value"),
             .valid = function(x) {
               cells <- attr(x, "cells", exact = TRUE)
               breaks <- attr(x, "breaks", exact = TRUE)
               classes <- attr(x, "break_classes", exact = TRUE)
               if (!is.null(attr(x, "column", exact = TRUE)) && !is_one_string(attr(x, "column"))) return(FALSE)
               if (is.null(names(x)) || !is.null(classes) && !are_class_names(classes)) return(FALSE)
               if (is.null(cells)) return(is.null(breaks) || are_cell_breaks(breaks, length(x)))
               is.list(cells) && !is.null(names(cells)) && prod(lengths(cells)) == length(x) &&
                 (is.null(breaks) || is.list(breaks) && all(names(breaks) %in% names(cells)) &&
                    all(mapply(are_cell_breaks, breaks, lengths(cells[names(breaks)]))))
             })

# Returns the requested columns of a table, before anything is read, or NULL for a vector.
asked_columns <- function(x, columns, by = NULL) {
  if (!is.null(columns)) return(check_column_names(columns, "columns"))
  if (inherits(x, "dptda_rows") && !is.null(x$columns)) setdiff(x$columns, names(by))
}

# Returns an axis for each column, with the names of its cells and its breaks. `asked`: the name of the argument that is
# a vector for one column, and a list for several.
cell_axes <- function(levels, breaks, columns, asked) {
  if (length(columns) < 2 && !is.list(levels) && !is.list(breaks)) return(list(cell_axis(levels, breaks)))
  if (is.null(columns)) {
    stop_argument("columns", "must be given if `", asked, "` is a list. Then `x` must be a table: use ",
                  "as.data.frame() for a matrix.")
  }
  check_named_list(levels, columns, "levels")
  check_named_list(breaks, columns, "breaks")
  if (!setequal(c(names(levels), names(breaks)), columns) || anyDuplicated(c(names(levels), names(breaks)))) {
    given <- c(names(levels), names(breaks))
    absent <- setdiff(columns, given)
    stop_argument(asked, if (asked == "levels") "and `breaks` must have together" else "must have",
                  " one element for each of the columns, ", paste0("`", columns, "`", collapse = ", "), ". ",
                  if (length(absent)) c("Add one for ", quote_names(absent))
                  else c("Keep only one for ", quote_names(unique(given[duplicated(given)]))), ".")
  }
  axis <- function(name) cell_axis(levels[[name]], breaks[[name]], paste0("$", name))
  structure(lapply(columns, axis), names = columns)
}

check_named_list <- function(x, columns, arg) {
  if (is.null(x) || is.list(x) && !is.object(x) && length(names(x)) == length(x) && all(names(x) %in% columns)) {
    return(invisible())
  }
  extra <- if (is.list(x)) setdiff(names(x), c(columns, ""))
  stop_argument(arg, "must be a list named by column for several columns, ", quote_names(columns), ".",
                if (length(extra)) c(" `columns` does not contain ", quote_names(extra), "."))
}

# `name`: the suffix for an element of a list, in messages.
cell_axis <- function(levels, breaks, name = "") {
  if (is.null(breaks)) return(level_axis(check_cell_levels(levels, paste0("levels", name)), paste0("levels", name)))
  class <- value_class(breaks)
  breaks <- check_breaks(breaks, paste0("breaks", name))
  axis <- c(axis_intervals(breaks), list(names = bar_names(breaks, class), breaks = breaks))
  if (class != "number") axis$class <- class
  axis
}

# Returns the names of all combinations. The first column varies fastest.
cell_names <- function(cells) {
  if (length(cells) == 1) return(cells[[1]])
  named <- Map(function(name, cells) paste(name, cells), names(cells), cells)
  Reduce(function(first, next_ones) as.vector(outer(first, next_ones, paste, sep = ", ")), named)
}

check_breaks <- function(breaks, arg = deparse1(substitute(breaks))) {
  known <- !is.null(value_class(breaks))
  number <- if (known) class_numbers(breaks, value_class(breaks))
  if (!known || length(number) < 2 || !all(is.finite(number))) {
    stop_argument(arg, "must be at least 2 finite, increasing numbers, not ", describe(breaks),
                  if (known && length(number) > 1) " with a missing or infinite number",
                  ". Choose public breaks, such as seq(lower, upper, length.out = 11) for 10 intervals.")
  }
  step <- match(TRUE, diff(number) <= 0)
  if (!is.na(step)) {
    ends <- vapply(step + 0:1, function(i) format(breaks[i], digits = 15), "")
    stop_argument(arg, "must increase, and element ", step + 1, ", ", ends[2], ", comes after ", ends[1],
                  ". Use sort(unique(", arg, ")).")
  }
  number
}

# Returns the names of bars. The first and the last one also count all values beyond the breaks, as their names state.
bar_names <- function(breaks, class) {
  last <- length(breaks) - 1
  if (last == 1) return("all values")
  ends <- class_labels(breaks, class)
  c(paste("<", ends[2]), interval_names(breaks, class)[-c(1, last)], paste(">=", ends[last]))
}

interval_names <- function(breaks, class = "number") {
  ends <- class_labels(breaks, class)
  last <- length(breaks) - 1
  paste0("[", ends[-(last + 1)], ", ", ends[-1], rep(c(")", "]"), c(last - 1, 1)))
}

#' @rdname plot.dptda_private_table
#' @order 2
#' @param other `TRUE` or `FALSE`: whether `as.table()` has the cells `"other"`. Use `FALSE` for [proportions()] and
#'   [addmargins()] of the declared levels alone.
#' @export
as.table.dptda_private_table <- function(x, ..., other = TRUE) {
  check_no_dots(...)
  check_valid(x, "dptda_private_table")
  other <- check_flag(other)
  cells <- attr(x, "cells", exact = TRUE)
  counts <- as.table(if (is.null(cells)) x$value else array(x$value, lengths(cells, use.names = FALSE), cells))
  if (other) return(counts)
  kept <- lapply(dimnames(counts), function(names) names != "other")
  do.call(`[`, c(list(counts), unname(kept), drop = FALSE))
}

#' Private tables: plot and array
#'
#' Draws the release of [private_table()] or [private_histogram()], or converts it to an array.
#'
#' `plot()` draws bars with noise intervals of level 0.95, or shades for two columns.
#'
#' @param x An object of class `dptda_private_table`.
#' @param main,xlab,ylab Strings: the titles. By default, `main` names the release. Use `""` for no title.
#' @param col,border Colors of the bars and of their borders. For two columns, the shades are of the color `border`.
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]). Otherwise not used.
#' @return `plot()` returns `x`, invisibly. `as.table()` returns the counts as an array, and `as.data.frame()` a column
#'   for each column of the table, with one row per cell.
#' @seealso [private_table()], [private_histogram()]
#' @examples
#' both <- private_table(infert, columns = c("age", "education"),
#'                       levels = list(education = levels(infert$education)),
#'                       breaks = list(age = c(20, 30, 40, 50)), epsilon = 1)
#' plot(both)
#' proportions(as.table(both, other = FALSE), 2)
#' @order 1
#' @export
plot.dptda_private_table <- function(x, main = NULL, xlab = NULL, ylab = NULL, col = "#B9D6EA",
                                         border = "#0072B2", ...) {
  check_valid(x, "dptda_private_table")
  if (length(attr(x, "cells", exact = TRUE)) == 2) return(plot_shades(x, main, xlab, ylab, border, ...))
  cells <- length(x)
  breaks <- if (is.null(attr(x, "cells", exact = TRUE))) attr(x, "breaks", exact = TRUE)
  left <- if (is.null(breaks)) seq_len(cells) - 0.4 else breaks[-(cells + 1)]
  right <- if (is.null(breaks)) seq_len(cells) + 0.4 else breaks[-1]
  ends <- confint(x)
  levels_of <- attr(x, "cells", exact = TRUE)
  # the names of several columns appear once, above
  labels <- if (is.null(breaks)) fit_labels(if (is.null(levels_of)) names(x$value) else joined_levels(levels_of))
  if (!is.null(labels)) {
    before <- graphics::par(mar = labels$mar)
    on.exit(graphics::par(before))
    graphics::par(new = TRUE) # the page was opened to measure the labels
  }
  saved <- open_picture(range(left, right), range(0, ends), if (is.null(xlab)) "" else xlab,
                        if (is.null(ylab)) "Noisy count" else ylab, xaxt = "n", bty = "n", ...)
  on.exit(graphics::par(saved), add = TRUE, after = FALSE)
  graphics::rect(left, 0, right, x$value, col = col, border = border)
  middle <- (left + right) / 2
  graphics::segments(middle, ends[, 1], middle, ends[, 2], lwd = 1.5)
  graphics::abline(h = 0)
  if (is.null(breaks)) {
    shown <- seq(1, cells, by = labels$every)
    graphics::axis(1, at = middle[shown], labels = labels$words[shown], tick = FALSE, las = labels$las,
                   cex.axis = labels$cex, gap.axis = -1)
  } else if (is.null(attr(x, "break_classes", exact = TRUE))) {
    marks <- number_marks(graphics::axTicks(1))
    graphics::axis(1, marks$at, marks$labels)
  } else {
    draw_class_axis(range(breaks), attr(x, "break_classes", exact = TRUE)[[1]])
  }
  note <- c("lines: noise (95%)", if (!is.null(levels_of)) paste("labels:", toString(names(levels_of))),
            if (length(labels$every) && labels$every > 1)
            paste("one label for every", labels$every, "cells"), if (!is.null(breaks)) end_bar_words)
  tell_on_picture(paste(note, collapse = "; "), main = picture_title(x, main))
  invisible(x)
}

end_bar_words <- "end bars include all rows beyond the breaks"

# Finds room for the labels of many bars: side by side, or turned, in a wider margin, smaller, cut, and finally not all
# of them. Opens a page to measure them.
fit_labels <- function(words) {
  graphics::plot.new()
  mar <- graphics::par("mar")
  full <- graphics::par("cex.axis")
  size <- function(words, measure) max(measure(words, "inches", cex = full), 0)
  room <- graphics::par("pin")[1] / (1.08 * (length(words) - 0.2))
  if (size(words, graphics::strwidth) < 0.95 * room) {
    return(list(words = words, las = 1, cex = full, every = 1, mar = mar))
  }
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

# Draws two columns as shades from white to the color, with the numbers if they fit. The first level of each column is
# at the top or left, as in print().
plot_shades <- function(x, main, xlab, ylab, color, ...) {
  counts <- as.table(x)
  size <- dim(counts)
  shade <- pmin(pmax(unclass(counts) / max(counts, 1), 0), 1)
  rgb <- grDevices::col2rgb(color) / 255
  fill <- grDevices::rgb(1 - shade * (1 - rgb[1]), 1 - shade * (1 - rgb[2]), 1 - shade * (1 - rgb[3]))
  names <- names(dimnames(counts))
  saved <- left_room(colnames(counts), 3.2)
  on.exit(graphics::par(saved))
  graphics::plot(c(0.5, size[1] + 0.5), c(0.5, size[2] + 0.5), type = "n", axes = FALSE, xaxs = "i", yaxs = "i",
                 xlab = if (is.null(xlab)) names[1] else xlab, ylab = "", ...)
  graphics::title(ylab = if (is.null(ylab)) names[2] else ylab, line = graphics::par("mar")[2] - 1.2)
  at <- expand.grid(x = seq_len(size[1]), y = rev(seq_len(size[2])))
  graphics::rect(at$x - 0.5, at$y - 0.5, at$x + 0.5, at$y + 0.5, col = fill, border = "white")
  words <- format(as.vector(counts), trim = TRUE)
  if (max(graphics::strwidth(words)) < 0.9 && max(graphics::strheight(words)) < 0.7) {
    graphics::text(at$x, at$y, words, col = ifelse(shade > 0.55, "white", "gray15"))
  }
  draw_names(seq_len(size[1]), rownames(counts))
  graphics::axis(2, at = rev(seq_len(size[2])), labels = colnames(counts), tick = FALSE, las = 1)
  tell_on_picture(shade_words(x), main = picture_title(x, main))
  invisible(x)
}

shade_words <- function(x) paste("noise (95%): +-", format(value_half_width(x)[1], digits = 3))

example_of.private_table <- function(plan) {
  cells <- function(note, ...) {
    release_example("table", note, c("a", "b"), c("a", "a"), list(levels = c("a", "b", "c"), ...))
  }
  list(cells("", epsilon = 1), cells("rho", rho = 0.5))
}

register(counts_categories = "; private_table() counts categories")
