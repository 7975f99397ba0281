# Intervals of quantiles by group, and of values that are not dropped: three cells in one draw, at fractions of a
# private number of rows. Oracles go over all results, in doubles.

# The law of one group. Distances are from fractions of the rows, in units of 1 / halving_units rows.
grouped_law <- function(counts, fractions, epsilon) {
  unit <- fractions[1, 3]
  upto <- cumsum(counts)
  k <- lapply(seq_len(nrow(fractions)), function(i) {
    target <- floor(unit * fractions[i, 1] * sum(counts) / fractions[i, 2] + unit / 2) - unit / 2
    pmax(0, target - unit * upto, unit * (upto - counts) - target)
  })
  k <- Reduce(function(a, b) as.vector(outer(a, b, pmax)), k)
  weights <- together_weights(epsilon, sum(counts) * unit, length(counts), nrow(fractions))
  weight <- weights[k + 1]
  weight / sum(weight)
}

test_that("cells of a group are drawn together with these probabilities, in any number of rows", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(871)
  for (counts in list(c(0, 3, 0, 0, 2, 1), c(4, 0, 4), c(0, 0, 5), 1, c(0, 0, 0), c(2, 0, 1, 0, 0, 3))) {
    for (at in list(0.5, c(0.3, 0.9), c(0.01, 0.5, 0.7), c(1e-9, 0.5, 1 - 1e-9))) {
      for (epsilon in c(0.02, 0.5)) {
        fractions <- t(vapply(at, together_fraction, numeric(3)))
        occupied <- which(counts > 0)
        drawn <- replicate(4000, {
          cell <- .Call(ffi_number_draw_together_shares, as.double(occupied), as.double(counts[occupied]),
                        length(counts), fractions, epsilon, kernel_options("R"))
          sum(cell * length(counts)^(seq_along(at) - 1))
        })
        p <- grouped_law(counts, fractions, epsilon)
        expect_gt(discrete_fit(drawn, seq_along(p) - 1, p), 1e-6)
      }
    }
  }
  # the largest numbers of rows
  drawn <- .Call(ffi_number_draw_together_shares, c(1, 2^16, 2^17), rep(2^50, 3), 2^17,
                 t(vapply(c(0.2, 0.5, 0.9), together_fraction, numeric(3))), 1, kernel_options("R"))
  expect_identical(drawn, c(0, 2^16 - 1, 2^17 - 1))
})

test_that("no neighbors of three rows in two groups of two cells differ by more than epsilon, ends and all", {
  # all vectors of counts: two cells of two groups, and rows that are dropped
  sets <- as.matrix(expand.grid(rep(list(0:3), 5)))
  sets <- sets[rowSums(sets) == 3, ]
  pairs <- which(as.matrix(stats::dist(sets, "manhattan")) == 2, arr.ind = TRUE)
  # the groups have other ends, and other sensitivities
  ends <- list(list(c(0.4, 0.5, 0.6), c(0.1, 0.5, 0.95)), list(c(0.5, 0.75), c(0.2, 0.25, 0.3)),
               list(1 / 6, c(1 / 6, 0.99)), list(c(1e-9, 0.01), c(0.001, 0.999)))
  for (epsilon in c(0.2, 2, 9)) {
    for (at in ends) {
      fractions <- lapply(at, function(one) t(vapply(one, together_fraction, numeric(3))))
      each <- vapply(fractions, function(one) together_epsilon(epsilon, max(apply(one, 1, split_sensitivity)), 1), 0)
      log_p <- log(t(apply(sets, 1, function(counts) {
        as.vector(outer(grouped_law(counts[1:2], fractions[[1]], each[1]),
                        grouped_law(counts[3:4], fractions[[2]], each[2])))
      })))
      loss <- log_p[pairs[, 1], ] - log_p[pairs[, 2], ]
      expect_lte(max(loss), epsilon * (1 + 1e-12))
      expect_lte(max(apply(loss, 1, function(one) max(one) - min(one))), epsilon * (1 + 1e-12))
      if (epsilon < 1) expect_gt(max(loss), 0.3 * epsilon)
    }
  }
})

test_that("no neighbors of two people in two groups differ by more than epsilon, ends and all", {
  weight <- 2
  person <- as.matrix(expand.grid(rep(list(0:weight), 4)))
  person <- person[rowSums(person) %in% c(0, weight), ]
  at <- list(c(0.2, 0.5), c(0.5, 0.9))
  fractions <- lapply(at, function(one) t(vapply(one, together_fraction, numeric(3))))
  each <- vapply(fractions, function(one) together_epsilon(2, max(apply(one, 1, split_sensitivity)), weight), 0)
  log_p <- function(counts) {
    log(as.vector(outer(grouped_law(counts[1:2], fractions[[1]], each[1]),
                        grouped_law(counts[3:4], fractions[[2]], each[2]))))
  }
  for (other in seq_len(nrow(person))) {
    logs <- apply(person, 1, function(one) log_p(one + person[other, ]))
    for (i in seq_len(nrow(person))) {
      loss <- logs - logs[, i]
      expect_lte(max(loss), 2 * (1 + 1e-12))
      expect_lte(max(apply(loss, 2, function(one) max(one) - min(one))), 2 * (1 + 1e-12))
    }
  }
})

