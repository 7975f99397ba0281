# Lloyd's algorithm by private queries. In each round, rows are assigned to the nearest previous center, and the counts
# and coordinate sums of the clusters are released. Proof: inst/proofs/cluster-kmeans.md.

#' Private k-means by Lloyd's algorithm (DPLloyd)
#'
#' `kmeans_lloyd()` makes [private_kmeans()] run Lloyd's algorithm with noise, the default for a single cluster. In each
#' of a few rounds, every row is assigned to its nearest center. The noisy counts and coordinate sums of the clusters
#' give the next centers.
#'
#' Rounds begin at random centers far apart in the box. A center stays where it is if its count does not exceed the
#' noise. The method works for any number of columns, with rows in memory or in a database.
#'
#' The random start may miss clusters at any budget, since Lloyd's algorithm stops at the nearest local minimum. Method
#' `"grid"` begins at centers from a private histogram instead. The noise has the size of the box. For noise of the size
#' of the clusters, use [private_mixture()].
#'
#' @param ... Not used. Later arguments must be named.
#' @param rounds `NULL`, or an integer from 1 to 1000: the number of rounds. By default one round for a single cluster,
#'   otherwise two to seven, chosen by the public numbers of rows and columns, `k`, and the budget.
#' @return A method: an object of class `c("kmeans_lloyd", "dptda_method")`, the list of its settings.
#' @section Budget:
#' The method takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`, in equal parts for the rounds.
#' @references Blum, A., Dwork, C., McSherry, F. and Nissim, K. (2005). Practical privacy: the SuLQ framework. *ACM
#' Symposium on Principles of Database Systems*, 128-138.
#'
#' Su, D., Cao, J., Li, N., Bertino, E., Lyu, M. and Jin, H. (2017). Differentially private k-means clustering and a
#' hybrid approach to private optimization. *ACM Transactions on Privacy and Security* 20, 16.
#' @seealso [private_kmeans()], [kmeans_methods]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' private_kmeans(X, domain_box(c(-8, -8), c(8, 8)), k = 2, epsilon = 1,
#'                method = kmeans_lloyd(rounds = 3))
#' @export
kmeans_lloyd <- function(..., rounds = NULL) {
  check_no_dots(...)
  new_method("kmeans_lloyd", rounds = if (!is.null(rounds)) check_count(rounds, 1, 1000))
}

define_method("kmeans_lloyd", kmeans_lloyd, in_database = TRUE)

# As many rounds as the whole cost allows, not only the part that covariances leave.
method_settled.kmeans_lloyd <- function(method, n, dimension, k, cost) {
  if (is.null(method$rounds)) method$rounds <- lloyd_rounds(n, dimension, k, cost)
  list(method = method, queries = method$rounds)
}

method_plan.kmeans_lloyd <- function(method, n, box, k, cost, digits = NULL) {
  plan_kmeans_lloyd(n, box, k, cost, method$rounds, digits)
}

method_draw.kmeans_lloyd <- function(method, statistic, box, k, plan, rng) {
  draw_kmeans_lloyd(statistic$rows, box, k, plan, rng)
}

# The fraction of a round's epsilon for a count, relative to a coordinate: c of Su and others.
lloyd_factor <- function(dimension) (4 * dimension * 0.225^2)^(1 / 3)

# From 2 to 7 rounds, as many as leave each round the noise that centers need to improve. `least` is the constant of Su
# and others, for epsilon under "add or remove one row", where the same noise costs half. The noise of a sum is then 2
# ((D + c) / least)^2. For Gaussian noise it is 2 D / rho in each round, with the same bound. A single cluster needs one
# query.
lloyd_rounds <- function(n, dimension, clusters, cost) {
  if (clusters == 1) return(1)
  count <- lloyd_factor(dimension)
  least <- sqrt(500 * clusters^3 / n^2 * (dimension + count)^3)
  rounds <- if (measure_noise(cost$spent) == "laplace") {
    cost$spent[["epsilon"]] / 2 / least
  } else {
    cost$spent[["rho"]] * (dimension + count)^2 / (dimension * least^2)
  }
  min(max(floor(rounds), 2), 7)
}

