# The rounds of a private regression. Each round releases sums of the rows in the coordinates of the previous model
# (regression-query.R) and measures how far the model is off. A filter with a public prior combines the measurements, so
# that a round with much noise changes little. Everything here uses public numbers and released sums alone. Formulas and
# reasons: inst/proofs/regression.md.
#
# Coefficients are in units of scaled columns and the scaled response (regression-design.R). A model is `beta`, the
# lower triangle `map`, in whose coordinates rows have a covariance near the identity, and `scale`, the standard
# deviation of a residual (1 for a binomial model).

# ---- public numbers --------------------------------------------------------------------------------------------------

prior_sd <- function(family) if (family == "gaussian") 1 else 3

# The shares of the budget: `start` for the count of successes, or `level` for the mean residual, `scores` for their
# products, and the rounds. Without an intercept, there is no level.
regression_shares <- function(family, rounds, intercept, scores) {
  own <- c(start = 0.05 * (family == "binomial"), level = 0.1 * (family == "gaussian" && intercept),
           scores = 0.15 * scores)
  each <- if (rounds == 4) c(1, 1, 2, 4) else c(rep(1 / max(rounds - 1, 1), rounds - 1), 1)
  c(as.list(own), list(rounds = (1 - sum(own)) * each / sum(each)))
}

# The longest row and the largest residual of each round. The last one is as long as its noise stays below half of the
# sampling error.
round_sizes <- function(n, p, square, rhos, family) {
  gaussian <- family == "gaussian"
  rounds <- length(rhos)
  stretch <- if (gaussian) 1 + 2 / sqrt(p) else 1
  last <- rhos[rounds]
  longer <- if (gaussian) sqrt(n * last / p) / 5.66 else n * last / (32 * p)
  longer <- min(max(longer, 1), 20)
  reach <- rep(sqrt(p * max(1.5, stretch)), rounds)
  cut <- rep(if (gaussian) 3 else 2, rounds)
  reach[rounds] <- sqrt(p * stretch * longer)
  if (gaussian) cut[rounds] <- 2.5 * sqrt(longer)
  reach[1] <- sqrt(square)
  if (gaussian) cut[1] <- 1
  list(reach = reach, cut = cut)
}

# All queries, or NULL if no noise scale works: `queries` of the rounds, `scores` or NULL, and the costs `start` and
# `level` of the short ones. `rho`: of the whole release. `digits`: as for query_bits(). `scores`: whether they are
# asked for, if their noise is small beside n, because errors of unequal variance are seen only then.
plan_regression <- function(n, design, family, rho, rounds, digits = NULL, scores = FALSE) {
  p <- length(design$columns)
  rho <- rho * query_margin
  shares <- regression_shares(family, rounds, has_intercept(design), scores)
  rhos <- rho * shares$rounds
  sizes <- round_sizes(n, p, design$square, rhos, family)
  query <- function(k, rho, scores = FALSE) {
    plan_regression_query(n, p, rho, sizes$reach[k], sizes$cut[k], family, digits, scores)
  }
  own <- if (scores) query(rounds, rho * shares$scores, TRUE)
  if (scores && (is.null(own) || sqrt(p) * own$sd[["sB"]] > scores_noise * n)) {
    return(plan_regression(n, design, family, rho / query_margin, rounds, digits, scores = FALSE))
  }
  queries <- lapply(seq_len(rounds), function(k) query(k, rhos[k]))
  start <- rho * shares$start
  level <- rho * shares$level
  works <- !any(vapply(queries, is.null, NA)) && (start == 0 || !is.null(plan_ones(n, start, digits))) &&
    (level == 0 || !is.null(plan_level(n, level, level_cut, digits)))
  if (works) list(queries = queries, scores = own, start = start, level = level, digits = digits)
}

# How often a plan reads the rows.
count_readings <- function(plan) {
  length(plan$queries) + !is.null(plan$scores) + (plan$start > 0) + (plan$level > 0)
}

# The largest noise of scores, in units of n.
scores_noise <- 0.35

# In standard deviations of the residuals.
level_cut <- 8

has_intercept <- function(design) design$columns[[1]]$name == "(Intercept)"

# ---- rounds ----------------------------------------------------------------------------------------------------------

