#' Private graph by randomized response (edge-level privacy)
#'
#' Releases a graph under edge-level differential privacy by randomized response. Each pair of vertices is flipped (edge
#' to non-edge or back) independently, with the same probability. The result is a graph on the same vertices that may be
#' published. Every analysis of it has the same guarantee.
#'
#' @details
#' # Choice of the release
#' If a trusted curator holds the graph, [private_degrees()] releases degrees and edge counts with far less noise.
#' `vignette("graphs", package = "dptda")` shows uses of a private graph, and the `epsilon` that each of them needs.
#'
#' # If nobody holds the graph
#' Each pair is released from its own bit alone. So each vertex can answer for itself, from its own neighbors (*local*
#' differential privacy): use `vertex`. [c()][graph_answer] joins the answers to a private graph.
#'
#' # Vertices and accepted graphs
#' The vertices and their order must be public, and must not come from the edges. [graph_input] explains when to supply
#' `n` or `vertices`, and which graphs are errors.
#'
#' @param graph An undirected graph: an igraph, a numeric or logical square matrix, a matrix of package Matrix, or a
#'   data frame with two columns, the ends of the edges ([graph_input]). With `vertex`, a plain vector of its neighbors.
#' @param epsilon One number of at least 0: the privacy parameter. With 0, the release is a random graph that does not
#'   depend on `graph`. From about 88 on, a pair is flipped with probability 2^-128, which is more private than
#'   requested.
#' @param rho,delta Must be `NULL`: randomized response satisfies pure `epsilon`-differential privacy.
#' @param n An integer of at least 0: the public number of vertices, which are then 1 to `n`. Supply `n` or `vertices`.
#'   For an unnamed base R matrix both may be omitted. Its size is then treated as public.
#' @param vertices A plain vector of distinct strings or numbers (public): the names of all vertices, in a public order.
#'   An edge list refers to vertices by these values, an igraph or a matrix by its names. A graph without names gets
#'   these names, in its order.
#' @param vertex `NULL`, or one number from 1 to `n` or element of `vertices` (public): the vertex that answers. `graph`
#'   then has its neighbors only. Pairs with vertices before it are released, others are dropped silently.
#' @param method `"edgeflip"` flips a pair with probability 1 / (1 + exp(epsilon)), the smallest that satisfies
#'   `epsilon`. `"laplaceflip"` uses exp(-epsilon / 2) / 2, which is larger: Laplace noise on each pair, cut at one
#'   half. It satisfies log(2 exp(epsilon / 2) - 1), which its guarantee states and a budget is charged.
#' @inheritParams private_release
#' @param budget `NULL` or a [privacy_budget()] for edges, `privacy_budget(relation = "edge")`, that is charged for the
#'   release.
#'
#' @return An object of class `dptda_private_graph`, a list:
#'
#' * `n` and `vertices`: the number of vertices, and their names or `NULL`.
#' * `method`, `flip`, and `coin`: the method, the probability of a flip that was used, as a double, and its 16 bytes, a
#'   multiple of 2^-128.
#' * `bits` or `edges`: the released edges, as a packed triangle, or as a list of two sorted integer vectors `from` and
#'   `to`. `flip` alone decides which of the two (`bits` from 1/64 on).
#'
#' With `vertex`, an answer of class [`dptda_graph_answer`][graph_answer].
#'
#' For conversions, `summary()`, and `plot()`, see [as.matrix()][as.matrix.dptda_private_graph]. To cluster vertices,
#' use [spectral_embedding()] instead of the rows of the matrix (as in `stats::kmeans()`), which are mostly noise.
#'
#' @section Privacy:
#' Unit: one edge. Neighbors differ by adding or removing one edge. The vertices are public.
#'
#' Guarantee: pure `epsilon`-differential privacy. The probability of a flip is a multiple of 2^-128 that is verified in
#' integer arithmetic to be large enough, and each draw is exact. If many pairs are flipped, random bits come from
#' ChaCha20, with a new key from the operating system's entropy for each release. The guarantee then holds against
#' anyone who cannot break that cipher. If few pairs are flipped, the bits are the operating system's entropy itself.
#' [privacy()] names the source.
#'
#' Groups: for k edges the guarantee weakens to k `epsilon`, and for all edges of a vertex to (n - 1) `epsilon`. The
#' presence of a person in the data, and a person's having many edges, are therefore not protected.
#'
#' Not protected: errors about the input, which occur before anything is drawn or spent. They show no record, are for
#' the curator, and are not part of a release. The guarantee is for graphs without them. Running time (unless
#' `options(dptda.release_time = )` is set, see [dptda-package]) and memory are not protected either: for an edge list
#' both depend on the number of edges. What these terms mean: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' For `flip` from 1/64 on, each pair is one bit. Random words are compared with the digits of `flip` for 64 pairs at a
#' time, with 5.5 random bits per pair and under 1 ns per pair and core. 100,000 vertices take 626 MB. Below 1/64,
#' geometric skips lead from flip to flip, 0.4 us each. Proof: `system.file("proofs", "graph-response.md", package =
#' "dptda")`.
#'
#' @references
#' Karwa, V., Krivitsky, P. and Slavkovic, A. (2017). Sharing social network data: differentially private estimation of
#' exponential family random-graph models. *Journal of the Royal Statistical Society C* 66, 481-500.
#'
#' Imola, J., Murakami, T. and Chaudhuri, K. (2021). Locally differentially private analysis of graph statistics.
#' *USENIX Security*. <https://arxiv.org/abs/2010.08688>
#'
#' Vishwanath, S. and Hehir, J. (2022). The shape of edge differential privacy. *Journal of Privacy and
#' Confidentiality*.
#'
#' Nir, Y. and Langley, A. (2018). ChaCha20 and Poly1305 for IETF protocols. RFC 8439.
#' @aliases edgeFlip laplaceFlip edgeflip laplaceflip
#' @examples
#' # a small graph: each pair is visible, groups are not
#' friends <- data.frame(from = c("ann", "bob", "cleo"),
#'                       to = c("bob", "cleo", "ann"))
#' names <- c("ann", "bob", "cleo", "dan", "eve")
#' release <- suppressWarnings(
#'   private_graph(friends, epsilon = 2, vertices = names),
#'   classes = "dptda_warning_power"
#' )
#' release
#' as.matrix(release)
#' as.data.frame(release)
#'
#' # two groups of 50, in each of which half of the pairs are edges
#' groups <- simulate(graph_sbm(c(50, 50), matrix(c(0.5, 0, 0, 0.5), 2)))
#' summary(private_graph(groups, epsilon = 2, n = 100))
#' @order 1
#' @export
private_graph <- function(graph, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, n = NULL, vertices = NULL,
                          vertex = NULL, method = c("edgeflip", "laplaceflip"), budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  # refuses bad arguments before the graph is read
  cost <- check_graph_cost(epsilon, rho, delta, mu)
  method <- check_choice(method, names(response_methods))
  if (is.null(vertex)) {
    make <- function(units, read) graph_mechanism(units, cost, read$vertices, method)
    return(release_graph(graph, n, vertices, budget, rng, make))
  }
  make <- function(units, read) {
    answer_mechanism(units, cost, read$vertices, method, vertex_place(vertex, units, vertices))
  }
  release_graph(graph, n, vertices, budget, rng, make, function(x) read_neighbors(x, n, vertices, vertex))
}

