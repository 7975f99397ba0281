# Releases at a bound of their box.

said <- function(x) gsub(" +", " ", paste(utils::capture.output(print(x)), collapse = " "))
low <- "At the lower bound of the box, up to noise"
high <- "At the upper bound of the box, up to noise"

test_that("means, sums and spreads at a bound of the box are named, and others are not", {
  set.seed(11)
  grams <- 3000 + 200 * stats::rnorm(400) # in a box of kilograms
  years <- 40 + 9 * stats::rnorm(400)
  frame <- data.frame(weight = grams, age = years, cold = years - 400)
  box <- domain_box(c(weight = 0, age = 0, cold = -50), c(6, 100, 50))
  for (cost in list(list(epsilon = noiseless), list(rho = 1e20))) {
    for (release in list(private_mean, private_sum, private_var, private_sd)) {
      found <- said(do.call(release, c(list(frame, box, rng = "R"), cost)))
      expect_match(found, paste0(high, ": `weight`. Rows above it, if any, count as the bound."), fixed = TRUE)
      expect_match(found, paste0(low, ": `cold`. Rows below it, if any, count as the bound."), fixed = TRUE)
      expect_no_match(found, "`age`", fixed = TRUE)
      # one column without a name
      expect_match(said(do.call(release, c(list(grams, c(0, 6), rng = "R"), cost))), paste0(high, ". Rows"),
                   fixed = TRUE)
      expect_no_match(said(do.call(release, c(list(years, c(0, 100), rng = "R"), cost))), "bound of the box")
    }
  }
  # whatever the noise is next to: a step of the lattice, or the whole side
  expect_match(said(private_mean(grams, c(0, 6.1), noiseless)), high, fixed = TRUE)
  expect_no_match(said(suppressWarnings(private_mean(grams[1:4], c(0, 6), 0.1, rng = "R"))), "bound of the box")
  # no rows have no mean
  expect_no_match(said(private_sum(double(), c(0, 6), 1)), "bound of the box")
  # of dates
  days <- as.Date("2024-03-01") + 0:99
  expect_match(said(private_mean(days, as.Date(c("1990-01-01", "2000-01-01")), 50, rng = "R")), high, fixed = TRUE)
})

test_that("the bound is named for each group, for missing values and for people", {
  set.seed(12)
  frame <- data.frame(x = rep(c(900, 0.5, NA), c(500, 500, 20)), g = rep(c("a", "b", "a"), c(500, 500, 20)))
  rows <- table_rows(frame, c("x", "g"), missing = "omit")
  for (release in list(private_mean, private_sum)) {
    found <- said(release(rows, list(x = c(0, 1)), epsilon = 1e6, by = list(g = c("a", "b", "none")), rng = "R"))
    expect_match(found, paste0(high, ": `a`. Rows above"), fixed = TRUE)
    expect_no_match(found, "`b`|`other`|`none`|lower bound of")
  }
  visits <- table_rows(data.frame(x = c(9, 9, 8, 30), who = c(1, 1, 2, 3)), "x", person = "who")
  expect_match(said(private_mean(visits, c(0, 1), noiseless)), high, fixed = TRUE)
  good <- table_rows(data.frame(good = rep(TRUE, 500), g = rep(c("a", "b"), 250)))
  expect_no_match(said(private_proportion(good, epsilon = 20, columns = "good", by = list(g = c("a", "b")), rng = "R")),
                  "bound of the box")
})

test_that("quantiles in an end cell are named by all methods, in memory and in a database", {
  far <- data.frame(x = c(rep(70000, 300), rep(10, 100)))
  table <- dplyr::tbl(local_sqlite(far), "people")
  for (x in list(far, table)) for (method in c("exponential", "halving", "counts")) {
    found <- said(private_quantile(x, list(x = c(0, 1000)), c(0.1, 0.5, 0.8), epsilon = 200, method = method,
                                   rng = "R"))
    expect_match(found, "In the last cell of the box: 50%, 80%. Rows above the box, if any, count there.", fixed = TRUE)
    expect_no_match(found, "first cell", fixed = TRUE)
  }
  expect_match(said(private_median(-far$x, c(0, 9), epsilon = 200, step = 1)), "In the first cell of the box: 50%.",
               fixed = TRUE)
  # of two cells both are at an end
  expect_no_match(said(private_median(rep(0:1, c(9, 200)), c(0, 1), epsilon = 20, step = 1)), "cell of the box")
})

test_that("a mean two half widths from the bound is rarely named", {
  # the noise must exceed half of that: probability 0.025 each, 400 times; more than 25 with probability 1e-5
  set.seed(13)
  side <- c(0, 1)
  half <- value_half_width(private_mean(rep(0, 1000), side, epsilon = 1, rng = "R"))
  x <- rep(2 * half + 1e-4, 1000)
  named <- replicate(400, length(end_words(private_mean(x, side, epsilon = 1, rng = "R"))) > 0)
  expect_lte(sum(named), 25)
  # and one at the bound in all of 100, but for 2.5 percent: fewer than 85 with probability 1e-7
  at <- replicate(100, length(end_words(private_mean(rep(7, 1000), side, epsilon = 1, rng = "R"))) > 0)
  expect_gte(sum(at), 85)
})
