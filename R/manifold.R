# The manifolds: what R knows of them. What they compute is in C, one file per
# manifold behind one table of functions (src/core/manifold.h).

#' Manifolds: spheres, covariance matrices, rotations, hyperbolic spaces
#'
#' Makes the manifolds on which means, distances and private releases are computed: Euclidean and hyperbolic spaces,
#' spheres, positive definite matrices, rotations, subspaces and their products. A manifold is a public description; it
#' holds no data.
#'
#' @details
#' Points of `manifold_euclidean()`, `manifold_sphere()` and `manifold_hyperbolic()` are vectors. Many of
#' them are the rows of a matrix or data frame; a plain vector is one point. Where a
#' point is one number, a plain vector is many points.
#'
#' Points of `manifold_spd()`, `manifold_rotation()` and `manifold_grassmann()` are matrices. Many of them
#' are an array with the point index last (`X[, , i]` is the i-th), or a list of
#' matrices; a matrix is one point. A matrix whose rows are vectorized points is
#' accepted too.
#'
#' Points of a product are lists with one element for each factor, each in the form of
#' its factor and in their order. Names of the elements must be those of the factors.
#'
#' Points within `1e-8` of the manifold, relative to their size, are moved to it; others are an error. Rows of
#' [private_frechet_mean()] may be farther: each is moved to the nearest point by itself.
#'
#' | manifold | point | distance | curvature | injectivity radius |
#' |---|---|---|---|---|
#' | `manifold_euclidean(d)` | vector of d numbers | straight | 0 | infinite |
#' | `manifold_sphere(d, radius)` | d + 1 numbers, of length `radius` | along great circles | 1 / radius^2 | pi radius |
#' | `manifold_hyperbolic(d, curvature)` | d + 1 numbers, first the time t | hyperboloid | `curvature` | infinite |
#' | `manifold_spd(p)` | p x p symmetric positive definite | norm of log(x^-1/2 y x^-1/2) | -1/2 to 0 | infinite |
#' | `manifold_spd(p, "log-euclidean")` | the same | norm of log(x) - log(y) | 0 | infinite |
#' | `manifold_rotation(p)` | p x p orthogonal, det 1 | norm of the angles of x'y | 0 to 1/4 (p = 3), 1/2 (p > 3) | pi |
#' | `manifold_grassmann(k, p)` | p x k, an orthonormal basis | norm of the principal angles | 0 to 2, or 1 | pi / 2 |
#' | `manifold_product(...)` | list | norm of the distances | of the factors, and 0 | least of the factors |
#'
#' Norms are roots of sums of squares. The first distance of positive definite
#' matrices is the affine invariant one. Points of hyperbolic space have t > 0 and
#' t^2 - sum(x^2) = -1 / curvature. The curvature of a manifold of subspaces is
#' 1 where k or p - k is 1.
#'
#' A subspace has many bases. Whatever these functions return has the basis
#' that depends on the subspace alone.
#'
#' The numbers of a point of hyperbolic space grow like the exponential of its
#' distance a (in units of 1 / sqrt(-curvature)) from the origin: across the
#' radius it is known to a relative 1e-16 exp(a), and the points that numbers can
#' hold end at a = 230. The time t is taken from the other numbers, for points
#' and for tangent vectors. On `manifold_spd()`, [manifold_exp()] ends where an eigenvalue
#' has grown or shrunk by a factor of 1e200. Whatever would end farther away,
#' random points included, ends there.
#'
#' @param d One whole number of at least 1: the dimension.
#' @param p One whole number: the rows of the matrices; at least 1 for `manifold_spd()`, 2
#'   for the others.
#' @param k One whole number from 1 to p - 1: the dimension of the subspaces.
#' @param radius One positive number from 1e-100 to 1e100: the radius of the sphere.
#' @param curvature For `manifold_hyperbolic()`, one negative number from -1e200 to
#'   -1e-200: the sectional curvature.
#' @param metric `"affine"` or `"log-euclidean"`: the Riemannian metric of
#'   positive definite matrices. The affine invariant one does not change when
#'   all matrices are seen in another basis; the log-Euclidean one is flat, and
#'   faster.
#' @param ... For `manifold_product()`, the manifolds, at least one; names are
#'   kept.
#' @param x A manifold.
#' @return An object of class `dptda_manifold`: a list with the public fields
#'   `kind`, `dimension`, `shape` (of one point), `curvature` (two numbers, between
#'   which the sectional curvatures lie; both are attained, on products zero may
#'   be one of them), `injectivity_radius` (up to which, from every point,
#'   geodesics are shortest and unique) and others.
#' @seealso [manifold_custom()] for a manifold of your own, [manifold_distance()]
#'   for what can be computed, [frechet_mean()], [private_frechet_mean()].
#' @references
#' Helgason, S. (2001). *Differential geometry, Lie groups, and symmetric
#' spaces*. American Mathematical Society.
#'
#' Arsigny, V., Fillard, P., Pennec, X. and Ayache, N. (2007). Geometric means in
#' a novel vector space structure on symmetric positive-definite matrices. *SIAM
#' Journal on Matrix Analysis and Applications* 29, 328-347.
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
manifold_product <- function(...) {
  factors <- list(...)
  if (length(factors) == 0) stop_argument("...", "must be at least one manifold.")
  for (factor in factors) check_manifold(factor, arg = "...")
  title <- paste0("product of ", paste(vapply(factors, `[[`, "", "title"), collapse = "; "))
  new_manifold("product", double(), shape = NULL, title = title, factors = factors)
}

