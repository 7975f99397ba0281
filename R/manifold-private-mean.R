#' Private Fréchet mean on a manifold
#'
#' Releases a noisy Fréchet mean of points on a manifold (directions, covariance matrices, rotations, ...) under
#' differential privacy. The Fréchet mean is the point with the smallest sum of squared distances to the data. The
#' result is a point of the manifold, unless `method = "ambient"`.
#'
#' @details
#' # Choice of the ball
#' All data are moved into a public ball, so that one point can move the mean by a bounded distance only. Noise
#' grows at least in proportion to the radius, so a ball that is too large costs accuracy. A ball that is too small
#' biases the mean toward its center. The radius has an upper limit on manifolds with positive curvature or with loops:
#' the bound of the sensitivity is proved below it only. For directions
#' within about 30 degrees of north, use `center = c(0, 0, 1)` and `radius = pi / 6`. [frechet_noise()] computes the
#' accuracy in advance, without the data, and compares the methods.
#'
#' @param x Points of the manifold, at least one, in one of the forms of [manifold]; or [table_rows()] if people have
#'   several. Points outside the ball are moved into it, and points off the manifold to it. On some manifolds, more than
#'   1% off is an error ([manifold_rows]).
#' @inheritParams manifold_geometry
#' @param center One point of the manifold (public): the center of the ball.
#' @param radius One positive number (public): the radius of the ball, in the units of the distance.
#' @inheritParams private_release
#' @param bound `"sharp"` (the default) or `"paper"`: two proved bounds of the sensitivity ([frechet_sensitivity()]).
#'   The bound of the paper is never smaller, so it adds at least as much noise.
#' @param support `"ball"` (the default, `NULL`): the release lies in the ball. `"manifold"`: it may lie anywhere on the
#'   manifold. With `epsilon` and `method = "intrinsic"`, `"manifold"` is an error if the noise density cannot be
#'   normalized on the whole manifold, if sampling it is slow, or for custom manifolds. Not for `method = "ambient"`.
#' @param method `"tangent"`: exact noise in the tangent space at the center. `"intrinsic"`: noise on the manifold, in
#'   doubles (the noise of `"tangent"` with `rho`, `mu`, or `delta`, or if it is slow or impossible). `"ambient"`: the
#'   paper's baseline, a noisy mean in a vector space around a sphere, `manifold_spd()` (affine invariant), rotations,
#'   subspaces, or shapes (projectors). See [frechet_methods].
#'
#' @return An object of class `dptda_private_frechet_mean`, a list of public fields:
#'
#' * `value`: the released point, in the form of one point. With `method = "ambient"`, a vector or matrix around the
#'   manifold. `on_manifold` is `TRUE` if `value` is a point of the manifold.
#' * `coordinates`: the tangent vector at the center that leads to the value, in an orthonormal frame. It is on a public
#'   lattice, then shortened to the radius if `support = "ball"`. With `method = "ambient"`, it is the offset of `value`
#'   in the vector space. If the point exceeds the range of doubles, only `coordinates` hold the release.
#' * `noise`: a list of `kind` (`"laplace"` or `"gaussian"`), `scale` (in the units of the distance), `dimension`, and
#'   `space` (`"manifold"` or `"tangent"`, where noise was drawn).
#' * `support`, `method`, `n`, `manifold`, `center`, and `radius`.
#'
#' Methods: [plot()][plot.dptda_private_frechet_mean].
#'
#' @section Privacy:
#' Unit: one row, i.e. one point, or one person with all of their points ([table_rows()]). Each person must have a
#' point, and all people have the same weight. Neighbors differ by replacing one unit. The number of units is public.
#'
#' Sensitivity: the smaller of [frechet_sensitivity()] and the diameter of the ball, plus a tolerance for rounding. In
#' tangent coordinates it is larger by a factor of at most theta / sin(theta), with theta the radius times the square
#' root of the largest curvature (a factor of 1 if no curvature is positive). With `"ambient"`, it is 2 / n times the
#' radius of a ball in the vector space.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy. With
#' `"tangent"` and `"ambient"` it is exact on the manifolds of the package. It is not proved as computed if
#' `noise$space` is `"manifold"`, nor on a [manifold_custom()]: see [frechet_methods].
#'
#' Not protected: errors about a missing value or about a row that cannot be moved to the manifold. They occur before
#' anything is drawn or charged, are for the curator, and are not part of a release. Functions of a [manifold_custom()]
#' must accept all rows, because an error that depends on a row reveals something about it. Running time depends on the
#' data, unless `options(dptda.release_time = )` is set ([dptda-package]). What these terms mean:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' <https://arxiv.org/abs/2111.02516>
#' @seealso [frechet_methods], [frechet_noise()] to plan a release, [frechet_mean()] for the mean itself,
#'   [rmanifold_laplace()] for the noise. Proofs: `manifold-private-mean.md` and `privacy-norm.md` in
#'   `system.file("proofs", package = "dptda")`.
#' @examples
#' # directions within 30 degrees of north
#' north <- c(0, 0, 1)
#' X <- cbind(stats::rnorm(500, sd = 0.2), stats::rnorm(500, sd = 0.2), 1)
#' X <- X / sqrt(rowSums(X^2))
#' private_frechet_mean(X, manifold_sphere(2), center = north, radius = pi / 6,
#'                      epsilon = 1)
#'
#' # covariance matrices
#' X <- stats::rWishart(200, df = 10, Sigma = diag(2) / 10)
#' private_frechet_mean(X, manifold_spd(2), center = diag(2), radius = 1.5,
#'                      epsilon = 1)
#' private_frechet_mean(X, manifold_spd(2), center = diag(2), radius = 1.5,
#'                      rho = 0.1)
#'
#' # shapes of four landmarks, near a square
#' square <- cbind(c(0, 1, 1, 0), c(0, 0, 1, 1))
#' landmarks <- array(c(square) + stats::rnorm(8 * 200, sd = 0.05), c(4, 2, 200))
#' private_frechet_mean(as_shapes(landmarks), manifold_shapes(4),
#'                      center = as_shapes(square), radius = 0.3, epsilon = 1)
#' @order 1
#' @export
private_frechet_mean <- function(x, manifold, center, radius, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL,
                                 bound = c("sharp", "paper"), support = NULL,
                                 method = c("tangent", "intrinsic", "ambient"), budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  if (missing(manifold)) {
    stop_missing_manifold(x, deparse1(substitute(x)), "private_frechet_mean", ", radius = 0.5, epsilon = 1")
  }
  check_manifold(manifold)
  if (missing(center)) stop_missing("center")
  if (missing(radius)) stop_missing("radius")
  read <- function(x) {
    points <- read_point_rows(x, manifold, "x")
    if (isTRUE(row_count(points) < 1)) stop_argument("x", "must have at least 1 point.")
    points
  }
  make <- function(units, rows) {
    method <- check_choice(method, c("tangent", "intrinsic", "ambient"))
    ball <- check_mean_ball(units, manifold, center, radius, epsilon, rho, bound, support, method, delta, mu)
    new_mechanism(ball, mean_guarantee(ball))
  }
  release(x, budget, rng, read, make, place = row_coordinates)
}

