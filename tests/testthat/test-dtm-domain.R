box <- domain_box(c(0, -1), c(1, 2))
bad <- function(expr) expect_error(expr, class = "dptda_error_argument")

test_that("a box keeps its corners", {
  expect_s3_class(box, "dptda_box")
  expect_identical(unclass(box), list(lower = c(0, -1), upper = c(1, 2)))
  expect_equal(box_diameter(box), sqrt(10))
  expect_equal(box_diameter(domain_box(-1e200, 1e200)), 2e200)
  expect_equal(box_diameter(domain_box(c(0, 0), c(3e-200, 4e-200))) / 5e-200, 1)
  expect_output(print(box), "[0, 1] x [-1, 2]", fixed = TRUE)
})

test_that("what is not a box is refused", {
  bad(domain_box(0, 0))
  bad(domain_box(c(0, 0), c(1, -1)))
  bad(domain_box(c(0, 0), c(1, 2, 3)))
  bad(domain_box(rep(0, 1025), rep(1, 1025)))
  bad(domain_box(numeric(), numeric()))
  bad(domain_box(NA_real_, 1))
  bad(domain_box(0, Inf))
  bad(domain_box(NaN, 1))
  bad(domain_box("0", 1))
  bad(domain_box(factor(0), 1))
  bad(domain_box(matrix(0), 1))
  bad(domain_box(-1.7e308, 1.7e308))
  expect_error(domain_box(1, 0), "`upper` must be above `lower`", fixed = TRUE)
})

# What comes after the charge believes a box: doubles without a shape, each side with a width.
test_that("a box whose corners were changed is charged for nothing", {
  X <- matrix(0.5, 10, 2)
  box <- domain_box(c(0, 0), c(1, 1))
  corners <- list(list(c(0L, 0L), c(1L, 1L)), list(matrix(0, 1, 2), matrix(1, 1, 2)), list(c(1, 1), c(0, 0)),
                  list(c(0, 1), c(1, 1)), list(c(-1e308, 0), c(1e308, 1)))
  for (ends in corners) {
    changed <- replace(box, 1:2, ends)
    for (method in c("lloyd", "tree", "cube", "grid")) {
      budget <- privacy_budget(rho = 1)
      expect_error(private_kmeans(X, changed, 2, rho = 1, method = method, budget = budget),
                   "`box` must be as domain_box",
                   class = "dptda_error_argument")
      expect_identical(budget$spent, 0)
    }
    expect_error(private_mixture(X, changed, 2, rho = 1), "`box` must be as domain_box", class = "dptda_error_argument")
    expect_error(private_sum(X, changed, epsilon = 1), "`box` must be as domain_box", class = "dptda_error_argument")
  }
})

test_that("a grid by spacing covers the box, by size meets its ends", {
  grid <- domain_grid(box, by = 0.4)
  expect_equal(grid$axes, list(c(0, 0.4, 0.8, 1.2), seq(-1, 2.2, by = 0.4)))
  expect_equal(dim(domain_grid(box, by = c(0.1, 0.3))), c(11, 11))
  grid <- domain_grid(box, size = c(3, 2), pad = c(0.5, 0))
  expect_equal(grid$axes, list(c(-0.5, 0.5, 1.5), c(-1, 2)))
  for (by in c(0.1, 0.2, 0.3, 0.7, 5, 1 / 3)) {
    axis <- domain_grid(domain_box(0.1, 0.7), by = by, pad = 0.3)$axes[[1]]
    last <- axis[length(axis)]
    expect_equal(axis[1], -0.2)
    expect_gt(last, 1 - 1e-9)
    expect_lt(last - by, 1 - 1e-9)
  }
})

test_that("a grid may have one point", {
  grid <- domain_grid(box, size = 1)
  expect_equal(as.matrix(grid), matrix(c(0.5, 0.5), 1))
  expect_output(print(grid), "1 x 1 point over", fixed = TRUE)
})

test_that("the points of a grid come first axis fastest", {
  for (d in 1:4) {
    grid <- domain_grid(domain_box(rep(0, d), rep(1, d)), size = seq_len(d) + 1)
    expect_identical(dim(grid), seq_len(d) + 1L)
    expect_equal(as.matrix(grid), as.matrix(expand.grid(grid$axes)), ignore_attr = TRUE)
  }
})

