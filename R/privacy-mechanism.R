# A mechanism is everything public of a release, made before any row is looked at: what it will do, what it promises,
# what it costs. Rows come in afterwards, by one door, draw_release() (privacy-release.R), which alone charges a budget.
#
# `plan` is plain data with a class, that of the mechanism first: c("private_mean", "additive"). No function, no
# environment, nothing of the rows: a function would keep the frame it was made in, and the rows that are there. What a
# mechanism does is in methods for its plan:
#
#   rows_for(plan, x)                 rows as statistic_of() takes them, of what a person has
#   weakness_of(plan)                 why public numbers say that a release will show little (privacy-weak.R); NULL by
#                                     default. Said by a warning before anything is spent, so that a handler may end
#                                     the call, and by a price
#   announce(plan)                    what else there is to say then, as a message with a class; nothing by default
#   statistic_of(plan, rows)          what the rows give, before the charge; draws nothing. Every missing value and
#                                     every statement that a database refuses is found here.
#   draw_of(plan, statistic, rng)     noise; reads no row but through `statistic`, what statistic_of() gave
#   draws_of(plan, statistic, runs, rng)  as many at once, for audits: a list, or a matrix with one row a run
#   result_of(plan, drawn)            the classed result, without its guarantee; post-processing
#   noise_of(plan)                    how large its noise is, for a price (privacy-price.R)
#   noise_target(plan)                of a plan of the class "additive" in its place: what noise is added to, in words
#   example_of(plan)                  rows on which all of this is tried (privacy-examples.R)
#
# An adaptive mechanism, one that asks what it asks by what it heard, is given `ask` in the place of `statistic` (see
# below).
#
# Who makes a mechanism rehearses: where a kernel may refuse a plan, it is asked then. A mechanism that exists can be
# drawn.

# release() (privacy-release.R) makes a mechanism of the number of rows that were read, or of unseen() rows, so that a
# release has a price before there are rows.
#
# `guarantee`: what the result will carry; draw_release() says in it where randomness came from. `earlier`: the
# guarantee of the release that a public argument came from, or NULL: the result says so, and it is not spent again.
# `adaptive`: what may be spent on questions, an `epsilon` or a `rho` by name, or NULL where nothing is asked.
new_mechanism <- function(plan, guarantee, earlier = NULL, adaptive = NULL) {
  warn_large_delta(guarantee)
  new_result(list(plan = plan, guarantee = guarantee, earlier = earlier, adaptive = adaptive), "dptda_mechanism")
}

public_plan <- function(class, ...) structure(list(...), class = class)

# Names of columns, one for each side of a box, which may have these names, or NULL.
check_public_columns <- function(columns, box) {
  if (is.null(columns)) return(box$columns)
  if (!is.character(columns) || length(columns) != length(box$lower)) {
    stop_argument("columns", "must be NULL or ", count_of(length(box$lower), "name"),
                  ", one for each side of the box, not ",
                  describe(columns), ".")
  }
  check_column_names(columns, "columns")
  if (is.null(box$columns)) return(columns)
  match_names(columns, box$columns, "columns", "the columns that the box names")
  box$columns
}

rows_for <- function(plan, x) UseMethod("rows_for")

announce <- function(plan) UseMethod("announce")

statistic_of <- function(plan, rows) UseMethod("statistic_of")

draw_of <- function(plan, statistic, rng) UseMethod("draw_of")

draws_of <- function(plan, statistic, runs, rng) UseMethod("draws_of")

result_of <- function(plan, drawn) UseMethod("result_of")

# All draws for what the rows gave, whatever kind of mechanism it is.
many_draws <- function(mechanism, statistic, runs, rng) {
  plan <- mechanism$plan
  if (runs == 0) return(list())
  if (is.null(mechanism$adaptive)) return(draws_of(plan, statistic, runs, rng))
  lapply(seq_len(runs), function(run) draw_by_questions(plan, statistic, mechanism$adaptive, rng))
}

