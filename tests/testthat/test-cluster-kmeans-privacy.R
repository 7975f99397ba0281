# What rounds and histograms cost. The budget identity: the scales of all noise that is really drawn, caught where it is
# added, against sensitivities that are searched for among rows in the integers themselves.

# What the noise of a release was asked for, one element a query.
caught_noise <- function(...) {
  caught <- list()
  keep <- function(values, scale, kind, rng) {
    caught[[length(caught) + 1]] <<- list(scale = rep_len(scale, length(values)), kind = kind)
    values
  }
  with_replaced("add_noise", keep, private_kmeans(...))
  caught
}

# The most that any pair of rows loses by this noise; one column a row, what it adds in steps.
searched_loss <- function(V, noise) {
  W <- t(V / noise$scale)
  if (noise$kind == "laplace") max(stats::dist(W, "manhattan")) else max(stats::dist(W))^2 / 2
}

# Corners of the box: all, or some of many.
corner_rows <- function(D) {
  if (D <= 3) return(as.matrix(expand.grid(rep(list(c(-1, 1)), D))))
  rbind(rep(-1, D), rep(1, D), c(-1, rep(1, D - 1)), c(1, rep(-1, D - 1)))
}

# Centers in a row from side to side.
line_of_centers <- function(D, k) {
  centers <- matrix(0, D, k)
  if (k > 1) centers[1, ] <- seq(-1, 1, length.out = k)
  centers
}

test_that("the noise of all rounds costs what was declared and no more", {
  skip_if_instrumented()
  for (D in c(1, 2, 8, 50)) for (k in c(1, 2, 5)) for (n in c(1, 1e3)) for (measure in declared_measures) {
    spent <- kmeans_spent(measure)
    caught <- do.call(caught_noise, c(list(matrix(0.25, n, D), kmeans_box(D), k, method = "lloyd"), measure))
    plan <- plan_kmeans_lloyd(n, kmeans_box(D), k, spent)
    expect_length(caught, plan$rounds)
    V <- row_sums(corner_rows(D), line_of_centers(D, k), plan$bits)
    expect_spent(sum(vapply(caught, function(noise) searched_loss(V, noise), 0)), spent$spent[[1]])
    expect_equal(sum(plan$steps[[2]]), spent$spent[[1]], tolerance = 1e-14)
  }
})

test_that("shares of the budget that are swapped do not add up", {
  # the way of a known library; the factor is that of the proof
  for (D in c(2, 8, 50)) {
    c <- lloyd_factor(D)
    honest <- lloyd_sensitivity
    swapped <- function(dimension, clusters, rounds, noise) {
      honest(dimension, clusters, rounds, noise) * c(c, 1 / c)
    }
    caught <- with_replaced("lloyd_sensitivity", swapped, caught_noise(matrix(0, 9, D), kmeans_box(D), 3, epsilon = 1,
                                                                       method = kmeans_lloyd(rounds = 3)))
    bits <- with_replaced("lloyd_sensitivity", swapped,
                          plan_kmeans_lloyd(9, kmeans_box(D), 3, kmeans_spent(c(epsilon = 1)), 3)$bits)
    V <- row_sums(corner_rows(D), line_of_centers(D, 3), bits)
    loss <- sum(vapply(caught, function(noise) searched_loss(V, noise), 0))
    expect_equal(loss, (1 + D * c) / (D + c), tolerance = 1e-6)
    expect_gt(abs(loss - 1), 0.09)
  }
})

# The nominal loss of a query of covariances, from its sensitivities in closed form.
covariance_loss <- function(noise, D, k, bits) {
  numbers <- c(1, D, D * (D + 1) / 2)
  s <- noise$scale[cumsum(c(1, numbers[-3]))]
  if (noise$kind == "laplace") return(sum(c(2, 2 * D * 2^bits, D * (D + 1) * 4^bits) / s))
  # twice the largest square: of a product, whose variance is half, each counts twice
  sum(c(1, D * 4^bits, D^2 * 16^bits) / s^2)
}

test_that("with covariances, and on a grid, the parts add up as well", {
  skip_if_instrumented()
  for (method in c("lloyd", "grid")) for (D in c(1, 3, 12)) for (k in c(1, 4)) for (n in c(1, 500)) {
    for (measure in declared_measures) {
      # many cells take longer and are spent alike
      if (method == "grid" && n * measure[1] > 1e4) next
      spent <- kmeans_spent(measure)
      plan <- plan_kmeans(n, kmeans_box(D), k, spent, default_method("kmeans", method), TRUE)
      caught <- do.call(caught_noise, c(list(matrix(0.25, n, D), kmeans_box(D), k, method = method, covariance = TRUE),
                                        measure))
      lloyd <- if (method == "lloyd") plan$method else plan$method$lloyd
      V <- if (!is.null(lloyd)) row_sums(corner_rows(D), line_of_centers(D, k), lloyd$bits)
      rounds <- length(caught) - length(plan$queries) + seq_along(plan$queries)
      histograms <- if (method == "grid") 1 + !is.null(plan$method$zoom) else 0
      first <- vapply(seq_len(min(rounds) - 1), function(i) {
        noise <- caught[[i]]
        if (i > histograms) return(searched_loss(V, noise))
        if (noise$kind == "laplace") 2 / noise$scale[1] else 1 / noise$scale[1]^2
      }, 0)
      last <- mapply(function(noise, query) covariance_loss(noise, D, k, query$bits[1]), caught[rounds], plan$queries)
      expect_spent(sum(first) + sum(last), spent$spent[[1]])
      expect_equal(sum(kmeans_steps(plan)[[2]]), spent$spent[[1]], tolerance = 1e-14)
    }
  }
})

