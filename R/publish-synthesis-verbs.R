# Models of whole tables, for users: drawn rows, the pairs of columns that a model holds, print, and pictures.

#' Synthetic rows from a private model
#'
#' `simulate()` draws rows from a model of [private_synthesis()]. `summary()` lists the queries behind the model, and
#' `plot()` shows the columns that it joins or the distribution of each column.
#'
#' # Modeled associations
#' Printing the model or its summary lists the pairs of columns whose association is modeled. These are the pairs that
#' were counted together in a released query. With `"topology"`, they are the pairs in which both columns change with
#' the position in the plane. Two columns that are joined neither directly nor through others are drawn independently.
#' `print()` names at most six pairs, `summary()` all of them.
#'
#' Beside each pair stand the number of cells in which it was counted and the standard deviation of the noise on each
#' of these counts. If that noise exceeds the mean count of a cell, the model captures little of the pair. Example: for
#' two columns with 10 levels each, 2,000 rows give 20 rows per cell, and noise with a standard deviation of 30 hides
#' most of the association. With `"dp2pub"` and `"topology"`, this noise is not known and is not shown.
#'
#' # Standard errors
#' Do not use standard errors that are computed from drawn rows, such as those of `summary(lm())`. They ignore the
#' privacy noise and everything that the model leaves out, so they are too small, often many times. Drawing more rows
#' makes them even smaller, but brings no estimate closer to the truth. [confint()][confint.dptda_synthesis] returns
#' intervals that account for the noise.
#'
#' @param object An object of class `dptda_synthesis`.
#' @param nsim An integer, at least 0: the number of rows to draw. By default, the number of rows or people behind the
#'   model.
#' @param seed One integer or `NULL`: the seed of the draws ([set.seed()]). The state of the generator is restored
#'   afterwards.
#' @param ... Not used. Later arguments must be named.
#' @param x An object of class `dptda_synthesis`.
#' @param which A string: `"network"` draws the columns and joins those that were counted together; `"margins"` draws
#'   the fraction of each cell of each column, with lines that hold the noise with a probability of about 0.95.
#' @param main A string: the title.
#' @param col A color for bars and arrows.
#'
#' @return `simulate()`: a data frame with `nsim` rows and the columns of the schema. Numbers are drawn uniformly within
#'   their cell, and are integers if the schema declares them as integers. Columns with levels are factors (ordered if
#'   the schema says so), and logical columns are logical. Missing values are `NA` if they have a cell of their own.
#'
#'   `summary()`: the data frame `steps` of the model. `print()` and `plot()`: `x`, invisibly.
#'
#' @section Privacy:
#' All methods use the released model alone. Drawn rows, summaries, and plots are as private as the model and cost no
#' budget.
#'
#' @seealso [private_synthesis()], [evaluate_synthesis()]
#' @examples
#' smokes <- stats::runif(2000) < 0.3
#' people <- data.frame(smokes,
#'                      coughs = stats::runif(2000) < ifelse(smokes, 0.6, 0.1))
#' schema <- table_schema(smokes = schema_logical(), coughs = schema_logical())
#' fit <- private_synthesis(people, schema, epsilon = 1)
#' head(simulate(fit, nsim = 1000, seed = 1))
#' summary(fit)
#' plot(fit, which = "margins")
#' @order 1
#' @importFrom stats simulate
#' @export
simulate.dptda_synthesis <- function(object, nsim = object$n, seed = NULL, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  nsim <- check_count(nsim, upper = 2^31 - 1)
  with_seed(seed, decode_table(draw_codes(object$model, nsim, "R"), object$schema, "R"))
}

#' @rdname simulate.dptda_synthesis
#' @export
summary.dptda_synthesis <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_synthesis")
  new_result(object$steps, "summary.dptda_synthesis", also = "data.frame", pairs = format_pairs(object$model, Inf))
}

