# The public part of a private Fréchet mean: all that is computed before the data are used. Shared by the release
# and by its planning, so that the two agree. Proofs: inst/proofs/manifold-private-mean.md.
#
# All computations are about the origin of the manifold. Rows come as coordinates in the ball around the public center.
# The same coordinates about the origin are their images under an isometry. The mean, the noise, and the lattice of the
# release are computed there, for every center.

# list of
#   noise        "laplace" or "gaussian"
#   statistic    "mean": a point of the manifold; "tangent": its coordinates on
#                a lattice; "sum": of the rows' coordinates on a lattice
#   support      "manifold": as it is drawn; "ball": clamped
#   sensitivity  of the statistic, in the units of the distance
#   scale        of the noise, in steps of the statistic if it is on a lattice
#   step         of the lattice of released coordinates
#   grain        of the lattice of the statistic. `unit`: one step of the
#                statistic in coordinates
#   weight       of a person (base-people.R), 1 for rows
# `n`: the number of points, or of people.
mean_plan <- function(n, manifold, radius, measure, bound = "sharp", support = "ball", center = NULL,
                      method = "tangent") {
  units <- check_public_units(n, 1, exact = TRUE)
  ball <- list(n = units$n, person = units$person, take = units$take, weight = units_weight(units, 20),
               manifold = manifold, origin = origin_of(manifold, center), radius = radius,
               reach = radius * (1 + ball_slack), measure = measure, bound = bound, support = support)
  if (names(measure) == "rho") return(gaussian_plan(ball))
  if (method == "intrinsic" && !is_straight(manifold)) {
    ball <- intrinsic_plan(mean_statistic(ball))
    if (!is.null(ball$scale)) return(ball)
    if (support == "manifold") stop_undrawn(ball)
  }
  tangent_plan(ball)
}

is_flat <- function(manifold) manifold$dimension == 1 || all(manifold$curvature == 0)

# Whether it is isometric to a vector space, so that coordinates are an isometry everywhere.
is_straight <- function(manifold) is_flat(manifold) && manifold$injectivity_radius == Inf

# ---- the statistic ------------------------------------------------------------

# The sum of integer vectors, exact in doubles: rows on a lattice of the radius over 2^bits. Normal coordinates are an
# isometry of a flat ball. A person has weight W, and moves the sum by W times as many units, which are W times smaller.
# If there is not enough room for steps and weights, the steps become coarser.
sum_statistic <- function(ball, bits) {
  ball$statistic <- "sum"
  if (ball$weight > 1) bits <- min(bits, 50 - binary_exponent(ball$n * ball$weight))
  ball$grain <- 2^(binary_exponent(ball$radius) - bits)
  ball$most <- ball$reach / ball$grain + sqrt(ball$manifold$dimension) / 2
  ball$l2_squared <- 4 * ball$most^2
  ball$sensitivity <- 2 * ball$most * (ball$grain / ball$n)
  weigh_people(ball, ball$weight)
}

weigh_people <- function(ball, weight) {
  ball$weight <- weight
  ball$unit <- ball$grain / (ball$n * weight)
  ball
}

# Keeps rows finer than the noise, and sums below 2^53.
fine_bits <- function(n) max(19, min(40, 50 - binary_exponent(n)))

# The mean on the manifold, computed with a public error on both sides. Another half of it covers the points of the
# rows, which rounding moves, and the frame of the mean (proof: section "Sensitivity").
mean_statistic <- function(ball) {
  bound <- find_row_bound(ball$manifold, ball$origin, ball$radius)
  if (is.null(bound)) stop_unbounded(ball$manifold, ball$origin, ball$radius)
  ball$statistic <- "mean"
  ball$reach <- bound$reach
  ball$error <- bound$error
  ball$sensitivity <- true_sensitivity(ball) + 2 * 1.5 * bound$error
  ball
}

# The sensitivity of the true mean of points in the ball.
true_sensitivity <- function(ball) {
  reach <- ball$radius * (1 + ball_slack)
  min(mean_sensitivity(ball$n, ball$manifold, reach, ball$bound), 2 * reach)
}

