bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)
manhattan <- function(x, y) sum(abs(x - y))

test_that("Euclidean distances are those of dist(), at any scale", {
  set.seed(1)
  metric <- as_metric("euclidean")
  for (d in c(1, 2, 10, 200)) for (scale in c(2^-1000, 2^-600, 2^-100, 1, 2^100, 2^600, 2^990)) {
    points <- matrix(rnorm(9 * d), 9) * 4
    lengths <- place_distances(metric, metric$places(points * scale, "points"), "points")
    expect_equal(lengths / scale, unname(as.matrix(dist(points))), tolerance = 1e-14)
    expect_identical(lengths, t(lengths))
  }
  expect_identical(metric$distances(c(0, 0), cbind(c(0, 0))), 0)
  # far and near ones beside each other
  expect_equal(metric$distances(0, rbind(c(0, 1e-200, 1, 1e300))), c(0, 0, 1, 1e300))
})

test_that("distances from places are numbers whatever the rows are", {
  rows <- cbind(c(Inf, 0), c(-Inf, Inf), c(1e308, -1e308), c(NaN, 1), c(0, 0), c(1e-320, 0))
  found <- as_metric("euclidean")$distances(c(1, 1), rows)
  expect_length(found, 6)
  expect_identical(found[c(1, 2)], c(Inf, Inf))
  expect_length(as_metric(manhattan)$distances(c(1, 1), rows), 6)
  expect_equal(as_metric(manhattan)$distances(c(1, 1), rows[, 5, drop = FALSE]), 2)
})

test_that("what a function of the user does with a point is not seen from outside", {
  deeds <- list(
    error = function(x, y) stop("seen"), warning = function(x, y) { warning("seen"); 3 },
    message = function(x, y) { message("seen"); 3 }, nan = function(x, y) NaN, na = function(x, y) NA_real_,
    word = function(x, y) "a", null = function(x, y) NULL, two = function(x, y) c(1, 2), none = function(x, y) double(),
    list = function(x, y) list(1), true = function(x, y) TRUE, class = function(x, y) Sys.time(),
    missing = function(x) 1,
    deep = function(x, y) deeds$deep(x, y), complex = function(x, y) 1i, whole = function(x, y) 3L,
    matrix = function(x, y) matrix(3)
  )
  number <- c("warning", "message", "whole", "matrix")
  for (name in names(deeds)) {
    expect_silent(found <- as_metric(deeds[[name]])$distances(c(0, 0), cbind(c(1, 2), c(3, 4))))
    expect_identical(found, if (name %in% number) c(3, 3) else c(NaN, NaN), info = name)
    # older versions of testthat take NA for NaN
    expect_identical(is.nan(found), is.na(found), info = name)
  }
  withr::local_options(warn = 2)
  expect_identical(as_metric(deeds$warning)$distances(0, rbind(1)), 3)
})

test_that("one row at which a function fails changes nothing for the others", {
  set.seed(2)
  rows <- matrix(rnorm(60), 3)
  fails <- function(x, y) if (y[1] > 0.5) stop("no") else manhattan(x, y)
  all <- as_metric(manhattan)$distances(c(1, 2, 3), rows)
  expect_identical(as_metric(fails)$distances(c(1, 2, 3), rows), ifelse(rows[1, ] > 0.5, NaN, all))
})

test_that("places must have distances: what is wrong with public points is said", {
  at <- function(metric, points = diag(3)) domain_landmarks(points, metric)
  bad(at(function(x, y) sum(x * c(1, 2, 3)) + 1), regexp = "symmetric")
  bad(at(function(x, y) -manhattan(x, y)), regexp = "negative")
  for (value in list(NaN, Inf, -Inf, NA, "a", NULL, c(1, 2))) bad(at(function(x, y) value),
                                                                  regexp = "`metric` must give finite")
  bad(at(function(x, y) stop("seen")), regexp = "`metric` must give finite")
  for (metric in list("manhattan", 1, NULL, NA, character(), c("euclidean", "euclidean"), list(), domain_box(0, 1))) {
    bad(at(metric), regexp = "`metric`")
  }
  # rounding is no asymmetry, and the way to oneself is none
  lengths <- place_distances(as_metric(function(x, y) (1 + 1e-9 * (x[1] > y[1])) * (1 + manhattan(x, y))), diag(3),
                             "metric")
  expect_identical(lengths, t(lengths))
  expect_identical(diag(lengths), c(0, 0, 0))
})

test_that("places and rows are checked, rows by their form and missing values only", {
  for (metric in list("euclidean", manhattan)) {
    at <- function(points) domain_landmarks(points, metric)
    for (points in list("a", NULL, 1:3, list(1), matrix("a"), matrix(double(), 0, 2), matrix(double(), 2, 0),
                        cbind(NA_real_, 1),
                        cbind(Inf, 1), cbind(2^1001, 1), data.frame(a = "b"), matrix(0, most_landmarks + 1, 1),
                        scale(diag(3)))) {
      bad(at(points), regexp = "`points`")
    }
    expect_identical(as.matrix(at(data.frame(a = 1:2, b = 3:4))), cbind(a = c(1, 2), b = c(3, 4)))
    landmarks <- at(diag(2))
    values <- function(X) distance_to_measure(X, landmarks, 0.5, clip = 1)
    for (X in list("a", NULL, 1:2, matrix(0, 2, 3), cbind(NA, 1), cbind(NaN, 1), matrix(double(), 0, 2),
                   scale(diag(2)))) {
      bad(values(X), regexp = "`x`")
    }
    expect_identical(values(cbind(Inf, -Inf)), c(1, 1))
    # columns go by their names where both have names
    named <- domain_landmarks(cbind(a = 0, b = 0), function(x, y) abs(x[1] - y[1]) + 10 * abs(x[2] - y[2]))
    expect_equal(distance_to_measure(cbind(b = 2, a = 1), named, 1, clip = 100), 21)
    bad(distance_to_measure(cbind(b = 2, c = 1), named, 1, clip = 100), regexp = "`x` must have the columns")
  }
})
