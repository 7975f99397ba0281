# People in databases: the same weights as in memory, and so the same releases; what splits a person or takes two for
# one ends a release before anything is spent.

bad <- function(expr, words = NULL) expect_error(expr, words, class = "dptda_error_argument")
broken <- function(expr, words = NULL) expect_error(expr, words, class = "dptda_error_database")

databases <- list(sqlite = local_sqlite, postgres = local_postgres, duckdb = local_duckdb)

# People of `many` rows each, in no order. Values are often equal.
visits_of <- function(many, seed = 1) {
  set.seed(seed)
  rows <- data.frame(patient = rep(as.integer(7 * seq_along(many) - 20), many))
  rows <- rows[sample(nrow(rows)), , drop = FALSE]
  n <- nrow(rows)
  data.frame(patient = rows$patient, name = paste0("p", rows$patient), x = round(rnorm(n), 1), y = runif(n, -3, 3),
             k = sample(-4:4, n, TRUE), s = sample(c("a", "B", "b ", "\u00e9", "\u03a9", ""), n, TRUE),
             good = sample(0:1, n, TRUE), row.names = NULL)
}

in_database <- function(database, data, env = parent.frame()) {
  dplyr::tbl(databases[[database]](data, env = env), "people")
}

with_seed <- function(release) {
  set.seed(7)
  release
}

# Who would be charged ends with another error.
charges_nothing <- function(ends) with_replaced("spend_budget", function(...) stop("it is charged"), ends())

