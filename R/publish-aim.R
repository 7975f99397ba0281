# The adaptive and iterative mechanism (McKenna, Mullins, Sheldon and Miklau 2022). Each round chooses the margin on
# which the model is worst and measures it, with noise that depends on earlier results. The workload is all margins of
# three columns (of all columns, if there are fewer), unless the user names margins. If there are too many, a random
# part of them is used, drawn without the rows. The proof is in inst/proofs/publish-tree.md.

#' Private synthetic data by adaptive margins (AIM)
#'
#' Makes [private_synthesis()] fit a graphical model of margins of up to three columns. In each round, the margin on
#' which the model is worst is chosen privately and measured. AIM is the default of [private_synthesis()] for up to 50
#' columns.
#'
#' # Time and candidates
#' With more than 50 columns, AIM may take minutes. A smaller `max_model_size` makes it faster. Tables in a database
#' are treated like tables in memory.
#'
#' The candidates are all single columns, pairs, and sets of three columns, or the sets of a `workload`. Sets of
#' three are added up to 20,000 candidates in all (about 50 columns; 2,000 for rows in a database) and 2^26 cells in
#' these sets. Beyond this, they are drawn at random, independently of the rows. Single columns always remain, and so do
#' pairs that fit into `max_model_size`. With a `workload`, more candidates are an error. Each round scores 1,000 random
#' candidates, plus all single columns.
#'
#' Codes of a column that cannot be told from noise are merged into one class. Within this class, codes do not depend on
#' other columns. For example, ten rare diagnoses become one class.
#'
#' @param ... Not used. Later arguments must be named.
#' @param max_model_size One number above 0 and at most 2048: the largest size of the tables of the model in megabytes
#'   (as doubles). A larger model holds more associations and takes longer.
#' @param workload `NULL`, or the margins that matter: a formula of columns, such as `~ clarity * price`, or a list of
#'   character vectors with at most five columns each. Besides single columns, only sets that lie within one of these
#'   are measured. Columns that no chain of sets connects are independent. `NULL` stands for all margins of three
#'   columns.
#' @param weights `NULL`, or a vector of positive numbers: the weights of the sets in `workload` (for a formula, of its
#'   terms that no other term contains, in their order).
#' @return A method: an object of class `c("synthesis_aim", "dptda_method")`, the list of its settings.
#' @section Budget:
#' The method takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`. Part of it is for the single columns, the rest
#' for rounds.
#'
#' * With `rho`, about 1/16 is for the columns, and 90% of each round is for its margin, as published.
#' * With `epsilon` alone, noise is Laplace noise. There are fewer rounds, because the noise of `k` queries grows with
#'   `k` instead of its square root. The columns receive 4/15, and 80% of each round is for its margin.
#' @references McKenna, R., Mullins, B., Sheldon, D. and Miklau, G. (2022). AIM: an adaptive and iterative mechanism
#' for differentially private synthetic data. *Proceedings of the VLDB Endowment* 15(11), 2599-2612.
#' @seealso [private_synthesis()], `system.file("proofs", "publish-tree.md", package = "dptda")`
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' private_synthesis(people, schema, epsilon = 1, delta = 1e-6,
#'                   method = synthesis_aim(max_model_size = 1))
#' synthesis_aim(workload = ~ smokes * coughs)
#' @export
synthesis_aim <- function(..., max_model_size = 8, workload = NULL, weights = NULL) {
  check_no_dots(...)
  max_model_size <- check_number(max_model_size, 0, 2048, open_lower = TRUE)
  workload <- check_workload(workload)
  new_method("synthesis_aim", max_model_size = max_model_size, workload = workload,
             weights = check_workload_weights(weights, workload))
}

define_method("synthesis_aim", synthesis_aim)

