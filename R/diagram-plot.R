# Pictures of a diagram, in base graphics and in ggplot2. Both draw the same marks: diagram_marks() chooses the rows,
# colors, and symbols, and diagram_limits() the square around them.

# Fractions of the plot's height: from the frame to the line of infinite points, and from the frame to the finite
# points.
essential_inset <- 0.035
essential_gap <- 0.075

#' Plot a persistence diagram or barcode
#'
#' Plots a persistence diagram, a barcode, or the points rotated by 45 degrees. Classes that never die are always shown,
#' on a dashed line marked with the infinity sign. The argument names are those of `TDA::plot.diagram()`.
#'
#' @details
#' # Reading the plot of a release
#' The plot of a release of [private_diagram()] shows its noise:
#'
#' * The title gives a lower confidence bound on the number of features ([feature_evidence()], 95%).
#' * Squares contain a true point (95% for all squares at once, unless there are more features than were counted). For
#'   the precise statement, see *Where the features are* in [feature_evidence()]. In a barcode, dark lines instead show
#'   the range of both ends of the true bar.
#' * Pale points have no square: the location of a feature is not known, even if the point was counted.
#' * Points in the shaded band may be noise. If dimensions have different bands, the lower one is darker.
#' * Features above the dotted line would have been detected (95%), in each dimension.
#'
#' For a seeded release, the title says that it is not private.
#'
#' @param x An object of class `dptda_diagram`.
#' @param object An object of class `dptda_diagram`.
#' @param type `"diagram"`, `"barcode"`, or `"rotated"` (half the sum of birth and death against half the persistence).
#' @param dimension Integers: the dimensions to show. By default, all.
#' @param diagLim Two increasing numbers: the range of levels to show. By default, the range of the points.
#' @param col Colors, one per dimension shown or one per point.
#' @param pch Plotting symbols, one per dimension shown or one per point.
#' @param cex One number: the size of the symbols.
#' @param rotated,barcode `TRUE` or `FALSE`: alternatives to `type`, as in TDA.
#' @param band One number, or `FALSE` for no band: the persistence below which points may be noise, drawn as a band
#'   above the diagonal. By default, the band of a release; other diagrams have none.
#' @param evidence For a release, `TRUE` (the default) shows [feature_evidence()]. `FALSE` draws the release like any
#'   other diagram. A result of [feature_evidence()] for this release, such as one with another `level`, is drawn
#'   instead.
#' @param lab.line One number: the margin line of the axis titles.
#' @param colorBand,colorBorder Colors of the band and its edge.
#' @param add `TRUE` or `FALSE`: add to the last plot, which must have the same `type`.
#' @param legend `TRUE` or `FALSE`: explain the dimensions and the noise.
#' @param main,xlab,ylab Titles, or `NULL` for the default ones.
#' @param ... Graphical parameters for the points ([graphics::points()]) or the bars ([graphics::segments()]). Not used
#'   by `autoplot()`. `xlim` and `ylim` are refused: use `diagLim`.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot object.
#' @references Okabe, M. and Ito, K. (2008). Color universal design.
#'   <https://jfly.uni-koeln.de/color/>
#' @examples
#' circle <- persistence_diagram(c(0, 0, 0, 1), c(0, 0, 0, 0.4),
#'                               c(Inf, 0.3, 0.2, 1.1))
#' plot(circle, band = 0.25)
#' plot(circle, "barcode")
#' @export
plot.dptda_diagram <- function(x, type = c("diagram", "barcode", "rotated"), dimension = NULL, diagLim = NULL,
                               col = NULL, pch = NULL, cex = 1.25, rotated = FALSE, barcode = FALSE, band = NULL,
                               lab.line = 2.2, colorBand = "#F3D9C6", colorBorder = NA, add = FALSE, legend = TRUE,
                               main = NULL, xlab = NULL, ylab = NULL, evidence = TRUE, ...) {
  refuse_limits(...)
  type <- diagram_plot_type(type, check_flag(rotated), check_flag(barcode))
  band <- check_band(band)
  add <- check_flag(add)
  found <- shown_evidence(validate_diagram(x), evidence)
  marks <- mark_regions(diagram_marks(validate_diagram(x), type, dimension, col, pch), found)
  if (!add) {
    # resets only the shape of the plot, so that points can be added later
    saved <- graphics::par(pty = if (type == "diagram") "s" else "m")
    on.exit(graphics::par(saved))
    frame <- diagram_frame(type, marks, diagram_limits(marks, diagLim, attr(x, "parameters")$bound),
                           attr(x, "sublevel"))
    noise <- noise_marks(found, band, dimension, diagram_span(frame))
    open_frame(frame, noise, colorBand, colorBorder)
    words <- picture_words(x, if (check_flag(legend)) found, type)
    # the finding is centered above the plot, because the square may be narrow
    tell_on_picture(words, main = main, adj = 0.5, cex = 1, col = "gray10")
    graphics::title(xlab = if (is.null(xlab)) frame$xlab else xlab, line = lab.line)
    # tick labels are horizontal, so the title of the other axis needs more room
    graphics::title(ylab = if (is.null(ylab)) frame$ylab else ylab, line = lab.line + 0.6)
    if (check_flag(legend)) draw_legend(frame, marks, cex, noise, colorBand, region_name(found))
  }
  if (type == "barcode") draw_bars(marks, attr(x, "sublevel"), ...) else draw_points(marks, cex, type, ...)
  invisible(x)
}