for (database in names(databases)) {
  test_that(paste("weights are those of memory:", database), {
    data <- visits_of(c(1, 2, 3, 5, 15, 16, 17, 33, 1023, 1024, 1025, 2049))
    table <- in_database(database, data)
    columns <- c("x", "s", "k", "y")
    tables <- list(cell_table(list(axis_cells(-3, 3, 50), axis_levels(c("b ", "a", "\u00e9"))), 1:2),
                   cell_table(list(axis_cells(-3, 3, 100)), 4), cell_table(list(axis_levels(-4:4)), 3))
    lattice <- public_lattice(domain_box(c(-1, -3), c(1, 3)), 20)
    for (person in c("patient", "name")) {
      weights <- if (person == "patient") 2^long_or(c(0, 10, 20), c(0, 10)) else 64
      memory <- table_rows(data, columns, person = person)
      rows <- table_rows(table, columns, person = person)
      expect_identical(rows[c("n", "person", "take", "complete")], memory[c("n", "person", "take", "complete")])
      for (weight in weights) {
        weighed <- weigh_rows(memory, weight)
        there <- weigh_rows(rows, weight)
        expect_identical(count_rows(there, tables), count_rows(weighed, tables))
        groups <- cell_table(list(axis_levels(c("b ", "a"))), 2)
        expect_identical(sum_rows(there, lattice, c(1, 4)), sum_rows(weighed, lattice, c(1, 4)))
        expect_identical(sum_rows(there, lattice, c(1, 4), groups), sum_rows(weighed, lattice, c(1, 4), groups))
      }
    }
  })

  test_that(paste("releases are those of memory:", database), {
    data <- visits_of(c(1, 2, 700, 40, 3, 3, 1025))
    table <- in_database(database, transform(data, good = as.logical(good))[setdiff(names(data), "name")])
    data$good <- data$good == 1
    box <- domain_box(c(-1, 0), c(1, 2))
    releases <- list(
      function(x) private_count(x, 1, columns = "good", rng = "R"),
      function(x) private_proportion(x, 1, columns = "good", rng = "R"),
      function(x) private_table(x, list(s = c("a", "b "), k = c(1, 0)), rho = 1, columns = c("s", "k"), rng = "R"),
      function(x) private_histogram(x, c(-2, 0, 0.1, 2), 1, columns = "x", rng = "R"),
      function(x) private_sum(x, box, 1, columns = c("x", "y"), rng = "R"),
      function(x) private_mean(x, box, rho = 1, columns = c("x", "y"), rng = "R"),
      function(x) private_quantile(x, c(-1, 1), c(0.2, 0.5), 1, columns = "x", rng = "R")
    )
    for (release in releases) {
      there <- with_seed(release(table_rows(table, person = "patient")))
      expect_identical(there, with_seed(release(table_rows(data[names(data) != "name"], person = "patient"))))
      expect_identical(privacy(there)$person, "patient")
    }
  })

  test_that(paste("people may have no row, and a table none at all:", database), {
    data <- visits_of(c(1, 5, 2000))[c("patient", "x")]
    table <- in_database(database, data)
    expect_identical(table_rows(table, "x", person = "patient")$n, 3)
    bad(table_rows(table, "x", person = "patient", people = 2), "people")
    for (part in list(data, data[0, ])) {
      there <- if (nrow(part)) table else dplyr::filter(table, patient > 1000)
      count <- function(x) {
        private_histogram(table_rows(x, "x", person = "patient", people = 10), c(-1, 0, 1), 1, rng = "R")
      }
      expect_identical(with_seed(count(there)), with_seed(count(part)))
      one <- table_rows(there, "x", person = "patient", people = 10, rows_of_person = "one")
      expect_identical(sum(private_histogram(one, c(-1, 0, 1), 1e9)$value), if (nrow(part)) 3 else 0)
    }
    bad(table_rows(dplyr::filter(table, patient > 1000), "x", person = "patient"), "at least one person")
  })

  test_that(paste("people have whole numbers or text, and nobody is missing:", database), {
    con <- databases[[database]]()
    big <- if (database == "sqlite") "INTEGER" else "BIGINT"
    DBI::dbExecute(con, paste("CREATE TABLE people (big", big, ", real DOUBLE PRECISION, name VARCHAR(9),",
                              "x DOUBLE PRECISION)"))
    DBI::dbExecute(con, paste("INSERT INTO people VALUES",
                              "(9007199254740992, 1, 'a', 0.1), (9007199254740993, 2, 'a ', 0.2),",
                              "(-9223372036854775807, 3, 'A', 0.9), (-9223372036854775807, 3, 'A', 0.9)"))
    table <- dplyr::tbl(con, "people")
    for (person in c("big", "name")) {
      expect_identical(table_rows(table, "x", person = person)$n, 3)
      mean <- private_mean(table_rows(table, "x", person = person), c(0, 1), 1e9)
      expect_equal(mean$value, c(x = 0.4), tolerance = 1e-5)
    }
    one <- table_rows(table, "x", person = "big", rows_of_person = "one")
    expect_equal(private_mean(one, c(0, 1), 1e9)$value, c(x = 0.4), tolerance = 1e-5)
    bad(table_rows(table, "x", person = "name", rows_of_person = "one"), "of integers")
    bad(table_rows(table, "x", person = "real"), "hold integers")
    bad(table_rows(dplyr::mutate(table, half = big * 0.5), "x", person = "half"), "hold integers")
    bad(table_rows(table, "x", person = "nobody"), "name of a column")
    bad(table_rows(table, "x", person = 1:4), "name of a column")
    bad(table_rows(table, "x", person = "big", partition = "name"), "partition")
    rows <- lapply(c("big", "name"), function(person) table_rows(table, "x", person = person))
    few <- lapply(c("big", "name"), function(person) table_rows(table, "x", person = person, people = 9))
    # somebody is lost after the table was read
    DBI::dbExecute(con, "UPDATE people SET big = NULL, name = NULL WHERE x < 0.15")
    for (rows in c(rows, few)) charges_nothing(function() broken(private_histogram(rows, c(0, 0.5, 1), 1)))
    for (person in c("big", "name")) bad(table_rows(table, "x", person = person), "must not contain missing values")
    for (person in c("big", "name")) {
      bad(table_rows(table, "x", person = person, people = 9), "must not contain missing values")
    }
  })

  test_that(paste("people weigh the same on the rows that are left, as in memory:", database), {
    # of the first nothing is left, of others one row, or W - 1, W + 1 of many
    data <- visits_of(c(4, 3, 1, 1100, 1030, 40, 3, 3, 2049, 1, 9))
    id <- match(data$patient, sort(unique(data$patient)))
    gone <- stats::runif(nrow(data)) < 0.3
    left <- function(person, rows) {
      own <- which(id == person)
      gone[own] <<- seq_along(own) > rows
    }
    for (case in list(c(1, 0), c(2, 1), c(3, 0), c(4, 1023), c(5, 1025), c(10, 1))) left(case[1], case[2])
    data$x[gone] <- NA
    for (name in c("y", "k", "s", "good")) data[[name]][stats::runif(nrow(data)) < 0.2 | id == 1] <- NA
    data$good <- data$good == 1
    data$name <- NULL
    table <- in_database(database, data)
    box <- domain_box(c(x = -1, y = 0), c(1, 2))
    by <- list(s = c("a", "b "), k = c(1, 0))
    releases <- list(
      function(x) private_count(x("good"), 1, rng = "R"),
      function(x) private_count(x("good", "s"), 1, by = list(s = "a"), rng = "R"),
      function(x) private_table(x("s", "k"), by, rho = 1, rng = "R"),
      function(x) private_histogram(x("x"), c(-2, 0, 0.1, 2), 1, rng = "R"),
      function(x) private_histogram(x("x", "s"), list(x = c(-2, 0, 0.1, 2)), 1, by = by["s"], rng = "R"),
      function(x) private_sum(x("x", "y"), box, 1, rng = "R"),
      function(x) private_mean(x("y", "x"), box, rho = 1, rng = "R"),
      function(x) private_mean(x("x", "y", "s", "k"), box, 1, by = by, rng = "R")
    )
    rows <- function(x) function(...) table_rows(x, c(...), person = "patient", missing = "omit")
    for (release in releases) {
      there <- with_seed(release(rows(table)))
      expect_identical(there, with_seed(release(rows(data))))
      expect_identical(privacy(there)$person, "patient")
      expect_identical(privacy(there)$public$n, 11)
    }
    # of nobody anything is left, and of all everything
    for (part in list(data[id %in% c(1, 3), ], stats::na.omit(data))) {
      mean <- function(x) private_mean(rows(x)("x"), c(-1, 1), 1, rng = "R")
      there <- in_database(database, part)
      expect_identical(with_seed(mean(there)), with_seed(mean(part)))
    }
    # one row of each is drawn before any is left out
    same <- data.frame(patient = rep(1:40, 1:40 %% 5 + 1), x = 0.5)
    same$x[same$patient > 30] <- NA
    one <- table_rows(in_database(database, same), "x", person = "patient", rows_of_person = "one", missing = "omit")
    expect_equal(private_mean(one, c(0, 1), 1e6)$count, 30, tolerance = 1e-3)
  })

  test_that(paste("whose a row is stays so where values stand for missing ones:", database), {
    data <- data.frame(patient = rep(1:4, 1:4), x = c(NA, 1:9 / 10))
    table <- in_database(database, data)
    rows <- function(x) table_rows(x, c("x", "patient"), person = "patient", missing = 0.5)
    mean <- function(x) private_mean(rows(x), domain_box(c(x = 0, patient = 0), c(1, 4)), 1, rng = "R")
    expect_identical(with_seed(mean(table)), with_seed(mean(data)))
  })

  test_that(paste("what is left out costs no check of people:", database), {
    con <- databases[[database]](transform(visits_of(c(1, 2, 40, 3))[c("patient", "x")], x = x / (x != 0)))
    rows <- table_rows(dplyr::tbl(con, "people"), "x", person = "patient", missing = "omit")
    n <- rows$n
    DBI::dbExecute(con, "INSERT INTO people VALUES (500, 0.5)")
    charges_nothing(function() broken(private_mean(rows, c(0, 1), 1), "people"))
    DBI::dbExecute(con, "UPDATE people SET patient = NULL WHERE patient = 500")
    charges_nothing(function() broken(private_mean(rows, c(0, 1), 1), "people"))
    # a column that is missing at random is one or the other in all parts of a statement
    DBI::dbExecute(con, "DELETE FROM people WHERE patient IS NULL")
    heads <- if (database == "sqlite") "random() % 2 = 0" else "random() < 0.5"
    DBI::dbExecute(con, paste("CREATE VIEW seen AS SELECT patient, CASE WHEN", heads, "THEN 0.5 END AS x FROM people"))
    rows <- table_rows(dplyr::tbl(con, "seen"), "x", person = "patient", missing = "omit")
    for (i in seq_len(long_or(25, 3))) {
      counts <- count_rows(weigh_rows(omit_missing(rows), 16), list(cell_table(list(axis_cells(-1, 1, 4)))))[[1]]
      expect_identical(counts$cell, 4)
      expect_true(counts$count <= 16 * n && counts$count %% 16 == 0)
    }
  })

  test_that(paste("one row of each person is the same for all that is asked, and another for each person:", database), {
    data <- data.frame(patient = rep(1:400, each = 50), x = rep(1:50, 400) + 0)
    data$z <- -data$x
    table <- in_database(database, data[sample(nrow(data)), ])
    rows <- table_rows(table, c("x", "z"), person = "patient", rows_of_person = "one")
    set.seed(5)
    seen <- replicate(3, simplify = FALSE, {
      settled <- settle_rows(rows, "R")
      both <- cell_table(list(axis_levels(1:50), axis_levels(-(1:50))))
      joint <- count_rows(settled, list(both, cell_table(list(axis_levels(1:50)))))
      # of no person two rows were seen
      expect_identical(joint[[1]]$cell, (joint[[2]]$cell - 1) * 51 + joint[[2]]$cell)
      dense_counts(joint[[2]], 51)
    })
    for (counts in seen) {
      expect_identical(sum(counts), 400)
      expect_gt(sum(counts > 0), 40) # 50 (1 - exp(-8)) at random
      expect_lt(max(counts), 30)
    }
    expect_false(identical(seen[[1]], seen[[2]]))
    expect_identical(privacy(private_mean(rows, domain_box(c(0, -50), c(50, 0)), 1))$person, "patient")
  })

  test_that(paste("one person of very many rows weighs what others do:", database), {
    data <- data.frame(patient = c(rep(1L, 1e5), 2:11), x = c(seq(0, 1, length.out = 1e5), rep(1, 10)))
    rows <- table_rows(in_database(database, data), "x", person = "patient")
    counts <- count_rows(weigh_rows(rows, 1024), list(cell_table(list(axis_intervals(c(-1, 0.25, 0.75, 2))))))[[1]]
    expect_identical(counts$count, c(256, 512, 256 + 10240))
  })

  test_that(paste("missing values end a release, whatever they weigh:", database), {
    data <- data.frame(patient = c(rep(1L, 3000), 2L), x = c(NA, rep(0.5, 3000)))
    rows <- table_rows(in_database(database, data), "x", person = "patient")
    charges_nothing(function() bad(private_mean(rows, c(0, 1), 1), "missing"))
    charges_nothing(function() bad(private_histogram(rows, c(0, 0.5, 1), 1), "missing"))
  })

  test_that(paste("columns may be drawn at random, and whose a row is may not:", database), {
    con <- databases[[database]](visits_of(c(1, 2, 5, 40))[c("patient", "x")])
    heads <- if (database == "sqlite") "random() % 2 = 0" else "random() < 0.5"
    DBI::dbExecute(con, paste("CREATE VIEW seen AS SELECT patient, CASE WHEN", heads, "THEN x ELSE 1e9 END AS x",
                              "FROM people"))
    rows <- table_rows(dplyr::tbl(con, "seen"), "x", person = "patient")
    for (i in seq_len(long_or(25, 2))) {
      counts <- count_rows(weigh_rows(rows, 16), list(cell_table(list(axis_cells(-1, 1, 4)))))[[1]]
      expect_identical(sum(counts$count), 64)
      expect_lte(sum_rows(weigh_rows(rows, 16), list(step = 0.25, first = 0, last = 4))[1], 256)
    }
  
    DBI::dbExecute(con, "CREATE TABLE ids (id INTEGER, x DOUBLE PRECISION)")
    DBI::dbExecute(con, paste("CREATE VIEW lost AS SELECT CASE WHEN", heads, "THEN id ELSE id + 100 END AS id, x",
                              "FROM ids"))
    DBI::dbAppendTable(con, "ids", data.frame(id = rep(1:50, 3), x = 0.5))
    view <- dplyr::tbl(con, "lost")
    if (database == "sqlite") {
      bad(table_rows(view, "x", person = "id"), "Write it into a table") # computed: no type
    } else {
      rows <- table_rows(view, "x", person = "id", people = 100)
      rows$complete <- TRUE
      charges_nothing(function() broken(private_mean(rows, c(0, 1), 1), "people"))
    }
  })

  test_that(paste("columns may have the names that the statement uses:", database), {
    names <- c("person_of_row", "weight", "first", "people", "WEIGHT_OF_ROW", "cell", ".data", "patients")
    data <- structure(as.data.frame(matrix(runif(60 * length(names)), 60)), names = names)
    data$patient <- rep(1:6, 10)
    table <- in_database(database, data)
    lattice <- public_lattice(domain_box(c(0, 0), c(1, 1)), 10)
    for (pair in 1:4) {
      columns <- names[2 * pair - 1:0]
      for (missing in long_or(c("error", "omit"), c("error", "omit")[1 + pair %% 2])) {
        weighed <- function(x) {
          weigh_rows(omit_missing(table_rows(x, columns, person = "patient", missing = missing)), 64)
        }
        expect_identical(sum_rows(weighed(table), lattice), sum_rows(weighed(data), lattice))
      }
    }
  })
}

