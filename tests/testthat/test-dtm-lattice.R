bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

test_that("the whole numbers of the oracle are right", {
  x <- whole(2^53 - 1)
  expect_equal(sum(times(x, x) * 65536^(seq_along(times(x, x)) - 1)), (2^53 - 1)^2)
  expect_identical(padded(times(whole(65535), whole(65537)), 4), c(65535, 65535, 0, 0))
  expect_identical(plus(whole(65535), whole(1)), c(0, 1))
  expect_true(at_most(whole(65536), plus(whole(65536), whole(0))))
  expect_false(at_most(whole(65537), whole(65536)))
})

# --- the definition, slowly ---------------------------------------------------------------------------------------

slow_lattice <- function(X, lattice, K) {
  weights <- if (inherits(X, "dptda_bins")) X$weights else rep(1, nrow(X))
  if (inherits(X, "dptda_bins")) X <- X$points
  rows <- round(clamp_to_box(X, lattice$grid$box) * lattice$scale)
  slow_values(rows, round(as.matrix(lattice$grid) * lattice$scale), lattice$k, lattice$r, lattice$cap, lattice$change,
              K, weights)
}

# How far a value, times the step, may be from the distance to a measure, in steps: (8) of
# inst/proofs/dtm-sensitivity.md.
lattice_error <- function(lattice, K) {
  if (!lattice$r %in% c(1, 2)) return(1)
  units <- sqrt(length(lattice$grid$axes)) + (lattice$r == 1)
  1 + units * lattice$k^(1 / lattice$r) * K / lattice$change
}

expect_lattice <- function(X, grid, m0, r, clip, K, n = nrow(X)) {
  lattice <- distance_lattice(n, grid, m0, r, clip)
  values <- lattice_distances(X, lattice, K)
  expect_identical(dim(values), as.integer(dim(grid)))
  expect_true(all(values == floor(values) & values >= 0 & values <= lattice_largest(lattice, K)))
  if (r %in% 1:2) expect_identical(c(values), slow_lattice(X, lattice, K))
  f <- distance_to_measure(X, grid, m0, r = r, clip = clip)
  off <- values - f / lattice_step(lattice, K)
  # the double is off too, by 2^-44 of it
  expect_lte(max(abs(off) - lattice_error(lattice, K) - 2^-44 * values), 0)
  invisible(values)
}

cloud_of <- function(n, d) {
  X <- matrix(rnorm(n * d), n)
  X[1, 1] <- Inf
  X[n, d] <- -Inf
  X
}

test_that("random clouds in 1 to 4 dimensions are the definition in whole numbers", {
  set.seed(1)
  for (d in 1:4) for (n in c(1, 13, 200)) for (r in c(1, 2, 3, 1.5)) for (clip in c(0.01, 0.5, Inf)) {
    grid <- domain_grid(domain_box(-runif(d), runif(d, 0.1, 2)), size = c(30, 5, 3, 2)[d], pad = sample(c(0, 0.3), 1))
    expect_lattice(cloud_of(n, d), grid, runif(1), r, clip, sample(c(1, 2, 370, 12345), 1))
  }
})

test_that("clouds that crowd at one distance are the definition in whole numbers", {
  set.seed(2)
  grid <- domain_grid(domain_box(c(-1, -1), c(1, 1)), size = 5)
  angle <- 2 * pi * runif(300)
  circle <- cbind(cos(angle), sin(angle)) * (1 - sample(0:3, 300, TRUE) * 2^-24)
  coarse <- as.matrix(expand.grid(-4:4, -4:4)) / 4
  for (X in list(circle, circle / 3, coarse, coarse[sample(81, 700, TRUE), ], matrix(0.3, 50, 2), matrix(1, 50, 2),
                 rbind(circle, matrix(0, 40, 2)), cbind(2^-(0:99), 0))) {
    for (r in 1:2) for (m0 in c(1e-9, 0.1, 0.5, 1)) expect_lattice(X, grid, m0, r, sample(c(0.5, 1, Inf), 1), 370)
  }
})

