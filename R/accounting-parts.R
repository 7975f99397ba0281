# Parts of a guarantee: the composed mechanisms, each in the form in which most is known about it. All conversions start
# here.
#
#   pure    epsilons of pure mechanisms
#   range   epsilons of exponential mechanisms with a bounded range
#   leak    deltas, and `leak_epsilon` the epsilon of each
#   mu      all Gaussian mechanisms together
#   rho     all other zero-concentrated mechanisms
#   renyi   all mechanisms that are known by a table of orders and divergences

new_parts <- function(pure = numeric(), range = numeric(), leak = numeric(), leak_epsilon = numeric(), mu = 0,
                      rho = 0, renyi = NULL) {
  list(pure = pure, range = range, leak = leak, leak_epsilon = leak_epsilon, mu = mu, rho = rho, renyi = renyi)
}

# One shared object for default parts, so that the steps of a long ledger do not each store their own.
no_parts <- new_parts()

# `times`: the number of independent draws that share a bounded range evenly.
measure_parts <- function(measure, bounded_range = FALSE, renyi = NULL, times = 1) {
  get <- function(name) if (name %in% names(measure)) measure[[name]] else 0
  delta <- get("delta")
  if ("epsilon" %in% names(measure) && delta == 0) {
    each <- rep(measure[["epsilon"]] / times, times)
    return(if (bounded_range) new_parts(range = each) else new_parts(pure = sum(each)))
  }
  leaks <- delta > 0
  new_parts(leak = delta[leaks], leak_epsilon = get("epsilon")[leaks], mu = get("mu"), rho = get("rho"), renyi = renyi)
}

# Composes parts. Numbers are sorted, so that the order of the releases does not matter.
add_parts <- function(all) {
  if (length(all) == 1) return(all[[1]])
  collect <- function(field) unlist(lapply(all, `[[`, field), use.names = FALSE)
  leak <- as.double(collect("leak"))
  leak_epsilon <- as.double(collect("leak_epsilon"))
  by_size <- order(leak_epsilon, leak)
  new_parts(
    pure = sort.int(as.double(collect("pure"))), range = sort.int(as.double(collect("range"))),
    leak = leak[by_size], leak_epsilon = leak_epsilon[by_size],
    mu = root_sum(collect("mu")), rho = sum_up(sort.int(collect("rho"))), # drops NA, an unknown amount
    renyi = add_curves(Filter(Negate(is.null), lapply(all, `[[`, "renyi")))
  )
}

# Returns an upper bound of the root of the sum of squares, without underflow or overflow.
root_sum <- function(x) {
  top <- max(x)
  if (top == 0 || top == Inf || sum(x > 0) == 1) return(top)
  raised(top * sqrt(sum(sort.int(x / top)^2)), by = 2^-49)
}

# Tables of Renyi divergences ------------------------------------------------

new_curve <- function(alpha, epsilon) {
  known <- is.finite(epsilon)
  list(alpha = alpha[known], epsilon = epsilon[known])
}

# Interpolates a table of divergences. (alpha - 1) times the divergence is convex in alpha and zero at one, so the chord
# between two orders of the table is an upper bound. An empty table gives the bound Inf.
curve_at <- function(curve, s) {
  # tables with orders of at most one, or not in increasing order, are invalid
  if (!length(curve$alpha) || any(curve$alpha <= c(1, curve$alpha[-length(curve$alpha)]))) return(rep(Inf, length(s)))
  known <- curve$alpha - 1
  between <- stats::approx(c(0, known), c(0, known * curve$epsilon), s, ties = "ordered")$y / s
  ifelse(is.na(between), Inf, ifelse(s %in% known, curve$epsilon[match(s, known)], raised(between)))
}

add_curves <- function(curves) {
  if (length(curves) < 2) return(if (length(curves)) curves[[1]])
  alpha <- sort.int(unlist(lapply(curves, `[[`, "alpha")))
  alpha <- alpha[match(alpha, alpha) == seq_along(alpha)]
  values <- matrix(vapply(curves, function(curve) curve_at(curve, alpha - 1), alpha), nrow = length(alpha))
  new_curve(alpha, vapply(seq_along(alpha), function(i) sum(sort.int(values[i, ])), 0))
}

