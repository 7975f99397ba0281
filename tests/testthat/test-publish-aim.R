# A false alarm has probability 1e-6; the seeds are fixed, so that a test fails always or never.
rarely <- 1e-6

test_that("rounds never spend more than there is, whatever they find, and all of it in the end", {
  set.seed(831)
  always <- list(function() TRUE, function() FALSE, function() stats::runif(1) < 0.3)
  for (pure in c(FALSE, TRUE)) for (d in c(1, 4)) for (spent in c(1e-6, 0.02, 1e3)) for (anneals in always) {
    plan <- plan_aim(named_sizes(rep(3, d)), 1000, if (pure) check_cost(spent, NULL) else rho_budget(spent), 8)
    used <- d * margin_cost(plan$scale, plan$kind)
    pace <- plan[c("scale", "epsilon")]
    rounds <- 0
    repeat {
      round <- next_round(plan$spent - used, pace, plan)
      used <- used + margin_cost(round$scale, plan$kind) + choice_cost(round$epsilon, plan$kind)
      rounds <- rounds + 1
      expect_lte(used, spent)
      # the last round has no more noise than the first
      expect_lte(round$scale, plan$scale * (1 + 2^-20))
      if (round$last) break
      if (anneals()) pace <- list(scale = pace$scale / 2, epsilon = 2 * pace$epsilon)
    }
    expect_gt(used, spent * (1 - 2^-20))
    expect_lte(rounds, if (pure) 3 * d else 16 * d)
  }
})

test_that("the ledger adds up, and the steps to no more", {
  set.seed(832)
  source <- coded_source(cbind(rep(0:1, 50), rep(0:1, 50), rep(0:3, 25)), c(2, 2, 4))
  for (rho in c(0.01, 1 / 3, 20)) {
    made <- release_aim(source, rho_budget(rho), NULL, "R")
    expect_identical(made$guarantee$measure, c(rho = rho))
    expect_identical(sum(sort(made$guarantee$ledger$value)), rho)
    expect_lte(sum(made$steps$rho), rho)
    expect_gt(sum(made$steps$rho), rho * (1 - 2^-20))
    each <- margin_cost(made$steps$scale) + ifelse(is.na(made$steps$epsilon), 0, choice_cost(made$steps$epsilon))
    expect_equal(made$steps$rho, each)
  }
  expect_identical(made$guarantee$ledger$step, paste("private_synthesis:", c("columns", "rounds")))
  made <- release_aim(source, check_cost(1, NULL, 1e-6), NULL, "R")
  expect_identical(made$guarantee$measure, c(epsilon = 1, delta = 1e-6))
  budget <- privacy_budget(rho = 1)
  release_aim(source, rho_budget(0.75), budget, "os")
  expect_identical(budget$spent, 0.75)
  expect_error(release_aim(source, rho_budget(0.75), budget, "os"), class = "dptda_error_budget")
})

test_that("with epsilon alone noise is that of Laplace, and the steps add up to epsilon", {
  set.seed(843)
  source <- coded_source(cbind(rep(0:1, 50), rep(0:1, 50), rep(0:3, 25)), c(2, 2, 4))
  for (release in list(release_aim, release_mst)) for (epsilon in c(0.01, 1 / 3, 20)) {
    kinds <- character()
    made <- with_replaced("add_noise", function(values, scale, kind, rng) {
      kinds <<- c(kinds, kind)
      values
    }, release(source, check_cost(epsilon, NULL), NULL, "R"))
    expect_identical(unique(kinds), "laplace")
    expect_identical(made$guarantee$measure, c(epsilon = epsilon))
    expect_equal(sum(made$guarantee$ledger$value), epsilon)
    each <- rowSums(cbind(2 / made$steps$scale, made$steps$epsilon), na.rm = TRUE)
    expect_equal(made$steps$cost_epsilon, each)
    expect_lte(sum(each), epsilon)
    expect_gt(sum(each), epsilon * (1 - 2^-20))
    # measurements are weighed by their variances
    at <- which(!is.na(made$steps$scale))[1:3]
    singles <- made$model$weight[match(as.list(1:3), made$model$scopes)]
    expect_true(all(vapply(singles, max, 0) >= 1 / (2 * made$steps$scale[at]^2) / 4))
  }
  expect_match(made$guarantee$mechanism, "discrete Laplace noise on margins of columns and of pairs")
  # each answer as often as its law says, in the column that is measured first
  noisy <- vapply(1:4000, function(i) {
    plan <- plan_aim(named_sizes(c(2, 2)), 100, check_cost(2, NULL), 8)
    noisy_counts(50, plan$scale, plan$kind, "R")
  }, 0)
  b <- plan_aim(named_sizes(c(2, 2)), 100, check_cost(2, NULL), 8)$scale
  expect_equal(b, 2 / (0.8 * 2 / 6), tolerance = 1e-6)
  expect_equal(mean(abs(noisy - 50)), b, tolerance = 0.1)
})

