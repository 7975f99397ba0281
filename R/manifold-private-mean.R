#' Private Frechet mean on a manifold
#'
#' Releases the Frechet mean of points on a manifold (directions, covariance matrices, rotations, ...) under
#' differential privacy: the point with the least sum of squared distances, moved by noise whose density falls with the
#' distance from it. The release is a point of the manifold.
#'
#' All data are moved into a public ball, so that one point can move the mean by
#' a known distance at most. A ball that is too large costs noise in proportion
#' to its radius; one that is too small moves the mean. On manifolds of positive
#' curvature the radius has a limit, beyond which means are not unique.
#'
#' [frechet_noise()] says beforehand, without the data, how much noise there
#' will be.
#'
#' With `method = "ambient"` the arithmetic mean of the clamped points in a vector space around the manifold is
#' released, with noise in that space; on spheres, `manifold_spd()` with the affine invariant metric, rotations and
#' subspaces (as projectors) only.
#'
#' # Rows
#'
#' Each row is moved to the nearest point of the manifold by itself. A vector of any length stands for its direction,
#' and any basis for its subspace. Other rows may be off by 1% of their size, as rounded numbers are: matrices
#' become symmetric, semidefinite or orthogonal. A row that is farther off, such as the lower triangle of a matrix,
#' or has no nearest point, such as a vector of zeros, is an error. Like the error for a missing value, it is for
#' the curator and not part of the release, and nothing has been drawn or charged.
#'
#' Points outside the ball are then moved along the geodesic to its center until they are inside. Singular covariance
#' matrices end at the edge of the ball: eigenvalues below `exp(-3 * radius)`, relative to the center, count as
#' that. If all matrices are singular in the same way, as with EEG referenced to the average, leave out one channel.
#'
#' @param x Points of the manifold, in one of the forms of [manifold], or by [table_rows()] if people have many; at
#'   least one. Points that are off the manifold, or outside the ball, are moved: see *Rows*.
#' @param center One point of the manifold, public: the center of the ball.
#' @param radius One positive number, public, in the units of the distance: the
#'   radius of the ball.
#' @param bound `"sharp"` or `"paper"`: which bound of the sensitivity, see
#'   [frechet_sensitivity()].
#' @param support `"ball"`: the release lies in the ball. `"manifold"`: it may lie
#'   anywhere on the manifold; with `epsilon` and `method = "intrinsic"` an error
#'   where the law on all of the manifold has an infinite constant, or draws of it
#'   take long, or the manifold is your own. `NULL` is `"ball"`. Not for `method = "ambient"`.
#' @param method `"tangent"`: exact noise in the tangent space at the center. `"intrinsic"`, which matters for `epsilon`
#'   only: noise drawn in doubles on the manifold where that is good, and else the former. `"ambient"`: the baseline of
#'   the paper, on some manifolds only. See *Details* and *Implementation*.
#' @inheritParams private_release
#' @inheritParams manifold_geometry
#'
#' @return A list of class `dptda_private_frechet_mean`. All its fields are
#'   public: `value` (the released point, in the form of one point, as `point` of
#'   [frechet_mean()]; with `method = "ambient"` a vector or matrix around the manifold), `coordinates`
#'   (the tangent vector at the center that ends at the value, in an orthonormal
#'   frame, on the public lattice before it was clamped: it also holds a release that
#'   is too far away to be written as a matrix of doubles), `on_manifold`
#'   (`TRUE` or `FALSE`, from the release), `noise` (a list of `kind`,
#'   `"laplace"` or `"gaussian"`, `scale`, in the units of the distance,
#'   `dimension` and `space`: drawn on the `"manifold"` or in the `"tangent"` space),
#'   `support`, `method`, `n`,
#'   `manifold`, `center` and `radius`. [privacy()] gives its guarantee,
#'   `as.numeric()` the numbers of the value, `as.matrix()` the value as a matrix, a vector as
#'   its only column; `summary()` gives the release back.
#'
#' @section Privacy:
#' Unit: one row, that is one point, or one person ([table_rows()]) with all points, of whom each must have one.
#' Relation: replace one, their number is public. The mean is then that of points that weigh the same for each person,
#' together. Sensitivity: [frechet_sensitivity()], never more than the
#' diameter of the ball, plus a tolerance for the computed mean. Guarantee:
#' `epsilon`-differential privacy or `rho`-zero-concentrated differential
#' privacy. A missing value, or a row that cannot be moved to the manifold, is an error before anything is drawn; that
#' message is for the curator and not part of a release.
#'
#' Everything that touches the data happens about the origin of the manifold, where doubles are finest: each row comes
#' in by itself, as coordinates about the public center, and only a point of the public lattice goes out again. So no
#' center makes anything fail or end at a place that the data choose, and the bound of the mean's rounding errors is
#' proved for the whole ball. The mean is then rounded to whole steps of a lattice, and noise is added in whole
#' numbers: no double is between the random bits and the release, and the guarantee is that of the numbers that come
#' out. Noise on the manifold itself (`method = "intrinsic"`) is exact in real arithmetic and drawn in double
#' precision, on a lattice of about 2^-16 of its scale. What rounding may cost there, some 2^-24, is estimated and
#' taken off `epsilon` beforehand, half of it at most: no proof against attacks on floating point, and [privacy()] says
#' so. The functions of a [manifold_custom()] must not fail, since an error would be seen. Running time depends on the
#' data and is not protected, except by the option `dptda.release_time` ([dptda-package]). What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' Noise is added to the coordinates of the mean in the tangent space at the center, in
#' whole steps: for `epsilon` with a density that falls with its length, of scale
#' sensitivity / epsilon, without the factor 2 of the exponential mechanism; for `rho`
#' discrete Gaussian. Coordinates move no more than means do where curvature is not
#' positive, and by a factor of at most theta / sin(theta) elsewhere, with theta the radius
#' times the root of the curvature. Each digit of the noise is drawn when the release
#' depends on it, as many as that takes. A release outside the ball is clamped to it,
#' which is post-processing.
#'
#' `"intrinsic"` draws on the manifold itself, where isometries take every point to every
#' other: the density's constant is then the same for every mean. It does as long as the
#' growth of volume does not make the noise more than twice as long (scales up to half of that
#' at which the constant becomes infinite), and at least one proposal in a hundred is
#' accepted; else the noise is that of `"tangent"`. Which of the two is drawn is decided by
#' public numbers, and said by the release. On spheres it is 3 % nearer to the mean at a radius of
#' pi/8 and 11 % at pi/4, on rotations up to 5 %, and no nearer for a mean close to the center of a ball of
#' negative curvature. Ask for it where the mean may be far out in a large one: there noise in the tangent
#' space is longer, seen on the manifold, than about its center, 20 % in `manifold_spd(2)` at
#' a radius of 1.5. [frechet_noise()] gives both.
#'
#' On flat manifolds without loops all are the same, the mean is that of whole
#' numbers, and nothing iterates. Draws on a manifold that is not bounded are cut some 2^20
#' scales from the center; beyond is a probability below 2^-60.
#' Cost: that of the mean and three passes over the points, and below a millisecond for
#' the noise. The proofs are in `system.file("proofs", "manifold-private-mean.md", package =
#' "dptda")` and, of the noise, `privacy-norm.md` there.
#'
#' @references
#' Reimherr, M., Bharath, K. and Soto, C. (2021). Differential privacy over
#' Riemannian manifolds. *Advances in Neural Information Processing Systems* 34.
#' <https://arxiv.org/abs/2111.02516>
#'
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#'
#' Karney, C. F. F. (2016). Sampling exactly from the normal distribution. *ACM
#' Transactions on Mathematical Software* 42. <https://arxiv.org/abs/1303.6257>
#' @seealso [frechet_noise()] to plan a release, [frechet_mean()] for the mean
#'   itself, [rmanifold_laplace()] for the noise.
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
#' @export
private_frechet_mean <- function(x, manifold, center, radius, epsilon = NULL, rho = NULL, ..., delta = NULL,
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
    ball <- check_mean_ball(units, manifold, center, radius, epsilon, rho, bound, support, method, delta)
    new_mechanism(ball, mean_guarantee(ball))
  }
  release(x, budget, rng, read, make, place = row_coordinates)
}

