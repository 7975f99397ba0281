#' Random graph models: stochastic block and random dot product graph
#'
#' Makes models of random graphs to simulate from: undirected graphs without loops on n vertices, in which each pair of
#' vertices has an edge with its own probability, independently of all others. `simulate()` draws graphs, `as.matrix()`
#' gives the probabilities. [graph_grdpg()] and others on its page are further models.
#'
#' | function | probability of an edge between i and j |
#' |---|---|
#' | `graph_rdpg()`, random dot product graph | \eqn{\langle x_i, x_j\rangle}{<x_i, x_j>} |
#' | `graph_sbm()`, stochastic block model | that of the blocks of i and j |
#' | `graph_sbm(weights = )`, degree-corrected | the same times \eqn{w_i w_j}{w_i w_j} |
#'
#' A number below 0 or above 1 that comes out is clamped: 0 or 1 then is the probability. The vertices of a block follow
#' each other, in the order of `sizes`.
#'
#' An edge-private release of a graph flips each pair with some probability f: what had probability P then has
#' f + (1 - 2 f) P. A random dot product graph stays one, with the positions
#' \eqn{(\sqrt{1 - 2 f}\, x_i, \sqrt{f})}{(sqrt(1 - 2 f) x_i, sqrt(f))}.
#'
#' @section Implementation:
#' Blocks without weights cost time proportional to the edges (pairs without one are skipped over in geometric draws),
#' with weights proportional to edges and vertices; all else a draw for each pair. No matrix of n x n numbers is made.
#'
#' @param x numeric matrix or data frame with n rows and d columns: the positions of the vertices. For methods an object
#'   of class `dptda_graph_model`.
#' @param sizes vector of K whole numbers: how many vertices each block has.
#' @param probabilities symmetric K x K numeric matrix: the probability of an edge between two vertices of two blocks,
#'   in \[0, 1\]; with `weights`, at least 0.
#' @param weights numeric vector of length n, at least 0, or `NULL`, which means 1 for each.
#' @param object an object of class `dptda_graph_model`.
#' @param nsim whole number: how many graphs to draw.
#' @param seed whole number or `NULL`: the seed of the draws ([set.seed()]); the generator is then left as it was found.
#' @param ... must be empty; for `plot()`, handed on to [graphics::plot.default()] or [graphics::image()].
#' @return An object of class `dptda_graph_model`. `simulate()`: a data frame with one row for each edge and the integer
#'   columns `from` and `to`, from < to, sorted, and the attribute `n`; a list of such if `nsim` is not 1.
#'   `as.matrix()`: the symmetric n x n matrix of probabilities, 0 on the diagonal. `summary()`: an object of class
#'   `summary.dptda_graph_model`, a list of `name`, `n`, and the expected number of edges `edges` and their part of all
#'   pairs `density`, `NA` where more than 2^29 pairs would have to be added up. `print()` and `plot()` (the first two
#'   coordinates of the positions, or the probabilities of some vertices): `x`, invisibly.
#' @references Young, S. J. and Scheinerman, E. R. (2007). Random dot product graph models for social networks.
#'   *Algorithms and Models for the Web-Graph*, 138-149.
#'
#'   Karrer, B. and Newman, M. E. J. (2011). Stochastic blockmodels and community structure in networks. *Physical
#'   Review E* 83, 016107.
#'
#'   Miller, J. C. and Hagberg, A. (2011). Efficient generation of networks with given expected degrees. *Algorithms and
#'   Models for the Web-Graph*, 115-126.
#' @examples
#' blocks <- graph_sbm(c(30, 20), rbind(c(.5, .1), c(.1, .4)))
#' blocks
#' head(simulate(blocks, seed = 1))
#' summary(blocks)
#' plot(blocks)
#' @export
graph_rdpg <- function(x) {
  x <- check_inner_products(check_vertex_positions(x))
  position_model("random dot product graph", x, diag(1, ncol(x)))
}