rows_for.private_frechet_mean <- function(plan, x) row_coordinates(plan, read_point_rows(x, plan$manifold, "x"))

# Converts points, or points of people, to coordinates about the public center, the form of rows from here on. A row
# without coordinates is an error, before anything is charged.
row_coordinates <- function(plan, rows) {
  place <- function(P) private_coordinates(P, plan$manifold, plan$center, plan$radius)
  if (!is_of_people(rows)) return(place(rows))
  rows$points <- place(rows$points)
  rows
}

statistic_of.private_frechet_mean <- function(plan, rows) {
  mean_plan <- plan$mean
  weights <- NULL
  if (is_of_people(rows)) {
    rows <- weigh_rows(rows, mean_plan$weight)
    weights <- point_weights(rows, mean_plan$weight)
    rows <- rows$points
  }
  with_shared_bar("Frechet mean", 2, plan_statistic(mean_plan, plan_coordinates(plan, rows), weights))
}

draw_of.private_frechet_mean <- function(plan, statistic, rng) draw_mean(plan$mean, statistic, 1, rng)

draws_of.private_frechet_mean <- function(plan, statistic, runs, rng) t(draw_mean(plan$mean, statistic, runs, rng))

# Returns the public ball and the plan on it: on the manifold itself, or in the vector space around it.
check_mean_ball <- function(n, manifold, center, radius, epsilon, rho, bound, support, method, delta = NULL,
                            mu = NULL) {
  center <- check_manifold_points(center, manifold, n = 1)
  radius <- check_ball_radius(radius, manifold)
  cost <- check_cost(epsilon, rho, delta, mu)
  measure <- cost$spent
  bound <- check_choice(bound, c("sharp", "paper"))
  if (!is.null(support) && method == "ambient") {
    stop_argument("support", "must be NULL with `method = \"ambient\"`, because ambient noise leaves the manifold.")
  }
  support <- if (is.null(support)) "ball" else check_choice(support, c("ball", "manifold"))
  ball <- public_plan("private_frechet_mean", manifold = manifold, center = center, radius = radius, method = method,
                      cost = cost)
  check_own_manifold(manifold, center, radius)
  check_reached(center, manifold, radius)
  if (method != "ambient") {
    ball$mean <- mean_plan(n, manifold, radius, measure, bound, support, center, method)
  } else {
    ball$ambient <- ambient_space(manifold, center, radius)
    around <- manifold_euclidean(ball$ambient$dimension)
    ball$mean <- mean_plan(n, around, ball$ambient$radius, measure, bound, "manifold")
  }
  ball
}

