bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)
manhattan <- function(x, y) sum(abs(x - y))

# --- the definition, slowly: inst/proofs/topology-landmarks.md ------------------------------------------------------

# Public numbers of the lattice and the values, for Euclidean distances.
slow_euclidean <- function(X, landmarks, m0, r, clip, K, weights = rep(1, nrow(X))) {
  P <- as.matrix(landmarks)
  k <- neighbor_count(sum(weights), m0)
  box <- landmarks$box
  lower <- if (is.null(box)) apply(P, 2, min) - 4 * clip else box$lower
  upper <- if (is.null(box)) apply(P, 2, max) + 4 * clip else box$upper
  if (is.null(box)) {
    L <- clip
  } else {
    farthest <- pmax(abs(t(P) - lower), abs(t(P) - upper))
    L <- min(clip, max(apply(farthest, 2, function(side) max(side) * sqrt(sum((side / max(side))^2)))))
  }
  b <- min(26, 52 - ceiling(log2(k)))
  q <- 2^(b - 1 - floor(log2(L)))
  while (q * L >= 2^b) q <- q / 2
  while (q * L < 2^(b - 1)) q <- 2 * q
  z <- function(x) pmin(pmax(round(x * q), -2^450), 2^450)
  long <- function(side) if (max(side) >= 2^26) 2^26 else ceiling(sqrt(sum(side^2)))
  reach <- if (is.null(box)) Inf else max(apply(pmax(abs(z(t(P)) - z(lower)), abs(z(t(P)) - z(upper))), 2, long))
  A <- min(2^b, round(q * clip), reach)
  C <- max(1, min(A, long(abs(z(upper) - z(lower)))))
  for (j in seq_len(ncol(X))) X[, j] <- pmin(pmax(X[, j], lower[j]), upper[j])
  list(scale = q, cap = A, change = C, values = slow_values(z(X), z(P), k, r, A, C, K, weights))
}

# For any other metric, by the distances of rows to landmarks.
slow_by_distances <- function(distances, diameter, m0, r, clip, K, weights = rep(1, nrow(distances))) {
  k <- neighbor_count(sum(weights), m0)
  L <- min(clip, diameter)
  b <- min(26, 52 - ceiling(log2(k)))
  q <- 2^(b - 1 - floor(log2(L)))
  A <- max(1, min(round(q * L), 2^b))
  values <- apply(distances, 2, function(w) {
    a <- ifelse(is.na(w) | w * q >= A, A, ifelse(w < 0, 0, floor(w * q)))
    near <- order(a)
    counted <- pmin(weights[near], pmax(k - cumsum(c(0, weights[near]))[seq_along(near)], 0))
    sum <- if (r == 1) whole(sum(counted * a[near])) else {
      plus(times(whole(sum(counted * (a[near]^2 %/% 2^26))), whole(2^26)), whole(sum(counted * (a[near]^2 %% 2^26))))
    }
    exact_steps(sum, r, A, K)
  })
  list(scale = q, cap = A, change = A, values = values)
}

expect_values <- function(X, landmarks, m0, r, clip, K, slow, n = nrow(X), weights = NULL) {
  lattice <- distance_lattice(n, landmarks, m0, r, clip)
  expect_identical(lattice[c("scale", "cap", "change")], slow[c("scale", "cap", "change")])
  found <- lattice_values(landmarks, domain_cloud(landmarks, X, "X", weights), lattice, K)
  expect_identical(found, slow$values)
  expect_lte(max(found), lattice_largest(lattice, K))
}

# The distance to a measure in doubles.
slow_doubles <- function(distances, k, r, clip, weights = rep(1, nrow(distances))) {
  apply(distances, 2, function(w) {
    w <- pmin(w, clip)
    near <- order(w)
    counted <- pmin(weights[near], pmax(k - cumsum(c(0, weights[near]))[seq_along(near)], 0))
    top <- max(w[near][counted > 0])
    if (top == 0) 0 else top * (sum(counted * (w[near] / top)^r) / k)^(1 / r)
  })
}
euclidean_apart <- function(X, P) matrix(apply(P, 1, function(p) column_lengths(t(X) - p)), nrow(X))

