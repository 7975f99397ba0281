# Columns as people have them: dates, times, durations, logical values, 64-bit integers, and the tables that hold them.

days <- as.Date("2023-06-15") + c(0, 17, 44.5, 101, 260, 260, 311)
year <- c(as.Date("2023-01-01"), as.Date("2025-01-01"))
bad <- function(code, what = "") expect_error(code, what, class = "dptda_error_argument")
value_of <- function(x) as.double(x$value)
seeded <- function(code) withr::with_seed(1511, code)
noiseless <- 1e6

test_that("a mean of dates is the date of the mean of their numbers, and so are quantiles and their intervals", {
  numbers <- as.double(days)
  ends <- as.double(year)
  for (spent in list(list(epsilon = 1), list(rho = 0.2))) {
    both <- lapply(list(list(days, year), list(numbers, ends)), function(data) {
      seeded(do.call(private_mean, c(data, spent, rng = "R")))
    })
    expect_identical(both[[1]]$value, structure(both[[2]]$value, class = "Date"))
    expect_identical(both[[1]]$noise, both[[2]]$noise)
    expect_identical(as.numeric(both[[1]]), as.numeric(both[[2]]))
    ends_of_numbers <- confint(both[[2]])
    expect_identical(as.double(sapply(confint(both[[1]]), as.double)),
                     as.double(cbind(floor(ends_of_numbers[, 1]), ceiling(ends_of_numbers[, 2]))))
    expect_s3_class(confint(both[[1]])[[1]], "Date")
    both <- lapply(list(list(days, year), list(numbers, ends)), function(data) {
      days <- if (is.numeric(data[[1]])) list(step = 1)
      seeded(do.call(private_quantile, c(data, list(c(a = 0.25, 0.5, 0.9)), spent, days, method = "counts", rng = "R")))
    })
    expect_identical(both[[1]]$value, structure(both[[2]]$value, class = "Date"))
    expect_s3_class(as.data.frame(both[[1]])$lower, "Date")
    expect_identical(sapply(as.data.frame(both[[1]])[3:5], as.double), as.matrix(as.data.frame(both[[2]])[3:5]))
  }
})

test_that("times are seconds, in a time zone that the box says or UTC; clocks that are put forward change nothing", {
  times <- as.POSIXct("2024-03-31 00:30:00", tz = "Europe/Berlin") + 1800 * 0:9
  ends <- as.POSIXct(c("2024-03-30", "2024-04-02"), tz = "America/New_York")
  release <- seeded(private_mean(times, ends, 1, rng = "R"))
  expect_identical(attr(release$value, "tzone"), "America/New_York")
  expect_identical(value_of(release), seeded(private_mean(as.double(times), as.double(ends), 1, rng = "R"))$value)
  expect_identical(attr(private_mean(times, structure(ends, tzone = NULL), 1)$value, "tzone"), "UTC")
  expect_match(format(domain_box(ends)), "2024-03-30")
  # by hours there is one that is not
  hours <- seq(as.POSIXct("2024-03-31", tz = "Europe/Berlin"), by = "hour", length.out = 6)
  counts <- private_histogram(times, hours, noiseless)
  expect_identical(unname(counts$counts), c(1, 2, 2, 2, 3))
  expect_equal(counts$breaks, hours)
  expect_equal(counts$mids, hours[-6] + 1800)
})

test_that("durations have the unit of the box, whatever unit the column has", {
  hours <- as.difftime(c(1, 30, 47, 5), units = "hours")
  box <- as.difftime(c(0, 2), units = "days")
  release <- private_mean(hours, box, noiseless)
  expect_s3_class(release$value, "difftime")
  expect_identical(units(release$value), "days")
  expect_equal(value_of(release), mean(c(1, 30, 47, 5)) / 24, tolerance = 1e-5)
  seconds <- hours
  units(seconds) <- "secs"
  expect_identical(class_numbers(seconds, "difftime hours"), as.double(hours))
  expect_equal(value_of(private_sum(seconds, box, noiseless)), 83 / 24, tolerance = 1e-5)
  expect_equal(value_of(private_mean(as.double(hours) / 24, box, noiseless)), 83 / 96, tolerance = 1e-5)
  bad(private_mean(hours, c(0, 48), 1), "durations too")
  wide <- domain_box(as.difftime(0, units = "hours"), as.difftime(3, units = "days"))
  expect_identical(wide$upper, 72)
  expect_identical(wide$classes, "difftime hours")
})

