# Published tables beside the real ones: the claims of Alipourjeddi and Miri (2024) that a table made from a private
# diagram beats PrivBayes and DP2-Pub at equal epsilon, and that errors fall with epsilon (Figures 7 to 9), with every
# method paying for all that touches rows.
#
# Ten repeats (of Cleveland, which is small, 30); each splits the rows anew, 4/5 to train and 1/5 to test (of Adult and
# Poker-Hand 3,000 of it), and publishes the first by every method at every epsilon (delta = 1e-6 where a method has
# one). Then a support vector machine (2,000 drawn rows) learns each target, and 2- and 3-way margins are compared with
# the real ones. The cost and width of the machine, and all settings of methods, were chosen before, on other splits.
#
#   Rscript inst/simulations/tables.R FOLDER [TABLE or METHOD...]
#
# "dp2pub-published" is DP2-Pub with the clusters of its authors (tables-published.R).
#
# Each setting has a seed of its own, so that with names of methods these alone are computed again, and take the place
# of their lines in the results. (In the results that are here only "dp2pub" and "dp2pub-published" were: the others are
# of a run in which settings followed each other in one stream of random numbers, the same splits of the rows before
# them.)
source("inst/simulations/tables-common.R")
source("inst/simulations/tables-published.R")

repeats <- sized(c(Adult = 10, Cleveland = 30, Poker = 10))
epsilons <- c(0.05, 0.1, 0.2, 0.4, 0.8, 1, 1.6, 3.2)
without <- list(education = "education_num")

publish <- list(
  margins = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, method = "margins", rng = "R"),
  privbayes = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, method = "privbayes", rng = "R"),
  dp2pub = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, method = "dp2pub", rng = "R"),
  topology = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, delta = 1e-6, method = "topology",
                                                               rng = "R"),
  autoencoder = function(rows, schema, epsilon) {
    private_synthesis(rows, schema, epsilon, delta = 1e-6, method = synthesis_topology(decoder = "autoencoder"),
                      rng = "R")
  },
  mst = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, delta = 1e-6, method = "mst",
                                                          rng = "R"),
  aim = function(rows, schema, epsilon) private_synthesis(rows, schema, epsilon, delta = 1e-6, method = "aim",
                                                          rng = "R"),
  `dp2pub-published` = published_dp2pub
)

# One split of one table: all methods and epsilons.
run_split <- function(table, rows) {
  test <- sample(nrow(rows), nrow(rows) %/% 5)
  train <- rows[-test, ]
  test <- rows[test[seq_len(min(3000, length(test)))], ]
  evaluate <- function(model, train) {
    evaluate_synthesis(model, test, table$targets, train = train, schema = if (is.data.frame(model)) table$schema,
                       without = without[names(without) %in% names(table$targets)], rows = 2000, points = 0)
  }
  real <- as.data.frame(evaluate(train, train))
  settings <- expand.grid(method = names(publish), epsilon = epsilons, stringsAsFactors = FALSE)
  settings <- settings[order(settings$method == "dp2pub-published"), ] # which came last: the others keep their seeds
  seeds <- sample.int(.Machine$integer.max, nrow(settings))
  found <- lapply(which(settings$method %in% methods), function(s) {
    set.seed(seeds[s])
    method <- settings$method[s]
    # an autoencoder refuses an epsilon that no training keeps
    seconds <- system.time(model <- tryCatch(publish[[method]](train, table$schema, settings$epsilon[s]),
                                             dptda_error_argument = function(e) if (method == "autoencoder")
                                               NULL else stop(e)))[[3]]
    if (is.null(model)) return(NULL)
    numbers <- as.data.frame(evaluate(model, NULL))
    data.frame(method, epsilon = settings$epsilon[s], seconds, numbers[c("measure", "what")], value = numbers$model)
  })
  rbind(do.call(rbind, found),
        data.frame(method = "real", epsilon = NA, seconds = NA, real[c("measure", "what")], value = real$real),
        data.frame(method = "baseline", epsilon = NA, seconds = NA, real[c("measure", "what")], value = real$baseline))
}

# Medians and means over the repeats, and the standard error of the mean.
summarize <- function(found) {
  groups <- split(found, interaction(found$method, found$epsilon, found$measure, found$what, drop = TRUE,
                                     lex.order = TRUE), drop = TRUE)
  do.call(rbind, lapply(groups, function(g) {
    data.frame(g[1, c("method", "epsilon", "measure", "what")], mean = signif(mean(g$value), 4),
               median = signif(median(g$value), 4),
               error = signif(sd(g$value) / sqrt(nrow(g)), 2), seconds = signif(median(g$seconds), 2),
               repeats = nrow(g), row.names = NULL)
  }))
}

# The lines of other methods, and of none, as they were written before.
keep_others <- function(summary, name) {
  if (identical(methods, names(publish))) return(summary)
  before <- read.csv(result_path(paste0(name, ".csv.xz")))
  all <- rbind(before[!before$method %in% methods, ], summary[summary$method %in% methods, ])
  all[order(all$method, all$epsilon, all$measure, all$what, method = "radix"), ]
}

# A table at a time, since Adult takes most of an hour: `Rscript inst/simulations/tables.R FOLDER Adult` does it alone.
asked <- commandArgs(TRUE)[-1]
chosen <- function(known) if (any(known %in% asked)) intersect(known, asked) else known
stopifnot(asked %in% c(names(tables), names(publish)))
methods <- chosen(names(publish))
for (name in chosen(names(tables))) {
  set.seed(91)
  table <- tables[[name]]
  rows <- table$read()
  found <- do.call(rbind, repetitions(repeats[[name]], function(i) cbind(`repeat` = i, run_split(table, rows))))
  found$epsilon <- ifelse(is.na(found$epsilon), Inf, found$epsilon) # no privacy
  file <- paste0("tables-", tolower(name))
  kept <- keep_others(summarize(found), file) # reads the file that is written
  write_points(kept, file)
}
