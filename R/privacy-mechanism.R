# A mechanism is everything public of a release, made before any row is looked at: what it will do, what it promises, what
# it costs. Rows come in afterwards, by one door, draw_release() (privacy-release.R), which alone pays.
#
# `plan` is plain data with a class, that of the mechanism first: c("private_mean", "additive"). No function, no
# environment, nothing of the rows: a function would keep the frame it was made in, and the rows that are there. What a
# mechanism does is in methods for its plan:
#
#   announce(plan)                    what public numbers tell whoever pays, as a warning or a message with a class: said
#                                     before anything is paid, so that a handler may end the call; nothing by default
#   statistic_of(plan, rows)          what the rows give, before the payment; draws nothing. Every missing value and every
#                                     statement that a database refuses is found here.
#   draw_of(plan, seen, rng)          noise; reads no row but through `seen`, what statistic_of() gave
#   draws_of(plan, seen, runs, rng)   as many at once, for audits: a list, or a matrix with one row a run
#   result_of(plan, drawn)            the classed result, without its guarantee; post-processing
#
# An adaptive mechanism, one that asks what it asks by what it heard, is given `ask` in the place of `seen` (see below).
#
# Who makes a mechanism rehearses: where a kernel may refuse a plan, it is asked then. A mechanism that exists can be
# drawn.

# `guarantee`: what the result will carry; draw_release() says in it where randomness came from. `earlier`: the guarantee
# of the release that a public argument came from, or NULL: the result says so, and it is not paid again. `adaptive`: what may
# be spent on questions, an `epsilon` or a `rho` by name, or NULL where nothing is asked.
new_mechanism <- function(plan, guarantee, earlier = NULL, adaptive = NULL) {
  structure(list(plan = plan, guarantee = guarantee, earlier = earlier, adaptive = adaptive), class = "dptda_mechanism")
}

public_plan <- function(class, ...) structure(list(...), class = class)

announce <- function(plan) UseMethod("announce")

statistic_of <- function(plan, rows) UseMethod("statistic_of")

draw_of <- function(plan, seen, rng) UseMethod("draw_of")

draws_of <- function(plan, seen, runs, rng) UseMethod("draws_of")

result_of <- function(plan, drawn) UseMethod("result_of")

announce.default <- function(plan) invisible()

draws_of.default <- function(plan, seen, runs, rng) lapply(seq_len(runs), function(run) draw_of(plan, seen, rng))

# ---- questions ---------------------------------------------------------------------------------------------------

# One question to the rows, with noise in its answer: `statistic(seen)`, exact, and `draw(exact, rng)`, which alone goes out.
# `cost`: an `epsilon` or a `rho` by name. It lives for a moment, so that it may be made of functions.
new_query <- function(cost, statistic, draw) list(cost = cost, statistic = statistic, draw = draw)

# An adaptive draw: draw_of(plan, ask, rng), where ask(query) is the only way to the rows. So all between two questions is
# post-processing, and what they cost together is counted here and not believed. Who keeps `ask` keeps no rows.
draw_by_questions <- function(plan, seen, adaptive, rng) {
  questions <- open_questions(seen, adaptive, rng)
  on.exit(questions$close())
  draw_of(plan, questions$ask, rng)
}

# Shares of a budget add up to it but for roundings, for which 2^-40 of it is room.
open_questions <- function(seen, adaptive, rng) {
  left <- adaptive * (1 + 2^-40)
  open <- TRUE
  # what was not evaluated would keep the frame that it stands in
  force(seen)
  force(rng)
  list(
    ask = function(query) {
      if (!open) stop_dptda("budget", "a question was asked after its release had ended.")
      if (!identical(names(query$cost), names(left)) || !isTRUE(query$cost >= 0 && query$cost <= left)) {
        stop_dptda("budget", "a question was asked that costs more than is left of its release.")
      }
      left <<- left - query$cost
      query$draw(query$statistic(seen), rng)
    },
    close = function() {
      open <<- FALSE
      seen <<- NULL
    }
  )
}

# ---- whole numbers plus noise ------------------------------------------------------------------------------------

# Noise that keeps a cost; `l1` and `l2_squared` are the sensitivities of whole numbers, one for each scale.
plan_noise <- function(cost, l1, l2_squared) {
  new_noise(measure_noise(cost$spent), noise_scale(cost$spent, l1 = l1, l2_squared = l2_squared))
}

noise_names <- c(laplace = "Laplace", gaussian = "Gaussian")

noise_words <- function(noise) paste("discrete", noise_names[[noise$kind]], "noise")

# Plans of the class "additive" have `noise`, and their statistic is a vector of whole numbers.
draw_of.additive <- function(plan, seen, rng) add_noise(seen, plan$noise$scale, plan$noise$kind, rng)

draws_of.additive <- function(plan, seen, runs, rng) {
  scale <- rep(rep_len(plan$noise$scale, length(seen)), each = runs)
  matrix(add_noise(rep(seen, each = runs), scale, plan$noise$kind, rng), runs)
}