test_that("logical columns are 0 and 1 wherever numbers are taken", {
  flag <- rep(c(TRUE, FALSE, TRUE), c(3, 5, 2))
  frame <- data.frame(flag, x = seq(0, 1, length.out = 10))
  plain <- transform(frame, flag = as.double(flag))
  square <- domain_box(c(0, 0), c(1, 1))
  same <- function(f) expect_equal(seeded(f(frame)), seeded(f(plain)), ignore_attr = TRUE)
  same(function(x) private_mean(x, square, 1, rng = "R")$value)
  same(function(x) private_sum(x$flag, c(0, 1), 1, rng = "R")$value)
  same(function(x) private_quantile(x$flag, c(0, 1), 0.5, 1, rng = "R")$value)
  same(function(x) private_histogram(x, c(0, 0.5, 1), 1, columns = "flag", rng = "R")$value)
  same(function(x) private_covariance(x, square, rho = 1, rng = "R")$cov)
  same(function(x) distance_to_measure(x, cbind(0, 0), 0.3))
  same(function(x) private_mean(as.matrix(x), square, 1, rng = "R")$value)
  same(function(x) private_var(x, square, 1, rng = "R")$value)
  same(function(x) unclass(private_bounds(x, 100, rng = "R"))[c("lower", "upper")])
  same(function(x) private_mean(table_rows(x, "flag"), c(0, 1), 1, rng = "R")$value)
  expect_equal(private_mean(frame$flag, c(0, 1), noiseless)$value, 0.5, tolerance = 1e-4)
  bad(private_mean(c(TRUE, NA), c(0, 1), 1), "missing")
  bad(private_mean(data.frame(a = c(TRUE, NA)), c(0, 1), 1), "missing")
  bad(private_quantile(c(TRUE, NA), c(0, 1), 0.5, 1), "missing")
  expect_identical(encode_table(frame, table_schema(flag = schema_numeric(0, 1, 2)), "x")$codes[, 1],
                   as.integer(flag))
})

test_that("64-bit integers are their values, never the bits of a double", {
  skip_if_not_installed("bit64")
  texts <- c("0", "1", "-1", "4294967295", "4294967296", "-4294967296", "-4294967297", "2147483647", "2147483648",
             "-2147483648", "-2147483649", "9007199254740992", "-9007199254740992", "9223372036854775807",
             "-9223372036854775807", "1152921504606846977")
  whole <- bit64::as.integer64(texts)
  expect_identical(integer64_numbers(whole), as.double(texts))
  expect_identical(integer64_numbers(bit64::as.integer64(c(NA, 5L))), c(NA, 5))
  expect_identical(integer64_numbers(bit64::as.integer64(character())), double())
  many <- withr::with_seed(3, bit64::as.integer64(round(stats::runif(3e4, -2^50, 2^50))))
  expect_identical(integer64_numbers(many), as.double(many))
  # beyond what doubles can hold a value is on the same side of the box
  expect_silent(release <- private_mean(whole, c(-10, 2^33), noiseless))
  expect_equal(value_of(release), mean(pmin(pmax(as.double(texts), -10), 2^33)), tolerance = 1e-4)
  frame <- data.frame(x = seq_along(whole))
  frame$id <- whole
  expect_equal(private_mean(frame, domain_box(c(x = 0, id = 0), c(x = 20, id = 10)), noiseless)$value,
               c(x = 8.5, id = 71 / 16), tolerance = 1e-3)
  bad(private_mean(bit64::as.integer64(c(1, NA)), c(0, 1), 1), "missing")
  bad(private_quantile(bit64::as.integer64(c(1, NA)), c(0, 1), 0.5, 1), "missing")
  bad(private_table(bit64::as.integer64(c(1, NA)), 1, 1), "missing")
  expect_identical(private_table(whole, bit64::as.integer64(c(-1, 2^53)), noiseless)$value,
                   c(`-1` = 1, `9007199254740992` = 1, other = 14))
  expect_identical(unname(private_histogram(whole, bit64::as.integer64(c(-5, 0, 5)), noiseless)$value), c(7, 9))
  expect_identical(domain_box(bit64::as.integer64(c(1, 5))), domain_box(c(1, 5)))
})