#' Further random graph models, for replication of studies
#'
#' Makes models of random graphs as [graph_rdpg()] and [graph_sbm()] do, for simulations in the literature: generalized
#' random dot product graphs, mixed membership block models, latent positions on a curve, and graphs of sociabilities.
#' They have the methods of [graph_rdpg()].
#'
#' | function | probability of an edge between i and j |
#' |---|---|
#' | `graph_grdpg()` | \eqn{\langle x_i, x_j\rangle}{<x_i, x_j>} with a minus sign for the last q columns |
#' | `graph_mixed_membership()` | \eqn{\pi_i' B \pi_j}{pi_i' B pi_j}: each end of a pair draws a block |
#' | `graph_latent()`, points of a curve | \eqn{s \exp(-|x_i - x_j|^2/(2 h^2))}{s exp(-|x_i - x_j|^2/(2 h^2))} |
#' | `graph_sociability()` of Caron and Fox | \eqn{1 - \exp(-2 w_i w_j)}{1 - exp(-2 w_i w_j)} |
#'
#' Of points of a curve, h is the bandwidth and s the scale; the kernel may also be s times the inner product or its
#' absolute value. A number below 0 or above 1 that comes out is clamped: 0 or 1 then is the probability. Gamma
#' variables in Poisson number as `weights` are a generalized gamma process of finite activity.
#'
#' @param x numeric matrix or data frame with n rows and d columns: the positions of the vertices.
#' @param p,q whole numbers with p + q = d: how many columns count with a plus sign, and how many after them with a
#'   minus sign.
#' @param memberships numeric matrix or data frame with n rows and K columns, at least 0: the part of each block in each
#'   vertex; each row is divided by its sum.
#' @param probabilities symmetric K x K numeric matrix: the probability of an edge between two vertices of two blocks,
#'   in \[0, 1\].
#' @param weights numeric vector of length n, at least 0: the sociabilities.
#' @param n whole number: how many vertices.
#' @param curve string: `"circle"`, `"lemniscate"` (of Bernoulli,
#'   \eqn{(\cos t, \sin t \cos t)/(1 + \sin^2 t)}{(cos t, sin t cos t)/(1 + sin^2 t)}), both at uniform angles t, or
#'   `"sphere"`, uniform in three dimensions.
#' @param kernel string: `"normal"`, `"product"` or `"absolute"`, see above.
#' @param bandwidth number above 0: the standard deviation of the normal kernel.
#' @param scale number of at least 0: what the kernel is multiplied by. A sparse graph has a small one.
#' @param radius number above 0: what the points of the curve are multiplied by.
#' @param seed whole number or `NULL`: the seed of the points of the curve ([set.seed()]); the generator is then left as
#'   it was found.
#' @param ... must be empty: what follows is given by name.
#' @return An object of class `dptda_graph_model`, see [graph_rdpg()].
#' @references Rubin-Delanchy, P., Cape, J., Tang, M. and Priebe, C. E. (2022). A statistical interpretation of spectral
#'   embedding: the generalised random dot product graph. *Journal of the Royal Statistical Society B* 84, 1446-1473.
#'
#'   Airoldi, E. M., Blei, D. M., Fienberg, S. E. and Xing, E. P. (2008). Mixed membership stochastic blockmodels.
#'   *Journal of Machine Learning Research* 9, 1981-2014.
#'
#'   Caron, F. and Fox, E. B. (2017). Sparse graphs using exchangeable random measures. *Journal of the Royal
#'   Statistical Society B* 79, 1295-1366.
#' @examples
#' loop <- graph_latent(100, "lemniscate", kernel = "normal", bandwidth = .75,
#'                      seed = 1)
#' edges <- simulate(loop, seed = 2)
#' nrow(edges) / choose(attr(edges, "n"), 2)
#' plot(loop)
#' @export
graph_grdpg <- function(x, p, q) {
  x <- check_inner_products(check_vertex_positions(x))
  p <- check_count(p, 0, 1e6)
  q <- check_count(q, 0, 1e6)
  if (p + q != ncol(x)) {
    stop_argument("p", "and `q` must add up to the number of columns of `x`, which is ", ncol(x), ", not ", p + q, ".")
  }
  position_model("generalized random dot product graph", x, diag(rep(c(1, -1), c(p, q)), p + q))
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
      stop_argument("weights", "must have one number for each vertex, ", sum(sizes), ", not ", length(weights), ".")
    }
    check_product(rates, weights)
  }
  name <- if (is.null(weights)) "stochastic block model" else "degree-corrected stochastic block model"
  new_graph_model(name, sum(sizes), "blocks", sizes = sizes, rates = rates, weights = weights)
}

