# Quantiles by the exponential mechanism on ranks. Oracles go over all cells one by one, in doubles.
cell_distances <- function(counts, rank) {
  upto <- cumsum(counts)
  pmax(0, rank - upto, upto - counts - (rank - 1))
}

cell_probabilities <- function(counts, rank, epsilon) {
  weights <- rank_weights(epsilon, sum(counts))
  weight <- weights[pmin(cell_distances(counts, rank), length(weights) - 1) + 1]
  weight / sum(weight)
}

draw_ranks <- function(counts, ranks, epsilon) {
  occupied <- which(counts > 0)
  .Call(ffi_number_draw_ranks, as.double(occupied), as.double(counts[occupied]), length(counts), as.double(ranks),
        epsilon, kernel_options("R"))
}

# All ways to put n rows into so many cells, one a row.
all_counts <- function(n, cells) {
  places <- as.matrix(expand.grid(rep(list(seq_len(cells)), n)))
  sets <- unique(t(apply(places, 1, tabulate, cells)))
  sets[order(apply(sets, 1, paste, collapse = " ")), ]
}

test_that("weights are whole, fall, and keep the ratio, to a floor", {
  for (epsilon in c(1e-9, 1e-4, 0.01, 0.3, 1, 2 * log(2), 5, 40, 124, 200, 1024)) {
    weights <- rank_weights(epsilon, 1e5)
    expect_identical(weights[1], 2^62)
    expect_true(all(weights >= 1 & weights == floor(weights)))
    expect_true(all(diff(weights) < 0))
    expect_true(all(weights[-length(weights)] <= weights[-1] * exp(epsilon / 2) * (1 + 4e-16)))
    # and waste nothing: the ceiling adds less than one
    expect_true(all(weights[-1] - 1 <= weights[-length(weights)] * exp(-epsilon / 2) * (1 + 1e-15)))
    expect_lte(length(weights), 1e5 + 1)
  }
  expect_identical(rank_weights(1, 0), 2^62)
  expect_identical(rank_weights(1, 3), rank_weights(1, 1e9)[1:4])
  expect_length(rank_weights(1, 1e9), 87)
  expect_length(rank_weights(0, 10), 1)
  expect_length(rank_weights(1e-7, 2^40), 0)
  expect_identical(rank_weights(1024, 10)[-1], 1)
})

test_that("no neighbors of three rows in seven cells differ by more than epsilon, at any rank", {
  sets <- all_counts(3, 7)
  moves <- as.matrix(stats::dist(sets, "manhattan"))
  pairs <- which(moves == 2, arr.ind = TRUE)
  for (epsilon in c(0.05, 0.4, 1.8, 7, 20)) {
    for (rank in 1:3) {
      log_p <- log(t(apply(sets, 1, cell_probabilities, rank, epsilon)))
      loss <- log_p[pairs[, 1], ] - log_p[pairs[, 2], ]
      expect_lte(max(loss), epsilon * (1 + 1e-12))
      # bounded range, from which rho follows
      expect_lte(max(apply(loss, 1, function(one) max(one) - min(one))), epsilon * (1 + 1e-12))
      # the 2 of epsilon / 2 is not there for nothing
      if (epsilon < 1 && rank == 2) expect_gt(max(loss), 0.8 * epsilon)
    }
  }
})

test_that("cells are drawn with these probabilities", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(801)
  columns <- list(c(0, 3, 0, 0, 2, 1, 0), c(4, 0, 0, 0, 0, 0, 4), c(0, 0, 5), c(1, 0), 1, c(0, 0, 1, 0, 0, 0),
                  c(rep(0, 40), 1, rep(0, 200), 7, 0, 1, rep(0, 30)))
  for (counts in columns) {
    n <- sum(counts)
    for (rank in unique(c(1, ceiling(n / 2), n))) {
      for (epsilon in c(1e-6, 0.7, 3)) {
        drawn <- draw_ranks(counts, rep(rank, 2e4), epsilon)
        p <- cell_probabilities(counts, rank, epsilon)
        expect_gt(discrete_fit(drawn, seq_along(counts) - 1, p), 1e-6)
      }
    }
  }
})

