# Which method should publish a table where nobody asks for one: six tables, four methods, three classifiers, side by
# side, with epsilon alone.
#
# Each of two repeats draws 1,500 rows to test (a fifth of a small table), and of the others 5,000 at most, which are
# published by every method at every epsilon. A logistic regression (nnet), a tree (rpart) and a support vector
# machine (e1071) learn the class from 1,000 drawn rows, and margins of two columns are compared with those of the
# held-out rows. `share` is how much of what a classifier could learn from 1,000 real rows it has learned: 1 as much,
# 0 as much as who always says the most frequent class.
#
#   Rscript inst/simulations/tables-default.R FOLDER
#
# Beside the tables of tables-common.R, all of the UCI Machine Learning Repository but the last, which is of Kaggle
# ("Predicting a Pulsar Star"), and none of them shipped:
#
#   magic04.data.gz                      "MAGIC Gamma Telescope" (Bock 2004)
#   shuttle.trn.gz                       "Statlog (Shuttle)"
#   pulsar_data_train.csv.gz             "HTRU2" (Lyon 2015) with values removed; its 9,273 complete rows
#
# Their bounds are round numbers about what is in the rows, which is not private, and the same for all methods.
source("inst/simulations/tables-common.R")

# ---- tables ------------------------------------------------------------------------------------------------------

magic_bounds <- list(length = c(0, 250), width = c(0, 120), size = c(1.8, 4.8), conc = c(0, 0.9), conc1 = c(0, 0.6),
                     asymmetry = c(-250, 150), long = c(-200, 150), trans = c(-80, 80), alpha = c(0, 90),
                     distance = c(0, 400))
shuttle_bounds <- list(time = c(25, 110), b = c(-10, 10), c = c(70, 120), d = c(-10, 10), e = c(-50, 80),
                       f = c(-40, 40), g = c(0, 80), h = c(0, 130),
                       i = c(-10, 130))
pulsar_bounds <- list(mean = c(0, 200), deviation = c(20, 100), kurtosis = c(-2, 8), skewness = c(-2, 70),
                      curve_mean = c(0, 200), curve_deviation = c(0, 120), curve_kurtosis = c(-4, 30),
                      curve_skewness = c(-50, 600))

bounded_schema <- function(bounds, levels) {
  numbers <- lapply(bounds, function(pair) schema_numeric(pair, cells = 16))
  do.call(table_schema, c(numbers, list(class = schema_categorical(levels, other = levels[1]))))
}

read_named <- function(rows, bounds) {
  names(rows) <- c(names(bounds), "class")
  rows$class <- as.character(rows$class)
  stats::na.omit(rows)
}

class_target <- list(class = function(rows) rows$class)

tables <- c(tables, list(
  Magic = list(schema = bounded_schema(magic_bounds, c("g", "h")), targets = class_target,
               read = function() read_named(read.csv(data_file("magic04.data.gz"), header = FALSE), magic_bounds)),
  Shuttle = list(schema = bounded_schema(shuttle_bounds, as.character(1:7)), targets = class_target,
                 read = function() read_named(read.table(data_file("shuttle.trn.gz")), shuttle_bounds)),
  Pulsar = list(schema = bounded_schema(pulsar_bounds, c("0", "1")), targets = class_target,
                read = function() read_named(read.csv(data_file("pulsar_data_train.csv.gz")), pulsar_bounds))
))

# ---- classifiers -------------------------------------------------------------------------------------------------

classifiers <- list(
  logistic = function(rows) {
    fit <- nnet::multinom(class ~ ., rows, trace = FALSE, MaxNWts = 1e5, decay = 1e-3)
    function(new) predict(fit, new)
  },
  tree = function(rows) {
    fit <- rpart::rpart(class ~ ., rows, method = "class")
    function(new) predict(fit, new, type = "class")
  },
  svm = function(rows) {
    fit <- e1071::svm(class ~ ., rows, cost = 4)
    function(new) predict(fit, new)
  }
)

