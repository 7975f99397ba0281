# What all steps of a plan cost, from the scales of the noise, the factor of the choices, and the sensitivities of the
# proof.
cube_cost <- function(plan, D, depth = 5) {
  clip <- 2 * plan$exchange$factor * plan$exchange$clip
  if (plan$noise == "laplace") {
    each <- c(2 / plan$count, clip, 2 / plan$scale[1] + 2 * D * 2^plan$bits / plan$scale[2])
  } else {
    long <- D * 4^plan$bits
    each <- c(2 / (2 * plan$count^2), clip^2 / 8,
              max(4 * long / (2 * plan$scale[2]^2), long / plan$scale[2]^2 + 1 / plan$scale[1]^2))
  }
  sum(each * c(plan$shifts * depth, plan$swaps + 1, plan$rounds))
}

test_that("counts, choices and means add up to the budget, for many settings", {
  for (n in c(1, 1e6)) for (D in c(1, 2, 7, 50)) for (k in c(1, 30)) {
    for (spent in list(spent_rho(1e-9), spent_rho(0.3), spent_rho(1e3), spent_epsilon(1e-6), spent_epsilon(1),
                       spent_epsilon(1e3))) {
      plan <- plan_kmeans_cube(n, kmeans_box(D), k, spent)
      expect_equal(sum(plan$steps[[2]]), spent$spent[[1]], tolerance = 1e-13)
      expect_identical(names(plan$steps)[2], names(spent$measure))
      cost <- cube_cost(plan, D)
      expect_lte(cost, spent$spent[[1]])
      expect_gt(cost, 0.999 * spent$spent[[1]])
      # exact sums, and exact products of losses and the factor
      expect_lte(n * 2^plan$bits, 2^52)
      expect_lte(n * plan$exchange$clip, 2^41)
      digits <- plan$exchange$factor / 2^(binary_exponent(plan$exchange$factor) - 11)
      expect_identical(digits, floor(digits))
    }
  }
  # the published code leaves out the factor of two of a choice
  careless <- plan_kmeans_cube(1000, kmeans_box(2), 3, spent_epsilon(1))
  careless$exchange$factor <- 2 * careless$exchange$factor
  expect_gt(cube_cost(careless, 2), 1.19)
})

some_lattice <- function(D, bits, box = kmeans_box(D)) {
  if (D < 3) return(kmeans_lattice(box, bits))
  p <- sample(D - 1, 1)
  kmeans_lattice(box, bits, matrix(as.double(sample(-300:300, p * D, TRUE)), p), sample(0:9, 1))
}

