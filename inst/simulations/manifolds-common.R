# What the scripts manifolds-*.R share: the data of Reimherr, Bharath and Soto (2021), their ambient mechanism, their
# Markov chain. Sourced after common.R.

# ---- The data --------------------------------------------------------------------------------------------------------

# Wishart matrices with 2 degrees of freedom and scale I / 2, so that their mean is I; those outside the ball of radius
# 1.5 around I are drawn again (A.2.1).
wishart_in_ball <- function(n, radius) {
  kept <- NULL
  while (NROW(kept) < n) {
    z <- matrix(rnorm(4 * 6 * n), ncol = 4) / sqrt(2)
    W <- cbind(z[, 1]^2 + z[, 2]^2, z[, 1] * z[, 3] + z[, 2] * z[, 4], z[, 3]^2 + z[, 4]^2)
    half_trace <- (W[, 1] + W[, 3]) / 2
    gap <- sqrt(((W[, 1] - W[, 3]) / 2)^2 + W[, 2]^2)
    smaller <- (W[, 1] * W[, 3] - W[, 2]^2) / (half_trace + gap)
    distance <- sqrt(log(half_trace + gap)^2 + log(smaller)^2)
    kept <- rbind(kept, W[which(distance <= radius), ])
  }
  array(t(kept[seq_len(n), c(1, 2, 2, 3)]), c(2, 2, n))
}

# Polar and azimuthal angle uniform (A.3.1): denser near the pole.
cap_points <- function(n, radius) {
  polar <- runif(n, 0, radius)
  azimuth <- runif(n, 0, 2 * pi)
  cbind(sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar))
}

# A study: the manifold, the public ball, a generator of data that lie in it, and coordinates of one point in the space
# around the manifold, whose Euclidean distances are what the paper measures there.
studies <- list(
  spd = list(
    manifold = manifold_spd(2), center = diag(2), radius = 1.5, data = function(n) wishart_in_ball(n, 1.5),
    replace_first = function(X, other) { X[, , 1] <- other; X },
    ambient_radius = exp(1.5) - 1, ambient_dimension = 3,
    flatten = function(x) as.vector(x)[c(1, 2, 4)] * c(1, sqrt(2), 1)
  ),
  sphere = list(
    manifold = manifold_sphere(2), center = c(0, 0, 1), radius = pi / 8, data = function(n) cap_points(n, pi / 8),
    replace_first = function(X, other) { X[1, ] <- other; X },
    ambient_radius = 2 * sin(pi / 16), ambient_dimension = 3, flatten = as.vector
  )
)

# Noise with density proportional to exp(-|x| / scale), in rows (A.4).
euclidean_laplace <- function(draws, dimension, scale) {
  direction <- matrix(rnorm(draws * dimension), draws)
  direction / sqrt(rowSums(direction^2)) * rgamma(draws, dimension, scale = scale)
}

# ---- Constants of the sensitivity on the unit sphere, S(r) / n for many rows -----------------------------------------

convexity <- function(r) ifelse(r == 0, 1, 2 * r / tan(2 * r))

# The paper's empirical bound replaces the numerator 2 r (2 - h) by the largest |log_m(x) - log_m(y)| over m, x, y on
# the boundary of the ball. By symmetry m is fixed; the angles of x and y run over a grid and the best pair is polished.
# It is found, not proved.
searched_numerator <- function(r, angles = 181) {
  logarithm <- function(azimuth) {
    m <- c(sin(r), 0, cos(r))
    y <- c(sin(r) * cos(azimuth), sin(r) * sin(azimuth), cos(r))
    cosine <- sum(m * y)
    across <- y - cosine * m
    length <- sqrt(sum(across^2))
    if (length < 1e-12) c(0, 0, 0) else across / length * atan2(length, cosine)
  }
  apart <- function(pair) sqrt(sum((logarithm(pair[1]) - logarithm(pair[2]))^2))
  grid <- seq(0, 2 * pi, length.out = angles)
  logs <- vapply(grid, logarithm, numeric(3))
  best <- arrayInd(which.max(as.matrix(dist(t(logs)))), c(angles, angles))
  polished <- optim(grid[best], apart, control = list(fnscale = -1, reltol = 1e-14, maxit = 2000))
  max(polished$value, 2 * r)
}

