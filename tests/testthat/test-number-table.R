test_that("names of levels choose among columns that table_rows() names, or all of them", {
  frame <- data.frame(a = rep(c("u", "v"), 10), b = rep(1:4, 5), d = NA, g = rep(c("p", "q"), each = 10))
  release <- function(x, ...) {
    set.seed(4)
    private_table(x, ..., epsilon = 1, rng = "R")
  }
  wanted <- release(frame, list(b = 1:4))
  # of which some have no value in any row
  expect_equal(as.data.frame(release(table_rows(frame, missing = "omit"), list(b = 1:4))), as.data.frame(wanted))
  expect_equal(as.data.frame(release(table_rows(frame, c("a", "b")), list(b = 1:4))), as.data.frame(wanted))
  # those that were chosen stay in their order
  expect_equal(release(table_rows(frame, c("a", "b")), list(b = 1:4, a = c("u", "v"))),
               release(table_rows(frame, c("a", "b")), list(a = c("u", "v"), b = 1:4)))
  by <- list(g = c("p", "q"))
  expect_equal(as.data.frame(release(table_rows(frame, c("a", "b", "g")), list(b = 1:4), by = by)),
               as.data.frame(release(frame, list(b = 1:4), by = by)))
  expect_error(release(table_rows(frame, c("a", "b")), list(h = 1)), class = "dptda_error_argument")
})

test_that("a column that is named in a list keeps its name", {
  released <- private_table(chickwts, list(feed = c("casein", "soybean")), epsilon = 1e6)
  expect_identical(released$column, "feed")
  expect_identical(names(as.data.frame(released))[1], "feed")
  expect_output(print(released), "   feed value")
  expect_identical(names(released), c("casein", "soybean", "other"))
  expect_identical(names(as.data.frame(private_table(chickwts$feed, "casein", epsilon = 1)))[1], "name")
})

test_that("text levels that rows of numbers make equal are an error, and text keeps them apart", {
  wide <- c("18014398509481985", "18014398509481984")
  pairs <- list(c("2.50", "3", "2.5"), c("-0", "4", "0"), c("1e2", "100"), wide)
  for (levels in pairs) {
    refused <- function(code) expect_error(code, "are the same number", class = "dptda_error_argument")
    refused(private_table(c(1, 2), levels, noiseless))
    refused(private_table(2:3, factor(levels, levels), noiseless))
    frame <- data.frame(k = c(1, 2, 2), v = c(0.5, 0.2, 0.1), good = c(TRUE, FALSE, TRUE))
    table <- dplyr::tbl(local_sqlite(frame), "people")
    for (x in list(frame, table)) {
      refused(private_table(x, list(k = levels), noiseless))
      refused(private_mean(x, list(v = c(0, 1)), noiseless, by = list(k = levels)))
      refused(private_count(x, noiseless, columns = "good", by = list(k = levels)))
      refused(private_synthesis(dplyr::select(x, "k"), table_schema(k = schema_categorical(levels)), epsilon = 100))
    }
    # text is compared as text
    for (x in list(data.frame(k = c(levels, "zz")), dplyr::tbl(local_sqlite(data.frame(k = c(levels, "zz"))), "people"))) {
      expect_identical(unname(private_table(x, list(k = levels), noiseless)$value), rep(1, length(levels) + 1))
    }
  }
  expect_error(private_table(1, wide, 1), "integers are exact up to 2^53 only", fixed = TRUE)
  expect_error(private_table(1, c("1", "1.0"), 1), "must be different numbers, since `x` holds numbers: \"1\" and \"1.0\"",
               fixed = TRUE)
  # what is no number has no place among numbers, however often
  expect_identical(unname(private_table(c(1, 1, 7), c("none", "1", "unknown"), noiseless)$value), c(0, 2, 0, 1))
  skip_if_not_installed("bit64")
  expect_error(private_table(bit64::as.integer64(wide), wide, 1), "are the same number", class = "dptda_error_argument")
})
