# Graphical models of coded tables, fitted to noisy margins of a few sets of columns (*scopes*), for MST and AIM.
# Everything in a model was released or is public. Only start_tree_model(), score_scopes(), and measure_scope() use
# rows. The proof is in inst/proofs/publish-tree.md, the algorithms are in src/core/publish-tree*.c.

# `sizes`: the number of codes of each column, named. Codes too rare to separate from noise form one *class*.
# `class_of` has for each column the class of each code, from 1, `share` the probability of each code in its class,
# and `classes` the number of classes. `scopes`: rising places of columns, each with tables over its classes:
# `potential`, `count` (noisy), and `weight`, the inverse variance. `n`: the number of rows.
new_tree_model <- function(sizes, n) {
  new_result(list(sizes = sizes, n = n, classes = sizes, class_of = lapply(sizes, seq_len),
                  share = lapply(sizes, rep, x = 1),
                  scopes = list(), potential = list(), count = list(), weight = list()), "dptda_tree_model")
}

is_class_map <- function(class, share, size, classes) {
  is.integer(class) && length(class) == size && identical(sort.int(unique(class)), seq_len(classes)) &&
    is_numbers(share) && length(share) == size && all(share >= 0) && are_ones(vapply(split(share, class), sum, 0))
}

define_class("dptda_tree_model", "private_synthesis()",
  sizes = are_sizes, n = is_row_count, scopes = is.list,
  class_of = is.list, share = is.list, potential = is.list, weight = is.list, count = is.list,
  .valid = function(x) {
    cells <- as.integer(scope_cells(x$scopes, x$classes))
    all(lengths(x[c("classes", "class_of", "share")]) == length(x$sizes)) &&
      all(vapply(x$scopes, are_places, NA, x$sizes)) &&
      all(vapply(c(x$potential, x$weight, x$count), is_numbers, NA)) &&
      all(vapply(x$weight, function(weight) all(is.finite(weight) & weight > 0), NA)) &&
      all(mapply(is_class_map, x$class_of, x$share, x$sizes, x$classes)) && identical(lengths(x$potential), cells) &&
      identical(lengths(x$weight), cells) && identical(lengths(x$count), cells)
  })

scope_cells <- function(scopes, sizes) vapply(scopes, function(scope) prod(sizes[scope]), 0)

# Adds a measurement to the model. If the scope was measured before, takes the mean, weighted by inverse variance.
add_measurement <- function(model, scope, count, weight) {
  weight <- rep_len(weight, length(count))
  at <- match(list(scope), model$scopes)
  if (is.na(at)) {
    at <- length(model$scopes) + 1
    model$scopes[[at]] <- scope
    model$potential[[at]] <- double(length(count))
    model$count[[at]] <- count
    model$weight[[at]] <- weight
    return(model)
  }
  all <- model$weight[[at]] + weight
  model$count[[at]] <- (model$weight[[at]] * model$count[[at]] + weight * count) / all
  model$weight[[at]] <- all
  model
}

fit_tree <- function(model, steps, progress = NULL) watch_fit(model, steps, list(), progress)$model

# Also returns how far the probabilities of some scopes moved: the sum of all |p - p'|.
watch_fit <- function(model, steps, scopes, progress = NULL) {
  fitted <- .Call(ffi_publish_tree_fit, model$classes, model$scopes, model$potential, model$count, model$weight,
                  model$n, steps, 1e-5, scopes, kernel_options(NULL, progress))
  model$potential <- fitted$potential
  list(model = model, moved = fitted$moved)
}

# Cells of the model with these scopes, of the model with each of `wanted` in addition, and of its largest table for a
# margin of `wanted`. Uses public numbers only.
tree_sizes <- function(sizes, scopes, wanted = list()) {
  .Call(ffi_publish_tree_sizes, sizes, scopes, wanted, kernel_options())
}

# Probabilities of scopes by classes. Table columns are in the order of the scope, the first fastest.
tree_margins <- function(model, scopes) {
  .Call(ffi_publish_tree_margins, model$classes, model$scopes, model$potential, scopes, kernel_options())
}

# ---- rare codes ----------------------------------------------------------------------------------

