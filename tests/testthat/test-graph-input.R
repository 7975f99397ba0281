# Graphs as others write them: one map for all, which fails for missing values only.

# What would be released without flips.
read_edges <- function(...) {
  released <- private_graph(..., epsilon = noiseless)
  edges <- as.data.frame(released)
  paste(edges$from, edges$to)
}

test_that("all ways to write a graph down give the same pairs", {
  ends <- rbind(c(1, 2), c(2, 3), c(1, 4))
  wanted <- c("1 2", "2 3", "1 4")
  upper <- square(ends, 5)
  both <- upper + t(upper)
  for (A in list(upper, t(upper), both, both > 0, both * 7, -both, both + diag(5), 1L * (both > 0), both * 1e-300, replace(upper, 6, Inf))) {
    expect_identical(read_edges(A), wanted)
  }
  expect_identical(read_edges(data.frame(a = ends[, 1], b = ends[, 2]), n = 5), wanted)
  expect_identical(read_edges(data.frame(a = as.integer(ends[, 2]), b = ends[, 1]), n = 5), wanted)
  expect_identical(read_edges(tibble::tibble(a = ends[, 1], b = ends[, 2]), n = 5), wanted)
  for (packed in c(TRUE, FALSE)) {
    plan <- list(packed = packed)
    for (graph in list(both, data.frame(ends))) {
      read <- read_graph(graph, if (is.data.frame(graph)) 5, NULL)
      pairs <- true_pairs(read, plan)
      if (packed) pairs <- .Call(ffi_graph_unpack, 5, pairs, kernel_options())
      expect_identical(paste(pairs$from, pairs$to), wanted)
    }
  }
})

test_that("records that name no pair name none, and none of them is an error", {
  ends <- data.frame(from = c(1, 2, 2, 1, 3, 0, 9, -4, 2.5, Inf, -Inf, 1e300, 3), to = c(2, 1, 2, 2, 3, 1, 1, 2, 1, 1, 2, 3, 4))
  expect_identical(read_edges(ends, n = 4), c("1 2", "3 4"))
  expect_identical(read_edges(data.frame(from = c(1L, -3L), to = c(3L, 1L)), n = 3), "1 3")
  expect_identical(read_edges(ends[0, ], n = 4), character())
  # a table without rows has no types, as one that was read from a file without records
  none <- utils::read.csv(text = "from,to")
  expect_identical(read_edges(none, n = 4), character())
  for (vertices in list(1:4, letters)) expect_identical(read_edges(none, vertices = vertices), character())
  expect_identical(read_edges(ends, n = 0), character())
  expect_identical(read_edges(ends, n = 1), character())
})

test_that("vertices by name: strings, factors, numbers", {
  friends <- data.frame(a = c("ann", "bob", "zoe", "bob"), b = c("bob", "\u00e9va", "ann", "bob"))
  names <- c("\u00e9va", "bob", "ann", "dan")
  wanted <- c("\u00e9va bob", "bob ann")
  expect_identical(read_edges(friends, vertices = names), wanted)
  latin <- friends
  latin$b <- iconv(latin$b, "UTF-8", "latin1")
  expect_identical(read_edges(latin, vertices = names), wanted)
  factors <- data.frame(a = factor(friends$a), b = factor(friends$b, rev(unique(friends$b))))
  expect_identical(read_edges(factors, vertices = factor(names, names)), wanted)
  latin$b[1] <- "\xff"
  expect_identical(read_edges(latin, vertices = names), wanted[1])
  expect_identical(read_edges(data.frame(c(10, 30, 7), c(20, 10, 10)), vertices = c(30, 20, 10)), c("30 10", "20 10"))
  release <- private_graph(friends, noiseless, vertices = names)
  expect_identical(release$vertices, names)
  expect_identical(dimnames(as.matrix(release)), list(names, names))
})

test_that("numbers name vertices by all of their digits", {
  many <- c(1e5, 123456789, 1e15, 2^53 - 1, -3, 0.5)
  names <- c("100000", "123456789", "1000000000000000", "9007199254740991", "-3", "0.5")
  expect_identical(read_edges(data.frame(1e5, 1e15), vertices = many), "100000 1000000000000000")
  expect_identical(private_graph(diag(6), 1, vertices = many)$vertices, names)
  expect_identical(private_graph(diag(3), 1, vertices = c(100000L, 2L, 400000L))$vertices, c("100000", "2", "400000"))
  # different numbers have different names
  near <- c(0.3, 0.1 + 0.2, 1 / 3)
  expect_identical(as.double(private_graph(diag(3), 1, vertices = near)$vertices), near)
})

