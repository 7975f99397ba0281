# Histograms, coarse and fine, cells of noise dropped, and rounds of Lloyd's algorithm from there: what is public, and
# the default.

spent_cost <- function(...) {
  given <- list(...)
  check_cost(given$epsilon, given$rho, given$delta)
}

test_that("the default finds separated clusters that random starts miss, and keeps to small budgets", {
  expect_identical(check_kmeans_method(NULL, 5), kmeans_grid())
  expect_identical(check_kmeans_method(NULL, 1), kmeans_lloyd())
  loss <- function(X, centers) {
    sum(do.call(pmin, lapply(seq_len(nrow(centers)), function(k) colSums((t(X) - centers[k, ])^2))))
  }
  set.seed(61)
  for (setting in list(list(D = 2, k = 7, n = 6000), list(D = 5, k = 4, n = 4000), list(D = 12, k = 3, n = 4000))) {
    centers <- matrix(stats::runif(setting$k * setting$D, -0.9, 0.9), setting$k)
    group <- rep_len(seq_len(setting$k), setting$n)
    X <- centers[group, ] + matrix(stats::rnorm(setting$n * setting$D, sd = 0.05), setting$n)
    X <- pmin(pmax(X, -1), 1)
    released <- function(method) {
      once <- function(i) {
        fit <- private_kmeans(X, kmeans_box(setting$D), setting$k, epsilon = 4, method = method, rng = "R")
        loss(X, fit$centers)
      }
      stats::median(vapply(1:5, once, 0))
    }
    default <- released(NULL)
    expect_lt(default, 1.3 * loss(X, centers))
    for (method in c("lloyd", "cube")) expect_lt(default, 1.1 * released(method))
  }
})

test_that("as many rounds follow a histogram as public numbers allow", {
  rounds <- function(n, D, k, ...) grid_rounds(n, D, k, spent_cost(...))
  expect_identical(rounds(200, 2, 5, epsilon = 0.5), 0)
  expect_identical(rounds(1e5, 2, 3, epsilon = 0.5), 1)
  expect_equal(rounds(1e7, 2, 3, rho = 5), 5)
  expect_identical(rounds(2000, 8, 3, epsilon = 3), 1)
  expect_identical(names(kmeans_grid()), "rounds")
  steps <- privacy(private_kmeans(matrix(0.25, 40, 2), kmeans_box(2), 2, epsilon = 1, method = kmeans_grid(rounds = 2)))
  expect_identical(steps$public$steps$step, c("histogram", "round 1", "round 2"))
  expect_identical(steps$public$steps$epsilon, c(0.5, 0.25, 0.25))
  expect_error(kmeans_grid(rounds = -1), class = "dptda_error_argument")
})

test_that("noise that is left of empty cells is as stated, and no more than a twentieth of the rows", {
  # the moments by integration
  for (kind in c("laplace", "gaussian")) for (cut in c(2, 3.5)) {
    sd <- 3
    laplace <- function(x) exp(-abs(x) * sqrt(2) / sd) / (sqrt(2) * sd)
    density <- function(x) if (kind == "laplace") laplace(x) else stats::dnorm(x, 0, sd)
    moment <- function(p) stats::integrate(function(x) x^p * density(x), cut * sd, 40 * sd, rel.tol = 1e-9)$value
    expect_equal(kept_of_noise(kind, sd, cut), c(moment(1), moment(2)), tolerance = 1e-6)
  }
  measures <- list(c(epsilon = 0.7), c(epsilon = 1e3), c(rho = 0.3), c(epsilon = 2, delta = 1e-6))
  for (measure in measures) for (D in c(2, 7)) {
    plan <- plan_kmeans_grid(5000, kmeans_box(D), 3, do.call(spent_cost, as.list(measure)), 0)
    expect_true(plan$cut == 6 || prod(plan$size) * kept_noise(plan)[1] <= 250)
  }
})

test_that("clusters in a corner of the box are found as by the method that is best there", {
  skip_if_instrumented()
  set.seed(71)
  centers <- matrix(stats::runif(30, -0.3, 0.3), 10)
  X <- centers[rep_len(1:10, 20000), ] + matrix(stats::rnorm(60000, sd = 0.02), 20000)
  loss <- function(fit) {
    sum(do.call(pmin, lapply(1:10, function(k) colSums((t(X) - fit$centers[k, ])^2))))
  }
  for (delta in list(NULL, 1e-6)) {
    released <- function(method) {
      fits <- lapply(1:3, function(i) {
        private_kmeans(X, kmeans_box(3), 10, epsilon = 3, delta = delta, method = method, rng = "R")
      })
      stats::median(vapply(fits, loss, 0))
    }
    default <- released(NULL)
    for (method in c("lloyd", "cube")) expect_lt(default, 1.1 * released(method))
  }
})

