# Every distribution test below fails by chance with probability 1e-6. With rng = "R" the seed is fixed, so that it
# fails always or never.
rarely <- 1e-6

# ---- the ranges of the cells ---------------------------------------------------------------------------------------

# Points of 64 bits as whole numbers of helper-norm.R.
cell_ranges <- function() {
  halves <- .Call(ffi_test_normal_ranges, kernel_options())
  whole <- function(at) lapply(seq_len(ncol(halves)), function(i) {
    whole_trim(as.vector(rbind(halves[at, i] %% 2^16, halves[at, i] %/% 2^16)))
  })
  list(first = whole(1:2), sure = whole(3:4))
}

whole_subtract <- function(a, b) {
  rest <- whole_pad(a, max(length(a), length(b))) - whole_pad(b, length(a))
  for (i in seq_along(rest)) if (rest[i] < 0) {
    rest[i] <- rest[i] + 2^16
    rest[i + 1] <- rest[i + 1] - 1
  }
  whole_trim(rest)
}

# Sum and last term of the series of exp(cell^2 / 128), times 128^n n!, and this factor.
exp_of_cell <- function(cell) {
  term <- sum <- unit <- 1
  for (n in seq_len(40 + ceiling(cell^2 / 32))) {
    term <- whole_multiply(whole_of(cell^2), term)
    sum <- whole_add(whole_multiply(whole_of(128 * n), sum), term)
    unit <- whole_multiply(whole_of(128 * n), unit)
  }
  list(sum = sum, term = term, unit = unit)
}

test_that("the range of a cell has the length 3 2^59 exp(-cell^2 / 128), but for few points that are not sure", {
  ranges <- cell_ranges()
  whole_length <- whole_multiply(3, whole_shift(1, 59))
  for (cell in c(0:20, 30, 50, 72:75, 100, 127)) {
    at <- cell + 1
    most <- whole_subtract(ranges$first[[at + 1]], ranges$first[[at]])
    sure <- whole_subtract(ranges$sure[[at]], ranges$first[[at]])
    series <- exp_of_cell(cell)
    scaled <- whole_multiply(whole_length, series$unit)
    expect_lte(whole_compare(whole_multiply(sure, whole_add(series$sum, series$term)), scaled), 0)
    expect_gte(whole_compare(whole_multiply(most, series$sum), scaled), 0)
    expect_lt(whole_value(whole_subtract(most, sure)), 1000)
  }
  expect_identical(ranges$first[[1]], double())
  expect_identical(ranges$first[[129]], ranges$sure[[129]])
  expect_identical(ranges$first[[130]], whole_add(ranges$first[[129]], 1))
  expect_lt(whole_value(ranges$first[[130]]), 0.99 * 2^64)
})

test_that("the coin of points that are not sure has its probability to the last bit", {
  set.seed(1201)
  length <- 3 * 2^59
  coins <- function(count, point, cell, shift) {
    .Call(ffi_test_normal_coins, count, point, cell, as.integer(shift), kernel_options("R"))
  }
  for (case in list(c(0, 74, 0), c(0, 75, 0), c(1, 73, 0), c(2, 72, 0), c(0, 128, 124), c(4, 130, 132),
                    c(0, 150, 190))) {
    p <- min(1, max(0, length * exp(-case[2]^2 / 128 + case[3] * log(2)) - case[1]))
    expect_gt(stats::binom.test(coins(2000, case[1], case[2], case[3]), 2000, p)$p.value, rarely)
  }
  expect_identical(coins(20, length - 1024, 0, 0), 20)
  expect_identical(coins(20, length, 0, 0), 0)
  expect_identical(coins(20, 0, 128, 0), 0)
})

# The cell of a point and of the words that follow, as whole numbers. A point uses its highest 16 bits first, and these
# are the lowest of a word. If all points are dropped, the words that are left have the point zero, in cell 0.
cell_of <- function(point, ...) {
  point <- whole_pad(point, 4)
  words <- c(point[c(4, 1:3)], unlist(lapply(list(...), whole_pad, 4)))
  .Call(ffi_test_normal_cell, whole_raw(whole_pad(words, 128)), kernel_options())
}

