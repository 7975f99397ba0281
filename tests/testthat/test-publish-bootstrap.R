# Intervals of statistics of synthetic data.

bootstrap_rows <- function(n) {
  smokes <- stats::runif(n) < 0.3
  data.frame(smokes, coughs = stats::runif(n) < ifelse(smokes, 0.6, 0.1))
}
bootstrap_schema <- function() table_schema(smokes = schema_logical(), coughs = schema_logical())
excess <- function(rows) c(excess = mean(rows$coughs[rows$smokes]) - mean(rows$coughs[!rows$smokes]),
                           share = mean(rows$smokes))

test_that("ends are those of the runs, which are releases of rows that the model drew", {
  set.seed(871)
  model <- private_synthesis(bootstrap_rows(500), bootstrap_schema(), epsilon = 1, rng = "R")
  ends <- confint(model, excess, runs = 12, seed = 3)
  expect_identical(dimnames(ends), list(c("excess", "share"), c("5 %", "95 %")))
  expect_true(all(ends[, 1] < ends[, 2]))
  # by hand, from what was found
  set.seed(3)
  found <- bootstrap_statistic(model, same_mechanism(model), excess, 12)
  moved <- found$runs - found$estimate
  expect_equal(unname(rowMeans(ends)), unname(found$estimate - rowMeans(moved)))
  spread <- sqrt(13 / 12 * apply(moved, 1, stats::var) + rowMeans(moved)^2)
  expect_equal(unname(ends[, 2] - ends[, 1]), 2 * stats::qt(0.95, 11) * spread)
  expect_identical(dim(found$runs), c(2L, 12L))
  # a number without a name, and another level
  wide <- confint(model, function(rows) mean(rows$smokes), 0.99, runs = 12, seed = 3)
  expect_identical(dimnames(wide), list(NULL, c("0.5 %", "99.5 %")))
})

test_that("the mechanism is the one that made the model, whatever it was", {
  set.seed(872)
  data <- related_rows(80)
  methods <- list("aim", synthesis_mst(workload = ~ a * b), synthesis_privbayes(theta = 0.05), "margins",
                  synthesis_topology(size = 8, cloud = 20, steps = 10), "dp2pub")
  costs <- list(list(epsilon = 2), list(epsilon = 2, delta = 1e-3), list(rho = 1))
  for (method in methods) for (cost in costs) {
    plan <- tryCatch(do.call(private_synthesis,
                             c(list(unseen(80), related_schema(), method = method, rng = "R"), cost)),
                     dptda_error_argument = function(cnd) NULL)
    if (is.null(plan)) next
    model <- do.call(private_synthesis, c(list(data, related_schema(), method = method, rng = "R"), cost))
    again <- same_mechanism(model)
    fields <- setdiff(names(plan$plan), c("entity", "settings"))
    expect_identical(again$plan[fields], plan$plan[fields])
    expect_identical(again$guarantee$measure, privacy(model)$measure)
    drawn <- model_again(model, again, simulate(model))
    expect_identical(class(drawn), class(model$model))
  }
})

test_that("a seed repeats an interval and leaves the generator as it was found, and nothing is spent", {
  set.seed(873)
  budget <- privacy_budget(epsilon = 20)
  model <- private_synthesis(bootstrap_rows(200), bootstrap_schema(), epsilon = 20, budget = budget)
  set.seed(2)
  first <- stats::runif(1)
  set.seed(2)
  ends <- confint(model, excess, runs = 10, seed = 5)
  expect_identical(stats::runif(1), first)
  expect_identical(confint(model, excess, runs = 10, seed = 5), ends)
  expect_false(identical(confint(model, excess, runs = 10), ends))
  expect_identical(budget$spent[[1]], 20)
})

test_that("people have as many rows as there are of them", {
  set.seed(874)
  rows <- bootstrap_rows(300)
  rows$who <- rep(1:100, 3)
  people <- table_rows(rows, person = "who")
  model <- private_synthesis(people, bootstrap_schema(), epsilon = 5, rng = "R")
  seen <- integer()
  confint(model, function(rows) {
    seen <<- c(seen, nrow(rows))
    mean(rows$smokes)
  }, runs = 10)
  expect_identical(unique(seen), 100L)
})

test_that("intervals have the truth about as often as they say", {
  skip_unless_long()
  set.seed(875)
  has <- replicate(60, {
    model <- private_synthesis(bootstrap_rows(1000), bootstrap_schema(), epsilon = 0.5, rng = "R")
    ends <- confint(model, excess, runs = 20)
    ends[, 1] < c(0.5, 0.3) & c(0.5, 0.3) < ends[, 2]
  })
  # 108 of 120 are expected, of a binomial law 94 or less have probability 1e-4
  expect_gte(sum(has), 94)
})

