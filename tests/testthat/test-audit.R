noisy <- function(scale) function(data, runs) sum(data) + laplace_noise(runs, scale)
quick <- function(..., runs = 400) audit_mechanism(x = c(0, 0), neighbor = c(0, 1), runs = runs, ...)

test_that("the limits of Clopper and Pearson are those of binom.test()", {
  for (count in c(0, 3, 50)) {
    both <- stats::binom.test(count, 50, conf.level = 0.98)$conf.int
    expect_equal(lower_limit(count, 50, 0.01), both[1])
    expect_equal(upper_limit(count, 50, 0.01), both[2])
  }
})

test_that("an event implies the smallest parameter that allows it", {
  expect_equal(implied_parameter(0.6, 0.2, c(epsilon = 1)), log(3))
  expect_equal(implied_parameter(0.6, 0.2, c(epsilon = 1, delta = 0.1)), log(2.5))
  expect_identical(implied_parameter(c(0.2, 0.05), c(0.3, 0.01), c(epsilon = 1, delta = 0.1)), c(0, 0))
  # Gaussian noise of standard deviation 1 on a shift of s: mu = s, rho = s^2/2, whatever the threshold
  for (cut in c(-1, 0, 2)) {
    p <- stats::pnorm(cut, 1.5, lower.tail = FALSE)
    q <- stats::pnorm(cut, 0, lower.tail = FALSE)
    expect_equal(implied_parameter(p, q, c(mu = 1)), 1.5)
    expect_lte(implied_parameter(p, q, c(rho = 1)), 1.5^2 / 2)
    expect_gt(implied_parameter(p, q, c(rho = 1)), 0.1)
  }
})

test_that("the implied rho is the largest Renyi divergence over its order", {
  renyi <- function(order, p, q) {
    log(p^order * q^(1 - order) + (1 - p)^order * (1 - q)^(1 - order)) / (order - 1) / order
  }
  for (pair in list(c(0.6, 0.2), c(0.99, 0.5), c(1e-3, 1e-6))) {
    best <- stats::optimize(renyi, c(1.0001, 20), p = pair[1], q = pair[2], maximum = TRUE)$objective
    expect_equal(implied_rho(pair[1], pair[2]), best, tolerance = 1e-2)
    expect_lte(implied_rho(pair[1], pair[2]), best * (1 + 1e-3))
  }
  expect_identical(implied_rho(c(0.2, 1), c(0, 0)), c(Inf, Inf))
})

test_that("tails are counted with ties and without missing scores", {
  scores <- c(1, 2, 2, NA, 3)
  expect_equal(tail_counts(scores, c(0, 2, 2.5, 4), ">="), c(4, 3, 1, 0))
  expect_equal(tail_counts(scores, c(0, 2, 2.5, 4), "<="), c(0, 3, 3, 4))
  expect_identical(score_thresholds(c(2, NA, 1, 2)), c(1, 2))
  expect_lte(length(score_thresholds(stats::rnorm(1000))), 65)
  expect_identical(score_thresholds(NA_real_), 0)
})

test_that("half the noise is rejected in every measure, the right noise is not", {
  # fixed seed; each of the four honest audits has a false-alarm rate below 0.01
  set.seed(304)
  normal <- function(sd) function(data, runs) stats::rnorm(runs, sum(data), sd)
  expect_true(quick(draws = noisy(1 / 2), epsilon = 1, runs = 1000)$rejected)
  expect_false(quick(draws = noisy(1), epsilon = 1, runs = 1000)$rejected)
  expect_true(quick(draws = normal(1 / 2), mu = 1, runs = 1000)$rejected)
  expect_false(quick(draws = normal(1), mu = 1, runs = 1000)$rejected)
  expect_true(quick(draws = normal(1 / 2), rho = 1 / 2, runs = 2000)$rejected)
  expect_false(quick(draws = normal(1), rho = 1 / 2, runs = 2000)$rejected)
  # sd 1 is (1, 0.127)-private and no better
  expect_true(quick(draws = normal(1 / 2), epsilon = 1, delta = 0.13, runs = 1000)$rejected)
  expect_false(quick(draws = normal(1), epsilon = 1, delta = 0.13, runs = 1000)$rejected)
})

