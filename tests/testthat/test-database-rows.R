# The same rows in memory and in databases give the same integers; whatever goes wrong in a database ends a release by a
# classed error that shows no value, before anything is spent.

bad <- function(expr) expect_error(expr, class = "dptda_error_argument")
broken <- function(expr) expect_error(expr, class = "dptda_error_database")

databases <- list(sqlite = local_sqlite, postgres = local_postgres, duckdb = local_duckdb)

# A table in a database. In PostgreSQL decimals, narrow numbers and other collations are tested on their own.
in_database <- function(database, data, env = parent.frame())
  dplyr::tbl(databases[[database]](data, env = env), "people")

expect_same_counts <- function(data, tables, database, ...) {
  memory <- count_rows(table_rows(data), tables)
  table <- in_database(database, data)
  expect_identical(count_rows(table_rows(table), tables), memory)
}

hard <- c(0, -0, 1, -1, 1e308, -1e308, 2^-1074, -2^-1074, 0.1, 0.2, 0.3, 0.1 + 0.2, 2^53, 2^53 + 2, 1e15, 1 / 3,
          .Machine$double.xmax, -.Machine$double.xmax, 2^-52, 1 - 2^-53, 1 + 2^-52, 123456789.123456789, 5e-324 * 3)

for (database in names(databases)) {
  test_that(paste("rows fall into the same cells:", database), {
    set.seed(41)
    n <- 20000
    data <- data.frame(x = c(rnorm(n - length(hard) - 2), hard, Inf, -Inf), y = runif(n, -3, 3),
                       k = sample(-4:4, n, TRUE),
                       s = sample(c("a", "B", "b b", "O'x", "\"q\"", "\u00e9", "\u03a9 %_\\", "", " a", "a "), n, TRUE))
    # edges of cells, exactly and one double beside
    edges <- (0:50) / 50 * 6 - 3
    data$y[seq_len(153)] <- c(edges, edges + 2^-52, edges - 2^-52)
    tables <- list(
      cell_table(list(axis_nearest(seq(-1, 1, length.out = 257)), axis_cells(-3, 3, 50)), 1:2),
      cell_table(list(axis_cells(0.1, 0.7, 1000)), 1),
      cell_table(list(axis_cells(-1e308, 7e307, 17)), 1),
      cell_table(list(axis_intervals(c(sort(unique(round(rnorm(300), 3))), 9))), 1),
      cell_table(list(axis_intervals(doubling_edges(c(-32, 64)))), 1),
      cell_table(list(axis_nearest(c(0, 0.01, 0.5, 2)), axis_levels(c(3, -1, 0))), c(2, 3)),
      cell_table(list(axis_levels(c(0, 1, -1, 0.1, 0.3, 1e15, 2^53, 1 / 3, 123456789.123))), 1),
      cell_table(list(axis_levels(c("b b", "O'x", "\"q\"", "\u00e9", "\u03a9 %_\\", "", "a ", "A"))), 4),
      cell_table(list(axis_levels(character())), 4),
      cell_table(list(axis_levels(c("3", "-1", "none", "2.0"))), 3)
    )
    expect_same_counts(data, tables, database)
  })

  test_that(paste("equally spaced breaks are found by arithmetic, at each break and next to it:", database), {
    ages <- seq(-8, 50, 5)
    all_breaks <- list(ages, seq(0, 1, 0.1), (-3:9) / 10, 0.1 * (-20:30), seq(-9.3, -2, 0.7), 2^53 + 6 * (0:10),
                       seq(-8e303, 8e303, 1e303), seq(-1e-300, 1e-300, 1e-301), seq(1.5e9, 1.6e9, by = 864e3),
                       c(0, 1, 2, 2.9, 4, 5, 6), pi * (0:9), seq(0, 1e5, 1))
    # of SQLite it is known that it reads the smallest constants an ulp off
    if (database == "sqlite") all_breaks <- Filter(function(breaks) max(abs(breaks)) > 1e-200, all_breaks)
    x <- unlist(lapply(all_breaks, function(breaks) c(breaks, double_below(breaks), -double_below(-breaks))))
    x <- c(unique(x[abs(x) < 9e4 | abs(x) > 1.1e5]), hard, Inf, -Inf)
    rows <- table_rows(in_database(database, data.frame(x = x, id = seq_along(x))))
    for (breaks in all_breaks) {
      counts <- count_rows(rows, list(cell_table(list(axis_intervals(breaks)), 1)))[[1]]
      expected <- findInterval(x, breaks, rightmost.closed = TRUE, all.inside = TRUE)
      expect_identical(counts, list(cell = sort(unique(as.double(expected))), count = as.double(table(expected))),
                       ignore_attr = TRUE)
    }
    expect_match(count_query(rows, list(cell_table(list(axis_intervals(ages)), 1))),
                 "FLOOR", ignore.case = TRUE)
  })

  test_that(paste("rows have the same sums:", database), {
    set.seed(42)
    n <- 5000
    data <- data.frame(x = c(rnorm(n - length(hard) - 2), hard, Inf, -Inf), y = runif(n, -3, 3),
                       g = sample(c("u", "v", "w"), n, TRUE),
                       k = sample(9L, n, TRUE))
    rows <- table_rows(in_database(database, data))
    memory <- table_rows(data)
    for (bits in long_or(c(1, 11, 24), c(1, 24))) {
      for (box in list(domain_box(c(-1, 0, 1), c(1, 0.7, 5)), domain_box(c(0.1, -1e300, 2), c(0.3, 1e300, 8)),
                       domain_box(c(1e15, -2^-1070, 0), c(1e15 + 1, 2^-1069, 1e-300)),
                       domain_box(c(-1 - 2^-50, 1, 2^53 + 2), c(-1, 1 + 9 * 2^-52, 2^53 + 20)))) {
        lattice <- public_lattice(box, bits)
        groups <- cell_table(list(axis_levels(c("v", "u")), axis_intervals(c(0, 4.5, 9))), 3:4)
        expect_identical(sum_rows(rows, lattice, c(1, 2, 4)), sum_rows(memory, lattice, c(1, 2, 4)))
        expect_identical(sum_rows(rows, lattice, c(1, 2, 4), groups), sum_rows(memory, lattice, c(1, 2, 4), groups))
      }
    }
  })

  test_that(paste("sums of all rows are those of one group, and a missing value is found in each column:", database), {
    box <- domain_box(c(-1, 0), c(1, 4))
    lattice <- public_lattice(box, 20)
    data <- data.frame(x = c(0.5, -3, Inf, 0.25, -Inf), y = c(1, 5, -1, 2, 3))
    one <- cell_table(list(axis_cells(0, 1, 1)), 1)
    rows_of <- function(data, env = parent.frame()) table_rows(in_database(database, data, env))
    rows <- rows_of(data)
    memory <- table_rows(data)
    expect_no_match(sum_query(rows, lattice, 1:2, NULL), "GROUP BY")
    expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice))
    expect_identical(count_and_sum(rows, lattice, 1:2, cell_table(list())),
                     count_and_sum(memory, lattice, 1:2, cell_table(list())))
    expect_identical(sum_rows(rows, lattice, 1:2, one), sum_rows(memory, lattice, 1:2, one))
    expect_identical(sum_rows(rows_of(data[0, ]), lattice), matrix(0, 1, 2))
    for (place in list(1, 2, 1:2)) {
      for (row in list(2, 1:5)) {
        gaps <- data
        gaps[row, place] <- NA
        expect_error(sum_rows(rows_of(gaps), lattice), "missing", class = "dptda_error_argument")
      }
    }
    # those that are left out are a group
    gaps <- data
    gaps$y[2] <- NA
    left <- table_rows(in_database(database, gaps), missing = "omit")
    expect_identical(count_and_sum(left, lattice, 1:2, cell_table(list())),
                     list(count = 4, sums = sum_rows(table_rows(data[-2, ]), lattice)))
  })

  test_that(paste("rows next to zero do not end the statement:", database), {
    data <- data.frame(x = c(1, -1, 2^-1074, -2^-1074, 1e-30, -1e-30, 1e-300, 0, 1e300, 3))
    tables <- lapply(list(axis_cells(0, 1e10, 10), axis_cells(-1e-300, 1e10, 10), axis_nearest(c(-1e10, 0, 1e10)),
                          axis_cells(0, 1e300, 2)), function(axis) cell_table(list(axis)))
    expect_same_counts(data, tables, database)
    rows <- table_rows(in_database(database, data))
    for (box in list(domain_box(-1e300, 1e300), domain_box(0, 1e300), domain_box(-1e300, 0), domain_box(-1e300, -1e299),
                     domain_box(-3, 9), domain_box(-2^25, 2^26))) {
      for (bits in c(1, 24)) {
        lattice <- public_lattice(box, bits)
        expect_identical(sum_rows(rows, lattice), sum_rows(table_rows(data), lattice))
      }
    }
  })

  test_that(paste("rows of a pipe are those that it gives:", database), {
    set.seed(46)
    data <- data.frame(x = sample(0:5, 40, TRUE) + 0, y = sample(0:5, 40, TRUE) * 2, k = 1:40, one_row = 1)
    table <- in_database(database, data)
    tables <- list(cell_table(list(axis_cells(-2, 10, 12))))
    lattice <- public_lattice(domain_box(-5, 20), 8)
    pipes <- list(
      dplyr::mutate(table, x = x * 2), dplyr::rename(table, x = y, y = x), dplyr::filter(table, k > 5),
      dplyr::distinct(table, x), dplyr::distinct(table), dplyr::select(dplyr::distinct(table, y, x), x),
      dplyr::mutate(dplyr::distinct(table, x, y), x = y), dplyr::union(table, table),
      dplyr::count(table, x, name = "y"),
      utils::head(dplyr::arrange(table, k), 7)
    )
    grouped <- dplyr::group_by(table, y)
    for (ask in list(table_rows, function(table) private_count(table, 1, columns = "x"), function(table)
                     private_bounds(table, 1, columns = "x"),
                     function(table) private_mean(table, domain_box(0, 1), 1, columns = "x"),
                     function(table) private_synthesis(table, table_schema(x = schema_numeric(0, 5, 5)), 1))) {
      expect_error(ask(grouped), "ungroup", class = "dptda_error_argument")
    }
    expect_identical(table_rows(dplyr::ungroup(grouped), "x")$n, 40)
    for (i in seq_along(pipes)) {
      pipe <- pipes[[i]]
      memory <- table_rows(transform(dplyr::collect(dplyr::ungroup(pipe)), x = as.double(x)), "x")
      rows <- table_rows(pipe, "x")
      expect_identical(rows$n, as.double(memory$n))
      # both stand on the same statement of the rows
      if (long_or(TRUE, i %% 2 == 0)) expect_identical(count_rows(rows, tables), count_rows(memory, tables))
      if (long_or(TRUE, i %% 2 == 1)) expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice))
    }
  })

  test_that(paste("columns may have the names that the statement uses:", database), {
    skip_unless_long()
    set.seed(47)
    names <- c("table", "rows", "cell", "one", "sum1", "part_of_rows", "n", "select", ".data", "group", "x y", "1",
               "one_row", "%s")
    data <- structure(as.data.frame(matrix(runif(30 * length(names)), 30)), names = names)
    table <- in_database(database, data)
    lattice <- public_lattice(domain_box(c(0, 0), c(1, 1)), 10)
    tables <- list(cell_table(list(axis_cells(0, 1, 3), axis_cells(0, 1, 2))))
    for (name in setdiff(names, "sum1")) {
      memory <- table_rows(data, c(name, "sum1"))
      rows <- table_rows(table, c(name, "sum1"), partition = name)
      expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice))
      expect_identical(count_rows(rows, tables), count_rows(memory, tables))
    }
    whole <- table_rows(table, c("cell", "sum1"))
    expect_identical(sum_rows(whole, lattice), sum_rows(table_rows(data, c("cell", "sum1")), lattice))
  })

  test_that(paste("a column may be called like an argument of the verbs that write the statement:", database), {
    data <- structure(data.frame(c(0.1, 0.6, 0.9), 1:3), names = c(".data", "x"))
    table <- in_database(database, data)
    lattice <- public_lattice(domain_box(0, 1), 10)
    cells <- list(cell_table(list(axis_cells(0, 1, 3))))
    for (partition in list(NULL, ".data", "x")) {
      rows <- table_rows(table, ".data", partition = partition)
      expect_identical(sum_rows(rows, lattice), sum_rows(table_rows(data, ".data"), lattice))
      expect_identical(count_rows(rows, cells), count_rows(table_rows(data, ".data"), cells))
    }
  })

  test_that(paste("a table in parts may have no rows:", database), {
    table <- in_database(database, data.frame(x = double(), shard = integer()))
    rows <- table_rows(table, "x", partition = "shard")
    expect_identical(rows$n, 0)
    expect_identical(unname(private_sum(rows, domain_box(0, 1), 1e100)$value), 0)
  })

  test_that(paste("a connection that cuts big integers is refused, whatever the rows:", database), {
    if (database == "duckdb") skip("its connections keep big integers")
    con <- databases[[database]](data.frame(x = runif(10000), k = bit64::as.integer64(1:10000)))
    for (bigint in c("integer", "integer64", "numeric", "character")) {
      if (database == "sqlite") {
        other <- DBI::dbConnect(RSQLite::SQLite(), ":memory:", bigint = bigint)
        DBI::dbWriteTable(other, "people", data.frame(x = c(1, 0, 2, 0), k = 1:4))
      } else {
        path <- DBI::dbGetQuery(con, "SHOW search_path")[[1]]
        other <- connect_postgres(database_server("start"), options = paste0("-c search_path=", path), bigint = bigint)
      }
      table <- dplyr::tbl(other, "people")
      if (bigint == "integer") {
        broken(table_rows(table, "x"))
        broken(private_sum(table, domain_box(0, 1), 1, columns = "x", bits = 1))
      } else {
        expect_identical(table_rows(table, "k")$types %in% c("number", "bit"), TRUE)
        expect_identical(length(private_sum(table, domain_box(0, 1), 1, columns = "k")$value), 1L)
      }
      DBI::dbDisconnect(other)
    }
  })

  test_that(paste("releases are those of the rows in memory:", database), {
    set.seed(43)
    data <- data.frame(age = sample(0:99, 400, TRUE), weight = rnorm(400, 70, 12),
                       word = sample(c("no", "yes", "?"), 400, TRUE))
    table <- in_database(database, data)
    sure <- 1e100
    box <- domain_box(c(weight = 40, age = 0), c(weight = 120, age = 100))
    grid <- domain_grid(box, size = 12)
    bins <- bin_points(table, grid)
    expect_identical(bins, bin_points(data[c("age", "weight")], grid))
    expect_identical(sum(bins$weights), 400)
    same <- function(release) expect_identical(release(table)$value, release(data)$value)
    same(function(x) private_sum(x, box, sure, columns = c("age", "weight")))
    same(function(x) private_mean(x, domain_box(0, 50), sure, columns = "age"))
    same(function(x) private_histogram(x, columns = "age", breaks = c(0, 18, 65, 99), epsilon = sure))
    same(function(x) private_table(x, columns = c("word", "age"), levels = list(word = c("yes", "no")),
                                       breaks = list(age = c(0, 50, 100)), epsilon = sure))
    boxes <- lapply(list(table, data), private_bounds, sure, columns = c("age", "weight"))
    expect_identical(boxes[[1]][1:2], boxes[[2]][1:2])
    old <- dplyr::mutate(table, old = age >= 65)
    expect_identical(private_count(old, sure, columns = "old")$value, as.double(sum(data$age >= 65)))
    expect_identical(privacy(private_sum(table, box, 1))$public$n, 400)
    expect_identical(privacy(private_sum(table, box, 1))$ledger,
                     privacy(private_sum(data[c("weight", "age")], box, 1))$ledger)
    expect_output(print(table_rows(table)), "400 rows in a database")
  })

  test_that(paste("a diagram takes three lines:", database), {
    skip_unless_long()
    set.seed(44)
    angle <- runif(2000, 0, 2 * pi)
    points <- in_database(database, data.frame(x = cos(angle), y = sin(angle)))
    bins <- bin_points(points, domain_grid(domain_box(c(-2, -2), c(2, 2)), size = 65))
    diagram <- private_diagram(bins, domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2), epsilon = 20, m0 = 0.1)
    expect_s3_class(diagram, "dptda_diagram")
  })

  test_that(paste("columns and tables of any name, no rows, one row:", database), {
    name <- "a \"b\" 'c'; DROP TABLE people; -- [d] `e` \u00e9"
    data <- structure(data.frame(c(1, 2, 3), c("x'); DROP TABLE people; --", "y", NA)), names = c(name, "word"))
    table <- in_database(database, data)
    sure <- 1e100
    expect_identical(private_mean(table, domain_box(0, 4), sure, columns = name)$value[[1]], 2)
    expect_identical(unname(private_table(table, columns = name, levels = c(1, 3), epsilon = sure)$value),
                     c(1, 1, 1))
    bad(private_table(table, columns = "word", levels = "x'); DROP TABLE people; --", epsilon = sure))
    whole <- dplyr::filter(table, !is.na(word))
    expect_identical(unname(private_table(whole, columns = "word", levels = "x'); DROP TABLE people; --",
                                              epsilon = sure)$value),
                     c(1, 1))
    for (n in 0:1) {
      some <- in_database(database, data[seq_len(n), ])
      expect_identical(unname(private_sum(some, domain_box(0, 4), sure, columns = name)$value), as.double(n))
      expect_identical(sum(private_table(some, columns = name, levels = 1, epsilon = sure)$value), as.double(n))
    }
    bad(private_mean(in_database(database, data[0, ]), domain_box(0, 4), 1, columns = name))
    bad(bin_points(in_database(database, data[0, ]), domain_grid(domain_box(0, 1), size = 3), columns = name))
  })

  test_that(paste("missing values are an error that is charged nothing:", database), {
    budget <- privacy_budget(epsilon = 1e4)
    for (column in list(c(1, NA, 3), c("a", NA, "b"))) {
      table <- in_database(database, data.frame(x = column))
      if (is.numeric(column)) {
        bad(private_sum(table, domain_box(0, 1), 1, columns = "x", budget = budget))
        bad(private_bounds(table, 1e3, columns = "x", budget = budget))
        bad(bin_points(table, domain_grid(domain_box(0, 1), size = 3), columns = "x"))
      }
      bad(private_table(table, columns = "x", levels = "a", epsilon = 1, budget = budget))
    }
    expect_identical(nrow(budget$ledger), 0L)
  })

  test_that(paste("what is wrong with columns is said before the database is asked:", database), {
    table <- in_database(database, data.frame(x = 1:3, s = letters[1:3], d = as.Date("2020-01-01") + 0:2))
    bad(private_sum(table, domain_box(0, 1), 1, columns = "s"))
    bad(private_sum(table, domain_box(0, 1), 1, columns = c("x", "s")))
    bad(private_sum(table, domain_box(0, 1), 1, columns = "none"))
    bad(private_sum(table, domain_box(c(a = 0), c(a = 1)), 1, columns = "x"))
    bad(private_table(table, levels = "a", epsilon = 1))
    bad(private_table(table, columns = "s", levels = c(a = 1), epsilon = 1))
    bad(private_histogram(table, columns = "s", breaks = c(0, 1), epsilon = 1))
    bad(private_table(table, columns = "x", levels = c(1, Inf), epsilon = 1))
    bad(private_count(table, columns = "s", epsilon = 1))
    bad(private_histogram(table, columns = "x", breaks = seq_len(20000)^2, epsilon = 1))
    bad(private_sum(table, domain_box(0, 1), 1, columns = "x", bits = 52))
    if (database == "postgres") bad(private_table(table, columns = "d", levels = "2020-01-01", epsilon = 1))
  })

  test_that(paste("a table that changes or vanishes between two rounds ends the release:", database), {
    con <- databases[[database]](data.frame(x = c(1, 2, 3)))
    rows <- table_rows(dplyr::tbl(con, "people"))
    budget <- privacy_budget(epsilon = 10)
    DBI::dbExecute(con, "INSERT INTO people VALUES (4)")
    broken(private_sum(rows, domain_box(0, 1), 1, budget = budget))
    broken(private_histogram(rows, breaks = c(0, 1), epsilon = 1, budget = budget))
    DBI::dbExecute(con, "DROP TABLE people")
    broken(private_sum(rows, domain_box(0, 1), 1, budget = budget))
    expect_error(private_sum(dplyr::tbl(con, "people"), domain_box(0, 1), 1, columns = "x", budget = budget))
    expect_identical(nrow(budget$ledger), 0L)
    # the connection is as good as before
    DBI::dbWriteTable(con, "people", data.frame(x = c(1, 2)))
    expect_identical(unname(private_sum(dplyr::tbl(con, "people"), domain_box(0, 9), 1e100, columns = "x")$value), 3)
  })

  test_that(paste("an error that may quote a row is not quoted:", database), {
    con <- databases[[database]](data.frame(x = c(1, 2, 3), secret = c("7", "oops 42", "9")))
    table <- dplyr::tbl(con, "people")
    failing <- if (database == "postgres") dplyr::mutate(table, y = dplyr::sql("CAST(secret AS DOUBLE PRECISION)")) else
      dplyr::mutate(table, y = dplyr::sql("abs(-9223372036854775807 - 1 + 0 * CAST(x AS INTEGER))"))
    budget <- privacy_budget(epsilon = 1)
    caught <- tryCatch(private_sum(failing, domain_box(0, 1), 1, columns = "y", budget = budget), error = identity)
    expect_s3_class(caught, "dptda_error")
    expect_no_match(conditionMessage(caught), "oops|42|overflow")
    expect_identical(nrow(budget$ledger), 0L)
    expect_identical(unname(private_sum(table, domain_box(0, 9), 1e100, columns = "x")$value), 6)
  })

  test_that(paste("a question that the database cannot understand is shown with its words:", database), {
    table <- in_database(database, data.frame(x = 1:3))
    broken(private_sum(dplyr::mutate(table, y = dplyr::sql("no_such_function(x)")), domain_box(0, 1), 1, columns = "y"))
    expect_error(table_rows(dplyr::mutate(table, y = dplyr::sql("no_such_function(x)"))), "no_such_function",
                 class = "dptda_error_database")
  })
}