# Rows at corners, at landmarks, on ties, at the ends of the doubles.
hostile_row <- function(P, box) {
  d <- ncol(P)
  low <- if (is.null(box)) apply(P, 2, min) - 1 else box$lower
  high <- if (is.null(box)) apply(P, 2, max) + 1 else box$upper
  switch(sample(8, 1),
    P[sample(nrow(P), 1), ], ifelse(runif(d) < 0.5, low, high), low + (high - low) * runif(d), rnorm(d, sd = 3),
    sample(c(-Inf, Inf), d, TRUE), sample(c(-1, 1), d, TRUE) * .Machine$double.xmax, sample(c(-1e300, 1e-320, 0), d, TRUE),
    colMeans(P[sample(nrow(P), 2, TRUE), , drop = FALSE])
  )
}
hostile_rows <- function(n, P, box = NULL) matrix(replicate(n, hostile_row(P, box)), n, ncol(P), byrow = TRUE)

test_that("Euclidean values are the definition in whole numbers", {
  set.seed(1)
  for (d in c(1, 2, 10, 50)) for (r in 1:2) for (clip in c(0.01, 0.7, 5, Inf)) for (boxed in c(TRUE, FALSE)) {
    if (clip == Inf && !boxed) next
    P <- matrix(rnorm(7 * d, sd = sample(c(0.3, 3), 1)), 7)
    box <- if (boxed) domain_box(-runif(d), runif(d, 0.1, 2))
    landmarks <- domain_landmarks(P, box = box, slack = 0.1)
    n <- sample(c(1, 2, 40), 1)
    X <- hostile_rows(n, P, box)
    m0 <- runif(1)
    K <- min(sample(c(1, 2, 370, 12345), 1), lattice_most_steps(distance_lattice(n, landmarks, m0, r, clip)))
    if (K == 0) next
    expect_values(X, landmarks, m0, r, clip, K, slow_euclidean(X, landmarks, m0, r, clip, K))
    weights <- sample(0:3, n, TRUE) + c(1, rep(0, n - 1))
    expect_values(X, landmarks, m0, r, clip, K, slow_euclidean(X, landmarks, m0, r, clip, K, weights), sum(weights), weights)
  }
  # two hundred dimensions, without a box
  P <- matrix(rnorm(600), 3)
  X <- rbind(hostile_rows(12, P), matrix(rnorm(2000, sd = 0.01), 10) + P[1, ])
  for (r in 1:2) {
    landmarks <- domain_landmarks(P)
    expect_values(X, landmarks, 0.3, r, 20, 370, slow_euclidean(X, landmarks, 0.3, r, 20, 370))
  }
})

test_that("Euclidean values are the definition at any scale and far from zero", {
  set.seed(2)
  P <- rbind(matrix(runif(12), 6), c(0.5, 0.5), c(0.5, 0.5))
  for (size in c(1e-150, 1e-9, 1, 1e150, 1e300)) for (r in 1:2) for (clip in c(1e-9, 0.2, 5)) {
    for (landmarks in list(domain_landmarks(P * size), domain_landmarks(P * size, box = domain_box(c(0, 0), c(1, 0.5) * size)))) {
      X <- hostile_rows(20, P, NULL) * size
      expect_values(X, landmarks, 0.3, r, clip * size, 370, slow_euclidean(X, landmarks, 0.3, r, clip * size, 370))
    }
    if (size > 1e290) next
    far <- domain_landmarks((P + 1e6) * size)
    X <- rbind((P + 1e6) * size, hostile_rows(9, (P + 1e6) * size))
    expect_values(X, far, 0.3, r, clip * size, 370, slow_euclidean(X, far, 0.3, r, clip * size, 370))
  }
})

test_that("bins are rows with weights on landmarks as on grids", {
  set.seed(3)
  box <- domain_box(c(0, 0), c(1, 2))
  X <- cbind(rnorm(900, 0.5), rnorm(900, 1))
  bins <- bin_points(X, domain_grid(box, size = 16))
  moved <- bins$points[rep(seq_along(bins$weights), bins$weights), ]
  P <- matrix(runif(20, -1, 3), 10)
  for (landmarks in list(domain_landmarks(P, box = box), domain_landmarks(P))) for (r in 1:2) {
    lattice <- distance_lattice(900, landmarks, 0.2, r, 0.7)
    expect_identical(lattice_distances(bins, lattice, 99), lattice_distances(moved, lattice, 99))
    expect_identical(lattice_distances(bins, lattice, 99), slow_euclidean(moved, landmarks, 0.2, r, 0.7, 99)$values)
  }
  bad(distance_to_measure(bins, domain_landmarks(P, manhattan), 0.2, clip = 1), regexp = "`X` must be points for this metric, not bins")
})

