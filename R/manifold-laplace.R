# Draws around a point of a manifold: exact (src/core/manifold-laplace.c), or by a random walk if the volume is unknown.

#' Laplace and uniform random points on a manifold
#'
#' `rmanifold_laplace()` draws random points with density proportional to `exp(-d(x, location) / scale)` with respect to
#' the Riemannian volume, the Laplace distribution of a manifold. `rmanifold_uniform()` draws from the volume itself, on
#' a compact manifold or in a ball. Both are exact on the manifolds of this package.
#'
#' @details
#' # Finite scales
#' Volume grows exponentially on `manifold_hyperbolic()` and `manifold_spd()`. The density therefore has a finite
#' integral only for scales below 1 / `manifold$threshold`. For larger scales, use `support = "ball"`: the same density
#' on a geodesic ball, whose `center` may differ from `location`. On a compact manifold or in a ball, `scale = Inf` is
#' the uniform distribution.
#'
#' # Limits of doubles and of time
#' The eigenvalues of a matrix of doubles cannot be more than about 14 digits apart. Longer draws of `manifold_spd()`
#' with the affine invariant metric are returned as the nearest matrix that is definite to working precision. This
#' affects 0.3% of the draws of `manifold_spd(2)` at 0.7 of the largest scale, and 30% at 0.9. [private_frechet_mean()]
#' releases coordinates, which represent all draws.
#'
#' If no proposal is accepted within seconds, an error occurs before anything is drawn. This happens for
#' `manifold_spd(p)` from about `p = 12` on, at scales between 0.8 and 0.95 of the largest.
#'
#' @param n An integer of at least 0: the number of points.
#' @param location One point of the manifold: the mode of the density.
#' @param scale One positive number, in the units of the distance. `Inf` is valid on a bounded support.
#' @param support `"manifold"` or `"ball"`: the whole manifold, or the closed geodesic ball of `radius` around `center`.
#' @param center One point of the manifold: the center of the ball.
#' @param radius One positive number: the radius of the ball, in the units of the distance.
#' @param sampler `"exact"`, or `"mcmc"` for the states of one Markov chain. These have the right distribution in the
#'   limit only, and are not independent. For a [manifold_custom()], only `"mcmc"` is available.
#' @param steps One or two integers of at least 1, for `"mcmc"` only: the number of steps before the first point and
#'   between points.
#' @param step_sd `NULL` or one positive number, for `"mcmc"` only: the standard deviation of a step in each coordinate,
#'   in the units of the distance. By default, `2 * scale`, or less if the support is small.
#' @param rng `"R"` or `"os"`: draw from R's stream, which obeys [set.seed()], or from the operating system's entropy.
#' @inheritParams manifold_geometry
#' @return `n` points in the form of [manifold]: the rows of a matrix, an array with the index of the point last, or a
#'   list with one element per factor. `rmanifold_laplace()` adds the attributes `acceptance`, the fraction of proposals
#'   that were accepted, and `sampler`.
#'
#' @section Privacy:
#' This is a generator for simulations. It protects nothing by itself. For a private release, use
#' [private_frechet_mean()], which draws from the operating system. The acceptance rate can depend on the location and
#' must not be released.
#'
#' @section Implementation:
#' Rejection sampling in the tangent space at the location: a uniform direction, and a length from a log-concave
#' envelope of the volume's growth. A proposal is accepted with probability equal to the Jacobian of the exponential map
#' divided by its bound. Near the largest scale, proposals drift as the volume grows. For large scales on a compact
#' manifold or in a ball, proposals are uniform. The best applicable proposal is chosen by trials that use public
#' numbers only. Proofs: `system.file("proofs", "manifold-laplace.md", package = "dptda")`.
#'
#' A point takes well under a microsecond on low-dimensional spheres and hyperbolic spaces, and one eigenvalue or
#' singular value decomposition per proposal on the matrix manifolds. The Markov chain is a random walk along geodesics
#' with Gaussian steps, which is reversible with respect to the volume of every complete manifold.
#'
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' <https://arxiv.org/abs/2111.02516>
#'
#' Hajri, H., Ilea, I., Said, S., Bombrun, L. and Berthoumieu, Y. (2016).
#' Riemannian Laplace distribution on the space of symmetric positive definite
#' matrices. *Entropy* 18, 98.
#'
#' Helgason, S. (2000). *Groups and geometric analysis*. American Mathematical
#' Society.
#' @examples
#' # around the pole of a sphere
#' rmanifold_laplace(3, manifold_sphere(2), location = c(0, 0, 1), scale = 0.1)
#'
#' # covariance matrices: from this scale on, the density has no finite integral
#' 1 / manifold_spd(2)$threshold
#' X <- rmanifold_laplace(1000, manifold_spd(2), location = diag(2), scale = 0.5)
#' mean(manifold_distance(X, diag(2), manifold_spd(2)))
#' attr(X, "acceptance")
#' rmanifold_laplace(2, manifold_spd(2), diag(2), scale = 10, support = "ball",
#'   center = diag(2), radius = 1)
#'
#' rmanifold_uniform(2, manifold_rotation(3))
#' @export
rmanifold_laplace <- function(n, manifold, location, scale, ..., support = c("manifold", "ball"), center = NULL,
                              radius = NULL, sampler = c("exact", "mcmc"), steps = c(10000, 100), step_sd = NULL,
                              rng = c("R", "os")) {
  check_no_dots(...)
  n <- check_count(n, upper = .Machine$integer.max)
  check_manifold(manifold)
  location <- check_manifold_points(location, manifold, n = 1)
  scale <- check_laplace_scale(scale)
  support <- check_choice(support, c("manifold", "ball"))
  ball <- check_ball(center, radius, manifold, wanted = support == "ball")
  sampler <- check_choice(sampler, c("exact", "mcmc"))
  if (sampler == "exact" && !manifold$exact) {
    stop_argument("sampler", "must be \"mcmc\" on this manifold, because exact draws need the growth of its volume.")
  }
  if (sampler == "exact" && !(missing(steps) && is.null(step_sd))) {
    stop_argument(if (missing(steps)) "step_sd" else "steps", "is for `sampler = \"mcmc\"` only.")
  }
  check_laplace_integral(manifold, scale, support)
  steps <- check_steps(steps)
  if (!is.null(step_sd)) step_sd <- check_number(step_sd, 0, open_lower = TRUE)
  rng <- check_choice(rng, c("R", "os"))
  drawn <- draw_laplace(n, manifold, location, scale, support, ball$center, ball$radius, rng, sampler, steps, step_sd)
  structure(shape_points(drawn$points, manifold), acceptance = drawn$acceptance, sampler = sampler)
}

