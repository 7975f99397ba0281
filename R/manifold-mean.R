#' Frechet mean and geometric median on a manifold
#'
#' Computes the Frechet mean or the geometric median of points on a manifold, which have the least mean squared
#' distance to the data, or the least mean distance, and a bound of the error with which it was computed. The result is
#' not private; [private_frechet_mean()] is.
#'
#' By default `tolerance` is 1e-12 for a mean and 1e-10 for a median, times the distance of the farthest point, or what
#' rounding errors allow, if that is more.
#'
#' @param x Points of the manifold, in one of the forms of [manifold].
#' @inheritParams manifold_geometry
#' @param weights Numeric vector, one finite number of at least 0 for each
#'   point, or `NULL`: all equal. Only their ratios matter.
#' @param type `"mean"` or `"median"`.
#' @param tolerance `NULL` or one positive number. For a mean: stop where the gradient is at most this long, in units
#'   of the distance. For a median: where the mean distance is at most this far above its least, in the same units.
#' @param max_iterations `NULL` or one whole number of at least 0. Default: as many
#'   as it takes, with a proof that this ends where the points lie within a ball of
#'   the radius that [frechet_sensitivity()] asks for; 500 otherwise.
#' @return An object of class `dptda_frechet_mean`, a list:
#' \describe{
#'   \item{`point`}{The mean, in the form of one point. (Of [private_frechet_mean()] it is `value`, the name that what
#'     is released has in every release.)} \item{`error`}{For a mean, a bound of the distance between `point` and the
#'     true mean, in units of the distance. For a median, a bound of the difference between the mean distance at `point`
#'     and the least one. `Inf` where nothing is proved. Rounding errors are included.} \item{`certified`}{`TRUE` if the
#'     tolerance was reached and `error` is finite; otherwise there was a warning.} \item{`gradient`}{The length of the
#'     gradient at `point` (for a median, of the shortest subgradient).} \item{`variance`}{For a mean, the mean squared
#'     distance to the points.} \item{`deviation`}{For a median, the mean distance to the points.} \item{`radius`}{The
#'     distance from `point` to the farthest point of positive weight.} \item{`iterations`}{The steps taken.}
#'     \item{`type`, `manifold`}{As given.} }
#'
#' @section Bound of the error:
#' The mean is certified where all points are nearer to it than half the
#' injectivity radius and than \eqn{\pi / (2 \sqrt\kappa)}{pi / (2 sqrt(kappa))}, with
#' \eqn{\kappa}{kappa} the upper bound of the curvature: it is then the only one. Points
#' that are spread wider, such as all over a sphere, may have several means, and
#' the descent may end at a local one; the result says so in `certified`, with a
#' warning of class `dptda_warning_uncertified`. On spaces without positive
#' curvature and without loops, such as [manifold_spd()], every mean is certified. A median is
#' certified up to half of that radius, and need not be unique.
#'
#' What rounding may have done to each logarithm is bounded from its own numbers
#' (condition of correlation matrices, distances between points of the
#' hyperboloid) and added: far from the origin of [manifold_hyperbolic()] and near
#' the edge of [manifold_spd()] doubles hold few digits of a point, and `error` says how few. The
#' proofs are in `system.file("proofs/manifold-mean.md", package = "dptda")`.
#'
#' @section Implementation:
#' Gradient descent in C with step lengths from the curvature seen along the way,
#' one logarithm per point and iteration; 4 to 10 iterations, one on flat manifolds. The
#' bound of rounding errors costs as much as one to three iterations more.
#' The median takes steps in the manner of Weiszfeld, 10 to 50 of them. Sums are compensated and do
#' not depend on the number of threads (option `dptda.threads`).
#' @references
#' Afsari, B. (2011). Riemannian Lp center of mass: existence, uniqueness, and
#' convexity. *Proceedings of the American Mathematical Society* 139, 655-673.
#'
#' Fletcher, P. T., Venkatasubramanian, S. and Joshi, S. (2009). The geometric
#' median on Riemannian manifolds with application to robust atlas estimation.
#' *NeuroImage* 45, S143-S152.
#'
#' Karcher, H. (1977). Riemannian center of mass and mollifier smoothing.
#' *Communications on Pure and Applied Mathematics* 30, 509-541.
#' @examples
#' X <- rbind(c(1, 0, 0), c(0, 1, 0), c(0, 0, 1))
#' frechet_mean(X, manifold_sphere(2))
#'
#' # the geometric mean of covariance matrices
#' A <- array(c(2, 1, 1, 1, 1, 0, 0, 3), c(2, 2, 2))
#' frechet_mean(A, manifold_spd(2))$point
#' frechet_mean(A, manifold_spd(2), type = "median")$deviation
#' @export
frechet_mean <- function(x, manifold, ..., weights = NULL, type = c("mean", "median"), tolerance = NULL,
                         max_iterations = NULL) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(manifold)) stop_missing_manifold(x, deparse1(substitute(x)), "frechet_mean")
  check_manifold(manifold)
  points <- check_manifold_points(x, manifold)
  if (ncol(points) == 0) stop_argument("x", "must have at least one point.")
  weights <- check_mean_weights(weights, ncol(points))
  type <- check_choice(type, c("mean", "median"))
  if (!is.null(tolerance)) tolerance <- check_number(tolerance, 0, open_lower = TRUE)
  if (!is.null(max_iterations)) max_iterations <- check_count(max_iterations, 0)
  options <- list(median = type == "median", tolerance = if (is.null(tolerance)) 0 else tolerance,
                  steps = if (is.null(max_iterations)) 500 else max_iterations, sure = is.null(max_iterations))
  new_frechet_mean(find_mean(points, manifold, weights, options), manifold, type)
}

