# Sorted degrees, edges and counts of groups: the statistic against its definition, its sensitivity over all small
# graphs, the noise against its law, the fit against the corners of the set that it is the nearest point of. Seeds are
# fixed, so a test fails always or never; the stated false-alarm rates are those of choosing another seed.

# The statistic as it is written down.
slow_statistic <- function(A, groups = NULL) {
  levels <- levels(groups)
  cells <- NULL
  for (b in seq_along(levels)) for (a in seq_len(b)) {
    of <- function(level) groups == levels[level]
    inside <- A[of(a), of(b), drop = FALSE]
    cells <- c(cells, if (a == b) sum(inside) / 2 else sum(inside))
  }
  c(sort(rowSums(A)), sum(A) / 2, cells)
}

fast_statistic <- function(x, mechanism) {
  mechanism$plan$noise$scale <- 2^-30 # of such noise nothing is left
  statistic_of(mechanism$plan, rows_for(mechanism$plan, x))
}

# All graphs of n vertices, by the bits of a number.
graph_of <- function(code, n) {
  A <- matrix(0, n, n)
  A[upper.tri(A)] <- as.integer(intToBits(code))[seq_len(n * (n - 1) / 2)]
  A + t(A)
}

random_graph <- function(n, p) mirror(matrix(stats::rbinom(n * n, 1, p), n))

test_that("the statistic is that of the definition, however the graph is written", {
  set.seed(61)
  for (n in c(1, 2, 7, 70)) for (p in c(0, 0.2, 1)) {
    A <- random_graph(n, p)
    groups <- factor(sample(c("u", "v", "w"), n, TRUE), c("w", "u", "v", "nobody"))
    mechanism <- private_degrees(as_unseen(n), epsilon = 1, groups = groups)
    expected <- slow_statistic(A, groups)
    expect_identical(fast_statistic(A, mechanism), expected)
    expect_identical(fast_statistic(A, private_degrees(as_unseen(n), rho = 1)), expected[seq_len(n + 1)])
    # a loop, and each edge in both directions
    ends <- rbind(which(A > 0, arr.ind = TRUE), c(1, 1))
    expect_identical(fast_statistic(data.frame(ends[, 1], ends[, 2]), mechanism), expected)
  }
  expect_identical(fast_statistic(matrix(0, 0, 0), private_degrees(unseen(0), epsilon = 1)), 0)
})

test_that("names are matched, of vertices and of groups, and who is not named is none", {
  edges <- data.frame(from = c("a", "b", "a"), to = c("b", "zoe", "c"))
  groups <- c(c = 2, a = 1, b = 1)
  release <- private_degrees(edges, epsilon = 1e6, vertices = c("a", "b", "c"), groups = groups)
  expect_identical(release$noisy, c(1, 1, 2))
  expect_identical(release$edges, 2)
  expect_identical(release$groups, matrix(c(1, 1, 1, 0), 2, dimnames = list(c("1", "2"), c("1", "2"))))
  mechanism <- private_degrees(unseen(3), epsilon = 1e6, vertices = c("a", "b", "c"), groups = groups)
  expect_identical(simulate(mechanism, 1, seed = 1, x = edges)[[1]]$groups, release$groups)
  # by numbers, and in their order
  numbered <- private_degrees(data.frame(c(10, 9), c(9, 2)), epsilon = 1e6, vertices = c(2, 9, 10),
                              groups = c(10, 10, 9))
  expect_identical(numbered$groups, matrix(c(0, 1, 1, 1), 2, dimnames = list(c("9", "10"), c("9", "10"))))
  skip_if_not_installed("igraph")
  graph <- igraph::make_ring(5)
  expect_identical(private_degrees(graph, epsilon = 1e6, n = 6)$noisy, c(0, 2, 2, 2, 2, 2))
})

