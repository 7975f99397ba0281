# One query of the rows, the only access of the methods in this family to them. A public model of K clusters gives each
# row its shares and features (src/core/cluster-query.c). The query sums them in integers and adds rounded Gaussian
# noise. Sensitivities and shares are proved in inst/proofs/cluster-query.md.
#
# Models are in the coordinates of the box, [-1, 1] on each side: a list of `weights` (K), `means` (D x K), and
# `covariances` (D x D x K). With `nearest` (D x K), each row belongs to the cluster with the nearest of these points.

# The guarantee of a release with several queries, which has no single sensitivity.
query_guarantee <- function(cost, mechanism, public, step, ...) {
  new_guarantee(cost$measure, sensitivity = NA_real_, mechanism = mechanism, public = public, sampler = "exact",
                step = step, spent = cost$known, ...)
}

# Costs are lowered by this fraction, which exceeds all roundings of shares and their sums.
query_margin <- 1 - 2^-40

# The number of binary digits of features and shares, from public numbers. Sums of all rows are exact in doubles, and no
# noise needs a scale above 2^40. Shares need no digits if each row belongs to one cluster. With people, shares are
# fractions of the rows' weights. `digits` is the largest number of binary digits of a person's weight, which gets at
# least four.
query_bits <- function(n, dimension, rho, options, clusters, digits = NULL) {
  reach <- if (options$whitened) {
    dimension / sqrt(query_weights(dimension, options$stretch, isTRUE(options$far))[3])
  } else {
    sqrt((dimension + 1) * (dimension + 2) / 2)
  }
  total <- floor(min(52 - log2(n * dimension), 39.5 - log2(reach / sqrt(rho))))
  if (total < 0) return(NULL)
  if (!is.null(digits)) {
    weight <- min(digits, max(total - 2 * floor(total / 3), min(4, total)))
    return(c(min(16, floor((total - weight) / 2)), weight))
  }
  if (options$hard || clusters == 1) return(c(min(20, floor(total / 2)), 0))
  bits <- min(16, floor(total / 3))
  c(bits, min(20, total - 2 * bits))
}

# The shares of counts, sums, and products in a whitened query, one row per stretch. They minimize the expected loss of
# a refitted Gaussian. If far rows are counted, a tenth for their count leaves 0.95 to the others.
query_weights <- function(dimension, stretch = 1, far = FALSE) {
  square <- dimension * stretch # of the length of a feature
  a <- cbind(sqrt(1 / 2 + dimension / 4), sqrt(dimension * square / 2), square * sqrt(dimension * (dimension + 1) / 8))
  if (!far) return(a / rowSums(a) * query_margin)
  cbind(0.1, 0.95 * a[, -1, drop = FALSE] / (a[, 2] + a[, 3] + a[, 2]^2 / (4 * a[, 3]))) * query_margin
}

# Weights of rows are fixed once per release. All queries of a release about people use the weight of the query with the
# least room for a weight. `plan_at`: the plan for at most so many binary digits (NULL for rows). `digits_of`: the
# number that each of its queries used.
plan_at_one_weight <- function(units, plan_at, digits_of) {
  if (units$most == 0) return(c(plan_at(NULL), weight = 1))
  digits <- units$most
  repeat {
    plan <- plan_at(digits)
    least <- min(digits_of(plan))
    if (least == digits) return(c(plan, weight = 2^digits))
    digits <- least
  }
}

# Noise scales of one cluster's numbers, in whole steps.
query_scales <- function(dimension, rho, options, bits) {
  share <- 2^bits[2]
  length <- dimension * 4^bits[1]
  square <- is_square(dimension)
  l2_squared <- if (options$whitened) {
    a <- query_weights(dimension, options$stretch, isTRUE(options$far))
    c(2 * share^2 / a[1], rep(2 * share^2 * length / a[2], dimension), ifelse(square, 2, 1) * (share * length)^2 / a[3])
  } else {
    r <- (dimension + 1) * (dimension + 2) / query_margin
    share^2 * r * c(1, rep(4^bits[1], dimension), rep(16^bits[1], length(square)))
  }
  noise_scale(c(rho = rho), l2_squared = l2_squared)
}

