# A made-up slice of white matter: two bundles of nerve fibers that cross, gray matter around them, and a pool of fluid.
# Diffusion tensors of 30 x 30 voxels, in 10^-3 mm^2/s. What is published of healthy adults sets the numbers, roughly
# (Pierpaoli et al. 1996): mean diffusivity .7 in white matter and .8 in gray, eigenvalues near 1.6, .3, .3 along a
# dense bundle, 3 in every direction in fluid. Nothing here was taken from a person.
#
# Returns list(tensors = 3 x 3 x 900, positions = 900 x 2, region = a word for each voxel). The region of a voxel is
# where it is: public, and the same for every data set.
fiber_crossing <- function(side = 30) {
  positions <- as.matrix(expand.grid(x = seq_len(side), y = seq_len(side)))
  band <- function(at) at > side / 3 & at <= 2 * side / 3
  along <- band(positions[, 2])
  across <- band(positions[, 1])
  region <- ifelse(along & across, "crossing", ifelse(along, "along", ifelse(across, "across", "gray")))
  pool <- sqrt((positions[, 1] - 0.17 * side)^2 + (positions[, 2] - 0.83 * side)^2) < 0.1 * side

  # bundles bend a little, and out of the plane
  bend <- 0.35 * sin(2 * pi * positions / side)
  bundle <- function(angle, tilt) {
    direction <- c(cos(tilt) * cos(angle), cos(tilt) * sin(angle), sin(tilt))
    0.32 * diag(3) + 1.3 * tcrossprod(direction)
  }
  one_voxel <- function(i) {
    angle <- rnorm(2, c(bend[i, 1], pi / 2 + bend[i, 2]), 0.12)
    tilt <- rnorm(2, c(0.25, -0.2), 0.12)
    tissue <- switch(region[i],
      along = bundle(angle[1], tilt[1]), across = bundle(angle[2], tilt[2]),
      crossing = (bundle(angle[1], tilt[1]) + bundle(angle[2], tilt[2])) / 2,
      gray = if (pool[i]) 3 * diag(3) else 0.8 * diag(3)
    )
    jitter(tissue, if (pool[i]) 0.05 else 0.13)
  }
  # the log-normal of the affine invariant metric: L exp(S) L'
  jitter <- function(tensor, sd) {
    S <- diag(rnorm(3, sd = sd))
    S[upper.tri(S)] <- rnorm(3, sd = sd / sqrt(2))
    spectrum <- eigen(S + t(S) - diag(diag(S)), symmetric = TRUE)
    root <- t(chol(tensor)) %*% spectrum$vectors
    tensor <- root %*% (exp(spectrum$values) * t(root))
    (tensor + t(tensor)) / 2
  }
  list(tensors = vapply(seq_along(region), one_voxel, diag(3)), positions = positions, region = region)
}
