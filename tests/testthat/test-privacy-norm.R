of_key <- function(key) list(as.double(c(key, 1, 2, 3)), 1L, NULL)

# `draws` releases in whole steps of 2^shift, as columns.
norm_draws <- function(value, scale, draws, first = 64L, shift = 0L, ahead = 0L, options = kernel_options("R")) {
  .Call(ffi_test_add_norm, as.double(value), scale, shift, draws, first, ahead, options)
}

long <- function(what, a, b = double(), left = 0) {
  what <- match(what, c("add", "subtract", "multiply", "shift", "root", "compare", "length")) - 1L
  kernel <- .Call(ffi_test_long, what, whole_raw(a), whole_raw(b), left, kernel_options())
  if (!is.raw(kernel)) return(kernel)
  pairs <- matrix(as.numeric(kernel), 2)
  whole_trim(pairs[1, ] + 256 * pairs[2, ])
}

# Of all sorts: limbs of all ones, borders, zero.
some_wholes <- function(count) {
  limbs <- function(n) floor(stats::runif(n, 0, 2^16))
  full <- 2^16 - 1
  drawn <- replicate(count, {
    n <- sample(0:14, 1)
    switch(sample(4, 1), limbs(n), rep(full, n), c(double(n), sample(c(1, full), 1)), c(limbs(n), rep(full, 4)))
  }, simplify = FALSE)
  lapply(drawn, whole_trim)
}

test_that("long numbers are those of school", {
  set.seed(1101)
  a <- some_wholes(25)
  b <- some_wholes(25)
  for (i in seq_along(a)) {
    sum <- long("add", a[[i]], b[[i]])
    expect_identical(sum, whole_add(a[[i]], b[[i]]))
    expect_identical(long("subtract", sum, b[[i]]), a[[i]])
    expect_identical(long("multiply", a[[i]], b[[i]]), whole_multiply(a[[i]], b[[i]]))
    expect_identical(long("compare", a[[i]], b[[i]]), whole_compare(a[[i]], b[[i]]))
    expect_identical(long("compare", a[[i]], a[[i]]), 0L)
    for (left in c(0, 1, 17, 64, 130, -1, -16, -63, -64, -65, -200)) {
      expect_identical(long("shift", a[[i]], left = left), whole_shift(a[[i]], left))
    }
    expect_identical(long("length", a[[i]]), as.double(max(0, which(whole_bits(a[[i]]) == 1))))
  }
  # products that are known
  full <- rep(2^16 - 1, 8)
  expect_identical(long("multiply", full, full), c(1, double(7), 2^16 - 2, rep(2^16 - 1, 7)))
})

test_that("a root is the largest whole number whose square is not above", {
  set.seed(1102)
  for (root in some_wholes(60)) {
    square <- whole_multiply(root, root)
    expect_identical(long("root", square), root)
    if (!length(root)) next
    less <- long("subtract", root, 1)
    expect_identical(long("root", long("subtract", square, 1)), less)
    # the last one before the next square
    expect_identical(long("root", whole_add(square, whole_add(root, root))), root)
  }
  for (a in some_wholes(5)) expect_identical(long("root", a), root_of_limbs(a))
})

test_that("a release is what whole numbers in R make of the words that were drawn", {
  released <- slow <- double()
  for (key in 1:25) {
    D <- (key - 1) %% 5 + 1
    v <- round(stats::qnorm(seq_len(D) / 7, 0, 100))
    # the scale 2.5, and one of all digits
    scale <- if (key %% 2) 2.5 else 1000 / 3
    s <- if (key %% 2) whole_of(5) else whole_of(scale * 2^44)
    released <- c(released, norm_draws(v, scale, 1, options = of_key(key))$released)
    slow <- c(slow, slow_norm(words_source(of_key(key)[[1]], 2000), v, s, if (key %% 2) 1 else 44))
  }
  expect_identical(slow, released)
})

test_that("refining from few digits on goes through the same words", {
  for (key in 1:12) {
    refined <- norm_draws(c(3, -7, 0), 40, 1, first = 1L, options = of_key(key))
    slow <- slow_norm(words_source(of_key(key)[[1]], 2000), c(3, -7, 0), 40, 0, 1)
    expect_identical(slow, as.vector(refined$released))
    expect_gt(refined$added, 2)
  }
})

