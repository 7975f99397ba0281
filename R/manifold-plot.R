# Ellipsoids for positive definite matrices, in base graphics. Ellipses are polygons. Ellipsoids are cast ray by ray
# into one raster picture, exactly (one quadratic equation per pixel). This is smoother than a mesh, and takes a second
# or two for a thousand ellipsoids. Plots of private means are in manifold-private-mean-plot.R.

#' Plot positive definite matrices as ellipses or ellipsoids
#'
#' Plots positive definite matrices, such as covariances or the tensors of diffusion tensor imaging. A 2 x 2 matrix is
#' an ellipse, and a 3 x 3 matrix a shaded ellipsoid seen from far away. You can plot one matrix, a row of them, or a
#' whole field.
#'
#' @param tensors A p x p matrix or p x p x n array, p = 2 or 3: symmetric positive definite matrices.
#' @param positions A matrix or `NULL`: the positions of the centers, with 2 columns in the plane of the picture, or
#'   with 3 columns in space. `NULL` places them in rows, from the upper left to the lower right.
#' @param ... Not used. Later arguments must be named.
#' @param color A string or vector of colors. `"anisotropy"`: fractional anisotropy, from 0 to 1. `"direction"`: the
#'   direction of the longest axis (p = 3: red, green, and blue for the coordinate axes, as usual in imaging; p = 2: the
#'   hue is the angle, and gray is isotropic). Otherwise, one color for all or one per matrix.
#' @param radii A string: `"root"` for semi-axes that are the square roots of the eigenvalues (for a covariance, a
#'   contour of the normal density), `"eigenvalue"` for the eigenvalues themselves, which show anisotropy more clearly.
#' @param size One positive number or `NULL`: the length of a semi-axis of 1, in the units of the positions. `NULL`: as
#'   long as the distances to neighbors allow.
#' @param theta,phi Numbers, in degrees, for p = 3: the azimuth and the height of the viewpoint, as in
#'   [graphics::persp()]. The default shows the plane of the first two axes from above.
#' @param palette A vector of colors for `"anisotropy"`, from 0 to 1.
#' @param border The color of the outline of ellipses (p = 2), or `NA`.
#' @param add `TRUE` or `FALSE`: draw into the last plot.
#' @param legend `TRUE` or `FALSE`: draw a legend of the colors on the right.
#' @param main A string or `NULL`: the title.
#' @param xlim,ylim Numeric vectors of length 2 or `NULL`: the limits of the plot.
#' @return The `size` that was used, invisibly. Plots with the same size can be compared.
#' @references Pierpaoli, C. and Basser, P. J. (1996). Toward a quantitative
#'   assessment of diffusion anisotropy. *Magnetic Resonance in Medicine* 36,
#'   893-906.
#' @references Basser, P. J. and Pierpaoli, C. (1996). Microstructural and
#'   physiological features of tissues elucidated by quantitative-diffusion-tensor
#'   MRI. *Journal of Magnetic Resonance B* 111, 209-219.
#' @examples
#' turned <- function(angle) {
#'   turn <- rbind(c(cos(angle), -sin(angle), 0),
#'                 c(sin(angle), cos(angle), 0),
#'                 c(0, 0, 1))
#'   turn %*% diag(c(1.7, 0.4, 0.3)) %*% t(turn)
#' }
#' tensors <- vapply(seq(0, pi, length.out = 12), turned, diag(3))
#' plot_ellipsoids(tensors, radii = "eigenvalue")
#' plot_ellipsoids(tensors, cbind(1:12, 0, 0), color = "direction", theta = 30,
#'                 phi = 40)
#' @export
plot_ellipsoids <- function(tensors, positions = NULL, ..., color = "anisotropy", radii = c("root", "eigenvalue"),
                            size = NULL, theta = 0, phi = 90, palette = NULL, border = "gray20", add = FALSE,
                            legend = TRUE, main = NULL, xlim = NULL, ylim = NULL) {
  check_no_dots(...)
  tensors <- check_tensors(tensors)
  radii <- check_choice(radii, c("root", "eigenvalue"))
  view <- view_matrix(check_number(theta), check_number(phi))
  if (!is.null(size)) size <- check_number(size, lower = 0, open_lower = TRUE)
  if (!is.null(palette)) check_colors(palette)
  check_colors(border)
  add <- check_flag(add)
  if (!(is.null(main) || is.character(main) || is.language(main))) {
    stop_argument("main", "must be NULL or a string, not ", describe(main), ".")
  }
  if (!is.null(xlim)) check_limits(xlim)
  if (!is.null(ylim)) check_limits(ylim)
  legend <- check_flag(legend) && is_color_word(color) && !add
  spectra <- lapply(seq_len(dim(tensors)[3]), function(i) eigen(tensors[, , i], symmetric = TRUE))
  flat <- dim(tensors)[1] == 2
  places <- check_positions(positions, length(spectra), flat, view)
  colors <- tensor_colors(color, spectra, palette)
  axes <- lapply(spectra, semi_axes, radii, if (flat) diag(2) else view)
  reach <- max(vapply(spectra, function(spectrum) axis_lengths(spectrum, radii)[1], 0))
  if (is.null(size)) size <- 0.48 * typical_spacing(places) / reach
  check_reach(size * reach)
  axes <- lapply(axes, `*`, size)
  if (!add) field <- open_field(places, size * reach, legend, xlim, ylim, main)
  if (legend) draw_color_legend(color, palette, flat, field)
  if (flat) draw_ellipses(axes, places, colors, border) else draw_ellipsoids(axes, places, colors)
  invisible(size)
}

