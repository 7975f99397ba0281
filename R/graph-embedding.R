# From a graph after randomized response to points: the debiased operator, its largest eigenvalues, and comparisons of
# points. Uses the release only.

# ---- the operator ----------------------------------------------------------

#' Debias the adjacency matrix of a private graph
#'
#' Removes the bias of randomized response from the adjacency matrix of a private graph. If A' is the released matrix
#' and p the probability of a flip, the mean of (A' - p (11' - I)) / (1 - 2 p) is the true matrix.
#'
#' The debiased matrix has zeros only on its diagonal. It is therefore not stored: `graph_multiply()` multiplies by it.
#' A graph without randomized response is unchanged.
#'
#' For a graph that is not private, `n` and `vertices` may be omitted, because results are not released. It then keeps
#' its own vertices, in their order.
#'
#' @param graph A [private_graph()], a result of `graph_debias()`, or a graph as in [graph_input]: an igraph, a numeric
#'   or logical square matrix, a matrix of package Matrix, or a data frame with two columns, the ends of the edges.
#' @param ... Not used. Later arguments must be named.
#' @param n,vertices As in [private_graph()], for a graph that is not private: the number of vertices, or their names.
#'   Not needed for an igraph, a matrix, or a graph from `simulate()`, which has its `n`.
#' @param x For `graph_multiply()`: a numeric matrix with one row per vertex, or a vector with one number per vertex.
#'   Otherwise: a result of `graph_debias()`.
#'
#' @return `graph_debias()`: an object of class `dptda_debiased_graph`, a list of `n`, `vertices`, `bits` or `edges` as
#'   in a [private_graph()], `flip`, p, and `contrast`, 1 - 2 p. It carries the guarantee of its graph. `as.matrix()`
#'   gives its numbers, for 20,000 vertices at most.
#'
#'   `graph_multiply()`: the product with `x`, a numeric matrix with a row for each vertex and a column for each of `x`.
#'
#' @section Implementation:
#' The probability of a flip is the multiple of 2^-128 that was used, and 1 - 2 p is exact up to one rounding, however
#' near p is to one half. For packed graphs a product takes n^2 / 8 additions (tables of the sums for each byte): under
#' 20 ms for 20,000 vertices, half a second for 100,000, on one core. Its result does not depend on the number of
#' threads.
#' @seealso [spectral_embedding()]
#' @examples
#' ring <- data.frame(from = 1:100, to = c(2:100, 1))
#' flipped <- graph_debias(private_graph(ring, epsilon = 2, n = 100))
#' flipped
#' as.matrix(flipped)[1:4, 1:4]
#' graph_multiply(flipped, rep(1, 100))[1:6] # degrees, without bias
#' @export
graph_debias <- function(graph, ..., n = NULL, vertices = NULL) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  made <- read_operand(graph, n, vertices)
  if (made$contrast == 0) {
    stop_argument("graph",
                  "must not be flipped with probability one half: such a release does not depend on its graph, so ",
                  "there is nothing to debias.")
  }
  made
}

# `take_out`: whether the graph is debiased, or taken as it was released.
read_operand <- function(graph, n, vertices, take_out = TRUE, arg = "graph") {
  private <- inherits(graph, "dptda_private_graph")
  if (private || inherits(graph, "dptda_debiased_graph")) {
    check_valid(graph, class(graph)[1], arg)
    if (!is.null(n) || !is.null(vertices)) {
      stop_argument(if (is.null(n)) "vertices" else "n",
                    "must be NULL for a private graph, which has its own vertices.")
    }
    contrast <- if (private) flip_contrast(graph$coin) else graph$contrast
    fields <- list(n = graph$n, vertices = graph$vertices, bits = graph$bits, edges = graph$edges,
                   flip = if (take_out) graph$flip else 0, contrast = if (take_out) contrast else 1)
    made <- new_result(fields, "dptda_debiased_graph")
    return(if (is.null(privacy(graph))) made else attach_guarantee(made, privacy(graph)))
  }
  if (is.data.frame(graph) && is.null(n) && is.null(vertices)) n <- attr(graph, "n", exact = TRUE)
  read <- read_graph(graph, n, vertices, arg, private = FALSE)
  pairs <- plain_pairs(read)
  new_result(list(n = read$n, vertices = read$vertices, bits = pairs$bits, edges = pairs$edges, flip = 0, contrast = 1),
             "dptda_debiased_graph")
}

