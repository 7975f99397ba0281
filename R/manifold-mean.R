#' Fréchet mean and geometric median on a manifold
#'
#' Computes the Fréchet mean or the geometric median of points on a manifold, with a bound of the numerical error. A
#' mean has the smallest mean squared distance to the data, and a median the smallest mean distance. The result is not
#' private: for a release, use [private_frechet_mean()].
#'
#' @details
#' # Error bound
#' A mean is certified to be the only one if all points are closer to it than half the injectivity radius and than
#' \eqn{\pi / (2 \sqrt\kappa)}{pi / (2 sqrt(kappa))}, with \eqn{\kappa}{kappa} the upper bound of the curvature. More
#' widely spread points, e.g. all over a sphere, may have several means. The descent may then end at a local one, which
#' `certified` and a warning of class `dptda_warning_uncertified` report. On spaces without positive curvature and
#' without loops, such as [manifold_spd()], every mean is certified. A median is certified up to half of that radius,
#' and need not be unique.
#'
#' The rounding error of each logarithm is bounded from its own numbers (the condition of correlation matrices,
#' distances between points of the hyperboloid) and added. Far from the origin of [manifold_hyperbolic()] and near the
#' edge of [manifold_spd()], doubles represent points to a few digits only, and `error` includes this. Proofs:
#' `system.file("proofs/manifold-mean.md", package = "dptda")`.
#'
#' # Tolerance
#' By default, `tolerance` is 1e-12 for a mean and 1e-10 for a median, times the distance of the farthest point, or the
#' precision that rounding errors allow, if that is larger.
#'
#' @param x Points of the manifold, in one of the forms of [manifold].
#' @inheritParams manifold_geometry
#' @param weights `NULL` for equal weights, or a numeric vector with one finite number of at least 0 per point. Only
#'   their ratios matter.
#' @param type `"mean"` or `"median"`.
#' @param tolerance `NULL` or one positive number, in the units of the distance. For a mean, iterations stop if the
#'   gradient is at most this long. For a median, they stop if the mean distance is at most this far above its minimum.
#' @param max_iterations `NULL` or an integer of at least 0. By default, as many iterations as needed if the points lie
#'   in a ball of the radius that [frechet_sensitivity()] requires (a proof shows that they end), and 500 otherwise.
#' @return An object of class `dptda_frechet_mean`, a list:
#'
#' * `point`: the mean, in the form of one point. A [private_frechet_mean()] has it as `value`, like every release.
#' * `error`: for a mean, a bound of the distance between `point` and the true mean. For a median, a bound of the
#'   difference between the mean distance at `point` and the minimum. Rounding errors are included. `Inf` if nothing is
#'   proved.
#' * `certified`: `TRUE` if the tolerance was reached and `error` is finite. Otherwise there was a warning.
#' * `gradient`: the length of the gradient at `point` (for a median, of the shortest subgradient).
#' * `variance`: for a mean, the mean squared distance to the points.
#' * `deviation`: for a median, the mean distance to the points.
#' * `radius`: the distance from `point` to the farthest point of positive weight.
#' * `iterations`: the number of steps.
#' * `type` and `manifold`: the arguments.
#'
#' @section Implementation:
#' Gradient descent in C, with step lengths from the curvature found along the way and one logarithm per point and
#' iteration. It takes 4 to 10 iterations, or one on flat manifolds. The bound of rounding errors costs as much as one
#' to three more. The median takes 10 to 50 steps of Weiszfeld's kind. Sums are compensated and do not depend on the
#' number of threads (option `dptda.threads`).
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

# Returns list(point, gradient, error, value, radius, iterations, converged) for the points in the columns of P.
find_mean <- function(P, manifold, weights, options) {
  if (manifold$kind == "product" && !options$median) return(find_product_mean(P, manifold, weights, options))
  found <- .Call(ffi_manifold_mean, manifold, P, weights, options$median, options$tolerance, options$steps,
                 options$sure,
                 kernel_options())
  facts <- c("gradient", "error", "value", "radius", "iterations", "converged")
  c(list(point = found$point), structure(as.list(found$facts), names = facts))
}

