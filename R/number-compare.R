# Proportions in groups of private size, and differences between groups, with intervals for the population
# (inst/proofs/number-population.md, statements 7 and 8). Uses released and public numbers only.

#' Compare groups of a release
#'
#' Computes the difference between each pair of groups of a release, with an interval for the population. It needs no
#' further budget.
#'
#' @details
#' For a table, a group is a level of the columns in `by`, and the compared numbers are the proportions of the other
#' columns' cells within each group. The size of a group is private, so it is the noisy sum of its cells, including
#' `"other"`. For proportions by group, the compared numbers are the released ones. Groups and cells named `"other"` are
#' not compared.
#'
#' Intervals of both groups are combined by the method of variance estimates recovery (Zou and Donner 2008). They
#' account for sampling error and noise, and assume that rows, or people, are independent draws ([private_value]). Each
#' interval has the probability `level` by itself. For m differences at once, use `level = 1 - 0.05 / m`.
#'
#' @param x An object of class `dptda_private_table` with at least two columns, or of class `dptda_private_groups`.
#' @param by For a table, one or more strings: the columns that make groups. For other releases, `NULL`.
#' @param level One number in (0, 1): the probability of each interval.
#' @param ... Not used.
#' @return An object of class `dptda_comparison`. `as.data.frame()` has one row for each pair of groups and each
#'   compared number: the names of both groups (`first`, `second`), `cell`, the `difference` first - second, and the
#'   bounds `lower` and `upper` of its interval.
#' @references Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures. *Statistics in
#'   Medicine* 27, 1693-1702.
#' @seealso [independence_test()]
#' @examples
#' x <- data.frame(sex = rep(c("f", "m"), each = 500),
#'                 smokes = rep(c("yes", "no", "yes", "no"),
#'                              c(120, 380, 160, 340)))
#' levels <- list(sex = c("f", "m"), smokes = c("yes", "no"))
#' both <- private_table(x, levels, epsilon = 1)
#' compare_groups(both, by = "sex")
#' # proportions within each group
#' confint(both, of = "population", by = "sex")
#' independence_test(both)
#' @export
compare_groups <- function(x, by = NULL, level = 0.95, ...) UseMethod("compare_groups")

#' @export
compare_groups.default <- function(x, by = NULL, level = 0.95, ...) {
  if (missing(x)) stop_missing("x")
  stop_argument("x", "must be a private table of several columns, or a release by group, not ", describe(x), ".")
}

#' @export
compare_groups.dptda_private_table <- function(x, by = NULL, level = 0.95, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_private_table")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (is.null(by)) stop_argument("by", "must name the columns that make groups, such as by = \"sex\".")
  by <- check_table_by(by, x)
  shares <- table_shares(x, by, level)
  new_comparison(shares, paste("differences of proportions by", paste(by, collapse = ", ")), level, known_guarantee(x))
}

#' @export
compare_groups.dptda_private_groups <- function(x, by = NULL, level = 0.95, ...) {
  check_no_dots(...)
  check_unchanged(x)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (!is.null(by)) stop_argument("by", "must be NULL for a release by group, whose groups are known.")
  parts <- attr(x, "parts", exact = TRUE)
  if (!length(parts$by)) stop_argument("x", "must have groups.")
  guarantee <- known_guarantee(x)
  ends <- known_population_ends(x, level)
  columns <- ncol(parts$counts)
  cell <- if (columns > 1) as.character(.subset2(x, group_column(parts))) else rep(parts$what, nrow(ends))
  shares <- data.frame(group = joined_cells(parts$by, columns), cell, estimate = as.vector(group_values(parts)),
                       lower = ends[, 1], upper = ends[, 2], other = rep(has_other(parts$by), columns))
  new_comparison(shares, paste0("differences of ", parts$what, "s by ", paste(names(parts$by), collapse = ", ")), level,
                 guarantee)
}

known_guarantee <- function(x) {
  guarantee <- privacy(x)
  if (is.null(guarantee)) stop_argument("x", "must be an unchanged release.")
  guarantee
}

# Returns the names of all combinations of levels, and whether one of them is "other".
joined_cells <- function(levels, times = 1) {
  rep(do.call(paste, c(unname(expand.grid(levels, stringsAsFactors = FALSE)), sep = ", ")), times)
}

has_other <- function(levels) {
  Reduce(`|`, lapply(expand.grid(levels, stringsAsFactors = FALSE), function(level) level == "other"))
}

# ---- proportions in groups -----------------------------------------------------------------------------------------

check_table_by <- function(by, x, arg = "by") {
  cells <- attr(x, "cells", exact = TRUE)
  if (length(cells) < 2) stop_argument("x", "must be a private table of at least two columns to have groups.")
  if (!is.character(by) || !length(by) || anyNA(by) || anyDuplicated(by) || !all(by %in% names(cells)) ||
        length(by) == length(cells)) {
    stop_argument(arg, "must name some, but not all, of the columns ", quote_names(names(cells)), ", not ",
                  describe(by), ".")
  }
  as.vector(by) # without dimensions, which would select cells
}