# Plans from public numbers: candidates, their weights (how many columns they share with all of the workload, up to a
# factor), the first scales, and the unit of scores. `max_model_size` limits the model in megabytes, and `most` limits
# the number of candidates.
plan_aim <- function(sizes, n, cost, max_model_size, most = most_candidates, rng = "R", units = check_public_units(n),
                     workload = NULL) {
  varied <- varied_columns(sizes)
  # omits margins too large for any model, but keeps all single columns
  most_cells <- max(max_model_size * 2^20 / 8, sum(sizes))
  scopes <- if (is.null(workload)) {
    lapply(candidate_scopes(sizes[varied], most_cells, most, rng), function(scope) varied[scope])
  } else only_columns(wanted_scopes(sizes, most_cells, most, workload$sets), varied)
  cells <- scope_cells(scopes, sizes)
  check_table_cells(cells)
  kind <- measure_noise(cost$spent)
  pace <- aim_pace[[kind]]
  # scales are rounded up, so choices are a little more than their fraction of what rounds cost
  cost <- with_choices(cost, pace[["chosen"]] * (1 + 2^-20))
  spent <- useful_part(cost)
  each <- spent / (pace[["rounds"]] * length(varied))
  # measures each column with the budget of one round's margin
  scale <- margin_scale(pace[["measured"]] * each, kind)
  if (scale > 2^39) stop_little_budget(cost)
  weight <- if (is.null(workload)) lengths(scopes) else workload_weight(scopes, workload)
  # scales are at most 2^40, the first at most half of it, and distances are exact
  person_weight <- units_weight(units, min(52 - log2(max(weight * (4 * n + cells * scale + 1))), 39 - log2(scale)))
  unit <- score_unit(n * person_weight, weight, cells, scale * person_weight)
  if (unit < 1) stop_little_budget(cost)
  list(method = "aim", person_weight = person_weight, sizes = sizes, n = n, cost = cost, spent = spent, kind = kind,
       measured = pace[["measured"]], chosen = pace[["chosen"]], first = pace[["measured"]] / pace[["rounds"]],
       scopes = scopes, cells = cells,
       weight = weight, unit = unit, scale = scale, epsilon = choice_epsilon(pace[["chosen"]] * each, kind),
       most_cells = most_cells, varied = varied)
}

# All columns and pairs, and as many sets of three as there is room for. If not all sets of three fit, draws some at
# random, regardless of their columns.
candidate_scopes <- function(sizes, most_cells, most, rng) {
  d <- length(sizes)
  scopes <- c(as.list(seq_len(d)), if (d > 1) utils::combn(d, 2, simplify = FALSE))
  scopes <- scopes[lengths(scopes) == 1 | scope_cells(scopes, sizes) <= most_cells]
  room <- most - length(scopes)
  if (d < 3 || room <= 0) return(scopes)
  at <- triples(d, seq_len(choose(d, 3)))
  cells <- sizes[at[, 1]] * as.double(sizes[at[, 2]]) * sizes[at[, 3]]
  fits <- which(cells <= most_cells)
  if (length(fits) > room || sum(cells[fits]) > most_candidate_cells) {
    fits <- fits[order(draw_uniform(length(fits), rng))]
  }
  fits <- fits[cumsum(cells[fits]) <= most_candidate_cells]
  fits <- sort.int(utils::head(fits, room))
  c(scopes, lapply(fits, function(i) at[i, ]))
}

# The candidates of a workload.
wanted_scopes <- function(sizes, most_cells, most, sets) {
  scopes <- workload_closure(sets, length(sizes))
  if (length(scopes) > max(most, length(sizes))) {
    stop_argument("workload", "has ", format_count(length(scopes)), " sets of columns in it, and at most ",
                  format_count(most), " are possible.")
  }
  scopes[lengths(scopes) == 1 | scope_cells(scopes, sizes) <= most_cells]
}

# Sets of three of d columns by their numbers, one per row. Their order is by third, second, then first column.
triples <- function(d, place) {
  place <- place - 1
  third <- findInterval(place, choose(seq.int(0, d - 1), 3))
  place <- place - choose(third - 1, 3)
  second <- findInterval(place, choose(seq.int(0, d - 1), 2))
  unname(cbind(as.integer(place - choose(second - 1, 2)) + 1L, second, third))
}

#' @exportS3Method
method_mechanism.synthesis_aim <- function(method, domain, cost, rng, order = NULL) {
  plan <- plan_aim(domain$sizes, domain$n, cost, method$max_model_size, domain$reading$candidates, rng,
                   domain_units(domain), workload_places(method, domain$sizes))
  words <- paste(noise_words(plan),
                 "on margins, exponential mechanism on the choice of margins, in adaptive rounds")
  public <- c(synthesis_public(domain, plan$person_weight, method = "aim", max_model_size = method$max_model_size),
              workload_words(method))
  parts <- split_cost(plan$cost, c(columns = plan$first, rounds = 1 - plan$first))
  synthesis_mechanism("aim", plan, domain, synthesis_guarantee(domain, plan$cost, parts, words, public))
}

statistic_of.synthesis_aim <- function(plan, rows) joint_counts_all(weigh_rows(rows, plan$person_weight), plan$scopes)

draw_of.synthesis_aim <- function(plan, statistic, rng) draw_aim(statistic, plan, rng)

# Rounds per column if no round halves the scale, and the fractions of a round's budget. For a rho as published. An
# epsilon is divided by the number of rounds, not by its root. At epsilon 1, margins of two columns of a census are
# 0.072 from those of held-out rows with 16 rounds per column, and 0.059 with 3. With 3, the first columns get more
# than a quarter of the budget.
aim_pace <- list(gaussian = c(rounds = 16, measured = 0.9, chosen = 0.1),
                 laplace = c(rounds = 3, measured = 0.8, chosen = 0.2))

