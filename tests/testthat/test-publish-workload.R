# Which margins matter: what users say, and what is made of it.

test_that("formulas and lists say the same", {
  sets <- function(workload) synthesis_aim(workload = workload)$workload
  expect_identical(sets(~ a * b), list(c("a", "b")))
  expect_identical(sets(~ a * b + c:d + e), list("e", c("a", "b"), c("c", "d")))
  expect_identical(sets(~ (a + b + c)^2), list(c("a", "b"), c("a", "c"), c("b", "c")))
  expect_identical(sets(~ a * `b c`), list(c("a", "b c")))
  expect_identical(sets(list(c("a", "b"), "e")), list(c("a", "b"), "e"))
  expect_identical(synthesis_mst(workload = list(x = c(u = "a", v = "b")))$workload, list(c("a", "b")))
  expect_null(synthesis_mst()$workload)
  # a method is plain data: a formula would bring its environment
  expect_false(any(vapply(synthesis_aim(workload = ~ a * b), inherits, NA, "formula")))
  expect_output(print(synthesis_mst(workload = ~ a * b, weights = 2)), "workload = list", fixed = TRUE)
})

test_that("what is no workload is refused, by name where it has one", {
  for (method in list(synthesis_aim, synthesis_mst)) {
    refused <- function(..., words) expect_error(method(...), words, class = "dptda_error_argument")
    refused(workload = 1, words = "^`workload` must be a formula such as ~ a \\* b, or a list")
    refused(workload = "a", words = "^`workload` must be a formula")
    for (bad in list(list(), list(1), list(c("a", "a")), list("a", NA_character_), list(character()))) {
      refused(workload = bad, words = "^`workload` must be")
    }
    refused(workload = a ~ b, words = "without a left side")
    refused(workload = ~ ., words = "instead of using `\\.`")
    refused(workload = ~ log(a) * b, words = "`log\\(a\\)` is not a column")
    refused(workload = ~ 1, words = "must be a formula of columns")
    refused(workload = list(letters[1:6]), words = "at most 5 columns in a set, not 6")
    refused(workload = list(c("a", "b"), c("b", "a")), words = "a set of columns twice")
    refused(weights = 1, words = "^`weights` must be NULL")
    for (bad in list(c(1, 2), 0, -1, NA, Inf, "a")) {
      refused(workload = ~ a * b, weights = bad, words = "^`weights` must be 1 positive number, one for each set")
    }
    budget <- privacy_budget(rho = 1)
    expect_error(private_synthesis(related_rows(30), related_schema(), rho = 1, budget = budget,
                                   method = method(workload = ~ a * price)),
                 "`workload` names `price`, which is not a column of the schema", class = "dptda_error_argument")
    expect_identical(budget$spent[[1]], 0)
  }
  expect_error(private_synthesis(related_rows(30), related_schema(), rho = 1, method = "aim", workload = ~ a * b))
})

test_that("candidates are what is in a set, and weigh what they share with all sets", {
  sizes <- named_sizes(c(2, 3, 4, 5, 6))
  workload <- list(sets = list(1:3, c(3L, 5L)), weights = c(1, 10))
  plan <- plan_aim(sizes, 100, rho_budget(1), 8, workload = workload)
  expect_identical(plan$scopes, c(as.list(1:5), list(1:2, c(1L, 3L), 2:3, c(3L, 5L), 1:3)))
  slow <- vapply(plan$scopes, function(q) 1 * length(intersect(q, 1:3)) + 10 * length(intersect(q, c(3, 5))), 0)
  expect_identical(plan$weight, pmax(1, slow))
  # a set that no model could hold
  expect_false(list(1:3) %in% plan_aim(sizes, 100, rho_budget(1), 1e-9, workload = workload)$scopes)
  pairs <- plan_mst(sizes, 100, rho_budget(1), workload = workload)
  expect_identical(pairs$scopes[-(1:5)], list(1:2, c(1L, 3L), 2:3, c(3L, 5L)))
  expect_identical(pairs$weight, c(1, 1, 1, 10))
  expect_identical(pairs$edges, 3L)
  # other weights become whole numbers that keep their ratios
  whole <- whole_weights(c(0.1, 0.25, 1e-9))
  expect_identical(whole, c(102, 256, 1))
  expect_identical(whole_weights(c(0, 3, 7)), c(1, 3, 7))
  expect_error(plan_aim(sizes, 100, rho_budget(1), 8, most = 6, workload = workload), "has 10 sets of columns in it",
               class = "dptda_error_argument")
})

