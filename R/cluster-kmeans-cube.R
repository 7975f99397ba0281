# Private k-means by candidates (Balcan, Dick, Liang, Mou and Zhang 2017). Randomly shifted cubes are halved while they
# hold many rows, and their centers are candidates. The exponential mechanism exchanges centers for candidates. The
# result is the noisy means of the rows nearest to the chosen candidates. With more than five dimensions, all steps
# except the means use a random projection. Everything that depends on a row is computed in integers
# (src/core/cluster-kmeans-tree.c and src/core/cluster-kmeans-cube.c). The proof is in
# inst/proofs/cluster-kmeans-cube.md.
#
# A pure epsilon uses discrete Laplace noise, rho rounded Gaussian noise.

# `rounds`: the number of queries for the means. Those after the first are rounds of Lloyd's algorithm.
kmeans_cube <- function(..., rounds = 1) {
  check_no_dots(...)
  new_method("kmeans_cube", rounds = check_count(rounds, 1, 1000))
}

define_method("kmeans_cube", kmeans_cube)

method_plan.kmeans_cube <- function(method, n, box, k, cost, digits = NULL) {
  plan_kmeans_cube(n, box, k, cost, rounds = method$rounds, digits = digits)
}

method_draw.kmeans_cube <- function(method, statistic, box, k, plan, rng) {
  draw_kmeans_cube(statistic$rows, box, k, plan, rng)
}

# ---- public numbers --------------------------------------------------------------------

# The shares of the budget for cubes, exchanges, and means.
cube_shares <- c(counts = 0.35, exchanges = 0.2, means = 0.45)

method_cost.kmeans_cube <- function(method, epsilon, rho, delta = NULL, mu = NULL) {
  with_choices(check_cost(epsilon, rho, delta, mu), cube_shares[["exchanges"]])
}

# After the first query of the means, rounds of Lloyd's algorithm
# follow, in all dimensions.
plan_kmeans_cube <- function(n, box, k, cost, shifts = 1, depth = 5, swaps = min(k, 20), rounds = 1,
                             shares = cube_shares, digits = NULL) {
  dimension <- length(box$lower)
  kind <- measure_noise(cost$spent)
  total <- cost$spent
  times <- c(shifts * depth, swaps + 1, rounds)
  each <- unname(total) * shares / times
  spent <- lapply(each * query_margin, function(value) structure(value, names = names(total)))
  if (min(each) < if (kind == "laplace") 2^-37 else 2^-76) refuse_much_noise(cost$measure)
  room <- kmeans_room(n, mean_sd(dimension, spent[[3]]))
  if (is.null(room) || room < 1) refuse_much_noise(cost$measure)
  bits <- min(sum_bits(room, digits), 14)
  count_scale <- function(weight) noise_scale(spent[[1]], l1 = 2 * weight, l2_squared = 2 * weight^2)
  # a choice has a limit of its own: the weight of all rows times `clip`, which is at most 2^10
  weight <- sum_weight(digits, min(room - bits, 42 - log2(n)),
                       max(count_scale(1), mean_scales(dimension, bits, spent[[3]])[1]))
  image <- image_dimension(n, dimension)
  steps <- data.frame(step = rep(c("counts of cubes", "exchange of a center", "means"), times), cost = rep(each, times))
  names(steps)[2] <- names(total)
  depth <- min(depth, bits + 1)
  scale <- mean_scales(dimension, bits, spent[[3]], weight)
  sd <- noise_sd(scale[1:2], kind) * c(1, 2^-bits) / weight * c(k > 1, 1)
  least <- least_of_sums(sd)
  # `cube`: the smallest size of a cube that is halved
  list(steps = steps, n = n, k = k, bits = bits, noise = kind, image = image, shifts = shifts, depth = depth,
       swaps = swaps, rounds = rounds, weight = weight, count = count_scale(weight), most = 64,
       cube = n / (20 * k), exchange = plan_exchange(k, image, bits, spent[[2]], if (!is.null(digits)) weight),
       scale = scale,
       words = paste0(noise_names[[kind]], " noise on the counts of cubes and on means, exponential ",
                      "mechanism in ", count_of(swaps + 1, "choice"), " of centers"),
       stated = c(cube = count_scale(weight), cluster = scale[1]), parts = shifts * depth + swaps + rounds + 2,
       least = least, least_all = least, sd = sd)
}