test_that("three servers count their own rows, and give what one has", {
  set.seed(45)
  data <- data.frame(x = rnorm(3000), y = runif(3000))
  con <- local_shards(data)
  rows <- table_rows(dplyr::tbl(con, attr(con, "table")), columns = c("x", "y"), partition = "shard")
  tables <- list(cell_table(list(axis_nearest(seq(-1, 1, length.out = 33)), axis_cells(0, 1, 9))))
  expect_identical(count_rows(rows, tables), count_rows(table_rows(data), tables))
  lattice <- public_lattice(domain_box(c(-1, 0), c(1, 1)), 20)
  expect_identical(sum_rows(rows, lattice), sum_rows(table_rows(data), lattice))
  for (query in list(count_query(rows, tables), sum_query(rows, lattice, 1:2, NULL))) {
    plan <- DBI::dbGetQuery(con, paste("EXPLAIN (VERBOSE)", query))[[1]]
    expect_identical(sum(grepl("Relations: Aggregate on", plan)), 3L)
  }
})

test_that("a database that repeats a row is found out", {
  con <- local_sqlite(data.frame(x = c(1, 2, 3)))
  rows <- table_rows(dplyr::tbl(con, "people"))
  answer <- data.frame(table = c(1, 1, 0), cell = c(1, 2, 0), rows = c(2, 2, 3))
  broken(check_answer(answer, rows, 1))
  expect_s3_class(check_answer(transform(answer, rows = c(2, 1, 3)), rows, 1), "data.frame")
  bad(check_answer(transform(answer, rows = c(2, 1, 3), cell = c(1, NA, 0)), rows, 1))
})

