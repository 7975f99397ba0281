# EUGkM of Su and others: a noisy histogram over a grid, and k-means on the centers of its cells, weighted by their
# noisy counts. If noise allows, a coarse histogram comes first, and only its cells that hold rows are divided. Proof:
# inst/proofs/cluster-kmeans.md.

#' Methods of private k-means
#'
#' Describes the methods of [private_kmeans()] that have no settings: a noisy grid (EUGkM), which is the default, a tree
#' of random planes (DPTree), and candidates from cubes (DPCube). Give the name of a method as a string.
#'
#' # Grid
#'
#' `"grid"` clusters a noisy histogram. It counts the rows in the cells of a grid with noise, and runs k-means on the
#' centers of the cells with large noisy counts, weighted by these counts. Rows are in memory or in a database.
#'
#' If noise allows, a coarse histogram comes first. Only its cells with large noisy counts are divided and counted
#' again, so dense regions have fine cells. Up to five rounds of Lloyd's algorithm may follow, as in [kmeans_lloyd()],
#' but they begin at these centers.
#'
#' Public numbers (rows, columns, `k` and the budget) decide whether there is a coarse histogram, whether rounds follow,
#' how many, and how fine the grid is. A coarse histogram needs noise small enough for two of its cells for each center.
#' Without rounds there are about `(n * epsilon / 10)^(2 * D / (D + 2))` cells for D columns, with rounds about
#' `(n * epsilon / 40)^(2 * D / (D + 2))`, at least `k` and at most 65,536. With 16 columns or more, each side is thus
#' cut into at most two parts, so clusters that differ in few columns may be missed.
#'
#' # Tree
#'
#' `"tree"` clusters the noisy leaves of a tree. Random planes split the rows repeatedly while the noisy counts of the
#' parts are large. k-means then runs on the noisy means of the leaves, weighted by their noisy counts. It
#' works for any number of columns and needs no initial centers. It refuses a budget of `epsilon` alone, since its noise
#' is Gaussian, and rows in a database.
#'
#' # Cubes
#'
#' `"cube"` chooses its centers by the exponential mechanism among candidates. It halves randomly shifted cubes while
#' their noisy counts are large. The centers of the cubes are the candidates, and centers are exchanged for them. The
#' release has the noisy means of the rows nearest to the chosen candidates. With more than five columns, the first two
#' steps use a random projection.
#'
#' Use it for clusters that Lloyd's algorithm misses from its first centers: an exchange puts a center anywhere among
#' the candidates. It refuses rows in a database, and it is slow.
#'
#' @section Budget:
#' * `"grid"` takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`: all of it for the histogram, or half of it if
#'   rounds follow, which share the other half equally. A coarse histogram gets an eighth of the histogram's part.
#' * `"tree"` takes `rho`, `mu`, or `epsilon` with `delta`: 15% for the counts of the levels, 85% for the means.
#' * `"cube"` takes `epsilon`, `rho`, `mu`, or `epsilon` with `delta`: 35% for counts of cubes, 20% for exchanges, 45%
#'   for means.
#' @section Cost:
#' A round costs `nrow(x) * k * ncol(x)` operations, a tree `200 * nrow(x) * ncol(x)`, and an exchange of a center some
#' hundred times `nrow(x) * ncol(x)`. k-means on a grid costs up to a thousand times `k * ncol(x)` for each of its at
#' most 65,536 cells: minutes for a hundred centers in fifty columns.
#' @references Su, D., Cao, J., Li, N., Bertino, E., Lyu, M. and Jin, H. (2017). Differentially private k-means
#' clustering and a hybrid approach to private optimization. *ACM Transactions on Privacy and Security* 20, 16.
#'
#' Chang, A., Ghazi, B., Kumar, R. and Manurangsi, P. (2021). Locally private k-means in one round. *International
#' Conference on Machine Learning*, 1441-1451.
#'
#' Balcan, M.-F., Dick, T., Liang, Y., Mou, W. and Zhang, H. (2017). Differentially private clustering in
#' high-dimensional Euclidean spaces. *International Conference on Machine Learning*, 322-331.
#' @seealso [private_kmeans()], [kmeans_lloyd()]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' private_kmeans(X, box, k = 2, epsilon = 1, method = "grid")
#' private_kmeans(X, box, k = 2, rho = 0.5, method = "tree")
#' private_kmeans(X, box, k = 2, epsilon = 2, method = "cube")
#' @name kmeans_methods
NULL

# `rounds`: NULL, or the number of Lloyd rounds after the histogram. By default, as many as have small noise compared
# with a cell.
kmeans_grid <- function(..., rounds = NULL) {
  check_no_dots(...)
  new_method("kmeans_grid", rounds = if (!is.null(rounds)) check_count(rounds, 0, 1000))
}

