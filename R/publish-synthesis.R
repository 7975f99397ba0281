# Whole tables, published as models from which rows are drawn. Each method (base-method.R) makes a mechanism, whose
# draw gives `model` and `steps`. A model has a class with methods for draw_codes() and model_margin(), and everything
# in it was released.

#' Private synthetic data
#'
#' Fits a model to a table under differential privacy. [simulate()][simulate.dptda_synthesis] then draws any number of
#' synthetic rows from the model at no further privacy cost. All columns of a public schema are modeled together.
#'
#' # Methods
#'
#' | method | model | takes |
#' |---|---|---|
#' | `"aim"`, [synthesis_aim()] | margins, measured where the model is worst | all three |
#' | `"mst"`, [synthesis_mst()] | pairs of columns that form a tree | all three |
#' | `"privbayes"`, [synthesis_privbayes()] | a network in which columns depend on others | all three |
#' | `"margins"`, [synthesis_methods] | each column by itself | all three |
#' | `"topology"`, [synthesis_topology()] | points with a private diagram | `rho`, or `epsilon` with `delta` |
#' | `"dp2pub"`, [synthesis_methods] | rows with flipped codes, for comparison | `epsilon` |
#'
#' "All three" means `epsilon`, `rho`, or `epsilon` with `delta`. The default is AIM, or MST for more than 50 columns,
#' where AIM takes minutes. [synthesis_methods] compares the methods. The result and its guarantee name the method.
#' `print()` shows if there is more noise than rows.
#'
#' # Fitting of a model
#' Each row becomes one integer code per column. The model uses noisy joint counts of a few columns and private choices
#' among sets of columns (with `"dp2pub"`, flipped codes). A table may have up to 256 columns, because
#' their full cross table is never built. A request with too many cells for memory is refused before any budget is
#' spent.
#'
#' All methods accept tables in a database ([table_rows()]), and no row leaves it: see the page of each method.
#'
#' @param x A data frame or matrix with at least one row, or a table of a database or of people ([table_rows()]). It
#'   must have the columns of the schema, by name. Other columns are not read.
#' @param schema A public schema from [table_schema()], or a named list of the arguments of [table_schema()].
#' @param epsilon,rho One positive number, for one of the two: `epsilon`, alone or with `delta`, or `rho`, the parameter
#'   of zero-concentrated differential privacy.
#' @inheritParams private_release
#' @param delta `NULL`, or one number in (0, 1), together with `epsilon`. Uses Gaussian noise and the largest `rho`
#'   known to satisfy (`epsilon`, `delta`)-differential privacy.
#' @param method A string from the table above, or a method with settings, such as
#'   `synthesis_aim(max_model_size = 16)`. `NULL` chooses AIM, or MST for more than 50 columns.
#'
#' @return An object of class `dptda_synthesis`: a list of `schema`, `method` and its `settings`, `n` (the number of
#'   rows, or of people, who are called `person`), `model`, and `steps`. The data frame `steps` has one row for each
#'   query: `step`, `columns`, the `scale` of the noise on counts, the `epsilon` of a choice, and the cost in `epsilon`
#'   or `rho`. See [simulate()][simulate.dptda_synthesis] for its methods, and [confint()][confint.dptda_synthesis] for
#'   intervals that account for the noise.
#'
#' @section People:
#' If people have several rows ([table_rows()] with `person`), the model describes one row per person. `simulate()`
#' draws as many rows as there are people by default. A fraction in the model is the mean over people of the fraction of
#' each person's rows. The model does not contain which rows belong to one person.
#'
#' The methods `"dp2pub"` and `"topology"` process each row by itself and need `rows_of_person = "one"`. Each person
#' must have a row (`people` cannot be given).
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: replacing a row changes at most two counts of a table, by one each. Replacing a person lowers some
#' counts by at most one in total and raises others by as much. Scores of choices are integers with an exact
#' sensitivity.
#'
#' Guarantee: `epsilon`-differential privacy, `rho`-zero-concentrated differential privacy, or (`epsilon`,
#' `delta`)-differential privacy, exactly. Choices are drawn exactly. Noise is drawn and added in integers, and its
#' scale is rounded up. Everything else is computed from released results. The whole budget is spent before the first
#' draw, and the entries of the ledger add up to it.
#'
#' Not protected: running time, unless the option `dptda.release_time` is set ([dptda-package]). If the schema refuses
#' missing values, they are an error before any budget is spent. Do not publish that error message; it depends on the
#' data. A schema that was read from the data ([schema_from_data()]) makes the release not private, and its guarantee
#' states so. `vignette("privacy-model", package = "dptda")` explains these terms.
#'
#' @section Implementation:
#' Noisy counts are replaced by the nearest nonnegative counts that add up to the number of rows or people. Graphical
#' models are fitted by mirror descent along a junction tree. Rows are drawn such that their margins differ from the
#' model's only by rounding. In SQLite and PostgreSQL, all statements run in one read-only transaction.
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
private_synthesis <- function(x, schema, epsilon = NULL, rho = NULL, ..., delta = NULL, method = NULL, budget = NULL,
                              rng = c("os", "R")) {
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
    plan_synthesis(domain, method, epsilon, rho, delta, budget, rng)
  }
  # a budget says at which order it counts, and is not charged for unseen rows
  release(x, if (!is_unseen(x)) budget, rng, read = function(x) encode_table(x, schema, "x"), make)
}

