# Quantiles by group: fractions of private numbers of rows. Oracles go over all cells one by one, in doubles.
share_probabilities <- function(counts, share) {
  target <- floor(share[3] * share[1] * sum(counts) / share[2] + share[3] / 2) - share[3] / 2
  upto <- cumsum(counts)
  k <- pmax(0, target - share[3] * upto, share[3] * (upto - counts) - target)
  weights <- rank_weights(share[4], 1e5)
  weight <- weights[pmin(k, length(weights) - 1) + 1]
  weight / sum(weight)
}

# The probabilities of all outcomes of independent draws, one from each element.
joint_law <- function(laws) Reduce(function(a, b) as.vector(outer(a, b)), laws)

grouped_units <- function(n, groups) list(n = n, complete = TRUE, groups = groups)

# All vectors of integers of this length that add up to `total`.
all_sums <- function(total, length) {
  if (length == 1) return(matrix(total))
  do.call(rbind, lapply(0:total, function(first) cbind(first, all_sums(total - first, length - 1), deparse.level = 0)))
}

# The largest loss and the largest range of a loss over pairs of data sets. `laws`: one row for each data set.
largest_loss <- function(laws, pairs) {
  log_p <- log(laws)
  loss <- log_p[pairs[, 1], , drop = FALSE] - log_p[pairs[, 2], , drop = FALSE]
  c(loss = max(loss), range = max(apply(loss, 1, function(one) max(one) - min(one))))
}

test_that("no neighbors of three rows in two groups of three cells differ by more than epsilon", {
  # the seventh place is that of rows that are left out
  sets <- all_sums(3, 7)
  pairs <- which(as.matrix(stats::dist(sets, "manhattan")) == 2, arr.ind = TRUE)
  for (epsilon in c(0.2, 2, 9)) {
    for (prob in c(0.5, 0.25, 0.9, 0, 1 / 3)) {
      share <- rank_fractions(grouped_units(3, 2), target_ranks(prob, 3, FALSE), epsilon, 1)[1, ]
      laws <- t(apply(sets, 1, function(counts) {
        joint_law(list(share_probabilities(counts[1:3], share), share_probabilities(counts[4:6], share)))
      }))
      most <- largest_loss(laws, pairs)
      expect_lte(most[["loss"]], epsilon * (1 + 1e-12))
      expect_lte(most[["range"]], epsilon * (1 + 1e-12))
      # the bound is not far off
      if (epsilon < 1) expect_gt(most[["loss"]], 0.35 * epsilon)
    }
  }
  # a median by group has the table of one median: nothing is lost
  expect_equal(prod(rank_fractions(grouped_units(1000, 5), 500.5, 1, 1)[3:4]), 1, tolerance = 1e-12)
})

test_that("no neighbors of two people in two groups differ by more than epsilon, however their rows are spread", {
  weight <- 4
  # four places, and people without a row
  person <- rbind(all_sums(weight, 4), 0)
  who <- expand.grid(seq_len(nrow(person)), seq_len(nrow(person)))
  who <- as.matrix(who[who[, 1] <= who[, 2], ])
  sets <- person[who[, 1], ] + person[who[, 2], ]
  shares_one <- function(i, j) length(intersect(who[i, ], who[j, ])) > 0
  pairs <- as.matrix(expand.grid(seq_len(nrow(sets)), seq_len(nrow(sets))))
  pairs <- pairs[mapply(shares_one, pairs[, 1], pairs[, 2]), ]
  for (groups in 1:2) {
    for (prob in c(0.5, 0.2)) {
      for (epsilon in c(0.3, 3)) {
        units <- if (groups == 2) grouped_units(2, 2) else list(n = 2, complete = FALSE)
        share <- rank_fractions(units, target_ranks(prob, 2, FALSE), epsilon, weight)[1, ]
        laws <- t(apply(sets, 1, function(counts) {
          if (groups == 1) return(share_probabilities(counts, share))
          joint_law(list(share_probabilities(counts[1:2], share), share_probabilities(counts[3:4], share)))
        }))
        most <- largest_loss(laws, pairs)
        expect_lte(most[["loss"]], epsilon * (1 + 1e-12))
        expect_lte(most[["range"]], epsilon * (1 + 1e-12))
        if (epsilon < 1) expect_gt(most[["loss"]], 0.25 * epsilon)
      }
    }
  }
})

