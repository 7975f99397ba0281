# Methods of private_quantile(): the choice of one, and the generics that each of them defines.

#' Methods for `private_quantile()`
#'
#' [private_quantile()] has three methods. The exponential mechanism on ranks is most accurate for one quantile, and
#' halving for several. Noisy counts are less accurate, but give intervals. Pass the name of a method as a string. By
#' default, the method with the smallest predicted error is used.
#'
#' | method | how a quantile is found | mean error of a median, in rows | intervals |
#' |---|---|---|---|
#' | `"exponential"` | draws a cell, more likely if its rank is nearer to the target | `2.6 / epsilon` | of ranks |
#' | `"halving"` | draws the middle quantile so, then the others on each side of it | | of ranks |
#' | `"counts"` | compares noisy counts of the rows below points with the rank | `12 / epsilon` | [confint()] |
#'
#' (Errors are mean distances in rank, for skewed data in 2^16 cells. For nine deciles at `epsilon = 1`, they are 12
#' rows with halving and 20 with counts.)
#'
#' @details
#' # Scaling of the methods
#' With `"exponential"`, each of m quantiles gets 1/m of the budget, so the error grows as m (as the square root of m
#' with `rho`). Halving divides the budget among its levels. The number of levels is the number of binary digits of m:
#' four for nine deciles. Noisy counts serve all quantiles at once. The default for one quantile is always
#' `"exponential"`; for several, it is halving; for many quantiles or few cells, it is counts.
#'
#' # Missing values
#' With `table_rows(x, missing = "omit")`, quantiles are taken over the values that are present. How many are present is
#' private and is not released. The targets are then fractions of the rows that are present, and `"counts"` does not
#' work. The accuracy in rank is the same. If few values may be present, release their number with [private_count()] and
#' compare it with the distance in rank that `print()` shows. The same holds if some of the `people` have no row.
#'
#' # Groups
#' With `by = list(sex = 1:2)`, each group has its own quantiles. The numbers of rows in the groups are private: noisy
#' counts are released first, with a tenth of the budget. A quantile is then aimed at a fraction of the rows of its
#' group. The noise in rank does not grow with the number of groups. For medians, it is that of one median without
#' groups; for quartiles it is 1.5 times as large.
#'
#' # Intervals for the population
#' With `interval = 0.95`, the quantile and the two ends of an interval are drawn together. The interval is in the units
#' of the data, and `confint(of = "population")` returns it. It costs nothing more, but the error in rank is twice as
#' large. The ends are farther out than without noise: for the median of 1,000 rows at `epsilon = 1`, by 2 ranks.
#'
#' The ranks of the ends assume that rows are spread evenly near them. `print()` states if they are proved for all data
#' instead, which takes many rows. If there are too few rows for an end, you get a warning of class
#' `dptda_warning_end` before any budget is spent, and the interval ends at the bound of the box.
#'
#' With `by`, ends are computed from the noisy count of a group, and the warning is about groups of average size. A
#' private number of values is such a group.
#'
#' # Limits of halving
#' Halving takes at most 2^25 rows. For people, it works only with `rows_of_person = "one"`.
#'
#' # Choice of counts
#' For a few quantiles, `"counts"` uses a binary search: each of its `bits` steps halves the cells that contain the
#' quantiles, all at once. For many quantiles, it uses a tree: each step divides these cells into smaller ones, and one
#' set of noisy counts serves all quantiles. Public numbers decide which one is used; `x$plan` records it.
#'
#' # Sensitivity
#' Halving works within parts of the data; a replaced row changes distances in rank in at most two parts per level. With
#' `"counts"`, a replaced row changes the counts of one step by at most 2 in the l1 norm, and by at most 2 in the
#' squared l2 norm. Both add up over the steps; a tree with a step that halves cells needs 2 more in the squared l2
#' norm.
#'
#' Weights of cells are integers with bounded ratios, and cells are drawn from their exact totals. With counts, noise is
#' added in integers, its scale is rounded up, and the cells of a step depend on the noisy counts of earlier steps and
#' on nothing else.
#'
#' # Fields of a release
#' A release `x` of any method has these fields besides `value`:
#'
#' * `probs`, `method`, `lattice`, and `cell`, the cells that were found, counted from 0.
#' * `noise`, in rows or people: the noise of counts, or, for kind `"exponential"`, the scale at which the weight of a
#'   cell falls with its distance in rank.
#' * With `"halving"`: `splits`, the public plan. For a private number of rows without halving: `shares`.
#' * With `interval`: `interval`, a list of `level`, of the cells `lower` and `upper` (-1 and the number of cells stand
#'   for the bounds of the box), and of `proved`, whether each end is proved for all data.
#' * With `"counts"`: `plan` (`method`, `"search"` or `"tree"`, and `split`, the bits of each step), and `counts`, a
#'   data frame of all released counts. Its columns are `step`, `cell`, `at` (a point between two cells), and `count`,
#'   the noisy number of rows, or people, below that point.
#'
#' @references
#' Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of
#' differentially private histograms through consistency. *Proceedings of the VLDB Endowment* 3,
#' 1021-1032.
#'
#' Qardaji, W., Yang, W. and Li, N. (2013). Understanding hierarchical methods for
#' differentially private histograms. *Proceedings of the VLDB Endowment* 6, 1954-1965.
#'
#' Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate
#' quantiles. *ICML*.
#' @seealso [private_quantile()], [plot.dptda_private_quantile()]
#' @examples
#' income <- stats::rlnorm(5000, 10, 0.6)
#' found <- private_quantile(income, c(0, 2e5), 0.5, epsilon = 1,
#'                           method = "counts")
#' confint(found)
#'
#' # a date, between public dates
#' joined <- as.Date("2015-01-01") + stats::rpois(1000, 1500)
#' private_median(joined, as.Date(c("2010-01-01", "2025-01-01")), epsilon = 1)
#' @name quantile_methods
NULL

