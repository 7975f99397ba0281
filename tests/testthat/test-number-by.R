# Groups of public levels: what the rows give against a slow version, what it costs by search, intervals by simulation.

pupils <- function(n = 300) {
  data.frame(x = stats::runif(n, -1, 11), y = stats::rnorm(n), g = sample(c("a", "b", "z"), n, TRUE),
             s = sample(1:3, n, TRUE), t = stats::runif(n) < .3)
}

both_boxes <- domain_box(c(x = 0, y = -2), c(10, 3))
levels_of_pupils <- list(g = c("a", "b"), s = c(1, 3))

# Cells of each row, "other" last, the first column of `by` fastest.
slow_groups <- function(frame, by) {
  cells <- Map(function(levels, name) {
    place <- match(as.character(frame[[name]]), as.character(levels))
    ifelse(is.na(place), length(levels) + 1, place)
  }, by, names(by))
  size <- lengths(by) + 1
  list(of = 1 + drop(do.call(cbind, lapply(cells, function(x) x - 1)) %*% cumprod(c(1, size))[seq_along(size)]),
       size = prod(size))
}

slow_half_steps <- function(x, lattice, j) {
  z <- pmin(pmax(floor(x / lattice$step[j] + .5), lattice$first[j]), lattice$last[j]) - lattice$first[j]
  2 * z - (lattice$last[j] - lattice$first[j])
}

seen_by <- function(mechanism, x) statistic_of(mechanism$plan, rows_for(mechanism$plan, x))

test_that("counts and centered sums are those of a slow version, in memory and in a database", {
  set.seed(1)
  frame <- pupils()
  tables <- list(frame, frame[0, ], dplyr::tbl(local_sqlite(frame), "people"))
  for (x in tables) {
    of <- if (is.data.frame(x)) x else frame
    n <- nrow(of)
    for (by in list(levels_of_pupils, levels_of_pupils["g"])) {
      groups <- slow_groups(of, by)
      sums <- private_sum(as_unseen(n), both_boxes, epsilon = 1, by = by)
      expected <- c(tabulate(groups$of, groups$size), unlist(lapply(1:2, function(j) {
        q <- slow_half_steps(of[[j]], sums$plan$lattice, j)
        vapply(seq_len(groups$size), function(g) sum(q[groups$of == g]), 0)
      })))
      expect_equal(seen_by(sums, x), expected)
      counted <- private_count(as_unseen(n), epsilon = 1, by = by)
      expect_equal(seen_by(counted, x), as.double(tabulate(groups$of, groups$size)))
      expect_equal(statistic_of(counted$plan, check_logical_by(x, "t", by)),
                   as.double(tabulate(groups$of[of$t], groups$size)))
    }
  }
})

test_that("tables and histograms by group are those of more columns", {
  set.seed(2)
  frame <- pupils()
  expect_identical(
    seen_by(private_table(unseen(300), 1:3, epsilon = 1, columns = "s", by = list(g = "a")), frame),
    seen_by(private_table(unseen(300), list(s = 1:3, g = "a"), epsilon = 1, columns = c("s", "g")), frame)
  )
  set.seed(3)
  release <- private_histogram(frame, c(0, 5, 10), epsilon = 1e5, columns = "x", by = list(g = c("a", "b")), rng = "R")
  expect_equal(unname(unclass(as.table(release))),
               unname(unclass(table(cut(frame$x, c(-Inf, 5, Inf), right = FALSE), frame$g))), ignore_attr = TRUE)
  expect_identical(release$mids, list(x = c(2.5, 7.5)))
  expect_s3_class(release, "dptda_private_histogram")
})