define_method("kmeans_grid", kmeans_grid, in_database = TRUE)

# As many rounds as the whole cost allows.
method_settled.kmeans_grid <- function(method, n, dimension, k, cost) {
  if (is.null(method$rounds)) method$rounds <- grid_rounds(n, dimension, k, cost)
  list(method = method, queries = usual_queries)
}

method_plan.kmeans_grid <- function(method, n, box, k, cost, digits = NULL) {
  plan_kmeans_grid(n, box, k, cost, method$rounds, digits)
}

method_draw.kmeans_grid <- function(method, statistic, box, k, plan, rng) draw_kmeans_grid(statistic, box, k, plan, rng)

# Mean and mean square of the noisy count of an empty cell, if counts below the cut are dropped.
kept_noise <- function(plan) {
  kept_of_noise(plan$noise, noise_sd(plan$scale / plan$weight, plan$noise), plan$cut)
}

# The same for noise of standard deviation `sd`, if counts below `cut` standard deviations are dropped.
kept_of_noise <- function(noise, sd, cut) {
  if (noise == "gaussian") {
    return(c(sd * stats::dnorm(cut), sd^2 * (cut * stats::dnorm(cut) + stats::pnorm(cut, lower.tail = FALSE))))
  }
  scale <- sd / sqrt(2)
  least <- cut * sd
  exp(-least / scale) / 2 * c(least + scale, least^2 + 2 * scale * least + 2 * scale^2)
}

# Noise in empty cells is positive and draws a center toward the middle of its cells. Which cells are empty is unknown.
# This bound therefore gives no cell less noise, and lets all cells of the box draw, even if only some are divided.
# After rounds, it is the noise of the last round.
method_noise.kmeans_grid <- function(method, plan, places, size) {
  if (!is.null(plan$lloyd)) return(NextMethod())
  kept <- kept_noise(plan)
  cut <- cut_sides(plan$size)
  points <- grid_points(plan$size[cut])
  places <- places[, cut, drop = FALSE]
  nearest <- nearest_place(points, places)
  vapply(seq_len(nrow(places)), function(k) {
    away <- points[, nearest == k, drop = FALSE] - places[k, ]
    sqrt(sum((kept[1] * rowSums(away))^2) + kept[2] * sum(away^2))
  }, 0) / size
}

# One center at a time, because there may be many centers and cells.
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

# About (n epsilon / `rows`)^(2 D / (D + 2)) cells. Here epsilon is the one with the same noise under "add or remove one
# row": half of a pure epsilon, or sqrt(2 rho). Su and others (2017) use `rows` = 10. If cells below the noise are
# dropped, finer grids are better (inst/simulations/clusters-kmeans.R). A grid with fewer cells than clusters would give
# several clusters the same center.
grid_cells <- function(n, dimension, clusters, cost, rows = 5) {
  epsilon <- if (is_pure(cost)) cost$spent[["epsilon"]] / 2 else sqrt(2 * cost$spent[["rho"]])
  # cut as by grid_sides(): some sides once more than others
  parts <- max(1, floor(clusters^(1 / dimension)))
  sizes <- parts^(dimension:0) * (parts + 1)^(0:dimension)
  least <- sizes[sizes >= clusters][1]
  min(max((n * epsilon / rows)^(2 * dimension / (dimension + 2)), least), max_grid_cells)
}

# The number of rounds after the histogram, from the variance of a center's noise in a round, as a fraction of cell^2 /
# 12. With many columns, cells are wide, and a round is better than a histogram from the whole budget. The same holds
# for sides that are not cut, unless the noise is Laplace noise, which grows with the columns. Further rounds must move
# centers by at most 1 percent of a side, because clusters may be narrow. These limits come from simulations.
grid_rounds <- function(n, dimension, k, cost) {
  size <- grid_sides(grid_cells(n, dimension, k, cost), dimension)
  cell <- mean((2 / size)^2) / 12
  half <- share_cost(cost, 1 / 2)
  kind <- measure_noise(cost$spent)
  noise <- function(rounds) {
    sensitivity <- lloyd_sensitivity(dimension, k, rounds, kind)[2]
    scale <- if (kind == "laplace") sensitivity / half$spent else sqrt(sensitivity / (2 * half$spent))
    (noise_sd(scale[[1]], kind) * k / n)^2 / cell
  }
  if (noise(1) > 0.12 * dimension && (kind == "laplace" || all(size > 1))) return(0)
  max(1, which(vapply(1:5, noise, 0) <= min(0.02, 3e-4 / cell)))
}

max_grid_cells <- 2^16

