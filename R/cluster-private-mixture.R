#' Private Gaussian mixture
#'
#' `private_mixture()` fits a mixture of Gaussians under differential privacy to rows in a public box. It makes a public
#' number of rounds over the rows. Each round assigns rows to the components of the previous model, adds exact noise to
#' the count, sums, and products of each component, and computes the next model from these.
#'
#' @details
#' # Rounds
#' By default, each component has its own coordinates, in which the component of the previous round is a standard
#' Gaussian. The noise then has the size of the component, not of the box. Each round shortens rows far from the mean of
#' a component, so heavy tails lose variance. [mixture_accuracy] describes the budget of each round and the lengths.
#'
#' # Several rows per person
#' With `table_rows(x, person = )`, each person has a total weight of one. The mixture describes a random row of a
#' random person. Shares of a row in the components are integer fractions of its weight, correct on average. With
#' thousands of rows per person, each row belongs to one component.
#'
#' @param x A numeric matrix or data frame with one row per point and one column per side of the box, or a database
#'   table ([table_rows()]). It must have at least one row. Columns are matched by name if both have names. Rows outside
#'   the box are moved to its nearest point, silently.
#' @param box The public box, from [domain_box()] or released by [private_bounds()], with 1 to 64 sides. For one column
#'   also a pair `c(lower, upper)`, for several a list of pairs named by column.
#' @param k An integer from 1 to 200: the number of components (public).
#' @param epsilon,rho One positive number. Supply `epsilon` together with `delta`, `rho`, the parameter of
#'   zero-concentrated differential privacy, or `mu`.
#' @param delta One number in (0, 1), together with `epsilon`. Choose it far below 1 / n.
#' @param rounds An integer, at least 1: the number of rounds with `k` components. By default 24 if their noise is
#'   small, otherwise 12. Only the numbers of rows, columns, and components and the budget decide this.
#' @param features `"whitened"` or `"box"`: uses the coordinates of each component, or those of the box.
#' @param assignment `"soft"` or `"hard"`: shares a row among components, or assigns it to the most probable one. The
#'   privacy cost is the same.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_mixture`, a list in the units of the data:
#'
#' * `weights`: `k` positive numbers that add up to one, decreasing.
#' * `means`: a matrix with one row per component and the column names of the data, if any.
#' * `covariances`: an array of symmetric positive definite matrices. The third index is the component.
#'
#' Computations on this object alone cost no further privacy.
#'
#' @section Privacy:
#' Unit: one row, or one person with all rows ([table_rows()]). Neighbors differ by replacing one unit; the number of
#' units is public.
#'
#' Sensitivity: in standard deviations of the noise, replacing a unit changes the numbers of a round that spends `r` of
#' `rho` by at most `sqrt(2 * r)` in Euclidean norm. This holds for every model, for soft and for hard assignment.
#'
#' Guarantee: exact (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy. The
#' contribution of each row is rounded to integers, and their bounds are enforced in integer arithmetic. Sums and noise
#' are integers, and noise scales are rounded up. Everything else uses released numbers only. All rounds are charged
#' before the first one.
#'
#' Not protected: running time, unless `options(dptda.release_time = )` is set ([dptda-package]). Missing values cause
#' an error before anything is spent; do not publish its message. `vignette("privacy-model", package = "dptda")`
#' explains these terms.
#'
#' @section Implementation:
#' Each round costs `nrow(x) * k * ncol(x)^2` operations, in R. Rows of a database are read once, in pieces, and kept.
#' Larger tables are read in each round ([table_rows()], section *Large tables*). In SQLite and PostgreSQL, all
#' readings are in one read-only transaction. If you have opened a transaction yourself, it decides which state is
#' read. With `person`, each reading also counts people and their weights. The proof is in `system.file("proofs",
#' "cluster-query.md", package = "dptda")`.
#'
#' @references
#' Biswas, S., Dong, Y., Kamath, G. and Ullman, J. (2020). CoinPress: practical private mean and
#' covariance estimation. *Advances in Neural Information Processing Systems* 33.
#' @seealso [mixture_accuracy], [private_covariance()], [cluster_morse()], [private_kmeans()], and
#'   `vignette("clusters", package = "dptda")`
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' fit <- private_mixture(X, box, k = 2, epsilon = 2, delta = 1e-6)
#' fit
#' fit$means
#' privacy(fit)
#' @export
private_mixture <- function(x, box, k, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                            rounds = NULL,
                            features = c("whitened", "box"), assignment = c("soft", "hard"), budget = NULL,
                            rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  box <- check_query_box(box)
  k <- check_count(k, 1, max_components)
  read <- function(x) check_point_rows(x, columns, box)
  make <- function(units, rows) {
    mixture_mechanism(units, box, rows$columns, k, epsilon, rho, delta, mu, rounds, features, assignment)
  }
  release(x, budget, rng, read, make, columns = check_public_columns(columns, box))
}

