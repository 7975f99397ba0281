# How far a release is from the true diagram, beside the theorems of inst/proofs/diagram-accuracy.md: the law of highly
# persistent features, the bound for any data, and the bound for any mechanism. Kang et al. (2024), Proposition 15 and
# Theorem 18. Then the sampling error in 2, 5, and 10 columns, for their Theorem 17.
source("inst/simulations/common.R")
set.seed(19)

level <- 0.95
beta <- 1 - level
m0 <- 0.2

# The bound for any data (theorem 1) beyond half of the next persistence, for the given numbers of labels by dimension.
# `most` is the largest possible number.
any_data <- function(rate, largest, labels, most) {
  k <- 2 * sum(labels)
  lambda <- prod(2^-labels / sum(2^-(0:most)))
  (k * log(exp(1) * rate * largest / k) - log(beta * lambda * pgamma(rate * largest, k))) / rate
}

# Quantiles of the distances of releases, and the curves of the theorems for the numbers of features by dimension.
# `next_one` is the largest persistence of a point that is not one of them.
row_of <- function(example, n, epsilon, distances, mechanism, sensitivity, features, next_one, lower) {
  rate <- epsilon / (2 * sensitivity)
  shape <- 2 * sum(features)
  quantiles <- quantile(distances, c(0.05, 0.5, level), names = FALSE)
  data.frame(example, n, epsilon, low = quantiles[1], median = quantiles[2], high = quantiles[3],
             mean = mean(distances), law_median = qgamma(0.5, shape) / rate, law_high = qgamma(level, shape) / rate,
             law_mean = shape / rate,
             upper = next_one / 2 + any_data(rate, mechanism$plan$public$bound, features, 10), lower)
}

# Two data sets that differ in j rows (theorem 5): k rows at 0 and the others at 1, and j of the k rows moved to 1. No
# mechanism can have less than `lower` as the quantile of both.
line <- domain_grid(domain_box(0, 1), by = 0.5)
pair_draws <- sized(4000)

pair_row <- function(n, epsilon) {
  k <- ceiling(m0 * n)
  j <- seq_len(floor(k / 4))
  j <- max(which(1 / (exp(floor(j / 2) * epsilon) + exp(ceiling(j / 2) * epsilon)) >= beta))
  sensitivity <- diagram_sensitivity(n, line, m0 = m0)
  mechanism <- private_diagram(unseen(n), line, epsilon, m0 = m0, max_dimension = 0)
  of_data <- function(moved) {
    X <- matrix(rep(0:1, c(k - moved, n - k + moved)))
    truth <- dtm_persistence(X, line, m0 = m0, max_dimension = 0, essential = "drop")
    vapply(unclass(simulate(mechanism, pair_draws, x = truth)), function(release) {
      bottleneck_distance(as_dptda_diagram(as.data.frame(release)), truth, dimension = 0)
    }, 0)
  }
  both <- list(of_data(0), of_data(j))
  worse <- which.max(vapply(both, quantile, 0, level))
  row_of("pair", n, epsilon, both[[worse]], mechanism, sensitivity, 1, 0, j * sensitivity / 2)
}

# The two circles: one component beside the first, two loops. 20 data sets of each size.
circles_row <- function(n, epsilon, sets = sized(20), draws = 100) {
  sensitivity <- diagram_sensitivity(n, circles_grid, m0 = m0, clip = 1.6)
  mechanism <- private_diagram(unseen(n), circles_grid, epsilon, m0 = m0, clip = 1.6, max_dimension = 1)
  features <- c(1, 2)
  runs <- repetitions(sets, function(i) {
    truth <- true_diagram(two_circles(n), circles_grid, m0, 1.6)
    releases <- draw_releases(truth, n, circles_grid, epsilon, m0, clip = 1.6, draws = draws)
    list(distances = vapply(releases, function(release) max(distances(release, truth)), 0),
         next_one = max(vapply(0:1, function(q) {
           persistence <- (truth$death - truth$birth)[truth$dimension == q]
           sort(c(persistence, 0, 0, 0), decreasing = TRUE)[features[q + 1] + 1]
         }, 0)))
  })
  row_of("circles", n, epsilon, unlist(lapply(runs, `[[`, "distances")), mechanism, sensitivity, features,
         max(vapply(runs, `[[`, 0, "next_one")), NA)
}

pairs <- lapply(1000 * 2^(-1:6), pair_row, epsilon = 0.5)
circles <- lapply(1000 * 2^(-1:5), circles_row, epsilon = 1)
curves <- do.call(rbind, c(pairs, circles))
curves[-(1:3)] <- signif(curves[-(1:3)], 4)
write_table(curves, "accuracy")

# The sampling error of the distance to the measure at 200 points (theorem 6): samples of a population of 50,000 rows
# near a sphere. The largest error over the points, and its 95% bound.
clip <- 1.5
mass <- 0.1
sphere <- function(n, columns) {
  x <- matrix(rnorm(n * columns), n)
  x / sqrt(rowSums(x^2)) * (1 + 0.05 * rnorm(n))
}
population_rows <- function(columns, samples = sized(40)) {
  population <- sphere(50000, columns)
  places <- matrix(runif(200 * columns, -1.2, 1.2), 200) / sqrt(columns / 2)
  exact <- distance_to_measure(population, places, m0 = mass, clip = clip)
  do.call(rbind, lapply(250 * 4^(0:3), function(n) {
    errors <- unlist(repetitions(samples, function(i) {
      rows <- population[sample.int(nrow(population), n, replace = TRUE), ]
      max(abs(distance_to_measure(rows, places, m0 = mass, clip = clip) - exact))
    }))
    bound <- clip / mass * (sqrt(log(2 * 200 / beta) / (2 * n)) + 1 / n)
    data.frame(columns, n, mean = signif(mean(errors), 4), se = signif(sd(errors) / sqrt(samples), 2),
               largest = signif(max(errors), 4), bound = signif(bound, 4))
  }))
}
write_table(do.call(rbind, lapply(c(2, 5, 10), population_rows)), "accuracy-population")
record_time("accuracy.R")
