# Models of rows in databases are those of the same rows in memory, whether the rows are kept or read in each round.

connect <- list(SQLite = local_sqlite, PostgreSQL = local_postgres, DuckDB = local_duckdb)

for (database in names(connect)) {
  test_that(paste("a model is that of the same rows in memory, in", database), {
    set.seed(916)
    data <- data.frame(x = pmin(pmax(stats::rnorm(700, 0, 1.2), -4), 4), group = sample(c("a", "b", "c"), 700, TRUE))
    data$y <- 2 + 1.5 * data$x + 2 * (data$group == "b") + stats::rnorm(700)
    data$big <- as.integer(data$y > 2)
    there <- dplyr::tbl(connect[[database]](data), "people")
    box <- domain_box(c(x = -4, y = -20), c(4, 20))
    levels <- list(group = c("a", "b", "c"))
    releases <- list(
      function(x) private_lm(x, y ~ x * group, box, levels = levels, rho = 1, rng = "R"),
      # with the scores
      function(x) private_lm(x, log(y + 30) ~ x, box, rho = 1e6, rng = "R"),
      function(x) private_glm(x, big ~ x + group, list(x = c(-4, 4)), levels = levels, success = 1, rho = 1, rng = "R")
    )
    for (kept in c(2^27, 0)) {
      withr::local_options(dptda.kept_numbers = kept)
      for (release in releases) {
        set.seed(1)
        here <- release(data)
        set.seed(1)
        expect_identical(suppressMessages(coef(release(there))), coef(here))
      }
    }
    expect_true(releases[[2]](there)$robust)
  })
}

test_that("people with several rows weigh one together in a database, too", {
  set.seed(917)
  data <- data.frame(who = rep(1:200, 2), x = stats::runif(400, -1, 1))
  data$y <- data$x + stats::rnorm(400, sd = 0.3)
  there <- dplyr::tbl(local_sqlite(data), "people")
  fit <- function(x) {
    set.seed(1)
    private_lm(table_rows(x, person = "who"), y ~ x, list(x = c(-1, 1), y = c(-3, 3)), rho = 1, rng = "R")
  }
  expect_equal(suppressMessages(coef(fit(there))), coef(fit(data)), tolerance = 1e-9)
})
