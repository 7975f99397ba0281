# Features of outputs for the auditor, and scores. A score orders outputs by how much more likely they are on one data
# set than on the other. A scorer is list(label, score), and `score` is a function of the features of all runs that
# returns one number for each run.

#' Parts of an output that an audit compares
#'
#' `audit_features()` converts one output of a mechanism to the named numbers on which [audit_mechanism()] learns. Write
#' a method if an output of your own class has more informative features.
#'
#' @details
#' # Numbers
#' Numbers and logical values are used as they are, up to the first 1,000. Strings and factors become numbers that are
#' equal for equal text. Lists and data frames are split into their elements. A persistence diagram has, in each
#' dimension, the number of points, and births and persistences of the most persistent ones. A private point of a
#' manifold has its normal coordinates at the public center. Any other object becomes one number that is equal for equal
#' objects.
#'
#' # Everything else
#' [audit_mechanism()] also compares, for outputs of any class and without a method: names, dimnames, and other
#' attributes; classes, types, and lengths; texts, their positions, and their encoding; the order of elements; the sign
#' of a zero and the bits of a `NaN`; the kinds of missing numbers; and digests of vectors, also after the first 1,000
#' numbers. For example, a noisy table of the values that occur reveals by its names which values occur.
#'
#' Formulas, functions, and fitted models carry environments, which `saveRDS()` writes: an output of `lm()` contains the
#' data. Environments are also searched, with their parents, up to the global environment and packages, at most 100 per
#' output. An environment that all runs share is not compared.
#'
#' # Values that are not compared
#' * Low bits of numbers that never occur twice.
#' * Single numbers after the first 1,000. Means and digests of twenty blocks are compared instead.
#' * Joint effects of several output parts that no single part shows, unless they add up.
#' * External pointers, and names that are new in each run.
#' * Anything that is not part of the value: running time, memory, warnings, files. Return as a value what an attacker
#'   could measure.
#'
#' @param output One output of a mechanism.
#' @param most An integer: the number of points per dimension of a diagram to use.
#' @param ... Not used.
#' @return A named numeric vector, of any length. Outputs of different length are compared name by name.
#' @examples
#' audit_features(list(count = 12, cells = c(3, 0)))
#' audit_features("refused")
#' audit_features(persistence_diagram(c(0, 1), c(0, 0.5), c(0.2, 1.5)))
#' @order 1
#' @export
audit_features <- function(output, ...) {
  if (missing(output)) stop_missing("output")
  UseMethod("audit_features")
}

#' @rdname audit_features
#' @export
audit_features.default <- function(output, ...) {
  if (is.factor(output)) output <- as.character(output)
  if (is.list(output)) return(list_features(output))
  if (is.complex(output)) return(list_features(list(re = Re(output), im = Im(output))))
  if (is.null(output)) return(c(size = 0))
  if (!is.atomic(output)) return(c(object = text_code(paste(deparse(output), collapse = "\n"))))
  output <- unclass(output) # methods of a class could return anything
  size <- length(output)
  output <- utils::head(as.vector(output), most_numbers)
  values <- if (is.character(output)) vapply(output, text_code, 0, USE.NAMES = FALSE) else as.double(output)
  names(values) <- sprintf("[%d]", seq_along(values))
  c(values, size = size)
}

# Returns the features of the numbers only, because nothing in a private number or vector is random besides them.
#' @rdname audit_features
#' @export
audit_features.dptda_private_value <- function(output, ...) {
  check_value(output)
  audit_features(output$value)
}

most_numbers <- 1000

list_features <- function(output) {
  output <- unclass(output)
  parts <- lapply(unname(output), audit_features)
  label <- if (is.null(names(output))) character(length(parts)) else spell_texts(names(output))
  label[!nzchar(label)] <- which(!nzchar(label))
  label <- make.unique(label)
  for (i in seq_along(parts)) names(parts[[i]]) <- paste0("$", label[i], names(parts[[i]]))
  c(unlist(parts), size = length(parts))
}