# Up to five dimensions are kept. With more, half of log(n), at most eight.
image_dimension <- function(n, dimension) {
  if (dimension <= 5) dimension else min(dimension, 8, max(1, floor(log(n) / 2)))
}

# A row's loss is its squared distance in steps of 2^step, at most `clip`. This limit is some thousand steps, twice the
# squared half diagonal of cubes of which k fill the box. Few rows then reach it, and the noise has the size of a
# cluster, not of the box. The factor of a step has twelve significant bits, so that its product with any difference of
# losses is exact. Losses of people with the given `weight` may be larger; draw_choice() then draws.
plan_exchange <- function(k, image, bits, measure, weight = NULL) {
  far <- image * (2 * k^(-1 / image))^2 / 2
  step <- max(0, ceiling(log2(far * 4^bits)) - 10)
  clip <- max(1, floor(far * 4^bits / 2^step))
  epsilon <- unname(if (names(measure) == "epsilon") measure else sqrt(8 * measure)) * query_margin
  if (!is.null(weight)) return(list(step = step, clip = clip, epsilon = epsilon, sensitivity = weight * clip))
  list(step = step, clip = clip, factor = short_factor(epsilon / (2 * clip)))
}

# Noise scales of a count and of a sum of integers, for one measure. Laplace noise uses the shares of Su and others
# (2017). A replaced row changes two counts, or two sums, by one length each.
mean_scales <- function(dimension, bits, measure, weight = 1) {
  if (names(measure) == "rho") return(kmeans_sum_scales(dimension, bits, unname(measure), weight))
  share <- count_share(dimension)
  count <- noise_scale(c(epsilon = measure[["epsilon"]] * share), l1 = 2 * weight)
  whole <- noise_scale(c(epsilon = measure[["epsilon"]] * (1 - share) * query_margin),
                       l1 = 2 * weight * dimension * 2^bits)
  c(count, rep(whole, dimension))
}

count_share <- function(dimension) lloyd_factor(dimension) / (dimension + lloyd_factor(dimension))

# The noise scale of a sum, in units of the box.
mean_sd <- function(dimension, measure) {
  if (names(measure) == "rho") return(sqrt(4 * dimension / (2 * measure)))
  2 * dimension / (measure * (1 - count_share(dimension)))
}

# ---- the release -----------------------------------------------------------------------

# Called only by draw_release().
draw_kmeans_cube <- function(rows, box, k, plan, rng) {
  dimension <- length(box$lower)
  map <- draw_map(dimension, plan$image, rng)
  lattice <- kmeans_lattice(box, plan$bits, map$matrix, map$shift)
  places <- draw_candidates(rows, lattice, plan, rng)
  taken <- search_places(rows, lattice, places, seq_len(k), plan, rng)
  chosen <- places[, taken, drop = FALSE]
  fit <- draw_means(rows, lattice, chosen, back_from_map(chosen * 2^-plan$bits, map), plan, rng)
  whole <- kmeans_lattice(box, plan$bits)
  for (round in seq_len(plan$rounds - 1)) {
    fit <- draw_means(rows, whole, round(fit$centers * 2^plan$bits), fit$centers, plan, rng)
  }
  fit
}

# Projects to random orthogonal directions and halves, so that few rows that are spread over the box are clipped.
draw_map <- function(dimension, image, rng) {
  if (image == dimension) return(list(matrix = NULL, shift = 0))
  Q <- qr.Q(qr(matrix(stats::qnorm(draw_uniform(dimension * image, rng)), dimension)))
  list(matrix = t(round(2^19 * Q)), shift = 20)
}

# The point of the box that has this image and is nearest to the middle.
back_from_map <- function(places, map) {
  if (is.null(map$matrix)) return(places)
  pmin(pmax(crossprod(map$matrix * 2^-19, 2 * places), -1), 1)
}

