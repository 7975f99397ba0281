# Rounds over rows of people in databases: the same whole numbers as for weighed rows in memory, and so the same
# releases, whether rows are kept or read in each round.

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

# People of so many rows each, in no order. Numbers are often equal, also in one column alone.
visits_of <- function(many, D = 2) {
  who <- sample(rep(as.integer(5 * seq_along(many) - 12), many))
  x <- matrix(round(stats::rnorm(length(who) * D), 1), ncol = D)
  some <- sample(length(who), length(who) %/% 3)
  x[some, ] <- stats::rnorm(length(some) * D)
  data.frame(patient = who, stats::setNames(as.data.frame(x), paste0("x", seq_len(D))))
}

few_and_many <- function(weight) c(1, 2, 3, 1, weight - 1, weight, weight + 1, 2 * weight + 1, 5, 8, 40, 1, 1)

wide_box <- function(D = 2) {
  domain_box(structure(rep(-3, D), names = paste0("x", seq_len(D))), seq_len(D))
}

model_of <- function(D, K) {
  S <- array(0, c(D, D, K))
  for (k in seq_len(K)) {
    S[, , k] <- bound_eigenvalues(stats::rWishart(1, D + 2, diag(D))[, , 1] * 10^stats::runif(1, -3, 0), 1e-7, 4)
  }
  weights <- stats::runif(K, 0.1, 1)
  list(weights = weights / sum(weights), means = matrix(stats::runif(D * K, -1, 1), D), covariances = S)
}

query_kinds <- expand.grid(whitened = c(TRUE, FALSE), hard = c(TRUE, FALSE))

query_of <- function(kind, bits) c(as.list(kind), list(stretch = 1, bits = c(bits, 0)))

# The rows as they are counted in a database and in memory.
both_rows <- function(database, data, weight, box, env = parent.frame()) {
  read <- function(x) weigh_rows(check_point_rows(table_rows(x, person = "patient"), NULL, box, arg = "x"), weight)
  list(there = read(dplyr::tbl(connect[[database]](data, env = env), "people")), memory = read(data))
}

seeded <- function(release, seed = 17) {
  set.seed(seed)
  release
}

# Who would be charged ends with another error. Of so few people little is learned, which is said before.
charges_nothing <- function(ends) {
  with_replaced("spend_budget", function(...) stop("it is charged"), suppressWarnings(ends()))
}