# Checks that doubles can represent points near the center, because releases are ends of geodesics from it.
check_reached <- function(center, manifold, radius) {
  end <- normal_points(matrix(0, manifold$dimension, 1), manifold, center)
  if (!isTRUE(.Call(ffi_manifold_distance, manifold, center, end, kernel_options()) < radius)) {
    stop_argument("center", "must be a point that double precision can distinguish from others at distance `radius`.")
  }
}

# Checks a user's manifold at the center and at points around it, all public: log must return the velocity of a
# geodesic, and distances its length from both ends, for vectors of the basis and for sums of two neighbors. Otherwise
# coordinates do not describe tangent vectors, or lengths disagree with the manifold.
check_own_manifold <- function(manifold, center, radius) {
  if (manifold$kind == "product") {
    parts <- lapply(factor_rows(manifold), function(rows) center[rows])
    return(invisible(Map(check_own_manifold, manifold$factors, parts, radius)))
  }
  if (manifold$kind != "custom") return(invisible())
  length <- min(radius, manifold$injectivity_radius / 4)
  center <- as.double(center)
  good <- is_own_basis(center, manifold, length)
  if (good) {
    # the points are halfway in the ball, and so is everything that is computed from them
    basis <- own_basis(manifold, center) * length / 2
    ways <- cbind(basis[, 1], -basis[, ncol(basis)], rowSums(basis) / sqrt(ncol(basis)))
    points <- apply(ways, 2, own_value, manifold = manifold, name = "exp", x = center, simplify = FALSE)
    good <- all(vapply(points, is_own_basis, NA, manifold = manifold, length = length / 2))
  }
  if (good) return(invisible())
  stop_argument("manifold", "must have a `basis` of orthonormal tangent vectors. At `center` or at a point near it, ",
                "for a vector v of this basis, log(x, exp(x, v)) is not v, or the distance between x and exp(x, v) is ",
                "not the length of v.")
}

is_own_basis <- function(x, manifold, length) {
  basis <- own_basis(manifold, x)
  pairs <- (basis[, -1, drop = FALSE] + basis[, -ncol(basis), drop = FALSE]) * sqrt(0.5)
  is_good <- function(v) {
    end <- own_value(v, manifold, "exp", x)
    back <- own_value(end, manifold, "log", x)
    far <- c(sqrt(sum(qr.coef(qr(own_basis(manifold, end)), own_value(x, manifold, "log", end))^2)),
             if (!is.null(manifold$functions$distance)) own_value(end, manifold, "distance", x))
    isTRUE(max(abs(back - v)) <= 1e-4 * max(abs(v)) && all(abs(far - length) <= 1e-4 * length))
  }
  all(apply(cbind(basis, pairs) * length, 2, is_good))
}

own_basis <- function(manifold, x) matrix(own_value(NULL, manifold, "basis", x), ncol = manifold$dimension)

# The value of a user's function at a public point `x`, and a second argument if it takes one.
own_value <- function(y, manifold, name, x) {
  shaped <- shape_points(cbind(x), manifold, single = TRUE)
  call <- manifold$functions[[name]]
  value <- if (is.null(y)) call(shaped) else call(shaped, replace(shaped, TRUE, y))
  count <- switch(name, basis = manifold$dimension * length(x), distance = 1, length(x))
  if (is.numeric(value) && length(value) == count && all(is.finite(value))) return(as.double(value))
  stop_argument("manifold", "must have a function `", name, "` that returns ", count_of(count, "finite number"),
                " at `center` and at points near it.")
}

