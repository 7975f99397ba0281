# The table of weights is what the guarantee rests on: its verification is tried
# with tables that are wrong by one unit, and against 200 binary digits.

holds <- function(table, move, epsilon) {
  .Call(ffi_test_lattice_holds, table$knots, table$stride, move, epsilon, kernel_options())
}
plan_of <- function(range, epsilon) .Call(ffi_diagram_private_plan, range, epsilon, kernel_options())

# Whole numbers of 60 bits as pairs (multiples of 2^30, rest).
plus <- function(pair, x) {
  low <- pair[2] + x
  c(pair[1] + low %/% 2^30, low %% 2^30)
}

test_that("halvings alone: epsilon is decided to the last digit of a double", {
  steep <- weight_table(2^30 * c(1, .5))
  for (move in c(1, 2, 7, 100, 500)) {
    edge <- 2 * move * log(2) # rounded; log(2) itself lies above its double
    expect_true(holds(steep, move, edge * (1 + 2^-51)))
    expect_false(holds(steep, move, edge * (1 - 2^-51)))
  }
  expect_false(holds(steep, 1, 1e-300))
})

test_that("a table is refused if one knot is wrong by one unit", {
  table <- kernel_table(5, 1)
  expect_true(holds(table, 10, 1))
  last <- nrow(table$knots)
  change <- function(j, x) {
    table$knots[j, ] <- plus(table$knots[j, ], x)
    table
  }
  # not twice the last
  expect_false(holds(change(1, 1), 10, 1))
  expect_false(holds(change(1, -1), 10, 1))
  expect_false(holds(change(last, 1), 10, 1))
  # not falling
  level <- table
  level$knots[3, ] <- level$knots[4, ]
  expect_false(holds(level, 10, 1))
  level$knots[3, ] <- plus(level$knots[4, ], 1)
  expect_false(holds(level, 10, .5))
  # too large or too small
  expect_false(holds(weight_table(2^30 * c(1.5, .75) / 2), 1, 1))
  expect_false(holds(list(knots = table$knots, stride = 2), 20, 1))
  expect_false(holds(list(knots = table$knots, stride = 2^50), 20, 1))
})

between <- function(p, q) {
  low <- p[2] + q[2] + (p[1] + q[1]) %% 2 * 2^30
  plus(c((p[1] + q[1]) %/% 2, 0), low %/% 2)
}

# The largest value of knot j with which the table holds; the one before it is too large.
largest_knot <- function(table, j, move, epsilon) {
  low <- table$knots[j, ]
  high <- table$knots[j - 1, ]
  while (!identical(plus(low, 1), high)) {
    table$knots[j, ] <- between(low, high)
    if (holds(table, move, epsilon)) low <- table$knots[j, ] else high <- table$knots[j, ]
  }
  low
}

test_that("the edge of what holds is where 200 binary digits have it", {
  skip_if_not_installed("Rmpfr")
  wide <- function(pair) Rmpfr::mpfr(pair[1], 300) * 2^30 + pair[2]
  for (case in list(c(5, 1), c(3, .01), c(40, 30), c(700, 700), c(2, 1e-5), c(30, 1e-4), c(1000, 1e-4))) {
    steps <- case[1]
    epsilon <- case[2]
    table <- kernel_table(steps, epsilon)
    factor <- exp(Rmpfr::mpfr(epsilon, 300) / 2)
    count <- nrow(table$knots) - 1
    period <- count * table$stride
    value <- function(s) {
      j <- s %% period %/% table$stride
      i <- s %% table$stride
      (wide(table$knots[j + 1, ]) * (table$stride - i) + wide(table$knots[min(j + 2, count + 1), ]) * i) /
        Rmpfr::mpfr(2, 300)^(s %/% period)
    }
    # it holds, at every loss of a halving or at some of them
    losses <- if (period <= 100) 0:(period - 1) else unique(floor(period * c(0, stats::runif(20), 1 - 1e-9)))
    for (s in losses) expect_true(value(s) <= factor * value(s + 2 * steps))
    # where knots are losses the edge is one of two whole numbers divided
    if (table$stride > 1) next
    for (j in unique(round(seq(2, count, length.out = 3)))) {
      if (j < 2 || j > count) next
      edge <- min(floor(factor * value(j - 1 + 2 * steps)), wide(table$knots[j - 1, ]) - 1)
      found <- wide(largest_knot(table, j, 2 * steps, epsilon))
      # never above; below by the roundings of the factor, some units of 2^-62 of it
      expect_true(found <= edge)
      expect_true(edge - found <= 16)
    }
  }
})

test_that("a table uses what it is given, and a plan finds one that uses 99.99 percent", {
  for (epsilon in c(1e-9, 1e-6, 1e-3, .01, .1, .5, 1, 3.3, 10, 100, 700)) for (range in c(.5, 1, 2.5, 40, 500.7,
    1e4, 2e5)) {
    steps <- plan_of(range, epsilon)
    expect_gte(steps, 1)
    expect_lte(steps * range, 2^31 - 1)
    table <- kernel_table(steps, epsilon)
    expect_true(holds(table, 2 * steps, epsilon))
    expect_lte(table$used, 1 + 1e-6) # in doubles, whose error is 1e-16 of one
    expect_gte(table$used, .9999)
  }
  # too coarse a lattice for a large epsilon uses less of it, and says so
  expect_lt(kernel_table(1, 700)$used, .01)
  expect_gt(kernel_table(1, 1)$used, .9)
})

test_that("settings without a table are refused by public numbers", {
  refused <- function(code) expect_error(code, class = "dptda_error_argument")
  for (epsilon in list(0, -1, NaN, Inf, 1025, 1e-13)) {
    refused(kernel_table(1, epsilon))
    refused(plan_of(10, epsilon))
  }
  refused(kernel_table(0, 1))
  refused(kernel_table(2^31, 1))
  refused(kernel_table(2^30, 1e-9))
  refused(plan_of(2^31, 1))
  refused(plan_of(-1, 1))
  refused(plan_of(Inf, 1))
  expect_identical(plan_of(0, 1), plan_of(1 / 64, 1))
})
