# Private linear and logistic models: inst/proofs/regression.md.

line_rows <- function(n, errors = stats::rnorm, intercept = 2) {
  x <- pmin(pmax(stats::rnorm(n, 0, 1.2), -4), 4)
  group <- sample(c("a", "b", "c"), n, TRUE)
  data.frame(x, group, y = intercept + 1.5 * x + c(a = 0, b = 2, c = -1)[group] + errors(n))
}
line_box <- function() domain_box(c(x = -4, y = -20), c(4, 20))
line_levels <- list(group = c("a", "b", "c"))

test_that("with next to no noise, coefficients are those of lm() and glm(), up to the weight that is taken", {
  set.seed(911)
  data <- line_rows(4000)
  fit <- private_lm(data, y ~ x * group, line_box(), levels = line_levels, rho = 1e9, rng = "R")
  known <- stats::lm(y ~ x * group, data)
  names <- names(stats::coef(known))
  error <- (coef(fit)[names] - stats::coef(known)) / sqrt(diag(stats::vcov(known)))
  expect_lt(max(abs(error)), 0.75)
  expect_lt(max(abs(sqrt(diag(vcov(fit, "sampling")))[names] / sqrt(diag(stats::vcov(known))) - 1)), 0.1)
  expect_lt(abs(fit$sigma - stats::sigma(known)), 0.05)
  expect_gt(fit$weight, 0.95)
  # no row is in "other"
  expect_identical(unname(fit$learned), !grepl("other", names(coef(fit))))

  data$big <- stats::runif(4000) < stats::plogis(-1 + 0.8 * data$x + (data$group == "b"))
  fit <- private_glm(data, big ~ x + group, list(x = c(-4, 4)), levels = line_levels, rho = 1e9, rng = "R")
  known <- stats::glm(big ~ x + group, stats::binomial(), data)
  names <- names(stats::coef(known))
  error <- (coef(fit)[names] - stats::coef(known)) / sqrt(diag(stats::vcov(known)))
  expect_lt(max(abs(error)), 0.75)
})

test_that("the errors of quakes stay as small as they were measured", {
  # medians of 21 runs: 4.9 and 1.5 standard errors in another study
  box <- list(mag = c(3, 8), depth = c(0, 700), stations = c(0, 150))
  known <- stats::lm(mag ~ depth + stations, datasets::quakes)
  scale <- sqrt(diag(stats::vcov(known)))
  set.seed(912)
  error <- function(epsilon) {
    stats::median(replicate(21, {
      fit <- private_lm(datasets::quakes, mag ~ depth + stations, box, epsilon = epsilon, delta = 1e-6, rng = "R")
      sqrt(mean(((coef(fit) - stats::coef(known)) / scale)[-1]^2))
    }))
  }
  expect_lt(error(1), 7)
  expect_lt(error(4), 2)
})

test_that("intervals contain the coefficients of the population, the intercept of skewed errors included", {
  # 150 samples with a fixed seed; a true coverage of 0.95 gives fewer than 0.88 of 150 with probability 4e-4
  set.seed(913)
  skewed <- function(n) stats::rexp(n) - 1
  for (errors in list(stats::rnorm, skewed)) {
    hits <- replicate(150, {
      fit <- private_lm(line_rows(3000, errors), y ~ x + group, line_box(), levels = line_levels, rho = 0.1,
                        rng = "R")
      ends <- confint(fit, of = "population")[c("(Intercept)", "x", "groupb", "groupc"), ]
      ends[, 1] <= c(2, 1.5, 2, -1) & c(2, 1.5, 2, -1) <= ends[, 2]
    })
    expect_true(all(rowMeans(hits) > 0.88))
  }
  hits <- replicate(100, {
    x <- stats::runif(3000, -2, 2)
    data <- data.frame(x, big = stats::runif(3000) < stats::plogis(-1 + x))
    ends <- confint(private_glm(data, big ~ x, list(x = c(-2, 2)), rho = 0.1, rng = "R"), of = "population")
    ends[, 1] <= c(-1, 1) & c(-1, 1) <= ends[, 2]
  })
  expect_true(all(rowMeans(hits) > 0.86))
})