# Returns the form of a graph without privacy that multiplies faster.
plain_pairs <- function(read) {
  options <- kernel_options()
  if (!is.null(read$matrix)) return(list(bits = .Call(ffi_graph_pack_matrix, read$n, read$matrix, options)))
  edges <- .Call(ffi_graph_sort, read$n, read$from, read$to, options)
  if (length(edges$from) < packed_size(read$n) / 8) return(list(edges = edges))
  list(bits = .Call(ffi_graph_pack, read$n, edges$from, edges$to, options))
}

define_class(
  "dptda_debiased_graph", "graph_debias()", .bare = is.list, n = function(x) is_vertex_count(x),
  vertices = is_null_or(is.character), bits = is_null_or(is.raw), edges = is_null_or(is.list),
  flip = is_one_number, contrast = is_one_number,
  .valid = function(x) {
    x <- unclass(x)
    x$flip >= 0 && x$flip <= 0.5 && x$contrast >= 0 && x$contrast <= 1 &&
      (is.null(x$vertices) || length(x$vertices) == x$n) &&
      is.null(x$bits) != is.null(x$edges) && (if (is.null(x$bits)) is_edges(x$edges, x$n) else is_packed(x$bits, x$n))
  }
)

# Keeps a digest of the bits, as for a private graph.
define_release("dptda_debiased_graph", function(x) release_kinds[["dptda_private_graph"]]$part(x))

#' @rdname graph_debias
#' @export
graph_multiply <- function(graph, x, ..., n = NULL, vertices = NULL) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  operand <- if (inherits(graph, "dptda_debiased_graph")) check_valid(graph, "dptda_debiased_graph") else
    graph_debias(graph, n = n, vertices = vertices)
  if (missing(x)) stop_missing("x")
  if (!is_plain_numeric(x) || anyNA(x) || length(dim(x)) > 2 || NROW(x) != operand$n) {
    stop_argument("x", "must be a numeric matrix with a row for each of the ", count_vertices(operand$n),
                  ", without missing values, not ", describe_data(x), ".")
  }
  product <- multiply_operand(operand, matrix(as.double(x), operand$n, NCOL(x)))
  dimnames(product) <- if (!is.null(operand$vertices) || !is.null(colnames(x))) list(operand$vertices, colnames(x))
  product
}

# `x`: doubles, a matrix or one column. Checks nothing, and takes no more memory than the product, because R collects
# garbage late beside a graph of hundreds of megabytes.
multiply_operand <- function(operand, x) {
  multiply_graph(operand$n, operand$bits, operand$edges, x, operand$flip, operand$contrast)
}

multiply_graph <- function(n, bits, edges, x, flip = 0, contrast = 1) {
  if (is.null(edges)) return(.Call(ffi_graph_multiply_bits, n, bits, x, flip, contrast, kernel_options()))
  .Call(ffi_graph_multiply_list, n, edges$from, edges$to, x, flip, contrast, kernel_options())
}

#' @rdname graph_debias
#' @export
as.matrix.dptda_debiased_graph <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_debiased_graph")
  if (x$n > 20000) {
    stop_dptda("size", "`x` has ", format_count(x$n), " vertices, but its matrix is limited to 20,000. ",
               "To multiply by it, use graph_multiply().")
  }
  full <- operand_matrix(x)
  if (!is.null(x$vertices)) dimnames(full) <- list(x$vertices, x$vertices)
  full
}

