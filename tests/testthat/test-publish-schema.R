# Schemas and the codes of rows: against tables of R.

people <- function() {
  data.frame(age = c(-5, 0, 4.9, 5, 50, 99.9, 100, 1e9, Inf, -Inf), sex = rep(c("f", "m", "x", "f", "m"), 2),
             grade = factor(rep(c("mid", "low"), 5), levels = c("mid", "low", "none")), member = rep(c(TRUE, FALSE), 5),
             stringsAsFactors = FALSE)
}
people_schema <- function() {
  table_schema(age = schema_numeric(0, 100, cells = 20), sex = c("f", "m"),
               grade = schema_categorical(c("low", "mid", "high"), ordered = TRUE, other = "low"),
               member = schema_logical())
}

test_that("rows become codes, clamped and with a cell for all else", {
  source <- encode_table(people(), people_schema(), "people")
  expect_identical(source$sizes, c(age = 20L, sex = 3L, grade = 3L, member = 2L))
  expect_identical(source$codes[, 1], c(0L, 0L, 0L, 1L, 10L, 19L, 19L, 19L, 19L, 0L))
  expect_identical(source$codes[, 2], rep(c(0L, 1L, 2L, 0L, 1L), 2))
  expect_identical(source$codes[, 3], rep(c(1L, 0L), 5))
  expect_identical(source$codes[, 4], rep(c(1L, 0L), 5))
})

test_that("columns are found by name, whatever their order, and further ones are not looked at", {
  data <- people()
  other <- cbind(when = as.Date("2020-01-01") + 1:10, data[4:1])
  expect_identical(encode_table(other, people_schema(), "x"), encode_table(data, people_schema(), "x"))
  expect_error(encode_table(data[-2], people_schema(), "data"), "`sex`, but `data` does not",
               class = "dptda_error_argument")
})

test_that("codes are those of the cells of a private histogram", {
  set.seed(1)
  x <- c(stats::rnorm(1000, 50, 40), (0:60) * 5 / 3)
  source <- encode_table(data.frame(x), table_schema(x = schema_numeric(0, 100, cells = 60)), "x")
  expect_identical(tabulate(source$codes + 1, 60),
                   as.integer(dense_counts(count_rows(list_rows(list(x), NULL),
                                                      list(cell_table(list(axis_cells(0, 100, 60)))))[[1]], 60)))
  source <- encode_table(data.frame(x), table_schema(x = schema_numeric(0, 100, breaks = c(1, 10, 50))), "x")
  expect_identical(source$codes[, 1], as.integer(cut(pmin(pmax(x, 0), 100), c(-Inf, 1, 10, 50, Inf),
                                                     right = FALSE)) - 1L)
})

test_that("missing values are refused, or have the cell that the schema says", {
  data <- data.frame(a = c(1, NaN, 3), b = c("u", NA, "v"), c = c(TRUE, NA, FALSE), d = addNA(factor(c("u", NA, "v"))))
  for (name in names(data)) {
    column <- switch(name, a = schema_numeric(0, 4, 4), c = schema_logical(), schema_categorical(c("u", "v")))
    expect_error(encode_table(data, do.call(table_schema, structure(list(column), names = name)), "data"),
                 paste0("`data$", name, "` must not contain missing values. Write ", name, " = schema_"),
                 fixed = TRUE, class = "dptda_error_argument")
  }
  schema <- table_schema(a = schema_numeric(0, 4, 4, missing = "level"),
                         b = schema_categorical(c("u", "v"), missing = "other"),
                         c = schema_logical(missing = "level"),
                         d = schema_categorical(c("v", "u"), ordered = TRUE, other = "v", missing = "level"))
  expect_identical(schema_sizes(schema), c(a = 5L, b = 3L, c = 3L, d = 3L))
  source <- encode_table(data, schema, "data")
  expect_identical(source$codes, cbind(c(1L, 4L, 3L), c(0L, 2L, 1L), c(1L, 2L, 0L), c(1L, 2L, 0L)))
  back <- decode_table(source$codes, schema, "R")
  expect_identical(is.na(back$a), c(FALSE, TRUE, FALSE))
  expect_identical(as.character(back$b), c("u", "other", "v"))
  expect_identical(back$c, data$c)
  expect_identical(as.character(back$d), c("u", NA, "v"))
  expect_s3_class(back$d, "ordered")
})

