#!/usr/bin/env Rscript
# Products with packed graphs, and embeddings by them, against RSpectra with a matrix and igraph's own embedding, in one
# run: that all find the same is seen before times are taken. Processor and clock, since others may use the machine. Run
# from the top of the checkout; with the argument "all" also 100,000 vertices:
#   Rscript bench/graph-embedding.R [all]

library(dptda)
source("bench/common.R")
set.seed(31)
everything <- identical(commandArgs(TRUE), "all")

seconds <- function(code) {
  time <- system.time(code)
  c(processor = sum(time[1:2]), clock = time[[3]])
}

one_edge <- data.frame(from = 1L, to = 2L)

# two blocks that flips do not hide, as a list of edges; never a matrix of doubles
blocks <- function(n, p_in, p_out) {
  columns <- lapply(seq_len(n)[-1], function(j) {
    same <- (seq_len(j - 1) <= n / 2) == (j <= n / 2)
    which(stats::runif(j - 1) < ifelse(same, p_in, p_out))
  })
  data.frame(from = unlist(columns), to = rep(seq_len(n)[-1], lengths(columns)))
}

product_times <- function(n) {
  release <- private_graph(one_edge, 1, n = n)
  plain <- graph_debias(release)
  x <- stats::rnorm(n)
  for (threads in 1:2) {
    options(dptda.threads = threads)
    graph_multiply(plain, x)
    time <- seconds(for (i in 1:5) graph_multiply(plain, x)) / 5
    say(paste0("product, %7.0f vertices, %d thread(s): %8.1f ms of the clock, %8.1f ms of the processor, %.3f ns ",
               "an entry of n^2"),
        n, threads, 1e3 * time[["clock"]], 1e3 * time[["processor"]], 1e9 * time[["processor"]] / n^2)
  }
}

product_times(2e4)

options(dptda.threads = 2)
same_space <- function(X, Y) max(abs(svd(crossprod(qr.Q(qr(X)), qr.Q(qr(Y))))$d - 1)) < 1e-6

# small first: against the matrix itself, and igraph
n <- 3000
release <- private_graph(blocks(n, 0.3, 0.2), 1, n = n)
time <- seconds(ours <- spectral_embedding(release, 2))
say("embedding of %.0f vertices: ours %.2f s of the clock", n, time[["clock"]])
if (requireNamespace("RSpectra", quietly = TRUE)) {
  M <- as.matrix(graph_debias(release))
  time <- seconds(theirs <- RSpectra::eigs_sym(M, 2))
  stopifnot(all.equal(sort(theirs$values), sort(ours$eigenvalues)), same_space(theirs$vectors, as.matrix(ours)))
  say("  RSpectra with the matrix, made already: %.2f s", time[["clock"]])
  rm(M)
} else say("  RSpectra is absent")
if (requireNamespace("igraph", quietly = TRUE)) {
  graph <- igraph::as.igraph(release)
  raw <- spectral_embedding(release, 2, debias = FALSE)
  # igraph adds half of the degree over n - 1 to the diagonal unless told not to
  time <- seconds(theirs <- igraph::embed_adjacency_matrix(graph, 2, which = "la", cvec = rep(0, n)))
  stopifnot(same_space(theirs$X, as.matrix(raw)))
  say("  igraph, after randomized response: %.2f s", time[["clock"]])
  rm(graph)
} else say("  igraph is absent")

n <- 20000
edges <- blocks(n, 0.3, 0.25)
release <- private_graph(edges, 1, n = n)
rm(edges)
invisible(gc())
ours_at <- seconds(ours <- spectral_embedding(release, 2))
say(paste0("embedding, %.0f vertices, half of all pairs or fewer (%.2g edges), d = 2: ours %.2f s of the clock, ",
           "%.2f s of the processor"),
    n, nrow(as.data.frame(release)), ours_at[["clock"]], ours_at[["processor"]])
time <- seconds(free <- spectral_embedding(release))
say("  d by the rule (%d): %.2f s of the clock, %.2f s of the processor", ncol(as.matrix(free)), time[["clock"]],
    time[["processor"]])
memory <- most_memory()
if (requireNamespace("igraph", quietly = TRUE)) {
  raw_at <- seconds(raw <- spectral_embedding(release, 2, debias = FALSE))
  graph <- igraph::as.igraph(release)
  time <- seconds(theirs <- igraph::embed_adjacency_matrix(graph, 2, which = "la", cvec = rep(0, n)))
  stopifnot(same_space(theirs$X, as.matrix(raw)))
  say(paste0("  igraph, after randomized response: %.2f s of the clock, %.2f of the processor: %.1f times ours of ",
             "the same (%.2f s), the igraph made already"),
      time[["clock"]], time[["processor"]], time[["processor"]] / raw_at[["processor"]], raw_at[["clock"]])
  rm(graph)
  invisible(gc())
}
if (requireNamespace("RSpectra", quietly = TRUE)) {
  M <- as.matrix(graph_debias(release)) # 3.2 GB
  time <- seconds(theirs <- RSpectra::eigs_sym(M, 2))
  stopifnot(all.equal(sort(theirs$values), sort(ours$eigenvalues)), same_space(theirs$vectors, as.matrix(ours)))
  say("  RSpectra with the matrix of 3.2 GB, made already: %.2f s of the clock, %.2f of the processor: %.1f times ours",
      time[["clock"]], time[["processor"]], time[["processor"]] / ours_at[["processor"]])
  rm(M)
  invisible(gc())
}
say("  the process without the peers: %.0f MB at most", memory)

dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
save_said("graph-embedding")

# in a process of its own, whose memory is not that of what came before
if (everything) {
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "library(dptda)",
    "options(dptda.threads = 2)",
    "set.seed(1)",
    "n <- 1e5",
    "# 2,500,000 edges within one group of 5,000: an eigenvalue of 1,000",
    "group <- 5000",
    "m <- utils::combn(2, 2)", # loads utils before memory is looked at
    "from <- sample.int(group, 2.9e6, TRUE); to <- sample.int(group, 2.9e6, TRUE)",
    "status <- function() grep('^VmHWM', readLines('/proc/self/status'), value = TRUE)",
    "memory <- function() as.numeric(gsub('[^0-9]', '', status())) / 1024",
    "before <- memory()",
    "flip <- system.time(release <- private_graph(data.frame(from = from, to = to), 1, n = n))",
    "embed <- system.time(points <- spectral_embedding(release))",
    "x <- stats::rnorm(n); made <- graph_debias(release)",
    "product <- system.time(for (i in 1:3) graph_multiply(made, x)) / 3",
    "found <- abs(as.matrix(points)[, ncol(as.matrix(points))])",
    "seen <- mean(rank(-found)[seq_len(group)] <= group)",
    "cat(sprintf('%.0f vertices: flipped in %.1f s, embedded (d by the rule: %d) ', n, flip[[3]],",
    "            ncol(as.matrix(points))),",
    "    sprintf('in %.1f s of the clock, %.1f s of the processor; ', embed[[3]], sum(embed[1:2])),",
    "    sprintf('%.0f MB at most, of these R alone %.0f\\n', memory(), before), sep = '')",
    "cat(sprintf('  a product %.0f ms of the clock, %.3f ns of the processor an entry of n^2; ',",
    "            1e3 * product[[3]], 1e9 * sum(product[1:2]) / n^2),",
    "    sprintf('of the group of 5,000 %.1f %% among the 5,000 largest\\n', 100 * seen), sep = '')"
  ), script)
  large <- system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE)
  for (line in large) say("%s", line)
  unlink(script)
}
save_said("graph-embedding")
