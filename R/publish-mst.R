# Maximum spanning tree (McKenna, Miklau and Sheldon 2021): all single columns, and the pairs of a spanning tree that
# exponential mechanisms choose, each with a third of the budget. A graphical model is fitted to them. The proof is in
# inst/proofs/publish-tree.md.

#' Private synthetic data by a spanning tree of margins (MST)
#'
#' Makes [private_synthesis()] fit a graphical model of the noisy counts of all columns and of the pairs of columns that
#' form a tree. The exponential mechanism chooses the pairs. MST is the default of [private_synthesis()] for more than
#' 50 columns.
#'
#' Use it for tables with many columns if it must be fast. Use it also if `epsilon` is at most 0.1, you can spend a
#' `delta`, and columns are strongly associated. Tables in a database are treated like tables in memory.
#'
#' Codes of a column that cannot be told from noise are merged into one class. Within this class, codes do not depend on
#' other columns.
#'
#' @param ... Not used. Later arguments must be named.
#' @param workload `NULL`, or the margins that matter: a formula of columns, such as `~ clarity * price`, or a list of
#'   character vectors with at most five columns each. Only pairs that lie within one of these are measured. Columns
#'   that no chain of sets connects are independent. `NULL` stands for all pairs.
#' @param weights `NULL`, or a vector of positive numbers: the weights of the sets in `workload` (for a formula, of its
#'   terms that no other term contains, in their order).
#' @return A method: an object of class `c("synthesis_mst", "dptda_method")`, the list of its settings.
#' @section Budget:
#' The method takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`. Columns, choices, and pairs receive a third each.
#' If there is no choice between pairs, columns and pairs receive half each. With `epsilon` alone, noise is Laplace
#' noise.
#' @references
#' McKenna, R., Miklau, G. and Sheldon, D. (2021). Winning the NIST contest: a scalable and general approach to
#' differentially private synthetic data. *Journal of Privacy and Confidentiality* 11(3).
#' @seealso [private_synthesis()], `system.file("proofs", "publish-tree.md", package = "dptda")`
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' private_synthesis(people, schema, rho = 0.1, method = synthesis_mst())
#' @export
synthesis_mst <- function(..., workload = NULL, weights = NULL) {
  check_no_dots(...)
  workload <- check_workload(workload)
  new_method("synthesis_mst", workload = workload, weights = check_workload_weights(weights, workload))
}

define_method("synthesis_mst", synthesis_mst)

# Plans from public numbers: scopes (columns, then pairs), the scales of their noise, and how pairs are chosen.
plan_mst <- function(sizes, n, cost, units = check_public_units(n), workload = NULL) {
  d <- length(sizes)
  kind <- measure_noise(cost$spent)
  varied <- varied_columns(sizes)
  pairs <- if (is.null(workload)) scopes_of_two(varied) else only_columns(workload_pairs(workload$sets, d), varied)
  edges <- forest_size(pairs, d)
  parts <- mst_parts(edges, length(pairs) > edges)
  if ("choices" %in% names(parts)) cost <- with_choices(cost, parts[["choices"]])
  share <- useful_part(cost) / length(parts)
  scopes <- c(as.list(varied), pairs)
  check_table_cells(scope_cells(scopes, sizes))
  weight <- if (is.null(workload)) rep(1, length(pairs)) else workload_weight(pairs, workload, inside = TRUE)
  plan <- list(method = "mst", sizes = sizes, n = n, cost = cost, kind = kind,
               varied = varied, scopes = scopes, weight = weight, edges = edges, parts = parts,
               scale = margin_scale(share / length(varied), kind),
               pair_scale = if (edges > 0) margin_scale(share / edges, kind))
  # scales are at most 2^40, and distances are exact
  plan$person_weight <- units_weight(units, min(52 - log2(max(1, weight) * (4 * n + 1)),
                                             40 - log2(max(plan$scale, plan$pair_scale))))
  if (!"choices" %in% names(parts)) return(plan)
  # distances in integer counts are exact below this limit (score_unit())
  if (n * max(weight) >= 2^50) {
    stop_argument("x", "has more rows than `method = \"mst\"` supports, which must be fewer than 2^50",
                  if (max(weight) > 1) paste(" /", max(weight)), ".")
  }
  plan$epsilon <- choice_epsilon(share / edges, kind)
  plan$unit <- score_unit(n * plan$person_weight, weight, scope_cells(pairs, sizes), 0)
  plan
}

