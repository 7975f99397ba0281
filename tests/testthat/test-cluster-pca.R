# Rows near a plane of `rank` axes, turned.
flat_rows <- function(n = 4000, D = 10, rank = 2, seed = 1) {
  withr::with_seed(seed, {
    turned <- qr.Q(qr(matrix(stats::rnorm(D * D), D)))
    sdev <- c(seq(2, 1.5, length.out = rank), rep(0.1, D - rank))
    list(x = matrix(stats::rnorm(n * D), n) %*% (sdev * t(turned)) + 1, axes = turned[, seq_len(rank), drop = FALSE])
  })
}
even_box <- function(D = 10, side = 10) domain_box(rep(-side, D), rep(side, D))

# The sine of the largest angle between two planes.
plane_sine <- function(U, V) sqrt(max(0, 1 - min(svd(crossprod(U, V))$d)^2))

test_that("with a large budget the axes are those of prcomp()", {
  rows <- flat_rows()
  truth <- stats::prcomp(rows$x, rank. = 2)
  for (method in c("auto", "covariance", "ball")) {
    set.seed(1)
    pca <- private_pca(rows$x, even_box(), 2, rho = 1e3, method = method, rng = "R")
    expect_lt(plane_sine(pca$rotation, truth$rotation), 0.01)
    expect_equal(abs(colSums(pca$rotation * truth$rotation)), c(PC1 = 1, PC2 = 1), tolerance = 1e-3)
    # of the ball a twentieth is beyond the radius
    expect_equal(pca$sdev[1:2], truth$sdev[1:2], tolerance = 0.1)
    expect_equal(pca$center, unname(truth$center), tolerance = 0.1)
    expect_equal(colSums(pca$rotation^2), c(PC1 = 1, PC2 = 1))
    expect_true(all(apply(pca$rotation, 2, function(v) v[which.max(abs(v))]) > 0))
    expect_gt(pca$gap[["sdev"]], 20 * pca$gap[["noise"]])
  }
  expect_identical(is.null(pca$radius), FALSE)
})

test_that("axes have the names of columns, and rows are projected by them", {
  x <- as.data.frame(flat_rows(500, 3)$x)
  names(x) <- c("a", "b", "c")
  pca <- private_pca(x, even_box(3), 2, rho = 10, rng = "R", method = "ball")
  expect_identical(dimnames(pca$rotation), list(names(x), c("PC1", "PC2")))
  expect_named(pca$center, names(x))
  by_hand <- sweep(as.matrix(x), 2, pca$center) %*% pca$rotation
  expect_equal(predict(pca, x), by_hand)
  expect_equal(predict(pca, x[3:1]), by_hand)
  expect_equal(predict(pca, unname(as.matrix(x))), by_hand)
  expect_error(predict(pca, x[1:2]), class = "dptda_error_argument")
  expect_error(predict(pca), class = "dptda_error_argument")
  people <- table_rows(x, person = rep(1:100, 5))
  made <- predict(pca, people)
  expect_s3_class(made, "dptda_rows")
  expect_identical(made$owner, people$owner)
  expect_match(made$person, "^unnamed vector ")
  expect_equal(made$data, by_hand)
  expect_null(predict(pca, table_rows(x))$person)
  # the release of projected people is for people, and so must be that of the axes
  grid <- domain_pca(private_pca(people, even_box(3), 2, rho = 10, rng = "R"), steps = 8)
  diagram <- private_diagram(made, grid, epsilon = 1, m0 = 0.1, clip = 1)
  expect_identical(privacy(diagram)$person, made$person)
})

# ---- oracles -------------------------------------------------------------------------------------------------

