# All that a release asks is answered from one state of the table, whoever writes beside it.

broken <- function(expr) expect_error(expr, class = "dptda_error_database")

with_error <- function(code) tryCatch(code, error = identity)

# Another connection to the same rows.
beside <- list(
  postgres = function(con, env) {
    schema <- DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]
    connect_postgres(database_server("start"), options = paste0("-c search_path=", schema))
  },
  duckdb = function(con, env) DBI::dbConnect(con@driver),
  sqlite = function(con, env) DBI::dbConnect(RSQLite::SQLite(), con@dbname),
  sqlite_wal = function(con, env) DBI::dbConnect(RSQLite::SQLite(), con@dbname)
)

state_database <- function(database, data, env = parent.frame()) {
  if (!startsWith(database, "sqlite")) {
    return(list(postgres = local_postgres, duckdb = local_duckdb)[[database]](data, env = env))
  }
  skip_if_no_databases()
  for (package in c("DBI", "RSQLite", "dbplyr")) skip_if_not_installed(package)
  con <- DBI::dbConnect(RSQLite::SQLite(), withr::local_tempfile(fileext = ".sqlite", .local_envir = env))
  withr::defer(DBI::dbDisconnect(con), envir = env)
  if (database == "sqlite_wal") DBI::dbGetQuery(con, "PRAGMA journal_mode = WAL")
  DBI::dbWriteTable(con, "people", data)
  con
}

writer_of <- function(database, con, env = parent.frame()) {
  other <- beside[[database]](con, env)
  withr::defer(suppressWarnings(DBI::dbDisconnect(other)), envir = env)
  other
}

# `after(i)` after the i-th answer of the database to a release that has begun its transaction, or could not.
with_writes <- function(after, code) {
  original <- list(ask = ask_statement, begin = begin_state, read = read_pieces)
  begun <- FALSE
  count <- 0
  begin <- function(...) {
    begun <<- TRUE
    original$begin(...)
  }
  ask <- function(rows, statement) {
    answer <- original$ask(rows, statement)
    if (begun) after(count <<- count + 1)
    answer
  }
  read <- function(...) {
    original$read(...)
    if (begun) after(count <<- count + 1)
  }
  with_replaced("read_pieces", read, with_replaced("begin_state", begin, with_replaced("ask_statement", ask, code)))
  count
}

state_data <- function() {
  set.seed(71)
  data.frame(x = stats::rnorm(300), y = stats::runif(300, -3, 3), k = sample(1:3, 300, TRUE))
}

state_box <- domain_box(c(x = -4, y = -4), 4)

# Releases that look several times.
several_looks <- list(
  covariance = function(x, ...) private_covariance(x, state_box, rho = 1, rng = "R", ...)$cov,
  mixture = function(x, ...) private_mixture(x, state_box, 2, rho = 1, rng = "R", ...)$means,
  lloyd = function(x, ...) private_kmeans(x, state_box, 2, rho = 1, method = "lloyd", rng = "R", ...)$centers,
  privbayes = function(x, ...) {
    schema <- table_schema(x = schema_numeric(-4, 4, 4), k = schema_categorical(1:3), y = schema_numeric(-4, 4, 4))
    model <- private_synthesis(x, schema, epsilon = 1, method = "privbayes", rng = "R", ...)
    set.seed(1)
    colSums(data.matrix(stats::simulate(model, 1)))
  }
)

# Releases that look once.
one_look <- list(
  histogram = function(x) as.numeric(private_histogram(x, -3:3, 1, columns = "x", rng = "R")),
  mean = function(x) as.numeric(private_mean(x, state_box, 1, columns = c("x", "y"), rng = "R")),
  bins = function(x) bin_points(x, domain_grid(state_box, size = 5), columns = c("x", "y"))$weights,
  people = function(x) as.numeric(private_histogram(table_rows(x, "x", person = "k"), -3:3, 1, rng = "R"))
)