test_that("dates are counted between dates, and at dates", {
  breaks <- seq(as.Date("2023-06-01"), as.Date("2024-06-01"), by = "month")
  counts <- private_histogram(days, breaks, noiseless)
  drawn <- graphics::hist(days, breaks, plot = FALSE, right = FALSE)
  expect_identical(unname(counts$counts), as.double(drawn$counts))
  expect_identical(counts$breaks, breaks)
  expect_identical(as.double(counts$mids), drawn$mids)
  expect_identical(names(counts)[c(1, 12)], c("< 2023-07-01", ">= 2024-05-01"))
  expect_s3_class(as.data.frame(counts)$lower, "Date")
  expect_identical(private_table(days, as.Date(c("2023-06-15", "2024-03-01")), noiseless)$value,
                   c("2023-06-15" = 1, "2024-03-01" = 2, other = 4))
  table <- data.frame(day = days, x = seq_along(days))
  both <- private_histogram(table, list(x = c(0, 4, 8), day = year), noiseless, columns = c("x", "day"))
  expect_identical(unname(both$counts), c(3, 4))
  expect_identical(both$breaks, list(x = c(0, 4, 8), day = year))
  expect_s3_class(both$mids$day, "Date")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_identical(plot(counts), counts)
  expect_no_error(plot(private_quantile(days, year, 0.5, 1)))
  for (words in c("months", "week", "2 years", "DSTday")) bad(private_histogram(days, words, 1), "read from the rows")
  bad(private_histogram(days, 12, 1), "at least 2")
  bad(private_histogram(days, rev(breaks), 1), "must increase")
  bad(private_histogram(days, 0:3, 1), "breaks as dates")
  bad(private_histogram(1:3, breaks, 1), "must hold dates")
  bad(private_table(days, "2023-06-15", 1), "`levels` must be of class")
  bad(private_table(days, as.Date(c("2023-06-15", "2023-06-15")), 1), "repeated")
})

test_that("dates at the ends of time are moved into the box, and missing ones are refused", {
  far <- as.Date(c(-Inf, Inf, 2932896, 1e300, -1e300), origin = "1970-01-01") # year 10000
  expect_equal(value_of(private_mean(far, year, noiseless)), mean(as.double(year)[c(1, 2, 2, 2, 1)]), tolerance = 1e-6)
  expect_identical(unname(private_histogram(far, year, noiseless)$counts), 5)
  leap <- as.Date(c("2024-02-28", "2024-02-29", "2024-03-01"))
  expect_identical(unname(private_table(leap, as.Date("2024-02-29"), noiseless)$value), c(1, 2))
  whole <- structure(as.integer(leap), class = "Date")
  expect_identical(typeof(whole), "integer")
  expect_identical(seeded(private_mean(whole, year, 1, rng = "R")), seeded(private_mean(leap, year, 1, rng = "R")))
  expect_identical(seeded(private_quantile(whole, year, 0.5, 1, rng = "R")$value),
                   seeded(private_quantile(leap, year, 0.5, 1, rng = "R")$value))
  for (absent in list(as.Date(c("2024-01-01", NA)), structure(c(NA, 5L), class = "Date"))) {
    bad(private_mean(absent, year, 1), "missing")
    bad(private_quantile(absent, year, 0.5, 1), "missing")
    bad(private_histogram(absent, year, 1), "missing")
  }
  old <- private_mean(far, c(as.Date("0001-01-01"), structure(2932896, class = "Date")), 1)
  expect_output(print(old), "[0-9] to -?[0-9]")
  # noise may put a mean where there is no calendar
  expect_output(print(private_mean(leap[1], c(as.Date("0001-01-01"), as.Date("9999-01-01")), 1e-5)), "[0-9] to -?[0-9]")
})

