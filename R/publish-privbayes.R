# PrivBayes (Zhang, Cormode, Procopiuc, Srivastava and Xiao 2017): a network in which each column has a few parents,
# chosen by exponential mechanisms, and conditional distributions from noisy joint counts. The proof is in
# inst/proofs/publish-privbayes.md.

#' Private synthetic data by Bayesian networks (PrivBayes)
#'
#' Makes [private_synthesis()] fit a Bayesian network, in which each column depends on a few other columns, its parents.
#' The exponential mechanism chooses the parents, column by column. Conditional distributions are those of noisy joint
#' counts.
#'
#' Use it for tables with strongly associated columns if it must be fast. [synthesis_aim()] came closer to tables of
#' about 10,000 rows. If `epsilon` times the number of rows is small, the method `"margins"` is as close. Tables in a
#' database are treated like tables in memory.
#'
#' @param ... Not used. Later arguments must be named.
#' @param theta One positive number: a limit on the number of parents (the usefulness of Zhang and others 2017). A
#'   column gets another parent only while the average number of rows in a cell of their joint counts is at least
#'   `theta` times the size of the noise, and all counts together have at most 2^27 cells. A larger `theta` means fewer
#'   parents and less noise.
#' @param score A string: the score of parents. `"distance"` is the distance of the joint distribution from the product
#'   of its margins; `"information"` is the mutual information.
#' @param degree `NULL`, or an integer, at least 0: the largest number of parents of a column. `NULL` is the largest
#'   number for which the number of columns allows at most 20,000 choices.
#' @return A method: an object of class `c("synthesis_privbayes", "dptda_method")`, the list of its settings.
#' @section Budget:
#' The method takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`: 30% for the choices, 70% for the counts. If
#' public numbers show that no column may have a parent, all of it is for the counts.
#' @references
#' Zhang, J., Cormode, G., Procopiuc, C. M., Srivastava, D. and Xiao, X. (2017). PrivBayes: private data release via
#' Bayesian networks. *ACM Transactions on Database Systems* 42(4).
#' @seealso [private_synthesis()], `system.file("proofs", "publish-privbayes.md", package = "dptda")`
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' private_synthesis(people, schema, epsilon = 1,
#'                   method = synthesis_privbayes(theta = 6))
#' @export
synthesis_privbayes <- function(..., theta = 4, score = c("distance", "information"), degree = NULL) {
  check_no_dots(...)
  new_network_method("synthesis_privbayes", theta, score, degree)
}

define_method("synthesis_privbayes", synthesis_privbayes)

define_method("synthesis_margins")

# The settings of a network.
new_network_method <- function(class, theta, score, degree) {
  new_method(class, theta = check_number(theta, 0, open_lower = TRUE),
             score = check_choice(score, parent_scores),
             degree = if (!is.null(degree)) check_count(degree, 0, max_schema_columns))
}

# The fraction of the budget for the network.
network_share <- c(privbayes = 0.3, dp2pub = 0.05)

# Plans from public numbers. Parents are useful if a column and its parents have at most `useful` cells. This assumes
# noise for as many tables as columns, although fewer are measured. Columns of one cell are in no network, and not
# measured. `options`: `theta`, `score`, `degree`.
plan_network <- function(domain, cost, options, method = "privbayes") {
  varied <- varied_columns(domain$sizes)
  sizes <- domain$sizes[varied]
  d <- length(sizes)
  degree <- min(d - 1, if (is.null(options$degree)) most_degree(d) else options$degree)
  share <- if (degree == 0) 0 else network_share[[method]]
  shares <- c(network = share, margins = 1 - share)
  cost <- with_choices(cost, share)
  parts <- split_cost(cost, shares)
  noise <- table_noise(cost, parts[["margins"]], d)
  # scales are at most 2^40, and counts are exact up to 2^52
  person_weight <- units_weight(domain_units(domain), min(52 - log2(domain$n), 40 - log2(max(noise$scale))))
  useful <- min(most_network_cells, most_measured_cells / d, domain$n / (options$theta * noise$scale[d]))
  if (parts[["network"]] > 0 && !any(outer(sizes, sizes)[!diag(d)] <= useful)) {
    # the sizes alone rule out parents for every column
    degree <- 0
    parts <- split_cost(cost, c(network = 0, margins = 1))
    noise <- table_noise(cost, parts[["margins"]], d)
  }
  if (!is.null(options$degree)) check_choices(sizes, degree, useful)
  list(sizes = domain$sizes, varied = varied, n = domain$n, degree = degree, parts = parts, useful = useful,
       cost = cost, margin_noise = noise, person_weight = person_weight,
       choice = if (parts[["network"]] > 0) {
         plan_parents(domain$n, cost, parts[["network"]], d - 1, options$score, person_weight)
       })
}

