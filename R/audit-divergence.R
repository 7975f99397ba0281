# Lower confidence bounds on Renyi divergences from samples, for the auditor. A single event uses only part of a
# declared `rho`. Averages of a function of the output, on both data sets, use nearly all of it.
# Proof: inst/proofs/audit.md.
#
# For a function g of the output and the distributions P and Q of the output on the two data sets,
#   rho >= log(A) / (order - 1) - log(B) / order,
#   A = mean over P of exp((order - 1) g), B = mean over Q of exp(order g).
# Equality holds if g is the log ratio of the densities and the divergence of P from Q is order * rho, as with Gaussian
# noise. The first quarter of the runs learns g, the second chooses the order and the bets, and the second half bounds
# A and B.

divergence_orders <- 1 + exp(seq(-3, 3, by = 0.5))
divergence_clips <- c(2, 3, 4, 6)

# Returns the divergence with the largest bound on the comparing runs, and the best bets for `tested` runs. `learn` and
# `compare`: runs on both data sets.
choose_divergence <- function(scorers, learn, compare, tested, alarm) {
  best <- list(bound = -Inf)
  for (scorer in scorers) {
    learned <- ratio_of_scores(scorer, learn)
    judged <- lapply(compare, learned$judge)
    for (clip in divergence_clips) {
      levels <- clipped_levels(learned$ratio, clip)
      counts <- lapply(judged, level_counts, levels, clip)
      for (favors in names(counts)) {
        # the learned ratio is x over neighbor
        signed <- if (favors == "x") levels else -levels
        bets <- order_bets(signed, counts[[favors]], counts[[setdiff(names(counts), favors)]], tested, alarm)
        top <- bets[, which.max(bets["bound", ])]
        if (top["bound"] > best$bound) {
          best <- c(as.list(top), list(favors = favors, label = scorer$label, levels = levels, signed = signed,
                                       clip = clip, judge = learned$judge))
        }
      }
    }
  }
  best
}

# Learns the log ratio of binned frequencies of a score, with more bins than the scores of events use.
ratio_of_scores <- function(scorer, learn) {
  scores <- lapply(learn, scorer$score)
  ratio <- learn_ratio(unlist(scores), rep(c(TRUE, FALSE), lengths(scores)), ratio_bins(length(scores$x)))
  list(ratio = ratio$ratio, judge = function(material) ratio$score(scorer$score(material)))
}

ratio_bins <- function(runs) min(64, max(12, runs %/% 100))

clipped <- function(scores, clip) pmin(pmax(scores, -clip), clip)

# Returns all possible values of the function. It is 0 for a kind of output that did not occur in the learning runs.
clipped_levels <- function(ratio, clip) sort(unique(c(clipped(ratio, clip), 0)))

level_counts <- function(scores, levels, clip) tabulate(match(clipped(scores, clip), levels), length(levels))

# Returns for each order the bets for `tested` runs on each data set, and the bound from the counted runs. To first
# order, a bound from n runs is
#   value - (log(1 / alarm) / (n t) + t variance / 2) / order.
# The bets are t order / (order - 1) / A and t / B. t maximizes the bound, up to the largest t at which no single run
# can lose everything.
order_bets <- function(levels, on_first, on_second, tested, alarm) {
  compared <- sum(on_first)
  share <- list(on_first / compared, on_second / sum(on_second))
  vapply(divergence_orders, function(order) {
    means <- power_means(levels, order)
    a <- sum(share[[1]] * means$first)
    b <- sum(share[[2]] * means$second)
    power <- order / (order - 1)
    variance <- power^2 * (sum(share[[1]] * means$first^2) / a^2 - 1) + sum(share[[2]] * means$second^2) / b^2 - 1
    most <- min(a / (power * diff(range(means$first))), b / diff(range(means$second))) * (1 - 1e-9)
    best_bet <- function(n) min(sqrt(2 * log(1 / alarm) / (n * max(variance, 1e-12))), most)
    loss <- log(1 / alarm) / (compared * best_bet(compared)) + best_bet(compared) * variance / 2
    t <- best_bet(tested)
    c(order = order, bet_first = t * power / a, bet_second = t / b,
      bound = (power * log(a) - log(b) - loss) / order)
  }, c(order = 0, bet_first = 0, bet_second = 0, bound = 0))
}

