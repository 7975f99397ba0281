# Proportions in groups of private size, and their differences: inst/proofs/number-population.md, statements 7 and 8.

two_way <- function(yes, no, ...) {
  x <- data.frame(g = rep(c("a", "b"), yes + no), y = rep(rep(c("yes", "no"), 2), rbind(yes, no)))
  private_table(x, list(g = c("a", "b"), y = c("yes", "no")), ...)
}

test_that("the interval has all proportions that the count explains, and no others", {
  set.seed(811)
  p <- seq(0, 1, 1e-4)
  for (i in 1:200) {
    size <- round(stats::rexp(1, 1 / 200))
    count <- round(size * stats::runif(1) + stats::rnorm(1, 0, 10))
    v <- stats::rexp(1, 1 / 50) * c(1, stats::runif(1), 1 + stats::rexp(1))
    ends <- ratio_shares(count, size, v[1], v[2], v[3], 0.95)
    empty <- size < 1
    count <- min(max(count, 0), size)
    k <- stats::qnorm(0.975)^2
    noise <- v[1] - 2 * p * v[2] + p^2 * v[3]
    explained <- (count - p * size)^2 <= k * (size * p * (1 - p) + noise)
    if (empty || size^2 + k * size <= k * v[3]) {
      expect_identical(ends[1:2], c(0, 1))
    } else {
      expect_lt(abs(ends[1] - min(p[explained], count / size)), 2e-4)
      expect_lt(abs(ends[2] - max(p[explained], count / size)), 2e-4)
    }
    expect_true(ends[1] <= ends[3] && ends[3] <= ends[2])
  }
})

test_that("without noise, intervals are those of Wilson, and differences those of Newcombe", {
  release <- two_way(c(56, 48), c(14, 32), epsilon = noiseless)
  ends <- confint(release, of = "population", by = "g")
  expect_identical(attr(ends, "of"), "population")
  expect_identical(rownames(ends), names(release))
  expect_equal(as.vector(ends["g a, y yes", ]), as.vector(stats::prop.test(56, 70, correct = FALSE)$conf.int),
               tolerance = 1e-9)
  expect_equal(as.vector(ends["g b, y no", ]), as.vector(stats::prop.test(32, 80, correct = FALSE)$conf.int),
               tolerance = 1e-9)
  # Newcombe (1998), Table II, example (a), method 10: 56/70 - 48/80
  found <- as.data.frame(compare_groups(release, by = "g"))
  expect_identical(found$cell, c("yes", "no"))
  expect_equal(unlist(found[1, 4:6], use.names = FALSE), c(0.2, 0.0524, 0.3339), tolerance = 1e-3)
  expect_equal(found$difference[2], -0.2)
  expect_equal(c(found$lower[2], found$upper[2]), -c(found$upper[1], found$lower[1]))
  # the other columns' groups
  expect_equal(sum(ends[grepl("g a", rownames(ends)), 1] > 0), 2)
})

test_that("a proportion by group is the same ratio, with the noise of its parts", {
  x <- data.frame(y = rep(c(TRUE, FALSE), c(80, 40)), g = rep(c("a", "b", "b"), 40))
  release <- private_proportion(x, epsilon = 1e7, columns = "y", by = list(g = c("a", "b")))
  ends <- confint(release, of = "population")
  counts <- table(x$g, x$y)
  for (i in 1:2) {
    wilson <- stats::prop.test(counts[i, "TRUE"], sum(counts[i, ]), correct = FALSE)$conf.int
    expect_equal(as.vector(ends[i, ]), as.vector(wilson), tolerance = 1e-4)
  }
  expect_identical(as.vector(ends[3, ]), c(0, 1)) # nobody is in "other"
  expect_output(print(release), "population \\(95%\\)")
  expect_true(all(c("data.low", "std.error", "conf.low") %in% names(tidy_table(release))))
  found <- compare_groups(release)
  expect_output(print(found), "<differences of proportions by g>.*population: if rows are independent draws")
  expect_identical(nrow(as.data.frame(found)), 1L)
  expect_named(tidy_table(found), c("first", "second", "term", "estimate", "std.error", "conf.low", "conf.high"))
  # the variance of the noise: of sums of +1 and -1, and of counts
  parts <- attr(private_proportion(x, epsilon = 0.5, columns = "y", by = list(g = c("a", "b"))), "parts", exact = TRUE)
  noisy <- group_values(list(what = "mean", counts = matrix(60, 1e5), most = parts$most, half_step = parts$half_step,
                             ends = parts$ends, sums = matrix(add_noise(rep(0, 1e5), parts$scale$sums, "laplace",
                                                                        "os"), 1e5)))
  of_sum <- noise_deviation("laplace", parts$scale$sums) / parts$most
  expect_equal(stats::sd(noisy), of_sum / 60 / 2, tolerance = 0.02)
})

