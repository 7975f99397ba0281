#!/usr/bin/env Rscript
# Persistence of grids beside ripserr::cubical (CubicalRipser, the same complex), GUDHI's CubicalComplex (values on the
# top cells; compared by duality) and TDA::gridDiag (the alternating complex). Each pair is first checked to have
# computed the same diagram; an absent peer is skipped and named. Times are the best of several runs, in seconds of one
# thread; a ratio is the peer's time over ours. Writes bench/results/persistence-grid.txt. Run from the top of the
# checkout; DPTDA_BENCH_PYTHON names the python that has gudhi (default python3).
suppressPackageStartupMessages(library(dptda))
source("bench/common.R")
options(dptda.threads = 1)
python <- Sys.getenv("DPTDA_BENCH_PYTHON", "python3")

# Processor time of one run: everything here runs on one thread, and a busy machine disturbs it less than the clock.
# Short runs are repeated until they can be told from the clock's tick; the best of three batches counts, of one if
# slow.
best_time <- function(run) {
  batch <- function(runs) {
    time <- system.time(for (i in seq_len(runs)) run())
    (time[["user.self"]] + time[["sys.self"]]) / runs
  }
  once <- batch(1)
  if (once > 2) return(once)
  runs <- max(1, ceiling(.1 / max(once, .001)))
  min(batch(runs), batch(runs), batch(runs))
}

canonical <- function(dimension, birth, death, digits = 12) {
  rows <- cbind(dimension, signif(birth, digits), signif(death, digits))
  rows[order(rows[, 1], rows[, 2], rows[, 3]), , drop = FALSE]
}
same <- function(x, y) identical(dim(x), dim(y)) && isTRUE(all.equal(x, y, check.attributes = FALSE, tolerance = 1e-9))

# ---- images: independent noise, and the mean distance to the nearest points of a sphere ----

noise_image <- function(extents) array(stats::runif(prod(extents)), extents)

smooth_image <- function(extents, points = 60, nearest = 5) {
  d <- length(extents)
  sphere <- matrix(stats::rnorm(points * d), points)
  sphere <- .7 * sphere / sqrt(rowSums(sphere^2))
  at <- as.matrix(expand.grid(lapply(extents, function(n) seq(-1, 1, length.out = n))))
  squares <- vapply(seq_len(points), function(i) rowSums(sweep(at, 2, sphere[i, ])^2), numeric(nrow(at)))
  total <- 0
  for (i in seq_len(nearest)) {
    column <- max.col(-squares, ties.method = "first")
    total <- total + sqrt(squares[cbind(seq_len(nrow(at)), column)])
    squares[cbind(seq_len(nrow(at)), column)] <- Inf
  }
  array(total / nearest, extents)
}

# ---- peers: each returns its time, after the check, or stops ----

ours_finite <- function(values) {
  diagram <- grid_persistence(values, essential = "drop")
  canonical(diagram$dimension, diagram$birth, diagram$death)
}

peer_ripserr <- function(values) {
  theirs <- as.data.frame(ripserr::cubical(values))
  stopifnot(same(canonical(theirs$dimension, theirs$birth, theirs$death), ours_finite(values)))
  best_time(function() ripserr::cubical(values))
}

peer_tda <- function(values) {
  run <- function() TDA::gridDiag(FUNvalues = values, maxdimension = length(dim(values)) - 1)
  theirs <- run()$diagram
  ours <- grid_persistence(values, triangulation = "alternating", essential = "cap")
  stopifnot(same(canonical(theirs[, 1], theirs[, 2], theirs[, 3]),
                 canonical(ours$dimension, ours$birth, ours$death)))
  best_time(run)
}

# Values on vertices are, turned round and with a low border, values on top cells, with dimension k for d - 1 - k
# (Bleile, Garin, Heiss, Maggs and Robins 2022). The field must be ours, modulo 2: modulo 11, GUDHI's default, a few
# pairs of 64^3 noise are others. The time is taken inside python.
gudhi_script <- "
import sys, time, numpy as np, gudhi
name, shape = sys.argv[1], [int(n) for n in sys.argv[2:]]
values = np.pad(-np.fromfile(name).reshape(shape, order='F'), 1, constant_values=-1e9)
best = 1e9
for i in range(3):
    start = time.process_time()
    complex = gudhi.CubicalComplex(top_dimensional_cells=values)
    complex.compute_persistence(homology_coeff_field=2, min_persistence=0)
    best = min(best, time.process_time() - start)
    if best > 2: break
print(best)
for k in range(len(shape)):
    for birth, death in complex.persistence_intervals_in_dimension(k):
        if death < np.inf and birth > -1e8 and birth < death:
            print(len(shape) - 1 - k, repr(float(-death)), repr(float(-birth)))
"
peer_gudhi <- function(values) {
  files <- c(tempfile(fileext = ".py"), tempfile())
  on.exit(unlink(files))
  writeLines(gudhi_script, files[1])
  writeBin(as.vector(values), files[2])
  lines <- system2(python, c(files, dim(values)), stdout = TRUE)
  rows <- utils::read.table(text = lines[-1])
  stopifnot(same(canonical(rows[[1]], rows[[2]], rows[[3]]), ours_finite(values)))
  as.numeric(lines[1])
}

has_gudhi <- suppressWarnings(system2(python, c("-c", shQuote("import gudhi, numpy")), stdout = FALSE,
                                      stderr = FALSE)) == 0
present <- c(ripserr = requireNamespace("ripserr", quietly = TRUE), GUDHI = has_gudhi,
             TDA = requireNamespace("TDA", quietly = TRUE))
peers <- list(ripserr = peer_ripserr, GUDHI = peer_gudhi, TDA = peer_tda)

# ---- the table ----

compare <- function(label, values, who) {
  force(values) # making the image is not timed
  for (peer in who[present[who]]) {
    triangulation <- if (peer == "TDA") "alternating" else "cubical"
    ours <- best_time(function() grid_persistence(values, triangulation = triangulation))
    theirs <- peers[[peer]](values)
    say("%-22s %-11s ours %8.4f  %-8s %8.4f  ratio %7.1f", label, triangulation, ours, peer, theirs, theirs / ours)
  }
}

set.seed(1)
for (absent in names(present)[!present]) say("%s is absent: skipped", absent)
for (kind in c("noise", "smooth")) {
  make <- if (kind == "noise") noise_image else smooth_image
  compare(paste("200 x 200", kind), make(c(200, 200)), c("ripserr", "GUDHI", "TDA"))
  compare(paste("1000 x 1000", kind), make(c(1000, 1000)), c("ripserr", "GUDHI"))
  compare(paste("40^3", kind), make(rep(40, 3)), c("ripserr", "GUDHI", "TDA"))
  compare(paste("64^3", kind), make(rep(64, 3)), "GUDHI") # ripserr takes minutes
}
values <- noise_image(rep(16, 4))
say("%-22s %-11s ours %8.4f", "16^4 noise", "cubical", best_time(function() grid_persistence(values)))

dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("persistence-grid", paste("# processor seconds, one thread;", R.version.string))
