# The tables of the benchmarks of whole tables; they source it after bench/common.R.

# Adult (Becker and Kohavi 1996): its 45,222 complete rows.
read_adult <- function(folder) {
  names <- c("age", "workclass", "weight", "education", "years", "marital", "occupation", "relationship", "race", "sex", "gain", "loss",
             "hours", "country", "salary")
  parts <- lapply(c("adult.data", "adult.test"), function(name) {
    path <- file.path(folder, name)
    if (!file.exists(path)) path <- paste0(path, ".gz")
    utils::read.csv(path, header = FALSE, strip.white = TRUE, col.names = names, comment.char = "|")
  })
  adult <- do.call(rbind, parts)
  adult$salary <- sub("\\.$", "", adult$salary)
  adult[rowSums(adult == "?") == 0, ]
}

# Fourteen columns, each of which follows the one before.
chained_table <- function(n) {
  sizes <- c(7, 16, 7, 14, 6, 5, 2, 41, 2, 16, 10, 6, 4, 16)
  codes <- matrix(1L, n, length(sizes))
  codes[, 1] <- sample.int(sizes[1], n, TRUE)
  for (j in seq_along(sizes)[-1]) {
    own <- sample.int(sizes[j], n, TRUE, prob = 1 / seq_len(sizes[j]))
    codes[, j] <- ifelse(stats::runif(n) < .6, 1 + (codes[, j - 1] * 3) %% sizes[j], own)
  }
  structure(as.data.frame(codes), names = paste0("c", seq_along(sizes)))
}
