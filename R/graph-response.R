#' Private graph by randomized response (edge-level privacy)
#'
#' Releases a graph under edge-level differential privacy by randomized response: every pair of vertices is flipped, an
#' edge to none and none to an edge, with one probability, independently. What comes out is a graph on the same
#' vertices that may be published, and every analysis of it is as private as it is.
#'
#' `vignette("graphs", package = "dptda")` shows what can be done with it, and at which `epsilon`. Of a curator who is
#' trusted with the graph [private_degrees()] takes degrees and counts of edges with a small part of this noise.
#'
#' Each pair is released from its own bit alone, so the same mechanism serves where nobody holds the graph: one
#' end of each pair flips it and reports the result (*local* differential privacy). Where both ends report, the two
#' reports together cost twice as much.
#'
#' What `method = "laplaceflip"` really keeps is log(2 exp(epsilon / 2) - 1), and that is what the guarantee says and a
#' budget is charged.
#'
#' @param graph An undirected graph: an igraph, a numeric or logical square matrix, a matrix of the package Matrix, or a
#'   data frame of two columns, the ends of the edges.
#' @param epsilon One number of at least 0: the privacy parameter. 0 gives a random graph that knows nothing of `graph`.
#'   From about 88 on a pair is flipped with probability 2^-128, which is more private than asked.
#' @param rho,delta Must be `NULL`: randomized response keeps a pure `epsilon`.
#' @param n One whole number of at least 0: how many vertices there are, which then are 1 to `n`. This or `vertices`
#'   must be given, but for a matrix of R without names: its size is taken for public as it is.
#' @param vertices A plain vector of different strings or numbers: the names of all vertices, public, in a public order.
#'   The columns of a list of edges have these values, and so have the names of an igraph or of a matrix. Where a graph
#'   has no names, its vertices get these, in their order.
#' @param method `"edgeflip"`: a pair is flipped with probability 1 / (1 + exp(epsilon)), the least that keeps
#'   `epsilon`. `"laplaceflip"`: with the larger exp(-epsilon / 2) / 2, as by Laplace noise on each pair that is cut at
#'   one half.
#' @inheritParams private_release
#' @param budget `NULL` or a [privacy_budget()] for edges, `privacy_budget(relation = "edge")`, that is charged for the
#'   release.
#'
#' @return An object of class `dptda_private_graph`, a list of
#'   `n`, how many vertices there are, `vertices`, their names or `NULL`, `method`, `flip`, the probability of a flip as
#'   it was used (a double; `coin` has its 16 bytes, a multiple of 2^-128), and the pairs that are edges now: `bits`, a
#'   packed triangle, or `edges`, a list of two integer vectors `from` and `to`, sorted. Which of the two is decided by
#'   `flip` alone (bits from 1/64 on).
#'
#'   It becomes an igraph by [igraph::as.igraph()], a matrix by `as.matrix()`, with `sparse = TRUE` one of the package
#'   Matrix, and a list of edges by `as.data.frame()`; these carry no guarantee of their own. To cluster vertices, use
#'   [spectral_embedding()] and not the rows of the matrix, as `stats::kmeans()` would: they are mostly noise.
#'   `summary()`
#'   estimates how many edges there were, `plot()` draws a small graph.
#'
#' @section Vertices must be public:
#' Which vertices there are, and in which order, must not come from the edges. A container may have them from there:
#' igraph's constructors put vertices into the order in which edges name them, and whoever has no edge is not among
#' them; a `table()` of ends has the names that occur, and `Matrix::sparseMatrix()` ends with the last vertex that has
#' an edge. Released as they stand they would tell of edges, whatever `epsilon` is. So a graph whose vertices have names
#' needs `vertices`, is matched by name, and has that order afterwards; other igraphs and matrices of the package Matrix
#' need `n` or `vertices`, and may have fewer vertices. `vertices` must be a public list (of everybody, sorted, say),
#' not the names that the graph has.
#'
#' @section Graphs that are accepted:
#' Records of one pair in any order and number are one edge; loops are dropped, so are edges with an end that
#' `vertices` does not name, and all attributes of edges. A matrix is logical, or has entries 0 and 1.
#' Directed, weighted and bipartite *classes* are refused. What else cannot be read is an error of the *curator*, who
#' alone may see it (see *Privacy*): missing values, ends outside 1 to `n` where `n` is given (`n = 1005` for ids from 0
#' to 1004, which are `vertices = 0:1004`), a matrix that is not symmetric, as of a directed graph or of one
#' triangle alone (`graph | t(graph)` has both), and a matrix with other entries off its diagonal, such as weights,
#' counts or correlations (`graph != 0` makes an edge of each).
#'
#' @section Privacy:
#' Unit: one edge. Relation: add or remove one edge, the vertices are public. k edges together are protected by k
#' `epsilon`, and all edges of a vertex by (n - 1) `epsilon`: who was in the data at all, and who knows many, is not
#' what this protects. Guarantee: `epsilon`-differential privacy, pure. The probability is a multiple of 2^-128 that
#' integer arithmetic shows to be large enough, and each draw is exact. Where many pairs are flipped their random bits
#' are those of ChaCha20, keyed once a release by the operating system's entropy: a guarantee against whoever cannot
#' break that cipher, which most systems use for their entropy too; where they are few, that entropy itself. The
#' guarantee names which. A missing value is an error before anything is drawn or spent, so are an end outside of 1 to
#' `n` and a matrix that is not symmetric or has weights; those messages show no record, are for the curator and not
#' part of a release, and the guarantee is for graphs without them. Running time and memory are not protected, except
#' for the time by the option `dptda.release_time` ([dptda-package]): those for a list of edges depend on how many there
#' are. What these words promise: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' For `flip` from 1/64 on, one bit a pair: random words are compared with the digits of `flip` for 64 pairs at a time,
#' 5.5 random bits a pair, under 1 ns a pair and core; 100,000 vertices take 626 MB. Below, geometric skips from flip to
#' flip, 0.4 us each. The proof is in `system.file("proofs", "graph-response.md", package = "dptda")`.
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
#' # so few that each pair can be looked at, and too few for groups to be seen
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
private_graph <- function(graph, epsilon = NULL, rho = NULL, ..., delta = NULL, n = NULL, vertices = NULL,
                          method = c("edgeflip", "laplaceflip"), budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  # refuses bad arguments before the graph is read
  cost <- check_graph_cost(epsilon, rho, delta)
  method <- check_choice(method, names(response_methods))
  make <- function(units, read) graph_mechanism(units, cost, read$vertices, method)
  release_graph(graph, n, vertices, budget, rng, make)
}