test_that("standard errors allow for the residuals that are cut where errors are wide", {
  # the slope of a Huber estimate: scores of the cut residuals over the fraction that moves, integrated over x
  cut <- 2
  sd_of <- function(x) exp(1.5 * x) / 2
  nodes <- seq(-1, 1, length.out = 201)
  at_nodes <- vapply(sd_of(nodes), function(s) {
    stats::integrate(function(e) pmin(abs(e), cut)^2 * stats::dnorm(e, sd = s), -Inf, Inf, rel.tol = 1e-10)$value
  }, 0)
  expect_lt(max(abs(sd_before_cut(at_nodes, cut) / sd_of(nodes) - 1)), 2e-3)
  expect_equal(sd_before_cut(c(-1, 0, cut^2, 1e9), cut), cut * c(2^-10, 2^-10, 4, 4))

  x <- seq(-1, 1, length.out = 20001)
  columns <- rbind(1, x)
  per_row <- function(weights) columns %*% (weights * t(columns)) / length(x)
  scores <- per_row(stats::spline(nodes, at_nodes, xout = x)$y)
  sandwich <- function(moves) solve(per_row(moves)) %*% scores %*% solve(per_row(moves))
  truth <- sandwich(2 * stats::pnorm(cut / sd_of(x)) - 1)
  all <- rep(1, length(x))
  root <- function(S) with(eigen(S, symmetric = TRUE), vectors %*% (1 / sqrt(values) * t(vectors)))
  n <- 1e5
  state <- list(model = list(scale = 1, map = diag(2)), root = root(n * per_row(all)))
  sampling <- measure_sampling(state, n * scores, list(cut = cut, sd = c(sB = 0)))$sampling
  expect_lt(max(abs(sqrt(diag(sampling) / diag(truth / n)) - 1)), 0.06) # s_k is one number for each direction
  # one fraction for all directions is far away
  expect_gt(max(abs(sqrt(diag(sandwich(all)) / diag(truth)) / used_slope(cut) - 1)), 0.1)
})

test_that("errors of unequal variance have the sampling errors of the sandwich, if there are enough rows", {
  set.seed(919)
  unequal <- function(x) stats::rnorm(length(x)) * exp(x)
  x <- stats::runif(20000, -1, 1)
  z <- stats::runif(20000, -1, 1)
  data <- data.frame(x, z, y = x - z + unequal(2 * x) / 2)
  box <- domain_box(c(x = -1, z = -1, y = -12), c(1, 1, 12))
  fit <- private_lm(data, y ~ x * z, box, rho = 1e7, rng = "R")
  expect_true(fit$robust)
  known <- stats::lm(y ~ x * z, data)
  X <- stats::model.matrix(known)
  bread <- solve(crossprod(X))
  sandwich <- bread %*% crossprod(X * stats::resid(known)) %*% bread
  expect_lt(max(abs(sqrt(diag(vcov(fit, "sampling"))) / sqrt(diag(sandwich)) - 1)), 0.1)
  # the usual ones are far away
  expect_gt(max(abs(sqrt(diag(stats::vcov(known))) / sqrt(diag(sandwich)) - 1)), 0.2)
  expect_output(print(fit), "if rows are independent draws[.]?\n")

  fit <- suppressWarnings(private_lm(data[1:300, ], y ~ x * z, box, rho = 0.1, rng = "R"))
  expect_false(fit$robust)
  expect_output(print(fit), "equal variances")
  # nor after one round, whose residuals are small in the unit of the box
  expect_false(private_lm(data, y ~ x * z, box, rho = 1e7, rounds = 1, rng = "R")$robust)
  # the decision is public, and the price shows the query
  price <- function(n) print(privacy_price(private_lm(unseen(n), y ~ x * z, box, rho = 0.1)))
  expect_output(price(20000), "product of two scores")
  expect_false(any(grepl("scores", utils::capture.output(price(300)))))
})

# 120 samples with a fixed seed, as above.
test_that("intervals of errors with unequal variance contain the coefficients of the population", {
  set.seed(920)
  box <- domain_box(c(x = -1, y = -12), c(1, 12))
  hits <- replicate(120, {
    x <- stats::runif(10000, -1, 1)
    data <- data.frame(x, y = 1 + x + stats::rnorm(10000) * exp(2 * x) / 2)
    ends <- confint(private_lm(data, y ~ x, box, rho = 0.1, rng = "R"), of = "population")
    ends[, 1] <= 1 & 1 <= ends[, 2]
  })
  expect_true(all(rowMeans(hits) > 0.88))
})

