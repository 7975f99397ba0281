# Several quantiles by halving. The oracle goes over all places of all parts, in doubles, without digits.
part_distances <- function(counts, from, to, split) {
  here <- counts[seq_len(to - from) + from]
  upto <- cumsum(here)
  target <- floor((2 * split[6] * split[4] * sum(here) + split[6] * split[5]) / (2 * split[5]))
  pmax(0, target - split[6] / 2 - split[6] * upto, split[6] * (upto - here) - target + split[6] / 2)
}

part_probabilities <- function(counts, from, to, split, n) {
  weights <- rank_weights(split[7], n * split[6])
  weight <- weights[pmin(part_distances(counts, from, to, split), length(weights) - 1) + 1]
  weight / sum(weight)
}

# The probabilities of all outcomes, places from 0 in the order of the splits; `cells` of the line.
all_outcomes <- function(counts, splits) {
  n <- sum(counts)
  count <- nrow(splits)
  found <- list(list(p = 1, place = replace(rep(NA, count + 2), c(1, count + 2), c(0, length(counts)))))
  for (i in seq_len(count)) {
    split <- splits[i, ]
    found <- unlist(lapply(found, function(one) {
      ends <- one$place[split[2:3] + 1]
      if (ends[1] == ends[2]) {
        one$place[split[1] + 1] <- ends[1]
        return(list(one))
      }
      p <- part_probabilities(counts, ends[1], ends[2], split, n)
      lapply(seq_along(p), function(j) {
        list(p = one$p * p[j], place = replace(one$place, split[1] + 1, ends[1] + j - 1))
      })
    }), recursive = FALSE)
  }
  place <- vapply(found, function(one) paste(one$place[seq_len(count) + 1], collapse = " "), "")
  p <- tapply(vapply(found, `[[`, 0, "p"), place, sum)
  p[sort(names(p))]
}

draw_splits <- function(counts, splits, digits = 24L) {
  occupied <- which(counts > 0)
  .Call(ffi_number_draw_splits, as.double(occupied), as.double(counts[occupied]), length(counts),
        splits[, 1:7, drop = FALSE], digits, kernel_options("R"))
}

test_that("splits go to the middle, with fractions that are exact where they can be", {
  splits <- halving_splits(ceiling(1:9 / 10 * 1e7), 1e7, 0.25)
  expect_identical(sort(splits[, 1]), as.double(1:9))
  expect_identical(max(splits[, 8]), halving_levels(1:9))
  expect_identical(halving_fraction(0.4), c(2, 5, 10))
  expect_identical(halving_fraction(0.5), c(1, 2, 2))
  expect_identical(halving_fraction(1e-12), c(1, 2^30, 32))
  expect_identical(halving_fraction(0.123456789)[3], 32)
  # 1 for halves, 6/5 for 2/5, 4/3 for thirds: twice what a row moves, in rows
  expect_identical(2 * split_sensitivity(c(1, 2, 2)) / 2, 1)
  expect_identical(2 * split_sensitivity(c(2, 5, 10)) / 10, 6 / 5)
  expect_identical(2 * split_sensitivity(c(1, 3, 6)) / 6, 4 / 3)
  # what comes in moves targets by the two numbers around the share, and no more
  for (fraction in list(c(1, 2, 2), c(2, 5, 5), halving_fraction(0.123456789), halving_fraction(0.9999999))) {
    target <- floor((2 * fraction[3] * fraction[1] * (0:5000) + fraction[3] * fraction[2]) / (2 * fraction[2]))
    x <- fraction[3] * fraction[1] / fraction[2]
    expect_true(all(diff(target) %in% c(floor(x), ceiling(x))))
    expect_identical(split_sensitivity(fraction), max(ceiling(x), fraction[3] - floor(x)))
    expect_gte(2 * split_sensitivity(fraction), fraction[3])
  }
})

# All pairs of neighbors among `sets` of counts, the first four of which are cells: what is drawn at these ranks of four
# rows keeps epsilon. Gives the largest loss, and the largest range of one.
expect_epsilon <- function(sets, ranks, epsilon) {
  pairs <- which(as.matrix(stats::dist(sets, "manhattan")) == 2, arr.ind = TRUE)
  levels <- halving_levels(ranks)
  splits <- halving_splits(ranks, 4, rank_share(new_cost(c(epsilon = epsilon)), levels))
  log_p <- log(t(apply(sets[, 1:4], 1, all_outcomes, splits)))
  loss <- log_p[pairs[, 1], ] - log_p[pairs[, 2], ]
  expect_lte(max(loss), epsilon * (1 + 1e-12))
  # of several levels their Renyi divergences add up, here those of order 2
  order_two <- log(rowSums(exp(2 * log_p[pairs[, 1], ] - log_p[pairs[, 2], ])))
  expect_lte(max(order_two), levels * 2 * (epsilon / levels)^2 / 8 * (1 + 1e-12))
  c(loss = max(loss), range = max(apply(loss, 1, function(one) max(one) - min(one))))
}

