# Whole tables, published as models from which rows are drawn. Each method (base-method.R) makes a mechanism, whose
# draw gives `model` and `steps`. A model has a class with methods for draw_codes() and model_margin(), and everything
# in it was released.

#' Private synthetic data
#'
#' Fits a model to a table under differential privacy. [simulate()][simulate.dptda_synthesis] then draws any number of
#' synthetic rows from the model at no further privacy cost. One model covers all columns of a public schema, with the
#' associations that `print()` lists.
#'
#' # Methods
#'
#' | method | model | takes |
#' |---|---|---|
#' | `"aim"`, [synthesis_aim()] | margins, measured where the model is worst | all |
#' | `"mst"`, [synthesis_mst()] | pairs of columns that form a tree | all |
#' | `"privbayes"`, [synthesis_privbayes()] | a network in which columns depend on others | all |
#' | `"margins"`, [synthesis_methods] | each column by itself | all |
#' | `"topology"`, [synthesis_topology()] | points with a private diagram | `rho`, `mu`, or `epsilon` with `delta` |
#' | `"dp2pub"`, [synthesis_methods] | rows with flipped codes, for comparison | `epsilon` |
#'
#' "All" means `epsilon`, `rho`, `mu`, or `epsilon` with `delta`. The default is AIM. With more than 50 columns, AIM
#' takes minutes, and the default is MST. [synthesis_methods] compares the methods. The result and its guarantee name
#' the method. `print()` shows for how many pairs of columns the noise exceeds the mean count of a cell (not for
#' `"dp2pub"` and `"topology"`).
#'
#' # Fitting of a model
#' Each row becomes one integer code per column. AIM, MST, and PrivBayes use noisy joint counts of a few columns and
#' private choices among sets of columns. `"margins"` counts single columns. `"dp2pub"` flips codes, and `"topology"`
#' uses noisy moments and a private diagram. The full cross table is never built, so a table may have many columns, at
#' most 256. A request with too many cells for memory is refused before any budget is spent.
#'
#' All methods accept tables in a database ([table_rows()]). With `"topology"`, the position of each row in the plane
#' is read into R, in pieces. The other methods read counts only. The page of each method lists the differences.
#'
#' @param x A data frame or matrix with at least one row, or a table of a database or of people ([table_rows()]). It
#'   must have the columns of the schema, by name. Other columns are not read.
#' @param schema A public schema from [table_schema()], or a named list of the arguments of [table_schema()].
#' @param epsilon,rho One positive number. Supply one of `epsilon`, `rho`, and `mu`, see [private_release].
#' @inheritParams private_release
#' @param delta `NULL`, or one number in (0, 1), together with `epsilon`: uses Gaussian noise.
#' @param method A string from the table under *Methods*, or a method with settings, such as
#'   `synthesis_aim(max_model_size = 16)`. `NULL` chooses AIM, or MST for more than 50 columns.
#'
#' @return An object of class `dptda_synthesis`: a list of `schema`, `method` and its `settings`, `n` (the number of
#'   rows or people), `person` (the name of the people, if any), `model`, and `steps`. The data frame `steps` has one
#'   row for each query: `step`, `columns`, the `scale` of the noise on counts, the `epsilon` of a choice, and the cost
#'   of the query, `cost_epsilon` or `rho`. See [simulate()][simulate.dptda_synthesis] for its methods, and
#'   [confint()][confint.dptda_synthesis] for intervals that account for the noise.
#'
#' @section People:
#' If people have several rows ([table_rows()] with `person`), the model describes one row per person. `simulate()`
#' draws as many rows as there are people by default. Each person counts as one, divided among that person's rows: if
#' half of a person's rows are smokers, that person adds one half. The model does not contain which rows belong to one
#' person.
#'
#' Each person must have a row, so `people` cannot be given. `"dp2pub"` and `"topology"` have no weights of rows and
#' need `rows_of_person = "one"`.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity of counts: replacing a row changes at most two cells of a table, by one each. Replacing a person lowers
#' some counts by at most one in total and raises others by as much. Choices among sets of columns use integer scores
#' with a proved bound on their sensitivity. For `"topology"` and `"dp2pub"`, see [synthesis_topology()] and
#' [synthesis_methods].
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly. Choices are drawn exactly. Noise is drawn and added in integers, and its scale is rounded up. Everything
#' else is computed from released results. The whole cost is charged before the first draw, and the entries of the
#' ledger add up to it.
#'
#' Not protected: running time, unless the option `dptda.release_time` is set ([dptda-package]). If the schema refuses
#' missing values, they are an error before any budget is spent. Do not publish that error message; it depends on the
#' data. A schema that was read from the data ([schema_from_data()]) makes the release not private, and its guarantee
#' states so. `vignette("privacy-model", package = "dptda")` explains these terms.
#'
#' @section Implementation:
#' AIM and MST fit a graphical model to noisy counts, by mirror descent along a junction tree. In `"privbayes"` and
#' `"margins"`, the nearest nonnegative counts with the public total replace noisy counts. With AIM and MST, measured
#' margins of drawn rows differ from the model only by rounding. With `"privbayes"`, `"margins"`, and `"topology"`, rows
#' are drawn independently. In SQLite and PostgreSQL, all statements run in one read-only transaction.
#'
#' Proofs are in `system.file("proofs", "publish-privbayes.md", package = "dptda")`, `"publish-dp2pub.md"`,
#' `"publish-tree.md"`, `"publish-topology.md"`, and `"publish-autoencoder.md"`.
#'
#' @seealso [table_schema()], [evaluate_synthesis()], [privacy_budget()], `vignette("tables", package = "dptda")`
#' @examples
#' n <- 2000
#' smokes <- stats::runif(n) < 0.3
#' coughs <- stats::runif(n) < ifelse(smokes, 0.6, 0.1)
#' people <- data.frame(age = stats::runif(n, 18, 80), smokes, coughs)
#' schema <- table_schema(
#'   age = schema_numeric(0, 100, cells = 10), smokes = schema_logical(),
#'   coughs = schema_logical()
#' )
#' fit <- private_synthesis(people, schema, epsilon = 1)
#' fit
#' drawn <- simulate(fit, nsim = 1000, seed = 1)
#' table(drawn$smokes, drawn$coughs)
#' @export
private_synthesis <- function(x, schema, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, method = NULL,
                              budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  schema <- check_schema(schema)
  method <- check_synthesis_method(method, schema)
  rng <- check_choice(rng, c("os", "R"))
  make <- function(units, rows) {
    domain <- if (is_unseen(rows)) {
      units <- check_public_units(units, exact = TRUE)
      public_part(unread_codes(units$n, schema, rows$in_database), schema, units)
    } else {
      public_part(rows, schema)
    }
    plan_synthesis(domain, method, epsilon, rho, delta, mu, budget, rng)
  }
  # a budget sets the order at which it counts, and is not charged for unseen rows
  release(x, if (!is_unseen(x)) budget, rng, read = function(x) encode_table(x, schema, "x"), make)
}

