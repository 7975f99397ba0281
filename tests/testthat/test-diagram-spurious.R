# The law of the noise against double integrals that know nothing of a radius, and against the sampler of the release.

noise <- function(rate, most = 10, learn = TRUE, least = 0, dimensions = 1, bound = 1) {
  list(rate = rate * bound, bound = bound, most = most, learn = learn, least = least,
       dimensions = seq_len(dimensions) - 1)
}

# The largest distance r of a label from its feature has a density proportional to r^(2 K - 1), the tallest of j free
# labels, x, the distribution function (x (2 - x))^j, and the weight of both is exp(-rate max(r, x/2)): P(x <= height).
slow_chance <- function(features, rate, most, learn, height, reach = 40 / rate) {
  mesh <- 600
  r <- (seq_len(mesh) - .5) / mesh * reach
  edges <- sort(c(seq(0, 1, length.out = mesh), height))
  x <- (edges[-1] + edges[-length(edges)]) / 2
  within <- function(j) {
    mass <- if (j == 0) c(1, rep(0, length(x) - 1)) else diff((edges * (2 - edges))^j)
    if (j == 0) x[] <- 0
    near <- if (features == 0) 1 else 8^features * 2 * features * r^(2 * features - 1) * reach / mesh
    loss <- outer(if (features == 0) 0 else r, x, function(r, x) exp(-rate * pmax(r, x / 2)))
    by_x <- colSums(near * loss) * mass
    c(sum(by_x[x <= height]), sum(by_x))
  }
  labels <- if (learn) features:most else most
  weights <- (if (learn) 2^-labels else 1) * exp(lfactorial(labels) - lfactorial(labels - features))
  sums <- rowSums(vapply(labels - features, within, c(0, 0)) %*% diag(weights, length(weights)))
  sums[1] / sums[2]
}

test_that("heights of spurious points agree with double integrals", {
  for (learn in c(TRUE, FALSE)) for (features in 0:4) {
    setting <- noise(60, 5, learn)
    chance <- chance_of_height(setting, features)
    for (height in c(.05, .1, .2, .4)) {
      expect_lt(abs(chance(height) - slow_chance(features, 60, 5, learn, height)), .003)
    }
    tall <- spurious_height(setting, features, .95)
    if (tall > 0) expect_equal(chance(tall), .95, tolerance = 1e-4) else expect_gte(chance(0), .95)
  }
  # one label, no feature: an integral in closed form
  exact <- stats::integrate(function(x) exp(-5 * x) * (1 - x), 0, .3)$value /
    stats::integrate(function(x) exp(-5 * x) * (1 - x), 0, 1)$value
  expect_equal(chance_of_height(noise(10, 1, FALSE), 0)(.3), exact, tolerance = 1e-4)
})

test_that("the numbers that are known of ten labels at the rate 125", {
  # drawn beforehand with the sampler: 0, .02, .07, .17 for 0, 1, 2 and 4 features, less than the ideal where squares
  # are cut
  expect_equal(vapply(c(0, 1, 2, 4), function(k) spurious_height(noise(125), k, .95), 0), c(0, .0246, .0766, .1784),
               tolerance = 1e-2)
})

# Points of draws of features of persistence .6, with the rank of each within its draw and dimension.
ideal_draws <- function(features, rate, most, learn, draws, dimensions = 1, extra = NULL) {
  birth <- if (features > 0) .05 + .3 * (seq_len(features) - .5) / features
  diagrams <- c(list(rbind(cbind(birth, birth + .6), extra)), rep(list(matrix(0, 0, 2)), dimensions - 1))
  points <- drawn_diagrams_of(diagrams, 1, rate, most, learn, draws)$points
  points$persistence <- points$death - points$birth
  points <- points[order(points$draw, points$dimension, -points$persistence), ]
  points$rank <- stats::ave(points$persistence, points$draw, points$dimension, FUN = seq_along)
  points
}