# Of all neighbors: two degrees by 1, the number of edges by 1, one count of groups by 1.
expect_sensitivity <- function(n, groups = NULL) {
  mechanism <- private_degrees(as_unseen(n), epsilon = 1, groups = groups)
  pairs <- n * (n - 1) / 2
  found <- vapply(seq_len(2^pairs) - 1, function(code) fast_statistic(graph_of(code, n), mechanism),
                  double(n + 1 + if (is.null(groups)) 0 else triangle(nlevels(factor(groups)))))
  for (pair in seq_len(pairs)) {
    code <- seq_len(2^pairs) - 1
    without <- which(bitwAnd(code, 2^(pair - 1)) == 0)
    change <- found[, without + 2^(pair - 1), drop = FALSE] - found[, without, drop = FALSE]
    expect_true(all(change %in% 0:1) && all(colSums(change) == mechanism$guarantee$sensitivity) &&
                  all(colSums(change[seq_len(n), , drop = FALSE]) == 2))
  }
}

test_that("one edge changes what the guarantee says, for all graphs of up to 4 vertices and all groups of them", {
  for (n in 2:3) for (code in seq_len(3^n) - 1) expect_sensitivity(n, (code %/% 3^(seq_len(n) - 1)) %% 3)
  expect_sensitivity(4)
  for (groups in list(c(1, 1, 2, 2), c(1, 2, 3, 3), c(1, 1, 1, 2), 1:4)) expect_sensitivity(4, groups)
  skip_unless_long()
  for (code in seq_len(3^4) - 1) expect_sensitivity(4, (code %/% 3^(0:3)) %% 3)
  expect_sensitivity(5)
  expect_sensitivity(5, c("a", "a", "b", "b", "c"))
})

# Chi-square, false alarm 1e-6 each, 4 of them.
test_that("every number has noise of the stated law", {
  for (cost in list(list(epsilon = 1), list(rho = 0.4))) for (groups in list(NULL, c("a", "b", "b"))) {
    mechanism <- do.call(private_degrees, c(list(unseen(3)), cost, list(groups = groups)))
    A <- graph_of(3, 3)
    set.seed(71)
    drawn <- study_draws(mechanism, A, 4000, "R")
    noise <- drawn - rep(slow_statistic(A, if (!is.null(groups)) factor(groups)), each = 4000)
    one <- result_of(mechanism$plan, drawn[1, ])
    expect_identical(unname(c(one$noisy, one$edges, named_counts(one$groups))), drawn[1, ])
    scale <- if (is.null(groups)) 3 else 4
    scale <- if (is.null(cost$rho)) scale else sqrt(scale / (2 * cost$rho))
    law <- if (is.null(cost$rho)) function(y) exp(-abs(y) / scale) else function(y) exp(-y^2 / (2 * scale^2))
    chance <- law(-200:200) / sum(law(-200:200))
    # tails of which little is expected are one cell each
    ends <- range(which(chance * length(noise) > 20)) - 201
    cell <- pmin(pmax(noise, ends[1]), ends[2])
    expected <- tapply(chance, pmin(pmax(-200:200, ends[1]), ends[2]), sum)
    counts <- table(factor(cell, ends[1]:ends[2]))
    expect_gt(stats::chisq.test(as.vector(counts), p = as.vector(expected))$p.value, 1e-6)
    stated <- privacy_price(mechanism)$noise
    expect_equal(stated$scale, rep(scale, nrow(stated)), tolerance = 1e-6)
    # 12,000 numbers and more: a standard deviation is known to 2 percent
    expect_lt(abs(stats::sd(noise) / stated$sd[1] - 1), 0.1)
  }
})

test_that("the fit increases within its bounds, adds up to twice the edges, and nothing of that kind is nearer", {
  set.seed(62)
  for (n in c(1, 2, 3, 8, 30)) for (spread in c(0.5, 5, 50)) for (run in 1:2) {
    noisy <- round(sort(stats::runif(n, 0, n - 1)) + spread * stats::rnorm(n))
    edges <- round(stats::runif(1, -0.2, 1.2) * n * (n - 1) / 2)
    fit <- fit_degrees(noisy, edges)
    total <- min(max(2 * edges, 0), n * (n - 1))
    expect_false(is.unsorted(fit))
    expect_true(all(fit >= 0 & fit <= n - 1))
    expect_equal(sum(fit), total, tolerance = 1e-9)
    # corners of all such sequences: mixtures of two that are 0 and then n - 1
    beyond <- 0
    step <- outer(seq_len(n), 0:n, function(i, high) (n - 1) * (i > n - high))
    for (j in 0:n) for (k in j:n) {
      ends <- c(j, k) * (n - 1)
      if (total < ends[1] || total > ends[2]) next
      share <- if (ends[1] == ends[2]) 0 else (total - ends[1]) / (ends[2] - ends[1])
      corner <- (1 - share) * step[, j + 1] + share * step[, k + 1]
      beyond <- max(beyond, sum((noisy - fit) * (corner - fit)))
    }
    expect_lte(beyond, 1e-6)
  }
})

