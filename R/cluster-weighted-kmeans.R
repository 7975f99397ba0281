# Centers of public weighted points: the last step of methods that release points with noisy weights. Random numbers
# come from the random source of the release, by draw_uniform().
#
# `points`: D x m, one column per point. `weights`: m numbers, at least 0; if all are 0, they count as equal. Returns
# `centers` (D x k), `size` (the weight of each), and `loss`. With fewer distinct points than k, centers coincide.
weighted_kmeans <- function(points, weights, k, rng, ..., starts = 10, rounds = 100) {
  check_no_dots(...)
  top <- max(weights)
  # of a public range: their sizes matter only in proportion
  relative <- if (top > 0) weights / top else rep(1, length(weights))
  found <- .Call(ffi_cluster_weighted_kmeans, points, relative, as.double(k), draw_uniform(starts * k, rng),
                 as.double(rounds), kernel_options(progress = kernel_progress("Weighted k-means")))
  if (top > 0) {
    found$size <- found$size * top
    found$loss <- found$loss * top
  } else {
    found$size <- double(k)
    found$loss <- 0
  }
  found
}
