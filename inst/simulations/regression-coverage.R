# How often 95% intervals of private_lm() and private_glm() contain the coefficients of the population, and how wide
# they are in units of those of lm() and glm(). epsilon = 1, delta = 1e-6; four slopes and an intercept. The response
# lies in a box of eight standard deviations of its errors to each side. Linear models have errors that are normal,
# normal with a standard deviation of exp(2 x) for the first column, Student's t with 3 degrees of freedom, and
# exponential (centered). Logistic models have about 50% and 5% of successes. 1,000 samples per setting: the standard
# error of a coverage of 95% is 0.7%. `least` and `most`: of the slopes; `intercept`: its own.
source("inst/simulations/common.R")
set.seed(48)
runs <- sized(1000)
slopes <- c(1, -0.5, 0.25, 0)

errors <- list(
  normal = function(x) rnorm(nrow(x)),
  unequal = function(x) rnorm(nrow(x)) * exp(2 * x[, 1]) / sqrt(mean(exp(4 * x[, 1]))),
  t3 = function(x) rt(nrow(x), 3) / sqrt(3),
  exponential = function(x) rexp(nrow(x)) - 1
)
box <- domain_box(c(x1 = -1, x2 = -1, x3 = -1, x4 = -1, y = -8), c(1, 1, 1, 1, 8))
linear <- y ~ x1 + x2 + x3 + x4

draw_x <- function(n) matrix(runif(4 * n, -1, 1), n, dimnames = list(NULL, paste0("x", 1:4)))

one_linear <- function(kind, n) {
  x <- draw_x(n)
  data <- data.frame(x, y = 0.5 + drop(x %*% slopes) + errors[[kind]](x))
  fit <- suppressWarnings(private_lm(data, linear, box, epsilon = 1, delta = 1e-6, rng = "R"))
  compare(fit, lm(linear, data), c(0.5, slopes))
}

one_logistic <- function(intercept, n) {
  x <- draw_x(n)
  data <- data.frame(x, y = runif(n) < plogis(intercept + drop(x %*% slopes)))
  sides <- domain_box(c(x1 = -1, x2 = -1, x3 = -1, x4 = -1), 1)
  fit <- suppressWarnings(private_glm(data, linear, sides, epsilon = 1, delta = 1e-6, rng = "R"))
  compare(fit, suppressWarnings(glm(linear, binomial(), data)), c(intercept, slopes))
}

compare <- function(fit, known, truth) {
  ends <- confint(fit, of = "population")
  c(ends[, 1] <= truth & truth <= ends[, 2], sqrt(diag(vcov(fit)) / diag(vcov(known))))
}

row_of <- function(model, kind, n, one) {
  found <- replicate(runs, one())
  hits <- rowMeans(found[1:5, ])
  data.frame(model, kind, n, least = min(hits[-1]), most = max(hits[-1]), intercept = hits[[1]],
             width = median(found[7:10, ]), width_intercept = median(found[6, ]))
}

settings <- expand.grid(n = c(300, 2000, 20000), kind = names(errors), stringsAsFactors = FALSE)
all <- repetitions(nrow(settings), function(i) {
  s <- settings[i, ]
  row_of("linear", s$kind, s$n, function() one_linear(s$kind, s$n))
})
rates <- expand.grid(n = c(300, 2000, 10000), intercept = c(0, -3.1))
all <- c(all, repetitions(nrow(rates), function(i) {
  s <- rates[i, ]
  row_of("logistic", if (s$intercept == 0) "half" else "rare", s$n, function() one_logistic(s$intercept, s$n))
}))
all <- do.call(rbind, all)
numbers <- vapply(all, is.double, NA)
all[numbers] <- lapply(all[numbers], signif, 4)
write_table(all, "regression-coverage")
record_time("regression-coverage.R")