# What replacing one of many rows does, in units of 1/n, in the worst case that is known: half of the rows at each end
# of a diameter, so that the mean is the center and the energy is least convex across; the row moves from one side to
# the other, across: 2 r over r cot(r). A search over two places for the many rows, two for the one, and the shares
# found nothing larger (worst_change()); it is not proved that there is nothing.
found_change <- function(r) 2 * tan(r)

# The mean m of rows at a and b, on the circle of radius r, lies between them, a part t of the way. To first order
# the row that moves from x to y changes it by H^-1 (log_m y - log_m x) / n, H being the Hessian of the energy: 1 along
# the geodesic from a to b, a mean of t cot(t) across.
worst_change <- function(r, starts = 50) {
  boundary <- function(azimuth) c(sin(r) * cos(azimuth), sin(r) * sin(azimuth), cos(r))
  logarithm <- function(m, y) {
    across <- y - sum(m * y) * m
    length <- sqrt(sum(across^2))
    if (length < 1e-14) c(0, 0, 0) else across / length * atan2(length, sum(m * y))
  }
  change <- function(at) {
    a <- boundary(at[1])
    way <- logarithm(a, boundary(at[2]))
    apart <- sqrt(sum(way^2))
    if (apart < 1e-6) return(0)
    t <- plogis(at[3]) * apart
    m <- cos(t) * a + sin(t) * way / apart
    along <- -sin(t) * a + cos(t) * way / apart
    across <- c(m[2] * along[3] - m[3] * along[2], m[3] * along[1] - m[1] * along[3], m[1] * along[2] - m[2] * along[1])
    convexity <- t * (apart - t) * (1 / tan(t) + 1 / tan(apart - t)) / apart
    moved <- logarithm(m, boundary(at[4])) - logarithm(m, boundary(at[5]))
    sqrt(sum(moved * along)^2 + (sum(moved * across) / convexity)^2)
  }
  search <- function(i) {
    start <- c(runif(2, 0, 2 * pi), rnorm(1), runif(2, 0, 2 * pi))
    optim(start, change, control = list(fnscale = -1, maxit = 5000, reltol = 1e-13))$value
  }
  max(vapply(seq_len(starts), search, 0))
}

# ---- The paper's chain on the unit sphere (A.5) ----------------------------------------------------------------------

# `chains` Metropolis chains side by side, all from the mean, which is the pole; their states after the steps in `keep`,
# as distances from the pole. A step: a normal vector scaled to `length`, its part in the tangent plane.
sphere_chain <- function(chains, keep, scale, length) {
  state <- matrix(rep(c(0, 0, 1), each = chains), chains)
  angle <- rep(0, chains)
  kept <- matrix(0, chains, length(keep))
  for (step in seq_len(max(keep))) {
    v <- matrix(rnorm(3 * chains), chains)
    v <- v * (length / sqrt(rowSums(v^2)))
    v <- v - state * rowSums(v * state)
    size <- sqrt(rowSums(v^2))
    candidate <- cos(size) * state + (sin(size) / size) * v
    candidate <- candidate / sqrt(rowSums(candidate^2))
    away <- 2 * asin(pmin(1, sqrt((candidate[, 1]^2 + candidate[, 2]^2 + (candidate[, 3] - 1)^2)) / 2))
    accepted <- log(runif(chains)) < (angle - away) / scale
    state[accepted, ] <- candidate[accepted, ]
    angle[accepted] <- away[accepted]
    if (step %in% keep) kept[, match(step, keep)] <- angle
  }
  kept
}