for (database in names(beside)) {
  test_that(paste("the number of rows is of the state in which the rest is asked:", database), {
    data <- state_data()
    con <- state_database(database, data)
    other <- writer_of(database, con)
    table <- dplyr::tbl(con, "people")
    # rows of a query are counted first
    people <- dplyr::mutate(table, one = 1)
    seeded <- function(name, x) {
      set.seed(74)
      suppressWarnings(one_look[[name]](x))
    }
    for (name in names(one_look)) {
      memory <- seeded(name, DBI::dbReadTable(other, "people"))
      write <- function(i) {
        force(i) # it is counted
        with_error(DBI::dbExecute(other, "INSERT INTO people VALUES (0.5, 0.5, 4)"))
      }
      expect_gt(with_writes(write, value <- seeded(name, people)), 1)
      expect_identical(value, memory)
      # neither a release that is refused leaves a transaction behind
      expect_error(private_mean(people, state_box, -1, columns = c("x", "y")), class = "dptda_error_argument")
      expect_error(private_mean(people, domain_box(0, 1), 1, columns = c("x", "y")), class = "dptda_error_argument")
      expect_identical(releases_now$states, list())
      expect_identical(DBI::dbExecute(other, "DELETE FROM people WHERE k = 4") > 0, database != "sqlite")
      # those of a table as the statement sees them: before what was written once its transaction had begun, or after it
      with_writes(function(i) if (i == 1) write(i), value <- seeded(name, table))
      written <- seeded(name, DBI::dbReadTable(other, "people"))
      expect_true(identical(value, memory) || identical(value, written))
      DBI::dbExecute(other, "DELETE FROM people WHERE k = 4")
    }
  })
}

for (database in names(beside)) {
  test_that(paste("who writes between two looks changes nothing in the release:", database), {
    data <- state_data()
    for (name in names(several_looks)[long_or(1:4, c(1, 4))]) {
      set.seed(72)
      memory <- several_looks[[name]](data)
      con <- state_database(database, data)
      other <- writer_of(database, con)
      people <- dplyr::tbl(con, "people")
      refused <- 0
      written <- 0
      write <- function(i) {
        words <- c("INSERT INTO people VALUES (0.5, 0.5, 1)", "UPDATE people SET x = x + 1",
                   "DELETE FROM people WHERE k = 2")
        done <- with_error(DBI::dbExecute(other, words[i %% 3 + 1]))
        if (inherits(done, "error")) refused <<- refused + 1 else written <<- written + 1
      }
      set.seed(72)
      expect_silent(in_each_round({
        count <- with_writes(write, value <- suppressWarnings(several_looks[[name]](people)))
      }))
      expect_gt(count, 1)
      expect_identical(value, memory)
      # a file of SQLite without a log of what was written lets nobody write
      if (database == "sqlite") expect_gt(refused, 0) else expect_gt(written, 0)
      expect_silent(DBI::dbExecute(other, "DELETE FROM people"))
      expect_identical(as.double(DBI::dbGetQuery(con, "SELECT COUNT(*) FROM people")[[1]]), 0)
      DBI::dbDisconnect(other)
    }
  })
}

is_begun <- function(con) {
  inherits(with_error({
    DBI::dbBegin(con)
    DBI::dbRollback(con)
  }), "error")
}