test_that("estimates without noise are counts, sums and means of groups", {
  set.seed(4)
  frame <- pupils(2000)
  frame$x <- pmin(pmax(frame$x, 0), 10)
  frame$y <- pmin(pmax(frame$y, -2), 3)
  expected <- function(f, column) as.vector(tapply(frame[[column]], frame$g, f))
  mean <- private_mean(frame, both_boxes, epsilon = 1e6, by = list(g = c("a", "b")))
  expect_equal(mean$value, c(expected(base::mean, "x"), expected(base::mean, "y")), tolerance = 1e-4)
  sum <- private_sum(frame, both_boxes, epsilon = 1e6, by = list(g = c("a", "b")))
  expect_equal(sum$value, c(expected(base::sum, "x"), expected(base::sum, "y")), tolerance = 1e-3)
  expect_equal(sum$count, rep(as.vector(table(frame$g)), 2))
  expect_identical(as.character(sum$g), rep(c("a", "b", "other"), 2))
  expect_identical(as.character(sum$column), rep(c("x", "y"), each = 3))
})

test_that("private_count() by groups without columns counts all rows of each", {
  set.seed(5)
  frame <- pupils(300)
  by <- list(g = c("a", "b"))
  release <- private_count(frame, epsilon = 1e6, by = by)
  expect_equal(unclass(release)[1:3], table(frame$g)[1:3], ignore_attr = TRUE)
  expect_identical(names(release), c("a", "b", "other"))
  expect_equal(as.vector(private_count(dplyr::group_by(frame, g), epsilon = 1e6, by = by)), as.vector(release))
  # the cell of the groups alone, and what a person may do to it, is that of the mechanism of counts by group
  plan <- function(release) privacy(release)$public$scale
  expect_equal(plan(release), plan(private_count(frame, epsilon = 1e6, columns = "t", by = by)))
  chosen <- table_rows(frame, c("t", "g"))
  expect_equal(as.vector(private_count(chosen, epsilon = 1e6, by = by)), as.vector(release))
  expect_equal(sum(as.vector(private_count(chosen, epsilon = 1e6, columns = "t", by = by))), sum(frame$t))
  people <- table_rows(transform(frame, who = rep(1:100, 3)), person = "who")
  expect_equal(sum(as.vector(private_count(people, epsilon = 1e6, by = by))), 100, tolerance = 1e-3)
  expect_error(private_count(frame, epsilon = 1, by = list(h = "a")), "no `h`", class = "dptda_error_argument")
  expect_error(private_count(frame, epsilon = 1, by = list(g = c("a", "a"))), "by\\$g", class = "dptda_error_argument")
})

# ---- what it costs ---------------------------------------------------------------------------------------------------

# The loss of a pair of tables in units of what was declared: of noise of the scales of the plan.
loss_of <- function(mechanism, x, y) {
  move <- abs(seen_by(mechanism, x) - seen_by(mechanism, y))
  scale <- mechanism$plan$noise$scale
  measure <- mechanism$guarantee$measure
  if (names(measure) == "epsilon") sum(move / scale) / measure[[1]] else sum(move^2 / scale^2) / 2 / measure[[1]]
}

# Values at the ends, in the middle and anywhere, in any groups; `gaps`: some are missing.
corner_rows <- function(n, d, gaps = FALSE) {
  value <- function() {
    x <- ifelse(stats::runif(n) < .8, sample(c(-1, 1), n, TRUE), stats::runif(n, -1, 1))
    if (gaps) x[stats::runif(n) < .3] <- NA
    x
  }
  frame <- as.data.frame(replicate(d, value(), simplify = FALSE), col.names = paste0("v", seq_len(d)))
  frame$g <- sample(c("a", "b", "c"), n, TRUE)
  frame
}

costs <- list(list(epsilon = .7), list(rho = .2))

