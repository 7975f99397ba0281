# Draws about a point of a manifold: exact (src/core/manifold-laplace.c), or
# by a random walk where the volume is not known.

#' Laplace and uniform random points on a manifold
#'
#' Draws random points on a manifold: `rmanifold_laplace()` with density `exp(-d(x, location) / scale)` against the
#' Riemannian volume, the Laplace distribution of a manifold; `rmanifold_uniform()` from the volume itself, on a
#' compact manifold or in a ball. Both are exact on the manifolds of this package.
#'
#' @details
#' Volume grows exponentially on `manifold_hyperbolic()` and `manifold_spd()`, so there the density
#' has a finite integral only for scales below 1 / `manifold$threshold`. For
#' larger ones there is `support = "ball"`: the same density on a geodesic ball,
#' whose `center` need not be `location`. On a compact manifold or in a ball,
#' `scale = Inf` is the uniform distribution.
#'
#' A matrix of doubles does not hold eigenvalues that are more than about 14 digits
#' apart. Longer draws of `manifold_spd()` with the affine invariant metric (0.3 % of those of
#' `manifold_spd(2)` at 0.7 of the largest scale, 30 % at 0.9) are given as the nearest matrix
#' that is definite to working precision; [private_frechet_mean()] releases
#' coordinates, which hold them all.
#'
#' Where no proposal is accepted within seconds, that is an error, before
#' anything is drawn. It concerns `manifold_spd(p)` from about `p = 12` on, at scales
#' between 0.8 and 0.95 of the largest.
#'
#' @param n One whole number of at least 0: how many points.
#' @param location One point of the manifold: where the density is highest.
#' @param scale One positive number, in the units of the distance; `Inf` where
#'   the support is bounded.
#' @param support `"manifold"` or `"ball"`: the whole manifold, or the closed
#'   geodesic ball of `radius` about `center`.
#' @param center One point of the manifold: the center of the ball.
#' @param radius One positive number: its radius, in the units of the distance.
#' @param sampler `"exact"`, or `"mcmc"`: the states of one Markov chain, whose
#'   law is right only in the limit, and which are not independent. A
#'   [manifold_custom()] has no other.
#' @param steps One or two whole numbers of at least 1, for `"mcmc"` only: steps
#'   before the first point and between points.
#' @param step_sd `NULL` or one positive number, for `"mcmc"` only: the standard
#'   deviation of a step in each coordinate, in the units of the distance.
#'   Default: `2 * scale`, or less if the support is small.
#' @param rng `"R"` or `"os"`: draw from R's stream, which obeys [set.seed()],
#'   or from the operating system's entropy.
#' @inheritParams manifold_geometry
#' @return `n` points in the form of [manifold]: the rows of a matrix, an array
#'   with the point index last, a list with one element for each factor.
#'   `rmanifold_laplace()` adds the attributes `acceptance`, the part of the
#'   proposals that was accepted, and `sampler`.
#'
#' @section Privacy:
#' This is a generator for simulations, and protects nothing by itself. A
#' private release is made by [private_frechet_mean()], which draws from the
#' operating system. The acceptance rate can depend on the location and must not
#' be released.
#'
#' @section Implementation:
#' Rejection in the tangent space at the location: a uniform direction, a length
#' from a log-concave envelope of the volume's growth, accepted with the
#' Jacobian of the exponential map over its bound. Near the largest scale, a
#' proposal that drifts as the volume grows; for large scales on a compact
#' manifold or in a ball, uniform proposals. The best of those that apply is
#' found by trials that see public numbers only. The proofs are in
#' `system.file("proofs", "manifold-laplace.md", package = "dptda")`.
#' A point takes well under a microsecond on low-dimensional spheres and
#' hyperbolic spaces, and one eigenvalue or singular value decomposition per
#' proposal on the matrix manifolds. The Markov chain is a random walk along
#' geodesics with Gaussian steps, which is reversible with respect to the volume
#' of every complete manifold.
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
#' # covariance matrices; the density has no finite integral from this scale on
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
    stop_argument("sampler", "must be \"mcmc\" on this manifold: exact draws need to know how its volume grows.")
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
    stop_argument("manifold", "must be one of the package: exact draws need to know how its volume grows.")
  }
  if (is.null(ball$center) && !is.finite(manifold$reach)) {
    stop_argument("center", "and `radius` must be given, since the volume of the manifold is infinite.")
  }
  location <- if (is.null(ball$center)) some_point(manifold) else ball$center
  support <- if (is.null(ball$center)) "manifold" else "ball"
  shape_points(draw_laplace(n, manifold, location, Inf, support, ball$center, ball$radius, rng)$points, manifold)
}

# list(points, acceptance, sampler): `n` draws as the columns of a matrix, all
# arguments checked, points as columns. With `origin` their normal coordinates
# about that instead, which hold draws that are too far to be points of doubles.
# The acceptance rate is not part of a release.
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

# Where the volume is not known, nobody can tell.
check_laplace_integral <- function(manifold, scale, support) {
  if (support == "ball" || !manifold$exact || laplace_is_finite(manifold, scale)) return(invisible())
  stop_argument("scale", "must be below ", format(1 / manifold$threshold), ", not ", format(scale),
                ": the density has an infinite integral over the whole manifold; with `support = \"ball\"` ",
                "any scale will do.")
}

# Squares of scales must stay within the range of a double.
check_laplace_scale <- function(scale, arg = deparse1(substitute(scale))) {
  force(arg)
  if (missing(scale)) stop_missing(arg)
  check_number(scale, 1e-150, arg = arg, finite = FALSE)
}

# list(center, radius), both NULL where no ball is wanted.
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
  if (!good) stop_argument("steps", "must be one or two whole numbers of at least 1, not ", describe(steps), ".")
  rep_len(as.double(steps), 2)
}

# A step about as long as the law is wide: of the order of the scale in each
# coordinate, and no longer than a bounded support allows.
walk_step <- function(manifold, scale, radius = NULL) {
  min(2 * scale, min(radius, manifold$reach / 2) / sqrt(max(manifold$dimension, 1)))
}