define_class("summary.dptda_synthesis", "summary()", .bare = is.data.frame,
             .valid = function(x) all(vapply(unclass(x), is.atomic, NA)) && all(lengths(x) == nrow(x)))

#' @export
print.summary.dptda_synthesis <- function(x, ...) {
  check_valid(x, "summary.dptda_synthesis")
  shown <- as.data.frame(x)
  shown[] <- lapply(shown, function(column) if (is.numeric(column)) blank_numbers(column) else column)
  print(shown, row.names = FALSE, right = FALSE)
  cost <- intersect(c("cost_epsilon", "rho"), names(shown))
  writeLines(wrap_lines(c(paste0("scale: noise on counts, epsilon: budget of a choice, ", cost, ": privacy cost"),
                          if (is.character(attr(x, "pairs"))) attr(x, "pairs"))))
  invisible(x)
}

# Leaves missing numbers blank.
blank_numbers <- function(x) ifelse(is.na(x), "", vapply(x, format, "", digits = 3))

#' @export
as.data.frame.summary.dptda_synthesis <- function(x, ...) {
  check_valid(x, "summary.dptda_synthesis")
  attr(x, "pairs") <- NULL
  class(x) <- "data.frame"
  as.data.frame(x, ...)
}

# Describes the pairs of columns that the model holds, with the noise on their counts. Names at most `most` pairs.
# NULL for one column.
format_pairs <- function(model, most = 6) {
  names <- names(model$sizes)
  all <- choose(length(names), 2)
  if (all == 0) return(NULL)
  held <- model_pairs(model)
  found <- nrow(held)
  count <- if (found == 0) "none of" else if (found < all) paste(format_count(found), "of") else "all"
  noise <- if (found > 0) pair_noise(model, held)
  words <- if (found < all) pair_words(model, found == 0)
  c(paste0("associations modeled: ", count, " ", format_count(all), if (all > 1) " pairs" else " pair",
           if (!is.null(words)) paste0(". ", words, ".")),
    if (found > 0 && found <= most) name_pairs(names, held, noise, model$n),
    if (found > 0) lone_words(names[-c(held$from, held$to)]),
    if (!is.null(noise)) noise_of_pairs(noise, model$n, found > most))
}

# Names columns that are in no pair.
lone_words <- function(names) {
  if (length(names)) paste0("columns drawn independently: ", quote_names(names, 5))
}

name_pairs <- function(names, held, noise, n) {
  own <- if (!is.null(noise)) {
    paste0(": ", format_count(noise$cells), " cells, mean count ", plain_noise(n / noise$cells), ", noise +- ",
           plain_noise(noise$noise))
  }
  paste0("  `", names[held$from], "` and `", names[held$to], "`", own)
}

plain_noise <- function(noise) vapply(signif(noise, 3), format, "", scientific = FALSE)

# Explains the numbers, and counts pairs that noise hides. `many`: the pairs were not named.
noise_of_pairs <- function(noise, n, many) {
  drowned <- sum(noise$noise > n / noise$cells)
  ends <- unique(plain_noise(range(noise$noise)))
  c(paste0("noise of pairs: standard deviation of the count of a cell",
           if (many) paste0(", ", paste(ends, collapse = " to "))),
    if (drowned > 0) paste0("noise exceeds the mean count of a cell: ", format_count(drowned), " of these pairs"))
}

#' @rdname simulate.dptda_synthesis
#' @export
print.dptda_synthesis <- function(x, ...) {
  check_valid(x, "dptda_synthesis")
  print_release(x, {
    cat("method ", x$method, ": ", units_words(x), ", ",
        count_of(length(x$schema$columns), "column"), "\n", sep = "")
    writeLines(wrap_lines(c(single_words(x$model), merged_words(x$model), format_pairs(x$model),
                            spent_words(x$steps))))
    cat("Tests and intervals from drawn rows ignore the noise. Use confint(model, f).\n")
  }, title = "private synthesis")
}

