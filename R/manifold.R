# Descriptions of the manifolds. Their computations are in C, with one file per manifold behind one table of functions
# (src/core/manifold.h).

#' Manifolds: spheres, covariance matrices, rotations, shapes, hyperbolic spaces
#'
#' Makes manifolds, on which means, distances, and private releases are computed: Euclidean and hyperbolic spaces,
#' spheres, positive definite matrices, rotations, subspaces, shapes of landmarks, and their products. A manifold is a
#' public description. It contains no data.
#'
#' @details
#' # Points
#' Points of `manifold_euclidean()`, `manifold_sphere()`, and `manifold_hyperbolic()` are vectors. A matrix or data
#' frame has one point per row, and a plain vector is one point. If a point is a single number, a plain vector holds
#' many points.
#'
#' Points of `manifold_spd()`, `manifold_rotation()`, `manifold_grassmann()`, and `manifold_shapes()` are matrices, and
#' such a matrix is one point. Many points are an array with the index of the point last (`X[, , i]` is point i), a list
#' of matrices, or a matrix with one vectorized point per row.
#'
#' A point of a product is a list with one element per factor, in the order of the factors, each in the form of its
#' factor. If the elements have names, these must be the names of the factors.
#'
#' Points within `1e-8` of the manifold, relative to their size, are moved to it. Points farther away are an error. Rows
#' of [private_frechet_mean()] may be farther away: each row is moved to its nearest point by itself.
#'
#' A subspace has many bases. These functions return the one basis that depends on the subspace alone. Likewise, shapes
#' are returned in the one rotation that depends on the shape alone. [as_shapes()] makes points of
#' `manifold_shapes(landmarks)` from coordinates of landmarks.
#'
#' # Geometry
#'
#' | manifold | point | distance | curvature | injectivity radius |
#' |---|---|---|---|---|
#' | `manifold_euclidean(d)` | vector of d numbers | straight line | 0 | infinite |
#' | `manifold_sphere(d, radius)` | d + 1 numbers, of length `radius` | great circle | 1 / radius^2 | pi radius |
#' | `manifold_hyperbolic(d, curvature)` | d + 1 numbers, first the time t | hyperboloid | `curvature` | infinite |
#' | `manifold_spd(p)` | p x p symmetric positive definite | norm of log(x^-1/2 y x^-1/2) | -1/2 to 0 | infinite |
#' | `manifold_spd(p, "log-euclidean")` | the same | norm of log(x) - log(y) | 0 | infinite |
#' | `manifold_rotation(p)` | p x p orthogonal, det 1 | norm of the angles of x'y | 0 to 1/4 (p = 3), 1/2 (p > 3) | pi |
#' | `manifold_grassmann(k, p)` | p x k, an orthonormal basis | norm of the principal angles | 0 to 2, or 1 | pi / 2 |
#' | `manifold_shapes(k)` | k x 2, centered, of norm 1 | angle after the best rotation | 1 to 4, or 4 | pi / 2 |
#' | `manifold_product(...)` | list | norm of the distances | of the factors, and 0 | smallest of the factors |
#'
#' Norms are root sums of squares. The distance of `manifold_spd(p)` is the affine invariant one. A point of hyperbolic
#' space has t > 0 and t^2 - sum(x^2) = -1 / curvature. The curvature of a manifold of subspaces is 1 if k or p - k is
#' 1. Shapes are those of Kendall (1984): their distance does not depend on the position, rotation, and size of the
#' landmarks. The curvature of shapes of three landmarks is 4.
#'
#' # Range of doubles
#' On `manifold_hyperbolic()`, numbers grow exponentially with the distance a from the origin, in units of 1 /
#' sqrt(-curvature). Perpendicular to the radius, a point is precise to about 1e-16 exp(a) of that unit. Points are
#' limited to a = 230. The time t is computed from the other numbers, for points and for tangent vectors.
#'
#' On `manifold_spd()`, [manifold_exp()] stops when an eigenvalue has changed by a factor of 1e200. Any point beyond
#' these limits, including a random one, is replaced by a point at the limit.
#'
#' @param d An integer of at least 1: the dimension.
#' @param p An integer: the number of rows of the matrices. At least 1 for `manifold_spd()`, and 2 for the others.
#' @param k An integer from 1 to p - 1: the dimension of the subspaces.
#' @param landmarks An integer of at least 3: the number of landmarks.
#' @param radius One positive number from 1e-100 to 1e100: the radius of the sphere.
#' @param curvature For `manifold_hyperbolic()`, one negative number from -1e200 to -1e-200: the sectional curvature.
#' @param metric `"affine"` or `"log-euclidean"`: the Riemannian metric of positive definite matrices. The affine
#'   invariant metric does not change if all matrices are expressed in another basis. The log-Euclidean metric is flat
#'   and faster.
#' @param ... For `manifold_product()`, the manifolds, at least one. Names are kept.
#' @param x A manifold.
#' @return An object of class `dptda_manifold`, a list with these public fields and others:
#'
#' * `kind` and `dimension`.
#' * `shape`: the size of one point.
#' * `curvature`: two numbers, the smallest and the largest sectional curvature. Both are attained. On products, zero
#'   may be one of them.
#' * `injectivity_radius`: up to this distance from every point, geodesics are shortest and unique.
#' @seealso [manifold_custom()] for a manifold of your own, [manifold_distance()] for computations with points,
#'   [frechet_mean()], [private_frechet_mean()].
#' @references
#' Helgason, S. (2001). *Differential geometry, Lie groups, and symmetric
#' spaces*. American Mathematical Society.
#'
#' Arsigny, V., Fillard, P., Pennec, X. and Ayache, N. (2007). Geometric means in
#' a novel vector space structure on symmetric positive-definite matrices. *SIAM
#' Journal on Matrix Analysis and Applications* 29, 328-347.
#'
#' Kendall, D. G. (1984). Shape manifolds, Procrustean metrics, and complex
#' projective spaces. *Bulletin of the London Mathematical Society* 16, 81-121.
#' @examples
#' manifold_sphere(2)
#' manifold_distance(c(0, 0, 1), c(0, 1, 0), manifold_sphere(2))
#'
#' # covariance matrices
#' manifold_distance(diag(2), diag(c(1, exp(2))), manifold_spd(2))
#'
#' # positions and orientations
#' manifold_product(position = manifold_euclidean(3),
#'                  orientation = manifold_rotation(3))
#' @name manifold
#' @aliases manifolds
NULL

