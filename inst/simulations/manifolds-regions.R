# Private means of diffusion tensors by region, for manifolds-crossing.R and manifolds-tensors.R. Sourced after
# common.R.
#
# The ball is public and comes from what is known of brains: mean diffusivity is near .7 (10^-3 mm^2/s) throughout the
# tissue of healthy adults, and a distance of 2 holds bundles with eigenvalues (1.7, .3, .2) as well as gray matter.
# Free fluid, (3, 3, 3), is outside, and is clamped.
tissue_center <- 0.7 * diag(3)
tissue_radius <- 2
tensors_of <- manifold_spd(3)

# Of the eigenvalues, after Basser and Pierpaoli (1996).
fractional_anisotropy <- function(values) sqrt(1.5 * sum((values - mean(values))^2) / sum(values^2))

# What is asked of a mean tensor: fractional anisotropy, mean diffusivity, the direction of the longest axis and, where
# two bundles cross, that of the shortest, across both.
describe_tensor <- function(x) {
  spectrum <- eigen(x, symmetric = TRUE)
  definite <- all(spectrum$values > 0)
  list(anisotropy = if (definite) fractional_anisotropy(spectrum$values) else NA, diffusivity = mean(spectrum$values),
       longest = spectrum$vectors[, 1], shortest = spectrum$vectors[, 3], definite = definite)
}

degrees_between <- function(u, v) acos(min(1, abs(sum(u * v)))) * 180 / pi

compare_tensors <- function(release, truth) {
  release <- describe_tensor(release)
  truth <- describe_tensor(truth)
  c(anisotropy = release$anisotropy, anisotropy_error = abs(release$anisotropy - truth$anisotropy),
    diffusivity_error = abs(release$diffusivity - truth$diffusivity),
    longest = degrees_between(release$longest, truth$longest),
    shortest = degrees_between(release$shortest, truth$shortest), definite = release$definite)
}

# The mean to compare with: of the tensors as they are, not clamped; for the ambient method the arithmetic one.
true_mean <- function(X, method) if (method == "intrinsic") frechet_mean(X, tensors_of)$point else rowMeans(X, dims = 2)

# A different voxel is protected with this epsilon whatever its region: the regions share no voxel, and where a voxel is
# does not change when its tensor is replaced.
release_region <- function(X, epsilon, method) {
  private_frechet_mean(X, tensors_of, center = tissue_center, radius = tissue_radius, epsilon = epsilon,
                       method = method,
                       rng = "R")$value
}

# Medians over `draws` releases of a region; what needs a definite matrix, over those that are definite.
region_errors <- function(X, epsilons, methods, draws) {
  one <- function(epsilon, method) {
    truth <- true_mean(X, method)
    released <- repetitions(draws, function(i) compare_tensors(release_region(X, epsilon, method), truth))
    compared <- do.call(cbind, released)
    medians <- apply(compared[-6, , drop = FALSE], 1, median, na.rm = TRUE)
    data.frame(method, epsilon, n = dim(X)[3], true_anisotropy = signif(describe_tensor(truth)$anisotropy, 4),
               as.list(signif(medians, 4)), definite = mean(compared["definite", ]))
  }
  do.call(rbind, lapply(methods, function(method) do.call(rbind, lapply(epsilons, one, method = method))))
}

# Tensors as rows of a table: region, epsilon and six numbers.
tensor_rows <- function(region, epsilon, x) {
  data.frame(region, epsilon, xx = x[1, 1], xy = x[1, 2], xz = x[1, 3], yy = x[2, 2], yz = x[2, 3], zz = x[3, 3])
}
