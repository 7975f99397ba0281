# The public side of a private Frechet mean: everything that can be worked out
# before the data are looked at. Shared by the release and by its planning, so
# that both mean the same thing. Proofs: inst/proofs/manifold-private-mean.md.

# list of
#   noise        "laplace" or "gaussian"
#   support      "manifold": as it is drawn; "ball": drawn from all of the
#                manifold and clamped; "conditioned": drawn within the ball
#   sensitivity  of the computed mean, in the units of the distance
#   scale        of the noise; in steps of the lattice for "gaussian"
#   step         of the lattice of normal coordinates
mean_mechanism <- function(n, manifold, center, radius, measure, bound = "sharp", support = "ball") {
  ball <- list(n = n, manifold = manifold, center = center, radius = radius, reach = radius * (1 + ball_slack),
               measure = measure, bound = bound)
  # a ball in which means may jump is refused for any noise
  ball$sensitivity <- true_sensitivity(ball)
  gaussian <- names(measure) == "rho" && is_flat(manifold)
  if (gaussian) gaussian_mechanism(ball, support) else laplace_mechanism(ball, support)
}

# Of the true mean.
true_sensitivity <- function(ball) {
  min(frechet_sensitivity(ball$n, ball$manifold, ball$reach, ball$bound), 2 * ball$reach)
}

is_flat <- function(manifold) manifold$dimension == 1 || all(manifold$curvature == 0)

# Normal coordinates are an isometry of a flat ball, and sums of lattice points
# take exact noise.
gaussian_mechanism <- function(ball, support) {
  step <- 2^(binary_exponent(ball$radius) - 19)
  most <- ball$reach / step + sqrt(ball$manifold$dimension) / 2
  scale <- noise_scale(ball$measure, l1 = NULL, l2_squared = floor(4 * most^2))
  ball$sensitivity <- 2 * most * step / ball$n
  c(ball, list(noise = "gaussian", support = support, scale = scale, step = step, most = most, bounded_range = FALSE))
}

# The whole of a homogeneous manifold where its constant is finite; conditioned
# on the ball, with the factor 2, where it is not. The computed mean is known up
# to a public error, on both sides.
laplace_mechanism <- function(ball, support) {
  ball$sensitivity <- ball$sensitivity + 2 * promise_mean(ball$manifold, ball$center, ball$reach)$error
  scale <- laplace_scale(ball, response_rho)
  finite <- ball$manifold$homogeneous && laplace_is_finite(ball$manifold, scale)
  if (!finite && support == "manifold") stop_infinite(ball)
  whole <- finite && is_drawable(ball, scale, "manifold")
  if (!whole) {
    if (support == "manifold") stop_slow(ball)
    support <- "conditioned"
    scale <- laplace_scale(ball, range_rho, factor = 2)
    if (!is_drawable(ball, scale, "ball")) stop_slow(ball)
  }
  step <- chart_step(ball$manifold, ball$radius, scale)
  c(ball, list(noise = "laplace", support = support, scale = scale, step = step, bounded_range = !whole))
}

# Smaller scales than the second are as good as none, and leave the range of a
# double; a larger one is as private.
laplace_scale <- function(ball, curve, factor = 1) {
  max(factor * ball$sensitivity / measure_epsilon(ball$measure, curve), 2^-100 * ball$radius)
}

# Are draws found in reasonable time? For large matrices and some scales they
# are not. The sampler decides that by public numbers, asked here, for the
# center, before a budget is spent.
is_drawable <- function(ball, scale, support) {
  if (!ball$manifold$exact) return(TRUE)
  tryCatch(
    is.list(draw_laplace(0, ball$manifold, ball$center, scale, support, ball$center, ball$radius, rng = public_key)),
    dptda_error_argument = function(condition) FALSE
  )
}

stop_slow <- function(ball) {
  stop_argument(names(ball$measure), "asks for so much noise that exact draws on this manifold would take hours; more ",
                "points, a larger ", names(ball$measure), " or a smaller radius would do.")
}

