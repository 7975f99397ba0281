library(testthat)
library(dptda)

# CRAN's machines test every package for every other: what runs there takes minutes. Left to ourselves are searches,
# laws and audits, which take the same lines thousands of times, and what goes through databases.
left_to_us <- c(".*database.*", "base-boundary", "base-repeat", "cluster-covariance-by", "cluster-kmeans",
                "cluster-kmeans-cube", "cluster-morse", "errors", "audit-divergence", "audit-mechanisms", "audit-lies",
                "number-quantile", "number-sum", "publish-autoencoder", "publish-counts", "publish-topology",
                "publish-wide", "recordings", "dtm-landmark-kernel", "dtm-landmarks", "dtm-landmarks-attack",
                "dtm-landmarks-neighbors", "diagram-lattice-sampler", "diagram-spurious", "manifold-private-mean-plot")
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("dptda")
} else {
  test_check("dptda", filter = paste0("^(", paste(left_to_us, collapse = "|"), ")$"), invert = TRUE)
}
