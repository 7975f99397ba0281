# Centers of public points that weigh: what methods that release points with noisy weights end with. All that is random
# comes from the random source of the release, as draw_uniform() gives it.
#
# `points`: D x m, one column a point; `weights`: m numbers of at least 0; where all are 0 they count as equal. Gives
# `centers` (D x k), `size` (the weight of each) and `loss`. With fewer distinct points than k, centers coincide.
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
