# Files are read by public types, each value by itself, and messages name columns and never rows.

test_that("marks, separators, quotes and line breaks within them are read as they are meant", {
  wanted <- data.frame(age = c(34.5, 51), town = c("K\u00f6ln; Rhein", "two\nlines \"here\""))
  plain <- rows_file(c("id,town,age", "1,K\u00f6ln; Rhein,34.5", "2,\"two\nlines \"\"here\"\"\",51"))
  expect_identical(table_file(plain, c(age = "number", town = "text")), wanted)
  marked <- rows_file(c("\ufeffage;town;id", "34,5;\"K\u00f6ln; Rhein\";1", "51;\"two\nlines \"\"here\"\"\";2"))
  expect_identical(table_file(marked, c(age = "number", town = "text"), decimal = ","), wanted)
  windows <- rows_file(c("age\ttown\r", "34.5\tA\r", "\tB\r"))
  expect_identical(table_file(windows, c(town = "text", age = "number")),
                   data.frame(town = c("A", "B"), age = c(34.5, NA)))
  packed <- withr::local_tempfile(fileext = ".csv.gz")
  writeLines(c("age|b", "1|2"), output <- gzfile(packed, "w"))
  close(output)
  expect_identical(table_file(packed, c(b = "number")), data.frame(b = 2))
  expect_identical(table_file(rows_file("a,b"), c(b = "number", a = "date")),
                   data.frame(b = double(), a = as.Date(character())))
  expect_identical(table_file(rows_file(c("a;b", "1;2")), c(a = "text"), separator = ";"), data.frame(a = "1"))
})

test_that("a last line may end with the file, and an empty line of one column is a missing value", {
  bytes <- function(text) {
    file <- tempfile(fileext = ".csv")
    writeBin(charToRaw(text), file)
    file
  }
  read <- function(text) table_file(bytes(text), c(a = "number"))$a
  expect_identical(read("a,b\n1,2\n3,4"), c(1, 3))
  expect_identical(read("a\n1\n\n3\n"), c(1, NA, 3))
  expect_identical(read("a\n1\n\"\"\n3"), c(1, NA, 3))
  expect_identical(read("a,b\n1,2\n\n3,4\n"), c(1, 3))
  expect_identical(read("a\n"), double())
  expect_identical(read("a,b\n1,\"2\n\"\"x\"\n3,\"4\""), c(1, 3))
  expect_error(read("a,b\n1,\"2"), "some lines have more or fewer", class = "dptda_error_argument")
})

test_that("a value is read by its column's type alone", {
  file <- rows_file(c("n,d,l,t", "1e3,2024-02-29,TRUE,x", " 7 ,,0,007", "NA,NA,,"))
  expect_identical(table_file(file, c(n = "number", d = "date", l = "logical", t = "text")),
                   data.frame(n = c(1000, 7, NA), d = as.Date(c("2024-02-29", NA, NA)), l = c(TRUE, FALSE, NA),
                              t = c("x", "007", NA)))
  # what one row says changes nothing of the others
  mixed <- rows_file(c("n", "1", "2", "abc"))
  expect_identical(table_file(mixed, c(n = "text"))$n, c("1", "2", "abc"))
  expect_identical(table_file(mixed, c(n = "number"), invalid = "missing")$n, c(1, 2, NA))
  expect_identical(table_file(mixed, c(n = "number"), missing = "abc")$n, c(1, 2, NA))
  expect_error(table_file(mixed, c(n = "number")), "The column `n` of the file has values that are not numbers",
               class = "dptda_error_values")
  dates <- rows_file(c("d", "2024-13-01", "2024-01-01x", "31.12.2024"))
  expect_identical(table_file(dates, c(d = "date"), invalid = "missing")$d, as.Date(c(NA, NA, NA)))
  expect_error(table_file(dates, c(d = "number")), class = "dptda_error_values")
  expect_identical(table_file(rows_file(c("n;m", "1.234,5;1,5")), c(n = "number", m = "number"), decimal = ",",
                              invalid = "missing"), data.frame(n = NA_real_, m = 1.5))
})

test_that("a number is written in decimal digits", {
  good <- c("12", "-3.5", "+4", ".5", "6.", "7e3", "8E-2", " 9 ", "0012", "1e-400", "123456789012345678")
  expect_identical(table_file(rows_file(c("n", good)), c(n = "number"))$n,
                   c(12, -3.5, 4, .5, 6, 7000, .08, 9, 12, 0, 123456789012345678))
  bad <- c("0x1F", "0X2p3", "Inf", "-inf", "infinity", "NaN", "1e400", "-1e999", "1e", "2e+", "1d2", "3L", "1_000", ".",
           "1 2", "1,5", "--1", "+-2", "TRUE", "\u0663", "1\u00a0", "e5", "12\u20ac", "5%")
  read <- table_file(rows_file(c("n|t", paste0(bad, "|x"))), c(n = "number"), invalid = "missing", separator = "|")$n
  expect_identical(bad[!is.na(read)], character())
  for (one in bad) {
    expect_error(table_file(rows_file(c("n|t", paste0(one, "|x"))), c(n = "number"), separator = "|"),
                 class = "dptda_error_values")
  }
  expect_identical(table_file(rows_file(c("n;t", "-1,5;", ",5;")), c(n = "number"), decimal = ",")$n, c(-1.5, .5))
})

