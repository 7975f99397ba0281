# Rows of people in rounds, k-means and covariances: weighed rows are rows that are repeated, and nobody moves more than
# one row would.

# `many`: how many rows each person has, all in this box.
crowd_rows <- function(many, D = 2, take = "all") {
  X <- matrix(stats::runif(sum(many) * D, -1.2, 1.2), ncol = D)
  table_rows(X, person = sample(rep(seq_along(many), many)), rows_of_person = take)
}

crowd_box <- function(D = 2) domain_box(rep(-1, D), rep(1, D))

crowd_model <- function(K, D) {
  spread <- vapply(seq_len(K), function(k) crossprod(matrix(stats::rnorm(D^2, sd = .3), D)) + diag(.05, D), diag(D))
  list(weights = (1:K) / sum(1:K), means = matrix(stats::runif(K * D, -1, 1), D),
       covariances = array(spread, c(D, D, K)))
}

repeated_rows <- function(rows) rows$data[rep(seq_len(nrow(rows$data)), rows$weight), , drop = FALSE]

test_that("weighed rows are summed as rows that are repeated", {
  set.seed(1)
  for (D in c(1, 3)) for (weight in c(1, 16, 1024)) {
    rows <- weigh_rows(crowd_rows(sample.int(20, 12), D), weight)
    X <- repeated_rows(rows)
    box <- crowd_box(D)
    expect_identical(nrow(X), as.integer(12 * weight))
    model <- crowd_model(3, D)
    for (whitened in c(TRUE, FALSE)) {
      query <- list(hard = TRUE, whitened = whitened, bits = c(6, 0), stretch = 1)
      expect_identical(query_sums(rows, model, box, query), query_sums(X, model, box, query))
    }
    one <- list(hard = FALSE, whitened = TRUE, bits = c(6, 0), stretch = 1.5)
    expect_identical(query_sums(rows, standard_model(D), box, one), query_sums(X, standard_model(D), box, one))
    one$far <- TRUE
    expect_identical(query_sums(rows, standard_model(D), box, one), query_sums(X, standard_model(D), box, one))
    centers <- matrix(stats::runif(4 * D, -1, 1), D)
    plan <- list(bits = 9, weight = weight)
    expect_identical(lloyd_sums(rows, centers, box, plan), lloyd_sums(X, centers, box, plan))
    starts <- lapply(1:3, function(i) matrix(stats::rnorm(2 * D), D))
    expect_identical(start_scores(rows, standard_model(D), box, starts, .5, 8),
                     start_scores(X, standard_model(D), box, starts, .5, 8))
    planes <- rbind(matrix(round(stats::runif(2 * D, -1, 1) * 2^20), D), c(0, 2^25))
    first <- c(1, 3, 0, 0, 0)
    for (sums in c(TRUE, FALSE)) {
      expect_identical(tree_sums(rows, box, plan, planes, first, sums), tree_sums(X, box, plan, planes, first, sums))
    }
    lattice <- kmeans_lattice(box, 9)
    places <- matrix(round(stats::runif(5 * D, -512, 512)), D)
    swaps <- function(x) {
      .Call(ffi_cluster_swaps, row_points(x), row_weights(x), lattice, places, c(1, 3), 3, 900, kernel_options())
    }
    expect_identical(swaps(rows), swaps(X))
    nearest <- function(x) {
      .Call(ffi_cluster_nearest, row_points(x), row_weights(x), lattice, places, kernel_options())
    }
    expect_identical(nearest(rows), nearest(X))
  }
})

