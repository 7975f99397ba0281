# Missing values: public values in their place, values that are left out, and that nobody sees how many there were.

gaps <- function(n = 400) {
  frame <- data.frame(x = stats::runif(n), y = stats::runif(n), g = sample(c("a", "b"), n, TRUE),
                      t = stats::runif(n) < .5)
  frame$f <- factor(frame$g)
  for (name in names(frame)) frame[[name]][sample(n, n / 5)] <- NA
  frame
}

unit_square <- domain_box(c(x = 0, y = 0), c(1, 1))

seen_of <- function(mechanism, x) statistic_of(mechanism$plan, rows_for(mechanism$plan, x))

test_that("a value in their place is one before the release, in memory and in a database", {
  set.seed(1)
  frame <- gaps()
  filled <- frame
  filled$x[is.na(filled$x)] <- .25
  filled$g[is.na(filled$g)] <- "missing"
  filled$f <- filled$g
  filled$f[is.na(frame$f)] <- "missing"
  filled$f[!is.na(frame$f)] <- as.character(frame$f[!is.na(frame$f)])
  filled$t <- ifelse(is.na(filled$t), TRUE, filled$t)
  missing <- list(x = .25, g = "level", f = "level", t = TRUE)
  release <- list(
    function(x) private_mean(x, c(0, 1), epsilon = 1, columns = "x", rng = "R"),
    function(x) private_quantile(x, c(0, 1), c(.2, .5), epsilon = 1, columns = "x", rng = "R"),
    function(x) private_sd(x, c(0, 1), epsilon = 1, columns = "x", rng = "R"),
    function(x) private_table(x, c("a", "missing"), epsilon = 1, columns = "g", rng = "R"),
    function(x) private_table(x, c("a", "missing"), epsilon = 1, columns = "f", rng = "R"),
    function(x) private_count(x, epsilon = 1, columns = "t", rng = "R")
  )
  in_memory <- table_rows(frame, c("x", "g", "f", "t"), missing = missing)
  stored <- frame
  stored$f <- as.character(stored$f)
  in_database <- table_rows(dplyr::tbl(local_sqlite(stored), "people"), c("x", "g", "f", "t"), missing = missing)
  for (call in release) {
    set.seed(2)
    expected <- call(filled)
    for (rows in list(in_memory, in_database)) {
      set.seed(2)
      expect_equal(as.data.frame(call(rows)), as.data.frame(expected))
    }
  }
})

test_that("one value is for all columns, and a vector and a matrix have missing values, too", {
  X <- cbind(x = c(.1, NA, .3), y = c(NA, .2, .2))
  seen <- function(rows) seen_of(private_sum(unseen(3), unit_square, epsilon = 1), rows)
  expect_identical(seen(table_rows(X, missing = .5)), seen(ifelse(is.na(X), .5, X)))
  expect_identical(private_count(table_rows(c(TRUE, NA), missing = TRUE), epsilon = 1e6)$value, 2)
  one <- private_sum(unseen(3), c(0, 1), epsilon = 1)
  expect_identical(seen_of(one, table_rows(X[, 1], missing = .5)), seen_of(one, c(.1, .5, .3)))
  whole <- table_rows(data.frame(x = c(1L, NA)), missing = 1.5)
  expect_identical(whole$data[[1]], c(1, 1.5))
  truths <- table_rows(data.frame(t = c(TRUE, NA, FALSE)), missing = "level")
  expect_equal(unname(private_table(truths, c("TRUE", "FALSE", "missing"), epsilon = 1e6)$value), c(1, 1, 1, 0))
})

test_that("dates, times and durations have public values of their kind in the place of missing ones", {
  days <- as.Date("2020-01-01") + c(0, NA, 2)
  times <- as.POSIXct(days, tz = "UTC") + 0.5
  at <- list(list(as.Date("2020-03-01"), as.Date(c("2020-01-01", "2020-05-01"))),
             list(as.POSIXct("2020-03-01 12:00:00.25", tz = "UTC"),
                  as.POSIXct(c("2020-01-01", "2020-05-01"), tz = "UTC")),
             list(as.difftime(90, units = "mins"), as.difftime(c(0, 5), units = "hours")))
  columns <- list(days, times, as.difftime(c(1, NA, 3), units = "hours"))
  for (i in seq_along(columns)) {
    x <- columns[[i]]
    whole <- x
    whole[2] <- if (i == 3) as.difftime(1.5, units = "hours") else at[[i]][[1]]
    rows <- table_rows(data.frame(x), missing = at[[i]][[1]])
    expect_identical(rows$data[[1]], whole)
    mechanism <- private_mean(unseen(3), at[[i]][[2]], epsilon = 1)
    expect_identical(seen_of(mechanism, rows), seen_of(mechanism, table_rows(data.frame(x = whole))))
    if (i == 3) next
    stored <- dplyr::tbl(local_postgres(data.frame(x)), "people")
    expect_identical(seen_of(mechanism, table_rows(stored, missing = at[[i]][[1]])), seen_of(mechanism, rows))
  }
})

