# What the noise of a plan costs, from its scales and the sensitivities of the proof.
tree_cost <- function(plan, D) {
  level <- 2 / (2 * plan$level^2)
  long <- D * 4^plan$bits # the square of the longest row
  one <- 4 * long / (2 * plan$scale[2]^2)
  two <- 2 * (long / plan$scale[2]^2 + 1 / plan$scale[1]^2) / 2
  plan$depth * level + max(one, two)
}

test_that("what the noise costs adds up to the budget, for many settings", {
  for (n in c(1, 1e6)) for (D in c(1, 2, 7, 50)) for (k in c(1, 30)) for (rho in c(1e-9, 1e-3, 0.3, 1e3)) {
    plan <- plan_kmeans_tree(n, kmeans_box(D), k, spent_rho(rho))
    expect_equal(sum(plan$steps$rho), rho, tolerance = 1e-13)
    expect_identical(nrow(plan$steps), 21L)
    expect_lte(tree_cost(plan, D), rho)
    # not idle: but for scales below the least one of 2^-30
    expect_gt(tree_cost(plan, D), 0.9999 * rho)
    expect_lte(n * 2^plan$bits, 2^52)
  }
})

some_planes <- function(D, depth, bits) draw_planes(list(depth = depth, bits = bits), D, "R")

# A tree in which each node is split with probability 0.7.
some_tree <- function(depth, children = 2) {
  first <- 0
  level <- list(1)
  for (t in seq_len(depth)) {
    split <- level[[t]][stats::runif(length(level[[t]])) < 0.7]
    split <- utils::head(split, 8)
    new <- length(first) + seq_len(children * length(split))
    first[split] <- length(first) + children * (seq_along(split) - 1)
    first[new] <- 0
    level[[t + 1]] <- new
  }
  first
}

slow_walk <- function(q, planes, first) {
  D <- length(q)
  node <- 1
  level <- 1
  while (first[node] > 0) {
    node <- first[node] + 1 + (sum(planes[seq_len(D), level] * q) > planes[D + 1, level])
    level <- level + 1
  }
  node
}

test_that("the kernel's counts and sums are those of a slow walk", {
  set.seed(1)
  for (i in 1:40) {
    D <- sample(1:5, 1)
    n <- sample(1:30, 1)
    depth <- sample(0:6, 1)
    bits <- sample(c(0, 3, 20), 1)
    box <- domain_box(rep(-3, D), seq_len(D))
    planes <- some_planes(D, depth, bits)
    first <- some_tree(depth)
    X <- matrix(stats::rnorm(n * D, sd = 3), n)
    q <- slow_lattice(X, box, bits)
    node <- vapply(q, slow_walk, 0, planes = planes, first = first)
    expected <- matrix(0, 1 + D, length(first))
    for (r in seq_len(n)) expected[, node[r]] <- expected[, node[r]] + c(1, q[[r]])
    sums <- tree_sums(X, box, list(bits = bits), planes, first, TRUE)
    expect_identical(sums, expected)
    expect_identical(tree_sums(X, box, list(bits = bits), planes, first, FALSE), expected[1, , drop = FALSE])
    # the order of the rows does not matter, and each row has its place alone
    expect_identical(tree_sums(X[rev(seq_len(n)), , drop = FALSE], box, list(bits = bits), planes, first, TRUE), sums)
    alone <- lapply(seq_len(n), function(r) tree_sums(X[r, , drop = FALSE], box, list(bits = bits), planes,
                                                      first, TRUE))
    expect_identical(Reduce(`+`, alone), sums)
  }
  expect_error(tree_sums(X, box, list(bits = 3), planes, c(1, 2, 0), TRUE), class = "dptda_error_argument")
  expect_error(tree_sums(X, box, list(bits = 3), planes, c(5, 0, 0), TRUE), class = "dptda_error_argument")
})