# `box` and `columns` were checked, by the rows or by a query at each.
mixture_mechanism <- function(n, box, columns, k, epsilon, rho, delta, mu, rounds, features, assignment) {
  units <- check_public_units(n, exact = TRUE)
  cost <- check_query_cost(epsilon, rho, delta, mu)
  if (!is.null(rounds)) rounds <- check_count(rounds, 1, 1000)
  features <- check_choice(features, c("whitened", "box"))
  assignment <- check_choice(assignment, c("soft", "hard"))
  cost <- with_choices(cost, mixture_shares(k, features == "whitened")[["choice"]])
  queries <- plan_at_one_weight(units, digits_of = query_digits, plan_at = function(digits) {
    mixture_plan(units$n, length(box$lower), k, cost, rounds, features == "whitened", assignment == "hard", digits)
  })
  queries_mechanism("private_mixture", units, columns, box, queries, cost)
}

max_components <- 200

#' Private covariance matrix and mean
#'
#' `private_covariance()` releases the mean and the covariance matrix of rows in a public box under differential
#' privacy. The noise has the size of the data, even if the box is much larger. Several rounds find this size: each
#' round works in the coordinates in which the previous estimate is standard.
#'
#' @details
#' # Accuracy
#' Each round shortens rows that are far from the mean. Heavy tails therefore lose variance, and means of skewed columns
#' are biased. `noise` does not include this: see [covariance_accuracy]. `print()` shows the fraction of shortened rows
#' beside the fraction for normal rows. [private_mean()] and [private_var()] use all rows.
#'
#' The first estimate is the middle of the box and the squares of half its sides. If no round is better than that, or if
#' rounds would not converge in a box of 5 standard deviations to each side, there is a warning of class
#' `dptda_warning_no_fit` before anything is spent ([weak_releases]).
#'
#' # Groups and missing rows
#' With `by`, each group has its own mean and covariance: see [covariance_groups]. Without `by`, rows with missing
#' values (`table_rows(x, missing = "omit")`) or people without rows make one group, whose size is private and counted.
#'
#' # Several rows per person
#' With `table_rows(x, person = )`, each person has a total weight of one. Mean and covariance are those of a random row
#' of a random person.
#'
#' @param rounds An integer, at least 1: the number of rounds. By default, the smallest number from 8 to 24 that
#'   converges in boxes of 1,000 standard deviations to each side. If none does, the number that comes closest is used;
#'   if no number of rounds can overcome the noise, one round. Only the numbers of rows and columns and the budget
#'   decide this.
#' @param by A list of public levels, named by columns of the table: one covariance per group ([covariance_groups]).
#' @inheritParams private_mixture
#'
#' @return An object of class `dptda_private_covariance`, a list in the units of the data that begins as
#' [stats::cov.wt()]:
#'
#' * `cov`, `center`, `n.obs`: the covariance matrix, the mean, and the public number of rows (or people).
#' * `noise`, `center_noise`: the standard deviations of the noise in `cov` and `center`, without the bias from
#'   shortened rows.
#' * `far`: the `share` of rows that the last round shortened, the standard deviation of its `noise`, its value for
#'   `gaussian` rows, and the `radius` to which rows were shortened, in standard deviations.
#' * `settled`: `FALSE` if the release shows that rounds have not converged.
#'
#' For results with `by`, or with a private number of rows, see [covariance_groups].
#' @inheritSection private_mixture Privacy
#' @section Implementation:
#' Each round costs `nrow(x) * ncol(x)^2` operations. Rows of a database are read as for [private_mixture()]. The proof
#' is in `system.file("proofs", "cluster-query.md", package = "dptda")`.
#' @references
#' Biswas, S., Dong, Y., Kamath, G. and Ullman, J. (2020). CoinPress: practical private mean and
#' covariance estimation. *Advances in Neural Information Processing Systems* 33.
#' @seealso [private_cor()], [covariance_accuracy], [plot.dptda_private_covariance()], [private_mixture()],
#'   [private_mean()]
#' @concept correlation
#' @examples
#' X <- cbind(height = stats::rnorm(2000, 1.7, 0.1),
#'            weight = stats::rnorm(2000, 70, 10))
#' X[, "weight"] <- X[, "weight"] + 60 * (X[, "height"] - 1.7)
#' body <- private_covariance(X, domain_box(c(0.5, 10), c(2.5, 200)), rho = 0.1)
#' body
#' cov2cor(as.matrix(body))
#' @export
private_covariance <- function(x, box, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                               rounds = NULL, by = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  box <- check_query_box(box)
  read <- function(x) check_covariance_rows(x, columns, box, by)
  make <- function(units, rows) {
    covariance_mechanism(units, box, summed_columns(rows, by), epsilon, rho, delta, mu, rounds, by)
  }
  release(x, budget, rng, read, make, columns = unread_columns(columns, box, by))
}

