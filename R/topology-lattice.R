# The distance to a measure in whole numbers. Rows and grid points are brought
# to the whole numbers of a public lattice, one by one; everything after that is
# exact, so that replacing one row moves each value by at most K steps, as
# computed (inst/proofs/topology-sensitivity.md, "On a lattice"). For r other
# than 1 and 2 values are doubles with a proved error, and the step makes up for
# it.

# No value of a release exceeds this.
most_values <- 2^31 - 1

# What is public about it: a list of
#   n, grid, m0, r, clip, k
#   scale         steps of the lattice of rows to a unit of the data, a power of two
#   cap, change   in those steps, whole: distances are cut at `cap`, and one row
#                 moves one of them by at most `change`
#   sensitivity   of the values, in units of the data: K steps
#   ratio         no value exceeds ratio * K steps (ratio * sensitivity in units of the data)
# scale, cap and change are NA for r other than 1 and 2.
distance_lattice <- function(n, grid, m0, r, clip) {
  check_resolution(grid, clip)
  k <- neighbor_count(n, m0)
  lattice <- list(n = n, grid = grid, m0 = m0, r = r, clip = clip, k = k, scale = NA_real_, cap = NA_real_, change = NA_real_)
  if (!r %in% c(1, 2)) {
    lattice$sensitivity <- computed_sensitivity(n, grid, m0, r, clip)
    lattice$ratio <- diagram_bound(grid, clip) / lattice$sensitivity
    return(lattice)
  }
  if (k > 2^31) {
    stop_argument("m0", "must leave at most 2^31 nearest rows, not ", format(k), ", where distances are whole numbers.")
  }
  # cap <= 2^bits: squares are at most 2^52, and so is k times the cap
  bits <- min(26, 52 - ceiling(log2(k)))
  lattice$scale <- 2^(bits - 1 - binary_exponent(diagram_bound(grid, clip)))
  box <- lapply(grid$box[c("lower", "upper")], lattice_places, lattice$scale)
  reach <- Map(function(axis, lower, upper) max(abs(outer(lattice_places(range(axis), lattice$scale), c(lower, upper), "-"))),
               grid$axes, box$lower, box$upper)
  lattice$cap <- min(round(clip * lattice$scale), ceiling_of_length(unlist(reach)), 2^bits)
  lattice$change <- max(1, min(lattice$cap, ceiling_of_length(box$upper - box$lower)))
  lattice$sensitivity <- lattice$change / lattice$scale / k^(1 / r)
  lattice$ratio <- k^(1 / r) * lattice$cap / lattice$change
  lattice
}

# To the nearest whole number, as the kernel does it.
lattice_places <- function(x, scale) round(x * scale)

# The length of a vector of whole numbers, rounded up: exact up to 2^26, and
# beyond that at least 2^26.
ceiling_of_length <- function(x) {
  if (max(abs(x)) >= 2^26) return(2^26)
  ceiling(sqrt(sum(x^2)))
}

# What a step stands for, in units of the data.
lattice_step <- function(lattice, K) lattice$sensitivity / K

# N: no value exceeds it, whatever the rows. Exact where one of the two is a
# whole number by far, and at most one too large.
lattice_largest <- function(lattice, K) {
  floor(lattice$ratio * K * (1 + 2^-40) + if (lattice$r %in% c(1, 2)) 0 else 0.5)
}

# The largest K for which no value exceeds `most`; 0 where there is none.
lattice_most_steps <- function(lattice, most = most_values) {
  K <- min(floor((most + 1) / lattice$ratio), most)
  while (K > 0 && lattice_largest(lattice, K) > most) K <- K - 1
  K
}

# The values: whole numbers in an array with the dimensions of the grid. `X` are
# rows or bins, as many as the lattice is for.
lattice_distances <- function(X, lattice, K) {
  grid <- lattice$grid
  cloud <- check_cloud(X, NULL, box = grid$box)
  if (cloud$total != lattice$n) {
    stop_argument("X", "must have ", format(lattice$n), " rows, not ", format(cloud$total), ".")
  }
  points <- clamp_to_box(cloud$points, grid$box)
  options <- kernel_options(progress = kernel_progress("Distance to measure"))
  if (lattice$r %in% c(1, 2)) {
    values <- .Call(ffi_topology_lattice_distance, points, cloud$weights, as.matrix(grid), lattice$k, lattice$r,
                    lattice$cap, lattice$scale, lattice$change, K, options)
  } else {
    # sums of doubles depend on the order of their terms
    sorted <- do.call(order, c(lapply(seq_len(ncol(points)), function(j) points[, j]), list(method = "radix")))
    values <- .Call(ffi_topology_dtm, points[sorted, , drop = FALSE], cloud$weights[sorted], as.matrix(grid), lattice$k,
                    lattice$r, lattice$clip, options)
    values <- pmin(floor(values / lattice_step(lattice, K) + 0.5), lattice_largest(lattice, K))
  }
  array(values, dim(grid))
}