# The default method, "mst" above this number of columns, where AIM takes minutes. For tables of 5,000 rows and
# epsilon = 1, classifiers learned from AIM and from PrivBayes these fractions of their gain from real rows: Adult
# 0.59 and 0, Shuttle 0.43 and 0, Pulsar 0.90 and 0.57, Magic 0.52 and 0.68, Poker-Hand and Cleveland 0
# (inst/simulations/tables-default.R).
most_aim_columns <- 50

check_synthesis_method <- function(method, schema) {
  if (!is.null(method)) return(check_method(method, "synthesis"))
  default_method("synthesis", if (length(schema$columns) > most_aim_columns) "mst" else "aim")
}

# Plans a release from a public part, a method, and a source, all checked.
plan_synthesis <- function(domain, method, epsilon, rho, delta, mu, budget, rng) {
  cost <- check_not_little(method_cost(method, epsilon, rho, delta, mu))
  if (!is.null(budget)) check_class(budget, "dptda_budget", "privacy_budget()", "budget")
  mechanism <- method_mechanism(method, domain, cost, rng, counted_order(budget))
  mechanism$plan$settings <- method # for repeating the mechanism
  mechanism
}

# The public part of coded rows that were not read.
unread_codes <- function(n, schema, in_database = FALSE) {
  list(sizes = schema_sizes(schema), n = n, reading = if (in_database) database_reading)
}