for (database in names(beside)) {
  test_that(paste("whatever a release asks it asks in the state in which it counted:", database), {
    con <- state_database(database, transform(state_data(), id = rep(1:100, 3)))
    other <- writer_of(database, con)
    people <- dplyr::tbl(con, "people")
    line <- domain_grid(domain_box(c(x = -4), 4), size = 9)
    schema <- table_schema(x = schema_numeric(-4, 4, 4), k = schema_categorical(1:3))
    releases <- list(
      function(x) private_mean(x, state_box, 1, by = list(k = 1:3), rng = "R"),
      function(x) private_median(x, c(-4, 4), 1, columns = "x", rng = "R"),
      function(x) private_covariance(x, state_box, rho = 1, rng = "R")$cov,
      function(x) as.data.frame(simulate(private_synthesis(x, schema, epsilon = 1, rng = "R"), seed = 1)),
      function(x) as.data.frame(private_diagram(bin_points(dplyr::select(x, x), line), line, 1, m0 = 0.2, rng = "R")),
      function(x) private_mean(table_rows(x, c("x", "y"), person = "id"), state_box, 1, rng = "R"),
      # one release as an argument of another
      function(x) {
        breaks <- function() c(-4, private_median(x, c(-4, 4), 1, columns = "x", rng = "R")$value, 9)
        private_histogram(x, breaks(), 1, columns = "x", rng = "R")
      }
    )
    written <- 0
    add <- function(i) {
      words <- sprintf("INSERT INTO people VALUES (0.5, 0.5, 1, %d)", 101 + written)
      if (!inherits(with_error(DBI::dbExecute(other, words)), "error")) written <<- written + 1
    }
    numbers <- function(x) lapply(unclass(`attr<-`(x, "privacy", NULL)), identity)
    for (i in long_or(seq_along(releases), c(3, 5, 6))) {
      now <- DBI::dbReadTable(con, "people")
      set.seed(73)
      memory <- releases[[i]](now)
      set.seed(73)
      # the inner release is before what is written
      quiet <- if (i == length(releases)) function(i) NULL else add
      expect_silent(with_writes(quiet, value <- suppressWarnings(releases[[i]](people))))
      expect_identical(numbers(value), numbers(memory))
      expect_false(is_begun(con))
    }
    if (database != "sqlite") expect_gt(written, 0)
    # rows that were counted before
    rows <- table_rows(people, "x")
    DBI::dbExecute(other, "INSERT INTO people VALUES (0.5, 0.5, 1, 99)")
    budget <- privacy_budget(epsilon = 1)
    broken(private_histogram(rows, -4:4, 1, budget = budget))
    expect_identical(budget$spent, 0)
    expect_false(is_begun(con))
    DBI::dbDisconnect(other)
  })
}

test_that("a transaction of the user's stays open, and sees what the user has written", {
  for (database in c("postgres", "duckdb", "sqlite")) {
    con <- state_database(database, state_data())
    people <- dplyr::tbl(con, "people")
    DBI::dbBegin(con)
    DBI::dbExecute(con, "INSERT INTO people VALUES (0.5, 0.5, 1)")
    expect_equal(sum(private_histogram(people, -9:9, 1e9, columns = "x")$value), 301)
    suppressMessages(private_covariance(people, state_box, rho = 1))
    expect_error(private_mean(people, state_box, epsilon = -1), class = "dptda_error_argument")
    expect_identical(table_rows(people)$n, 301)
    DBI::dbRollback(con)
    expect_identical(table_rows(people)$n, 300)
  }
})

test_that("a time limit that strikes while a transaction ends leaves none open", {
  con <- state_database("sqlite", state_data())
  rows <- table_rows(dplyr::tbl(con, "people"), "x")
  state <- new_state(rows)
  begin_state(rows, state)
  expect_true(state$open)
  struck <- FALSE
  end_state(state, function(connection) {
    if (!struck) {
      struck <<- TRUE
      stop("reached elapsed time limit")
    }
    DBI::dbRollback(connection)
  })
  expect_false(state$open)
  expect_false(is_begun(con))
})

# How many interrupts end `code`, and what follows it: those that had to wait come one after the other.
interrupts_of <- function(code, most = 5) {
  came <- 0
  calm <- function(depth) {
    tryCatch({
      if (depth == 0) code else calm(depth - 1)
      Sys.sleep(0.001)
    }, interrupt = function(cnd) came <<- came + 1)
  }
  calm(most)
  came
}

