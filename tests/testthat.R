library(testthat)
library(dptda)

# CRAN's machines test every package for every other: what runs there takes minutes. Left to ourselves are searches,
# laws and audits, which take the same lines thousands of times, and what goes through databases.
left_to_us <- c(".*database.*", "accounting-compose", "audit", "audit-divergence", "audit-lies", "audit-mechanisms",
                "audit-neighbors", "base-boundary", "base-repeat", "cluster-covariance-by",
                "cluster-kmeans", "cluster-kmeans-cube", "cluster-morse", "cluster-private-mixture", "cluster-query",
                "diagram-evidence", "diagram-lattice-sampler", "diagram-power", "diagram-spurious",
                "dtm-landmark-kernel", "dtm-landmarks", "dtm-landmarks-attack", "dtm-landmarks-neighbors",
                "dtm-lattice", "errors", "front-wizard", "graph-embedding", "manifold-laplace",
                "manifold-private-mean", "manifold-private-mean-plot", "memory.*", "number-by", "number-quantile",
                "number-sum", "privacy-examples", "publish-autoencoder", "publish-counts", "publish-topology",
                "publish-tree", "publish-wide", "recordings")
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("dptda")
} else {
  test_check("dptda", filter = paste0("^(", paste(left_to_us, collapse = "|"), ")$"), invert = TRUE)
}
