# Ten million rows that stay where they are, in SQLite and in PostgreSQL: from raw rows to a private diagram, histograms
# and quantiles, with the seconds of each step. The two databases hold the same rows and R gets the same integers from
# both, which is checked. What is drawn is drawn with a seed, so that the results agree as well. The servers are started
# and stopped by tools/postgres.sh, from the top of a checkout.
suppressPackageStartupMessages({
  library(dptda)
  library(dplyr)
})
if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC") # drivers ask for it
arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.numeric(arguments[1]) else 1e7

folder <- tempfile("large-", dirname(tempdir()))
dir.create(folder)
Sys.chmod(folder, "755")
server <- file.path(folder, "server")

# Two rings of unequal size, ages, and how people walk, by a formula of the row's number that both databases can say:
# sequences that fill their ranges evenly in place of random numbers. cos() and sin() may differ by a rounding between
# databases, so angles go through a table of whole degrees that R writes.
rings <- data.frame(degree = 0:359, cosine = round(cos(2 * pi * (0:359) / 360), 9),
                    sine = round(sin(2 * pi * (0:359) / 360), 9))
select_walks <- function(real, quotient) {
  part <- function(factor, modulus) quotient(sprintf("(i * %d) %% %d", factor, modulus), modulus)
  radius <- sprintf("(CASE WHEN i %% 2 = 0 THEN 1.5 ELSE 1.0 END + 0.25 * (%s - 0.5))", part(104729, 999983))
  center <- "(CASE WHEN i % 2 = 0 THEN 1.5 ELSE -1.5 END)"
  sprintf("SELECT CAST(%1$s + %2$s * cosine AS %3$s) AS x, CAST(%1$s + %2$s * sine AS %3$s) AS y,
             CAST(18 + (i * 31) %% 60 + (i * 17) %% 13 AS INTEGER) AS age,
             CASE WHEN i %% 10 < 6 THEN 'on foot' WHEN i %% 10 < 9 THEN 'bicycle' ELSE 'other' END AS mode
           FROM numbers JOIN rings ON rings.degree = (i * 7919) %% 360", center, radius, real)
}

fill <- function(connection, database) {
  DBI::dbWriteTable(connection, "rings", rings)
  started <- proc.time()[["elapsed"]]
  if (database == "SQLite") {
    DBI::dbExecute(connection, "CREATE TABLE walks (x REAL, y REAL, age INTEGER, mode TEXT)")
    DBI::dbExecute(connection, "CREATE UNIQUE INDEX degrees ON rings (degree)")
    DBI::dbExecute(connection, sprintf(
      "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %.0f) INSERT INTO walks %s",
      n,
      select_walks("REAL", function(a, b) sprintf("(%s) / %d.0", a, b))))
  } else {
    DBI::dbExecute(connection,
                   sprintf("CREATE TABLE walks AS WITH numbers AS (SELECT generate_series(1, %.0f::bigint) AS i) %s", n,
      select_walks("DOUBLE PRECISION", function(a, b) sprintf("((%s)::float8 / %d.0::float8)", a, b))))
    DBI::dbExecute(connection, "ANALYZE walks")
  }
  proc.time()[["elapsed"]] - started
}

# The steps of an analyst; each gives the release, or the counts.
steps <- list(
  bins = function(walks) {
    bin_points(walks, domain_grid(domain_box(c(x = -3.5, y = -3.5), c(3.5, 3.5)), size = 129))
  },
  diagram = function(walks, bins) {
    grid <- domain_grid(domain_box(c(x = -3.5, y = -3.5), c(3.5, 3.5)), by = 0.07)
    private_diagram(bins, grid, epsilon = 0.5, m0 = 0.1, clip = 1.6, rng = "R")
  },
  histogram = function(walks, bins) {
    private_table(walks, columns = c("age", "mode"), breaks = list(age = seq(10, 90, by = 5)),
                      levels = list(mode = c("on foot", "bicycle")), epsilon = 0.5, rng = "R")
  },
  quantiles = function(walks, bins) {
    private_quantile(walks, c(0, 120), c(0.1, 0.5, 0.9), columns = "age", epsilon = 0.5, rng = "R")
  },
  mean = function(walks, bins) {
    private_mean(walks, domain_box(c(x = -3.5, y = -3.5), c(3.5, 3.5)), epsilon = 0.5, rng = "R")
  }
)

run_steps <- function(walks) {
  bins <- NULL
  results <- list()
  seconds <- c()
  for (name in names(steps)) {
    set.seed(77)
    seconds[name] <- system.time(results[[name]] <- if (name == "bins")
                                 steps[[name]](walks) else steps[[name]](walks, bins))[["elapsed"]]
    if (name == "bins") bins <- results$bins
  }
  list(results = results, seconds = seconds)
}

connections <- list(SQLite = function() DBI::dbConnect(RSQLite::SQLite(), file.path(folder, "walks.sqlite")))
if (system2("sh", c("tools/postgres.sh", "check"), stdout = FALSE, stderr = FALSE) == 0) {
  connections$PostgreSQL <- function() {
    system2("sh", c("tools/postgres.sh", "start", shQuote(server), 54321, Sys.getpid()), stdout = FALSE)
    DBI::dbConnect(RPostgres::Postgres(), host = file.path(server, "socket"), port = 54321, user = "postgres",
                   dbname = "postgres")
  }
}

runs <- lapply(names(connections), function(database) {
  connection <- connections[[database]]()
  filled <- fill(connection, database)
  run <- run_steps(tbl(connection, "walks"))
  DBI::dbDisconnect(connection)
  run$seconds <- c(`rows made` = filled, run$seconds)
  run
})
names(runs) <- names(connections)
if (length(runs) == 2) stopifnot(identical(runs[[1]]$results, runs[[2]]$results))

seconds <- data.frame(step = names(runs[[1]]$seconds), lapply(runs, function(run) round(run$seconds, 1)))
print(seconds, row.names = FALSE)
for (name in setdiff(names(steps), "bins")) print(runs[[1]]$results[[name]])
utils::write.csv(seconds, "inst/simulations/results/large-data-seconds.csv", row.names = FALSE)
if (dir.exists(server)) system2("sh", c("tools/postgres.sh", "stop", shQuote(server)), stdout = FALSE)
unlink(folder, recursive = TRUE)
