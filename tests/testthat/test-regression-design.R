# Columns of regressions from public formulas: inst/proofs/regression.md.

design_data <- function(n) {
  data.frame(age = stats::runif(n, 17, 90), edu = sample(16, n, TRUE), sex = sample(c("m", "f", "x"), n, TRUE),
             mar = sample(c("a", "b", "c"), n, TRUE), hours = stats::runif(n, 1, 99))
}
design_box <- function() domain_box(c(age = 17, edu = 1, hours = 1), c(90, 16, 99))
design_levels <- list(sex = c("m", "f"), mar = c("a", "b", "c"))

codes_of <- function(design, data) {
  Map(function(axis, name) level_cells(data[[name]], axis$levels, axis$other, axis$names), design$axes,
      names(design$axes))
}

formulas <- list(hours ~ age * sex + edu, hours ~ age + I(age^2) + log(edu) + sex:mar, hours ~ 0 + sex:age + edu,
                 hours ~ sex * mar * age, log(hours) ~ age:edu + (age > 40), hours ~ sex + sex:age, hours ~ age,
                 hours ~ mar - 1, hours ~ age:mar - 1, hours ~ 1, hours ~ sqrt(edu):sex:age + mar, hours ~ sex:mar - 1)

test_that("columns are those of model.matrix(), in ranges from -1 to 1, and their coefficients in units of the data", {
  set.seed(901)
  data <- design_data(300)
  known <- data
  known$sex <- factor(ifelse(data$sex == "x", "other", data$sex), c("m", "f", "other"))
  known$mar <- factor(data$mar, c("a", "b", "c", "other"))
  for (formula in formulas) {
    design <- regression_design(formula, design_box(), design_levels)
    rows <- design_rows(design, as.matrix(data[design$numbers]), codes_of(design, data))
    X <- stats::model.matrix(formula, known)
    p <- ncol(X)
    expect_identical(vapply(design$columns, `[[`, "", "name"), colnames(X), label = deparse1(formula))
    expect_lte(max(abs(rows)), 1 + 1e-12)
    expect_lte(max(rowSums(rows[, seq_len(p), drop = FALSE]^2)), design$square + 1e-9)
    beta <- stats::rnorm(p)
    line <- rows[, seq_len(p), drop = FALSE] %*% beta * design$response$half + design$response$center
    expect_equal(X %*% in_data_units(design, beta), line, ignore_attr = TRUE, tolerance = 1e-9)
    expect_equal(rows[, p + 1] * design$response$half + design$response$center, eval(formula[[2]], data))
  }
})

test_that("ranges hold for all rows of the box, and declared sides cut", {
  set.seed(902)
  sides <- list(a = c(-2, 3), b = c(0.5, 4), c = c(-5, -1))
  calls <- expression(a + b, a - b, -a, a * c, a / b, b^a, a^2, a^3, c^-2, b^0.5, abs(a), abs(c), log(b), log2(b),
                      log1p(b), exp(a), sqrt(b), pmin(a, c), pmax(a, b), floor(a), ceiling(c), a > b, !(a > 0),
                      I(a * 2 - c / b), (a + b)^2, a == c & b < 2, a^4 | b)
  grid <- expand.grid(lapply(sides, function(side) c(side, stats::runif(12, side[1], side[2]))))
  for (call in calls) {
    range <- range_of(call, sides, character())
    value <- as.double(eval(call, grid))
    expect_gte(min(value) + 1e-12, range[1], label = deparse1(call))
    expect_lte(max(value) - 1e-12, range[2], label = deparse1(call))
  }
  for (call in expression(1 / a, log(a), sqrt(a), a^-1, a^0.5, c^b, log(c), exp(exp(exp(exp(b)))))) {
    expect_true(anyNA(range_of(call, sides, character())), label = deparse1(call))
  }
  box <- domain_box(c(x = 0, y = 0, `log(x)` = 0), c(100, 1, 4))
  design <- regression_design(y ~ log(x), box, NULL)
  rows <- design_rows(design, cbind(c(0, 1, exp(2), 100, NaN), 0.5), NULL)
  expect_identical(rows[, 2], c(-1, -1, 0, 1, -1))
})

test_that("a row's columns depend on no other row, and hostile values stay in range", {
  set.seed(903)
  data <- design_data(40)
  hostile <- data
  hostile$age[1:6] <- c(NaN, Inf, -Inf, 1e300, -1e300, NA)
  hostile$edu[2:4] <- c(NA, 1e-300, -5)
  for (formula in formulas) {
    design <- regression_design(formula, design_box(), design_levels)
    all <- design_rows(design, as.matrix(hostile[design$numbers]), codes_of(design, hostile))
    expect_false(anyNA(all))
    expect_lte(max(abs(all)), 1 + 1e-12)
    one <- design_rows(design, as.matrix(hostile[7, design$numbers, drop = FALSE]), codes_of(design, hostile[7, ]))
    expect_identical(all[7, ], as.vector(one))
  }
})

test_that("what depends on other rows, or has no range, is refused with advice", {
  refused <- function(formula, words, ...) {
    expect_error(regression_design(formula, design_box(), design_levels, ...), words, class = "dptda_error_argument",
                 fixed = TRUE)
  }
  refused(hours ~ poly(age, 2), "not `poly(age, 2)`")
  refused(hours ~ scale(age), "depend on other rows")
  refused(hours ~ cut(age, 4), "not `cut(age, 4)`")
  refused(hours ~ mean(age), "not `mean(age)`")
  refused(hours ~ age + offset(edu), "offset()")
  refused(hours ~ ., "`.` depends on the data")
  refused(hours ~ log(age - 20), "list(\"log(age - 20)\" = c(lower, upper))")
  refused(hours ~ I(1 / (age - 20)), "list(\"I(1/(age - 20))\" = c(lower, upper))")
  refused(hours ~ foo, "`foo`, which neither `box` nor `levels` names")
  refused(hours ~ sqrt(sex), "must not use the factor `sex` as a number")
  refused(sex ~ age, "must not use the factor `sex` as a number")
  refused(~ age, "a response")
  refused("hours ~ age", "must be a formula")
  refused(hours ~ log(age, base = 2), "must not name arguments")
  refused(hours ~ base::log(age), "functions of one row")
  refused(log(sex) ~ age, "`log(sex)`", success = "m")
  refused(hours ~ age, "must not have a side for the response", success = 1)
  refused(sex ~ age + sex, "among its terms", success = "m")
})