# Options of a query, besides `whitened` and `hard`, which have no default. `far` and `nearest` are given only if they
# are TRUE.
#
#   stretch    rows are shortened to the length sqrt(D) in the coordinates of a query, where a Gaussian that the model
#              fits has the variance 1 / stretch in each direction: to the length sqrt(D * stretch) in units of that
#              Gaussian
#   lengthen   whether a refit depends on the observed size (lengthening())
#   least      the smallest variance, in the coordinates of the box: far above rounding errors of covariances of 64
#              columns. A narrower component of a mixture is one point. Correlated rows are narrower in a box of a
#              thousand times their size, so a covariance continues.
#   far        whether it counts only the shortened rows: the count of all rows of one cluster is n
#   nearest    whether its models have places that rows belong to
#   blend      how far a refit goes from the model to the observed values (blend_seen())
#   noise      its kind
query_defaults <- list(stretch = 1, lengthen = FALSE, least = 1e-7, blend = 1, noise = "gaussian")

# A query with the cost `rho`, or NULL if no noise scale works.
plan_query <- function(n, dimension, rho, options, clusters, digits = NULL) {
  options <- utils::modifyList(query_defaults, options)
  bits <- query_bits(n, dimension, rho, options, clusters, digits)
  if (!is.null(bits)) new_query(options, n, dimension, c(rho = rho), bits, query_scales(dimension, rho, options, bits))
}

# Everything public about a query: all of its `options`, `n`, its cost, the `bits` and `scale` of its numbers and their
# `unit`; `sd`, the standard deviations of the noise on a count and on a square, in these units, as in blended rounds;
# `kappa`, the factor by which it lowers the second moments of its model's Gaussian; `left`, the smallest and the
# largest variance that a refit may leave, in its coordinates.
new_query <- function(options, n, dimension, cost, bits, scale) {
  unit <- query_units(dimension, bits, options$stretch)
  spread <- (if (options$noise == "laplace") sqrt(2) else 1) * blended_noise(options$blend)
  c(options, list(n = n), as.list(cost),
    list(bits = bits, scale = scale, unit = unit, sd = spread * (scale * unit)[c(1, length(scale))],
         kappa = if (options$whitened) shortened(1, dimension, options$stretch) else 1,
         left = if (options$whitened) c(0.02, 25) else c(1e-4, 4)))
}

# The noise that remains if each query moves the model by the fraction `blend`.
blended_noise <- function(blend) sqrt(blend / (2 - blend))

# A step of each number of a cluster, in units of its Gaussian.
query_units <- function(dimension, bits, stretch = 1) {
  step <- sqrt(stretch) * 2^-bits[1]
  2^-bits[2] * c(1, rep(step, dimension), rep(step^2, dimension * (dimension + 1) / 2))
}

# The constants of a query. Tiny ones are set to zero.
query_model <- function(model, box, stretch = 1) {
  dimension <- nrow(model$means)
  clusters <- ncol(model$means)
  whiten <- array(0, c(dimension, dimension, clusters))
  level <- double(clusters)
  for (k in seq_len(clusters)) {
    W <- forwardsolve(t(chol(matrix(model$covariances[, , k], dimension))), diag(dimension))
    whiten[, , k] <- W / sqrt(stretch)
    level[k] <- log(model$weights[k]) + sum(log(diag(W)))
  }
  constants <- flush_to_zero(c(model$means, whiten))
  means <- seq_along(model$means)
  list(lower = box$lower, upper = box$upper, mean = array(constants[means], dim(model$means)),
       whiten = constants[-means], level = level, stretch = as.double(stretch),
       nearest = if (!is.null(model$nearest)) flush_to_zero(model$nearest))
}

flush_to_zero <- function(x) {
  x[abs(x) < 2^-200] <- 0
  x
}