test_that("what is drawn within a cell falls into it again", {
  set.seed(2)
  schema <- table_schema(a = schema_numeric(-1, 1, 7), b = schema_numeric(0, 30, 20, whole = TRUE),
                         c = schema_numeric(0, 10, breaks = c(.1, 3)))
  codes <- sapply(schema_sizes(schema), function(size) sample.int(size, 500, replace = TRUE) - 1L)
  back <- decode_table(codes, schema, "R")
  expect_identical(unname(encode_table(back, schema, "back")$codes), unname(codes))
  expect_true(all(back$b == floor(back$b)))
  expect_setequal(back$b, 0:30)
})

test_that("classes whose numbers are not what they seem are refused by their class", {
  data <- data.frame(when = as.Date("2020-01-01") + 0:1)
  for (column in list(schema_numeric(0, 1), schema_categorical("a"), schema_logical())) {
    expect_error(encode_table(data, table_schema(when = column), "data"),
                 "`data\\$when`.*class \"Date\"|class \"Date\", like `data\\$when`", class = "dptda_error_argument")
  }
  expect_error(encode_table(data.frame(a = "x"), table_schema(a = schema_numeric(0, 1)), "d"),
               "`d\\$a` must hold numbers, not strings")
  expect_error(encode_table(data.frame(a = 1), table_schema(a = schema_logical()), "d"), "logical")
  expect_error(encode_table(matrix(1, 1, 1), table_schema(a = c("x")), "d"), "data frame",
               class = "dptda_error_argument")
  expect_error(encode_table(data.frame(a = character()), table_schema(a = c("x")), "d"), "at least one row")
})

test_that("schemas refuse what cannot be one", {
  bad <- function(code) expect_error(code, class = "dptda_error_argument")
  bad(table_schema())
  bad(table_schema(c("a", "b")))
  bad(table_schema(a = c("a", "a")))
  bad(table_schema(a = NULL))
  bad(table_schema(a = c("a", NA)))
  bad(table_schema(a = 1, a = 2))
  bad(do.call(table_schema, structure(rep(list("u"), 257), names = paste0("c", 1:257))))
  bad(schema_numeric(1, 1))
  bad(schema_numeric(0, Inf))
  bad(schema_numeric(0, 1, cells = 0))
  bad(schema_numeric(0, 1, cells = 1e5))
  bad(schema_numeric(0, 1, cells = 2, whole = NA))
  bad(schema_numeric(0, 1, breaks = c(.5, .5)))
  bad(schema_numeric(0, 1, breaks = 1))
  bad(schema_numeric(0.2, 4, cells = 20, whole = TRUE))
  bad(schema_numeric(1, 1 + 2^-50, cells = 100))
  bad(schema_numeric(0, 1, missing = "other"))
  bad(schema_categorical("missing", missing = "level"))
  bad(schema_categorical("a", other = NA_character_))
  bad(schema_categorical())
  bad(schema_categorical(ordered = TRUE))
  # which is no function that is to be called
  bad(schema_categorical("a", ordered = TRUE, missing = function(...) stop("called")))
  bad(schema_from_data(1))
  bad(schema_from_dictionary(1))
  bad(schema_from_dictionary(data.frame(column = "a", type = "logical"), separator = ""))
})

test_that("`missing` is also TRUE or FALSE", {
  made <- list(function(...) schema_numeric(0, 1, ...), function(...) schema_date("2020-01-01", "2021-01-01", ...),
               function(...) schema_categorical(c("u", "v"), ...), schema_logical)
  for (make in made) {
    expect_identical(make(missing = TRUE), make(missing = "level"))
    expect_identical(make(missing = FALSE), make(missing = "refuse"))
    for (bad in list(NA, c(TRUE, FALSE), 1, "yes")) {
      expect_error(make(missing = bad), "`missing` must be one of \"refuse\"", class = "dptda_error_argument")
    }
  }
})