test_that("distances are counted as by a slow version", {
  box <- domain_box(c(-1, -2, 0), c(1, 2, 1))
  radii <- ball_radii(box)
  expect_length(radii, ball_radius_count)
  expect_false(is.unsorted(radii, strictly = TRUE))
  set.seed(3)
  for (n in c(1, 7, 255, 256, 257, 3000)) {
    X <- matrix(stats::rnorm(3 * n), n)
    X[1, ] <- c(Inf, -Inf, 0.5)
    center <- c(0.1, -1, 0.9)
    inside <- pmin(pmax(t(X), box$lower), box$upper) - center
    cell <- vapply(colSums(inside^2), function(square) sum(radii^2 < square) + 1, 0)
    weights <- sample(0:5, n, TRUE)
    expect_identical(distance_counts(X, box, center, radii), as.double(tabulate(cell, 242)))
    counted <- .Call(ffi_cluster_distances, X, weights, box$lower, box$upper, center, radii^2, kernel_options())
    expect_identical(counted, as.vector(rowsum(c(as.double(weights), double(242)), c(cell, 1:242))))
  }
  # rows in the center are within all radii, and a number that is none is in some cell
  expect_identical(distance_counts(matrix(center, 1), box, center, radii), c(1, double(241)))
  expect_identical(sum(distance_counts(matrix(NaN, 2, 3), box, center, radii)), 2)
  counts <- tabulate(c(3, 3, 5, 200), 242)
  ball <- ball_plan(check_public_units(4), 3, new_cost(c(rho = 1e9)))
  # the fourth row is the first that is wanted, and the last
  expect_identical(radius_scores(counts, ball), -c(4, 4, 2, 2, rep(1, 195), rep(0, 42)))
  # by how many rows the order would have to change for a radius to be the right one
  for (try in 1:20) {
    counts <- tabulate(sample(242, 60, TRUE), 242)
    ball <- ball_plan(check_public_units(60), 3, new_cost(c(rho = 1e9)))
    wanted <- ceiling(0.95 * 60)
    inside <- cumsum(counts)
    far <- vapply(1:241, function(i) max(wanted - inside[i], sum(counts[seq_len(i - 1)]) - wanted, 0), 0)
    expect_identical(radius_scores(counts, ball), -far)
  }
})

test_that("the sums of shortened rows are those of a slow version", {
  set.seed(4)
  box <- domain_box(c(-3, -1, -10), c(3, 1, 10))
  ball <- ball_plan(check_public_units(200), 3, new_cost(c(rho = 1)))
  X <- matrix(stats::rnorm(600, sd = 2), 200)
  center <- c(1, 0, -1)
  for (radius in c(0.01, 1, 8)) {
    sums <- ball_sums(matrix_rows(X), ball, box, center, radius)
    u <- (pmin(pmax(t(X), box$lower), box$upper) - center) * sqrt(3) / radius
    q <- t(u) * pmin(1, sqrt(3) / sqrt(colSums(u^2))) * 2^ball$bits[1]
    expect_true(all(sums == floor(sums)))
    slow <- c(colSums(q), crossprod(q)[upper.tri(diag(3), diag = TRUE)])
    # a step of rounding a row
    expect_lt(max(abs(sums - slow) / c(rep(1, 3), rep(4 * 2^ball$bits[1], 6))), 200)
    expect_identical(ball_sums(matrix_rows(X), ball, box, center, radius, products = FALSE), sums[1:3])
  }
})

# ---- sensitivity ---------------------------------------------------------------------------------------------

# Of what rows give, in units of the noise, the square of the largest change may be 2 rho.
test_that("no row, and no person, changes moments and centers by more than is proved", {
  set.seed(5)
  for (D in c(1, 2, 5)) {
    box <- domain_box(rep(-1, D), rep(1, D))
    directions <- function() {
      v <- stats::rnorm(D)
      v / sqrt(sum(v^2)) * sample(c(0, 0.3, 1, 1, 1, 3), 1)
    }
    rows <- check_public_units(40)
    crowd <- check_public_units(unseen(40, person = "person"))
    for (of in list(rows, crowd)) {
      ball <- ball_plan(of, D, new_cost(c(rho = 0.5)))
      one <- function() {
        m <- if (of$most) sample(c(1, 2, 7), 1) else 1
        X <- do.call(rbind, replicate(m, directions(), simplify = FALSE))
        memory <- matrix_rows(X)
        if (of$most) memory <- weigh_rows(add_people(memory, 1, "p", "all", TRUE, rep(1L, m)), ball$weight)
        ball_sums(memory, ball, box, rep(0, D), 1)
      }
      most <- c(0, 0)
      for (try in 1:300) {
        change <- one() - one()
        most <- pmax(most, c(sum(change^2 / ball$scale^2) / (2 * ball$rhos[["moments"]]),
                             sum((change[seq_len(D)] / ball$center_scale)^2) / (2 * ball$rhos[["center"]])))
      }
      expect_true(all(most <= 1))
    }
  }
})

