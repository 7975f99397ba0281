# Oracle: the best matching is best at the middle of its shifts, between the largest of its lower ends and the smallest
# of its upper ones: so the smallest exact bottleneck distance over the middles of any two pairs, and at one shift for
# the case that nothing is matched.
shifted <- function(x, shift) list(birth = x$birth + shift, death = x$death + shift)
pairs_of <- function(x, y) {
  births <- outer(y$birth, x$birth, "-")
  deaths <- outer(y$death, x$death, "-")
  births <- ifelse(is.nan(births) | is.infinite(births), deaths, births)
  deaths <- ifelse(is.nan(deaths) | is.infinite(deaths), births, deaths)
  possible <- is.finite(births) & is.finite(deaths)
  list(low = pmax(births, deaths)[possible], high = pmin(births, deaths)[possible])
}
distance_at <- function(x, y, shift) {
  x <- shifted(x, shift)
  .Call(ffi_persistence_bottleneck_distance, x$birth, x$death, y$birth, y$death, kernel_options())
}
best_of_all <- function(x, y) {
  pairs <- pairs_of(x, y)
  shifts <- unique(c(0, outer(pairs$low, pairs$high, "+") / 2))
  min(vapply(shifts, function(shift) distance_at(x, y, shift), 0))
}

# `grid`: coordinates on a lattice, so that ties and points on the diagonal abound. The first `essential` never die.
random_diagram <- function(n, grid = NULL, scale = 1, essential = 0, birthless = 0) {
  birth <- stats::runif(n)
  persistence <- scale * stats::runif(n)
  if (!is.null(grid)) {
    birth <- round(birth * grid)
    persistence <- round(persistence * grid)
  }
  death <- birth + persistence
  death[seq_len(min(n, essential))] <- Inf
  birth[n + 1 - seq_len(min(n, birthless))] <- -Inf
  persistence_diagram(rep(0L, n), birth, death)
}
best <- function(x, y) shift_invariant_distance(x, y, dimension = 0)
flip <- function(x) persistence_diagram(x$dimension, -x$birth, -x$death, sublevel = FALSE)
move <- function(x, shift) persistence_diagram(x$dimension, x$birth + shift, x$death + shift)

# The distance is the oracle's, and the bottleneck distance at the shift that comes with it.
expect_best <- function(x, y, tolerance = 1e-14) {
  found <- best(x, y)
  expected <- best_of_all(x, y)
  if (is.infinite(expected)) {
    expect_identical(c(found), Inf)
    expect_identical(attr(found, "shift"), NA_real_)
  } else {
    expect_lte(abs(c(found) - expected), tolerance)
    expect_lte(abs(distance_at(x, y, attr(found, "shift")) - expected), tolerance)
  }
}

test_that("few points: the smallest of the bottleneck distances at every shift that can matter", {
  set.seed(1)
  for (i in 1:200) {
    grid <- list(NULL, 4, 2)[[i %% 3 + 1]]
    scale <- c(1, 0.2)[i %% 2 + 1]
    expect_best(random_diagram(sample(0:4, 1), grid), random_diagram(sample(0:4, 1), grid, scale), 1e-14 * max(1, grid))
  }
})

test_that("infinite points confine the shift", {
  set.seed(2)
  for (i in 1:100) {
    grid <- list(NULL, 4)[[i %% 2 + 1]]
    kinds <- list(c(1, 0), c(2, 0), c(0, 1), c(1, 1), c(4, 4))[[i %% 5 + 1]]
    x <- random_diagram(sample(2:4, 1), grid, 0.5, kinds[1], kinds[2])
    y <- random_diagram(sample(2:4, 1), grid, 1, kinds[1], kinds[2])
    expect_best(x, y, 1e-14 * max(1, grid))
  }
  a <- stats::runif(60)
  b <- stats::runif(60)
  essential <- function(birth) persistence_diagram(0, birth, rep(Inf, 60))
  expect_equal(c(best(essential(a), essential(b))), diff(range(sort(a) - sort(b))) / 2, tolerance = 1e-14)
  expect_equal(c(best(essential(a), move(essential(a), 7))), 0, tolerance = 1e-14)
})

test_that("many cases", {
  skip_unless_long()
  set.seed(3)
  for (i in 1:1700) {
    grid <- list(NULL, 3, 6)[[i %% 3 + 1]]
    kinds <- list(c(0, 0), c(0, 0), c(1, 0), c(1, 1))[[i %% 4 + 1]]
    scale <- sample(c(1, 0.3, 0.05), 2, replace = TRUE)
    expect_best(random_diagram(sample(0:5, 1), grid, scale[1], kinds[1], kinds[2]),
                random_diagram(sample(0:5, 1), grid, scale[2], kinds[1], kinds[2]), 1e-14 * max(1, grid))
  }
})