test_that("events and classifiers of the user are used alone, in both directions", {
  set.seed(305)
  lie <- noisy(1 / 4)
  events <- list(low = function(output) output < 0.5, function(output) TRUE)
  by_events <- quick(draws = lie, epsilon = 1, events = events)
  expect_true(by_events$rejected)
  expect_match(by_events$event$description, "^event low")
  expect_setequal(unlist(by_events$scores), c(0, 1))
  one_way <- function(x) lapply(list(c(0, 0), c(0, 1)), function(first) {
    audit_mechanism(draws = lie, x = first, neighbor = c(0, 1 - first[2]), epsilon = 1, runs = 400,
                  classifier = function(output) output)
  })
  expect_true(all(vapply(one_way(), `[[`, NA, "rejected")))
  rows <- function(data, runs) cbind(lie(data, runs), 0)
  by_rows <- quick(draws = rows, epsilon = 1, classifier = function(output) output[1])
  expect_true(by_rows$rejected)
  nothing <- quick(draws = lie, epsilon = 1, events = list(function(output) TRUE))
  expect_identical(nothing$lower, 0)
})

test_that("releases of any kind are told apart", {
  set.seed(306)
  kinds <- list(
    string = function(data) if (sum(data) > stats::runif(1)) "yes" else NA_character_,
    factor = function(data) factor(sum(data) > 0.5, c(FALSE, TRUE)),
    list = function(data) list(a = stats::rnorm(1), b = list(stats::rnorm(1, 5 * sum(data)), "text")),
    frame = function(data) data.frame(u = stats::rnorm(3, 4 * sum(data)), v = "a"),
    complex = function(data) complex(real = stats::rnorm(1), imaginary = stats::rnorm(1, 5 * sum(data))),
    size = function(data) stats::rnorm(stats::rpois(1, 1 + 6 * sum(data))),
    null = function(data) if (sum(data) > 0) NULL else 1,
    formula = function(data) if (sum(data) > 0) y ~ x else y ~ z,
    infinite = function(data) if (sum(data) > 0) Inf else stats::rnorm(1),
    diagram = function(data) persistence_diagram(0:1, stats::runif(2), 2 + c(0, 3 * sum(data)) + stats::runif(2)),
    value = function(data) {
      new_private_value(stats::rnorm(1, 5 * sum(data)), new_noise("laplace", 1), class = "dptda_private_sum")
    }
  )
  for (kind in names(kinds)) expect_gt(quick(kinds[[kind]], epsilon = 0.5, runs = 200)$lower, 0.5, label = kind)
})

test_that("features say what they are, and are compared by name", {
  expect_identical(audit_features(list(a = 1, 2)), c(`$a[1]` = 1, `$asize` = 1, `$2[1]` = 2, `$2size` = 1, size = 2))
  expect_identical(audit_features(NULL), c(size = 0))
  expect_identical(unname(audit_features("a")["[1]"]), unname(audit_features(factor("a"))["[1]"]))
  expect_length(audit_features(numeric(5000)), 1001)
  both <- feature_matrices(list(x = list(c(1, 2), 3), neighbor = list(numeric(), 4)), 1:2)
  expect_identical(colnames(both$x), c("[1]", "[2]", "size"))
  expect_identical(both$neighbor[, "[1]"], c(NA, 4))
  constant <- quick(function(data) 1, epsilon = 1, runs = 40)
  expect_identical(constant$lower, 0)
  empty <- audit_features(persistence_diagram(integer(), double(), double()))
  expect_equal(empty, c(`$points` = 0))
})

test_that("a value met exactly is an event of its own", {
  # Laplace noise around 0 for x; exactly 0 in one half of the runs on the neighbor
  set.seed(307)
  skips <- function(data, runs) ifelse(stats::runif(runs) < sum(data) / 2, 0, laplace_noise(runs, 1))
  expect_true(quick(draws = skips, epsilon = 1, runs = 1000)$rejected)
})

test_that("a value met exactly is found however rare it is, among numbers that are never met twice", {
  # measured: rejected in all of 40 audits of 60,000 runs
  set.seed(309)
  rare <- quick(draws = forgetful_draws, epsilon = 1, runs = 1e5)
  expect_true(rare$rejected)
  expect_match(rare$event$description, "^exact repeats of output")
  # in one of ten numbers, which tells less on the whole than the noise of the others
  one_of_ten <- function(data, runs) {
    cells <- matrix(laplace_noise(10 * runs, 1), runs)
    cells[, 7] <- forgetful_draws(data, runs)
    cells
  }
  expect_true(quick(draws = one_of_ten, epsilon = 1, runs = 1e5)$rejected)
  # and under rho
  forgets <- function(data, runs) sum(data) + 5 * stats::rnorm(runs) * (stats::runif(runs) > 1 / 500)
  expect_true(quick(draws = forgets, rho = 1 / 50, runs = 1e5)$rejected)
})

