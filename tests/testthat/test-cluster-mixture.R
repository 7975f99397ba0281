bad <- function(expr, regexp = NULL) expect_error(expr, regexp, class = "dptda_error_argument")
line <- function() as_mixture(list(weights = c(1, 3), means = c(0, 4), covariances = c(1, 0.25)))

test_that("log densities, probabilities and labels are those of the definition", {
  set.seed(1)
  for (D in c(1, 2, 5, 50)) for (K in c(1, 2, 7)) {
    model <- random_mixture(K, D)
    X <- rbind(matrix(rnorm(20 * D, sd = 4), 20), model$means, matrix(1e4, 1, D))
    parts <- slow_log_parts(model, X)
    expect_equal(mixture_log_parts(model, X), parts, tolerance = 1e-9)
    expect_equal(predict(model, X, "logdensity"), slow_log_density(model, X), tolerance = 1e-9)
    expect_identical(predict(model, X), apply(mixture_log_parts(model, X), 1, which.max))
    probability <- predict(model, X, "probability")
    expect_equal(probability, exp(parts - slow_log_density(model, X)), tolerance = 1e-8)
    expect_equal(rowSums(probability), rep(1, nrow(X)))
  }
})

test_that("units change the log density by their logarithm, and nothing else", {
  set.seed(2)
  model <- random_mixture(4, 3)
  X <- matrix(rnorm(60, sd = 3), 20)
  unit <- c(1e-9, 1, 1e12)
  there <- as_mixture(list(weights = model$weights, means = model$means * rep(unit, each = 4),
                           covariances = array(model$covariances * as.vector(unit %o% unit), c(3, 3, 4))))
  expect_equal(predict(there, X * rep(unit, each = 20), "logdensity"), predict(model, X, "logdensity") - sum(log(unit)),
               tolerance = 1e-10)
  expect_equal(predict(there, X * rep(unit, each = 20), "probability"), predict(model, X, "probability"))
})

test_that("no rows, one row, missing and infinite numbers, and densities below all doubles", {
  model <- random_mixture(3, 2)
  none <- matrix(0, 0, 2)
  expect_identical(predict(model, none), integer())
  expect_identical(predict(model, none, "logdensity"), double())
  expect_identical(dim(predict(model, none, "probability")), c(0L, 3L))
  expect_length(predict(model, data.frame(a = 1, b = 2)), 1)
  X <- rbind(c(NA, 1), c(NaN, 1), c(Inf, 0), c(-Inf, Inf), c(1e200, 0), c(1e8, -1e8), c(0, 0))
  expect_identical(is.na(predict(model, X)), c(TRUE, TRUE, TRUE, TRUE, TRUE, FALSE, FALSE))
  expect_identical(predict(model, X, "logdensity")[1:5], c(NA, NA, -Inf, -Inf, -Inf))
  expect_false(any(is.nan(predict(model, X, "logdensity"))))
  expect_identical(which(is.na(predict(model, X, "probability")[, 1])), 1:5)
  expect_equal(predict(model, X, "logdensity")[6], slow_log_density(model, X[6, , drop = FALSE]))
  expect_identical(predict(line(), c(-1e9, 1e9, 0, 4)), c(1L, 1L, 1L, 2L))
})

test_that("equal components give the first label, nearly singular ones their density", {
  same <- as_mixture(list(weights = c(1, 1), means = rbind(c(1, 2), c(1, 2)), covariances = list(diag(2), diag(2))))
  expect_identical(predict(same, cbind(1:3, 0)), c(1L, 1L, 1L))
  flat <- matrix(c(1, 1 - 1e-13, 1 - 1e-13, 1), 2)
  thin <- as_mixture(list(weights = 1, means = rbind(c(0, 0)), covariances = list(flat)))
  # along and across, where the square roots of the eigenvalues are known
  expect_equal(predict(thin, cbind(2, 2), "logdensity"), -log(2 * pi) - log((2 - 1e-13) * 1e-13) / 2 - 8 /
               (2 - 1e-13) / 2,
               tolerance = 1e-3)
})

test_that("columns are matched by name", {
  named <- as_mixture(list(weights = c(1, 1), means = cbind(a = c(0, 9), b = c(0, 1)),
                           covariances = list(diag(2), diag(2))))
  X <- data.frame(b = c(0, 1), a = c(0, 9))
  expect_identical(predict(named, X), 1:2)
  bad(predict(named, data.frame(a = 1, c = 2)), "`newdata` must have the columns that the mixture names")
  bad(predict(named, matrix(0, 2, 3)), "must have 2 columns")
  bad(predict(named), "`newdata` must be given")
  bad(predict(named, X, "class"), "`type`")
  bad(predict(named, X, tpye = "label"))
  expect_identical(colnames(simulate(named, 2)), c("a", "b"))
})

