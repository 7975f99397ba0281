# Gaussian noise on random samples of the rows, as in gradient training. Each neighboring relation has its own theorem,
# and the sampling method determines which theorem applies.

#' Privacy of the subsampled Gaussian mechanism (DP-SGD)
#'
#' `privacy_subsample()` accounts for the Gaussian mechanism on random samples, as in differentially private stochastic
#' gradient descent (DP-SGD). It returns the guarantee of `steps` sums over random samples of the rows, each with
#' Gaussian noise.
#'
#' There are two ways of sampling, each with its own neighboring relation and theorems:
#'
#' * `rate`: each row is taken with that probability, independently (Poisson sampling). One row is *added or removed*.
#' * `batch` of `n`: a set of exactly `batch` rows is drawn uniformly. One row is *replaced*.
#'
#' [privacy_convert()] and [privacy_curve()] compose the distributions of the privacy loss (Zhu, Dong and Wang 2022).
#' Budgets count the Renyi divergences (Mironov, Talwar and Zhang 2019; Wang, Balle and Kasiviswanathan 2019), because
#' their steps may be chosen along the way. These are also used beside mechanisms that are known by `rho` alone, and for
#' groups.
#'
#' `noise_multiplier` is the standard deviation divided by the l2 sensitivity of the sum *under that relation*. If rows
#' are clipped to norm C, the sensitivity is C for adding or removing a row, and 2 C for replacing one.
#'
#' Rows are sampled, and the guarantee is for one row. If people have several rows each, you would need to sample people
#' with all of their rows and to clip each person's contribution. No theorem for that case is implemented here. The
#' guarantee is not added to guarantees for people and not charged to a budget for people.
#'
#' @param noise_multiplier One positive number: the standard deviation of the noise divided by the sensitivity.
#' @param steps One integer of at least 1: the number of sums.
#' @param rate One number in (0, 1]: the probability of Poisson sampling.
#' @param batch,n Integers: the number of rows in a batch and in total. Give either `rate` or both of these.
#' @inheritParams private_release
#' @param relation `NULL`, or `"replace"` or `"add_remove"` to insist on a relation. It is an error of class
#'   `dptda_error_relation` if the way of sampling has no theorem for it.
#' @param alpha Numeric vector or `NULL`: the orders of the curve, above 1. `NULL` uses 76 orders up to 512 with `rate`,
#'   and 59 integer orders with `batch`. With `batch`, orders must be integers.
#'
#' @return A `dptda_guarantee` with a Renyi curve in the field `renyi`. The curve also has the noise multipliers, rates,
#'   and steps from which conversions start.
#'
#' @section Implementation:
#' Divergences are computed as logarithms of sums of positive terms, so that tiny values keep their digits. Non-integer
#' orders use the trapezoidal rule, which converges exponentially here. The computation takes milliseconds. A conversion
#' takes tenths of a second, also for thousands of steps.
#'
#' @references
#' Mironov, I., Talwar, K. and Zhang, L. (2019). Renyi differential privacy of
#' the sampled Gaussian mechanism. arXiv:1908.10530.
#'
#' Zhu, Y., Dong, J. and Wang, Y.-X. (2022). Optimal accounting of differential
#' privacy via characteristic function. *AISTATS*.
#'
#' Wang, Y.-X., Balle, B. and Kasiviswanathan, S. (2019). Subsampled Renyi
#' differential privacy and analytical moments accountant. *AISTATS*.
#' @examples
#' training <- privacy_subsample(1.1, steps = 1000, rate = 0.01)
#' training
#' privacy_convert(training, delta = 1e-5)
#' privacy_convert(privacy_subsample(1.1, steps = 1000, batch = 100, n = 10000),
#'                 delta = 1e-5)
#' @export
privacy_subsample <- function(noise_multiplier, steps, rate = NULL, batch = NULL, n = NULL, ..., relation = NULL,
                              alpha = NULL) {
  check_no_dots(...)
  noise <- check_number(noise_multiplier, 0, open_lower = TRUE)
  steps <- check_count(steps, 1)
  poisson <- !is.null(rate)
  if (poisson != is.null(batch) || poisson != is.null(n)) {
    stop_argument("rate", "or both of `batch` and `n` must be given.")
  }
  if (!poisson) {
    n <- check_count(n, 1)
    batch <- check_count(batch, 1, n)
  }
  rate <- if (poisson) check_number(rate, 0, 1, open_lower = TRUE) else batch / n
  proven <- if (poisson) relation_add_remove else relation_replace
  if (!is.null(relation) && check_relation(relation) != proven) {
    stop_dptda("relation", if (poisson) "Poisson sampling" else "sampling of fixed batches", " has a theorem for \"",
               proven, "\" only.")
  }
  alpha <- if (is.null(alpha)) default_orders(poisson) else check_orders(alpha)
  if (!poisson && any(alpha != floor(alpha))) stop_argument("alpha", "must be integers with `batch`.")
  if (max(alpha) < 2) stop_argument("alpha", "must include an order of at least 2.")
  once <- if (poisson) vapply(alpha, poisson_renyi, 0, rate, noise) else batch_renyi(alpha, rate, noise)
  curve <- new_curve(alpha, keep_positive(steps * once, 1))
  if (!length(curve$alpha) || max(curve$alpha) < 2) {
    stop_argument("noise_multiplier", "is too small: no divergence is finite. Use a larger one.")
  }
  curve[[if (poisson) "poisson" else "batches"]] <- c(noise, rate, steps)
  new_guarantee(
    measure = c(renyi = curve_at(curve, 1)), sensitivity = NA_real_,
    mechanism = with_plain_numbers(paste0(
      "Gaussian mechanism (noise multiplier ", format(noise), ") on ",
      if (poisson) paste0("Poisson samples (rate ", format(rate), ")")
      else paste("batches of", count_of(format(batch), "row")), ", ", count_of(format(steps), "step")
    )),
    public = list(noise_multiplier = noise, steps = steps, rate = rate, batch = batch, n = n),
    random = "unknown", step = "privacy_subsample", relation = proven, renyi = curve
  )
}