test_that("repeats are weighed by their frequencies, and nothing else is", {
  values <- c(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, NA, NA, NA, NA, NA)
  learned <- learn_repeats(values, rep(c(TRUE, FALSE), c(10, 7)))
  expect_equal(learned$score(c(1, 2, 3, NA, 5)), c(log(6.5 / 11) - log(0.5 / 8), 0, 0, log(0.5 / 11) - log(5.5 / 8), 0))
  expect_identical(learn_repeats(1:20, rep(c(TRUE, FALSE), 10))$separation, 0)
  # a few missing values among many have no part in the quantiles
  expect_length(learn_ratio(c(stats::rnorm(1000), NA), rep(c(TRUE, FALSE), c(500, 501)))$ratio, 12)
})

# The features of one output around its numbers, and those that differ between two.
around <- function(output) {
  reader <- structure_reader()
  # what is in an environment is looked at once another was in its place
  for (i in 1:6) reader$read(unserialize(serialize(output, NULL)))
  read <- reader$read(unserialize(serialize(output, NULL)))
  unlist(reader$blocks()[read])
}
around_two <- function(a, b) {
  both <- feature_columns(list(x = list(a), neighbor = list(b)))
  colnames(both$x)[vapply(seq_len(ncol(both$x)), function(j) !identical(both$x[, j], both$neighbor[, j]), NA)]
}
feature_columns <- function(outputs) {
  # five of each, or nothing is kept
  around_runs(lapply(outputs, rep, 5), 1:5)
}
around_runs <- function(outputs, deciding) structure_matrices(outputs, deciding, feature_matrices(outputs, deciding))

# A NaN with a payload, as C may leave it there.
odd_nan <- function(payload) readBin(as.raw(c(payload, 0, 0, 0, 0, 0, 0xf8, 0x7f)), "double", endian = "little")

in_environment <- function(x, values) {
  environment(x) <- list2env(values, parent = baseenv())
  x
}

with_source <- function(text) in_environment(eval(parse(text = text, keep.source = TRUE)), list())

test_that("what is no number in its place is a feature, and equal things have equal ones", {
  things <- list(
    NULL, 0, -0, NA_real_, NaN, 0L, FALSE, "0", character(), list(), list(0), 1i, as.raw(0), quote(a),
    in_environment(y ~ x, list()), in_environment(function(x) x, list()), in_environment(function(y) y, list()),
    c(a = 1, b = 2), c(b = 1, a = 2), c(1, 2), list(a = 1, b = 2),
    list(b = 1, a = 2),
    matrix(1:2), matrix(1:2, dimnames = list(c("u", "v"))),
    structure(1, class = "u"), structure(1, class = c("u", "v")), structure(1, class = c("v", "u")),
    structure(1, what = "rows"),
    factor("u"), factor("u", c("u", "v")), data.frame(u = 1), data.frame(u = 1, row.names = "v"),
    table(c("u", "v")), table(c("u", "w")),
    c(numeric(1000), 1), c(numeric(1000), 2), c(numeric(1000), -0), c(rep("", 1000), "u"), c(rep("", 1000), "v"),
    "\u00e9", enc2native("e"), as.Date("2020-01-01"), as.POSIXct("2020-01-01", tz = "UTC"), expression(a),
    pairlist(a = 1), iconv("\u00e9", "UTF-8", "latin1"), list("\u00e9"), list(iconv("\u00e9", "UTF-8", "latin1")),
    odd_nan(1), odd_nan(2), in_environment(y ~ x, list(a = 1)), in_environment(y ~ x, list(a = 2)),
    in_environment(y ~ x, list(b = 1)), in_environment(function(x) x, list(a = 1)),
    in_environment(function(x) x, list(a = 2)), structure(1, e = list2env(list(a = 2), parent = baseenv())),
    list2env(list(f = in_environment(~ u, list(deep = 1))), parent = baseenv()),
    list2env(list(f = in_environment(~ u, list(deep = 2))), parent = baseenv()),
    new.env(parent = list2env(list(above = 1), parent = baseenv())), with_source("function(x) {\n# a\nx}"),
    with_source("function(x) {\n# b\nx}")
  )
  seen <- lapply(things, around)
  for (i in seq_along(things)) {
    expect_false(anyNA(seen[[i]]))
    expect_identical(around(unserialize(serialize(things[[i]], NULL))), seen[[i]])
    same <- vapply(seen, identical, NA, seen[[i]])
    expect_identical(which(same), i)
  }
  # environments need not end; what belongs to the session is not looked at, nor what computes at each look
  cycle <- new.env(parent = baseenv())
  cycle$self <- cycle
  expect_true("$self:entry" %in% names(around(cycle)))
  chain <- baseenv()
  for (i in 1:3000) chain <- new.env(parent = chain)
  expect_no_error(around(chain))
  expect_identical(around(globalenv()), around(asNamespace("stats")))
  # it is known by what it is: anybody can name an environment
  for (own in list(globalenv(), emptyenv(), baseenv(), asNamespace("dptda"), parent.env(asNamespace("dptda")),
                   as.environment("package:stats"))) {
    expect_true(is_of_session(own))
  }
  for (name in list("package:stats", "imports:stats", "imports:none", c("package:stats", "b"), 1)) {
    named <- new.env(parent = baseenv())
    attr(named, "name") <- name
    expect_false(is_of_session(named))
  }
  forged <- new.env(parent = baseenv())
  forged$.__NAMESPACE__. <- list2env(list(spec = c(name = "stats", version = "1")), parent = baseenv())
  expect_false(is_of_session(forged))
  active <- new.env(parent = baseenv())
  makeActiveBinding("now", function() stop("asked"), active)
  delayedAssign("later", stop("asked"), baseenv(), active)
  expect_no_error(around(active))
})