test_that("the bounds of moments and centers are attained", {
  ball <- ball_plan(check_public_units(10), 2, new_cost(c(rho = 0.5)))
  box <- domain_box(c(-1, -1), c(1, 1))
  at <- function(v) ball_sums(rbind(v), ball, box, c(0, 0), 1)
  a <- ball_weights()
  expect_lte(sum(a) + a[1]^2 / (4 * a[2]), 1)
  # the scalar product at which the change is largest
  cosine <- -a[1] / (2 * a[2])
  change <- at(c(1, 0)) - at(c(cosine, sqrt(1 - cosine^2)))
  spent <- sum(change^2 / ball$scale^2) / 2
  expect_lte(spent, ball$rhos[["moments"]])
  expect_gt(spent, 0.999 * ball$rhos[["moments"]])
  change <- (at(c(1, 0)) - at(c(-1, 0)))[1:2]
  spent <- sum((change / ball$center_scale)^2) / 2
  expect_lte(spent, ball$rhos[["center"]])
  expect_gt(spent, 0.999 * ball$rhos[["center"]])
})

test_that("no row, and no person, moves a score by more than it weighs", {
  set.seed(6)
  box <- even_box(2, 1)
  radii <- ball_radii(box)
  for (of in list(check_public_units(5), check_public_units(unseen(5, person = "person")))) {
    ball <- ball_plan(of, 2, new_cost(c(rho = 1)))
    score <- function(X, owner) {
      memory <- matrix_rows(X)
      if (of$most) memory <- weigh_rows(add_people(memory, 5, "p", "all", TRUE, owner), ball$weight)
      radius_scores(distance_counts(memory, box, c(0, 0), radii), ball)
    }
    place <- function(m) matrix(stats::rnorm(2 * m), m) * 2^sample(-20:0, m, TRUE)
    for (try in 1:100) {
      X <- place(4)
      own <- if (of$most) sample(1:9, 2) else c(1, 1)
      one <- score(rbind(place(own[1]), X), c(rep(1L, own[1]), 2:5))
      two <- score(rbind(place(own[2]), X), c(rep(1L, own[2]), 2:5))
      expect_lte(max(abs(one - two)), ball$weight)
    }
    expect_lte(ball$epsilon, sqrt(8 * ball$rhos[["radius"]]))
  }
})

# The probability of a wrong answer is below exp(-5) each, .7 in 100 draws; those that are allowed are seen once in a
# million runs.
test_that("a radius holds what is promised, of rows at one distance too, and no radius beyond it is as good", {
  box <- even_box(3, 50)
  radii <- ball_radii(box)
  ball <- ball_plan(check_public_units(2000), 3, new_cost(c(rho = 0.05)))
  expect_equal(ball$tail, radius_slack(2000, sqrt(8 * ball$rhos[["radius"]]) * query_margin))
  expect_equal(ball$held, 1 - 2 * ball$tail)
  shell <- withr::with_seed(11, matrix(stats::rnorm(6000), 2000))
  shell <- 2 * shell / sqrt(rowSums(shell^2))
  near <- shell * rep(c(1e-3, 1), c(1000, 1000))
  set.seed(12)
  for (x in list(matrix(0, 2000, 3), shell, near)) {
    query <- radius_query(ball, box, c(0, 0, 0))
    seen <- query$statistic(matrix_rows(x))
    drawn <- radii[draw_choice(seen, ball$epsilon, ball$weight, "R", 100)]
    distance <- sqrt(rowSums(x^2))
    held <- vapply(drawn, function(radius) mean(distance <= radius * (1 + 1e-9)), 0)
    expect_lte(sum(held < ball$held), 8)
    expect_lte(sum(drawn > max(distance, min(radii)) * 2^(1 / 8)), 8)
  }
  expect_identical(ball_plan(check_public_units(100), 3, new_cost(c(rho = 0.02)))$held, 0)
})

