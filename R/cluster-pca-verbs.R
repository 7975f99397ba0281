# Principal components as text, tables and pictures, rows along them, and the grid for analyses of these rows.

# ---- tables and text -------------------------------------------------------------------------------------------------

axis_names <- function(x) paste0("PC", seq_along(x$sdev))

# The fraction of all variance, as in prcomp(). Noise adds more to the total than to its first parts.
axis_shares <- function(x) x$sdev^2 / max(sum(x$sdev^2), .Machine$double.xmin)

# One row per axis.
#' @exportS3Method
result_table.dptda_private_pca <- function(x) {
  share <- axis_shares(x)
  data.frame(axis = axis_names(x), sdev = x$sdev, noise = x$noise, share = share, cumulative = cumsum(share),
             kept = seq_along(x$sdev) <= ncol(x$rotation))
}

# Warnings for users of the axes.
gap_words <- function(x) {
  if (!is.null(x$doubt)) return(x$doubt)
  rank <- ncol(x$rotation)
  if (rank == length(x$sdev)) return("all axes are kept")
  words <- paste0("gap between PC", rank, " and PC", rank + 1, ": ", format(x$gap[["sdev"]], digits = 3), ", noise ",
                  format(x$gap[["noise"]], digits = 3))
  if (has_gap(x)) return(words)
  paste0("no clear ", words, "; the span of the ", if (rank > 1) "axes" else "axis",
         " may be off by 30 degrees or more")
}

# A plane is off by about the noise divided by the gap: one half is thirty degrees.
has_gap <- function(x) isTRUE(x$gap[["sdev"]] > 2 * x$gap[["noise"]])

# The fraction of all variance along the kept axes, if it is known.
share_words <- function(x) {
  if (!is.null(x$doubt)) return(NULL)
  rest <- x$sdev[-seq_len(ncol(x$rotation))]
  hidden <- length(rest) > 0 && !is.null(x$floor) && all(rest < x$floor)
  paste0("share of the variance ", format_percent(kept_share(x)), if (hidden) " (of the part that noise does not hide)")
}

floor_words <- function(x) {
  if (!is.null(x$floor)) paste0("standard deviations below ", format(x$floor, digits = 3), " may be pure noise")
}

kept_share <- function(x) sum(axis_shares(x)[seq_len(ncol(x$rotation))])

method_words <- function(x) {
  if (is.null(x$radius)) return("from the covariance")
  held <- if (x$held > 0) {
    paste("at least", format_percent(floor(100 * x$held) / 100), "of them")
  } else "possibly none of them"
  paste0("from rows within ", format(x$radius, digits = 4), " (", held, ")")
}

#' @export
print.dptda_private_pca <- function(x, ...) {
  check_valid(x, "dptda_private_pca")
  print_release(x, {
    rank <- ncol(x$rotation)
    cat(rank, " of ", length(x$sdev), if (length(x$sdev) == 1) " axis, " else " axes, ", method_words(x), "\n",
        sep = "")
    shown <- seq_len(min(nrow(x$rotation), 12))
    print(rbind(sdev = x$sdev[seq_len(rank)], x$rotation[shown, , drop = FALSE]), digits = 4)
    if (length(shown) < nrow(x$rotation)) {
      cat("... and ", count_of(nrow(x$rotation) - length(shown), "more column"), "\n", sep = "")
    }
    writeLines(wrap_lines(c(share_words(x), gap_words(x), floor_words(x))))
    if (isTRUE(x$heavy)) {
      writeLines(strwrap(paste("Warning: tails are heavier than normal. Standard deviations are smaller than those",
                               "of prcomp(), perhaps by far."), 80, exdent = 2))
    }
    if (rank < length(x$sdev)) cat("projections onto these axes miss the rest of the variance\n")
  })
}