test_that("the same variates give the same release, however many digits come first", {
  for (D in c(1, 2, 3, 10)) {
    drawn <- lapply(c(1L, 2L, 3L, 7L, 16L, 33L, 64L, 65L, 128L, 250L), function(first) {
      norm_draws(seq_len(D), 2.5, 300, first, ahead = 64L, options = of_key(D))
    })
    for (one in drawn[-1]) expect_identical(one$released, drawn[[1]]$released)
    expect_gt(drawn[[1]]$added, 300)
    expect_identical(drawn[[8]]$added, 0)
  }
})

test_that("exponential and normal variates have their laws, and what comes behind is uniform (false alarm 1e-6 each)", {
  skip_unless_long()
  set.seed(1103)
  laws <- list(stats::pexp, stats::pnorm)
  for (what in 0:1) {
    drawn <- .Call(ffi_test_variates, 2e6, what, kernel_options("R"))
    cells <- 1000
    counts <- function(u) tabulate(pmin(floor(u * cells), cells - 1) + 1, cells)
    expect_gt(stats::chisq.test(counts(laws[[what + 1]](drawn[1, ])))$p.value, 1e-6)
    expect_gt(stats::chisq.test(counts(drawn[3, ]))$p.value, 1e-6)
    # also where more than one limb was looked at, and given what the number is
    expect_gt(sum(drawn[4, ] > 1), 5)
    expect_gt(stats::cor.test(drawn[1, ], drawn[3, ])$p.value, 1e-6)
  }
})

# Probabilities of cells [k, k + 1) x ... of the density, by Gauss and Legendre's rule with 24 points a side.
plane_cells <- function(k, scale) {
  at <- (seq_len(24) - 0.5) / 24
  along <- as.vector(outer(at, k, `+`))
  density <- exp(-sqrt(outer(along^2, along^2, `+`)) / scale) / (2 * pi * scale^2 * 24^2)
  group <- rep(seq_along(k), each = 24)
  t(rowsum(t(rowsum(density, group)), group))
}

line_cells <- function(k, scale) {
  law <- function(x) ifelse(x < 0, exp(pmin(x, 0) / scale) / 2, 1 - exp(-pmax(x, 0) / scale) / 2)
  law(k + 1) - law(k)
}

test_that("on lines and in the plane all cells have their probability, refined or not (false alarm 1e-6 each)", {
  set.seed(1104)
  draws <- long_or(3e6, 1e5)
  k <- -30:29
  for (first in c(1L, 2L, 64L)) {
    drawn <- norm_draws(3, 2.5, draws, first)
    if (first < 3) expect_gt(drawn$added, draws)
    expect_gt(discrete_fit(as.vector(drawn$released) - 3, k, line_cells(k, 2.5)), 1e-6)
    drawn <- norm_draws(c(-4, 9), 1.5, draws, first)$released - c(-4, 9)
    cells <- plane_cells(k, 1.5)
    expect_equal(sum(cells), 1, tolerance = 1e-5)
    expect_gt(discrete_fit(drawn[1, ] * 1000 + drawn[2, ], as.vector(outer(1000 * k, k, `+`)), as.vector(cells)), 1e-6)
  }
})

test_that("lengths have the Gamma law and directions none (false alarm 1e-6 each)", {
  set.seed(1105)
  for (D in c(1, 2, 3, 4, 7, 20, 101)) {
    scale <- 2^40 * stats::runif(1, 1, 2)
    z <- norm_draws(double(D), scale, 2000)$released / scale
    expect_gt(stats::ks.test(sqrt(colSums(z^2)), stats::pgamma, D)$p.value, 1e-6)
    expect_gt(stats::binom.test(sum(z > 0), length(z))$p.value, 1e-6)
    if (D > 1) expect_gt(stats::ks.test((z[1, ]^2 / colSums(z^2)), stats::pbeta, 1 / 2, (D - 1) / 2)$p.value, 1e-6)
  }
})

