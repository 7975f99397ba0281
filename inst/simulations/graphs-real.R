# Private releases of the graphs of graphs-real-common.R, at epsilon = 1, 2, 4, 8 and log(n), and the graphs as they are
# (Inf). Four tables:
#
#   graphs-real.csv            adjusted Rand index of the clusters of k-means and cluster_tomato() with the labels of
#                              the data: from the adjacency matrix or the Laplacian, rows normalized or not, in `k`
#                              dimensions, the number of labels, or as many as the public rule finds. `with_edges`: of
#                              the vertices with edges alone.
#   graphs-real-planes.csv     squared overlap of each of the k leading eigenvectors of the graph with the k that are
#                              found, beside what power_graph() predicts for a graph that is not random (v = 0),
#                              and the eigenvalues.
#   graphs-real-dimensions.csv how many dimensions the public rule finds; `rows` as graphs-dimensions.R explains; and
#                              how many of the 60 largest eigenvalues of the graph are predicted to be seen (v = 0).
#   graphs-real-distances.csv  distances between the diagrams of the embeddings of the graph and of its release, in the
#                              plane of the two leading eigenvectors.
#
# 40 releases of karate, 10 of polblogs, 1 of facebook, where the Laplacian has `k` dimensions alone and 8 stands for
# log(n). Each graph has a seed of its own, 71 to 73; with names after the folder
# only those are run, and their rows replaced. Where no dimension is found all vertices are one cluster.
#
#   Rscript inst/simulations/graphs-real.R FOLDER [GRAPH...]
source("inst/simulations/graphs-real-common.R")
releases <- c(karate = 40, polblogs = 10, facebook = 1)

ways <- expand.grid(clustering = c("kmeans", "tomato"), dimensions = c("k", "rule"), normalize = c(FALSE, TRUE),
                    type = c("adjacency", "laplacian"), stringsAsFactors = FALSE)

# As spectral_embedding(normalize = TRUE) has them.
normalized_rows <- function(X) {
  length <- sqrt(rowSums(X^2))
  X / ifelse(length > 1e-9 * max(length), length, 1)
}

# `operand`: a graph as graph_debias() makes it.
indices <- function(operand, data, rule) {
  neighbors <- min(30, ceiling(data$n / 5))
  with_edges <- seq_len(data$n) %in% unlist(data$edges)
  known <- !is.na(data$label)
  if (data$n > 3000) ways <- ways[ways$type == "adjacency" | ways$dimensions == "k", ]
  embeddings <- list()
  found <- lapply(seq_len(nrow(ways)), function(i) {
    way <- ways[i, ]
    key <- paste(way$type, way$dimensions)
    if (is.null(embeddings[[key]])) {
      embeddings[[key]] <<- spectral_embedding(operand, if (way$dimensions == "k") data$k else rule, type = way$type)$X
    }
    X <- if (way$normalize) normalized_rows(embeddings[[key]]) else embeddings[[key]]
    label <- if (way$clustering == "kmeans") kmeans_labels(X, data$k) else tomato_labels(X, data$k, neighbors)
    among <- function(kept) rand_index(label[kept], data$label[kept])
    data.frame(way, ARI = among(known), with_edges = among(known & with_edges))
  })
  do.call(rbind, found)
}

vectors_of <- function(embedding) sweep(embedding$X, 2, sqrt(abs(embedding$eigenvalues)), "/")

# Points that are equal, as of vertices without edges, would be no cloud.
plane_diagram <- function(X) cloud_diagram(unique(round(X, 12)))

