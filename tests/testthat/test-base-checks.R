refused <- function(code) expect_error(code, class = "dptda_error_argument")
message_of <- function(code) tryCatch(code, dptda_error = conditionMessage)

test_that("check_number() takes one number within its range", {
  width <- 2L
  expect_identical(check_number(width), 2)
  expect_identical(check_number(c(named = 1)), 1)
  expect_identical(check_number(Inf, finite = FALSE), Inf)
  expect_identical(check_number(0, lower = 0), 0)
  for (bad in list(NA_real_, NaN, Inf, "1", TRUE, factor(1), c(1, 2), numeric(), NULL, matrix(1), list(1), 1i, mean)) {
    refused(check_number(bad))
  }
  refused(check_number(0, lower = 0, open_lower = TRUE))
  refused(check_number(1, upper = 1, open_upper = TRUE))
})

test_that("check_count() takes whole numbers beyond the integers", {
  expect_identical(check_count(3), 3)
  expect_identical(check_count(2^40), 2^40)
  for (bad in list(1.5, -1, NA_integer_, Inf, "1", c(1, 2), 2^53, factor(1))) refused(check_count(bad))
  refused(check_count(11, lower = 1, upper = 10))
})

test_that("numbers of a class are refused wherever numbers enter", {
  # days are no numbers of the unit that a box without dates has
  classed <- list(Sys.time() + 1:2, Sys.Date() + 1:2, factor(1:2),
                  as.difftime(1:2, units = "secs"), structure(1:2, class = "units"))
  box <- domain_box(0, 1)
  grid <- domain_grid(box, size = 3)
  table <- function(x) structure(list(x = x), row.names = 1:2, class = "data.frame")
  for (x in classed) {
    one <- structure(x[1], class = class(x)) # without a method `[` drops the class
    for (read in list(function(x) private_mean(x, box, 1), function(x) private_sum(x, box, 1),
                      function(x) private_mean(table(x), box, 1),
                      function(x) bin_points(x, grid), function(x) lattice_snap(x, box, 4),
                      function(x) private_diagram(x, grid, 1, m0 = 1, max_dimension = 0),
                      function(x) private_diagram(table(x), grid, 1, m0 = 1, max_dimension = 0),
                      function(x) domain_rescale(x, box), function(x) distance_to_measure(x, cbind(0.5), 1),
                      function(x) distance_to_measure(0.5, table(x), 1),
                      function(x) distance_to_measure(c(0, 1), cbind(0.5), 1, weights = x),
                      function(x) private_histogram(x, breaks = 0:2, epsilon = 1),
                      function(x) if (is.factor(x)) check_number(x) else private_table(x, levels = 1, epsilon = 1),
                      function(x) private_frechet_mean(x, manifold_euclidean(2), c(0, 0), 1, 1),
                      function(x) check_number(one), function(x) check_count(one), function(x) domain_box(x, x),
                      function(x) domain_grid(box, by = one), function(x) grid_persistence(x),
                      function(x) persistence_diagram(0, x, x))) {
      refused(read(x))
    }
  }
})

test_that("check_flag(), check_choice() and check_class() take what they name", {
  expect_identical(check_flag(c(a = TRUE)), TRUE)
  for (bad in list(NA, 1, "TRUE", c(TRUE, FALSE), NULL)) refused(check_flag(bad))
  expect_identical(check_choice(c("drop", "cap"), c("drop", "cap")), "drop")
  expect_identical(check_choice("cap", c("drop", "cap")), "cap")
  expect_identical(check_choice("CAP", c("drop", "cap")), "cap")
  expect_identical(check_choice("OS", c("os", "R")), "os")
  expect_identical(check_choice("r", c("os", "R")), "R")
  refused(check_choice("\xff", c("drop", "cap")))
  for (bad in list("ca", NA_character_, 1, character(), NULL, c("cap", "drop"))) {
    refused(check_choice(bad, c("drop", "cap")))
  }
  expect_identical(check_class(factor(1), "factor", "factor()"), factor(1))
  refused(check_class(1, "factor", "factor()"))
})