test_that("no neighbors on one line, from which people may be dropped, differ by more than epsilon, ends and all", {
  for (weight in 1:2) {
    person <- as.matrix(expand.grid(rep(list(0:weight), 3)))
    person <- person[rowSums(person) %in% c(0, weight), ]
    for (at in list(c(0.01, 0.5, 0.6), c(0.2, 0.99), 0.3)) {
      fractions <- t(vapply(at, together_fraction, numeric(3)))
      epsilon <- together_epsilon(2, halving_units / 2, weight)
      others <- unique(rbind(person, 2 * person))
      most <- max(vapply(seq_len(nrow(others)), function(other) {
        logs <- apply(person, 1, function(one) log(grouped_law(one + others[other, ], fractions, epsilon)))
        max(vapply(seq_len(nrow(person)), function(i) {
          loss <- logs - logs[, i]
          max(apply(loss, 2, function(one) max(one) - min(one)), loss)
        }, 0))
      }, 0))
      expect_lte(most, 2 * (1 + 1e-12))
      # a row that moves has nearly the whole range
      expect_gt(most, 0.9 * 2)
    }
  }
})

test_that("the ends of groups are those of public ranks, as fractions of a lower bound of their rows", {
  for (rows in c(0, 1, 30, 500, 2000)) {
    for (at in c(0.0005, 0.25, 0.5, 0.9)) {
      for (share in c(0.2, 0.9, 5)) {
        found <- together_targets(rows, at, share, 2^16, 0.95)
        there <- found$at[!is.na(found$at)]
        expect_false(is.unsorted(there))
        expect_true(all(there > 0 & there < 1) && at %in% there)
        # the sensitivity covers each of them
        expect_lte(max(vapply(there, function(at) split_sensitivity(together_fraction(at)), 0)), found$moves)
        expect_lte(found$moves, halving_units)
      }
    }
  }
  # without noise, the ranks of order statistics
  expect_equal(together_targets(1000, 0.5, 1000, 2^10, 0.95)$at * 1000, c(469, 500, 532) - 0.5 + c(0, 0.5, 0),
               tolerance = 0.002)
})

test_that("quantiles by group have intervals for the population", {
  set.seed(872)
  n <- 6000
  frame <- data.frame(x = stats::rlnorm(n), g = sample(c("a", "b", "z"), n, TRUE), who = rep(1:1500, 4))
  by <- list(g = c("a", "b"))
  budget <- privacy_budget(epsilon = 2)
  release <- private_quantile(frame, c(0, 100), c(0.5, 0.25, 0.5), epsilon = 2, columns = "x", by = by,
                              interval = 0.9, budget = budget)
  expect_identical(budget$spent, 2)
  expect_equal(sum(privacy(release)$ledger$value), 2)
  ends <- confint(release, of = "population", level = 0.9)
  expect_equal(dim(ends), c(9L, 2L))
  expect_true(all(ends[, 1] <= release$value & release$value <= ends[, 2]))
  # false alarm: the ends miss by far more than the noise; 1e-6
  truth <- rep(stats::qlnorm(c(0.5, 0.25, 0.5)), each = 3)
  expect_true(all(ends[, 1] <= truth * 1.15 & ends[, 2] >= truth / 1.15))
  expect_identical(unname(ends[1:3, ]), unname(ends[7:9, ]))
  expect_true(all(ends[4:6, 1] <= ends[1:3, 1]))
  expect_error(confint(release, of = "population"), "at most 0.9", class = "dptda_error_argument")
  expect_error(confint(release), "has no intervals", class = "dptda_error_argument")
  expect_output(print(release), "population \\(90%\\).*spread evenly")
  expect_true(all(c("conf.low", "conf.high") %in%
                    names(generics::tidy(private_median(frame, c(0, 100), epsilon = 2, columns = "x", by = by,
                                                        interval = 0.95)))))
  expect_named(compare_groups(release, level = 0.9)$table,
               c("first", "second", "cell", "difference", "lower", "upper"))
  expect_true(all(is.numeric(round(release, 1)$value)))
  expect_error(confint(private_median(frame, c(0, 100), epsilon = 2, columns = "x", by = by), of = "population"),
               "interval = 0.95", class = "dptda_error_argument")
  grDevices::pdf(NULL)
  expect_identical(plot(release), release)
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(release), "ggplot")
  grDevices::dev.off()
  # dropped rows, people, people without rows, dates, and all costs
  gaps <- frame
  gaps$x[1:500] <- NA
  gaps$day <- as.Date("2020-01-01") + floor(50 * frame$x)
  days <- as.Date(c("2020-01-01", "2021-12-31"))
  for (rows in list(table_rows(gaps, c("x", "g"), missing = "omit"), table_rows(frame, c("x", "g"), person = "who"),
                    table_rows(frame, c("x", "g"), person = "who", people = 1600))) {
    for (cost in list(list(epsilon = 2), list(rho = 0.5), list(mu = 1))) {
      found <- do.call(private_median, c(list(rows, c(0, 100), columns = "x", by = by, interval = 0.95), cost))
      ends <- confint(found, of = "population")
      # false alarm: as above
      expect_true(all(ends[, 1] <= 1.3 & ends[, 2] >= 0.75))
      expect_equal(privacy(found)$measure[[1]], cost[[1]])
    }
  }
  found <- private_median(gaps[c("day", "g")], days, epsilon = 2, columns = "day", by = by, interval = 0.95)
  expect_s3_class(confint(found, of = "population")[[1]], "Date")
  # a group without rows has no ends, except by an improbable count
  found <- private_median(frame, c(0, 100), epsilon = 2, columns = "x", by = list(g = c("a", "none")), interval = 0.95)
  expect_identical(unname(confint(found, of = "population")[2, ]), c(0, 100))
})

