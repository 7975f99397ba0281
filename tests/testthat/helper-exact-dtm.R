# Computes the distance to a measure of the exact doubles with 300 bits. The kernel must be close to it.
exact_dtm <- function(X, Q, k, r = 1, clip = Inf, weights = rep(1, nrow(X)), bits = 300) {
  exact <- function(x) Rmpfr::mpfr(x, bits)
  values <- lapply(seq_len(nrow(Q)), function(i) {
    squares <- Reduce(`+`, lapply(seq_len(ncol(X)), function(j) (exact(X[, j]) - exact(Q[i, j]))^2))
    distances <- sqrt(squares)
    distances[distances > clip] <- exact(clip)
    near <- order(distances)
    counted <- pmin(weights[near], pmax(k - cumsum(c(0, weights[near]))[seq_along(near)], 0))
    near <- near[counted > 0]
    last <- max(distances[near])
    if (last == 0) return(exact(0))
    powers <- (distances[near] / last)^exact(r)
    last * (sum(exact(counted[counted > 0]) * powers) / exact(k))^(1 / exact(r))
  })
  do.call(c, values)
}

# Computes the kernel's error relative to the value. The error is absolute below 2^-400 of the largest coordinate, or if
# doubles have fewer digits.
relative_error_of_dtm <- function(X, Q, m0, r = 1, clip = Inf, weights = NULL) {
  total <- if (is.null(weights)) nrow(X) else sum(weights)
  exact <- exact_dtm(X, Q, neighbor_count(total, m0), r, clip, if (is.null(weights)) rep(1, nrow(X)) else weights)
  found <- distance_to_measure(X, Q, m0, r = r, clip = clip, weights = weights)
  size <- max(abs(X), abs(Q))
  max(Rmpfr::asNumeric(abs(found - exact) / pmax(exact, Rmpfr::mpfr(2, 300)^-400 * size, 2^-1022)))
}