# What is taken where nobody says. Of what classifiers learn from real rows they learned, of tables of 5,000 rows and
# with epsilon = 1 alone, from AIM and from PrivBayes: Adult .59 and nothing, Shuttle .43 and nothing, Pulsar .90 and
# .57, Magic .52 and .68; from Poker-Hand and Cleveland nothing (inst/simulations/tables-default.R). Beyond so many
# columns it takes minutes.
most_aim_columns <- 50

check_synthesis_method <- function(method, schema) {
  if (!is.null(method)) return(check_method(method, "synthesis"))
  default_method("synthesis", if (length(schema$columns) > most_aim_columns) "mst" else "aim")
}

# Of a public part, a method and a source that are checked.
plan_synthesis <- function(domain, method, epsilon, rho, delta, budget, rng) {
  cost <- check_not_little(method_cost(method, epsilon, rho, delta))
  if (!is.null(budget)) check_class(budget, "dptda_budget", "privacy_budget()", "budget")
  mechanism <- method_mechanism(method, domain, cost, rng, counted_order(budget))
  mechanism$plan$settings <- method # who wants to do the same again
  mechanism
}

# Coded rows that nobody has read: all that is public of them.
unread_codes <- function(n, schema, in_database = FALSE) {
  list(sizes = schema_sizes(schema), n = n, reading = if (in_database) database_reading)
}

rows_for.private_synthesis <- function(plan, x) encode_table(x, plan$schema, "x")

# What a method is asked, beside method_cost(): its mechanism, of the public part of a table and what is to be spent.
# `rng`: where what is public of it is drawn from; `order`: the one at which the budget counts.
method_mechanism <- function(method, domain, cost, rng, order = NULL) UseMethod("method_mechanism")

# `plan`: what the methods of the class `kind` need, with `n`. `method`: the name that the result shows.
synthesis_mechanism <- function(kind, plan, domain, guarantee, method = kind) {
  plan[c("method", "schema")] <- list(method, domain$schema)
  plan$entity <- domain$units$person # what a person is called
  new_mechanism(structure(plan, class = c(paste0("synthesis_", kind), "private_synthesis")), guarantee)
}

# Of a method that counts: where the noise hides the column with the fewest cells it hides all.
weak_counts <- function(plan) {
  cells <- plan$sizes[plan$sizes > 1]
  if (length(cells) == 0) return(NULL)
  sd <- noise_of(plan)$sd[1]
  weak_noise(plan$n, sd * min(cells), "the noise on each count of a column has a standard deviation of ",
             format(sd, digits = 2), ", which exceeds the mean count of a cell in every column, so the synthetic rows ",
             "will be noise")
}

