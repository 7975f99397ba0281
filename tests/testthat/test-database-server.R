# What a server may do to a release, each on a real PostgreSQL: who sees which rows, who may do what, and what happens
# where a connection, a statement or the server ends.

broken <- function(expr) expect_error(expr, class = "dptda_error_database")

# Another connection to the same tables, as `user`.
connect_beside <- function(con, user = NULL, env = parent.frame(), ...) {
  schema <- DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]
  other <- connect_postgres(database_server("start"), options = paste0("-c search_path=", schema, " ", ...))
  withr::defer(suppressWarnings(DBI::dbDisconnect(other)), envir = env)
  if (!is.null(user)) DBI::dbExecute(other, paste("SET SESSION AUTHORIZATION", user))
  other
}

# A user who may read the tables of the test, and nothing else.
local_reader <- function(con, env = parent.frame()) {
  reader <- unused_name("reader")
  schema <- DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]
  for (words in c(paste("CREATE ROLE", reader, "LOGIN"), paste("GRANT USAGE ON SCHEMA", schema, "TO", reader),
                  paste("GRANT SELECT ON ALL TABLES IN SCHEMA", schema, "TO", reader),
                  paste("ALTER ROLE", reader, "SET default_transaction_read_only = on"),
                  "REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")) {
    DBI::dbExecute(con, words)
  }
  withr::defer({
    DBI::dbExecute(con, paste("DROP OWNED BY", reader))
    DBI::dbExecute(con, paste("DROP ROLE", reader))
    DBI::dbExecute(con, "GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
  }, envir = env)
  reader
}

server_data <- function() {
  set.seed(81)
  data.frame(id = 1:200, x = stats::runif(200, 0, 9), owner = rep(c("a", "b"), c(150, 50)))
}

process_of <- function(con) DBI::dbGetQuery(con, "SELECT pg_backend_pid() AS pid")$pid

test_that("who may only read, and make no temporary table, can release", {
  con <- local_postgres(server_data())
  reader <- local_reader(con)
  other <- connect_beside(con, reader)
  expect_error(DBI::dbExecute(other, "CREATE TEMPORARY TABLE mine (x INTEGER)"), "permission|read-only")
  expect_error(DBI::dbExecute(other, "DELETE FROM people"), "permission|read-only")
  people <- dplyr::tbl(other, "people")
  for (rows in list(people, table_rows(people, person = "id"))) {
    columns <- if (inherits(rows, "tbl_lazy")) "x"
    set.seed(82)
    expect_equal(sum(private_histogram(rows, 0:9, 1e9, columns = c(columns, if (is.null(columns)) "x"))$value), 200)
  }
  expect_s3_class(private_covariance(people, domain_box(c(x = 0), 9), rho = 1), "dptda_private_covariance")
  expect_s3_class(private_kmeans(people, domain_box(c(x = 0), 9), 2, rho = 1, method = "lloyd"), "dptda_private_kmeans")
  schema <- table_schema(x = schema_numeric(0, 9, 3), owner = schema_categorical(c("a", "b")))
  expect_s3_class(private_synthesis(people, schema, epsilon = 1), "dptda_synthesis")
  expect_identical(DBI::dbGetQuery(con, "SELECT count(*)::int AS n FROM people")$n, 200L)
})

test_that("a transaction that cannot be as a release needs it ends again", {
  con <- local_postgres(server_data())
  poor <- connect_beside(con, local_reader(con))
  people <- dplyr::tbl(poor, "people")
  admin <- connect_beside(con)
  DBI::dbExecute(admin, "REVOKE SELECT ON pg_settings FROM PUBLIC")
  withr::defer(DBI::dbExecute(admin, "GRANT SELECT ON pg_settings TO PUBLIC"))
  for (release in list(private_mean, private_sum, private_median)) {
    broken(release(people, domain_box(0, 9), epsilon = 1, columns = "x"))
    expect_identical(DBI::dbGetQuery(poor, "SELECT 1 AS one")$one, 1L)
    expect_length(releases_now$states, 0)
  }
  DBI::dbExecute(poor, "BEGIN")
  expect_s3_class(private_mean(people, domain_box(0, 9), 1, columns = "x"), "dptda_private_mean")
})

