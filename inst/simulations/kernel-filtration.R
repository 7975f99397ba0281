# A kernel density as a filtration, beside the distance to a measure: 1 - (1/n) sum_i exp(-|x - x_i|^2 / (2 h^2)) on
# the grid of the two circles. One row moves it by at most 1/n at each vertex, and so the diagram by at most 1/n. THIS
# IS NOT PRIVATE: diagrams are compared, and nothing is released.
#
#   Rscript inst/simulations/kernel-filtration.R
#
# The noise of a private diagram is proportional to the sensitivity. So what counts is persistence over sensitivity: of
# the second component, of the smaller loop, and of the most persistent feature that the circles do not have. It also
# grows with the logarithm of `range`, the largest value over the sensitivity. 1,000 and 4,000 rows on two circles with
# normal noise of 0.05, without and with a tenth of the rows uniform in the box; means and standard errors of 20 data
# sets, which all filtrations share.
source("inst/simulations/common.R")
set.seed(46)
runs <- sized(20)
axis <- circles_grid$axes[[1]]

noisy_circles <- function(n, outliers) {
  X <- two_circles(n) + rnorm(2 * n, sd = 0.05)
  far <- seq_len(n) %in% sample(n, outliers * n)
  X[far, ] <- runif(2 * sum(far), -3.5, 3.5)
  X
}

kernel_diagram <- function(X, h) {
  along <- function(x) exp(-outer(axis, x, `-`)^2 / (2 * h^2))
  f <- 1 - tcrossprod(along(X[, 1]), along(X[, 2])) / nrow(X)
  diagram <- as.data.frame(grid_persistence(f, max_dimension = 1))
  diagram[is.finite(diagram$death), ]
}

# The component that lives forever is left out, so the second one is the first of its dimension.
heights <- function(diagram, sensitivity) {
  sorted <- function(q) sort(with(diagram, (death - birth)[dimension == q]), decreasing = TRUE)
  spurious <- max(0, sorted(0)[-1], sorted(1)[-(1:2)])
  c(component = sorted(0)[1], loop = sorted(1)[2], spurious = spurious) / sensitivity
}

filtrations <- rbind(
  expand.grid(filtration = "distance to a measure", m0 = c(0.05, 0.1, 0.2), clip = c(0.8, 1.6), h = NA),
  data.frame(filtration = "kernel", m0 = NA, clip = NA, h = c(0.1, 0.2, 0.3, 0.5))
)

one_filtration <- function(X, m0, clip, h) {
  if (!is.na(h)) return(heights(kernel_diagram(X, h), 1 / nrow(X)))
  heights(true_diagram(X, circles_grid, m0, clip), diagram_sensitivity(nrow(X), circles_grid, m0 = m0, clip = clip))
}

range_of <- function(n, m0, clip, h) {
  if (is.na(h)) clip / diagram_sensitivity(n, circles_grid, m0 = m0, clip = clip) else n
}

data <- expand.grid(n = c(1000, 4000), outliers = c(0, 0.1))
results <- do.call(rbind, Map(function(n, outliers) {
  found <- repetitions(runs, function(i) {
    X <- noisy_circles(n, outliers)
    mapply(one_filtration, filtrations$m0, filtrations$clip, filtrations$h, MoreArgs = list(X = X))
  })
  found <- simplify2array(found)
  means <- apply(found, 1:2, mean)
  errors <- apply(found, 1:2, sd) / sqrt(runs)
  dimnames(errors) <- list(paste0(rownames(means), "_se"), NULL)
  range <- mapply(range_of, n, filtrations$m0, filtrations$clip, filtrations$h)
  data.frame(n, outliers, filtrations, runs, range, round(t(means), 2), round(t(errors), 2))
}, data$n, data$outliers))
write_table(results, "kernel-filtration")
record_time("kernel-filtration.R")