test_that("NA is a missing value without quotes, and text in quotes", {
  file <- rows_file(c("t,n", "NA,NA", "\"NA\",\"NA\"", "\"\",", "x, 1 ", " NA,2"))
  expect_identical(table_file(file, c(t = "text", n = "number")),
                   data.frame(t = c(NA, "NA", NA, "x", " NA"), n = c(NA, NA, NA, 1, 2)))
  # what is said to be missing is so wherever it stands
  expect_identical(table_file(file, c(t = "text"), missing = c("NA", "x"))$t, c(NA, NA, "", NA, " NA"))
  expect_identical(table_file(file, c(t = "text"), missing = character())$t, c("NA", "NA", "", "x", " NA"))
  expect_identical(table_file(rows_file(c("l,d", "NA,\"NA\"", "\"NA\",NA")), c(l = "logical", d = "date")),
                   data.frame(l = c(NA, NA), d = as.Date(c(NA, NA))))
  # what R writes is read as it was
  frame <- data.frame(t = c("NA", NA, "a", "NA"), n = c(NA, 1, 2, 3))
  utils::write.csv(frame, file, row.names = FALSE)
  expect_identical(table_file(file, c(t = "text", n = "number")), frame)
})

test_that("what is wrong with a file is said without its rows", {
  types <- c(age = "number")
  said <- function(lines, ...) {
    conditionMessage(expect_error(table_file(rows_file(lines), types, ...), class = "dptda_error_argument"))
  }
  expect_match(said(c("agee,b", "1,2")), "no `age`[.] It has `agee`, `b` [(]did you mean `agee`[?][)]")
  expect_match(said(c("age,age", "1,2")), "has several `age`")
  # no names in the first line, but a row
  for (line in c("34.5,f", "f,2024-12-31", "f,31.12.2024", "f,,x", "f,TRUE", "f,1e5", "\"34,5\",f")) {
    told <- said(c(line, line))
    expect_match(told, "looks like a row")
    expect_no_match(told, "`f`|It has")
  }
  expect_match(said(c("age,b", "1,2", "1,2,3")), "some lines have more or fewer fields")
  expect_match(said(c("age,b", "1,2", "3")), "some lines have more or fewer fields")
  expect_match(said(c("age,b", rep("1,2", 9), "1,2,3,4")), "some lines have more or fewer fields")
  expect_match(said(c("age,b", "1,2,")), "some lines have more or fewer fields")
  expect_match(said(c("age,b", "1,\"2")), "a quote that is not closed")
  expect_match(said(""), "names of its columns in its first line")
  expect_no_match(said(c("age,b", "1,2", "1,2,3")), "line [0-9]")
  wide <- withr::local_tempfile()
  writeBin(as.raw(c(0xff, 0xfe, 0x61, 0)), wide)
  expect_error(table_file(wide, types), "UTF-16", class = "dptda_error_argument")
  latin <- withr::local_tempfile()
  writeBin(c(charToRaw("age,"), as.raw(0xe9), charToRaw("\n1,2\n")), latin)
  expect_error(table_file(latin, types), "must be in UTF-8", class = "dptda_error_argument")
  packed <- withr::local_tempfile()
  writeBin(as.raw(c(0x1f, 0x8b, 1:100)), packed)
  expect_error(table_file(packed, types), "can be read", class = "dptda_error_argument")
  folder <- withr::local_tempdir()
  expect_error(table_file(folder, types), "is a folder", class = "dptda_error_argument")
  writeLines("age", file.path(folder, "rows.csv"))
  expect_error(table_file(file.path(folder, "row.csv"), types), "did you mean", class = "dptda_error_argument")
  for (wrong in list(c(age = "numbr"), "number", c(age = 1), character())) {
    expect_error(table_file(file.path(folder, "rows.csv"), wrong), class = "dptda_error_argument")
  }
})

test_that("a million rows take seconds", {
  skip_unless_long()
  file <- withr::local_tempfile()
  n <- 1e6
  writeLines(c("id,age,sex", paste0(seq_len(n), ",", seq_len(n) %% 90, ",", c("f", "m"))), file)
  read <- table_file(file, c(age = "number", sex = "text"))
  expect_identical(read$age, as.double(seq_len(n) %% 90))
  expect_identical(read$sex, rep(c("f", "m"), n / 2))
})

