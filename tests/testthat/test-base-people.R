# Rows of people: their weights, what releases make of them, and that nobody sees how many rows there are.

# The weights by the formula, one person after the other.
slow_weights <- function(frame, owner, weight) {
  weights <- integer(nrow(frame))
  for (one in unique(owner)) {
    rows <- which(owner == one)
    rows <- rows[do.call(order, c(unname(as.list(frame[rows, , drop = FALSE])), method = "radix"))]
    m <- length(rows)
    up_to <- floor(((0:m) * weight + m %/% 2) / m)
    weights[rows] <- as.integer(diff(up_to))
  }
  weights
}

some_visits <- function(people = 40, most = 60) {
  many <- c(1L, 2L, 15L, 16L, 17L, 33L, sample.int(most, people - 6, replace = TRUE))
  owner <- sample(rep(sample.int(1e6, people), many))
  n <- length(owner)
  data.frame(x = round(stats::rnorm(n), 1), s = sample(c("b", "a", "\u00e9", ""), n, replace = TRUE),
             l = sample(c(TRUE, FALSE), n, replace = TRUE),
             f = factor(sample(c("z", "y"), n, replace = TRUE), c("z", "y")),
             who = owner)
}

people_of <- function(visits, columns, ...) table_rows(visits, columns, person = "who", ...)

test_that("weights are those of the formula, in the order of all columns, and add up to the same for each person", {
  set.seed(1)
  for (run in 1:5) {
    visits <- some_visits()
    owner <- match(visits$who, unique(visits$who))
    for (weight in c(1, 2, 16, 1024, 2^20)) for (columns in list("x", c("s", "x"), c("l", "f", "x"), "f")) {
      rows <- weigh_rows(people_of(visits, columns), weight)
      expect_identical(c(rowsum(rows$weight, rows$owner)), rep(as.integer(weight), rows$n))
      asked <- visits[columns]
      if ("f" %in% columns) asked$f <- as.character(asked$f)
      expected <- slow_weights(asked, owner, weight)
      # rows that tie in all columns may change places
      key <- do.call(paste, c(asked, list(owner)))
      in_order <- function(weights) weights[order(key, weights, method = "radix")]
      expect_identical(in_order(rows$weight), in_order(expected))
    }
  }
})

test_that("one person with many rows, and many people with one, are weighed as the formula says", {
  X <- matrix(as.double(1e5:1))
  all <- .Call(ffi_base_weigh_rows, X, rep(1L, 1e5), 1, 1024, kernel_options())
  expect_identical(all, slow_weights(as.data.frame(X), rep(1L, 1e5), 1024))
  each <- .Call(ffi_base_weigh_rows, X, seq_len(1e5), 1e5, 1024, kernel_options())
  expect_identical(each, rep(1024L, 1e5))
  # equal rows, zeros of either sign, infinities
  x <- matrix(c(0, -0, 0, Inf, -Inf, 0, 1))
  expect_identical(sum(.Call(ffi_base_weigh_rows, x, rep(1L, 7), 1, 4, kernel_options())), 4L)
  expect_identical(.Call(ffi_base_weigh_rows, x[4:5, , drop = FALSE], c(1L, 1L), 1, 1, kernel_options()), c(0L, 1L))
})

test_that("order of rows, names of people and ties change nothing", {
  set.seed(2)
  visits <- some_visits()
  box <- c(-3, 3)
  release <- function(visits) {
    force(visits)
    set.seed(5)
    private_mean(people_of(visits, "x"), box, epsilon = 1, rng = "R")
  }
  first <- release(visits)
  expect_identical(release(visits[sample(nrow(visits)), ]), first)
  renamed <- visits
  renamed$who <- paste("p", match(visits$who, sample(unique(visits$who))))
  expect_identical(release(renamed), first)
  renamed$who <- factor(renamed$who)
  expect_identical(release(renamed), first)
})

