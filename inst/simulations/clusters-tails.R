# Private mixtures of clusters whose tails are not normal, by the number of rounds and the budget: Student's t of five
# degrees of freedom, Laplace, uniform and normal clusters of different sizes, widths and directions. Mean log density,
# floored at -50, of as many rows more of the same clusters, which no fit has seen; means over 4 tables, which all
# settings share, and with them the start of the fits, which settles most of what a fit finds. delta = 1e-6. The
# densities are in coordinates in which the box is [-1, 1] on each side.
#
#   Rscript inst/simulations/clusters-tails.R
source("inst/simulations/clusters-common.R")
set.seed(26)
runs <- sized(4)

# Standard rows.
standard_rows <- function(kind, n, D) {
  normal <- matrix(rnorm(n * D), n)
  switch(kind,
         normal = normal,
         `t(5)` = normal * sqrt(3 / rchisq(n, 5)),
         Laplace = matrix(rexp(n * D) * sample(c(-1, 1), n * D, TRUE), n) / sqrt(2),
         uniform = matrix(runif(n * D, -sqrt(3), sqrt(3)), n))
}

# 2 n rows in the box, of K clusters that weigh from 1 to 3.
tailed_clusters <- function(kind, n, D, K) {
  label <- sample(K, 2 * n, TRUE, runif(K, 1, 3))
  X <- matrix(0, 2 * n, D)
  for (k in seq_len(K)) {
    turned <- qr.Q(qr(matrix(rnorm(D^2), D))) %*% diag(10^runif(D, -2, -1), D)
    X[label == k, ] <- standard_rows(kind, sum(label == k), D) %*% t(turned) +
      rep(runif(D, -0.6, 0.6), each = sum(label == k))
  }
  pmin(pmax(X, -1), 1)
}

tables <- expand.grid(kind = c("t(5)", "Laplace", "uniform", "normal"), n = c(5000, 30000), stringsAsFactors = FALSE)
settings <- expand.grid(epsilon = c(0.5, 2, 10), rounds = c(12, 24, 48, 96, NA))
shapes <- list(`5000` = c(D = 3, K = 4), `30000` = c(D = 8, K = 10))

# NA: as many rounds as the default has.
one_density <- function(X, K, epsilon, rounds) {
  fitted <- seq_len(nrow(X) / 2)
  some <- if (!is.na(rounds)) list(rounds = rounds)
  fit <- do.call(private_mixture, c(list(X[fitted, ], unit_box(ncol(X)), K, epsilon = epsilon, delta = 1e-6,
                                         rng = "R"), some))
  log_density(fit, X[-fitted, ])
}

results <- do.call(rbind, lapply(seq_len(nrow(tables)), function(i) {
  n <- tables$n[i]
  shape <- shapes[[as.character(n)]]
  found <- repetitions(runs, function(run) {
    X <- tailed_clusters(tables$kind[i], n, shape[["D"]], shape[["K"]])
    start <- .Random.seed
    mapply(function(epsilon, rounds) {
      assign(".Random.seed", start, globalenv())
      one_density(X, shape[["K"]], epsilon, rounds)
    }, settings$epsilon, settings$rounds)
  })
  found <- do.call(cbind, found)
  data.frame(tables[i, ], t(shape), settings, runs, density = round(rowMeans(found), 3),
             least = round(apply(found, 1, min), 3), row.names = NULL)
}))
write_points(results, "clusters-tails")
record_time("clusters-tails.R")
