bad <- function(expr, regexp = NULL) expect_error(expr, regexp, class = "dptda_error_argument")

# Neighbors of each point, in both directions, from a matrix of them.
both_ways <- function(neighbors) {
  n <- nrow(neighbors)
  joined <- matrix(FALSE, n, n)
  joined[cbind(rep(seq_len(n), ncol(neighbors)), as.vector(neighbors))] <- TRUE
  lapply(seq_len(n), function(i) which((joined | t(joined))[i, ]))
}

slow_neighbors <- function(X, k) {
  D <- as.matrix(dist(X))
  diag(D) <- Inf
  do.call(rbind, lapply(seq_len(nrow(X)), function(i) order(D[i, ])[seq_len(k)]))
}

# The peak of each point by the definition: labels are written anew at each merge.
slow_tomato <- function(density, neighbors, prominence) {
  order <- order(-density)
  rank <- order(order)
  peak <- rep(NA_integer_, length(density))
  for (i in order) {
    denser <- neighbors[[i]][rank[neighbors[[i]]] < rank[i]]
    if (length(denser) == 0) {
      peak[i] <- i
      next
    }
    peak[i] <- peak[denser[which.min(rank[denser])]]
    for (j in denser) {
      pair <- unique(c(peak[i], peak[j]))
      if (length(pair) == 1) next
      pair <- pair[order(rank[pair])]
      height <- density[pair[2]] - density[i]
      if (height < prominence || height == 0) peak[which(peak == pair[2])] <- pair[1]
    }
  }
  peak
}

# Persistence by Kruskal over the edges.
slow_diagram <- function(density, neighbors) {
  set <- seq_along(density)
  edges <- do.call(rbind, lapply(seq_along(neighbors), function(i) if (length(neighbors[[i]]))
                                 cbind(i, neighbors[[i]])))
  pass <- pmin(density[edges[, 1]], density[edges[, 2]])
  result <- matrix(0, 0, 2)
  for (e in order(-pass)) {
    a <- set[edges[e, 1]]
    b <- set[edges[e, 2]]
    if (a == b) next
    top <- c(max(density[set == a]), max(density[set == b]))
    if (min(top) > pass[e]) result <- rbind(result, c(min(top), pass[e]))
    set[set == b] <- a
  }
  rbind(cbind(vapply(unique(set), function(a) max(density[set == a]), 0), -Inf), result)
}

sorted_rows <- function(x) unname(x[order(x[, 1], x[, 2]), , drop = FALSE])

test_that("labels and diagrams are those of the definition", {
  set.seed(1)
  for (case in 1:12) {
    n <- c(1, 2, 15, 80)[case %% 4 + 1]
    X <- matrix(rnorm(2 * n), n) + rep(sample(0:2, n, replace = TRUE) * 3, 2)
    neighbors <- slow_neighbors(X, min(4, n - 1))
    if (n == 1) neighbors <- matrix(0, 1, 0)
    lists <- both_ways(neighbors)
    # ties in every third
    density <- if (case %% 3 == 0) sample(4, n, replace = TRUE) / 2 else rnorm(n)
    for (prominence in c(0, .3, 1, 2.5, Inf)) {
      found <- cluster_tomato(X, density, 4, prominence = prominence)
      expect_identical(found$peaks[found$labels], slow_tomato(density, lists, prominence))
      expect_identical(found$labels, cluster_tomato(X, density, lists, prominence = prominence)$labels)
      expect_identical(found$labels, cluster_tomato(X, density, neighbors, prominence = prominence)$labels)
      expect_false(is.unsorted(-density[found$peaks]))
      expect_equal(sorted_rows(as.matrix(found$diagram)[, 2:3, drop = FALSE]),
                   sorted_rows(slow_diagram(density, lists)))
      # as many clusters as prominent peaks
      expect_identical(length(found$peaks), sum(found$diagram$birth - found$diagram$death >= prominence))
    }
  }
})

test_that("as many clusters as asked for", {
  set.seed(2)
  X <- rbind(matrix(rnorm(200), 100), matrix(rnorm(200, 6), 100))
  all <- cluster_tomato(X, "kernel", 8)
  parts <- sum(all$diagram$death == -Inf)
  peaks <- nrow(all$diagram)
  expect_identical(length(all$peaks), peaks)
  for (k in parts:peaks) expect_identical(length(cluster_tomato(X, "kernel", 8, k = k)$peaks), k)
  expect_identical(length(cluster_tomato(X, "kernel", 8, k = 10^6)$peaks), peaks)
  expect_identical(length(cluster_tomato(X, "kernel", graph = 2, k = 1)$peaks),
                   sum(cluster_tomato(X, "kernel", 2)$diagram$death == -Inf))
  two <- cluster_tomato(X, "kernel", 8, k = 2)$labels
  truth <- rep(1:2, each = 100)
  expect_gt(max(mean(two == truth), mean(two == 3 - truth)), 0.98)
})

