# Answers of single vertices, and the graph that they form: the coins, the distribution, the guarantee, and bad input.

bad <- function(expr, ...) expect_error(expr, ..., class = "dptda_error_argument")

# Answers of all vertices of a graph, each from its own row of the matrix.
answers_of <- function(A, ..., vertices = seq_len(nrow(A))) {
  lapply(vertices, function(i) private_graph(which(A[i, ] == 1), ..., n = nrow(A), vertex = i, rng = "R"))
}

quietly <- function(expr) suppressWarnings(expr, classes = "dptda_warning_power")

test_that("an answer has the coins of a graph with as many pairs, by both ways", {
  set.seed(601)
  for (epsilon in c(0, 1, 3, 5)) for (vertex in c(1, 2, 3, 4, 5, 11, 12, 64, 200)) {
    n <- 200
    neighbors <- sample(n, 40, TRUE)
    set.seed(vertex)
    answer <- quietly(private_graph(neighbors, epsilon, n = n, vertex = vertex, rng = "R"))
    # the pair with vertex j is the j-th pair of the smaller graph, column by column
    coins <- max(which(choose(1:25, 2) < vertex - 1), 0) + 1
    pairs <- which(upper.tri(diag(coins)), arr.ind = TRUE)
    expect_gte(nrow(pairs), vertex - 1)
    edges <- pairs[intersect(neighbors, seq_len(vertex - 1)), , drop = FALSE]
    set.seed(vertex)
    graph <- quietly(private_graph(data.frame(edges[, 1], edges[, 2]), epsilon, n = coins, rng = "R"))
    expect_identical(as.data.frame(answer)$edge, as.matrix(graph)[pairs][seq_len(vertex - 1)] == 1)
    expect_identical(answer$coin, graph$coin)
  }
})

# 8 graphs on three vertices. Of 8,000 runs, each is expected at least 40 times. 1e-5 is a false alarm of one in 100,000
# for each of the two tests, and the last expectation shows the power of this size.
test_that("joined answers have the distribution of private_graph(), by enumeration of all graphs", {
  skip_if_instrumented()
  set.seed(602)
  pairs <- which(upper.tri(diag(3)))
  outcomes <- vapply(0:7, function(k) bitwAnd(k, c(1, 2, 4)) > 0, logical(3))
  runs <- 8000
  for (method in c("edgeflip", "laplaceflip")) {
    truth <- if (method == "edgeflip") c(1, 0, 0) else c(1, 1, 1)
    A <- matrix(0, 3, 3)
    A[pairs] <- truth
    A <- A + t(A)
    flip <- private_graph(unseen(3), 1.3, method = method)$plan$response$flip
    chance <- function(p) apply(outcomes, 2, function(bits) prod(ifelse(bits == truth, 1 - p, p)))
    expect_gt(runs * min(chance(flip)), 40)
    drawn <- lapply(2:3, function(i) {
      simulate(private_graph(unseen(3), 1.3, vertex = i, method = method), runs, x = which(A[i, ] == 1))
    })
    bits_of <- function(answers, j) vapply(answers, function(one) j %in% one$neighbors, NA)
    bits <- cbind(bits_of(drawn[[1]], 1), bits_of(drawn[[2]], 1), bits_of(drawn[[2]], 2))
    seen <- tabulate(1 + bits %*% c(1, 2, 4), 8)
    expect_gt(stats::chisq.test(seen, p = chance(flip))$p.value, 1e-5)
    for (run in 1:100) {
      expect_identical(as.matrix(c(drawn[[2]][[run]], drawn[[1]][[run]]))[pairs] == 1, bits[run, ])
    }
    expect_lt(stats::chisq.test(seen, p = chance(1.15 * flip))$p.value, 1e-5)
  }
})

