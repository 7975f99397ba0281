# Two ClickHouse servers and a table that is spread over them. A person starts them by tools/clickhouse.sh, which says
# how this file is run then.

test_that("two ClickHouse servers count and sum their own rows, and give what one has", {
  port <- Sys.getenv("DPTDA_CLICKHOUSE")
  skip_if(!nzchar(port), "ClickHouse is not running (tools/clickhouse.sh)")
  skip_if_not_installed("RClickhouse")
  driver <- getExportedValue("RClickhouse", "clickhouse") # not among the packages that the tests name
  set.seed(46)
  n <- 20000
  data <- data.frame(x = rnorm(n), y = runif(n, -3, 3), k = sample(-4:4, n, TRUE),
                     s = sample(c("a", "B", "O'x", "\u00e9"), n, TRUE))
  parts <- split(data, rep(1:2, length.out = n))
  for (server in 1:2) {
    con <- DBI::dbConnect(driver(), host = "127.0.0.1", port = as.integer(port) + 3 * (server - 1))
    DBI::dbExecute(con, "DROP TABLE IF EXISTS part")
    DBI::dbExecute(con, "CREATE TABLE part (x Float64, y Float64, k Int32, s String) ENGINE = Memory")
    DBI::dbWriteTable(con, "part", parts[[server]], append = TRUE, row.names = FALSE)
    if (server == 2) DBI::dbDisconnect(con) else first <- con
  }
  withr::defer(DBI::dbDisconnect(first))
  DBI::dbExecute(first, "DROP TABLE IF EXISTS people")
  DBI::dbExecute(first, "CREATE TABLE people AS part ENGINE = Distributed(both, default, part)")
  rows <- table_rows(dplyr::tbl(first, "people"))
  tables <- list(cell_table(list(axis_nearest(seq(-1, 1, length.out = 65)), axis_cells(-3, 3, 50))),
                 cell_table(list(axis_intervals(c(-5, -2, 0.5, 3, 5))), 3),
                 cell_table(list(axis_levels(c("O'x", "\u00e9", "b"))), 4))
  expect_identical(count_rows(rows, tables), count_rows(table_rows(data), tables))
  lattice <- public_lattice(domain_box(c(-1, 0), c(1, 1)), 20)
  expect_identical(sum_rows(rows, lattice), sum_rows(table_rows(data), lattice))
  # what is missing is an error that says so, or left out
  gaps <- data.frame(z = c(1, NA, 3, NaN, 2))
  DBI::dbExecute(first, "DROP TABLE IF EXISTS gaps")
  DBI::dbExecute(first, "CREATE TABLE gaps (z Nullable(Float64)) ENGINE = Memory")
  for (z in c("1", "NULL", "3", "CAST('nan' AS Nullable(Float64))", "2")) {
    DBI::dbExecute(first, paste("INSERT INTO gaps SELECT", z))
  }
  there <- dplyr::tbl(first, "gaps")
  expect_error(private_histogram(there, 0:4, epsilon = 1, columns = "z"), "missing values",
               class = "dptda_error_argument")
  for (release in list(function(x) private_histogram(x, 0:4, epsilon = 1, rng = "R")$value,
                       function(x) private_mean(x, c(0, 4), epsilon = 1, rng = "R")$value,
                       function(x) private_median(x, c(0, 4), epsilon = 1, rng = "R")$value)) {
    of <- function(x) with_seed(47, release(table_rows(x, "z", missing = "omit")))
    expect_identical(of(there), of(gaps))
  }
  # dates, and times of whole seconds
  DBI::dbExecute(first, "DROP TABLE IF EXISTS days")
  DBI::dbExecute(first, "CREATE TABLE days (d Nullable(Date), t DateTime) ENGINE = Memory")
  for (d in c("'2020-01-31'", "'2020-02-01'", "NULL")) {
    DBI::dbExecute(first, paste("INSERT INTO days SELECT CAST(", d, "AS Nullable(Date)),",
                                "toDateTime('2020-01-31 23:59:59', 'UTC')"))
  }
  days <- data.frame(d = as.Date(c("2020-01-31", "2020-02-01", NA)),
                     t = as.POSIXct("2020-01-31 23:59:59", tz = "UTC"))
  months <- as.Date(c("2020-01-01", "2020-02-01", "2020-03-01"))
  for (release in list(function(x) private_histogram(x, months, 1, columns = "d", rng = "R")$value,
                       function(x) private_histogram(x, as.POSIXct(months), 1, columns = "t", rng = "R")$value,
                       function(x) private_mean(x, domain_box(c(d = months[1]), months[3]), 1, rng = "R")$value)) {
    of <- function(x) with_seed(48, release(table_rows(x, c("d", "t"), missing = "omit")))
    expect_identical(of(dplyr::tbl(first, "days")), of(days))
  }
  # texts of any type
  DBI::dbExecute(first, "DROP TABLE IF EXISTS texts")
  DBI::dbExecute(first, paste("CREATE TABLE texts (f Nullable(FixedString(2)), e Nullable(Enum8('a' = 1, 'b' = 2)))",
                              "ENGINE = Memory"))
  for (row in list(c("'a'", "'b'"), c("NULL", "'a'"), c("'b'", "NULL"))) {
    DBI::dbExecute(first, sprintf(paste("INSERT INTO texts SELECT CAST(%s AS Nullable(FixedString(2))),",
                                        "CAST(%s AS Nullable(Enum8('a' = 1, 'b' = 2)))"), row[1], row[2]))
  }
  texts <- data.frame(f = c("a", NA, "b"), e = c("b", "a", NA))
  # an absent Enum has no text in this version, which is an error of the database
  for (column in "f") for (missing in c("omit", "level", "b")) {
    of <- function(x) {
      levels <- structure(list(c("a", "none", "b")), names = column)
      with_seed(49, private_table(table_rows(x, column, missing = missing), levels, 1, rng = "R")$value)
    }
    expect_identical(of(dplyr::tbl(first, "texts")), of(texts))
  }
  # numbers beyond the box and beyond all, none, and absent ones
  DBI::dbExecute(first, "DROP TABLE IF EXISTS ends")
  DBI::dbExecute(first, "CREATE TABLE ends (i Int32, x Float64, z Nullable(Float64)) ENGINE = Memory")
  x <- c("'inf'", "'-inf'", "1e300", "0.3", "-1e300", "'nan'")
  z <- c("'inf'", "'-inf'", "1e300", "0.3", "0.7", "NULL")
  ends <- sprintf("SELECT toInt32(%d), CAST(%s AS Float64), CAST(%s AS Nullable(Float64))", 1:6, x, z)
  for (row in ends) DBI::dbExecute(first, paste("INSERT INTO ends", row))
  whole <- dplyr::filter(dplyr::tbl(first, "ends"), i < 6)
  known <- data.frame(x = c(Inf, -Inf, 1e300, 0.3, -1e300), z = c(Inf, -Inf, 1e300, 0.3, 0.7))
  for (box in list(domain_box(c(-1, 0), c(1, 1)), domain_box(c(-1e9, 2^53 + 2), c(3e9, 2^53 + 20)))) {
    lattice <- public_lattice(box, 24)
    there <- table_rows(whole, c("x", "z"))
    expect_identical(sum_rows(there, lattice), sum_rows(table_rows(known), lattice))
    one <- cell_table(list(axis_cells(0, 1, 3)))
    expect_identical(sum_rows(there, lattice, groups = one), sum_rows(table_rows(known), lattice, groups = one))
  }
  for (column in c("x", "z")) {
    there <- table_rows(dplyr::tbl(first, "ends"), column)
    expect_error(sum_rows(there, public_lattice(domain_box(0, 1), 20)), "missing", class = "dptda_error_argument")
  }
  # what travels from server to server are counts
  sent <- function() {
    Sys.sleep(2) # its log is written after half a second
    con <- DBI::dbConnect(driver(), host = "127.0.0.1", port = as.integer(port) + 3)
    on.exit(DBI::dbDisconnect(con))
    DBI::dbGetQuery(con, paste("SELECT toFloat64(sum(result_rows)) AS sent FROM system.query_log",
                               "WHERE type = 2 AND is_initial_query = 0"))$sent
  }
  before <- sent()
  for (table in list(dplyr::tbl(first, "people"), dplyr::filter(dplyr::tbl(first, "people"), x < 9))) {
    count_rows(table_rows(table, c("x", "y")), list(cell_table(list(axis_cells(-3, 3, 50)), 2)))
    sum_rows(table_rows(table, c("x", "y")), lattice)
  }
  expect_lt(sent() - before, 2 * (50 + 1 + 2) + 20)
  # window functions came later
  version <- DBI::dbGetQuery(first, "SELECT version() AS v")$v
  if (numeric_version(sub("^([0-9]+[.][0-9]+).*", "\\1", version)) >= "21.9") {
    for (person in c("k", "s")) {
      there <- weigh_rows(table_rows(dplyr::tbl(first, "people"), c("x", "y"), person = person), 1024)
      memory <- weigh_rows(table_rows(data, c("x", "y"), person = person), 1024)
      expect_identical(count_rows(there, tables[1]), count_rows(memory, tables[1]))
      expect_identical(sum_rows(there, lattice), sum_rows(memory, lattice))
    }
    one <- table_rows(dplyr::tbl(first, "people"), c("x", "y"), person = "k", rows_of_person = "one")
    expect_identical(sum(count_rows(settle_rows(one, "os"), tables[1])[[1]]$count), 9)
  }
  mean <- private_mean(dplyr::tbl(first, "people"), domain_box(c(-9, -9), c(9, 9)), 1e100, columns = c("x", "y"))
  expect_equal(mean$value, colMeans(data[c("x", "y")]), tolerance = 1e-5)
})