test_that("the scale is the least double that keeps epsilon", {
  set.seed(1106)
  enough <- function(scale, epsilon, squared) {
    parts <- function(x) {
      e <- floor(log2(x)) - 52
      list(whole_of(x / 2^e), e)
    }
    s <- parts(scale)
    m <- parts(epsilon)
    t <- parts(squared)
    product <- whole_multiply(s[[1]], m[[1]])
    by <- 2 * (s[[2]] + m[[2]]) - t[[2]]
    whole_compare(whole_shift(whole_multiply(product, product), max(by, 0)), whole_shift(t[[1]], max(-by, 0))) >= 0
  }
  for (i in 1:40) {
    squared <- floor(2^stats::runif(1, 0, 52))
    epsilon <- 2^stats::runif(1, -20, 6)
    if (i %% 4 == 0) squared <- floor(sqrt(squared))^2 # roots that are whole
    if (i %% 8 == 0) epsilon <- 2^sample(-9:3, 1)
    scale <- norm_scale(squared, epsilon)
    expect_true(enough(scale, epsilon, squared))
    expect_false(enough(scale - 2^(floor(log2(scale)) - 52 - (log2(scale) == floor(log2(scale)))), epsilon, squared))
  }
  expect_identical(norm_scale(9, 1), 3)
  expect_identical(norm_scale(2^80, 2^-20), 2^60)
  # noise that is never seen, at least; and no more than the sampler takes
  expect_identical(norm_scale(1, 1e300), 2^-64)
  expect_identical(norm_scale(1, 2^-140), 2^140)
  expect_identical(norm_scale(1, 2^-141), NA_real_)
  expect_identical(norm_scale(1, 5e-324), NA_real_)
})

test_that("coarser steps are those of the same draw, rounded down; what is beyond 2^53 is cut off", {
  v <- c(-1e6, 12345, 2^52 + 1)
  fine <- norm_draws(v, 2^30 / 3, 500, options = of_key(5), ahead = 16L)$released
  for (shift in c(1L, 3L, 20L, 45L)) {
    coarse <- norm_draws(v, 2^30 / 3, 500, shift = shift, options = of_key(5), ahead = 16L)$released
    expect_identical(coarse, floor(fine / 2^shift))
  }
  small <- norm_draws(c(5, -5, 2^53, -2^53), 2^-64, 10)$released
  expect_true(all(small %in% c(5, 4, -5, -6, 2^53, 2^53 - 1, -2^53, -2^53 - 1)))
  expect_identical(range(small), c(-2^53, 2^53))
  wild <- norm_draws(c(0, 2^53), 2^140, 200)$released
  expect_true(all(abs(wild) == 2^53))
  # what is not cut off keeps its law: the halves of a line (false alarm 1e-6)
  set.seed(1107)
  cut <- norm_draws(0, 2^53, 20000)$released
  expect_gt(stats::binom.test(sum(cut == 2^53), 20000, exp(-1) / 2)$p.value, 1e-6)
  expect_gt(stats::binom.test(sum(abs(cut) < 2^52), 20000, 1 - exp(-1 / 2))$p.value, 1e-6)
  # huge scales with huge steps
  far <- norm_draws(0, 2^135, 5000, shift = 105L)$released
  expect_gt(stats::ks.test(abs(far) / 2^30, stats::pexp)$p.value, 1e-6)
})

test_that("what is added has the middles of cells, and steps of about 2^-31 scales", {
  set.seed(1108)
  for (scale in c(0.3, 1e5, 2^31, 2^33 + 1, 1e20)) {
    z <- add_norm_noise(c(0, 0, 0), scale, 400, "R")
    step <- 2^norm_shift(scale)
    expect_identical(z / step - floor(z / step), matrix(0.5, 3, 400))
    expect_true(step == 1 || (step > 2^-31 * scale && step <= 2^-30 * scale))
    if (scale > 1e4) expect_gt(stats::ks.test(sqrt(colSums(z^2)) / scale, stats::pgamma, 3)$p.value, 1e-6)
  }
  expect_identical(dim(add_norm_noise(c(1, 2), 3, 0, "R")), c(2L, 0L))
})