# A function that gives another number whenever it is asked: a row of which it decides has to stay one row. 40 rounds
# each moved all rows in the statement of SQLite that had no limit in it with probability above 1/4. Nothing here is
# seeded, and nothing that holds is rejected.
test_that("a row that is drawn anew in a view moves no other", {
  X <- data.frame(x = c(-1, rep(0.25, 100)))
  drawn <- "CASE WHEN x = -1 THEN (CASE WHEN random() OP THEN 0.75 ELSE 0.25 END) ELSE x END AS x"
  for (con in list(local_sqlite(X), local_postgres(X))) {
    draw <- sub("OP", if (dialect_of(con)$name == "sqlite") "% 2 = 0" else "< 0.5", drawn)
    DBI::dbExecute(con, paste("CREATE VIEW seen AS SELECT", draw, "FROM people"))
    rows <- table_rows(dplyr::tbl(con, "seen"), columns = "x")
    table <- cell_table(list(axis_uniform(0, 2, 0, 1, 2)))
    lattice <- list(step = 0.25, first = 0, last = 4)
    # to write a statement takes longer than to ask it
    counted <- written_query(rows, count_query(rows, list(table)))
    summed <- written_query(rows, sum_query(rows, lattice, 1, table))
    ask <- function(statement) {
      answer <- check_answer(ask_statement(rows, statement), rows, 1)
      answer[answer$table == 1, ]
    }
    # in every fourth round or more two draws would differ: one that moves another row is missed once in 300
    for (round in 1:20) {
      counts <- ask(counted)
      expect_identical(sum(counts$rows), 101)
      expect_gte(counts$rows[counts$cell == 1], 100)
      sums <- ask(summed)
      expect_gte(sums$sum1[sums$cell == 1], 100)
    }
  }
})