# Returns the divergence of order 1 + s of all parts, except their leaks.
parts_renyi <- function(parts, s) {
  total <- (1 + s) * parts$rho + (1 + s) * parts$mu * parts$mu / 2
  for (group in runs(c(parts$pure, parts$leak_epsilon))) total <- total + group$count * response_renyi(group$value, s)
  for (group in runs(parts$range)) total <- total + group$count * range_renyi(group$value, s)
  if (!is.null(parts$renyi)) total <- total + curve_at(parts$renyi, s)
  keep_positive(raised(total, by = 2^-49), if (is_lossless(parts)) 0 else 1)
}

# Checks that the parts have no privacy loss, except perhaps a leak.
is_lossless <- function(parts) {
  parts$mu == 0 && parts$rho == 0 && !has_curve(parts) && !any(c(parts$pure, parts$range, parts$leak_epsilon) > 0)
}

# Groups equal numbers (to 12 digits). Returns the largest number and the count of each group.
runs <- function(x) {
  x <- sort.int(x[x > 0])
  rounded <- signif(x, 12)
  last <- which(c(rounded[-1] != rounded[-length(rounded)], length(x) > 0))
  counts <- last - c(0L, last)[seq_along(last)]
  lapply(seq_along(last), function(i) list(value = x[last[i]], count = counts[i]))
}

# Sums that hold at any delta -------------------------------------------------

parts_epsilon_sum <- function(parts) {
  if (parts$mu > 0 || parts$rho > 0 || has_curve(parts)) return(Inf)
  sum_up(c(parts$pure, parts$range, parts$leak_epsilon))
}

has_curve <- function(parts) {
  !is.null(parts$renyi) && (!length(parts$renyi$alpha) || any(parts$renyi$epsilon > 0))
}

# Returns one minus the product of all 1 - delta.
parts_leak <- function(parts) if (length(parts$leak) < 2) sum(parts$leak) else leak_up(parts$leak)

parts_rho <- function(parts) {
  if (has_curve(parts)) return(Inf)
  sum_up(c(response_rho(c(parts$pure, parts$leak_epsilon)), range_rho(parts$range), parts$rho,
           keep_positive(product_up(parts$mu, parts$mu) / 2, parts$mu)))
}

# A bounded range has the mu of a pure mechanism with half of its epsilon.
parts_mu <- function(parts) {
  if (parts$rho > 0 || has_curve(parts) || length(parts$leak)) return(Inf)
  root_sum(c(parts$mu, pure_mu(parts$pure), response_mu(parts$range / 2)))
}

# Returns the smallest mu of all pure parts together, if the distribution of their loss is available.
pure_mu <- function(epsilons) {
  each <- root_sum(c(0, response_mu(epsilons)))
  losses <- if (sum(epsilons > 0) > 1) pure_losses(epsilons, most = 2^16)
  if (is.null(losses)) each else min(each, corner_mu(losses))
}

# The distribution of the privacy loss of all pure parts -----------------------

# A distribution is a list of losses and upper bounds `log_p` of the logarithms of their probabilities. These are at most
# `surplus` below the bounds, or zero, if the bounds are below `least`.

# Returns the distribution of a sum of independent losses, each plus or minus epsilon with odds exp(epsilon). It is
# exact if there are few values. Otherwise every epsilon is rounded up to a lattice. Returns NULL if there are too many
# values for a lattice, or if sums could overflow.
pure_losses <- function(epsilons, most) {
  if (sum(epsilons) > 2^1000) return(NULL)
  groups <- runs(epsilons)
  counts <- vapply(groups, `[[`, 0, "count")
  if (prod(counts + 1) <= most) return(grouped_losses(groups))
  if (length(groups) <= 1000) lattice_losses(epsilons[epsilons > 0], most)
}