test_that("the kernel's cubes are those of a slow walk", {
  set.seed(1)
  for (i in 1:30) {
    D <- sample(1:5, 1)
    n <- sample(1:30, 1)
    bits <- sample(c(0, 3, 14), 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    lattice <- some_lattice(D, bits, box)
    p <- if (is.null(lattice$matrix)) D else nrow(lattice$matrix)
    corner <- floor(2^(bits + 1) * stats::runif(p))
    X <- matrix(stats::rnorm(n * D, sd = 3), n)
    # two levels: the first of the cubes of the first level is halved again
    first <- c(1, 2^p + 1, double(2^p - 1 + 2^p))
    y <- lapply(slow_lattice(X, box, bits), slow_image, lattice = lattice)
    node <- vapply(y, function(y) {
      place <- y + 2^bits + corner
      side <- 2^(bits + 1)
      code <- sum(2^(seq_len(p) - 1) * (place >= side))
      if (code > 0) return(code + 2)
      2^p + 2 + sum(2^(seq_len(p) - 1) * (place >= side / 2))
    }, 0)
    count <- .Call(ffi_cluster_tree, X, NULL, lattice, NULL, corner, first, FALSE, kernel_options())
    expect_identical(as.vector(count), as.double(tabulate(node, length(first))))
  }
})

slow_squares <- function(y, places) matrix(vapply(y, function(y) colSums((places - y)^2), double(ncol(places))),
                                           ncol(places))

test_that("the kernel's losses of swaps, and its nearest places, are those of a slow count", {
  set.seed(2)
  for (i in 1:40) {
    D <- sample(1:5, 1)
    n <- sample(1:25, 1)
    bits <- sample(c(1, 4, 14), 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    lattice <- some_lattice(D, bits, box)
    p <- if (is.null(lattice$matrix)) D else nrow(lattice$matrix)
    C <- sample(1:7, 1)
    places <- matrix(as.double(sample(-2^bits:2^bits, p * C, TRUE)), p)
    taken <- sample(C, sample(4, 1), TRUE) # twice the same, too
    step <- sample(c(0, 2, bits), 1)
    clip <- sample(c(1, 7, 1024), 1)
    X <- matrix(stats::rnorm(n * D, sd = 3), n)
    q <- slow_lattice(X, box, bits)
    square <- slow_squares(lapply(q, slow_image, lattice = lattice), places)
    steps <- pmin(floor(square / 2^step), clip)
    expected <- vapply(seq_len(C), function(c) {
      vapply(seq_along(taken), function(i) sum(apply(steps[replace(taken, i, c), , drop = FALSE], 2, min)), 0)
    }, double(length(taken)))
    loss <- .Call(ffi_cluster_swaps, X, NULL, lattice, places, as.double(taken), step, clip, kernel_options())
    expect_identical(as.vector(loss), as.vector(expected))
    nearest <- max.col(-t(square), "first")
    sums <- matrix(0, 1 + D, C)
    for (r in seq_len(n)) sums[, nearest[r]] <- sums[, nearest[r]] + c(1, q[[r]])
    expect_identical(.Call(ffi_cluster_nearest, X, NULL, lattice, places, kernel_options()), sums)
  }
})

# Replacing a row: in the integers themselves.
test_that("no pair of rows moves a loss farther than the clip, or means farther than is charged", {
  set.seed(3)
  worst <- c(loss = 0, laplace = 0, gaussian = 0)
  for (i in 1:40) {
    D <- sample(c(1, 2, 3, 8), 1)
    bits <- sample(c(1, 4, 12), 1)
    lattice <- some_lattice(D, bits)
    p <- if (is.null(lattice$matrix)) D else nrow(lattice$matrix)
    places <- matrix(as.double(sample(-2^bits:2^bits, p * 6, TRUE)), p)
    X <- hostile_rows(60, D)
    rows <- lapply(seq_len(60), function(r) X[r, , drop = FALSE])
    clip <- sample(c(1, 40, 1000), 1)
    loss <- vapply(rows, function(x) as.vector(.Call(ffi_cluster_swaps, x, NULL, lattice, places, c(1, 2, 3), 0, clip,
                                                     kernel_options())), double(18))
    expect_true(all(loss >= 0 & loss <= clip))
    worst[["loss"]] <- max(worst[["loss"]], apply(loss, 1, function(x) diff(range(x))) / clip)
    V <- vapply(rows, function(x) as.vector(.Call(ffi_cluster_nearest, x, NULL, lattice, places, kernel_options())),
                double(6 * (1 + D)))
    pure <- max(stats::dist(t(V / mean_scales(D, bits, c(epsilon = 0.7))), "manhattan"))
    rho <- max(stats::dist(t(V / mean_scales(D, bits, c(rho = 0.7)))))^2 / 2
    expect_lte(max(pure, rho), 0.7)
    worst[2:3] <- pmax(worst[2:3], c(pure, rho))
  }
  expect_identical(worst[["loss"]], 1)
  expect_true(all(worst[2:3] > 0.69))
})

# All neighbors on a line of nine places, two rows, sets of one or two places: the probabilities of a choice themselves.
test_that("no neighbors change the probability of a choice by more than is charged", {
  lattice <- kmeans_lattice(kmeans_box(1), 2)
  values <- seq(-1, 1, by = 0.25)
  data <- as.matrix(expand.grid(values, values))
  worst <- 0
  for (places in list(rbind(-4:4), rbind(c(-4, rep(4, 300))), rbind(c(-4, 4))))
  for (taken in list(1, c(1, 1), c(1, 2), c(2, 2))) {
    for (clip in c(1, 5, 64)) {
      factor <- 1 / (2 * clip)
      log_p <- apply(data, 1, function(x) {
        loss <- .Call(ffi_cluster_swaps, matrix(x), NULL, lattice, places * 1, taken, 0, clip, kernel_options())
        -factor * as.vector(loss) - log(sum(exp(-factor * loss)))
      })
      # replacing the second row; the first one is the same by symmetry
      for (first in seq_along(values)) {
        same <- log_p[, data[, 1] == values[first], drop = FALSE]
        worst <- max(worst, apply(same, 1, function(p) diff(range(p))))
      }
    }
  }
  expect_lte(worst, 1 + 1e-12)
  expect_gt(worst, 0.95)
})

test_that("a projection has orthogonal directions, and few rows are cut by it", {
  set.seed(4)
  map <- draw_map(20, 4, "R")
  expect_lt(max(abs(tcrossprod(map$matrix * 2^-19) - diag(4))), 1e-4)
  expect_true(all(abs(map$matrix) <= 2^20) && all(map$matrix == floor(map$matrix)))
  X <- matrix(stats::runif(20000, -1, 1), 1000)
  lattice <- kmeans_lattice(kmeans_box(20), 10, map$matrix, map$shift)
  y <- vapply(slow_lattice(X, kmeans_box(20), 10), slow_image, double(4), lattice = lattice) / 2^10
  exact <- map$matrix %*% t(X) * 2^-20
  expect_gt(mean(abs(exact) < 1), 0.99)
  expect_lt(max(abs(y - pmin(pmax(exact, -1), 1))), 0.01)
  # and back to the box
  expect_lt(max(abs(map$matrix %*% back_from_map(y[, 1:9], map) * 2^-20 - y[, 1:9])), 0.01)
  expect_identical(image_dimension(1e4, 20), 4)
  expect_identical(image_dimension(1, 20), 1)
  expect_identical(image_dimension(1e9, 20), 8)
  expect_identical(image_dimension(1e9, 6), 6)
  expect_identical(image_dimension(10, 5), 5)
})

# The centers of the four cubes of the first level, moved into the box.
first_cubes <- function(bits, corner) {
  place <- t(as.matrix(expand.grid(0:1, 0:1))) * 2^(bits + 1) - 2^bits - corner + 2^bits
  place <- pmin(pmax(place, -2^bits), 2^bits)
  paste(place[1, ], place[2, ])
}

# With a factor beyond all noise, from a bad beginning.
test_that("the search ends at the best centers if the budget is large", {
  set.seed(5)
  X <- kmeans_groups(300)
  plan <- plan_kmeans_cube(300, kmeans_box(2), 3, spent_epsilon(1e7))
  lattice <- kmeans_lattice(kmeans_box(2), plan$bits)
  places <- matrix(as.double(sample(-2^14:2^14, 24, TRUE)), 2)
  every <- utils::combn(12, 3)
  lost <- apply(every, 2, function(taken) {
    .Call(ffi_cluster_swaps, X, NULL, lattice, places, as.double(taken), plan$exchange$step, plan$exchange$clip,
          kernel_options())[1, taken[1]]
  })
  best <- min(vapply(1:5, function(i) {
    taken <- search_places(X, lattice, places, c(1, 1, 1), plan, "R")
    .Call(ffi_cluster_swaps, X, NULL, lattice, places, as.double(taken), plan$exchange$step, plan$exchange$clip,
          kernel_options())[1, taken[1]]
  }, 0))
  expect_identical(best, min(lost))
})

test_that("cubes are found where the rows are, and their number is public", {
  set.seed(6)
  X <- kmeans_groups(3000)
  plan <- plan_kmeans_cube(3000, kmeans_box(2), 3, spent_epsilon(50))
  lattice <- kmeans_lattice(kmeans_box(2), plan$bits)
  found <- halve_cubes(X, lattice, c(5, 2000), plan, "R")
  small <- found$place[, found$last, drop = FALSE] / 2^plan$bits
  away <- apply(small, 2, function(x) min(colSums((t(X) - x)^2)))
  expect_gt(mean(away < 0.02), 0.9)
  expect_true(all(abs(small) <= 1))
  # however many cubes there are room for
  plan$cube <- -1e9
  plan$most <- 5
  plan <- replace(plan, "count", 2^-30)
  expect_lte(ncol(halve_cubes(X, lattice, c(5, 2000), plan, "R")$place), 1 + 4 + 4 * 5)
  # none: public places, and k of the middle
  plan <- plan_kmeans_cube(3000, kmeans_box(2), 3, spent_epsilon(1e-6))
  expect_gte(ncol(draw_candidates(X, lattice, plan, "R")), 12)
})

test_that("with a large budget the groups are found", {
  set.seed(7)
  for (D in c(2, 6, 20)) for (spent in list(spent_epsilon(100), spent_rho(100))) {
    X <- kmeans_groups(3000, D)
    plan <- plan_kmeans_cube(3000, kmeans_box(D), 3, spent)
    fit <- draw_kmeans_cube(list(data = X), kmeans_box(D), 3, plan, "R")
    truth <- stats::kmeans(X, 3, nstart = 20)
    away <- as.matrix(stats::dist(rbind(t(fit$centers), truth$centers)))[1:3, 4:6]
    expect_lt(max(apply(away, 1, min)), 0.15)
    expect_equal(sum(fit$size), 3000, tolerance = 0.05)
  }
  # rounds of Lloyd in all dimensions
  plan <- plan_kmeans_cube(3000, kmeans_box(6), 3, spent_rho(100), rounds = 3)
  expect_lte(cube_cost(plan, 6), 100)
  expect_true(is_fit(draw_kmeans_cube(list(data = kmeans_groups(3000, 6)), kmeans_box(6), 3, plan, "R"), 6, 3))
})

test_that("hostile settings give centers all the same", {
  set.seed(8)
  budgets <- c(lapply(c(1e-6, 1, 1e3), spent_epsilon), lapply(c(1e-9, 1e3), spent_rho))
  for (D in c(1, 2, 50)) {
    X <- kmeans_groups(60, D)
    rows <- list(X, X[1, , drop = FALSE], X[rep(1, 60), , drop = FALSE], X * 0 + 1e300, replace(X, 1:3, Inf))
    for (data in rows) for (k in c(1, 3, 70)) for (spent in budgets) {
      plan <- plan_kmeans_cube(nrow(data), kmeans_box(D), k, spent)
      expect_true(is_fit(draw_kmeans_cube(list(data = data), kmeans_box(D), k, plan, "R"), D, k))
    }
  }
  for (spent in list(spent_epsilon(1e-14), spent_rho(1e-30))) {
    expect_error(plan_kmeans_cube(10, kmeans_box(2), 2, spent), "scale above 2\\^40", class = "dptda_error_argument")
  }
})

test_that("rows outside are their nearest points of the box", {
  X <- kmeans_groups(200)
  outside <- rbind(X, c(100, -1e300), c(Inf, -Inf))
  corner <- rbind(X, c(1, -1), c(1, -1))
  plan <- plan_kmeans_cube(202, kmeans_box(2), 3, spent_epsilon(10))
  fit <- function(X) {
    set.seed(9)
    draw_kmeans_cube(list(data = X), kmeans_box(2), 3, plan, "R")
  }
  expect_identical(fit(outside), fit(corner))
})

# 1500 noisy numbers of each kind, over their standard deviation; squares of Laplace noise have variance 5. Five
# standard deviations each are a false-alarm rate of about 1e-6. The seed is fixed.
test_that("the noise has the scales of the plan", {
  set.seed(10)
  X <- kmeans_groups(200)
  for (spent in list(spent_epsilon(0.5), spent_rho(0.05))) {
    plan <- plan_kmeans_cube(200, kmeans_box(2), 3, spent)
    laplace <- plan$noise == "laplace"
    plan$cube <- -1e9
    plan$depth <- 1
    lattice <- kmeans_lattice(kmeans_box(2), plan$bits)
    corner <- c(100, 2000)
    exact <- .Call(ffi_cluster_tree, X, NULL, lattice, NULL, corner, c(1, double(4)), FALSE, kernel_options())[-1]
    plan$most <- 4
    noise <- with_replaced("noise_bound", function(...) -1e9, replicate(375, {
      found <- halve_cubes(X, lattice, corner, plan, "R")
      order <- match(paste(found$place[1, -1], found$place[2, -1]), first_cubes(plan$bits, corner))
      (found$count[-1] - exact[order]) / noise_sd(plan$count, plan$noise)
    }))
    expect_lt(abs(mean(noise^2) - 1), 5 * sqrt((if (laplace) 5 else 2) / 1500))
    expect_lt(abs(mean(noise)), 5 / sqrt(1500))
    plan$scale <- plan$scale / 8 # else means would be moved into the box
    means <- replicate(750, draw_means(X, lattice, matrix(0, 2), matrix(0, 2), plan, "R")$centers[, 1])
    noise <- (means - colMeans(X)) * 200 * 2^plan$bits / noise_sd(plan$scale[2], plan$noise)
    expect_lt(abs(mean(noise^2) - 1), 5 * sqrt((if (laplace) 5 else 2) / 1500))
  }
})

# All that a release of two clusters on a line shows, of 1 and -1, and of -1 and -1: counts of two cubes, one choice
# among eleven places, and counts and sums of two clusters. What is measured is the logarithm of the ratio of
# likelihoods. `stretch`: by how much each part spends more than it is charged; `half`: of the factor of two of a
# choice.
cube_draws <- function(epsilon, stretch = 1, half = 1) function(X, runs) {
  plan <- plan_kmeans_cube(2, kmeans_box(1), 2, spent_epsilon(epsilon), depth = 1, swaps = 0,
                           shares = c(0.35, 0.2, 0.45))
  lattice <- kmeans_lattice(kmeans_box(1), plan$bits)
  Q <- 2^plan$bits
  places <- Q * rbind(rep(c(1, -1), c(1, 10)))
  exact <- function(X) {
    cubes <- .Call(ffi_cluster_tree, X, NULL, lattice, NULL, Q, c(1, 0, 0), FALSE, kernel_options())[-1]
    # of the row that is replaced: the other one loses the same by every choice but for a constant
    loss <- .Call(ffi_cluster_swaps, X[1, , drop = FALSE], NULL, lattice, places, 1, plan$exchange$step,
                  plan$exchange$clip, kernel_options())
    c(list(numbers = c(cubes, .Call(ffi_cluster_nearest, X, NULL, lattice, Q * rbind(c(-1, 1)), kernel_options()))),
      list(loss = as.vector(loss)))
  }
  ends <- lapply(list(rbind(1, -1), rbind(-1, -1)), exact)
  here <- exact(X)
  scale <- noise_scale_up(c(plan$count, plan$count, rep(plan$scale, 2)) / stretch)
  noisy <- matrix(add_noise(rep(here$numbers, runs), rep(scale, runs), "laplace", "R"), length(scale))
  factor <- plan$exchange$factor * stretch * half
  chance <- lapply(ends, function(end) log(exp(-factor * end$loss) / sum(exp(-factor * end$loss))))
  chosen <- sample.int(11, runs, TRUE, exp(-factor * here$loss))
  colSums((abs(noisy - ends[[2]]$numbers) - abs(noisy - ends[[1]]$numbers)) / scale) +
    (chance[[1]] - chance[[2]])[chosen]
}
# Scales that noise can have.
noise_scale_up <- function(scale) 2^-10 * ceiling(2^10 * scale)

# 40,000 runs; the honest mechanism is rejected with probability at most 0.01. The seed is fixed.
test_that("an auditor catches parts that spend the whole, and a choice without its factor of two", {
  skip_if_instrumented()
  set.seed(11)
  audit <- function(draws, epsilon = 1) {
    audit_mechanism(draws = draws, x = rbind(1, -1), neighbor = rbind(-1, -1), epsilon = epsilon, runs = 40000)
  }
  expect_false(audit(cube_draws(1))$rejected)
  expect_gt(audit(cube_draws(1))$estimate, 0.6)
  # the published code: from 17/12 of epsilon to 1.75
  expect_true(audit(cube_draws(1, stretch = 1.75))$rejected)
  # one choice alone
  choice <- function(factor) function(X, runs) {
    loss <- if (X[1] > 0) rep(c(0, 1), c(1, 10)) else rep(c(1, 0), c(1, 10))
    replicate(runs, .Call(ffi_cluster_choose, loss, factor, kernel_options("R")))
  }
  expect_false(audit(choice(0.5))$rejected)
  expect_true(audit(choice(1))$rejected)
})

test_that("cubes are charged once, before the first of them is counted", {
  expect_charged_release("cube", list(c(epsilon = 2), c(rho = 0.3), c(epsilon = 2, delta = 1e-6)), queries = 1:3)
  fit <- private_kmeans(kmeans_groups(300), kmeans_box(2), 3, epsilon = 1, method = kmeans_cube(rounds = 3))
  expect_identical(sum(privacy(fit)$public$steps$step == "means"), 3L)
})