test_that("shares are parts of weights, and none is lost", {
  set.seed(2)
  box <- crowd_box()
  for (weight in c(4, 1024)) {
    rows <- weigh_rows(crowd_rows(c(1, 2, 3, 40, 700, sample.int(9, 30, TRUE))), weight)
    model <- crowd_model(4, 2)
    query <- list(hard = FALSE, whitened = FALSE, bits = c(4, 0), stretch = 1)
    sums <- query_sums(rows, model, box, query)
    expect_identical(sum(sums[1, ]), 35 * weight)
    # the slow way; where a share is within rounding of half a step it may be one off
    X <- pmin(pmax(rows$data, -1), 1)
    density <- vapply(1:4, function(k) {
      S <- model$covariances[, , k]
      away <- t(X) - model$means[, k]
      model$weights[k] / sqrt(det(S)) * exp(-colSums(away * solve(S, away)) / 2)
    }, double(nrow(X)))
    turn <- as.vector(X %*% (4096 * (1 + (1:2 * 0.6180339887498949) %% 1))) %% 1
    up_to <- floor(t(apply(density / rowSums(density), 1, cumsum)) * rows$weight + turn)
    expect_lte(max(abs(colSums(up_to - cbind(0, up_to[, -4])) - sums[1, ])), 4)
    # each row by itself, its shares add up to what it weighs
    some <- which(rows$weight > 0)[1:20]
    alone <- vapply(some, function(i) {
      one <- rows
      one$data <- rows$data[i, , drop = FALSE]
      one$owner <- rows$owner[i]
      one$weight <- rows$weight[i]
      query_sums(one, model, box, query)[1, ]
    }, double(4))
    expect_identical(colSums(alone), as.double(rows$weight[some]))
    expect_true(all(alone >= 0))
  }
})

test_that("shares of rows that weigh one are right on average, on a lattice too", {
  set.seed(9)
  turn <- 2 * pi * (0:2) / 3
  model <- list(weights = rep(1 / 3, 3), means = 0.4 * rbind(cos(turn), sin(turn)),
                covariances = array(diag(.25, 2), c(2, 2, 3)))
  X <- t(model$means[, sample(3, 20000, TRUE)]) + stats::rnorm(40000, sd = .5)
  for (X in list(X, round(X, 1))) {
    rows <- weigh_rows(table_rows(X, person = rep(1:20, 1000)), 1024)
    seen <- function(x, bits) {
      sums <- query_sums(x, model, crowd_box(), list(hard = FALSE, whitened = TRUE, bits = c(8, bits), stretch = 1))
      c(sums[1, ] / sum(sums[1, ]), (sums[4, ] + sums[6, ]) / sums[1, ] / 2^17)
    }
    # rounded at one half, it would be .5 and more
    expect_lt(max(abs(seen(rows, 0) / seen(X, 16) - 1)), .05)
  }
})

# What one person adds to a statistic: alone in a table, as the sums have no other memory.
person_statistic <- function(X, weight, statistic) {
  rows <- weigh_rows(table_rows(X, person = rep(1L, nrow(X))), weight)
  as.vector(statistic(rows))
}

# People with few rows and many, in corners, spread over the box, and nearly in two places.
searched_people <- function(weight, D) {
  corner <- function(m) matrix(sample(c(-1, 1), m * D, TRUE), ncol = D)
  sizes <- c(1, 1, 1, 1, 2, 2, 5, weight - 1, weight + 1, 2 * weight + 1)
  c(lapply(sizes, corner), lapply(sizes, function(m) corner(1)[rep(1, m), , drop = FALSE]),
    lapply(sizes, function(m) matrix(stats::runif(m * D, -1, 1), ncol = D)),
    list(matrix(1, 3, D), matrix(-1, 5, D), rbind(matrix(1, weight, D), matrix(-1, weight, D))))
}

# The largest loss of all pairs, of Gaussian noise or of Laplace noise.
largest_loss <- function(people, weight, statistic, scale, kind) {
  V <- vapply(people, function(X) person_statistic(X, weight, statistic) / scale, double(length(scale)))
  if (kind == "laplace") max(stats::dist(t(V), "manhattan")) else max(stats::dist(t(V)))^2 / 2
}