test_that("quantiles of values that are not dropped have intervals, with a noisy number of values", {
  set.seed(873)
  frame <- data.frame(x = replace(stats::rlnorm(3000), 1:300, NA), who = rep(1:1000, 3))
  omit <- table_rows(frame, "x", missing = "omit")
  for (rows in list(omit, table_rows(frame[-(1:300), ], "x", person = "who", people = 1100),
                    table_rows(frame, "x", person = "who", missing = "omit"))) {
    for (cost in list(list(epsilon = 1), list(mu = 0.5), list(epsilon = 1, delta = 1e-6))) {
      budget <- do.call(privacy_budget, c(cost, if (!identical(rows, omit)) list(person = "who")))
      found <- do.call(private_quantile, c(list(rows, c(0, 100), c(0.5, 0.25), interval = 0.9, budget = budget), cost))
      ends <- confint(found, of = "population", level = 0.9)
      truth <- stats::qlnorm(c(0.5, 0.25))
      # false alarm: the ends miss by far more than the noise; 1e-6
      expect_true(all(ends[, 1] <= truth * 1.25 & ends[, 2] >= truth / 1.25))
      expect_equal(privacy(found)$measure[[1]], cost[[1]])
      expect_error(do.call(private_median, c(list(rows, c(0, 100), interval = 0.9, budget = budget), cost)),
                   class = "dptda_error_budget")
    }
  }
  release <- private_median(omit, c(0, 100), epsilon = 1, interval = 0.95)
  expect_named(release, c("count", "value"))
  expect_equal(sum(privacy(release)$ledger$value), 1)
  # a count alone moves by 1
  expect_equal(attr(release, "parts")$scale$count, 10, tolerance = 1e-6)
  expect_output(print(release), "rows with a value on average.*number of values; exponential mechanism")
  expect_error(compare_groups(release), "must have groups", class = "dptda_error_argument")
  mechanism <- private_median(unseen(3000, missing = "omit"), c(0, 100), epsilon = 1, interval = 0.95)
  expect_s3_class(simulate(mechanism, 1, x = omit)[[1]], "dptda_private_groups")
  expect_output(print(privacy_price(mechanism)), "the number of rows with a value.*each rank among the rows with")
  database <- table_rows(dplyr::tbl(local_sqlite(frame), "people"), "x", missing = "omit")
  draw <- function(x) with_seed(7, private_median(x, c(0, 100), epsilon = 1, interval = 0.95, rng = "R"))
  expect_equal(as.data.frame(draw(database)), as.data.frame(draw(omit)))
})

test_that("groups that public numbers leave without ends are announced or refused before the charge", {
  frame <- data.frame(x = stats::runif(300), g = rep(c("a", "b", "z"), 100))
  budget <- privacy_budget(epsilon = 10)
  expect_error(private_median(frame[1:30, ], c(0, 1), epsilon = 0.1, columns = "x", by = list(g = c("a", "b")),
                              interval = 0.95, budget = budget), "^`interval` has no ends here",
               class = "dptda_error_argument")
  expect_error(private_median(frame, c(0, 1), epsilon = 1, columns = "x", by = list(g = c("a", "b")),
                              interval = 0.95, method = "halving", budget = budget),
               "^`method` must be \"exponential\"", class = "dptda_error_argument")
  # n is public, and the longest table must fit for each count
  expect_error(private_median(unseen(1e8), c(0, 1), epsilon = 1e-4, by = list(g = 1), interval = 0.95),
               "^`epsilon` is too small", class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  withr::local_options(dptda.weak_release = TRUE)
  expect_warning(private_median(frame, c(0, 1), epsilon = 1, columns = "x", by = list(g = c("a", "b")),
                                interval = 0.95), "With 100 rows in a group", class = "dptda_warning_end")
})
