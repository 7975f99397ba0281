# A histogram, cells of noise dropped, and rounds of Lloyd's algorithm from there: what is public, and the default.

spent_cost <- function(...) {
  given <- list(...)
  check_cost(given$epsilon, given$rho, given$delta)
}

test_that("the default finds separated clusters that random starts miss, and keeps to small budgets", {
  expect_identical(check_kmeans_method(NULL, 5), kmeans_grid())
  expect_identical(check_kmeans_method(NULL, 1), kmeans_lloyd())
  loss <- function(X, centers) {
    sum(do.call(pmin, lapply(seq_len(nrow(centers)), function(k) colSums((t(X) - centers[k, ])^2))))
  }
  set.seed(61)
  for (setting in list(list(D = 2, k = 7, n = 6000), list(D = 5, k = 4, n = 4000), list(D = 12, k = 3, n = 4000))) {
    centers <- matrix(stats::runif(setting$k * setting$D, -0.9, 0.9), setting$k)
    group <- rep_len(seq_len(setting$k), setting$n)
    X <- centers[group, ] + matrix(stats::rnorm(setting$n * setting$D, sd = 0.05), setting$n)
    X <- pmin(pmax(X, -1), 1)
    released <- function(method) {
      once <- function(i) {
        fit <- private_kmeans(X, kmeans_box(setting$D), setting$k, epsilon = 4, method = method, rng = "R")
        loss(X, fit$centers)
      }
      stats::median(vapply(1:5, once, 0))
    }
    default <- released(NULL)
    expect_lt(default, 1.3 * loss(X, centers))
    for (method in c("lloyd", "cube")) expect_lt(default, 1.1 * released(method))
  }
})

test_that("as many rounds follow a histogram as public numbers allow", {
  rounds <- function(n, D, k, ...) grid_rounds(n, D, k, spent_cost(...))
  expect_identical(rounds(200, 2, 5, epsilon = 0.5), 0)
  expect_identical(rounds(1e5, 2, 3, epsilon = 0.5), 1)
  expect_equal(rounds(1e7, 2, 3, rho = 5), 5)
  expect_identical(rounds(2000, 8, 3, epsilon = 3), 1)
  expect_identical(names(kmeans_grid()), "rounds")
  steps <- privacy(private_kmeans(matrix(0.25, 40, 2), kmeans_box(2), 2, epsilon = 1, method = kmeans_grid(rounds = 2)))
  expect_identical(steps$public$steps$step, c("histogram", "round 1", "round 2"))
  expect_identical(steps$public$steps$epsilon, c(0.5, 0.25, 0.25))
  expect_error(kmeans_grid(rounds = -1), class = "dptda_error_argument")
})

test_that("noise that is left of empty cells is as stated, and no more than a twentieth of the rows", {
  # the moments by integration
  for (kind in c("laplace", "gaussian")) for (cut in c(2, 3.5)) {
    sd <- 3
    laplace <- function(x) exp(-abs(x) * sqrt(2) / sd) / (sqrt(2) * sd)
    density <- function(x) if (kind == "laplace") laplace(x) else stats::dnorm(x, 0, sd)
    moment <- function(p) stats::integrate(function(x) x^p * density(x), cut * sd, 40 * sd, rel.tol = 1e-9)$value
    expect_equal(kept_of_noise(kind, sd, cut), c(moment(1), moment(2)), tolerance = 1e-6)
  }
  measures <- list(c(epsilon = 0.7), c(epsilon = 1e3), c(rho = 0.3), c(epsilon = 2, delta = 1e-6))
  for (measure in measures) for (D in c(2, 7)) {
    plan <- plan_kmeans_grid(5000, kmeans_box(D), 3, do.call(spent_cost, as.list(measure)), 0)
    expect_true(plan$cut == 6 || prod(plan$size) * kept_noise(plan)[1] <= 250)
  }
})