test_that("many points: no shift is better, and the distance is that of its shift", {
  set.seed(4)
  for (n in list(c(40, 40), c(100, 70), c(200, 20), c(130, 130))) for (grid in list(NULL, 12)) {
    x <- random_diagram(n[1], grid)
    y <- move(random_diagram(n[2], grid), 3)
    found <- best(x, y)
    shift <- attr(found, "shift")
    tolerance <- 1e-14 * max(5, grid)
    expect_lte(abs(distance_at(x, y, shift) - c(found)), tolerance)
    others <- c(seq(0, 6, length.out = 200), shift + c(-1, 1) %o% 2^-(1:30))
    expect_true(all(vapply(others, function(s) distance_at(x, y, s), 0) >= c(found) - tolerance))
  }
})

test_that("chains of many pairs, at every shift another matching", {
  line <- function(birth) persistence_diagram(0, birth, birth + 1e3)
  expect_equal(c(best(line(1:40), line(c(1:20, 20:39) + 0.25))), 0.5)
  expect_equal(c(best(line(1:70), line(71:140))), 0)
  expect_identical(attr(best(line(1:70), line(71:140)), "shift"), 70)
  expect_equal(c(best(line(1:70), line(2 * 1:70))), 34.5)
  expect_equal(c(best(line(rep(0, 40)), line(rep(1, 36)))), 500)
})

test_that("shifts change nothing, the order of points neither, and it is a metric", {
  set.seed(5)
  for (n in c(4, 40, 120)) {
    x <- random_diagram(n)
    y <- random_diagram(n + 3)
    z <- random_diagram(max(1, n %/% 2))
    d <- best(x, y)
    expect_equal(c(best(y, x)), c(d), tolerance = 1e-13)
    expect_equal(c(best(x[sample(n), ], y[sample(n + 3), ])), c(d), tolerance = 1e-13)
    expect_equal(c(best(move(x, 100), y)), c(d), tolerance = 1e-11)
    expect_equal(distance_at(move(x, 100), y, attr(best(move(x, 100), y), "shift")), c(d), tolerance = 1e-11)
    expect_lte(c(d), distance_at(x, y, 0))
    expect_lte(c(best(x, z)), c(d) + c(best(y, z)) + 1e-14)
    expect_equal(c(best(x, move(x, 2^-3))), 0, tolerance = 1e-14)
  }
})

test_that("empty, single, repeated and diagonal points", {
  none <- persistence_diagram()
  one <- persistence_diagram(0, 1, 3)
  expect_identical(best(none, none), structure(0, shift = 0))
  expect_identical(best(none, one), structure(1, shift = 0))
  expect_identical(c(best(one, persistence_diagram(0, 5, 7))), 0)
  expect_identical(attr(best(one, persistence_diagram(0, 5, 7)), "shift"), 4)
  expect_identical(c(best(none, persistence_diagram(0, 1:100, 1:100))), 0)
  many <- persistence_diagram(0, rep(1, 50), rep(3, 50))
  expect_identical(c(best(many, many[-1, ])), 1)
  expect_identical(c(best(move(many, 6), many)), 0)
  expect_identical(c(best(persistence_diagram(0, 0, Inf), none)), Inf)
  expect_identical(c(best(persistence_diagram(0, -Inf, Inf), persistence_diagram(0, -Inf, Inf))), 0)
})

test_that("superlevel diagrams are turned round, and the shift with them", {
  set.seed(6)
  x <- random_diagram(30, essential = 2)
  y <- random_diagram(34, essential = 2)
  d <- best(x, y)
  expect_identical(c(best(flip(x), flip(y))), c(d))
  expect_identical(attr(best(flip(x), flip(y)), "shift"), -attr(d, "shift"))
  expect_error(best(flip(x), x), "`y`", class = "dptda_error_argument")
})

test_that("logarithms: no unit matters", {
  set.seed(7)
  positive <- function(n) persistence_diagram(0, b <- stats::rexp(n), b * (1 + stats::rexp(n)))
  times <- function(x, factor) persistence_diagram(x$dimension, factor * x$birth, factor * x$death)
  x <- positive(30)
  y <- positive(25)
  d <- shift_invariant_distance(x, y, dimension = 0, log = TRUE)
  logs <- function(x) persistence_diagram(0, log(x$birth), log(x$death))
  expect_identical(d, best(logs(x), logs(y)))
  expect_equal(c(shift_invariant_distance(times(x, 1e3), times(y, 1e-4), dimension = 0, log = TRUE)), c(d),
               tolerance = 1e-12)
  same <- shift_invariant_distance(x, times(x, 5), dimension = 0, log = TRUE)
  expect_lte(c(same), 1e-14)
  expect_equal(exp(attr(same, "shift")), 5, tolerance = 1e-12)
})