test_that("wrong arguments are refused", {
  set.seed(876)
  model <- private_synthesis(bootstrap_rows(50), bootstrap_schema(), epsilon = 1, rng = "R")
  refused <- function(words, ...) expect_error(confint(...), words, class = "dptda_error_argument")
  refused("^`parm` must be given", model)
  refused("^`parm` must be a function of a data frame", model, "smokes")
  refused("^`level`", model, excess, level = 1)
  refused("^`runs`", model, excess, runs = 9)
  refused("^`\\.\\.\\.`", model, excess, 0.9, "population", 20)
  refused("^`of` must be \"population\" here", model, excess, of = "data")
  for (bad in list(function(rows) "a", function(rows) NA_real_, function(rows) double(), function(rows) diag(2),
                   function(rows) stats::runif(sample.int(5, 1)))) {
    suppressWarnings(refused("^`parm` must give finite numbers", model, bad, runs = 10),
                     classes = "dptda_warning_unheld")
  }
  refused("parm.* failed", model, function(rows) stop("own"), runs = 10)
  changed <- model
  changed$n <- 70
  refused("must be an unchanged model from private_synthesis", changed, excess)
})

test_that("a number that looks at two columns of which the model holds nothing is named, and no other", {
  set.seed(876)
  n <- 400
  rows <- data.frame(a = stats::runif(n) < 0.5, b = stats::runif(n) < 0.5, c = stats::runif(n))
  schema <- table_schema(a = schema_logical(), b = schema_logical(), c = schema_numeric(0, 1, cells = 4))
  apart <- private_synthesis(rows, schema, epsilon = 1, method = "margins", rng = "R")
  statistic <- function(rows) {
    c(mean = mean(rows$c), both = mean(rows$a) + mean(rows$b), excess = mean(rows$c[rows$a]) - mean(rows$c[!rows$a]),
      slope = cov(rows$b, rows$c))
  }
  seen <- expect_warning(confint(apart, statistic, runs = 10, seed = 1), "`a` and `c`, `b` and `c`",
                         class = "dptda_warning_unheld")
  expect_identical(seen$pairs, data.frame(number = 3:4, from = c("a", "b"), to = "c"))
  expect_silent(confint(apart, function(rows) colMeans(rows[c("a", "c")]), runs = 10))
  # what fails where rows are in another order looks at them together
  failing <- function(rows) if (is.unsorted(rows$a)) mean(rows$a) else stop("sorted")
  expect_identical(nrow(unheld_pairs(apart, failing, rows)), 0L)
  odd <- function(rows) if (all(rows$a == rows$b)) stop("equal") else stats::sd(rows$a - rows$b)
  expect_identical(unheld_pairs(apart, odd, rows), data.frame(number = 1L, from = 1L, to = 2L))
  # a model that holds them, and one that has them with more noise than rows
  related <- data.frame(a = rows$a, b = rows$a, c = rows$c)
  model <- private_synthesis(related, schema, epsilon = 50, method = synthesis_mst(workload = ~ a * b), rng = "R")
  expect_silent(confint(model, function(rows) mean(rows$a & rows$b), runs = 10, seed = 1))
  few <- private_synthesis(related, schema, epsilon = 1e-3, method = synthesis_mst(workload = ~ a * b), rng = "R")
  expect_warning(confint(few, function(rows) mean(rows$a & rows$b), runs = 10, seed = 1),
                 class = "dptda_warning_unheld")
})

test_that("a number that rows alike in all values do not have is asked of rows that the model draws", {
  set.seed(877)
  often <- function() sample(c(rep(1, 60), 2:60), 2500, TRUE)
  rows <- data.frame(a = often(), b = often(), c = stats::runif(2500))
  levels <- as.character(1:60)
  schema <- table_schema(a = schema_categorical(levels), b = schema_categorical(levels),
                         c = schema_numeric(0, 1, cells = 4))
  rows[1:2] <- lapply(rows[1:2], as.character)
  model <- private_synthesis(rows, schema, epsilon = 5, method = "margins", rng = "R")
  statistic <- function(rows) mean(rows$c[rows$a == "1" & rows$b == "1"])
  # one of 3,600 pairs of levels, which 2,000 rows have or not
  with_seed(1, expect_identical(statistic(even_rows(schema, 2000)), NaN))
  expect_warning(ends <- confint(model, statistic, runs = 10, seed = 1), class = "dptda_warning_unheld")
  expect_true(all(is.finite(ends)))
  expect_error(confint(model, function(rows) NaN, runs = 10), "must give finite", class = "dptda_error_argument")
})

