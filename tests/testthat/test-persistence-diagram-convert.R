points <- data.frame(dimension = c(0L, 0L, 1L), birth = c(0, 0.1, 0.4), death = c(Inf, 0.3, 1.1))
values <- function(d) as.data.frame(d)

test_that("data frames and matrices are taken whatever the case and order of their columns", {
  expect_identical(values(as_dptda_diagram(points)), points)
  expect_identical(values(as_dptda_diagram(points[3:1])), points)
  expect_identical(values(as_dptda_diagram(stats::setNames(points, c("Dimension", "BIRTH", "Death")))), points)
  expect_identical(values(as_dptda_diagram(as.matrix(points))), points)
  expect_identical(values(as_dptda_diagram(unname(as.matrix(points)))), points)
  expect_identical(values(as_dptda_diagram(cbind(a = 1:3, as.matrix(points)))), points)
  expect_identical(values(as_dptda_diagram(cbind(points, extra = "x"))), points)
  expect_identical(nrow(as_dptda_diagram(points[0, ])), 0L)
  expect_identical(nrow(as_dptda_diagram(matrix(0, 0, 3))), 0L)
  expect_identical(attr(as_dptda_diagram(points, software = "e", parameters = list(a = 1)), "parameters"), list(a = 1))
})

test_that("a diagram stays what it is", {
  d <- attach_guarantee(new_diagram(0L, 0, 1, software = "e"), structure(list(), class = "test_guarantee"))
  expect_identical(as_dptda_diagram(d), d)
  d <- structure(d, names = c("dimension", "birth", "end"))
  expect_error(as_dptda_diagram(d), class = "dptda_error_argument")
})

test_that("superlevel diagrams are recognized", {
  randomized <- transform(points, birth = -birth, death = -death)
  expect_false(attr(as_dptda_diagram(randomized), "sublevel"))
  expect_identical(values(as_dptda_diagram(randomized)), randomized)
  expect_true(attr(as_dptda_diagram(data.frame(dimension = 0, birth = 1, death = 1)), "sublevel"))
  expect_error(as_dptda_diagram(rbind(points, randomized)), class = "dptda_error_argument")
  expect_error(as_dptda_diagram(points, sublevel = FALSE), class = "dptda_error_argument")
})

test_that("bad input gets a classed error that names the argument", {
  bad <- list(1, "a", NULL, sum, list(), list(diagram = NULL), list(1), points[1:2], matrix(0, 2, 2), matrix("a", 1, 3),
              transform(points, birth = NA_real_), transform(points, birth = "a"), transform(points, dimension = -1),
              transform(points, dimension = factor(1)), structure(list(pairs = 1), class = "persistence"),
              structure(1, class = "diagram"), NA, structure(list(), class = "odd"))
  for (x in bad) expect_error(as_dptda_diagram(!!x, arg = "mine"), "`mine", class = "dptda_error_argument")
})

test_that("TDA's diagrams are taken, superlevel ones too", {
  skip_if_not_installed("TDA")
  X <- cbind(cos(1:30), sin(1:30))
  rips <- TDA::ripsDiag(X, 1, 3)
  d <- as_dptda_diagram(rips)
  expect_identical(attr(d, "software"), "TDA")
  expect_equal(unname(as.matrix(d)), unname(unclass(rips$diagram)[, 1:3]), ignore_attr = TRUE)
  expect_identical(as_dptda_diagram(rips$diagram), d)
  top <- TDA::gridDiag(FUNvalues = array(sin(1:48), c(6, 8)), sublevel = FALSE, lim = cbind(0:1, 0:1),
                       by = c(0.2, 1 / 7))
  down <- as_dptda_diagram(top)
  expect_false(attr(down, "sublevel"))
  expect_true(all(down$birth >= down$death))
})

test_that("the engines' data frames and matrices are taken", {
  X <- cbind(cos(1:30), sin(1:30))
  if (requireNamespace("TDAstats", quietly = TRUE)) {
    d <- as_dptda_diagram(TDAstats::calculate_homology(X))
    expect_gt(sum(d$dimension == 1), 0)
  }
  skip_if_not_installed("ripserr")
  rips <- ripserr::vietoris_rips(X)
  expect_identical(as_dptda_diagram(rips)$birth, rips$birth)
})

test_that("phutil's objects go there and back with software and parameters", {
  skip_if_not_installed("phutil")
  d <- persistence_diagram(c(0, 0, 2), c(0, 0.1, 0.4), c(Inf, 0.3, 1.1), software = "e", parameters = list(m0 = 0.1))
  there <- phutil::as_persistence(d)
  expect_s3_class(there, "persistence")
  expect_identical(phutil::get_pairs(there, 2), cbind(0.4, 1.1))
  expect_identical(as_dptda_diagram(there), d)
  bare <- persistence_diagram(0, 1, 2)
  expect_identical(as_dptda_diagram(phutil::as_persistence(bare)), bare)
  expect_identical(as_dptda_diagram(phutil::as_persistence(bare[0, ])), bare[0, ])
  down <- persistence_diagram(c(0, 1), c(3, 2), c(-Inf, 1), sublevel = FALSE)
  expect_identical(as_dptda_diagram(phutil::as_persistence(down)), down)
  expect_identical(attr(as_dptda_diagram(phutil::as_persistence(d, engine = "other")), "software"), "other")
  expect_gt(nrow(as_dptda_diagram(phutil::persistence_sample[[1]])), 0)
})

test_that("columns in the order of Python's packages are not read as another diagram", {
  python <- list(cbind(c(0, 0), c(1, Inf), c(0, 1)), cbind(c(0, .2, .5), c(.4, .3, 1), c(0, 0, 1)),
                 cbind(c(-1, 2), c(1, 3), 0), cbind(.5, 1.5, 2))
  for (x in python) {
    expect_error(as_dptda_diagram(x, arg = "bars"), "colnames\\(bars\\)", class = "dptda_error_argument")
    colnames(x) <- c("birth", "death", "dimension")
    expect_identical(as.matrix(as_dptda_diagram(x))[, colnames(x), drop = FALSE], x)
  }
  down <- cbind(0, c(3, Inf), c(1, 2))
  expect_error(as_dptda_diagram(down), "Name the columns", class = "dptda_error_argument")
  expect_identical(as_dptda_diagram(down, sublevel = FALSE), persistence_diagram(0, c(3, Inf), c(1, 2), FALSE))
  # a missing value is another error
  expect_error(as_dptda_diagram(cbind(0, 1, c(2, NA))), "`death`", class = "dptda_error_argument")
})

test_that("a death of -1 for a class that never dies is named", {
  bars <- function(birth, death) data.frame(dimension = 0, birth = birth, death = death)
  for (x in list(bars(c(0, 1), c(-1, 2)), bars(c(0, 3), -1), bars(c(0, 1, 1), c(-1, 2, 1)))) {
    for (form in list(x, as.matrix(x))) {
      expect_error(as_dptda_diagram(form), "never dies has the death `Inf`", class = "dptda_error_argument")
    }
  }
  expect_false(attr(as_dptda_diagram(bars(c(0, 3), -1), sublevel = FALSE), "sublevel"))
  # levels below zero are levels
  expect_false(attr(as_dptda_diagram(bars(c(0, -.5), -1)), "sublevel"))
  expect_false(attr(as_dptda_diagram(bars(c(0, 2), c(-1, 1))), "sublevel"))
})
