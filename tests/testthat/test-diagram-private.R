test_that("a release is a diagram with its guarantee, sorted and on the public lattice", {
  release <- small_release()
  expect_s3_class(release, c("dptda_diagram", "dptda_result", "data.frame"), exact = TRUE)
  expect_identical(names(release), c("dimension", "birth", "death"))
  bound <- privacy(release)$public$bound
  expect_true(all(release$birth >= 0 & release$birth <= release$death & release$death <= bound))
  steps <- c(release$birth, release$death) / privacy(release)$public$step
  expect_equal(steps, round(steps), tolerance = 1e-9)
  expect_lte(max(0, table(release$dimension)), 10)
  persistence <- release$death - release$birth
  expect_false(is.unsorted(order(release$dimension, -persistence)))
})

test_that("at a large epsilon the release is the true diagram, for every choice of the essential class", {
  # more than most_epsilon is not used: 20 points in two dimensions and as many true ones nearby stay within this
  at_most <- 150 * 2 * diagram_sensitivity(400, small_grid(), .1) / most_epsilon
  X <- circle_points()
  grid <- small_grid()
  for (essential in c("drop", "cap")) {
    true <- dtm_persistence(X, grid, .1, essential = essential, cap = diagram_bound(grid, Inf))
    release <- private_diagram(X, grid, epsilon = 1e9, m0 = .1, essential = essential, max_points = 20)
    for (q in 0:1) expect_lt(bottleneck_distance(release, true, dimension = q), at_most)
  }
  truth <- dtm_persistence(X, grid, .1, clip = .7, essential = "drop")
  for (utility in c("max", "sum")) {
    clipped <- private_diagram(X, grid, epsilon = 1e9, m0 = .1, clip = .7, max_points = 20, utility = utility)
    expect_lt(bottleneck_distance(clipped, truth, dimension = 1), .01)
  }
})

test_that("exactly max_points are released when the number is not learned", {
  for (most in c(0, 1, 12)) {
    release <- small_release(learn_points = FALSE, max_points = most)
    expect_identical(as.vector(table(factor(release$dimension, 0:1))), rep(as.integer(most), 2))
  }
})

test_that("the distance of releases from the truth has the law of the mechanism on a real diagram", {
  skip_on_cran()
  skip_if_instrumented()
  # exact draws against the independent Metropolis chain, both dimensions, 3 to 5 points; seed fixed. The tolerance on
  # a quantile is 5 percent of the largest distance drawn, for 2,000 draws and a chain that is not one
  set.seed(201)
  X <- circle_points(300) + stats::rnorm(600, sd = .1)
  levels <- c(.1, .25, .5, .75, .9)
  for (most in 3:5) {
    setup <- release_setup(X, small_grid(), 4, NULL, .1, 1, 1.2, 0:1, most, FALSE, "drop", "sum")
    truth <- true_diagrams(setup$plan, setup$cloud)
    true <- lapply(0:1, function(q) persistence_diagram(q, truth[[q + 1]][, 1], truth[[q + 1]][, 2]))
    chain <- run_chain(setup$plan, truth, list(steps = 5e5, step_sd = .08), "R")$distances[-(1:20000), ]
    points <- as.data.frame(draw_plan(setup$plan, truth, 2000, "R"))
    for (q in 0:1) {
      exact <- vapply(split_draws(points, 2000, q), function(P) {
        bottleneck_distance(persistence_diagram(q, P[, 1], P[, 2]), true[[q + 1]], dimension = q)
      }, 0)
      expect_lt(max(abs(stats::quantile(chain[, q + 1], levels) - stats::quantile(exact, levels))), .05 * max(exact))
    }
  }
})

test_that("the parts of a measure that dimensions share never add up to more, and to nearly as much", {
  skip_if_not_installed("Rmpfr")
  # far finer than any double is
  exact <- function(x) Rmpfr::mpfr(x, 400)
  set.seed(202)
  values <- c(5, 2, .25, .5, 1 / 3, 2.7725887222397816, exp(stats::runif(300, -20, 6)))
  shares <- function(measure, parts) {
    exact(vapply(values, function(value) plan_epsilon(structure(value, names = measure), parts, "sum"), 0))
  }
  for (parts in 1:4) {
    used <- parts * shares("epsilon", parts) / exact(values)
    expect_true(all(used <= 1) && all(used >= 1 - exact(2)^-50))
    used <- parts * shares("rho", parts)^2 / (8 * exact(values))
    expect_true(all(used <= 1) && all(used >= 1 - exact(2)^-49))
  }
  # a whole one, halves and quarters are doubles
  expect_identical(vapply(c(1, 2, 4), function(parts) plan_epsilon(c(epsilon = .3), parts, "sum"), 0), .3 / c(1, 2, 4))
  expect_identical(plan_epsilon(c(epsilon = .3), 3, "max"), .3)
})

