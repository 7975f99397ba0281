# Pictures of a private mean: the public ball, its center, the release, and the region in which the mean may be. All of
# it is public, unless the user supplies data.

#' Plot a private Fréchet mean
#'
#' Methods for [private_frechet_mean()]. `plot()` draws the public ball, its center, the release, and around the release
#' the region that contains the mean of the clamped data with probability `level`.
#'
#' @details
#' On the sphere, the picture is a globe, and on the hyperbolic plane the disk of Poincaré. A 2 x 2 matrix is an
#' ellipse. The ball and the region are then bands that contain all of their ellipses. 3 x 3 matrices are ellipsoids
#' side by side: the center and the release. Shapes are drawn as landmarks, in the rotation of the center, with the
#' regions that each landmark may reach. Landmarks are joined in their order, and up to 20 of them are numbered.
#'
#' @param x,object A private mean. For `plot()`, on `manifold_sphere(2)`, `manifold_hyperbolic(2)`, `manifold_spd(2)`,
#'   `manifold_spd(3)`, or `manifold_shapes()`.
#' @param data `NULL`, or points of the manifold in one of its forms, to be drawn as well. **They are shown as they are,
#'   and are not private.**
#' @param level One number above 0 and below 1: the probability of the region around the release.
#' @param legend `TRUE` or `FALSE`: draw a legend of the symbols.
#' @param main A string or `NULL`: the title.
#' @param ... Not used.
#' @return `plot()`, `print()`, and `summary()` return the release. `as.matrix()` returns the value as a matrix (a
#' vector
#'   as its only column), and `as.numeric()` its numbers.
#' @references
#' Snyder, J. P. (1987). *Map projections: a working manual*. U.S. Geological
#' Survey. (The orthographic projection.)
#' @seealso [private_frechet_mean()], [plot_ellipsoids()]
#' @examples
#' X <- cbind(stats::rnorm(500, sd = 0.2), stats::rnorm(500, sd = 0.2), 1)
#' X <- X / sqrt(rowSums(X^2))
#' plot(private_frechet_mean(X, manifold_sphere(2), center = c(0, 0, 1),
#'                           radius = pi / 6, epsilon = 1))
#' @order 1
#' @export
plot.dptda_private_frechet_mean <- function(x, data = NULL, level = 0.95, legend = TRUE, main = NULL, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_private_frechet_mean")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  legend <- check_flag(legend)
  picture <- mean_picture(x)
  if (!is.null(data)) data <- check_manifold_points(data, x$manifold)
  reach <- picture_reach(x, level)
  keys <- picture$draw(x, data, reach)
  graphics::title(main = main)
  if (legend && length(keys) > 0) draw_mean_legend(keys, level)
  invisible(x)
}

mean_picture <- function(x, arg = "x") {
  manifold <- x$manifold
  picture <- kind_of(manifold)$picture(manifold)
  if (is.null(picture)) {
    stop_argument(arg,
                  "must be a private mean of manifold_sphere(2), manifold_hyperbolic(2), manifold_spd(2), ",
                  "manifold_spd(3), or manifold_shapes() to be drawn, not of ", manifold$title, ".")
  }
  if (x$method != "ambient" && sqrt(sum(x$coordinates^2)) > drawn_reach(manifold)) {
    stop_argument(arg, "must be within a distance of ", format(drawn_reach(manifold), digits = 3), " of the center to ",
                  "be drawn.")
  }
  picture
}

# The largest distance from the center at which a release is drawn, and the largest radius of the region around it: 100
# units of curvature, or of logarithms of matrices, because a picture shows no more.
drawn_reach <- function(manifold) {
  switch(manifold$kind, sphere = Inf, hyperbolic = 100 / sqrt(-manifold$numbers[2]), 100)
}

picture_reach <- function(x, level) if (x$method != "ambient") min(release_noise(x, level), drawn_reach(x$manifold))

mean_colors <- c(ball = "#0072B2", release = "#D55E00", center = "gray15", data = "gray35")

# Regions of many landmarks overlap. They are filled without edges in a pale color, which does not darken where they do.
is_crowded <- function(manifold) manifold$kind == "shapes" && manifold$shape[1] > 12

pale_color <- function(color, part = 0.25) {
  mixed <- 255 + part * (grDevices::col2rgb(color) - 255)
  stats::setNames(grDevices::rgb(t(mixed), maxColorValue = 255), names(color))
}

# Draws the legend below the picture, in the space that open_square() leaves.
draw_mean_legend <- function(keys, level) {
  words <- mean_words(level)
  lines <- attr(keys, "lines")
  pch <- c(ball = 15, center = if (lines) NA else 3, release = if (lines) NA else 21, reach = 15, data = if (lines)
           NA else 20)
  lty <- c(ball = NA, center = if (lines) 2 else NA, release = if (lines) 1 else NA, reach = NA, data = if (lines)
           1 else NA)
  shade <- grDevices::adjustcolor(mean_colors[c("ball", "release")], 0.25)
  color <- c(ball = shade[1], center = mean_colors[["center"]], release = if (lines)
             mean_colors[["release"]] else "white",
             reach = shade[2], data = grDevices::adjustcolor(mean_colors[["data"]], 0.6))
  graphics::legend("bottom", words[keys], pch = pch[keys], lty = lty[keys], col = color[keys],
                   pt.bg = mean_colors[["release"]],
                   lwd = c(ball = NA, center = 1.4, release = 2.6, reach = NA, data = 0.6)[keys],
                   pt.lwd = 1.4, pt.cex = c(ball = 1.8, center = 1, release = 1.1, reach = 1.8, data = 0.7)[keys],
                   ncol = 2,
                   bty = "n", cex = 0.85, seg.len = 1.4, xpd = NA)
}