test_that("lines of 2^24 cells and counts of 2^52 are no matter", {
  set.seed(802)
  # between two rows that are far apart the place is uniform
  drawn <- .Call(ffi_number_draw_ranks, c(1, 2^24), c(1, 1), 2^24, rep(1, 4000), 1e-3, kernel_options("R"))
  expect_gt(stats::ks.test(drawn / 2^24, "punif")$p.value, 1e-6)
  drawn <- .Call(ffi_number_draw_ranks, c(3, 9), c(1, 2^52 - 1), 16, c(1, 2, 2^52), 1024, kernel_options("R"))
  expect_identical(drawn, c(2, 8, 8))
})

test_that("with a large epsilon the cell is that of type 1, of any column", {
  set.seed(803)
  columns <- function(n) list(stats::rnorm(n), rep(0.3, n), stats::rpois(n, 2), sample(c(-Inf, Inf), n, TRUE))
  for (n in c(1, 2, 500)) {
    for (x in columns(n)) {
      for (probs in list(0.5, c(0.9, 0, 1, 0.9, 0.25))) {
        for (measure in list(list(epsilon = 1e6), list(rho = 1e9))) {
          release <- do.call(private_quantile, c(list(x, c(-3, 4), probs, bits = 9, method = "exponential"), measure))
          cell <- pmin(pmax(floor((pmin(pmax(x, -3), 4) + 3) * 512 / 7), 0), 511)
          expect_identical(release$cell, as.double(sort(cell)[pmax(1, ceiling(n * probs - 1e-9))]))
        }
      }
    }
  }
  # all rows equal: the value itself, at any epsilon but for the gaps
  expect_identical(private_quantile(rep(7, 50), c(0, 100), 0.5, epsilon = 4, step = 1)$value, c("50%" = 7))
})

test_that("the distance in rank is what was measured, and what is printed holds", {
  # false alarm: 1e-6 each, with a fixed seed
  set.seed(804)
  for (probs in list(0.5, c(0.1, 0.9), 0, 1)) {
    x <- stats::rlnorm(400, 10, 0.6)
    mechanism <- private_quantile(unseen(400), c(0, 2e5), probs, epsilon = 1, method = "exponential")
    runs <- simulate(mechanism, 300, x = x)
    counts <- tabulate(floor(x / 2e5 * 2^16) + 1, 2^16)
    ranks <- target_ranks(probs, 400)
    far <- vapply(runs, function(one) {
      max(mapply(function(cell, rank) cell_distances(counts, rank)[cell + 1], one$cell, ranks))
    }, 0)
    for (level in c(0.5, 0.95)) {
      within <- rank_bound(runs[[1]]$noise, length(ranks), 2^16, 400, level)
      expect_lte(sum(far > within), stats::qbinom(1 - 1e-6, 300, 1 - level))
    }
    if (identical(probs, 0.5)) expect_lt(mean(far), 2.6 + 5 * stats::sd(far) / sqrt(300))
  }
  # 28 rows at epsilon 1, 2^16 cells and 95 %
  expect_identical(privacy_price(private_quantile(unseen(5000), c(0, 1), 0.5, epsilon = 1))$noise$within, 28)
  expect_identical(rank_bound(new_noise("exponential", 2e9), 1, 2^16, 40, 0.95), 40)
})

test_that("public numbers choose, and what is asked for is taken", {
  chosen <- function(...) method_name(private_quantile(unseen(1000), c(0, 110), ...)$plan$method)
  expect_identical(chosen(0.5, epsilon = 1), "exponential")
  expect_identical(chosen(0.5, rho = 1), "exponential")
  expect_identical(chosen(0.5, rho = 5, bits = 8), "exponential")
  expect_identical(chosen(0.5, epsilon = 1, step = 1), "exponential")
  expect_identical(chosen(1:2 / 3, epsilon = 1), "exponential")
  expect_identical(chosen(1:3 / 4, epsilon = 1), "halving")
  expect_identical(chosen(1:9 / 10, epsilon = 1), "halving")
  expect_identical(chosen(1:99 / 100, epsilon = 1), "counts")
  expect_identical(chosen(1:99 / 100, rho = 1), "counts")
  expect_identical(chosen(1:9 / 10, epsilon = 1, step = 1), "counts")
  expect_identical(chosen(0.5, epsilon = 1, method = "counts"), "counts")
  expect_identical(chosen(1:99 / 100, epsilon = 1, method = "exponential"), "exponential")
  many <- function(...) private_quantile(unseen(2^40), c(0, 1), 0.5, epsilon = 1e-6, ...)
  expect_identical(method_name(many()$plan$method), "counts")
  expect_error(many(method = "exponential"), "^`epsilon` is too small", class = "dptda_error_argument")
  expect_no_error(private_quantile(unseen(1e6, person = "person"), c(0, 1), 0.5, epsilon = 1e-3))
})