# Returns the coordinates that the plan uses: about the center, or about its position in the space around the manifold.
plan_coordinates <- function(ball, V) {
  if (ball$method != "ambient") return(V)
  places <- kind_of(ball$manifold)$ambient$embed(V, ball$manifold, ball$center)
  shorten_columns(places - ball$ambient$center, ball$ambient$radius)
}

# The guarantee of the release, from public numbers.
mean_guarantee <- function(ball) {
  plan <- ball$mean
  noise <- shown_noise(plan)
  center <- shape_points(ball$center, ball$manifold, single = TRUE)
  new_guarantee(
    ball$cost$measure, plan$sensitivity, plan_title(plan, ball$method),
    public = c(list(n = plan$n, manifold = ball$manifold$title, center = center, radius = ball$radius,
                    bound = plan$bound, scale = noise$scale, step = plan$step), weight_words(plan, plan$weight)),
    sampler = "exact", inexact = if (is_intrinsic(plan)) "sampler, rounded to a public lattice",
    step = "private_frechet_mean", spent = ball$cost$known, person = plan$person
  )
}

# Warns by the typical length of the noise in flat coordinates: the mean of a norm with density exp(-length / scale), or
# the root mean square of Gaussian noise. Computing the distribution itself takes up to a second (noise_of()).
weakness_of.private_frechet_mean <- function(plan) {
  noise <- shown_noise(plan$mean)
  away <- noise$scale * if (noise$kind == "laplace") noise$dimension else sqrt(noise$dimension)
  n <- plan$mean$n
  weak_noise(n, n * away / plan$radius, "the noise moves the mean by about ", format(away, digits = 2),
             ", and the ball has the radius ", format(plan$radius, digits = 3),
             ": guessing its center, without data, is as accurate")
}

noise_of.private_frechet_mean <- function(plan) {
  noise <- shown_noise(plan$mean)
  manifold <- if (plan$method == "ambient") manifold_euclidean(noise$dimension) else plan$manifold
  origin <- if (noise$space == "manifold") origin_of(plan$manifold, plan$center)
  within <- noise_distance(noise, plan$mean$support, manifold, origin, plan$radius, 0.95)
  kind <- c(laplace = "Laplace", gaussian = "rounded Gaussian")[[noise$kind]]
  noise_lines("the distance from the mean", kind, noise$scale, within = within)
}

# From the released coordinates.
result_of.private_frechet_mean <- function(plan, drawn) {
  mean_plan <- plan$mean
  ambient <- if (plan$method == "ambient") kind_of(plan$manifold)$ambient
  value <- if (is.null(ambient)) {
    shape_points(released_points(drawn, plan$manifold, plan$center), plan$manifold, single = TRUE)
  } else {
    ambient$read(as.double(drawn) + plan$ambient$center, plan$manifold, plan$center)
  }
  fields <- list(
    value = value, coordinates = as.double(drawn), on_manifold = is.null(ambient) ||
      ambient$holds(value, plan$manifold),
    noise = shown_noise(mean_plan), support = mean_plan$support, method = plan$method, n = mean_plan$n,
    manifold = plan$manifold, center = shape_points(plan$center, plan$manifold, single = TRUE), radius = plan$radius
  )
  if (!is.null(mean_plan$person)) fields$person <- mean_plan$person
  new_private_release(fields, "dptda_private_frechet_mean")
}

define_class(
  "dptda_private_frechet_mean", "private_frechet_mean()", value = function(x) is.numeric(x) || is.list(x),
  coordinates = is_numbers, on_manifold = is_one_flag,
  noise = function(x) is.list(x) && is_one_string(x$kind) && is_one_string(x$space),
  support = is_one_string, method = is_one_string, n = is_one_number, person = is_null_or(is_one_string),
  manifold = is_made("dptda_manifold"),
  center = function(x) is.numeric(x) || is.list(x), radius = is_one_number
)

plan_title <- function(plan, method) {
  noise <- c(laplace = "Laplace noise", gaussian = "rounded Gaussian noise")[[plan$noise]]
  if (method == "ambient") return(paste(noise, "around the manifold, on an arithmetic mean"))
  where <- if (is_intrinsic(plan) || is_flat(plan$manifold)) "on the manifold" else
    "in the tangent space at the center"
  paste0(noise, " ", where, if (plan$support == "ball") ", clamped to the ball", ", on a Frechet mean")
}