test_that("births of 0 are compared by their deaths", {
  set.seed(8)
  deaths <- stats::rexp(20)
  others <- stats::rexp(20)
  rips <- function(deaths) persistence_diagram(0, rep(0, length(deaths) + 2), c(deaths, Inf, 0))
  d <- shift_invariant_distance(rips(deaths), rips(others), dimension = 0, log = TRUE)
  expect_equal(c(d), diff(range(log(sort(others) / sort(deaths)))) / 2, tolerance = 1e-13)
  expect_identical(c(shift_invariant_distance(rips(deaths), rips(others[-1]), dimension = 0, log = TRUE)), Inf)
  falling <- persistence_diagram(0, c(2, 8), c(0, 4), sublevel = FALSE)
  doubled <- persistence_diagram(0, c(4, 16), c(0, 8), sublevel = FALSE)
  expect_equal(c(shift_invariant_distance(falling, doubled, dimension = 0, log = TRUE)), 0, tolerance = 1e-14)
  expect_equal(attr(shift_invariant_distance(falling, doubled, dimension = 0, log = TRUE), "shift"), log(2))
})

test_that("dimensions are kept apart, and whatever can be a diagram is accepted", {
  x <- persistence_diagram(c(0, 1), c(0, 0), c(1, 4))
  y <- persistence_diagram(1, 5, 8)
  expect_identical(shift_invariant_distance(x, y, dimension = c(1, 0, 7)),
                   structure(c(0.5, 0.5, 0), shift = c(4.5, 0, 0)))
  expect_identical(c(shift_invariant_distance(as.matrix(x), list(diagram = as.matrix(y)), dimension = 1)), 0.5)
  expect_identical(shift_invariant_distance(x, y, dimension = integer()), structure(numeric(), shift = numeric()))
})

test_that("bad input gets a classed error", {
  x <- persistence_diagram(0, 0, 1)
  below <- persistence_diagram(0, -1, 1)
  expect_error(shift_invariant_distance(x, x), "`dimension`", class = "dptda_error_argument")
  expect_error(shift_invariant_distance(x, x, 0), "must be named", class = "dptda_error_argument")
  expect_error(shift_invariant_distance(x, x, dimension = -1), "`dimension`", class = "dptda_error_argument")
  expect_error(shift_invariant_distance("x", x, dimension = 0), "`x`", class = "dptda_error_argument")
  expect_error(shift_invariant_distance(x, NULL, dimension = 0), "`y`", class = "dptda_error_argument")
  expect_error(shift_invariant_distance(x, x, dimension = 0, log = NA), "`log`", class = "dptda_error_argument")
  expect_error(shift_invariant_distance(x, below, dimension = 0, log = TRUE), "`y`.*`log`",
               class = "dptda_error_argument")
})

test_that("extreme magnitudes end", {
  set.seed(9)
  extreme <- function() persistence_diagram(0, rep(0, 60), 10^stats::runif(60, -300, 300))
  x <- extreme()
  y <- extreme()
  found <- best(x, y)
  expect_lte(c(found), distance_at(x, y, 0))
  expect_equal(distance_at(x, y, attr(found, "shift")), c(found), tolerance = 1e-12)
  huge <- persistence_diagram(0, -1e308, 1e308)
  expect_identical(c(best(huge, huge)), 0)
})

test_that("differences beyond all doubles are differences", {
  large <- 2^1023
  whole <- persistence_diagram(0, -1.5 * large, 1.5 * large)
  expect_identical(best(whole, persistence_diagram()), structure(1.5 * large, shift = 0))
  expect_identical(c(best(persistence_diagram(), whole)), 1.5 * large)
  expect_identical(best(whole, persistence_diagram(0, -1.25 * large, 1.75 * large)), structure(0, shift = 0.25 * large))
  expect_identical(c(best(whole, persistence_diagram(0, -large, 1.5 * large))), 0.25 * large)
  # and the same points are the same, however large
  set.seed(10)
  corners <- function(n, grid) {
    at <- matrix(stats::runif(2 * n, -1.7, 1.7), ncol = 2)
    if (!is.null(grid)) at <- round(at * grid) / grid
    list(low = pmin(at[, 1], at[, 2]), high = replace(pmax(at[, 1], at[, 2]), stats::runif(n) < 0.1, Inf))
  }
  of_size <- function(at, factor) persistence_diagram(0, factor * at$low, factor * at$high)
  for (i in 1:100) {
    grid <- list(NULL, 2)[[i %% 2 + 1]]
    x <- corners(sample(0:5, 1), grid)
    y <- corners(sample(1:5, 1), grid)
    usual <- best(of_size(x, 1), of_size(y, 1))
    expect_identical(best(of_size(x, large), of_size(y, large)),
                     structure(large * c(usual), shift = large * attr(usual, "shift")))
  }
})

test_that("it leaves no memory behind", {
  expect_identical(.Call(ffi_test_live_blocks), 0)
})
