# The exact sampler against quadrature, against independent computations of
# its normalizing constants, and against long Markov chains. Seeds are fixed;
# the stated false-alarm rates are those of a fresh seed.

chi_square_p <- function(observed, probability) {
  expected <- sum(observed) * probability
  kept <- expected >= 5
  observed <- c(observed[kept], sum(observed[!kept]))
  expected <- c(expected[kept], sum(expected[!kept]))
  use <- expected > 0
  stats::pchisq(sum((observed[use] - expected[use])^2 / expected[use]), sum(use) - 1, lower.tail = FALSE)
}

test_that("one point has the density of the mechanism: quadrature", {
  # false alarm: 1e-5 for each diagram
  set.seed(101)
  cases <- list(
    list(D = reference_diagram, a = 3), list(D = reference_diagram, a = 20),
    list(D = cbind(1, 3.5), a = 2), list(D = matrix(0, 0, 2), a = 5), list(D = cbind(c(0, 0), c(4, 4)), a = 1)
  )
  for (case in cases) {
    mesh <- triangle_mesh(4, 400)
    density <- mesh$weight * exp(-case$a * distance_of_one(mesh$birth, mesh$death, case$D))
    cell <- function(birth, death) interaction(cut(birth, seq(0, 4, .5)), cut(death, seq(0, 4, .5)))
    probability <- tapply(density, cell(mesh$birth, mesh$death), sum, default = 0) / sum(density)
    drawn <- drawn_diagrams_of(list(case$D), 4, case$a, 1, draws = 4e4)$points
    observed <- table(cell(pmax(drawn$birth, 1e-9), drawn$death))
    expect_identical(nrow(drawn), 40000L)
    expect_true(all(drawn$birth >= 0 & drawn$birth <= drawn$death & drawn$death <= 4))
    expect_gt(chi_square_p(as.vector(observed), as.vector(probability)), 1e-5)
  }
})

test_that("two points: moments of the distance and of the persistence, by quadrature", {
  skip_unless_long()
  # false alarm: 6e-5 for each moment (four standard errors and the error of the mesh)
  set.seed(102)
  D <- cbind(c(.5, .6, 1), c(3, 2.8, 1.6))
  mesh <- triangle_mesh(4, 40)
  pair <- expand.grid(i = seq_len(nrow(mesh)), j = seq_len(nrow(mesh)))
  distance <- distance_of_two(mesh$birth[pair$i], mesh$death[pair$i], mesh$birth[pair$j], mesh$death[pair$j], D)
  longest <- pmax(mesh$death[pair$i] - mesh$birth[pair$i], mesh$death[pair$j] - mesh$birth[pair$j])
  for (a in c(2, 6)) {
    density <- mesh$weight[pair$i] * mesh$weight[pair$j] * exp(-a * distance)
    density <- density / sum(density)
    points <- split_draws(drawn_diagrams_of(list(D), 4, a, 2, draws = 2e4)$points, 2e4)
    flat <- t(vapply(points, function(P) c(P[1, ], P[2, ]), numeric(4)))
    drawn <- distance_of_two(flat[, 1], flat[, 2], flat[, 3], flat[, 4], D)
    # points come by decreasing persistence
    expect_true(all(flat[, 2] - flat[, 1] >= flat[, 4] - flat[, 3]))
    expect_lt(abs(mean(drawn) - sum(density * distance)), 4 * stats::sd(drawn) / sqrt(2e4) + .004)
    expect_lt(abs(mean(drawn^2) - sum(density * distance^2)), 4 * stats::sd(drawn^2) / sqrt(2e4) + .006)
    long <- flat[, 2] - flat[, 1]
    expect_lt(abs(mean(long) - sum(density * longest)), 4 * stats::sd(long) / sqrt(2e4) + .006)
  }
})

test_that("the learned number of points has the probabilities of its normalizing constants", {
  # log(Z_M / area^M), a = 3, L = 4: M = 0 exactly, M = 1 by quadrature, M = 2 and 3 by an independent sampler, +- .003
  set.seed(103)
  log_constant <- c(-3 * .85, -2.4542, -2.494, -2.625)
  probability <- 2^-(0:3) * exp(log_constant)
  drawn <- drawn_diagrams_of(list(reference_diagram), 4, 3, 3, learn = TRUE, draws = 1e5)$points
  observed <- tabulate(tabulate(drawn$draw, 1e5) + 1, 4)
  expect_lt(max(abs(observed / 1e5 - probability / sum(probability))), .006)
})