# Points with one column per side of the box. With `by`, the columns of groups follow.
check_covariance_rows <- function(x, columns, box, by, arg = deparse1(substitute(x))) {
  force(arg)
  x <- ungrouped_by(x, by, arg)
  if (!is.null(by) || is_omitting(x)) return(check_counted_rows(x, columns, box, by, arg))
  check_point_rows(x, columns, box, arg = arg)
}

# Without groups, the count is public, which requires a public total weight of the rows.
covariance_mechanism <- function(n, box, columns, epsilon, rho, delta, mu, rounds, by = NULL) {
  units <- check_public_units(n, omit = TRUE)
  axes <- by_axes(by, columns)
  # if the number of rows is private, they are counted as a single group
  if (is.null(axes) && !units$complete) axes <- list()
  cost <- check_query_cost(epsilon, rho, delta, mu)
  if (!is.null(rounds)) rounds <- check_count(rounds, 1, 1000)
  covariance_with(axes, units, columns, box, cost, rounds)
}

# `axes`: NULL, or the axes of groups (cluster-covariance-by.R). Other arguments were checked.
covariance_with <- function(axes, units, columns, box, cost, rounds) UseMethod("covariance_with")

covariance_with.NULL <- function(axes, units, columns, box, cost, rounds) {
  queries <- plan_at_one_weight(units, digits_of = query_digits, plan_at = function(digits) {
    covariance_plan(units$n, length(box$lower), cost, rounds, digits)
  })
  queries_mechanism("private_covariance", units, columns, box, queries, cost)
}

# The size that each component needs to be refitted, if all have equally many rows. (With many components, those below
# the 200th part of all rows are never refitted, whatever the noise.)
weakness_of.private_mixture <- function(plan) {
  k <- plan$queries$clusters
  each <- min(vapply(unique(plan$queries$queries), seen_count, 0, least_seen(0)))
  if (plan$n > k * each) return(NULL)
  weak_shares(plan$n, k, each, "component", plan$units)
}

# `each`: the number of rows that distinguishes a component from noise.
weak_shares <- function(n, k, each, noun, units) {
  shares <- c(" needs about ", name_units(format_count(ceiling(each)), units), " to stand out from noise, but ")
  weak("no_fit", if (k > 1) c("each ", noun, shares, "an equal share is ", format(n / k, digits = 2), ": most will ",
                              "stay where they begin")
       else c("the one ", noun, shares, "there are fewer: the release will be of little use"),
       least = floor(k * each) + 1, scales = FALSE)
}

# ---- public numbers --------------------------------------------------------------------

check_query_cost <- function(epsilon, rho, delta = NULL, mu = NULL) {
  check_cost(epsilon, rho, delta, mu, takes = c("delta", "rho", "mu"), because = "rounds have Gaussian noise")
}

max_query_dimension <- 64

# `sides`: the largest number of sides. Features of rows (src/core/cluster-query.c) have squared lengths that are exact
# doubles for up to 64 sides.
check_query_box <- function(box, arg = "box", sides = max_query_dimension) {
  box <- check_squared_box(box, "covariances", arg)
  check_side_count(length(box$lower), arg, sides, "products of more columns would not be exact integers")
  box
}