test_that("equal people are equal bytes, whatever the collation of the column", {
  con <- local_sqlite()
  DBI::dbExecute(con, "CREATE TABLE people (name TEXT COLLATE NOCASE, whole INTEGER, x REAL)")
  DBI::dbExecute(con, paste("INSERT INTO people VALUES ('a', 1, 0.0), ('A', 2, 1.0), ('a ', 3, 1.0), ('a', 1, 0.5),",
                            "('1', '1', 0.25)"))
  table <- dplyr::tbl(con, "people")
  rows <- table_rows(table, "x", person = "name")
  expect_identical(rows$n, 4)
  expect_identical(sum_rows(weigh_rows(rows, 4), public_lattice(domain_box(0, 1), 2))[1], (0.25 + 1 + 1 + 0.25) * 16)
  # the text '1' is the number 1 in such a column
  expect_identical(table_rows(table, "x", person = "whole")$n, 3)
  DBI::dbExecute(con, "INSERT INTO people VALUES (x'61', 'b', 0.1)")
  for (person in c("name", "whole")) bad(table_rows(table, "x", person = person), "must not contain missing values")
  DBI::dbExecute(con, "CREATE TABLE untyped (id, x REAL)")
  DBI::dbExecute(con, "INSERT INTO untyped VALUES (1, 0.1), ('1', 0.2), (1.0, 0.3)")
  bad(table_rows(dplyr::tbl(con, "untyped"), "x", person = "id"), "declares")
})

