# The rounds of a private mixture: the cost of each, the length to which it shortens rows, and how far it moves the
# model. Public numbers alone decide. The proof is in inst/proofs/cluster-query.md. The rules are not part of the proof;
# they come from simulations (inst/simulations/clusters-tails.R).

#' Accuracy of private mixtures
#'
#' [private_mixture()] refines a model in rounds. This page describes how the rounds share the budget, and how they
#' treat rows far from the mean of a component.
#'
#' # Use of the budget
#' With `features = "whitened"` (the default), each component has its own coordinates, in which the component of the
#' previous round is a standard Gaussian. The noise then has the size of the component, not of the box. The budget is
#' divided as follows:
#'
#' * A fifth goes to the mean and covariance of all rows, in three rounds. The third round gets half of this.
#' * A twentieth goes to the choice among 20 public starts in these coordinates, if there are several components.
#' * The rest goes to `rounds` rounds with `k` components. The last quarter of the rounds gets half of this.
#'
#' If the count of a component cannot be distinguished from noise, the component stays as it is or takes half of the
#' heaviest one. Means stay in the box. Eigenvalues of covariances stay between 10^-7 and 4 in the coordinates in which
#' the box is `[-1, 1]` on each side.
#'
#' With `features = "box"` and `assignment = "hard"`, the mechanism is DPMoG-hard of Byun and others with a corrected
#' sensitivity. Its `rounds` rounds begin at random points of the box and share the whole budget equally. No round is
#' averaged with the previous model.
#'
#' # Heavy tails and many rounds
#' In each round, rows are shortened to a maximal length about the mean of each component. For `D` columns, this length
#' is at least `sqrt(D)` standard deviations of the component. It is longer if the noise of a variance, for a component
#' of `n / k` rows, then stays below 6%. A larger budget therefore loses less of heavy tails.
#'
#' If this noise is above 7.5%, a round moves the model only part of the way to the new estimate. The noise of the model
#' is then the noise of an average over rounds, so many rounds are no noisier than few. Lengths and step sizes depend
#' only on public numbers: rows, columns, components, rounds, and budget. In simulations with `epsilon = 10`, 96 rounds
#' described new rows of heavy-tailed and uniform clusters as well as 12 rounds, or better
#' (`inst/simulations/clusters-tails.R`).
#' @seealso [private_mixture()]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' private_mixture(X, box, k = 2, rho = 0.5, rounds = 48)
#' @name mixture_accuracy
NULL

# ---- of all rows ----------------------------------------------------------------------------

# Three rounds with one component find the location and the width of all rows; the last one gets half of their budget. A
# round can reduce a variance by a factor of at most fifty. After only two rounds, components began too wide in columns
# with a few outliers, and became narrow only in blended rounds. The last round shortens rows less, as long as its noise
# of a variance stays below a fifth: components that begin within the bulk of the rows find long tails late.
global_queries <- function(n, dimension, rho, digits = NULL) {
  query <- function(rho, stretch = 1) {
    plan_query(n, dimension, rho, list(whitened = TRUE, hard = FALSE, stretch = stretch), 1, digits)
  }
  first <- query(rho / 4)
  if (is.null(first)) return(list(NULL))
  most <- min(farthest_global, 0.2 / variance_noise_at(1, n, dimension, rho / 2), longest_steps(first$bits))
  list(first, first, query(rho / 2, max(1, most)))
}

farthest_global <- 3

# ---- which queries ------------------------------------------------------------------------

# The last quarter gets half of the budget. Rounds in the coordinates of the box are all equal, as in the published
# method.
mixture_queries <- function(n, dimension, clusters, rho, rounds, options, digits = NULL) {
  if (is.null(rounds)) rounds <- mixture_rounds(n, dimension, clusters, rho, options)
  if (!options$whitened) {
    return(rep(list(plan_query(n, dimension, rho / rounds, options, clusters, digits)), rounds))
  }
  last <- max(1, round(rounds / 4))
  query <- function(rho) mixture_query(n, dimension, clusters, rho, rounds, options, digits)
  if (last == rounds) return(list(query(rho)))
  c(rep(list(query(rho / 2 / (rounds - last))), rounds - last), rep(list(query(rho / 2 / last)), last))
}

# 24 rounds find more than 12, unless noise blurs their first three quarters.
mixture_rounds <- function(n, dimension, clusters, rho, options) {
  if (options$whitened && variance_noise_at(1, n / clusters, dimension, rho / 2 / 18) <= 0.3) 24 else 12
}

mixture_query <- function(n, dimension, clusters, rho, rounds, options, digits) {
  plan <- function(stretch, blend) {
    plan_query(n, dimension, rho, c(options, list(stretch = stretch, blend = blend)), clusters, digits)
  }
  shortest <- query_bits(n, dimension, rho, c(options, list(stretch = 1)), clusters, digits)
  if (is.null(shortest)) return(NULL)
  noise <- function(stretch) variance_noise_at(stretch, n / clusters, dimension, rho)
  least <- min(1, least_rounds / rounds)
  most <- pmin(c(Inf, least_stretch(dimension)), longest_steps(shortest))
  stretch <- max(longest_stretch(dimension, 1, most, noise_of_rounds, noise, c(1, blended_noise(least))))
  plan(stretch, max(least, blend_of_noise(noise(stretch))))
}

# The largest noise of a variance, as a fraction of it, for a component of n / k rows in a round that chooses a longer
# length. Longer rows are worth this noise up to D + 2 sqrt(D), and not beyond.
noise_of_rounds <- 0.06

# The same for the model. If a round has more noise, it moves the model only part of the way to the new estimate, so
# that the model has the noise of a mean of rounds. All rounds together still go the whole way `least_rounds` times,
# because a model that moves slowly stays near its start.
noise_of_model <- 0.075
least_rounds <- 6

# The blend for which blended_noise(), times the noise of a round, is the noise of the model.
blend_of_noise <- function(noise) 2 * noise_of_model^2 / (pmax(noise, noise_of_model)^2 + noise_of_model^2)

# ---- printed words --------------------------------------------------------------------------

# The length to which each round shortens rows, in standard deviations of a component.
rounds_radius <- function(queries, dimension) sqrt(dimension * vapply(queries, `[[`, 0, "stretch"))

radius_words <- function(radius) {
  lengths <- unique(radius)
  strwrap(paste0("rows farther than ", count_of(format(lengths[1], digits = 2), "standard deviation"),
                 " from a component: shortened to that distance", if (length(lengths) > 1) {
                   paste0(" (", format(lengths[2], digits = 2), " in the last ",
                          count_of(sum(radius == lengths[2]), "round"), ")")
                 }), exdent = 2)
}

# ---- from a query to the next model ---------------------------------------------------------

# Blends the observed sums with those expected from the query's model (n rows of its own).
blend_seen <- function(seen, model, query) {
  if (query$blend == 1) return(seen)
  model_count <- (1 - query$blend) * query$n * model$weights
  identity <- as.vector(diag(query$kappa, nrow(model$means)))
  seen$count <- query$blend * seen$count + model_count
  seen$sum <- query$blend * seen$sum
  seen$product <- query$blend * seen$product + array(identity %o% model_count, dim(seen$product))
  seen
}