# Starts a model with measurements of single columns, all with one scale. Codes whose noisy count is below `least`
# times the scale become one class of their column. Otherwise they would add noise to every scope with the column. A
# single such code that noise hides joins the next smallest. Within a class, probabilities follow the counts.
new_classed_model <- function(sizes, n, counts, scale, least) {
  model <- new_tree_model(sizes, n)
  for (j in seq_along(sizes)) {
    count <- counts[[j]]
    rare <- rare_codes(count, scale, least)
    if (any(rare)) {
      model$class_of[[j]] <- ifelse(rare, sum(!rare) + 1L, cumsum(!rare))
      model$share[[j]][rare] <- class_shares(count[rare])
      model$classes[j] <- max(model$class_of[[j]])
      count <- merge_counts(count, j, model)
    }
    codes <- tabulate(model$class_of[[j]], model$classes[j])
    model <- add_measurement(model, j, count, 1 / (scale^2 * codes))
  }
  model
}

rare_codes <- function(count, scale, least) {
  rare <- count < least * scale
  if (sum(rare) == 1 && length(rare) > 2 && count[rare] < scale) rare[order(count)[1:2]] <- TRUE
  rare & sum(rare) > 1
}

# Shares in proportion to the nearest counts with the same sum and without negative ones.
class_shares <- function(count) {
  if (sum(count) > 0) nearest_shares(count / sum(count)) else rep(1 / length(count), length(count))
}

# Converts counts over the codes of a scope to counts over its classes, by adding merged cells.
merge_counts <- function(counts, scope, model) {
  before <- 1
  after <- prod(model$sizes[scope])
  for (j in scope) {
    size <- model$sizes[[j]]
    after <- after / size
    if (model$classes[j] < size) {
      cube <- array(counts, c(before, size, after))
      rare <- which(model$class_of[[j]] == model$classes[[j]])
      # other classes keep the order of their codes
      sum <- rowSums(aperm(cube[, rare, , drop = FALSE], c(1, 3, 2)), dims = 2)
      merged <- array(0, c(before, model$classes[[j]], after))
      merged[, -model$classes[[j]], ] <- cube[, -rare, , drop = FALSE]
      merged[, model$classes[[j]], ] <- sum
      counts <- as.vector(merged)
    }
    before <- before * model$classes[[j]]
  }
  counts
}

# Expands a table over classes to a table over codes.
expand_margin <- function(cells, scope, model) {
  place <- 0
  share <- 1
  step <- 1
  for (j in scope) {
    place <- as.vector(outer(place, step * (model$class_of[[j]] - 1), "+"))
    share <- as.vector(outer(share, model$share[[j]]))
    step <- step * model$classes[[j]]
  }
  cells[place + 1] * share
}

# Converts classes, from 0, to codes.
expand_codes <- function(codes, model, rng) {
  for (j in which(model$classes < model$sizes)) {
    rare <- which(model$class_of[[j]] == model$classes[[j]])
    at <- which(codes[, j] == model$classes[[j]] - 1L)
    codes[, j] <- match(seq_len(model$classes[[j]]), model$class_of[[j]])[codes[, j] + 1L] - 1L
    up_to <- cumsum(model$share[[j]][rare])
    taken <- findInterval(draw_uniform(length(at), rng) * up_to[length(rare)], up_to) + 1
    codes[at, j] <- rare[pmin(taken, length(rare))] - 1L
  }
  codes
}

# ---- margins and records, as of any model ------------------------------------------------------

#' @exportS3Method
model_margin.dptda_tree_model <- function(model, columns) {
  check_valid(model, "dptda_tree_model")
  columns <- as.integer(columns)
  expand_margin(tree_margins(model, list(columns))[[1]], columns, model)
}

#' @exportS3Method
model_edges.dptda_tree_model <- function(model) scope_edges(check_valid(model, "dptda_tree_model")$scopes)

# A column with a single class depends on nothing.
#' @exportS3Method
model_pairs.dptda_tree_model <- function(model) joined_pairs(model, model$classes)

# For scopes of several columns, all cells have the same weight.
#' @exportS3Method
pair_noise.dptda_tree_model <- function(model, pairs) {
  joint <- lengths(model$scopes) > 1
  deviation <- vapply(model$weight[joint], function(weight) 1 / sqrt(weight[1]), 0)
  scopes_noise(pairs, model$scopes[joint], model$classes, deviation)
}

