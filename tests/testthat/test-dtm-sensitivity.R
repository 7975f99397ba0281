bad <- function(expr) expect_error(expr, class = "dptda_error_argument")
box <- domain_box(c(0, 0), c(3, 4))
grid <- domain_grid(box, size = 6)

test_that("the formula is min(clip, diagonal) / k^(1/r)", {
  expect_equal(diagram_sensitivity(100, box, 0.07), 5 / 7)
  expect_equal(diagram_sensitivity(100, domain_grid(box, size = 6, pad = 1), 0.07, r = 2), 5 / sqrt(7))
  expect_equal(diagram_sensitivity(100, box, 0.07, r = 3, clip = 2), 2 / 7^(1 / 3))
  expect_equal(diagram_sensitivity(1, box, 1e-6), 5)
})

test_that("the bound is the distance of a grid point to the farthest point of the box", {
  slow <- function(grid) {
    corners <- as.matrix(expand.grid(Map(c, grid$box$lower, grid$box$upper)))
    max(apply(as.matrix(grid), 1, function(x) max(sqrt(colSums((t(corners) - x)^2)))))
  }
  for (d in 1:4) for (pad in c(0, 0.7)) for (size in 1:4) {
    grid <- domain_grid(domain_box(-seq_len(d), rep(1, d)), size = size, pad = pad)
    expect_equal(diagram_bound(grid), slow(grid))
  }
  expect_equal(diagram_bound(grid, clip = 0.1), 0.1)
})

test_that("the sensitivity is attained by the example of the proof", {
  for (r in c(1, 2, 3.5)) for (clip in c(1, Inf)) {
    X <- rbind(matrix(c(3, 4), 8, 2, byrow = TRUE), matrix(0, 5, 2))
    f <- function(X) distance_to_measure(X, cbind(0, 0), 5 / 13, r = r, clip = clip)
    expect_equal(f(replace(X, cbind(9, 1:2), c(3, 4))) - f(X), diagram_sensitivity(13, box, 5 / 13, r = r, clip = clip))
  }
})

# A row moves from a heap of k rows to the other heap, at the other end of a line.
heaps_diagram <- function(n, k, grid, r, clip = Inf, moved = FALSE) {
  X <- cbind(rep(c(0, 1), c(k - moved, n - k + moved)))
  dtm_persistence(X, grid, m0 = k / n, r = r, clip = clip, max_dimension = 0, essential = "drop")
}

heaps_apart <- function(...) {
  bottleneck_distance(heaps_diagram(...), heaps_diagram(..., moved = TRUE), dimension = 0)
}

test_that("Kang et al. (2024), Remark 12: a finite class moves by exactly the bound, also for r = 2 and 3", {
  line <- domain_grid(domain_box(0, 1), by = 0.5)
  for (n in c(100, 400, 1600)) for (r in 1:3) for (clip in c(0.4, Inf)) {
    k <- n / 5
    allowed <- diagram_sensitivity(n, line, m0 = k / n, r = r, clip = clip)
    # the class moves by Delta, unless it is nearer to the diagonal
    most <- min(clip, 0.5) / 2
    if (is.infinite(clip)) expect_identical(allowed <= most, k >= 4^r)
    expect_equal(heaps_apart(n, k, line, r, clip) / min(allowed, most), 1, tolerance = 1e-9)
  }
  # n^(-1/r), and not 1 / n
  for (r in 1:3) {
    expect_equal(heaps_apart(400, 80, line, r) / heaps_apart(3200, 640, line, r), 8^(1 / r), tolerance = 1e-9)
  }
})

test_that("Kang et al. (2024), Remark 12: without a grid as well, up to a factor that tends to 1", {
  line <- domain_grid(domain_box(0, 1), by = 1 / 4096)
  for (r in 2:3) for (k in c(80, 320)) {
    s <- (k - 1)^(-1 / (r - 1))
    expect_equal(heaps_apart(5 * k, k, line, r) / diagram_sensitivity(5 * k, line, m0 = 1 / 5, r = r),
                 (1 + s)^((1 - r) / r), tolerance = 1e-6)
  }
})

test_that("Kang et al. (2024), Remark 12: the pair of Proposition 9 differs by about 1.25 / n with r = 2", {
  line <- domain_grid(domain_box(0, 1), by = 0.5)
  diagram <- function(X) dtm_persistence(X, line, m0 = 0.2, r = 2, max_dimension = 0, essential = "drop")
  for (n in c(100, 400, 1600)) {
    X <- cbind(rep(c(0, 1), each = n / 2))
    expect_equal(n * bottleneck_distance(diagram(X), diagram(replace(X, 1, 0.5)), dimension = 0), 1.25,
                 tolerance = 1.3 / n)
  }
})