rows_for.private_synthesis <- function(plan, x) encode_table(x, plan$schema, "x")

# The mechanism of a method, from the public part of a table and its cost (see also method_cost()). `rng`: the source
# of public random choices. `order`: the order at which the budget counts.
method_mechanism <- function(method, domain, cost, rng, order = NULL) UseMethod("method_mechanism")

# `plan`: the fields for methods of the class `kind`, with `n`. `method`: the name shown in the result.
synthesis_mechanism <- function(kind, plan, domain, guarantee, method = kind) {
  plan[c("method", "schema")] <- list(method, domain$schema)
  plan$entity <- domain$units$person # the column that identifies people
  new_mechanism(structure(plan, class = c(paste0("synthesis_", kind), "private_synthesis")), guarantee)
}

# For methods that count: noise that hides the column with the fewest cells hides all columns.
weak_counts <- function(plan) {
  cells <- plan$sizes[plan$sizes > 1]
  if (length(cells) == 0) return(NULL)
  noise <- noise_of(plan)[1, ]
  sd <- noise$sd
  weight <- if (is.null(plan$person_weight)) 1 else plan$person_weight
  weak_noise(plan$n, sd * min(cells), "the noise on each count of a column has a standard deviation of ",
             format(sd, digits = 2), ", which exceeds the mean count of a cell in every column, so the synthetic rows ",
             "will be noise",
             noise = if (grepl("Gaussian", noise$kind)) new_noise("gaussian", noise$scale * weight, 1 / weight))
}

result_of.private_synthesis <- function(plan, drawn) {
  fit <- list(schema = plan$schema, method = plan$method, n = plan$n, model = drawn$model, steps = drawn$steps,
              settings = plan$settings)
  fit$person <- plan$entity # NULL for rows
  new_result(fit, "dptda_synthesis")
}

define_class("dptda_synthesis", "private_synthesis()", schema = is_made("dptda_schema"), method = is_one_string,
             n = is_one_number,
             steps = is.data.frame, settings = is_null_or(is_made("dptda_method")),
             .valid = function(x) {
               class <- class(x$model)[1]
               !is.null(known_classes[[class]]) && is_valid(x$model, class) &&
                 identical(x$model$sizes, schema_sizes(x$schema))
             })

# Checks for a set of columns of a model, by place.
are_places <- function(x, sizes) is_plain_numeric(x) && all(x %in% seq_along(sizes)) && !anyDuplicated(x)

# Checks that sums of probabilities are 1.
are_ones <- function(x) all(abs(x - 1) < 1e-6)

# Products of two such numbers are far from infinite, as the kernel for drawing requires (src/ffi-publish-decode.c).
are_moderate <- function(x) is_numbers(x) && all(abs(x) <= 1e100)

# The nearest point of the simplex. Noise that fills many empty cells is subtracted from all cells alike. Setting only
# negative cells to zero would keep the upper half of it, and margins of Adult would be a third farther from the true
# ones.
nearest_shares <- function(x) {
  sorted <- sort.int(x, decreasing = TRUE)
  excess <- (cumsum(sorted) - 1) / seq_along(sorted)
  last <- max(which(sorted > excess), 1)
  shares <- pmax(x - excess[last], 0)
  # if numbers are too large, 1 is lost in rounding
  if (sum(shares) == 0) shares <- as.double(x == sorted[1])
  shares / sum(shares)
}

# One table of counts with the largest scale, 2^40, costs a rho of 2^-80. Parts of smaller budgets would have no
# digits.
least_spent <- 2^-90

