random_square <- function(n, p = 0.5) {
  A <- matrix(0, n, n)
  A[upper.tri(A)] <- as.numeric(stats::runif(n * (n - 1) / 2) < p)
  A + t(A)
}

packed <- function(A) .Call(ffi_graph_pack_matrix, nrow(A), A, kernel_options())
listed <- function(A) .Call(ffi_graph_unpack, nrow(A), packed(A), kernel_options())

# each entry is a sum of at most n numbers, in another order
rounding <- function(A, x) 2 * nrow(A) * .Machine$double.eps * (A %*% abs(x))

# Eigenvalues in the order of an embedding.
eigen_or_none <- function(A) {
  diag(A) <- 0
  values <- if (nrow(A)) eigen(A, TRUE)$values else double()
  values[order(-abs(values), -values)]
}

test_that("a packed graph and a list multiply as their matrix does, up to the rounding of sums", {
  set.seed(1)
  for (n in c(0, 1, 2, 3, 63, 64, 65, 127, 129, 600, 1100)) for (p in c(0, 0.05, 0.5, 1)) {
    A <- random_square(n, p)
    x <- matrix(stats::rnorm(3 * n), n, 3)
    for (y in list(multiply_graph(n, packed(A), NULL, x), multiply_graph(n, NULL, listed(A), x))) {
      expect_identical(dim(y), c(as.integer(n), 3L))
      expect_true(all(abs(y - A %*% x) <= rounding(A, x)))
    }
    # whole numbers are exact
    whole <- matrix(sample(-1000:1000, n, TRUE) + 0, n)
    expect_identical(multiply_graph(n, packed(A), NULL, whole), A %*% whole)
    expect_identical(multiply_graph(n, NULL, listed(A), whole), A %*% whole)
  }
})

test_that("a product is the same for all numbers of threads, and in a fork", {
  set.seed(2)
  n <- 3000
  bits <- packed(random_square(n, 0.3))
  x <- matrix(stats::rnorm(n))
  alone <- withr::with_options(list(dptda.threads = 1), multiply_graph(n, bits, NULL, x))
  for (threads in 2:3) {
    expect_identical(withr::with_options(list(dptda.threads = threads), multiply_graph(n, bits, NULL, x)), alone)
  }
  skip_on_os("windows")
  child <- parallel::mcparallel(multiply_graph(n, bits, NULL, x))
  expect_identical(parallel::mccollect(child)[[1]], alone)
})

test_that("an entry that is no number stays where it has no edge", {
  A <- random_square(70, 0)
  A[1, 66] <- A[66, 1] <- 1
  x <- matrix(c(Inf, rep(1, 69)))
  y <- multiply_graph(70, packed(A), NULL, x)
  expect_identical(y[c(1, 2, 66)], c(1, 0, Inf))
})

test_that("an edge with an end that is no vertex is refused", {
  for (end in c(0L, 4L, NA)) {
    expect_error(.Call(ffi_graph_multiply_list, 3, end, 1L, matrix(1, 3), .1, .8, kernel_options()),
                 class = "dptda_error_argument")
  }
})

test_that("a debiased graph is the formula, in numbers and in products, for lists and bits", {
  set.seed(3)
  A <- random_square(90, 0.2)
  for (epsilon in c(1e-9, 0.3, 2, 6, 50)) for (method in c("edgeflip", "laplaceflip")) {
    release <- private_graph(A, epsilon, method = method)
    randomized <- as.matrix(release)
    flip <- if (method == "edgeflip") 1 / (1 + exp(epsilon)) else exp(-epsilon / 2) / 2
    contrast <- if (method == "edgeflip") tanh(epsilon / 2) else -expm1(-epsilon / 2)
    made <- graph_debias(release)
    expect_equal(made$contrast, contrast, tolerance = 1e-12)
    expected <- (randomized - flip * (1 - diag(90))) / contrast
    expect_equal(as.matrix(made), expected, tolerance = 1e-12)
    x <- matrix(stats::rnorm(180), 90)
    expect_equal(graph_multiply(release, x), expected %*% x, tolerance = 1e-9)
    expect_identical(graph_multiply(made, x[, 1]), graph_multiply(release, x)[, 1, drop = FALSE])
    expect_identical(privacy(made), privacy(release))
  }
  expect_error(graph_debias(private_graph(A, 0)), "nothing to debias", class = "dptda_error_argument")
  expect_error(spectral_embedding(private_graph(A, 0)), class = "dptda_error_argument")
  expect_s3_class(spectral_embedding(private_graph(A, 0), 2, debias = FALSE), "dptda_embedding")
})