# ---- people, budgets -----------------------------------------------------------------------------------------

test_that("people with one row each are rows, and many equal rows are one", {
  rows <- flat_rows(400, 3)$x
  columns <- c("a", "b", "c")
  colnames(rows) <- columns
  frame <- as.data.frame(rows)
  one <- function(x, seed = 1) {
    set.seed(seed)
    private_pca(x, even_box(3), 2, rho = 100, method = "ball", rng = "R")
  }
  single <- one(table_rows(frame, person = seq_len(400)))
  many <- one(table_rows(frame[rep(seq_len(400), 1 + seq_len(400) %% 3), ],
                         person = rep(seq_len(400), 1 + seq_len(400) %% 3)))
  expect_match(privacy(single)$person, "^unnamed vector ")
  expect_equal(single$sdev, many$sdev, tolerance = 1e-3)
  expect_identical(single$n.obs, 400)
  drawn <- one(table_rows(frame, person = rep(seq_len(200), 2), rows_of_person = "one"))
  expect_identical(drawn$n.obs, 200)
})

test_that("what is spent is what was declared, and once", {
  for (D in c(1, 3, 50)) for (n in c(1, 500, 1e6)) for (rho in c(1e-6, 0.018, 1e3)) {
    ball <- ball_plan(check_public_units(n), D, new_cost(c(rho = rho)))
    spent <- sum(ball$rhos * c(ball$rounds + 1, ball$rounds, 1))
    expect_lte(spent, rho)
    expect_gt(spent, rho * (1 - 1e-9))
    expect_lte(n * D * 4^ball$bits[1] * ball$weight, 2^52)
    expect_lte(max(ball$scale, ball$center_scale), 2^40)
  }
  rows <- flat_rows(300, 3)$x
  for (method in c("auto", "covariance", "ball")) {
    budget <- privacy_budget(rho = 1)
    pca <- private_pca(rows, even_box(3), 1, rho = 0.25, method = method, budget = budget)
    expect_identical(sum(budget$ledger$value), 0.25)
    expect_identical(privacy(pca)$measure, c(rho = 0.25))
    pca <- private_pca(rows, even_box(3), 1, epsilon = 2, delta = 1e-6, method = method)
    expect_identical(privacy(pca)$measure, c(epsilon = 2, delta = 1e-6))
  }
  budget <- privacy_budget(rho = 1)
  expect_error(private_pca(rbind(rows, NA), even_box(3), 1, rho = 0.25, method = "ball", budget = budget),
               class = "dptda_error_argument")
  expect_error(private_pca(rows, even_box(3), 4, rho = 0.25, budget = budget), class = "dptda_error_argument")
  expect_error(private_pca(rows, even_box(3), 1, rho = 1e-40, budget = budget), class = "dptda_error_argument")
  expect_error(private_pca(rows, even_box(3), 1, epsilon = 1, budget = budget), class = "dptda_error_argument")
  expect_identical(nrow(budget$ledger), 0L)
})