test_that("schema_numeric() takes both bounds as one pair", {
  expect_identical(schema_numeric(c(0, 100), cells = 5), schema_numeric(0, 100, cells = 5))
  expect_identical(schema_numeric(c(0L, 100L), breaks = 18), schema_numeric(0, 100, breaks = 18))
  expect_identical(schema_numeric(domain_box(-1, 3)), schema_numeric(-1, 3))
  released <- private_bounds(rep(c(.3, 5, 7), 1000), epsilon = 5, rng = "R")
  expect_identical(schema_numeric(released), schema_numeric(released$lower, released$upper))
  refused <- function(words, ...) {
    expect_error(schema_numeric(...), words, fixed = TRUE, class = "dptda_error_argument")
  }
  refused("`upper` must be left out if `lower` is a pair", c(0, 100), 10)
  refused("`upper`", c(100, 0))
  refused("`lower`", c(NA, 1))
  refused("`lower`", 1:3)
  refused("`upper`", c(0, Inf))
  refused("a box with one side, such as c(lower, upper), not 2", domain_box(c(0, 0), c(1, 1)))
  refused("`upper`", 0)
})

test_that("schema_categorical(): levels have an order where it is said", {
  grade <- schema_categorical(c("low", "mid"), ordered = TRUE, other = "low")
  expect_identical(grade$type, "ordered")
  expect_output(print(grade), "ordered, 2 cells")
  drawn <- decode_table(matrix(0:1), table_schema(a = grade), "R")$a
  expect_identical(drawn, factor(c("low", "mid"), levels = c("low", "mid"), ordered = TRUE))
  expect_identical(schema_from_data(data.frame(a = drawn))$columns$a$type, "ordered")
  expect_error(schema_categorical("a", ordered = NA), "`ordered`", class = "dptda_error_argument")
  # what the types were called before is answered by what they are called
  for (type in c("ordinal", "truth")) {
    expect_error(schema_from_dictionary(data.frame(column = "a", type = type)),
                 '"numeric", "categorical", "ordered", "logical", "date" in the column `type`, not', fixed = TRUE,
                 class = "dptda_error_argument")
  }
})

# c(0, 100) is two levels to one reader and two bounds to another; all other ages would be "other", without a word.
test_that("strings, and three numbers or more, are short for levels", {
  short <- function(x) table_schema(age = x)
  refused <- function(x, words) expect_error(short(x), words, fixed = TRUE, class = "dptda_error_argument")
  # all rows would be of the one cell `other`, without a word
  refused(character(), "not a character vector of length 0")
  refused(c(0, 100), "schema_numeric(0, 100)")
  refused(c(0, 100), 'c("0", "100")')
  refused(c(0L, 100L), "schema_numeric(0, 100)")
  refused(c(0.1, 2^70), 'c("0.1", "1.18059162071741e+21")')
  for (x in list(1, c(100, 0), c(0, NA), c(0, Inf), c(NaN, NaN), numeric(), matrix(1:2, 1), matrix(1:4, 2))) {
    refused(x, "schema_numeric(lower, upper)")
  }
  expect_identical(short(5:9), short(schema_categorical(5:9)))
  expect_identical(short(c(2, 0.5, 1)), short(schema_categorical(c(2, 0.5, 1))))
  refused(c(1, 2, 2), "repeated")
  refused(c(1, 2, NA), "missing")
  refused(1:20000, "at most 10,000")
  expect_identical(short(c(FALSE, TRUE)), short(schema_logical()))
  expect_identical(short(c(no = TRUE, yes = FALSE)), short(schema_logical()))
  for (x in list(TRUE, NA, c(TRUE, NA), c(TRUE, TRUE), c(TRUE, FALSE, NA))) refused(x, "schema_logical()")
  # of a factor, which may be a column of the data, the labels that occur would count, and not those that may
  refused(factor("x", levels = c("x", "y")), "levels()")
  expect_identical(short(c("0", "100"))$columns$age$names, c("0", "100", "other"))
  expect_identical(encode_table(data.frame(age = c(0, 100, 50)), short(c("0", "100")), "data")$codes[, 1], 0:2)
  expect_identical(short(schema_categorical(c(0, 100)))$columns$age$names, c("0", "100", "other"))
})

# In a spreadsheet of another country there is another separator.
test_that("a string of a dictionary without the separator is an error that says which is expected", {
  levels_of <- function(levels, ...) {
    dictionary <- data.frame(column = "a", type = "categorical")
    dictionary$levels <- levels
    schema_from_dictionary(dictionary, ...)$columns$a$axis$levels
  }
  refused <- function(levels) {
    expect_error(levels_of(levels), 'row 1: `levels` has no separator, "|"', fixed = TRUE,
                 class = "dptda_error_argument")
  }
  for (levels in c("N;S", "N", "N, S", "")) refused(levels)
  refused(list("N;S"))
  expect_identical(levels_of("N;S", separator = ";"), c("N", "S"))
  # one level is meant where a separator follows it, or where it is a vector of a list and no string
  expect_identical(levels_of("N|"), "N")
  expect_identical(levels_of(list(5)), 5)
  expect_error(levels_of(5), "row 1: `levels`", class = "dptda_error_argument")
})

