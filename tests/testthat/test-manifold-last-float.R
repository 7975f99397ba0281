# Far tails of noise: what can be released of one data set can be of its neighbors. First of that which is drawn in
# doubles about a point of the manifold (`method = "intrinsic"`), then of the exact one.

# 32 words of 64 bits for each draw. Columns of `high` and `low` are the halves of the first ones; the others take
# whatever is proposed, and a positive direction.
words_of <- function(high, low) {
  bytes <- function(half) as.vector(rbind(half %% 256, half %/% 2^8 %% 256, half %/% 2^16 %% 256, half %/% 2^24))
  rest <- rep(c(0, 0, 0, 0, 0, 0, 0, 0xb0, 1, 1, 1, 1, 1, 1, 1, 0xa0), length.out = 256 - 8 * nrow(high))
  one <- function(i) {
    given <- bytes(as.vector(rbind(low[, i], high[, i])))
    if (.Platform$endian == "big") given <- as.vector(matrix(given, 8)[8:1, ])
    as.raw(c(given, rest))
  }
  unlist(lapply(seq_len(ncol(high)), one))
}

# Words of draws in the last piece of the hull, at a depth between 2^-(13 heads + 13) and twice that in it; `digits`, in
# 0 .. 2^51 - 1, are those of the depth.
tail_words <- function(digits, heads) {
  high <- low <- matrix(0, heads + 2, length(digits))
  high[1, ] <- low[1, ] <- 2^32 - 1
  high[2, ] <- digits %/% 2^32
  low[2, ] <- digits %% 2^32
  high[heads + 2, ] <- 2^19 # twelve zeros and a one
  words_of(high, low)
}

# Draws of a mechanism on a line about `location`, in steps of its lattice: the further the fewer digits.
tail_draws <- function(mechanism, location, digits, heads) {
  drawn <- .Call(ffi_test_laplace_words, mechanism$space, location, 0, mechanism$scale, tail_words(digits, heads),
                 kernel_options())
  round(as.vector(drawn) / mechanism$step)
}

# Some digits with which the draw about `location` is the wanted one, or as near as they come.
find_digits <- function(mechanism, location, wanted, heads) {
  low <- rep(0, length(wanted))
  high <- rep(2^51 - 1, length(wanted))
  for (i in 1:51) {
    middle <- floor((low + high) / 2)
    far <- tail_draws(mechanism, location, middle, heads) > wanted
    low[far] <- middle[far]
    high[!far] <- middle[!far]
  }
  high
}

# The plan of the former on a line, where releases have the latter.
on_a_line <- function(n, epsilon, radius = 1) {
  ball <- list(space = manifold_euclidean(1), radius = radius, sensitivity = 2 * radius / n,
               measure = c(epsilon = epsilon))
  scale <- laplace_scale(ball)
  c(ball, scale = scale, step = chart_step(ball$space, radius, scale))
}

test_that("far in the tail, what is released of one data set can be released of its neighbor", {
  set.seed(771)
  for (setting in list(c(2, 1e-5), c(2, 1e-3), c(2, 1), c(1000, 1e-5), c(1e6, 1))) {
    mechanism <- on_a_line(setting[1], setting[2])
    for (heads in c(1, 4, 20)) {
      released <- tail_draws(mechanism, 0, floor(stats::runif(20, 0.3, 0.7) * 2^51), heads)
      expect_gt(min(released) * mechanism$step / mechanism$scale, log(2) * (13 * heads + 12))
      neighbor <- min(mechanism$sensitivity, 0.1 * mechanism$scale)
      found <- tail_draws(mechanism, neighbor, find_digits(mechanism, neighbor, released, heads), heads)
      expect_identical(found, released)
    }
  }
})

test_that("there its probability under one is within the declared factor of that under the other", {
  set.seed(772)
  for (setting in list(c(2, 1e-6), c(2, 1e-5), c(1e5, 1e-5), c(2, 0.05))) {
    mechanism <- on_a_line(setting[1], setting[2])
    for (heads in c(1, 3)) {
      released <- tail_draws(mechanism, 0, floor(stats::runif(20, 0.3, 0.7) * 2^51), heads)
      # each of the digits is as likely as any other
      chances <- function(location) {
        find_digits(mechanism, location, released - 1, heads) - find_digits(mechanism, location, released, heads)
      }
      expect_lte(max(abs(log(chances(0) / chances(mechanism$sensitivity)))), setting[2])
    }
  }
})

