# The sampler in whole numbers against the enumeration of all diagrams of small
# lattices. Seeds are fixed; the stated false-alarm rates are those of a fresh seed.

random_lattice_diagram <- function(n, bound) {
  birth <- sample(0:bound, n, replace = TRUE)
  death <- sample(0:bound, n, replace = TRUE)
  cbind(pmin(birth, death), pmax(birth, death))
}

# Weights that halve in three steps, in seven of two, in one, and in far more than there are.
short_table <- weight_table(round(2^30 * c(1, .8, .6, .5)))
bent_table <- weight_table(2^29 - c(0, 12, 20, 24, 28, 30, 31, 32) * 2^23, 2)
steep_table <- weight_table(2^30 * c(1, .5))
long_table <- weight_table(round(2^30 * 2^-((0:64) / 64)))

lattice_cases <- list(
  one = list(D = cbind(2, 9), bound = 11), none = list(D = matrix(0, 0, 2), bound = 8),
  three = list(D = cbind(c(1, 2, 7), c(9, 8, 8)), bound = 12),
  corner = list(D = cbind(c(0, 0, 0), c(12, 12, 12)), bound = 12), # squares that fill the triangle
  coinciding = list(D = cbind(c(3, 3, 5, 5), c(9, 9, 6, 5)), bound = 11),
  near = list(D = cbind(c(1, 1, 2, 2), c(10, 11, 10, 11)), bound = 12),
  diagonal = list(D = cbind(c(0, 4, 4, 8), c(0, 4, 7, 8)), bound = 8),
  tiny = list(D = cbind(c(0, 1), c(2, 2)), bound = 2),
  small = list(D = cbind(c(0:8, 2), c(1:9, 9)), bound = 9), everything = list(D = cbind(rep(0, 3), 5), bound = 5)
)

test_that("one dimension has the enumerated law", {
  skip_if_instrumented()
  # false alarm: 2e-5 a law
  set.seed(201)
  for (name in names(lattice_cases)) {
    case <- lattice_cases[[name]]
    for (learn in c(TRUE, FALSE)) for (table in list(short_table, bent_table, steep_table, long_table)) {
      expect_gt(law_p_of(case$D, case$bound, table, 2, learn, 4e4), 2e-5, label = name)
    }
  }
  # three labels: blocks of three, labels beyond the forced in their squares
  for (D in list(cbind(c(0, 1, 0), c(6, 6, 5)), cbind(c(0, 1, 2, 2), c(7, 6, 6, 3)))) {
    for (learn in c(TRUE, FALSE)) expect_gt(law_p_of(D, 7, short_table, 3, learn, 1e5), 2e-5)
  }
})

test_that("the coins repay products of four binary digits, and only they do", {
  # false alarm: 2e-5 a law
  set.seed(202)
  for (name in c("one", "three", "coinciding", "near", "corner")) {
    case <- lattice_cases[[name]]
    for (learn in c(TRUE, FALSE)) {
      expect_gt(law_p_of(case$D, case$bound, short_table, 2, learn, 5e4, digits = 4L), 2e-5, label = name)
    }
    expect_lt(law_p_of(case$D, case$bound, short_table, 2, TRUE, 5e4, digits = 4L, careless = TRUE), 1e-10,
              label = name)
  }
})

test_that("two dimensions share a radius: the joint law is the enumerated one", {
  skip_if_instrumented()
  skip_unless_long()
  # false alarm: 2e-5 a law
  set.seed(203)
  pairs <- list(list(cbind(0, 3), cbind(c(1, 2), c(4, 4))), list(matrix(0, 0, 2), cbind(c(0, 0), c(4, 4))),
                list(cbind(c(0, 0, 1), c(4, 3, 4)), cbind(c(0, 1), c(0, 3))))
  for (D in pairs) for (table in list(short_table, bent_table)) for (learn in c(TRUE,
    FALSE)) for (digits in c(62L, 4L)) {
    diagrams <- lapply(D, lattice_diagrams, 4, 2, learn)
    weight <- weights_at(table, outer(diagrams[[1]]$twice, diagrams[[2]]$twice, pmax))
    weight <- weight * outer(diagrams[[1]]$base, diagrams[[2]]$base)
    drawn <- trial_of(D, 4, table, 2, learn, 1e5, digits)$points
    cell <- function(q) match(names_of_draws(drawn, 4, 1e5, q - 1), diagrams[[q]]$name)
    observed <- tabulate(cell(1) + nrow(weight) * (cell(2) - 1), length(weight))
    expect_gt(law_p(observed, as.vector(weight / sum(weight))), 2e-5)
    careless <- trial_of(D, 4, table, 2, learn, 1e3, 4L, TRUE)$points
    expect_true(all(careless[, 3] >= 0 & careless[, 3] <= careless[, 4] & careless[, 4] <= 4))
  }
})