test_that("bins count with their numbers, up to the limits of whole numbers", {
  set.seed(3)
  grid <- domain_grid(domain_box(c(0, 0), c(1, 2)), size = c(6, 8), pad = 0.2)
  X <- cbind(rnorm(900, 0.5), rnorm(900, 1))
  bins <- bin_points(X, domain_grid(grid$box, size = 16))
  lattice <- distance_lattice(900, grid, 0.2, 1, 0.7)
  moved <- bins$points[rep(seq_along(bins$weights), bins$weights), ]
  expect_identical(lattice_distances(bins, lattice, 99), lattice_distances(moved, lattice, 99))
  for (r in 1:2) for (copies in c(1, 2^20, 2^31 / 900)) for (clip in c(0.3, Inf)) {
    many <- new_bins(bins$points, floor(bins$weights * copies))
    n <- sum(many$weights)
    for (m0 in c(0.2, 1)) {
      most <- lattice_most_steps(distance_lattice(n, grid, m0, r, clip))
      expect_true(most > 0 || r == 1 && m0 == 1 && copies > 2^20)
      for (K in if (most > 0) unique(c(min(most, 370), most))) expect_lattice(many, grid, m0, r, clip, K, n)
    }
  }
  bad(distance_lattice(2^32, grid, 0.6, 1, Inf), regexp = "^`m0` must give at most 2\\^31")
  expect_identical(distance_lattice(2^32, grid, 0.6, 3, Inf)$k, neighbor_count(2^32, 0.6))
})

test_that("any scale of the box, and a clip far below or above it, are the definition in whole numbers", {
  set.seed(4)
  X <- matrix(runif(80, -0.2, 1.2), 40)
  for (size in c(1e-150, 1e-9, 1, 1e150)) for (clip in c(2^-399, 1e-9, 0.2, 5, Inf)) {
    grid <- domain_grid(domain_box(c(0, 0), c(1, 0.5) * size), size = 5, pad = 0.1 * size)
    for (r in c(1, 2, 3)) expect_lattice(X * size, grid, 0.3, r, clip * size, 370)
    # what is far from zero keeps its place
    far <- domain_grid(domain_box(c(1e6, -1e6) * size, c(1e6 + 1, 1 - 1e6) * size), size = 4)
    if (clip > 1e-9) for (r in 1:2) expect_lattice(sweep(X, 2, c(1e6, -1e6), `+`) * size, far, 0.3, r, clip * size, 370)
  }
  values <- lapply(c(-300, 0, 300), function(power) {
    grid <- domain_grid(domain_box(c(0, 0), c(1, 0.5) * 2^power), size = 5)
    lattice_distances(X * 2^power, distance_lattice(40, grid, 0.3, 1, 2^power), 370)
  })
  expect_identical(values[[1]], values[[2]])
  expect_identical(values[[3]], values[[2]])
})

test_that("rows halfway between two places of the lattice, at the ends of the box too, have one place", {
  # one place a unit: the ends are halves
  grid <- domain_grid(domain_box(0.5, 2^25 + 1.5), size = 3)
  lattice <- distance_lattice(9, grid, 0.3, 1, Inf)
  expect_identical(lattice$scale, 1)
  X <- cbind(c(0.5, 1.5, 2.5, 3.5, 2^25 + c(1.5, 0.5, -0.5), -Inf, Inf))
  expect_identical(c(lattice_distances(X, lattice, 1000)), slow_lattice(X, lattice, 1000))
  expect_identical(lattice$change, 2^25 + 2)
})

test_that("the numbers of a lattice are whole, and large enough for what they bound", {
  set.seed(5)
  for (try in 1:80) {
    d <- sample(4, 1)
    grid <- domain_grid(domain_box(-10^runif(d, -6, 3), 10^runif(d, -6, 3)), size = 3,
                        pad = sample(c(0, 10^runif(1, -3, 2)), 1))
    n <- sample(c(1, 10, 1e4, 2^31), 1)
    r <- sample(c(1, 2), 1)
    clip <- sample(c(Inf, 10^runif(1, -5, 3)), 1)
    lattice <- distance_lattice(n, grid, runif(1), r, clip)
    with(lattice, {
      expect_true(scale == 2^round(log2(scale)) && cap == floor(cap) && change == floor(change) && change >= 1)
      expect_true(change <= cap && cap <= 2^26 && cap * k <= 2^52)
      # as fine as it can be
      expect_gte(cap * k, min(2^25, 2^50 / k) * k * 0.99)
      # the diagonal, or the clip, of which no more than roundings are lost
      expect_gte(sensitivity, diagram_sensitivity(n, grid, m0, r = r, clip = clip) - (sqrt(d) + 1) / scale / k^(1 / r))
      expect_lte(sensitivity, diagram_sensitivity(n, grid, m0, r = r, clip = clip) + (sqrt(d) + 1) / scale / k^(1 / r))
    })
    most <- lattice_most_steps(lattice)
    if (most > 0) expect_lte(lattice_largest(lattice, most), most_values)
    expect_gt(lattice_largest(lattice, most + 1), most_values)
    expect_equal(lattice_step(lattice, 7) * 7, lattice$sensitivity)
  }
  # a grid so far beyond its box that one row moves nothing by a place of the lattice
  wide <- domain_grid(domain_box(0, 1e-12), size = 3, pad = 1)
  lattice <- distance_lattice(1000, wide, 0.1, 1, Inf)
  expect_identical(lattice$change, 1)
  expect_identical(lattice_most_steps(lattice), 0)
  expect_identical(lattice_most_steps(lattice, 2^40), floor(2^40 / lattice$ratio))
})