test_that("no neighbors of four rows in four cells differ by more than epsilon", {
  places <- as.matrix(expand.grid(rep(list(1:4), 4)))
  sets <- unique(t(apply(places, 1, tabulate, 4)))
  for (epsilon in c(0.2, 2, 9)) {
    for (ranks in list(c(1, 3), c(2, 3), 1:3)) {
      most <- expect_epsilon(sets, ranks, epsilon)
      expect_lte(most[["range"]], epsilon * (1 + 1e-12)) # of several levels: true here, and not proved
      if (epsilon < 1) expect_gt(most[["loss"]], 0.4 * epsilon)
    }
  }
})

test_that("no neighbors differ by more than epsilon where it is private how many of four rows there are", {
  # the fifth place is that of rows without a value
  places <- as.matrix(expand.grid(rep(list(1:5), 4)))
  sets <- unique(t(apply(places, 1, tabulate, 5)))
  for (epsilon in c(0.2, 2, 9)) {
    for (probs in list(0.5, 0, 0.9, 1 / 3, c(0.25, 0.75), c(0.5, 0.9, 0.97))) {
      ranks <- target_ranks(probs, 4, known = FALSE)
      most <- expect_epsilon(sets, ranks, epsilon)
      if (halving_levels(ranks) == 1) expect_lte(most[["range"]], epsilon * (1 + 1e-12))
      if (epsilon < 1) expect_gt(most[["loss"]], 0.3 * epsilon)
    }
  }
})

test_that("no neighbors of three rows in two groups differ by more than epsilon by halving", {
  # the seventh place is that of rows that are left out
  places <- as.matrix(expand.grid(rep(list(1:7), 3)))
  sets <- unique(t(apply(places, 1, tabulate, 7)))
  pairs <- which(as.matrix(stats::dist(sets, "manhattan")) == 2, arr.ind = TRUE)
  for (epsilon in c(0.2, 4)) {
    for (probs in list(c(0.25, 0.75), c(0.2, 0.5, 0.9))) {
      ranks <- target_ranks(probs, 3, known = FALSE)
      share <- rank_share(new_cost(c(epsilon = epsilon)), halving_levels(ranks))
      splits <- halving_splits(ranks, 3, share, grouped = TRUE)
      log_p <- log(t(apply(sets, 1, function(counts) {
        as.vector(outer(all_outcomes(counts[1:3], splits), all_outcomes(counts[4:6], splits)))
      })))
      loss <- log_p[pairs[, 1], ] - log_p[pairs[, 2], ]
      expect_lte(max(loss), epsilon * (1 + 1e-12))
      if (epsilon < 1) expect_gt(max(loss), 0.3 * epsilon)
    }
  }
})

