# Pictures of a private covariance: its correlations, marked if noise alone may explain them.

#' Private covariances: plot and tables
#'
#' Draws and tabulates the release of [private_covariance()].
#'
#' `plot()` draws the correlations. It shows a correlation in gray if noise alone may explain it, that is, if 0 lies in
#' the 95% interval of the covariance. With groups, there is one panel per group, for at most 12 groups.
#'
#' @param x An object of class `dptda_private_covariance` or, with groups, `dptda_private_covariances`.
#' @param main A string: the title. By default, the name of the release. Use `""` for no title.
#' @param ... For `plot()`, graphical parameters of the frame ([graphics::plot.default()]). Otherwise not used.
#' @return `plot()` returns `x`, invisibly. `as.matrix()` returns `cov`. `as.data.frame()` has one row per pair of
#'   columns (and group): `cov`, `cor`, and the `noise` of `cov`. `summary()` has one row per column: `mean`, `sd`, the
#'   `noise` of `sd`, and correlations. With groups, it has one row per group: means and standard deviations.
#' @seealso [private_covariance()]
#' @examples
#' X <- matrix(stats::rnorm(6000), ncol = 3) %*% (diag(3) + 0.5)
#' release <- private_covariance(X, domain_box(rep(-10, 3), rep(10, 3)), rho = 0.1)
#' plot(release)
#' summary(release)
#' @export
plot.dptda_private_covariance <- function(x, main = NULL, ...) {
  check_valid(x, "dptda_private_covariance")
  plot_correlations(x, correlation_cells(x), main, ...)
}

# Draws the one picture of a release.
plot_correlations <- function(x, cells, main, ...) {
  saved <- graphics::par(mar = c(2.1, 1, 2.6, 1))
  on.exit(graphics::par(saved))
  tell_on_side(draw_correlations(cells, picture_title(x, main), ...))
  invisible(x)
}

# Draws correlations and returns the caption. Names above the cells are upright if one is wider than a cell.
draw_correlations <- function(cells, main, ...) {
  D <- nlevels(cells$first)
  names <- as.character(unique(cells$first))
  saved <- graphics::par("mar")
  on.exit(graphics::par(mar = saved))
  graphics::plot.new()
  line <- graphics::par("cin")[2] * graphics::par("cex") * graphics::par("mex")
  # names as high as a line of a matrix that fills the figure, without them
  small <- min(1, 0.8 * min(graphics::par("fin")) / (D + 4) / max(graphics::strheight(names, "inches")))
  wide <- max(graphics::strwidth(names, "inches", cex = small * graphics::par("cex.axis"))) / line + 0.6
  upright <- wide * line > min(graphics::par("pin")) / D
  room <- pmin(c(wide, if (upright) wide else 1.2), 0.4 * graphics::par("fin") / line)
  graphics::par(mar = saved + c(0, room[1], room[2], 0), new = TRUE)
  graphics::plot(c(0.5, D + 0.5), c(0.5, D + 0.5), type = "n", axes = FALSE, asp = 1, xlab = "", ylab = "", ...)
  row <- D + 1 - as.integer(cells$second)
  place <- as.integer(cells$first)
  graphics::rect(place - 0.5, row - 0.5, place + 0.5, row + 0.5, col = correlation_colors(cells$shade),
                 border = "white")
  if (D <= most_written_columns) {
    # "-0.67", "-.67" or "-.7", the first that can be read
    fits <- function(labels) 0.9 / max(graphics::strwidth(labels), graphics::strheight(labels) * 1.2)
    short <- sub("0.", ".", cells$label, fixed = TRUE)
    rough <- sub("^-?0[.]0$", "0", sub("1.0", "1", formatC(cells$cor, digits = 1, format = "f"), fixed = TRUE))
    rough <- sub("^(-?)0[.]", "\\1.", rough)
    labels <- if (fits(cells$label) >= 0.75) cells$label else if (fits(short) >= 0.5) short else rough
    graphics::text(place, row, labels, col = label_colors(cells), cex = min(1, fits(labels)))
  }
  graphics::axis(2, D:1, names, tick = FALSE, las = 1, pos = 0.5, mgp = c(3, 0.4, 0), cex.axis = small)
  graphics::axis(3, seq_len(D), names, tick = FALSE, pos = D + 0.5, mgp = c(3, 0.4, 0), las = if (upright) 2 else 1,
                 gap.axis = -1, cex.axis = small)
  graphics::title(main = main, line = room[2] + 0.6)
  correlation_words(cells, D)
}