grouped_losses <- function(groups) {
  loss <- log_p <- surplus <- 0
  for (group in groups) {
    log_p_before <- log_p
    up <- 0:group$count
    loss <- as.vector(outer(loss, (2 * up - group$count) * group$value, "+"))
    ways <- lchoose(group$count, up)
    log_p <- ways + up * stats::plogis(group$value, log.p = TRUE) +
      (group$count - up) * stats::plogis(-group$value, log.p = TRUE)
    size <- 2 * ways - log_p
    log_p <- as.vector(outer(log_p_before, raised(log_p, size, by = 2^-46), "+"))
    surplus <- surplus + 2^-44 * max(size)
  }
  list(loss = raised_losses(loss, groups), log_p = log_p, exact = TRUE, surplus = surplus, least = -Inf)
}

# Raises all losses by the error bound of the largest one. For one or two equal epsilons, losses are exact: zero, or
# plus or minus one or two times a double.
raised_losses <- function(loss, groups) {
  exact <- length(groups) == 1 && groups[[1]]$count <= 2
  if (exact) loss else loss + 2^-52 * (length(groups) + 1) * max(abs(loss))
}

lattice_losses <- function(epsilons, most) {
  step <- max(sum(epsilons) / most, 2^-1000) # so that quotients keep their digits
  steps <- ceiling(epsilons / step * (1 - 1e-12))
  step <- step * (1 + 2e-12) # undoes the lowering, which kept rounding from adding a step
  p <- 1
  for (count in steps) {
    up <- stats::plogis(count * step)
    down <- stats::plogis(-count * step)
    p <- c(down * p, numeric(count)) + c(numeric(count), up * p)
  }
  total <- sum(steps)
  # each step is off by four roundings, or by an underflow
  p <- p * (1 + length(steps) * 2^-50) + length(steps) * 2^-1072
  list(loss = raised((2 * (0:total) - total) * step, total * step), log_p = log(p), exact = FALSE,
       surplus = length(steps) * 2^-48, least = -640)
}

# Computes log delta at one epsilon, for the pure losses and one Gaussian.
losses_log_delta <- function(losses, mu, epsilon) {
  if (mu > 0) {
    left <- raised(epsilon - losses$loss, -abs(epsilon - losses$loss))
    return(min(0, raised_sum(losses$log_p + gaussian_log_delta(left, mu))))
  }
  above <- losses$loss > epsilon
  raised_sum(losses$log_p[above] + log(-expm1(epsilon - losses$loss[above])))
}

# Raises the logarithm of a sum by more than its error. Terms below exp(-745) times the largest one are lost, and there
# are fewer than 2^17 terms. The rounding of the others is relative to at most 745 and to the size of the logarithms.
raised_sum <- function(x) {
  top <- log_sum(x)
  raised(top, 2^-42 + 2^-50 * abs(top), by = 1)
}

# Conversions to (epsilon, delta) ----------------------------------------------

# Converts to delta. For all parts except the leaks, uses the smallest of these bounds:
# - the distribution of the loss, if available
# - the Renyi divergences of all parts
# - the Renyi divergences of the parts that are not pure, with the epsilons of the pure parts added
parts_delta <- function(parts, epsilon) {
  leak <- parts_leak(parts)
  losses <- parts_losses(parts)
  # an exact distribution of pure parts cannot be improved, but a bounded range has better Renyi bounds than a pure part
  bounds <- if (is.null(losses) || !losses$exact || length(parts$range)) renyi_bounds(parts)
  one <- function(epsilon) {
    if (epsilon >= parts_epsilon_sum(parts)) return(-Inf)
    least <- min(0, if (!is.null(losses)) losses_log_delta(losses, parts$mu, epsilon),
                 vapply(bounds, function(bound) bound_log_delta(bound, epsilon), 0))
    max(least, -.Machine$double.xmax)
  }
  log_delta <- vapply(epsilon, one, 0)
  # keeps a positive delta from underflowing to zero
  delta <- ifelse(log_delta == -Inf, 0, pmin(1, raised(exp(log_delta), by = 2^-42) + 2^-1074))
  if (leak == 0) delta else pmin(1, raised(leak + (1 - leak) * delta, by = ifelse(delta > 0, 2^-50, 0)))
}