mean_words <- function(level) {
  c(ball = "public ball", center = "its center", release = "release",
    reach = paste0("mean (", format_percent(level), ")"), data = "data (not private)")
}

shown_keys <- function(reach, data, lines = FALSE) {
  structure(c("ball", "center", "release", if (!is.null(reach)) "reach", if (!is.null(data)) "data"), lines = lines)
}

# A circle of the manifold around a point (a column), as columns.
geodesic_circle <- function(manifold, center, radius, steps = 180) {
  angle <- seq(0, 2 * pi, length.out = steps + 1)[-1]
  normal_points(radius * rbind(cos(angle), sin(angle)), manifold, center)
}

open_square <- function(half, below = 0.32) {
  graphics::plot.new()
  graphics::plot.window(c(-1, 1) * half, c(-1 - below, 1) * half, asp = 1, xaxs = "i", yaxs = "i")
}

# ---- Planes: points (columns) are drawn by their image under `map` ------------------------------

draw_regions <- function(x, data, reach, map) {
  center <- as.double(x$center)
  region <- function(around, radius, color) {
    outline <- map(geodesic_circle(x$manifold, around, radius))
    graphics::polygon(outline[1, ], outline[2, ], col = grDevices::adjustcolor(color, 0.22),
                      border = grDevices::adjustcolor(color, 0.8))
  }
  mark <- function(points, ...) graphics::points(t(map(points)[1:2, , drop = FALSE]), ...)
  region(center, x$radius, mean_colors[["ball"]])
  if (!is.null(data)) {
    mark(visible_points(data, map), pch = 20, cex = 0.35, col = grDevices::adjustcolor(mean_colors[["data"]], 0.6))
  }
  if (!is.null(reach)) region(as.double(x$value), reach, mean_colors[["release"]])
  mark(matrix(center), pch = 3, cex = 1.1, lwd = 1.6, col = mean_colors[["center"]])
  mark(matrix(as.double(x$value)), pch = 21, cex = 1.1, lwd = 1, bg = mean_colors[["release"]], col = "white")
  shown_keys(reach, data)
}

visible_points <- function(points, map) {
  seen <- map(points)
  points[, nrow(seen) < 3 | seen[nrow(seen), ] > 0, drop = FALSE]
}

# Draws a globe. The rows of `map()` are to the right, upward, and toward the eye.
draw_globe <- function(x, data, reach) {
  map <- globe_map(x)
  open_square(1.06)
  draw_ellipsoids(list(diag(3)), cbind(0, 0, 0), cbind(0.93, 0.95, 0.97),
                  shading = c(ambient = 0.8, diffuse = 0.24, gloss = 0))
  for (line in graticule()) {
    seen <- map(line * x$manifold$numbers[2])
    seen[, seen[3, ] < 0] <- NA
    graphics::lines(seen[1, ], seen[2, ], col = grDevices::adjustcolor("gray35", 0.35), lwd = 0.6)
  }
  draw_regions(x, data, globe_reach(x, reach), map)
}

globe_map <- function(x) {
  size <- x$manifold$numbers[2]
  view <- globe_view(as.double(x$center) / size)
  function(points) view %*% points / size
}

# Limits the region to the whole globe.
globe_reach <- function(x, reach) if (!is.null(reach)) min(reach, pi * x$manifold$numbers[2])

# The rotation that turns the center slightly off the line to the eye, so that the globe looks round, with its axis
# upright if possible.
globe_view <- function(center) {
  axis <- if (abs(center[3]) > 0.9) c(0, 1, 0) else c(0, 0, 1)
  up <- axis - center * sum(axis * center)
  up <- up / sqrt(sum(up^2))
  right <- c(up[2] * center[3] - up[3] * center[2], up[3] * center[1] - up[1] * center[3],
             up[1] * center[2] - up[2] * center[1])
  tilt <- 0.38
  rbind(c(1, 0, 0), c(0, cos(tilt), sin(tilt)), c(0, -sin(tilt), cos(tilt))) %*% rbind(right, up, center)
}

# Lines of the unit globe, points in columns.
graticule <- function() {
  turn <- seq(0, 2 * pi, length.out = 361)
  circles <- lapply(seq(-75, 75, by = 15) * pi / 180, function(height) {
    rbind(cos(height) * cos(turn), cos(height) * sin(turn), sin(height))
  })
  c(circles, lapply(seq(0, 165, by = 15) * pi / 180, function(side) {
    rbind(cos(side) * sin(turn), sin(side) * sin(turn), cos(turn))
  }))
}