test_that("what does not make a grid is refused", {
  bad(domain_grid(c(1, 0), by = 1))
  bad(domain_grid(1, by = 1))
  bad(domain_grid(box))
  bad(domain_grid(box, by = 1, size = 2))
  bad(domain_grid(box, by = 0))
  bad(domain_grid(box, by = -1))
  bad(domain_grid(box, by = Inf))
  bad(domain_grid(box, by = NA_real_))
  bad(domain_grid(domain_box(rep(0, 5), rep(1, 5)), size = 2))
  bad(domain_grid(box, by = c(1, 1, 1)))
  bad(domain_grid(box, by = "1"))
  bad(domain_grid(box, by = 1e-9))
  bad(domain_grid(box, by = 1e-300))
  bad(domain_grid(box, size = 0))
  bad(domain_grid(box, size = 2.5))
  bad(domain_grid(box, size = NaN))
  bad(domain_grid(box, size = factor(2)))
  bad(domain_grid(box, size = 1e5))
  bad(domain_grid(box, size = 2, pad = -1))
  bad(domain_grid(box, size = 2, pad = Inf))
  bad(domain_grid(box, size = 2, pad = 1.7e308))
  bad(domain_grid(domain_box(1, 1 + 1e-15), size = 100))
})

test_that("points are clamped row by row, infinite ones too", {
  X <- rbind(c(0.5, 0), c(-7, 9), c(Inf, -Inf), c(1, 2))
  clamped <- rbind(c(0.5, 0), c(0, 2), c(1, -1), c(1, 2))
  expect_identical(clamp_to_box(X, box), clamped)
  for (i in 1:4) expect_identical(clamp_to_box(X[i, , drop = FALSE], box), clamped[i, , drop = FALSE])
})

test_that("names of the corners name the columns", {
  named <- domain_box(c(age = 0, income = 10), c(income = 20, age = 1))
  expect_identical(unclass(named), list(lower = c(0, 10), upper = c(1, 20), columns = c("age", "income")))
  expect_identical(domain_box(c(age = 0), 1)$columns, "age")
  expect_identical(domain_box(0, c(age = 1))$columns, "age")
  expect_output(print(named), "age [0, 1] x income [10, 20]", fixed = TRUE)
  bad(domain_box(c(a = 0, b = 0), c(a = 1, c = 1)))
  bad(domain_box(c(a = 0, 0), c(1, 1)))
  bad(domain_box(c(a = 0, a = 0), c(1, 1)))
  bad(domain_box(stats::setNames(0, NA), 1))
})

test_that("a pair under the name of a column is a box of the column", {
  expect_identical(check_box(c(age = c(15, 50))), check_box(list(age = c(15, 50))))
  expect_identical(check_box(c(age = c(15, 50), height = c(1, 2))), check_box(list(age = c(15, 50), height = c(1, 2))))
  expect_error(check_box(c(age = c(15, 50), height = 1)), "length 3", class = "dptda_error_argument")
  expect_error(check_box(c(age = 15, height = 50)), "other names", class = "dptda_error_argument")
  expect_error(check_box(c(age2 = 15, age1 = 50)), "other names", class = "dptda_error_argument")
  expect_error(check_box(stats::setNames(c(15, 50), 1:2)), "other names", class = "dptda_error_argument")
  expect_error(check_box(c(age = c(50, 15))), "$age", fixed = TRUE, class = "dptda_error_argument")
})

