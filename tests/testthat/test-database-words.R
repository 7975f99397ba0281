# Words of PostgreSQL that could be somebody else's: whoever may create functions and operators in a schema of the path
# makes them for all types that pg_catalog has no exact word for, and for those that it has. Each of them that a release
# asks for ends its statement, as no word of PostgreSQL does: so a release of all kinds asks for none.

shadow_types <- c("int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bool", "date", "timestamp",
                  "timestamptz")

# In the first schema of the path.
shadow_words <- function(con, types = shadow_types) {
  DBI::dbExecute(con, sprintf("DO $make$
    DECLARE l text; r text; sign text; own text; kind text; word text; types text[] := '{%s}';
    DECLARE body text := ' LANGUAGE plpgsql STABLE AS $f$ BEGIN RAISE EXCEPTION ''a word of somebody''; END $f$';
    BEGIN
      FOREACH l IN ARRAY types LOOP
        FOREACH r IN ARRAY types LOOP
          FOREACH kind IN ARRAY '{boolean,float8}'::text[] LOOP
            own := format('shadow_%%s_%%s_%%s', kind, l, r);
            EXECUTE format('CREATE FUNCTION %%s(%%s, %%s) RETURNS %%s', own, l, r, kind) || body;
            FOREACH sign IN ARRAY
              (CASE kind WHEN 'boolean' THEN '{<,<=,>,>=,=,<>}' ELSE '{+,-,*,/,%%}' END)::text[] LOOP
              EXECUTE format('CREATE OPERATOR %%s (LEFTARG = %%s, RIGHTARG = %%s, FUNCTION = %%s)', sign, l, r, own);
            END LOOP;
          END LOOP;
        END LOOP;
        EXECUTE format('CREATE FUNCTION shadow_minus_%%s(%%s) RETURNS float8', l, l) || body;
        EXECUTE format('CREATE OPERATOR - (RIGHTARG = %%s, FUNCTION = shadow_minus_%%s)', l, l);
        FOREACH word IN ARRAY '{floor,sqrt,exp,ln,log,abs,round,ceil,current_setting,upper}'::text[] LOOP
          EXECUTE format('CREATE FUNCTION %%s(%%s) RETURNS float8', word, l) || body;
        END LOOP;
        FOREACH word IN ARRAY '{int8larger,int8smaller,set_config,date_part}'::text[] LOOP
          EXECUTE format('CREATE FUNCTION %%s(%%s, int4) RETURNS int8', word, l) || body;
        END LOOP;
        EXECUTE format('CREATE FUNCTION shadow_step_%%s(int8, %%s) RETURNS int8', l, l) || body;
        FOREACH word IN ARRAY '{sum,count,min,max}'::text[] LOOP
          EXECUTE format('CREATE AGGREGATE %%s(%%s) (SFUNC = shadow_step_%%s, STYPE = int8, INITCOND = 0)', word, l, l);
        END LOOP;
      END LOOP;
    END $make$", toString(types)))
}

# What the database says while `code` runs, in its own words.
said_by_database <- function(code) {
  said <- character()
  note <- function(cnd) said <<- c(said, conditionMessage(cnd))
  original <- list(read = read_statement, before = before_rows)
  read <- function(rows, statement) {
    answer <- withCallingHandlers(DBI::dbGetQuery(database_connection(rows), statement), error = note)
    with_replaced("read_statement", original$read, original$read(rows, statement))
  }
  before <- function(code, arg) original$before(withCallingHandlers(code, error = note), arg)
  value <- with_replaced("read_statement", read, with_replaced("before_rows", before, code))
  list(value = value, said = said)
}

shadow_data <- function(n = 120) {
  set.seed(1301)
  x <- round(stats::rnorm(n, sd = 2), 2)
  data.frame(id = rep(seq_len(n / 3), 3), name = rep(paste0("p", seq_len(n / 4)), 4), x = x, y = stats::runif(n, -3, 3),
             k = sample(1:4, n, TRUE), s = sample(c("a", "b", "\u00e9"), n, TRUE), good = stats::runif(n) < 0.3,
             day = as.Date("2020-01-01") + sample(40, n, TRUE),
             at = as.POSIXct("2020-01-01", tz = "UTC") + 3600 * sample(900, n, TRUE))
}

shadow_releases <- function() {
  box <- domain_box(c(x = -3, y = -3), 3)
  days <- as.Date("2020-01-01") + c(0, 10, 20, 30)
  schema <- table_schema(x = schema_numeric(-3, 3, 4), k = schema_categorical(1:4),
                         s = schema_categorical(c("a", "b"), missing = "level"))
  numbers <- function(x) lapply(unclass(`attr<-`(x, "privacy", NULL)), identity)
  drawn <- function(model) as.data.frame(simulate(model, seed = 1))
  list(
    means = function(x) numbers(private_mean(x, box, 1, rng = "R")),
    breaks = function(x) numbers(private_histogram(x, c(-3, -1, 0.5, 0.7, 3), 1, columns = "x", rng = "R")),
    equal = function(x) numbers(private_histogram(x, seq(-3, 3, 0.1), 1, columns = "x", rng = "R")),
    levels = function(x) numbers(private_table(x, list(k = 1:3, s = c("a", "b"), good = c(TRUE, FALSE)), 1, rng = "R")),
    times = function(x) numbers(private_mean(x, as.POSIXct(c("2020-01-01", "2020-03-01"), tz = "UTC"), 1,
                                             columns = "at", rng = "R")),
    days = function(x) numbers(private_histogram(x, days, 1, columns = "day", rng = "R")),
    count = function(x) numbers(private_count(x, 1, columns = "good", rng = "R")),
    groups = function(x) numbers(private_mean(x, box, 1, by = list(k = 1:4, s = c("a", "b")), rng = "R")),
    ranks = function(x) numbers(private_median(x, c(-3, 3), 1, columns = "x", rng = "R")),
    halves = function(x) numbers(private_quantile(x, c(-3, 3), c(0.2, 0.5, 0.9), 1, columns = "x", rng = "R")),
    covariance = function(x) private_covariance(x, box, rho = 9, rng = "R")$cov,
    covariances = function(x) numbers(private_covariance(x, box, rho = 99, by = list(k = 1:2), rng = "R")),
    mixture = function(x) private_mixture(x, box, 2, rho = 9, rng = "R")$means,
    lloyd = function(x) private_kmeans(x, box, 2, rho = 1, method = "lloyd", rng = "R")$centers,
    mst = function(x) drawn(private_synthesis(x, schema, epsilon = 1, rng = "R")),
    topology = function(x) {
      drawn(private_synthesis(x, schema, epsilon = 3, delta = 1e-6, rng = "R",
                              method = synthesis_topology(size = 8, cloud = 20, steps = 10)))
    }
  )
}

silent_release <- function(release, there, name) {
  set.seed(1302)
  found <- said_by_database(suppressMessages(suppressWarnings(release(there))))
  expect_identical(found$said, character(), info = name)
  found$value
}

same_releases <- function(memory, there, releases) {
  for (name in names(releases)) {
    set.seed(1302)
    wanted <- suppressMessages(suppressWarnings(releases[[name]](memory)))
    expect_equal(silent_release(releases[[name]], there, name), wanted, tolerance = 1e-12, info = name)
  }
}

test_that("no release asks PostgreSQL for an operator or a function that somebody could have made", {
  data <- shadow_data()
  con <- local_postgres(data)
  shadow_words(con)
  # they are found, and would be asked for
  for (words in c("x < 0.5", "k * x", "COUNT(x)", "x = 1", "SUM(k) + 0.5", "id + 1.0")) {
    query <- paste("SELECT", sub("%%", "%", words, fixed = TRUE), "FROM people GROUP BY x, k, id")
    expect_error(DBI::dbGetQuery(con, query), "a word of somebody", info = words)
  }
  people <- dplyr::tbl(con, "people")
  same_releases(data, people, shadow_releases())
  # rows of people, all of them or one of each
  of_people <- shadow_releases()[c("means", "equal", "levels", "groups", "ranks", "covariance", "mixture")]
  same_releases(table_rows(data, person = "id"), table_rows(people, person = "id"), of_people)
  same_releases(table_rows(data, c("x", "y", "k", "s", "good"), person = "name"),
                table_rows(people, c("x", "y", "k", "s", "good"), person = "name"), of_people[c("means", "levels")])
  # in memory the row is another one
  one <- table_rows(people, person = "id", rows_of_person = "one")
  for (name in c("means", "levels")) silent_release(of_people[[name]], one, name)
})

test_that("nor for columns of other types, missing values and what stands for them", {
  data <- shadow_data(60)
  con <- local_postgres(data)
  shadow_words(con)
  types <- c("int2", "int4", "int8", "numeric", "numeric(8, 2)", "float4", "float8")
  for (i in seq_along(types)) {
    DBI::dbExecute(con, "DROP TABLE IF EXISTS typed")
    DBI::dbExecute(con, sprintf("CREATE TABLE typed AS SELECT CAST(k AS %s) AS z, CAST(s AS varchar(5)) AS s,
                                 CAST(at AS timestamptz) AS at FROM people", types[i]))
    DBI::dbExecute(con, "INSERT INTO typed VALUES (NULL, NULL, NULL)")
    there <- dplyr::tbl(con, "typed")
    memory <- rbind(data.frame(z = as.double(data$k), s = data$s, at = data$at), data.frame(z = NA, s = NA, at = NA))
    releases <- list(
      filled = function(x) {
        x <- table_rows(x, c("z", "s"), missing = list(z = 2.5, s = "a"))
        c(private_mean(x, list(z = c(0, 3)), 1, columns = "z", by = list(s = "a"), rng = "R")$value,
          private_table(x, list(z = 1:3, s = c("a", "b")), 1, rng = "R")$value)
      },
      left_out = function(x) {
        x <- table_rows(x, c("z", "at"), missing = "omit")
        c(as.numeric(private_sum(x, list(z = c(0, 3)), 1, columns = "z", rng = "R")),
          as.numeric(private_histogram(x, c(0, 2, 2.5, 9), 1, columns = "z", rng = "R")))
      }
    )
    same_releases(memory, there, releases[c(1, 2)[long_or(1:2, 1 + i %% 2)]])
  }
})

test_that("the attack of a function that reads other rows says nothing, whatever it is made for", {
  data <- data.frame(id = 1:1000, x = 1:1000 %% 100)
  con <- local_postgres(data)
  # whether somebody is there, at every comparison of a column with a constant
  DBI::dbExecute(con, "CREATE FUNCTION above(float8, numeric) RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN
    RETURN NOT EXISTS (SELECT 1 FROM people WHERE id = 7) AND $1 OPERATOR(pg_catalog.>=) $2::float8; END $$")
  DBI::dbExecute(con, "CREATE FUNCTION times(float8, numeric) RETURNS float8 LANGUAGE plpgsql STABLE AS $$ BEGIN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM people WHERE id = 7) THEN 0 ELSE $1 END; END $$")
  for (sign in c(">=", ">")) {
    DBI::dbExecute(con, paste("CREATE OPERATOR", sign, "(LEFTARG = float8, RIGHTARG = numeric, FUNCTION = above)"))
  }
  for (sign in c("*", "/", "+", "-")) {
    DBI::dbExecute(con, paste("CREATE OPERATOR", sign, "(LEFTARG = float8, RIGHTARG = numeric, FUNCTION = times)"))
  }
  people <- dplyr::tbl(con, "people")
  released <- function() {
    list(private_histogram(people, 0:10 * 10, 50, columns = "x", rng = "R")$value,
         private_mean(people, c(0, 100), 50, columns = "x", rng = "R")$value)
  }
  set.seed(3)
  with_seven <- released()
  DBI::dbExecute(con, "UPDATE people SET id = -7 WHERE id = 7")
  set.seed(3)
  expect_identical(released(), with_seven)
  expect_true(all(abs(with_seven[[1]] - 100) < 3))
})

test_that("a schema that is searched before pg_catalog is refused before any row is seen", {
  con <- local_postgres(data.frame(x = 1:9))
  schema <- DBI::dbGetQuery(con, "SELECT current_schema()")[[1]]
  people <- dplyr::tbl(con, "people")
  asked <- 0
  read <- read_statement
  counted <- function(rows, statement) {
    asked <<- asked + 1
    read(rows, statement)
  }
  released <- function() with_replaced("read_statement", counted, private_mean(people, c(0, 9), 50, columns = "x"))
  for (path in c("%s, pg_catalog", "%s, public, pg_catalog")) {
    DBI::dbExecute(con, paste("SET search_path TO", sprintf(path, schema)))
    expect_error(suppressWarnings(released()), "before `pg_catalog`", class = "dptda_error_database")
    expect_identical(asked, 0)
  }
  # a schema of temporary tables is searched for tables alone
  DBI::dbExecute(con, "CREATE TEMPORARY TABLE other (x integer)")
  for (path in c("%s", "pg_catalog, %s", "pg_temp, pg_catalog, %s", "\"pg_catalog, \", %s")) {
    DBI::dbExecute(con, paste("SET search_path TO", sprintf(path, schema)))
    expect_lt(abs(as.numeric(suppressWarnings(released())) - 5), 3)
  }
})
