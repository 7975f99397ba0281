# Releases of several rounds over rows in databases: those of the same rows in memory, whether the rows are kept or read
# in each round.

random_rows <- function(n, D) {
  stats::setNames(as.data.frame(matrix(stats::rnorm(n * D, sd = 2), n)), paste0("x", seq_len(D)))
}

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

for (database in names(connect)) {
  test_that(paste("a release is that of the same rows in memory, in", database), {
    set.seed(34)
    X <- rbind(random_rows(300, 2) / 8 + 1, random_rows(300, 2) / 8 - 1)
    table <- dplyr::tbl(connect[[database]](X), "people")
    box <- domain_box(c(x1 = -4, x2 = -4), c(4, 4))
    seeded <- function(f, ...) {
      set.seed(35)
      f(...)
    }
    for (i in 1:4) {
      features <- c("whitened", "box")[i %% 2 + 1]
      assignment <- c("soft", "hard")[i %/% 2 %% 2 + 1]
      fit <- function(X) {
        budget <- privacy_budget(rho = 3)
        fit <- seeded(private_mixture, X, box, k = 2, rho = 2, rounds = 2, features = features,
                      assignment = assignment,
                      budget = budget, rng = "R")
        list(fit, budget$spent)
      }
      for (kept in c(2^27, 0)) {
        expect_equal(withr::with_options(list(dptda.kept_numbers = kept), fit(table)), fit(X), tolerance = 0)
      }
    }
    covariance <- function(X) seeded(private_covariance, X, box, rho = 1, rounds = 2, rng = "R")
    expect_equal(covariance(table), covariance(X), tolerance = 0)
    expect_equal(covariance(table_rows(table)), covariance(X), tolerance = 0)
    swapped <- table_rows(table, columns = c("x2", "x1"))
    expect_equal(covariance(swapped), covariance(X), tolerance = 0)
  })

  test_that(paste("missing values are refused before anything is spent, in", database), {
    box <- domain_box(c(x1 = -4), c(4))
    for (bad in c(NA, NaN)) {
      if (is.nan(bad) && database == "SQLite") next # it makes NULL of it
      budget <- privacy_budget(rho = 1)
      X <- data.frame(x1 = c(stats::rnorm(20), bad))
      con <- connect[[database]](X)
      expect_error(private_covariance(dplyr::tbl(con, "people"), box, rho = 1, budget = budget), "missing",
                   class = "dptda_error_argument")
      expect_identical(nrow(budget$ledger), nrow(privacy_budget(rho = 1)$ledger))
      DBI::dbBegin(con) # no transaction is left behind
      DBI::dbRollback(con)
    }
  })

  test_that(paste("all rounds of a release are in one transaction, in", database), {
    X <- random_rows(50, 1)
    con <- connect[[database]](X)
    rows <- table_rows(dplyr::tbl(con, "people"))
    # nothing is open afterwards, however it ends
    in_one_state(rows, function(looked) NULL)
    try(in_one_state(rows, function(looked) stop("no")), silent = TRUE)
    DBI::dbBegin(con)
    # within the user's own nothing is begun or ended
    DBI::dbExecute(con, "INSERT INTO people VALUES (0.5)")
    private_covariance(dplyr::tbl(con, "people"), domain_box(c(x1 = -4), 4), rho = 1)
    try(in_one_state(rows, function(looked) stop("no")), silent = TRUE)
    expect_identical(as.double(DBI::dbGetQuery(con, "SELECT COUNT(*) FROM people")[[1]]), 51)
    DBI::dbRollback(con)
    expect_identical(as.double(DBI::dbGetQuery(con, "SELECT COUNT(*) FROM people")[[1]]), 50)
  })
}

test_that("rows that come between two rounds are not seen", {
  X <- random_rows(50, 1)
  con <- local_postgres(X)
  schema <- DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]
  other <- connect_postgres(database_server("start"), options = paste0("-c search_path=", schema))
  withr::defer(DBI::dbDisconnect(other))
  rows <- table_rows(dplyr::tbl(con, "people"))
  query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(8, 0))
  pieces <- as_pieces(rows)
  sums <- function() query_sums(pieces, standard_model(1), domain_box(-4, 4), query)
  both <- in_one_state(rows, function(looked) {
    first <- sums()
    DBI::dbExecute(other, "INSERT INTO people VALUES (0.5)")
    DBI::dbExecute(other, "UPDATE people SET x1 = x1 + 1")
    list(first, sums())
  })
  expect_identical(both[[1]], both[[2]])
  expect_identical(both[[1]], query_sums(as.matrix(X), standard_model(1), domain_box(-4, 4), query))
  # alone the query finds another number of rows than was declared
  expect_error(sums(), "number of rows", class = "dptda_error_database")
})

test_that("a transaction that only reads is enough, and nothing can be written in it", {
  con <- local_postgres(random_rows(50, 1))
  rows <- table_rows(dplyr::tbl(con, "people"))
  expect_error(in_one_state(rows, function(looked) DBI::dbExecute(con, "DELETE FROM people")), "read-only")
  isolation <- function() in_one_state(rows, function(looked) DBI::dbGetQuery(con, "SHOW transaction_isolation")[[1]])
  expect_identical(isolation(), "repeatable read")
  DBI::dbExecute(con, "SET jit = on")
  expect_identical(in_one_state(rows, function(looked) DBI::dbGetQuery(con, "SHOW jit")[[1]]), "off")
  expect_identical(DBI::dbGetQuery(con, "SHOW jit")[[1]], "on")
  # one begun by hand is the user's as well
  DBI::dbExecute(con, "BEGIN")
  expect_identical(isolation(), "read committed")
  DBI::dbExecute(con, "ROLLBACK")
})

test_that("numbers of other types are numbers", {
  X <- data.frame(x1 = c(-5, 0, 1, 7), x2 = c(-1e3, 0.25, 0.5, 1e3))
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE TABLE people (x1 bigint, x2 numeric)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (-9223372036854775808, -1e400), (0, 0.25), (1, 0.5)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (9223372036854775807, 1e400)")
  box <- domain_box(c(-4, -4), c(4, 4))
  rows <- fetch_rows(table_rows(dplyr::tbl(con, "people")), 1)
  query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(10, 10))
  model <- start_model(standard_model(2), cbind(c(-1, 0), c(1, 0.5)))
  expect_identical(query_sums(rows, model, box, query), query_sums(as.matrix(X), model, box, query))
})

test_that("text among the numbers of SQLite is a missing value", {
  con <- local_sqlite()
  DBI::dbExecute(con, "CREATE TABLE people (x1 REAL)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (0.5), (1e999), (-1e999), (9223372036854775807)")
  box <- domain_box(c(x1 = -4), 4)
  expect_s3_class(private_covariance(dplyr::tbl(con, "people"), box, rho = 1), "dptda_private_covariance")
  DBI::dbExecute(con, "INSERT INTO people VALUES ('seven')")
  expect_error(private_covariance(dplyr::tbl(con, "people"), box, rho = 1), "text among numbers",
               class = "dptda_error_argument")
})

test_that("a table may have the names that pieces have, and may be what a pipe ends with", {
  X <- random_rows(40, 2)
  names(X) <- c("own_group", "point1")
  read <- function(table) fetch_rows(table_rows(table), 1)$data
  table <- dplyr::tbl(local_sqlite(X), "people")
  expect_identical(read(table), unname(as.matrix(X)))
  some <- dplyr::filter(utils::head(dplyr::arrange(table, own_group), 30), point1 > -100)
  expect_identical(sort(read(some)), sort(unlist(X[order(X$own_group)[1:30], ], use.names = FALSE)))
})
