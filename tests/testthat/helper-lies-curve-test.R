# False guarantees of a decision about two groups. Data sets are numbers in [0, 1], the first of which is group 1. The
# curve of x is (x, 1 - x), of length 1 for x = 0 and 1. All claim epsilon = `claimed`.

# `moved`: the bound on the distance, for the sizes of both groups. `told`: the output, from noisy and exact distances.
curve_test_draws <- function(moved = max, told = function(noisy, exact) sum(noisy >= noisy[1]) <= 1,
                             permutations = 19) {
  force(told)
  function(data, runs) {
    n <- length(data)
    sizes <- c(1, n - 1)
    distance <- function(own) sqrt(2) * abs(sizes[2] * data[own] - sum(data[-own]))
    all <- vapply(seq_len(n), distance, 0)
    exact <- rbind(all[1], matrix(all[sample.int(n, permutations * runs, TRUE)], permutations))
    noisy <- exact + laplace_noise(length(exact), 2 * sqrt(2) * moved(sizes) / claimed)
    vapply(seq_len(runs), function(run) as.double(told(noisy[, run], exact[, run])), 0)
  }
}

p_value_without_noise <- function(noisy, exact) mean(exact >= exact[1])

curve_test_lies <- function() {
  list(
    "curve test: the bound for the smaller group" = lie(curve_test_draws(min), c(1, rep(0, 12)), rep(0, 13)),
    "curve test: a p-value without noise in place of the decision" =
      lie(curve_test_draws(told = p_value_without_noise), c(1, rep(0, 12)), rep(0, 13))
  )
}

# The bound for one person is rarely reached, so this audit shows less than half of the claim.
honest_curve_tests <- function() list("curve test" = lie(curve_test_draws(), c(1, rep(0, 12)), rep(0, 13)))