test_that("where rows have a policy, n is how many of them the user sees", {
  con <- local_postgres(server_data())
  reader <- local_reader(con)
  DBI::dbExecute(con, "ALTER TABLE people ENABLE ROW LEVEL SECURITY")
  DBI::dbExecute(con, "CREATE POLICY own ON people USING (owner = 'a')")
  people <- dplyr::tbl(connect_beside(con, reader), "people")
  expect_identical(table_rows(people)$n, 150)
  expect_equal(sum(private_histogram(people, 0:9, 1e9, columns = "x")$value), 150)
  expect_identical(privacy(private_covariance(people, domain_box(c(x = 0), 9), rho = 1))$public$n, 150)
  # the owner sees all
  expect_identical(table_rows(dplyr::tbl(con, "people"))$n, 200)
})

test_that("rows are counted and summed in as many processes as the server has for a scan", {
  data <- data.frame(x = rep(server_data()$x, 50), owner = rep(server_data()$owner, 50))
  con <- local_postgres(data)
  DBI::dbExecute(con, "ANALYZE people")
  rows <- table_rows(dplyr::tbl(con, "people"), "x")
  grouped <- table_rows(dplyr::tbl(con, "people"), c("x", "owner"))
  lattice <- public_lattice(domain_box(0, 9), 20)
  # were rows that processes hand over free, those before 15 would hand them over
  for (setting in c("min_parallel_table_scan_size", "parallel_setup_cost")) {
    DBI::dbExecute(con, paste("SET", setting, "= 0"))
  }
  cells <- cell_table(list(axis_cells(0, 9, 9)))
  for (query in list(count_query(rows, list(cells)), sum_query(rows, lattice, 1, NULL),
                     sum_query(grouped, lattice, 1, cell_table(list(axis_levels("a")), 2)), total_query(rows))) {
    expect_match(DBI::dbGetQuery(con, paste("EXPLAIN", query))[[1]], "Partial .*Aggregate", all = FALSE)
  }
  memory <- table_rows(data, "x")
  expect_identical(count_rows(rows, list(cells)), count_rows(memory, list(cells)))
  expect_identical(sum_rows(rows, lattice), sum_rows(memory, lattice))
})

test_that("what is summed of a table is counted by the same look, and is what rows that were read give", {
  data <- data.frame(x = c(1, 2.5, 99), when = as.Date("2020-01-01") + 0:2, gap = c(1, NA, 3))
  con <- local_postgres(data)
  people <- dplyr::tbl(con, "people")
  box <- domain_box(c(x = 0), 9)
  days <- domain_box(as.Date(c("2019-12-31", "2020-01-31")))
  asked <- 0
  ask <- ask_statement
  looks <- function(code) {
    asked <<- 0
    counting <- function(rows, statement) {
      asked <<- asked + grepl("people", statement)
      ask(rows, statement)
    }
    with_replaced("ask_statement", counting, force(code))
    asked
  }
  seeded <- function(release, ...) {
    set.seed(83)
    release(..., rng = "R")
  }
  for (release in list(private_mean, private_sum)) {
    expect_equal(looks(first <- seeded(release, people, box, 1)), 1)
    expect_equal(looks(second <- seeded(release, table_rows(people, "x"), box, 1)), 2)
    expect_identical(first, second)
    expect_identical(first$value, seeded(release, data["x"], box, 1)$value)
    expect_identical(privacy(first)$public$n, 3)
  }
  expect_equal(looks(mean <- private_mean(people, days, 1e9, columns = "when")), 1)
  expect_identical(round(as.double(mean$value)), as.double(as.Date("2020-01-02")))
  # what is wrong is said as it was
  budget <- privacy_budget(epsilon = 9)
  bad <- function(code, words = NULL) expect_error(code, words, class = "dptda_error_argument")
  plain <- domain_box(0, 9)
  bad(private_mean(people, plain, 1, columns = "gap", budget = budget), "missing")
  bad(private_mean(dplyr::filter(people, x < 0), box, 1, budget = budget), "at least 1 row")
  bad(private_sum(people, plain, 1, columns = c("x", "gap"), budget = budget), "must have 1 column")
  bad(private_sum(people, plain, 1, columns = "none", budget = budget), "none")
  bad(private_sum(people, box, 1, bits = 30, budget = budget), "bits")
  bad(private_sum(people, plain, 1, columns = "when", budget = budget), "Date")
  expect_identical(private_sum(dplyr::filter(people, x < 0), box, 1e9, bits = 2)$value[[1]], 0)
  expect_identical(nrow(budget$ledger), 0L)
  DBI::dbExecute(con, "BEGIN")
  expect_identical(privacy(private_mean(people, box, 1))$public$n, 3)
  DBI::dbExecute(con, "COMMIT")
})

