# The exponential mechanism over finitely many candidates: the place of one, drawn with probability proportional to
# exp(rate * score), exactly. Scores are whole numbers below 2^53 in absolute value; `sensitivity`: by how much
# replacing one row moves each of them at most.
#
# It is epsilon-differentially private, and epsilon^2 / 8-zero-concentrated (its loss has a range of epsilon), with
# epsilon = 2 * rate * sensitivity. Proof: inst/proofs/privacy-choice.md.
draw_choice <- function(scores, epsilon, sensitivity, rng, count = 1) {
  .Call(ffi_privacy_draw_choice, as.double(scores), epsilon, sensitivity, count, kernel_options(rng))
}

# The largest rate that keeps epsilon, not a rounding above it. Below 2^-73 it is 0: any candidate, whatever its score.
choice_rate <- function(epsilon, sensitivity) .Call(ffi_privacy_choice_rate, epsilon, as.double(sensitivity))
