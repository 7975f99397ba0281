# Private k-means by a tree (Chang, Ghazi, Kumar and Manurangsi 2021, the central model). Random public planes split the
# rows repeatedly while the noisy count of a part is large. The noisy means and counts of the leaves are weighted
# points, and their k-means centers are the result. Everything that depends on a row is computed in integers
# (src/core/cluster-kmeans-tree.c). The proof is in inst/proofs/cluster-kmeans-tree.md.

define_method("kmeans_tree")

method_cost.kmeans_tree <- function(method, epsilon, rho, delta = NULL, mu = NULL) {
  check_cost(epsilon, rho, delta, mu, takes = c("delta", "rho", "mu"),
             because = "method \"tree\" has Gaussian noise")
}

method_plan.kmeans_tree <- function(method, n, box, k, cost, digits = NULL) {
  plan_kmeans_tree(n, box, k, cost, digits = digits)
}

method_draw.kmeans_tree <- function(method, statistic, box, k, plan, rng) {
  draw_kmeans_tree(statistic$rows, box, k, plan, rng)
}

# For the largest possible number of leaves.
method_noise.kmeans_tree <- function(method, plan, places, size) NextMethod() * sqrt(pmax(1, size / plan$leaf))

# ---- public numbers --------------------------------------------------------------------

# Shares of rho: 15 percent for the counts that grow the tree, in equal parts for its levels, the rest for the means.
# Planes go through random points of the box. The published planes go through its middle and cannot separate clusters on
# one ray.
plan_kmeans_tree <- function(n, box, k, cost, depth = 20, share = 0.15, digits = NULL) {
  dimension <- length(box$lower)
  rhos <- cost$spent[["rho"]] * c(rep(share / depth, depth), 1 - share)
  spent <- rhos * query_margin
  total <- kmeans_room(n, sqrt(4 * dimension / (2 * spent[depth + 1])))
  if (is.null(total) || spent[1] < 2^-78) refuse_much_noise(cost$measure)
  bits <- sum_bits(total, digits)
  # one row more and one row less: the squared change is two
  level_scale <- function(weight) noise_scale(c(rho = spent[1]), l2_squared = 2 * weight^2)
  weight <- sum_weight(digits, total - bits, level_scale(1))
  level <- level_scale(weight)
  whole <- kmeans_sum_scales(dimension, bits, spent[depth + 1], weight)
  sd <- whole[1:2] * c(1, 2^-bits) / weight
  least <- least_of_sums(sd * c(k > 1, 1))
  # a leaf has two counts
  sd[1] <- 1 / sqrt(1 / sd[1]^2 + (weight / level)^2)
  list(steps = data.frame(step = c(paste("counts of level", seq_len(depth)), "means"), rho = rhos), n = n, bits = bits,
       noise = "gaussian", weight = weight, depth = depth, level = level, scale = whole, most = 4096,
       # the size of a leaf
       leaf = max(1, min(floor(10 * sqrt(dimension) * whole[1] / weight), n / (2 * k)), 3 * level / weight),
       words = paste("rounded Gaussian noise on the counts of", count_of(depth, "level"), "of a tree, and on its",
                     "means"),
       stated = c("level of a tree" = level, cluster = whole[1]), parts = depth + 2, least = least,
       # with several centers, the root must be split (grow_tree()), and a part be distinguished from noise
       least_all = max(least, if (k > 1) 9 * level / weight / k), sd = sd)
}

# Binary digits of a row's number and of its weight, together. Sums of all rows are exact in doubles, and noise of the
# scale `sd`, in units of the box, needs no scale above 2^40. NULL if this is impossible.
kmeans_room <- function(n, sd) {
  total <- floor(min(52 - log2(n), 39.5 - log2(sd)))
  if (is.finite(total) && total >= 0) total
}

# Noise scales of a count and of a sum of integers. The count beside the sum costs nothing: a row and its count, in
# units of the longest row, form two such vectors that are never farther apart than two rows of one cluster.
kmeans_sum_scales <- function(dimension, bits, rho, weight = 1) {
  noise_scale(c(rho = rho), l2_squared = weight^2 * c(4, rep(4 * dimension * 4^bits, dimension)))
}

