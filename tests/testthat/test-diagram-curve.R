# The cut of curves to short vectors of integers, with an oracle in exact integers of R.

# The same, one row at a time. Numbers stay below 2^53: w 2^20 is at most 2^40, and sums of squares at most 2^50.
slow_cut <- function(v, radius, bits) {
  most <- 2^bits
  w <- ifelse(is.finite(v) & v > 0, pmin(floor(pmin(v * (most / radius), most)), most), 0)
  s <- sum(w^2)
  r <- ceiling(sqrt(s))
  while (r^2 < s) r <- r + 1
  while (r > 0 && (r - 1)^2 >= s) r <- r - 1
  if (r > most) floor(w * most / r) else w
}

# Vectors of numbers at and beyond the edges of doubles, and of all lengths around the radius.
hostile_curves <- function(n, size, seed) {
  set.seed(seed)
  values <- c(NaN, NA, Inf, -Inf, 1e300, -1e300, .Machine$double.xmax, 5e-324, 2^-1060, -5e-324, 0, -0, 1, 1e-9,
              2^-20, 2^-20 * (1 - 2^-53), 1 + 2^-52, 1 - 2^-53)
  kind <- sample(5, n, replace = TRUE)
  V <- matrix(sample(values, n * size, replace = TRUE), n)
  free <- matrix(stats::rexp(n * size) * rep(10^stats::runif(n, -3, 3), size), n)
  V[kind > 2, ] <- free[kind > 2, ]
  # lengths within rounding of the radius, and a few large numbers among zeros
  at <- kind == 4
  near <- 1 + stats::runif(sum(at), -1, 1) * 2^-sample(20:52, sum(at), TRUE)
  V[at, ] <- V[at, , drop = FALSE] / sqrt(rowSums(V[at, , drop = FALSE]^2)) * near
  V[kind == 5, ] <- V[kind == 5, ] * (matrix(stats::runif(sum(kind == 5) * size), ncol = size) < .05)
  V
}

test_that("no vector of doubles becomes longer than the radius, or negative", {
  V <- hostile_curves(1e5, 64, seed = 1)
  for (radius in c(1, 0.3)) {
    W <- cut_curves(V, radius)
    expect_true(all(W >= 0 & W == floor(W)))
    expect_lte(max(rowSums(W^2)), 4^20)
    expect_gt(max(rowSums(W^2)), 4^20 * (1 - 1e-5)) # uses the radius
  }
  for (radius in 2^c(-900, 900)) {
    W <- cut_curves(V[1:2000, ], radius)
    expect_true(all(W >= 0 & W == floor(W)) && max(rowSums(W^2)) <= 4^20)
  }
})

test_that("the cut is that of the oracle, for every size and number of digits", {
  for (size in c(1, 2, 64, 100)) for (bits in c(1L, 7L, 20L)) {
    V <- rbind(hostile_curves(300, size, seed = size + bits), 0, 1, Inf)
    for (radius in c(1, 2^-900, 0.7, 1e5)) {
      expect_identical(cut_curves(V, radius, bits), t(matrix(apply(V, 1, slow_cut, radius, bits), size)))
    }
  }
  expect_identical(dim(cut_curves(matrix(double(), 0, 64), 1)), c(0L, 64L))
})

test_that("short vectors are rounded down, and long ones keep their direction", {
  set.seed(2)
  V <- matrix(stats::runif(64 * 50), 50)
  V <- V / sqrt(rowSums(V^2))
  expect_equal(cut_curves(V * 0.9, 1) / 2^20, V * 0.9, tolerance = 1e-5)
  expect_equal(cut_curves(V * 3, 1) / 2^20, V, tolerance = 1e-5)
  expect_identical(cut_curves(rbind(c(0.5, 0.75)), 1), rbind(c(0.5, 0.75) * 2^20)) # exactly on the lattice
  expect_identical(cut_curves(rbind(c(3, 4)), 5), rbind(floor(c(0.6, 0.8) * 2^20))) # exactly on the sphere
})
