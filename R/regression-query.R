# One query of the rows for linear and logistic regression, and the two short queries beside it: the only access of
# this family to rows. A public model gives each row integer features of its design and its residual
# (src/core/regression-query.c). A query sums their products and adds rounded Gaussian noise. Sensitivities are proved
# in inst/proofs/regression-query.md.
#
# Rows are a matrix with p columns of the design, and then y, or rows of people with their weights (weigh_rows()).
# `lower` and `upper`: p + 1 public bounds, mapped to [-1, 1], except the y of a binomial model, which is 1 if it is
# above 1/2. A model is a list of its `family`, "gaussian" or "binomial", `beta` (p), `map` (p x p, a lower triangle),
# and, for a gaussian one, `scale`, all in these coordinates.

# What a query releases: the sums over rows, or over people of the means of their rows, of
#
#   A   w^2 h h', where h = sqrt(v) map z is the design z of a row after the map, v is 1 or the weight of a binomial
#       row, and w = min(1, reach / |h|)
#   b   w^2 h psi, where psi is the residual, from -cut to `cut`
#   c   w^2 psi^2
#
# or, with `scores`, of w^4 psi^2 h h' alone, which is called B.
#
# Its plan is a list of all public numbers, `reach` and `cut` among them. `bits`: of a feature, in steps of 2^-bits of
# its largest size, and of the weight of a person. `scale`: the noise scales of products and of squares, in steps.
# `unit`: a step of A, b, and c, or of B. `sd`: the standard deviations of the noise of an entry of A outside its
# diagonal, of b, and of c, or of an entry of B. `digits` as in query_bits(). NULL if no noise scale works, or if there
# are more columns than a kernel takes.
plan_regression_query <- function(n, p, rho, reach, cut, family, digits = NULL, scores = FALSE) {
  bits <- regression_bits(n, rho, digits)
  if (is.null(bits) || p > 255) return(NULL)
  weight <- 2^bits[2]
  # W Q with Q = 2 * 4^bits, and 4^bits for scores: powers of two, whose squares are exact
  moved <- (weight * (if (scores) 1 else 2) * 4^bits[1])^2
  scale <- noise_scale(c(rho = rho), l2_squared = c(moved, 2 * moved))
  unit <- if (scores) c(B = (reach * cut)^2) else c(A = reach^2, b = reach * cut, c = cut^2)
  unit <- unit / (4^bits[1] * weight)
  spread <- noise_deviation("gaussian", scale)
  sd <- if (scores) c(sB = spread[1]) else c(sA = spread[1], sb = spread[1], sc = spread[2])
  list(p = p, n = n, rho = rho, reach = reach, cut = cut, kappa = reach / cut, family = family, scores = scores,
       bits = bits, scale = scale, unit = unit, sd = sd * unit)
}

# Sums of all rows are at most n W Q <= 2^52, and the noise scale of a square, W Q / sqrt(rho), is below 2^40.
regression_bits <- function(n, rho, digits = NULL) {
  total <- floor(min(51 - log2(n), 38.5 + log2(rho) / 2))
  if (total < 0) return(NULL)
  if (is.null(digits)) return(c(min(20, floor(total / 2)), 0))
  weight <- min(digits, max(total - 2 * floor(total / 3), min(4, total)))
  c(min(16, floor((total - weight) / 2)), weight)
}

# The model of a kernel. It shortens rows to length 1 after its map. `cut` is of y - eta, or of binomial residuals. A
# number that is not finite, or has an extreme size, becomes another public number, because nothing may fail after the
# charge.
regression_model <- function(lower, upper, model, reach, cut) {
  finite <- function(x) {
    x[is.nan(x)] <- 0
    flush_to_zero(pmin(pmax(x, -1e100), 1e100))
  }
  p <- length(model$beta)
  binomial <- model$family == "binomial"
  cut <- max(finite(as.double(if (binomial) cut else cut * model$scale)), 1e-100)
  list(lower = as.double(lower), upper = as.double(upper), beta = finite(as.double(model$beta)),
       map = matrix(finite(as.double(model$map / reach)), p), cut = cut, binomial = binomial)
}

