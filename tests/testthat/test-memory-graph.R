# Kernels on small data (test-memory.R): graphs.

test_that("random graphs", {
  for (n in c(0, 1, 2, 70)) {
    X <- matrix((seq_len(2 * n) * 7919) %% 31 / 45, n, 2)
    sizes <- c(n %/% 3, 0, n - n %/% 3)
    rates <- rbind(c(.5, .1, .01), c(.1, 1, 0), c(.01, 0, .1))
    for (model in list(graph_rdpg(X), graph_sbm(sizes, rates),
                       graph_sbm(sizes, rates, weights = rowSums(X)))) {
      edges <- simulate(model, seed = 1)
      expect_true(all(edges$from < edges$to & edges$to <= n))
    }
  }
  expect_error(simulate(graph_sbm(2^31 - 1, .5)), class = "dptda_error_size")
  expect_identical(live_blocks(), 0)
})

test_that("graphs: bits, lists, flips and the cipher", {
  coin <- graph_coin(1)
  for (n in c(0, 1, 2, 64, 65, 130)) {
    from <- as.integer(c(1, 5, 5, 70, 3, -1, 200, NA))
    to <- as.integer(c(2, 3, 5, 1, 5, 2, 1, 2))
    bits <- .Call(ffi_graph_pack, n, from, to, kernel_options())
    expect_true(.Call(ffi_graph_is_whole, n, bits))
    edges <- .Call(ffi_graph_unpack, n, bits, kernel_options())
    expect_identical(edges, .Call(ffi_graph_sort, n, from, to, kernel_options()))
    expect_equal(length(edges$from), .Call(ffi_graph_count, n, bits))
    randomized <- .Call(ffi_graph_randomize_bits, n, bits, coin, kernel_options("os"))
    expect_true(.Call(ffi_graph_is_whole, n, randomized))
    few <- .Call(ffi_graph_randomize_list, n, from, to, graph_coin(5), kernel_options("os"))
    expect_true(is_edges(few, n))
    for (matrix in list(diag(n), diag(n) > 0, matrix(1L, n, n))) {
      expect_true(.Call(ffi_graph_is_whole, n, .Call(ffi_graph_pack_matrix, n, matrix, kernel_options())))
      expect_true(.Call(ffi_graph_is_symmetric, n, matrix, kernel_options()))
      expect_true(.Call(ffi_graph_is_binary, n, matrix, kernel_options()))
    }
  }
  for (bytes in c(0, 1, 8, 13)) expect_length(.Call(ffi_graph_digest, raw(bytes)), 8)
  expect_false(.Call(ffi_graph_is_whole, 2, as.raw(c(1, raw(511)))))
  expect_error(.Call(ffi_graph_unpack, 2, as.raw(c(1, raw(511))), kernel_options()), class = "dptda_error_argument")
  for (wide in c(TRUE, FALSE)) {
    expect_length(.Call(ffi_test_chacha, raw(32), raw(12), 0, 11, wide, kernel_options()), 704)
  }
  expect_length(.Call(ffi_graph_unpack, 65, .Call(ffi_test_response, 65, raw(32), coin, FALSE, kernel_options("os")),
                      kernel_options()), 2)
  expect_error(.Call(ffi_test_response, 65, raw(32), coin, TRUE, kernel_options("os")), class = "dptda_error_entropy")
  expect_length(.Call(ffi_test_skip, coin), 17)
  for (epsilon in c(0, 1e-9, 50, 1e308)) for (method in 0:1) expect_length(.Call(ffi_graph_coin, epsilon, method), 16)
  # many flips: the list of them grows
  expect_gt(length(.Call(ffi_graph_randomize_list, 700, from, to, graph_coin(4), kernel_options("os"))$from), 1024)
  expect_identical(live_blocks(), 0)
})

test_that("products of graphs, packed and listed, and an end that is no vertex", {
  for (n in c(0, 1, 2, 64, 65, 700)) {
    bits <- .Call(ffi_graph_pack, n, 1:2, 2:3, kernel_options())
    edges <- .Call(ffi_graph_unpack, n, bits, kernel_options())
    x <- matrix(seq_len(2 * n) + 0, n)
    expect_identical(.Call(ffi_graph_multiply_bits, n, bits, x, .1, .8, kernel_options()),
                     .Call(ffi_graph_multiply_list, n, edges$from, edges$to, x, .1, .8, kernel_options()))
  }
  expect_error(.Call(ffi_graph_multiply_list, 2, 1L, 3L, matrix(1, 2), .1, .8, kernel_options()),
               class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})
