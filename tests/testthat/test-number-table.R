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
