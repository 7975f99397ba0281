# With a power of 0 what is asked for is the limit of many vertices: a strength of 1, or that of the overlap.
test_that("power_graph(): questions are inverses of the answer, exactly", {
  for (overlap in c(0.2, 0.8)) {
    at <- function(...) power_graph(..., power = 0, overlap = overlap)
    by_epsilon <- at(1500, p_in = 0.3, p_out = 0.2, k = 3)
    expect_equal(by_epsilon$overlap, overlap)
    expect_equal(power_graph(1500, by_epsilon$epsilon, p_in = 0.3, p_out = 0.2, k = 3)$overlap, overlap)
    by_difference <- at(1500, by_epsilon$epsilon, p_out = 0.2, k = 3)
    expect_equal(by_difference$p_in, 0.3, tolerance = 1e-9)
    by_size <- at(epsilon = by_epsilon$epsilon * (1 + 1e-9), p_in = 0.3, p_out = 0.2, k = 3)
    expect_identical(by_size$n, 1500)
    by_lambda <- at(1500, by_epsilon$epsilon, v = by_epsilon$v)
    expect_equal(by_lambda$lambda, by_epsilon$lambda)
    expect_equal(at(1500, lambda = by_lambda$lambda, v = by_epsilon$v)$epsilon, by_epsilon$epsilon)
  }
  # groups that avoid themselves
  avoiding <- power_graph(epsilon = 1, p_in = 0.2, p_out = 0.3, power = 0, overlap = 0.5)
  expect_gte(avoiding$overlap, 0.5)
  expect_lt(power_graph(avoiding$n - 1, 1, p_in = 0.2, p_out = 0.3)$overlap, 0.5)
})

test_that("power_graph(): each of the four is computed from the other three", {
  blocks <- list(c(0.3, 0.2), c(0.1, 0.25))
  for (p in blocks) for (k in 2:3) for (power in c(0.1, 0.5, 0.95)) {
    at <- function(...) power_graph(..., p_out = p[2], k = k)
    price <- at(1500, p_in = p[1], power = power)
    expect_identical(price$asked, "epsilon")
    expect_identical(price$power, power)
    expect_equal(at(1500, price$epsilon, p_in = p[1])$power, power, tolerance = 1e-6)
    expect_gte(at(1500, price$epsilon, p_in = p[1])$power, power)
    rows <- at(epsilon = 1, p_in = p[1], power = power)
    expect_gte(at(rows$n, 1, p_in = p[1])$power, power)
    expect_lt(at(rows$n - 1, 1, p_in = p[1])$power, power)
    least <- at(1500, 1, power = power)
    expect_equal(at(1500, 1, p_in = least$p_in)$power, power, tolerance = 1e-6)
    expect_gte(at(1500, 1, p_in = least$p_in)$power, power)
  }
  signal <- power_graph(1000, 1, v = 0.2, power = 0.9)
  expect_equal(power_graph(1000, 1, lambda = signal$lambda, v = 0.2)$power, 0.9, tolerance = 1e-6)
  # an overlap that takes more than to be counted does decides
  well <- power_graph(1000, p_in = 0.3, p_out = 0.2, power = 0.95, overlap = 0.8)
  expect_equal(well$overlap, 0.8)
  expect_gt(power_graph(1000, well$epsilon, p_in = 0.3, p_out = 0.2)$power, 0.99)
  expect_identical(power_graph(1000, well$epsilon * 0.99, p_in = 0.3, p_out = 0.2, overlap = 0.8)$power, 0)
  # grows with n, epsilon and the difference
  grows <- function(power) expect_false(is.unsorted(power))
  grows(vapply(seq(50, 4000, 50), function(n) power_graph(n, 1, p_in = 0.3, p_out = 0.2)$power, 0))
  grows(power_graph(1000, 1, p_in = 0.3, p_out = 0.2)$curve$power)
  grows(vapply(seq(0.2, 1, 0.02), function(p) power_graph(300, 1, p_in = p, p_out = 0.2)$power, 0))
})

