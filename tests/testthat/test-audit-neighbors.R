# All pairs by brute force over ordered rows, for a symmetric statistic.
slow_worst <- function(statistic, domain, n) {
  sets <- as.matrix(expand.grid(rep(list(seq_along(domain)), n)))
  worst <- 0
  for (i in seq_len(nrow(sets))) for (there in seq_along(domain)) {
    neighbor <- replace(sets[i, ], n, there)
    worst <- max(worst, abs(statistic(domain[sets[i, ]]) - statistic(domain[neighbor])))
  }
  worst
}

test_that("all pairs are tried when there are few, and the worst is found", {
  domain <- c(0, 0.3, 1, -2)
  for (statistic in list(sum, mean, median, max, function(x) sum(x)^2)) {
    found <- audit_neighbors(statistic, domain, 3)
    expect_true(found$exhaustive)
    expect_equal(found$pairs, count_pairs(4, 3, "replace"))
    expect_equal(found$change, slow_worst(statistic, domain, 3))
    expect_equal(abs(statistic(found$x) - statistic(found$neighbor)), found$change)
    expect_identical(found$x[1:2], found$neighbor[1:2])
  }
})

test_that("known sensitivities are attained under both relations", {
  cells <- function(x) tabulate(match(x, letters[1:3]), 3)
  expect_identical(audit_neighbors(cells, letters[1:3], 3)$change, 2)
  removed <- audit_neighbors(cells, letters[1:3], 3, relation = "add_remove")
  expect_identical(removed$change, 1)
  expect_identical(lengths(removed[c("x", "neighbor")]), c(x = 3L, neighbor = 2L))
  expect_equal(removed$pairs, count_pairs(3, 3, "add_remove"))
  euclid <- function(a, b) sqrt(sum((a - b)^2))
  expect_equal(audit_neighbors(cells, letters[1:3], 2, distance = euclid)$change, sqrt(2))
  expect_identical(audit_neighbors(length, 1:2, 1, relation = "add_remove")$change, 1)
})

test_that("the distance to a measure attains its proved sensitivity, and never exceeds it", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), by = 0.25)
  corners <- as.matrix(expand.grid(c(0, 0.5, 1), c(0, 0.5, 1)))
  for (n in 2:3) {
    field <- function(X) distance_to_measure(X, grid, 1)
    largest <- audit_neighbors(field, corners, n, distance = function(a, b) max(abs(a - b)))
    expect_equal(largest$change, diagram_sensitivity(n, grid, 1))
  }
  expect_identical(dim(largest$x), c(3L, 2L))
})

test_that("coordinate ascent finds the worst pair of a domain too large for all", {
  set.seed(310)
  domain <- seq(-1, 1, length.out = 41)
  found <- audit_neighbors(function(x) sum(x)^2, domain, 6, most = 10)
  expect_false(found$exhaustive)
  expect_gt(found$pairs, 10)
  # the best is 6^2 against 4^2, by one row that goes from 1 to -1
  expect_gt(found$change, 0.9 * 20)
  expect_equal(abs(sum(found$x)^2 - sum(found$neighbor)^2), found$change)
  removed <- audit_neighbors(function(x) sum(x)^2, domain, 6, relation = "add_remove", most = 10)
  expect_gt(removed$change, 0.9 * 11)
  expect_length(removed$neighbor, 5)
})

test_that("a mechanism is searched by quick audits", {
  # noise is skipped on an empty cell: pairs that empty a cell stand out; fixed seed
  set.seed(311)
  found <- audit_neighbors(draws = occupied_draws, domain = 1:3, n = 2, runs = 200)
  expect_true(found$exhaustive)
  expect_gt(found$change, 2)
  expect_false(setequal(found$x, found$neighbor))
  noisy_sum <- function(x) sum(x) + laplace_noise(1, 1)
  by_calls <- audit_neighbors(mechanism = noisy_sum, domain = c(0, 0.1, 5), n = 1, runs = 100)
  expect_true(5 %in% c(by_calls$x, by_calls$neighbor))
})

