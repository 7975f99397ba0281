# Pictures of private means of shapes: landmarks in the rotation of the center, with the regions that they may reach.
# Landmarks are joined in their order, and numbered.

# At most 20 landmarks are numbered.
numbered_landmarks <- function(k) seq(1, k, by = ceiling(k / 20))

# The numbers stand away from the middle of the shape.
label_places <- function(z, far) {
  chosen <- numbered_landmarks(length(z))
  z[chosen] + far * ifelse(Mod(z[chosen]) > 0, z[chosen] / Mod(z[chosen]), 1)
}

# Turns each of the shapes, as columns of complex numbers, to the one that is nearest to z.
turned_to <- function(z, P) {
  Z <- complex_landmarks(P)
  inner <- as.vector(Conj(t(z)) %*% Z)
  sweep(Z, 2, ifelse(Mod(inner) > 0, Conj(inner) / Mod(inner), 1), `*`)
}

# The region of each landmark over the shapes within `reach` of z, if they are turned to z: a union of disks. The end
# cos(t) z + sin(t) u of a geodesic has landmark j in the disk about cos(t) z_j with the radius sin(t) sqrt(1 - 1/k -
# |z_j|^2), since u is a centered vector of length one orthogonal to z. Returns its convex hull, a list of complex
# vectors.
regions_of_shape <- function(z, reach) {
  turn <- exp(1i * seq(0, 2 * pi, length.out = 73)[-1])
  times <- seq(0, min(reach, pi / 2), length.out = 25)
  lapply(z, function(landmark) {
    wide <- sqrt(max(1 - 1 / length(z) - Mod(landmark)^2, 0))
    edge <- as.vector(outer(turn, sin(times) * wide) + rep(cos(times) * landmark, each = length(turn)))
    edge[grDevices::chull(Re(edge), Im(edge))]
  })
}

# Everything that a picture shows: list(center, ball, release, reach, data).
shape_picture <- function(x, data, reach) {
  z <- complex_landmarks(as.double(x$center))[, 1]
  release <- if (x$on_manifold) turned_to(z, as.double(x$value))[, 1]
  list(center = z, ball = regions_of_shape(z, x$radius), release = release,
       reach = if (!is.null(reach) && !is.null(release)) regions_of_shape(release, reach),
       data = if (!is.null(data)) turned_to(z, data))
}

draw_shape_of_landmarks <- function(x, data, reach) {
  shown <- shape_picture(x, data, reach)
  half <- max(Mod(unlist(shown)))
  open_square(1.06 * half)
  crowded <- is_crowded(x$manifold)
  fill <- function(regions, color) {
    inside <- if (crowded) pale_color(color) else grDevices::adjustcolor(color, 0.18)
    edge <- if (crowded) NA else grDevices::adjustcolor(color, 0.7)
    for (region in regions) graphics::polygon(Re(region), Im(region), col = inside, border = edge)
  }
  fill(shown$ball, mean_colors[["ball"]])
  if (!is.null(data)) {
    graphics::points(shown$data, pch = 20, cex = 0.35, col = grDevices::adjustcolor(mean_colors[["data"]], 0.6))
  }
  fill(shown$reach, mean_colors[["release"]])
  size <- if (crowded) 0.7 else 1.1
  graphics::lines(shown$center, lty = 3, col = mean_colors[["center"]])
  graphics::points(shown$center, pch = 3, cex = size, lwd = 1.6, col = mean_colors[["center"]])
  if (!is.null(shown$release)) {
    graphics::lines(shown$release, col = mean_colors[["release"]])
    graphics::points(shown$release, pch = 21, cex = size, bg = mean_colors[["release"]], col = "white")
  }
  graphics::text(label_places(shown$center, half / 14), labels = numbered_landmarks(length(shown$center)), cex = 0.75,
                 col = mean_colors[["center"]])
  shown_keys(shown$reach, data)
}

shape_shapes <- function(x, data, reach) {
  shown <- shape_picture(x, data, reach)
  flat <- function(z) rbind(Re(z), Im(z))
  regions <- function(part) {
    do.call(rbind, lapply(seq_along(shown[[part]]), function(j) {
      mean_shape(flat(shown[[part]][[j]]), part, "region", j)
    }))
  }
  marks <- function(part, kind = "point") {
    if (!is.null(shown[[part]])) mean_shape(flat(as.vector(shown[[part]])), part, kind)
  }
  labels <- mean_shape(flat(label_places(shown$center, max(Mod(unlist(shown))) / 14)), "center", "label")
  labels$label <- as.character(numbered_landmarks(length(shown$center)))
  rbind(regions("ball"), marks("data"), regions("reach"), marks("center", "line"), marks("release", "line"),
        marks("center"), marks("release"), labels)
}
