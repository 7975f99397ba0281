# Releases that look once: the number of rows of a table comes with what is asked of them.

databases <- list(sqlite = local_sqlite, postgres = local_postgres)

once_data <- function() {
  set.seed(91)
  data.frame(x = stats::rnorm(200), y = stats::runif(200), k = sample(1:3, 200, TRUE), t = sample(0:1, 200, TRUE))
}

once_box <- domain_box(c(x = -2, y = 0), c(2, 1))

# Of all rows of `who`, in which the column `t` is a condition.
once_releases <- list(
  count = function(who, ...) private_count(who, 1, columns = "t", rng = "R", ...),
  count_by = function(who, ...) private_count(who, 1, by = list(k = 1:3), rng = "R", ...),
  proportion = function(who, ...) private_proportion(who, 1, columns = "t", rng = "R", ...),
  sum = function(who, ...) private_sum(who, once_box, 1, columns = c("x", "y"), rng = "R", ...),
  mean = function(who, ...) private_mean(who, once_box, rho = 1, columns = c("x", "y"), rng = "R", ...),
  histogram = function(who, ...) private_histogram(who, list(x = -2:2), 1, columns = "x", rng = "R", ...),
  histogram_by = function(who, ...) {
    private_histogram(who, list(x = -2:2), 1, columns = "x", by = list(k = 1:2), rng = "R", ...)
  },
  table = function(who, ...) private_table(who, list(k = 1:3), epsilon = 1, columns = "k", rng = "R", ...)
)

# How often a statement mentions the table, without the questions for no rows, and what becomes of it.
looks_at <- function(code) {
  read <- read_statement
  asked <- 0
  value <- with_replaced("read_statement", function(rows, statement) {
    asked <<- asked + grepl("people", statement)
    read(rows, statement)
  }, tryCatch(suppressWarnings(code), error = identity))
  list(count = asked, value = value)
}

numbers_of <- function(x) `attr<-`(unclass(x), "privacy", NULL)

seeded_release <- function(release, ...) {
  set.seed(92)
  release(...)
}

for (database in names(databases)) {
  test_that(paste("a release of a table looks once, and beyond its budget never:", database), {
    data <- once_data()
    if (database == "postgres") data$t <- data$t == 1
    con <- databases[[database]](data)
    people <- dplyr::tbl(con, "people")
    query <- dplyr::mutate(people, one = 1L)
    data$t <- data$t == 1
    for (name in names(once_releases)) {
      release <- once_releases[[name]]
      memory <- suppressWarnings(seeded_release(release, data))
      budget <- privacy_budget(rho = 9)
      look <- looks_at(seeded_release(release, people, budget = budget))
      expect_identical(look$count, 1, info = name)
      expect_identical(numbers_of(look$value), numbers_of(memory), info = name)
      expect_equal(privacy(look$value)$public, privacy(memory)$public, info = name)
      expect_identical(nrow(budget$ledger), 1L)
      # rows of a query are counted first
      look <- looks_at(seeded_release(release, query))
      expect_identical(look$count, 2, info = name)
      expect_identical(numbers_of(look$value), numbers_of(memory), info = name)
      # beyond the budget
      unmet <- privacy_budget(rho = 1e-4)
      look <- looks_at(release(people, budget = unmet))
      expect_identical(look$count, 0, info = name)
      expect_s3_class(look$value, "dptda_error_budget")
      expect_identical(nrow(unmet$ledger), 0L)
      expect_length(releases_now$states, 0)
    }
    grid <- domain_grid(once_box, size = 5)
    look <- looks_at(bin_points(people, grid))
    expect_identical(look$count, 1)
    expect_identical(look$value, bin_points(data, grid))
  })
}

# So many rows ask what one row asks. The second moment of more rows has fewer digits, and rows are asked again.
many_rows <- 2^28

test_that("what is asked, and what it costs, does not depend on the number of rows", {
  data <- transform(once_data(), t = t == 1)
  rows <- list(count = data["t"], proportion = data["t"], count_by = data["k"], sum = data[c("x", "y")],
               mean = data[c("x", "y")], histogram = data["x"], histogram_by = data[c("x", "k")], table = data["k"])
  # all that a budget asks of a guarantee
  price_of <- function(mechanism) {
    own <- unclass(mechanism$guarantee)
    own[setdiff(names(own), c("public", "sensitivity", "n"))]
  }
  for (name in names(once_releases)) {
    mechanisms <- lapply(c(1, 200, many_rows), function(n) once_releases[[name]](unseen(n)))
    known <- table_rows(rows[[name]])
    statistics <- lapply(mechanisms, function(mechanism) statistic_of(mechanism$plan, known))
    for (i in 2:3) {
      expect_identical(statistics[[i]], statistics[[1]], info = name)
      expect_identical(price_of(mechanisms[[i]]), price_of(mechanisms[[1]]), info = name)
    }
  }
})