test_that("boxes remember what their sides are, and columns are matched to them", {
  expect_identical(domain_box(year)$classes, "Date")
  expect_null(domain_box(c(0, 1))$classes)
  box <- domain_box(list(day = year[1], age = 0), list(age = 100, day = year[2]))
  expect_identical(box$classes, c("Date", "number"))
  expect_output(print(box), "day \\[2023-01-01, 2025-01-01\\] x age \\[0, 100\\]")
  people <- data.frame(age = c(20, 30, 70), other = "a", day = days[1:3])
  release <- seeded(private_mean(people, box, 1, rng = "R"))
  plain <- seeded(private_mean(transform(people, day = as.double(day)),
                               domain_box(c(day = as.double(year[1]), age = 0), c(day = as.double(year[2]), age = 100)),
                               1, rng = "R"))
  expect_identical(release$value, plain$value)
  expect_output(print(release), "day 20[0-9-]+ .* to 20[0-9-]+\n")
  expect_identical(as.data.frame(domain_box(year))$lower, year[1])
  bad(private_mean(people[c(3, 1)], domain_box(c(day = 0, age = 0), c(day = 1, age = 1)), 1),
      "`day` is of class \"Date\"")
  bad(private_mean(people["age"], year, 1), "`x\\$age` must hold dates")
  bad(private_mean(people, domain_box(list(day = year[1], age = year[1]), list(day = year[2], age = year[2])), 1),
      "must hold dates")
  bad(domain_box(list(year[1], 0), list(1, year[2])), "same class as `lower`")
  bad(domain_box(rev(year)))
  bad(domain_box(c(year[1], NA)))
  bad(domain_box(list(a = year, b = 1), list(a = year, b = 1)))
  bad(private_sum(days, year, 1), "no sum")
  # as a matrix has no class its numbers are what the box says
  expect_identical(seeded(private_mean(cbind(as.double(days)), year, 1, rng = "R")$value),
                   seeded(private_mean(days, year, 1, rng = "R")$value))
  damaged <- domain_box(year)
  damaged$classes <- "Datum"
  bad(private_mean(days, damaged, 1))
})

test_that("bounds of dates are dates", {
  many <- as.Date("2023-01-01") + rep(0:699, 3)
  box <- private_bounds(many, 10, probs = c(0.05, 0.95))
  expect_identical(box$classes, "Date")
  expect_output(print(box), "\\[202[0-9]-")
  expect_s3_class(private_mean(many, box, 1)$value, "Date")
  expect_identical(private_bounds(data.frame(a = 1, day = many), 100, columns = "day")$classes, "Date")
  took <- as.difftime(rep(1:50, 10), units = "hours")
  expect_identical(private_bounds(took, 100)$classes, "difftime secs")
  expect_identical(private_bounds(took, 100)$upper, 2^18)
  expect_null(private_bounds(as.numeric(took), 100)$classes)
})

test_that("what is computed of dates keeps their guarantee, as numbers", {
  release <- private_mean(days, year, 1)
  later <- release + 1
  expect_identical(as.numeric(later), as.numeric(release) + 1)
  expect_s3_class(privacy(later), "dptda_guarantee")
  expect_null(attr(later, "classes"))
  expect_identical(length(release[0]), 0L)
  expect_identical(coef(release), release$value)
  found <- private_quantile(days, year, c(0.2, 0.8), 1)
  expect_identical(found["80%"]$value, found$value[2])
  expect_identical(rev(found)$value, rev(found$value))
  expect_output(print(found[[2]]), "20[0-9]{2}-")
  both <- private_mean(data.frame(x = 1:7, day = days), domain_box(list(x = 0, day = year[1]), list(8, year[2])), 1)
  expect_identical(both["day"]$value, structure(both$value["day"], class = "Date"))
  expect_output(print(both["day"]), "[0-9]{4}-.* to 20[0-9-]+\n")
  expect_output(print(summary(release)), "20[0-9]{2}-")
  expect_s3_class(as.data.frame(release)$value, "Date")
  expect_match(format(release), "^[0-9]{4}-")
})

test_that("tables are the same whatever holds them", {
  frame <- data.frame(day = days, x = seq_along(days), flag = seq_along(days) %% 2 == 0)
  box <- domain_box(list(day = year[1], x = 0), list(day = year[2], x = 8))
  wanted <- seeded(private_mean(frame, box, 1, rng = "R"))
  if (requireNamespace("tibble", quietly = TRUE)) {
    expect_identical(seeded(private_mean(tibble::as_tibble(frame), box, 1, rng = "R")), wanted)
  }
  of_data_table <- structure(frame, class = c("data.table", "data.frame"))
  expect_identical(seeded(private_mean(of_data_table, box, 1, rng = "R")), wanted)
  subclass <- structure(days, class = c("IDate", "Date"))
  expect_identical(seeded(private_mean(subclass, year, 1, rng = "R")$value),
                   seeded(private_mean(days, year, 1, rng = "R")$value))
})

