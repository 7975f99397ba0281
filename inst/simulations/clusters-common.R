# What the scripts on private clusters share. The data are the six sets of Byun, Choi and Lee (2025), and they are not
# shipped. A script takes the folder that holds them as its argument, or from the environment variable
# DPTDA_DATA:
#
#   magic04.data.gz           MAGIC gamma telescope, UCI Machine Learning Repository (Bock 2004)
#   pulsar_data_train.csv.gz  "Predicting a pulsar star" of Kaggle, made of HTRU2 (Lyon et al. 2016); its complete rows
#   shuttle.trn.gz            Statlog (Shuttle), UCI Machine Learning Repository, the rows for training
#   zip.train.gz              USPS digits as in "The elements of statistical learning", the rows for training
#   emg_sub01_normal.csv.gz   EMG physical action, UCI Machine Learning Repository (Theodoridis 2011): the files of the
#                             first subject's normal actions under each other, with columns subject, type, action, ch1
#                             to ch8
#   Skyserver_SQL2_27_2018_6_51_39_PM.csv.gz  "Sloan Digital Sky Survey DR14" of Kaggle, 10,000 rows
#
# each in the folder itself or in one below.
#
# The paper keeps 59,130 rows and six of the ten actions of EMG, "excluding similar actions", and does not name them.
# Only the first subject's normal actions have so many rows in six actions, and only with Bowing, Handshaking, Running
# and Standing; any two of the five with 10,000 rows complete them. Walking and Clapping are taken here. Sloan has 16
# variables in the paper: here all but the class and `rerun`, which is the same for all rows. The two numbers of an
# object (`objid`, `specobjid`) are then among them.
#
# Every column is scaled by its own least and largest value to [-1, 1], as in the paper. THAT IS NOT PRIVATE: these two
# values are those of single rows. It is done here to compare with the paper; a release would take a public box, or pay
# for one by private_bounds().
source("inst/simulations/common.R")

to_range <- function(X) {
  low <- apply(X, 2, min)
  high <- apply(X, 2, max)
  unname(t((t(X) - (high + low) / 2) / ((high - low) / 2)))
}

# Rows in [-1, 1]^D and labels, and the paper's numbers of clusters K and of components K0.
read_magic <- function() {
  rows <- read.csv(data_file("magic04.data.gz"), header = FALSE)
  list(X = to_range(as.matrix(rows[1:10])), labels = rows[[11]], k = 2, components = 6)
}

read_pulsar <- function() {
  rows <- stats::na.omit(read.csv(data_file("pulsar_data_train.csv.gz")))
  list(X = to_range(as.matrix(rows[1:8])), labels = rows[[9]], k = 2, components = 6)
}

read_shuttle <- function() {
  rows <- read.table(data_file("shuttle.trn.gz"))
  list(X = to_range(as.matrix(rows[1:9])), labels = rows[[10]], k = 7, components = 12)
}

read_emg <- function() {
  rows <- read.csv(data_file("emg_sub01_normal.csv.gz"))
  actions <- c("Bowing", "Handshaking", "Running", "Standing", "Walking", "Clapping")
  rows <- rows[rows$subject == "sub01" & rows$type == "Normal" & rows$action %in% actions, ]
  stopifnot(nrow(rows) == 59130)
  list(X = to_range(as.matrix(rows[paste0("ch", 1:8)])), labels = rows$action, k = 6, components = 10)
}

read_sloan <- function() {
  rows <- read.csv(data_file("Skyserver_SQL2_27_2018_6_51_39_PM.csv.gz"))
  variables <- setdiff(names(rows), c("class", "rerun"))
  stopifnot(dim(rows[variables]) == c(10000, 16))
  list(X = to_range(as.matrix(rows[variables])), labels = rows$class, k = 3, components = 6)
}

# USPS is brought to three dimensions by t-SNE first, as in the paper: that is not private either, for every coordinate
# depends on all rows, and no bound on that is known.
read_usps <- function() {
  rows <- as.matrix(read.table(data_file("zip.train.gz")))
  low <- Rtsne::Rtsne(rows[, -1], dims = 3, num_threads = 1)$Y
  list(X = to_range(low), labels = rows[, 1], k = 10, components = 13)
}

readers <- list(Pulsar = read_pulsar, MAGIC = read_magic, Shuttle = read_shuttle, EMG = read_emg, Sloan = read_sloan)
if (requireNamespace("Rtsne", quietly = TRUE)) readers$USPS <- read_usps else message("without Rtsne there is no USPS")

