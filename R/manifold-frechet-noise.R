#' How far will noise move a private Frechet mean?
#'
#' Answers, without the data, the question to ask before a release: within
#' which distance of the mean a [private_frechet_mean()] will be, with a stated
#' probability. Only public quantities enter.
#'
#' A clamped release is at most as far from the mean as the draw, wherever that
#' is proved (manifolds without positive curvature, and spheres up to a radius of
#' a third of pi times theirs), and the answer is that of the draw, or the
#' diameter of the ball if that is less. For noise in the tangent space at the
#' center it is that of a mean at the center.
#'
#' @param n One whole number of at least 1: the number of points.
#' @param center One point of the manifold; needed on a [custom_manifold()] only,
#'   since on the others every center gives the same answer.
#' @param level Numeric vector in (0, 1): the probabilities.
#' @inheritParams private_frechet_mean
#' @return A numeric vector with one distance for each `level`, in the units of the
#'   manifold; with `method = "ambient"`, of the space around it.
#'
#' @section Implementation:
#' Quantiles of the gamma and the chi-square law on flat manifolds; else of 1,000
#' to 20,000 draws with a fixed public key, so that the answer is reproducible. On
#' a [custom_manifold()] these are 1,000 states of a Markov chain of 10,500 steps,
#' which may take a minute.
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' <https://arxiv.org/abs/2111.02516>
#' @seealso [private_frechet_mean()], [frechet_sensitivity()]
#' @examples
#' # a few hundred covariance matrices are enough
#' sapply(c(50, 100, 200, 400), frechet_noise, manifold = spd(2), radius = 1.5, epsilon = 1)
#'
#' # what noise in the space around a sphere costs
#' frechet_noise(100, sphere(2), radius = pi / 8, epsilon = 1)
#' frechet_noise(100, sphere(2), radius = pi / 8, epsilon = 1, method = "ambient")
#' @export
frechet_noise <- function(n, manifold, radius, epsilon, rho = NULL, level = 0.95, center = NULL,
                          bound = c("sharp", "paper"), support = c("ball", "manifold"),
                          method = c("intrinsic", "tangent", "ambient")) {
  n <- check_count(n, 1)
  check_manifold(manifold)
  if (is.null(center)) center <- any_center(manifold)
  method <- check_choice(method, c("intrinsic", "tangent", "ambient"))
  ball <- check_mean_ball(n, manifold, center, radius, if (missing(epsilon)) NULL else epsilon, rho, bound, support,
                          method, !missing(support))
  mechanism <- ball$mechanism
  noise_distance(shown_noise(mechanism), mechanism$support, manifold, mechanism$origin, mechanism$radius,
                 check_probabilities(level))
}

check_probabilities <- function(level, arg = deparse1(substitute(level))) {
  good <- is.numeric(level) && !is.object(level) && length(level) > 0 && !anyNA(level) && all(level > 0 & level < 1)
  if (!good) stop_argument(arg, "must be numbers above 0 and below 1, not ", describe(level), ".")
  as.double(level)
}

# Homogeneous manifolds look the same from everywhere.
any_center <- function(manifold, arg = "center") {
  if (has_custom(manifold)) stop_argument(arg, "must be given for a manifold of your own.")
  shape_points(cbind(some_point(manifold)), manifold, single = TRUE)
}

has_custom <- function(manifold) manifold$kind == "custom" || any(vapply(manifold$factors, has_custom, NA))

# Quantiles of the distance between a draw and its location; for noise in the
# space of coordinates, from a mean at the center. `noise` as in shown_noise();
# `origin` a column.
noise_distance <- function(noise, support, manifold, origin, radius, level) {
  distance <- if (noise$kind == "gaussian") {
    noise$scale * sqrt(stats::qchisq(level, noise$dimension))
  } else if (noise$space == "tangent") {
    noise$scale * stats::qgamma(level, noise$dimension)
  } else {
    stats::quantile(drawn_distances(noise$scale, manifold, origin), level, names = FALSE)
  }
  if (support == "manifold") distance else pmin(distance, 2 * radius)
}

drawn_distances <- function(scale, manifold, origin) {
  draws <- if (manifold$exact) round(min(max(1e6 / manifold$size^1.5, 1000), 20000)) else 1000
  drawn <- draw_laplace(draws, manifold, origin, scale, rng = public_key, steps = c(500, 10), origin = origin)
  sqrt(colSums(drawn$points^2))
}