test_that("rows move counts and sums of groups by what was spent, and some by all of it", {
  set.seed(5)
  for (d in 1:3) for (cost in costs) for (gaps in c(FALSE, TRUE)) for (by in list(NULL, list(g = c("a", "b")))) {
    if (!gaps && is.null(by)) next
    columns <- paste0("v", seq_len(d))
    box <- domain_box(structure(rep(-1, d), names = columns), rep(1, d))
    n <- if (gaps) unseen(2, missing = "omit") else 2
    mechanism <- do.call(private_mean, c(list(as_unseen(n), box, by = by, bits = 8), cost))
    rows <- function(frame) table_rows(frame, c(columns, names(by)), missing = if (gaps) "omit" else "error")
    found <- replicate(long_or(1500, 40), {
      x <- corner_rows(2, d, gaps)
      y <- rbind(x[1, ], corner_rows(1, d, gaps))
      loss_of(mechanism, rows(x), rows(y))
    })
    # from end to end, and into another group
    x <- data.frame(matrix(1, 2, d, dimnames = list(NULL, columns)), g = "a")
    y <- x
    y[2, columns] <- -1
    worst <- c(found, loss_of(mechanism, rows(x), rows(y)))
    y$g[2] <- "b"
    worst <- max(worst, loss_of(mechanism, rows(x), rows(y)))
    expect_lte(worst, 1 + 1e-12)
    expect_gt(worst, 1 - 1e-5)
  }
})

test_that("so do people with any number of rows, in several groups, and people who have none", {
  set.seed(6)
  box <- domain_box(c(v1 = -1, v2 = -1), c(1, 1))
  W <- 1024
  for (cost in costs) for (way in c("by", "gaps", "some", "gaps by")) {
    by <- if (grepl("by", way)) list(g = c("a", "b"))
    missing <- if (grepl("gaps", way)) "omit" else "error"
    people <- if (way == "some") 2
    rows <- function(frame) {
      table_rows(frame, c("v1", "v2", names(by)), person = "who", people = people, missing = missing)
    }
    one <- function(who, many) cbind(corner_rows(many, 2, missing == "omit"), who = rep(who, many))
    first <- one(1L, 1)
    n <- public_units(rows(rbind(first, one(2L, 1))))
    mechanism <- do.call(private_sum, c(list(as_unseen(n), box, by = by, bits = 8), cost))
    expect_identical(mechanism$plan$weight, W)
    many <- c(if (way == "some") 0L, 1L, 2L, 5L, W - 1L, W + 1L, 2L * W + 1L)
    found <- replicate(long_or(300, 20), {
      loss_of(mechanism, rows(rbind(first, one(2L, sample(many, 1)))), rows(rbind(first, one(2L, sample(many, 1)))))
    })
    found <- c(found, replicate(20, loss_of(mechanism, rows(rbind(first, one(2L, 1))), rows(rbind(first, one(2L, 1))))))
    expect_lte(max(found), 1 + 1e-12)
    if (way != "gaps by") expect_gt(max(found), .5)
  }
})

test_that("with ten groups the noise of sums is that without groups by rho, and 1.69 times that by epsilon", {
  box <- domain_box(c(x = 0), 100)
  by <- list(g = 1:10)
  noise <- function(mechanism, from) {
    table <- privacy_price(mechanism)$noise
    table$scale[startsWith(table$of, from)]
  }
  sum_of <- function(...) noise(private_sum(unseen(1e5), box, ...), "x")
  sum_by <- function(...) noise(private_sum(unseen(1e5), box, ..., by = by), "the sum of x")
  for (rho in c(.01, .1, 1)) expect_identical(sum_by(rho = rho), sum_of(rho = rho))
  expect_equal(sum_by(epsilon = 1) / sum_of(epsilon = 1), 1 + 3^(-1 / 3), tolerance = 1e-6)
  # the number of groups is no matter
  by <- list(g = 1:1000)
  expect_identical(sum_by(rho = 1), sum_of(rho = 1))
  # nor does it cost to leave values out, or not to know who has any
  gaps <- unseen(1e5, missing = "omit")
  for (cost in list(list(epsilon = 1), list(rho = .3))) {
    expect_equal(noise(do.call(private_sum, c(list(as_unseen(gaps), box), cost)), "the sum of x"),
                 do.call(sum_of, cost),
                 tolerance = 1e-6)
  }
  # of people it is what it is of rows, but for steps
  someone <- unseen(1e5, person = "who", complete = FALSE)
  expect_equal(noise(private_sum(as_unseen(someone), box, rho = .1), "the sum of x"), sum_of(rho = .1),
               tolerance = 1e-6)
})