test_that("releases for people are those of rows that are repeated as often as they weigh", {
  set.seed(3)
  visits <- some_visits()
  N <- length(unique(visits$who))
  what_is_seen <- function(mechanism, x) {
    statistic_of(mechanism$plan, rows_for(mechanism$plan, x))
  }
  weight <- 1024
  repeated <- function(columns) {
    rows <- weigh_rows(people_of(visits, columns), weight)
    visits[rep(seq_len(nrow(visits)), rows$weight), columns, drop = FALSE]
  }
  pairs <- list(
    list("l", private_count, list()), list("s", private_table, list(levels = c("a", "b"), columns = "s")),
    list("x", private_histogram, list(breaks = -2:2, columns = "x")),
    list("x", private_sum, list(box = domain_box(-2, 2))), list("x", private_mean, list(box = domain_box(-2, 2)))
  )
  for (pair in pairs) {
    people <- do.call(pair[[2]], c(list(unseen(N, person = "who"), epsilon = 1), pair[[3]]))
    rows <- do.call(pair[[2]], c(list(unseen(N * weight), epsilon = 1), pair[[3]]))
    x <- repeated(pair[[1]])
    expect_equal(people$plan$weight, weight)
    # the second moment of a mean is of people's means (test-number-moments.R)
    seen <- list(what_is_seen(people, people_of(visits, pair[[1]])), what_is_seen(rows, table_rows(x)))
    if (identical(pair[[2]], private_mean)) seen <- lapply(seen, `[`, 1)
    expect_equal(seen[[1]], seen[[2]])
  }
})

test_that("estimates are means over people of means over their rows", {
  set.seed(4)
  visits <- some_visits(200)
  of_people <- function(x) tapply(x, visits$who, mean)
  mean <- private_mean(people_of(visits, "x"), c(-5, 5), epsilon = 1e5)
  expect_lt(abs(mean - mean(of_people(visits$x))), 1e-3)
  count <- private_count(people_of(visits, "l"), epsilon = 1e5)
  expect_lt(abs(count - sum(of_people(visits$l))), 200 / 1024)
  share <- private_proportion(people_of(visits, "l"), epsilon = 1e5)
  expect_lt(abs(share - mean(of_people(visits$l))), 1 / 1024)
  counts <- as.numeric(private_table(people_of(visits, "s"), c("a", "b"), epsilon = 1e5))
  expect_equal(sum(counts), 200, tolerance = 1e-3)
})

test_that("one row of each person is a uniform one, and the same for all that a release asks", {
  visits <- data.frame(x = c(1, 2, 3, 10, 20, 100), who = c(1L, 1L, 1L, 2L, 2L, 3L))
  rows <- people_of(visits, "x", rows_of_person = "one")
  set.seed(6)
  chosen <- replicate(6000, settle_rows(rows, "R")$data[[1]])
  expect_identical(sort(unique(chosen[1, ])), c(1, 2, 3))
  expect_true(all(chosen[3, ] == 100))
  # false alarm below one in ten thousand, each
  expect_gt(stats::chisq.test(table(chosen[1, ]))$p.value, 1e-4)
  expect_gt(stats::chisq.test(table(chosen[2, ]))$p.value, 1e-4)
  expect_gt(stats::chisq.test(table(chosen[1, ], chosen[2, ]))$p.value, 1e-4)
  release <- private_count(people_of(cbind(visits, l = TRUE), "l", rows_of_person = "one"), epsilon = 1e5)
  expect_equal(as.numeric(release), 3)
  expect_identical(privacy(release)$person, "who")
})

test_that("a missing value is an error whichever row of a person is drawn, before anything is drawn", {
  data <- data.frame(who = rep(1:3, each = 40), x = 0.5, t = TRUE, s = "a")
  data[7, -1] <- NA
  taken <- function(x, columns) table_rows(x, columns, person = "who", rows_of_person = "one")
  bad <- function(...) expect_error(..., class = "dptda_error_argument")
  schema <- function(...) table_schema(x = schema_numeric(0, 1, cells = 2, ...))
  for (x in list(data, dplyr::tbl(local_sqlite(data), "people"))) {
    # of the first one row of forty has none, and is drawn rarely
    bad(private_histogram(taken(x, "x"), c(0, .5, 1), 1), "`x\\$x` must not contain missing")
    bad(private_mean(taken(x, "x"), c(0, 1), 1), "`x\\$x` must not contain missing")
    bad(private_count(taken(x, c("s", "t")), 1, columns = "t"), "`x\\$t` must not contain missing")
    bad(private_table(taken(x, "s"), "a", 1), "`x\\$s` must not contain missing")
    bad(private_synthesis(taken(x, "x"), schema(), 1), "missing")
    expect_s3_class(private_synthesis(taken(x, "x"), schema(missing = "level"), 1), "dptda_synthesis")
    with_replaced("choose_rows", function(...) stop("rows are drawn"), bad(private_table(taken(x, "s"), "a", 1)))
  }
})

test_that("one row of each person is what a release of rows gives, but for the unit of its noise", {
  set.seed(7)
  frame <- data.frame(x = stats::runif(300), who = sample.int(300))
  rows <- as.numeric(private_mean(frame$x, c(0, 1), epsilon = 1e4))
  people <- as.numeric(private_mean(people_of(frame, "x"), c(0, 1), epsilon = 1e4))
  expect_lt(abs(rows - people), 1e-4)
})

