# Curves of the elementary guarantees, on plain numbers. `s` is always the order of a Renyi divergence minus one, so
# that orders near one lose no digits. Statements and sources: inst/proofs/accounting-compose.md.

# Raises computed values by more than their rounding error, to upper bounds. The error analysis is on that page. `loss`:
# the quantity that the error is relative to. Below the normal range an error is not relative, but at most 2^-1075.
raised <- function(value, loss = abs(value), by = 2^-50) {
  ifelse(is.finite(value), value + by * loss + sign(loss) * 2^-1074, value)
}

# Returns the exact sum of nonnegative numbers if it is a double. Otherwise the result is the next double.
sum_up <- function(x) {
  x <- x[x > 0]
  if (length(x) < 2) return(sum(0, x))
  sum_exactly_up(add_exactly(0, x))
}

# Rounds an exact sum up.
sum_exactly_up <- function(exact) {
  top <- round_sum(exact)
  if (top == Inf) return(Inf)
  rest <- add_exactly(exact, -top)
  rest <- rest[rest != 0]
  if (length(rest) && rest[length(rest)] > 0) next_up(top) else top
}

# Returns the exact products of nonnegative numbers if these are doubles. Otherwise, product_up() is the next double
# above, and product_down() the next one below. The rest is unknown outside the range of its splitting.
product_up <- function(a, b) {
  product <- a * b
  short <- which((!is_split(product, a, b) | product_rest(a, b) > 0) & a > 0 & b > 0 & a != 1 & b != 1)
  product[short] <- next_up(product[short])
  product
}

product_down <- function(a, b) {
  product <- a * b
  long <- which((!is_split(product, a, b) | product_rest(a, b) < 0) & a > 0 & b > 0 & a != 1 & b != 1)
  product <- pmin(product, .Machine$double.xmax)
  product[long] <- pmax(product[long] - pmax(.75 * 2^-52 * product[long], 2^-1074), 0)
  product
}

is_split <- function(product, a, b) product > 2^-900 & product < 2^900 & a < 2^900 & b < 2^900

# Returns the smallest double whose square is at least x, or the one above it.
root_up <- function(x) {
  root <- sqrt(x)
  ifelse(product_down(root, root) < x, next_up(root), root)
}

# Returns the exact difference between a product and its double.
product_rest <- function(a, b) {
  high <- function(x) {
    wide <- 134217729 * x
    wide - (wide - x)
  }
  low <- function(x) x - high(x)
  low(a) * low(b) - (((a * b - high(a) * high(b)) - low(a) * high(b)) - high(a) * low(b))
}

# Returns the smallest double that is at least one minus the product of all 1 - delta. Five doubles hold the exact
# value, and the rest of it is rounded up. Small products are left out, because they are subtracted. More than 500
# deltas are rounded at the end only.
leak_up <- function(deltas) {
  if (length(deltas) > 500) {
    return(min(1, sum_up(deltas), raised(-expm1(sum(log1p(-deltas))), by = 2^-52 * (8 + length(deltas)))))
  }
  leak <- 0
  for (delta in deltas) {
    known <- leak[abs(leak) * delta > 2^-900]
    leak <- add_exactly(leak, c(delta, -known * delta, -product_rest(known, delta)))
    extra <- length(leak) - 5
    if (extra > 0) leak <- add_exactly(leak[-seq_len(extra)], 2 * max(leak[extra], 0))
  }
  min(1, sum_exactly_up(leak))
}

# Three quarters of 2^-52 are at least 3/4 and less than 3/2 of the distance to the next double.
next_up <- function(x) pmax(x + .75 * 2^-52 * x, x + 2^-1074)

log_sum <- function(x) {
  top <- max(x, -Inf)
  if (is.finite(top)) top + log(sum(exp(x - top))) else top
}

log_one_plus_exp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))

# Computes log(exp(x) - 1) for x > 0.
log_expm1 <- function(x) ifelse(x > 1, x + log1p(-exp(-x)), log(expm1(pmin(x, 2))))

# Keeps the cost of a positive loss positive, even if its square underflows.
keep_positive <- function(value, loss) ifelse(rep_len(loss > 0, length(value)), pmax(value, .Machine$double.xmin), 0)

# Pure epsilon: randomized response dominates every such mechanism. --------

