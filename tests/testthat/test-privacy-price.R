# What a mechanism says before there are rows.

releases <- Filter(function(one) !is.null(one$release), mechanism_examples())

test_that("a price is the guarantee of the release, and what a budget is charged", {
  for (example in releases) {
    budget <- budget_of_unit(example$mechanism$guarantee, list(epsilon = 100, delta = .5))
    mechanism <- example$mechanism
    # training takes noise for the order at which the budget counts
    if (inherits(mechanism$plan, "synthesis_autoencoder")) {
      mechanism <- do.call(private_synthesis,
                           c(list(unseen(mechanism$plan$n)), example$settings, list(budget = budget)))
    }
    price <- privacy_price(mechanism)
    first <- names(formals(example$release))[1]
    released <- suppressWarnings(do.call(example$release, c(structure(list(example$x), names = first), example$settings,
                                                            list(budget = budget))))
    expect_equal(price$guarantee, privacy(released), label = paste("the price of", example$name))
    # a ledger also names caveats
    expect_identical(unique(as.data.frame(price)$step), sub(" -- .*", "", unique(budget$ledger$step)),
                     label = paste("the steps of", example$name))
    expect_identical(as.data.frame(price), privacy(released)$ledger)
  }
})

test_that("a price is printed with its noise and its entries, and a mechanism in a few lines", {
  box <- domain_box(c(height = 1, weight = 20), c(2.5, 200))
  expect_snapshot_output(print(privacy_price(private_mean(unseen(1000), box, epsilon = 1, delta = 1e-6))))
  expect_snapshot_output(print(privacy_price(private_covariance(unseen(1000), box, rho = 1))))
  expect_snapshot_output(print(private_graph(unseen(1e5), epsilon = 1)))
  expect_snapshot_output(print(simulate(private_count(unseen(2), epsilon = 1), 3, seed = 1, x = c(TRUE, FALSE))))
})

test_that("noise on whole numbers has the standard deviation that is said", {
  for (scale in c(.1, .5, 1, 3, 40)) {
    y <- -3000:3000
    laplace <- exp(-abs(y) / scale)
    expect_equal(noise_deviation("laplace", scale), sqrt(sum(y^2 * laplace) / sum(laplace)))
    gaussian <- rounded_probability(y, scale)
    expect_equal(noise_deviation("gaussian", scale), sqrt(sum(y^2 * gaussian)), tolerance = 1e-8)
  }
})

test_that("simulated results are those of the release, from R's stream, without a guarantee", {
  box <- domain_box(c(-2, -2), c(2, 2))
  X <- circle_points(20)
  mechanism <- private_mean(unseen(20), box, epsilon = 1)
  found <- simulate(mechanism, 3, seed = 9, x = X)
  expect_s3_class(found, "dptda_simulation")
  expect_length(found, 3)
  expect_identical(found, simulate(mechanism, 3, seed = 9, x = X))
  expect_null(privacy(found[[1]]))
  set.seed(9)
  expect_identical(simulate(mechanism, 1, seed = 9, x = X)[[1]]$value,
                   private_mean(X, box, epsilon = 1, rng = "R")$value)
  # a seed leaves the stream where it was
  set.seed(10)
  before <- .Random.seed
  simulate(mechanism, 2, seed = 1, x = X)
  expect_identical(.Random.seed, before)
  expect_length(simulate(mechanism, 0, x = X), 0)
  # tables by the names of their columns
  named <- private_mean(unseen(20), domain_box(c(a = -2, b = -2), c(2, 2)), epsilon = 1)
  frame <- data.frame(inside = TRUE, b = X[, 2], a = X[, 1])
  expect_named(simulate(named, 1, x = frame)[[1]]$value, c("a", "b"))
})

test_that("rows that are not those of the mechanism are refused", {
  mechanism <- private_count(unseen(3), epsilon = 1)
  expect_error(simulate(mechanism, 1, x = c(TRUE, FALSE)), "3 rows that the mechanism was made for",
               class = "dptda_error_argument")
  expect_error(audit_mechanism(mechanism, c(TRUE, FALSE, NA), c(TRUE, TRUE, TRUE)), class = "dptda_error_argument")
  expect_error(audit_mechanism(mechanism, logical(3), TRUE), "`neighbor` must have the 3 rows",
               class = "dptda_error_argument")
  expect_error(simulate(mechanism, 1), "`x`", class = "dptda_error_argument")
  expect_error(privacy_price(function(x) x), "must be a mechanism", class = "dptda_error_argument")
  expect_error(audit_mechanism(mechanism, logical(3), logical(3), epsilon = 1), "must be left out",
               class = "dptda_error_argument")
})

test_that("what a release refuses by public numbers its mechanism refuses in the same words", {
  box <- domain_box(c(-2, -2), c(2, 2))
  said <- function(code) conditionMessage(expect_error(code, class = "dptda_error_argument"))
  X <- circle_points(20)
  expect_identical(said(private_mean(unseen(20), box, rho = 1, delta = .1)),
                   said(private_mean(X, box, rho = 1, delta = .1)))
  expect_identical(said(private_mixture(unseen(20), box, 2, epsilon = 1)),
                   said(private_mixture(X, box, 2, epsilon = 1)))
  expect_identical(said(private_quantile(unseen(20), c(0, 1), 2, epsilon = 1)),
                   said(private_quantile(X[, 1], c(0, 1), 2, epsilon = 1)))
  expect_identical(said(private_kmeans(unseen(20), box, 2, epsilon = 1, method = "tree")),
                   said(private_kmeans(X, box, 2, epsilon = 1, method = "tree")))
  expect_identical(said(private_mean(unseen(0), box, epsilon = 1)), said(private_mean(X[0, ], box, epsilon = 1)))
  expect_match(said(private_mixture(unseen(0), box, 1, epsilon = 1)), "^`x` must have at least 1 row\\.$")
  expect_match(said(private_var(unseen(1, person = "who"), c(0, 1), epsilon = 1)),
               "^`x` must have at least 2 people\\.$")
  expect_match(said(private_sum(unseen(5), box, epsilon = 1, columns = "a")), "2 names")
})

