# How near a private covariance comes to that of the rows, by the size of the box and the number of queries. Normal
# rows, all correlations 0.95, in boxes of 6, 20 and 1000 standard deviations to each side; delta = 1e-6. The number of
# queries that public numbers choose, and others beside it. Means of 20 releases: the ratio of the variances to those of
# cov(), its standard deviation, and the least and largest eigenvalue of one matrix in units of the other.
source("inst/simulations/common.R")
set.seed(24)
releases <- 20

settings <- expand.grid(rounds = c(0, 3, 8), side = c(6, 20, 1000), epsilon = c(0.5, 1), n = c(2000, 20000),
                        columns = c(3, 10))

one_release <- function(n, columns, side, epsilon, rounds) {
  turned <- chol(matrix(0.95, columns, columns) + diag(0.05, columns))
  X <- matrix(rnorm(n * columns), n) %*% turned
  box <- dptda::domain_box(rep(-side, columns), rep(side, columns))
  fit <- dptda::private_covariance(X, box, epsilon = epsilon, delta = 1e-6, rounds = if (rounds > 0) rounds, rng = "R")
  truth <- cov(X)
  whiten <- solve(t(chol(truth)))
  values <- eigen(whiten %*% fit$cov %*% t(whiten), symmetric = TRUE)$values
  c(queries = length(dptda::privacy(fit)$public$queries), ratio = mean(diag(fit$cov) / diag(truth)),
    least = min(values),
    most = max(values))
}

summary_of <- function(i) {
  s <- settings[i, ]
  seen <- replicate(releases, one_release(s$n, s$columns, s$side, s$epsilon, s$rounds))
  data.frame(s[c("columns", "n", "epsilon", "side")], chosen = s$rounds == 0, queries = seen["queries", 1],
             as.list(signif(c(rowMeans(seen)[c("ratio", "least", "most")], sd = stats::sd(seen["ratio", ])), 4)))
}

write_table(do.call(rbind, repetitions(nrow(settings), summary_of)), "covariance-rounds")
record_time("covariance-rounds.R")