# Replacing a row: in the integers themselves, in units of the noise.
test_that("no pair of rows moves the counts of a level or the sums of the leaves farther than is charged", {
  set.seed(2)
  worst <- 0
  for (i in 1:60) {
    D <- sample(c(1, 2, 3, 8), 1)
    plan <- plan_kmeans_tree(50, kmeans_box(D), 3, spent_rho(0.7))
    plan$bits <- sample(c(0, 2, 12), 1)
    scale <- kmeans_sum_scales(D, plan$bits, 0.7)
    planes <- some_planes(D, 5, plan$bits)
    first <- some_tree(5)
    X <- hostile_rows(120, D)
    V <- vapply(seq_len(120), function(r) {
      as.vector(tree_sums(X[r, , drop = FALSE], kmeans_box(D), plan, planes, first, TRUE) / scale)
    }, double((1 + D) * length(first)))
    spent <- max(stats::dist(t(V)))^2 / 2
    worst <- max(worst, spent)
    expect_lte(spent, 0.7)
    counts <- V[seq(1, nrow(V), 1 + D), , drop = FALSE] * scale[1]
    expect_lte(max(stats::dist(t(counts)))^2, 2 + 1e-9)
  }
  expect_gt(worst, 0.69)
})

# Whole releases of neighbors, along the same answers, so that the same nodes are split: what the noise of all levels
# and of the leaves has to hide together. Answers are large where there are rows, so that the tree is deep, and two of
# these are corners.
test_that("no pair of rows costs more than rho over a whole tree, and some cost all of it", {
  told <- list()
  answers <- function(X) {
    seen <- list()
    tell <- function(values, scale, kind, rng) {
      query <- length(seen) + 1
      seen[[query]] <<- values / scale
      if (query > length(told)) told[[query]] <<- ifelse(values == 0, 0, round(values + 20 * scale))
      told[[query]]
    }
    set.seed(8) # the same planes
    with_replaced("add_noise", tell, private_kmeans(X, kmeans_box(2), 3, rho = 400, method = "tree", rng = "R"))
    unlist(seen)
  }
  set.seed(9)
  X <- rbind(0, c(-1, -1), c(1, 1), kmeans_groups(60))
  rows <- rbind(X[2:3, ], hostile_rows(30, 2))
  V <- vapply(seq_len(nrow(rows)), function(r) answers(rbind(X[-1, ], rows[r, ])), answers(X))
  expect_length(told, 21)
  spent <- max(stats::dist(t(V)))^2 / 2
  expect_lte(spent, 400)
  expect_gt(spent, 399)
})

test_that("a tree grows where the rows are, and is decided by its noisy counts", {
  set.seed(3)
  X <- kmeans_groups(3000)
  plan <- plan_kmeans_tree(3000, kmeans_box(2), 3, spent_rho(100))
  tree <- grow_tree(X, kmeans_box(2), draw_planes(plan, 2, "R"), plan, "R")
  expect_gt(length(tree$leaf), 3)
  expect_true(all(tree$first[tree$leaf] == 0))
  expect_true(all(tree$count >= min(plan$leaf, 3000)))
  expect_lt(abs(sum(tree$count) - 3000), 300)
  # no budget, no tree: the root alone, and the noisy mean of all rows
  plan <- plan_kmeans_tree(3000, kmeans_box(2), 3, spent_rho(1e-9))
  expect_identical(grow_tree(X, kmeans_box(2), draw_planes(plan, 2, "R"), plan, "R"),
                   list(first = 0, leaf = 1, count = 3000))
  # a public number of nodes
  plan <- plan_kmeans_tree(3000, kmeans_box(2), 3, spent_rho(1e6))
  plan$leaf <- 1
  plan$most <- 8
  tree <- grow_tree(X, kmeans_box(2), draw_planes(plan, 2, "R"), plan, "R")
  expect_lte(length(tree$first), 1 + 20 * 16)
})

test_that("with a large budget the groups are found", {
  set.seed(4)
  for (D in c(2, 6)) {
    X <- kmeans_groups(3000, D)
    plan <- plan_kmeans_tree(3000, kmeans_box(D), 3, spent_rho(1e3))
    fit <- draw_kmeans_tree(list(data = X), kmeans_box(D), 3, plan, "R")
    truth <- stats::kmeans(X, 3, nstart = 20)
    away <- as.matrix(stats::dist(rbind(t(fit$centers), truth$centers)))[1:3, 4:6]
    expect_lt(max(apply(away, 1, min)), 0.1)
    expect_equal(sum(fit$size), 3000, tolerance = 0.05)
  }
})