# Releases a graph, or makes the mechanism for vertices without data (unseen()).
release_graph <- function(graph, n, vertices, budget, rng, make, read = function(x) read_graph(x, n, vertices)) {
  make_of <- function(units, read) {
    if (!is_unseen(read)) return(make(units, read))
    if (!is.null(units$person) || units$omit) {
      stop_argument("graph", "must be unseen() vertices without `person` or `missing`: the private unit is one edge.")
    }
    units <- check_count(units$n, 0, most_vertices, arg = "n")
    if (!is.null(n) && !is.null(vertices)) stop_argument("n", "or `vertices` may be given, but not both.")
    if (!is.null(n) && check_count(n, 0, most_vertices) != units) {
      stop_argument("n", "must be the number of vertices of `graph`.")
    }
    vertices <- if (!is.null(vertices)) check_vertices(vertices)
    if (length(vertices) && length(vertices) != units) {
      stop_argument("vertices", "must be the names of `n` vertices, or NULL.")
    }
    make(units, list(n = units, vertices = vertices))
  }
  release(graph, budget, rng, read, make_of)
}

# Accepts epsilon = 0: the answers then do not depend on the graph.
check_graph_cost <- function(epsilon, rho, delta, mu) {
  check_cost(epsilon, rho, delta, mu, takes = "epsilon", because = "each pair is flipped, which keeps a pure epsilon",
             zero = TRUE)
}