test_that("quantiles of tables that leave values out are those of what is there, in memory and in a database", {
  set.seed(822)
  frame <- data.frame(x = replace(stats::rnorm(999), sample(999, 300), NA), who = rep(1:333, 3))
  there <- pmin(pmax(sort(frame$x[!is.na(frame$x)]), -3), 4)
  probs <- c(0, 0.1, 0.5, 0.9, 1)
  mechanism <- private_quantile(unseen(999, missing = "omit"), c(-3, 4), probs, epsilon = 5)
  expect_identical(method_name(mechanism$plan$method), "halving")
  found <- lapply(list(frame, dplyr::tbl(local_sqlite(frame), "people")), function(x) {
    with_seed(5, private_quantile(table_rows(x, "x", missing = "omit"), c(-3, 4), probs, epsilon = 5000,
                                  method = "halving", rng = "R"))
  })
  expect_identical(found[[1]]$value, found[[2]]$value)
  expect_equal(unname(found[[1]]$value), there[target_ranks(probs, length(there))], tolerance = 0.02)
  expect_identical(privacy(found[[1]])$public$missing, "omit")
  expect_output(print(found[[1]]), "of\\s+the\\s+values\\s+present\\s+among\\s+999\\s+rows")
  expect_identical(privacy_price(mechanism)$noise$of, "each rank among rows with a value")
  expect_identical(privacy_price(private_quantile(unseen(999), c(-3, 4), 0.5, epsilon = 1))$noise$of,
                   "each rank among all rows")
  # one row of each person, who may have none with a value; or none at all
  for (people in list(NULL, 400)) {
    one <- table_rows(frame, "x", person = "who", rows_of_person = "one", people = people, missing = "omit")
    expect_equal(private_median(one, c(-3, 4), epsilon = 100)$value[[1]], stats::median(there), tolerance = 0.5)
    without <- table_rows(frame[!is.na(frame$x), ], "x", person = "who", rows_of_person = "one", people = 400)
    expect_equal(private_median(without, c(-3, 4), epsilon = 100)$value[[1]], stats::median(there), tolerance = 0.5)
  }
  # all rows of a person, one draw for each rank
  all <- table_rows(frame, "x", person = "who", missing = "omit")
  expect_equal(private_median(all, c(-3, 4), epsilon = 100)$value[[1]], stats::median(there), tolerance = 0.5)
  expect_error(private_median(all, c(-3, 4), epsilon = 1, method = "halving"), "only with one row per person",
               class = "dptda_error_argument")
  expect_error(private_median(table_rows(frame, "x", missing = "omit"), c(-3, 4), epsilon = 1, method = "counts"),
               "`method` must not be \"counts\" if missing values are dropped", class = "dptda_error_argument")
  # no value at all, which no error tells: any place
  none <- table_rows(data.frame(x = rep(NA_real_, 5)), "x", missing = "omit")
  drawn <- replicate(400, private_median(none, c(0, 1), epsilon = 9, bits = 2, rng = "R")$cell)
  expect_gt(stats::chisq.test(tabulate(drawn + 1, 4))$p.value, 1e-6)
})

test_that("places are drawn with these probabilities", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(811)
  for (counts in list(c(0, 3, 0, 2), c(4, 0, 1), c(0, 0, 5, 0), 7, c(0, 0, 0))) {
    for (ranks in list(c(1, 4), c(2, 3, 5))) {
      splits <- halving_splits(ranks, max(sum(counts), 5), 1.5)
      p <- all_outcomes(counts, splits)
      drawn <- replicate(4000, paste(draw_splits(counts, splits, 0L), collapse = " "))
      expect_gt(discrete_fit(match(drawn, names(p)), seq_along(p), as.vector(p)), 1e-6)
    }
  }
})

test_that("quantiles are found where little is noisy, ties or not", {
  set.seed(812)
  probs <- c(0.9, 0, 0.25, 0.5, 1, 0.1, 0.5, 1 / 3)
  for (n in c(2, 11, 999)) {
    for (x in list(stats::rnorm(n), rep(0.3, n), stats::rpois(n, 2), sample(c(-Inf, Inf), n, TRUE))) {
      release <- private_quantile(x, c(-3, 4), probs, epsilon = 5000, bits = 9, method = "halving")
      cell <- sort(pmin(pmax(floor((pmin(pmax(x, -3), 4) + 3) * 512 / 7), 0), 511))
      ranks <- target_ranks(probs, n)
      expect_true(all(release$cell >= cell[pmax(ranks - 2, 1)] & release$cell <= cell[pmin(ranks + 2, n)]))
      expect_false(is.unsorted(release$value[order(probs)]))
    }
  }
  # without digits all rows of one cell would go to one side
  equal <- private_quantile(rep(7, 5000), c(0, 100), 1:9 / 10, epsilon = 5, step = 1, method = "halving")
  expect_identical(unname(equal$value), rep(7, 9))
})

test_that("the error in rank is what was measured, within what is printed, and the budget is kept", {
  set.seed(813)
  x <- stats::rlnorm(500, 10, 0.6)
  probs <- 1:9 / 10
  mechanism <- private_quantile(unseen(500), c(0, 2e5), probs, epsilon = 1)
  expect_identical(method_name(mechanism$plan$method), "halving")
  counts <- tabulate(floor(x / 2e5 * 2^16) + 1, 2^16)
  upto <- cumsum(counts)
  far <- vapply(simulate(mechanism, 60, x = x), function(one) {
    place <- one$cell + 1
    pmax(0, target_ranks(probs, 500) - upto[place], (upto - counts)[place] - target_ranks(probs, 500) + 1)
  }, probs)
  expect_lt(mean(far), 12.8 + 5 * stats::sd(colMeans(far)) / sqrt(60))
  expect_lte(max(far), halving_bound(mechanism$plan$splits, 2^16, 2^25, 0.5))
  budget <- privacy_budget(rho = 1)
  release <- private_quantile(x, c(0, 2e5), probs, rho = 0.25, method = "halving", budget = budget)
  expect_identical(budget$spent, 0.25)
  expect_lte(4 * rank_share(new_cost(c(rho = 0.25)), 4)^2 / 8, 0.25)
  expect_output(print(release), "halving in 4 levels")
  expect_named(as.data.frame(release), c("name", "probability", "value", "within"))
})

