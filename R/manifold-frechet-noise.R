#' Accuracy of a private Fréchet mean before the release
#'
#' Computes, without the data, how accurate a [private_frechet_mean()] will be: the distance from the mean within which
#' the release lies with probability `level`. Only public quantities enter.
#'
#' @details
#' # Where the mean may be
#' By default, the answer holds for a mean anywhere in the ball.
#'
#' * Noise on the manifold (`method = "intrinsic"`) has the same distribution around every point. Clamping to the ball
#'   does not move a draw away from the mean if that is proved: on manifolds without positive curvature, and on spheres
#'   up to a radius of pi / 3 times theirs. The answer is the quantile of the draw, or the diameter of the ball if that
#'   is smaller.
#' * Noise in the tangent space becomes longer on a manifold of negative curvature, by a factor of up to sinh(s r) / (s
#'   r) at the border, with r the radius and -s^2 the lower bound of the curvature. `mean_at = "center"` omits this
#'   factor.
#'
#' @param n An integer of at least 1: the number of points; or [unseen()] if people have several points each.
#' @inheritParams private_frechet_mean
#' @param level Numbers in (0, 1): the probabilities, named as in [confint()][private_value].
#' @param center One point of the manifold. Needed for a [manifold_custom()] only; on other manifolds every center gives
#'   the same answer.
#' @param mean_at `"anywhere"` or `"center"`: the location, in the ball, of the mean of the clamped points.
#' @return Numbers, one distance for each `level`, in the units of the manifold; with `method = "ambient"`, in the units
#'   of the space around it.
#'
#' @section Implementation:
#' Quantiles of gamma and chi-square distributions for noise in flat spaces. For other noise, quantiles of 200 to 20,000
#' draws with a fixed public key, so that the answer is reproducible.
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
frechet_noise <- function(n, manifold, radius, epsilon = NULL, rho = NULL, ..., mu = NULL, level = 0.95, center = NULL,
                          bound = c("sharp", "paper"), support = NULL,
                          method = c("tangent", "intrinsic", "ambient"), mean_at = c("anywhere", "center")) {
  check_no_dots(...)
  if (missing(n)) stop_missing("n")
  if (!is_unseen(n)) n <- check_count(n, 1)
  check_manifold(manifold)
  if (is.null(center)) center <- any_center(manifold)
  method <- check_choice(method, c("tangent", "intrinsic", "ambient"))
  ball <- check_mean_ball(n, manifold, center, radius, epsilon, rho, bound, support, method, mu = mu)
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

# Returns some center, because homogeneous manifolds look the same from every point.
any_center <- function(manifold, arg = "center") {
  if (has_functions(manifold)) stop_argument(arg, "must be given for a manifold of your own.")
  shape_points(cbind(some_point(manifold)), manifold, single = TRUE)
}

#' Methods of private Fréchet means
#'
#' Describes the methods `"tangent"`, `"intrinsic"`, and `"ambient"` of [private_frechet_mean()]: their noise, the
#' accuracy, and the exactness of the guarantee.
#'
#' # Choice of the method
#' `"tangent"` is exact and always works. `"intrinsic"` draws noise on the manifold itself, where isometries take every
#' point to every other, so the constant of the density is the same for every mean. It is used if the growth of volume
#' makes the noise at most twice as long (scales up to half of the scale at which the constant becomes infinite), and if
#' at least one proposal in a hundred is accepted. Otherwise the noise is that of `"tangent"`. Public numbers decide
#' this, and the release records it.
#'
#' On spheres, `"intrinsic"` is 3% closer to the mean at a radius of pi / 8 and 11% at pi / 4; on rotations, it is up to
#' 5% closer. It is not closer if the mean is near the center of a ball of negative curvature. Use it there if the mean
#' may be far from the center of a large ball: tangent-space noise then corresponds to distances up to 20% longer on the
#' manifold (`manifold_spd(2)`, radius 1.5).
#'
#' On flat manifolds without loops the two methods are the same, and nothing is iterated. On an unbounded manifold,
#' intrinsic draws are cut about 2^20 scales from the center; the probability beyond is below 2^-60.
#'
#' # Exactness
#' With `"tangent"` and `"ambient"`, the guarantee is exact on the manifolds of the package. Each row is converted by
#' itself to coordinates, and the mean is computed about the origin of the manifold, where doubles are most precise. Its
#' rounding error is bounded by a proof for the whole ball. The mean is rounded to a public lattice, and noise is added
#' in integers. No double lies between the random bits and the release.
#'
#' On a [manifold_custom()], the guarantee relies on the curvature, the injectivity radius, and the accuracy of your
#' functions, and the bound of rounding errors is a guess.
#'
#' With `"intrinsic"`, noise is exact in real arithmetic, but drawn in doubles, on a lattice of about 2^-16 of its
#' scale. The possible loss by rounding, about 2^-24 (up to 16 times as much in large balls of negative curvature), is
#' estimated and subtracted from `epsilon` in advance (at most half of it). This does not prove that attacks on floating
#' point fail, and [privacy()] states so. A release whose `noise$space` is `"tangent"` has exact noise.
#'
#' # Implementation
#' With `epsilon`, tangent noise has a density that decreases with its length, of scale sensitivity / epsilon, without
#' the factor 2 of the exponential mechanism. Gaussian noise is a normal variate, rounded to an integer (Karney 2016).
#' Clamping a release to the ball is post-processing. Cost: the mean, three passes over the points, and below a
#' millisecond for noise.
#'
#' @references
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#'
#' Karney, C. F. F. (2016). Sampling exactly from the normal distribution. *ACM
#' Transactions on Mathematical Software* 42. <https://arxiv.org/abs/1303.6257>
#' @seealso [private_frechet_mean()], [frechet_noise()]
#' @examples
#' # the distance from the mean, with probability 0.95, by method
#' sphere <- manifold_sphere(2)
#' sapply(c("tangent", "intrinsic", "ambient"), function(method) {
#'   frechet_noise(500, sphere, radius = pi / 5, epsilon = 1, method = method)
#' })
#' @name frechet_methods
NULL