test_that("columns are matched by name where both have names, and other names are an error", {
  named <- domain_box(c(age = 0, income = 0), c(age = 100, income = 1e6))
  people <- data.frame(income = c(5e5, 2e6), age = c(20, -5))
  right <- rbind(c(20, 5e5), c(0, 1e6))
  expect_identical(check_points(people, box = named), cbind(age = c(20, -5), income = c(5e5, 2e6)))
  expect_identical(check_points(as.matrix(people), box = named), check_points(people, box = named))
  expect_identical(check_point_rows(cbind(as.matrix(people), other = 7), box = named)$data,
                   check_point_rows(people, box = named)$data)
  expect_identical(check_points(unname(as.matrix(people)), box = named),
                   structure(as.matrix(people), dimnames = list(NULL, c("age", "income"))))
  expect_identical(check_points(people, box = domain_box(c(0, 0), c(1, 1))), as.matrix(people))
  grid <- domain_grid(named, size = c(3, 4))
  f <- distance_to_measure(people, grid, 1)
  expect_identical(f, distance_to_measure(right, grid, 1))
  binned <- bin_points(people, grid)
  expect_identical(distance_to_measure(binned, grid, 1), distance_to_measure(bin_points(right, grid), grid, 1))
  turned <- domain_grid(domain_box(c(income = 0, age = 0), c(1e6, 100)), size = 3)
  expect_equal(t(distance_to_measure(binned, turned, 1))[2, 2],
               distance_to_measure(binned, domain_grid(named, size = 3), 1)[2, 2])
  expect_identical(lattice_snap(people, named, 10)[, 1], lattice_snap(right, named, 10)[, 1])
  expect_equal(private_mean(people, named, epsilon = 1e9)$value, c(age = 10, income = 7.5e5), tolerance = 1e-3)
  expect_named(private_sum(right, named, epsilon = 1)$value, c("age", "income"))
  set.seed(1); a <- private_diagram(people, grid, 1, m0 = 1, rng = "R")
  set.seed(1); expect_identical(private_diagram(people[2:1], grid, 1, m0 = 1, rng = "R"), a)
  expect_identical(private_bounds(people, epsilon = 1)$columns, c("income", "age"))
  other <- list(
    data.frame(a = 1, b = 2), data.frame(age = 1, b = 2), cbind(age = 1, b = 2, c = 3), data.frame(age = 1),
    matrix(1:2, 1, dimnames = list(NULL, c("age", "age"))), matrix(1:2, 1, dimnames = list(NULL, c("age", ""))),
    matrix(1:2, 1, dimnames = list(NULL, c("age", NA))), as.data.frame(matrix(1:2, 1))
  )
  for (X in other) {
    for (release in list(function(X) private_diagram(X, grid, 1, m0 = 1), function(X) private_mean(X, named, 1),
                         function(X) bin_points(X, grid), function(X) lattice_snap(X, named, 4),
                         function(X) domain_rescale(X, named), function(X) distance_to_measure(X, grid, 1))) {
      expect_error(release(X), "`x` (must have the columns that the box names|has no column)",
                   class = "dptda_error_argument")
    }
  }
})

test_that("a table with more columns is taken by the names of the box, in memory and in a database", {
  named <- domain_box(c(age = 0, income = 0), c(age = 100, income = 1e6))
  people <- data.frame(name = c("x", "y"), income = c(5e5, 2e6), other = c(NA, 1), age = c(20, -5))
  few <- people[c("age", "income")]
  grid <- domain_grid(named, size = c(3, 4))
  matrix <- cbind(few, other = 1)
  tables <- list(people, as.matrix(matrix)[, c("income", "other", "age")])
  if (requireNamespace("RSQLite", quietly = TRUE) && requireNamespace("dbplyr", quietly = TRUE)) {
    tables <- c(tables, list(dplyr::tbl(local_sqlite(people), "people")))
  }
  for (table in tables) {
    expect_equal(private_mean(table, named, epsilon = 1e9)$value, private_mean(few, named, epsilon = 1e9)$value,
                 tolerance = 1e-6)
    expect_named(private_sum(table, named, epsilon = 1)$value, c("age", "income"))
    expect_identical(colnames(private_covariance(table, named, rho = 1)$cov), c("age", "income"))
    expect_identical(bin_points(table, grid, columns = if (!is.data.frame(table)) c("age", "income"))$points,
                     bin_points(few, grid)$points)
  }
  expect_identical(distance_to_measure(people, grid, 1), distance_to_measure(few, grid, 1))
  # groups by a column that is left out are refused, too
  skip_if_not_installed("dplyr")
  for (release in list(function(x) private_mean(x, named, 1), function(x) private_diagram(x, grid, 1, m0 = 1),
                       function(x) distance_to_measure(x, grid, 1), function(x) domain_rescale(x, named))) {
    expect_error(release(dplyr::group_by(people, name)), "grouped.*ungroup", class = "dptda_error_argument")
  }
  # one of several columns of a name is not chosen
  twice <- structure(data.frame(1, 2, 3), names = c("age", "income", "age"))
  expect_error(private_mean(twice, named, 1), "each once", class = "dptda_error_argument")
})

