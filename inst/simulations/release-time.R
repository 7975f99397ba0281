#!/usr/bin/env Rscript
# How much the duration of a release tells of its rows: of two data sets one is released, over and over, in random
# and a distinguisher says which by the duration alone. Its threshold is chosen on half of the runs, and its advantage
# (right answers of the one kind less wrong answers of the other, 0 to 1) is that on the other half. A few minutes, on a
# machine that does nothing else; durations are the elapsed time of one release, drawn from the operating system.
#
#   Rscript inst/simulations/release-time.R [RUNS]
#
# Writes inst/simulations/results/release-time.csv: the median of the durations in milliseconds, the advantage where one
# row is another, and where all rows are, what chance alone stays below with probability .95, the advantage where all
# rows are others and each release returns at a multiple of a quarter of a second (`held`), and the share of those that
# came late (`late`).
source("inst/simulations/common.R")
options(dptda.weak_release = FALSE)

runs <- as.numeric(c(commandArgs(TRUE), sized(200))[1])
set.seed(1)
box <- domain_box(c(-2, -2), c(2, 2))
grid <- domain_grid(box, by = 0.2)
angle <- runif(400, 0, 2 * pi)
circle <- cbind(cos(angle), sin(angle)) + rnorm(800, sd = 0.1)
heap <- matrix(0.3, 400, 2)
tensors <- rWishart(200, df = 8, Sigma = diag(3) / 8)
same <- array(diag(3), c(3, 3, 200))
answers <- data.frame(a = sample(c("u", "v", "w"), 500, TRUE), b = runif(500), c = sample(c(TRUE, FALSE), 500, TRUE))
answers$b <- pmin(1, answers$b + 0.3 * (answers$a == "u"))
alike <- answers[rep(1, 500), ]
schema <- table_schema(a = schema_categorical(c("u", "v", "w")), b = schema_numeric(0, 1, cells = 8),
                       c = schema_logical())
first_replaced <- function(x, by) {
  if (is.data.frame(x)) x[1, ] <- by[1, ]
  else if (length(dim(x)) == 3) x[, , 1] <- by[, , 1]
  else if (is.matrix(x)) x[1, ] <- by[1, ]
  else x[1] <- by[1]
  x
}

# The data, and other data of the same size.
studies <- list(
  count = list(release = function(x) private_count(x, epsilon = 1), data = runif(1000) < 0.5, other = rep(TRUE, 1000)),
  quantile = list(release = function(x) private_quantile(x, c(0, 1), 0.5, epsilon = 1), data = runif(1000),
                  other = rep(1, 1000)),
  mean = list(release = function(x) private_frechet_mean(x, manifold_spd(3), diag(3), 1.5, epsilon = 1),
              data = tensors, other = same),
  diagram = list(release = function(x) private_diagram(x, grid, epsilon = 1, m0 = 0.1, max_points = 3),
                 data = circle, other = heap),
  synthesis = list(release = function(x) private_synthesis(x, schema, epsilon = 1, method = "privbayes"),
                   data = answers, other = alike)
)

seconds <- function(release, x) {
  begun <- as.numeric(Sys.time())
  release(x)
  as.numeric(Sys.time()) - begun
}

# Of durations with the data `which` was 1 or 2.
advantage <- function(duration, which) {
  train <- seq_along(duration) %% 2 == 0
  gap <- function(at, part) mean(duration[part & which == 2] > at) - mean(duration[part & which == 1] > at)
  gaps <- vapply(duration[train], gap, 0, train)
  best <- which.max(abs(gaps))
  sign(gaps[best]) * gap(duration[train][best], !train)
}

compare <- function(study, x, y) {
  which <- sample(rep(1:2, runs))
  for (i in 1:5) study$release(x)
  duration <- vapply(which, function(one) seconds(study$release, if (one == 1) x else y), 0)
  list(advantage = advantage(duration, which), median = stats::median(duration[which == 1]),
       duration = duration)
}

found <- do.call(rbind, lapply(names(studies), function(name) {
  study <- studies[[name]]
  one <- compare(study, study$data, first_replaced(study$data, study$other))
  all <- compare(study, study$data, study$other)
  period <- 0.25
  options(dptda.release_time = period)
  held <- suppressMessages(compare(study, study$data, study$other))
  options(dptda.release_time = NULL)
  # the difference of two shares of half of the runs each, where both data sets are the same
  chance <- stats::qnorm(0.95) * sqrt(2 * 0.25 / (runs / 2))
  data.frame(release = name, milliseconds = signif(1000 * one$median, 3), one_row = round(one$advantage, 2),
             all_rows = round(all$advantage, 2), chance = round(chance, 2), held = round(held$advantage, 2),
             late = mean(held$duration > 1.5 * period))
}))
write_table(found, "release-time")
print(found)
