# Expressions are printed as SQL, and databases must give what R makes of the same expressions, bit for bit.

# An expression of the columns a, b and c: numbers of moderate size, so that nothing leaves the doubles and no divisor
# is zero.
random_expression <- function(depth) {
  leaf <- function() {
    if (stats::runif(1) < 0.7) as.name(sample(c("a", "b", "c"), 1)) else round(stats::runif(1, -9, 9), sample(0:9, 1))
  }
  if (depth == 0) return(leaf())
  one <- function() random_expression(depth - 1)
  test <- function() call(sample(c("<", "<=", ">", ">="), 1), one(), one())
  logic <- function(a, b) call(sample(c("&", "|"), 1), a, b)
  both <- function() logic(test(), if (stats::runif(1) < 0.5) test() else logic(test(), test()))
  sum <- function(a, b) call(sample(c("+", "-", "*"), 1), a, b)
  switch(sample(6, 1),
    sum(one(), one()),
    sum(sum(one(), one()), sum(one(), one())),
    call("/", one(), call("+", 1.5, call("*", as.name("a"), as.name("a")))),
    call("floor", one()),
    call("cases", test(), one(), one()),
    call("cases", both(), one(), test(), one(), one())
  )
}

in_database <- function(con, expressions, values = list()) {
  dialect <- dialect_of(con)
  columns <- list(a = "a", b = "b", c = "c")
  words <- vapply(expressions, function(expression) as.vector(sql_of(expression, c(values, columns), dialect)), "")
  select <- paste(words, "AS", paste0("r", seq_along(words)), collapse = ", ")
  DBI::dbGetQuery(con, paste("SELECT", select, "FROM people ORDER BY id"))
}

for (database in c("SQLite", "PostgreSQL", "DuckDB")) {
  connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)[[database]]

  test_that(paste("numbers are those of R, bit for bit, in", database), {
    set.seed(1201)
    data <- data.frame(id = 1:40, a = stats::rnorm(40), b = stats::rnorm(40, sd = 10), c = round(stats::rnorm(40), 1))
    con <- connect(data)
    expressions <- lapply(1:60, function(i) random_expression(1 + i %% 4))
    found <- in_database(con, expressions)
    for (i in seq_along(expressions)) {
      expected <- rep_len(as.double(sql_value(expressions[[i]], data)), 40)
      expect_identical(as.double(found[[i]]) + 0, expected + 0, info = deparse1(expressions[[i]]))
    }
  })

  test_that(paste("searches and signs in a row are those of R, in", database), {
    set.seed(1202)
    data <- data.frame(id = 1:30, a = round(stats::rnorm(30)), b = round(stats::rnorm(30)), c = round(stats::rnorm(30)))
    con <- connect(data)
    values <- list(leaves = c(5, 7, 9, 11), cuts = c(-1, 0, 0.5), one = 1L, many = as_whole(2^52))
    expressions <- list(
      quote(search(a, cuts, leaves)), quote(one_if(a < b) * one + many), quote(a - (b - c)), quote(a - b - c),
      quote(a / (b * b + 1) / 3), quote(-many + a)
    )
    found <- in_database(con, expressions, values)
    for (i in seq_along(expressions)) {
      expected <- vapply(1:30, function(row) {
        as.double(sql_value(expressions[[i]], c(values, as.list(data[row, ]))))
      }, 0)
      expect_identical(as.double(found[[i]]) + 0, expected + 0, info = deparse1(expressions[[i]]))
    }
  })
}

test_that("constants that are zero are not printed, whole numbers have no point", {
  skip_if_not_installed("dbplyr")
  dialect <- dialect_of(dbplyr::simulate_sqlite())
  of <- function(expression, ...) as.vector(sql_of(expression, list(x = "x1", ...), dialect))
  expect_identical(of(quote(2 * (x - m)), m = "1.0"), "2.0 * (x1 - 1.0)")
  expect_identical(of(quote(2 * (x - m)), m = NA_character_), "2.0 * x1")
  expect_identical(of(quote(x + n), n = as_whole(2^53)), "x1 + 9007199254740992")
  expect_identical(of(quote(x > -n & x < 2), n = 3L), "x1 > (-3) AND x1 < 2.0")
  expect_identical(of(quote((x > 1 | x < 0) & x < 2)), "(x1 > 1.0 OR x1 < 0.0) AND x1 < 2.0")
})

unless_missing <- function(word) if (identical(word, NA_character_)) 0 else word

test_that("a row has the cell and the step that the kernel finds, by the same expressions", {
  set.seed(1203)
  x <- c(stats::rnorm(200, sd = 2), seq(-1, 3, by = 0.25), -Inf, Inf, 1e300, -1e300, 5e-324)
  cell <- function(axis) {
    vapply(x, function(x) count_rows(list_rows(list(x), NULL), list(cell_table(list(axis))))[[1]]$cell - 1, 0)
  }
  numbers <- function(expression, values, dialect) {
    vapply(x, function(x) as.double(sql_value(expression, replace(values, "x", x))), 0)
  }
  with_replaced("sql_of", numbers, {
    for (axis in list(axis_cells(-1, 3, 16), axis_cells(0, 1, 3), axis_cells(-0.1, 0.7, 2))) {
      expect_identical(sql_uniform(x, axis, NULL), cell(axis))
    }
    axis <- axis_intervals(c(-2, -0.5, 0, 0.1, 2.5))
    found <- sql_cuts(x, axis, NULL)
    expect_identical(found, cell(axis))
    for (box in list(domain_box(-1, 3), domain_box(-1e6, 1e6), domain_box(0, 1), domain_box(2^53 + 2, 2^53 + 20),
                     domain_box(-1 - 2^-50, -1))) {
      lattice <- public_lattice(box, 4)
      steps <- vapply(x, function(x) sum_rows(matrix_rows(matrix(x)), lattice)[1], 0)
      between <- list(between = "a word", by_column = TRUE)
      for (dialect in list(NULL, between)) {
        # what is not taken away is zero
        known <- function(expression, values, dialect) numbers(expression, lapply(values, unless_missing), dialect)
        with_replaced("sql_of", known, {
          expect_identical(sql_steps(x, lattice$step, lattice$first, lattice$last, dialect, TRUE) + 0, steps)
        })
      }
    }
  })
})