# What was asked of the rows of people.
asked_words <- function(code) {
  asked <- character()
  ask <- ask_statement
  counting <- function(rows, statement) {
    word <- if (grepl("sum1", statement)) "sums" else if (grepl("GROUP BY", statement)) "cells" else "count"
    asked <<- c(asked, if (grepl("people", statement)) word)
    ask(rows, statement)
  }
  value <- with_replaced("ask_statement", counting, code)
  list(words = asked, value = value)
}

expect_asked_once <- function(con, release, name) {
  people <- dplyr::tbl(con, "people")
  failing <- dplyr::mutate(people, x = dplyr::sql("CASE WHEN id = 2 THEN x / 0 ELSE x END"))
  looks <- function(rows, ..., class) {
    asked <- asked_words(tryCatch(suppressWarnings(release(rows, ...)), error = identity))
    expect_s3_class(asked$value, class)
    # nothing of ours is left open
    expect_false(is_in_transaction(list(dialect = dialect_of(con))))
    expect_length(releases_now$states, 0)
    asked$words
  }
  spent <- privacy_budget(epsilon = 1)
  expect_identical(looks(people, budget = spent, class = "dptda_private_value"), name)
  # beyond a budget no row of a table is read
  for (rows in list(people, failing)) {
    words <- if (identical(rows, failing)) "count" else character()
    expect_identical(looks(rows, budget = spent, class = "dptda_error_budget"), words)
    expect_identical(looks(rows, budget = privacy_budget(epsilon = 0.5), class = "dptda_error_budget"), words)
    withr::with_options(list(dptda.budget = "required"),
                        expect_identical(looks(rows, class = "dptda_error_budget"), words))
  }
  # rows of a query are counted first
  expect_identical(looks(failing, class = "dptda_error_database"), c("count", name))
  # an error waits for its time, and so does whatever else ends the call once the rows were seen
  withr::local_options(dptda.release_time = 0.1)
  before <- release_delays$releases
  looks(failing, class = "dptda_error_database")
  stopped <- with_replaced("announce_weak", function(mechanism) stop("no"), looks(people, class = "simpleError"))
  expect_identical(stopped, name)
  expect_identical(release_delays$releases, before + 2)
  expect_length(releases_now$states, 0)
  looks(people, budget = spent, class = "dptda_error_budget")
  expect_identical(release_delays$releases, before + 2)
  looks(failing, budget = spent, class = "dptda_error_budget")
  expect_identical(release_delays$releases, before + 3)
  expect_error(release(people, none = 1), class = "dptda_error_argument")
  expect_identical(release_delays$releases, before + 3)
  withr::local_options(dptda.release_time = NULL)
  # R forgets a time limit that has struck: nothing goes on without it. RPostgres calls it otherwise
  for (said in c("reached elapsed time limit", "Interrupted.")) {
    limited <- with_replaced("read_statement", function(rows, statement) without_errors(rows, stop(said)),
                             asked_words(tryCatch(release(people), error = conditionMessage)))
    expect_identical(limited$value, "reached elapsed time limit")
    expect_length(releases_now$states, 0)
  }
  # what fails in a transaction of the user's ends that
  DBI::dbBegin(con)
  expect_identical(privacy(suppressWarnings(release(people)))$public$n, 3)
  expect_identical(asked_words(broken(suppressWarnings(release(failing))))$words, c("count", name))
  DBI::dbRollback(con)
}