# Runs all queries of a plan. `ask`: the only access to the rows. If the number of rows is private (`known` is FALSE),
# the first round measures it.
fit_regression <- function(ask, plan) {
  p <- length(plan$design$columns)
  one <- rep(1, p + 1) # columns and response are scaled to [-1, 1]
  intercept <- has_intercept(plan$design)
  model <- list(family = plan$family, beta = double(p), map = diag(p), scale = 1)
  prior <- diag(prior_sd(plan$family)^2, p)
  state <- list(model = model, prior = prior, n = plan$n, root = diag(p), sampling = prior, scale_seen = 1,
                weight_left = if (plan$family == "gaussian") 1 else NA_real_)
  if (plan$start > 0) {
    state <- start_rate(state, ask(ones_query(-one, one, plan$n, plan$start, plan$digits)), intercept)
  }
  rounds <- length(plan$queries)
  for (k in seq_len(rounds)) {
    query <- plan$queries[[k]]
    seen <- ask(regression_query(-one, one, state$model, query))
    if (k == 1 && !plan$known) state$n <- measured_rows(seen, state$model, plan$n, intercept)
    state <- finite_or(filter_round(state, seen, query, k, rounds, intercept), state)
  }
  if (!is.null(plan$scores)) {
    seen <- ask(regression_query(-one, one, state$model, plan$scores))
    state <- finite_or(measure_sampling(state, seen$B, plan$scores), state)
  }
  if (plan$level > 0) {
    level <- ask(level_query(-one, one, state$model, plan$n, plan$level, level_cut, plan$digits))
    state <- move_level(state, level, plan$n / state$n)
  }
  state
}

# The first round has the coordinates of the box: its first sum counts the rows.
measured_rows <- function(seen, model, most, intercept) {
  if (!intercept) return(most)
  min(max(seen$A[1, 1] / model$map[1, 1]^2, 1), most)
}

# Starts with the rate of successes, moved toward 1/2 by its noise.
start_rate <- function(state, ones, intercept) {
  sd <- max(ones$sd, 1) # a rate of 0 or 1 has no logit
  rate <- (min(max(ones$count, 0), state$n) + sd) / (state$n + 2 * sd)
  if (intercept) state$model$beta[1] <- stats::qlogis(rate) else rate <- 0.5
  state$model$map <- state$model$map / sqrt(rate * (1 - rate) * rate_part(rate, 2))
  state
}

# The fraction of the weight of a row with probability `p` that a residual of at most `cut` leaves.
rate_part <- function(p, cut) pmin(1, cut^2 * p * (1 - p) / pmax(p, 1 - p)^2)

# One measurement: A delta + noise, for the distance `delta` from the model in its own coordinates.
filter_round <- function(state, seen, query, k, rounds, intercept) {
  model <- state$model
  gaussian <- model$family == "gaussian"
  p <- length(model$beta)
  n <- state$n
  one <- diag(p)
  last <- k == rounds
  # the noisy matrix is moved toward the one that the model expects
  expected <- n * if (k == 1) c(1, rep(1 / 3, p - 1)) else rep(1, p)
  trust <- (n / if (k == 1) 6 else 2)^2
  trust <- trust / (trust + p * query$sd[["sA"]]^2)
  A <- trust * seen$A + (1 - trust) * diag(expected, p)
  e <- eigen(symmetric(A), symmetric = TRUE)
  edge <- trust * query$sd[["sA"]] * sqrt(p)
  A <- of_values(e, pmax(e$values, edge, 0.3 * (1 - trust) * min(expected)))
  var_a <- 2 * trust * query$sd[["sA"]]^2 * (1 + (1 - trust) * (rounds - 1))
  var_b <- query$sd[["sb"]]^2
  # beta = old beta + K delta
  K <- model$scale * t(model$map)
  inverse <- backsolve(K, one)
  prior <- inverse %*% state$prior %*% t(inverse)
  if (last && k > 1) prior <- prior + diag(drift_part / n, p)
  gain <- prior %*% A %*%
    inverse_of(A %*% prior %*% A + var_b * one + var_a * (sum(diag(prior)) * one + prior))
  delta <- drop(gain %*% seen$b)
  length <- sqrt(sum(delta * (A %*% delta)) / n)
  if (!gaussian && length > 3) delta <- delta * 3 / length
  # the noise at this distance
  noise <- var_b * one +
    var_a * (sum(delta^2) * one + tcrossprod(delta) + sum(diag(prior - gain %*% A %*% prior)) * one)
  rest <- one - gain %*% A
  left <- rest %*% prior %*% t(rest) + gain %*% noise %*% t(gain)
  if (!gaussian && !last) left <- left + curved_error(delta, length)
  P <- K %*% left %*% t(K)
  state$prior <- symmetric(P) + diag(1e-24, p) # never zero by rounding
  state$model$beta <- drop(model$beta + K %*% delta)
  bounded <- pmax(e$values, edge, 1e-9 * n)
  state$phi <- if (gaussian) residual_variance(seen, query, delta, model, k, n, intercept) else 1
  state$root <- of_values(e, 1 / sqrt(bounded))
  state$sampling <- K %*% of_values(e, state$phi / bounded) %*% t(K)
  state$weight_left <- weight_left(seen, model, n, intercept)
  state$scale_seen <- model$scale * sqrt(state$phi)
  if (!last) {
    floored <- of_values(e, bounded)
    if (gaussian) {
      error <- sum(inverse %*% state$prior %*% t(inverse) * floored) / n
      state$model$scale <- max(model$scale * sqrt(min(max(state$phi + error, 1e-4), 1.5)), least_width)
    }
    state$model$map <- next_map(model$map, floored / n)
  }
  state
}