test_that("covers are counted as enumeration counts them", {
  set.seed(204)
  for (time in seq_len(long_or(60, 25))) {
    bound <- sample(2:14, 1)
    D <- random_lattice_diagram(sample(0:6, 1), bound)
    triangle <- lattice_triangle(bound)
    long <- D[, 2] - D[, 1]
    for (tau in seq(0, bound)) {
      h <- tau %/% 2
      above <- triangle[, 2] - triangle[, 1] > tau
      held <- function(rows, square) {
        found <- rep(FALSE, nrow(triangle))
        for (i in rows) found <- found | square(D[i, 1], D[i, 2])
        found
      }
      square <- function(b, d) abs(triangle[, 1] - b) <= h & abs(triangle[, 2] - d) <= h
      outline <- function(b, d) triangle[, 1] >= b - h & triangle[, 2] <= d + h
      wanted <- c(sum(!above), sum(above & held(which(long <= tau), square)),
                  sum(above & held(seq_along(long), outline)),
                  sum(held(which(long > tau), square)))
      found <- .Call(ffi_test_lattice_counts, as_doubles(list(D))[[1]], bound, tau, sum(long > tau), kernel_options())
      expect_identical(found, as.double(wanted))
    }
  }
})

test_that("the test of the ball agrees with the definition on whole numbers", {
  skip_if_instrumented()
  set.seed(205)
  for (time in seq_len(long_or(150, 50))) {
    bound <- sample(c(2, 5, 9, 1e9), 1)
    D <- random_lattice_diagram(sample(0:4, 1), bound)
    P <- random_lattice_diagram(sample(0:3, 1), bound)
    if (stats::runif(1) < .5 && nrow(P) && nrow(D)) P[1, ] <- D[1, ]
    twice <- twice_distance(t(P[, 1]), t(P[, 2]), D)
    sorted <- function(X) as_doubles(list(X[order(X[, 1]), , drop = FALSE]))[[1]]
    P <- sorted(P)
    D <- sorted(D)
    for (tau in unique(c(0, twice + (-2):2))) {
      if (tau < 0) next
      covers <- function(x, y) .Call(ffi_test_bottleneck_covers, x[, 1], x[, 2], y[, 1], y[, 2], tau / 2,
                                     kernel_options())
      expect_identical(covers(P, D) && covers(D, P), tau >= twice)
    }
  }
})

test_that("the exact privacy loss of neighbors, by enumeration, is at most epsilon", {
  skip_if_instrumented()
  # a search for the worst pair on lattices of a few steps; no estimate is involved
  set.seed(206)
  near <- function(D, bound, steps) {
    moved <- D + sample(-steps:steps, length(D), replace = TRUE)
    moved <- cbind(pmax(moved[, 1], 0), pmin(moved[, 2], bound))
    moved[moved[, 1] > moved[, 2], ] <- 0 # gone to the diagonal, if it was near: checked below
    if (stats::runif(1) < .3) {
      birth <- sample(0:bound, 1)
      moved <- rbind(moved, c(birth, min(birth + sample(0:(2 * steps), 1), bound)))
    }
    moved
  }
  for (case in list(list(bound = 8, steps = 1, epsilon = 1), list(bound = 8, steps = 2, epsilon = 3),
                    list(bound = 6, steps = 1, epsilon = .01), list(bound = 7, steps = 2, epsilon = 9))) {
    table <- kernel_table(case$steps, case$epsilon)
    largest <- 0
    for (learn in c(TRUE, FALSE)) {
      space <- lattice_space(case$bound, 2, learn)
      law <- function(D) lattice_law(lattice_diagrams(D, space = space), table)
      worst <- 0
      D <- random_lattice_diagram(2, case$bound)
      for (time in 1:60) {
        here <- if (time %% 10 == 0 || nrow(D) > 3) random_lattice_diagram(sample(0:3, 1), case$bound) else
          near(D, case$bound, 1)
        there <- near(here, case$bound, case$steps)
        if (twice_distance(t(here[, 1]), t(here[, 2]), there) > 2 * case$steps) next
        loss <- max(abs(log(law(here)) - log(law(there))))
        expect_lte(loss, case$epsilon * (1 + 1e-12))
        if (loss > worst) {
          worst <- loss
          D <- here
        }
      }
      largest <- max(largest, worst)
    }
    expect_gt(largest, .6 * table$used * case$epsilon) # the search found something to attack
  }
})

