# Published tables of people who have many rows: what is drawn is what rows that are repeated as often as they weigh
# give, no person moves more than is said, and nobody sees how many rows there are.

visit_schema <- function() {
  table_schema(a = c("x", "y", "z"), b = schema_logical(), c = schema_numeric(0, 1, cells = 4))
}

visits_of <- function(people = 30) {
  many <- c(1, 2, 15, 16, 17, 33, sample.int(40, people - 6, replace = TRUE))
  rows <- sum(many)
  who <- sample(rep(sample.int(1000, people), many))
  a <- sample(c("x", "y", "z", "none"), rows, replace = TRUE)
  data.frame(who, a, b = stats::runif(rows) < ifelse(a == "x", 0.9, 0.2), c = stats::runif(rows, -0.2, 1.2))
}

coded_visits <- function(visits, ...) encode_table(table_rows(visits, person = "who", ...), visit_schema(), "x")

# Each row as often as it weighs.
repeated_visits <- function(visits, weight) {
  visits[rep(seq_len(nrow(visits)), weigh_rows(coded_visits(visits), weight)$weight), ]
}

many_methods <- function() {
  list(synthesis_privbayes(theta = 0.2), synthesis_privbayes(theta = 0.2, score = "information"), margins(),
       synthesis_mst(), synthesis_aim())
}

test_that("joint counts of people are those of rows that are repeated as often as they weigh", {
  set.seed(1)
  scopes <- list(1:3, c(3L, 1L), 2L, integer(), c(2L, 3L))
  for (weight in c(1, 16, 1024)) {
    visits <- visits_of()
    coded <- coded_visits(visits)
    counts <- joint_counts_all(weigh_rows(coded, weight), scopes)
    unit <- encode_table(repeated_visits(visits, weight), visit_schema(), "x")
    expect_identical(counts, joint_counts_all(unit, scopes))
    expect_identical(vapply(counts, sum, 0), rep(30 * weight, 5))
    # order of rows and names of people
    visits$who <- paste("p", visits$who)
    expect_identical(joint_counts_all(weigh_rows(coded_visits(visits[sample(nrow(visits)), ]), weight), scopes), counts)
  }
  expect_error(joint_counts(coded, 1), "without weights", class = "dptda_error_argument")
})

test_that("weights are counted by threads as by one, and beyond 32 bits", {
  set.seed(2)
  rows <- 2e5
  source <- list(sizes = c(a = 3L, b = 50L), n = rows,
                 codes = cbind(sample(0:2, rows, TRUE), sample(0:49, rows, TRUE)),
                 weight = sample(0:2^20, rows, replace = TRUE))
  scopes <- rep(list(1:2, 2:1, 1L, 2L), 30)
  counts <- withr::with_options(list(dptda.threads = 1), joint_counts_all(source, scopes))
  expect_identical(withr::with_options(list(dptda.threads = 4), joint_counts_all(source, scopes)), counts)
  expect_identical(counts[[3]], as.double(rowsum(as.double(source$weight), source$codes[, 1])))
  expect_gt(max(counts[[3]]), 2^32)
})

test_that("with one row of each person counts are those of rows, times what a person weighs", {
  set.seed(3)
  visits <- visits_of()
  visits <- visits[!duplicated(visits$who), ]
  scopes <- list(1:3, 2L)
  expect_identical(joint_counts_all(weigh_rows(coded_visits(visits), 1024), scopes),
                   lapply(joint_counts_all(encode_table(visits, visit_schema(), "x"), scopes), `*`, 1024))
})

test_that("what is drawn for people is what is drawn for rows that are repeated as often as they weigh", {
  set.seed(4)
  visits <- visits_of()
  for (method in many_methods()) for (rho in c(0.5, 50)) {
    mechanism <- private_synthesis(unseen(30, person = "who"), visit_schema(), rho = rho, method = method)
    plan <- mechanism$plan
    expect_identical(plan$person_weight, 1024)
    drawn <- function(source) {
      set.seed(5)
      draw_of(plan, statistic_of(plan, source), "R")
    }
    own <- drawn(coded_visits(visits))
    expect_identical(drawn(encode_table(repeated_visits(visits, 1024), visit_schema(), "x")), own)
    expect_identical(own$model$n, 30)
  }
})

test_that("estimates are in people: means over people of the shares of their rows", {
  set.seed(6)
  visits <- visits_of(200)
  shares <- tapply(visits$b, visits$who, mean)
  rows <- table_rows(visits, person = "who")
  for (method in many_methods()) {
    fit <- private_synthesis(rows, visit_schema(), rho = 1e6, method = method, rng = "R")
    margin <- model_margin(fit$model, 2)
    expect_equal(margin[2] / sum(margin), mean(shares), tolerance = 0.01)
    expect_identical(nrow(stats::simulate(fit)), 200L)
    expect_identical(fit$n, 200)
    expect_identical(fit$person, "who")
  }
})

