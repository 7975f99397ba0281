people <- function(n) cbind(height = stats::rnorm(n, 1.7, 0.2), weight = stats::rnorm(n, 70, 60))
people_box <- function() domain_box(c(1, 20), c(2.5, 200))

test_that("the query is the sum of the snapped rows", {
  set.seed(501)
  X <- people(500)
  for (bits in c(2, 8, 24)) {
    snapped <- lattice_snap(X, people_box(), bits)
    sum <- private_sum(X, people_box(), rho = noiseless, bits = bits)
    expect_equal(sum$value, colSums(snapped), tolerance = 1e-14)
    expect_equal(private_mean(X, people_box(), noiseless, bits = bits)$value, sum$value / 500)
    expect_named(sum$value, c("height", "weight"))
  }
  expect_identical(private_sum(as.data.frame(X), people_box(), noiseless)$value,
                   private_sum(X, people_box(), noiseless)$value)
  expect_identical(private_sum(c(-Inf, 0.25, Inf), domain_box(0, 1), noiseless)$value, 1.25)
  expect_identical(private_sum(double(), domain_box(1, 2), noiseless)$value, 0)
})

test_that("one row moves the integers by at most the steps of its side, and some row does", {
  set.seed(502)
  box <- people_box()
  lattice <- public_lattice(box, 6)
  steps <- lattice$last - lattice$first
  X <- people(5)
  corners <- expand.grid(c(-Inf, Inf, 1.6), c(-Inf, Inf, 60))
  worst <- c(0, 0)
  for (i in seq_len(nrow(corners))) {
    for (j in seq_len(nrow(corners))) {
      X[1, ] <- unlist(corners[i, ])
      neighbor <- X
      neighbor[1, ] <- unlist(corners[j, ])
      change <- colSums(lattice_steps(X, lattice)) - colSums(lattice_steps(unname(neighbor), lattice))
      worst <- pmax(worst, abs(change))
    }
  }
  expect_identical(unname(worst), steps)
  sensitivity <- privacy(private_sum(people(5), box, 1, bits = 6))$sensitivity
  expect_identical(sensitivity, steps * lattice$step)
  expect_identical(privacy(private_mean(people(5), box, 1, bits = 6))$sensitivity, sensitivity * (1 / 5))
})

# From 2^52 steps on the half that is added before rounding down is none of the doubles: the ends of a lattice of their
# spacing were two steps apart where they are one.
test_that("at the spacing of doubles a row moves a sum by what is declared, from end to end", {
  for (lower in c(2^53, 2^53 + 2, -2^53 - 10, 1.7e9, -1e6, 2^-1022)) {
    for (widths in c(1, 2, 3, 5, 10, 11)) {
      box <- domain_box(lower, lower + widths * 2^(binary_exponent(abs(lower)) - 52))
      for (bits in c(1, 3, 24)) {
        lattice <- public_lattice(box, bits)
        sums <- vapply(c(-Inf, box$lower, box$upper, Inf), function(x) sum_rows(table_rows(data.frame(x)), lattice), 0)
        expect_identical(sums, c(0, 0, 1, 1) * (lattice$last - lattice$first))
      }
    }
  }
})

test_that("the columns spend together exactly what is declared", {
  for (d in 1:4) {
    box <- domain_box(rep(0, d), 10^(seq_len(d)) / 3)
    for (bits in c(3, 20)) {
      lattice <- public_lattice(box, bits)
      steps <- lattice$last - lattice$first
      for (value in c(0.01, 1, 9)) {
        X <- matrix(1, 10, d)
        pure <- private_sum(X, box, value, bits = bits)
        # at most, since scales are rounded up to 24 bits, and by no more than that
        expect_lte(sum(steps / pure$noise$scale), value * (1 + 1e-15))
        expect_gt(sum(steps / pure$noise$scale), value * (1 - 2^-22))
        smooth <- private_mean(X, box, rho = value, bits = bits)
        expect_lte(sum(steps^2 / smooth$noise$scale^2 / 2), value * (1 + 1e-15))
        expect_gt(sum(steps^2 / smooth$noise$scale^2 / 2), value * (1 - 2^-21))
        expect_identical(sum(privacy(pure)$ledger$value), value)
        expect_identical(sum(privacy(smooth)$ledger$value), value)
      }
    }
  }
})