rows_for.private_frechet_mean <- function(plan, x) row_coordinates(plan, read_point_rows(x, plan$manifold, "x"))

# Points, or points of people, by their coordinates about the public center: the form in which rows are kept from
# here on. A row without coordinates is an error, and nothing has been charged yet.
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

# The public ball and the plan on it: on the manifold itself, or on the
# vector space around it.
check_mean_ball <- function(n, manifold, center, radius, epsilon, rho, bound, support, method, delta = NULL) {
  center <- check_manifold_points(center, manifold, n = 1)
  radius <- check_ball_radius(radius, manifold)
  cost <- check_cost(epsilon, rho, delta)
  measure <- cost$spent
  bound <- check_choice(bound, c("sharp", "paper"))
  if (!is.null(support) && method == "ambient") {
    stop_argument("support", "does not go with `method = \"ambient\"`: ambient noise leaves the manifold.")
  }
  support <- if (is.null(support)) "ball" else check_choice(support, c("ball", "manifold"))
  ball <- public_plan("private_frechet_mean", manifold = manifold, center = center, radius = radius, method = method,
                      cost = cost)
  check_reached(center, manifold, radius)
  check_own_basis(manifold, center, radius)
  if (method != "ambient") {
    ball$mean <- mean_plan(n, manifold, radius, measure, bound, support, center, method)
  } else {
    ball$ambient <- ambient_space(manifold, center, radius)
    around <- manifold_euclidean(ball$ambient$dimension)
    ball$mean <- mean_plan(n, around, ball$ambient$radius, measure, bound, "manifold")
  }
  ball
}