test_that("landmarks that are the points of a grid have its values", {
  set.seed(4)
  for (d in 1:4) for (r in c(1, 2, 3)) for (clip in c(0.1, 1, Inf)) {
    grid <- domain_grid(domain_box(rep(-1, d), rep(1, d)), size = 3, pad = sample(c(0, 0.5), 1))
    landmarks <- domain_landmarks(as.matrix(grid), box = grid$box)
    X <- matrix(rnorm(30 * d), 30)
    expect_equal(distance_to_measure(X, landmarks, 0.2, r = r, clip = clip), as.vector(distance_to_measure(X, grid, 0.2, r = r, clip = clip)))
    expect_equal(diagram_sensitivity(30, landmarks, 0.2, r = r, clip = clip), diagram_sensitivity(30, grid, 0.2, r = r, clip = clip))
    one <- distance_lattice(30, grid, 0.2, r, clip)
    other <- distance_lattice(30, landmarks, 0.2, r, clip)
    expect_identical(one[names(one) != "grid"], other[names(one) != "grid"])
    expect_identical(lattice_distances(X, other, 500), as.vector(lattice_distances(X, one, 500)))
  }
})

test_that("values in doubles are the definition, for any r, and those in whole numbers are near them", {
  set.seed(5)
  for (d in c(1, 3, 50)) for (r in c(1, 2, 3, 7.5)) for (boxed in c(TRUE, FALSE)) {
    P <- matrix(rnorm(6 * d), 6)
    X <- matrix(rnorm(25 * d), 25)
    box <- if (boxed) domain_box(rep(-1, d), rep(1, d))
    landmarks <- domain_landmarks(P, box = box)
    clip <- sqrt(d)
    weights <- sample(0:3, 25, TRUE)
    rows <- if (boxed) pmin(pmax(X, -1), 1) else X
    k <- neighbor_count(sum(weights), 0.3)
    found <- distance_to_measure(X, landmarks, 0.3, r = r, clip = clip, weights = weights)
    expect_equal(found, slow_doubles(euclidean_apart(rows, P), k, r, clip, weights), tolerance = 1e-12)
    lattice <- distance_lattice(25, landmarks, 0.3, r, clip)
    steps <- lattice_distances(X, lattice, 1000)
    f <- distance_to_measure(X, landmarks, 0.3, r = r, clip = clip)
    off <- if (r %in% 1:2) 1 + (sqrt(d) + (r == 1)) * lattice$k^(1 / r) * 1000 / lattice$change else 1
    expect_lte(max(abs(steps - f / lattice_step(lattice, 1000))), off + 1e-6)
    # the order of rows is not seen
    expect_identical(lattice_distances(X[sample(25), , drop = FALSE], lattice, 1000), steps)
  }
})

test_that("moving rows into the box around the landmarks changes no cut distance", {
  # a clip far below what doubles tell apart at the landmarks, too
  for (at in c(0, 1, 1e10, 1e300)) for (clip in c(1e-9, 1, 1e5) * max(1, at / 1e10)) {
    landmarks <- domain_landmarks(cbind(at, c(0, 1)))
    for (x in list(c(at + max(clip, 1e-3 * at), 0), c(Inf, 0), c(-Inf, 0), c(.Machine$double.xmax, 0), c(at, -clip), c(at, 1 + clip))) {
      found <- distance_to_measure(rbind(x), landmarks, 1, clip = clip)
      expect_equal(found, as.vector(pmin(euclidean_apart(rbind(x), as.matrix(landmarks)), clip)))
    }
    lattice <- distance_lattice(1, landmarks, 1, 1, clip)
    expect_identical(lattice_distances(rbind(c(Inf, 0)), lattice, 1000), c(1000, 1000))
    expect_identical(lattice$cap, lattice$change)
  }
  # the largest clip that there is
  landmarks <- domain_landmarks(rbind(c(-2^1000, 0), c(0, 0)))
  expect_equal(distance_to_measure(rbind(c(Inf, 0), c(-Inf, Inf)), landmarks, 1, clip = .Machine$double.xmax), rep(.Machine$double.xmax, 2))
})