test_that("the kind of the domain is kept", {
  frame <- data.frame(u = c(0, 1), v = c("a", "b"))
  found <- audit_neighbors(function(data) sum(data$u), frame, 2)
  expect_s3_class(found$x, "data.frame")
  expect_identical(audit_neighbors(function(data) sum(unlist(data)), list(1, 2:4), 1)$change, 8)
  level <- audit_neighbors(function(data) sum(data == "b"), factor(c("a", "b")), 2)
  expect_s3_class(level$x, "factor")
  expect_output(print(level), "change 1 (all 2 pairs)", fixed = TRUE)
  expect_output(expect_identical(print(found), found), "2 rows")
})

test_that("bad input is refused by class", {
  refused <- function(...) expect_error(..., class = "dptda_error_argument")
  refused(audit_neighbors(domain = 1:2, n = 1))
  refused(audit_neighbors(sum, 1:2, 1, mechanism = sum))
  refused(audit_neighbors("sum", 1:2, 1))
  refused(audit_neighbors(sum, n = 1))
  refused(audit_neighbors(sum, 1, 1))
  refused(audit_neighbors(sum, sum, 1))
  refused(audit_neighbors(sum, 1:2, 0))
  refused(audit_neighbors(sum, 1:2))
  refused(audit_neighbors(sum, 1:2, 1, relation = "swap"))
  refused(audit_neighbors(sum, 1:2, 1, distance = 2))
  refused(audit_neighbors(sum, 1:2, 1, distance = function(a, b) c(a, b)))
  refused(audit_neighbors(sum, 1:2, 1, most = 0))
  refused(audit_neighbors(mechanism = 3, domain = 1:2, n = 1))
})

test_that("a person is replaced with all rows, whatever their number", {
  set.seed(5)
  total <- function(d) sum(d$x)
  by_person <- function(d) mean(tapply(d$x, d$person, mean))
  expect_equal(audit_neighbors(total, c(0, 1), 2, relation = "person", rows = c(1, 30))$change, 30)
  found <- audit_neighbors(by_person, c(0, .5, 1), 3, relation = "person", rows = c(1, 2, 30))
  expect_equal(found$change, 1 / 3)
  expect_identical(length(unique(found$x$person)), 3L)
  expect_output(print(found), "worst neighbors")
  found$neighbor <- data.frame(x = 0, person = rep(1:3, c(1, 1, 1025)))
  shown <- capture.output(print(found))
  expect_lt(length(shown), 70)
  expect_identical(tail(shown, 1), "... and 1,007 more")
  mechanism <- private_count(unseen(2, person = "who"), epsilon = 2)
  told <- audit_neighbors(mechanism = mechanism, domain = c(TRUE, FALSE), n = 2, relation = "person", rows = c(1, 3),
                          most = 20, starts = 1, runs = 200)
  expect_gt(told$change, .5)
  # the pair is what an audit takes
  expect_identical(names(told$x), c("x", "who"))
  expect_output(print(audit_mechanism(mechanism, told$x, told$neighbor, runs = 100)), "epsilon")
  expect_error(audit_neighbors(total, c(0, 1), 2, relation = "person", rows = 0), class = "dptda_error_argument")
})

test_that("the search over people finds no more than the stated sensitivity of a release", {
  set.seed(6)
  seen <- function(mechanism) {
    function(d) {
      rows <- rows_for(mechanism$plan, table_rows(d, person = "person"))
      statistic_of(mechanism$plan, rows) / mechanism$plan$weight
    }
  }
  counts <- long_or(c(1, 1023, 2049), c(1, 2049))
  starts <- long_or(3, 1)
  domain <- expand.grid(x = c(-1, 0, 1), y = c(-1, 1))
  total <- private_sum(unseen(3, person = "person"), domain_box(c(-1, -1), c(1, 1)), epsilon = 1, bits = 4)
  found <- audit_neighbors(seen(total), domain, 3, relation = "person", rows = counts, starts = starts)
  expect_equal(found$change, 32) # two columns, each from end to end
  levels <- private_table(unseen(3, person = "person"), c("a", "b", "c"), epsilon = 1, columns = "x")
  found <- audit_neighbors(seen(levels), data.frame(x = c("a", "b", "c", "d")), 3, relation = "person",
                           rows = counts, starts = starts)
  expect_equal(found$change, 2)
})