# The largest number of cells of one table, and of all measured tables together (at most one per column): a gigabyte.
most_network_cells <- 1e7
most_measured_cells <- 2^27
most_choices <- 20000
most_asked_choices <- 1e6

# Refuses a requested degree by public numbers if it may need more sets of parents than memory holds.
check_choices <- function(sizes, degree, useful) {
  most <- if (min(sizes) > 1) min(degree, max(0, floor(log(useful) / log(min(sizes))))) else degree
  d <- length(sizes)
  if (d * sum(choose(d - 1, 0:most)) > most_asked_choices) {
    stop_argument("degree", "would mean up to ", format(d * sum(choose(d - 1, 0:most)), digits = 2),
                  " sets of parents, and at most ",
                  format_count(most_asked_choices), " are tried. Omit `degree`, reduce it, or increase `theta`.")
  }
}

# The largest number of parents with at most so many choices, for any columns.
most_degree <- function(d) {
  sets <- cumsum(choose(d - 1, 0:(d - 1)))
  max(1, which(d * sets <= most_choices) - 1)
}

# Noise on the counts of tables of the same rows. Each table changes by two counts if a row or a person is replaced.
# Returns a scale for one table, for two, ..., for `most` of them.
table_noise <- function(cost, part, most) {
  measure <- part_measure(cost, part)
  moved <- 2 * seq_len(most)
  list(kind = measure_noise(measure), scale = noise_scale(measure, l1 = moved, l2_squared = moved))
}

# ---- scores ----------------------------------------------------------------------------------

# Scores that compare parents. Kernels identify them by their places from 0.
parent_scores <- c("distance", "information")

# Plans the choices. `epsilon` is for each choice, `kind` is the kind of score. `shift` and `unit` make scores
# integers below 2^53. `total` counts all rows, or all people times their weight. `sensitivity` has two values, the
# first if the column or its parents have only two codes. For the information of people it depends on the set of
# columns, so `people`, their number, replaces it.
plan_parents <- function(n, cost, part, choices, score, person_weight = 1) {
  each <- if (is_pure(cost)) part / choices else sqrt(8 * useful_rho(part) / choices)
  total <- n * person_weight
  plan <- list(epsilon = each * query_margin, choices = choices, kind = match(score, parent_scores) - 1L, total = total)
  if (score == "distance") {
    plan$shift <- max(0, ceiling(2 * log2(total) + 1) - 52)
    plan$unit <- 1
    plan$sensitivity <- pmax(1, ceiling(person_weight * c(4 * (total - 1), 6 * total) / 2^plan$shift))
    return(plan)
  }
  plan$shift <- 0
  plan$unit <- 2^floor(45 - log2(total * log(total) + 1))
  if (person_weight > 1) return(c(plan, list(people = n)))
  plan$sensitivity <- ceiling(plan$unit * information_sensitivity(n)) + 8
  plan
}

