# EUGkM of Su and others: one noisy histogram over a grid, and k-means on the centers of its cells, which weigh what the
# noisy counts say. Proof: inst/proofs/cluster-kmeans.md.

# About (n epsilon / 10)^(2 D / (D + 2)) cells, for the epsilon of the same noise under "add or remove one row", for which
# that was found: half of it, and the root of 2 rho. At least as many as clusters.
grid_cells <- function(n, dimension, clusters, spent) {
  epsilon <- if (spent_noise(spent) == "laplace") spent$epsilon / 2 else sqrt(2 * spent$rho)
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

plan_kmeans_grid <- function(n, box, k, spent) {
  noise <- spent_noise(spent)
  size <- grid_sides(grid_cells(n, length(box$lower), k, spent), length(box$lower))
  axes <- Map(axis_cells, box$lower, box$upper, size)
  cost <- spent_cost(spent)
  list(noise = noise, size = size, table = cell_table(axes), scale = noise_scale(cost, l1 = 2, l2_squared = 2),
       steps = cost_steps("histogram", cost),
       mechanism = paste0("discrete ", noise_names[[noise]], " noise on a histogram of ", prod(size), " cells"))
}

# The centers of all cells in [-1, 1], one column each, the first side fastest.
grid_points <- function(size) {
  unname(t(as.matrix(expand.grid(lapply(size, function(m) (2 * seq_len(m) - 1) / m - 1)))))
}

# Before anything is paid, in memory or in an engine.
count_kmeans_grid <- function(rows, plan) {
  dense_counts(count_rows(rows, list(plan$table))[[1]], prod(plan$size))
}

draw_kmeans_grid <- function(counts, box, k, plan, rng) {
  noisy <- add_noise(counts, plan$scale, plan$noise, rng)
  weighted_kmeans(grid_points(plan$size), pmax(noisy, 0), k, rng)[c("centers", "size")]
}
