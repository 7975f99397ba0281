# A mechanism is the public part of a release, made before any row is used: its plan, its guarantee, and its cost. Rows
# enter later, through draw_release() (privacy-release.R), which alone charges a budget.
#
# `plan` is plain data with a class that begins with the mechanism: c("private_mean", "additive"). It holds neither
# functions, nor environments, nor anything from rows: a function would keep the frame of its creation, with its rows.
# Methods for the plan define the mechanism:
#
#   rows_for(plan, x)                 rows in the form that statistic_of() takes, from the `x` of a user
#   weakness_of(plan)                 why public numbers predict that a release shows little (privacy-weak.R), or NULL
#                                     (default). A price reports it, and so does a warning before anything is spent, so
#                                     that a handler may stop the call
#   announce(plan)                    a message with a class about anything further, then. None by default
#   statistic_of(plan, rows)          the statistic of the rows, before the charge. Draws nothing. Detects every missing
#                                     value and every statement that a database refuses
#   draw_of(plan, statistic, rng)     noise. Uses rows only through `statistic`, the result of statistic_of()
#   draws_of(plan, statistic, runs, rng)  many draws at once, for audits: a list, or a matrix with one row per run
#   result_of(plan, drawn)            the classed result, without its guarantee (post-processing)
#   noise_of(plan)                    the size of its noise, for a price (privacy-price.R)
#   noise_target(plan)                for plans of class "additive", instead: the name of the noisy statistic
#   example_of(plan)                  rows on which all of this is tested (privacy-examples.R)
#
# An adaptive mechanism, whose queries depend on earlier answers, gets `ask` instead of `statistic` (see below).
#
# Code that makes a mechanism also rehearses it: if a kernel may refuse a plan, it does so then. A mechanism that exists
# can be drawn.

# release() (privacy-release.R) makes a mechanism from the number of rows, or from unseen() rows, so that a release has
# a price before there are rows.
#
# `guarantee`: the guarantee of the result, to which draw_release() adds the source of randomness. `earlier`: the
# guarantee of the release that a public argument came from, or NULL. The result states it, and it is not charged again.
# `adaptive`: the amount that queries may spend, a named `epsilon` or `rho`, or NULL without queries.
new_mechanism <- function(plan, guarantee, earlier = NULL, adaptive = NULL) {
  warn_large_delta(guarantee)
  new_result(list(plan = plan, guarantee = guarantee, earlier = earlier, adaptive = adaptive), "dptda_mechanism")
}

public_plan <- function(class, ...) structure(list(...), class = class)

# Returns the column names, one for each side of a box. If the box has names, `columns` must match them. May be NULL.
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

# Draws many results from one statistic, for any kind of mechanism.
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

# ---- adaptive queries --------------------------------------------------------------------------------------------

# Runs an adaptive draw: draw_of(plan, ask, rng) uses rows only through ask(query). Everything between two queries is
# post-processing. ask() adds up the costs of queries, so the mechanism need not be trusted, and later holds no rows.
#
# A query is one question about the rows, with a noisy answer: a list of `cost` (a named `epsilon` or `rho`), the exact
# `statistic(given)`, and `draw(exact, rng)`, the only part that is returned. It is short-lived, and may hold functions.
draw_by_questions <- function(plan, statistic, adaptive, rng) {
  questions <- open_questions(statistic, adaptive, rng)
  on.exit(questions$close())
  draw_of(plan, questions$ask, rng)
}

# Shares of a budget add up to it up to rounding, so 2^-40 of it is allowed in addition.
open_questions <- function(statistic, adaptive, rng) {
  left <- adaptive * (1 + 2^-40)
  open <- TRUE
  # an argument that was not evaluated would keep the frame of its caller
  force(statistic)
  force(rng)
  list(
    ask = function(query) {
      if (!open) stop_dptda("budget", "A query was made after its release had ended.")
      if (!identical(names(query$cost), names(left)) || !isTRUE(query$cost >= 0 && query$cost <= left)) {
        stop_dptda("budget", "A query costs more than its release has left.")
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

# ---- integers plus noise -----------------------------------------------------------------------------------------

# Returns noise that keeps a cost. `l1` and `l2_squared`: sensitivities of integers, one for each scale.
plan_noise <- function(cost, l1, l2_squared, step = 1) {
  new_noise(measure_noise(cost$spent), noise_scale(cost$spent, l1, l2_squared), step)
}

noise_names <- c(laplace = "discrete Laplace", gaussian = "rounded Gaussian")

noise_words <- function(noise) paste(noise_names[[noise$kind]], "noise")

# Returns the same for units that may be people (base-people.R). `l1`, `l2_squared`: sensitivities for one row.
# `largest`: the most that a row adds to a sum. A person of weight W moves W times as much, in units W times as small.
# `weight`: W, as large as exact sums and a scale of at most 2^40 allow.
plan_unit_noise <- function(units, cost, l1, l2_squared, largest = 1) {
  noise <- plan_noise(cost, l1, l2_squared)
  exact <- 52 - ceiling(log2(units$n)) - ceiling(log2(largest))
  weight <- units_weight(units, min(exact, 40 - ceiling(log2(max(noise$scale)))))
  if (weight > 1) noise <- plan_noise(cost, l1 * weight, l2_squared * weight^2, 1 / weight)
  list(noise = noise, weight = weight)
}

# Returns the fields of a guarantee about people, besides their number, and about rows that drop missing values.
weight_words <- function(units, weight) {
  c(if (!is.null(units$person)) list(weight = weight), if (identical(units$take, "one")) list(rows_of_person = "one"),
    if (isTRUE(units$omit)) list(missing = "omit"))
}

# Plans of class "additive" have `noise`, and their statistic is a vector of integers. If they are also "derived",
# results are not just these numbers in other units, and noise_of() describes the noise of the numbers.
draw_of.additive <- function(plan, statistic, rng) add_noise(statistic, plan$noise$scale, plan$noise$kind, rng)

draws_of.additive <- function(plan, statistic, runs, rng) {
  scale <- rep(rep_len(plan$noise$scale, length(statistic)), each = runs)
  matrix(add_noise(rep(statistic, each = runs), scale, plan$noise$kind, rng), runs)
}
