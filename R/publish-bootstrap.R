# Intervals for a statistic of the rows behind a model: a parametric bootstrap through the mechanism. Rows are drawn
# from the model, and the same mechanism makes a model of them. The differences between these models and the first one
# resemble the difference between the first model and the truth. All of it is post-processing:
# inst/proofs/publish-tree.md, "What needs no proof".

#' Confidence intervals of statistics of synthetic data
#'
#' Computes confidence intervals for statistics of rows drawn by [private_synthesis()]. The intervals account for the
#' noise of the release, by a parametric bootstrap through the mechanism. Standard errors computed from drawn rows are
#' far too small.
#'
#' # Computation of the intervals
#' `confint()` draws as many rows from the model as there were. It publishes them by the same mechanism with the same
#' settings, draws rows from that second model, and computes the statistic. This is repeated `runs` times. The
#' differences between these statistics and the statistic of the model estimate the bias and the spread of the model
#' around the truth. The interval is corrected for both.
#'
#' # Limits of the intervals
#' The interval is for the population from which the rows came. It cannot account for anything that the model does not
#' contain, such as the association of two columns that the model does not join
#' ([print()][print.dptda_synthesis] lists the pairs), or differences within a cell of a column of numbers. In these
#' cases the interval may miss the truth, regardless of the number of runs. Two warnings point to them:
#'
#' * `dptda_warning_unheld` names columns that the statistic uses together and the model does not join (`cnd$pairs`, by
#'   number of `parm`). Name these columns in a `workload` of [synthesis_aim()].
#' * `dptda_warning_coarse` reports that the statistic would change if cells were twice as wide (`cnd$numbers`: which
#'   numbers of `parm`). Use finer cells where the statistic is sensitive. For example, a fraction of people above 65
#'   needs a cell that begins at 65.
#'
#' @param object An object of class `dptda_synthesis`, from [private_synthesis()].
#' @param parm A function of a data frame of rows that returns one number or a vector, with the same names each time.
#' @param level One number in (0, 1): the probability with which each interval should contain the truth.
#' @param of `"population"`: the intervals are for the population from which the rows came.
#' @param ... Not used. Later arguments must be named.
#' @param runs An integer, at least 10: the number of models. Each takes as long as the release did.
#' @param seed One integer or `NULL`: the seed of all draws ([set.seed()]). The state of the generator is restored
#'   afterwards.
#'
#' @return A matrix with one row per number and the two bounds of its interval. The middle of the interval is the
#'   statistic of the model minus its estimated bias.
#'
#' @section Privacy:
#' Only the released model is used, so intervals cost no budget. Rows drawn from the model may be published, and so may
#' anything that is computed from them, with or without noise.
#'
#' @section Implementation:
#' The statistic of the model is the mean of `parm` over ten draws, each with as many rows as were published (two draws
#' for more than half a million rows). For people, a draw has one row per person. Such rows vary more than all rows of
#' each person do, so intervals are rather too wide.
#'
#' The rows of a run are sampled from these draws with replacement, and its statistic is `parm` of one draw. The bounds
#' are those of a Student t interval for one more run, with the mean and the variance of the differences. The square of
#' the bias is added to the variance, because the bias at the model differs from the bias at the truth.
#'
#' A plan of the package future distributes the runs (see [audit_mechanism()]). The results are the same without it.
#'
#' @section Coverage:
#' We tried five tables with five columns each, `epsilon = 1`, and twenty models, for a mean, a difference between
#' groups, and a slope, at `level = 0.9`. The table shows how often intervals contained the truth.
#'
#' | intervals | 2,000 rows (five tables) | 20,000 rows (three tables) |
#' |---|---|---|
#' | without a warning | 0.95 | 0.85 |
#' | with a warning (46% and 13% of cases) | 0.35 | 0.09 |
#' | drawn rows treated as real, all cases | 0.31 | 0.35 |
#' | without a warning, with a workload of the columns used | 0.94 | 0.83 |
#'
#' * Slopes are the hardest. Noise pulls them toward zero by more than the runs show, even if the model joins their two
#'   columns (coverage 0.35 and 0.8 with 20,000 rows). With a warning, the intervals of three slopes never contained the
#'   truth.
#' * A workload caused fewer warnings with 20,000 rows. With 2,000, the mechanism skips pairs with many cells, because
#'   the noise would exceed their signal.
#' * The warning about coarse cells is a rule of thumb. On five simulated tables with few cells, it named 69 of the 78
#'   numbers that cells distort, and 18 of the 83 others (`inst/simulations/tables-coarse.R`). No warning does not prove
#'   that cells are fine enough, least of all if many rows share a value within a cell.
#'
#' @seealso [private_synthesis()], [evaluate_synthesis()]
#' @references Efron, B. and Tibshirani, R. (1993). *An introduction to the bootstrap*. Chapman and Hall.
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' model <- private_synthesis(people, schema, epsilon = 1)
#' excess <- function(rows) {
#'   with(rows, mean(coughs[smokes]) - mean(coughs[!smokes]))
#' }
#' confint(model, excess, runs = 20)
#' @export
confint.dptda_synthesis <- function(object, parm, level = 0.9, of = c("population", "data"), ..., runs = 100,
                                    seed = NULL) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  if (missing(parm)) stop_missing("parm", "a function of a data frame of rows that returns numbers")
  if (!is.function(parm)) stop_argument("parm", "must be a function of a data frame, not ", describe(parm), ".")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (check_choice(of, c("population", "data")) == "data") {
    stop_argument("of", "must be \"population\" here, because rows drawn from a model vary as a sample does.")
  }
  runs <- check_count(runs, 10)
  mechanism <- same_mechanism(object)
  warn_unheld(object, parm)
  ends <- with_seed(seed, bootstrap_ends(bootstrap_statistic(object, mechanism, parm, runs), level))
  warn_coarse(object, parm, ends)
  ends
}

