test_that("each row goes to the nearest point of the lattice in the box", {
  set.seed(401)
  box <- domain_box(c(-1.3, 0.1, 100), c(2.2, 0.9, 1e4))
  X <- cbind(stats::rnorm(200), stats::runif(200, -1, 2), stats::rexp(200, 1e-3))
  for (bits in c(1, 2, 5, 12)) {
    snapped <- lattice_snap(X, box, bits)
    lattice <- attr(snapped, "lattice")
    expect_true(all(lattice$last - lattice$first <= 2^bits))
    expect_true(all(log2(lattice$step) == floor(log2(lattice$step))))
    for (j in 1:3) {
      points <- lattice$step[j] * seq(lattice$first[j], lattice$last[j])
      expect_true(all(points >= box$lower[j] & points <= box$upper[j]))
      expect_true(all(snapped[, j] %in% points))
      nearest <- vapply(X[, j], function(x) min(abs(x - points)), 0)
      expect_equal(abs(snapped[, j] - X[, j]), nearest)
    }
  }
})

test_that("a side gets between half and all of its steps", {
  for (width in c(1, 1.5, 2 - 2^-50, 2, 3, 1e-300, 1e300, pi)) {
    for (bits in c(1, 8, 20)) {
      lattice <- public_lattice(domain_box(0, width), bits)
      expect_lte(lattice$last, 2^bits)
      expect_gte(lattice$last, 2^(bits - 1))
    }
  }
  expect_identical(public_lattice(domain_box(0, 1), 10), list(step = 2^-10, first = 0, last = 1024))
})

test_that("the lattice is never finer than the doubles, nor empty", {
  for (box in list(domain_box(1, 1 + 2^-52), domain_box(-1 - 2^-52, -1), domain_box(1e15, 1e15 + 1),
                   domain_box(2^-1074, 2^-1073), domain_box(0, 2^-1074), domain_box(-8e307, 8e307),
                   domain_box(2^1023, 1.5 * 2^1023), domain_box(1 - 2^-53, 1))) {
    for (bits in c(1, 20, 52)) {
      lattice <- public_lattice(box, bits)
      expect_lte(lattice$first, lattice$last)
      expect_lte(lattice$last - lattice$first, 2^bits)
      snapped <- lattice_snap(c(box$lower, box$upper, -Inf, Inf), box, bits)
      expect_true(all(snapped >= box$lower & snapped <= box$upper))
      expect_identical(as.vector(snapped) / lattice$step, round(as.vector(snapped) / lattice$step))
    }
  }
})

test_that("rows are snapped one by one, and snapped rows stay", {
  set.seed(402)
  box <- domain_box(c(0, 0), c(1, 3))
  X <- matrix(stats::rnorm(40), 20)
  snapped <- lattice_snap(X, box, 6)
  expect_identical(lattice_snap(snapped[, ], box, 6), snapped)
  for (i in 1:20) expect_identical(lattice_snap(X[i, , drop = FALSE], box, 6)[1, ], snapped[i, ])
  expect_identical(dim(lattice_snap(X[0, ], box, 6)), c(0L, 2L))
})

test_that("binary exponents are right beside powers of two", {
  powers <- 2^c(-1073:1023)
  expect_identical(binary_exponent(powers), as.double(-1073:1023))
  expect_identical(binary_exponent(powers[-(1:60)] * (1 - 2^-53)), as.double(-1014:1022))
  expect_identical(binary_exponent(.Machine$double.xmax), 1023)
})
