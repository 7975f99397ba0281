# The linear decoder: its loss by finite differences, its moments over the cloud, moments that no rows have.

decoder_case <- function(seed) {
  set.seed(seed)
  book <- encoding_book(table_schema(a = c("u", "v", "w"), b = schema_numeric(0, 1, cells = 6), c = schema_truth(),
                                     d = schema_ordinal(c("x", "y", "z"), missing = "level")), scale = c("b", "d"))
  codes <- vapply(book$columns, function(column) sample.int(nrow(column$whole), 3000, TRUE, stats::runif(nrow(column$whole))) - 1L, integer(3000))
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
  drawn <- draw_decoded(decoder, 4, case$cloud[sample(500, 2e4, TRUE), ], "R")
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
    drawn <- draw_decoded(decoder, 4, case$cloud, "R")
    expect_true(all(drawn >= 0) && all(t(drawn) < vapply(case$book$columns, function(column) nrow(column$whole), 0L)))
  }
})
