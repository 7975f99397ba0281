# Maximum spanning tree (McKenna, Miklau and Sheldon 2021): all columns one by one, the pairs of a spanning tree that is chosen
# by exponential mechanisms, each with a third of rho, and the graphical model that fits them. The proof is in
# inst/proofs/publish-tree.md.

# All that is public: the scopes, columns first and pairs then; the scales of their noise; how pairs are chosen.
plan_mst <- function(sizes, n, spent) {
  d <- length(sizes)
  check_tree_budget(spent, "mst")
  share <- useful_rho(spent$rho * look_margin) / if (d == 1) 1 else 3
  pairs <- if (d > 1) utils::combn(d, 2, simplify = FALSE)
  check_table_cells(scope_cells(c(as.list(seq_len(d)), pairs), sizes))
  plan <- list(method = "mst", sizes = sizes, n = n, spent = spent, scopes = c(as.list(seq_len(d)), pairs),
               scale = margin_scale(share / d))
  if (d == 1) return(plan)
  # a distance in whole counts is exact up to there
  if (n > 2^50) stop_argument("data", "has more rows than distances can be counted in: with `method = \"mst\"` at most 2^50.")
  plan$pair_scale <- margin_scale(share / (d - 1))
  plan$epsilon <- sqrt(8 * share / (d - 1))
  plan$unit <- score_unit(n, 1, scope_cells(pairs, sizes), 0)
  plan
}

mst_mechanism <- function(domain, spent, options, rng, ...) {
  plan <- plan_mst(domain$sizes, domain$n, spent)
  shares <- if (length(plan$sizes) == 1) c(columns = 1) else c(columns = 1 / 3, choices = 1 / 3, pairs = 1 / 3)
  words <- paste0("discrete Gaussian noise on margins of columns and of pairs",
                  if (length(plan$sizes) > 1) ", exponential mechanism on pairs")
  guarantee <- synthesis_guarantee(spent, split_budget(spent, shares), words, synthesis_public(domain, method = "mst"))
  synthesis_mechanism("mst", plan, domain, guarantee)
}

statistic_of.synthesis_mst <- function(plan, rows) joint_counts_all(rows, plan$scopes)

draw_of.synthesis_mst <- function(plan, seen, rng) draw_mst(seen, plan, rng)

# Steps of a fit: pairs on a tree are fitted until nothing is gained. On nine columns of a census (45,222 rows, epsilon 1) 300 steps
# leave the margins of two and three columns 3 percent farther from the rows.
tree_steps <- 1000

# Codes are a class if they were counted below this many times the scale: pairs are measured once, with more noise in a column than
# there was in the first look.
mst_least <- 3

draw_mst <- function(counts, plan, rng) {
  start <- start_tree_model(counts, plan, mst_least, tree_steps, rng)
  model <- start$model
  steps <- start$steps
  if (length(plan$sizes) > 1) {
    tree <- choose_tree(model, start$counts, plan, rng)
    for (place in tree) model <- measure_scope(model, plan$scopes[[place]], start$counts[[place]], plan$pair_scale, rng)
    model <- fit_tree(model, tree_steps, kernel_progress("Fitting margins"))
    steps <- c(steps, lapply(plan$scopes[tree], function(scope) scope_step(plan, "choice", scope, epsilon = plan$epsilon)),
               lapply(plan$scopes[tree], function(scope) scope_step(plan, "margin", scope, plan$pair_scale)))
  }
  list(model = model, steps = do.call(rbind, steps))
}

# Kruskal's algorithm: d - 1 times a pair of columns that are not yet connected. Gives places of scopes.
choose_tree <- function(model, counts, plan, rng) {
  d <- length(plan$sizes)
  pairs <- plan$scopes[-seq_len(d)]
  scores <- score_scopes(model, pairs, counts[-seq_len(d)], plan$unit)
  ends <- do.call(rbind, pairs)
  part <- seq_len(d)
  chosen <- integer()
  for (i in seq_len(d - 1)) {
    open <- which(part[ends[, 1]] != part[ends[, 2]])
    taken <- open[choose_scope(scores[open], score_sensitivity(1, plan$unit), plan$epsilon, rng)]
    chosen <- c(chosen, taken)
    joined <- part[ends[taken, ]]
    part[part == joined[2]] <- joined[1]
  }
  d + chosen
}
