# Rows of a database that rounds read piece by piece: the sums of the pieces are those of the rows in memory, however
# large a piece is, each row is read once, and what fails says nothing of a row.

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

keeping <- function(numbers, code) withr::with_options(list(dptda.kept_numbers = numbers), code)

piece_query <- function(hard = TRUE, bits = c(10, if (hard) 0 else 10)) {
  list(whitened = TRUE, hard = hard, stretch = 1, bits = bits)
}

piece_model <- list(weights = c(0.5, 0.5), means = cbind(c(-0.5, 0), c(0.5, 0.2)),
                    covariances = array(diag(0.1, 2), c(2, 2, 2)))

piece_box <- domain_box(c(x1 = -3, x2 = -3), c(3, 3))

# The same rows, of which each piece goes through `f` as it is read.
with_each_piece <- function(rows, f) {
  open <- rows$dialect$pieces
  rows$dialect$pieces <- function(connection, statement, size) {
    pieces <- open(connection, statement, size)
    read <- pieces$read
    pieces$read <- function() f(read())
    pieces
  }
  rows
}

in_pieces_of <- function(rows, code) with_replaced("piece_numbers", 2 * rows, code)

for (database in names(connect)) {
  test_that(paste("sums over pieces of any size are those of memory, in", database), {
    set.seed(91)
    ends <- c(Inf, -Inf, 1.7976931348623157e308, 4.9e-324, -4.9e-324, -3, 3)
    X <- data.frame(x1 = c(stats::rnorm(60, sd = 2), ends), x2 = c(stats::rnorm(60, sd = 2), rev(ends)))
    rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
    kept <- fetch_rows(rows, 3)
    expect_s3_class(kept, "dptda_memory_rows")
    expect_identical(kept$data[order(kept$data[, 2]), ], unname(as.matrix(X[order(X$x2), ])))
    rows <- if (rows$dialect$streams()) keeping(0, suppressMessages(fetch_rows(rows, 3))) else as_pieces(rows)
    expect_s3_class(rows, "dptda_pieces")
    memory <- as.matrix(X)
    starts <- lapply(1:3, function(i) draw_centers(2, 2, "R"))
    global <- standard_model(2)
    for (size in c(1, 7, nrow(X), nrow(X) + 1, 1e6)) in_pieces_of(size, {
      for (hard in c(TRUE, FALSE)) {
        query <- piece_query(hard)
        expect_identical(query_sums(rows, piece_model, piece_box, query),
                         query_sums(memory, piece_model, piece_box, query))
      }
      expect_identical(lloyd_sums(rows, piece_model$means, piece_box, list(bits = 9)),
                       lloyd_sums(memory, piece_model$means, piece_box, list(bits = 9)))
      expect_identical(start_scores(rows, global, piece_box, starts, 0.5, 8),
                       start_scores(memory, global, piece_box, starts, 0.5, 8))
    })
  })

  test_that(paste("columns of other types, chosen, filtered and computed ones come as numbers, in", database), {
    X <- data.frame(x1 = 1:40, yes = rep(c(TRUE, FALSE), 20), x2 = seq(0, 1, length.out = 40), who = "a")
    con <- connect[[database]](X)
    box <- domain_box(c(x2 = 0, x1 = 0), c(1, 50))
    covariance <- function(x) {
      set.seed(92)
      private_covariance(x, box, rho = 1, rounds = 2, rng = "R")$cov
    }
    expect_identical(covariance(dplyr::tbl(con, "people")), covariance(X))
    some <- dplyr::filter(dplyr::tbl(con, "people"), x1 > 10)
    expect_identical(covariance(some), covariance(X[X$x1 > 10, ]))
    half <- dplyr::mutate(dplyr::tbl(con, "people"), x1 = x1 / 2)
    expect_identical(covariance(half), covariance(transform(X, x1 = x1 / 2)))
    # after it nothing is open
    expect_identical(as.double(DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM people")$n), 40)
  })

  test_that(paste("rows that come or go, or fail, end a release without a word about them, in", database), {
    X <- data.frame(x1 = stats::rnorm(30), x2 = 7e5)
    con <- connect[[database]](X)
    rows <- as_pieces(table_rows(dplyr::tbl(con, "people")))
    DBI::dbExecute(con, "INSERT INTO people VALUES (0.5, 0.5)")
    ends <- tryCatch(query_sums(rows, piece_model, piece_box, piece_query()), error = identity)
    expect_s3_class(ends, "dptda_error_database")
    expect_match(conditionMessage(ends), "number of rows.*the declared budget is spent")
    rows$dialect$pieces <- function(connection, statement, size) {
      list(read = function() stop("7e5 is no number"), close = function() NULL)
    }
    ends <- tryCatch(query_sums(rows, piece_model, piece_box, piece_query()), error = identity)
    expect_s3_class(ends, "dptda_error_database")
    expect_match(conditionMessage(ends), "the declared budget is spent")
    expect_no_match(conditionMessage(ends), "7e5")
    # nothing is missing, once it was checked; what is so since then is in the middle, and fails nothing
    rows$dialect$pieces <- function(connection, statement, size) {
      left <- list(data.frame(point1 = rep(NA, 30), point2 = 0), data.frame())
      list(read = function() {
        piece <- left[[1]]
        left <<- left[-1]
        piece
      }, close = function() NULL)
    }
    expect_identical(query_sums(rows, piece_model, piece_box, piece_query()),
                     query_sums(cbind(rep(0, 30), 0), piece_model, piece_box, piece_query()))
  })

  test_that(paste("who listens to progress may ask the same connection, in", database), {
    con <- connect[[database]](data.frame(x1 = stats::rnorm(30), x2 = stats::rnorm(30)))
    people <- dplyr::tbl(con, "people")
    heard <- 0
    withr::local_options(dptda.progress = function(fraction) {
      heard <<- heard + 1
      DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM people")
    })
    release <- function() private_covariance(people, piece_box, rho = 1e3, rounds = 3)
    for (numbers in c(2^27, if (table_rows(people)$dialect$streams()) 0)) {
      heard <- 0
      keeping(numbers, {
        with_replaced("throttled", function(report) report, in_pieces_of(7, suppressMessages(release())))
      })
      expect_identical(heard, 2)
    }
  })

  test_that(paste("rows of people are weighed in pieces as in memory, in", database), {
    set.seed(93)
    X <- data.frame(patient = rep(1:20, 1:20), x1 = round(stats::rnorm(210), 1), x2 = stats::rnorm(210))
    con <- connect[[database]](X)
    mixture <- function(x) {
      set.seed(94)
      private_mixture(table_rows(x, person = "patient"), piece_box, k = 2, rho = 50, rounds = 2, rng = "R")
    }
    suppressWarnings(expect_equal(mixture(dplyr::tbl(con, "people")), mixture(X), tolerance = 1e-12))
    rows <- weigh_rows(check_point_rows(table_rows(dplyr::tbl(con, "people"), person = "patient"), NULL, piece_box,
                                        arg = "x"), 16)
    memory <- weigh_rows(check_point_rows(table_rows(X, person = "patient"), NULL, piece_box, arg = "x"), 16)
    rows <- as_pieces(rows)
    for (size in c(1, 13, 1e4)) in_pieces_of(size, {
      expect_identical(query_sums(rows, piece_model, piece_box, piece_query()),
                       query_sums(memory, piece_model, piece_box, piece_query()))
    })
    # a weight beyond what a person has is none, and people that were lost end the release
    rows <- with_each_piece(rows, function(piece) {
      if (nrow(piece)) piece[[3]] <- piece[[3]] * 1000
      piece
    })
    expect_error(query_sums(rows, piece_model, piece_box, piece_query()), "The people in .* changed",
                 class = "dptda_error_database")
  })
}

test_that("no more rows are in R at a time than a piece has", {
  con <- local_sqlite()
  DBI::dbExecute(con, paste("CREATE TABLE people AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n",
                            "WHERE i < 50000) SELECT i * 1.0 AS x1, i * 2.0 AS x2 FROM n"))
  rows <- as_pieces(table_rows(dplyr::tbl(con, "people")))
  sizes <- NULL
  rows <- with_each_piece(rows, function(piece) {
    sizes <<- c(sizes, nrow(piece))
    piece
  })
  sums <- in_pieces_of(3000, query_sums(rows, piece_model, piece_box, piece_query()))
  expect_identical(sum(sums[1, ]), 5e4)
  expect_identical(as.double(max(sizes)), 3000)
  expect_length(sizes, 18)
})

test_that("rows that fit are read once, before the charge, and larger tables once more in each round", {
  con <- local_sqlite(data.frame(x1 = stats::rnorm(60), x2 = stats::rnorm(60)))
  people <- dplyr::tbl(con, "people")
  readings <- function(numbers) {
    budget <- privacy_budget(rho = 1e4)
    read <- list()
    count <- function(rows, use) {
      read[[length(read) + 1]] <<- budget$spent
      pieces(rows, use)
    }
    pieces <- read_pieces
    release <- function() private_covariance(people, piece_box, rho = 1e3, rounds = 3, budget = budget)
    told <- testthat::capture_messages(keeping(numbers, with_replaced("read_pieces", count, release())))
    list(spent = unlist(read), told = told)
  }
  for (numbers in c(120, 119)) {
    found <- readings(numbers)
    expect_equal(found$spent, if (numbers == 120) 0 else c(0, 1e3, 1e3, 1e3))
    expect_identical(length(found$told), as.integer(numbers < 120))
  }
  expect_match(found$told, "`x` has 60 rows in a database, and rounds read all rows into R: about 1 MB, 4 times.",
               fixed = TRUE)
  for (wrong in list(-1, "all", NA_real_, 1:2)) {
    expect_error(keeping(wrong, private_covariance(people, piece_box, rho = 1)), "dptda.kept_numbers",
                 class = "dptda_error_argument")
  }
})

test_that("a failure after the charge has spent, and cannot be if rows are kept", {
  con <- local_sqlite(data.frame(x1 = stats::rnorm(60), x2 = stats::rnorm(60)))
  people <- dplyr::tbl(con, "people")
  for (kept in c(TRUE, FALSE)) {
    budget <- privacy_budget(rho = 5)
    spend <- spend_budget
    gone <- function(...) {
      spend(...)
      # the release has a transaction, which ends before the charge if the rows are kept
      if (!kept) DBI::dbRollback(con)
      DBI::dbExecute(con, "ALTER TABLE people RENAME TO others")
    }
    release <- function() private_covariance(people, piece_box, rho = 1, rounds = 3, budget = budget)
    ends <- keeping(if (kept) 2^27 else 0, with_replaced("spend_budget", gone, {
      tryCatch(suppressMessages(suppressWarnings(release())), error = identity)
    }))
    DBI::dbExecute(con, "ALTER TABLE others RENAME TO people")
    expect_identical(budget$spent, 1)
    if (kept) expect_s3_class(ends, "dptda_private_covariance") else expect_s3_class(ends, "dptda_error_database")
  }
  expect_match(conditionMessage(ends), "the declared budget is spent")
})

test_that("a driver that reads all rows at once refuses large tables, before anything is spent", {
  table <- dplyr::tbl(local_sqlite(data.frame(x1 = 1:10, x2 = 0)), "people")
  rows <- table_rows(table)
  rows$dialect$streams <- function() FALSE
  keeping(20, expect_s3_class(fetch_rows(rows, 1), "dptda_memory_rows"))
  keeping(19, expect_error(fetch_rows(rows, 1), "`x` has 10 rows .* all rows into R at once.*at most 19 numbers",
                           class = "dptda_error_database"))
  large <- as_pieces(rows)
  large$n <- 1e9
  expect_error(check_reading(large, 9), "A random sample of 1,000,000 rows", class = "dptda_error_database")
  large$dialect$streams <- function() TRUE
  expect_message(check_reading(large, 9), "1,000,000,000 rows .*: about 16,000 MB, 10 times. A random sample",
                 class = "dptda_message_rows")
})

test_that("rows of a partition are read like others, which is said", {
  set.seed(95)
  X <- data.frame(x1 = stats::rnorm(90), x2 = stats::rnorm(90))
  covariance <- function(x) {
    set.seed(96)
    private_covariance(x, piece_box, rho = 1, rounds = 2, rng = "R")$cov
  }
  for (con in list(local_sqlite(cbind(shard = rep(1:3, 30), X)), local_shards(X))) {
    name <- if (is.null(attr(con, "table"))) "people" else attr(con, "table")
    rows <- table_rows(dplyr::tbl(con, name), columns = c("x1", "x2"), partition = "shard")
    expect_message(found <- covariance(rows), "do not use `partition`): about 1 MB, once", class = "dptda_message_rows")
    expect_identical(found, covariance(X))
  }
})

test_that("rows that are chosen at random are refused before anything is spent", {
  set.seed(97)
  X <- data.frame(x1 = stats::rnorm(600), x2 = stats::rnorm(600))
  chosen <- list(SQLite = "abs(random() % 100) < 90", PostgreSQL = "random() < 0.9")
  for (database in names(chosen)) {
    con <- connect[[database]](X)
    DBI::dbExecute(con, paste("CREATE VIEW chosen AS SELECT * FROM people WHERE", chosen[[database]]))
    tables <- list(dplyr::tbl(con, "chosen"), dplyr::filter(dplyr::tbl(con, "people"), dplyr::sql(chosen[[database]])))
    budget <- privacy_budget(rho = 100)
    ended <- replicate(long_or(60, 6), {
      release <- function() private_covariance(tables[[sample(2, 1)]], piece_box, rho = 1, rounds = 4, budget = budget)
      inherits(suppressMessages(tryCatch(release(), error = identity)), "dptda_error_database")
    })
    # all but one in a million get through
    expect_true(all(ended))
    expect_identical(budget$spent, 0)
  }
})

test_that("what a view draws for a row is one value", {
  con <- local_sqlite(data.frame(i = 1:2000))
  DBI::dbExecute(con, "CREATE VIEW drawn AS SELECT CASE WHEN random() & 1 THEN 'text' ELSE 0.5 END AS x1 FROM people")
  statement <- as_pieces(table_rows(dplyr::tbl(con, "drawn")))$piece_statement
  # a text that was tested as another draw, a number, would be zero
  expect_setequal(DBI::dbGetQuery(con, statement)$point1, c(0.5, NA))
})
