# Codes as vectors of numbers, and back.

mixed_schema <- function() {
  table_schema(
    age = schema_numeric(0, 100, cells = 7), income = schema_numeric(-1, 5, breaks = c(0, 0.1, 3), missing = "level"),
    grade = schema_categorical(c("low", "mid", "high"), ordered = TRUE),
    rank = schema_categorical(1:4, ordered = TRUE, other = "1", missing = "level"),
    color = c("red", "green"), member = schema_logical(missing = "level"), only = schema_categorical("x", other = "x"),
    one = schema_numeric(0, 1, cells = 1)
  )
}

mixed_scale <- c("age", "income", "grade", "rank", "one")

# All tuples of codes of a schema, or some of them.
some_codes <- function(schema, count) {
  vapply(schema_sizes(schema), function(size) sample.int(size, count, replace = TRUE) - 1L, integer(count))
}

test_that("codes of a column have different vectors, in every kind of column", {
  set.seed(1)
  schema <- mixed_schema()
  for (bits in c(3, 9, 10)) {
    book <- encoding_book(schema, bits, if (bits < 10) mixed_scale)
    codes <- some_codes(schema, 500)
    X <- encode_codes(book, codes)
    expect_true(all(X == floor(X)))
    for (column in book$columns) expect_identical(anyDuplicated(column$whole), 0L)
    expect_lte(max(rowSums(X^2)), book$longest)
  }
})

test_that("the longest vector is as long as the book says, and those of levels are all as long", {
  schema <- table_schema(a = c("u", "v"), b = schema_numeric(0, 1, cells = 3),
                         c = schema_categorical(c("x", "y"), ordered = TRUE, missing = "level"))
  book <- encoding_book(schema, scale = c("b", "c"))
  all <- as.matrix(expand.grid(lapply(schema_sizes(schema), function(size) seq_len(size) - 1L)))
  expect_identical(max(rowSums(encode_codes(book, all)^2)), book$longest)
  levels <- encoding_book(table_schema(a = letters, b = c("u", "v"), c = schema_logical()))
  lengths <- rowSums(encode_codes(levels, some_codes(table_schema(a = letters, b = c("u", "v"), c = schema_logical()),
                                                     100))^2)
  expect_lt(diff(range(lengths)) / levels$longest, 0.01)
  # one for each column at most, whatever the number of levels
  expect_lte(levels$longest, 3 * 4^levels$bits)
})

test_that("a scale runs from -1/2 to 1/2, and what is not on it has a coordinate of its own", {
  book <- encoding_book(mixed_schema(), 10, mixed_scale)
  expect_identical(book$columns$age$whole[, 1], round(1024 * ((0:6) / 6 - 0.5)))
  expect_identical(dim(book$columns$income$whole), c(5L, 2L))
  expect_identical(book$columns$income$whole[5, ], c(0, 1024))
  expect_identical(book$columns$income$whole[c(1, 4), 1], c(-512, 512))
  # "other" of its own is not on the scale, and is where it is one of the levels
  on_scale <- function(name) sum(rowSums(abs(book$columns[[name]]$whole[, -1, drop = FALSE])) == 0)
  expect_identical(c(on_scale("grade"), on_scale("rank")), c(3L, 4L))
  expect_identical(book$columns$one$whole, matrix(0))
  expect_identical(book$columns$only$whole, matrix(0))
  all_levels <- encoding_book(mixed_schema(), 10)
  expect_true(all(vapply(all_levels$columns, `[[`, "", "kind") == "levels"))
  expect_identical(all_levels$width, sum(schema_sizes(mixed_schema())))
  # unless they are many, and have an order
  many <- encoding_book(table_schema(a = schema_numeric(0, 1, cells = 60), b = schema_categorical(1:70, ordered = TRUE),
                                     c = as.character(1:80), d = schema_numeric(0, 1, 50)))
  expect_identical(unname(vapply(many$columns, `[[`, "", "kind")), c("scale", "scale", "levels", "levels"))
})

test_that("the width of a book is known without it", {
  many <- table_schema(a = schema_numeric(0, 1, cells = 60, missing = "level"),
                       b = schema_categorical(1:70, ordered = TRUE), c = as.character(1:80), d = schema_logical())
  for (schema in list(mixed_schema(), many)) for (scale in list(NULL, character(), names(schema$columns)[1:2])) {
    expect_equal(book_width(schema, scale), encoding_book(schema, 10, scale)$width)
  }
})

test_that("a vector is that of its row alone", {
  set.seed(2)
  schema <- mixed_schema()
  book <- encoding_book(schema, 10, mixed_scale)
  codes <- some_codes(schema, 50)
  shuffled <- sample(50)
  expect_identical(encode_codes(book, codes)[shuffled, ], encode_codes(book, codes[shuffled, ]))
  expect_identical(encode_codes(book, codes[7, , drop = FALSE]), encode_codes(book, codes)[7, , drop = FALSE])
})
