# What the scripts on landmarks share: shapes in a random plane or space of R^D with noise in every coordinate, and how
# often releases show what is there.
source("inst/simulations/common.R")

# n points of a shape in its own few coordinates.
shapes <- list(
  `two circles` = function(n) {
    angle <- runif(n, 0, 2 * pi)
    cbind(cos(angle) + rep_len(c(-1.5, 1.5), n), sin(angle))
  },
  `one circle` = function(n) {
    angle <- runif(n, 0, 2 * pi)
    cbind(cos(angle), sin(angle))
  },
  blob = function(n) matrix(rnorm(2 * n, sd = 0.5), n),
  `three blobs` = function(n) {
    angle <- 2 * pi * rep_len(1:3, n) / 3
    1.5 * cbind(cos(angle), sin(angle)) + rnorm(2 * n, sd = 0.2)
  },
  trefoil = function(n) {
    t <- runif(n, 0, 2 * pi)
    cbind(sin(t) + 2 * sin(2 * t), cos(t) - 2 * cos(2 * t), -sin(3 * t)) / 2
  },
  sphere = function(n) {
    Y <- matrix(rnorm(3 * n), n)
    Y / sqrt(rowSums(Y^2))
  },
  torus = function(n) {
    a <- runif(n, 0, 2 * pi)
    b <- runif(n, 0, 2 * pi)
    cbind((1.5 + 0.8 * cos(b)) * cos(a), (1.5 + 0.8 * cos(b)) * sin(a), 0.8 * sin(b))
  }
)

# The same in a random place of R^D.
shape_rows <- function(shape, n, D, sd) {
  Y <- shapes[[shape]](n)
  axes <- qr.Q(qr(matrix(rnorm(D * ncol(Y)), D)))
  Y %*% t(axes) + rnorm(n * D, sd = sd)
}

# Points that are evidence in each of `draws` releases on the same landmarks, as feature_evidence() counts them: a
# matrix, one row for each dimension. `levels`: the probabilities of the evidence; with more than one of them a list of
# such matrices.
evident_counts <- function(X, landmarks, epsilon, m0, clip, dimensions, draws, levels = 0.95) {
  n <- if (is.matrix(X)) nrow(X) else dim(X)[3] # matrices are stacked along the third dimension
  mechanism <- private_diagram(unseen(n), landmarks, epsilon, m0 = m0, clip = clip, dimensions = dimensions)
  releases <- simulate(mechanism, draws, x = X)
  found <- lapply(levels, function(level) {
    matrix(feature_evidence(releases, level = level)$features, length(dimensions),
           dimnames = list(dimensions, NULL))
  })
  if (length(levels) == 1) found[[1]] else found
}
