# Joint counts: against table() of R, in memory and in a database.

test_that("counts are those of table(), for many scopes at once", {
  set.seed(1)
  for (n in c(1, 7, 2048, 2049, 5000)) {
    source <- coded(n, c(2, 5, 1, 3, 40))
    scopes <- c(list(integer()), as.list(1:5), utils::combn(5, 2, simplify = FALSE),
                utils::combn(5, 3, simplify = FALSE), list(5:1))
    expect_identical(joint_counts_all(source, scopes), lapply(scopes, slow_counts, source = source))
  }
  expect_identical(joint_counts(source, c("e", "b")), slow_counts(source, c(5, 2)))
  expect_identical(joint_counts_all(source, list()), list())
})

test_that("batches, blocks and threads change nothing", {
  set.seed(2)
  # more than the work for which threads are woken, tables of few cells and of many
  source <- coded(60000, c(30, 20, 7, 2, 5, 600))
  few <- c(utils::combn(5, 2, simplify = FALSE), utils::combn(5, 3, simplify = FALSE))
  scopes <- c(rep(few, 30), list(c(6L, 1L, 2L), c(3L, 6L)))
  counts <- withr::with_options(list(dptda.threads = 1), joint_counts_all(source, scopes))
  expect_identical(counts[c(1:20, 601:602)], lapply(scopes[c(1:20, 601:602)], slow_counts, source = source))
  expect_identical(counts[21:600], counts[rep(1:20, 29)])
  expect_identical(withr::with_options(list(dptda.threads = 4), joint_counts_all(source, scopes)), counts)
})

test_that("a domain that is too large is never built", {
  source <- coded(3, rep(1000, 4))
  expect_error(joint_counts(source, 1:4), "1e\\+12 cells", class = "dptda_error_argument")
  expect_error(.Call(ffi_publish_joint_counts, source$codes, unname(source$sizes), NULL, list(1:4), kernel_options()),
               class = "dptda_error_argument")
})

test_that("the kernel refuses codes that are none", {
  bad <- function(codes, sizes = 2L, scopes = list(1L), weights = NULL) {
    expect_error(.Call(ffi_publish_joint_counts, codes, sizes, weights, scopes, kernel_options()),
                 class = "dptda_error_argument")
  }
  for (weights in list(1L, c(1L, NA), c(1L, -1L), c(1, 2), 1:3)) bad(matrix(0:1), weights = weights)
  bad(matrix(2L))
  bad(matrix(NA_integer_))
  bad(matrix(-1L))
  bad(1L)
  bad(matrix(0L), 0L)
  bad(matrix(0L), 65536L)
  bad(matrix(0L), c(2L, 2L))
  bad(matrix(0L), scopes = list(2L))
  bad(matrix(0L), scopes = list(0L))
  bad(matrix(0L), scopes = list("a"))
  bad(matrix(0L), scopes = 1L)
})

test_that("scopes are covered by few tables, and their counts added up from these", {
  set.seed(4)
  source <- coded(500, c(50, 40, 30, 20, 2, 3))
  scopes <- c(utils::combn(6, 3, simplify = FALSE), utils::combn(6, 2, function(x) rev(x), simplify = FALSE))
  tables <- cover_scopes(scopes, source$sizes)
  expect_lt(length(tables), 10)
  expect_true(all(vapply(tables, function(table) prod(source$sizes[table]) <= most_cover_cells, NA)))
  for (scope in scopes) {
    home <- Find(function(table) all(scope %in% table), tables)
    expect_identical(sum_counts(joint_counts(source, home), home, scope, source$sizes), joint_counts(source, scope))
  }
})

mixed_people <- function() {
  set.seed(3)
  data <- data.frame(age = c(NA, round(stats::rnorm(299, 50, 40), 1)),
                     sex = sample(c("f", "m", "x", NA), 300, replace = TRUE),
                     grade = sample(3, 300, replace = TRUE), member = sample(c(TRUE, FALSE, NA), 300, replace = TRUE))
  data$age[2:4] <- c(0, 100, NaN)
  data
}
mixed_schema <- function() {
  table_schema(member = schema_logical(missing = "level"), age = schema_numeric(0, 100, cells = 7, missing = "level"),
               sex = schema_categorical(c("f", "m"), missing = "other"),
               grade = schema_categorical(c(3, 1), ordered = TRUE, other = "9"))
}