# The exact sums, one column per cluster.
query_sums <- function(x, model, box, query) {
  sum_over(x, function(rows) {
    kernel_sums(rows, model, box, query, kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

# Input of the kernels for rows in memory: their numbers, and the weight of each row. In a matrix, each row is a unit.
row_points <- function(x) if (is.matrix(x)) x else x$data

kernel_sums <- function(rows, model, box, query, options) {
  .Call(ffi_cluster_query, row_points(rows), row_weights(rows), query_model(model, box, query$stretch), query$hard,
        query$whitened, isTRUE(query$far), as.double(query$bits), options)
}

# The noisy sums, in units of the features. With one cluster, the count is the public number of rows or people, and
# `far` is the number of shortened rows, if it was counted. Called only by draw_release().
draw_query <- function(x, model, box, query, rng) noisy_query(query_sums(x, model, box, query), query, rng)

# The same as a query of an adaptive mechanism.
model_query <- function(model, box, query) {
  list(cost = c(rho = query$rho), statistic = function(x) query_sums(x, model, box, query),
       draw = function(sums, rng) noisy_query(sums, query, rng))
}

# `counted`: whether noisy counts are the clusters' counts. With one cluster, the count is the public number of all
# rows.
noisy_query <- function(sums, query, rng, counted = ncol(sums) > 1) {
  noisy <- matrix(add_noise(as.vector(sums), query$scale, query$noise, rng), nrow(sums)) * query$unit
  dimension <- (sqrt(8 * nrow(sums) + 1) - 3) / 2 # there are (D + 1) (D + 2) / 2 numbers
  clusters <- ncol(sums)
  product <- array(0, c(dimension, dimension, clusters))
  for (k in seq_len(clusters)) product[, , k] <- matrix_of_triangle(noisy[-seq_len(1 + dimension), k], dimension)
  list(count = if (counted) noisy[1, ] else query$n, far = if (isTRUE(query$far)) noisy[1, ],
       sum = noisy[1 + seq_len(dimension), , drop = FALSE], product = product)
}

# ---- from a query to the next model ---------------------------------------------------

# The second moments of a Gaussian of variance s after rows are shortened to the length R: with r = R^2 / D, s
# P(chi2_(D+2) <= R^2 / s) + r P(chi2_D > R^2 / s).
shortened <- function(s, dimension, stretch = 1) {
  square <- dimension * stretch / s
  s * stats::pchisq(square, dimension + 2) + stretch * stats::pchisq(square, dimension, lower.tail = FALSE)
}

# The factor that restores the Gaussian's second moments if their observed mean is `t`. The variance s is at most
# `most`, because larger values come mainly from noise. In simulations, two queries at normal rows in a box of forty
# times their size come within 1 percent of their variance; the factor of s = 1 gives half as much again. Components of
# mixtures use the factor of s = 1, which makes the true model a fixed point of soft shares.
lengthening <- function(t, dimension, stretch = 1, most = 1) {
  seen <- function(s) shortened(s, dimension, stretch)
  if (t >= seen(most)) return(most / seen(most))
  if (t <= 0) return(1)
  low <- 0
  high <- most
  for (i in 1:80) {
    middle <- (low + high) / 2
    if (seen(middle) < t) low <- middle else high <- middle
  }
  max(1, high / t)
}

# The factor of a query. For all rows, noise is treated alike on both sides of 1: with most = 1, variances of 2000 rows
# were 7 percent too small at epsilon = 0.5.
lengthening_of <- function(query, t, dimension) {
  lengthening(t, dimension, query$stretch, if (isTRUE(query$far)) 2 else 1)
}

# The nearest symmetric matrix with eigenvalues between two bounds. For an array, one for each of its matrices, each
# with its own `least`.
bound_eigenvalues <- function(S, least, most) {
  if (is.null(dim(S))) dim(S) <- c(1, 1)
  flat <- matrix(S, nrow(S)^2)
  least <- rep_len(least, ncol(flat))
  for (k in seq_len(ncol(flat))) {
    covariance <- matrix(flat[, k], nrow(S))
    e <- eigen((covariance + t(covariance)) / 2, symmetric = TRUE)
    covariance <- e$vectors %*% (pmin(pmax(e$values, least[k]), most) * t(e$vectors))
    flat[, k] <- (covariance + t(covariance)) / 2
  }
  array(flat, dim(S))
}

# The smallest variance that a refit of n rows may leave, for each n: about half the norm of the noise on their
# covariance, within bounds, since noise must not make a direction much narrower.
least_left <- function(query, dimension, n) {
  pmin(pmax(query$left[1], left_by_noise(query, dimension, n)), query$left[2])
}

left_by_noise <- function(query, dimension, n) 0.5 * query$sd[2] * sqrt(dimension) / (n * query$kappa)

# Means `m` and covariances `C` that a query has observed for some clusters, in their coordinates: a column and a matrix
# for each of `places`.
seen_moments <- function(seen, places, query) {
  dimension <- nrow(seen$sum)
  m <- seen$sum[, places, drop = FALSE]
  C <- seen$product[, , places, drop = FALSE]
  for (i in seq_along(places)) {
    m[, i] <- m[, i] / seen$count[places[i]]
    B <- matrix(C[, , i], dimension) / seen$count[places[i]]
    longer <- if (query$lengthen) lengthening_of(query, mean(diag(B)), dimension) else 1 / query$kappa
    C[, , i] <- longer * B - tcrossprod(m[, i])
  }
  list(m = m, C = C)
}

# The refitted Gaussians of some clusters, from their previous coordinates. `least`: least_left() of each.
refit_clusters <- function(model, places, seen, query, least) {
  moments <- seen_moments(seen, places, query)
  m <- moments$m
  C <- bound_eigenvalues(moments$C, least, query$left[2])
  if (query$whitened) for (i in seq_along(places)) {
    L <- t(chol(matrix(model$covariances[, , places[i]], nrow(m))))
    m[, i] <- model$means[, places[i]] + as.vector(L %*% m[, i])
    C[, , i] <- L %*% matrix(C[, , i], nrow(m)) %*% t(L)
  }
  model$means[, places] <- pmin(pmax(m, -1), 1)
  model$covariances[, , places] <- bound_eigenvalues(C, query$least, 4)
  model
}

# Smallest count with any information in the last rounds, apart from its noise.
least_seen <- function(n) max(20, 0.005 * n)

# The same for queries of all rows.
least_global <- function(n) max(20, 0.01 * n)

# The limit that a count must exceed for its cluster to be refitted.
seen_count <- function(query, least_count) if (isTRUE(query$far)) least_count else 3 * query$sd[1] + least_count

# Whether counts exceed it. If all rows are one cluster of known size, also whether noise leaves a third of a variance
# to be found.
clears_noise <- function(query, dimension, count, least_count) {
  seen <- count > seen_count(query, least_count)
  if (isTRUE(query$far)) seen & least_left(query, dimension, count) <= refit_limit else seen
}

# The largest fraction of a variance that noise may leave.
refit_limit <- 2 / 3

# Every component has weight: the count of a component that saw nothing.
unseen_count <- function(least_count) max(1, least_count / 5)

# The next model. A cluster stays unchanged if its count does not exceed the noise. If it may be replaced, half of the
# heaviest cluster takes its place, if the noise allows for a cluster of half that size.
refit_model <- function(model, seen, query, least_count, replace = FALSE) {
  dimension <- nrow(model$means)
  kept <- clears_noise(query, dimension, seen$count, least_count)
  least <- least_left(query, dimension, seen$count)
  if (any(kept)) model <- refit_clusters(model, which(kept), seen, query, least[kept])
  count <- seen$count
  for (k in which(!kept & replace)) {
    h <- which.max(count)
    if (!kept[h] || least_left(query, dimension, count[h] / 2) >= 0.15) break
    model <- split_cluster(model, h, k)
    count[c(h, k)] <- count[h] / 2
    kept[k] <- TRUE
  }
  count <- pmax(count, unseen_count(least_count))
  model$weights <- count / sum(count)
  model
}

# Splits cluster h along its longest axis; the second part replaces cluster k.
split_cluster <- function(model, h, k) {
  S <- matrix(model$covariances[, , h], nrow(model$means))
  e <- eigen(S, symmetric = TRUE)
  away <- 0.8 * sqrt(max(e$values[1], 0)) * e$vectors[, 1]
  S <- bound_eigenvalues(S - tcrossprod(away), 1e-7, 4)
  center <- model$means[, h]
  model$means[, h] <- pmin(pmax(center + away, -1), 1)
  model$means[, k] <- pmin(pmax(center - away, -1), 1)
  model$covariances[, , c(h, k)] <- S
  model
}

# ---- public starts and the choice among them --------------------------------------------

standard_model <- function(dimension) {
  list(weights = 1, means = matrix(0, dimension, 1), covariances = array(diag(dimension), c(dimension, dimension, 1)))
}

# Draws for several numbers come one after the other, each as in a separate call.
draw_uniform <- function(n, rng) .Call(ffi_base_draw_units, as.double(n), kernel_options(rng))

# Many starts at once, drawn one by one. Points of a ball; each further point is the farthest from the points already
# chosen. One column per center. A ball of radius sqrt(D) would be as wide as all rows. The factor 1.3 includes the
# outer one of two rings, and costs normal clusters nothing.
draw_starts <- function(starts, clusters, dimension, rng) {
  many <- 50 * clusters
  u <- matrix(draw_uniform(rep(c(many * dimension, many), starts), rng), many * (dimension + 1))
  centers <- rep(list(matrix(0, dimension, clusters)), starts)
  for (i in seq_len(starts)) {
    g <- matrix(stats::qnorm(u[seq_len(many * dimension), i]), dimension)
    radius <- 1.3 * sqrt(dimension) * u[-seq_len(many * dimension), i]^(1 / dimension)
    points <- g * rep(radius / sqrt(colSums(g^2)), each = dimension)
    near <- rep(Inf, many)
    squares <- colSums(points^2)
    taken <- 1
    while (length(taken) < clusters) {
      last <- taken[length(taken)]
      near <- pmin(near, squares + squares[last] - 2 * as.vector(points[, last] %*% points))
      near[last] <- 0 # to the last digit
      taken <- c(taken, which.max(near))
    }
    # on a lattice, so that the square of a difference is never too small for a double
    centers[[i]][] <- round(points[, taken] * 2^40) * 2^-40
  }
  centers
}

start_spread <- function(clusters, dimension) max(clusters^(-2 / dimension), 0.05)

# Turns centers in the coordinates of the single cluster `global` into a model.
start_model <- function(global, centers) {
  dimension <- nrow(global$means)
  clusters <- ncol(centers)
  G <- matrix(global$covariances[, , 1], dimension)
  means <- global$means[, 1] + t(chol(G)) %*% centers
  S <- bound_eigenvalues(start_spread(clusters, dimension) * G, 1e-7, 4)
  list(weights = rep(1 / clusters, clusters), means = pmin(pmax(means, -1), 1),
       covariances = array(S, c(dimension, dimension, clusters)))
}

# Public numbers of the choice: digits of a score, and the factor of a step, with twelve significant bits so that its
# product with any difference of scores is exact. Scores of people with the given `weight` may be larger. draw_choice()
# then draws with `epsilon` and `sensitivity`.
plan_choice <- function(n, rho, starts = 20, weight = NULL) {
  epsilon <- sqrt(8 * rho * query_margin) * query_margin
  if (!is.null(weight)) {
    bits <- min(8, floor(52 - log2(6 * n * weight)))
    return(list(rho = rho, starts = starts, bits = bits, epsilon = epsilon, sensitivity = weight * 6 * 2^bits))
  }
  bits <- min(8, floor(41 - log2(6 * n)))
  factor <- epsilon / (2 * 6 * 2^bits)
  list(rho = rho, starts = starts, bits = bits, factor = short_factor(factor))
}

# Rounds down to twelve significant bits.
short_factor <- function(factor) {
  unit <- 2^(binary_exponent(factor) - 11)
  floor(factor / unit) * unit
}

# Draws one of several integer losses by the planned exponential mechanism.
draw_least <- function(loss, choice, rng) {
  if (is.null(choice$factor)) return(draw_choice(-loss, choice$epsilon, choice$sensitivity, rng))
  .Call(ffi_cluster_choose, loss - min(loss), choice$factor, kernel_options(rng))
}

# The log likelihood ratio of each start to the single cluster `global`, summed over the rows in integers.
start_scores <- function(x, global, box, starts, spread, bits) {
  sum_over(x, function(rows) {
    .Call(ffi_cluster_scores, row_points(rows), row_weights(rows), query_model(global, box), do.call(cbind, starts),
          as.double(ncol(starts[[1]])), spread, as.double(bits),
          kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

draw_start <- function(ask, global, box, clusters, choice, rng) {
  dimension <- nrow(global$means)
  starts <- draw_starts(choice$starts, clusters, dimension, rng)
  query <- list(
    cost = c(rho = choice$rho),
    statistic = function(x) start_scores(x, global, box, starts, start_spread(clusters, dimension), choice$bits),
    draw = function(scores, rng) draw_least(-scores, choice, rng)
  )
  start_model(global, starts[[ask(query)]])
}