test_that("pooling is what isoreg() does", {
  set.seed(63)
  for (n in c(1, 2, 10, 500)) {
    y <- round(stats::rnorm(n, sd = 10) + seq_len(n) / 5)
    blocks <- pool_violators(y)
    expect_equal(rep(blocks$mean, blocks$size), stats::isoreg(y)$yf)
    expect_false(is.unsorted(blocks$mean, strictly = TRUE))
  }
})

test_that("graphs without edges, complete ones and isolated vertices are released, and none of them is told", {
  ring <- matrix(0, 40, 40)
  ring[cbind(1:20, c(2:20, 1))] <- 1
  for (A in list(matrix(0, 40, 40), 1 - diag(40), ring + t(ring), matrix(0, 0, 0), matrix(0, 1, 1))) {
    n <- nrow(A)
    release <- expect_silent(private_degrees(A, epsilon = 1, groups = factor(rep_len(c("a", "b"), n), c("a", "b"))))
    expect_true(is_valid(release, "dptda_private_degrees"))
    expect_length(release$degrees, n)
    expect_identical(dim(release$groups), c(2L, 2L))
    exact <- private_degrees(A, epsilon = 1e6)
    expect_equal(exact$degrees, sort(rowSums(A)))
    expect_identical(exact$edges, sum(A) / 2)
  }
})

test_that("the guarantee is one of edges, and a budget for them is charged", {
  budget <- privacy_budget(epsilon = 3, relation = "edge")
  release <- private_degrees(diag(4), epsilon = 1, budget = budget)
  private_graph(diag(4), epsilon = 1, budget = budget)
  expect_equal(budget$spent, 2)
  guarantee <- privacy(release)
  expect_identical(guarantee[c("unit", "relation", "measure", "sensitivity", "sampler")],
                   list(unit = "one edge", relation = relation_edge, measure = c(epsilon = 1), sensitivity = 3,
                        sampler = "exact"))
  expect_identical(privacy(private_degrees(diag(4), rho = 1, groups = 1:4))$sensitivity, 2)
  expect_error(private_degrees(diag(4), epsilon = 2, budget = budget), class = "dptda_error_budget")
  expect_error(private_degrees(diag(4), epsilon = 1, budget = privacy_budget(5)), class = "dptda_error_relation")
  expect_identical(privacy_group(release, 2)$measure, c(epsilon = 2))
  concentrated <- private_degrees(diag(4), epsilon = 1, delta = 1e-6)
  expect_identical(privacy(concentrated)$measure, c(epsilon = 1, delta = 1e-6))
})

test_that("public numbers that say that little will be seen, or promised, are told before anything is spent", {
  warn_of_weak()
  budget <- privacy_budget(epsilon = 3, relation = "edge")
  # noise of standard deviation 4.2 and of 8.5, and 10 pairs
  expect_silent(private_degrees(diag(5), epsilon = 1, budget = budget))
  told <- tryCatch(private_degrees(diag(5), epsilon = 0.5, budget = budget), dptda_warning_weak = identity)
  expect_s3_class(told, "dptda_warning_noise")
  expect_match(conditionMessage(told), "^With 5 vertices and epsilon = 0.5, .*Use about 7 vertices")
  expect_identical(budget$spent, 1)
  expect_null(privacy_price(private_degrees(unseen(7), epsilon = 0.5))$weak)
  expect_false(is.null(privacy_price(private_degrees(unseen(6), epsilon = 0.5))$weak))
  expect_null(privacy_price(private_degrees(unseen(1), epsilon = 0.5))$weak)
  # a pair of 45 that is picked at random and published
  expect_warning(private_degrees(unseen(10), epsilon = 1, delta = 1 / 45), "one pair of vertices",
                 class = "dptda_warning_delta")
  expect_silent(private_degrees(unseen(10), epsilon = 1, delta = 1 / 46))
})