test_that("values that are left out are in no count and no sum, column by column", {
  set.seed(3)
  frame <- gaps()
  stored <- frame[c("x", "y", "g", "t")]
  for (x in list(frame, dplyr::tbl(local_sqlite(stored), "people"))) {
    rows <- function(...) table_rows(x, c(...), missing = "omit")
    n <- unseen(400, missing = "omit")
    sums <- private_sum(as_unseen(n), unit_square, epsilon = 1)
    half <- function(x) sum(2 * floor(x * 2^20 + .5) - 2^20)
    there <- lapply(frame, function(x) x[!is.na(x)])
    expect_equal(seen_of(sums, rows("x", "y")), c(lengths(there[c("x", "y")], FALSE), half(there$x), half(there$y)))
    by <- private_sum(as_unseen(n), unit_square, epsilon = 1, by = list(g = "a"))
    each <- function(f) {
      unlist(lapply(c("x", "y"), function(name) {
        own <- frame[!is.na(frame[[name]]) & !is.na(frame$g), ]
        c(f(own[[name]][own$g == "a"]), f(own[[name]][own$g == "b"]))
      }))
    }
    expect_equal(seen_of(by, rows("x", "y", "g")), c(each(length), each(half)))
    expect_equal(seen_of(private_count(as_unseen(n), epsilon = 1), rows("t")), sum(frame$t, na.rm = TRUE))
    cells <- private_table(as_unseen(n), list(g = c("a", "b")), epsilon = 1, breaks = list(x = c(0, .5, 1)),
                             columns = c("g", "x"))
    both <- frame[!is.na(frame$g) & !is.na(frame$x), ]
    expect_equal(matrix(seen_of(cells, rows("g", "x")), 3), rbind(unclass(table(both$g, both$x >= .5)), 0),
                 ignore_attr = TRUE)
    breaks <- private_histogram(as_unseen(n), c(0, .5, 1), epsilon = 1, columns = "x")
    expect_equal(seen_of(breaks, rows("x")), as.vector(table(there$x >= .5)))
  }
})

test_that("people weigh the same on the rows that are left, and nothing without any", {
  frame <- data.frame(x = c(1, NA, 0, 0, NA, NA), y = c(0, 0, 0, NA, 1, NA), who = c(1L, 1L, 1L, 2L, 2L, 3L))
  rows <- table_rows(frame, c("x", "y"), person = "who", missing = "omit")
  release <- private_mean(rows, unit_square, epsilon = 1e6)
  expect_equal(release$count, c(2, 2), tolerance = 1e-3)
  expect_equal(release$value, c(mean(c(.5, 0)), mean(c(0, 1))), tolerance = 1e-2)
  none <- table_rows(data.frame(x = NA_real_, who = 1L), "x", person = "who", missing = "omit")
  expect_equal(private_mean(none, c(0, 1), epsilon = 1e6)$count, 0, tolerance = 1e-2)
  some <- table_rows(frame[1:3, ], "y", person = "who", people = 5)
  expect_equal(private_sum(some, c(0, 1), epsilon = 1e6)$count, 1, tolerance = 1e-2)
  one <- table_rows(frame, "y", person = "who", missing = "omit", rows_of_person = "one")
  expect_equal(nrow(private_mean(one, c(0, 1), epsilon = 1)), 1)
})

test_that("everything else refuses rows that leave values out, whether any are missing or not", {
  set.seed(4)
  for (frame in list(gaps(), data.frame(x = stats::runif(50), y = stats::runif(50), t = TRUE, g = "a"))) {
    x <- function(...) table_rows(frame, c(...), missing = "omit")
    budget <- privacy_budget(epsilon = 10, delta = .1)
    calls <- list(
      quote(private_var(x("x"), c(0, 1), epsilon = 1, budget = budget)),
      quote(private_sd(x("x"), c(0, 1), epsilon = 1, budget = budget)),
      quote(private_proportion(x("t"), epsilon = 1, budget = budget)),
      quote(private_bounds(x("x"), epsilon = 1, budget = budget)),
      quote(private_pca(x("x", "y"), unit_square, 1, epsilon = 1, delta = .01, budget = budget)),
      quote(private_kmeans(x("x", "y"), unit_square, 2, epsilon = 1, budget = budget)),
      quote(private_mixture(x("x", "y"), unit_square, 2, epsilon = 1, delta = .01, budget = budget)),
      quote(private_synthesis(x("g"), table_schema(g = schema_categorical("a")), epsilon = 1, budget = budget))
    )
    for (call in calls) {
      found <- tryCatch(eval(call), error = identity)
      expect_s3_class(found, "dptda_error")
      expect_match(conditionMessage(found), "omit|left out|leaves missing", info = deparse1(call))
    }
    expect_equal(unname(budget$spent), c(0, 0))
    # which takes no such rows
    expect_error(private_diagram(x("x", "y"), domain_grid(unit_square, by = .25), epsilon = 1, m0 = .1),
                 class = "dptda_error")
  }
  # nor do mechanisms
  n <- unseen(50, missing = "omit")
  expect_error(private_proportion(as_unseen(n), epsilon = 1), class = "dptda_error_argument")
  expect_error(private_var(as_unseen(n), c(0, 1), epsilon = 1), class = "dptda_error_argument")
  # a mechanism of rows without gaps does not take them, nor the other way round
  expect_error(draw_release(private_count(unseen(2), epsilon = 1), omitting_rows(check_rows(c(TRUE, NA))), NULL, "R"),
               class = "dptda_error_argument")
})