operand_matrix <- function(x) {
  edges <- graph_edges(x)
  full <- new_square(x$n)
  full[edges$from + x$n * (edges$to - 1)] <- 1L
  full[edges$to + x$n * (edges$from - 1)] <- 1L
  full <- (full - x$flip) / x$contrast
  diag(full) <- 0
  full
}

#' @rdname graph_debias
#' @export
print.dptda_debiased_graph <- function(x, ...) {
  check_valid(x, "dptda_debiased_graph")
  print_release(x, {
    cat("adjacency matrix of ", count_vertices(x$n), if (x$flip > 0) {
      c(", debiased\nentries: ", format((1 - x$flip) / x$contrast, digits = 3), " for an edge, ",
        format(-x$flip / x$contrast, digits = 3), " for a non-edge")
    } else "\nentries: 1 for an edge, 0 for a non-edge", "\n", sep = "")
  })
}

# ---- the embedding ---------------------------------------------------------

#' Spectral embedding of a graph, private or not
#'
#' Embeds the vertices of a graph as points, by the eigenvectors of its adjacency matrix or Laplacian. Inner products of
#' the points approximate the probabilities of edges. The randomized response of a private graph is removed first
#' ([graph_debias()]), and the points carry the guarantee of the graph.
#'
#' @details
#' # Points
#' Points are the eigenvectors of the `d` eigenvalues that are largest in absolute value, each times the square root of
#' that value. They are determined up to transformations that keep the inner products (with a minus sign for negative
#' eigenvalues). [align_embedding()] turns one embedding towards another.
#'
#' Use `normalize = TRUE` to find groups in a graph of people, whose degrees differ much. It is not the default, because
#' inner products are then no longer probabilities, and groups or shapes that differ only in length are lost.
#'
#' # Choice of the dimension
#' By default, `d` is the number of eigenvalues beyond the edge of the noise, \eqn{2 s \sqrt n (1 + 1.5
#' n^{-2/3})}{2 s sqrt(n) (1 + 1.5 n^(-2/3))}, which is at least 1. Here \eqn{s^2}{s^2} is the variance of an entry: a
#' coin with the mean density of the graph, plus randomized response. At most 100 eigenvalues are counted. If the noise
#' hides everything, `d` is 0. A Laplacian gets the dimension of the adjacency matrix.
#'
#' This rule is for the noise of randomized response. If few pairs are flipped and degrees differ much, dozens of
#' eigenvalues lie beyond the edge in any graph, and their number is not a number of groups. [power_graph()] computes in
#' advance what the noise hides.
#'
#' Noise moves an eigenvalue outward, from \eqn{\lambda}{lambda} to \eqn{\lambda + n s^2 / \lambda}{lambda + n s^2 /
#' lambda}. `corrected` is the eigenvalue without this shift, `NA` within the noise. Points use the observed
#' eigenvalues.
#'
#' @inheritParams graph_debias
#' @param graph A [private_graph()], a result of [graph_debias()], or another graph as [graph_debias()] takes one.
#' @param d `NULL` or an integer of at least 0: the dimension.
#' @param type `"adjacency"` for the matrix M of the graph, `"laplacian"` for \eqn{D^{-1/2} M D^{-1/2}}{D^(-1/2) M
#'   D^(-1/2)}, with D the degrees (cut at 0) plus `regularization`. Unless epsilon is large, randomized response makes
#'   degrees so uncertain that `"adjacency"` is nearly always better.
#' @param debias `TRUE` or `FALSE`: remove randomized response. If `FALSE`, it appears as one more dimension, because
#'   the probability p of a flip is a constant added to all probabilities.
#' @param normalize `TRUE` or `FALSE`: divide each point by its length, so that vertices that differ only in degree have
#'   the same point. A point at the origin stays there.
#' @param regularization `NULL` or one number of at least 0, for `"laplacian"`: the number added to each degree. By
#'   default, the mean degree or, if larger, the standard deviation of the noise of a degree. A vertex whose degree is
#'   still 0 is at the origin.
#'
#' @return An object of class `dptda_embedding`, a list of `X` (a numeric matrix with one row per vertex and `d`
#'   columns, by decreasing absolute value of the `eigenvalues`), `eigenvalues`, `corrected` (`NA` for `"laplacian"`),
#'   `signature` (the numbers of positive and of negative eigenvalues), `noise` (the s above), `edge` (the edge of the
#'   noise, `NA` for `"laplacian"`), `spectrum` (all computed eigenvalues; those within the noise to a few digits), `n`,
#'   `type`, `debiased`, and `normalized`.
#'
#'   `as.matrix()` returns `X`, and `summary()` a table of the eigenvalues. `plot()` draws the points, or the
#'   eigenvalues and the edge of the noise with `which = "scree"`.
#'
#' @section Implementation:
#' [eigen()] is used for up to 300 vertices, or if `d` is at least a third of their number. Otherwise, package RSpectra
#' is used with 20 to 40 products of [graph_debias()], and 70 more if `d` is not given. Without that package, up to
#' 2,000 vertices are possible. The largest entry of each eigenvector is positive (the first of equal ones), so signs do
#' not depend on chance.
#' @references
#' Sussman, D. L., Tang, M., Fishkind, D. E. and Priebe, C. E. (2012). A consistent adjacency spectral embedding for
#' stochastic blockmodel graphs. *Journal of the American Statistical Association* 107, 1119-1128.
#'
#' Rubin-Delanchy, P., Cape, J., Tang, M. and Priebe, C. E. (2022). A statistical interpretation of spectral embedding:
#' the generalised random dot product graph. *Journal of the Royal Statistical Society B* 84, 1446-1473.
#'
#' Benaych-Georges, F. and Nadakuditi, R. R. (2011). The eigenvalues and eigenvectors of finite, low rank perturbations
#' of large random matrices. *Advances in Mathematics* 227, 494-521.
#'
#' Qin, T. and Rohe, K. (2013). Regularized spectral clustering under the degree-corrected stochastic blockmodel.
#' *Advances in Neural Information Processing Systems* 26.
#'
#' Vishwanath, S. and Hehir, J. (2022). The shape of edge differential privacy. *Journal of Privacy and
#' Confidentiality*.
#' @examples
#' # two groups of 100
#' graph <- simulate(graph_sbm(c(100, 100), matrix(c(0.6, 0.1, 0.1, 0.6), 2)))
#' points <- spectral_embedding(private_graph(graph, epsilon = 2, n = 200))
#' points
#' summary(points)
#' plot(points, col = rep(c("#0072B2", "#D55E00"), each = 100))
#' plot(points, which = "scree")
#' @export
spectral_embedding <- function(graph, d = NULL, ..., type = c("adjacency", "laplacian"), debias = TRUE,
                               normalize = FALSE,
                               regularization = NULL, n = NULL, vertices = NULL) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  if (!is.null(d)) d <- check_count(d, 0, most_vertices)
  type <- check_choice(type, c("adjacency", "laplacian"))
  debias <- check_flag(debias)
  normalize <- check_flag(normalize)
  if (!is.null(regularization)) regularization <- check_number(regularization, 0)
  operand <- embedded_operand(graph, n, vertices, debias)
  if (!is.null(d) && d > operand$n) {
    stop_argument("d", "must be at most ", format_count(operand$n), ", the number of vertices, not ",
                  format_count(d), ".")
  }
  noise <- operand_noise(operand)
  edge <- noise_edge(operand$n, noise)
  outliers <- if (is.null(d)) count_outliers(operand, edge)
  degrees <- if (type == "laplacian") regularized_degrees(operand, noise, regularization)
  pairs <- largest_pairs(operand, if (is.null(d)) outliers$d else d, degrees)
  if (is.null(d) && is.null(degrees)) {
    # a value near the edge that was computed to a few digits may have been on the other side
    pairs <- keep_pairs(pairs, is_beyond(pairs$values, edge))
  }
  if (!is.null(degrees)) edge <- NA_real_
  embedding <- new_embedding(operand, pairs, type, debias, normalize, noise, edge, outliers$spectrum)
  if (is.null(privacy(operand))) embedding else attach_guarantee(embedding, privacy(operand))
}