# A connection on which interrupts come: `at(i)` before and after the i-th thing that is done on it.
interrupted_connection <- function(con, env = parent.frame()) {
  parent <- class(con)[1]
  own <- paste0("Interrupted", parent)
  verbs <- c("dbBegin", "dbCommit", "dbRollback", "dbSendQuery")
  where <- globalenv()
  methods::setClass(own, contains = parent, where = where)
  withr::defer(methods::removeClass(own, where), envir = env)
  done <- list2env(list(count = 0, at = function(i) FALSE, sleeps = FALSE))
  # R looks for interrupts here, unless they have to wait; while it sleeps it does not let them wait
  look <- function() for (i in 1:2000) sum(i)
  come <- function(verb) {
    done$count <- done$count + 1
    done$verbs <- c(done$verbs, verb)
    if (done$at(done$count)) {
      tools::pskill(Sys.getpid(), tools::SIGINT)
      if (done$sleeps) Sys.sleep(0.001) else look()
    }
  }
  lapply(verbs, function(verb) {
    generic <- getExportedValue("DBI", force(verb))
    asks <- verb == "dbSendQuery"
    signature <- c(own, if (asks) "character")
    with_interrupts <- function(code) {
      come(verb)
      force(code)
      come(verb)
      code
    }
    body <- if (asks) function(conn, statement, ...) with_interrupts(generic(con, statement, ...)) else
      function(conn, ...) with_interrupts(generic(con, ...))
    methods::setMethod(generic, signature, body, where = where)
    withr::defer(methods::removeMethod(generic, signature, where), envir = env)
  })
  list(con = methods::new(own, con), done = done)
}

for (database in c("sqlite", "postgres")) {
  test_that(paste("interrupts leave no transaction open, wherever and however often they come:", database), {
    con <- state_database(database, state_data())
    other <- writer_of(database, con)
    interrupted <- interrupted_connection(con)
    done <- interrupted$done
    people <- dplyr::tbl(interrupted$con, "people")
    written <- 0
    releases <- list(
      mean = function() private_mean(people, state_box, 1, columns = c("x", "y")),
      covariance = function() private_covariance(people, state_box, rho = 1),
      refused = function() private_mean(people, state_box, 1, columns = c("x", "y"), budget = privacy_budget(0.5)),
      counted = function() table_rows(people, "x")
    )
    for (release in releases) {
      done$verbs <- character()
      with_error(suppressWarnings(release()))
      ends <- which(done$verbs != "dbSendQuery")
      places <- long_or(seq_along(done$verbs), unique(c(ends, length(done$verbs) %/% 2)))
      for (i in places) {
        # one, as many as can be, and one that does not wait
        for (way in c("one", "many", "sleep")) {
          done$count <- 0
          done$at <- if (way == "many") function(j) j >= i else function(j) j == i
          done$sleeps <- way == "sleep"
          came <- interrupts_of({
            with_error(suppressWarnings(release()))
            done$at <- function(j) FALSE
          })
          done$at <- function(j) FALSE
          # a roll back ends a release that ends anyway
          if (way == "one") expect_gt(came, 0)
          expect_identical(releases_now$states, list())
          suppressWarnings(DBI::dbExecute(con, "INSERT INTO people VALUES (0.5, 0.5, 7)"))
          written <- written + 1
          seen <- DBI::dbGetQuery(other, "SELECT COUNT(*) AS n FROM people WHERE k = 7")$n
          if (!identical(as.double(seen), written)) {
            fail(paste("a transaction is open:", way, i))
            suppressWarnings(with_error(DBI::dbRollback(con)))
            written <- as.double(DBI::dbGetQuery(other, "SELECT COUNT(*) AS n FROM people WHERE k = 7")$n)
          }
        }
      }
    }
    DBI::dbDisconnect(other)
  })
}

test_that("a temporary table is a table", {
  for (database in c("postgres", "duckdb", "sqlite")) {
    data <- state_data()
    con <- state_database(database, data)
    DBI::dbExecute(con, "CREATE TEMPORARY TABLE mine AS SELECT * FROM people WHERE k < 3")
    mine <- dplyr::tbl(con, "mine")
    for (name in c("covariance", "lloyd")) {
      set.seed(75)
      memory <- several_looks[[name]](data[data$k < 3, ])
      set.seed(75)
      expect_identical(suppressWarnings(several_looks[[name]](mine)), memory)
    }
    expect_identical(table_rows(mine)$n, as.double(sum(data$k < 3)))
  }
})

