line <- domain_box(-1, 1)

# The obvious definition: each row at the middle of its cell.
at_middles <- function(x, lower, upper, bits) {
  width <- (upper - lower) / 2^bits
  lower + width * (pmin(pmax(floor((x - lower) / width), 0), 2^bits - 1) + .5)
}

test_that("without noise it is the variance of rows in the middles of their cells", {
  set.seed(1)
  X <- cbind(a = stats::rnorm(50, .2, .5), b = stats::runif(50, -3, 8))
  box <- domain_box(c(a = -1, b = -2), c(1, 6))
  for (bits in c(1, 4, 10)) {
    wanted <- c(a = stats::var(at_middles(X[, 1], -1, 1, bits)), b = stats::var(at_middles(X[, 2], -2, 6, bits)))
    expect_equal(private_var(X, box, noiseless, bits = bits)$value, wanted)
    expect_equal(private_sd(X, box, rho = noiseless, bits = bits)$value, sqrt(wanted))
  }
  # in any order, and far outside
  expect_equal(private_var(X[50:1, 2:1], box, noiseless)$value, private_var(X, box, noiseless)$value)
  expect_equal(private_var(c(-Inf, Inf), line, noiseless, bits = 1)$value, .5)
})

test_that("no row moves both sums by more than their noise is for: all pairs of cells", {
  for (bits in 1:6) {
    m <- 2^bits - 1
    t <- seq(-m, m, by = 2)
    first <- abs(outer(t, t, "-")) / m
    second <- abs(outer(t^2, t^2, "-")) / m^2
    expect_lte(max(first + second), 9 / 4)
    expect_lte(max(first^2 + second^2), 4)
    # and the bound is attained, nearly
    if (bits > 4) expect_gt(max(first + second), 2.2)
    # the scales of the mechanism pay for it, in three columns at once
    scale <- function(...) mechanism_var(5, domain_box(c(-1, -1, -1), c(1, 1, 1)), ..., bits = bits)$plan$noise$scale
    expect_length(scale(epsilon = 2), 6)
    pure <- scale(epsilon = 2)[1:2]
    expect_lte(3 * max(first * m / pure[1] + second * m^2 / pure[2]), 2)
    smooth <- scale(rho = 2)[1:2]
    expect_lte(3 * max((first * m / smooth[1])^2 + (second * m^2 / smooth[2])^2) / 2, 2)
  }
})

test_that("a search finds no neighbors farther apart than that", {
  set.seed(2)
  plan <- mechanism_var(4, line, epsilon = 1, bits = 4)$plan
  moments <- function(x) statistic_of(plan, check_point_rows(matrix(x), NULL, line)) / (15^(1:2))
  for (i in 1:200) {
    x <- stats::runif(4, -1.5, 1.5)
    neighbor <- replace(x, sample(4, 1), stats::runif(1, -1.5, 1.5))
    moved <- abs(moments(x) - moments(neighbor))
    expect_lte(sum(moved), 9 / 4)
    expect_lte(sum(moved^2), 4)
  }
})

test_that("releases are never negative, nor above what the box allows, and intervals hold the truth", {
  set.seed(3)
  for (n in c(2, 3, 10)) {
    ends <- matrix(rep_len(c(-1, 1), n))
    largest <- stats::var(at_middles(ends, -1, 1, 10))
    found <- unlist(simulate(mechanism_var(n, line, epsilon = .5), 200, x = ends))
    expect_true(all(found >= 0 & found <= as.vector(largest) * (1 + 1e-12)))
    expect_gt(mean(found == max(found)), .2)
  }
  x <- matrix(stats::rnorm(500, .3, .3))
  truth <- stats::var(at_middles(x, -1, 1, 10))[1]
  inside <- function(release, truth) {
    mean(replicate(400, {
      ends <- confint(release(x, line, epsilon = 1, rng = "R"))
      ends[1] <= truth && truth <= ends[2]
    }))
  }
  # at least 95 %: of 400, 368 with probability 0.997
  expect_gt(inside(private_var, truth), .92)
  expect_gt(inside(private_sd, sqrt(truth)), .92)
})

test_that("a standard deviation is the root of the variance of the same draws, at the same price", {
  x <- matrix(stats::qnorm(stats::ppoints(200), 0, .3))
  for (cost in list(list(epsilon = 1), list(rho = .1), list(epsilon = 1, delta = 1e-6))) {
    set.seed(4)
    variance <- do.call(private_var, c(list(x, line), cost, rng = "R"))
    set.seed(4)
    deviation <- do.call(private_sd, c(list(x, line), cost, rng = "R"))
    expect_equal(deviation$value, sqrt(variance$value))
    expect_identical(privacy(deviation)$measure, privacy(variance)$measure)
  }
  budget <- privacy_budget(epsilon = 1)
  private_sd(x, line, 1, budget = budget)
  expect_identical(budget$ledger$step, "private_sd")
  expect_error(private_var(x, line, .1, budget = budget), class = "dptda_error_budget")
  expect_output(print(private_var(x, line, 1)), "private var.*noise \\(95 %\\)")
})

test_that("tables in memory and in a database give the variance of their columns", {
  people <- data.frame(group = "u", b = sin(1:30), a = cos(1:30))
  box <- domain_box(c(a = -1, b = -1), c(1, 1))
  wanted <- private_var(as.matrix(people[c("a", "b")]), box, noiseless)$value
  expect_identical(private_var(people, box, noiseless, columns = c("a", "b"))$value, wanted)
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  table <- dplyr::tbl(local_sqlite(people), "people")
  expect_equal(private_var(table, box, noiseless, columns = c("a", "b"))$value, wanted)
})

test_that("bad arguments are classed errors, and one row is refused", {
  bad <- function(code, words) expect_error(code, words, class = "dptda_error_argument")
  bad(private_var(matrix(1), line, 1), "at least 2 rows")
  bad(private_sd(matrix(0, 0, 1), line, 1), "at least 2 rows")
  bad(mechanism_var(1, line, epsilon = 1), "^`n`")
  bad(private_var(matrix(1:4), 1, 1), "^`box`")
  bad(private_var(matrix(c(1, NA)), line, 1), "missing")
  bad(private_var(matrix(1:4), line, 1, bits = 11), "^`bits`")
  bad(mechanism_sd(2^40, line, epsilon = 1), "^`bits` must be at most 6")
  bad(private_var(matrix(1:4), line), "^`epsilon`")
  bad(private_var(matrix(1:4), line, 2^-60), "so small")
})