# The coordinates of the mean about the origin, in integer steps. Coordinates stretch distances by at most theta /
# sin(theta), with theta the angle of the radius in positive curvature, and not at all otherwise. The error of log is
# far below the error of the mean.
tangent_statistic <- function(ball) {
  ball <- mean_statistic(ball)
  ball$statistic <- "tangent"
  moved <- over_sine(ball_angle(ball$manifold, ball$reach) / 2) * ball$sensitivity + ball$error
  ball$grain <- ball$unit <- 2^(binary_exponent(moved) - 19)
  steps <- moved / ball$grain + sqrt(ball$manifold$dimension)
  ball$l2_squared <- steps^2
  ball$sensitivity <- steps * ball$grain
  ball
}

vector_statistic <- function(ball, bits) {
  if (is_flat(ball$manifold)) sum_statistic(ball, bits) else tangent_statistic(ball)
}

# ---- the noise ----------------------------------------------------------------

# Adds exact noise to integers.
gaussian_plan <- function(ball) {
  check_extent(ball)
  ball <- vector_statistic(ball, bits = 19)
  scale_of <- function(weight) noise_scale(ball$measure, l1 = NULL, l2_squared = weight^2 * floor(ball$l2_squared))
  scale <- scale_of(1)
  if (ball$statistic == "sum" && ball$weight > 1) { # a tangent vector has no weights
    # integers take noise with a scale up to 2^40
    ball <- weigh_people(ball, min(ball$weight, 2^max(0, 40 - ceiling(log2(scale)))))
    scale <- scale_of(ball$weight)
  }
  c(ball, list(noise = "gaussian", scale = scale, step = ball$unit))
}

# Adds exact noise to integers, with a density that decreases with the length (privacy-norm.R). The slack covers the
# squares of long vectors and of their bound in doubles. Weights are in the sum, and not in a tangent vector.
tangent_plan <- function(ball) {
  check_extent(ball)
  ball <- vector_statistic(ball, fine_bits(ball$n))
  weight <- if (ball$statistic == "sum") ball$weight else 1
  l2_squared <- weight^2 * floor(ball$l2_squared * (1 + ball_slack))
  epsilon <- ball$measure[["epsilon"]]
  scale <- norm_scale(l2_squared, epsilon)
  if (is.na(scale) || scale * ball$unit > largest_ratio * ball$radius) {
    least <- sqrt(l2_squared) * max(2^-140, ball$unit / (largest_ratio * ball$radius))
    stop_argument("epsilon", "must be at least ", format(round_outward(least, 1)), " here, not ", format(epsilon),
                  ", because the noise would exceed the range of a double.")
  }
  c(ball, list(noise = "laplace", scale = scale, step = ball$unit * 2^norm_shift(scale)))
}

# Plans Laplace noise on all of a homogeneous manifold, if its constant is finite and draws are fast. Otherwise the
# result has no `scale`. The same holds if the release is clamped and the growth of volume would make the noise more
# than twice as long as in the space of coordinates.
intrinsic_plan <- function(ball) {
  ball$space <- ball$manifold
  ball$origin_of_noise <- ball$origin
  scale <- laplace_scale(ball)
  threshold <- ball$space$threshold
  if (scale > largest_ratio * ball$radius) {
    if (is.infinite(ball$space$reach)) return(ball)
    scale <- Inf # as private: the uniform distribution
  }
  wanted <- ball$space$exact && (ball$support == "manifold" || threshold == 0 || scale * threshold <= 1 / 2)
  if (!ball$space$homogeneous || !wanted || !is_within_doubles(ball$space, scale) || !is_drawable(ball, scale)) {
    return(ball)
  }
  c(ball, list(noise = "laplace", scale = scale, step = chart_step(ball$space, ball$radius, scale)))
}

# Limits the scale from below, because scales far below the radius have no effect and leave the range of a double, and a
# larger scale is at least as private. Subtracts the loss by rounding from epsilon, but never more than half.
laplace_scale <- function(ball) {
  scale_for <- function(epsilon) max(ball$sensitivity / epsilon, ball$radius / largest_ratio)
  epsilon <- ball$measure[["epsilon"]]
  scale <- scale_for(epsilon)
  if (!is.finite(scale)) return(scale)
  scale_for(epsilon - min(lost_to_rounding(ball$space, ball$radius, scale), epsilon / 2))
}

largest_ratio <- 2^90 # of the scale and the radius, either way