# --- neighbors ----------------------------------------------------------------------------------------------------

# All data sets of `n` rows out of a few places: exhaustive neighbors.
every_change <- function(places, queries, n, k, r, cap, change, K) {
  storage.mode(places) <- storage.mode(queries) <- "double"
  choices <- as.matrix(expand.grid(rep(list(seq_len(nrow(places))), n)))
  values <- apply(choices, 1, function(rows) {
    .Call(ffi_dtm_lattice_distance, places[rows, , drop = FALSE], NULL, queries, k, r, cap, 1, change, K, 1,
          kernel_options())
  })
  values <- array(values, c(nrow(queries), rep(nrow(places), n)))
  spread <- apply(values, c(1, 2 + seq_len(n - 1)), function(x) max(x) - min(x)) # over the first row
  c(largest = max(spread), value = max(values))
}

test_that("no neighbors on a small lattice differ by more than K steps, of all there are", {
  skip_if_instrumented()
  places <- as.matrix(expand.grid(0:3, 0:1))
  queries <- as.matrix(expand.grid(-1:4, 0:2))
  diagonal <- ceiling(sqrt(10))
  reach <- ceiling(sqrt(20))
  for (r in 1:2) for (k in 1:3) for (cap in c(1:3, reach)) for (K in c(1, 2, 3, 7, 100)) {
    change <- min(cap, diagonal)
    seen <- every_change(places, queries, 3, k, r, cap, change, K)
    expect_lte(seen[["largest"]], K)
    expect_gte(seen[["largest"]], if (cap < diagonal) K else floor(K * 3 / 4)) # a floor of a floor
    expect_lte(seen[["value"]], floor(k^(1 / r) * cap * K / change + 1e-9))
  }
  # the bound would be seen to be broken
  expect_gt(every_change(places, queries, 2, 1, 1, 3, 2, 100)[["largest"]], 100)
})

test_that("no replaced row moves a value by more than K steps", {
  skip_if_instrumented()
  set.seed(6)
  changes <- 0
  near <- 0
  for (d in 1:4) for (r in c(1, 2, 3, 1.5)) for (clip in c(0.02, 0.7, Inf)) {
    grid <- domain_grid(domain_box(-runif(d), runif(d, 0.1, 2)), size = c(40, 6, 4, 3)[d], pad = sample(c(0, 0.3), 1))
    corners <- as.matrix(expand.grid(Map(c, grid$box$lower, grid$box$upper)))
    n <- sample(c(1, 2, 7, 60), 1)
    lattice <- distance_lattice(n, grid, sample(c(1e-9, 0.3, 1), 1), r, clip)
    K <- sample(c(1, 3, 370, min(1e6, lattice_most_steps(lattice))), 1)
    anything <- function() {
      switch(sample(6, 1), as.matrix(grid)[sample(prod(dim(grid)), 1), ], corners[sample(nrow(corners), 1), ],
             rnorm(d, sd = 3), sample(c(-Inf, Inf), d, TRUE), sample(c(-1e308, 1e308), d, TRUE),
             corners[1, ] + (corners[nrow(corners), ] - corners[1, ]) * runif(1))
    }
    for (data in 1:6) {
      X <- if (data %% 2) matrix(rnorm(n * d), n) else matrix(anything(), n, d, byrow = TRUE)
      values <- lattice_distances(X, lattice, K)
      for (try in 1:12) {
        row <- sample(n, 1)
        changed <- X
        ulp <- pmin(pmax(X[row, ], -1e300), 1e300) * (1 + sample(c(-1, 1), 1) * .Machine$double.eps)
        changed[row, ] <- if (try == 1) ulp else anything()
        moved <- max(abs(lattice_distances(changed, lattice, K) - values))
        if (moved > K) fail(paste("moved by", moved, "of", K))
        changes <- changes + 1
        near <- max(near, moved / K)
      }
    }
  }
  expect_gte(changes, 3000)
  expect_identical(near, 1)
})

test_that("K steps are attained by the example of the proof", {
  grid <- domain_grid(domain_box(c(0, 0), c(3, 4)), size = 2)
  X <- rbind(matrix(c(3, 4), 8, 2, byrow = TRUE), matrix(0, 5, 2))
  changed <- replace(X, cbind(9, 1:2), c(3, 4))
  for (r in c(1, 2, 3, 3.5)) for (clip in c(1, 5, Inf)) for (K in c(1, 2, 370, 1e6)) {
    lattice <- distance_lattice(13, grid, 5 / 13, r, clip)
    moved <- lattice_distances(changed, lattice, K) - lattice_distances(X, lattice, K)
    expect_identical(max(abs(moved)), K)
  }
})