test_that("a view that draws at random is counted whole beside a writer", {
  for (database in c("postgres", "duckdb", "sqlite_wal")) {
    con <- state_database(database, state_data())
    other <- writer_of(database, con)
    draw <- if (database == "sqlite_wal") "ABS(RANDOM() % 3)" else "3 * RANDOM()"
    DBI::dbExecute(con, paste("CREATE VIEW drawn AS SELECT", draw, "AS x, y FROM people"))
    write <- function(i) DBI::dbExecute(other, "INSERT INTO people VALUES (0.5, 0.5, 1)")
    before <- DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM people")$n
    drawn <- dplyr::tbl(con, "drawn")
    with_writes(write, value <- private_histogram(drawn, 0:3, 1e9, columns = "x"))
    expect_equal(sum(value$value), as.double(before))
    before <- DBI::dbGetQuery(con, "SELECT COUNT(*) AS n FROM people")$n
    with_writes(write, value <- private_covariance(drawn, domain_box(c(x = 0, y = -4), c(3, 4)), rho = 1))
    expect_identical(privacy(value)$public$n, as.double(before))
    DBI::dbDisconnect(other)
  }
})

test_that("in a transaction of the user's that reads anew with each statement a release that looks again says so", {
  data <- state_data()
  con <- local_postgres(data)
  other <- writer_of("postgres", con)
  people <- dplyr::tbl(con, "people")
  DBI::dbBegin(con)
  expect_silent(private_histogram(people, 0:3, 1, columns = "x"))
  budget <- privacy_budget(rho = 2)
  covariance <- function() in_each_round(private_covariance(people, state_box, rho = 1, budget = budget))
  expect_message(covariance(), "REPEATABLE READ", class = "dptda_message_state")
  # whoever makes an error of it has spent nothing
  stopped <- function(condition) stop("no")
  expect_error(withCallingHandlers(covariance(), dptda_message_state = stopped), "no")
  expect_identical(nrow(budget$ledger), 1L)
  write <- function(i) if (i == 3) DBI::dbExecute(other, "DELETE FROM people WHERE k = 2")
  broken(suppressMessages(with_writes(write, covariance())))
  expect_identical(nrow(budget$ledger), 2L)
  # rows that are kept are read once
  expect_silent(private_covariance(people, state_box, rho = 1))
  DBI::dbRollback(con)
  for (isolation in c("REPEATABLE READ", "SERIALIZABLE")) {
    DBI::dbExecute(con, paste("BEGIN ISOLATION LEVEL", isolation))
    write <- function(i) DBI::dbExecute(other, "DELETE FROM people WHERE k = 3")
    expect_silent(in_each_round(with_writes(write, private_covariance(people, state_box, rho = 1))))
    DBI::dbExecute(con, "COMMIT")
    DBI::dbExecute(other, "INSERT INTO people SELECT x, y, 3 FROM people")
  }
  # of its own: nothing is said
  expect_silent(in_each_round(private_covariance(people, state_box, rho = 1)))
})

test_that("of a database without transactions that hold a state a release that looks again says so", {
  con <- local_sqlite(state_data())
  people <- dplyr::tbl(con, "people")
  other <- function(connection) utils::modifyList(dialect_of_all(connection), list(transactions = FALSE))
  dialect_of_all <- dialect_of
  with_replaced("dialect_of", other, {
    expect_message(in_each_round(private_covariance(people, state_box, rho = 1)), "may change",
                   class = "dptda_message_state")
    expect_silent(private_covariance(people, state_box, rho = 1))
    expect_silent(private_histogram(people, 0:3, 1, columns = "x"))
  })
})

