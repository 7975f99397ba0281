# Tables of a hundred columns: by every method, in memory and in databases, without a table of all of them. The seeds
# are fixed.

wide_rows <- function(n, d = 100, sizes = rep(2:3, length.out = d)) {
  codes <- matrix(1L, n, d)
  codes[, 1] <- sample.int(sizes[1], n, TRUE)
  # each column follows the one before
  for (j in seq_len(d)[-1]) {
    codes[, j] <- ifelse(stats::runif(n) < .8, 1L + codes[, j - 1] %% sizes[j], sample.int(sizes[j], n, TRUE))
  }
  structure(as.data.frame(codes), names = paste0("c", seq_len(d)))
}
wide_schema <- function(data, sizes = vapply(data, max, 0L)) {
  do.call(table_schema, lapply(sizes, function(size) schema_categorical(seq_len(size), other = "1")))
}

test_that("every method publishes a hundred columns, whose cells are more than there are numbers for", {
  skip_if_instrumented()
  set.seed(861)
  n <- 400
  data <- wide_rows(n)
  schema <- wide_schema(data)
  expect_gt(prod(schema_sizes(schema)), 1e35)
  for (method in method_names("synthesis")) {
    rho <- if (method != "dp2pub") 1
    short <- if (method == "topology") synthesis_topology(cloud = 50, steps = 20, passes = 0.1) else method
    fit <- private_synthesis(data, schema, epsilon = if (is.null(rho)) 500, rho = rho, method = short, rng = "R")
    expect_identical(sum(sort(privacy(fit)$ledger$value)), if (is.null(rho)) 500 else 1)
    drawn <- simulate(fit, 1000, seed = 1)
    expect_identical(dim(drawn), c(1000L, 100L))
    expect_true(all(mapply(function(x, size) nlevels(x) == size && !anyNA(x), drawn, schema_sizes(schema))))
    # a margin of three columns that nobody measured together
    margin <- model_margin(fit$model, c(1L, 50L, 100L))
    expect_length(margin, prod(schema_sizes(schema)[c(1, 50, 100)]))
    expect_true(all(is.finite(margin) & margin > -1e-12))
  }
})

test_that("with a budget that hides nothing the methods find what neighboring columns have in common", {
  set.seed(862)
  n <- 2000
  data <- wide_rows(n)
  schema <- wide_schema(data)
  source <- encode_table(data, schema, "data")
  pairs <- lapply(c(1L, 30L, 60L, 99L), function(j) c(j, j + 1L))
  away <- function(fit) {
    found <- lapply(pairs, function(pair) model_margin(fit$model, pair))
    max(mapply(function(found, counts) sum(abs(found / sum(found) - counts / n)) / 2, found,
               joint_counts_all(source, pairs)))
  }
  independent <- away(private_synthesis(data, schema, rho = 1e5, method = "margins", rng = "R"))
  expect_gt(independent, 0.2)
  for (method in list("mst", synthesis_privbayes(degree = 1))) {
    expect_lt(away(private_synthesis(data, schema, rho = 1e5, method = method, rng = "R")), 0.02)
  }
})

test_that("tables may have as many columns as are said, and no more", {
  skip_if_instrumented()
  set.seed(863)
  data <- wide_rows(20, max_schema_columns)
  schema <- wide_schema(data, structure(rep(2:3, max_schema_columns / 2), names = names(data)))
  fit <- private_synthesis(data, schema, rho = 1, method = "mst", rng = "R")
  expect_identical(dim(simulate(fit, 5)), c(5L, as.integer(max_schema_columns)))
  expect_length(plan_aim(schema_sizes(schema), 20, rho_budget(1), 8)$scopes, max_schema_columns *
                (max_schema_columns + 1) / 2)
  more <- rep(list(schema_logical()), max_schema_columns + 1)
  names(more) <- paste0("c", seq_along(more))
  expect_error(do.call(table_schema, more), "at most 256 columns", class = "dptda_error_argument")
})

test_that("what a hundred columns leave no room for is refused before anything is spent, with what to do about it", {
  set.seed(864)
  data <- wide_rows(30)
  schema <- do.call(table_schema, lapply(data, function(x) schema_categorical(1:400, other = "1")))
  budget <- privacy_budget(rho = 1)
  refused <- function(method, words) {
    expect_error(private_synthesis(data, schema, rho = 1, method = method, budget = budget), words,
                 class = "dptda_error_argument")
  }
  refused("mst", "Use fewer cells in a column")
  refused("aim", "Use fewer cells in a column")
  refused("topology", "at most 1,000 are possible")
  expect_error(private_synthesis(data, wide_schema(data), rho = 1,
                                 method = synthesis_privbayes(degree = 5, theta = 1e-9), budget = budget),
               "sets of parents", class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  # columns by themselves, or with few parents, have room
  fit <- private_synthesis(data, schema, rho = 1, method = "margins", budget = budget)
  expect_identical(budget$spent, 1)
})

test_that("a hundred columns in a database are counted as in memory", {
  skip_unless_long()
  set.seed(865)
  data <- wide_rows(200)
  schema <- wide_schema(data)
  memory <- encode_table(data, schema, "data")
  scopes <- c(as.list(1:100), utils::combn(100, 2, simplify = FALSE)[seq(1, 4950, by = 450)], list(c(1L, 50L, 100L)))
  expected <- joint_counts_all(memory, scopes)
  check <- function(connection) {
    lazy <- dplyr::tbl(connection, "people")
    expect_identical(joint_counts_all(encode_table(lazy, schema, "lazy"), scopes), expected)
    fit <- private_synthesis(lazy, schema, rho = 1, method = "margins", rng = "R")
    expect_identical(dim(simulate(fit, 5)), c(5L, 100L))
  }
  check(local_sqlite(data))
  check(local_postgres(data))
})
