# Graphs as others write them, by a map that takes what a record says of a pair from that record alone. Which vertices
# there are, and in which order, is public: what a container has derived from its edges is not asked. Missing values,
# ends outside of 1 .. n and matrices that are not symmetric or have weights are the curator's errors, raised before
# anything is drawn or spent.

most_vertices <- 2^31 - 1

# A list of `n`, `vertices` (their names, or NULL) and the records: `matrix`, or `from` and `to`, integers that count
# from 1, in which 0 is no vertex. `private`: whether something is to be released, for which a graph that brings
# vertices of its own is asked for public ones.
read_graph <- function(graph, n, vertices, arg = "graph", private = TRUE) {
  if (!is.null(n)) n <- check_count(n, 0, most_vertices)
  if (!is.null(vertices)) vertices <- check_vertices(vertices)
  if (!is.null(n) && !is.null(vertices)) stop_argument("n", "or `vertices` may be given, not both.")
  if (is.data.frame(graph)) return(read_edge_list(graph, n, vertices, arg))
  place_vertices(read_pairs(graph, arg), n, vertices, arg, private)
}

# What brings its own vertices: a list of how many these are, `n`, of their `names`, or NULL, of the records, and of
# what `grows` with the edges, if its constructors make it so.
read_pairs <- function(graph, arg) {
  if (inherits(graph, "igraph")) return(read_igraph(graph, arg))
  if (inherits(graph, "Matrix")) return(read_sparse(graph, arg))
  if (is.matrix(graph) && !is.object(graph) && (is.numeric(graph) || is.logical(graph))) return(read_square(graph, arg))
  stop_argument(arg, "must be an igraph, a numeric or logical square matrix, a matrix of the package Matrix or a data ",
                "frame of two columns, the ends of the edges, not ", describe_data(graph), ".")
}

check_vertices <- function(vertices, arg = deparse1(substitute(vertices))) {
  good <- is.null(dim(vertices)) && value_type(vertices) %in% c("number", "text") && length(vertices) <= most_vertices
  if (good && is.factor(vertices)) vertices <- levels(vertices)[factor_codes(vertices)]
  if (good && is.character(vertices)) vertices <- canonical_strings(vertices)
  if (!good || anyNA(vertices) || anyDuplicated(vertices)) {
    stop_argument(arg,
                  "must be a plain vector of different strings or numbers, none of them missing: the names of the ",
                  "vertices.")
  }
  if (is.character(vertices)) as.vector(vertices) else as.double(vertices)
}

# The vertices are those of public `vertices`, by name where the graph has names, or else the first `n`.
place_vertices <- function(read, n, vertices, arg, private) {
  own <- is.null(n) && is.null(vertices)
  if (own && !private) return(own_vertices(read))
  if (!is.null(read$names) && is.null(vertices)) {
    stop_argument("vertices", "must be given with `", arg,
                  "`, whose vertices have names: which vertices there are, and in ",
                  "which order, must not be taken from it, since that may come from its edges.")
  }
  if (!is.null(read$names)) return(name_vertices(read, vertices, arg))
  if (!own) return(number_vertices(read, if (is.null(n)) length(vertices) else n, vertices, arg))
  if (is.null(read$grows)) return(read)
  stop_argument("n", "or `vertices` must be given with ", read$grows,
                ": how many vertices there are must not be taken from ",
                "it, since that may be the last one that has an edge.")
}

own_vertices <- function(read) {
  read$vertices <- vertex_names(read$names)
  read
}

# By the order in which they are: vertex 1 is the first of `vertices`.
number_vertices <- function(read, n, vertices, arg) {
  wrong <- if (is.null(read$grows)) n != read$n else n < read$n
  if (wrong) {
    stop_argument(if (is.null(vertices)) "n" else "vertices", "must ", if (is.null(vertices)) "be" else "have",
                  " as many as `", arg, "` has vertices", if (!is.null(read$grows)) ", or more", ".")
  }
  if (!is.null(read$matrix) && n != read$n) read <- as_pairs(read)
  read$n <- as.double(n)
  if (!is.null(vertices)) read$vertices <- vertex_labels(vertices)
  read
}

