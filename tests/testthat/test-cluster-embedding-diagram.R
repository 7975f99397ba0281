polygon <- function(n, radius = 1) radius * cbind(cos(2 * pi * seq_len(n) / n), sin(2 * pi * seq_len(n) / n))
bars <- function(diagram, q) diagram_persistence(diagram)[diagram$dimension == q]
flat_grid <- domain_grid(domain_box(c(-1, -1), c(1, 1)), by = 0.5)
methods_here <- function() c("rips", if (requireNamespace("TDA", quietly = TRUE)) "alpha", "dtm")
# without what ties of distances are to rounding
plain <- function(diagram, q) unlist(diagram[diagram$dimension == q & diagram_persistence(diagram) > 1e-9, 2:3],
                                     use.names = FALSE)
apart <- function(x, y) max(bottleneck_distance(x, y, dimension = 0:2))
diagram_of <- function(X, method, ..., grid = flat_grid, m0 = 0.3) {
  if (method == "dtm") embedding_diagram(X, method, grid = grid, m0 = m0, ...) else embedding_diagram(X, method, ...)
}

test_that("components end where a spanning tree has its edges, halfway for alpha", {
  set.seed(1)
  for (d in 1:4) for (n in c(2, 3, 10, 60)) {
    X <- matrix(stats::rnorm(n * d), n)
    heights <- sort(stats::hclust(stats::dist(X), "single")$height)
    rips <- embedding_diagram(X, max_dimension = 0)
    expect_equal(sort(rips$death), c(heights, Inf), tolerance = 1e-14)
    expect_identical(rips$birth, double(n))
    alpha <- embedding_diagram(X, "alpha", max_dimension = 0)
    expect_equal(sort(alpha$death), c(heights / 2, Inf), tolerance = 1e-14)
  }
})

test_that("loops and voids of shapes whose levels are known", {
  for (n in c(5, 12, 30)) {
    rips <- plain(embedding_diagram(polygon(n, 3)), 1)
    # Adamaszek and Adams (2017): a loop lives from one step along the polygon to ceiling(n / 3) steps
    expect_equal(rips, 6 * sin(pi * c(1, ceiling(n / 3)) / n), tolerance = 1e-12)
  }
  octahedron <- rbind(diag(3), -diag(3))
  void <- embedding_diagram(octahedron, max_dimension = 2)
  expect_equal(plain(void, 2), c(sqrt(2), 2))
  skip_if_not_installed("TDA")
  alpha <- embedding_diagram(polygon(12, 3), "alpha")
  expect_equal(plain(alpha, 1), c(3 * sin(pi / 12), 3), tolerance = 1e-9)
  void <- embedding_diagram(octahedron, "alpha", max_dimension = 2)
  expect_equal(plain(void, 2), c(sqrt(2 / 3), 1), tolerance = 1e-9)
})

test_that("Rips is what ripserr finds, up to its single precision", {
  skip_if_not_installed("ripserr")
  set.seed(2)
  X <- matrix(stats::rnorm(180), 60)
  found <- ripserr::vietoris_rips(X, max_dim = 2)
  ours <- embedding_diagram(X, max_dimension = 2)
  for (q in 1:2) {
    theirs <- found[found$dimension == q, ]
    expect_identical(length(bars(ours, q)), nrow(theirs))
    expect_equal(sort(bars(ours, q)), sort(theirs$death - theirs$birth), tolerance = 1e-5)
  }
})

test_that("alpha is what TDA finds, which are squares, and its diagram may be compared as it is", {
  skip_if_not_installed("TDA")
  set.seed(6)
  for (d in 2:3) {
    X <- matrix(stats::rnorm(40 * d), 40)
    squares <- as_dptda_diagram(TDA::alphaComplexDiag(X))
    theirs <- persistence_diagram(squares$dimension, sqrt(squares$birth), sqrt(squares$death))
    ours <- embedding_diagram(X, "alpha", max_dimension = d - 1)
    expect_lt(max(bottleneck_distance(ours, theirs, dimension = seq_len(d) - 1)), 1e-9)
  }
})

