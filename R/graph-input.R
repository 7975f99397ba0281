# Reads graphs in the forms of other packages. Each record of a pair is mapped by itself. The vertices and their order
# are public, so they are never taken from a container that may have derived them from its edges. Missing values, ends
# outside 1 .. n, and matrices that are not symmetric or have weights are errors for the curator, before anything is
# drawn or spent.

#' Graphs as input of releases
#'
#' Describes the graphs that [private_graph()] and [private_degrees()] accept, and explains why their vertices must be
#' public. [graph_debias()] and [spectral_embedding()] accept the same graphs without privacy.
#'
#' @details
#' # Vertices must be public
#' The vertices and their order must not come from the edges. In many containers they do: igraph's constructors order
#' vertices as the edges name them and omit vertices without edges, a `table()` has only the names that occur, and
#' `Matrix::sparseMatrix()` ends with the last vertex that has an edge. Released as they are, such containers would
#' reveal edges at any `epsilon`. Therefore:
#'
#' * If the vertices of a graph have names, supply `vertices`. The graph is matched by name, and the release has the
#'   order of `vertices`.
#' * Other igraphs and matrices of package Matrix need `n` or `vertices`, and may have fewer vertices.
#' * `vertices` must be a public list (e.g. of all members, sorted), not the names found in the graph.
#'
#' # Graphs that are accepted
#' Repeated records of a pair, in either direction, are one edge. Loops, attributes of edges, and edges with an end that
#' is not in `vertices` are dropped. A matrix is logical, or has entries 0 and 1. Directed, weighted, and bipartite
#' *classes* are refused. These inputs are errors:
#'
#' * missing values,
#' * ends outside 1 to `n`, if `n` is given (for ids from 0 to 1004, use `vertices = 0:1004`),
#' * a matrix that is not symmetric, such as a directed graph or a single triangle (`graph | t(graph)` has both),
#' * a matrix with other entries off its diagonal, such as weights, counts, or correlations (`graph != 0` makes each of
#'   them an edge).
#'
#' These errors occur before anything is drawn or spent. They are for the curator, and not part of a release.
#' @seealso [private_graph()], [private_degrees()]
#' @examples
#' # names of vertices from a public list, not from the edges
#' friends <- data.frame(from = c("ann", "bob"), to = c("bob", "cleo"))
#' members <- c("ann", "bob", "cleo", "dan", "eve")
#' private_degrees(unseen(5), epsilon = 5, vertices = members)
#' graph_debias(friends, vertices = members)
#' @name graph_input
NULL

most_vertices <- 2^31 - 1

# Returns a list of `n`, `vertices` (their names, or NULL), and the records: `matrix`, or `from` and `to`, integers from
# 1, with 0 for an end that is not a vertex. `private`: whether the graph is for a release, which needs public vertices.
read_graph <- function(graph, n, vertices, arg = "graph", private = TRUE) {
  if (!is.null(n)) n <- check_count(n, 0, most_vertices)
  if (!is.null(vertices)) vertices <- check_vertices(vertices)
  if (!is.null(n) && !is.null(vertices)) stop_argument("n", "or `vertices` may be given, but not both.")
  if (is.data.frame(graph)) return(read_edge_list(graph, n, vertices, arg))
  place_vertices(read_pairs(graph, arg), n, vertices, arg, private)
}

# Reads a container that has its own vertices: a list of their number `n`, their `names` or NULL, the records, and
# `grows`, the name of the container if its constructors derive vertices from edges.
read_pairs <- function(graph, arg) {
  if (inherits(graph, "igraph")) return(read_igraph(graph, arg))
  if (inherits(graph, "Matrix")) return(read_sparse(graph, arg))
  if (is.matrix(graph) && !is.object(graph) && (is.numeric(graph) || is.logical(graph))) return(read_square(graph, arg))
  stop_argument(arg, "must be an igraph, a numeric or logical square matrix, a matrix of package Matrix, or a data ",
                "frame with two columns, the ends of the edges, not ", describe_data(graph), ".")
}

