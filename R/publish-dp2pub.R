# DP2-Pub (Jiang, Yu, Cheng, Pei, Pless and Yu 2023). The codes of every row are flipped, column by column. Second
# flips, for each cluster of columns, then restore the distribution that randomized response has blurred. The release
# consists of the rows after randomized response and of the network behind the clusters; the rest follows from these.
# The proof is in inst/proofs/publish-dp2pub.md.
#
# Rows in a database stay there. The exact joint counts of each cluster are queried, and as many rows as counted are
# flipped here, in portions. Only their new counts are kept. So rows of different clusters can no longer be matched.

#' Methods of private synthetic data without settings
#'
#' Describes the methods of [private_synthesis()] that have no settings: independent columns, and randomized response
#' (DP2-Pub). Give the name of a method as a string.
#'
#' # Comparison
#' In our comparisons (`vignette("replicate-alipourjeddi", package = "dptda")`), AIM came closest to tables of about
#' 10,000 rows at an `epsilon` of at least 0.4. With `epsilon` alone, classifiers learned most from AIM on three of the
#' four tables from which any method let them learn anything. At an `epsilon` of 0.1 or less, or with a few hundred
#' rows, no method was best on all tables, and `"margins"` was often as close as any.
#'
#' # Independent columns
#'
#' `"margins"` models each column by itself, from its noisy counts: rows are drawn from one-way margins. It keeps no
#' relation between columns. Use it as a baseline, if only single columns matter, or if the number of rows times
#' `epsilon` is small. Tables in a database give the same results as tables in memory.
#'
#' # Randomized response
#'
#' `"dp2pub"` flips the codes of every row, column by column. Second flips, for each cluster of columns, then restore
#' the estimated distribution of the codes. The clusters come from a private network, as in [synthesis_privbayes()].
#'
#' The method serves for comparison. Below an `epsilon` of about one for each column, it is nearly useless
#' (`vignette("replicate-alipourjeddi", package = "dptda")`). In contrast to the published method, a column joins a
#' cluster only if randomized response preserves some of the cluster's distribution, by a bound from public numbers.
#'
#' For a table in a database, R reads the joint counts of each cluster and flips codes as counts. Which row of one
#' cluster belongs to which row of another is then unknown, so rows are drawn from each cluster independently, and
#' associations between columns of different clusters are lost. In memory, a drawn row is a complete flipped row, which
#' keeps these associations as far as randomized response does.
#'
#' If people have several rows, this method uses one row per person: set `rows_of_person = "one"` in [table_rows()].
#'
#' @section Budget:
#' * `"margins"` takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`, in equal parts for the columns.
#' * `"dp2pub"` takes `epsilon` alone: 5% for the network, 95% for randomized response.
#' @references Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
#' *Advances in Neural Information Processing Systems* 33. <https://arxiv.org/abs/2004.00010>
#'
#' Jiang, H., Yu, H., Cheng, X., Pei, J., Pless, R. and Yu, J. (2023). DP2-Pub: differentially private high-dimensional
#' data publication with invariant post randomization. *IEEE Transactions on Knowledge and Data Engineering* 35(10).
#' @seealso [private_synthesis()], `system.file("proofs", "publish-dp2pub.md", package = "dptda")`
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' private_synthesis(people, schema, epsilon = 1, method = "margins")
#' private_synthesis(people, schema, epsilon = 4, method = "dp2pub")
#' @name synthesis_methods
NULL

synthesis_dp2pub <- function(..., theta = 4, score = c("distance", "information"), degree = NULL) {
  check_no_dots(...)
  new_network_method("synthesis_dp2pub", theta, score, degree)
}

define_method("synthesis_dp2pub", synthesis_dp2pub)

method_cost.synthesis_dp2pub <- function(method, epsilon, rho, delta = NULL, mu = NULL) {
  check_cost(epsilon, rho, delta, mu, takes = "epsilon",
             because = "method \"dp2pub\" flips codes and adds no Gaussian noise")
}

