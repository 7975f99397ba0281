bad <- function(expr) expect_error(expr, class = "dptda_error_argument")

one <- function(x, axis) count_rows(list_rows(list(x), NULL), list(cell_table(list(axis))))[[1]]
# the cell of each value alone
cells_of <- function(x, axis) vapply(x, function(value) one(value, axis)$cell, 0)

# The definition, one value after the other.
slow_cell <- function(x, axis) {
  if (!is.null(axis$origin)) {
    if (x < axis$first) return(1)
    if (x >= axis$last) return(axis$size)
    return(floor((x - axis$origin) * axis$per) + 1)
  }
  if (!is.null(axis$cuts)) return(sum(axis$cuts <= x) + 1)
  level_cells(x, axis$levels)
}

nasty <- c(0, -0, 1, -1, Inf, -Inf, 1e308, -1e308, 2^-1074, -2^-1074, 0.1, 0.2, 0.3, 0.1 + 0.2, 2^53, 2^53 + 2,
           1e15, 1 / 3,
           .Machine$double.xmax, -.Machine$double.xmax, .Machine$double.eps, 1 - 2^-53, 1 + 2^-52)

test_that("every axis is its definition, on values that are hard", {
  set.seed(31)
  values <- c(nasty, rnorm(200), seq(-3, 3, by = 0.1))
  axes <- list(axis_cells(0, 1, 10), axis_cells(-1, 1, 7), axis_cells(0.1, 0.7, 6), axis_cells(-1e308, 7e307, 5),
               axis_cells(0, 1, 1), axis_cells(1e16, 1e16 + 4, 2^16), axis_nearest(seq(-3, 3, by = 0.1)),
               axis_nearest(5), axis_nearest(c(0, 1)), axis_nearest(c(0, 0.01, 0.5, 2)), axis_nearest((0:20) * 2^-1074),
               axis_intervals(c(-1, 0, 0.1, 0.3, 2)), axis_intervals(c(0, 1)))
  for (axis in axes) {
    expect_identical(cells_of(values, axis), vapply(values, slow_cell, 0, axis))
    counts <- one(values, axis)
    expect_identical(counts$count, as.double(tabulate(cells_of(values, axis), axis$size))[counts$cell])
    expect_false(is.unsorted(cells_of(sort(values), axis)))
    expect_true(all(cells_of(c(-Inf, Inf), axis) == c(1, axis$size)))
  }
})

test_that("cells and nearest points are where they should be", {
  cells <- axis_cells(0, 1, 4)
  expect_identical(cells_of(c(-1, 0, 0.24, 0.25, 0.5, 0.99, 1, 2), cells), c(1, 1, 1, 2, 3, 4, 4, 4))
  points <- seq(0, 10, by = 0.5)
  x <- seq(-1, 11, by = 0.01)
  nearest <- vapply(x, function(x) which.min(abs(points - x)), 0)
  tie <- vapply(x, function(x) sum(abs(abs(points - x) - min(abs(points - x))) < 1e-9) > 1, NA)
  expect_identical(cells_of(x[!tie], axis_nearest(points)), nearest[!tie])
  expect_identical(cells_of(c(0.25, 0.75), axis_nearest(points)), c(2, 3))
})

test_that("intervals are those of findInterval()", {
  set.seed(32)
  breaks <- sort(round(rnorm(12), 2))
  x <- c(rnorm(500, sd = 2), breaks, Inf, -Inf)
  expect_identical(cells_of(x, axis_intervals(breaks)),
                   as.double(findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE)))
})