test_that("nothing that is visible depends on how many rows a person has", {
  shown <- function(many) {
    set.seed(1)
    visits <- data.frame(x = rep(c(.5, .25), c(many, 3)), l = TRUE, who = rep(c(7L, 8L), c(many, 3)))
    budget <- NULL
    rows <- people_of(visits, c("x", "l"))
    visible <- list(utils::capture.output(print(rows)), format(rows), rows$n)
    draws <- list(
      private_mean(people_of(visits, "x"), c(0, 1), epsilon = 1, rng = "R", budget = budget),
      private_count(people_of(visits, "l"), epsilon = 1, rng = "R", budget = budget),
      private_histogram(people_of(visits, "x"), 0:3 / 3, epsilon = 1, rng = "R", budget = budget),
      private_sum(people_of(visits, "x"), c(0, 1), rho = 1, rng = "R"),
      private_mean(people_of(visits, "x", rows_of_person = "one"), c(0, 1), epsilon = 1, rng = "R")
    )
    says <- function(x) tryCatch(force(x), error = conditionMessage)
    errors <- list(
      says(private_mean(people_of(visits, "x"), domain_box(c(0, 0), c(1, 1)), epsilon = 1)),
      says(private_count(people_of(visits, "x"), epsilon = 1)),
      says(private_mean(people_of(visits, "x"), c(0, 1), epsilon = -1, budget = budget)),
      says(simulate(private_count(unseen(3, person = "who"), epsilon = 1), 1, x = people_of(visits, "l")))
    )
    list(visible, draws, lapply(draws, privacy), lapply(draws, function(one) utils::capture.output(print(one))), errors,
         vapply(draws, function(one) as.double(utils::object.size(one)), 0))
  }
  few <- shown(1)
  expect_identical(shown(2), few)
  expect_identical(shown(1e5), few)
})

test_that("whose a row is must be said once for each row, in whole numbers or text", {
  frame <- data.frame(x = c(1, 2, 3), who = c(1L, 2L, 2L))
  wrong <- list(c(1, 2.5, 2), c(1, 2, 2^31), c(1, NA, 2), c(1, Inf, 2), c(1L, NA, 2L), list(1L, 2L, 2L),
                c("a", NA, "b"), 1:2, matrix(1:6, 3), c(TRUE, FALSE, TRUE),
                as.Date("2020-01-01") + 0:2, c("a", "b", "\xff"))
  for (ids in wrong) expect_error(table_rows(frame, "x", person = ids), class = "dptda_error_argument")
  doubles <- data.frame(x = 1:2, who = c(1, 2.5))
  expect_error(table_rows(doubles, person = "who"), "fractions.*as.character", class = "dptda_error_argument")
  # a file that was read has doubles where it has whole numbers
  whole <- table_rows(data.frame(x = 1:4, who = c(-7, 0, -0, 2^31 - 1)), person = "who")
  expect_identical(whole, table_rows(data.frame(x = 1:4, who = c(-7L, 0L, 0L, .Machine$integer.max)), person = "who"))
  expect_error(table_rows(frame, "x", person = "nobody"), "no column of this name", class = "dptda_error_argument")
  expect_error(table_rows(frame, "x", person = c("who", "x")), "interaction()", fixed = TRUE,
               class = "dptda_error_argument")
  expect_error(table_rows(frame, "x", people = 3), "person", class = "dptda_error_argument")
  expect_error(people_of(frame, "x", people = 1), "people", class = "dptda_error_argument")
  expect_error(people_of(frame[0, ], "x"), "at least one person", class = "dptda_error_argument")
  expect_equal(people_of(frame[0, ], "x", people = 4)$n, 4)
  latin <- c("\u00e9", iconv("\u00e9", "UTF-8", "latin1"), "e")
  expect_equal(table_rows(frame, "x", person = latin)$n, 2)
  for (named in list(list(owner = frame$who), stats::setNames(frame["who"], "owner"))) {
    expect_identical(table_rows(as.matrix(frame), "x", person = named)$person, "owner")
  }
  wrong <- list(list(frame$who), list(a = 1:3, b = 1:3), stats::setNames(list(frame$who), ""), list(a = NULL),
                stats::setNames(list(frame$who), NA), list(a = "who"))
  for (ids in wrong) expect_error(table_rows(frame, "x", person = ids), class = "dptda_error_argument")
})