#' @rdname graph_grdpg
#' @export
graph_mixed_membership <- function(memberships, probabilities) {
  memberships <- check_vertex_positions(memberships)
  if (any(memberships < 0)) stop_argument("memberships", "must not have a number below 0.")
  total <- rowSums(memberships)
  if (!all(total > 0 & is.finite(total))) stop_argument("memberships", "must have a number above 0 in each row.")
  rates <- check_rates(probabilities, ncol(memberships), 1)
  position_model("mixed membership block model", memberships / total, rates)
}

#' @rdname graph_grdpg
#' @export
graph_latent <- function(n, curve, ..., kernel = c("normal", "product", "absolute"), bandwidth = 0.75, scale = 1,
                         radius = 1, seed = NULL) {
  check_no_dots(...)
  n <- check_count(n, 0, most_graph_vertices)
  if (missing(curve)) stop_missing("curve")
  curve <- check_choice(curve, names(latent_curves))
  kernel <- check_choice(kernel, c("normal", "product", "absolute"))
  bandwidth <- check_number(bandwidth, 1e-150, 1e150)
  scale <- check_number(scale, 0)
  radius <- check_number(radius, 0, 1e150, open_lower = TRUE)
  X <- radius * with_seed(seed, latent_curves[[curve]](n))
  position_model(paste("latent", curve), X, diag(1, ncol(X)), kernel, bandwidth, scale)
}

# Points of a curve from R's stream.
latent_curves <- list(
  circle = function(n) {
    angle <- stats::runif(n, 0, 2 * pi)
    cbind(cos(angle), sin(angle), deparse.level = 0)
  },
  lemniscate = function(n) {
    angle <- stats::runif(n, 0, 2 * pi)
    cbind(cos(angle), sin(angle) * cos(angle), deparse.level = 0) / (1 + sin(angle)^2)
  },
  sphere = function(n) {
    X <- matrix(stats::rnorm(3 * n), n, 3)
    X / sqrt(rowSums(X^2))
  }
)

#' @rdname graph_grdpg
#' @export
graph_sociability <- function(weights) {
  weights <- check_graph_weights(weights)
  check_product(2, weights)
  new_graph_model("graph of sociabilities", length(weights), "sociable", sizes = as.double(length(weights)),
                  rates = matrix(2), weights = weights)
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

# Infinite terms of two signs would add up to no probability.
check_inner_products <- function(x) {
  largest <- if (nrow(x) > 0) apply(abs(x), 2, max) else 0
  if (is.finite(sum(largest^2))) return(x)
  stop_argument("x", "must have smaller numbers: the inner product of two positions is no finite number.")
}

check_sizes <- function(sizes) {
  if (missing(sizes)) stop_missing("sizes")
  good <- is_numbers(sizes) && is.null(dim(sizes)) && length(sizes) > 0 && all(sizes >= 0 & sizes == floor(sizes)) &&
    sum(sizes) <= most_graph_vertices
  if (!good) stop_argument("sizes", "must be a vector of whole numbers of at least 0, less than 2^31 in total.")
  as.vector(sizes, "double")
}

# A number for each pair of blocks.
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
    stop_argument("weights", "must be smaller: the product of two is no finite number.")
  }
}

# Objects -----------------------------------------------------------------------

graph_kernels <- c("product", "absolute", "normal")

# Positions have a kernel, of inner products with `form` in between or of distances; blocks have rates.
new_graph_model <- function(name, n, kernel, x = NULL, form = NULL, bandwidth = 1, scale = 1, sizes = NULL,
                            rates = NULL, weights = NULL) {
  structure(list(name = name, n = as.double(n), kernel = kernel, X = x, form = form, bandwidth = bandwidth,
                 scale = scale, sizes = sizes, rates = rates, weights = weights), class = "dptda_graph_model")
}

position_model <- function(name, x, form, kernel = "product", bandwidth = 1, scale = 1) {
  new_graph_model(name, nrow(x), kernel, x, form, bandwidth, scale)
}

fits_positions <- function(x) {
  is_number_matrix(x$X) && all(is.finite(x$X)) && nrow(x$X) == x$n && is_number_matrix(x$form) &&
    all(is.finite(x$form)) && identical(dim(x$form), rep(ncol(x$X), 2)) && is.null(x$rates)
}

