# No replaced row moves values or diagrams on landmarks by more than K steps (inst/proofs/dtm-landmarks.md).

# The diagram of whole numbers of a release, a matrix for each of the dimensions.
whole_diagrams <- function(X, landmarks, lattice, K, dimensions, essential) {
  values <- lattice_distances(X, lattice, K)
  levels <- lattice_largest(lattice, K)
  pairs <- domain_pairs(landmarks, values, dimensions, essential, levels, step = lattice_step(lattice, K))
  list(values = values, pairs = pairs)
}

# What replacing a row moves, in steps, of K that are spent: values, and diagrams by dimension.
moved_by <- function(one, other, dimensions) {
  as_diagram <- function(pairs) persistence_diagram(pairs$dimension, pairs$birth, pairs$death)
  apart <- vapply(dimensions, function(q) bottleneck_distance(as_diagram(one$pairs), as_diagram(other$pairs),
                                                              dimension = q), 0)
  c(max(abs(one$values - other$values)), apart)
}

# Random neighbors, the worst that adversaries think of. `make`: landmarks, `row`: one hostile row as X has them, by
# number of landmarks. Fails where K is exceeded; gives the largest ratios seen, of values and of each dimension.
attack_neighbors <- function(cases, make, row, bind, dimensions = 0:1, clips = c(0.05, 0.5, 2), tries = 4) {
  best <- rep(0, 1 + length(dimensions))
  pairs <- 0
  for (case in seq_len(cases)) {
    landmarks <- make()
    landmarks$slack <- sample(c(0, 0, 0.1, 1), 1)
    n <- sample(c(1, 2, 3, 6), 1)
    r <- sample(1:2, 1)
    lattice <- distance_lattice(n, landmarks, sample(c(1e-9, 0.4, 1), 1), r, sample(clips, 1))
    most <- lattice_most_steps(lattice)
    if (most < 1) next
    K <- sample(c(1, 2, 3, min(370, most)), 1)
    essential <- sample(c("cap", "drop"), 1)
    rows <- if (runif(1) < 0.5) replicate(n, row(landmarks), simplify = FALSE) else rep(list(row(landmarks)), n)
    before <- whole_diagrams(bind(rows), landmarks, lattice, K, dimensions, essential)
    for (try in seq_len(tries)) {
      rows[[1]] <- row(landmarks)
      after <- whole_diagrams(bind(rows), landmarks, lattice, K, dimensions, essential)
      moved <- moved_by(before, after, dimensions) / K
      if (any(moved > 1)) fail(paste("moved by", paste(format(moved), collapse = ", "), "of what is spent"))
      best <- pmax(best, moved)
      pairs <- pairs + 1
      before <- after
    }
  }
  c(pairs = pairs, best)
}
# Three times as many in `make check`: at least 150 pairs of each kind, of which what one pair in fifty violates is
# missed once in twenty.
often <- function(cases) if (identical(Sys.getenv("DPTDA_LONG_TESTS"), "true")) 3 * cases else cases
rbind_all <- function(rows) do.call(rbind, rows)

test_that("no replaced row moves values or diagrams by more than K steps, by Euclidean distances", {
  skip_if_instrumented()
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(20)
  for (d in c(1, 2, 3, 10, 50)) for (boxed in c(TRUE, FALSE)) {
    make <- function() {
      count <- sample(c(1, 2, 3, 5, 8), 1)
      P <- matrix(rnorm(count * d, sd = sample(c(0.1, 1), 1)), count)
      if (runif(1) < 0.3) P <- round(P) # ties, and equal landmarks
      domain_landmarks(P, box = if (boxed) domain_box(rep(-0.5, d), rep(0.5, d)))
    }
    seen <- attack_neighbors(often(25), make, function(landmarks) hostile_point(as.matrix(landmarks), landmarks$box),
                             rbind_all,
                             clips = c(0.05, 0.5, 2, if (boxed) Inf))
    expect_gte(seen[["pairs"]], 50)
    expect_gte(seen[[2]], 0.9) # of values
    expect_gte(seen[[3]], 0.4) # of components
  }
})

test_that("voids move by no more than K steps either", {
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(21)
  # the corners of an octahedron, of a cube, and others: small complexes with voids
  make <- function() {
    P <- rbind(diag(3), -diag(3))
    P <- if (runif(1) < 0.6) P else matrix(rnorm(3 * 9), 9)
    domain_landmarks(P + matrix(sample(c(0, 0.01), length(P), TRUE), nrow(P)))
  }
  seen <- attack_neighbors(often(50), make, function(landmarks) hostile_point(as.matrix(landmarks), NULL), rbind_all,
                           0:2, c(0.9, 1.5, 3))
  expect_gte(seen[["pairs"]], 150)
  expect_gt(seen[[5]], 0)
})