# Divides a tensor by a power of two near its largest entry, so that no digit changes and no sum or square overflows.
in_own_units <- function(tensor) tensor / 2^floor(log2(max(abs(tensor))))

# Fractional anisotropy of Basser and Pierpaoli: 0 for multiples of the identity, 1 for a single direction.
anisotropy_of <- function(values) {
  values <- in_own_units(values)
  p <- length(values)
  sqrt(p / (p - 1) * sum((values - mean(values))^2) / sum(values^2))
}

# Returns a p x p x n array of positive definite matrices.
check_tensors <- function(tensors, arg = deparse1(substitute(tensors))) {
  force(arg)
  if (missing(tensors)) stop_missing(arg)
  if (is.matrix(tensors)) tensors <- array(tensors, c(dim(tensors), 1))
  good <- is.numeric(tensors) && length(dim(tensors)) == 3 && dim(tensors)[1] == dim(tensors)[2] &&
    dim(tensors)[1] %in% 2:3 && dim(tensors)[3] > 0
  if (!good) {
    stop_argument(arg, "must be an array of symmetric 2 x 2 or 3 x 3 matrices with the index of the matrix last, not ",
                  describe_data(tensors), ".")
  }
  if (!all(is.finite(tensors))) stop_argument(arg, "must be finite.")
  symmetric <- aperm(tensors, c(2, 1, 3))
  if (any(abs(tensors / 2 - symmetric / 2) > 1e-8 * (max(abs(tensors)) / 2))) {
    stop_argument(arg, "must be symmetric matrices.")
  }
  tensors <- tensors / 2 + symmetric / 2
  is_definite <- function(tensor) {
    any(tensor != 0) && min(eigen(in_own_units(tensor), symmetric = TRUE, only.values = TRUE)$values) > 0
  }
  if (!all(apply(tensors, 3, is_definite))) stop_argument(arg, "must be positive definite matrices.")
  tensors
}

check_colors <- function(colors, arg = deparse1(substitute(colors))) {
  known <- value_or(length(grDevices::col2rgb(colors)) > 0, FALSE)
  # numbers are positions in the palette, which R converts to integers
  if (is.numeric(colors)) known <- known && all(is.na(colors) | (colors >= 0 & colors <= .Machine$integer.max))
  if (!known) stop_argument(arg, "must be colors that grDevices::col2rgb() accepts, not ", describe(colors), ".")
}

check_limits <- function(limits, arg = deparse1(substitute(limits))) {
  if (!(is.numeric(limits) && length(limits) == 2 && all(is.finite(limits)) && limits[1] != limits[2])) {
    stop_argument(arg, "must be two different finite numbers, not ", describe(limits), ".")
  }
}