# Climbs from random data towards the neighbors that differ most; rows and the
# replacement are drawn among corners, grid points and anywhere, outside the
# box too.
worst_change <- function(n, m0, r, clip, tries) {
  special <- rbind(c(0, 0), c(3, 4), c(0, 4), c(3, 0), as.matrix(grid))
  draw <- function() if (runif(1) < 0.7) special[sample(nrow(special), 1), ] else runif(2, -1, 5)
  f <- function(X) distance_to_measure(X, grid, m0, r = r, clip = clip)
  change <- function(state) max(abs(f(rbind(state$row, state$X[-1, , drop = FALSE])) - f(state$X)))
  state <- list(X = t(replicate(n, draw())), row = draw())
  best <- change(state)
  for (try in seq_len(tries)) {
    candidate <- state
    if (runif(1) < 0.3) candidate$row <- draw() else candidate$X[sample(n, 1), ] <- draw()
    value <- change(candidate)
    if (value >= best) {
      best <- value
      state <- candidate
    }
  }
  best
}

test_that("no neighbors found by search differ by more than the sensitivity", {
  skip_if_instrumented()
  set.seed(20)
  for (case in list(list(3, 0.4, 1, Inf), list(5, 0.5, 2, Inf), list(6, 0.5, 3.5, 2), list(4, 1, 1, 1.5))) {
    allowed <- diagram_sensitivity(case[[1]], box, case[[2]], r = case[[3]], clip = case[[4]])
    found <- worst_change(case[[1]], case[[2]], case[[3]], case[[4]], long_or(400, 150))
    expect_lte(found, allowed * (1 + 1e-12))
    expect_gt(found, 0.5 * allowed)
  }
})

test_that("no neighbors break the sensitivity of the release at any r and clip, by computed values", {
  skip_if_instrumented()
  # what one row moves is compared with what the release is charged for; the attained example, and rows that coincide
  set.seed(22)
  for (size in c(1, 2^-600, 2^600)) {
    wide <- domain_box(c(0, 0), c(3, 4) * size)
    grid <- domain_grid(wide, size = 3, pad = size)
    corners <- as.matrix(expand.grid(c(0, 3), c(0, 4))) * size
    for (r in long_or(c(1, 1.0001, 2, 3, 7, 500, 1e4), c(1, 1.0001, 3, 1e4))) for (clip in c(1e-104, 1e-60, 0.01, 2,
      1e104, Inf) * size) {
      n <- sample(c(1, 2, 3, 20), 1)
      m0 <- sample(c(1e-9, 0.37, 0.5, 1), 1)
      allowed <- computed_sensitivity(n, grid, m0, r, clip)
      for (try in 1:4) {
        rows <- rbind(corners, as.matrix(grid), corners + runif(8) * min(clip, size))
        places <- if (try <= 2) sample(nrow(rows), 1) else sample(nrow(rows), n, TRUE)
        X <- rows[rep_len(places, n), , drop = FALSE]
        changed <- X
        changed[1, ] <- rows[sample(nrow(rows), 1), ]
        moved <- distance_to_measure(X, grid, m0, r = r, clip = clip) -
          distance_to_measure(changed, grid, m0, r = r, clip = clip)
        expect_lte(max(abs(moved)), allowed)
      }
    }
  }
})

test_that("the sensitivity of a release covers the rounding of values, and little more", {
  grid <- domain_grid(box, size = 6, pad = 1)
  exact <- diagram_sensitivity(100, grid, 0.07)
  expect_gt(computed_sensitivity(100, grid, 0.07, 1, Inf), exact)
  expect_lt(computed_sensitivity(100, grid, 0.07, 1, Inf), exact * (1 + 1e-10))
  # many copies: the rounding is what counts
  expect_gt(computed_sensitivity(2^52, grid, 1, 1, Inf), 1e-13)
})

test_that("bins keep the sensitivity", {
  set.seed(21)
  lattice <- domain_grid(box, size = c(7, 5))
  f <- function(X) distance_to_measure(bin_points(X, lattice), grid, 0.3, r = 2)
  for (i in 1:50) {
    X <- cbind(runif(8, -1, 4), runif(8, -1, 5))
    change <- f(X) - f(rbind(c(3, 4) * sample(0:1, 1), X[-1, ]))
    expect_lte(max(abs(change)), diagram_sensitivity(8, box, 0.3, r = 2) * (1 + 1e-12))
  }
})

test_that("bad arguments get a classed error", {
  for (n in list(0, -1, 1.5, NA, Inf, "1", 1:2)) bad(diagram_sensitivity(n, box, 0.1))
  for (m0 in list(0, 1.1, NA, "1")) bad(diagram_sensitivity(10, box, m0))
  bad(diagram_sensitivity(10, 5, 0.1))
  bad(diagram_sensitivity(10, box, 0.1, r = 0.9))
  bad(diagram_sensitivity(10, box, 0.1, clip = 0))
})
