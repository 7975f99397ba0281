# How often intervals contain proportions in two groups of private size, and their difference: two-way tables of two
# columns with noise in all cells, 96 settings, 400 tables each. The width of the difference is relative to the normal
# interval without noise. One release holds 40 tables, as a third column, because intervals do not depend on n.
source("inst/simulations/common.R")
set.seed(62)
together <- 40
releases <- sized(10)
settings <- expand.grid(p = c(0.02, 0.1, 0.3, 0.5), difference = c(0, 0.1), first = c(100, 500, 5000),
                        second = c(100, 1000), epsilon = c(0.1, 0.5, 1, 4))

one_release <- function(s) {
  p <- c(s$p, s$p + s$difference)
  n <- c(s$first, s$second)
  yes <- matrix(rbinom(2 * together, n, p), 2)
  x <- data.frame(run = rep(seq_len(together), each = sum(n)), g = rep(rep(c("a", "b"), n), together),
                  y = rep(rep(c("yes", "no"), 2 * together), rbind(c(yes), n - c(yes))))
  release <- suppressWarnings(private_table(x, list(run = seq_len(together), g = c("a", "b"), y = c("yes", "no")),
                                            epsilon = s$epsilon, rng = "R"))
  share <- confint(release, of = "population", by = c("run", "g"))
  share <- share[paste0("run ", seq_len(together), ", g a, y yes"), ]
  found <- as.data.frame(compare_groups(release, by = c("run", "g")))
  runs <- seq_len(together)
  pairs <- paste0(runs, ", a & ", runs, ", b & yes")
  found <- found[match(pairs, paste(found$first, "&", found$second, "&", found$cell)), ]
  cbind(one = share[, 1] <= p[1] & p[1] <= share[, 2],
        difference = found$lower <= -s$difference & -s$difference <= found$upper,
        width = (found$upper - found$lower) / (2 * qnorm(0.975) * sqrt(sum(p * (1 - p) / n))))
}

one_setting <- function(i) {
  runs <- do.call(rbind, lapply(seq_len(releases), function(release) one_release(settings[i, ])))
  data.frame(settings[i, ], one = mean(runs[, "one"]), difference.covered = mean(runs[, "difference"]),
             width = median(runs[, "width"]))
}

found <- do.call(rbind, repetitions(nrow(settings), one_setting))
summary <- do.call(rbind, lapply(split(found, found$epsilon), function(part) {
  data.frame(epsilon = part$epsilon[1], one.min = min(part$one), one.median = median(part$one), one.max = max(part$one),
             difference.min = min(part$difference.covered), difference.median = median(part$difference.covered),
             difference.max = max(part$difference.covered), width = round(median(part$width), 2))
}))
write_table(summary, "population-groups")
record_time("population-groups.R")
