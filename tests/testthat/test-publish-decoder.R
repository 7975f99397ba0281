# The linear decoder: its loss by finite differences, its moments over the cloud, moments that no rows have; and codes
# drawn by either decoder, against slow ones.

decoder_case <- function(seed) {
  set.seed(seed)
  book <- encoding_book(table_schema(a = c("u", "v", "w"), b = schema_numeric(0, 1, cells = 6), c = schema_logical(),
                                     d = schema_categorical(c("x", "y", "z"), ordered = TRUE, missing = "level")),
                                     scale = c("b", "d"))
  codes <- vapply(book$columns, function(column) sample.int(nrow(column$whole), 3000, TRUE,
                                                            stats::runif(nrow(column$whole))) - 1L, integer(3000))
  # columns that have something to do with each other
  codes[, 3] <- ifelse(stats::runif(3000) < 0.7, as.integer(codes[, 1] == 0), codes[, 3])
  codes[, 2] <- pmin(codes[, 2] + codes[, 3], 5L)
  X <- encode_codes(book, codes) / 2^book$bits
  S <- stats::cov(X)
  plane <- find_plane(list(mean = colMeans(X), covariance = S, noise = 1e-9), book, 2)
  list(book = book, plane = plane, X = X, cloud = scale(X, plane$mean, FALSE)[sample(3000, 500), ] %*% plane$project)
}

test_that("the gradient is that of the loss, by finite differences", {
  for (seed in 1:3) {
    case <- decoder_case(seed)
    W <- column_features(case$book$columns[[2]], case$book)
    Z <- cbind(1, case$cloud)
    target <- matrix(stats::rnorm(ncol(W) * 3, sd = 0.1), ncol(W))
    free <- matrix(c(TRUE, TRUE, TRUE, FALSE, TRUE, FALSE), 2)
    theta <- stats::rnorm(sum(free))
    loss <- function(theta) decoder_loss(theta, W, Z, target, free)$loss
    slow <- vapply(seq_along(theta), function(i) {
      step <- replace(0 * theta, i, 1e-5)
      (loss(theta + step) - loss(theta - step)) / 2e-5
    }, 0)
    expect_equal(decoder_loss(theta, W, Z, target, free)$gradient, slow, tolerance = 1e-6)
  }
})

test_that("features of levels are multiplied as any others", {
  set.seed(6)
  for (W in list(diag(5) - 1 / 5, round(1024 * (diag(3) - 1 / 3)) / 1024, matrix(2), cbind(1:4, (1:4)^2),
                 matrix(1:4 / 7, 2), cbind(c(1, 2), c(2, 3)))) {
    x <- matrix(stats::rnorm(6 * nrow(W)), 6)
    expect_equal(times_features(x, W), x %*% W, tolerance = 1e-13)
  }
})

test_that("over the cloud the decoder has the moments that it was given", {
  case <- decoder_case(4)
  decoder <- linear_decoder(case$plane, case$book, case$cloud)
  Z <- cbind(1, case$cloud)
  for (j in 1:4) {
    column <- decoder$columns[[j]]
    score <- tcrossprod(tcrossprod(Z, column$theta), column$features)
    weight <- exp(score - row_maxima(score))
    p <- weight / rowSums(weight)
    places <- case$book$places[[j]]
    W <- column$features[, seq_along(places), drop = FALSE]
    mean <- case$plane$mean[places]
    target <- cbind(mean, outer(mean, colMeans(case$cloud)) +
                      case$plane$loads[places, , drop = FALSE] %*% stats::cov(case$cloud) * (1 - 1 / nrow(Z)))
    expect_lt(max(abs(crossprod(p %*% W, Z) / nrow(Z) - target)), 0.01)
  }
})

test_that("what is drawn has the margins of the rows", {
  case <- decoder_case(5)
  decoder <- linear_decoder(case$plane, case$book, case$cloud)
  drawn <- draw_decoded(decoder, case$cloud[sample(500, 2e4, TRUE), ])
  again <- encode_codes(case$book, drawn) / 2^case$book$bits
  expect_lt(max(abs(colMeans(again) - colMeans(case$X))), 0.03)
})

test_that("moments that no rows have do not break it", {
  case <- decoder_case(6)
  for (size in c(0, 1, 1e8)) for (seed in 1:3) {
    set.seed(seed)
    width <- case$book$width
    S <- matrix(stats::rnorm(width^2, sd = size), width)
    plane <- find_plane(list(mean = stats::rnorm(width, sd = size), covariance = S + t(S), noise = size), case$book, 2)
    expect_true(all(is.finite(plane$project)))
    decoder <- linear_decoder(plane, case$book, 3 * case$cloud)
    drawn <- draw_decoded(decoder, case$cloud)
    expect_true(all(drawn >= 0) && all(t(drawn) < vapply(case$book$columns, function(column) nrow(column$whole), 0L)))
  }
})

