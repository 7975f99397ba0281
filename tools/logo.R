#!/usr/bin/env Rscript
# Draws the logo, man/figures/logo.png, and the small pictures that a browser puts beside the name of the site, in
# pkgdown/favicon/. Run from the top of the checkout with the package installed.
#
# It is a private diagram of two noisy circles, epsilon = 1. Above the diagonal stand a piece (blue) and two loops
# (orange), each in the square where its true point is, and beside the diagonal the band in which a point would be no
# evidence; below it, some of the points. The data are made up, and the release is drawn from a seed, so that the logo
# is the same each time.

library(dptda)

set.seed(1)
angle <- runif(4000, 0, 2 * pi)
X <- rbind(1.5 * cbind(cos(angle), sin(angle))[1:2400, ] + 1.3,
           0.8 * cbind(cos(angle), sin(angle))[2401:4000, ] - 1.9) + rnorm(8000, sd = 0.03)
grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)
release <- private_diagram(X, grid, epsilon = 1, m0 = 0.1, clip = 1.6, rng = "R")
evidence <- feature_evidence(release)
found <- evidence$steps[evidence$steps$evidence, ]
band <- max(evidence$features$band)

# Corners of a hexagon that stands on one of them.
hexagon <- function(radius) {
  angle <- pi / 2 + 2 * pi * (0:5) / 6
  list(x = radius * cos(angle), y = radius * sin(angle))
}

# For a tab of a browser nothing is left but the triangle and its points.
draw_logo <- function(words, weight) {
  par(mar = rep(0, 4), bg = "transparent")
  plot.new()
  plot.window(c(-0.87, 0.87), c(-1, 1), asp = 1, xaxs = "i", yaxs = "i")
  polygon(hexagon(1), col = "#56B4E9", border = NA)
  polygon(hexagon(if (words) 0.94 else 0.9), col = "#12344d", border = NA)
  side <- if (words) 0.96 else 1.06
  corner <- c(-side / 2, if (words) -0.34 else -0.53)
  most <- 1.55
  x <- function(birth) corner[1] + side * birth / most
  y <- function(death) corner[2] + side * death / most
  polygon(x(c(0, most, most - band, 0)), y(c(0, most, most, band)), col = "#3b6d8f", border = NA)
  lines(x(c(0, 0, NA, 0, most)), y(c(0, most, NA, 0, most)), col = "#dde8ef", lwd = 4.5 * weight, lend = 1, ljoin = 1)
  colors <- c("#56B4E9", "#E69F00")[found$dimension + 1]
  if (words) {
    some <- X[c(seq(1, 2400, 15), seq(2401, 4000, 18)), ] # of both circles
    points(0.29 + 0.088 * some[, 1], -0.13 + 0.088 * some[, 2], pch = 16, col = "#8fb3c9", cex = 0.42 * weight)
    reach <- found$region
    rect(x(found$birth - reach), y(found$death - reach), x(found$birth + reach), y(found$death + reach),
         col = adjustcolor(colors, 0.3), border = colors, lwd = 2 * weight)
  }
  points(x(found$birth), y(found$death), pch = 16, col = colors, cex = 2.8 * weight)
  if (words) text(0, -0.6, "dptda", col = "white", cex = 5 * weight, font = 2)
}

# Pictures of a few pixels are drawn large, and averaged.
draw <- function(file, width, words = TRUE, height = round(width * 2 / sqrt(3))) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  png(file, width = width, height = height, type = "cairo", bg = "transparent", res = 72)
  draw_logo(words, if (words) width / 480 else width / 200)
  invisible(dev.off())
  if (nzchar(Sys.which("pngquant"))) system2("pngquant", c("--force", "--ext", ".png", "--speed=1", "64", file))
}

draw("man/figures/logo.png", 480)
for (size in c(16, 32)) draw(sprintf("pkgdown/favicon/favicon-%dx%d.png", size, size), size, FALSE, size)
for (size in c(60, 76, 120, 180)) {
  name <- if (size == 180) "apple-touch-icon.png" else sprintf("apple-touch-icon-%dx%d.png", size, size)
  draw(file.path("pkgdown/favicon", name), size, FALSE, size)
}