test_that("check_points() takes matrices, data frames and, in one dimension, vectors", {
  plain <- matrix(c(1, 2, 3, 4), 2)
  expect_identical(check_points(plain), plain)
  named <- matrix(c(1, 2, 3, 4), 2, dimnames = list(NULL, c("a", "b")))
  expect_identical(check_points(matrix(1:4, 2, dimnames = list(c("x", "y"), c("a", "b")))), named)
  expect_identical(check_points(data.frame(a = 1:2, b = c(3, 4))), named)
  expect_identical(check_points(c(1, 2), columns = 1), matrix(c(1, 2), 2))
  expect_identical(check_points(matrix(c(Inf, -Inf), 1), columns = 2), matrix(c(Inf, -Inf), 1))
  for (bad in list(c(1, 2), "a", matrix("a"), data.frame(a = "x"), data.frame(a = factor(1)), NULL, list(1), mean, TRUE,
                   matrix(c(1, NA), 1), matrix(NaN), matrix(0, 0, 2), array(0, c(1, 1, 1)), matrix(NA))) {
    refused(check_points(bad))
  }
  expect_identical(check_points(matrix(c(TRUE, FALSE), 1)), matrix(c(1, 0), 1))
  refused(check_points(plain, columns = 1))
  refused(check_points(plain, columns = 3))
  refused(check_points(plain, min_rows = 3))
})

test_that("columns have names by which they can be told apart, or none", {
  for (names in list(c("a", "a"), c("a", ""), c("a", NA))) {
    expect_identical(check_points(matrix(1:4, 2, dimnames = list(NULL, names))), matrix(c(1, 2, 3, 4), 2))
  }
  bytes <- "z\xff"
  Encoding(bytes) <- "bytes"
  mixed <- matrix(1:4, 2, dimnames = list(NULL, c("caf\u00e9", bytes)))
  expect_identical(check_points(mixed), matrix(c(1, 2, 3, 4), 2))
  refused(check_points(mixed, box = domain_box(c(b = 0, a = 0), c(1, 1))))
  expect_identical(colnames(check_points(cbind(1, 2), box = domain_box(c(b = 0, a = 0), c(1, 1)))), c("b", "a"))
})

test_that("a data frame has one number per row and column, or is refused before anything is spent", {
  wide <- data.frame(x = 1:10 + 0)
  wide$y <- matrix(runif(20), 10)
  none <- data.frame(x = 1:10 + 0)
  none$e <- matrix(0, 10, 0)
  single <- data.frame(x = 1:10 + 0)
  single$x <- cbind(single$x)
  cube <- data.frame(x = 1:10 + 0)
  cube$x <- array(0, c(10, 1, 1))
  uneven <- structure(list(x = c(1, 2), y = 1:10 + 0), class = "data.frame", row.names = 1:10)
  nested <- data.frame(x = 1:10 + 0)
  nested$x <- data.frame(y = 1:10 + 0)
  line <- domain_box(0, 10)
  square <- domain_box(c(0, 0), c(10, 10))
  budget <- privacy_budget(epsilon = 1)
  for (X in list(wide, none, single, cube, uneven, nested)) {
    for (box in list(line, square)) {
      refused(private_mean(X, box, epsilon = 0.1, budget = budget))
      refused(private_sum(X, box, epsilon = 0.1, budget = budget))
      refused(private_diagram(X, domain_grid(box, size = 3), 0.1, m0 = 0.5, max_dimension = 0, budget = budget))
      refused(lattice_snap(X, box, 4))
      refused(domain_rescale(X, box))
      refused(bin_points(X, domain_grid(box, size = 3)))
    }
    refused(private_bounds(X, epsilon = 0.1, budget = budget))
    refused(distance_to_measure(X, cbind(1), 0.5))
    refused(distance_to_measure(cbind(1), X, 0.5))
    refused(private_frechet_mean(X, manifold_euclidean(2), c(0, 0), 3, 1))
  }
  expect_identical(budget$spent, 0)
  line <- data.frame(x = 1:2)
  line$x <- array(3:4) # as tapply() leaves it: one dimension is a vector
  expect_identical(check_points(line), cbind(x = c(3, 4)))
})

test_that("what has the shape of the result is there before anything is spent", {
  budget <- privacy_budget(epsilon = 10)
  X <- matrix(1:20, 10, dimnames = list(NULL, c("a", NA)))
  box <- domain_box(c(0, 0), c(20, 20))
  for (release in list(private_mean, private_sum)) expect_named(release(X, box, 1, budget = budget)$value, NULL)
  expect_null(suppressWarnings(private_bounds(X, epsilon = 1, budget = budget))$columns)
  expect_identical(budget$spent, 3)
})