result_of.private_synthesis <- function(plan, drawn) {
  fit <- list(schema = plan$schema, method = plan$method, n = plan$n, model = drawn$model, steps = drawn$steps,
              settings = plan$settings)
  fit$person <- plan$entity # of rows there is none
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

# A set of columns of a model, by their places.
are_places <- function(x, sizes) is_plain_numeric(x) && all(x %in% seq_along(sizes)) && !anyDuplicated(x)

# Sums of probabilities.
are_ones <- function(x) all(abs(x - 1) < 1e-6)

# Products of two of them are far from infinite, as the kernel that draws rows wants it (src/ffi-publish-decode.c).
are_moderate <- function(x) is_numbers(x) && all(abs(x) <= 1e100)

# The nearest point of the simplex: noise that has made cells of many empty ones is taken out of all alike, where zero
# for what is below it would leave the upper half of it in (and margins of Adult a third as far again from the true
# ones).
nearest_shares <- function(x) {
  sorted <- sort.int(x, decreasing = TRUE)
  excess <- (cumsum(sorted) - 1) / seq_along(sorted)
  last <- max(which(sorted > excess), 1)
  shares <- pmax(x - excess[last], 0)
  # beside numbers that are too large nothing of one is left
  if (sum(shares) == 0) shares <- as.double(x == sorted[1])
  shares / sum(shares)
}

# The largest scale, 2^40, keeps a rho of 2^-80 for one table of counts. Below, parts of a budget would have no digits.
least_spent <- 2^-90

check_not_little <- function(cost) {
  if (cost$spent < least_spent) stop_little_budget(cost)
  cost
}

stop_little_budget <- function(cost) {
  stop_argument(names(cost$measure)[1], "is too small: the noise would exceed the largest scale of this package.")
}

# Beyond it no noise is left to take away. Weights of margins that are measured again and again would have no end, and
# eight times a rho would be no double.
useful_rho <- function(rho) min(rho, 2^40)

# ---- guarantees ----------------------------------------------------------------------------

# What a part of the budget buys: less than it by more than all roundings that follow.
part_measure <- function(cost, part) structure(unname(part) * query_margin, names = names(cost$spent))

# `parts`: as split_cost() gives them, one entry of the ledger for each; those of 0 are none. `choices`: by name, how
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
    if (!name %in% shared) return(new_step(title, measure))
    new_step(title, measure, bounded_range = TRUE, times = choices[[name]])
  }, names(parts), parts)
  query_guarantee(cost, mechanism, public, step, steps = unname(steps), person = person)
}

# What all methods say of what is public. `person_weight`: see units_weight().
synthesis_public <- function(domain, person_weight, ...) {
  c(list(n = domain$n, sizes = domain$sizes), weight_words(domain$units, person_weight), list(...),
    if (!is.null(domain$caveat)) list(caveat = domain$caveat))
}

# Counts, a vector or a list of some, with noise of this scale, both in rows or people. Those of people were whole parts
# of a person (base-people.R), of which `person_weight` are one: a power of two, so that nothing is rounded.
noisy_counts <- function(counts, scale, kind, rng, person_weight = 1) {
  noisy <- add_noise(counts, person_weight * scale, kind, rng)
  if (is.list(noisy)) lapply(noisy, `/`, person_weight) else noisy / person_weight
}

# The noise of that, for a price.
count_noise <- function(kind, scale, person_weight) new_noise(kind, person_weight * scale, 1 / person_weight)

# Lines of `steps`: `part`, what it costs in epsilon or rho, whichever is spent.
synthesis_step <- function(cost, step, columns, part, scale = NA_real_, epsilon = NA_real_) {
  frame <- data.frame(step = step, columns = columns, scale = scale, epsilon = epsilon)
  frame[[if (is_pure(cost)) "cost_epsilon" else "rho"]] <- part
  frame
}

scope_labels <- function(sizes, scopes) vapply(scopes, function(scope) paste(names(sizes)[scope], collapse = ", "), "")

# ---- models --------------------------------------------------------------------------------

# `nsim` rows as an integer matrix of codes from 0, a column for each column of the schema.
draw_codes <- function(model, nsim, rng) UseMethod("draw_codes")

# How likely each combination of the codes of `columns` (places) is in the model, up to a factor, the first of them
# fastest.
model_margin <- function(model, columns) UseMethod("model_margin")

# A part of the columns of each pair that is joined, from `from` to `to` where there is a direction.
model_edges <- function(model) UseMethod("model_edges")

# Pairs of columns of which the model holds what they have to do with each other, each once: places `from` < `to`.
model_pairs <- function(model) UseMethod("model_pairs")

# Of pairs as model_pairs() gives them: `cells`, in how many their counts are, and `noise`, the standard deviation of
# the noise on one of these, in rows or people; NULL where not known.
pair_noise <- function(model, pairs) UseMethod("pair_noise")

# What the model says of the others, or of all columns where there is no such pair.
pair_words <- function(model, none) UseMethod("pair_words")

# How far the noise may have moved the probability of each cell of one column, in standard deviations; NULL where not
# known.
model_noise <- function(model, column) UseMethod("model_noise")

# Of each column how many cells were counted as one.
model_merged <- function(model) UseMethod("model_merged")

#' @exportS3Method
model_merged.default <- function(model) NULL

#' @exportS3Method
model_noise.default <- function(model, column) NULL