# Rebuilds the mechanism of a model, for rows drawn from this model: one for each person.
same_mechanism <- function(object) {
  guarantee <- privacy(object)
  if (is.null(guarantee) || is.null(object$settings)) {
    stop_argument("object", "must be an unchanged model from private_synthesis().")
  }
  measure <- as.list(guarantee$measure)
  cost <- method_cost(object$settings, measure[["epsilon"]], measure[["rho"]], measure[["delta"]], measure[["mu"]])
  domain <- public_part(unread_codes(object$n, object$schema), object$schema, check_public_units(object$n))
  method_mechanism(object$settings, domain, cost, "R")
}

# Returns `estimate`, from the model, and `runs`, one column for each model of drawn rows. Rows of graphical models
# are drawn with the model's margins, up to rounding. To vary like a sample, rows are drawn with replacement from
# several draws together.
bootstrap_statistic <- function(object, mechanism, statistic, runs) {
  ask <- function(rows) check_statistic(blame_argument("parm", statistic(rows)))
  draws <- lapply(seq_len(max(2, min(10, 1e6 %/% object$n))), function(i) rows_of_model(object))
  first <- ask(draws[[1]])
  own <- vapply(draws, function(rows) check_statistic(ask(rows), first), first)
  all <- do.call(rbind, draws)
  again <- function(i) {
    rows <- all[sample.int(nrow(all), object$n, replace = TRUE), , drop = FALSE]
    check_statistic(ask(rows_of_model(object, model_again(object, mechanism, rows))), first)
  }
  progress <- repeat_progress("Bootstrap")
  made <- repeat_runs(runs, again, tell = function(done) progress(done / runs))
  list(estimate = rowMeans(matrix(own, length(first))), runs = matrix(unlist(made, use.names = FALSE), length(first)),
       names = names(first))
}

rows_of_model <- function(object, model = object$model) {
  decode_table(draw_codes(model, object$n, "R"), object$schema, "R")
}

model_again <- function(object, mechanism, rows) {
  seen <- statistic_of(mechanism$plan, encode_table(rows, object$schema, "rows"))
  result_of(mechanism$plan, many_draws(mechanism, seen, 1, "R")[[1]])$model
}

# ---- what the model does not hold ----------------------------------------------

# Finds numbers of a statistic that use two columns together whose association the model lacks, or hides in noise.
# Returns a data frame with the place of the `number`, `from`, and `to`. Shuffles both columns, which removes their
# association with others, then sorts one along the other. A number that changes by more than between shuffles uses
# both.
unheld_pairs <- function(object, statistic, rows) {
  first <- check_statistic(statistic(rows))
  # a statistic that fails after shuffling depends on the column
  numbers <- function(rows) value_or(check_statistic(suppressWarnings(statistic(rows)), first), rep(NA, length(first)))
  mixed <- function(rows, j) reorder_column(rows, j, sample.int(nrow(rows)))
  used <- Filter(function(j) any(is_apart(numbers(mixed(rows, j)), cbind(first))), seq_along(rows))
  pairs <- unheld_among(object$model, used)
  moved <- lapply(seq_len(nrow(pairs)), function(i) {
    from <- pairs$from[i]
    to <- pairs$to[i]
    orders <- replicate(10, numbers(mixed(mixed(rows, from), to)))
    rows <- mixed(rows, from)
    rows[[to]][order(rows[[from]])] <- sort(rows[[to]], na.last = TRUE)
    which(is_apart(numbers(rows), matrix(orders, length(first))))
  })
  times <- lengths(moved)
  data.frame(number = as.integer(unlist(moved)), from = rep(pairs$from, times), to = rep(pairs$to, times))
}

