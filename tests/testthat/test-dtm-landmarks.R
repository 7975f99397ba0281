bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)
manhattan <- function(x, y) sum(abs(x - y))

# --- the definition, slowly: inst/proofs/dtm-landmarks.md ------------------------------------------------------

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

test_that("Euclidean values are the definition in whole numbers", {
  set.seed(1)
  for (d in c(1, 2, 10, 50)) for (r in 1:2) for (clip in c(0.01, 0.7, 5, Inf)) for (boxed in c(TRUE, FALSE)) {
    if (clip == Inf && !boxed) next
    P <- matrix(rnorm(7 * d, sd = sample(c(0.3, 3), 1)), 7)
    box <- if (boxed) domain_box(-runif(d), runif(d, 0.1, 2))
    landmarks <- domain_landmarks(P, box = box, slack = 0.1)
    n <- sample(c(1, 2, 40), 1)
    X <- hostile_cloud(n, P, box)
    m0 <- runif(1)
    K <- min(sample(c(1, 2, 370, 12345), 1), lattice_most_steps(distance_lattice(n, landmarks, m0, r, clip)))
    if (K == 0) next
    expect_values(X, landmarks, m0, r, clip, K, slow_euclidean(X, landmarks, m0, r, clip, K))
    weights <- sample(0:3, n, TRUE) + c(1, rep(0, n - 1))
    expect_values(X, landmarks, m0, r, clip, K, slow_euclidean(X, landmarks, m0, r, clip, K, weights), sum(weights),
                  weights)
  }
  # two hundred dimensions, without a box
  P <- matrix(rnorm(600), 3)
  X <- rbind(hostile_cloud(12, P), matrix(rnorm(2000, sd = 0.01), 10) + P[1, ])
  for (r in 1:2) {
    landmarks <- domain_landmarks(P)
    expect_values(X, landmarks, 0.3, r, 20, 370, slow_euclidean(X, landmarks, 0.3, r, 20, 370))
  }
})

test_that("Euclidean values are the definition at any scale and far from zero", {
  set.seed(2)
  P <- rbind(matrix(runif(12), 6), c(0.5, 0.5), c(0.5, 0.5))
  for (size in c(1e-150, 1e-9, 1, 1e150, 1e300)) for (r in 1:2) for (clip in c(1e-9, 0.2, 5)) {
    for (landmarks in list(domain_landmarks(P * size),
                           domain_landmarks(P * size, box = domain_box(c(0, 0), c(1, 0.5) * size)))) {
      X <- hostile_cloud(20, P, NULL) * size
      expect_values(X, landmarks, 0.3, r, clip * size, 370, slow_euclidean(X, landmarks, 0.3, r, clip * size, 370))
    }
    if (size > 1e290) next
    far <- domain_landmarks((P + 1e6) * size)
    X <- rbind((P + 1e6) * size, hostile_cloud(9, (P + 1e6) * size))
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
  bad(distance_to_measure(bins, domain_landmarks(P, manhattan), 0.2, clip = 1),
      regexp = "`x` must be points, not bins")
})

test_that("landmarks that are the points of a grid have its values", {
  set.seed(4)
  for (d in 1:4) for (r in c(1, 2, 3)) for (clip in c(0.1, 1, Inf)) {
    grid <- domain_grid(domain_box(rep(-1, d), rep(1, d)), size = 3, pad = sample(c(0, 0.5), 1))
    landmarks <- domain_landmarks(as.matrix(grid), box = grid$box)
    X <- matrix(rnorm(30 * d), 30)
    expect_equal(distance_to_measure(X, landmarks, 0.2, r = r, clip = clip),
                 as.vector(distance_to_measure(X, grid, 0.2, r = r, clip = clip)))
    expect_equal(diagram_sensitivity(30, landmarks, 0.2, r = r, clip = clip),
                 diagram_sensitivity(30, grid, 0.2, r = r, clip = clip))
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
    for (x in list(c(at + max(clip, 1e-3 * at), 0), c(Inf, 0), c(-Inf, 0), c(.Machine$double.xmax, 0), c(at, -clip),
                   c(at, 1 + clip))) {
      found <- distance_to_measure(rbind(x), landmarks, 1, clip = clip)
      expect_equal(found, as.vector(pmin(euclidean_apart(rbind(x), as.matrix(landmarks)), clip)))
    }
    lattice <- distance_lattice(1, landmarks, 1, 1, clip)
    expect_identical(lattice_distances(rbind(c(Inf, 0)), lattice, 1000), c(1000, 1000))
    expect_identical(lattice$cap, lattice$change)
  }
  # the largest clip that there is
  landmarks <- domain_landmarks(rbind(c(-2^1000, 0), c(0, 0)))
  expect_equal(distance_to_measure(rbind(c(Inf, 0), c(-Inf, Inf)), landmarks, 1, clip = .Machine$double.xmax),
               rep(.Machine$double.xmax, 2))
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
    X <- rbind(matrix(rnorm(20, sd = 4), 10), hostile_cloud(6, P))
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
    expect_values(X, landmarks, m0, r, clip, K, slow_by_distances(apart, Inf, m0, r, clip, K, weights), sum(weights),
                  weights)
  }
})