test_that("the groups of a mechanism have those parts", {
  # thrice the double next to 5 / 3 is more than 5: twice it is exact, and so is 5 less that
  grid <- domain_grid(domain_box(c(-1, -1, -1), c(1, 1, 1)), size = 3)
  plan <- diagram_plan(100, grid, new_cost(c(epsilon = 5)), .1, 2, Inf, 0:2, 5, TRUE, "sum")
  each <- vapply(plan$groups, `[[`, 0, "epsilon")
  expect_length(each, 3)
  expect_true(all(each <= 5 - 2 * each))
})

test_that("binned data and data frames are accepted, and give the same mechanism", {
  X <- circle_points()
  grid <- small_grid()
  set.seed(3); a <- private_diagram(X, grid, 1, m0 = .1, rng = "R")
  set.seed(3); b <- private_diagram(as.data.frame(X), grid, 1, m0 = .1, rng = "R")
  expect_identical(a, b)
  again <- replicate(5, private_diagram(X, grid, 1, m0 = .1, rng = "R"), simplify = FALSE)
  expect_gt(length(unique(again)), 1)
  bins <- bin_points(X, grid)
  expect_equal(privacy(private_diagram(bins, grid, 1, m0 = .1))$public$n, 400)
})

test_that("rows outside the box are moved to it, silently, Inf too", {
  X <- circle_points()
  far <- rbind(X, c(100, 0), c(Inf, -Inf))
  moved <- rbind(X, c(2, 0), c(2, -2))
  grid <- small_grid()
  expect_silent(set.seed(4)); a <- expect_silent(private_diagram(far, grid, 1, m0 = .1, rng = "R"))
  set.seed(4); b <- private_diagram(moved, grid, 1, m0 = .1, rng = "R")
  expect_identical(a, b)
})

test_that("a seed is obeyed by rng = \"R\" alone", {
  set.seed(9); a <- small_release(rng = "R")
  set.seed(9); b <- small_release(rng = "R")
  expect_identical(a, b)
  set.seed(9); state <- .Random.seed
  a <- small_release(learn_points = FALSE)
  expect_identical(.Random.seed, state)
  expect_false(identical(a$birth, small_release(learn_points = FALSE)$birth))
})

test_that("forked workers draw different releases", {
  skip_on_os("windows")
  releases <- parallel::mclapply(1:4, function(i) small_release(learn_points = FALSE)$birth, mc.cores = 2)
  births <- unlist(releases)
  # births are whole steps: two coincide in one of 250 runs, and three in none of 1e7
  expect_lte(sum(duplicated(births[births > 0])), 2)
})

test_that("neighbors give densities within the bounds of the guarantee", {
  # worst pairs found by search: all mass at two corners, one row moved
  grid <- domain_grid(domain_box(0, 1), size = 5)
  X <- matrix(c(0, 0, 0, 1, 1, 1))
  neighbor <- X
  neighbor[3] <- .5
  setups <- lapply(list(X, neighbor), function(data)
                   release_setup(data, grid, 1, NULL, .5, 1, Inf, 0, 1, FALSE, "drop", "max"))
  truth <- lapply(setups, function(setup) lapply(true_diagrams(setup$plan, setup$cloud), `*`, setup$plan$step))
  mesh <- triangle_mesh(setups[[1]]$plan$bound, 200)
  rate <- setups[[1]]$plan$groups[[1]]$rate
  density <- vapply(truth, function(D) {
    value <- exp(-rate * distance_of_one(mesh$birth, mesh$death, D[[1]]))
    value / sum(mesh$weight * value)
  }, numeric(nrow(mesh)))
  expect_lte(max(abs(log(density[, 1] / density[, 2]))), 1)
})

