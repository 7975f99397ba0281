#' Accuracy of a private Frechet mean before the release
#'
#' Computes, without the data, how accurate a [private_frechet_mean()] will be: the distance of the mean within which
#' the release lies with a stated probability. Only public quantities enter.
#'
#' The answer holds for a mean anywhere in the ball. Noise on the manifold (`method = "intrinsic"`) looks the
#' same from everywhere; a clamped release is at most as far from the mean as the draw,
#' wherever that is proved (manifolds without positive curvature, and spheres up to a
#' radius of a third of pi times theirs), and the answer is that of the draw, or the
#' diameter of the ball if that is less. Noise in the tangent space at the center
#' becomes longer on the way to a manifold of negative curvature, by a factor of up to
#' sinh(s r) / (s r) at the border, with r the radius and -s^2 the lower bound of the
#' curvature: `mean_at = "center"` leaves that out.
#'
#' @param n One whole number of at least 1: the number of points; or [unseen()], where people have many each.
#' @param center One point of the manifold; needed on a [manifold_custom()] only,
#'   since on the others every center gives the same answer.
#' @param level Numeric vector in (0, 1): the probabilities, called as in
#'   [confint()][private_value].
#' @param mean_at `"anywhere"` or `"center"`: where in the ball the mean of the
#'   clamped points may be.
#' @inheritParams private_frechet_mean
#' @return A numeric vector with one distance for each `level`, in the units of the
#'   manifold; with `method = "ambient"`, of the space around it.
#'
#' @section Implementation:
#' Quantiles of the gamma and the chi-square law for noise in flat spaces; else of 200
#' to 20,000 draws with a fixed public key, so that the answer is reproducible.
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' <https://arxiv.org/abs/2111.02516>
#' @seealso [private_frechet_mean()], [frechet_sensitivity()]
#' @examples
#' # a few hundred covariance matrices are enough
#' sapply(c(50, 100, 200, 400), frechet_noise, manifold = manifold_spd(2),
#'        radius = 1.5, epsilon = 1)
#'
#' # exact noise, noise in doubles on the manifold itself, and around it
#' sapply(c("tangent", "intrinsic", "ambient"), function(method) {
#'   frechet_noise(100, manifold_sphere(2), radius = pi / 8, epsilon = 1,
#'                 method = method)
#' })
#' @export
frechet_noise <- function(n, manifold, radius, epsilon = NULL, rho = NULL, ..., level = 0.95, center = NULL,
                          bound = c("sharp", "paper"), support = NULL,
                          method = c("tangent", "intrinsic", "ambient"), mean_at = c("anywhere", "center")) {
  check_no_dots(...)
  if (missing(n)) stop_missing("n")
  if (!is_unseen(n)) n <- check_count(n, 1)
  check_manifold(manifold)
  if (is.null(center)) center <- any_center(manifold)
  method <- check_choice(method, c("tangent", "intrinsic", "ambient"))
  ball <- check_mean_ball(n, manifold, center, radius, epsilon, rho, bound, support, method)
  plan <- ball$mean
  level <- check_probabilities(level)
  mean_at <- check_choice(mean_at, c("anywhere", "center"))
  around <- if (method == "ambient") plan$manifold else manifold
  noise_distance(shown_noise(plan), plan$support, around, plan$origin, plan$radius, level, mean_at)
}

check_probabilities <- function(level, arg = deparse1(substitute(level))) {
  good <- is.numeric(level) && !is.object(level) && length(level) > 0 && !anyNA(level) && all(level > 0 & level < 1)
  if (!good) stop_argument(arg, "must be numbers above 0 and below 1, not ", describe(level), ".")
  as.double(level)
}

# Homogeneous manifolds look the same from everywhere.
any_center <- function(manifold, arg = "center") {
  if (has_functions(manifold)) stop_argument(arg, "must be given for a manifold of your own.")
  shape_points(cbind(some_point(manifold)), manifold, single = TRUE)
}