test_that("rounding takes its part of epsilon, and never more than half", {
  for (manifold in list(manifold_rotation(2), manifold_rotation(5), manifold_sphere(1), manifold_sphere(2))) {
    for (epsilon in 10^(-9:1)) {
      mechanism <- mean_plan(20, manifold, 0.5, c(epsilon = epsilon), support = "manifold", method = "intrinsic")
      spent <- mechanism$sensitivity / mechanism$scale
      lost <- lost_to_rounding(mechanism$space, mechanism$radius, mechanism$scale)
      if (is.finite(mechanism$scale)) expect_lte(spent + min(lost, epsilon / 2), epsilon * (1 + 1e-9))
      if (is.finite(mechanism$scale)) expect_gte(spent, 0.49 * epsilon)
      if (epsilon > 1e-3) expect_gt(spent, epsilon * (1 - 1e-3))
    }
  }
})

# ---- exact noise ---------------------------------------------------------------------------------------------------

# What a kernel must draw so that uniform numbers have these limbs and the only word that is shared out is `pool`: the
# words for limbs are taken when one is needed, and that for the pool after `before` of the limbs.
words_with <- function(limbs, before, pool = 0) {
  limbs <- c(limbs, double(-length(limbs) %% 4))
  words <- matrix(limbs, 4)
  at <- ceiling(before / 4)
  words <- cbind(words[, seq_len(at)], c(pool, 0, 0, 0), words[, -seq_len(at)], deparse.level = 0)
  stopifnot(ncol(words) <= 32)
  words <- cbind(words, matrix(0, 4, 32 - ncol(words)))
  as.raw(as.vector(rbind(as.vector(words) %% 256, as.vector(words) %/% 256)))
}

# The release of a line from the normal variate g / 2^48, g below 2^48, and the exponential one `whole` + 0.9..., which
# descents of one or no number accept.
line_release <- function(mechanism, statistic, g, whole, negative = FALSE) {
  high <- 0xe666
  # of two numbers that are compared the new one is drawn first; exp(-1/2) fails: k = 0, and nothing is below x
  first <- c(1, 65535, 65535, g %/% 2^32)
  unit <- rep(c(1, high, 65535), whole)
  last <- c(65535, high)
  rest <- c(0x6666, 0x6666, 0x6666, g %/% 2^16 %% 2^16, g %% 2^16, 2^15)
  words <- words_with(c(first, unit, last, rest), 4, negative)
  .Call(ffi_test_norm_words, statistic, mechanism$scale, norm_shift(mechanism$scale), words, kernel_options())
}

test_that("every release on a line is possible under every neighbor, far out and with little epsilon", {
  set.seed(773)
  for (setting in list(c(2, 1e-5), c(2, 1e-3), c(2, 1), c(1000, 1e-5), c(1e6, 1))) {
    n <- setting[1]
    mechanism <- mean_plan(n, manifold_euclidean(1), 1, c(epsilon = setting[2]), support = "manifold")
    here <- plan_statistic(mechanism, matrix(1, 1, n))
    there <- plan_statistic(mechanism, matrix(c(rep(1, n - 1), -1), 1))
    expect_lte(abs(here - there), sqrt(mechanism$l2_squared))
    expect_gt(abs(here - there), sqrt(mechanism$l2_squared) * (1 - 1e-6))
    for (whole in c(0, 7, 20)) for (negative in c(FALSE, TRUE)) {
      for (g in floor(stats::runif(5, 0.4, 0.6) * 2^48)) {
        released <- line_release(mechanism, here, g, whole, negative)
        away <- released * 2^norm_shift(mechanism$scale) - here
        expect_equal(abs(away) / mechanism$scale, sqrt(2 * (whole + 0.9)) * g / 2^48, tolerance = 1e-4)
        # other digits of the normal variate, which are as likely, lead there too
        low <- 0
        high <- 2^48 - 1
        for (i in 1:48) {
          middle <- floor((low + high) / 2)
          found <- line_release(mechanism, there, middle, whole, negative)
          if ((found < released) != negative) low <- middle else high <- middle
          if (found == released) break
        }
        # with much epsilon that would not always be a number below one
        if (setting[2] < 1 || whole == 20) expect_identical(found, released)
      }
    }
  }
})

test_that("the last bits of exact noise tell neighbors apart no better than the promise", {
  set.seed(774)
  for (epsilon in c(1e-5, 0.5)) {
    mechanism <- mean_plan(1, manifold_euclidean(2), 1, c(epsilon = epsilon), support = "manifold")
    draws <- function(data, runs) {
      steps <- draw_mean(mechanism, plan_statistic(mechanism, cbind(data)), runs, "R") / mechanism$step - 0.5
      stopifnot(steps == floor(steps))
      t(rbind(steps, steps %% 64, steps %% 2))
    }
    expect_false(audit_mechanism(NULL, c(1, 0), c(-1, 0), epsilon, runs = 6000, draws = draws)$rejected)
  }
})
