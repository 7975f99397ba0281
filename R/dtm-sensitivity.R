#' Sensitivity of the distance to a measure and its diagram
#'
#' Computes the sensitivity of [distance_to_measure()] and of its persistence diagram. Replacing one row of the data
#' changes the distance at any point by at most this number, and so each dimension of the diagram in bottleneck
#' distance. It depends on public quantities only.
#'
#' @param n An integer, at least 1: the public number of rows (or the total weight); or [unseen()] people, one of whom
#'   is then replaced.
#' @param grid A grid from [domain_grid()] or a box from [domain_box()] (only the box matters), or landmarks from
#'   [domain_landmarks()], which need a finite `clip` if they have no box.
#' @inheritParams distance_to_measure
#' @return One number, in the units of the data:
#'   \eqn{\min(clip, D) / k^{1/r}}{min(clip, D) / k^(1/r)}, with `k = ceiling(m0 * n)` and `D` the diagonal of the box
#'   (for landmarks on a manifold, its diameter; `Inf` if there is neither).
#'
#' @section Privacy:
#' Unit: one row, or one person with all rows if `n` is a number of people. Neighbors differ by replacing one unit.
#' Rows are moved into the box one by one, and [bin_points()] does not change the bound. With `weights`, the bound holds
#' for one unit of weight.
#'
#' The bound is attained. Put `n - k` rows at one corner of the box and `k` at the opposite one, where the function is
#' then zero. If one of the `k` rows moves to the first corner, the function rises by the bound.
#'
#' The proof for all `r` and `clip` is in `system.file("proofs/dtm-sensitivity.md", package = "dptda")`. It is about
#' real numbers. Computed values have a relative error of at most 2^-44 for any data, `m0`, `r`, and `clip`, which is
#' also proved there. [private_diagram()] adds the effect of this error to the sensitivity.
#' @references
#' Kang, T., Kim, S., Sohn, J. and Awan, J. (2024). Differentially private
#' topological data analysis. *Journal of Machine Learning Research* 25.
#' @examples
#' box <- domain_box(c(-3.5, -3.5), c(3.5, 3.5))
#' diagram_sensitivity(n = 4000, box, m0 = 0.2)
#' diagram_sensitivity(n = 4000, box, m0 = 0.2, clip = 1.6)
#' @export
diagram_sensitivity <- function(n, grid, m0, ..., r = 1, clip = Inf) {
  check_no_dots(...)
  n <- check_public_units(n, 1, exact = TRUE)$n
  check_domain(grid, box = TRUE)
  m0 <- check_m0(m0)
  r <- check_number(r, 1)
  clip <- check_number(clip, 0, open_lower = TRUE, finite = FALSE)
  change <- min(clip, domain_diameter(grid))
  if (change == Inf) {
    stop_argument("clip", "must be finite on ", domain_facts(grid)$title, ", because nothing else bounds distances.")
  }
  change / neighbor_count(n, m0)^(1 / r)
}

# The sensitivity of computed values at the vertices of a domain. The two functions each have a rounding error, at most
# the fraction dtm_rounding of the largest value. Twice this proved error also covers rounding of this bound and of
# levels in units of the range.
computed_sensitivity <- function(n, domain, m0, r, clip) {
  diagram_sensitivity(n, domain, m0, r = r, clip = clip) + 4 * dtm_rounding * diagram_bound(domain, clip)
}

# L: upper bound on the distance to a measure, for any data.
diagram_bound <- function(domain, clip = Inf) min(clip, domain_reach(domain))
