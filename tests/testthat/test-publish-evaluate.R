evaluation_case <- function(n = 600) {
  schema <- table_schema(size = schema_numeric(0, 1, cells = 4), town = c("a", "b", "c"), rich = schema_logical())
  size <- stats::runif(n)
  town <- sample(c("a", "b", "c"), n, TRUE, c(.5, .3, .2))
  list(schema = schema, rows = data.frame(size, town, rich = size > .5 & town != "c"))
}

test_that("rows compared with themselves differ in nothing, and with shuffled ones as columns that are independent", {
  set.seed(501)
  case <- evaluation_case()
  same <- as.data.frame(evaluate_synthesis(case$rows, case$rows, schema = case$schema, margins = 1:3, points = 0))
  expect_identical(same$what, c("1", "2", "3"))
  expect_identical(same$model, c(0, 0, 0))
  expect_true(all(is.na(same$real)))
  expect_equal(same$baseline[1], 0)
  # the product of margins, by hand
  codes <- with(case$rows, list(pmin(floor(size * 4), 3), town, rich))
  joint <- prop.table(table(codes))
  product <- outer(outer(c(prop.table(table(codes[[1]]))), c(prop.table(table(codes[[2]])))),
                   c(prop.table(table(codes[[3]]))))
  expect_equal(same$baseline[3], sum(abs(joint - product)) / 2)
})

test_that("margins are half the sum of differences, over all sets of columns or as many as asked", {
  set.seed(502)
  case <- evaluation_case()
  other <- evaluation_case()$rows
  found <- as.data.frame(evaluate_synthesis(other, case$rows, schema = case$schema, margins = 2, points = 0))
  apart <- function(columns) {
    share <- function(rows) prop.table(table(cut(rows$size, 0:4 / 4, right = FALSE), factor(rows$town), rows$rich))
    sum(abs(apply(share(other), columns, sum) - apply(share(case$rows), columns, sum))) / 2
  }
  expect_equal(found$model, mean(c(apart(1:2), apart(c(1, 3)), apart(2:3))))
  expect_length(column_sets(20, 3, 100), 100)
  expect_length(column_sets(5, 3, 100), 10)
})

test_that("a classifier learns what drawn rows teach", {
  skip_if_not_installed("e1071")
  set.seed(503)
  case <- evaluation_case()
  test <- evaluation_case()$rows
  targets <- list(rich = function(rows) rows$rich, town = function(rows) rows$town == "a")
  good <- as.data.frame(evaluate_synthesis(case$rows, test, targets, schema = case$schema, train = case$rows,
                                           points = 0, margins = 2))
  expect_identical(good$measure, c("misclassification", "misclassification", "margin"))
  expect_identical(good$model[1:2], good$real[1:2])
  expect_lt(good$model[1], .1)
  expect_equal(good$baseline[1], mean(test$rich), tolerance = 1e-12)
  wrong <- transform(case$rows, rich = !rich)
  bad <- as.data.frame(evaluate_synthesis(wrong, test, targets["rich"], schema = case$schema, points = 0, margins = 2))
  expect_gt(bad$model[1], .9)
  constant <- transform(case$rows, rich = TRUE)
  alone <- as.data.frame(evaluate_synthesis(constant, test, "rich", schema = case$schema, points = 0, margins = 2))
  expect_equal(alone$model[1], mean(!test$rich))
  # a feature that is left out teaches nothing
  blind <- evaluate_synthesis(case$rows, test, "rich", schema = case$schema, without = list(rich = c("size", "town")),
                              points = 0)
  expect_gt(as.data.frame(blind)$model[1], .3)
})