# Steps of lattices and scales of noise must be doubles with all of their digits.
check_extent <- function(ball) {
  if (ball$radius >= 2^-900 && ball$radius <= 2^900) return(invisible())
  stop_argument("radius", "must be between 2^-900 and 2^900, not ", format(ball$radius), ".")
}

# Draws are cut at this many scales from the origin if the manifold is unbounded. The probability beyond is below 2^-60,
# or the scale is refused. The cut is a function of the draw alone.
far_scales <- 2^20

is_within_doubles <- function(manifold, scale) {
  if (is.finite(manifold$reach)) return(TRUE)
  if (scale * manifold$threshold >= 1 || !is.finite(scale)) return(FALSE)
  log_mass_beyond(manifold, scale) <= -60 * log(2)
}

# Bounds the logarithm of the mass farther than `far_scales` from the location. With a = 1 / scale, c the threshold, and
# D the dimension, volume grows at most like exp(c t) t^(D - 1), and at least like t^(D - 1) up to half the injectivity
# radius, less a factor (2 / pi)^D if that is finite.
log_mass_beyond <- function(manifold, scale) {
  D <- manifold$dimension
  gap <- 1 - scale * manifold$threshold
  near <- manifold$injectivity_radius / 2 / scale
  tail <- stats::pgamma(gap * far_scales, D, lower.tail = FALSE, log.p = TRUE) - D * log(gap)
  if (is.finite(near)) tail + D * log(pi / 2) - stats::pgamma(near, D, log.p = TRUE) else tail
}

# Whether draws are fast, with at least one in a hundred proposals accepted. They are slow for large matrices, or for
# scales far beyond the size of a compact factor. The sampler decides this by public numbers, about the origin, before a
# budget is spent. On a homogeneous manifold, the mean does not affect it.
is_drawable <- function(ball, scale) {
  origin <- ball$origin_of_noise
  tryCatch(
    is.list(draw_laplace(0, ball$space, origin, scale, rng = public_key, origin = origin)),
    dptda_error_argument = function(condition) FALSE
  )
}

# Offers alternatives: a scale up to which draws work, and the n, epsilon, or radius that has it. Each is tried on the
# plan itself before it is offered.
stop_undrawn <- function(ball) {
  if (!ball$space$homogeneous || !ball$space$exact) {
    stop_argument("method", "must be \"tangent\" for `support = \"manifold\"` here, because this manifold has no ",
                  "sampler: it is custom or not homogeneous.")
  }
  scale <- drawable_scale(ball)
  varied <- function(n = ball$n, epsilon = ball$measure[["epsilon"]], radius = ball$radius) {
    ball[c("n", "radius")] <- list(n, radius)
    ball$measure[["epsilon"]] <- epsilon
    ball
  }
  offer <- function(words, vary) {
    for (part in if (!is.null(scale)) c(1, 0.7)) { # trials are random, so tries a smaller scale as well
      has_scale <- function(times) {
        ball <- vary(times)
        good <- !is.null(find_row_bound(ball$manifold, ball$origin, ball$radius))
        good && laplace_scale(mean_statistic(ball)) <= part * scale
      }
      times <- least_good(has_scale)
      if (is.null(times)) return(NULL)
      if (!is.null(intrinsic_plan(mean_statistic(vary(times)))$scale)) return(words(vary(times)))
    }
  }
  words <- c(
    offer(function(ball) paste("n of at least", format(ball$n, digits = 15)),
          function(times) varied(n = ceiling(ball$n * times))),
    offer(function(ball) paste("an epsilon of at least", format(ball$measure[["epsilon"]])),
          function(times) varied(epsilon = round_outward(ball$measure[["epsilon"]] * times, 1))),
    offer(function(ball) paste("a radius of at most", format(ball$radius)),
          function(times) varied(radius = round_outward(ball$radius / times, -1)))
  )
  stop_argument("support", "must be \"ball\" for this noise: on all of this manifold its density cannot be ",
                "normalized, or draws are too slow or too long for doubles. Use `support = \"ball\"` or `method = ",
                "\"tangent\"`", if (length(words)) paste0(", or ", paste(words, collapse = ", or ")), ".")
}