test_that("joint dimensions lose no more than epsilon either", {
  set.seed(207)
  table <- kernel_table(1, 1)
  law <- function(D) {
    diagrams <- lapply(D, lattice_diagrams, 4, 1, TRUE)
    weight <- weights_at(table, outer(diagrams[[1]]$twice, diagrams[[2]]$twice, pmax)) *
      outer(diagrams[[1]]$base, diagrams[[2]]$base)
    weight / sum(weight)
  }
  clamp <- function(D) cbind(pmax(D[, 1], 0), pmin(D[, 2], 4))
  for (time in 1:60) {
    D <- lapply(1:2, function(q) random_lattice_diagram(2, 4))
    moved <- lapply(D, function(d) clamp(d + sample(-1:1, 4, replace = TRUE)))
    close <- vapply(1:2, function(q) {
      all(moved[[q]][, 1] <= moved[[q]][, 2]) && twice_distance(t(D[[q]][, 1]), t(D[[q]][, 2]), moved[[q]]) <= 2
    }, NA)
    if (all(close)) expect_lte(max(abs(log(law(D)) - log(law(moved)))), 1 + 1e-12)
  }
})

test_that("acceptance stays above 1/1000 and set-up ends, whatever the diagram", {
  set.seed(208)
  near <- function(n, sd) cbind(pmax(1e5 + round(stats::rnorm(n, sd = sd)), 0), 3e5 + round(stats::rnorm(n, sd = sd)))
  birth <- round(stats::runif(2000, 0, 3.8e5))
  small <- cbind(birth, birth + round(stats::runif(2000, 0, 2e4)))
  corner <- cbind(1:7, 4e5)
  diagrams <- list(none = matrix(0, 0, 2), coinciding = cbind(rep(1e5, 12), 3e5), near = near(12, 100),
                   with_small = rbind(near(12, 100), small), small = small, spread = near(12, 1e4),
                   wide = near(12, 3e4),
                   whole = cbind(rep(0, 14), 4e5), corner = corner, two = rbind(near(6, 1e3), near(6, 1e3) + 15e3),
                   ties = cbind(rep(1:40, 50) * 1000, rep(1:40, 50) * 1000 + 500))
  for (D in diagrams) for (epsilon in c(.01, 1, 30, 700)) for (learn in c(TRUE, FALSE)) {
    drawn <- lattice_draws_of(list(D), 4e5, 1000, epsilon, 12, learn, 20)
    expect_lt(drawn$proposals, 20 * 1000)
    expect_true(all(drawn$points[, 3] >= 0 & drawn$points[, 3] <= drawn$points[, 4] & drawn$points[, 4] <= 4e5))
  }
  for (epsilon in c(1, 10)) {
    drawn <- lattice_draws_of(list(corner, corner, near(5, 100), small, diagrams$none), 4e5, 1000, epsilon, 20, TRUE, 5)
    expect_lt(drawn$proposals, 5 * 1000)
  }
})

test_that("the law does not depend on the lattice, but for its step", {
  skip_if_instrumented()
  skip_unless_long()
  # false alarm: 1e-5 for each comparison; the lattice step is 1/20000 of the range
  set.seed(209)
  distance <- function(points, D, draws, dimension) {
    vapply(split_draws(as.data.frame(points), draws, dimension), function(P) slow_bottleneck(P, D), 0)
  }
  bound <- 20000
  D <- list(round(reference_diagram / 4 * bound), round(cbind(c(1, 1.05, 1.1, 1.3), c(2.5, 2.6, 2.45, 2.9)) /
                                                        4 * bound))
  for (epsilon in c(1, 8)) {
    table <- kernel_table(500, epsilon)
    rate <- 2 * log(2) / ((nrow(table$knots) - 1) * table$stride)
    new <- lattice_draws_of(D, bound, 500, epsilon, 4, TRUE, 2000)$points
    colnames(new) <- c("draw", "dimension", "birth", "death")
    old <- drawn_diagrams_of(D, bound, rate, 4, TRUE, 2000)$points
    for (q in 1:2) {
      p <- suppressWarnings(stats::ks.test(distance(new, D[[q]], 2000, q - 1),
                                           distance(old, D[[q]], 2000, q - 1))$p.value)
      expect_gt(p, 1e-5)
      sizes <- rbind(tabulate(tabulate(new[new[, 2] == q - 1, 1], 2000) + 1, 5),
                     tabulate(tabulate(old$draw[old$dimension == q - 1], 2000) + 1, 5))
      sizes <- sizes[, colSums(sizes) > 20, drop = FALSE]
      if (ncol(sizes) > 1) expect_gt(stats::chisq.test(sizes)$p.value, 1e-5)
    }
  }
})