test_that("no person moves what is seen by more than was paid for", {
  set.seed(3)
  weight <- 16
  box <- crowd_box()
  people <- searched_people(weight, 2)
  # corners are in clusters of their own, so that bounds are reached
  model <- list(weights = c(.5, .5), means = cbind(c(-.9, -.9), c(.9, .9)),
                covariances = array(diag(.02, 2), c(2, 2, 2)))
  within <- function(loss, most, part) {
    expect_lte(loss, most * (1 + 1e-9))
    expect_gt(loss, part * most)
  }
  for (kind in 1:4) {
    query <- plan_query(40, 2, .3, list(whitened = kind < 3, hard = kind %% 2 == 1), 2, digits = 4)
    expect_identical(query$bits[2], 4)
    seen <- function(rows) query_sums(rows, model, box, query)
    within(largest_loss(people, weight, seen, rep(query$scale, 2), "gaussian"), .3, .5)
  }
  far <- plan_query(40, 2, .3, list(whitened = TRUE, hard = FALSE, stretch = .3, far = TRUE), 1, digits = 4)
  seen <- function(rows) query_sums(rows, standard_model(2), box, far)
  within(largest_loss(people, weight, seen, far$scale, "gaussian"), .3, .4)
  centers <- cbind(c(-.9, -.9), c(.9, .9), c(-.9, .9))
  for (measure in list(c(epsilon = 1), c(rho = .3))) {
    kind <- measure_noise(measure)
    plan <- plan_kmeans_lloyd(40, box, 3, new_cost(measure), rounds = 1, digits = 4)
    expect_identical(plan$weight, weight)
    seen <- function(rows) lloyd_sums(rows, centers, box, plan)
    within(largest_loss(people, weight, seen, rep(plan$scale, 3), kind), measure[[1]], .95)
    query <- plan_cluster_query(40, 2, new_cost(measure), 1, digits = 4)
    seen <- function(rows) query_sums(rows, c(kmeans_model(centers), list(nearest = centers[, 3:1])), box, query)
    within(largest_loss(people, weight, seen, rep(query$scale, 3), kind), measure[[1]], .2)
    cube <- plan_kmeans_cube(40, box, 2, new_cost(measure), digits = 4)
    spent <- cube$steps[[2]]
    lattice <- kmeans_lattice(box, cube$bits)
    counts <- function(rows) {
      .Call(ffi_cluster_tree, row_points(rows), row_weights(rows), lattice, NULL, c(2, 2) * 2^cube$bits / 2,
            c(1, double(4)), FALSE, kernel_options())[-1]
    }
    within(largest_loss(people, weight, counts, rep(cube$count, 4), kind), spent[1], .95)
    places <- round(centers * 2^cube$bits)
    means <- function(rows) {
      .Call(ffi_cluster_nearest, row_points(rows), row_weights(rows), lattice, places, kernel_options())
    }
    within(largest_loss(people, weight, means, rep(cube$scale, 3), kind), spent[length(spent)], .9)
    loss <- function(rows) {
      .Call(ffi_cluster_swaps, row_points(rows), row_weights(rows), lattice, places, c(1, 2), cube$exchange$step,
            cube$exchange$clip, kernel_options())
    }
    moved <- vapply(people, function(X) person_statistic(X, weight, loss), double(6))
    expect_lte(max(apply(moved, 1, function(one) diff(range(one)))), weight * cube$exchange$clip)
    epsilon <- if (kind == "laplace") spent[6] else sqrt(8 * spent[6])
    expect_lte(cube$exchange$epsilon, epsilon)
    expect_identical(cube$exchange$sensitivity, weight * cube$exchange$clip)
  }
  tree <- plan_kmeans_tree(40, box, 2, new_cost(c(rho = .3)), digits = 4)
  planes <- rbind(c(2^20, 0), c(0, 2^20), 0)
  levels <- function(rows) tree_sums(rows, box, tree, planes, c(1, 3, 5, 0, 0, 0, 0), FALSE)[4:7]
  within(largest_loss(people, weight, levels, rep(tree$level, 4), "gaussian"), tree$steps$rho[1], .95)
  leaves <- function(rows) tree_sums(rows, box, tree, planes, c(1, 3, 5, 0, 0, 0, 0), TRUE)[, 4:7]
  within(largest_loss(people, weight, leaves, rep(tree$scale, 4), "gaussian"), tree$steps$rho[21], .95)
  choice <- plan_choice(40, .3, weight = weight)
  expect_lte(choice$epsilon^2 / 8, .3)
  expect_identical(choice$sensitivity, weight * 6 * 2^choice$bits)
  starts <- list(centers, cbind(c(0, 0), c(.1, 0), c(5, 5)))
  scores <- function(rows) start_scores(rows, standard_model(2), box, starts, .01, choice$bits)
  moved <- vapply(people, function(X) person_statistic(X, weight, scores), double(2))
  expect_lte(max(apply(moved, 1, function(one) diff(range(one)))), weight * 6 * 2^choice$bits)
})

