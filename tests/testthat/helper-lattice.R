# Turns rows into integer steps from the first point of the lattice, from 0 to last - first, as the kernel and databases
# do.
lattice_steps <- function(X, lattice) {
  for (j in seq_len(ncol(X))) {
    X[, j] <- pmin(pmax(floor(X[, j] / lattice$step[j] + 0.5), lattice$first[j]), lattice$last[j]) - lattice$first[j]
  }
  X
}

# Moves rows to the nearest points of the public lattice of a box, in the units of the rows.
lattice_snap <- function(x, box, bits) {
  lattice <- public_lattice(box, bits)
  snapped <- sweep(lattice_steps(check_points(x, min_rows = 0, box = box), lattice), 2, lattice$first, `+`)
  structure(sweep(snapped, 2, lattice$step, `*`), lattice = lattice)
}