test_that("the formulas at the edges", {
  plan <- power_graph(1000, Inf, p_in = 1, p_out = 0)
  expect_identical(plan$overlap, 1)
  expect_identical(plan$accuracy, 1)
  expect_identical(power_graph(1000, 1e-300, p_in = 0.5, p_out = 0.1)$overlap, 0)
  expect_identical(power_graph(1000, 1, lambda = 0, v = 0)$strength, 0)
  expect_identical(plan$power, 1)
  for (power in c(0, 0.9)) {
    expect_error(power_graph(100, p_in = 0.3, p_out = 0.3, power = power), "`epsilon` cannot be large enough",
                 class = "dptda_error_argument")
    expect_error(power_graph(epsilon = 1, p_in = 0.3, p_out = 0.3, power = power), "`n` cannot be large enough",
                 class = "dptda_error_argument")
    expect_identical(power_graph(100, 0.001, p_out = 0.3, power = power)$p_in, Inf)
  }
  # seen in the limit, and yet not beyond the edge of so few
  expect_error(power_graph(20, p_in = 0.8, p_out = 0.3, power = 0.999), "`epsilon` cannot be large enough",
               class = "dptda_error_argument")
  expect_identical(power_graph(100, Inf, v = 0, power = 0.9)$lambda > 1, TRUE)
  # groups of one vertex have nothing that could be seen, however little noise there is
  for (epsilon in c(50, 700, 2000, Inf)) {
    full <- power_graph(epsilon = epsilon, p_in = 1, p_out = 0, k = 3, power = 0, overlap = 0.5)
    expect_identical(full$n, 4)
    expect_gte(full$overlap, 0.5)
    expect_identical(power_graph(10, epsilon, p_out = 0, k = 10, power = 0, overlap = 0.5)$p_in, Inf)
  }
  # the density of an entry after flips, debiased, is v and randomized response
  p <- 0.3
  flip <- 1 / (1 + exp(1))
  now <- flip + (1 - 2 * flip) * p
  expect_equal(power_graph(10, 1, lambda = 1, v = p * (1 - p))$noise^2, now * (1 - now) / tanh(0.5)^2)
})

test_that("wrong questions are refused", {
  refused <- function(...) expect_error(power_graph(...), class = "dptda_error_argument")
  left_out <- function(words, ...) {
    expect_error(power_graph(...), words, fixed = TRUE, class = "dptda_error_argument")
  }
  refused()
  refused(100, 1)
  left_out(paste("Exactly one of `n`, `epsilon`, `p_in` and `power` must be left out, to be computed from the others,",
                 "but all are given."), 100, 1, p_in = 0.3, p_out = 0.2, power = 0.5)
  left_out("`epsilon` and `power` are left out", 100, p_in = 0.3, p_out = 0.2)
  left_out("`epsilon`, `lambda` and `power` are left out", 100, v = 0.1)
  refused(100, p_in = 0.3, p_out = 0.2, power = 1)
  refused(100, 1, p_in = 0.3, p_out = 0.2, v = 0.1)
  refused(epsilon = 1, lambda = 10, v = 0.1, power = 0.5)
  refused(100, 1, p_in = 0.3, v = 0.1)
  refused(100, 0, p_in = 0.3, p_out = 0.2)
  refused(3, 1, p_in = 0.3, p_out = 0.2, k = 4)
  refused(100, 1, p_in = 0.3, p_out = 0.2, overlap = 1)
})