check_vertices <- function(vertices, arg = deparse1(substitute(vertices))) {
  good <- is.null(dim(vertices)) && value_type(vertices) %in% c("number", "text") && length(vertices) <= most_vertices
  if (good && is.factor(vertices)) vertices <- levels(vertices)[factor_codes(vertices)]
  if (good && is.character(vertices)) vertices <- canonical_strings(vertices)
  if (!good || anyNA(vertices) || anyDuplicated(vertices)) {
    stop_argument(arg,
                  "must be a plain vector of distinct strings or numbers without missing values, the names of the ",
                  "vertices.")
  }
  if (is.character(vertices)) as.vector(vertices) else as.double(vertices)
}

# Replaces the vertices by the public `vertices`, matched by name if the graph has names, or by the first `n`.
place_vertices <- function(read, n, vertices, arg, private) {
  own <- is.null(n) && is.null(vertices)
  if (own && !private) return(own_vertices(read))
  if (!is.null(read$names) && is.null(vertices)) {
    stop_argument("vertices", "must be given with `", arg,
                  "`, whose vertices have names. Names and order must not be read from a private graph, because they ",
                  "may depend on its edges.")
  }
  if (!is.null(read$names)) return(name_vertices(read, vertices, arg))
  if (!own) return(number_vertices(read, if (is.null(n)) length(vertices) else n, vertices, arg))
  if (is.null(read$grows)) return(read)
  stop_argument("n", "or `vertices` must be given with ", read$grows,
                ". The number of vertices must not be read from it, because it may depend on the edges.")
}

own_vertices <- function(read) {
  read$vertices <- vertex_names(read$names)
  read
}

# Matches vertices by position: vertex 1 is the first of `vertices`.
number_vertices <- function(read, n, vertices, arg) {
  wrong <- if (is.null(read$grows)) n != read$n else n < read$n
  if (wrong) {
    stop_argument(if (is.null(vertices)) "n" else "vertices", "must ",
                  if (is.null(vertices)) "be the number of" else "have one element for each of the",
                  " vertices of `", arg, "`", if (!is.null(read$grows)) ", or more", ".")
  }
  if (!is.null(read$matrix) && n != read$n) read <- as_pairs(read)
  read$n <- as.double(n)
  if (!is.null(vertices)) read$vertices <- vertex_labels(vertices)
  read
}

# Matches vertices by name, like the ends of an edge list: vertices with the same name are one vertex, and names that
# are not in `vertices` are dropped.
name_vertices <- function(read, vertices, arg) {
  place <- match_ends(read$names, vertices, arg, "names of vertices that are")
  n <- as.double(length(vertices))
  if (!is.null(read$matrix) && !(n == read$n && identical(place, seq_along(vertices)))) read <- as_pairs(read)
  if (is.null(read$matrix)) read[c("from", "to")] <- list(place[read$from], place[read$to])
  read$n <- n
  read$vertices <- vertex_labels(vertices)
  read
}

as_pairs <- function(read) {
  entry <- which(read$matrix != 0) - 1
  read[c("from", "to")] <- list(as.integer(entry %% read$n) + 1L, as.integer(entry %/% read$n) + 1L)
  read$matrix <- NULL
  read
}

# Converts numbers with all digits, and integers without an exponent, so that distinct numbers have distinct names.
# as.character() does not guarantee this.
vertex_labels <- function(vertices) {
  if (is.character(vertices)) return(vertices)
  labels <- number_keys(vertices)
  if (anyDuplicated(labels)) sprintf("%.17g", vertices + 0) else labels
}

read_igraph <- function(graph, arg) {
  need_graph_package("igraph", "To read an igraph")
  whole <- value_or(igraph::vcount(graph), NULL)
  if (is.null(whole)) stop_argument(arg, "must be an igraph that the package igraph can read.")
  if (igraph::is_directed(graph)) {
    stop_argument(arg, "must be undirected, not a directed igraph. Use igraph::as.undirected().")
  }
  if ("weight" %in% igraph::edge_attr_names(graph)) {
    stop_argument(arg, "must not be weighted, but its edges have the attribute `weight`. ",
                  "Remove it with igraph::delete_edge_attr(). Each edge then counts as one.")
  }
  if (is.logical(igraph::vertex_attr(graph, "type"))) {
    stop_argument(arg, "must not be bipartite, but its vertices have the attribute `type`, their sides. ",
                  "Remove it with igraph::delete_vertex_attr(). Pairs within a side are then flipped as well.")
  }
  ends <- igraph::as_edgelist(graph, names = FALSE)
  list(n = as.double(whole), names = igraph::vertex_attr(graph, "name"), grows = "an igraph",
       from = as.integer(ends[, 1]), to = as.integer(ends[, 2]))
}

