#!/usr/bin/env Rscript
# How the time of whole tables grows with rows and columns: processor seconds of private_synthesis() for each method and
# of simulate(), on tables that are simulated. The peer `synthpop` (no privacy, time only) runs where it is installed. A
# method that took more than a minute is not run with more rows. Run from the top of the checkout:
#   Rscript bench/publish-growth.R [MOST [COLUMNS ...]]
# MOST: tables of more values than that are left out (10^7 by default; 5e7 has 10^7 rows of five columns).
# COLUMNS: how many columns (5, 10, 20, 50 and 100 by default).

library(dptda)
arguments <- as.numeric(commandArgs(TRUE))
most <- c(arguments, 1e7)[1]
columns <- if (length(arguments) > 1) arguments[-1] else c(5, 10, 20, 50, 100)

source("bench/common.R")
source("bench/publish-common.R")

# Columns of two to five codes, each of which follows the one before; factors, so that the time is not that of reading
# values.
growing_table <- function(n, d) {
  sizes <- rep(c(2, 3, 5), length.out = d)
  codes <- matrix(1L, n, d)
  codes[, 1] <- sample.int(sizes[1], n, TRUE)
  for (j in seq_len(d)[-1]) {
    own <- sample.int(sizes[j], n, TRUE)
    codes[, j] <- ifelse(stats::runif(n) < .7, 1L + codes[, j - 1] %% as.integer(sizes[j]), own)
  }
  columns <- lapply(seq_len(d), function(j) structure(codes[, j], levels = as.character(seq_len(sizes[j])),
                                                      class = "factor"))
  structure(columns, names = paste0("c", seq_len(d)), row.names = .set_row_names(n), class = "data.frame")
}
growing_schema <- function(table) do.call(table_schema,
                                          lapply(table, function(x) schema_categorical(levels(x), other = "1")))

# ---- equality ---------------------------------------------------------------------------

set.seed(1)
table <- growing_table(1e4, 8)
schema <- growing_schema(table)
other <- growing_table(1e4, 8)
stopifnot(all.equal(margins_apart(other, table, schema, 3), margins_by_table(other, table, 3)))
say("distance of all joint counts of three of eight columns, 10^4 rows: that by table()")

# with a budget that hides nothing, the margins of drawn rows are those of the rows
shares <- function(rows, scope) as.vector(do.call(base::table, unname(rows[scope]))) / nrow(rows)
for (method in c("margins", "mst", "aim", "privbayes")) {
  quick <- switch(method, aim = synthesis_aim(max_model_size = 0.1), privbayes = synthesis_privbayes(degree = 1),
                  method)
  fit <- private_synthesis(table, schema, rho = 1e6, method = quick, rng = "R")
  drawn <- simulate(fit, 1e6, seed = 1)
  scopes <- if (method == "margins") as.list(1:8) else lapply(1:7, function(j) c(j, j + 1L))
  worst <- max(vapply(scopes, function(scope) sum(abs(shares(drawn, scope) - shares(table, scope))) / 2, 0))
  say("rho 10^6, \"%s\": largest total variation of margins of %s, 10^6 rows drawn, %.1e", method,
      if (method == "margins") "columns" else "neighbors", worst)
  stopifnot(worst < 0.02)
}

# ---- growth -----------------------------------------------------------------------------

peer <- requireNamespace("synthpop", quietly = TRUE)
if (!peer) say("synthpop: absent")
racers <- list()
for (method in c("margins", "privbayes", "mst", "dp2pub", "topology", "aim")) local({
  one <- method
  racers[[one]] <<- function(table, schema) {
    if (one == "dp2pub") return(private_synthesis(table, schema, epsilon = 1, method = one))
    private_synthesis(table, schema, epsilon = 1, delta = 1e-6,
                      method = if (one == "aim") synthesis_aim(max_model_size = 1) else one)
  }
})
if (peer) racers$synthpop <- function(table, schema) synthpop::syn(table, method = "cart", print.flag = FALSE)

say(paste("processor seconds of private_synthesis() and of simulate() of as many rows; epsilon 1, delta 10^-6,",
          "\"aim\" with max_model_size = 1"))
for (d in columns) {
  slow <- character()
  for (n in 10^(4:7)) {
    if (n * d > most) next
    set.seed(d)
    table <- growing_table(n, d)
    schema <- growing_schema(table)
    for (name in names(racers)) {
      if (name %in% slow) next
      gc(FALSE)
      fitted <- seconds(fit <- racers[[name]](table, schema))
      drawn <- if (name == "synthpop") NA else seconds(simulate(fit, n))
      say("%3d columns, 10^%d rows, %-10s %8.2f %8.2f", d, log10(n), name, fitted, drawn)
      if (fitted > 60) slow <- c(slow, name)
    }
    save_said("publish-growth", "Loaded: two processors, of which other work had its part.")
  }
}
say("largest memory of the process: %.0f MB", most_memory())
save_said("publish-growth", "Loaded: two processors, of which other work had its part.")