# In memory by the nearest of equally spaced places, in databases by the same arithmetic or another: what is at each
# break and next to it says whether all doubles have the cell of findInterval().
spaced_breaks <- list(
  tenths = seq(0, 1, 0.1), literal = c(-0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3),
  quotients = (0:10) / 10, ages = seq(15, 50, 5), thirds = seq(0, 1, 1 / 3e2),
  days = as.double(seq(as.Date("2020-01-01"), as.Date("2021-01-01"), by = "week")),
  months = as.double(seq(as.Date("2020-01-01"), as.Date("2021-01-01"), by = "month")), negative = seq(-9.3, -2, 0.7),
  huge = seq(-8e307, 8e307, 1e307), whole = 2^53 + 6 * (0:10), times = seq(1.5e9, 1.6e9, by = 864e3),
  tiny = seq(-1e-300, 1e-300, 1e-301), subnormal = (0:20) * 2^-1074, cents = round(seq(0, 5, 0.37), 2),
  length = seq(18, 90, length.out = 38), multiples = 0.1 * (-20:30), pi = pi * (-20:30),
  uneven = c(0, 1, 2, 2.9, 4, 5, 6),
  far = c(0, 1, 2, 3, 1e3),
  wide = c(-1.7e308, -1e308, 0, 1e308, 1.7e308),
  ends = c(-3, 0, 1, 2, 3, 4, 9), three = c(0, 1, 3, 4), two = c(0, 0.5, 2)
)

near_breaks <- function(breaks) {
  below <- double_below(breaks)
  above <- -double_below(-breaks)
  middle <- breaks[-1] / 2 + breaks[-length(breaks)] / 2
  c(breaks, below, above, middle, -Inf, Inf, 0, -0, 1e-320, -1e-320, 1.7e308, -1.7e308)
}

interval_of <- function(x, breaks) as.double(findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE))

# The cell of each value, from one pass over all.
cells_at_once <- function(x, axis) {
  table <- cell_table(list(axis, axis_levels(seq_along(x))))
  (count_rows(list_rows(list(x, seq_along(x)), NULL), list(table))[[1]]$cell - 1) %% axis$size + 1
}

test_that("equally spaced breaks have the cells of findInterval() at each break and next to it", {
  expect_identical(double_below(c(1, -1, 0, 2, 1.5, -1.5, 2^-1021, -2^-1021)),
                   c(1 - 2^-53, -1 - 2^-52, -2^-1074, 2 - 2^-52, 1.5 - 2^-52, -1.5 - 2^-52, 2^-1021 - 2^-1074,
                     -2^-1021 - 2^-1073))
  set.seed(34)
  for (name in names(spaced_breaks)) {
    breaks <- spaced_breaks[[name]]
    axis <- axis_intervals(breaks)
    x <- sample(c(near_breaks(breaks), stats::runif(50, min(breaks) / 2, max(breaks) / 2) * 2))
    expect_identical(cells_at_once(x, axis), interval_of(x, breaks), info = name)
    found <- spaced_cuts(axis$cuts)
    values <- c(list(second = axis$cuts[1], last = axis$cuts[length(axis$cuts)], highest = axis$size - 1), found)
    if (!is.null(found)) {
      found <- vapply(x, function(x) sql_value(spaced_cells[[found$form]], c(values, x = x)), 0)
      expect_identical(found + 1, interval_of(x, breaks), info = name)
    }
  }
  spaced <- vapply(spaced_breaks, function(breaks) {
    found <- spaced_cuts(axis_intervals(breaks)$cuts)
    if (is.null(found)) "none" else found$form
  }, "")
  forms <- c(ages = "exact", tenths = "divided", thirds = "line", multiples = "product", literal = "quotient")
  expect_identical(spaced[names(forms)], forms)
  expect_true(all(spaced[c("subnormal", "uneven", "wide", "three", "two")] == "none"))
})

# Chunks of rows, full ones and the last one, and any number of halvings; ties with cuts among the values.
test_that("counts and sums of many rows are those of the arithmetic in R", {
  set.seed(40)
  for (cuts in c(1:9, 40, 63, 64, 1000)) {
    axis <- axis_cuts(sort(unique(c(0, stats::rnorm(cuts - 1)))))
    x <- sample(c(nasty, axis$cuts, stats::rnorm(200)), 2048 + sample(2048, 1), TRUE)
    for (values in list(x, as.integer(pmin(pmax(x, -9), 9)))) {
      expect_identical(dense_counts(one(values, axis), axis$size),
                       as.double(tabulate(axis_codes(values, axis) + 1, axis$size)))
    }
  }
  for (axis in list(axis_cells(-1, 1, 7), axis_cells(1e16, 1e16 + 4, 2^16), axis_nearest(seq(-3, 3, by = 0.1)))) {
    expect_identical(dense_counts(one(x, axis), axis$size), as.double(tabulate(axis_codes(x, axis) + 1, axis$size)))
  }
  for (bits in c(1, 12, 24)) {
    lattice <- public_lattice(domain_box(-1, 0.3), bits)
    expect_identical(sum_rows(list_rows(list(x), NULL), lattice)[1], sum(lattice_steps(cbind(x), lattice)))
  }
})

