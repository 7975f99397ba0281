# Symmetric matrices of 60 digits, by Rmpfr. Tests are skipped if it is absent. These are Rmpfr's own matrices, because
# lists of columns would be slow.
matrix_of_many_digits <- function(x, side) {
  a <- Rmpfr::mpfr(as.numeric(x), 240)
  dim(a) <- c(side, side)
  a
}

# Applies Jacobi's rotations to a definite matrix until it is diagonal.
logarithm_of_many_digits <- function(a) {
  side <- nrow(a)
  q <- matrix_of_many_digits(diag(side), side)
  for (sweep in 1:12) for (i in seq_len(side - 1)) for (j in (i + 1):side) {
    if (a[i, j] == 0) next
    zeta <- (a[j, j] - a[i, i]) / (2 * a[i, j])
    t <- (if (zeta < 0) -1 else 1) / (abs(zeta) + sqrt(1 + zeta^2))
    cosine <- 1 / sqrt(1 + t^2)
    sine <- t * cosine
    turn <- function(m) {
      first <- m[, i]
      second <- m[, j]
      m[, i] <- cosine * first - sine * second
      m[, j] <- sine * first + cosine * second
      m
    }
    a <- t(turn(t(turn(a))))
    q <- turn(q)
  }
  scaled <- q
  for (j in seq_len(side)) scaled[, j] <- q[, j] * log(a[j, j])
  scaled %*% t(q)
}
