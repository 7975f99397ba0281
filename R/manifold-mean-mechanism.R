# The public side of a private Frechet mean: everything that can be worked out
# before the data are looked at. Shared by the release and by its planning, so
# that both mean the same thing. Proofs: inst/proofs/manifold-private-mean.md.
#
# All of it is about the origin of the manifold. Rows come as coordinates in the
# ball about the public center, and the same coordinates about the origin are
# their images under an isometry: there the mean is found, the noise drawn and
# the release put on its lattice, whatever center takes it back.

# list of
#   noise        "laplace" or "gaussian"
#   statistic    "mean": found on the manifold; "sum": of whole coordinates
#   space        the manifold on which Laplace noise is drawn
#   support      "manifold": as it is drawn; "ball": drawn from all of the
#                manifold and clamped; "conditioned": drawn within the ball
#   sensitivity  of what is computed, in the units of the distance
#   scale        of the noise; in steps of the lattice for "gaussian"
#   step         of the lattice of released coordinates
#   grain        of the lattice of rows, for "sum"
#   most         the length of a row on that lattice, at most
mean_mechanism <- function(n, manifold, radius, measure, bound = "sharp", support = "ball", center = NULL) {
  ball <- list(n = n, manifold = manifold, origin = origin_of(manifold, center), radius = radius,
               reach = radius * (1 + ball_slack), measure = measure, bound = bound, space = manifold)
  gaussian <- names(measure) == "rho" && is_flat(manifold)
  if (gaussian) gaussian_mechanism(ball, support) else laplace_mechanism(ball, support)
}

is_flat <- function(manifold) manifold$dimension == 1 || all(manifold$curvature == 0)

# Is it a vector space in all but name? Then coordinates are an isometry wherever
# they lead.
is_straight <- function(manifold) is_flat(manifold) && manifold$injectivity_radius == Inf

# Normal coordinates are an isometry of a flat ball, and sums of lattice points
# take exact noise.
gaussian_mechanism <- function(ball, support) {
  ball <- sum_statistic(ball, bits = 19)
  scale <- noise_scale(ball$measure, l1 = NULL, l2_squared = floor(4 * ball$most^2))
  c(ball, list(noise = "gaussian", support = support, scale = scale, step = ball$grain, bounded_range = FALSE))
}

# The sum of whole vectors, exact in doubles: rows on a lattice of the radius
# over 2^bits.
sum_statistic <- function(ball, bits) {
  ball$statistic <- "sum"
  ball$grain <- 2^(binary_exponent(ball$radius) - bits)
  ball$most <- ball$reach / ball$grain + sqrt(ball$manifold$dimension) / 2
  ball$sensitivity <- 2 * ball$most * ball$grain / ball$n
  ball
}

# Rows finer than the noise could show, and sums below 2^53.
fine_bits <- function(n) max(19, min(40, 51 - binary_exponent(n)))

# The mean on the manifold is known up to a public error on both sides. Half of
# that again is for the points of the rows, which rounding moves, and for the
# frame of the mean (proof: section "Sensitivity").
mean_statistic <- function(ball) {
  ball$statistic <- "mean"
  promise <- find_row_promise(ball$manifold, ball$origin, ball$radius)
  if (is.null(promise)) stop_unpromised(ball$manifold, ball$origin, ball$radius)
  ball$reach <- promise$reach
  ball$sensitivity <- true_sensitivity(ball) + 2 * 1.5 * promise$error
  ball
}

# Of the true mean of points in the ball.
true_sensitivity <- function(ball) {
  reach <- ball$radius * (1 + ball_slack)
  min(mean_sensitivity(ball$n, ball$manifold, reach, ball$bound), 2 * reach)
}

