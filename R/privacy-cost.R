# The cost of a release, in the form that all releases take: `epsilon`, `epsilon` with `delta`, or `rho`. `measure`: the
# declared cost, which budgets and guarantees show. `spent`: one number that sets the noise, `epsilon` or `rho`. For
# `epsilon` with `delta`, it is the largest rho that converts to at most that cost.

# `takes`: the forms that a release supports. `because`: why not all of them. `zero`: whether epsilon may be 0.
check_cost <- function(epsilon, rho, delta = NULL, takes = c("epsilon", "delta", "rho"), because = NULL, zero = FALSE) {
  if (!"rho" %in% takes) {
    refuse_budgets(epsilon = epsilon, rho = rho)
    # does not suggest a form that is not possible
    if (!is.null(rho)) refuse_cost("rho", takes, because)
    if (is.null(epsilon)) stop_missing("epsilon")
  }
  measure <- check_measure(epsilon, rho, zero)
  form <- if (names(measure) == "rho") "rho" else if (is.null(delta)) "epsilon" else "delta"
  if (form == "rho" && !is.null(delta)) stop_argument("delta", "must be NULL with `rho`. Use it with `epsilon`.")
  if (!form %in% takes) refuse_cost(form, takes, because)
  if (form != "delta") return(new_cost(measure))
  concentrated_cost(measure[["epsilon"]], check_number(delta, 0, 1, open_lower = TRUE, open_upper = TRUE))
}

# Returns the cost of a release made by a method (base-method.R), which may support only some forms.
method_cost <- function(method, epsilon, rho, delta) UseMethod("method_cost")

method_cost.default <- function(method, epsilon, rho, delta) check_cost(epsilon, rho, delta)

new_cost <- function(measure, spent = measure) structure(list(measure = measure, spent = spent), class = "dptda_cost")

concentrated_cost <- function(epsilon, delta) {
  rho <- largest_rho(epsilon, delta)
  if (rho <= 0) stop_argument("epsilon", "is too small: no noise of this package satisfies it.")
  new_cost(c(epsilon = epsilon, delta = delta), c(rho = rho))
}

# Warns about a delta of 1 / n or more. Publishing one random row satisfies (0, 1 / n), so such a delta protects nobody.
# Uses public numbers when a mechanism is made, so a price includes the warning, and nothing is spent yet. For a graph,
# n is the number of all pairs of vertices.
warn_large_delta <- function(guarantee) {
  n <- guarantee$public$n
  delta <- guarantee$measure["delta"]
  if (is.na(delta) || !is_one_number(n)) return(invisible())
  edges <- identical(guarantee$relation, relation_edge)
  if (edges) n <- n * (n - 1) / 2
  if (delta * n < 1) return(invisible())
  one <- if (!is.null(guarantee$person)) "all rows of one person" else if (edges) "one pair of vertices" else "one row"
  warn_weak("delta", "`delta` is ", format(delta[[1]]), ". A release that publishes ", one,
            ", picked at random from ", format_count(n), ", would satisfy that. Choose a delta far below 1 / ",
            format_count(n), ".")
}

is_pure <- function(cost) names(cost$spent) == "epsilon"

# Returns a fraction of a cost, for a step. The declared cost is kept, because messages quote it as the user typed it.
share_cost <- function(cost, share) new_cost(cost$measure, share * cost$spent)

# Splits the spent amount into named parts with exactly that sum. All except the last are multiples of a power of two.
split_cost <- function(cost, shares) {
  total <- cost$spent[[1]]
  grid <- 2^(binary_exponent(total) - 40)
  first <- floor(shares[-length(shares)] * total / grid) * grid
  structure(c(first, total - sum(first)), names = names(shares))
}

# Raises an error of one sentence for a form that a release does not support. `because`: the reason, a clause.
refuse_cost <- function(form, takes, because) {
  because <- if (!is.null(because)) paste0(": ", because)
  switch(form,
    epsilon = stop_argument("delta", "must be given with `epsilon`", if ("rho" %in% takes) ", or `rho` instead of both",
                            because, "."),
    delta = stop_argument("delta", "must be NULL here", because, "."),
    rho = stop_argument("rho", "must be NULL here", because, ". Give `epsilon`",
                        if (!"epsilon" %in% takes) " with `delta`", " instead.")
  )
}

# Returns the largest rho that converts to at most epsilon at delta, with an allowance for rounding: each term is at
# most epsilon + 15 (inst/proofs/accounting-compose.md), and 2^-46 is 128 roundings.
largest_rho <- function(epsilon, delta) {
  enough <- function(rho) parts_epsilon(new_parts(rho = rho), delta) + 2^-46 * (epsilon + 16) <= epsilon
  high <- epsilon
  while (enough(high) && high < 1e300) high <- 2 * high
  low <- high
  while (low > 0 && !enough(low)) low <- low / 2
  for (i in 1:60) {
    middle <- low + (high - low) / 2
    if (enough(middle)) low <- middle else high <- middle
  }
  low
}