test_that("a dictionary gives what the functions give", {
  dictionary <- data.frame(column = c("age", "sex", "grade", "member"),
                           type = c("numeric", "categorical", "ordered", "logical"),
                           lower = c(0, NA, NA, NA), upper = c(100, NA, NA, NA), cells = c(20, NA, NA, NA),
                           levels = c(NA, "f|m", "low|mid|high", NA), other = c(NA, NA, "low", NA))
  expect_identical(schema_from_dictionary(dictionary), people_schema())
  listed <- dictionary
  listed$levels <- list(NULL, c("f", "m"), c("low", "mid", "high"), NULL)
  listed$type <- factor(listed$type)
  expect_identical(schema_from_dictionary(listed), people_schema())
  wrong <- dictionary
  wrong$upper[1] <- -1
  expect_error(schema_from_dictionary(wrong), "row 1: `upper`", class = "dptda_error_argument")
  wrong <- dictionary
  wrong$type[2] <- "text"
  expect_error(schema_from_dictionary(wrong), "\"text\"", class = "dptda_error_argument")
  expect_error(schema_from_dictionary(dictionary[-1]), "`column`", class = "dptda_error_argument")
  expect_error(schema_from_dictionary(rbind(dictionary, dictionary)), "different name", class = "dptda_error_argument")
})

test_that("a schema that was read from the data says so", {
  data <- people()
  data$age[c(4, 9, 10)] <- c(NA, 0, 0)
  schema <- schema_from_data(data)
  expect_identical(schema$origin, "data")
  # a column that was read from the data stays so, in whatever schema
  expect_identical(do.call(table_schema, schema$columns)$origin, "data")
  mixed <- table_schema(mine = schema_logical(), theirs = schema$columns[[1]])
  expect_identical(mixed$origin, "data")
  expect_output(print(schema$columns[[1]]), "NOT PRIVATE")
  mixed$origin <- "declared"
  expect_error(summary(mixed), class = "dptda_error_argument")
  expect_output(print(schema), "READ FROM THE DATA: NOT PRIVATE")
  expect_identical(schema_sizes(schema), c(age = 21L, sex = 3L, grade = 2L, member = 2L))
  expect_identical(schema$columns$grade$names, c("mid", "low"))
  expect_identical(encode_table(data, schema, "x")$codes[4, 1], 20L)
  expect_identical(schema_sizes(schema_from_data(data.frame(a = c(3.5, 3.5)), cells = 4)), c(a = 4L))
  expect_identical(schema_sizes(schema_from_data(data.frame(a = c(NA, Inf)), cells = 4)), c(a = 5L))
  for (end in c(-1.7e308, 1.7e308)) {
    expect_true(all(is.finite(schema_from_data(data.frame(a = end))$columns$a$breaks)))
  }
  expect_error(schema_from_data(data.frame(a = c(-1.7e308, 1.7e308))), "`x\\$a`", class = "dptda_error_argument")
  # a matrix as the data frame of its columns
  points <- cbind(a = c(1.5, 2), b = c(3, 4))
  expect_identical(schema_from_data(points), schema_from_data(as.data.frame(points)))
  expect_identical(schema_from_data(points, columns = "b"), schema_from_data(data.frame(b = c(3, 4))))
  expect_error(schema_from_data(unname(points)), "with column names", class = "dptda_error_argument")
})