test_that("a table in a database is refused before anything is spent, or taken by the covariance", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "rows", stats::setNames(as.data.frame(flat_rows(300, 2)$x), c("a", "b")))
  table <- dplyr::tbl(connection, "rows")
  budget <- privacy_budget(rho = 1)
  expect_error(private_pca(table, even_box(2), 1, rho = 0.5, method = "ball", budget = budget), "for a database table",
               class = "dptda_error_argument")
  expect_identical(nrow(budget$ledger), 0L)
  pca <- private_pca(table, even_box(2), 1, rho = 0.5, method = "covariance", budget = budget)
  expect_named(pca$center, c("a", "b"))
  expect_error(predict(pca, table_rows(table)), class = "dptda_error_argument")

  # "auto" chooses "ball" for these public numbers in memory, and what a database can do there
  wide <- as.data.frame(matrix(round(sin(1:2400), 3), 200))
  DBI::dbWriteTable(connection, "wide", wide)
  box <- even_box(12)
  expect_identical(private_pca(wide, box, 1, rho = 0.5)$method, "ball")
  expect_identical(private_pca(dplyr::tbl(connection, "wide"), box, 1, rho = 0.5)$method, "covariance")
  price <- function(...) private_pca(unseen(200, ...), box, 1, rho = 0.5)$plan
  expect_s3_class(price(), "pca_ball")
  expect_s3_class(price(in_database = TRUE), "pca_covariance")
})

# ---- what public numbers say ---------------------------------------------------------------------------------

test_that("the method goes by the predicted noise", {
  method <- function(n, D, epsilon) {
    privacy_price(private_pca(as_unseen(n), even_box(D), min(D, 3), epsilon = epsilon,
                              delta = 1e-6))$guarantee$public$method
  }
  expect_identical(method(20000, 10, 0.25), "covariance")
  expect_identical(method(2000, 3, 4), "covariance")
  expect_identical(method(20000, 50, 0.25), "ball")
  expect_identical(method(20000, 50, 1), "ball")
})

test_that("a release of which nothing can be learned is warned of before anything is spent", {
  withr::local_options(dptda.weak_release = NULL)
  rows <- flat_rows(30, 3)$x
  for (method in c("covariance", "ball")) {
    budget <- privacy_budget(epsilon = 1, delta = 1e-6)
    expect_error(tryCatch(private_pca(rows, even_box(3), 1, epsilon = 0.1, delta = 1e-6, method = method,
                                      budget = budget),
                          dptda_warning_no_fit = function(cnd) stop("told")), "told")
    expect_identical(nrow(budget$ledger), 0L)
  }
})

test_that("where there is no gap it is said", {
  x <- withr::with_seed(7, matrix(stats::rnorm(20000), ncol = 4))
  for (method in c("covariance", "ball")) {
    set.seed(8)
    pca <- private_pca(x, even_box(4), 2, epsilon = 1, delta = 1e-6, method = method, rng = "R")
    expect_output(print(pca), "no clear gap between PC[0-9] and PC[0-9]: .*noise.*off\\s+by 30 degrees")
    expect_output(print(summary(pca)), "no clear gap")
  }
  all <- private_pca(x, even_box(4), 4, rho = 10, rng = "R")
  expect_output(print(all), "all axes are kept")
  expect_true(all(is.na(all$gap)))
  clear <- private_pca(flat_rows(5000, 4)$x, even_box(4), 2, rho = 10, rng = "R")
  expect_output(print(clear), "\ngap between PC2 and PC3: [0-9.]+, noise [0-9.]+\n")
  expect_output(print(clear), "projections onto these axes miss the rest")
})

