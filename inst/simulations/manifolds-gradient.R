# The K-norm gradient mechanism of Soto, Bharath, Reimherr and Slavkovic (2022) on the unit sphere, beside the tangent
# mechanism of the package and the conditioned Laplace mechanism of Reimherr, Bharath and Soto (2021), Theorem 3: mean
# distance of releases from the Frechet mean of 400 rows, at epsilon = 1, by the radius of the ball.
#
# The gradient mechanism has the density exp(-epsilon |grad F(x)| / (2 S)) on the ball, up to a factor, with F half the
# mean squared distance to the rows, and S a bound of the change of its gradient when one row is replaced: 2 r s / n by
# the package (manifold-sensitivity.md, Lemma 2), 2 r (2 - h) / n by the paper. Its mean distance is an integral, and
# needs no draws; so is that of the conditioned mechanism. That of the tangent mechanism is a mean of 1,000 releases
# (standard error 2 percent). Rows are uniform in the disk of the tangent plane at the pole. Half a minute.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-common.R")
set.seed(13)

n <- 400
epsilon <- 1
sphere <- manifold_sphere(2)
pole <- c(0, 0, 1)

rows_in_ball <- function(r) {
  t <- r * sqrt(runif(n))
  angle <- runif(n, 0, 2 * pi)
  cbind(sin(t) * cos(angle), sin(t) * sin(angle), cos(t))
}

# Length of the gradient of F at the points `x`, one per row.
gradient_lengths <- function(x, X) {
  cosine <- pmin(tcrossprod(x, X), 1)
  angle <- acos(cosine)
  factor <- ifelse(angle < 1e-8, 1, angle / sin(angle))
  sqrt(rowSums((factor %*% X - rowSums(factor * cosine) * x)^2)) / n
}

# Mean of the distance from m under a density on the ball, in polar coordinates about m.
mean_distance <- function(m, r, rate, exponent) {
  u <- c(m[3], 0, -m[1]) / sqrt(m[1]^2 + m[3]^2)
  v <- c(m[2] * u[3] - m[3] * u[2], m[3] * u[1] - m[1] * u[3], m[1] * u[2] - m[2] * u[1])
  t <- min(2 * r, 40 / rate) * (seq_len(400) - 0.5) / 400
  angle <- 2 * pi * (seq_len(40) - 0.5) / 40
  at <- expand.grid(t = t, angle = angle)
  x <- outer(cos(at$t), m) + sin(at$t) * (outer(cos(at$angle), u) + outer(sin(at$angle), v))
  inside <- x[, 3] >= cos(r)
  weight <- exp(-exponent(x[inside, ], at$t[inside])) * sin(at$t[inside])
  sum(weight * at$t[inside]) / sum(weight)
}

one_radius <- function(r) {
  X <- rows_in_ball(r)
  m <- as.vector(frechet_mean(X, sphere)$point)
  theta <- 2 * r
  h <- convexity(r)
  gradient <- function(numerator) {
    rate <- epsilon * n / (2 * 2 * r * numerator) # per unit of the gradient, which has at least the slope h
    mean_distance(m, r, h * rate, function(x, t) rate * gradient_lengths(x, X))
  }
  tangent <- replicate(sized(1000), {
    release <- private_frechet_mean(X, sphere, center = pole, radius = r, epsilon = epsilon, rng = "R")
    manifold_distance(m, release$value, sphere)
  })
  scale <- 2 * frechet_sensitivity(n, sphere, r, bound = "paper") / epsilon
  data.frame(radius = r, tangent = mean(tangent), se = sd(tangent) / sqrt(length(tangent)),
             gradient = gradient(theta / sin(theta)), paper_gradient = gradient(2 - h),
             paper_laplace = mean_distance(m, r, 1 / scale, function(x, t) t / scale))
}

found <- do.call(rbind, lapply(c(0.1, 0.4, 0.6, 0.75), one_radius))
print(found)
write_table(signif(found, 4), "manifolds-gradient")
record_time("manifolds-gradient.R")
