# Every kernel on small data, through each of its branches: the tests that run
# under valgrind (tools/valgrind.sh). What the results must be is tested
# elsewhere; here memory that is read must have been written, and nothing may
# stay behind.

live_blocks <- function() .Call(ffi_test_live_blocks)

# The first example of each class is the simplest. What kernels do with other sizes and when they fail is below.
test_that("every mechanism, by its first example", {
  for (class in example_classes()) {
    example <- example_of(public_plan(class))[[1]]
    drawn <- tryCatch(study_draws(example$mechanism, example$x, 1, "os"), error = identity)
    expect(!inherits(drawn, "error"), paste(example$name, "cannot be drawn: see", file_of(class)))
    expect(live_blocks() == 0, paste(example$name, "leaves memory behind: see", file_of(class)))
  }
})

test_that("the foundations return what they took, however a kernel ends", {
  burn <- function(how) .Call(ffi_test_burn, 3, how, kernel_options("os"))
  expect_gt(burn(0L), 0)
  for (how in 1:3) expect_error(burn(how), class = "dptda_error")
  for (rng in c("os", "R")) expect_length(.Call(ffi_base_draw_units, 100, kernel_options(rng)), 100)
  expect_identical(live_blocks(), 0)
})

test_that("the ledger of a budget", {
  step <- function(x) list(step = "a", measure = c(epsilon = x), parts = new_parts(pure = x, renyi = new_curve(2, 1)))
  state <- list(total = 1, steps = list(step(1)))
  held <- .Call(ffi_budget_hold, state, list("os", 1L, NULL))
  expect_true(.Call(ffi_budget_charge, held, 1L, list(step(2), step(3))))
  expect_false(.Call(ffi_budget_charge, held, 1L, list(step(4))))
  expect_true(.Call(ffi_budget_charge, held, 3, list()))
  expect_identical(.Call(ffi_budget_held, held, 0), list(total = 1, steps = list(step(1), step(2), step(3))))
  expect_identical(.Call(ffi_budget_held, held, 2), list(total = 1, steps = list(step(3))))
  expect_identical(.Call(ffi_budget_held, held, 9), list(total = 1, steps = list()))
  expect_identical(.Call(ffi_budget_size, held)[1], 3)
  expect_identical(.Call(ffi_budget_owner, held), "own")
  # nothing but what adds to the account
  for (bad in list(NULL, 1, list(1), list(list()), list(step(-1)), list(step(NaN)), list(step(Inf)), list(step(1L)),
                   list(step("1")), list(step(structure(1, class = "sly"))), list(step(numeric())),
                   list(list(measure = 1, parts = NULL)), structure(list(step(1)), class = "sly"),
                   list(replace(step(1), "parts", list(new_parts(renyi = new_curve(c(.5, 1e200), c(1e9, 0)))))),
                   list(replace(step(1), "parts", list(new_parts(renyi = new_curve(c(3, 2), c(1, 1)))))),
                   list(replace(step(1), "parts", list(new_parts(leak = .1)))),
                   list(replace(step(1), "parts", list(new_parts()[-1]))),
                   list(replace(step(1), "measure", list(c(epsilon = 1, epsilon = 1)))),
                   list(replace(step(1), "measure", list(c(other = 1)))), list(replace(step(1), "measure", list(1))))) {
    expect_identical(.Call(ffi_budget_charge, held, 3L, bad), NA)
  }
  copy <- unserialize(serialize(held, NULL))
  expect_identical(.Call(ffi_budget_owner, copy), "copied")
  expect_false(.Call(ffi_budget_charge, copy, 3L, list(step(1))))
  expect_identical(.Call(ffi_budget_held, copy, 0), .Call(ffi_budget_held, held, 0))
  expect_identical(.Call(ffi_budget_size, copy), c(3, 0))
  for (i in 3:40) expect_true(.Call(ffi_budget_charge, held, i, list(step(i + 0))))
  expect_length(.Call(ffi_budget_held, held, 0)$steps, 41)
  for (other in list(NULL, 1, methods::new("externalptr"), .Call(ffi_budget_hold, 1, list("os", 1L, NULL)))) {
    expect_false(.Call(ffi_budget_charge, other, 0L, list(step(1))))
  }
  for (other in list(NULL, 1, methods::new("externalptr"))) {
    expect_identical(.Call(ffi_budget_owner, other), "")
    expect_null(.Call(ffi_budget_held, other, 0))
    expect_identical(.Call(ffi_budget_size, other), c(0, 0))
  }
  file <- tempfile()
  withr::defer(unlink(file))
  append <- function(size, folder = NULL) .Call(ffi_budget_append, file, charToRaw("line\n"), size, folder)
  expect_true(nzchar(append(0)))
  expect_identical(append(0, dirname(file)), "")
  expect_identical(append(0), "moved")
  expect_identical(append(5), "")
  expect_true(nzchar(append(10, dirname(file))))
  expect_identical(readLines(file), c("line", "line"))
  query <- function(path, from, most) .Call(ffi_budget_read, path, from, most)
  expect_identical(query(file, 5, 3)[[2]], charToRaw("lin"))
  expect_identical(query(file, 8, 1e9)[[2]], charToRaw("e\n"))
  expect_identical(query(file, 100, 1e9)[[2]], raw())
  expect_identical(query(file, 0, 0)[[1]][3], 10)
  expect_identical(query(tempdir(), 0, 10)[[2]], raw())
  expect_type(query(paste0(file, "/none"), 0, 10), "character")
  peek <- function(path, most) .Call(ffi_budget_peek, path, most)
  expect_identical(peek(charToRaw(file), 3), charToRaw("lin"))
  expect_identical(peek(charToRaw(file), 1e6), charToRaw("line\nline\n"))
  expect_identical(peek(charToRaw(tempdir()), 3), raw())
  expect_identical(peek(charToRaw(paste0(file, "/none")), 3), raw())
  for (bad in list(as.raw(c(65, 0)), raw())) expect_identical(peek(bad, 3), "no path")
  for (bad in list("a", NULL)) expect_error(peek(bad, 3), class = "dptda_error_argument")
  expect_identical(nchar(.Call(ffi_budget_checksums, "", readLines(file))), c(16L, 16L))
  expect_identical(.Call(ffi_budget_checksums, "", character()), character())
  expect_identical(live_blocks(), 0)
})

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