test_that("alpha is the persistence of the distance to the points, which a fine grid has up to its spacing", {
  skip_if_not_installed("TDA")
  set.seed(3)
  grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.02)
  for (n in c(3, 6, 25)) {
    X <- matrix(stats::runif(2 * n, -1.5, 1.5), n)
    alpha <- embedding_diagram(X, "alpha")
    distance <- embedding_diagram(X, "dtm", grid = grid, m0 = 1 / n)
    # no point of the plane is farther than half a diagonal from the grid
    expect_lt(max(bottleneck_distance(alpha, distance, dimension = 0:1)), 0.02 * sqrt(2))
  }
})

test_that("alpha in four and five dimensions", {
  skip_if_not_installed("TDA")
  set.seed(7)
  for (i in 1:10) for (d in 4:5) {
    X <- matrix(stats::rnorm(12 * d), 12)
    # voids too, of which there may be few
    expect_identical(max(embedding_diagram(X, "alpha", max_dimension = 9)$dimension) < d, TRUE)
    # loops are born and die between levels of Rips: the two complexes are in each other, up to a factor of sqrt(2)
    alpha <- embedding_diagram(X, "alpha")
    rips <- embedding_diagram(X)
    logarithms <- function(x, factor) {
      x <- x[x$dimension == 1, ]
      persistence_diagram(1, log(x$birth * factor), log(x$death * factor))
    }
    expect_lte(bottleneck_distance(logarithms(alpha, 2), logarithms(rips, 1), dimension = 1), log(2) / 2 + 1e-9)
  }
  flat <- matrix(stats::rnorm(30), 10)
  flat <- cbind(flat, flat[, 1] - flat[, 2])
  expect_lt(apart(embedding_diagram(flat, "alpha"),
                  embedding_diagram(stats::cmdscale(stats::dist(flat), 3), "alpha")), 1e-9)
  # a cross-polytope is a sphere of three dimensions
  sphere <- embedding_diagram(rbind(diag(4), -diag(4)), "alpha", max_dimension = 3)
  expect_equal(plain(sphere, 3), c(sqrt(3) / 2, 1), tolerance = 1e-9)
})

test_that("nothing, one point, two, equal ones, and points on a line", {
  for (method in methods_here()) {
    expect_identical(nrow(diagram_of(matrix(0, 0, 2), method)), 0L)
    for (X in list(cbind(0.5, 0.5), matrix(0.5, 4, 2))) {
      one <- diagram_of(X, method)
      expect_identical(one$dimension, 0L)
      expect_identical(one$death, Inf)
    }
    expect_identical(diagram_of(rbind(c(-1, 0), c(1, 0)), method, m0 = 0.5)$death,
                     c(Inf, c(rips = 2, alpha = 1, dtm = 1)[[method]]))
    line <- diagram_of(cbind(seq(-1, 1, by = 0.5)), method, grid = domain_grid(domain_box(-1, 1), by = 0.25), m0 = 0.2)
    expect_equal(line$death, c(Inf, rep(c(rips = 0.5, alpha = 0.25, dtm = 0.25)[[method]], 4)))
    expect_identical(unique(line$dimension), 0L)
  }
  for (method in setdiff(methods_here(), "dtm")) {
    # no dimension: all vertices are one point
    expect_identical(diagram_of(matrix(0, 5, 0), method)$death, Inf)
    # each point three times, far from the origin
    X <- 1000 + polygon(9)
    expect_lt(apart(diagram_of(X[rep(1:9, 3), ], method), diagram_of(X, method)), 1e-9)
    # the same plane in space, and a line in the plane
    turn <- qr.Q(qr(rbind(c(1, 2, 3), c(2, 1, 0), c(0, 1, 5))))
    space <- diagram_of(cbind(polygon(11), 0) %*% turn, method, max_dimension = 2)
    expect_length(plain(space, 2), 0)
    expect_lt(apart(space, diagram_of(polygon(11), method)), 1e-9)
    slope <- diagram_of(cbind(1:6, 2 * (1:6)), method)
    expect_equal(bars(slope, 0), c(Inf, rep(sqrt(5) / (1 + (method == "alpha")), 5)))
    expect_length(bars(slope, 1), 0)
  }
})