embedded_operand <- function(graph, n, vertices, take_out) {
  if (inherits(graph, "dptda_debiased_graph") && !take_out &&
      isTRUE(check_valid(graph, "dptda_debiased_graph")$flip > 0)) {
    stop_argument("debias", "must be TRUE for what graph_debias() has made.")
  }
  if (take_out) graph_debias(graph, n = n, vertices = vertices) else read_operand(graph, n, vertices, FALSE)
}

# The standard deviation of an entry, as a coin with the present density of edges (among coins with the same mean, equal
# ones vary most), but at least the standard deviation of randomized response alone.
operand_noise <- function(operand) {
  pairs <- graph_pairs(operand)
  density <- if (pairs > 0) graph_size(operand) / pairs else 0
  sqrt(max(density * (1 - density), operand$flip * (1 - operand$flip))) / operand$contrast
}

# Zeros on the diagonal, instead of probabilities, move an eigenvalue by up to 1.
noise_edge <- function(n, noise) if (n < 2) 1 else max(1, 2 * noise * sqrt(n) * (1 + 1.5 * n^(-2 / 3)))

is_beyond <- function(values, edge) abs(values) > edge * (1 + 1e-8)

# Removes the shift by noise from an observed eigenvalue.
correct_eigenvalues <- function(values, n, noise) {
  inside <- values^2 - 4 * n * noise^2
  replace((values + sign(values) * sqrt(pmax(inside, 0))) / 2, inside < 0 | values == 0, NA_real_)
}