# The map in whose coordinates columns with the second moments `moments`, in those of `map`, have the identity. No
# direction is narrower than `least_width`, so that all later computations are possible, whatever the rows are.
next_map <- function(map, moments) {
  p <- nrow(map)
  back <- forwardsolve(map, diag(p))
  e <- eigen(symmetric(back %*% moments %*% t(back)), symmetric = TRUE)
  forwardsolve(t(chol(symmetric(of_values(e, pmax(e$values, least_width^2))))), diag(p))
}

# The smallest standard deviation of a direction, and of residuals, in units of half of their range.
least_width <- 1e-4

of_values <- function(e, values) e$vectors %*% (values * t(e$vectors))

symmetric <- function(S) (S + t(S)) / 2

# The inverse of a positive definite matrix, whatever its condition is.
inverse_of <- function(S) {
  e <- eigen(symmetric(S), symmetric = TRUE)
  of_values(e, 1 / pmax(e$values, 1e-15 * max(e$values), 1e-200))
}

# A round whose numbers leave the range of doubles is left out, because nothing may fail after the charge.
finite_or <- function(state, before) {
  numbers <- c(state$model$beta, state$model$map, state$model$scale, state$prior, state$sampling, state$scale_seen)
  if (all(is.finite(numbers)) && all(diag(state$prior) >= 0)) state else before
}

# The part of the rows' weight that shortening left, by the sum of squares of the intercept; without one, by the trace.
weight_left <- function(seen, model, n, intercept) {
  if (model$family == "binomial") return(NA_real_)
  left <- if (intercept) seen$A[1, 1] / model$map[1, 1]^2 else mean(diag(seen$A))
  min(max(left / n, 1 / 3), 1)
}

# The variance of residuals, in units of the model's scale: cut residuals of normal errors have the variance
# (2 Phi(C) - 1)^2 times as large in the sandwich of Huber's estimate.
residual_variance <- function(seen, query, delta, model, k, n, intercept) {
  squares <- max(seen$c - 2 * sum(delta * seen$b) + sum(delta * (seen$A %*% delta)), 0)
  used <- if (k == 1) 1 else used_slope(query$cut)
  mean <- squares / (n * weight_left(seen, model, n, intercept))
  min(max(mean, query$sd[["sc"]] / n), query$cut^2) / used^2
}

# The sampling error of errors whose variances may differ, from the products of scores. One standard deviation of their
# noise is added in all directions, so that noise makes intervals too wide rather than too narrow. In coordinates in
# which A is the identity, an eigenvalue is the mean square of the cut residuals in its direction. Where errors are
# wide, the cut takes more of them.
measure_sampling <- function(state, B, query) {
  e <- eigen(symmetric(B), symmetric = TRUE)
  B <- of_values(e, pmax(e$values, 0) + sqrt(2) * query$sd[["sB"]])
  e <- eigen(symmetric(state$root %*% B %*% state$root), symmetric = TRUE)
  used <- used_slope(query$cut / sd_before_cut(e$values, query$cut))
  half <- state$model$scale * t(state$model$map) %*% state$root
  state$sampling <- symmetric(half %*% of_values(e, pmax(e$values, 0) / used^2) %*% t(half))
  state$robust <- TRUE
  state
}

# The standard deviations of normal errors whose mean squares are `squares` after a cut at `cut`, at most 4 `cut`.
sd_before_cut <- function(squares, cut) {
  sd <- cut * 2^seq(-10, 2, length.out = 200)
  left <- cut / sd
  after <- sd^2 * (used_slope(left) - 2 * left * stats::dnorm(left)) + 2 * cut^2 * stats::pnorm(-left)
  stats::approx(after, sd, squares, rule = 2)$y
}

# The fraction of normal errors that a cut leaves, by which a cut residual moves with the line.
used_slope <- function(cut) 2 * stats::pnorm(cut) - 1

# The score of a binomial model is not linear, so a step of `length` standard deviations of the linear predictor leaves
# an error of about its square: along the step, and in all other directions, above all that of the intercept.
curved_error <- function(delta, length) {
  most <- min(length, 2)
  most / 4 * tcrossprod(delta) + diag((curved_part * most^2)^2, NROW(delta))
}

curved_part <- 0.25

# Earlier rounds give less weight to far rows than the last one, so their line is another one, by about half a sampling
# error: a quarter of its variance is added before the last round. Without noise, the last round then decides alone.
drift_part <- 0.25

# Adds the mean residual, which was cut much farther out, to the intercept: cut residuals of skewed errors have another
# mean than the errors. `times`: the public number of rows in units of the measured one.
move_level <- function(state, level, times) {
  s <- state$model$scale * times
  state$model$beta[1] <- state$model$beta[1] + s * level$mean
  state$prior[1, 1] <- state$prior[1, 1] + (s * level$sd)^2
  state
}