test_that("a cell that is counted twice ends a release", {
  part <- data.frame(cell = c(1, 2, 2), rows = c(1, 1, 1))
  rows <- list_rows(list(1:3), "x")
  expect_error(check_cells(part, 2, rows), "twice", class = "dptda_error_database")
  expect_error(check_cells(part[1:2, ], 1, rows), "does not exist", class = "dptda_error_database")
  expect_identical(check_cells(part[2:1, ], 2, rows)$cell, c(1, 2))
})

test_that("a database may have 0 for the cell of what is missing", {
  con <- local_sqlite(data.frame(x = c(0.1, 0.9, NA, 0.8), s = c("a", "b", "b", "c")))
  tables <- list(cell_table(list(axis_cells(0, 1, 2), axis_levels(c("a", "b", "c")))),
                 cell_table(list(axis_cells(0, 1, 3))))
  lattice <- public_lattice(domain_box(0, 1), 20)
  numbered_from_0 <- function(missing) {
    rows <- table_rows(dplyr::tbl(con, "people"), c("x", "s"), missing = missing)
    rows$dialect$cell_if <- function(present, cell) {
      paste0("COALESCE((", paste(present, collapse = " AND "), ") * (", cell, "), 0)")
    }
    rows
  }
  left <- table_rows(data.frame(x = c(0.1, 0.9, 0.8), s = c("a", "b", "c")))
  expect_identical(count_rows(numbered_from_0("omit"), tables), count_rows(left, tables))
  expect_identical(sum_rows(numbered_from_0("omit"), lattice, 1, tables[[2]]), sum_rows(left, lattice, 1, tables[[2]]))
  expect_error(count_rows(numbered_from_0("error"), tables), "missing", class = "dptda_error_argument")
  expect_error(sum_rows(numbered_from_0("error"), lattice, 1, tables[[2]]), "missing", class = "dptda_error_argument")
})