#' Private principal components: summary, projection, and plot
#'
#' Methods for the result of [private_pca()]: `summary()` returns the fraction of the variance along each axis and its
#' noise, `predict()` projects rows onto the axes, and `plot()` draws the standard deviations.
#'
#' Fractions of the variance are computed as by [stats::prcomp()]: the square of each standard deviation, divided by the
#' sum of all squares. With many columns, noise adds more to this sum than to the first squares, so the first fractions
#' tend to be too small.
#'
#' @param object,x An object of class `dptda_private_pca`.
#' @param newdata Rows with the columns of the release: a matrix, a data frame, or rows in memory ([table_rows()]).
#' @param main,xlab,ylab Strings: the titles. By default, `main` names the release. Use `""` for no title.
#' @param col A color for the standard deviations.
#' @param ... For `plot()`, arguments of [graphics::plot.default()]. Otherwise not used.
#' @return
#' * `predict()`: a matrix with one row per row of `newdata`, its coordinates along the axes. For [table_rows()], rows
#'   in memory of the same people. Each row is projected separately, by released numbers, so releases of the result are
#'   releases of the rows.
#' * `summary()`: an object of class `summary.dptda_private_pca`, a list with the matrix `importance` of
#'   [stats::prcomp()], and the noise.
#' * `as.data.frame()`: a data frame with one row per axis.
#' * `plot()`: the object, invisibly.
#' @seealso [private_pca()], [domain_pca()]
#' @examples
#' X <- matrix(stats::rnorm(20000), ncol = 5) %*% diag(c(3, 2, 0.2, 0.2, 0.2))
#' pca <- private_pca(X, domain_box(rep(-20, 5), rep(20, 5)), rank = 2, rho = 0.1)
#' summary(pca)
#' head(predict(pca, X))
#' plot(pca)
#' @export
summary.dptda_private_pca <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_pca")
  table <- result_table(object)
  importance <- rbind("Standard deviation" = table$sdev, "Proportion of Variance" = table$share,
                      "Cumulative Proportion" = table$cumulative, "Noise of the deviation" = table$noise)
  colnames(importance) <- table$axis
  words <- paste(wrap_lines(c(gap_words(object), floor_words(object))), collapse = "\n")
  new_result(list(importance = importance, rank = ncol(object$rotation), gap = object$gap, words = words,
                  method = object$method, guarantee = privacy(object)), "summary.dptda_private_pca")
}

define_class("summary.dptda_private_pca", "summary()", rank = is_one_number, words = is_one_string,
             importance = function(x) is.matrix(x) && is.double(x) && nrow(x) == 4 && ncol(x) > 0,
             gap = function(x) is.double(x) && length(x) == 2, method = is_one_string,
             guarantee = is_null_or(is_made("dptda_guarantee")))

#' @exportS3Method
result_table.summary.dptda_private_pca <- function(x) {
  made <- as.data.frame(t(x$importance), row.names = seq_len(ncol(x$importance)))
  cbind(axis = colnames(x$importance), stats::setNames(made, c("sdev", "share", "cumulative", "noise")))
}

#' @export
print.summary.dptda_private_pca <- function(x, ...) {
  check_valid(x, "summary.dptda_private_pca")
  shown <- seq_len(min(ncol(x$importance), x$rank + 3))
  cat("Importance of private components:\n")
  print(x$importance[, shown, drop = FALSE], digits = 4)
  if (length(shown) < ncol(x$importance)) cat("... and ", ncol(x$importance) - length(shown), " more\n", sep = "")
  cat(x$words, "\n", sep = "")
  if (!is.null(x$guarantee)) print(x$guarantee)
  invisible(x)
}

# ---- rows along the axes ---------------------------------------------------------------------------------------------

#' @rdname summary.dptda_private_pca
#' @export
predict.dptda_private_pca <- function(object, newdata, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_pca")
  if (missing(newdata)) stop_missing("newdata")
  if (inherits(newdata, "dptda_rows")) return(project_rows(newdata, object))
  columns <- rownames(object$rotation)
  x <- plain_matrix(newdata, length(object$center) == 1, "newdata", columns)
  x <- match_columns(x, columns, "newdata", "the axes")
  if (ncol(x) != length(object$center)) {
    stop_argument("newdata", "must have ", count_of(length(object$center), "column"), ", like the release, ",
                  "not ", ncol(x), ".")
  }
  storage.mode(x) <- "double"
  name_rows(sweep(x, 2, object$center) %*% object$rotation, newdata)
}

# Rows of the same people.
project_rows <- function(rows, pca) {
  rows <- check_point_rows(rows, if (is.null(rows$columns)) NULL else rownames(pca$rotation), NULL,
                           length(pca$center), arg = "newdata")
  if (!inherits(rows, "dptda_memory_rows")) {
    stop_argument("newdata", "must be rows in memory. In a database, write the projection ",
                  "as an expression of `rotation` and `center`.")
  }
  made <- matrix_rows(unname(sweep(rows$data, 2, pca$center)) %*% pca$rotation)
  if (is.null(rows$person)) return(made)
  add_people(made, rows$n, rows$person, rows$take, rows$complete, rows$owner)
}