# Sensitivities of a count and of a sum, as fractions of the whole budget and in units of the features: `l1`, or the
# squares of `l2`. Giving half of a round's rho to counts and half to sums is best for every center.
lloyd_sensitivity <- function(dimension, clusters, rounds, noise) {
  if (noise == "laplace") {
    # nothing is spent on the count of one cluster
    count <- if (clusters == 1) 0 else lloyd_factor(dimension)
    return(2 * rounds * c((dimension + count) / (if (count > 0) count else 1), dimension + count) / query_margin)
  }
  4 * rounds * c(1, dimension) / query_margin
}

plan_kmeans_lloyd <- function(n, box, k, cost, rounds = NULL, digits = NULL) {
  dimension <- length(box$lower)
  noise <- measure_noise(cost$spent)
  spent <- cost$spent
  if (is.null(rounds)) rounds <- lloyd_rounds(n, dimension, k, cost)
  sensitivity <- lloyd_sensitivity(dimension, k, rounds, noise)
  # for a whole feature, without binary digits
  scale <- if (noise == "laplace") sensitivity / spent else sqrt(sensitivity / (2 * spent))
  total <- floor(min(52 - log2(n), 39.5 - log2(scale[2])))
  if (total < 0 || scale[1] > 2^39) refuse_much_noise(cost$measure)
  bits <- sum_bits(total, digits)
  weight <- sum_weight(digits, total - bits, scale[1])
  in_steps <- function(x) if (noise == "laplace") x else x^2
  sensitivity <- sensitivity * in_steps(weight * c(1, 2^bits))
  scale <- noise_scale(spent, l1 = sensitivity, l2_squared = sensitivity)
  unit <- c(1, 2^-bits) / weight
  sd <- noise_sd(scale, noise) * unit * c(k > 1, 1)
  least <- least_of_sums(sd)
  list(rounds = rounds, noise = noise, bits = bits, weight = weight, scale = rep(scale, c(1, dimension)),
       unit = rep(unit, c(1, dimension)), n = n,
       steps = cost_steps(paste("round", seq_len(rounds)), spent / rounds),
       words = paste0(noise_names[[noise]], " noise on counts and sums by cluster in ",
                      count_of(rounds, "round")),
       stated = c(cluster = scale[1]), means = bits, parts = rounds, least = least, least_all = least, sd = sd)
}

# Binary digits of a row's number: twenty, or as many as there is room for, with four left for a person's weight.
sum_bits <- function(total, digits) {
  if (is.null(digits)) min(20, total) else max(min(1, total), min(20, total - 4))
}

# The weight of a unit in sums: one for rows, and for people at most 2^digits, if sums leave this room and the noise
# scale of a count, `count`, stays below 2^40.
sum_weight <- function(digits, room, count) {
  if (is.null(digits)) 1 else 2^max(0, floor(min(digits, room, 39.5 - log2(count))))
}

cost_steps <- function(step, cost) {
  steps <- data.frame(step = step, cost = unname(cost))
  names(steps)[2] <- names(cost)
  steps
}

noise_sd <- function(scale, noise) if (noise == "laplace") sqrt(2) * scale else scale

# `least` of a plan, from its `sd`: a count exceeds three standard deviations, and a mean is within half a side.
least_of_sums <- function(sd) max(3 * sd[1], sd[2])

# The exact counts and sums in whole steps, one column per center.
lloyd_sums <- function(x, centers, box, plan) {
  sum_over(x, function(rows) {
    .Call(ffi_cluster_means, row_points(rows), row_weights(rows),
          list(lower = box$lower, upper = box$upper, mean = centers), plan$bits,
          kernel_options(progress = kernel_progress("A round over the rows")))
  })
}

