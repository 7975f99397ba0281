# Mixtures of normal distributions: the class and its methods. They use no data except the rows given to `predict()`, so
# they have no privacy cost.

#' Gaussian mixtures
#'
#' `as_mixture()` makes a mixture of Gaussians from a list of parameters, a fit of the package mclust, or a release of
#' [private_kmeans()]. Methods label rows, evaluate the density, simulate, and plot. [cluster_morse()] merges components
#' into clusters.
#'
#' The density is \eqn{p(x) = \sum_k w_k N(x; \mu_k, \Sigma_k)}{p(x) = sum_k w_k N(x; mu_k, Sigma_k)}. A list has the
#' following fields, for K components in D dimensions:
#'
#' * `weights`: K positive numbers, which are divided by their sum.
#' * `means`: a K x D numeric matrix, or K numbers in one dimension.
#' * `covariances`: a D x D x K array or a list of K matrices, symmetric and positive definite, or K variances in one
#'   dimension.
#'
#' @section Privacy:
#' A mixture is as private as its source. A mixture that was fitted to data without noise is not private. A mixture from
#' public numbers, or from a release, can be published, and computations on it by these methods cost no further
#' privacy. A mixture from `private_kmeans(covariance = TRUE)` keeps the guarantee of the release. Labels of rows are a
#' function of these rows: labels of private rows are as private as the rows.
#'
#' @section Implementation:
#' Densities are computed as logarithms, and each covariance is factored once, in units of its own standard deviations.
#' Densities below the smallest double therefore still have logarithms, probabilities, and labels, up to `1e150`
#' standard deviations from all centers. Beyond that, and at infinite coordinates, the log density is `-Inf`, and labels
#' and probabilities are `NA`. The cost is O(rows x K x D^2).
#'
#' @param x For `as_mixture()`: a list of `weights`, `means`, and `covariances` (see *Details*), a result of
#'   `mclust::Mclust()` without a noise component, or a result of `private_kmeans(covariance = TRUE)`. For methods, an
#'   object of class `dptda_mixture`.
#' @param ... For `plot()`, graphical parameters of the ellipses ([graphics::polygon()]) or, in one dimension, of the
#'   curve ([graphics::lines()]). Otherwise not used.
#' @param object An object of class `dptda_mixture`.
#' @param newdata A numeric matrix or data frame with D columns, matched by name if both have names. In one dimension
#'   also a numeric vector. Rows with missing values give `NA`.
#' @param type A string: `"label"` for the component with the largest share of the density (the first one if several are
#'   equal), `"probability"` for the probability of each component, or `"logdensity"`.
#' @param nsim An integer: the number of rows to draw.
#' @param seed `NULL`, or an integer: the seed of the draws ([set.seed()]). The state of R's generator is restored
#'   afterwards.
#' @param columns `NULL`, or a vector of column names or numbers: the columns to show. By default, the first four.
#' @param level One number in (0, 1): the fraction of each component that its ellipse contains.
#' @param data `NULL`, or a numeric matrix or data frame with D columns: points to draw below the ellipses. A picture of
#'   private points is not private.
#' @param col `NULL`, or a vector of colors, one per component.
#' @param main `NULL`, or a string: the title.
#' @return
#' * `as_mixture()`: an object of class `dptda_mixture`, a list of `weights`, `means` (K x D, with column names if
#'   known), and `covariances` (D x D x K).
#' * `predict()`: a vector of integers, an n x K matrix, or a numeric vector. It keeps row names of `newdata`.
#' * `simulate()`: a matrix with `nsim` rows, and the component of each row in the attribute `component`.
#' * `summary()`: a data frame with one row per component: its weight, its means, and its standard deviations.
#' * `print()` and `plot()`: `x`, invisibly.
#' @examples
#' model <- as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)),
#'                          covariances = list(diag(2),
#'                                             matrix(c(1, 0.8, 0.8, 1), 2))))
#' model
#' X <- simulate(model, 200, seed = 1)
#' table(predict(model, X), attr(X, "component"))
#' head(predict(model, X, type = "probability"), 3)
#' plot(model, data = X)
#' @order 1
#' @export
as_mixture <- function(x, ...) {
  if (missing(x)) stop_missing("x")
  UseMethod("as_mixture")
}

#' @export
as_mixture.default <- function(x, ...) {
  stop_argument("x", "must be a list with the fields `weights`, `means` and `covariances`, or a fit of mclust, not ",
                describe_data(x), ".")
}

#' @export
as_mixture.dptda_mixture <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_mixture")
}