unit_box <- function(dimension) domain_box(rep(-1, dimension), rep(1, dimension))

# Rows of a mixture of Gaussians in the box, with wide and narrow directions.
simulate_mixture <- function(n, dimension, clusters) {
  means <- matrix(runif(clusters * dimension, -0.7, 0.7), clusters)
  covariances <- lapply(seq_len(clusters), function(k) {
    Q <- qr.Q(qr(matrix(rnorm(dimension^2), dimension)))
    Q %*% (10^runif(dimension, -3.5, -2) * t(Q))
  })
  model <- as_mixture(list(weights = runif(clusters, 0.5, 1.5), means = means, covariances = covariances))
  drawn <- simulate(model, n)
  list(X = pmin(pmax(drawn, -1), 1), labels = attr(drawn, "component"), model = model)
}

# Clusters that are not normal, of very different sizes. Each column of a cluster is normal, log-normal, bent over the
# first column, or Student's t with 3 degrees of freedom; then turned and stretched.
odd_clusters <- function(n, dimension, clusters) {
  weights <- runif(clusters, 0.05, 1)
  label <- sample(clusters, n, TRUE, weights)
  X <- matrix(0, n, dimension)
  for (k in seq_len(clusters)) {
    Z <- matrix(rnorm(sum(label == k) * dimension), ncol = dimension)
    for (j in seq_len(dimension)) {
      kind <- runif(1)
      Z[, j] <- if (kind < 0.35) (exp(0.8 * Z[, j]) - 1.4) / 1.2
      else if (kind < 0.6 && j > 1) 0.7 * Z[, j] + 0.6 * (Z[, 1]^2 - 1)
      else if (kind < 0.75) Z[, j] * sqrt(3 / rgamma(nrow(Z), 3)) else Z[, j]
    }
    turned <- qr.Q(qr(matrix(rnorm(dimension^2), dimension))) %*% diag(10^runif(dimension, -0.7, 0), dimension)
    X[label == k, ] <- Z %*% t(turned) + rep(rnorm(dimension) * runif(1, 0.5, 1.6), each = nrow(Z))
  }
  list(X = to_range(X), labels = label, k = clusters)
}

log_density <- function(model, X, floor = -50) mean(pmax(predict(model, X, "logdensity"), floor))

rand_index <- function(a, b) mclust::adjustedRandIndex(a, b)

# The cluster of each component.
cut_into <- function(merging, k) unname(stats::cutree(merging, k))

# The adjusted Rand index of the best merging into k clusters that the labels of the rows could find, of `K` components:
# among all into two, else by merging that pair first which leaves the best.
best_merging <- function(component, labels, K, k = 2) {
  counts <- unclass(table(factor(component, seq_len(K)), labels))
  if (k == 2 && K <= 12) {
    splits <- lapply(seq_len(2^(K - 1) - 1), function(s) bitwAnd(bitwShiftR(s, seq_len(K) - 1), 1))
    return(max(vapply(splits, function(into) table_index(rowsum(counts, into)), 0)))
  }
  while (nrow(counts) > k) {
    pairs <- utils::combn(nrow(counts), 2)
    merged <- lapply(seq_len(ncol(pairs)), function(i) {
      rbind(counts[-pairs[, i], , drop = FALSE], colSums(counts[pairs[, i], , drop = FALSE]))
    })
    counts <- merged[[which.max(vapply(merged, table_index, 0))]]
  }
  table_index(counts)
}

# The adjusted Rand index of a table of counts (Hubert and Arabie 1985).
table_index <- function(counts) {
  pairs <- function(x) sum(x * (x - 1) / 2)
  rows <- pairs(rowSums(counts))
  columns <- pairs(colSums(counts))
  chance <- rows * columns / pairs(sum(counts))
  if ((rows + columns) / 2 == chance) 0 else (pairs(counts) - chance) / ((rows + columns) / 2 - chance)
}

# Of a matrix with one row for each method and one column for each run.
rand_summary <- function(ari) {
  quantiles <- apply(ari, 1, quantile, c(0.25, 0.5, 0.75), names = FALSE)
  data.frame(quarter = round(quantiles[1, ], 4), median = round(quantiles[2, ], 4),
             three_quarters = round(quantiles[3, ], 4))
}
