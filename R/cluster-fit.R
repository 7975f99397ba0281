#' Fit a Gaussian mixture by EM, without privacy
#'
#' Fits a mixture of Gaussians with full covariances by expectation and maximization (EM): what [private_mixture()]
#' would give if there were no noise to add, to compare it with, or to describe public data. **The result is not
#' private.**
#'
#' In each round every row is counted by its probability of being of each component, and the weights,
#' means and covariances of the components become those of the rows that were counted. The log likelihood grows in every
#' round, until it grows by less than `tolerance` a row. So that no component ends on a single row, no direction of it
#' may be narrower than the root of `floor` times the spread of all rows in that direction; a component that no row is
#' counted for stays where it was.
#'
#' @param x numeric matrix or data frame with one row per point, of finite numbers; at least one row. A
#'   vector is one column.
#' @param k integer from 1 to 10,000: how many components; not more than there are different rows. May be left out
#'   where `start` is given.
#' @param ... must be empty.
#' @param start `NULL`, or an object of class `dptda_mixture` in as many columns: the mixture of the first round.
#'   `NULL`: the best of five runs of [stats::kmeans()] on the scaled columns, drawn from R's stream.
#' @param rounds integer of at least 1: how many rounds at most.
#' @param tolerance number of at least 0: the growth of the mean log likelihood at which the rounds end.
#' @param floor number in (0, 1): see above.
#'
#' @return An object of class `dptda_mixture` (see [as_mixture()]) with an attribute `log_likelihood`, the log
#'   likelihood of the rows before each round.
#' @section Privacy:
#' None: the rows decide every number.
#' @section Implementation:
#' A round costs 2 `D^2` multiplications and an exponential for each row and component, in blocks of rows on vector
#' units and on `getOption("dptda.threads")` threads, with the same result for any number of them.
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
    P <- matrix(seen$product[(k - 1) * dimension^2 + seq_len(dimension^2)], dimension) * upper / seen$count[k]
    L <- matrix(seen$lower[(k - 1) * dimension^2 + seq_len(dimension^2)], dimension)
    mixture$means[k, ] <- mixture$means[k, ] + as.vector(L %*% m)
    S <- L %*% (P + t(P) - diag(diag(P), dimension) - tcrossprod(m)) %*% t(L)
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

# A covariance no narrower in any direction than `floor` times that of all rows.
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