# The squared cosine of the vectors that are found with the spaces of the blocks, a mean over graphs.
simulated_overlap <- function(n, p_in, p_out, k, epsilon, graphs) {
  block <- rep(seq_len(k), each = n / k)
  P <- ifelse(outer(block, block, "=="), p_in, p_out)
  contrasts <- qr.Q(qr(cbind(1, outer(block, seq_len(k - 1), "=="))))[, -1, drop = FALSE]
  mean(vapply(seq_len(graphs), function(i) {
    A <- mirror(matrix(stats::runif(n^2), n) < P)
    X <- spectral_embedding(private_graph(A, epsilon, rng = "R"), k)$X
    found <- sweep(X, 2, sqrt(colSums(X^2)), "/")[, -1, drop = FALSE]
    sum(crossprod(contrasts, found)^2) / (k - 1)
  }, 0))
}

test_that("simulated overlaps are those that were predicted", {
  # .03: four standard errors and more of these means; away from the strength 1 where the limit is far
  skip_if_not_installed("RSpectra")
  set.seed(21)
  for (epsilon in c(1.2, 3)) {
    expect_lt(abs(simulated_overlap(800, 0.3, 0.2, 2, epsilon, 12) -
                  power_graph(800, epsilon, p_in = 0.3, p_out = 0.2)$overlap), 0.03)
  }
  # and where the noise hides all, next to nothing is found
  expect_lt(simulated_overlap(800, 0.3, 0.2, 2, 0.3, 4), 0.05)
})

test_that("simulated overlaps are those that were predicted, on a larger grid", {
  skip_unless_long()
  skip_if_not_installed("RSpectra")
  set.seed(22)
  settings <- rbind(c(2000, 0.3, 0.2, 2, 0.7), c(2000, 0.3, 0.2, 2, 1), c(2000, 0.1, 0.03, 2, 1),
                    c(1500, 0.4, 0.2, 3, 1),
                    c(2000, 0.1, 0.25, 2, 0.8), c(1600, 0.5, 0.3, 4, 2))
  for (i in seq_len(nrow(settings))) {
    at <- settings[i, ]
    predicted <- power_graph(at[1], at[5], p_in = at[2], p_out = at[3], k = at[4])$overlap
    expect_lt(abs(simulated_overlap(at[1], at[2], at[3], at[4], at[5], 8) - predicted), 0.03)
  }
})

test_that("a signal is counted as often as power_graph() says", {
  # five standard errors of 40 graphs and .05 for the limit; fixed seed
  set.seed(24)
  counted <- function(n, epsilon) {
    block <- rep(1:2, each = n / 2)
    P <- ifelse(outer(block, block, "=="), 0.4, 0.2)
    mean(replicate(40, {
      A <- mirror(matrix(stats::runif(n^2), n) < P)
      spectral_embedding(private_graph(A, epsilon, rng = "R"))$signature[[1]] >= 2
    }))
  }
  for (power in c(0.5, 0.95)) {
    epsilon <- power_graph(240, p_in = 0.4, p_out = 0.2, power = power)$epsilon
    expect_lt(abs(counted(240, epsilon) - power), 5 * sqrt(power * (1 - power) / 40) + 0.05)
  }
})

test_that("a plan shows itself", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  plans <- list(power_graph(1000, 1, p_in = 0.3, p_out = 0.2), power_graph(1000, p_in = 0.3, p_out = 0.2, power = 0),
                power_graph(1000, 1, p_out = 0.2, power = 0.9, overlap = 0.5), power_graph(1000, 1, v = 0.2,
                                                                                           power = 0.5),
                power_graph(1000, 0.1, p_in = 0.3, p_out = 0.2), power_graph(1000, Inf, lambda = 30, v = 0.1))
  for (plan in plans) {
    expect_output(print(plan), "<private graph power> ", fixed = TRUE)
    expect_identical(plot(plan), plan)
    expect_identical(as.data.frame(plan), plan$curve)
    expect_false(is.unsorted(plan$curve$overlap))
  }
  hidden <- power_graph(1000, 0.001, p_out = 0.2, power = 0.5)
  expect_output(print(hidden), "No `p_in` is large enough.", fixed = TRUE)
  expect_error(plot(hidden), class = "dptda_error_argument")
})