# Releases are ends of geodesics from the center: it must be one that doubles
# hold, or no release would be near it.
check_reached <- function(center, manifold, radius) {
  end <- normal_points(matrix(0, manifold$dimension, 1), manifold, center)
  if (!isTRUE(.Call(ffi_manifold_distance, manifold, center, end, kernel_options()) < radius)) {
    stop_argument("center", "must be a point that double precision can tell from others at a distance of `radius`.")
  }
}

# Checks the basis of a user's manifold at the center: log must give back the velocity of a geodesic, and distance its
# length, for vectors of the basis and for sums of two neighbors. Otherwise coordinates are not those of tangent
# vectors, or lengths not those of the manifold.
check_own_basis <- function(manifold, center, radius) {
  if (manifold$kind == "product") {
    parts <- lapply(factor_rows(manifold), function(rows) center[rows])
    return(Map(check_own_basis, manifold$factors, parts, radius))
  }
  if (manifold$kind != "custom") return(invisible())
  functions <- manifold$functions
  x <- shape_points(cbind(as.double(center)), manifold, single = TRUE)
  length <- min(radius, manifold$injectivity_radius / 4)
  basis <- matrix(as.double(functions$basis(x)), ncol = manifold$dimension)
  pairs <- (basis[, -1] + basis[, -manifold$dimension]) * sqrt(0.5)
  is_good <- function(v) {
    end <- functions$exp(x, replace(x, TRUE, v))
    back <- functions$log(x, end)
    far <- if (is.null(functions$distance)) length else functions$distance(x, end)
    max(abs(as.double(back) - v)) <= 1e-4 * max(abs(v)) && abs(far - length) <= 1e-4 * length
  }
  if (all(apply(cbind(basis, pairs) * length, 2, function(v) isTRUE(is_good(v))))) return(invisible())
  stop_argument("manifold", "must have a `basis` of orthonormal tangent vectors. At `center`, for a vector v of this ",
                "basis, log(x, exp(x, v)) is not v, or the distance between x and exp(x, v) is not the length of v.")
}