test_that("hostile settings give centers all the same", {
  set.seed(5)
  rhos <- vapply(c(1e-6, 1, 1e3), largest_rho, 0, delta = 1e-9)
  for (D in c(1, 2, 50)) {
    X <- kmeans_groups(60, D)
    rows <- list(X, X[1, , drop = FALSE], X[rep(1, 60), , drop = FALSE], X * 0 + 1e300, replace(X, 1:3, Inf))
    for (data in rows) for (k in c(1, 3, 30)) for (rho in rhos) {
      plan <- plan_kmeans_tree(nrow(data), kmeans_box(D), k, spent_rho(rho))
      expect_true(is_fit(draw_kmeans_tree(list(data = data), kmeans_box(D), k, plan, "R"), D, k))
    }
  }
  expect_error(plan_kmeans_tree(10, kmeans_box(2), 2, spent_rho(1e-30)), "scale above 2\\^40",
               class = "dptda_error_argument")
  expect_error(private_kmeans(X, kmeans_box(50), 2, epsilon = 1, method = "tree"), "delta",
               class = "dptda_error_argument")
})

test_that("rows outside are their nearest points of the box", {
  X <- kmeans_groups(200)
  outside <- rbind(X, c(100, -1e300), c(Inf, -Inf))
  corner <- rbind(X, c(1, -1), c(1, -1))
  plan <- plan_kmeans_tree(202, kmeans_box(2), 3, spent_rho(10))
  fit <- function(X) {
    set.seed(6)
    draw_kmeans_tree(list(data = X), kmeans_box(2), 3, plan, "R")
  }
  expect_identical(fit(outside), fit(corner))
})

# 1500 noisy numbers of each kind, over their scale: the mean of the squares has standard deviation sqrt(2 / 1500), and
# five of them a false-alarm rate of about 1e-6. The seed is fixed.
test_that("the noise has the scales of the plan", {
  set.seed(7)
  X <- kmeans_groups(200)
  box <- kmeans_box(2)
  plan <- plan_kmeans_tree(200, box, 3, spent_rho(1e-2))
  plan$leaf <- -1e9 # every node is split
  plan$depth <- 2
  planes <- draw_planes(plan, 2, "R")
  first <- c(1, 3, 5, 0, 0, 0, 0)
  exact <- tree_sums(X, box, plan, planes, first, FALSE)[4:7]
  noise <- replicate(375, {
    tree <- grow_tree(X, box, planes, plan, "R")
    number <- tree$first
    # children of the larger one come first: by the offset of the parent
    (tree$count - if (number[2] == 3) exact else exact[c(3, 4, 1, 2)]) / plan$level
  })
  expect_lt(abs(mean(noise^2) - 1), 5 * sqrt(2 / 1500))
  expect_lt(abs(mean(noise)), 5 / sqrt(1500))
  # one leaf: the mean of all rows, with the noise of a sum
  plan <- plan_kmeans_tree(200, box, 1, spent_rho(2))
  plan$leaf <- 1e9
  mean <- colMeans(X)
  means <- replicate(750, draw_kmeans_tree(list(data = X), box, 1, plan, "R")$centers[, 1] - mean)
  scaled <- means * 200 * 2^plan$bits / plan$scale[2]
  expect_lt(abs(base::mean(scaled^2) - 1), 5 * sqrt(2 / 1500))
})

test_that("a tree is charged once, before it grows", {
  expect_charged_release("tree", list(c(rho = 0.3), c(epsilon = 2, delta = 1e-6)), queries = 1:2)
  X <- kmeans_groups(30)
  expect_error(private_kmeans(X, kmeans_box(2), 2, epsilon = 1, method = "tree"),
               "^`delta` must be given with `epsilon`, or `rho`",
               class = "dptda_error_argument")
  changed <- structure(list(rounds = 2), class = c("kmeans_tree", "dptda_method"))
  expect_error(check_method(changed, "kmeans"), class = "dptda_error_argument")
})