test_that("people with all of their rows, many rows and little budget are refused or go elsewhere", {
  people <- unseen(500, person = "patient")
  expect_error(private_quantile(as_unseen(people), c(0, 1), 1:3 / 4, epsilon = 1, method = "halving"),
               "^`rows_of_person` must be \"one\" in table_rows\\(\\), or in unseen\\(\\) .*halving",
               class = "dptda_error_argument")
  expect_identical(method_name(private_quantile(as_unseen(people), c(0, 1), 1:3 / 4, epsilon = 1)$plan$method),
                   "exponential")
  one <- unseen(500, person = "patient", rows_of_person = "one")
  expect_identical(method_name(private_quantile(as_unseen(one), c(0, 1), 1:3 / 4, epsilon = 1)$plan$method), "halving")
  expect_error(private_quantile(unseen(2^26), c(0, 1), 1:3 / 4, epsilon = 1, method = "halving"), "^`method`",
               class = "dptda_error_argument")
  expect_error(private_quantile(unseen(2^25), c(0, 1), 1:3 / 4, epsilon = 1e-5, method = "halving"),
               "^`epsilon` is too small", class = "dptda_error_argument")
  expect_identical(method_name(private_quantile(unseen(2^25), c(0, 1), 1:3 / 4, epsilon = 1e-5)$plan$method), "counts")
})

test_that("what is proved of ranks holds for rows wherever they are, and errors shrink on their way down", {
  set.seed(814)
  n <- 400
  data <- list(equal = rep(5, n), atoms = rep(c(1, 9), n / 2), beside = rep(c(4, 4.01, 4.02, 4.03), n / 4),
               spread = stats::runif(n, 0, 10), bulk = c(stats::rnorm(n - 20, 5, 0.01), stats::runif(20, 0, 10)))
  probs <- 1:7 / 8
  mechanism <- private_quantile(as_unseen(n), c(0, 10), probs, epsilon = 6, bits = 10, method = "halving")
  bound <- halving_bound(mechanism$plan$splits, 2^10, n, 0.5)
  expect_lt(bound, n)
  for (x in data) {
    counts <- tabulate(pmin(floor(x / 10 * 2^10), 2^10 - 1) + 1, 2^10)
    upto <- cumsum(counts)
    far <- vapply(simulate(mechanism, 100, x = x), function(one) {
      place <- one$cell + 1
      max(0, target_ranks(probs, n) - upto[place], (upto - counts)[place] - target_ranks(probs, n) + 1)
    }, 0)
    # a false alarm in less than 1 of 10^4 runs
    expect_lt(mean(far > bound), 0.5 + 4 * 0.05)
  }
  # each takes half of what its two ends are wrong
  splits <- halving_splits(c(25, 50, 75), 100, 1)
  expect_equal(split_errors(splits, c(4, 1, 1))[c(3, 2, 4)], c(4, 3, 3), tolerance = 0.05)
  bounds <- vapply(c(100, 1000, 1e5), function(rows) halving_bound(splits, 2^16, rows, 0.95), 0)
  expect_false(is.unsorted(bounds))
  # 2^25 equal rows in the finest cells stand at one place by hundreds
  for (level in c(0.01, 0.95)) {
    bound <- halving_bound(halving_splits(c(25, 50, 75) * 2^18, 2^25, 1), 2^24, 2^25, level)
    expect_gt(bound, 2^25 / 2^16)
    expect_lt(bound, 10000)
  }
})

test_that("rows of one cell are hardly ever closer together than is taken for granted", {
  set.seed(815)
  n <- 60
  for (near in c(1, 2, 5, 12)) {
    least <- near_places(near, n, 24, 0.4)
    close <- replicate(500, {
      digits <- sort(floor(stats::runif(n) * 2^24))
      min(digits[-seq_len(near)] - utils::head(digits, -near)) < least
    })
    # a union bound; a false alarm in less than 1 of 10^4 runs
    expect_lt(mean(close), 0.4 + 4 * sqrt(0.24 / 500))
    expect_gt(least, 1)
  }
  expect_identical(near_places(0, 60, 24, 0.4), 1)
})