# Bounds the change of n W times the mutual information of tables with these numbers of codes, if all rows of one of n
# people, of weight W, are replaced: by entropies, or by replacing W of n W one by one. Adds rounding of all counts.
people_information <- function(choice, size, parents) {
  n <- choice$people
  weight <- choice$total / n
  entropy <- if (n == 1) 0 else log(n) + (n - 1) * log(n / (n - 1))
  one_by_one <- information_sensitivity(choice$total)[ifelse(size <= 2 | parents <= 2, 1, 2)]
  bound <- choice$unit * weight * pmin(2 * entropy + log(pmin(size, parents, weight)), one_by_one)
  ceiling(bound * (1 + 2^-40) + 1.1 * (size * parents + size + parents))
}

# Sensitivity of n times the mutual information, in nats: with two codes on a side, and in general.
information_sensitivity <- function(n) {
  if (n == 1) return(c(0, 0))
  c(log(n) + (n - 1) * log1p(1 / (n - 1)), 2 * log((n + 1) / 2) + (n - 1) * log1p(2 / (n - 1)))
}

# The association of the parents (the columns of a scope after the first) with its first column.
score_scopes_network <- function(source, scopes, choice) {
  batches <- cumsum(vapply(scopes, function(scope) prod(source$sizes[scope]), 0)) %/% 2^22
  scores <- lapply(unname(split(scopes, batches)), function(some) {
    first <- source$sizes[vapply(some, `[`, 0L, 1)]
    .Call(ffi_publish_parent_scores, joint_counts_all(source, some), unname(first), as.double(choice$total),
          choice$kind, choice$shift, choice$unit, kernel_options())
  })
  unlist(scores)
}

# Draws one of the scopes by score. Returns its `place` and every `score`. Scores may be known (others are NA). For
# rows in memory, the kernel that draws also counts and compares.
choose_parents <- function(source, scopes, score, choice, sensitivity, rng) UseMethod("choose_parents")

choose_parents.default <- function(source, scopes, score, choice, sensitivity, rng) {
  .Call(ffi_publish_choose_parents, source$codes, unname(source$sizes), code_weights(source), scopes, score, choice,
        sensitivity, kernel_options(rng, kernel_progress("Counts")))
}

choose_parents.dptda_database_codes <- function(source, scopes, score, choice, sensitivity, rng) {
  new <- which(is.na(score))
  if (length(new)) score[new] <- score_scopes_network(source, scopes[new], choice)
  list(place = draw_choice(score, choice$epsilon, sensitivity, rng), score = score)
}

# ---- parents ---------------------------------------------------------------------------------

# All sets of columns taken so far with at most `most` cells. `member` has one row per set, `cells` and `count` its
# numbers of cells and columns. The empty set is always included.
new_family <- function(d) list(member = matrix(FALSE, 1, d), cells = 1, count = 0)

grow_family <- function(family, column, size, degree, most) {
  fits <- family$cells * size <= most & family$count < degree
  if (!any(fits)) return(family)
  member <- family$member[fits, , drop = FALSE]
  member[, column] <- TRUE
  list(member = rbind(family$member, member), cells = c(family$cells, family$cells[fits] * size),
       count = c(family$count, family$count[fits] + 1))
}

# Among sets with at most so many cells, those to which no column can be added, as lists of places: one list for each
# number in `most`.
maximal_sets <- function(family, taken, sizes, degree, most) {
  least <- rep(Inf, nrow(family$member))
  for (column in taken) least <- ifelse(family$member[, column], least, pmin(least, sizes[column]))
  lapply(most, function(most) {
    fits <- family$cells <= most | family$count == 0
    maximal <- which(fits & (family$count == degree | family$cells * least > most))
    lapply(maximal, function(i) which(family$member[i, ]))
  })
}

