# Kernels on small data (test-memory.R): joint counts, models of tables, networks.

test_that("joint counts, scores of parents, rows of a network and flips", {
  sizes <- c(3L, 1L, 70L, 2L)
  for (n in c(1, 2500)) {
    codes <- vapply(sizes, function(size) as.integer(seq_len(n) * 7L) %% size, integer(n))
    source <- list(sizes = structure(sizes, names = letters[1:4]), n = n, codes = matrix(codes, n))
    scopes <- c(list(integer()), as.list(1:4), list(4:1, c(3L, 1L)))
    counts <- joint_counts_all(source, rep(scopes, 20))
    expect_true(all(vapply(counts, sum, 0) == n))
    for (score in c("distance", "information")) {
      plan <- plan_parents(n, new_cost(c(epsilon = 1)), 1, 1, score)
      scores <- score_scopes_network(source, scopes[-1], plan)
      expect_true(all(scores >= -1e4))
      drawn <- choose_parents(source, scopes[-1], replace(scores, 3, NA), plan, plan$sensitivity[2], "R")
      expect_identical(drawn$score, scores)
    }
    randomized <- .Call(ffi_publish_randomize_codes, source$codes, sizes, c(0, 1, .5, 1e5), kernel_options("R"))
    expect_identical(dim(randomized), dim(source$codes))
  }
  network <- list(list(column = 4L, parents = integer(), cumulative = .3),
                  list(column = 2L, parents = 4L, cumulative = double()),
                  list(column = 1L, parents = c(2L, 4L), cumulative = c(0, 1, .2, .2)),
                  list(column = 3L, parents = c(4L, 2L, 1L), cumulative = rep(seq_len(69) / 70, 6)))
  for (rows in c(0, 1, 2500)) {
    expect_length(.Call(ffi_publish_network_draw, network, sizes, rows, kernel_options("R")), 4 * rows)
  }
  expect_error(.Call(ffi_publish_network_draw, network[4:1], sizes, 1, kernel_options("R")),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("graphical models", {
  sizes <- c(a = 3L, b = 2L, c = 1L, d = 4L)
  scopes <- list(1L, 1:2, c(2L, 4L), 2L)
  model <- new_tree_model(sizes, 20)
  for (scope in scopes) model <- add_measurement(model, scope, seq_len(prod(sizes[scope])) + 0, 1)
  for (steps in c(0, 1, 30)) fitted <- fit_tree(model, steps)
  expect_equal(sum(tree_margins(fitted, list(c(4L, 1L, 3L)))[[1]]), 1)
  expect_length(tree_margins(fitted, list(integer(), 1:4)), 2)
  expect_length(score_scopes(fitted, list(c(1L, 4L), 2L), list(double(12), c(5, 15)), 8), 2)
  for (nsim in c(0, 1, 50)) expect_identical(dim(draw_codes(fitted, nsim, "R")), c(as.integer(nsim), 4L))
  expect_length(tree_cliques(sizes, scopes)$parent, 3)
  expect_length(tree_sizes(sizes, scopes, list(1:4, integer()))$reach, 2)
  expect_error(tree_cliques(rep(1048576L, 3), list(1:3)), class = "dptda_error_size")
  expect_error(.Call(ffi_publish_tree_draw, sizes, list(), list(), 2^31 - 1, kernel_options("os")),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("annealing", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = c(4, 3))
  at <- function(count) cbind(seq_len(count) * 7 %% 11, seq_len(count) * 5 %% 7) / 11
  target <- persistence_diagram(c(0, 1, 1), c(0.1, 0.2, 0.3), c(0.5, 0.4, 0.3))
  for (points in c(1, 9)) for (steps in c(0, 12)) for (count in c(0, 3)) {
    found <- anneal(at(points), at(steps), as.double(seq_len(steps) %% points + 1), rep(0.5, steps), grid, 0.3, 0.5,
                    target[seq_len(count), ], c(0.1, 0.01))
    expect_identical(nrow(found$points), as.integer(points))
  }
  expect_identical(live_blocks(), 0)
})

test_that("decoders", {
  places <- function(rows) cbind(cos(seq_len(rows)), sin(seq_len(rows)))
  for (rows in c(0, 1, 32, 70)) for (features in c(0, 1, 2, 5)) for (sizes in list(1L, c(3L, 1L, 40L))) {
    inner <- max(features, 2 * (features == 0))
    back <- if (features > 0) matrix(sin(seq_len(2 * features)), 2)
    shift <- if (features > 0) cos(seq_len(features))
    slope <- matrix(sin(seq_len(inner * sum(sizes))), inner)
    coins <- matrix((seq_len(rows * length(sizes)) %% 11) / 10, rows, length(sizes))
    for (call in list(function(slope) .Call(ffi_test_decode, places(rows), coins, back, shift, slope,
                                            double(sum(sizes)), sizes, kernel_options()),
                      function(slope) .Call(ffi_publish_decode, places(3), c(.1, 0), back, shift, slope,
                                            double(sum(sizes)), sizes, rows, kernel_options("R")))) {
      code <- call(slope)
      expect_true(identical(dim(code), c(as.integer(rows), length(sizes))) && all(code >= 0) && all(t(code) < sizes))
      expect_error(call(slope[, -1, drop = FALSE]), class = "dptda_error_argument")
    }
  }
  expect_identical(live_blocks(), 0)
})

test_that("autoencoders", {
  sizes <- c(2L, 3L)
  for (rows in c(1, 7)) for (hidden in c(1, 4)) for (steps in c(0, 3)) {
    codes <- cbind(seq_len(rows) %% 2L, seq_len(rows) %% 3L)
    weight <- sin(seq_len(2 * 5 * hidden + 6 * hidden + 2 + 5))
    trained <- .Call(ffi_publish_train_autoencoder, codes, sizes, as.double(hidden), weight, as.double(steps),
                     ceiling(rows / 2), 0.5, 100, 0.1,
                     kernel_options("R"))
    expect_true(all(is.finite(trained)))
    expect_error(.Call(ffi_publish_train_autoencoder, codes, sizes, as.double(hidden), weight, 1, 1, 0.5, 2^41, 0.1,
                       kernel_options("R")),
                 class = "dptda_error_argument")
  }
  expect_identical(live_blocks(), 0)
})