# People of a table of these sizes: `mass` has a column for each, what its rows weigh in each cell.
score_of_people <- function(mass, size, plan, kind) {
  .Call(ffi_publish_parent_scores, list(rowSums(mass)), as.integer(size), sum(mass), kind, plan$shift, plan$unit,
        kernel_options())
}

# Climbs to two tables that differ in one person and are far apart. A move takes some of one person's weight from a cell
# to another, or all of it.
climb_people <- function(cells, people, weight, score, tries, moves) {
  best <- 0
  for (try in seq_len(tries)) {
    mass <- stats::rmultinom(people + 1, weight, rep(1, cells))
    if (try %% 2) mass <- apply(mass, 2, function(own) replace(0 * own, sample.int(cells, 1), weight))
    gap <- function(mass) abs(score(mass[, -1, drop = FALSE]) - score(mass[, -2, drop = FALSE]))
    now <- gap(mass)
    for (move in seq_len(moves)) {
      new <- mass
      who <- sample.int(people + 1, 1)
      if (stats::runif(1) < 0.3) {
        new[, who] <- replace(double(cells), sample.int(cells, 1), weight)
      } else {
        from <- sample(rep(which(new[, who] > 0), 2), 1)
        some <- sample(c(1, new[from, who]), 1)
        to <- sample.int(cells, 1)
        new[from, who] <- new[from, who] - some
        new[to, who] <- new[to, who] + some
      }
      if (gap(new) >= now) {
        mass <- new
        now <- gap(new)
      }
    }
    best <- max(best, now)
  }
  best
}

test_that("no person moves a distance by more than the bound, and one moves it by more than a row's times the weight", {
  set.seed(7)
  cost <- new_cost(c(epsilon = 1))
  reached <- function(shape, people, weight, tries = 4, moves = 300) {
    plan <- plan_parents(people, cost, 1, 1, "distance", weight)
    most <- climb_people(prod(shape), people, weight, function(mass) score_of_people(mass, shape[1], plan, 0L), tries,
                         moves)
    expect_lte(most, plan$sensitivity[if (any(shape == 2)) 1 else 2])
    most
  }
  # 4 (N - 1) W^2, the bound of a row in parts of a person, is 3072; that of N W rows is 4032
  plan <- plan_parents(4, cost, 1, 1, "distance", 16)
  expect_identical(plan$sensitivity, c(4032, 6144))
  others <- c(0, 2, 46, 0)
  worst <- c(score_of_people(cbind(others, c(8, 0, 0, 8)), 2, plan, 0L),
             score_of_people(cbind(others, c(0, 16, 0, 0)), 2, plan, 0L))
  expect_identical(abs(diff(worst)), 3200)
  for (people in c(1, 2, 6)) for (shape in list(c(2, 2), c(3, 3), c(2, 6))) reached(shape, people, 16)
})

test_that("no person moves the information by more than the bound, and one moves it by more than a row's", {
  set.seed(8)
  cost <- new_cost(c(epsilon = 1))
  for (people in c(1, 2, 4, 10)) for (shape in list(c(2, 2), c(2, 3), c(4, 4))) {
    plan <- plan_parents(people, cost, 1, 1, "information", 16)
    most <- climb_people(prod(shape), people, 16, function(mass) score_of_people(mass, shape[1], plan, 1L), 4, 300)
    bound <- people_information(plan, shape[1], shape[2])
    expect_lte(most, bound)
    expect_gt(most, bound / 3)
  }
  # the proof's terms, and rounding of each of 16 + 4 + 4 counts
  expect_equal(bound, plan$unit * 16 * (2 * (log(10) + 9 * log(10 / 9)) + log(4)) + 27, tolerance = 1e-9)
  four <- information_sensitivity(10)[2] * 16 * plan$unit
  expect_gt(most, four)
  # with two codes, and of many people, replacing their rows one by one is known to move it less
  plan <- plan_parents(1e6, cost, 1, 1, "information", 1024)
  expect_equal(people_information(plan, 2, 2), plan$unit * 1024 * information_sensitivity(1e6 * 1024)[1] + 8.8,
               tolerance = 1e-6)
  # one bound for all candidates: the largest
  sizes <- c(a = 3L, b = 2L, c = 5L)
  plan <- list(sizes = sizes, choice = plan_parents(100, cost, 1, 2, "information", 1024))
  each <- vapply(list(1:2, c(3L, 1L), 1:3), function(scope) scopes_sensitivity(list(scope), plan), 0)
  expect_identical(scopes_sensitivity(list(1:2, c(3L, 1L), 1:3), plan), max(each))
  expect_identical(each[2], people_information(plan$choice, 5, 3))
})