one_release <- function(data, epsilon, true) {
  operand <- graph_debias(if (is.finite(epsilon)) private_graph(data$edges, epsilon, n = data$n,
                                                                rng = "R") else data$edges,
                    n = if (!is.finite(epsilon)) data$n)
  by_rule <- spectral_embedding(operand)
  rule <- ncol(by_rule$X)
  found <- spectral_embedding(operand, data$k)
  planes <- NULL
  distances <- NULL
  if (is.finite(epsilon)) {
    overlap <- rowSums(crossprod(vectors_of(true), vectors_of(found))^2)
    plan <- lapply(true$eigenvalues, function(lambda) power_graph(data$n, epsilon, lambda = lambda, v = 0))
    planes <- data.frame(vector = seq_along(overlap), eigenvalue = true$eigenvalues,
                         strength = vapply(plan, `[[`, 0, "strength"),
                         predicted = vapply(plan, `[[`, 0, "overlap"), found = overlap, observed = found$eigenvalues,
                         expected = vapply(plan, `[[`, 0, "observed"))
    private <- plane_diagram(found$X[, 1:2])
    distances <- data.frame(dimension = rep(0:1, each = length(kinds)), distance = rep(kinds, 2),
                            value = c(all_distances(true$diagram, private, 0), all_distances(true$diagram, private, 1)))
  }
  list(indices = indices(operand, data, rule), planes = planes, distances = distances,
       dimensions = c(rule = rule, rows = sum(abs(by_rule$spectrum) > row_edge(operand))))
}

replace_rows <- function(rows, name) {
  path <- result_path(paste0(name, ".csv"))
  before <- if (file.exists(path)) read.csv(path)
  rows <- rbind(before[!before$graph %in% rows$graph, ], rows)
  write_table(rows[order(match(rows$graph, names(readers))), ], name)
}

rounded_means <- function(rows, by) {
  values <- setdiff(names(rows), by)
  means <- aggregate(rows[values], rows[rev(by)], mean)
  cbind(means[by], signif(means[values], 4))
}

study <- function(name) {
  data <- readers[[name]]()
  true <- spectral_embedding(data$edges, data$k, n = data$n)
  true <- list(X = true$X, eigenvalues = true$eigenvalues, diagram = plane_diagram(true$X[, 1:2]))
  spectrum <- spectral_embedding(data$edges, min(data$n, 60), n = data$n)$eigenvalues
  for_epsilon <- function(epsilon) {
    runs <- if (is.finite(epsilon)) sized(releases[[name]], least = 1) else 1
    found <- repetitions(runs, function(i) one_release(data, epsilon, true))
    part <- function(what) {
      rows <- do.call(rbind, lapply(found, `[[`, what))
      if (!is.null(rows)) cbind(graph = name, epsilon = round(epsilon, 4), runs, rows)
    }
    d <- vapply(found, `[[`, c(0, 0), "dimensions")
    seen <- sum(vapply(spectrum, function(lambda) if (is.finite(epsilon))
                       power_graph(data$n, epsilon, lambda = lambda, v = 0)$strength > 1 else NA, NA))
    dimensions <- data.frame(graph = name, epsilon = round(epsilon, 4), runs, rule = mean(d["rule", ]),
                             least = min(d["rule", ]),
                             most = max(d["rule", ]), rows = mean(d["rows", ]), seen)
    list(indices = part("indices"), planes = part("planes"), distances = part("distances"), dimensions = dimensions)
  }
  epsilons <- c(1, 2, 4, 8, if (abs(log(data$n) - 8) > 0.5) log(data$n), Inf)
  all <- lapply(epsilons, for_epsilon)
  of <- function(what) do.call(rbind, lapply(all, `[[`, what))
  replace_rows(rounded_means(of("indices"), c("graph", "type", "normalize", "dimensions", "clustering", "epsilon",
                                              "runs")), "graphs-real")
  replace_rows(rounded_means(of("planes"), c("graph", "epsilon", "vector", "runs")), "graphs-real-planes")
  replace_rows(of("dimensions"), "graphs-real-dimensions")
  replace_rows(rounded_means(of("distances"), c("graph", "dimension", "distance", "epsilon", "runs")),
               "graphs-real-distances")
}

chosen <- commandArgs(TRUE)[-1]
if (length(chosen) == 0) chosen <- names(readers)
for (name in chosen) {
  set.seed(70 + match(name, names(readers)))
  study(name)
}
if (length(chosen) == length(readers)) record_time("graphs-real.R")