test_that("N is attained", {
  grid <- domain_grid(domain_box(c(0, 0), c(3, 4)), size = 2)
  for (r in c(1, 2, 3)) for (clip in c(1, Inf)) {
    lattice <- distance_lattice(16, grid, 0.25, r, clip)
    values <- lattice_distances(matrix(0, 16, 2), lattice, 1000)
    expect_identical(max(values), lattice_largest(lattice, 1000))
    if (r < 3) expect_identical(max(values), 1000 * 4^(1 / r))
  }
})

test_that("the order of rows, copies as weights and the number of threads do not matter", {
  set.seed(7)
  X <- round(matrix(rnorm(6000), ncol = 2), 1)
  X[1:5, ] <- -0
  grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 90)
  for (r in c(1, 2, 3)) {
    lattice <- distance_lattice(3000, grid, 0.1, r, Inf)
    run <- function(X, threads) {
      withr::local_options(dptda.threads = threads)
      lattice_distances(X, lattice, 12345)
    }
    one <- run(X, 1)
    expect_identical(run(X, 2), one)
    expect_identical(run(X, 8), one)
    expect_identical(run(X[sample(3000), ], 2), one)
    first <- !duplicated(X)
    keys <- paste(X[, 1] + 0, X[, 2] + 0)
    weights <- as.double(table(factor(keys, unique(keys))))
    if (r < 3) expect_identical(run(new_bins(X[first, ], weights), 2), one)
  }
})

test_that("the distances of equal steps are those of a lattice and of nothing else", {
  # in one dimension with one place a unit everything can be worked out by hand
  grid <- domain_grid(domain_box(0, 2^25), by = 2^23)
  lattice <- distance_lattice(4, grid, 0.5, 1, Inf)
  expect_identical(lattice[c("k", "scale", "cap", "change")], list(k = 2, scale = 1, cap = 2^25, change = 2^25))
  values <- lattice_distances(c(0, 10, 2^23, 2^25), lattice, 2^25)
  expect_identical(c(values), c(10, 2^23 - 10, 3 * 2^23 - 10, 3 * 2^23, 3 * 2^23))
})

test_that("a subtree whose rows might be nearer is not closed early", {
  # the descent leaves out rows that are farther than twice the reach of a query from another one; with 1.95 in the
  # place of 2 the last value is 8050
  rows <- matrix(c(5000, 5000, -3050))
  values <- .Call(ffi_dtm_lattice_distance, rows, c(1, 1, 1), matrix(c(-1000, 0, 1000)), 2, 1, 2^20, 1, 1, 1, 1,
                  kernel_options())
  expect_identical(c(values), c(8050, 8050, 8000))
})

test_that("data of another number of rows, or not for the grid, are refused", {
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 3)
  lattice <- distance_lattice(10, grid, 0.5, 1, Inf)
  bad(lattice_distances(matrix(0, 9, 2), lattice, 5), regexp = "must have 10 rows, not 9")
  bad(lattice_distances(matrix(0, 10, 3), lattice, 5))
  bad(lattice_distances(replace(matrix(0, 10, 2), 3, NA), lattice, 5))
  bad(distance_lattice(10, domain_grid(domain_box(0, 1e-300), size = 3), 0.5, 1, Inf))
  bad(distance_lattice(10, grid, 0.5, 1, 1e-200))
  # the kernel
  call <- function(neighbors = 2, r = 1, clip = 9, scale = 1, change = 5, steps = 7, unit = 1) {
    .Call(ffi_dtm_lattice_distance, diag(2), c(2^45, 1), diag(2), neighbors, r, clip, scale, change, steps,
          unit, kernel_options())
  }
  expect_identical(call(), c(0, 1))
  for (hostile in list(list(neighbors = 1.5), list(neighbors = 2^45, clip = 2^8), list(r = 3), list(clip = 0),
                       list(clip = 2^27),
                       list(clip = 1.5), list(scale = 3), list(scale = 0), list(scale = 2^-1074), list(change = 0),
                       list(change = 1.5), list(steps = 0), list(steps = 2^31),
                       list(neighbors = 2^30, steps = 2, change = 1), list(unit = 0), list(unit = 1.5),
                       list(unit = 2^21), list(change = 2^26, unit = 2^13))) {
    bad(do.call(call, hostile))
  }
})