test_that("scores of graphical models and counts move by no more than twice what a person weighs", {
  set.seed(9)
  model <- random_tree(c(2, 3), list(1:2))
  weight <- 16
  most <- climb_people(6, 3, weight, function(mass) {
    score_scopes(model, list(1:2), list(rowSums(mass)), 8, 3, total = 3 * weight)
  }, 6, 300)
  expect_lte(most, score_sensitivity(3, 8, weight))
  expect_gt(most, score_sensitivity(3, 8, weight) / 2)
  # one person with rows of one kind, and one with rows of another: l1 2 W, squared l2 2 W^2
  for (method in many_methods()) {
    plans <- lapply(list(unseen(50, person = "person"), 50), function(n) {
      private_synthesis(as_unseen(n), visit_schema(), rho = 0.3, method = method)$plan
    })
    scales <- lapply(plans, function(plan) c(plan$scale, plan$pair_scale, plan$margin_noise$scale))
    expect_identical(scales[[1]], scales[[2]])
  }
  of <- function(epsilon) private_synthesis(table_rows(visits_of(), person = "who"), visit_schema(), epsilon,
                                            method = "margins")
  scales <- list()
  noise <- add_noise
  with_replaced("add_noise", function(values, scale, ...) {
    scales <<- c(scales, list(scale))
    noise(values, scale, ...)
  }, of(3))
  # of 24 digits, rounded up
  expect_equal(unlist(scales), 2 * 1024, tolerance = 2^-22)
  expect_gte(unlist(scales), 2 * 1024)
})

one_each <- function(people) data.frame(who = seq_len(people), a = "x", b = TRUE, c = 0.5)

test_that("a person weighs as much as exact sums and scales leave room for", {
  for (method in many_methods()) for (n in c(1, 1000, 2^31 - 1)) {
    plan <- private_synthesis(unseen(n, person = "person"), visit_schema(), rho = 1, method = method)$plan
    expect_identical(plan$person_weight, 1024)
    if (!is.null(plan$unit)) expect_gte(plan$unit, 1)
  }
  # no noise has a scale above 2^40
  for (method in many_methods()) for (rho in 2^c(-50, -60, -66, -70)) {
    mechanism <- tryCatch(private_synthesis(unseen(1000, person = "person"), visit_schema(), rho = rho,
                                            method = method),
                          dptda_error_argument = identity)
    if (inherits(mechanism, "error")) next
    plan <- mechanism$plan
    expect_lte(max(plan$scale, plan$pair_scale, plan$margin_noise$scale) * plan$person_weight, 2^40)
    fit <- stats::simulate(mechanism, 1, seed = 1, x = table_rows(one_each(1000), person = "who"))
    expect_s3_class(fit[[1]], "dptda_synthesis")
  }
})

test_that("one row of each person is looked at, by every method", {
  set.seed(10)
  visits <- visits_of()
  one <- table_rows(visits, person = "who", rows_of_person = "one")
  settled <- settle_rows(encode_table(one, visit_schema(), "x"), "R")
  expect_identical(dim(settled$codes), c(30L, 3L))
  expect_null(settled$owner)
  codes <- encode_table(visits, visit_schema(), "x")$codes
  key <- apply(codes, 1, paste, collapse = " ")
  owner <- match(visits$who, unique(visits$who))
  for (i in 1:30) expect_true(paste(settled$codes[i, ], collapse = " ") %in% key[owner == i])
  network <- synthesis_topology(decoder = "autoencoder", size = 8, cloud = 20, steps = 10, hidden = 1, batch = 30,
                                passes = 1, k = 1, rounds = 1)
  cases <- c(lapply(many_methods(), function(method) list(method = method, rho = 1)),
             list(list(method = "dp2pub", epsilon = 9),
                  list(method = synthesis_topology(size = 8, cloud = 20, steps = 10), rho = 1),
                  list(method = network, epsilon = 4, delta = 1e-3)))
  for (case in cases) {
    fit <- suppressMessages(do.call(private_synthesis, c(list(one, visit_schema()), case)))
    expect_identical(privacy(fit)$person, "who")
    expect_identical(privacy(fit)$unit, "one person")
    expect_identical(nrow(stats::simulate(fit)), 30L)
  }
  # with people who have one row each it is what rows give, but for what was drawn to choose
  each <- visits[!duplicated(visits$who), ]
  mechanism <- private_synthesis(unseen(30, person = "who", rows_of_person = "one"), visit_schema(), rho = 1)
  expect_identical(mechanism$plan$person_weight, 1)
  expect_identical(settle_rows(coded_visits(each, rows_of_person = "one"), "R")$codes,
                   encode_table(each, visit_schema(), "x")$codes)
})

