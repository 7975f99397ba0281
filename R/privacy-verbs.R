# Methods of the class that all results share (new_result()). Printed output is available as text. Tables become data
# frames, tibbles, and results of tidy() and glance() (package generics). A class defines print(), and as.data.frame()
# or result_table(). It inherits all other methods from here.

# Returns the classes that have a method in this package.
method_classes <- function(generic) {
  names <- ls(topenv(), pattern = paste0("^", gsub(".", "[.]", generic, fixed = TRUE), "[.]"))
  setdiff(substring(names, nchar(generic) + 2), "default")
}

#' Results as tables: tidy(), glance(), augment(), as.data.frame()
#'
#' Reads any result of this package: fields with `$` and `[[`, text with `format()`, and tables with `as.data.frame()`.
#' If the package generics (or a package that re-exports its verbs) is attached, `tidy()`, `glance()`, and `augment()`
#' work too.
#'
#' A field that does not exist is an error of class `dptda_error_argument`, which names the class and its fields. Names
#' are never completed, and `$` treats columns of a diagram in the same way.
#'
#' Fields have the names that R and its packages use if the meaning is the same: `cov`, `center`, and `n.obs` as in
#' [stats::cov.wt()], `centers` and `size` as in [stats::kmeans()]. Mixtures have `weights`, `means`, and `covariances`
#' instead of mclust's names. mclust nests its fields two lists deep (`parameters$pro`, `parameters$variance$sigma`) and
#' transposes the means (`parameters$mean` has one column per component).
#'
#' For a release, these verbs use the release alone, so their results are as private as the release. `augment()` returns
#' the rows that you pass to it, with labels. Its result is as private as these rows.
#'
#' @section Verbs:
#' \describe{
#'   \item{`format()`}{A character vector with the lines that `print()` prints. Exceptions: private numbers return each
#'     number as text, and a diagram returns its first line.}
#'   \item{`as.data.frame()`, `tibble::as_tibble()`}{The result as a table: one row for each number, center, component,
#'     point, side of a box, step, or edge.}
#'   \item{`tidy()`}{The same, as a tibble if the package tibble is installed. For private numbers, the columns are
#'     `term`, `estimate`, `noise.sd` (the standard deviation of the noise), `data.low`, and `data.high` (the interval
#'     of level 0.95 for the data). If there is an interval for the population ([private_value]), `std.error`,
#'     `conf.low`, and `conf.high` follow. `std.error` is half of its width, divided by 1.96.}
#'   \item{`glance()`}{One row: the type of the result, its fields with a single value, and its guarantee's parameters,
#'     mechanism, unit, relation, name of a person (`person`), and source of random numbers.}
#'   \item{`augment(x, data)`}{For mixtures, k-means, and clusters: the rows of `data` with their cluster in the column
#'     `.cluster`, a factor. For merged mixtures, `k` sets the number of clusters.}
#'   \item{`coef()`, `vcov()`}{For private counts, proportions, histograms, sums, and means: the released numbers, and
#'     the covariance of their independent noise. Sampling error is not included.}
#'   \item{`ggplot2::autoplot()`}{A ggplot for each result that has a `plot()` method.}
#' }
#' @examples
#' box <- domain_box(c(height = 1, weight = 20), c(2.5, 200))
#' people <- data.frame(height = c(1.6, 1.8), weight = c(55, 80))
#' release <- private_mean(people, box, epsilon = 10)
#' coef(release)
#' vcov(release)
#' as.data.frame(release)
#' try(release$nosie)
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' generics::tidy(release)
#' generics::glance(release)
#' @name verbs
NULL

# ---- text ------------------------------------------------------------------------------------------------------------

#' @export
format.dptda_result <- function(x, ...) utils::capture.output(print(x, ...))

# Returns the label in a cell of a tibble: "mixture", "private kmeans". A diagram remains a data frame there.
#' @exportS3Method pillar::type_sum
type_sum.dptda_result <- function(x, ...) if (inherits(x, "dptda_diagram")) NextMethod() else release_title(x)

#' @exportS3Method pillar::obj_sum
obj_sum.dptda_result <- type_sum.dptda_result

# ---- tables ----------------------------------------------------------------------------------------------------------

# Returns the data frame of a result that has been validated.
result_table <- function(x) UseMethod("result_table")

#' @exportS3Method
result_table.default <- function(x) as.data.frame.default(x)

#' @export
as.data.frame.dptda_result <- function(x, row.names = NULL, optional = FALSE, ...) {
  if (is.data.frame(x)) return(NextMethod())
  check_frame_dots(...)
  as.data.frame(result_table(check_result(x)), row.names = row.names, optional = optional)
}

#' @exportS3Method tibble::as_tibble
as_tibble.dptda_result <- function(x, ...) {
  frame <- as.data.frame(x)
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame, ...) else frame
}

# Returns the table for tidy(), which may have other columns.
tidy_table <- function(x) UseMethod("tidy_table")

#' @exportS3Method
tidy_table.default <- function(x) as.data.frame(x)