#' @exportS3Method
method_mechanism.synthesis_dp2pub <- function(method, domain, cost, rng, order = NULL) {
  refuse_people(domain_units(domain), "`method = \"dp2pub\"`")
  plan <- plan_dp2pub(domain, cost, method)
  if (any(plan$response < least_response & plan$sizes > 1)) {
    stop_argument("epsilon", "is too small for randomized response: it must be at least ", least_response,
                  " for each column.")
  }
  words <- paste0(if (!is.null(plan$choice)) "exponential mechanism on parents, ",
                  "randomized response on the codes of each row")
  public <- synthesis_public(domain, 1, method = "dp2pub", theta = method$theta, score = method$score,
                             degree = plan$degree, response = plan$response)
  parts <- structure(plan$parts, names = c("network", "randomized response"))
  guarantee <- synthesis_guarantee(domain, cost, parts, words, public, c(network = length(plan$varied) - 1))
  synthesis_mechanism("dp2pub", plan, domain, guarantee)
}

statistic_of.synthesis_dp2pub <- function(plan, rows) ready_source(rows)

draw_of.synthesis_dp2pub <- function(plan, statistic, rng) draw_dp2pub(statistic, plan, rng)

# Plans from public numbers: a network, and `response`, the epsilon of randomized response for each column. If no
# cluster can have two columns, which public numbers show, all of the budget is for randomized response.
plan_dp2pub <- function(domain, cost, options) {
  plan <- plan_network(domain, cost, options, "dp2pub")
  plan$response <- response_budget(plan)
  if (plan$degree == 0 || any_pair_told(plan$sizes[plan$varied], plan$response[plan$varied], plan$n)) return(plan)
  options$degree <- 0
  plan <- plan_network(domain, cost, options, "dp2pub")
  plan$response <- response_budget(plan)
  plan
}

# Codes flipped with a smaller epsilon cannot be restored in doubles.
least_response <- 1e-6

# Returns the epsilon of each column, in proportion to the square root of the logarithm of its number of codes, which is
# public. How columns are associated is private, and is not used. With 2^20, no code is flipped in practice.
response_budget <- function(plan) {
  weight <- sqrt(log(plan$sizes))
  if (sum(weight) == 0) return(0 * weight)
  pmin(plan$parts[["margins"]] * query_margin * weight / sum(weight), 2^20)
}

draw_dp2pub <- function(source, plan, rng) {
  network <- draw_network(source, plan, rng)
  clusters <- draw_clusters(network, plan$sizes, plan$response, plan$n, rng)
  list(model = randomize_source(source, plan, network, clusters, rng), steps = response_steps(plan, network))
}

randomize_codes <- function(codes, sizes, epsilon, rng) {
  .Call(ffi_publish_randomize_codes, codes, unname(sizes), unname(epsilon),
        kernel_options(rng, kernel_progress("Flipping codes")))
}

# Makes a model of flipped rows if rows have codes here, and of their counts otherwise.
randomize_source <- function(source, plan, network, clusters, rng) UseMethod("randomize_source")

randomize_source.default <- function(source, plan, network, clusters, rng)
  randomized_rows(source, plan, network, clusters, rng)

randomize_source.dptda_database_codes <- function(source, plan, network, clusters, rng) {
  randomized_counts(source, plan, network, clusters, rng)
}

randomized_rows <- function(source, plan, network, clusters, rng) {
  each <- plan$response
  randomized <- randomize_codes(unit_codes(source), plan$sizes, each, rng)
  codes <- randomized
  tell <- repeat_progress("Restoring codes")
  for (i in seq_along(clusters)) {
    cluster <- clusters[[i]]
    codes[, cluster] <- restore_cluster(randomized[, cluster, drop = FALSE], plan$sizes[cluster], each[cluster], rng)
    tell(i / length(clusters))
  }
  if (!is.null(person_of(source))) codes <- ordered_codes(codes)
  new_result(list(sizes = plan$sizes, n = plan$n, codes = codes, clusters = clusters, network = network),
             "dptda_randomized_model")
}