# ---- intervals -------------------------------------------------------------------------------------------------------

test_that("intervals of counts with noisy denominators cover what the rows give, in large groups and in small ones", {
  set.seed(7)
  n <- 1400
  # groups of 1000, 300, 60, 10 and 30 rows; the last one is "other"
  frame <- data.frame(x = stats::rbeta(n, 1, 6), g = rep(c("a", "b", "c", "d", "e"), c(1000, 300, 60, 10, 30)))
  by <- list(g = c("a", "b", "c", "d"))
  runs <- long_or(4000, 300)
  for (cost in list(list(epsilon = .5), list(rho = .02))) for (name in c("mean", "sum")) {
    make <- if (name == "mean") private_mean else private_sum
    mechanism <- do.call(make, c(list(as_unseen(n), domain_box(c(x = 0), 1), by = by), cost))
    truth <- tapply(frame$x, frame$g, if (name == "mean") mean else sum)
    ends <- lapply(simulate(mechanism, runs, x = frame), confint, level = .9)
    covered <- rowMeans(vapply(ends, function(one) one[, 1] <= truth + 1e-6 & one[, 2] >= truth - 1e-6, logical(5)))
    # at least .9: false alarm below 1e-5 in each of the ten
    expect_true(all(covered >= stats::qbinom(1e-6, runs, .9) / runs))
    # and not far above it where the group is large
    expect_lt(covered[["a"]], .9 + .1 * (name == "mean") * .5 + 4 * sqrt(.09 / runs))
  }
})

test_that("two noises are those of sums of independent ones", {
  set.seed(8)
  draws <- 4e4
  for (kind in c("laplace", "gaussian")) for (scales in list(c(30, 10), c(10, 30), c(20, 20), c(25, .001))) {
    draw <- if (kind == "laplace") function(s) s * stats::rexp(draws) * sample(c(-1, 1), draws, TRUE) else
      function(s) s * stats::rnorm(draws)
    off <- two_noises(kind, scales[1], scales[2], 1, .9) - 2
    within <- mean(abs(draw(scales[1]) + draw(scales[2])) <= off)
    expect_lt(abs(within - .9), 5 * sqrt(.09 / draws)) # false alarm below 1e-6 each
  }
})

test_that("no count is too small: a number within the box, and an interval that says what it is worth", {
  for (count in c(-5, -1, 0, .5, 1)) for (sum in c(-40, 0, 3)) for (kind in c("laplace", "gaussian")) {
    parts <- list(what = "mean", weight = 1, counts = matrix(count), sums = matrix(sum), most = 10, half_step = .5,
                  ends = 10, kind = kind, scale = list(count = 2, sums = 7))
    value <- group_values(parts)
    expect_true(is.finite(value) && value >= 0 && value <= 10)
    ends <- group_intervals(parts, .95)
    expect_true(all(is.finite(ends)) && ends[1] >= 0 && ends[2] <= 10 && ends[1] <= ends[2])
    expect_true(ends[1] <= value && value <= ends[2])
  }
  empty <- data.frame(x = double(), g = character())
  set.seed(9)
  for (run in 1:20) {
    release <- private_mean(rbind(empty, data.frame(x = 1, g = "a")), domain_box(c(x = 0), 1), epsilon = .1,
                            by = list(g = c("a", "b")), rng = "R")
    expect_true(all(release$value >= 0 & release$value <= 1))
    expect_true(all(is.finite(unlist(lapply(unclass(release)[c("count", "value", "lower", "upper")], range)))))
  }
})