default_orders <- function(fractional) {
  whole <- c(2:32, seq(36, 64, by = 4), seq(72, 128, by = 8), seq(144, 256, by = 16), 320, 384, 448, 512)
  if (fractional) sort(c(1 + c(.01, .02, .05, 1:9 / 10), 2.25, 2.5, 2.75, 3.5, 4.5, whole)) else whole
}

# Computes the divergence for Poisson sampling from E(((1 - rate) + rate r)^alpha) minus one. r is the ratio of the
# shifted to the centered Gaussian density, under the centered one. After subtracting one, all terms are positive. For
# very small noise, sampling does not help.
poisson_renyi <- function(alpha, rate, noise) {
  if (rate == 1 || noise < 1e-2) return(alpha / (2 * noise^2))
  norm <- poisson_norm_bound(alpha, rate, noise)
  nodes <- (alpha / noise + 28) / trapezoid_step(noise)
  excess <- if (alpha == floor(alpha) && alpha <= 1e5) {
    poisson_excess_whole(alpha, rate, noise)
  } else if (nodes <= 2e6) {
    poisson_excess(alpha, rate, noise)
  } else {
    return(norm)
  }
  min(norm, log_one_plus_exp(excess) / (alpha - 1))
}

# Computes a bound by the triangle inequality of the alpha norm. It never exceeds the divergence without sampling, and
# is at most log(1 / rate) / (exp(x) rate) too large.
poisson_norm_bound <- function(alpha, rate, noise) {
  x <- (alpha - 1) / (2 * noise^2)
  log_norm <- if (x > 1) x + log(rate) + log1p((1 - rate) / rate * exp(-x)) else log1p(rate * expm1(x))
  alpha / (alpha - 1) * log_norm
}

poisson_excess_whole <- function(alpha, rate, noise) {
  k <- 2:alpha
  log_sum(lchoose(alpha, k) + k * log(rate) + (alpha - k) * log1p(-rate) + log_expm1(k * (k - 1) / (2 * noise^2)))
}

# Computes the moment minus one for any order, by the trapezoidal rule on the real line. The integrand is analytic in a
# strip of half width pi noise, so the error is below exp(-2 pi^2 noise / step). The double series of the paper would
# lose all digits of small divergences.
poisson_excess <- function(alpha, rate, noise) {
  step <- trapezoid_step(noise)
  y <- seq(-14, alpha / noise + 14, by = step)
  log_ratio <- y / noise - 1 / (2 * noise^2)
  log_term <- stats::dnorm(y, log = TRUE) + log_convex_excess(log_ratio, alpha, rate)
  log(step) + log_sum(log_term)
}

trapezoid_step <- function(noise) min(.25, noise / 2)

# Computes log((1 + u)^alpha - 1 - alpha u) for u = rate (exp(log_ratio) - 1).
log_convex_excess <- function(log_ratio, alpha, rate) {
  u <- rate * expm1(pmin(log_ratio, 700))
  # log(1 - rate + rate exp(log_ratio)), even if exp() would overflow
  log_mean <- ifelse(log_ratio > 1, log_ratio + log(rate) + log1p((1 - rate) / rate * exp(-log_ratio)), log1p(u))
  tiny <- abs(u) * (1 + alpha) < 1e-3
  v <- ifelse(tiny, u, 0)
  series <- log(alpha * (alpha - 1) / 2) + 2 * log(abs(v)) +
    log1p((alpha - 2) / 3 * v * (1 + (alpha - 3) / 4 * v * (1 + (alpha - 4) / 5 * v)))
  power <- alpha * log_mean
  large <- power > 50
  direct <- log(pmax(expm1(ifelse(large, 0, power)) - alpha * u, 0))
  log_share <- log(alpha * rate) + log_ratio - power
  ifelse(tiny, series, ifelse(large, power + log1p(-exp(pmin(log_share, 0))), direct))
}

