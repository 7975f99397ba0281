# The selection is reached through the distance to a measure of points on a
# line, asked at the origin with one neighbor more and one less: the difference
# of the sums is the k-th distance.
kth_by_kernel <- function(x, k, weights = NULL) {
  total <- if (is.null(weights)) length(x) else sum(weights)
  at <- function(k) if (k == 0) 0 else k * distance_to_measure(cbind(x), cbind(0), k / total, weights = weights)
  at(k) - at(k - 1)
}

test_that("the k-th smallest is found among keys that are spread badly", {
  set.seed(1)
  n <- 400
  shapes <- list(even = runif(n), skewed = rexp(n)^8, ties = sample(3, n, TRUE) + 0, constant = rep(2, n),
                 sorted = seq_len(n) + 0, reversed = n:1 + 0, organ = c(1:200, 200:1) + 0,
                 powers = 2^-(seq_len(n) / 4), one_far = c(1e6, runif(n - 1)), saw = rep(1:20, 20) + 0)
  for (x in shapes) for (k in c(1, 2, 37, 200, 399, 400)) {
    expect_equal(kth_by_kernel(x, k), sort(x)[k], tolerance = 1e-8)
  }
  weights <- rpois(n, 3)
  for (x in shapes) for (k in c(1, 100, sum(weights))) {
    expect_equal(kth_by_kernel(x, k, weights), sort(rep(x, weights))[k], tolerance = 1e-8)
  }
})
