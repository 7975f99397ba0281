# The second figure of Vishwanath and Hehir (2022): 900 points on a circle of radius .9 and 300 on one of radius .5, an
# edge with probability |<x, y>|, debiased, d = 3. Which circle a vertex is on: by k-means (25 starts), as in the
# paper; by the rule that its code has under the name of ToMaTo; and by cluster_tomato().
#
# Their rule: of the components of the alpha complex, by increasing death, gaps between deaths are standardized; where
# one lies more than 2.2 standard deviations from their mean, the vertices of the component that ends there are a
# cluster, and all vertices that are in none are one more. Of two components that meet, the smaller is said to end;
# components are those of single linkage, to which alpha complexes lead as well.
#
# 20 sets of points and graphs; for each a release at each epsilon (Inf: the graph as it is). The true number of
# circles, 2, is given to k-means and cluster_tomato(); `tomato gap` has none given, and takes the number of peaks
# before the largest drop of prominence instead. Writes graphs-clusters.csv, and graphs-clusters-points.rds for a
# picture.
#
#   Rscript inst/simulations/graphs-clusters.R
source("inst/simulations/graphs-common.R")
set.seed(65)
epsilons <- c(Inf, 5, 2, 1, 0.5)

circles <- function() {
  radius <- rep(c(0.9, 0.5), c(900, 300))
  angle <- runif(1200, 0, 2 * pi)
  list(P = abs(tcrossprod(radius * cbind(cos(angle), sin(angle)))), circle = rep(1:2, c(900, 300)), angle = angle)
}

gap_labels <- function(X) {
  tree <- hclust(dist(X), "single")
  gaps <- diff(c(0, tree$height))
  label <- rep(0, nrow(X))
  members <- lapply(seq_len(nrow(tree$merge)), function(i) NULL)
  for (i in seq_len(nrow(tree$merge))) {
    parts <- lapply(tree$merge[i, ], function(part) if (part < 0) -part else members[[part]])
    members[[i]] <- unlist(parts)
    ends <- parts[[which.min(lengths(parts))]]
    if (abs(gaps[i] - mean(gaps)) > 2.2 * sd(gaps)) label[ends] <- i
  }
  label
}

# The number of peaks before the largest drop, relative or not, of the finite prominences.
tomato_gap_labels <- function(X, neighbors = 30) {
  density <- -log(as.vector(distance_to_measure(X, X, m0 = neighbors / nrow(X))))
  all <- cluster_tomato(X, density, neighbors)
  prominence <- sort(all$diagram$birth - all$diagram$death, decreasing = TRUE)
  parts <- sum(is.infinite(prominence))
  prominence <- prominence[is.finite(prominence)]
  k <- if (length(prominence) < 2) length(prominence) + parts else which.max(-diff(c(prominence, 0))) + parts
  cluster_tomato(X, density, neighbors, k = k)$labels
}

# The part of the vertices that the best naming of the clusters by circles leaves on the wrong circle.
wrong_part <- function(label, circle) 1 - sum(apply(table(label, circle), 1, max)) / length(circle)

clusterings <- list(kmeans = function(X) kmeans_labels(X, 2),
                    `their rule` = gap_labels,
                    tomato = function(X) tomato_labels(X, 2),
                    `tomato gap` = tomato_gap_labels)

embedded <- function(A, epsilon) {
  spectral_embedding(if (is.finite(epsilon)) private_graph(A, epsilon, rng = "R") else A, 3)
}

one_graph <- function(i) {
  model <- circles()
  A <- draw_graph(model$P)
  do.call(rbind, lapply(epsilons, function(epsilon) {
    X <- embedded(A, epsilon)$X
    do.call(rbind, lapply(names(clusterings), function(name) {
      label <- clusterings[[name]](X)
      data.frame(epsilon, clustering = name, measure = c("ARI", "wrong", "clusters"),
                 value = c(rand_index(label, model$circle), wrong_part(label, model$circle), length(unique(label))))
    }))
  }))
}

model <- circles()
A <- draw_graph(model$P)
true <- embedded(A, Inf)
released <- embedded(A, 1)
turned <- align_embedding(released, true)[, ]
write_object(list(epsilon = 1, circle = model$circle, released = round(turned, 3),
                  labels = lapply(clusterings[c("kmeans", "tomato")],
                                  function(clustering) as.integer(factor(clustering(released$X))))),
                  "graphs-clusters-points")

found <- do.call(rbind, repetitions(sized(20), one_graph))
write_table(summarize_by(found, c("epsilon", "clustering", "measure")), "graphs-clusters")
record_time("graphs-clusters.R")
