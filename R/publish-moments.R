# The mean and the covariance of the vectors of rows (publish-encode.R), from the counts of pairs of columns: whole
# numbers, with discrete Gaussian noise. Proof: inst/proofs/publish-topology.md, "Moments".
#
# A look of private_covariance() would shorten these rows to the root of their width in coordinates in which they are
# standard. But each row has one 1 in each column, so that its length in the box is known beforehand: with one hundred
# levels in nine columns the noise on a product is that of a length of 8 and not of 100.

# What the sums have of rho, and the products: with |phi| <= 1 and s = phi . phi' the change is at most
# 2 (a1 + a2) + a1^2 / (2 a2), which is 2.
moment_shares <- function() {
  sums <- 0.2
  c(sums = sums, products = ((1 - sums) + sqrt((1 - sums)^2 - sums^2)) / 2) * look_margin
}

# Public numbers: the sums of n rows are exact, and no noise needs a scale above 2^40.
plan_moments <- function(n, schema, rho, scale = NULL) {
  fits <- function(book) n * book$longest <= 2^52 && book$longest / sqrt(rho) < 2^38
  bits <- 10
  while (!fits(book <- encoding_book(schema, bits, scale))) {
    if (bits == 4) return(NULL)
    bits <- bits - 1
  }
  a <- moment_shares()
  longest <- book$longest
  scales <- noise_scale(c(rho = rho), l2_squared = c(2 * longest / a[[1]], 2 * longest^2 / a[[2]], longest^2 / a[[2]]))
  list(n = n, rho = rho, book = book, scale = c(sum = scales[1], square = scales[2], product = scales[3]))
}

# The exact sums of the vectors and of their products (upper triangle), one after the other.
moment_sums <- function(source, book) {
  columns <- book$columns
  d <- length(columns)
  pairs <- which(upper.tri(diag(d)), arr.ind = TRUE)
  counts <- joint_counts_all(source, c(as.list(seq_len(d)), lapply(seq_len(nrow(pairs)), function(i) as.vector(pairs[i, ]))))
  product <- matrix(0, book$width, book$width)
  sum <- double(book$width)
  for (j in seq_len(d)) {
    own <- columns[[j]]$whole
    sum[book$places[[j]]] <- crossprod(own, counts[[j]])
    product[book$places[[j]], book$places[[j]]] <- crossprod(own, counts[[j]] * own)
  }
  for (i in seq_len(nrow(pairs))) {
    j <- pairs[i, 1]
    k <- pairs[i, 2]
    N <- matrix(counts[[d + i]], nrow(columns[[j]]$whole))
    product[book$places[[j]], book$places[[k]]] <- crossprod(columns[[j]]$whole, N) %*% columns[[k]]$whole
  }
  c(sum, product[upper.tri(product, diag = TRUE)])
}

# Called inside draw_release() alone: the mean, and the covariance with its eigenvalues, in units.
draw_moments <- function(sums, plan, rng) {
  width <- plan$book$width
  square <- is_square(width)
  scale <- c(rep(plan$scale[["sum"]], width), ifelse(square, plan$scale[["square"]], plan$scale[["product"]]))
  noisy <- add_noise(sums, scale, "gaussian", rng) / plan$n
  mean <- noisy[seq_len(width)] / 2^plan$book$bits
  S <- matrix(0, width, width)
  S[upper.tri(S, diag = TRUE)] <- noisy[-seq_len(width)] / 4^plan$book$bits
  S <- S + t(S) - diag(diag(S), width) - tcrossprod(mean)
  list(mean = mean, covariance = S, noise = plan$scale[["product"]] / 4^plan$book$bits / plan$n)
}
