#' Random graph models: stochastic block and random dot product graph
#'
#' Makes models of random graphs to simulate from: undirected graphs without loops on n vertices, in which each pair of
#' vertices has an edge with its own probability, independently of all others. `simulate()` draws graphs, and
#' `as.matrix()` returns the probabilities.
#'
#' @details
#'
#' | function | probability of an edge between i and j |
#' |---|---|
#' | `graph_rdpg()`, random dot product graph | \eqn{\langle x_i, x_j\rangle}{<x_i, x_j>} |
#' | `graph_sbm()`, stochastic block model | the entry of `probabilities` for the blocks of i and j |
#' | `graph_sbm(weights = )`, degree-corrected | the same times \eqn{w_i w_j}{w_i w_j} |
#'
#' Results below 0 or above 1 are clamped to 0 or 1. The vertices are ordered by block, in the order of `sizes`.
#'
#' A release with edge-level privacy flips each pair with some probability f, so that a probability P becomes f + (1 - 2
#' f) P. A random dot product graph remains one, with the positions \eqn{(\sqrt{1 - 2 f}\, x_i, \sqrt{f})}{(sqrt(1 - 2
#' f) x_i, sqrt(f))}.
#'
#' @section Implementation:
#' Blocks without weights cost time proportional to the number of edges, because geometric draws skip pairs without an
#' edge. Blocks with weights cost time proportional to edges and vertices. All other models draw once per pair. No n x n
#' matrix is created.
#'
#' @param x A numeric matrix or data frame with n rows and d columns: the positions of the vertices. For methods, an
#'   object of class `dptda_graph_model`.
#' @param sizes A vector of K integers: the number of vertices in each block.
#' @param probabilities A symmetric K x K numeric matrix: the probability of an edge between vertices of two blocks, in
#'   \[0, 1\]. With `weights`, at least 0.
#' @param weights `NULL`, which means 1 for each vertex, or a numeric vector of length n, at least 0.
#' @param object An object of class `dptda_graph_model`.
#' @param nsim An integer: the number of graphs to draw.
#' @param seed An integer or `NULL`: the seed of the draws ([set.seed()]). The state of the generator is restored
#'   afterward.
#' @param ... Not used. For `plot()`, arguments of [graphics::plot.default()] or [graphics::image()].
#' @return An object of class `dptda_graph_model`. Its methods return:
#'
#' * `simulate()`: a data frame with one row per edge, sorted, the integer columns `from` < `to`, and the attribute `n`.
#'   If `nsim` is not 1, a list of these.
#' * `as.matrix()`: the symmetric n x n matrix of probabilities, with 0 on the diagonal.
#' * `summary()`: an object of class `summary.dptda_graph_model`, a list of `name`, `n`, the expected number of edges
#'   `edges`, and their fraction of all pairs `density`. Both are `NA` if more than 2^29 pairs would have to be summed.
#' * `print()` and `plot()`: `x`, invisibly. `plot()` draws the first two coordinates of the positions, or the
#'   probabilities of some vertices.
#' @references Young, S. J. and Scheinerman, E. R. (2007). Random dot product graph models for social networks.
#'   *Algorithms and Models for the Web-Graph*, 138-149.
#'
#'   Karrer, B. and Newman, M. E. J. (2011). Stochastic blockmodels and community structure in networks. *Physical
#'   Review E* 83, 016107.
#'
#'   Miller, J. C. and Hagberg, A. (2011). Efficient generation of networks with given expected degrees. *Algorithms and
#'   Models for the Web-Graph*, 115-126.
#' @examples
#' blocks <- graph_sbm(c(30, 20), rbind(c(0.5, 0.1), c(0.1, 0.4)))
#' blocks
#' head(simulate(blocks, seed = 1))
#' summary(blocks)
#' plot(blocks)
#' @order 1
#' @export
graph_rdpg <- function(x) {
  x <- check_inner_products(check_vertex_positions(x))
  new_graph_model("random dot product graph", nrow(x), x = x)
}

#' @rdname graph_rdpg
#' @export
graph_sbm <- function(sizes, probabilities, ..., weights = NULL) {
  check_no_dots(...)
  sizes <- check_sizes(sizes)
  rates <- check_rates(probabilities, length(sizes), if (is.null(weights)) 1 else Inf)
  if (!is.null(weights)) {
    weights <- check_graph_weights(weights)
    if (length(weights) != sum(sizes)) {
      stop_argument("weights", "must have one number per vertex (", sum(sizes), "), not ", length(weights), ".")
    }
    check_product(rates, weights)
  }
  name <- if (is.null(weights)) "stochastic block model" else "degree-corrected stochastic block model"
  new_graph_model(name, sum(sizes), sizes = sizes, rates = rates, weights = weights)
}

