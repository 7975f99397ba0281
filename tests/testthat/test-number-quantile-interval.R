# Quantiles with intervals for the population. Oracles go over all results, in doubles.
together_distances <- function(counts, rank) {
  upto <- cumsum(counts)
  pmax(0, rank - upto, upto - counts - (rank - 1))
}

# The probabilities of all results, the first cell fastest.
together_law <- function(counts, ranks, epsilon) {
  weights <- rank_weights(epsilon, 1e5)
  k <- Reduce(function(a, b) as.vector(outer(a, b, pmax)), lapply(ranks, together_distances, counts = counts))
  weight <- weights[pmin(k, length(weights) - 1) + 1]
  weight / sum(weight)
}

draw_together <- function(counts, ranks, epsilon) {
  occupied <- which(counts > 0)
  .Call(ffi_number_draw_together, as.double(occupied), as.double(counts[occupied]), length(counts), as.double(ranks),
        epsilon, kernel_options("R"))
}

test_that("cells are drawn together with these probabilities", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(861)
  for (counts in list(c(0, 3, 0, 0, 2, 1, 0), c(4, 0, 0, 0, 4), c(0, 0, 5), 1, c(2, 0, 1, 0, 0, 3))) {
    n <- sum(counts)
    for (ranks in list(1, c(1, n), c(1, ceiling(n / 2), n))) {
      for (epsilon in c(0.3, 2, 9)) {
        drawn <- replicate(4000, sum(draw_together(counts, ranks, epsilon) * length(counts)^(seq_along(ranks) - 1)))
        p <- together_law(counts, ranks, epsilon)
        expect_gt(discrete_fit(drawn, seq_along(p) - 1, p), 1e-6)
      }
    }
  }
})

test_that("no neighbors of four rows in four cells differ by more than epsilon, two or three cells together", {
  places <- as.matrix(expand.grid(rep(list(1:4), 4)))
  sets <- unique(t(apply(places, 1, tabulate, 4)))
  pairs <- which(as.matrix(stats::dist(sets, "manhattan")) == 2, arr.ind = TRUE)
  for (epsilon in c(0.2, 2, 9)) {
    for (ranks in list(c(1, 3), c(2, 3), c(1, 4), 1:3, c(1, 2, 4))) {
      log_p <- log(t(apply(sets, 1, together_law, ranks, epsilon)))
      loss <- log_p[pairs[, 1], ] - log_p[pairs[, 2], ]
      expect_lte(max(loss), epsilon * (1 + 1e-12))
      expect_lte(max(apply(loss, 1, function(one) max(one) - min(one))), epsilon * (1 + 1e-12))
      if (epsilon < 1) expect_gt(max(loss), 0.5 * epsilon)
    }
  }
})

test_that("the largest lines and tables are drawn from, at their ends and beyond", {
  set.seed(862)
  # the total of all weights is close to its bound
  drawn <- replicate(200, .Call(ffi_number_draw_together, 2^17, 1, 2^17, c(1, 1, 1), 1e-9, kernel_options("R")))
  # false alarm: 1e-6 each, with a fixed seed
  expect_gt(suppressWarnings(stats::ks.test(as.vector(drawn) / 2^17, "punif"))$p.value, 1e-6)
  # the smallest weights of 2^51 results are nothing beside the largest of one
  for (epsilon in c(0.01, 40, 1024)) {
    drawn <- .Call(ffi_number_draw_together, c(1, 2^16, 2^17), rep(2^50, 3), 2^17, c(1, 3, 5) * 2^49, epsilon,
                   kernel_options("R"))
    expect_identical(drawn, c(0, 2^16 - 1, 2^17 - 1))
  }
  expect_error(private_median(1:9, c(0, 9), epsilon = 1, bits = 18, interval = 0.95),
               "^`bits` must give at most 2\\^17", class = "dptda_error_argument")
})

test_that("weights of results have the ratio and the error of lemma 26, for all public numbers", {
  for (epsilon in c(2e-5, 0.01, 1, 1.39, 3, 20, 41, 85, 100, 1024)) {
    for (cells in c(1, 3, 2^17)) {
      for (targets in 1:3) {
        # at 2e-5 the table is cut, as for few rows
        w <- together_weights(epsilon, if (epsilon < 1e-3) 1e5 else 1e9, cells, targets)
        k <- seq_along(w) - 1
        digits <- 127 - targets * (floor(log2(cells)) + 1)
        expect_identical(w[1], 1)
        expect_true(all(diff(w) <= 0))
        expect_true(all(w[-length(w)] <= exp(epsilon / 2) * w[-1] * (1 + 1e-14)))
        expect_true(all(w <= (1 + 2^-33) * exp(-epsilon / 2 * k) + 2^-digits * (2 + 2 / epsilon)))
      }
    }
  }
  # without noise in the limit, and without any weight that falls
  expect_identical(together_weights(0, 3, 8, 3), rep(1, 4))
  expect_identical(together_weights(1e-12, 3, 8, 3), rep(1, 4), tolerance = 1e-11)
  expect_length(together_weights(1e-12, 2^22 + 1, 8, 3), 0)
})