test_that("no transaction is open while a budget is charged, but of a release that looks again", {
  for (database in names(beside)) {
    con <- state_database(database, state_data())
    other <- writer_of(database, con)
    people <- dplyr::tbl(con, "people")
    budget <- privacy_budget(rho = 100, file = withr::local_tempfile(fileext = ".budget"))
    original <- spend_budget
    open <- NULL
    rows <- table_rows(people, "x")
    spend <- function(...) {
      open <<- is_in_transaction(rows)
      original(...)
    }
    with_replaced("spend_budget", spend, {
      private_histogram(rows, 0:3, rho = 1, budget = budget)
      expect_false(open)
      private_covariance(people, state_box, rho = 1, budget = budget)
      expect_false(open)
      in_each_round(private_covariance(people, state_box, rho = 1, budget = budget))
      expect_true(open)
    })
    expect_identical(nrow(budget$ledger), 3L)
    DBI::dbDisconnect(other)
  }
})

test_that("what a server ends for want of questions while a release waits has been spent, and is no release", {
  skip_unless_long()
  con <- local_postgres(state_data())
  people <- dplyr::tbl(con, "people")
  # far above what R takes between two statements on a busy machine
  DBI::dbExecute(con, "SET idle_in_transaction_session_timeout = '1s'")
  budget <- privacy_budget(rho = 100, file = withr::local_tempfile(fileext = ".budget"))
  withr::local_options(dptda.release_time = 2)
  expect_s3_class(private_histogram(people, 0:3, rho = 1, columns = "x", budget = budget), "dptda_private_value")
  expect_identical(nrow(budget$ledger), 1L)
  suppressWarnings(broken(in_each_round(private_covariance(people, state_box, rho = 1, budget = budget))))
  expect_identical(nrow(budget$ledger), 2L)
})

test_that("nothing is asked once a release has said that it asks no more", {
  con <- local_sqlite(transform(state_data(), word = c("a", "b", "c")[k], id = rep(1:100, 3)))
  people <- dplyr::tbl(con, "people")
  schema <- table_schema(x = schema_numeric(-4, 4, 4), k = schema_categorical(1:3),
                         word = schema_categorical(c("a", "b")))
  synthesis <- function(method) {
    force(method)
    function(x) private_synthesis(x, schema, epsilon = 1, method = method, delta = if (method == "topology") 1e-9)
  }
  releases <- c(lapply(c("margins", "privbayes", "dp2pub", "aim", "mst", "topology"), synthesis), list(
    function(x) private_histogram(x, 0:3, 1, columns = "x"),
    function(x) private_table(x, list(word = c("a", "b")), 1),
    function(x) private_count(dplyr::mutate(x, old = x > 0), 1, columns = "old"),
    function(x) private_mean(x, state_box, 1),
    function(x) private_mean(x, state_box, 1, by = list(word = c("a", "b"))),
    function(x) private_mean(table_rows(x, c("x", "y"), person = "id"), state_box, 1),
    function(x) private_var(x, state_box, 1),
    function(x) private_quantile(x, c(-4, 4), 0.5, 1, columns = "x"),
    function(x) private_bounds(x, 1, columns = "x"),
    function(x) private_proportion(dplyr::mutate(x, old = x > 0), 1, columns = "old"),
    function(x) private_pca(x, state_box, rank = 1, rho = 1),
    function(x) private_covariance(x, state_box, rho = 1),
    function(x) private_covariance(x, state_box, rho = 1, by = list(word = c("a", "b"))),
    function(x) private_mixture(x, state_box, 2, rho = 1),
    function(x) private_kmeans(x, state_box, 2, rho = 1, method = "lloyd")
  ))
  ask <- ask_statement
  looks <- asks_database
  over <- FALSE
  late <- 0
  with_replaced("asks_database", function(seen) {
    over <<- !looks(seen)
    !over
  }, with_replaced("ask_statement", function(rows, statement) {
    if (over) late <<- late + 1
    ask(rows, statement)
  }, for (release in releases) {
    over <- FALSE
    suppressWarnings(suppressMessages(release(people)))
    expect_identical(late, 0)
  }))
})
