# DP2-Pub with the clusters and the budget that its authors publish (Jiang, Yu, Cheng, Pei, Pless and Yu 2023), for
# tables.R. The package's method "dp2pub" joins columns only if randomized response preserves some of their joint
# distribution, and has 5% of epsilon for the network. As published,
#
# * half of epsilon is for the network, here that of method "privbayes", whose counts are not used;
# * a cluster is a random one of the columns that are left, with its Markov blanket among them;
# * a cluster gets a part of the other half in proportion to 1 over its share of the entropy, the same for each of its
#   columns. The entropy of the rows would be private, so it is that of the public sizes, as if all codes were equally
#   frequent.
#
# The rest is as in the package: k-ary randomized response column by column, whose effect on the joint distribution of a
# cluster is inverted, and second flips with the probabilities that this distribution gives. A cluster has at most
# `most_cells` combinations of codes, so that its distribution fits in memory (with 1e3 and 1e4, margins are as far from
# the rows); the columns of a blanket with the fewest codes come first.
most_cells <- 1e5

published_clusters <- function(network, sizes) {
  clusters <- list()
  left <- sample(length(sizes))
  while (length(left)) {
    blanket <- unlist(Filter(function(scope) left[1] %in% scope, network))
    blanket <- intersect(left[-1], blanket)
    blanket <- blanket[order(sizes[blanket])]
    cluster <- c(left[1], blanket)
    cluster <- cluster[cumprod(as.double(sizes[cluster])) <= most_cells]
    clusters <- c(clusters, list(cluster))
    left <- setdiff(left, cluster)
  }
  clusters
}

# The epsilon of each column.
published_budget <- function(clusters, sizes, epsilon) {
  entropy <- vapply(clusters, function(cluster) sum(log(sizes[cluster])), 0)
  part <- 1 / (entropy / sum(entropy))
  each <- epsilon * part / sum(part) / lengths(clusters)
  budget <- double(length(sizes))
  for (i in seq_along(clusters)) budget[clusters[[i]]] <- each[i]
  budget
}

# Codes from 1.
flip_codes <- function(codes, sizes, budget) {
  for (j in seq_along(sizes)) {
    flipped <- runif(nrow(codes)) >= 1 / (1 + (sizes[j] - 1) * exp(-budget[j]))
    other <- sample.int(sizes[j] - 1, sum(flipped), TRUE)
    codes[flipped, j] <- other + (other >= codes[flipped, j])
  }
  codes
}

# The distribution of a cluster before the flips: the inverse of the flips of each column, then the nearest
# distribution without negative numbers (sorted, less a constant).
before_flips <- function(shares, sizes, budget) {
  cube <- array(shares, sizes)
  for (j in seq_along(sizes)) {
    other <- exp(-budget[j]) / (1 + (sizes[j] - 1) * exp(-budget[j]))
    order <- c(j, seq_along(sizes)[-j])
    turned <- matrix(aperm(cube, order), sizes[j])
    turned <- (turned - other * rep(colSums(turned), each = sizes[j])) / (other * expm1(budget[j]))
    cube <- aperm(array(turned, sizes[order]), order(order))
  }
  # numbers can be so large that 1 is lost beside them: less their maximum
  below <- as.vector(cube) - max(cube)
  sorted <- sort(below, decreasing = TRUE)
  over <- (cumsum(sorted) - 1) / seq_along(sorted)
  pmax(below - over[max(which(sorted > over))], 0)
}

# Second flips: each combination becomes a possible original one, by its posterior probability.
restore_codes <- function(codes, sizes, budget) {
  cell <- 1 + as.vector((codes - 1) %*% cumprod(c(1, sizes))[seq_along(sizes)])
  shares <- before_flips(tabulate(cell, prod(sizes)) / nrow(codes), sizes, budget)
  possible <- which(shares > 0)
  originals <- arrayInd(possible, sizes)
  for (rows in split(seq_len(nrow(codes)), cell)) {
    weight <- log(shares[possible])
    for (j in seq_along(sizes)) weight <- weight - budget[j] * (originals[, j] != codes[rows[1], j])
    drawn <- sample.int(length(possible), length(rows), TRUE, exp(weight - max(weight)))
    codes[rows, ] <- originals[drawn, ]
  }
  codes
}

# Values of codes: the level, or a number of the cell, an integer if the column has integers only.
decode_codes <- function(codes, schema) {
  decoded <- Map(function(code, column) {
    if (column$type != "numeric") return(column$names[code])
    from <- column$breaks[code]
    to <- column$breaks[code + 1]
    value <- from + runif(length(code)) * (to - from)
    if (column$whole) pmin(ceiling(from) + floor(runif(length(code)) * (ceiling(to) - ceiling(from))), floor(to)) else
      value
  }, asplit(codes, 2), schema$columns)
  as.data.frame(decoded)
}

published_dp2pub <- function(rows, schema, epsilon) {
  # method "privbayes" has 30% for the network
  model <- private_synthesis(rows, schema, epsilon / 2 / 0.3, method = "privbayes", rng = "R")
  spent <- sum(model$steps$epsilon[model$steps$step == "choice"])
  stopifnot(spent == 0 || isTRUE(all.equal(spent, epsilon / 2)))
  sizes <- vapply(schema$columns, `[[`, 0, "size")
  clusters <- published_clusters(model$model$network, sizes)
  budget <- published_budget(clusters, sizes, epsilon / 2)
  stopifnot(isTRUE(all.equal(sum(budget), epsilon / 2)))
  codes <- flip_codes(row_codes(rows, schema), sizes, budget)
  for (cluster in clusters) {
    codes[, cluster] <- restore_codes(codes[, cluster, drop = FALSE], sizes[cluster], budget[cluster])
  }
  # rows of the table stand in their order: shuffled, as those of a model
  decode_codes(codes[sample(nrow(codes)), ], schema)
}