test_that("points at the borders of ranges have the right cells", {
  ranges <- cell_ranges()
  none <- double()
  full <- rep(2^16 - 1, 4)
  for (cell in c(1, 2, 17, 60, 73, 127)) {
    at <- cell + 1
    expect_identical(cell_of(ranges$first[[at]], none), cell)
    if (cell < 70) expect_identical(cell_of(whole_subtract(ranges$sure[[at]], 1), full), cell)
    # not sure: the first is kept by low further bits, and the last is dropped by high ones
    expect_identical(cell_of(ranges$sure[[at]], none), cell)
    expect_identical(cell_of(whole_subtract(ranges$first[[at + 1]], 1), full), 0)
  }
  # beyond all ranges, the next word is a point
  expect_identical(cell_of(ranges$first[[130]], full), 0)
  expect_identical(cell_of(full, ranges$first[[3]][c(4, 1:3)]), 2)
})

test_that("far cells share one point, by further bits", {
  far <- cell_ranges()$first[[129]]
  none <- double()
  # coins 0, 10, 110, and 1110...: heads first
  for (heads in 0:20) expect_identical(cell_of(far, whole_of(2^heads - 1), none, none, none, none), 128 + heads)
  # cell 128 is kept if U is below 3 2^60 exp(-128), which lies between 2^-124 and 2^-123
  expect_identical(ceiling(log2(3 * 2^60) - 128 / log(2)), -123)
  expect_identical(cell_of(far, none, none, 2^4), 128)
  expect_identical(cell_of(far, none, none, 2^5), 0)
})

# ---- the law by enumeration ----------------------------------------------------------------------------------------

# Probability that a fraction y is kept in a cell: all coins end after an even number of steps. A descent has at least n
# steps with probability (y step)^n / n!.
kept <- function(cell, y) {
  coins <- cell %/% 64 + 1
  step <- y * (2 * cell + y) / (128 * coins)
  even <- 0
  for (n in 26:0) even <- even + (-1)^n * step^n / factorial(n)
  even^coins
}

# Nodes and weights of Gauss and Legendre's rule on [0, 1], by the eigenvalues of Jacobi's matrix.
legendre_rule <- function(count) {
  i <- seq_len(count - 1)
  jacobi <- matrix(0, count, count)
  jacobi[cbind(i, i + 1)] <- jacobi[cbind(i + 1, i)] <- i / sqrt(4 * i^2 - 1)
  parts <- eigen(jacobi, symmetric = TRUE)
  list(node = (parts$values + 1) / 2, weight = parts$vectors[1, ]^2)
}

# Integral of kept() over [start, start + width].
kept_mass <- function(cell, start, width) {
  rule <- legendre_rule(20)
  mass <- 0
  for (i in seq_along(rule$node)) mass <- mass + rule$weight[i] * kept(cell, start + width * rule$node[i])
  width * mass
}

limbs_of <- function(fraction, count = 4) {
  limbs <- vapply(seq_len(count), function(i) floor(fraction * 2^(16 * i)) %% 2^16, fraction)
  t(matrix(limbs, ncol = count))
}
round_cells <- function(cell, fraction, places, scale, wide = TRUE) {
  .Call(ffi_test_round_normal, cell, as.double(limbs_of(fraction)), as.integer(places), scale, wide, kernel_options())
}

# Follows the bits of the fraction in all cells, until the kernel decides or 52 bits are used. Returns the probabilities
# of the rounded absolute values, and of the undecided nodes.
law_of_bits <- function(scale) {
  cell <- as.double(0:127)
  start <- double(128)
  law <- double(ceiling(16 * scale) + 2)
  for (places in 0:52) {
    if (!length(cell)) break
    size <- round_cells(cell, start, places, scale)
    done <- !is.na(size)
    mass <- exp(-cell[done]^2 / 128) * kept_mass(cell[done], start[done], 2^-places)
    sums <- rowsum(mass, size[done])
    at <- as.integer(rownames(sums)) + 1
    law[at] <- law[at] + sums
    cell <- rep(cell[!done], each = 2)
    start <- rep(start[!done], each = 2) + c(0, 2^-(places + 1))
  }
  total <- sum(exp(-(0:127)^2 / 128) * kept_mass(0:127, 0, 1))
  list(law = law / total, undecided = sum(exp(-cell^2 / 128) * kept_mass(cell, start, 2^-53)) / total)
}

test_that("the law by enumeration of bits is that of rounded normals to 1e-12", {
  for (scale in c(0.1, 0.5, 1, 7 / 3, 100)) {
    enumerated <- law_of_bits(scale)
    expect_lt(enumerated$undecided, 1e-13)
    y <- seq_along(enumerated$law) - 1
    expect_lt(max(abs(enumerated$law - (1 + (y > 0)) * rounded_probability(y, scale))), 1e-12)
  }
})

