# Correlations of a private covariance. The noise of a covariance moves Fisher's z of each correlation like a normal
# sample would: inst/proofs/cluster-query.md, "Correlations".

#' Private correlations
#'
#' Releases the correlation of each pair of columns under differential privacy, or computes these correlations from a
#' release of [private_covariance()] at no further cost.
#'
#' @details
#' # Intervals
#' Intervals are computed for Fisher's z, `atanh(r)`. The noise of the covariance adds an error to z whose standard
#' deviation `tau` is the same for every pair. Rows far from the mean are shortened, which adds the variance
#' `shortening` for normal rows. `confint()` uses both by default. With `of = "population"`, the variance
#' `1 / (n - 3)` of sampling is added. If `tau` is above 0.1, or if rounds have not converged, the
#' interval is -1 to 1: use more rows, a larger budget, or a narrower box.
#'
#' Both intervals hold for roughly normal rows. Like the intervals of [stats::cor.test()], they are too short for rows
#' with heavy tails: for Student's t with 4 degrees of freedom, 95% intervals cover the population in about 90% of
#' samples. [private_covariance()] also shortens rows with heavy tails. `print()` warns if the release shows this.
#'
#' For people with several rows, there is no interval for the population.
#' @param x As for [private_covariance()], with at least two columns; or an object of class `dptda_private_covariance`,
#'   without further arguments. For covariances of groups, pass the covariance of one group, such as `fits[["f"]]`.
#' @inheritParams private_covariance
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_correlation`, a [private_value]: one number in \[-1, 1\] for each pair of
#' columns, named as in `"height, weight"`. `noise$scale` is `tau`, and `shortening` is the variance above. `n.obs`,
#' `far`, and `settled` are as in [private_covariance()]. `as.matrix()` returns the matrix of correlations, and `plot()`
#' draws it.
#' @inheritSection private_mixture Privacy
#' @section Implementation:
#' Correlations are computed from the released covariance. The proof is in `system.file("proofs", "cluster-query.md",
#' package = "dptda")`.
#' @references
#' Fisher, R. A. (1921). On the "probable error" of a coefficient of correlation deduced from a small sample. *Metron*
#' 1, 3-32.
#' @seealso [private_covariance()], [covariance_accuracy]
#' @concept correlation
#' @examples
#' X <- cbind(height = stats::rnorm(2000, 1.7, 0.1),
#'            weight = stats::rnorm(2000, 70, 10))
#' X[, "weight"] <- X[, "weight"] + 60 * (X[, "height"] - 1.7)
#' box <- domain_box(c(0.5, 10), c(2.5, 200))
#' private_cor(X, box, rho = 0.1)
#'
#' body <- private_covariance(X, box, rho = 0.1)
#' confint(private_cor(body), of = "population")
#' @export
private_cor <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                        budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  # with a box, `x` is evaluated by the release
  if (!missing(box)) {
    if (length(check_query_box(box)$lower) < 2) {
      stop_argument("box", "must have at least two sides, because a correlation is of two columns.")
    }
    x <- private_covariance(x, box, epsilon, rho, delta = delta, mu = mu, columns = columns, budget = budget, rng = rng)
    # unseen rows: the mechanism of the covariance
    return(if (inherits(x, "dptda_private_covariance")) correlations_of_release(x) else x)
  }
  if (inherits(x, "dptda_private_covariances")) {
    stop_argument("x", "has covariances of several groups. Use private_cor(x[[1]]) for the correlations of a group.")
  }
  if (!inherits(x, "dptda_private_covariance")) stop_missing("box")
  given <- setdiff(names(match.call())[-1], "x")
  if (length(given)) {
    stop_argument(given[1], "must be missing if `x` is a release, because correlations of a release cost nothing.")
  }
  correlations_of_release(x)
}

correlations_of_release <- function(x) {
  check_valid(x, "dptda_private_covariance")
  if (length(x$center) < 2) stop_argument("x", "must be a covariance of at least two columns.")
  found <- new_correlations(x)
  guarantee <- privacy(x)
  if (is.null(guarantee)) return(found)
  attach_guarantee(mark_draw(found, check_source(guarantee$random)), guarantee)
}

new_correlations <- function(fit) {
  columns <- covariance_columns(fit)
  pair <- correlation_pairs(length(columns))
  scale <- sqrt(diag(fit$cov))
  cor <- unname(fit$cov[pair] / (scale[pair[, 1]] * scale[pair[, 2]]))
  names <- paste(columns[pair[, 1]], columns[pair[, 2]], sep = ", ")
  new_private_value(structure(pmin(pmax(cor, -1), 1), names = names), new_noise("gaussian", correlation_noise(fit)),
                    columns = columns, n.obs = fit$n.obs, far = fit$far, settled = !isFALSE(fit$settled),
                    shortening = shortening_loss(fit) / fit$n.obs, class = "dptda_private_correlation")
}

# Each pair of columns once: the pairs with the first column, then the other pairs with the second column, and so on.
correlation_pairs <- function(D) {
  pair <- which(lower.tri(diag(D)), arr.ind = TRUE)
  unname(pair[, 2:1, drop = FALSE])
}

