# How often intervals contain the proportion in the population: 210 settings of p, n, and epsilon. The coverage is a sum
# over the law of the noisy count, without simulation. Methods:
#
#   data      confint(of = "data"), which accounts for the noise alone
#   wald      normal approximation at the released proportion, with the variance of the noise added
#   wilson    normal approximation at p, with the variance of the noise added
#   mid-p     confint(of = "population"): binomial law convolved with the noise, half of the released count in each tail
#   exact     confint(of = "population", exact = TRUE): all of the released count in each tail
#
# `share`: the fraction of settings with a coverage within two points of the level. The law is computed here by brute
# force, and six releases per setting check that it accepts their counts if and only if their intervals contain p.
source("inst/simulations/common.R")
set.seed(61)
settings <- expand.grid(p = c(0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5), n = c(50, 200, 1000, 5000, 20000),
                        epsilon = c(0.1, 0.25, 0.5, 1, 2, 4))
settings <- sized_settings(settings)
levels <- c(0.95, 0.99)

# Probabilities of all noisy counts z.
count_law <- function(p, n, epsilon) {
  reach <- ceiling(36 / epsilon)
  q <- exp(-epsilon)
  noise <- (1 - q) / (1 + q) * q^abs(-reach:reach)
  spread <- 9 * sqrt(n * p * (1 - p)) + 30
  x <- max(0, floor(n * p - spread)):min(n, ceiling(n * p + spread))
  at <- pmax(convolve(dbinom(x, n, p), rev(noise), type = "open"), 0)
  data.frame(z = (min(x) - reach):(max(x) + reach), at = at / sum(at), below = cumsum(at / sum(at)))
}

# Returns for each z and method whether its interval contains p. Counts below 0 also have the proportions up to 1/3 that
# 0 has, and counts above n those from 2/3 that n has.
accepted <- function(law, p, n, epsilon, level) {
  alpha <- 1 - level
  tails <- function(lower, upper) {
    high <- lower >= alpha / 2 | law$z < 0 & p <= 1 / 3 & c(lower[law$z == 0], 1)[1] >= alpha / 2
    low <- upper >= alpha / 2 | law$z > n & p >= 2 / 3 & c(upper[law$z == n], 1)[1] >= alpha / 2
    low & high
  }
  q <- exp(-epsilon)
  variance <- 2 * q / (1 - q)^2
  share <- pmin(pmax(law$z / n, 0), 1)
  normal <- qnorm(1 - alpha / 2)
  half <- max(0, ceiling(-log(alpha / 2 * (1 + q)) / epsilon) - 1)
  data.frame(data = abs(law$z - n * p) <= half,
             wald = abs(law$z / n - p) <= normal * sqrt(share * (1 - share) / n + variance / n^2),
             wilson = abs(law$z / n - p) <= normal * sqrt(p * (1 - p) / n + variance / n^2),
             `mid-p` = tails(law$below - law$at / 2, 1 - law$below + law$at / 2),
             exact = tails(law$below, 1 - law$below + law$at), check.names = FALSE)
}

# Draws a release and compares its intervals with the accepted counts.
check_release <- function(law, yes, p, n, epsilon, level) {
  release <- suppressWarnings(private_proportion(runif(n) < p, epsilon = epsilon, rng = "R"))
  z <- match(round(release$value * n), law$z)
  if (is.na(z)) return()
  holds <- function(...) prod(confint(release, level = level, of = "population", ...) - p) <= 0
  stopifnot(holds() == yes[["mid-p"]][z], holds(exact = TRUE) == yes$exact[z])
}

one_setting <- function(i) {
  s <- settings[i, ]
  law <- count_law(s$p, s$n, s$epsilon)
  do.call(rbind, lapply(levels, function(level) {
    yes <- accepted(law, s$p, s$n, s$epsilon, level)
    for (release in 1:3) check_release(law, yes, s$p, s$n, s$epsilon, level)
    data.frame(level, method = names(yes), coverage = colSums(law$at * yes))
  }))
}

found <- do.call(rbind, repetitions(nrow(settings), one_setting))
summary <- aggregate(coverage ~ method + level, found, function(x) {
  c(min = min(x), median = median(x), max = max(x))
})
near <- aggregate(list(share = abs(found$coverage - found$level) <= 0.02), found[c("method", "level")], mean)
write_table(data.frame(level = summary$level, method = summary$method, round(summary$coverage, 4),
                       share = round(near$share, 3)), "population-proportions")
record_time("population-proportions.R")
