# Whether the warning of confint() of synthetic data says where cells of numbers are coarse: five made tables of two
# columns of numbers, of which some are skewed, have two clusters or are zero in many rows, and a logical one; 5, 10 and
# 20 cells for each column of numbers, 2,000 and 20,000 rows, AIM with epsilon = 1 alone, which is told what six
# statistics look at. Each number of each model is one case.
#
# `hidden`: how far the statistic of all rows moves where their numbers are spread evenly within their cells, in units
# of half the interval of level .9 (15 runs), which the noise of the release makes. Above .5 the cells matter
# (`matters`): an interval whose middle is so far off has the truth in at most .8 of the releases. `warned`: by class
# dptda_warning_coarse. `has`: in which part of the cases the interval has the truth. Cases that look at what the model
# does not hold, of which dptda_warning_unheld speaks, are left out.
#
#   Rscript inst/simulations/tables-coarse.R
source("inst/simulations/common.R")
options(dptda.weak_release = FALSE)
set.seed(96)
N <- 40000

populations <- list(
  skewed = function() {
    x <- pmin(10, rgamma(N, 2, 1.2))
    data.frame(x, y = pmin(30, x^2 * exp(rnorm(N, 0, 0.4))), v = runif(N) < 0.4)
  },
  `log-normal` = function() {
    x <- rlnorm(N, 0, 0.6)
    data.frame(x = pmin(10, x), y = pmin(30, 4 * x), v = runif(N) < plogis(x - 1))
  },
  `two clusters` = function() {
    v <- runif(N) < 0.5
    data.frame(x = rnorm(N, ifelse(v, 3, 7), 0.5), y = rnorm(N, ifelse(v, 6, 20), 1), v)
  },
  uniform = function() {
    x <- runif(N, 0, 10)
    data.frame(x, y = 2 + 2.5 * x + runif(N, -1.5, 1.5), v = x > 6)
  },
  zeros = function() {
    x <- pmin(10, round(rexp(N)))
    data.frame(x, y = ifelse(runif(N) < 0.3, 0, pmin(30, rexp(N, 0.3))), v = x > 1)
  }
)

statistic <- function(rows) {
  c(mean = mean(rows$y), deviation = sd(rows$y), share = mean(rows$y > 7.3), median = median(rows$y),
    difference = mean(rows$y[rows$v]) - mean(rows$y[!rows$v]), slope = cov(rows$x, rows$y) / var(rows$x))
}

spread_evenly <- function(rows, ends, cells) {
  for (name in names(ends)) {
    breaks <- seq(ends[[name]][1], ends[[name]][2], length.out = cells + 1)
    cell <- findInterval(rows[[name]], breaks, all.inside = TRUE)
    rows[[name]] <- runif(nrow(rows), breaks[cell], breaks[cell + 1])
  }
  rows
}

one_model <- function(rows, cells, n, truth, hidden) {
  schema <- table_schema(x = schema_numeric(0, 10, cells = cells), y = schema_numeric(0, 30, cells = cells),
                         v = schema_logical())
  method <- synthesis_aim(workload = ~ x * y + v * y)
  model <- private_synthesis(rows[sample.int(N, n), ], schema, 1, method = method, rng = "R")
  unheld <- warned <- integer()
  ends <- withCallingHandlers(
    confint(model, statistic, level = 0.9, runs = 15),
    dptda_warning_unheld = function(cnd) {
      unheld <<- cnd$pairs$number
      tryInvokeRestart("muffleWarning")
    },
    dptda_warning_coarse = function(cnd) {
      warned <<- cnd$numbers
      tryInvokeRestart("muffleWarning")
    }
  )
  each <- seq_along(truth)
  data.frame(statistic = names(truth), matters = abs(hidden) > (ends[, 2] - ends[, 1]) / 4, warned = each %in% warned,
             has = ends[, 1] <= truth & truth <= ends[, 2])[!each %in% unheld, ]
}

settings <- expand.grid(n = c(2000, 20000), cells = c(5, 10, 20), population = names(populations),
                        stringsAsFactors = FALSE)
settings <- sized_settings(settings)
cases <- do.call(rbind, repetitions(nrow(settings), function(i) {
  s <- settings[i, ]
  rows <- populations[[s$population]]()
  truth <- statistic(rows)
  hidden <- rowMeans(replicate(3, statistic(spread_evenly(rows, list(x = c(0, 10), y = c(0, 30)), s$cells)))) - truth
  one_model(rows, s$cells, s$n, truth, hidden)
}))

# A row for each of four kinds of cases, of all statistics and of each.
counted <- do.call(rbind, lapply(c("all", unique(cases$statistic)), function(name) {
  own <- if (name == "all") cases else cases[cases$statistic == name, ]
  kinds <- expand.grid(matters = c(FALSE, TRUE), warned = c(FALSE, TRUE))
  found <- Map(function(m, w) own$has[own$matters == m & own$warned == w], kinds$matters, kinds$warned)
  data.frame(statistic = name, kinds, cases = lengths(found), has = round(vapply(found, mean, 0), 2))
}))
print(counted, row.names = FALSE)
write_table(counted, "tables-coarse")
record_time("tables-coarse.R")