# A vertex of degree 0 has no edges, so its row is zero with any factor.
regularized_degrees <- function(operand, noise, regularization) {
  degrees <- pmax(multiply_operand(operand, rep(1, operand$n))[, 1], 0)
  if (is.null(regularization)) {
    uncertain <- if (operand$flip > 0) noise * sqrt(operand$n)
    regularization <- max(mean(degrees), uncertain, 0, na.rm = TRUE) # no vertex, no mean
  }
  degrees + regularization
}

# ---- eigenvalues -----------------------------------------------------------

few_vertices <- 300
most_without_package <- 2000
most_dimensions <- 100 # by default

# Counts eigenvalues beyond the edge. Computes more of them until one is not beyond it. Two digits suffice and cost
# half, because no computed eigenvalue exceeds the true one.
count_outliers <- function(operand, edge) {
  most <- min(most_dimensions, operand$n)
  asked <- if (operand$n <= few_vertices) most else min(6, most)
  repeat {
    values <- largest_pairs(operand, asked, digits = 1e-2)$values
    d <- sum(is_beyond(values, edge))
    if (d < length(values) || length(values) < asked || asked == most) return(list(d = d, spectrum = values))
    asked <- min(2 * asked, most)
  }
}

# The d eigenvalues that are largest in absolute value, and their vectors. `degrees`: for the Laplacian, or NULL.
largest_pairs <- function(operand, d, degrees = NULL, digits = 1e-10) {
  n <- operand$n
  if (d == 0) return(list(values = double(), vectors = matrix(0, n, 0)))
  scale <- if (is.null(degrees)) 1 else ifelse(degrees > 0, 1 / sqrt(degrees), 0)
  dense <- n <= few_vertices || 3 * d >= n
  if (!dense && !has_spectra()) {
    if (n > most_without_package) {
      need_graph_package("RSpectra", paste0("For an embedding of ", format_count(n), " vertices"))
    }
    dense <- TRUE
  }
  found <- if (dense) {
    eigen(operand_matrix(operand) * tcrossprod(rep_len(scale, n)), symmetric = TRUE)
  } else {
    multiply <- if (is.null(degrees)) function(x, args) multiply_operand(operand, x) else
      function(x, args) scale * multiply_operand(operand, scale * x)
    lanczos_pairs(multiply, n, d, digits)
  }
  first <- order(-abs(found$values), -found$values)[seq_len(min(d, length(found$values)))]
  list(values = found$values[first], vectors = set_signs(found$vectors[, first, drop = FALSE]))
}

