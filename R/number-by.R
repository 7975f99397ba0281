# Groups of public levels: the columns that rows are grouped by, and the levels that these may have. Counts of groups
# are tables (number-table.R), sums of them are in number-groups.R; proofs are in inst/proofs/number-by.md.

#' Releases by groups: sums and means with their counts
#'
#' Explains how to release counts, sums and means by group under differential privacy: what `by` does in
#' [private_count()], [private_table()], [private_histogram()], [private_sum()] and [private_mean()] (and
#' [private_proportion()]), and reads the sums and means of groups. The levels of groups are public, and the noise does
#' not grow with their number.
#'
#' `by` is a list, named by columns of the table, of the levels that these may have: `by = list(sex = c("f", "m"),
#' school = 1:10)`. The groups are all combinations of the levels, and of one more for each column, `"other"`, for
#' everything else, as in [private_table()]: it is there whether anything else is or not. Levels are compared as there.
#' A table that is grouped by [dplyr::group_by()] is taken if `by` has the levels of the columns that it is grouped by:
#' which levels there are must not be read from the data. `by = list(sex = levels(x$sex))` is your word that they are
#' public.
#'
#' Counts by group are a [private_table()] with one more column for each element of `by`; [private_covariance()] has
#' covariances by group.
#'
#' Of sums and means how many rows a group has is private. So the rows of each group are counted, with noise, and each
#' value is summed as its distance from the middle of the side of the box. A mean is the middle plus the ratio of the
#' two, brought into the box; where the noisy count is below what a row counts, it is taken for that. It is a number
#' whatever the noise is, within its interval, and where the noise hides a group that is the whole side. A sum is the
#' noisy sum of distances plus the noisy count times the middle. The same is done, in one group, where values are left
#' out
#' (`missing = "omit"` in [table_rows()]) and where some people may have no row (`people` there).
#'
#' The noise of the sums of distances is that of [private_sum()] without groups by `rho`, and the counts are free. By
#' `epsilon` a part of it, `1 / (1 + (3 * d^2)^(1/3))` for d columns, goes to the counts, so that the noise of the sums
#' is 1.69 times that without groups for one column, and less for more of them.
#'
#' Where rows are of people ([table_rows()]) who have rows in several groups, a person counts in each with the share of
#' the rows that are there, and the mean of a group weighs people by it.
#'
#' @param x,object An object of class `dptda_private_groups`.
#' @param level One number in (0, 1): the probability with which the noise alone leaves what was computed from the data
#'   in the interval, for each value by itself.
#' @param parm Not used: all values get an interval.
#' @param column One whole number or string: which column is shown, where there are several.
#' @param main,xlab,ylab Strings: the titles.
#' @param col Color of points and lines.
#' @param ... For `plot()`, graphical parameters of the frame; else must be empty.
#'
#' @return Sums and means by group are an object of class `dptda_private_groups`: a data frame with one line for each
#'   group and column. It has the columns of `by`, factors of levels; `column`, the name of what was summed, where there
#'   are several; `count`, the noisy number of rows, which may be negative; `value`, the sum or the mean; `lower` and
#'   `upper`, the ends of an interval of level 0.95. `confint()` gives intervals of other levels. Those of means hold at
#'   least with the level that is stated, whatever the count is. `round()` and `signif()` round its numbers, the
#'   ends of intervals as well, of which `confint()` has all digits; `summary()` has the table and the guarantee.
#'   `plot()` returns its argument invisibly.
#'   The guarantee ([privacy()]) is that of the whole, and is lost when lines are taken out or changed.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Relation: replace one. The proof is in
#' `system.file("proofs", "number-by.md", package = "dptda")`.
#' @seealso [private_mean()], [private_table()], [table_rows()]
#' @examples
#' pupils <- data.frame(school = rep(1:3, 200), sex = rep(c("f", "m"), each = 300),
#'                      points = rep(c(40, 55, 70, 60), 150))
#' by_school <- private_mean(pupils, c(0, 100), epsilon = 1, columns = "points",
#'                           by = list(school = 1:3))
#' by_school
#' plot(by_school)
#' private_count(transform(pupils, good = points > 50), columns = "good",
#'               by = list(sex = c("f", "m")), epsilon = 1)
#' @name private_groups
#' @aliases by
NULL

# ---- levels and rows ---------------------------------------------------------------------------------------------

# Axes of the columns of groups, named by them; NULL without groups. `columns`: those that are looked at beside them.
by_axes <- function(by, columns = NULL) {
  if (is.null(by)) return(NULL)
  if (!is.list(by) || is.object(by) || !length(by) || !are_names(names(by))) {
    stop_argument("by", "must be NULL or a list, named by columns, of the public levels that each may have, as ",
                  "list(sex = c(\"f\", \"m\")), not ", describe(by), ".")
  }
  twice <- intersect(names(by), columns)
  if (length(twice)) stop_argument("by", "must be of other columns than `columns`; both have ", quote_names(twice), ".")
  # before millions of levels are compared
  check_table_size(cell_table(lapply(lengths(by) + 1, function(size) list(size = size))), "by")
  Map(function(levels, name) {
    arg <- paste0("by$", name)
    level_axis(check_cell_levels(levels, arg), arg)
  }, by, names(by))
}