test_that("what saveRDS() writes of an output and print() does not show is seen", {
  set.seed(314)
  leaks <- list(
    encoding = function(data) {
      list(stats::rnorm(1), if (sum(data) > 0) "\u00fc" else iconv("\u00fc", "UTF-8", "latin1"))
    },
    payload = function(data) odd_nan(1 + sum(data)),
    payloads = function(data) list(stats::rnorm(1), odd_nan(1 + sum(data))),
    formula = function(data) {
      noise <- stats::rnorm(1)
      list(noise, y ~ x)
    },
    fit = function(data) {
      cars <- data.frame(speed = stats::rnorm(9), dist = stats::rnorm(9))
      stats::lm(dist ~ speed, cars)
    },
    closure = function(data) {
      noise <- stats::rnorm(1)
      function(x) x + noise
    },
    parent = function(data) local({
      noise <- stats::rnorm(1)
      function(x) x + noise
    })
  )
  for (leak in names(leaks)) expect_true(quick(leaks[[leak]], epsilon = 0.5, runs = 100)$rejected, label = leak)
  # what the runs share, and what each draws alike, is no leak: seed fixed, each of ten is rejected with probability
  # 0.01 at most
  count <- 0
  honest <- function(data) {
    count <<- count + 1
    rm(data)
    noise <- stats::rnorm(1)
    list(y ~ x, function() noise)
  }
  expect_lte(sum(replicate(10, quick(honest, epsilon = 0, runs = 100)$rejected)), 1)
})

test_that("columns around the numbers are decided by the first runs, tell, and do so once", {
  expect_identical(ncol(feature_columns(list(x = list(1, 2), neighbor = list(3, 4)))$x), 0L)
  expect_setequal(around_two(c(a = 1), c(b = 1)), c("[\"a\"]", "[\"b\"]", "@names:digest"))
  expect_identical(around_two(list(0), list(-0)), "[[1]][1]:special")
  expect_identical(ncol(around_runs(list(x = list(1, 1, "a"), neighbor = list(1, 1, "b")), 1:2)$x), 0L)
  # the third run has no say, and its values are what they are
  found <- around_runs(list(x = rep(list("a"), 6), neighbor = c(rep(list("b"), 5), list("a"))), 1:5)
  expect_identical(found$x[6, ], found$x[1, ])
  expect_identical(found$neighbor[6, ], found$x[1, ])
  # numbers in rows: the special ones; a list on one side and a vector on the other
  rows <- around_runs(list(x = cbind(1:6, 0), neighbor = cbind(1:6, -0)), 1:5)
  expect_identical(rows$neighbor, matrix(1, 6, 1, dimnames = list(NULL, "[2]:special")))
  expect_identical(ncol(around_runs(list(x = as.list(1:6), neighbor = 1:6), 1:5)$x), 0L)
  # numbers in attributes are columns, and those of lists where their names do not tell; none is there twice
  noisy <- function(shift) lapply(1:50, function(i) structure(list(u = i + shift), n = c(i, -i) + shift))
  expect_setequal(colnames(around_runs(list(x = noisy(0), neighbor = noisy(.5)), 1:50)$x),
                  paste0("@n[", 1:2, "]:value")[2])
  anew <- function(shift) lapply(1:50, function(i) structure(list(i + shift), names = paste(i, shift)))
  expect_identical(colnames(around_runs(list(x = anew(0), neighbor = anew(.5)), 1:50)$x), "[[1]]:value")
  # names that are new in each run are not kept
  fresh <- function() lapply(1:50, function(i) structure(list(0), names = paste(i, stats::runif(1))))
  expect_identical(ncol(around_runs(list(x = fresh(), neighbor = fresh()), 1:50)$x), 0L)
})