# Rows as features: numbers and levels in order by their places among the cells, from 0 to 1, others by level.
features <- function(rows, table, levels) {
  target <- names(table$targets)[1]
  schema <- table$schema
  codes <- row_codes(rows, schema)
  columns <- setdiff(names(schema$columns), c(target, without[[target]]))
  frame <- lapply(columns, function(name) {
    column <- schema$columns[[name]]
    code <- codes[, match(name, names(schema$columns))]
    if (column$type %in% c("numeric", "ordered")) return((code - 1) / max(1, column$size - 1))
    factor(code, seq_len(column$size))
  })
  names(frame) <- columns
  classes <- as.character(table$targets[[target]](rows))
  data.frame(frame, class = if (is.null(levels)) classes else factor(classes, levels))
}

# A column that has one value in what is learned from says nothing, and machines that scale stumble over it.
errors_of <- function(from, test, table) {
  target <- features(test, table, NULL)$class
  from <- from[sample.int(nrow(from), min(nrow(from), 1000)), ]
  learned <- features(from, table, NULL)
  levels <- sort(unique(learned$class))
  if (length(levels) == 1) return(vapply(classifiers, function(learn) mean(target != levels), 0))
  learned$class <- factor(learned$class, levels)
  asked <- features(test, table, NULL)
  useful <- vapply(learned, function(x) length(unique(x)) > 1, NA)
  for (name in names(learned)[vapply(learned, is.factor, NA) & names(learned) != "class" & useful]) {
    seen <- levels(droplevels(learned[[name]]))
    learned[[name]] <- factor(learned[[name]], seen)
    asked[[name]] <- factor(ifelse(asked[[name]] %in% seen, as.character(asked[[name]]), seen[1]), seen)
  }
  learned <- learned[useful]
  vapply(classifiers, function(learn) mean(as.character(learn(learned)(asked)) != target), 0)
}

# ---- the comparison ----------------------------------------------------------------------------------------------

without <- list(education = "education_num", num = character())
methods <- c("aim", "mst", "privbayes", "margins")
epsilons <- c(0.25, 1, 4)
repeats <- sized(2, least = 1)

run_table <- function(table, rows) {
  held <- sample.int(nrow(rows), min(1500, nrow(rows) %/% 5))
  others <- setdiff(seq_len(nrow(rows)), held)
  train <- rows[others[sample.int(length(others), min(5000, length(others)))], ]
  test <- rows[held, ]
  real <- errors_of(train, test, table)
  classes <- table$targets[[1]](train)
  none <- mean(as.character(table$targets[[1]](test)) != names(which.max(base::table(classes))))
  settings <- rbind(expand.grid(method = methods, epsilon = epsilons, delta = NA, stringsAsFactors = FALSE),
                    data.frame(method = "aim", epsilon = epsilons, delta = 1e-6))
  lines <- lapply(seq_len(nrow(settings)), function(i) {
    s <- settings[i, ]
    seconds <- system.time(fit <- private_synthesis(train, table$schema, s$epsilon,
                                                    delta = if (!is.na(s$delta)) s$delta,
                                                    method = s$method, rng = "R"))[[3]]
    margins <- as.data.frame(evaluate_synthesis(fit, test, margins = 2, most_margins = 60, points = 0))
    data.frame(s, t(errors_of(simulate(fit, nrow(train)), test, table)), margin = margins$model, seconds)
  })
  cbind(do.call(rbind, lines), none, real = t(real))
}

# Means over the repeats.
summarize <- function(found) {
  errors <- found[names(classifiers)]
  real <- found[paste0("real.", names(classifiers))]
  found$share <- rowMeans((found$none - errors) / (found$none - real))
  numbers <- c(names(classifiers), "none", "share", "margin", "seconds")
  groups <- interaction(found$epsilon, found$method, is.na(found$delta), drop = TRUE)
  do.call(rbind, lapply(split(found, groups), function(own) {
    data.frame(own[1, c("method", "epsilon", "delta")], signif(t(colMeans(own[numbers])), 3),
               real = signif(mean(as.matrix(own[names(real)])), 3))
  }))
}

results <- lapply(names(tables), function(name) {
  message(name)
  set.seed(92)
  rows <- tables[[name]]$read()
  found <- do.call(rbind, repetitions(repeats, function(i) run_table(tables[[name]], rows)))
  data.frame(table = name, summarize(found), row.names = NULL)
})
write_table(do.call(rbind, results), "tables-default")