#' @export
as_mixture.list <- function(x, ...) {
  check_no_dots(...)
  weights <- check_weight_list(.subset2(x, "weights"))
  means <- check_mean_list(.subset2(x, "means"), length(weights))
  covariances <- check_covariance_list(.subset2(x, "covariances"), length(weights), ncol(means))
  new_mixture(weights / sum(weights), means, covariances)
}

# The fields of a fit of the package mclust, read without it.
#' @export
as_mixture.Mclust <- function(x, ...) {
  check_no_dots(...)
  parameters <- .subset2(x, "parameters")
  if (!is.list(parameters) || !is.list(parameters$variance)) stop_argument("x", "must be as mclust::Mclust() made it.")
  if (!is.null(parameters$Vinv)) stop_argument("x", "must be fitted without a noise component, which has no density.")
  sigma <- parameters$variance[["sigma"]] # not that of `sigmasq`
  K <- length(parameters$pro)
  # in one dimension, the variances, one for all or each
  if (is.null(sigma)) sigma <- rep_len(parameters$variance$sigmasq, K)
  means <- if (is.matrix(parameters$mean)) t(parameters$mean) else matrix(parameters$mean, ncol = 1)
  if (is.matrix(means) && !are_names(colnames(means))) dimnames(means) <- NULL
  rownames(means) <- NULL
  as_mixture.list(list(weights = parameters$pro, means = means, covariances = unname(sigma)))
}

check_weight_list <- function(weights) {
  if (!is_numbers(weights) || !is.null(dim(weights)) || length(weights) == 0 || !all(weights > 0) ||
      !is.finite(sum(weights)) || any(weights / sum(weights) < 1e-300)) {
    stop_argument("x", "must have `weights`, positive numbers.")
  }
  as.double(weights)
}

check_mean_list <- function(means, K) {
  if (is.data.frame(means)) means <- as.matrix(means)
  if (is_plain_numeric(means) && is.null(dim(means))) means <- matrix(means, ncol = 1)
  if (!is_number_matrix(means) || nrow(means) != K || ncol(means) == 0 || !all(is.finite(means))) {
    stop_argument("x", "must have `means`, a matrix of finite numbers with one row per weight.")
  }
  names <- if (are_names(colnames(means))) colnames(means)
  matrix(as.double(means), K, dimnames = if (!is.null(names)) list(NULL, names))
}

check_covariance_list <- function(covariances, K, D) {
  if (is.list(covariances)) {
    fits <- length(covariances) == K && all(vapply(covariances, function(S) is_numbers(S) && length(S) == D^2, NA))
    covariances <- if (fits) unlist(lapply(covariances, as.vector))
  }
  if (!is_numbers(covariances) || length(covariances) != D^2 * K || !all(is.finite(covariances))) {
    stop_argument("x",
                  "must have `covariances`, one matrix of finite numbers per weight, as wide as `means`.")
  }
  covariances <- array(as.double(covariances), c(D, D, K))
  if (!are_covariances(covariances)) stop_argument("x", "must have symmetric and positive definite `covariances`.")
  # to the last bit
  (covariances + aperm(covariances, c(2, 1, 3))) / 2
}

new_mixture <- function(weights, means, covariances, columns = NULL) {
  if (!is.null(columns)) colnames(means) <- columns
  new_result(list(weights = weights, means = means, covariances = covariances), "dptda_mixture")
}

define_class("dptda_mixture", "as_mixture()",
             weights = function(x) is_numbers(x) && length(x) > 0 && all(x > 0) && abs(sum(x) - 1) < 1e-8,
             means = function(x) is_number_matrix(x) && is.double(x) && all(is.finite(x)) && ncol(x) > 0,
             covariances = function(x) is_numbers(x) && is.double(x) && length(dim(x)) == 3 && are_covariances(x),
             .valid = function(x) {
               K <- length(x$weights)
               is.double(x$weights) && nrow(x$means) == K &&
                 identical(as.double(dim(x$covariances)), as.double(c(ncol(x$means), ncol(x$means), K)))
             })

# In units of the standard deviations, as the kernel expects.
are_covariances <- function(covariances) {
  all(vapply(seq_len(dim(covariances)[3]), function(k) is_covariance(as_square(covariances, k)), NA))
}

is_covariance <- function(S) {
  variances <- diag(S)
  if (!all(is.finite(S)) || !all(variances > 0)) return(FALSE)
  scaled <- S / sqrt(variances) / rep(sqrt(variances), each = nrow(S))
  isSymmetric(scaled, tol = 1e-8, check.attributes = FALSE) && !is.null(value_or(chol(scaled), NULL))
}

as_square <- function(covariances, k) matrix(covariances[, , k], dim(covariances)[1])

