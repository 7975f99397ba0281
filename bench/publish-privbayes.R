#!/usr/bin/env Rscript
# Whole tables by networks: distances of joint counts against table() of R, rows drawn against sample() of R, and how
# far published tables are from the true ones. With a folder in which there are adult.data and adult.test of the UCI
# repository (or both with .gz), the table is Adult without rows that have a "?"; else one that is simulated from a
# network. A peer for networks under differential privacy there is none in R. Run from the top of the checkout:
#   Rscript bench/publish-privbayes.R [FOLDER]

library(dptda)
folder <- commandArgs(TRUE)[1]

source("bench/common.R")
source("bench/publish-common.R")

# ---- tables -----------------------------------------------------------------------------

levels_of <- function(x) {
  levels <- sort(unique(x))
  schema_categorical(levels, other = as.character(levels[1]))
}

set.seed(1)
if (is.na(folder)) {
  table <- chained_table(45222)
  schemas <- list(nine = do.call(table_schema, lapply(table[1:9], levels_of)),
                  fourteen = do.call(table_schema, lapply(table, levels_of)))
  say("a simulated table (no folder was given), %d rows", nrow(table))
} else {
  table <- read_adult(folder)
  nine <- c("workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country", "salary")
  binned <- list(age = schema_numeric(17, 90, 16), weight = schema_numeric(0, 1.5e6, 16),
                 hours = schema_numeric(0, 100, 10),
                 gain = schema_numeric(0, 1e5, breaks = c(1, 2000, 5000, 10000, 20000)),
                 loss = schema_numeric(0, 5000, breaks = c(1, 1000, 2000)))
  schemas <- list(nine = do.call(table_schema, lapply(table[nine], levels_of)),
                  fourteen = do.call(table_schema, c(lapply(table[nine], levels_of), binned)))
  say("Adult, %d rows", nrow(table))
}

# ---- times ------------------------------------------------------------------------------

say("processor seconds:")
fit <- private_synthesis(table, schemas$nine, 1, method = "privbayes")
drawn <- simulate(fit, nrow(table), seed = 1)
columns <- names(schemas$nine$columns)
as_factors <- function(rows) {
  as.data.frame(Map(function(x, column) factor(x, column$axis$levels), rows[columns], schemas$nine$columns))
}
slow <- seconds(expected <- margins_by_table(as_factors(drawn), as_factors(table), 3))
repeats <- 5
fast <- seconds(for (i in seq_len(repeats)) found <- margins_apart(drawn, table, schemas$nine, 3)) / repeats
stopifnot(all.equal(found, expected))
say(paste("distances of all %.0f joint counts of three of nine columns, of two tables, by",
          "evaluate_synthesis(): %.4f s, table() of R %.2f s, ratio %.0f"), choose(9, 3), fast, slow, slow / fast)

for (name in names(schemas)) {
  spent <- seconds(fit <- private_synthesis(table, schemas[[name]], 1, method = "privbayes"))
  say("private_synthesis(\"privbayes\"), %d columns: %.2f s", length(schemas[[name]]$columns), spent)
}
ours <- seconds(fast_rows <- simulate(fit, 1e6, seed = 1))
say("10^6 rows of nine columns: %.2f s", ours)

# The same network in plain R: for each combination of the parents, sample() of as many as have it.
plain_rows <- function(model, rows) {
  codes <- matrix(0L, rows, length(model$sizes))
  for (node in model$network) {
    stride <- cumprod(c(1, model$sizes[node$parents]))[seq_along(node$parents)]
    cell <- 1 + as.vector(codes[, node$parents, drop = FALSE] %*% stride)
    for (some in split(seq_len(rows), cell)) {
      codes[some, node$column] <- sample.int(nrow(node$probability), length(some), TRUE,
                                             node$probability[, cell[some[1]]]) - 1L
    }
  }
  codes
}
pair <- function(x, y) as.vector(table(x, y)) / length(x)
plain <- seconds(slow_codes <- plain_rows(fit$model, 1e6))
fast_codes <- lapply(fast_rows[1:2], function(x) factor(as.integer(x) - 1))
stopifnot(max(abs(pair(slow_codes[, 1], slow_codes[, 2]) - pair(fast_codes[[1]], fast_codes[[2]]))) < 0.005)
say("10^6 rows in plain R, codes alone: %.2f s, ratio %.1f", plain, plain / ours)

# ---- how near ---------------------------------------------------------------------------

# Of as many drawn rows as there are.
report <- function(name, ..., method = "privbayes") {
  both <- vapply(1:10, function(seed) {
    set.seed(seed)
    fit <- private_synthesis(table, schemas[[name]], ..., method = method, rng = "R")
    margins_apart(simulate(fit, nrow(table)), table, schemas[[name]])
  }, double(2))
  apply(both, 1, stats::median)
}
say("mean total variation of margins of two and of three columns, nine columns, medians of ten seeds")
for (epsilon in c(.5, 1, 2)) {
  for (method in c("margins", "privbayes")) {
    found <- report("nine", epsilon = epsilon, method = method)
    say("epsilon %-4g %-26s %.3f / %.3f", epsilon, method, found[1], found[2])
  }
  found <- report("nine", epsilon = epsilon, delta = 1e-6, method = "privbayes")
  say("epsilon %-4g %-26s %.3f / %.3f", epsilon, "privbayes, delta 1e-6", found[1], found[2])
  found <- report("nine", epsilon = epsilon, method = synthesis_privbayes(score = "information"))
  say("epsilon %-4g %-26s %.3f / %.3f", epsilon, "privbayes, information", found[1], found[2])
}
for (epsilon in c(1, 10)) {
  found <- report("nine", epsilon = epsilon, method = "dp2pub")
  say("epsilon %-4g %-26s %.3f / %.3f", epsilon, "dp2pub", found[1], found[2])
}
found <- report("fourteen", epsilon = 1, method = "privbayes")
say("epsilon %-4g %-26s %.3f / %.3f", 1, "privbayes, 14 columns", found[1], found[2])

save_said("publish-privbayes")