# Sorts flipped rows. People stand in the order of their first rows, so one row less could move all others. The sorted
# rows do not depend on where people stood.
ordered_codes <- function(codes) {
  codes[do.call(order, lapply(seq_len(ncol(codes)), function(j) codes[, j])), , drop = FALSE]
}

define_class("dptda_randomized_model", "private_synthesis()",
             sizes = are_sizes, n = is_row_count,
             codes = function(x) is.integer(x) && is.matrix(x) && !anyNA(x) && nrow(x) > 0, clusters = is.list,
             network = is.list,
             .valid = function(x) {
               ncol(x$codes) == length(x$sizes) && all(x$codes >= 0) && all(t(x$codes) < x$sizes) &&
                 are_clusters(x$clusters, x$sizes)
             })

# Checks that every column is in exactly one cluster.
are_clusters <- function(x, sizes) {
  all(vapply(x, are_places, NA, sizes)) && identical(sort.int(as.integer(unlist(x))), seq_along(sizes))
}

# Flips each row of a cluster separately, regardless of other clusters. So these counts have the distribution of
# counts of flipped rows.
randomized_counts <- function(source, plan, network, clusters, rng) {
  each <- plan$response
  counts <- Map(function(counts, cluster) {
    sizes <- plan$sizes[cluster]
    randomized <- turn_counts(counts, sizes, function(codes) randomize_codes(codes, sizes, each[cluster], rng))
    shares <- debias_shares(randomized / plan$n, sizes, each[cluster])
    turn_counts(randomized, sizes, function(codes) restore_rows(codes, shares, sizes, each[cluster], rng))
  }, joint_counts_all(source, clusters), clusters)
  new_result(list(sizes = plan$sizes, n = plan$n, clusters = clusters, counts = unname(counts), network = network),
             "dptda_randomized_counts")
}

define_class("dptda_randomized_counts", "private_synthesis()",
             sizes = are_sizes, n = is_row_count,
             clusters = is.list, counts = is.list, network = is.list,
             .valid = function(x) {
               fits <- function(cluster, counts) {
                 is_weights(counts) && length(counts) == prod(x$sizes[cluster]) && sum(counts) == x$n
               }
               are_clusters(x$clusters, x$sizes) && length(x$counts) == length(x$clusters) &&
                 all(mapply(fits, x$clusters, x$counts))
             })

# The counts after `turn`, which maps rows of codes to others. Handles one portion of rows at a time.
turn_counts <- function(counts, sizes, turn, portion = most_portion %/% length(sizes)) {
  after <- cumsum(counts)
  before <- after - counts
  turned <- double(length(counts))
  for (from in seq.int(0, ceiling(after[length(after)] / portion) - 1) * portion) {
    here <- which(after > from & before < from + portion)
    times <- pmin(after[here], from + portion) - pmax(before[here], from)
    codes <- turn(arrayInd(rep(here, times), sizes) - 1L)
    turned <- turned + tabulate(code_cells(codes, sizes), length(counts))
  }
  turned
}

# The number of codes in a portion.
most_portion <- 2^22

# The cells of rows of codes, from 1, the first column fastest.
code_cells <- function(codes, sizes) 1 + as.vector(codes %*% cumprod(c(1, sizes))[seq_along(sizes)])

