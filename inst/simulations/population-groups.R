# How often intervals contain proportions in two groups of private size, and their difference: two-way tables of two
# columns with noise in all cells, 96 settings, `tables` tables each. The width of the difference is relative to the
# normal interval without noise.
source("inst/simulations/common.R")
set.seed(62)
tables <- sized(400, 40)
settings <- expand.grid(p = c(0.02, 0.1, 0.3, 0.5), difference = c(0, 0.1), first = c(100, 500, 5000),
                        second = c(100, 1000), epsilon = c(0.1, 0.5, 1, 4))

one_table <- function(s, level) {
  p <- c(s$p, s$p + s$difference)
  n <- c(s$first, s$second)
  yes <- rbinom(2, n, p)
  x <- data.frame(g = rep(c("a", "b"), n), y = rep(rep(c("yes", "no"), 2), rbind(yes, n - yes)))
  release <- suppressWarnings(private_table(x, list(g = c("a", "b"), y = c("yes", "no")), epsilon = s$epsilon,
                                            rng = "R"))
  share <- confint(release, level = level, of = "population", by = "g")["g a, y yes", ]
  found <- as.data.frame(compare_groups(release, by = "g", level = level))[1, ]
  stopifnot(found$cell == "yes")
  c(one = share[[1]] <= p[1] && p[1] <= share[[2]],
    difference = found$lower <= -s$difference && -s$difference <= found$upper,
    width = (found$upper - found$lower) / (2 * qnorm((1 + level) / 2) * sqrt(sum(p * (1 - p) / n))))
}

one_setting <- function(i) {
  runs <- replicate(tables, one_table(settings[i, ], 0.95))
  data.frame(settings[i, ], one = mean(runs["one", ]), difference.covered = mean(runs["difference", ]),
             width = median(runs["width", ]))
}

found <- do.call(rbind, repetitions(nrow(settings), one_setting))
summary <- do.call(rbind, lapply(split(found, found$epsilon), function(part) {
  data.frame(epsilon = part$epsilon[1], one.min = min(part$one), one.median = median(part$one), one.max = max(part$one),
             difference.min = min(part$difference.covered), difference.median = median(part$difference.covered),
             difference.max = max(part$difference.covered), width = round(median(part$width), 2))
}))
write_table(summary, "population-groups")
record_time("population-groups.R")
