test_that("a value prints what was released, its noise and its guarantee", {
  release <- private_count(rep(TRUE, 10), epsilon = noiseless)
  expect_output(print(release), "<private count>.*10 +10 to 10 .*differential privacy for one row.*operating system")
  many <- private_table(1:3, levels = 1:100, epsilon = 1, rng = "R")
  expect_output(print(many), "<private table>.*and 81 more.*SEEDED: NOT PRIVATE")
})

test_that("plain values carry no guarantee", {
  release <- private_table(c("a", "b"), levels = c("a", "b"), epsilon = noiseless)
  expect_identical(as.numeric(release), c(1, 1, 0))
  expect_null(privacy(as.numeric(release)))
  expect_identical(as.data.frame(release), data.frame(name = factor(c("a", "b", "other")), value = c(1, 1, 0),
                                                      half_width = 0))
  expect_identical(as.data.frame(private_count(TRUE, noiseless)), data.frame(value = 1, half_width = 0))
  expect_null(privacy(as.data.frame(release)))
  expect_null(privacy(release$value))
})

test_that("a value that is changed beside its methods loses its guarantee", {
  release <- private_count(TRUE, epsilon = 1)
  expect_s3_class(privacy(release), "dptda_guarantee")
  with_attribute <- function(x, name, value) {
    attr(x, name) <- value
    x
  }
  for (change in list(function(x) with_attribute(x, "extra", 1), function(x) with_attribute(x, "noise", list()),
                      function(x) `mostattributes<-`(x$value + 1, attributes(x)), function(x) pmax(x, 1e9), unclass,
                      as.numeric)) {
    expect_null(privacy(change(release)))
  }
  expect_error(release$value <- 12, class = "dptda_error_argument")
  # what copies attributes unasked prints its numbers, and claims no noise
  copy <- pmax(release, 123)
  expect_identical(capture.output(print(copy)), "[1] 123")
  expect_error(stats::confint(copy), class = "dptda_error_argument")
  expect_identical(suppressMessages(copy + 1), 124)
  zero <- private_count(FALSE, epsilon = noiseless)
  minus <- -0
  attributes(minus) <- attributes(zero)
  expect_null(privacy(minus))
})

test_that("a released value works where R takes numbers", {
  h <- private_table(c("a", "a", "b"), levels = c("a", "b"), epsilon = noiseless)
  plain <- c(a = 2, b = 1, other = 0)
  expect_identical(h$value, plain)
  expect_identical(names(h), names(plain))
  expect_length(h, 3)
  expect_identical(names(which.max(h)), "a")
  expect_identical(as.vector(h), unname(plain))
  expect_identical(sapply(h, identity), plain)
  expect_identical(format(h), format(plain))
  expect_identical(drop(h %*% c(1, 2, 3)), 4)
  expect_identical(utils::.DollarNames(h, "^v"), "value")
  expect_true(if (h[["a"]] > 1) TRUE)
  expect_identical(paste(h), c("2", "1", "0"))
  m <- private_mean(cbind(u = c(0, 1), v = c(1, 1)), domain_box(c(0, 0), c(1, 1)), epsilon = 1e9)
  expect_equal(round(m, 2)$value, c(u = .5, v = 1))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_identical(barplot(m), barplot(c(1, 1)))
  expect_identical(barplot(round(m)), barplot(c(1, 1)))
})

test_that("intervals hold the noise as often as they say", {
  # false alarm: 1e-6, with a fixed seed
  set.seed(701)
  release <- private_table(integer(), levels = 1:3999, epsilon = 0.5, rng = "R")
  for (level in c(0.5, 0.95)) {
    ends <- confint(release, level = level)
    expect_identical(dim(ends), c(4000L, 2L))
    held <- sum(ends[, 1] <= 0 & ends[, 2] >= 0)
    expect_gte(held, stats::qbinom(1e-6, 4000, level))
  }
  expect_identical(colnames(confint(private_count(TRUE, 1))), c("2.5 %", "97.5 %"))
  for (bad in list(0, 1, NA)) expect_error(confint(release, level = bad), class = "dptda_error_argument")
})