# list(point, gradient, error, value, radius, iterations, converged) for points
# that are the columns of P.
find_mean <- function(P, manifold, weights, options) {
  if (manifold$kind == "product" && !options$median) return(find_product_mean(P, manifold, weights, options))
  found <- .Call(ffi_manifold_mean, manifold, P, weights, options$median, options$tolerance, options$steps,
                 options$sure,
                 kernel_options())
  facts <- c("gradient", "error", "value", "radius", "iterations", "converged")
  c(list(point = found$point), structure(as.list(found$facts), names = facts))
}

# Squared distances add up over the factors, so the mean is that of each factor;
# found one by one, each is certified by its own curvature and radius.
find_product_mean <- function(P, manifold, weights, options) {
  options$tolerance <- options$tolerance / sqrt(length(manifold$factors))
  parts <- Map(function(rows, factor) find_mean(P[rows, , drop = FALSE], factor, weights, options),
               factor_rows(manifold), manifold$factors)
  fact <- function(name) vapply(parts, `[[`, 0, name)
  point <- do.call(rbind, lapply(parts, `[[`, "point"))
  heavy <- if (is.null(weights)) TRUE else weights > 0
  distances <- .Call(ffi_manifold_distance, manifold, point, P[, heavy, drop = FALSE], kernel_options())
  list(point = point, gradient = sqrt(sum(fact("gradient")^2)), error = sqrt(sum(fact("error")^2)),
       value = sum(fact("value")), radius = max(distances), iterations = max(fact("iterations")),
       converged = min(fact("converged")))
}

new_frechet_mean <- function(found, manifold, type) {
  certified <- found$converged == 1 && is.finite(found$error)
  if (!certified) warn_uncertified(found, type)
  value <- structure(list(found$value), names = if (type == "mean") "variance" else "deviation")
  new_result(
    c(list(point = shape_points(canonical_points(found$point, manifold), manifold, single = TRUE),
           error = found$error, certified = certified, gradient = found$gradient),
      value, found[c("radius", "iterations")], list(type = type, manifold = manifold)),
    "dptda_frechet_mean"
  )
}

define_class("dptda_frechet_mean", "frechet_mean()", type = is_one_string, manifold = is_made("dptda_manifold"),
             point = function(x) is.numeric(x) || is.list(x), error = is_one_number, certified = is_one_flag,
             gradient = is_one_number, radius = is_one_number, iterations = is_one_number)

warn_uncertified <- function(found, type) {
  why <- if (found$converged == 1) {
    paste0("The points are spread too wide for a ", type, " that is known to be the only one: this one may be local.")
  } else {
    paste0("The ", type, " was not reached to the tolerance", if (is.finite(found$error))
           "; its `error` says how near it is",
           ".")
  }
  warn_dptda("uncertified", why)
}