test_that("what fails after the look is not charged", {
  con <- local_sqlite(data.frame(x = c(1, NA, 3), y = 1:3))
  DBI::dbExecute(con, "CREATE TABLE nobody (x REAL, t INTEGER)")
  people <- dplyr::tbl(con, "people")
  nobody <- dplyr::tbl(con, "nobody")
  box <- domain_box(c(x = 0), 9)
  budget <- privacy_budget(epsilon = 9)
  bad <- function(code, words) expect_error(code, words, class = "dptda_error_argument")
  bad(private_mean(people, box, 1, budget = budget), "missing values")
  bad(private_histogram(people, 0:9, 1, columns = "x", budget = budget), "missing values")
  bad(private_mean(nobody, box, 1, budget = budget), "`x` must have at least 1 row")
  bad(private_proportion(nobody, 1, columns = "t", budget = budget), "`x` must have at least 1 row")
  bad(bin_points(nobody, domain_grid(box, size = 3)), "`x` must have at least 1 row")
  bad(private_mean(people, domain_box(c(z = 0), 9), 1, budget = budget), "no `z`")
  # more rows than there is room for
  many <- function(answer, rows, tables) rows$state$n <- 2^40
  with_replaced("check_total", many, bad(private_mean(people, domain_box(c(y = 0), 9), 1, budget = budget), "`bits`"))
  expect_identical(nrow(budget$ledger), 0L)
  # whoever makes an error of a warning
  with_replaced("announce_weak", function(mechanism) stop("no"), {
    expect_error(private_mean(people, domain_box(c(y = 0), 9), 1, budget = budget), "no", class = "simpleError")
  })
  expect_identical(nrow(budget$ledger), 0L)
  expect_length(releases_now$states, 0)
  expect_equal(private_sum(nobody, box, 1e9, bits = 2)$value[[1]], 0)
})

# Whatever a mechanism makes of n: what was asked for one row is the answer only if it is asked for all.
test_that("rows are asked again by a mechanism that asks something else for so many", {
  data <- once_data()
  people <- dplyr::tbl(local_sqlite(data), "people")
  mean_of <- once_releases$mean
  coarse <- suppressWarnings(seeded_release(mean_of, data, bits = 4))
  budget <- privacy_budget(rho = 9)
  look <- with_replaced("check_bits", function(bits, n, arg) if (n == 1) 20 else 4, {
    looks_at(seeded_release(mean_of, people, budget = budget))
  })
  expect_identical(look$count, 2)
  expect_identical(numbers_of(look$value), numbers_of(coarse))
  expect_equal(privacy(look$value)$public, privacy(coarse)$public)
  expect_identical(nrow(budget$ledger), 1L)
  # nor can what is asked for one row hang on n without a word
  for (name in names(once_releases)) {
    asked <- plan_without_n(once_releases[[name]](unseen(1))$plan)
    expect_identical(asked, plan_without_n(once_releases[[name]](unseen(many_rows))$plan), info = name)
    expect_null(asked$n)
  }
  # squares of so many rows lose digits
  expect_false(identical(plan_without_n(mean_of(unseen(1))$plan), plan_without_n(mean_of(unseen(2^30))$plan)))
})

test_that("rows that are read in an argument of a release are counted", {
  people <- dplyr::tbl(local_sqlite(once_data()), "people")
  rows <- NULL
  breaks_of <- function(x) {
    rows <<- table_rows(x, "y")
    -2:2
  }
  look <- looks_at(private_histogram(people, breaks_of(people), 1, columns = "x"))
  expect_s3_class(look$value, "dptda_private_histogram")
  expect_identical(look$count, 2) # of `rows`, and with the histogram
  expect_output(print(rows), "<rows> 200 rows")
})

test_that("what is wrong for any number of rows is said before a row is looked at", {
  people <- dplyr::tbl(local_sqlite(once_data()), "people")
  for (name in names(once_releases)) {
    release <- once_releases[[name]]
    look <- looks_at(with_replaced("check_cost", function(...) stop_argument("epsilon", "is wrong."), release(people)))
    expect_s3_class(look$value, "dptda_error_argument")
    expect_identical(look$count, 0, info = name)
  }
  look <- looks_at(private_count(people, -1, columns = "t"))
  expect_match(conditionMessage(look$value), "^`epsilon`")
  expect_identical(look$count, 0)
})