test_that("what is asked for missing values must fit the columns", {
  frame <- data.frame(x = c(1, NA), g = c("a", NA))
  bad <- list(NULL, NA, c(1, 2), list(h = 1), list(1), "level", 1, list(g = 1), list(x = "a"), list(x = "omit"),
              list(x = NA), list(x = "level"), TRUE, data.frame(x = 1))
  for (missing in bad) expect_error(table_rows(frame, c("x", "g"), missing = missing), class = "dptda_error_argument")
  expect_error(table_rows(frame, c("x", "g"), missing = "level"), "x\\$x.*holds numbers",
               class = "dptda_error_argument")
})

test_that("the error for missing values names the column and the ways out", {
  frame <- data.frame(x = c(1, 2), y = c(1, NA), g = c("a", NA), t = c(TRUE, NA))
  for (x in list(frame, dplyr::tbl(local_sqlite(frame), "people"))) {
    calls <- list(
      y = function() private_mean(x, domain_box(c(x = 0, y = 0), c(3, 3)), epsilon = 1, columns = c("x", "y")),
      g = function() private_table(x, list(x = 1, g = "a"), epsilon = 1, columns = c("x", "g")),
      g = function() private_mean(x, c(0, 3), epsilon = 1, columns = "x", by = list(g = "a")),
      y = function() private_histogram(x, 0:3, epsilon = 1, columns = "y"),
      y = function() private_quantile(x, c(0, 3), .5, epsilon = 1, columns = "y"),
      t = function() private_count(x, epsilon = 1, columns = "t")
    )
    for (name in names(calls)) {
      expect_error(calls[[match(name, names(calls))]](), paste0("x\\$", name, "`.*missing.*table_rows"),
                   class = "dptda_error_argument")
    }
  }
  expect_error(private_count(c(TRUE, NA), epsilon = 1), "table_rows", class = "dptda_error_argument")
})

test_that("nothing that is visible depends on which values are missing, or how many", {
  shown <- function(gone) {
    frame <- data.frame(x = rep(.5, 60), g = "a", t = TRUE, who = rep(1:20, 3))
    frame$x[gone] <- NA
    frame$t[gone] <- NA
    rows <- table_rows(frame, c("x", "g"), missing = "omit")
    truths <- table_rows(frame, "t", missing = "omit")
    people <- table_rows(frame, "x", person = "who", missing = "omit")
    set.seed(5)
    draws <- list(
      private_mean(rows, c(0, 1), epsilon = 1, columns = "x", rng = "R"),
      private_mean(rows, c(0, 1), epsilon = 1, by = list(g = "a"), rng = "R"),
      private_count(truths, epsilon = 1, rng = "R"),
      private_histogram(rows, 0:3, epsilon = 1, columns = "x", rng = "R"),
      private_sum(people, c(0, 1), rho = 1, rng = "R"),
      private_median(rows, c(0, 1), epsilon = 1, columns = "x", rng = "R")
    )
    says <- function(x) tryCatch(force(x), error = conditionMessage)
    list(
      lapply(list(rows, truths, people), function(x) utils::capture.output(print(x))), lapply(draws, class),
      lapply(draws, privacy), vapply(draws, function(x) as.double(utils::object.size(x)), 0),
      lapply(draws, function(x) length(utils::capture.output(print(x)))), lapply(draws, names),
      says(private_quantile(rows, c(0, 1), .5, epsilon = 1, columns = "x", method = "counts")),
      says(private_mean(rows, c(0, 1), epsilon = -1, columns = "x")),
      lapply(list(rows, people), function(x) public_units(x))
    )
  }
  few <- shown(integer())
  expect_identical(shown(1:7), few)
  expect_identical(shown(1:60), few)
})