has_spectra <- function() requireNamespace("RSpectra", quietly = TRUE)

# Uses a wider basis if eigenvalues are too close for a narrow one to separate them.
lanczos_pairs <- function(multiply, n, d, digits) {
  for (basis in unique(pmin(n, c(max(2 * d + 1, 20), 6 * d + 60)))) {
    settings <- list(ncv = basis, tol = digits, maxitr = 1000)
    found <- suppressWarnings(RSpectra::eigs_sym(multiply, d, which = "LM", n = n, opts = settings))
    if (length(found$values) == d) return(found)
  }
  warn_dptda("convergence", "Only ", length(found$values), " of the ", d, " largest eigenvalues were found, because ",
             "the others are too close to each other.")
  list(values = found$values, vectors = matrix(as.double(found$vectors), n))
}

keep_pairs <- function(pairs, kept) list(values = pairs$values[kept], vectors = pairs$vectors[, kept, drop = FALSE])

# Makes the largest entry of each vector positive (the first of entries that are equal up to rounding).
set_signs <- function(vectors) {
  for (column in seq_len(ncol(vectors))) {
    size <- abs(vectors[, column])
    first <- which(size >= max(size) * (1 - 1e-6))[1]
    if (vectors[first, column] < 0) vectors[, column] <- -vectors[, column]
  }
  vectors
}

# ---- the class -------------------------------------------------------------

new_embedding <- function(operand, pairs, type, debias, normalize, noise, edge, spectrum) {
  X <- pairs$vectors * rep(sqrt(abs(pairs$values)), each = operand$n)
  if (normalize) {
    length <- sqrt(rowSums(X^2))
    # a vertex without edges has only rounding errors of the iteration, to ten digits, and no direction
    small <- length <= 1e-9 * max(length, 0)
    X <- X / ifelse(small, 1, length)
    X[small, ] <- 0
  }
  dimnames(X) <- if (!is.null(operand$vertices)) list(operand$vertices, NULL)
  adjacency <- type == "adjacency"
  d <- length(pairs$values)
  new_result(list(
    X = X, eigenvalues = pairs$values,
    corrected = if (adjacency) correct_eigenvalues(pairs$values, operand$n, noise) else rep(NA_real_, d),
    signature = c(positive = sum(pairs$values > 0), negative = sum(pairs$values < 0)), noise = noise, edge = edge,
    spectrum = c(pairs$values, if (adjacency) spectrum[seq_along(spectrum) > d]),
    n = operand$n, type = type, debiased = debias, normalized = normalize
  ), "dptda_embedding")
}

define_class(
  "dptda_embedding", "spectral_embedding()", .bare = is.list, X = is_number_matrix, eigenvalues = is_numbers,
  corrected = function(x) is.numeric(x) && !is.object(x), signature = function(x) is_numbers(x) && length(x) == 2,
  noise = is_one_number, edge = is_number_or_na, spectrum = is_numbers,
  n = function(x) is_vertex_count(x), debiased = is_one_flag, normalized = is_one_flag,
  type = function(x) is_one_string(x) && x %in% c("adjacency", "laplacian"),
  .valid = function(x) {
    x <- unclass(x)
    d <- length(x$eigenvalues)
    nrow(x$X) == x$n && ncol(x$X) == d && length(x$corrected) == d && length(x$spectrum) >= d
  }
)

#' @rdname spectral_embedding
#' @param x,object An object of class `dptda_embedding`.
#' @export
print.dptda_embedding <- function(x, ...) {
  check_valid(x, "dptda_embedding")
  print_release(x, {
    cat(count_vertices(x$n), " in ", count_of(ncol(x$X), "dimension"), if (x$type == "laplacian") " (Laplacian)",
        if (x$normalized) ", each point of length 1", "\n", sep = "")
    if (ncol(x$X) > 0) {
      shown <- utils::head(x$eigenvalues, 8)
      cat("eigenvalues ", paste(format(shown, digits = 3, trim = TRUE), collapse = ", "), if (length(shown) < ncol(x$X))
          ", ...",
          edge_words(x), "\n", sep = "")
    } else {
      where <- if (!is.na(x$edge)) paste0(", ", format(x$edge, digits = 3))
      cat("no eigenvalues beyond the edge of the noise", where, "\n", sep = "")
    }
  })
}