#' @rdname manifold
#' @export
manifold_euclidean <- function(d) {
  d <- check_count(d, 1, 1e6)
  new_manifold("euclidean", d, shape = d, title = paste0("Euclidean space of dimension ", d))
}

#' @rdname manifold
#' @export
manifold_sphere <- function(d, radius = 1) {
  d <- check_count(d, 1, 1e6)
  radius <- check_number(radius, 1e-100, 1e100) # its square is a double
  new_manifold("sphere", c(d, radius), shape = d + 1,
               title = with_plain_numbers(paste0("sphere of dimension ", d, " and radius ", format(radius))))
}

#' @rdname manifold
#' @export
manifold_hyperbolic <- function(d, curvature = -1) {
  d <- check_count(d, 1, 1e6)
  curvature <- check_number(curvature, -1e200, -1e-200)
  new_manifold("hyperbolic", c(d, curvature), shape = d + 1,
               title = with_plain_numbers(paste0("hyperbolic space of dimension ", d, " and curvature ",
                                                 format(curvature))))
}

#' @rdname manifold
#' @export
manifold_spd <- function(p, metric = c("affine", "log-euclidean")) {
  p <- check_count(p, 1, 1000)
  metric <- check_choice(metric, c("affine", "log-euclidean"))
  new_manifold(if (metric == "affine") "spd" else "spd_log", p, shape = c(p, p), metric = metric,
               title = paste0("symmetric positive definite ", p, " x ", p, " matrices, ",
                              if (metric == "affine") "affine invariant" else "log-Euclidean", " metric"))
}

#' @rdname manifold
#' @export
manifold_rotation <- function(p) {
  p <- check_count(p, 2, 1000)
  new_manifold("rotation", p, shape = c(p, p), title = paste0("rotations of R^", p))
}

#' @rdname manifold
#' @export
manifold_grassmann <- function(k, p) {
  p <- check_count(p, 2, 1000)
  k <- check_count(k, 1, p - 1)
  new_manifold("grassmann", c(k, p), shape = c(p, k), title = paste0("subspaces of dimension ", k, " of R^", p))
}

#' @rdname manifold
#' @export
manifold_shapes <- function(landmarks) {
  landmarks <- check_count(landmarks, 3, longest_shape)
  new_manifold("shapes", landmarks, shape = c(landmarks, 2),
               title = paste0("shapes of ", format_count(landmarks), " landmarks in the plane"))
}

