# The distance to a measure in whole numbers. Rows and grid points are brought
# to the whole numbers of a public lattice, one by one; everything after that is
# exact, so that replacing one row moves each value by at most K steps, as
# computed (inst/proofs/dtm-sensitivity.md, "On a lattice"). For r other
# than 1 and 2 values are doubles with a proved error, and the step makes up for
# it.

# No value of a release exceeds this.
most_values <- 2^31 - 1

# What is public about it, for `n` rows or people (unseen()): a list of
#   n, grid, m0, r, clip, k   `grid` may be landmarks; k of the n count
#   weight        what each of them weighs (base-people.R), 1 of rows: k times that
#                 is what the nearest rows weigh together
#   scale         steps of the lattice of rows to a unit of the data, a power of two
#   cap, change   in those steps, whole: distances are cut at `cap`, and one row
#                 moves one of them by at most `change`
#   sensitivity   of the values, in units of the data: K steps
#   ratio         no value exceeds ratio * K steps (ratio * sensitivity in units of the data)
# scale, cap and change are NA for r other than 1 and 2.
distance_lattice <- function(n, grid, m0, r, clip, units = check_public_units(n, 1, exact = TRUE)) {
  n <- units$n
  reach <- domain_reach(grid)
  check_resolution(grid, clip, reach)
  k <- neighbor_count(n, m0)
  whole <- r %in% c(1, 2)
  weight <- units_weight(units, if (whole) log2(most_neighbors) - log2(k) else 52 - ceiling(log2(n)))
  lattice <- list(n = n, grid = grid, m0 = m0, r = r, clip = clip, k = k, weight = weight, scale = NA_real_,
                  cap = NA_real_, change = NA_real_)
  if (!whole) {
    check_exponent(grid, r)
    lattice$sensitivity <- computed_sensitivity(n, grid, m0, r, clip)
    lattice$ratio <- min(clip, reach) / lattice$sensitivity
    return(lattice)
  }
  if (k > most_neighbors) {
    stop_argument("m0", "must give at most 2^31 nearest rows, not ", format(k), ".")
  }
  lattice[c("scale", "cap", "change")] <- domain_scale(grid, k * weight, clip, min(clip, reach))
  lattice$sensitivity <- lattice$change / lattice$scale / k^(1 / r)
  lattice$ratio <- k^(1 / r) * lattice$cap / lattice$change
  lattice
}

# Where the proof of the rounding error holds, and where nothing overflows on
# the way to a release: a public matter, settled before anything is spent.
check_resolution <- function(grid, clip, reach) {
  if (min(clip, reach) == Inf) {
    stop_argument("clip", "must be finite on ", domain_facts(grid)$title, ", because nothing else bounds distances.")
  }
  if (!(reach >= 2^-900 && (reach <= 2^1000 || reach == Inf && clip <= 2^1000))) {
    stop_argument("grid", "must have a largest distance to a point of its box between 2^-900 and 2^1000.")
  }
  least <- max(2^-900, 2^-400 * largest_coordinate(grid))
  if (clip < least) {
    stop_argument("clip", "must be at least ", format(least, digits = 3),
                  ", 2^-400 of the largest coordinate of the grid, not ", format(clip), ".")
  }
}

# No distance of a lattice exceeds this, a power of two: k times it is at most 2^52, and so are squares.
lattice_top <- function(k) 2^min(26, 52 - ceiling(log2(k)))

# Values for an r other than 1 and 2 are in doubles, whose error is proved as far as that of a sum of squares.
check_exponent <- function(domain, r) {
  if (!is_euclidean(metric_of(domain))) stop_argument("r", "must be 1 or 2 for this metric, not ", format(r), ".")
  if (isTRUE(ncol(field_of(domain, "points")) > 300)) {
    stop_argument("r", "must be 1 or 2 for landmarks with more than 300 coordinates, not ", format(r), ".")
  }
}

# Steps of a lattice to a unit, a power of two: `bound` is then between a quarter and one half of the top.
scale_below <- function(top, bound) top / 2^(1 + binary_exponent(bound))

# `scale`, `cap` and `change` of the lattice, for r of 1 or 2. `bound`: no distance that counts is larger. Values of
# metrics other than the Euclidean one are cut at the cap as they are computed, so that a change is at most the cap,
# whatever they are.
domain_scale <- function(domain, k, clip, bound) {
  top <- lattice_top(k)
  scale <- scale_below(top, bound)
  if (!is_euclidean(metric_of(domain))) {
    cap <- max(1, min(round(bound * scale), top))
    return(list(scale = scale, cap = cap, change = cap))
  }
  # On axes: squares of whole numbers are exact. Without a box there is nothing but the clip that bounds a change.
  box <- euclidean_box(domain, clip)
  # to the nearest whole number, as the kernel does it
  place <- function(x) round(x * scale)
  reach <- max(apply(farthest_sides(domain, box, place), 1, ceiling_of_length))
  cap <- min(round(clip * scale), reach, top)
  list(scale = scale, cap = cap, change = max(1, min(cap, ceiling_of_length(place(box$upper) - place(box$lower)))))
}

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

# The values: whole numbers, one for each vertex. `X` are rows or bins, as many as the lattice is for.
lattice_distances <- function(x, lattice, K) {
  cloud <- domain_cloud(lattice$grid, x, "x")
  if (cloud$total != lattice$n) {
    stop_argument("x", "must have ", format(lattice$n), " rows, not ", format(cloud$total), ".")
  }
  lattice_values(lattice$grid, weigh_rows(cloud, lattice$weight), lattice, K)
}

# Of Euclidean distances to the rows of `places`; `whole` does it in whole numbers: descend_values() here, whose time is
# that of many queries near each other, or landmark_values().
euclidean_values <- function(cloud, places, lattice, K, whole) {
  points <- cloud$points
  weights <- point_weights(cloud, lattice$weight)
  k <- lattice$k * lattice$weight
  if (lattice$r %in% c(1, 2)) {
    return(whole(points, weights, places, k, lattice$r, lattice$cap, lattice$scale, lattice$change, K, lattice$weight))
  }
  # sums of doubles depend on the order of their terms
  keys <- c(lapply(seq_len(ncol(points)), function(j) points[, j]), if (!is.null(weights)) list(weights))
  sorted <- do.call(order, c(keys, list(method = "radix")))
  values <- .Call(ffi_dtm_values, points[sorted, , drop = FALSE], weights[sorted], places, k, lattice$r, lattice$clip,
                  kernel_options(progress = kernel_progress("Distance to measure")))
  pmin(floor(values / lattice_step(lattice, K) + 0.5), lattice_largest(lattice, K))
}

descend_values <- function(points, weights, places, k, r, cap, scale, change, steps, unit) {
  .Call(ffi_dtm_lattice_distance, points, weights, places, k, r, cap, scale, change, steps, unit,
        kernel_options(progress = kernel_progress("Distance to measure")))
}

#' @export
lattice_values.dptda_grid <- function(domain, cloud, lattice, K) {
  array(euclidean_values(cloud, grid_vertices(domain), lattice, K, descend_values), grid_size(domain))
}
