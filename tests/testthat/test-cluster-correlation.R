# Correlations of a private covariance.

pair_of_columns <- function(n, r) {
  z <- stats::rnorm(n)
  cbind(a = z, b = r * z + sqrt(1 - r^2) * stats::rnorm(n), c = stats::rnorm(n))
}

test_that("tau is found from any noise of the form that the proof gives", {
  withr::local_seed(61)
  for (D in c(2, 3, 7)) {
    S <- crossprod(matrix(stats::rnorm(3 * D^2), ncol = D))
    for (tau in c(1e-4, .02, .5)) {
      for (c in c(0, tau^2, 5 * tau^2)) {
        noise <- sqrt(tau^2 * (tcrossprod(diag(S)) + S^2) + c * S^2)
        expect_equal(correlation_noise(list(cov = S, noise = noise, center = double(D))), tau)
      }
    }
  }
  # columns that are copies of each other, and noise that hides everything
  same <- list(cov = matrix(4, 2, 2), noise = matrix(4 * sqrt(2) * .1, 2, 2), center = double(2))
  expect_equal(correlation_noise(same), .1)
  same$noise[] <- Inf
  expect_identical(correlation_noise(same), Inf)
})

test_that("the loss by shortening is that of normal rows", {
  withr::local_seed(67)
  for (D in c(2, 5)) {
    for (radius in c(1.8, 3)) {
      q <- matrix(stats::rnorm(4e5 * D), ncol = D)
      s <- rowSums(q^2)
      longer <- D / mean(pmin(s, radius^2))
      error <- q[, 1] * q[, 2] * (longer * pmin(1, radius^2 / s) - 1)
      fit <- list(center = double(D), far = c(radius = radius))
      # relative standard error below 2 percent
      expect_equal(shortening_loss(fit), stats::var(error), tolerance = 0.08)
    }
  }
})

test_that("tau is the standard deviation of Fisher's z over releases of the same rows", {
  withr::local_seed(62)
  x <- pair_of_columns(2000, .6)
  box <- domain_box(c(a = -8, b = -8, c = -8), rep(8, 3))
  found <- replicate(200, {
    one <- private_cor(x, box, rho = .05, rng = "R")
    c(atanh(as.vector(one)), one$noise$scale)
  })
  # the standard error of a standard deviation of 200 draws is 5 percent
  spread <- apply(found[1:3, ], 1, stats::sd)
  expect_true(all(abs(spread / mean(found[4, ]) - 1) < .2))
  expect_lt(max(abs(rowMeans(found[1:3, ]) - atanh(stats::cor(x)[c(2, 3, 6)])) / spread), .5)
})

test_that("intervals cover the correlation of the rows and that of the population", {
  withr::local_seed(63)
  runs <- long_or(400, 60)
  inside <- function(ends, truth) ends[1, 1] <= truth & truth <= ends[1, 2]
  for (setting in list(c(2, 150, 2), c(2, 1000, .1), c(2, 5000, 1), c(5, 300, 1), c(5, 1000, .2))) {
    D <- setting[1]
    half <- chol(matrix(.6, D, D) + diag(.4, D))
    found <- replicate(runs, {
      x <- matrix(stats::rnorm(setting[2] * D), ncol = D) %*% half
      one <- private_cor(x, domain_box(rep(-8, D), rep(8, D)), rho = setting[3], rng = "R")
      c(inside(confint(one), stats::cor(x)[1, 2]), inside(confint(one, of = "population"), .6))
    })
    # coverage .88 at least for the rows and .92 for the population: fewer hits have probability 1e-3 each
    least <- stats::qbinom(1e-3, runs, c(.88, .92)) / runs
    expect_true(all(rowMeans(found) >= least), label = paste(c(setting, rowMeans(found)), collapse = " "))
  }
})

