# Flips: against the slow definition on the same random words, and their distribution. Seeds are fixed, so a test fails
# always or never; the stated false-alarm rates are those of choosing another seed.

some_key <- function(i) as.raw((37 * i + 13 * 1:32 + (1:32)^2) %% 256)
half <- c(as.raw(128), raw(15))

expect_same_response <- function(n, key, coin, ...) {
  slow <- slow_response(n, key, coin)
  fast <- fast_response(n, key, coin, ...)
  order <- order(slow[, 2], slow[, 1])
  expect_identical(unname(cbind(fast$from, fast$to)), matrix(as.integer(slow[order, ]), ncol = 2))
}

test_that("flips are those of the slow definition with the same random words", {
  for (n in c(2, 3, 20, 64, 65)) expect_same_response(n, some_key(n), graph_coin(1))
  for (coin in list(half, graph_coin(1e-9), graph_coin(4.1), graph_coin(2, "laplaceflip"), graph_coin(20))) {
    expect_same_response(40, some_key(3), coin)
  }
  skip_unless_long()
  for (n in c(128, 150, 200)) expect_same_response(n, some_key(n), graph_coin(0.5))
})

test_that("a probability that agrees with the random digits of a pair to the end is decided by the last of them", {
  # the only pair of two vertices is the first of its tile to take pieces
  for (i in 1:40) {
    bits <- tile_bits(some_key(i), 0)
    digits <- c(bits[64 * 64 * (0:4) + 2], as.vector(vapply(0:7, function(k) rev(bits[320 * 64 + 16 * k + 1:16]),
                                                            logical(16))))[1:128]
    randomized <- function(p) length(fast_response(2, some_key(i), digits_fraction(p))$from)
    if (!any(digits) || digits[1]) next # above one half
    expect_identical(randomized(digits), 0L)
    expect_identical(randomized(step_digits(digits, TRUE)), 1L)
    expect_identical(randomized(step_digits(digits, FALSE)), 0L)
    for (k in c(6, 21, 22, 37, 100, 128)) {
      other <- digits
      other[k] <- !other[k]
      if (any(other)) expect_identical(randomized(other), as.integer(other[k]))
    }
  }
})

test_that("tiles off the diagonal take more digits, from where the planes end", {
  expect_same_response(100, some_key(8), graph_coin(0.3))
})

test_that("the number of threads changes nothing", {
  coin <- graph_coin(1)
  for (n in c(700, 5000)) {
    expect_identical(.Call(ffi_test_response, n, some_key(5), coin, FALSE, list("os", 1L, NULL)),
                     .Call(ffi_test_response, n, some_key(5), coin, FALSE, list("os", 2L, NULL)))
  }
})

test_that("what is no pair is never flipped, and each flip of a flip is none", {
  for (n in c(0, 1, 2, 63, 64, 65, 130)) for (coin in list(half, graph_coin(1))) {
    response <- .Call(ffi_test_response, n, some_key(1), coin, FALSE, kernel_options("os"))
    expect_true(is_packed(response, n))
    # the same flips on the complete graph leave the others
    all <- which(upper.tri(matrix(0, n, n)), arr.ind = TRUE)
    full <- .Call(ffi_graph_pack, n, all[, 1], all[, 2], kernel_options())
    set.seed(n)
    of_empty <- .Call(ffi_graph_randomize_bits, n,
                      .Call(ffi_graph_pack, n, integer(), integer(), kernel_options()), coin,
                      kernel_options("R"))
    set.seed(n)
    expect_identical(.Call(ffi_graph_randomize_bits, n, rev(rev(full)), coin, kernel_options("R")), xor(full, of_empty))
  }
})

test_that("a forked process gets nothing from a key that was opened before it", {
  expect_error(fast_response(100, some_key(1), half, forked = TRUE), "forked", class = "dptda_error_entropy")
  expect_identical(.Call(ffi_test_live_blocks), 0)
})