# All arguments are checked.
graph_mechanism <- function(n, cost, vertices, method) {
  plan <- plan_response(n, cost$spent[["epsilon"]], method)
  new_mechanism(public_plan("private_graph", n = n, vertices = vertices, response = plan), graph_guarantee(n, plan))
}

# The answer of one vertex, the one at this position, about its pairs with the vertices before it (graph-answer.R). The
# coins are those of all pairs of a smaller graph of `coins` vertices, which has at least as many pairs.
answer_mechanism <- function(n, cost, vertices, method, vertex) {
  coins <- ceiling((1 + sqrt(8 * vertex - 7)) / 2)
  plan <- plan_response(coins, cost$spent[["epsilon"]], method)
  new_mechanism(public_plan(c("private_graph_answer", "private_graph"), n = n, vertices = vertices, vertex = vertex,
                            coins = coins, response = plan), graph_guarantee(n, plan, vertex))
}

rows_for.private_graph <- function(plan, x) {
  read_graph(x, if (is.null(plan$vertices)) plan$n, plan$vertices)
}

# Bits are flipped in place, so each draw gets its own copy.
statistic_of.private_graph <- function(plan, rows) true_pairs(rows, plan$response)

draw_of.private_graph <- function(plan, statistic, rng) randomize_pairs(plan$n, statistic, plan$response, rng)

draws_of.private_graph <- function(plan, statistic, runs, rng) {
  lapply(seq_len(runs), function(run) draw_of(plan, if (is.raw(statistic)) copy_bits(statistic) else statistic, rng))
}

copy_bits <- function(bits) xor(bits, raw(1))

# Whether a pair is an edge, as 0 or 1.
noise_of.private_graph <- function(plan) {
  flip <- plan$response$flip
  noise_lines("each pair", "flipped with this probability", flip, sd = sqrt(flip * (1 - flip)))
}

result_of.private_graph <- function(plan, drawn) new_private_graph(plan$n, plan_labels(plan), plan$response, drawn)

# The names of vertices. A mechanism without data has its vertices as they were given, which may be numbers.
plan_labels <- function(plan) if (!is.null(plan$vertices)) vertex_labels(plan$vertices)

response_methods <- c(edgeflip = 0L, laplaceflip = 1L)

# Computed from public numbers only. `epsilon`: the guarantee; `coin`: the probability of a flip in 16 bytes; `packed`:
# visit all pairs (TRUE), or only the pairs that flip.
plan_response <- function(n, epsilon, method) {
  coin <- .Call(ffi_graph_coin, epsilon, response_methods[[method]])
  list(method = method, coin = coin, flip = coin_value(coin), packed = is_response_packed(n, coin_value(coin)),
       epsilon = if (method == "edgeflip") epsilon else laplaceflip_epsilon(epsilon))
}

# Also refuses what is too large.
is_response_packed <- function(n, flip) {
  packed <- flip >= 1 / 64
  if (packed && packed_size(n) > 2^46) {
    stop_dptda("size", "All pairs of ", format_count(n), " vertices, one bit each, take ",
               format_count(round(packed_size(n) / 1e9)),
               " GB. Use a larger `epsilon`: then only the flipped pairs are kept.")
  }
  if (!packed && flip * n * (n - 1) / 2 > 2^30) {
    stop_dptda("size", "About ", format(flip * n * (n - 1) / 2, digits = 2), " pairs of ", format_count(n),
               " vertices would be flipped, more than a list of edges can hold. Use a larger `epsilon`.")
  }
  packed
}

# Bytes of a packed graph (src/core/graph-bits.h).
packed_size <- function(n) 256 * ceiling(n / 64) * (ceiling(n / 64) + 1)

coin_value <- function(coin) sum(as.integer(coin) * 256^-seq_along(coin))

# log(2 exp(epsilon / 2) - 1), never rounded below it, and never above epsilon.
laplaceflip_epsilon <- function(epsilon) {
  if (epsilon < 1e-300) return(epsilon) # half of a denormal number may be 0
  tight <- if (epsilon < 700) log1p(2 * expm1(epsilon / 2)) else epsilon / 2 + log(2)
  min(epsilon, tight * (1 + 2^-48))
}

# `vertex`: the one that answers, if only its pairs are released.
graph_guarantee <- function(n, plan, vertex = NULL) {
  new_guarantee(
    c(epsilon = plan$epsilon), sensitivity = 1,
    mechanism = paste0("randomized response of single pairs (", plan$method, ")",
                       if (!is.null(vertex)) " by one of their vertices", if (plan$packed) " by words of ChaCha20"),
    public = c(list(n = n, flip = plan$flip, coin = plan$coin), if (!is.null(vertex)) list(vertex = vertex),
               if (plan$packed) list(cipher = "ChaCha20 (RFC 8439)")),
    sampler = "exact", step = "private_graph", unit = "one edge", relation = relation_edge
  )
}

