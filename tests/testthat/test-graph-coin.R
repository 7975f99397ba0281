# The probability of a flip: the true one rounded up to 128 binary digits, against arithmetic with many digits.

many_epsilons <- function() {
  c(0, 5e-324, 1e-300, 2^-126, 2^-127, 2^-128, 1e-20, 1e-9, 2^-30, 0.1, log(2), log(3), 0.5, 0.5 + 2^-53, 1, 1 - 2^-53,
    2, 4.14, 4.16, 10,
    log(1e6), 40, 50, 80, 88, 88.5, 88.722839111, 89, 99.99999999999999, seq(0.003, 60, length.out = 100),
    10^seq(-12, 1.9, length.out = 100))
}

exact_pi <- function(epsilon, method) {
  epsilon <- Rmpfr::mpfr(epsilon, 1200)
  if (method == "edgeflip") 1 / (1 + exp(epsilon)) else exp(-epsilon / 2) / 2
}

test_that("the probability is the exact one rounded up to 128 binary digits, for 200 epsilons and both methods", {
  skip_on_cran()
  skip_if_instrumented()
  skip_if_not_installed("Rmpfr")
  for (method in names(response_methods)) for (epsilon in many_epsilons()) {
    p <- exact_fraction(graph_coin(epsilon, method))
    exact <- exact_pi(epsilon, method)
    expect_true(p >= exact && p <= 0.5 && p - exact < Rmpfr::mpfr(2, 1200)^-128,
                info = paste(method, format(epsilon, digits = 17)))
  }
})

test_that("from 2^-128 on nothing gets smaller, and one half is one half", {
  half <- c(as.raw(128), raw(15))
  unit <- c(raw(15), as.raw(1))
  for (method in names(response_methods)) {
    expect_identical(graph_coin(0, method), half)
    expect_identical(graph_coin(1e-300, method), half)
    for (epsilon in c(200, 1000, 1e10, .Machine$double.xmax)) expect_identical(graph_coin(epsilon, method), unit)
  }
  expect_identical(graph_coin(100), unit)
  expect_identical(graph_coin(89), unit)
  expect_false(identical(graph_coin(176, "laplaceflip"), unit))
})

test_that("a test of the promise itself accepts these probabilities, and no double or 24 digits rounded the usual way",
          {
  skip_if_not_installed("Rmpfr")
  epsilons <- c(0.1, 0.7, 1, 1.3, 2, 3, 4, 7, 10, 14)
  expect_true(all(vapply(epsilons, function(epsilon) keeps_epsilon(exact_fraction(graph_coin(epsilon)), epsilon), NA)))
  # runif() is a whole number over 2^32, less than p in as many cases as there are below; with 24 digits the same
  by_comparison <- function(epsilon, digits) Rmpfr::mpfr(floor(2^digits / (1 + exp(epsilon))), 1200) /
    Rmpfr::mpfr(2, 1200)^digits
  for (digits in c(24, 32)) {
    expect_false(any(vapply(epsilons, function(epsilon) keeps_epsilon(by_comparison(epsilon, digits), epsilon), NA)))
  }
  as_double <- vapply(epsilons, function(epsilon) keeps_epsilon(Rmpfr::mpfr(1 / (1 + exp(epsilon)), 1200), epsilon), NA)
  expect_true(any(!as_double))
  expect_false(keeps_epsilon(Rmpfr::mpfr(0.6, 1200), 1))
  # one unit in the last place less is too little
  for (epsilon in epsilons) {
    less <- digits_fraction(step_digits(fraction_digits(graph_coin(epsilon)), FALSE))
    expect_false(keeps_epsilon(exact_fraction(less), epsilon))
  }
})

test_that("candidates and their acceptance give at least p, by less than 2^-127, and the fewest candidates", {
  skip_if_instrumented()
  skip_if_not_installed("Rmpfr")
  unit <- Rmpfr::mpfr(2, 1200)^-128
  q <- function(m) -expm1(-Rmpfr::mpfr(2, 1200)^-m)
  coins <- c(lapply(many_epsilons()[c(TRUE, FALSE)], graph_coin), list(c(raw(15), as.raw(1)), c(as.raw(128), raw(15)),
    c(as.raw(1), raw(15)), c(as.raw(0), as.raw(255), raw(14))))
  for (coin in coins) {
    skip <- .Call(ffi_test_skip, coin)
    m <- as.integer(skip[17])
    p <- exact_fraction(coin)
    drawn <- exact_fraction(skip[1:16]) * q(m)
    expect_true(drawn >= p && drawn - p < unit)
    expect_true(m >= 0 && m <= 52 && (m == 52 || p >= q(m + 1)))
  }
})

test_that("the cost of laplaceflip is the tight one, not below it, and at most epsilon", {
  skip_if_not_installed("Rmpfr")
  for (epsilon in c(0, 5e-324, 1e-300, 1e-15, 1e-9, 0.001, 0.1, 1, 2, 5, 10, 50, 80, 300, 699.9, 700, 1000)) {
    exact <- log(2 * exp(Rmpfr::mpfr(epsilon, 1200) / 2) - 1)
    told <- laplaceflip_epsilon(epsilon)
    expect_true(told >= exact || told == epsilon)
    expect_true(told <= epsilon && told <= exact * (1 + 2^-47) + 1e-320)
  }
  expect_equal(laplaceflip_epsilon(1), 0.832, tolerance = 1e-3)
})