test_that("a missing class is a class, and one row is enough", {
  skip_if_not_installed("e1071")
  set.seed(507)
  case <- evaluation_case(300)
  for (policy in c("level", "other")) {
    schema <- table_schema(size = schema_numeric(0, 1, cells = 4),
                           town = schema_categorical(c("a", "b", "c"), missing = policy), rich = schema_logical())
    rows <- case$rows
    rows$town[rows$size > .7] <- NA
    found <- as.data.frame(evaluate_synthesis(rows, rows, "town", schema = schema, train = rows, margins = 1,
                                              points = 0))
    expect_false(anyNA(found))
    # where a row is large its town is missing, which a classifier can learn
    expect_lt(found$model[1], found$baseline[1])
  }
  for (points in c(0, 5)) {
    one <- evaluate_synthesis(case$rows, case$rows[1, ], "rich", schema = case$schema, points = points)
    expect_identical(as.data.frame(one)$what[1:3], c("rich", "2", "3"))
  }
  # who is left out is left out of a target that there is
  expect_error(evaluate_synthesis(case$rows, case$rows, "rich", schema = case$schema, without = list(rihc = "town"),
                                  points = 0), "`without`.*rihc",
               class = "dptda_error_argument")
})

test_that("diagrams of the same rows are the same", {
  skip_if_not_installed("ripserr")
  set.seed(504)
  case <- evaluation_case(40)
  same <- as.data.frame(evaluate_synthesis(case$rows, case$rows, schema = case$schema, margins = 2, points = 100))
  expect_identical(same$what, c("2", "0", "1"))
  expect_equal(same$model[2:3], c(0, 0), tolerance = 1e-6)
  expect_true(all(same$baseline[2:3] >= 0))
})

test_that("a model is asked for rows, and pictures and words say that numbers are not private", {
  set.seed(505)
  case <- evaluation_case()
  model <- private_synthesis(case$rows, case$schema, epsilon = 100, method = "privbayes", rng = "R")
  found <- evaluate_synthesis(model, case$rows, margins = 2:3, points = 0)
  expect_lt(max(as.data.frame(found)$model), .1)
  expect_output(print(found), "NOT PRIVATE")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_s3_class(plot(found), "dptda_evaluation")
})

test_that("what is printed says what the numbers are, which way is good, and whose rows they are of", {
  set.seed(506)
  case <- evaluation_case()
  model <- private_synthesis(case$rows, case$schema, epsilon = 9, method = "margins", rng = "R")
  shown <- function(...) {
    paste(capture.output(print(evaluate_synthesis(model, ..., margins = 2:3, points = 0))), collapse = "\n")
  }
  alone <- shown(case$rows)
  expect_match(alone, "measure what +model baseline *\n *margin +2 columns [0-9.]+ +[0-9.]+ *\n")
  expect_match(alone, "margin: total variation distance, from 0 to 1 .lower is better.")
  expect_match(alone, "baseline: independent columns")
  expect_match(alone, "Pass `train`")
  expect_match(alone, "as many rows as the training data. If they are the same")
  held <- shown(case$rows[1:30, ], train = case$rows)
  expect_match(held, "model +real +baseline")
  expect_match(held, "real: ")
  expect_no_match(held, "they are the same|Pass `train`")
  expect_match(shown(case$rows, train = case$rows), "`test` and `train` are the same rows")
  skip_if_not_installed("e1071")
  skip_if_not_installed("ripserr")
  all <- evaluate_synthesis(case$rows, case$rows, "rich", schema = case$schema, points = 10)
  expect_output(print(all),
                "misclassification: .*diagram: .*most frequent class, independent columns,\\s+shuffled columns")
})

test_that("arguments are refused by class", {
  case <- evaluation_case(20)
  refused <- function(...) expect_error(evaluate_synthesis(...), class = "dptda_error_argument")
  refused(case$rows, case$rows)
  refused(1, case$rows, schema = case$schema)
  refused(case$rows, as.list(case$rows), schema = case$schema)
  refused(case$rows, case$rows, "income", schema = case$schema)
  refused(case$rows, case$rows, list(rich = 1), schema = case$schema)
  refused(case$rows, case$rows, schema = case$schema, margins = 1.5)
  refused(case$rows, case$rows, schema = case$schema, without = list(rich = "income"))
  refused(case$rows, case$rows, schema = case$schema, svm = 3)
  refused(case$rows["size"], case$rows, schema = case$schema)
})