test_that("densities are those of the kernel, the distance to a measure and the mixture", {
  set.seed(3)
  X <- matrix(rnorm(120), 40)
  width <- c(0.5, 1, 2)
  slow <- vapply(1:40, function(i)
                 mean(exp(rowSums(vapply(1:3, function(j) dnorm(X[, j], X[i, j], width[j], log = TRUE), X[, 1])))), 0)
  expect_equal(cluster_tomato(X, "kernel", 3, bandwidth = width)$density, log(slow))
  expect_equal(cluster_tomato(X, "kernel", 3)$density, cluster_tomato(X, "kernel", 3, bandwidth = apply(X, 2, sd) *
                                                      40^(-1 / 7))$density)
  expect_equal(cluster_tomato(X, "dtm", 3, m0 = 0.2)$density, -distance_to_measure(X, X, 0.2))
  model <- random_mixture(3, 3)
  expect_equal(cluster_tomato(X, model, 3)$density, slow_log_density(model, X))
  bad(cluster_tomato(X[, 1:2], model, 3), "with the columns of `x`")
  # far beyond all doubles, and beyond their logarithms
  far <- cluster_tomato(rbind(X, 1e160 + 0 * X[1:2, ]), model, 41)
  expect_identical(far$density[41], -1e300)
  expect_identical(cluster_tomato(rbind(X[1:3, ]), c(1, -Inf, 0), 2)$labels, c(1L, 1L, 1L))
})

test_that("nearest neighbors are those of all distances", {
  set.seed(4)
  for (n in c(2, 9, 60)) for (D in c(1, 3)) {
    X <- matrix(rnorm(n * D), n)
    k <- min(5, n - 1)
    expect_identical(.Call(ffi_cluster_neighbors, X, k, kernel_options()), matrix(as.double(slow_neighbors(X, k)), n))
  }
  expect_identical(.Call(ffi_cluster_neighbors, cbind(c(0, 0, 0, 1)), 2, kernel_options()),
                   rbind(c(2, 3), c(1, 3), c(1, 2), c(1, 2)))
})

test_that("a cluster of the mixture is one of its density on points", {
  corners <- as.matrix(expand.grid(c(-3, 3), c(-3, 3)))
  model <- as_mixture(list(weights = rep(1, 4), means = corners, covariances = rep(list(diag(2)), 4)))
  X <- as.matrix(expand.grid(seq(-6, 6, length.out = 41), seq(-6, 6, length.out = 41)))
  found <- cluster_tomato(X, model, 8, k = 4)
  merging <- cluster_morse(model)
  # passes between grid points are a little lower
  expect_equal(sort(found$diagram$death), sort(-merging$diagram$death), tolerance = 0.01)
  inside <- apply(abs(X) > 1, 1, all)
  labels <- table(found$labels[inside], predict(model, X)[inside])
  expect_identical(sum(labels > 0), 4L)
})

test_that("one row, equal rows, and bad input", {
  expect_identical(cluster_tomato(cbind(1, 2), "kernel", 3)$labels, 1L)
  expect_identical(cluster_tomato(5, 1, 1)$labels, 1L)
  expect_identical(cluster_tomato(matrix(1, 6, 2), "kernel", 5)$labels, rep(1L, 6))
  expect_identical(cluster_tomato(matrix(1, 6, 2), "dtm", 5)$labels, rep(1L, 6))
  X <- matrix(rnorm(20), 10)
  bad(cluster_tomato(), "`x` must be given")
  bad(cluster_tomato(X, graph = 3), "`density` must be given")
  bad(cluster_tomato(X, "kernel"), "`graph` must be given")
  bad(cluster_tomato(X, 1:9, 3), "a number for each row")
  bad(cluster_tomato(X, c(1:9, NA), 3))
  bad(cluster_tomato(X, c(1:9, Inf), 3))
  bad(cluster_tomato(X, "normal", 3))
  bad(cluster_tomato(X, "kernel", 0))
  bad(cluster_tomato(X, "kernel", matrix(11, 10, 1)), "to rows of `x` by their numbers")
  bad(cluster_tomato(X, "kernel", as.list(1:9)))
  bad(cluster_tomato(X, "kernel", 3, prominence = 1, k = 2), "`k` must be NULL")
  bad(cluster_tomato(X, "kernel", 3, prominence = -1))
  bad(cluster_tomato(X, "kernel", 3, bandwidth = c(1, 1, 1)))
  bad(cluster_tomato(X, "kernel", 3, bandwidth = 0))
  bad(cluster_tomato(rbind(X, NA), "kernel", 3), "missing")
  bad(cluster_tomato(rbind(X, Inf), "kernel", 3), "finite")
})

test_that("clusters are shown", {
  set.seed(5)
  found <- cluster_tomato(matrix(rnorm(60), 30), "kernel", 4, prominence = 0.1)
  expect_output(print(found), "<tomato> .* of 30 points, prominence 0.1 \\(not private\\)\nsizes:")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  for (prominence in c(0, 1, Inf)) {
    expect_no_error(plot(cluster_tomato(matrix(rnorm(60), 30), "kernel", 4, prominence = prominence)))
  }
})

test_that("clusters and diagrams are those of GUDHI", {
  references <- utils::read.csv(test_path("tomato-references.csv"), check.names = FALSE)
  canonical <- function(labels) match(labels, unique(labels))
  for (case in split(references, references$case)) {
    for (prominence in c(0.2, 0.6, 1.5)) {
      found <- cluster_tomato(cbind(case$x, case$y), case$density, 6, prominence = prominence)
      expect_identical(canonical(found$labels), canonical(case[[paste0("label", prominence)]]))
    }
    peaks <- case[!is.na(case$pass), ]
    expect_equal(sorted_rows(as.matrix(found$diagram)[, 2:3]), sorted_rows(cbind(peaks$density, peaks$pass)))
  }
})