test_that("each draw has its part of the budget, and no more", {
  for (value in c(1e-3, 0.3, 1, 9)) {
    for (m in c(1, 3, 7, 19)) {
      share <- rank_share(new_cost(c(epsilon = value)), m)
      expect_lte(m * share, value * (1 + 1e-15))
      expect_gt(m * share, value * (1 - 1e-15))
      concentrated <- rank_share(new_cost(c(rho = value)), m)
      expect_lte(m * concentrated^2 / 8, value)
      expect_gt(m * concentrated^2 / 8, value * (1 - 1e-14))
    }
  }
  budget <- privacy_budget(epsilon = 1)
  release <- private_quantile(1:9, c(0, 10), 1:3 / 4, epsilon = 0.5, budget = budget, method = "exponential")
  expect_identical(budget$spent, 0.5)
  guarantee <- privacy(release)
  expect_true(guarantee$bounded_range)
  # three of a sixth each, of bounded range
  expect_equal(parts_rho(guarantee$parts), 3 * 0.25 / 9 / 8, tolerance = 1e-2)
  expect_identical(guarantee$sensitivity, 1)
})

test_that("multiples of a step are released as they are", {
  set.seed(805)
  ages <- stats::rpois(300, 40)
  for (method in c("exponential", "counts")) {
    for (epsilon in c(1e6, 0.1)) {
      release <- private_quantile(ages, c(0, 110), c(0, 0.5, 1), epsilon, step = 1, method = method)
      expect_true(all(release$value %in% 0:110))
      if (epsilon > 1) expect_equal(unname(release$value), unname(stats::quantile(ages, c(0, 0.5, 1), type = 1)))
    }
  }
  found <- function(x, box, step) private_quantile(x, box, 0.5, epsilon = 1e6, step = step)$value[[1]]
  expect_identical(found(c(0.3, 0.3, 0.9), c(0, 1), 0.1), 0.3)
  expect_identical(found(c(-40, -20, 15), c(-50, 50), 5), -20)
  expect_identical(found(c(-40, -20, 15), c(-10, 50), 5), -10)
  expect_identical(found(c(7, 7, 8), c(3, 22), 7), 7) # 7, 14, 21
  expect_identical(found(c(1, 1), c(0.9, 1.1), 1), 1)
  days <- as.Date("2020-01-01") + c(3, 5, 9)
  expect_identical(found(days, as.Date(c("2020-01-01", "2021-01-01")), 1), days[2])
  ends <- confint(private_quantile(ages, c(0, 110), 0.5, epsilon = 1e6, step = 1, method = "counts"))
  expect_identical(unname(ends[1, ]), stats::median(ages) + c(0, 0))
  # intervals end at multiples in the box, too, and those of half a day would be another day
  yes <- private_quantile(rep(c(FALSE, TRUE), c(40, 60)), c(0, 1), 1:3 / 4, epsilon = 0.5, step = 1, method = "counts")
  expect_true(all(confint(yes) %in% 0:1))
  grDevices::pdf(NULL)
  expect_silent(plot(yes))
  grDevices::dev.off()
  range <- as.Date(c("2020-01-01", "2021-01-01"))
  on_days <- private_quantile(rep(days, 100), range, 1:3 / 4, epsilon = 1, step = 1, method = "counts")
  expect_identical(as.double(unlist(as.data.frame(on_days)[c("lower", "upper")])) %% 1, double(6))
  bad <- function(...) {
    expect_error(private_quantile(ages, c(0, 110), 0.5, epsilon = 1, ...), class = "dptda_error_argument")
  }
  for (step in list(0, -1, NA, "1", 1:2, 1e-9)) bad(step = step)
  bad(step = 1, bits = 8)
  expect_error(private_quantile(3, c(0.2, 0.8), 0.5, epsilon = 1, step = 1), "`step`", class = "dptda_error_argument")
})