# Draws disjoint sets of columns: a random one of the remaining columns, with its remaining parents, children, and
# parents of its children, smallest first. Each set must have few cells, and randomized response must not hide it.
draw_clusters <- function(network, sizes, each, n, rng) {
  clusters <- list()
  left <- order(draw_uniform(length(sizes), rng))
  while (length(left)) {
    near <- intersect(setdiff(unlist(Filter(function(scope) left[1] %in% scope, network)), left[1]), left)
    all <- c(left[1], near[order(sizes[near])])
    fits <- cumprod(as.double(sizes[all])) <= most_cluster_cells & cluster_noise(sizes[all], each[all], n) <=
      most_cluster_noise
    fits[1] <- TRUE
    cluster <- as.integer(all[fits])
    clusters <- c(clusters, list(cluster))
    left <- setdiff(left, cluster)
  }
  clusters
}

most_cluster_cells <- 1e4

# Total variation error of restored distributions, for the first column, the first two, and so on: at most about half
# the root of the number of cells times the sum of variances, a product over columns. With clusters by the network
# alone, as published, margins of two columns of a census (45,222 rows, nine columns) are 0.31 from the rows at
# epsilon 10, and 0.84 at epsilon 1.
cluster_noise <- function(sizes, epsilon, n) {
  chance <- flip_chances(sizes, epsilon)
  spread <- ((1 - chance$other)^2 + (sizes - 1) * chance$other^2) / (chance$stay - chance$other)^2
  sqrt(cumprod(ifelse(sizes > 1, sizes * spread, 1)) / n) / 2
}

most_cluster_noise <- 0.25

# Checks whether any two columns can form a cluster.
any_pair_told <- function(sizes, epsilon, n) {
  pairs <- utils::combn(seq_along(sizes), 2, function(pair) cluster_noise(sizes[pair], epsilon[pair], n)[2])
  any(pairs <= most_cluster_noise)
}

# Probabilities that a code stays, and that it becomes a given other code.
flip_chances <- function(size, epsilon) {
  other <- exp(-epsilon) / (1 + (size - 1) * exp(-epsilon))
  list(stay = 1 / (1 + (size - 1) * exp(-epsilon)), other = other)
}

# The distribution before randomized response. Inverts column by column, because the matrix of all combinations is a
# product. Then takes the nearest distribution without negative numbers.
debias_shares <- function(shares, sizes, epsilon) {
  cube <- array(shares, sizes)
  for (j in which(sizes > 1)) {
    chance <- flip_chances(sizes[[j]], epsilon[[j]])
    away <- seq_along(sizes)[-j]
    turned <- matrix(aperm(cube, c(j, away)), sizes[[j]])
    turned <- (turned - chance$other * rep(colSums(turned), each = sizes[[j]])) / (chance$stay - chance$other)
    cube <- aperm(array(turned, sizes[c(j, away)]), order(c(j, away)))
  }
  nearest_shares(as.vector(cube))
}

# The second randomization replaces each combination of a cluster's codes by a possible original, with its posterior
# probability. It treats the cluster as a whole, because separate columns would lose their association.
restore_cluster <- function(randomized, sizes, epsilon, rng) {
  counts <- joint_counts(list(sizes = sizes, n = nrow(randomized), codes = randomized), seq_along(sizes))
  restore_rows(randomized, debias_shares(counts / nrow(randomized), sizes, epsilon), sizes, epsilon, rng)
}

# `shares`: the distribution of the combinations before randomized response.
restore_rows <- function(randomized, shares, sizes, epsilon, rng) {
  may <- which(shares > 0)
  codes <- arrayInd(may, sizes)
  u <- draw_uniform(nrow(randomized), rng)
  rows <- split(seq_len(nrow(randomized)), code_cells(randomized, sizes))
  restored <- randomized
  for (some in rows) {
    was <- log(shares[may])
    for (j in seq_along(sizes)) was <- was - epsilon[[j]] * (codes[, j] - 1 != randomized[some[1], j])
    total <- cumsum(exp(was - max(was)))
    drawn <- 1 + findInterval(u[some] * total[length(total)], total[-length(total)])
    restored[some, ] <- codes[drawn, , drop = FALSE] - 1L
  }
  restored
}

