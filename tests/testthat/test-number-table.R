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
    text <- data.frame(k = c(levels, "zz"))
    for (x in list(text, dplyr::tbl(local_sqlite(text), "people"))) {
      expect_identical(unname(private_table(x, list(k = levels), noiseless)$value), rep(1, length(levels) + 1))
    }
  }
  expect_error(private_table(1, wide, 1), "Integers are exact only up to 2^53", fixed = TRUE)
  expect_error(private_table(1, c("1", "1.0"), 1),
               "must be different numbers, because `x` holds numbers, but \"1\" and \"1.0\"", fixed = TRUE)
  # what is no number has no place among numbers, however often
  expect_identical(unname(private_table(c(1, 1, 7), c("none", "1", "unknown"), noiseless)$value), c(0, 2, 0, 1))
  skip_if_not_installed("bit64")
  expect_error(private_table(bit64::as.integer64(wide), wide, 1), "are the same number", class = "dptda_error_argument")
})

test_that("cells are chosen as they are shown, and keep the guarantee", {
  frame <- data.frame(sex = rep(c("f", "m"), c(6, 4)), school = rep(1:2, 5), age = 1:10)
  two <- private_table(frame, list(sex = c("f", "m"), school = 1:2), noiseless)
  three <- private_table(frame, list(sex = c("f", "m"), school = 1:2), noiseless, columns = c("sex", "age", "school"),
                         breaks = list(age = c(0, 4, 8, 11)))
  array <- as.table(three)
  kept <- function(x, value) {
    expect_identical(as.numeric(x), as.numeric(value))
    expect_identical(privacy(x)$measure, privacy(two)$measure)
    expect_output(print(x), "differential privacy for one row")
  }
  kept(two["f", "2"], 3)
  kept(two[["f", "2"]], 3)
  kept(two["f, 2"], 3)
  kept(two[["f, 2"]], 3)
  kept(two[c("m, 1", "f, 1", "sex m, school 2")], c(2, 3, 2))
  expect_identical(names(two["f, 2"]), "sex f, school 2")
  kept(two["f", ], c(3, 3, 0))
  expect_identical(names(two["f", ]), c("1", "2", "other"))
  kept(two[1:2, 1:2], c(3, 2, 3, 2))
  kept(three["f", ">= 8", ], array["f", ">= 8", ])
  kept(three["f, < 4, 1"], array["f", "< 4", "1"])
  # what is computed with it, with noise where it is known
  kept(two["m", "1"] / two["f, 1"], 2 / 3)
  expect_identical(nrow(confint(two["f", ])), 3L)
  expect_true(is.data.frame(as.data.frame(two["f", ])))
  # as before: places, conditions, all of it, and names that are none
  kept(two[2], 2)
  kept(two[two > 2.5], c(3, 3))
  kept(two[], as.numeric(two))
  expect_true(is.na(as.numeric(two["nobody"])))
  expect_error(two[["nobody"]])
  expect_error(two["nobody", "1"])
  for (change in list(function(x) `[<-`(x, "m", "other", value = 7), function(x) `[<-`(x, "m, other", value = 7),
                      function(x) `[[<-`(x, "m, other", value = 7), function(x) `[[<-`(x, "m", "other", value = 7))) {
    kept(change(two), replace(as.numeric(two), 8, 7))
    expect_identical(names(change(two)), names(two))
  }
  # one string for two cells is none of them
  odd <- private_table(data.frame(a = "x", b = "y"), list(a = c("p, q", "p"), b = c("q, r", "r")), noiseless)
  expect_true(is.na(as.numeric(odd["p, q, r"])))
  kept(odd["p", "q, r"], 0)
  # one column has names already
  kept(private_table(frame, list(sex = c("f", "m")), noiseless)["m"], 4)
})

test_that("a table of counts is told from one of rows by public facts alone", {
  counts <- as.data.frame(HairEyeColor)
  levels <- lapply(counts[c("Hair", "Sex")], levels)
  told <- function(code) expect_message(code, "x[rep(seq_len(nrow(x)), x$Freq), names(x) != \"Freq\"]",
                                        fixed = TRUE, class = "dptda_message_counts")
  told(private_table(counts, levels, 50))
  told(private_table(counts, lapply(counts[1:3], base::levels), 50))
  # whatever is in the rows
  told(private_table(transform(counts, Hair = "Red", Freq = 0), levels, 50))
  told(tryCatch(private_table(counts, levels, 50, budget = privacy_budget(epsilon = 50))))
  small <- data.frame(g = c("a", "b"), n = c(400, 3))
  expect_message(private_table(small, list(g = c("a", "b")), 50), "x$n", fixed = TRUE, class = "dptda_message_counts")
  quiet <- function(x, levels, ...) expect_no_message(private_table(x, levels, 50, ...))
  quiet(small, list(g = c("a", "b", "c")))
  quiet(rbind(small, small), list(g = c("a", "b")))
  quiet(transform(small, n = c("x", "y")), list(g = c("a", "b")))
  quiet(transform(small, size = n, n = NULL), list(g = c("a", "b")))
  quiet(small, list(n = c(3, 400)))
  # what the message says to write, and the same with the column
  quiet(counts[rep(seq_len(nrow(counts)), counts$Freq), ], levels)
  quiet(counts[rep(seq_len(nrow(counts)), counts$Freq), names(counts) != "Freq"], levels)
})

test_that("proportions and margins can leave the cells of other values out", {
  rows <- data.frame(a = rep(c("u", "v", "w"), c(10, 20, 5)), b = rep(c(1, 2), c(15, 20)))
  two <- private_table(rows, list(a = c("u", "v"), b = c(1, 2)), epsilon = 50)
  counts <- as.table(two, other = FALSE)
  expect_identical(dimnames(counts), list(a = c("u", "v"), b = c("1", "2")))
  expect_equal(as.vector(counts), c(10, 5, 0, 15))
  expect_equal(as.vector(proportions(counts, 1)), c(1, 0.25, 0, 0.75))
  expect_identical(as.table(two)[1:2, 1:2], counts)
  one <- private_table(rows$a, "u", epsilon = 50)
  expect_identical(as.table(one, other = FALSE), as.table(one)[1, drop = FALSE])
  # intervals have no other cell
  cut <- private_table(rows, list(a = "u"), breaks = list(b = c(0, 1.5, 3)), epsilon = 50)
  expect_identical(dim(as.table(cut, other = FALSE)), c(1L, 2L))
  expect_error(as.table(one, other = NA), class = "dptda_error_argument")
  expect_error(as.table(one, otter = FALSE), class = "dptda_error_argument")
})
