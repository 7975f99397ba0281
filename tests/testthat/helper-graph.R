# Slow definitions of private_graph(), and faulty mechanisms that claim the same guarantee.

# Does a release take a graph, and is it charged to a budget for edges?
is_graph_release <- function(name) name %in% c("private_graph", "private_degrees")

as_bytes <- function(hex) as.raw(strtoi(substring(hex, seq(1, nchar(hex), 2), seq(2, nchar(hex), 2)), 16L))

graph_coin <- function(epsilon, method = "edgeflip") .Call(ffi_graph_coin, epsilon, response_methods[[method]])

# Returns the binary digits of a fraction of 16 bytes, the highest first, as TRUE and FALSE.
fraction_digits <- function(bytes) as.vector(vapply(bytes, function(byte) rev(as.logical(rawToBits(byte))), logical(8)))

digits_fraction <- function(digits) packBits(as.vector(matrix(digits, 8)[8:1, ]), "raw")

# Adds or subtracts a unit in the last digit.
step_digits <- function(digits, up) {
  for (i in rev(seq_along(digits))) {
    digits[i] <- !digits[i]
    if (digits[i] == up) break
  }
  digits
}

# Returns the random bits of a tile, word by word, the lowest bit of each first.
tile_bits <- function(key, tile, blocks = 80) {
  nonce <- c(packBits(intToBits(tile), "raw"), raw(8))
  as.logical(rawToBits(.Call(ffi_test_chacha, key, nonce, 0, blocks, FALSE, kernel_options())))
}

# Is U below p? The first digits of U come from the five planes, and the others in pieces of 16.
slow_below <- function(planes, next_piece, p) {
  p <- c(p, logical(5))
  U <- planes
  repeat {
    differs <- which(U != p[seq_along(U)])
    if (length(differs)) return(p[differs[1]])
    if (length(U) == 133) return(FALSE)
    U <- c(U, next_piece())
  }
}

# Randomized response of n vertices, pair by pair: the definition on the proof page, as a matrix of `from` and `to`.
slow_response <- function(n, key, coin) {
  p <- fraction_digits(coin)
  panels <- ceiling(n / 64)
  found <- matrix(0, 0, 2)
  for (panel in seq_len(panels) - 1) for (block in 0:panel) {
    bits <- tile_bits(key, panel * (panel + 1) / 2 + block)
    taken <- 320 * 64
    next_piece <- function() {
      taken <<- taken + 16
      rev(bits[taken - 15:0])
    }
    for (row in 0:63) for (lane in 0:63) {
      i <- 64 * block + row
      j <- 64 * panel + lane
      if (i >= j || j >= n) next
      planes <- bits[64 * (64 * (0:4) + row) + lane + 1]
      if (slow_below(planes, next_piece, p)) found <- rbind(found, c(i, j) + 1)
    }
  }
  found
}

fast_response <- function(n, key, coin, forked = FALSE, threads = 1L) {
  bits <- .Call(ffi_test_response, n, key, coin, forked, list("os", threads, NULL))
  .Call(ffi_graph_unpack, n, bits, kernel_options())
}

# Returns the numbers, from 0 and in the order of columns, of flipped pairs among n vertices without edges.
randomized_pairs <- function(n, coin, packed, rng = "R") {
  edges <- if (packed) {
    bits <- .Call(ffi_graph_pack, n, integer(), integer(), kernel_options())
    .Call(ffi_graph_unpack, n, .Call(ffi_graph_randomize_bits, n, bits, coin, kernel_options(rng)), kernel_options())
  } else {
    .Call(ffi_graph_randomize_list, n, integer(), integer(), coin, kernel_options(rng))
  }
  (edges$to - 1) * (edges$to - 2) / 2 + edges$from - 1
}

# Computes the two-sided p-value of a count of successes.
count_fit <- function(count, trials, p) 2 * stats::pnorm(-abs(count - trials * p) / sqrt(trials * p * (1 - p)))

# Does a probability, an integer over 2^digits in Rmpfr's numbers, satisfy epsilon, (1 - p) / p <= exp(epsilon), and is
# it at most one half?
keeps_epsilon <- function(p, epsilon) {
  exact <- exp(Rmpfr::mpfr(epsilon, 1200))
  p > 0 && p <= 0.5 && 1 - p <= p * exact
}

# Makes an integer over 2^128, without rounding.
exact_fraction <- function(bytes) Rmpfr::mpfr(paste(as.character(bytes), collapse = ""), base = 16, precBits = 1200) /
  Rmpfr::mpfr(2, 1200)^128

# A matrix with these entries and their mirror images.
square <- function(edges, n) {
  A <- matrix(0, n, n)
  A[edges] <- A[edges[, 2:1, drop = FALSE]] <- 1
  A
}

# The upper triangle, and its mirror image below.
mirror <- function(A) A * upper.tri(A) + t(A * upper.tri(A))

# Lies ---------------------------------------------------------------------------------------------------------------
#
# `data` are the bits of the pairs of a small graph. The result has `runs` releases, one per row.

randomize_each <- function(data, runs, p) {
  response <- matrix(stats::runif(runs * length(data)) < p, runs)
  xor(matrix(as.logical(data), runs, length(data), byrow = TRUE), response) + 0
}

flip_chance <- function(epsilon) 1 / (1 + exp(epsilon))

# Flips both triangles of the matrix independently, which makes two queries per pair.
both_triangles_draws <- function(data, runs) cbind(randomize_each(data, runs, flip_chance(claimed)),
                                                   randomize_each(data, runs, flip_chance(claimed)))

# Flips edges only. Pairs without an edge are kept.
non_edges_kept_draws <- function(data, runs) {
  kept <- matrix(as.logical(data), runs, length(data), byrow = TRUE)
  (kept & randomize_each(data, runs, flip_chance(claimed)) > 0) + 0
}

# Recycles one draw over all pairs without an edge.
one_draw_draws <- function(data, runs) {
  randomized <- randomize_each(data, runs, flip_chance(claimed))
  randomized[, data == 0] <- as.numeric(stats::runif(runs) < flip_chance(claimed))
  randomized
}

# Lists original edges before edges added by randomized response.
unsorted_draws <- function(data, runs) {
  randomized <- randomize_each(data, runs, flip_chance(claimed))
  first_is_old <- apply(randomized, 1, function(row) {
    edges <- which(row > 0)
    if (length(edges) < 2) 0 else edges[order(data[edges] == 0)][1]
  })
  cbind(randomized, first_is_old)
}

# Flips with probability exp(-epsilon / 2) / 2, and declares too little in the ledger.
laplaceflip_draws <- function(data, runs) randomize_each(data, runs, exp(-claimed / 2) / 2)

# The packed triangle of a graph.
graph_bits <- function(x) {
  if (!is.null(x$bits)) x$bits else .Call(ffi_graph_pack, x$n, x$edges$from, x$edges$to, kernel_options())
}