test_that("rare flips have their probability in answers (false alarm 6e-7)", {
  set.seed(603)
  mechanism <- private_graph(unseen(3000), 5, vertex = 3000)
  flips <- sum(vapply(simulate(mechanism, 100, x = integer()), function(one) length(one$neighbors), 0L))
  p <- 1 / (1 + exp(5))
  expect_lt(abs(flips - 299900 * p) / sqrt(299900 * p * (1 - p)), 5)
})

test_that("joined answers carry one epsilon, and what a private graph has", {
  set.seed(604)
  A <- square(cbind(1:29, 2:30), 30)
  for (epsilon in c(2, 6)) {
    answers <- quietly(answers_of(A, epsilon))
    graph <- do.call(c, answers)
    expect_identical(graph, do.call(c, rev(answers)))
    expect_identical(graph, do.call(c, answers[-1]))
    whole <- quietly(private_graph(A, epsilon, rng = "R"))
    for (field in c("n", "vertices", "method", "flip", "coin")) expect_identical(graph[[field]], whole[[field]])
    expect_identical(names(unclass(graph)), names(unclass(whole)))
    expect_identical(privacy(graph), privacy(whole))
    for (answer in answers) {
      expect_identical(privacy(answer)$measure, c(epsilon = epsilon))
      expect_identical(privacy(answer)$unit, "one edge")
      expect_match(privacy(answer)$mechanism, "by one of their vertices")
    }
    edges <- as.data.frame(graph)
    expect_identical(edges, as.data.frame(graph)[order(edges$to, edges$from), ])
    for (i in 2:30) expect_identical(edges$from[edges$to == i], answers[[i]]$neighbors)
  }
  expect_identical(summary(graph_debias(graph)$contrast), summary(graph_debias(whole)$contrast))
})

test_that("both ends of a pair cost twice, and a budget counts so", {
  budget <- privacy_budget(epsilon = 2, relation = "edge")
  one <- quietly(private_graph(2, 1, n = 3, vertex = 3, budget = budget, rng = "R"))
  other <- quietly(private_graph(1, 1, n = 3, vertex = 2, budget = budget, rng = "R"))
  expect_identical(budget$spent, 2)
  bad(c(one, one), "vertex 3 has several")
})

test_that("a guarantee is lost with one answer's, and seeded answers are marked", {
  answers <- quietly(answers_of(matrix(0, 4, 4), 1))
  expect_identical(privacy(do.call(c, answers))$random, "R")
  unseeded <- lapply(2:4, function(i) quietly(private_graph(integer(), 1, n = 4, vertex = i)))
  expect_identical(privacy(do.call(c, unseeded))$random, "os")
  expect_identical(privacy(do.call(c, c(unseeded[1:2], answers[4])))$random, "R")
  changed <- unseeded[[3]]
  changed$neighbors <- if (length(changed$neighbors)) integer() else 1L
  expect_null(privacy(changed))
  expect_null(privacy(c(unseeded[[1]], unseeded[[2]], changed)))
})

test_that("names and other numbers of vertices", {
  people <- c("cleo", "ann", "bob", "dan")
  set.seed(605)
  by_name <- quietly(private_graph(c("dan", "ann", "zoe", "ann", "bob"), 40, vertices = people, vertex = "bob",
                                   rng = "R"))
  expect_identical(by_name$vertex, 3)
  expect_identical(by_name$neighbors, 2L)
  expect_identical(as.data.frame(by_name), data.frame(vertex = c("cleo", "ann"), edge = c(FALSE, TRUE)))
  from_zero <- quietly(private_graph(c(0, 2, 7), 40, vertices = 0:3, vertex = 3, rng = "R"))
  expect_identical(from_zero$neighbors, c(1L, 3L))
  answers <- lapply(people, function(one) quietly(private_graph(character(), 40, vertices = people, vertex = one)))
  expect_identical(do.call(c, answers)$vertices, people)
  # a mechanism reads neighbors by the same names
  mechanism <- private_graph(unseen(4), 40, vertices = people, vertex = "dan")
  expect_identical(simulate(mechanism, 1, x = c("bob", "cleo"))[[1]]$neighbors, c(1L, 3L))
  # and by the same numbers
  numbered <- simulate(private_graph(unseen(4), 40, vertices = 0:3, vertex = 2), 1, x = c(0, 1, 3))[[1]]
  expect_identical(as.data.frame(numbered), data.frame(vertex = c("0", "1"), edge = c(TRUE, TRUE)))
  graph <- simulate(private_graph(unseen(4), 40, vertices = 0:3), 1, x = data.frame(from = 0, to = 3))[[1]]
  expect_identical(as.data.frame(graph), data.frame(from = "0", to = "3"))
})

