# The distribution of a private diagram on a small lattice, by enumeration of all diagrams, and the kernel's draws from
# it. Coordinates are integers.

lattice_triangle <- function(bound) {
  all <- expand.grid(birth = 0:bound, death = 0:bound)
  as.matrix(all[all$birth <= all$death, ])
}

# Lists the nondecreasing rows of numbers 1 .. n, with repetition.
multisets <- function(n, size) {
  if (size == 0) return(matrix(0L, 1, 0))
  shorter <- multisets(n, size - 1)
  last <- if (size == 1) rep(1, nrow(shorter)) else shorter[, size - 1]
  times <- n - last + 1
  cbind(shorter[rep(seq_len(nrow(shorter)), times), , drop = FALSE], sequence(times, last), deparse.level = 0)
}

# Computes twice the bottleneck distance by its definition, the best of all partial matchings. `birth`, `death`: one
# diagram per row.
twice_distance <- function(birth, death, D) {
  best <- rep(Inf, nrow(birth))
  ways <- as.matrix(expand.grid(rep(list(0:nrow(D)), ncol(birth))))
  if (ncol(birth) == 0) ways <- matrix(0, 1, 0)
  for (i in seq_len(nrow(ways))) {
    way <- ways[i, ]
    taken <- way[way > 0]
    if (anyDuplicated(taken)) next
    left <- setdiff(seq_len(nrow(D)), taken)
    cost <- rep(max(0, D[left, 2] - D[left, 1]), nrow(birth))
    for (j in seq_along(way)) {
      own <- if (way[j] == 0) death[, j] - birth[, j] else
        2 * pmax(abs(birth[, j] - D[way[j], 1]), abs(death[, j] - D[way[j], 2]))
      cost <- pmax(cost, own)
    }
    best <- pmin(best, cost)
  }
  best
}

# Lists all diagrams with up to `most` points (exactly `most`, if the number is not learned), by size: the base measure,
# a number as a name, and the points.
lattice_space <- function(bound, most, learn) {
  triangle <- lattice_triangle(bound)
  one_size <- function(size) {
    set <- multisets(nrow(triangle), size)
    pick <- function(column) matrix(triangle[set, column], nrow(set))
    # the number of orders of a multiset, because labels can be exchanged
    repeats <- rep(1, nrow(set))
    run <- repeats
    for (j in seq_len(size)[-1]) {
      run <- ifelse(set[, j] == set[, j - 1], run + 1, 1)
      repeats <- repeats * run
    }
    list(birth = pick(1), death = pick(2), base = factorial(size) / repeats * 2^-size * nrow(triangle)^-size,
         name = drop(set %*% (nrow(triangle) + 1)^(seq_len(size) - 1)) + 0)
  }
  lapply(if (learn) 0:most else most, one_size)
}

# Returns the same as a data frame, with twice the distance of each from D.
lattice_diagrams <- function(D, bound, most, learn, space = lattice_space(bound, most, learn)) {
  data.frame(
    twice = unlist(lapply(space, function(size) twice_distance(size$birth, size$death, D))),
    base = unlist(lapply(space, `[[`, "base")), name = unlist(lapply(space, `[[`, "name"))
  )
}

# Names each draw of one dimension.
names_of_draws <- function(points, bound, draws, dimension = 0) {
  points <- points[points[, 2] == dimension, , drop = FALSE]
  triangle <- lattice_triangle(bound)
  place <- match(points[, 3] + (bound + 1) * points[, 4], triangle[, 1] + (bound + 1) * triangle[, 2])
  by_draw <- order(points[, 1], place)
  place <- place[by_draw]
  draw <- points[by_draw, 1]
  within <- sequence(rle(draw)$lengths)
  name <- double(draws)
  sums <- rowsum(place * (nrow(triangle) + 1)^(within - 1), draw)
  name[as.integer(rownames(sums))] <- sums
  name
}

# Makes a table of weights for the kernel. Knots are integers in units of 2^30.
weight_table <- function(high, stride = 1) list(knots = cbind(high, 0), stride = stride)
kernel_table <- function(steps, epsilon) .Call(ffi_test_lattice_weights, steps, epsilon, kernel_options())

# Computes V(s) as a double.
weights_at <- function(table, s) {
  knot <- table$knots[, 1] * 2^30 + table$knots[, 2]
  period <- (length(knot) - 1) * table$stride
  j <- s %% period %/% table$stride
  i <- s %% table$stride
  (knot[j + 1] * (table$stride - i) + ifelse(i > 0, knot[pmin(j + 2, length(knot))] * i, 0)) * 2^-(s %/% period) / 2^60
}

lattice_law <- function(diagrams, table) {
  weight <- weights_at(table, diagrams$twice) * diagrams$base
  weight / sum(weight)
}

as_doubles <- function(diagrams) lapply(diagrams, function(D) matrix(as.double(D), ncol = 2))

trial_of <- function(diagrams, bound, table, most, learn, draws, digits = 62L, careless = FALSE) {
  .Call(ffi_test_lattice_trial, as_doubles(diagrams), bound, table$knots, table$stride, as.integer(most), learn, draws,
        digits, careless, kernel_options("R"))
}

lattice_draws_of <- function(diagrams, bound, steps, epsilon, most, learn = TRUE, draws = 1, rng = "R") {
  .Call(ffi_diagram_private_draws, as_doubles(diagrams), bound, steps, epsilon, as.integer(most), learn, draws,
        kernel_options(rng))
}

# Computes the p-value of counts against probabilities. Rare cells are pooled.
law_p <- function(observed, probability) {
  expected <- sum(observed) * probability
  kept <- expected >= 5
  observed <- c(observed[kept], sum(observed[!kept]))
  expected <- c(expected[kept], sum(expected[!kept]))
  if (utils::tail(expected, 1) < 5) {
    observed <- observed[-length(observed)]
    expected <- expected[-length(expected)]
  }
  stats::pchisq(sum((observed - expected)^2 / expected), length(expected) - 1, lower.tail = FALSE)
}

# Compares draws of one dimension with the enumerated distribution.
law_p_of <- function(D, bound, table, most, learn, draws, ...) {
  diagrams <- lattice_diagrams(D, bound, most, learn)
  drawn <- trial_of(list(D), bound, table, most, learn, draws, ...)
  place <- match(names_of_draws(drawn$points, bound, draws), diagrams$name)
  stopifnot(!anyNA(place))
  law_p(tabulate(place, nrow(diagrams)), lattice_law(diagrams, table))
}
