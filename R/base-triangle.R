# Sums of products of two columns are the upper triangle of a symmetric matrix, with its diagonal, column by column.

# Which entries of the triangle are on the diagonal: squares of one column.
is_square <- function(dimension) {
  seq_len(dimension * (dimension + 1) / 2) %in% cumsum(seq_len(dimension))
}

matrix_of_triangle <- function(triangle, dimension) {
  S <- matrix(0, dimension, dimension)
  S[upper.tri(S, diag = TRUE)] <- triangle
  S[lower.tri(S)] <- t(S)[lower.tri(S)]
  S
}
