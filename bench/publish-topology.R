#!/usr/bin/env Rscript
# Rows drawn from a table published by its shape: 10^6 of them, by either decoder, against the same in R (all probabilities of a
# part of the rows at once, column by column), after both are seen to draw the same codes at the same places from the same coins.
# With a folder in which there are adult.data and adult.test of the UCI repository (or both with .gz), the table is Adult without
# rows that have a "?"; else one that is simulated. Run from the top of the checkout:
#   Rscript bench/publish-topology.R [FOLDER]

library(dptda)
options(dptda.threads = 1)
inside <- asNamespace("dptda")
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
  levels <- lapply(table[vapply(table, is.character, NA)], function(x) schema_categorical(sort(unique(x)), other = sort(unique(x))[1]))
  numbers <- list(age = schema_numeric(0, 100, 20), weight = schema_numeric(0, 1.5e6, 15), years = schema_numeric(0.5, 16.5, 16),
                  gain = schema_numeric(0, 1e5, 9), loss = schema_numeric(0, 5000, 8), hours = schema_numeric(0, 100, 20))
  schemas <- list(nine = levels, fifteen = c(levels, numbers))
  say("Adult, %d rows", nrow(table))
}

slow_codes <- function(model, U, coins) {
  codes <- matrix(0L, nrow(U), ncol(coins))
  part <- 2^14
  for (from in seq_len(ceiling(nrow(U) / part)) * part - part) {
    rows <- seq.int(from + 1, min(from + part, nrow(U)))
    probabilities <- inside$decoder_probabilities(model$decoder, seq_len(ncol(coins)), U[rows, , drop = FALSE])
    for (j in seq_along(probabilities)) {
      left <- coins[rows, j]
      code <- integer(length(rows))
      for (k in seq_len(ncol(probabilities[[j]]) - 1)) {
        left <- left - probabilities[[j]][, k]
        code <- code + (left >= 0)
      }
      codes[rows, j] <- code
    }
  }
  codes
}

slow_rows <- function(model, rows) {
  places <- model$cloud[1 + floor(nrow(model$cloud) * stats::runif(rows)), ]
  slow_codes(model, inside$blur_cloud(places, model$grid, "R"), matrix(stats::runif(rows * length(model$sizes)), rows))
}

rows <- 1e6
say("%s rows, processor seconds, median of five runs that take turns:", format(rows, big.mark = ",", scientific = FALSE))
for (name in names(schemas)) for (decoder in c("linear", "autoencoder")) {
  schema <- do.call(table_schema, schemas[[name]])
  fit <- private_synthesis(table, schema, epsilon = 1, delta = 1e-6, method = synthesis_topology(decoder = decoder),
                           rng = "R")
  model <- fit$model
  U <- inside$blur_cloud(model$cloud[rep(seq_len(nrow(model$cloud)), 25), ], model$grid, "R")
  coins <- matrix(stats::runif(nrow(U) * length(model$sizes)), nrow(U))
  layers <- inside$decoder_layers(model$decoder)
  ours <- .Call(inside$ffi_test_decode, U, coins, layers$back, layers$back_shift, layers$slope, layers$shift, unname(model$sizes),
                inside$kernel_options())
  stopifnot(mean(ours == slow_codes(model, U, coins)) > 1 - 1e-6) # a coin within rounding of an edge
  times <- race(5, function() inside$draw_codes(model, rows, "R"), function() slow_rows(model, rows), function() simulate(fit, rows))
  say("  %s columns, %d cells, decoder %s: codes %.2f, in R %.2f, ratio %.0f; with the values of the columns, simulate(), %.2f", name,
      sum(model$sizes), decoder, times[1], times[2], times[2] / times[1], times[3])
}

save_said("publish-topology")