# Returns a number that is equal for equal text. Different texts collide with probability about 2^-40.
text_code <- function(text) {
  if (is.na(text)) return(NA_real_)
  code <- 0
  for (letter in utf8ToInt(enc2utf8(text))) code <- (code * 8191 + letter + 1) %% 1099511627689
  code
}

# Returns the feature matrices of both data sets, with common columns. The runs `deciding` alone determine the columns
# and their order, because an event must not depend on the runs that test it. Columns that do not vary in these runs are
# dropped.
feature_matrices <- function(outputs, deciding) {
  features <- lapply(outputs, function(drawn) {
    if (is.list(drawn)) bind_features(lapply(drawn, audit_features)) else plain_features(drawn)
  })
  first <- take_runs(features, deciding)
  columns <- unique(unlist(lapply(first, function(part) colnames(part)[colSums(!is.na(part)) > 0])))
  both <- do.call(rbind, lapply(first, on_columns, columns))
  varies <- vapply(seq_along(columns), function(j) length(unique(both[, j])) > 1, NA)
  # if no column varies, keeps one
  columns <- if (any(varies)) columns[varies] else if (length(columns)) columns[1] else "size"
  lapply(features, on_columns, columns)
}

# Returns the named columns, with NA for columns that `features` lacks.
on_columns <- function(features, columns) {
  full <- matrix(NA_real_, nrow(features), length(columns), dimnames = list(NULL, columns))
  known <- intersect(columns, colnames(features))
  full[, known] <- features[, known]
  full
}

bind_features <- function(features) {
  columns <- unique(unlist(lapply(features, names)))
  bound <- matrix(NA_real_, length(features), length(columns), dimnames = list(NULL, columns))
  row <- rep(seq_along(features), lengths(features))
  bound[cbind(row, match(unlist(lapply(features, names)), columns))] <- unlist(features)
  bound
}

plain_features <- function(drawn) {
  values <- as.matrix(drawn)
  storage.mode(values) <- "double"
  dimnames(values) <- list(NULL, sprintf("[%d]", seq_len(ncol(values))))
  values
}

# Converts a vector or matrix of releases to a list with one release per element.
as_outputs <- function(drawn) {
  if (is.matrix(drawn)) lapply(seq_len(nrow(drawn)), function(i) drawn[i, ]) else as.list(drawn)
}

count_runs <- function(material) if (is.matrix(material)) nrow(material) else length(material)

take_runs <- function(material, runs) {
  lapply(material, function(part) if (is.matrix(part)) part[runs, , drop = FALSE] else part[runs])
}

# --- scores that the user gives ------------------------------------------------------------------

# Returns matrices with one column per function, so that each function is called once per output.
given_features <- function(outputs, events, classifier) {
  judges <- if (is.null(classifier)) events else list(classifier)
  arg <- if (is.null(classifier)) "events" else "classifier"
  wanted <- if (is.null(classifier)) "TRUE or FALSE" else "one number"
  lapply(outputs, function(drawn) {
    drawn <- as_outputs(drawn)
    columns <- lapply(judges, function(judge) vapply(drawn, one_score, 0, judge, arg, wanted))
    matrix(unlist(columns), length(drawn))
  })
}

given_scorers <- function(events, classifier) {
  events <- paste("event", if (is.null(names(events))) seq_along(events) else names(events))
  labels <- if (is.null(classifier)) events else "classifier"
  lapply(seq_along(labels), function(j) list(label = labels[j], score = function(features) features[, j]))
}

one_score <- function(output, judge, arg, wanted) {
  score <- judge(output)
  if (!(is.numeric(score) || is.logical(score)) || length(score) != 1) {
    stop_argument(arg, "must return ", wanted, " for each output.")
  }
  as.double(score)
}

# --- learned scores ------------------------------------------------------------------------------