test_that("sums and cells come with the count where a budget reaches, and what fails then fails where it did", {
  con <- local_postgres(data.frame(id = 1:3, x = c(1, 2.5, 99)))
  releases <- list(
    sums = function(rows, ...) private_mean(rows, c(0, 9), 1, columns = "x", ...),
    cells = function(rows, ...) private_histogram(rows, 0:9, 1, columns = "x", ...),
    cells = function(rows, ...) private_table(rows, levels = list(id = 1:3), breaks = list(x = 0:9), epsilon = 1, ...)
  )
  for (i in seq_along(releases)) expect_asked_once(con, releases[[i]], names(releases)[i])
  # no release, and no budget
  grid <- domain_grid(domain_box(c(id = 0, x = 0), c(9, 9)), by = 1)
  asked <- asked_words(bin_points(dplyr::tbl(con, "people"), grid))
  expect_identical(asked$words, "cells")
  expect_identical(asked$value$weights, c(1, 1, 1))
})

test_that("a release fires no trigger, and what writes where it is read ends it", {
  con <- local_postgres(server_data())
  DBI::dbExecute(con, "CREATE TABLE log (seen INTEGER)")
  DBI::dbExecute(con, paste("CREATE FUNCTION note() RETURNS TRIGGER AS $$ BEGIN INSERT INTO log VALUES (1);",
                            "RETURN NEW; END $$ LANGUAGE plpgsql"))
  DBI::dbExecute(con, paste("CREATE TRIGGER each AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON people",
                            "EXECUTE FUNCTION note()"))
  DBI::dbExecute(con, paste("CREATE FUNCTION noted(x DOUBLE PRECISION) RETURNS DOUBLE PRECISION AS",
                            "$$ INSERT INTO log VALUES (2); SELECT x $$ LANGUAGE sql VOLATILE"))
  DBI::dbExecute(con, "CREATE VIEW watched AS SELECT id, noted(x) AS x FROM people")
  DBI::dbExecute(con, "CREATE RULE instead AS ON INSERT TO watched DO INSTEAD INSERT INTO log VALUES (3)")
  private_histogram(dplyr::tbl(con, "people"), 0:9, 1, columns = "x")
  expect_identical(DBI::dbGetQuery(con, "SELECT count(*)::int AS n FROM log")$n, 0L)
  budget <- privacy_budget(epsilon = 1)
  broken(private_histogram(dplyr::tbl(con, "watched"), 0:9, 1, columns = "x", budget = budget))
  expect_identical(nrow(budget$ledger), 0L)
})

test_that("a connection that dies while rows are read and counted is no other session for the rest", {
  con <- local_postgres(server_data())
  people <- dplyr::tbl(con, "people")
  other <- connect_beside(con)
  read <- read_statement
  for (release in list(function() private_mean(people, c(0, 9), 1, columns = "x", budget = budget),
                       function() private_histogram(people, 0:9, 1, columns = "x", budget = budget))) {
    budget <- privacy_budget(epsilon = 1)
    process <- process_of(con)
    DBI::dbExecute(con, "SET ROLE pg_read_all_data")
    harmed <- FALSE
    expect_message(with_replaced("read_statement", function(rows, statement) {
      if (!harmed) DBI::dbGetQuery(other, paste("SELECT pg_terminate_backend(", process, ")"))
      harmed <<- TRUE
      read(rows, statement)
    }, broken(release())))
    expect_identical(nrow(budget$ledger), 0L)
    expect_identical(DBI::dbGetQuery(con, "SELECT current_user")[[1]], "postgres")
  }
})

# The words of the database, and no value, would be in the message.
ends_released <- function(code) {
  caught <- tryCatch(suppressWarnings(code), error = identity)
  expect_s3_class(caught, "dptda_error_database")
  expect_null(conditionCall(caught))
  caught
}