check_not_little <- function(cost) {
  if (cost$spent < least_spent) stop_little_budget(cost)
  cost
}

stop_little_budget <- function(cost) {
  stop_argument(names(cost$measure)[1], "is too small: the noise would exceed the largest scale of this package.")
}

# Limits rho, because no noise is left to remove above it. Weights of margins that are measured repeatedly would be
# infinite, and eight times a rho would overflow.
useful_rho <- function(rho) min(rho, 2^40)

# ---- guarantees ----------------------------------------------------------------------------

# The measure of a part of the budget, less by more than all roundings that follow.
part_measure <- function(cost, part) structure(unname(part) * query_margin, names = names(cost$spent))

# Builds the guarantee. `parts`: from split_cost(), one ledger entry for each, except zeros. `choices`: by name, how
# many exponential mechanisms share a part evenly. A declared epsilon and delta are one entry.
synthesis_guarantee <- function(domain, cost, parts, mechanism, public, choices = NULL) {
  step <- "private_synthesis"
  kind <- names(cost$spent)
  person <- domain$units$person
  if (!identical(names(cost$measure), kind)) return(query_guarantee(cost, mechanism, public, step, person = person))
  parts <- parts[parts > 0]
  shared <- if (is_pure(cost)) names(choices)
  steps <- Map(function(name, part) {
    measure <- structure(part, names = kind)
    title <- if (length(parts) == 1) step else paste0(step, ": ", name)
    if (names(cost$known) == "mu") return(new_step(title, measure, spent = known_of(measure)))
    if (!name %in% shared) return(new_step(title, measure))
    new_step(title, measure, bounded_range = TRUE, times = choices[[name]])
  }, names(parts), parts)
  query_guarantee(cost, mechanism, public, step, steps = unname(steps), person = person)
}

# Public parameters common to all methods. `person_weight`: see units_weight().
synthesis_public <- function(domain, person_weight, ...) {
  c(list(n = domain$n, sizes = domain$sizes), weight_words(domain$units, person_weight), list(...),
    if (!is.null(domain$caveat)) list(caveat = domain$caveat))
}

# Adds noise of this scale to counts (a vector or a list), both in rows or people. Counts of people are in integer
# parts (base-people.R). `person_weight` parts are one person, a power of two, so division is exact.
noisy_counts <- function(counts, scale, kind, rng, person_weight = 1) {
  noisy <- add_noise(counts, person_weight * scale, kind, rng)
  if (is.list(noisy)) lapply(noisy, `/`, person_weight) else noisy / person_weight
}

# The same noise, for a price.
count_noise <- function(kind, scale, person_weight) new_noise(kind, person_weight * scale, 1 / person_weight)

# Lines of `steps`. `part`: the cost in epsilon or rho, whichever is spent.
synthesis_step <- function(cost, step, columns, part, scale = NA_real_, epsilon = NA_real_) {
  frame <- data.frame(step = step, columns = columns, scale = scale, epsilon = epsilon)
  frame[[if (is_pure(cost)) "cost_epsilon" else "rho"]] <- part
  frame
}

scope_labels <- function(sizes, scopes) vapply(scopes, function(scope) paste(names(sizes)[scope], collapse = ", "), "")

# ---- models --------------------------------------------------------------------------------

# Draws `nsim` rows as an integer matrix of codes from 0, with one column for each column of the schema.
draw_codes <- function(model, nsim, rng) UseMethod("draw_codes")

# The probability of each combination of the codes of `columns` (places) in the model, up to a factor, the first
# column fastest.
model_margin <- function(model, columns) UseMethod("model_margin")

# Joined pairs of columns, directed from `from` to `to` if the model has directions.
model_edges <- function(model) UseMethod("model_edges")

# Pairs of columns whose association the model holds, each once: places `from` < `to`.
model_pairs <- function(model) UseMethod("model_pairs")