test_that("what cannot be spent or held is refused by public numbers", {
  source <- coded_source(matrix(0:1, 2, 2), c(2, 2))
  for (rho in c(1e-30, 1e-22)) {
    expect_error(release_aim(source, rho_budget(rho), NULL, "R"), class = "dptda_error_argument")
  }
  expect_error(plan_aim(named_sizes(rep(1e4, 4)), 10, rho_budget(1), 8000), "`schema` has columns of so many cells")
  # sets of three for which there is no room are no candidates
  expect_identical(unique(lengths(plan_aim(named_sizes(rep(1000, 4)), 10, rho_budget(1), 8000)$scopes)), 1:2)
  # scores have room where they are not refused
  for (n in c(1, 1e6, 1e12)) for (rho in c(1e-10, 1e-5, 1)) {
    plan <- tryCatch(plan_aim(named_sizes(c(20, 20, 20)), n, rho_budget(rho), 8),
                     dptda_error_argument = function(cnd) NULL)
    if (is.null(plan)) next
    expect_lt(max(plan$weight * (3 * n * plan$unit + plan$unit * sqrt(2 / pi) * plan$scale * plan$cells + 1)), 2^53)
    expect_gte(plan$unit, 1)
  }
  for (n in c(1, 1e6, 1e12)) for (epsilon in c(1e-8, 1e-3, 1)) {
    plan <- tryCatch(plan_aim(named_sizes(c(20, 20, 20)), n, check_cost(epsilon, NULL), 8),
                     dptda_error_argument = function(cnd) NULL)
    if (is.null(plan)) next
    bound <- plan$weight * plan$unit * (4 * n + (1 + 2^-20) * plan$scale * plan$cells + 1)
    expect_lt(max(bound), 2^53)
  }
})

test_that("candidates are all margins of three columns and less, weighted by their columns", {
  plan <- plan_aim(named_sizes(c(2, 3, 4, 5, 6)), 100, rho_budget(1), 8)
  expect_length(plan$scopes, 5 + 10 + 10)
  expect_identical(plan$weight, lengths(plan$scopes))
  # up to one factor the number of columns shared with all of the workload
  workload <- utils::combn(5, 3, simplify = FALSE)
  shared <- vapply(plan$scopes, function(scope) sum(vapply(workload, function(one) length(intersect(one, scope)),
                                                           0L)), 0L)
  expect_length(unique(shared / plan$weight), 1)
  expect_identical(lengths(plan_aim(named_sizes(4), 100, rho_budget(1), 8)$scopes), 1L)
  expect_identical(lengths(plan_aim(named_sizes(c(4, 2)), 100, rho_budget(1), 8)$scopes), c(1L, 1L, 2L))
})

test_that("of more candidates than there may be some are drawn, each as likely as any other, whatever the rows", {
  set.seed(840)
  at <- triples(7, 1:35)
  expect_identical(at[order(at %*% c(64, 8, 1)), ], t(utils::combn(7, 3)))
  expect_identical(triples(256, choose(256, 3)), cbind(254L, 255L, 256L))
  sizes <- named_sizes(rep(2:3, 5))
  all <- candidate_scopes(sizes, 1e6, 20000, "R")
  expect_length(unique(all), 10 + 45 + 120)
  key <- function(scopes) vapply(scopes[lengths(scopes) == 3], paste, "", collapse = " ")
  drawn <- replicate(500, key(candidate_scopes(sizes, 1e6, 10 + 45 + 30, "R")))
  expect_identical(dim(drawn), c(30L, 500L))
  expect_false(any(apply(drawn, 2, anyDuplicated)))
  # each of 120 in a quarter of the draws; all of them together are a sum of negatively correlated coins
  found <- table(factor(drawn, key(all)))
  expect_lt(sum((found - 125)^2 / (500 * .25 * .75)), stats::qchisq(rarely, 119, lower.tail = FALSE))
  # what one set has too many cells for leaves room to others
  expect_true(all(scope_cells(candidate_scopes(sizes, 12, 85, "R"), sizes) <= 12))
  expect_length(candidate_scopes(sizes, 12, 85, "R"), 85)
  # nor do large sets end at the first columns what is drawn
  wide <- named_sizes(rep(100, 20))
  room <- candidate_scopes(wide, 1e6, 20000, "R")
  expect_lte(sum(scope_cells(room[lengths(room) == 3], wide)), most_candidate_cells)
  expect_gt(sum(lengths(room) == 3), 60)
  expect_setequal(unlist(replicate(5, Filter(function(scope) length(scope) == 3,
                                             candidate_scopes(wide, 1e6, 20000, "R")))), 1:20)
  # pairs are never drawn from
  expect_length(candidate_scopes(sizes, 1e6, 1, "R"), 55)
})