# Returns tau. The noise variance of a covariance is tau^2 (S_ii S_jj + S_ij^2) + c S_ij^2, where c is the noise of the
# trace. A correlation does not depend on c. The diagonal gives c, and pairs are weighted by how well they give tau.
correlation_noise <- function(fit) {
  if (!all(is.finite(fit$noise))) return(Inf)
  pair <- correlation_pairs(length(fit$center))
  scale <- diag(fit$cov)
  relative <- fit$noise^2 / tcrossprod(scale)
  r2 <- pmin(fit$cov[pair]^2 / (scale[pair[, 1]] * scale[pair[, 2]]), 1)
  own <- sqrt(diag(relative)[pair[, 1]] * diag(relative)[pair[, 2]])
  open <- 1 - r2
  if (sum(open^2) < 1e-12) return(sqrt(mean(own) / 2))
  sqrt(max(sum(open * (relative[pair] - r2 * own)) / sum(open^2), 0))
}

# Returns n times the variance by which shortening of normal rows moves Fisher's z. If the release does not state the
# length, it is at least that of the first rounds.
shortening_loss <- function(fit) {
  D <- length(fit$center)
  square <- if (is.null(fit$far)) D * least_stretch(D) else fit$far[["radius"]]^2
  moments <- c(1, D, D * (D + 2))
  beyond <- moments * stats::pchisq(square, D + 2 * 0:2, lower.tail = FALSE)
  longer <- D / (D - beyond[2] + square * beyond[1])
  within <- (longer - 1)^2 * (moments[3] - beyond[3])
  (within + sum(beyond * c((longer * square)^2, -2 * longer * square, 1))) / moments[3]
}

define_class("dptda_private_correlation", "private_cor()", .bare = is_made("dptda_private_value"),
             .valid = function(x) {
               D <- length(x$columns)
               D >= 2 && length(x) == D * (D - 1) / 2 && is_one_number(x$n.obs) && is_one_number(x$shortening)
             })

# Noise is added to the covariance.
added_noise.dptda_private_correlation <- function(x) NULL

# Returns the interval of Fisher's z with this variance beside that of the noise, as correlations. Larger noise is not
# normal: its first order is not enough (simulated: coverage falls below 90% for tau above 0.12).
fisher_ends <- function(x, level, variance) {
  tau <- x$noise$scale
  if (tau > 0.1 || !x$settled) return(matrix(rep(c(-1, 1), each = length(x)), ncol = 2))
  off <- stats::qnorm((1 + level) / 2) * sqrt(tau^2 + variance)
  z <- atanh(as.vector(plain_value(x)))
  cbind(tanh(z - off), tanh(z + off), deparse.level = 0)
}

value_ends.dptda_private_correlation <- function(x, level) fisher_ends(x, level, x$shortening)

value_half_width.dptda_private_correlation <- function(x, level = 0.95) {
  ends <- value_ends(x, level)
  value <- as.vector(plain_value(x))
  pmax(ends[, 2] - value, value - ends[, 1])
}

# Sampling of several rows per person is not that of independent rows.
population_ends.dptda_private_correlation <- function(x, level) {
  if (!is.null(privacy(x)$person)) return(NULL)
  fisher_ends(x, level, x$shortening + 1 / max(x$n.obs - 3, 0))
}

population_reason.dptda_private_correlation <- function(x) {
  "because sampling of several rows per person is not that of independent rows"
}

value_words.dptda_private_correlation <- function(x) {
  if (x$noise$scale > 0.1 || !x$settled) {
    strwrap("Noise hides these correlations. Use more rows, a larger budget, or a narrower box.")
  } else if (!is.null(x$far) && is_heavy(x$far)) {
    strwrap(paste("Warning: tails are heavier than normal. Rows far from the mean were shortened, and both intervals",
                  "are too short."))
  }
}

#' @export
as.matrix.dptda_private_correlation <- function(x, ...) {
  check_valid(x, "dptda_private_correlation")
  D <- length(x$columns)
  cor <- diag(D)
  pair <- correlation_pairs(D)
  cor[pair] <- cor[pair[, 2:1, drop = FALSE]] <- plain_value(x)
  dimnames(cor) <- list(x$columns, x$columns)
  cor
}

# Correlations are noisy if 0 is in their interval for the rows.
pairs_to_draw <- function(x) {
  D <- length(x$columns)
  ends <- value_ends(x, 0.95)
  noisy <- matrix(FALSE, D, D)
  noisy[correlation_pairs(D)] <- ends[, 1] <= 0 & ends[, 2] >= 0
  cells_of_pairs(as.matrix(x), noisy | t(noisy), x$columns)
}

#' @rdname private_cor
#' @param main A string: the title. By default, the name of the release. Use `""` for no title.
#' @export
plot.dptda_private_correlation <- function(x, main = NULL, ...) {
  check_valid(x, "dptda_private_correlation")
  plot_correlations(x, pairs_to_draw(x), main, ...)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_correlation <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  correlation_tiles(object, pairs_to_draw(object))
}
