# One query of the rows: the only way in which the methods of this family touch them. A public model of K clusters tells
# each row its shares and features (src/core/cluster-query.c), these are summed in integers, and discrete Gaussian noise
# is added. Sensitivities and shares are proved in inst/proofs/cluster-query.md.
#
# Models live in the coordinates of the box, [-1, 1] on each side: a list of `weights` (K), `means` (D x K) and
# `covariances` (D x D x K). With `nearest` (D x K) each row belongs to the cluster with the nearest of these places.

# The guarantee of what queries several times, whose sensitivity is no one number.
query_guarantee <- function(cost, mechanism, public, step, ...) {
  new_guarantee(cost$measure, sensitivity = NA_real_, mechanism = mechanism, public = public, sampler = "exact",
                step = step, spent = cost$spent, ...)
}

# What is spent where is lowered by this part of itself: more than all roundings of shares and their sums.
query_margin <- 1 - 2^-40

# How many binary digits features and shares have, from public numbers: sums of all rows are exact in doubles, and no
# noise needs a scale above 2^40. A share needs none where a row belongs to one cluster alone. Of people shares are
# parts of what their rows weigh, and `digits` is how many binary digits a person's weight may have; four are left to
# it.
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

# The shares of a whitened query that counts, sums and products get, one row for each stretch: they minimize the
# expected loss of a Gaussian that is refitted. Where far rows are counted, a tenth for their count leaves .95 to the
# others.
query_weights <- function(dimension, stretch = 1, far = FALSE) {
  square <- dimension * stretch # of the length of a feature
  a <- cbind(sqrt(1 / 2 + dimension / 4), sqrt(dimension * square / 2), square * sqrt(dimension * (dimension + 1) / 8))
  if (!far) return(a / rowSums(a) * query_margin)
  cbind(0.1, 0.95 * a[, -1, drop = FALSE] / (a[, 2] + a[, 3] + a[, 2]^2 / (4 * a[, 3]))) * query_margin
}

# Which numbers of a cluster are squares of one feature, among the products.
is_square <- function(dimension) {
  seq_len(dimension * (dimension + 1) / 2) %in% cumsum(seq_len(dimension))
}

# Rows are weighed once a release: all that a release of people asks has the weight of the question that has least room
# for one. `plan_at`: its plan, for at most so many binary digits, NULL of rows; `digits_of`: how many each question of
# it took.
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

# The scales of the noise of one cluster's numbers, in whole steps.
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

# How a query looks, beside `whitened` and `hard`, which have no default, and `far` and `nearest`, which are said only
# where they hold.
#
#   stretch    rows are shortened to the length sqrt(D) in the coordinates of a query, where a Gaussian that the model
#              fits has the variance 1 / stretch in each direction: to the length sqrt(D * stretch) in units of that
#              Gaussian
#   lengthen   whether a refit goes by the size that was seen (lengthening())
#   least      the least variance, in the coordinates of the box: far above the roundings of covariances of 64 columns.
#              A component of a mixture that is narrower is one point; correlated rows are narrower in a box of a
#              thousand times their size, and a covariance goes on.
#   far        whether it counts the rows that are shortened, not all rows: of one cluster these are n
#   nearest    whether its models have places that rows belong to
#   blend      how far a refit goes from the model to what was seen (blend_seen())
#   noise      its kind
query_defaults <- list(stretch = 1, lengthen = FALSE, least = 1e-7, blend = 1, noise = "gaussian")

# A query that `rho` pays, or NULL where no noise does.
plan_query <- function(n, dimension, rho, options, clusters, digits = NULL) {
  options <- utils::modifyList(query_defaults, options)
  bits <- query_bits(n, dimension, rho, options, clusters, digits)
  if (!is.null(bits)) new_query(options, n, dimension, c(rho = rho), bits, query_scales(dimension, rho, options, bits))
}