response_steps <- function(plan, network) {
  choices <- network_steps(plan, network, NULL)
  spent <- plan$response[plan$varied]
  rbind(choices,
        synthesis_step(plan$cost, "randomized response", names(spent), unname(spent), epsilon = unname(spent)))
}

# Repeats all rows equally often, adds a random part of them to reach `nsim`, and shuffles.
#' @exportS3Method
draw_codes.dptda_randomized_model <- function(model, nsim, rng) {
  n <- nrow(model$codes)
  part <- order(draw_uniform(n, rng))[seq_len(nsim %% n)]
  places <- c(rep(seq_len(n), nsim %/% n), part)
  model$codes[places[order(draw_uniform(nsim, rng))], , drop = FALSE]
}

#' @exportS3Method
model_margin.dptda_randomized_model <- function(model, columns) joint_counts(model, columns) / nrow(model$codes)

#' @exportS3Method
model_edges.dptda_randomized_model <- function(model) scope_edges(model$clusters)

# Draws each combination of a cluster's codes in proportion to its count, with random rounding. Each cluster has
# another random order.
#' @exportS3Method
draw_codes.dptda_randomized_counts <- function(model, nsim, rng) {
  codes <- matrix(0L, nsim, length(model$sizes))
  for (i in seq_along(model$clusters)) {
    cell <- rep(seq_along(model$counts[[i]]), round_shares(model$counts[[i]], nsim, draw_uniform(1, rng)))
    cluster <- model$clusters[[i]]
    codes[, cluster] <- arrayInd(cell[order(draw_uniform(nsim, rng))], model$sizes[cluster]) - 1L
  }
  codes
}

# Integers that add up to n, each a share of n, rounded up or down. Its fraction is the probability of rounding up if
# u is uniform on (0, 1).
round_shares <- function(counts, n, u) {
  ends <- floor(cumsum(counts) * n / sum(counts) + u)
  ends[length(ends)] <- n
  diff(c(0, pmin(ends, n)))
}

# Multiplies margins of clusters, which are independent of each other.
#' @exportS3Method
model_margin.dptda_randomized_counts <- function(model, columns) {
  if (prod(model$sizes[columns]) > most_network_cells) stop_argument("columns", "have too many cells for one table.")
  joint <- 1
  order <- integer()
  for (i in seq_along(model$clusters)) {
    cluster <- model$clusters[[i]]
    own <- cluster[cluster %in% columns]
    if (length(own) == 0) next
    joint <- as.vector(outer(joint, sum_counts(model$counts[[i]], cluster, own, model$sizes) / model$n))
    order <- c(order, own)
  }
  sum_counts(joint, order, columns, model$sizes)
}

#' @exportS3Method
model_edges.dptda_randomized_counts <- function(model) scope_edges(model$clusters)

#' @exportS3Method
model_pairs.dptda_randomized_model <- function(model) joined_pairs(model, model$sizes)

#' @exportS3Method
model_pairs.dptda_randomized_counts <- function(model) joined_pairs(model, model$sizes)

# Drawn rows are complete flipped rows, so other pairs keep some association.
#' @exportS3Method
pair_words.dptda_randomized_model <- function(model, none) {
  paste(if (none) "Columns" else "Other pairs", "keep only the association that randomized response preserves")
}

# The probability that a code becomes another one.
noise_of.synthesis_dp2pub <- function(plan) {
  flip <- (plan$sizes - 1) / (exp(plan$response) + plan$sizes - 1)
  noise_lines(paste("codes of", names(plan$sizes)), "flipped with this probability", unname(flip))
}

# One row, both of whose codes change.
example_of.synthesis_dp2pub <- function(plan) {
  randomized <- function(model) as.double(model$codes %*% c(1, 2))
  list(synthesis_example("dp2pub", cbind(0, 0), cbind(1, 1), randomized, method = synthesis_dp2pub(theta = 1e-3),
                         epsilon = 2))
}