# Limits lengths, because plotting squares them and inverts the squares.
check_reach <- function(reach) {
  if (!isTRUE(reach >= 1e-60 && reach <= 1e60)) {
    stop_argument("size", "times the longest semi-axis of `tensors` must be from 1e-60 to 1e60.")
  }
}

# Returns the visible coordinates of the centers, in three columns: to the right, upward, and toward the eye.
check_positions <- function(positions, n, flat, view) {
  if (is.null(positions)) {
    columns <- if (n <= 6) n else ceiling(sqrt(n))
    at <- seq_len(n) - 1
    positions <- cbind(at %% columns, -(at %/% columns))
  }
  positions <- unname(check_points(positions, arg = "positions"))
  if (nrow(positions) != n || !ncol(positions) %in% c(2, if (!flat) 3) || !all(is.finite(positions))) {
    stop_argument("positions", "must have one finite row per matrix and 2 ", if (!flat) "or 3 ", "columns.")
  }
  if (ncol(positions) == 3) positions %*% t(view) else cbind(positions, 0)
}

# The rotation that turns the line of sight into the last axis, with its tip toward the eye.
view_matrix <- function(theta, phi) {
  turn <- theta * pi / 180
  tilt <- (90 - phi) * pi / 180
  rotated <- rbind(c(cos(turn), sin(turn), 0), c(-sin(turn), cos(turn), 0), c(0, 0, 1))
  rbind(c(1, 0, 0), c(0, cos(tilt), sin(tilt)), c(0, -sin(tilt), cos(tilt))) %*% rotated
}

axis_lengths <- function(spectrum, radii) if (radii == "root") sqrt(spectrum$values) else spectrum$values

# Returns a matrix whose columns are the visible semi-axes.
semi_axes <- function(spectrum, radii, view) {
  view %*% spectrum$vectors %*% diag(axis_lengths(spectrum, radii))
}

# The median visible distance to the nearest neighbor at another position.
typical_spacing <- function(places) {
  apart <- as.matrix(stats::dist(places[seq_len(min(nrow(places), 1000)), 1:2, drop = FALSE]))
  apart[apart <= 1e-9 * max(1, apart)] <- Inf
  nearest <- apply(apart, 1, min)
  if (any(is.finite(nearest))) stats::median(nearest[is.finite(nearest)]) else 1
}

# ---- Colors --------------------------------------------------------------

is_color_word <- function(color) identical(color, "anisotropy") || identical(color, "direction")

anisotropy_palette <- function(palette) {
  if (is.null(palette)) palette <- c("#CBD5DE", "#B9C8C4", "#E3C56C", "#E8943A", "#CC4B37", "#8A2450")
  grDevices::colorRamp(palette, space = "Lab")
}

# Returns an n x 3 matrix of red, green, and blue between 0 and 1.
tensor_colors <- function(color, spectra, palette) {
  n <- length(spectra)
  if (!is_color_word(color)) {
    rgb <- value_or(grDevices::col2rgb(color), NULL)
    if (is.null(rgb) || !ncol(rgb) %in% c(1, n)) {
      stop_argument("color", "must be \"anisotropy\", \"direction\", one color, or one color per matrix.")
    }
    return(t(rgb)[rep_len(seq_len(ncol(rgb)), n), , drop = FALSE] / 255)
  }
  anisotropy <- vapply(spectra, function(spectrum) anisotropy_of(spectrum$values), 0)
  if (color == "anisotropy") return(anisotropy_palette(palette)(pmin(anisotropy, 1)) / 255)
  directions <- t(vapply(spectra, function(spectrum) spectrum$vectors[, 1], numeric(nrow(spectra[[1]]$vectors))))
  strength <- pmin(1, 1.2 * anisotropy)
  strength * direction_colors(directions) + (1 - strength) * 0.78
}

# Red, green, and blue, slightly muted.
axis_colors <- rbind(c(0.84, 0.22, 0.24), c(0.22, 0.67, 0.33), c(0.20, 0.42, 0.86))

direction_colors <- function(directions) {
  if (ncol(directions) == 3) return(pmin(abs(directions) %*% axis_colors, 1))
  hue <- (atan2(directions[, 2], directions[, 1]) / pi * 360) %% 360
  t(grDevices::col2rgb(grDevices::hcl(hue, 90, 60))) / 255
}

