# Which dimensions are released: `dimensions`, on grids and on landmarks.
bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

ring_landmarks <- function(count = 24) {
  angle <- 2 * pi * seq_len(count) / count
  domain_landmarks(rbind(cbind(cos(angle), sin(angle)), c(0, 0)))
}
domains <- function() {
  skip_if_not_installed("ripserr", "1.0.0")
  list(small_grid(), ring_landmarks())
}
seeded <- function(...) {
  set.seed(1)
  private_diagram(circle_points(), ..., m0 = 0.1, clip = 1.2, rng = "R")
}

test_that("all dimensions up to one are drawn the same however they are asked for", {
  for (domain in domains()) for (utility in c("max", "sum")) for (learn in c(TRUE, FALSE)) {
    ask <- function(...) seeded(domain, 4, utility = utility, learn_points = learn, max_points = 3, ...)
    expect_identical(ask(dimensions = 0:1), ask(max_dimension = 1))
    expect_identical(ask(dimensions = c(1, 0)), ask())
    expect_identical(ask(dimensions = 0), ask(max_dimension = 0))
  }
})

test_that("loops alone are released as the only dimension of a mechanism", {
  for (domain in domains()) for (utility in c("max", "sum")) {
    release <- seeded(domain, 4, dimensions = 1, utility = utility)
    expect_true(all(release$dimension == 1))
    public <- privacy(release)$public
    expect_equal(public$dimensions, 1)
    expect_equal(privacy(release)$measure, c(epsilon = 4))
    expect_equal(privacy(release)$sensitivity, diagram_sensitivity(400, domain, 0.1, clip = 1.2), tolerance = 1e-6)
    # with nothing to share, either utility is the whole epsilon
    mechanism <- released_plan(release)
    expect_length(mechanism$groups, 1)
    expect_identical(mechanism$groups[[1]]$epsilon, 4)
    expect_equal(mechanism$groups[[1]]$dimensions, 1)
  }
  # rho is not shared either
  by_rho <- released_plan(private_diagram(circle_points(), small_grid(), rho = 2, m0 = 0.1, dimensions = 1))
  expect_equal(by_rho$groups[[1]]$epsilon, 4)
})

test_that("the sum of dimensions shares epsilon by how many are released, not by the largest", {
  skip_if_not_installed("ripserr", "1.0.0")
  cube <- domain_grid(domain_box(c(-1, -1, -1), c(1, 1, 1)), size = 3)
  octahedron <- domain_landmarks(rbind(diag(3), -diag(3)), box = cube$box)
  X <- matrix(rnorm(90), 30)
  for (domain in list(cube, octahedron)) for (dimensions in list(0, 2, c(0, 2), 1:2, 0:2)) {
    release <- private_diagram(X, domain, 3, m0 = 0.2, dimensions = dimensions, utility = "sum", learn_points = FALSE,
                               max_points = 2)
    expect_setequal(release$dimension, dimensions)
    expect_equal(as.vector(table(release$dimension)), rep(2, length(dimensions)))
    count <- length(dimensions)
    mechanism <- diagram_plan(30, domain, new_cost(c(epsilon = 3)), 0.2, 1, Inf, dimensions, 2, FALSE, "sum")
    expect_equal(vapply(mechanism$groups, `[[`, 0, "epsilon"), rep(3 / count, count))
    expect_equal(unlist(lapply(mechanism$groups, `[[`, "dimensions")), dimensions)
    expect_equal(privacy(release)$sensitivity, count * mechanism$sensitivity)
    joint <- diagram_plan(30, domain, new_cost(c(epsilon = 3)), 0.2, 1, Inf, dimensions, 2, FALSE, "max")
    expect_identical(joint$groups[[1]]$epsilon, 3)
  }
})

test_that("loops alone have the law of a mechanism with one dimension", {
  skip_if_not_installed("ripserr", "1.0.0")
  # one point given the diagram of the loops, against the density on a mesh: 20 cells of birth and death, chi-squared
  # on 4,000 draws, at a false-alarm rate of 0.001 for each domain; seed fixed
  set.seed(2)
  for (domain in domains()) {
    setup <- release_setup(circle_points(), domain, 1, NULL, 0.1, 1, 1.2, 1, 1, FALSE, "drop", "max")
    mechanism <- setup$plan
    truth <- true_diagrams(setup$plan, setup$cloud)
    expect_length(truth, 1)
    expect_gt(nrow(truth[[1]]), 0)
    drawn <- draw_plan(mechanism, lapply(truth, `*`, mechanism$step), 4000, "R")
    expect_true(all(drawn[, "dimension"] == 1))
    mesh <- triangle_mesh(mechanism$bound, 960)
    density <- exp(-mechanism$groups[[1]]$rate * distance_of_one(mesh$birth, mesh$death, truth[[1]] * mechanism$step)) *
      mesh$weight
    cells <- function(birth, death) {
      interaction(cut(birth, c(-1, 0.1, 0.2, 0.35, 0.6, 2)), cut(death - birth, c(-1, 0.1, 0.3, 0.6, 2)))
    }
    expected <- tapply(density, cells(mesh$birth, mesh$death), sum, default = 0)
    found <- table(cells(drawn[, "birth"], drawn[, "death"]))
    expect_gt(law_p(as.vector(found), as.vector(expected / sum(expected))), 0.001)
  }
})