# By name, one by one, as the ends of a list of edges: vertices of one name are one, and those that `vertices` does not
# name are none.
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

# Of numbers all digits, and no exponent where they are whole: different ones have different names, which as.character()
# does not promise.
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
    stop_argument(arg, "must be undirected, and is a directed igraph; igraph::as.undirected() makes one.")
  }
  if ("weight" %in% igraph::edge_attr_names(graph)) {
    stop_argument(arg, "must not be weighted, and its edges have the attribute `weight`; ",
                  "igraph::delete_edge_attr() takes it off, and each edge then counts as one.")
  }
  if (is.logical(igraph::vertex_attr(graph, "type"))) {
    stop_argument(arg, "must not be bipartite, and its vertices have the attribute `type`, their sides; ",
                  "igraph::delete_vertex_attr() takes it off, and pairs within a side are then flipped too.")
  }
  ends <- igraph::as_edgelist(graph, names = FALSE)
  list(n = as.double(whole), names = igraph::vertex_attr(graph, "name"), grows = "an igraph",
       from = as.integer(ends[, 1]), to = as.integer(ends[, 2]))
}

read_sparse <- function(graph, arg) {
  need_graph_package("Matrix", "To read a Matrix")
  check_square(dim(graph), arg)
  # Matrix::Matrix() makes a dense one where more than half of the entries are not 0: what is asked must not depend on
  # it
  if (!inherits(graph, "sparseMatrix")) return(c(read_square(as.matrix(graph), arg), grows = from_package))
  if (anyNA(attr(graph, "x", exact = TRUE))) stop_argument(arg, "must not contain missing values.")
  records <- Matrix::mat2triplet(graph, uniqT = TRUE)
  # infinite records of one entry may add up to no number, which is not 0
  kept <- if (is.null(records$x)) TRUE else is.na(records$x) | records$x != 0
  from <- as.integer(records$i[kept])
  to <- as.integer(records$j[kept])
  # of those that are symmetric by their class one triangle is kept
  if (!inherits(graph, "symmetricMatrix") && !are_symmetric(nrow(graph), from, to)) refuse_asymmetric(arg, "Matrix::t")
  # record by record: the same pair recorded twice is one edge, as in a list of edges
  each <- Matrix::mat2triplet(graph)
  if (!all(each$i == each$j | each$x %in% 0:1)) refuse_weights(arg)
  list(n = as.double(nrow(graph)), names = matrix_names(dimnames(graph), arg), grows = from_package,
       from = from, to = to)
}

from_package <- "a matrix of the package Matrix"

read_square <- function(graph, arg) {
  check_square(dim(graph), arg)
  if (anyNA(graph)) stop_argument(arg, "must not contain missing values.")
  if (!.Call(ffi_graph_is_symmetric, as.double(nrow(graph)), graph, kernel_options())) refuse_asymmetric(arg)
  if (!.Call(ffi_graph_is_binary, as.double(nrow(graph)), graph, kernel_options())) refuse_weights(arg)
  list(n = as.double(nrow(graph)), names = matrix_names(dimnames(graph), arg), matrix = graph)
}

# Whether the places in one triangle are the mirror images of those in the other.
are_symmetric <- function(n, from, to) {
  pairs <- function(taken) .Call(ffi_graph_sort, as.double(n), from[taken], to[taken], kernel_options())
  identical(pairs(from < to), pairs(from > to))
}

refuse_asymmetric <- function(arg, transpose = "t") {
  stop_argument(arg,
                "must be symmetric: an entry is 0, and the one of the same two vertices across the diagonal is not. ",
                "If either of them is meant to be an edge, as where there is one triangle alone, take `", arg, " | ",
                transpose,
                "(", arg, ")`.")
}

