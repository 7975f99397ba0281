# Parts of a guarantee: the composed mechanisms, each in the form in which most is known about it. All conversions start
# here.
#
#   pure    epsilons of pure mechanisms
#   range   epsilons of exponential mechanisms with a bounded range
#   leak    deltas, and `leak_epsilon` the epsilon of each
#   mu      all Gaussian mechanisms together
#   rho     all other zero-concentrated mechanisms
#   renyi   all mechanisms that are known by a table of orders and divergences. If all of them are sampled Gaussian
#           mechanisms, then the table has their noise multipliers, rates, and steps, one mechanism after the other, in
#           `poisson` and `batches`.

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

# Checks that the mechanisms of a table are known.
is_sampled <- function(curve) length(curve$poisson) + length(curve$batches) > 0

# Checks the field `poisson` or `batches` of a table.
is_sample <- function(numbers) {
  if (is.null(numbers)) return(TRUE)
  if (!is.numeric(numbers) || is.object(numbers) || length(numbers) %% 3 != 0) return(FALSE)
  all <- matrix(numbers, 3)
  all(is.finite(all) & all > 0) && all(all[2, ] <= 1) && all(all[3, ] == floor(all[3, ]))
}

# Checks whether sampled_parts() found mechanisms.
has_samples <- function(parts) !is.null(parts$poisson) || !is.null(parts$batches)

# Sorts sampled mechanisms, and adds up the steps of equal ones.
add_sampled <- function(numbers) {
  if (length(numbers) <= 3) return(numbers)
  all <- matrix(numbers, 3)
  all <- all[, order(all[1, ], all[2, ]), drop = FALSE]
  new <- c(TRUE, colSums(all[1:2, -1, drop = FALSE] != all[1:2, -ncol(all), drop = FALSE]) > 0)
  steps <- vapply(split(all[3, ], cumsum(new)), sum, 0)
  as.vector(rbind(all[1:2, new, drop = FALSE], steps))
}

# Returns the parts with the sampled mechanisms as fields, instead of their table, if they are known. Sampling with rate
# one takes all rows, so it is the Gaussian mechanism.
sampled_parts <- function(parts) {
  if (!is_sampled(parts$renyi)) return(parts)
  for (field in c("poisson", "batches")) {
    all <- matrix(as.double(parts$renyi[[field]]), 3)
    plain <- all[2, ] == 1
    parts$mu <- root_sum(c(parts$mu, raised(sqrt(all[3, plain]) / all[1, plain])))
    if (!all(plain)) parts[[field]] <- as.vector(all[, !plain])
  }
  parts["renyi"] <- list(NULL)
  parts
}

