# Public groups: the columns that rows are grouped by, and their levels. Counts of groups are tables (number-table.R),
# and their sums are in number-groups.R. Proofs are in inst/proofs/number-by.md.

#' Releases by group
#'
#' Releases one result per group under differential privacy, with the argument `by` of [private_count()],
#' [private_proportion()], [private_table()], [private_histogram()], [private_sum()], [private_mean()], and
#' [private_quantile()]. You supply the levels of the groups. The noise does not grow with their number. This page also
#' documents the class of sums, means, and quantiles by group.
#'
#' @details
#' # Groups and levels
#' `by` is a list of levels, named by columns of the table: `by = list(sex = c("f", "m"), school = 1:10)`. The groups
#' are all combinations of these levels. Each column has one more level, `"other"`, for all other values. It is always
#' present. Levels are compared as in [private_table()].
#'
#' Levels must not be read from the data. With `by = list(sex = levels(x$sex))`, you declare that these levels are
#' public. A table grouped by [dplyr::group_by()] is accepted if `by` has the levels of its grouping columns.
#'
#' A budget is charged for each release of a single group, such as `x[x$sex == "f", ]`. If two calls with a budget
#' select groups of one table by such a condition, a message of class `dptda_message_groups` recommends `by`.
#'
#' Counts by group are a [private_table()] with one more column for each element of `by`. [private_covariance()]
#' releases covariances by group.
#'
#' # Sums and means by group
#' For sums and means, the number of rows in a group is private. It is therefore released too, with noise, as the count
#' of the group. Each value is summed as its distance from the middle of its side of the box. A mean is the middle plus
#' the ratio of noisy sum and noisy count, moved into the box. A noisy
#' count below the smallest weight of a row (one without `person`) is replaced by that weight. If
#' the noise hides a group, the interval of its mean is the whole side of the box. A sum is the noisy sum of distances
#' plus the noisy count times the middle.
#'
#' The same is done, in one group, if missing values are dropped (`missing = "omit"` in [table_rows()]) or if some
#' people may have no row (`people` in [table_rows()]).
#'
#' # Noise
#' With `rho`, the sums of distances have the same noise as ungrouped [private_sum()]; releasing the group counts as
#' well does not increase it. With `epsilon`, the counts get a fraction `1 / (1 + (3 * d^2)^(1/3))` of it, for d
#' columns. The sums of one column then have 1.69 times the noise of ungrouped sums, and less for more columns.
#'
#' If people have rows in several groups ([table_rows()]), a person counts in each group with the fraction of that
#' person's rows in it. The mean of a group gives people these weights.
#'
#' @param x,object An object of class `dptda_private_groups`.
#' @param level One number in (0, 1): the probability of each interval.
#' @param of `"data"` or `"population"`: the target of the intervals, as for [private_value].
#' @param parm Not used: all values get an interval.
#' @param column One integer or string: the column, or the quantile, to plot, if there are several.
#' @param main,xlab,ylab Strings: the titles.
#' @param col Color of points and lines.
#' @param ... For `plot()`, graphical parameters of the frame. Otherwise unused.
#'
#' @return Sums, means, and quantiles by group are an object of class `dptda_private_groups`: a data frame with one row
#' for each group and column, or quantile. Its columns are:
#'
#' * the columns of `by`, as factors;
#' * `column`, the name of the summed column, or `name`, such as `"25%"` for a quantile, if there are several;
#' * `count`, the noisy number of rows, which may be negative;
#' * `value`, the sum, the mean, or the quantile;
#' * `lower` and `upper`, the ends of an interval of level 0.95 for the data. Quantiles have none, because noise moves
#'   their ranks, but `confint(of = "population")` has intervals of quantiles that were drawn with `interval`;
#' * `sd`, for means: the standard deviation of rows (or of people's means) in the group, or 0 if noise hides it.
#'
#' `confint()` returns intervals of other levels. Intervals of means have at least the stated level, regardless of the
#' count. `round()` and `signif()` round all numbers, including `lower` and `upper`; `confint()` keeps all digits.
#' `summary()` has the table and the guarantee. `plot()` returns its argument invisibly. The guarantee ([privacy()]) is
#' for the whole table and is lost if rows are removed or changed.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: for counts, see [private_count()]. For sums and means, let w_j be the number of lattice steps of side j.
#' Values are summed as distances from the middle of the side, in half steps, so each is at most w_j in absolute value.
#' If a replaced row changes its group, two counts change by 1, and in column j the sums of two groups change by at most
#' w_j each. Otherwise the sum of one group changes by at most `2 * w_j`.
#'
#' Guarantee: that of the same release without groups. The proof is in `system.file("proofs", "number-by.md", package =
#' "dptda")`, and for quantiles in `number-quantile.md`.
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
#' @order 1
#' @aliases by
NULL

# ---- levels and rows ---------------------------------------------------------------------------------------------