# In units of the noise; corners, places near the border between two centers, centers that coincide: 1.3 million pairs.
test_that("no pair of rows moves a round farther than is charged", {
  skip_if_instrumented()
  set.seed(2)
  worst <- c(laplace = 0, gaussian = 0)
  for (i in 1:100) {
    D <- sample(c(1:4, 7), 1)
    k <- sample(2:5, 1)
    centers <- matrix(stats::runif(D * k, -1, 1), D)
    if (i %% 4 == 0) centers[, 2] <- centers[, 1]
    X <- rbind(matrix(sample(c(-1, 1), 80 * D, TRUE), 80), matrix(stats::runif(80 * D, -1.2, 1.2), 80))
    for (measure in list(c(epsilon = 0.7), c(rho = 0.7))) {
      plan <- plan_kmeans_lloyd(10, kmeans_box(D), k, kmeans_spent(measure), rounds = 1)
      V <- row_sums(X, centers, plan$bits)
      spent <- searched_loss(V, list(scale = rep(plan$scale, k), kind = plan$noise))
      expect_lte(spent, 0.7)
      worst[plan$noise] <- max(worst[plan$noise], spent)
    }
  }
  expect_true(all(worst > 0.69))
})

test_that("no pair of rows moves a round for covariances farther than is charged, and corners do", {
  skip_if_instrumented()
  set.seed(14)
  worst <- c(laplace = 0, gaussian = 0)
  for (i in 1:60) {
    D <- sample(c(1:4, 7), 1)
    k <- sample(2:4, 1)
    centers <- if (i %% 2) {
      matrix(stats::runif(D * k, -1, 1), D)
    } else {
      matrix(seq(-0.5, 0.5, length.out = k), D, k, byrow = TRUE)
    }
    X <- rbind(rep(-1, D), rep(1, D), matrix(sample(c(-1, 1), 60 * D, TRUE), 60), t(centers),
               matrix(stats::runif(40 * D, -1, 1), 40))
    for (measure in list(c(epsilon = 0.7), c(rho = 0.7))) {
      # rows belong to the nearest place, whatever the coordinates of its cluster are
      model <- c(kmeans_model(centers), list(nearest = centers[, sample(k), drop = FALSE]))
      query <- plan_cluster_query(10, D, kmeans_spent(measure), 1 + (i %% 3), NULL)
      V <- sapply(seq_len(nrow(X)), function(row) {
        as.vector(query_sums(X[row, , drop = FALSE], model, kmeans_box(D), query))
      })
      spent <- searched_loss(V, list(scale = rep(query$scale, k), kind = query$noise))
      expect_lte(spent, 0.7)
      worst[query$noise] <- max(worst[query$noise], spent)
    }
  }
  expect_true(all(worst > 0.69))
})

test_that("half of rho for counts is best for every center", {
  # the expected squared error of a center, to first order, over all splits that the sensitivities allow
  for (D in c(1, 3, 50)) for (m in c(0, 0.2, 1)) {
    error <- function(B) D^2 / B + m^2 * D / (1 - B)
    B <- seq(0.01, 0.5, by = 0.001)
    expect_identical(B[which.min(error(B))], 0.5)
  }
})

# ---- a whole release against its neighbors -------------------------------------------------

# A release that hears `heard(i, values, scale)` at its query i: what it asked, with the exact values, and its result.
# Nothing else of the rows may come through, so that neighbors that hear the same ask the same and end alike.
replayed_release <- function(x, heard, seed, ...) {
  asked <- list()
  told <- function(values, scale, kind) {
    i <- length(asked) + 1
    asked[[i]] <<- list(values = values, scale = rep_len(scale, length(values)), kind = kind)
    heard(i, values, rep_len(scale, length(values)))
  }
  # of thousands of cells k-means takes seconds, and sees no row
  largest <- function(points, weights, k, ...) {
    top <- rep_len(order(-weights), k)
    list(centers = points[, top, drop = FALSE], size = weights[top])
  }
  set.seed(seed)
  replaced <- list(add_noise = function(values, scale, kind, rng) told(values, scale, kind), weighted_kmeans = largest)
  fit <- with_all_replaced(replaced, without_weak(private_kmeans(x, ..., rng = "R")))
  list(asked = asked, fit = fit)
}