test_that("numbers that are all whole are read as whole numbers, no more cells than there are of them", {
  read <- function(x, ...) schema_from_data(data.frame(a = x), ...)
  for (x in list(c(0L, 1L), c(5, 9), 7, c(NA, 2), c(1, 168), c(-3, Inf), c(-1e6, 1e6))) {
    schema <- read(x)
    finite <- as.double(x)[is.finite(as.double(x))]
    column <- schema$columns$a
    own <- column$axis$size
    expect_true(column$whole)
    expect_identical(own, min(20, diff(range(finite)) + 1))
    expect_identical(range(column$breaks), range(finite) + c(-0.5, 0.5))
    drawn <- decode_table(matrix(rep(seq_len(own) - 1L, each = 50)), schema, "R")$a
    expect_identical(drawn, round(drawn))
    expect_true(all(drawn >= min(finite) & drawn <= max(finite)))
  }
  expect_identical(read(5:9)$columns$a$breaks, 4.5 + 0:5)
  expect_identical(schema_sizes(read(1:10, cells = 3)), c(a = 3L))
  # beyond this there are no halves
  for (x in list(c(1, 2.5), 2^52, c(NA, Inf), as.difftime(1:3, units = "hours"))) {
    expect_false(read(x)$columns$a$whole)
  }
})

test_that("text that is empty, or the word \"missing\", is a level that was read like any other", {
  read <- function(x) schema_from_data(data.frame(a = x))
  drawn <- function(x) {
    schema <- read(x)
    codes <- encode_table(data.frame(a = x), schema, "x")$codes
    as.character(decode_table(codes, schema, "R")$a)
  }
  empty <- c("", "x", "", "y")
  expect_identical(drawn(empty), empty)
  expect_identical(schema_sizes(read(empty)), c(a = 3L))
  expect_identical(drawn(""), "")
  expect_identical(drawn(c(NA, "", "x")), c(NA, "", "x"))
  expect_identical(drawn(c("missing", "x")), c("missing", "x"))
  expect_identical(drawn(c("missing", NA, "x")), c("missing", "missing", "x"))
})

test_that("schemas show what is in them", {
  expect_output(print(people_schema()), "4 columns, 360 cells in all")
  shown <- summary(people_schema())
  expect_identical(shown$size, c(20, 3, 3, 2))
  expect_identical(shown$missing, rep("refuse", 4))
  many <- do.call(table_schema, structure(rep(list(schema_logical(missing = "level")), 25), names = paste0("c", 1:25)))
  expect_output(print(many), "and 5 more")
  expect_identical(unique(summary(many)$missing), "level")
  expect_identical(summary(table_schema(a = schema_categorical("u", missing = "other")))$missing, "other")
  # whatever the cell is called
  expect_identical(summary(table_schema(a = schema_categorical("u", other = "missing", missing = "other")))$missing,
                   "other")
  expect_output(print(schema_logical()), "logical, 2 cells")
  damaged <- people_schema()
  damaged$columns$age$size <- 7
  expect_error(print(damaged), class = "dptda_error_argument")
})

test_that("a schema whose map was changed by hand is refused, and not charged", {
  schema <- table_schema(age = schema_numeric(0, 100, 5), city = schema_categorical(c("u", "v"), ordered = TRUE),
                         old = schema_logical(),
                         part = schema_numeric(0, 1, breaks = c(.2, .5)))
  # outside of the bounds, where a map that is not total would fail
  data <- data.frame(age = c(-1e9, 200), city = "w", old = TRUE, part = c(-1, 2))
  refused <- function(column, field, value) {
    damaged <- schema
    damaged$columns[[column]]$axis[[field]] <- value
    budget <- privacy_budget(epsilon = 1)
    expect_error(private_synthesis(data, damaged, 1, budget = budget), "`schema` must be",
                 class = "dptda_error_argument", label = paste(column, field))
    expect_identical(budget$spent, 0)
  }
  refused("age", "first", -1e6)
  refused("age", "per", -1)
  refused("age", "origin", 50)
  refused("age", "last", Inf)
  refused("age", "last", -1)
  refused("age", "per", 1)
  refused("age", "inner", schema$columns$city$axis)
  refused("part", "inner", schema$columns$part$axis)
  refused("city", "levels", c("u", "v", "w"))
  # the names of these are as they were, and `other` would be the number of a cell that there is not
  refused("city", "levels", c("u", "u", "v"))
  refused("city", "levels", factor(c("u", "v", "v")))
  refused("city", "names", c("u", "v"))
  refused("city", "names", c("u", "u", "u"))
  refused("city", "other", "nowhere")
  refused("old", "cuts", NULL)
  refused("part", "cuts", c(.5, .2))
  refused("part", "cuts", c(.5, Inf))
  refused("part", "size", 2.5)
  damaged <- schema
  damaged$columns$age$breaks[2] <- 1e3
  expect_error(print(damaged), class = "dptda_error_argument")
})