test_that("cells are drawn with these probabilities, in any number of rows", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(841)
  for (counts in list(c(0, 3, 0, 0, 2, 1), c(4, 0, 4), c(0, 0, 5), 1, c(0, 0, 0, 0), c(rep(0, 30), 2^40, 0, 1))) {
    for (share in list(c(1, 2, 2, 0.7), c(1, 4, 4, 0.3), c(123456789, 2^30, 32, 0.05))) {
      occupied <- which(counts > 0)
      drawn <- .Call(ffi_number_draw_shares, as.double(occupied), as.double(counts[occupied]), length(counts),
                     matrix(rep(share, each = 2e4), 2e4), kernel_options("R"))
      expect_gt(discrete_fit(drawn, seq_along(counts) - 1, share_probabilities(counts, share)), 1e-6)
    }
  }
})

pupils <- function(n = 600) {
  data.frame(x = stats::runif(n, -1, 11), g = sample(c("a", "b", "z"), n, TRUE), s = sample(1:3, n, TRUE))
}

test_that("with a large epsilon quantiles and counts are those of each group, in memory and in a database", {
  set.seed(842)
  frame <- pupils()
  gaps <- frame
  gaps$x[sample(600, 90)] <- NA
  gaps$g[sample(600, 50)] <- NA
  by <- list(g = c("a", "b"), s = c(1, 3))
  for (probs in list(0.5, c(0.9, 0, 0.25), c(0.5, 0.5))) {
    for (omit in c(FALSE, TRUE)) {
      data <- if (omit) gaps else frame
      rows <- function(x) if (omit) table_rows(x, missing = "omit") else x
      found <- lapply(list(data, dplyr::tbl(local_sqlite(data), "people")), function(x) {
        with_seed(5, private_quantile(rows(x), c(0, 10), probs, epsilon = 5000, columns = "x", by = by, rng = "R"))
      })
      expect_equal(as.data.frame(found[[1]]), as.data.frame(found[[2]]))
      left <- data[stats::complete.cases(data), ]
      group <- interaction(factor(ifelse(left$g %in% by$g, left$g, "other"), c("a", "b", "other")),
                           factor(ifelse(left$s %in% by$s, left$s, "other"), c("1", "3", "other")))
      parts <- split(pmin(pmax(left$x, 0), 10), group)
      exact <- vapply(probs, function(p) {
        vapply(parts, function(x) sort(x)[target_ranks(p, length(x))], 0)
      }, 0 * lengths(parts))
      # half of a row more or less may be nearer
      expect_lt(max(abs(found[[1]]$value - as.vector(exact))), 0.6)
      expect_lt(stats::median(abs(found[[1]]$value - as.vector(exact))), 0.1)
      expect_equal(found[[1]]$count, rep(unname(lengths(parts)), length(probs)))
    }
  }
  expect_named(found[[1]], c("g", "s", "name", "count", "value"))
  expect_identical(levels(found[[1]]$name), c("50%", "50%.1"))
})

test_that("a group without rows is drawn like all others, and its value is hidden", {
  set.seed(843)
  frame <- data.frame(x = stats::runif(200), g = "a")
  mechanism <- private_median(unseen(200), c(0, 1), epsilon = 1, bits = 2, columns = "x", by = list(g = c("a", "b")))
  drawn <- simulate(mechanism, 1000, x = frame)
  cells <- vapply(drawn, function(one) as.vector(attr(one, "parts")$cell), double(3))
  # false alarm: 1e-6, with a fixed seed
  for (group in 2:3) expect_gt(stats::chisq.test(tabulate(cells[group, ] + 1, 4))$p.value, 1e-6)
  hidden <- vapply(drawn, function(one) are_hidden(attr(one, "parts"), 0.95), logical(3))
  expect_lt(mean(hidden[1, ]), 0.01)
  expect_lt(mean(hidden[2:3, ] == FALSE), 0.04)
  expect_output(print(private_median(frame, c(0, 1), epsilon = 1, columns = "x", by = list(g = c("a", "b")))),
                "noise hides the median.*noise of ranks: about 2.9 of the rows of a group.*Bound for all data")
})