# Finds the mean factor by factor, because squared distances add up over the factors. Each is then certified by its own
# curvature and radius.
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
    paste0("The points are spread too widely to prove that the ", type, " is unique. It may be local.")
  } else {
    paste0("The iterations for the ", type, " ended before the tolerance was reached.", if (is.finite(found$error))
           " Its `error` is the bound that was reached.")
  }
  warn_dptda("uncertified", why)
}

#' @export
print.dptda_frechet_mean <- function(x, ...) {
  check_valid(x, "dptda_frechet_mean")
  writeLines(strwrap(paste0("<Frechet ", x$type, ", not private> ", x$manifold$title), exdent = 2))
  print(x$point, ...)
  spread <- if (x$type == "mean") c("variance", format(x$variance, digits = 4)) else
    c("mean distance", format(x$deviation, digits = 4))
  cat(spread[1], ": ", spread[2], "; farthest point at ", format(x$radius, digits = 4), "\n", sep = "")
  bound <- if (x$type == "mean") "distance from the true mean" else "mean distance above the minimum"
  cat("error: ", if (is.finite(x$error)) paste0("at most ", format(x$error, digits = 2), " (", bound, ")") else
    "no bound, not certified", "\n", sep = "")
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

# Bounds the precision of the mean of any points in this ball: list(tolerance, error), for the gradient and for the
# distance from the true mean. The bound is public and computed before the points are used. It is proved if the center
# is the origin of the manifold, where doubles have all their digits.
check_mean_bound <- function(manifold, center, radius) {
  bound <- find_mean_bound(manifold, center, radius)
  if (is.null(bound)) stop_unbounded(manifold, center, radius)
  bound
}

stop_unbounded <- function(manifold, center, radius) {
  if (is.infinite(manifold$curvature[1])) stop_argument("manifold", "must have a lower bound of its curvature.")
  offered <- offered_radius(manifold, center, radius)
  stop_argument("radius", "must let double precision distinguish the points of the ball, not ",
                format(radius, digits = 10), ". ",
                if (is.null(offered)) "No radius does so." else paste0("Use ", offered, " instead."))
}

# NULL if nothing is proved.
find_mean_bound <- function(manifold, center, radius) {
  bound <- .Call(ffi_manifold_mean_bound, manifold, as.double(center), radius, kernel_options())
  if (all(is.finite(bound))) structure(as.list(bound), names = c("tolerance", "error"))
}

# Returns the bound for rows of a ball, list(reach, error). By rounding, computed points may lie outside the ball, by
# less than a quarter of the tolerance.
find_row_bound <- function(manifold, center, radius) {
  reach <- radius * (1 + ball_slack)
  bound <- if (reach < largest_radius(manifold)) find_mean_bound(manifold, center, reach)
  if (is.null(bound)) return(NULL)
  reach <- reach + bound$tolerance / 4
  bound <- if (reach < largest_radius(manifold)) find_mean_bound(manifold, center, reach)
  if (!is.null(bound)) list(reach = reach, error = bound$error)
}

# Finds roughly the nearest radius with a proof, as text that does not round it upward, or NULL without one.
offered_radius <- function(manifold, center, radius) {
  is_good <- function(r) !is.null(find_row_bound(manifold, center, r))
  good <- Find(is_good, radius * 2^(c(rbind(-(1:200), 1:200)) / 4))
  if (is.null(good)) return(NULL)
  bad <- radius
  for (i in 1:40) {
    middle <- (good + bad) / 2
    if (is_good(middle)) good <- middle else bad <- middle
  }
  # rounded only to a radius that is good
  said <- signif(good * (1 + c(0, -1e-6, 1e-6)), 6)
  format(Find(is_good, c(said, good)), digits = 7)
}

# Computes the mean of points in a ball, the columns of P, for private releases: list(point, error). The error depends
# on the ball alone, not on the points (at most 2^31) or their integer weights. The bound is proved
# (inst/proofs/manifold-mean.md) and tested, but not asserted here, because no failure, warning, or message may depend
# on the points.
mean_in_ball <- function(P, manifold, center, radius, weights = NULL) {
  bound <- check_mean_bound(manifold, center, radius)
  found <- .Call(ffi_manifold_mean_in_ball, manifold, P, weights, as.double(center), radius,
                 kernel_options(progress = kernel_progress("Frechet mean")))
  list(point = found$point, error = bound$error)
}