# Learns scores, separately on the first `numbers` columns and on the columns of structure. Uses only the features that
# separate the data sets best, because with few runs the others add noise.
learn_scores <- function(features, numbers = ncol(features$x)) {
  both <- do.call(rbind, features)
  from_x <- rep(c(TRUE, FALSE), vapply(features, nrow, 0L))
  structural <- seq_len(ncol(both)) > numbers
  c(
    on_features(learn_number_scores(both[, !structural, drop = FALSE], from_x), which(!structural)),
    on_features(learn_structure_scores(both[, structural, drop = FALSE], from_x), which(structural))
  )
}

# Wraps scorers of some columns, so that they accept matrices with all columns.
on_features <- function(scorers, columns) {
  lapply(scorers, function(scorer) {
    list(label = scorer$label, score = function(features) scorer$score(features[, columns, drop = FALSE]))
  })
}

# Learns scores from frequent values and exact repeats. Most of these features are codes, whose order has no meaning.
learn_structure_scores <- function(both, from_x, most = 12, single = 6) {
  if (!ncol(both)) return(list())
  ratios <- lapply(seq_len(ncol(both)), function(j) learn_ratio(both[, j], from_x))
  ranking <- order(-vapply(ratios, `[[`, 0, "separation"))
  alone <- lapply(utils::head(ranking, single), function(j) feature_scorers(j, colnames(both)[j], ratios[[j]])[[2]])
  together <- if (length(ranking) > 1) list(sum_scorer(ratios, utils::head(ranking, most),
                                                       "sum of log ratios of structure"))
  c(alone, together, repeat_scorers(both, from_x, most, single))
}

learn_number_scores <- function(both, from_x, most = 12, single = 6) {
  ratios <- lapply(seq_len(ncol(both)), function(j) learn_ratio(both[, j], from_x))
  ranking <- order(-vapply(ratios, `[[`, 0, "separation"))
  chosen <- utils::head(ranking, most)
  repeats <- repeat_scorers(both, from_x, most, single)
  # plain features first: with equal bounds the first event is chosen, and theirs is easy to read
  scorers <- unlist(lapply(utils::head(ranking, single), function(j) {
    feature_scorers(j, colnames(both)[j], ratios[[j]])
  }), recursive = FALSE)
  if (length(chosen) == 1) return(c(scorers, repeats))
  c(scorers, list(sum_scorer(ratios, chosen, "sum of log ratios"), logistic_scorer(both, from_x, chosen)), repeats)
}

sum_scorer <- function(ratios, chosen, label) {
  list(label = label, score = function(features) {
    Reduce(`+`, lapply(chosen, function(j) ratios[[j]]$score(features[, j])))
  })
}

feature_scorers <- function(j, name, ratio) {
  list(
    list(label = paste0("output", name), score = function(features) features[, j]),
    list(label = paste0("log ratio of output", name), score = function(features) ratio$score(features[, j]))
  )
}

# Learns the log ratio of binned frequencies. A frequent value (an atom, because noise was skipped or the output is
# discrete) has its own bin, and so have frequent missing values. Quantiles cut the remaining values. learn_repeats()
# covers rare atoms.
learn_ratio <- function(values, from_x, parts = 12) {
  distinct <- unique(values)
  atoms <- distinct[tabulate(match(values, distinct), length(distinct)) >= max(5, length(values) / 100)]
  rest <- values[!is.na(values) & !values %in% atoms]
  shares <- seq_len(parts - 1) / parts
  cuts <- if (length(rest)) unique(stats::quantile(rest, shares, names = FALSE, type = 1)) else double()
  bin <- function(values) {
    atom <- match(values, atoms)
    ifelse(is.na(atom), length(atoms) + 1 + findInterval(values, cuts), atom)
  }
  bins <- length(atoms) + 1 + length(cuts)
  on_x <- (tabulate(bin(values[from_x]), bins) + 0.5) / (sum(from_x) + 0.5 * bins)
  on_neighbor <- (tabulate(bin(values[!from_x]), bins) + 0.5) / (sum(!from_x) + 0.5 * bins)
  ratio <- log(on_x) - log(on_neighbor)
  list(
    separation = sum(abs(on_x - on_neighbor)) / 2,
    ratio = ratio,
    score = function(values) {
      score <- ratio[bin(values)]
      ifelse(is.na(score), 0, score) # a missing value, if there was no bin for these
    }
  )
}

