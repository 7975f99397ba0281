# How often intervals of means contain the mean of the population, confint(of = "population"), in percent, and how wide
# they are in units of Student's interval without noise. Samples of normal rows, of skewed ones (log-normal), and of
# rows with 5% zeros among log-normal ones, each in a box of 5, 20, or 100 standard deviations, which clamps some. The
# mean of the population is that of the clamped variable. `t`: Student's interval of the rows, without noise. Columns of
# one release are independent samples: with d columns and d epsilon, each has the noise of epsilon. 2,000 samples per
# setting (standard error 0.5 points). Then means of two groups of private size, 300 runs (1.3 points).
source("inst/simulations/common.R")
set.seed(20282)

skewed_sd <- sqrt((exp(1) - 1) * exp(1))
zeros_sd <- sqrt(0.95 * exp(0.5) - (0.95 * exp(0.125))^2)
draws <- list(
  normal = rnorm,
  skewed = function(n) exp(rnorm(n)) / skewed_sd,
  zeros = function(n) (runif(n) > 0.05) * exp(rnorm(n) / 2) / zeros_sd
)
# E min(X, u) for a log-normal X
cut_mean <- function(u, sd) {
  exp(sd^2 / 2) * pnorm((log(u) - sd^2) / sd) + u * pnorm(log(u) / sd, lower.tail = FALSE)
}
means <- list(
  normal = function(u) 0,
  skewed = function(u) cut_mean(u * skewed_sd, 1) / skewed_sd,
  zeros = function(u) 0.95 * cut_mean(u * zeros_sd, 0.5) / zeros_sd
)
box_of <- function(rows, width) if (rows == "normal") c(-width, width) / 2 else c(0, width)

rounded <- function(x) {
  numbers <- vapply(x, is.double, NA)
  x[numbers] <- lapply(x[numbers], signif, 4)
  x
}

columns <- 50
covered <- function(rows, width, n, runs) {
  box <- box_of(rows, width)
  truth <- means[[rows]](box[2])
  sides <- domain_box(rep(box[1], columns), rep(box[2], columns))
  blocks <- lapply(seq_len(ceiling(runs / columns)), function(block) {
    x <- matrix(pmin(pmax(draws[[rows]](n * columns), box[1]), box[2]), n)
    center <- colMeans(x)
    half <- qt(0.975, n - 1) * sqrt(colMeans((x - rep(center, each = n))^2) / (n - 1))
    noisy <- lapply(c(0.25, 1, 4), function(epsilon) {
      ends <- confint(private_mean(x, sides, epsilon = epsilon * columns, rng = "R"), of = "population")
      cbind(ends[, 1] <= truth & truth <= ends[, 2], (ends[, 2] - ends[, 1]) / (2 * half))
    })
    do.call(cbind, c(list(abs(center - truth) <= half), noisy))
  })
  all <- do.call(rbind, blocks)
  data.frame(rows, width, n, epsilon = c(0.25, 1, 4), runs = nrow(all), t = 100 * mean(all[, 1]),
             coverage = 100 * colMeans(all[, c(2, 4, 6)]), relative = apply(all[, c(3, 5, 7)], 2, median))
}

settings <- expand.grid(width = c(5, 20, 100), n = c(200, 1000, 5000, 20000), rows = names(draws),
                        stringsAsFactors = FALSE)
all <- do.call(rbind, lapply(seq_len(nrow(settings)), function(i) {
  s <- settings[i, ]
  covered(s$rows, s$width, s$n, sized(2000, 50))
}))
write_table(rounded(all), "means-population")

by_group <- function(rows, width, sizes, rho, runs) {
  box <- box_of(rows, width)
  truth <- means[[rows]](box[2])
  g <- rep(c("a", "b"), sizes)
  hits <- replicate(runs, {
    x <- data.frame(x = draws[[rows]](length(g)), g)
    ends <- confint(private_mean(x, list(x = box), rho = rho, by = list(g = c("a", "b")), rng = "R"),
                    of = "population")[1:2, ]
    ends[, 1] <= truth & truth <= ends[, 2]
  })
  data.frame(rows, width, n = sizes, rho, runs, coverage = 100 * rowMeans(hits))
}
settings <- expand.grid(rho = c(0.02, 0.5), width = c(10, 40), rows = c("normal", "skewed"), stringsAsFactors = FALSE)
grouped <- do.call(rbind, lapply(seq_len(nrow(settings)), function(i) {
  s <- settings[i, ]
  by_group(s$rows, s$width, c(300, 2000), s$rho, sized(300))
}))
write_table(rounded(grouped), "means-population-groups")
record_time("means-population.R")