# Everything public about a query: its `options` (all of them), `n`, what it costs, the `bits` and `scale` of its
# numbers and their `unit`; `sd`, the standard deviations of the noise on a count and on a square, in these units, as
# blended rounds have it; `kappa`, by how much it lowers the second moments of the Gaussian that its model is; `left`,
# the least and the most that a refit may leave of a variance in its coordinates.
new_query <- function(options, n, dimension, cost, bits, scale) {
  unit <- query_units(dimension, bits, options$stretch)
  spread <- (if (options$noise == "laplace") sqrt(2) else 1) * blended_noise(options$blend)
  c(options, list(n = n), as.list(cost),
    list(bits = bits, scale = scale, unit = unit, sd = spread * (scale * unit)[c(1, length(scale))],
         kappa = if (options$whitened) shortened(1, dimension, options$stretch) else 1,
         left = if (options$whitened) c(0.02, 25) else c(1e-4, 4)))
}

# Of noise what is left where each query moves the model by the part `blend` of the way.
blended_noise <- function(blend) sqrt(blend / (2 - blend))

# A step of each number of a cluster, in units of its Gaussian.
query_units <- function(dimension, bits, stretch = 1) {
  step <- sqrt(stretch) * 2^-bits[1]
  2^-bits[2] * c(1, rep(step, dimension), rep(step^2, dimension * (dimension + 1) / 2))
}

# The constants of a query. Those next to zero are zero.
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