test_that("values on manifolds are the definition in whole numbers", {
  set.seed(7)
  pair <- manifold_product(manifold_sphere(2), manifold_euclidean(1))
  spheres <- manifold_product(manifold_sphere(2), manifold_sphere(1))
  cases <- list(
    list(manifold_sphere(5), function(n) matrix(rnorm(6 * n), n)),
    list(manifold_spd(3), function(n) lapply(seq_len(n), function(i) crossprod(matrix(rnorm(9), 3)))),
    list(manifold_spd(3, "log-euclidean"), function(n) replicate(n, crossprod(matrix(rnorm(9), 3)))),
    list(manifold_rotation(3), function(n) array(rnorm(9 * n), c(3, 3, n))),
    list(manifold_grassmann(2, 4), function(n) array(rnorm(8 * n), c(4, 2, n))),
    list(manifold_shapes(5), function(n) array(rnorm(10 * n), c(5, 2, n))),
    list(manifold_hyperbolic(2), function(n) t(replicate(n, {
      v <- rnorm(2)
      c(sqrt(1 + sum(v^2)), v)
    }))),
    list(pair, function(n) list(matrix(rnorm(3 * n), n), rnorm(n))),
    list(spheres, function(n) list(matrix(rnorm(3 * n), n), matrix(rnorm(2 * n), n)))
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
      expect_equal(distance_to_measure(X, landmarks, 0.25, r = r, clip = clip),
                   slow_doubles(apart, 8, r, min(clip, metric$diameter)), tolerance = 1e-12)
    }
    if (metric$diameter == Inf) {
      bad(private_diagram(X, landmarks, 1, m0 = 0.25, dimensions = 0), regexp = "`clip` must be finite on 5 landmarks")
    }
    bad(distance_lattice(30, landmarks, 0.25, 3, 1), regexp = "`r` must be 1 or 2 for this metric")
  }
})

test_that("an exponent other than 1 and 2 is refused where its rounding error is not proved", {
  at <- function(d) distance_lattice(10, domain_landmarks(matrix(0, 1, d)), 0.5, 3, 1)
  expect_gt(at(300)$sensitivity, 0)
  bad(at(301), regexp = "`r` must be 1 or 2")
  expect_silent(distance_lattice(10, domain_landmarks(matrix(0, 1, 301)), 0.5, 2, 1))
})

# --- after the public checks nothing fails because of the rows --------------------------------------------------------

# Releases are silent, and their budget is charged what was declared, whatever the rows.
expect_release <- function(X, landmarks, ..., clip = 1, dimensions = 0, epsilon = 1, m0 = 0.5) {
  budget <- privacy_budget(epsilon = 100)
  expect_silent(release <- private_diagram(X, landmarks, epsilon, m0 = m0, clip = clip, dimensions = dimensions,
                                           budget = budget, ...))
  expect_identical(budget$spent, epsilon)
  top <- privacy(release)$public$bound
  expect_true(all(release$birth >= 0 & release$birth <= release$death & release$death <= top))
  expect_true(all(release$dimension %in% dimensions))
  invisible(release)
}

