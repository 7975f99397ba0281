# A test of independence for a private table, by simulation of sampling and noise (inst/proofs/number-population.md,
# statement 9).

#' Test the independence of two columns of a private table
#'
#' Tests whether two columns of a released table are independent in the population. It needs no further budget.
#'
#' @details
#' The statistic is the sum over all cells of (Z - E)^2 / (E + v), with the noisy count Z, the expected count E from the
#' noisy margins, and the variance v of the noise. Its distribution is simulated: tables are drawn from the fitted
#' margins, and noise is added to them by the distribution of the release. [stats::chisq.test()] of noisy counts rejects
#' true independence far too often, because noise looks like dependence.
#'
#' Rows, or people, must be independent draws. If people have several rows, the test rejects rather too rarely.
#'
#' @param x An object of class `dptda_private_table` of two columns.
#' @param ... Not used. Later arguments must be named.
#' @param other `TRUE` or `FALSE`: whether the cells `"other"` take part. `FALSE` tests independence among the rows with
#'   declared levels. It has more power if few rows are elsewhere, because empty cells add noise alone.
#' @param runs One integer, at least 99: the number of simulated tables.
#' @param seed One integer or `NULL`: the seed of the simulation ([set.seed()]). The state of the generator is restored
#'   afterwards.
#' @return An object of class `htest`, as from [stats::chisq.test()], with `statistic`, `parameter` (`runs`), `p.value`,
#'   and `expected`.
#' @seealso [compare_groups()]
#' @references Gaboardi, M., Lim, H., Rogers, R. and Vadhan, S. (2016). Differentially private chi-squared hypothesis
#'   testing. *ICML*, 2111-2120.
#' @examples
#' education <- private_table(infert, list(education = levels(infert$education),
#'                                         induced = 0:2), epsilon = 1)
#' independence_test(education)
#' @export
independence_test <- function(x, ..., other = FALSE, runs = 999, seed = NULL) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  name <- deparse1(substitute(x))
  check_valid(x, "dptda_private_table")
  guarantee <- known_guarantee(x)
  if (length(attr(x, "cells", exact = TRUE)) != 2) stop_argument("x", "must be a private table of two columns.")
  counts <- as.table(x, other = check_flag(other))
  runs <- check_count(runs, 99)
  if (any(dim(counts) < 2)) stop_argument("x", "must have at least two levels in each column.")
  noise <- x$noise
  variance <- added_noise_sd(x)[1]^2
  # without "other", the number of rows is private
  fit <- function(z) fitted_margins(z, dim(counts), if (other) guarantee$public$n)
  observed <- as.matrix(as.vector(counts))
  expected <- fit(observed)
  statistic <- function(z, expected) colSums((z - expected)^2 / (expected + variance))
  simulated <- with_seed(seed, {
    size <- if (other) guarantee$public$n else round(sum(expected))
    drawn <- stats::rmultinom(runs, size, expected[, 1])
    noisy <- add_noise(as.vector(drawn) / noise$step, noise$scale[1], noise$kind, "R") * noise$step
    noisy <- matrix(noisy, ncol = runs)
    statistic(noisy, fit(noisy))
  })
  found <- statistic(observed, expected)
  structure(list(statistic = c(`noisy X-squared` = found), parameter = c(runs = runs),
                 p.value = (1 + sum(simulated >= found)) / (runs + 1),
                 method = "Independence of two columns of a private table, by simulation of sampling and noise",
                 data.name = paste0(name, ": ", paste(names(dimnames(counts)), collapse = " and ")),
                 observed = counts, expected = array(expected, dim(counts), dimnames(counts)), guarantee = guarantee),
            class = "htest")
}

# Returns expected counts of independent columns, for tables in the columns of `z`. Noisy margins below 1/2 are raised
# to it. `n`: the number of rows, or NULL for the sum of each table.
fitted_margins <- function(z, size, n) {
  rows <- unname(pmax(rowsum(z, rep(seq_len(size[1]), size[2])), 0.5))
  columns <- unname(pmax(rowsum(z, rep(seq_len(size[2]), each = size[1])), 0.5))
  total <- if (is.null(n)) pmax(colSums(z), 1) else n
  shares <- rows[rep(seq_len(size[1]), size[2]), , drop = FALSE] *
    columns[rep(seq_len(size[2]), each = size[1]), , drop = FALSE]
  sweep(shares, 2, total / (colSums(rows) * colSums(columns)), "*")
}