test_that("matrices of the package Matrix are matrices", {
  skip_if_not_installed("Matrix")
  points <- matrix(c(0, 0, 1, 0, 0, 2, 0, 0), 4, dimnames = list(NULL, c("a", "b")))
  box <- domain_box(c(b = 0, a = 0), c(b = 2, a = 1))
  for (x in list(Matrix::Matrix(points, sparse = TRUE), Matrix::Matrix(points, sparse = FALSE),
                 methods::as(Matrix::Matrix(points, sparse = TRUE), "TsparseMatrix"))) {
    expect_identical(seeded(private_mean(x, box, 1, rng = "R")), seeded(private_mean(points, box, 1, rng = "R")))
    expect_identical(seeded(private_mean(table_rows(x, "a"), c(0, 1), 1, rng = "R")$value),
                     seeded(private_mean(points, c(0, 1), 1, columns = "a", rng = "R")$value))
    expect_identical(distance_to_measure(x, cbind(0, 0), 0.5), distance_to_measure(points, cbind(0, 0), 0.5))
  }
  expect_identical(seeded(private_mean(Matrix::Matrix(points > 0), domain_box(c(0, 0), c(1, 1)), 1, rng = "R")$value),
                   seeded(private_mean((points > 0) * 1, domain_box(c(0, 0), c(1, 1)), 1, rng = "R")$value))
})

test_that("other classes are refused by their name, with what to do", {
  bad(private_mean(as.POSIXlt(days), year, 1), "POSIXlt.*as.POSIXct\\(\\)")
  frame <- data.frame(x = 1:7)
  frame$when <- as.POSIXlt(days)
  bad(private_mean(frame["when"], year, 1), "`when`.*POSIXlt.*as.POSIXct\\(\\)")
  bad(private_quantile(frame, year, 0.5, 1, columns = "when"), "`when`.*POSIXlt.*as.POSIXct\\(\\)")
  bad(private_mean(as.POSIXct(days), year, 1), "as.Date\\(\\) with a public")
  bad(private_mean(days, as.POSIXct(year), 1), "as.POSIXct\\(\\) to convert dates to times")
  bad(private_mean(format(days), year, 1), "as.Date\\(\\) to convert text")
  for (class in c("yearmon", "ITime", "units", "number", "Date")) {
    x <- structure(if (class == "Date") format(days) else c(1, 2), class = class)
    bad(private_mean(x, c(0, 1), 1))
    bad(private_quantile(x, c(0, 1), 0.5, 1))
    bad(private_histogram(x, c(0, 1), 1))
    bad(private_table(x, 1, 1))
  }
  bad(private_mean(structure(1:2, class = "difftime", units = "fortnights"), c(0, 1), 1))
  expect_identical(private_table(factor("a", ordered = TRUE), "a", noiseless)$value, c(a = 1, other = 0))
})

