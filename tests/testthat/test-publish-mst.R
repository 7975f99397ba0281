# A false alarm has probability 1e-6; the seeds are fixed, so that a test fails always or never.
rarely <- 1e-6

# 2 columns say the same, the third nothing; codes of rows.
copied_rows <- function(n) {
  first <- sample(0:2, n, TRUE)
  cbind(first, first, sample(0:1, n, TRUE), deparse.level = 0)
}

test_that("what is spent is what was declared, at any number of columns and rows", {
  for (d in c(1, 2, 3, 9, 30)) for (n in c(1, 1000, 1e9)) for (rho in c(1e-8, 0.0173, 1, 1e4)) {
    plan <- plan_mst(named_sizes(rep(5, d)), n, rho_budget(rho))
    # of one pair there is nothing to choose
    chosen <- function(plan, cost) if (d > 2) cost(plan$epsilon) else 0
    spent <- d / plan$scale^2 +
      if (d > 1) (d - 1) * (chosen(plan, choice_cost) + 1 / plan$pair_scale^2) else 0
    expect_lte(spent, rho)
    # scales are rounded up to 24 digits, and may not be below 2^-30
    expect_gt(spent, rho * (1 - 2^-20))
    if (d > 2) {
      expect_gte(plan$unit, 1)
      expect_lt(4 * n * plan$unit, 2^53)
    }
    # the same number as an epsilon alone
    pure <- plan_mst(named_sizes(rep(5, d)), n, check_cost(rho, NULL))
    spent <- 2 * d / pure$scale + if (d > 1) (d - 1) * (chosen(pure, identity) + 2 / pure$pair_scale) else 0
    expect_lte(spent, rho)
    expect_gt(spent, rho * (1 - 2^-20))
  }
})

test_that("the ledger adds up to what was declared, and names what was spent", {
  source <- coded_source(matrix(0:1, 2, 3), c(2, 2, 2))
  for (rho in c(0.1, 1 / 3, 7.77)) {
    made <- release_mst(source, rho_budget(rho), NULL, "R")
    expect_identical(made$guarantee$measure, c(rho = rho))
    expect_identical(sum(sort(made$guarantee$ledger$value)), rho)
    expect_identical(made$guarantee$ledger$step, paste("private_synthesis:", c("columns", "choices", "pairs")))
    expect_lte(sum(made$steps$rho), rho)
    expect_identical(nrow(made$steps), 7L)
  }
  made <- release_mst(source, check_cost(1, NULL, 1e-6), NULL, "R")
  expect_identical(made$guarantee$measure, c(epsilon = 1, delta = 1e-6))
  expect_lte(parts_epsilon(made$guarantee$parts, 1e-6), 1)
  budget <- privacy_budget(rho = 1)
  release_mst(source, rho_budget(0.75), budget, "os")
  expect_identical(budget$spent, 0.75)
  expect_error(release_mst(source, rho_budget(0.75), budget, "os"), class = "dptda_error_budget")
  expect_identical(budget$spent, 0.75)
})

test_that("what is too small is refused before anything is spent", {
  source <- coded_source(matrix(0:1, 2, 2), c(2, 2))
  expect_error(release_mst(source, rho_budget(1e-30), NULL, "R"), class = "dptda_error_argument")
  expect_error(plan_mst(named_sizes(rep(10000, 3)), 10, rho_budget(1)), "`schema` has columns of so many cells")
  # distances in whole counts would not be exact; of one column there are none
  unit <- function(...) plan_mst(named_sizes(c(2, 2, 2)), ..., cost = rho_budget(1))$unit
  for (n in c(2^50, 2^52)) expect_error(unit(n), "more rows", class = "dptda_error_argument")
  expect_identical(unit(2^50 - 1), 1)
  pairs <- list(sets = list(1:2, 2:3, c(1L, 3L)), weights = c(1, 1, 256))
  expect_error(unit(2^42, workload = pairs), "fewer than 2^50 / 256.", fixed = TRUE, class = "dptda_error_argument")
  expect_identical(unit(2^42 - 1, workload = pairs), 1)
  expect_silent(plan_mst(named_sizes(2), 2^52, rho_budget(1)))
})

# Every multiset of rows of small columns, and every row of it replaced by every other.
small_tables <- function(sizes, n) {
  rows <- as.matrix(expand.grid(lapply(sizes, function(size) seq_len(size) - 1L)))
  places <- as.matrix(expand.grid(rep(list(seq_len(nrow(rows))), n)))
  places <- places[apply(places, 1, function(x) !is.unsorted(x)), , drop = FALSE]
  list(rows = rows, places = places)
}

neighbor_changes <- function(model, scopes, n, unit, weight, bias) {
  tables <- small_tables(model$sizes, n)
  score <- function(place) {
    source <- coded_source(tables$rows[place, , drop = FALSE], model$sizes)
    score_scopes(model, scopes, joint_counts_all(source, scopes), unit, weight, bias)
  }
  scores <- apply(tables$places, 1, score)
  keys <- apply(tables$places, 1, toString)
  most <- rep(0, length(scopes))
  for (i in seq_len(nrow(tables$places))) for (k in seq_len(n)) for (new in seq_len(nrow(tables$rows))) {
    other <- match(toString(sort(replace(tables$places[i, ], k, new))), keys)
    most <- pmax(most, abs(scores[, i] - scores[, other]))
  }
  most
}