test_that("numbers that are written down once have the cells that each of them has alone", {
  set.seed(41)
  numbers <- c(nasty, NA, NaN, 0.1 + 2^-54, 100000, 1e5 + 1e-12, 2^53 - 1, stats::rnorm(50))
  alone <- function(x, levels) vapply(seq_along(x), function(i) level_cells(x[i], levels), 0L)
  for (levels in list(c(0, 0.3, 1e5, 2^53), c(-1, 1e15), c("0.3", "1e5", "x"), numeric())) {
    x <- sample(numbers, 300, TRUE)
    expect_identical(level_cells(x, levels), alone(x, levels))
    whole <- sample(c(-2:3, NA, 100000L), 50, TRUE)
    expect_identical(level_cells(whole, levels), alone(whole, levels))
  }
  truth <- c(TRUE, NA, FALSE, TRUE)
  for (levels in list(TRUE, c("FALSE", "x"))) expect_identical(level_cells(truth, levels), alone(truth, levels))
})

test_that("a vector becomes a column without a copy, and stays as it was", {
  x <- stats::rnorm(1000)
  before <- x + 0
  column <- one_column(x)
  expect_identical(column, matrix(x, ncol = 1))
  lattice <- public_lattice(domain_box(-1, 1), 8)
  expect_identical(sum_rows(matrix_rows(column), lattice), sum_rows(matrix_rows(matrix(before, ncol = 1)), lattice))
  column[1] <- 7
  expect_identical(x, before)
  for (y in list(stats::setNames(x, seq_along(x)), structure(x, note = "kept"), 1:3, numeric())) {
    expect_identical(one_column(y), matrix(y, ncol = 1))
  }
})

test_that("columns of any kind are counted together, in any order of rows", {
  set.seed(33)
  n <- 5000
  frame <- data.frame(x = rnorm(n), k = sample(5L, n, TRUE), s = sample(c("a", "b", "\u00e9", "z"), n, TRUE),
                      t = runif(n) < 0.3,
                      f = factor(sample(c("u", "v"), n, TRUE)))
  axes <- list(x = axis_cells(-1, 1, 8), k = axis_intervals(c(0.5, 1.5, 3.5, 6)), s = axis_levels(c("b", "\u00e9")),
               t = axis_logical(), f = axis_levels(c("v", "w")))
  table <- cell_table(unname(axes))
  rows <- table_rows(frame)
  counts <- count_rows(rows, list(table, cell_table(axes[3], 3)))
  index <- Map(function(x, axis) if (is.factor(x)) level_cells(x, axis$levels) else vapply(x, slow_cell, 0, axis),
               frame, axes)
  expected <- table(do.call(interaction, c(Map(factor, index, lapply(axes, function(axis) seq_len(axis$size))))))
  expect_identical(dense_counts(counts[[1]], table_size(table)), as.double(expected))
  expect_identical(sum(counts[[2]]$count), as.double(n))
  expect_identical(count_rows(table_rows(frame[n:1, ]), list(table))[[1]], counts[[1]])
})

test_that("sums are those of whole numbers, by group and over all rows", {
  set.seed(34)
  n <- 3000
  X <- cbind(rnorm(n, sd = 2), runif(n, -9, 9))
  box <- domain_box(c(-1, -3), c(1.5, 7))
  for (bits in c(1, 7, 24)) {
    lattice <- public_lattice(box, bits)
    steps <- lattice_steps(X, lattice)
    expect_identical(sum_rows(matrix_rows(X), lattice), rbind(colSums(steps)))
    group <- sample(3L, n, TRUE)
    rows <- list_rows(list(X[, 1], X[, 2], group), NULL)
    by <- sum_rows(rows, lattice, 1:2, cell_table(list(axis_levels(c(1, 3))), 3))
    expect_equal(by, rowsum(steps, c(1, 3, 2)[group])[1:3, ], ignore_attr = TRUE)
  }
  ends <- matrix_rows(cbind(c(-Inf, Inf, 1.5, -1), 0))
  lattice <- public_lattice(box, 4)
  expect_identical(sum_rows(ends, lattice)[1], 2 * (lattice$last - lattice$first)[1])
  bad(sum_rows(matrix_rows(cbind(NaN, 1)), lattice))
})