#' @exportS3Method generics::tidy
tidy.dptda_result <- function(x, ...) {
  check_no_dots(...)
  as_tidy(tidy_table(x))
}

as_tidy <- function(frame) {
  rownames(frame) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

#' @exportS3Method generics::glance
glance.dptda_result <- function(x, ...) {
  check_no_dots(...)
  check_result(x)
  guarantee <- if (inherits(x, "dptda_guarantee")) x else value_or(privacy(x), NULL)
  parts <- c(list(result = release_title(x)), single_fields(x), guarantee_fields(guarantee))
  as_tidy(as.data.frame(parts[!duplicated(names(parts))], stringsAsFactors = FALSE))
}

# Returns the fields that are one number, logical value, or string.
single_fields <- function(x) {
  if (!is.list(x) || is.data.frame(x)) return(list(values = NROW(unclass(x))))
  fields <- unclass(x)[nzchar(names(unclass(x)))]
  Filter(function(field) is.atomic(field) && !is.object(field) && length(field) == 1 && !is.raw(field), fields)
}

# Returns the plain fields of a guarantee that glance() shows.
guarantee_fields <- function(guarantee) {
  if (is.null(guarantee)) return(NULL)
  n <- guarantee$public$n
  c(as.list(guarantee$measure), guarantee[c("mechanism", "unit", "relation")],
    if (!is.null(guarantee$person)) list(person = guarantee$person), if (is_one_number(n)) list(n = n),
    list(random = guarantee$random))
}

# ---- rows with labels ------------------------------------------------------------------------------------------------

# Returns the names of rows, except the automatic row numbers of a data frame.
row_labels <- function(x) {
  if (is.data.frame(x)) return(if (.row_names_info(x) > 0) row.names(x))
  if (is.matrix(x)) rownames(x) else names(x)
}

# Names the elements of a vector, or the rows of a matrix, after the rows of `x`.
name_rows <- function(made, x) {
  names <- row_labels(x)
  if (is.null(names)) return(made)
  if (is.matrix(made)) rownames(made) <- names else names(made) <- names
  made
}

add_clusters <- function(data, label, clusters) {
  frame <- if (is.null(dim(data))) data.frame(x = data) else as.data.frame(data)
  frame$.cluster <- factor(unname(label), seq_len(clusters))
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(frame) else frame
}

# Returns the line above a picture that names its columns, if it shows some of many.
tell_columns <- function(shown, names) {
  if (length(shown) == length(names)) return(NULL)
  paste0("columns ", paste(names[shown], collapse = ", "), " of ", length(names), "; `columns = ` shows others")
}

# ---- guarantees and mechanisms ---------------------------------------------------------------------------------------

#' @exportS3Method
result_table.dptda_guarantee <- function(x) x$ledger

#' @exportS3Method
result_table.dptda_mechanism <- function(x) noise_of(x$plan)

# Returns one row for each value of each run, if results are tables.
#' @exportS3Method
result_table.dptda_simulation <- function(x) {
  tables <- lapply(seq_along(x), function(run) {
    one <- as.data.frame(x[[run]])
    if (nrow(one)) cbind(run = run, one)
  })
  found <- do.call(rbind, tables)
  if (is.null(found)) data.frame(run = integer()) else found
}

#' @exportS3Method
result_table.dptda_method <- function(x) {
  data.frame(setting = as.character(names(unclass(x))), value = vapply(unclass(x), deparse1, "", USE.NAMES = FALSE))
}

# ---- pictures --------------------------------------------------------------------------------------------------------

# Draws the base picture of an answer (draw_curve()) with ggplot2.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_answer <- function(object, ...) {
  check_no_dots(...)
  curve <- answer_curve(check_result(object, "object"))
  frame <- data.frame(x = curve$x, y = curve$y)
  picture <- ggplot2::ggplot(frame, ggplot2::aes(x = .data$x, y = .data$y)) +
    ggplot2::geom_line(color = picture_colors[1], na.rm = TRUE) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) + ggplot2::labs(x = curve$xlab, y = curve$ylab, subtitle = curve$told) +
    picture_theme()
  more <- list(dashed = curve$second, dotted = curve$third)
  for (type in names(more)[lengths(more) > 0]) {
    frame$y <- more[[type]]
    picture <- picture + ggplot2::geom_line(data = frame, linetype = type, na.rm = TRUE)
  }
  if (identical(curve$log, "x")) picture <- picture + ggplot2::scale_x_log10()
  if (!is.null(curve$level)) picture <- picture + ggplot2::geom_hline(yintercept = curve$level, linetype = 3)
  if (!all(is.finite(curve$at))) return(picture)
  picture + ggplot2::geom_point(data = data.frame(x = curve$at[1], y = curve$at[2]), size = 2.5)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_privacy_curve <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  ggplot2::ggplot(as.data.frame(object), ggplot2::aes(x = .data$epsilon, y = .data$delta)) +
    ggplot2::geom_line(color = picture_colors[1]) + ggplot2::labs(x = expression(epsilon), y = expression(delta)) +
    picture_theme()
}
