# Running sums of the steps of an account. The price of a release is compared with them, not with all earlier steps.
#
# Sums are exact: a list of doubles that add up to them (Shewchuk 1997), rounded only when a result is needed. So they
# do not depend on the order or grouping of the steps. A session that followed a growing ledger has bit for bit the same
# sums as a session that reads it later.

# The compositions of a budget that users can choose.
compositions <- c("auto", "concentrated", "basic")

# A tally is a list of `count` (steps), `composition` (the composition of a budget with a delta, NULL before the first
# step), and exact `sums`. Once an "auto" budget counts Renyi divergences, it also has `committed`: the amounts spent by
# basic composition until then, the order (less one), and the sum of the divergences.
new_tally <- function() list(count = 0, composition = NULL, sums = list())

# Returns the tally of an account that has its steps or their tally.
account_tally <- function(account) {
  if (is.null(account$tally)) add_to_tally(new_tally(), account, account$steps) else account$tally
}

# Adds the steps `steps[which]` to a tally.
add_to_tally <- function(tally, account, steps, which = seq_along(steps)) {
  if (!length(which)) return(tally)
  amounts <- lapply(steps, step_amounts, account)
  if (tally$count == 0) {
    tally$composition <- if (account$composition == "auto") "basic" else account$composition
    tally$sums <- rep.int(list(0), length(amounts[[1]]))
  }
  decides <- length(account$total) == 2 && account$composition == "auto"
  for (k in which) {
    if (decides) tally <- decided_tally(tally, account, steps[[k]], amounts[[k]])
    for (i in seq_along(tally$sums)) tally$sums[[i]] <- add_exactly(tally$sums[[i]], amounts[[k]][i])
    tally$count <- tally$count + 1
  }
  tally
}

# Returns the amounts that one step adds to the sums. Without a delta this is only its price, or its square for mu.
# (Small squares are not rounded to zero.) With a delta these are the declared epsilon and delta, the pure epsilon, and
# the Renyi divergence at the order that the budget has fixed. Epsilons and divergences that a step does not have are
# infinite.
step_amounts <- function(step, account) {
  if (length(account$total) == 1) {
    value <- step_value(step, account$measure, account$measure)
    return(if (account$measure == "mu" && value > 0) max(value * value, 2^-1074) else value)
  }
  # noise that is known by its rho may have been declared by epsilon and delta
  declared <- function(name, none) if (name %in% names(step$measure)) step$measure[[name]] else none
  pure <- if (length(step$parts$leak)) Inf else parts_epsilon_sum(step$parts)
  c(declared("epsilon", Inf), declared("delta", 0), pure, step_divergence(step, account$order))
}

# Returns the divergence of a step. It is infinite for a step with a leak.
step_divergence <- function(step, order) if (length(step$parts$leak)) Inf else parts_renyi(step$parts, order)

# Chooses the composition of an "auto" budget. Epsilons and deltas add up as long as they fit. At the first step that
# does not fit, or that takes the rest of delta and costs no more by its divergence, the budget changes to divergences
# of one order, within the remaining amounts ("A filter that contains basic composition" in
# inst/proofs/accounting-compose.md).
decided_tally <- function(tally, account, step, amounts) {
  if (!is.null(tally$committed)) {
    tally$committed$renyi <- add_exactly(tally$committed$renyi, step_divergence(step, tally$committed$order))
    return(tally)
  }
  before <- vapply(tally$sums[1:2], round_sum, 0)
  after <- vapply(1:2, function(i) round_sum(add_exactly(tally$sums[[i]], amounts[i])), 0)
  slack <- total_slack(account, tally$count + 1)
  fits <- all(after - account$total <= slack)
  if (fits && (amounts[2] == 0 || after[2] < account$total[[2]] || amounts[4] == Inf)) return(tally)
  left <- c(account$total[[1]] - before[1], raised(account$total[[2]] - before[2], -account$total[[2]], by = 2^-52))
  order <- if (all(left > 0) && amounts[4] < Inf) commitment_order(step$parts, left[1], left[2], fits)
  committed <- tally
  committed$composition <- "concentrated"
  committed$committed <- list(before = before, log_delta = log(max(left[2], 0)), order = order,
                              renyi = if (is.null(order)) Inf else step_divergence(step, order))
  if (fits && tally_spent(account, replace(committed, "count", 1))[[1]] > min(
    after[1] + 2^-40 * account$total[[1]], account$total[[1]] + slack[1])) return(tally)
  committed
}

