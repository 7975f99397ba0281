# Models of whole tables: what all methods share.

# Graphical models have Gaussian noise alone.
needs_delta <- function(method) method %in% c("aim", "mst", "topology")
synthesis <- function(method, data = related_rows(100), ..., epsilon = 2, rng = "R") {
  delta <- if (needs_delta(method)) 1e-3
  private_synthesis(data, related_schema(), epsilon, delta = delta, method = method, theta = .05,
                    topology = list(size = 8, cloud = 60, steps = 50), ..., rng = rng)
}
methods <- function() names(synthesis_methods())

test_that("every method gives a model from which rows are drawn", {
  set.seed(1)
  for (method in methods()) {
    fit <- synthesis(method)
    expect_identical(fit$method, method)
    expect_identical(class(fit), "dptda_synthesis")
    expect_identical(privacy(fit)$measure, c(epsilon = 2, delta = if (needs_delta(method)) 1e-3))
    drawn <- simulate(fit, 70, seed = 3)
    expect_identical(simulate(fit, 70, seed = 3), drawn)
    expect_identical(names(drawn), c("a", "b", "c"))
    expect_identical(vapply(drawn, class, ""), c(a = "factor", b = "logical", c = "numeric"))
    expect_true(all(drawn$c >= 0 & drawn$c <= 100))
    expect_identical(dim(simulate(fit, 0)), c(0L, 3L))
    expect_identical(levels(simulate(fit, 0)$a), c("u", "v", "w"))
    expect_identical(nrow(simulate(fit)), 100L)
    for (columns in list(2L, c(3L, 1L))) {
      margin <- model_margin(fit$model, columns)
      expect_length(margin, prod(fit$model$sizes[columns]))
      expect_true(all(margin >= 0) && sum(margin) > 0)
    }
  }
})

test_that("simulate() leaves the generator as it found it", {
  fit <- synthesis("privbayes", rng = "os")
  set.seed(2)
  first <- stats::runif(1)
  set.seed(2)
  simulate(fit, 10, seed = 5)
  expect_identical(stats::runif(1), first)
  set.seed(4)
  once <- simulate(fit, 10)
  expect_false(identical(simulate(fit, 10), once))
  set.seed(4)
  expect_identical(simulate(fit, 10), once)
})

test_that("seeds repeat a release, and the guarantee says so", {
  data <- related_rows(60)
  for (method in methods()) {
    set.seed(3)
    first <- synthesis(method, data)
    set.seed(3)
    expect_identical(synthesis(method, data), first)
    expect_output(print(first), "SEEDED: NOT PRIVATE")
  }
})

test_that("a table in an engine gives what it gives in memory", {
  set.seed(4)
  data <- related_rows(60)
  connection <- local_sqlite(data)
  for (method in c("privbayes", "margins", "aim", "mst")) {
    set.seed(5)
    here <- synthesis(method, data)
    set.seed(5)
    there <- synthesis(method, dplyr::tbl(connection, "people"))
    expect_identical(there$model, here$model)
  }
  data$c[7] <- NA
  DBI::dbWriteTable(connection, "holes", data)
  budget <- privacy_budget(epsilon = 2)
  expect_error(synthesis("margins", dplyr::tbl(connection, "holes"), budget = budget), "missing values", class = "dptda_error_argument")
  expect_identical(budget$spent[[1]], 0)
})

test_that("missing values are refused before anything is paid, or are drawn", {
  data <- related_rows(60)
  data$b[3] <- NA
  budget <- privacy_budget(epsilon = 2)
  for (method in methods()) expect_error(synthesis(method, data, budget = budget), "must not contain missing values", class = "dptda_error_argument")
  expect_identical(budget$spent[[1]], 0)
  schema <- table_schema(b = schema_truth(missing = "level"), c = schema_numeric(0, 100, 5))
  fit <- private_synthesis(data, schema, 1e5, method = "privbayes", rng = "R")
  expect_lt(abs(mean(is.na(simulate(fit, 5000, seed = 1)$b)) - 1 / 60), .02)
})

test_that("a schema that was read from the data is on the guarantee", {
  data <- related_rows(60)
  fit <- private_synthesis(data, schema_from_data(data), 1, method = "margins")
  expect_output(print(fit), "SCHEMA READ FROM THE DATA: NOT PRIVATE")
  expect_output(print(privacy(fit)), "SCHEMA READ FROM THE DATA: NOT PRIVATE")
  expect_false(grepl("NOT PRIVATE", paste(format(privacy(synthesis("margins", data, rng = "os"))), collapse = "")))
})

test_that("a model that was changed has lost its guarantee", {
  fit <- synthesis("privbayes")
  fit$n <- 7
  expect_null(privacy(fit))
  fit$model$network <- list()
  expect_error(simulate(fit, 3), class = "dptda_error_argument")
})

test_that("models are shown", {
  set.seed(6)
  for (method in methods()) {
    fit <- synthesis(method)
    expect_output(print(fit), paste0("method ", method, ": 100 rows, 3 columns"))
    expect_identical(summary(fit), fit$steps)
    withr::with_pdf(withr::local_tempfile(), {
      expect_identical(plot(fit), fit)
      plot(fit, which = "margins", main = "own")
    })
  }
  expect_identical(nrow(model_edges(synthesis("margins")$model)), 0L)
  expect_output(print(private_synthesis(related_rows(9), related_schema(), rho = 1, method = "margins")), "rho = 1")
})

test_that("budgets are split into parts that add up, whatever they are", {
  set.seed(7)
  total <- c(exp(stats::rnorm(1000, 0, 5)), 2^-30, 1, 3, .1)
  parts <- vapply(total, function(one) split_budget(list(epsilon = one, rho = NA), c(network = .3, margins = .7)), c(network = 0, margins = 0))
  expect_identical(parts[1, ] + parts[2, ], total)
  expect_equal(parts[1, ], .3 * total, tolerance = 1e-9)
})

test_that("wrong arguments are refused", {
  data <- related_rows(9)
  bad <- function(...) expect_error(private_synthesis(data, related_schema(), ...), class = "dptda_error_argument")
  bad()
  bad(1, rho = 1)
  bad(rho = 1, delta = .1)
  bad(1, delta = 0)
  bad(1, method = "topology")
  bad(1, theta = 0)
  bad(1, degree = -1)
  bad(1, degree = 1.5)
  bad(1, score = "F")
  bad(1, rng = "none")
  expect_error(private_synthesis(data, c("a"), 1), "table_schema", class = "dptda_error_argument")
  expect_error(simulate(synthesis("margins"), -1), class = "dptda_error_argument")
})