# Checks which numbers of `x` differ from their row of `others` by over five standard deviations and rounding.
is_apart <- function(x, others) {
  middle <- rowMeans(others)
  spread <- if (ncol(others) > 1) apply(others, 1, stats::sd) else 0
  apart <- abs(x - middle) > 5 * spread + 1e-8 * (abs(x) + abs(middle))
  is.na(apart) | apart
}

# Pairs of the columns at `used`, except those that the model holds with noise of at most the mean count of a cell.
unheld_among <- function(model, used) {
  held <- model_pairs(model)
  noise <- pair_noise(model, held)
  if (!is.null(noise)) held <- held[noise$noise <= model$n / noise$cells, , drop = FALSE]
  pairs <- if (length(used) > 1) utils::combn(used, 2) else matrix(0L, 2, 0)
  pairs <- data.frame(from = pairs[1, ], to = pairs[2, ])
  pairs[!paste(pairs$from, pairs$to) %in% paste(held$from, held$to), ]
}

reorder_column <- function(rows, j, order) {
  rows[[j]] <- rows[[j]][order]
  rows
}

# Draws every cell with the same probability, also the cell of missing values. Model rows may have constant columns.
even_rows <- function(schema, n) {
  codes <- vapply(schema$columns, function(column) sample.int(column$axis$size, n, replace = TRUE) - 1L, integer(n))
  decode_table(matrix(codes, n), schema, "R")
}

# The most rows to sort, because more are not needed to find a dependence.
most_sorted_rows <- 2000

# Returns even rows, or rows of the model if the statistic needs combinations of values that even rows lack.
rows_to_sort <- function(object, statistic) {
  even <- even_rows(object$schema, min(object$n, most_sorted_rows))
  if (is.null(value_or(check_statistic(suppressWarnings(statistic(even))), NULL))) rows_of_model(object) else even
}

warn_unheld <- function(object, statistic) {
  asked <- function(rows) blame_argument("parm", statistic(rows))
  pairs <- with_seed(1, unheld_pairs(object, asked, rows_to_sort(object, asked)))
  if (!nrow(pairs)) return()
  names <- names(object$schema$columns)
  words <- unique(paste0("`", names[pairs$from], "` and `", names[pairs$to], "`"))
  warn_dptda("unheld",
             "`parm` uses columns together whose association the model does not contain, or hides in noise: ",
             paste(utils::head(words, 3), collapse = ", "),
             if (length(words) > 3) paste0(" and ", length(words) - 3, " more pairs"),
             ". Intervals that depend on them may miss the truth, regardless of `runs`. Name these columns in a ",
             "`workload` of synthesis_aim(), or use fewer cells in the schema.",
             fields = list(pairs = data.frame(number = pairs$number, from = names[pairs$from], to = names[pairs$to])))
}

# ---- what its cells do not hold ------------------------------------------------

# Finds numbers for which cells are too coarse. Drawn rows are spread evenly within a cell of numbers. Runs cannot
# detect this, because their first rows are spread in the same way. Two criteria must hold. First, the move if cells
# are twice as wide, a root mean square over two ways to widen them, since cells lie arbitrarily. These cells hide a
# third to a half of it, for smooth distributions and those with corners. Second, the move if rows move within their
# cells. This excludes a threshold between two cells, lost only in wider ones. A hidden part above a quarter of the
# interval is too much.
coarse_numbers <- function(object, statistic, ends) {
  width <- ends[, 2] - ends[, 1]
  coarse <- wider_moves(object, statistic) > width / 2
  if (any(coarse)) coarse <- coarse & within_moves(object, statistic) > width / 4
  unname(which(coarse))
}