test_that("where noise made the axes it is said, in the place of a gap", {
  withr::local_options(dptda.weak_release = FALSE)
  x <- flat_rows(150, 4)$x
  for (method in c("ball", "covariance")) {
    set.seed(13)
    pca <- private_pca(x, even_box(4), 2, epsilon = 0.5, delta = 1e-6, method = method, rng = "R")
    words <- "not converged: axes may be far off"
    if (method == "ball") words <- "nothing is learned: noise chose the radius"
    expect_output(print(pca), words)
    expect_output(print(summary(pca)), words)
    expect_false(any(grepl("gap|share of the variance", capture.output(print(pca)))))
    expect_true(all(is.na(pca$noise)))
    expect_identical(is.na(pca$gap), c(sdev = FALSE, noise = TRUE))
    expect_true(startsWith(pca$doubt, substr(words, 1, 10)))
    expect_output(print(domain_pca(pca)), "about which nothing is known")
    withr::with_pdf(withr::local_tempfile(fileext = ".pdf"), expect_identical(plot(pca), pca))
    skip_if_not_installed("ggplot2")
    picture <- ggplot2::autoplot(pca)
    expect_identical(picture$labels$subtitle, words)
    expect_identical(ggplot2::ggplot_build(picture)$data[[2]]$ymax, pca$sdev)
    expect_null(pca$floor)
  }
  set.seed(14)
  ball <- private_pca(x, even_box(4), 2, epsilon = 0.5, delta = 1e-6, method = "ball", rng = "R")
  expect_identical(ball$held, 0)
  expect_output(print(ball), "possibly none of them")
  # what is known is told, too
  ball <- private_pca(flat_rows(20000, 4)$x, even_box(4), 2, epsilon = 1, delta = 1e-6, method = "ball", rng = "R")
  expect_null(ball$doubt)
  expect_gt(ball$held, 0.8)
  expect_output(print(ball), "at least [0-9]+% of them")
  # columns of rounding errors and noise: what is seen of them is below what noise alone may show
  set.seed(17)
  thin <- cbind(stats::rnorm(5000), matrix(0, 5000, 19))
  runs <- simulate(private_pca(unseen(5000), even_box(20), 1, epsilon = 1, delta = 1e-6, method = "ball"), 20,
                   seed = 18,
                   x = thin)
  ratio <- vapply(runs, function(run) run$sdev[2] / run$floor, 0)
  expect_true(all(ratio > 0.7 & ratio < 1.1))
  expect_output(print(runs[[1]]), "standard deviations below [0-9.]+ may be pure noise")
  expect_output(print(summary(runs[[1]])), "may be pure noise")
  expect_match(pca_picture_words(runs[[1]]), "dashed: noise alone")
})

test_that("of many columns print() shows the first ones", {
  shown <- capture.output(print(private_pca(flat_rows(500, 14)$x, even_box(14), 2, rho = 10, rng = "R")))
  expect_length(grep("^ +-?[0-9][.0-9]+ +-?[0-9][.0-9]+$", shown), 12)
  expect_true("... and 2 more columns" %in% shown)
  shown <- capture.output(print(private_pca(flat_rows(500, 12)$x, even_box(12), 2, rho = 10, rng = "R")))
  expect_false(any(grepl("more column", shown)))
})

test_that("a diagram in the plane of the axes has both releases in its ledger, and says of what it is", {
  x <- flat_rows(3000, 5, 2)$x
  budget <- privacy_budget(epsilon = 2, delta = 1e-5)
  set.seed(15)
  pca <- private_pca(x, even_box(5), 2, epsilon = 1, delta = 1e-6, budget = budget)
  grid <- domain_pca(pca, steps = 8)
  expect_identical(privacy(grid), privacy(pca))
  expect_output(print(grid), "origin of rows projected on 2 of 5 private axes with [0-9.]+% of the variance")
  diagram <- private_diagram(predict(pca, x), grid, epsilon = 0.5, m0 = 0.1, clip = 1, budget = budget)
  expect_identical(privacy(diagram)$measure, c(epsilon = 1.5, delta = 1e-6))
  expect_identical(privacy(diagram)$ledger$step, rep(c("private_pca", "private_diagram"), each = 2))
  expect_output(print(diagram), "of rows projected on 2 of 5 private axes")
  # a budget is asked for each once
  expect_identical(budget$ledger$step, c("private_pca", "private_pca", "private_diagram"))
  grid$axes[[1]] <- grid$axes[[1]] * 2
  expect_error(private_diagram(predict(pca, x), grid, epsilon = 0.5, m0 = 0.1, clip = 1),
               class = "dptda_error_argument")
  square <- withr::with_seed(16, matrix(stats::rnorm(20000), ncol = 4))
  flat <- domain_pca(private_pca(square, even_box(4), 2, epsilon = 1, delta = 1e-6, rng = "R"))
  expect_output(print(flat), "no\\s+clear gap after the last axis")
  # not of people, where the axes are of rows
  people <- table_rows(as.data.frame(x), person = rep(1:1500, 2))
  grid <- domain_pca(pca, steps = 8)
  expect_error(private_diagram(predict(pca, people), grid, epsilon = 0.5, m0 = 0.1, clip = 1), "do not add up",
               class = "dptda_error")
})