test_that("sums of people are exact, and no noise needs a scale above 2^40, whatever their number", {
  for (n in c(1, 1e3, 2^31 - 1)) for (rho in c(1e-12, 1e-3, 50)) for (D in c(1, 20)) {
    people <- unseen(n, person = "person")
    box <- domain_box(rep(-1, D), rep(1, D))
    plans <- list(function() private_mixture(as_unseen(people), box, 5, rho = rho),
                  function() private_covariance(as_unseen(people), box, rho = rho, rounds = 4),
                  function() private_kmeans(as_unseen(people), box, 3, rho = rho, covariance = TRUE),
                  function() private_kmeans(as_unseen(people), box, 3, rho = rho, method = "tree"),
                  function() private_kmeans(as_unseen(people), box, 3, epsilon = rho, method = "cube",
                                            covariance = TRUE),
                  function() private_kmeans(as_unseen(people), box, 3, epsilon = rho, method = "grid"))
    for (plan in plans) {
      made <- tryCatch(plan(), dptda_error_argument = function(e) e)
      if (inherits(made, "error")) {
        expect_match(conditionMessage(made), "scale above 2\\^40")
        next
      }
      weight <- made$guarantee$public$weight
      expect_true(weight >= 1 && weight <= 1024 && log2(weight) %% 1 == 0)
      queries <- c(made$plan$queries$global, made$plan$queries$queries,
                   made$plan$steps$queries)
      for (query in queries) {
        expect_identical(2^query$bits[2], weight)
        expect_lte(n * weight * D * 4^query$bits[1], 2^52)
        expect_lte(max(query$scale), 2^40)
      }
      choice <- made$plan$queries$choice
      if (!is.null(choice)) expect_true(choice$bits >= 0 && n * weight * 6 * 2^choice$bits <= 2^52)
      method <- made$plan$steps$method
      if (!is.null(method)) {
        expect_identical(method$weight, weight)
        bits <- if (is.null(method$bits)) 0 else method$bits
        expect_lte(n * weight * 2^bits, 2^52)
        expect_lte(max(method$scale, method$count, method$level), 2^40)
        if (!is.null(method$exchange)) expect_lte(n * weight * method$exchange$clip, 2^52)
      }
    }
  }
  # as many digits as are of use
  weights <- vapply(c(1e3, 1e6, 1e9), function(n) {
    private_mixture(unseen(n, person = "person"), domain_box(c(-1, -1), c(1, 1)), 3, rho = .6)$guarantee$public$weight
  }, 0)
  expect_identical(weights, 2^c(10, 10, 7))
})

# All releases of this family, by a name.
crowd_releases <- function() {
  box <- crowd_box()
  kmeans <- function(method, ...) {
    function(rows) private_kmeans(rows, box, 2, ..., method = method, rng = "R")
  }
  list(
    covariance = function(rows) private_covariance(rows, box, rho = 2, rng = "R"),
    mixture = function(rows) private_mixture(rows, box, 3, rho = 5, rounds = 3, rng = "R"),
    "mixture, box" = function(rows) {
      private_mixture(rows, box, 2, rho = 5, rounds = 2, features = "box", assignment = "hard", rng = "R")
    },
    lloyd = kmeans("lloyd", epsilon = 4), "lloyd, covariance" = kmeans("lloyd", rho = 4, covariance = TRUE),
    grid = kmeans("grid", epsilon = 4), tree = kmeans("tree", rho = 4), cube = kmeans("cube", epsilon = 4),
    "cube, covariance" = kmeans("cube", epsilon = 4, covariance = TRUE)
  )
}

seeded_release <- function(release, x) {
  set.seed(7)
  release(x)
}

rows_of_people <- function(X, who, ...) table_rows(X, person = list(who = who), ...)

test_that("nothing depends on the number of rows, their order or the names of people", {
  set.seed(4)
  N <- 120
  X <- matrix(stats::runif(2 * N, -1, 1), ncol = 2)
  copies <- rep(seq_len(N), sample.int(5, N, TRUE))
  shuffled <- sample(copies)
  releases <- crowd_releases()
  for (name in names(releases)) {
    release <- releases[[name]]
    one <- seeded_release(release, rows_of_people(X, seq_len(N)))
    copied <- seeded_release(release, rows_of_people(X[copies, ], copies))
    renamed <- seeded_release(release, rows_of_people(X[shuffled, ], paste("p", shuffled)))
    expect_true(identical(renamed, copied), info = name)
    if (name == "mixture") {
      # shares of rows that are shared are rounded, which is the same but for parts of 1/1024 of each
      expect_lt(max(abs(copied$weights - one$weights)), .02)
    } else {
      expect_true(identical(copied, one), info = name)
    }
    expect_identical(privacy(one)$unit, "one person", info = name)
    expect_identical(privacy(one)$public$n, N + 0, info = name)
    expect_identical(privacy(one)$public$weight, 1024, info = name)
    said <- utils::capture.output(print(one), print(privacy(one)))
    # as a number, and not among the digits of one
    expect_false(any(grepl(paste0("(^|[^0-9.])", length(copies), "([^0-9]|$)"), said)), info = name)
  }
})