# Returns an upper bound of the root of the sum of squares, without underflow or overflow. It is exact if squares, sum,
# and root are doubles.
root_sum <- function(x) {
  top <- max(x)
  if (top == 0 || top == Inf || sum(x > 0) == 1) return(top)
  if (top < 2^400 && min(x[x > 0]) > 2^-400) return(root_up(sum_up(product_up(x, x))))
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

# Adds up tables. A table without its mechanisms hides the others.
add_curves <- function(curves) {
  if (length(curves) < 2) return(if (length(curves)) curves[[1]])
  alpha <- sort.int(unlist(lapply(curves, `[[`, "alpha")))
  alpha <- alpha[match(alpha, alpha) == seq_along(alpha)]
  values <- matrix(vapply(curves, function(curve) curve_at(curve, alpha - 1), alpha), nrow = length(alpha))
  curve <- new_curve(alpha, vapply(seq_along(alpha), function(i) sum(sort.int(values[i, ])), 0))
  if (all(vapply(curves, is_sampled, NA))) {
    for (field in c("poisson", "batches")) curve[[field]] <- add_sampled(unlist(lapply(curves, `[[`, field)))
  }
  curve
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
  parts <- sampled_parts(parts)
  if (has_curve(parts) || has_samples(parts)) return(Inf)
  sum_up(c(response_rho(c(parts$pure, parts$leak_epsilon)), range_rho(parts$range), parts$rho,
           keep_positive(product_up(parts$mu, parts$mu) / 2, parts$mu)))
}

# A bounded range has the mu of a pure mechanism with half of its epsilon.
parts_mu <- function(parts) {
  parts <- sampled_parts(parts)
  if (parts$rho > 0 || has_curve(parts) || has_samples(parts) || length(parts$leak)) return(Inf)
  root_sum(c(parts$mu, pure_mu(parts$pure), response_mu(parts$range / 2)))
}

# Returns the smallest mu of all pure parts together, if the distribution of their loss is available.
pure_mu <- function(epsilons) {
  each <- root_sum(c(0, response_mu(epsilons)))
  losses <- if (sum(epsilons > 0) > 1) pure_losses(epsilons, most = 2^16)
  if (is.null(losses)) each else min(each, corner_mu(losses))
}

# The distribution of the privacy loss of all pure parts -----------------------

# A distribution is a list of losses and upper bounds `log_p` of the logarithms of their probabilities. These are at
# most `surplus` below the bounds, or zero, if the bounds are below `least`.

# Returns the distribution of a sum of independent losses, each plus or minus epsilon with odds exp(epsilon). It is
# exact if there are few values. Otherwise every epsilon is rounded up to a lattice. Returns NULL if there are too many
# values for a lattice, or if sums could overflow.
pure_losses <- function(epsilons, most) {
  if (sum(epsilons) > 2^1000) return(NULL)
  groups <- runs(epsilons)
  if (grouped_count(groups) <= most) return(grouped_losses(groups))
  if (length(groups) <= 1000) lattice_losses(epsilons[epsilons > 0], most)
}

# Returns the number of values of the exact distribution.
grouped_count <- function(groups) prod(1 + vapply(groups, `[[`, 0, "count"))

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

# Computes log delta at one epsilon, for pure losses and one Gaussian, or bounded ranges, beside them.
losses_log_delta <- function(losses, epsilon) {
  if (losses$mu > 0 || !is.null(losses$sticks)) {
    left <- raised(epsilon - losses$loss, -abs(epsilon - losses$loss))
    beside <- if (losses$mu > 0) gaussian_log_delta(left, losses$mu) else log(stick_at(losses$sticks, left))
    return(min(0, raised_sum(losses$log_p + beside)))
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
# - the distribution of the loss, if available, exactly or on a lattice
# - the Renyi divergences of all parts
# - the Renyi divergences of the parts that are not pure, with the epsilons of the pure parts added
parts_delta <- function(parts, epsilon) {
  leak <- parts_leak(parts)
  losses <- parts_losses(parts)
  # an exact distribution cannot be improved
  bounds <- if (!isTRUE(losses$exact)) renyi_bounds(parts)
  log_delta <- vapply(epsilon, function(epsilon) {
    min(0, vapply(bounds, function(bound) bound_log_delta(bound, epsilon), 0))
  }, 0)
  if (!is.null(losses)) log_delta <- pmin(log_delta, losses$log_delta(epsilon))
  log_delta <- ifelse(epsilon >= parts_epsilon_sum(parts), -Inf, pmax(log_delta, -.Machine$double.xmax))
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
  if (is.null(losses) || known == 0 || log_delta == -Inf) known else min(known, losses$epsilon(log_delta, known))
}

# Returns the distribution of the loss as two functions, or NULL if a part has none. A distribution of pure parts is
# `exact`, or rounded up to a lattice. Samples, and a Gaussian beside bounded ranges, need the lattice of
# accounting-lattice.R.
parts_losses <- function(parts) {
  parts <- sampled_parts(parts)
  if (parts$rho > 0 || has_curve(parts)) return(NULL)
  sticks <- range_sticks(parts$range)
  if (is.list(sticks) || is.null(sticks)) {
    ranges <- runs(parts$range)
  } else {
    # too many ranges: each counts as pure
    parts$pure <- c(parts$pure, parts$range)
    ranges <- sticks <- NULL
  }
  if (has_samples(parts) || parts$mu > 0 && !is.null(sticks)) {
    elements <- loss_elements(parts)
    return(list(
      exact = FALSE,
      log_delta = function(epsilon) elements_log_delta(elements, ranges, sticks, epsilon),
      epsilon = function(log_delta, high) elements_epsilon(elements, ranges, sticks, log_delta)
    ))
  }
  losses <- pure_losses(c(parts$pure, parts$leak_epsilon), most = if (parts$mu > 0 || !is.null(sticks)) 2^14 else 2^16)
  if (is.null(losses)) return(NULL)
  losses$mu <- parts$mu
  losses["sticks"] <- list(sticks)
  list(
    exact = losses$exact && length(parts$range) < 2,
    log_delta = function(epsilon) vapply(epsilon, function(one) losses_log_delta(losses, one), 0),
    epsilon = function(log_delta, high) losses_epsilon(losses, log_delta, high)
  )
}

# Finds the smallest epsilon with log delta at most the given value, by bisection between zero and `high`, which is
# known to suffice. Returns the upper end, so that an error of the search is on the safe side.
losses_epsilon <- function(losses, log_delta, high) {
  enough <- function(epsilon) losses_log_delta(losses, epsilon) <= log_delta
  if (!is.finite(high)) return(high)
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