test_that("names of a matrix are kept where rows and columns agree", {
  A <- square(cbind(1, 2), 3)
  vertices <- function(names, ...) private_graph(`dimnames<-`(A, names), 1, ...)$vertices
  abc <- c("a", "b", "c")
  expect_identical(vertices(list(abc, abc)), abc)
  expect_identical(vertices(list(abc, NULL)), abc)
  expect_identical(vertices(list(NULL, abc)), abc)
  for (other in list(list(abc, rev(abc)), list(c("a", "a", "b"), NULL), list(c("a", NA, "b"), NULL), NULL)) expect_null(vertices(other))
  expect_identical(vertices(list(abc, abc), vertices = c("x", "y", "z")), c("x", "y", "z"))
  expect_null(private_graph(A, 1, n = 3)$vertices)
})

test_that("matrices of the package Matrix", {
  skip_if_not_installed("Matrix")
  A <- square(rbind(c(1, 2), c(4, 2), c(3, 3)), 5)
  wanted <- c("1 2", "2 4")
  sparse <- Matrix::Matrix(A, sparse = TRUE)
  cancelled <- Matrix::sparseMatrix(i = c(1, 4, 1, 1), j = c(2, 2, 5, 5), x = c(1, 1, 2, -2), dims = c(5, 5), repr = "T")
  forms <- list(sparse, Matrix::t(sparse), sparse != 0, methods::as(sparse, "TsparseMatrix"), methods::as(sparse, "RsparseMatrix"),
                methods::as(sparse != 0, "nMatrix"), Matrix::forceSymmetric(sparse + Matrix::t(sparse)), Matrix::Matrix(A, sparse = FALSE), Matrix::triu(sparse + Matrix::t(sparse)), cancelled,
                Matrix::sparseMatrix(i = c(1, 2, 1), j = c(2, 4, 2), x = 0.5, dims = c(5, 5), repr = "T"))
  for (form in forms) expect_identical(read_edges(form), wanted)
  expect_identical(read_edges(Matrix::Diagonal(4)), character())
  # records of one entry that add up to no number are no missing values; one that is missing is
  twice <- function(x) Matrix::sparseMatrix(i = c(1, 1, 4), j = c(2, 2, 2), x = x, dims = c(5, 5), repr = "T")
  expect_identical(read_edges(twice(c(Inf, -Inf, 1))), wanted)
  for (x in list(c(1, NA, 1), c(TRUE, NA, TRUE))) expect_error(private_graph(twice(x), 1), "missing", class = "dptda_error_argument")
  expect_error(private_graph(Matrix::sparseMatrix(1, 2, x = NA_real_, dims = c(3, 3)), 1), class = "dptda_error_argument")
  expect_error(private_graph(Matrix::sparseMatrix(1, 2, x = 1, dims = c(3, 4)), 1), class = "dptda_error_argument")
})

test_that("igraphs: simple or not, with names; directed and weighted ones are refused by their class", {
  skip_if_not_installed("igraph")
  multiple <- igraph::make_graph(c(1, 2, 2, 1, 3, 3, 2, 4), n = 6, directed = FALSE)
  expect_identical(read_edges(multiple), c("1 2", "2 4"))
  named <- igraph::make_graph(~ a - b, b - c, d)
  expect_identical(read_edges(named), c("a b", "b c"))
  expect_identical(private_graph(named, 1)$vertices, c("a", "b", "c", "d"))
  expect_identical(private_graph(igraph::make_empty_graph(3, directed = FALSE), noiseless)$n, 3)
  expect_error(private_graph(igraph::make_ring(3, directed = TRUE), 1), "directed", class = "dptda_error_argument")
  igraph::E(multiple)$weight <- 1
  expect_error(private_graph(multiple, 1), "weight", class = "dptda_error_argument")
  expect_error(private_graph(named, 1, n = 5), class = "dptda_error_argument")
  karate <- igraph::make_graph("Zachary")
  back <- igraph::as.igraph(private_graph(karate, noiseless))
  expect_identical(igraph::as_adjacency_matrix(back, sparse = FALSE), igraph::as_adjacency_matrix(karate, sparse = FALSE))
})