test_that("what people weigh is what so many rows weigh", {
  frame <- data.frame(x = c(0, 1, 3, 2, 2, 0, 3, 3, 1), who = c(1, 1, 1, 2, 3, 4, 5, 6, 6))
  people <- people_example(frame)
  weight <- weigh_rows(people, 1024)$weight
  repeated <- rep(frame$x, weight)
  for (probs in list(0.5, c(0, 0.5, 1))) {
    mechanism <- private_quantile(unseen(6, person = "who"), c(0, 4), probs, epsilon = 1, method = "exponential")
    of_rows <- private_quantile(unseen(6 * 1024), c(0, 4), probs, epsilon = 1 / 1024, method = "exponential")
    expect_identical(mechanism$guarantee$public$weight, 1024)
    one <- simulate(mechanism, 1, seed = 3, x = people)[[1]]
    expect_identical(one$value, simulate(of_rows, 1, seed = 3, x = repeated)[[1]]$value)
    expect_equal(rank_bound(one$noise, length(probs), 2^16, 6, 0.95),
                 rank_bound(new_noise("exponential", one$noise$scale), length(probs), 2^16, 6 * 1024, 0.95) / 1024)
  }
  # one row each: as rows, up to what a unit of 1 / W is
  of_people <- rank_weights(1 / 1024, 1024 * 9)[1 + 1024 * 0:8]
  expect_equal(of_people, rank_weights(1, 9)[1:9], tolerance = 1e-9)
  # who is replaced moves all distances by W at most
  set.seed(806)
  move <- function(rows) {
    of <- function(x, who) tabulate(rep(x, weigh_rows(people_example(data.frame(x, who)), 8)$weight) + 1, 6)
    others <- sample(0:5, 4, TRUE)
    counts <- lapply(1:2, function(i) {
      mine <- sample(0:5, sample(rows, 1), TRUE)
      of(c(others, mine), c(1, 2, 2, 3, rep(4, length(mine))))
    })
    max(abs(cell_distances(counts[[1]], 16) - cell_distances(counts[[2]], 16)))
  }
  moved <- replicate(300, move(c(1, 2, 7, 9, 17)))
  expect_lte(max(moved), 8)
  expect_gt(max(moved), 6)
  release <- private_quantile(people, c(0, 4), 0.5, epsilon = 4)
  expect_output(print(release), "of 6 people on average")
})

test_that("a release prints what is proved of its rank, and has no intervals", {
  set.seed(807)
  x <- stats::rnorm(1000)
  one <- private_quantile(x, c(-5, 5), 0.5, epsilon = 1, rng = "R")
  expect_output(print(one),
                "off by about 2.6 of 1,000 rows on average.*Bound\\s+for\\s+all data: 28 \\(95%\\)")
  two <- private_quantile(x, c(-5, 5), c(0.25, 0.75), rho = 0.5, rng = "R", method = "exponential")
  expect_output(print(two), "Bound\\s+for all data: .* \\(95%, simultaneous\\)")
  expect_output(print(private_quantile(x, c(-5, 5), 0.5, epsilon = 1e-4)),
                "off by about 1000 of 1,000 rows on average.*No\\s+bound\\s+is\\s+proved")
  expect_named(as.data.frame(two), c("name", "probability", "value", "within"))
  expect_error(confint(two), "method = \"counts\"", class = "dptda_error_argument")
  expect_named(summary(two)$table, c("name", "value"))
  expect_false(is.unsorted(two$value))
  expect_null(attr(two, "counts"))
  expect_identical(two$method, "exponential")
  grDevices::pdf(NULL)
  expect_identical(plot(two), two)
  expect_silent(plot(one, xlim = c(0, 1), level = 0.5))
  grDevices::dev.off()
  twice <- private_quantile(x, c(-5, 5), c(0.5, 0.5, 0.4999), 1)
  expect_length(unique(twice$value), 1)
})

