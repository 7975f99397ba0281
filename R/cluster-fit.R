#' Fit a Gaussian mixture by EM, without privacy
#'
#' `fit_mixture()` fits a mixture of Gaussians with full covariances by expectation maximization (EM). Use it to compare
#' [private_mixture()] with a fit without noise, or to describe public data. **The result is not private.**
#'
#' Each round shares every row among the components by their probabilities. The weights, means, and covariances of the
#' shared rows are the next model. The log likelihood increases in every round. Rounds end when it increases by less
#' than `tolerance` per row.
#'
#' No component can shrink to a single row: its standard deviation in any direction is at least `sqrt(floor)` times the
#' standard deviation of all rows in that direction. A component without rows stays unchanged.
#'
#' @param x A numeric matrix or data frame with one row per point, of finite numbers, or a vector for one column. At
#'   least one row.
#' @param k An integer from 1 to 10,000: the number of components, at most the number of different rows. Optional if you
#'   supply `start`.
#' @param ... Not used. Later arguments must be named.
#' @param start `NULL`, or an object of class `dptda_mixture` with as many columns: the model of the first round. By
#'   default, the best of five runs of [stats::kmeans()] on the scaled columns, drawn from R's stream.
#' @param rounds An integer, at least 1: the largest number of rounds.
#' @param tolerance One number, at least 0: rounds end if the mean log likelihood increases by less.
#' @param floor One number in (0, 1): the smallest variance of a component in any direction, as a fraction of the
#'   variance of all rows in that direction.
#'
#' @return An object of class `dptda_mixture` (see [as_mixture()]) with an attribute `log_likelihood`, the log
#'   likelihood of the rows before each round.
#' @section Privacy:
#' None: the rows determine every number.
#' @section Implementation:
#' A round costs `2 * D^2` multiplications and one exponential per row and component. It uses vector instructions and
#' `getOption("dptda.threads")` threads. The result is the same for any number of threads.
#' @references
#' Dempster, A. P., Laird, N. M. and Rubin, D. B. (1977). Maximum likelihood from incomplete data via the EM
#' algorithm. *Journal of the Royal Statistical Society B* 39, 1-38.
#' @seealso [private_mixture()], [cluster_morse()]
#' @examples
#' set.seed(1)
#' X <- rbind(matrix(rnorm(400), 200), matrix(rnorm(400, 4, 0.5), 200))
#' model <- fit_mixture(X, 2)
#' model
#' plot(model, data = X)
#' @export
fit_mixture <- function(x, k = NULL, ..., start = NULL, rounds = 100, tolerance = 1e-6, floor = 1e-6) {
  check_no_dots(...)
  x <- check_points(x, columns = if (is.null(dim(x))) 1)
  if (ncol(x) == 0) stop_argument("x", "must have at least one column.")
  if (!all(is.finite(x))) stop_argument("x", "must have finite numbers only.")
  if (!is.null(k)) k <- check_count(k, 1, 10000)
  start <- check_fit_start(start, k, ncol(x))
  rounds <- check_count(rounds, 1)
  tolerance <- check_number(tolerance, 0)
  floor <- check_number(floor, 0, 1, open_lower = TRUE, open_upper = TRUE)
  spread <- overall_spread(x)
  if (is.null(start)) start <- kmeans_start(x, k, spread, floor)
  fit_rounds(x, start, spread, rounds, tolerance, floor)
}

check_fit_start <- function(start, k, dimension) {
  if (is.null(start)) {
    if (is.null(k)) stop_argument("k", "must be given if there is no `start`.")
    return(NULL)
  }
  check_class(start, "dptda_mixture", "as_mixture()")
  if (ncol(start$means) != dimension) {
    stop_argument("start", "must have ", count_of(dimension, "column"), ", like `x`, not ", ncol(start$means), ".")
  }
  if (!is.null(k) && length(start$weights) != k) {
    stop_argument("start", "must have ", count_of(k, "component"), ", as `k` says, not ", length(start$weights), ".")
  }
  start
}