test_that("a round looks at a part of very many candidates, at all single columns and over some rounds at each", {
  set.seed(841)
  plan <- plan_aim(named_sizes(rep(2, 25)), 100, rho_budget(1), 8)
  expect_length(plan$scopes, 25 + 300 + 2300)
  parts <- replicate(30, portion_of(plan, "R"))
  expect_identical(dim(parts), c(1025L, 30L))
  expect_true(all(parts[1:25, ] == 1:25))
  expect_false(any(apply(parts, 2, anyDuplicated)))
  expect_length(unique(as.vector(parts)), length(plan$scopes))
  few <- plan_aim(named_sizes(rep(2, 10)), 100, rho_budget(1), 8)
  expect_identical(portion_of(few, "R"), seq_along(few$scopes))
})

test_that("the model stays within its limit, and single columns are always candidates", {
  set.seed(833)
  rows <- sample(0:5, 500, TRUE)
  source <- coded_source(cbind(rows, rows, (rows + sample(0:1, 500, TRUE)) %% 6, rows %/% 2, rows %% 3),
                         c(6, 6, 6, 3, 3))
  for (size in c(1e-9, 0.0005, 0.002, 1)) {
    made <- release_aim(source, rho_budget(5), NULL, "R", max_model_size = size)
    cells <- tree_sizes(made$model$classes, made$model$scopes)$cells
    expect_lte(cells, max(size * 2^20 / 8, sum(source$sizes)))
  }
  tiny <- release_aim(source, rho_budget(5), NULL, "R", max_model_size = 1e-9)
  expect_true(all(lengths(tiny$model$scopes) == 1))
})

test_that("what columns have in common is found, three at a time too", {
  set.seed(834)
  n <- 5000
  a <- sample(0:1, n, TRUE)
  b <- sample(0:1, n, TRUE)
  # each pair is independent, all three are not
  source <- coded_source(cbind(a, b, (a + b) %% 2, sample(0:2, n, TRUE)), c(2, 2, 2, 3))
  made <- release_aim(source, rho_budget(1), NULL, "R")
  expect_true(list(1:3) %in% made$model$scopes)
  expect_lt(sum(abs(model_margin(made$model, 1:3) - joint_counts(source, 1:3) / n)), 0.02)
  expect_equal(sum(model_margin(made$model, 1:4)), 1)
  # by margins that were not measured
  expect_lt(sum(abs(model_margin(made$model, c(1, 4)) - joint_counts(source, c(1, 4)) / n)), 0.05)
})

test_that("one column, one code, one row", {
  set.seed(835)
  for (codes in list(matrix(0:3, 4), matrix(0, 5, 1), matrix(0, 1, 4), matrix(0:1, 2, 2))) {
    sizes <- apply(codes, 2, max) + 1
    made <- release_aim(coded_source(codes, sizes), rho_budget(0.1), NULL, "R")
    expect_true(is_valid(made$model, "dptda_tree_model"))
    expect_identical(dim(draw_codes(made$model, 7, "R")), c(7L, ncol(codes)))
  }
})

# One row of twenty columns takes the first column to the model and all others away from it: its score falls by 2 where
# all others rise by 2.
choice_case <- function(columns = 20) {
  model <- new_tree_model(named_sizes(rep(2, columns)), 4)
  for (j in seq_len(columns)) model <- add_measurement(model, j, c(0, 0), 1)
  model$potential <- c(list(c(-1000, 0)), rep(list(c(0, -1000)), columns - 1))
  others <- matrix(rep(c(1, 0), c(3, 3 * (columns - 1))), 3)
  list(model = model, x = rbind(rep(0, columns), others), neighbor = rbind(rep(1, columns), others))
}

choice_draws <- function(sensitivity = score_sensitivity(1, 16), times = 1, columns = 20) {
  model <- choice_case(columns)$model
  scopes <- as.list(seq_along(model$sizes))
  function(data, runs) {
    scores <- score_scopes(model, scopes, joint_counts_all(coded_source(data, model$sizes), scopes), 16)
    rowSums(matrix(draw_choice(scores, 1, sensitivity, "R", runs * times) == 1, runs))
  }
}