with_all_replaced <- function(replaced, code) {
  if (length(replaced) == 0) return(code)
  with_replaced(names(replaced)[1], replaced[[1]], with_all_replaced(replaced[-1], code))
}

# What two releases that heard the same lose at each query.
replayed_losses <- function(first, second) {
  mapply(function(a, b) {
    expect_identical(a[-1], b[-1])
    expect_length(b$values, length(a$values))
    moved <- (a$values - b$values) / a$scale
    if (a$kind == "laplace") sum(abs(moved)) else sum(moved^2) / 2
  }, first$asked, second$asked)
}

# Answers that are right, noisy, or anything, the same for each of the neighbors.
kept_answers <- function(seed) {
  kept <- list()
  function(i, values, scale) {
    if (i > length(kept)) {
      kept[[i]] <<- withr::with_seed(seed + i, {
        noise <- stats::rnorm(length(values))
        near <- values + round(noise * scale * sample(3, 1))
        switch(sample(3, 1), values, near, round(noise * max(abs(values), scale)))
      })
    }
    kept[[i]]
  }
}

# Places of the box and beyond it, next to borders of cells and of clusters.
awkward_places <- c(-1, 1, -1.5, 2, 0, 0.5, -0.5, 1 / 3, -1 / 3, 1 - 2^-53, 2^-53, 1 / 7, 3 / 7, 5 / 7)

test_that("neighbors that hear the same ask the same, lose no more than is charged, and end alike", {
  skip_if_instrumented()
  set.seed(15)
  divided <- 0
  worst <- c(grid = 0, lloyd = 0)
  for (i in seq_len(long_or(300, 12))) {
    D <- sample(3, 1)
    n <- sample(6, 1)
    people <- i %% 4 == 0
    who <- sample(rep_len(seq_len(max(1, n - 2)), n))
    as_x <- function(X) if (people) people_example(data.frame(X, who)) else X
    # so few rows are divided by a large budget alone
    spent <- exp(stats::runif(1, if (i %% 3) 5 else 0, 9))
    method <- if (i %% 3) kmeans_grid(rounds = list(NULL, 0, 1, 2)[[sample(4, 1)]]) else kmeans_lloyd(rounds = 2)
    k <- sample(2, 1)
    seed <- sample(1e6, 1)
    covariance <- i %% 5 < 2
    heard <- kept_answers(seed)
    release <- function(X) {
      replayed_release(as_x(X), heard, seed, kmeans_box(D), k, method = method, covariance = covariance,
                       epsilon = if (i %% 2) spent, rho = if (i %% 2 == 0) spent)
    }
    X <- matrix(sample(awkward_places, n * D, TRUE), n)
    first <- release(X)
    steps <- privacy(first$fit)$public$steps
    divided <- divided + ("coarse histogram" %in% steps$step)
    for (one in seq_len(if (people) max(who) else n)) for (far in c(TRUE, FALSE)) {
      rows <- if (people) which(who == one) else one
      to <- if (far) ifelse(X[rows, ] > 0, -1, 1) else sample(awkward_places, length(rows) * D, TRUE)
      second <- release(replace(X, cbind(rep(rows, D), rep(seq_len(D), each = length(rows))), to))
      losses <- replayed_losses(first, second)
      expect_length(losses, nrow(steps))
      expect_true(all(losses <= steps[[2]]))
      expect_identical(second$fit$centers, first$fit$centers)
      expect_identical(second$fit$size, first$fit$size)
      expect_identical(second$fit$covariances, first$fit$covariances)
      name <- method_name(method)
      worst[name] <- max(worst[name], sum(losses) / spent)
    }
  }
  expect_gt(divided, 2)
  expect_true(all(worst > long_or(0.99, 0.8)))
})

test_that("a replayed release sees a choice by the rows, and a histogram that is not charged", {
  X <- matrix(rep(c(-1, 1), c(3, 5)))
  neighbor <- replace(X, 1, 1)
  release <- function(x, heard) {
    replayed_release(x, heard, 16, kmeans_box(1), 2, epsilon = 1000, method = kmeans_grid(rounds = 0))
  }
  honest <- draw_cells
  # how fine the cells are depends on the exact counts
  peeks <- function(seen, box, plan, rng) {
    if (seen$counts[1] > 2) plan$size <- plan$size + 20
    honest(seen, box, plan, rng)
  }
  both <- function(code) {
    heard <- kept_answers(17)
    with_replaced("draw_cells", code, lapply(list(X, neighbor), release, heard = heard))
  }
  asked <- function(found) lapply(found, function(one) lengths(lapply(one$asked, `[[`, "values")))
  expect_identical(asked(both(honest))[[1]], asked(both(honest))[[2]])
  expect_false(identical(asked(both(peeks))[[1]], asked(both(peeks))[[2]]))
  # the fine histogram has the noise of all of the budget
  unpaid <- function(seen, box, plan, rng) honest(seen, box, replace(plan, "scale", plan$scale * 7 / 8), rng)
  found <- both(unpaid)
  expect_gt(sum(replayed_losses(found[[1]], found[[2]])), 1000)
})