test_that("hostile rows give releases like any others", {
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(30)
  plane <- rbind(c(0, 0), c(1, 0), c(0, 1), c(1, 1), c(1, 1))
  hostile <- list(rbind(c(Inf, -Inf)), rbind(c(1e308, -1e308), c(1e-320, 0)), matrix(0, 7, 2),
                  matrix(1e300, 7, 2), plane,
                  matrix(c(Inf, 0), 7, 2), rbind(c(0.5, 0.5)))
  spaces <- list("euclidean", manhattan, function(x, y) if (identical(x, y)) 0 else if (max(y) > 1)
                 stop("no") else manhattan(x, y), manifold_euclidean(2))
  for (X in hostile) for (space in spaces) {
    expect_release(X, domain_landmarks(plane, space, slack = 0.1), dimensions = 0:1)
    if (identical(space, "euclidean")) {
      boxed <- domain_landmarks(plane, box = domain_box(c(0, 0), c(2, 1)))
      expect_release(X, boxed, clip = Inf, dimensions = 0:1, r = 2)
      expect_release(X, boxed, dimensions = 0:1, r = 3, essential = "cap")
    }
  }
  for (X in list(rbind(c(0, 0, 0)), rbind(c(Inf, 0, 0)), rbind(c(1, 1, 1), c(-1, -1, -1)), matrix(1e-320, 3, 3))) {
    expect_release(X, domain_landmarks(rbind(diag(3), -diag(3)), manifold_sphere(2)), clip = Inf, dimensions = 0:2)
  }
  for (X in list(list(matrix(0, 2, 2)), list(-diag(2), diag(2)), list(matrix(1e308, 2, 2)), list(diag(c(Inf, 1))))) {
    for (metric in c("affine", "log-euclidean")) {
      expect_release(X, domain_landmarks(list(diag(2), 2 * diag(2), diag(c(1, 3))), manifold_spd(2, metric)),
                     dimensions = 0:1)
    }
  }
})

test_that("the fewest landmarks, and equal ones, give releases", {
  skip_if_not_installed("ripserr", "1.0.0")
  X <- rbind(c(0, 0), c(1, 1))
  at <- function(P, ...) domain_landmarks(P, ...)
  for (rows in list(X, X[1, , drop = FALSE])) {
    expect_release(rows, at(rbind(c(0, 0))), essential = "cap")
    expect_release(rows, at(rbind(c(0, 0), c(1, 1))), essential = "cap")
    expect_release(rows, at(matrix(0.3, 2, 2)))
    expect_release(rows, at(matrix(0.3, 9, 2)), dimensions = c(0, 1, 2))
    expect_release(rows, at(matrix(0.3, 9, 2), slack = 1e300), dimensions = 1)
    expect_release(rows, at(diag(1e-300, 2)))
    expect_release(rows, at(diag(2)), clip = 1e-9)
  }
  # too few for loops: said by a public number
  for (P in list(rbind(c(0, 0)), diag(2))) {
    bad(private_diagram(X, at(P), 1, m0 = 0.5, clip = 1, dimensions = 1),
        regexp = "`dimensions` must be distinct integers from 0 to 0 on")
    bad(private_diagram(X, at(P), 1, m0 = 0.5, clip = 1, max_dimension = 1),
        regexp = "`max_dimension` must be at most 0 on")
    expect_identical(privacy(private_diagram(X, at(P), 1, m0 = 0.5, clip = 1))$public$dimensions, 0)
  }
  expect_identical(domain_facts(at(diag(3)))$top, 1)
  expect_identical(domain_facts(at(diag(4)))$top, 2)
})