expect_same_counts <- function(connection) {
  here <- encode_table(mixed_people(), mixed_schema(), "data")
  there <- encode_table(dplyr::tbl(connection, "people"), mixed_schema(), "data")
  expect_identical(there$sizes, here$sizes)
  scopes <- c(list(integer()), as.list(1:4), utils::combn(4, 2, simplify = FALSE), list(4:1))
  expect_identical(joint_counts_all(there, scopes), joint_counts_all(here, scopes))
  expect_identical(joint_counts_all(there, list(integer())), list(300))
  expect_identical(joint_counts_all(there, list()), list())
  ready <- ready_source(there)
  expect_identical(joint_counts(ready, c("sex", "member")), joint_counts(here, c("sex", "member")))
  lazy <- encode_table(dplyr::tbl(connection, "people"), table_schema(age = schema_numeric(0, 100, cells = 7)), "data")
  expect_error(ready_source(lazy), "missing values", class = "dptda_error_argument")
  expect_error(encode_table(dplyr::tbl(connection, "people"), table_schema(none = "a"), "data"), "`none`",
               class = "dptda_error_argument")
}

test_that("SQLite counts the same rows in the same cells", {
  expect_same_counts(local_sqlite(mixed_people()))
})

test_that("PostgreSQL counts the same rows in the same cells", {
  expect_same_counts(local_postgres(mixed_people()))
})

# What a database's parser has room for: columns of as many cells as a schema takes, beside as many tables as a
# statement has.
wide_people <- function(n) {
  texts <- sprintf("level %05d", 0:4999)
  data <- data.frame(text = sample(texts, n, replace = TRUE), number = sample(5000, n, replace = TRUE) / 8,
                     x = stats::runif(n, -1, 2),
                     few = sample(c("u", "v", "w"), n, replace = TRUE), part = sample(2, n, replace = TRUE))
  data$text[1:3] <- c(texts[c(1, 5000)], "else")
  data$number[1:3] <- c(1 / 8, 625, 1 / 16)
  data$x[1:4] <- c(0, 1, 1 / 3, NA)
  data
}
wide_schema <- function() {
  table_schema(text = schema_categorical(sprintf("level %05d", 0:4999), missing = "other"),
               number = schema_categorical(1:5000 / 8, ordered = TRUE),
               x = schema_numeric(0, 1, breaks = sort(c(1 / 3, (1:9998 - 0.5) / 9999)), missing = "level"),
               few = c("u", "v"))
}

test_that("SQLite has room for the widest columns", {
  skip_unless_long()
  set.seed(8)
  data <- wide_people(200)
  connection <- local_sqlite(data)
  here <- encode_table(data, wide_schema(), "data")
  table <- table_rows(dplyr::tbl(connection, "people"), partition = "part")
  there <- encode_table(table, wide_schema(), "data")
  for (columns in list(c(1, 4), c(2, 4), 3)) expect_identical(joint_counts(there, columns), joint_counts(here, columns))
  for (columns in list(c(3, 1), c(2, 3))) {
    expect_no_error(try_count(there$rows, cell_table(unname(there$axes[columns]), columns), most_tables - 1))
  }
})

test_that("what the database has no room for is refused before anything is spent", {
  data <- data.frame(a = sample(30, 50, replace = TRUE), b = sample(600, 50, replace = TRUE))
  schema <- table_schema(a = schema_categorical(1:30), b = schema_categorical(1:600))
  budget <- privacy_budget(epsilon = 1)
  connection <- local_sqlite(data)
  people <- dplyr::tbl(connection, "people")
  # columns by themselves are two tables and no more
  crowded <- function(rows, statement) {
    if (lengths(gregexpr("UNION ALL", statement)) >= most_tables - 1) stop_dptda("database", "There is no room.")
  }
  with_replaced("try_statement", crowded, {
    expect_error(private_synthesis(people, schema, 1, method = "privbayes", budget = budget), "no room",
                 class = "dptda_error_database")
  })
  expect_identical(budget$spent[[1]], 0)
})

test_that("an axis with a cell for what is missing counts in memory too", {
  data <- mixed_people()
  source <- encode_table(data, mixed_schema(), "data")
  axes <- lapply(mixed_schema()$columns, database_axis)
  rows <- frame_rows(data, names(axes), "data")
  for (j in 1:4) {
    expect_identical(dense_counts(count_rows(rows, list(cell_table(unname(axes[j]), j)))[[1]], axes[[j]]$size),
                     joint_counts(source, j))
  }
})

test_that("a database that fails later says what is spent", {
  connection <- local_sqlite(mixed_people())
  source <- ready_source(encode_table(dplyr::tbl(connection, "people"), mixed_schema(), "data"))
  DBI::dbExecute(connection, "DELETE FROM people WHERE grade = 1")
  expect_error(joint_counts(source, 1:2), "number of rows of .* changed", class = "dptda_error_database")
  expect_match(source$rows$spent, "declared budget is spent")
})