# The number of cells along each side: as even as possible, the first sides first. More than 16 sides cannot all be cut.
# The cut sides are spread evenly, because neighbors (such as pixels) may be alike.
grid_sides <- function(cells, dimension) {
  size <- rep(max(1, floor(cells^(1 / dimension))), dimension)
  for (j in if (dimension <= 16) seq_len(dimension) else order((seq_len(dimension) * (sqrt(5) - 1) / 2) %% 1)) {
    finer <- replace(size, j, size[j] + 1)
    if (prod(finer) <= cells) size <- finer
  }
  size
}

# The other sides are one cell wide, with its center in the middle.
cut_sides <- function(size) if (any(size > 1)) which(size > 1) else 1L

# The sides of a coarse grid that locates the rows, or NULL. It has a fourth of the cells per row of a fine grid, for
# its share of the budget. Fewer than two cells per center find too little, and with very many columns few are cut.
# Limits come from simulations. With a smaller budget, scales for people might exceed 2^40.
zoom_sides <- function(n, dimension, k, cost) {
  if (dimension > 16 || cost$spent[[1]] < 2^-20) return(NULL)
  cells <- grid_cells(n, dimension, 1, share_cost(cost, zoom_share), 20)
  size <- grid_sides(min(cells, max_zoom_cells), dimension)
  if (prod(size) >= 2 * k) size
}

zoom_share <- 1 / 8

max_zoom_cells <- 2^12

# The largest number of cells that a kernel can hold at once.
max_fine_cells <- 2^22

# The number of standard deviations above which a coarse cell is divided: half an empty cell on average. A single
# distant cell would draw a center.
occupied_cut <- function(noise, cells) {
  if (noise == "gaussian") stats::qnorm(0.5 / cells, lower.tail = FALSE) else log(cells) / sqrt(2)
}

grid_table <- function(box, size) {
  cut <- cut_sides(size)
  cell_table(Map(axis_cells, box$lower[cut], box$upper[cut], size[cut]), cut)
}

plan_kmeans_grid <- function(n, box, k, cost, rounds = NULL, digits = NULL) {
  dimension <- length(box$lower)
  noise <- measure_noise(cost$spent)
  if (is.null(rounds)) rounds <- grid_rounds(n, dimension, k, cost)
  histogram_cost <- if (rounds == 0) cost else share_cost(cost, 1 / 2)
  size <- grid_sides(grid_cells(n, dimension, k, histogram_cost, if (rounds == 0) 5 else 10), dimension)
  coarse <- zoom_sides(n, dimension, k, histogram_cost)
  spent <- histogram_cost$spent * if (is.null(coarse)) 1 else 1 - zoom_share
  found <- histogram_cost$spent * zoom_share
  scale_of <- function(spent, weight) noise_scale(spent, l1 = 2 * weight, l2_squared = 2 * weight^2)
  # shares are rounded
  scale <- function(weight) scale_of(spent * if (is.null(coarse)) 1 else query_margin, weight)
  zoom_scale <- function(weight) scale_of(found * query_margin, weight)
  weight <- sum_weight(digits, 52 - log2(n), if (is.null(coarse)) scale(1) else zoom_scale(1))
  # both plans use one weight of rows
  lloyd <- if (rounds > 0) {
    plan_kmeans_lloyd(n, box, k, share_cost(cost, 1 / 2), rounds, if (!is.null(digits)) log2(weight))
  }
  if (rounds > 0) weight <- lloyd$weight
  zoom <- if (!is.null(coarse)) {
    list(size = coarse, scale = zoom_scale(weight), cut = occupied_cut(noise, prod(coarse)))
  }
  plan <- list(noise = noise, size = size, table = grid_table(box, if (is.null(coarse)) size else coarse),
               scale = scale(weight), weight = weight,
               cut = dropped_noise(noise, noise_sd(scale(weight) / weight, noise), prod(size), n),
               zoom = zoom, lloyd = lloyd, rounds = rounds,
               steps = Reduce(rbind, c(if (!is.null(zoom)) list(cost_steps("coarse histogram", found)),
                                       list(cost_steps("histogram", spent)), if (rounds > 0) list(lloyd$steps))),
               words = paste0(noise_names[[noise]], " noise on a histogram of ",
                              if (!is.null(zoom)) paste(count_of(prod(coarse), "cell"), "and on one of at most "),
                              count_of(prod(size), "cell"),
                              if (rounds > 0) " and on counts and sums by cluster in ",
                              if (rounds > 0) count_of(rounds, "round")),
               stated = c("coarse cell" = zoom$scale, cell = scale(weight), lloyd$stated),
               means = lloyd$means, parts = 1 + !is.null(zoom) + rounds, sd = lloyd$sd)
  # cells of one center together, if none has rows: the noise that this adds to its size
  empty <- kept_noise(plan) * prod(size) / k
  plan$least_all <- max(empty[1] + 3 * sqrt(empty[2]), lloyd$least)
  plan$least <- if (rounds > 0) lloyd$least else plan$least_all
  plan
}