# Finds roughly the largest scale below which all tried scales are good, starting from small ones, because large
# matrices have good scales beyond bad ones. Otherwise NULL.
drawable_scale <- function(ball) {
  top <- laplace_scale(ball)
  if (ball$space$threshold > 0) top <- min(top, 1 / ball$space$threshold)
  is_good <- function(part) is_within_doubles(ball$space, part * top) && is_drawable(ball, part * top)
  parts <- c(2^-(20:4), 2^-(seq(15, 0) / 4))
  bad <- Find(function(part) !is_good(part), parts)
  if (is.null(bad)) bad <- 1
  good <- max(parts[parts < bad], 0)
  if (good == 0) return(NULL)
  for (i in 1:10) {
    middle <- (good + bad) / 2
    if (is_good(middle)) good <- middle else bad <- middle
  }
  good * top
}

# Finds nearly the smallest good factor above one, or NULL if there is none.
least_good <- function(is_good, most = 2^60) {
  low <- 1
  high <- 1 + 2^-10
  while (high < most && !is_good(high)) {
    low <- high
    high <- if (high < 2) 1 + 4 * (high - 1) else 2 * high
  }
  if (high >= most) return(NULL)
  for (i in 1:10) {
    middle <- sqrt(low * high)
    if (is_good(middle)) high <- middle else low <- middle
  }
  high
}

# Rounds to three digits, upward (direction = 1) or downward (-1), and never returns the number itself.
round_outward <- function(x, direction) {
  unit <- 10^(floor(log10(x)) - 2)
  (if (direction > 0) floor(x / unit) + 1 else ceiling(x / unit) - 1) * unit
}

# The private statistic to which noise is added. `V`: the coordinates of the rows. `weights`: their weights, or NULL.
plan_statistic <- function(plan, V, weights = NULL) {
  if (plan$statistic == "sum") {
    steps <- whole_columns(V, plan$grain, plan$most)
    # all terms and partial sums are integers below 2^53
    return(if (is.null(weights)) rowSums(steps) else as.vector(steps %*% weights))
  }
  begin_part()
  P <- normal_points(V, plan$manifold, plan$origin)
  mean <- mean_in_ball(P, plan$manifold, plan$origin, plan$reach, weights)$point
  if (plan$statistic == "mean") return(mean)
  v <- normal_coordinates(cbind(mean), plan$manifold, plan$origin, plan$reach)
  as.vector(round(v / plan$grain))
}

# Coordinates of `draws` releases, as columns.
draw_mean <- function(plan, statistic, draws, rng) {
  draw <- switch(plan$noise, laplace = if (is_intrinsic(plan)) draw_intrinsic_mean else draw_norm_mean,
                 gaussian = draw_gaussian_mean)
  V <- draw(plan, statistic, draws, rng)
  if (plan$support == "manifold") V else shorten_columns(V, plan$radius)
}

# Whether noise is drawn on the manifold itself, in doubles.
is_intrinsic <- function(plan) plan$statistic == "mean"

draw_intrinsic_mean <- function(plan, statistic, draws, rng) {
  drawn <- draw_laplace(draws, plan$space, statistic, plan$scale, rng = rng, origin = plan$origin_of_noise)
  far <- if (is.finite(plan$space$reach)) Inf else far_scales * max(plan$scale, plan$radius)
  round(shorten_columns(drawn$points, far) / plan$step) * plan$step
}

draw_norm_mean <- function(plan, statistic, draws, rng) {
  add_norm_noise(statistic, plan$scale, draws, rng) * plan$unit
}

draw_gaussian_mean <- function(plan, statistic, draws, rng) {
  noisy <- add_noise(rep(statistic, draws), plan$scale, "gaussian", rng)
  matrix(noisy * plan$unit, length(statistic))
}

# Returns the points with these coordinates about the center. Points too far away for doubles become the center.
released_points <- function(V, manifold, center) {
  points <- normal_points(V, manifold, center)
  replace_columns(points, colSums(!is.finite(points)) == 0, as.double(center))
}

# Describes the noise in a release: `scale` in the units of the distance, per coordinate for "gaussian", and `space`, in
# which it was drawn.
shown_noise <- function(plan) {
  unit <- if (is_intrinsic(plan)) 1 else plan$unit
  list(kind = plan$noise, scale = plan$scale * unit, dimension = plan$manifold$dimension,
       space = if (is_intrinsic(plan)) "manifold" else "tangent")
}
