# Kernels on small data (test-memory.R): distances to a measure, persistence and its distances, the chain of diagrams.

test_that("the distance to a measure, and bins", {
  for (sides in 1:4) {
    grid <- domain_grid(domain_box(rep(-1, sides), rep(1, sides)), size = 5 - (sides > 2))
    X <- matrix(sin(seq_len(40 * sides)), ncol = sides) * 1.2
    for (r in c(1, 2, 3)) for (m0 in c(0.01, 0.2, 1)) for (clip in c(0.3, Inf)) {
      expect_identical(dim(distance_to_measure(X, grid, m0, r = r, clip = clip)), as.integer(dim(grid)))
      expect_length(distance_to_measure(X, X[1:3, , drop = FALSE], m0, r = r, clip = clip), 3)
    }
    for (r in c(1, 2, 3)) for (m0 in c(0.01, 0.2, 1)) for (clip in c(0.3, Inf)) {
      values <- lattice_distances(X, distance_lattice(40, grid, m0, r, clip), 370)
      expect_true(all(values == floor(values)))
    }
    lattice <- distance_lattice(40, grid, 0.2, 1, Inf)
    expect_identical(dim(lattice_distances(bin_points(X, grid), lattice, 370)), as.integer(dim(grid)))
    expect_error(lattice_distances(X, lattice, 2^31), class = "dptda_error_argument")
    weighted <- distance_to_measure(X, grid, 0.2, weights = rep_len(0:3, 40))
    expect_true(all(is.finite(weighted)))
    expect_true(all(is.finite(distance_to_measure(bin_points(X, grid), grid, 0.2))))
    expect_true(all(is.finite(distance_to_measure(X[c(1, 1, 1), , drop = FALSE], grid, 0.5))))
  }
  expect_identical(live_blocks(), 0)
})

test_that("the distance to a measure at landmarks", {
  for (sides in c(1, 3)) for (n in c(1, 40, 20000)) for (weights in list(NULL, rep_len(c(0, 2, 1), n))) {
    if (n == 1) weights <- NULL
    X <- matrix(round(1000 * sin(seq_len(n * sides))), n)
    P <- matrix(round(1000 * cos(seq_len(7 * sides))), 7)
    total <- if (is.null(weights)) n else sum(weights)
    for (r in 1:2) for (k in c(1, ceiling(total / 3))) for (cap in c(500, 1e5)) for (far in c(1, 2^40)) {
      values <- landmark_values(X * far, weights, P, k, r, cap, 1, cap, 100)
      expect_true(all(values == floor(values)))
      if (far == 1) {
        expect_length(distance_steps(abs(outer(X[, 1], P[1:3, 1], "-")), weights, k, r, cap, .5, cap, 100), 3)
      }
    }
  }
  few <- matrix(c(NaN, Inf, -1, 1e300), 4)
  expect_length(distance_steps(few, NULL, 2, 1, 9, 1e300, 9, 5), 1)
  for (any in c(TRUE, FALSE)) for (norms in c(TRUE, FALSE)) for (weight in list(NULL, as.double(1:24))) {
    run <- .Call(ffi_test_landmark_loops, as.double(1:48), as.double(1:24), weight, as.double(1:12),
                 as.double(1:6), 500, 5,
                 90, norms, any, kernel_options())
    expect_length(run, 6)
  }
  expect_identical(live_blocks(), 0)
})

test_that("grid persistence", {
  values <- function(size) array((seq_len(prod(size)) * 7919) %% 11, size)
  for (size in list(1, 9, c(1, 4), c(6, 5), c(4, 3, 4), c(3, 2, 3, 2))) {
    for (triangulation in c("cubical", if (length(size) < 4) "alternating")) {
      for (sublevel in c(TRUE, FALSE)) {
        diagram <- grid_persistence(values(size), sublevel = sublevel, triangulation = triangulation)
        expect_gt(nrow(diagram), 0)
      }
    }
  }
  masked <- values(c(5, 5))
  masked[c(1, 7, 13)] <- Inf
  expect_gt(nrow(grid_persistence(masked, essential = "cap")), 0)
  expect_identical(nrow(grid_persistence(array(Inf, c(3, 3)))), 0L)
  expect_identical(live_blocks(), 0)
})

