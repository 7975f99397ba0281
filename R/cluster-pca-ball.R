# Second moments of rows within a ball. The radius and the center of the rows are found first. Then rows are shortened
# to that radius, and their mean and second moments are released with one noise scale for all directions. Everything is
# computed in integers. Sensitivities are proved in inst/proofs/cluster-pca.md.
#
# A center and a radius are in the units of the data. Shortened rows are rows of a query at one cluster
# (cluster-query.R) that is as wide in each direction as the radius, so that the integers, their bounds and their
# sums are made by the same kernel.

# Candidate radii: the diagonal of the box, and down to 2^-30 of it, eight per power of two.
ball_radii <- function(box) sqrt(sum((box$upper - box$lower)^2)) * 2^seq(-30, 0, by = 1 / 8)

ball_radius_count <- 241

# Fractions of the budget for radii, centers, and moments. The first two are divided equally among their steps.
ball_shares <- c(radius = 0.1, center = 0.2, moments = 0.7)

# Fractions of the moments' budget for sums and for products. As in moment_shares() (publish-moments.R), but the center
# is known by then, and the mean only corrects it.
ball_weights <- function() {
  sums <- 0.1
  c(sums, ((1 - sums) + sqrt((1 - sums)^2 - sums^2)) / 2) * query_margin
}

# Around a center that is not known yet, rows lie in a shell. A radius that is one step too small would cut off one side
# of it.
center_stretch <- 1.25

# Noise of a center as a fraction of the radius, if it gets 1 / `rounds` of the budget for centers. Each round reduces
# the distance from the rows' center by this factor.
center_noise <- function(n, dimension, rho, rounds) {
  center_stretch * sqrt(2 * dimension * rounds / (ball_shares[["center"]] * rho)) / n
}

# Guessed size of the rows: a hundredth of the box.
guessed_size <- 100

# Number of rounds for the center, from 1 to 4: the first that brings its noise to half of the rows' guessed radius, or
# the number that brings it closest.
ball_rounds <- function(n, dimension, rho) {
  left <- vapply(1:4, function(rounds) guessed_size * center_noise(n, dimension, rho, rounds)^rounds, 0)
  enough <- which(left <= 0.5)
  if (length(enough)) enough[1] else which.min(left)
}

# Fraction of the rows that may lie beyond the radius: a twentieth, or more if the noise of their count is larger.
ball_tail <- function(n, epsilon) max(0.05, radius_slack(n, epsilon))

# Fraction of the rows by which a radius misses the wanted one, exceeded with probability exp(-5) for any rows. At one
# half, a radius without rows may be drawn.
radius_slack <- function(n, epsilon) 2 * (log(ball_radius_count) + 5) / (epsilon * n)

most_tail <- 0.5

# A lower bound on the fraction of rows within a radius, with that probability.
radius_held <- function(n, epsilon) {
  max(0, 1 - min(ball_tail(n, epsilon), most_tail) - radius_slack(n, epsilon))
}

# Binary digits of a coordinate and of a person's weight, for one budget. Sums are exact in doubles, and all noise
# scales are at most 2^40. NULL if this is impossible.
ball_bits <- function(n, dimension, rho, most) {
  total <- floor(min(52 - log2(n * dimension), 39.5 - log2(dimension / sqrt(rho * ball_weights()[2]))))
  if (total < 0) return(NULL)
  weight <- min(most, max(total - 2 * floor(total / 3), min(4, total)))
  c(min(if (most > 0) 16 else 20, floor((total - weight) / 2)), weight)
}

