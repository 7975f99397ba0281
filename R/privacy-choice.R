# The exponential mechanism over finitely many candidates. Draws the position of one exactly, with probability
# proportional to exp(rate * score). Scores are integers below 2^53 in absolute value. `sensitivity`: the largest change
# of a score if one row is replaced.
#
# It is epsilon-differentially private with epsilon = 2 * rate * sensitivity. Its loss has a range of epsilon, so it is
# also epsilon^2 / 8-zero-concentrated. Proof: inst/proofs/privacy-choice.md.
draw_choice <- function(scores, epsilon, sensitivity, rng, count = 1) {
  .Call(ffi_privacy_draw_choice, as.double(scores), epsilon, sensitivity, count, kernel_options(rng))
}

# Returns the largest rate that keeps epsilon, never rounded above it. Below 2^-73 it is 0, which ignores the scores.
choice_rate <- function(epsilon, sensitivity) .Call(ffi_privacy_choice_rate, epsilon, as.double(sensitivity))
