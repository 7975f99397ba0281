# The queries at exact counts by which quantiles are found, on a public lattice of
# 2^bits cells. A *query* adds noise to the numbers of rows in the cells of a
# partition that only earlier queries have chosen; what comes out is, for each
# inner boundary of the partition, a noisy number of rows below it.
#
#   search  each step halves the cells in which the quantiles are. Partition: the
#           whole line, cut at the middles of these cells. Every count is drawn
#           anew, and has the noise of the pieces on both of its sides.
#   tree    each step divides the cells in which the quantiles are into 2^split
#           children. Partition: these children. Counts continue those of the step
#           before, so that one set of noise serves any number of quantiles.
#
# Nothing here knows where rows are but `below()`. The proof is in
# inst/proofs/number-quantile.md; what was measured, with other mechanisms, in
# inst/simulations/quantiles.R.

# Which of the two, from public numbers: the measure, how many bits, and how many different ranks are searched for. The
# variance of a count is known beforehand. The counts of a search near a quantile have noise of their own each, those
# of a tree share most of it: measured on smooth data, the squared error of a tree is 1.9 times as much in proportion to
# the variance of its counts.
plan_queries <- function(kind, bits, ranks) {
  plans <- c(list(new_query_plan("search", rep(1, bits))), lapply(seq_len(min(bits, 8)), function(each) {
    new_query_plan("tree", split_bits(bits, each))
  }))
  plans[[which.min(vapply(plans, predicted_error, 0, kind, ranks))]]
}

# `l1`, `l2_squared`: how far all queries together may move when one row is replaced. Where a step of a tree halves, the
# difference of two children moves by 2 if the row goes from one to the other: its square is 4, in one step at most. A
# person whose rows weigh W moves them W times as far, along each path: in which step depends on the path.
new_query_plan <- function(method, split) {
  steps <- length(split)
  list(method = method, split = split, l1 = 2 * steps,
       l2_squared = 2 * steps + if (method == "tree" && any(split == 1)) 2 else 0)
}

# In as few steps of at most `each` bits as there can be, all nearly alike.
split_bits <- function(bits, each) {
  steps <- ceiling(bits / each)
  diff(floor(seq(0, steps) * bits / steps))
}

# Up to a factor that all plans for one measure share.
predicted_error <- function(plan, kind, ranks) {
  share <- if (kind == "laplace") plan$l1^2 else plan$l2_squared
  pieces <- 2^plan$split
  share * if (plan$method == "search") {
    if (ranks == 1 && kind == "laplace") 1 / 4 else (ranks + 2) / 6
  } else {
    1.9 * sum((pieces - 1) / ifelse(pieces == 2, 12, 6))
  }
}

# `counts`: the exact ones, of occupied cells (see count_rows()), n of them in all, of rows or of what they weigh. Gives
# the cell of each rank, from 0, and what was looked at: `step`, `cell` (the boundary before that cell) and the noisy
# `count` of rows below.
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

# All cells that are visited at once; `from` and `to` are the noisy counts at the ends of the cell of each rank.
tree_step <- function(state, below, n, ranks, pieces, add) {
  width <- state$width / pieces
  first <- which(!duplicated(state$cell))
  cells <- state$cell[first]
  inner <- seq_len(pieces - 1)
  ends <- outer(seq(0, pieces) * width, cells, "+")
  exact <- apply(matrix(below(ends), pieces + 1), 2, diff)
  noisy <- if (pieces == 2) {
    # of two children the difference says all
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
  # as many children back as their ends do not reach the rank
  child <- colSums(counts[, at, drop = FALSE] < rep(ranks - 0.5, each = pieces - 1))
  state$cell <- state$cell + child * width
  state$from <- all[cbind(child + 1, at)]
  state$to <- all[cbind(child + 2, at)]
  state$width <- width
  state
}

# Noisy numbers of the pieces become numbers below the inner boundaries: what the pieces have more or less than the
# known whole is taken from all of them alike.
sum_pieces <- function(pieces, from, to) {
  inner <- seq_len(length(pieces) - 1)
  from + cumsum(pieces)[inner] - inner / length(pieces) * (sum(pieces) - (to - from))
}

# Noise for a query: on the numbers of rows in all pieces, or on one number of rows below a boundary, which moves by 1
# where the pieces move by 2. In the l2 distance that is no more than the bridge gains from two pieces.
query_noise <- function(scale, kind, rng) {
  whole <- function(exact) add_noise(exact, scale, kind, rng)
  list(whole = whole, half = function(exact) {
    if (kind == "laplace") add_noise(exact[1], half_scale(scale), kind, rng) else sum_pieces(whole(exact), 0,
      sum(exact))
  })
}

# Exact, and no smaller than any scale may be.
half_scale <- function(scale) max(scale / 2, 2^-30)

# ---- how far the counts may be off -------------------------------------------

# For each query: with probability `level` no count is further off than this. A statement of accuracy, from public
# numbers. What a search draws in one step has nothing to do with where it cuts; where a tree goes on depends on the
# noise of the counts above, so there all boundaries share the chance to be wrong, those too that nobody visited.
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

# The count at a boundary of this step is linear in the noise of all steps up to it, between two boundaries of each.
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

# Beyond this a weighted sum of independent noise is with probability at most `chance`, by Chernoff's bound: the
# discrete distributions have no larger moments than those on the line.
noise_sum_bound <- function(kind, scale, weight, times, chance) {
  used <- weight > 0 & times > 0
  weight <- weight[used] * scale
  times <- times[used]
  if (kind == "gaussian") return(sqrt(-2 * log(chance / 2) * sum(times * weight^2)))
  top <- max(weight)
  theta <- seq_len(199) / 200
  spread <- -colSums(times * log1p(-outer(weight / top, theta)^2))
  min((spread - log(chance / 2)) / theta) * top
}

# ---- the noise of all queries ----------------------------------------------------

# Noise of one scale for all queries, in `columns` at once.
plan_query_noise <- function(units, cost, queries, columns = 1) {
  plan_unit_noise(units, cost, columns * queries$l1, columns * queries$l2_squared)
}

queries_sensitivity <- function(plan, kind, columns = 1) {
  if (kind == "laplace") columns * plan$l1 else sqrt(columns * plan$l2_squared)
}

queries_text <- function(plan, kind) {
  paste0("discrete ", noise_names[[kind]], " noise on counts of a ", plan$method, " in ",
         count_of(length(plan$split), "step"))
}

# The mean distance in rank that counts lead to, of cells that hold few rows each, as a part of the standard deviation
# from which plans are chosen: measured (inst/simulations/quantiles.R).
counts_rank_part <- c(laplace = 0.6, gaussian = 0.45)

counts_rank_error <- function(cost, ranks, bits) {
  kind <- measure_noise(cost$spent)
  error <- sqrt(predicted_error(plan_queries(kind, bits, ranks), kind, ranks))
  counts_rank_part[[kind]] * error / (if (kind == "laplace") cost$spent[[1]] else sqrt(2 * cost$spent[[1]]))
}