test_that("mixtures", {
  for (D in c(1, 3, 12)) for (K in c(1, 4)) {
    S <- 0.5 + diag(D)
    model <- as_mixture(list(weights = seq_len(K), means = matrix(sin(seq_len(K * D)^2), K) * 5,
                             covariances = rep(list(S), K)))
    X <- rbind(model$means, NA, Inf, 1e200, 1e5)
    expect_length(predict(model, X, "logdensity"), K + 4)
    expect_identical(dim(simulate(model, 9)), c(9L, as.integer(D)))
  }
  thin <- list(1, matrix(0, 1, 2), c(1, 1, 1, 1))
  expect_error(.Call(ffi_cluster_draw, thin[[1]], thin[[2]], thin[[3]], 1, kernel_options("R")),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("a fit without privacy", {
  for (D in c(1, 5)) for (K in c(1, 3)) for (n in c(3, 40)) {
    fit <- fit_mixture(matrix(sin(seq_len(n * D)^2), n), K, rounds = 2)
    expect_length(fit_mixture(matrix(cos(seq_len(n * D)), n), start = fit, rounds = 1)$weights, K)
  }
  expect_identical(live_blocks(), 0)
})

test_that("modes and passes of mixtures", {
  for (D in c(1, 2, 6)) for (K in c(1, 2, 5)) for (spread in c(1, 6, 1e5)) {
    model <- as_mixture(list(weights = seq_len(K), means = matrix(sin(seq_len(K * D)^2), K) * spread,
                             covariances = rep(list(0.5 + diag(D)), K)))
    merging <- cluster_morse(model)
    expect_identical(nrow(merging$merge), as.integer(K) - 1L)
    expect_length(predict(merging, rbind(model$means, NA), k = 1, assign = "basin"), K + 1)
  }
  # more saddles than there is room for at first
  corners <- as.matrix(expand.grid(c(-2, 0, 2), c(-2, 0, 2)))
  expect_gt(sum(cluster_morse(as_mixture(list(weights = rep(1, 9), means = corners,
                                            covariances = rep(list(diag(0.3, 2)), 9))))$passes$saddle), 10)
  expect_identical(live_blocks(), 0)
})

test_that("clusters along a density", {
  X <- cbind(sin(1:40), cos((1:40)^2))
  for (n in c(1, 2, 40)) for (k in c(1, 6, 50)) for (density in list("kernel", "dtm", rep_len(c(2, 1, 2, 3), n))) {
    for (prominence in c(0, 1, Inf)) {
      expect_length(cluster_tomato(X[seq_len(n), , drop = FALSE], density, k, prominence = prominence)$labels, n)
    }
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

test_that("random graphs", {
  for (n in c(0, 1, 2, 70)) {
    X <- matrix((seq_len(2 * n) * 7919) %% 31 / 45, n, 2)
    sizes <- c(n %/% 3, 0, n - n %/% 3)
    rates <- rbind(c(.5, .1, .01), c(.1, 1, 0), c(.01, 0, .1))
    for (model in list(graph_rdpg(X), graph_grdpg(X, 1, 1), graph_latent(n, "circle"), graph_sbm(sizes, rates),
                       graph_sbm(sizes, rates, weights = rowSums(X)), graph_sociability(rowSums(X)))) {
      edges <- simulate(model, seed = 1)
      expect_true(all(edges$from < edges$to & edges$to <= n))
    }
  }
  expect_error(simulate(graph_sbm(2^31 - 1, .5)), class = "dptda_error_size")
  expect_identical(live_blocks(), 0)
})

test_that("the sampler in whole numbers and its weights", {
  near <- cbind(c(10, 11, 10, 12, 40), c(90, 91, 90, 88, 43))
  wide <- cbind(c(0, 0, 1), c(100, 99, 100))
  nothing <- matrix(0, 0, 2)
  for (epsilon in c(1e-6, .5, 20)) for (most in c(0, 3, 20)) for (learn in c(TRUE, FALSE)) {
    drawn <- lattice_draws_of(list(near, wide, nothing), 100, 4, epsilon, most, learn, 3, if (learn)
                              "os" else "R")$points
    if (!learn) expect_identical(nrow(drawn), as.integer(9 * most))
  }
  many <- cbind(rep(0:40, 20), rep(0:40, 20) + 3)
  expect_identical(nrow(lattice_draws_of(list(rbind(many, near)), 100, 4, 1, 5, FALSE, 4)$points), 20L)
  for (digits in c(2L, 4L)) for (careless in c(TRUE, FALSE)) {
    trial_of(list(near, wide), 100, weight_table(2^28 * c(1, .75, .5), 3), 3, TRUE, 3, digits, careless)
  }
  # weights of very different sizes, in few units
  for (time in 1:20) trial_of(list(near), 300, weight_table(2^30 * c(1, .5)), 3, TRUE, 3, 4L)
  expect_identical(.Call(ffi_test_ratio_coins, 5, 3, 3, kernel_options("R")), 5)
  expect_error(lattice_draws_of(list(near), 100, 1e6, 1e-9, 3), class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("K-norm noise, from few digits on and cut off, and its long numbers", {
  add <- function(value, scale, shift, first, ahead, rng = "os") {
    .Call(ffi_test_add_norm, value, scale, shift, 3, first, ahead, kernel_options(rng))$released
  }
  for (D in 0:5) for (first in c(1L, 7L, 64L, 200L)) expect_length(add(double(D), 2.5, 0, first, 0L), 3 * D)
  for (scale in 2^c(-64, 60, 140)) expect_length(add(c(2^53, -2^53), scale, 200, 1L, 9L, "R"), 6)
  expect_identical(norm_scale(9, 1), 3)
  expect_identical(norm_scale(1, 1e-300), NA_real_)
  for (what in 0:6) for (a in list(raw(), raw(9), as.raw(1:30))) {
    for (left in c(-300, -64, 0, 3, 64)) expect_silent(.Call(ffi_test_long, what, a, a, left, kernel_options()))
  }
  for (what in 0:1) expect_length(.Call(ffi_test_variates, 50, what, kernel_options("os")), 200)
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

test_that("exact noise", {
  for (scale in c(2^-30, 0.3, 1, 7, 2^40)) {
    for (draw in list(rdiscrete_laplace, rdiscrete_gaussian)) expect_length(draw(20, scale), 20)
  }
  for (what in 0:2) expect_length(.Call(ffi_test_coins, 20, 0.7, what, kernel_options("R")), 20)
  expect_identical(.Call(ffi_test_round_scale, c(1, NaN)), c(1, NA))
  for (kind in 0:1) expect_identical(.Call(ffi_privacy_scale_for, kind, c(2, 2e300), 1), c(2 - kind, NA))
  expect_identical(live_blocks(), 0)
})

test_that("choices", {
  for (epsilon in c(2^-80, 2^-72, 1, 2^41)) expect_length(draw_choice(c(-2^53, 3, 2^53), epsilon, 1, "R", 5), 5)
  expect_identical(choice_rate(1, c(1, 2^53)), c(.5, 2^-54))
  expect_identical(live_blocks(), 0)
})

test_that("quantiles by ranks", {
  for (epsilon in c(0, 1e-3, 1, 1024)) {
    drawn <- .Call(ffi_number_draw_ranks, c(2, 5, 2^24), c(1, 7, 3), 2^24, c(1, 4, 11), epsilon, kernel_options("R"))
    expect_length(drawn, 3)
    expect_gt(length(rank_weights(epsilon, 100)), 0)
  }
  expect_length(rank_weights(1e-7, 2^52), 0)
  for (cells in list(c(2, 5, 5), c(2, 5, 1.5), c(2, 5, 17))) {
    expect_error(.Call(ffi_number_draw_ranks, cells, c(1, 7, 3), 16, 1, 1, kernel_options("R")), class = "dptda_error")
  }
  splits <- halving_splits(c(1, 4, 5, 9, 11), 11, 0.3)[, 1:7]
  for (digits in c(0L, 24L)) {
    drawn <- .Call(ffi_number_draw_splits, c(2, 5, 2^24), c(1, 7, 3), 2^24, splits, digits, kernel_options("R"))
    expect_false(is.unsorted(drawn))
    expect_length(.Call(ffi_number_draw_splits, 3, 5000, 4, splits, digits, kernel_options("R")), 5)
  }
  for (wrong in list(splits[5:1, ], replace(splits, 1, 1), replace(splits, 26, 65), splits[, 1:6], splits[0, ])) {
    expect_error(.Call(ffi_number_draw_splits, 2, 5, 16, wrong, 24L, kernel_options("R")), class = "dptda_error")
  }
  tiny <- function() .Call(ffi_number_draw_ranks, 1, 2^52, 16, 1, 1e-7, kernel_options("R"))
  expect_error(tiny(), "too small", class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("rotations and subspaces, in every branch of their sizes", {
  basis <- function(p, k) qr.Q(qr(matrix(sin(seq_len(p * k)^2), p)))
  through <- function(M, x, y, far) {
    v <- manifold_log(x, y, M)
    expect_true(all(is.finite(manifold_exp(x, v, M))))
    expect_equal(manifold_distance(x, y, M)^2, manifold_inner(x, v, v, M), tolerance = 1e-10)
    expect_true(all(is.finite(manifold_transport(x, y, v, M))))
    expect_true(all(is.finite(manifold_clamp(far, M, x, 0.1))))
    V <- matrix(sin(seq_len(2 * M$dimension)), ncol = 2) * rep(c(0.1, 10), each = M$dimension)
    expect_identical(is.finite(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value), c(TRUE, FALSE))
    expect_error(manifold_distance(0 * x, y, M), class = "dptda_error_argument")
  }
  for (p in c(2, 3, 4, 7, 14)) {
    x <- basis(p, p)
    x[, 1] <- x[, 1] * det(x)
    through(manifold_rotation(p), x, diag(p), x %*% diag(rep(c(-1, 1), c(2 * (p %/% 2), p %% 2))))
    expect_error(manifold_distance(-diag(c(1, -rep(1, p - 1))), x, manifold_rotation(p)),
                 class = "dptda_error_argument")
    for (k in unique(c(1, p %/% 2, p - 1))) {
      I <- diag(p)
      through(manifold_grassmann(k, p), I[, 1:k, drop = FALSE], basis(p, k), I[, p + 1 - 1:k, drop = FALSE])
    }
  }
  both <- manifold_product(manifold_rotation(3), manifold_grassmann(1, 3))
  from <- list(diag(3), basis(3, 1))
  to <- list(diag(c(-1, -1, 1)), -basis(3, 1))
  expect_equal(manifold_distance(from, to, both), pi)
  expect_length(manifold_transport(from, to, manifold_log(from, to, both), both), 2)
  expect_identical(live_blocks(), 0)
})

test_that("linear algebra, by own code and by LAPACK", {
  run <- function(entry, ...) .Call(entry, ..., kernel_options("os"))
  for (n in c(1, 2, 3, 5, 8, 14, 18)) {
    a <- matrix(sin(seq_len(n * n)^2), n)
    b <- a[, 1:max(1, n %/% 2), drop = FALSE]
    for (wanted in c(FALSE, TRUE)) expect_length(run(ffi_test_linear_eigen, a + t(a), wanted)$values, n)
    for (wanted in 0:3) for (given in list(a, b, t(b), 0 * b)) {
      expect_length(run(ffi_test_linear_svd, given, wanted)$d, min(dim(given)))
    }
    expect_length(run(ffi_test_linear_complete, b), n * n)
    expect_length(run(ffi_test_linear_cholesky, crossprod(a) + diag(n), b), 3)
    expect_null(run(ffi_test_linear_cholesky, matrix(-1, n, n), b))
    for (transposed in 0:2) expect_length(run(ffi_test_linear_multiply, a, a, transposed), n * n)
    q <- run(ffi_test_linear_orthogonal, n, TRUE)
    expect_length(run(ffi_test_linear_schur, q), 2)
  }
  expect_identical(live_blocks(), 0)
})

test_that("positive definite matrices, also those that have to be repaired", {
  for (metric in c("affine", "log-euclidean")) for (p in c(1, 2, 3, 7, 14)) {
    M <- manifold_spd(p, metric)
    x <- crossprod(matrix(sin(seq_len(p * p)^2), p)) + diag(p)
    v <- manifold_log(x, diag(p), M)
    y <- manifold_exp(x, -200 * v, M)
    for (end in list(diag(p), y)) expect_true(is.finite(manifold_distance(x, end, M)))
    expect_true(all(is.finite(manifold_transport(x, diag(p), v, M))))
    expect_true(all(is.finite(manifold_clamp(array(c(diag(p), y), c(p, p, 2)), M, x, 0.1))))
    expect_error(manifold_distance(0 * x, x, M), class = "dptda_error_argument")
    V <- matrix(sin(seq_len(M$dimension)))
    expect_true(is.finite(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value))
    l <- matrix(as.double(seq_along(.Call(ffi_test_manifold_drift, M, kernel_options()))))
    for (given in list(l, -l)) {
      expect_length(.Call(ffi_test_manifold_from_drift, M, given, kernel_options("os"))$v, M$dimension)
    }
  }
  expect_identical(live_blocks(), 0)
})

test_that("flat, round and hyperbolic space, and their products", {
  first <- function(size, at = 1) replace(numeric(size), 1, at)
  through <- function(M, x, ends, l) {
    count <- if (is.list(ends)) nrow(ends[[1]]) else nrow(ends)
    v <- manifold_log(x, ends, M)
    expect_length(unlist(manifold_exp(x, v, M)), count * M$size)
    expect_length(unlist(manifold_transport(x, ends, v, M)), count * M$size)
    expect_identical(dim(manifold_distance(ends, manifold = M, pairwise = TRUE)), c(count, count))
    expect_length(unlist(manifold_clamp(ends, M, x, 0.1)), count * M$size)
    V <- cbind(numeric(M$dimension), first(M$dimension, 10))
    expect_length(.Call(ffi_test_manifold_jacobian, M, V, kernel_options())$value, 2)
    expect_length(.Call(ffi_test_manifold_drift, M, kernel_options()), length(l))
    for (given in list(l, -l)) {
      expect_length(.Call(ffi_test_manifold_from_drift, M, as.matrix(given), kernel_options("os"))$v, M$dimension)
    }
  }
  for (d in c(1, 2, 5)) {
    turned <- cbind(diag(d), 0)[, c(d + 1, 1:d), drop = FALSE]
    through(manifold_sphere(d, 2), first(d + 1, 2), 2 * rbind(diag(d + 1), -diag(d + 1)), first(d))
    expect_error(manifold_distance(numeric(d + 1), first(d + 1), manifold_sphere(d)), class = "dptda_error_argument")
    sheet <- cbind(sqrt(2), turned[, -1, drop = FALSE])
    through(manifold_hyperbolic(d), sheet[1, ], rbind(sheet, first(d + 1), c(1e100, 1e100, numeric(d - 1))), 1)
    expect_error(manifold_distance(first(d + 1, Inf), first(d + 1), manifold_hyperbolic(d)),
                 class = "dptda_error_argument")
  }
  through(manifold_euclidean(3), 1:3, diag(3), first(3))
  both <- manifold_product(manifold_hyperbolic(2), manifold_product(manifold_sphere(2), manifold_euclidean(2)))
  x <- list(first(3), list(first(3), c(0, 0)))
  ends <- list(rbind(first(3), c(sqrt(2), 0, 1)), list(rbind(first(3), first(3, -1)), diag(2)))
  through(both, x, ends, first(5))
  expect_identical(live_blocks(), 0)
})

test_that("draws about a point, by each proposal and by the walk", {
  run <- function(M, x, scale, center = NULL, radius = NULL, kinds = 0:6) {
    for (kind in kinds) {
      drawn <- tryCatch(
        .Call(ffi_manifold_laplace, M, 3, as.double(x), scale, center, radius, kind, NULL, kernel_options("os")),
        dptda_error_argument = function(condition) list(points = matrix(0, M$size, 3))
      )
      expect_identical(dim(drawn$points), c(as.integer(M$size), 3L))
    }
    .Call(ffi_manifold_chain, M, 2, as.double(x), scale, center, radius, c(3, 2), 0.1, kernel_options("os"))
  }
  for (M in list(manifold_spd(3), manifold_spd(2, "log-euclidean"), manifold_rotation(4))) {
    run(M, diag(M$shape[1]), 0.4)
    run(M, diag(M$shape[1]), 2, as.double(diag(M$shape[1])), 0.5)
  }
  run(manifold_grassmann(2, 5), diag(5)[, 1:2], 0.2)
  run(manifold_hyperbolic(2), c(1, 0, 0), 0.9)
  run(manifold_hyperbolic(2), c(1, 0, 0), Inf, c(sqrt(2), 1, 0), 2)
  run(manifold_product(manifold_sphere(1), manifold_euclidean(2), manifold_hyperbolic(1)), c(0, 1, 3, 4, 1, 0), 0.3)
  for (upper in c(0.5, Inf)) {
    lengths <- .Call(ffi_test_draw_lengths, 5, 2, 3, c(2, 1, 0, 0, 2), upper, kernel_options("os"))
    expect_true(all(lengths <= upper))
  }
  expect_error(.Call(ffi_test_draw_lengths, 5, 2, 0, double(5), Inf, kernel_options("os")), class = "dptda_error")
  expect_identical(live_blocks(), 0)
})

test_that("means and medians", {
  first <- function(d) c(1, rep(0, d - 1))
  around <- function(M, x, n = 70) {
    push <- vapply(seq_len(n), function(i) sin(i * seq_along(x)), numeric(length(x)))
    P <- clamp_points(project_points(c(x) + 0.1 * push, M)$value, M, c(x), 0.2)
    shape_points(P, M)
  }
  symmetric <- function(X) (X + aperm(X, c(2, 1, 3))) / 2
  clouds <- list(
    list(manifold_euclidean(2), c(1, 2)), list(manifold_sphere(2), first(3)), list(manifold_hyperbolic(2), first(3)),
    list(manifold_spd(2), diag(2)),
    list(manifold_spd(2, "log-euclidean"), diag(2)), list(manifold_rotation(3), diag(3)),
    list(manifold_grassmann(2, 4), diag(4)[, 1:2])
  )
  for (cloud in clouds) {
    M <- cloud[[1]]
    x <- cloud[[2]]
    X <- if (startsWith(M$kind, "spd")) symmetric(x[, 2:1, drop = FALSE] %o% sin(1:70) / 9 + c(x)) else around(M, x)
    for (type in c("mean", "median")) for (weights in list(NULL, rep_len(0:2, 70))) {
      expect_true(frechet_mean(X, M, weights = weights, type = type)$certified)
      expect_warning(frechet_mean(X, M, weights = weights, type = type, max_iterations = 1, tolerance = 1e-300),
                     class = "dptda_warning_uncertified")
    }
    P <- clamp_points(check_manifold_points(X, M), M, c(x), 0.2)
    expect_true(is.finite(mean_in_ball(P, M, c(x), 0.2)$error))
    expect_true(all(.Call(ffi_test_manifold_rounding, M, c(x), P, kernel_options()) >= 0))
    expect_true(all(.Call(ffi_test_manifold_rounding_within, M, c(x), 1, 0.5, 1.2, kernel_options()) >= 0))
    expect_error(check_mean_bound(M, c(x), 1e-300), class = "dptda_error_argument")
  }
  both <- manifold_product(manifold_sphere(2), manifold_spd(2))
  expect_true(frechet_mean(list(rbind(first(3), c(0, 1, 0)), array(diag(2), c(2, 2, 2))), both)$certified)
  expect_identical(live_blocks(), 0)
})

test_that("rows counted by cell and summed by group", {
  rows <- list_rows(list(sin(1:5000), rep(1:3, length.out = 5000), rep(c("a", "b"), 2500)), c("x", "k", "s"))
  axes <- list(axis_cells(-1, 1, 7), axis_intervals(c(0, 1.5, 2.5, 4)), axis_levels("b"))
  expect_identical(sum(count_rows(rows, list(cell_table(axes)))[[1]]$count), 5000)
  lattice <- public_lattice(domain_box(c(-1, 0), c(1, 3)), 4)
  expect_identical(dim(sum_rows(rows, lattice, groups = cell_table(axes[3], 3))), 2:1 * 1:2)
  expect_identical(dim(sum_rows(rows, lattice)), 1:2)
  bad <- list_rows(list(c(1, NaN), c(1L, NA)), NULL)
  for (j in 1:2) expect_error(count_rows(bad, list(cell_table(axes[1], j))), class = "dptda_error_argument")
  expect_error(sum_rows(bad, lattice), class = "dptda_error_argument")
  expect_length(count_rows(matrix_rows(matrix(0, 0, 1)), list(cell_table(axes[1])))[[1]]$cell, 0)
  expect_identical(live_blocks(), 0)
})

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

test_that("looks at the rows by cluster", {
  box <- domain_box(c(-1, -1, -1), c(1, 1, 1))
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  model <- list(weights = c(.5, .5), means = cbind(rep(-.5, 3), rep(.5, 3)),
                covariances = array(diag(3) / 9, c(3, 3, 2)))
  for (whitened in c(TRUE, FALSE)) for (hard in c(TRUE, FALSE)) {
    query <- list(whitened = whitened, hard = hard, stretch = 1, bits = c(4, 5))
    expect_true(all(is.finite(query_sums(X, model, box, query))))
    expect_true(all(query_sums(X[0, , drop = FALSE], model, box, query) == 0))
  }
  place <- list(lower = box$lower, upper = box$upper, mean = model$means)
  expect_true(all(is.finite(.Call(ffi_cluster_means, X, NULL, place, 9, kernel_options()))))
  expect_true(all(.Call(ffi_cluster_means, X[0, , drop = FALSE], NULL, place, 0, kernel_options()) == 0))
  expect_error(.Call(ffi_cluster_means, X, NULL, place, 25, kernel_options()), class = "dptda_error_argument")
  one <- query_model(standard_model(3), box)
  expect_length(.Call(ffi_cluster_scores, X, NULL, one, diag(3), 1, .5, 8, kernel_options()), 3)
  expect_true(.Call(ffi_cluster_choose, c(1, 0), .5, kernel_options("R")) %in% 1:2)
  expect_identical(live_blocks(), 0)
})

test_that("rows by their distance from a center", {
  X <- matrix(c(-2, -.5, 0, .5, 1, NaN), 6, 3)
  count <- function(...) .Call(ffi_cluster_distances, ..., kernel_options())
  for (n in c(0, 1, 6)) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(sum(count(rows, NULL, rep(-1, 3), rep(1, 3), double(3), c(0, .5, 2))), as.double(n))
    expect_identical(sum(count(rows, rep(2L, n), rep(-1, 3), rep(1, 3), double(3), 1)), 2 * n)
  }
  expect_error(count(X, NULL, rep(-1, 2), rep(1, 3), double(3), 1), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(2, 3), rep(1, 3), double(3), 1), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(-1, 3), rep(1, 3), double(3), c(1, 1)), class = "dptda_error_argument")
  expect_error(count(X, NULL, rep(-1, 3), rep(1, 3), double(3), double()), class = "dptda_error_argument")
  expect_error(count(matrix(0, 2, 51), NULL, double(51), double(51), double(51), 1), class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("centers of points with weights", {
  for (m in c(1, 3, 20)) for (k in c(1, 5)) for (D in c(1, 4)) {
    found <- weighted_kmeans(matrix(sin(seq_len(m * D)^2), D), rep_len(c(1, 0, 2), m), k, "R", starts = 2)
    expect_true(all(is.finite(found$centers)))
  }
  expect_identical(live_blocks(), 0)
})

test_that("rows that walk down a tree", {
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  lattice <- kmeans_lattice(domain_box(c(-1, -1, -1), c(1, 1, 1)), 6)
  planes <- rbind(diag(3), 0)
  for (sums in c(TRUE, FALSE)) for (n in c(0, 4)) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(sum(.Call(ffi_cluster_tree, rows, NULL, lattice, planes, NULL, c(1, 3, 0, 0, 0), sums,
                               kernel_options())[1, ]), n)
    cubes <- .Call(ffi_cluster_tree, rows, NULL, lattice, NULL, c(0, 5, 127), c(1, double(8)), sums, kernel_options())
    expect_identical(sum(cubes[1, ]), n)
    lattice$matrix <- rbind(c(3, -2, 1))
    expect_identical(sum(.Call(ffi_cluster_tree, rows, NULL, lattice, NULL, 3, c(1, 0, 0), sums,
                               kernel_options())[1, ]), n)
    lattice["matrix"] <- list(NULL)
  }
  expect_error(.Call(ffi_cluster_tree, X, NULL, lattice, planes, NULL, c(1, 1, 0), TRUE, kernel_options()),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("candidates that take the place of centers", {
  X <- matrix(c(-2, -.5, 0, .5, 1, Inf), 4, 3)
  places <- matrix(as.double(-7:7), 3)
  lattice <- kmeans_lattice(domain_box(c(-1, -1, -1), c(1, 1, 1)), 6)
  for (n in c(0, 4)) for (taken in list(1, c(5, 5, 2))) {
    rows <- X[seq_len(n), , drop = FALSE]
    expect_identical(dim(.Call(ffi_cluster_swaps, rows, NULL, lattice, places, taken, 3, 20, kernel_options())),
                     c(length(taken), 5L))
    expect_identical(sum(.Call(ffi_cluster_nearest, rows, NULL, lattice, places, kernel_options())[1, ]), n)
  }
  lattice$matrix <- rbind(c(3, -2, 1))
  expect_identical(dim(.Call(ffi_cluster_swaps, X, NULL, lattice, rbind(c(1, 2)), 2, 0, 1, kernel_options())), 1:2)
  expect_identical(live_blocks(), 0)
})

test_that("graphs: bits, lists, flips and the cipher", {
  coin <- graph_coin(1)
  for (n in c(0, 1, 2, 64, 65, 130)) {
    from <- as.integer(c(1, 5, 5, 70, 3, -1, 200, NA))
    to <- as.integer(c(2, 3, 5, 1, 5, 2, 1, 2))
    bits <- .Call(ffi_graph_pack, n, from, to, kernel_options())
    expect_true(.Call(ffi_graph_is_whole, n, bits))
    edges <- .Call(ffi_graph_unpack, n, bits, kernel_options())
    expect_identical(edges, .Call(ffi_graph_sort, n, from, to, kernel_options()))
    expect_equal(length(edges$from), .Call(ffi_graph_count, n, bits))
    randomized <- .Call(ffi_graph_randomize_bits, n, bits, coin, kernel_options("os"))
    expect_true(.Call(ffi_graph_is_whole, n, randomized))
    few <- .Call(ffi_graph_randomize_list, n, from, to, graph_coin(5), kernel_options("os"))
    expect_true(is_edges(few, n))
    for (matrix in list(diag(n), diag(n) > 0, matrix(1L, n, n))) {
      expect_true(.Call(ffi_graph_is_whole, n, .Call(ffi_graph_pack_matrix, n, matrix, kernel_options())))
      expect_true(.Call(ffi_graph_is_symmetric, n, matrix, kernel_options()))
    }
  }
  for (bytes in c(0, 1, 8, 13)) expect_length(.Call(ffi_graph_digest, raw(bytes)), 8)
  expect_false(.Call(ffi_graph_is_whole, 2, as.raw(c(1, raw(511)))))
  expect_error(.Call(ffi_graph_unpack, 2, as.raw(c(1, raw(511))), kernel_options()), class = "dptda_error_argument")
  for (wide in c(TRUE, FALSE)) {
    expect_length(.Call(ffi_test_chacha, raw(32), raw(12), 0, 11, wide, kernel_options()), 704)
  }
  expect_length(.Call(ffi_graph_unpack, 65, .Call(ffi_test_response, 65, raw(32), coin, FALSE, kernel_options("os")),
                      kernel_options()), 2)
  expect_error(.Call(ffi_test_response, 65, raw(32), coin, TRUE, kernel_options("os")), class = "dptda_error_entropy")
  expect_length(.Call(ffi_test_skip, coin), 17)
  for (epsilon in c(0, 1e-9, 50, 1e308)) for (method in 0:1) expect_length(.Call(ffi_graph_coin, epsilon, method), 16)
  # many flips: the list of them grows
  expect_gt(length(.Call(ffi_graph_randomize_list, 700, from, to, graph_coin(4), kernel_options("os"))$from), 1024)
  expect_identical(live_blocks(), 0)
})

test_that("products of graphs, packed and listed, and an end that is no vertex", {
  for (n in c(0, 1, 2, 64, 65, 700)) {
    bits <- .Call(ffi_graph_pack, n, 1:2, 2:3, kernel_options())
    edges <- .Call(ffi_graph_unpack, n, bits, kernel_options())
    x <- matrix(seq_len(2 * n) + 0, n)
    expect_identical(.Call(ffi_graph_multiply_bits, n, bits, x, .1, .8, kernel_options()),
                     .Call(ffi_graph_multiply_list, n, edges$from, edges$to, x, .1, .8, kernel_options()))
  }
  expect_error(.Call(ffi_graph_multiply_list, 2, 1L, 3L, matrix(1, 2), .1, .8, kernel_options()),
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
