# How far a private diagram is from the diagram of the population.

two_rings <- function(n) {
  angle <- stats::runif(n, 0, 2 * pi)
  side <- sample(c(-1.7, 1.7), n, replace = TRUE)
  data.frame(x = cos(angle) + side + stats::rnorm(n, sd = .05), y = sin(angle) + stats::rnorm(n, sd = .05))
}

rings_grid <- function() domain_grid(domain_box(c(x = -3.5, y = -2), c(3.5, 2)), by = .2)

bins_of <- function(x, side, epsilon = .1) {
  private_histogram(x, list(x = seq(-3.5, 3.5, length.out = round(7 / side) + 1),
                            y = seq(-2, 2, length.out = round(4 / side) + 1)), epsilon = epsilon, rng = "R")
}

test_that("the proved band is that of theorem 6", {
  withr::local_seed(71)
  x <- two_rings(500)
  for (utility in c("max", "sum")) {
    release <- private_diagram(x, rings_grid(), epsilon = 4, m0 = .2, clip = 1.6, max_points = 2, utility = utility,
                               rng = "R")
    band <- population_band(release, level = .9)
    vertices <- 36 * 21
    sampling <- 1.6 / .2 * (sqrt(log(2 * vertices / .05) / 1000) + 1 / 500)
    expect_equal(band$bands$sampling, rep(sampling, 2), tolerance = 1e-5)
    l <- if (utility == "max") 2 else 1
    rate <- (if (utility == "max") 4 else 2) / (2 * 1.6 / 100)
    k <- 4 * l
    chance <- (.25 / 1.75)^l * .05 / (if (utility == "max") 1 else 2)
    noise <- (k * log(exp(1) * rate * 1.6 / k) - log(chance * stats::pgamma(rate * 1.6, k))) / rate
    expect_equal(band$bands$noise, rep(min(noise, .8), 2), tolerance = 1e-4)
    expect_true(all(band$bands$radius <= .8))
    expect_identical(as.data.frame(band), band$bands)
  }
})

test_that("the simulated law is that of rows that are uniform in each bin", {
  withr::local_seed(72)
  breaks <- list(x = c(0, 1, 3), y = c(-1, 0, 4, 5))
  rows <- data.frame(x = rep(c(.5, .5, 2, 2), c(1, 4, 2, 3) * 300), y = rep(c(-.5, 2, -.5, 4.5), c(1, 4, 2, 3) * 300))
  bins <- private_histogram(rows, breaks, columns = c("x", "y"), epsilon = 50, rng = "R")
  law <- histogram_law(bins, 3000)
  cell <- paste(findInterval(law$points[, "x"], breaks$x), findInterval(law$points[, "y"], breaks$y))
  expect_identical(c(tapply(law$weights, cell, sum) / sum(law$weights)),
                   c(`1 1` = .1, `1 2` = .4, `2 1` = .2, `2 3` = .3))
  expect_gte(nrow(law$points), 3000)
  within <- law$points[cell == "1 2", ]
  expect_equal(c(colMeans(within), apply(within, 2, stats::sd)), c(x = .5, y = 2, x = 1 / sqrt(12), y = 4 / sqrt(12)),
               tolerance = 2e-3)
  expect_null(histogram_law(private_histogram(rows, breaks, columns = c("x", "y"), epsilon = 1e-4, rng = "R"), 3000))
  # the quantile is that of samples of such rows: of 100, it has a standard error of about 5 percent
  grid <- domain_grid(domain_box(c(x = 0, y = -1), c(3, 5)), by = .5)
  plan <- released_plan(private_diagram(rows, grid, epsilon = 1, m0 = .2, clip = 2, rng = "R"))
  from_rows <- function(n) {
    j <- sample.int(4, n, replace = TRUE, prob = c(1, 4, 2, 3))
    x <- data.frame(x = stats::runif(n, c(0, 0, 1, 1)[j], c(1, 1, 3, 3)[j]))
    x$y <- stats::runif(n, c(-1, 0, -1, 4)[j], c(0, 4, 0, 5)[j])
    distance_to_measure(x, grid, m0 = .2, clip = 2)
  }
  center <- from_rows(3e5)
  errors <- replicate(100, max(abs(from_rows(3000) - center)))
  expect_equal(simulated_sampling(plan, bins, 100, .8), stats::quantile(errors, .8, names = FALSE), tolerance = .2)
})