longest_shape <- 5e5

#' @rdname manifold
#' @export
manifold_product <- function(...) {
  factors <- list(...)
  if (length(factors) == 0) stop_argument("...", "must be at least one manifold.")
  for (factor in factors) check_manifold(factor, arg = "...")
  title <- paste0("product of ", paste(vapply(factors, `[[`, "", "title"), collapse = "; "))
  new_manifold("product", double(), shape = NULL, title = title, factors = factors)
}

#' Define a manifold by R functions
#'
#' Defines a manifold of your own by R functions. All functions for manifolds accept it, but they run slowly. The
#' package has no exact sampler for it. Private releases draw their noise in the tangent space at the center, without
#' such a sampler, and [rmanifold_laplace()] returns states of a Markov chain.
#'
#' A private mean keeps the manifold, and an R function keeps the environment in which it was written. Write the
#' functions where no data are in reach, e.g. at top level. If you write them inside a function that analyzes the rows,
#' the rows are saved with the release.
#'
#' @param shape One or two integers: the length of a point that is a vector, or the numbers of rows and columns of a
#'   point that is a matrix.
#' @param dimension An integer: the dimension of the manifold.
#' @param exp A function of a point `x` and a tangent vector `v` at `x`: the point at time one on the geodesic that
#'   leaves `x` with velocity `v`.
#' @param log A function of two points `x` and `y`: the shortest velocity at `x` that leads to `y`.
#' @param basis A function of a point `x`: a matrix with `prod(shape)` rows and `dimension` columns. Its columns are
#'   vectorized tangent vectors at `x` that are orthonormal in the metric of the manifold. Private releases check at
#'   their center and at a few points near it that `exp`, `log`, `basis`, and `distance` agree.
#' @param distance `NULL` or a function of two points: their distance. By default, the length of `log(x, y)`.
#' @param transport `NULL` or a function of two points `x` and `y` and a tangent vector at `x`: the vector at `y` that
#'   results from parallel transport along the geodesic.
#' @param project `NULL` or a function of an array with the shape of a point: the nearest point of the manifold, or `NA`
#'   if there is none. Private releases move rows by it, at any distance. By default, every finite array counts as a
#'   point.
#' @param curvature Two numbers: a lower and an upper bound of the sectional curvatures. If they are unknown, use `-Inf`
#'   and `Inf`. Privacy guarantees depend on these bounds.
#' @param injectivity_radius One positive number: up to this distance from every point, geodesics are shortest and
#'   unique. Privacy guarantees depend on it.
#' @param homogeneous `TRUE` or `FALSE`: whether isometries take every point to every other. The noise of a
#'   private mean does not depend on it.
#' @param name One string, for `print()`.
#' @return An object of class `dptda_manifold`, as in [manifold].
#' @examples
#' # positive numbers, with the distance of their logarithms
#' positive <- manifold_custom(
#'   shape = 1, dimension = 1,
#'   exp = function(x, v) x * exp(v / x), log = function(x, y) x * log(y / x),
#'   basis = function(x) matrix(x),
#'   curvature = c(0, 0), injectivity_radius = Inf, homogeneous = TRUE,
#'   name = "positive numbers"
#' )
#' manifold_distance(1, exp(2), positive)
#' @export
manifold_custom <- function(shape, dimension, exp, log, basis, distance = NULL, transport = NULL, project = NULL,
                            curvature, injectivity_radius, homogeneous = FALSE, name = "custom manifold") {
  if (missing(exp)) stop_missing("exp")
  if (missing(log)) stop_missing("log")
  if (missing(basis)) stop_missing("basis")
  functions <- list(exp = exp, log = log, basis = basis, distance = distance, transport = transport, project = project)
  for (each in names(functions)) {
    optional <- each %in% c("distance", "transport", "project")
    if (!(is.function(functions[[each]]) || (optional && is.null(functions[[each]])))) {
      stop_argument(each, "must be a function", if (optional) " or NULL", ", not ", describe(functions[[each]]), ".")
    }
  }
  shape <- check_shape(shape)
  dimension <- check_count(dimension, 1, prod(shape))
  curvature <- check_curvature(curvature)
  injectivity_radius <- check_number(injectivity_radius, 0, open_lower = TRUE, finite = FALSE)
  homogeneous <- check_flag(homogeneous)
  if (!(is.character(name) && length(name) == 1 && !is.na(name))) {
    stop_argument("name", "must be one string, not ", describe(name), ".")
  }
  new_manifold("custom", c(dimension, curvature, injectivity_radius, homogeneous), shape = shape, title = name,
               functions = functions)
}

