# Covariances of the clusters of a private k-means, by rounds like those of private_covariance(). In all rounds, each
# row belongs to the nearest of the centers that the method released. A round uses the coordinates of each cluster that
# the previous round found, so that noise has the size of the cluster. Proof: inst/proofs/cluster-kmeans.md.

#' Private covariances of clusters
#'
#' Describes the covariances that [private_kmeans()] also releases with `covariance = TRUE`, one for each cluster. Each
#' center then moves to the noisy mean of its rows.
#'
#' The additional rounds work like the rounds of [private_covariance()], with fixed clusters, so the noise has the size
#' of the clusters. If noise allows, there are 8 to 24 rounds. They add `nrow(x) * ncol(x)^2` operations each.
#'
#' These rounds get a fraction of the budget equal to their fraction of all noisy statistics. Two rounds of covariances
#' and the rounds of the method are counted. A method other than [kmeans_lloyd()] counts as five rounds.
#'
#' `print()` reports the smallest standard deviation that can be detected. A cluster with too few rows keeps a public
#' covariance and has infinite `noise`. [as_mixture()] turns the result into a mixture of Gaussians with the same
#' guarantee, at no further privacy cost.
#'
#' @return The result of [private_kmeans()] has four further fields:
#'
#' * `covariances`: an array of positive definite matrices (the third index is the cluster).
#' * `noise`, `center_noise`: the standard deviations of the noise in `covariances` and `centers`.
#' * `narrowest`: the smallest standard deviation that the rounds of a cluster can find, in sides of the box.
#' @seealso [private_kmeans()], [private_mixture()]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' fit <- private_kmeans(X, box, k = 2, rho = 0.1, covariance = TRUE)
#' fit$covariances
#' as_mixture(fit)
#' @name kmeans_covariances
NULL

# ---- public numbers ------------------------------------------------------------------------------------------------

# Plans the number of rounds, and the length of rows, for clusters of n / k rows. The last round gets half of the cost.
# NULL if no noise scale works.
plan_cluster_covariances <- function(n, dimension, clusters, cost, digits = NULL) {
  each <- n / clusters
  query <- function(part, stretch) plan_cluster_query(n, dimension, share_cost(cost, part), stretch, digits)
  first <- function(rounds) query(1 / (2 * (rounds - 1)), least_stretch(dimension))
  rounds <- most_settled(each, dimension, function(rounds) {
    one <- first(rounds)
    if (!is.null(one) && each > group_clears(one$sd[1])) one
  })
  part <- if (rounds == 1) 1 else 1 / 2
  shortest <- query(part, least_stretch(dimension))
  if (is.null(shortest)) return(NULL)
  last <- query(part, cluster_stretch(each, dimension, share_cost(cost, part), shortest))
  earlier <- if (rounds > 1) first(rounds)
  if (is.null(last) || rounds > 1 && is.null(earlier)) return(NULL)
  c(rep(list(earlier), rounds - 1), list(last))
}

# As in last_stretch().
cluster_stretch <- function(each, dimension, cost, shortest) {
  least <- least_stretch(dimension)
  longest_stretch(dimension, least, max(least, longest_steps(shortest$bits)), 0.02, function(stretch) {
    if (!is_pure(cost)) return(variance_noise_at(stretch, each, dimension, cost$spent[["rho"]]))
    stretch * sqrt(2) * laplace_lengths(dimension)[3] /
      (each * cost$spent[["epsilon"]] * laplace_shares(dimension, stretch)[, 3])
  })
}

# One round: whitened, by hard assignment to public places. `least`: see covariance_query().
plan_cluster_query <- function(n, dimension, cost, stretch, digits = NULL) {
  options <- list(whitened = TRUE, hard = TRUE, lengthen = TRUE, stretch = stretch, least = 1e-10, nearest = TRUE)
  if (!is_pure(cost)) return(plan_query(n, dimension, cost$spent[["rho"]], options, 1, digits))
  options <- utils::modifyList(query_defaults, c(options, noise = "laplace"))
  l1 <- laplace_lengths(dimension) / as.vector(laplace_shares(dimension, stretch))
  total <- min(52 - log2(n * dimension), 39.5 - log2(max(l1) / cost$spent[["epsilon"]]))
  if (total < 0) return(NULL)
  weight <- if (is.null(digits)) 0 else min(digits, max(4, floor(total / 3)), floor(total))
  bits <- floor(min(20, (total - weight) / 2))
  scale <- noise_scale(cost$spent, l1 = l1 * 2^(bits * 0:2 + weight))
  new_query(options, n, dimension, cost$spent, c(bits, weight),
            rep(scale, c(1, dimension, dimension * (dimension + 1) / 2)))
}

