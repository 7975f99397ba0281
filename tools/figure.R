#!/usr/bin/env Rscript
# Draws the three pictures at the top of README.md into man/figures/: README-histogram.png, README-shape.png, and
# README-rows.png. Run from the top of the checkout with the package installed. The points of the second picture come
# from the example in README.md and a seed. Releases are fresh ones each time. The background is transparent, and the
# ink can be read on white and on black.

library(dptda)

ink <- "#75818d"
blue <- "#2f8fc4"
orange <- "#d9772b"
dir.create("man/figures", showWarnings = FALSE)

# Twice the size at which a page shows it, in a palette of few colors.
draw <- function(name, picture) {
  file <- file.path("man/figures", paste0("README-", name, ".png"))
  png(file, width = 600, height = 540, res = 168, bg = "transparent")
  par(mar = c(3, 3.8, 1.7, 0.4), mgp = c(2, 0.5, 0), tcl = -0.3, las = 1, cex.main = 1, font.main = 1, fg = ink,
      col.axis = ink, col.lab = ink, col.main = ink)
  picture()
  invisible(dev.off())
  if (nzchar(Sys.which("pngquant"))) { # a third of the size
    system2("pngquant", c("--speed=1", "--quality=40-90", "--force", "--ext=.png", file))
  }
}

# ---- a histogram beside the true counts --------------------------------------------------------------------------

breaks <- seq(15, 50, by = 5)
histogram <- private_histogram(infert$age, breaks, epsilon = 0.5)
true <- table(cut(infert$age, breaks, right = FALSE, include.lowest = TRUE))
counts <- as.data.frame(histogram)$value[seq_along(true)]
draw("histogram", function() {
  left <- head(breaks, -1)
  plot(range(breaks), range(0, counts, true), type = "n", bty = "n", xaxt = "n", xlab = "age", ylab = "women",
       main = "Counts, epsilon = 0.5")
  axis(1, breaks)
  rect(left + 0.2, 0, left + 4.8, counts, col = adjustcolor(blue, 0.55), border = NA)
  points(left + 2.5, true, pch = 4, lwd = 2.5, col = orange, xpd = NA)
})

# ---- the example of README.md, the data in an inset --------------------------------------------------------------

readme <- readLines("README.md", encoding = "UTF-8")
fence <- which(startsWith(readme, "```"))
opening <- max(fence[fence < grep("^release <- private_diagram", readme)])
example <- parse(text = readme[seq(opening + 1, min(fence[fence > opening]) - 1)])
shows <- vapply(example, function(line) deparse1(line[[1]]) %in% c("plot", "privacy"), NA)
set.seed(1)
for (line in example[!shows]) eval(line)

draw("shape", function() {
  rows <- as.data.frame(release)
  sure <- feature_evidence(release)$steps
  sure <- paste(sure$dimension, sure$birth, sure$death)[sure$evidence]
  top <- 1.6
  color <- c(blue, orange)[rows$dimension + 1]
  color <- ifelse(paste(rows$dimension, rows$birth, rows$death) %in% sure, color, adjustcolor(color, 0.35))
  plot(rows$birth, pmin(rows$death, top), xlim = c(0, top), ylim = c(0, top), asp = 1, col = color, lwd = 2.5,
       cex = 1.3, pch = c(1, 2)[rows$dimension + 1], xlab = "birth", ylab = "death", main = "Shape, epsilon = 1")
  abline(0, 1)
  legend("topleft", c("component", "loop"), pch = 1:2, pt.lwd = 2.5, col = c(blue, orange), bty = "n", text.col = ink,
         inset = 0.02, cex = 0.9)
  edges <- par("usr")
  par(fig = c(0.55, 0.97, 0.17, 0.47), mar = rep(0, 4), new = TRUE)
  plot(X, asp = 1, pch = 20, cex = 0.15, col = adjustcolor(ink, 0.5), axes = FALSE, xlab = "", ylab = "")
})

# ---- noise for a number of rows ----------------------------------------------------------------------------------

rows <- 10^(2:6)
within <- function(n, epsilon) {
  privacy_price(private_mean(unseen(n), c(15, 50), epsilon = epsilon))$noise$within
}
noise <- sapply(c(0.1, 1), function(epsilon) vapply(rows, within, 0, epsilon = epsilon))
draw("rows", function() {
  matplot(rows, noise, type = "b", log = "xy", pch = c(1, 20), lty = 1, lwd = 2, col = c(orange, blue), axes = FALSE,
          xlab = "rows", ylab = "", main = "Noise of mean age (95%), years")
  axis(1, rows, c("100", "1k", "10k", "100k", "1M"))
  ticks <- 10^(floor(log10(min(noise))):ceiling(log10(max(noise))))
  axis(2, ticks, format(ticks, scientific = FALSE, drop0trailing = TRUE, trim = TRUE))
  box()
  legend("topright", c("epsilon = 0.1", "epsilon = 1"), pch = c(1, 20), col = c(orange, blue), lwd = 2, bty = "n",
         text.col = ink, cex = 0.9)
})
