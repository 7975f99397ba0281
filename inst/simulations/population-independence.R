# Level and power at 5% of independence_test(), beside chisq.test() of the noisy counts (`naive`) and of the true counts
# (`true`). `effect`: what the first two diagonal cells have in excess, in probability; 0 for the level.
source("inst/simulations/common.R")
set.seed(63)
tables <- sized(300, 30)
margins <- list(`2 x 2, even` = list(c(0.5, 0.5), c(0.5, 0.5), 0.03),
                `2 x 2, uneven` = list(c(0.1, 0.9), c(0.2, 0.8), 0.015),
                `3 x 4` = list(c(0.5, 0.3, 0.2), c(0.4, 0.3, 0.2, 0.1), 0.03))
settings <- expand.grid(table = names(margins), n = c(200, 1000, 5000), epsilon = c(0.25, 1), other = c(FALSE, TRUE),
                        alternative = c(FALSE, TRUE), stringsAsFactors = FALSE)
settings <- settings[!(settings$alternative & settings$n != 1000), ]

probabilities <- function(s) {
  margin <- margins[[s$table]]
  shares <- outer(margin[[1]], margin[[2]])
  if (s$alternative) shares[1:2, 1:2] <- shares[1:2, 1:2] + margin[[3]] * c(1, -1, -1, 1)
  shares
}

one_table <- function(s, shares) {
  true <- matrix(rmultinom(1, s$n, shares), nrow(shares))
  cell <- rep(seq_along(true), true)
  x <- data.frame(a = row(true)[cell], b = col(true)[cell])
  release <- suppressWarnings(private_table(x, list(a = seq_len(nrow(true)), b = seq_len(ncol(true))),
                                            epsilon = s$epsilon, rng = "R"))
  chi <- function(counts) {
    counts <- pmax(counts, 0)
    counts <- counts[rowSums(counts) > 0, colSums(counts) > 0, drop = FALSE]
    if (any(dim(counts) < 2)) return(1)
    suppressWarnings(chisq.test(counts, correct = FALSE)$p.value)
  }
  c(test = independence_test(release, other = s$other, runs = 99)$p.value,
    naive = chi(as.table(release, other = s$other)), true = chi(true)) <= 0.05
}

one_setting <- function(i) {
  s <- settings[i, ]
  data.frame(s[c("table", "n", "epsilon", "other")], effect = if (s$alternative) margins[[s$table]][[3]] else 0,
             t(round(rowMeans(replicate(tables, one_table(s, probabilities(s)))), 3)))
}

write_table(do.call(rbind, repetitions(nrow(settings), one_setting)), "population-independence")
record_time("population-independence.R")