test_that("bad input gives a classed error that names the argument and shows no data", {
  X <- circle_points()
  grid <- small_grid()
  argument_error <- function(expr, name) {
    error <- expect_error(expr, class = "dptda_error_argument")
    expect_match(conditionMessage(error), paste0("`", name, "`"), fixed = TRUE)
  }
  for (bad in list(0, -1, Inf, NA, NaN, c(1, 2), "1", factor(1), NULL, TRUE)) {
    argument_error(private_diagram(X, grid, bad, m0 = .1), "epsilon")
  }
  argument_error(private_diagram(X, grid, m0 = .1), "epsilon")
  argument_error(private_diagram(X, grid, 1, m0 = .1, rho = 1), "epsilon")
  argument_error(private_diagram(X, grid, m0 = .1, rho = -1), "rho")
  argument_error(private_diagram(X, grid, 1), "m0")
  argument_error(private_diagram(grid = grid, epsilon = 1, m0 = .1), "x")
  argument_error(private_diagram(X, epsilon = 1, m0 = .1), "grid")
  for (bad in list(0, 1.01, -1, NA, "a", c(.1, .2))) argument_error(private_diagram(X, grid, 1, m0 = bad), "m0")
  for (bad in list(.5, Inf, NA, "a")) argument_error(private_diagram(X, grid, 1, m0 = .1, r = bad), "r")
  for (bad in list(0, -1, NA)) argument_error(private_diagram(X, grid, 1, m0 = .1, clip = bad), "clip")
  for (bad in list(2, -1, .5, NA)) {
    argument_error(private_diagram(X, grid, 1, m0 = .1, max_dimension = bad), "max_dimension")
  }
  for (bad in list(21, -1, 1.5, NA)) {
    argument_error(private_diagram(X, grid, 1, m0 = .1, max_points = bad), "max_points")
  }
  argument_error(private_diagram(X, grid, 1, m0 = .1, learn_points = NA), "learn_points")
  argument_error(private_diagram(X, grid, 1, m0 = .1, utility = "mean"), "utility")
  argument_error(private_diagram(X, grid, 1, m0 = .1, essential = "keep"), "essential")
  argument_error(private_diagram(X, grid, 1, m0 = .1, sampler = "mcmc"), "...")
  argument_error(private_diagram(X, grid, 1, NULL, .1), "...")
  argument_error(private_diagram(X, grid, 1, m0 = .1, rng = "none"), "rng")
  argument_error(private_diagram(X, list(), 1, m0 = .1), "grid")
  for (bad in list(X[0, ], X[, 1, drop = FALSE], X[, 0], "a", NULL, 1:3, matrix("a", 2, 2), cbind(X, 1), list(1, 2),
                   data.frame(a = factor("x"), b = 1), replace(X, 7, NA), replace(X, 7, NaN))) {
    argument_error(private_diagram(bad, grid, 1, m0 = .1), "x")
  }
  expect_false(grepl("[0-9]", sub("x", "", tryCatch(private_diagram(replace(X, 7, NA), grid, 1, m0 = .1),
                                                   error = conditionMessage))))
})

test_that("an epsilon at either end of the range gives a release", {
  for (epsilon in c(1e-9, 700, 1e300, .Machine$double.xmax)) {
    expect_s3_class(small_release(epsilon = epsilon), "dptda_diagram")
    expect_s3_class(private_diagram(circle_points(), small_grid(), m0 = .1, rho = epsilon), "dptda_diagram")
  }
  # no table of weights: said by public numbers, before anything is spent
  for (epsilon in c(5e-324, 1e-300, 1e-13)) {
    budget <- privacy_budget(epsilon = 1)
    expect_error(small_release(epsilon = epsilon, budget = budget), "`epsilon` is too small",
                 class = "dptda_error_argument")
    expect_identical(budget$spent, 0)
  }
})

test_that("a public setting that cannot be served is refused before anything is spent, and any other is served", {
  X <- circle_points(20)
  ends <- c(5e-324, 2^-1022, 1e-300, 1e-150, 1, 1e150, 1e300, .Machine$double.xmax)
  grids <- lapply(ends, function(size) {
    tryCatch(domain_grid(domain_box(c(-size, -size), c(size, size)), size = 3), dptda_error_argument = function(e) NULL)
  })
  far <- domain_grid(domain_box(c(1e10, 1e300), c(1e10 + 1, 1.1e300)), size = 3)
  expect_attempt <- function(...) {
    budget <- privacy_budget(epsilon = 2)
    found <- tryCatch(private_diagram(X, ..., epsilon = 1, budget = budget), dptda_error_argument = identity)
    if (inherits(found, "error")) {
      expect_identical(budget$spent, 0)
    } else {
      expect_true(all(is.finite(found$birth) & is.finite(found$death)))
      expect_true(is.finite(privacy(found)$sensitivity) && privacy(found)$sensitivity > 0)
    }
    !inherits(found, "error")
  }
  for (grid in c(Filter(Negate(is.null), grids), list(far))) {
    for (clip in c(ends, Inf)) for (r in c(1, 3, 1e4, 1e308)) expect_attempt(grid, m0 = .5, clip = clip, r = r)
    for (m0 in c(5e-324, 1e-300, 1)) expect_attempt(grid, m0 = m0)
  }
  expect_false(expect_attempt(small_grid(), m0 = .5, clip = 5e-324))
  expect_true(expect_attempt(small_grid(), m0 = .5, clip = 1e-100))
})

