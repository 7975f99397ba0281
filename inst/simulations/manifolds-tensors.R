# Private mean diffusion tensors of a real brain:
#
#   Rscript inst/simulations/manifolds-tensors.R FOLDER
#
# FOLDER holds part50x20.csv and directions15.txt from DataSets/DTI of
# https://github.com/jsmarron/ObjectOrientedDataAnalysis, commit 0248aca6f7b0dbdc82141bd6e45926f1fda0abbc: a part of a
# coronal slice, 50 x 20 voxels, of Dryden, Koloydenko and Zhou (2009), "Non-Euclidean statistics for covariance
# matrices, with applications to diffusion tensor imaging", Annals of Applied Statistics 3, 1102-1123. The MRI data were
# provided by Paul S. Morgan, University of Nottingham. The repository states no license, so the package does not hold
# the data; what this script writes are releases and summaries of regions of 100 voxels.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-regions.R")
set.seed(15)

draws <- sized(300)
epsilons <- c(0.5, 1, 2, 4, 8)

# 16 images of 50 x 20 voxels side by side: without diffusion weighting, then one for each direction g, whose logarithm
# is that of the first minus g' D g (b = 1, so that D is in 10^-3 mm^2/s). Least squares on the logarithms.
read_tensors <- function() {
  images <- as.matrix(read.csv(data_file("part50x20.csv"), header = FALSE))
  g <- matrix(scan(data_file("directions15.txt"), quiet = TRUE), nrow = 3, byrow = TRUE)
  signal <- matrix(log(images), ncol = ncol(g) + 1)
  design <- rbind(0, cbind(g[1, ]^2, 2 * g[1, ] * g[2, ], 2 * g[1, ] * g[3, ], g[2, ]^2, 2 * g[2, ] * g[3, ], g[3, ]^2))
  entries <- -qr.coef(qr(cbind(1, design)), t(signal))[-1, ]
  array(entries[c(1, 2, 3, 2, 4, 5, 3, 5, 6), ], c(3, 3, nrow(images) * 20))
}

tensors <- read_tensors()
column <- rep(1:50, times = 20) # to the right in the pictures
row <- rep(1:20, each = 50)     # upward
regions <- paste0(LETTERS[(column - 1) %/% 10 + 1], (row - 1) %/% 10 + 1)

one_region <- function(region) {
  X <- tensors[, , regions == region]
  releases <- lapply(epsilons, function(epsilon) tensor_rows(region, epsilon, release_region(X, epsilon, "intrinsic")))
  list(errors = cbind(region, region_errors(X, epsilons, c("intrinsic", "ambient"), draws)),
       means = rbind(tensor_rows(region, Inf, frechet_mean(X, tensors_of)$point), do.call(rbind, releases)),
       clamped = mean(manifold_distance(X, tissue_center, tensors_of) > tissue_radius))
}
results <- lapply(sort(unique(regions)), one_region)
gather <- function(what) do.call(rbind, lapply(results, `[[`, what))
means <- gather("means")
means[-(1:2)] <- signif(means[-(1:2)], 4)
write_table(gather("errors"), "manifolds-tensors-errors")
write_table(means, "manifolds-tensors-means")
message(round(100 * mean(vapply(results, `[[`, 0, "clamped")), 1), " % of the voxels are outside the ball")
record_time("manifolds-tensors.R")