# `harm()` before the i-th statement is asked after its budget was charged.
after_payment <- function(harm, code, i = 1) {
  spend <- spend_budget
  try_it <- try_statement
  read_all <- read_pieces
  paid <- FALSE
  count <- 0
  with_replaced("spend_budget", function(...) {
    value <- spend(...)
    paid <<- TRUE
    value
  }, with_replaced("try_statement", function(rows, statement) {
    if (paid && (count <<- count + 1) == i) harm()
    try_it(rows, statement)
  }, with_replaced("read_pieces", function(rows, use) {
    if (paid && (count <<- count + 1) == i) harm()
    read_all(rows, use)
  }, code)))
  expect_gte(count, i)
}

test_that("a connection that dies between payment and draw leaves the budget spent and gives no release", {
  data <- server_data()
  releases <- list(
    function(x, budget) private_covariance(x, domain_box(c(x = 0), 9), rho = 1, budget = budget),
    function(x, budget) private_mixture(x, domain_box(c(x = 0), 9), 2, rho = 1, budget = budget),
    function(x, budget) private_kmeans(x, domain_box(c(x = 0), 9), 2, rho = 1, method = "lloyd", budget = budget),
    function(x, budget) {
      schema <- table_schema(x = schema_numeric(0, 9, 3), owner = schema_categorical(c("a", "b")),
                             id = schema_numeric(0, 200, 3))
      private_synthesis(x, schema, epsilon = 1, method = "privbayes", budget = budget)
    }
  )
  for (i in seq_along(releases)) {
    con <- local_postgres(data)
    other <- connect_beside(con)
    people <- dplyr::tbl(con, "people")
    budget <- if (i == 4) privacy_budget(epsilon = 2) else privacy_budget(rho = 2)
    process <- process_of(con)
    kill <- function() {
      DBI::dbGetQuery(other, paste0("SELECT pg_terminate_backend(", process, ")"))
      Sys.sleep(0.1)
    }
    in_each_round(after_payment(kill, ends_released(releases[[i]](people, budget))))
    expect_identical(nrow(budget$ledger), 1L)
    # a release that has its rows, or that looks once, needs no connection for its noise
    if (i < 4) {
      con <- local_postgres(data)
      process <- process_of(con)
      spend <- spend_budget
      with_replaced("spend_budget", function(...) {
        kill()
        spend(...)
      }, expect_s3_class(releases[[i]](dplyr::tbl(con, "people"), NULL), "dptda_result"))
    }
    con <- local_postgres(data)
    process <- process_of(con)
    rows <- table_rows(dplyr::tbl(con, "people"), "x")
    spend <- spend_budget
    with_replaced("spend_budget", function(...) {
      kill()
      spend(...)
    }, expect_s3_class(private_histogram(rows, 0:9, rho = 1), "dptda_private_value"))
  }
})

test_that("a statement that takes too long ends the release: before payment nothing is spent, afterwards all", {
  con <- local_postgres(server_data())
  people <- dplyr::tbl(con, "people")
  slow <- dplyr::mutate(people, x = dplyr::sql("x + CASE WHEN id = 7 AND pg_sleep(5) IS NULL THEN 1 ELSE 0 END"))
  budget <- privacy_budget(rho = 3)
  DBI::dbExecute(con, "SET statement_timeout = '300ms'")
  caught <- ends_released(private_histogram(slow, 0:9, rho = 1, columns = "x", budget = budget))
  expect_match(conditionMessage(caught), "nothing was spent")
  expect_identical(nrow(budget$ledger), 0L)
  # a second look is stopped by who watches the server
  other <- connect_beside(con)
  process <- process_of(con)
  stop_statement <- function() DBI::dbExecute(con, "SET LOCAL statement_timeout = '1ms'")
  slower <- dplyr::mutate(people, x = dplyr::sql("x + CASE WHEN pg_sleep(0.0005) IS NULL THEN 1 ELSE 0 END"))
  DBI::dbExecute(con, "SET statement_timeout = 0")
  in_each_round(after_payment(stop_statement, caught <- ends_released(
    private_covariance(slower, domain_box(c(x = 0), 9), rho = 1, columns = "x", budget = budget)
  )))
  expect_match(conditionMessage(caught), "spent")
  expect_identical(nrow(budget$ledger), 1L)
  # the connection is as good as before
  expect_s3_class(private_histogram(people, 0:9, rho = 1, columns = "x", budget = budget), "dptda_private_value")
})