test_that("a guarantee does not outlive the operator or the embedding that carries it", {
  set.seed(4)
  release <- private_graph(random_square(70), 1)
  made <- graph_debias(release)
  points <- spectral_embedding(release, 2)
  expect_identical(privacy(points), privacy(release))
  expect_identical(privacy(spectral_embedding(made, 2)), privacy(release))
  made$bits[1] <- xor(made$bits[1], as.raw(2))
  expect_null(privacy(made))
  points$X[1, 1] <- 0
  expect_null(privacy(points))
  expect_null(privacy(as.matrix(spectral_embedding(release, 2))))
  expect_null(privacy(graph_debias(random_square(5))))
})

test_that("graphs that are not private come as matrices, sparse matrices, igraphs and lists of edges", {
  set.seed(5)
  A <- random_square(130, 0.02)
  points <- spectral_embedding(A, 3)
  expect_equal(abs(points$eigenvalues), sort(abs(eigen(A)$values), decreasing = TRUE)[1:3])
  edges <- as.data.frame(listed(A))
  expect_equal(spectral_embedding(edges, 3, n = 130), points)
  attr(edges, "n") <- 130 # as a model of a graph says it
  expect_equal(spectral_embedding(edges, 3), points)
  expect_identical(is.null(graph_debias(edges)$bits), TRUE)
  expect_identical(is.null(graph_debias(as.data.frame(listed(random_square(130))), n = 130)$bits), FALSE)
  names <- paste0("v", 1:130)
  expect_identical(rownames(spectral_embedding(A, 3, vertices = names)$X), names)
  expect_identical(rownames(graph_multiply(A, diag(130), vertices = names)), names)
  skip_if_not_installed("Matrix")
  expect_equal(spectral_embedding(Matrix::Matrix(A, sparse = TRUE), 3), points)
  skip_if_not_installed("igraph")
  graph <- igraph::graph_from_adjacency_matrix(A, "undirected")
  expect_equal(spectral_embedding(graph, 3), points)
  expect_error(spectral_embedding(igraph::graph_from_adjacency_matrix(A), 3), class = "dptda_error_argument")
})

test_that("both ways to eigenvalues give the same points", {
  skip_if_not_installed("RSpectra")
  set.seed(6)
  blocks <- kronecker(diag(3), matrix(0.3, 120, 120)) + 0.1
  A <- mirror(matrix(stats::runif(360^2), 360) < blocks)
  release <- private_graph(A, 4)
  for (type in c("adjacency", "laplacian")) {
    fast <- spectral_embedding(release, 3, type = type)
    with_replaced("has_spectra", function() FALSE, slow <- spectral_embedding(release, 3, type = type))
    expect_equal(fast$X %*% t(fast$X), slow$X %*% t(slow$X), tolerance = 1e-8)
    expect_equal(fast$eigenvalues, slow$eigenvalues, tolerance = 1e-9)
    expect_equal(fast$X[, 1], slow$X[, 1], tolerance = 1e-8)
  }
  # the definition, by plain R
  M <- as.matrix(graph_debias(release))
  e <- eigen(M)
  first <- order(-abs(e$values))[1:3]
  expect_equal(tcrossprod(fast_points <- spectral_embedding(release, 3)$X),
               tcrossprod(e$vectors[, first] %*% diag(sqrt(abs(e$values[first])))), tolerance = 1e-8)
  expect_identical(spectral_embedding(release, 3)$X, fast_points)
  degrees <- pmax(rowSums(M), 0) + 7
  L <- M / sqrt(outer(degrees, degrees))
  expect_equal(spectral_embedding(release, 2, type = "laplacian", regularization = 7)$eigenvalues,
               eigen(L)$values[order(-abs(eigen(L)$values))[1:2]], tolerance = 1e-9)
  with_replaced("has_spectra", function() FALSE, {
    with_replaced("most_without_package", 300, {
      with_replaced("need_graph_package", function(name, what) stop_dptda("package", what), {
        expect_error(spectral_embedding(release, 3), class = "dptda_error_package")
      })
    })
  })
})

