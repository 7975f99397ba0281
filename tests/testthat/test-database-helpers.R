# The helpers that give tests real databases: what is written there comes back as it was.

# Whole tables of bits, read as doubles. The sign of zero is lost on the way; what is no number is NULL in SQLite.
random_doubles <- function(n) {
  bits <- as.raw(sample.int(256, 8 * n, replace = TRUE) - 1)
  nasty <- c(0, 0.1, 1 / 3, 5e-324, .Machine$double.xmin, .Machine$double.xmax, 2^53 + 2, -1e15 - 1 / 8, Inf, -Inf)
  x <- c(nasty, readBin(bits, "double", n))
  data.frame(id = seq_len(n), x = Filter(Negate(is.nan), x)[seq_len(n)])
}

bytes <- function(x) writeBin(x, raw())

travels <- function(con, name = "people", n = 1e4) {
  back <- DBI::dbGetQuery(con, paste("SELECT id, x FROM", name, "ORDER BY id"))
  testthat::expect_identical(nrow(back), as.integer(n))
  back
}

test_that("doubles travel to a database and back bit for bit", {
  set.seed(901)
  data <- random_doubles(1e4)
  expect_true(all(is.infinite(range(data$x))))
  expect_false(anyNA(data$x))
  sqlite <- local_sqlite(data)
  expect_identical(bytes(travels(sqlite)$x), bytes(data$x))
  expect_identical(dplyr::pull(dplyr::count(dplyr::tbl(sqlite, "people"))), 10000L)
  postgres <- local_postgres(data)
  expect_identical(bytes(travels(postgres)$x), bytes(data$x))
  expect_identical(dplyr::pull(dplyr::count(dplyr::tbl(postgres, "people"))), bit64::as.integer64(10000))
})

test_that("doubles travel through shards and back bit for bit, and groups are counted where they are", {
  set.seed(902)
  data <- random_doubles(1e4)
  shards <- local_shards(data)
  name <- attr(shards, "table")
  expect_identical(bytes(travels(shards, name)$x), bytes(data$x))
  parts <- DBI::dbGetQuery(shards, paste("SELECT shard, count(*) AS n FROM", name, "GROUP BY shard ORDER BY shard"))
  expect_identical(as.double(parts$n), c(3334, 3333, 3333))
  plan <- function(groups) {
    sql <- paste("EXPLAIN SELECT count(*) FROM", name, "GROUP BY", groups)
    paste(DBI::dbGetQuery(shards, sql)[[1]], collapse = "\n")
  }
  expect_match(plan("shard, floor(x)"), "Foreign Scan.*Relations: Aggregate on")
  expect_no_match(plan("floor(x)"), "Relations: Aggregate on")
})

test_that("each connection sees its own tables, and the server is the same", {
  skip_if_no_postgres()
  tables <- function(con) DBI::dbGetQuery(con, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema")[[1]]
  first <- local_postgres(data.frame(x = 1))
  second <- local_postgres(data.frame(x = c(2, NaN, NA)), "others")
  expect_identical(tables(first), "people")
  expect_identical(tables(second), "others")
  expect_identical(DBI::dbReadTable(second, "others")$x, c(2, NaN, NA))
  address <- function(con) DBI::dbGetQuery(con, "SELECT pg_postmaster_start_time()::text")[[1]]
  expect_identical(address(first), address(second))
})

test_that("a server ends with its owner, is found again, and is not put where something else is", {
  skip_if_no_postgres()
  folder <- tempfile("dptda-postgres- ", dirname(tempdir()))
  withr::defer(run_postgres("stop", folder))
  runs <- function() file.exists(file.path(folder, "server-0", "postmaster.pid"))
  owner <- as.integer(system("sleep 600 >/dev/null 2>&1 & echo $!", intern = TRUE))
  withr::defer(tools::pskill(owner, tools::SIGKILL))
  run_postgres("start", folder, 54321, owner)
  expect_true(runs())
  process <- readLines(file.path(folder, "server-0", "postmaster.pid"))[1]
  run_postgres("start", folder, 54321)
  expect_identical(readLines(file.path(folder, "server-0", "postmaster.pid"))[1], process)
  expect_error(run_postgres("start", folder, 54399), "other servers run")
  tools::pskill(owner, tools::SIGKILL)
  expect_true(wait_until(function() !file.exists(folder)))

  # left behind by a crash
  run_postgres("start", folder, 54321)
  process <- readLines(file.path(folder, "server-0", "postmaster.pid"))[1]
  tools::pskill(as.integer(process), tools::SIGKILL)
  run_postgres("start", folder, 54399)
  expect_true(runs())
  run_postgres("stop", folder)
  run_postgres("stop", folder)
  expect_false(file.exists(folder))

  dir.create(folder)
  file.create(file.path(folder, "thesis"))
  expect_error(run_postgres("start", folder, 54321), "something else")
  run_postgres("stop", folder)
  expect_true(file.exists(file.path(folder, "thesis")))
  unlink(folder, recursive = TRUE)
  expect_error(run_postgres("start", folder, 80), "ports")
})