# The exact integer sums of the upper triangle of q q', column by column. q is the features of the design and the
# residual, or the scores.
regression_sums <- function(x, lower, upper, model, query) {
  kernel_model <- regression_model(lower, upper, model, query$reach, query$cut)
  sum_over(x, function(rows) {
    .Call(ffi_regression_query, row_points(rows), row_weights(rows), kernel_model, as.double(query$bits[1]),
          query$scores, kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

# The same as a query of an adaptive mechanism.
regression_query <- function(lower, upper, model, query) {
  list(cost = c(rho = query$rho), statistic = function(x) regression_sums(x, lower, upper, model, query),
       draw = function(sums, rng) noisy_regression(sums, query, rng))
}

# The noise scales of all sums.
regression_scales <- function(query) {
  ifelse(is_square(query$p + !query$scores), query$scale[2], query$scale[1])
}

# Noisy sums in natural units.
noisy_regression <- function(sums, query, rng) {
  noisy <- add_noise(sums, regression_scales(query), "gaussian", rng)
  p <- query$p
  S <- matrix_of_triangle(noisy, p + !query$scores)
  if (query$scores) return(list(B = S * query$unit[["B"]]))
  columns <- seq_len(p)
  list(A = S[columns, columns, drop = FALSE] * query$unit[["A"]], b = S[columns, p + 1] * query$unit[["b"]],
       c = S[p + 1, p + 1] * query$unit[["c"]])
}

# ---- the level and the ones ----------------------------------------------------------------------------------------

# The mean of (y - eta) / scale, cut at -cut and `cut`, over rows or people, in units of `scale`. With people, `digits`
# is the number that the plan of the rounds has used, because a release has one set of weights. NULL if no noise scale
# works.
level_query <- function(lower, upper, model, n, rho, cut = 8, digits = NULL) {
  plan <- plan_level(n, rho, cut, digits)
  if (is.null(plan)) return(NULL)
  list(cost = c(rho = rho), statistic = function(x) level_sum(x, lower, upper, model, plan),
       draw = function(sum, rng) list(mean = add_noise(sum, plan$scale, "gaussian", rng) * plan$unit, sd = plan$sd))
}

# `unit`: a step, and `sd`: the standard deviation of the noise, of the mean.
plan_level <- function(n, rho, cut, digits = NULL) {
  weight <- if (is.null(digits)) 0 else digits
  bits <- floor(min(20, 52 - log2(n) - weight, 38.5 + log2(rho) / 2 - weight))
  if (bits < 0) return(NULL)
  short_query(n, rho, c(bits, weight), 2^(bits + 1), cut / 2^bits / n, cut = cut)
}

# A plan of one sum that a row moves by `moved`, and `unit`, a step of it for rows.
short_query <- function(n, rho, bits, moved, unit, ...) {
  weight <- 2^bits[2]
  scale <- noise_scale(c(rho = rho), l2_squared = (weight * moved)^2)
  unit <- unit / weight
  list(n = n, rho = rho, bits = bits, scale = scale, unit = unit, sd = noise_deviation("gaussian", scale) * unit, ...)
}

level_sum <- function(x, lower, upper, model, plan) {
  kernel_model <- regression_model(lower, upper, model, 1, plan$cut)
  sum_over(x, function(rows) {
    .Call(ffi_regression_level, row_points(rows), row_weights(rows), kernel_model, plan$bits[1],
          kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

# The number of rows, or people, with y = 1. `digits` as for the level. NULL if no noise scale works.
ones_query <- function(lower, upper, n, rho, digits = NULL) {
  plan <- plan_ones(n, rho, digits)
  if (is.null(plan)) return(NULL)
  list(cost = c(rho = rho), statistic = function(x) count_ones(x, length(lower)),
       draw = function(sum, rng) list(count = add_noise(sum, plan$scale, "gaussian", rng) * plan$unit, sd = plan$sd))
}

plan_ones <- function(n, rho, digits = NULL) {
  weight <- if (is.null(digits)) 0 else digits
  if (log2(n) + weight > 52 || weight - log2(rho) / 2 > 39.5) return(NULL)
  short_query(n, rho, c(0, weight), 1, 1)
}

# `place`: the column of y.
count_ones <- function(x, place) {
  sum_over(x, function(rows) {
    one <- row_points(rows)[, place] > 0.5
    weight <- row_weights(rows)
    as.double(if (is.null(weight)) sum(one, na.rm = TRUE) else sum(as.double(weight)[which(one)]))
  })
}

# ---- steps with their own audit ----------------------------------------------------------------------------------

# `box`: list(lower, upper). Rows of people get their weights here.
regression_mechanism <- function(class, model, box, query, scale) {
  step_mechanism(c(class, "additive"), c(rho = query$rho), model = model, box = box, query = query,
                 noise = new_noise("gaussian", scale))
}

statistic_of.regression_query <- function(plan, rows) {
  regression_sums(weigh_rows(rows, 2^plan$query$bits[2]), plan$box$lower, plan$box$upper, plan$model, plan$query)
}

noise_target.regression_query <- function(plan) "each product of two features"

# Rows of full length with opposite residuals, whose features are orthogonal. The part of an output is in the direction
# in which the pair differs.
example_of.regression_query <- function(plan) {
  box <- list(lower = c(-1, -1, -1), upper = c(1, 1, 1))
  opposite <- function(y) rbind(c(1, 0, y), c(1, 0.5, 0.25))
  round <- function(note, model, x, neighbor, digits = NULL, scores = FALSE) {
    query <- plan_regression_query(2, 2, 0.5, 1, 1, model$family, digits, scores)
    mechanism <- regression_mechanism("regression_query", model, box, query, regression_scales(query))
    way <- (statistic_of(mechanism$plan, neighbor) - statistic_of(mechanism$plan, x)) / mechanism$plan$noise$scale^2
    step_example(paste0("a round of a regression (", note, ")"), mechanism, x, neighbor,
                 function(drawn) sum(way * drawn))
  }
  linear <- list(family = "gaussian", beta = c(0, 0), map = diag(2), scale = 1)
  # v is 1/4
  binomial <- list(family = "binomial", beta = c(0, 0), map = 2 * diag(2))
  people <- function(y, rows) table_rows(opposite(y)[c(rep(1, rows), 2), ], person = rep(1:2, c(rows, 1)))
  # orthogonal designs of full length, which are not shortened, with the largest residual
  narrow <- replace(linear, "map", list(diag(2) / sqrt(2)))
  corner <- function(x) rbind(c(1, x, 1), c(1, 0.5, 0.25))
  list(round("gaussian", linear, opposite(-1), opposite(1)), round("binomial", binomial, opposite(0), opposite(1)),
       round("people", linear, people(-1, 2), people(1, 3), 10),
       round("scores", narrow, corner(1), corner(-1), scores = TRUE))
}

statistic_of.regression_level <- function(plan, rows) {
  level_sum(weigh_rows(rows, 2^plan$query$bits[2]), plan$box$lower, plan$box$upper, plan$model, plan$query)
}

noise_target.regression_level <- function(plan) "the sum of residuals"

example_of.regression_level <- function(plan) {
  model <- list(family = "gaussian", beta = 0, map = diag(1), scale = 0.1)
  query <- plan_level(2, 0.5, 8)
  mechanism <- regression_mechanism("regression_level", model, list(lower = c(-1, -1), upper = c(1, 1)), query,
                                    query$scale)
  list(step_example("the level of a regression", mechanism, rbind(c(1, -1), c(1, 0)), rbind(c(1, 1), c(1, 0))))
}

statistic_of.regression_ones <- function(plan, rows) {
  count_ones(weigh_rows(rows, 2^plan$query$bits[2]), length(plan$box$lower))
}

noise_target.regression_ones <- function(plan) "the count of ones"

example_of.regression_ones <- function(plan) {
  query <- plan_ones(2, 0.5)
  mechanism <- regression_mechanism("regression_ones", NULL, list(lower = c(-1, 0), upper = c(1, 1)), query,
                                    query$scale)
  list(step_example("the ones of a regression", mechanism, cbind(1, c(0, 1)), cbind(1, c(1, 1))))
}
