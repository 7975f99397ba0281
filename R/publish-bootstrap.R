# How far a statistic of drawn rows may be from that of the rows behind a model: a parametric bootstrap through the
# mechanism. Rows are drawn from the model, the same mechanism makes a model of them, and what that says differs from
# what the first says about as the first does from the truth. All of it is post-processing: inst/proofs/publish-tree.md,
# "What needs no proof".

#' Confidence intervals of statistics of synthetic data
#'
#' Gives intervals of statistics of rows that [private_synthesis()] drew, which know of the noise of the release, by a
#' parametric bootstrap through the mechanism.
#'
#' Standard errors that are computed from drawn rows are far too small. `confint()` draws as many rows as there were
#' from the model, publishes them by the same mechanism with the same settings, computes the statistic of rows drawn
#' from that, and does it again and again. How far these statistics are from that of the model, on average and from
#' time to time, is taken for how far that of the model is from the truth, and the interval is corrected for it.
#'
#' The interval is for the population that the rows were drawn from. It cannot know what is not in the model: what two
#' columns have to do with each other that the model does not hold together ([print()][print.dptda_synthesis] says which
#' it does), or what differs within a cell of a column of numbers. There an interval may miss the truth, however many
#' runs there are, and a warning of class `dptda_warning_unheld` names the columns (`cnd$pairs` has them by number of
#' `parm`), or one of class `dptda_warning_coarse` says that the statistic would be another one if the cells were
#' twice as wide (`cnd$numbers` are which of `parm`). Choose cells that are fine where the statistic is sensitive, and
#' let a `workload` of [synthesis_aim()] hold the columns together that the statistic looks at.
#'
#' @param object An object of class `dptda_synthesis`, as [private_synthesis()] makes it.
#' @param parm A function of a data frame of rows that gives numbers: one, or a vector, with the same names each time.
#' @param level One number in (0, 1): how often the interval of each number shall have the truth.
#' @param ... Must be empty: what follows is given by name.
#' @param runs One whole number of at least 10: how many models are made. Each takes as long as the release did.
#' @param seed One whole number or `NULL`: the seed of all draws ([set.seed()]); the generator is then left as it was
#'   found.
#'
#' @return A matrix with a row for each number and the two ends of its interval. In its middle is the statistic of the
#'   model less its bias.
#'
#' @section Privacy:
#' It looks at the model alone, and costs nothing: rows that are drawn from it may be published, and so may what any
#' mechanism makes of them, with or without noise.
#'
#' @section Implementation:
#' The statistic of the model is the mean of `parm` over ten draws of as many rows as were published (two of more than
#' half a million; people: one row for each, which varies more than all rows of each do, so that intervals are rather
#' too wide). Rows of a run are taken from these draws with replacement, and its statistic is `parm` of one draw. The
#' ends are those of Student's distribution with the mean and the variance of the differences, as for one more run, to
#' which the square of the bias is added: at the model it is another one than at the truth. A
#' plan of the package future shares the runs (see [audit_mechanism()]); the numbers are the same with and without.
#'
#' @section Coverage:
#' Of five tables (five columns of each, `epsilon = 1`, twenty models, a mean, a difference of groups and a slope)
#' intervals of level .9 had the truth in .95 of the cases without a warning where there were 2,000 rows, and of three
#' of the tables in .85 where there were 20,000. With a warning, which 46 and 13 percent had, it was .35 and .09, and 0
#' of three slopes; intervals that take drawn rows for real ones had it in .31 and .35 of all. Slopes are hardest:
#' where a model holds their pair, noise pulls them toward nothing by more than runs show (.35 and .8 of 20,000 rows).
#' A workload of the columns that are looked at gave .94 and .83 without a warning, and fewer warnings where rows are
#' many: of 2,000 the mechanism leaves pairs of many cells out, since their noise would be larger than what they show.
#' Whether cells are coarse is told by a rule of thumb: of 161 numbers of five made tables with few cells it named 69
#' of the 78 where cells matter, and 18 of the others (`inst/simulations/tables-coarse.R`); so no warning is no proof,
#' least of all where rows heap at some values within a cell.
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
confint.dptda_synthesis <- function(object, parm, level = 0.9, ..., runs = 100, seed = NULL) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  if (missing(parm)) stop_missing("parm", "a function of a data frame of rows that gives numbers")
  if (!is.function(parm)) stop_argument("parm", "must be a function of a data frame, not ", describe(parm), ".")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  runs <- check_count(runs, 10)
  mechanism <- same_mechanism(object)
  warn_unheld(object, parm)
  ends <- with_seed(seed, bootstrap_ends(bootstrap_statistic(object, mechanism, parm, runs), level))
  warn_coarse(object, parm, ends)
  ends
}

# The mechanism that made a model, for rows that are drawn from it: one for each person.
same_mechanism <- function(object) {
  guarantee <- privacy(object)
  if (is.null(guarantee) || is.null(object$settings)) {
    stop_argument("object", "must be a model as private_synthesis() made it: of what was changed it is not known how.")
  }
  measure <- as.list(guarantee$measure)
  cost <- method_cost(object$settings, measure[["epsilon"]], measure[["rho"]], measure[["delta"]])
  domain <- public_part(unread_codes(object$n, object$schema), object$schema, check_public_units(object$n))
  method_mechanism(object$settings, domain, cost, "R")
}

