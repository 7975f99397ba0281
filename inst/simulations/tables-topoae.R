# The decoder of Alipourjeddi and Miri (2024) by its own loss: a topological autoencoder (Moor, Horn, Rieck and
# Borgwardt 2020) from the rows to the plane and back. THIS IS NOT PRIVATE: it is trained on the rows as they are. A
# batch's loss depends on the distances between all its rows, so it is not a sum over rows whose gradients could be
# clipped.
#
#   Rscript inst/simulations/tables-topoae.R FOLDER
#
# FOLDER is that of tables-common.R. The loss is the mean square of the reconstruction error, over the total variance of
# the rows, plus `weight` times L_t / 50 for batches of 50 rows: half of the sum of squares of the differences of the
# distances between rows and between their codes, over the edges of the minimum spanning tree of the rows, and again of
# the codes. (These are the pairings of dimension 0, which the paper's formula has.) One hidden layer of 32 units on
# each side, 1,000 steps of Adam. The paper states neither layers nor weights; weights 0, 0.1 and 1 were
# chosen in advance.
#
# 4/5 of the rows train (at most 2,000), and of the others at most 1,000 are tested; means of three splits.
# `reconstruction` is the part of the variance of the tested rows that is lost. `topological` is L_t / 50 of their
# batches, and `moved` how far one row of 50 can move it by becoming another one of the rows, relative to it. `margins`
# is the mean total variation, over all pairs of columns, between the tested rows and the decoded codes of the rows that
# trained: each column gets its most likely value. "principal components" has the linear decoder, and "rows" the rows
# that trained themselves.
source("inst/simulations/tables-common.R")
set.seed(48)
splits <- sized(3)
batch <- 50
steps <- sized(1000)

# The edges of the minimum spanning tree of points, by Prim's algorithm, from their distances.
spanning_tree <- function(distance) {
  n <- nrow(distance)
  edges <- matrix(1L, n - 1, 2)
  reach <- distance[1, ]
  from <- rep(1L, n)
  reach[1] <- Inf
  for (k in seq_len(n - 1)) {
    new <- which.min(reach)
    edges[k, ] <- c(from[new], new)
    closer <- is.finite(reach) & distance[new, ] < reach
    from[closer] <- new
    reach[closer] <- distance[new, closer]
    reach[new] <- Inf
  }
  edges
}

distances_of <- function(X) as.matrix(stats::dist(X))

# L_t and its gradient in the codes. `A` are the distances of the rows.
topological_loss <- function(A, Z) {
  B <- distances_of(Z)
  edges <- rbind(spanning_tree(A), spanning_tree(B))
  differ <- B[edges] - A[edges]
  force <- differ * (Z[edges[, 1], ] - Z[edges[, 2], ]) / pmax(B[edges], 1e-12)
  gradient <- rowsum(rbind(force, -force), c(edges[, 1], edges[, 2]))
  list(loss = sum(differ^2) / 2, gradient = gradient[as.character(seq_len(nrow(Z))), ])
}

# Layers of tanh, but the last of the encoder and of the decoder, which are linear.
new_network <- function(columns, hidden = 32) {
  sizes <- c(columns, hidden, 2, hidden, columns)
  unlist(lapply(seq_len(4), function(i) {
    list(matrix(rnorm(sizes[i] * sizes[i + 1]), sizes[i]) / sqrt(sizes[i]), double(sizes[i + 1]))
  }), recursive = FALSE)
}

layer <- function(X, network, i) X %*% network[[2 * i - 1]] + rep(network[[2 * i]], each = nrow(X))
encode <- function(network, X) layer(tanh(layer(X, network, 1)), network, 2)
decode <- function(network, Z) layer(tanh(layer(Z, network, 3)), network, 4)

gradients <- function(network, X, weight) {
  n <- nrow(X)
  first <- tanh(layer(X, network, 1))
  Z <- layer(first, network, 2)
  second <- tanh(layer(Z, network, 3))
  to_out <- 2 * (layer(second, network, 4) - X) / n
  to_second <- tcrossprod(to_out, network[[7]]) * (1 - second^2)
  to_codes <- tcrossprod(to_second, network[[5]])
  if (weight > 0) to_codes <- to_codes + weight / n * topological_loss(distances_of(X), Z)$gradient
  to_first <- tcrossprod(to_codes, network[[3]]) * (1 - first^2)
  list(crossprod(X, to_first), colSums(to_first), crossprod(first, to_codes), colSums(to_codes),
       crossprod(Z, to_second), colSums(to_second), crossprod(second, to_out), colSums(to_out))
}

