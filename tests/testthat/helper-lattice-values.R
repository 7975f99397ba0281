# The distance to a measure on a lattice, slowly by its definition: inst/proofs/dtm-sensitivity.md, "On a lattice".

# Integers of any length: digits in base 2^16, the lowest first.

carried <- function(digits) {
  for (i in seq_along(digits)) {
    over <- digits[i] %/% 65536
    if (over > 0) {
      digits[i] <- digits[i] - over * 65536
      digits[i + 1] <- (if (i < length(digits)) digits[i + 1] else 0) + over
    }
  }
  digits
}
whole <- function(x) { # below 2^53
  digits <- numeric()
  repeat {
    digits <- c(digits, x %% 65536)
    x <- x %/% 65536
    if (x == 0) return(digits)
  }
}
times <- function(x, y) {
  product <- numeric(length(x) + length(y))
  for (i in seq_along(x)) {
    at <- i - 1 + seq_along(y)
    product[at] <- product[at] + x[i] * y
    product <- carried(product)
  }
  product
}
padded <- function(x, n) c(x, numeric(n))[seq_len(n)]
plus <- function(x, y) {
  n <- max(length(x), length(y))
  carried(padded(x, n) + padded(y, n))
}
at_most <- function(x, y) {
  n <- max(length(x), length(y))
  differ <- which(padded(x, n) != padded(y, n))
  length(differ) == 0 || padded(x, n)[max(differ)] < padded(y, n)[max(differ)]
}

# Finds the largest integer F with (F change)^r <= sum * K^r.
exact_steps <- function(sum, r, change, K) {
  power <- function(x) if (r == 1) whole(x) else times(whole(x), whole(x))
  total <- times(sum, power(K))
  fits <- function(F) at_most(times(power(F), power(change)), total)
  size <- sum(total * 65536^(seq_along(total) - 1))
  F <- floor(size^(1 / r) / change)
  while (!fits(F)) F <- F - 1
  while (fits(F + 1)) F <- F + 1
  F
}

whole_root <- function(s) {
  root <- floor(sqrt(s))
  root - (root^2 > s) + ((root + 1)^2 <= s)
}

slow_values <- function(rows, queries, k, r, cap, change, K, weights = rep(1, nrow(rows))) {
  apply(queries, 1, function(x) {
    apart <- abs(t(rows) - x)
    squares <- ifelse(apply(apart > cap, 2, any), cap^2, pmin(colSums(pmin(apart, cap)^2), cap^2))
    near <- order(squares)
    counted <- pmin(weights[near], pmax(k - cumsum(c(0, weights[near]))[seq_along(near)], 0))
    if (r == 1) {
      sum <- whole(sum(counted * whole_root(squares[near])))
    } else {
      parts <- c(sum(counted * (squares[near] %/% 2^26)), sum(counted * (squares[near] %% 2^26)))
      sum <- plus(times(whole(parts[1]), whole(2^26)), whole(parts[2]))
    }
    exact_steps(sum, r, change, K)
  })
}
