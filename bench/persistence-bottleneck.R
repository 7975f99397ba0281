#!/usr/bin/env Rscript
# Bottleneck distance of two random diagrams: ours, phutil (Hera), TDA (an old GUDHI) and GUDHI through python3, whose
# time is taken inside python. Values are compared before times. Run from the top of the checkout:
#   Rscript bench/persistence-bottleneck.R

library(dptda)
source("bench/common.R")
set.seed(20)

random_diagram <- function(n) {
  birth <- stats::runif(n)
  persistence_diagram(0, birth, birth + stats::runif(n) * (1 - birth))
}
seconds <- function(code, least = 0.3) {
  code <- substitute(code)
  env <- parent.frame()
  runs <- 0
  started <- proc.time()[["elapsed"]]
  repeat {
    value <- eval(code, env)
    runs <- runs + 1
    spent <- proc.time()[["elapsed"]] - started
    if (spent > least) return(list(value = value, seconds = spent / runs))
  }
}

gudhi_python <- Find(function(python) {
  nzchar(python) && system2(python, c("-c", shQuote("import gudhi, numpy")), stdout = FALSE, stderr = FALSE) == 0
}, c(Sys.getenv("DPTDA_GUDHI_PYTHON"), "/usr/bin/python3", unname(Sys.which("python3"))))

by_gudhi <- function(x, y) {
  files <- c(tempfile(), tempfile())
  on.exit(unlink(files))
  write_pairs <- function(d, file) writeBin(as.vector(t(as.matrix(d)[, 2:3, drop = FALSE])), file)
  Map(write_pairs, list(x, y), files)
  program <- paste(
    "import sys, time, gudhi, numpy as np",
    "x, y = (np.fromfile(f).reshape(-1, 2) for f in sys.argv[1:])",
    "best = 1e9",
    "for run in range(3):",
    "    start = time.perf_counter()",
    "    value = gudhi.bottleneck_distance(x, y, 0)",
    "    best = min(best, time.perf_counter() - start)",
    "print('%.17g %.9g' % (value, best))", sep = "\n")
  answer <- scan(text = system2(gudhi_python, c("-c", shQuote(program), files), stdout = TRUE), quiet = TRUE)
  list(value = answer[1], seconds = answer[2])
}

peers <- list(
  GUDHI = if (!is.null(gudhi_python)) by_gudhi,
  phutil = if (requireNamespace("phutil", quietly = TRUE)) function(x, y) {
    x <- phutil::as_persistence(x)
    y <- phutil::as_persistence(y)
    seconds(phutil::bottleneck_distance(x, y, dimension = 0L))
  },
  TDA = if (requireNamespace("TDA", quietly = TRUE)) function(x, y) {
    if (nrow(x) > 500) return(NULL)
    x <- as.matrix(x)
    y <- as.matrix(y)
    seconds(TDA::bottleneck(x, y, dimension = 0))
  }
)

absent <- setdiff(c("GUDHI", "phutil", "TDA"), names(Filter(Negate(is.null), peers)))
if (length(absent)) say("absent, skipped: %s", toString(absent))
say("%6s %6s %10s %12s %12s %8s %12s", "n", "m", "peer", "ours (s)", "peer (s)", "ratio", "difference")
for (size in list(c(5, 200), c(50, 50), c(500, 500), c(2000, 1000), c(2000, 2000))) {
  x <- random_diagram(size[1])
  y <- random_diagram(size[2])
  ours <- seconds(bottleneck_distance(x, y, dimension = 0))
  for (name in names(peers)) {
    theirs <- if (!is.null(peers[[name]])) peers[[name]](x, y)
    if (is.null(theirs)) next
    # phutil's default tolerance is relative 1.5e-8; the others are exact
    stopifnot(abs(theirs$value - ours$value) <= 1e-6 * ours$value)
    say("%6d %6d %10s %12.6f %12.6f %8.1f %12.1e", size[1], size[2], name, ours$seconds, theirs$seconds,
        theirs$seconds / ours$seconds, theirs$value - ours$value)
  }
}
dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("persistence-bottleneck")
