# Looks at rows in databases against the kernel: in doubles of IEEE 754 both do the same operations, so the same whole
# numbers come out, unless a database's exp() or log() differs in the last digit from that of C and decides a rounding.

query_kinds <- expand.grid(whitened = c(TRUE, FALSE), hard = c(TRUE, FALSE))

database_model <- function(D, K) {
  S <- array(0, c(D, D, K))
  for (k in seq_len(K)) {
    S[, , k] <- bound_eigenvalues(stats::rWishart(1, D + 2, diag(D))[, , 1] * 10^stats::runif(1, -5, 0), 1e-7, 4)
  }
  weights <- stats::runif(K, 0.1, 1)
  list(weights = weights / sum(weights), means = matrix(stats::runif(D * K, -1, 1), D), covariances = S)
}

memory_sums <- function(X, model, box, query) query_sums(as.matrix(X), model, box, query)

# Counts and sums of the rows nearest to each center, one row after the other.
slow_mean_sums <- function(X, centers, box, bits) {
  sums <- matrix(0, 1 + ncol(X), ncol(centers))
  for (i in seq_len(nrow(X))) {
    x <- pmin(pmax(as.numeric(X[i, ]), box$lower), box$upper)
    z <- pmin(pmax(2 * ((x - box$lower) / (box$upper - box$lower)) - 1, -1), 1)
    k <- which.min(colSums((z - centers)^2))
    sums[, k] <- sums[, k] + c(1, floor(z * 2^bits + 0.5))
  }
  sums
}

kind_of_query <- function(kind, bits, clusters) {
  stretch <- if (kind$whitened && clusters > 1) 3 else 1
  c(as.list(kind), list(stretch = stretch, bits = c(bits, if (kind$hard || clusters == 1) 0 else bits)))
}

random_rows <- function(n, D) {
  stats::setNames(as.data.frame(matrix(stats::rnorm(n * D, sd = 2), n)), paste0("x", seq_len(D)))
}

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

# What could end a statement or leave a lattice: ends of doubles, and places next to the ends of the box [-1, 3] and to
# its middle.
nasty <- c(Inf, -Inf, 1.7976931348623157e308, -1.7976931348623157e308, 4.9e-324, -4.9e-324, 2.2250738585072014e-308, 0,
           -1, 3, -1 + 2^-53, -1 + 2^-52, -1 - 2^-52, 3 - 2^-51, 3 + 2^-51, 1, 1 - 2^-53, 1 + 2^-52, 1e-160,
           -1e-160, 1e16)

