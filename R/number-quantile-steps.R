# Finds quantiles by queries of exact counts, on a public lattice of 2^bits cells. A *query* adds noise to the numbers
# of rows in the cells of a partition that only earlier queries determine. It returns, for each inner boundary of the
# partition, a noisy number of rows below it.
#
#   search  each step halves the cells that contain the quantiles. Partition: the whole line, cut at the middles of
#           these cells. Each count has new noise, from the parts on both of its sides.
#   tree    each step divides the cells that contain the quantiles into 2^split children. Partition: these children.
#           Counts continue those from the last step, so one set of noise serves any number of quantiles.
#
# Only `below()` has access to rows. The proof is in inst/proofs/number-quantile.md. Measurements, also of other
# mechanisms, are in inst/simulations/quantiles.R.

# Chooses one of both from public numbers: the measure, the number of bits, and the number of different ranks. The
# variance of a count is known in advance. In a search, counts near a quantile have separate noise, and in a tree they
# share most of it. On smooth data, the measured squared error of a tree is 1.9 times as large, relative to the variance
# of its counts.
plan_queries <- function(kind, bits, ranks) {
  plans <- c(list(new_query_plan("search", rep(1, bits))), lapply(seq_len(min(bits, 8)), function(each) {
    new_query_plan("tree", split_bits(bits, each))
  }))
  plans[[which.min(vapply(plans, predicted_error, 0, kind, ranks))]]
}

# `l1`, `l2_squared`: how far all queries together move at most if one row is replaced. If a step halves cells in a
# tree, the difference of two children moves by 2 for a row that changes sides: its square is 4, in at most one step. A
# person of weight W moves them W times as far on each path, and the path determines the step.
new_query_plan <- function(method, split) {
  steps <- length(split)
  list(method = method, split = split, l1 = 2 * steps,
       l2_squared = 2 * steps + if (method == "tree" && any(split == 1)) 2 else 0)
}

# Splits bits into as few steps of at most `each` bits as possible, of nearly equal size.
split_bits <- function(bits, each) {
  steps <- ceiling(bits / each)
  diff(floor(seq(0, steps) * bits / steps))
}

# Predicts the squared error, up to a factor that all plans for one measure share.
predicted_error <- function(plan, kind, ranks) {
  share <- if (kind == "laplace") plan$l1^2 else plan$l2_squared
  pieces <- 2^plan$split
  share * if (plan$method == "search") {
    if (ranks == 1 && kind == "laplace") 1 / 4 else (ranks + 2) / 6
  } else {
    1.9 * sum((pieces - 1) / ifelse(pieces == 2, 12, 6))
  }
}

# Returns the cell of each rank, from 0, and the queries: `step`, `cell` (the boundary before that cell), and the noisy
# `count` of rows below. `counts`: exact counts of occupied cells (see count_rows()). `n`: their sum, in rows or in
# weights.
draw_queries <- function(plan, counts, n, ranks, add) {
  total <- c(0, cumsum(counts$count))
  below <- function(cell) total[findInterval(cell, counts$cell) + 1]
  take_step <- if (plan$method == "search") search_step else tree_step
  state <- list(cell = 0 * ranks, width = 2^sum(plan$split), from = 0 * ranks, to = 0 * ranks + n, queries = NULL)
  for (step in seq_along(plan$split)) {
    state <- take_step(state, below, n, ranks, 2^plan$split[step], add)
    state$queries[[step]] <- cbind(step = step, state$queries[[step]])
  }
  list(cell = state$cell, queries = as.data.frame(do.call(rbind, state$queries)))
}

search_step <- function(state, below, n, ranks, pieces, add) {
  width <- state$width / 2
  middle <- state$cell + width
  cut <- sort(unique(middle))
  exact <- diff(c(0, below(cut), n))
  noisy <- if (length(cut) == 1) add$half(exact) else sum_pieces(add$whole(exact), 0, n)
  state$queries <- c(state$queries, list(cbind(cell = cut, count = noisy)))
  reached <- noisy[match(middle, cut)] >= ranks - 0.5
  state$cell <- ifelse(reached, state$cell, middle)
  state$width <- width
  state
}

# Visits all cells at once. `from` and `to`: the noisy counts at the bounds of the cell of each rank.
tree_step <- function(state, below, n, ranks, pieces, add) {
  width <- state$width / pieces
  first <- which(!duplicated(state$cell))
  cells <- state$cell[first]
  inner <- seq_len(pieces - 1)
  ends <- outer(seq(0, pieces) * width, cells, "+")
  exact <- apply(matrix(below(ends), pieces + 1), 2, diff)
  noisy <- if (pieces == 2) {
    # for two children, their difference suffices
    matrix(add$whole(exact[1, ] - exact[2, ]), 1)
  } else {
    matrix(add$whole(as.vector(exact)), pieces)
  }
  counts <- vapply(seq_along(cells), function(i) {
    from <- state$from[first[i]]
    to <- state$to[first[i]]
    if (pieces == 2) (from + to + noisy[, i]) / 2 else sum_pieces(noisy[, i], from, to)
  }, double(pieces - 1))
  counts <- matrix(counts, pieces - 1)
  state$queries <- c(state$queries, list(cbind(cell = as.vector(ends[inner + 1, ]), count = as.vector(counts))))
  at <- match(state$cell, cells)
  all <- rbind(state$from[first], counts, state$to[first])
  # moves past each child whose upper boundary does not reach the rank
  child <- colSums(counts[, at, drop = FALSE] < rep(ranks - 0.5, each = pieces - 1))
  state$cell <- state$cell + child * width
  state$from <- all[cbind(child + 1, at)]
  state$to <- all[cbind(child + 2, at)]
  state$width <- width
  state
}

