# The release: its guarantee, what it becomes, how it shows itself.

pair_graph <- function(edge = TRUE, n = 2) matrix(as.numeric(edge), n, n)

test_that("the guarantee is one of edges, and names method, cipher and cost", {
  release <- private_graph(pair_graph(), epsilon = 1)
  guarantee <- privacy(release)
  expect_identical(guarantee[c("unit", "relation", "measure", "sensitivity", "sampler", "random")],
                   list(unit = "one edge", relation = relation_edge, measure = c(epsilon = 1), sensitivity = 1,
                        sampler = "exact", random = "os"))
  expect_identical(guarantee$ledger, data.frame(step = "private_graph", measure = "epsilon", value = 1))
  expect_match(guarantee$public$cipher, "ChaCha20")
  expect_match(guarantee$mechanism, "ChaCha20")
  few <- privacy(private_graph(pair_graph(), epsilon = 10))
  expect_null(few$public$cipher)
  expect_no_match(few$mechanism, "ChaCha20")
  cheaper <- privacy(private_graph(pair_graph(), epsilon = 1, method = "laplaceflip"))
  expect_equal(cheaper$measure[["epsilon"]], log(2 * exp(1 / 2) - 1))
  expect_match(format(privacy(private_graph(pair_graph(), epsilon = 1, rng = "R")))[1], "NOT PRIVATE")
  expect_equal(privacy_group(release, 3)$unit, "3 edges")
  expect_identical(privacy(private_graph(pair_graph(), 0))$measure, c(epsilon = 0))
})

test_that("a budget for edges is charged for graphs, and one for rows does not", {
  budget <- privacy_budget(epsilon = 2, relation = "edge")
  private_graph(pair_graph(), 0.5, budget = budget)
  private_graph(pair_graph(), 1, method = "laplaceflip", budget = budget)
  expect_equal(budget$spent, 0.5 + laplaceflip_epsilon(1))
  expect_error(private_graph(pair_graph(), 1, budget = budget), class = "dptda_error_budget")
  expect_error(private_count(TRUE, epsilon = 0.1, budget = budget), class = "dptda_error_relation")
  for (relation in c("replace", "add_remove")) {
    expect_error(private_graph(pair_graph(), 0.5, budget = privacy_budget(epsilon = 2, relation = relation)),
                 class = "dptda_error_relation")
  }
  in_rho <- privacy_budget(rho = 1, relation = "edge")
  private_graph(pair_graph(), 1, budget = in_rho)
  expect_equal(in_rho$spent, response_rho(1))
  groups <- privacy_budget(epsilon = 4, relation = "edge", unit_rows = 3)
  private_graph(pair_graph(), 1, budget = groups)
  expect_equal(groups$spent, 3)
  expect_output(print(groups), "for 3 edges")
  expect_identical(privacy_compose(budget, private_graph(pair_graph(), 1))$unit, "one edge")
  expect_error(privacy_compose(private_graph(pair_graph(), 1), c(epsilon = 1)), class = "dptda_error_relation")
  # disjoint sets of pairs: one edge is in one of them
  both <- privacy_compose(privacy_declare(epsilon = 1, relation = "edge"),
                          privacy_declare(epsilon = 2, relation = "edge"), parallel = TRUE)
  expect_identical(both$measure, c(epsilon = 2))
  skip_if_not_installed("filelock")
  file <- tempfile()
  withr::defer(unlink(file))
  private_graph(pair_graph(), 1, budget = privacy_budget(epsilon = 2, relation = "edge", file = file))
  expect_equal(privacy_budget(file = file)$spent, 1)
  expect_error(privacy_budget(epsilon = 2, file = file), class = "dptda_error_ledger")
})