test_that("a database gives what memory gives", {
  rows <- data.frame(a = c(stats::rnorm(2000, 50, 10), 0, 100, 1e300))
  people <- dplyr::tbl(local_sqlite(rows), "people")
  draw <- function(x, ...) {
    set.seed(808)
    private_quantile(x, c(0, 100), columns = "a", rng = "R", ...)$value
  }
  expect_identical(draw(people, probs = 0.5, epsilon = 1), draw(rows, probs = 0.5, epsilon = 1))
  expect_identical(draw(people, probs = 1:2 / 3, rho = 1, step = 5), draw(rows, probs = 1:2 / 3, rho = 1, step = 5))
})

test_that("a median is the quantile of one half, with the same arguments", {
  x <- c(stats::rlnorm(300, 10, 0.6))
  set.seed(808)
  median <- private_median(x, c(0, 2e5), epsilon = 1, rng = "R")
  set.seed(808)
  expect_identical(median, private_quantile(x, c(0, 2e5), 0.5, epsilon = 1, rng = "R"))
  expect_identical(setdiff(names(formals(private_quantile)), names(formals(private_median))), "probs")
  budget <- privacy_budget(rho = 1)
  private_median(infert, c(0, 110), rho = 0.25, columns = "age", step = 1, method = "counts", budget = budget)
  expect_identical(budget$spent, 0.25)
  expect_error(private_median(x), "^`box` must be given", class = "dptda_error_argument")
  expect_error(private_median(box = c(0, 1), epsilon = 1), "^`x` must be given", class = "dptda_error_argument")
})

test_that("the picture of one quantile shows more than its cell", {
  skip_if_not_installed("ggplot2")
  for (box in list(c(0, 100), as.Date(c("2024-01-01", "2024-04-10")))) {
    release <- private_median(box[1] + 1:99, box, epsilon = 1)
    shown <- ggplot2::ggplot_build(ggplot2::autoplot(release))$layout$panel_params[[1]]$x.range
    expect_gt(diff(shown), 9)
    expect_lt(diff(shown), 40)
  }
})

test_that("dates are days without a step, and the date of all rows is the one that is released", {
  range <- as.Date(c("1950-01-01", "2050-12-31"))
  for (day in as.character(c(as.Date("2024-02-29"), as.Date("1969-12-31"), range))) {
    rows <- data.frame(d = rep(as.Date(day), 60))
    for (method in list("exponential", "halving", "counts", NULL)) {
      release <- private_quantile(rows, list(d = range), c(0.3, 0.5), epsilon = 1e4, method = method)
      expect_identical(unique(as.character(release$value)), day)
      expect_output(print(release), "Values are days, and ranks are those of rows moved", fixed = TRUE)
    }
  }
  # known from the box alone, and before there are rows
  expect_identical(private_quantile(unseen(60), range, 0.5, epsilon = 1)$guarantee$public$step, 1)
  expect_identical(private_quantile(unseen(60), range, 0.5, epsilon = 1, step = 7)$guarantee$public$step, 7)
  expect_identical(private_quantile(unseen(60), range, 0.5, epsilon = 1, bits = 4)$guarantee$public$bits, 4)
  # more days than there is room for, none in the box, and what is no date
  for (box in list(range[1] + c(-1e7, 1e7), range[1] + c(0.2, 0.8), as.POSIXct(range), c(0, 9))) {
    expect_null(private_quantile(unseen(60), box, 0.5, epsilon = 1)$guarantee$public$step)
  }
})

test_that("dates of a database are days without a step", {
  rows <- data.frame(d = rep(as.Date("2023-12-31"), 60))
  range <- as.Date(c("1950-01-01", "2050-12-31"))
  release <- private_quantile(dplyr::tbl(local_postgres(rows), "people"), list(d = range), 0.5, epsilon = 1e4)
  expect_identical(unname(release$value), rows$d[1])
})