test_that("the doubles with the key of a level are an interval", {
  numbers <- c(0, 1, -1, 0.1, 1 / 3, 1e5, 1e15, 2^53, 1e300, -2.5, 123456789.123)
  range <- key_range(numbers)
  expect_identical(number_keys(range$lower), number_keys(numbers))
  expect_identical(number_keys(range$upper), number_keys(numbers))
  beyond <- function(x, sign) x + sign * 2^(floor(log2(pmax(abs(x), 2^-1000))) - 52)
  some <- numbers != 0
  expect_true(all(number_keys(beyond(range$upper, 1))[some] != number_keys(numbers)[some]))
  expect_true(all(number_keys(beyond(range$lower, -1))[some] != number_keys(numbers)[some]))
})

test_that("a table and its columns say the same as vectors, wherever rows are taken", {
  set.seed(35)
  people <- data.frame(age = runif(500, 0, 99), sex = sample(c("f", "m"), 500, TRUE), smokes = runif(500) < 0.2,
                       w = rnorm(500, 70, 9))
  tibble <- if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(people) else people
  sure <- 1e100
  for (table in list(people, tibble, table_rows(people))) {
    expect_identical(private_count(table, sure, columns = "smokes")$value, private_count(people$smokes, sure)$value)
    expect_identical(private_histogram(table, columns = "age", breaks = c(0, 50, 99), epsilon = sure)$value,
                     private_histogram(people$age, breaks = c(0, 50, 99), epsilon = sure)$value)
    expect_identical(private_table(table, columns = "sex", levels = "f", epsilon = sure)$value,
                     private_table(people$sex, levels = "f", epsilon = sure)$value)
    box <- domain_box(c(w = 40, age = 0), c(w = 120, age = 100))
    expect_identical(private_mean(table, box, sure, columns = c("w", "age"))$value,
                     private_mean(people[c("w", "age")], box, sure)$value)
    expect_identical(unname(unlist(private_bounds(table, sure, columns = "w")[1:2])),
                     unlist(private_bounds(people$w, sure)[1:2], use.names = FALSE))
    grid <- domain_grid(domain_box(c(0, 40), c(100, 120)), size = 9)
    expect_identical(bin_points(table, grid, columns = c("age", "w")), bin_points(people[c("age", "w")], grid))
  }
})

test_that("a histogram over columns counts all combinations, the first fastest", {
  people <- data.frame(age = c(5, 15, 15, 95, 25), sex = c("f", "m", "m", "f", "x"),
                       t = c(TRUE, FALSE, TRUE, TRUE, FALSE))
  release <- private_table(people, columns = c("age", "sex"), breaks = list(age = c(0, 10, 20, 30)),
                               levels = list(sex = c("f", "m")), epsilon = 1e6)
  expect_identical(dim(as.table(release)), c(3L, 3L))
  expect_identical(as.table(release)["[10, 20)", "m"], 2)
  expect_identical(as.table(release)[">= 20", "f"], 1)
  expect_identical(release[["age [10, 20), sex m"]]$value, 2)
  frame <- as.data.frame(release)
  expect_identical(names(frame), c("age", "sex", "value", "half_width"))
  expect_identical(frame$value, as.vector(as.table(release)))
  expect_identical(privacy(release)$sensitivity, 2)
  three <- private_table(people, columns = c("age", "sex", "t"), breaks = list(age = c(0, 50, 99)),
                             levels = list(sex = c("f", "m"), t = c(TRUE, FALSE)), epsilon = 1e6)
  expect_identical(sum(three)$value, 5)
  expect_identical(dim(as.table(three)), c(2L, 3L, 3L))
  for (x in list(release, three)) {
    path <- withr::local_tempfile(fileext = ".pdf")
    grDevices::pdf(path)
    expect_invisible(plot(x))
    grDevices::dev.off()
  }
  expect_output(print(release), "age +sex value")
})

