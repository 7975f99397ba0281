two_circles <- function(n) {
  angle <- stats::runif(n, 0, 2 * pi)
  cbind(cos(angle) + rep_len(c(-1.7, 1.7), n), sin(angle)) + stats::rnorm(2 * n, sd = 0.05)
}
plan_grid <- function() domain_grid(domain_box(c(-3.5, -2), c(3.5, 2)), by = .2)
small_plan <- function(simulate = two_circles, ..., m0 = c(.05, .2), clip = c(.4, 1.6, Inf), epsilon = 2, draws = 40,
                       repeats = 1) {
  plan_private_diagram(simulate, 4000, plan_grid(), epsilon, ..., m0 = m0, clip = clip, draws = draws,
                       repeats = repeats)
}

test_that("two circles are seen at the settings that the plan recommends, and the release keeps the word", {
  set.seed(91)
  plan <- small_plan(wanted = c(1, 2))
  expect_s3_class(plan, "dptda_plan")
  expect_identical(nrow(plan$settings), 6L)
  expect_equal(plan$settings$seen[1], 3, tolerance = .05)
  expect_identical(plan$best$clip, 1.6)
  # a small clip hides the loops
  hidden <- plan$settings[plan$settings$clip == .4, ]
  expect_true(all(hidden$seen < 1.5))
  X <- two_circles(4000)
  seen <- replicate(20, {
    release <- private_diagram(X, plan_grid(), 2, m0 = plan$best$m0, clip = plan$best$clip, rng = "R")
    feature_evidence(release)$features$features
  })
  expect_gte(mean(seen[1, ] == 1 & seen[2, ] == 2), .8)
})

test_that("the evidence in a plan is that of feature_evidence()", {
  set.seed(92)
  X <- two_circles(1000)
  for (utility in c("max", "sum")) {
    for (epsilon in c(.3, 1, 5)) {
      release <- private_diagram(X, plan_grid(), epsilon, m0 = .1, clip = 1, utility = utility, rng = "R")
      mechanism <- diagram_plan(1000, plan_grid(), new_cost(c(epsilon = epsilon)), .1, 1, 1, 0:1, 10, TRUE, utility)
      drawn <- data.frame(draw = rep(1, nrow(release)), as.matrix(release))
      drawn$persistence <- drawn$death - drawn$birth
      evident <- evident_points(mechanism, drawn, 1, .95)[[1]]
      counts <- feature_evidence(release)$features
      expect_identical(tabulate(evident$dimension + 1, 2), counts$features)
    }
  }
})

test_that("features take their nearest points, the tallest first, each its own", {
  features <- data.frame(dimension = c(1, 1, 0), rank = c(1, 2, 1), birth = c(0, .1, 0), death = c(1, .9, 1),
                         persistence = c(1, .8, 1))
  point <- function(dimension, birth, death) data.frame(dimension = dimension, birth = birth, death = death)
  expect_identical(find_features(point(1, .05, .95), features), list(seen = c(1, 0, 0), false = 0L))
  both <- rbind(point(1, .05, .95), point(1, .2, .8))
  expect_identical(find_features(both, features), list(seen = c(1, 1, 0), false = 0L))
  expect_identical(find_features(point(0, .5, 1), features), list(seen = c(0, 0, 0), false = 1L)) # half of it away
  expect_identical(find_features(point(0, .49, 1), features), list(seen = c(0, 0, 1), false = 0L))
  expect_identical(find_features(both[0, ], features), list(seen = double(3), false = 0L))
  expect_identical(find_features(both, features[0, ]), list(seen = double(), false = 2L))
})

test_that("a plan says where nothing would be seen, and is repeated by the seed", {
  flat <- small_plan(function(n) cbind(stats::runif(n, -3.5, 3.5), stats::runif(n, -2, 2)), epsilon = .01, clip = 1.6)
  expect_output(print(flat), "No feature would be detected.", fixed = TRUE)
  again <- function() {
    set.seed(5)
    small_plan(clip = 1.6, m0 = .2, draws = 5)
  }
  expect_identical(again(), again())
  # of public data nothing is drawn from R's stream
  X <- two_circles(500)
  set.seed(6)
  before <- .Random.seed
  plan <- small_plan(X, clip = 1.6, m0 = .2, draws = 5, rho = .5, epsilon = NULL)
  expect_identical(.Random.seed, before)
  expect_equal(plan$queries, 1)
  expect_identical(plan$n, 4000)
  expect_equal(plan$settings$sensitivity, diagram_sensitivity(4000, plan_grid(), .2, clip = 1.6), tolerance = 1e-7)
})

