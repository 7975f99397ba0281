# Private mean shapes of the skulls of apes, with noise in the tangent space and with noise on the embedding:
#
#   Rscript inst/simulations/manifolds-shapes.R [FOLDER]
#
# The data are apes of the R package shapes (Dryden, license GPL-2, which is why this package does not hold them). If it
# is not installed, FOLDER holds its apes.rda. They are 8 landmarks in the plane of 167 skulls (O'Higgins and Dryden
# 1993). The orangutans are public here, and their mean is the center of the ball.
# The gorillas and chimpanzees are the rows. Half a minute.
source("inst/simulations/common.R")
set.seed(16)
options(dptda.weak_release = FALSE) # noise at 0.5 is shown

apes <- local({
  if (requireNamespace("shapes", quietly = TRUE)) data("apes", package = "shapes", envir = environment())
  else load(data_file("apes.rda"))
  apes
})
landmarks <- 8
space <- manifold_shapes(landmarks)
shapes <- as_shapes(apes$x)
public <- apes$group %in% c("pongof", "pongom")
X <- shapes[, , !public]
n <- dim(X)[3]
center <- frechet_mean(shapes[, , public], space)$point
mean <- frechet_mean(X, space)$point
radius <- 0.25
draws <- sized(200)

# Noise on the embedding is compared with the mean there, of which it is a noisy version: the first eigenvector of the
# mean projector.
first_shape <- function(value) as_shapes(matrix(eigen(value, symmetric = TRUE)$vectors[, 1], landmarks))
release <- function(epsilon, method) {
  private_frechet_mean(X, space, center, radius, epsilon = epsilon, method = method, rng = "R")$value
}
embedded_mean <- first_shape(release(1e9, "ambient"))

errors <- function(epsilon, method) {
  truth <- if (method == "ambient") embedded_mean else mean
  shape <- if (method == "ambient") first_shape else identity
  found <- unlist(repetitions(draws, function(i) manifold_distance(truth, shape(release(epsilon, method)), space)))
  data.frame(method, epsilon, n, radius, draws, error = signif(base::mean(found), 4),
             se = signif(stats::sd(found) / sqrt(draws), 2))
}
settings <- expand.grid(epsilon = c(0.5, 1, 2, 4), method = c("tangent", "ambient"), stringsAsFactors = FALSE)
found <- do.call(rbind, Map(errors, settings$epsilon, settings$method))
write_table(found, "manifolds-shapes")

# Facts about the data, and landmarks for a picture, in the rotation of the center.
from_center <- manifold_distance(center, X, space)
spread <- sqrt(base::mean(manifold_distance(mean, X, space)^2))
facts <- c(clamped = sum(from_center > radius), farthest = max(from_center), spread = spread,
           mean_from_center = manifold_distance(center, mean, space),
           embedded_from_mean = manifold_distance(mean, embedded_mean, space),
           sensitivity = frechet_sensitivity(n, space, radius))
write_table(data.frame(fact = names(facts), value = signif(unname(facts), 4)), "manifolds-shapes-facts")
turned <- function(shape) {
  z <- complex(real = center[, 1], imaginary = center[, 2])
  w <- complex(real = shape[, 1], imaginary = shape[, 2])
  w * Conj(sum(Conj(z) * w)) / Mod(sum(Conj(z) * w))
}
rows_of <- function(part, epsilon, shape) {
  w <- turned(shape)
  data.frame(part, epsilon, landmark = seq_len(landmarks), x = signif(Re(w), 4), y = signif(Im(w), 4))
}
released <- lapply(c(0.5, 1, 4), function(epsilon) {
  one <- function(i) rows_of("release", epsilon, release(epsilon, "tangent"))
  do.call(rbind, lapply(1:20, one))
})
write_table(rbind(rows_of("center", NA, center), rows_of("mean", NA, mean), do.call(rbind, released)),
            "manifolds-shapes-landmarks")
print(found)
print(signif(facts, 4))
record_time("manifolds-shapes.R")
