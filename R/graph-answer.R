# The answer of one vertex about its own pairs, for graphs that nobody holds (graph-response.R makes the mechanism), and
# the graph that all answers form together.

#' Answers of single vertices, and the private graph that they form
#'
#' Joins the answers of all vertices to a private graph, if nobody holds the graph (*local* differential privacy). Each
#' vertex answers by [private_graph()] with `vertex`.
#'
#' @details
#' A vertex answers for its pairs with the vertices before it, so every pair is in exactly one answer. The first vertex
#' has no pair to answer for, so its answer may be missing. All others are needed, once each. A budget adds up the
#' answers that are charged to it, so each vertex needs its own.
#'
#' @param ... For `c()`: the answers of all vertices, of class `dptda_graph_answer`, in any order. For a list of
#'   answers, use `do.call(c, answers)`. Otherwise: not used.
#' @param x An object of class `dptda_graph_answer`.
#' @return
#' * `private_graph()` with `vertex`: an object of class `dptda_graph_answer`, a list of `n` and `vertices` (as in the
#'   private graph), `vertex` (the position of the vertex that answers), `neighbors` (the positions before it that the
#'   answer calls its neighbors), `method`, `flip`, and `coin`. `as.data.frame()` has one row per pair, with the columns
#'   `vertex` and `edge`.
#' * `c()`: a [private_graph()].
#' * `print()`: `x`, invisibly.
#' @section Privacy:
#' Unit: one edge, as for [private_graph()]. The curator of an answer is the vertex itself: its neighbors are read and
#' flipped where `private_graph()` runs, and only the answer has to leave that place.
#'
#' Guarantee: pure `epsilon`-differential privacy for each answer. The joined graph has the distribution of a graph that
#' a trusted curator releases at the same `epsilon`, and the same guarantee, if all answers still have theirs: each pair
#' is in one answer, so their costs do not add up. If both ends of a pair answered for it, the two answers together
#' would cost 2 `epsilon`. Proof: `system.file("proofs", "graph-response.md", package = "dptda")`.
#' @seealso [private_graph()]
#' @examples
#' # a ring of 50 people, each of whom knows two neighbors only
#' answers <- lapply(1:50, function(i) {
#'   neighbors <- c((i - 2) %% 50, i %% 50) + 1
#'   suppressWarnings(
#'     private_graph(neighbors, epsilon = 3, n = 50, vertex = i),
#'     classes = "dptda_warning_power"
#'   )
#' })
#' answers[[4]]
#' as.data.frame(answers[[4]])
#' do.call(c, answers)
#' @name graph_answer
NULL

# The pairs of the vertex, as pairs of the smaller graph that has the coins: its pair with vertex j has number j - 1.
statistic_of.private_graph_answer <- function(plan, rows) {
  number <- rows$from[rows$from >= 1 & rows$from < plan$vertex] - 1
  column <- floor((1 + sqrt(8 * number + 1)) / 2)
  true_pairs(list(n = plan$coins, from = as.integer(number - column * (column - 1) / 2) + 1L,
                  to = as.integer(column) + 1L), plan$response)
}

rows_for.private_graph_answer <- function(plan, x) {
  named <- !is.null(plan$vertices)
  read_neighbors(x, if (!named) plan$n, plan$vertices, if (named) plan$vertices[plan$vertex] else plan$vertex)
}

draw_of.private_graph_answer <- function(plan, statistic, rng) {
  randomize_pairs(plan$coins, statistic, plan$response, rng)
}

# Drops the coins that no pair of the vertex used.
result_of.private_graph_answer <- function(plan, drawn) {
  edges <- if (is.raw(drawn)) .Call(ffi_graph_unpack, plan$coins, drawn, kernel_options()) else drawn
  number <- (edges$to - 1) * (edges$to - 2) / 2 + edges$from
  response <- plan$response
  new_result(list(n = plan$n, vertices = plan_labels(plan), vertex = plan$vertex,
                  neighbors = as.integer(number[number < plan$vertex]), method = response$method,
                  flip = response$flip, coin = response$coin), "dptda_graph_answer")
}