#' @rdname rmanifold_laplace
#' @export
rmanifold_uniform <- function(n, manifold, ..., center = NULL, radius = NULL, rng = c("R", "os")) {
  check_no_dots(...)
  n <- check_count(n, upper = .Machine$integer.max)
  check_manifold(manifold)
  ball <- check_ball(center, radius, manifold, wanted = !is.null(center) || !is.null(radius))
  rng <- check_choice(rng, c("R", "os"))
  if (!manifold$exact) {
    stop_argument("manifold", "must be a manifold of the package, because exact draws need the growth of its volume.")
  }
  if (is.null(ball$center) && !is.finite(manifold$reach)) {
    stop_argument("center", "and `radius` must be given, because the volume of the manifold is infinite.")
  }
  location <- if (is.null(ball$center)) some_point(manifold) else ball$center
  support <- if (is.null(ball$center)) "manifold" else "ball"
  shape_points(draw_laplace(n, manifold, location, Inf, support, ball$center, ball$radius, rng)$points, manifold)
}

# Returns list(points, acceptance, sampler): `n` draws as the columns of a matrix. All arguments are checked, and points
# are columns. With `origin`, returns normal coordinates about it instead, which also represent draws too far away for
# points of doubles. The acceptance rate is not part of a release.
draw_laplace <- function(n, manifold, location, scale, support = "manifold", center = NULL, radius = NULL, rng = "os",
                         sampler = if (manifold$exact) "exact" else "mcmc", steps = c(10000, 100), step_sd = NULL,
                         origin = NULL) {
  ball <- if (support == "ball") as.double(center)
  options <- kernel_options(rng, if (n > 1e4 || sampler == "mcmc") kernel_progress("Drawing points"))
  location <- as.double(location)
  if (!is.null(origin)) origin <- as.double(origin)
  if (sampler == "exact") {
    drawn <- .Call(ffi_manifold_laplace, manifold, n, location, scale, ball, radius, 0L, origin,
                   options)
  } else {
    step_sd <- if (is.null(step_sd)) walk_step(manifold, scale, if (support == "ball") radius) else step_sd
    drawn <- .Call(ffi_manifold_chain, manifold, n, location, scale, ball, radius, as.double(steps), step_sd, options)
    if (!is.null(origin)) drawn$points <- normal_coordinates(drawn$points, manifold, origin)
  }
  list(points = drawn$points, acceptance = drawn$acceptance, sampler = sampler)
}

# Is the integral of exp(-d / scale) over the whole manifold finite?
laplace_is_finite <- function(manifold, scale) is.finite(manifold$reach) || 1 / scale > manifold$threshold

# Accepts any scale if the volume is unknown.
check_laplace_integral <- function(manifold, scale, support) {
  if (support == "ball" || !manifold$exact || laplace_is_finite(manifold, scale)) return(invisible())
  stop_argument("scale", "must be below ", format(1 / manifold$threshold), ", not ", format(scale),
                ", because the density has an infinite integral over the whole manifold. With ",
                "`support = \"ball\"`, any scale is valid.")
}

# Squares of scales must stay within the range of a double.
check_laplace_scale <- function(scale, arg = deparse1(substitute(scale))) {
  force(arg)
  if (missing(scale)) stop_missing(arg)
  check_number(scale, 1e-150, arg = arg, finite = FALSE)
}

# Returns list(center, radius), both NULL if no ball is wanted.
check_ball <- function(center, radius, manifold, wanted) {
  if (!wanted) {
    for (arg in c("center", "radius")) {
      if (!is.null(get(arg))) stop_argument(arg, "is for `support = \"ball\"` only.")
    }
    return(list(center = NULL, radius = NULL))
  }
  if (is.null(center)) stop_missing("center")
  if (is.null(radius)) stop_missing("radius")
  list(center = check_manifold_points(center, manifold, "center", n = 1),
       radius = check_number(radius, 0, open_lower = TRUE))
}

check_steps <- function(steps) {
  good <- is.numeric(steps) && !is.object(steps) && length(steps) %in% 1:2 && !anyNA(steps) &&
    all(steps == floor(steps) & steps >= 1 & steps <= 2^52)
  if (!good) stop_argument("steps", "must be one or two integers of at least 1, not ", describe(steps), ".")
  rep_len(as.double(steps), 2)
}

# A step length about as large as the spread of the distribution: of the order of the scale in each coordinate, and no
# longer than a bounded support allows.
walk_step <- function(manifold, scale, radius = NULL) {
  min(2 * scale, min(radius, manifold$reach / 2) / sqrt(max(manifold$dimension, 1)))
}