test_that("flipped rows are in an order that says nothing of where the rows of a person stand", {
  schema <- table_schema(b = schema_logical(), d = schema_logical())
  others <- data.frame(b = rep(c(TRUE, FALSE), length.out = 41), d = FALSE, who = 1:41)
  own <- data.frame(b = TRUE, d = TRUE, who = 0L)
  flipped <- function(visits) {
    rows <- table_rows(visits, person = "who", rows_of_person = "one")
    # a budget at which no code is flipped
    private_synthesis(rows, schema, epsilon = 1e4, method = synthesis_dp2pub())$model$codes
  }
  # all others would stand one place further where the first of a person's two rows is there
  codes <- flipped(rbind(own, others, own))
  expect_identical(flipped(rbind(others, own)), codes)
  expect_identical(flipped(rbind(others[41:1, ], own)), codes)
})

test_that("what is not known for all rows of people is refused before anything is spent", {
  set.seed(11)
  visits <- visits_of()
  budget <- privacy_budget(rho = 100, relation = "person", person = "who")
  rows <- table_rows(visits, person = "who")
  refused <- function(words, ...) {
    expect_error(private_synthesis(..., schema = visit_schema(), budget = budget), words,
                 class = "dptda_error_argument")
    expect_identical(nrow(as.data.frame(budget)), 0L)
  }
  refused("rows_of_person", rows, rho = 1, method = "topology")
  refused("rows_of_person", rows, epsilon = 1, delta = 1e-3, method = synthesis_topology(decoder = "autoencoder"))
  refused("rows_of_person", rows, epsilon = 9, method = "dp2pub")
  for (take in c("all", "one")) {
    refused("people", table_rows(visits, person = "who", people = 40, rows_of_person = take), rho = 1)
  }
  expect_error(private_synthesis(unseen(10, person = "person", complete = FALSE), visit_schema(), rho = 1), "people",
               class = "dptda_error_argument")
  visits$b[5] <- NA
  refused("missing", table_rows(visits, person = "who"), rho = 1)
})

test_that("nothing that is visible depends on how many rows a person has", {
  shown <- function(many) {
    visits <- data.frame(a = rep(c("x", "y", "y"), c(many, 3, 1)), b = rep(c(TRUE, FALSE), c(many, 4)), c = 0.5,
                         who = rep(c(7L, 8L, 9L), c(many, 3, 1)))
    rows <- table_rows(visits, person = "who")
    lapply(many_methods(), function(method) {
      set.seed(1)
      fit <- private_synthesis(rows, visit_schema(), rho = 1, method = method, rng = "R")
      list(fit, utils::capture.output(print(fit)), privacy(fit), summary(fit), stats::simulate(fit, seed = 1),
           as.double(utils::object.size(fit)))
    })
  }
  few <- shown(1)
  expect_identical(shown(2), few)
  expect_identical(shown(5000), few)
  expect_match(few[[1]][[2]], "3 people (`who`)", fixed = TRUE, all = FALSE)
})

test_that("rows of which each counts one are not taken for the people of a model without a word", {
  set.seed(13)
  visits <- visits_of(100)
  model <- private_synthesis(table_rows(visits, person = "who"), visit_schema(), rho = 1, method = "mst", rng = "R")
  evaluate <- function(test) evaluate_synthesis(model, test, points = 0, margins = 1)
  expect_warning(evaluate(visits), "each row counts one", class = "dptda_warning_unit")
  expect_no_warning(evaluate(table_rows(visits, person = "who")))
  expect_no_warning(evaluate(visits[!duplicated(visits$who), ]))
})

test_that("models are compared with people as with rows that are repeated as often as they weigh", {
  set.seed(12)
  visits <- visits_of(100)
  rows <- table_rows(visits, person = "who")
  drawn <- visits[sample(nrow(visits), 100), ]
  evaluate <- function(test, train = NULL) {
    as.data.frame(evaluate_synthesis(drawn, test, schema = visit_schema(), train = train, points = 0, margins = 1:2))
  }
  unit <- repeated_visits(visits, 1024)
  expect_equal(evaluate(rows), evaluate(unit))
  expect_equal(evaluate(rows, rows), evaluate(unit, unit))
  one <- evaluate(table_rows(visits, person = "who", rows_of_person = "one"))
  expect_equal(one$model, evaluate(unit)$model, tolerance = 0.7)
  expect_error(evaluate(table_rows(visits, person = "who", people = 200)), "people", class = "dptda_error_argument")
})