test_that("bits or edges are chosen by epsilon, and by nothing of the data", {
  for (n in c(0, 1, 2, 70)) for (edge in 0:1) for (method in names(response_methods)) {
    limit <- if (method == "edgeflip") log(63) else 2 * log(32)
    fields <- function(epsilon) names(private_graph(pair_graph(edge, n), epsilon, method = method))
    expect_true("bits" %in% fields(limit - 0.001))
    expect_false("bits" %in% fields(limit + 0.001))
    expect_true("edges" %in% fields(limit + 0.001))
  }
})

test_that("no vertices, one, two; complete and empty graphs; the ends of epsilon", {
  for (n in c(0, 1, 2, 5, 64, 65)) for (edge in 0:1) for (epsilon in c(0, 1e-9, 1, 5, 50, 1e308)) {
    release <- private_graph(pair_graph(edge, n), epsilon)
    expect_true(is_valid(release, "dptda_private_graph"))
    A <- as.matrix(release)
    expect_identical(dim(A), as.integer(c(n, n)))
    expect_true(isSymmetric(A) && all(diag(A) == 0) && all(A %in% 0:1))
    expect_equal(nrow(as.data.frame(release)), sum(A) / 2)
    if (epsilon >= 50) expect_true(all(A[upper.tri(A)] == edge))
    expect_output(print(release), "private graph")
    expect_output(print(summary(release)), "pairs")
    expect_identical(names(as.data.frame(release)), c("from", "to"))
  }
  for (bad in list(Inf, -1, NA, NaN, "1", c(1, 2), NULL)) {
    expect_error(private_graph(diag(2), bad), class = "dptda_error_argument")
  }
  expect_error(private_graph(diag(2), Inf), "finite")
  expect_error(private_graph(diag(2)), "must be given", class = "dptda_error_argument")
  expect_error(private_graph(diag(2), privacy_budget(1)), "by name", class = "dptda_error_argument")
  expect_error(private_graph(diag(2), 1, rho = 1), class = "dptda_error_argument")
  expect_error(private_graph(data.frame(1, 2), 5, n = 1e9), class = "dptda_error_size")
  expect_error(private_graph(data.frame(1, 2), 1, n = 1e8), "GB", class = "dptda_error_size")
})

test_that("matrix, sparse matrix, list and igraph are one graph", {
  set.seed(511)
  for (epsilon in c(1, 6)) {
    A <- mirror(matrix(stats::runif(90^2) < 0.3, 90, dimnames = list(paste0("v", 1:90), paste0("v", 1:90))))
    release <- private_graph(A, epsilon, vertices = rownames(A), rng = "R")
    full <- as.matrix(release)
    expect_identical(rownames(full), paste0("v", 1:90))
    edges <- as.data.frame(release)
    again <- matrix(0L, 90, 90, dimnames = dimnames(full))
    again[as.matrix(edges)] <- 1L
    expect_identical(again + t(again), full)
    expect_identical(order(match(edges$to, rownames(full)), match(edges$from, rownames(full))), seq_len(nrow(edges)))
    if (requireNamespace("Matrix", quietly = TRUE)) {
      sparse <- as.matrix(release, sparse = TRUE)
      expect_s4_class(sparse, "lsCMatrix")
      expect_identical(1L * as.matrix(sparse), full)
    }
    if (requireNamespace("igraph", quietly = TRUE)) {
      expect_equal(as.matrix(igraph::as_adjacency_matrix(igraph::as.igraph(release), sparse = FALSE)), full,
                   ignore_attr = FALSE)
      expect_null(privacy(igraph::as.igraph(release)))
    }
    expect_identical(graph_edges(release), .Call(ffi_graph_unpack, 90, graph_bits(release), kernel_options()))
    expect_equal(graph_size(release), nrow(edges))
    # bits may be saved and read
    expect_identical(privacy(unserialize(serialize(release, NULL))), privacy(release))
  }
})