test_that("a threshold leaves what is alive there without an end, and nothing that is born later", {
  set.seed(4)
  X <- rbind(polygon(20, 0.9), matrix(stats::runif(20, -0.5, 0.5), 10))
  for (method in methods_here()) {
    whole <- diagram_of(X, method, m0 = 0.1)
    ends <- sort(unique(whole$death))
    for (threshold in c(0, ends[2], mean(ends[2:3]), ends[length(ends) - 1], 10)) {
      cut <- diagram_of(X, method, m0 = 0.1, threshold = threshold)
      expected <- whole[whole$birth <= threshold, ]
      death <- replace(expected$death, expected$death > threshold, Inf)
      expected <- persistence_diagram(expected$dimension, expected$birth, death)
      sorted <- function(x) x[order(x$dimension, x$birth, x$death), ]
      expect_identical(as.matrix(sorted(cut)), as.matrix(sorted(expected)))
    }
  }
})

test_that("the order of points does not matter, and scale is scale", {
  set.seed(5)
  X <- matrix(stats::runif(60, -1, 1), 30)
  for (method in methods_here()) {
    expect_equal(as.matrix(diagram_of(X[sample(30), ], method)), as.matrix(diagram_of(X, method)), tolerance = 1e-12)
  }
  for (method in setdiff(methods_here(), "dtm")) {
    one <- as.matrix(diagram_of(X, method)[-1, ])
    expect_equal(as.matrix(diagram_of(4 * X, method)[-1, ]), one %*% diag(c(1, 4, 4)), tolerance = 1e-9,
                 ignore_attr = TRUE)
    expect_lt(shift_invariant_distance(diagram_of(X, method), diagram_of(7 * X, method), dimension = 0,
                                       log = TRUE), 1e-9)
  }
})

test_that("the diagram of a private embedding carries its guarantee, that of anything else none", {
  release <- private_graph(kronecker(diag(2), matrix(1, 20, 20)), 3)
  points <- spectral_embedding(release, 2)
  for (method in methods_here()) {
    diagram <- diagram_of(points, method)
    expect_identical(privacy(diagram), privacy(release))
    expect_output(print(diagram), "one edge")
    expect_identical(privacy(diagram[diagram$dimension == 0, ]), privacy(release))
    diagram$death[2] <- 99
    expect_null(privacy(diagram))
    expect_null(privacy(diagram_of(as.matrix(points), method)))
    expect_output(print(summary(diagram_of(points, method))), "<private persistence diagram>")
  }
  points$X[1, 1] <- 1
  expect_null(privacy(embedding_diagram(points)))
  expect_null(privacy(embedding_diagram(spectral_embedding(matrix(1, 9, 9), 2))))
  # landmarks that rows have charged
  rows <- privacy_declare(epsilon = 1, n = 40)
  landmarks <- attach_guarantee(domain_landmarks(polygon(6), "euclidean", box = domain_box(c(-2, -2), c(2, 2))), rows)
  points <- spectral_embedding(release, 2)
  expect_null(privacy(embedding_diagram(points, "dtm", grid = landmarks, m0 = 0.2)))
  expect_identical(privacy(embedding_diagram(points, "dtm", grid = domain_landmarks(polygon(6), "euclidean",
    box = domain_box(c(-2, -2), c(2, 2))),
                                             m0 = 0.2)), privacy(release))
})

test_that("what computed it, and how, is written on it", {
  for (method in methods_here()) {
    diagram <- diagram_of(polygon(8), method, max_dimension = 0, threshold = 9)
    expect_identical(attr(diagram, "parameters")[c("method", "max_dimension", "threshold")],
                     list(method = method, max_dimension = 0, threshold = 9))
    expect_identical(as_dptda_diagram(as.data.frame(diagram))$death, diagram$death)
  }
})

