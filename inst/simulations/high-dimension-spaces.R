# Loops in spaces that are no vector spaces: directions on the sphere S^5 along a circle, and 3 x 3 covariance matrices
# whose main axes turn by 180 degrees. Landmarks from a private mixture (epsilon = .5, delta = 1e-6) of the numbers of a
# direction, or of the logarithms of the matrices, moved back to the space; then a private diagram on them (epsilon =
# .5) by geodesic distances. n = 20,000; 20 data sets, one mixture and 20 diagrams of each kind on each; what is fixed
# beforehand: box, K0 = 12, 300 landmarks, m0 = .05, clip.
#
#   Rscript inst/simulations/high-dimension-spaces.R
source("inst/simulations/high-dimension-common.R")
set.seed(32)
data_sets <- sized(20)
releases <- 20
n <- 2e4

directions <- function() {
  X <- shape_rows("one circle", n, 6, 0.1)
  X <- X / sqrt(rowSums(X^2))
  list(rows = X, flat = X)
}

# The six numbers of a symmetric matrix such that their length is that of the matrix.
upper <- upper.tri(diag(3), diag = TRUE)
weight <- c(1, sqrt(2), 1, sqrt(2), sqrt(2), 1)
function_of <- function(A, f) {
  parts <- eigen(A, symmetric = TRUE)
  parts$vectors %*% (f(parts$values) * t(parts$vectors))
}
matrix_of <- function(v) {
  A <- matrix(0, 3, 3)
  A[upper] <- v / weight
  A + t(A) - diag(diag(A))
}
matrices_of <- function(P) array(apply(P, 1, function(v) function_of(matrix_of(v), exp)), c(3, 3, nrow(P)))

turning <- function() {
  angle <- runif(n, 0, pi)
  one <- function(angle) {
    Q <- diag(3)
    Q[1:2, 1:2] <- c(cos(angle), sin(angle), -sin(angle), cos(angle))
    noise <- matrix(rnorm(9, sd = 0.1), 3)
    function_of(Q %*% (log(c(3, 0.5, 1)) * t(Q)) + (noise + t(noise)) / 2, exp)
  }
  rows <- vapply(angle, one, diag(3))
  list(rows = rows, flat = t(apply(rows, 3, function(A) (function_of(A, log)[upper] * weight))))
}

spaces <- list(
  `directions on S^5` = list(data = directions, metric = manifold_sphere(5), map = NULL, reach = 1, D = 6, clip = 0.6),
  `SPD(3) matrices` = list(data = turning, metric = manifold_spd(3), map = matrices_of, reach = 2, D = 6, clip = 0.8)
)
kinds <- list(1, 0:1)
wanted <- c(0, 1)

one_data_set <- function(space) {
  data <- space$data()
  box <- domain_box(rep(-space$reach, space$D), rep(space$reach, space$D))
  mixture <- private_mixture(data$flat, box, 12, epsilon = 0.5, delta = 1e-6, rng = "R")
  landmarks <- landmarks_from(mixture, 300, space$metric, map = space$map)
  lapply(kinds, function(dimensions) evident_counts(data$rows, landmarks, 0.5, 0.05, space$clip, dimensions, releases))
}

results <- do.call(rbind, lapply(names(spaces), function(name) {
  found <- repetitions(data_sets, function(i) one_data_set(spaces[[name]]))
  do.call(rbind, lapply(seq_along(kinds), function(kind) {
    counts <- do.call(cbind, lapply(found, `[[`, kind))
    dimensions <- kinds[[kind]]
    data.frame(space = name, n, clip = spaces[[name]]$clip, released = paste(dimensions, collapse = "+"),
               dimension = dimensions,
               wanted = wanted[dimensions + 1], right = rowMeans(counts == wanted[dimensions + 1]),
               more = rowMeans(counts > wanted[dimensions + 1]))
  }))
}))
write_table(results, "high-dimension-spaces")
record_time("high-dimension-spaces.R")