# |z| < 5, false alarm 6e-7; ratio of variances within 5 sd
test_that("the estimate of the number of edges is unbiased, with the standard deviation it says", {
  set.seed(512)
  truth <- matrix(0, 30, 30)
  truth[upper.tri(truth)] <- rep(0:1, c(335, 100))
  truth <- mirror(truth)
  for (method in names(response_methods)) {
    seen <- replicate(400, summary(private_graph(truth, 1, method = method, rng = "R"))$estimate)
    sd <- summary(private_graph(truth, 1, method = method))$sd
    expect_lt(abs(mean(seen) - 100) / (sd / 20), 5)
    expect_lt(abs(stats::var(seen) / sd^2 - 1) / sqrt(2 / 399), 5)
  }
  expect_identical(summary(private_graph(truth, 0))$estimate, NA_real_)
  # what is left of an edge is known where the double near one half knows it no more
  for (epsilon in c(1e-300, 1e-20, 1e-9, 0.1, 1, 5, 80)) {
    expect_equal(flip_contrast(graph_coin(epsilon)), if (epsilon > 2^-120) tanh(epsilon / 2) else 0,
                 tolerance = if (epsilon < 1e-15) 1e-9 else 1e-15)
  }
})

test_that("a digest tells of every change of a word, of two in the highest digit, and of bytes at the end", {
  digest <- function(bytes) .Call(ffi_graph_digest, bytes)
  set.seed(514)
  bytes <- as.raw(sample(0:255, 523, TRUE))
  changed <- function(at, by = 1) replace(bytes, at, xor(bytes[at], as.raw(by)))
  others <- c(lapply(seq_along(bytes), changed), list(changed(c(8, 16), 128), changed(c(8, 80), 128), bytes[-523],
                                                      c(bytes, as.raw(0)), rev(bytes)))
  digests <- lapply(c(list(bytes), others), digest)
  expect_false(anyDuplicated(digests) > 0)
  expect_length(digest(raw()), 8)
  # the release is saved with one copy of its bits
  release <- private_graph(pair_graph(1, 700), 1)
  expect_lt(length(serialize(release, NULL)), 1.2 * length(release$bits))
})

test_that("a release that was changed has no guarantee", {
  release <- private_graph(pair_graph(1, 70), 1)
  changed <- list(replace(unclass(release), "flip", 0.1), within(unclass(release), bits[3] <- xor(bits[3], as.raw(1))),
                  within(unclass(release), bits <- .Call(ffi_graph_digest, bits)))
  for (one in changed) expect_null(privacy(structure(one, class = class(release))))
  bits <- release$bits
  bits[1] <- as.raw(1) # a loop
  expect_error(print(structure(replace(unclass(release), "bits", list(bits)), class = class(release))),
               class = "dptda_error_argument")
})

test_that("print and summary say who is protected", {
  set.seed(513)
  small <- private_graph(square(rbind(c(1, 2), c(3, 4)), 6), 1, rng = "R")
  expect_snapshot(print(small))
  expect_snapshot(print(summary(small)))
  expect_snapshot(print(private_graph(pair_graph(1, 1), 6)))
  expect_snapshot(print(summary(private_graph(pair_graph(1, 1), 0))))
})

test_that("a small graph is drawn, a large one is not", {
  skip_if_not_installed("igraph")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  release <- private_graph(pair_graph(1, 10), 1)
  expect_identical(withVisible(plot(release)), list(value = release, visible = FALSE))
  expect_silent(plot(release, vertex.size = 2, vertex.label = NA))
  expect_silent(plot(private_graph(pair_graph(1, 100), 5)))
  expect_error(plot(private_graph(data.frame(1, 2), 10, n = 3000)), class = "dptda_error_argument")
})

test_that("print says how vertices are clustered if most edges are noise", {
  set.seed(64)
  half <- square(which(upper.tri(diag(30)), arr.ind = TRUE)[seq(1, 435, by = 9), ], 30)
  noisy <- private_graph(half, epsilon = 1, rng = "R")
  expect_output(print(noisy), "spectral_embedding()", fixed = TRUE)
  expect_false(any(grepl("spectral", utils::capture.output(print(private_graph(half, epsilon = 10, rng = "R"))))))
})