#' Define a manifold by R functions
#'
#' Defines a manifold of your own by R functions. It works wherever the manifolds of the package do, slowly. There is
#' no exact sampler on it: private releases draw their noise in the tangent space at the center, which needs none, and
#' [rmanifold_laplace()] gives the last states of a Markov chain.
#'
#' A private mean keeps the manifold, and a function carries the frame it was written in: write the functions where no
#' rows are (not inside of the function that analyses them), or the rows are saved with the release.
#'
#' @param shape One or two whole numbers: the length of a point that is a
#'   vector, or the sides of a point that is a matrix.
#' @param dimension One whole number: the dimension of the manifold.
#' @param exp A function of a point `x` and a tangent vector `v` at `x`: the end
#'   of the geodesic that leaves `x` with velocity `v`, after time one.
#' @param log A function of two points `x` and `y`: the shortest velocity at `x`
#'   that leads to `y`.
#' @param basis A function of a point `x`: a matrix with `prod(shape)` rows and
#'   `dimension` columns, vectorized tangent vectors at `x` that are orthonormal
#'   in the metric of the manifold. Private releases check this at their center.
#' @param distance `NULL` or a function of two points: their distance. Default:
#'   the length of `log(x, y)`.
#' @param transport `NULL` or a function of two points `x` and `y` and a tangent
#'   vector at `x`: the vector at `y` to which it is transported along the
#'   geodesic.
#' @param project `NULL` or a function of an array of the shape of a point: the
#'   nearest point of the manifold, `NA` if there is none. Private releases move rows by it, however far. Default:
#'   every finite array is taken for a point.
#' @param curvature Two numbers: a lower and an upper bound of the sectional
#'   curvatures, with `-Inf` and `Inf` where they are unknown. Guarantees rest on them.
#' @param injectivity_radius One positive number: up to this distance, from
#'   every point, geodesics are shortest and unique. Guarantees rest on it.
#' @param homogeneous `TRUE` or `FALSE`: do isometries take every point to every
#'   other? Then the noise of a private mean needs no factor of two.
#' @param name One string, shown by `print()`.
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
    stop_argument("shape", "must be one or two whole numbers of at least 1, with a product of at most 1e6, not ",
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

# `numbers` and what follows are read by ffi_read_manifold(); the facts come
# from the core, so that they stand in one place.
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

# Guarantees rest on the facts, which are those of the core and of nobody's hand.
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
    named <- nzchar(manifold$names) # of no names, none
    factors[named] <- paste0(manifold$names[named], ": ", factors[named])
    return(paste0("lists (", paste(factors, collapse = ", "), ")"))
  }
  if (length(shape) == 2) return(paste0(shape[1], " x ", shape[2], " matrices"))
  paste0("vectors of ", shape, " number", if (shape > 1) "s")
}