test_that("what has no release of rows in a database has no price there", {
  said <- function(code) conditionMessage(expect_error(code, class = "dptda_error_argument"))
  X <- circle_points(20)
  table <- dplyr::tbl(local_sqlite(data.frame(x = X[, 1], y = X[, 2], who = 1L)), "people")
  there <- unseen(20, in_database = TRUE)
  box <- domain_box(c(x = -2, y = -2), c(2, 2))
  expect_identical(said(private_kmeans(there, box, 2, rho = 1, method = "tree")),
                   said(private_kmeans(table, box, 2, rho = 1, method = "tree")))
  expect_identical(said(private_pca(there, box, 1, rho = 1, method = "ball")),
                   said(private_pca(table, box, 1, rho = 1, method = "ball")))
  side <- domain_box(c(x = 0), 1)
  expect_identical(said(private_var(unseen(1, person = "who"), side, epsilon = 1)),
                   said(private_var(table_rows(table, "x", person = "who"), side, epsilon = 1)))
})

test_that("an audit of an object is one of the release, at once", {
  count <- private_count(unseen(2), epsilon = 1)
  set.seed(31)
  found <- audit_mechanism(count, c(TRUE, FALSE), c(TRUE, TRUE), runs = 20000, rng = "R")
  expect_identical(found$declared, c(epsilon = 1))
  expect_false(found$rejected)
  expect_gt(found$lower, .85)
  # half of the noise
  lie <- count
  lie$plan$noise$scale <- lie$plan$noise$scale / 2
  expect_true(audit_mechanism(lie, c(TRUE, FALSE), c(TRUE, TRUE), runs = 2000, rng = "R")$rejected)
  # `part` sees results, or numbers, of any kind of runs
  sums <- list(mechanism = function(x) list(sum(x) + stats::rnorm(1)),
               draws = function(x, runs) matrix(stats::rnorm(2 * runs), runs))
  expect_false(audit_mechanism(sums$mechanism, 0, 1, epsilon = 5, runs = 100, part = function(one) one[[1]])$rejected)
  expect_false(audit_mechanism(draws = sums$draws, x = 0, neighbor = 1, epsilon = 5, runs = 100, part = sum)$rejected)
  expect_error(audit_mechanism(count, TRUE, FALSE, part = 1), "`part` must be a function",
               class = "dptda_error_argument")
})

test_that("people come into a mechanism that was made for so many of them, with all their rows or with one", {
  frame <- data.frame(x = c(0, 1, 1, 0, 1), who = c("a", "a", "b", "b", "c"))
  people <- table_rows(frame, "x", person = "who")
  mechanism <- private_mean(unseen(3, person = "patient"), domain_box(0, 1), epsilon = 1e6)
  # what made-up rows call people is no matter
  found <- unlist(simulate(mechanism, 4, seed = 1, x = people))
  expect_equal(unname(found), rep((1 / 2 + 1 / 2 + 1) / 3, 4), tolerance = 1e-5)
  expect_output(print(mechanism), "for 3 people")
  said <- function(mechanism, x) expect_error(simulate(mechanism, 1, x = x), class = "dptda_error_argument")$message
  expect_match(said(private_mean(unseen(500, person = "person"), domain_box(0, 1), epsilon = 1), people),
               "^`x` must have the 500 people that the mechanism was made for")
  expect_match(said(private_mean(unseen(1, person = "person"), domain_box(0, 1), epsilon = 1), people),
               "the 1 person that")
  # as many rows are no people, nor people rows
  expect_match(said(mechanism, matrix(0, 3)), "the 3 people that")
  expect_match(said(private_mean(unseen(3), domain_box(0, 1), epsilon = 1), people), "the 3 rows that")
  expect_error(audit_mechanism(private_mean(unseen(3), domain_box(0, 1), epsilon = 1), matrix(0, 3), people, runs = 40),
               "^`neighbor`", class = "dptda_error_argument")
  # one row of each is drawn for each run
  one <- table_rows(frame, "x", person = "who", rows_of_person = "one")
  expect_match(said(mechanism, one), "all rows of each person")
  drawn <- private_mean(unseen(3, person = "who", rows_of_person = "one"), domain_box(0, 1), epsilon = 1e6)
  found <- unlist(simulate(drawn, 200, seed = 1, x = one))
  expect_identical(sort(unique(round(3 * unname(found)))), c(1, 2, 3))
  expect_gt(mean(found), 0.55)
  expect_lt(mean(found), 0.75)
  audit <- audit_mechanism(private_mean(unseen(3, person = "person"), domain_box(0, 1), epsilon = 1), people,
                           table_rows(transform(frame, x = c(0, 1, 1, 0, 0)), "x", person = "who"), runs = 4000)
  expect_gt(audit$lower, 0.3)
  expect_false(audit$rejected)
})