# Turns noisy numbers in parts into numbers below the inner boundaries. The difference between their sum and the known
# total is divided equally among all parts.
sum_pieces <- function(pieces, from, to) {
  inner <- seq_len(length(pieces) - 1)
  from + cumsum(pieces)[inner] - inner / length(pieces) * (sum(pieces) - (to - from))
}

# Adds noise for a query: to the numbers of rows in all parts, or to one number of rows below a boundary, which moves by
# 1 if the parts move by 2. In the l2 distance, two parts gain as much from their known sum.
query_noise <- function(scale, kind, rng) {
  whole <- function(exact) add_noise(exact, scale, kind, rng)
  list(whole = whole, half = function(exact) {
    if (kind == "laplace") add_noise(exact[1], half_scale(scale), kind, rng) else sum_pieces(whole(exact), 0,
      sum(exact))
  })
}

# The half is exact. It is raised to the smallest scale that is allowed.
half_scale <- function(scale) max(scale / 2, 2^-30)

# ---- accuracy of the counts --------------------------------------------------

# Returns, for each query, how far its counts are off at most, all together with probability `level`. It describes
# accuracy, from public numbers. In a search, the noise of a step is independent of its cuts. The path of a tree depends
# on earlier noise, so all boundaries share the error probability, even those never visited.
query_half_width <- function(queries, plan, scale, kind, level) {
  chance <- (1 - level) / length(plan$split)
  if (plan$method == "search") {
    width <- double(nrow(queries))
    for (step in seq_along(plan$split)) {
      at_step <- which(queries$step == step)
      width[at_step] <- search_half_width(length(at_step), scale, kind, chance / length(at_step))
    }
    return(width)
  }
  reached <- cumsum(plan$split)
  vapply(seq_len(nrow(queries)), function(i) {
    step <- queries$step[i]
    weights <- tree_weights(queries$cell[i], plan$split, step)
    noise_sum_bound(kind, scale, weights$weight, weights$times, chance / 2^reached[step])
  }, 0)
}

search_half_width <- function(cuts, scale, kind, chance) {
  if (cuts == 1 && kind == "laplace") return(noise_half_width(kind, half_scale(scale), 1 - chance))
  vapply(seq_len(cuts), function(j) {
    noise_sum_bound(kind, scale, c(1 - j / (cuts + 1), j / (cuts + 1)), c(j, cuts + 1 - j), chance)
  }, 0)
}

# A count at a boundary is linear in the noise of all steps so far, from between two boundaries of each.
tree_weights <- function(cell, split, step) {
  width <- 2^(sum(split) - cumsum(split))
  parts <- lapply(seq_len(step), function(k) {
    pieces <- 2^split[k]
    place <- (cell / width[k]) %% pieces
    if (pieces == 2) return(cbind(min(place, 2 - place) / 2, 1))
    whole <- floor(place)
    cbind(c(1 - place / pieces, place - whole - place / pieces, place / pieces), c(whole, 1, pieces - whole - 1))
  })
  parts <- do.call(rbind, parts)
  list(weight = abs(parts[, 1]), times = parts[, 2])
}

# Returns a bound that a weighted sum of independent noise exceeds with probability at most `chance`, by Chernoff's
# bound. The moments of discrete Laplace noise are at most those on the line, and those of rounded Gaussian noise are at
# most those of a normal variate of variance scale^2 + 1 / 12 (a test compares them).
noise_sum_bound <- function(kind, scale, weight, times, chance) {
  used <- weight > 0 & times > 0
  weight <- weight[used]
  times <- times[used]
  if (kind == "gaussian") return(sqrt(-2 * log(chance / 2) * sum(times * weight^2 * (scale^2 + 1 / 12))))
  weight <- weight * scale
  top <- max(weight)
  theta <- seq_len(199) / 200
  spread <- -colSums(times * log1p(-outer(weight / top, theta)^2))
  min((spread - log(chance / 2)) / theta) * top
}

# ---- the noise of all queries ----------------------------------------------------

# Plans noise of one scale for all queries, in `columns` columns at once.
plan_query_noise <- function(units, cost, queries, columns = 1) {
  plan_unit_noise(units, cost, columns * queries$l1, columns * queries$l2_squared)
}

queries_sensitivity <- function(plan, kind, columns = 1) {
  if (kind == "laplace") columns * plan$l1 else sqrt(columns * plan$l2_squared)
}

queries_text <- function(plan, kind) {
  paste0(noise_names[[kind]], " noise on counts of a ", plan$method, " in ",
         count_of(length(plan$split), "step"))
}

# Mean distance in rank by counts, if cells hold few rows each, as a fraction of the standard deviation that chooses
# plans. Measured (inst/simulations/quantiles.R).
counts_rank_part <- c(laplace = 0.6, gaussian = 0.45)

counts_rank_error <- function(cost, ranks, bits) {
  kind <- measure_noise(cost$spent)
  error <- sqrt(predicted_error(plan_queries(kind, bits, ranks), kind, ranks))
  counts_rank_part[[kind]] * error / (if (kind == "laplace") cost$spent[[1]] else sqrt(2 * cost$spent[[1]]))
}