test_that("tables of weights that are too long are refused before the charge", {
  # with few cells, a table for several cells is longer than that for one cell and half of epsilon
  budget <- privacy_budget(epsilon = 10)
  x <- rep(0:1, c(2300000, 2300000))
  for (epsilon in c(3.05e-5, 3.2e-5)) {
    expect_error(private_median(x, c(0, 1), epsilon = epsilon, step = 1, interval = 0.95, budget = budget),
                 "^`epsilon` is too small for the exponential mechanism", class = "dptda_error_argument")
  }
  expect_identical(budget$spent, 0)
  expect_s3_class(private_median(x, c(0, 1), epsilon = 4e-5, step = 1, interval = 0.95), "dptda_private_quantile")
  # the weight of people is reduced until the table fits
  for (cells in c(1, 2, 50)) {
    plan <- private_median(unseen(20000, person = "who"), c(0.6, cells + 0.4), epsilon = 0.033, step = 1,
                           interval = 0.5)$plan
    expect_gt(length(together_weights(plan$share, plan$n * plan$weight, cells, 1)), 0)
  }
})

test_that("the ranks of ends are found, or do not exist, for all public numbers", {
  for (n in c(1, 20, 200)) {
    for (epsilon in c(1e-12, 0.01, 1, 1024)) {
      for (cells in c(1, 2, 20, 2^17)) {
        for (level in c(0.1, 0.95)) {
          for (p in c(0, 0.01, 0.5, 1)) {
            found <- interval_ranks(n, p, epsilon, cells, level)
            there <- found$rank[!is.na(found$rank)]
            expect_true(all(there >= 1 & there <= n & there == floor(there)))
            expect_false(is.unsorted(c(found$rank[1], target_ranks(p, n), found$rank[2]), na.rm = TRUE))
            expect_false(anyNA(found$proved))
          }
        }
      }
    }
  }
  for (epsilon in c(1e-12, 1e-6)) {
    expect_error(private_median(1:100, c(0, 100), epsilon = epsilon, interval = 0.95), "has no ends here",
                 class = "dptda_error_argument")
  }
})

test_that("proved ends are proved for a large epsilon and beyond the table of weights", {
  set.seed(866)
  # one row at each end of 2^17 cells: a result off by one rank is one of 2^51
  for (epsilon in c(50, 100, 1024)) {
    odds <- 2^51 * together_weights(epsilon, 2, 2^17, 3)[2]
    expect_lte(odds, 2^51 * (exp(-epsilon / 2) * (1 + 1e-9) + 2^-73 * (2 + 2 / epsilon)))
  }
  # beyond the table, the probability of the last layer remains
  weights <- together_weights(0.01, 1e6, 2^17, 3)
  tail <- proved_tail(weights, 3, 2^17)
  expect_equal(tail[length(tail)], 2^-22 * 201, tolerance = 0.02)
  far <- lower_end_rank(1e6, 0.5, tail[length(tail)] / 2, tail, FALSE)
  expect_identical(far, NA_real_)
})

test_that("the distribution of an error in rank is that of even cells, and the proved one is above it", {
  set.seed(863)
  # the middle of 801 rows, each in the middle of 64 cells of its own
  counts <- rep(replace(double(65), 33, 1), 801)
  for (ranks in list(c(400, 402), c(399, 401, 403))) {
    runs <- 3000
    low <- replicate(runs, draw_together(counts, ranks, 1)[1])
    # a place between rows j and j + 1 is as far from the rank as half of a row more
    off <- floor(low / 65) + 1 - ranks[1]
    tail <- smooth_tail(1, length(ranks))
    for (t in c(1, 3, 6, 10)) {
      # false alarm: below 1e-4 each, with a fixed seed; a gap counts to both sides
      seen <- mean(off >= t)
      expect_lt(seen, tail[t + 1] * 1.15 + 4 * sqrt(tail[t + 1] / runs))
      expect_gt(seen, tail[t + 2] * 0.85 - 4 * sqrt(tail[t + 1] / runs))
    }
    proved <- proved_tail(together_weights(1, 801, length(counts), length(ranks)), length(ranks), length(counts))
    expect_true(all(proved[1:20] >= tail[1:20]))
  }
  # two of them: (2 |j| + 1) w(j) and twice all later weights
  w <- exp(-(0:400) / 2)
  off <- (2 * (0:300) + 1) * w[1:301] + 2 * (sum(w) - cumsum(w)[1:301])
  expect_equal(smooth_tail(1, 2)[1:20], rev(cumsum(rev(off)))[1:20] / (2 * sum(off) - off[1]), tolerance = 1e-6)
  # one: a geometric distribution on both sides
  expect_equal(smooth_tail(1, 1)[1:20], exp(-(0:19) / 2) / (1 + exp(-1 / 2)), tolerance = 1e-6)
})