test_that("a mean is within its interval, however far below nothing the count is, and the interval keeps its level", {
  set.seed(19)
  runs <- 4000
  most <- 100
  for (kind in c("laplace", "gaussian")) for (size in c(1, 2, 20)) for (weight in c(1, 16)) for (mean in c(-100, 30)) {
    draw <- if (kind == "laplace") function(s) round(s * stats::rexp(runs) * sample(c(-1, 1), runs, TRUE)) else
      function(s) round(s * stats::rnorm(runs))
    scale <- list(count = 8 * weight, sums = 6 * weight * most)
    parts <- list(what = "mean", weight = weight, counts = matrix(size + draw(scale$count)),
                  sums = matrix(size * mean + draw(scale$sums)), most = most, half_step = .5, ends = most, kind = kind,
                  scale = scale)
    value <- as.vector(group_values(parts))
    ends <- group_intervals(parts, .9)
    expect_true(all(ends[, 1] <= value & value <= ends[, 2]))
    truth <- (mean + most) / 2
    # false alarm below 1e-6 in each
    expect_gte(sum(ends[, 1] <= truth & truth <= ends[, 2]), stats::qbinom(1e-6, runs, .9))
  }
})

# ---- the face --------------------------------------------------------------------------------------------------------

test_that("releases in a database are those in memory", {
  set.seed(10)
  frame <- pupils()
  table <- dplyr::tbl(local_sqlite(frame), "people")
  calls <- list(
    function(x) private_mean(x, both_boxes, epsilon = 1, by = levels_of_pupils, rng = "R"),
    function(x) private_sum(x, c(0, 10), rho = 1, columns = "x", by = list(g = "a"), rng = "R"),
    function(x) private_count(x, rho = 1, columns = "t", by = list(g = "a"), rng = "R"),
    function(x) private_histogram(x, 0:3, epsilon = 1, columns = "x", by = list(g = "a"), rng = "R")
  )
  for (call in calls) {
    set.seed(11)
    here <- call(frame)
    set.seed(11)
    expect_equal(as.data.frame(call(table)), as.data.frame(here))
  }
})

test_that("what dplyr::group_by() says is `by`, if that has its levels, and an error otherwise", {
  testthat::skip_if_not_installed("dplyr")
  set.seed(12)
  frame <- pupils()
  for (x in list(frame, dplyr::tbl(local_sqlite(frame), "people"))) {
    grouped <- dplyr::group_by(x, g)
    release <- function(x, ...) {
      set.seed(13)
      private_mean(x, c(0, 10), epsilon = 1, columns = "x", ..., rng = "R")
    }
    expect_equal(release(grouped, by = list(g = c("a", "b"))), release(x, by = list(g = c("a", "b"))))
    expect_error(release(grouped), "grouped by `g`.*by = list\\(g = ", class = "dptda_error_argument")
    expect_error(release(grouped, by = list(s = 1)), "`by` names `s`", class = "dptda_error_argument")
    both <- dplyr::group_by(x, g, s)
    expect_error(release(both, by = list(g = "a")), "`g`, `s`", class = "dptda_error_argument")
    expect_s3_class(private_count(dplyr::group_by(x, s), epsilon = 1, columns = "t", by = list(s = 1:3)),
                    "dptda_private_table")
    expect_error(private_table(grouped, 1:3, epsilon = 1, columns = "s"), class = "dptda_error_argument")
    expect_error(private_quantile(grouped, c(0, 10), .5, epsilon = 1, columns = "x"), class = "dptda_error_argument")
  }
  expect_error(release(dplyr::rowwise(frame), by = list(g = "a")), class = "dptda_error_argument")
})

