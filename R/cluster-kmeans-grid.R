# EUGkM of Su and others: one noisy histogram over a grid, and k-means on the centers of its cells, which weigh what the
# noisy counts say. Proof: inst/proofs/cluster-kmeans.md.

#' Private k-means on a noisy grid (EUGkM)
#'
#' Makes [private_kmeans()] cluster a noisy histogram: the rows in the cells of a grid are counted once, with noise,
#' and k-means runs on the centers of the cells with the noisy counts as weights.
#'
#' For a few columns; rows may be in a database, which is asked for one statement. Not for many columns: a cell is then
#' as wide as half of the box.
#'
#' How fine the grid is follows from the public numbers of rows and columns, `k` and the budget: about
#' `(n * epsilon / 20)^(2 * D / (D + 2))` cells for D columns, at least `k` and at most 65,536.
#'
#' @param ... Must be empty: there are no settings.
#' @return A method: an object of class `c("kmeans_grid", "dptda_method")`.
#' @section Budget:
#' Takes `epsilon`, `rho`, or `epsilon` with `delta`, all of which is charged for the one histogram.
#' @references Su, D., Cao, J., Li, N., Bertino, E., Lyu, M. and Jin, H. (2017). Differentially private k-means
#' clustering and a hybrid approach to private optimization. *ACM Transactions on Privacy and Security* 20, 16.
#' @seealso [kmeans_lloyd()], [kmeans_tree()], [kmeans_cube()]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' private_kmeans(X, domain_box(c(-8, -8), c(8, 8)), k = 2, epsilon = 1,
#'                method = kmeans_grid())
#' @export
kmeans_grid <- function(...) {
  check_no_dots(...)
  new_method("kmeans_grid")
}

define_method("kmeans_grid")

method_in_database.kmeans_grid <- function(method) TRUE

method_plan.kmeans_grid <- function(method, n, box, k, cost, digits = NULL) {
  plan_kmeans_grid(n, box, k, cost, digits)
}

method_statistic.kmeans_grid <- function(method, rows, plan) count_kmeans_grid(rows, plan)

method_draw.kmeans_grid <- function(method, seen, box, k, plan, rng) draw_kmeans_grid(seen, box, k, plan, rng)

method_parts.kmeans_grid <- function(method, plan) 1

# Of the cells of one center together.
method_least.kmeans_grid <- function(method, plan, k) {
  3 * sqrt(prod(plan$size) / k) * noise_sd(plan$scale / plan$weight, plan$noise)
}

# Counts below zero are nothing: the noise of an empty cell is on one side, so that it draws a center to the middle of
# its cells. Which cells are empty is not known: none is said to have less noise, and all to draw.
method_noise.kmeans_grid <- function(method, plan, places, size, known) {
  sd <- noise_sd(plan$scale / plan$weight, plan$noise)
  points <- grid_points(plan$size)
  nearest <- nearest_place(points, places)
  vapply(seq_len(nrow(places)), function(k) {
    away <- points[, nearest == k, drop = FALSE] - places[k, ]
    sqrt(sum((0.4 * sd * rowSums(away))^2) + sd^2 * sum(away^2))
  }, 0) / size
}

# One place after the other, since there may be many of both.
nearest_place <- function(points, places) {
  least <- rep(Inf, ncol(points))
  nearest <- integer(ncol(points))
  for (k in seq_len(nrow(places))) {
    square <- colSums((points - places[k, ])^2)
    nearer <- which(square < least)
    least[nearer] <- square[nearer]
    nearest[nearer] <- k
  }
  nearest
}

# About (n epsilon / 10)^(2 D / (D + 2)) cells, for the epsilon of the same noise under "add or remove one row", for
# which that was found: half of it, and the root of 2 rho. At least as many as clusters.
grid_cells <- function(n, dimension, clusters, cost) {
  epsilon <- if (is_pure(cost)) cost$spent[["epsilon"]] / 2 else sqrt(2 * cost$spent[["rho"]])
  min(max((n * epsilon / 10)^(2 * dimension / (dimension + 2)), clusters), max_grid_cells)
}

max_grid_cells <- 2^16

# How many along each side: as even as possible, the first sides first.
grid_sides <- function(cells, dimension) {
  size <- rep(max(1, floor(cells^(1 / dimension))), dimension)
  for (j in seq_len(dimension)) {
    finer <- replace(size, j, size[j] + 1)
    if (prod(finer) <= cells) size <- finer
  }
  size
}

plan_kmeans_grid <- function(n, box, k, cost, digits = NULL) {
  noise <- measure_noise(cost$spent)
  size <- grid_sides(grid_cells(n, length(box$lower), k, cost), length(box$lower))
  axes <- Map(axis_cells, box$lower, box$upper, size)
  spent <- cost$spent
  scale <- function(weight) noise_scale(spent, l1 = 2 * weight, l2_squared = 2 * weight^2)
  weight <- sum_weight(digits, 52 - log2(n), scale(1))
  list(noise = noise, size = size, table = cell_table(axes), scale = scale(weight), weight = weight,
       steps = cost_steps("histogram", spent),
       words = paste0("discrete ", noise_names[[noise]], " noise on a histogram of ", count_of(prod(size), "cell")))
}

# The centers of all cells in [-1, 1], one column each, the first side fastest.
grid_points <- function(size) {
  unname(t(as.matrix(expand.grid(lapply(size, function(m) (2 * seq_len(m) - 1) / m - 1)))))
}

# Before anything is spent, in memory or in a database.
count_kmeans_grid <- function(rows, plan) {
  dense_counts(count_rows(rows, list(plan$table))[[1]], prod(plan$size))
}

draw_kmeans_grid <- function(counts, box, k, plan, rng) {
  noisy <- add_noise(counts, plan$scale, plan$noise, rng) / plan$weight
  weighted_kmeans(grid_points(plan$size), pmax(noisy, 0), k, rng)[c("centers", "size")]
}