test_that("the budget is asked once, and the cells of a table are made once", {
  data <- transform(once_data(), t = t == 1)
  people <- dplyr::tbl(local_sqlite(once_data()), "people")
  count_calls <- function(name, code) {
    original <- get(name, asNamespace("dptda"))
    calls <- 0
    suppressWarnings(with_replaced(name, function(...) {
      calls <<- calls + 1
      original(...)
    }, code))
    calls
  }
  for (x in list(data, people)) {
    for (release in once_releases) expect_identical(count_calls("ask_budget", release(x)), 1)
    for (release in once_releases[c("histogram", "histogram_by", "table")]) {
      expect_identical(count_calls("public_cells", release(x)), 1)
    }
  }
})

# The mean of one row, with its noise, is beyond the doubles, and that of many is not.
test_that("where there is no mechanism for one row rows are counted first", {
  data <- data.frame(x = rep(0, 1000))
  con <- local_sqlite(data)
  box <- domain_box(c(x = -1e306), 1e306)
  expect_error(private_mean(unseen(1), box, 0.5, columns = "x"), class = "dptda_error_argument")
  look <- looks_at(seeded_release(private_mean, dplyr::tbl(con, "people"), box, 0.5, rng = "R"))
  expect_identical(look$count, 2)
  expect_identical(look$value$value, seeded_release(private_mean, data, box, 0.5, rng = "R")$value)
})

test_that("what is not all rows of a stored table is counted first: SQLite", {
  con <- local_sqlite(data.frame(x = c(0.5, 1, 3)))
  sql <- function(...) for (words in c(...)) DBI::dbExecute(con, words)
  sql("CREATE VIEW seen AS SELECT * FROM people", "CREATE TABLE `it``s \"one\"` AS SELECT * FROM people",
      "CREATE TEMPORARY TABLE mine AS SELECT * FROM people", "CREATE TABLE hidden AS SELECT * FROM people",
      "CREATE TEMPORARY VIEW HIDDEN AS SELECT * FROM people WHERE random() % 2 = 0", "CREATE TABLE Upper (x REAL)",
      "ATTACH ':memory:' AS other", "CREATE TABLE other.away AS SELECT * FROM people")
  stored <- function(x) has_all_rows(uncounted_rows(x, "x", "x"))
  people <- dplyr::tbl(con, "people")
  for (x in list(people, dplyr::select(people, x), dplyr::tbl(con, "mine"), dplyr::tbl(con, "upper"))) {
    expect_true(stored(x))
  }
  for (x in list(dplyr::tbl(con, "seen"), dplyr::tbl(con, "hidden"), dplyr::tbl(con, "away"),
                 dplyr::filter(people, x > 0), dplyr::mutate(people, x = x + 1), dplyr::distinct(people),
                 utils::head(people, 2), dplyr::tbl(con, dbplyr::sql("SELECT x FROM people")))) {
    expect_false(stored(x))
  }
  # a table of a module may give any rows
  made <- tryCatch(sql("CREATE VIRTUAL TABLE places USING rtree(id, x, y)"), error = identity)
  if (!inherits(made, "error")) expect_false(stored(dplyr::tbl(con, "places")))
})

# Of 6000 rows that are chosen with a chance of 0.9 each, two counts agree with a chance of 0.0121. That 7 of 60 do, or
# 5 of the 20 of the quick tests, happens once in 10^5 times.
for (database in names(databases)) {
  test_that(paste("rows that are chosen at random are counted twice:", database), {
    con <- databases[[database]](data.frame(x = rep(c(0, 1), 3000), k = 1:3))
    chance <- if (database == "sqlite") "ABS(random() % 100) < 90" else "random() < 0.9"
    DBI::dbExecute(con, paste("CREATE VIEW chosen AS SELECT * FROM people WHERE", chance))
    tables <- list(dplyr::tbl(con, "chosen"), dplyr::filter(dplyr::tbl(con, "people"), dplyr::sql(chance)))
    releases <- list(function(x) private_mean(x, c(0, 1), 1, columns = "x"),
                     function(x) private_histogram(x, c(0, 0.5, 1), 1, columns = "x"),
                     function(x) private_count(x, 1, by = list(k = 1:3)))
    through <- vapply(seq_len(long_or(60, 20)), function(i) {
      outcome <- tryCatch(suppressMessages(releases[[i %% 3 + 1]](tables[[i %% 2 + 1]])), error = identity)
      if (inherits(outcome, "error")) expect_s3_class(outcome, "dptda_error_database")
      !inherits(outcome, "error")
    }, NA)
    expect_lte(sum(through), long_or(6, 4))
  })
}