diagram_plot_type <- function(type, rotated, barcode) {
  types <- c("diagram", "barcode", "rotated")
  if (rotated && barcode) stop_argument("barcode", "must not be TRUE together with `rotated`.")
  if (rotated) "rotated" else if (barcode) "barcode" else check_choice(type, types)
}

check_band <- function(band) {
  if (is.null(band)) return(NULL)
  if (isFALSE(band)) double() else check_number(band, lower = 0)
}

# Refuses limits of one axis. Birth and death share their range, because the diagonal would otherwise not be one.
refuse_limits <- function(...) {
  given <- intersect(c("xlim", "ylim"), names(match.call(expand.dots = FALSE)$...))
  if (length(given)) stop_argument(given[1], "is not an argument of this plot. Use `diagLim` for the range of levels.")
}

# Returns the evidence to draw. Evidence from the user must belong to this release.
shown_evidence <- function(x, evidence) {
  if (is_one_flag(evidence)) return(if (evidence) default_evidence(x))
  good <- inherits(evidence, "dptda_evidence") && is_valid(evidence, "dptda_evidence") && !is.null(released_plan(x))
  if (good) {
    keys <- function(points) row_keys(points$dimension, points$birth, points$death)
    good <- all(keys(evidence$steps[evidence$steps$evidence, ]) %in% keys(released_rows(x)))
  }
  if (!good) {
    stop_argument("evidence", "must be TRUE, FALSE, or a result of feature_evidence() for this release, not ",
                  describe(evidence), ".")
  }
  evidence
}

# The line above a picture, or NULL.
picture_words <- function(x, found, type) {
  seeded <- identical(privacy(x)$random, "R")
  words <- c(if (!is.null(found)) format_counts(found), if (!is.null(found)) format_regions(found, type), if (seeded)
             "seeded: not private")
  if (length(words)) paste(words, collapse = "; ")
}

# Text about the location of features. Squares need no text, because the legend explains them.
format_regions <- function(found, type) {
  if (!any(found$steps$evidence)) return(NULL)
  if (all(is.na(found$steps$region))) return("locations not known")
  if (type == "barcode") "dark lines: ends of true bars"
}

# Data to draw: one row for each point, with its position, color, and symbol.
# Infinite coordinates stay infinite here. onto_frame() moves them to the edge.
diagram_marks <- function(x, type = "diagram", dimension = NULL, col = NULL, pch = NULL) {
  marks <- strip_diagram(x)
  shown <- if (is.null(dimension)) sort(unique(marks$dimension)) else unique(check_dimensions(dimension))
  marks$col <- spread_over_points(col, diagram_colors, marks$dimension, shown)
  marks$pch <- spread_over_points(pch, diagram_symbols, marks$dimension, shown)
  marks <- marks[marks$dimension %in% shown, , drop = FALSE]
  turned <- type == "rotated"
  marks$x <- if (turned) ifelse(is.infinite(marks$death), marks$birth, (marks$birth + marks$death) / 2) else marks$birth
  marks$y <- if (turned) abs(marks$death - marks$birth) / 2 else marks$death
  marks$essential <- is.infinite(marks$y)
  if (type == "barcode") marks <- marks[order(marks$dimension, marks$birth, marks$death), , drop = FALSE]
  marks
}