refuse_weights <- function(arg) {
  stop_argument(arg, "must have entries 0 and 1 off its diagonal, and has others; weights are not used. Take `", arg,
                " != 0` if each of them is an edge, or only the large ones, as `abs(", arg, ") > 0.5`.")
}

check_square <- function(size, arg) {
  if (size[1] == size[2]) return(invisible())
  stop_argument(arg, "must be a square matrix, one row and one column for each vertex, not ", size[1], " x ", size[2],
                if (size[2] == 2) "; ends of edges come as a data frame", ".")
}

# Names that rows and columns share, or those that only one of the two has.
matrix_names <- function(names, arg) {
  given <- unname(Filter(Negate(is.null), names))
  if (length(given) == 2 && !identical(canonical_strings(given[[1]]), canonical_strings(given[[2]]))) {
    stop_argument(arg, "must have the same names for rows and columns, in the same order: both are the vertices.")
  }
  if (length(given)) given[[1]]
}

vertex_names <- function(names) if (is.character(names) && are_names(names)) canonical_strings(as.vector(names))

# An end that is no vertex is 0.
read_edge_list <- function(graph, n, vertices, arg) {
  refuse_groups(graph, arg)
  if (length(graph) != 2) {
    stop_argument(arg, "must have two columns, the ends of the edges, not ", length(graph),
                  "; weights and other attributes of edges are left out.")
  }
  if (is.null(n) && is.null(vertices)) {
    stop_argument("n", "or `vertices` must be given with a list of edges: which vertices there are must not be read ",
                  "from the edges.")
  }
  ends <- lapply(1:2, function(i) read_ends(graph[[i]], n, vertices, arg))
  list(n = if (is.null(vertices)) n else as.double(length(vertices)),
       vertices = if (!is.null(vertices)) vertex_labels(vertices), from = ends[[1]], to = ends[[2]])
}

read_ends <- function(x, n, vertices, arg) {
  # a file without records is read as columns of no type, or of any: that there are none must not be an error
  if (length(x) == 0 && is.null(dim(x))) return(integer())
  if (!is.null(vertices)) return(match_ends(x, vertices, arg, "columns of", same = TRUE))
  if (value_type(x) != "number" || !is.null(dim(x))) {
    stop_argument(arg, "must have columns of plain numbers: the vertices are 1 to `n`; those with names are given by ",
                  "`vertices`.")
  }
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (!all(x >= 1 & x <= n & x == floor(x))) {
    stop_argument(arg,
                  "must have whole numbers from 1 to `n` as ends of edges, and has others. Where vertices count from ",
                  "0, add 1 to all ends, or give `vertices = 0:(n - 1)`.")
  }
  as.integer(x)
}

# The places of names among `vertices`, each by itself: 0 for what is none of them. Where `vertices` are numbers, so are
# names that are strings, unless all must be of the `same` type.
match_ends <- function(x, vertices, arg, words, same = FALSE) {
  text <- is.character(vertices)
  type <- value_type(x)
  if (!is.null(dim(x)) || !type %in% c(if (text || !same) "text", if (!text) "number")) {
    stop_argument(arg, "must have ", words, if (text) " strings" else " plain numbers", ", as `vertices` are.")
  }
  if (is.factor(x)) x <- levels(x)[factor_codes(x)]
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (text) return(match(canonical_strings(x), vertices, nomatch = 0L))
  # what is no number is no vertex, without a word, and what is no text is no number
  if (is.character(x)) x <- suppressWarnings(as.double(canonical_strings(x)))
  match(x, vertices, nomatch = 0L)
}

need_graph_package <- function(name, purpose) {
  if (requireNamespace(name, quietly = TRUE)) return(invisible())
  stop_dptda("package", purpose, " the package ", name, " is needed: install.packages(\"", name, "\").")
}