for (database in names(connect)) {
  test_that(paste("the sums are those of memory, in", database), {
    set.seed(51)
    for (case in list(c(D = 1, K = 3, W = 1024), c(D = 3, K = 4, W = 64))) {
      D <- case[["D"]]
      K <- case[["K"]]
      box <- wide_box(D)
      rows <- both_rows(database, visits_of(few_and_many(case[["W"]]), D), case[["W"]], box)
      model <- model_of(D, K)
      starts <- lapply(1:3, function(i) draw_centers(K, D, "R"))
      sums_of <- function(rows) {
        query <- query_of(query_kinds[1, ], 10)
        list(query_sums(rows, model, box, query), lloyd_sums(rows, model$means, box, list(bits = 9)),
             start_scores(rows, standard_model(D), box, starts, 0.5, 8))
      }
      expected <- sums_of(rows$memory)
      for (kept in c(2^27, 0)) {
        found <- sums_of(withr::with_options(list(dptda.kept_numbers = kept), fetch_rows(rows$there, 3)))
        expect_identical(found, expected)
        expect_identical(sum(found[[1]][1, ]), 13 * case[["W"]])
      }
    }
  })

  test_that(paste("releases are those of memory, in", database), {
    set.seed(53)
    data <- visits_of(c(few_and_many(64), 1025, sample.int(6, 40, TRUE)))
    data$x1 <- data$x1 + (data$patient > 100)
    table <- dplyr::tbl(connect[[database]](data), "people")
    box <- wide_box()
    same <- function(release) {
      there <- seeded(release(table_rows(table, person = "patient")))
      expect_equal(there, seeded(release(table_rows(data, person = "patient"))), tolerance = 1e-12)
      expect_identical(privacy(there)$person, "patient")
    }
    same(function(x) private_covariance(x, box, rho = 5, rounds = 3, rng = "R"))
    same(function(x) private_mixture(x, box, k = 3, rho = 9, rounds = 2, rng = "R"))
    same(function(x) private_mixture(x, box, k = 3, rho = 9, rounds = 2, features = "box", rng = "R"))
    same(function(x) private_kmeans(x, box, 3, rho = 9, covariance = TRUE, rng = "R"))
    same(function(x) private_kmeans(x, box, 3, epsilon = 9, method = "grid", rng = "R"))
  })

  test_that(paste("the other columns of a table change nothing, nor does the order of its columns, in", database), {
    set.seed(54)
    data <- cbind(visits_of(c(few_and_many(16), rep(3, 60)), 3), note = "a")
    shuffled <- data[sample(nrow(data)), c("note", "x3", "x2", "patient", "x1")]
    here <- environment()
    tables <- lapply(list(data, shuffled), function(data) dplyr::tbl(connect[[database]](data, env = here), "people"))
    release <- function(x) {
      private_covariance(table_rows(x, person = "patient"), wide_box(), columns = c("x1", "x2"), rho = 50, rounds = 2,
                         rng = "R")
    }
    expect_identical(seeded(release(tables[[1]])), seeded(release(tables[[2]])))
    expect_equal(seeded(release(tables[[1]])), seeded(release(data)), tolerance = 1e-12)
  })

  test_that(paste("one row of each person is looked at where that is asked for, in", database), {
    # all rows of a person are the same, so that whichever is drawn gives the release
    each <- data.frame(patient = 1:60, x1 = round(stats::rnorm(60), 1), x2 = 1)
    table <- dplyr::tbl(connect[[database]](each[rep(1:60, 1:60 %% 7 + 1), ]), "people")
    rows <- table_rows(table, person = "patient", rows_of_person = "one")
    box <- wide_box()
    settled <- settle_rows(check_point_rows(rows, NULL, box, arg = "x"), "R")
    model <- model_of(2, 3)
    query <- query_of(query_kinds[1, ], 10)
    query$bits[2] <- 10
    expect_identical(query_sums(fetch_rows(settled, 1), model, box, query),
                     query_sums(as.matrix(each[c("x1", "x2")]), model, box, query))
    for (release in list(
      function(x) private_covariance(x, box, rho = 1),
      function(x) private_mixture(x, box, k = 2, rho = 1, rounds = 2),
      function(x) private_kmeans(x, box, 2, rho = 1, covariance = TRUE),
      function(x) private_kmeans(x, box, 2, rho = 1, method = "grid")
    )) {
      expect_identical(privacy(release(rows))[c("unit", "person")], list(unit = "one person", person = "patient"))
    }
  })

  test_that(paste("people that were lost or found end a release before anything is spent, in", database), {
    set.seed(56)
    data <- visits_of(c(1, 2, 9, 30, rep(1, 30)))
    con <- connect[[database]](data)
    rows <- table_rows(dplyr::tbl(con, "people"), person = "patient")
    box <- wide_box()
    releases <- list(function(x) private_covariance(x, box, rho = 1e3, rounds = 1),
                     function(x) private_mixture(x, box, k = 2, rho = 1e3, rounds = 1, features = "box"),
                     function(x) private_kmeans(x, box, 2, rho = 1e3))
    for (change in c("UPDATE people SET patient = NULL WHERE patient < 0", "DELETE FROM people WHERE patient IS NULL",
                     "UPDATE people SET patient = patient + 1000 WHERE x1 > 0 AND patient = 8")) {
      DBI::dbExecute(con, change)
      for (release in releases) {
        charges_nothing(function() {
          expect_error(release(rows), "The people in .* changed", class = "dptda_error_database")
        })
      }
    }
    # and within the rounds themselves: each counts people, and what they weigh
    weighed <- weigh_rows(check_point_rows(rows, NULL, box, arg = "x"), 16)
    query <- list(whitened = TRUE, hard = TRUE, stretch = 1, bits = c(8, 0))
    expect_error(query_sums(as_pieces(weighed), model_of(2, 2), box, query), "The people in .* changed.*is spent",
                 class = "dptda_error_database")
    DBI::dbExecute(con, "UPDATE people SET x1 = NULL WHERE x2 > 0")
    rows <- table_rows(dplyr::tbl(con, "people"), person = "patient")
    for (release in releases) {
      charges_nothing(function() expect_error(release(rows), "missing", class = "dptda_error_argument"))
    }
  })

  test_that(paste("columns that are drawn at random keep the bounds of a person, in", database), {
    con <- connect[[database]](data.frame(patient = rep(1:5, c(1, 2, 17, 33, 5)), x1 = 0.5, x2 = 0.25))
    heads <- if (database == "SQLite") "random() % 2 = 0" else "random() < 0.5"
    DBI::dbExecute(con, paste("CREATE VIEW seen AS SELECT patient, CASE WHEN", heads, "THEN x1 ELSE -1e9 END AS x1,",
                              "CASE WHEN", heads, "THEN x2 ELSE 1e9 END AS x2 FROM people"))
    box <- wide_box()
    rows <- table_rows(dplyr::tbl(con, "seen"), person = "patient")
    rows <- as_pieces(weigh_rows(check_point_rows(rows, NULL, box, arg = "x"), 16))
    model <- model_of(2, 3)
    model$covariances[] <- diag(0.3, 2)
    for (i in seq_len(nrow(query_kinds))) for (again in seq_len(long_or(10, 2))) {
      query <- query_of(query_kinds[i, ], 6)
      sums <- query_sums(rows, model, box, query)
      expect_identical(sum(sums[1, ]), 80)
      expect_true(all(sums[4, ] + sums[6, ] <= 2 * 4^6 * sums[1, ]))
    }
    expect_identical(sum(lloyd_sums(rows, matrix(c(0, 0, 1, 1), 2), box, list(bits = 4))[1, ]), 80)
  })
}

