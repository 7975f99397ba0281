test_that("questions are inverses of the answer, exactly", {
  for (overlap in c(0.2, 0.8)) {
    by_epsilon <- graph_detectable(1500, p_in = 0.3, p_out = 0.2, k = 3, overlap = overlap)
    expect_equal(by_epsilon$overlap, overlap)
    expect_equal(graph_detectable(1500, by_epsilon$epsilon, p_in = 0.3, p_out = 0.2, k = 3)$overlap, overlap)
    by_difference <- graph_detectable(1500, by_epsilon$epsilon, p_out = 0.2, k = 3, overlap = overlap)
    expect_equal(by_difference$p_in, 0.3, tolerance = 1e-9)
    by_size <- graph_detectable(epsilon = by_epsilon$epsilon * (1 + 1e-9), p_in = 0.3, p_out = 0.2, k = 3,
                                overlap = overlap)
    expect_identical(by_size$n, 1500)
    by_lambda <- graph_detectable(1500, by_epsilon$epsilon, v = by_epsilon$v, overlap = overlap)
    expect_equal(by_lambda$lambda, by_epsilon$lambda)
    expect_equal(graph_detectable(1500, lambda = by_lambda$lambda, v = by_epsilon$v, overlap = overlap)$epsilon,
                 by_epsilon$epsilon)
  }
  # groups that avoid themselves
  avoiding <- graph_detectable(epsilon = 1, p_in = 0.2, p_out = 0.3, overlap = 0.5)
  expect_gte(avoiding$overlap, 0.5)
  expect_lt(graph_detectable(avoiding$n - 1, 1, p_in = 0.2, p_out = 0.3)$overlap, 0.5)
})

test_that("the formulas at the edges", {
  plan <- graph_detectable(1000, Inf, p_in = 1, p_out = 0)
  expect_identical(plan$overlap, 1)
  expect_identical(plan$accuracy, 1)
  expect_identical(graph_detectable(1000, 1e-300, p_in = 0.5, p_out = 0.1)$overlap, 0)
  expect_identical(graph_detectable(1000, 1, lambda = 0, v = 0)$strength, 0)
  expect_identical(graph_detectable(100, p_in = 0.3, p_out = 0.3)$epsilon, Inf)
  expect_identical(graph_detectable(epsilon = 1, p_in = 0.3, p_out = 0.3)$n, Inf)
  expect_identical(graph_detectable(100, 0.001, p_out = 0.3)$p_in, Inf)
  # groups of one vertex have nothing that could be seen, however little noise there is
  for (epsilon in c(50, 700, 2000, Inf)) {
    full <- graph_detectable(epsilon = epsilon, p_in = 1, p_out = 0, k = 3, overlap = 0.5)
    expect_identical(full$n, 4)
    expect_gte(full$overlap, 0.5)
    expect_identical(graph_detectable(10, epsilon, p_out = 0, k = 10, overlap = 0.5)$p_in, Inf)
  }
  # the density of an entry after flips, debiased, is v and the flips
  p <- 0.3
  flip <- 1 / (1 + exp(1))
  now <- flip + (1 - 2 * flip) * p
  expect_equal(graph_detectable(10, 1, lambda = 1, v = p * (1 - p))$noise^2, now * (1 - now) / tanh(0.5)^2)
})

test_that("wrong questions are refused", {
  refused <- function(...) expect_error(graph_detectable(...), class = "dptda_error_argument")
  refused()
  refused(100, 1)
  refused(p_in = 0.3, p_out = 0.2)
  refused(100, 1, p_in = 0.3, p_out = 0.2, v = 0.1)
  refused(epsilon = 1, lambda = 10, v = 0.1)
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
                  graph_detectable(800, epsilon, p_in = 0.3, p_out = 0.2)$overlap), 0.03)
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
    predicted <- graph_detectable(at[1], at[5], p_in = at[2], p_out = at[3], k = at[4])$overlap
    expect_lt(abs(simulated_overlap(at[1], at[2], at[3], at[4], at[5], 8) - predicted), 0.03)
  }
})

test_that("a plan shows itself", {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  plans <- list(graph_detectable(1000, 1, p_in = 0.3, p_out = 0.2), graph_detectable(1000, p_in = 0.3, p_out = 0.2),
                graph_detectable(1000, 1, p_out = 0.2, overlap = 0.5), graph_detectable(1000, 1, v = 0.2),
                graph_detectable(1000, 0.1, p_in = 0.3, p_out = 0.2), graph_detectable(1000, Inf, lambda = 30, v = 0.1))
  for (plan in plans) {
    expect_output(print(plan), "graph detection")
    expect_identical(plot(plan), plan)
    expect_identical(as.data.frame(plan), plan$curve)
    expect_false(is.unsorted(plan$curve$overlap))
  }
  hidden <- graph_detectable(1000, 0.001, p_out = 0.2)
  expect_output(print(hidden), "not enough with any")
  expect_error(plot(hidden), class = "dptda_error_argument")
})