test_that("signature, signs and lengths of points", {
  # a bipartite graph has eigenvalues of both signs
  A <- kronecker(matrix(c(0, 1, 1, 0), 2), matrix(1, 5, 5))
  points <- spectral_embedding(A, 2)
  expect_equal(points$eigenvalues, c(5, -5))
  expect_identical(points$signature, c(positive = 1L, negative = 1L))
  expect_equal(points$X %*% diag(c(1, -1)) %*% t(points$X), A)
  expect_true(all(apply(points$X, 2, function(x) x[which(abs(x) > max(abs(x)) * (1 - 1e-6))[1]] > 0)))
  unit <- spectral_embedding(rbind(cbind(A, 0), 0), 2, normalize = TRUE)$X
  expect_equal(rowSums(unit^2), c(rep(1, 10), 0))
})

test_that("what is at the origin but for rounding stays there", {
  skip_if_not_installed("RSpectra")
  set.seed(41)
  A <- matrix(0, 400, 400)
  A[1:380, 1:380] <- stats::runif(380^2) < kronecker(matrix(c(0.3, 0.1, 0.1, 0.3), 2), matrix(1, 190, 190))
  A <- mirror(A)
  unit <- spectral_embedding(A, 2, normalize = TRUE)$X
  expect_equal(rowSums(unit^2), rep(c(1, 0), c(380, 20)))
})

test_that("a Laplacian with isolated vertices, and without edges", {
  A <- matrix(0, 12, 12)
  A[1:5, 1:5] <- A[6:10, 6:10] <- 1
  diag(A) <- 0
  points <- spectral_embedding(A, 2, type = "laplacian", regularization = 0)
  expect_equal(points$eigenvalues, c(1, 1))
  expect_identical(points$X[11:12, ], matrix(0, 2, 2))
  expect_equal(spectral_embedding(matrix(0, 4, 4), 4, type = "laplacian")$eigenvalues, double(4))
})

test_that("no vertices, few, no edges, all edges, all dimensions", {
  for (n in c(0, 1, 2, 3, 20)) for (A in list(matrix(0, n, n), matrix(1, n, n))) {
    for (type in c("adjacency", "laplacian")) {
      full <- spectral_embedding(A, n, type = type)
      expect_identical(dim(full$X), as.integer(c(n, n)))
      expect_identical(nrow(spectral_embedding(private_graph(A, 1), type = type)$X), as.integer(n))
      expect_identical(dim(spectral_embedding(A, 0, type = type)$X), as.integer(c(n, 0)))
    }
    expect_equal(tcrossprod(spectral_embedding(A, n)$X %*% diag(sign(eigen_or_none(A)), n), spectral_embedding(A, n)$X),
                 A - diag(diag(A), n))
    expect_identical(ncol(spectral_embedding(A)$X), as.integer(n > 2 && A[1, 1] == 1))
  }
  expect_error(spectral_embedding(matrix(0, 3, 3), 4), class = "dptda_error_argument")
  # beyond what is done by eigen()
  for (A in list(matrix(0, 400, 400), matrix(1, 400, 400))) {
    expect_identical(ncol(spectral_embedding(A)$X), as.integer(A[1, 1]))
  }
  for (epsilon in c(1e-9, 50)) {
    expect_identical(nrow(spectral_embedding(private_graph(matrix(1, 400, 400), epsilon))$X), 400L)
  }
})