# The change of the counts, sums, and products of a round if a row is replaced, in units of the features.
laplace_lengths <- function(dimension) c(2, 2 * dimension, dimension * (dimension + 1))

# Shares of epsilon for these, one row per stretch. They minimize the expected loss of the refitted Gaussians.
laplace_shares <- function(dimension, stretch = 1) {
  l1 <- laplace_lengths(dimension)
  weight <- c(1 / 2 + dimension / 4, dimension / 2, dimension * (dimension + 1) / 8)
  share <- cbind((weight[1] * l1[1]^2)^(1 / 3), (weight[2] * l1[2]^2 * stretch)^(1 / 3),
                 (weight[3] * l1[3]^2 * stretch^2)^(1 / 3))
  share / rowSums(share) * query_margin
}

# ---- rounds --------------------------------------------------------------------------------------------------------

# Rounds begin at Gaussians of a public size at the centers. `size`: with one cluster, the public number of rows or
# people.
draw_cluster_covariances <- function(rows, centers, box, queries, rng) {
  dimension <- nrow(centers)
  clusters <- ncol(centers)
  state <- start_groups(dimension, clusters)
  state$model <- kmeans_model(centers)
  for (query in queries) {
    model <- c(state$model, list(nearest = centers))
    state <- refit_groups(state, draw_query(rows, model, box, query, rng), query, refit_limit)
  }
  list(centers = state$model$means, size = pmax(state$size, 0), covariances = state$model$covariances,
       noise = state$noise$cov, center_noise = t(state$noise$center),
       narrowest = sqrt(pmax(kmeans_spread(clusters, dimension) * vapply(state$least, least_of_rounds, 0),
                             queries[[1]]$least)))
}

kmeans_spread <- function(clusters, dimension) start_spread(clusters, dimension) / 3

# Gaussians of a public size at the centers.
kmeans_model <- function(centers) {
  dimension <- nrow(centers)
  k <- ncol(centers)
  S <- diag(kmeans_spread(k, dimension), dimension)
  list(weights = rep(1 / k, k), means = centers, covariances = array(S, c(dimension, dimension, k)))
}

# The smallest fraction of its first variances that the rounds of a cluster can reach, as in settled_reach(). The last
# rounds find the shape.
least_of_rounds <- function(least) prod(part_of_round(utils::head(sort(least), -rounds_of_shape)))

# ---- printed words -------------------------------------------------------------------------------------------------

# Clusters whose variances were estimated.
seen_covariances <- function(x) apply(is.finite(x$noise), 3, all)

# Rounds find no standard deviation below `narrowest`, in sides of the box. Values near it may be smaller.
covariance_words <- function(x) {
  if (is.null(x$covariances)) return(character())
  seen <- seen_covariances(x)
  percent <- function(part) format(100 * part, digits = 2)
  width <- x$box$upper - x$box$lower
  least <- vapply(which(seen), function(k) {
    sqrt(min(eigen(x$covariances[, , k] / tcrossprod(width), symmetric = TRUE, only.values = TRUE)$values))
  }, 0)
  narrow <- which(seen)[least < 2 * x$narrowest[seen]]
  c(if (any(seen)) {
    paste0("covariances: standard deviations below ", percent(max(x$narrowest[seen])), "% of a side of the box ",
           "cannot be detected",
           if (length(narrow)) paste0(" (", name_clusters(narrow), " may be narrower than shown)"))
  }, if (!all(seen)) {
    paste0("covariances of ", name_clusters(which(!seen)), " (too few rows for this budget): public, with standard ",
           "deviations of ", percent(sqrt(kmeans_spread(x$k, ncol(x$centers))) / 2), "% of a side")
  })
}

name_clusters <- function(which) paste(if (length(which) == 1) "cluster" else "clusters", first_few(which))