# One query: noisy counts, and noisy sums in units of the features. With a single cluster, the count is the public
# number of rows or people.
draw_lloyd_query <- function(x, centers, box, plan, rng) {
  sums <- lloyd_sums(x, centers, box, plan)
  if (ncol(centers) == 1) {
    noisy <- add_noise(sums[-1, 1], plan$scale[-1], plan$noise, rng) * plan$unit[-1]
    return(list(count = plan$n, sum = matrix(noisy)))
  }
  noisy <- matrix(add_noise(as.vector(sums), plan$scale, plan$noise, rng), nrow(sums)) * plan$unit
  list(count = noisy[1, ], sum = noisy[-1, , drop = FALSE])
}

# A center whose count does not exceed the noise stays unchanged.
move_centers <- function(centers, seen, plan) {
  sd <- if (ncol(centers) == 1) 0 else noise_sd(plan$scale[1] / plan$weight, plan$noise)
  kept <- which(seen$count > max(3 * sd, 0.5))
  moved <- seen$sum[, kept, drop = FALSE] / rep(seen$count[kept], each = nrow(centers))
  centers[, kept] <- pmin(pmax(moved, -1), 1)
  centers
}

draw_kmeans_lloyd <- function(rows, box, k, plan, rng) {
  centers <- draw_spread(k, length(box$lower), rng)
  for (round in seq_len(plan$rounds)) {
    seen <- draw_lloyd_query(rows, centers, box, plan, rng)
    centers <- move_centers(centers, seen, plan)
  }
  list(centers = centers, size = pmax(seen$count, 0))
}

# A public start: points of the box at distance `s` from its border and 2 `s` from each other, with the largest s = 1,
# 1/2, 1/4, ... for which they are found. Each s starts again after a hundred consecutive points that did not fit.
draw_spread <- function(clusters, dimension, rng) {
  s <- 1
  repeat {
    centers <- try_spread(clusters, dimension, s, rng)
    if (!is.null(centers)) return(centers)
    s <- s / 2
  }
}

try_spread <- function(clusters, dimension, s, rng) {
  centers <- matrix(0, dimension, 0)
  while (ncol(centers) < clusters) {
    tried <- matrix((1 - s) * (2 * draw_uniform(100 * dimension, rng) - 1), dimension)
    fits <- function(j) all(colSums((centers - tried[, j])^2) >= 4 * s^2)
    j <- Position(fits, 1:100)
    if (is.na(j)) return(NULL)
    centers <- cbind(centers, tried[, j])
  }
  centers
}

# A round at fixed centers.
lloyd_mechanism <- function(n, box, centers, measure) {
  plan <- plan_kmeans_lloyd(n, box, ncol(centers), new_cost(measure), rounds = 1)
  step_mechanism(c("lloyd_query", "additive"), measure, box = box, centers = centers, round = plan,
                 noise = new_noise(plan$noise, plan$scale))
}

statistic_of.lloyd_query <- function(plan, rows) as.vector(lloyd_sums(rows, plan$centers, plan$box, plan$round))

noise_target.lloyd_query <- function(plan) "each number of a cluster"

# A row moves from one cluster to the other, from corner to corner. Returns the log ratio of the probabilities of counts
# and sums, which contain all information of the release.
example_of.lloyd_query <- function(plan) {
  query <- function(note, measure) {
    x <- matrix(c(-1, 1))
    neighbor <- matrix(c(1, 1))
    mechanism <- lloyd_mechanism(2, domain_box(-1, 1), cbind(-1, 1), measure)
    from <- statistic_of(mechanism$plan, x)
    to <- statistic_of(mechanism$plan, neighbor)
    noise <- mechanism$plan$noise
    loss <- function(noisy) {
      away <- function(center) (noisy - center) / noise$scale
      if (noise$kind == "laplace") sum(abs(away(from)) - abs(away(to))) else sum(away(from)^2 - away(to)^2) / 2
    }
    step_example(paste0("a round of k-means (", note, ")"), mechanism, x, neighbor, loss)
  }
  list(query("epsilon", c(epsilon = 1)), query("rho", c(rho = 0.5)))
}
