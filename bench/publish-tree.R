#!/usr/bin/env Rscript
# Whole tables by graphical models: margins along a junction tree against the joint table in R and against gRain, where that is
# installed, after both are seen to agree; and how far tables published by MST and AIM are from the true ones. (The implementation of
# their authors is in Python and is not run.) With a folder in which there are adult.data and adult.test of the UCI
# repository (or both with .gz), the table is Adult without rows that have a "?"; else one that is simulated. Run from the
# top of the checkout:
#   Rscript bench/publish-tree.R [FOLDER [RUNS]]

library(dptda)
options(dptda.threads = 1)
inside <- asNamespace("dptda")
folder <- commandArgs(TRUE)[1]
runs <- as.integer(c(commandArgs(TRUE), NA, NA)[2])
if (is.na(runs)) runs <- 10

source("bench/common.R")
source("bench/publish-common.R")
# of a processor
seconds <- function(code) sum(system.time(code)[1:2])
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
  more <- list(age = schema_numeric(17, 90, 16), weight = schema_numeric(0, 1.5e6, 16), hours = schema_numeric(0, 100, 10),
               gain = schema_numeric(0, 1e5, breaks = c(1, 2000, 5000, 10000, 20000)),
               loss = schema_numeric(0, 5000, breaks = c(1, 1000, 2000)))
  say("Adult, %d rows", nrow(table))
}
sources <- lapply(list(nine = list(FALSE, NULL), "nine, each with a code for what is in no level" = list(TRUE, NULL),
                       fourteen = list(FALSE, more)), function(kind) {
  schema <- do.call(table_schema, c(lapply(table[nine], levels_of, kind[[1]]), kind[[2]]))
  inside$encode_table(table, schema, "table")
})

# ---- margins ------------------------------------------------------------------------------

small <- c(a = 4L, b = 6L, c = 5L, d = 3L, e = 8L, f = 6L)
scopes <- list(c(1L, 2L), c(2L, 3L), c(3L, 4L, 5L), c(5L, 6L), c(1L, 6L))
model <- inside$new_tree_model(small, 1)
for (scope in scopes) model <- inside$add_measurement(model, scope, double(prod(small[scope])), 1)
model$potential <- lapply(scopes, function(scope) stats::rnorm(prod(small[scope])))
pairs <- utils::combn(6, 2, simplify = FALSE)
joint_margins <- function() {
  joint <- array(0, small)
  for (i in seq_along(scopes)) joint <- sweep(joint, scopes[[i]], array(model$potential[[i]], small[scopes[[i]]]), "+")
  joint <- exp(joint)
  lapply(pairs, function(pair) as.vector(apply(joint, pair, sum)) / sum(joint))
}
ours <- inside$tree_margins(model, pairs)
stopifnot(isTRUE(all.equal(ours, joint_margins(), tolerance = 1e-10)))
repeats <- 200
own <- median_of(5, function() for (i in seq_len(repeats)) inside$tree_margins(model, pairs)) / repeats
slow <- median_of(5, joint_margins)
say("all 15 margins of two of six columns (17,280 cells): %.2f ms, the joint table in R %.1f ms, ratio %.0f", 1000 * own, 1000 * slow, slow / own)
if (requireNamespace("gRain", quietly = TRUE) && requireNamespace("gRbase", quietly = TRUE)) {
  potentials <- lapply(seq_along(scopes), function(i) {
    levels <- lapply(small[scopes[[i]]], seq_len)
    gRbase::tabNew(names(small)[scopes[[i]]], levels = levels, values = exp(model$potential[[i]]))
  })
  peer <- gRain::grain(gRain::compileCPT(potentials, forceCheck = FALSE))
  ask <- function() lapply(pairs, function(pair) gRain::querygrain(gRain::propagate(peer), names(small)[pair], type = "joint"))
  theirs <- lapply(seq_along(pairs), function(i) as.vector(aperm(ask()[[i]], names(small)[pairs[[i]]])))
  stopifnot(isTRUE(all.equal(ours, theirs, tolerance = 1e-8)))
  once <- median_of(5, ask)
  say("  gRain: %.1f ms, ratio %.0f", 1000 * once, once / own)
} else {
  say("  gRain: not installed")
}

# ---- how far published tables are -----------------------------------------------------------

variation <- function(source, codes, k) {
  drawn <- list(sizes = source$sizes, n = nrow(codes), codes = codes)
  scopes <- utils::combn(length(source$sizes), k, simplify = FALSE)
  far <- Map(function(p, q) sum(abs(p / source$n - q / drawn$n)) / 2, inside$joint_counts_all(source, scopes),
             inside$joint_counts_all(drawn, scopes))
  mean(unlist(far))
}

publish <- function(method, source, epsilon) {
  found <- vapply(seq_len(runs), function(seed) {
    set.seed(seed)
    mechanism <- inside$method_mechanism(inside$default_method("synthesis", method), inside$public_part(source),
                                         inside$check_cost(epsilon, NULL, 1e-6), "R")
    time <- seconds(made <- inside$draw_release(mechanism, source, NULL, "R"))
    codes <- inside$draw_codes(made$model, source$n, "R")
    c(variation(source, codes, 2), variation(source, codes, 3), time)
  }, double(3))
  apply(found, 1, stats::median)
}

say("mean total variation of margins of two and three columns, delta 1e-6, medians of %d seeds; processor seconds:", runs)
for (name in names(sources)) {
  source <- sources[[name]]
  again <- source$codes[sample.int(source$n, source$n, TRUE), ]
  say("%s columns: the rows drawn again %.3f / %.3f", name, variation(source, again, 2), variation(source, again, 3))
  for (method in c("mst", "aim")) for (epsilon in if (name == "nine") c(0.5, 1, 2) else 1) {
    found <- publish(method, source, epsilon)
    say("  %s, epsilon %g: %.4f / %.4f, %.2f s", method, epsilon, found[1], found[2], found[3])
  }
}

# ---- rows -------------------------------------------------------------------------------------

set.seed(1)
made <- private_synthesis(table, sources$nine$schema, epsilon = 1, delta = 1e-6, method = "aim", rng = "R")
say("10^6 rows of nine columns from AIM: %.2f s", median_of(5, function() inside$draw_codes(made$model, 1e6, "R")))

save_said("publish-tree")
