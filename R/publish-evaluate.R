# The quality of published rows, compared with real rows. Nothing here is private.

#' Evaluate private synthetic data
#'
#' Compares rows drawn from a model with real rows, by the error of a classifier, the distance of margins, and the
#' distance of persistence diagrams. The classifier is trained on drawn rows and tested on real rows. The same numbers
#' without privacy stand beside them.
#'
#' A support vector machine with a radial kernel (package e1071) learns each target from `rows` drawn rows. A column of
#' numbers or ordered levels is one feature, the position of its cell. Each other level is a feature of its own.
#'
#' @param model A model from [private_synthesis()], or a data frame of drawn rows.
#' @param test A data frame with the columns of the schema: real rows that were held out. Rows of people in memory
#'   ([table_rows()]) are also accepted. Margins then use all rows, with the same weight for each person. Classifiers
#'   and diagrams use one row per person, drawn by R's generator.
#' @param targets A character vector of columns, or a named list of functions. Each name is a column to learn, which is
#'   then not a feature. The function takes a data frame of rows and returns their classes.
#' @param ... Not used, except by `plot()`, which passes it to [plot.default()].
#' @param schema An object of class `dptda_schema` that encodes the rows. By default the schema of the model; required
#'   if `model` is a data frame.
#' @param train `NULL`, or the real rows behind the model, as for `test`. If given, the same classifier is also trained
#'   on these rows. Margins are then compared with `train` instead of `test`, which shows how close the model is to its
#'   own rows.
#' @param without A named list of character vectors: for each target, further columns that are not features.
#' @param margins Integers: the numbers of columns of the margins to compare.
#' @param most_margins An integer, at least 1. If there are more margins, this many are drawn by R's generator.
#' @param rows An integer, at least 10: the largest number of rows that a classifier is trained on.
#' @param svm A named list of arguments for [e1071::svm()], in addition to `cost = 4` and `gamma = 0.05`.
#' @param points An integer: the number of rows of each kind for diagrams, or 0 for no diagrams.
#' @param x An object of class `dptda_evaluation`.
#' @param main,xlab Strings: the title and the label of the plot.
#'
#' @return An object of class `dptda_evaluation`. `as.data.frame()` returns one row per number:
#'
#'   * `measure` and `what`: `"misclassification"` with the target, `"margin"` with the number of columns, or
#'     `"diagram"` with the dimension.
#'   * `model`: the number for drawn rows.
#'   * `real`: the number for real rows instead (`train` for classifiers and diagrams, `test` for margins), or `NA`
#'     without `train`.
#'   * `baseline`: always the most frequent class, or independent columns with the margins of the real rows that the
#'     model is compared with. It has no sampling error, so it may be below `real`.
#'
#'   Margins are compared by the mean total variation distance, half the sum of absolute differences. Diagrams are
#'   Vietoris-Rips diagrams of `points` rows with features in the unit cube, compared by the bottleneck distance
#'   (package ripserr; omitted if it is not installed).
#'
#' @section Privacy:
#' There is none: all numbers are computed from real rows. Do not publish them. Choose settings on other rows than those
#' whose error you report.
#'
#' @seealso [private_synthesis()]
#' @references
#' Alipourjeddi, N. and Miri, A. (2024). Preserving privacy in high-dimensional data publishing.
#' @examplesIf requireNamespace("e1071", quietly = TRUE)
#' schema <- table_schema(
#'   age = schema_numeric(0, 100, cells = 10), member = schema_logical(),
#'   city = c("north", "south")
#' )
#' people <- function(n) {
#'   age <- runif(n, 20, 80)
#'   data.frame(age, member = runif(n) < age / 100,
#'              city = ifelse(runif(n) < 0.6, "north", "south"))
#' }
#' train <- people(2000)
#' model <- private_synthesis(train, schema, epsilon = 1)
#' evaluate_synthesis(model, people(500), "member", train = train, points = 0)
#' @export
evaluate_synthesis <- function(model, test, targets = character(), ..., schema = NULL, train = NULL, without = list(),
                               margins = 2:3, most_margins = 500, rows = 4000, svm = list(), points = 200) {
  check_no_dots(...)
  if (missing(model)) stop_missing("model")
  if (missing(test)) stop_missing("test")
  schema <- evaluation_schema(model, schema)
  targets <- check_targets(targets, schema)
  check_left_out(without, names(targets), names(schema$columns))
  margins <- check_margins(margins, schema)
  most_margins <- check_count(most_margins, 1)
  rows <- check_count(rows, 10)
  points <- check_count(points, 0, 5000)
  if (!is.list(svm) || length(svm) && !are_names(names(svm))) stop_argument("svm", "must be a named list.")
  svm <- utils::modifyList(list(cost = 4, gamma = 0.05, fitted = FALSE), svm)
  if (length(targets)) require_classifier()
  if (!is.data.frame(model)) warn_of_rows(privacy(model)$person, test, "test")
  test <- evaluation_rows(test, schema, "test")
  if (!is.null(train)) train <- evaluation_rows(train, schema, "train")
  drawn <- if (is.data.frame(model)) evaluation_rows(model, schema, "model") else {
    evaluation_rows(stats::simulate(model, max(NROW(train$frame), NROW(test$frame))), schema, "model")
  }
  new_evaluation(rbind(
    compare_targets(drawn, train, test, targets, without, schema, rows, svm),
    compare_margins(drawn, train, test, margins, most_margins),
    compare_diagrams(drawn, train, test, schema, points)
  ), test_words(model, train, test))
}