test_that("replacing any row of any small table moves no score by more than its sensitivity, and some by all of it", {
  skip_if_instrumented()
  set.seed(821)
  sizes <- c(2, 3, 2)
  scopes <- list(1L, 2:3, 1:3)
  weight <- lengths(scopes)
  attained <- FALSE
  for (spread in c(0, 1, 20)) {
    model <- random_tree(sizes, list(1:2, 3L), spread)
    model$n <- 2
    most <- neighbor_changes(model, scopes, 2, 2^10, weight, c(3, 5, 7))
    expect_true(all(most <= 2 * weight * 2^10))
    expect_lte(max(most), score_sensitivity(weight, 2^10))
    attained <- attained || max(most) == score_sensitivity(weight, 2^10)
  }
  # all of the model is in one cell: a row that leaves another cell for it, or the other way
  model$potential <- lapply(model$potential, function(x) replace(x * 0, 1, 1000))
  expect_identical(max(neighbor_changes(model, scopes, 2, 2^10, weight, 0)), score_sensitivity(weight, 2^10))
})

test_that("classes of codes move no score by more either", {
  model <- new_classed_model(named_sizes(c(4, 2)), 2, list(c(60, 1, 2, 0), c(50, 30)), 5, 3)
  expect_identical(unname(model$classes), c(2L, 2L))
  scopes <- list(1L, 1:2)
  tables <- small_tables(c(4, 2), 2)
  score <- function(place) {
    counts <- joint_counts_all(coded_source(tables$rows[place, ], c(4, 2)), scopes)
    score_scopes(model, scopes, Map(merge_counts, counts, scopes, list(model)), 16)
  }
  for (k in 1:8) for (new in 1:8) expect_lte(max(abs(score(c(k, 3)) - score(c(new, 3)))), score_sensitivity(1, 16))
})

test_that("a large budget finds the tree of the pairs that depend on each other", {
  set.seed(822)
  n <- 4000
  a <- sample(0:3, n, TRUE)
  flip <- function(x, size) ifelse(stats::runif(n) < 0.1, sample(seq_len(size) - 1, n, TRUE), x)
  b <- flip(a, 4)
  source <- coded_source(cbind(a, b, flip(b, 4), sample(0:1, n, TRUE)), c(4, 4, 4, 2))
  made <- release_mst(source, rho_budget(1e4), NULL, "R")
  pairs <- made$model$scopes[-(1:4)]
  expect_true(all(list(1:2, 2:3) %in% pairs))
  expect_length(pairs, 3)
  expect_equal(n * model_margin(made$model, 1:2), joint_counts(source, 1:2), tolerance = 1e-2)
  # a tree: what the first and the third have in common goes through the second
  expect_lt(sum(abs(n * model_margin(made$model, c(1, 3)) - joint_counts(source, c(1, 3)))) / n, 0.05)
})

test_that("each choice is among pairs that are not connected, with the probabilities of its mechanism", {
  skip_if_instrumented()
  set.seed(823)
  source <- coded_source(copied_rows(12), c(3, 3, 2))
  plan <- plan_mst(source$sizes, 12, rho_budget(1))
  plan$epsilon <- 0.7
  model <- random_tree(c(3, 3, 2), list(1L, 2L, 3L), 0)
  model$n <- 12
  counts <- joint_counts_all(source, plan$scopes)
  scores <- score_scopes(model, plan$scopes[4:6], counts[4:6], plan$unit) / plan$unit
  weight <- exp(0.7 * scores / 4)
  trees <- replicate(4000, paste(choose_tree(model, counts, plan, "R"), collapse = " "))
  pair <- expand.grid(first = 1:3, second = 1:3)
  pair <- pair[pair$first != pair$second, ]
  p <- weight[pair$first] / sum(weight) * weight[pair$second] / (sum(weight) - weight[pair$first])
  expect_gt(discrete_fit(match(trees, paste(pair$first + 3, pair$second + 3)), seq_along(p), p), rarely)
})

test_that("one column, one code, one row, and nothing that depends", {
  set.seed(824)
  for (codes in list(matrix(0:3, 4), matrix(0, 5, 1), matrix(0, 1, 4), matrix(0:1, 2, 2))) {
    sizes <- apply(codes, 2, max) + 1
    source <- coded_source(codes, sizes)
    made <- release_mst(source, rho_budget(0.1), NULL, "R")
    expect_true(is_valid(made$model, "dptda_tree_model"))
    expect_identical(dim(draw_codes(made$model, 7, "R")), c(7L, ncol(codes)))
    expect_equal(sum(model_margin(made$model, seq_along(sizes))), 1)
  }
})

test_that("noise of a measurement has the scale that was charged", {
  set.seed(825)
  source <- coded_source(matrix(0:1, 2000, 2), c(2, 2))
  plan <- plan_mst(source$sizes, 2000, rho_budget(0.01))
  noise <- replicate(100, draw_mst(joint_counts_all(source, plan$scopes), plan, "R")$model$count[[3]] -
                     c(1000, 0, 0, 1000))
  squares <- sum(noise^2) / plan$pair_scale^2
  expect_gt(stats::pchisq(squares, length(noise)), rarely)
  expect_gt(stats::pchisq(squares, length(noise), lower.tail = FALSE), rarely)
})