# Assigns colors or symbols to points. Default values depend on the dimension alone. The user's values go to the shown
# dimensions in order, or to the points.
spread_over_points <- function(value, default, dimension, shown, arg = deparse1(substitute(value))) {
  if (is.null(value)) return(default[dimension %% length(default) + 1])
  if (length(value) == length(dimension) && length(value) != length(shown)) return(value)
  if (length(value) == 0) stop_argument(arg, "must not be empty.")
  rep_len(value, length(shown))[match(dimension, shown)]
}

# Marks the points to draw in full: points with a region, or all points without evidence. `region` is half
# the side of the square. A row counts as often as it was released.
mark_regions <- function(marks, found) {
  marks$full <- rep(TRUE, nrow(marks))
  marks$region <- rep(NA_real_, nrow(marks))
  if (is.null(found)) return(marks)
  seen <- found$steps[!is.na(found$steps$region), ]
  marks$region <- seen$region[match(counted_keys(row_keys(marks$dimension, marks$birth, marks$death)),
                                    counted_keys(row_keys(seen$dimension, seen$birth, seen$death)))]
  marks$full <- !is.na(marks$region)
  marks
}

# The corners of a region: births and deaths within `region` of the mark. Rotated by 45 degrees (half the sum and half
# the difference), the square stands on a corner.
region_corners <- function(mark, type) {
  away <- mark$region * if (type == "rotated") cbind(c(-1, 0, 1, 0), c(0, -1, 0, 1)) else
    cbind(c(-1, 1, 1, -1), c(-1, -1, 1, 1))
  data.frame(x = mark$x + away[, 1], y = mark$y + away[, 2])
}

# For a barcode: the intervals that may hold the ends of a bar.
region_ends <- function(marks, rows) {
  data.frame(from = c(marks$birth - marks$region, marks$death - marks$region),
             to = c(marks$birth + marks$region, marks$death + marks$region), row = rep(rows, 2))
}

# The size of the noise in a picture: `bands`, one for each shown dimension, the tallest first, and the persistence
# that is `detectable` in all of them, unless it exceeds `span`.
noise_marks <- function(found, band, dimension, span) {
  if (is.null(found)) return(list(bands = band[band > 0]))
  shown <- found$features
  if (!is.null(dimension)) shown <- shown[shown$dimension %in% dimension, ]
  bands <- if (is.null(band)) sort(unique(signif(shown$band[!is.na(shown$band)], 3)), decreasing = TRUE) else band
  detectable <- max(shown$detectable, 0)
  list(bands = bands[bands > 0], detectable = detectable[detectable > 0 & detectable < span])
}

# The largest persistence that fits into the plot.
diagram_span <- function(frame) if (frame$type == "rotated") 2 * frame$y[2] else diff(frame$x)

# Limits of birth and death. `bound` is the range of a release, for diagrams without points.
diagram_limits <- function(marks, diagLim = NULL, bound = NULL) {
  if (!is.null(diagLim)) {
    good <- is.numeric(diagLim) && length(diagLim) == 2 && all(is.finite(diagLim)) && diagLim[1] < diagLim[2]
    if (!good) stop_argument("diagLim", "must be two finite, increasing numbers.")
    return(as.double(diagLim))
  }
  off <- ifelse(is.na(marks$region), 0, marks$region)
  levels <- c(marks$birth - off, marks$birth, marks$death, marks$death + off)
  levels <- levels[is.finite(levels)]
  if (length(levels) == 0) return(c(0, if (is_one_number(bound) && bound > 0) bound else 1))
  limits <- range(levels)
  width <- diff(limits)
  if (width == 0) return(limits + c(-0.5, 0.5) * max(1, abs(limits[1])))
  limits + c(-0.04, 0.04) * width
}

# The window of a plot. It is widened for the line of infinite points, where levels end: at the top, or at the bottom
# for a superlevel diagram.
diagram_frame <- function(type, marks, limits, sublevel) {
  essential <- any(marks$essential)
  widened <- function(range, upper) {
    if (!essential) return(range)
    room <- essential_gap * diff(range)
    if (upper) range + c(0, room) else range - c(room, 0)
  }
  height <- 1.06 * max(0, marks$y[!marks$essential], marks$y + marks$region, na.rm = TRUE)
  margin <- max(0.7, 0.02 * nrow(marks))
  ranges <- switch(type,
    diagram = list(x = widened(limits, sublevel), y = widened(limits, sublevel), xlab = "Birth", ylab = "Death"),
    barcode = list(x = widened(limits, sublevel), y = c(1, nrow(marks)) + c(-1, 1) * margin, xlab = "Level",
                   ylab = "Dimension"),
    rotated = list(x = limits, y = widened(c(0, if (height > 0) height else 1), TRUE), xlab = "(Birth + Death) / 2",
                   ylab = "(Death - Birth) / 2")
  )
  c(ranges, list(type = type, limits = limits, sublevel = sublevel, essential = essential,
                 upper = sublevel || type == "rotated"))
}