test_that("people of a vector without a name are nobody else's, however the vector came", {
  stops <- data.frame(driver = rep(1:5, 1:5), bus = rep_len(c("a", "b"), 15), late = rep_len(c(TRUE, FALSE, FALSE), 15))
  id <- stops$driver
  made <- c(
    list(table_rows(stops, "late", person = stops$driver), table_rows(stops, "late", person = stops$bus),
         table_rows(stops, "late", person = stops[["driver"]]), table_rows(stops, "late", person = id),
         table_rows(stops, "late", person = id), do.call(table_rows, list(stops, "late", person = id))),
    lapply(stops[c("driver", "bus")], function(id) table_rows(stops, "late", person = id))
  )
  called <- vapply(made, function(rows) rows$person, "")
  expect_identical(anyDuplicated(called), 0L)
  releases <- lapply(made, private_count, epsilon = 0.5)
  refused <- function(code) expect_error(code, "person = list(patient", fixed = TRUE, class = "dptda_error_relation")
  named <- table_rows(stops, "late", person = "driver")
  budget <- privacy_budget(epsilon = 1, person = "driver")
  for (i in seq_along(releases)) {
    refused(privacy_compose(releases[[i]], private_count(named, epsilon = 1)))
    refused(private_count(made[[i]], epsilon = 0.5, budget = budget))
    for (j in seq_len(i - 1)) refused(releases[[i]] + releases[[j]])
    # the same rows are the same people
    expect_identical(privacy(releases[[i]] - private_count(made[[i]], epsilon = 0.25))$measure, c(epsilon = 0.75))
  }
  expect_identical(budget$spent, 0)
  for (person in list("driver", stops["driver"], list(driver = id))) {
    private_count(table_rows(stops, "late", person = person), epsilon = 0.25, budget = budget)
  }
  expect_identical(budget$spent, 0.75)
  # nothing of the vector is in the name
  set.seed(1)
  first <- table_rows(stops, "late", person = id)$person
  set.seed(1)
  expect_false(identical(table_rows(stops, "late", person = id)$person, first))
})

test_that("people with 64-bit numbers are told apart, whether or not a package for them is loaded", {
  # bits of 2^60 + 1, 2^60 + 2, 2^60 + 1, -1, 0, and of what is missing
  of_bits <- function(low, high) {
    structure(readBin(writeBin(as.vector(rbind(low, high)), raw(), endian = "little"), "double", length(low),
                      endian = "little"), class = "integer64")
  }
  low <- c(1L, 2L, 1L, -1L, 0L, 0L)
  high <- c(2^28, 2^28, 2^28, -1, 0, NA)
  high <- as.integer(high)
  codes <- person_codes(of_bits(low[-6], high[-6]), 5, "person")
  expect_identical(codes, c(1L, 2L, 1L, 3L, 4L))
  expect_error(person_codes(of_bits(low, high), 6, "person"), "missing", class = "dptda_error_argument")
})

test_that("people without rows weigh nothing in counts, and are refused where the total must be known", {
  frame <- data.frame(x = c(1, 2, 3), l = TRUE, who = c(1L, 2L, 2L))
  count <- private_count(people_of(frame, "l", people = 10), epsilon = 1e5)
  expect_equal(as.numeric(count), 2)
  expect_equal(privacy(count)$public$n, 10)
  expect_error(private_proportion(people_of(frame, "l", people = 10), epsilon = 1), class = "dptda_error_argument")
  expect_error(private_var(people_of(frame, "x", people = 10), c(0, 1), epsilon = 1), class = "dptda_error_argument")
  median <- private_median(people_of(frame, "x", people = 10), c(0, 4), epsilon = 1e4, step = 1)
  expect_true(as.numeric(median) %in% 1:2) # half of the weight is below 1.5
})

test_that("a release of rows does not take rows of people, nor the other way round", {
  frame <- data.frame(x = c(1, 2, 3), l = TRUE, who = c(1L, 2L, 2L))
  expect_error(row_weights(people_of(frame, "x")), class = "dptda_error_argument")
  of_rows <- private_count(unseen(2), epsilon = 1)
  expect_error(draw_release(of_rows, people_of(frame, "l"), NULL, "os"), class = "dptda_error_argument")
  of_people <- private_count(unseen(3, person = "who"), epsilon = 1)
  expect_error(draw_release(of_people, table_rows(frame, "l"), NULL, "os"), class = "dptda_error_argument")
  expect_error(draw_release(private_count(unseen(2, person = "other"), epsilon = 1), people_of(frame, "l"), NULL, "os"),
               class = "dptda_error_argument")
})