# Coordinates about the center as the plan takes them: these, or about the center's place in the space around the
# manifold.
plan_coordinates <- function(ball, V) {
  if (ball$method != "ambient") return(V)
  places <- kind_of(ball$manifold)$ambient$embed(V, ball$manifold, ball$center)
  shorten_columns(places - ball$ambient$center, ball$ambient$radius)
}

# What the release will promise, from public numbers.
mean_guarantee <- function(ball) {
  plan <- ball$mean
  noise <- shown_noise(plan)
  center <- shape_points(ball$center, ball$manifold, single = TRUE)
  new_guarantee(
    ball$cost$measure, plan$sensitivity, plan_title(plan, ball$method),
    public = c(list(n = plan$n, manifold = ball$manifold$title, center = center, radius = ball$radius,
                    bound = plan$bound, scale = noise$scale, step = plan$step), weight_words(plan, plan$weight)),
    sampler = "exact", inexact = if (is_intrinsic(plan)) "sampler, rounded to a public lattice",
    step = "private_frechet_mean", spent = ball$cost$spent, person = plan$person
  )
}

# How far the noise moves the mean, in flat coordinates: a norm whose density falls like exp(-length / scale), and the
# root of the mean square of Gaussian noise. The law itself takes up to a second (noise_of()).
weakness_of.private_frechet_mean <- function(plan) {
  noise <- shown_noise(plan$mean)
  away <- noise$scale * if (noise$kind == "laplace") noise$dimension else sqrt(noise$dimension)
  n <- plan$mean$n
  weak_noise(n, n * away / plan$radius, "the noise moves the mean by about ", format(away, digits = 2),
             ", and the ball has the radius ", format(plan$radius, digits = 3),
             ": its center, a guess without data, is as near")
}

noise_of.private_frechet_mean <- function(plan) {
  noise <- shown_noise(plan$mean)
  manifold <- if (plan$method == "ambient") manifold_euclidean(noise$dimension) else plan$manifold
  origin <- if (noise$space == "manifold") origin_of(plan$manifold, plan$center)
  within <- noise_distance(noise, plan$mean$support, manifold, origin, plan$radius, 0.95)
  kind <- c(laplace = "Laplace", gaussian = "discrete Gaussian")[[noise$kind]]
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
  noise <- c(laplace = "Laplace noise", gaussian = "discrete Gaussian noise")[[plan$noise]]
  if (method == "ambient") return(paste(noise, "around the manifold, on an arithmetic mean"))
  where <- if (is_intrinsic(plan) || is_flat(plan$manifold)) "on the manifold" else
    "in the tangent space at the center"
  paste0(noise, " ", where, if (plan$support == "ball") ", clamped to the ball", ", on a Frechet mean")
}

#' @rdname private_frechet_mean
#' @param x A private mean.
#' @export
print.dptda_private_frechet_mean <- function(x, ...) {
  check_valid(x, "dptda_private_frechet_mean")
  print_release(x, {
    writeLines(strwrap(paste0(units_words(x, "point"), ", ", x$manifold$title), exdent = 2))
    print(x$value)
    if (!x$on_manifold) cat("not a point of the manifold\n")
    target <- if (x$method == "ambient") "arithmetic mean, around the manifold" else "mean of the clamped points"
    within <- format(c(release_noise(x), release_noise(x, mean_at = "center")), digits = 3, trim = TRUE)
    cat("noise (95 %): within ", within[1], " of the ", target, "\n", sep = "")
    if (within[2] != within[1]) cat("  (within ", within[2], " where that is at the center of the ball)\n", sep = "")
  })
}

