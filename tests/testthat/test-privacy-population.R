test_that("confint() has a target, which its result states, and `data` is the default", {
  share <- private_proportion(rep(c(TRUE, FALSE), c(212, 788)), epsilon = 1)
  expect_identical(confint(share), confint(share, of = "data"))
  expect_identical(attr(confint(share), "of"), "data")
  around <- confint(share, of = "population")
  expect_identical(attr(around, "of"), "population")
  expect_identical(dim(around), c(1L, 2L))
  expect_identical(colnames(around), c("2.5 %", "97.5 %"))
  expect_true(diff(range(around)) > diff(range(confint(share))))
  expect_error(confint(share, of = "sampling"), "must be one of \"data\", \"population\"",
               class = "dptda_error_argument")
})

test_that("a release without an interval for the population says so, and what has one", {
  for (x in list(private_sd(0:9, c(0, 9), epsilon = 1), private_var(0:9, c(0, 9), epsilon = 1),
                 2 * private_count(TRUE, epsilon = 1))) {
    refused <- expect_error(confint(x, of = "population"), class = "dptda_error_argument")
    expect_match(conditionMessage(refused), "^`of` must be \"data\" for this release, because")
    expect_null(population_ends(x, 0.95))
    expect_no_match(capture.output(print(x)), "population")
    expect_false(any(c("std.error", "conf.low", "conf.high") %in% names(tidy_table(x))))
  }
  expect_error(confint(private_degrees(graph_sbm(20, 0.5) |> simulate(), epsilon = 1, n = 20), of = "population"),
               "edges of a graph", class = "dptda_error_argument")
})

test_that("print() and tidy() show both intervals, and name the units that are independent", {
  x <- table_rows(data.frame(a = rep(c(TRUE, FALSE), 30), who = rep(1:20, 3)), "a", person = "who")
  people <- private_count(x, epsilon = 1)
  expect_output(print(people), "population: if people are independent draws")
  bars <- private_table(rep(c("a", "b"), 50), levels = c("a", "b"), epsilon = 1)
  expect_output(print(bars, level = 0.9), "data \\(90%\\) population \\(90%\\)")
  expect_output(print(bars), "population: if rows are independent draws")
  tidy <- tidy_table(bars)
  expect_named(tidy, c("term", "estimate", "noise.sd", "data.low", "data.high", "std.error", "conf.low", "conf.high"))
  expect_equal(cbind(tidy$conf.low, tidy$conf.high), confint(bars, of = "population"), ignore_attr = TRUE)
  expect_equal(tidy$std.error, (tidy$conf.high - tidy$conf.low) / (2 * stats::qnorm(0.975)))
  expect_true(all(tidy$noise.sd < tidy$std.error | tidy$conf.low == 0))
})

test_that("intervals for the population use released numbers alone", {
  # the same noisy number from other rows has the same interval
  one <- private_count(c(TRUE, TRUE, FALSE, FALSE), epsilon = noiseless)
  two <- private_count(c(FALSE, TRUE, FALSE, TRUE), epsilon = noiseless)
  expect_identical(confint(one, of = "population"), confint(two, of = "population"))
  state <- .Random.seed
  confint(one, of = "population")
  expect_identical(.Random.seed, state)
})

test_that("`exact` is for counts, tables, and proportions", {
  count <- private_count(rep(c(TRUE, FALSE), 50), epsilon = 1)
  wide <- function(...) diff(range(confint(count, of = "population", ...)))
  expect_gt(wide(exact = TRUE), wide())
  refused <- function(...) expect_error(confint(...), "^`exact` must be", class = "dptda_error_argument")
  refused(count, exact = TRUE)
  refused(count, of = "population", exact = NA)
  refused(private_mean(0:9, c(0, 9), epsilon = 1), of = "population", exact = TRUE)
})

test_that("tidy() gives the same days as confint(), rounded outward", {
  skip_if_not_installed("generics")
  set.seed(3)
  days <- data.frame(day = as.Date("2020-01-01") + sample(0:1500, 500, TRUE), time = as.POSIXct("2020-01-01", "UTC") +
                       sample(1e8, 500))
  box <- list(day = as.Date(c("2020-01-01", "2025-01-01")), time = as.POSIXct(c("2020-01-01", "2025-01-01"), "UTC"))
  for (column in names(days)) {
    released <- private_mean(days[column], box[column], epsilon = 1, rng = "R")
    tidy <- generics::tidy(released)
    for (of in c("data", "population")) {
      ends <- confint(released, of = of)
      names <- if (of == "data") c("data.low", "data.high") else c("conf.low", "conf.high")
      expect_identical(tidy[[names[1]]], ends[[1]])
      expect_identical(tidy[[names[2]]], ends[[2]])
    }
  }
  spread <- private_quantile(days$day, box["day"], 0.5, epsilon = 1, interval = 0.95, rng = "R")
  expect_identical(as.double(generics::tidy(spread)$conf.high) %% 1, 0)
})