test_that("public arguments that are named say which columns of a table, where the user does not", {
  people <- data.frame(age = 20 + (1:40)^2 %% 61, sex = rep(c("f", "m"), 20), none = "a")
  same <- function(named, given) {
    set.seed(53)
    short <- named
    set.seed(53)
    expect_identical(short, given)
  }
  sexes <- list(sex = c("f", "m"))
  ages <- list(age = c(20, 50, 90))
  box <- domain_box(c(age = 20), 90)
  same(private_table(people, sexes, 1, rng = "R"), private_table(people, sexes, 1, columns = "sex", rng = "R"))
  same(private_table(people, sexes, 1, breaks = ages, rng = "R"),
       private_table(people, sexes, 1, breaks = ages, columns = c("sex", "age"), rng = "R"))
  same(private_histogram(people, ages, 1, rng = "R"), private_histogram(people, ages, 1, columns = "age", rng = "R"))
  same(private_histogram(people, ages, 1, by = sexes, rng = "R"),
       private_histogram(people, ages, 1, columns = "age", by = sexes, rng = "R"))
  same(private_median(people, box, 1, rng = "R"), private_median(people, box, 1, columns = "age", rng = "R"))
  # others do not
  bad(private_table(people, list(sexes = "f"), 1))
  bad(private_median(people, domain_box(c(years = 20), 90), 1))
  bad(private_median(people, domain_box(c(age = 20, sex = 0), 90), 1))
  bad(private_table(people$sex, sexes, 1))
  bad(private_table(table_rows(people, c("sex", "none")), list(age = 1), 1))
  # of rows that have more columns names choose, too
  same(private_table(table_rows(people, c("sex", "none")), sexes, 1, rng = "R"),
       private_table(people, sexes, 1, rng = "R"))
})

test_that("a table of one column is that column, and lists without names are of all columns", {
  people <- data.frame(sex = c("f", "m", "f"), old = c("y", "y", "n"))
  set.seed(3)
  same <- function(a, b) {
    set.seed(3)
    first <- as.data.frame(a)
    set.seed(3)
    expect_identical(first, as.data.frame(b))
  }
  same(private_table(people["sex"], c("f", "m"), 1, rng = "R"), private_table(people$sex, c("f", "m"), 1, rng = "R"))
  same(private_histogram(data.frame(a = 1:9), c(0, 5, 10), 1, rng = "R"),
       private_histogram(1:9, c(0, 5, 10), 1, rng = "R"))
  same(private_count(data.frame(a = c(TRUE, FALSE)), 1, rng = "R"), private_count(c(TRUE, FALSE), 1, rng = "R"))
  same(private_median(data.frame(a = 1:9), c(0, 10), 1, rng = "R"), private_median(1:9, c(0, 10), 1, rng = "R"))
  same(private_table(people, list(c("f", "m"), c("y", "n")), 1, rng = "R"),
       private_table(people, list(sex = c("f", "m"), old = c("y", "n")), 1, rng = "R"))
  same(private_histogram(data.frame(a = 1:9, b = 1:9), list(c(0, 9), c(0, 5, 9)), 1, rng = "R"),
       private_histogram(data.frame(a = 1:9, b = 1:9), list(a = c(0, 9), b = c(0, 5, 9)), 1, rng = "R"))
  bad(private_table(people, list(c("f", "m")), 1))
  # the other ways to count are in the message
  expect_error(private_count(people, 1), "x$name == \"a\"", fixed = TRUE, class = "dptda_error_argument")
})