fit_rounds <- function(x, mixture, spread, rounds, tolerance, floor) {
  columns <- colnames(x)
  x <- unname(x)
  trace <- double()
  repeat {
    seen <- .Call(ffi_cluster_fit, mixture$weights, unname(mixture$means), as.double(mixture$covariances), x,
                  kernel_options(progress = kernel_progress("A round of the fit")))
    trace <- c(trace, seen$log_likelihood)
    done <- length(trace)
    if (done > 1 && trace[done] - trace[done - 1] <= tolerance * nrow(x)) break
    mixture <- maximize_mixture(mixture, seen, spread, floor)
    if (done == rounds) break
  }
  structure(new_mixture(mixture$weights, mixture$means, mixture$covariances, columns), log_likelihood = trace)
}

# The mixture that the sums of a round make likeliest.
maximize_mixture <- function(mixture, seen, spread, floor) {
  dimension <- ncol(mixture$means)
  K <- length(mixture$weights)
  upper <- upper.tri(diag(dimension), diag = TRUE)
  sums <- matrix(seen$sum, dimension)
  for (k in which(seen$count > 1e-8)) {
    m <- sums[, k] / seen$count[k]
    P <- seen$product[(k - 1) * dimension^2 + seq_len(dimension^2)][upper] / seen$count[k]
    L <- matrix(seen$lower[(k - 1) * dimension^2 + seq_len(dimension^2)], dimension)
    mixture$means[k, ] <- mixture$means[k, ] + as.vector(L %*% m)
    S <- L %*% (matrix_of_triangle(P, dimension) - tcrossprod(m)) %*% t(L)
    mixture$covariances[, , k] <- keep_width(S, spread, floor)
  }
  count <- pmax(seen$count, 1e-8)
  mixture$weights <- count / sum(count)
  mixture
}

# The spread of all rows: a factor of their covariance, and its inverse. Columns that are constant, or sums of
# others, have a small width of their own.
overall_spread <- function(X) {
  scale <- apply(X, 2, function(x) stats::sd(x - x[1]))
  scale <- ifelse(is.finite(scale) & scale > 0, scale, pmax(abs(X[1, ]) * 1e-6, 1e-100))
  Z <- (X - rep(X[1, ], each = nrow(X))) / rep(scale, each = nrow(X))
  Z <- Z - rep(colMeans(Z), each = nrow(X))
  R <- bound_eigenvalues(crossprod(Z) / nrow(X), 1e-6, Inf)
  factor <- scale * t(chol(R))
  list(scale = scale, factor = factor, inverse = forwardsolve(factor, diag(ncol(X))), covariance = tcrossprod(factor))
}

# Widens a covariance in each direction to at least `floor` times the covariance of all rows.
keep_width <- function(S, spread, floor) {
  S <- spread$inverse %*% S %*% t(spread$inverse)
  S <- spread$factor %*% bound_eigenvalues(S, floor, Inf) %*% t(spread$factor)
  (S + t(S)) / 2
}

kmeans_start <- function(x, k, spread, floor) {
  Z <- x / rep(spread$scale, each = nrow(x))
  if (nrow(unique(Z)) < k) stop_argument("k", "must be at most the number of different rows.")
  labels <- if (k == nrow(x)) seq_len(k) else {
    suppressWarnings(stats::kmeans(Z, k, iter.max = 30, nstart = if (k > 1) 5 else 1)$cluster)
  }
  mixture <- list(weights = tabulate(labels, k) / nrow(x), means = matrix(0, k, ncol(x)),
                  covariances = array(0, c(ncol(x), ncol(x), k)))
  for (k in seq_len(k)) {
    rows <- x[labels == k, , drop = FALSE]
    mixture$means[k, ] <- colMeans(rows)
    away <- rows - rep(mixture$means[k, ], each = nrow(rows))
    mixture$covariances[, , k] <- keep_width(crossprod(away) / nrow(rows), spread, floor)
  }
  mixture
}