# Returns exp((order - 1) g) and exp(order g), scaled to a maximum of 1. A constant added to g cancels in the bound.
power_means <- function(levels, order) {
  levels <- levels - max(levels)
  list(first = exp((order - 1) * levels), second = exp(order * levels))
}

# Tests the chosen divergence on runs that did not take part in the choice.
test_divergence <- function(chosen, material, alarm) {
  counts <- lapply(material, function(part) level_counts(chosen$judge(part), chosen$levels, chosen$clip))
  first <- counts[[chosen$favors]]
  second <- counts[[setdiff(names(counts), chosen$favors)]]
  means <- power_means(chosen$signed, chosen$order)
  list(
    lower = max(0, divergence_bound(means, first, second, chosen, alarm)),
    estimate = max(0, log(sum(first * means$first) / sum(first)) / (chosen$order - 1) -
                     log(sum(second * means$second) / sum(second)) / chosen$order)
  )
}

# Returns the lower confidence bound on the divergence. The wealth from fair bets, that A is larger and B smaller than
# their true values, exceeds 1 / level with probability at most `level`. Three such tests share the alarm. The test of A
# and B together determines the width of the bound. Coarse tests of A alone and B alone keep both away from the limits
# of their ranges. Cells of B cover all pairs that no test excludes. For each cell, the bound combines the largest B
# with the smallest A that is left at the lower end of the cell, rounded down to a grid. The result is the minimum over
# the cells.
divergence_bound <- function(means, first, second, bets, alarm, cells = 2000) {
  wealth_first <- function(a) wealth(first, means$first, a, bets$bet_first)
  wealth_second <- function(b) wealth(second, -means$second, -b, bets$bet_second)
  together <- log(1 / (0.8 * alarm))
  alone <- log(1 / (0.1 * alarm))
  # below b_ends[1] only the coarse test of A has an effect, so one cell of B suffices there
  b_range <- range(means$second)
  b_ends <- c(root_from_above(wealth_second, together - alone, b_range), root_from_above(wealth_second, alone, b_range))
  b <- c(b_range[1], exp(seq(log(b_ends[1]), log(b_ends[2]), length.out = cells)))
  target <- pmin(together - wealth_second(b[-length(b)]), alone)

  a_range <- range(means$first)
  a_ends <- c(root_from_below(wealth_first, alone, a_range), root_from_below(wealth_first, together - alone, a_range))
  grid <- seq(a_ends[1], a_ends[2], length.out = cells)
  a <- grid[pmax(1, findInterval(-target, cummax(-wealth_first(grid))))]
  min(log(a) / (bets$order - 1) - log(b[-1]) / bets$order)
}

# Returns the logarithm of the product of 1 + bet (value - mean) over all runs. It decreases in `mean`, which may be
# a vector.
wealth <- function(counts, values, mean, bet) {
  total <- 0
  for (i in which(counts > 0)) total <- total + counts[i] * log(pmax(1 + bet * (values[i] - mean), 0))
  total
}

# Approximates from below the point at which a decreasing function falls to the target. Returns the lower end of the
# range if the function is below the target everywhere.
root_from_below <- function(falling, target, range) {
  if (falling(range[1]) < target) return(range[1])
  halve(function(x) falling(x) >= target, range)[1]
}

# Approximates from above the point at which an increasing function rises to the target. Returns the upper end of the
# range if it never does.
root_from_above <- function(increasing, target, range) halve(function(x) increasing(x) < target, range)[2]

# Bisects `range` to a narrow interval. `holds` is true below it and false above it.
halve <- function(holds, range) {
  for (i in 1:50) {
    middle <- mean(range)
    range[if (holds(middle)) 1 else 2] <- middle
  }
  range
}