# Height of the line of infinite points in a window with the coordinates `usr`.
essential_level <- function(usr, upper) {
  inset <- essential_inset * (usr[4] - usr[3])
  ifelse(upper, usr[4] - inset, usr[3] + inset)
}

# Plotted as mathematics, since many fonts lack the letter.
infinity_sign <- function(upper) if (upper) quote(infinity) else quote(-infinity)

# Puts infinite coordinates just inside the window `usr`.
onto_frame <- function(marks, usr) {
  inset <- essential_inset * (usr[2] - usr[1])
  far <- is.infinite(marks$x)
  marks$x[far] <- ifelse(marks$x[far] < 0, usr[1] + inset, usr[2] - inset)
  marks$y <- ifelse(marks$essential, essential_level(usr, marks$y > 0), marks$y)
  marks
}

# Shades of the bands, the tallest first. Bands of several dimensions overlap, and the lowest one is the darkest.
shade_bands <- function(bands, colorBand) {
  vapply(seq_along(bands), function(i) {
    grDevices::adjustcolor(colorBand, 1, 0.92^(i - 1), 0.92^(i - 1), 0.92^(i - 1))
  }, "")
}

open_frame <- function(frame, noise, colorBand, colorBorder) {
  graphics::plot.new()
  graphics::plot.window(frame$x, frame$y, xaxs = "i", yaxs = "i")
  shades <- shade_bands(noise$bands, colorBand)
  if (frame$type == "diagram") draw_diagonal(frame, noise, shades, colorBorder)
  if (frame$type == "rotated") {
    for (i in seq_along(noise$bands)) {
      graphics::rect(frame$x[1], 0, frame$x[2], noise$bands[i] / 2, col = shades[i], border = colorBorder)
    }
    graphics::abline(h = noise$detectable / 2, lty = 3, col = "gray40")
  }
  if (frame$essential && frame$type != "barcode") {
    level <- essential_level(graphics::par("usr"), frame$upper)
    graphics::abline(h = level, lty = 2, col = "gray55")
    graphics::mtext(as.expression(infinity_sign(frame$upper)), side = 2, at = level, las = 1, line = 0.6,
                    cex = 1.2 * graphics::par("cex"))
  }
  draw_axes(frame)
}

# Draws the diagonal and its bands, and shades the half of the plane where no point can lie.
draw_diagonal <- function(frame, noise, shades, colorBorder) {
  ends <- frame$x
  side <- if (frame$sublevel) 1 else -1
  corner <- if (frame$sublevel) rev(ends) else ends
  graphics::polygon(c(ends, corner[1]), c(ends, corner[2]), col = "gray95", border = NA)
  graphics::clip(ends[1], ends[2], frame$y[1], frame$y[2])
  for (i in seq_along(noise$bands)) {
    graphics::polygon(c(ends, rev(ends)), c(ends, rev(ends) + side * noise$bands[i]), col = shades[i],
                      border = colorBorder)
  }
  for (height in noise$detectable) {
    graphics::segments(ends[1], ends[1] + side * height, ends[2], ends[2] + side * height, lty = 3, col = "gray40")
  }
  do.call(graphics::clip, as.list(graphics::par("usr")))
  graphics::segments(ends[1], ends[1], ends[2], ends[2], col = "gray40")
}

ticks_within <- function(range) {
  at <- pretty(range)
  at[at >= range[1] & at <= range[2]]
}

# The range of the vertical axis without the margin for infinite points.
finite_heights <- function(frame) {
  if (frame$type == "diagram") return(frame$limits)
  if (frame$essential) frame$y / (1 + essential_gap) else frame$y
}

draw_axes <- function(frame) {
  ticks <- function(side, range) {
    graphics::axis(side, at = ticks_within(range), lwd = 0, lwd.ticks = 1, col.ticks = "gray40", las = 1,
                   mgp = c(3, 0.6, 0), tcl = -0.3)
  }
  ticks(1, frame$limits)
  if (frame$type != "barcode") ticks(2, finite_heights(frame))
  graphics::box(bty = if (frame$type == "barcode") "l" else "o", col = "gray40")
}