# What it can hold, a database gives as memory does.
for (database in c("sqlite", "postgres", "duckdb")) {
  test_that(paste("a database gives what memory gives:", database), {
    make <- list(sqlite = local_sqlite, postgres = local_postgres, duckdb = local_duckdb)[[database]]
    data <- data.frame(day = structure(floor(as.double(days)), class = "Date"), flag = seq_along(days) %% 3 == 0,
                       at = as.POSIXct("2024-03-31 00:30:00", tz = "UTC") + 1800 * seq_along(days),
                       x = seq_along(days) / 7)
    table <- dplyr::tbl(make(data), "people")
    hours <- as.POSIXct("2024-03-31", tz = "UTC") + 3600 * c(0, 1, 2, 5)
    releases <- list(
      function(x) private_mean(x, year, 1, columns = "day", rng = "R"),
      function(x) private_mean(x, domain_box(list(day = year[1], x = 0), list(day = year[2], x = 1)), 1, rng = "R"),
      function(x) private_mean(x, c(0, 1), 1, columns = "flag", rng = "R"),
      function(x) private_quantile(x, c(0, 1), 0.5, 1, columns = "flag", rng = "R"),
      function(x) private_quantile(x, year, c(0.2, 0.9), 1, columns = "day", rng = "R"),
      function(x) private_mean(x, range(hours), 1, columns = "at", rng = "R"),
      function(x) private_histogram(x, hours, 1, columns = "at", rng = "R"),
      function(x) private_histogram(x, seq(year[1], year[2], by = "month"), 1, columns = "day", rng = "R"),
      function(x) private_table(x, data$day[c(1, 5)], 1, columns = "day", rng = "R"),
      function(x) private_covariance(x, domain_box(c(flag = 0, x = 0), c(flag = 1, x = 1)), rho = 1, rng = "R")
    )
    for (release in releases) {
      parts <- function(x) if (is.list(x)) list(x$cov) else list(x$value, x$noise, as.data.frame(x), summary(x)$table)
      expect_identical(parts(seeded(release(table))), parts(seeded(release(data))))
    }
    # SQLite has no dates: numbers are taken for them
    if (database == "postgres") bad(private_mean(table, year, 1, columns = "x"), "must hold dates")
    DBI::dbExecute(dbplyr::remote_con(table), "INSERT INTO people VALUES (NULL, NULL, NULL, NULL)")
    bad(private_mean(table, year, 1, columns = "day"), "missing")
    bad(private_mean(table, c(0, 1), 1, columns = "flag"), "missing")
    bad(private_mean(table, range(hours), 1, columns = "at"), "missing")
  })
}

test_that("PostgreSQL: dates without an end, and times with a zone", {
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE TABLE people (day date, at timestamptz, local timestamp)")
  DBI::dbExecute(con,
                 paste("INSERT INTO people VALUES ('infinity', 'infinity', '-infinity'), ('-infinity', '-infinity',",
                            "'infinity'), ('5874897-12-31', '294276-12-31 00:00Z', '4713-01-01 BC'), ('4713-01-01 BC',",
                            "'2024-01-01 00:00+01', '2024-01-01')"))
  table <- dplyr::tbl(con, "people")
  # three of four are beyond the ends on each side, or inside
  expect_identical(unname(private_histogram(table,
                                            c(as.Date("2000-01-01"), as.Date("2020-01-01"), as.Date("2040-01-01")),
                                            noiseless, columns = "day")$value), c(2, 2))
  zulu <- as.POSIXct(c("2023-12-31 00:00", "2023-12-31 23:00", "2024-01-01 00:00", "2024-01-02 00:00"), tz = "UTC")
  expect_identical(unname(private_histogram(table, zulu, noiseless, columns = "at")$value), c(1, 1, 2))
  expect_identical(unname(private_histogram(table, zulu, noiseless, columns = "local")$value), c(2, 0, 2))
  bad(private_mean(table, c(0, 1), 1, columns = "day"), "box or the breaks as dates")
  bad(private_mean(table, year, 1, columns = "at"), "as.Date")
  expect_identical(suppressWarnings(private_bounds(table, 1000, columns = "day"))$classes, "Date")
})

test_that("a database of which it is not known how it has dates says so", {
  rows <- database_rows(dbplyr::lazy_frame(day = days[1], con = dbplyr::simulate_mssql()), "day", "Date", 3, "x")
  rows$dialect$answers <- TRUE
  bad(class_rows(rows, "Date"), "cannot be read as numbers")
})

test_that("time series are vectors and matrices", {
  drawn <- function(f, x, ...) {
    set.seed(1)
    as.vector(f(x, ..., epsilon = 1, rng = "R"))
  }
  for (f in list(private_mean, private_sum, private_sd, private_median)) {
    expect_identical(drawn(f, Nile, c(400, 1400)), drawn(f, as.vector(Nile), c(400, 1400)))
  }
  expect_identical(drawn(private_histogram, Nile, seq(400, 1400, 100)),
                   drawn(private_histogram, as.vector(Nile), seq(400, 1400, 100)))
  expect_identical(drawn(private_count, Nile > 900), drawn(private_count, as.vector(Nile) > 900))
  box <- list(DAX = c(1000, 7000), FTSE = c(1000, 7000))
  for (x in list(EuStockMarkets[, c("DAX", "FTSE")], data.frame(one = Nile, two = Nile, DAX = Nile, FTSE = Nile))) {
    plain <- as.data.frame(lapply(as.data.frame(x), as.vector))
    expect_identical(drawn(private_mean, x, box), drawn(private_mean, plain, box))
  }
  kept <- structure(c(1, NA, 3), tsp = c(1, 3, 1), class = "ts")
  expect_error(private_mean(kept, c(0, 1), epsilon = 1), "missing", class = "dptda_error_argument")
  expect_error(private_mean(structure(list(1), class = "ts"), c(0, 1), epsilon = 1), class = "dptda_error_argument")
  expect_error(private_count(structure(1:3, tsp = c(1, 3, 1), class = "ts"), epsilon = 1),
               class = "dptda_error_argument")
})