response_rho <- function(epsilon) keep_positive(raised(epsilon * tanh(epsilon / 2)), epsilon)

response_mu <- function(epsilon) vapply(epsilon, response_mu_of, 0)

response_mu_of <- function(epsilon) {
  # near one half, qnorm() would lose a tiny epsilon
  if (epsilon < 1e-5) return(raised(sqrt(pi / 2) * epsilon * (1 + epsilon^2)))
  log_corner <- raised(-log_one_plus_exp(epsilon), -log_one_plus_exp(epsilon), by = 2^-48) # lowered by a negative loss
  mu <- -2 * stats::qnorm(log_corner, log.p = TRUE)
  # qnorm() may be inexact, so mu is raised until pnorm() shows that the Gaussian is not above the corner
  step <- 2^-46
  while (is.finite(mu) && stats::pnorm(-mu / 2, log.p = TRUE) > log_corner) {
    mu <- mu * (1 + step)
    step <- 2 * step
  }
  mu
}

# Returns the smallest mu whose Gaussian is below the trade-off curve of a distribution of the loss. That curve is
# linear between its corners and symmetric, so the corners of positive losses are enough. Their error rates are lower
# bounds, and their powers are upper bounds.
corner_mu <- function(losses) {
  falling <- order(losses$loss, decreasing = TRUE)
  loss <- losses$loss[falling]
  top <- losses$log_p[falling]
  low <- ifelse(top < losses$least, -Inf, top - losses$surplus)
  count <- length(top)
  error <- 2^-44 * (1 + max(loss)) + count * 2^-50
  false_positive <- log_cumsum(low - loss) - error
  true_positive <- log_cumsum(top) + error
  false_negative <- c(rev(log_cumsum(rev(low)))[-1], -Inf) - error
  corners <- which(loss > 0)
  few <- true_positive[corners] < log(.5)
  reach <- ifelse(few, quantile_bound(pmin(true_positive[corners], log(.5)), 1),
                  -quantile_bound(false_negative[corners], -1))
  away <- -quantile_bound(false_positive[corners], -1)
  raised(max(reach + away), max(abs(reach) + abs(away)))
}

# Computes logarithms of running sums. Each base covers the sums that are at most exp(500) times as large. Terms that
# underflow are below exp(-700) of the sum.
log_cumsum <- function(x) {
  span <- range(x[is.finite(x)])
  total <- rep(-Inf, length(x))
  for (base in seq(span[2], min(span[1] + 500, span[2]), length.out = ceiling(diff(span) / 500) + 1)) {
    sums <- log(cumsum(exp(x - base)))
    total <- pmax(total, ifelse(is.finite(sums), base + sums, -Inf))
  }
  total
}

# Returns numbers that are at least (`side` 1) or at most (-1) the normal quantiles of probabilities, given by their
# logarithms. qnorm() may be inexact, so they are moved until pnorm() shows that they are.
quantile_bound <- function(log_p, side) {
  z <- stats::qnorm(log_p, log.p = TRUE)
  step <- 2^-48
  repeat {
    reached <- stats::pnorm(z, log.p = TRUE)
    short <- which(is.finite(z) & side * (reached - log_p) < 2^-48 * (1 + abs(reached)))
    if (!length(short)) return(z)
    z[short] <- z[short] + side * step * (1 + abs(z[short]))
    step <- 2 * step
  }
}

# Computes log(cosh((alpha - 1/2) epsilon) / cosh(epsilon / 2)) / (alpha - 1). Uses a product if the quotient is near
# one, and the simple bound alpha epsilon^2 / 2 if the product could underflow.
response_renyi <- function(epsilon, s) {
  tiny <- (1 + s) * epsilon < 1e-8
  near <- (1 + s) * epsilon < 20
  first <- ifelse(near, (1 + s) * epsilon, 0) / 2
  second <- ifelse(near, s * epsilon, 0) / 2
  tail <- exp(-epsilon)
  value <- ifelse(near,
                  log1p(2 * sinh(first) * sinh(second) / cosh(ifelse(near, epsilon, 0) / 2)) / s,
                  epsilon + log1p(tail * expm1(-2 * s * epsilon) / (1 + tail)) / s)
  raised(ifelse(tiny, (1 + s) * epsilon * epsilon / 2, value), by = 2^-45)
}