test_that("what is said of a release follows its dimensions", {
  for (domain in domains()) for (dimensions in list(1, 0, 0:1)) {
    release <- seeded(domain, 8, dimensions = dimensions)
    evidence <- feature_evidence(release)
    expect_equal(evidence$features$dimension, dimensions)
    expect_true(all(evidence$steps$dimension %in% dimensions))
    expect_output(print(release), "epsilon = 8")
    expect_s3_class(summary(release), "summary.dptda_diagram")
    expect_output(print(summary(release)))
    grDevices::pdf(NULL)
    withr::defer(grDevices::dev.off())
    expect_no_error(plot(release))
    expect_no_error(plot(evidence))
    detection <- power_diagram(400, domain, 8, power = 0.95, m0 = 0.1, clip = 1.2, dimensions = dimensions)
    expect_true(is.finite(detection$persistence))
  }
  # a ring is seen as a loop, with no components in the way
  expect_identical(feature_evidence(seeded(ring_landmarks(), 20, dimensions = 1))$features$features, 1L)
})

test_that("one dimension alone needs no more than two together, and as much as any other one", {
  at <- function(dimensions, utility = "max", ...) {
    power_diagram(400, small_grid(), 8, power = 0.95, m0 = 0.1, clip = 1.2, dimensions = dimensions,
                  utility = utility, ...)$persistence
  }
  expect_identical(at(1), at(0))
  expect_lte(at(1), at(0:1))
  expect_lt(at(1), at(0:1, "sum"))
  expect_identical(at(1, "sum"), at(1))
  cube <- domain_grid(domain_box(c(-1, -1, -1), c(1, 1, 1)), size = 5)
  skip <- function(dimensions, utility) power_diagram(400, cube, 8, power = 0.95, m0 = 0.1, dimensions = dimensions,
                                                      utility = utility)$persistence
  for (utility in c("max", "sum")) expect_identical(skip(c(0, 2), utility), skip(0:1, utility))
  # rows and epsilon are found for the dimensions that are released
  rows <- power_diagram(grid = small_grid(), epsilon = 8, m0 = 0.1, clip = 1.2, dimensions = 1,
                        persistence = 0.5, power = 0.95)$n
  expect_lte(rows, power_diagram(grid = small_grid(), epsilon = 8, m0 = 0.1, clip = 1.2, utility = "sum",
                                 persistence = 0.5, power = 0.95)$n)
})

test_that("a plan wants features of the dimensions that are released", {
  set.seed(3)
  for (domain in domains()) {
    plan <- function(...) plan_private_diagram(circle_points(), 2000, domain, 5, m0 = 0.1, clip = c(0.6, 1.2), ...,
                                               repeats = 1, draws = 20)
    loops <- plan(dimensions = 1, wanted = 1)
    expect_true(all(best_features(loops)$dimension == 1))
    expect_equal(max(loops$settings$seen), 1)
    expect_output(print(loops))
    both <- plan(dimensions = 0:1, wanted = c(0, 1))
    expect_true(all(best_features(both)$dimension == 1))
    for (wanted in list(c(1, 1), 0, 1.5, NA, 11, "a")) {
      bad(plan(dimensions = 1, wanted = wanted), regexp = "`wanted` must be 1 integer from 0")
    }
    bad(plan(dimensions = 0:1, wanted = 1), regexp = "`wanted` must be 2 integers")
  }
})

test_that("dimensions that are none are refused by a classed error, on every face", {
  faces <- list(
    function(...) private_diagram(circle_points(), small_grid(), 1, m0 = 0.1, ...),
    function(...) nonprivate_chain(circle_points(), small_grid(), 1, m0 = 0.1, steps = 2, step_sd = 1, ...),
    function(...) power_diagram(100, small_grid(), 1, power = 0.95, m0 = 0.1, ...),
    function(...) plan_private_diagram(circle_points(), 100, small_grid(), 1, m0 = 0.1, clip = 1, repeats = 1,
                                       draws = 1, ...)
  )
  for (face in faces) {
    for (dimensions in list(-1, 2, 0.5, NA, NaN, Inf, "0", c(0, 0), double(), list(0), TRUE, matrix(0:1, 1), factor(0),
                            mean)) {
      bad(face(dimensions = dimensions),
          regexp = "`dimensions` must be distinct integers from 0 to 1 on a grid of 2 dimensions")
    }
    bad(face(dimensions = 1, max_dimension = 1), regexp = "`max_dimension` must be NULL if `dimensions` is given")
    for (most in list(2, -1, 0.5, NA, "1")) bad(face(max_dimension = most), regexp = "`max_dimension`")
  }
  chain <- nonprivate_chain(circle_points(), small_grid(), 1, m0 = 0.1, steps = 5, step_sd = 0.1, dimensions = 1)
  expect_identical(colnames(chain$distances), "dimension 1")
})