test_that("what landmarks cannot serve is refused before anything is spent", {
  skip_if_not_installed("ripserr", "1.0.0")
  X <- diag(2)
  landmarks <- domain_landmarks(rbind(diag(2), 0))
  budget <- privacy_budget(epsilon = 1)
  refused <- function(..., regexp = NULL) {
    bad(private_diagram(X, landmarks, 1, ..., budget = budget), regexp = regexp)
    expect_identical(budget$spent, 0)
  }
  refused(m0 = 0.5, regexp = "`clip` must be finite on 3 landmarks without a box")
  refused(m0 = 0.5, clip = 1e-150, regexp = "`clip`")
  refused(m0 = 0.5, clip = 2^1001, regexp = "must")
  refused(m0 = 0.5, clip = 1, max_dimension = 2)
  refused(m0 = 0.5, clip = 1, dimensions = 3)
  refused(m0 = 0.5, clip = 1, dimensions = 0, max_dimension = 0, regexp = "`max_dimension` must be NULL")
  for (dimensions in list(-1, 0.5, NA, "a", c(0, 0), double(), NULL[0], Inf, list(0), matrix(0), TRUE)) {
    if (is.null(dimensions)) next
    refused(m0 = 0.5, clip = 1, dimensions = dimensions, regexp = "`dimensions` must be distinct integers")
  }
  odd <- landmarks
  odd$metric <- function(x, y) -1
  bad(private_diagram(X, odd, 1, m0 = 0.5, clip = 1, budget = budget), regexp = "`metric`|`grid`")
  expect_identical(budget$spent, 0)
})

test_that("without the package for loops they are refused before anything is spent, and components are not", {
  landmarks <- domain_landmarks(rbind(diag(2), 0))
  absent <- check_ripserr
  environment(absent) <- list2env(list(requireNamespace = function(...) FALSE), parent = asNamespace("dptda"))
  budget <- privacy_budget(epsilon = 10)
  with_replaced("check_ripserr", absent, {
    for (dimensions in list(1, 0:1)) {
      expect_error(private_diagram(diag(2), landmarks, 1, m0 = 0.5, clip = 1, dimensions = dimensions, budget = budget),
                   "ripserr",
                   class = "dptda_error_package")
    }
    expect_error(dtm_persistence(diag(2), landmarks, 0.5, clip = 1), "ripserr", class = "dptda_error_package")
    expect_error(plan_private_diagram(diag(2), 100, landmarks, 1, clip = 1), "ripserr", class = "dptda_error_package")
    expect_release(diag(2), landmarks)
  })
  expect_identical(budget$spent, 0)
})

test_that("forked workers draw different releases, one by one", {
  skip_on_os("windows")
  skip_if_not_installed("ripserr", "1.0.0")
  landmarks <- domain_landmarks(rbind(diag(2), 0))
  one <- function(i) private_diagram(matrix(rnorm(4000), 2000), landmarks, 1, m0 = 0.5, clip = 1, learn_points = FALSE,
                                     max_points = 3)$birth
  one(0) # the parent has used its threads
  births <- unlist(parallel::mclapply(1:4, one, mc.cores = 2))
  # births are whole steps: two coincide in one of 500 runs, and three in none of 1e7; streams that are one have three
  # of a kind
  expect_lte(sum(duplicated(births[births > 0])), 2)
})

test_that("a release that is interrupted has spent nothing, wherever it was", {
  stops <- function(...) signalCondition(structure(class = c("interrupt", "condition"),
                                                   list(message = "", call = NULL)))
  budget <- privacy_budget(epsilon = 2)
  release <- function(metric = "euclidean") {
    tryCatch(private_diagram(rbind(c(0, 0), c(9, 9)), domain_landmarks(diag(2), metric), 1, m0 = 0.5, clip = 1,
                             dimensions = 0, budget = budget),
             interrupt = function(cnd) "interrupted")
  }
  for (name in c("landmark_values", "rips_pairs")) {
    expect_identical(with_replaced(name, stops, release()), "interrupted")
    expect_identical(budget$spent, 0)
  }
  expect_identical(release(function(x, y) if (max(y) > 5) stops() else manhattan(x, y)), "interrupted")
  expect_identical(budget$spent, 0)
  expect_s3_class(release(), "dptda_diagram")
  expect_identical(budget$spent, 1)
})

test_that("thousands of landmarks give components and loops", {
  skip_unless_long()
  skip_if_not_installed("ripserr", "1.0.0")
  set.seed(31)
  angle <- 2 * pi * seq_len(2000) / 2000
  # where landmarks crowd so that thousands of edges end at each before the clip, Ripser takes minutes and gigabytes
  P <- cbind(cos(angle), sin(angle), 0)
  X <- P[sample(2000, 4000, TRUE), ] + rnorm(12000, sd = 0.02)
  release <- suppressMessages(private_diagram(X, domain_landmarks(P), 5, m0 = 0.05, clip = 0.3, dimensions = 0:1))
  expect_setequal(privacy(release)$public$dimensions, 0:1)
  # the loop is born early and lives beyond the clip
  tall <- release[release$dimension == 1, ][1, ]
  expect_gt(tall$death - tall$birth, 0.1)
})