test_that("a clip loses what lies above it, and the error says so", {
  plan <- small_plan(two_circles(4000), m0 = .2, clip = c(.8, 1.6), epsilon = 1e4, wanted = c(1, 2))
  error <- plan$settings$error[order(plan$settings$clip)]
  expect_gt(error[1], .1)
  expect_lt(error[2], .02)
})

test_that("plans print, plot and convert", {
  plan <- small_plan(wanted = c(1, 2), repeats = 2, draws = 10)
  expect_output(print(plan), "recommended: m0 = ")
  expect_identical(as.data.frame(plan), plan$settings)
  expect_equal(unique(plan$features$dimension), c(0, 1))
  expect_true(all(plan$features$probability >= 0 & plan$features$probability <= 1))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_identical(plot(plan), plan)
  line <- plan_private_diagram(function(n) stats::rnorm(n, rep_len(c(.2, .8), n), .02), 500,
                               domain_grid(domain_box(0, 1), by = .05),
                               epsilon = 5, m0 = .2, draws = 5)
  expect_equal(unique(line$features$dimension), 0)
  expect_silent(plot(line))
})

test_that("bad arguments are classed errors that name them", {
  refused <- function(name, ...) {
    error <- expect_error(small_plan(...), class = "dptda_error_argument")
    expect_match(conditionMessage(error), name, fixed = TRUE)
  }
  refused("m0", m0 = 0)
  refused("m0", m0 = c(.1, NA))
  refused("m0", m0 = "a")
  refused("clip", clip = -1)
  refused("wanted", wanted = 1)
  refused("wanted", wanted = c(0, 0))
  refused("wanted", wanted = c(1, 11))
  refused("draws", draws = 0)
  refused("repeats", repeats = 0)
  refused("epsilon", epsilon = NULL)
  refused("probability", probability = 1)
  refused("simulate", function(n) "no data")
  refused("simulate", NULL)
  refused("...", m = 1)
})

test_that("a function that makes no look-alike of n rows is refused, and its errors are told", {
  refused <- function(simulate, words) expect_error(small_plan(simulate), words, class = "dptda_error_argument")
  refused(function(n) two_circles(10), "`simulate` must return the requested number of rows, 4000, not 10")
  refused(function() two_circles(4000), "`simulate` must take one argument")
  error <- refused(function(n) stop("no such file"), "^`simulate` failed: no such file$")
  expect_identical(conditionMessage(error$parent), "no such file")
  refused(function(n, center) cbind(center, 1:n), "`simulate` failed: ")
  # what was made before may have any number of rows
  expect_s3_class(small_plan(two_circles(10), draws = 2), "dptda_plan")
})

test_that("a plan, a detection and evidence are answers with a table", {
  plan <- small_plan(draws = 2)
  expect_s3_class(plan, c("dptda_plan", "dptda_answer", "dptda_result"), exact = TRUE)
  expect_identical(as.data.frame(plan), plan$settings)
  expect_error(as.data.frame(plan, n = 2), "no argument `n`", class = "dptda_error_argument")
  detection <- power_diagram(500, plan_grid(), 4, power = .95, m0 = .1)
  expect_identical(as.data.frame(detection), detection$table)
  evidence <- feature_evidence(small_release())
  expect_identical(as.data.frame(evidence), evidence$steps)
})

test_that("a plan of one setting prints as one, and its pictures name dimensions and clips in one way", {
  plan <- small_plan(two_circles(4000), m0 = .2, clip = 1.625, draws = 2)
  expect_output(print(plan), "<private diagram plan> 1 setting for 4,000 rows", fixed = TRUE)
  plan$settings$seen <- 1
  expect_output(print(plan), "; 1 feature detected on average", fixed = TRUE)
  words <- drawn_text(plot(plan))
  expect_true(all(c("m0 = 0.2, clip = 1.62", "1.62") %in% words))
  expect_match(words, "^dimension 1: ", all = FALSE)
})

test_that("a plan with rows that were given says that they may be the private ones", {
  grid <- small_grid()
  plan <- function(x, n) plan_private_diagram(x, n, grid, epsilon = 1, m0 = .1, clip = 1, repeats = 1, draws = 2)
  rows <- circle_points(100)
  expect_message(same <- plan(rows, 100), "100 rows, as many as the private data", class = "dptda_message_private")
  expect_no_message(other <- plan(rows, 200), class = "dptda_message_private")
  expect_no_message(made <- plan(function(n) circle_points(n), 100), class = "dptda_message_private")
  for (one in list(same, other)) expect_output(print(one), "NOTE: `simulate` was a table of rows.", fixed = TRUE)
  expect_identical(c(same$given, other$given, made$given), c(TRUE, TRUE, FALSE))
  expect_no_match(utils::capture.output(print(made)), "NOTE")
})