test_that("a forest has as many pairs as any other, and what need not be chosen costs nothing", {
  set.seed(861)
  for (i in 1:30) {
    pairs <- Filter(function(pair) stats::runif(1) < 0.3, utils::combn(6, 2, simplify = FALSE))
    linked <- diag(6) > 0
    for (pair in pairs) linked[pair[1], pair[2]] <- linked[pair[2], pair[1]] <- TRUE
    for (step in 1:3) linked <- linked %*% linked > 0
    expect_equal(forest_size(pairs, 6), 6 - nrow(unique(linked)))
  }
  spent <- function(workload, cost) {
    workload <- list(sets = workload, weights = rep(1, length(workload)))
    plan <- plan_mst(named_sizes(rep(3, 4)), 100, cost, workload = workload)
    total <- 4 * margin_cost(plan$scale, plan$kind)
    if (plan$edges > 0) total <- total + plan$edges * margin_cost(plan$pair_scale, plan$kind)
    if (!is.null(plan$unit)) total <- total + plan$edges * choice_cost(plan$epsilon, plan$kind)
    c(total, length(plan$parts))
  }
  for (cost in list(rho_budget(0.3), check_cost(0.3, NULL))) {
    expect_equal(spent(list(1:2), cost), c(0.3, 2), tolerance = 1e-6)
    expect_equal(spent(list(1:3), cost), c(0.3, 3), tolerance = 1e-6)
    expect_equal(spent(list(1L), cost), c(0.3, 1), tolerance = 1e-6)
  }
})

test_that("a model of a workload holds its pairs, nearer than one of everything, and no others", {
  set.seed(862)
  n <- 2000
  a <- sample(0:3, n, TRUE)
  related <- function() ifelse(stats::runif(n) < 0.3, sample(0:3, n, TRUE), a)
  codes <- cbind(a, replicate(7, related()))
  data <- as.data.frame(lapply(as.data.frame(codes), factor))
  names(data) <- paste0("c", 1:8)
  schema <- do.call(table_schema, structure(rep(list(schema_categorical(0:3, other = "0")), 8), names = names(data)))
  truth <- as.vector(table(data$c1, data$c2)) / n
  for (make in list(synthesis_aim, synthesis_mst)) for (pure in c(TRUE, FALSE)) {
    apart <- function(method) mean(replicate(6, {
      fit <- private_synthesis(data, schema, 0.4, delta = if (!pure) 1e-6, method = method, rng = "R")
      margin <- model_margin(fit$model, 1:2)
      if (!is.null(method$workload)) {
        held <- model_pairs(fit$model)
        expect_true(all(held$from == 1 & held$to == 2))
        expect_identical(privacy(fit)$public$workload, "c1, c2")
      }
      sum(abs(margin / sum(margin) - truth)) / 2
    }))
    expect_lt(apart(make(workload = ~ c1 * c2)), 0.8 * apart(make()))
  }
})

test_that("people and one pair, and a workload of single columns", {
  set.seed(863)
  who <- rep(1:40, 1:40 %% 3 + 1)
  visits <- data.frame(who, a = stats::runif(length(who)) < 0.5)
  visits$b <- visits$a
  schema <- table_schema(a = schema_logical(), b = schema_logical())
  for (make in list(synthesis_aim, synthesis_mst)) {
    fit <- private_synthesis(table_rows(visits, person = "who"), schema, epsilon = 5, rng = "R",
                             method = make(workload = ~ a * b, weights = 0.3))
    expect_identical(privacy(fit)$person, "who")
    expect_identical(nrow(model_pairs(fit$model)), 1L)
    alone <- private_synthesis(visits, schema, epsilon = 5, rng = "R", method = make(workload = ~ a + b))
    expect_identical(nrow(model_pairs(alone$model)), 0L)
    expect_lte(sum(alone$steps$cost_epsilon), 5)
  }
})