test_that("what is no pair of the vertex is dropped, and the first vertex has none", {
  answer <- quietly(private_graph(c(3, 3, 4, 5), 40, n = 5, vertex = 3, rng = "R"))
  expect_identical(answer$neighbors, integer())
  first <- quietly(private_graph(2:5, 1, n = 5, vertex = 1, rng = "R"))
  expect_identical(first$neighbors, integer())
  expect_identical(dim(as.data.frame(first)), c(0L, 2L))
  alone <- quietly(c(private_graph(integer(), 1, n = 1, vertex = 1)))
  expect_identical(alone$n, 1)
})

test_that("bad arguments are classed errors", {
  bad(private_graph(1, 1, vertex = 2), "`n` or `vertices` must be given")
  bad(private_graph(1, 1, n = 3, vertices = 1:3, vertex = 2), "not both")
  for (vertex in list(0, 4, 1.5, NA, "1", 1:2, Inf)) bad(private_graph(1, 1, n = 3, vertex = vertex), "`vertex`")
  for (vertex in list("c", NA_character_, 1, c("a", "b"))) {
    bad(private_graph("a", 1, vertices = c("a", "b"), vertex = vertex), "`vertex` must be one of")
  }
  for (x in list(data.frame(1), matrix(0, 3, 3), list(1), mean)) bad(private_graph(x, 1, n = 3, vertex = 3))
  for (x in list("a", 0, 4, 1.5, NA_real_)) bad(private_graph(x, 1, n = 3, vertex = 3), "`graph`")
  bad(private_graph(unseen(3), 1, vertex = 4), "`vertex`")
  two <- quietly(private_graph(1, 1, n = 3, vertex = 2))
  three <- quietly(private_graph(1, 2, n = 3, vertex = 3))
  bad(c(two, three), "with the same vertices, `epsilon`")
  bad(c(two), "one is missing, such as that of vertex 3")
  bad(c(two, 1))
  bad(c(two, private_graph(matrix(0, 3, 3), 1)))
})

test_that("no neighbors are no error, in any form that a list of neighbors has", {
  answer <- function(graph, ...) quietly(private_graph(graph, 1, ..., rng = "R"))
  friends <- split(c(2, 3), c(1, 1))
  for (none in list(friends[["4"]], NULL, integer(), character())) {
    expect_s3_class(answer(none, n = 4, vertex = 4), "dptda_graph_answer")
    expect_s3_class(answer(none, vertices = letters[1:4], vertex = "d"), "dptda_graph_answer")
  }
  skip_if_not_installed("igraph")
  path <- igraph::make_graph(c(1, 2, 2, 3), n = 4, directed = FALSE)
  for (i in 1:4) {
    set.seed(7)
    found <- answer(igraph::neighbors(path, i), n = 4, vertex = i)
    set.seed(7)
    expect_identical(found, answer(as.integer(igraph::neighbors(path, i)), n = 4, vertex = i))
  }
  igraph::V(path)$name <- letters[1:4]
  set.seed(8)
  named <- answer(igraph::neighbors(path, 3), vertices = letters[1:4], vertex = "c")
  set.seed(8)
  expect_identical(named, answer("b", vertices = letters[1:4], vertex = "c"))
})