draw_disk <- function(x, data, reach) {
  open_square(1.06)
  turn <- seq(0, 2 * pi, length.out = 361)
  graphics::polygon(cos(turn), sin(turn), col = "gray97", border = "gray50")
  draw_regions(x, data, reach, disk_map(x))
}

disk_map <- function(x) {
  size <- 1 / sqrt(-x$manifold$numbers[2])
  function(points) sweep(points[-1, , drop = FALSE], 2, size + points[1, ], `/`)
}

# ---- Positive definite matrices -----------------------------------------------------------------

# Draws bands between the smallest and the largest extent of ellipses, in every direction of the plane.
draw_bands <- function(x, data, reach) {
  turn <- seq(0, 2 * pi, length.out = 181)
  ball <- ellipse_band(x$manifold, as.double(x$center), x$radius, turn)
  open_square(1.06 * max(ball))
  draw_band(ball, turn, mean_colors[["ball"]])
  if (!is.null(data)) {
    shown <- data[, seq_len(min(ncol(data), 200)), drop = FALSE]
    for (i in seq_len(ncol(shown))) {
      draw_outline(ellipse_reach(shown[, i], turn), turn, grDevices::adjustcolor(mean_colors[["data"]], 0.35), 0.6)
    }
  }
  if (!is.null(reach)) {
    region <- ellipse_band(x$manifold, as.double(x$value), reach, turn)
    draw_band(region, turn, mean_colors[["release"]])
  }
  draw_outline(ellipse_reach(as.double(x$center), turn), turn, mean_colors[["center"]], 1.4, lty = 2)
  if (x$on_manifold) draw_outline(ellipse_reach(as.double(x$value), turn), turn, mean_colors[["release"]], 2.6)
  shown_keys(reach, data, lines = TRUE)
}

# The extent of the ellipse v' x^-1 v = 1 in each direction.
ellipse_reach <- function(x, turn) {
  size <- max(abs(x))
  x <- matrix(x / size, 2)
  # doubles lose the short axis of a long ellipse, and the long axis is at most sqrt(2)
  det <- max(x[1, 1] * x[2, 2] - x[1, 2]^2, 1e-30)
  across <- x[2, 2] * cos(turn)^2 - 2 * x[1, 2] * cos(turn) * sin(turn) + x[1, 1] * sin(turn)^2
  sqrt(size) * sqrt(det / pmax(across, det / 2))
}

# The smallest and largest extent over the sphere of this radius, where they are attained: 6,000 well spread directions
# of its three-dimensional tangents.
ellipse_band <- function(manifold, center, radius, turn, directions = 6000) {
  height <- (2 * seq_len(directions) - 1) / directions - 1
  golden <- seq_len(directions) * pi * (3 - sqrt(5))
  spread <- rbind(sqrt(1 - height^2) * cos(golden), sqrt(1 - height^2) * sin(golden), height)
  reaches <- apply(normal_points(radius * spread, manifold, center), 2, ellipse_reach, turn)
  rbind(apply(reaches, 1, min), apply(reaches, 1, max))
}

draw_band <- function(band, turn, color) {
  graphics::polypath(c(band[2, ] * cos(turn), NA, rev(band[1, ] * cos(turn))),
                     c(band[2, ] * sin(turn), NA, rev(band[1, ] * sin(turn))), rule = "evenodd",
                     col = grDevices::adjustcolor(color, 0.2), border = grDevices::adjustcolor(color, 0.5))
}

draw_outline <- function(reach, turn, color, width, ...) {
  graphics::lines(reach * cos(turn), reach * sin(turn), col = color, lwd = width, ...)
}

# Draws ellipsoids in a row: the center, the release, and data beside them.
draw_pair <- function(x, data, reach) {
  most <- 10
  shown <- if (!is.null(data)) array(data[, seq_len(min(ncol(data), most))], c(3, 3, min(ncol(data), most)))
  pair <- array(c(x$center, if (x$on_manifold) x$value), c(3, 3, 1 + x$on_manifold))
  reaches <- function(tensors) max(apply(tensors, 3, function(tensor) sqrt(eigen(tensor, TRUE, TRUE)$values[1])))
  half <- 1.15 * max(reaches(pair), if (!is.null(shown)) reaches(shown) * 0.5)
  places <- cbind(2 * half * seq_len(dim(pair)[3]) - 3 * half, 0)
  open_square(2 * half, below = 0)
  draw <- function(tensors, places, size) plot_ellipsoids(tensors, places, size = size, phi = 60, add = TRUE)
  draw(pair, places, 1)
  graphics::text(places[, 1], 1.2 * half, c("center", "release")[seq_len(nrow(places))], col = "gray25")
  if (!is.null(shown)) {
    count <- dim(shown)[3]
    small <- 4 * half / most
    draw(shown, cbind((seq_len(count) - (count + 1) / 2) * small, -1.5 * half), 0.45 * small / reaches(shown))
    graphics::text(0, -1.15 * half, "data (not private)", col = "gray25", cex = 0.85)
  }
  character()
}
