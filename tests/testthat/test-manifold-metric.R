bad <- function(expr, ...) expect_error(expr, class = "dptda_error_argument", ...)

metric_spaces <- function() {
  list(
    manifold_sphere(5), manifold_sphere(2, radius = 3), manifold_spd(3), manifold_spd(3, "log-euclidean"),
    manifold_rotation(3),
    manifold_rotation(4), manifold_grassmann(2, 5), manifold_grassmann(3, 4), manifold_shapes(5),
    manifold_hyperbolic(3, curvature = -0.5),
    manifold_euclidean(7), manifold_product(manifold_sphere(2), manifold_rotation(2)),
    manifold_product(manifold_sphere(2), manifold_spd(2), manifold_euclidean(1)), own_line()
  )
}

# The line, with other functions in the place of some of its own.
own_line <- function(...) {
  functions <- list(
    shape = 1, dimension = 1, exp = function(x, v) x + v, log = function(x, y) y - x, basis = function(x) matrix(1),
    distance = function(x, y) abs(x - y), project = function(x) x, curvature = c(0, 0), injectivity_radius = Inf,
    homogeneous = TRUE, name = "line"
  )
  do.call(manifold_custom, utils::modifyList(functions, list(...)))
}

# Random points of the manifold as columns; matrices are well inside of their cone.
points_of <- function(count, manifold) {
  middle <- function(M) {
    if (M$kind == "product") return(unlist(lapply(M$factors, middle)))
    if (startsWith(M$kind, "spd")) 3 * as.vector(diag(M$shape[1])) else double(M$size)
  }
  numbers <- matrix(rnorm(count * manifold$size, sd = 0.3), manifold$size) + middle(manifold)
  project_points(numbers, manifold)$value
}

test_that("distances from a place are geodesic distances, whatever stands beside a row", {
  set.seed(1)
  for (manifold in metric_spaces()) {
    metric <- as_metric(manifold)
    P <- points_of(31, manifold)
    X <- shape_points(P, manifold)
    found <- metric$distances(P[, 1], P)
    # which moves points onto the manifold once more
    expect_equal(found, as.vector(manifold_distance(X, X, manifold, pairwise = TRUE)[1, ]), tolerance = 1e-7)
    # one by one, in another order, beside rows that are none
    alone <- vapply(seq_len(ncol(P)), function(i) metric$distances(P[, 1], P[, i, drop = FALSE]), 0)
    expect_identical(alone, found)
    expect_identical(metric$distances(P[, 1], P[, rev(seq_len(ncol(P))), drop = FALSE]), rev(found))
    hostile <- P
    hostile[, 5] <- Inf
    hostile[, 6] <- NaN
    kept <- setdiff(seq_len(ncol(P)), 5:6)
    expect_identical(metric$distances(P[, 1], hostile)[kept], found[kept])
    expect_true(all(is.nan(metric$distances(P[, 1], hostile)[5:6])))
    expect_lte(max(found), metric$diameter * (1 + 1e-12))
  }
})

test_that("the diameter of a compact manifold is attained, and a product has one if its factors have", {
  expect_identical(manifold_diameter(manifold_sphere(3, radius = 2)), 2 * pi)
  apart <- function(manifold, x, y) {
    expect_equal(manifold_distance(x, y, manifold), manifold_diameter(manifold), tolerance = 1e-7)
  }
  apart(manifold_sphere(2), c(0, 0, 1), c(0, 0, -1))
  for (p in 2:5) apart(manifold_rotation(p), diag(p), diag(rep(c(-1, 1), c(2 * (p %/% 2), p %% 2)), p))
  for (p in 2:6) for (k in seq_len(p - 1)) {
    # as much at right angles to the first as there is room for
    apart(manifold_grassmann(k, p), diag(p)[, seq_len(k), drop = FALSE], diag(p)[, seq.int(p - k + 1, p), drop = FALSE])
  }
  apart(manifold_shapes(3), as_shapes(cbind(c(1, -1, 0), 0)), as_shapes(cbind(c(1, 1, -2), 0)))
  ball <- manifold_product(manifold_sphere(1), manifold_rotation(3))
  expect_equal(manifold_diameter(ball), sqrt(2) * pi)
  for (manifold in list(manifold_spd(2), manifold_hyperbolic(2), manifold_euclidean(3), own_line(),
                        manifold_product(manifold_euclidean(1), manifold_euclidean(1)),
                        manifold_product(ball, manifold_spd(2)))) {
    expect_identical(manifold_diameter(manifold), Inf)
  }
})