new_evaluation <- function(numbers, note = NULL) {
  new_answer("dptda_evaluation", list(numbers = numbers, note = note))
}

define_class("dptda_evaluation", "evaluate_synthesis()", numbers = function(x) {
  is.data.frame(x) && identical(names(x), c("measure", "what", "model", "real", "baseline")) &&
    all(vapply(x[3:5], is.numeric, NA))
}, note = is_null_or(is_one_string))

# Warns if the test rows seem to be the rows from which the model was made.
test_words <- function(model, train, test) {
  if (!is.null(train)) {
    same <- identical(train$source$codes, test$source$codes)
    if (same) "Warning: `test` and `train` are the same rows, so these scores are too optimistic."
  } else if (inherits(model, "dptda_synthesis") && model$n == NROW(test$frame)) {
    paste("Warning: `test` has as many rows as the training data. If they are the same rows, these scores are too",
          "optimistic.")
  }
}

evaluation_schema <- function(model, schema) {
  if (inherits(model, "dptda_synthesis")) return(check_valid(model, "dptda_synthesis")$schema)
  if (!is.data.frame(model)) {
    stop_argument("model", "must be a model from private_synthesis() or a data frame of drawn rows, not ",
                  describe_data(model), ".")
  }
  if (is.null(schema)) stop_argument("schema", "must be given if `model` is a data frame.")
  check_schema(schema)
}

check_targets <- function(targets, schema) {
  if (is.character(targets) && !anyNA(targets)) {
    targets <- structure(lapply(targets, function(column) function(rows) rows[[column]]), names = targets)
  }
  good <- is.list(targets) && (length(targets) == 0 || are_names(names(targets))) &&
    all(vapply(targets, is.function, NA))
  if (!good) stop_argument("targets", "must be column names, or a list of functions named after columns.")
  unknown <- setdiff(names(targets), names(schema$columns))
  if (length(unknown)) stop_argument("targets", "names `", unknown[1], "`, which is not a column of the schema.")
  if (length(targets) && length(schema$columns) < 2) stop_argument("targets", "needs a schema of at least two columns.")
  targets
}

check_left_out <- function(without, targets, columns) {
  good <- is.list(without) && (length(without) == 0 || are_names(names(without))) &&
    all(vapply(without, function(own) is.character(own) && all(own %in% columns), NA))
  if (!good) stop_argument("without", "must be a list of column names, named after targets.")
  unknown <- setdiff(names(without), targets)
  if (length(unknown)) stop_argument("without", "names `", unknown[1], "`, which is not in `targets`.")
}

check_margins <- function(margins, schema) {
  good <- is_plain_numeric(margins) && !anyNA(margins) && all(margins == round(margins) & margins >= 1)
  if (!good) stop_argument("margins", "must be integers, at least 1.")
  margins[margins <= length(schema$columns)]
}

require_classifier <- function() {
  if (requireNamespace("e1071", quietly = TRUE)) return(invisible())
  stop_dptda("package", "`targets` need the package e1071. Run install.packages(\"e1071\").")
}

# Returns rows as given and as codes. `counted` has the codes for margins, and `total` their total weight.
evaluation_rows <- function(rows, schema, arg) {
  if (inherits(rows, "dptda_memory_rows") && !is.null(rows$person)) return(evaluation_people(rows, schema, arg))
  if (!is.data.frame(rows)) stop_argument(arg, "must be a data frame, not ", describe_data(rows), ".")
  source <- encode_table(rows, schema, arg)
  list(frame = rows, source = source, counted = source, total = source$n)
}