test_that("intervals of dates are days, rounded outwards, and pictures show dates", {
  set.seed(72)
  days <- as.Date("2024-01-01") + sample(365, 300, TRUE)
  released <- private_mean(days, as.Date(c("2024-01-01", "2024-12-31")), epsilon = 5)
  ends <- confint(released)
  expect_equal(as.numeric(ends[[1]]) %% 1, 0)
  expect_true(as.numeric(ends[[1]]) <= as.numeric(released) && as.numeric(ends[[2]]) >= as.numeric(released))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_silent(plot(released))
})

test_that("times of day come back as such, and the noise of times has a unit that can be read", {
  x <- hms_of(3600 * rep(8:12, 80))
  box <- hms_of(c(0, 86400))
  mean <- private_mean(x, box, epsilon = 1)
  expect_s3_class(mean$value, c("hms", "difftime"), exact = TRUE)
  expect_output(print(mean), "(09|10)(:[0-5][0-9]){2} +(09|10)(:[0-5][0-9]){2} to (09|10)(:[0-5][0-9]){2}")
  expect_identical(width_words(value_half_width(mean), "difftime hms"), "10.8 mins")
  expect_s3_class(private_median(x, box, epsilon = 1)$value, "hms")
  expect_output(print(private_median(x, box, epsilon = 1)), "50% 10:0[0-2]:[0-9]{2}")
  # the same numbers as those of seconds
  seconds <- function(x) as.difftime(as.double(x), units = "secs")
  as_seconds <- with_seed(3, private_mean(seconds(x), seconds(box), epsilon = 1, rng = "R"))
  expect_identical(as.double(with_seed(3, private_mean(x, box, epsilon = 1, rng = "R"))$value),
                   as.double(as_seconds$value))
  expect_identical(with_seed(3, private_mean(x, seconds(box), epsilon = 1, rng = "R"))$value, as_seconds$value)
  expect_identical(private_bounds(x, 100)$classes, "difftime hms")
  expect_output(print(private_bounds(x, 100)), "04:33:04")
  expect_identical(class_labels(c(0, -1.5, 30600.25, Inf, 1e13), "difftime hms"),
                   c("00:00:00", "-00:00:01.5", "08:30:00.25", "Inf", "10000000000000"))
  expect_s3_class(simulate(private_synthesis(data.frame(at = x), table_schema(at = schema_numeric(box, cells = 24)), 1),
                           3)$at, "hms")
  # half a year with a noise of hours and of days
  year <- as.POSIXct(c("2024-01-01", "2024-12-31"), tz = "UTC")
  for (times in c(500, 5000)) {
    half_year <- private_mean(rep(year, times), year, epsilon = 1)
    expect_output(print(half_year), "UTC 2024-[0-9-]+ [0-9:]+ UTC to 2024-[0-9-]+ [0-9:]+ UTC")
    expect_match(width_words(value_half_width(half_year), "POSIXct UTC"), if (times == 500) "1[.]09 days" else
      "2[.]6[0-9] hours")
  }
  expect_identical(width_words(0.5, "POSIXct UTC"), "0.5 secs")
})