for (database in names(connect)) {
  test_that(paste("the sums are those of the kernel, in", database), {
    set.seed(31)
    different <- 0
    for (case in list(c(D = 1, K = 1), c(D = 1, K = 3), c(D = 3, K = 4))) {
      D <- case[["D"]]
      K <- case[["K"]]
      X <- random_rows(200, D)
      rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
      box <- domain_box(rep(-3, D), seq_len(D))
      model <- database_model(D, K)
      for (i in seq_len(nrow(query_kinds))) {
        query <- kind_of_query(query_kinds[i, ], 12, K)
        sums <- query_sums(rows, model, box, query)
        expected <- memory_sums(X, model, box, query)
        expect_identical(dim(sums), dim(expected))
        # nothing but an exponential is not the same operation
        if (query$hard || K == 1) expect_identical(sums, expected)
        expect_lt(max(abs(sums - expected)), 20 * 4^12 * D)
        different <- different + sum(sums != expected)
        if (K > 1 || !query$whitened) next
        query$far <- TRUE
        expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
      }
    }
    expect_lte(different, 3) # none was seen
  })

  test_that(paste("the sums are those that R finds by the same steps, in", database), {
    set.seed(42)
    for (case in list(c(D = 1, K = 1), c(D = 2, K = 1), c(D = 1, K = 2), c(D = 3, K = 4))) {
      D <- case[["D"]]
      K <- case[["K"]]
      X <- random_rows(25, D)
      rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
      box <- domain_box(rep(-3, D), seq_len(D))
      Z <- vapply(seq_len(D), function(j) {
        width <- box$upper[j] - box$lower[j]
        values <- list(present = TRUE, x = X[[j]], lower = box$lower[j], width = width, end = -box$upper[j],
                       near = box$lower[j] + width * 2^-58)
        sql_value(box_place, values)
      }, double(25))
      model <- database_model(D, K)
      # a zero is not printed
      if (D > 1) model$covariances[] <- diag(diag(model$covariances[, , 1]))
      for (i in seq_len(nrow(query_kinds))) {
        query <- kind_of_query(query_kinds[i, ], 12, K)
        public <- query_model(model, box, query$stretch)
        whiten <- aperm(array(public$whiten, c(D, D, K)), c(3, 1, 2))
        numbers <- list(level = public$level, mean = t(public$mean), whiten = whiten, stretch = public$stretch)
        expected <- run_steps(query_steps(numbers, query), query_terms(D), Z, K)
        sums <- query_sums(rows, model, box, query)
        if (query$hard || K == 1) expect_identical(sums, expected)
        # an exponential may decide a rounding
        expect_lte(max(abs(sums - expected)), 20 * 4^12 * D)
        expect_lte(sum(sums != expected), 3)
        if (K > 1 || !query$whitened) next
        query$far <- TRUE
        expected <- run_steps(query_steps(numbers, query), query_terms(D, far = TRUE), Z, K)
        expect_identical(query_sums(rows, model, box, query), expected)
      }
      centers <- matrix(stats::runif(D * K, -1, 1), D)
      expected <- run_steps(mean_steps(t(centers), 9), query_terms(D, FALSE), Z, K)
      expect_identical(lloyd_sums(rows, centers, box, list(bits = 9)), expected)
      fitted <- database_model(D, 1)
      global <- query_model(fitted, box)
      numbers <- list(level = 0, mean = t(global$mean), whiten = array(global$whiten, c(1, D, D)))
      starts <- lapply(1:3, function(i) draw_centers(K, D, "R"))
      C <- aperm(array(unlist(starts), c(D, K, 3)), c(3, 2, 1))
      expected <- run_steps(score_steps(numbers, C, 0.5, 8), score_terms(8), Z, 1)
      expect_lte(max(abs(start_scores(rows, fitted, box, starts, 0.5, 8) - expected)), 1)
    }
  })

  test_that(paste("rows at the ends of what there is are those of the kernel, in", database), {
    set.seed(32)
    X <- data.frame(x1 = rep(nasty, length(nasty)), x2 = rep(nasty, each = length(nasty)))
    rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
    box <- domain_box(c(-1, -1), c(3, 3))
    models <- list(
      database_model(2, 3),
      # no row but one is near, and no constant is far from zero
      list(weights = rep(1, 3) / 3, means = cbind(c(0, 0), c(1e-300, -1e-170), c(1, 1)),
           covariances = array(c(1e-7, 1e-250, 1e-250, 4), c(2, 2, 3)))
    )
    for (model in models) for (i in seq_len(nrow(query_kinds))) {
      query <- kind_of_query(query_kinds[i, ], 10, 3)
      expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
    }
  })

  test_that(paste("rows go to the center that is nearest, in", database), {
    set.seed(40)
    X <- rbind(random_rows(200, 2), data.frame(x1 = nasty, x2 = rev(nasty)))
    rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
    box <- domain_box(c(-1, -2), c(3, 2))
    for (K in c(1, 2, 5)) {
      centers <- matrix(stats::runif(2 * K, -1, 1), 2)
      if (K == 5) centers[, 4] <- centers[, 2] # the first of two
      expect_identical(lloyd_sums(rows, centers, box, list(bits = 12)), slow_mean_sums(X, centers, box, 12))
    }
  })

  test_that(paste("no sum is read as a missing value, in", database), {
    # R's missing value is the integer -2^31
    rows <- table_rows(dplyr::tbl(connect[[database]](data.frame(x1 = -1, x2 = 0.5)), "people"))
    box <- domain_box(c(-1, -1), c(1, 1))
    query <- list(whitened = FALSE, hard = TRUE, stretch = 1, bits = c(16, 0))
    sums <- query_sums(rows, standard_model(2), box, query)
    expect_identical(sums[5, 1], -2^31)
    expect_identical(sums, memory_sums(cbind(-1, 0.5), standard_model(2), box, query))
    X <- data.frame(x1 = double(2048))
    table <- dplyr::tbl(connect[[database]](X), "people")
    expect_identical(lloyd_sums(table_rows(table), matrix(0), domain_box(0, 1), list(bits = 20)),
                     matrix(c(2048, -2^31)))
    X <- data.frame(x1 = double(4096))
    table <- dplyr::tbl(connect[[database]](X), "people")
    covariance <- function(X) {
      set.seed(41)
      private_covariance(X, domain_box(0, 1), columns = "x1", rho = 1, rounds = 1, rng = "R")
    }
    expect_identical(covariance(table)$cov, covariance(X)$cov)
  })

  test_that(paste("the largest sum is read without a word, in", database), {
    rows <- table_rows(dplyr::tbl(connect[[database]](data.frame(x1 = rep(1, 16))), "people"))
    query <- list(whitened = FALSE, hard = TRUE, stretch = 1, bits = c(24, 0))
    expect_silent(sums <- query_sums(rows, standard_model(1), domain_box(-1, 1), query))
    expect_identical(sums, matrix(c(16, 2^28, 2^52)))
  })

  test_that(paste("the scores of starts are those of the kernel, in", database), {
    set.seed(33)
    X <- rbind(random_rows(200, 2), data.frame(x1 = nasty, x2 = rev(nasty)))
    rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
    box <- domain_box(c(-1, -2), c(3, 2))
    global <- database_model(2, 1)
    for (K in c(1, 3)) {
      starts <- lapply(1:5, function(i) draw_centers(K, 2, "R"))
      starts[[2]][] <- 0
      expected <- start_scores(as.matrix(X), global, box, starts, start_spread(K, 2), 8)
      scores <- start_scores(rows, global, box, starts, start_spread(K, 2), 8)
      # an exponential may decide a rounding
      expect_lte(max(abs(scores - expected)), 2)
      expect_true(all(scores >= 0 & scores <= nrow(X) * 6 * 2^8))
    }
  })

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
      expect_equal(fit(table), fit(as.matrix(X)), tolerance = 1e-12)
    }
    covariance <- function(X) seeded(private_covariance, X, box, rho = 1, rounds = 2, rng = "R")
    expect_equal(covariance(table), covariance(as.matrix(X)), tolerance = 0)
    expect_equal(covariance(table_rows(table)), covariance(as.matrix(X)), tolerance = 0)
    swapped <- table_rows(table, columns = c("x2", "x1"))
    expect_equal(covariance(swapped), covariance(as.matrix(X)), tolerance = 0)
  })

  test_that(paste("what a database computes otherwise keeps the bounds, in", database), {
    set.seed(36)
    X <- random_rows(60, 2)
    con <- connect[[database]](X)
    rows <- table_rows(dplyr::tbl(con, "people"))
    box <- domain_box(c(-3, -3), c(3, 3))
    model <- database_model(2, 3)
    query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(8, 8))
    statement <- query_statement(rows, model, box, query)
    expect_identical(ask_query(rows, statement, 3, 6), query_sums(as.matrix(X), model, box, query))
    word <- function(x) sql_number(as.double(x), rows$dialect)
    step <- paste(" *", word("256.0"), "+", word("0.5"))
    tampered <- function(from, to) {
      other <- gsub(from, to, statement, fixed = TRUE)
      expect_false(identical(other, statement))
      ask_query(rows, other, 3, 6)
    }
    whole <- 60 * 2^8
    # features longer than they may be are left out
    long <- tampered("SQRT(", "1.5 * SQRT(")
    expect_true(all(long[1, ] >= 0) && sum(long[1, ]) < whole)
    expect_true(all(long[4, ] + long[6, ] <= long[1, ] * 2 * 4^8))
    # one step too long is one step toward zero
    near <- tampered(paste("*", word("256.0"), "AS"), "* 256.5 AS")
    expect_true(all(near[4, ] + near[6, ] <= near[1, ] * 2 * 4^8))
    expect_gt(sum(near[1, ]), 0.9 * whole)
    # shares that add up to more are cut at what is left
    more <- tampered(step, " * 256.0 + 200.5")
    expect_equal(sum(more[1, ]), whole)
    less <- tampered(step, " * 256.0 - 200.5")
    expect_true(all(less[1, ] >= 0) && sum(less[1, ]) < whole)
    in_box <- list(whitened = FALSE, hard = FALSE, stretch = 1, bits = c(8, 8))
    statement <- query_statement(rows, model, box, in_box)
    less <- tampered(step, " * 256.0 - 200.5")
    expect_true(all(less[1, ] >= 0) && sum(less[1, ]) < whole && sum(less[1, ]) > 0)
    # a feature out of the box is nothing
    quoted <- fill_word(rows$dialect$quoted, "z1")
    out <- tampered(paste0(quoted, step), paste(quoted, "* 256.0 + 600.5"))
    expect_true(all(out[c(2, 4), ] == 0) && any(out[3, ] != 0))
    # an exponential of any size
    expect_lte(sum(tampered("EXP(", "100.0 * EXP(")[1, ]), whole)
  })

  test_that(paste("a score out of its range is cut in whole numbers, in", database), {
    X <- random_rows(30, 1)
    rows <- table_rows(dplyr::tbl(connect[[database]](X), "people"))
    statement <- score_statement(rows, database_model(1, 1), domain_box(-3, 3), list(matrix(c(-1, 1), 1)), 0.1, 4)
    word <- function(x) sql_number(as.double(x), rows$dialect)
    for (to in c("* 16.0 + 900.5", "* 16.0 - 900.5")) {
      other <- gsub(paste("*", word("16.0"), "+", word("0.5")), to, statement, fixed = TRUE)
      expect_false(identical(other, statement))
      score <- ask_query(rows, other, 1, 1)
      expect_true(score >= 0 && score <= 30 * 96)
    }
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
  sums <- function() query_sums(rows, standard_model(1), domain_box(-4, 4), query)
  both <- in_one_state(rows, function(looked) {
    first <- sums()
    DBI::dbExecute(other, "INSERT INTO people VALUES (0.5)")
    DBI::dbExecute(other, "UPDATE people SET x1 = x1 + 1")
    list(first, sums())
  })
  expect_identical(both[[1]], both[[2]])
  expect_identical(both[[1]], memory_sums(X, standard_model(1), domain_box(-4, 4), c(query)))
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

test_that("over a partition the same sums come out", {
  set.seed(37)
  X <- random_rows(90, 2)
  box <- domain_box(c(-3, -3), c(3, 3))
  model <- database_model(2, 3)
  in_parts <- local_sqlite(cbind(shard = rep(1:3, 30), X))
  shards <- local_shards(X)
  for (con in list(in_parts, shards)) {
    name <- if (is.null(attr(con, "table"))) "people" else attr(con, "table")
    rows <- table_rows(dplyr::tbl(con, name), columns = c("x1", "x2"), partition = "shard")
    for (i in 1:4) {
      query <- kind_of_query(query_kinds[i, ], 8, 3)
      expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
    }
    starts <- list(draw_centers(3, 2, "R"))
    expect_lte(abs(start_scores(rows, database_model(2, 1), box, starts, 0.3, 8) / 90), 6 * 2^8)
  }
})

test_that("numbers of other types are numbers", {
  X <- data.frame(x1 = c(-5, 0, 1, 7), x2 = c(-1e3, 0.25, 0.5, 1e3))
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE TABLE people (x1 bigint, x2 numeric)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (-9223372036854775808, -1e400), (0, 0.25), (1, 0.5)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (9223372036854775807, 1e400)")
  box <- domain_box(c(-4, -4), c(4, 4))
  rows <- table_rows(dplyr::tbl(con, "people"))
  for (i in 1:4) {
    query <- kind_of_query(query_kinds[i, ], 10, 2)
    set.seed(38)
    model <- database_model(2, 2)
    expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
  }
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

test_that("a table may have the names that the steps have", {
  X <- random_rows(40, 2)
  names(X) <- c("share", "q1")
  box <- domain_box(c(-3, -3), c(3, 3))
  model <- database_model(2, 2)
  query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(8, 8))
  for (name in c("step1", "step3", "Steps4")) {
    rows <- table_rows(dplyr::tbl(local_sqlite(X, name), name))
    expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
  }
  # and may be what a pipe ends with
  table <- dplyr::arrange(dplyr::tbl(local_sqlite(X, "step2"), "step2"), share)
  table <- dplyr::filter(utils::head(table, 30), q1 > -100)
  rows <- table_rows(table)
  expect_identical(query_sums(rows, model, box, query), memory_sums(X[order(X$share)[1:30], ], model, box, query))
})

test_that("a database without functions is refused before anything is spent", {
  skip_if_no_databases()
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:", loadable.extensions = FALSE)
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "people", cbind(random_rows(30, 1), part = 1:3))
  skip_if(has_function(con, "EXP", "-1.0", exp(-1)), "this SQLite has them built in")
  budget <- privacy_budget(rho = 1)
  # in parts, or rows would be handed over, and no function needed
  table <- table_rows(dplyr::tbl(con, "people"), columns = "x1", partition = "part")
  box <- domain_box(c(x1 = -4), 4)
  expect_error(private_mixture(table, box, k = 2, rho = 1, budget = budget), "no EXP", class = "dptda_error_database")
  expect_error(private_covariance(table, box, rho = 1, budget = budget), "no SQRT", class = "dptda_error_database")
  expect_identical(budget$spent, privacy_budget(rho = 1)$spent)
})

test_that("a step has no more columns than databases allow", {
  skip_if_instrumented()
  set.seed(39)
  X <- random_rows(20, 9)
  rows <- table_rows(dplyr::tbl(local_sqlite(X), "people"))
  box <- domain_box(rep(-3, 9), rep(3, 9))
  model <- database_model(9, 100)
  expect_gt(length(model$means), most_step_columns)
  query <- list(whitened = TRUE, hard = FALSE, stretch = 1, bits = c(8, 8))
  expect_identical(query_sums(rows, model, box, query), memory_sums(X, model, box, query))
  starts <- lapply(1:9, function(i) draw_centers(100, 9, "R"))
  expect_gt(length(starts) * 100, most_step_columns)
  expect_lte(max(abs(start_scores(rows, standard_model(9), box, starts, 0.3, 8) -
                       start_scores(as.matrix(X), standard_model(9), box, starts, 0.3, 8))), 1)
})
