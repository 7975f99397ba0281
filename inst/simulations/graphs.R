# The first figure of Vishwanath and Hehir (2022), from what its code does, and what its text claims. Writes four
# tables:
#
#   graphs-blocks.csv.xz
#                       left: three blocks (n = 200, .55 within, .05 between) at epsilon = 1.5 and others; 50 graphs for
#                       each. Distances between the diagrams of the embeddings of a graph and of its release, and of
#                       another graph of the same model; how near the centers of the blocks are, and what was predicted.
#   graphs-epsilon.csv.xz
#                       right, against epsilon from .5 to 10 by .2: n = 100 on a lemniscate; 5 sets of points (the paper
#                       has one) and 10 graphs on each. As in the paper's code: z-scores, nothing debiased, d = 3, the
#                       bottleneck distance of logarithms; and as in its text: the shift-invariant one; and with flips
#                       taken out.
#   graphs-sizes.csv.xz
#                       right, against n = 50 to 1,000 at epsilon = log(n): 20 graphs for each.
#   graphs-limit.csv.xz Proposition 2: n = 100 to 1,600 at epsilon = 2, a random dot product graph on a circle; 20
#                       graphs.
#
# and graphs-points.rds, the points of one graph and of its release, for a picture.
#
#   Rscript inst/simulations/graphs.R [blocks] [epsilon] [sizes] [limit]
#
# Each table has a seed of its own, so it may be made alone. Diagrams are those of alpha complexes (package TDA).
source("inst/simulations/graphs-common.R")

released <- function(A, epsilon, method = "edgeflip") private_graph(A, epsilon, method = method, rng = "R")

# ---- blocks ----------------------------------------------------------------

blocks_model <- function(label) ifelse(outer(label, label, "=="), 0.55, 0.05)

# Mean distance between the centers of the blocks.
center_distance <- function(X, label) mean(dist(rowsum(X, label) / as.vector(table(label))))

one_block_graph <- function(i, epsilons) {
  label <- sample(3, 200, TRUE)
  P <- blocks_model(label)
  A <- draw_graph(P)
  X <- spectral_embedding(A, 3)$X
  true <- cloud_diagram(X)
  measured <- function(Y, epsilon, embedding) {
    private <- cloud_diagram(Y)
    near <- center_distance(Y, label) / center_distance(X, label)
    value <- c(all_distances(true, private, 0), all_distances(true, private, 1), near,
               rand_index(kmeans_labels(Y, 3), label))
    data.frame(epsilon, embedding, measure = c(paste(kinds, 0), paste(kinds, 1), "centers", "kmeans ARI"), value)
  }
  other <- measured(spectral_embedding(draw_graph(P), 3)$X, Inf, "another graph")
  randomized <- lapply(epsilons, function(epsilon) {
    A1 <- released(A, epsilon)
    rbind(measured(spectral_embedding(A1, 3)$X, epsilon, "debiased"),
          measured(spectral_embedding(A1, 3, debias = FALSE)$X, epsilon, "as released"))
  })
  rbind(other, do.call(rbind, randomized))
}

blocks_points <- function() {
  label <- sample(3, 200, TRUE)
  A <- draw_graph(blocks_model(label))
  A1 <- released(A, 1.5)
  true <- spectral_embedding(A, 3)
  towards <- function(embedding) round(align_embedding(embedding, true), 4)
  list(epsilon = 1.5, label = label, true = round(true$X, 4), debiased = towards(spectral_embedding(A1, 3))[, ],
       released = towards(spectral_embedding(A1, 3, debias = FALSE))[, ])
}

run_blocks <- function() {
  set.seed(61)
  write_object(blocks_points(), "graphs-points")
  epsilons <- c(0.5, 1, 1.5, 2, 3, 5)
  found <- do.call(rbind, repetitions(sized(50), function(i) one_block_graph(i, epsilons)))
  table <- summarize_by(found, c("embedding", "epsilon", "measure"))
  # what Proposition 1 says of the points as they were released
  table$predicted <- ifelse(table$measure == "centers",
                            signif(ifelse(table$embedding == "as released", sqrt(tanh(table$epsilon / 2)), 1), 4), NA)
  write_points(table, "graphs-blocks")
}