# Divides the budget into equal parts. If all pairs together form a forest, none need be chosen.
mst_parts <- function(edges, free) {
  names <- c("columns", if (free) "choices", if (edges > 0) "pairs")
  structure(rep(1 / length(names), length(names)), names = names)
}

scopes_of_two <- function(places) if (length(places) > 1) utils::combn(places, 2, simplify = FALSE)

#' @exportS3Method
method_mechanism.synthesis_mst <- function(method, domain, cost, rng, order = NULL) {
  plan <- plan_mst(domain$sizes, domain$n, cost, domain_units(domain), workload_places(method, domain$sizes))
  words <- paste0(noise_words(plan), " on margins of columns and of pairs",
                  if (!is.null(plan$unit)) ", exponential mechanism on pairs")
  public <- c(synthesis_public(domain, plan$person_weight, method = "mst"), workload_words(method))
  guarantee <- synthesis_guarantee(domain, plan$cost, split_cost(plan$cost, plan$parts), words, public,
                                   c(choices = plan$edges))
  synthesis_mechanism("mst", plan, domain, guarantee)
}

statistic_of.synthesis_mst <- function(plan, rows) joint_counts_all(weigh_rows(rows, plan$person_weight), plan$scopes)

draw_of.synthesis_mst <- function(plan, statistic, rng) draw_mst(statistic, plan, rng)

# Steps of a fit, which converges for pairs on a tree. On nine columns of a census (45,222 rows, epsilon 1), 300 steps
# leave the margins of two and three columns 3 percent farther from the rows.
tree_steps <- 1000

# Codes counted below this many times the scale are merged. Pairs are measured once, with more noise per column than
# in the first query.
mst_least <- 3

draw_mst <- function(counts, plan, rng) {
  start <- start_tree_model(counts, plan, mst_least, tree_steps, rng)
  model <- start$model
  steps <- start$steps
  if (plan$edges > 0) {
    pairs <- seq_along(plan$scopes)[-seq_along(plan$varied)]
    free <- !is.null(plan$unit)
    tree <- if (free) choose_tree(model, start$counts, plan, rng) else pairs
    for (place in tree) {
      model <- measure_scope(model, plan$scopes[[place]], start$counts[[place]], plan$pair_scale, rng,
                             plan$person_weight, plan$kind)
    }
    model <- fit_tree(model, tree_steps, kernel_progress("Fitting margins"))
    steps <- rbind(steps, if (free) scope_steps(plan, "choice", plan$scopes[tree], epsilon = plan$epsilon),
                   scope_steps(plan, "margin", plan$scopes[tree], plan$pair_scale))
  }
  list(model = model, steps = steps)
}

# Kruskal's algorithm: repeatedly chooses a pair of columns that are not yet connected. Returns places of scopes.
choose_tree <- function(model, counts, plan, rng) {
  d <- length(plan$varied)
  pairs <- plan$scopes[-seq_len(d)]
  scores <- score_scopes(model, pairs, counts[-seq_len(d)], plan$unit, plan$weight,
                         total = plan$n * plan$person_weight)
  sensitivity <- score_sensitivity(plan$weight, plan$unit, plan$person_weight)
  ends <- do.call(rbind, pairs)
  part <- seq_along(plan$sizes)
  chosen <- integer()
  for (i in seq_len(plan$edges)) {
    open <- which(part[ends[, 1]] != part[ends[, 2]])
    taken <- open[draw_choice(scores[open], plan$epsilon, sensitivity, rng)]
    chosen <- c(chosen, taken)
    joined <- part[ends[taken, ]]
    part[part == joined[2]] <- joined[1]
  }
  d + chosen
}

weakness_of.synthesis_mst <- function(plan) weak_counts(plan)

noise_of.synthesis_mst <- function(plan) {
  quantity <- c("each count of one column", if (plan$edges > 0) "each count of a pair of columns")
  noise_table(quantity, count_noise(plan$kind, c(plan$scale, plan$pair_scale), plan$person_weight))
}

example_of.synthesis_mst <- function(plan) {
  list(one_column_example("mst"), one_column_example("mst", epsilon = 2),
       one_column_example("mst", mu = 1), people_column_example("mst"))
}