test_that("a choice keeps what it is charged, and the lies about it are found", {
  set.seed(836)
  case <- choice_case()
  found <- function(...) audit_mechanism(NULL, case$x, case$neighbor, epsilon = 1, runs = 40000,
                                       draws = choice_draws(...))
  honest <- found()
  expect_false(honest$rejected)
  expect_gt(honest$estimate, 0.8)
  # the sensitivity of "add or remove"
  half <- found(score_sensitivity(1, 16) / 2)
  expect_true(half$rejected)
  expect_gt(half$estimate, 1.6)
  # two choices where one is spent
  few <- choice_case(8)
  expect_true(audit_mechanism(NULL, few$x, few$neighbor, epsilon = 1, runs = 40000,
                            draws = choice_draws(times = 2, columns = 8))$rejected)
  # one query at the numbers: two scores that differ by twice the sensitivity of each
  scopes <- as.list(1:20)
  score <- function(data) score_scopes(case$model, scopes,
                                       joint_counts_all(coded_source(data, case$model$sizes), scopes), 16)
  expect_identical(score(case$neighbor) - score(case$x), c(-32, rep(32, 19)))
})

test_that("a budget that is charged for choices alone, or for measurements alone, is seen in the steps", {
  set.seed(837)
  source <- coded_source(cbind(rep(0:1, 50), rep(0:1, 50)), c(2, 2))
  made <- release_aim(source, rho_budget(1), NULL, "R")
  measured <- sum(margin_cost(made$steps$scale))
  chosen <- sum(choice_cost(made$steps$epsilon), na.rm = TRUE)
  expect_lte(measured + chosen, 1)
  expect_gt(measured, 0.85)
  expect_gt(chosen, 0.05)
})

test_that("noise beyond all counts, columns of many codes and nothing to see end no release", {
  set.seed(838)
  source <- coded_source(cbind(0, c(0, 9999), 2), c(1, 10000, 3))
  for (rho in c(1e-23, 1e-18, 1e-9, 1e6)) for (release in list(release_aim, release_mst)) {
    # where scores have no room, that is public
    if (rho == 1e-23 && identical(release, release_aim)) next
    made <- release(source, rho_budget(rho), NULL, "R")
    expect_true(is_valid(made$model, "dptda_tree_model"))
    expect_identical(dim(draw_codes(made$model, 3, "R")), c(3L, 3L))
  }
})

test_that("a column of many codes, all in one class, may have the largest noise there is", {
  # one release of seven has no code that is three scales above zero
  set.seed(839)
  source <- coded_source(cbind(c(0, 1499)), 1500)
  made <- lapply(1:40, function(i) release_mst(source, rho_budget(1e-24), NULL, "R"))
  expect_true(any(vapply(made, function(one) one$model$classes == 1, NA)))
  expect_identical(dim(draw_codes(made[[1]]$model, 3, "R")), c(3L, 1L))
})

test_that("a budget without bound fails nowhere after it is spent", {
  set.seed(21)
  data <- data.frame(a = rep(c(TRUE, FALSE), 20), b = rep(c(TRUE, TRUE, FALSE, FALSE), 10))
  schema <- table_schema(a = schema_logical(), b = schema_logical())
  release <- function(...) privacy(private_synthesis(data, schema, ..., rng = "R"))$measure
  for (rho in c(3e19, 5e19, 1e25, 1e300, 6e307, 7e307, 9e307, 1.7e308)) {
    for (method in c("aim", "mst", "privbayes", "margins")) {
      expect_equal(release(rho = rho, method = method), c(rho = rho))
    }
  }
  for (epsilon in c(1e19, 1e300, 1.7e308)) {
    for (method in c("aim", "mst", "privbayes", "margins", "dp2pub")) {
      expect_equal(release(epsilon = epsilon, method = method), c(epsilon = epsilon))
    }
  }
})

test_that("a choice has the rate that its epsilon in the ledger allows, for all candidates at once", {
  set.seed(842)
  source <- coded_source(cbind(rep(0:1, 50), rep(0:1, 50), rep(0:3, 25)), c(2, 2, 4))
  rates <- function(release) {
    rate <- double()
    made <- with_replaced("draw_choice", function(scores, epsilon, sensitivity, rng, count = 1) {
      rate <<- c(rate, choice_rate(epsilon, sensitivity))
      sample.int(length(scores), 1)
    }, release())
    epsilon <- made$steps$epsilon[!is.na(made$steps$epsilon)]
    expect_length(rate, length(epsilon))
    expect_gt(length(rate), 1)
    rate / epsilon
  }
  # a margin of three columns weighs three, and replacing one row moves its distance by two counts, each of `unit`
  unit <- plan_aim(source$sizes, source$n, rho_budget(0.1), 8)$unit
  most <- 1 / (2 * 2 * 3 * unit)
  found <- rates(function() release_aim(source, rho_budget(0.1), NULL, "R"))
  expect_lte(max(found), most)
  expect_equal(found, rep(most, length(found)))
  unit <- plan_mst(source$sizes, source$n, rho_budget(0.1))$unit
  found <- rates(function() release_mst(source, rho_budget(0.1), NULL, "R"))
  expect_lte(max(found), 1 / (2 * 2 * unit))
  expect_equal(found, rep(1 / (2 * 2 * unit), 2))
})