#' Grid for diagrams of projected rows
#'
#' `domain_pca()` returns a public grid for rows that are projected onto private principal axes. Its size
#' depends on the released standard deviations only. Coordinates are relative to the released center.
#'
#' The box extends `reach` standard deviations to each side of the center along each axis, with `steps` steps along the
#' longest side. For a [private_diagram()] on this grid, try `m0 = 0.03` and `clip = 0.7 * pca$sdev[1]`. These settings
#' were tested on shapes of 20,000 and more rows in ten and fifty columns (`inst/simulations/principal-shapes.R`).
#' `vignette("diagrams", package = "dptda")` reports how often the diagrams were right.
#'
#' The diagram describes the projected rows. If a shape does not fit into the plane of the axes, its projection can have
#' features that the shape does not have, and lack features that it has. The grid and the guarantee of a diagram on it
#' state the fraction of the variance along the axes, and whether there is a gap after the last one.
#'
#' @param x Axes from [private_pca()], at most four.
#' @param reach One positive number: half the side of the box, in standard deviations.
#' @param steps An integer, at least 1: the number of steps along the longest side.
#' @inheritParams private_release
#' @return A grid as from [domain_grid()], with sides named after the axes, and the guarantee of the axes. The ledger of
#'   a diagram on it contains both, and a budget is charged for the diagram only.
#' @examples
#' X <- matrix(stats::rnorm(20000), ncol = 5) %*% diag(c(3, 2, 0.2, 0.2, 0.2))
#' pca <- private_pca(X, domain_box(rep(-20, 5), rep(20, 5)), rank = 2, rho = 0.1)
#' grid <- domain_pca(pca)
#' grid
#' private_diagram(predict(pca, X), grid, epsilon = 1, m0 = 0.03,
#'   clip = 0.7 * pca$sdev[1])
#' @export
domain_pca <- function(x, ..., reach = 2.2, steps = 44) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  check_valid(x, "dptda_private_pca")
  rank <- ncol(x$rotation)
  if (rank > max_grid_dimension) stop_argument("x", "must have at most ", max_grid_dimension, " axes for a grid.")
  reach <- check_number(reach, 0, 1e6, open_lower = TRUE)
  steps <- check_count(steps, 1, 1e6)
  longest <- reach * x$sdev[1]
  if (!(longest > 0)) stop_argument("x", "must have an axis along which the rows vary.")
  by <- 2 * longest / steps
  side <- pmax(reach * x$sdev[seq_len(rank)], by / 2)
  names(side) <- colnames(x$rotation)
  grid <- domain_grid(domain_box(-side, side), by = by)
  grid$origin <- projection_words(x)
  made_of(grid, x)
}

# Warnings for users of a result on the grid.
projection_words <- function(x) {
  where <- paste(", of rows projected on", ncol(x$rotation), "of", length(x$sdev), "private axes")
  if (!is.null(x$doubt)) return(paste0(where, " about which nothing is known"))
  share <- paste0(where, " with ", format_percent(kept_share(x)), " of the variance")
  if (ncol(x$rotation) == length(x$sdev) || has_gap(x)) share else paste0(share, ", no clear gap after the last axis")
}

# ---- pictures --------------------------------------------------------------------------------------------------------

#' @rdname summary.dptda_private_pca
#' @export
plot.dptda_private_pca <- function(x, main = NULL, xlab = "Axis", ylab = "Standard deviation", col = "#0072B2", ...) {
  check_valid(x, "dptda_private_pca")
  place <- seq_along(x$sdev)
  ends <- pca_band(x)
  saved <- open_picture(range(place), c(0, max(ends$upper)), xlab, ylab, xaxt = "n", ...)
  on.exit(graphics::par(saved))
  graphics::axis(1, Filter(function(at) at == round(at), pretty(place)))
  if (!is.null(x$floor)) graphics::abline(h = x$floor, lty = 2, col = "gray50")
  graphics::segments(place, ends$lower, place, ends$upper, col = col)
  graphics::points(place, x$sdev, type = "o", col = col, pch = ifelse(place <= ncol(x$rotation), 19, 1))
  tell_on_picture(pca_picture_words(x), main = picture_title(x, main))
  invisible(x)
}

pca_picture_words <- function(x) {
  if (!is.null(x$doubt)) return(sub(",.*", "", x$doubt)) # what fits
  paste0("filled: kept axes; lines: noise (95%)", if (!is.null(x$floor)) "; dashed: noise alone")
}

# No lines if the noise is unknown.
pca_band <- function(x) {
  half <- if (is.null(x$doubt)) stats::qnorm(0.975) * x$noise else 0
  data.frame(axis = seq_along(x$sdev), sdev = x$sdev, lower = pmax(x$sdev - half, 0), upper = x$sdev + half,
             kept = seq_along(x$sdev) <= ncol(x$rotation))
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_pca <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  floor <- if (!is.null(object$floor)) ggplot2::geom_hline(yintercept = object$floor, linetype = 2, color = "gray50")
  ggplot2::ggplot(pca_band(object), ggplot2::aes(x = .data$axis, y = .data$sdev)) + floor +
    ggplot2::geom_line(color = picture_colors[1]) +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), color = picture_colors[1]) +
    ggplot2::geom_point(ggplot2::aes(shape = .data$kept), color = picture_colors[1], size = 2) +
    ggplot2::scale_shape_manual(values = c("FALSE" = 1, "TRUE" = 19), guide = "none") +
    ggplot2::scale_x_continuous(breaks = function(ends) unique(round(pretty(ends)))) +
    picture_labels(object, pca_picture_words(object), x = "Axis", y = "Standard deviation") + picture_theme()
}