test_that("the ends of the range give releases", {
  set.seed(210)
  D <- cbind(c(0, 1, 1), c(2, 2, 1))
  for (epsilon in c(1e-9, 1, 700, 1024)) for (steps in c(1, 300)) {
    drawn <- lattice_draws_of(list(D, D[0, ]), 2, steps, epsilon, 3, FALSE, 200)$points
    expect_identical(nrow(drawn), 1200L)
    expect_true(all(drawn[, 3:4] %in% 0:2 & drawn[, 3] <= drawn[, 4]))
  }
  most <- 2^31 - 1
  far <- cbind(c(0, 0, 5, most), c(most, 2^30, 1e9, most))
  for (epsilon in c(1e-9, 1, 700)) for (count in c(0, 1, 20)) {
    drawn <- lattice_draws_of(list(far, far, far[0, ], far[1, , drop = FALSE], far), most, 300, epsilon, count, FALSE,
                              3)$points
    expect_identical(nrow(drawn), as.integer(15 * count))
    expect_true(all(drawn[, 3] >= 0 & drawn[, 3] <= drawn[, 4] & drawn[, 4] <= most))
  }
  # at a huge epsilon the release is the diagram, but for a few steps of a fine lattice
  D2 <- cbind(c(0, 5e5), c(9e5, 7e5))
  exact <- lattice_draws_of(list(D2), 1e6, 1000, 1024, 2, FALSE, 1)$points
  expect_lt(max(abs(exact[, 3:4] - D2)), 100)
  expect_identical(nrow(lattice_draws_of(list(D), 2, 1, 1, 0, TRUE, 5)$points), 0L)
  # more points of full persistence than labels
  expect_identical(nrow(lattice_draws_of(list(cbind(rep(0, 30), 9)), 9, 1, 1, 20, FALSE, 2)$points), 40L)
})

test_that("the order of a release is a function of its points", {
  drawn <- lattice_draws_of(list(cbind(c(0, 3, 1), c(9, 9, 5))), 12, 2, 1, 5, FALSE, 200)$points
  long <- drawn[, 4] - drawn[, 3]
  sorted <- tapply(seq_along(long), drawn[, 1], function(rows) !is.unsorted(-long[rows] + drawn[rows, 3] / 100))
  expect_true(all(sorted))
  # and the order of the diagram is not seen at all
  turned <- function(D) {
    set.seed(211)
    lattice_draws_of(list(D), 40, 2, 1, 5, TRUE, 50)$points
  }
  D <- cbind(c(0, 3, 1, 20, 7), c(30, 29, 5, 22, 19))
  expect_identical(turned(D), turned(D[c(4, 2, 5, 1, 3), ]))
})

test_that("what is out of range is refused by public numbers", {
  D <- cbind(0, 2)
  refused <- function(...) expect_error(lattice_draws_of(...), class = "dptda_error_argument")
  for (epsilon in list(0, -1, NaN, 1025, 1e-300)) refused(list(D), 4, 1, epsilon, 2)
  refused(list(D), 4, 1e6, 1e-9, 2) # a table of weights with a period beyond 2^42
  refused(list(D), 4, 0, 1, 2)
  refused(list(D), 2^31, 1, 1, 2)
  refused(list(D), 0, 1, 1, 2)
  refused(list(D), 1, 1, 1, 2)
  refused(list(D + .5), 4, 1, 1, 2)
  refused(list(D[, 2:1, drop = FALSE]), 4, 1, 1, 2)
  refused(list(D), 4, 1, 1, 21)
  refused(rep(list(D), 6), 4, 1, 1, 2)
  refused(list(), 4, 1, 1, 2)
  flat <- weight_table(2^30 * c(1, 1, .5))
  expect_error(trial_of(list(D), 4, flat, 1, TRUE, 1), class = "dptda_error_argument")
  expect_error(.Call(ffi_test_lattice_counts, D, 4, 2, 1L, kernel_options()), class = "dptda_error_argument")
  expect_error(.Call(ffi_test_lattice_counts, D, 4, 5, 0L, kernel_options()), class = "dptda_error_argument")
})