test_that("lists are read, and what is no mixture is refused", {
  model <- as_mixture(list(weights = c(2, 2), means = cbind(1:2, 3:4), covariances = array(diag(2), c(2, 2, 2))))
  expect_identical(model$weights, c(0.5, 0.5))
  expect_identical(model, as_mixture(list(weights = c(1, 1), means = cbind(1:2, 3:4),
                                          covariances = list(diag(2), diag(2)))))
  expect_identical(as_mixture(model), model)
  expect_identical(as_mixture(unclass(model)), model)
  expect_identical(line()$covariances, array(c(1, 0.25), c(1, 1, 2)))
  good <- list(weights = c(1, 1), means = cbind(1:2, 3:4), covariances = list(diag(2), diag(2)))
  for (weights in list(c(1, 0), c(1, -1), c(1, NA), c(1, Inf), "a", NULL, double(), c(1, 1e-320))) {
    bad(as_mixture(replace(good, "weights", list(weights))))
  }
  for (means in list(1:3, matrix(NA, 2, 2), matrix(Inf, 2, 2), matrix(0, 2, 0), "a", NULL)) {
    bad(as_mixture(replace(good, "means", list(means))))
  }
  for (S in list(matrix(c(1, 2, 2, 1), 2), matrix(c(1, 0, 1, 1), 2), matrix(1, 2, 2), 0 * diag(2), NA * diag(2),
                 diag(3))) {
    bad(as_mixture(replace(good, "covariances", list(list(diag(2), S)))))
  }
  bad(as_mixture("a"), "`x` must be a list with the fields")
  bad(as_mixture(), "`x` must be given")
})

test_that("a fit of mclust is read as mclust evaluates it", {
  skip_if_not_installed("mclust")
  mclustBIC <- mclust::mclustBIC # it is looked for where it was called
  for (X in list(iris[1:4], iris[[1]])) for (G in c(1, 3)) {
    fit <- mclust::Mclust(X, G, verbose = FALSE)
    model <- as_mixture(fit)
    expect_equal(predict(model, X, "logdensity"), as.vector(mclust::dens(as.matrix(X), fit$modelName, fit$parameters,
      logarithm = TRUE)))
    expect_equal(predict(model, X), as.vector(fit$classification))
  }
})

test_that("the fields of a fit of mclust are read without mclust", {
  sigma <- array(c(diag(2), 2 * diag(2)), c(2, 2, 2))
  fit <- structure(list(parameters = list(pro = c(0.25, 0.75), mean = cbind(c(a = 1, b = 2), c(3, 4)),
                                          variance = list(sigma = sigma))),
                   class = "Mclust")
  expect_identical(as_mixture(fit), new_mixture(c(0.25, 0.75), cbind(a = c(1, 3), b = c(2, 4)), sigma))
  flat <- structure(list(parameters = list(pro = c(0.25, 0.75), mean = c("1" = 1, "2" = 2),
                                           variance = list(sigmasq = 4))), class = "Mclust")
  expect_identical(as_mixture(flat), new_mixture(c(0.25, 0.75), cbind(c(1, 2)), array(4, c(1, 1, 2))))
  noisy <- fit
  noisy$parameters$Vinv <- 0.1
  bad(as_mixture(noisy), "without a noise component")
  bad(as_mixture(structure(list(), class = "Mclust")), "as mclust::Mclust")
})

test_that("draws have the weights, means and covariances of the mixture, and leave the seed as it was", {
  set.seed(3)
  model <- as_mixture(list(weights = c(1, 3), means = rbind(c(0, 5), c(2, -1)),
                           covariances = list(diag(2), matrix(c(2, 1.2, 1.2, 1), 2))))
  before <- .Random.seed
  X <- simulate(model, 40000, seed = 4)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(model, 40000, seed = 4), X)
  component <- attr(X, "component")
  # a fixed seed; each of the ten checks is at five standard errors: 6e-6 in all
  n <- tabulate(component, 2)
  expect_lt(abs(n[1] - 10000), 5 * sqrt(40000 * 3 / 16))
  for (k in 1:2) {
    own <- X[component == k, ]
    S <- model$covariances[, , k]
    expect_true(all(abs(colMeans(own) - model$means[k, ]) < 5 * sqrt(diag(S) / n[k])))
    expect_true(all(abs(cov(own) - S) < 5 * sqrt((S^2 + diag(S) %o% diag(S)) / n[k])))
  }
  expect_identical(dim(simulate(model, 0)), c(0L, 2L))
  bad(simulate(model, -1))
})

test_that("a mixture is shown in words, numbers and pictures", {
  set.seed(5)
  model <- random_mixture(3, 5)
  expect_output(print(model, n = 2), "<mixture> 3 components in 5 dimensions.*1 lighter component and 3 columns more")
  expect_output(print(line()), "2 components in 1 dimension")
  table <- summary(model)
  expect_identical(dim(table), c(3L, 11L))
  expect_equal(table$sd.x2, sqrt(model$covariances[2, 2, ]))
  expect_equal(summary(line())$sd.x1, c(1, 0.5))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  X <- simulate(model, 30, seed = 1)
  for (columns in list(NULL, 1, c(2, 5), "x3")) expect_identical(plot(model, columns, data = X), model)
  expect_no_error(plot(line(), data = c(1, NA, 3), col = "red", main = "a"))
  for (columns in list(6, "y", c(1, 1), NA)) bad(plot(model, columns))
  bad(plot(model, level = 1))
  bad(plot(model, col = mean))
})

test_that("a column that is named weight does not have the name of the weights", {
  model <- as_mixture(list(weights = c(2, 1), means = cbind(weight = c(0, 1)), covariances = array(1, c(1, 1, 2))))
  expect_output(print(model), "share weight\n")
})

test_that("a mixture that was changed by hand is refused", {
  for (change in list(list(weights = c(1, 1)), list(means = matrix(0, 3, 1)), list(covariances = array(-1, c(1, 1, 2))),
                      list(covariances = array(1, c(1, 1, 3))), list(weights = NULL))) {
    broken <- line()
    for (name in names(change)) broken[name] <- change[name]
    bad(predict(broken, 1), "must be as as_mixture\\(\\) made it")
  }
})