read_sparse <- function(graph, arg) {
  need_graph_package("Matrix", "To read a Matrix")
  check_square(dim(graph), arg)
  # Matrix::Matrix() makes a dense matrix if more than half of the entries are not 0: the arguments that are required
  # must not depend on this
  if (!inherits(graph, "sparseMatrix")) return(c(read_square(as.matrix(graph), arg), grows = from_package))
  if (anyNA(attr(graph, "x", exact = TRUE))) stop_argument(arg, "must not contain missing values.")
  records <- Matrix::mat2triplet(graph, uniqT = TRUE)
  # infinite records of one entry may add up to NaN, which counts as not 0
  kept <- if (is.null(records$x)) TRUE else is.na(records$x) | records$x != 0
  from <- as.integer(records$i[kept])
  to <- as.integer(records$j[kept])
  # classes of symmetric matrices keep one triangle
  if (!inherits(graph, "symmetricMatrix") && !are_symmetric(nrow(graph), from, to)) refuse_asymmetric(arg, "Matrix::t")
  # record by record: a pair recorded twice is one edge, as in an edge list
  each <- Matrix::mat2triplet(graph)
  if (!all(each$i == each$j | each$x %in% 0:1)) refuse_weights(arg)
  list(n = as.double(nrow(graph)), names = matrix_names(dimnames(graph), arg), grows = from_package,
       from = from, to = to)
}

from_package <- "a matrix of package Matrix"

read_square <- function(graph, arg) {
  check_square(dim(graph), arg)
  if (anyNA(graph)) stop_argument(arg, "must not contain missing values.")
  if (!.Call(ffi_graph_is_symmetric, as.double(nrow(graph)), graph, kernel_options())) refuse_asymmetric(arg)
  if (!.Call(ffi_graph_is_binary, as.double(nrow(graph)), graph, kernel_options())) refuse_weights(arg)
  list(n = as.double(nrow(graph)), names = matrix_names(dimnames(graph), arg), matrix = graph)
}

# Whether the positions in one triangle are mirror images of the positions in the other.
are_symmetric <- function(n, from, to) {
  pairs <- function(taken) .Call(ffi_graph_sort, as.double(n), from[taken], to[taken], kernel_options())
  identical(pairs(from < to), pairs(from > to))
}

refuse_asymmetric <- function(arg, transpose = "t") {
  stop_argument(arg,
                "must be symmetric, but an entry is 0 and its mirror image across the diagonal is not. If either of ",
                "them means an edge (as with a single triangle), use `", arg, " | ", transpose, "(", arg, ")`.")
}

refuse_weights <- function(arg) {
  stop_argument(arg, "must have entries 0 and 1 off its diagonal, because weights are not used. Use `", arg,
                " != 0` if each of them is an edge, or keep the large ones only, e.g. `abs(", arg, ") > 0.5`.")
}

check_square <- function(size, arg) {
  if (size[1] == size[2]) return(invisible())
  stop_argument(arg, "must be a square matrix with one row and one column per vertex, not ", size[1], " x ", size[2],
                ".", if (size[2] == 2) " For ends of edges, use a data frame.")
}

# Returns the names that rows and columns share, or the names of either if the other has none.
matrix_names <- function(names, arg) {
  given <- unname(Filter(Negate(is.null), names))
  if (length(given) == 2 && !identical(canonical_strings(given[[1]]), canonical_strings(given[[2]]))) {
    stop_argument(arg, "must have the same names for rows and columns, in the same order, because both name the ",
                  "vertices.")
  }
  if (length(given)) given[[1]]
}

vertex_names <- function(names) if (is.character(names) && are_names(names)) canonical_strings(as.vector(names))

