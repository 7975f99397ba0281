# What clipping the distances, taking the largest instead of the sum of the bottleneck distances, and learning the
# number of points buy on the two circles of two-circles.R (n = 4,000, m0 = .2). The error is always the bottleneck
# distance from the diagram without clipping. 500 data sets; each serves all settings.
source("inst/simulations/common.R")
set.seed(5)

replicates <- sized(500)
n <- 4000
m0 <- 0.2

mechanisms <- list(
  "sum, 5 points" = list(utility = "sum", max_points = 5, learn_points = FALSE),
  "max, 5 points" = list(utility = "max", max_points = 5, learn_points = FALSE),
  "sum, learned" = list(utility = "sum", max_points = 10, learn_points = TRUE),
  "max, learned" = list(utility = "max", max_points = 10, learn_points = TRUE)
)

# Equal epsilon, all combinations; then several epsilons for the first and the best.
settings <- rbind(
  expand.grid(mechanism = names(mechanisms), clip = c(Inf, 1.6, 1.2), epsilon = 1, stringsAsFactors = FALSE),
  expand.grid(mechanism = "sum, 5 points", clip = Inf, epsilon = c(0.2, 0.5, 2, 5, 10, 20, 50),
              stringsAsFactors = FALSE),
  expand.grid(mechanism = "max, learned", clip = 1.6, epsilon = c(0.1, 0.2, 0.35, 0.5, 0.7, 2, 5),
              stringsAsFactors = FALSE)
)

with_setting <- function(f, setting, ...) {
  do.call(f, c(list(...), mechanisms[[setting$mechanism]],
               list(grid = circles_grid, m0 = m0, clip = setting$clip, epsilon = setting$epsilon)))
}

# Which released points count: those that are more persistent than what appears with probability .9, a public number.
settings$threshold <- vapply(seq_len(nrow(settings)), function(i) {
  with_setting(power_diagram, settings[i, ], n = n, power = 0.9, level = 0.9)$persistence
}, 0)
settings$threshold <- signif(settings$threshold, 4)

# The true diagram has one component beside the first and two loops, whatever the data set. A threshold on persistence
# shows just these if it is at least `from` and below `to`.
right_thresholds <- function(diagram) {
  persistence <- function(q) c(sort((diagram$death - diagram$birth)[diagram$dimension == q], decreasing = TRUE),
                               0, 0, 0)
  components <- persistence(0)
  loops <- persistence(1)
  c(from = max(components[2], loops[3]), to = min(components[1], loops[2]))
}

one_release <- function(i, truths) {
  truth <- truths[[as.character(settings$clip[i])]]
  diagram <- with_setting(draw_releases, settings[i, ], truth = truth, n = n)[[1]]
  data.frame(setting = i, dimension = 0:1, error = distances(diagram, truths[["Inf"]]),
             points = tabulate(diagram$dimension + 1, 2), as.list(right_thresholds(diagram)))
}

# The three features that every data set has.
features <- function(truth) {
  rbind(rounded(truth[truth$dimension == 0, ][1, ]), rounded(truth[truth$dimension == 1, ][1:2, ]))
}

one_data_set <- function(replicate) {
  X <- two_circles(n)
  truths <- lapply(c(`Inf` = Inf, `1.6` = 1.6, `1.2` = 1.2), function(clip) true_diagram(X, circles_grid, m0, clip))
  # how far clipping alone moves the true diagram
  bias <- vapply(truths[-1], distances, numeric(2), truths[["Inf"]])
  list(
    releases = cbind(replicate, do.call(rbind, lapply(seq_len(nrow(settings)), one_release, truths))),
    bias = data.frame(clip = rep(c(1.6, 1.2), each = 2), dimension = 0:1, bias = as.vector(bias)),
    truth = cbind(feature = c("component", "large loop", "small loop"), features(truths[["Inf"]]))
  )
}
with_setting(same_as_package, settings[8, ], X = two_circles(n))
runs <- repetitions(replicates, one_data_set)
gather <- function(what) do.call(rbind, lapply(runs, `[[`, what))

releases <- gather("releases")
described <- function(table) cbind(settings[table$setting, ], table[names(table) != "setting"], row.names = NULL)
write_table(described(error_quantiles(releases$error, releases[c("setting", "dimension")])), "gains-errors")

# How often a release shows the true Betti numbers: by all its points; by those above the threshold of the plan; and by
# those above the one threshold that is best in hindsight, which no user knows.
betti <- function(i) {
  release <- subset(releases, setting == i)
  from <- release$from[release$dimension == 0]
  to <- release$to[release$dimension == 0]
  share <- function(threshold) mean(from <= threshold & threshold < to)
  hindsight <- vapply(from, share, 0)
  points <- cbind(release$points[release$dimension == 0], release$points[release$dimension == 1])
  common <- names(which.max(table(paste(points[, 1], points[, 2]))))
  data.frame(settings[i, ], all_points = mean(points[, 1] == 1 & points[, 2] == 2),
             planned = share(settings$threshold[i]), hindsight = max(hindsight),
             hindsight_threshold = signif(from[which.max(hindsight)], 4), commonest_counts = common)
}
write_table(do.call(rbind, lapply(seq_len(nrow(settings)), betti)), "gains-betti")

bias <- gather("bias")
write_table(error_quantiles(bias$bias, bias[c("clip", "dimension")]), "gains-bias")

truth <- gather("truth")
write_table(aggregate(truth[c("birth", "death")], truth[c("feature", "dimension")], function(x) round(mean(x), 4)),
            "gains-truth")
record_time("gains.R")