train <- function(X, weight, rate = 2e-3) {
  network <- new_network(ncol(X))
  mean <- square <- lapply(network, function(w) 0 * w)
  for (t in seq_len(steps)) {
    found <- gradients(network, X[sample(nrow(X), batch), ], weight)
    mean <- Map(function(m, g) 0.9 * m + 0.1 * g, mean, found)
    square <- Map(function(s, g) 0.999 * s + 0.001 * g^2, square, found)
    network <- Map(function(w, m, s) w - rate * (m / (1 - 0.9^t)) / (sqrt(s / (1 - 0.999^t)) + 1e-8), network, mean,
                   square)
  }
  network
}

# The most likely code of each column.
decided <- function(Y, sizes) {
  ends <- cumsum(sizes)
  mapply(function(from, to) max.col(Y[, from:to, drop = FALSE], "first"), ends - sizes + 1, ends)
}

margin_error <- function(a, b, sizes) {
  shares <- function(codes, pair) {
    tabulate(codes[, pair[1]] + sizes[pair[1]] * (codes[, pair[2]] - 1), prod(sizes[pair])) / nrow(codes)
  }
  mean(utils::combn(length(sizes), 2, function(pair) sum(abs(shares(a, pair) - shares(b, pair))) / 2))
}

batch_losses <- function(X, Z) {
  batches <- split(seq_len(nrow(X) - nrow(X) %% batch), rep(seq_len(nrow(X) %/% batch), each = batch))
  vapply(batches, function(own) topological_loss(distances_of(X[own, ]), Z[own, ])$loss / batch, 0)
}

# One row of a batch becomes another one of the rows, with its code.
largest_move <- function(X, Z, tries = 200) {
  own <- sample(nrow(X), batch)
  before <- topological_loss(distances_of(X[own, ]), Z[own, ])$loss
  max(vapply(seq_len(tries), function(i) {
    moved <- replace(own, sample(batch, 1), sample(nrow(X), 1))
    abs(topological_loss(distances_of(X[moved, ]), Z[moved, ])$loss / before - 1)
  }, 0))
}

one_split <- function(table, rows) {
  X <- row_vectors(rows, table$schema)
  codes <- row_codes(rows, table$schema)
  sizes <- vapply(table$schema$columns, `[[`, 0, "size")
  order <- sample(nrow(rows))
  tested <- order[seq_len(min(1000, nrow(rows) %/% 5))]
  trained <- utils::head(order[-seq_len(nrow(rows) %/% 5)], 2000)
  center <- colMeans(X[trained, ])
  X <- t(t(X) - center)
  scale <- sqrt(mean(rowSums(X[trained, ]^2)))
  X <- X / scale
  line <- function(method, weight, encode, decode) {
    Z <- encode(X[tested, ])
    codes_of <- encode(X[trained, ])
    data.frame(method, weight, reconstruction = mean(rowSums((decode(Z) - X[tested, ])^2)),
               topological = mean(batch_losses(X[tested, ], Z)), moved = largest_move(X[trained, ], codes_of),
               margins = margin_error(decided(t(scale * t(decode(codes_of)) + center), sizes), codes[tested, ], sizes))
  }
  plane <- stats::prcomp(X[trained, ], center = FALSE, rank. = 2)$rotation
  rbind(
    do.call(rbind, lapply(c(0, 0.1, 1), function(weight) {
      network <- train(X[trained, ], weight)
      line("autoencoder", weight, function(X) encode(network, X), function(Z) decode(network, Z))
    })),
    line("principal components", NA, function(X) X %*% plane, function(Z) tcrossprod(Z, plane)),
    data.frame(method = "rows", weight = NA, reconstruction = 0, topological = NA, moved = NA,
               margins = margin_error(codes[trained, ], codes[tested, ], sizes))
  )
}

results <- do.call(rbind, lapply(names(tables), function(name) {
  rows <- tables[[name]]$read()
  found <- repetitions(splits, function(i) one_split(tables[[name]], rows))
  numbers <- lapply(found, function(lines) as.matrix(lines[c("reconstruction", "topological", "moved", "margins")]))
  data.frame(table = name, found[[1]][c("method", "weight")], splits, signif(Reduce(`+`, numbers) / splits, 4))
}))
write_table(results, "tables-topoae")
record_time("tables-topoae.R")