test_that("curves of diagrams", {
  birth <- c(NaN, -Inf, Inf, sin(1:200))
  death <- c(0, .5, .25, cos(1:200))
  for (kind in 0:3) for (level in c(1, 3, 1000)) for (size in c(1, 2, 64, 150)) {
    for (counts in list(203, c(0, 0, 203), c(3, rep(4, 50)), c(rep(1, 203), 0))) {
      grid <- (seq_len(size) - .5) / size
      values <- .Call(ffi_persistence_curves, birth, death, counts, kind, level, c(0, 1), grid, kernel_options())
      expect_identical(dim(values), c(length(counts), as.integer(size)))
      expect_gte(min(values), 0)
    }
    # a grid that is not regular, and a single narrow range
    grid <- sort(abs(sin(seq_len(size))))
    expect_gte(min(.Call(ffi_persistence_curves, birth, death, 203, kind, level, c(0, 1), grid, kernel_options())), 0)
  }
  none <- .Call(ffi_persistence_curves, double(), double(), double(), 0L, 1, c(0, 1), .5, kernel_options())
  expect_identical(dim(none), 0:1)
  expect_identical(live_blocks(), 0)
})

test_that("bottleneck distance and decision, by both kernels", {
  points <- function(n, step) {
    birth <- (seq_len(n) * 7919) %% 31 / 31
    persistence_diagram(0, birth, birth + (seq_len(n) * step) %% 17 / 17)
  }
  for (n in c(0, 1, 5, 32, 33, 60)) for (m in c(0, 3, 40)) {
    x <- points(n, 3)
    y <- points(m, 5)
    distance <- bottleneck_distance(x, y, dimension = 0)
    expect_identical(bottleneck_distance(y, x, dimension = 0), distance)
    x <- x[order(x$birth), ]
    y <- y[order(y$birth), ]
    within <- function(t) .Call(ffi_test_bottleneck_within, x$birth, x$death, y$birth, y$death, t, kernel_options())
    expect_true(within(distance))
    expect_identical(within(distance / 2), distance == 0)
  }
  essential <- persistence_diagram(0, c(3, 1, 2), c(Inf, Inf, 2))
  expect_identical(bottleneck_distance(essential, essential, dimension = 0), 0)
  expect_identical(live_blocks(), 0)
})

test_that("bottleneck distance up to a shift", {
  points <- function(n, step) {
    birth <- (seq_len(n) * 7919) %% 31 / 31
    persistence_diagram(0, birth, birth + (seq_len(n) * step) %% 17 / 17)
  }
  for (n in c(0, 1, 5, 63, 64, 65)) for (m in c(0, 3, 64, 70)) {
    x <- points(n, 3)
    y <- points(m, 5)
    distance <- shift_invariant_distance(x, y, dimension = 0)
    expect_lte(c(distance), bottleneck_distance(x, y, dimension = 0))
  }
  essential <- persistence_diagram(0, c(3, 1, 2, -Inf), c(Inf, Inf, 2, 4))
  expect_identical(c(shift_invariant_distance(essential, essential, dimension = 0)), 0)
  expect_identical(c(shift_invariant_distance(essential, essential[-1, ], dimension = 0)), Inf)
  expect_identical(live_blocks(), 0)
})

test_that("the chain, and private diagrams of no point", {
  grid <- domain_grid(domain_box(c(-1, -1), c(1, 1)), size = 9)
  X <- cbind(cos(1:60), sin(1:60))
  for (learn in c(TRUE, FALSE)) {
    release <- private_diagram(X, grid, 3, m0 = 0.1, max_points = 0, learn_points = learn)
    expect_identical(nrow(release), 0L)
  }
  for (epsilon in c(0.01, 3, 1000)) for (rng in c("os", "R")) {
    chain <- nonprivate_chain(X, grid, epsilon, m0 = 0.1, max_points = 3, steps = 20, step_sd = 0.1, rng = rng)
    expect_identical(nrow(chain$last), 6L)
  }
  expect_identical(live_blocks(), 0)
})

test_that("edges and components of a Rips filtration", {
  for (L in c(1, 2, 9)) for (whole in c(TRUE, FALSE)) {
    values <- (seq_len(L) * 5) %% 7
    lengths <- abs(outer(values, values, `-`)) * 2
    expect_length(rips_edges(values, lengths, whole), L * (L - 1) / 2)
    for (cap in c(0, 4, Inf)) expect_identical(rips_pairs(values, lengths, cap, 0, whole)$essential, min(values, cap))
  }
  expect_error(rips_edges(double(), matrix(0, 0, 0), TRUE), class = "dptda_error_argument")
  expect_error(rips_edges(c(0, 1), matrix(0, 2, 1), TRUE), class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})
