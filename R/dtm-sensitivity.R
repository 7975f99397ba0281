#' Sensitivity of the distance to a measure and its diagram
#'
#' Computes the sensitivity of [distance_to_measure()] and of its persistence diagram: replacing one row of the data
#' moves the distance at any point, and so each dimension of the diagram in bottleneck distance, by at most this
#' number. It depends on public quantities only.
#'
#' @param n Whole number of at least 1: the number of rows (or the total
#'   weight), public; or [unseen()], of whom one is replaced then.
#' @param grid A grid made by [domain_grid()] or a box made by [domain_box()], of
#'   which only the box matters; or landmarks made by [domain_landmarks()], which without a box need a finite `clip`.
#' @inheritParams distance_to_measure
#' @return One number, in the units of the data:
#'   \eqn{\min(clip, D) / k^{1/r}}{min(clip, D) / k^(1/r)}, with `D` the diagonal
#'   of the box (the diameter of the manifold, of landmarks on one; `Inf` where there is neither) and
#'   `k = ceiling(m0 * n)`.
#'
#' @section Privacy:
#' The unit is one row, the relation is *replace one row* (or one person with all rows,
#' where `n` is a number of people); the rows are moved into the box
#' one by one, and may be put into bins by [bin_points()], which
#' leaves the bound as it is. The bound is attained: take `n - k` rows at one
#' corner of the box and `k` at the opposite one, where the function is then
#' zero; if one of the `k` moves to the first corner, it rises by the bound.
#' With `weights` the bound holds for one unit of weight. The proof for all `r`
#' and `clip` is in
#' `system.file("proofs/dtm-sensitivity.md", package = "dptda")`; it is
#' about real numbers. Computed values have a relative error of at most 2^-44,
#' which is proved there too, for any data, `m0`, `r` and `clip`;
#' [private_diagram()] adds what that makes of the bound to the sensitivity.
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
    stop_argument("clip", "must be finite on ", domain_facts(grid)$title, ", since nothing else bounds a distance.")
  }
  change / neighbor_count(n, m0)^(1 / r)
}

# The same for the values as they are computed, at the vertices of a domain: each of
# the two functions is within its rounding error, at most that part of the
# largest value. Twice the proved error also covers the rounding of this bound
# and of the levels in units of the range.
computed_sensitivity <- function(n, domain, m0, r, clip) {
  diagram_sensitivity(n, domain, m0, r = r, clip = clip) + 4 * dtm_rounding * diagram_bound(domain, clip)
}

# L: no value of the distance to a measure exceeds it, whatever the data.
diagram_bound <- function(domain, clip = Inf) min(clip, domain_reach(domain))
