# How quantiles are found: what their releases ask of a method.

#' Methods of private quantiles
#'
#' Describes the methods of [private_quantile()]: the exponential mechanism on ranks, whose error is smaller for a few
#' quantiles, and noisy counts, which give intervals. Give the name of a method as a string.
#'
#' | method | finds | error of a median, in rows | intervals |
#' |---|---|---|---|
#' | `"exponential"` | a cell, more likely the nearer its rank is | `2.6 / epsilon` | of ranks |
#' | `"halving"` | the same for several: the middle one, then others on each side of it | | of ranks |
#' | `"counts"` | where noisy counts of the rows below points reach the rank | `12 / epsilon` | [confint()] |
#'
#' (Means of distances in rank, of skewed data in 2^16 cells.) Each of m quantiles has a part of the budget in the
#' first, so that its error grows as m (as the root of m with `rho`). Halving shares the budget among its levels, of
#' which there are as many as m has binary digits, and the noisy counts serve all. Without a
#' method the one is taken whose predicted error is smaller: for one quantile always the exponential mechanism, for
#' several halving, and for many, or few cells, the counts. Halving is for up to 2^25 rows, and for people of whom one
#' row is looked at; it alone is for tables that leave missing values out, since it aims at shares of as many rows as
#' there are, a number that may be private.
#'
#' @seealso [private_quantile()]
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' found <- private_quantile(income, c(0, 2e5), 0.5, epsilon = 1,
#'                           method = "counts")
#' confint(found)
#' @name quantile_methods
NULL

define_method("quantile_exponential")

define_method("quantile_halving")

define_method("quantile_counts")

# The method with the smallest error in rank, of public numbers alone: at `ranks`, different ones, in 2^bits cells.
choose_quantile_method <- function(cost, units, ranks, bits) {
  if (!units$complete) return(default_method("quantile", "halving"))
  error <- quantile_errors(cost, units, ranks, bits)
  # of one there is no part to share: counts would be no better where they seem to be, at much budget
  if (length(ranks) == 1 && !is.na(error[["exponential"]])) error <- error["exponential"]
  default_method("quantile", names(which.min(error)))
}

# Halving of one rank is the exponential mechanism.
quantile_errors <- function(cost, units, ranks, bits) {
  alone <- alone_rank_error(cost, units$n, length(ranks))
  c(exponential = alone, halving = if (length(ranks) == 1) alone else halving_rank_error(cost, units, ranks),
    counts = counts_rank_error(cost, length(ranks), bits))
}

# What is spent and how, a list of `cost` and `method`. A `delta` may be given up: epsilon alone keeps what was asked
# for, and is taken if its predicted error is smaller. `method`: the one that was asked for, or NULL.
choose_quantile_way <- function(cost, method, units, ranks, bits) {
  costs <- c(list(cost), if ("delta" %in% names(cost$measure)) list(new_cost(cost$measure["epsilon"])))
  ways <- lapply(costs, function(cost) {
    list(cost = cost, method = if (is.null(method)) choose_quantile_method(cost, units, ranks, bits) else method)
  })
  if (length(ways) == 1) return(ways[[1]])
  error <- vapply(ways, function(way) quantile_errors(way$cost, units, ranks, bits)[[method_name(way$method)]], 0)
  # without any prediction it is as it was asked for
  ways[[c(which.min(error), 1)[1]]]
}

# The public part of a plan: `units`, what check_public_units() gives, `ranks` and `bits` as above, `cells` those of the
# lattice. A list of `sensitivity`, `words` for the guarantee, `public` for it, `times`, how many mechanisms of bounded
# range share the budget, or NULL; and of `weight`, `noise` and what the method needs when it draws.
quantile_plan <- function(method, units, cost, ranks, bits, cells) UseMethod("quantile_plan")

# `statistic`: the counts of occupied cells. Gives `cell`, one for each of the plan's ranks, from 0, and all that a
# result has beside the quantiles.
quantile_draw <- function(method, plan, statistic, rng) UseMethod("quantile_draw")

quantile_noise <- function(method, plan) UseMethod("quantile_noise")