# Warns about plain rows: a model gives each person the same weight, but rows give more to people with many.
warn_of_rows <- function(person, rows, arg) {
  if (is.null(person) || !is.data.frame(rows) || !anyDuplicated(rows[[person]])) return(invisible())
  warn_dptda("unit", "`model` describes people (all rows with the same `", person, "`), but in `", arg, "` each row ",
             "counts one. Use table_rows(", arg, ", person = \"", person, "\") to give each person the same ",
             "weight.")
}

evaluation_people <- function(rows, schema, arg) {
  units <- check_public_units(public_units(check_valid(rows, "dptda_rows", arg)), exact = TRUE)
  if (rows$take == "one") rows <- settle_rows(rows, "R")
  all <- encode_table(rows, schema, arg)
  weight <- units_weight(units, 10)
  rows$take <- "one"
  rows <- settle_rows(rows, "R")
  frame <- if (is.matrix(rows$data)) as.data.frame(rows$data) else as_frame(rows)
  list(frame = frame, source = encode_table(rows, schema, arg), counted = weigh_rows(all, weight),
       total = rows$n * weight)
}

# ---- classifiers -----------------------------------------------------------------------------------------------------

compare_targets <- function(drawn, train, test, targets, without, schema, rows, svm) {
  errors <- lapply(names(targets), function(name) {
    left_out <- c(name, without[[name]])
    learn <- function(from) target_error(from, test, targets[[name]], left_out, schema, rows, svm)
    actual <- class_names(targets[[name]](test$frame))
    known <- class_names(targets[[name]]((if (is.null(train)) test else train)$frame))
    c(learn(drawn), if (is.null(train)) NA else learn(train), mean(actual != most_frequent(known)))
  })
  evaluation_lines("misclassification", names(targets), errors)
}

evaluation_lines <- function(measure, what, numbers) {
  numbers <- matrix(as.double(unlist(numbers)), 3)
  data.frame(measure = rep(measure, length(what)), what = as.character(what), model = numbers[1, ], real = numbers[2, ],
             baseline = numbers[3, ])
}

# Missing values are a class like others.
class_names <- function(classes) {
  names <- as.character(classes)
  replace(names, is.na(names), "missing")
}

most_frequent <- function(classes) names(which.max(table(classes)))

# The fraction of test rows misclassified after training on `from`. A single class needs no training.
target_error <- function(from, test, target, left_out, schema, rows, svm) {
  chosen <- if (from$source$n > rows) sample.int(from$source$n, rows) else seq_len(from$source$n)
  classes <- class_names(target(from$frame))[chosen]
  actual <- class_names(target(test$frame))
  if (length(unique(classes)) < 2) return(mean(actual != classes[1]))
  features <- function(source, which) row_features(source$codes[which, , drop = FALSE], schema, left_out)
  fit <- do.call(e1071::svm, c(list(features(from$source, chosen), factor(classes), scale = FALSE), svm))
  mean(as.character(stats::predict(fit, features(test$source, seq_len(test$source$n)))) != actual)
}

# Converts codes to numbers in [0, 1]: cells by their order, levels as indicators.
row_features <- function(codes, schema, left_out = character()) {
  columns <- Map(function(column, name, j) {
    if (name %in% left_out) return(NULL)
    if (column$type %in% c("numeric", "ordered")) return(codes[, j] / max(column$size - 1, 1))
    outer(codes[, j], seq_len(column$size - 1), `==`) * 1
  }, schema$columns, names(schema$columns), seq_along(schema$columns))
  features <- do.call(cbind, unname(columns))
  if (is.null(features)) matrix(0, nrow(codes), 1) else unname(features)
}

# ---- margins ---------------------------------------------------------------------------------------------------------

compare_margins <- function(drawn, train, test, margins, most) {
  against <- if (is.null(train)) test else train
  distances <- lapply(margins, function(k) {
    sets <- column_sets(length(against$source$sizes), k, most)
    actual <- margin_shares(against, sets)
    apart <- function(shares) mean(mapply(function(p, q) sum(abs(p - q)) / 2, shares, actual))
    c(apart(margin_shares(drawn, sets)), if (is.null(train)) NA else apart(margin_shares(test, sets)),
      apart(lapply(sets, independent_shares, margin_shares(against, seq_along(against$source$sizes)))))
  })
  evaluation_lines("margin", margins, distances)
}