test_that("quantiles of the distance agree with the reference values", {
  skip_unless_long()
  # +- .003 in the reference; the order-statistic error at 8,000 draws is below .007 at five standard errors
  set.seed(104)
  distance <- function(most, a) {
    points <- split_draws(drawn_diagrams_of(list(reference_diagram), 4, a, most, draws = 8000)$points, 8000)
    drawn <- vapply(points, function(P) slow_bottleneck(P, reference_diagram), 0)
    stats::quantile(drawn, c(.05, .25, .5, .75, .95), names = FALSE)
  }
  expect_lt(max(abs(distance(3, 10) - c(.183, .303, .449, .550, .762))), .018)
  expect_lt(max(abs(distance(5, 25) - c(.150, .195, .248, .311, .423))), .010)
})

test_that("dimensions share one radius: the joint law of two distances, by quadrature", {
  set.seed(105)
  D <- list(cbind(.5, 3), cbind(c(1, 1.2), c(2, 3.4)))
  mesh <- triangle_mesh(4, 60)
  distance <- lapply(D, function(d) distance_of_one(mesh$birth, mesh$death, d))
  density <- outer(mesh$weight, mesh$weight) * exp(-4 * outer(distance[[1]], distance[[2]], pmax))
  density <- density / sum(density)
  drawn <- drawn_diagrams_of(D, 4, 4, 1, draws = 2e4)$points
  for (q in 1:2) {
    own <- drawn[drawn$dimension == q - 1, ]
    got <- distance_of_one(own$birth, own$death, D[[q]])
    wanted <- sum(if (q == 1) rowSums(density) * distance[[1]] else colSums(density) * distance[[2]])
    expect_lt(abs(mean(got) - wanted), 4 * stats::sd(got) / sqrt(2e4) + .003)
  }
})

test_that("the cover counts its ways: clusters, chains and learned sizes agree with a long chain", {
  skip_if_instrumented()
  # nearly coinciding significant points use shared blocks; the chain knows nothing of blocks
  set.seed(106)
  D <- cbind(c(1, 1.05, 1.1, 1.3, .2), c(2.5, 2.6, 2.45, 2.9, .6))
  for (a in c(6, 15)) {
    chain <- .Call(ffi_diagram_chain, list(D), 4, a, 5L, FALSE, 1e6, .3, kernel_options("R"))$distances[-(1:5000)]
    points <- split_draws(drawn_diagrams_of(list(D), 4, a, 5, draws = 4000)$points, 4000)
    exact <- vapply(points, slow_bottleneck, 0, D = D)
    levels <- c(.1, .25, .5, .75, .9)
    expect_lt(max(abs(stats::quantile(chain, levels) - stats::quantile(exact, levels))), .03)
  }
})

test_that("acceptance stays above 1/1000, whatever the diagram", {
  set.seed(107)
  near <- function(count, spread) cbind(1 + stats::runif(count, -spread, spread), 3 +
                                        stats::runif(count, -spread, spread))
  births <- stats::runif(4000, 0, 4)
  small <- cbind(births, pmin(births + stats::rexp(4000, 50), 4))
  pairs <- cbind(rep(.2 * 0:5, each = 2) + .5, rep(.05 * 0:5, each = 2) + 2.5) + stats::runif(24, -.001, .001)
  band <- cbind(seq(0, 3.5, length.out = 12), seq(.5, 4, length.out = 12))
  diagrams <- list(
    none = matrix(0, 0, 2), coinciding = cbind(rep(1, 12), rep(3, 12)), near = near(12, .001),
    with_small = rbind(near(12, .001), small), small = small, pairs = pairs, band = band, spread = near(12, .1),
    wide = near(12, .3), whole = cbind(rep(0, 14), rep(4, 14)), two = rbind(near(6, .01), near(6, .01) + .15)
  )
  for (name in names(diagrams)) {
    for (a in c(.1, 10, 100, 1e4)) {
      for (learn in c(TRUE, FALSE)) {
        expect_gt(drawn_diagrams_of(diagrams[name], 4, a, 12, learn, draws = 20)$acceptance, 1e-3)
      }
    }
  }
})