test_that("probabilities after flips are inner products of points with one more coordinate", {
  # Vishwanath and Hehir, proposition 1: p + (1 - 2 p) <x, y> = <phi(x), phi(y)>, phi(x) = (sqrt(1 - 2 p) x, sqrt(p)).
  # Means of 600 graphs of 21 pairs, twice, against it; no mean is farther than 6 standard errors (false alarm below
  # 1e-7).
  set.seed(7)
  X <- cbind(seq(0.2, 0.9, length.out = 7), seq(0.4, 0.1, length.out = 7))
  P <- tcrossprod(X)
  for (epsilon in c(0.5, 2)) {
    made <- graph_debias(private_graph(matrix(0, 7, 7), epsilon))
    phi <- cbind(sqrt(made$contrast) * X, sqrt(made$flip))
    draws <- 600
    randomized <- unbiased <- matrix(0, 7, 7)
    for (draw in seq_len(draws)) {
      A <- mirror(matrix(stats::runif(49), 7) < P)
      release <- private_graph(A, epsilon, rng = "R")
      randomized <- randomized + as.matrix(release) / draws
      unbiased <- unbiased + as.matrix(graph_debias(release)) / draws
    }
    off <- upper.tri(P)
    expected <- tcrossprod(phi)
    error <- sqrt(expected * (1 - expected) / draws)
    expect_lt(max(abs(randomized - expected)[off] / error[off]), 6)
    # and debiasing gives the probabilities back
    expect_lt(max(abs(unbiased - P)[off] / error[off]) * made$contrast, 6)
  }
})

test_that("flips show as one more positive dimension unless they are taken out", {
  skip_if_not_installed("RSpectra")
  set.seed(8)
  n <- 1200
  x <- rep(c(0.1, 0.8), each = n / 2)
  release <- private_graph(mirror(matrix(stats::runif(n^2), n) < tcrossprod(x)), 1, rng = "R")
  # one dimension; with randomized response two, the second eigenvalue 45 where the noise ends at 32
  expect_identical(spectral_embedding(release)$signature, c(positive = 1L, negative = 0L))
  expect_identical(spectral_embedding(release, debias = FALSE)$signature, c(positive = 2L, negative = 0L))
  # the inner products of what is found are the probabilities, nearly
  X <- spectral_embedding(release)$X
  expect_lt(mean(abs(tcrossprod(X) - tcrossprod(x))), 0.06)
})

test_that("a negative eigenvalue is found, and what the noise has added to it is taken off", {
  set.seed(8)
  # two groups that prefer the other: eigenvalues 180 and -120
  P <- kronecker(matrix(c(0.1, 0.5, 0.5, 0.1), 2), matrix(1, 300, 300))
  out <- spectral_embedding(private_graph(mirror(matrix(stats::runif(600^2), 600) < P), 2, rng = "R"))
  expect_identical(out$signature, c(positive = 1L, negative = 1L))
  # sampling moves them by about 1
  expect_lt(max(abs(out$corrected - c(180, -120))), 5)
  expect_equal(out$eigenvalues, out$corrected + 600 * out$noise^2 / out$corrected)
})

test_that("the edge of the noise is passed by chance in few graphs", {
  # 40 graphs without a structure: at most one dimension (the mean) but in two of them; in a larger run one of 600 had
  # more, so false alarm below 1e-4
  set.seed(9)
  dimensions <-
    vapply(1:40, function(i) ncol(spectral_embedding(private_graph(random_square(120, 0.2), 1, rng = "R"))$X), 0L)
  expect_lte(sum(dimensions > 1), 2)
  expect_gte(min(dimensions), 1)
})