# Draws the next column and its parents, which came earlier, until none is left. Returns a list of scopes, column
# first, for all columns with more than one cell.
draw_network <- function(source, plan, rng) {
  d <- length(plan$varied)
  random <- plan$varied[order(draw_uniform(d, rng))]
  if (is.null(plan$choice)) return(as.list(random))
  most <- floor(plan$useful / plan$sizes)
  family <- new_family(length(plan$sizes))
  taken <- random[1]
  network <- list(taken)
  known <- list(key = character(), score = double())
  tell <- repeat_progress("Choosing parents")
  while (length(taken) < d) {
    tell(length(taken) / d)
    newest <- taken[length(taken)]
    family <- grow_family(family, newest, plan$sizes[[newest]], plan$degree, max(most[plan$varied]))
    scopes <- open_parents(plan, family, most, taken)
    key <- vapply(scopes, paste, "", collapse = " ")
    # comparisons from the previous choice are reused
    drawn <- choose_parents(source, scopes, known$score[match(key, known$key)], plan$choice,
                            scopes_sensitivity(scopes, plan), rng)
    known <- list(key = key, score = drawn$score)
    scope <- scopes[[drawn$place]]
    network <- c(network, list(scope))
    taken <- c(taken, scope[1])
  }
  network
}

# The candidates of one choice, as scopes. `most`: the largest number of cells of the parents, for each column.
open_parents <- function(plan, family, most, taken) {
  sets <- maximal_sets(family, taken, plan$sizes, plan$degree, unique(most))
  unlist(lapply(setdiff(plan$varied, taken), function(column) {
    lapply(sets[[match(most[column], unique(most))]], function(parents) c(column, parents))
  }), recursive = FALSE)
}

# The largest sensitivity of all candidates.
scopes_sensitivity <- function(scopes, plan) {
  size <- vapply(scopes, function(scope) as.double(plan$sizes[[scope[1]]]), 0)
  parents <- vapply(scopes, function(scope) prod(plan$sizes[scope[-1]]), 0)
  if (!is.null(plan$choice$people)) return(max(people_information(plan$choice, size, parents)))
  two <- size <= 2 | parents <= 2
  plan$choice$sensitivity[if (all(two)) 1 else 2]
}

# ---- the model -------------------------------------------------------------------------------

# Scopes that are not contained in another.
maximal_scopes <- function(scopes) {
  within <- function(i) any(vapply(scopes[-i], function(other) all(scopes[[i]] %in% other), NA))
  sorted <- lapply(scopes, sort.int)
  scopes <- scopes[!duplicated(sorted)]
  scopes[!vapply(seq_along(scopes), within, NA)]
}

# Noisy counts of the scopes that are not contained in another.
measure_network <- function(source, network, plan, rng) {
  scopes <- maximal_scopes(network)
  tables <- length(scopes)
  noise <- list(kind = plan$margin_noise$kind, scale = plan$margin_noise$scale[tables], tables = tables)
  counts <- noisy_counts(joint_counts_all(source, scopes), noise$scale, noise$kind, rng, plan$person_weight)
  list(scopes = scopes, counts = counts, noise = noise)
}

# `network` has one node per column, parents first: `column`, `parents`, and `probability`, a matrix with a row for
# each code. `measured` has the released counts. Columns of one cell come last.
new_network_model <- function(sizes, n, network, measured) {
  nodes <- lapply(network, function(scope) {
    list(column = scope[1], parents = scope[-1], probability = conditional(scope, measured, sizes, n))
  })
  lone <- lapply(setdiff(seq_along(sizes), vapply(network, `[`, 0L, 1)), function(column) {
    list(column = column, parents = integer(), probability = matrix(1))
  })
  new_result(list(sizes = sizes, n = n, network = c(nodes, lone), measured = measured), "dptda_network_model")
}

# `before`: the columns of earlier nodes.
is_node <- function(node, before, sizes) {
  is.list(node) && is_one_number(node$column) && are_places(c(node$column, node$parents), sizes) &&
    all(node$parents %in% before) &&
    is_numbers(node$probability) && all(node$probability >= 0) &&
    identical(dim(node$probability), as.integer(c(sizes[[node$column]], prod(sizes[node$parents])))) &&
      are_ones(colSums(node$probability))
}

