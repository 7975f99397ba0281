# Rows moved to the nearest points of the public lattice of a box, in the units of the rows.
lattice_snap <- function(X, box, bits) {
  lattice <- public_lattice(box, bits)
  snapped <- sweep(lattice_steps(check_points(X, min_rows = 0, box = box), lattice), 2, lattice$first, `+`)
  structure(sweep(snapped, 2, lattice$step, `*`), lattice = lattice)
}
