# Exact K-norm noise on integer vectors. A release is v + scale z, with each coordinate rounded down to whole steps. The
# density of z is proportional to exp(-|z|), with |.| the Euclidean length. No double is used between the random bits
# and the release. Proof: inst/proofs/privacy-norm.md.

# Returns the smallest scale, in steps, that keeps `epsilon` for integer vectors whose squared distance is at most
# `l2_squared`. NA above 2^140.
norm_scale <- function(l2_squared, epsilon) {
  .Call(ffi_privacy_norm_scale, as.double(l2_squared), as.double(epsilon), kernel_options())
}

# Returns shift: releases are multiples of 2^shift steps, so that a scale is at most 2^31 of these. Releases are cut off
# at 2^53, which is then 2^22 scales away.
norm_shift <- function(scale) max(0, binary_exponent(scale) - 30)

# Returns the midpoints of the released cells, in steps, with one column per draw.
add_norm_noise <- function(value, scale, draws, rng) {
  shift <- norm_shift(scale)
  released <- .Call(ffi_privacy_add_norm, as.double(value), scale, shift, draws, kernel_options(rng))
  (released + 0.5) * 2^shift
}