test_that("rows and bins that were made people, or rows, by hand are refused", {
  frame <- data.frame(l = TRUE, who = c(1L, 2L, 2L))
  changed <- function(rows, ...) {
    parts <- list(...)
    for (name in names(parts)) rows[name] <- parts[name]
    rows
  }
  refused <- function(rows) {
    expect_error(private_count(rows, epsilon = 1), "table_rows", class = "dptda_error_argument")
  }
  rows <- people_of(frame, "l")
  # three rows that weigh one each would count for two people
  refused(changed(rows, owner = NULL))
  refused(changed(rows, owner = NULL, take = "one"))
  refused(changed(rows, owner = NULL, weight = 1:3))
  refused(changed(rows, person = NULL, owner = NULL, n = 3))
  for (n in c(1, 3)) refused(changed(rows, n = n))
  refused(changed(people_of(frame, "l", people = 9), n = 1))
  refused(changed(table_rows(frame, "l"), weight = rep(1000L, 3)))
  of_one <- table_rows(frame, "l", person = "who", rows_of_person = "one")
  for (fine in list(rows, of_one, people_of(frame, "l", people = 9), settle_rows(of_one, "R"))) {
    expect_identical(check_valid(fine, "dptda_rows"), fine)
  }
  bins <- bin_points(people_of(data.frame(x = 1:3, who = frame$who), "x"), domain_grid(domain_box(0, 4), by = 1))
  expect_error(check_valid(changed(bins, person = NULL), "dptda_bins"), "bin_points", class = "dptda_error_argument")
  expect_identical(check_valid(bins, "dptda_bins"), bins)
})

test_that("the sensitivity of a person is that of a row, whoever is replaced", {
  set.seed(8)
  weight <- 16
  mechanism <- private_mean(unseen(2, person = "who"), domain_box(c(0, 0), c(1, 1)), epsilon = 1, bits = 3)
  mechanism$plan$weight <- weight
  seen <- function(m, corners) {
    one <- rbind(matrix(corners(m), m, 2), c(.5, .5))
    rows <- table_rows(one, person = c(rep(1L, m), 2L))
    rows$person <- "who"
    statistic_of(mechanism$plan, rows)[1:2]
  }
  corner <- list(function(m) 0, function(m) 1, function(m) sample(0:1, 2 * m, TRUE), function(m) stats::runif(2 * m))
  most <- 0
  for (m in c(1, 2, 15, 16, 17, 33)) for (k in c(1, 15, 17, 33)) for (a in corner) for (b in corner) {
    most <- max(most, abs(seen(m, a) - seen(k, b)))
  }
  expect_identical(most, weight * 8)
})

test_that("people without a row take no room and no time, however many they are", {
  skip_if_not(file.exists("/proc/self/status"))
  seen <- in_new_session('
    library(dptda)
    frame <- data.frame(x = c(.1, .5, .9, .7, .2), y = c(1, 0, 1, 0, .5), g = c("a", "b", "a", "c", "b"),
                        t = c(TRUE, FALSE, TRUE, NA, TRUE), who = c(1L, 1L, 2L, 3L, 3L))
    side <- c(0, 1)
    square <- domain_box(c(x = 0, y = 0), c(1, 1))
    by <- list(g = c("a", "b"))
    for (take in c("all", "one")) for (missing in c("error", "omit")) {
      x <- function(...) {
        table_rows(if (missing == "omit") frame else frame[-4, ], c(...), person = "who", people = 2^31 - 1,
                   rows_of_person = take, missing = missing)
      }
      releases <- list(
        private_count(x("t"), 1), private_count(x("t", "g"), 1, by = by), private_table(x("g"), c("a", "b"), 1),
        private_histogram(x("x"), c(0, .5, 1), 1), private_sum(x("x", "y"), square, 1, bits = 5),
        private_mean(x("x", "y"), square, rho = 1, bits = 5),
        private_mean(x("x", "y", "g"), square, 1, by = by, bits = 5),
        private_covariance(x("x", "y", "g"), square, rho = 1, by = by),
        if (missing == "error") private_bounds(x("x"), 1)
      )
      for (release in releases) invisible(utils::capture.output(print(release)))
    }
    peak <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
    cat(sum(gc()[, 6]), gsub("[^0-9]", "", peak), "\n")
  ')
  found <- scan(text = utils::tail(seen, 1), quiet = TRUE)
  expect_lt(found[1], 100) # megabytes, of R
  expect_lt(found[2], 2^20) # kilobytes, of the process: one number for each of these people were 8 gigabytes
})
