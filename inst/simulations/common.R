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

# How often to repeat. A quick replication repeats a tenth as often, and at least `least` times.
sized <- function(count, least = 2) {
  if (Sys.getenv("REPLICATE") != "quick") return(count)
  pmin(count, pmax(least, ceiling(count / 10)))
}

# The rows of a table of settings whose results are summarized: in a quick replication, a tenth of them, evenly.
sized_settings <- function(settings) settings[round(seq(1, nrow(settings), length.out = sized(nrow(settings)))), ]

# `run(i)` for i = 1..runs, as a list: dealt out like cards to at most 1,000 parts, each of which draws from a stream of
# its own, so that the numbers are the same however many workers share them.
repetitions <- function(runs, run) {
  cards <- unname(split(seq_len(runs), rep_len(seq_len(min(runs, 1000)), runs)))
  streams <- random_streams(length(cards))
  state <- .Random.seed
  on.exit(assign(".Random.seed", state, globalenv()))
  done <- if (plan_is_set()) {
    # a function may use others: the workers get all of them
    functions <- names(Filter(is.function, mget(ls(globalenv()), globalenv())))
    on_worker <- function(card) {
      options(dptda.threads = 1)
      lapply(card, run)
    }
    future.apply::future_lapply(cards, on_worker, future.seed = streams, future.scheduling = 4,
                                future.packages = "dptda", future.globals = structure(TRUE, add = functions))
  } else {
    Map(function(card, stream) {
      assign(".Random.seed", stream, globalenv())
      lapply(card, run)
    }, cards, streams)
  }
  results <- vector("list", runs)
  results[unlist(cards)] <- unlist(done, recursive = FALSE)
  results
}

# L'Ecuyer's streams, 2^127 draws apart; the first is chosen by a draw from the stream of the session. Its seed is six
# whole numbers, none of which is zero.
random_streams <- function(count) {
  first <- c(10407L, as.integer(1 + floor(runif(6) * (.Machine$integer.max - 1))))
  Reduce(function(stream, i) parallel::nextRNGStream(stream), seq_len(count - 1), first, accumulate = TRUE)
}

plan_is_set <- function() isNamespaceLoaded("future") && !inherits(future::plan(), "sequential")

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

# `draws` releases of private_diagram(), as plain data frames. The true diagram takes ten times as long as a draw, and
# is computed once; same_as_package() shows that nothing else differs.
draw_releases <- function(truth, n, grid, epsilon, m0, clip = Inf, utility = "max", max_points = 10,
                          learn_points = TRUE,
                          draws = 1) {
  mechanism <- private_diagram(unseen(n), grid, epsilon, m0 = m0, clip = clip, max_dimension = 1,
                               max_points = max_points,
                                 learn_points = learn_points, utility = utility)
  lapply(unclass(simulate(mechanism, draws, x = truth)), as.data.frame)
}

# The release knows the true diagram in whole steps, and that of true_diagram() is within three of them. So releases of
# both by the same coins are as near to each other, but where a coin falls just between, which about one in ten does.
same_as_package <- function(X, grid, m0, clip, epsilon, utility = "max", max_points = 10, learn_points = TRUE) {
  seed <- .Random.seed
  on.exit(assign(".Random.seed", seed, globalenv()))
  truth <- true_diagram(X, grid, m0, clip)
  far <- vapply(1:20, function(i) {
    set.seed(i)
    ours <- draw_releases(truth, nrow(X), grid, epsilon, m0, clip, utility, max_points, learn_points)[[1]]
    set.seed(i)
    package <- private_diagram(X, grid, epsilon, m0 = m0, clip = clip, utility = utility, max_points = max_points,
                               learn_points = learn_points, rng = "R")
    max(distances(ours, package)) / privacy(package)$public$step
  }, 0)
  stopifnot(median(far) <= 6)
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

# Hundreds of lines for a picture, which nobody compares one by one: packed, they are a sixth of their size.
write_points <- function(x, name) {
  packed <- xzfile(result_path(paste0(name, ".csv.xz")), "w", compression = 9)
  on.exit(close(packed))
  write.csv(x, packed, row.names = FALSE)
}

write_object <- function(x, name) saveRDS(x, result_path(paste0(name, ".rds")), version = 2, compress = "xz")

# One row for each script in run-times.csv: processor seconds, on one thread. Those of other processes are not known.
record_time <- function(script) {
  if (plan_is_set()) return(message(script, ": done; its time is recorded without a plan only"))
  path <- result_path("run-times.csv")
  times <- if (file.exists(path)) read.csv(path) else data.frame(script = character(), seconds = integer())
  now <- data.frame(script = script, seconds = round(sum(proc.time()[c("user.self", "sys.self")])))
  times <- rbind(times[times$script != script, ], now)
  write.csv(times[order(times$script), ], path, row.names = FALSE)
  message(script, ": ", now$seconds, " s")
}

# Returns the folder of the data that are not shipped: the first argument of a script, or the environment variable
# DPTDA_DATA. Each file is in the folder itself or in one below.
data_folder <- function() {
  folder <- commandArgs(TRUE)
  folder <- if (length(folder)) folder[1] else Sys.getenv("DPTDA_DATA")
  if (!dir.exists(folder)) stop("usage: Rscript inst/simulations/SCRIPT.R FOLDER")
  folder
}

data_file <- function(name) {
  found <- list.files(data_folder(), paste0("^", name, "$"), recursive = TRUE, full.names = TRUE)
  if (length(found) != 1) stop("the folder must hold ", name, " once")
  found
}
