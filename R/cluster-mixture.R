# Mixtures of normal distributions: the class, and what follows from a mixture alone. Nothing here sees data but the
# rows that `predict()` is given, so nothing here costs privacy.

#' Gaussian mixtures
#'
#' Makes a mixture of normal distributions of a list of its numbers, of a fit of the package mclust or of
#' [private_kmeans()]. Methods label rows, evaluate the density, simulate and draw; [cluster_morse()] merges the
#' components into clusters.
#'
#' The density is \eqn{p(x) = \sum_k w_k N(x; \mu_k, \Sigma_k)}{p(x) = sum_k w_k N(x; mu_k, Sigma_k)}. A list has the
#' fields `weights` (K positive numbers, which are divided by their sum), `means` (a K x D numeric matrix, or K numbers
#' in one dimension) and `covariances` (a D x D x K array, or a list of K matrices, or K variances in one dimension;
#' symmetric and positive definite). What is made of `private_kmeans(covariance = TRUE)` carries its guarantee.
#'
#' @section Privacy:
#' A mixture is what it was made of: one that was fitted to data without noise is not private, one that was made of
#' public numbers or released is, and all that is computed from it by these methods costs nothing more. The labels of
#' rows are a function of these rows: labels of private rows are as private as the rows.
#'
#' @section Implementation:
#' Densities are kept as logarithms and added by their largest, and each covariance is factored once, in units of its
#' own standard deviations; so a density below all doubles still has its logarithm, probabilities and labels, up to
#' `1e150` standard deviations from all centers. Further away, and at infinite coordinates, the log density is `-Inf`,
#' and labels and probabilities are `NA`. Rows cost O(rows x K x D^2).
#'
#' @param x for `as_mixture()`: a list of `weights`, `means` and `covariances` (see *Details*), a result of
#'   `mclust::Mclust()` without a noise component, or one of `private_kmeans(covariance = TRUE)`. Otherwise an object
#'   of class `dptda_mixture`.
#' @param ... must be empty; for `plot()`, graphical parameters for the ellipses ([graphics::polygon()]) or, in one
#'   dimension, the curve ([graphics::lines()]).
#' @param object an object of class `dptda_mixture`.
#' @param newdata numeric matrix or data frame with D columns, matched by name where both have names; a numeric vector
#'   in one dimension. Rows with missing values give `NA`.
#' @param type string: `"label"`, the component with the largest part of the density (of equal ones the first),
#'   `"probability"` of each component, or `"logdensity"`.
#' @param nsim integer: how many rows to draw.
#' @param seed integer or `NULL`: the seed of the draws ([set.seed()]); the generator is then left as it was found.
#' @param columns vector of column names or numbers, or `NULL`: the columns to show; `NULL`: the first four.
#' @param level number in (0, 1): the part of each component that its ellipse holds.
#' @param data numeric matrix or data frame with D columns, or `NULL`: points to draw beneath. A picture of private
#'   points is not private.
#' @param col vector of colors, one for each component, or `NULL`.
#' @param main string or `NULL`: title.
#' @return `as_mixture()`: an object of class `dptda_mixture`, a list of `weights`, `means` (K x D, with column names if
#'   known) and `covariances` (D x D x K). `predict()`: a vector of integers, an n x K matrix, or a vector of
#'   numbers, with the names of the rows of `newdata` where these were given names. `simulate()`: a matrix with `nsim`
#'   rows, the component of each in the attribute `component`. `summary()`: a data frame with one row for each
#'   component: its weight, its means, and its standard deviations along the columns. `print()` and `plot()`: `x`,
#'   invisibly.
#' @examples
#' model <- as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)),
#'                          covariances = list(diag(2),
#'                                             matrix(c(1, .8, .8, 1), 2))))
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

# In units of the standard deviations, as the kernel looks at them.
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

# n x K: the log of each component's part of the density.
mixture_log_parts <- function(mixture, x) {
  .Call(ffi_cluster_log_parts, mixture$weights, unname(mixture$means), as.double(mixture$covariances), unname(x),
        kernel_options(progress = kernel_progress("Mixture")))
}

# log(sum(exp())) of the rows; -Inf where all are.
row_log_sums <- function(parts) {
  highest <- row_maxima(parts)
  shift <- ifelse(is.finite(highest), highest, 0)
  shift + log(rowSums(exp(parts - shift)))
}

row_maxima <- function(parts) do.call(pmax, lapply(seq_len(ncol(parts)), function(k) parts[, k]))

# The component with the largest part, the first of equal ones; NA where nothing can be told.
largest_part <- function(parts) {
  highest <- row_maxima(parts)
  label <- rep(NA_integer_, nrow(parts))
  for (k in rev(seq_len(ncol(parts)))) label[is.finite(highest) & parts[, k] == highest] <- k
  label
}

# Rows of new data, which may be none and may have missing values.
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

# "x1", "x2" where there are no names.
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
#' @param n integer: the most components and columns to print.
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