define_class(
  "dptda_graph_answer", "private_graph()", .bare = is.list, n = function(x) is_vertex_count(x),
  vertices = is_null_or(is.character), vertex = is_one_number, neighbors = is.integer,
  method = function(x) is_one_string(x) && x %in% names(response_methods), flip = is_one_number,
  coin = function(x) is.raw(x) && length(x) == 16,
  .valid = function(x) {
    x <- unclass(x)
    x$flip == coin_value(x$coin) && x$flip > 0 && x$flip <= 0.5 && (is.null(x$vertices) || length(x$vertices) == x$n) &&
      x$vertex >= 1 && x$vertex <= x$n && x$vertex == floor(x$vertex) && !anyNA(x$neighbors) &&
      all(x$neighbors >= 1L & x$neighbors < x$vertex) && !is.unsorted(x$neighbors, strictly = TRUE)
  }
)

#' @rdname graph_answer
#' @export
c.dptda_graph_answer <- function(...) {
  answers <- lapply(unname(list(...)), check_valid, class = "dptda_graph_answer", arg = "...")
  first <- answers[[1]]
  shared <- c("n", "vertices", "method", "coin")
  alike <- vapply(answers, function(one) identical(unclass(one)[shared], unclass(first)[shared]), NA)
  if (!all(alike)) {
    stop_argument("...", "must be answers about one graph: with the same vertices, `epsilon`, and `method`.")
  }
  by <- vapply(answers, `[[`, 0, "vertex")
  if (anyDuplicated(by)) {
    stop_argument("...", "must have one answer of each vertex, but vertex ", format_count(by[anyDuplicated(by)]),
                  " has several. Each of them costs `epsilon`, and one is enough.")
  }
  missing <- setdiff(seq_len(first$n)[-1], by)
  if (length(missing)) {
    stop_argument("...", "must have the answers of all vertices, but ",
                  if (length(missing) == 1) "one is" else c(format_count(length(missing)), " are"),
                  " missing, such as that of vertex ", format_count(missing[1]), ".")
  }
  answers <- answers[order(by)]
  neighbors <- lapply(answers, `[[`, "neighbors")
  joined_graph(first, list(from = as.integer(unlist(neighbors)), to = rep(as.integer(sort(by)), lengths(neighbors))),
               lapply(answers, privacy))
}

joined_graph <- function(answer, edges, guarantees) {
  plan <- list(method = answer$method, coin = answer$coin, flip = answer$flip,
               packed = is_response_packed(answer$n, answer$flip))
  pairs <- if (plan$packed) .Call(ffi_graph_pack, answer$n, edges$from, edges$to, kernel_options()) else edges
  graph <- new_private_graph(answer$n, answer$vertices, plan, pairs)
  if (any(vapply(guarantees, is.null, NA))) return(graph)
  # each pair is in one answer, so their costs do not add up
  plan$epsilon <- max(vapply(guarantees, function(one) one$measure[["epsilon"]], 0))
  guarantee <- graph_guarantee(answer$n, plan)
  sources <- vapply(guarantees, `[[`, "", "random")
  guarantee$random <- if ("R" %in% sources) "R" else sources[1]
  attach_guarantee(graph, guarantee)
}

#' @exportS3Method
result_table.dptda_graph_answer <- function(x) {
  before <- seq_len(x$vertex - 1)
  data.frame(vertex = if (is.null(x$vertices)) before else x$vertices[before], edge = before %in% x$neighbors)
}

#' @rdname graph_answer
#' @export
print.dptda_graph_answer <- function(x, ...) {
  check_valid(x, "dptda_graph_answer")
  print_release(x, {
    cat("vertex ", format_count(x$vertex), " of ", format_count(x$n), ": ", count_of(length(x$neighbors), "edge"),
        " after randomized response,\n  of ", count_of(x$vertex - 1, "pair"), " with the vertices before it\n",
        "noise: each pair was flipped with probability ", format(x$flip, digits = 4), "\n", sep = "")
    if (!is.null(privacy(x)) && x$vertex > 1) cat(vertex_words(x$vertex), "\n", sep = "")
  })
}

# A vertex answers for one pair, and for three of which one differs. The output is the answer about each pair.
example_of.private_graph_answer <- function(plan) {
  answers <- function(note, vertex, neighbors, other, ...) {
    release_example("graph", note, neighbors, other, list(..., n = 4, vertex = vertex), 4, part = function(answer) {
      as.double(seq_len(vertex - 1) %in% answer$neighbors)
    })
  }
  list(
    answers("answer about one pair", 2, double(), 1, epsilon = 1),
    answers("answer about three pairs, rarely flipped", 4, c(1, 3), 3, epsilon = 4.5)
  )
}
