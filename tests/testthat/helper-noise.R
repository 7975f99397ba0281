# Probabilities of the discrete distributions, computed without the package: plain sums of exponentials, in logarithms
# to avoid underflow.
laplace_probability <- function(y, scale) {
  # log of tanh(1 / (2 scale)) = (1 - q) / (1 + q), q = exp(-1 / scale)
  exp(log(-expm1(-1 / scale)) - log1p(exp(-1 / scale)) - abs(y) / scale)
}

gaussian_probability <- function(y, scale) {
  support <- seq(-ceiling(40 * scale) - 1, ceiling(40 * scale) + 1)
  exponent <- -support^2 / (2 * scale^2)
  exp(-y^2 / (2 * scale^2) - max(exponent) - log(sum(exp(sort(exponent - max(exponent))))))
}

# Normal variates of this scale, rounded to integers.
rounded_probability <- function(y, scale) {
  above <- function(size) stats::pnorm(size / scale, lower.tail = FALSE)
  size <- abs(y)
  ifelse(y == 0, 1 - 2 * above(0.5), above(size - 0.5) - above(size + 0.5))
}

# Computes the p-value of a chi-square test of the cells with an expected count of at least ten, and of an exact
# binomial test of all other values together (including values outside `y`). In a cell with an expected count of a
# thousandth, a single draw would refute the chi-square test.
discrete_fit <- function(draws, y, probability) {
  probability <- c(probability, max(0, 1 - sum(probability)))
  observed <- c(tabulate(match(draws, y), length(y)), sum(!draws %in% y))
  rare <- length(draws) * probability < 10
  of_rare <- stats::binom.test(sum(observed[rare]), length(draws), min(1, sum(probability[rare])))$p.value
  if (sum(!rare) < 2) return(of_rare)
  expected <- probability[!rare] / sum(probability[!rare]) * sum(observed[!rare])
  of_common <- stats::pchisq(sum((observed[!rare] - expected)^2 / expected), sum(!rare) - 1, lower.tail = FALSE)
  min(1, 2 * of_rare, 2 * of_common)
}

# An epsilon, or rho, without visible noise. The release is the query itself.
noiseless <- 1e30

# Runs `code` with the package's `name` replaced by `replacement`.
with_replaced <- function(name, replacement, code) {
  namespace <- asNamespace("dptda")
  original <- get(name, namespace)
  put <- function(value) {
    unlockBinding(name, namespace)
    assign(name, value, namespace)
    lockBinding(name, namespace)
  }
  put(replacement)
  on.exit(put(original))
  force(code)
}

# Returns the output of a new R session that runs `code` with this package.
in_new_session <- function(code) {
  script <- tempfile(fileext = ".R")
  on.exit(unlink(script))
  writeLines(code, script)
  libraries <- paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)), stdout = TRUE, env = libraries)
}

# Draws rounded normals alone, as releases add them to integers.
rrounded_normal <- function(n, scale, ..., rng = c("os", "R")) {
  check_no_dots(...)
  draw_noise(check_count(n), check_scale(scale), "gaussian", check_choice(rng, c("os", "R")))
}