# The candidates, in integers of the image. The first k are the weighted centers of the smallest cubes that were kept.
draw_candidates <- function(x, lattice, plan, rng) {
  cubes <- lapply(seq_len(plan$shifts), function(i) {
    corner <- floor(2^(plan$bits + 1) * draw_uniform(plan$image, rng))
    halve_cubes(x, lattice, corner, plan, rng)
  })
  half <- 2^plan$bits
  all <- do.call(cbind, lapply(cubes, `[[`, "place"))
  last <- unlist(lapply(cubes, `[[`, "last"))
  weight <- unlist(lapply(cubes, `[[`, "count"))
  first <- weighted_kmeans(all[, last, drop = FALSE] / half, pmax(weight[last], 0), plan$k, rng)$centers
  # few cubes leave little choice, so public points are added
  more <- max(0, 3 * plan$k - ncol(all))
  public <- matrix(2 * draw_uniform(plan$image * max(1, more), rng) - 1, plan$image)[, seq_len(more), drop = FALSE]
  places <- cbind(round(first * half), all, round(public * half))
  places[, seq_len(min(ncol(places), floor(1e6 / plan$k))), drop = FALSE]
}

# Repeatedly halves the largest cube that holds many rows, by noisy counts. `place`: centers of the cubes, moved into
# the box. `last`: cubes without smaller ones.
halve_cubes <- function(x, lattice, corner, plan, rng) {
  p <- plan$image
  codes <- as.matrix(expand.grid(rep(list(0:1), p)))
  first <- 0
  count <- plan$n
  cell <- matrix(0, p, 1)
  level_of <- 0
  active <- 1
  kept <- 1
  parents <- integer()
  for (level in seq_len(plan$depth)) {
    if (length(active) == 0) break
    split <- active
    children <- length(first) + seq_len(2^p * length(split))
    first[split] <- children[1] - 1 + 2^p * (seq_along(split) - 1)
    first[children] <- 0
    cell <- cbind(cell, 2 * cell[, rep(split, each = 2^p), drop = FALSE] + as.vector(t(codes)))
    level_of[children] <- level
    exact <- .Call(ffi_cluster_tree, row_points(x), row_weights(x), lattice, NULL, corner, as.double(first), FALSE,
                   kernel_options(progress = kernel_progress("A round over the rows")))
    count[children] <- add_noise(exact[children], plan$count, plan$noise, rng) / plan$weight
    least <- max(plan$cube, noise_bound(plan$noise, plan$count, 0.05 / length(children)) / plan$weight)
    large <- children[count[children] >= least]
    active <- large[order(-count[large], large)][seq_len(min(length(large), plan$most))]
    parents <- c(parents, split[(active - children[1]) %/% 2^p + 1])
    kept <- c(kept, active)
  }
  side <- rep(2^(plan$bits + 2 - level_of[kept]), each = p)
  place <- cell[, kept, drop = FALSE] * side - 2^plan$bits - corner + side / 2
  list(place = pmin(pmax(place, -2^plan$bits), 2^plan$bits), count = count[kept], last = !kept %in% parents)
}

# The exponential mechanism exchanges a center for a candidate, or keeps it, by the losses. It also chooses the result
# among all sets of centers that occurred.
search_places <- function(x, lattice, places, taken, plan, rng) {
  choose <- function(loss) draw_least(as.vector(loss), plan$exchange, rng)
  losses <- function(taken) {
    .Call(ffi_cluster_swaps, row_points(x), row_weights(x), lattice, places, as.double(taken),
          as.double(plan$exchange$step), as.double(plan$exchange$clip),
          kernel_options(progress = kernel_progress("A round over the rows")))
  }
  reached <- list(taken)
  lost <- double()
  for (step in seq_len(plan$swaps)) {
    loss <- losses(taken)
    lost[step] <- loss[1, taken[1]]
    one <- choose(loss) - 1
    taken[one %% length(taken) + 1] <- one %/% length(taken) + 1
    reached[[step + 1]] <- taken
  }
  lost[plan$swaps + 1] <- losses(taken)[1, taken[1]]
  reached[[choose(lost)]]
}