test_that("the noise has the declared distribution in every column", {
  skip_if_instrumented()
  # false alarm: 1e-6, with a fixed seed
  set.seed(503)
  box <- domain_box(c(0, 0), c(1, 4))
  draws <- t(replicate(1500, private_sum(rbind(c(0.5, 2)), box, epsilon = 2, bits = 2, rng = "R")$value))
  y <- -60:60
  for (j in 1:2) {
    lattice <- public_lattice(box, 2)
    noise <- draws[, j] / lattice$step[j] - 2
    expect_gt(discrete_fit(noise, y, laplace_probability(y, 4)), 1e-6)
  }
  expect_lt(abs(stats::cor(draws[, 1], draws[, 2])), 0.13)
})

test_that("a box with one lattice point needs no noise", {
  expect_identical(private_sum(c(1, 1), domain_box(1 - 2^-53, 1), 1, bits = 1)$value, 2)
  # nor is it weak
  for (box in list(domain_box(1 - 2^-53, 1), domain_box(c(1, 0), c(1 + 2^-52, 1)))) {
    expect_null(weakness_of(private_sum(unseen(1e4), box, 1)$plan))
  }
})

test_that("sums stay exact: rows times steps are limited", {
  expect_identical(check_bits(24, 2^28), 24)
  expect_error(check_bits(24, 2^28 + 1), class = "dptda_error_argument")
  expect_error(check_bits(20, 2^33), "must be at most 19 for", class = "dptda_error_argument")
})

test_that("bad arguments are classed errors, and cost nothing", {
  budget <- privacy_budget(epsilon = 1)
  box <- domain_box(0, 1)
  refused <- function(...) {
    for (release in list(private_sum, private_mean)) {
      expect_error(release(..., budget = budget), class = "dptda_error_argument")
    }
  }
  refused(1, 2, 1)
  refused(c(1, NA), box, 1)
  refused(cbind(1, 2), box, 1)
  refused("1", box, 1)
  refused(1, box)
  refused(1, box, -1)
  refused(1, box, 1, rho = 1)
  refused(1, box, 1e-9)
  for (bad in list(0, 25, 1.5, NA)) refused(1, box, 1, bits = bad)
  refused(box = box, epsilon = 1)
  expect_error(private_mean(double(), box, 1), "at least 1 row", class = "dptda_error_argument")
  expect_error(private_mean(1, box, 2, budget = budget), class = "dptda_error_budget")
  expect_identical(budget$spent, 0)
  private_mean(1, box, 1, budget = budget)
  expect_identical(budget$spent, 1)
})

test_that("what may be beyond the doubles is refused by public numbers, whatever the rows are", {
  wide <- c(0, 1.5e308)
  rows <- data.frame(x = rep(c(0, 1e308), 50), g = "a")
  for (x in list(rows$x, 0 * rows$x)) {
    expect_error(private_sum(x, wide, 1), "`box` must be nearer to zero", class = "dptda_error_argument")
  }
  expect_error(private_sum(rows, list(x = wide), 1, by = list(g = "a")), "nearer to zero",
               class = "dptda_error_argument")
  expect_error(private_sum(table_rows(rows, "x", missing = "omit"), wide, 1), "nearer to zero",
               class = "dptda_error_argument")
  expect_error(private_mean(unseen(1), c(0, 1e307), epsilon = 0.01, bits = 4), "nearer to zero",
               class = "dptda_error_argument")
  # below that numbers are numbers
  expect_equal(as.numeric(private_sum(rows$x, wide / 1e4, noiseless)) / 1.5e304, 50, tolerance = 1e-5)
  expect_equal(as.numeric(private_mean(rows$x, wide, noiseless)) / 1e307, 5, tolerance = 1e-5)
  by <- private_mean(rows, list(x = wide / 1e3), noiseless, by = list(g = "a"))
  expect_equal(by$value[1] / 1.5e305, 0.5, tolerance = 1e-5)
  expect_true(all(is.finite(unlist(private_sum(rows, list(x = c(-1e300, 1e300)), 0.01, by = list(g = "a"))[2:5]))))
})