# The columns of rows beside those of groups.
summed_columns <- function(rows, by) if (is.null(by)) rows$columns else setdiff(rows$columns, names(by))

# Names of columns of unseen rows, beside those of groups: one for each side of the box, or one.
unread_columns <- function(columns, box, by) {
  columns <- check_public_columns(columns, box)
  by_axes(by, columns)
  columns
}

unread_column <- function(columns, by = NULL) {
  if (is.null(columns)) return(NULL)
  if (length(check_column_names(columns, "columns")) != 1) {
    stop_argument("columns", "must be the name of one column, not of ", length(columns), ": ", quote_names(columns),
                  ".")
  }
  by_axes(by, columns)
  columns
}

# The table without the groups of dplyr::group_by(), whose levels `by` has.
ungrouped_by <- function(x, by, arg) {
  if (inherits(x, "rowwise_df")) refuse_groups(x, arg)
  lazy <- inherits(x, "tbl_lazy")
  if (!lazy && !inherits(x, "grouped_df")) return(x)
  if (lazy) require_database_packages()
  groups <- if (lazy) as.character(dplyr::group_vars(x)) else setdiff(names(attr(x, "groups", exact = TRUE)), ".rows")
  if (!length(groups)) return(x)
  if (!is.null(by) && setequal(names(by), groups)) return(if (lazy) dplyr::ungroup(x) else drop_groups(x))
  stop_argument(arg, "is grouped by ", quote_names(groups), ", and ",
                if (is.null(by)) "which groups there may be is not read from the data"
                else c("`by` is of ", quote_names(names(by))),
                ": `by = list(", paste(groups, "= ...", collapse = ", "), ")` gives their public levels, and ",
                "dplyr::ungroup() the table without groups.")
}

drop_groups <- function(x) {
  attr(x, "groups") <- NULL
  class(x) <- setdiff(class(x), "grouped_df")
  x
}

# Rows whose columns are `columns`, by name, and then those of groups.
check_by_rows <- function(x, columns, by, arg = deparse1(substitute(x))) {
  force(arg)
  if (is.matrix(x) && are_names(colnames(x))) x <- as.data.frame(x)
  if (!is_table(x)) {
    stop_argument("by", "is of columns of a table, and `", arg, "` is none, but ", describe_data(x),
                  "; data.frame() makes one of it and of the groups.")
  }
  x <- ungrouped_by(x, by, arg)
  if (is.null(columns) && inherits(x, "dptda_rows")) columns <- setdiff(x$columns, names(by))
  check_by_names(x, by, arg)
  check_rows(x, if (length(columns)) c(columns, names(by)), arg, omit = TRUE)
}

check_by_names <- function(x, by, arg) {
  known <- table_columns(x)
  absent <- setdiff(names(by), known)
  if (length(absent) && length(known)) {
    stop_argument("by", "must be named by columns of `", arg, "`, which has no ", quote_names(absent), "; there are ",
                  quote_names(known), if (inherits(x, "dptda_rows"))
                    "; `columns` of table_rows() chose these, and must name the columns of groups, too", ".")
  }
}

# The columns of groups, which come last, as their levels are read (base-dates.R). `first`: how those before are.
group_rows <- function(rows, axes, first = NA_character_) {
  rows <- class_rows(rows, c(first, vapply(axes, axis_class, "")))
  check_table(cell_table(axes, length(first) + seq_along(axes)), rows)
  rows
}

check_cell_levels <- function(levels, arg = deparse1(substitute(levels))) {
  good <- is_cell_vector(levels)
  if (good && is.factor(levels)) levels <- levels(levels)[factor_codes(levels)]
  if (good && inherits(levels, "integer64")) levels <- class_numbers(levels)
  if (good) {
    keys <- level_names(if (is.object(levels)) class_numbers(levels) else levels)
    good <- !anyNA(keys) && !anyDuplicated(keys)
  }
  if (!good) {
    stop_argument(arg,
                  "must be a plain vector of different numbers, strings, logical values or dates, none of them ",
                  "missing, or a factor: what may occur, each once, not ", describe_data(levels),
                  if (is_cell_vector(levels)) c(" with ", if (anyNA(levels)) "missing" else "repeated", " values"), ".")
  }
  levels
}

# What can be counted by its value.
is_cell_vector <- function(x) {
  is.null(dim(x)) && (value_type(x) %in% c("number", "text", "logical") || is.object(x) && !is.null(value_class(x)))
}

# Of dates the numbers are compared, and the cells are named by the dates.
level_axis <- function(levels, arg) {
  class <- value_class(levels)
  if (is.null(class) || class == "number") return(axis_levels(levels))
  number <- class_numbers(levels, class)
  labels <- class_labels(number, class)
  if (anyDuplicated(labels)) stop_argument(arg, "must be different as they are printed, as two of them are not.")
  axis <- axis_levels(number)
  axis$names <- union(labels, axis$other)
  axis$class <- class
  axis
}

axis_class <- function(axis) {
  if (!is.null(axis$class)) axis$class else if (is.null(axis$levels)) "number" else NA_character_
}