# The exact sums, one column a cluster.
query_sums <- function(x, model, box, query) {
  sum_over(x, function(rows) {
    kernel_sums(rows, model, box, query, kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

# What kernels see of rows in memory: their numbers, and what each row weighs. A matrix is rows of which each is one.
row_points <- function(x) if (is.matrix(x)) x else x$data

kernel_sums <- function(rows, model, box, query, options) {
  .Call(ffi_cluster_query, row_points(rows), row_weights(rows), query_model(model, box, query$stretch), query$hard,
        query$whitened, isTRUE(query$far), as.double(query$bits), options)
}

# The sums with noise, in units of the features. Of one cluster the count is the public number of rows or people, and
# `far` how many of them were shortened, where they were counted. Called inside draw_release() alone.
draw_query <- function(x, model, box, query, rng) noisy_query(query_sums(x, model, box, query), query, rng)

# The same as a question of an adaptive mechanism.
model_query <- function(model, box, query) {
  list(cost = c(rho = query$rho), statistic = function(x) query_sums(x, model, box, query),
       draw = function(sums, rng) noisy_query(sums, query, rng))
}

# `counted`: whether the noisy counts are those of clusters; of one cluster it is the public number of all rows.
noisy_query <- function(sums, query, rng, counted = ncol(sums) > 1) {
  noisy <- matrix(add_noise(as.vector(sums), query$scale, query$noise, rng), nrow(sums)) * query$unit
  dimension <- (sqrt(8 * nrow(sums) + 1) - 3) / 2 # there are (D + 1) (D + 2) / 2 numbers
  clusters <- ncol(sums)
  product <- array(0, c(dimension, dimension, clusters))
  upper <- upper.tri(diag(dimension), diag = TRUE)
  for (k in seq_len(clusters)) {
    P <- matrix(0, dimension, dimension)
    P[upper] <- noisy[-seq_len(1 + dimension), k]
    product[, , k] <- P + t(P) - diag(diag(P), dimension)
  }
  list(count = if (counted) noisy[1, ] else query$n, far = if (isTRUE(query$far)) noisy[1, ],
       sum = noisy[1 + seq_len(dimension), , drop = FALSE], product = product)
}

# ---- from a query to the next model ---------------------------------------------------

# What the second moments of a Gaussian of variance s become where rows are shortened to the length R: with r = R^2 / D,
# s P(chi2_(D+2) <= R^2 / s) + r P(chi2_D > R^2 / s).
shortened <- function(s, dimension, stretch = 1) {
  square <- dimension * stretch / s
  s * stats::pchisq(square, dimension + 2) + stretch * stats::pchisq(square, dimension, lower.tail = FALSE)
}

# What they must be multiplied by, where `t` is seen of them on average, to become those of the Gaussian, whose variance
# s is taken to be at most `most`: what is more is seen of little but noise. Measured: two queries at normal rows in a
# box of forty times their size come within 1 percent of their variance, where the factor of s = 1 gives half as much
# again. Components of mixtures take the factor of s = 1, which makes the model the rows came from a fixed point of soft
# shares.
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

# That of a query. Of all rows noise is answered on both sides of 1 in the same way: with most = 1 variances of 2000
# rows came out 7 percent too small where epsilon was .5.
lengthening_of <- function(query, t, dimension) {
  lengthening(t, dimension, query$stretch, if (isTRUE(query$far)) 2 else 1)
}

# The nearest symmetric matrix with eigenvalues between two bounds; of an array one for each of its matrices, each with
# its own `least`.
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

# The least that a refit of n rows may leave of a variance, for each n: about half of the norm of the noise on their
# covariance, within bounds, since noise must not make a direction much narrower.
least_left <- function(query, dimension, n) {
  pmin(pmax(query$left[1], left_by_noise(query, dimension, n)), query$left[2])
}

left_by_noise <- function(query, dimension, n) 0.5 * query$sd[2] * sqrt(dimension) / (n * query$kappa)

# Means `m` and covariances `C` that a query has seen of some clusters, in their coordinates: a column and a matrix for
# each of `places`.
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

# The refitted Gaussians of some clusters, from their coordinates before; `least`: as least_left() has it, of each.
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

# A count of the last rounds says nothing below this, beside its noise.
least_seen <- function(n) max(20, 0.005 * n)

# The same of queries of all rows.
least_global <- function(n) max(20, 0.01 * n)

# What a count must exceed for its cluster to be refitted.
seen_count <- function(query, least_count) if (isTRUE(query$far)) least_count else 3 * query$sd[1] + least_count

# Whether counts do, and, where all rows are one cluster and their number is known, whether noise leaves a third of a
# variance to be found.
clears_noise <- function(query, dimension, count, least_count) {
  seen <- count > seen_count(query, least_count)
  if (isTRUE(query$far)) seen & least_left(query, dimension, count) <= refit_limit else seen
}

# The part of a variance that noise may leave at most.
refit_limit <- 2 / 3

# No component is without weight: the count of one that saw nothing.
unseen_count <- function(least_count) max(1, least_count / 5)

# The next model. A cluster whose count does not clear its noise stays as it is; where it may be replaced, half of the
# heaviest takes its place if the noise allows for one of half its size.
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

# Cluster h becomes two, the second in the place of k, along its longest axis.
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

# Of several numbers the draws come one after the other, each drawn as by a call of its own.
draw_uniform <- function(n, rng) .Call(ffi_base_draw_units, as.double(n), kernel_options(rng))

# Many starts at once, drawn one by one: points of a ball, each of the next ones the farthest from those that were taken
# before. One column a center. A ball of radius sqrt(D) would be as wide as all rows are: 1.3 of it reaches the outer
# one of two rings, and costs normal clusters nothing.
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
    # on a lattice: the square of a difference is never too small for a double
    centers[[i]][] <- round(points[, taken] * 2^40) * 2^-40
  }
  centers
}

start_spread <- function(clusters, dimension) max(clusters^(-2 / dimension), 0.05)

# Centers in the coordinates of the one cluster of `global` become a model.
start_model <- function(global, centers) {
  dimension <- nrow(global$means)
  clusters <- ncol(centers)
  G <- matrix(global$covariances[, , 1], dimension)
  means <- global$means[, 1] + t(chol(G)) %*% centers
  S <- bound_eigenvalues(start_spread(clusters, dimension) * G, 1e-7, 4)
  list(weights = rep(1 / clusters, clusters), means = pmin(pmax(means, -1), 1),
       covariances = array(S, c(dimension, dimension, clusters)))
}

# Public numbers of the choice: digits of a score, and the factor of a step of it, of twelve significant bits so that
# its product with any difference of scores is exact. Scores of people, who weigh `weight`, may be larger than that, and
# are chosen from by draw_choice(), with `epsilon` and `sensitivity`.
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

# Rounded down to twelve significant bits.
short_factor <- function(factor) {
  unit <- 2^(binary_exponent(factor) - 11)
  floor(factor / unit) * unit
}

# One of several losses, whole numbers, by the exponential mechanism that was planned.
draw_least <- function(loss, choice, rng) {
  if (is.null(choice$factor)) return(draw_choice(-loss, choice$epsilon, choice$sensitivity, rng))
  .Call(ffi_cluster_choose, loss - min(loss), choice$factor, kernel_options(rng))
}

# By how much each start is likelier than the one cluster of `global`, summed over the rows in whole numbers.
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
