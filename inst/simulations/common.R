# What the scripts of this folder share. A script is run from the root of a checkout, with the package installed:
#
#   Rscript inst/simulations/two-circles.R
#
# Its repetitions are shared by the workers of a plan of the package future, and the numbers are the same without one:
#
#   Rscript -e 'future::plan(future::cluster, workers = c("node1", "node2")); source("inst/simulations/two-circles.R")'
#
# It draws everything, data and releases, from R's stream after a stated seed (rng = "R"), so that its results can be
# had again, and writes them to inst/simulations/results/. Releases drawn in this way are stamped as not private.

library(dptda)
options(dptda.threads = 1) # so that the run times can be compared

# `run(i)` for i = 1..runs, as a list. Lists may hold functions that use others: the workers get all of them.
repetitions <- function(runs, run) {
  tell <- dptda:::repeat_progress("Repeating")
  functions <- names(Filter(is.function, mget(ls(globalenv()), globalenv())))
  dptda:::repeat_runs(runs, run, tell = function(done) tell(done / runs), needs = functions)
}

# Two circles of Kang, Kim, Sohn and Awan (2024, Section 5): radius 1.5 around (1.5, 1.5) and radius 1 around
# (-1.5, -1.5), half of the n points on each, uniformly.
two_circles <- function(n) {
  angle <- runif(n, 0, 2 * pi)
  large <- seq_len(n) <= n / 2
  ifelse(large, 1.5, -1.5) + ifelse(large, 1.5, 1) * cbind(cos(angle), sin(angle))
}

# The paper does not state its box; this one has the diagonal of its code, 9.9.
circles_grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)

true_diagram <- function(X, grid, m0, clip = Inf) {
  dtm_persistence(X, grid, m0 = m0, clip = clip, max_dimension = 1, essential = "drop")
}

# `draws` releases of private_diagram(), as plain data frames. Each call of private_diagram() computes the true diagram
# anew, which takes ten times as long as the draw, so this goes through its internal functions.
# same_as_package() shows that nothing else differs.
draw_releases <- function(truth, n, grid, epsilon, m0, clip = Inf, utility = "max", max_points = 10, learn_points = TRUE,
                          draws = 1) {
  mechanism <- dptda:::diagram_plan(n, grid, c(epsilon = epsilon), m0, 1, clip, 0:1, max_points, learn_points, utility)
  points <- dptda:::draw_plan(mechanism, dptda:::split_diagram(truth, 0:1), draws, "R")
  diagram <- function(rows) {
    rows <- points[rows[order(points[rows, 2], points[rows, 3] - points[rows, 4])], , drop = FALSE]
    data.frame(dimension = as.integer(rows[, 2]), birth = rows[, 3], death = rows[, 4])
  }
  unname(lapply(split(seq_len(nrow(points)), factor(points[, 1], seq_len(draws))), diagram))
}

same_as_package <- function(X, grid, m0, clip, epsilon, utility = "max", max_points = 10, learn_points = TRUE) {
  seed <- .Random.seed
  on.exit(assign(".Random.seed", seed, globalenv()))
  # the true diagram as the package has it, in whole steps; that of true_diagram() is within a step or two of it
  setup <- dptda:::release_setup(X, grid, epsilon, NULL, m0, 1, clip, 0:1, max_points, learn_points, "drop", utility)
  whole <- lapply(dptda:::true_diagrams(setup), `*`, setup$plan$step)
  truth <- persistence_diagram(rep(0:1, vapply(whole, nrow, 0L)), do.call(rbind, whole)[, 1], do.call(rbind, whole)[, 2])
  near <- true_diagram(X, grid, m0, clip)
  stopifnot(max(bottleneck_distance(truth, near, dimension = 0:1)) <= 3 * setup$plan$step)
  assign(".Random.seed", seed, globalenv())
  ours <- draw_releases(truth, nrow(X), grid, epsilon, m0, clip, utility, max_points, learn_points)[[1]]
  assign(".Random.seed", seed, globalenv())
  package <- private_diagram(X, grid, epsilon, m0 = m0, clip = clip, utility = utility, max_points = max_points,
                             learn_points = learn_points, rng = "R")
  stopifnot(all.equal(ours, as.data.frame(package), check.attributes = FALSE))
}

# Bottleneck distance of each dimension, 0 and 1.
distances <- function(x, y) {
  x <- as_dptda_diagram(x)
  y <- as_dptda_diagram(y)
  vapply(0:1, function(q) bottleneck_distance(x, y, dimension = q), 0)
}

# A diagram as a plain data frame with few digits: for pictures.
rounded <- function(diagram, digits = 4) {
  data.frame(dimension = diagram$dimension, birth = round(diagram$birth, digits), death = round(diagram$death, digits))
}

# Quantiles of `error` in every group that `by` (a list of columns) makes.
error_quantiles <- function(error, by) {
  probabilities <- c(0.025, 0.25, 0.5, 0.75, 0.975)
  summary <- aggregate(list(error = error), by, quantile, probabilities, names = FALSE)
  quantiles <- signif(summary$error, 5)
  colnames(quantiles) <- c("low", "quarter", "median", "three_quarters", "high")
  cbind(summary[names(by)], quantiles)
}

result_path <- function(name) file.path("inst", "simulations", "results", name)

write_table <- function(x, name) write.csv(x, result_path(paste0(name, ".csv")), row.names = FALSE)

write_object <- function(x, name) saveRDS(x, result_path(paste0(name, ".rds")), version = 2, compress = "xz")

# One row for each script in run-times.csv: processor seconds, on one thread. Those of other processes are not known.
record_time <- function(script) {
  if (dptda:::plan_is_set()) return(message(script, ": done; its time is recorded without a plan only"))
  path <- result_path("run-times.csv")
  times <- if (file.exists(path)) read.csv(path) else data.frame(script = character(), seconds = integer())
  now <- data.frame(script = script, seconds = round(sum(proc.time()[c("user.self", "sys.self")])))
  times <- rbind(times[times$script != script, ], now)
  write.csv(times[order(times$script), ], path, row.names = FALSE)
  message(script, ": ", now$seconds, " s")
}

# Data that are not shipped: in the folder that is the first argument of a script, or that an environment variable names, which
# the scripts that need it call `data_variable`; a file there or in a folder below.
data_folder <- function() {
  folder <- commandArgs(TRUE)
  folder <- if (length(folder)) folder[1] else Sys.getenv(data_variable)
  if (!dir.exists(folder)) stop("usage: Rscript inst/simulations/SCRIPT.R FOLDER")
  folder
}

data_file <- function(name) {
  found <- list.files(data_folder(), paste0("^", name, "$"), recursive = TRUE, full.names = TRUE)
  if (length(found) != 1) stop("the folder must hold ", name, " once")
  found
}
