# How often intervals contain proportions in two groups of private size, and their difference: two-way tables with noise
# in all cells, of which "other" is empty, 96 settings, 20,000 tables each. The width of the difference is relative to
# the normal interval without noise. The intervals are computed here by their formula, and one release per setting, of
# 20 tables in a third column, checks that the package has the same ones.
source("inst/simulations/common.R")
set.seed(62)
tables <- sized(20000, 2000)
settings <- expand.grid(p = c(0.02, 0.1, 0.3, 0.5), difference = c(0, 0.1), first = c(100, 500, 5000),
                        second = c(100, 1000), epsilon = c(0.1, 0.5, 1, 4))

# Wilson's interval with the variance of the noise of three cells: estimate, lower, upper.
interval <- function(yes, all, variance, level) {
  k <- qnorm((1 + level) / 2)^2
  none <- all < 1
  all <- pmax(all, 1)
  yes <- pmin(pmax(yes, 0), all)
  a <- all^2 + k * all - 3 * k * variance
  b <- yes * all + k * all / 2 - k * variance
  root <- sqrt(pmax(b^2 - a * (yes^2 - k * variance), 0))
  wide <- none | a <= 0
  cbind(yes / all, ifelse(wide, 0, pmax((b - root) / a, 0)), ifelse(wide, 1, pmin((b + root) / a, 1)))
}

difference <- function(x, y) {
  cbind(x[, 1] - y[, 1] - sqrt((x[, 1] - x[, 2])^2 + (y[, 3] - y[, 1])^2),
        x[, 1] - y[, 1] + sqrt((x[, 3] - x[, 1])^2 + (y[, 1] - y[, 2])^2))
}

variance_of <- function(scale) 2 * exp(-1 / scale) / (1 - exp(-1 / scale))^2

check_release <- function(p, n, epsilon) {
  together <- 20
  yes <- matrix(rbinom(2 * together, n, p), 2)
  x <- data.frame(run = rep(seq_len(together), each = sum(n)), g = rep(rep(c("a", "b"), n), together),
                  y = rep(rep(c("yes", "no"), 2 * together), rbind(c(yes), n - c(yes))))
  release <- suppressWarnings(private_table(x, list(run = seq_len(together), g = c("a", "b"), y = c("yes", "no")),
                                            epsilon = epsilon, rng = "R"))
  counts <- unclass(as.table(release))[seq_len(together), , ]
  ours <- lapply(c("a", "b"), function(g) {
    interval(counts[, g, "yes"], rowSums(counts[, g, ]), variance_of(2 / epsilon), 0.95)
  })
  package <- confint(release, of = "population", by = c("run", "g"))
  found <- as.data.frame(compare_groups(release, by = c("run", "g")))
  runs <- seq_len(together)
  found <- found[match(paste0(runs, ", a & ", runs, ", b & yes"), paste(found$first, "&", found$second, "&",
                                                                      found$cell)), ]
  stopifnot(all.equal(ours[[1]][, 2:3], package[paste0("run ", runs, ", g a, y yes"), ], check.attributes = FALSE),
            all.equal(difference(ours[[1]], ours[[2]]), as.matrix(found[c("lower", "upper")]),
                      check.attributes = FALSE))
}

one_setting <- function(i) {
  s <- settings[i, ]
  p <- c(s$p, s$p + s$difference)
  n <- c(s$first, s$second)
  check_release(p, n, s$epsilon)
  noise <- function() rdiscrete_laplace(tables, 2 / s$epsilon, rng = "R")
  holds <- function(ends, truth) ends[, 1] <= truth & truth <= ends[, 2]
  summary_of <- function(level) {
    ends <- lapply(1:2, function(g) {
      true <- rbinom(tables, n[g], p[g])
      yes <- true + noise()
      interval(yes, yes + n[g] - true + noise() + noise(), variance_of(2 / s$epsilon), level)
    })
    apart <- difference(ends[[1]], ends[[2]])
    data.frame(s, level, one = mean(holds(ends[[1]][, 2:3], p[1])), two = mean(holds(apart, -s$difference)),
               width = median(apart[, 2] - apart[, 1]) / (2 * qnorm((1 + level) / 2) * sqrt(sum(p * (1 - p) / n))))
  }
  rbind(summary_of(0.95), summary_of(0.99))
}

found <- do.call(rbind, repetitions(nrow(settings), one_setting))
summary <- do.call(rbind, lapply(split(found, list(found$epsilon, found$level)), function(part) {
  data.frame(level = part$level[1], epsilon = part$epsilon[1], one.min = min(part$one), one.median = median(part$one),
             one.max = max(part$one), difference.min = min(part$two), difference.median = median(part$two),
             difference.max = max(part$two), width = median(part$width))
}))
write_table(signif(summary, 4), "population-groups")
record_time("population-groups.R")