#' @rdname plot.dptda_private_frechet_mean
#' @export
print.dptda_private_frechet_mean <- function(x, ...) {
  check_valid(x, "dptda_private_frechet_mean")
  print_release(x, {
    writeLines(strwrap(paste0(units_words(x, "point"), ", ", x$manifold$title), exdent = 2))
    print(x$value)
    if (!x$on_manifold) cat("The value is not a point of the manifold.\n")
    target <- if (x$method == "ambient") "arithmetic mean around the manifold" else "mean of the clamped points"
    within <- format(c(release_noise(x), release_noise(x, mean_at = "center")), digits = 3, trim = TRUE)
    cat("noise: within ", within[1], " of the ", target, " (95%)\n", sep = "")
    if (within[2] != within[1]) cat("  (within ", within[2], " if that is at the center of the ball)\n", sep = "")
  })
}

#' @rdname plot.dptda_private_frechet_mean
#' @export
summary.dptda_private_frechet_mean <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_frechet_mean")
}

#' @rdname plot.dptda_private_frechet_mean
#' @export
as.matrix.dptda_private_frechet_mean <- function(x, ...) {
  check_no_dots(...)
  value <- check_valid(x, "dptda_private_frechet_mean")$value
  if (!is.numeric(value)) stop_argument("x", "must be a mean whose value is a vector or a matrix, not a list.")
  as.matrix(value)
}

# From public fields alone.
release_noise <- function(x, level = 0.95, mean_at = "anywhere") {
  origin <- if (x$noise$space == "manifold") origin_of(x$manifold, read_points(x$center, x$manifold))
  manifold <- if (x$method == "ambient") manifold_euclidean(x$noise$dimension) else x$manifold
  noise_distance(x$noise, x$support, manifold, origin, x$radius, level, mean_at)
}

# The random part of the output: the coordinates of a point of the manifold, or the numbers of an ambient value.
#' @rdname audit_features
#' @export
audit_features.dptda_private_frechet_mean <- function(output, ...) {
  check_valid(output, "dptda_private_frechet_mean")
  audit_features(if (output$method == "ambient") as.double(output$value) else output$coordinates)
}