test_that("scores of the numbers are the same with and without what stands around them", {
  set.seed(310)
  numbers <- list(x = matrix(stats::rnorm(300), 100), neighbor = matrix(stats::rnorm(300, 1), 100))
  around <- lapply(numbers, function(part) cbind(part, matrix(stats::rbinom(200, 1, 0.5), 100)))
  for (part in names(numbers)) {
    colnames(numbers[[part]]) <- paste0("[", 1:3, "]")
    colnames(around[[part]]) <- c(paste0("[", 1:3, "]"), ":type", ":length")
  }
  alone <- learn_scores(numbers)
  both <- learn_scores(around, 3)
  expect_gt(length(both), length(alone))
  for (i in seq_along(alone)) {
    expect_identical(both[[i]]$label, alone[[i]]$label)
    expect_identical(both[[i]]$score(around$x), alone[[i]]$score(numbers$x))
  }
})

test_that("what stands around the numbers is found where it tells now and then, and rejects nobody who is honest", {
  set.seed(311)
  # a name that is there in nine of ten runs, and in a thousandth part of that on the neighbor; all others come and go
  rare <- function(data) {
    kept <- c(letters[stats::runif(26) < 0.5], if (stats::runif(1) < if (sum(data) > 0) 0.9 else 0.001) "bob")
    structure(stats::rnorm(length(kept)), names = kept)
  }
  found <- quick(rare, epsilon = 1, runs = 400)
  expect_true(found$rejected)
  expect_match(found$event$description, "bob")
  # the same text, place, class and sign for all, by coins: seed fixed, each of ten is rejected with probability 0.01 at
  # most
  coins <- function(data) {
    coin <- stats::runif(4) < 0.5
    both <- list(u = if (coin[1]) -0 else 0, v = if (coin[2]) "yes" else "no")
    structure(if (coin[3]) both else rev(both), class = if (coin[4]) "w")
  }
  expect_lte(sum(replicate(10, quick(coins, epsilon = 0, runs = 100)$rejected)), 1)
})

test_that("noise in many places does not crowd out what tells the data sets apart", {
  set.seed(312)
  # a thousand numbers and more come before the text, the number or the rare name that tells
  after <- function(told) function(data) structure(1, noise = stats::rnorm(1010), told = told(sum(data)))
  for (told in list(function(x) if (x > 0) "a" else "b", identity,
                    function(x) if (x > 0 && stats::runif(1) < 0.7) "a")) {
    lie <- quick(after(told), epsilon = 1, runs = 120)
    expect_true(lie$rejected)
    expect_match(lie$event$description, "@told|:type")
  }
  # by hand: two values of one column, another that one data set alone has, one that is met once on each
  from_x <- c(TRUE, TRUE, FALSE, FALSE, TRUE, TRUE, TRUE, FALSE)
  found <- column_differences(c(1, 1, 1, 1, 2, 2, 3, 3), c(0, 0, 1, 0, 5, 5, 8, 9), from_x, 3, 2)
  expect_equal(found, c(1 / 3 - 1, 1 + 1, -1))
})

