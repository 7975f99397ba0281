#!/usr/bin/env Rscript
# Draws the picture of README.md, man/figures/README-circles.png, by running the example there. Run from the top of the
# checkout with the package installed. The points are R's, from a seed; the release is a fresh one each time.

library(dptda)

readme <- readLines("README.md")
fence <- which(startsWith(readme, "```"))
opening <- max(fence[fence < grep("^release <- private_diagram", readme)])
example <- parse(text = readme[seq(opening + 1, min(fence[fence > opening]) - 1)])
shows <- vapply(example, function(line) deparse1(line[[1]]) %in% c("plot", "privacy"), NA)
set.seed(1)
for (line in example[!shows]) eval(line)

dir.create("man/figures", showWarnings = FALSE)
png("man/figures/README-circles.png", width = 800, height = 360, res = 90)
par(mfrow = c(1, 2), mar = c(4, 4.4, 2.5, 1), las = 1, cex.main = 1)
plot(X, asp = 1, pch = 20, cex = 0.3, col = "grey40", xlab = "", ylab = "", main = "The data (not released)")
plot(release, main = "The release, epsilon = 1")
invisible(dev.off())
if (nzchar(Sys.which("pngquant"))) { # a third of the size
  system2("pngquant", c("--speed=1", "--quality=40-90", "--force", "--ext=.png", "man/figures/README-circles.png"))
}