# Bounded range: the log ratios of an exponential mechanism lie in an interval
# of length epsilon. The worst case has two outputs. The start of its interval
# depends on the order. ----------------------------------------------------

range_rho <- function(epsilon) {
  # an upper bound, because the next term is negative
  series <- raised(epsilon^2 / 8 - epsilon^4 / 576 + epsilon^6 / 25920)
  terms <- cbind(epsilon / expm1(epsilon), -1, epsilon, log(-expm1(-epsilon)), -log(epsilon))
  exact <- raised(rowSums(terms), rowSums(abs(terms)))
  large <- epsilon > 700
  keep_positive(ifelse(epsilon < .05, series, ifelse(large, next_up(epsilon), exact)), epsilon)
}

range_renyi <- function(epsilon, s) {
  y <- s * epsilon
  series <- epsilon * ((y + epsilon) / 8 - (y^3 + 2 * y^2 * epsilon + 2 * y * epsilon^2 + epsilon^3) / 576 +
    (y^5 + 3 * y^4 * epsilon + 5 * y^3 * epsilon^2 + 5 * y^2 * epsilon^3 + 3 * y * epsilon^4 + epsilon^5) / 25920)
  exact <- sinhc_gain(y, epsilon) + sinhc_gain(epsilon, y) / s
  # epsilon bounds the divergence of every order, also if the terms overflow
  pmin(ifelse(y < 2^1000, raised(ifelse(epsilon + y < .05, series, exact)), Inf), next_up(epsilon))
}

# Computes an upper bound of h(x + y) - h(x) for h(x) = log(sinh(x / 2) / (x / 2)). All three terms are of the order of
# y if y is small.
sinhc_gain <- function(x, y) {
  growth <- log1p(-expm1(-y) / expm1(x))
  width <- log1p(y / x)
  raised(y / 2 + growth - width, y / 2 + growth + width, by = 2^-49)
}

# Computes log delta of all mechanisms with a bounded range, at any x, even a negative one: the largest over the starts
# of the interval.
range_log_delta <- function(x, epsilon) {
  within <- abs(x) < epsilon
  half <- (epsilon - ifelse(within, x, 0)) / 2
  half <- half + 2^-52 * (epsilon + abs(half))
  value <- ifelse(within, 2 * log(-expm1(-half)) - log(-expm1(-epsilon)), log(-expm1(pmin(x, 0))))
  pmin(0, ifelse(x >= epsilon, -Inf, raised(value, 1 + abs(value), by = 2^-48)))
}

# Gaussian: exact log delta at any epsilon, even a negative one. -----------

gaussian_log_delta <- function(epsilon, mu) {
  # delta(-epsilon) = 1 - exp(-epsilon) + exp(-epsilon) delta(epsilon)
  size <- abs(epsilon)
  ahead <- gaussian_ahead(size, mu)
  behind <- log(-expm1(-size) + exp(ahead - size))
  pmin(0, ifelse(epsilon < 0, raised(behind, 1 + abs(behind)), ahead))
}

# Let x = epsilon / mu - mu / 2, and let R be the ratio of the normal tail to the density. Then delta is
# density(x) (R(x) - R(x + mu)), which decreases in x. From x = 2^500 on, whose square is still a double, delta is
# bounded by the tail at 2^500.
gaussian_ahead <- function(epsilon, mu) {
  ratio <- pmin(epsilon / mu, 2^600)
  x <- ratio - mu / 2
  x <- pmin(x - 2^-50 * (ratio + mu / 2), 2^500)
  tail <- stats::pnorm(-x, log.p = TRUE)
  other <- epsilon + stats::pnorm(-x - mu, log.p = TRUE)
  close <- mu < .1 * pmax(1, x)
  value <- ifelse(close, stats::dnorm(x, log = TRUE) + log(mu) + log(mills_drop(pmax(x, -1), mu)),
                  tail + log(-expm1(pmin(other - tail, 0))))
  value <- ifelse(x == 2^500, tail, value)
  raised(value, ifelse(close, 2^-30 + 2^-50 * (x^2 + abs(value)), 2^-43 *
                       (1 + epsilon + abs(tail) + abs(other))), by = 1)
}