test_that("the sampler of the release makes spurious points as tall, and goes as far", {
  skip_if_instrumented()
  # seed fixed; of each comparison the false alarm is 1e-6 (five standard errors), plus .01 for squares that are cut
  set.seed(411)
  draws <- long_or(4000, 1000)
  for (learn in c(TRUE, FALSE)) for (features in long_or(c(0, 1, 4), c(0, 4))) for (dimensions in 1:2) {
    points <- ideal_draws(features, 400, 8, learn, draws, dimensions)
    setting <- noise(400, 8, learn, dimensions = dimensions)
    state <- features_in_first(setting, features)
    height <- spurious_height(setting, state, .8)
    spurious <- points[!(points$dimension == 0 & points$rank <= features), ]
    share <- length(unique(spurious$draw[spurious$persistence > height])) / draws
    expect_lt(abs(share - (1 - chance_of_height(setting, state)(height))), 5 * sqrt(.16 / draws) + .01)
  }
  for (learn in c(TRUE, FALSE)) for (features in 0:2) {
    birth <- .05 + .3 * (seq_len(features) - .5) / max(features, 1)
    true <- persistence_diagram(0, birth, birth + .6)
    drawn <- split_draws(ideal_draws(features, 400, 5, learn, draws), draws)
    distance <- vapply(drawn, function(P) {
      bottleneck_distance(persistence_diagram(0, as.double(P[, 1]), as.double(P[, 2])), true, dimension = 0)
    }, 0)
    radius <- noise_radius(noise(400, 5, learn), features, .8)
    share <- mean(distance <= radius + 1e-9)
    if (features > 0 || !learn) expect_lt(abs(share - .8), 5 * sqrt(.16 / draws) + .01) else expect_gt(share, .8)
  }
})

test_that("the chance of detection is that of the sampler, below, at and above what the radius allows", {
  # false alarm 1e-6 (five standard errors), plus .01 for squares that are cut
  set.seed(412)
  draws <- 4000
  for (learn in c(TRUE, FALSE)) for (features in 0:1) for (p in c(.03, .06, .1, .2)) for (height in c(0, .05)) {
    points <- ideal_draws(features, 150, 6, learn, draws, extra = cbind(.5 - p / 2, .5 + p / 2))
    near <- pmax(abs(points$birth - .5 + p / 2), abs(points$death - .5 - p / 2)) < p / 2 & points$persistence > height
    share <- length(unique(points$draw[near])) / draws
    expect_lt(abs(share - detection_chance(noise(150, 6, learn), features, p, height)), 5 * sqrt(.25 / draws) + .01)
  }
})

test_that("noise grows with features, dimensions and small points, falls with the rate, and scales with the range", {
  for (learn in c(TRUE, FALSE)) {
    height <- function(features, rate = 100, ...) spurious_height(noise(rate, 10, learn, ...), features, .95)
    radius <- function(features, rate = 100, ...) noise_radius(noise(rate, 10, learn, ...), features, .95)
    for (f in list(height, radius)) {
      by_features <- vapply(0:6, f, 0)
      expect_false(is.unsorted(by_features, strictly = TRUE))
      expect_gt(f(c(2, 0), dimensions = 2), f(2))
      expect_gt(f(c(2, 1), dimensions = 2), f(c(2, 0), dimensions = 2))
      expect_gte(f(2, least = .1), f(2, least = .05))
      expect_gt(f(2), f(2, rate = 150))
      expect_equal(f(2, rate = 100 / 7, bound = 7), 7 * f(2), tolerance = 1e-6)
    }
    expect_lte(radius(9, rate = 3), .5)
    expect_identical(height(10), 0)
    chance <- function(p, features = 0, rate = 100, bound = 1) {
      detection_chance(noise(rate, 10, learn, bound = bound), features, p, .05 * bound)
    }
    expect_false(is.unsorted(vapply(seq(.05, .9, by = .05), chance, 0)))
    expect_gt(chance(.15), chance(.15, 2))
    expect_equal(chance(.15 * 9, rate = 100 / 9, bound = 9), chance(.15), tolerance = 1e-6)
  }
})

test_that("allowing for small points raises every threshold, and by no more than twice their height", {
  for (rate in c(10, 30, 125, 500, 2000)) for (learn in c(TRUE, FALSE)) for (features in 0:9) {
    height <- function(least) spurious_height(noise(rate, 10, learn, least), features, .95)
    raise <- height(4 / rate) - height(0)
    expect_true(raise >= -1e-6 && raise <= 8 / rate)
  }
})

test_that("no rate and no number of labels is out of range", {
  for (rate in c(1e-300, 1e-3, 1, 1e6, 2^40)) for (learn in c(TRUE, FALSE)) for (most in c(0, 1, 20)) {
    group <- list(rate = rate, dimensions = 0:4)
    setting <- noise_setting(list(bound = 1, max_points = most, learn_points = learn), group)
    expect_true(setting$least >= 0 && setting$least <= 1)
    for (count in unique(c(0, most %/% 2, most))) {
      state <- rep(count, 5)
      expect_true(spurious_height(setting, state, .95) >= 0 && spurious_height(setting, state, .95) <= 1)
      expect_true(noise_radius(setting, state, .95) >= 0 && noise_radius(setting, state, .95) <= .5)
      expect_gt(detected_persistence(setting, state, .95, .1), 0)
    }
  }
})
