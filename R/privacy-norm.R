# Exact K-norm noise on vectors of whole numbers: what is released is the whole steps of v + scale z, of which z has a
# density proportional to exp(-|z|), |.| the Euclidean length. No double is between the random bits and the release.
# Proof: inst/proofs/privacy-norm.md.

# The least scale, in steps, with which whole vectors whose differences have a square of at most `l2_squared` keep
# `epsilon`; NA above 2^140.
norm_scale <- function(l2_squared, epsilon) {
  .Call(ffi_privacy_norm_scale, as.double(l2_squared), as.double(epsilon), kernel_options())
}

# Releases are in steps of 2^shift steps, such that a scale is at most 2^31 of these: it is then 2^22 scales to where
# releases are cut off, at 2^53.
norm_shift <- function(scale) max(0, binary_exponent(scale) - 30)

# Columns: the middles of the cells that the releases are, in steps.
add_norm_noise <- function(value, scale, draws, rng) {
  shift <- norm_shift(scale)
  released <- .Call(ffi_privacy_add_norm, as.double(value), scale, shift, draws, kernel_options(rng))
  (released + 0.5) * 2^shift
}