# Steps of the fit of a round, and of the last one. More steps follow the noise: with 1,000 and 4,000, margins of
# three columns of a census are 8 percent farther from the rows. With 30 and 100, they are 10 percent farther.
round_steps <- 60
last_steps <- 300

# Codes counted below this many times the scale are merged. The first query has only a sixteenth of a rho, so a later
# one may still separate codes from noise. With 3 instead of 0, margins of two columns are 30 percent farther from the
# rows for 297 patients, and 4 percent for a census.
aim_least <- 0

draw_aim <- function(counts, plan, rng) {
  tell <- repeat_progress("Choosing margins", private = TRUE)
  start <- start_tree_model(counts, plan, aim_least, round_steps, rng)
  model <- start$model
  counts <- start$counts
  rounds <- list()
  plan$cells <- scope_cells(plan$scopes, model$classes)
  used <- length(plan$varied) * margin_cost(plan$scale, plan$kind)
  pace <- plan[c("scale", "epsilon")]
  repeat {
    now <- next_round(plan$spent - used, pace, plan)
    used <- used + now$cost[1] + now$cost[2]
    open <- open_scopes(model, plan, used, portion_of(plan, rng))
    noise <- mean_noise(now$scale, plan$kind)
    bias <- round(plan$unit * plan$person_weight * noise * plan$cells[open])
    scores <- score_scopes(model, plan$scopes[open], counts[open], plan$unit, plan$weight[open], bias,
                           plan$n * plan$person_weight)
    sensitivity <- score_sensitivity(plan$weight[open], plan$unit, plan$person_weight)
    taken <- open[draw_choice(scores, now$epsilon, sensitivity, rng)]
    scope <- plan$scopes[[taken]]
    model <- measure_scope(model, scope, counts[[taken]], now$scale, rng, plan$person_weight, plan$kind)
    fitted <- watch_fit(model, if (now$last) last_steps else round_steps, list(scope))
    model <- fitted$model
    rounds <- c(rounds, list(c(now, list(scope = scope))))
    if (now$last) break
    tell(min(1, used / plan$spent))
    if (plan$n * fitted$moved <= noise * plan$cells[taken]) {
      pace <- list(scale = pace$scale / 2, epsilon = 2 * pace$epsilon)
    }
  }
  of_rounds <- function(field) vapply(rounds, `[[`, 0, field)
  steps <- scope_steps(plan, "choice and margin", lapply(rounds, `[[`, "scope"), of_rounds("scale"),
                       of_rounds("epsilon"))
  list(model = model, steps = rbind(start$steps, steps))
}

# Plans a round from the remaining budget: its scale, its epsilon, and their costs. The last round spends all of it.
next_round <- function(left, pace, plan) {
  # scales have 24 binary digits, also when halved, and must not be too small
  now <- round_at(max(pace$scale, 2^-30), pace$epsilon, plan$kind)
  last <- left < 2 * sum(now$cost)
  if (last) {
    now <- round_at(margin_scale(plan$measured * left, plan$kind), choice_epsilon(plan$chosen * left, plan$kind),
                    plan$kind)
  }
  c(now, last = last)
}

round_at <- function(scale, epsilon, kind) {
  list(scale = scale, epsilon = epsilon, cost = c(margin_cost(scale, kind), choice_cost(epsilon, kind)))
}

# The most candidates per round, besides single columns. Each round draws others, because several contain a given
# pair. On thirty columns of 10,000 rows, rho 0.05, margins of two columns were 0.0095 and 0.0103 from the rows with
# 500, and 0.0090 and 0.0098 with all 4,495 (two seeds). Larger cases were not measured.
most_scored <- 1000

portion_of <- function(plan, rng) {
  d <- length(plan$varied)
  count <- length(plan$scopes)
  if (count - d <= most_scored) return(seq_len(count))
  c(seq_len(d), sort.int(d + order(draw_uniform(count - d, rng))[seq_len(most_scored)]))
}

# Candidates (places) within a clique of the model, or with which it stays small enough for the budget spent so far.
# Single columns always are.
open_scopes <- function(model, plan, used, places = seq_along(plan$scopes)) {
  size <- tree_sizes(model$classes, model$scopes, plan$scopes[places])
  allowed <- plan$most_cells * min(1, used / plan$spent)
  places[(size$more <= size$cells | size$more <= allowed) & size$reach <= most_table_cells]
}

# Judges the noise of the first query only. Later queries have other noise.
weakness_of.synthesis_aim <- function(plan) weak_counts(plan)

noise_of.synthesis_aim <- function(plan) {
  noise_table("each count of one column", count_noise(plan$kind, plan$scale, plan$person_weight))
}

example_of.synthesis_aim <- function(plan) {
  list(one_column_example("aim"), one_column_example("aim", epsilon = 2), people_column_example("aim"))
}
