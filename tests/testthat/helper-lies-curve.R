# False guarantees for mean curves of radius 1. All claim rho = `claimed`, except where noted.

# One person's curve of two values. The plan has the noise of `share` of the squared sensitivity.
curve_draws <- function(share = 1) function(data, runs) {
  made <- private_curve(unseen(1), curve_betti(c(0, 1), dimension = 1, size = 2), radius = 0.5, rho = claimed)
  made$plan$scale <- made$plan$scale * sqrt(share)
  noisy <- draws_of(made$plan, statistic_of(made$plan, rows_for(made$plan, data)), runs, "R")
  noisy[, 1] - noisy[, 2]
}
half_bar <- function(birth) list(persistence_diagram(1, birth, birth + 0.5))

# The first two cosines of a curve that is concentrated at one of 64 places, in the direction in which the first and the
# last place differ. Cut first, they are short. Cut afterwards, they have length 1, with an angle of more than 90
# degrees, because the second has a sign.
cosine_draws <- function(cut_last) function(data, runs) {
  spike <- replace(double(64), data, 1)
  cosines <- as.vector(cosine_map(64, 2) %*% spike) / map_steps
  if (cut_last) cosines <- cosines / sqrt(sum(cosines^2))
  cosines[2] + stats::rnorm(runs, sd = sqrt(2 / (2 * claimed)))
}

# Curves of people, computed with random numbers by their place in the table: 0, 1, 0, 1, ... One person, whose curve is
# zero, moves from the first place to the last. Claims epsilon = `claimed`.
seeded_draws <- function(by_place) function(data, runs) {
  random <- if (by_place) (seq_along(data) %% 2 == 0) else rep(TRUE, length(data))
  sum(random * (data %% 2 == 0) * (data > 0)) + laplace_noise(runs, 1 / claimed)
}

curve_lies <- function() {
  list(
    "curves: the sensitivity of one vector instead of two" = lie(curve_draws(1 / 2), half_bar(0), half_bar(0.5),
                                                                 rho = claimed, runs = 50000),
    "curves: cut after the cosines" = lie(cosine_draws(TRUE), 1, 64, rho = claimed, runs = 2e5),
    "curves: random numbers by the place of a person" = lie(seeded_draws(TRUE), 0:20, c(1:20, 0), runs = 3000)
  )
}

honest_curves <- function() {
  list("curves: vectors with disjoint halves" = lie(curve_draws(), half_bar(0), half_bar(0.5), rho = claimed))
}
