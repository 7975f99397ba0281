# What landmarks show of real tables: Pulsar (8 columns) and USPS digits (16 x 16 pixels, averaged row by row over
# blocks of 4 x 4 to 16 numbers in [-1, 1], which is public). Pulsar's columns are scaled by their own range, WHICH IS
# NOT PRIVATE: see clusters-common.R for this and for the folder that holds the data.
#
# Landmarks from a private mixture (epsilon = 1, delta = 1e-6, K0 = 12), a private diagram on them (epsilon = 1) in
# dimensions 0 and 1; for each of 10 mixtures 20 diagrams. `pieces` and `loops`: the mean number of points that are
# evidence; `tallest`: the persistence of the tallest point of the true diagram, not private, the mean over mixtures.
#
#   Rscript inst/simulations/high-dimension-tables.R FOLDER
source("inst/simulations/clusters-common.R")
source("inst/simulations/high-dimension-common.R")
set.seed(33)
mixtures <- sized(10)
releases <- 20

read_digits <- function(digits) {
  rows <- as.matrix(read.table(data_file("zip.train.gz")))
  rows <- rows[rows[, 1] %in% digits, -1]
  block <- outer((0:15) %/% 4, 4 * ((0:15) %/% 4), "+")
  X <- vapply(0:15, function(b) rowMeans(rows[, which(c(block) == b)]), double(nrow(rows)))
  list(X = unname(X))
}

tables <- list(Pulsar = read_pulsar(), `USPS, all digits` = read_digits(0:9), `USPS, digits 0 and 1` = read_digits(0:1))
settings <- expand.grid(m0 = c(0.01, 0.05), clip = c(0.4, 0.8))

results <- do.call(rbind, lapply(names(tables), function(name) {
  X <- tables[[name]]$X
  found <- repetitions(mixtures, function(i) {
    mixture <- private_mixture(X, unit_box(ncol(X)), 12, epsilon = 1, delta = 1e-6, rng = "R")
    landmarks <- landmarks_from(mixture, 300)
    lapply(seq_len(nrow(settings)), function(s) {
      m0 <- settings$m0[s]
      clip <- settings$clip[s]
      counts <- evident_counts(X, landmarks, 1, m0, clip, 0:1, releases)
      true <- dtm_persistence(X, landmarks, m0, clip = clip, essential = "drop")
      tallest <- vapply(0:1, function(q) max(0, (true$death - true$birth)[true$dimension == q]), 0)
      c(rowMeans(counts), tallest, landmarks$slack)
    })
  })
  do.call(rbind, lapply(seq_len(nrow(settings)), function(s) {
    means <- signif(rowMeans(vapply(found, `[[`, double(5), s)), 3)
    data.frame(table = name, n = nrow(X), D = ncol(X), settings[s, ], slack = means[5], pieces = means[1],
               loops = means[2],
               tallest_piece = means[3], tallest_loop = means[4], row.names = NULL)
  }))
}))
write_table(results, "high-dimension-tables")
record_time("high-dimension-tables.R")