draw_points <- function(marks, cex, type, ...) {
  if (nrow(marks) == 0) return(invisible())
  marks <- onto_frame(marks, graphics::par("usr"))
  filled <- marks$pch %in% 21:25
  style <- list(pch = marks$pch, cex = cex, bg = pale_unless(marks$full, marks$col, 0.85),
                col = ifelse(filled, "white", pale_unless(marks$full, marks$col, 1)),
                lwd = ifelse(filled, 0.6, 1.5))
  do.call(graphics::points, c(list(marks$x, marks$y), utils::modifyList(style, list(...))))
  for (i in which(!is.na(marks$region))) graphics::polygon(region_corners(marks[i, ], type), border = region_color)
}

# Makes points without a region transparent, with a third of `alpha`.
pale_unless <- function(full, col, alpha) {
  ifelse(full, grDevices::adjustcolor(col, alpha), grDevices::adjustcolor(col, alpha / 3))
}

draw_bars <- function(marks, sublevel, ...) {
  if (nrow(marks) == 0) return(invisible())
  rows <- seq_len(nrow(marks))
  usr <- graphics::par("usr")
  edge <- if (sublevel) usr[2] else usr[1]
  head <- (if (sublevel) -0.025 else 0.025) * (usr[2] - usr[1])
  # three fifths of a row's height, in line widths of 1/96 inch, at most 9
  width <- max(1, min(9, 0.6 * 96 * graphics::par("pin")[2] / (usr[4] - usr[3])))
  start <- ifelse(is.infinite(marks$birth), usr[if (sublevel) 1 else 2], marks$birth)
  end <- ifelse(marks$essential, edge + head, marks$death)
  style <- utils::modifyList(list(col = pale_unless(marks$full, marks$col, 1), lwd = width, lend = "butt"),
                             list(...))
  do.call(graphics::segments, c(list(start, rows, end, rows), style))
  half <- max(0.06, 0.9 * width / 96) * (usr[4] - usr[3]) / graphics::par("pin")[2]
  seen <- which(!is.na(marks$region))
  ends <- region_ends(marks[seen, ], seen)
  graphics::segments(ends$from, ends$row, ends$to, ends$row, lwd = max(1, width / 3), lend = "butt", col = region_color)
  for (row in rows[marks$essential]) {
    graphics::polygon(edge + head * c(1, 0, 1), row + half * c(-1, 0, 1), col = marks$col[row], border = NA)
  }
}

draw_legend <- function(frame, marks, cex, noise = NULL, colorBand = NA, region = "") {
  first <- marks[!duplicated(marks$dimension), , drop = FALSE]
  first <- first[order(first$dimension), , drop = FALSE]
  dotted <- length(noise$detectable) > 0
  placed <- !all(is.na(marks$region))
  banded <- length(noise$bands) > 0
  if (frame$type == "barcode") {
    if (nrow(first) == 0) return(invisible())
    middle <- vapply(first$dimension, function(dimension) mean(which(marks$dimension == dimension)), 0)
    graphics::mtext(first$dimension, side = 2, at = middle, las = 1, line = 0.6, col = first$col, font = 2)
    return(invisible())
  }
  filled <- first$pch %in% 21:25
  place <- if (frame$type == "rotated") "topright" else if (frame$sublevel) "bottomright" else "topleft"
  # entries about the noise come last
  extend <- function(each, square, band, line) c(each, if (placed) square, if (banded) band, if (dotted) line)
  entries <- extend(paste("dimension", first$dimension, recycle0 = TRUE), region, band_name(noise), "detectable")
  if (length(entries) == 0) return(invisible())
  draw <- function(size, ...) {
    graphics::legend(place, legend = entries, pch = extend(first$pch, if (frame$type == "rotated") 5 else 0, 15, NA),
                     pt.cex = size * extend(rep(cex, nrow(first)), 1.5 * cex, 1.8, 1), cex = size,
                     pt.bg = extend(first$col, NA, NA, NA),
                     col = extend(ifelse(filled, "white", first$col), region_color, colorBand, "gray40"),
                     pt.lwd = extend(ifelse(filled, 0.6, 1.5), 1.2, 1, 1),
                     lty = if (dotted) extend(rep(NA, nrow(first)), NA, NA, 3), bty = "n", inset = 0.03, ...)
  }
  # puts the legend below the diagonal, where no points are, at the largest legible size that fits there
  clear <- function(size) {
    rect <- draw(size, plot = FALSE)$rect
    frame$type != "diagram" || if (frame$sublevel) rect$top <= rect$left else rect$top - rect$h >= rect$left + rect$w
  }
  sizes <- c(1, 0.9, 0.8, 0.7, 0.6)
  draw(c(sizes[vapply(sizes, clear, NA)], 0.6)[1])
}

