# The distance to a measure in integers. Each row and each grid point is rounded by itself to integers of a public
# lattice. All later steps are exact, so that replacing one row changes each computed value by at most K steps
# (inst/proofs/dtm-sensitivity.md, "On a lattice"). For r other than 1 and 2, values are doubles with a proved error,
# and the step makes up for it.

# Upper limit of all values of a release.
most_values <- 2^31 - 1

# The public part for `n` rows or people (unseen()): a list of
#   n, grid, m0, r, clip, k   `grid` may be landmarks, and k of the n are nearest
#   weight        weight of a person (base-people.R), 1 for rows. The nearest rows
#                 weigh k times as much together
#   scale         lattice steps per unit of the data, for rows, a power of two
#   cap, change   integers, in these steps: distances are cut at `cap`, and one row
#                 changes a distance by at most `change`
#   sensitivity   sensitivity of the values, K steps, in units of the data
#   ratio         upper bound on values divided by the sensitivity
# scale, cap, and change are NA for r other than 1 and 2.
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

# Checks that the proof of the rounding error applies, and that nothing overflows during a release. It uses public
# numbers, before anything is spent.
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

# Largest distance on a lattice, a power of two. Its product with k and its square are at most 2^52.
lattice_top <- function(k) 2^min(26, 52 - ceiling(log2(k)))

# Checks that the error of doubles is proved, for r other than 1 and 2. The proof covers sums of up to 300 squares.
check_exponent <- function(domain, r) {
  if (!is_euclidean(metric_of(domain))) stop_argument("r", "must be 1 or 2 for this metric, not ", format(r), ".")
  if (isTRUE(ncol(field_of(domain, "points")) > 300)) {
    stop_argument("r", "must be 1 or 2 for landmarks with more than 300 coordinates, not ", format(r), ".")
  }
}

# Lattice steps per unit, a power of two for which `bound` is between a quarter and a half of the top.
scale_below <- function(top, bound) top / 2^(1 + binary_exponent(bound))

# `scale`, `cap`, and `change` of the lattice for r of 1 or 2. `bound` is the largest distance that counts. With metrics
# other than the Euclidean one, computed distances are cut at the cap, so that no change exceeds it.
domain_scale <- function(domain, k, clip, bound) {
  top <- lattice_top(k)
  scale <- scale_below(top, bound)
  if (!is_euclidean(metric_of(domain))) {
    cap <- max(1, min(round(bound * scale), top))
    return(list(scale = scale, cap = cap, change = cap))
  }
  # rounds coordinates, since squares of integers are exact. Without a box, only the clip bounds a change
  box <- euclidean_box(domain, clip)
  # rounds to the nearest integer, as the kernel does
  place <- function(x) round(x * scale)
  reach <- max(apply(farthest_sides(domain, box, place), 1, ceiling_of_length))
  cap <- min(round(clip * scale), reach, top)
  list(scale = scale, cap = cap, change = max(1, min(cap, ceiling_of_length(place(box$upper) - place(box$lower)))))
}

# The length of an integer vector, rounded up. It is exact up to 2^26. Longer vectors get at least 2^26.
ceiling_of_length <- function(x) {
  if (max(abs(x)) >= 2^26) return(2^26)
  ceiling(sqrt(sum(x^2)))
}

# The size of a step in units of the data.
lattice_step <- function(lattice, K) lattice$sensitivity / K

# N, an upper bound on all values, for any rows. It is exact unless ratio * K is just below an integer. Then it may be
# one too large.
lattice_largest <- function(lattice, K) {
  floor(lattice$ratio * K * (1 + 2^-40) + if (lattice$r %in% c(1, 2)) 0 else 0.5)
}

# The largest K for which no value exceeds `most`, or 0 if none exists.
lattice_most_steps <- function(lattice, most = most_values) {
  K <- min(floor((most + 1) / lattice$ratio), most)
  while (K > 0 && lattice_largest(lattice, K) > most) K <- K - 1
  K
}

# Integer values, one per vertex. `x` are rows or bins with the lattice's number of rows.
lattice_distances <- function(x, lattice, K) {
  cloud <- domain_cloud(lattice$grid, x, "x")
  if (cloud$total != lattice$n) {
    stop_argument("x", "must have ", format(lattice$n), " rows, not ", format(cloud$total), ".")
  }
  lattice_values(lattice$grid, weigh_rows(cloud, lattice$weight), lattice, K)
}

# Uses Euclidean distances to the rows of `places`. The function `whole` computes with integers: descend_values() for
# many queries near each other, or landmark_values().
euclidean_values <- function(cloud, places, lattice, K, whole) {
  points <- cloud$points
  weights <- point_weights(cloud, lattice$weight)
  k <- lattice$k * lattice$weight
  if (lattice$r %in% c(1, 2)) {
    return(whole(points, weights, places, k, lattice$r, lattice$cap, lattice$scale, lattice$change, K, lattice$weight))
  }
  # sums of doubles depend on the order of their terms, so rows are sorted
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
