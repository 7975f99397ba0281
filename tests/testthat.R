library(testthat)
library(dptda)

# CRAN's machines test every package for every other: what runs there takes minutes. Left to ourselves are searches,
# laws and audits, which take the same lines thousands of times, what goes through databases, and what R alone does with
# words, pictures and recipes, which is the same everywhere. Kernels, exact noise, guarantees and budgets stay.
left_to_us <- c(".*-plot", ".*database.*", "accounting-compose", "audit", "audit-divergence", "audit-lies",
                "audit-mechanisms", "audit-neighbors", "base-answer", "base-boundary", "base-box-wide", "base-dates",
                "base-picture", "base-repeat", "cluster-covariance-by", "cluster-kmeans.*", "cluster-morse",
                "cluster-pca", "cluster-people", "cluster-private-mixture", "cluster-query", "cluster-tomato",
                "diagram-accuracy", "diagram-evidence", "diagram-lattice-sampler", "diagram-mechanism",
                "diagram-people", "diagram-power", "diagram-sampler", "diagram-spurious", "dtm-landmark-kernel",
                "dtm-landmarks", "dtm-landmarks-attack", "dtm-landmarks-neighbors", "dtm-lattice", "errors",
                "front-command", "front-options", "front-recipe.*",
                "front-report", "front-wizard", "graph-convert", "graph-embedding", "graph-input", "graph-models",
                "graph-power", "help", "manifold-ambient", "manifold-laplace", "manifold-private-mean",
                "manifold-sensitivity", "memory.*", "messages", "number-bounds", "number-by", "number-quantile.*",
                "number-sum", "number-var", "privacy-arithmetic", "privacy-choice", "privacy-examples",
                "privacy-mechanism", "privacy-price", "privacy-release", "privacy-verbs", "privacy-weak", "publish-aim",
                "publish-annealing", "publish-autoencoder", "publish-bootstrap", "publish-counts", "publish-dp2pub",
                "publish-people", "publish-privbayes", "publish-synthesis", "publish-topology", "publish-tree",
                "publish-wide", "publish-workload", "readme", "recordings", "words")
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("dptda")
} else {
  test_check("dptda", filter = paste0("^(", paste(left_to_us, collapse = "|"), ")$"), invert = TRUE)
}
