# Published tables of people whose rows stay in a database: joint counts are those of memory, and so are the releases.

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

visit_schema <- function() {
  table_schema(a = schema_categorical(c("x", "y", "\u00e9"), missing = "other"), b = schema_logical(missing = "level"),
               c = schema_numeric(0, 1, cells = 4, missing = "level"),
               grade = schema_categorical(c(3, 1), ordered = TRUE, other = "9"))
}

# Numbers differ within their cells, so that the order of codes is another one than that of values.
visits_of <- function(many = c(1, 2, 15, 16, 17, 33, 1, 1023, 1025, 2049, 3, 8, 40, 1, 2)) {
  who <- sample(rep(3L * seq_along(many), many))
  rows <- length(who)
  a <- sample(c("x", "y", "\u00e9", "none", NA), rows, replace = TRUE)
  data.frame(who, a, b = stats::runif(rows) < ifelse(a %in% "x", 0.9, 0.2),
             c = ifelse(stats::runif(rows) < 0.1, NA, stats::runif(rows, -0.2, 1.2)),
             grade = sample(4L, rows, replace = TRUE), other = stats::rnorm(rows))
}

# SQLite has no logical values: whole numbers that may be truths.
in_database <- function(database, data, env = parent.frame()) {
  dplyr::tbl(connect[[database]](data, env = env), "people")
}

coded <- function(x, ...) encode_table(table_rows(x, person = "who", ...), visit_schema(), "x")

seeded <- function(release) {
  set.seed(23)
  release
}

charges_nothing <- function(ends) with_replaced("spend_budget", function(...) stop("it is charged"), ends())

for (database in names(connect)) {
  test_that(paste("joint counts of people are those of memory, in", database), {
    set.seed(61)
    visits <- visits_of()
    here <- coded(visits)
    there <- coded(in_database(database, visits))
    expect_identical(there[c("n", "person", "take", "complete")], unclass(here)[c("n", "person", "take", "complete")])
    scopes <- list(integer(), 1L, 4L, c(2L, 3L), c(4L, 2L), 4:1)
    for (weight in c(16, 1024)) {
      counts <- joint_counts_all(weigh_rows(here, weight), scopes)
      expect_identical(joint_counts_all(weigh_rows(there, weight), scopes), counts)
      expect_identical(vapply(counts, sum, 0), rep(15 * weight, length(scopes)))
      # a table that is counted alone is the same one: rows weigh in the order of all columns
      expect_identical(joint_counts(ready_source(weigh_rows(there, weight)), c(2L, 3L)), counts[[4]])
    }
    expect_error(joint_counts(there, 1L), "without weights", class = "dptda_error_argument")
  })

  test_that(paste("what is drawn for people is what is drawn in memory, in", database), {
    set.seed(62)
    visits <- visits_of(c(1, 2, 33, 1025, sample.int(9, 26, TRUE)))
    table <- in_database(database, visits)
    for (method in list(synthesis_privbayes(theta = 0.2), synthesis_privbayes(theta = 0.2, score = "information"),
                        margins(), synthesis_mst(), synthesis_aim())) {
      release <- function(x) {
        seeded(private_synthesis(table_rows(x, person = "who"), visit_schema(), rho = 5, method = method, rng = "R"))
      }
      there <- release(table)
      expect_equal(there, release(visits), tolerance = 1e-12)
      expect_identical(privacy(there)$person, "who")
      price <- private_synthesis(unseen(30, person = "who", in_database = TRUE), visit_schema(), rho = 5,
                                 method = method, rng = "R")
      expect_identical(price$guarantee$public$weight, privacy(there)$public$weight)
    }
  })

  test_that(paste("one row of each person goes into any model, in", database), {
    each <- data.frame(who = 1:40, a = sample(c("x", "y"), 40, TRUE), b = stats::runif(40) < 0.5,
                       c = stats::runif(40), grade = 3L)
    table <- in_database(database, each[rep(1:40, 1:40 %% 5 + 1), ])
    rows <- table_rows(table, person = "who", rows_of_person = "one")
    settled <- settle_rows(encode_table(rows, visit_schema(), "x"), "R")
    scopes <- list(1:4, 2L)
    expect_identical(joint_counts_all(weigh_rows(settled, 1), scopes),
                     joint_counts_all(encode_table(each, visit_schema(), "x"), scopes))
    for (method in list("margins", "mst", "dp2pub")) {
      fit <- if (method == "dp2pub") private_synthesis(rows, visit_schema(), epsilon = 9, method = method) else
        private_synthesis(rows, visit_schema(), rho = 1, method = method)
      expect_identical(privacy(fit)[c("unit", "person")], list(unit = "one person", person = "who"))
      expect_identical(nrow(simulate(fit, seed = 1)), 40L)
    }
  })

  test_that(paste("people that were lost or found end a release before anything is spent, in", database), {
    set.seed(63)
    con <- connect[[database]](visits_of(c(1, 2, 9, 30)))
    rows <- table_rows(dplyr::tbl(con, "people"), person = "who")
    for (change in c("DELETE FROM people WHERE who = 3",
                     "UPDATE people SET who = who + 1000 WHERE grade > 2 AND who > 6")) {
      DBI::dbExecute(con, change)
      for (method in c("margins", "mst")) {
        charges_nothing(function() {
          expect_error(private_synthesis(rows, visit_schema(), rho = 1, method = method), "The people in .* changed",
                       class = "dptda_error_database")
        })
      }
    }
  })
}

test_that("what is not known for all rows of people, or for people without rows, is refused in a database too", {
  table <- in_database("SQLite", visits_of(c(1, 5, 9)))
  rows <- table_rows(table, person = "who")
  refused <- function(words, ...) {
    charges_nothing(function() {
      expect_error(private_synthesis(..., schema = visit_schema()), words, class = "dptda_error_argument")
    })
  }
  refused("rows_of_person", rows, rho = 1, method = "topology")
  refused("rows_of_person", rows, epsilon = 9, method = "dp2pub")
  refused("people", table_rows(table, person = "who", people = 9), rho = 1)
})

test_that("a value that is missing is found, whatever it weighs, and columns of many codes have room", {
  data <- data.frame(who = c(rep(1L, 3000), 2L), x = c(NA, rep(0.5, 3000)))
  rows <- table_rows(in_database("SQLite", data), person = "who")
  charges_nothing(function() {
    expect_error(private_synthesis(rows, table_schema(x = schema_numeric(0, 1)), rho = 1), "missing values",
                 class = "dptda_error_argument")
  })
  wide <- data.frame(who = rep(1:20, 10), u = seq_len(200), v = sprintf("v%04d", 1:100))
  schema <- table_schema(u = schema_categorical(1:2000), v = schema_categorical(sprintf("v%04d", 2000:1)))
  here <- encode_table(table_rows(wide, person = "who"), schema, "x")
  there <- encode_table(table_rows(in_database("SQLite", wide), person = "who"), schema, "x")
  there <- ready_source(weigh_rows(there, 64))
  scopes <- list(1L, 2L)
  expect_identical(joint_counts_all(there, scopes), joint_counts_all(weigh_rows(here, 64), scopes))
})
