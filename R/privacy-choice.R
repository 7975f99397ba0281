# The exponential mechanism over finitely many candidates: the place of one, drawn with probability proportional to
# exp(rate * score), exactly. Scores are whole numbers below 2^53 in absolute value.
#
# It is 2 * rate * D differentially private where replacing one row moves each score by at most D, and
# (2 * rate * D)^2 / 8-zero-concentrated (its loss has a range of 2 * rate * D). Proof: inst/proofs/privacy-choice.md.

# The largest rate that keeps epsilon, not a rounding above it. Below 2^-73 it is 0: any candidate, whatever its score.
choice_rate <- function(epsilon, sensitivity) .Call(ffi_privacy_choice_rate, epsilon, as.double(sensitivity))

draw_choice <- function(scores, rate, rng, count = 1) {
  .Call(ffi_privacy_draw_choice, as.double(scores), rate, count, kernel_options(rng))
}