# The noise of single columns, as a fraction of all rows.
single_words <- function(model) {
  noise <- unlist(lapply(seq_along(model$sizes), function(j) model_noise(model, j)))
  if (length(noise)) paste0("noise of single columns: up to ", format_percent(signif(max(noise), 2)),
                            " (standard deviation of the fraction in a cell)")
}

# Names columns with fewer counted than declared cells.
merged_words <- function(model) {
  merged <- model_merged(model)
  columns <- which(merged > 1)
  if (!length(columns)) return(NULL)
  shown <- utils::head(columns, 5)
  each <- paste0(merged[shown], " of `", names(model$sizes)[shown], "`")
  paste0("rare cells merged, since noise would hide them: ", paste(each, collapse = ", "),
         if (length(columns) > 5) paste(", and of", length(columns) - 5, "more columns"))
}

# The spent budget, by kind of step. summary() shows each step.
spent_words <- function(steps) {
  cost <- intersect(c("cost_epsilon", "rho"), names(steps))
  kinds <- unique(steps$step)
  each <- vapply(kinds, function(kind) {
    own <- steps[[cost]][steps$step == kind]
    paste0(format(sum(own), digits = 3), " on ", if (length(own) > 1) paste(length(own), "x "), kind)
  }, "")
  paste0(sub("cost_", "", cost), " spent: ", paste(each, collapse = ", "), " (see summary())")
}

#' @rdname simulate.dptda_synthesis
#' @export
plot.dptda_synthesis <- function(x, which = c("network", "margins"), main = NULL, col = "#0072B2", ...) {
  check_no_dots(...)
  check_valid(x, "dptda_synthesis")
  which <- check_choice(which, c("network", "margins"))
  if (which == "network") plot_network(x, main, col) else plot_margins(x, main, col)
  invisible(x)
}

# Draws columns on a circle, with arrows from parents, or with lines if edges are undirected.
plot_network <- function(x, main, col) {
  names <- names(x$schema$columns)
  d <- length(names)
  angle <- pi / 2 - 2 * pi * (seq_len(d) - 1) / d
  at <- if (d == 1) cbind(0, 0) else cbind(cos(angle), sin(angle))
  edges <- model_edges(x$model)
  graphics::plot(NULL, xlim = c(-1.5, 1.5), ylim = c(-1.3, 1.3), asp = 1, axes = FALSE, xlab = "", ylab = "")
  fit_title(if (is.null(main)) paste("columns joined in the model, method", x$method) else main)
  if (nrow(edges)) {
    from <- at[edges$from, , drop = FALSE]
    to <- at[edges$to, , drop = FALSE]
    # arrows end short of the names
    start <- from + 0.1 * (to - from)
    end <- from + 0.9 * (to - from)
    directed <- !is.null(attr(edges, "directed"))
    graphics::arrows(start[, 1], start[, 2], end[, 1], end[, 2], length = if (directed) 0.1 else 0, col = col)
  }
  graphics::text(1.12 * at[, 1], 1.12 * at[, 2], names, xpd = NA)
}

# Draws the cells of each column, for at most twelve columns.
plot_margins <- function(x, main, col) {
  shown <- utils::head(seq_along(x$schema$columns), 12)
  saved <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)), cex = 0.8, mar = c(4.6, 3, 2, 1))
  on.exit(graphics::par(saved))
  for (j in shown) {
    share <- model_margin(x$model, j)
    share <- share / sum(share)
    noise <- model_noise(x$model, j)
    reach <- if (is.null(noise)) 0 else 1.96 * noise
    at <- graphics::barplot(share, names.arg = x$schema$columns[[j]]$names, col = col, border = NA, las = 2,
                            cex.names = 0.8,
                            ylim = c(0, max(share + reach)), main = if (is.null(main))
                              names(x$schema$columns)[j] else main)
    if (!is.null(noise)) graphics::segments(at, pmax(share - reach, 0), at, share + reach)
  }
}