define_method("quantile_exponential")

define_method("quantile_halving")

define_method("quantile_counts")

# Returns the method with the smallest error in rank, from public numbers: for different `ranks`, in 2^bits cells.
choose_quantile_method <- function(cost, units, ranks, bits) {
  error <- quantile_errors(cost, units, ranks, bits)
  if (!knows_sizes(units)) return(default_method("quantile", c(names(which.min(error)), "exponential")[1]))
  # one rank does not share the budget: counts only seem to be better there, with a large budget
  if (length(ranks) == 1 && !is.na(error[["exponential"]])) error <- error["exponential"]
  default_method("quantile", names(which.min(error)))
}

# Returns the error of each method. For one rank, halving is the exponential mechanism.
quantile_errors <- function(cost, units, ranks, bits) {
  if (!knows_sizes(units)) {
    return(c(exponential = shares_rank_error(cost, units, ranks), halving = halving_rank_error(cost, units, ranks)))
  }
  alone <- alone_rank_error(cost, units$n, length(ranks))
  c(exponential = alone, halving = if (length(ranks) == 1) alone else halving_rank_error(cost, units, ranks),
    counts = counts_rank_error(cost, length(ranks), bits))
}

# Returns the `cost` and the `method` of a release. A `delta` may be dropped: epsilon alone also keeps the guarantee,
# and is used if its predicted error is smaller. `method`: the requested method, or NULL.
choose_quantile_way <- function(cost, method, units, ranks, bits) {
  costs <- c(list(cost), if ("delta" %in% names(cost$measure)) list(new_cost(cost$measure["epsilon"])))
  ways <- lapply(costs, function(cost) {
    list(cost = cost, method = if (is.null(method)) choose_quantile_method(cost, units, ranks, bits) else method)
  })
  if (length(ways) == 1) return(ways[[1]])
  error <- vapply(ways, function(way) quantile_errors(way$cost, units, ranks, bits)[[method_name(way$method)]], 0)
  # without any prediction, the request is kept
  ways[[c(which.min(error), 1)[1]]]
}

# Returns the public part of a plan: `sensitivity`, `words` and `public` for the guarantee, `times` (how many mechanisms
# of bounded range share the budget, or NULL), `weight`, `noise`, and values for the draw. `units`: the result of
# check_public_units(). `ranks` and `bits`: as above. `cells`: the number of cells of the lattice.
quantile_plan <- function(method, units, cost, ranks, bits, cells) UseMethod("quantile_plan")

# Returns `cell`, one for each rank of the plan, from 0, and the fields of the result besides the quantiles.
# `statistic`: the counts of occupied cells.
quantile_draw <- function(method, plan, statistic, rng) UseMethod("quantile_draw")

quantile_noise <- function(method, plan) UseMethod("quantile_noise")
