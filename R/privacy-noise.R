#' Discrete Laplace and discrete Gaussian noise, exactly
#'
#' Draws discrete Laplace or discrete Gaussian noise exactly, integers with exactly the probabilities of these
#' distributions: no logarithm, no exponential and no rounding stands between the random bits and the result.
#'
#' `rdiscrete_laplace()` gives the integer y with probability proportional to
#' `exp(-abs(y) / scale)`, `rdiscrete_gaussian()` with probability proportional
#' to `exp(-y^2 / (2 * scale^2))`. Its standard deviation is at most `scale`,
#' and equal to it for all practical purposes from `scale = 1` on.
#'
#' @param n One integer, at least 0: the number of draws.
#' @param scale Numeric vector, from 2^-30 to 2^40: the scale, recycled. It is
#'   rounded up to 24 significant bits; a scale of up to seven digits that is a
#'   whole number is used as it is.
#' @inheritParams private_release
#' @param rng `"os"` or `"R"`: draw from the operating system's entropy, or
#'   from R's stream, which obeys [set.seed()].
#' @return A numeric vector of `n` integers.
#'
#' @section Privacy:
#' These functions protect nothing by themselves. Releases such as
#' [private_count()] and [private_mean()] add discrete Laplace noise to integers
#' whose sensitivity is known. Their Gaussian noise is a normal variate that is
#' rounded to an integer. Its standard deviation is `sqrt(scale^2 + 1 / 12)`, and
#' it is Gaussian differentially private (`mu`), unlike the discrete Gaussian.
#' Textbook noise on doubles is not
#' private: which doubles can arise depends on the data (Mironov 2012). Noise drawn
#' with `rng = "R"` can be drawn again by anyone who knows the seed. If you
#' add the noise to a number that is not an integer, this weakness returns. See
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' The rejection samplers of Canonne, Kamath and Steinke, in integer
#' arithmetic: every decision compares fair coins with the binary digits of a
#' fraction, two coins on average. A draw takes a fraction of a microsecond at
#' any scale. An event of probability below exp(-2^20) counts as impossible.
#' The proof is in `system.file("proofs", "privacy-noise.md", package =
#' "dptda")`.
#'
#' @references
#' Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for
#' differential privacy. *Advances in Neural Information Processing Systems*
#' 33. <https://arxiv.org/abs/2004.00010>
#'
#' Mironov, I. (2012). On significance of the least significant bits for
#' differential privacy. *ACM Conference on Computer and Communications
#' Security*, 650-661.
#' @examples
#' rdiscrete_laplace(10, scale = 2)
#' rdiscrete_gaussian(5, scale = c(0.1, 1, 10, 100, 1000))
#' @export
rdiscrete_laplace <- function(n, scale, ..., rng = c("os", "R")) {
  check_no_dots(...)
  draw_noise(check_count(n), check_scale(scale), "laplace", check_choice(rng, c("os", "R")))
}

#' @rdname rdiscrete_laplace
#' @export
rdiscrete_gaussian <- function(n, scale, ..., rng = c("os", "R")) {
  check_no_dots(...)
  draw_noise(check_count(n), check_scale(scale), "discrete_gaussian", check_choice(rng, c("os", "R")))
}

# Checks all arguments before memory for `n` numbers is allocated.
draw_noise <- function(n, scale, kind, rng) {
  force(n)
  force(scale)
  force(rng)
  add_noise(new_doubles(n), scale, kind, rng)
}

check_scale <- function(scale, arg = deparse1(substitute(scale))) {
  force(arg)
  if (missing(scale)) stop_missing(arg)
  good <- is_plain_numeric(scale) && length(scale) > 0 && !anyNA(scale) &&
    all(scale >= 2^-30 & scale <= 2^40)
  if (!good) stop_argument(arg, "must be numbers from 2^-30 to 2^40, not ", describe(scale), ".")
  as.double(scale)
}

# Releases add discrete Laplace noise, or Gaussian noise that is rounded to integers. On integers of l2 sensitivity D,
# the latter is exactly mu-GDP with mu = D / scale, since the rounded sum is a function of the sum
# (inst/proofs/privacy-rounded-normal.md). The discrete Gaussian is not, and only rdiscrete_gaussian() draws it.
noise_kinds <- c(laplace = 0L, discrete_gaussian = 1L, gaussian = 2L)

# Adds noise to integers, in integer arithmetic. Each vector of a list gets the noise of a separate call, in order.
add_noise <- function(values, scale, kind, rng) {
  most <- if (is.list(values)) max(0, lengths(values)) else length(values)
  progress <- if (most > 1e7) kernel_progress("Drawing noise")
  .Call(ffi_privacy_add_noise, values, scale, noise_kinds[[kind]], kernel_options(rng, progress))
}

# Returns the kind of noise for a measure: Laplace for epsilon, Gaussian for rho.
# Fails for another measure, which would be read as one of these.
measure_noise <- function(measure) switch(names(measure), epsilon = "laplace", rho = "gaussian", stop("measure"))

# Returns the smallest scale of noise on integers that keeps the measure, never rounded below it. `l1` and `l2_squared`:
# sensitivities, one for each scale. The second is squared, because the square is an integer.
noise_scale <- function(measure, l1, l2_squared) {
  kind <- measure_noise(measure)
  sensitivity <- if (kind == "laplace") l1 else l2_squared
  scale <- .Call(ffi_privacy_scale_for, noise_kinds[[kind]], as.double(sensitivity), unname(measure))
  # mu, and epsilon with delta, were changed to rho
  if (anyNA(scale)) refuse_much_noise(measure, if (names(measure) == "rho") "or the rho of `mu` or `delta` ")
  scale
}

# `also`: other arguments whose fault it may be.
refuse_much_noise <- function(measure, also = NULL) {
  stop_argument(names(measure)[1], also, "is so small that the noise would need a scale above 2^40.")
}

# Returns the smallest integer t >= 0 with P(noise >= t) <= chance. It describes accuracy, from public numbers, so
# floating point is precise enough.
noise_bound <- function(kind, scale, chance) {
  if (kind == "laplace") {
    return(max(0, ceiling(-scale * log(chance * (1 + exp(-1 / scale))))))
  }
  max(0, ceiling(stats::qnorm(chance, lower.tail = FALSE) * scale + 0.5))
}

# Returns the distance that the noise stays within, with probability `level`.
noise_half_width <- function(kind, scale, level = 0.95) {
  vapply(scale, function(one) max(0, noise_bound(kind, one, (1 - level) / 2) - 1), 0)
}

# Returns the standard deviation of noise on integers. For Gaussian noise, rounding adds 1 / 12 to the variance if the
# scale is at least 1 (to 1e-8), and otherwise the variance is a short sum.
noise_deviation <- function(kind, scale) {
  if (kind == "laplace") {
    q <- exp(-1 / scale)
    return(sqrt(2 * q) / -expm1(-1 / scale))
  }
  near <- vapply(pmin(scale, 1), function(one) {
    # the sum of P(|noise| >= y) (2 y - 1)
    y <- 1:40
    sqrt(sum(2 * stats::pnorm((y - 0.5) / one, lower.tail = FALSE) * (2 * y - 1)))
  }, 0)
  ifelse(scale > 1, sqrt(scale^2 + 1 / 12), near)
}