test_that("a query with a condition says that what it leaves is taken as public, by its text alone", {
  con <- local_sqlite(data.frame(id = rep(1:50, 4), x = 1:200, s = "WHERE"))
  DBI::dbExecute(con, "CREATE VIEW seen AS SELECT * FROM people WHERE x > 150")
  people <- dplyr::tbl(con, "people")
  said <- function(expr) expect_message(expr, "treated as public", class = "dptda_message_filter")
  filtered <- list(dplyr::filter(people, x > 150), dplyr::select(dplyr::filter(people, x > 150, id > 1), id, x),
                   dplyr::tbl(con, dbplyr::sql("select id, x from people where x > 150")),
                   dplyr::semi_join(people, dplyr::tbl(con, "seen"), by = "id"),
                   dplyr::mutate(dplyr::filter(dplyr::tbl(con, "seen"), x < 190), y = x + 1),
                   dplyr::distinct(people, id, x), dplyr::intersect(people, dplyr::tbl(con, "seen")),
                   dplyr::inner_join(people, dplyr::select(dplyr::tbl(con, "seen"), x), by = "x"))
  for (table in filtered) {
    said(private_mean(table, c(0, 200), 9, columns = "x"))
    said(private_count(dplyr::mutate(table, old = x > 170), 9, columns = "old"))
    said(rows <- table_rows(table, "x"))
    expect_silent(private_sum(rows, c(0, 200), 9)) # it was said when the rows were read
    expect_message(table_rows(table, "x", person = "id"), "give `people`", class = "dptda_message_filter")
    expect_silent(table_rows(table, "x", person = "id", people = 50))
  }
  # an error that a handler makes of it comes before anything is spent
  budget <- privacy_budget(epsilon = 1)
  stopped <- function(cnd) stop("no")
  expect_error(withCallingHandlers(private_mean(filtered[[1]], c(0, 200), 1, columns = "x", budget = budget),
                                   dptda_message_filter = stopped))
  expect_identical(budget$spent, 0)
  # nothing is known of a view, and a word is none of the query's
  plain <- list(people, dplyr::left_join(people, dplyr::select(people, x, other = id), by = "x"),
                dplyr::tbl(con, "seen"), dplyr::select(people, x), dplyr::mutate(people, x = x + 1),
                dplyr::mutate(people, having = dplyr::sql("'it WHERE was'"), `where` = x))
  for (table in plain) expect_silent(private_mean(table, c(0, 200), 9, columns = "x"))
})