test_that("what is directed, weighted, bipartite or of another package is refused by its class, whatever is in it", {
  refused <- function(graph, words) {
    for (read in list(function() private_graph(graph, 1), function() debias(graph), function() spectral_embedding(graph, 1))) {
      expect_error(read(), words, class = "dptda_error_argument")
    }
  }
  # a network of statnet is a list with this class, directed or not
  refused(structure(list(mel = list(), gal = list(n = 3, directed = FALSE), val = list(), iel = list(), oel = list()), class = "network"), "igraph")
  # three columns: weights, whatever they are
  refused(data.frame(from = 1, to = 2, weight = 1), "n")
  expect_error(private_graph(data.frame(from = 1, to = 2, weight = 1), 1, n = 3), "weights", class = "dptda_error_argument")
  refused(matrix(1, 2, 3), "square")
  if (requireNamespace("Matrix", quietly = TRUE)) {
    refused(Matrix::sparseMatrix(1, 2, x = 1, dims = c(2, 3)), "square")
    refused(Matrix::sparseVector(1, 2, 3), "matrix")
    # a general matrix is no directed graph but a way to write an undirected one down: an entry in either triangle counts
    general <- Matrix::sparseMatrix(c(1, 3), c(2, 1), x = c(1, 5), dims = c(3, 3))
    expect_identical(read_edges(general), read_edges(Matrix::forceSymmetric(general + Matrix::t(general))))
  }
  skip_if_not_installed("igraph")
  for (empty in c(TRUE, FALSE)) {
    make <- function(directed) if (empty) igraph::make_empty_graph(4, directed) else igraph::make_ring(4, directed)
    refused(make(TRUE), "directed")
    refused(igraph::set_edge_attr(make(FALSE), "weight", value = 1), "weight")
    refused(igraph::set_vertex_attr(make(FALSE), "type", value = c(TRUE, FALSE, TRUE, FALSE)), "bipartite")
    # another attribute of that name is none of sides
    expect_identical(private_graph(igraph::set_vertex_attr(make(FALSE), "type", value = letters[1:4]), 1)$n, 4)
  }
})

test_that("only public facts are errors, and missing values", {
  refused <- function(...) expect_error(private_graph(..., epsilon = 1), class = "dptda_error_argument")
  for (bad in list(1, "a", NULL, list(), letters, array(0, c(2, 2, 2)), matrix("a", 2, 2), matrix(0, 2, 3), as.table(diag(2)), mean)) refused(bad)
  edges <- data.frame(from = 1:2, to = 2:3)
  refused(edges)
  for (n in list(-1, 1.5, "3", NA, 2^31, c(1, 2))) refused(edges, n = n)
  for (vertices in list(c("a", "a"), c("a", NA), TRUE, list(1), Sys.time())) refused(edges, vertices = vertices)
  refused(edges, n = 3, vertices = 1:3)
  refused(data.frame(a = TRUE, b = FALSE), n = 3)
  refused(edges, vertices = c("a", "b"))
  refused(data.frame(a = "a", b = "b"), n = 3)
  refused(cbind(edges, weight = 1), n = 3)
  refused(edges["from"], n = 3)
  refused(diag(2), vertices = letters)
  refused(diag(2), n = 3)
  budget <- privacy_budget(epsilon = 1, relation = "edge")
  for (bad in list(data.frame(1:2, c(2, NA)), data.frame(1, NaN))) refused(bad, n = 3, budget = budget)
  refused(data.frame("a", NA_character_), vertices = c("a", "b"), budget = budget)
  refused(replace(diag(2), 2, NA), budget = budget)
  refused(replace(diag(2) > 0, 1, NA), budget = budget)
  expect_identical(budget$spent, 0)
  shown <- tryCatch(private_graph(data.frame(from = "secret", to = NA), 1, vertices = "a"), error = conditionMessage)
  expect_no_match(shown, "secret")
})

test_that("what the records of one pair say changes one bit, in every form (30 random graphs)", {
  set.seed(521)
  n <- 9
  bits_of <- function(graph, n) {
    read <- read_graph(graph, n, NULL)
    .Call(ffi_graph_unpack, read$n, true_pairs(read, list(packed = TRUE)), kernel_options())
  }
  for (i in 1:30) {
    records <- matrix(sample(-1:(n + 1), 2 * sample(0:25, 1), TRUE), ncol = 2)
    pair <- sample(n, 2)
    of_pair <- records[, 1] %in% pair & records[, 2] %in% pair & records[, 1] != records[, 2]
    without <- records[!of_pair, , drop = FALSE]
    with <- rbind(without, pair, rev(pair))[sample(nrow(without) + 2), , drop = FALSE]
    inside <- function(records) records[records[, 1] %in% 1:n & records[, 2] %in% 1:n, , drop = FALSE]
    forms <- list(
      list = function(records) bits_of(data.frame(a = records[, 1], b = records[, 2]), n),
      square = function(records) bits_of(square(inside(records), n), NULL)
    )
    if (requireNamespace("Matrix", quietly = TRUE)) {
      forms$sparse <- function(records) {
        records <- inside(records)
        bits_of(Matrix::sparseMatrix(i = records[, 1], j = records[, 2], x = rep(1, nrow(records)), dims = c(n, n)), NULL)
      }
    }
    if (requireNamespace("igraph", quietly = TRUE)) {
      forms$igraph <- function(records) bits_of(igraph::make_graph(t(inside(records)), n = n, directed = FALSE), NULL)
    }
    one <- function(edges) paste(edges$from, edges$to)
    for (form in forms) {
      expect_identical(setdiff(one(form(with)), one(form(without))), paste(min(pair), max(pair)))
      expect_length(setdiff(one(form(without)), one(form(with))), 0)
      # the same bits in all forms
      expect_identical(form(with), forms$list(with))
    }
  }
})
