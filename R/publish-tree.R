# Graphical models of coded tables, fitted to noisy margins of a few sets of columns (*scopes*): what MST and AIM share.
# Everything in a model was released or is public; rows are seen by choose_scope() and measure_scopes() alone. The proof is in
# inst/proofs/publish-tree.md, the algorithms stand in src/core/publish-tree*.c.

# `sizes`: how many codes each column has, named. `scopes`: integer vectors, rising; for each of them `potential`, `count` (noisy)
# and `weight`, one over the variance. `n`: how many rows.
new_tree_model <- function(sizes, n) {
  structure(list(sizes = sizes, n = n, scopes = list(), potential = list(), count = list(), weight = double()),
            class = "dptda_tree_model")
}

define_class("dptda_tree_model", "private_synthesis()",
  sizes = function(x) is.integer(x) && length(x) > 0 && !anyNA(x) && all(x > 0), n = is_one_number, scopes = is.list,
  potential = is.list, weight = is_numbers,
  .whole = function(x) {
    cells <- scope_cells(x$scopes, x$sizes)
    identical(lengths(x$potential), as.integer(cells)) && length(x$weight) == length(x$scopes)
  })

scope_cells <- function(scopes, sizes) vapply(scopes, function(scope) prod(sizes[scope]), 0)

scope_names <- function(scopes, sizes) {
  vapply(scopes, function(scope) paste(names(sizes)[scope], collapse = ", "), "")
}

# A measurement joins the model; of a scope that was measured before, the mean of both, weighted by inverse variance.
add_measurement <- function(model, scope, count, scale) {
  weight <- 1 / scale^2
  at <- match(list(scope), model$scopes)
  if (is.na(at)) {
    at <- length(model$scopes) + 1
    model$scopes[[at]] <- scope
    model$potential[[at]] <- double(length(count))
    model$count[[at]] <- count
    model$weight[at] <- weight
    return(model)
  }
  all <- model$weight[at] + weight
  model$count[[at]] <- (model$weight[at] * model$count[[at]] + weight * count) / all
  model$weight[at] <- all
  model
}

fit_tree <- function(model, steps, progress = NULL) {
  fitted <- .Call(ffi_publish_tree_fit, model$sizes, model$scopes, joined(model$potential), joined(model$count),
                  model$weight, model$n, steps, 1e-5, kernel_options(NULL, progress))
  model$potential <- unname(split_cells(fitted$potential, model$scopes, model$sizes))
  model
}

joined <- function(tables) as.double(unlist(tables, use.names = FALSE))

split_cells <- function(cells, scopes, sizes) {
  size <- scope_cells(scopes, sizes)
  end <- cumsum(size)
  lapply(seq_along(size), function(i) cells[end[i] - size[i] + seq_len(size[i])])
}

# Cells of the model of these scopes, of that with each of `wanted` in addition, and of the largest table that margins
# of `wanted` need in it: of public numbers.
tree_sizes <- function(sizes, scopes, wanted = list()) {
  .Call(ffi_publish_tree_sizes, sizes, scopes, wanted, kernel_options())
}

tree_cliques <- function(sizes, scopes) .Call(ffi_publish_tree_cliques, sizes, scopes, kernel_options())

# The probabilities of scopes; the columns of a table in the order of the scope, the first fastest.
tree_margins <- function(model, scopes) {
  cells <- .Call(ffi_publish_tree_margins, model$sizes, model$scopes, joined(model$potential), scopes, kernel_options())
  split_cells(cells, scopes, model$sizes)
}

# ---- margins and records, as of any model ------------------------------------------------------

#' @exportS3Method
model_margin.dptda_tree_model <- function(model, columns) tree_margins(model, list(as.integer(columns)))[[1]]

#' @exportS3Method
model_edges.dptda_tree_model <- function(model) scope_edges(model$scopes)

#' @exportS3Method
model_noise.dptda_tree_model <- function(model, column) {
  at <- match(list(as.integer(column)), model$scopes)
  if (!is.na(at)) 1 / sqrt(model$weight[at]) / model$n
}

#' @exportS3Method
draw_codes.dptda_tree_model <- function(model, nsim, rng) {
  progress <- if (nsim > 1e6) kernel_progress("Drawing rows")
  .Call(ffi_publish_tree_draw, model$sizes, model$scopes, joined(model$potential), nsim, kernel_options(rng, progress))
}

# ---- what sees rows ----------------------------------------------------------------------------

# Steps of counts in which distances to a model are whole numbers, as fine as the sizes allow: 2^20 to a count at most, below
# 1 where there are none, from public numbers: `weight` and `cells` of all scopes that may be chosen, `scale` the largest of the noise.
score_unit <- function(n, weight, cells, scale) 2^min(20, floor(52 - log2(max(weight * (4 * n + cells * scale + 1)))))

# How far a score can move when one row is replaced: two counts move by one each.
score_sensitivity <- function(weight, unit) 2 * max(weight) * unit

# Scores of scopes, whole numbers: how far the model is from the exact `counts` (a list), beyond `bias`, in units, times `weight`.
score_scopes <- function(model, scopes, counts, unit, weight = 1, bias = 0) {
  distance <- .Call(ffi_publish_tree_distance, model$sizes, model$scopes, joined(model$potential), scopes, joined(counts),
                    model$n, unit, kernel_options())
  weight * (distance - bias)
}

# The place of one score: `epsilon` squared over 8 is what it costs.
choose_scope <- function(scores, sensitivity, epsilon, rng) draw_choice(scores, choice_rate(epsilon, sensitivity), rng)

measure_scope <- function(model, scope, counts, scale, rng) {
  add_measurement(model, scope, add_noise(counts, scale, "gaussian", rng), scale)
}

# The least scale with which a measurement costs at most `rho`, and what it costs.
margin_scale <- function(rho) noise_scale(c(rho = rho), l1 = 2, l2_squared = 2)
margin_cost <- function(scale) 1 / scale^2
choice_cost <- function(epsilon) epsilon^2 / 8

# One line of what was done, all of it released: a choice has its `epsilon`, a measurement its `scale`.
tree_step <- function(what, scope, sizes, scale = NA, epsilon = NA) {
  cost <- (if (is.na(scale)) 0 else margin_cost(scale)) + (if (is.na(epsilon)) 0 else choice_cost(epsilon))
  data.frame(step = what, columns = scope_names(list(scope), sizes), scale = scale, epsilon = epsilon, rho = cost)
}

# ---- what is public ---------------------------------------------------------------------------

# Looks are paid in rho, which an epsilon alone does not give.
check_tree_budget <- function(spent, method) {
  if (is.na(spent$rho)) {
    stop_argument("delta", "must be given with `epsilon`, or `rho` in its place: method \"", method, "\" has Gaussian noise.")
  }
  spent
}

# The largest tables and all of them together: known from the schema.
check_table_cells <- function(cells) {
  if (sum(cells) <= most_table_cells) return(invisible())
  stop_argument("schema", "has columns of so many cells that their joint counts have ", format(sum(cells), digits = 3),
                "; at most ", format(most_table_cells), " are counted. Take fewer cells for a column.")
}

most_table_cells <- 2^28

stop_little_rho <- function(spent) {
  stop_argument(names(spent$measure)[1], "is so small that no noise of this package keeps it.")
}