test_that("the print says how wide cells are, and whose ranks the bound is about", {
  # four of five rows are equal, and the middle of their cell is beside them
  x <- c(rep(41, 800), stats::runif(200, 0, 512))
  told <- function(x) gsub("\\s+", " ", paste(utils::capture.output(print(x)), collapse = " "))
  for (method in c("exponential", "halving", "counts")) {
    release <- private_quantile(x, c(0, 512), c(0.4, 0.5), epsilon = 100, bits = 7, method = method)
    expect_identical(unname(release$value), c(42, 42))
    expect_match(told(release),
                 "Values are midpoints of cells of width 4, and ranks are those of rows moved there. If many",
                 fixed = TRUE)
    exact <- private_quantile(x, c(0, 512), c(0.4, 0.5), epsilon = 100, step = 0.5, method = method)
    expect_identical(unname(exact$value), c(41, 41))
    expect_match(told(exact), "Values are multiples of 0.5, and ranks are those of rows moved to the nearest one.",
                 fixed = TRUE)
  }
  times <- as.POSIXct("2024-01-01", tz = "UTC") + c(0, 2^16 * 3600)
  expect_match(told(private_median(times[1] + 1:9 * 1e6, times, epsilon = 9)), "cells of width 1 hours", fixed = TRUE)
})

test_that("a delta never makes quantiles worse than its epsilon alone, and the guarantee says what was kept", {
  error <- function(...) plan_rank_error(private_quantile(unseen(200), c(0, 60), ..., bits = 8)$plan)
  measure <- function(...) private_quantile(unseen(200), c(0, 60), ..., bits = 8)$guarantee$measure
  for (method in list("exponential", "halving", "counts")) for (epsilon in c(0.2, 2)) for (m in c(1, 4, 19)) {
    probs <- seq_len(m) / (m + 1)
    with <- error(probs, epsilon = epsilon, delta = 1e-7, method = method)
    alone <- error(probs, epsilon = epsilon, method = method)
    rho <- largest_rho(epsilon, 1e-7)
    expect_lte(with, min(alone, error(probs, rho = rho, method = method)) * (1 + 1e-9))
    kept <- measure(probs, epsilon = epsilon, delta = 1e-7, method = method)
    expect_identical(names(kept), if (with < alone * (1 - 1e-9)) c("epsilon", "delta") else "epsilon")
  }
  # without a method the pair is chosen together
  expect_lte(error(1:49 / 50, epsilon = 1, delta = 1e-7), error(1:49 / 50, epsilon = 1))
  budget <- privacy_budget(epsilon = 1, delta = 1e-6)
  release <- private_median(infert, list(age = c(15, 50)), epsilon = 0.5, delta = 1e-7, step = 1, budget = budget)
  expect_identical(privacy(release)$measure, c(epsilon = 0.5))
  gone <- table_rows(data.frame(x = c(1:50, NA)), missing = "omit")
  expect_identical(privacy(private_median(gone, c(0, 60), epsilon = 9, delta = 1e-7))$measure, c(epsilon = 9))
  # many rows and a tiny epsilon: what can be drawn is
  expect_no_error(private_quantile(unseen(2^40), c(0, 1), 0.5, epsilon = 1e-6, delta = 1e-15))
})

test_that("a bound that is not proved is NA, in tables and prices", {
  few <- function(...) suppressWarnings(private_quantile(1:40, c(0, 50), epsilon = 0.05, ...))
  for (release in list(few(0.5), few(1:5 / 6, method = "halving"), few(1:5 / 6, method = "exponential"))) {
    expect_true(all(is.na(as.data.frame(release)$within)))
    expect_output(print(release), "No\\s+bound\\s+is\\s+proved")
    grDevices::pdf(NULL)
    expect_silent(plot(release))
    grDevices::dev.off()
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_silent(ggplot2::ggplot_build(ggplot2::autoplot(release)))
  }
  expect_identical(privacy_price(private_quantile(unseen(40), c(0, 50), 0.5, epsilon = 0.05))$noise$within, NA_real_)
  expect_identical(as.data.frame(private_median(1:5000, c(0, 5000), epsilon = 1))$within, 28)
})