# Returns the axes of the grouping columns, by name, or NULL without groups. `columns`: the other columns in use.
by_axes <- function(by, columns = NULL) {
  if (is.null(by)) return(NULL)
  if (!is.list(by) || is.object(by) || !length(by) || !are_names(names(by))) {
    stop_argument("by", "must be NULL or a list of public levels, named by column, such as ",
                  "list(sex = c(\"f\", \"m\")), not ", describe(by), ".")
  }
  twice <- intersect(names(by), columns)
  if (length(twice)) stop_argument("by", "must name other columns than `columns`. Both name ", quote_names(twice), ".")
  # checks the size before millions of levels are compared
  check_table_size(cell_table(lapply(lengths(by) + 1, function(size) list(size = size))), "by")
  Map(function(levels, name) {
    arg <- paste0("by$", name)
    level_axis(check_cell_levels(levels, arg), arg)
  }, by, names(by))
}

# Returns the columns of rows without the grouping columns.
summed_columns <- function(rows, by) if (is.null(by)) rows$columns else setdiff(rows$columns, names(by))

# Returns the columns of unseen rows besides groups: one for each side of the box, or one (unread_column()).
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

# Removes the groups of dplyr::group_by() from a table, if `by` has the same columns.
ungrouped_by <- function(x, by, arg) {
  if (inherits(x, "rowwise_df")) refuse_groups(x, arg)
  lazy <- inherits(x, "tbl_lazy")
  if (!lazy && !inherits(x, "grouped_df")) return(x)
  if (lazy) require_database_packages()
  groups <- if (lazy) as.character(dplyr::group_vars(x)) else setdiff(names(attr(x, "groups", exact = TRUE)), ".rows")
  if (!length(groups)) return(x)
  if (!is.null(by) && setequal(names(by), groups)) return(if (lazy) dplyr::ungroup(x) else drop_groups(x))
  stop_argument(arg, "is grouped by ", quote_names(groups), ", but ",
                if (is.null(by)) "its groups are not read from the data"
                else c("`by` names ", quote_names(names(by))),
                ". Give their public levels, `by = list(", paste(groups, "= ...", collapse = ", "), ")`, or use ",
                "dplyr::ungroup().")
}

drop_groups <- function(x) {
  attr(x, "groups") <- NULL
  class(x) <- setdiff(class(x), "grouped_df")
  x
}

# Returns rows with the columns `columns`, by name, followed by the grouping columns.
check_by_rows <- function(x, columns, by, arg = deparse1(substitute(x))) {
  force(arg)
  if (is.matrix(x) && are_names(colnames(x))) x <- as.data.frame(x)
  if (!is_table(x)) {
    stop_argument("by", "needs a table, but `", arg, "` is ", describe_data(x),
                  ". Combine it with the groups using data.frame().")
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
    stop_argument("by", "must be named by columns of `", arg, "`, which has no ", quote_names(absent),
                  ". Its columns are ", quote_names(known), if (inherits(x, "dptda_rows"))
                    ". `columns` of table_rows() must also name the columns of groups", ".")
  }
}

# Reads the grouping columns, which come last, by the classes of their levels (base-dates.R). `first`: other classes.
group_rows <- function(rows, axes, first = NA_character_) {
  rows <- class_rows(rows, c(first, vapply(axes, axis_class, "")))
  check_table(cell_table(axes, length(first) + seq_along(axes)), rows)
  rows
}

# The same behind `d` columns of numbers. `classes`: theirs, or NULL.
group_number_rows <- function(rows, axes, d, classes) {
  rows <- group_rows(rows, axes, if (is.null(classes)) rep("number", d) else unname(classes))
  for (place in seq_len(d)) check_type(rows$types[place], "number", column_arg(rows, place))
  rows$types[seq_len(d)][rows$types[seq_len(d)] == "unknown"] <- "number" # a database may not report the type
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
                  "must be a factor or a plain vector of different numbers, strings, logical values, or dates, ",
                  "without missing values, not ", describe_data(levels),
                  if (is_cell_vector(levels)) c(" with ", if (anyNA(levels)) "missing" else "repeated", " values"), ".")
  }
  levels
}

# Returns whether a vector can be counted by its values.
is_cell_vector <- function(x) {
  is.null(dim(x)) && (value_type(x) %in% c("number", "text", "logical") || is.object(x) && !is.null(value_class(x)))
}

# Makes an axis of levels. Dates are compared by their numbers, and their cells have the dates as names.
level_axis <- function(levels, arg) {
  class <- value_class(levels)
  if (is.null(class) || class == "number") return(axis_levels(levels))
  number <- class_numbers(levels, class)
  labels <- class_labels(number, class)
  if (anyDuplicated(labels)) stop_argument(arg, "must print differently, but two of its levels print alike.")
  axis <- axis_levels(number)
  axis$names <- union(labels, axis$other)
  axis$class <- class
  axis
}

axis_class <- function(axis) {
  if (!is.null(axis$class)) axis$class else if (is.null(axis$levels)) "number" else NA_character_
}
