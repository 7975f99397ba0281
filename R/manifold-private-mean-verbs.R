# The plot of a private mean for ggplot2: the shapes that plot() draws, as a data frame. `part`: the role of a shape, a
# name of mean_words(), or NA for the background. `kind`: "region" (cut out if `hole` is TRUE), "line", "point", or
# "label". `group`: one value per shape. `panel`: its panel.

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_frechet_mean <- function(object, data = NULL, level = 0.95, ...) {
  check_no_dots(...)
  check_result(object, "object")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  picture <- mean_picture(object, "object")
  if (!is.null(data)) data <- check_manifold_points(data, object$manifold)
  shapes <- picture$shapes(object, data, picture_reach(object, level))
  words <- mean_words(level)
  shapes$part <- factor(words[shapes$part], words)
  shapes_of <- function(kind, known = TRUE) shapes[shapes$kind == kind & is.na(shapes$part) != known, ]
  colors <- stats::setNames(mean_colors[c("ball", "center", "release", "release", "data")], words)
  plain <- ggplot2::aes(x = .data$x, y = .data$y, group = .data$group)
  at <- utils::modifyList(plain, ggplot2::aes(color = .data$part))
  of_data <- shapes$part %in% words[["data"]]
  shapes$width <- ifelse(of_data, 0.3, 0.9)
  shapes$size <- ifelse(of_data, 0.6, 2.4)
  thin <- ggplot2::aes(linewidth = .data$width)
  small <- ggplot2::aes(size = .data$size)
  filled <- utils::modifyList(at, ggplot2::aes(fill = .data$part, subgroup = .data$hole))
  crowded <- is_crowded(object$manifold)
  regions <- if (crowded) {
    ggplot2::geom_polygon(filled, shapes_of("region"), color = NA)
  } else {
    ggplot2::geom_polygon(filled, shapes_of("region"), alpha = 0.2)
  }
  limits <- unname(words[words %in% shapes$part])
  fills <- if (crowded) pale_color(colors) else colors
  drawn <- ggplot2::ggplot(shapes) +
    ggplot2::geom_path(plain, shapes_of("line", FALSE), color = "gray70", linewidth = 0.3, na.rm = TRUE) +
    regions +
    ggplot2::geom_path(utils::modifyList(at, thin), shapes_of("line"), na.rm = TRUE) +
    ggplot2::geom_point(utils::modifyList(at, small), shapes_of("point")) +
    ggplot2::scale_linewidth_identity() + ggplot2::scale_size_identity() +
    ggplot2::scale_color_manual(values = colors, name = NULL, limits = limits) +
    ggplot2::scale_fill_manual(values = fills, name = NULL, limits = limits) +
    ggplot2::coord_equal() + ggplot2::labs(x = NULL, y = NULL) + picture_theme()
  if (any(shapes$kind == "label")) {
    drawn <- drawn + ggplot2::geom_text(utils::modifyList(plain, ggplot2::aes(label = .data$label)),
                                        shapes_of("label"), size = 3, color = mean_colors[["center"]])
  }
  if (length(unique(shapes$panel)) > 1) drawn <- drawn + ggplot2::facet_wrap(~ panel)
  drawn
}

# Returns one shape. `points` has x and y in its first two rows.
mean_shape <- function(points, part, kind, group = NULL, hole = FALSE, panel = "") {
  n <- ncol(points)
  data.frame(x = points[1, ], y = points[2, ], part = rep(part, n), kind = rep(kind, n), hole = rep(hole, n),
             group = rep(paste(panel, part, kind, group), n), panel = rep(panel, n), label = rep("", n))
}

# Returns the shapes that draw_regions() draws.
plane_shapes <- function(x, data, reach, map, behind) {
  center <- as.double(x$center)
  value <- as.double(x$value)
  region <- function(around, radius, part) mean_shape(map(geodesic_circle(x$manifold, around, radius)), part, "region")
  rbind(
    behind, region(center, x$radius, "ball"),
    if (!is.null(data)) mean_shape(map(visible_points(data, map)), "data", "point"),
    if (!is.null(reach)) region(value, reach, "reach"),
    mean_shape(map(matrix(center)), "center", "point"), mean_shape(map(matrix(value)), "release", "point")
  )
}

unit_circle <- function() {
  turn <- seq(0, 2 * pi, length.out = 361)
  rbind(cos(turn), sin(turn))
}

globe_shapes <- function(x, data, reach) {
  map <- globe_map(x)
  lines <- lapply(graticule(), function(line) {
    seen <- map(line * x$manifold$numbers[2])
    seen[, seen[3, ] < 0] <- NA
    seen
  })
  lines <- c(lines, list(unit_circle()))
  behind <- do.call(rbind, lapply(seq_along(lines), function(i) mean_shape(lines[[i]], NA_character_, "line", i)))
  plane_shapes(x, data, globe_reach(x, reach), map, behind)
}

disk_shapes <- function(x, data, reach) {
  plane_shapes(x, data, reach, disk_map(x), mean_shape(unit_circle(), NA_character_, "line"))
}

# Returns the shapes that draw_bands() draws.
band_shapes <- function(x, data, reach) {
  turn <- seq(0, 2 * pi, length.out = 181)
  around <- rbind(cos(turn), sin(turn))
  band <- function(center, radius, part) {
    reaches <- ellipse_band(x$manifold, as.double(center), radius, turn)
    rbind(mean_shape(sweep(around, 2, reaches[2, ], `*`), part, "region"),
          mean_shape(sweep(around, 2, reaches[1, ], `*`), part, "region", hole = TRUE))
  }
  ellipse <- function(tensor, part, group = NULL) {
    mean_shape(sweep(around, 2, ellipse_reach(tensor, turn), `*`), part, "line", group)
  }
  rbind(
    band(x$center, x$radius, "ball"), if (!is.null(data)) each_tensor(data, ellipse),
    if (!is.null(reach)) band(x$value, reach, "reach"),
    ellipse(as.double(x$center), "center"), if (x$on_manifold) ellipse(as.double(x$value), "release")
  )
}

each_tensor <- function(data, ellipse, most = 200) {
  do.call(rbind, lapply(seq_len(min(ncol(data), most)), function(i) ellipse(data[, i], "data", i)))
}

# Returns the shadows of three-dimensional ellipsoids. The shadow of the ellipsoid of x on two axes is the ellipse of
# the corresponding 2 x 2 block of x.
pair_shapes <- function(x, data, reach) {
  turn <- seq(0, 2 * pi, length.out = 181)
  around <- rbind(cos(turn), sin(turn))
  shadows <- function(tensor, part, group = NULL) {
    tensor <- matrix(tensor, 3)
    do.call(rbind, lapply(list(1:2, c(1, 3), 2:3), function(axes) {
      shadow <- sweep(around, 2, ellipse_reach(as.double(tensor[axes, axes]), turn), `*`)
      mean_shape(shadow, part, "line", group, panel = paste0("shadow, axes ", axes[1], ", ", axes[2]))
    }))
  }
  rbind(if (!is.null(data)) each_tensor(data, shadows, 10), shadows(as.double(x$center), "center"),
        if (x$on_manifold) shadows(as.double(x$value), "release"))
}