# Returns the order, less one, at which the most rho fits into the remaining budget. If a step takes the rest of delta,
# or does not fit at that order, returns the order at which this step costs least.
commitment_order <- function(parts, epsilon, delta, cheapest) {
  cost <- function(s) renyi_epsilon(parts_renyi(parts, s), s, log(delta))
  if (!cheapest) {
    order <- budget_order(epsilon, delta)
    if (cost(order) <= epsilon) return(order)
  }
  # avoids S3 methods of users during a charge
  orders <- sort.int(c(10^seq.default(-6, 160, by = .125), parts$renyi$alpha - 1))
  orders <- orders[!duplicated.default(orders)]
  for (round in 1:6) {
    best <- which.min(cost(orders))
    if (!length(best)) return(NULL)
    around <- orders[pmin(pmax(best + c(-1, 1), 1), length(orders))]
    least <- orders[best]
    orders <- sort.int(c(least, exp(seq.default(log(around[1]), log(around[2]), length.out = 41))))
  }
  least
}

# Returns the order, less one, at which the most rho fits into (epsilon, delta).
budget_order <- function(epsilon, delta) {
  room <- function(log_s) -(epsilon - renyi_epsilon(0, exp(log_s), log(delta))) / (1 + exp(log_s))
  grid <- seq.default(log(1e-6), log(1e160), length.out = 4000)
  near <- grid[pmin(pmax(which.min(room(grid)) + c(-1, 1), 1), length(grid))]
  exp(stats::optimize(room, near, tol = 1e-10)$minimum)
}

# Bounds the rounding error of a total and of `count` amounts.
total_slack <- function(account, count) (count + 1) * pmax(2^-52 * account$total, 2^-1074)

# Returns the amount spent, in the measure of the budget.
tally_spent <- function(account, tally) {
  if (tally$count == 0) return(0 * account$total)
  if (length(account$total) == 1) {
    sum <- round_sum(tally$sums[[1]])
    return(if (account$measure == "mu") sqrt(sum) else sum)
  }
  if (tally$composition == "basic") return(declared_spent(tally))
  delta <- account$total[["delta"]]
  if (is.null(tally$committed)) {
    filtered <- renyi_epsilon(round_sum(tally$sums[[4]]), account$order, log(delta))
    return(c(epsilon = max(0, min(round_sum(tally$sums[[3]]), filtered)), delta = delta))
  }
  committed <- tally$committed
  if (is.null(committed$order)) return(c(epsilon = Inf, delta = delta))
  filtered <- renyi_epsilon(round_sum(committed$renyi), committed$order, committed$log_delta)
  c(epsilon = sum_up(c(committed$before[1], max(0, filtered))), delta = delta)
}

declared_spent <- function(tally) c(epsilon = round_sum(tally$sums[[1]]), delta = round_sum(tally$sums[[2]]))

# Exact sums -------------------------------------------------------------------

# The tallies of accounts in memory, by the numbers of the accounts (ffi_budget_size()). They stay valid, because steps
# are added to an account and never removed.
tallies <- new.env(parent = emptyenv())

# Stores a tally. Clears all tallies at 1000 budgets, since budgets come and go. They are computed again when needed.
remember_tally <- function(key, tally) {
  if (is.null(tallies[[key]]) && length(ls(tallies, sorted = FALSE)) >= 1000) {
    rm(list = ls(tallies, sorted = FALSE), envir = tallies)
  }
  assign(key, tally, envir = tallies)
}