#' @exportS3Method
model_noise.dptda_tree_model <- function(model, column) {
  check_valid(model, "dptda_tree_model")
  at <- match(list(as.integer(column)), model$scopes)
  if (model$sizes[[column]] == 1) return(0)
  if (!is.na(at)) (1 / sqrt(model$weight[[at]]) / model$n)[model$class_of[[column]]] * model$share[[column]]
}

#' @exportS3Method
model_merged.dptda_tree_model <- function(model) {
  vapply(seq_along(model$sizes), function(j) sum(model$class_of[[j]] == model$classes[[j]]), 0L)
}

#' @exportS3Method
draw_codes.dptda_tree_model <- function(model, nsim, rng) {
  check_valid(model, "dptda_tree_model")
  progress <- if (nsim > 1e6) kernel_progress("Drawing rows")
  draw <- function(rows) {
    codes <- .Call(ffi_publish_tree_draw, model$classes, model$scopes, model$potential, rows,
                   kernel_options(rng, progress))
    expand_codes(codes, model, rng)
  }
  draw_in_parts(draw, nsim, 2^24)
}

# Draws at most `most` rows at once, because memory for them is taken in advance.
draw_in_parts <- function(draw, nsim, most) {
  if (nsim <= most) draw(nsim) else do.call(rbind, lapply(c(rep(most, nsim %/% most), nsim %% most), draw))
}

# ---- what sees rows ----------------------------------------------------------------------------

# Returns the number of steps per count in scores: distances to a model are integers in these steps. They are as fine as
# sizes allow, at most 2^20 per count. A number below 1 means that no steps are fine enough. Uses public numbers:
# `weight` and `cells` of all candidate scopes, and `scale`, the largest noise scale whose mean is subtracted from a
# distance, or 0. For people, `n` and `scale` are in parts of a person.
score_unit <- function(n, weight, cells, scale) 2^min(20, floor(52 - log2(max(weight * (4 * n + cells * scale + 1)))))

# How far a score can move when one row is replaced: two counts move by one each. A person moves some counts by the
# person's weight in total, and others by as much.
score_sensitivity <- function(weight, unit, person_weight = 1) 2 * person_weight * max(weight) * unit

# Integer scores of scopes: how far the model is from the exact `counts` (a list, by classes), beyond `bias`, in
# units, times `weight`. `total`: the sum of all counts of a scope.
score_scopes <- function(model, scopes, counts, unit, weight = 1, bias = 0, total = model$n) {
  distance <- .Call(ffi_publish_tree_distance, model$classes, model$scopes, model$potential, scopes, counts, total,
                    unit, kernel_options())
  weight * (distance - bias)
}

# Columns to measure. A column of one cell has all rows in it, and their number is public. If there are no others,
# returns all columns.
varied_columns <- function(sizes) if (any(sizes > 1)) unname(which(sizes > 1)) else seq_along(sizes)

only_columns <- function(scopes, columns) Filter(function(scope) all(scope %in% columns), scopes)

# The first query, of all columns. Returns the model, the exact `counts` of all scopes by its classes, and the steps.
# Codes counted below `least` times the scale become a class.
start_tree_model <- function(counts, plan, least, fit_steps, rng) {
  columns <- plan$varied
  noisy <- rep(list(as.double(plan$n)), length(plan$sizes))
  noisy[columns] <- noisy_counts(counts[seq_along(columns)], plan$scale, plan$kind, rng, plan$person_weight)
  deviation <- sqrt(margin_variance(plan$scale, plan$kind))
  model <- fit_tree(new_classed_model(plan$sizes, plan$n, noisy, deviation, least), fit_steps)
  merged <- which(model$classes < model$sizes)
  for (i in which(vapply(plan$scopes, function(scope) any(scope %in% merged), NA))) {
    counts[[i]] <- merge_counts(counts[[i]], plan$scopes[[i]], model)
  }
  list(model = model, counts = counts, steps = scope_steps(plan, "margin", as.list(columns), plan$scale))
}

measure_scope <- function(model, scope, counts, scale, rng, person_weight = 1, kind = "gaussian") {
  noisy <- noisy_counts(counts, scale, kind, rng, person_weight)
  add_measurement(model, scope, noisy, 1 / margin_variance(scale, kind))
}

# The spent budget, less by more than all roundings that follow. With an epsilon of 2^20, no noise is left.
useful_part <- function(cost) {
  part <- cost$spent[[1]] * query_margin
  if (is_pure(cost)) min(part, 2^20) else useful_rho(part)
}