# The epsilon that a measure pays for; `curve` gives the rho of an epsilon.
measure_epsilon <- function(measure, curve) {
  if (names(measure) == "rho") epsilon_of_rho(unname(measure), curve) else unname(measure)
}

# Which of n, epsilon (or rho) and radius would make the constant finite.
stop_infinite <- function(ball) {
  if (!ball$manifold$homogeneous) {
    stop_argument("support", "must be \"ball\" on a manifold that is not homogeneous.")
  }
  # the epsilon above which the constant is finite
  least <- function(n = ball$n, radius = ball$radius) {
    ball$n <- n
    ball$reach <- radius * (1 + ball_slack)
    ball$manifold$threshold * true_sensitivity(ball)
  }
  epsilon <- measure_epsilon(ball$measure, response_rho)
  rows <- floor(ball$n * least() / epsilon * (1 + 1e-9)) + 1 # it falls with n at least as 1 / n
  budget <- if (names(ball$measure) == "rho") response_rho(least()) else least()
  part <- stats::uniroot(function(part) least(radius = part * ball$radius) / epsilon - 1, c(1e-12, 1), tol = 1e-9)$root
  stop_argument(
    "support", "must be \"ball\", or the noise be smaller: on all of this manifold its constant is infinite; n of at ",
    "least ", format(rows), ", ", names(ball$measure), " of at least ", format(round_outward(budget, 1)),
    ", or a radius of at most ", format(round_outward(part * ball$radius, -1)), " would do."
  )
}

# To three digits, upward (direction = 1) or downward (-1), never the number.
round_outward <- function(x, direction) {
  unit <- 10^(floor(log10(x)) - 2)
  (if (direction > 0) floor(x / unit) + 1 else ceiling(x / unit) - 1) * unit
}

# What the noise is added to, private: the mean, or the sum of whole vectors.
mechanism_statistic <- function(mechanism, P) {
  if (mechanism$noise == "laplace") {
    return(mean_in_ball(P, mechanism$manifold, mechanism$center, mechanism$reach)$point)
  }
  V <- normal_coordinates(P, mechanism$manifold, mechanism$center)
  rowSums(whole_columns(V, mechanism$step, mechanism$most))
}

# Normal coordinates of `draws` releases, as columns.
draw_mean <- function(mechanism, statistic, draws, rng) {
  V <- switch(mechanism$noise, laplace = draw_about_mean, gaussian = draw_about_sum)(mechanism, statistic, draws, rng)
  if (mechanism$support == "manifold") V else shorten_columns(V, mechanism$radius)
}

draw_about_mean <- function(mechanism, mean, draws, rng) {
  support <- if (mechanism$support == "conditioned") "ball" else "manifold"
  drawn <- draw_laplace(draws, mechanism$manifold, mean, mechanism$scale, support, mechanism$center, mechanism$radius,
                        rng)
  V <- normal_coordinates(drawn$points, mechanism$manifold, mechanism$center)
  round(V / mechanism$step) * mechanism$step
}

draw_about_sum <- function(mechanism, sum, draws, rng) {
  noisy <- add_noise(rep(sum, draws), mechanism$scale, "gaussian", rng)
  matrix(noisy * (mechanism$step / mechanism$n), length(sum))
}

# The points with these normal coordinates; what is too far to be written down
# is the center.
released_points <- function(mechanism, V) {
  points <- normal_points(V, mechanism$manifold, mechanism$center)
  replace_columns(points, colSums(!is.finite(points)) == 0, mechanism$center)
}

# The noise as a release shows it: `scale` in the units of the distance, that of
# each coordinate for "gaussian".
shown_noise <- function(mechanism) {
  unit <- if (mechanism$noise == "gaussian") mechanism$step / mechanism$n else 1
  list(kind = mechanism$noise, scale = mechanism$scale * unit, dimension = mechanism$manifold$dimension)
}