# Cells are dropped if their noisy counts are below so many standard deviations, from 2 to 6. Noise then adds at most a
# twentieth of the rows to empty cells.
dropped_noise <- function(noise, sd, cells, n) {
  cuts <- seq(2, 6, by = 0.5)
  added <- vapply(cuts, function(cut) cells * kept_of_noise(noise, sd, cut)[1], 0)
  c(cuts[added <= n / 20], 6)[1]
}

# Centers of all cells in [-1, 1], one column each, first side fastest.
grid_points <- function(size) {
  unname(t(as.matrix(expand.grid(lapply(size, function(m) (2 * seq_len(m) - 1) / m - 1)))))
}

# A grid of `size` sides, with noisy counts of `cells` (the numbers of some or all cells). Two histograms are two
# queries: the first one decides the cells of the second.
draw_cells <- function(statistic, box, plan, rng) {
  noisy <- function(counts, scale) add_noise(counts, scale, plan$noise, rng) / plan$weight
  zoom <- plan$zoom
  if (is.null(zoom)) {
    return(list(size = plan$size, cells = seq_along(statistic$counts), noisy = noisy(statistic$counts, plan$scale)))
  }
  occupied <- which(noisy(statistic$counts, zoom$scale) > zoom$cut * noise_sd(zoom$scale / plan$weight, plan$noise))
  finer <- divided_cells(occupied, zoom$size, plan$size)
  counts <- count_rows(statistic$rows, list(grid_table(box, finer$size)))[[1]]
  exact <- counts$count[match(finer$cells, counts$cell)]
  c(finer, list(noisy = noisy(replace(exact, is.na(exact), 0), plan$scale)))
}

# Divides the cells `occupied` of a grid of `coarse` sides into at most as many cells as a grid of `fine` sides has.
# Returns a grid of `size` sides and the numbers of its cells in these. If no cell is occupied, all of `fine`.
divided_cells <- function(occupied, coarse, fine) {
  if (length(occupied) == 0) return(list(size = fine, cells = seq_len(prod(fine))))
  parts <- grid_sides(max(1, min(prod(fine) / length(occupied), max_fine_cells / prod(coarse))), length(coarse))
  size <- coarse * parts
  step <- c(1, cumprod(size)[-length(size)])
  first <- drop((arrayInd(occupied, coarse) - 1) %*% (parts * step))
  within <- drop((arrayInd(seq_len(prod(parts)), parts) - 1) %*% step)
  list(size = size, cells = sort(as.vector(outer(within, first, "+"))) + 1)
}

draw_kmeans_grid <- function(statistic, box, k, plan, rng) {
  grid <- draw_cells(statistic, box, plan, rng)
  fit <- centers_of_cells(grid, k, plan, rng)
  lloyd <- plan$lloyd
  for (round in seq_len(plan$rounds)) {
    sums <- draw_lloyd_query(statistic$rows, fit$centers, box, lloyd, rng)
    # before the first round, a center is known to within a cell
    cell <- if (round == 1) (2 / grid$size)^2 / 12 else Inf
    fit <- list(centers = blend_centers(fit$centers, sums, lloyd, cell), size = pmax(sums$count, 0))
  }
  fit
}

# If fewer than k cells have large counts, all cells above zero stay. If fewer than k are above zero, all cells stay.
centers_of_cells <- function(grid, k, plan, rng) {
  noisy <- grid$noisy
  above <- function(least) which(noisy > least)
  left <- above(plan$cut * noise_sd(plan$scale / plan$weight, plan$noise))
  if (length(left) < k) left <- above(0)
  if (length(left) < k) left <- seq_along(noisy)
  cut <- cut_sides(grid$size)
  # few cells leave time for many starts; twelve clusters in a corner of the box need more than ten
  starts <- min(max(10, 2e6 %/% (length(left) * k)), 100)
  points <- (2 * t(arrayInd(grid$cells[left], grid$size[cut])) - 1) / grid$size[cut] - 1
  fit <- weighted_kmeans(points, pmax(noisy[left], 0), k, rng, starts = starts)
  centers <- matrix(0, length(grid$size), k)
  centers[cut, ] <- fit$centers
  list(centers = centers, size = fit$size)
}

# The mean of a center before a round and its result, weighted by precision. `before`: the variance before the round,
# for each column.
blend_centers <- function(centers, seen, plan, before) {
  moved <- move_centers(centers, seen, plan)
  noise <- (noise_sd(plan$scale[2] * plan$unit[2], plan$noise) / pmax(seen$count, 1))^2
  part <- 1 / (1 + outer(1 / rep_len(before, nrow(centers)), noise))
  centers + part * (moved - centers)
}