test_that("an interrupt in the middle leaves nothing behind", {
  skip_if_not_installed("RSpectra")
  set.seed(10)
  release <- private_graph(data.frame(from = 1L, to = 2L), 1, n = 4000)
  products <- 0
  slow <- multiply_graph
  stops <- function(...) {
    products <<- products + 1
    if (products == 5) signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
    slow(...)
  }
  ended <- with_replaced("multiply_graph", stops, tryCatch(spectral_embedding(release, 1), interrupt = function(cnd)
                                                           "interrupted"))
  expect_identical(ended, "interrupted")
  expect_identical(.Call(ffi_test_live_blocks), 0)
  expect_identical(spectral_embedding(release, 1)$X, spectral_embedding(release, 1)$X)
})

test_that("the user's interrupt is heard within a product", {
  skip_if_not_installed("RSpectra")
  skip_on_os("windows")
  release <- private_graph(data.frame(from = 1L, to = 2L), 1, n = 6000)
  products <- 0
  usual <- multiply_graph
  signals <- function(...) {
    products <<- products + 1
    if (products == 5) tools::pskill(Sys.getpid(), tools::SIGINT)
    usual(...)
  }
  ended <- with_replaced("multiply_graph", signals,
                         tryCatch(spectral_embedding(release, 1), interrupt = function(cnd) "interrupted"))
  expect_identical(ended, "interrupted")
  expect_identical(products, 5)
  expect_identical(.Call(ffi_test_live_blocks), 0)
  # nothing is left of it
  expect_identical(privacy(spectral_embedding(release, 1)), privacy(release))
})

test_that("alignment finds a rotation that was made, and keeps the signs of dimensions apart", {
  set.seed(11)
  X <- matrix(stats::rnorm(60), 20)
  Q <- qr.Q(qr(matrix(stats::rnorm(9), 3)))
  turned <- align_embedding(X %*% Q, X)
  expect_equal(c(turned), c(X))
  expect_equal(attr(turned, "rotation"), t(Q))
  # no other rotation is nearer
  Y <- matrix(stats::rnorm(60), 20)
  best <- sum((align_embedding(X, Y) - Y)^2)
  others <- replicate(200, sum((X %*% qr.Q(qr(matrix(stats::rnorm(9), 3))) - Y)^2))
  expect_lte(best, min(others))
  A <- random_square(40)
  one <- spectral_embedding(A, 4)
  two <- spectral_embedding(private_graph(A, 8), 4)
  if (identical(one$signature, two$signature)) {
    rotation <- attr(align_embedding(two, one), "rotation")
    form <- function(x) diag(sign(x$eigenvalues))
    expect_equal(t(rotation) %*% form(two) %*% rotation, form(one))
  }
  expect_equal(c(align_embedding(one, one)), c(one$X))
  expect_error(align_embedding(X, X[, 1:2]), class = "dptda_error_argument")
  expect_error(align_embedding(X, replace(X, 1, NA)), class = "dptda_error_argument")
  expect_identical(dim(align_embedding(X[, 0], X[, 0])), c(20L, 0L))
  # neither very large nor very small points lose their direction
  for (size in c(1e-250, 1e250, 1e307)) {
    expect_equal(attr(align_embedding(X %*% Q * size, X * size), "rotation"), t(Q))
    expect_equal(attr(align_embedding(X %*% Q * size, X), "rotation"), t(Q))
  }
})

test_that("points of vertices with names are compared with those of the same vertices", {
  set.seed(14)
  A <- random_square(20)
  names <- paste0("v", 1:20)
  one <- spectral_embedding(A, 2, vertices = names)
  back <- spectral_embedding(A[20:1, 20:1], 2, vertices = rev(names))
  expect_error(align_embedding(one, back), "`y`.*order", class = "dptda_error_argument")
  expect_error(align_embedding(as.matrix(one), as.matrix(back)), "`y`", class = "dptda_error_argument")
  expect_equal(abs(c(align_embedding(as.matrix(back)[names, ], one))), abs(c(one$X)))
  expect_identical(rownames(align_embedding(one, unname(as.matrix(back)[names, ]))), names)
})