test_that("a list of pairs is a box, and a list of columns is a schema", {
  expect_identical(domain_grid(list(b = c(0, 1), a = c(2, 4)), size = 3),
                   domain_grid(domain_box(c(b = 0, a = 2), c(1, 4)), size = 3))
  expect_identical(check_box(list(c(0, 1), c(2, 4))), domain_box(c(0, 2), c(1, 4)))
  dates <- as.Date(c("2020-01-01", "2021-01-01"))
  expect_identical(check_box(list(a = dates, b = c(0, 1))),
                   domain_box(list(a = dates[1], b = 0), list(dates[2], 1)))
  x <- data.frame(a = 1:9, b = 9:1, c = "x")
  same <- function(a, b) {
    set.seed(3)
    first <- as.data.frame(a)
    set.seed(3)
    expect_identical(first, as.data.frame(b))
  }
  box <- domain_box(c(b = 0, a = 0), 10)
  pairs <- list(b = c(0, 10), a = c(0, 10))
  same(private_mean(x, pairs, 1, rng = "R"), private_mean(x, box, 1, rng = "R"))
  same(private_median(x, pairs["b"], 1, rng = "R"), private_median(x$b, c(0, 10), 1, rng = "R"))
  expect_identical(privacy_price(private_mean(unseen(9), pairs, 1)), privacy_price(private_mean(unseen(9), box, 1)))
  expect_error(check_box(list(a = c(0, 1), b = c(1, 0)), "box"), "`box$b` must be a pair", fixed = TRUE)
  bad(check_box(list(a = c(0, 1), a = c(0, 1))))
  bad(check_box(list(0, 1)))
  bad(check_box(data.frame(a = c(0, 1))))
  schema <- table_schema(a = schema_numeric(0, 10, cells = 2), c = "x")
  expect_identical(check_schema(list(a = schema_numeric(0, 10, cells = 2), c = "x")), schema)
  bad(check_schema(list(1)))
  bad(check_schema(x))
})

test_that("one number is the end of all sides of a box", {
  expect_identical(domain_box(0, c(a = 1, b = 2)), domain_box(c(0, 0), c(a = 1, b = 2)))
  expect_identical(domain_box(c(a = 0, b = 1), 2), domain_box(c(a = 0, b = 1), c(2, 2)))
  expect_identical(domain_box(as.Date("2020-01-01"), as.Date(c("2021-01-01", "2022-01-01"))),
                   domain_box(as.Date(rep("2020-01-01", 2)), as.Date(c("2021-01-01", "2022-01-01"))))
  bad(domain_box(c(a = 0), c(1, 2)))
  bad(domain_box(c(0, 0), c(1, 2, 3)))
})

test_that("tables of databases are no points in memory, and the message says what to do", {
  skip_if_not_installed("dbplyr")
  table <- dbplyr::lazy_frame(a = 1, b = 2)
  grid <- domain_grid(domain_box(c(a = 0, b = 0), 1), size = 3)
  expect_error(private_diagram(table, grid, epsilon = 1, m0 = 0.5), "bin_points(x, grid)", fixed = TRUE,
               class = "dptda_error_argument")
  expect_error(frechet_mean(table, manifold_sphere(2)), "in memory")
  expect_error(private_frechet_mean(table, manifold_sphere(2), c(0, 0, 1), 1, epsilon = 1), "in memory here",
               class = "dptda_error_argument")
})

test_that("what is no column, no table or too much is refused by a public message", {
  people <- data.frame(age = 1:3, sex = c("f", "m", "f"), l = I(list(1, 2, 3)))
  bad(private_table(people, levels = "f", epsilon = 1))
  bad(private_table(people, columns = "none", levels = "f", epsilon = 1))
  bad(private_table(people, columns = c("sex", "sex"), levels = "f", epsilon = 1))
  bad(private_table(people, columns = c("age", "sex"), levels = "f", epsilon = 1))
  bad(private_table(people, columns = c("age", "sex"), levels = list(sex = "f"), epsilon = 1))
  bad(private_table(people, columns = "l", levels = "f", epsilon = 1))
  bad(private_table(1:3, columns = "age", levels = 1:2, epsilon = 1))
  bad(private_histogram(people, columns = "sex", breaks = c(0, 1), epsilon = 1))
  bad(private_count(people, columns = "age", epsilon = 1))
  bad(private_count(people, columns = c("age", "sex"), epsilon = 1))
  bad(private_mean(people, domain_box(0, 1), epsilon = 1, columns = "sex"))
  bad(private_mean(people, domain_box(0, 1), epsilon = 1, columns = c("age", "sex")))
  bad(table_rows(list(1, 2)))
  bad(table_rows(people, partition = "none"))
  bad(table_rows(structure(people[1:2], names = c("age", "age"))))
  huge <- list(a = 1:2000, b = 1:2000, c = 1:2000)
  wide <- as.data.frame(huge)
  bad(private_table(wide, columns = names(huge), levels = huge, epsilon = 1))
  expect_output(print(table_rows(people, columns = "age")), "3 rows in memory, columns `age`")
})
