# The cost of a release, in the form that all releases take: `epsilon`, `epsilon` with `delta`, `rho`, or `mu`.
# `measure`: the declared cost, which budgets and guarantees show. `spent`: one number that sets the noise, `epsilon` or
# `rho`. `known`: everything known about the noise, from which guarantees are converted. Gaussian noise of rho is
# mu-Gaussian differentially private with mu^2 = 2 rho (inst/proofs/privacy-cost.md).

# `takes`: the forms that a release supports. `because`: why not all of them. `zero`: whether epsilon may be 0.
check_cost <- function(epsilon, rho, delta = NULL, mu = NULL, takes = cost_forms, because = NULL, zero = FALSE) {
  refuse_budgets(epsilon = epsilon, rho = rho, mu = mu)
  # does not suggest a form that is not possible
  if (!is.null(rho) && !"rho" %in% takes) refuse_cost("rho", takes, because)
  if (!is.null(mu) && !"mu" %in% takes) refuse_cost("mu", takes, because)
  if (is.null(epsilon) && !any(c("rho", "mu") %in% takes)) stop_missing("epsilon")
  measure <- check_measure(epsilon, rho, mu, zero)
  form <- if (names(measure) != "epsilon") names(measure) else if (is.null(delta)) "epsilon" else "delta"
  if (form %in% c("rho", "mu") && !is.null(delta)) {
    stop_argument("delta", "must be NULL with `", form, "`. Use it with `epsilon`.")
  }
  if (!form %in% takes) refuse_cost(form, takes, because)
  switch(form,
    epsilon = new_cost(measure),
    rho = new_cost(measure, known = known_of(measure)),
    mu = gaussian_cost(measure, measure[["mu"]]),
    delta = {
      delta <- check_number(delta, 0, 1, open_lower = TRUE, open_upper = TRUE)
      mu <- largest_mu(measure[["epsilon"]], delta)
      gaussian_cost(c(measure, delta = delta), mu)
    }
  )
}

cost_forms <- c("epsilon", "delta", "rho", "mu")

# Returns the cost of a release made by a method (base-method.R), which may support only some forms.
method_cost <- function(method, epsilon, rho, delta = NULL, mu = NULL) UseMethod("method_cost")

method_cost.default <- function(method, epsilon, rho, delta = NULL, mu = NULL) check_cost(epsilon, rho, delta, mu)

new_cost <- function(measure, spent = measure, known = spent) {
  structure(list(measure = measure, spent = spent, known = known), class = "dptda_cost")
}

# Returns everything known about noise that spends this: for Gaussian noise the mu of its rho, never rounded below it.
known_of <- function(spent) if (names(spent) == "rho") c(mu = 2 * root_up(spent[["rho"]] / 2)) else spent

# A cost that Gaussian noise spends: rho = mu^2 / 2, never rounded above it.
gaussian_cost <- function(measure, mu) {
  rho <- min(product_down(mu, mu) / 2, 2^1000)
  if (rho <= 0) stop_argument(names(measure)[1], "is too small: no noise of this package satisfies it.")
  new_cost(measure, c(rho = rho), c(mu = mu))
}

# Returns the cost of a release that spends up to the fraction `choices` of its rho on exponential mechanisms. One of
# rho costs a mu^2 of at most pi rho, instead of 2 rho for Gaussian noise. For a declared `delta`, returns the larger of
# the two rhos that follow from the curves of mu and of rho.
with_choices <- function(cost, choices) {
  if (is_pure(cost) || choices == 0) return(cost)
  if (names(cost$measure)[1] == "rho") return(new_cost(cost$measure))
  rho <- cost$spent / (1 + (pi / 2 - 1) * choices) * (1 - 2^-50)
  if (length(cost$measure) == 2) {
    other <- largest_rho(cost$measure[["epsilon"]], cost$measure[["delta"]])
    if (other >= rho) return(new_cost(cost$measure, c(rho = other)))
  }
  new_cost(cost$measure, rho, cost$known)
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
    epsilon = stop_argument("delta", "must be given with `epsilon`",
                            if ("rho" %in% takes) ", or `rho` or `mu` instead of both", because, "."),
    delta = stop_argument("delta", "must be NULL here", because, "."),
    stop_argument(form, "must be NULL here", because, ". Give `epsilon`",
                  if (!"epsilon" %in% takes) " with `delta`", " instead.")
  )
}

# Returns the largest rho that converts to at most epsilon at delta, less rounding: the one at the best order. Each term
# of a conversion is at most epsilon + 15 (inst/proofs/accounting-compose.md), and 2^-46 is 128 roundings.
largest_rho <- function(epsilon, delta) {
  slack <- 2^-46 * (epsilon + 16)
  if (slack > epsilon) return(0)
  order <- budget_order(epsilon, delta)
  room <- (epsilon - renyi_epsilon(0, order, log(delta))) / (1 + order)
  rho <- max(0, room) * (1 - 2^-40)
  lower <- 2^-30
  while (rho > 0 && parts_epsilon(new_parts(rho = rho), delta) + slack > epsilon) {
    rho <- if (rho > 1e-300) rho * (1 - lower) else 0
    lower <- min(2 * lower, 0.5)
  }
  rho
}

# Returns the largest mu whose curve satisfies (epsilon, delta). The computed curve is an upper bound, so the result is
# never above the truth, and at least (1 - 2^-30) of it (inst/proofs/privacy-cost.md). Each round divides the bracket
# into 33 parts.
largest_mu <- function(epsilon, delta) {
  goal <- log(delta)
  goal <- goal - 2^-52 * (1 + abs(goal))
  low <- 2^-1000
  high <- 2^500
  for (round in 1:9) {
    mu <- if (round < 3) exp(seq(log(low), log(high), length.out = 34)) else seq(low, high, length.out = 34)
    mu <- c(low, mu[2:33], high)
    beyond <- match(FALSE, gaussian_log_delta(rep(epsilon, 34), mu) <= goal, nomatch = 34)
    if (beyond == 1) return(0)
    low <- mu[beyond - 1]
    high <- mu[beyond]
  }
  low
}
