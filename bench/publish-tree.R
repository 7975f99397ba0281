#!/usr/bin/env Rscript
# Whole tables by graphical models: rows drawn along a junction tree against the joint table in R and against gRain,
# where that is installed, after all are seen to agree; and how far tables published by MST and AIM are from the true
# ones. (The implementation of their authors is in Python and is not run.) With a folder in which there are adult.data
# and adult.test of the UCI repository (or both with .gz), the table is Adult without rows that have a "?"; else one
# that is simulated. Run from the top of the checkout:
#   Rscript bench/publish-tree.R [FOLDER [RUNS]]

library(dptda)
options(dptda.threads = 1)
folder <- commandArgs(TRUE)[1]
runs <- as.integer(c(commandArgs(TRUE), NA, NA)[2])
if (is.na(runs)) runs <- 10

source("bench/common.R")
source("bench/publish-common.R")
median_of <- function(times, f) stats::median(vapply(seq_len(times), function(i) seconds(f()), 0))

# ---- tables -----------------------------------------------------------------------------

# `other`: of a code of its own for what is in no level, or in the first.
levels_of <- function(x, other) {
  levels <- sort(unique(x))
  schema_categorical(levels, other = if (other) "other" else as.character(levels[1]))
}

set.seed(1)
nine <- c("workclass", "education", "marital", "occupation", "relationship", "race", "sex", "country", "salary")
if (is.na(folder)) {
  table <- chained_table(45222)
  nine <- names(table)[1:9]
  more <- lapply(table[10:14], levels_of, FALSE)
  say("a simulated table (no folder was given), %d rows", nrow(table))
} else {
  table <- read_adult(folder)
  more <- list(age = schema_numeric(17, 90, 16), weight = schema_numeric(0, 1.5e6, 16),
               hours = schema_numeric(0, 100, 10),
               gain = schema_numeric(0, 1e5, breaks = c(1, 2000, 5000, 10000, 20000)),
               loss = schema_numeric(0, 5000, breaks = c(1, 1000, 2000)))
  say("Adult, %d rows", nrow(table))
}
schemas <- lapply(list(nine = list(FALSE, NULL), "nine, each with a code for what is in no level" = list(TRUE, NULL),
                       fourteen = list(FALSE, more)), function(kind) {
  do.call(table_schema, c(lapply(table[nine], levels_of, kind[[1]]), kind[[2]]))
})

# ---- rows of a tree -------------------------------------------------------------------------

# Six columns with four pairs in the model and no rare code.
small <- c(a = 4L, b = 6L, c = 5L, d = 3L, e = 8L, f = 6L)
follow <- function(x, size) ifelse(stats::runif(length(x)) < 0.5, 1 + x %% size, sample.int(size, length(x), TRUE))
columns <- Reduce(follow, small[-1], sample.int(small[1], 2e4, TRUE), accumulate = TRUE)
few <- structure(as.data.frame(columns), names = names(small))
few_schema <- do.call(table_schema, lapply(small, function(size) schema_categorical(seq_len(size), other = "1")))
fit <- private_synthesis(few, few_schema, rho = 100, method = "aim", rng = "R")
model <- fit$model
stopifnot(identical(model$classes, model$sizes))
joint_table <- function() {
  joint <- array(0, small)
  for (i in seq_along(model$scopes)) {
    scope <- model$scopes[[i]]
    joint <- sweep(joint, scope, array(model$potential[[i]], small[scope]), "+")
  }
  joint <- exp(joint - max(joint))
  joint / sum(joint)
}
drawn <- 1e5
by_joint <- function() arrayInd(sample.int(prod(small), drawn, TRUE, joint_table()), small)
pairs <- utils::combn(6, 2, simplify = FALSE)
joint <- joint_table()
# of codes from 1: the largest total variation of a pair of columns from the joint table
farthest_pair <- function(codes) {
  max(vapply(pairs, function(pair) {
    found <- tabulate(codes[[pair[1]]] + small[pair[1]] * (codes[[pair[2]]] - 1), prod(small[pair]))
    sum(abs(found / length(codes[[1]]) - as.vector(apply(joint, pair, sum)))) / 2
  }, 0))
}
as_codes <- function(rows) lapply(rows[names(small)], as.integer)
stopifnot(farthest_pair(as_codes(simulate(fit, drawn))) < 0.02, farthest_pair(as.data.frame(by_joint())) < 0.02)
own <- median_of(5, function() simulate(fit, drawn))
slow <- median_of(5, by_joint)
say("10^5 rows of six columns (17,280 cells): %.1f ms, the joint table in R %.1f ms, ratio %.1f", 1000 * own,
    1000 * slow, slow / own)
if (requireNamespace("gRain", quietly = TRUE) && requireNamespace("gRbase", quietly = TRUE)) {
  potentials <- lapply(seq_along(model$scopes), function(i) {
    scope <- model$scopes[[i]]
    gRbase::tabNew(names(small)[scope], levels = lapply(small[scope], seq_len), values = exp(model$potential[[i]]))
  })
  peer <- gRain::propagate(gRain::grain(gRain::compileCPT(potentials, forceCheck = FALSE)))
  ask <- function() simulate(peer, drawn)
  stopifnot(farthest_pair(as_codes(ask())) < 0.02)
  once <- median_of(5, ask)
  say("  gRain: %.1f ms, ratio %.0f", 1000 * once, once / own)
} else {
  say("  gRain: not installed")
}

# ---- how far published tables are -----------------------------------------------------------

publish <- function(method, schema, epsilon) {
  found <- vapply(seq_len(runs), function(seed) {
    set.seed(seed)
    time <- seconds(fit <- private_synthesis(table, schema, epsilon, delta = 1e-6, method = method, rng = "R"))
    c(margins_apart(simulate(fit, nrow(table)), table, schema), time)
  }, double(3))
  apply(found, 1, stats::median)
}

say("mean total variation of margins of two and three columns, delta 1e-6, medians of %d seeds; processor seconds:",
    runs)
for (name in names(schemas)) {
  again <- margins_apart(table[sample.int(nrow(table), nrow(table), TRUE), ], table, schemas[[name]])
  say("%s columns: the rows drawn again %.3f / %.3f", name, again[1], again[2])
  for (method in c("mst", "aim")) for (epsilon in if (name == "nine") c(0.5, 1, 2) else 1) {
    found <- publish(method, schemas[[name]], epsilon)
    say("  %s, epsilon %g: %.4f / %.4f, %.2f s", method, epsilon, found[1], found[2], found[3])
  }
}

# ---- rows -------------------------------------------------------------------------------------

set.seed(1)
made <- private_synthesis(table, schemas$nine, epsilon = 1, delta = 1e-6, method = "aim", rng = "R")
say("10^6 rows of nine columns from AIM: %.2f s", median_of(5, function() simulate(made, 1e6)))

save_said("publish-tree")
