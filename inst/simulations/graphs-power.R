# What power_graph() predicts against what is found, over a grid of sizes, probabilities, numbers of blocks and
# epsilon: the squared overlap of the eigenvectors with the contrasts of the blocks, the observed eigenvalue, and for
# two blocks the part of the vertices that signs put right. 20 graphs of up to 1,000 vertices, 10 of 2,000, 5 of 4,000,
# a release of each. Writes graphs-power.csv.xz.
#
#   Rscript inst/simulations/graphs-power.R
source("inst/simulations/graphs-common.R")
set.seed(66)

cells <- expand.grid(n = c(500, 1000, 2000, 4000), blocks = 1:4, k = c(2, 4), epsilon = c(0.5, 1, 2, 4))
probabilities <- rbind(c(0.3, 0.2), c(0.1, 0.05), c(0.5, 0.3), c(0.1, 0.25))
graphs_of <- function(n) c(`500` = 20, `1000` = 20, `2000` = 10, `4000` = 5)[[as.character(n)]]

one_release <- function(n, p_in, p_out, k, epsilon) {
  rates <- matrix(p_out, k, k) + diag(p_in - p_out, k)
  A <- simulate(graph_sbm(rep(n / k, k), rates))
  found <- spectral_embedding(private_graph(A, epsilon, n = n, rng = "R"), k)
  block <- rep(seq_len(k), each = n / k)
  contrasts <- qr.Q(qr(cbind(1, outer(block, seq_len(k - 1), "=="))))[, -1, drop = FALSE]
  V <- sweep(found$X, 2, sqrt(abs(found$eigenvalues)), "/")
  # of the k eigenvectors the one nearest to the constant is left out
  constant <- which.max(abs(colSums(V)))
  V <- V[, -constant, drop = FALSE]
  right <- if (k == 2) mean((V[, 1] > 0) == (block == 1)) else NA
  c(overlap = sum(crossprod(contrasts, V)^2) / (k - 1), observed = mean(found$eigenvalues[-constant]),
    right = max(right, 1 - right))
}

one_cell <- function(i) {
  at <- cells[i, ]
  p <- probabilities[at$blocks, ]
  plan <- power_graph(at$n, at$epsilon, p_in = p[1], p_out = p[2], k = at$k)
  graphs <- sized(graphs_of(at$n))
  found <- vapply(seq_len(graphs), function(j) one_release(at$n, p[1], p[2], at$k, at$epsilon), c(0, 0, 0))
  mean <- rowMeans(found)
  # an eigenvalue within the noise is not predicted
  data.frame(n = at$n, p_in = p[1], p_out = p[2], k = at$k, epsilon = at$epsilon, strength = signif(plan$strength, 4),
             overlap = round(plan$overlap, 4), found = round(mean[["overlap"]], 4),
             sd = signif(sd(found["overlap", ]), 2),
             observed = signif(plan$observed, 4), eigenvalue = signif(mean[["observed"]], 4),
             accuracy = round(plan$accuracy, 4), right = round(mean[["right"]], 4), graphs = ncol(found))
}

table <- do.call(rbind, repetitions(nrow(cells), one_cell))
write_points(table, "graphs-power")
far <- function(rows) c(cells = sum(rows), largest = max(abs(table$found - table$overlap)[rows]))
print(rbind(`strength over 1.25` = far(table$strength > 1.25),
            `strength 1 to 1.25` = far(table$strength > 1 & table$strength <= 1.25),
            `strength below 1` = far(table$strength < 1)))
record_time("graphs-power.R")