test_that("intervals of groups and of differences contain the population as often as they say", {
  # 20,000 tables a setting with a fixed seed: standard error 0.0015 to 0.0023; bounds 0.93 and 0.985 of the design
  set.seed(812)
  runs <- 20000
  noisy <- function(x, s) x + rdiscrete_laplace(runs, s, rng = "R")
  for (epsilon in c(0.5, 1, 4)) for (n in list(c(100, 100), c(500, 1000))) for (p in list(c(.1, .1), c(.3, .4))) {
    s <- 2 / epsilon
    v <- noise_deviation("laplace", s)^2
    ends <- lapply(1:2, function(i) {
      yes <- stats::rbinom(runs, n[i], p[i])
      count <- noisy(yes, s)
      # a cell "other" without rows is a third cell of each group
      as.data.frame(ratio_shares(count, count + noisy(n[i] - yes, s) + noisy(0, s), v, v, 3 * v, 0.95))
    })
    held <- mean(ends[[1]]$V1 <= p[1] & p[1] <= ends[[1]]$V2)
    expect_true(held > 0.93 && held < 0.985)
    shares <- function(i) data.frame(group = "a", cell = seq_len(runs), estimate = ends[[i]]$V3, lower = ends[[i]]$V1,
                                     upper = ends[[i]]$V2)
    a <- shares(1)
    b <- shares(2)
    lower <- a$estimate - b$estimate - sqrt((a$estimate - a$lower)^2 + (b$upper - b$estimate)^2)
    upper <- a$estimate - b$estimate + sqrt((a$upper - a$estimate)^2 + (b$estimate - b$lower)^2)
    held <- mean(lower <= p[1] - p[2] & p[1] - p[2] <= upper)
    expect_true(held > 0.93 && held < 0.985)
  }
})

test_that("several columns may make groups, and several may be compared", {
  x <- expand.grid(g = c("a", "b"), h = 1:2, y = c("yes", "no"), z = c(TRUE, FALSE))[rep(1:16, 1:16 * 3), ]
  release <- private_table(x, list(g = c("a", "b"), h = 1:2, y = c("yes", "no"), z = c(TRUE, FALSE)),
                           epsilon = noiseless)
  found <- as.data.frame(compare_groups(release, by = c("g", "h")))
  expect_identical(nrow(found), 4L * 6L)
  expect_setequal(c(found$first, found$second), c("a, 1", "b, 1", "a, 2", "b, 2"))
  share <- function(g, h, y, z) mean(x$y[x$g == g & x$h == h] == y & x$z[x$g == g & x$h == h] == z)
  one <- found[found$first == "a, 1" & found$second == "b, 2" & found$cell == "no, TRUE", ]
  expect_equal(one$difference, share("a", 1, "no", TRUE) - share("b", 2, "no", TRUE))
})

test_that("what cannot be compared is refused", {
  refused <- function(code, words) expect_error(code, words, class = "dptda_error_argument")
  both <- two_way(c(30, 20), c(20, 30), epsilon = 1)
  refused(compare_groups(both), "`by` must name the columns")
  refused(compare_groups(both, by = "sex"), "must name some, but not all")
  refused(compare_groups(both, by = c("g", "y")), "must name some, but not all")
  refused(compare_groups(both, by = NA), "`by`")
  refused(compare_groups(private_table(c("a", "b"), c("a", "b"), epsilon = 1), by = "x"), "at least two columns")
  refused(compare_groups(1:3), "`x` must be a private table")
  refused(confint(both, by = "g"), "`by` must be NULL, except")
  refused(confint(private_count(TRUE, epsilon = 1), of = "population", by = "g"), "`by` must be NULL")
  one <- private_table(data.frame(g = "a", y = 1:2), list(g = "a", y = 1:2), epsilon = 1)
  refused(compare_groups(one, by = "g"), "at least two groups")
})
