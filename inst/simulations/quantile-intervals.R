# How often the intervals of private_quantile(interval = 0.95) contain the quantile of the population, and how wide
# they are. Columns of 200 to 5,000 rows: normal, log-normal, log-normal with 5% zeros (at most 100), and ages in
# whole years; the median, and for log-normal rows the first and the last decile; epsilon 0.25 and 1. Beside it the
# interval of order statistics without noise. 200 columns and releases for each setting, so the standard error of a
# coverage of 95% is 1.5%. `lower`, `upper`: whether public numbers allow the end; otherwise, it is a bound of the
# box. `width`: the median width, divided by that without noise. Then the same by group: two groups of 500 and 2,000
# log-normal rows, whose number is private; `ends`: the fraction of intervals with both ends.
source("inst/simulations/common.R")
set.seed(47)
runs <- sized(200)

kinds <- list(
  normal = list(draw = rnorm, quantile = qnorm, box = c(-10, 10)),
  lognormal = list(draw = rlnorm, quantile = qlnorm, box = c(0, 100)),
  zeros = list(draw = function(n) rlnorm(n) * (runif(n) > 0.05), quantile = function(p) qlnorm((p - 0.05) / 0.95),
               box = c(0, 100)),
  ages = list(draw = function(n) floor(rgamma(n, 4, 0.1)), quantile = function(p) floor(qgamma(p, 4, 0.1)),
              box = c(0, 110), step = 1)
)

settings <- rbind(
  expand.grid(kind = names(kinds), p = 0.5, n = c(200, 1000, 5000), epsilon = c(0.25, 1)),
  expand.grid(kind = "lognormal", p = c(0.1, 0.9), n = c(200, 1000, 5000), epsilon = c(0.25, 1))
)

study <- function(kind, p, n, epsilon) {
  one <- kinds[[kind]]
  mechanism <- tryCatch(suppressWarnings(private_quantile(unseen(n), one$box, p, epsilon, step = one$step,
                                                          interval = 0.95)),
                        dptda_error_argument = function(cnd) NULL)
  if (is.null(mechanism)) return(data.frame(lower = FALSE, upper = FALSE, proved = FALSE, coverage = NA, width = NA,
                                            error = NA, order = NA))
  truth <- one$quantile(p)
  at <- c(qbinom(0.025, n, p), qbinom(0.975, n, p) + 1)
  found <- do.call(rbind, repetitions(runs, function(i) {
    x <- one$draw(n)
    release <- suppressWarnings(private_quantile(x, one$box, p, epsilon, step = one$step, interval = 0.95, rng = "R"))
    ends <- as.vector(confint(release, of = "population"))
    order <- c(-Inf, sort(x), Inf)[at + 1]
    c(covers = ends[1] <= truth && truth <= ends[2], width = ends[2] - ends[1], release$value[[1]] - truth,
      order[1] <= truth && truth <= order[2], order[2] - order[1])
  }))
  ranks <- mechanism$plan$targets
  data.frame(lower = !is.na(ranks[, "lower"]), upper = !is.na(ranks[, "upper"]), proved = all(mechanism$plan$proved),
             coverage = mean(found[, 1]), width = signif(median(found[, 2]) / median(found[, 5]), 4),
             error = signif(median(abs(found[, 3])), 3), order = mean(found[, 4]))
}

results <- do.call(rbind, Map(study, as.character(settings$kind), settings$p, settings$n, settings$epsilon))
write_table(cbind(settings, results, row.names = NULL), "quantile-intervals")

grouped <- expand.grid(p = c(0.5, 0.25), rows = c(500, 2000), epsilon = c(0.5, 1))

study_groups <- function(p, rows, epsilon) {
  truth <- qlnorm(p)
  at <- c(qbinom(0.025, rows, p), qbinom(0.975, rows, p) + 1)
  found <- do.call(rbind, repetitions(runs, function(i) {
    x <- data.frame(x = rlnorm(2 * rows), g = rep(1:2, rows))
    release <- suppressWarnings(private_quantile(x, c(0, 100), p, epsilon, columns = "x", by = list(g = 1:2),
                                                 interval = 0.95, rng = "R"))
    ends <- confint(release, of = "population")[1:2, ]
    order <- vapply(1:2, function(g) diff(sort(x$x[x$g == g])[at]), 0)
    cbind(ends[, 1] <= truth & truth <= ends[, 2], ends[, 2] - ends[, 1], ends[, 1] > 0 & ends[, 2] < 100, order)
  }))
  data.frame(coverage = mean(found[, 1]), width = signif(median(found[, 2]) / median(found[, 4]), 4),
             ends = mean(found[, 3]))
}

results <- do.call(rbind, Map(study_groups, grouped$p, grouped$rows, grouped$epsilon))
write_table(cbind(grouped, results, row.names = NULL), "quantile-intervals-groups")
record_time("quantile-intervals.R")