# For pairs from model_pairs(): `cells`, the number of cells of their counts, and `noise`, the standard deviation of
# the noise on one of these, in rows or people. NULL if unknown.
pair_noise <- function(model, pairs) UseMethod("pair_noise")

# Describes the other pairs, or all columns if there is no such pair.
pair_words <- function(model, none) UseMethod("pair_words")

# The standard deviation of the noise on the probability of each cell of one column. NULL if unknown.
model_noise <- function(model, column) UseMethod("model_noise")

# For each column, how many cells were counted as one.
model_merged <- function(model) UseMethod("model_merged")

#' @exportS3Method
model_merged.default <- function(model) NULL

#' @exportS3Method
model_noise.default <- function(model, column) NULL

#' @exportS3Method
pair_noise.default <- function(model, pairs) NULL

# Noise of pairs from measured scopes with these standard deviations. Takes the smallest if several contain a pair.
scopes_noise <- function(pairs, scopes, sizes, deviation) {
  cells <- vapply(scopes, function(scope) prod(sizes[scope]), 0)
  own <- as.double(sizes[pairs$from]) * sizes[pairs$to]
  noise <- vapply(seq_len(nrow(pairs)), function(i) {
    home <- vapply(scopes, function(scope) all(c(pairs$from[i], pairs$to[i]) %in% scope), NA)
    # a model changed by hand may have no such scope
    min(Inf, deviation[home] * sqrt(cells[home] / own[i]))
  }, 0)
  data.frame(cells = own, noise = noise)
}

#' @exportS3Method
model_edges.default <- function(model) data.frame(from = integer(), to = integer())

#' @exportS3Method
pair_words.default <- function(model, none) {
  if (none) "Columns are drawn independently" else "Other pairs are related only through these"
}

# Checks whether the columns of a table differ, beyond rounding. Equal columns show no association.
is_moved <- function(table) any(abs(table - table[, 1]) > 1e-12)

# Distinct pairs of places, from pairs in any order and number.
distinct_pairs <- function(from, to) {
  pairs <- unique(data.frame(from = pmin(from, to), to = pmax(from, to)))
  pairs <- pairs[order(pairs$from, pairs$to), ]
  data.frame(from = pairs$from, to = pairs$to)
}

# Joined pairs of columns with more than one code.
joined_pairs <- function(model, sizes) {
  edges <- model_edges(model)
  several <- sizes[edges$from] > 1 & sizes[edges$to] > 1
  distinct_pairs(edges$from[several], edges$to[several])
}

# Pairs of columns that share a scope.
scope_edges <- function(scopes) {
  pairs <- lapply(scopes[lengths(scopes) > 1], function(scope) t(utils::combn(sort.int(scope), 2)))
  pairs <- unique(do.call(rbind, c(list(matrix(0L, 0, 2)), pairs)))
  data.frame(from = pairs[, 1], to = pairs[, 2])
}

# Tables of columns with two codes.
logical_table <- function(codes) structure(as.data.frame(codes == 1), names = paste0("c", seq_len(ncol(codes))))

logical_schema <- function(d) do.call(table_schema, structure(rep(list(schema_logical()), d),
                                                            names = paste0("c", seq_len(d))))

# `part`: a function that returns the numbers to use, from the model.
synthesis_example <- function(note, codes, neighbor, part, ...) {
  settings <- list(schema = logical_schema(ncol(codes)), ...)
  release_example("synthesis", note, logical_table(codes), logical_table(neighbor), settings,
                  part = function(fit) part(fit$model))
}

# The same for people. The last column of `codes` and of `neighbor` identifies the person of a row.
people_synthesis_example <- function(note, codes, neighbor, part, ...) {
  read <- function(codes) {
    last <- ncol(codes)
    people_example(cbind(logical_table(codes[, -last, drop = FALSE]), person = codes[, last]))
  }
  settings <- list(schema = logical_schema(ncol(codes) - 1), ...)
  release_example("synthesis", note, read(codes), read(neighbor), settings, part = function(fit) part(fit$model))
}
