# How many dimensions the public rule of spectral_embedding() finds where degrees differ: two blocks of 500 vertices
# (within three times as often as between), a mean degree of 10, 20 or 100, and vertices whose expected degrees are all
# alike, lognormal (standard deviation of the logarithm 1), or of a power law (density x^-2.5, cut at 30 times the
# least). 6 graphs each, as they are (epsilon = Inf) and after flips.
#
# `seen` is how many eigenvalues of the probabilities power_graph() says are seen, with v the mean of p (1 - p):
# two are those of the blocks, and probabilities that are cut at 1 add some where degrees are large. `rule`: what
# spectral_embedding() takes, where the edge of the noise is that of a matrix whose entries all vary as much as their
# mean does. `rows`: with the edge of one whose entries all vary as those of the row with the largest degree of the
# release. `over`, `right` and `under`: parts of the graphs with more, as many or fewer dimensions than `seen`. Writes
# graphs-dimensions.csv.
#
#   Rscript inst/simulations/graphs-dimensions.R
source("inst/simulations/graphs-common.R")
set.seed(67)
n <- 1000

degrees <- list(alike = function() rep(1, n), lognormal = function() rlnorm(n),
                `power law` = function() (1 - runif(n) * (1 - 30^-1.5))^(-1 / 1.5))

cells <- expand.grid(epsilon = c(1, 2, 4, 8, Inf), degree = c(10, 20, 100), degrees = names(degrees),
                     stringsAsFactors = FALSE)

# Probabilities are cut at 1.
probabilities <- function(weights, degree) {
  block <- rep(1:2, each = n / 2)
  P <- outer(weights, weights) * ifelse(outer(block, block, "=="), 3, 1)
  diag(P) <- 0
  pmin(P * degree * n / sum(P), 1)
}

one_graph <- function(at) {
  P <- probabilities(degrees[[at$degrees]](), at$degree)
  A <- draw_graph(P)
  v <- sum(P * (1 - P)) / (n * (n - 1))
  lambda <- RSpectra::eigs_sym(P, 12, which = "LM")$values
  seen <- sum(vapply(lambda, function(l) power_graph(n, at$epsilon, lambda = l, v = v)$strength > 1, NA))
  operand <- graph_debias(if (is.finite(at$epsilon)) private_graph(A, at$epsilon, rng = "R") else A)
  found <- spectral_embedding(operand)
  c(seen = seen, rule = ncol(found$X), rows = sum(abs(found$spectrum) > row_edge(operand)), largest = max(rowSums(A)))
}

one_cell <- function(i) {
  at <- cells[i, ]
  found <- vapply(seq_len(sized(6)), function(j) one_graph(at), c(seen = 0, rule = 0, rows = 0, largest = 0))
  part <- function(rule) c(mean(found[rule, ] > found["seen", ]), mean(found[rule, ] == found["seen", ]),
                           mean(found[rule, ] < found["seen", ]))
  by_rule <- part("rule")
  by_rows <- part("rows")
  data.frame(degrees = at$degrees, degree = at$degree, epsilon = at$epsilon, largest_degree = mean(found["largest", ]),
             seen = mean(found["seen", ]), rule = mean(found["rule", ]), over = by_rule[1], right = by_rule[2],
             under = by_rule[3],
             rows = mean(found["rows", ]), rows_over = by_rows[1], rows_right = by_rows[2], rows_under = by_rows[3])
}

write_table(do.call(rbind, repetitions(nrow(cells), one_cell)), "graphs-dimensions")
record_time("graphs-dimensions.R")