test_that("no size of the data overflows, and a release scales with them", {
  X <- circle_points(50)
  at_scale <- function(scale) {
    grid <- domain_grid(domain_box(c(-2, -2) * scale, c(2, 2) * scale), size = 9)
    set.seed(5)
    private_diagram(X * scale, grid, epsilon = 5, m0 = .1, rng = "R", learn_points = FALSE)
  }
  one <- at_scale(1)
  for (scale in c(2^-400, 2^-30, 2^30, 2^400)) expect_equal(at_scale(scale)$birth / scale, one$birth, tolerance = 1e-6)
})

test_that("degenerate data give releases", {
  grid <- small_grid()
  one_cell <- domain_grid(small_box(), size = 1)
  for (X in list(cbind(0, 0), circle_points()[rep(1, 50), ], circle_points(3))) {
    for (m0 in c(1e-9, .5, 1)) {
      expect_s3_class(private_diagram(X, grid, 1, m0 = m0), "dptda_diagram")
      expect_s3_class(private_diagram(X, one_cell, 1, m0 = m0, max_points = 12), "dptda_diagram")
    }
  }
  line <- domain_grid(domain_box(0, 1), size = 20)
  expect_s3_class(private_diagram(matrix(runif(30)), line, 1, m0 = .1, max_dimension = 0), "dptda_diagram")
  cube <- domain_grid(domain_box(rep(0, 3), rep(1, 3)), size = 6)
  expect_setequal(private_diagram(matrix(runif(90), 30), cube, 1, m0 = .1, max_dimension = 2,
                                  learn_points = FALSE)$dimension, 0:2)
})

test_that("a line has no loops to ask for, and one released point has no row names", {
  grid <- domain_grid(domain_box(0, 1), by = .1)
  X <- rep(c(.1, .8), each = 50)
  set.seed(5) # a second point in one of 900
  release <- private_diagram(X, grid, epsilon = noiseless, m0 = .2, rng = "R")
  expect_identical(release$dimension, 0L)
  expect_null(names(release$death - release$birth))
  expect_equal(attr(release, "parameters")$dimensions, 0)
  chain <- nonprivate_chain(X, grid, epsilon = 1, m0 = .2, max_points = 1, steps = 5, step_sd = .1)
  expect_null(names(chain$last$birth))
  expect_error(private_diagram(X, grid, epsilon = 1, m0 = .2, max_dimension = 1), "max_dimension",
               class = "dptda_error_argument")
})

test_that("many rows on a small grid are told of bins, by public numbers, and bins are not", {
  grid <- domain_grid(domain_box(c(-1, -1), c(1, 1)), by = .05)
  X <- matrix(0, 2e5, 2)
  expect_message(private_diagram(X, grid, epsilon = 1, m0 = .1), "bin_points", class = "dptda_message_cost")
  expect_no_message(private_diagram(bin_points(X, grid), grid, epsilon = 1, m0 = .1))
  expect_no_message(private_diagram(X[1:1000, ], grid, epsilon = 1, m0 = .1))
})

test_that("the kernel of the true diagram gives what its parts give, one after the other", {
  set.seed(11)
  plain <- function(diagrams) lapply(diagrams, unname)
  for (sides in 1:3) {
    grid <- domain_grid(domain_box(rep(-1, sides), seq_len(sides)), size = c(9, 6, 4)[seq_len(sides)])
    X <- matrix(stats::runif(60 * sides, -1.2, 1.2), 60)
    weights <- rep(0:2, 20)
    for (r in c(1, 2, 3)) for (clip in c(.4, Inf)) for (essential in c("drop", "cap")) for (w in list(NULL, weights)) {
      cloud <- domain_cloud(grid, X, "X", w)
      dimensions <- seq(0, sides - 1)
      plan <- diagram_plan(cloud$total, grid, new_cost(c(epsilon = 1)), .2, r, clip, dimensions, 3, TRUE, "max")
      expect_identical(plain(domain_diagrams(grid, cloud, plan, essential)),
                       plain(domain_diagrams.default(grid, cloud, plan, essential)))
      plan$dimensions <- rev(dimensions)[1]
      expect_identical(plain(domain_diagrams(grid, cloud, plan, essential)),
                       plain(domain_diagrams.default(grid, cloud, plan, essential)))
    }
  }
})
