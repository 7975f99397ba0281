#!/usr/bin/env Rscript
# Curves of 10,000 diagrams of 20 points at 64 levels, on one thread: the whole call, which mostly reads and checks a
# list of data frames, and TDA::landscape() on one in a hundred of them. Landscapes must be equal. Run from the top of
# the checkout:
#   Rscript bench/persistence-curve.R

library(dptda)
source("bench/common.R")
options(dptda.threads = 1)
set.seed(21)

diagrams <- lapply(1:10000, function(i) {
  birth <- stats::runif(20)
  persistence_diagram(1, birth, birth + (1 - birth) * stats::runif(20))
})
range <- c(0, 1)
curves <- list(curve_landscape(range, 1), curve_landscape(range, 1, level = 3), curve_betti(range, 1),
               curve_life(range, 1))
# writes as many numbers as the results have: the least that any kernel does
write <- function() double(10000 * 64) + 1

say("%36s %12s %16s %12s", "seconds", "ours", "TDA (x 100)", "writing")
for (curve in curves) {
  some <- seq(1, 10000, by = 100)
  peer <- if (curve$kind == "landscape" && requireNamespace("TDA", quietly = TRUE)) function() {
    theirs <<- t(vapply(diagrams[some], function(x) {
      drop(TDA::landscape(as.matrix(x), 1, curve$level, diagram_curve(x, curve)$grid))
    }, double(64)))
  }
  times <- race(9, function() ours <<- as.matrix(diagram_curve(diagrams, curve)), write,
                if (is.null(peer)) write else peer)
  if (!is.null(peer)) stopifnot(max(abs(theirs - ours[some, ])) < 1e-12)
  say("%36s %12.3f %16s %12.4f", paste(curve$kind, curve$level), times[1],
      if (is.null(peer)) "-" else format(100 * times[3], digits = 3), times[2])
}
dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("persistence-curve")
