# Diagrams for people who have many rows: weighted rows against as many unit rows as they weigh, a search for the person
# who moves a value most, and what may not be seen. Seeds are fixed, and nothing here is left to chance.

bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

square <- function(...) domain_grid(domain_box(c(0, 0), c(1, 1)), ...)

# Rows of people, who have `many` rows each.
some_people <- function(many, d = 2) {
  who <- rep(seq_along(many), many)
  list(X = matrix(stats::runif(length(who) * d), ncol = d), who = who)
}

weighed <- function(lattice, X, who) {
  weigh_rows(domain_cloud(lattice$grid, table_rows(X, person = who), "x"), lattice$weight)
}

# The lattice of `people` each of whom weighs `weight` and not 1024.
lattice_with <- function(weight, people, grid, m0, r, clip) {
  lattice <- distance_lattice(unseen(people, person = "person"), grid, m0, r, clip)
  lattice$weight <- weight
  if (r < 3) {
    lattice[c("scale", "cap", "change")] <- domain_scale(grid, lattice$k * weight, clip, min(clip, domain_reach(grid)))
  }
  lattice
}

steps_of <- function(lattice, X, who, K) c(lattice_values(lattice$grid, weighed(lattice, X, who), lattice, K))

# By the definition, of rows each of which stands as often as it weighs.
slow_steps <- function(lattice, cloud, K) {
  place <- function(x) round(x * lattice$scale)
  P <- place(pmin(pmax(cloud$points, 0), 1))
  apply(place(as.matrix(lattice$grid)), 1, function(x) {
    t <- pmin(colSums((t(P) - x)^2), lattice$cap^2)
    terms <- sort(rep(if (lattice$r == 1) floor(sqrt(t)) else t, cloud$weights))[seq_len(lattice$k * lattice$weight)]
    if (lattice$r == 1) sum(terms) * K / (lattice$weight * lattice$change) else
      sqrt(sum(terms) / lattice$weight) * K / lattice$change
  })
}

test_that("weighted rows give what as many unit rows give", {
  set.seed(401)
  for (r in 1:2) for (clip in c(0.3, Inf)) {
    people <- some_people(c(1, 2, 15, 16, 17, 33, 400, 1))
    grid <- square(size = 4, pad = 0.5)
    lattice <- lattice_with(16, 8, grid, 0.3, r, clip)
    expect_identical(lattice$k * lattice$weight, 48)
    cloud <- weighed(lattice, people$X, people$who)
    expect_identical(sum(cloud$weights), 128)
    steps <- steps_of(lattice, people$X, people$who, 1000)
    exact <- slow_steps(lattice, cloud, 1000)
    expect_true(all(steps <= exact * (1 + 1e-12) & steps > exact - 1 - 1e-9))
    # the same by the kernel, of rows that are written down
    copies <- cloud$points[rep(seq_along(cloud$weights), cloud$weights), ]
    direct <- function(points, weights) {
      descend_values(points, weights, as.matrix(grid), 48, r, lattice$cap, lattice$scale, lattice$change, 1000, 16)
    }
    expect_identical(steps, c(direct(copies, NULL)))
    places <- landmark_values(cloud$points, cloud$weights, as.matrix(grid), 48, r, lattice$cap, lattice$scale,
                              lattice$change, 1000, 16)
    expect_identical(steps, c(places))
    # and by distances
    away <- as.matrix(stats::dist(rbind(as.matrix(grid), cloud$points)))[-(1:16), 1:16]
    table <- domain_landmarks(as.matrix(grid), function(x, y) sqrt(sum((x - y)^2)))
    own <- lattice_with(16, 8, table, 0.3, r, min(clip, 2))
    found <- c(steps_of(own, people$X, people$who, 1000))
    copied <- distance_steps(away[rep(seq_along(cloud$weights), cloud$weights), ], NULL, 48, r, own$cap, own$scale,
                             own$change, 1000, 16)
    expect_lte(max(abs(found - copied)), 1) # a distance beside a place of the lattice
  }
})

test_that("wide whole numbers are right where the sums are longest", {
  # one place: S = k A^r, and F = floor(S K / (W C)) or floor(sqrt(S / W) K / C), K as large as the values let it be
  for (W in c(1, 2, 8, 1024)) for (A in c(2^21, 2^21 - 3, 2^20 + 1)) {
    k <- 2^31 / if (A > 2^20 + 1) 1 else 2
    units <- k / W
    for (r in 1:2) {
      K <- floor(2^30 / units^(1 / r))
      if (K < 1) next
      value <- descend_values(matrix(A + 5), k, matrix(0), k, r, A, 1, A, K, W)
      wanted <- if (r == 1) units * K else floor(sqrt(units) * K)
      expect_identical(c(value), wanted)
    }
  }
})