# `digits`: as for query_bits().
covariance_plan <- function(n, dimension, cost, rounds, digits = NULL) {
  rho <- cost$spent[["rho"]]
  chosen <- if (is.null(rounds)) covariance_rounds(n, dimension, rho, digits)
  plan <- list(clusters = 1, global = covariance_queries(n, dimension, rho, c(rounds, chosen), digits))
  if (!is.null(chosen)) plan$reach <- covariance_reach(n, dimension, rho, chosen, digits)
  check_plan(plan, cost)
}

# The binary digits of a person's weight, for each query.
query_digits <- function(plan) vapply(c(plan$global, plan$queries), function(query) query$bits[2], 0)

# The shares of the budget, see private_mixture(). A single component needs no choice.
mixture_shares <- function(clusters, whitened) {
  if (whitened) c(global = 0.2, choice = 0.05 * (clusters > 1)) else c(global = 0, choice = 0)
}

# `rounds`: NULL if public numbers choose them.
mixture_plan <- function(n, dimension, clusters, cost, rounds, whitened, hard, digits = NULL) {
  share <- mixture_shares(clusters, whitened)
  rho <- cost$spent[["rho"]]
  check_plan(list(
    clusters = clusters,
    global = if (whitened) global_queries(n, dimension, share[["global"]] * rho, digits),
    choice = if (share[["choice"]] > 0) {
      plan_choice(n, share[["choice"]] * rho, weight = if (!is.null(digits)) 2^digits)
    },
    queries = mixture_queries(n, dimension, clusters, (1 - sum(share)) * rho, rounds,
                              list(whitened = whitened, hard = hard), digits)
  ), cost)
}

# Public numbers decide whether a noise scale works.
check_plan <- function(plan, cost) {
  if (any(vapply(c(plan$global, plan$queries), is.null, NA))) refuse_much_noise(cost$measure)
  if (!is.null(plan$choice) && plan$choice$bits < 0) {
    stop_argument("x",
                  "must have at most 2^41 / 6 rows with `features = \"whitened\"` and several components.")
  }
  plan
}

plan_rhos <- function(plan) {
  rhos <- function(queries) vapply(queries, `[[`, 0, "rho")
  c(rhos(plan$global), plan$choice$rho, rhos(plan$queries))
}

# ---- the release -------------------------------------------------------------------------

# `name`: the name of the release. `queries`: as from mixture_plan().
queries_mechanism <- function(name, units, columns, box, queries, cost) {
  n <- units$n
  last <- queries$queries[[length(queries$queries)]]
  public <- c(list(n = n, box = box, k = queries$clusters, rho = cost$spent[["rho"]], queries = plan_rhos(queries),
                   seen = if (!is.null(last)) seen_count(last, least_seen(n)) / n),
              if (isTRUE(last$whitened)) list(radius = rounds_radius(queries$queries, length(box$lower))),
              weight_words(units, queries$weight))
  words <- paste0("rounded Gaussian noise on sums by cluster in ",
                  count_of(length(queries$global) + length(queries$queries), "round"),
                  if (!is.null(queries$choice)) ", exponential mechanism on starts")
  plan <- public_plan(c(name, "queries"), n = n, columns = columns, box = box, queries = queries,
                      units = units_noun(units$person))
  new_mechanism(plan, query_guarantee(cost, words, public, name, person = units$person), adaptive = cost$spent)
}

rows_for.queries <- function(plan, x) check_point_rows(x, if (is_table(x)) plan$columns, plan$box, arg = "x")

statistic_of.queries <- function(plan, rows) {
  fetch_rows(weigh_rows(rows, plan$queries$weight), count_rounds(plan$queries))
}

draw_of.queries <- function(plan, statistic, rng) draw_mixture(statistic, plan$box, plan$queries, plan$n, rng)

# Runs all queries under one progress bar, whose parts are as public as the plan. `ask`: the only access to the rows.
draw_mixture <- function(ask, box, plan, n, rng) {
  with_shared_bar("Rounds over the rows", count_rounds(plan), draw_mixture_queries(ask, box, plan, n, rng))
}

count_rounds <- function(plan) length(plan$global) + (!is.null(plan$choice)) + length(plan$queries)