test_that("people, dates, and all costs work, and the ledger adds up", {
  set.seed(844)
  frame <- data.frame(when = as.Date("2020-01-01") + sample(300, 900, TRUE), g = rep(1:3, 300), who = rep(1:90, 10))
  days <- as.Date(c("2020-01-01", "2021-01-01"))
  for (cost in list(list(epsilon = 1), list(rho = 0.1), list(mu = 0.5), list(epsilon = 1, delta = 1e-5))) {
    for (probs in list(0.5, 1:3 / 4)) {
      for (rows in list(frame, table_rows(frame, c("when", "g"), person = "who"),
                        table_rows(frame, c("when", "g"), person = "who", rows_of_person = "one", people = 100))) {
        budget <- do.call(privacy_budget, c(cost, if (!is.data.frame(rows)) list(person = "who")))
        settings <- list(rows, days, probs, columns = "when", by = list(g = 1:2), budget = budget)
        release <- suppressWarnings(do.call(private_quantile, c(settings, cost)))
        expect_s3_class(release$value, "Date")
        expect_true(all(release$value >= days[1] & release$value <= days[2]))
        # a delta that does not help is not spent
        expect_equal(privacy(release)$measure[[1]], cost[[1]])
        expect_error(do.call(private_quantile, c(settings, cost)), class = "dptda_error_budget")
      }
    }
  }
  several <- private_quantile(unseen(900), days, 1:3 / 4, epsilon = 1, by = list(g = 1:2))
  expect_identical(method_name(several$plan$method), "halving")
  one <- private_median(unseen(900), days, epsilon = 1, by = list(g = 1:2))
  expect_identical(method_name(one$plan$method), "exponential")
  expect_identical(one$guarantee$ledger$value, c(floor(0.1 * 2^40) / 2^40, 1 - floor(0.1 * 2^40) / 2^40))
})

test_that("a release by group prints, rounds, and is drawn like others by group", {
  set.seed(845)
  frame <- pupils()
  deciles <- private_quantile(frame, c(0, 10), c(0.1, 0.5), epsilon = 5, columns = "x", by = list(g = c("a", "b")))
  expect_s3_class(deciles, "dptda_private_groups")
  expect_output(print(deciles), "<private quantile by g>")
  expect_true(all(is.numeric(round(deciles, 1)$value)))
  expect_false(is.null(privacy(round(deciles, 1))))
  expect_null(privacy(deciles[1:2, ]))
  expect_named(summary(deciles)$table, c("g", "name", "count", "value"))
  expect_named(generics::tidy(deciles), c("g", "term", "estimate", "count"))
  expect_error(confint(deciles), "has no intervals", class = "dptda_error_argument")
  grDevices::pdf(NULL)
  expect_identical(plot(deciles, column = "50%"), deciles)
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_length(ggplot2::autoplot(deciles)$layers, 1)
  grDevices::dev.off()
  expect_output(print(privacy_price(private_median(unseen(600), c(0, 1), epsilon = 1, by = list(g = 1)))),
                "rows of each group .*each rank among the rows of a group")
})

test_that("wrong groups are refused, and weak releases announced, before anything is spent", {
  frame <- pupils(30)
  budget <- privacy_budget(epsilon = 10)
  bad <- function(pattern, ...) {
    expect_error(private_median(frame, c(0, 10), epsilon = 1, budget = budget, ...), pattern,
                 class = "dptda_error_argument")
  }
  bad("^`by`", columns = "x", by = "g")
  bad("^`columns`", columns = "x", by = list(x = 1:2))
  bad("^`by`", columns = "x", by = list(nowhere = 1:2))
  bad("`x` must have 1 column", by = list(g = "a"))
  bad("must not be \"counts\" with `by`", columns = "x", by = list(g = "a"), method = "counts")
  bad("cells", columns = "x", by = list(g = seq_len(200)), bits = 24)
  expect_error(private_median(frame$x, c(0, 10), epsilon = 1, by = list(g = "a")), "^`by` needs a table",
               class = "dptda_error_argument")
  expect_error(private_median(transform(frame, x = NA_real_), c(0, 10), epsilon = 1, columns = "x", by = list(g = "a"),
                              budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  withr::local_options(dptda.weak_release = TRUE)
  expect_warning(private_median(frame, c(0, 10), epsilon = 0.1, columns = "x", by = list(g = "a")),
                 "each of 2 groups has 15 rows", class = "dptda_warning_noise")
  # one kind of row for all: a person counts in each of the groups in which there are rows
  expect_error(private_median(frame, domain_box(c(0, 0), c(1, 1)), epsilon = 1, columns = "x", by = list(g = "a")),
               "^`box`", class = "dptda_error_argument")
})