# Noisy means of the rows nearest to each center. A center whose count does not exceed the noise stays unchanged. With a
# single center, the count is the public number of rows or people.
draw_means <- function(x, lattice, places, before, plan, rng) {
  sums <- .Call(ffi_cluster_nearest, row_points(x), row_weights(x), lattice, places,
                kernel_options(progress = kernel_progress("A round over the rows")))
  noisy <- matrix(add_noise(as.vector(sums), rep(plan$scale, ncol(places)), plan$noise, rng), nrow(sums)) / plan$weight
  count <- if (ncol(places) == 1) plan$n else noisy[1, ]
  moved <- ncol(places) == 1 | count > max(3 * noise_sd(plan$scale[1] / plan$weight, plan$noise), 0.5)
  centers <- before
  mean <- noisy[-1, moved, drop = FALSE] * 2^-plan$bits / rep(count[moved], each = nrow(noisy) - 1)
  centers[, moved] <- pmin(pmax(mean, -1), 1)
  list(centers = centers, size = pmax(count, 0))
}

# Tests each step separately: one row moves from a cube to another; a choice among eleven points, one at the row and ten
# at its substitute; two rows at opposite corners, one of which moves to the other's cluster.
cube_step <- function(class, n, measure) {
  line <- domain_box(-1, 1)
  plan <- plan_kmeans_cube(n, line, 1, new_cost(measure), depth = 1, swaps = 0,
                           shares = c(1, 1, 1))
  noise <- switch(class, cube_counts = new_noise(plan$noise, plan$count),
                  cube_means = new_noise(plan$noise, rep(plan$scale, 2)))
  step_mechanism(c(class, if (!is.null(noise)) "additive"), measure, box = line, cube = plan, noise = noise)
}

statistic_of.cube_counts <- function(plan, rows) {
  .Call(ffi_cluster_tree, rows, NULL, kmeans_lattice(plan$box, 8), NULL, 256, c(1, 0, 0), FALSE, kernel_options())[-1]
}

noise_target.cube_counts <- function(plan) "the rows of a cube"

example_of.cube_counts <- function(plan) {
  counts <- function(note, measure) {
    step_example(paste0("counts of cubes", note), cube_step("cube_counts", 1, measure), matrix(1), matrix(-1),
                 function(noisy) noisy[1] - noisy[2])
  }
  list(counts("", c(epsilon = 1)), counts(" (rho)", c(rho = 0.5)))
}

statistic_of.cube_exchange <- function(plan, rows) {
  places <- rbind(rep(c(256, -256), c(1, 10)))
  as.vector(.Call(ffi_cluster_swaps, rows, NULL, kmeans_lattice(plan$box, 8), places, 1, 7, plan$cube$exchange$clip,
                  kernel_options()))
}

draw_of.cube_exchange <- function(plan, statistic, rng) {
  as.double(.Call(ffi_cluster_choose, statistic - min(statistic), plan$cube$exchange$factor, kernel_options(rng)))
}

example_of.cube_exchange <- function(plan) {
  list(step_example("exchange of a center", cube_step("cube_exchange", 1, c(epsilon = 1)), matrix(1), matrix(-1)))
}

statistic_of.cube_means <- function(plan, rows) {
  bits <- plan$cube$bits
  as.vector(.Call(ffi_cluster_nearest, rows, NULL, kmeans_lattice(plan$box, bits), rbind(2^bits * c(-1, 1)),
                  kernel_options()))
}

noise_target.cube_means <- function(plan) "each number of a cluster"

# The likelihood ratio, or the slope of its logarithm.
example_of.cube_means <- function(plan) {
  means <- function(note, measure) {
    mechanism <- cube_step("cube_means", 2, measure)
    x <- matrix(c(1, -1))
    neighbor <- matrix(c(-1, -1))
    ends <- lapply(list(x, neighbor), function(rows) statistic_of(mechanism$plan, rows))
    noise <- mechanism$plan$noise
    told <- function(noisy) {
      if (noise$kind == "laplace") return(sum((abs(noisy - ends[[1]]) - abs(noisy - ends[[2]])) / noise$scale))
      sum((ends[[2]] - ends[[1]]) / noise$scale^2 * noisy)
    }
    step_example(paste0("means of chosen centers", note), mechanism, x, neighbor, told)
  }
  list(means("", c(epsilon = 1)), means(" (rho)", c(rho = 0.5)))
}
