#' Sensitivity of a Fréchet mean
#'
#' Computes an upper bound on the sensitivity of a Fréchet mean: if one of `n` points in a ball is replaced, their mean
#' moves by at most this distance. It depends on public quantities only.
#'
#' @param n Integers of at least 1: the public number of points. Or [unseen()] people, one of whom is replaced with all
#'   of their points.
#' @param manifold A manifold, e.g. from [manifold_sphere()]. The result depends on its dimension, the upper bound of
#'   its curvature, and its injectivity radius.
#' @param radius Positive numbers: the radius of the ball that contains the points, in the units of the distance. `n`
#'   and `radius` must have equal lengths, or one of them length 1.
#' @inheritParams manifold_geometry
#' @param bound `"sharp"` or `"paper"`: the first bound below, or the second, Theorem 2 of Reimherr et al. (2021). The
#'   second is never smaller. It is 30% larger for many points on the unit sphere with radius pi / 8, and the ratio
#'   grows without limit as the radius grows.
#' @return Positive numbers, in the units of the distance, as many as the longer of `n` and `radius`.
#'
#' @section Definition:
#' Let \eqn{\kappa}{kappa} be the upper bound of the sectional curvature, and \eqn{\theta = 2 r
#' \sqrt\kappa}{theta = 2 r sqrt(kappa)}. If \eqn{\kappa \le 0}{kappa <= 0}, both bounds are \eqn{2 r / n}. If
#' \eqn{\kappa > 0}{kappa > 0}, they are
#' \deqn{\frac{2 r \, \theta / \sin\theta}{n h_n} \quad\mbox{and}\quad \frac{2 r (2 - h)}{n h},
#' \qquad h = \theta / \tan\theta, \quad h_n = 1 - (1 - h) \min(1, 1/4 + 1/n).}{
#' 2 r (theta / sin(theta)) / (n h_n)  and  2 r (2 - h) / (n h), with h = theta / tan(theta) and
#' h_n = 1 - (1 - h) min(1, 1/4 + 1/n).}
#' The first bound is cut at \eqn{2 r}{2 r}, because means lie in the ball. The radius must be below half the
#' injectivity radius and below \eqn{\pi / (4 \sqrt\kappa)}{pi / (4 sqrt(kappa))}. Otherwise the mean may jump.
#'
#' @section Privacy:
#' Unit: one point, or one person with all of their points if `n` is a number of people. Neighbors differ by replacing
#' one unit. The number of units is public, and all points lie in the ball ([manifold_clamp()]). Proof:
#' `system.file("proofs/manifold-sensitivity.md", package = "dptda")`.
#'
#' The bound holds for the exact mean. [private_frechet_mean()] adds the error of the computed mean. For a
#' [manifold_custom()], the bound depends on the curvature and the injectivity radius that you supply.
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' @seealso [frechet_mean()]
#' @examples
#' frechet_sensitivity(n = 100, manifold_sphere(2), radius = pi / 8)
#' frechet_sensitivity(n = 100, manifold_sphere(2), radius = pi / 8,
#'                     bound = "paper")
#' frechet_sensitivity(n = 100, manifold_spd(3), radius = 1.5)
#' @export
frechet_sensitivity <- function(n, manifold, radius, ..., bound = c("sharp", "paper")) {
  check_no_dots(...)
  n <- check_counts_of_points(n)
  check_manifold(manifold)
  radius <- check_ball_radii(radius, manifold)
  bound <- check_choice(bound, c("sharp", "paper"))
  if (length(n) != length(radius) && min(length(n), length(radius)) != 1) {
    stop_argument("radius", "must have 1 element, or as many as `n` (", length(n), "), not ", length(radius), ".")
  }
  mean_sensitivity(n, manifold, radius, bound)
}

# All arguments are checked.
mean_sensitivity <- function(n, manifold, radius, bound) {
  theta <- ball_angle(manifold, radius)
  h <- mean_convexity(theta)
  if (bound == "paper") return(2 * radius * (2 - h) / (n * h))
  pmin(2 * radius * over_sine(theta) / (n * (1 - (1 - h) * pmin(1, 1 / 4 + 1 / n))), 2 * radius)
}

# Returns the limit of the radius. Below it, the mean of points in a ball exists, is unique, lies in the ball, and moves
# little with each point (Assumption 1 of Reimherr et al. 2021).
largest_radius <- function(manifold) {
  curvature <- positive_curvature(manifold)
  min(manifold$injectivity_radius, if (curvature > 0) pi / (2 * sqrt(curvature)) else Inf) / 2
}

# A curve has no intrinsic curvature, so a declared one is ignored.
positive_curvature <- function(manifold) if (manifold$dimension > 1) max(manifold$curvature[2], 0) else 0

# The diameter of the ball in units of the radius of curvature.
ball_angle <- function(manifold, radius) 2 * radius * sqrt(positive_curvature(manifold))

# The convexity of half the squared distance within the ball.
mean_convexity <- function(theta) ifelse(theta > 0, theta / tan(theta), 1)

over_sine <- function(theta) ifelse(theta > 0, theta / sin(theta), 1)

check_ball_radius <- function(radius, manifold, arg = deparse1(substitute(radius))) {
  check_ball_radii(check_number(radius, 0, open_lower = TRUE, arg = arg), manifold, arg)
}

check_ball_radii <- function(radius, manifold, arg = deparse1(substitute(radius))) {
  force(arg) # before `radius` is assigned to
  if (missing(radius)) stop_missing(arg)
  radius <- check_numbers(radius, arg, function(x) is.finite(x) & x > 0, "positive numbers")
  largest <- largest_radius(manifold)
  if (largest == 0) {
    stop_argument("manifold", "must have an upper bound of its curvature and a positive injectivity radius.")
  }
  if (any(radius >= largest)) {
    stop_argument(arg, "must be below ", format_down(largest), " on this manifold (", manifold$title, "), not ",
                  format(max(radius)), ". The limit is half of its injectivity radius",
                  if (positive_curvature(manifold) > 0)
                    ", or pi / (4 sqrt(curvature)) if that is smaller", ".")
  }
  radius
}

# Rounds down, because a radius that a message offers must be valid.
format_down <- function(x) {
  unit <- 10^(floor(log10(x)) - 5)
  format(floor(x / unit) * unit, digits = 7)
}

check_counts_of_points <- function(n) {
  if (missing(n)) stop_missing("n")
  if (is_unseen(n)) return(check_public_units(n, exact = TRUE)$n)
  check_numbers(n, "n", function(x) is.finite(x) & x >= 1 & x == floor(x), "integers of at least 1")
}

check_numbers <- function(x, arg, good, words) {
  if (!is.numeric(x) || is.object(x) || !is.null(dim(x)) || length(x) == 0 || anyNA(x) || !all(good(x))) {
    stop_argument(arg, "must be ", words, ", not ", describe(x), ".")
  }
  as.double(x)
}