# The spread of 60 releases has a relative error of a tenth.
test_that("the noise that is stated is that of releases", {
  skip_if_instrumented()
  rows <- flat_rows(3000, 6)$x
  for (method in c("covariance", "ball")) {
    runs <- simulate(private_pca(unseen(3000), even_box(6), 2, rho = 0.02, method = method), 60, seed = 9, x = rows)
    sdev <- vapply(runs, function(run) run$sdev[1:2], double(2))
    # radii and coordinates differ from run to run, too
    ratio <- apply(sdev, 1, stats::sd) / rowMeans(vapply(runs, function(run) run$noise[1:2], double(2)))
    expect_true(all(ratio > 0.6 & ratio < 2.5))
  }
})

test_that("rows in one place, in corners and in narrow boxes have finite axes", {
  for (x in list(matrix(0, 50, 2), matrix(c(-1, 1), 50, 2), matrix(1, 50, 2))) {
    for (box in list(domain_box(c(-1, -1), c(1, 1)), domain_box(c(-1, -1e-139), c(1, 1e-139)),
                     domain_box(c(0, -4e139), c(1e-139, 4e139)))) {
      for (method in c("ball", "covariance")) {
        pca <- suppressWarnings(private_pca(x, box, 1, rho = 1, method = method, rng = "R"))
        known <- c("rotation", "sdev", "center", if (is.null(pca$doubt)) "noise")
        expect_true(all(is.finite(unlist(unclass(pca)[known]))))
      }
    }
  }
})

test_that("tables, grids and pictures", {
  pca <- private_pca(flat_rows(2000, 5, 3)$x, even_box(5), 3, rho = 10, rng = "R")
  table <- as.data.frame(pca)
  expect_identical(table$axis, paste0("PC", 1:5))
  expect_equal(sum(table$share), 1)
  expect_identical(table$kept, rep(c(TRUE, FALSE), c(3, 2)))
  expect_equal(unname(summary(pca)$importance[1, ]), pca$sdev)
  grid <- domain_pca(pca)
  expect_identical(dim(grid)[1], 45L)
  expect_equal(grid$box$upper, 2.2 * pca$sdev[1:3])
  expect_identical(grid$box$columns, c("PC1", "PC2", "PC3"))
  expect_error(domain_pca(private_pca(flat_rows(2000, 5, 3)$x, even_box(5), 5, rho = 10)),
               class = "dptda_error_argument")
  withr::with_pdf(withr::local_tempfile(fileext = ".pdf"), expect_identical(plot(pca), pca))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(pca), "ggplot")
})

test_that("heavy tails are told of components as of the covariance that they are of", {
  box <- domain_box(c(a = -80, b = -80), c(a = 80, b = 80))
  for (heavy in c(FALSE, TRUE)) {
    x <- withr::with_seed(31, matrix(if (heavy) stats::rt(8000, 1.5) else stats::rnorm(8000), ncol = 2,
                                     dimnames = list(NULL, c("a", "b"))))
    made <- function(f, ...) withr::with_seed(32, f(x, box, rho = 1, rng = "R", ...))
    pca <- made(private_pca, rank = 1, method = "covariance")
    covariance <- made(private_covariance)
    said <- vapply(list(pca, covariance), function(one) any(grepl("tails are heavier", capture.output(print(one)))), NA)
    expect_identical(said, c(heavy, heavy))
    expect_identical(pca$heavy, if (heavy) TRUE)
    expect_output(print(covariance), "mean: a [-0-9.e]+, b [-0-9.e]+\n")
  }
})
