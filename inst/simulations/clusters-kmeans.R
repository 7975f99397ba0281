# Which method private_kmeans() should use by default: the loss (the sum of squared distances to the nearest center) of
# each method, over that of stats::kmeans() with 30 starts. Medians of releases.
#
# "page": well-separated clusters in a box of side 10, where Lloyd's algorithm from places of the box loses most.
# "own": ten layouts of other kinds: few rows (iris), many; 2 to 20 clusters, 1 to 10 columns; unequal, overlapping,
# long-tailed, noisy and crowded ones. The limits of method "grid" were found on layouts of other seeds, sizes, numbers
# and spreads, and these were looked at once, to see whether they hold.
#
#   Rscript inst/simulations/clusters-kmeans.R [RELEASES]
#
# Written are all medians and, for each line, `ratio`: the default over the best of the other methods.
source("inst/simulations/common.R")

releases <- c(as.integer(commandArgs(TRUE)), sized(9))[1]

clusters_in <- function(seed, n, k, D, sd, weights = rep(1, k), reach = 1, noise = 0, tails = Inf) {
  set.seed(seed)
  centers <- matrix(runif(k * D, -reach, reach), k)
  longer <- if (is.finite(tails)) sqrt((tails - 2) / rchisq(n, tails)) else 1
  X <- centers[sample(k, n, TRUE, weights), , drop = FALSE] + matrix(rnorm(n * D, sd = sd), n) * longer
  far <- runif(n) < noise
  X[far, ] <- runif(sum(far) * D, -1, 1)
  list(X = pmin(pmax(X, -1), 1), k = k)
}

page_clusters <- function(seed, k, D) {
  set.seed(seed)
  centers <- matrix(runif(k * D) * 10, k)
  X <- centers[sample(k, 10000, TRUE), ] + matrix(rnorm(10000 * D) * 0.4, 10000)
  list(X = pmin(pmax(X, 0), 10) / 5 - 1, k = k)
}

layouts <- list(
  "page 3, 2" = function() page_clusters(1, 3, 2), "page 5, 2" = function() page_clusters(2, 5, 2),
  "page 8, 2" = function() page_clusters(3, 8, 2), "page 12, 2" = function() page_clusters(4, 12, 2),
  "page 5, 4" = function() page_clusters(5, 5, 4), "page 8, 4" = function() page_clusters(6, 8, 4),
  "own iris" = function() list(X = sweep(as.matrix(iris[1:4]), 2, 4) / 4, k = 3),
  "own overlapping" = function() clusters_in(501, 1000, 4, 3, 0.3),
  "own two in 8" = function() clusters_in(502, 1000, 2, 8, 0.15),
  "own twenty" = function() clusters_in(503, 5000, 20, 2, 0.04),
  "own ten in 10" = function() clusters_in(504, 5000, 10, 10, 0.12),
  "own unequal" = function() clusters_in(505, 20000, 6, 6, 0.1, weights = 2^(6:1)),
  "own line" = function() clusters_in(506, 20000, 3, 1, 0.05),
  "own noise" = function() clusters_in(507, 5000, 5, 2, 0.06, noise = 0.3),
  "own tails" = function() clusters_in(508, 3000, 7, 5, 0.1, tails = 3),
  "own crowded" = function() clusters_in(509, 50000, 12, 3, 0.03, reach = 0.3)
)

loss <- function(X, centers) {
  least <- rep(Inf, nrow(X))
  for (k in seq_len(nrow(centers))) least <- pmin(least, colSums((t(X) - centers[k, ])^2))
  sum(least)
}

one_layout <- function(name) {
  layout <- layouts[[name]]()
  X <- unname(layout$X)
  box <- domain_box(rep(-1, ncol(X)), rep(1, ncol(X)))
  least <- suppressWarnings(stats::kmeans(X, layout$k, nstart = 30, iter.max = 50)$tot.withinss)
  lines <- list()
  for (epsilon in c(0.1, 1, 10)) for (delta in c(0, 1e-6)) {
    released <- function(method) {
      cost <- c(list(epsilon = epsilon), if (delta > 0) list(delta = delta))
      if (identical(method, "tree") && delta == 0) return(NA)
      once <- function() {
        fit <- suppressWarnings(do.call(private_kmeans, c(list(X, box, layout$k, method = method, rng = "R"), cost)))
        loss(X, fit$centers) / least
      }
      median(replicate(releases, once()))
    }
    methods <- list(default = NULL, lloyd = "lloyd", cube = "cube", tree = "tree")
    found <- vapply(methods, released, 0)
    ratio <- found[["default"]] / min(found[c("lloyd", "cube", "tree")], na.rm = TRUE)
    lines <- c(lines, list(data.frame(layout = name, rows = nrow(X), k = layout$k, columns = ncol(X), epsilon, delta,
                                      t(signif(found, 4)), ratio = signif(ratio, 3))))
  }
  do.call(rbind, lines)
}

set.seed(25)
write_table(do.call(rbind, repetitions(length(layouts), function(i) one_layout(names(layouts)[i]))), "clusters-kmeans")
record_time("clusters-kmeans.R")