test_that("names are passed on by all that works row by row", {
  named <- domain_box(c(age = 0, income = 0), c(age = 100, income = 1e6))
  plain <- domain_box(c(0, 0), c(1e6, 1e6))
  people <- data.frame(income = c(5e5, 2e6), age = c(20, -5))
  for (step in list(function(X, box) lattice_snap(X, box, 10), function(X, box) domain_rescale(X, box, to = box),
                    function(X, box) bin_points(X, domain_grid(box, size = 5))$points)) {
    expect_identical(colnames(step(people, named)), c("age", "income"))
    expect_identical(colnames(step(people, plain)), c("income", "age"))
    expect_identical(colnames(step(unname(as.matrix(people)), named)), c("age", "income"))
    expect_null(colnames(step(unname(as.matrix(people)), plain)))
    # a further step finds the columns where they are now
    grid <- domain_grid(named, size = c(3, 4))
    expect_identical(distance_to_measure(step(people, domain_box(c(0, 0), c(2e6, 100))), grid, 1),
                     distance_to_measure(step(people, domain_box(c(0, 0), c(2e6, 100)))[, 2:1], grid, 1))
  }
  expect_identical(colnames(as.matrix(domain_grid(named, size = 2))), c("age", "income"))
  expect_null(colnames(as.matrix(domain_grid(plain, size = 2))))
})

test_that("one number for each axis goes to the axis that it names", {
  named <- domain_box(c(age = 0, income = 0), c(age = 100, income = 1e6))
  expect_identical(dim(domain_grid(named, size = c(income = 50, age = 10))), c(10L, 50L))
  expect_identical(domain_grid(named, by = c(income = 1e5, age = 25)), domain_grid(named, by = c(25, 1e5)))
  expect_identical(domain_grid(named, size = 5, pad = c(income = 10, age = 1)),
                   domain_grid(named, size = 5, pad = c(1, 10)))
  expect_identical(domain_box(c(age = 0, income = 1), c(income = 3, age = 2))$upper, c(2, 3))
  bad(domain_grid(named, size = c(income = 50, years = 10)))
  bad(domain_grid(named, size = c(age = 50, age = 10)))
  bad(domain_grid(named, size = c(age = 50)))
  bad(domain_grid(named, size = 5, pad = c(1, age = 1)))
  # without names on one of the two they are taken as they stand, as columns are
  expect_identical(dim(domain_grid(box, size = c(b = 5, a = 2))), c(5L, 2L))
  # the side names of the second box are matched, too
  turned <- domain_box(c(income = 0, age = 0), c(income = 1, age = 2))
  people <- data.frame(income = 1e6, age = 50)
  expect_identical(domain_rescale(people, named, to = turned), cbind(age = 1, income = 1))
})

test_that("queries and rows are matched by name where both have names", {
  set.seed(5)
  X <- cbind(a = runif(20), b = runif(20, 5, 6))
  Q <- cbind(b = c(5, 6), a = c(0, 1))
  f <- distance_to_measure(unname(X), unname(Q[, 2:1]), 0.3)
  expect_identical(distance_to_measure(X, Q, 0.3), distance_to_measure(unname(X)[, 2:1], unname(Q), 0.3))
  expect_equal(distance_to_measure(X, Q, 0.3), f, tolerance = 1e-14)
  expect_equal(distance_to_measure(as.data.frame(X), as.data.frame(Q), 0.3), f, tolerance = 1e-14)
  expect_identical(distance_to_measure(X, unname(Q[, 2:1]), 0.3), f)
  expect_identical(distance_to_measure(unname(X), Q[, 2:1], 0.3), f)
  expect_error(distance_to_measure(X, cbind(a = 1, c = 1), 0.3),
               "`x` must have the columns that `grid` names, `a`, `c`", class = "dptda_error_argument")
  grid <- domain_grid(domain_box(c(a = 0, b = 5), c(1, 6)), size = 3)
  expect_equal(distance_to_measure(X[, 2:1], as.matrix(grid), 0.3), c(distance_to_measure(X, grid, 0.3)),
               tolerance = 1e-14)
})