# Arguments ---------------------------------------------------------------------

most_graph_vertices <- 2^31 - 1

check_vertex_positions <- function(x, arg = deparse1(substitute(x))) {
  force(arg)
  x <- check_points(x, NULL, arg = arg, min_rows = 0)
  if (!all(is.finite(x))) stop_argument(arg, "must be finite.")
  dimnames(x) <- NULL
  x
}

# Refuses positions whose inner products contain infinite terms of both signs, because their sum is not a number.
check_inner_products <- function(x) {
  largest <- if (nrow(x) > 0) apply(abs(x), 2, max) else 0
  if (is.finite(sum(largest^2))) return(x)
  stop_argument("x", "must have smaller numbers, because the inner product of two positions is not finite.")
}

check_sizes <- function(sizes) {
  if (missing(sizes)) stop_missing("sizes")
  good <- is_numbers(sizes) && is.null(dim(sizes)) && length(sizes) > 0 && all(sizes >= 0 & sizes == floor(sizes)) &&
    sum(sizes) <= most_graph_vertices
  if (!good) stop_argument("sizes", "must be a vector of integers of at least 0, less than 2^31 in total.")
  as.vector(sizes, "double")
}

# Checks a symmetric matrix with one number per pair of blocks.
check_rates <- function(probabilities, blocks, most) {
  if (missing(probabilities)) stop_missing("probabilities")
  if (is_one_number(probabilities) && blocks == 1) probabilities <- matrix(probabilities)
  good <- is_number_matrix(probabilities) && identical(dim(probabilities), rep(as.integer(blocks), 2)) &&
    all(is.finite(probabilities) & probabilities >= 0 & probabilities <= most) &&
    all(probabilities == t(probabilities))
  if (!good) {
    stop_argument("probabilities", "must be a symmetric matrix with ", count_of(blocks, "row"), " of numbers ",
                  if (is.finite(most)) "in [0, 1]." else "of at least 0.")
  }
  matrix(as.double(probabilities), blocks)
}

check_graph_weights <- function(weights) {
  if (missing(weights)) stop_missing("weights")
  good <- is_numbers(weights) && is.null(dim(weights)) && all(is.finite(weights) & weights >= 0) &&
    length(weights) <= most_graph_vertices
  if (!good) stop_argument("weights", "must be a vector of finite numbers of at least 0.")
  as.vector(weights, "double")
}

check_product <- function(rates, weights) {
  if (length(weights) && !is.finite(max(rates) * max(weights)^2)) {
    stop_argument("weights", "must be smaller, because the product of two with a rate is not finite.")
  }
}

# Objects -----------------------------------------------------------------------

# Positions, or blocks with rates.
new_graph_model <- function(name, n, x = NULL, sizes = NULL, rates = NULL, weights = NULL) {
  new_result(list(name = name, n = as.double(n), X = x, sizes = sizes, rates = rates, weights = weights),
             "dptda_graph_model")
}

fits_positions <- function(x) {
  is_number_matrix(x$X) && all(is.finite(x$X)) && nrow(x$X) == x$n && is.null(x$rates)
}

fits_blocks <- function(x) {
  is_number_matrix(x$rates) && all(is.finite(x$rates) & x$rates >= 0) && is_numbers(x$sizes) &&
    identical(dim(x$rates), rep(length(x$sizes), 2)) && all(x$sizes >= 0 & x$sizes == floor(x$sizes)) &&
    sum(x$sizes) == x$n && (is.null(x$weights) || length(x$weights) == x$n)
}

define_class(
  "dptda_graph_model", "a function graph_<model>()",
  name = is_one_string, n = function(x) is_one_number(x) && x >= 0 && x <= 2^31 - 1,
  weights = is_null_or(function(x) is_numbers(x) && all(is.finite(x) & x >= 0)),
  .valid = function(x) {
    x <- unclass(x)
    if (is.null(x$X)) fits_blocks(x) else fits_positions(x)
  }
)