test_that("a message names the argument, says what it must be, and shows public values only", {
  width <- -1
  expect_identical(message_of(check_number(width, lower = 0, open_lower = TRUE)),
                   "`width` must be one finite number above 0, not -1.")
  expect_identical(message_of(check_number("a", lower = 0, upper = 1, arg = "m0")),
                   "`m0` must be one finite number at least 0 and at most 1, not \"a\".")
  expect_identical(message_of(check_count(2.5, lower = 1, arg = "n")),
                   "`n` must be one integer at least 1, not 2.5.")
  expect_identical(message_of(check_choice("no", c("a", "b"), arg = "x")),
                   "`x` must be one of \"a\", \"b\", not \"no\".")
  expect_identical(message_of(check_flag(NULL, arg = "x")), "`x` must be TRUE or FALSE, not NULL.")
  expect_identical(message_of(check_class(1:3, "dptda_grid", "domain_grid()", arg = "grid")),
                   "`grid` must be made by domain_grid(), not an integer vector of length 3.")
  secret <- matrix(c(123.456, NA), 1)
  expect_identical(message_of(check_points(secret)), "`secret` must not contain missing values.")
  expect_identical(message_of(check_points(as.data.frame(secret))),
                   "`as.data.frame(secret)$V2` must not contain missing values.")
  expect_false(grepl("123", message_of(check_points(123.456, arg = "x"))))
})

test_that("every kind of value is described in a few words", {
  said <- vapply(list(NULL, data.frame(), matrix(1), mean, factor(1), 1.5, NA_character_, letters, list(),
                      strrep("x", 100)), describe, "")
  expect_identical(said[1:9], c("NULL", "a data frame", "a double matrix", "a function", "a factor", "1.5", "NA",
                                "a character vector of length 26", "a list"))
  expect_lte(nchar(said[10]), 40)
})

test_that("data are described by what they are, never by a value", {
  described <- function(x) tryCatch(check_points(x, 2, "x"), error = conditionMessage)
  expect_match(described(0.123), "not a double vector.", fixed = TRUE)
  expect_match(described(array(0.123, c(1, 1, 1))), "not a double array.", fixed = TRUE)
  expect_match(described(structure(matrix(0.123), class = "units")), "not an object of class \"units\".", fixed = TRUE)
  expect_match(described(NULL), "not NULL. The operator `$` returns NULL for a column that does not exist.",
               fixed = TRUE)
  shown <- list(0.123, array(0.123, c(1, 1, 1)), matrix(0.123), list(0.123), "0.123", 0.123 + 0i)
  for (x in shown) {
    for (read in list(described, as_dptda_diagram, function(x) bottleneck_distance(x, x, dimension = 0))) {
      expect_no_match(tryCatch(read(x), error = conditionMessage), "0.123", fixed = TRUE)
    }
  }
})

test_that("a missing argument is named in a classed error", {
  box <- domain_box(0, 1)
  expect_missing <- function(call, arg) {
    expect_error(call, paste0("`", arg, "` must be given"), class = "dptda_error_argument")
  }
  expect_missing(domain_box(), "lower")
  expect_missing(domain_box(0), "upper")
  expect_missing(domain_grid(by = 1), "box")
  expect_missing(distance_to_measure(matrix(0), m0 = .1), "grid")
  expect_missing(distance_to_measure(grid = domain_grid(box, by = .5), m0 = .1), "x")
  expect_missing(dtm_persistence(matrix(0), m0 = .1), "grid")
  expect_missing(diagram_sensitivity(10, m0 = .1), "grid")
  expect_missing(grid_persistence(), "values")
  expect_missing(bin_points(), "grid")
})

test_that("names of arguments are given in full", {
  message <- function(code) expect_error(code, class = "dptda_error_argument")$message
  expect_match(message(private_count(TRUE, eps = 1)), "^`eps` is not an argument.*`epsilon`")
  hand_on <- function(...) private_count(TRUE, ...)
  twice <- function(...) hand_on(...)
  expect_match(message(hand_on(eps = 1)), "^`eps`")
  expect_match(message(twice(rh = 1)), "^`rh`.*`rho`")
  expect_match(message(do.call(private_count, list(TRUE, e = 1))), "^`e`")
  expect_match(message(lapply(list(TRUE), private_count, eps = 1)), "^`eps`")
  expect_match(message(private_count(TRUE, epsilno = 1)), "no argument `epsilno`")
  expect_s3_class(twice(epsilon = 1), "dptda_private_count")
  # what was typed is not looked at
  expect_match(message(private_count(TRUE, eps = stop("evaluated"))), "^`eps`")
})