# A network decoder with weights of any size.
network_decoder <- function(sizes, hidden, scale = 1) {
  draw <- function(rows, columns) matrix(stats::rnorm(rows * columns, sd = scale), rows)
  names(sizes) <- letters[seq_along(sizes)]
  list(kind = "network", sizes = sizes, side = 3, back = draw(2, hidden), back_shift = stats::rnorm(hidden),
       last = draw(hidden, sum(sizes)),
       last_shift = stats::rnorm(sum(sizes), sd = scale))
}

test_that("codes are those of a slow decoder, row by row, for the same places and coins", {
  case <- decoder_case(7)
  decoders <- list(linear_decoder(case$plane, case$book, case$cloud))
  for (hidden in c(1, 2, 5, 16)) for (scale in c(0.1, 1, 30)) {
    decoders <- c(decoders, list(network_decoder(c(3L, 1L, 70L, 2L), hidden, scale)))
  }
  for (decoder in decoders) for (rows in c(0, 1, 31, 32, 33, 700)) {
    sizes <- decoder_sizes(decoder)
    U <- matrix(stats::runif(2 * rows, -4, 4), rows, 2)
    coins <- matrix(stats::runif(4 * rows), rows, 4)
    expect_identical(see_codes(decoder, sizes, U, coins), slow_codes(decoder, 4, U, coins))
  }
})

test_that("a code of probability zero is never drawn, and coins at the ends are fine", {
  decoder <- network_decoder(c(4L, 3L), 3)
  decoder$last[] <- 0
  decoder$last_shift <- c(-800, 0, 0, -800, -1e99, 1e99, -1e99)
  coins <- matrix(c(0, 1, .Machine$double.xmin, 1 - 2^-53, 0.25, 0.75), 6, 2)
  found <- see_codes(decoder, 4:3, matrix(0, 6, 2), coins)
  expect_identical(found[, 1], c(1L, 2L, 1L, 2L, 1L, 2L))
  expect_identical(found[, 2], rep(1L, 6))
})

test_that("rows are drawn from the blurred cloud: margins, pairs, and the same ones from the same seed", {
  for (axis in 1:2) {
    set.seed(8)
    decoder <- network_decoder(c(3L, 5L), 4, 3)
    decoder$back[3 - axis, ] <- decoder$back[3 - axis, ] / 10 # what one axis says
    steps <- if (axis == 1) c(1, 1 / 2) else c(1 / 2, 1)
    grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 6 / steps + 1)
    cloud <- matrix(stats::runif(10, -3, 3), 5)
    model <- structure(list(sizes = decoder$sizes, grid = grid, cloud = cloud, decoder = decoder),
                       class = "dptda_topology_model")
    n <- 4e4
    drawn <- draw_codes(model, n, "R")
    seen <- tabulate(1 + drawn[, 1] + 3 * drawn[, 2], 15)
    # what the steps of the grid say of the blur, over many places
    places <- cloud[rep(1:5, 4e4), ] + matrix(stats::rnorm(4e5), ncol = 2) %*% diag(steps / 2)
    p <- decoder_probabilities(decoder, 1:2, places)
    wanted <- as.vector(crossprod(p[[1]], p[[2]])) / nrow(places)
    # chi-square with 14 degrees of freedom, a false alarm in 10^5; without the blur, or with its axes changed, it is
    # far above
    expect_lt(sum((seen - n * wanted)^2 / (n * wanted)), stats::qchisq(1e-5, 14, lower.tail = FALSE))
    other <- decoder_probabilities(decoder, 1:2, cloud[rep(1:5, 4e4), ] + matrix(stats::rnorm(4e5), ncol = 2) %*%
                                   diag(rev(steps) / 2))
    wrong <- as.vector(crossprod(other[[1]], other[[2]])) / nrow(places)
    expect_gt(sum((seen - n * wrong)^2 / (n * wrong)), 2 * stats::qchisq(1e-5, 14, lower.tail = FALSE))
    again <- function() {
      set.seed(9)
      draw_codes(model, 100, "R")
    }
    expect_identical(again(), again())
    expect_identical(dim(draw_codes(model, 0, "R")), c(0L, 2L))
  }
})

test_that("drawing many rows can be interrupted, and tells how far it is", {
  set.seed(10)
  decoder <- network_decoder(rep(50L, 4), 16)
  model <- structure(list(sizes = decoder$sizes, grid = domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 5),
                          cloud = matrix(0, 1, 2),
                          decoder = decoder), class = "dptda_topology_model")
  seen <- numeric()
  stops <- function(fraction) {
    seen <<- c(seen, fraction)
    stop("enough")
  }
  withr::local_options(dptda.progress = stops)
  # two seconds are over before the first call of it
  expect_error(draw_codes(model, 2e7, "R"), "enough")
  expect_true(length(seen) == 1 && seen > 0 && seen < 1)
})