# --- the object -----------------------------------------------------------------------------------------------------

test_that("landmarks print, are drawn, and give their points", {
  P <- rbind(c(a = 0, b = 0), c(3, 4), c(0, 4))
  landmarks <- domain_landmarks(P, slack = 0.5)
  expect_identical(as.matrix(landmarks), P)
  expect_output(print(landmarks), "<landmarks>\n3 points, 2 numbers each, Euclidean distance, slack 0.5", fixed = TRUE)
  expect_output(print(landmarks), "origin declared public by the user")
  expect_output(print(domain_landmarks(P, box = domain_box(c(0, 0), c(1, 1)))), "box    [0, 1] x [0, 1]", fixed = TRUE)
  expect_output(print(domain_landmarks(P, manhattan)), "a function of the user")
  expect_output(print(domain_landmarks(diag(3), manifold_sphere(2))), "geodesic distance, ")
  expect_setequal(intersect(drawn_text(plot(landmarks)), c("a", "b")), c("a", "b"))
  for (one in list(landmarks, domain_landmarks(cbind(1:3)), domain_landmarks(cbind(1)),
                   domain_landmarks(matrix(0, 4, 3)), domain_landmarks(diag(2), manhattan),
                   domain_landmarks(rbind(1:3, 2:4, 3:5)), domain_landmarks(diag(4), manifold_sphere(3)),
                   domain_landmarks(list(diag(2)), manifold_spd(2)))) {
    expect_length(drawn_text(plot(one, main = "places"))[drawn_text(plot(one, main = "places")) == "places"], 1)
    expect_identical(dim(landmark_picture(one)$at), c(nrow(as.matrix(one)), 2L))
  }
  # what is drawn has the distances that there are, where a plane holds them
  triangle <- domain_landmarks(cbind(P, 0))
  expect_equal(as.vector(dist(landmark_picture(triangle)$at)), c(5, 4, 3))
})

test_that("rows go by the names of columns where both have names", {
  landmarks <- domain_landmarks(cbind(a = c(0, 1), b = c(0, 5)))
  X <- cbind(b = c(5, 0), a = c(1, 0))
  expect_equal(distance_to_measure(X, landmarks, 0.5, clip = 1), c(0, 0))
  bad(distance_to_measure(cbind(a = 1, c = 2), landmarks, 0.5, clip = 1),
      regexp = "`x` must have the columns that the domain names")
  expect_equal(distance_to_measure(unname(X[, 2:1]), landmarks, 0.5, clip = 1), c(0, 0))
  box <- domain_box(c(b = 0, a = 0), c(b = 9, a = 9))
  expect_identical(colnames(as.matrix(domain_landmarks(cbind(a = 1, b = 2), box = box))), c("b", "a"))
  bad(domain_landmarks(cbind(a = 1, c = 2), box = box), regexp = "`points`")
  bad(domain_landmarks(cbind(1, 2, 3), box = box), regexp = "`points` must have 2 columns")
})

test_that("what is no landmarks is refused by a classed error", {
  bad(domain_landmarks(), regexp = "`points`")
  for (slack in list(-1, NA, Inf, "a", c(0, 1))) bad(domain_landmarks(diag(2), slack = slack), regexp = "`slack`")
  for (box in list(1, "a", domain_grid(domain_box(0, 1), by = 1))) {
    bad(domain_landmarks(diag(2), box = box), regexp = "`box`")
  }
  bad(domain_landmarks(diag(2), manhattan, box = domain_box(c(0, 0), c(1, 1))), regexp = "`box` must be NULL unless")
  bad(domain_landmarks(diag(2), "euclidean", 0.5), regexp = "`...`")
  landmarks <- domain_landmarks(diag(2))
  for (what in list(list(triangulation = "alternating"), list(sublevel = FALSE), list(sublevel = NA),
                    list(max_dimension = 1), list(cap = NA))) {
    expect_error(do.call(dtm_persistence, c(list(diag(2), landmarks, 0.5, clip = 1), what)),
                 class = "dptda_error_argument")
  }
})