test_that("ranks miss as often as is allowed, by a sum over both distributions", {
  for (n in c(50, 400)) {
    for (p in c(0.5, 0.2)) {
      tail <- smooth_tail(1, 3)
      signed <- function(t) ifelse(t >= 0, c(tail, 0)[pmin(abs(t), length(tail)) + 1],
                                   1 - c(tail, 0)[pmin(abs(t) + 1, length(tail)) + 1])
      missed <- function(rank) sum(stats::dbinom(0:n, n, p) * signed(0:n - rank + 1))
      rank <- lower_end_rank(n, p, 0.025, tail, TRUE)
      if (is.na(rank)) expect_gt(missed(1), 0.025) else {
        expect_lte(missed(rank), 0.025 + 1e-9)
        expect_gt(missed(rank + 1), 0.025)
      }
    }
  }
  # without noise, the rank of the interval of order statistics
  expect_identical(lower_end_rank(1000, 0.5, 0.025, c(1, 0), FALSE), stats::qbinom(0.025, 1000, 0.5))
  expect_identical(interval_ranks(1000, 0.5, 1, 2^16, 0.95, targets = 2)$rank, c(468, 533))
  expect_true(all(interval_ranks(1e6, 0.5, 1, 2^10, 0.95)$proved))
  expect_false(any(interval_ranks(1000, 0.5, 1, 2^16, 0.95)$proved))
})

test_that("a release with an interval has it, prints it, and spends its budget", {
  set.seed(864)
  x <- stats::rlnorm(2000)
  budget <- privacy_budget(epsilon = 1)
  release <- private_median(x, c(0, 100), epsilon = 1, interval = 0.95, budget = budget)
  expect_identical(budget$spent, 1)
  ends <- confint(release, of = "population")
  expect_identical(attr(ends, "of"), "population")
  expect_true(ends[1] <= release$value && release$value <= ends[2])
  expect_equal(dim(ends), c(1L, 2L))
  expect_output(print(release), "population \\(95%\\).*if rows are independent draws.*spread evenly")
  expect_true(all(c("conf.low", "conf.high", "std.error") %in% names(generics::tidy(release))))
  expect_error(confint(release, of = "population", level = 0.99), "at most 0.95", class = "dptda_error_argument")
  expect_error(confint(private_median(x, c(0, 100), epsilon = 1), of = "population"), "interval = 0.95",
               class = "dptda_error_argument")
  # several, in order, and repeated
  probs <- c(0.5, 0.1, 0.9, 0.5)
  several <- private_quantile(x, c(0, 100), probs, epsilon = 9, interval = 0.9)
  ends <- confint(several, of = "population", level = 0.9)
  truth <- stats::qlnorm(probs)
  # false alarm: the ends miss by far more than the noise; 1e-6
  expect_true(all(ends[, 1] <= truth * 1.15 & ends[, 2] >= truth / 1.15))
  expect_identical(ends[1, ], ends[4, ])
  expect_false(is.unsorted(ends[order(probs), 1]))
  # dates, steps, people
  days <- as.Date("2020-01-01") + stats::rpois(2000, 100)
  found <- private_median(days, as.Date(c("2020-01-01", "2020-12-31")), epsilon = 1, interval = 0.95)
  expect_s3_class(confint(found, of = "population")[[1]], "Date")
  people <- table_rows(data.frame(x = x, who = rep(1:500, 4)), "x", person = "who")
  found <- private_median(people, c(0, 100), epsilon = 1, interval = 0.95)
  expect_output(print(found), "if people are independent draws")
  expect_false(any(attr(found, "interval")$proved))
  price <- privacy_price(private_median(unseen(2000), c(0, 100), rho = 0.1, interval = 0.95))
  expect_equal(price$ledger$value, 0.1)
  grDevices::pdf(NULL)
  expect_identical(plot(release), release)
  grDevices::dev.off()
})

test_that("public numbers tell before the charge which ends do not exist", {
  budget <- privacy_budget(epsilon = 10)
  set.seed(865)
  x <- stats::runif(200)
  withr::local_options(dptda.weak_release = TRUE)
  expect_warning(found <- private_quantile(x, c(0, 1), 0.85, epsilon = 1, interval = 0.95),
                 "With 200 rows.*no upper end of 85%", class = "dptda_warning_end")
  expect_identical(confint(found, of = "population")[[2]], 1)
  expect_error(private_median(x[1:20], c(0, 1), epsilon = 0.1, interval = 0.95, budget = budget),
               "^`interval` has no ends here: with 20 rows and epsilon = 0.1", class = "dptda_error_argument")
  bad <- function(pattern, ...) {
    expect_error(private_median(x, c(0, 1), epsilon = 1, ..., budget = budget), pattern, class = "dptda_error_argument")
  }
  # a long gap beyond the data would attract the quantile, and with it the other end
  expect_error(private_quantile(x, c(0, 1), 0.9, epsilon = 1, interval = 0.95, budget = budget), "has no ends here",
               class = "dptda_error_argument")
  bad("^`interval`", interval = 1)
  bad("^`interval`", interval = "0.95")
  bad("^`method` must be \"exponential\" with `interval`", interval = 0.95, method = "counts")
  expect_identical(budget$spent, 0)
})
