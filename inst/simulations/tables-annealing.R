# Does the private diagram improve a table that is published by its shape? The method "topology" as it is ("annealed"), against
# the same where the diagram is paid for and moves nothing ("unused"), and where there is none and its part of the budget is the
# mixture's ("mixture"). All three go on from the same noisy moments, or the same trained network, and differ in what follows: so
# their differences are those of the diagram alone.
#
# For Adult, in its nine columns of levels and in all fifteen, Poker-Hand and Cleveland: the mean total variation of margins of two and
# three columns from those of the rows; the bottleneck distances between the diagrams (components and loops) of 2,000 rows and of
# 2,000 drawn ones, both in the principal plane of the rows, as the method sees it; and for Adult the errors of a support vector machine
# that learns the salary from 2,000 drawn rows, on 3,000 rows that were held out. delta = 1e-6. "again": the rows drawn again with
# replacement, and for the diagrams other rows.
#
#   Rscript inst/simulations/tables-annealing.R FOLDER linear|autoencoder [REPEATS]
source("inst/simulations/tables-common.R")

decoder <- match.arg(commandArgs(TRUE)[2], c("linear", "autoencoder"))
repeats <- as.integer(c(commandArgs(TRUE), 10)[3])
epsilons <- c(0.4, 1, 3.2)
variants <- list(annealed = list(), unused = list(steps = 0), mixture = list(shares = c(moments = 0.5, diagram = 0, mixture = 0.5)))

nine <- schema_columns(adult_schema, adult_categorical)
cases <- list(
  Cleveland = list(schema = cleveland_schema, read = read_cleveland),
  "Adult, nine columns" = list(schema = nine, read = read_adult, target = adult_targets["salary"]),
  Adult = list(schema = adult_schema, read = read_adult, target = adult_targets["salary"]),
  Poker = list(schema = poker_schema, read = read_poker)
)

# One model for each variant. What is released before the diagram is released once: its part of the budget is the same in all.
publish_variants <- function(source, epsilon) {
  cost <- dptda:::check_cost(epsilon, NULL, 1e-6)
  plan_of <- function(settings) {
    method <- do.call(synthesis_topology, c(settings, list(decoder = decoder)))
    suppressMessages(dptda:::method_mechanism(method, dptda:::public_part(source), cost, "R"))$plan
  }
  plans <- lapply(variants, plan_of)
  plan <- plans[[1]]
  if (decoder == "linear") {
    stopifnot(all(vapply(plans, function(other) identical(other$moments, plan$moments), NA)))
    book <- plan$moments$book
    plane <- dptda:::find_plane(dptda:::draw_moments(dptda:::moment_sums(source, book), plan$moments, "R"), book, 2)
    X <- dptda:::project_codes(source$codes, plane, book, plan$side)
    decode <- function(places) dptda:::linear_decoder(plane, book, places)
  } else {
    # the noise is fitted to a sum that is rounded
    stopifnot(all(vapply(plans, function(other) isTRUE(all.equal(other$training, plan$training)), NA)))
    weights <- dptda:::train_autoencoder(source$codes, source$sizes, plan$training, "R")
    network <- c(list(kind = "network", sizes = source$sizes, side = plan$side), dptda:::network_layers(weights, source$sizes, plan$hidden))
    X <- dptda:::network_places(source$codes, network)
    decode <- function(places) network
  }
  lapply(plans, function(plan) dptda:::shape_model(X, plan, "R", decode))
}

# Of the sizes and tables of counts of two sets of codes.
variation <- function(source, codes, k) {
  drawn <- list(sizes = source$sizes, n = nrow(codes), codes = codes)
  scopes <- utils::combn(length(source$sizes), k, simplify = FALSE)
  far <- Map(function(p, q) sum(abs(p / source$n - q / drawn$n)) / 2, dptda:::joint_counts_all(source, scopes),
             dptda:::joint_counts_all(drawn, scopes))
  mean(unlist(far))
}

plane_grid <- domain_grid(domain_box(c(-3, -3), c(3, 3)), size = 32)

# The principal plane of the rows themselves, and the diagram of some of them there.
real_plane <- function(source) {
  book <- dptda:::encoding_book(source$schema)
  X <- dptda:::encode_codes(book, source$codes) / 2^book$bits
  dptda:::find_plane(list(mean = colMeans(X), covariance = cov(X), noise = 0), book, 2)
}
plane_diagram <- function(codes, plane, schema) {
  codes <- codes[sample(nrow(codes), min(2000, nrow(codes))), ]
  true_diagram(dptda:::project_codes(codes, plane, dptda:::encoding_book(schema), 3), plane_grid, m0 = 0.05, clip = 1)
}

compare <- function(codes, case, source, plane, truth, test) {
  far <- distances(truth, plane_diagram(codes, plane, case$schema))
  found <- c(variation2 = variation(source, codes, 2), variation3 = variation(source, codes, 3), components = far[1], loops = far[2])
  if (is.null(case$target)) return(found)
  drawn <- dptda:::decode_table(codes[sample(nrow(codes), min(2000, nrow(codes))), ], case$schema, "R")
  evaluated <- as.data.frame(evaluate_synthesis(drawn, test, case$target, schema = case$schema, rows = 2000, points = 0, most_margins = 1))
  c(found, salary = evaluated$model[evaluated$what == names(case$target)])
}

run_case <- function(name) {
  case <- cases[[name]]
  rows <- case$read()
  test <- if (is.null(case$target)) integer() else sample(nrow(rows), 3000)
  train <- if (length(test)) rows[-test, ] else rows
  source <- c(dptda:::encode_table(train, case$schema, "train"), list(schema = case$schema))
  plane <- real_plane(source)
  truth <- plane_diagram(source$codes, plane, case$schema)
  lines <- function(variant, epsilon, codes) {
    found <- compare(codes, case, source, plane, truth, rows[test, ])
    data.frame(table = name, decoder, variant, epsilon, measure = names(found), value = found, row.names = NULL)
  }
  at <- function(epsilon) {
    models <- publish_variants(source, epsilon)
    do.call(rbind, Map(function(variant, model) lines(variant, epsilon, dptda:::draw_codes(model, source$n, "R")), names(models), models))
  }
  rbind(lines("again", Inf, source$codes[sample(source$n, source$n, TRUE), ]), do.call(rbind, lapply(epsilons, at)))
}

# Means over the repeats, and of each variant the mean of its difference from the annealed one, with the standard error of that.
summarize <- function(found) {
  key <- function(x) interaction(x$table, x$epsilon, x$measure, x$`repeat`, drop = FALSE)
  annealed <- found[found$variant == "annealed", ]
  found$beyond <- found$value - annealed$value[match(paste(key(found)), paste(key(annealed)))]
  groups <- split(found, interaction(found$table, found$epsilon, found$measure, found$variant, drop = TRUE, lex.order = TRUE))
  do.call(rbind, lapply(groups, function(g) {
    data.frame(g[1, c("table", "decoder", "epsilon", "measure", "variant")], mean = signif(mean(g$value), 4),
               beyond_annealed = signif(mean(g$beyond), 3), error = signif(sd(g$beyond) / sqrt(nrow(g)), 2), repeats = nrow(g), row.names = NULL)
  }))
}

# Written after each repeat, so that a run that is ended early leaves something.
found <- NULL
for (name in names(cases)) for (i in seq_len(repeats)) {
  set.seed(1000 + i)
  found <- rbind(found, cbind(`repeat` = i, run_case(name)))
  write_table(summarize(found), paste0("tables-annealing-", decoder))
}