are_nodes <- function(nodes, sizes) {
  columns <- vapply(nodes, function(node) as.integer(node$column), 0L)
  length(nodes) == length(sizes) && !anyDuplicated(columns) &&
    all(vapply(seq_along(nodes), function(k) is_node(nodes[[k]], columns[seq_len(k - 1)], sizes), NA))
}

# Allows an empty `measured`, as in a model that was not released.
is_measured <- function(measured, sizes) {
  length(measured) == 0 || all(vapply(measured$scopes, are_places, NA, sizes)) &&
    all(vapply(measured$counts, is_numbers, NA)) &&
    identical(as.double(lengths(measured$counts)), scope_cells(measured$scopes, sizes)) &&
    is_one_string(measured$noise$kind) && measured$noise$kind %in% names(noise_kinds) &&
      is_one_number(measured$noise$scale) &&
    is.finite(measured$noise$scale) && measured$noise$scale > 0
}

define_class("dptda_network_model", "private_synthesis()",
             sizes = are_sizes, n = is_row_count, measured = is.list,
             network = is.list, .valid = function(x) are_nodes(x$network, x$sizes) && is_measured(x$measured, x$sizes))

# The distribution of the first column of a scope given the others, from the table that contains them all.
conditional <- function(scope, measured, sizes, n) {
  home <- which(vapply(measured$scopes, function(other) all(scope %in% other), NA))[1]
  counts <- sum_counts(measured$counts[[home]], measured$scopes[[home]], scope, sizes)
  table <- matrix(nearest_shares(counts / n), sizes[[scope[1]]])
  total <- colSums(table)
  # without counts, uses the distribution of the column over all parents
  table[, total == 0] <- rowSums(table)
  table / rep(colSums(table), each = nrow(table))
}

#' @exportS3Method
draw_codes.dptda_network_model <- function(model, nsim, rng) {
  network <- lapply(model$network, function(node) {
    size <- nrow(node$probability)
    totals <- apply(node$probability, 2, cumsum)
    list(column = node$column, parents = as.integer(node$parents),
         cumulative = as.double(matrix(totals, size)[-size, ]))
  })
  progress <- if (nsim > 1e6) kernel_progress("Drawing rows")
  .Call(ffi_publish_network_draw, network, unname(model$sizes), nsim, kernel_options(rng, progress))
}

# Multiplies along the network, column by column, for the needed columns. Sums out a column as soon as it is not
# needed.
#' @exportS3Method
model_margin.dptda_network_model <- function(model, columns) {
  if (prod(model$sizes[columns]) > most_network_cells) stop_argument("columns", "have too many cells for one table.")
  nodes <- needed_nodes(model$network, columns)
  table <- 1
  kept <- integer()
  for (i in seq_along(nodes)) {
    node <- nodes[[i]]
    cells <- prod(model$sizes[c(kept, node$column)])
    if (cells > most_network_cells) return(simulated_margin(model, columns))
    table <- outer_node(table, kept, node, model$sizes)
    kept <- c(node$column, kept)
    later <- unlist(lapply(nodes[-seq_len(i)], `[[`, "parents"))
    wanted <- kept[kept %in% c(columns, later)]
    table <- sum_counts(table, kept, wanted, model$sizes)
    kept <- wanted
  }
  sum_counts(table, kept, columns, model$sizes)
}

# The nodes of `columns` and of all their ancestors.
needed_nodes <- function(network, columns) {
  for (node in rev(network)) if (node$column %in% columns) columns <- union(columns, node$parents)
  Filter(function(node) node$column %in% columns, network)
}

# Multiplies the table of the columns `kept` by the distribution of a node given its parents, which are in `kept`.
outer_node <- function(table, kept, node, sizes) {
  if (length(kept) == 0) return(table * as.vector(node$probability))
  at <- arrayInd(seq_along(table), sizes[kept])
  stride <- cumprod(c(1, sizes[node$parents]))[seq_along(node$parents)]
  cell <- 1 + as.vector((at[, match(node$parents, kept), drop = FALSE] - 1) %*% stride)
  as.vector(node$probability[, cell] * rep(table, each = nrow(node$probability)))
}