# ---- against epsilon -------------------------------------------------------

z_scores <- function(X) matrix(scale(X), nrow(X))

# What the code does, what the text says, and what debiased give. `true`: the diagrams of the graph as it is.
epsilon_distances <- function(A1, true) {
  of_scores <- cloud_diagram(z_scores(spectral_embedding(A1, 3, debias = FALSE)$X))
  of_points <- cloud_diagram(spectral_embedding(A1, 3)$X)
  c(`code: log bottleneck of z-scores` = log_bottleneck(true$scores, of_scores, 1),
    `text: log shift of z-scores` = shift_invariant_distance(true$scores, of_scores, dimension = 1, log = TRUE)[1],
    `text: shift of z-scores` = shift_invariant_distance(true$scores, of_scores, dimension = 1)[1],
    `debiased: bottleneck` = bottleneck_distance(true$points, of_points, dimension = 1),
    `debiased: log shift` = shift_invariant_distance(true$points, of_points, dimension = 1, log = TRUE)[1])
}

one_epsilon_graph <- function(P, epsilons) {
  A <- draw_graph(P)
  X <- spectral_embedding(A, 3)$X
  true <- list(scores = cloud_diagram(z_scores(X)), points = cloud_diagram(X))
  row <- function(value, epsilon, method) data.frame(measure = names(value), method, epsilon, value, row.names = NULL)
  rows <- lapply(epsilons, function(epsilon) do.call(rbind, lapply(c("edgeflip", "laplaceflip"), function(method) {
    row(epsilon_distances(released(A, epsilon, method), true), epsilon, method)
  })))
  rbind(row(epsilon_distances(draw_graph(P), true), Inf, "another graph"), do.call(rbind, rows))
}

run_epsilon <- function() {
  set.seed(62)
  epsilons <- seq(0.5, 10, by = 0.2)
  models <- lapply(1:5, function(set) normal_probabilities(lemniscate_points(100)))
  each <- sized(10) # graphs of a model
  found <- repetitions(5 * each, function(i) {
    cbind(one_epsilon_graph(models[[(i - 1) %/% each + 1]], epsilons), run = i)
  })
  found <- do.call(rbind, found)
  table <- summarize_by(found, c("measure", "method", "epsilon"))
  # of the two mechanisms on the same graphs, edgeflip less laplaceflip
  wide <- reshape(found[found$method != "another graph", ], direction = "wide", idvar = c("measure", "epsilon", "run"),
                  timevar = "method")
  wide$gain <- wide$value.edgeflip - wide$value.laplaceflip
  pairs <- aggregate(gain ~ measure + epsilon, wide, mean_and_error)
  table$gain <- table$error <- NA
  at <- match(paste(pairs$measure, pairs$epsilon),
              ifelse(table$method == "edgeflip", paste(table$measure, table$epsilon), NA))
  table$gain[at] <- signif(pairs$gain[, "mean"], 3)
  table$error[at] <- signif(pairs$gain[, "error"], 2)
  write_points(table, "graphs-epsilon")
}

# ---- against n -------------------------------------------------------------

# As the paper's code takes flips out: with the probability of edgeflip whatever the mechanism, from the diagonal too,
# and the points divided by 1 - 2 pi in place of its root.
code_points <- function(A1, epsilon) {
  pi <- 1 / (1 + exp(epsilon))
  M <- as.matrix(A1) - pi
  found <- RSpectra::eigs_sym(M, 3, which = "LM")
  found$vectors %*% diag(sqrt(abs(found$values))) / (1 - 2 * pi)
}