test_that("further bits change no decision, and integers of any length decide alike", {
  set.seed(1202)
  for (scale in c(2^-30, 0.3, 1, 7 / 3, 1e5 + 0.3, 2^40 - 1, 2^40)) {
    cell <- floor(abs(8 * stats::rnorm(500)))
    fraction <- stats::runif(500)
    last <- round_cells(cell, fraction, 64, scale)
    for (places in c(0, 1, 5, 16, 32, 48, 52, 64)) {
      size <- round_cells(cell, fraction, places, scale)
      expect_identical(round_cells(cell, fraction, places, scale, FALSE), size)
      decided <- !is.na(size)
      expect_identical(size[decided], last[decided])
      if (scale < 1e3) expect_identical(last, floor(scale * (cell + fraction) / 8 + 0.5))
    }
  }
  # at a tie, the bits that follow decide: none are below it, all are at or above it
  expect_identical(round_cells(3, 1 - 2^-52, 52, 1), 0)
  expect_identical(round_cells(4, 0, 52, 1), 1)
  expect_identical(round_cells(rep(3, 3), c(1 - 2^-52, 0.9, 0), 3, 1), c(0, 0, 0))
  expect_identical(round_cells(c(1, 1), c(0.5, 0.625), 1, 7 / 3), c(NA, NA) + 0)
  # far cells are clamped, and all bits count
  expect_identical(round_cells(c(2^25 - 1, 2^25, 2^62), double(3), 64, 2^40), c(2^62 - 2^37, 2^62, 2^62))
  # and so do all bits of the scale
  near <- function(places, scale) {
    .Call(ffi_test_round_normal, 3, c(rep(65535, 7), 0), places, scale, TRUE, kernel_options())
  }
  expect_identical(near(48L, 1 + 2^-52), NA_real_)
  expect_identical(near(128L, 1 + 2^-52), 1)
  expect_identical(near(128L, 1), 0)
})

# ---- from words to integers ----------------------------------------------------------------------------------------

# One draw from the words of a kernel. `scale` is exact.
slow_rounded_normal <- function(from, ranges, scale) {
  at <- function(point, limits) sum(vapply(limits, whole_compare, 0L, point) <= 0) # entries that begin at or before
  draw_cell <- function() repeat {
    head <- from$below(2^16)
    lowest <- whole_trim(c(0, 0, 0, head))
    highest <- c(rep(2^16 - 1, 3), head)
    entry <- at(lowest, ranges$first)
    if (whole_compare(highest, ranges$sure[[entry]]) < 0) return(entry - 1)
    more <- from$below(2^48)
    point <- whole_trim(c(more %% 2^16, more %/% 2^16 %% 2^16, more %/% 2^32, head))
    entry <- at(point, ranges$first)
    if (whole_compare(point, ranges$sure[[entry]]) < 0) return(entry - 1)
    if (entry < 130) stop("a point that is not sure has a probability of 2^-50")
  }
  keeps <- function(cell, y) {
    last <- y
    n <- 0
    repeat {
      f <- from$below(128)
      if (f > 2 * cell || !uniform_below(from, z <- new_uniform(), last)) return(n %% 2 == 0)
      if (f == 2 * cell && !uniform_below(from, new_uniform(), y)) return(n %% 2 == 0)
      last <- z
      n <- n + 1
    }
  }
  repeat {
    cell <- draw_cell()
    y <- new_uniform()
    if (keeps(cell, y)) break
  }
  negative <- from$below(2) == 1
  # With X = floor(2^(16 count) (cell + y)), scale (cell + y)/8 + 1/2 is at least (mantissa X + half)/2^down.
  digits <- 52 - floor(log2(scale))
  mantissa <- whole_of(scale * 2^digits)
  count <- 1 + sum(scale > 2^c(15, 31))
  repeat {
    limb_of(from, y, count)
    down <- digits + 3 + 16 * count
    low <- whole_add(whole_multiply(mantissa, c(rev(y$limbs[seq_len(count)]), cell)), whole_shift(1, down - 1))
    high <- whole_subtract(whole_add(low, mantissa), 1)
    low <- whole_shift(low, -down)
    if (identical(whole_shift(high, -down), low)) return(whole_value(low) * if (negative) -1 else 1)
    count <- count + 1
  }
}

