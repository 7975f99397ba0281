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
  expect_error(table_file(mixed, c(n = "number")), "the column `n` of the file has values that are no numbers",
               class = "dptda_error_values")
  dates <- rows_file(c("d", "2024-13-01", "2024-01-01x", "31.12.2024"))
  expect_identical(table_file(dates, c(d = "date"), invalid = "missing")$d, as.Date(c(NA, NA, NA)))
  expect_error(table_file(dates, c(d = "number")), class = "dptda_error_values")
  expect_identical(table_file(rows_file(c("n;m", "1.234,5;1,5")), c(n = "number", m = "number"), decimal = ",",
                              invalid = "missing"), data.frame(n = NA_real_, m = 1.5))
})

test_that("what is wrong with a file is said without its rows", {
  types <- c(age = "number")
  said <- function(lines, ...) {
    conditionMessage(expect_error(table_file(rows_file(lines), types, ...), class = "dptda_error_argument"))
  }
  expect_match(said(c("agee,b", "1,2")), "no `age`, but `agee`, `b` [(]did you mean `agee`[?][)]")
  expect_match(said(c("age,age", "1,2")), "has several `age`")
  # no names in the first line, but a row
  for (line in c("34.5,f", "f,2024-12-31", "f,31.12.2024", "f,,x", "f,TRUE", "f,1e5", "\"34,5\",f")) {
    told <- said(c(line, line))
    expect_match(told, "looks like a row")
    expect_no_match(told, "`f`|, but")
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