# Computes (R(x) - R(x + mu)) / mu if both ratios are nearly equal, as the mean of -R'(t) = 1 - t R(t) by Gauss-Legendre
# quadrature with five nodes.
mills_drop <- function(x, mu) {
  node <- c(-0.906179845938664, -0.538469310105683, 0, 0.538469310105683, 0.906179845938664)
  weight <- c(0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366, 0.236926885056189)
  total <- 0
  for (i in seq_along(node)) total <- total + weight[i] * mills_slope(x + mu * (1 + node[i]) / 2)
  total / 2
}

mills_slope <- function(t) {
  ratio <- exp(stats::pnorm(-t, log.p = TRUE) - stats::dnorm(t, log = TRUE))
  far <- t > 25
  u <- ifelse(far, 1 / t^2, 0)
  # an upper bound, because the series ends with a positive term
  ifelse(far, u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u)))), 1 - t * ratio)
}

# Bounds on delta and epsilon from the Renyi divergence `divergence` of order
# 1 + s, by the theorem of Canonne, Kamath and Steinke. --------------------

renyi_log_delta <- function(divergence, s, epsilon) {
  entropy <- (1 + s) * log1p(1 / s)
  raised(s * (divergence - epsilon) - log(s) - entropy, s * (divergence + epsilon) + abs(log(s)) + entropy)
}

renyi_epsilon <- function(divergence, s, log_delta) {
  raised(divergence - log1p(1 / s) - (log_delta + log1p(s)) / s,
         divergence + log1p(1 / s) + (abs(log_delta) + log1p(s)) / s)
}

# Groups equal numbers (to so many digits). Returns the largest number and the count of each group.
runs <- function(x, digits = 12) {
  x <- sort.int(x[x > 0])
  rounded <- signif(x, digits)
  last <- which(c(rounded[-1] != rounded[-length(rounded)], length(x) > 0))
  counts <- last - c(0L, last)[seq_along(last)]
  lapply(seq_along(last), function(i) list(value = x[last[i]], count = counts[i]))
}

# Adds numbers to an exact sum: Inf, or an increasing vector of doubles whose bits do not overlap.
add_exactly <- function(sum, more) {
  for (x in more) {
    kept <- numeric()
    for (part in sum) {
      top <- x + part
      if (top == Inf) return(Inf)
      share <- top - x
      low <- (x - (top - share)) + (part - share)
      if (low != 0) kept <- c(kept, low)
      x <- top
    }
    sum <- c(kept, x)
  }
  sum
}

# Rounds an exact sum to the nearest double.
round_sum <- function(sum) {
  last <- length(sum)
  top <- sum[last]
  low <- 0
  while (last > 1 && low == 0) {
    last <- last - 1
    before <- top
    top <- before + sum[last]
    low <- sum[last] - (top - before)
  }
  # exactly half of a last bit remains, and further parts with the same sign: rounds away from `top`
  if (last > 1 && low != 0 && (low > 0) == (sum[last - 1] > 0)) {
    further <- top + 2 * low
    if (2 * low == further - top) top <- further
  }
  top
}

# Checks the cost of a release or budget: exactly one of `epsilon`, `rho`, and `mu`. Returns it as a named positive
# number (zero only if `zero` allows it). Refuses objects with a class, because their methods could return a different
# number later.
check_measure <- function(epsilon, rho, mu = NULL, zero = FALSE) {
  refuse_budgets(epsilon = epsilon, rho = rho, mu = mu)
  given <- Filter(Negate(is.null), list(epsilon = epsilon, rho = rho, mu = mu))
  if (length(given) != 1) {
    stop_argument("epsilon", "or `rho` or `mu` must be given, one of the three, not ",
                  if (!length(given)) "none" else paste0("`", names(given), "`", collapse = " and "),
                  if (!is.null(epsilon) && !is.null(rho)) ". By position, the argument after `epsilon` is `rho`", ".")
  }
  name <- names(given)
  if (is.object(given[[1]])) {
    stop_argument(name, "must be one plain number, not an object of class \"", class(given[[1]])[1], "\"",
                  number_hint(given[[1]]), ".")
  }
  structure(check_number(given[[1]], 0, open_lower = !(zero && name == "epsilon"), arg = name), names = name)
}

refuse_budgets <- function(...) {
  budgets <- vapply(list(...), inherits, NA, "dptda_budget")
  if (any(budgets)) stop_argument(names(which(budgets))[1], "is a budget, which must be given by name: `budget = `.")
}