test_that("draws are what whole numbers in R make of the words of the seeded stream", {
  ranges <- cell_ranges()
  for (key in 1:8) {
    scale <- c(0.5, 1, 7 / 3, 100, 1e4, 1e5 + 0.3, 3^20, 2^40)[key]
    options <- list(as.double(c(key, 1, 2, 3)), 1L, NULL)
    from <- words_source(options[[1]], 400)
    slow <- replicate(60, slow_rounded_normal(from, ranges, scale))
    drawn <- .Call(ffi_privacy_add_noise, double(60), scale, noise_kinds[["gaussian"]], options)
    expect_identical(slow + 0, drawn)
  }
})

# ---- distribution --------------------------------------------------------------------------------------------------

test_that("the distribution fits over the scales, from both sources", {
  set.seed(1203)
  for (scale in c(0.05, 0.2, 0.5, 1, 7 / 3, 10, 48.7, 100)) {
    for (rng in c("R", "os")) {
      y <- seq(-ceiling(20 * scale), ceiling(20 * scale))
      p <- rounded_probability(y, scale)
      expect_equal(sum(p), 1, tolerance = 1e-12)
      expect_gt(discrete_fit(rrounded_normal(1e5, scale, rng = rng), y, p), rarely)
    }
  }
})

test_that("at large scales, quantiles and residues fit", {
  set.seed(1204)
  for (scale in c(1e5 + 0.3, 2^30, 3^25, 2^40)) {
    z <- rrounded_normal(2e5, scale, rng = "R")
    expect_true(all(z == floor(z)))
    # equally probable cells between integers
    cuts <- round(stats::qnorm(seq_len(199) / 200) * scale) + 0.5
    p <- diff(c(0, stats::pnorm(cuts / scale), 1))
    expect_gt(stats::chisq.test(tabulate(findInterval(z, cuts) + 1, 200), p = p)$p.value, rarely)
    for (modulus in c(2, 16, 1000)) {
      expect_gt(stats::chisq.test(tabulate(z %% modulus + 1, modulus))$p.value, rarely)
    }
    # the sign is independent of the size
    signs <- table(z > 0, findInterval(abs(z), stats::quantile(abs(z), 1:9 / 10)))
    expect_gt(stats::chisq.test(signs)$p.value, rarely)
  }
})

test_that("points that are not sure change no distribution", {
  set.seed(1205)
  for (doubt in c(2^52, 2^58, 2^62)) {
    drawn <- .Call(ffi_test_normal_variates, 5000, doubt, kernel_options("R"))
    x <- (drawn[1, ] + drawn[2, ]) / 8
    expect_gt(stats::ks.test(x, function(q) 2 * stats::pnorm(q) - 1)$p.value, rarely)
  }
})

test_that("unused bits of a normal variate are uniform, given its size", {
  skip_unless_long()
  set.seed(1206)
  drawn <- .Call(ffi_test_normal_variates, 2e6, 0, kernel_options("R"))
  x <- (drawn[1, ] + drawn[2, ]) / 8
  cuts <- stats::qnorm(0.5 + seq_len(999) / 2000)
  expect_gt(stats::chisq.test(tabulate(findInterval(x, cuts) + 1, 1000))$p.value, rarely)
  unused <- drawn[2, ] * 2^16 - floor(drawn[2, ] * 2^16) # bits 17 to 48
  fresh <- drawn[3, ] < 2
  expect_gt(stats::chisq.test(tabulate(floor(unused[fresh] * 1000) + 1, 1000))$p.value, rarely)
  cells <- table(findInterval(x, cuts[1:9 * 100])[fresh], floor(unused[fresh] * 10))
  expect_gt(stats::chisq.test(cells)$p.value, rarely)
})

test_that("draws are independent, scales are recycled, and zero has no sign", {
  set.seed(1207)
  y <- rrounded_normal(1001, c(2^-30, 2^40), rng = "R")
  expect_true(all(y[c(TRUE, FALSE)] == 0))
  expect_true(all(y[c(FALSE, TRUE)] != 0))
  expect_true(all(1 / y[c(TRUE, FALSE)] == Inf))
  expect_identical(rrounded_normal(0, 1), double())
  z <- rrounded_normal(1e5, 3, rng = "R")
  # the standard error is 0.0032
  for (lag in 1:3) expect_lt(abs(stats::cor(z[-seq_len(lag)], z[seq_len(1e5 - lag)])), 0.016)
  expect_lt(abs(stats::cor(abs(z[-1]), abs(z[-1e5]))), 0.016)
  expect_identical(with_seed(3, rrounded_normal(20, 1e6, rng = "R")), with_seed(3, rrounded_normal(20, 1e6, rng = "R")))
  expect_false(identical(rrounded_normal(20, 1e6), rrounded_normal(20, 1e6)))
})

