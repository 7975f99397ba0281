#!/usr/bin/env Rscript
# Rows drawn from a table published by its shape: 10^6 of them, by either decoder, against the same in R (all
# probabilities of a part of the rows at once, column by column), after both are seen to draw the same margins. With a
# folder in which there are adult.data and adult.test of the UCI repository (or both with .gz), the table is Adult
# without rows that have a "?"; else one that is simulated. Run from the top of the checkout:
#   Rscript bench/publish-topology.R [FOLDER [ROWS]]

library(dptda)
options(dptda.threads = 1)
folder <- commandArgs(TRUE)[1]

source("bench/common.R")
source("bench/publish-common.R")

set.seed(1)
if (is.na(folder)) {
  table <- chained_table(45222)
  schemas <- list(nine = lapply(table[1:9], function(x) schema_categorical(sort(unique(x)), other = "1")))
  say("a simulated table (no folder was given), %d rows", nrow(table))
} else {
  table <- read_adult(folder)
  levels <- lapply(table[vapply(table, is.character, NA)], function(x)
                   schema_categorical(sort(unique(x)), other = sort(unique(x))[1]))
  numbers <- list(age = schema_numeric(0, 100, 20), weight = schema_numeric(0, 1.5e6, 15),
                  years = schema_numeric(0.5, 16.5, 16),
                  gain = schema_numeric(0, 1e5, 9), loss = schema_numeric(0, 5000, 8),
                  hours = schema_numeric(0, 100, 20))
  schemas <- list(nine = levels, fifteen = c(levels, numbers))
  say("Adult, %d rows", nrow(table))
}

# Probabilities of the codes of each column at places in the plane, by the decoder of the model.
softmax <- function(score) {
  weight <- exp(score - do.call(pmax, as.data.frame(score)))
  weight / rowSums(weight)
}
probabilities <- function(model, U) {
  decoder <- model$decoder
  if (decoder$kind == "linear") {
    return(lapply(decoder$columns, function(column) softmax(cbind(1, U) %*% t(column$theta) %*% t(column$features))))
  }
  hidden <- tanh((U / decoder$side) %*% decoder$back + rep(decoder$back_shift, each = nrow(U)))
  score <- hidden %*% decoder$last + rep(decoder$last_shift, each = nrow(U))
  last <- cumsum(model$sizes)
  Map(function(from, to) softmax(score[, from:to, drop = FALSE]), last - model$sizes + 1, last)
}

# A row is at a point of the cloud, blurred by half a step of the grid.
slow_rows <- function(model, rows) {
  blur <- vapply(model$grid$axes, function(axis) (axis[2] - axis[1]) / 2, 0)
  codes <- matrix(0L, rows, length(model$sizes))
  part <- 2^14
  for (from in seq_len(ceiling(rows / part)) * part - part) {
    own <- seq.int(from + 1, min(from + part, rows))
    U <- model$cloud[sample.int(nrow(model$cloud), length(own), TRUE), ]
    U <- U + rep(blur, each = length(own)) * stats::rnorm(2 * length(own))
    at <- probabilities(model, U)
    for (j in seq_along(at)) {
      left <- stats::runif(length(own))
      code <- integer(length(own))
      for (k in seq_len(ncol(at[[j]]) - 1)) {
        left <- left - at[[j]][, k]
        code <- code + (left >= 0)
      }
      codes[own, j] <- code
    }
  }
  codes
}

# The largest total variation of the margins of neighboring columns, of codes and of rows by the cell or level of each
# value.
farthest_margin <- function(codes, drawn, schema) {
  others <- Map(function(x, column) {
    if (is.null(column$breaks)) return(as.integer(x))
    findInterval(x, column$breaks, rightmost.closed = TRUE, all.inside = TRUE)
  }, drawn, schema$columns)
  sizes <- vapply(schema$columns, `[[`, 0, "size")
  share <- function(x, y, j) tabulate(x + sizes[j] * (y - 1), sizes[j] * sizes[j + 1]) / length(x)
  max(vapply(seq_len(ncol(codes) - 1), function(j) {
    sum(abs(share(codes[, j] + 1, codes[, j + 1] + 1, j) - share(others[[j]], others[[j + 1]], j))) / 2
  }, 0))
}

rows <- as.numeric(commandArgs(TRUE)[2])
if (is.na(rows)) rows <- 1e6
say("%s rows, processor seconds, median of five runs that take turns:",
    format(rows, big.mark = ",", scientific = FALSE))
for (name in names(schemas)) for (decoder in c("linear", "autoencoder")) {
  schema <- do.call(table_schema, schemas[[name]])
  fit <- private_synthesis(table, schema, epsilon = 1, delta = 1e-6, method = synthesis_topology(decoder = decoder),
                           rng = "R")
  model <- fit$model
  far <- farthest_margin(slow_rows(model, rows), simulate(fit, rows), schema)
  stopifnot(far < 0.5 * sqrt(max(model$sizes)^2 / rows) + 0.002) # two tables of as many draws
  times <- race(5, function() simulate(fit, rows), function() slow_rows(model, rows))
  say("  %s columns, %d cells, decoder %s: simulate() %.2f, codes alone in R %.2f, ratio %.0f", name, sum(model$sizes),
      decoder, times[1], times[2], times[2] / times[1])
}

save_said("publish-topology")
