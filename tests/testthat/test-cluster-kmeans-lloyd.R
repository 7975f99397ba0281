# A round of Lloyd's algorithm, how many there are, and where they begin.

test_that("the kernel's sums are those of a slow look, whatever the order of the rows", {
  set.seed(1)
  for (i in 1:40) {
    D <- sample(1:6, 1)
    k <- sample(1:5, 1)
    n <- sample(0:20, 1)
    bits <- sample(0:12, 1)
    # places on a lattice, so that nothing rounds: many ties
    X <- matrix(sample(-5:5, n * D, TRUE) / 4, n, D)
    centers <- matrix(sample(-4:4, D * k, TRUE) / 4, D)
    sums <- unit_sums(X, centers, bits)
    Z <- pmin(pmax(X, -1), 1)
    slow <- matrix(0, 1 + D, k)
    for (row in seq_len(n)) {
      nearest <- which.min(colSums((centers - Z[row, ])^2))
      slow[, nearest] <- slow[, nearest] + c(1, floor(Z[row, ] * 2^bits + 0.5))
    }
    expect_identical(sums, slow)
    expect_identical(unit_sums(X[rev(seq_len(n)), , drop = FALSE], centers, bits), sums)
  }
})

# Of 12,000 draws over their scales the mean of the sizes is 1 with standard deviation 1 / sqrt(12000) for Laplace, and
# that of the squares sqrt(2 / 12000) for Gaussian noise: five of them are a false-alarm rate of about 1e-6. The seed is
# fixed.
test_that("every cluster gets the noise of the plan, empty or not", {
  set.seed(3)
  centers <- cbind(c(-1, -1), c(1, 1), c(1, -1))
  X <- matrix(-0.9, 5, 2) # two empty clusters
  for (measure in list(c(epsilon = 0.01), c(rho = 1e-4))) {
    plan <- plan_kmeans_lloyd(5, kmeans_box(2), 3, kmeans_spent(measure), rounds = 3)
    exact <- unit_sums(X, centers, plan$bits) * plan$unit
    noise <- replicate(1334, {
      seen <- draw_lloyd_query(X, centers, kmeans_box(2), plan, "R")
      (rbind(seen$count, seen$sum) - exact) / (plan$scale * plan$unit)
    })
    for (cluster in 1:3) {
      one <- noise[, cluster, ]
      size <- if (plan$noise == "laplace") mean(abs(one)) else mean(one^2)
      expect_lt(abs(size - 1), 5 * sqrt((if (plan$noise == "laplace") 1 else 2) / length(one)))
    }
  }
})

test_that("the number of rounds is public, from two to seven", {
  spent <- function(epsilon) kmeans_spent(c(epsilon = epsilon))
  expect_identical(lloyd_rounds(1e4, 2, 1, spent(1)), 1)
  expect_identical(lloyd_rounds(10, 2, 5, spent(1)), 2)
  expect_identical(lloyd_rounds(1e8, 2, 5, spent(1)), 7)
  # 500 k^3 (D + c)^3 = (epsilon_m n)^2, and the noise of half of epsilon is that of add or remove
  n <- 2e4
  least <- sqrt(500 * 5^3 * (2 + (8 * 0.225^2)^(1 / 3))^3) / n
  expect_identical(lloyd_rounds(n, 2, 5, spent(2 * 4.01 * least)), 4)
  expect_identical(lloyd_rounds(n, 2, 5, spent(2 * 3.99 * least)), 3)
  # the variance of a sum of one round is that at `least`, for whole features
  for (rounds in c(3, 6)) {
    rho <- stats::uniroot(function(rho) {
      noise <- sqrt(lloyd_sensitivity(2, 5, rounds, "gaussian")[2] / (2 * rho))
      noise^2 / (2 * ((2 + lloyd_factor(2)) / least)^2) - 1
    }, c(1e-9, 10), tol = 1e-15)$root
    expect_identical(lloyd_rounds(n, 2, 5, kmeans_spent(c(rho = 1.001 * rho))), rounds)
    expect_identical(lloyd_rounds(n, 2, 5, kmeans_spent(c(rho = 0.999 * rho))), rounds - 1)
  }
})

test_that("public starts are in the box and far apart", {
  set.seed(4)
  for (D in c(1, 2, 10, 50)) for (k in c(1, 2, 9, 200)) {
    centers <- draw_spread(k, D, "R")
    expect_identical(dim(centers), as.integer(c(D, k)))
    expect_lte(max(abs(centers)), 1)
    if (k == 1) expect_identical(centers, matrix(0, D, 1))
    # no smaller s was needed than one that fills the box
    if (k > 1) expect_gt(min(stats::dist(t(centers))), min(1, 0.2 * k^(-1 / D)))
  }
})
