#' Private proportion
#'
#' Releases a proportion, the share of the `TRUE`s of a logical vector, under differential privacy: [private_count()]
#' divided by the public number of rows, at the price of the count.
#'
#' @inheritParams private_count
#' @inheritParams private_release
#'
#' @return An object of class `dptda_private_proportion`, a [private_value]: `value` is one number, a whole multiple of
#'   1 / n, which the noise may put below 0 or above 1.
#'
#'   `mechanism_proportion()`: the same for `n` rows that nobody has seen, for [privacy_price()].
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public. Sensitivity: 1 / n. Guarantee:
#' `epsilon`-differential privacy, `rho`-zero-concentrated differential privacy, or (`epsilon`, `delta`)-differential
#' privacy, exactly, as that of a count: noise is drawn and added in integers. The division by n is floating point, and
#' harmless, since it sees only what is released. A missing value is an error before anything is drawn; that message
#' is for the curator and not part of a release. Running time is not protected. What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' One pass over the rows and one draw, as in [private_count()]. The proof is in
#' `system.file("proofs", "number-count.md", package = "dptda")`.
#' @inherit private_count references
#' @seealso [private_count()], [private_table()]
#' @examples
#' smokes <- rep(c(TRUE, FALSE), c(212, 788))
#' share <- private_proportion(smokes, epsilon = 0.5)
#' share
#' confint(share)
#' @export
private_proportion <- function(x, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL, budget = NULL,
                               rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  rows <- check_logical_rows(x, columns)
  if (rows$n < 1) stop_argument("x", "must have at least 1 row.")
  mechanism <- mechanism_proportion(rows$n, epsilon, rho, delta = delta)
  draw_release(mechanism, rows, budget, check_choice(rng, c("os", "R")))
}

#' @rdname private_proportion
#' @export
mechanism_proportion <- function(n, epsilon = NULL, rho = NULL, ..., delta = NULL) {
  check_no_dots(...)
  n <- check_public_rows(n)
  cost <- check_cost(epsilon, rho, delta)
  noise <- plan_noise(cost, l1 = 1, l2_squared = 1)
  guarantee <- new_guarantee(
    cost$measure, sensitivity = 1 / n, mechanism = paste(noise_words(noise), "on a count, divided by the rows"),
    public = list(n = n, scale = noise$scale), sampler = "exact", step = "private_proportion", spent = cost$spent
  )
  new_mechanism(public_plan(c("private_proportion", "private_count", "additive"), n = n, noise = noise), guarantee)
}

noise_of.private_proportion <- function(plan) {
  noise_table("the proportion", new_noise(plan$noise$kind, plan$noise$scale, 1 / plan$n))
}

result_of.private_proportion <- function(plan, drawn) {
  noise <- new_noise(plan$noise$kind, plan$noise$scale, 1 / plan$n)
  new_private_value(drawn / plan$n, noise, class = "dptda_private_proportion")
}

example_of.private_proportion <- function(plan) {
  list(release_example("proportion", "", c(TRUE, FALSE), c(TRUE, TRUE), list(epsilon = 1)))
}