test_that("one row of each person is a release of rows, for people", {
  set.seed(5)
  N <- 120
  X <- matrix(stats::runif(2 * N, -1, 1), ncol = 2)
  copies <- rep(seq_len(N), sample.int(3, N, TRUE))
  for (name in names(crowd_releases())) {
    release <- crowd_releases()[[name]]
    one <- seeded_release(release, rows_of_people(X[copies, ], copies, rows_of_person = "one"))
    expect_identical(privacy(one)$unit, "one person", info = name)
    expect_identical(privacy(one)$public$weight, 1, info = name)
    expect_identical(length(unclass(one)), length(unclass(seeded_release(release, X))), info = name)
  }
})

test_that("estimates are those of people, who weigh the same", {
  set.seed(6)
  N <- 3000
  many <- sample(c(1, 2, 30), N, TRUE)
  # who has many rows is elsewhere
  place <- cbind(ifelse(many == 30, .5, -.5), 0)[rep(seq_len(N), many), ]
  X <- place + stats::rnorm(length(place), sd = .05)
  rows <- table_rows(X, person = rep(seq_len(N), many))
  share <- mean(many == 30)
  fit <- private_covariance(rows, crowd_box(), rho = 50, rng = "R")
  # of two heaps the center is .0199 off, and the noise on it 1.4e-4
  expect_lt(abs(fit$center[1] - (share - .5)), .025)
  mixture <- private_mixture(rows, crowd_box(), 2, rho = 50, rng = "R")
  expect_lt(abs(max(mixture$weights) - max(share, 1 - share)), .03)
  for (method in c("lloyd", "grid", "tree", "cube")) {
    fit <- private_kmeans(rows, crowd_box(), 2, rho = 50, method = method, rng = "R")
    last <- order(fit$centers[, 1])[2]
    expect_lt(abs(fit$size[last] / N - share), .05)
    expect_lt(abs(fit$centers[last, 1] - .5), .05)
  }
  # one cluster: the count is that of people
  one <- private_kmeans(rows, crowd_box(), 1, epsilon = 50, rng = "R")
  expect_lt(abs(one$centers[1] - (share - .5)), .02)
})

test_that("tables whose people may have no row are refused, before anything is spent", {
  rows <- table_rows(matrix(0, 3, 2), person = c(1L, 1L, 2L), people = 5)
  # covariances count them
  refused <- crowd_releases()[names(crowd_releases()) != "covariance"]
  for (release in refused) expect_error(release(rows), "`people`", class = "dptda_error_argument")
  budget <- privacy_budget(epsilon = 10, person = "person")
  expect_error(private_kmeans(rows, crowd_box(), 2, epsilon = 1, budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
  whole <- table_rows(matrix(0, 3, 2), person = list(person = c(1L, 1L, 2L)))
  private_kmeans(whole, crowd_box(), 2, epsilon = 1, budget = budget)
  expect_identical(budget$spent, 1)
  expect_error(private_mixture(unseen(5, person = "person", complete = FALSE), crowd_box(), 2, rho = 1), "`people`",
               class = "dptda_error_argument")
  # what was not weighed is not summed
  rows <- check_point_rows(table_rows(matrix(0, 3, 2), person = c(1L, 1L, 2L)), NULL, crowd_box(), arg = "x")
  expect_error(lloyd_sums(rows, matrix(0, 2, 1), crowd_box(), list(bits = 4)), "without weights",
               class = "dptda_error_argument")
})

test_that("landmarks of a release for people are for people", {
  set.seed(8)
  X <- matrix(stats::runif(400, -1, 1), ncol = 2)
  mixture <- private_mixture(table_rows(X, person = rep(1:100, 2)), crowd_box(), 2, rho = 5)
  landmarks <- landmarks_from(mixture, 20)
  expect_identical(privacy(landmarks)$unit, "one person")
  # a diagram of rows on them would be for a row and for a person
  expect_error(private_diagram(X, landmarks, epsilon = 1, m0 = .1), class = "dptda_error")
})