# The label of regions. It is empty without evidence, because no region is drawn then.
region_name <- function(found) if (is.null(found)) "" else paste0("true point (", format_percent(found$level), ")")
region_color <- "gray15"

# The label of bands. Points below the band of a release may be noise. The meaning of a user's band is unknown.
band_name <- function(noise) if (is.null(noise$detectable)) "band" else "may be noise"

#' @rdname plot.dptda_diagram
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_diagram <- function(object, type = c("diagram", "barcode", "rotated"), dimension = NULL, diagLim = NULL,
                                   col = NULL, pch = NULL, cex = 1.25, band = NULL, colorBand = "#F3D9C6",
                                   evidence = TRUE,
                                   ...) {
  refuse_limits(...)
  check_no_dots(...)
  type <- check_choice(type, c("diagram", "barcode", "rotated"))
  band <- check_band(band)
  sublevel <- attr(validate_diagram(object, arg = "object"), "sublevel")
  found <- shown_evidence(object, evidence)
  marks <- mark_regions(diagram_marks(object, type, dimension, col, pch), found)
  frame <- diagram_frame(type, marks, diagram_limits(marks, diagLim, attr(object, "parameters")$bound), sublevel)
  noise <- noise_marks(found, band, dimension, diagram_span(frame))
  marks$dimension <- factor(marks$dimension)
  picture <- if (type == "barcode") {
    autoplot_bars(marks, frame)
  } else {
    autoplot_points(marks, frame, cex, noise, colorBand, region_name(found))
  }
  words <- picture_words(object, found, type)
  if (is.null(words)) picture else picture + picture_labels(object, words, title = NULL)
}

autoplot_points <- function(marks, frame, cex, noise, colorBand, region) {
  level <- essential_level(c(frame$x, frame$y), frame$upper)
  marks <- onto_frame(marks, c(frame$x, frame$y))
  at <- ticks_within(finite_heights(frame))
  ggplot2::ggplot(marks, ggplot2::aes(x = .data$x, y = .data$y)) +
    autoplot_background(frame, noise, colorBand) +
    (if (frame$essential) ggplot2::geom_hline(yintercept = level, linetype = 2, color = "gray55")) +
    ggplot2::geom_point(ggplot2::aes(fill = .data$dimension, shape = .data$dimension), color = "white",
                        size = 2 * cex, stroke = 0.3, alpha = ifelse(marks$full, 0.9, 0.35)) +
    autoplot_regions(marks[!is.na(marks$region), , drop = FALSE], frame$type, region) +
    autoplot_scale(ggplot2::scale_fill_manual, marks, "col") +
    autoplot_scale(ggplot2::scale_shape_manual, marks, "pch") +
    ggplot2::scale_y_continuous(breaks = c(at, if (frame$essential) level),
                                labels = as.expression(c(format(at), if (frame$essential)
                                                         infinity_sign(frame$upper)))) +
    ggplot2::coord_fixed(if (frame$type == "diagram") 1 else diff(frame$x) / diff(frame$y) * 0.75,
                         xlim = frame$x, ylim = frame$y, expand = FALSE) +
    ggplot2::labs(x = frame$xlab, y = frame$ylab) +
    autoplot_theme()
}

# Adds a separate legend entry: a scale with one value.
autoplot_key <- function(scale, name, value, ...) {
  scale(NULL, values = stats::setNames(value, name), guide = ggplot2::guide_legend(override.aes = list(...), order = 2))
}

autoplot_regions <- function(marks, type, region) {
  if (nrow(marks) == 0) return(NULL)
  corners <- lapply(seq_len(nrow(marks)), function(i) cbind(region_corners(marks[i, ], type), square = i))
  list(
    ggplot2::geom_polygon(ggplot2::aes(x = .data$x, y = .data$y, group = .data$square, linewidth = region),
                          do.call(rbind, corners), fill = NA, color = region_color),
    autoplot_key(ggplot2::scale_linewidth_manual, region, 0.4)
  )
}

