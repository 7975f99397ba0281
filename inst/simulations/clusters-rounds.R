# How many rounds a private mixture should have: 12, the default, or 24, each of which has half the budget. The mean log
# density of the rows (floored at -50) and the adjusted Rand index after merging, by height with a floor of .02 and a
# guard of .05, on Shuttle and on simulated clusters. Asked after clusters-merging.R had found 24 rounds better on
# Pulsar and MAGIC where epsilon is 5 or 10, of data that have no part in that.
#
#   Rscript inst/simulations/clusters-rounds.R FOLDER
#
# FOLDER is that of clusters-common.R, which also says that the scaling is not private. delta = 1/n. Means over 10 runs.
source("inst/simulations/clusters-common.R")
set.seed(25)
runs <- 10
settings <- expand.grid(epsilon = c(0.5, 1, 2, 5, 10), rounds = c(12, 24))

one_setting <- function(data, epsilon, rounds) {
  fit <- private_mixture(data$X, unit_box(ncol(data$X)), data$components, epsilon = epsilon, delta = 1 / nrow(data$X),
                         rounds = rounds,
                         rng = "R")
  merging <- cluster_morse(fit, floor = 0.02, min_mass = 0.05)
  c(log_density(fit, data$X), rand_index(predict(merging, data$X, k = data$k), data$labels))
}

shuttle <- read_shuttle()
sources <- list(
  `bent and skewed, D = 2, K = 3` = function() c(odd_clusters(1e4, 2, 3), components = 8),
  `bent and skewed, D = 8, K = 2` = function() c(odd_clusters(1e4, 8, 2), components = 6),
  `bent and skewed, D = 8, K = 4` = function() c(odd_clusters(1e4, 8, 4), components = 10),
  `normal, D = 5, K = 6` = function() c(simulate_mixture(1e4, 5, 6)[c("X", "labels")], k = 6, components = 6),
  Shuttle = function() shuttle
)
results <- do.call(rbind, lapply(names(sources), function(name) {
  found <- repetitions(runs, function(i) {
    data <- sources[[name]]()
    vapply(seq_len(nrow(settings)), function(s) one_setting(data, settings$epsilon[s], settings$rounds[s]), double(2))
  })
  means <- Reduce(`+`, found) / runs
  data.frame(data = name, settings, runs, density = round(means[1, ], 3), ari = round(means[2, ], 3))
}))
write_table(results, "clusters-rounds")
record_time("clusters-rounds.R")