#' @export
print.dptda_frechet_mean <- function(x, ...) {
  check_valid(x, "dptda_frechet_mean")
  writeLines(strwrap(paste0("<Frechet ", x$type, "> (not private), ", x$manifold$title), exdent = 2))
  print(x$point, ...)
  spread <- if (x$type == "mean") c("variance", format(x$variance, digits = 4)) else
    c("mean distance", format(x$deviation, digits = 4))
  cat(spread[1], " ", spread[2], "; farthest point at ", format(x$radius, digits = 4), "\n", sep = "")
  bound <- if (x$type == "mean") "distance from the true mean" else "mean distance above the least"
  cat(if (is.finite(x$error)) paste0(bound, ": at most ", format(x$error, digits = 2)) else
    "not certified: nothing is known of its error", "\n", sep = "")
  invisible(x)
}

check_mean_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || is.object(weights) || !is.null(dim(weights)) || length(weights) != n) {
    stop_argument("weights", "must be a numeric vector with one value for each point of `x`.")
  }
  if (anyNA(weights) || any(weights < 0 | !is.finite(weights))) {
    stop_argument("weights", "must be finite numbers of at least 0.")
  }
  if (!any(weights > 0)) stop_argument("weights", "must have a positive sum.")
  as.double(weights) / max(weights)
}

# How near the mean of any points in this ball will be known: c(tolerance,
# error), of the gradient and of the distance from the true mean. Public, to be
# called before the points are looked at. Proved where the center is the origin
# of the manifold, which is where doubles have all their digits.
check_mean_bound <- function(manifold, center, radius) {
  bound <- find_mean_bound(manifold, center, radius)
  if (is.null(bound)) stop_unbounded(manifold, center, radius)
  bound
}

stop_unbounded <- function(manifold, center, radius) {
  if (is.infinite(manifold$curvature[1])) stop_argument("manifold", "must have a lower bound of its curvature.")
  offered <- offered_radius(manifold, center, radius)
  stop_argument("radius", "must be such that double precision can tell the points of the ball apart: ",
                if (is.null(offered)) "none would do" else paste(offered, "would do"), ", not ",
                format(radius, digits = 10), ".")
}

# NULL where nothing is proved.
find_mean_bound <- function(manifold, center, radius) {
  bound <- .Call(ffi_manifold_mean_bound, manifold, as.double(center), radius, kernel_options())
  if (all(is.finite(bound))) structure(as.list(bound), names = c("tolerance", "error"))
}

# The bound for rows of a ball: list(reach, error). Computed points may lie
# outside by rounding, of which the tolerance is four times more than enough.
find_row_bound <- function(manifold, center, radius) {
  reach <- radius * (1 + ball_slack)
  bound <- if (reach < largest_radius(manifold)) find_mean_bound(manifold, center, reach)
  if (is.null(bound)) return(NULL)
  reach <- reach + bound$tolerance / 4
  bound <- if (reach < largest_radius(manifold)) find_mean_bound(manifold, center, reach)
  if (!is.null(bound)) list(reach = reach, error = bound$error)
}

# The nearest radius, roughly, of which something is proved, in words that
# are not above it; NULL if there is none.
offered_radius <- function(manifold, center, radius) {
  is_good <- function(r) !is.null(find_row_bound(manifold, center, r))
  good <- Find(is_good, radius * 2^(c(rbind(-(1:200), 1:200)) / 4))
  if (is.null(good)) return(NULL)
  bad <- radius
  for (i in 1:40) {
    middle <- (good + bad) / 2
    if (is_good(middle)) good <- middle else bad <- middle
  }
  # never rounded away from what is good
  said <- signif(good * (1 + c(0, -1e-6, 1e-6)), 6)
  format(Find(is_good, c(said, good)), digits = 7)
}

# The mean of points that lie in a ball, the columns of P, for private releases:
# list(point, error), the error a function of the ball alone, whatever the points
# and their weights (whole numbers, of at most 2^31 points). That the bound
# holds is proved (inst/proofs/manifold-mean.md) and tested, and not asserted here:
# nothing may fail, warn or speak in a way that depends on the points.
mean_in_ball <- function(P, manifold, center, radius, weights = NULL) {
  bound <- check_mean_bound(manifold, center, radius)
  found <- .Call(ffi_manifold_mean_in_ball, manifold, P, weights, as.double(center), radius,
                 kernel_options(progress = kernel_progress("Frechet mean")))
  list(point = found$point, error = bound$error)
}