test_that("an infinite value stands for missing ones as in memory", {
  data <- data.frame(x = c(1, 2, NA, 4), k = c(1L, NA, 3L, 4L), day = as.Date("2020-01-01") + c(0, NA, 2, 3))
  databases <- list(sqlite = local_sqlite, postgres = local_postgres)
  for (database in names(databases)) {
    people <- dplyr::tbl(databases[[database]](data), "people")
    for (value in c(Inf, -Inf)) for (column in c("x", "k")) {
      of <- function(x) table_rows(x, column, missing = value)
      for (release in list(function(x) private_histogram(x, c(0, 1.5, 3, 9), 1, rng = "R"),
                           function(x) private_mean(x, c(0, 5), 1, rng = "R"),
                           function(x) private_table(x, c(1, 2, 4), 1, rng = "R"))) {
        set.seed(5)
        memory <- as.numeric(suppressWarnings(release(of(data))))
        set.seed(5)
        expect_identical(as.numeric(suppressWarnings(release(of(people)))), memory)
      }
    }
    if (database == "postgres") {
      days <- as.Date("2020-01-01") + c(0, 2, 9)
      for (value in c(Inf, -Inf)) {
        of <- function(x) {
          rows <- table_rows(x, "day", missing = structure(value, class = "Date"))
          as.numeric(round(private_histogram(rows, days, 1e9)))
        }
        expect_identical(of(people), of(data))
      }
    }
  }
})