# Computes divergences for batches of fixed size, one row replaced, at integer orders. Far above the orders needed for
# training, it uses a closed bound on the sum instead of the terms.
batch_renyi <- function(alpha, rate, noise) {
  plain <- alpha / (2 * noise^2)
  if (rate == 1 || noise < 1e-2) return(plain)
  summed <- alpha <= 1e5
  bound <- batch_closed_bound(alpha, rate, noise)
  if (any(summed)) {
    moment <- ternary_moments(max(alpha[summed]), noise)
    excess <- vapply(alpha[summed], function(alpha) {
      j <- 2:alpha
      log_sum(lchoose(alpha, j) + j * log(rate) + moment[j])
    }, 0)
    bound[summed] <- log_one_plus_exp(excess) / (alpha[summed] - 1)
  }
  pmin(plain, bound)
}

# One plus the sum is at most 2 (1 + rate exp(x))^alpha, with x = (alpha - 1) / (2 noise^2).
batch_closed_bound <- function(alpha, rate, noise) {
  x <- (alpha - 1) / (2 * noise^2)
  (log(2) + alpha * log_one_plus_exp(log(rate) + x)) / (alpha - 1)
}

# Returns logarithms of bounds on the moments of order 1..`last` of the difference of two densities divided by a third.
# Each density is one sensitivity from the next. The second bound can be smaller only up to some order (see the proof
# page), so its integrals are computed only up to that order.
ternary_moments <- function(last, noise) {
  j <- seq_len(last)
  simple <- log(2) + j * (j - 1) / (2 * noise^2)
  settled <- j + 1 > noise^2 & log(j + 1) - (j - 2) / noise^2 <= -log(2)
  j <- seq_len(sum(!settled))
  if (!length(j)) return(simple)
  even <- even_moments(2 * seq_len(ceiling(length(j) / 2)), noise)
  between <- log(4) + (even[pmax(floor(j / 2), 1)] + even[ceiling(j / 2)]) / 2
  simple[j] <- pmin(simple[j], between)
  simple
}

# Computes log E((r - 1)^l) for even l by the trapezoidal rule (the integrand is entire). With y = (1 / (2 noise) +
# noise t), the integrand is dnorm(y) (exp(t) - 1)^l. It is log-concave on either side of its zero t = 0, and the second
# derivative of its logarithm is below -1. So windows of 9.5 around the two peaks contain all except exp(-45) of it.
even_moments <- function(l, noise) {
  parts <- split(l, ceiling(seq_along(l) / 5000))
  unlist(lapply(parts, even_moments_of, noise), use.names = FALSE)
}

even_moments_of <- function(l, noise) {
  zero <- 1 / (2 * noise)
  above <- root_of_increasing(function(t) zero + noise * t - l / noise / -expm1(-t),
                              l / noise^2 + sqrt(l) / noise + 1)
  below <- root_of_increasing(function(t) noise * t - zero - l / noise / expm1(t),
                              (zero + sqrt(zero^2 + 4 * l)) / (2 * noise))
  peaks <- cbind(zero + noise * above, zero - noise * below)
  step <- .2
  log_term <- function(y, l, side) {
    t <- (y - zero) / noise * side
    size <- if (side > 0) log_expm1(pmax(t, 0)) else log(-expm1(-pmax(t, 0)))
    -y^2 / 2 - log(2 * pi) / 2 + l * size
  }
  top <- pmax(log_term(peaks[, 1], l, 1), log_term(peaks[, 2], l, -1))
  total <- 0
  for (side in c(1, -1)) {
    first <- floor((peaks[, (3 - side) / 2] - 9.5) / step)
    y <- step * outer(0:96, first, "+")
    terms <- log_term(y, rep(l, each = 97), side) - rep(top, each = 97)
    total <- total + colSums(exp(matrix(terms, 97)))
  }
  log(step) + top + log(total)
}

# Finds zeros of increasing functions between zero and `high`, by bisection.
root_of_increasing <- function(f, high) {
  low <- 0 * high
  for (i in 1:60) {
    middle <- (low + high) / 2
    up <- f(middle) < 0
    low[up] <- middle[up]
    high[!up] <- middle[!up]
  }
  (low + high) / 2
}