# 2 million pairs each; a p-value of 1e-6 is a false alarm of one in a million.
test_that("flips have their probability, in bulk and one by one (false alarm 1e-6 each, 30 of them)", {
  set.seed(501)
  n <- 2000
  pairs <- n * (n - 1) / 2
  for (packed in c(TRUE, FALSE)) {
    for (epsilon in c(0, 1e-9, 0.5, 1, 2, 4.1, 5, 8, 12)) {
      if (!packed && epsilon < 2) next # hours
      count <- length(randomized_pairs(n, graph_coin(epsilon), packed))
      expect_gt(count_fit(count, pairs, 1 / (1 + exp(epsilon))), 1e-6)
    }
    count <- length(randomized_pairs(n, graph_coin(4, "laplaceflip"), packed))
    expect_gt(count_fit(count, pairs, exp(-2) / 2), 1e-6)
  }
})

# 79,800 pairs for each graph, a false alarm of 6e-7 each
test_that("Vishwanath and Hehir (2022), Corollary 1 (iii): at epsilon = 0 a point of norm sqrt(1/2), not 1/2", {
  set.seed(508)
  n <- 400
  for (A in list(matrix(0, n, n), matrix(1, n, n))) {
    release <- private_graph(A, epsilon = 0, rng = "R")
    # (sqrt(flip), sqrt(1 - 2 flip) x)
    expect_identical(c(release$flip, flip_contrast(release$coin)), c(0.5, 0))
    expect_equal(sqrt(release$flip), sqrt(1 / 2), tolerance = 1e-15)
    pairs <- n * (n - 1) / 2
    z <- function(p) (graph_size(release) - pairs * p) / sqrt(pairs * p * (1 - p))
    expect_lt(abs(z(1 / 2)), 5)
    # the graph of a point of norm 1/2
    expect_gt(z(1 / 4), 5)
  }
})

test_that("a test of this size rejects a probability that is wrong by half a percent", {
  set.seed(502)
  count <- length(randomized_pairs(2000, graph_coin(1), TRUE))
  expect_lt(count_fit(count, 2000 * 1999 / 2, 1.005 / (1 + exp(1))), 1e-6)
})

test_that("runs between flips are geometric, in bulk and one by one (chi-square, false alarm 1e-5 each)", {
  set.seed(503)
  for (packed in c(TRUE, FALSE)) for (epsilon in c(1, 3, 5, 7)) {
    if (!packed && epsilon < 3) next
    p <- 1 / (1 + exp(epsilon))
    gaps <- diff(c(-1, randomized_pairs(1500, graph_coin(epsilon), packed))) - 1
    # in bins of equal probability
    ends <- unique(stats::qgeom(seq(0.02, 0.98, by = 0.02), p))
    bin <- findInterval(gaps, ends, left.open = TRUE)
    chance <- diff(c(0, stats::pgeom(ends, p), 1))
    expect_gt(stats::chisq.test(tabulate(bin + 1, length(chance)), p = chance)$p.value, 1e-5)
    # the next gap knows nothing of this one
    expect_lt(abs(stats::cor(rank(gaps)[-1], rank(gaps)[-length(gaps)])) * sqrt(length(gaps)), 5)
  }
})

# |z| < 5.5, false alarm 4e-8 each, 160 of them
test_that("flips of different pairs are independent: neighbors in rows, columns, words and tiles", {
  skip_if_instrumented()
  set.seed(504)
  n <- 1000
  response <- matrix(FALSE, n, n)
  pair <- randomized_pairs(n, graph_coin(1), TRUE)
  response[upper.tri(response)][pair + 1] <- TRUE
  inside <- upper.tri(response)
  p <- 1 / (1 + exp(1))
  z_at <- function(down, right) {
    rows <- seq_len(n - down)
    columns <- seq_len(n - right)
    both <- inside[rows, columns] & inside[rows + down, columns + right]
    sum((response[rows, columns][both] - p) * (response[rows + down, columns + right][both] - p)) /
      (p * (1 - p) * sqrt(sum(both)))
  }
  lags <- expand.grid(down = c(0, 1, 2, 63, 64), right = c(0, 1, 2, 16, 32, 64))[-1, ]
  expect_lt(max(abs(mapply(z_at, lags$down, lags$right))), 5.5)
  # and the lanes of a word, the rows of a tile
  for (along in 1:2) {
    by_lane <- tapply(response[inside], (if (along == 1) col(response) else row(response))[inside] %% 64, mean)
    pairs <- tapply(response[inside], (if (along == 1) col(response) else row(response))[inside] %% 64, length)
    expect_lt(max(abs(by_lane - p) / sqrt(p * (1 - p) / pairs)), 5.5)
  }
})