# Parts and costs are in epsilon for Laplace noise, and in rho for Gaussian noise. Returns the smallest scale of a
# measurement that costs at most `part`, the costs of a measurement and of a choice, the epsilon of a choice, and the
# variance and the mean size of the noise.
margin_scale <- function(part, kind = "gaussian") {
  measure <- structure(part, names = if (kind == "laplace") "epsilon" else "rho")
  noise_scale(measure, l1 = 2, l2_squared = 2)
}
margin_cost <- function(scale, kind = "gaussian") if (kind == "laplace") 2 / scale else 1 / scale^2
choice_cost <- function(epsilon, kind = "gaussian") if (kind == "laplace") epsilon else epsilon^2 / 8
choice_epsilon <- function(part, kind = "gaussian") if (kind == "laplace") part else sqrt(8 * part)
margin_variance <- function(scale, kind = "gaussian") if (kind == "laplace") 2 * scale^2 else scale^2
mean_noise <- function(scale, kind = "gaussian") if (kind == "laplace") scale else sqrt(2 / pi) * scale

# Lines of `steps`, one for each scope: a choice has `epsilon`, a measurement has `scale`.
scope_steps <- function(plan, what, scopes, scale = NA_real_, epsilon = NA_real_) {
  part <- rowSums(cbind(margin_cost(scale, plan$kind), choice_cost(epsilon, plan$kind)), na.rm = TRUE)
  synthesis_step(plan$cost, what, scope_labels(plan$sizes, scopes), part, scale, epsilon)
}

# ---- public limits ----------------------------------------------------------------------------

# Refuses tables that are too large in total, which the schema shows.
check_table_cells <- function(cells) {
  if (sum(cells) <= most_table_cells) return(invisible())
  stop_argument("schema", "has columns of so many cells that their joint counts have ", format(sum(cells), digits = 3),
                ", and at most ", format(most_table_cells), " are possible. Use fewer cells in a column.")
}

most_table_cells <- 2^28

# ---- a step, for audits -------------------------------------------------------------------------

# The choice of a margin by its distance from a graphical model. One row moves the first of twenty columns toward the
# model and all others away from it, so that scores move by the sensitivity, in both directions.
choice_of_margin <- function(columns, epsilon) {
  sizes <- structure(rep(2L, columns), names = paste0("c", seq_len(columns)))
  model <- new_tree_model(sizes, 4)
  for (j in seq_len(columns)) model <- add_measurement(model, j, c(0, 0), 1)
  model$potential <- c(list(c(-1000, 0)), rep(list(c(0, -1000)), columns - 1))
  step_mechanism("margin_choice", c(epsilon = epsilon), model = model, epsilon = epsilon)
}

statistic_of.margin_choice <- function(plan, rows) {
  scopes <- as.list(seq_along(rows$sizes))
  score_scopes(plan$model, scopes, joint_counts_all(rows, scopes), 16)
}

draw_of.margin_choice <- function(plan, statistic, rng) {
  as.double(draw_choice(statistic, plan$epsilon, score_sensitivity(1, 16), rng) == 1)
}

example_of.margin_choice <- function(plan) {
  others <- matrix(rep(c(1L, 0L), c(3, 3 * 19)), 3)
  coded <- function(first) encode_table(logical_table(rbind(first, others)), logical_schema(20), "codes")
  list(step_example("choice of a margin", choice_of_margin(20, 1), coded(0L), coded(1L)))
}

# Three rows of a person that change their code in the only measured column.
people_column_example <- function(method) {
  codes <- cbind(c(0, 1, 1, 1), c(1, 2, 2, 2))
  people_synthesis_example(paste0(method, ", people"), codes, cbind(0, c(1, 2)),
                           function(model) model$count[[1]], method = method, rho = 0.5)
}

# A row that changes its code in the only measured column.
one_column_example <- function(method, epsilon = NULL, mu = NULL) {
  example <- function(note, ...) {
    synthesis_example(paste0(method, note), cbind(rep(0:1, c(51, 49))), cbind(rep(0:1, c(50, 50))),
                      function(model) model$count[[1]], method = method, ...)
  }
  if (!is.null(epsilon)) return(example(", epsilon", epsilon = epsilon))
  if (is.null(mu)) example(", one column", rho = 0.5) else example(", mu", mu = mu)
}
