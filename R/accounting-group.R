# Guarantees for groups of rows, people or edges, for privacy_group() and for budgets whose unit is a group.

# Multiplies the count in a unit such as "one row" or "2 rows" by `size`.
count_unit <- function(unit, size) {
  if (size == 1) return(unit)
  if (unit == "one person") return(paste(format(size), "people"))
  if (startsWith(unit, "one ")) return(paste0(format(size), sub("^one", "", unit), "s"))
  count <- as.numeric(sub(" .*", "", unit))
  paste0(format(count * size), sub("^[^ ]*", "", unit))
}

group_step <- function(step, size) {
  if (size == 1) return(step)
  measure <- step$measure
  leaks <- "delta" %in% names(measure)
  if (leaks && names(measure)[1] != "epsilon") {
    stop_dptda("measure", "A group guarantee is not known for ", paste(names(measure), collapse = " with "), ".")
  }
  step$parts <- group_parts(step$parts, size)
  step$measure <- switch(names(measure)[1],
    epsilon = c(product_up(size, measure["epsilon"]),
                if (leaks) c(delta = group_delta(measure[["epsilon"]], measure[["delta"]], size))),
    rho = product_up(product_up(size, size), measure),
    mu = product_up(size, measure),
    renyi = c(renyi = parts_renyi(step$parts, 1))
  )
  if (any(is.infinite(step$measure))) {
    kind <- names(measure)[1]
    stop_dptda("measure", "No finite ", measure_words(kind), " is known for a group of ", format(size),
               if (kind == "renyi") ", unless you state higher orders (`alpha`)", ".")
  }
  step
}

measure_words <- function(kind) if (kind == "renyi") "Renyi divergence of order 2" else kind

group_parts <- function(parts, size) {
  new_parts(
    pure = product_up(size, parts$pure), range = product_up(size, parts$range),
    leak = group_delta(parts$leak_epsilon, parts$leak, size), leak_epsilon = product_up(size, parts$leak_epsilon),
    mu = product_up(size, parts$mu), rho = product_up(product_up(size, size), parts$rho),
    renyi = group_curve(parts$renyi, size)
  )
}

# Returns delta times the sum of exp(i epsilon), i = 0..size - 1.
group_delta <- function(epsilon, delta, size) {
  log_sum_exp <- ifelse(epsilon > 0, log_expm1(size * epsilon) - log_expm1(epsilon), log(size))
  known <- log(delta) + raised(log_sum_exp, 1 + size * epsilon + abs(log_sum_exp))
  pmin(1, raised(exp(known), (2 + abs(log(delta)) + abs(log_sum_exp)) * exp(known)))
}

# Applies the weak triangle inequality to the two halves of the group, recursively. Each level of halving has at most
# two group sizes. Their curves are stored, so the cost is logarithmic in the size.
group_curve <- function(curve, size) {
  if (is.null(curve)) return(curve)
  known <- new.env(parent = emptyenv())
  of_size <- function(size) {
    if (size == 1) return(curve)
    key <- sprintf("%.0f", size)
    if (is.null(known[[key]])) assign(key, join_curves(of_size(ceiling(size / 2)), of_size(floor(size / 2))), known)
    known[[key]]
  }
  of_size(size)
}

# Computes D_alpha(P, Q) <= (alpha - 1/p) / (alpha - 1) D_(p alpha)(P, R) + D_(q (alpha - 1/p))(R, Q) with
# 1/p + 1/q = 1, for the best p of a grid.
join_curves <- function(first, second) {
  if (!length(first$alpha) || !length(second$alpha)) return(new_curve(numeric(), numeric()))
  s <- first$alpha - 1
  least <- rep(Inf, length(s))
  for (excess in 10^seq.int(-3, 3, by = .05)) {
    p <- 1 + excess
    left <- p * (1 + s) - 1
    bound <- left / (p * s) * curve_at(first, left) + curve_at(second, left / excess - 1)
    least <- pmin(least, ifelse(is.finite(bound), raised(bound, by = 2^-48), Inf))
  }
  new_curve(first$alpha, least)
}