# Examples with points on the rim of a public ball. The mean of one point is the point itself. If it moves to the
# opposite end, the mean moves by the whole diameter, the cap of the sensitivity. The two points on the cap were found
# by audit_neighbors() among eight on its rim: 0.400 of a sensitivity of 0.520. On the sheet, two points attain it.
example_of.private_frechet_mean <- function(plan) {
  # the ends of the geodesics through the center with the velocities v and -v
  opposite <- function(manifold, center, v) {
    list(manifold_exp(center, v, manifold), manifold_exp(center, -v, manifold))
  }
  mean_of <- function(note, manifold, center, pair, radius, ..., n = 1) {
    settings <- list(manifold = manifold, center = center, radius = radius, ...)
    release_example("frechet_mean", note, pair[[1]], pair[[2]], settings, n)
  }
  sphere <- manifold_sphere(2)
  pole <- c(0, 0, 1)
  cap <- opposite(sphere, pole, c(pi / 8, 0, 0))
  rim <- manifold_exp(pole, pi / 8 * sqrt(0.5) * rbind(c(-1, 1, 0), c(-1, -1, 0), c(1, 1, 0)), sphere)
  plane <- manifold_hyperbolic(2)
  sheet <- opposite(plane, c(1, 0, 0), c(0, 1, 0))
  spd <- manifold_spd(2)
  flat <- manifold_spd(2, "log-euclidean")
  spread <- matrix(c(0, 1, 1, 0), 2) / sqrt(2)
  covariance <- opposite(spd, diag(2), spread)
  # ten rows on one side of the ball, one of which moves to the other side, with nearly the longest possible draws
  copies <- function(times) simplify2array(opposite(spd, diag(2), diag(2) / 2)[rep(1:2, times)])
  turned <- opposite(manifold_rotation(3), diag(3), rbind(c(0, -0.7, 0), c(0.7, 0, 0), 0))
  line <- cbind(c(1, 0, 0))
  lines <- opposite(manifold_grassmann(1, 3), line, cbind(c(0, 0.4, 0)))
  four <- manifold_shapes(4)
  kite <- as_shapes(cbind(c(-1, 1, 0, 0), c(0, 0, 2, -1)))
  bent <- manifold_log(kite, as_shapes(cbind(c(-1, 1, 1, 0), c(0, 0, 2, -1))), four)
  kites <- opposite(four, kite, 0.35 * bent / sqrt(sum(bent^2)))
  # one of two people moves from one side to the other, with more rows
  of_people <- lapply(list(list(c(1, 1, 1), c(1, 2, 1)), list(c(1, 2, 2, 2, 2), c(1, 2, 2, 2, 2))), function(rows) {
    people_example(data.frame(do.call(rbind, sheet[rows[[1]]]), who = rows[[2]]))
  })
  two <- example_units(of_people[[1]])
  list(
    mean_of("sphere", sphere, pole, cap, pi / 8, epsilon = 2),
    mean_of("sphere, two points", sphere, pole, list(rim[1:2, ], rim[c(1, 3), ]), pi / 8, epsilon = 2, n = 2),
    mean_of("sphere, rho", sphere, pole, cap, pi / 8, rho = 1),
    mean_of("sphere, mu", sphere, pole, cap, pi / 8, mu = 1),
    mean_of("sphere, ambient", sphere, pole, cap, pi / 8, method = "ambient", epsilon = 2),
    mean_of("hyperbolic", plane, c(1, 0, 0), sheet, 1, epsilon = 4),
    mean_of("hyperbolic, much noise", plane, c(1, 0, 0), list(rbind(sheet[[2]], sheet[[1]]),
                                                              rbind(sheet[[1]], sheet[[1]])), 1,
            epsilon = 1, n = 2),
    mean_of("hyperbolic, rho", plane, c(1, 0, 0), sheet, 1, rho = 2),
    mean_of("sphere, intrinsic", sphere, pole, cap, pi / 8, method = "intrinsic", epsilon = 2),
    mean_of("spd, intrinsic", spd, diag(2), covariance, 1, method = "intrinsic", epsilon = 4),
    mean_of("spd", spd, diag(2), covariance, 1, epsilon = 4),
    mean_of("spd, near the largest scale", spd, diag(2), list(copies(c(10, 0)), copies(c(9, 1))), sqrt(0.5),
            method = "intrinsic", epsilon = 0.1001, support = "manifold", n = 10),
    mean_of("spd, ambient", spd, diag(2), covariance, 1, method = "ambient", epsilon = 4),
    mean_of("spd log-euclidean, rho", flat, diag(2), opposite(flat, diag(2), spread), 1, rho = 1),
    mean_of("rotation", manifold_rotation(3), diag(3), turned, 0.7, epsilon = 2),
    mean_of("grassmann", manifold_grassmann(1, 3), line, lines, 0.4, epsilon = 2),
    mean_of("shapes", four, kite, kites, 0.35, epsilon = 2),
    mean_of("people", plane, c(1, 0, 0), of_people, 1, epsilon = 4, n = two),
    mean_of("people, rho", plane, c(1, 0, 0), of_people, 1, rho = 2, n = two)
  )
}

# Computes quantiles of the distance between a draw and its location. `noise` as in shown_noise(), `origin` a column.
noise_distance <- function(noise, support, manifold, origin, radius, level, mean_at = "anywhere") {
  distance <- if (noise$kind == "gaussian") {
    noise$scale * sqrt(stats::qchisq(level, noise$dimension))
  } else if (noise$space == "tangent") {
    noise$scale * stats::qgamma(level, noise$dimension)
  } else {
    stats::quantile(drawn_distances(noise$scale, manifold, origin), level, names = FALSE)
  }
  if (noise$space == "tangent" && mean_at == "anywhere") {
    # both ends are in the ball, or at most this far outside
    distance <- distance * stretch_of_exp(manifold, radius + if (support == "manifold") distance else 0)
  }
  pmin(distance, manifold$reach, if (support == "manifold") Inf else 2 * radius)
}

# The largest factor by which exp lengthens vectors within `reach` of the origin, by comparison with the space of the
# lowest curvature.
stretch_of_exp <- function(manifold, reach) {
  bend <- reach * sqrt(max(0, -manifold$curvature[1]))
  if (manifold$dimension == 1 || all(bend == 0)) return(1)
  ifelse(bend > 0, sinh(bend) / bend, 1)
}

# Draws for about a second or two. Matrices and rare acceptance reduce the number of draws.
drawn_distances <- function(scale, manifold, origin) {
  draw <- function(draws) {
    draw_laplace(draws, manifold, origin, scale, rng = public_key, origin = origin)
  }
  draws <- 1e6 * draw(100)$acceptance / manifold$size^1.5
  sqrt(colSums(draw(round(min(max(draws, 200), 20000)))$points^2))
}