test_that("values by other metrics are the definition in whole numbers, whatever the metric gives", {
  set.seed(6)
  spaces <- list(
    manhattan, function(x, y) max(abs(x - y)), function(x, y) sum(x != y), function(x, y) (x[1] - y[1])^2,
    # right for places, which are below 5
    function(x, y) if (y[1] > 5) sample(c(NaN, Inf, -Inf, -1, 1e308, 1e-320, NA), 1) else manhattan(x, y),
    function(x, y) if (y[1] > 5) stop("no") else 1e300 * manhattan(x, y),
    function(x, y) if (y[1] > 5) "a" else if (y[2] > 2) NULL else if (identical(x, y)) 0 else 1e-300
  )
  for (space in spaces) for (r in 1:2) for (clip in c(1e-5, 0.7, 3, 1e250)) {
    P <- matrix(runif(8, -1, 1), 4)
    landmarks <- domain_landmarks(P, space)
    X <- rbind(matrix(rnorm(20, sd = 4), 10), hostile_rows(6, P))
    m0 <- runif(1)
    K <- sample(c(1, 2, 370, 12345), 1)
    state <- .Random.seed
    apart <- sapply(1:4, function(i) as_metric(space)$distances(P[i, ], t(X)))
    .Random.seed <<- state
    expect_values(X, landmarks, m0, r, clip, K, slow_by_distances(apart, Inf, m0, r, clip, K))
    weights <- sample(0:3, 16, TRUE)
    .Random.seed <<- state
    apart <- sapply(1:4, function(i) as_metric(space)$distances(P[i, ], t(X)))
    .Random.seed <<- state
    expect_values(X, landmarks, m0, r, clip, K, slow_by_distances(apart, Inf, m0, r, clip, K, weights), sum(weights), weights)
  }
})

test_that("values on manifolds are the definition in whole numbers", {
  set.seed(7)
  pair <- manifold_product(manifold_sphere(2), manifold_euclidean(1))
  spheres <- manifold_product(manifold_sphere(2), manifold_sphere(1))
  cases <- list(
    list(manifold_sphere(5), function(n) matrix(rnorm(6 * n), n)), list(manifold_spd(3), function(n) lapply(seq_len(n), function(i) crossprod(matrix(rnorm(9), 3)))),
    list(manifold_spd(3, "log-euclidean"), function(n) replicate(n, crossprod(matrix(rnorm(9), 3)))),
    list(manifold_rotation(3), function(n) array(rnorm(9 * n), c(3, 3, n))), list(manifold_grassmann(2, 4), function(n) array(rnorm(8 * n), c(4, 2, n))),
    list(manifold_hyperbolic(2), function(n) t(replicate(n, {
      v <- rnorm(2)
      c(sqrt(1 + sum(v^2)), v)
    }))),
    list(pair, function(n) list(matrix(rnorm(3 * n), n), rnorm(n))), list(spheres, function(n) list(matrix(rnorm(3 * n), n), matrix(rnorm(2 * n), n)))
  )
  for (case in cases) for (r in 1:2) {
    M <- case[[1]]
    metric <- as_metric(M)
    P <- metric$read(case[[2]](5), "X")
    landmarks <- domain_landmarks(shape_points(P, M), M)
    X <- case[[2]](30)
    rows <- metric$read(X, "X")
    apart <- sapply(1:5, function(i) metric$distances(as.matrix(landmarks)[i, ], rows))
    expect_true(all(is.finite(apart)))
    for (clip in c(1e-3, 0.8, if (is.finite(metric$diameter)) Inf)) {
      expect_values(X, landmarks, 0.25, r, clip, 370, slow_by_distances(apart, metric$diameter, 0.25, r, clip, 370), 30)
      expect_equal(distance_to_measure(X, landmarks, 0.25, r = r, clip = clip), slow_doubles(apart, 8, r, min(clip, metric$diameter)), tolerance = 1e-12)
    }
    if (metric$diameter == Inf) bad(private_diagram(X, landmarks, 1, m0 = 0.25, dimensions = 0), regexp = "`clip` must be finite on 5 landmarks")
    bad(distance_lattice(30, landmarks, 0.25, 3, 1), regexp = "`r` must be 1 or 2 for this metric")
  }
})

test_that("an exponent other than 1 and 2 is refused where its rounding error is not proved", {
  at <- function(d) distance_lattice(10, domain_landmarks(matrix(0, 1, d)), 0.5, 3, 1)
  expect_gt(at(300)$sensitivity, 0)
  bad(at(301), regexp = "`r` must be 1 or 2")
  expect_silent(distance_lattice(10, domain_landmarks(matrix(0, 1, 301)), 0.5, 2, 1))
})