test_that("scales keep rho, or mu to the last bit of a double", {
  # no other measure is read as epsilon or rho
  for (other in list(c(mu = 1), c(renyi = 1), 1)) expect_error(noise_scale(other, 3, 9))
  scale <- norm_scale(9, 0.7) # of a double, here mu
  expect_gte(scale * 0.7, 3)
  expect_lt(scale, 3 / 0.7 * (1 + 2^-50))
  expect_length(rrounded_normal(3, scale), 3)
})

test_that("noise is added before anything is rounded", {
  y <- add_noise(rep(2^52, 1000), 3, "gaussian", "os") - 2^52
  expect_true(all(abs(y) < 50) && stats::sd(y) > 2)
  values <- c(0, 2^52, -2^52, 2^53)
  expect_identical(add_noise(values, 2^-30, "gaussian", "os"), values)
})

test_that("the stated half width holds exactly", {
  for (scale in c(2^-30, 0.4, 1, 2.5, 30, 2000)) for (level in c(0.5, 0.95, 0.999)) {
    half <- noise_half_width("gaussian", scale, level)
    below <- function(size) 1 - 2 * stats::pnorm((size + 0.5) / scale, lower.tail = FALSE)
    expect_gte(below(half), level - 1e-12)
    if (half > 0) expect_lt(below(half - 1), level + 1e-12)
  }
})

# ---- Gaussian differential privacy -----------------------------------------------------------------------------------

# The smallest mu that all likelihood ratio tests between two distributions on the same support allow.
mu_needed <- function(p, q) {
  order <- order(q / p, decreasing = TRUE)
  alpha <- cumsum(p[order])
  beta <- rev(cumsum(rev(q[order])))
  inner <- which(alpha > 1e-8 & alpha < 1 - 1e-8)
  inner <- inner[beta[inner + 1] > 1e-8]
  max(-stats::qnorm(alpha[inner]) - stats::qnorm(beta[inner + 1]))
}

test_that("rounded normals are mu-GDP with the mu of the shift, which the discrete Gaussian is not", {
  for (scale in c(0.5, 1, 2, 5)) for (shift in 1:3) {
    y <- seq(-ceiling(10 * scale), ceiling(10 * scale) + shift)
    mu <- mu_needed(rounded_probability(y, scale), rounded_probability(y - shift, scale))
    expect_lte(mu, shift / scale * (1 + 1e-6))
  }
  # a test between cells is a test of the normal variate: the bound is met
  y <- -10:11
  expect_equal(mu_needed(rounded_probability(y, 0.5), rounded_probability(y - 1, 0.5)), 2, tolerance = 1e-6)
  expect_gt(mu_needed(gaussian_probability(y, 0.5), gaussian_probability(y - 1, 0.5)), 2.4)
})

test_that("vectors of rounded normals are mu-GDP with the Euclidean length of the shift", {
  for (scale in c(0.5, 1.3)) for (shift in list(c(1, 1), c(2, 1), c(1, 0))) {
    y <- seq(-ceiling(10 * scale), ceiling(10 * scale) + 2)
    p <- outer(rounded_probability(y, scale), rounded_probability(y, scale))
    q <- outer(rounded_probability(y - shift[1], scale), rounded_probability(y - shift[2], scale))
    expect_lte(mu_needed(p, q), sqrt(sum(shift^2)) / scale * (1 + 1e-6))
  }
})

test_that("bad arguments are classed errors", {
  for (bad in list(0, -1, 2^-31, 2^41, Inf, NA, "1", NULL, double(), factor(1))) {
    expect_error(rrounded_normal(1, bad), class = "dptda_error_argument")
  }
  for (bad in list(-1, 1.5, NA, "1", c(1, 2), Inf)) {
    expect_error(rrounded_normal(bad, 1), class = "dptda_error_argument")
  }
  expect_error(rrounded_normal(1, 1, "seed"), class = "dptda_error_argument")
  expect_error(round_cells(1, 0.5, 65, 1), class = "dptda_error_argument")
})