edge_words <- function(x) if (!is.na(x$edge)) paste0("; the noise ends at ", format(x$edge, digits = 3))

#' @rdname spectral_embedding
#' @export
as.matrix.dptda_embedding <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_embedding")$X
}

#' @rdname spectral_embedding
#' @export
summary.dptda_embedding <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_embedding")
  overlap <- pmax(0, 1 - object$n * object$noise^2 / object$corrected^2)
  table <- data.frame(eigenvalue = object$eigenvalues, corrected = object$corrected, overlap = overlap)
  fields <- unclass(object)[c("n", "type", "signature", "noise", "edge")]
  new_result(c(fields, list(table = table)), "summary.dptda_embedding")
}

define_class("summary.dptda_embedding", "summary()", n = function(x) is_vertex_count(x), type = is_one_string,
             signature = is_numbers,
             noise = is_one_number, edge = is_number_or_na, table = is.data.frame)

#' @rdname spectral_embedding
#' @export
print.summary.dptda_embedding <- function(x, ...) {
  check_valid(x, "summary.dptda_embedding")
  cat("<embedding summary>\n", count_vertices(x$n), ", ", x$type, ", signature (", x$signature[[1]], ", ",
      x$signature[[2]], ")\n", sep = "")
  cat("standard deviation of an entry ", format(x$noise, digits = 3), edge_words(x), "\n", sep = "")
  if (nrow(x$table)) {
    print(x$table, digits = 4, row.names = FALSE)
    if (x$type == "adjacency") cat("overlap: expected squared overlap with the noise-free eigenvector\n")
  }
  invisible(x)
}

#' @rdname spectral_embedding
#' @param which `"points"`, in pairs of dimensions, six at most, or `"scree"`.
#' @export
plot.dptda_embedding <- function(x, ..., which = c("points", "scree")) {
  check_valid(x, "dptda_embedding")
  which <- check_choice(which, c("points", "scree"))
  if (which == "scree" || ncol(x$X) == 0) plot_scree(x, ...) else plot_points(x, ...)
  invisible(x)
}

plot_points <- function(x, ...) {
  X <- x$X[, seq_len(min(6, ncol(x$X))), drop = FALSE]
  colnames(X) <- paste("dimension", seq_len(ncol(X)))
  settings <- utils::modifyList(list(pch = 16, cex = 0.6, col = grDevices::adjustcolor("#0072B2", 0.6), las = 1),
                                list(...))
  if (ncol(X) == 1) {
    usual <- list(x = seq_len(nrow(X)), y = X[, 1], xlab = "vertex", ylab = colnames(X))
    return(do.call(graphics::plot.default, utils::modifyList(usual, settings)))
  }
  if (ncol(X) == 2) {
    usual <- list(x = X[, 1], y = X[, 2], xlab = colnames(X)[1], ylab = colnames(X)[2], asp = 1)
    return(do.call(graphics::plot.default, utils::modifyList(usual, settings)))
  }
  do.call(graphics::pairs, c(list(X), settings))
}

plot_scree <- function(x, ...) {
  values <- abs(x$spectrum)
  kept <- seq_along(values) <= ncol(x$X)
  usual <- list(x = seq_along(values), y = values, pch = ifelse(x$spectrum < 0, 25, 24),
                bg = ifelse(kept, "#0072B2", "white"),
                col = "#0072B2", xlab = "eigenvalue, by its absolute value", ylab = "absolute value", las = 1,
                xlim = c(0.5, max(length(values), 1) + 0.5), ylim = c(0, max(values, x$edge, 1e-300, na.rm = TRUE)))
  do.call(graphics::plot.default, utils::modifyList(usual, list(...)))
  if (!is.na(x$edge)) graphics::abline(h = x$edge, col = "gray60", lty = 3)
}

