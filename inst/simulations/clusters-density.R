# How well private mixtures describe the rows they were fitted to: the mean log density of the rows, each floored at
# -50, in coordinates in which the data fill [-1, 1] on each side.
#
#   Rscript inst/simulations/clusters-density.R FOLDER
#
# FOLDER is that of clusters-common.R, which also says that the scaling is not private. Compared are the default of
# private_mixture() and the mechanism of Byun, Choi and Lee (2025), DPMoG-hard, with its sensitivity mended: ten queries
# in the coordinates of the box. epsilon with delta = 1/n, as in the paper, and for the default with 1e-6 as well; Inf
# stands for rho = 1e5. The simulated rows are 10,000 of a mixture that is drawn anew for each run; `true` is the log
# density of them under that mixture. Means, medians and standard deviations over 20 runs.
source("inst/simulations/clusters-common.R")
set.seed(20)
runs <- sized(20)

epsilons <- c(0.25, 0.5, 1, 2, 5, 10, Inf)
settings <- rbind(
  expand.grid(epsilon = epsilons, delta = "1/n", features = c("whitened", "box"), stringsAsFactors = FALSE),
  expand.grid(epsilon = epsilons[1:6], delta = "1e-6", features = "whitened", stringsAsFactors = FALSE)
)

# The settings that the methods of the paper and of the package have here.
fit_setting <- function(X, components, epsilon, delta, features) {
  budget <- if (is.finite(epsilon)) {
    list(epsilon = epsilon, delta = if (delta == "1/n") 1 / nrow(X) else 1e-6)
  } else list(rho = 1e5)
  shape <- if (features == "box") list(features = "box", assignment = "hard", rounds = 10)
  do.call(private_mixture, c(list(X, unit_box(ncol(X)), components, rng = "R"), budget, shape))
}

one_run <- function(data) {
  if (is.function(data)) data <- data()
  density <- unlist(Map(function(epsilon, delta, features) {
    log_density(fit_setting(data$X, data$components, epsilon, delta, features), data$X)
  }, settings$epsilon, settings$delta, settings$features), use.names = FALSE)
  c(density, if (is.null(data$model)) NA else log_density(data$model, data$X))
}

simulated <- function(dimension, clusters) {
  c(simulate_mixture(1e4, dimension, clusters), components = clusters)
}
sources <- c(lapply(readers[names(readers) != "USPS"], function(read) read()), list(
  `simulated, D = 2` = function() simulated(2, 4), `simulated, D = 5` = function() simulated(5, 6)
))

results <- do.call(rbind, lapply(names(sources), function(name) {
  densities <- do.call(cbind, repetitions(runs, function(i) one_run(sources[[name]])))
  true <- mean(densities[nrow(densities), ])
  densities <- densities[seq_len(nrow(settings)), ]
  data.frame(data = name, settings, runs, mean = round(rowMeans(densities), 3),
             median = round(apply(densities, 1, median), 3),
             sd = round(apply(densities, 1, sd), 3), true = round(true, 3))
}))
write_table(results, "clusters-density")
record_time("clusters-density.R")