# The whole of a homogeneous manifold where its constant is finite; conditioned
# on the ball, with the factor 2, where it is not.
laplace_mechanism <- function(ball, support) {
  if (is_straight(ball$manifold)) {
    ball <- sum_statistic(ball, fine_bits(ball$n))
    # for the squares of long whole numbers, and for the division by n
    ball$sensitivity <- ball$sensitivity * (1 + ball_slack) + 2^-50 * sqrt(ball$manifold$dimension) * ball$reach
    ball$space <- euclidean(ball$manifold$dimension)
    ball$origin <- double(ball$manifold$dimension)
  } else {
    ball <- mean_statistic(ball)
  }
  scale <- laplace_scale(ball, response_rho)
  finite <- ball$space$homogeneous && is_within_doubles(ball$space, scale)
  if (!finite && (support == "manifold" || is_straight(ball$manifold))) stop_infinite(ball)
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

# Scales far below the radius are as good as none, and leave the range of a
# double; a larger one is as private. So is an infinite one on a bounded support:
# the uniform distribution.
laplace_scale <- function(ball, curve, factor = 1) {
  scale <- max(factor * ball$sensitivity / measure_epsilon(ball$measure, curve), 2^-100 * ball$radius)
  bounded <- is.finite(ball$space$reach) || factor > 1
  if (bounded && scale > 2^100 * ball$radius) Inf else scale
}

# Draws are cut at this many scales from the origin where the manifold is not
# bounded; what is beyond has a probability below 2^-60, or the scale is refused.
# The cut is a function of the draw alone.
far_scales <- 2^20

is_within_doubles <- function(manifold, scale) {
  if (is.finite(manifold$reach)) return(TRUE)
  if (scale * manifold$threshold >= 1 || !is.finite(1024 * (manifold$dimension + 1) * scale)) return(FALSE)
  log_mass_beyond(manifold, scale) <= -60 * log(2)
}

# A bound of the logarithm of the mass farther than `far_scales` from the
# location: with a = 1 / scale, c the threshold and D the dimension, volume grows
# at most as exp(c t) t^(D - 1), and at least as t^(D - 1) up to half the
# injectivity radius, less a factor (2 / pi)^D where that is finite.
log_mass_beyond <- function(manifold, scale) {
  D <- manifold$dimension
  gap <- 1 - scale * manifold$threshold
  near <- manifold$injectivity_radius / 2 / scale
  tail <- stats::pgamma(gap * far_scales, D, lower.tail = FALSE, log.p = TRUE) - D * log(gap)
  if (is.finite(near)) tail + D * log(pi / 2) - stats::pgamma(near, D, log.p = TRUE) else tail
}

# Are draws found in reasonable time? For large matrices and some scales they
# are not. The sampler decides that by public numbers, asked here, about the
# origin, before a budget is spent.
is_drawable <- function(ball, scale, support) {
  if (!ball$space$exact) return(TRUE)
  tryCatch(
    is.list(draw_laplace(0, ball$space, ball$origin, scale, support, ball$origin, ball$radius, rng = public_key)),
    dptda_error_argument = function(condition) FALSE
  )
}

# The epsilon that a measure pays for; `curve` gives the rho of an epsilon.
measure_epsilon <- function(measure, curve) {
  if (names(measure) == "rho") epsilon_of_rho(unname(measure), curve) else unname(measure)
}

stop_slow <- function(ball) {
  flat <- if (ball$manifold$kind == "spd") {
    paste0("; or spd(", ball$manifold$shape[1], ", \"log-euclidean\") with `rho`, whose Gaussian noise knows no such limit")
  }
  stop_argument(names(ball$measure), "asks for so much noise that exact draws on this manifold would take hours; more ",
                "points, a larger ", names(ball$measure), " or a smaller radius would do", flat, ".")
}

# Which of n, epsilon (or rho) and radius would make the noise one that can be
# drawn from all of the manifold.
stop_infinite <- function(ball) {
  if (!ball$space$homogeneous) stop_argument("support", "must be \"ball\" on a manifold that is not homogeneous.")
  scale <- largest_scale(ball)
  why <- if (ball$space$threshold > 0) {
    paste0("on all of this manifold its constant is ", if (laplace_scale(ball, response_rho) < 1 / ball$space$threshold)
      "so large that doubles do not hold the draws" else "infinite")
  } else {
    "draws would leave the range of a double"
  }
  arg <- if (is_straight(ball$manifold)) names(ball$measure) else "support"
  stop_argument(arg, if (arg == "support") "must be \"ball\", or the noise be smaller: " else "must be larger: ", why,
                offers(ball, scale), ".")
}

# The largest scale at which draws are given, by bisection; 0 if there is none.
largest_scale <- function(ball) {
  top <- if (ball$space$threshold > 0) 1 / ball$space$threshold else 2^100 * ball$radius
  good <- function(part) is_within_doubles(ball$space, part * top)
  low <- 2^-60
  high <- 1
  if (!good(low)) return(0)
  while (high / low > 1 + 1e-6) {
    middle <- sqrt(low * high)
    if (good(middle)) low <- middle else high <- middle
  }
  low * top
}

# "; n of at least 12, epsilon of at least 3, or a radius of at most 1 would do":
# what would bring the scale down to this one, if draws are found there.
offers <- function(ball, scale) {
  scale <- scale * (1 - 1e-6)
  if (!(scale > 0) || !is_drawable(ball, scale, "manifold")) return("")
  epsilon <- measure_epsilon(ball$measure, response_rho)
  least <- function(n = ball$n, radius = ball$radius) {
    ball$n <- n
    ball$radius <- radius
    true_sensitivity(ball) * (1 + 1e-6) / scale
  }
  rows <- ball$n * least() / epsilon # sensitivities fall with n at least as 1 / n
  budget <- if (names(ball$measure) == "rho") response_rho(least()) else least()
  part <- 1
  while (part > 1e-12 && least(radius = part * ball$radius) > epsilon) part <- part * 0.99
  words <- c(
    if (rows < 1e15) paste("n of at least", format(floor(rows) + 1, digits = 15)),
    if (is.finite(budget)) paste(names(ball$measure), "of at least", format(round_outward(budget, 1))),
    if (part > 1e-12) paste("a radius of at most", format(round_outward(part * ball$radius, -1)))
  )
  if (length(words) == 0) return("")
  paste0("; ", paste(words, collapse = ", or "), " would do")
}

# To three digits, upward (direction = 1) or downward (-1), never the number.
round_outward <- function(x, direction) {
  unit <- 10^(floor(log10(x)) - 2)
  (if (direction > 0) floor(x / unit) + 1 else ceiling(x / unit) - 1) * unit
}

# What the noise is added to, private: the mean as a point about the origin, or
# the sum of whole vectors. `V`: the coordinates of the rows.
mechanism_statistic <- function(mechanism, V) {
  if (mechanism$statistic == "sum") return(rowSums(whole_columns(V, mechanism$grain, mechanism$most)))
  P <- normal_points(V, mechanism$manifold, mechanism$origin)
  mean_in_ball(P, mechanism$manifold, mechanism$origin, mechanism$reach)$point
}

# Coordinates of `draws` releases, as columns.
draw_mean <- function(mechanism, statistic, draws, rng) {
  V <- switch(mechanism$noise, laplace = draw_about_mean, gaussian = draw_about_sum)(mechanism, statistic, draws, rng)
  if (mechanism$support == "manifold") V else shorten_columns(V, mechanism$radius)
}

draw_about_mean <- function(mechanism, statistic, draws, rng) {
  location <- if (mechanism$statistic == "sum") statistic * (mechanism$grain / mechanism$n) else statistic
  support <- if (mechanism$support == "conditioned") "ball" else "manifold"
  drawn <- draw_laplace(draws, mechanism$space, location, mechanism$scale, support, mechanism$origin, mechanism$radius,
                        rng, origin = mechanism$origin)
  far <- if (is.finite(mechanism$space$reach)) Inf else far_scales * max(mechanism$scale, mechanism$radius)
  round(shorten_columns(drawn$points, far) / mechanism$step) * mechanism$step
}

draw_about_sum <- function(mechanism, sum, draws, rng) {
  noisy <- add_noise(rep(sum, draws), mechanism$scale, "gaussian", rng)
  matrix(noisy * (mechanism$grain / mechanism$n), length(sum))
}

# The points with these coordinates about the center; what is too far to be
# written down is the center.
released_points <- function(V, manifold, center) {
  points <- normal_points(V, manifold, center)
  replace_columns(points, colSums(!is.finite(points)) == 0, as.double(center))
}

# The noise as a release shows it: `scale` in the units of the distance, that of
# each coordinate for "gaussian".
shown_noise <- function(mechanism) {
  unit <- if (mechanism$noise == "gaussian") mechanism$grain / mechanism$n else 1
  list(kind = mechanism$noise, scale = mechanism$scale * unit, dimension = mechanism$manifold$dimension)
}
