# What follows from a fit: labels, a mixture, what is printed and drawn.

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
  expect_s3_class(as_mixture(fit), c("dptda_private_mixture", "dptda_mixture", "dptda_result"), exact = TRUE)
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
  expect_output(print(fit), "sizes: noisy, so they need not add up to 150")
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
      expect_match(shown, if (k == 1) "moves the center by about [0-9.]+% of a side of the box" else
        "moves centers by about [0-9.]+ to [0-9.]+% of a side of the box \\(closest two: 6[2-6]% apart\\)")
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