test_that("a server that was started anew is another connection, and a budget of before goes on", {
  skip_unless_long()
  skip_if_no_postgres()
  folder <- tempfile("dptda-postgres-", dirname(tempdir()))
  run_postgres("start", folder, 54321, Sys.getpid())
  withr::defer(run_postgres("stop", folder))
  server <- list(folder = folder, port = 54321)
  con <- connect_postgres(server)
  DBI::dbCreateTable(con, "people", server_data())
  append_exactly(con, "people", server_data())
  people <- dplyr::tbl(con, "people")
  rows <- table_rows(people, "x")
  budget <- privacy_budget(epsilon = 2, file = withr::local_tempfile(fileext = ".budget"))
  private_histogram(rows, 0:9, 1, budget = budget)
  stop_server <- function() tools::pskill(as.integer(readLines(file.path(folder, "server-0", "postmaster.pid"), 1)),
                                          tools::SIGINT)
  stop_server()
  Sys.sleep(2)
  ends_released(private_histogram(rows, 0:9, 1, budget = budget))
  expect_identical(nrow(budget$ledger), 1L)
})

test_that("by odbc PostgreSQL gives the same numbers", {
  skip_if_not_installed("odbc")
  con <- local_postgres()
  skip_if_not("PostgreSQL Unicode" %in% odbc::odbcListDrivers()$name, "psqlodbc is there")
  DBI::dbExecute(con, "CREATE TABLE people (id INTEGER, age SMALLINT, weight DOUBLE PRECISION, narrow REAL, big BIGINT,
                                            num NUMERIC(12, 3), word TEXT, ill BOOLEAN, born DATE,
                                            seen TIMESTAMP WITH TIME ZONE)")
  DBI::dbExecute(con, "INSERT INTO people SELECT i / 2, i % 90, i * 0.37, i / 7.0, i * 1000000007::bigint, i / 8.0,
                       (ARRAY['yes', 'no', '?'])[1 + i % 3], i % 5 = 0, DATE '1950-01-01' + i * 40,
                       TIMESTAMP '2020-01-01' + i * INTERVAL '1 hour' FROM generate_series(1, 300) AS numbers(i)")
  server <- database_server("start")
  other <- DBI::dbConnect(odbc::odbc(), driver = "PostgreSQL Unicode", servername = file.path(server$folder, "socket"),
                          port = server$port, uid = "postgres", database = "postgres")
  withr::defer(DBI::dbDisconnect(other))
  DBI::dbExecute(other, paste("SET search_path TO", DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]))
  days <- as.Date(c("1950-01-01", "1990-01-01"))
  hours <- as.POSIXct(c("2020-01-01", "2020-02-01"), tz = "UTC")
  box <- domain_box(c(weight = 0, narrow = 0), c(111, 43))
  releases <- list(
    function(x) private_histogram(x, seq(0, 90, 10), 1, columns = "age", rng = "R")$value,
    function(x) private_table(x, list(word = c("yes", "?"), ill = c(TRUE, FALSE)), 1, rng = "R")$value,
    function(x) private_mean(x, domain_box(c(num = 0, big = 0), c(40, 3e11)), 1, rng = "R")$value,
    function(x) private_count(x, 1, columns = "ill", rng = "R")$value,
    function(x) private_mean(x, domain_box(c(born = days[1]), days[2]), 1, rng = "R")$value,
    function(x) private_mean(x, domain_box(c(seen = hours[1]), hours[2]), 1, rng = "R")$value,
    function(x) private_quantile(x, c(0, 90), 0.5, 1, columns = "age", rng = "R")$value,
    function(x) private_covariance(x, box, rho = 1, rng = "R")$cov,
    function(x) private_mean(table_rows(x, c("weight", "narrow"), person = "id"), box, 1, rng = "R")$value
  )
  for (release in releases) {
    values <- lapply(list(con, other), function(con) {
      set.seed(83)
      release(dplyr::tbl(con, "people"))
    })
    expect_identical(values[[2]], values[[1]])
  }
  rows <- table_rows(dplyr::tbl(other, "people"), "age")
  expect_false(is_in_transaction(rows))
  DBI::dbBegin(other)
  expect_true(is_in_transaction(rows))
  covariance <- function() in_each_round(private_covariance(dplyr::tbl(other, "people"), box, rho = 1))
  expect_message(covariance(), class = "dptda_message_state")
  DBI::dbRollback(other)
  expect_silent(covariance())
  expect_false(is_in_transaction(rows))
})