# Runs the queries one after the other. Each uses only the previous model and the rows.
draw_mixture_queries <- function(ask, box, plan, n, rng) {
  dimension <- length(box$lower)
  model <- standard_model(dimension)
  least_count <- least_global(n)
  for (query in plan$global) {
    seen <- ask(model_query(model, box, query))
    model <- refit_model(replace(model, "last", list(c(seen, model["covariances"]))), seen, query, least_count)
  }
  if (!is.null(plan$choice)) model <- draw_start(ask, model, box, plan$clusters, plan$choice, rng)
  if (is.null(plan$global)) model <- box_start(dimension, plan$clusters, rng)
  rounds <- length(plan$queries)
  least_count <- least_seen(n)
  for (t in seq_len(rounds)) {
    query <- plan$queries[[t]]
    seen <- blend_seen(ask(model_query(model, box, query)), model, query)
    model <- refit_model(model, seen, query, least_count, replace = query$whitened && t <= 0.75 * rounds)
  }
  model
}

# Random points of the box.
box_start <- function(dimension, clusters, rng) {
  means <- matrix(2 * draw_uniform(dimension * clusters, rng) - 1, dimension)
  S <- diag(start_spread(clusters, dimension) / 3, dimension)
  list(weights = rep(1 / clusters, clusters), means = means, covariances = array(S, c(dimension, dimension, clusters)))
}

# Maps [-1, 1] on each side to the units of the data; columns become rows.
points_of_box <- function(points, box) {
  t(pmin(pmax(box$lower + (points + 1) * ((box$upper - box$lower) / 2), box$lower), box$upper))
}

to_data_units <- function(model, box, columns) {
  half <- (box$upper - box$lower) / 2
  means <- points_of_box(model$means, box)
  new_mixture(model$weights, means, model$covariances * as.vector(tcrossprod(half)), columns)
}

noise_of.queries <- function(plan) {
  queries <- c(plan$queries$global, plan$queries$queries)
  sizes <- vapply(queries, function(query) query$scale[1] * query$unit[1], 0)
  lines <- lapply(split(seq_along(queries), match(sizes, sizes)), function(same) {
    query <- queries[[same[1]]]
    which <- if (length(same) == 1) same else paste(range(same), collapse = " to ")
    quantity <- if (isTRUE(query$far)) "that are shortened, round" else "of a cluster, round"
    noise_table(paste("the", plan$units, quantity, which), new_noise("gaussian", query$scale[1], query$unit[1]))
  })
  last <- queries[[length(queries)]]
  if (isTRUE(last$far)) {
    quantity <- paste("a variance, in parts of it, round", length(queries))
    lines <- c(lines, list(noise_table(quantity, variance_noise(last))))
  }
  do.call(rbind, unname(lines))
}

result_of.private_covariance <- function(plan, drawn) {
  model <- to_data_units(drawn, plan$box, plan$columns)
  names <- if (!is.null(plan$columns)) list(plan$columns, plan$columns)
  sides <- rep(length(plan$box$lower), 2)
  covariance <- structure(model$covariances[, , 1], dim = sides, dimnames = names)
  half <- (plan$box$upper - plan$box$lower) / 2
  query <- plan$queries$global[[length(plan$queries$global)]]
  new_private_release(list(cov = covariance, center = model$means[1, ], n.obs = plan$n,
                           noise = structure(entry_noise(drawn$last, query) * tcrossprod(half), dimnames = names),
                           far = far_share(drawn$last, query),
                           settled = rounds_settled(drawn$last, query),
                           center_noise = structure(noise_of_center(drawn$last, query) * half, names = plan$columns)),
                      "dptda_private_covariance")
}

# Puts the heaviest component first, so that everything made from a mixture has one order.
result_of.private_mixture <- function(plan, drawn) {
  by_weight <- order(-drawn$weights)
  drawn <- list(weights = drawn$weights[by_weight], means = drawn$means[, by_weight, drop = FALSE],
                covariances = drawn$covariances[, , by_weight, drop = FALSE])
  mixture <- to_data_units(drawn, plan$box, plan$columns)
  class(mixture) <- c("dptda_private_mixture", class(mixture))
  mixture
}

define_class("dptda_private_mixture", "private_mixture()", .bare = is_made("dptda_mixture"))

#' @export
print.dptda_private_mixture <- function(x, ...) {
  check_valid(x, "dptda_private_mixture")
  print_release(x, {
    cat(count_of(length(x$weights), "component"), " in ", count_of(ncol(x$means), "column"), "\n", sep = "")
    shown <- utils::head(seq_along(x$weights), 20)
    lines <- show_places(mixture_lines(x, shown), 1 + seq_len(ncol(x$means)), privacy(x)$public$box)
    print(lines, digits = 3)
    if (ncol(x$means) > 4) cat("standard deviations: see summary()\n")
    if (length(x$weights) > 20) cat("... and", length(x$weights) - 20, "more\n")
    radius <- privacy(x)$public$radius # rounds in the box, and k-means, have none
    if (!is.null(radius)) cat(radius_words(radius), sep = "\n")
  })
}