autoplot_background <- function(frame, noise, colorBand) {
  from <- frame$x[1]
  to <- frame$x[2]
  shades <- shade_bands(noise$bands, colorBand)
  area <- function(x, y, fill) {
    ggplot2::geom_polygon(ggplot2::aes(x = .data$x, y = .data$y), data.frame(x = x, y = y), fill = fill)
  }
  band_key <- band_name(noise)
  side <- if (frame$sublevel) 1 else -1
  # corners of a band above the diagonal, rotated or not
  strip <- if (frame$type == "rotated") function(height) c(0, 0, height, height) / 2 else
    function(height) c(from, to, to + side * height, from + side * height)
  bands <- lapply(seq_along(noise$bands), function(i) {
    ggplot2::geom_polygon(ggplot2::aes(x = .data$x, y = .data$y, alpha = band_key),
                          data.frame(x = c(from, to, to, from), y = strip(noise$bands[i])), fill = shades[i])
  })
  if (length(bands)) {
    bands <- c(bands, autoplot_key(ggplot2::scale_alpha_manual, band_key, 1, fill = shades[1]))
  }
  dotted <- lapply(noise$detectable, function(height) {
    ends <- strip(height)[4:3]
    ggplot2::geom_segment(ggplot2::aes(x = .data$x, y = .data$y, xend = .data$xend, yend = .data$yend,
                                       linetype = "detectable"),
                          data.frame(x = from, y = ends[1], xend = to, yend = ends[2]), color = "gray40")
  })
  if (length(dotted)) dotted <- c(dotted, autoplot_key(ggplot2::scale_linetype_manual, "detectable", 3))
  if (frame$type == "rotated") return(list(bands, dotted))
  list(
    area(c(from, to, if (frame$sublevel) to else from), c(from, to, if (frame$sublevel) from else to), "gray95"),
    bands, dotted,
    ggplot2::annotate("segment", x = from, y = from, xend = to, yend = to, color = "gray40")
  )
}

autoplot_bars <- function(marks, frame) {
  marks$row <- seq_len(nrow(marks))
  edge <- frame$x[if (frame$sublevel) 2 else 1]
  marks$x[is.infinite(marks$x)] <- frame$x[if (frame$sublevel) 1 else 2]
  marks$y[marks$essential] <- edge
  bar <- function(rows, ...) {
    ggplot2::geom_segment(ggplot2::aes(x = .data$x, xend = .data$y, y = .data$row, yend = .data$row,
                                       color = .data$dimension), rows, alpha = ifelse(rows$full, 1, 0.35),
                          linewidth = max(0.4, min(3, 90 / nrow(marks))), key_glyph = "rect", ...)
  }
  ggplot2::ggplot(marks) +
    bar(marks[!marks$essential, ]) +
    bar(marks[marks$essential, ], arrow = ggplot2::arrow(length = ggplot2::unit(0.1, "inches"), type = "closed"),
        linejoin = "mitre") +
    ggplot2::geom_segment(ggplot2::aes(x = .data$from, xend = .data$to, y = .data$row, yend = .data$row),
                          region_ends(marks[!is.na(marks$region), ], marks$row[!is.na(marks$region)]),
                          color = region_color, linewidth = 0.6) +
    autoplot_scale(ggplot2::scale_color_manual, marks, "col") +
    ggplot2::scale_y_continuous(breaks = NULL) +
    ggplot2::coord_cartesian(xlim = frame$x, ylim = frame$y, expand = FALSE) +
    ggplot2::labs(x = frame$xlab, y = NULL) +
    autoplot_theme()
}

# The color or symbol of each dimension. ggplot2 4 warns about scales without points or without a layer that uses them.
autoplot_scale <- function(scale, marks, column) {
  if (nrow(marks) == 0) return(NULL)
  first <- marks[!duplicated(marks$dimension), , drop = FALSE]
  values <- stats::setNames(first[[column]], first$dimension)
  scale("Dimension", values = values, guide = ggplot2::guide_legend(order = 1))
}

autoplot_theme <- function() {
  picture_theme(ggplot2::theme_bw()) +
    ggplot2::theme(panel.grid = ggplot2::element_blank(), legend.spacing.y = ggplot2::unit(0, "mm"),
                   legend.margin = ggplot2::margin(1, 5, 1, 5))
}