test_that("no replaced row moves them by more than K steps on manifolds", {
  skip_if_instrumented()
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(22)
  sphere <- manifold_sphere(5)
  directions <- function() rbind(diag(6), -diag(6))[sample(12, sample(2:7, 1)), ]
  direction <- function(landmarks) {
    P <- as.matrix(landmarks)
    switch(sample(5, 1), P[sample(nrow(P), 1), ], -P[sample(nrow(P), 1), ], rnorm(6), double(6), c(Inf, rep(0, 5)))
  }
  seen <- attack_neighbors(often(80), function() domain_landmarks(directions(), sphere), direction, rbind_all,
                           clips = c(0.5, 2, Inf))
  expect_gte(seen[["pairs"]], 250)
  expect_gte(max(seen[2:3]), 0.9)

  for (metric in c("affine", "log-euclidean")) {
    M <- manifold_spd(3, metric)
    spread <- function() diag(exp(sample(c(-1, 0, 1), 3, TRUE)))
    matrices <- function() domain_landmarks(replicate(sample(2:6, 1), spread(), simplify = FALSE), M)
    one <- function(landmarks) {
      switch(sample(6, 1), matrix(as.matrix(landmarks)[1, ], 3), spread(), crossprod(matrix(rnorm(9), 3)),
             matrix(0, 3, 3),
             -diag(3), diag(c(Inf, 1, 1)))
    }
    seen <- attack_neighbors(often(50), matrices, one, identity, clips = c(0.5, 2, 9))
    expect_gte(seen[["pairs"]], 150)
    expect_gte(max(seen[2:3]), 0.9)
  }
})

test_that("no replaced row moves them by more than K steps where the metric is none", {
  skip_if_instrumented()
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(23)
  # symmetric and not negative between places, which are below 5, and nothing else; the last has a loop in four places
  oddities <- list(
    function(x, y) sum((x - y)^2), function(x, y) if (all(x == y)) 0 else 7 / (0.01 + sum(abs(x - y))),
    function(x, y) if (max(y) > 5) sample(c(0, 1e9, NaN, -Inf), 1) else prod(1 + abs(x - y)),
    function(x, y) if (max(y) > 5) stop("no") else sum(x * y)^2,
    function(x, y) if (max(abs(y)) > 2) 100 * sin(sum(1e6 * y))^2 else max(abs(x - y))
  )
  for (f in oddities) {
    # a function of the row and the place alone: rubbish is drawn once for each
    known <- new.env()
    same <- function(x, y) {
      key <- paste(format(c(x, NA, y), digits = 17), collapse = " ")
      if (!exists(key, known)) assign(key, tryCatch(f(x, y), error = function(e) NaN), known)
      get(key, known)
    }
    make <- function() domain_landmarks(matrix(sample(c(-1, 0, 0.3, 1), 2 * sample(1:6, 1), TRUE), ncol = 2), same)
    seen <- attack_neighbors(often(40), make, function(landmarks) hostile_point(as.matrix(landmarks), NULL), rbind_all,
                             clips = c(0.1, 1, 5))
    expect_gte(seen[["pairs"]], 100)
    expect_gte(seen[[2]], 0.9)
  }
})

test_that("what is spent is used nearly whole in each dimension", {
  skip_if_not_installed("ripserr", "1.0.0")
  # all rows at the center of the corners of an octahedron, at distance one from all of them: with one row beyond the
  # clip all vertices enter 19/20 of what is spent later, and so does whatever is born and dies
  P <- rbind(diag(3), -diag(3))
  middle <- matrix(0, 200, 3)
  away <- replace(middle, 1, 1e9)
  for (metric in list("euclidean", function(x, y) sqrt(sum((x - y)^2)), manifold_euclidean(3))) for (r in 1:2) {
    for (q in 1:2) { # a square has a loop, an octahedron a void
      landmarks <- domain_landmarks(if (q == 1) P[-c(3, 6), ] else P, metric)
      n <- if (r == 1) 200 else 20000 # the root of which counts
      lattice <- distance_lattice(n, landmarks, 1, r, 20)
      rows <- function(X) if (r == 1) X else rbind(X, matrix(0, n - 200, 3))
      found <- lapply(list(middle, away), function(X) whole_diagrams(rows(X), landmarks, lattice, 1000, c(0, q), "cap"))
      moved <- moved_by(found[[1]], found[[2]], c(0, q))
      expect_true(all(moved <= 1000))
      if (r == 1) expect_true(all(moved >= 945))
    }
    if (!identical(metric, "euclidean")) break
  }
})

test_that("the search for neighbors finds none that move more than is spent", {
  skip_if_not_installed("ripserr", "1.0.0")
  P <- rbind(c(1, 0), c(0, 1), c(-1, 0), c(0, -1))
  landmarks <- domain_landmarks(P)
  lattice <- distance_lattice(3, landmarks, 0.6, 1, 0.9)
  found <- function(X) whole_diagrams(X, landmarks, lattice, 1000, 0:1, "cap")
  set.seed(24)
  for (q in 0:1) {
    distance <- function(a, b) moved_by(a, b, q)[2] / 1000
    worst <- audit_neighbors(found, rbind(P, c(0, 0), c(9, 9)), 3, distance = distance)
    expect_true(worst$exhaustive)
    expect_lte(worst$change, 1)
    expect_gte(worst$change, if (q == 0) 0.9 else 0)
  }
})