# The probabilities of edges between the vertices `rows` and `columns`.
model_probabilities <- function(model, rows, columns = seq_len(model$n)) {
  P <- if (is.null(model$rates)) {
    model$X[rows, , drop = FALSE] %*% t(model$X[columns, , drop = FALSE])
  } else {
    block <- rep(seq_along(model$sizes), model$sizes)
    rates <- model$rates[block[rows], block[columns], drop = FALSE]
    if (is.null(model$weights)) rates else rates * outer(model$weights[rows], model$weights[columns])
  }
  P <- pmin(pmax(P, 0), 1)
  P[outer(rows, columns, "==")] <- 0
  matrix(P, length(rows))
}

# The expected number of edges: a sum over blocks, or over pairs if they are not too many.
expected_edges <- function(model) {
  n <- model$n
  if (!is.null(model$rates) && is.null(model$weights)) {
    pairs <- outer(model$sizes, model$sizes) / 2
    diag(pairs) <- choose(model$sizes, 2)
    return(sum(pairs * model$rates))
  }
  if (n < 2) return(0)
  if (choose(n, 2) > 2^29) return(NA_real_)
  total <- 0
  step <- max(1, floor(2^20 / n))
  for (first in seq(1, n, by = step)) {
    total <- total + sum(model_probabilities(model, seq(first, min(n, first + step - 1))))
  }
  total / 2
}

# Methods -----------------------------------------------------------------------

#' @rdname graph_rdpg
#' @importFrom stats simulate
#' @export
simulate.dptda_graph_model <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_graph_model")
  nsim <- check_count(nsim, upper = 1e6)
  graphs <- with_seed(seed, lapply(seq_len(nsim), function(k) draw_graph(object)))
  if (nsim == 1) graphs[[1]] else graphs
}

draw_graph <- function(model) {
  options <- kernel_options("R", kernel_progress("drawing a graph"))
  edges <- if (is.null(model$rates)) {
    .Call(ffi_graph_draw_positions, model$X, options)
  } else {
    .Call(ffi_graph_draw_blocks, model$sizes, model$rates, as.double(model$weights), options)
  }
  structure(edges, class = "data.frame", row.names = .set_row_names(length(edges$from)), n = model$n)
}

#' @rdname graph_rdpg
#' @export
as.matrix.dptda_graph_model <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_graph_model")
  new_doubles(x$n^2)
  model_probabilities(x, seq_len(x$n))
}

#' @rdname graph_rdpg
#' @export
format.dptda_graph_model <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_graph_model")
  paste0(x$name, ", ", x$n, if (x$n == 1) " vertex" else " vertices",
         ", ", if (is.null(x$rates)) paste("dimension", ncol(x$X)) else count_of(length(x$sizes), "block"))
}

#' @rdname graph_rdpg
#' @export
print.dptda_graph_model <- function(x, ...) {
  cat("<graph model> ", format(x), "\n", sep = "")
  invisible(x)
}

#' @rdname graph_rdpg
#' @export
summary.dptda_graph_model <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_graph_model")
  edges <- expected_edges(object)
  new_result(list(name = format(object), n = object$n, edges = edges, density = edges / choose(object$n, 2)),
             "summary.dptda_graph_model")
}

define_class("summary.dptda_graph_model", "summary()", name = is_one_string, n = is_one_number,
             edges = function(x) is.numeric(x) && length(x) == 1, density = function(x) is.numeric(x) && length(x) == 1)

#' @export
print.summary.dptda_graph_model <- function(x, ...) {
  check_valid(x, "summary.dptda_graph_model")
  cat("<graph model> ", x$name, "\n", sep = "")
  if (!is.na(x$density)) {
    cat("expected number of edges: ", format(x$edges, digits = 4), " (", format(100 * x$density, digits = 3),
        "% of the pairs)\n", sep = "")
  }
  invisible(x)
}

#' @rdname graph_rdpg
#' @export
plot.dptda_graph_model <- function(x, ...) {
  check_valid(x, "dptda_graph_model")
  if (x$n == 0) {
    graphics::plot.new()
  } else if (is.null(x$rates) && ncol(x$X) > 1) {
    graphics::plot.default(x$X[, 1], x$X[, 2], asp = 1, xlab = "first coordinate", ylab = "second coordinate", ...)
  } else {
    shown <- unique(round(seq(1, x$n, length.out = min(x$n, 200))))
    P <- model_probabilities(x, shown, shown)
    # the first row on top, as in a printed matrix
    graphics::image(seq_along(shown), seq_along(shown), t(P[rev(seq_along(shown)), , drop = FALSE]), asp = 1,
                    xlab = "", ylab = "", axes = FALSE, ...)
  }
  invisible(x)
}