# The true graph, for the curator only. Allocates the memory of the release, before anything is spent.
true_pairs <- function(read, plan) {
  options <- kernel_options()
  bits <- if (!is.null(read$matrix)) {
    .Call(ffi_graph_pack_matrix, read$n, read$matrix, options)
  } else if (plan$packed) {
    .Call(ffi_graph_pack, read$n, read$from, read$to, options)
  }
  if (plan$packed) return(bits)
  if (is.null(bits)) {
    .Call(ffi_graph_sort, read$n, read$from, read$to, options)
  } else {
    .Call(ffi_graph_unpack, read$n, bits, options)
  }
}

# Flips bits in place: true_pairs() made them for this, and no other object refers to them.
randomize_pairs <- function(n, pairs, plan, rng) {
  options <- kernel_options(rng, if (n > 5e4) kernel_progress("Flipping pairs"))
  if (plan$packed) return(.Call(ffi_graph_randomize_bits, n, pairs, plan$coin, options))
  .Call(ffi_graph_randomize_list, n, pairs$from, pairs$to, plan$coin, options)
}

new_private_graph <- function(n, vertices, plan, pairs) {
  fields <- list(n = n, vertices = vertices, method = plan$method, flip = plan$flip, coin = plan$coin)
  fields[if (plan$packed) "bits" else "edges"] <- list(pairs)
  new_result(fields, "dptda_private_graph")
}

# The guarantee keeps a digest of the bits: a copy would double the size of a release that is saved and read.
define_release("dptda_private_graph", function(x) {
  fields <- plain_release$part(x)
  if (is.list(fields) && is.raw(fields$bits) && is.null(attributes(fields$bits))) {
    fields$bits <- .Call(ffi_graph_digest, fields$bits)
  }
  fields
})

is_vertex_count <- function(n) is_one_number(n) && n >= 0 && n <= most_vertices && n == floor(n)

is_edges <- function(edges, n) {
  is.list(edges) && identical(names(edges), c("from", "to")) && is.integer(edges$from) && is.integer(edges$to) &&
    length(edges$from) == length(edges$to) && !anyNA(edges$from) && !anyNA(edges$to) &&
    all(edges$from >= 1L & edges$from < edges$to & edges$to <= n)
}

is_packed <- function(bits, n) {
  is.raw(bits) && length(bits) == packed_size(n) && .Call(ffi_graph_is_whole, n, bits)
}

define_class(
  "dptda_private_graph", "private_graph()", .bare = is.list, n = is_vertex_count, vertices = is_null_or(is.character),
  bits = is_null_or(is.raw), edges = is_null_or(is.list),
  method = function(x) is_one_string(x) && x %in% names(response_methods), flip = is_one_number,
  coin = function(x) is.raw(x) && length(x) == 16,
  .valid = function(x) {
    x <- unclass(x)
    x$flip == coin_value(x$coin) && x$flip > 0 && x$flip <= 0.5 && (is.null(x$vertices) || length(x$vertices) == x$n) &&
      is.null(x$bits) != is.null(x$edges) && (if (is.null(x$bits)) is_edges(x$edges, x$n) else is_packed(x$bits, x$n))
  }
)

# Neighboring graphs that differ in one pair; the output is the released state of each pair.
example_of.private_graph <- function(plan) {
  with_edges <- function(edges, n) {
    full <- matrix(0, n, n)
    full[upper.tri(full)] <- edges
    full + t(full)
  }
  pairs <- function(note, edges, neighbor, n, ...) {
    release_example("graph", note, with_edges(edges, n), with_edges(neighbor, n), list(...), n, part = function(graph) {
      released <- as.matrix(graph)
      as.double(released[upper.tri(released)])
    })
  }
  list(
    pairs("one pair", 0, 1, 2, epsilon = 1), pairs("one pair, laplaceflip", 0, 1, 2, epsilon = 1,
                                                   method = "laplaceflip"),
    pairs("three pairs", c(0, 1, 0), c(1, 1, 0), 3, epsilon = 2),
    pairs("one pair, rarely flipped", 0, 1, 2, epsilon = 4.5)
  )
}