test_that("axes of times of day and of durations have their units", {
  hours <- duration_marks(c(7.2, 12) * 3600, "difftime hms")
  expect_identical(hours, list(at = 8:12 * 3600, labels = c("08:00", "09:00", "10:00", "11:00", "12:00")))
  expect_identical(duration_marks(c(30600, 33000), "difftime hms")$labels,
                   c("08:30", "08:40", "08:50", "09:00", "09:10"))
  expect_identical(duration_marks(c(59, 61.5), "difftime hms")$labels, c("00:00:59", "00:01:00", "00:01:01"))
  expect_match(duration_marks(c(0, 1), "difftime hms")$labels[2], "^00:00:00[.]")
  expect_true(all(lengths(duration_marks(c(0, 1e9), "difftime hms")) >= 2))
  expect_identical(duration_marks(c(0, 600), "difftime mins")$labels,
                   c("0 mins", "200 mins", "400 mins", "600 mins"))
  frame <- data.frame(time = as.difftime(seq(1, 8, length.out = 200), units = "hours"), day = as.Date("2024-01-01"),
                      g = c("a", "b"))
  box <- as.difftime(c(0, 8), units = "hours")
  days <- as.Date(c("2023-01-01", "2025-01-01"))
  labels <- character()
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  with_replaced("class_marks", function(ends, class) {
    labels <<- c(labels, class)
    list(at = ends, labels = c("", ""))
  }, {
    plot(private_quantile(frame, box, c(0.25, 0.5), 5, columns = "time"))
    plot(private_quantile(frame, box, c(0.25, 0.5), 5, columns = "time"), xaxt = "n")
    plot(private_mean(frame, box, 5, columns = "time"))
    plot(private_mean(frame, days, 5, columns = "day", by = list(g = c("a", "b"))))
    plot(private_histogram(frame, as.difftime(seq(0, 8, 2), units = "hours"), 5, columns = "time"))
  })
  expect_identical(labels, c("difftime hours", "difftime hours", "Date", "difftime hours"))
})

test_that("standard deviations and variances of dates and durations say their units", {
  frame <- data.frame(day = as.Date("2024-01-01") + 0:99, time = as.difftime(0:99, units = "mins"), x = 0:99)
  days <- as.Date(c("2024-01-01", "2024-06-01"))
  expect_output(print(private_sd(frame, days, 10, columns = "day")), "\nin days\n")
  expect_output(print(private_var(frame, days, 10, columns = "day")), "\nin squared days\n")
  box <- list(day = days, x = c(0, 99), time = as.difftime(c(0, 99), units = "mins"))
  expect_output(print(private_sd(frame, box, 10)), "\n`day` in days, `time` in mins\n")
  expect_output(print(private_sd(frame$time, hms_of(c(0, 5940)), 10)), "\nin seconds\n")
  expect_no_match(utils::capture.output(print(private_sd(frame$x, c(0, 99), 10))), "^in ")
})

test_that("centers are printed as dates where columns are dates, and pictures have an axis for each kind", {
  frame <- data.frame(x = rep(c(2, 8), 200), day = as.Date("2024-03-01") + rep(c(0, 100), 200),
                      time = as.POSIXct("2024-03-01 12:00", tz = "UTC"))
  box <- list(x = c(0, 10), day = as.Date(c("2024-01-01", "2024-12-31")))
  expect_output(print(private_kmeans(frame, box, 2, rho = 50)), "2024-[0-9]{2}-[0-9]{2}")
  expect_output(print(private_mixture(frame, box, 2, rho = 50)), "mean day.* 2024-")
  expect_output(print(private_covariance(frame, box, rho = 50)), "day 2024-")
  expect_identical(class_marks(c(0, 7200), "POSIXct UTC")$labels[1:2], c("1970-01-01 00:00", "1970-01-01 00:30"))
  expect_identical(class_marks(c(0, 1), "number")$labels[1:2], c("0.0", "0.2"))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(private_mean(frame, box, 5)))
  days <- as.POSIXct(c("2024-03-01", "2024-03-03"), tz = "UTC")
  expect_invisible(plot(private_mean(frame, days, 5, columns = "time")))
})

test_that("pictures of ggplot2 say the units of durations", {
  skip_if_not_installed("ggplot2")
  time <- as.difftime(0:199, units = "mins")
  box <- as.difftime(c(0, 199), units = "mins")
  made <- list(private_quantile(time, box, 1:3 / 4, 5), private_mean(time, box, 5),
               private_histogram(time, as.difftime(c(0, 100, 199), units = "mins"), 5))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  for (one in made) {
    expect_silent(print(picture <- ggplot2::autoplot(one)))
    built <- ggplot2::ggplot_build(picture)$layout$panel_params[[1]]
    labels <- unlist(lapply(built[c("x", "y")], function(axis) axis$get_labels()))
    expect_match(labels, "^[0-9.]+ mins$", all = FALSE)
  }
})