test_that("embeddings show themselves", {
  set.seed(12)
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  A <- random_square(30, 0.5)
  for (d in c(0, 1, 2, 3, 8, 12)) for (type in c("adjacency", "laplacian")) {
    points <- spectral_embedding(private_graph(A, 3), d, type = type)
    expect_output(print(points), "embedding")
    expect_output(print(summary(points)), type)
    expect_identical(plot(points), points)
    expect_identical(plot(points, which = "scree", main = "own"), points)
    expect_identical(as.matrix(points), points$X)
  }
  expect_output(print(graph_debias(A)), "1 for an edge")
  expect_output(print(graph_debias(private_graph(A, 3))), "debiased")
  expect_output(print(spectral_embedding(A, type = "laplacian")), "Laplacian")
})

triangles <- function(M) sum(M * (M %*% M)) / 6

test_that("debiased triangles are unbiased, by all answers on four vertices", {
  pairs <- which(upper.tri(diag(4)))
  graph_of <- function(bits) {
    A <- matrix(0, 4, 4)
    A[pairs] <- bits
    A + t(A)
  }
  answers <- as.matrix(expand.grid(rep(list(0:1), 6)))
  for (truth in list(rep(0, 6), c(1, 1, 0, 1, 0, 0), c(1, 1, 1, 1, 1, 0), rep(1, 6))) for (epsilon in c(0.3, 1, 3)) {
    flip <- private_graph(graph_of(truth), epsilon, rng = "R")$flip
    chance <- apply(answers, 1, function(bits) prod(ifelse(bits == truth, 1 - flip, flip)))
    values <- apply(answers, 1, function(bits) {
      B <- (graph_of(bits) - flip) / (1 - 2 * flip)
      diag(B) <- 0
      triangles(B)
    })
    expect_equal(sum(chance * values), triangles(graph_of(truth)), tolerance = 1e-12)
  }
})

# 40 graphs: |z| < 5, a false alarm of 6e-7 each, and of 2e-6 with the few degrees of freedom of the standard error
test_that("a flipped graphon is flip + contrast W, and debiased triangles are those of the graph", {
  skip_if_instrumented()
  set.seed(32)
  n <- 150
  W <- function(u, v) 0.1 + 0.6 * u * v
  found <- replicate(40, {
    u <- stats::runif(n)
    A <- matrix(0, n, n)
    A[upper.tri(A)] <- as.numeric(stats::runif(n * (n - 1) / 2) < outer(u, u, W)[upper.tri(A)])
    A <- A + t(A)
    release <- private_graph(A, 1, rng = "R")
    c(triangles(as.matrix(release)), triangles(as.matrix(graph_debias(release))), triangles(A)) / choose(n, 3)
  })
  flip <- 1 / (1 + exp(1))
  contrast <- 1 - 2 * flip
  # densities of an edge, a path of two edges, and a triangle in W
  edge <- 0.1 + 0.6 / 4
  path <- 0.1^2 + 2 * 0.1 * 0.6 / 4 + 0.6^2 / 12
  triangle <- 0.1^3 + 3 * 0.1^2 * 0.6 / 4 + 3 * 0.1 * 0.6^2 / 12 + 0.6^3 / 27
  flipped <- flip^3 + 3 * flip^2 * contrast * edge + 3 * flip * contrast^2 * path + contrast^3 * triangle
  z <- function(x) mean(x) / (stats::sd(x) / sqrt(length(x)))
  expect_lt(abs(z(found[1, ] - flipped)), 5)
  expect_lt(abs(z(found[2, ] - found[3, ])), 5)
  # without debiasing they are far from the graph's
  expect_gt(z(found[1, ] - found[3, ]), 5)
})
