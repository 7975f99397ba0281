# Oracles of the private test of two groups: exact distances, and the exact distribution of its decision.

# Lists of diagrams with one loop each, and mechanisms for groups of these sizes.
loops <- function(birth, death) Map(function(b, d) persistence_diagram(1, b, d), birth, death)
curve_test_groups <- function(n1, n2) rep(c("a", "b"), c(n1, n2))

# floor(|n2 S1 - n1 S2| / 2^shift) for each division (columns of `member`), slowly. Exact below 2^53.
slow_distances <- function(value, member, shift) {
  apply(member, 2, function(own) {
    own <- own == 1
    apart <- sum(!own) * rowSums(value[, own, drop = FALSE]) - sum(own) * rowSums(value[, !own, drop = FALSE])
    root <- floor(sqrt(sum(apart^2)) / 2^shift)
    # the root of a double may be off by one
    below <- function(r) (r * 2^shift)^2 <= sum(apart^2)
    root - !below(root) + below(root + 1)
  })
}

all_divisions <- function(n1, n2) apply(utils::combn(n1 + n2, n1), 2, function(own) +(seq_len(n1 + n2) %in% own))

# P(Z >= k) for discrete Laplace noise, by its geometric sums.
laplace_above <- function(k, scale) {
  tail <- exp(-abs(k - (k <= 0)) / scale) / (1 + exp(-1 / scale))
  ifelse(k <= 0, 1 - tail, tail)
}

# The probability of "differ" and of each rank, exactly. Random divisions are independent and uniform, so their noisy
# distances are independent draws from one mixture. `scales`: of the first distance, and of the others (0: no noise).
rank_chances <- function(distances, permutations, scales) {
  z <- seq(floor(min(distances) - 30 * scales[1]), ceiling(max(distances) + 30 * scales[1]))
  first <- laplace_above(z - distances[1], scales[1]) - laplace_above(z + 1 - distances[1], scales[1])
  above <- rowMeans(vapply(distances, function(one) {
    if (scales[2] == 0) as.double(one >= z) else laplace_above(z - one, scales[2])
  }, double(length(z))))
  vapply(0:permutations, function(others) sum(first * stats::dbinom(others, permutations, above)), 0)
}

differ_chance <- function(distances, permutations, most, scales) {
  sum(rank_chances(distances, permutations, scales)[seq_len(most)])
}