test_that("rows come into comparable units by the box alone, each by itself", {
  named <- domain_box(c(age = -50, income = 0), c(age = 150, income = 1e5))
  people <- cbind(income = c(5e4, 1e9, -Inf), age = c(50, 75, 1000))
  scaled <- domain_rescale(people, named)
  expect_identical(scaled, cbind(age = c(0.5, 0.625, 1), income = c(0.5, 1, 0)))
  for (i in 1:3) expect_identical(domain_rescale(people[i, , drop = FALSE], named), scaled[i, , drop = FALSE])
  expect_identical(domain_unit(named)$upper, c(1, 1))
  expect_equal(domain_rescale(scaled, domain_unit(named), to = named),
               cbind(age = c(50, 75, 150), income = c(5e4, 1e5, 0)))
  expect_identical(domain_rescale(c(2, 9), domain_box(0, 4), to = domain_box(-1, 1)), cbind(c(0, 1)))
  expect_identical(domain_rescale(c(0, 5e-324), domain_box(0, 5e-324)), cbind(c(0, 1)))
  set.seed(2)
  wide <- domain_box(c(1e-3, -1e308), c(1.1e-3, 5e307))
  narrow <- domain_box(c(1, 1), c(1 + 1e-15, 3))
  inside <- domain_rescale(cbind(runif(1e4, 1e-3, 1.1e-3), runif(1e4, -1e308, 0)), wide, to = narrow)
  expect_identical(clamp_to_box(inside, narrow), inside)
  release <- private_diagram(domain_rescale(people, named), domain_grid(domain_unit(named), size = 4), 1, m0 = 1)
  expect_s3_class(release, "dptda_diagram")
  bad(domain_rescale(people, named, to = domain_box(0, 1)))
  bad(domain_rescale(people, named, to = domain_box(c(a = 0, b = 0), c(1, 1))))
  unnamed <- domain_rescale(unname(people[, 2:1]), domain_box(c(-50, 0), c(150, 1e5)), to = named)
  expect_identical(colnames(unnamed), c("age", "income"))
  bad(domain_rescale(people, named, to = 1))
  bad(domain_rescale(people, named, named))
  bad(domain_rescale(people, 1))
  bad(domain_rescale(box = named))
  bad(domain_unit(1))
})

test_that("rows that were scaled by themselves are refused wherever rows enter, and the message says what to do", {
  X <- cbind(1:4, c(2, 3, 5, 7))
  box <- domain_box(c(-3, -3), c(3, 3))
  grid <- domain_grid(box, size = 3)
  column <- data.frame(a = X[, 1])
  column$b <- scale(X[, 2])
  scaled <- list(scale(X), scale(X, scale = FALSE), scale(X, center = FALSE), column)
  for (S in scaled) {
    for (release in list(function(X) private_diagram(X, grid, 1, m0 = 0.5), function(X) private_mean(X, box, 1),
                         function(X) private_sum(X, box, 1), function(X) private_bounds(X, 1),
                         function(X) bin_points(X, grid), function(X) lattice_snap(X, box, 4),
                         function(X) domain_rescale(X, box), function(X) distance_to_measure(X, grid, 0.5),
                         function(X) private_frechet_mean(X, manifold_euclidean(2), c(0, 0), 3, 1))) {
      expect_error(release(S), "scaled by its own rows.*domain_rescale\\(\\).*If each row was scaled.*remove",
                   class = "dptda_error_argument")
    }
  }
  expect_error(private_histogram(structure(1:3, `scaled:center` = 1), breaks = 1:2, epsilon = 1),
               "scaled by its own rows", class = "dptda_error_argument")
  plain <- scale(X)
  attr(plain, "scaled:center") <- attr(plain, "scaled:scale") <- NULL
  expect_s3_class(private_diagram(plain, grid, 1, m0 = 0.5), "dptda_diagram")
})

test_that("a scaled column blocks no other one, and is named where it is read", {
  frame <- data.frame(a = c(1, 5, 9, 2), g = c("u", "v", "u", "v"))
  frame$z <- scale(frame$a)
  frame$half <- scale(frame$a, scale = FALSE)
  side <- list(a = c(0, 10))
  expect_no_error(private_histogram(frame, list(a = c(0, 5, 10)), 9))
  expect_no_error(private_table(frame, list(g = c("u", "v")), 9))
  expect_no_error(private_mean(table_rows(frame, "a"), side, 9))
  expect_no_error(suppressWarnings(private_bounds(frame, 9, columns = "a")))
  for (release in list(function(x) private_mean(x, side, 9), function(x) private_var(x, side, 9),
                       function(x) private_sum(x, side, 9, by = list(g = "u")), function(x) private_median(x, side, 9),
                       function(x) private_covariance(x, domain_box(c(a = 0), 10), rho = 9),
                       function(x) private_synthesis(x, table_schema(g = c("u", "v")), epsilon = 99))) {
    expect_no_error(suppressWarnings(release(frame)))
  }
  named <- function(code, name) {
    expect_error(code, paste0("^`x\\$", name, "` must not be centered or scaled by its own rows"),
                 class = "dptda_error_argument")
  }
  x <- frame
  named(private_mean(x, list(a = c(0, 10), z = c(-3, 3)), 9), "z")
  named(private_histogram(x, list(half = c(-9, 0, 9)), 9), "half")
  named(private_median(x, list(half = c(-9, 9)), 9), "half")
  named(private_bounds(x, 9, columns = c("a", "z")), "z")
  named(table_rows(x, c("g", "z")), "z")
  # the mark of a matrix is of all of its columns
  marked <- scale(cbind(a = 1:4, b = 4:1))
  expect_error(private_mean(marked, side, 9), "scaled by its own rows", class = "dptda_error_argument")
})

