# Private mean diffusion tensors of the four regions of a made-up slice with crossing fibers (fiber-crossing.R), 300
# releases for each epsilon, drawn on the manifold and around it.
source("inst/simulations/common.R")
source("inst/simulations/manifolds-regions.R")
source("inst/simulations/fiber-crossing.R")
set.seed(14)

draws <- sized(300)
epsilons <- c(0.25, 0.5, 1, 2, 4, 8)
slice <- fiber_crossing()

one_region <- function(region) {
  X <- slice$tensors[, , slice$region == region]
  cbind(region, region_errors(X, epsilons, c("intrinsic", "ambient"), draws))
}
write_table(do.call(rbind, lapply(unique(slice$region), one_region)), "manifolds-crossing")
record_time("manifolds-crossing.R")