test_that("the newest ClickHouse gives what memory has, of rounds and people, too", {
  modules <- Sys.getenv("DPTDA_CHDB")
  skip_if(!nzchar(modules), "ClickHouse as a library is not there (tools/clickhouse.sh)")
  skip_if_not_installed("RClickhouse")
  define_chdb()
  con <- local_chdb(modules)
  set.seed(49)
  n <- 2000
  data <- data.frame(x = round(rnorm(n), 3), z = runif(n), k = rep(1:40, length.out = n),
                     s = sample(letters[1:3], n, TRUE))
  data$x[1:4] <- c(Inf, -Inf, 1e300, -1e300)
  make_table <- function(name, data, types) {
    DBI::dbExecute(con, paste0("CREATE TABLE ", name, " (", paste(names(data), types, collapse = ", "),
                               ") ENGINE = MergeTree ORDER BY tuple()"))
    columns <- lapply(data, function(x) {
      values <- if (is.character(x)) paste0("'", x, "'") else
        sub("^(-?Inf|NaN)$", "'\\1'", format(x, digits = 17, trim = TRUE))
      replace(values, is.na(x) & !is.nan(x), "NULL")
    })
    casts <- Map(function(x, type) paste0("CAST(", x, " AS ", type, ")"), columns, types)
    rows <- paste0("(", do.call(paste, c(casts, sep = ", ")), ")")
    DBI::dbExecute(con, paste("INSERT INTO", name, "VALUES", paste(rows, collapse = ", ")))
    dplyr::tbl(con, name)
  }
  there <- make_table("people", data, c("Float64", "Nullable(Float64)", "Int32", "String"))
  box <- domain_box(c(x = -2, z = 0), c(2, 1))
  both <- c("x", "z")
  same <- function(release, there, data) {
    of <- function(x) suppressWarnings(suppressMessages(with_seed(50, release(x))))
    expect_identical(of(there), of(data), info = deparse(release)[1])
  }
  for (release in list(
    function(x) private_histogram(x, -4:4, 1, columns = "x", rng = "R")$value,
    function(x) private_histogram(x, c(0, 0.1, 0.5, 1), 1, columns = "z", rng = "R")$value,
    function(x) as.double(bin_points(x, domain_grid(box, size = 33))$weights),
    function(x) private_table(x, list(s = c("a", "b")), 1, rng = "R")$value,
    function(x) private_mean(x, box, 1, by = list(s = c("a", "b", "c")), rng = "R")$value,
    function(x) private_median(x, c(-2, 2), 1, columns = "x", rng = "R")$value,
    function(x) private_covariance(x, box, epsilon = 1, delta = 1e-6, rng = "R")$cov,
    function(x) private_kmeans(x, box, 3, epsilon = 5, rng = "R")$centers,
    function(x) private_mixture(x, box, 2, epsilon = 5, delta = 1e-6, rng = "R")$means,
    function(x) private_mean(table_rows(x, both, person = "k"), box, 1, rng = "R")$value,
    function(x) private_kmeans(table_rows(x, both, person = "k"), box, 3, epsilon = 5, rng = "R")$centers
  )) same(release, there, data)
  gaps <- data.frame(x = c(0.5, NaN, -1, 2), z = c(0.1, 0.2, NA, 0.9))
  there <- make_table("gaps", gaps, c("Float64", "Nullable(Float64)"))
  for (release in list(function(x) private_histogram(x, -4:4, 1, columns = "x", rng = "R")$value,
                       function(x) private_mean(x, box, 1, rng = "R")$value)) {
    same(function(x) release(table_rows(x, both, missing = "omit")), there, gaps)
    expect_error(release(there), "missing values", class = "dptda_error_argument")
  }
  # texts of any type
  texts <- data.frame(f = c("a", NA, "b", "a"), e = c("b", "a", NA, "a"))
  there <- make_table("texts", texts, c("Nullable(FixedString(2))", "Nullable(Enum8('a' = 1, 'b' = 2))"))
  for (column in c("f", "e")) for (missing in c("omit", "level", "b")) {
    same(function(x) {
      levels <- structure(list(c("a", "none", "b")), names = column)
      private_table(table_rows(x, column, missing = missing), levels, 1, rng = "R")$value
    }, there, texts)
  }
})