test_that("blanks at the end of a char(n) are nobody's, those of other texts are somebody's", {
  con <- local_postgres()
  DBI::dbExecute(con, "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
  DBI::dbExecute(con, "CREATE TABLE people (fixed CHAR(3), free TEXT COLLATE blind, x DOUBLE PRECISION)")
  DBI::dbExecute(con, "INSERT INTO people VALUES ('a', 'a', 0), ('a ', 'a ', 1), ('A', 'A', 1), ('b', 'a', 0)")
  table <- dplyr::tbl(con, "people")
  expect_identical(table_rows(table, "x", person = "fixed")$n, 3)
  expect_identical(table_rows(table, "x", person = "free")$n, 3)
  lattice <- public_lattice(domain_box(0, 1), 1)
  sum_of <- function(person) as.vector(sum_rows(weigh_rows(table_rows(table, "x", person = person), 4), lattice)) / 8
  expect_identical(sum_of("fixed"), 1.5)
  expect_identical(sum_of("free"), 2)
})

test_that("a database without window functions says so when the table is read", {
  table <- in_database("sqlite", visits_of(c(1, 2))[c("patient", "x")])
  # as one that has never heard of them
  old <- function(rows, statement) {
    before_rows(if (grepl("OVER", statement)) stop("syntax error near OVER"), rows$arg)
  }
  with_replaced("try_statement", old, {
    broken(table_rows(table, "x", person = "patient"), "window functions .* one row per person")
    expect_identical(table_rows(table, "x")$n, 3)
  })
})

test_that("another error than that of window functions keeps its own words", {
  table <- in_database("sqlite", visits_of(c(1, 2, 2))[c("patient", "x", "s")])
  try <- try_statement
  said <- function(expr) conditionMessage(expect_error(expr, class = "dptda_error_database"))
  # the database refuses a query of this table alone, as for a permission or an operator that is not there
  other <- function(rows, statement) {
    if (grepl("OVER .*people", statement)) before_rows(stop("permission denied for table people"), rows$arg)
    try(rows, statement)
  }
  with_replaced("try_statement", other, {
    words <- said(table_rows(table, "x", person = "patient"))
    expect_match(words, "permission denied")
    expect_no_match(words, "window")
  })
  # dbplyr refuses to write the query
  written <- function(rows, query) {
    if (grepl("OVER", as.character(dbplyr::remote_query(query)))) before_rows(stop("`limit` is refused"), rows$arg)
    dbplyr::remote_query(query)
  }
  with_replaced("written_query", written, {
    words <- said(table_rows(table, "s", person = "patient"))
    expect_match(words, "is refused")
    expect_no_match(words, "window")
  })
})

test_that("no statement has a limit that is not an exact double: newer versions of dbplyr refuse it", {
  data <- visits_of(c(1, 2, 3, 9))[c("patient", "x", "y", "k")]
  table <- in_database("sqlite", transform(data, x = ifelse(k == 0, NA, x)))
  asked <- character()
  ask <- ask_statement
  note <- function(rows, statement) {
    asked <<- c(asked, as.character(statement))
    ask(rows, statement)
  }
  suppressWarnings(with_replaced("ask_statement", note, {
    private_mean(table_rows(table, c("x", "y"), person = "patient", missing = 1), domain_box(c(0, 0), 1), 9)
    private_mean(table_rows(table, c("x", "y"), missing = list(x = 1)), domain_box(c(0, 0), 1), 9)
    private_sum(table_rows(table, "x", person = "patient", missing = "omit"), c(0, 1), 9)
    private_histogram(table_rows(table, "y", person = "patient", rows_of_person = "one"), 0:3, 9)
  }))
  limits <- unlist(regmatches(asked, gregexpr("LIMIT [0-9.e+]+", asked)))
  limits <- as.double(sub("LIMIT ", "", limits))
  expect_gt(length(limits), 10)
  expect_true(all(limits < 2^53))
})

test_that("rows of people that were not weighed are counted nowhere", {
  table <- in_database("sqlite", visits_of(c(1, 2))[c("patient", "x")])
  rows <- table_rows(table, "x", person = "patient")
  bad(count_rows(rows, list(cell_table(list(axis_cells(0, 1, 4))))), "without weights")
  bad(sum_rows(rows, public_lattice(domain_box(0, 1), 3)), "without weights")
  bad(as_pieces(rows, NULL), "without weights")
})

test_that("a database that weighs otherwise ends a release before anything is spent", {
  rows <- table_rows(in_database("sqlite", visits_of(c(1, 2, 9))[c("patient", "x")]), "x", person = "patient")
  for (change in list(c(rows = 1, people = 0), c(rows = 0, people = 1), c(rows = -1024, people = -1))) {
    other <- function(rows, query) {
      answer <- as.data.frame(lapply(ask_statement(rows, written_query(rows, query)), as.double))
      answer[1, names(change)] <- answer[1, names(change)] + change
      answer
    }
    with_replaced("ask_database", other, charges_nothing(function() {
      broken(private_mean(rows, c(0, 1), 1), "people")
    }))
  }
})

test_that("weights are exact doubles for all people that there can be, and those of more rows weigh as much", {
  weights <- function(j, m, W) sql_value(person_weight, list(j = j, m = m, W = W, most = 2^52 / W))
  # remainders are exact
  exact <- function(j, m, W) {
    upto <- function(j) (j * W + floor(m / 2) - (j * W + floor(m / 2)) %% m) / m
    upto(j) - upto(j - 1)
  }
  for (W in c(1, 2, 1024)) {
    for (m in c(1, 2, 3, W, W + 1, 2 * W + 1, 1000)) {
      expect_identical(sum(weights(seq_len(m), m, W)), W)
      expect_identical(weights(seq_len(m), m, W), exact(seq_len(m), m, W))
    }
    for (m in 2^52 / W - 1:3) {
      # around the rows that weigh one
      j <- c(1, 2, floor((m * c(1, 7, W) / W - floor(m / 2) / W)) + rep(-1:2, each = 3), m)
      j <- j[j >= 1 & j <= m]
      expect_identical(weights(j, m, W), exact(j, m, W))
    }
    expect_identical(weights(c(W, W + 1), 2^52 / W, W), c(1, 0))
  }
})

test_that("whether text among numbers of no declared type is an error does not hang on which rows are drawn", {
  con <- local_sqlite()
  DBI::dbExecute(con, "CREATE TABLE people (patient INTEGER, x, y REAL)")
  DBI::dbExecute(con, "INSERT INTO people VALUES (1, 1, 0), (1, 'text', 0), (2, 1, 0), (2, 0.5, 0)")
  rows <- table_rows(dplyr::tbl(con, "people"), c("x", "y"), person = "patient", rows_of_person = "one")
  set.seed(18)
  for (i in 1:12) {
    expect_error(private_mean(rows, domain_box(c(0, 0), c(1, 1)), epsilon = 1, rng = "R"), "text among numbers",
                 class = "dptda_error_argument")
  }
})