# ---- comparing -------------------------------------------------------------

#' Align two embeddings (orthogonal Procrustes)
#'
#' Aligns two embeddings, whose points are determined only up to rotations and reflections. It finds the orthogonal
#' matrix Q for which X Q is nearest to Y in the sum of squares, so that the two can be compared point by point.
#'
#' @param x,y Results of [spectral_embedding()], or numeric matrices of the same size, with one row per vertex. If both
#'   have names of vertices, the names must be the same, in the same order. The points of `x` are turned.
#' @param ... Not used.
#'
#' @return A numeric matrix, the points of `x` turned towards those of `y`, with the attribute `rotation`, Q. Between
#'   two embeddings with the same signature, Q does not mix dimensions of positive and negative eigenvalues, and so
#'   keeps the inner products that approximate probabilities. It carries no guarantee, because `y` may be any data.
#' @references
#' Schoenemann, P. H. (1966). A generalized solution of the orthogonal Procrustes problem. *Psychometrika* 31, 1-10.
#' @examples
#' graph <- simulate(graph_sbm(c(50, 50), matrix(c(0.6, 0.1, 0.1, 0.6), 2)))
#' true <- spectral_embedding(graph, d = 2)
#' released <- spectral_embedding(private_graph(graph, epsilon = 3, n = 100),
#'                                d = 2)
#' turned <- align_embedding(released, true)
#' plot(turned, asp = 1)
#' points(as.matrix(true), col = 2)
#' @export
align_embedding <- function(x, y, ...) {
  check_no_dots(...)
  X <- embedded_points(x)
  Y <- embedded_points(y)
  if (!identical(dim(X), dim(Y))) {
    stop_argument("y", "must have as many points and dimensions as `x`, ", nrow(X), " x ", ncol(X), ", not ",
                  nrow(Y), " x ", ncol(Y), ".")
  }
  if (!is.null(rownames(X)) && !is.null(rownames(Y)) && !identical(rownames(X), rownames(Y))) {
    stop_argument("y", "must have the vertices of `x`, in the same order.")
  }
  own <- inherits(x, "dptda_embedding") && inherits(y, "dptda_embedding")
  apart <- own && identical(x$signature, y$signature)
  # dimensions are mixed only with dimensions of the same sign
  sign_x <- if (apart) sign(x$eigenvalues) else rep(1, ncol(X))
  sign_y <- if (apart) sign(y$eigenvalues) else sign_x
  Q <- matrix(0, ncol(X), ncol(X))
  for (part in unique(sign_x)) {
    Q[sign_x == part, sign_y == part] <- nearest_rotation(X[, sign_x == part, drop = FALSE],
                                                          Y[, sign_y == part, drop = FALSE])
  }
  structure(X %*% Q, rotation = Q)
}

nearest_rotation <- function(x, Y) {
  if (ncol(x) == 0) return(matrix(0, 0, 0))
  if (nrow(x) == 0) return(diag(ncol(x)))
  split <- svd(crossprod(unit_size(x), unit_size(Y)))
  tcrossprod(split$u, split$v)
}

# Rescales points, because lengths do not affect a rotation, and products of very long or short points would not be
# finite.
unit_size <- function(x) {
  largest <- max(abs(x))
  if (largest > 0) x / largest else x
}

embedded_points <- function(x, arg = deparse1(substitute(x))) {
  force(arg)
  if (missing(x)) stop_missing(arg)
  if (inherits(x, "dptda_embedding")) return(check_valid(x, "dptda_embedding", arg)$X)
  if (!is_number_matrix(x) || !all(is.finite(x))) {
    stop_argument(arg, "must be made by spectral_embedding(), or be a numeric matrix without missing values, ",
                  "not ", describe_data(x), ".")
  }
  x + 0
}