# n x K: the log of each component's share of the density.
mixture_log_parts <- function(mixture, x) {
  .Call(ffi_cluster_log_parts, mixture$weights, unname(mixture$means), as.double(mixture$covariances), unname(x),
        kernel_options(progress = kernel_progress("Mixture")))
}

# log(sum(exp())) of each row; -Inf if all its entries are.
row_log_sums <- function(parts) {
  highest <- row_maxima(parts)
  shift <- ifelse(is.finite(highest), highest, 0)
  shift + log(rowSums(exp(parts - shift)))
}

row_maxima <- function(parts) do.call(pmax, lapply(seq_len(ncol(parts)), function(k) parts[, k]))

# The component with the largest share, the first one for ties, or NA if no share is finite.
largest_part <- function(parts) {
  highest <- row_maxima(parts)
  label <- rep(NA_integer_, nrow(parts))
  for (k in rev(seq_len(ncol(parts)))) label[is.finite(highest) & parts[, k] == highest] <- k
  label
}

# Rows of new data: possibly none, possibly with missing values.
check_newdata <- function(x, mixture, arg = "newdata") {
  columns <- colnames(mixture$means)
  x <- plain_matrix(x, ncol(mixture$means) == 1, arg, columns)
  x <- match_columns(x, columns, arg, "the mixture")
  if (ncol(x) != ncol(mixture$means)) {
    stop_argument(arg, "must have ", count_of(ncol(mixture$means), "column"), ", like the means of the mixture, not ",
                  ncol(x), ".")
  }
  storage.mode(x) <- "double"
  x
}

#' @rdname as_mixture
#' @export
predict.dptda_mixture <- function(object, newdata, type = c("label", "probability", "logdensity"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_mixture")
  if (missing(newdata)) stop_missing("newdata")
  X <- check_newdata(newdata, object)
  type <- check_choice(type, c("label", "probability", "logdensity"))
  parts <- mixture_log_parts(object, X)
  if (type == "label") return(name_rows(largest_part(parts), newdata))
  total <- row_log_sums(parts)
  total[is.nan(total)] <- NA
  if (type == "logdensity") return(name_rows(total, newdata))
  probability <- exp(parts - ifelse(is.finite(total), total, NA))
  name_rows(probability / rowSums(probability), newdata)
}

#' @rdname as_mixture
#' @importFrom stats simulate
#' @export
simulate.dptda_mixture <- function(object, nsim = 1, seed = NULL, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_mixture")
  nsim <- check_count(nsim, upper = 2^31 - 1)
  drawn <- with_seed(seed, .Call(ffi_cluster_draw, object$weights, unname(object$means), as.double(object$covariances),
                                 nsim, kernel_options("R")))
  X <- drawn$X
  colnames(X) <- colnames(object$means)
  structure(X, component = as.integer(drawn$component))
}

# Returns names of columns, "x1", "x2" by default.
mixture_columns <- function(mixture) {
  D <- ncol(mixture$means)
  if (is.null(colnames(mixture$means))) paste0("x", seq_len(D)) else colnames(mixture$means)
}

#' @rdname as_mixture
#' @export
summary.dptda_mixture <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_mixture")
  D <- ncol(object$means)
  sd <- t(apply(object$covariances, 3, function(S) sqrt(S[(seq_len(D) - 1) * D + seq_len(D)])))
  if (D == 1) sd <- t(sd)
  columns <- mixture_columns(object)
  table <- data.frame(object$weights, object$means, sd)
  names(table) <- c("weight", paste0("mean.", columns), paste0("sd.", columns))
  table
}

#' @rdname as_mixture
#' @param n An integer: the largest number of components and columns to print.
#' @export
print.dptda_mixture <- function(x, n = 8, ...) {
  check_valid(x, "dptda_mixture")
  n <- check_count(n)
  K <- length(x$weights)
  D <- ncol(x$means)
  cat("<mixture> ", count_of(K, "component"), " in ", count_of(D, "dimension"), "\n", sep = "")
  heaviest <- order(-x$weights)[seq_len(min(n, K))]
  shown <- seq_len(min(n, D))
  table <- data.frame(x$weights[heaviest], x$means[heaviest, shown, drop = FALSE], row.names = heaviest)
  columns <- mixture_columns(x)[shown]
  names(table) <- c(if ("weight" %in% columns) "share" else "weight", columns)
  if (nrow(table)) print(table, digits = 3)
  hidden <- c(if (K > n) count_of(K - n, "lighter component"), if (D > n) count_of(D - n, "column"))
  if (length(hidden)) cat("and ", paste(hidden, collapse = " and "), " more\n", sep = "")
  invisible(x)
}