test_that("what cannot be is refused before anything is spent", {
  budget <- privacy_budget(epsilon = 9, relation = "edge")
  bad <- function(said, ..., class = "dptda_error_argument") {
    expect_error(private_degrees(..., budget = budget), said, class = class)
  }
  A <- matrix(0, 3, 3)
  bad("igraph", 1:3, epsilon = 1)
  bad("missing", replace(A, 2, NA), epsilon = 1)
  bad("epsilon", A, epsilon = 0)
  bad("epsilon", A, epsilon = 1, rho = 1)
  bad("symmetric", replace(A, 2, 1), epsilon = 1)
  bad("`groups` must have 3 elements", A, epsilon = 1, groups = 1:2)
  bad("missing", A, epsilon = 1, groups = c("a", NA, "b"))
  bad("missing", A, epsilon = 1, groups = addNA(factor(c("a", NA, "b"))))
  bad("`groups`", A, epsilon = 1, groups = list(1, 2, 3))
  bad("`groups`", A, epsilon = 1, groups = c(TRUE, TRUE, FALSE))
  bad("must not have names", A, epsilon = 1, groups = c(a = 1, b = 2, c = 3))
  bad("same names as", A, epsilon = 1, groups = c(a = 1, b = 2, d = 3), vertices = c("a", "b", "c"))
  bad("same names as", A, epsilon = 1, groups = c(a = 1, b = 2, b = 3), vertices = c("a", "b", "c"))
  bad("1,000 levels", matrix(0, 1001, 1001), epsilon = 1, groups = 1:1001)
  bad("1,000 levels", matrix(0, 0, 0), epsilon = 1, groups = character())
  bad("10 million", data.frame(1, 2), epsilon = 1, n = 1e7 + 1, class = "dptda_error_size")
  expect_error(private_degrees(unseen(3), epsilon = 1, vertices = c("a", "b")), "vertices",
               class = "dptda_error_argument")
  expect_error(private_degrees(unseen(epsilon = 1)), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  skip_if_not_installed("igraph")
  bad("undirected", igraph::make_ring(3, directed = TRUE), epsilon = 1, n = 3)
})

test_that("it shows itself", {
  A <- 1 - diag(12)
  groups <- rep(letters[1:12], length.out = 12)
  release <- private_degrees(A, epsilon = 1e6, groups = groups)
  shown <- utils::capture.output(print(release))
  expect_match(shown[2], "12 vertices; edges: 66 +- 0", fixed = TRUE)
  expect_match(shown[3], "median 11.0", fixed = TRUE)
  expect_true("... and 4 more" %in% shown)
  expect_match(utils::capture.output(print(private_degrees(A, rho = 1))), "k^2 * rho", fixed = TRUE, all = FALSE)
  expect_match(utils::capture.output(print(private_degrees(A, mu = 1))), "k * mu", fixed = TRUE, all = FALSE)
  ends <- confint(private_degrees(A, epsilon = 1, groups = rep(c("a", "b"), 6)), level = 0.9)
  expect_identical(rownames(ends), c("edges", "a, a", "a, b", "b, b"))
  expect_identical(unname(ends[, 2] - ends[, 1]), rep(2 * noise_half_width("laplace", 4, 0.9), 4))
  expect_named(as.data.frame(release), c("rank", "degree", "noisy"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(release, log = "xy"), release)
  expect_error(plot(private_degrees(matrix(0, 0, 0), epsilon = 1)), "at least one vertex",
               class = "dptda_error_argument")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(release), "ggplot")
  expect_error(ggplot2::autoplot(private_degrees(matrix(0, 0, 0), epsilon = 1)), class = "dptda_error_argument")
})