test_that("a whole number that is drawn from a cell is counted in it", {
  set.seed(20)
  cases <- c(list(c(-7, 284, 42)), lapply(1:300, function(i) { lower <-
    sample(-50:50, 1); c(lower, lower + sample(60:400, 1), sample(3:50, 1)) }))
  for (case in cases) {
    schema <- table_schema(x = schema_numeric(case[1], case[2], cells = case[3], whole = TRUE))
    cells <- cell_wholes(schema$columns$x$breaks)
    whole <- data.frame(x = seq(case[1], case[2]))
    expect_identical(encode_table(whole, schema, "x")$codes[, 1], rep(seq_len(case[3]) - 1L, cells$count))
  }
})

# ---- dates, times and durations ------------------------------------------------------------------------------------

days <- as.Date("2023-06-15") + c(0, 17, 44.5, 101, 260, 260, 311)
year <- c(as.Date("2023-01-01"), as.Date("2025-01-01"))
date_refused <- function(code, what = "") expect_error(code, what, class = "dptda_error_argument")

test_that("a schema of dates codes dates, and rows that are drawn by it are dates", {
  schema <- table_schema(day = schema_date(year, by = "quarter"), at = schema_date(as.POSIXct("2024-01-01", tz = "UTC"),
                                                                                  as.POSIXct("2024-01-02", tz = "UTC"),
                                                                                  by = "6 hours"))
  expect_identical(as.data.frame(schema)$type, c("date", "time"))
  expect_identical(as.data.frame(schema)$size, c(8, 4))
  expect_identical(schema$columns$day$names[1:2], c("[2023-01-01, 2023-04-01)", "[2023-04-01, 2023-07-01)"))
  data <- data.frame(day = days, at = as.POSIXct("2024-01-01", tz = "Asia/Tokyo") + 3600 * 3 * seq_along(days))
  coded <- encode_table(data, schema, "x")$codes
  expect_identical(coded[, 1], findInterval(days, schema$columns$day$breaks) - 1L)
  back <- decode_table(coded, schema, "R")
  expect_s3_class(back$day, "Date")
  expect_s3_class(back$at, "POSIXct")
  expect_identical(as.double(back$day), floor(as.double(back$day)))
  expect_identical(unname(encode_table(back, schema, "x")$codes), unname(coded))
  expect_identical(as.data.frame(schema$columns$day)$lower[1], year[1])
  model <- private_synthesis(data, schema, 1)
  drawn <- stats::simulate(model, 5, seed = 1)
  expect_s3_class(drawn$day, "Date")
  expect_true(all(drawn$day >= year[1] & drawn$day <= year[2]))
  missing <- table_schema(day = schema_date(year, missing = "level"))
  expect_identical(encode_table(data.frame(day = c(days[1], NA)), missing, "x")$codes[, 1], c(5L, 24L))
  read <- schema_from_data(data)
  expect_identical(as.data.frame(read)$type, c("date", "time"))
  expect_no_error(encode_table(data, read, "x"))
  expect_identical(as.data.frame(schema_from_data(data.frame(d = days[1])))$size, 1)
  dictionary <- data.frame(column = c("day", "x"), type = c("date", "numeric"), lower = c("2023-01-01", "0"),
                           upper = c("2025-01-01", "5"), by = c("quarter", NA))
  told <- schema_from_dictionary(dictionary)
  expect_identical(told$columns$day, schema$columns$day)
  expect_identical(told$columns$x, schema_numeric(0, 5))
  date_refused(schema_from_dictionary(transform(dictionary, lower = c("1.1.2023", "0"))), "row 1.*2020-12-31")
})