test_that("what is not known for groups says so", {
  frame <- data.frame(x = c(1, 2), g = c("a", "b"))
  box <- domain_box(c(x = 0), 3)
  expect_error(private_var(frame, box, epsilon = 1, by = list(g = "a")), "private_mean", class = "dptda_error_argument")
  expect_error(private_mixture(frame, box, 2, rho = 1, by = list(g = "a")), "private_covariance",
               class = "dptda_error_argument")
  wrong <- list("g", list("a"), list(), list(g = c("a", "a")), list(g = NULL), list(g = NA), list(h = "a"),
                list(x = 1), data.frame(g = "a"), list(g = list("a")))
  for (by in wrong) {
    expect_error(private_mean(frame, box, epsilon = 1, columns = "x", by = by), class = "dptda_error_argument")
    expect_error(private_table(frame, 1:2, epsilon = 1, columns = "x", by = by), class = "dptda_error_argument")
    budget <- privacy_budget(epsilon = 1)
    expect_error(private_count(frame, epsilon = 1, columns = "x", by = by, budget = budget),
                 class = "dptda_error_argument")
    expect_equal(budget$spent, 0)
  }
  expect_error(private_mean(c(1, 2), box, epsilon = 1, by = list(g = "a")), "table", class = "dptda_error_argument")
  expect_error(private_mean(frame, domain_box(c(0, 0), c(1, 1)), epsilon = 1, by = list(g = "a")), "2 columns",
               class = "dptda_error_argument")
  expect_error(private_mean(data.frame(x = "a", g = "b"), box, epsilon = 1, by = list(g = "a")), "numbers",
               class = "dptda_error_argument")
  expect_error(private_mean(frame, box, epsilon = 1, columns = "x", by = list(g = 1:2e7, h = 1:9)), "cells",
               class = "dptda_error_argument")
})

test_that("sums and means by group print, plot and tidy, and lose their guarantee when they are changed", {
  set.seed(14)
  release <- private_mean(pupils(), both_boxes, epsilon = 1, by = list(g = c("a", "b")), rng = "R")
  expect_s3_class(release, c("dptda_private_groups", "dptda_result", "data.frame"), exact = TRUE)
  expect_named(release, c("g", "column", "count", "value", "lower", "upper", "sd"))
  expect_snapshot(release)
  expect_identical(privacy(release)$measure[["epsilon"]], 1)
  expect_identical(sum(privacy(release)$ledger$value), 1)
  expect_identical(structure(unname(confint(release)), of = NULL),
                   unname(as.matrix(as.data.frame(release)[c("lower", "upper")])))
  expect_true(all(confint(release, level = .5)[, 1] >= confint(release)[, 1]))
  expect_null(privacy(release[1:2, ]))
  changed <- release
  changed$value <- 0
  expect_null(privacy(changed))
  expect_output(print(release[1:2, ]), "value")
  expect_error(release$values, "value", class = "dptda_error_argument")
  expect_identical(class(as.data.frame(release)), "data.frame")
  tidy <- tidy_table(release)
  expect_named(tidy, c("g", "term", "estimate", "count", "data.low", "data.high", "std.error", "conf.low", "conf.high"))
  shown <- drawn_text(expect_invisible(plot(release, column = "y")))
  expect_true(any(grepl("Noisy mean of y", shown)))
  expect_error(plot(release, column = "z"), class = "dptda_error_argument")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(release), "ggplot")
})

test_that("people count in each group with the share of their rows", {
  frame <- data.frame(x = c(1, 0, 0, 0), g = c("a", "a", "b", "b"), t = TRUE, who = c(1L, 1L, 1L, 2L))
  rows <- function(columns) table_rows(frame, c(columns, "g"), person = "who")
  counts <- private_count(rows("t"), epsilon = 1e6, by = list(g = c("a", "b")))
  expect_equal(unname(counts$value), c(2 / 3, 4 / 3, 0), tolerance = 1e-3)
  release <- private_mean(rows("x"), c(0, 1), epsilon = 1e6, by = list(g = c("a", "b")))
  expect_equal(release$count, c(2 / 3, 4 / 3, 0), tolerance = 1e-3)
  expect_equal(release$value[1:2], c(.5, 0), tolerance = 1e-2)
  expect_identical(privacy(release)$person, "who")
  expect_identical(privacy(counts)$person, "who")
})

