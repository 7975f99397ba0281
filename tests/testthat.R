library(testthat)
library(dptda)

# CRAN's machines test every package for every other: what runs there takes minutes. Left to ourselves are searches,
# laws and audits, which take the same lines thousands of times, what goes through databases, and what R alone does with
# words, pictures and recipes, which is the same everywhere. Kernels, exact noise, guarantees and budgets stay.
left_to_us <- c(".*-plot", ".*database.*", "accounting-compose", "accounting-conversions", "accounting-losses",
                "audit", "audit-divergence", "audit-lies", "audit-mechanisms", "audit-neighbors", "base-answer",
                "base-boundary", "base-box-wide", "base-checks", "base-dates", "base-missing", "base-picture",
                "base-repeat", "cluster-covariance-by", "cluster-kmeans.*", "cluster-morse", "cluster-morse-theory",
                "cluster-pca", "cluster-people", "cluster-private-mixture", "cluster-query", "cluster-tomato",
                "diagram-accuracy", "diagram-evidence", "diagram-lattice-sampler", "diagram-mechanism",
                "diagram-people", "diagram-plan", "diagram-population", "diagram-power", "diagram-sampler",
                "diagram-spurious", "dtm-landmark-kernel", "dtm-landmarks", "dtm-landmarks-attack",
                "dtm-landmarks-neighbors", "dtm-lattice", "errors", "front-command", "front-file", "front-lines",
                "front-options", "front-recipe.*", "front-release", "front-report", "front-wizard.*", "graph-answer",
                "graph-convert", "graph-embedding", "graph-input", "graph-models", "graph-power", "help",
                "manifold-ambient", "manifold-grassmann", "manifold-laplace", "manifold-private-mean",
                "manifold-rounding", "manifold-rows", "manifold-sensitivity", "manifold-shapes", "memory.*",
                "messages", "number-bounds", "number-by", "number-compare", "number-independence", "number-moments",
                "number-population", "number-quantile.*", "number-sum", "number-var", "persistence-rips",
                "privacy-arithmetic", "privacy-choice", "privacy-examples", "privacy-mechanism", "privacy-population",
                "privacy-price", "privacy-release", "privacy-verbs", "privacy-weak", "publish-aim",
                "publish-annealing", "publish-autoencoder", "publish-bootstrap", "publish-counts", "publish-dp2pub",
                "publish-people", "publish-privbayes", "publish-schema", "publish-synthesis", "publish-topology",
                "publish-tree", "publish-wide", "publish-workload", "readme", "recordings", "regression-lm", "words")
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("dptda")
} else {
  test_check("dptda", filter = paste0("^(", paste(left_to_us, collapse = "|"), ")$"), invert = TRUE)
}