test_that("no person moves a value by more than K steps, and some by as many", {
  set.seed(402)
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 2, pad = 0) # corners
  corners <- as.matrix(grid)
  counts <- c(1, 2, 3, 15, 17, 33, 40)
  for (r in c(1, 2, 3)) for (clip in c(0.4, 2)) {
    lattice <- lattice_with(16, 6, grid, 1 / 3, r, clip)
    K <- 1000
    worst <- 0
    draw_person <- function() {
      m <- sample(counts, 1)
      switch(sample(3, 1), corners[rep(sample(4, 1), m), , drop = FALSE], corners[sample(4, m, TRUE), , drop = FALSE],
             matrix(stats::runif(2 * m), ncol = 2))
    }
    steps <- function(people) {
      steps_of(lattice, do.call(rbind, people), rep(seq_along(people), vapply(people, nrow, 0L)), K)
    }
    for (time in 1:60) {
      people <- lapply(1:6, function(i) draw_person())
      before <- steps(people)
      for (again in 1:4) {
        changed <- people
        changed[[1]] <- draw_person()
        worst <- max(worst, abs(steps(changed) - before))
      }
    }
    # two people at one corner, four at another, and one of the two goes there, by W - 1, W + 1 and 2 W + 1 rows
    for (m in c(1, 15, 17, 33)) {
      at <- function(i) corners[rep(i, m), , drop = FALSE]
      before <- steps(c(rep(list(at(1)), 2), rep(list(at(4)), 4)))
      after <- steps(c(list(at(4), at(1)), rep(list(at(4)), 4)))
      worst <- max(worst, abs(after - before))
    }
    expect_lte(worst, K)
    if (r < 3) expect_gte(worst, K - 1) else expect_gte(worst, 0.99 * K)
  }
})

test_that("people must weigh the same: mass that is lost and stands at the clip breaks the bound by a factor of two", {
  # who has more than W rows would weigh nothing if weights were floors of W / m
  W <- 16
  grid <- domain_grid(domain_box(0, 1), size = 4, pad = 1)
  lattice <- lattice_with(W, 6, grid, 1 / 3, 1, Inf)
  value <- function(here, lost) {
    far <- 2 * lattice$cap / lattice$scale # beyond the clip
    c(descend_values(matrix(c(0, far)), W * c(here, lost), matrix(0), 2 * W, 1, lattice$cap, lattice$scale,
                     lattice$change, 1000, W))
  }
  expect_identical(value(1, 5) - value(2, 4), 2000)
  # as weights are, the same rows leave the value where it was
  rows <- function(many) matrix(double(sum(many)))
  steps <- function(many) steps_of(lattice, rows(many), rep(1:6, many), 1000)
  expect_identical(steps(c(33, 1, 40, 40, 40, 40)), steps(c(1, 1, 40, 40, 40, 40)))
})

test_that("one row of each person gives what plain rows give, number by number", {
  set.seed(403)
  X <- matrix(stats::runif(120), ncol = 2)
  for (domain in list(square(size = 6), domain_landmarks(matrix(stats::runif(16), ncol = 2)))) {
    for (r in c(1, 2, 3)) for (take in c("all", "one")) {
      people <- table_rows(X, person = seq_len(60), rows_of_person = take)
      drawn <- function(x) {
        set.seed(5)
        as.data.frame(private_diagram(x, domain, epsilon = 9, m0 = 0.2, r = r, clip = 0.5, dimensions = 0, rng = "R"))
      }
      of_people <- drawn(people)
      # numbers that chose a row were drawn before the noise
      if (take == "all") expect_identical(of_people, drawn(X)) else expect_s3_class(of_people, "data.frame")
    }
  }
})

