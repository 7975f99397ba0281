# The budget identity first: the scales of all noise that is really drawn, caught where it is added, against
# sensitivities that are searched for among rows in the integers themselves.

kmeans_box <- function(D) domain_box(rep(-1, D), rep(1, D))

# What the noise of a release was asked for, one element a query.
caught_noise <- function(...) {
  caught <- list()
  keep <- function(values, scale, kind, rng) {
    caught[[length(caught) + 1]] <<- list(scale = rep_len(scale, length(values)), kind = kind)
    values
  }
  # a query in memory makes its sums and their noise in one kernel
  keep_query <- function(X, model, box, query, scale, noise, rng) {
    if (is.null(scale)) return(sums_alone(X, model, box, query, scale, noise, rng))
    sums <- query_sums(X, model, box, query)
    matrix(keep(as.vector(sums), scale, noise, rng), nrow(sums))
  }
  sums_alone <- memory_query
  with_replaced("memory_query", keep_query, with_replaced("add_noise", keep, private_kmeans(...)))
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

unit_sums <- function(X, centers, bits) lloyd_sums(X, centers, kmeans_box(ncol(X)), list(bits = bits))

# What each row adds to a query; of one cluster the count is public.
row_sums <- function(X, centers, bits) {
  each <- lapply(seq_len(nrow(X)), function(i) unit_sums(X[i, , drop = FALSE], centers, bits))
  do.call(cbind, lapply(each, function(sums) if (ncol(centers) == 1) sums[-1, ] else as.vector(sums)))
}

# What was declared, less the rounding of scales, which have 24 binary digits.
expect_spent <- function(loss, declared) {
  expect_lte(loss, declared)
  expect_gt(loss, declared * (1 - 2^-22))
}

# The largest rho for an epsilon and a delta takes a while, and is asked for again and again.
known_spents <- new.env()
kmeans_spent <- function(measure) {
  key <- deparse1(measure)
  given <- as.list(measure)
  if (is.null(known_spents[[key]])) known_spents[[key]] <- check_cost(given$epsilon, given$rho, given$delta)
  known_spents[[key]]
}

declared_measures <- list(c(epsilon = 1e-6), c(epsilon = 0.7), c(epsilon = 1e3), c(rho = 1e-6), c(rho = 0.3),
                          c(rho = 1e3),
                          c(epsilon = 2, delta = 1e-6))

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

# ---- the query -----------------------------------------------------------------------------

test_that("the kernel's sums are those of a slow look, whatever the order of the rows", {
  set.seed(1)
  for (i in 1:40) {
    D <- sample(1:6, 1)
    k <- sample(1:5, 1)
    n <- sample(0:20, 1)
    bits <- sample(0:12, 1)
    # places on a lattice, so that nothing rounds: many ties
    X <- matrix(sample(-5:5, n * D, TRUE) / 4, n, D)
    centers <- matrix(sample(-4:4, D * k, TRUE) / 4, D)
    sums <- unit_sums(X, centers, bits)
    Z <- pmin(pmax(X, -1), 1)
    slow <- matrix(0, 1 + D, k)
    for (row in seq_len(n)) {
      nearest <- which.min(colSums((centers - Z[row, ])^2))
      slow[, nearest] <- slow[, nearest] + c(1, floor(Z[row, ] * 2^bits + 0.5))
    }
    expect_identical(sums, slow)
    expect_identical(unit_sums(X[rev(seq_len(n)), , drop = FALSE], centers, bits), sums)
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

# Of 12,000 draws over their scales the mean of the sizes is 1 with standard deviation 1 / sqrt(12000) for Laplace, and
# that of the squares sqrt(2 / 12000) for Gaussian noise: five of them are a false-alarm rate of about 1e-6. The seed is
# fixed.
test_that("every cluster gets the noise of the plan, empty or not", {
  set.seed(3)
  centers <- cbind(c(-1, -1), c(1, 1), c(1, -1))
  X <- matrix(-0.9, 5, 2) # two empty clusters
  for (measure in list(c(epsilon = 0.01), c(rho = 1e-4))) {
    plan <- plan_kmeans_lloyd(5, kmeans_box(2), 3, kmeans_spent(measure), rounds = 3)
    exact <- unit_sums(X, centers, plan$bits) * plan$unit
    noise <- replicate(1334, {
      seen <- draw_lloyd_query(X, centers, kmeans_box(2), plan, "R")
      (rbind(seen$count, seen$sum) - exact) / (plan$scale * plan$unit)
    })
    for (cluster in 1:3) {
      one <- noise[, cluster, ]
      size <- if (plan$noise == "laplace") mean(abs(one)) else mean(one^2)
      expect_lt(abs(size - 1), 5 * sqrt((if (plan$noise == "laplace") 1 else 2) / length(one)))
    }
  }
})

# ---- what is public ------------------------------------------------------------------------

test_that("the number of rounds is public, from two to seven", {
  spent <- function(epsilon) kmeans_spent(c(epsilon = epsilon))
  expect_identical(lloyd_rounds(1e4, 2, 1, spent(1)), 1)
  expect_identical(lloyd_rounds(10, 2, 5, spent(1)), 2)
  expect_identical(lloyd_rounds(1e8, 2, 5, spent(1)), 7)
  # 500 k^3 (D + c)^3 = (epsilon_m n)^2, and the noise of half of epsilon is that of add or remove
  n <- 2e4
  least <- sqrt(500 * 5^3 * (2 + (8 * 0.225^2)^(1 / 3))^3) / n
  expect_identical(lloyd_rounds(n, 2, 5, spent(2 * 4.01 * least)), 4)
  expect_identical(lloyd_rounds(n, 2, 5, spent(2 * 3.99 * least)), 3)
  # the variance of a sum of one round is that at `least`, for whole features
  for (rounds in c(3, 6)) {
    rho <- stats::uniroot(function(rho) {
      noise <- sqrt(lloyd_sensitivity(2, 5, rounds, "gaussian")[2] / (2 * rho))
      noise^2 / (2 * ((2 + lloyd_factor(2)) / least)^2) - 1
    }, c(1e-9, 10), tol = 1e-15)$root
    expect_identical(lloyd_rounds(n, 2, 5, kmeans_spent(c(rho = 1.001 * rho))), rounds)
    expect_identical(lloyd_rounds(n, 2, 5, kmeans_spent(c(rho = 0.999 * rho))), rounds - 1)
  }
})

test_that("public starts are in the box and far apart", {
  set.seed(4)
  for (D in c(1, 2, 10, 50)) for (k in c(1, 2, 9, 200)) {
    centers <- draw_spread(k, D, "R")
    expect_identical(dim(centers), as.integer(c(D, k)))
    expect_lte(max(abs(centers)), 1)
    if (k == 1) expect_identical(centers, matrix(0, D, 1))
    # no smaller s was needed than one that fills the box
    if (k > 1) expect_gt(min(stats::dist(t(centers))), min(1, 0.2 * k^(-1 / D)))
  }
})

test_that("a grid has as many cells as its formula says, and covers the box", {
  for (D in c(1, 2, 5, 50)) for (n in c(1, 1e3, 1e9)) for (measure in declared_measures) for (k in c(1, 200)) {
    cells <- grid_cells(n, D, k, kmeans_spent(measure))
    size <- grid_sides(cells, D)
    expect_true(all(size >= 1) && prod(size) <= cells && prod(size) <= max_grid_cells)
    # finer along one side would be more
    expect_gt(prod(size) * (1 + 1 / min(size)), cells)
  }
  expect_identical(grid_cells(1e4, 2, 1, kmeans_spent(c(epsilon = 0.2)), rows = 10), 100)
  # where not all of many sides can be cut, those that are stand apart
  cut <- which(grid_sides(2^10, 64) > 1)
  expect_length(cut, 10)
  expect_gte(min(diff(cut)), 3)
  expect_identical(grid_sides(100, 2), c(10, 10))
  points <- grid_points(c(2, 3))
  expect_equal(points, rbind(c(-0.5, 0.5), rep(c(-2, 0, 2) / 3, each = 2)))
})

test_that("a grid counts each row in the cell whose center is nearest", {
  set.seed(5)
  X <- matrix(stats::runif(60, -1.3, 1.3), 30)
  plan <- plan_kmeans_grid(30, kmeans_box(2), 4, kmeans_spent(c(epsilon = 6)))
  counts <- count_table(check_point_rows(X, NULL, kmeans_box(2)), plan$table)
  points <- grid_points(plan$size)
  Z <- clamp_to_box(X, kmeans_box(2))
  nearest <- apply(Z, 1, function(z) which.min(colSums((points - z)^2)))
  expect_identical(counts, as.double(tabulate(nearest, ncol(points))))
})

# ---- the release ---------------------------------------------------------------------------

is_kmeans <- function(fit, k, D) {
  inside <- all(t(fit$centers) >= fit$box$lower & t(fit$centers) <= fit$box$upper)
  is_valid(fit, "dptda_private_kmeans") && identical(dim(fit$centers), as.integer(c(k, D))) && inside &&
    !is.null(privacy(fit))
}

test_that("with a large budget the groups are found, and their covariances", {
  set.seed(6)
  X <- rbind(matrix(stats::rnorm(4000, -3, 0.5), ncol = 2), matrix(stats::rnorm(2000, 3, 1), ncol = 2))
  box <- domain_box(c(-8, -8), c(8, 8))
  for (method in c("lloyd", "grid"))
  for (measure in list(c(epsilon = 1e3), c(rho = 1e3), c(epsilon = 100, delta = 1e-6))) {
    fit <- do.call(private_kmeans, c(list(X, box, 2, method = method, rng = "R"), measure))
    expect_true(is_kmeans(fit, 2, 2))
    expect_equal(unname(fit$centers[order(fit$centers[, 1]), ]), cbind(c(-3, 3), c(-3, 3)), tolerance = 0.1)
    expect_equal(sort(fit$size), c(1000, 2000), tolerance = 0.02)
    fit <- do.call(private_kmeans, c(list(X, box, 2, method = method, covariance = TRUE, rng = "R"), measure))
    # rows far from a center are shortened
    sizes <- apply(fit$covariances[, , order(fit$centers[, 1])], 3, diag)
    expect_equal(sizes, cbind(c(0.25, 0.25), c(1, 1)), tolerance = 0.15)
    model <- as_mixture(fit)
    expect_identical(model$means, fit$centers)
    expect_equal(sum(model$weights), 1)
    expect_identical(privacy(model), privacy(fit))
    expect_identical(privacy(fit)$measure, measure)
    expect_identical(nrow(predict(model, X, "probability")), 3000L)
  }
})

test_that("one cluster is a private mean", {
  set.seed(7)
  X <- matrix(stats::runif(4000, 0, 1), ncol = 2)
  fit <- private_kmeans(X, domain_box(c(0, 0), c(1, 1)), 1, epsilon = 100, rng = "R")
  expect_equal(as.vector(fit$centers), colMeans(X), tolerance = 0.01)
  expect_identical(fit$size, 2000)
  expect_identical(nrow(privacy(fit)$public$steps), 1L)
})

test_that("settings at the edges give whole objects, in silence", {
  some <- function(n, D, kind) {
    switch(kind, matrix(stats::runif(n * D, -9, 9), n), matrix(0.3, n, D),
           matrix(rep_len(c(-1, 1, Inf, -Inf, 1e300), n * D), n),
           cbind(matrix(1, n, D - 1), stats::rnorm(n)))
  }
  set.seed(8)
  for (D in c(1, 2, 50)) for (n in c(1, 30)) for (kind in 1:4) {
    k <- sample(c(1, 7, 40), 1)
    measure <- sample(declared_measures, 1)[[1]]
    for (method in c("lloyd", "grid")) for (covariance in c(FALSE, TRUE)) {
      # k-means of thousands of cells is no edge
      if (method == "grid" && n * k * measure[1] > 1e4) next
      expect_silent(fit <- do.call(private_kmeans, c(list(some(n, D, kind), kmeans_box(D), k, method = method,
                                                          covariance = covariance), measure)))
      expect_true(is_kmeans(fit, k, D))
      if (covariance) expect_true(is_valid(as_mixture(fit), "dptda_mixture"))
    }
  }
})

test_that("rows outside the box are its nearest points", {
  X <- rbind(matrix(0.5, 40, 2), c(100, -1e300), c(Inf, -Inf))
  corner <- rbind(matrix(0.5, 40, 2), c(1, -1), c(1, -1))
  for (method in c("lloyd", "grid")) {
    fit <- function(X) {
      set.seed(9)
      private_kmeans(X, kmeans_box(2), 3, epsilon = 3, method = method, covariance = TRUE, rng = "R")
    }
    expect_identical(fit(X), fit(corner))
    expect_identical(privacy(fit(X))$random, "R")
  }
})

test_that("nothing is spent where something public or a missing value is refused", {
  X <- matrix(0.1, 20, 2)
  budget <- privacy_budget(epsilon = 10)
  bad <- function(X, ...) expect_error(private_kmeans(X, ..., budget = budget), class = "dptda_error_argument")
  for (method in c("lloyd", "grid")) {
    bad(replace(X, 3, NA), kmeans_box(2), 2, epsilon = 1, method = method)
    bad(X, kmeans_box(2), 2, epsilon = 1e-40, method = method)
    bad(X, kmeans_box(2), 2, epsilon = 1e-40, method = method, covariance = TRUE)
    bad(X, kmeans_box(2), 2, rho = 1e-40, method = method, covariance = TRUE)
  }
  bad(X, kmeans_box(3), 2, epsilon = 1)
  bad(X[0, ], kmeans_box(2), 2, epsilon = 1)
  for (k in list(0, 1.5, 201, NA, "two")) bad(X, kmeans_box(2), k, epsilon = 1)
  for (delta in list(0, 1, -1, NA_real_, "small")) bad(X, kmeans_box(2), 2, epsilon = 1, delta = delta)
  bad(X, kmeans_box(2), 2, rho = 1, delta = 1e-6)
  bad(X, kmeans_box(2), 2)
  bad(X, kmeans_box(2), 2, epsilon = 1, rho = 1)
  bad(X, kmeans_box(2), 2, epsilon = 1, method = "forgy")
  bad(X, kmeans_box(2), 2, epsilon = 1, method = synthesis_aim())
  bad(X, kmeans_box(2), 2, epsilon = 1, rounds = 3)
  bad(X, kmeans_box(2), 2, epsilon = 1, covariance = NA)
  bad(X, domain_box(c(0, 0), c(1, 1e-200)), 2, epsilon = 1)
  expect_identical(budget$spent, 0)
  private_kmeans(X, kmeans_box(2), 2, epsilon = 1, budget = budget, covariance = TRUE)
  expect_identical(budget$spent, 1)
  expect_error(private_kmeans(X, kmeans_box(2), 2, epsilon = 9.5, budget = budget), class = "dptda_error_budget")
})

test_that("what a release that is interrupted in any round has spent stays spent", {
  X <- matrix(0.1, 20, 2)
  add <- list(add_noise = add_noise, memory_query = memory_query)
  for (method in c("lloyd", "grid")) for (at in 1:4) {
    budget <- privacy_budget(rho = 1)
    queries <- 0
    stops <- function(name) function(...) {
      queries <<- queries + 1
      if (queries == at) signalCondition(structure(class = c("interrupt", "condition"),
                                                   list(message = "", call = NULL)))
      add[[name]](...)
    }
    release <- function() {
      private_kmeans(X, kmeans_box(2), 2, rho = 0.25,
                     method = if (method == "lloyd") kmeans_lloyd(rounds = 3) else kmeans_grid(rounds = 2),
                     covariance = TRUE, budget = budget)
    }
    ended <- with_replaced("memory_query", stops("memory_query"), with_replaced("add_noise", stops("add_noise"), {
      tryCatch(release(), interrupt = function(cnd) "interrupted")
    }))
    expect_identical(ended, "interrupted")
    expect_equal(queries, at)
    expect_identical(budget$spent, 0.25)
  }
})

test_that("a forked worker has no release of its own", {
  skip_on_os("windows")
  X <- matrix(0.1, 20, 2)
  budget <- privacy_budget(epsilon = 5)
  release <- function(...) private_kmeans(X, kmeans_box(2), 2, epsilon = 1, method = "lloyd", ...)
  child <- parallel::mcparallel(tryCatch(release(budget = budget),
                                         error = class))
  expect_true("dptda_error_budget" %in% parallel::mccollect(child)[[1]])
  # without a budget the draws of two processes are independent
  children <- lapply(1:2, function(i) parallel::mcparallel(release()$centers))
  drawn <- parallel::mccollect(children)
  expect_false(identical(drawn[[1]], drawn[[2]]))
})

test_that("tables in a database give what the same rows in memory give", {
  set.seed(10)
  data <- data.frame(a = stats::rnorm(200), b = stats::rnorm(200))
  box <- domain_box(c(a = -3, b = -3), c(a = 3, b = 3))
  fit <- function(X, ...) {
    set.seed(11)
    private_kmeans(X, box, ..., columns = c("a", "b"), rng = "R")
  }
  for (people in list(dplyr::tbl(local_sqlite(data), "people"), dplyr::tbl(local_postgres(data), "people"))) {
    for (covariance in c(FALSE, TRUE)) for (k in long_or(c(1, 3), if (covariance) 3 else 1)) {
      expect_identical(fit(people, k, epsilon = 2, method = "grid", covariance = covariance),
                       fit(data, k, epsilon = 2, method = "grid", covariance = covariance))
      lloyd <- function(X) fit(X, k, epsilon = 20, covariance = covariance, method = kmeans_lloyd(rounds = 2))
      expect_identical(lloyd(people), lloyd(data))
    }
    for (method in c("tree", "cube")) {
      expect_error(private_kmeans(people, box, 3, rho = 2, method = method), "memory", class = "dptda_error_argument")
    }
  }
  missing <- local_sqlite(data.frame(a = c(1, NA), b = 1))
  budget <- privacy_budget(epsilon = 2)
  expect_error(private_kmeans(dplyr::tbl(missing, "people"), box, 2, epsilon = 2, budget = budget), "missing",
               class = "dptda_error_argument")
  expect_identical(budget$spent, privacy_budget(epsilon = 2)$spent)
})

test_that("labels are those of the rounds, of any rows", {
  set.seed(12)
  box <- domain_box(c(a = 0, b = -5), c(a = 1, b = 5))
  X <- cbind(a = stats::runif(200, -0.2, 1.2), b = stats::runif(200, -6, 6))
  fit <- private_kmeans(X, box, 6, epsilon = 10)
  centers <- 2 * (t(fit$centers) - box$lower) / (box$upper - box$lower) - 1
  each <- vapply(seq_len(200), function(i) {
    which(lloyd_sums(X[i, , drop = FALSE], centers, box, list(bits = 4))[1, ] == 1)
  }, 1L)
  expect_identical(predict(fit, X), each)
  expect_identical(predict(fit, X[, 2:1]), each)
  expect_identical(predict(fit, as.data.frame(X)), each)
  expect_identical(predict(fit, rbind(c(NA, 0), c(0, NaN))), c(NA_integer_, NA_integer_))
  expect_identical(predict(fit, rbind(c(Inf, -Inf))), predict(fit, rbind(c(1, -5))))
  expect_identical(predict(fit, X[0, ]), integer())
  expect_error(predict(fit, X[, 1, drop = FALSE]), class = "dptda_error_argument")
  line <- private_kmeans(c(0.1, 0.2, 0.8), domain_box(0, 1), 2, epsilon = 1)
  expect_length(predict(line, c(0, 1, NA)), 3)
})

test_that("a fit without covariances is no mixture, and a changed one has no guarantee", {
  X <- matrix(0.1, 20, 2)
  fit <- private_kmeans(X, kmeans_box(2), 2, epsilon = 1)
  expect_null(fit$covariances)
  expect_error(as_mixture(fit), "covariance = TRUE", class = "dptda_error_argument")
  fit <- private_kmeans(X, kmeans_box(2), 2, epsilon = 1, covariance = TRUE)
  expect_s3_class(as_mixture(fit), c("dptda_private_mixture", "dptda_mixture"), exact = TRUE)
  expect_output(print(as_mixture(fit)), "epsilon = 1 ")
  changed <- replace(fit, "size", list(fit$size + 1))
  expect_null(privacy(changed))
  expect_null(privacy(as_mixture(changed)))
  expect_error(as_mixture(replace(fit, "size", list(-1))), class = "dptda_error_argument")
  for (n in c(Inf, 0, -5)) expect_error(as_mixture(replace(fit, "n", list(n))), class = "dptda_error_argument")
})

test_that("print() says how many centers were not found", {
  set.seed(13)
  for (method in list("lloyd", "tree", "cube", "grid")) for (covariance in c(FALSE, TRUE)) {
    X <- matrix(stats::runif(4000, -1, 1), ncol = 2)
    fit <- private_kmeans(X, kmeans_box(2), 2, rho = 1, method = method, covariance = covariance, rng = "R")
    expect_no_match(utils::capture.output(print(fit)), "not found|^$")
  }
  # all rows are in one place: one of two centers stays at its random start, and no public number says so
  one <- matrix(0.3, 150, 2)
  expect_no_warning(fit <- private_kmeans(one, kmeans_box(2), 2, epsilon = 1, method = "lloyd", rng = "R"))
  expect_lte(min(fit$size), fit$least)
  expect_output(print(fit), "1 of 2 centers not found: with [0-9]+ rows or fewer")
  # which, in the table, and why sizes do not add up
  expect_output(print(fit), "found *\n1 .* yes *\n2 .* no *\n")
  expect_output(print(fit), "sizes are noisy, each by itself, and need not add up to 150")
  fit <- without_weak(private_kmeans(one[1:2, ], kmeans_box(2), 1, epsilon = 0.1, rng = "R"))
  expect_output(print(fit), "the center not found: with [0-9]+ rows")
  expect_false(is_valid(replace(unclass(fit), "least", NA_real_), "dptda_private_kmeans"))
})

test_that("how far noise moves centers is said, and is so", {
  skip_if_instrumented()
  # false alarm: 1e-6 each, with a fixed seed; rows so far apart that each stays with its center
  set.seed(14)
  x <- cbind(rep(c(-6, 4), c(700, 300)), rep(c(1, 3), c(700, 300)))
  truth <- rbind(c(-6, 1), c(4, 3))
  cases <- list(list("lloyd", c(epsilon = 4)), list("lloyd", c(rho = 1)), list("cube", c(epsilon = 4)))
  for (case in cases) {
    for (k in 1:2) {
      mechanism <- do.call(private_kmeans, c(list(unseen(1000), domain_box(c(-8, -8), c(8, 8)), k, method = case[[1]]),
                                               case[[2]]))
      true <- if (k == 1) matrix(colMeans(x), 1) else truth
      runs <- lapply(simulate(mechanism, 150, x = x), attach_guarantee, mechanism$guarantee)
      runs <- Filter(function(fit) !any(lost_centers(fit)), runs)
      expect_gt(length(runs), 50)
      ratio <- vapply(runs, function(fit) sqrt(rowSums((fit$centers - true)^2)) / 16 / last_round_noise(fit), double(k))
      expect_equal(mean(ratio^2), 1, tolerance = 5 * stats::sd(ratio^2) / sqrt(length(runs)))
      shown <- gsub(" +", " ", paste(utils::capture.output(print(runs[[1]])), collapse = " "))
      expect_match(shown, if (k == 1) "moves the center by about [0-9.]+ % of a side of the box" else
        "moves centers by about [0-9.]+ to [0-9.]+ % of a side of the box; the nearest two are 6[2-6] % of one apart")
    }
  }
  # of grids and trees what is said is no less, and not much more
  ratios <- function(truth, ...) {
    mechanism <- private_kmeans(unseen(1000), domain_box(c(-8, -8), c(8, 8)), 2, ...)
    runs <- lapply(simulate(mechanism, 100, x = x), attach_guarantee, mechanism$guarantee)
    runs <- Filter(function(fit) !any(lost_centers(fit)), runs)
    expect_gt(length(runs), 50)
    shown <- paste(utils::capture.output(print(runs[[1]])), collapse = " ")
    most <- identical(list(...)$method, "tree") && !isTRUE(list(...)$covariance)
    expect_match(shown, if (most) "by at most about" else "by about")
    far <- vapply(runs, function(fit) sqrt(rowSums((fit$centers - truth)^2)) / 16 / last_round_noise(fit), double(2))
    sqrt(mean(far^2))
  }
  histogram <- kmeans_grid(rounds = 0)
  for (cost in list(list(epsilon = 1), list(rho = 1))) {
    grid <- private_kmeans(unseen(1000), domain_box(c(-8, -8), c(8, 8)), 2, epsilon = cost$epsilon, rho = cost$rho,
                             method = histogram)$plan$steps$method
    expect_identical(is.null(grid$zoom), is.null(cost$rho))
    # both places have a coarse cell of their own
    side <- if (is.null(grid$zoom)) grid$size else divided_cells(1:2, grid$zoom$size, grid$size)$size
    cells <- sweep(floor(sweep(truth + 8, 2, side / 16, "*")) + 0.5, 2, 16 / side, "*") - 8
    # an empty coarse cell that is kept would make cells wider, so that their centers are other ones
    ratio <- with_replaced("occupied_cut", function(...) 30,
                           ratios(cells, epsilon = cost$epsilon, rho = cost$rho, method = histogram))
    expect_true(ratio < 1.1)
  }
  ratio <- ratios(truth, rho = 1, method = "grid")
  expect_equal(ratio, 1, tolerance = 0.2)
  ratio <- ratios(truth, rho = 1, method = "tree")
  expect_true(ratio > 0.1 && ratio < 1.1)
  for (method in c("lloyd", "tree", "grid")) {
    ratio <- ratios(truth, rho = 1, method = method, covariance = TRUE)
    expect_equal(ratio, 1, tolerance = 0.25)
  }
})

test_that("a fit prints, sums itself up and draws itself", {
  set.seed(13)
  X <- cbind(a = stats::runif(60), b = stats::runif(60), size = stats::runif(60))
  fit <- private_kmeans(X, domain_box(c(0, 0, 0), c(1, 1, 1)), 22, epsilon = 5, rng = "R")
  expect_output(print(fit), "22 clusters in 3 columns.*and 2 more.*SEEDED")
  expect_identical(dim(summary(fit)), c(22L, 4L))
  expect_identical(unname(as.matrix(summary(fit)[, -1])), unname(fit$centers))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  expect_invisible(plot(fit, columns = c("a", "size"), data = X, col = 2:4, main = "clusters", lwd = 3))
  plot(private_kmeans(X, domain_box(c(0, 0, 0), c(1, 1, 1)), 3, rho = 1, covariance = TRUE), columns = 2:3)
  plot(private_kmeans(X[, 1], domain_box(0, 1), 3, epsilon = 1))
  for (columns in list("c", 1, c(1, 1), 4:5, TRUE)) {
    expect_error(plot(fit, columns = columns), class = "dptda_error_argument")
  }
})

test_that("clusters are numbered by decreasing size, with the covariances that are theirs", {
  x <- cbind(rep(c(0.2, 0.5, 0.8), c(100, 900, 400)), 0.5)
  set.seed(7)
  for (method in c("Lloyd", "grid", "TREE", "cube")) {
    fit <- private_kmeans(x, domain_box(c(0, 0), 1), 3, rho = 50, covariance = TRUE, method = method, rng = "R")
    expect_identical(fit$method, tolower(method))
    expect_false(is.unsorted(-fit$size), info = method)
    expect_equal(fit$centers[, 1], c(0.5, 0.8, 0.2), tolerance = 0.1, info = method)
    expect_identical(table(factor(predict(fit, x), 1:3))[["1"]], 900L, info = method)
  }
})