# The move in wider cells, beyond the variation between draws.
wider_moves <- function(object, statistic) {
  squares <- lapply(1:2, function(way) {
    each <- lapply(1:5, function(i) {
      codes <- draw_codes(object$model, object$n, "R")
      own <- check_statistic(statistic(decode_table(codes, object$schema, "R")))
      move_from(own, statistic, decode_table(widen_codes(codes, object$schema, way), object$schema, "R"))
    })
    each <- do.call(cbind, each)
    moved <- abs(rowMeans(each)) - 2 * apply(each, 1, stats::sd) / sqrt(5)
    ifelse(is.finite(moved), pmax(moved, 0), Inf)^2
  })
  sqrt((squares[[1]] + squares[[2]]) / 2)
}

# The largest move of a number if all rows are at the lower ends, upper ends, or middles of their cells, or if rows
# above the mean code of a column are at upper ends and others at lower ends.
within_moves <- function(object, statistic) {
  codes <- draw_codes(object$model, object$n, "R")
  decode <- function(within = NULL) decode_table(codes, object$schema, "R", within)
  own <- check_statistic(statistic(decode()))
  ends <- c(2^-30, 1 - 2^-30)
  above <- function(j) codes[, j] > mean(codes[, j])
  moved <- lapply(seq_len(3 + ncol(codes)), function(i) {
    place <- if (i <= 3) rep(c(ends, 0.5)[i], nrow(codes)) else ends[1 + above(i - 3)]
    abs(move_from(own, statistic, decode(place)))
  })
  do.call(pmax, moved)
}

# How far the numbers of some rows are from `own`, or Inf if the statistic fails.
move_from <- function(own, statistic, rows) {
  value_or(check_statistic(suppressWarnings(statistic(rows)), own), rep(Inf, length(own))) - own
}

# Merges neighboring cells of numbers: the first with the second, or the second with the third. Each code becomes one
# of the two, with a probability proportional to its width.
widen_codes <- function(codes, schema, way) {
  for (j in seq_along(schema$columns)) {
    column <- schema$columns[[j]]
    if (column$type != "numeric") next
    size <- column$axis$size
    shift <- if (size > 3) way - 1 else 0
    first <- (codes[, j] + shift) %/% 2 * 2 - shift
    last <- pmin(first + 1, size - 1)
    first <- pmax(first, 0)
    width <- diff(column$breaks)
    chance <- ifelse(first < last, width[last + 1] / (width[first + 1] + width[last + 1]), 0)
    own <- codes[, j] < size # other codes are missing values
    codes[own, j] <- as.integer(ifelse(stats::runif(nrow(codes)) < chance, last, first))[own]
  }
  codes
}

warn_coarse <- function(object, statistic, ends) {
  if (!any(vapply(object$schema$columns, `[[`, "", "type") == "numeric")) return()
  coarse <- with_seed(1, coarse_numbers(object, function(rows) blame_argument("parm", statistic(rows)), ends))
  if (!length(coarse)) return()
  names <- utils::head(rownames(ends)[coarse], 3)
  named <- if (length(names)) paste0(" (", paste(names, collapse = ", "), if (length(coarse) > 3) ", ...", ")")
  warn_dptda("coarse",
             if (nrow(ends) == 1) "The result of `parm` changes" else
               paste0(length(coarse), " of ", nrow(ends), " numbers", named, " of `parm` change"),
             " if numeric cells are twice as wide, so the cells are too coarse. The interval may miss the truth, ",
             "regardless of `runs`. Use more cells in the schema, if rows and budget suffice.",
             fields = list(numbers = coarse))
}

check_statistic <- function(x, first = x) {
  good <- is_numbers(x) && length(x) > 0 && all(is.finite(x)) && is.null(dim(x)) && length(x) == length(first) &&
    identical(names(x), names(first))
  if (!good) {
    stop_argument("parm", "must give finite numbers, with the same length and names for all drawn rows, not ",
                  describe(x), ".")
  }
  storage.mode(x) <- "double"
  x
}

# Intervals. Only the runs show the spread and the bias that is subtracted. The bias of the runs is not the bias of
# the model: noise weakens associations, and weakens already weak ones less. So the bias may be wrong by its own size.
bootstrap_ends <- function(found, level) {
  moved <- found$runs - found$estimate
  runs <- ncol(moved)
  bias <- rowMeans(moved)
  half <- stats::qt((1 + level) / 2, runs - 1) * sqrt((1 + 1 / runs) * apply(moved, 1, stats::var) + bias^2)
  middle <- found$estimate - bias
  finish_ends(cbind(middle - half, middle + half), found$names, level, "population")
}