test_that("bins of people are their rows, moved to the bins", {
  set.seed(404)
  people <- some_people(sample(c(1, 3, 50), 30, TRUE))
  fine <- square(size = 9)
  rows <- table_rows(people$X, person = people["who"])
  bins <- bin_points(rows, fine)
  expect_identical(sum(bins$weights), 30 * 1024)
  expect_output(print(bins), "30 people (`who`) at", fixed = TRUE)
  drawn <- function(x) {
    set.seed(6)
    private_diagram(x, square(size = 5), epsilon = 20, m0 = 0.1, clip = 0.5, rng = "R")
  }
  # the order in which a person's rows are weighed is that of what is looked at
  nearest <- function(x) round(x * 8) / 8
  moved <- table_rows(nearest(people$X), person = people$who)
  expect_identical(as.data.frame(drawn(bin_points(moved, fine))), as.data.frame(drawn(moved)))
  expect_identical(privacy(drawn(bins))$person, "who")
  one <- bin_points(table_rows(people$X, person = people$who, rows_of_person = "one"), fine)
  expect_identical(sum(one$weights), 30)
  expect_identical(privacy(drawn(one))$public$weight, 1)
  broken <- bins
  broken$weights[1] <- broken$weights[1] + 1
  bad(drawn(broken))
})

test_that("nothing that is seen depends on how many rows there are, on their order or on ids", {
  set.seed(405)
  people <- some_people(sample(1:9, 20, TRUE))
  shown <- function(X, who, ...) {
    set.seed(7)
    release <- private_diagram(table_rows(X, person = list(who = who)), square(size = 5), epsilon = 20, m0 = 0.1,
                               clip = 0.5, ...,
                               rng = "R")
    list(as.data.frame(release), privacy(release), format(privacy(release)))
  }
  for (r in 1:3) {
    first <- shown(people$X, people$who, r = r)
    turned <- sample(length(people$who))
    expect_equal(shown(people$X[turned, ], people$who[turned], r = r)[[1]], first[[1]], tolerance = 0)
    ids <- sample(1e6L, 20)[people$who]
    expect_identical(shown(people$X, ids, r = r)[[1]], first[[1]])
    # twice the rows
    expect_identical(shown(people$X[rep(seq_along(people$who), 2), ], rep(people$who, 2), r = r)[2:3], first[2:3])
  }
  expect_match(first[[3]][1], "for one person (all rows with the same `who`; replace one person", fixed = TRUE)
})

test_that("what is planned for people is planned for as many rows", {
  of <- unseen(2000, person = "patient")
  grid <- square(size = 8)
  plan <- function(n) power_diagram(n, grid, epsilon = 1, power = 0.9, m0 = 0.1, clip = 0.5)
  expect_identical(plan(of), plan(2000))
  expect_identical(diagram_sensitivity(of, grid, m0 = 0.1), diagram_sensitivity(2000, grid, m0 = 0.1))
  cloud <- function(n) {
    set.seed(1)
    matrix(stats::runif(2 * n), n)
  }
  tried <- function(n) plan_private_diagram(cloud, n, grid, epsilon = 1, m0 = 0.1, clip = 0.5, repeats = 1, draws = 5)
  expect_identical(tried(of)$settings, tried(2000)$settings)
  expect_output(print(tried(of)), "2,000 people (`patient`)", fixed = TRUE)
  mechanism <- private_diagram(as_unseen(of), grid, epsilon = 1, m0 = 0.1, clip = 0.5)
  expect_identical(mechanism$guarantee$person, "patient")
  expect_identical(mechanism$guarantee$public$weight, 1024)
  # so many that k W stays below 2^31
  large <- private_diagram(unseen(1e9, person = "person"), grid, epsilon = 1, m0 = 0.1, clip = 0.5)
  expect_identical(large$guarantee$public$weight, 16)
  bad(private_diagram(unseen(10, person = "person", complete = FALSE), grid, epsilon = 1, m0 = 0.1), regexp = "people")
  release <- private_diagram(table_rows(cloud(40), person = rep(1:20, 2)), grid, epsilon = 20, m0 = 0.1, clip = 0.5)
  expect_s3_class(feature_evidence(release), "dptda_evidence")
})

test_that("people that were not weighed, or have weights, are refused", {
  X <- matrix(0.5, 6, 2)
  rows <- table_rows(X, person = rep(1:3, 2))
  lattice <- distance_lattice(unseen(3, person = "person"), square(size = 3), 0.5, 1, 1)
  bad(lattice_values(lattice$grid, domain_cloud(lattice$grid, rows, "x"), lattice, 10), regexp = "without weights")
  bad(distance_to_measure(rows, square(size = 3), m0 = 0.5, weights = rep(1, 6)), regexp = "^`weights`")
  bad(private_diagram(table_rows(X, person = rep(1:3, 2), people = 5), square(size = 3), epsilon = 1, m0 = 0.5))
  bad(table_rows(scale(matrix(stats::runif(12), 6)), person = rep(1:3, 2)), regexp = "scale")
  distances <- function(x) distance_to_measure(x, square(size = 3), m0 = 0.5)
  expect_equal(distances(rows), distances(X))
})