test_that("what a long diagram costs is said before, and nothing where it is short", {
  large <- domain_grid(domain_box(rep(0, 4), rep(1, 4)), size = 80)
  expect_output(print(large), "cost   about 2.4 minutes and 3.3 GB for a diagram", fixed = TRUE)
  expect_output(print(domain_grid(box, size = 10)), "points over [^\n]*\nbox [^\n]*$")
  expect_message(tell_cost(large, 100), "40,960,000 points takes about", class = "dptda_message_cost")
  expect_silent(tell_cost(domain_grid(box, size = 500), 100))
  told <- tryCatch(private_diagram(matrix(0.5, 10, 4), large, 1, m0 = 0.5), dptda_message_cost = identity)
  expect_s3_class(told, "dptda_message")
  expect_s3_class(tryCatch(dtm_persistence(matrix(0.5, 10, 4), large, 0.5), dptda_message_cost = identity), "message")
})

test_that("a pair of numbers is a box of one side wherever one is taken", {
  box <- domain_box(-1, 3)
  pair <- c(-1, 3)
  expect_identical(domain_box(pair), box)
  expect_identical(domain_box(list(a = pair, b = c(0, 2))), domain_box(c(a = -1, b = 0), c(3, 2)))
  expect_identical(domain_box(list(as.Date(c("2024-01-01", "2024-02-01")), pair)),
                   domain_box(list(as.Date("2024-01-01"), -1), list(as.Date("2024-02-01"), 3)))
  expect_identical(domain_box(c(lower = -1L, upper = 3L)), box)
  expect_identical(domain_grid(pair, by = .5), domain_grid(box, by = .5))
  expect_identical(domain_unit(pair), domain_unit(box))
  expect_identical(domain_rescale(0:2, pair), domain_rescale(0:2, box))
  expect_identical(domain_rescale(0:2, box, to = c(0, 2)), domain_rescale(0:2, box, to = domain_box(0, 2)))
  expect_identical(domain_landmarks(matrix(0:1), box = pair), domain_landmarks(matrix(0:1), box = box))
  x <- seq(-2, 4, length.out = 300)
  for (release in list(
    function(box) private_sum(x, box, epsilon = 1, rng = "R"), function(box) private_mean(x, box, rho = 1, rng = "R"),
    function(box) private_var(x, box, epsilon = 1, rng = "R"), function(box) private_sd(x, box, epsilon = 1, rng = "R"),
    function(box) private_covariance(x, box, rho = 1, rng = "R"),
    function(box) private_kmeans(x, box, 2, rho = 1, rng = "R"),
    function(box) private_mixture(x, box, 2, rho = 1, rounds = 2, rng = "R")
  )) {
    set.seed(8)
    by_box <- release(box)
    set.seed(8)
    expect_identical(release(pair), by_box)
  }
  expect_identical(private_mean(unseen(10), pair, epsilon = 1), private_mean(unseen(10), box, epsilon = 1))
  expect_identical(private_var(unseen(10), pair, epsilon = 1), private_var(unseen(10), box, epsilon = 1))
  # what private_bounds() released keeps its guarantee
  released <- private_bounds(x, epsilon = 5, rng = "R")
  expect_identical(domain_grid(released, size = 5)$box, released)
  refused <- function(box, words) expect_error(private_mean(x, box, epsilon = 1), words, class = "dptda_error_argument")
  for (bad in list(c(3, -1), c(1, 1), c(0, NA), c(0, Inf), c(-1e308, 1e308))) {
    refused(bad, "`box` must be a pair c\\(lower, upper\\) of finite numbers, the second above the first")
    expect_error(domain_box(bad), "`lower` must be a pair", class = "dptda_error_argument")
  }
  # what has names has two sides, of which the other ends were forgotten
  expect_error(domain_box(c(height = 1, weight = 2)), "`upper`", class = "dptda_error_argument")
  for (bad in list(c(height = 1, weight = 2), 1, 1:3, matrix(0:1, 1), list(0, 1), c("0", "1"))) {
    refused(bad, "`box` must be a pair c\\(lower, upper\\) of finite numbers, .* or made by domain_box")
  }
})