bound_log_delta <- function(bound, epsilon) {
  left <- epsilon - bound$shift
  if (left < 0) 0 else bound$log_delta(raised(left, -left))
}

parts_epsilon <- function(parts, delta) {
  leak <- parts_leak(parts)
  if (delta >= 1) return(0)
  if (delta < leak) return(Inf)
  log_delta <- log((delta - leak) / (1 - leak))
  log_delta <- raised(log_delta, -(1 + abs(log_delta)))
  simple <- vapply(renyi_bounds(parts), function(bound) sum_up(c(bound$shift, max(0, bound$epsilon(log_delta)))), 0)
  known <- min(parts_epsilon_sum(parts), simple)
  losses <- parts_losses(parts)
  if (is.null(losses)) known else losses_epsilon(losses, parts$mu, log_delta, known)
}

parts_losses <- function(parts) {
  if (parts$rho > 0 || has_curve(parts)) return(NULL)
  pure_losses(c(parts$pure, parts$range, parts$leak_epsilon), most = if (parts$mu > 0) 2^14 else 2^16)
}

# Finds the smallest epsilon with log delta at most the given value, by bisection between zero and `high`, which is
# known to suffice. Returns the upper end, so that an error of the search is on the safe side.
losses_epsilon <- function(losses, mu, log_delta, high) {
  enough <- function(epsilon) losses_log_delta(losses, mu, epsilon) <= log_delta
  if (!is.finite(high) || high == 0 || log_delta == -Inf) return(high)
  if (enough(0)) return(0)
  low <- 0
  for (i in 1:55) {
    middle <- (low + high) / 2
    if (enough(middle)) high <- middle else low <- middle
  }
  high
}

# Returns the Renyi bounds for all parts, and for the parts that are not pure, with the epsilons of the others added.
renyi_bounds <- function(parts) {
  pure <- c(parts$pure, parts$range, parts$leak_epsilon)
  smooth <- new_parts(mu = parts$mu, rho = parts$rho, renyi = parts$renyi)
  c(list(renyi_bound(parts, 0)), if (length(pure) && sum(pure) > 0) list(renyi_bound(smooth, sum_up(pure))))
}

renyi_bound <- function(parts, shift) {
  if (is_lossless(parts)) {
    return(list(shift = shift, log_delta = function(epsilon) -Inf, epsilon = function(log_delta) 0))
  }
  orders <- order_grid(parts)
  divergence <- function(s) parts_renyi(parts, s)
  known <- divergence(orders)
  list(
    shift = shift,
    log_delta = function(epsilon) {
      least_over_orders(orders, known, divergence, function(d, s) renyi_log_delta(d, s, epsilon))
    },
    epsilon = function(log_delta) {
      least_over_orders(orders, known, divergence, function(d, s) renyi_epsilon(d, s, log_delta))
    }
  )
}

order_grid <- function(parts) {
  everywhere <- 10^seq(-6, 160, by = .125)
  if (is.null(parts$renyi)) return(everywhere)
  table <- parts$renyi$alpha - 1
  sort(unique(c(table, everywhere[everywhere < max(table, 0)])))
}

# Minimizes `bound` over the orders: first on a grid with known divergences, then in two finer rounds around the best
# order.
least_over_orders <- function(orders, known, divergence, bound) {
  least <- Inf
  for (round in 1:3) {
    values <- bound(known, orders)
    best <- which.min(values)
    if (!length(best)) return(least)
    least <- min(least, values[best])
    around <- orders[pmin(pmax(best + c(-1, 1), 1), length(orders))]
    orders <- exp(seq(log(around[1]), log(around[2]), length.out = 41))
    known <- divergence(orders)
  }
  least
}