test_that("what is not understood is refused", {
  X <- polygon(5)
  expect_error(embedding_diagram(), class = "dptda_error_argument")
  expect_error(embedding_diagram(replace(X, 1, NA)), class = "dptda_error_argument")
  expect_error(embedding_diagram(1e308 * X), "finite", class = "dptda_error_argument")
  expect_error(embedding_diagram(X, "witness"), class = "dptda_error_argument")
  expect_error(embedding_diagram(X, "dtm", m0 = 0.1), "grid", class = "dptda_error_argument")
  expect_error(embedding_diagram(X, "dtm", grid = flat_grid), "m0", class = "dptda_error_argument")
  expect_error(embedding_diagram(X, grid = flat_grid), "dtm", class = "dptda_error_argument")
  expect_error(embedding_diagram(X, m0 = 0.1), "dtm", class = "dptda_error_argument")
  expect_error(embedding_diagram(cbind(X, 0), "dtm", grid = flat_grid, m0 = 0.1), "dimensions",
               class = "dptda_error_argument")
  expect_error(embedding_diagram(matrix(0, 4, 5), "dtm", grid = flat_grid, m0 = 0.1), "landmarks",
               class = "dptda_error_argument")
  expect_error(embedding_diagram(matrix(0, 6000, 1)), class = "dptda_error_argument")
  expect_error(embedding_diagram(matrix(0, 30000, 1), max_dimension = 0), class = "dptda_error_size")
  with_replaced("need_graph_package", function(name, what) stop_dptda("package", name), {
    expect_error(embedding_diagram(X, "alpha"), "TDA", class = "dptda_error_package")
    expect_identical(attr(embedding_diagram(X, "alpha", max_dimension = 0), "software"), "dptda")
  })
})

test_that("Kang et al. (2024), Theorem 5: the Rips diagram of two heaps moves by D / 4 for every n", {
  for (method in setdiff(methods_here(), "dtm")) for (n in c(10, 11, 100, 1000)) {
    X <- rbind(matrix(0, n %/% 2, 2), matrix(c(3, 4), n - n %/% 2, 2, byrow = TRUE))
    X1 <- replace(X, cbind(1, 1:2), c(1.5, 2))
    change <- bottleneck_distance(embedding_diagram(X, method, max_dimension = 0),
                                  embedding_diagram(X1, method, max_dimension = 0), dimension = 0)
    # Rips complexes have lengths of edges, which are twice the radii of the theorem
    expect_equal(change / (if (method == "rips") 2 else 1), 5 / 4, tolerance = 1e-12)
  }
})

# Loops of points on a circle, and of the embeddings of graphs of such points and of their releases. Two standard errors
# of the ratio are 0.1 with 20 graphs of 100 vertices, and 0.06 with 400 vertices. The seed is fixed, and the bounds are
# five standard errors away for 8 graphs, a false alarm of one in a million each.
test_that("Vishwanath and Hehir (2022), Proposition 2 (i): the rate of a graph, with a constant of about 1.48", {
  skip_if_instrumented()
  skip_if_not_installed("TDA")
  set.seed(31)
  positions <- function(angle) cbind(sqrt(0.5), sqrt(0.4) * cos(angle), sqrt(0.4) * sin(angle))
  curve <- embedding_diagram(positions(2 * pi * (1:400) / 400), "alpha")
  from_curve <- function(graph, n = NULL) {
    bottleneck_distance(curve, embedding_diagram(spectral_embedding(graph, 3, n = n), "alpha"), dimension = 1)
  }
  errors <- vapply(c(100, 400), function(n) {
    rowMeans(replicate(long_or(20, 8), {
      graph <- simulate(graph_rdpg(positions(stats::runif(n, 0, 2 * pi))))
      c(from_curve(graph, n), from_curve(private_graph(graph, 2, n = n, rng = "R")))
    }))
  }, double(2))
  expect_true(all(abs(errors[2, ] / errors[1, ] - 1.48) < 0.35))
  # both fall by the same factor, 4^-0.37
  fall <- errors[, 2] / errors[, 1]
  expect_true(all(abs(fall - 4^-0.37) < 0.15))
})