test_that("a short statement over all rows is compiled as the session has it, and no other one is", {
  con <- local_postgres(server_data())
  rows <- uncounted_rows(dplyr::tbl(con, "people"), "x", "x")
  asked <- function(look = ask_all_rows, space = "") {
    words <- c("SELECT current_setting('jit') AS jit,", space, " current_setting('jit_above_cost') AS cost")
    as.list(look(rows, paste(words, collapse = "")))
  }
  long <- strrep(" ", longest_compiled)
  released <- function(code) {
    state <- new_state(rows)
    begin_state(rows, state)
    withr::defer(end_state(state, DBI::dbRollback))
    expect_true(state$open)
    code
  }
  for (jit in c("on", "off")) {
    DBI::dbExecute(con, paste("SET jit =", jit))
    own <- list(jit = jit, cost = "100000")
    released(expect_identical(asked(ask_database)$jit, "off"))
    released(for (i in 1:2) {
      expect_identical(asked(), list(jit = jit, cost = "600000"))
      expect_identical(asked(space = long)$jit, "off")
    })
    expect_identical(asked(), own)
    # in a transaction of the user's, too
    DBI::dbBegin(con)
    expect_identical(asked(), own)
    expect_identical(asked(space = long), own)
    DBI::dbRollback(con)
  }
  for (cost in c("-1", "700000")) { # it is never compiled, or later
    DBI::dbExecute(con, paste("SET jit_above_cost =", cost))
    released(expect_identical(asked()$cost, cost))
  }
})

test_that("functions of the user's are none of ours, and a server that only speaks PostgreSQL's protocol needs none", {
  data <- server_data()
  con <- local_postgres(data)
  people <- dplyr::tbl(con, "people")
  wrong <- "(BIGINT, INTEGER) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS 'SELECT CAST(10 AS BIGINT)'"
  for (name in c("int8larger", "int8smaller")) DBI::dbExecute(con, paste("CREATE FUNCTION", name, wrong))
  released <- function() {
    set.seed(84)
    unlist(list(private_mean(people, c(0, 9), 1, columns = "x", rng = "R")$value,
                private_histogram(people, 0:9, 1, columns = "x", by = list(id = 1:9), rng = "R")$value,
                private_histogram(people, 0:9, 1, columns = "x", rng = "R")$value))
  }
  first <- released()
  set.seed(84)
  expect_identical(first[1], private_mean(data, c(0, 9), 1, columns = "x", rng = "R")$value, ignore_attr = TRUE)
  # a server of another name
  names <- c("CockroachDB CCL v23.1.14", "PostgreSQL 11.2-YB-2.18.0.0-b0 on x86_64", "PostgreSQL 9.6.1 on i686",
             "PostgreSQL 9.4.26 (Greenplum Database 6.20.0) on x86_64", "PostgreSQL 12.3, compiled by Visual C++")
  rows <- uncounted_rows(people, "x", "x")
  expect_type(rows$dialect$stored, "character")
  for (name in names) expect_null(dialect_of_server(rows$dialect, name)$stored)
  for (name in c("PostgreSQL 16beta1 on x", "PostgreSQL 15.8 (Debian 15.8-0+deb12u1) on x86_64")) {
    expect_type(dialect_of_server(rows$dialect, name)$stored, "character")
  }
  known <- dialect_of_server
  asked <- character()
  read <- read_statement
  second <- with_replaced("dialect_of_server", function(dialect, version) known(dialect, names[1]), {
    with_replaced("read_statement", function(rows, statement) {
      asked <<- c(asked, statement)
      read(rows, statement)
    }, released())
  })
  expect_identical(second, first)
  expect_no_match(asked, "int8|OFFSET|jit")
})