test_that("the band of a histogram covers the distance from the diagram of the population", {
  skip_if_instrumented()
  withr::local_seed(73)
  grid <- rings_grid()
  diagram_of <- function(x) grid_persistence(distance_to_measure(x, grid, m0 = .2, clip = 1.6), max_dimension = 1)
  population <- as.data.frame(diagram_of(two_rings(2e5)))
  population <- population[is.finite(population$death), ]
  population <- persistence_diagram(population$dimension, population$birth, population$death)
  runs <- long_or(60, 8)
  covered <- replicate(runs, {
    x <- two_rings(3000)
    release <- private_diagram(x, grid, epsilon = 1, m0 = .2, clip = 1.6, rng = "R")
    band <- population_band(release, histogram = bins_of(x, .7), samples = 20)$bands
    distance <- bottleneck_distance(release, population, dimension = 0:1)
    c(all(distance <= band$radius[1:2]), all(distance <= band$radius[3:4]))
  })
  expect_true(all(covered[1, ]))
  # at least .93 of runs: fewer hits have a chance of 1e-3
  expect_gte(sum(covered[2, ]), stats::qbinom(1e-3, runs, .93))
})

test_that("points beyond twice the radius are evidence, in print and picture", {
  withr::local_seed(74)
  x <- two_rings(20000)
  release <- private_diagram(x, rings_grid(), epsilon = 2, m0 = .2, clip = 1.6, rng = "R")
  band <- population_band(release, histogram = bins_of(x, .4), samples = 20)
  expect_identical(band$points$histogram, band$points$persistence > 2 * band$bands$radius[3])
  expect_gte(sum(band$points$histogram), 3L)
  expect_snapshot(print(band))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_identical(plot(band), band)
  expect_error(population_band(release, histogram = bins_of(x, .4, .001), samples = 20), "wider bins",
               class = "dptda_error_argument")
})

test_that("feature_evidence() marks the points that the proved band calls features of the population", {
  withr::local_seed(77)
  blobs <- data.frame(x = sample(c(-2, 2), 4e4, replace = TRUE), y = stats::rnorm(4e4, sd = .1))
  for (utility in c("max", "sum")) {
    release <- private_diagram(blobs, rings_grid(), epsilon = 4, m0 = .4, clip = 2, utility = utility, rng = "R")
    found <- feature_evidence(release, level = .9)
    own <- merge(found$steps, population_band(release, level = .9)$points)
    expect_identical(own$population, own$proved)
    expect_identical(sum(own$proved), 1L)
    expect_output(print(found), "population [(]independent rows[)]: 1 of 1; see population_band[(][)]")
  }
  none <- feature_evidence(private_diagram(blobs, rings_grid(), epsilon = 4, m0 = .4, clip = 2, r = 2, rng = "R"))
  expect_identical(none$steps$population, rep(NA, nrow(none$steps)))
  expect_false(any(grepl("population", utils::capture.output(print(none))[-(1:8)])))
})

test_that("without a clip, the band is that of the largest distance", {
  withr::local_seed(76)
  release <- private_diagram(two_rings(400), rings_grid(), epsilon = 1, m0 = .2, rng = "R")
  expect_equal(population_band(release)$bands$sampling[1],
               released_plan(release)$bound / .2 * (sqrt(log(2 * 36 * 21 / .025) / 800) + 1 / 400), tolerance = 1e-5)
})

test_that("bad input", {
  withr::local_seed(75)
  x <- two_rings(300)
  bad <- function(code, ...) expect_error(code, ..., class = "dptda_error_argument")
  of <- function(...) private_diagram(x, rings_grid(), epsilon = 1, m0 = .2, rng = "R", ...)
  release <- of(clip = 1.6)
  bad(population_band(), "`release` must be given")
  bad(population_band(persistence_diagram(0, 0, 1)), "unchanged release")
  bad(population_band(of(clip = 1.6, learn_points = FALSE)), "learn_points")
  bad(population_band(of(clip = 1.6, r = 2)), "r = 1")
  bad(population_band(release, level = 1), "level")
  bad(population_band(release, histogram = 1:3), "private_histogram")
  bad(population_band(release, histogram = private_histogram(x$x, c(-3, 0, 3), epsilon = 1)), "columns of the grid")
  turned <- private_histogram(x[2:1], list(y = c(-2, 0, 2), x = c(-3.5, 0, 3.5)), epsilon = 1)
  bad(population_band(release, histogram = turned), "their order: `x`, `y`")
  bad(population_band(release, histogram = bins_of(x[1:299, ], 2)), "same 300 rows")
  bad(population_band(release, samples = 3), "samples")
  people <- data.frame(x, who = rep(1:150, 2))
  owned <- private_diagram(table_rows(people, c("x", "y"), person = "who"), rings_grid(), epsilon = 1, m0 = .2,
                           clip = 1.6)
  bad(population_band(owned), "people")
})