# ---- The window and the legend ---------------------------------------------

# The width of the legend on the right, in inches.
legend_width <- 0.75

open_field <- function(places, reach, legend, xlim, ylim, main) {
  around <- function(x) range(x) + c(-1, 1) * 1.08 * reach
  if (is.null(xlim)) xlim <- around(places[, 1])
  if (is.null(ylim)) ylim <- around(places[, 2])
  graphics::plot.new()
  room <- if (legend) diff(xlim) * legend_width / max(legend_width, graphics::par("pin")[1] - legend_width) else 0
  graphics::plot.window(xlim + c(0, room), ylim, asp = 1, xaxs = "i", yaxs = "i")
  graphics::title(main = main)
  list(right = xlim[2], middle = mean(ylim), height = diff(ylim))
}

# Draws the legend to the right of the field, at its height.
draw_color_legend <- function(color, palette, flat, field) {
  usr <- graphics::par("usr")
  inch <- (usr[2] - usr[1]) / graphics::par("pin")[1]
  if (color == "direction") return(draw_direction_key(c(field$right + 0.42 * inch, field$middle), 0.27 * inch, flat))
  height <- min(0.9 * (usr[4] - usr[3]), max(0.75 * field$height, 1.2 * inch))
  y <- field$middle + c(-0.5, 0.5) * height
  left <- field$right + 0.32 * inch
  bar <- anisotropy_palette(palette)(seq(1, 0, length.out = 128)) / 255
  graphics::rasterImage(array(bar, c(128, 1, 3)), left, y[1], left + 0.11 * inch, y[2])
  at <- seq(0, 1, by = 0.25)
  write <- function(x, y, ...) graphics::text(x, y, ..., cex = 0.75, col = "gray25", xpd = NA)
  write(left + 0.16 * inch, y[1] + at * height, sub("^0\\.", ".", at), adj = c(0, 0.5))
  write(left - 0.06 * inch, field$middle, "fractional anisotropy", srt = 90, adj = c(0.5, 0))
}

# Draws a fan of the directions in the plane, each in its color. For p = 3, the dot in the middle is the third
# direction, toward the eye or away.
draw_direction_key <- function(center, radius, flat) {
  angles <- seq(0, 2 * pi, length.out = 97)
  middle <- (angles[-1] + angles[-97]) / 2
  colors <- grDevices::rgb(direction_colors(cbind(cos(middle), sin(middle), if (!flat) 0)))
  for (i in seq_along(middle)) {
    around <- angles[c(i, i + 1)] + c(-1, 1) * 0.01
    graphics::polygon(center[1] + radius * c(0.4 * cos(around), rev(cos(around))),
                      center[2] + radius * c(0.4 * sin(around), rev(sin(around))), col = colors[i], border = NA,
                      xpd = NA)
  }
  if (flat) return(invisible())
  third <- grDevices::rgb(direction_colors(rbind(c(0, 0, 1))))
  graphics::polygon(center[1] + 0.27 * radius * cos(angles), center[2] + 0.27 * radius * sin(angles), col = third,
                    border = NA, xpd = NA)
}

# ---- Ellipses ------------------------------------------------------------------

# Draws larger ellipses first, so that none hides another entirely.
draw_ellipses <- function(axes, places, colors, border) {
  angles <- seq(0, 2 * pi, length.out = 121)[-1]
  circle <- rbind(cos(angles), sin(angles))
  order <- order(-vapply(axes, function(axis) abs(det(axis)), 0))
  for (i in order) {
    outline <- axes[[i]] %*% circle
    graphics::polygon(places[i, 1] + outline[1, ], places[i, 2] + outline[2, ],
                      col = grDevices::rgb(colors[i, , drop = FALSE]),
                      border = border)
  }
}

# ---- Ellipsoids ---------------------------------------------------------------

# Pixels per inch of the raster picture of ellipsoids, and the largest number of pixels in either direction.
cast_resolution <- 220
cast_limit <- 3000