# Returns all public parameters. `units`: as from check_public_units().
ball_plan <- function(units, dimension, cost) {
  rho <- cost$spent[["rho"]]
  rounds <- ball_rounds(units$n, dimension, rho)
  rhos <- ball_shares * rho * query_margin / c(rounds + 1, rounds, 1)
  bits <- ball_bits(units$n, dimension, min(rhos[-1]), units$most)
  if (is.null(bits)) refuse_much_noise(cost$measure)
  weight <- 2^bits[2]
  epsilon <- sqrt(8 * rhos[["radius"]]) * query_margin # of a choice, whose loss has a range of that
  length <- dimension * 4^bits[1]
  a <- ball_weights()
  square <- is_square(dimension)
  scales <- function(rho, l2_squared) noise_scale(c(rho = rho), l2_squared = l2_squared * weight^2)
  list(n = units$n, dimension = dimension, rounds = rounds, rhos = rhos, bits = bits, weight = weight,
       tail = ball_tail(units$n, epsilon), held = radius_held(units$n, epsilon), epsilon = epsilon,
       center_scale = scales(rhos[["center"]], 4 * length),
       scale = scales(rhos[["moments"]], c(rep(2 * length / a[1], dimension), ifelse(square, 2, 1) * length^2 / a[2])))
}

# The standard deviation of the noise on a product of two columns, as a fraction of the squared radius.
product_noise <- function(ball) {
  min(ball$scale[-seq_len(ball$dimension)]) / (ball$dimension * 4^ball$bits[1] * ball$n * ball$weight)
}

# ---- questions -------------------------------------------------------------------------------------

# Chooses one of the public radii with about 1 - tail of the rows within it, by the exponential mechanism.
radius_query <- function(ball, box, center) {
  radii <- ball_radii(box)
  list(cost = c(rho = ball$rhos[["radius"]]),
       statistic = function(rows) radius_scores(distance_counts(rows, box, center, radii), ball),
       draw = function(scores, rng) radii[draw_choice(scores, ball$epsilon, ball$weight, rng)])
}

distance_counts <- function(rows, box, center, radii) {
  .Call(ffi_cluster_distances, row_points(rows), row_weights(rows), box$lower, box$upper, center, radii^2,
        kernel_options(progress = kernel_progress("Distances")))
}

# Scores each radius by its distance from the wanted count: the number of rows missing within it, or in excess within
# the next smaller one. Scores are integers, and a row changes them by at most its weight. The first radius that
# holds enough rows scores best, with any excess: rows at about one distance are within one radius or the next, and
# if the excess counted, all larger radii would be as good.
radius_scores <- function(counts, ball) {
  within <- cumsum(counts)[seq_len(ball_radius_count)]
  wanted <- ball$weight * ceiling((1 - min(ball$tail, most_tail)) * ball$n)
  -pmax(wanted - within, c(0, within[-ball_radius_count]) - wanted, 0)
}

# Returns sums of shortened rows and, if requested, of their products, in integer steps of the radius.
ball_sums <- function(rows, ball, box, center, radius, products = TRUE) {
  half <- (box$upper - box$lower) / 2
  # a side much shorter than the radius has no steps
  width <- pmin(radius / half, 2^100)
  model <- list(weights = 1, means = matrix(pmin(pmax((center - box$lower) / half - 1, -1), 1)),
                covariances = array(diag(width^2 / ball$dimension, ball$dimension), c(rep(ball$dimension, 2), 1)))
  query <- list(stretch = 1, hard = TRUE, whitened = TRUE, bits = c(ball$bits[1], 0))
  sums <- as.vector(query_sums(rows, model, box, query))[-1]
  if (products) sums else sums[seq_len(ball$dimension)]
}

center_query <- function(ball, box, center, radius) {
  list(cost = c(rho = ball$rhos[["center"]]),
       statistic = function(rows) ball_sums(rows, ball, box, center, radius, products = FALSE),
       draw = function(sums, rng) add_noise(sums, ball$center_scale, "gaussian", rng))
}

moments_query <- function(ball, box, center, radius) {
  list(cost = c(rho = ball$rhos[["moments"]]),
       statistic = function(rows) ball_sums(rows, ball, box, center, radius),
       draw = function(sums, rng) add_noise(sums, ball$scale, "gaussian", rng))
}