test_that("correlations of a released covariance cost nothing and keep its guarantee", {
  withr::local_seed(64)
  x <- pair_of_columns(500, .5)
  box <- domain_box(c(a = -8, b = -8, c = -8), rep(8, 3))
  budget <- privacy_budget(rho = 1)
  fit <- private_covariance(x, box, rho = .5, budget = budget, rng = "R")
  found <- private_cor(fit)
  expect_identical(privacy(found), privacy(fit))
  expect_identical(nrow(budget$ledger), 1L)
  expect_equal(as.matrix(found), cov2cor(as.matrix(fit)))
  expect_identical(names(found), c("a, b", "a, c", "b, c"))
  expect_identical(privacy(found["a, b"] - found["a, c"]), privacy(fit))
  # of unseen rows: the mechanism of the covariance
  expect_identical(privacy_price(private_cor(unseen(500), box, rho = .5)),
                   privacy_price(private_covariance(unseen(500), box, rho = .5)))
  direct <- private_cor(x, box, rho = .5, budget = budget, rng = "R")
  expect_match(budget$ledger$step, "^private_covariance")
  expect_identical(nrow(budget$ledger), 2L)
  expect_s3_class(direct, "dptda_private_correlation")
  expect_snapshot(print(found))
  tidy <- generics::tidy(found)
  expect_true(all(c("data.low", "conf.low") %in% names(tidy)))
  expect_true(all(tidy$conf.low < tidy$data.low & tidy$conf.high > tidy$data.high))
})

test_that("rows and people without an interval, and groups", {
  withr::local_seed(65)
  rows <- data.frame(pair_of_columns(900, .7), who = rep(1:300, 3), sex = rep(c("f", "m"), 450))
  box <- domain_box(c(a = -8, b = -8), c(8, 8))
  people <- private_cor(table_rows(rows, c("a", "b"), person = "who"), box, rho = .5, rng = "R")
  expect_null(population_ends(people, .95))
  expect_error(confint(people, of = "population"), class = "dptda_error_argument")
  rows$a[1] <- NA
  omitted <- private_cor(table_rows(rows, c("a", "b"), missing = "omit"), box, rho = .5, rng = "R")
  expect_lt(abs(omitted$n.obs - 899), 200)
  expect_true(all(abs(confint(omitted, of = "population")) < 1))
  rows$a[1] <- 0
  groups <- private_covariance(rows, box, rho = 1, by = list(sex = c("f", "m")), rng = "R")
  expect_error(private_cor(groups), "private_cor\\(x\\[\\[1\\]\\]\\)", class = "dptda_error_argument")
  expect_identical(privacy(private_cor(groups[["f"]])), privacy(groups))
  # too few rows: the covariance is the box, and nothing is known
  warn_of_weak()
  expect_warning(none <- private_cor(matrix(0, 3, 2), domain_box(c(-1, -1), c(1, 1)), rho = .01),
                 class = "dptda_warning_no_fit")
  expect_identical(as.vector(confint(none, of = "population")), c(-1, 1))
  expect_identical(as.vector(confint(none)), c(-1, 1))
  expect_output(print(none), "Noise hides these")
})

test_that("bad input", {
  box <- domain_box(c(a = -8, b = -8), c(8, 8))
  bad <- function(code, ...) expect_error(code, ..., class = "dptda_error_argument")
  fit <- private_covariance(pair_of_columns(500, 0)[, 1:2], box, rho = .5)
  bad(private_cor(fit, box, rho = 1))
  bad(private_cor(fit, rho = 1), "`rho` must be missing")
  bad(private_cor(pair_of_columns(500, 0)[, 1], c(0, 1), rho = 1), "two")
  bad(private_cor(private_covariance(1:500, c(0, 1), rho = .5)), "at least two columns")
  bad(private_cor(), "`x` must be given")
  bad(private_cor(1:3), "`box` must be given")
})

test_that("a picture of ten columns", {
  withr::local_seed(66)
  x <- matrix(stats::rnorm(20000), ncol = 10) %*% (diag(10) + .3)
  colnames(x) <- c("age", "income", "height", "weight", "systolic", "diastolic", "cholesterol", "glucose", "exercise",
                   "alcohol")
  found <- private_cor(x, domain_box(stats::setNames(rep(-9, 10), colnames(x)), rep(9, 10)), rho = .5, rng = "R")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_identical(plot(found), found)
  cells <- pairs_to_draw(found)
  expect_identical(dim(cells), c(100L, 6L))
  expect_equal(matrix(cells$cor, 10), unname(as.matrix(found)))
})