# Reads an edge list. An end that is not a vertex becomes 0.
read_edge_list <- function(graph, n, vertices, arg) {
  refuse_groups(graph, arg)
  if (length(graph) != 2) {
    stop_argument(arg, "must have two columns, the ends of the edges, not ", length(graph),
                  ". Remove weights and other attributes of edges.")
  }
  if (is.null(n) && is.null(vertices)) {
    stop_argument("n", "or `vertices` must be given with an edge list, because the vertices must not be read from ",
                  "the edges.")
  }
  ends <- lapply(1:2, function(i) read_ends(graph[[i]], n, vertices, arg))
  list(n = if (is.null(vertices)) n else as.double(length(vertices)),
       vertices = if (!is.null(vertices)) vertex_labels(vertices), from = ends[[1]], to = ends[[2]])
}

# Reads the neighbors of one vertex, in the form of an edge list, with which its answer is computed.
read_neighbors <- function(x, n, vertices, vertex, arg = "graph") {
  if (is.null(n) && is.null(vertices)) {
    stop_argument("n", "or `vertices` must be given with `vertex`, because the vertices must not be read from its ",
                  "neighbors.")
  }
  if (!is.null(n) && !is.null(vertices)) stop_argument("n", "or `vertices` may be given, but not both.")
  n <- if (is.null(vertices)) check_count(n, 0, most_vertices) else as.double(length(vertices))
  if (!is.null(vertices)) vertices <- check_vertices(vertices)
  place <- vertex_place(vertex, n, vertices)
  # lists of neighbors have NULL for none
  if (is.null(x)) x <- integer()
  if (inherits(x, "igraph.vs")) x <- igraph::as_ids(x)
  if (!is.atomic(x) || !is.null(dim(x))) {
    stop_argument(arg, "must be a plain vector, the neighbors of `vertex`, not ", describe_data(x), ".")
  }
  ends <- read_ends(x, if (is.null(vertices)) n, vertices, arg, "elements that are")
  list(n = n, vertices = if (!is.null(vertices)) vertex_labels(vertices), from = ends,
       to = rep(as.integer(place), length(ends)))
}

# Returns the position of `vertex` among the public vertices.
vertex_place <- function(vertex, n, vertices) {
  if (is.null(vertices)) return(check_count(vertex, 1, n))
  vertices <- check_vertices(vertices)
  text <- is.character(vertices)
  known <- if (text) is_one_string(vertex) else is_one_number(vertex)
  place <- if (known) match(if (text) canonical_strings(vertex) else vertex, vertices) else NA
  if (is.na(place)) stop_argument("vertex", "must be one of `vertices`, not ", describe(vertex), ".")
  as.double(place)
}

# `words`: what of `arg` must have the right type.
read_ends <- function(x, n, vertices, arg, words = "columns of") {
  # columns from a file without records may have any type, and an empty graph must not be an error
  if (length(x) == 0 && is.null(dim(x))) return(integer())
  if (!is.null(vertices)) return(match_ends(x, vertices, arg, words, same = TRUE))
  if (value_type(x) != "number" || !is.null(dim(x))) {
    stop_argument(arg, "must have ", words, " plain numbers, because the vertices are 1 to `n`. For vertices with ",
                  "names, use `vertices`.")
  }
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (!all(x >= 1 & x <= n & x == floor(x))) {
    stop_argument(arg,
                  "must have integers from 1 to `n` as ends of edges. If vertices are numbered from 0, add 1 to all ",
                  "ends, or use `vertices = 0:(n - 1)`.")
  }
  as.integer(x)
}

# Returns the position of each name among `vertices`, or 0 if it is not among them. If `vertices` are numbers, strings
# are converted to numbers, unless all names must have the `same` type.
match_ends <- function(x, vertices, arg, words, same = FALSE) {
  text <- is.character(vertices)
  type <- value_type(x)
  if (!is.null(dim(x)) || !type %in% c(if (text || !same) "text", if (!text) "number")) {
    stop_argument(arg, "must have ", words, if (text) " strings" else " plain numbers", ", as `vertices` are.")
  }
  if (is.factor(x)) x <- levels(x)[factor_codes(x)]
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (text) return(match(canonical_strings(x), vertices, nomatch = 0L))
  # strings that are not numbers are silently not vertices
  if (is.character(x)) x <- suppressWarnings(as.double(canonical_strings(x)))
  match(x, vertices, nomatch = 0L)
}

need_graph_package <- function(name, purpose) {
  if (requireNamespace(name, quietly = TRUE)) return(invisible())
  stop_dptda("package", purpose, ", install the package ", name, ": install.packages(\"", name, "\").")
}