# Draws far ellipsoids first. Colors stay multiplied by their opacity until the end. `paint` is changed in place, so it
# is not an element of a list.
draw_ellipsoids <- function(axes, places, colors, shading = c(ambient = 0.5, diffuse = 0.62, gloss = 0.35)) {
  usr <- graphics::par("usr")
  pixels <- pmax(2, pmin(cast_limit, ceiling(graphics::par("pin") * cast_resolution)))
  x <- pixel_middles(usr[1], usr[2], pixels[1])
  y <- pixel_middles(usr[4], usr[3], pixels[2])
  pixel <- (usr[2] - usr[1]) / pixels[1]
  paint <- array(0, c(pixels[2], pixels[1], 4))
  for (i in order(places[, 3])) {
    patch <- cast_ellipsoid(axes[[i]], x - places[i, 1], y - places[i, 2], colors[i, ], shading, pixel)
    if (length(patch$color) == 0) next
    paint[patch$rows, patch$columns, ] <- patch$color + as.vector(1 - patch$color[, , 4]) *
      paint[patch$rows, patch$columns, , drop = FALSE]
  }
  opacity <- pmax(paint[, , 4], 1e-9)
  for (k in 1:3) paint[, , k] <- pmin(paint[, , k] / opacity, 1)
  graphics::rasterImage(pmin(paint, 1), usr[1], usr[3], usr[2], usr[4], interpolate = TRUE)
}

pixel_middles <- function(from, to, n) from + (seq_len(n) - 0.5) / n * (to - from)

# Light from the upper left, toward the eye, and the direction halfway to the eye for the highlight (Blinn's model).
unit_vector <- function(v) v / sqrt(sum(v^2))
cast_light <- unit_vector(c(-0.45, 0.6, 0.85))
cast_halfway <- unit_vector(cast_light + c(0, 0, 1))

# Casts the ellipsoid axes u, |u| <= 1. A pixel at (x, y) shows the larger root z of the quadratic q(x, y, z) = 1, with
# q the form of (axes axes')^-1. Returns the covered part of the picture: color times opacity, and opacity.
cast_ellipsoid <- function(axes, x, y, color, shading, pixel) {
  spread <- axes %*% t(axes)
  half <- sqrt(diag(spread)[1:2]) + pixel
  columns <- which(abs(x) <= half[1])
  rows <- which(abs(y) <= half[2])
  x <- rep(x[columns], each = length(rows))
  y <- rep(y[rows], length(columns))
  opacity <- silhouette(spread[1:2, 1:2], x, y, pixel)
  shade <- shade_pixels(solve(spread), x, y, color, shading)
  list(rows = rows, columns = columns, color = array(c(shade * opacity, opacity), c(length(rows), length(columns), 4)))
}

# The fraction of each pixel that the shadow of the ellipsoid covers: its signed distance from the outline in pixels, to
# first order.
silhouette <- function(spread, x, y, pixel) {
  form <- solve(spread)
  a <- form[1, 1] * x + form[1, 2] * y
  b <- form[1, 2] * x + form[2, 2] * y
  inside <- (1 - (x * a + y * b)) / (2 * sqrt(a^2 + b^2) + 1e-300)
  pmax(0, pmin(1, 0.5 + inside / pixel))
}

shade_pixels <- function(form, x, y, color, shading) {
  b <- form[1, 3] * x + form[2, 3] * y
  rest <- form[1, 1] * x^2 + 2 * form[1, 2] * x * y + form[2, 2] * y^2 - 1
  z <- (-b + sqrt(pmax(0, b^2 - form[3, 3] * rest))) / form[3, 3]
  normal <- cbind(x, y, z) %*% form
  normal <- normal / sqrt(rowSums(normal^2))
  diffuse <- pmax(0, drop(normal %*% cast_light))
  facing <- pmax(0, normal[, 3])
  highlight <- shading[["gloss"]] * pmax(0, drop(normal %*% cast_halfway))^40
  # slightly darker at the rim, to separate ellipsoids of the same color
  brightness <- (shading[["ambient"]] + shading[["diffuse"]] * diffuse) * (0.75 + 0.25 * facing^0.7)
  pmin(outer(brightness, color) + highlight, 1)
}