test_that("a budget in the place of a number is told to go by its name", {
  budget <- privacy_budget(epsilon = 1)
  message <- function(code) expect_error(code, class = "dptda_error_argument")$message
  expect_match(message(private_count(TRUE, 0.3, budget)), "`rho` is a budget.*by name")
  expect_match(message(private_count(TRUE, budget)), "`epsilon` is a budget.*by name")
  expect_match(message(private_count(TRUE, 0.3, 0.1)), "By position, the argument after `epsilon` is `rho`")
  expect_identical(budget$spent, 0)
})

test_that("what is refused says what would do", {
  box <- domain_box(c(a = 0, b = 0), c(1, 1))
  mixed <- data.frame(a = 1, b = 2, name = "x")
  expect_identical(length(private_mean(mixed, box, 1)), 2L)
  # the names of columns are public
  expect_match(message_of(private_mean(mixed, domain_box(c(0, 0), c(1, 1)), 1)),
               "`name` is a character vector. Use as.numeric() to convert text to numbers. Without it, use x[,",
               fixed = TRUE)
  expect_match(message_of(private_mean(matrix(0, 2, 3), domain_box(0, 1), 1)),
               "For one side per column, write domain_box(rep(0, 3), rep(1, 3))", fixed = TRUE)
  expect_match(message_of(private_mean(as.difftime(1:3, units = "secs"), domain_box(0, 1), 1)), "as.difftime(",
               fixed = TRUE)
  expect_match(message_of(private_count(c(0, 1, 1), 1)), "for example x == 1", fixed = TRUE)
  expect_no_match(message_of(private_count("a", 1)), "for example")
})

test_that("a time limit that strikes in a check ends the call, and is not taken for what the check looks for", {
  model <- random_mixture(60, 20)
  check <- function() repeat check_valid(model, "dptda_mixture")
  for (limit in seq(0.05, 0.1, length.out = 10)) {
    expect_match(conditionMessage(within_time(limit, check())), "time limit")
  }
  expect_match(conditionMessage(within_time(0.05, value_or(repeat sqrt(2), FALSE))), "time limit")
  expect_identical(value_or(stop("broken"), 3), 3)
})

test_that("a table that is grouped is refused by whatever takes rows, before anything is spent", {
  skip_if_not_installed("dplyr")
  calls <- valid_calls()
  calls <- calls[vapply(calls, is.list, NA)]
  # all releases, and what else takes rows
  others <- c("bin_points", "graph_debias", "dtm_persistence", "distance_to_measure", "domain_rescale",
              "evaluate_synthesis",
              "frechet_mean", "graph_multiply", "manifold_clamp", "nonprivate_chain", "plan_private_diagram",
              "schema_from_data", "spectral_embedding", "table_rows")
  names <- c(grep("^private_", getNamespaceExports("dptda"), value = TRUE), others)
  expect_true(all(names %in% names(calls)))
  calls$manifold_clamp$x <- calls$private_frechet_mean$x
  for (name in names) {
    call <- calls[[name]]
    table <- as.data.frame(call[[1]])
    column <- as.name(names(table)[1])
    for (grouped in list(dplyr::group_by(table, !!column), dplyr::rowwise(table))) {
      call[[1]] <- grouped
      expect_error(do.call(name, call), "grouped.*ungroup", class = "dptda_error_argument", info = name)
      if (!is.null(call$budget)) expect_true(all(call$budget$spent == 0), info = name)
    }
  }
  # what the message says helps
  for (name in c("private_count", "private_sum", "private_frechet_mean", "private_graph", "bin_points")) {
    call <- calls[[name]]
    rows <- if (name == "private_frechet_mean" && is.null(dim(call[[1]]))) t(call[[1]]) else call[[1]]
    call[[1]] <- dplyr::ungroup(dplyr::rowwise(as.data.frame(rows)))
    expect_no_error(do.call(name, call))
  }
  # of an evaluation also the rows that it is compared with, of a table all columns or one
  call <- calls$evaluate_synthesis
  call$test <- dplyr::group_by(call$test, inside)
  expect_error(do.call(evaluate_synthesis, call), "`test`.*ungroup", class = "dptda_error_argument")
  pair <- data.frame(a = c(0, 1), b = c(1, 0))
  expect_error(private_mean(dplyr::group_by(pair, b), domain_box(0, 1), 1), "`x`.*ungroup",
               class = "dptda_error_argument")
  # a grouping by no column is none
  expect_s3_class(table_rows(dplyr::group_by(pair)), "dptda_rows")
})