test_that("Parquet is read by the same types", {
  skip_if_not_installed("nanoparquet")
  file <- withr::local_tempfile(fileext = ".parquet")
  frame <- data.frame(age = c(1L, NA), sex = c("f", "m"), day = as.Date(c("2024-01-01", NA)), ok = c(TRUE, NA))
  nanoparquet::write_parquet(frame, file)
  expect_identical(table_file(file, c(ok = "logical", age = "number", day = "date", sex = "text")),
                   transform(frame, age = as.double(age))[c("ok", "age", "day", "sex")])
  expect_error(table_file(file, c(sex = "number")), class = "dptda_error_values")
  expect_error(table_file(file, c(sx = "text")), "did you mean `sex`", class = "dptda_error_argument")
  expect_error(table_file(rows_file("no", ".parquet"), c(a = "text")), "cannot be read", class = "dptda_error_argument")
})

test_that("columns of numbers as text are what the numbers are in a file of text, or an error", {
  types <- c(x = "text")
  read <- function(x, ...) typed_frame(structure(list(x = x), row.names = seq_along(x), class = "data.frame"), types)$x
  whole <- c(0, -0, 7, 100000, -200000, 1e6, 123456789, 1e15, 2^53 - 1)
  expect_identical(read(whole), c("0", "0", "7", "100000", "-200000", "1000000", "123456789", "1000000000000000",
                                  "9007199254740991"))
  expect_identical(read(c(3L, 100000L, NA)), c("3", "100000", NA))
  expect_identical(read(c(.5, 2.25, 1e-5, 0.3)), c("0.5", "2.25", "1e-05", "0.3"))
  # text that two numbers would share, or none has; times, whose text is a matter of the session; no values at all
  bad <- list(.1 + .2, 1 / 3, 2^53, 1e22, Inf, as.POSIXct("2024-03-01", tz = "UTC"), as.difftime(3, units = "mins"),
              list(1:2), list("a"), complex(real = 1), raw(1))
  for (x in bad) expect_error(read(x), "column `x`.*not text", class = "dptda_error_values")
  expect_identical(read(factor(c("b", NA, "a"))), c("b", NA, "a"))
  expect_identical(read(c(TRUE, NA)), c("TRUE", NA))
  expect_identical(read(as.Date("2024-03-01")), "2024-03-01")
  skip_if_not_installed("bit64")
  ids <- bit64::as.integer64(c("9007199254740993", "-5", NA))
  expect_identical(read(ids), c("9007199254740993", "-5", NA))
})

test_that("a column has one value for each row", {
  frame <- data.frame(a = 1:3)
  frame$m <- matrix(1:6, 3)
  frame$d <- data.frame(u = 1:3, v = 4:6)
  long <- structure(list(a = 1:3), row.names = 1:2, class = "data.frame")
  for (name in c("m", "d")) for (type in c("number", "text", "logical")) {
    expect_error(typed_frame(frame, structure(type, names = name)), "one value for each row",
                 class = "dptda_error_argument")
  }
  expect_error(typed_frame(long, c(a = "number")), "one value for each row", class = "dptda_error_argument")
  expect_identical(typed_frame(frame, c(a = "number"))$a, c(1, 2, 3))
})

test_that("logical values are what they say", {
  frame <- data.frame(x = c(0, 1, NA, 1 - 1e-16))
  expect_error(typed_frame(frame, c(x = "logical")), class = "dptda_error_values")
  expect_identical(typed_frame(frame[1:3, , drop = FALSE], c(x = "logical"))$x, c(FALSE, TRUE, NA))
})

test_that("numbers of a Parquet file are levels as those of a CSV file are", {
  skip_if_not_installed("nanoparquet")
  withr::local_options(dptda.weak_release = FALSE)
  file <- withr::local_tempfile(fileext = ".parquet")
  plots <- rep(c(300000, 1200000, 345678), c(20, 10, 5))
  nanoparquet::write_parquet(data.frame(plot = plots, size = plots / 7), file)
  recipe <- list(unit = list(rows = 35), releases = list(
    list(release = "table", levels = list(plot = c("300000", "345678", "1200000")), epsilon = 100)
  ))
  expect_equal(as.data.frame(recipe_release(recipe, file)$table)$value, c(20, 5, 10, 0))
  expect_error(table_file(file, c(size = "text")), class = "dptda_error_values")
  times <- data.frame(t = as.POSIXct("2024-01-01 10:00:00.25", tz = "UTC"))
  times$l <- list("a")
  nanoparquet::write_parquet(times, file)
  for (name in names(times)) {
    expect_error(table_file(file, structure("text", names = name)), "not text", class = "dptda_error_values")
  }
  words <- data.frame(t = c("NA", "", NA, "a"))
  nanoparquet::write_parquet(words, file)
  expect_identical(table_file(file, c(t = "text"))$t, c("NA", NA, NA, "a"))
})
