# How near a private covariance comes to that of the rows, by their distribution, their number, the budget and the size
# of the box. Three columns, all correlations 0.95: normal, Student's t of five degrees of freedom, and mixed Laplace
# and uniform rows; boxes of 5, 40 and 1000 standard deviations to each side; delta = 1e-6. Means of 20 releases (of
# 100,000 rows 8, or 40 of normal ones): the ratio of the variances to those of cov(), its standard deviation, the least
# and largest eigenvalue of one matrix in units of the other, the share of rows that were shortened, and how many
# releases say that their rounds have settled.
source("inst/simulations/common.R")
set.seed(24)

settings <- expand.grid(side = c(5, 40, 1000), epsilon = c(0.5, 1, 5), n = c(2000, 20000, 100000),
                        rows = c("normal", "t(5)", "Laplace", "uniform"), stringsAsFactors = FALSE)

rows_of <- function(rows, n, columns = 3) {
  turned <- chol(matrix(0.95, columns, columns) + diag(0.05, columns))
  normal <- function() matrix(rnorm(n * columns), n)
  switch(rows,
         normal = normal() %*% turned,
         `t(5)` = normal() %*% turned * sqrt(3 / rchisq(n, 5)),
         Laplace = matrix(rexp(n * columns) * sample(c(-1, 1), n * columns, TRUE), n) %*% turned / sqrt(2),
         uniform = matrix(runif(n * columns, -sqrt(3), sqrt(3)), n) %*% turned)
}

one_release <- function(rows, n, epsilon, side) {
  X <- rows_of(rows, n)
  box <- dptda::domain_box(rep(-side, ncol(X)), rep(side, ncol(X)))
  fit <- dptda::private_covariance(X, box, epsilon = epsilon, delta = 1e-6, rng = "R")
  truth <- cov(X)
  whiten <- solve(t(chol(truth)))
  values <- eigen(whiten %*% fit$cov %*% t(whiten), symmetric = TRUE)$values
  c(rounds = length(dptda::privacy(fit)$public$queries), ratio = mean(diag(fit$cov) / diag(truth)),
    least = min(values), most = max(values), shortened = fit$far[["share"]], settled = fit$settled)
}

summary_of <- function(i) {
  s <- settings[i, ]
  releases <- sized(if (s$n <= 20000) 20 else if (s$rows == "normal") 40 else 8)
  seen <- replicate(releases, one_release(s$rows, s$n, s$epsilon, s$side))
  means <- rowMeans(seen)
  data.frame(s[c("rows", "n", "epsilon", "side")], as.list(signif(means[1:2], 4)), sd = signif(sd(seen["ratio", ]), 2),
             as.list(signif(means[3:6], 3)))
}

write_table(do.call(rbind, repetitions(nrow(settings), summary_of)), "covariance-rounds")
record_time("covariance-rounds.R")