test_that("acceptance stays above 1/1000 where a square fills much of the triangle, in all dimensions at once", {
  # many labels beyond the forced points fall in their squares by chance, so each of many choices of labels proposes
  # them
  set.seed(109)
  corner <- function(count) cbind(seq(0, .01, length.out = count), 4)
  middle <- function(count) cbind(1 + seq(0, .01, length.out = count), 3)
  for (D in list(corner(4), corner(7), middle(5), rbind(corner(4), middle(4)))) {
    for (a in c(1, 3, 8, 20)) {
      for (learn in c(TRUE, FALSE)) {
        expect_gt(drawn_diagrams_of(list(D, D, D), 4, a, 20, learn, draws = 10)$acceptance, 1e-3)
      }
    }
  }
})

test_that("both covers of one number of points have the law of the mechanism", {
  skip_unless_long()
  # the number of points is learned, so its law holds the measures of both; simple Monte Carlo over the base measure
  # has the others. False alarm: 6e-5 for each comparison
  set.seed(110)
  D <- cbind(c(0, .1), c(1, .95))
  count <- sample(0:8, 1e4, replace = TRUE, prob = 2^-(0:8))
  anywhere <- lapply(count, function(m) {
    x <- matrix(stats::runif(2 * m), m, 2)
    cbind(pmin(x[, 1], x[, 2]), pmax(x[, 1], x[, 2]))
  })
  distance <- vapply(anywhere, slow_bottleneck, 0, D = D)
  for (a in c(2, 6)) {
    weight <- exp(-a * distance)
    weight <- weight / mean(weight)
    points <- split_draws(drawn_diagrams_of(list(D), 1, a, 8, learn = TRUE, draws = 4000)$points, 4000)
    statistics <- list(function(P) nrow(P), function(P) nrow(P) >= 5, function(P) slow_bottleneck(P, D))
    for (f in statistics) {
      drawn <- vapply(points, function(P) as.double(f(P)), 0)
      wanted <- vapply(anywhere, function(P) as.double(f(P)), 0)
      error <- sqrt(stats::var(drawn) / 4000 + stats::var(weight * (wanted - mean(drawn))) / 1e4)
      expect_lt(abs(mean(drawn) - mean(weight * wanted)), 4 * error)
    }
  }
})

test_that("extreme rates and sizes give releases, not crashes", {
  set.seed(108)
  for (a in c(1e-4, 1, 1e8, 1e14)) {
    drawn <- drawn_diagrams_of(list(reference_diagram, reference_diagram[1:2, ]), 4, a, 4, draws = 10)$points
    expect_identical(nrow(drawn), 80L)
    expect_true(all(drawn$birth >= 0 & drawn$death <= 4 & drawn$birth <= drawn$death))
  }
  # at a huge rate the release is the diagram, on the lattice
  exact <- drawn_diagrams_of(list(reference_diagram), 4, 1e14, 6, draws = 1)$points
  expect_lt(slow_bottleneck(as.matrix(exact[3:4]), reference_diagram), 4 * 2^-20)
  expect_identical(nrow(drawn_diagrams_of(list(reference_diagram), 4, 3, 0, draws = 10)$points), 0L)
  expect_identical(nrow(drawn_diagrams_of(list(reference_diagram * 1e-150), 4e-150, 3e150, 3, draws = 10)$points), 30L)
  expect_identical(nrow(drawn_diagrams_of(rep(list(reference_diagram), 5), 4, 3, 2, draws = 2)$points), 20L)
})

test_that("the order of a release is a function of its points", {
  # by decreasing persistence, of equal ones by birth: at a huge rate many are equal
  set.seed(111)
  drawn <- drawn_diagrams_of(list(matrix(0, 0, 2)), 4, 1e14, 4, draws = 200)$points
  persistence <- drawn$death - drawn$birth
  expect_true(any(duplicated(paste(drawn$draw, persistence))))
  expect_identical(order(drawn$draw, -persistence, drawn$birth), seq_len(nrow(drawn)))
})

test_that("the sampler refuses what it cannot do", {
  expect_error(drawn_diagrams_of(list(reference_diagram), 4, 3, 21), class = "dptda_error_argument")
  expect_error(drawn_diagrams_of(list(reference_diagram), 0, 3, 2), class = "dptda_error_argument")
  expect_error(drawn_diagrams_of(list(reference_diagram), 4, -1, 2), class = "dptda_error_argument")
  expect_error(drawn_diagrams_of(rep(list(reference_diagram), 6), 4, 3, 2), class = "dptda_error_argument")
})
