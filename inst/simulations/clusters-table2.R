# Table 2 of Byun, Choi and Lee (2025) with the default of private_mixture(): six components merged into two, of Pulsar
# and MAGIC. delta = 1/n as in the paper. The adjusted Rand index of the labels of all rows by the ways of
# clusters-merging.R that Table 2 needs, and the mean log density of the rows, floored at -50, as in
# clusters-density.R: medians over 7 runs.
#
#   Rscript inst/simulations/clusters-table2.R FOLDER
#
# FOLDER is that of clusters-common.R, which also says that the scaling is not private.
source("inst/simulations/clusters-common.R")
set.seed(27)
runs <- 7
epsilons <- c(0.5, 1, 2, 5, 10)

merged <- function(fit, data, labels, ...) {
  rand_index(cut_into(cluster_morse(fit, ...), data$k)[labels], data$labels)
}

one_fit <- function(data, epsilon) {
  fit <- private_mixture(data$X, unit_box(ncol(data$X)), data$components, epsilon = epsilon, delta = 1 / nrow(data$X),
                         rng = "R")
  labels <- predict(fit, data$X)
  wide <- cluster_morse(fit, floor = 0.02)$mixture
  c(height = merged(fit, data, labels),
    `height, floor .02, guard .05` = merged(wide, data, predict(wide, data$X), min_mass = 0.05),
    oracle = best_merging(labels, data$labels, data$components, data$k), density = log_density(fit, data$X))
}

results <- do.call(rbind, lapply(c("Pulsar", "MAGIC"), function(name) {
  data <- readers[[name]]()
  found <- repetitions(runs, function(i) vapply(epsilons, one_fit, double(4), data = data))
  do.call(rbind, lapply(seq_along(epsilons), function(e) {
    each <- vapply(found, function(run) run[, e], double(4))
    data.frame(data = name, epsilon = epsilons[e], what = rownames(each), runs, rand_summary(each), row.names = NULL)
  }))
}))
write_table(results, "clusters-table2")
record_time("clusters-table2.R")