simulated_margin <- function(model, columns, rows = 1e6) {
  codes <- with_seed(1, draw_codes(model, rows, "R"))
  joint_counts(list(sizes = model$sizes, n = rows, codes = codes), columns) / rows
}

#' @exportS3Method
model_edges.dptda_network_model <- function(model) {
  parents <- lapply(model$network, `[[`, "parents")
  to <- vapply(model$network, function(node) as.integer(node$column), 0L)
  structure(data.frame(from = as.integer(unlist(parents)), to = rep(to, lengths(parents))), directed = TRUE)
}

# Pairs each column with those parents on which its distribution depends.
#' @exportS3Method
model_pairs.dptda_network_model <- function(model) {
  held <- lapply(model$network, function(node) {
    node$parents[vapply(seq_along(node$parents), depends_on, NA, node, model$sizes)]
  })
  to <- vapply(model$network, function(node) as.integer(node$column), 0L)
  distinct_pairs(as.integer(unlist(held)), rep(to, lengths(held)))
}

depends_on <- function(i, node, sizes) {
  cube <- array(node$probability, c(nrow(node$probability), sizes[node$parents]))
  away <- seq_along(dim(cube))[-(i + 1)]
  is_moved(matrix(aperm(cube, c(away, i + 1)), ncol = sizes[[node$parents[i]]]))
}

#' @exportS3Method
pair_noise.dptda_network_model <- function(model, pairs) {
  scopes <- model$measured$scopes
  if (length(scopes)) scopes_noise(pairs, scopes, model$sizes, rep(network_deviation(model), length(scopes)))
}

#' @exportS3Method
model_noise.dptda_network_model <- function(model, column) {
  home <- which(vapply(model$measured$scopes, function(scope) column %in% scope, NA))[1]
  if (model$sizes[[column]] == 1) return(0)
  if (is.na(home)) return(NULL)
  added <- prod(model$sizes[model$measured$scopes[[home]]]) / model$sizes[[column]]
  network_deviation(model) * sqrt(added) / model$n
}

# The standard deviation of the noise on each count.
network_deviation <- function(model) {
  noise <- model$measured$noise
  noise$scale * if (noise$kind == "laplace") sqrt(2) else 1
}

# ---- the releases ----------------------------------------------------------------------------

#' @exportS3Method
method_mechanism.synthesis_privbayes <- function(method, domain, cost, rng, order = NULL) {
  plan <- plan_network(domain, cost, method)
  words <- paste0(if (!is.null(plan$choice)) "exponential mechanism on parents, ", noise_words(plan$margin_noise),
                  " on joint counts")
  public <- synthesis_public(domain, plan$person_weight, method = "privbayes", theta = method$theta,
                             score = method$score, degree = plan$degree)
  guarantee <- synthesis_guarantee(domain, plan$cost, plan$parts, words, public, c(network = length(plan$varied) - 1))
  synthesis_mechanism("privbayes", plan, domain, guarantee)
}

statistic_of.synthesis_privbayes <- function(plan, rows) ready_source(weigh_rows(rows, plan$person_weight))

draw_of.synthesis_privbayes <- function(plan, statistic, rng) {
  network <- draw_network(statistic, plan, rng)
  measured <- measure_network(statistic, network, plan, rng)
  list(model = new_network_model(plan$sizes, plan$n, network, measured), steps = network_steps(plan, network, measured))
}