test_that("a noise interval contains what the same rows give without noise", {
  set.seed(914)
  data <- line_rows(3000)
  exact <- coef(private_lm(data, y ~ x, line_box(), rho = 1e9, rng = "R"))
  hits <- replicate(100, {
    ends <- confint(private_lm(data, y ~ x, line_box(), rho = 0.05, rng = "R"))
    ends[, 1] <= exact & exact <= ends[, 2]
  })
  expect_true(all(rowMeans(hits) > 0.86))
})

test_that("people with equal rows are like single rows, and rows left out are like complete ones", {
  set.seed(915)
  data <- line_rows(2000)
  twice <- data.frame(rbind(data, data), who = rep(1:2000, 2))
  fit <- private_lm(table_rows(twice, person = "who"), y ~ x + group, line_box(), levels = line_levels, rho = 1e9,
                    rng = "R")
  alone <- private_lm(data, y ~ x + group, line_box(), levels = line_levels, rho = 1e9, rng = "R")
  expect_equal(coef(fit)[1:4], coef(alone)[1:4], tolerance = 1e-3)
  expect_error(confint(fit, of = "population"), "several rows per person")
  expect_identical(privacy(fit)$person, "who")
  gaps <- rbind(data, transform(data[1:700, ], x = NA))
  expect_error(private_lm(gaps, y ~ x, line_box(), rho = 1), "missing", class = "dptda_error")
  left <- private_lm(table_rows(gaps, missing = "omit"), y ~ x, line_box(), rho = 1e9, rng = "R")
  expect_equal(left$n.obs, 2000, tolerance = 1e-3)
  expect_equal(coef(left), coef(private_lm(data, y ~ x, line_box(), rho = 1e9, rng = "R")), tolerance = 1e-3)
})

test_that("rows cannot make a release fail", {
  set.seed(917)
  constant <- data.frame(x = rep(1, 50), y = 2, big = TRUE)
  extreme <- data.frame(x = rep(c(-Inf, Inf, 1e300, 0), 25), y = rep(c(1e300, -Inf), 50), big = c(FALSE, TRUE))
  for (data in list(constant, extreme, constant[1:2, ])) {
    for (rho in c(1e-8, 0.1, 1e6)) {
      fit <- suppressWarnings(private_lm(data, y ~ x + I(x^2), line_box(), rho = rho, rng = "R"))
      expect_true(all(is.finite(c(coef(fit), vcov(fit)))))
      fit <- suppressWarnings(private_glm(data, big ~ x, list(x = c(-4, 4)), rho = rho, rng = "R"))
      expect_true(all(is.finite(c(coef(fit), vcov(fit)))))
    }
  }
})

test_that("the cost is declared and charged, and pure epsilon is refused", {
  data <- line_rows(100)
  budget <- privacy_budget(rho = 1)
  fit <- suppressWarnings(private_lm(data, y ~ x, line_box(), rho = 0.25, budget = budget))
  expect_equal(budget$spent, 0.25)
  expect_identical(privacy(fit)$measure, c(rho = 0.25))
  expect_lte(sum(privacy(fit)$public$queries), 0.25)
  expect_error(private_lm(data, y ~ x, line_box(), epsilon = 1), "`delta`", class = "dptda_error_argument")
  expect_error(private_lm(data, y ~ x, line_box(), rho = 1, rounds = 0), "`rounds`", class = "dptda_error_argument")
  expect_error(private_glm(data, group ~ x, line_box(), rho = 1, family = stats::poisson(), success = "a"),
               "binomial", class = "dptda_error_argument")
  expect_error(private_lm(data, z ~ x, list(x = c(0, 1), z = c(0, 1)), rho = 1), "no column `z`",
               class = "dptda_error_argument")
  expect_error(private_lm(y ~ x, data = data, box = line_box(), rho = 1), "private_lm(data, y ~ x",
               fixed = TRUE, class = "dptda_error_argument")
  warn_of_weak()
  expect_warning(private_lm(data, y ~ x, line_box(), rho = 1e-4), "as large as the sampling error",
                 class = "dptda_warning_weak")
  # the price needs no data, and is the same
  expect_output(print(privacy_price(private_lm(unseen(100), y ~ x, line_box(), rho = 0.25))), "round 4")
})