check_shape <- function(shape) {
  if (missing(shape)) stop_missing("shape")
  good <- is_plain_numeric(shape) && length(shape) %in% 1:2 && !anyNA(shape) &&
    all(shape >= 1 & shape == floor(shape)) && prod(shape) <= 1e6
  if (!good) {
    stop_argument("shape", "must be one or two integers of at least 1, with a product of at most 1e6, not ",
                  describe(shape), ".")
  }
  shape
}

check_curvature <- function(curvature) {
  if (missing(curvature)) stop_missing("curvature")
  good <- is_plain_numeric(curvature) && length(curvature) == 2 && !anyNA(curvature) &&
    curvature[1] <= curvature[2] && curvature[1] < Inf && curvature[2] > -Inf
  if (!good) {
    stop_argument("curvature", "must be two numbers, a lower and an upper bound, not ", describe(curvature), ".")
  }
  curvature
}

# Creates a manifold. ffi_read_manifold() reads `numbers` and the later fields. The facts come from the core, so that
# each has one source.
new_manifold <- function(kind, numbers, shape, title, factors = list(), functions = list(), ...) {
  manifold <- list(kind = kind, numbers = as.double(numbers), shape = if (!is.null(shape)) as.double(shape),
                   factors = unname(factors), functions = functions, title = title, names = names(factors), ...)
  facts <- .Call(ffi_manifold_facts, manifold, kernel_options())
  new_result(c(manifold, facts), "dptda_manifold")
}

is_positive <- function(x) is_one_number(x) && x > 0
define_class(
  "dptda_manifold", "a function such as manifold_sphere() or manifold_spd()", kind = is_one_string,
  numbers = is_numbers,
  shape = is_null_or(function(x) is_numbers(x) && length(x) %in% 1:2), factors = is.list, functions = is.list,
  title = is_one_string, size = is_positive, dimension = is_positive,
  curvature = function(x) is_numbers(x) && length(x) == 2, injectivity_radius = is_positive, threshold = is_one_number,
  reach = is_positive, homogeneous = is_one_flag, exact = is_one_flag, .valid = function(x) has_own_facts(x)
)

# Checks that the facts match the core, because guarantees depend on them.
has_own_facts <- function(manifold) {
  facts <- .Call(ffi_manifold_facts, unclass(manifold), kernel_options())
  sizes <- if (is.null(manifold$shape)) manifold$kind == "product" else prod(manifold$shape) == facts$size
  sizes && identical(unclass(manifold)[names(facts)], facts) &&
    all(vapply(manifold$factors, is_made("dptda_manifold"), NA))
}

check_manifold <- function(manifold, arg = deparse1(substitute(manifold))) {
  check_class(manifold, "dptda_manifold", "a function such as manifold_sphere() or manifold_spd()", arg)
}

#' @rdname manifold
#' @export
format.dptda_manifold <- function(x, ...) {
  check_valid(x, "dptda_manifold")
  bound <- vapply(x$curvature, format, "", digits = 4)
  c(
    paste0("<", x$title, ">"),
    paste0("dimension ", x$dimension, ", curvature ", if (bound[1] == bound[2])
           bound[1] else paste(bound, collapse = " to "),
           ", injectivity radius ", format(x$injectivity_radius, digits = 4)),
    paste0("points: ", point_words(x))
  )
}

#' @rdname manifold
#' @export
print.dptda_manifold <- function(x, ...) {
  writeLines(strwrap(format(x), exdent = 2))
  invisible(x)
}

point_words <- function(manifold) {
  shape <- manifold$shape
  if (is.null(shape)) {
    factors <- vapply(manifold$factors, point_words, "")
    named <- nzchar(manifold$names) # empty without names
    factors[named] <- paste0(manifold$names[named], ": ", factors[named])
    return(paste0("lists (", paste(factors, collapse = ", "), ")"))
  }
  if (length(shape) == 2) return(paste0(shape[1], " x ", shape[2], " matrices"))
  paste0("vectors of ", shape, " number", if (shape > 1) "s")
}