# Returns one row for each cell, in the order of the table: its group, its proportion there, and the interval.
table_shares <- function(x, by, level) {
  cells <- attr(x, "cells", exact = TRUE)
  index <- do.call(expand.grid, c(cells, stringsAsFactors = FALSE))
  within <- index[setdiff(names(cells), by)]
  group <- do.call(paste, c(unname(index[by]), sep = ", "))
  count <- as.vector(plain_value(x))
  size <- stats::ave(count, group, FUN = sum)
  variance <- added_noise_sd(x)[1]^2
  ends <- ratio_shares(count, size, variance, variance, variance * prod(lengths(cells[names(within)])), level)
  data.frame(group, cell = do.call(paste, c(unname(within), sep = ", ")), estimate = ends[, 3], lower = ends[, 1],
             upper = ends[, 2], other = Reduce(`|`, lapply(index, function(level) level == "other")))
}

# Statement 7: all p that explain `count` - p * `size` by a binomial law and normal noise. `of_count`, `joint`, and
# `of_size`: variances and the covariance of the noise. Returns the bounds and the estimate.
ratio_shares <- function(count, size, of_count, joint, of_size, level) {
  empty <- size < 1
  size <- pmax(size, 1)
  count <- pmin(pmax(count, 0), size)
  z <- stats::qnorm((1 + level) / 2)^2
  leading <- size^2 + z * size - z * of_size
  middle <- count * size + z * size / 2 - z * joint
  last <- count^2 - z * of_count
  known <- leading > 0 & !empty
  root <- sqrt(pmax(middle^2 - leading * last, 0))
  safe <- ifelse(known, leading, 1)
  cbind(ifelse(known, pmax((middle - root) / safe, 0), 0), ifelse(known, pmin((middle + root) / safe, 1), 1),
        count / size)
}

population_ends_by.dptda_private_table <- function(x, by, level) {
  by <- check_table_by(by, x)
  as.matrix(table_shares(x, by, level)[c("lower", "upper")])
}

population_ends.dptda_private_groups <- function(x, level, ...) {
  parts <- attr(x, "parts", exact = TRUE)
  if (inherits(parts, "quantile_parts")) return(drawn_ends(parts$interval, parts$lattice, level))
  switch(parts$what, proportion = group_share_ends(parts, level), mean = group_mean_ends(parts, level))
}

population_reason.dptda_private_groups <- function(x) {
  parts <- attr(x, "parts", exact = TRUE)
  if (inherits(parts, "quantile_parts")) interval_reason(parts$interval) else population_reason.default(x)
}

# Proportions by group are noisy ratios: the sum is that of +1 for TRUE and -1 otherwise, times `most`.
group_share_ends <- function(parts, level) {
  variance <- function(scale) noise_deviation(parts$kind, scale)^2 / parts$weight^2
  of_size <- variance(parts$scale$count)
  of_sum <- variance(parts$scale$sums) / parts$most^2
  size <- as.vector(parts$counts) / parts$weight
  count <- (as.vector(parts$sums) / parts$weight / parts$most + size) / 2
  ends <- ratio_shares(count, size, (of_sum + of_size) / 4, of_size / 2, of_size, level)
  unname(ends[, 1:2, drop = FALSE])
}

# ---- differences ---------------------------------------------------------------------------------------------------

# Statement 8: combines intervals of two groups. `shares`: as from table_shares().
new_comparison <- function(shares, title, level, guarantee) {
  shares <- shares[!shares$other, ]
  each <- lapply(split(shares, factor(shares$cell, unique(shares$cell))), function(cell) {
    if (nrow(cell) < 2) stop_argument("x", "must have at least two groups to compare, besides \"other\".")
    pair <- utils::combn(nrow(cell), 2)
    a <- cell[pair[1, ], ]
    b <- cell[pair[2, ], ]
    difference <- a$estimate - b$estimate
    data.frame(first = a$group, second = b$group, cell = a$cell, difference,
               lower = difference - sqrt((a$estimate - a$lower)^2 + (b$upper - b$estimate)^2),
               upper = difference + sqrt((a$upper - a$estimate)^2 + (b$estimate - b$lower)^2))
  })
  table <- do.call(rbind, unname(each))
  rownames(table) <- NULL
  new_result(list(title = title, table = table, level = level, guarantee = guarantee), "dptda_comparison")
}

define_class("dptda_comparison", "compare_groups()", title = is_one_string, table = is.data.frame,
             level = is_one_number, guarantee = is_made("dptda_guarantee"),
             .valid = function(x) all(c("first", "second", "cell", "difference", "lower", "upper") %in% names(x$table)))

#' @exportS3Method
result_table.dptda_comparison <- function(x) x$table

#' @exportS3Method
tidy_table.dptda_comparison <- function(x) {
  table <- x$table
  wide <- 2 * stats::qnorm((1 + x$level) / 2)
  cbind(table[c("first", "second")], term = table$cell, estimate = table$difference,
        std.error = (table$upper - table$lower) / wide, conf.low = table$lower, conf.high = table$upper)
}

#' @export
print.dptda_comparison <- function(x, ...) {
  check_valid(x, "dptda_comparison")
  cat("<", x$title, ">\n", sep = "")
  shown <- utils::head(x$table, 20)
  ends <- as.matrix(shown[c("lower", "upper")])
  half <- (ends[, 2] - ends[, 1]) / 2
  shown$difference <- vapply(seq_along(half), function(i) format_beside(shown$difference[i], half[i]), "")
  shown[c("lower", "upper")] <- NULL
  shown[[paste0("population (", format_percent(x$level), ")")]] <- interval_words(ends)
  print(shown, row.names = FALSE)
  print_rest(nrow(x$table) - nrow(shown))
  cat("population: if ", units_noun(x$guarantee$person), " are independent draws\n", sep = "")
  print(x$guarantee)
  invisible(x)
}