fits_blocks <- function(x) {
  is_number_matrix(x$rates) && all(is.finite(x$rates) & x$rates >= 0) && is_numbers(x$sizes) &&
    identical(dim(x$rates), rep(length(x$sizes), 2)) && all(x$sizes >= 0 & x$sizes == floor(x$sizes)) &&
    sum(x$sizes) == x$n && (is.null(x$weights) || length(x$weights) == x$n)
}

define_class(
  "dptda_graph_model", "a function graph_<model>()",
  name = is_one_string, n = function(x) is_one_number(x) && x >= 0 && x <= 2^31 - 1,
  kernel = function(x) is_one_string(x) && x %in% c("product", "absolute", "normal", "blocks", "sociable"),
  bandwidth = function(x) is_one_number(x) && x > 0, scale = function(x) is_one_number(x) && x >= 0 && is.finite(x),
  weights = is_null_or(function(x) is_numbers(x) && all(is.finite(x) & x >= 0)),
  .valid = function(x) {
    x <- unclass(x)
    if (x$kernel %in% graph_kernels) fits_positions(x) else fits_blocks(x)
  }
)

# The probabilities of some rows of pairs with all others.
model_probabilities <- function(model, rows, columns = seq_len(model$n)) {
  P <- if (model$kernel %in% graph_kernels) {
    kernel_values(model, rows, columns)
  } else {
    block <- rep(seq_along(model$sizes), model$sizes)
    rates <- model$rates[block[rows], block[columns], drop = FALSE]
    if (!is.null(model$weights)) rates <- rates * outer(model$weights[rows], model$weights[columns])
    if (model$kernel == "sociable") -expm1(-rates) else rates
  }
  P <- pmin(pmax(P, 0), 1)
  P[outer(rows, columns, "==")] <- 0
  matrix(P, length(rows))
}

kernel_values <- function(model, rows, columns) {
  X <- model$X[rows, , drop = FALSE]
  Y <- model$X[columns, , drop = FALSE]
  if (model$kernel == "normal") {
    squares <- matrix(0, nrow(X), nrow(Y))
    for (k in seq_len(ncol(X))) squares <- squares + outer(X[, k], Y[, k], "-")^2
    return(model$scale * exp(-0.5 * (sqrt(squares) / model$bandwidth)^2))
  }
  products <- X %*% model$form %*% t(Y)
  model$scale * if (model$kernel == "absolute") abs(products) else products
}

# The expected number of edges: a sum over blocks, or over pairs if they are not too many.
expected_edges <- function(model) {
  n <- model$n
  if (model$kernel == "blocks" && is.null(model$weights)) {
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
  edges <- if (model$kernel %in% graph_kernels) {
    .Call(ffi_graph_draw_positions, model$X, model$X %*% model$form, match(model$kernel, graph_kernels) - 1L,
          model$bandwidth, model$scale, options)
  } else {
    .Call(ffi_graph_draw_blocks, model$sizes, model$rates, as.double(model$weights), model$kernel == "sociable",
          options)
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
  paste0("Graph model: ", x$name, ", ", x$n, if (x$n == 1) " vertex" else " vertices",
         if (is.null(x$rates)) paste0(", dimension ", ncol(x$X)) else if (x$kernel == "blocks") {
           paste0(", ", count_of(length(x$sizes), "block"))
         })
}

#' @rdname graph_rdpg
#' @export
print.dptda_graph_model <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' @rdname graph_rdpg
#' @export
summary.dptda_graph_model <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_graph_model")
  edges <- expected_edges(object)
  structure(list(name = format(object), n = object$n, edges = edges, density = edges / choose(object$n, 2)),
            class = "summary.dptda_graph_model")
}

define_class("summary.dptda_graph_model", "summary()", name = is_one_string, n = is_one_number,
             edges = function(x) is.numeric(x) && length(x) == 1, density = function(x) is.numeric(x) && length(x) == 1)

#' @export
print.summary.dptda_graph_model <- function(x, ...) {
  check_valid(x, "summary.dptda_graph_model")
  cat(x$name, "\n", sep = "")
  if (!is.na(x$density)) {
    cat("Expected: ", format(x$edges, digits = 4), " edges, ", format(100 * x$density, digits = 3),
        " percent of the pairs\n", sep = "")
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
    # the first row on top, as a matrix is written
    graphics::image(seq_along(shown), seq_along(shown), t(P[rev(seq_along(shown)), , drop = FALSE]), asp = 1,
                    xlab = "", ylab = "", axes = FALSE, ...)
  }
  invisible(x)
}