# All sets of k of d columns, or `most` different random ones.
column_sets <- function(d, k, most) {
  if (choose(d, k) <= most) return(utils::combn(d, k, simplify = FALSE))
  drawn <- list()
  while (length(drawn) < most) {
    drawn <- unique(c(drawn, lapply(seq_len(most - length(drawn)), function(i) sort(sample.int(d, k)))))
  }
  drawn
}

margin_shares <- function(rows, sets) lapply(joint_counts_all(rows$counted, as.list(sets)), `/`, rows$total)

independent_shares <- function(set, single) Reduce(function(p, q) as.vector(outer(p, q)), single[set])

# ---- diagrams --------------------------------------------------------------------------------------------------------

compare_diagrams <- function(drawn, train, test, schema, points) {
  if (points == 0 || !requireNamespace("ripserr", quietly = TRUE)) return(NULL)
  diagram <- function(from) {
    chosen <- sample.int(from$source$n, min(points, from$source$n))
    features <- row_features(from$source$codes[chosen, , drop = FALSE], schema)
    embedding_diagram(features, "rips")
  }
  actual <- diagram(test)
  apart <- function(other) bottleneck_distance(other, actual, dimension = 0:1)
  shuffled <- test
  shuffled$source$codes[] <- apply(test$source$codes, 2, function(code) code[sample.int(length(code))])
  distances <- rbind(apart(diagram(drawn)), if (is.null(train)) NA else apart(diagram(train)), apart(diagram(shuffled)))
  evaluation_lines("diagram", 0:1, distances)
}

answer_blocks.dptda_evaluation <- function(x, n) {
  numbers <- x$numbers
  unit <- c(margin = " columns")[numbers$measure]
  numbers$what <- paste0(ifelse(numbers$measure == "diagram", "dimension ", ""), numbers$what,
                         ifelse(is.na(unit), "", unit))
  compared <- !all(is.na(numbers$real))
  words <- evaluation_words(unique(numbers$measure), compared)
  numbers[3:5] <- lapply(numbers[3:5], function(column) ifelse(is.na(column), "", sprintf("%.3f", column)))
  if (!compared) numbers$real <- NULL
  list("evaluation of a synthesis" = "NOT PRIVATE: computed from real rows", shown_table(numbers, right = FALSE),
       strwrap(c(words, x$note), 80, exdent = 2))
}

# Explains the numbers.
evaluation_words <- function(measures, compared) {
  what <- c(misclassification = "fraction of test rows with a wrong class",
            margin = "total variation distance, from 0 to 1", diagram = "bottleneck distance")[measures]
  simple <- c(misclassification = "most frequent class", margin = "independent columns",
              diagram = "shuffled columns")[measures]
  c(paste0(measures, ": ", what, " (lower is better)"),
    paste0("baseline: ", paste(simple, collapse = ", "), " (the model should be lower)"),
    if (compared) "real: the same with real rows instead of drawn rows" else
      "Pass `train` to see the score of the real rows.")
}

answer_table.dptda_evaluation <- function(x) x$numbers

#' @rdname evaluate_synthesis
#' @export
plot.dptda_evaluation <- function(x, main = "not private: computed from real rows", xlab = "error or distance", ...) {
  numbers <- check_valid(x, "dptda_evaluation")$numbers
  if (nrow(numbers) == 0) stop_argument("x", "has no numbers to plot.")
  place <- rev(seq_len(nrow(numbers)))
  across <- range(0, unlist(numbers[3:5]), na.rm = TRUE)
  labels <- paste0(numbers$measure, ": ", numbers$what)
  old <- graphics::par(mar = c(4, 1 + max(nchar(labels)) * 0.5, 3, 1))
  on.exit(graphics::par(old))
  graphics::plot.default(across, range(place) + c(-0.5, 0.5), type = "n", yaxt = "n", ylab = "", xlab = xlab,
                         ...)
  fit_title(main)
  graphics::axis(2, place, labels, las = 1, tick = FALSE)
  graphics::abline(h = place, col = "gray90")
  graphics::points(numbers$baseline, place, pch = 4, col = "gray50")
  graphics::points(numbers$real, place, pch = 1)
  graphics::points(numbers$model, place, pch = 19, col = "#2166AC")
  graphics::legend("bottomright", c("drawn rows", "real rows", "baseline"), pch = c(19, 1, 4),
                   col = c("#2166AC", "black", "gray50"),
                   bg = "white")
  invisible(x)
}