# Draws one picture per group, and leaves out those beyond a page.
#' @rdname plot.dptda_private_covariance
#' @export
plot.dptda_private_covariances <- function(x, ...) {
  check_valid(x, "dptda_private_covariances")
  shown <- utils::head(names(x), 12)
  old <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)), mar = c(0.5, 1, 1.8, 0.5),
                       oma = c(1.5, 0, 0, 0))
  on.exit(graphics::par(old))
  words <- vapply(shown, function(group) draw_correlations(correlation_cells(x[[group]]), group, ...), "")
  tell_on_side(words[which.max(nchar(words))], outer = TRUE)
  invisible(x)
}

most_written_columns <- 12

# All pairs of columns, both ways. `noisy`: 0 is within the covariance's noise (95%).
correlation_cells <- function(x) {
  scale <- sqrt(diag(x$cov))
  noisy <- abs(x$cov) < stats::qnorm(0.975) * x$noise
  diag(noisy) <- FALSE
  cells_of_pairs(x$cov / tcrossprod(scale), noisy, covariance_columns(x))
}

# A row for each entry of a matrix of correlations. `shade`: the color, pale if `noisy`.
cells_of_pairs <- function(cor, noisy, names) {
  cor <- as.vector(pmin(pmax(cor, -1), 1)) # rounding goes beyond
  noisy <- as.vector(noisy)
  places <- expand.grid(first = seq_along(names), second = seq_along(names))
  data.frame(lapply(places, function(place) factor(names[place], unique(names))), cor = cor, noisy = noisy,
             shade = ifelse(noisy, cor / 4, cor), label = formatC(cor, digits = 2, format = "f"))
}

covariance_columns <- function(x) {
  if (is.null(colnames(x$cov))) paste0("x", seq_along(x$center)) else colnames(x$cov)
}

correlation_words <- function(cells, D) {
  if (any(cells$noisy) && D <= most_written_columns) "correlations; in gray if noise alone may explain them (95%)"
  else "correlations"
}

label_colors <- function(cells) ifelse(cells$noisy, "gray50", ifelse(abs(cells$cor) > 0.8, "white", "black"))

# Orange below zero, white at it, blue above.
correlation_colors <- function(cor) {
  shades <- grDevices::colorRamp(c(picture_colors[2], "white", picture_colors[1]))(0.5 + 0.5 * pmin(pmax(cor, -1), 1))
  grDevices::rgb(shades, maxColorValue = 255)
}

tell_on_side <- function(words, ...) graphics::mtext(words, 1, 0.25, adj = 1, cex = 0.8, col = "gray25", ...)

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_covariance <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  correlation_tiles(object, correlation_cells(object))
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_covariances <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  groups <- names(object)
  cells <- lapply(groups, function(k) cbind(correlation_cells(object[[k]]), group = factor(k, groups)))
  correlation_tiles(object, do.call(rbind, cells)) + ggplot2::facet_wrap("group")
}

correlation_tiles <- function(x, cells) {
  D <- nlevels(cells$first)
  picture <- ggplot2::ggplot(cells, ggplot2::aes(x = .data$first, y = .data$second, fill = .data$shade)) +
    ggplot2::geom_tile(color = "white") + ggplot2::scale_y_discrete(limits = rev) + ggplot2::coord_equal() +
    ggplot2::scale_fill_gradient2(low = picture_colors[2], high = picture_colors[1], limits = c(-1, 1),
                                  name = "Correlation") +
    picture_labels(x, correlation_words(cells, D), x = NULL, y = NULL) + picture_theme() +
    upright_where_long(levels(cells$first))
  if (D > most_written_columns) return(picture)
  cells$ink <- label_colors(cells)
  picture + ggplot2::geom_text(ggplot2::aes(label = .data$label, color = I(.data$ink)), cells, check_overlap = TRUE)
}