test_that("rows that are no points are moved onto the manifold, or are far from everything, and none is heard of", {
  values <- function(X, manifold, at, clip = Inf) distance_to_measure(X, domain_landmarks(at, manifold), 1e-9,
                                                                      clip = clip)
  M <- manifold_sphere(1)
  expect_equal(values(rbind(c(0, 5)), M, rbind(c(1, 0))), pi / 2)
  # neither a direction nor anything else
  for (x in list(c(0, 0), c(Inf, 0), c(Inf, -Inf))) {
    expect_silent(expect_identical(values(rbind(x), M, rbind(c(1, 0))), pi))
    expect_silent(expect_identical(values(rbind(x), M, rbind(c(1, 0)), clip = 2), 2))
    expect_equal(values(rbind(x, c(0, 1)), M, rbind(c(1, 0))), pi / 2)
  }
  for (x in list(c(1e308, 1e308), c(1e-320, 0), c(-1e-310, 1e308))) expect_silent(values(rbind(x), M, rbind(c(1, 0))))
  matrices <- list(matrix(0, 2, 2), -diag(2), matrix(c(1, 5, -5, 1), 2), matrix(1e308, 2, 2), diag(c(1, Inf)),
                   diag(c(1e-320, 1)),
                   matrix(c(0, 1, 1, 0), 2))
  for (M in list(manifold_spd(2), manifold_spd(2, "log-euclidean"), manifold_rotation(2))) for (x in matrices) {
    expect_silent(found <- values(list(x), M, list(diag(2)), clip = 3))
    expect_true(found >= 0 && found <= 3)
  }
  expect_silent(values(rbind(c(-5, 0, 0), c(0, 0, 0), c(Inf, 1, 1)), manifold_hyperbolic(2), rbind(c(1, 0, 0)),
                       clip = 1))
  pair <- manifold_product(manifold_sphere(1), manifold_euclidean(1))
  expect_silent(found <- values(list(rbind(c(0, 0), c(1, 0)), c(0, Inf)), pair, list(rbind(c(1, 0)), 0), clip = 5))
  expect_identical(found, 5)
})

test_that("functions of a user's manifold may fail, warn and give rubbish, and nothing is seen", {
  rubbish <- list("a", NULL, c(1, 2), NaN, Inf, NA, list(1), mean, TRUE, 1i)
  deeds <- c(lapply(rubbish, function(value) function() value),
             list(function() stop("seen"), function() { warning("seen"); 1 }, function() { message("seen"); 1 }))
  for (deed in deeds) for (place in c("distance", "project")) {
    manifold <- switch(place,
      distance = own_line(distance = function(x, y) if (max(x, y) > 5) deed() else abs(x - y)),
      project = own_line(project = function(x) if (x > 5) deed() else x)
    )
    landmarks <- domain_landmarks(1:3, manifold)
    expect_silent(found <- distance_to_measure(c(1, 2, 7), landmarks, 1, clip = 10))
    expect_true(all(found >= 0 & found <= 10))
    expect_silent(near <- distance_to_measure(c(1, 2, 7), landmarks, 1 / 3, clip = 10)[1:2])
    if (place == "distance") expect_identical(near, c(0, 0))
    lattice <- distance_lattice(3, landmarks, 1, 1, 10)
    expect_silent(steps <- lattice_distances(c(1, 2, 7), lattice, 1000))
    expect_true(all(steps == floor(steps) & steps >= 0 & steps <= 3000))
  }
  # at places everything is public
  bad(domain_landmarks(c(1, 7), own_line(distance = function(x, y) if (max(x, y) > 5) NaN else abs(x - y))),
      regexp = "`points`")
  expect_error(domain_landmarks(c(1, 7), own_line(project = function(x) if (x > 5) stop("seen") else x)))
})

test_that("places must be on the manifold, and rows be of its form", {
  bad(domain_landmarks(rbind(c(1, 1)), manifold_sphere(1)), regexp = "`points` must be on the manifold")
  bad(domain_landmarks(list(-diag(2)), manifold_spd(2)), regexp = "`points`")
  bad(domain_landmarks(diag(3), manifold_sphere(1)), regexp = "`points`")
  bad(domain_landmarks(rbind(c(1, 0)), manifold_sphere(1), box = domain_box(c(0, 0), c(1, 1))), regexp = "`box`")
  landmarks <- domain_landmarks(rbind(c(1, 0)), manifold_sphere(1))
  grid <- domain_grid(domain_box(c(0, 0), c(1, 1)), size = 2)
  for (X in list("a", NULL, diag(3), c(NA, 1), cbind(NaN, 1), matrix(double(), 0, 2), scale(diag(2)),
                 bin_points(diag(2), grid))) {
    bad(distance_to_measure(X, landmarks, 0.5), regexp = "`x`")
  }
  bad(distance_to_measure(matrix(0, 1, 2), landmarks, 0.5, weights = 1.5), regexp = "`weights`")
})