#' @exportS3Method
pair_noise.default <- function(model, pairs) NULL

# From measured scopes, which have noise of these standard deviations: of each pair the least, where several have it.
scopes_noise <- function(pairs, scopes, sizes, deviation) {
  cells <- vapply(scopes, function(scope) prod(sizes[scope]), 0)
  own <- as.double(sizes[pairs$from]) * sizes[pairs$to]
  noise <- vapply(seq_len(nrow(pairs)), function(i) {
    home <- vapply(scopes, function(scope) all(c(pairs$from[i], pairs$to[i]) %in% scope), NA)
    # none in a model that was changed by hand
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

# What does not change where the place in a table along one side changes, but for rounding, holds nothing.
is_moved <- function(table) any(abs(table - table[, 1]) > 1e-12)

# Pairs of different places, in any order and number.
distinct_pairs <- function(from, to) {
  pairs <- unique(data.frame(from = pmin(from, to), to = pmax(from, to)))
  pairs <- pairs[order(pairs$from, pairs$to), ]
  data.frame(from = pairs$from, to = pairs$to)
}

# Pairs that are joined, of columns that have more than one code.
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

# ---- methods -------------------------------------------------------------------------------

#' Synthetic rows from a private model
#'
#' `simulate()` draws rows from a model of [private_synthesis()]. `summary()` lists the queries behind the model, and
#' `plot()` shows the columns that it joins or the distribution of each column.
#'
#' # Modeled associations
#' Printing the model or its summary lists the pairs of columns whose association is modeled. These are the pairs that
#' were counted together in a released query. With `"topology"`, they are the pairs in which both columns change with
#' the position in the plane. Two columns that are joined neither directly nor through others are drawn independently.
#' `print()` names at most six pairs, `summary()` all of them.
#'
#' Beside each pair stand the number of cells in which it was counted and the standard deviation of the noise on each
#' of these counts. If that noise exceeds the mean count of a cell, the model captures little of the pair. Example: for
#' two columns with 10 levels each, 2,000 rows give 20 rows per cell, and noise with a standard deviation of 30 hides
#' most of the association. With `"dp2pub"` and `"topology"`, this noise is not known and is not shown.
#'
#' # Standard errors
#' Do not use standard errors that are computed from drawn rows, such as those of `summary(lm())`. They ignore the
#' privacy noise and everything that the model leaves out, so they are too small, often many times. Drawing more rows
#' makes them even smaller, but brings no estimate closer to the truth. [confint()][confint.dptda_synthesis] returns
#' intervals that account for the noise.
#'
#' @param object An object of class `dptda_synthesis`.
#' @param nsim An integer, at least 0: the number of rows to draw. By default, the number of rows or people behind the
#'   model.
#' @param seed One integer or `NULL`: the seed of the draws ([set.seed()]). The state of the generator is restored
#'   afterwards.
#' @param ... Not used. Later arguments must be named.
#' @param x An object of class `dptda_synthesis`.
#' @param which A string: `"network"` draws the columns and joins those that were counted together; `"margins"` draws
#'   the fraction of each cell of each column, with lines that hold the noise with a probability of about 0.95.
#' @param main A string: the title.
#' @param col A color for bars and arrows.
#'
#' @return `simulate()`: a data frame with `nsim` rows and the columns of the schema. Numbers are drawn uniformly within
#'   their cell, and are integers if the schema declares them as integers. Columns with levels are factors (ordered if
#'   the schema says so), and logical columns are logical. Missing values are `NA` if they have a cell of their own.
#'
#'   `summary()`: the data frame `steps` of the model. `print()` and `plot()`: `x`, invisibly.
#'
#' @section Privacy:
#' All methods use the released model alone. Drawn rows, summaries, and plots are as private as the model and cost no
#' budget.
#'
#' @seealso [private_synthesis()], [evaluate_synthesis()]
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' fit <- private_synthesis(people, schema, epsilon = 1)
#' head(simulate(fit, nsim = 1000, seed = 1))
#' summary(fit)
#' plot(fit, which = "margins")
#' @order 1
#' @importFrom stats simulate
#' @export
simulate.dptda_synthesis <- function(object, nsim = object$n, seed = NULL, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  nsim <- check_count(nsim, upper = 2^31 - 1)
  with_seed(seed, decode_table(draw_codes(object$model, nsim, "R"), object$schema, "R"))
}

#' @rdname simulate.dptda_synthesis
#' @export
summary.dptda_synthesis <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  new_result(object$steps, "summary.dptda_synthesis", also = "data.frame", pairs = format_pairs(object$model, Inf))
}

define_class("summary.dptda_synthesis", "summary()", .bare = is.data.frame,
             .valid = function(x) all(vapply(unclass(x), is.atomic, NA)) && all(lengths(x) == nrow(x)))

#' @export
print.summary.dptda_synthesis <- function(x, ...) {
  check_valid(x, "summary.dptda_synthesis")
  shown <- as.data.frame(x)
  shown[] <- lapply(shown, function(column) if (is.numeric(column)) blank_numbers(column) else column)
  print(shown, row.names = FALSE, right = FALSE)
  cost <- intersect(c("cost_epsilon", "rho"), names(shown))
  writeLines(wrap_lines(c(paste0("scale: noise on counts, epsilon: budget of a choice, ", cost, ": privacy cost"),
                          if (is.character(attr(x, "pairs"))) attr(x, "pairs"))))
  invisible(x)
}

# What a step has not is not there.
blank_numbers <- function(x) ifelse(is.na(x), "", vapply(x, format, "", digits = 3))

#' @export
as.data.frame.summary.dptda_synthesis <- function(x, ...) {
  check_valid(x, "summary.dptda_synthesis")
  attr(x, "pairs") <- NULL
  class(x) <- "data.frame"
  as.data.frame(x, ...)
}

# Which pairs of columns the model holds, with the noise on their counts, by their names where they are at most `most`;
# NULL of one column.
format_pairs <- function(model, most = 6) {
  names <- names(model$sizes)
  all <- choose(length(names), 2)
  if (all == 0) return(NULL)
  held <- model_pairs(model)
  found <- nrow(held)
  count <- if (found == 0) "none of" else if (found < all) paste(format_count(found), "of") else "all"
  noise <- if (found > 0) pair_noise(model, held)
  words <- if (found < all) pair_words(model, found == 0)
  c(paste0("associations modeled: ", count, " ", format_count(all), if (all > 1) " pairs" else " pair",
           if (!is.null(words)) paste0(". ", words, ".")),
    if (found > 0 && found <= most) name_pairs(names, held, noise, model$n),
    if (found > 0) lone_words(names[-c(held$from, held$to)]),
    if (!is.null(noise)) noise_of_pairs(noise, model$n, found > most))
}

# Columns that are in no pair.
lone_words <- function(names) {
  if (length(names)) paste0("columns drawn independently: ", quote_names(names, 5))
}

name_pairs <- function(names, held, noise, n) {
  own <- if (!is.null(noise)) {
    paste0(": ", format_count(noise$cells), " cells, mean count ", plain_noise(n / noise$cells), ", noise +- ",
           plain_noise(noise$noise))
  }
  paste0("  `", names[held$from], "` and `", names[held$to], "`", own)
}

plain_noise <- function(noise) vapply(signif(noise, 3), format, "", scientific = FALSE)

# What the numbers are, and where they say that nothing can be seen. `many`: the pairs were not named.
noise_of_pairs <- function(noise, n, many) {
  drowned <- sum(noise$noise > n / noise$cells)
  ends <- unique(plain_noise(range(noise$noise)))
  c(paste0("noise of pairs: standard deviation of the count of a cell",
           if (many) paste0(", ", paste(ends, collapse = " to "))),
    if (drowned > 0) paste0("noise exceeds the mean count of a cell: ", format_count(drowned), " of these pairs"))
}

#' @rdname simulate.dptda_synthesis
#' @export
print.dptda_synthesis <- function(x, ...) {
  check_valid(x, "dptda_synthesis")
  print_release(x, {
    cat("method ", x$method, ": ", units_words(x), ", ",
        count_of(length(x$schema$columns), "column"), "\n", sep = "")
    writeLines(wrap_lines(c(single_words(x$model), merged_words(x$model), format_pairs(x$model),
                            spent_words(x$steps))))
    cat("Tests and intervals from drawn rows ignore the noise. Use confint(model, f).\n")
  })
}

# How well single columns are known, in parts of all rows.
single_words <- function(model) {
  noise <- unlist(lapply(seq_along(model$sizes), function(j) model_noise(model, j)))
  if (length(noise)) paste0("noise of single columns: up to ", format_percent(signif(max(noise), 2)),
                            " (standard deviation of the fraction in a cell)")
}

# Where fewer cells are counted than were declared.
merged_words <- function(model) {
  merged <- model_merged(model)
  columns <- which(merged > 1)
  if (!length(columns)) return(NULL)
  shown <- utils::head(columns, 5)
  each <- paste0(merged[shown], " of `", names(model$sizes)[shown], "`")
  paste0("rare cells merged, since noise would hide them: ", paste(each, collapse = ", "),
         if (length(columns) > 5) paste(", and of", length(columns) - 5, "more columns"))
}

# What was asked for the budget, by kind; summary() has each step.
spent_words <- function(steps) {
  cost <- intersect(c("cost_epsilon", "rho"), names(steps))
  kinds <- unique(steps$step)
  each <- vapply(kinds, function(kind) {
    own <- steps[[cost]][steps$step == kind]
    paste0(format(sum(own), digits = 3), " on ", if (length(own) > 1) paste(length(own), "x "), kind)
  }, "")
  paste0(sub("cost_", "", cost), " spent: ", paste(each, collapse = ", "), " (see summary())")
}

#' @rdname simulate.dptda_synthesis
#' @export
plot.dptda_synthesis <- function(x, which = c("network", "margins"), main = NULL, col = "#0072B2", ...) {
  check_no_dots(...)
  check_valid(x, "dptda_synthesis")
  which <- check_choice(which, c("network", "margins"))
  if (which == "network") plot_network(x, main, col) else plot_margins(x, main, col)
  invisible(x)
}

# Columns on a circle; an arrow from a parent, a line where there is no direction.
plot_network <- function(x, main, col) {
  names <- names(x$schema$columns)
  d <- length(names)
  angle <- pi / 2 - 2 * pi * (seq_len(d) - 1) / d
  at <- if (d == 1) cbind(0, 0) else cbind(cos(angle), sin(angle))
  edges <- model_edges(x$model)
  graphics::plot(NULL, xlim = c(-1.5, 1.5), ylim = c(-1.3, 1.3), asp = 1, axes = FALSE, xlab = "", ylab = "")
  fit_title(if (is.null(main)) paste("columns joined in the model, method", x$method) else main)
  if (nrow(edges)) {
    from <- at[edges$from, , drop = FALSE]
    to <- at[edges$to, , drop = FALSE]
    # arrows end short of the names
    start <- from + 0.1 * (to - from)
    end <- from + 0.9 * (to - from)
    directed <- !is.null(attr(edges, "directed"))
    graphics::arrows(start[, 1], start[, 2], end[, 1], end[, 2], length = if (directed) 0.1 else 0, col = col)
  }
  graphics::text(1.12 * at[, 1], 1.12 * at[, 2], names, xpd = NA)
}

# At most twelve columns, each with its cells.
plot_margins <- function(x, main, col) {
  shown <- utils::head(seq_along(x$schema$columns), 12)
  saved <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)), cex = 0.8, mar = c(4.6, 3, 2, 1))
  on.exit(graphics::par(saved))
  for (j in shown) {
    share <- model_margin(x$model, j)
    share <- share / sum(share)
    noise <- model_noise(x$model, j)
    reach <- if (is.null(noise)) 0 else 1.96 * noise
    at <- graphics::barplot(share, names.arg = x$schema$columns[[j]]$names, col = col, border = NA, las = 2,
                            cex.names = 0.8,
                            ylim = c(0, max(share + reach)), main = if (is.null(main))
                              names(x$schema$columns)[j] else main)
    if (!is.null(noise)) graphics::segments(at, pmax(share - reach, 0), at, share + reach)
  }
}

# Tables of columns with two codes.
logical_table <- function(codes) structure(as.data.frame(codes == 1), names = paste0("c", seq_len(ncol(codes))))

logical_schema <- function(d) do.call(table_schema, structure(rep(list(schema_logical()), d),
                                                            names = paste0("c", seq_len(d))))

# `part`: of the model, the numbers that are looked at.
synthesis_example <- function(note, codes, neighbor, part, ...) {
  settings <- list(schema = logical_schema(ncol(codes)), ...)
  release_example("synthesis", note, logical_table(codes), logical_table(neighbor), settings,
                  part = function(fit) part(fit$model))
}

# The same of people: the last column of both says whose a row is.
people_synthesis_example <- function(note, codes, neighbor, part, ...) {
  read <- function(codes) {
    last <- ncol(codes)
    people_example(cbind(logical_table(codes[, -last, drop = FALSE]), person = codes[, last]))
  }
  settings <- list(schema = logical_schema(ncol(codes) - 1), ...)
  release_example("synthesis", note, read(codes), read(neighbor), settings, part = function(fit) part(fit$model))
}
