# The tables of the benchmarks of whole tables; they source it after bench/common.R.

# Adult (Becker and Kohavi 1996): its 45,222 complete rows.
read_adult <- function(folder) {
  names <- c("age", "workclass", "weight", "education", "years", "marital", "occupation", "relationship", "race", "sex",
             "gain", "loss",
             "hours", "country", "salary")
  parts <- lapply(c("adult.data", "adult.test"), function(name) {
    path <- list.files(folder, paste0("^", name, "([.]gz)?$"), recursive = TRUE, full.names = TRUE)
    stopifnot(length(path) == 1)
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

# Mean total variation of the margins of `k` columns, from those of the rows.
margins_apart <- function(drawn, rows, schema, k = 2:3) {
  evaluated <- evaluate_synthesis(drawn, rows, schema = schema, margins = k, most_margins = 1000, points = 0)
  as.data.frame(evaluated)$model
}

# The same by table() of R, for columns that are factors.
margins_by_table <- function(drawn, rows, k) {
  shares <- function(frame, columns) as.vector(do.call(base::table, unname(frame[columns]))) / nrow(frame)
  apart <- utils::combn(length(rows), k, function(columns) sum(abs(shares(drawn, columns) - shares(rows, columns))) / 2)
  mean(apart)
}

# of a processor: two threads have twice as many
seconds <- function(code) sum(system.time(code)[1:2])