test_that("what is no text, and classes that answer for themselves, end no audit", {
  set.seed(313)
  bytes <- "\xff\xfe"
  Encoding(bytes) <- "bytes"
  for (odd in c("\xff\xfe", bytes)) {
    for (make in list(function(x) c(odd, "a", x), function(x) structure(list(x, 1), names = c(odd, "a")),
                      function(x) structure(c(x, 1), names = c(odd, "a")))) {
      expect_true(quick(function(data) make(sum(data)), epsilon = 1, runs = 40)$reach > 1)
    }
  }
  expect_false(identical(around("\xff\xfe"), around("\xff\xfd")))
  # no warning, and the last byte is seen
  bytes <- function(data) as.raw(c(rep(0, 2000), sum(data)))
  expect_no_warning(found <- quick(bytes, epsilon = 1, runs = 100))
  expect_true(found$rejected)
  hostile <- c("names", "length", "as.vector", "[", "is.na", "anyNA")
  for (generic in hostile) registerS3method(generic, "dptda_hostile", function(x, ...) stop("no"),
                                            envir = environment(quick))
  for (value in list(1, "a", list(a = 1))) {
    expect_no_error(quick(function(data) structure(value, class = "dptda_hostile"), epsilon = 1, runs = 40))
  }
})

test_that("the result, its table and its words agree", {
  set.seed(308)
  audit <- quick(draws = noisy(1 / 4), epsilon = 1, runs = 401)
  expect_s3_class(audit, "dptda_audit")
  expect_identical(c(audit$runs, audit$tested), c(401L, 201L))
  expect_identical(lengths(audit$scores), c(x = 201L, neighbor = 201L))
  favors <- audit$event$favors
  other <- setdiff(c("x", "neighbor"), favors)
  limits <- c(lower_limit(audit$event$count[[favors]], 201, 0.005), upper_limit(audit$event$count[[other]], 201, 0.005))
  expect_equal(audit$lower, log(limits[1] / limits[2]))
  expect_equal(audit$reach, log(lower_limit(201, 201, 0.005) / upper_limit(0, 201, 0.005)))
  table <- as.data.frame(audit)
  expect_identical(dim(table), c(1L, 9L))
  expect_identical(table$lower, audit$lower)
  words <- format(audit)
  expect_match(words[2], "^REJECTED: epsilon is at least")
  expect_output(expect_identical(print(audit), audit), "REJECTED")
  expect_match(format(quick(draws = noisy(4), epsilon = 1))[5], "This audit does not prove the claim.", fixed = TRUE)
  expect_match(format(quick(draws = noisy(4), epsilon = 50))[5], "TOO FEW RUNS")
  expect_match(format(quick(draws = noisy(4), epsilon = 1, delta = 0.1))[1], "epsilon = 1.0, delta = 0.1", fixed = TRUE)
})

test_that("the picture is drawn, also of constant and infinite scores", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  set.seed(309)
  audit <- quick(draws = noisy(1 / 4), epsilon = 1)
  expect_identical(plot(audit), audit)
  bounds <- audit_bounds(audit)
  expect_equal(max(bounds$lower), audit$lower, tolerance = 0.5)
  expect_silent(plot(quick(function(data) 1, epsilon = 1, runs = 40)))
  expect_silent(plot(quick(function(data) Inf, epsilon = 1, runs = 40)))
})

test_that("an error of a mechanism says on which data set, and keeps its parent", {
  failing <- function(data) if (data == 2) stop("no such file") else stats::rnorm(1)
  for (audit in list(function() audit_mechanism(failing, 1, 2, epsilon = 1, runs = 40),
                     function() audit_mechanism(x = 1, neighbor = 2, epsilon = 1, runs = 40,
                                              draws = function(data, runs) replicate(runs, failing(data))))) {
    error <- expect_error(audit(), "failed on `neighbor`: no such file", class = "dptda_error_argument")
    expect_identical(conditionMessage(error$parent), "no such file")
  }
  expect_error(audit_mechanism(failing, 2, 1, epsilon = 1, runs = 40), "`mechanism` failed on `x`: ", fixed = TRUE)
})

test_that("a mechanism that puts the generator back is told apart with certainty, in few runs and many", {
  replay <- function(data) {
    state <- get(".Random.seed", globalenv())
    on.exit(assign(".Random.seed", state, globalenv()))
    sum(data) + stats::rnorm(1)
  }
  set.seed(309)
  for (runs in c(400, 2000)) {
    audit <- quick(replay, epsilon = 1, runs = runs)
    expect_true(audit$rejected)
    expect_identical(audit$estimate, Inf)
  }
})