# The step of a coordinate, in the units of the data.
ball_step <- function(ball, radius) radius / sqrt(ball$dimension) / 2^ball$bits[1]

# Runs all queries in turn: center and radius, then the mean and covariance of shortened rows.
draw_ball <- function(ask, ball, box) {
  with_shared_bar("Rounds over the rows", 2 * (ball$rounds + 1), draw_ball_queries(ask, ball, box))
}

draw_ball_queries <- function(ask, ball, box) {
  center <- box$lower + (box$upper - box$lower) / 2
  all <- ball$n * ball$weight
  for (round in seq_len(ball$rounds)) {
    radius <- min(center_stretch * ask(radius_query(ball, box, center)), max(ball_radii(box)))
    sums <- ask(center_query(ball, box, center, radius))
    center <- pmin(pmax(center + ball_step(ball, radius) * sums / all, box$lower), box$upper)
  }
  radius <- ask(radius_query(ball, box, center))
  ball_moments(ask(moments_query(ball, box, center, radius)) / all, ball, center, radius)
}

ball_moments <- function(statistic, ball, center, radius) {
  dimension <- ball$dimension
  step <- ball_step(ball, radius)
  mean <- step * statistic[seq_len(dimension)]
  S <- matrix_of_triangle(step^2 * statistic[-seq_len(dimension)], dimension)
  list(center = center + mean, cov = S - tcrossprod(mean), radius = radius)
}

# ---- steps, for audits -----------------------------------------------------------------------------

ball_step_mechanism <- function(class, ball, box, rho, ...) {
  step_mechanism(class, c(rho = rho), ball = ball, box = box, ...)
}

# Moments of rows about the middle of a box, in the direction in which two data sets differ.
statistic_of.ball_moments <- function(plan, rows) {
  ball_sums(rows, plan$ball, plan$box, c(0, 0), plan$radius)
}

noise_target.ball_moments <- function(plan) "each sum or product"

# Two rows at the radius and at right angles: nearly the largest change of sums and products together.
example_of.ball_moments <- function(plan) {
  box <- domain_box(c(-1, -1), c(1, 1))
  ball <- ball_plan(check_public_units(1), 2, new_cost(c(rho = 0.5)))
  mechanism <- ball_step_mechanism(c("ball_moments", "additive"), ball, box, ball$rhos[["moments"]], radius = 1,
                                   noise = new_noise("gaussian", ball$scale))
  rows <- list(rbind(c(1, 0)), rbind(c(0, 1)))
  sums <- lapply(rows, function(one) statistic_of(mechanism$plan, one))
  way <- (sums[[2]] - sums[[1]]) / ball$scale^2
  list(step_example("moments of shortened rows", mechanism, rows[[1]], rows[[2]], function(drawn) sum(way * drawn)))
}

statistic_of.ball_radius <- function(plan, rows) {
  radius_scores(distance_counts(rows, plan$box, 0, ball_radii(plan$box)), plan$ball)
}

draw_of.ball_radius <- function(plan, statistic, rng) draw_choice(statistic, plan$ball$epsilon, plan$ball$weight, rng)

draws_of.ball_radius <- function(plan, statistic, runs, rng) {
  as.list(draw_choice(statistic, plan$ball$epsilon, plan$ball$weight, rng, runs))
}

# Replaces a near row by a far one, or the reverse, with one of two rows wanted: scores of all radii change, half of
# them up and half down.
example_of.ball_radius <- function(plan) {
  box <- domain_box(-1, 1)
  ball <- ball_plan(check_public_units(2), 1, new_cost(c(rho = 2)))
  mechanism <- ball_step_mechanism("ball_radius", ball, box, ball$rhos[["radius"]])
  list(step_example("radius of a ball", mechanism, rbind(0, 2^-15), rbind(1, 2^-15)))
}