test_that("a saved value keeps its guarantee", {
  file <- tempfile()
  withr::defer(unlink(file))
  release <- private_mean(c(0, 1), domain_box(0, 1), epsilon = 1)
  saveRDS(release, file)
  expect_identical(privacy(readRDS(file)), privacy(release))
})

test_that("the names of a histogram are in the order of its cells, and breaks have their ends", {
  release <- private_table("b", levels = c("b", "a"), epsilon = 1)
  expect_identical(levels(as.data.frame(release)$name), c("b", "a", "other"))
  release <- private_histogram(1, breaks = c(0, 2, 10), epsilon = noiseless)
  expect_identical(as.data.frame(release)[2:4], data.frame(lower = c(0, 2), upper = c(2, 10), value = c(1, 0)))
})

test_that("misspelled arguments of methods are errors, and print takes the level", {
  count <- private_count(TRUE, epsilon = 1)
  refused <- function(code, what) expect_error(code, what, class = "dptda_error_argument")
  refused(confint(count, probability = 0.9), "no argument `probability`")
  refused(confint(count, lev = 0.9), "`lev` is not an argument")
  refused(as.data.frame(count, level = 0.9), "no argument `level`")
  refused(as.data.frame(privacy_budget(1), all = TRUE), "no argument `all`")
  refused(summary(small_release(), probability = 0.9), "no argument `probability`")
  refused(summary(privacy(count), level = 0.9), "no argument `level`")
  expect_output(print(count, level = 0.9), "data (90%)", fixed = TRUE)
  refused(print(count, level = 2), "`level`")
  # what data.frame() passes on is no matter
  expect_identical(data.frame(count), as.data.frame(count))
  evidence <- feature_evidence(small_release())
  expect_identical(nrow(data.frame(evidence)), nrow(evidence$steps))
})

test_that("digits below the noise are not printed", {
  expect_identical(format_beside(1234.56789, 3), "1234.57")
  expect_identical(format_beside(0.123456789, 0.05), "0.1235")
  expect_identical(format_beside(123456.7, 9000), "123457")
  expect_identical(format_beside(2, 0), "2")
  release <- private_mean(rep(0.5, 1000), domain_box(0, 1), epsilon = 1)
  shown <- utils::capture.output(print(release))[3]
  expect_match(shown, "^ *-?0([.][0-9]{1,5})? +-?0([.][0-9]{1,5})? to")
  # each column in its own units
  pair <- private_mean(cbind(rep(500, 1000), 0.5), domain_box(c(0, 0), c(2000, 1)), epsilon = 1)
  expect_output(print(pair), "[0-9]{3}([.][0-9])? to [0-9]{3}([.][0-9])?\n")
})

test_that("fields that there are not are errors that list those that there are", {
  count <- private_count(TRUE, epsilon = 1)
  expect_error(count$counts, "no field `counts`. It has `value`, `noise`", class = "dptda_error_argument")
  expect_null(private_table("a", levels = "a", epsilon = 1)$breaks)
})

test_that("a picture has the noise of what has any, in the class of the values", {
  pdf_to <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(pdf_to)
  withr::defer(grDevices::dev.off())
  m <- private_mean(cbind(a = rep(c(0, 1), 500), b = 1), domain_box(c(0, 0), c(1, 2)), epsilon = 1)
  expect_invisible(plot(m))
  ends <- range(confint(m))
  expect_true(graphics::par("usr")[3] < ends[1] && graphics::par("usr")[4] > ends[2])
  day <- private_mean(as.Date("2024-01-01") + 0:99, as.Date(c("2024-01-01", "2025-01-01")), epsilon = 1)
  for (x in list(m[1], m + 1, round(m), private_sd(1:100, c(0, 100), epsilon = 1), day)) expect_invisible(plot(x))
  expect_error(plot(m[integer()]), "at least one value", class = "dptda_error_argument")
  expect_error(plot(m, level = 1), class = "dptda_error_argument")
})