test_that("no person in a database moves what is seen by more than was paid for", {
  set.seed(57)
  weight <- 16
  box <- domain_box(c(x1 = -1, x2 = -1), c(1, 1))
  model <- list(weights = c(.5, .5), means = cbind(c(-.9, -.9), c(.9, .9)),
                covariances = array(diag(.3, 2), c(2, 2, 2)))
  corners <- function(m) matrix(sample(c(-1, 1), m * 2, TRUE), ncol = 2)
  people <- c(lapply(c(1, 1, 1, 1, 2, weight - 1, weight + 1, 2 * weight + 1), corners),
              list(matrix(stats::runif(80, -1, 1), ncol = 2)))
  for (i in c(1, 3)) {
    query <- plan_query(40, 2, .3, as.list(query_kinds[i, ]), 2, digits = 4)
    V <- vapply(people, function(X) {
      data <- data.frame(patient = 1L, x1 = X[, 1], x2 = X[, 2])
      rows <- fetch_rows(both_rows("SQLite", data, weight, box)$there, 1)
      as.vector(query_sums(rows, model, box, query)) / query$scale
    }, double(12))
    loss <- max(stats::dist(t(V)))^2 / 2
    expect_lte(loss, .3 * (1 + 1e-9))
    expect_gt(loss, .3 * .2)
  }
})

test_that("methods that look at rows in memory alone say so, and people may not be without rows", {
  table <- dplyr::tbl(local_sqlite(visits_of(c(1, 5, 9))), "people")
  rows <- table_rows(table, person = "patient")
  for (method in c("tree", "cube")) {
    expect_error(private_kmeans(rows, wide_box(), 2, rho = 1, method = method), "rows in memory",
                 class = "dptda_error_argument")
  }
  few <- table_rows(table, person = "patient", people = 9)
  for (release in list(function(x) private_pca(x, wide_box(), 1, rho = 1),
                       function(x) private_mixture(x, wide_box(), k = 2, rho = 1),
                       function(x) private_kmeans(x, wide_box(), 2, rho = 1))) {
    expect_error(release(few), "`people`", class = "dptda_error_argument")
  }
  # as in memory
  unweighed <- check_point_rows(rows, NULL, wide_box(), arg = "x")
  expect_error(fetch_rows(unweighed, 1), "without weights", class = "dptda_error_argument")
})
