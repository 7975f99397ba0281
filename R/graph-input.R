# Graphs as others write them, by a total map: what a record says of a pair is
# taken from that record alone, and nothing that a record says is an error, but
# for missing values. Which classes are understood, and how many vertices there are,
# is public.

most_vertices <- 2^31 - 1

# A list of `n`, `vertices` (their names, or NULL) and the records: `matrix`, or `from` and `to`, integers that count
# from 1, in which anything else than 1 .. n is no vertex.
read_graph <- function(graph, n, vertices, arg = "graph") {
  if (!is.null(n)) n <- check_count(n, 0, most_vertices)
  if (!is.null(vertices)) vertices <- check_vertices(vertices)
  if (!is.null(n) && !is.null(vertices)) stop_argument("n", "or `vertices` may be given, not both.")
  if (inherits(graph, "igraph")) return(fit_vertices(read_igraph(graph, arg), n, vertices, arg))
  if (inherits(graph, "Matrix")) return(fit_vertices(read_sparse(graph, arg), n, vertices, arg))
  if (is.data.frame(graph)) return(read_edge_list(graph, n, vertices, arg))
  if (is.matrix(graph) && !is.object(graph) && (is.numeric(graph) || is.logical(graph))) {
    return(fit_vertices(read_square(graph, arg), n, vertices, arg))
  }
  stop_argument(arg, "must be an igraph, a numeric or logical square matrix, a matrix of the package Matrix or a data ",
                "frame of two columns, the ends of the edges, not ", describe_data(graph), ".")
}

check_vertices <- function(vertices, arg = deparse1(substitute(vertices))) {
  good <- is.null(dim(vertices)) && value_type(vertices) %in% c("number", "text") && length(vertices) <= most_vertices
  if (good && is.factor(vertices)) vertices <- levels(vertices)[factor_codes(vertices)]
  if (good && is.character(vertices)) vertices <- canonical_strings(vertices)
  if (!good || anyNA(vertices) || anyDuplicated(vertices)) {
    stop_argument(arg, "must be a plain vector of different strings or numbers, none of them missing: the names of the ",
                  "vertices.")
  }
  if (is.character(vertices)) as.vector(vertices) else as.double(vertices)
}

# What brings its own vertices: `n` must be how many there are, `vertices` may rename them.
fit_vertices <- function(read, n, vertices, arg) {
  asked <- if (is.null(vertices)) n else length(vertices)
  if (!is.null(asked) && asked != read$n) {
    stop_argument(if (is.null(vertices)) "n" else "vertices", "must fit `", arg, "`, which has ",
                  format_count(read$n), " vertices, not ", format_count(asked), ".")
  }
  if (!is.null(vertices)) read$vertices <- vertex_labels(vertices)
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
  list(n = as.double(whole), vertices = vertex_names(igraph::vertex_attr(graph, "name")),
       from = as.integer(ends[, 1]), to = as.integer(ends[, 2]))
}

read_sparse <- function(graph, arg) {
  need_graph_package("Matrix", "To read a Matrix")
  check_square(dim(graph), arg)
  if (!inherits(graph, "sparseMatrix")) return(read_square(as.matrix(graph), arg))
  if (anyNA(attr(graph, "x", exact = TRUE))) stop_argument(arg, "must not contain missing values.")
  records <- Matrix::mat2triplet(graph, uniqT = TRUE)
  # infinite records of one entry may add up to no number, which is not 0
  kept <- if (is.null(records$x)) TRUE else is.na(records$x) | records$x != 0
  list(n = as.double(nrow(graph)), vertices = matrix_vertices(dimnames(graph)), from = as.integer(records$i[kept]),
       to = as.integer(records$j[kept]))
}

read_square <- function(graph, arg) {
  check_square(dim(graph), arg)
  if (anyNA(graph)) stop_argument(arg, "must not contain missing values.")
  names <- matrix_vertices(dimnames(graph))
  list(n = as.double(nrow(graph)), vertices = names, matrix = graph)
}

check_square <- function(size, arg) {
  if (size[1] == size[2]) return(invisible())
  stop_argument(arg, "must be a square matrix, one row and one column for each vertex, not ", size[1], " x ", size[2],
                if (size[2] == 2) "; ends of edges come as a data frame", ".")
}

# Names that rows and columns share, or those that only one of the two has.
matrix_vertices <- function(names) {
  given <- Filter(Negate(is.null), names)
  if (length(given) == 0 || (length(given) == 2 && !identical(given[[1]], given[[2]]))) return(NULL)
  vertex_names(given[[1]])
}

vertex_names <- function(names) if (is.character(names) && are_names(names)) canonical_strings(as.vector(names))

# An end that is no vertex is 0.
read_edge_list <- function(graph, n, vertices, arg) {
  if (is.null(n) && is.null(vertices)) {
    stop_argument("n", "or `vertices` must be given with a list of edges: which vertices there are must not be read ",
                  "from the edges.")
  }
  if (length(graph) != 2) {
    stop_argument(arg, "must have two columns, the ends of the edges, not ", length(graph),
                  "; weights and other attributes of edges are left out.")
  }
  ends <- lapply(1:2, function(i) read_ends(graph[[i]], n, vertices, arg))
  list(n = if (is.null(vertices)) n else as.double(length(vertices)),
       vertices = if (!is.null(vertices)) vertex_labels(vertices), from = ends[[1]], to = ends[[2]])
}

read_ends <- function(x, n, vertices, arg) {
  # a file without records is read as columns of no type: that there are none must not be an error
  if (is.logical(x) && length(x) == 0 && !is.object(x)) return(integer())
  wanted <- if (is.character(vertices)) "text" else "number"
  if (value_type(x) != wanted || !is.null(dim(x))) {
    stop_argument(arg, "must have columns of ", if (wanted == "text") "strings, as `vertices` are" else "plain numbers",
                  if (is.null(vertices)) ": the vertices are 1 to `n`", ".")
  }
  if (is.factor(x)) x <- levels(x)[factor_codes(x)]
  if (anyNA(x)) stop_argument(arg, "must not contain missing values.")
  if (wanted == "text") return(match(canonical_strings(x), vertices, nomatch = 0L))
  if (!is.null(vertices)) return(match(as.double(x), vertices, nomatch = 0L))
  if (is.integer(x)) return(x)
  x[!(x >= 1 & x <= n & x == floor(x))] <- 0
  as.integer(x)
}

need_graph_package <- function(name, what) {
  if (requireNamespace(name, quietly = TRUE)) return(invisible())
  stop_dptda("package", what, " the package ", name, " is needed: install.packages(\"", name, "\").")
}
