# Does the private diagram improve a table that is published by its shape? The method "topology" as it is ("annealed"),
# against the same where the diagram is charged and moves nothing ("unused"), and where there is none and its part of
# the budget is the mixture's ("mixture"). All three are drawn by the same coins, and so go on from the same noisy
# moments, or the same trained network: their differences are those of the diagram alone.
#
# For Adult, in its nine columns of levels and in all fifteen, Poker-Hand and Cleveland: the mean total variation of
# margins of two and three columns from those of the rows; the bottleneck distances between the diagrams (components and
# loops) of 2,000 rows and of 2,000 drawn ones, both in the principal plane of the rows, as the method sees it; and for
# Adult the errors of a support vector machine that learns the salary from 2,000 drawn rows, on 3,000 rows that were
# held out. delta = 1e-6. "again": the rows drawn again with replacement, and for the diagrams other rows.
#
#   Rscript inst/simulations/tables-annealing.R FOLDER linear|autoencoder [REPEATS]
source("inst/simulations/tables-common.R")

decoder <- match.arg(commandArgs(TRUE)[2], c("linear", "autoencoder"))
repeats <- as.integer(c(commandArgs(TRUE), sized(10))[3])
epsilons <- c(0.4, 1, 3.2)
variants <- list(annealed = list(), unused = list(steps = 0),
                 mixture = list(shares = c(moments = 0.5, diagram = 0, mixture = 0.5)))

nine <- schema_columns(adult_schema, adult_categorical)
cases <- list(
  Cleveland = list(schema = cleveland_schema, read = read_cleveland),
  "Adult, nine columns" = list(schema = nine, read = read_adult, target = adult_targets["salary"]),
  Adult = list(schema = adult_schema, read = read_adult, target = adult_targets["salary"]),
  Poker = list(schema = poker_schema, read = read_poker)
)

# One model for each variant. What is released before the diagram has the same part of the budget in all.
publish_variants <- function(train, schema, epsilon) {
  coins <- sample.int(.Machine$integer.max, 1)
  models <- lapply(variants, function(settings) {
    method <- do.call(synthesis_topology, c(settings, list(decoder = decoder)))
    mechanism <- suppressMessages(private_synthesis(unseen(nrow(train)), schema, epsilon, delta = 1e-6,
                                                    method = method))
    simulate(mechanism, 1, seed = coins, x = train)[[1]]
  })
  first <- function(fit) if (decoder == "linear") fit$steps$scale[1] else fit$model$decoder
  stopifnot(all(vapply(models, function(fit) identical(first(fit), first(models[[1]])), NA)))
  models
}

plane_grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 32)

# The diagram of some rows in the principal plane of the real ones.
plane_diagram <- function(rows, place) {
  rows <- rows[sample(nrow(rows), min(2000, nrow(rows))), ]
  true_diagram(place(rows), plane_grid, m0 = 0.05, clip = 1)
}

compare <- function(drawn, case, train, place, truth, test) {
  far <- distances(truth, plane_diagram(drawn, place))
  apart <- as.data.frame(evaluate_synthesis(drawn, train, schema = case$schema, points = 0))$model
  found <- c(variation2 = apart[1], variation3 = apart[2], components = far[1], loops = far[2])
  if (is.null(case$target)) return(found)
  some <- drawn[sample(nrow(drawn), min(2000, nrow(drawn))), ]
  evaluated <- evaluate_synthesis(some, test, case$target, schema = case$schema, rows = 2000, points = 0,
                                  most_margins = 1)
  evaluated <- as.data.frame(evaluated)
  c(found, salary = evaluated$model[evaluated$what == names(case$target)])
}

run_case <- function(name) {
  case <- cases[[name]]
  rows <- case$read()
  test <- if (is.null(case$target)) integer() else sample(nrow(rows), 3000)
  train <- if (length(test)) rows[-test, ] else rows
  place <- principal_plane(train, case$schema)
  truth <- plane_diagram(train, place)
  lines <- function(variant, epsilon, drawn) {
    found <- compare(drawn, case, train, place, truth, rows[test, ])
    data.frame(table = name, decoder, variant, epsilon, measure = names(found), value = found, row.names = NULL)
  }
  at <- function(epsilon) {
    models <- publish_variants(train, case$schema, epsilon)
    do.call(rbind, Map(function(variant, model) {
      lines(variant, epsilon, simulate(model, nrow(train)))
    }, names(models), models))
  }
  again <- train[sample(nrow(train), nrow(train), TRUE), ]
  rbind(lines("again", Inf, again), do.call(rbind, lapply(epsilons, at)))
}

# Means over the repeats, and of each variant the mean of its difference from the annealed one, with the standard error
# of that.
summarize <- function(found) {
  key <- function(x) interaction(x$table, x$epsilon, x$measure, x$`repeat`, drop = FALSE)
  annealed <- found[found$variant == "annealed", ]
  found$beyond <- found$value - annealed$value[match(paste(key(found)), paste(key(annealed)))]
  groups <- split(found, interaction(found$table, found$epsilon, found$measure, found$variant, drop = TRUE,
                                     lex.order = TRUE))
  do.call(rbind, lapply(groups, function(g) {
    data.frame(g[1, c("table", "decoder", "epsilon", "measure", "variant")], mean = signif(mean(g$value), 4),
               beyond_annealed = signif(mean(g$beyond), 3), error = signif(sd(g$beyond) / sqrt(nrow(g)), 2),
               repeats = nrow(g), row.names = NULL)
  }))
}

# Written after each repeat, so that a run that is ended early leaves something.
found <- NULL
for (name in names(cases)) for (i in seq_len(repeats)) {
  set.seed(1000 + i)
  found <- rbind(found, cbind(`repeat` = i, run_case(name)))
  write_table(summarize(found), paste0("tables-annealing-", decoder))
}