# `estimate`: of the model; `runs`: of the models that were made of rows drawn from it, a column each. Rows of graphical
# models are drawn such that their margins are those of the model but for rounding: rows that vary as rows do are drawn
# from several draws together, with replacement.
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

# Numbers of a statistic that look at two columns together of which the model holds nothing, or nothing above the noise:
# a data frame with the place of the `number`, and `from` and `to`. Two columns are put into another order, in which
# they have nothing in common with any, and then one of them is sorted along the other: a number that moves by more than
# it does from order to order looks at both.
unheld_pairs <- function(object, statistic, rows) {
  first <- check_statistic(statistic(rows))
  # what fails in another order looks at it
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

# Whether each number of `x` is beyond five standard deviations of those in its row of `others`, and rounding.
is_apart <- function(x, others) {
  middle <- rowMeans(others)
  spread <- if (ncol(others) > 1) apply(others, 1, stats::sd) else 0
  apart <- abs(x - middle) > 5 * spread + 1e-8 * (abs(x) + abs(middle))
  is.na(apart) | apart
}

# Pairs of the columns at `used` that the model does not hold with less noise than there are rows in a cell.
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

# Rows with all values alike, missing ones apart: in rows that a model draws a column may be all one value.
even_rows <- function(schema, n) {
  codes <- vapply(schema$columns, function(column) sample.int(column$axis$size, n, replace = TRUE) - 1L, integer(n))
  decode_table(matrix(codes, n), schema, "R")
}

# Of no more rows than show it.
most_sorted_rows <- 2000

# Where a number needs values together that few rows have, those that the model draws.
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
             "`parm` looks at columns together of which the model holds nothing, or nothing above its noise: ",
             paste(utils::head(words, 3), collapse = ", "),
             if (length(words) > 3) paste0(" and ", length(words) - 3, " more pairs"),
             ". Their intervals may miss the truth, however many runs there are. A `workload` of synthesis_aim() asks ",
             "for them, and fewer cells make them cheaper.",
             fields = list(pairs = data.frame(number = pairs$number, from = names[pairs$from], to = names[pairs$to])))
}

# ---- what its cells do not hold ------------------------------------------------

# Within a cell of a column of numbers drawn rows are spread evenly, which runs do not see, since the rows that they
# begin with are spread in the same way. Two things tell whether that may matter, and a number is coarse by both. How
# far it moves where cells are twice as wide, in the mean of the squares of two ways to make them so, as cells lie
# anywhere to what it looks at: what cells of this width hide is a third to a half of that, for a smooth law and for one
# with corners. And how far it moves at all where rows move within their cells: a threshold between two cells does not,
# though it is lost in wider ones. What is hidden is too much from a quarter of the interval on.
coarse_numbers <- function(object, statistic, ends) {
  width <- ends[, 2] - ends[, 1]
  coarse <- wider_moves(object, statistic) > width / 2
  if (any(coarse)) coarse <- coarse & within_moves(object, statistic) > width / 4
  unname(which(coarse))
}

# More than draws differ.
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

# All rows at the lower ends of their cells, at the upper ones, in the middle, and those above the mean code of a column
# at the upper ends with the others at the lower ones: the most that a number moves by any of these.
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

# How far the numbers of some rows are from `own`; Inf where they have none.
move_from <- function(own, statistic, rows) {
  value_or(check_statistic(suppressWarnings(statistic(rows)), own), rep(Inf, length(own))) - own
}

# Each code of a column of numbers becomes one of two cells that are together, as often as they are wide: the first with
# the second, or the second with the third.
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
    own <- codes[, j] < size # the others are missing
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
             "`parm` gives ", if (nrow(ends) == 1) "another number" else
               paste0(length(coarse), " of ", nrow(ends), " numbers", named, " otherwise"),
             " where cells of numbers are twice as wide: they are coarse for it, and its interval may miss the truth, ",
             "however many runs there are. More cells in the schema help, as far as rows and budget are enough.",
             fields = list(numbers = coarse))
}

check_statistic <- function(x, first = x) {
  good <- is_numbers(x) && length(x) > 0 && all(is.finite(x)) && is.null(dim(x)) && length(x) == length(first) &&
    identical(names(x), names(first))
  if (!good) {
    stop_argument("parm", "must give finite numbers, of the same length and names for all rows that are drawn, not ",
                  describe(x), ".")
  }
  storage.mode(x) <- "double"
  x
}

# The spread is known from the runs alone, as the bias that is taken off. That of the model is not that of the truth:
# noise pulls what columns have in common toward nothing, and less of what is left of it. So the bias may be off by as
# much as it is.
bootstrap_ends <- function(found, level) {
  moved <- found$runs - found$estimate
  runs <- ncol(moved)
  bias <- rowMeans(moved)
  half <- stats::qt((1 + level) / 2, runs - 1) * sqrt((1 + 1 / runs) * apply(moved, 1, stats::var) + bias^2)
  middle <- found$estimate - bias
  matrix(c(middle - half, middle + half), ncol = 2,
         dimnames = list(found$names, paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE), "%")))
}
