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
    scale <- function(...) private_var(unseen(5), domain_box(c(-1, -1, -1), c(1, 1, 1)), ...,
                                       bits = bits)$plan$noise$scale
    expect_length(scale(epsilon = 2), 6)
    pure <- scale(epsilon = 2)[1:2]
    expect_lte(3 * max(first * m / pure[1] + second * m^2 / pure[2]), 2)
    smooth <- scale(rho = 2)[1:2]
    expect_lte(3 * max((first * m / smooth[1])^2 + (second * m^2 / smooth[2])^2) / 2, 2)
  }
})

test_that("a search finds no neighbors farther apart than that", {
  set.seed(2)
  plan <- private_var(unseen(4), line, epsilon = 1, bits = 4)$plan
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
    found <- unlist(simulate(private_var(as_unseen(n), line, epsilon = .5), 200, x = ends))
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

test_that("no interval reaches below zero, and that of a standard deviation is of the roots of that of the variance", {
  for (x in list(rep(.2, 150), seq(-1, 1, length.out = 150), c(1, rep(-1, 149)))) {
    for (seed in 1:20) {
      release <- function(private) {
        set.seed(seed)
        private(cbind(x = x), domain_box(c(x = -1), 1), epsilon = 1, rng = "R")
      }
      variance <- release(private_var)
      deviation <- release(private_sd)
      ends <- confint(variance)
      expect_gte(ends[1], 0)
      expect_true(ends[1] <= variance$value && variance$value <= ends[2])
      expect_equal(confint(deviation), sqrt(ends))
      # pictures and tables have the same ends
      expect_equal(unlist(drawn_values(deviation, .95)[c("lower", "upper")], use.names = FALSE), as.vector(sqrt(ends)))
      expect_equal(unlist(as.data.frame(summary(variance))[c("lower", "upper")], use.names = FALSE), as.vector(ends))
    }
  }
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
  expect_output(print(private_var(x, line, 1)), "private var.*data \\(95%\\)")
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
  bad(private_var(unseen(1), line, epsilon = 1), "^`x` must have at least 2 rows")
  bad(private_var(matrix(1:4), 1, 1), "^`box`")
  bad(private_var(matrix(c(1, NA)), line, 1), "missing")
  bad(private_var(matrix(1:4), line, 1, bits = 11), "^`bits`")
  bad(private_sd(unseen(2^40), line, epsilon = 1), "^`bits` must be at most 6")
  bad(private_var(matrix(1:4), line), "^`epsilon`")
  bad(private_var(matrix(1:4), line, 2^-60), "so small")
})

test_that("the variance of people is that of a mixture in which each weighs one", {
  set.seed(5)
  many <- c(1, 2, 1023, 1025, 2049, 3)
  frame <- data.frame(a = stats::rnorm(sum(many), .2, .4), b = stats::runif(sum(many), -1, 1), who = rep(6:1, many))
  people <- table_rows(frame, c("a", "b"), person = "who")
  box <- domain_box(c(a = -1, b = -1), c(1, 1))
  share <- weigh_rows(people, 1024)$weight / 1024
  for (bits in c(1, 5, 10)) {
    wanted <- vapply(frame[c("a", "b")], function(x) {
      x <- at_middles(x, -1, 1, bits)
      sum(share * (x - sum(share * x) / 6)^2) / 5
    }, 0)
    expect_equal(private_var(people, box, noiseless, bits = bits)$value, wanted)
    expect_equal(private_sd(people, box, rho = noiseless, bits = bits)$value, sqrt(wanted))
  }
  # what is seen is that of rows that are repeated as often as they weigh, and so is its noise
  repeated <- as.matrix(frame[rep(seq_len(nrow(frame)), share * 1024), c("a", "b")])
  mechanism <- private_var(unseen(6, person = "who"), box, epsilon = 1)
  of_rows <- private_var(unseen(6 * 1024), box, epsilon = 1 / 1024)
  expect_identical(mechanism$plan$noise$scale, of_rows$plan$noise$scale)
  one <- simulate(mechanism, 1, seed = 1, x = people)[[1]]
  other <- simulate(of_rows, 1, seed = 1, x = repeated)[[1]]
  expect_identical(one$moments, other$moments / 1024)
  expect_equal(one$value * 5, other$value * (6 * 1024 - 1) / 1024)
  expect_equal(variance_half_width(one, .9) * 5, variance_half_width(other, .9) * (6 * 1024 - 1) / 1024)
  # half of one person's rows at each end
  ends <- table_rows(data.frame(x = c(-1, 1, -1, 1), who = c(1L, 1L, 2L, 3L)), "x", person = "who")
  largest <- at_middles(1, -1, 1, 10)^2 * 3 / 2
  expect_equal(private_var(ends, line, noiseless)$value, c(x = largest))
  found <- unlist(simulate(private_var(unseen(3, person = "who"), line, epsilon = .5), 100, seed = 1, x = ends))
  expect_true(all(found >= 0 & found <= largest * (1 + 1e-12)))
})

test_that("one person moves both sums by no more than their noise is for", {
  set.seed(6)
  mechanism <- private_var(unseen(2, person = "who"), line, epsilon = 1, bits = 6)
  moments <- function(x) {
    rows <- table_rows(data.frame(x = c(.1, x)), person = rep(1:2, c(1, length(x))))
    statistic_of(mechanism$plan, rows) / mechanism$plan$weight / mechanism$plan$most^(1:2)
  }
  most <- c(0, 0)
  for (run in 1:60) {
    many <- sample(c(1, 2, 1023, 1025, 2049), 2)
    one <- if (run %% 2) stats::runif(many[1], -1, 1) else rep(sample(c(-.5, 1, -1), 1), many[1])
    other <- if (run %% 3) rep(sample(c(-.5, 0, 1), 1), many[2]) else sample(c(-1, 1), many[2], TRUE)
    moved <- abs(moments(one) - moments(other))
    most <- pmax(most, c(sum(moved), sum(moved^2)))
  }
  expect_lte(most[1], 9 / 4)
  expect_lte(most[2], 4)
  expect_gt(most[1], 2.2)
})

test_that("variances of people need two of them, and have as many cells as there is room for", {
  frame <- data.frame(x = 1:4 / 4, who = c(1L, 1L, 1L, 1L))
  people <- table_rows(frame, "x", person = "who")
  expect_error(private_var(people, line, 1), "at least 2 people", class = "dptda_error_argument")
  expect_error(private_sd(table_rows(frame, "x", person = 1:4, people = 9), line, 1), "^`people`",
               class = "dptda_error_argument")
  public <- function(n) private_var(unseen(n, person = "person"), line,
                                    epsilon = 1)$guarantee$public[c("n", "bits", "weight")]
  expect_identical(public(1000), list(n = 1000, bits = 10, weight = 1024))
  expect_identical(public(2^31 - 1), list(n = 2^31 - 1, bits = 8, weight = 32))
  one <- private_var(table_rows(frame, "x", person = c(1L, 2L, 2L, 2L), rows_of_person = "one"), line, 1)
  expect_identical(privacy(one)$public$weight, 1)
  expect_identical(privacy(one)$unit, "one person")
})

test_that("confint(), tidy() and print() have the same ends, none below zero", {
  set.seed(71)
  released <- private_var(data.frame(a = stats::rnorm(40), b = stats::runif(40)), list(a = c(-9, 9), b = c(0, 9)),
                          epsilon = 0.5)
  skip_if_not_installed("generics")
  tidy <- generics::tidy(released)
  expect_equal(cbind(tidy$data.low, tidy$data.high), confint(released), ignore_attr = TRUE)
  expect_true(all(tidy$data.low >= 0))
  expect_output(print(released), "data \\(95%\\)\n.* to ")
})

test_that("sides whose squares are no doubles are refused, and the print says what intervals leave out", {
  for (release in list(private_var, private_sd)) for (side in list(c(0, 1e155), c(-1e-150, 1e-150), c(0, 1e141))) {
    expect_error(release(side, side, 1), "must have sides between 1e-140 and 1e140: variances are about as large",
                 class = "dptda_error_argument")
  }
  expect_error(private_sd(unseen(9), c(0, 1e200), 1), "`box`", class = "dptda_error_argument")
  # and those that are not
  for (size in c(1e-139, 1e139)) {
    found <- private_sd(rep(c(0, size), 50), c(0, size), noiseless)
    expect_equal(as.numeric(found) / size, stats::sd(rep(0:1, 50)), tolerance = 2e-3)
    expect_true(all(is.finite(confint(private_var(rep(c(0, size), 50), c(0, size), 1e-3, rng = "R")))))
  }
  expect_output(print(private_sd(1:9, c(0, 10), 1, bits = 6)),
                "Intervals cover the noise, but not the error from moving rows to the midpoints\\s+of 64 cells.")
  expect_output(print(private_var(as.Date("2024-01-01") + 1:9, as.Date(c("2024-01-01", "2025-01-01")), 1)),
                "in squared days.*1,024\\s+cells")
})