announce.default <- function(plan) invisible()

draws_of.default <- function(plan, statistic, runs, rng) {
  lapply(seq_len(runs), function(run) draw_of(plan, statistic, rng))
}

# ---- questions ---------------------------------------------------------------------------------------------------

# An adaptive draw: draw_of(plan, ask, rng), where ask(query) is the only way to the rows. So all between two questions
# is post-processing, and what they cost together is counted here and not believed. Who keeps `ask` keeps no rows.
#
# A query is one question to the rows, with noise in its answer: a list of `cost`, an `epsilon` or a `rho` by name,
# `statistic(given)`, exact, and `draw(exact, rng)`, which alone goes out. It lives for a moment, so that it may be made
# of functions.
draw_by_questions <- function(plan, statistic, adaptive, rng) {
  questions <- open_questions(statistic, adaptive, rng)
  on.exit(questions$close())
  draw_of(plan, questions$ask, rng)
}

# Shares of a budget add up to it but for roundings, for which 2^-40 of it is room.
open_questions <- function(statistic, adaptive, rng) {
  left <- adaptive * (1 + 2^-40)
  open <- TRUE
  # what was not evaluated would keep the frame that it stands in
  force(statistic)
  force(rng)
  list(
    ask = function(query) {
      if (!open) stop_dptda("budget", "a question was asked after its release had ended.")
      if (!identical(names(query$cost), names(left)) || !isTRUE(query$cost >= 0 && query$cost <= left)) {
        stop_dptda("budget", "a question was asked that costs more than is left of its release.")
      }
      left <<- left - query$cost
      query$draw(query$statistic(statistic), rng)
    },
    close = function() {
      open <<- FALSE
      statistic <<- NULL
    }
  )
}

# ---- whole numbers plus noise ------------------------------------------------------------------------------------

# Noise that keeps a cost; `l1` and `l2_squared` are the sensitivities of whole numbers, one for each scale.
plan_noise <- function(cost, l1, l2_squared, step = 1) {
  kind <- measure_noise(cost$spent)
  new_noise(kind, noise_scale(cost$spent, l1, l2_squared, kind), step)
}

noise_names <- c(laplace = "Laplace", gaussian = "Gaussian")

noise_words <- function(noise) paste("discrete", noise_names[[noise$kind]], "noise")

# The same for units that may be people (base-people.R): `l1` and `l2_squared` are those of a row, and `largest` is
# what one row adds to a sum at most. A person who weighs W moves W times as much, in units W times as small. `weight`
# is W: as large as exact sums and a scale of 2^40 leave room for.
plan_unit_noise <- function(units, cost, l1, l2_squared, largest = 1) {
  noise <- plan_noise(cost, l1, l2_squared)
  exact <- 52 - ceiling(log2(units$n)) - ceiling(log2(largest))
  weight <- units_weight(units, min(exact, 40 - ceiling(log2(max(noise$scale)))))
  if (weight > 1) noise <- plan_noise(cost, l1 * weight, l2_squared * weight^2, 1 / weight)
  list(noise = noise, weight = weight)
}

# What a guarantee says of people beside their number, and of rows that leave missing values out.
weight_words <- function(units, weight) {
  c(if (!is.null(units$person)) list(weight = weight), if (identical(units$take, "one")) list(rows_of_person = "one"),
    if (isTRUE(units$omit)) list(missing = "omit"))
}

# Plans of the class "additive" have `noise`, and their statistic is a vector of whole numbers. Those that are "derived"
# as well have results that are more than these numbers in other units, and state the noise of the numbers.
draw_of.additive <- function(plan, statistic, rng) add_noise(statistic, plan$noise$scale, plan$noise$kind, rng)

draws_of.additive <- function(plan, statistic, runs, rng) {
  scale <- rep(rep_len(plan$noise$scale, length(statistic)), each = runs)
  matrix(add_noise(rep(statistic, each = runs), scale, plan$noise$kind, rng), runs)
}