one_size_graph <- function(n) {
  epsilon <- log(n)
  P <- normal_probabilities(lemniscate_points(n))
  A <- draw_graph(P)
  X <- spectral_embedding(A, 3)$X
  true <- cloud_diagram(X)
  scores <- cloud_diagram(z_scores(X))
  compared <- function(Y, method, how) {
    private <- cloud_diagram(Y)
    value <- c(all_distances(true, private, 0), all_distances(true, private, 1))
    data.frame(n, epsilon, method, embedding = how, dimension = rep(0:1, each = length(kinds)),
               distance = rep(kinds, 2), value)
  }
  randomized <- lapply(c("edgeflip", "laplaceflip"), function(method) {
    A1 <- released(A, epsilon, method)
    rbind(compared(code_points(A1, epsilon), method, "code"),
          compared(spectral_embedding(A1, 3)$X, method, "debiased"),
          compared(spectral_embedding(A1, 3, debias = FALSE)$X, method, "as released"))
  })
  rbind(compared(spectral_embedding(draw_graph(P), 3)$X, "another graph", "true"), do.call(rbind, randomized))
}

run_sizes <- function() {
  set.seed(63)
  sizes <- c(50, 100, 200, 400, 700, 1000)
  found <- repetitions(sized(20), function(i) {
    do.call(rbind, lapply(sizes, one_size_graph))
  })
  by <- c("method", "embedding", "dimension", "distance", "n", "epsilon")
  write_points(summarize_by(do.call(rbind, found), by), "graphs-sizes")
}

# ---- Proposition 2 ---------------------------------------------------------

# `curve`: the diagram of the curve on which the positions are. From it only loops are measured, and not in logarithms:
# those of births, which end at 0, have no limit.
one_limit_graph <- function(n, curve, epsilon) {
  X <- circle_positions(n)
  A <- draw_graph(tcrossprod(X))
  true <- cloud_diagram(spectral_embedding(A, 3)$X)
  A1 <- released(A, epsilon)
  # a flip adds a constant to all probabilities, which here lies in the span of the positions
  clouds <- list(debiased = spectral_embedding(A1, 3)$X, `as released` = spectral_embedding(A1, 3, debias = FALSE)$X)
  compared <- function(x, y, what) {
    value <- c(all_distances(x, y, 0), all_distances(x, y, 1))
    data.frame(n, epsilon, embedding = what, dimension = rep(0:1, each = length(kinds)),
               distance = rep(kinds, 2), value)
  }
  from_curve <- function(y, what) {
    rows <- compared(curve, y, paste(what, "from the curve"))
    rows[rows$dimension == 1 & rows$distance %in% c("bottleneck", "shift"), ]
  }
  rows <- lapply(names(clouds), function(what) {
    private <- cloud_diagram(clouds[[what]])
    rbind(compared(true, private, what), from_curve(private, what))
  })
  rbind(from_curve(true, "true"), do.call(rbind, rows))
}

# What the distance of loops comes to for many vertices, without noise: one loop, from 0 to the radius of its circle,
# which flips shrink where they are not taken out. In logarithms a shift repairs that.
limit_distance <- function(table, epsilon) {
  shrunk <- table$dimension == 1 & startsWith(table$embedding, "as released")
  apart <- sqrt(0.4) * (1 - sqrt(tanh(epsilon / 2)))
  known <- table$dimension == 1 & table$distance %in% c("bottleneck", "shift")
  ifelse(known, signif(ifelse(shrunk, ifelse(table$distance == "shift", apart / 2, apart), 0), 4), NA)
}

run_limit <- function() {
  set.seed(64)
  sizes <- c(100, 200, 400, 800, 1600)
  angle <- 2 * pi * (1:400) / 400
  curve <- cloud_diagram(cbind(sqrt(0.5), sqrt(0.4) * cos(angle), sqrt(0.4) * sin(angle)))
  found <- repetitions(sized(20), function(i) do.call(rbind, lapply(sizes, one_limit_graph, curve, epsilon = 2)))
  table <- summarize_by(do.call(rbind, found), c("embedding", "dimension", "distance", "n", "epsilon"))
  table$limit <- limit_distance(table, 2)
  write_points(table, "graphs-limit")
}

tables <- list(blocks = run_blocks, epsilon = run_epsilon, sizes = run_sizes, limit = run_limit)
chosen <- commandArgs(TRUE)
if (length(chosen) == 0) chosen <- names(tables)
for (table in chosen) tables[[match.arg(table, names(tables))]]()
if (length(chosen) == length(tables)) record_time("graphs.R")