test_that("runs can be shared by processes, and their errors arrive", {
  skip_on_os("windows")
  expect_length(quick(function(data) stats::rnorm(1), epsilon = 1, runs = 50, cores = 2)$scores$x, 25)
  expect_error(quick(function(data) stop("no such file"), epsilon = 1, cores = 2), "no such file")
  expect_error(quick(function(data) stop("no such file"), epsilon = 1), "no such file")
})

test_that("bad input is refused by class", {
  refused <- function(...) expect_error(..., class = "dptda_error_argument")
  release <- function(data) 1
  refused(audit_mechanism(x = 1, neighbor = 2, epsilon = 1))
  refused(audit_mechanism(release, 1, 2, 1, draws = release))
  refused(audit_mechanism("release", 1, 2, 1))
  refused(audit_mechanism(draws = 3, x = 1, neighbor = 2, epsilon = 1))
  refused(audit_mechanism(release, neighbor = 2, epsilon = 1))
  refused(audit_mechanism(release, 1, epsilon = 1))
  refused(audit_mechanism(release, 1, 2))
  refused(audit_mechanism(release, 1, 2, 1, rho = 1))
  refused(audit_mechanism(release, 1, 2, -1))
  refused(audit_mechanism(release, 1, 2, 1, delta = 1))
  refused(audit_mechanism(release, 1, 2, mu = 1, delta = 0.1))
  refused(audit_mechanism(release, 1, 2, 1, runs = 39))
  refused(audit_mechanism(release, 1, 2, 1, level = 1))
  refused(audit_mechanism(release, 1, 2, 1, cores = 0))
  refused(audit_mechanism(release, 1, 2, 1, events = release))
  refused(audit_mechanism(release, 1, 2, 1, events = list()))
  refused(audit_mechanism(release, 1, 2, 1, classifier = 1))
  refused(audit_mechanism(release, 1, 2, 1, events = list(release), classifier = release))
  refused(audit_mechanism(release, 1, 2, 1, classifier = function(output) 1:2))
  refused(audit_mechanism(release, 1, 2, 1, events = list(function(output) "yes")))
  refused(audit_mechanism(draws = function(data, runs) 1:3, x = 1, neighbor = 2, epsilon = 1))
  refused(audit_mechanism(draws = function(data, runs) rep("a", runs), x = 1, neighbor = 2, epsilon = 1))
})

test_that("methods refuse what only carries the class", {
  refused <- function(...) expect_error(..., class = "dptda_error_argument")
  for (bare in list(list(), 1, list(declared = c(epsilon = 1)))) {
    audit <- structure(bare, class = "dptda_audit")
    refused(format(audit))
    refused(print(audit))
    refused(plot(audit))
    refused(as.data.frame(audit))
    refused(print(structure(bare, class = "dptda_neighbors")))
    refused(plot(structure(bare, class = "dptda_privacy_curve")))
  }
})

test_that("the runs that test the event have no say in what is looked at", {
  runs <- list(x = list(1, 2, c(a = 3, b = 4)), neighbor = list(1, 1, c(b = 7, a = 8)))
  deciding <- feature_matrices(runs, 1:2)
  expect_identical(colnames(deciding$x), "[1]")
  expect_identical(deciding$neighbor[, "[1]"], c(1, 1, 7))
  # nothing varies where it is decided: one constant, whatever comes later
  expect_identical(colnames(feature_matrices(list(x = list(1, 2), neighbor = list(1, 3)), 1)$x), "[1]")
  expect_identical(colnames(feature_matrices(list(x = list(NA, 2), neighbor = list(NA, 3)), 1)$x), "size")
})

test_that("the measured privacy curve is that of the tested runs", {
  # randomized response of epsilon 1: delta(epsilon) = p - exp(epsilon) (1 - p); seed fixed, five standard errors
  set.seed(77)
  response <- function(data) if (stats::runif(1) < 1 / (1 + exp(-1))) data else 1 - data
  audit <- audit_mechanism(response, 0, 1, epsilon = 1, runs = 4000)
  epsilon <- c(0, .5, 1)
  p <- 1 / (1 + exp(-1))
  expect_lt(max(abs(audit_curve(audit, epsilon) - (p - exp(epsilon) * (1 - p)))), 5 * (1 + exp(1)) * sqrt(.25 / 2000))
  expect_gt(audit_curve(audit, 0), 0.3)
})