test_that("what is wrong with a schema of dates is said", {
  date_refused(schema_date(), "lower")
  date_refused(schema_date(0, 1), "must be a date")
  for (text in c("01.02.2024", "2024-02-30", "")) date_refused(schema_date(text, "2025-01-01"), "must be a date")
  expect_identical(schema_date("2024-01-01", "2024-03-01"),
                   schema_date(as.Date("2024-01-01"), as.Date("2024-03-01")))
  expect_identical(schema_date(c("2024-01-01", "2024-03-01")), schema_date("2024-01-01", "2024-03-01"))
  date_refused(schema_date(year[1]), "upper")
  date_refused(schema_date(year[1], 3), "class of `lower`")
  date_refused(schema_date(year[2], year[1]))
  date_refused(schema_date(year, year[2]), "left out")
  for (by in list("decade", 0, -1, 1.5, NA, "hours", c("month", "week"), NULL)) date_refused(schema_date(year,
    by = by), "by")
  date_refused(schema_date(as.Date("0001-01-01"), as.Date("9999-01-01"), by = "day"), "longer")
  date_refused(schema_date(as.POSIXct(year), by = 1), "longer")
  hours <- table_schema(took = schema_numeric(as.difftime(0, units = "hours"), as.difftime(1, units = "days"), 4))
  expect_identical(as.data.frame(hours)$type, "duration")
  took <- data.frame(took = as.difftime(c(10, 400, 5000), units = "mins"))
  expect_identical(encode_table(took, hours, "x")$codes[, 1], c(0L, 1L, 3L))
  expect_identical(units(decode_table(matrix(0:1), hours, "R")$took), "hours")
  date_refused(schema_categorical(year), "schema_date")
  date_refused(encode_table(data.frame(day = 1:3), table_schema(day = schema_date(year)), "x"),
               "`x\\$day` must hold dates")
})

test_that("intervals of dates are counted by `cells`, too, and schema_numeric() takes dates", {
  equal <- schema_date("2024-01-01", "2024-01-31", cells = 4)
  expect_identical(equal$breaks, as.double(as.Date("2024-01-01")) + c(0, 7, 15, 23, 30))
  times <- as.POSIXct("2024-01-01", tz = "UTC") + c(0, 7)
  expect_identical(diff(schema_date(times, cells = 7)$breaks), rep(1, 7))
  date_refused(schema_date(times, cells = 8), "`cells` must be at most 7")
  date_refused(schema_date(year, by = "month", cells = 3), "`cells` must be left out if `by`")
  for (cells in list(0, 1.5, NA, "month", 1e5)) date_refused(schema_date(year, cells = cells), "`cells`")
  expect_identical(schema_numeric(year), schema_date(year))
  expect_identical(schema_numeric(year[1], year[2], cells = 5, missing = TRUE),
                   schema_date(year, cells = 5, missing = "level"))
  expect_identical(schema_numeric("2024-01-01", "2024-01-31", 4), equal)
  date_refused(schema_numeric(year, breaks = mean(year)), "schema_date")
  date_refused(schema_numeric(year[1], 5), "class of `lower`")
  date_refused(schema_numeric(year[1]), "upper")
  told <- schema_from_dictionary(data.frame(column = "day", type = "date", lower = "2024-01-01",
                                            upper = "2024-01-31", by = NA, cells = 4))
  expect_identical(told$columns$day, equal)
})

for (database in c("sqlite", "postgres")) {
  test_that(paste("rows of a database are coded by dates as those in memory:", database), {
    con <- list(sqlite = local_sqlite, postgres = local_postgres)[[database]]()
    hours <- as.POSIXct("2024-03-31", tz = "UTC") + 3600 * c(0, 5)
    data <- data.frame(day = structure(floor(as.double(days)), class = "Date"), flag = seq_along(days) %% 3 == 0,
                       at = hours[1] + 1800 * seq_along(days))
    DBI::dbCreateTable(con, "people", data)
    if (database == "postgres") append_exactly(con, "people", data) else DBI::dbAppendTable(con, "people", data)
    schema <- table_schema(day = schema_date(year), at = schema_date(hours, by = "hour"), flag = schema_logical())
    drawn <- lapply(list(data, dplyr::tbl(con, "people")), function(x) {
      set.seed(5)
      stats::simulate(private_synthesis(x, schema, 1, rng = "R"), 20, seed = 1)
    })
    expect_identical(drawn[[1]], drawn[[2]])
    expect_s3_class(drawn[[2]]$day, "Date")
  })
}

test_that("times of day of whole seconds are drawn as such", {
  frame <- data.frame(time = hms_of(3600 * rep(7:12, 20)))
  schema <- schema_from_data(frame)
  expect_identical(schema$columns$time$names[1:2], c("[07:00:00, 07:15:00)", "[07:15:00, 07:30:00)"))
  rows <- simulate(private_synthesis(frame, schema, epsilon = 5), 100, seed = 1)
  expect_true(all(as.double(rows$time) %% 1 == 0))
  frame$time[1] <- frame$time[1] + 0.5
  expect_false(schema_from_data(frame)$columns$time$whole)
})