test_that("predictions are those of the coefficients, with intervals of the line", {
  set.seed(918)
  data <- line_rows(2000)
  fit <- private_lm(data, y ~ x * group, line_box(), levels = line_levels, rho = 1, rng = "R")
  new <- data.frame(x = c(-1, 3), group = c("b", "zzz"))
  known <- transform(new, group = factor(c("b", "other"), c("a", "b", "c", "other")))
  X <- stats::model.matrix(~ x * group, known)
  expect_equal(unname(predict(fit, new)), as.vector(X %*% coef(fit)))
  ends <- predict(fit, new, interval = "confidence", level = 0.9)
  off <- stats::qnorm(0.95) * sqrt(diag(X %*% vcov(fit) %*% t(X)))
  expect_equal(unname(ends[, "upr"] - ends[, "fit"]), unname(off))
  expect_equal(vcov(fit), vcov(fit, "noise") + vcov(fit, "sampling"))
  expect_identical(names(as.data.frame(fit))[1:4], c("term", "estimate", "noise", "sampling"))
  expect_error(predict(fit, data.frame(x = 1)), "`group`", class = "dptda_error_argument")
  big <- private_glm(transform(data, big = y > 2), big ~ x, list(x = c(-4, 4)), rho = 1, rng = "R")
  expect_equal(predict(big, new, type = "response"), stats::plogis(predict(big, new)))
  expect_output(print(fit), "private linear model.*population: if rows are independent draws and errors have equal")
  expect_output(print(big), "private logistic model")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  expect_silent(plot(big))
})

test_that("each query of people has the noise of the weight that their rows have", {
  set.seed(921)
  formulas <- list(y ~ x, y ~ x - 1, y ~ x + I(x^2))
  wrong <- character()
  for (i in 1:400) {
    n <- round(10^stats::runif(1, 1, 7))
    rho <- 10^stats::runif(1, -8, 1)
    rounds <- sample(c(1:5, 8, 20), 1)
    family <- sample(c("gaussian", "binomial"), 1)
    design <- regression_design(formulas[[sample(3, 1)]], check_regression_box(list(x = c(-1, 1), y = c(-1, 1))), NULL)
    made <- tryCatch(fit_mechanism(unseen(n, person = "who"), design, family, NULL, rho, NULL, NULL, rounds),
                     dptda_error_argument = function(e) NULL)
    if (is.null(made)) next
    plan <- made$plan
    own <- vapply(c(plan$queries, list(plan$scores)), function(query) if (is.null(query)) NA else query$bits[2], 0)
    if (!all(2^own == plan$weight, na.rm = TRUE)) wrong <- c(wrong, paste(n, rho, rounds))
    # what one person moves, in the noise's units: all queries together cost at most rho
    spent <- vapply(c(plan$queries, list(plan$scores)), function(query) {
      if (is.null(query)) 0 else (plan$weight * (2 - query$scores) * 4^query$bits[1] / query$scale[1])^2 / 2
    }, 0)
    if (sum(spent) + plan$start + plan$level > rho) wrong <- c(wrong, paste(n, rho, rounds, "cost"))
  }
  expect_identical(wrong, character())
  # the rule that chooses weights covers scores, too
  query <- function(digits) list(bits = c(10, digits))
  expect_identical(regression_digits(list(queries = list(query(5), query(4)), scores = query(3))), c(5, 4, 3))
})

test_that("a response among the terms, and names that R reserves, are refused", {
  box <- list(x = c(0, 1), y = c(0, 1), `..1` = c(0, 1), `...` = c(0, 1))
  design <- function(formula) regression_design(formula, check_regression_box(box), NULL)
  expect_error(design(y ~ x + y), "among its terms", class = "dptda_error_argument")
  expect_error(design(y ~ ..1), "reserves", class = "dptda_error_argument")
  expect_error(design(stats::as.formula("y ~ x + ...")), "reserves", class = "dptda_error_argument")
  one <- suppressWarnings(private_lm(data.frame(x = 0.5, y = 0.2), y ~ x, box[c("x", "y")], rho = 1, rng = "R"))
  expect_true(all(is.finite(coef(one))))
})