test_that("tables of weights take the room of one, however many rows have a value", {
  # how long they are hangs on a private number: what does not fit would be an error of some rows, after the charge
  skip_if_not(file.exists("/proc/self/status"))
  skip_if_instrumented()
  seen <- in_new_session('
    library(dptda)
    set.seed(823)
    probs <- sort(stats::runif(200))
    x <- table_rows(data.frame(x = c(stats::runif(30000), NA)), "x", missing = "omit")
    invisible(private_quantile(x, c(0, 1), probs, epsilon = 0.1))
    peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
    cat(gsub("[^0-9]", "", peak), "\\n")
  ')
  # kilobytes: with all tables at once there are more than 600,000 of them
  expect_lt(scan(text = utils::tail(seen, 1), quiet = TRUE), 300000)
})

test_that("a mechanism that knows how many rows there are is not asked about rows that leave some out", {
  some <- table_rows(data.frame(x = c(1, rep(NA, 8))), "x", missing = "omit")
  frame <- data.frame(x = c(0, 1, 1), who = 1:3)
  absent <- table_rows(frame, "x", person = "who", people = 9, rows_of_person = "one")
  for (method in c("exponential", "counts", "halving")) {
    mechanism <- private_quantile(unseen(9), c(0, 1), 0.9, epsilon = 1, method = method)
    expect_error(simulate(mechanism, 1, x = some), "leaves missing values out", class = "dptda_error_argument")
    people <- unseen(9, person = "who", rows_of_person = "one")
    mechanism <- private_quantile(as_unseen(people), c(0, 1), 0.9, epsilon = 1, method = method)
    expect_error(simulate(mechanism, 1, x = absent), "a row each", class = "dptda_error_argument")
    for (x in list(frame, table_rows(frame, "x", person = "who", rows_of_person = "one"))) {
      n <- if (is.data.frame(x)) 3 else unseen(3, person = "who", rows_of_person = "one")
      x <- if (is.data.frame(x)) x$x else x
      expect_length(simulate(private_quantile(as_unseen(n), c(0, 1), 0.9, epsilon = 1, method = method), 1, x = x), 1)
    }
  }
})

test_that("what is said of tables that leave values out is no more than what is known", {
  expect_error(private_quantile(unseen(3e6, missing = "omit"), c(0, 2), 0.5, epsilon = 1e-6),
               "is too small for the exponential mechanism on the ranks of 3,000,000 rows\\.$",
               class = "dptda_error_argument")
  # the share of those with a value is not known, and so no line is drawn
  x <- table_rows(data.frame(x = c(1:40, rep(NA, 20000))), "x", missing = "omit")
  frame <- data.frame(x = c(0, 1, 1), who = 1:3)
  absent <- table_rows(frame, "x", person = "who", people = 9, rows_of_person = "one")
  for (x in list(x, absent)) {
    release <- suppressMessages(suppressWarnings(private_quantile(x, c(0, 40), c(0.25, 0.5), epsilon = 1)))
    expect_output(suppressMessages(suppressWarnings(print(release))), "of\\s+the\\s+values\\s+present\\s+among")
    expect_false(knows_rows(release))
    grDevices::pdf(NULL)
    expect_silent(with_replaced("released_rank_bound", function(x, level) stop("lines"), plot(release)))
    grDevices::dev.off()
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_length(ggplot2::autoplot(release)$layers, 1)
  }
  expect_true(knows_rows(suppressWarnings(private_quantile(frame$x, c(0, 40), 0.5, epsilon = 1, method = "halving"))))
})

test_that("where equal rows may be missed the print names what helps, and it does", {
  # false alarm: below 1e-6, with a fixed seed
  set.seed(825)
  equal <- rep(5, 100)
  expect_output(print(private_quantile(equal, c(0, 10), 1:3 / 4, epsilon = 1)),
                "No bound\\s+is\\s+proved for all data.*If many rows are equal,\\s+use\\s+`step`")
  expect_no_match(utils::capture.output(print(private_quantile(equal, c(0, 10), 1:3 / 4, epsilon = 0.01, step = 1))),
                  "helps")
  hits <- function(...) {
    runs <- simulate(private_quantile(unseen(100), c(0, 10), 1:3 / 4, epsilon = 1, ...), 200, x = equal)
    mean(vapply(runs, function(one) all(abs(one$value - 5) < 1e-3), NA))
  }
  expect_lt(hits(), 0.2)
  expect_gt(hits(step = 1), 0.95)
})