test_that("what fails before any row is seen is an error of the package, whatever the columns are called", {
  data <- data.frame(x = 1:9, id = 1:9)
  con <- local_sqlite()
  odd <- c("TRUE", "NULL", "FALSE", "..1", "...", "NA", "if", "a b", "select")
  for (name in odd) {
    DBI::dbWriteTable(con, "odd", stats::setNames(data, c(name, "id")), overwrite = TRUE)
    table <- dplyr::tbl(con, "odd")
    for (release in list(function() private_mean(table, c(0, 9), 1e9, columns = name),
                         function() private_mean(table_rows(table, name, person = "id"), c(0, 9), 1e9),
                         function() private_mean(table_rows(table, name, missing = 0), c(0, 9), 1e9))) {
      found <- tryCatch(release(), error = identity)
      if (inherits(found, "error")) {
        expect_s3_class(found, "dptda_error")
        expect_no_match(conditionMessage(found), "window functions")
      } else {
        expect_equal(as.numeric(found), 5, tolerance = 1e-3, info = name)
      }
    }
    # SQLite takes TRUE of a query within a query for the constant
    if (!startsWith(name, ".") && !name %in% c("TRUE", "FALSE")) expect_false(inherits(found, "error"), info = name)
  }
})

test_that("a transaction that has failed is an error of the package", {
  con <- local_postgres(data.frame(x = 1:9, id = 1:9))
  people <- dplyr::tbl(con, "people")
  changed <- dplyr::mutate(people, y = x + 1)
  DBI::dbBegin(con)
  expect_error(DBI::dbGetQuery(con, "SELECT 1 / 0"))
  for (table in list(people, changed)) {
    for (ends in list(function() private_mean(table, c(0, 9), 1, columns = "x"), function() table_rows(table, "x"),
                      function() table_rows(table, "x", person = "id"), function() bin_points(table, domain_grid(
                        domain_box(c(x = 0), 9), size = 3), columns = "x"))) {
      expect_error(suppressWarnings(ends()), "aborted", class = "dptda_error_database")
    }
  }
  DBI::dbRollback(con)
})