test_that("numbers of unlike scales have an axis each, and those of one scale share one", {
  grDevices::pdf(withr::local_tempfile(fileext = ".pdf"))
  withr::defer(grDevices::dev.off())
  rows <- cbind(a = rep(c(0, 1), 500), b = 50)
  unlike <- private_mean(rows, domain_box(c(0, 0), c(1, 100)), epsilon = 1)
  alike <- private_mean(rows, domain_box(c(0, 0), c(100, 100)), epsilon = 1)
  own_axes <- function(x) !is.null(unlike_sides(x, drawn_values(x, 0.95)))
  expect_true(own_axes(unlike))
  expect_false(own_axes(alike) || own_axes(unlike[1]) || own_axes(round(alike)))
  sides <- unlike_sides(unlike, drawn_values(unlike, 0.95))
  ends <- confint(unlike)
  expect_equal(sides, cbind(pmin(c(0, 0), ends[, 1]), pmax(c(1, 100), ends[, 2])), ignore_attr = TRUE)
  expect_invisible(plot(unlike))
  expect_equal(mean(graphics::par("usr")[3:4]), 0.5) # each from 0 to 1
  plot(unlike, ylim = c(0, 100))
  expect_equal(mean(graphics::par("usr")[3:4]), 50)
  # a user's layout holds
  graphics::layout(matrix(1:2))
  plot(unlike)
  expect_identical(graphics::par("mfg")[1:2], c(1L, 1L))
  # of those without a side it is the interval and as much to both sides
  deviations <- private_sd(cbind(stats::rnorm(500), 100 * stats::rnorm(500)), domain_box(c(-5, -500), c(5, 500)),
                           epsilon = 5)
  if (own_axes(deviations)) expect_invisible(plot(deviations))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(unlike), "ggplot")
  expect_identical(length(unique(ggplot2::ggplot_build(ggplot2::autoplot(unlike))$layout$layout$PANEL)), 2L)
  expect_identical(length(unique(ggplot2::ggplot_build(ggplot2::autoplot(alike))$layout$layout$PANEL)), 1L)
})

test_that("every release for people says in one line what it estimates, and no other release does", {
  said <- function(x) {
    lines <- utils::capture.output(print(x))
    sum(grepl("(of all rows|weight one, shared equally by the person's rows|person's rows in it)$", lines))
  }
  rides <- data.frame(rider = c(rep(1, 30), 2:41), km = c(rep(9, 30), rep(1, 40)), wet = c(TRUE, FALSE))
  of <- function(columns, ...) table_rows(rides, columns, person = "rider", ...)
  box <- domain_box(c(km = 0), 10)
  make <- list(
    sum = function(rows) private_sum(rows("km"), box, epsilon = 50),
    mean = function(rows) private_mean(rows("km"), box, epsilon = 50),
    var = function(rows) private_var(rows("km"), box, epsilon = 50),
    count = function(rows) private_count(rows("wet"), epsilon = 50),
    proportion = function(rows) private_proportion(rows("wet"), epsilon = 50),
    quantile = function(rows) private_median(rows("km"), box, epsilon = 50),
    histogram = function(rows) private_histogram(rows("km"), c(0, 5, 10), epsilon = 50),
    table = function(rows) private_table(rows("wet"), list(wet = c(FALSE, TRUE)), epsilon = 50),
    covariance = function(rows) private_covariance(rows("km"), box, rho = 50),
    kmeans = function(rows) private_kmeans(rows("km"), box, 2, epsilon = 50)
  )
  for (name in names(make)) {
    expect_identical(said(make[[name]](of)), 1L, info = name)
    one <- utils::capture.output(print(make[[name]](function(columns) of(columns, rows_of_person = "one"))))
    expect_true("of one drawn row per person, not of all rows" %in% one, info = name)
    expect_identical(said(make[[name]](function(columns) rides[columns])), 0L, info = name)
  }
  # it is what is estimated
  expect_equal(as.double(make$sum(of)), 9 + 40, tolerance = .1)
  expect_output(print(make$sum(of)), "the sum of one mean row per person, not of all rows", fixed = TRUE)
  expect_equal(as.double(make$count(of)), 15 / 30 + 20, tolerance = .1)
  # what was computed of it may be something else
  expect_identical(said(make$sum(of) / 2), 0L)
})