network_steps <- function(plan, network, measured) {
  choices <- if (!is.null(plan$choice)) {
    own <- names(plan$sizes)[vapply(network[-1], `[`, 0L, 1)]
    columns <- paste0(own, " <- ", scope_labels(plan$sizes, lapply(network[-1], `[`, -1)))
    synthesis_step(plan$cost, "choice", columns, plan$parts[["network"]] / plan$choice$choices,
                   epsilon = plan$choice$epsilon)
  }
  margins <- if (!is.null(measured)) {
    synthesis_step(plan$cost, "margin", scope_labels(plan$sizes, measured$scopes),
                   plan$parts[["margins"]] / length(measured$scopes), scale = measured$noise$scale)
  }
  rbind(choices, margins)
}

# Each column separately: a network without parents and without choices.
#' @exportS3Method
method_mechanism.synthesis_margins <- function(method, domain, cost, rng, order = NULL) {
  plan <- plan_network(domain, cost, synthesis_privbayes(degree = 0))
  words <- paste(noise_words(plan$margin_noise), "on the counts of each column")
  public <- synthesis_public(domain, plan$person_weight, method = "margins")
  guarantee <- synthesis_guarantee(domain, cost, plan$parts, words, public)
  synthesis_mechanism("privbayes", plan, domain, guarantee, method = "margins")
}

weakness_of.synthesis_privbayes <- function(plan) weak_counts(plan)

noise_of.synthesis_privbayes <- function(plan) {
  own <- plan$margin_noise
  noise_table("each joint count", count_noise(own$kind, own$scale[length(plan$varied)], plan$person_weight))
}

# A row that moves to another cell, in tables of one column and of two: their counts, and the network.
example_of.synthesis_privbayes <- function(plan) {
  counts <- function(model) unlist(model$measured$counts, use.names = FALSE)
  network <- function(model) c(vapply(model$network, function(node) as.double(node$column), 0), counts(model)[1:4])
  margins <- function(note, ...) synthesis_example(note, cbind(0:1), cbind(c(1, 1)), counts, method = "margins", ...)
  both <- function(note, ...) synthesis_example(note, cbind(0:1, 0:1), cbind(c(0, 0), 0), network, ...,
                                             method = synthesis_privbayes(theta = 1e-3))
  # a person with three rows leaves, and one with two arrives
  people <- function(note, ...) {
    people_synthesis_example(note, cbind(c(0, 1, 1, 1), c(0, 1, 1, 1), c(1, 2, 2, 2)), cbind(0, 0, c(1, 2, 2)), ...)
  }
  list(margins("margins", epsilon = 1), margins("margins, rho", rho = 0.5), both("privbayes", epsilon = 2),
       both("privbayes, rho", rho = 0.5), people("margins, people", counts, epsilon = 1, method = "margins"),
       people("privbayes, people", network, epsilon = 2, method = synthesis_privbayes(theta = 1e-3)))
}

# Ten rows for the first choice of parents. One of them associates the first column either with the second or with the
# ten others. Scores move by their full sensitivity, one up and ten down.
choice_of_parents <- function(n, epsilon) {
  step_mechanism("parents_choice", c(epsilon = epsilon), n = n, epsilon = epsilon,
                 choice = plan_parents(n, new_cost(c(epsilon = epsilon)), epsilon, 1, "distance"))
}

statistic_of.parents_choice <- function(plan, rows) {
  score_scopes_network(rows, lapply(seq_along(rows$sizes)[-1], function(column) c(column, 1L)), plan$choice)
}

draw_of.parents_choice <- function(plan, statistic, rng) as.double(draws_of(plan, statistic, 1, rng))

draws_of.parents_choice <- function(plan, statistic, runs, rng) {
  cbind(as.double(draw_choice(statistic, plan$epsilon, plan$choice$sensitivity[1], rng, runs)))
}

example_of.parents_choice <- function(plan) {
  one_says <- function(second) {
    one <- rep(0:1, c(9, 1))
    encode_table(logical_table(cbind(one, one * second, matrix(one * !second, 10, 10))), logical_schema(12), "codes")
  }
  list(step_example("choice of parents", choice_of_parents(10, 1), one_says(TRUE), one_says(FALSE)))
}