test_that("three vertices: all eight graphs by both ways, from each start (chi-square, false alarm 1e-5 each)", {
  skip_if_instrumented()
  set.seed(505)
  runs <- 4000
  p <- 1 / (1 + exp(1.5))
  starts <- list(integer(), 1L, c(1L, 2L, 3L))
  all <- rbind(c(1L, 2L), c(1L, 3L), c(2L, 3L))
  coin <- graph_coin(1.5)
  for (start in starts) for (packed in c(TRUE, FALSE)) {
    plan <- list(packed = packed, coin = coin)
    from <- all[start, 1]
    to <- all[start, 2]
    seen <- replicate(runs, {
      pairs <- if (packed) .Call(ffi_graph_pack, 3, from, to, kernel_options()) else list(from = from, to = to)
      randomized <- randomize_pairs(3, pairs, plan, "R")
      if (packed) randomized <- .Call(ffi_graph_unpack, 3, randomized, kernel_options())
      sum(2^((randomized$to - 1) * (randomized$to - 2) / 2 + randomized$from - 1))
    })
    truth <- sum(2^(start - 1))
    moved <- vapply(0:7, function(outcome) sum(as.integer(intToBits(bitwXor(as.integer(truth), outcome)))), 0L)
    chance <- p^moved * (1 - p)^(3 - moved)
    expect_gt(stats::chisq.test(tabulate(seen + 1, 8), p = chance)$p.value, 1e-5)
  }
})

test_that("lists of edges: sorted, each once, what is flipped leaves or enters", {
  set.seed(506)
  n <- 60
  coin <- graph_coin(3)
  from <- c(5L, 3L, 9L, 60L, 3L, 7L, 7L)
  to <- c(3L, 5L, 2L, 1L, 5L, 7L, 61L)
  expect_identical(.Call(ffi_graph_sort, n, from, to, kernel_options()),
                   list(from = c(3L, 2L, 1L), to = c(5L, 9L, 60L)))
  for (i in 1:50) {
    set.seed(i)
    response <- randomized_pairs(n, coin, FALSE)
    set.seed(i)
    result <- .Call(ffi_graph_randomize_list, n, from, to, coin, kernel_options("R"))
    numbers <- (result$to - 1) * (result$to - 2) / 2 + result$from - 1
    truth <- (c(5, 9, 60) - 1) * (c(5, 9, 60) - 2) / 2 + c(3, 2, 1) - 1
    expect_identical(numbers, sort(c(setdiff(truth, response), setdiff(response, truth))))
  }
})

test_that("pairs of a hundred million vertices have their numbers", {
  n <- 2^31 - 1
  from <- c(1L, 46341L, 2147483646L, 1L, 123456789L)
  to <- c(2L, 46342L, 2147483647L, 2147483647L, 987654321L)
  expect_identical(.Call(ffi_graph_sort, n, to, from, kernel_options()),
                   list(from = from[c(1, 2, 5, 4, 3)], to = to[c(1, 2, 5, 4, 3)]))
  response <- .Call(ffi_graph_randomize_list, n, from, to, graph_coin(40), kernel_options("R"))
  expect_true(all(response$from < response$to) && all(diff(response$to) >= 0))
})

test_that("what stops a kernel in the middle leaves no graph and no memory behind", {
  edges <- data.frame(from = 1L, to = 2L)
  for (limit in c(0.02, 0.05, 0.1)) {
    budget <- privacy_budget(epsilon = 2, relation = "edge")
    stopped <- within_time(limit, private_graph(edges, 1, n = 4e4, budget = budget))
    # a fast machine may be done before R looks at the clock
    if (inherits(stopped, "error")) expect_match(conditionMessage(stopped), "time limit")
    rm(stopped)
    expect_identical(.Call(ffi_test_live_blocks), 0)
    expect_lte(budget$spent, 1)
  }
})
