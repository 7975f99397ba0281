#' Private proportion
#'
#' Releases the proportion of `TRUE` in a logical vector under differential privacy. It is [private_count()] divided by
#' the public number of rows, with the same privacy cost.
#'
#' @param by `NULL` or a list of public levels, named by columns of the table: the proportion in each group, which is
#'   [private_mean()] of zeros and ones, see [private_groups].
#' @inheritParams private_count
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_proportion`, a [private_value]. `value` is one number, an integer multiple
#' of 1 / n (for people, of 1 / (n W), with W = `privacy(x)$public$weight`). Noise may move it below 0 or above 1.
#'
#' @section Privacy:
#' Unit: one row, or one person ([table_rows()]). Neighbors differ by replacing one unit; the number of units is public.
#'
#' Sensitivity: 1 / n.
#'
#' Guarantee: `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy,
#' exactly, as for a count. Noise is drawn and added in integers. Only the released integer is divided by n in floating
#' point, so rounding reveals nothing more.
#'
#' Not protected: the existence of a missing value, which is an error before anything is drawn. Do not publish its
#' message, because it depends on the data. `missing` of [table_rows()] avoids the error. Running time is protected only
#' by the option `dptda.release_time` ([dptda-package]). `vignette("privacy-model", package = "dptda")` explains the
#' guarantee.
#'
#' @section Implementation:
#' One pass over the rows, and one draw, as in [private_count()]. The proof is in `system.file("proofs",
#' "number-count.md", package = "dptda")`.
#' @inherit private_count references
#' @seealso [private_count()], [private_table()]
#' @examples
#' smokes <- rep(c(TRUE, FALSE), c(212, 788))
#' share <- private_proportion(smokes, epsilon = 0.5)
#' share
#' confint(share)
#' @export
private_proportion <- function(x, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL, by = NULL,
                               budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  read <- function(x) {
    if (!is.null(by)) {
      rows <- check_logical_by(x, columns, by)
      return(check_counted_rows(rows, rows$columns[1], check_box(c(0, 1)), by, "x"))
    }
    require_rows(check_logical_rows(x, columns), 1)
  }
  make <- function(units, rows) {
    if (!is.null(by)) return(proportion_by(units, rows$columns[1], check_cost(epsilon, rho, delta, mu), by))
    proportion_mechanism(check_public_units(units, exact = TRUE), check_cost(epsilon, rho, delta, mu))
  }
  release(x, budget, rng, read, make, columns = unread_column(columns, by), once = is.null(by))
}

proportion_mechanism <- function(units, cost) {
  planned <- plan_unit_noise(units, cost, l1 = 1, l2_squared = 1)
  noise <- planned$noise
  guarantee <- new_guarantee(
    cost$measure, sensitivity = 1 / units$n,
    mechanism = paste(noise_words(noise), "on a count, divided by the", units_noun(units$person)),
    public = c(list(n = units$n, scale = noise$scale * noise$step), weight_words(units, planned$weight)),
    sampler = "exact", step = "private_proportion", spent = cost$known, person = units$person
  )
  new_mechanism(public_plan(c("private_proportion", "private_count", "additive"), n = units$n, noise = noise,
                            weight = planned$weight), guarantee)
}

# Proportions by group are means of zeros and ones.
proportion_by <- function(n, columns, cost, by) {
  mechanism <- sum_mechanism(n, columns, check_box(c(0, 1)), cost, 20, "private_mean", by, moments = FALSE)
  mechanism$plan$what <- "proportion"
  mechanism
}

noise_of.private_proportion <- function(plan) {
  noise_table("the proportion", new_noise(plan$noise$kind, plan$noise$scale, plan$noise$step / plan$n))
}

result_of.private_proportion <- function(plan, drawn) {
  noise <- new_noise(plan$noise$kind, plan$noise$scale, plan$noise$step / plan$n)
  new_private_value(drawn * plan$noise$step / plan$n, noise, class = "dptda_private_proportion")
}

example_of.private_proportion <- function(plan) {
  list(release_example("proportion", "", c(TRUE, FALSE), c(TRUE, TRUE), list(epsilon = 1)))
}