test_that("a coarse histogram comes first where public numbers allow, and has an eighth of the histograms' budget", {
  sides <- function(n, D, k, ...) zoom_sides(n, D, k, spent_cost(...))
  expect_null(sides(200, 2, 5, epsilon = 1))
  expect_null(sides(1e7, 17, 2, epsilon = 10))
  expect_null(sides(2^50, 1, 2, epsilon = 1e-8))
  expect_identical(sides(16000, 2, 5, epsilon = 1), c(7, 7))
  expect_null(sides(16000, 2, 26, epsilon = 1))
  for (D in c(1, 4, 16)) for (rho in c(0.01, 1, 100)) for (n in c(1e3, 1e6, 1e12)) for (k in c(1, 9)) {
    size <- sides(n, D, k, rho = rho)
    expect_true(is.null(size) || prod(size) >= 2 * k && prod(size) <= 2^12)
  }
  plan <- plan_kmeans_grid(16000, kmeans_box(2), 5, spent_cost(epsilon = 1), 2)
  expect_identical(plan$steps$step, c("coarse histogram", "histogram", "round 1", "round 2"))
  expect_identical(plan$steps$epsilon, c(1 / 16, 7 / 16, 1 / 4, 1 / 4))
  # a row leaves a cell of each histogram for another one; people weigh more, and alike
  for (digits in list(NULL, 10)) for (rounds in c(0, 2)) {
    laplace <- plan_kmeans_grid(16000, kmeans_box(2), 5, spent_cost(epsilon = 1), rounds, digits)
    gauss <- plan_kmeans_grid(16000, kmeans_box(2), 5, spent_cost(rho = 0.5), rounds, digits)
    part <- if (rounds == 0) 1 else 1 / 2
    told <- function(plan, power) sum((plan$weight / c(plan$zoom$scale, plan$scale))^power) * 2 / power
    expect_lte(told(laplace, 1), part)
    expect_equal(told(laplace, 1), part, tolerance = 1e-6)
    expect_lte(told(gauss, 2), part / 2)
    expect_equal(told(gauss, 2), part / 2, tolerance = 1e-6)
    expect_identical(laplace$weight > 1, !is.null(digits))
  }
  # of empty cells about every second histogram keeps one
  expect_equal(100 * stats::pnorm(occupied_cut("gaussian", 100), lower.tail = FALSE), 0.5)
  expect_equal(100 * exp(-sqrt(2) * occupied_cut("laplace", 100)) / 2, 0.5)
})

test_that("coarse cells that hold rows are divided, and these alone", {
  set.seed(72)
  for (coarse in list(7, c(3, 2), c(2, 1, 3))) for (fine in c(1, 40, 700)) {
    D <- length(coarse)
    box <- kmeans_box(D)
    X <- matrix(stats::runif(400 * D, -1.2, 1.2), 400)
    rows <- check_point_rows(X, NULL, box)
    number <- function(size) {
      place <- lapply(1:D, function(j) pmin(pmax(floor((X[, j] + 1) * size[j] / 2), 0), size[j] - 1))
      drop(do.call(cbind, place) %*% c(1, cumprod(size)[-D])) + 1
    }
    occupied <- sort(sample(prod(coarse), 2))
    within <- number(coarse) %in% occupied
    size <- grid_sides(fine, D)
    finer <- divided_cells(occupied, coarse, size)
    expect_true(all(finer$size %% coarse == 0))
    expect_length(finer$cells, 2 * prod(finer$size / coarse))
    expect_lte(length(finer$cells), max(2, prod(size)))
    expect_identical(number(finer$size) %in% finer$cells, within)
    # without noise each of these rows is counted once, in its cell
    counted <- list(noise = "laplace", weight = 1, scale = 1, size = size,
                    zoom = list(size = coarse, scale = 1, cut = 0.1))
    exact <- replace(double(prod(coarse)), occupied, 1)
    grid <- with_replaced("add_noise", function(values, ...) values,
                          draw_cells(list(counts = exact, rows = rows), box, counted, "R"))
    expect_identical(grid$cells, finer$cells)
    expect_identical(grid$noisy, as.double(table(factor(number(finer$size), finer$cells))))
  }
  expect_identical(divided_cells(integer(), c(2, 2), c(3, 4)), list(size = c(3, 4), cells = 1:12))
  # no more cells at once than there is room for
  expect_lte(prod(divided_cells(1, rep(4, 6), rep(6, 6))$size), 2^22)
})

test_that("rows in a database and of people are counted in coarse and fine cells alike", {
  set.seed(73)
  frame <- data.frame(x = round(stats::rnorm(4000, 0.2, 0.05), 3), y = round(stats::rnorm(4000, -0.3, 0.05), 3))
  frame$who <- rep(seq_len(2000), 2)
  tables <- list(dplyr::tbl(local_sqlite(frame), "people"), dplyr::tbl(local_postgres(frame), "people"))
  asked <- list()
  note <- function(values, ...) {
    asked[[length(asked) + 1]] <<- values
    values
  }
  counts <- function(x, method) {
    asked <<- list()
    with_replaced("add_noise", note, private_kmeans(x, kmeans_box(2), 2, epsilon = 4, method = method, rng = "R"))
    asked
  }
  for (method in list(kmeans_grid(rounds = 0), kmeans_grid(rounds = 1))) for (who in list(NULL, "who")) {
    memory <- counts(table_rows(frame, c("x", "y"), person = who), method)
    expect_length(memory, 2 + method$rounds)
    expect_identical(sum(memory[[1]]) %% 2000, 0)
    for (people in tables) {
      database <- counts(table_rows(people, c("x", "y"), person = who), method)
      expect_identical(database[1:2], memory[1:2])
    }
  }
})

test_that("a grid has as many cells as its formula says, and covers the box", {
  for (D in c(1, 2, 5, 50)) for (n in c(1, 1e3, 1e9)) for (measure in declared_measures) for (k in c(1, 3, 7, 200)) {
    cells <- grid_cells(n, D, k, kmeans_spent(measure))
    size <- grid_sides(cells, D)
    expect_true(all(size >= 1) && prod(size) <= cells && prod(size) <= max_grid_cells)
    # a center has a cell of its own
    expect_gte(prod(size), k)
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