test_that("sums and means by groups are rounded, and keep their guarantee", {
  rows <- data.frame(x = c(1:50, 60), y = 3, g = rep(c("a", "b", "c"), 17))
  release <- private_mean(rows, list(x = c(0, 80), y = c(0, 9)), by = list(g = c("a", "b")), epsilon = 100)
  for (f in list(round, function(x) round(x, 1), function(x) signif(x, digits = 2))) {
    rounded <- f(release)
    expect_s3_class(rounded, "dptda_private_groups")
    expect_identical(privacy(rounded), privacy(release))
    for (name in c("count", "value", "lower", "upper")) expect_identical(rounded[[name]], f(release[[name]]))
    expect_identical(rounded$g, release$g)
  }
  expect_identical(confint(rounded), confint(release))
  shown <- capture.output(print(round(release, 1)))
  expect_match(shown[3], format(round(release$value[1], 1)), fixed = TRUE)
  expect_match(shown[3], paste(round(release$lower[1], 1), "to", round(release$upper[1], 1)), fixed = TRUE)
  release$value[1] <- 1
  expect_null(privacy(round(release)))
  days <- data.frame(d = as.Date("2024-01-01") + 0:99, g = "a")
  dates <- private_mean(days, as.Date(c("2024-01-01", "2024-06-01")), columns = "d", by = list(g = "a"), epsilon = 1)
  expect_s3_class(round(dates)$value, "Date")
  expect_error(round(dates, "a"), class = "dptda_error_argument")
})

test_that("the summary of sums and means by groups has a line for each, with its interval", {
  release <- private_mean(warpbreaks, list(breaks = c(0, 80)), by = list(wool = c("A", "B")), epsilon = 1)
  found <- summary(release, level = 0.5)
  expect_identical(found$table$value, release$value)
  expect_identical(found$table$lower, unname(confint(release, level = 0.5)[, 1]))
  expect_output(print(found), "<private mean by wool>.*count.*interval \\(50%\\).*epsilon = 1")
  expect_s3_class(summary(release[1, ]), "table")
})

test_that("a mean that the noise hides is not printed as a number, and people in several groups are told", {
  set.seed(95)
  frame <- data.frame(x = stats::runif(40), g = "a", who = rep(1:20, 2))
  by <- list(g = c("a", "b"))
  shown <- utils::capture.output(print(private_mean(frame, c(0, 1), epsilon = 0.01, columns = "x", by = by, rng = "R")))
  expect_match(shown, "^ +[ab] .* - +- +0 to 1 +0 to 1$", all = FALSE)
  expect_match(shown, '[.] "-": noise hides the mean[.]$', all = FALSE)
  expect_no_match(shown, "fraction of the person's rows")
  people <- table_rows(frame, c("x", "g"), person = "who")
  released <- private_mean(people, c(0, 1), epsilon = 50, by = list(g = c("a", "b")))
  expect_output(print(released), "a person counts in each line with the fraction of the person's rows")
  expect_output(print(private_table(people, list(g = c("a", "b")), epsilon = 50)), "fraction of the person's rows")
})

test_that("a picture has no point where noise hides the mean", {
  skip_if_not_installed("ggplot2")
  data <- data.frame(x = 0.5, g = rep("a", 200))
  made <- withr::with_seed(9, private_mean(data, list(x = c(0, 1)), by = list(g = c("a", "b")), epsilon = 1, rng = "R"))
  hidden <- are_hidden(attr(made, "parts"), 0.95)
  expect_identical(hidden, c(FALSE, TRUE, TRUE))
  expect_match(paste(drawn_text(plot(made)), collapse = " "), "dotted: noise hides the mean")
  picture <- ggplot2::autoplot(made)
  expect_identical(nrow(ggplot2::layer_data(picture, 1)), 3L)
  expect_identical(nrow(ggplot2::layer_data(picture, 2)), 1L)
})
