random_square <- function(n, p = 0.5) {
  A <- matrix(0, n, n)
  A[upper.tri(A)] <- as.numeric(stats::runif(n * (n - 1) / 2) < p)
  A + t(A)
}

packed <- function(A) .Call(ffi_graph_pack_matrix, nrow(A), A, kernel_options())
listed <- function(A) .Call(ffi_graph_unpack, nrow(A), packed(A), kernel_options())

# each entry is a sum of at most n numbers, in another order
rounding <- function(A, x) 2 * nrow(A) * .Machine$double.eps * (A %*% abs(x))

test_that("a packed graph and a list multiply as their matrix does, up to the rounding of sums", {
  set.seed(1)
  for (n in c(0, 1, 2, 3, 63, 64, 65, 127, 129, 600, 1100)) for (p in c(0, 0.05, 0.5, 1)) {
    A <- random_square(n, p)
    x <- matrix(stats::rnorm(3 * n), n, 3)
    for (y in list(multiply_graph(n, packed(A), NULL, x), multiply_graph(n, NULL, listed(A), x))) {
      expect_identical(dim(y), c(as.integer(n), 3L))
      expect_true(all(abs(y - A %*% x) <= rounding(A, x)))
    }
    # whole numbers are exact
    whole <- matrix(sample(-1000:1000, n, TRUE) + 0, n)
    expect_identical(multiply_graph(n, packed(A), NULL, whole), A %*% whole)
    expect_identical(multiply_graph(n, NULL, listed(A), whole), A %*% whole)
  }
})

test_that("a product is the same for all numbers of threads, and in a fork", {
  set.seed(2)
  n <- 3000
  bits <- packed(random_square(n, 0.3))
  x <- matrix(stats::rnorm(n))
  alone <- withr::with_options(list(dptda.threads = 1), multiply_graph(n, bits, NULL, x))
  for (threads in 2:3) {
    expect_identical(withr::with_options(list(dptda.threads = threads), multiply_graph(n, bits, NULL, x)), alone)
  }
  skip_on_os("windows")
  child <- parallel::mcparallel(multiply_graph(n, bits, NULL, x))
  expect_identical(parallel::mccollect(child)[[1]], alone)
})

test_that("an entry that is no number stays where it has no edge", {
  A <- random_square(70, 0)
  A[1, 66] <- A[66, 1] <- 1
  x <- matrix(c(Inf, rep(1, 69)))
  y <- multiply_graph(70, packed(A), NULL, x)
  expect_identical(y[c(1, 2, 66)], c(1, 0, Inf))
})

test_that("an edge with an end that is no vertex is refused", {
  for (end in c(0L, 4L, NA)) {
    expect_error(.Call(ffi_graph_multiply_list, 3, end, 1L, matrix(1, 3), kernel_options()), class = "dptda_error_argument")
  }
})