# Releases a graph, or makes the mechanism for vertices without data (unseen()).
release_graph <- function(graph, n, vertices, budget, rng, make) {
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
  release(graph, budget, rng, read = function(x) read_graph(x, n, vertices), make_of)
}

# Accepts epsilon = 0: the answers then do not depend on the graph.
check_graph_cost <- function(epsilon, rho, delta) {
  check_cost(epsilon, rho, delta, takes = "epsilon", because = "each pair is flipped, which keeps a pure epsilon",
             zero = TRUE)
}

# All arguments are checked.
graph_mechanism <- function(n, cost, vertices, method) {
  plan <- plan_response(n, cost$spent[["epsilon"]], method)
  new_mechanism(public_plan("private_graph", n = n, vertices = vertices, response = plan), graph_guarantee(n, plan))
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

result_of.private_graph <- function(plan, drawn) new_private_graph(plan$n, plan$vertices, plan$response, drawn)

response_methods <- c(edgeflip = 0L, laplaceflip = 1L)

# Computed from public numbers only. `epsilon`: the guarantee; `coin`: the probability of a flip in 16 bytes; `packed`:
# visit all pairs (TRUE), or only the pairs that flip.
plan_response <- function(n, epsilon, method) {
  coin <- .Call(ffi_graph_coin, epsilon, response_methods[[method]])
  flip <- coin_value(coin)
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
  list(method = method, coin = coin, flip = flip, packed = packed,
       epsilon = if (method == "edgeflip") epsilon else laplaceflip_epsilon(epsilon))
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

graph_guarantee <- function(n, plan) {
  new_guarantee(
    c(epsilon = plan$epsilon), sensitivity = 1,
    mechanism = paste0("randomized response of single pairs (", plan$method, ")", if (plan$packed)
                       " by words of ChaCha20"),
    public = c(list(n = n, flip = plan$flip, coin = plan$coin), if (plan$packed) list(cipher = "ChaCha20 (RFC 8439)")),
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
