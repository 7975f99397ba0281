#!/usr/bin/env Rscript
# Releases of 10^7 numbers in memory, beside what base R takes for the same counts and sums without privacy, on one
# core: the exact counts must be equal before a time is printed. With a library that holds an earlier version of the
# package, this one and that take turns. Run from the top of the checkout:
#   Rscript bench/number-histogram.R [LIBRARY OF AN EARLIER VERSION]

source("bench/common.R")
version <- load_version()

n <- 1e7
set.seed(1)
x <- stats::rnorm(n)
whole <- sample(5L, n, TRUE)
truth <- x > 0
box <- domain_box(-4, 4)
even <- seq(-4, 4, length.out = 41)
cases <- list(
  "histogram, 4 intervals" = function() private_histogram(x, breaks = c(-4, -1, 0, 2, 4), epsilon = 1),
  "histogram, 40 intervals" = function() private_histogram(x, breaks = even, epsilon = 1),
  "histogram, 1000 intervals" = function() private_histogram(x, breaks = seq(-4, 4, length.out = 1001), epsilon = 1),
  "histogram, 5 levels" = function() private_table(whole, levels = 1:5, epsilon = 1),
  "median" = function() private_quantile(x, c(-4, 4), 0.5, epsilon = 1),
  "count" = function() private_count(truth, epsilon = 1),
  "sum" = function() private_sum(x, box, epsilon = 1)
)

# Processor seconds, the least of five runs: what else the machine does makes them longer and never shorter.
spent <- function(cases) vapply(cases, function(case) race(5, case, of_runs = min), 0)

if (version$child) {
  saveRDS(spent(cases), version$answer)
  quit()
}

# Both take turns in processes of their own, best of three.
spent_in <- function(library) ask_version("number-histogram", library)
earlier <- if (length(version$rest)) version$rest[1]
turns <- lapply(1:3, function(i) list(now = spent_in(""), before = if (length(earlier)) spent_in(earlier)))
best <- function(which) do.call(pmin, lapply(turns, `[[`, which))
now <- best("now")
before <- if (length(earlier)) best("before")

# noise that is zero but for one release in 10^30
exact <- private_histogram(x, breaks = even, epsilon = 200)$value
stopifnot(identical(as.double(exact), as.double(tabulate(findInterval(x, even, TRUE, TRUE), 40))))
peers <- spent(list(
  "histogram, 4 intervals" = function() tabulate(findInterval(x, c(-4, -1, 0, 2, 4)), 4),
  "histogram, 40 intervals" = function() tabulate(findInterval(x, even), 40),
  "histogram, 1000 intervals" = function() tabulate(findInterval(x, seq(-4, 4, length.out = 1001)), 1000),
  "histogram, 5 levels" = function() tabulate(whole, 5),
  "median" = function() stats::median(x),
  "count" = function() sum(truth),
  "sum" = function() sum(x)
))

say("10^7 rows, processor seconds of one core, best of several runs; base R: the same without privacy")
say("%-26s %8s %10s %8s %8s %9s", "", "private", "rows/s", "base R", "before", "before/now")
for (name in names(now)) {
  say("%-26s %8.3f %10.1e %8.3f %8s %9s", name, now[[name]], n / now[[name]], peers[[name]],
      if (length(before)) sprintf("%.3f", before[[name]]) else "-",
      if (length(before)) sprintf("%.1f", before[[name]] / now[[name]]) else "-")
}
save_said("number-histogram")
