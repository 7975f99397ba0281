# What the steps of an account add up to, kept as running sums: the price of a release is compared with them, and not
# with all steps that were spent before.
#
# Sums are exact: a list of doubles that add up to them (Shewchuk 1997), rounded once, when somebody asks. So they do
# not depend on the order of the steps, nor on who added them up, in how many parts: a session that has read a ledger as
# it grew knows to the last bit what one knows that reads it now.

# How a budget may add up its steps, as its maker says it.
compositions <- c("auto", "concentrated", "basic")

# A list of `count` (steps), `composition` (how a budget with a delta adds them up, NULL before the first) and `sums`.
new_tally <- function() list(count = 0, composition = NULL, sums = list())

# Of an account that says what its steps are, or has its tally.
account_tally <- function(account) {
  if (is.null(account$tally)) add_to_tally(new_tally(), account, account$steps) else account$tally
}

# With the steps `steps[which]` more.
add_to_tally <- function(tally, account, steps, which = seq_along(steps)) {
  if (!length(which)) return(tally)
  if (tally$count == 0) {
    tally$composition <- first_composition(account, steps[which[1]])
    tally$sums <- rep.int(list(0), length(account$total))
  }
  amounts <- vapply(steps, step_amounts, account$total, account, tally$composition, USE.NAMES = FALSE)
  amounts <- matrix(amounts, nrow = length(account$total))
  for (i in seq_along(tally$sums)) tally$sums[[i]] <- add_exactly(tally$sums[[i]], amounts[i, which])
  tally$count <- tally$count + length(which)
  tally
}

# What one step adds to each sum: its price; epsilon and delta as declared; or, where Renyi divergences are counted,
# epsilon (infinite if it has none) and the divergence of the order that the budget has fixed.
step_amounts <- function(step, account, composition) {
  if (length(account$total) == 1) return(step_value(step, account$measure, account$measure))
  # noise that is known by its rho may have been declared by epsilon and delta
  declared <- function(name) if (name %in% names(step$measure)) step$measure[[name]] else 0
  if (composition == "basic") return(c(declared("epsilon"), declared("delta")))
  c(parts_epsilon_sum(step$parts), parts_renyi(step$parts, account$order))
}

# With "auto" the first step decides.
first_composition <- function(account, steps) {
  if (length(account$total) == 1 || account$composition != "auto") return(account$composition)
  if (length(steps[[1]]$parts$leak)) "basic" else "concentrated"
}

# The total in the currency of the budget.
tally_spent <- function(account, tally) {
  if (tally$count == 0) return(0 * account$total)
  sums <- vapply(tally$sums, round_sum, 0)
  if (length(account$total) == 1) return(sums)
  if (tally$composition == "basic") return(c(epsilon = sums[1], delta = sums[2]))
  filtered <- renyi_epsilon(sums[2], account$order, log(account$total[["delta"]]))
  c(epsilon = max(0, min(sums[1], filtered)), delta = account$total[["delta"]])
}

# Exact sums -------------------------------------------------------------------

# The running sums of the accounts in memory, by their numbers (ffi_budget_size()): steps are added to an account and
# never taken away, so that what was added up stays right.
tallies <- new.env(parent = emptyenv())

# Budgets come and go: of many the sums are forgotten, and worked out again where they are asked for.
remember_tally <- function(key, tally) {
  if (is.null(tallies[[key]]) && length(ls(tallies, sorted = FALSE)) >= 1000) {
    rm(list = ls(tallies, sorted = FALSE), envir = tallies)
  }
  assign(key, tally, envir = tallies)
}