test_that("cells of twice the width are pairs of cells, and missing values stay", {
  schema <- table_schema(a = schema_numeric(0, 1, cells = 5), b = schema_numeric(0, 12, breaks = c(1, 4, 10)),
                         c = schema_logical(), d = schema_numeric(0, 1, cells = 2), e = schema_numeric(0, 1, cells = 1),
                         f = schema_numeric(0, 1, cells = 4, missing = "level"))
  set.seed(878)
  sizes <- c(5, 4, 2, 2, 1, 5)
  codes <- vapply(sizes, function(size) rep_len(seq_len(size) - 1L, 6000), integer(6000))
  pair <- function(size, shift) (seq_len(size) - 1 + shift) %/% 2
  for (way in 1:2) {
    wide <- widen_codes(codes, schema, way)
    expect_identical(dim(wide), dim(codes))
    for (j in c(1, 2, 4, 5, 6)) {
      size <- schema$columns[[j]]$axis$size
      own <- codes[, j] < size
      expect_identical(wide[!own, j], codes[!own, j])
      of <- pair(size, if (size > 3) way - 1 else 0)
      expect_identical(of[wide[own, j] + 1], of[codes[own, j] + 1])
      width <- diff(schema$columns[[j]]$breaks)
      for (here in split(seq_len(size), of)) {
        share <- tabulate(wide[codes[, j] %in% (here - 1), j] + 1, size)[here]
        p <- width[here] / sum(width[here])
        expect_gt(if (length(here) == 1) 1 else stats::chisq.test(share, p = p)$p.value, 1e-5)
      }
    }
    expect_identical(wide[, 3], codes[, 3])
  }
})

test_that("a number that cells are coarse for is named, and no other", {
  set.seed(879)
  x <- stats::rnorm(5000)
  rows <- data.frame(x, y = x + stats::rnorm(5000), z = stats::runif(5000))
  statistic <- function(rows) c(slope = stats::cov(rows$x, rows$y) / stats::var(rows$x), mean = mean(rows$z),
                                above = mean(rows$x > 0))
  told <- function(cells) {
    schema <- table_schema(x = schema_numeric(-4, 4, cells = cells), y = schema_numeric(-6, 6, cells = cells),
                           z = schema_numeric(0, 1, cells = 4))
    model <- private_synthesis(rows, schema, epsilon = 200, method = synthesis_mst(workload = ~ x * y), rng = "R")
    warned <- NULL
    ends <- withCallingHandlers(confint(model, statistic, runs = 20, seed = 1), dptda_warning_coarse = function(cnd) {
      warned <<- cnd
      tryInvokeRestart("muffleWarning")
    })
    list(ends = ends, warned = warned)
  }
  coarse <- told(6)
  # the truth is 1, and no number of runs has it
  expect_lt(coarse$ends[1, 2], 1)
  expect_identical(coarse$warned$numbers, 1L)
  expect_match(conditionMessage(coarse$warned), "1 of 3 numbers (slope) of `parm` change", fixed = TRUE)
  fine <- told(48)
  expect_null(fine$warned)
  expect_true(fine$ends[1, 1] < 1 && fine$ends[1, 2] > 1)
})

test_that("a threshold between two cells is not named, one within a cell and a median are", {
  set.seed(880)
  x <- pmin(10, stats::rexp(5000))
  schema <- table_schema(x = schema_numeric(0, 10, cells = 5), v = schema_logical())
  model <- private_synthesis(data.frame(x, v = TRUE), schema, epsilon = 50, method = "margins", rng = "R")
  statistic <- function(rows) c(between = mean(rows$x > 2), within = mean(rows$x > 0.7), median = stats::median(rows$x),
                                all = mean(rows$v), beyond = mean(rows$x > 9.9))
  warned <- expect_warning(ends <- confint(model, statistic, runs = 20, seed = 1), class = "dptda_warning_coarse")
  expect_identical(warned$numbers, 2:3)
  truth <- c(exp(-2), exp(-0.7), log(2))
  expect_identical(unname(ends[1:3, 1] < truth & truth < ends[1:3, 2]), c(TRUE, FALSE, FALSE))
  # wider cells lose the first as well
  expect_identical(with_seed(1, wider_moves(model, statistic)) > (ends[, 2] - ends[, 1]) / 2,
                   c(between = TRUE, within = TRUE, median = TRUE, all = FALSE, beyond = FALSE))
})

test_that("rows move within their cells to the ends, to the middle, and apart by each column", {
  schema <- table_schema(x = schema_numeric(0, 8, cells = 4), v = schema_logical())
  set.seed(881)
  rows <- data.frame(x = stats::runif(1000, 0, 8), v = rep(c(TRUE, FALSE), each = 500))
  model <- private_synthesis(rows, schema, epsilon = 100, method = "margins", rng = "R")
  statistic <- function(rows) c(mean = mean(rows$x), apart = mean(rows$x[rows$v]) - mean(rows$x[!rows$v]),
                                cell = mean(rows$x > 2), other = mean(rows$v), first = rows$x[1])
  moved <- with_seed(1, within_moves(model, statistic))
  # the half and the whole of a cell, but for what a thousand rows are off
  expect_equal(unname(moved[1:2]), c(1, 2), tolerance = 0.15)
  expect_identical(unname(moved[3:4]), c(0, 0))
  expect_lte(moved[[5]], 2)
  expect_identical(with_seed(1, within_moves(model, function(rows) if (all(rows$x %% 2 == 1)) NA else 1)), Inf)
})