# Learns scores from values that repeat exactly. Continuous noise never repeats a value. If a mechanism skips its noise,
# however rarely, the true value repeats. Features are ranked by the value that separates the data sets best.
repeat_scorers <- function(both, from_x, most, single) {
  repeats <- lapply(seq_len(ncol(both)), function(j) learn_repeats(both[, j], from_x))
  ranking <- order(-vapply(repeats, `[[`, 0, "separation"))
  ranking <- ranking[vapply(repeats[ranking], `[[`, 0, "separation") > 0]
  scorers <- lapply(utils::head(ranking, single), function(j) {
    list(label = paste0("exact repeats of output", colnames(both)[j]),
         score = function(features) repeats[[j]]$score(features[, j]))
  })
  if (length(ranking) < 2) return(scorers)
  c(scorers, list(sum_scorer(repeats, utils::head(ranking, most), "sum of exact repeats")))
}

# Learns the log ratio of frequencies for each value that occurred at least `least` times, and 0 for all others. Fewer
# repeats could be chance.
learn_repeats <- function(values, from_x, least = 5) {
  distinct <- unique(values)
  which_one <- match(values, distinct)
  on_x <- tabulate(which_one[from_x], length(distinct))
  on_neighbor <- tabulate(which_one[!from_x], length(distinct))
  often <- on_x + on_neighbor >= least
  atoms <- distinct[often]
  ratio <- log((on_x[often] + 0.5) / (sum(from_x) + 1)) - log((on_neighbor[often] + 0.5) / (sum(!from_x) + 1))
  list(
    separation = max(0, abs(on_x - on_neighbor)[often] / sqrt(on_x + on_neighbor)[often]),
    score = function(values) {
      score <- ratio[match(values, atoms)]
      ifelse(is.na(score), 0, score)
    }
  )
}

# Learns a logistic regression, which finds directions. For example, if two numbers of an output share their noise, only
# their difference separates the data sets, and no single feature contains it.
logistic_scorer <- function(both, from_x, chosen) {
  chosen <- utils::head(chosen, max(1, length(from_x) %/% 20))
  known <- both[, chosen, drop = FALSE]
  known[!is.finite(known)] <- NA
  center <- apply(known, 2, stats::median, na.rm = TRUE)
  spread <- apply(known, 2, stats::mad, na.rm = TRUE)
  center[is.na(center)] <- 0
  spread[is.na(spread) | spread == 0] <- 1
  prepare <- function(features) {
    scaled <- sweep(sweep(features[, chosen, drop = FALSE], 2, center), 2, spread, "/")
    # truncates heavy tails, which carry little more information than that they are heavy
    scaled <- pmin(pmax(scaled, -100), 100)
    scaled[is.na(scaled)] <- 0
    cbind(1, scaled)
  }
  # a warning would mean that the data sets are separated perfectly, which is the aim
  fit <- suppressWarnings(stats::glm.fit(prepare(both), as.double(from_x), family = stats::binomial()))
  weights <- ifelse(is.na(fit$coefficients), 0, fit$coefficients)
  list(label = "logistic score", score = function(features) drop(prepare(features) %*% weights))
}

# Replaces strings that are not valid text by their bytes in hexadecimal, because R can neither sort nor translate them.
spell_texts <- function(texts) {
  spelled <- !is.na(texts) & (Encoding(texts) == "bytes" | !validEnc(texts))
  texts[spelled] <- vapply(texts[spelled], function(text) paste0("<", paste(charToRaw(text), collapse = " "), ">"), "")
  texts
}
