# The mean and the covariance of the vectors of rows (publish-encode.R), from the counts of pairs of columns:
# integers, with rounded Gaussian noise. Proof: inst/proofs/publish-topology.md, "Moments".
#
# A query of private_covariance() would standardize coordinates and shorten rows to the root of their width. But each
# row has one 1 in each column, so its length in the box is known in advance. With one hundred levels in nine columns,
# the noise on a product belongs to a length of 8 instead of 100.

# Fractions of rho for the sums and for the products. With |phi| <= 1 and s = phi . phi', the change is at most 2 (a1
# + a2) + a1^2 / (2 a2), which is 2.
moment_shares <- function() {
  sums <- 0.2
  c(sums = sums, products = ((1 - sums) + sqrt((1 - sums)^2 - sums^2)) / 2) * query_margin
}

# Bounds the squared change of all parts relative to one vector, if the sums and products of each column and each pair
# come from different readings of the row. Vectors a, b of one column have a . b >= low, so that |a - b|^2 <= 2 (Q -
# low). For products a a' of two columns, two such numbers are multiplied.
parts_excess <- function(book) {
  whole <- lapply(book$columns, `[[`, "whole")
  most <- vapply(whole, function(own) max(rowSums(own^2)), 0)
  low <- vapply(whole, least_inner, 0)
  a <- moment_shares()
  least <- pmin(outer(low, most), t(outer(low, most)), outer(pmax(low, 0), pmax(low, 0)))
  diag(least) <- pmax(low, 0)^2 # for one column, a square
  a[[1]] * sum(most - low) / book$longest + a[[2]] * sum(outer(most, most) - least) / book$longest^2
}

# The smallest inner product. Works in blocks of levels, because all pairs of 10^4 are too many at once.
least_inner <- function(whole) {
  blocks <- split(seq_len(nrow(whole)), (seq_len(nrow(whole)) - 1) %/% 256)
  min(vapply(blocks, function(rows) min(tcrossprod(whole[rows, , drop = FALSE], whole)), 0))
}

# Plans from public numbers: the sums of n rows are exact, and no noise needs a scale above 2^40. `together`: whether
# all sums come from one reading of a row.
plan_moments <- function(n, schema, rho, scale = NULL, together = TRUE) {
  fits <- function(book) n * book$longest <= 2^52 && book$longest / sqrt(rho) < 2^38
  bits <- 10
  while (!fits(book <- encoding_book(schema, bits, scale))) {
    if (bits == 4) return(NULL)
    bits <- bits - 1
  }
  a <- moment_shares()
  longest <- book$longest
  excess <- if (together) 1 else parts_excess(book)
  squared <- c(2 * longest / a[[1]], 2 * longest^2 / a[[2]], longest^2 / a[[2]])
  scales <- noise_scale(c(rho = rho), l2_squared = squared * excess)
  list(n = n, rho = rho, book = book, scale = c(sum = scales[1], square = scales[2], product = scales[3]))
}

# Each column, and each pair of columns.
moment_scopes <- function(d) {
  pairs <- column_pairs(d)
  c(as.list(seq_len(d)), lapply(seq_len(nrow(pairs)), function(i) as.vector(pairs[i, ])))
}

column_pairs <- function(d) which(upper.tri(diag(d)), arr.ind = TRUE)

# Checks whether all counts come from one reading of the rows. Within one table, a row has one value per column.
is_one_reading <- function(domain) {
  domain$reading$once || length(cover_scopes(moment_scopes(length(domain$sizes)), domain$sizes)) == 1
}

# The exact sums of the vectors, followed by the sums of their products (upper triangle).
moment_sums <- function(source, book) {
  columns <- book$columns
  d <- length(columns)
  pairs <- column_pairs(d)
  counts <- joint_counts_all(source, moment_scopes(d))
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

# Draws the mean and the covariance, in units. Only called inside draw_release().
draw_moments <- function(sums, plan, rng) {
  width <- plan$book$width
  square <- is_square(width)
  scale <- c(rep(plan$scale[["sum"]], width), ifelse(square, plan$scale[["square"]], plan$scale[["product"]]))
  noisy <- add_noise(sums, scale, "gaussian", rng) / plan$n
  mean <- noisy[seq_len(width)] / 2^plan$book$bits
  S <- matrix_of_triangle(noisy[-seq_len(width)] / 4^plan$book$bits, width)
  list(mean = mean, covariance = S - tcrossprod(mean), noise = plan$scale[["product"]] / 4^plan$book$bits / plan$n)
}

# ---- a step, for audits -------------------------------------------------------------------------

moments_mechanism <- function(n, schema, rho) {
  moments <- plan_moments(n, schema, rho)
  width <- moments$book$width
  scale <- c(rep(moments$scale[["sum"]], width),
             ifelse(is_square(width), moments$scale[["square"]], moments$scale[["product"]]))
  step_mechanism(c("moments", "additive"), c(rho = rho), moments = moments, noise = new_noise("gaussian", scale))
}

statistic_of.moments <- function(plan, rows) moment_sums(rows, plan$moments$book)

noise_target.moments <- function(plan) "each sum or product"

# A schema of one column, and one row of it.
one_code <- function(code, levels) {
  schema <- table_schema(a = schema_categorical(letters[seq_len(levels)], other = "a"))
  list(schema = schema, coded = encode_table(data.frame(a = letters[code + 1]), schema, "codes"))
}

# Moves one row to another of five levels. Projects sums and products on the direction in which they differ, in units
# of their noise.
example_of.moments <- function(plan) {
  rows <- lapply(0:1, one_code, 5)
  mechanism <- moments_mechanism(1, rows[[1]]$schema, 0.5)
  sums <- lapply(rows, function(one) statistic_of(mechanism$plan, one$coded))
  way <- (sums[[2]] - sums[[1]]) / mechanism$plan$noise$scale^2
  list(step_example("moments of encoded rows", mechanism, rows[[1]]$coded, rows[[2]]$coded,
                    function(drawn) sum(way * drawn)))
}
