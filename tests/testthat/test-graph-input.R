# Graphs as others write them: one map for all, onto public vertices. What it refuses of records is the curator's error.

# What would be released without randomized response.
read_edges <- function(...) {
  released <- private_graph(..., epsilon = noiseless)
  edges <- as.data.frame(released)
  paste(edges$from, edges$to)
}

test_that("all ways to write a graph down give the same pairs", {
  ends <- rbind(c(1, 2), c(2, 3), c(1, 4))
  wanted <- c("1 2", "2 3", "1 4")
  both <- square(ends, 5)
  for (A in list(both, both > 0, both + diag(5), both + diag(pi, 5), 1L * (both > 0))) {
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
  ends <- data.frame(from = c(1, 2, 2, 1, 3, 0, 9, -4, 2.5, Inf, -Inf, 1e300, 3),
                     to = c(2, 1, 2, 2, 3, 1, 1, 2, 1, 1, 2, 3, 4))
  expect_identical(read_edges(ends, vertices = 1:4), c("1 2", "3 4"))
  expect_identical(read_edges(data.frame(from = c(1L, -3L), to = c(3L, 1L)), vertices = 1:3), "1 3")
  expect_identical(read_edges(ends[0, ], n = 4), character())
  # a table without rows has no types, as one that was read from a file without records
  none <- utils::read.csv(text = "from,to")
  expect_identical(read_edges(none, n = 4), character())
  for (vertices in list(1:4, letters)) expect_identical(read_edges(none, vertices = vertices), character())
  expect_identical(read_edges(ends, vertices = double()), character())
  expect_identical(read_edges(ends, vertices = 1), character())
  expect_identical(read_edges(data.frame(from = c(1, 1, 2, 2), to = c(2, 1, 1, 1)), n = 2), "1 2")
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
  # of a graph that is not private
  vertices <- function(names, ...) graph_debias(`dimnames<-`(A, names), ...)$vertices
  abc <- c("a", "b", "c")
  expect_identical(vertices(list(abc, abc)), abc)
  expect_identical(vertices(list(abc, NULL)), abc)
  expect_identical(vertices(list(NULL, abc)), abc)
  for (other in list(list(c("a", "a", "b"), NULL), list(c("a", NA, "b"), NULL), NULL)) expect_null(vertices(other))
  expect_error(vertices(list(abc, rev(abc))), "same names", class = "dptda_error_argument")
  expect_identical(vertices(list(abc, abc), vertices = c("x", "y", "z")), c("x", "y", "z"))
  expect_identical(read_edges(`dimnames<-`(A, list(abc, abc)), vertices = c("b", "y", "a")), "b a")
  expect_null(private_graph(A, 1, n = 3)$vertices)
})

test_that("matrices of the package Matrix", {
  skip_if_not_installed("Matrix")
  A <- square(rbind(c(1, 2), c(4, 2), c(3, 3)), 5)
  wanted <- c("1 2", "2 4")
  sparse <- methods::as(A, "CsparseMatrix")
  zeros <- Matrix::sparseMatrix(i = c(1, 2, 2, 4, 1, 1), j = c(2, 1, 4, 2, 5, 5), x = c(1, 1, 1, 1, 0, 0),
                                dims = c(5, 5), repr = "T")
  forms <- list(Matrix::Matrix(A, sparse = TRUE), sparse, sparse != 0, methods::as(sparse, "TsparseMatrix"),
                methods::as(sparse, "RsparseMatrix"),
                methods::as(sparse != 0, "nMatrix"), Matrix::forceSymmetric(sparse),
                Matrix::forceSymmetric(sparse, "L"), zeros,
                Matrix::sparseMatrix(i = c(1, 2, 1, 2, 4), j = c(2, 4, 2, 1, 2), x = 1, dims = c(5, 5), repr = "T"))
  for (form in forms) expect_identical(read_edges(form, n = 5), wanted)
  expect_identical(read_edges(Matrix::Matrix(A, sparse = FALSE), n = 5), wanted)
  expect_identical(read_edges(Matrix::Diagonal(4), n = 4), character())
  # records of one entry that add up to NaN are weights and not missing values
  twice <- function(x) Matrix::sparseMatrix(i = c(1, 1, 4, 2, 2), j = c(2, 2, 2, 1, 4), x = c(x, TRUE, TRUE),
                                            dims = c(5, 5), repr = "T")
  expect_error(private_graph(twice(c(Inf, -Inf, 1)), 1, n = 5), "weights", class = "dptda_error_argument")
  for (x in list(c(1, NA, 1), c(TRUE, NA, TRUE))) {
    expect_error(private_graph(twice(x), 1, n = 5), "missing", class = "dptda_error_argument")
  }
  expect_error(private_graph(Matrix::sparseMatrix(1, 2, x = NA_real_, dims = c(3, 3)), 1), "missing",
               class = "dptda_error_argument")
  expect_error(private_graph(Matrix::sparseMatrix(1, 2, x = 1, dims = c(3, 4)), 1), class = "dptda_error_argument")
})

test_that("igraphs: simple or not, with names; directed and weighted ones are refused by their class", {
  skip_if_not_installed("igraph")
  multiple <- igraph::make_graph(c(1, 2, 2, 1, 3, 3, 2, 4), n = 6, directed = FALSE)
  expect_identical(read_edges(multiple, n = 6), c("1 2", "2 4"))
  named <- igraph::make_graph(~ a - b, b - c, d)
  expect_identical(read_edges(named, vertices = letters), c("a b", "b c"))
  expect_identical(graph_debias(named)$vertices, c("a", "b", "c", "d"))
  expect_identical(private_graph(igraph::make_empty_graph(3, directed = FALSE), noiseless, n = 3)$n, 3)
  expect_error(private_graph(igraph::make_ring(3, directed = TRUE), 1), "directed", class = "dptda_error_argument")
  igraph::E(multiple)$weight <- 1
  expect_error(private_graph(multiple, 1), "weight", class = "dptda_error_argument")
  expect_error(private_graph(named, 1, n = 5), class = "dptda_error_argument")
  karate <- igraph::make_graph("Zachary")
  back <- igraph::as.igraph(private_graph(karate, noiseless, n = 34))
  expect_identical(igraph::as_adjacency_matrix(back, sparse = FALSE),
                   igraph::as_adjacency_matrix(karate, sparse = FALSE))
})

test_that("what is directed, weighted, bipartite or of another package is refused by its class, whatever is in it", {
  refused <- function(graph, words) {
    for (read in list(function() private_graph(graph, 1), function() graph_debias(graph), function()
                      spectral_embedding(graph, 1))) {
      expect_error(read(), words, class = "dptda_error_argument")
    }
  }
  # a network of statnet is a list with this class, directed or not
  refused(structure(list(mel = list(), gal = list(n = 3, directed = FALSE), val = list(), iel = list(), oel = list()),
                    class = "network"), "igraph")
  # three columns: weights, whatever they are
  refused(data.frame(from = 1, to = 2, weight = 1), "n")
  expect_error(private_graph(data.frame(from = 1, to = 2, weight = 1), 1, n = 3), "weights",
               class = "dptda_error_argument")
  refused(matrix(1, 2, 3), "square")
  if (requireNamespace("Matrix", quietly = TRUE)) {
    refused(Matrix::sparseMatrix(1, 2, x = 1, dims = c(2, 3)), "square")
    refused(Matrix::sparseVector(1, 2, 3), "matrix")
    # a general matrix may be that of a directed graph: both triangles must say the same
    refused(Matrix::sparseMatrix(c(1, 3), c(2, 1), x = c(1, 5), dims = c(3, 3)), "symmetric")
  }
  skip_if_not_installed("igraph")
  for (empty in c(TRUE, FALSE)) {
    make <- function(directed) if (empty) igraph::make_empty_graph(4, directed) else igraph::make_ring(4, directed)
    refused(make(TRUE), "directed")
    refused(igraph::set_edge_attr(make(FALSE), "weight", value = 1), "weight")
    refused(igraph::set_vertex_attr(make(FALSE), "type", value = c(TRUE, FALSE, TRUE, FALSE)), "bipartite")
    # another attribute of that name is none of sides
    expect_identical(private_graph(igraph::set_vertex_attr(make(FALSE), "type", value = letters[1:4]), 1, n = 4)$n, 4)
  }
})

test_that("only public facts are errors, and missing values", {
  refused <- function(...) expect_error(private_graph(..., epsilon = 1), class = "dptda_error_argument")
  for (bad in list(1, "a", NULL, list(), letters, array(0, c(2, 2, 2)), matrix("a", 2, 2), matrix(0, 2, 3),
                   as.table(diag(2)), mean)) refused(bad)
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

test_that("an igraph brings no vertices of its own: which there are and their order come from its edges", {
  skip_if_not_installed("igraph")
  people <- c("ann", "bob", "cleo", "dan", "eve")
  ends <- data.frame(a = c("cleo", "ann", "bob"), b = c("ann", "bob", "dan"))
  makers <- list(igraph::graph_from_data_frame, function(ends, directed)
                 igraph::graph_from_edgelist(as.matrix(ends), directed))
  for (make in makers) {
    # with the edge cleo - ann, without it, and without any
    graphs <- lapply(list(ends, ends[-1, ], ends[0, ]), make, directed = FALSE)
    for (graph in graphs) {
      if (igraph::is_named(graph)) {
        expect_error(private_graph(graph, 0.01), "`vertices` must be given", class = "dptda_error_argument")
        expect_error(private_graph(graph, 0.01, n = 5), "`vertices` must be given", class = "dptda_error_argument")
      }
      release <- private_graph(graph, 0.01, vertices = people)
      expect_identical(release$vertices, people)
      expect_identical(release$n, 5)
    }
    wanted <- c("ann bob", "ann cleo", "bob dan")
    expect_identical(read_edges(graphs[[1]], vertices = people), read_edges(ends, vertices = people))
    expect_setequal(read_edges(graphs[[1]], vertices = people), wanted)
    expect_identical(read_edges(graphs[[2]], vertices = people),
                     setdiff(read_edges(ends, vertices = people), "ann cleo"))
    # who is not among the vertices is dropped, with the edges, without a word
    expect_identical(read_edges(graphs[[1]], vertices = people[-1]), "bob dan")
  }
  shown <- tryCatch(private_graph(graphs[[1]], 1), error = conditionMessage)
  for (name in people) expect_no_match(shown, name)
})

test_that("names of an igraph are matched one by one: twice the same, factors, encodings, numbers", {
  skip_if_not_installed("igraph")
  path <- igraph::make_ring(4, circular = FALSE)
  named <- function(names) igraph::set_vertex_attr(path, "name", value = names)
  # two vertices of one name are one: an edge between them is a loop
  expect_identical(read_edges(named(c("a", "b", "b", "c")), vertices = c("c", "b", "a")), c("c b", "b a"))
  names <- c("\u00e9va", "bob", "zo\u00eb", "dan")
  wanted <- c("dan zo\u00eb", "zo\u00eb bob", "bob \u00e9va")
  expect_setequal(read_edges(named(names), vertices = rev(names)), wanted)
  expect_setequal(read_edges(named(iconv(names, "UTF-8", "latin1")), vertices = factor(rev(names), rev(names))), wanted)
  # igraph 1 keeps the codes of a factor, which are not names; igraph 2.3 keeps the factor, and its labels are matched
  labels <- named(factor(names))
  if (is.factor(igraph::vertex_attr(labels, "name"))) {
    expect_setequal(read_edges(labels, vertices = rev(names)), wanted)
  } else {
    expect_error(private_graph(labels, 1, vertices = names), "strings", class = "dptda_error_argument")
  }
  # as igraph writes numbers of a list of edges down
  edges <- data.frame(a = c(1e5, 7, 0.5), b = c(7, 0.5, 3))
  numbers <- igraph::graph_from_data_frame(edges, directed = FALSE)
  expect_identical(read_edges(numbers, vertices = c(0.5, 3, 7, 1e5)), read_edges(edges, vertices = c(0.5, 3, 7, 1e5)))
  expect_silent(private_graph(named(c("1", "x", "Inf", "")), noiseless, vertices = 1:3))
  expect_identical(read_edges(named(4:1), vertices = 1:4), c("1 2", "2 3", "3 4"))
  expect_error(private_graph(named(4:1), 1, vertices = letters), "strings", class = "dptda_error_argument")
  expect_error(private_graph(named(c(TRUE, FALSE, TRUE, FALSE)), 1, vertices = letters), class = "dptda_error_argument")
  budget <- privacy_budget(epsilon = 1, relation = "edge")
  expect_error(private_graph(named(c("a", NA, "b", "c")), 1, vertices = letters, budget = budget), "missing",
               class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})

test_that("an igraph or a sparse matrix without names is no larger than its edges made it: `n` says its vertices", {
  forms <- list()
  if (requireNamespace("igraph", quietly = TRUE)) {
    forms$igraph <- function(ends) igraph::graph_from_edgelist(ends, directed = FALSE)
  }
  if (requireNamespace("Matrix", quietly = TRUE)) {
    forms$sparse <- function(ends) Matrix::sparseMatrix(c(ends), c(ends[, 2:1]), x = 1)
    forms$symmetric <- function(ends) Matrix::sparseMatrix(ends[, 1], ends[, 2], symmetric = TRUE)
  }
  ends <- rbind(c(1, 2), c(2, 3), c(3, 5))
  for (form in forms) {
    for (graph in list(form(ends), form(ends[-3, ]))) {
      expect_error(private_graph(graph, 0.01), "`n` or `vertices` must be given", class = "dptda_error_argument")
      expect_identical(private_graph(graph, 0.01, n = 6)$n, 6)
      expect_identical(private_graph(graph, 0.01, vertices = letters)$vertices, letters)
      # the curator's own eyes may see all of it
      expect_s3_class(graph_debias(graph), "dptda_debiased_graph")
    }
    expect_identical(read_edges(form(ends), n = 6), c("1 2", "2 3", "3 5"))
    expect_identical(read_edges(form(ends), vertices = letters[1:5]), c("a b", "b c", "c e"))
    shown <- tryCatch(private_graph(form(ends), 1, n = 4), dptda_error_argument = conditionMessage)
    expect_match(shown, "`n` must be")
    expect_no_match(shown, "5")
  }
})

test_that("a matrix with names is matched by them, and never taken in another order", {
  people <- c("ann", "bob", "cleo", "dan")
  A <- square(rbind(c(1, 2), c(3, 2)), 3)
  dimnames(A) <- list(people[c(3, 1, 2)], people[c(3, 1, 2)])
  forms <- list(A, A != 0, `rownames<-`(A, NULL), `colnames<-`(A, NULL))
  if (requireNamespace("Matrix", quietly = TRUE)) {
    forms <- c(forms, Matrix::Matrix(A, sparse = TRUE), methods::as(methods::as(A, "CsparseMatrix"), "generalMatrix"),
               Matrix::Matrix(A, sparse = FALSE))
  }
  for (form in forms) {
    expect_error(private_graph(form, 1), "`vertices` must be given", class = "dptda_error_argument")
    expect_error(private_graph(form, 1, n = 3), "`vertices` must be given", class = "dptda_error_argument")
    expect_identical(read_edges(form, vertices = people), c("ann bob", "ann cleo"))
    expect_identical(read_edges(form, vertices = people[c(3, 1, 2)]), c("cleo ann", "ann bob"))
    expect_identical(read_edges(form, vertices = people[-3]), "ann bob")
    expect_identical(private_graph(form, 1, vertices = people)$vertices, people)
  }
  expect_error(private_graph(`dimnames<-`(A, list(people[1:3], people[3:1])), 1, vertices = people), "names",
               class = "dptda_error_argument")
  expect_error(private_graph(`dimnames<-`(A, list(c("ann", NA, "bob"), NULL)), 1, vertices = people), "missing",
               class = "dptda_error_argument")
  expect_identical(private_graph(unname(A), 1, vertices = people[1:3])$vertices, people[1:3])
})

test_that("with `n`, ends outside 1 .. n are an error for the curator, before anything is spent", {
  budget <- privacy_budget(epsilon = 1, relation = "edge")
  shown <- character()
  for (bad in list(0, 4, -1, 1.5, Inf, -Inf, 1e300, 0L, 4L, -3L)) {
    for (edges in list(data.frame(bad, 2), data.frame(c(1, 2), c(3, bad)))) {
      shown <- c(shown, tryCatch(private_graph(edges, 1, n = 3, budget = budget),
                                 dptda_error_argument = conditionMessage))
    }
  }
  expect_length(unique(shown), 1)
  expect_match(shown[1], "0:(n - 1)", fixed = TRUE)
  expect_identical(budget$spent, 0)
  expect_error(private_graph(data.frame(1, 1), 1, n = 0), class = "dptda_error_argument")
  # with names the same ends are dropped
  expect_identical(read_edges(data.frame(0:3, 1:4), vertices = 0:3), c("0 1", "1 2", "2 3"))
})

test_that("a matrix that is not symmetric is an error for the curator, before anything is spent", {
  budget <- privacy_budget(epsilon = 1, relation = "edge")
  refused <- function(graph, ...) {
    expect_error(private_graph(graph, 1, ..., budget = budget), "t\\(graph\\)", class = "dptda_error_argument")
  }
  both <- square(rbind(c(1, 2), c(70, 3), c(65, 129)), 130)
  for (place in list(c(1, 3), c(3, 1), c(130, 1), c(1, 130), c(129, 130), c(64, 65), c(70, 3), c(129, 65))) {
    A <- both
    A[place[1], place[2]] <- 1 - A[place[1], place[2]]
    for (form in list(A, A > 0, 1L * (A > 0), replace(A, A > 0, Inf), A * 1e-300)) refused(form)
    if (requireNamespace("Matrix", quietly = TRUE)) {
      sparse <- methods::as(A, "CsparseMatrix")
      others <- list(sparse, sparse != 0, methods::as(sparse, "TsparseMatrix"), methods::as(sparse, "RsparseMatrix"),
                     methods::as(sparse, "nMatrix"))
      for (form in others) refused(form, n = 140)
      refused(Matrix::Matrix(A, sparse = FALSE))
      expect_identical(read_edges(sparse | Matrix::t(sparse), n = 130), read_edges(A | t(A)))
    }
  }
  for (triangle in list(both * upper.tri(both), both * lower.tri(both))) {
    refused(triangle)
    expect_identical(read_edges(triangle | t(triangle)), read_edges(both))
    if (requireNamespace("Matrix", quietly = TRUE)) {
      for (form in list(methods::as(triangle, "CsparseMatrix"),
                        methods::as(methods::as(triangle, "triangularMatrix"), "CsparseMatrix"))) {
        refused(form, n = 130)
      }
      refused(methods::as(methods::as(triangle, "triangularMatrix"), "unpackedMatrix"))
      refused(methods::as(methods::as(triangle, "triangularMatrix"), "packedMatrix"))
    }
  }
  expect_identical(budget$spent, 0)
  if (requireNamespace("Matrix", quietly = TRUE)) {
    for (form in c(Matrix::forceSymmetric(methods::as(both, "CsparseMatrix")), Matrix::Matrix(both, sparse = TRUE))) {
      expect_identical(read_edges(form, n = 130), read_edges(both))
    }
    packed <- methods::as(Matrix::forceSymmetric(Matrix::Matrix(both, sparse = FALSE)), "packedMatrix")
    expect_identical(read_edges(packed, n = 130), read_edges(both))
    expect_identical(read_edges(Matrix::Diagonal(4), n = 4), character())
  }
})

test_that("weights in a matrix are an error for the curator as those of an igraph are, before anything is spent", {
  budget <- privacy_budget(epsilon = 1, relation = "edge")
  shown <- character()
  refused <- function(graph) {
    n <- nrow(graph)
    for (read in list(function() private_graph(graph, 1, n = n, budget = budget),
                      function() private_degrees(graph, epsilon = 1, n = n, budget = budget),
                      function() spectral_embedding(graph, 1), function() graph_debias(graph))) {
      cnd <- expect_error(read(), "weights", class = "dptda_error_argument")
      shown <<- union(shown, conditionMessage(cnd))
    }
  }
  both <- square(rbind(c(1, 2), c(70, 3), c(65, 129)), 130)
  one <- function(value) replace(replace(both, 3 + 69 * 130, value), 70 + 2 * 130, value)
  weights <- both * stats::runif(130^2, 1, 2)
  for (graph in list(both * 7, -both, both * 1e-300, one(Inf), one(2), one(0.5), one(1 + 2^-52), weights + t(weights),
                     one(2) * 1L, stats::cor(rbind(c(1, 2, 4), c(3, 1, 5), c(2, 2, 0), c(9, 1, 1))))) {
    refused(graph)
    if (requireNamespace("Matrix", quietly = TRUE)) {
      refused(Matrix::forceSymmetric(methods::as(graph * 1, "CsparseMatrix")))
      refused(Matrix::Matrix(graph, sparse = FALSE))
    }
  }
  # one message for all, of whatever entries
  expect_length(shown, 1)
  expect_identical(budget$spent, 0)
  expect_identical(read_edges(one(0.5) != 0), read_edges(both))
  skip_if_not_installed("igraph")
  star <- igraph::set_edge_attr(igraph::make_star(5, "undirected"), "weight", value = 1:4 / 4)
  refused(igraph::as_adjacency_matrix(star, attr = "weight"))
  expect_equal(spectral_embedding(igraph::as_adjacency_matrix(star), 2)$eigenvalues, c(2, -2), tolerance = 1e-12)
})

test_that("what the records of one pair say changes one bit, in every form (30 random graphs)", {
  set.seed(521)
  n <- 9
  bits_of <- function(graph, n, vertices = NULL) {
    read <- read_graph(graph, n, vertices)
    .Call(ffi_graph_unpack, read$n, true_pairs(read, list(packed = TRUE)), kernel_options())
  }
  for (i in 1:30) {
    records <- matrix(sample(-1:(n + 1), 2 * sample(0:25, 1), TRUE), ncol = 2)
    pair <- sample(n, 2)
    of_pair <- records[, 1] %in% pair & records[, 2] %in% pair & records[, 1] != records[, 2]
    without <- records[!of_pair, , drop = FALSE]
    with <- rbind(without, pair, rev(pair))[sample(nrow(without) + 2), , drop = FALSE]
    inside <- function(records) records[records[, 1] %in% 1:n & records[, 2] %in% 1:n, , drop = FALSE]
    mirrored <- function(records) rbind(inside(records), inside(records)[, 2:1])
    forms <- list(
      list = function(records) bits_of(data.frame(a = records[, 1], b = records[, 2]), NULL, 1:n),
      square = function(records) bits_of(square(inside(records), n), NULL)
    )
    if (requireNamespace("Matrix", quietly = TRUE)) {
      forms$sparse <- function(records) {
        records <- mirrored(records)
        bits_of(Matrix::sparseMatrix(i = records[, 1], j = records[, 2], x = rep(1, nrow(records)), dims = c(n, n),
                                     repr = "T"), n)
      }
    }
    if (requireNamespace("igraph", quietly = TRUE)) {
      forms$igraph <- function(records) bits_of(igraph::make_graph(t(inside(records)), n = n, directed = FALSE), n)
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

test_that("that there are no edges, or more than half of all, is no error that others do not get", {
  for (type in list(character(), integer(), numeric(), logical(), factor(), I(list()))) {
    none <- data.frame(from = type, to = type)
    for (vertices in list(c("a", "b"), c(5, 6))) expect_identical(private_graph(none, 1, vertices = vertices)$n, 2)
    expect_identical(private_graph(none, 1, n = 3)$n, 3)
  }
  skip_if_not_installed("Matrix")
  # Matrix::Matrix() stores the one sparse, and the other dense
  for (A in list(square(rbind(c(1, 2)), 4), 1 - diag(4))) {
    form <- Matrix::Matrix(A)
    expect_error(private_graph(form, 1), "`n` or `vertices` must be given", class = "dptda_error_argument")
    expect_error(private_graph(form, 1, n = 3), "or more", class = "dptda_error_argument")
    expect_identical(read_edges(form, n = 4), read_edges(A))
    expect_identical(read_edges(form, n = 6), read_edges(A))
    expect_identical(read_edges(form, vertices = letters[1:6]), chartr("1234", "abcd", read_edges(A)))
  }
})

test_that("a name that is no text is none of the vertices that are numbers", {
  skip_if_not_installed("igraph")
  graph <- igraph::make_graph(c(1, 2, 2, 3), directed = FALSE)
  bytes <- "\xff"
  Encoding(bytes) <- "bytes"
  for (odd in c("\xff", bytes, "1e400", "no number")) {
    igraph::V(graph)$name <- c("7", "8", odd)
    expect_identical(read_edges(graph, vertices = c(7, 8, 9)), "7 8")
  }
})