# Means, and standard deviations beside them if there are few columns.
mixture_lines <- function(x, shown) {
  lines <- data.frame(weight = x$weights[shown], x$means[shown, , drop = FALSE])
  if (ncol(x$means) > 4) return(lines)
  names <- mixture_columns(x)
  sd <- sqrt(vapply(seq_along(names), function(j) x$covariances[j, j, shown], double(length(shown))))
  sd <- matrix(sd, length(shown), dimnames = list(NULL, paste("sd", names)))
  names(lines)[-1] <- paste("mean", names)
  cbind(lines, sd)
}

# One query, because later ones depend on the noise of earlier ones. With fewer rows, it would not exceed the noise.
example_of.private_covariance <- function(plan) {
  settings <- function(box) list(box = box, rho = 0.5, rounds = 1)
  part <- function(fit) c(fit$center, log(fit$cov))
  people <- example_crowd(-1, 1)
  list(release_example("covariance", "", matrix(rep(c(-1, 1), c(1, 59))), matrix(rep(1, 60)),
                       settings(domain_box(-1, 1)), part = part),
       release_example("covariance", "people", people$x, people$neighbor, settings(domain_box(c(x = -1), 1)),
                       part = part))
}

# Sixty people, one of whom has three rows, all at `from`; in the neighbor, two of them at `to`. All others are at 1.
example_crowd <- function(from, to) {
  crowd <- function(rows, place) {
    people_example(data.frame(x = c(rep(place, rows), rep(1, 59)), who = c(rep(1, rows), 2:60)))
  }
  list(x = crowd(3, from), neighbor = crowd(2, to))
}

example_of.private_mixture <- function(plan) {
  settings <- function(box, ...) list(box = box, k = 1, ..., rounds = 1)
  part <- function(fit) c(fit$means, log(fit$covariances))
  people <- example_crowd(-1, 1)
  points <- function(note, ...) {
    release_example("mixture", note, matrix(rep(c(-1, 1), c(1, 59))), matrix(rep(1, 60)),
                    settings(domain_box(-1, 1), ...), part = part)
  }
  list(points("", rho = 0.5), points("mu", mu = 1),
       release_example("mixture", "people", people$x, people$neighbor, settings(domain_box(c(x = -1), 1), rho = 0.5),
                       part = part))
}

# One query at fixed clusters: all counts, sums, and products, in integers.
query_mechanism <- function(model, box, query) {
  step_mechanism(c("cluster_query", "additive"), c(rho = query$rho), model = model, box = box, query = query,
                 noise = new_noise("gaussian", query$scale))
}

statistic_of.cluster_query <- function(plan, rows) as.vector(query_sums(rows, plan$model, plan$box, plan$query))

noise_target.cluster_query <- function(plan) "each number of a cluster"

# Corners of the box in two clusters, and rows at opposite ends of one cluster, in the direction in which the pair
# differs.
example_of.cluster_query <- function(plan) {
  corners <- list(rbind(c(-1, -1), c(1, -1)), rbind(c(1, 1), c(1, -1)))
  model <- list(weights = c(0.5, 0.5), means = cbind(c(-0.5, -0.5), c(0.5, 0.5)),
                covariances = array(diag(0.01, 2), c(2, 2, 2)))
  query <- function(note, whitened, hard) {
    mechanism <- query_mechanism(model, domain_box(c(-1, -1), c(1, 1)),
                                plan_query(2, 2, 0.5, list(whitened = whitened, hard = hard), 2))
    sums <- lapply(corners, function(rows) statistic_of(mechanism$plan, rows))
    way <- (sums[[2]] - sums[[1]]) / mechanism$plan$query$scale^2
    step_example(paste0("a round at clusters (", note, ")"), mechanism, corners[[1]], corners[[2]],
                 function(drawn) sum(way * drawn))
  }
  list(query("whitened, soft", TRUE, FALSE), query("whitened, hard", TRUE, TRUE), query("box, hard", FALSE, TRUE))
}