# Parameters of a box for the kernels: rows become integers up to 2^bits.
kmeans_lattice <- function(box, bits, matrix = NULL, shift = 0) {
  list(lower = box$lower, upper = box$upper, bits = as.double(bits), matrix = matrix, shift = as.double(shift))
}

# ---- the release -----------------------------------------------------------------------

# Called only by draw_release().
draw_kmeans_tree <- function(rows, box, k, plan, rng) {
  dimension <- length(box$lower)
  planes <- draw_planes(plan, dimension, rng)
  tree <- grow_tree(rows, box, planes, plan, rng)
  sums <- tree_sums(rows, box, plan, planes, tree$first, TRUE)[, tree$leaf, drop = FALSE]
  noisy <- matrix(add_noise(as.vector(sums), rep(plan$scale, length(tree$leaf)), "gaussian", rng), nrow(sums)) /
    plan$weight
  centers_of_leaves(noisy, tree, k, plan, rng)
}

# One column per level: an integer normal, and an offset so that the plane goes through a random point of the box.
draw_planes <- function(plan, dimension, rng) {
  g <- matrix(stats::qnorm(draw_uniform(dimension * plan$depth, rng)), dimension)
  normal <- round(2^20 * g / rep(sqrt(colSums(g^2)), each = dimension))
  place <- round(2^plan$bits * (2 * matrix(draw_uniform(dimension * plan$depth, rng), dimension) - 1))
  rbind(normal, colSums(normal * place)) # at most 2^10 * 2^40: exact
}

tree_sums <- function(x, box, plan, planes, first, sums) {
  .Call(ffi_cluster_tree, row_points(x), row_weights(x), kmeans_lattice(box, plan$bits), planes, NULL,
        as.double(first), sums, kernel_options(progress = kernel_progress("A round over the rows")))
}

# Splits nodes by noisy counts alone. Returns `first` as for the kernel, `leaf` (the numbers of the leaves), and `count`
# (their noisy counts). The count of the root is the public number of rows or people.
grow_tree <- function(x, box, planes, plan, rng) {
  first <- 0
  count <- plan$n
  leaf <- double()
  active <- 1
  for (level in seq_len(plan$depth)) {
    large <- active[count[active] >= 3 * plan$leaf]
    split <- large[order(-count[large], large)][seq_len(min(length(large), plan$most))]
    leaf <- c(leaf, setdiff(active, split))
    active <- integer()
    if (length(split) == 0) break
    children <- length(first) + seq_len(2 * length(split))
    first[split] <- children[c(TRUE, FALSE)] - 1
    first[children] <- 0
    exact <- tree_sums(x, box, plan, planes, first, FALSE)[children]
    count[children] <- add_noise(exact, plan$level, "gaussian", rng) / plan$weight
    kept <- matrix(count[children] >= plan$leaf, 2)
    # if both parts are small, the node is not split; otherwise a small part is dropped
    whole <- split[colSums(kept) == 0]
    first[whole] <- 0
    leaf <- c(leaf, whole)
    active <- children[kept]
  }
  leaf <- sort(c(leaf, active))
  list(first = first, leaf = leaf, count = count[leaf])
}

# Averages the two counts of a leaf (of its level and beside its sum) by their precision.
centers_of_leaves <- function(noisy, tree, k, plan, rng) {
  count_weight <- (plan$level / plan$scale[1])^2
  count <- (tree$count + count_weight * noisy[1, ]) / (1 + count_weight)
  count <- if (length(tree$leaf) == 1 && tree$leaf == 1) plan$n else pmax(count, 1)
  points <- noisy[-1, , drop = FALSE] * 2^-plan$bits / rep(count, each = nrow(noisy) - 1)
  found <- weighted_kmeans(pmin(pmax(points, -1), 1), count, k, rng)
  list(centers = pmin(pmax(found$centers, -1), 1), size = found$size)
}