#' @rdname private_frechet_mean
#' @param object A private mean.
#' @export
summary.dptda_private_frechet_mean <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_frechet_mean")
}

#' @rdname private_frechet_mean
#' @export
as.matrix.dptda_private_frechet_mean <- function(x, ...) {
  check_no_dots(...)
  value <- check_valid(x, "dptda_private_frechet_mean")$value
  if (!is.numeric(value)) stop_argument("x", "must be a mean whose value is a vector or a matrix, not a list of them.")
  as.matrix(value)
}

# From public fields alone.
release_noise <- function(x, level = 0.95, mean_at = "anywhere") {
  origin <- if (x$noise$space == "manifold") origin_of(x$manifold, read_points(x$center, x$manifold))
  manifold <- if (x$method == "ambient") manifold_euclidean(x$noise$dimension) else x$manifold
  noise_distance(x$noise, x$support, manifold, origin, x$radius, level, mean_at)
}

# Of a private point its coordinates are random, of one around the manifold its
# numbers.
#' @rdname audit_features
#' @export
audit_features.dptda_private_frechet_mean <- function(output, ...) {
  check_valid(output, "dptda_private_frechet_mean")
  audit_features(if (output$method == "ambient") as.double(output$value) else output$coordinates)
}

# Points on the rim of a public ball. One point, opposite ends: its mean is the point itself, and moves by the whole
# diameter, which is what the sensitivity is capped at. Two points on the cap are those of audit_neighbors(), of
# eight of its rim: 0.400 of a sensitivity of 0.520; on the sheet they attain it.
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
  # ten rows on one side of the ball, and one of them on the other; draws nearly as far as they go
  copies <- function(times) simplify2array(opposite(spd, diag(2), diag(2) / 2)[rep(1:2, times)])
  turned <- opposite(manifold_rotation(3), diag(3), rbind(c(0, -0.7, 0), c(0.7, 0, 0), 0))
  line <- cbind(c(1, 0, 0))
  lines <- opposite(manifold_grassmann(1, 3), line, cbind(c(0, 0.4, 0)))
  # one of two people goes from one end to the other, with more rows
  of_people <- lapply(list(list(c(1, 1, 1), c(1, 2, 1)), list(c(1, 2, 2, 2, 2), c(1, 2, 2, 2, 2))), function(rows) {
    people_example(data.frame(do.call(rbind, sheet[rows[[1]]]), who = rows[[2]]))
  })
  two <- example_units(of_people[[1]])
  list(
    mean_of("sphere", sphere, pole, cap, pi / 8, epsilon = 2),
    mean_of("sphere, two points", sphere, pole, list(rim[1:2, ], rim[c(1, 3), ]), pi / 8, epsilon = 2, n = 2),
    mean_of("sphere, rho", sphere, pole, cap, pi / 8, rho = 1),
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
    mean_of("people", plane, c(1, 0, 0), of_people, 1, epsilon = 4, n = two),
    mean_of("people, rho", plane, c(1, 0, 0), of_people, 1, rho = 2, n = two)
  )
}

# Quantiles of the distance between a draw and its location. `noise` as in
# shown_noise(); `origin` a column.
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

# How much longer exp makes vectors within `reach` of the origin, at most: by
# comparison with the space of the lowest curvature.
stretch_of_exp <- function(manifold, reach) {
  bend <- reach * sqrt(max(0, -manifold$curvature[1]))
  if (manifold$dimension == 1 || all(bend == 0)) return(1)
  ifelse(bend > 0, sinh(bend) / bend, 1)
}

# As many draws as take about a second or two: matrices and rare acceptance cost.
drawn_distances <- function(scale, manifold, origin) {
  draw <- function(draws) {
    draw_laplace(draws, manifold, origin, scale, rng = public_key, origin = origin)
  }
  draws <- 1e6 * draw(100)$acceptance / manifold$size^1.5
  sqrt(colSums(draw(round(min(max(draws, 200), 20000)))$points^2))
}
