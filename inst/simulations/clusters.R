# The grid of Byun, Choi and Lee (2025, Figures 4 to 7): data sets, values of epsilon, private methods, each with and
# without Morse merging; adjusted Rand index of the labels of all rows, mean of 5 runs as in the paper, least and
# greatest. The lines without noise (the paper's dotted ones) are EM and k-means, with epsilon = Inf.
#
#   Rscript inst/simulations/clusters.R FOLDER
#
# FOLDER is that of clusters-common.R, which also says that the scaling, and the t-SNE of USPS (package Rtsne; without
# it USPS is left out), are not private.
#
# Without merging a method looks for K clusters; with it for K0, and each needs covariances then, which k-means is
# charged for (`covariance = TRUE`). The paper's Algorithm 4 merges by height alone (clusters-merging.R has both). Here
# clusters merge by height with a floor of .02, and twice: clusters with less than .05 of the mass first, as was laid
# down before any of this was computed, and with less than .1, which clusters-merging.R found to be as good as any on
# simulated clusters. `mixture` and `grid` are not methods of the paper. delta = 1/n, as in the paper. Refused settings
# are NA.
source("inst/simulations/clusters-common.R")
set.seed(23)
runs <- sized(5)
epsilons <- c(0.5, 1, 2, 5, 10)

# For each method: a fit of `k` components or clusters, from which as_mixture() makes a mixture if there are
# covariances.
mixture_fit <- function(...) function(X, k, epsilon, covariance) {
  private_mixture(X, unit_box(ncol(X)), k, epsilon = epsilon, delta = 1 / nrow(X), ..., rng = "R")
}
kmeans_fit <- function(method) function(X, k, epsilon, covariance) {
  private_kmeans(X, unit_box(ncol(X)), k, epsilon = epsilon, delta = 1 / nrow(X), method = method,
                 covariance = covariance, rng = "R")
}
methods <- list(
  mixture = mixture_fit(),
  `DPMoG-hard` = mixture_fit(features = "box", assignment = "hard", rounds = 10),
  lloyd = kmeans_fit("lloyd"),
  tree = kmeans_fit("tree"),
  cube = kmeans_fit("cube"),
  grid = kmeans_fit("grid")
)

# Without noise: EM, and k-means with the covariances of its clusters, whose variances are at least a millionth of those
# of all rows, as in fit_mixture(). A fit to the data alone is not private.
noiseless <- list(
  EM = function(X, k, epsilon, covariance) fit_mixture(X, k),
  `k-means` = function(X, k, epsilon, covariance) {
    fit <- suppressWarnings(stats::kmeans(X, k, iter.max = 100, nstart = 10))
    least <- diag(1e-6 * apply(X, 2, var))
    covariances <- lapply(seq_len(k), function(j) {
      away <- t(X[fit$cluster == j, , drop = FALSE]) - fit$centers[j, ]
      tcrossprod(away) / ncol(away) + least
    })
    weights <- fit$size / nrow(X)
    # without merging a row belongs to the nearest center: equal weights and covariances
    if (!covariance) {
      covariances <- rep(list(diag(ncol(X))), k)
      weights <- rep(1 / k, k)
    }
    as_mixture(list(weights = weights, means = unname(fit$centers), covariances = covariances))
  }
)
methods <- c(methods, noiseless)

# NA where public numbers refuse the setting.
unless_refused <- function(run, times) tryCatch(run(), dptda_error_argument = function(cnd) rep(NA_real_, times))

plain_index <- function(fit_of, data, epsilon) unless_refused(times = 1, run = function() {
  fit <- fit_of(data$X, data$k, epsilon, covariance = FALSE)
  rand_index(predict(fit, data$X), data$labels)
})

guards <- c(0.05, 0.1)
merged_index <- function(fit_of, data, epsilon) unless_refused(times = length(guards), run = function() {
  mixture <- as_mixture(fit_of(data$X, data$components, epsilon, covariance = TRUE))
  vapply(guards, function(guard) {
    merging <- cluster_morse(mixture, floor = 0.02, min_mass = guard)
    rand_index(predict(merging, data$X, k = data$k), data$labels)
  }, 0)
})

cells <- rbind(
  expand.grid(method = setdiff(names(methods), names(noiseless)), epsilon = epsilons, stringsAsFactors = FALSE),
  data.frame(method = names(noiseless), epsilon = Inf)
)
study <- function(name) {
  data <- readers[[name]]()
  found <- repetitions(runs, function(i) {
    Map(function(method, epsilon) {
      c(plain_index(methods[[method]], data, epsilon), merged_index(methods[[method]], data, epsilon))
    }, cells$method, cells$epsilon)
  })
  do.call(rbind, lapply(seq_len(nrow(cells)), function(i) {
    index <- do.call(cbind, lapply(found, `[[`, i))
    data.frame(data = name, cells[i, ], merging = c("none", paste("guard", guards)), runs,
               mean = round(rowMeans(index), 3),
               least = round(apply(index, 1, min), 3), greatest = round(apply(index, 1, max), 3), row.names = NULL)
  }))
}
write_points(do.call(rbind, lapply(names(readers), study)), "clusters")
record_time("clusters.R")
