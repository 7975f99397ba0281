# The rounds of a private covariance, and the accuracy that its result reports. Proofs are in
# inst/proofs/cluster-query.md. The rules for rounds, radius, and flags are not part of the proofs; they come from
# simulations (inst/simulations/covariance-rounds.R).

#' Accuracy of private covariances
#'
#' [private_covariance()] estimates a covariance in several noisy rounds, and shortens rows far from the mean. This page
#' describes the rounds and the bias that shortening causes.
#'
#' # Rounds
#' The last round gets half of the budget. The earlier rounds, which find its coordinates, share the rest equally. For
#' normal rows with correlation 0.95, three columns, 20,000 rows, and `epsilon` from 0.5 to 5, variances are within 1%
#' of the variances of the rows on average. This holds for boxes that extend 5 to 1,000 standard deviations to each side
#' (`inst/simulations/covariance-rounds.R`).
#'
#' In coordinates in which the box is `[-1, 1]` on each side, eigenvalues stay between 10^-10 and 4. A round can reduce
#' a variance by a factor of at most 50, or less if its noise is large. For example, if the rows are a hundred times
#' narrower than the box in some direction, three rounds find this direction, and some more find its shape. If the noise
#' of a round would leave more than two thirds of a variance (public numbers decide this), the round changes nothing.
#'
#' # Tails and skewness
#' Rows far from the mean are shortened to a length R. In earlier rounds, R is `sqrt(D + 2 * sqrt(D))` standard
#' deviations for `D` columns. In the last round, R is longer if the noise of a variance then stays below 2% (and below
#' the loss for Student's t with four degrees of freedom). The covariance is corrected for shortening as if rows were
#' normal. Other distributions are affected as follows:
#'
#' * *Heavy tails* lose variance. For three columns and `epsilon = 1`, t(5) loses 3% with 20,000 rows (R = 6), and a
#'   quarter with 2,000 rows (R = 2.5).
#' * *Light tails* gain variance. For 2,000 uniform rows with `epsilon` up to 1, variances are about a tenth too large;
#'   for 20,000 rows they are not.
#' * *Skewed columns* have a biased mean. For 10,000 log-normal rows (`sdlog = 1.2`, `rho = 0.1`), the mean is 0.15 too
#'   low, with noise 0.02.
#' * *Columns with one value in most rows* lose the other values, so their variance may be close to zero. `print()`
#'   warns about this.
#'
#' The stated noise does not include these biases. A twentieth of each round's budget is spent on the fraction of
#' shortened rows, which `print()` shows. [private_mean()] and [private_var()] use all rows.
#' @seealso [private_covariance()]
#' @examples
#' heavy <- matrix(stats::rt(6000, df = 3), ncol = 3)
#' private_covariance(heavy, domain_box(rep(-50, 3), rep(50, 3)), rho = 0.1)
#' @name covariance_accuracy
NULL

# ---- which queries ------------------------------------------------------------------------

# The last query, which produces the release, gets half of the budget and shortens rows as little as its noise allows.
# The earlier queries find its coordinates and share the rest. They shorten few rows, so that a direction with a wrong
# scale is not lost among others.
covariance_queries <- function(n, dimension, rho, rounds, digits = NULL) {
  last <- if (rounds == 1) rho else rho / 2
  far <- covariance_query(n, dimension, last, last_stretch(n, dimension, last, digits), digits)
  c(if (rounds > 1) rep(list(first_query(n, dimension, rho, rounds, digits)), rounds - 1), list(far))
}

covariance_query <- function(n, dimension, rho, stretch, digits) {
  options <- list(whitened = TRUE, hard = FALSE, lengthen = TRUE, stretch = stretch, least = 1e-10, far = TRUE)
  plan_query(n, dimension, rho, options, 1, digits)
}

least_stretch <- function(dimension) 1 + 2 / sqrt(dimension)

# A query before the last of `rounds` queries.
first_query <- function(n, dimension, rho, rounds, digits) {
  covariance_query(n, dimension, rho / 2 / (rounds - 1), least_stretch(dimension), digits)
}

# Longer rows lose less of heavy tails, but need more noise. The length grows as long as the noise of a variance stays
# below 0.02 of it, and below the loss for Student's t with four degrees of freedom, and as long as steps stay below a
# tenth of a standard deviation.
last_stretch <- function(n, dimension, rho, digits) {
  least <- least_stretch(dimension)
  query <- covariance_query(n, dimension, rho, least, digits)
  most <- if (is.null(query)) least else max(least, longest_steps(query$bits))
  longest_stretch(dimension, least, most, 0.02, function(stretch) {
    variance_noise_at(stretch, n, dimension, rho, far = TRUE)
  })
}

# The noise of a variance, as a fraction of it, for n rows that are shortened to a length.
variance_noise_at <- function(stretch, n, dimension, rho, far = FALSE) {
  stretch * dimension / (n * sqrt(rho * query_weights(dimension, stretch, far)[, 3]))
}

# The stretch at which a step is a tenth of a standard deviation.
longest_steps <- function(bits) 4^bits[1] / 100

# The largest stretch from `least` to `most` whose `noise`, times a fraction in `parts`, stays below `limit` and below
# the loss for Student's t with four degrees of freedom, or `least`. Everything is vectorized: eight of forty bisections
# run at once, with their bounds, for each of several `most` and `parts`.
longest_stretch <- function(dimension, least, most, limit, noise, parts = 1) {
  ends <- rbind(least, pmax(least, most), deparse.level = 0)
  for (i in 1:5) {
    asked <- halvings(ends, 8)
    count <- nrow(asked)
    flat <- as.vector(asked)
    bad <- noise(flat) * rep(parts, each = count) > pmin(limit, heavy_loss(dimension, flat))
    first <- max.col(t(rbind(matrix(bad, count), TRUE)), "first")
    # if no value is bad, or all are, both bounds are equal
    place <- rbind(pmax(first - 1, 1), pmin(first, count)) + rep((seq_along(most) - 1) * count, each = 2)
    ends <- matrix(flat[place], 2)
    if (all(ends[1, ] == ends[2, ])) break
  }
  ends[1, ]
}

# All geometric means that so many bisections between the bounds may need, in order: a column for each pair of bounds.
halvings <- function(ends, times) {
  for (i in seq_len(times)) {
    last <- nrow(ends)
    middles <- sqrt(ends[-last, , drop = FALSE] * ends[-1, , drop = FALSE])
    ends <- rbind(ends, middles)[order(c(seq_len(last), seq_len(last - 1) + 0.5)), , drop = FALSE]
  }
  ends
}

# The fraction of the second moments that is lost if rows from Student's t with four degrees of freedom are shortened.
heavy_loss <- function(dimension, stretch) {
  1 - stats::pf(dimension * stretch / (dimension + 2), dimension + 2, 2) -
    stretch * stats::pf(2 * stretch, dimension, 4, lower.tail = FALSE)
}

# In standard deviations of the rows, to each side.
wanted_reach <- 1000

# The number of queries that find the rows in a box of a thousand times their size. If noise rules this out, the number
# that comes closest, because each further query adds noise to all of them. Public numbers decide.
covariance_rounds <- function(n, dimension, rho, digits = NULL) {
  most_settled(n, dimension, function(rounds) first_query(n, dimension, rho, rounds, digits))
}

# The widest box, in standard deviations to each side, in which the rounds converge.
covariance_reach <- function(n, dimension, rho, rounds, digits = NULL) {
  first <- if (rounds > rounds_of_shape) first_query(n, dimension, rho, rounds, digits)
  settled_reach(n, dimension, rounds, first)
}

# `first`: a function of the number of rounds that returns the first of their queries, or NULL.
most_settled <- function(n, dimension, first) {
  reach <- vapply(8:24, function(rounds) settled_reach(n, dimension, rounds, first(rounds)), 0)
  enough <- which(reach >= wanted_reach)
  if (max(reach) <= 1) 1 else 7 + if (length(enough)) enough[1] else which.max(reach)
}

# Each round leaves at least a fraction of a variance, and noise adds to it. Four rounds find the shape. 1 is the box
# itself.
settled_reach <- function(n, dimension, rounds, first) {
  if (is.null(first) || n <= least_global(n) || least_left(first, dimension, n) > refit_limit) return(1)
  max(1, part_of_round(least_left(first, dimension, n))^(-(rounds - rounds_of_shape) / 2))
}

# The smallest fraction of a variance that a round leaves, and the number of rounds that then find the shape.
part_of_round <- function(least) pmin(1, 1.25 * least)
rounds_of_shape <- 4

# ---- before anything is spent --------------------------------------------------------------

# If no query refits the model (public numbers decide), the release is the box itself. If rounds do not converge, it is
# between the box and the covariance.
weakness_of.private_covariance <- function(plan) {
  queries <- plan$queries$global
  dimension <- length(plan$box$lower)
  clear <- any(vapply(queries, clears_noise, NA, dimension, plan$n, least_global(plan$n)))
  if (clear && (is.null(plan$queries$reach) || plan$queries$reach >= 5)) return(NULL)
  words <- if (clear) {
    paste("rounds do not converge in a box that extends 5 standard deviations of the rows to each side:",
          "variances may be many times too large")
  } else {
    "nothing is learned: the release will be the middle of the box and the squares of half its sides"
  }
  rho <- sum(vapply(queries, `[[`, 0, "rho"))
  # noise is inversely proportional to the number of rows
  least <- if (is.null(plan$queries$reach)) {
    max(floor(least_global(1)) + 1, min(vapply(queries, left_by_noise, 0, dimension, 1)) * 1.5)
  } else least_to_settle(plan$n, dimension, rho)
  weak("no_fit", words, columns = dimension, least = least, scales = FALSE)
}

# The number of rows with which rounds converge in a box of five standard deviations, to within a few percent.
least_to_settle <- function(n, dimension, rho) {
  settle <- function(n) covariance_reach(n, dimension, rho, covariance_rounds(n, dimension, rho)) >= 5
  first <- first_query(n, dimension, rho, 16, NULL)
  if (is.null(first)) return(Inf)
  rows <- max(n, least_global(1), left_by_noise(first, dimension, 1))
  while (rows < 1e12 && !settle(ceiling(rows))) rows <- rows * 1.05
  if (rows < 1e12) ceiling(rows) else Inf
}

# The noise of a variance that earlier rounds have found.
variance_noise <- function(query) {
  last <- length(query$scale)
  new_noise("gaussian", query$scale[last], query$unit[last] / (query$n * query$kappa))
}

# ---- results --------------------------------------------------------------------------------

# The standard deviation of the noise of each entry, in the coordinates of the box. `seen`: the result of the last
# query, with the `covariances` of the previous model.
entry_noise <- function(seen, query) {
  S <- matrix(seen$covariances, nrow(seen$sum))
  t <- mean(diag(matrix(seen$product, nrow(S)))) / seen$count
  longer <- function(t) lengthening_of(query, t, nrow(S))
  step <- max(abs(t) * 1e-4, 1e-9) # t may be 0
  by_trace <- (longer(t + step) * (t + step) - longer(t - step) * (t - step)) / (2 * step)
  squares <- longer(t)^2 * ((tcrossprod(diag(S)) + S^2) / 2 - S^2 / nrow(S)) + by_trace^2 * S^2 / nrow(S)
  query$sd[2] / seen$count * sqrt(squares)
}

# The noise of the mean, for each column.
noise_of_center <- function(seen, query) {
  query$scale[2] * query$unit[2] / seen$count * sqrt(diag(matrix(seen$covariances, nrow(seen$sum))))
}

# The fraction of rows that the last query shortened, the noise of this fraction, its value for a Gaussian of the
# observed size, and the length, in standard deviations.
far_share <- function(seen, query) {
  dimension <- nrow(seen$sum)
  square <- dimension * query$stretch
  size <- max(mean(diag(matrix(seen_moments(seen, 1, query)$C, dimension))), 0.02)
  c(share = min(max(seen$far / seen$count, 0), 1), noise = query$sd[1] / seen$count,
    gaussian = stats::pchisq(square / size, dimension, lower.tail = FALSE), radius = sqrt(square))
}

# Whether the last query left at least a tenth of each variance from the previous one. It leaves less if variances are
# many times too large, and rarely otherwise.
rounds_settled <- function(seen, query) {
  dimension <- nrow(seen$sum)
  if (!clears_noise(query, dimension, seen$count, least_global(query$n))) return(FALSE)
  S <- matrix(seen_moments(seen, 1, query)$C, dimension)
  min(eigen(S, symmetric = TRUE, only.values = TRUE)$values) >= 0.1
}

define_class("dptda_private_covariance", "private_covariance()", cov = is_numbers, center = is_numbers,
             n.obs = is_one_number, noise = is_numbers, far = is_null_or(is_numbers),
             settled = is_null_or(is_one_flag), n_noise = is_null_or(is_one_number),
             center_noise = is_null_or(is_numbers), units = is_null_or(is_one_string),
             .valid = function(x) {
               D <- length(x$center)
               identical(dim(x$cov), c(D, D)) && identical(dim(x$noise), c(D, D)) && length(x$far) %in% c(0, 4) &&
                 (is.null(x$units) || !is.null(x$n_noise))
             })

#' @export
as.double.dptda_private_covariance <- function(x, ...) as.double(check_valid(x, "dptda_private_covariance")$cov)

#' @rdname plot.dptda_private_covariance
#' @export
as.matrix.dptda_private_covariance <- function(x, ...) check_valid(x, "dptda_private_covariance")$cov

#' @export
print.dptda_private_covariance <- function(x, ...) {
  check_valid(x, "dptda_private_covariance")
  print_release(x, {
    if (!is.null(x$units)) {
      cat(x$units, " ", format_beside(x$n.obs, x$n_noise), " (standard deviation of noise ",
          format(x$n_noise, digits = 2), ")", if (any(is.infinite(x$noise))) ": too noisy to use", "\n", sep = "")
    }
    center <- show_places(as.list(x$center), seq_along(x$center), privacy(x)$public$box)
    named <- function(title, values) {
      lines <- paste0(title, ": ", paste(c(colnames(x$cov)), values, collapse = ", "))
      writeLines(strwrap(lines, 80, exdent = 2))
    }
    named("mean", vapply(center, format, "", digits = 4))
    if (!is.null(x$center_noise)) {
      named("standard deviations of noise in the mean", vapply(unname(x$center_noise), format, "", digits = 2))
    }
    print(x$cov, digits = 4)
    cat("standard deviations of noise in the covariance:\n")
    print(x$noise, digits = 2)
    if (!is.null(x$far)) cat(far_words(x$far), sep = "\n")
    if (!is.null(x$units)) cat(uncounted_words(x$units), sep = "\n")
    if (isFALSE(x$settled)) {
      cat(strwrap(paste("Not converged: the last round still reduced a variance substantially. Variances may be many",
                        "times too large. Use a narrower box or a larger budget.")),
          sep = "\n")
    }
    writeLines(narrow_words(x))
  })
}

# Columns that are narrower in their box than rounds can handle. Rows far from the majority have been shortened in each
# round, down to nothing.
narrow_columns <- function(fit, box) {
  which(is.finite(diag(fit$noise)) & sqrt(diag(fit$cov)) * wanted_reach < (box$upper - box$lower) / 2)
}

narrow_words <- function(x) {
  narrow <- narrow_columns(x, privacy(x)$public$box)
  if (!length(narrow)) return(character())
  names <- if (is.null(rownames(x$cov))) paste("column", narrow) else paste0("`", rownames(x$cov)[narrow], "`")
  strwrap(paste0(first_few(names), narrow_reason, " Use private_var(), which uses all rows."))
}

narrow_reason <- paste0(": standard deviation below a thousandth of half the side of the box. If most rows share one ",
                        "value, the others are lost, and the true variance is far larger.")

first_few <- function(words) {
  more <- length(words) - 3
  paste0(paste(utils::head(words, 3), collapse = ", "), if (more > 0) paste(" and", more, "more"))
}

far_words <- function(far) {
  part <- function(p) paste0(if (p < 5e-5) 0 else format(signif(100 * p, 2), scientific = FALSE), "%")
  strwrap(paste0(
    "rows farther than ", count_of(format(far[["radius"]], digits = 2), "standard deviation"), " from the mean, ",
    "shortened to that distance: ", part(far[["share"]]), " (standard deviation of noise ", part(far[["noise"]]),
    "), versus ", part(far[["gaussian"]]), " for normal data",
    if (is_heavy(far)) {
      paste(". Warning: tails are heavier than normal. Variances are smaller than those of cov(), perhaps by far, and",
            "means of skewed columns are biased. The stated noise does not include this. private_mean() and",
            "private_var() use all rows.")
    }
  ), exdent = 2)
}

# If rows are counted in each round, far rows are not counted, because a further number would add noise to all of them.
uncounted_words <- function(units) {
  strwrap(paste0("Shortened ", units, " are not counted. With heavy tails, variances are smaller than those of cov() ",
                 "and means of skewed columns are biased, by more than the noise."), exdent = 2)
}

is_heavy <- function(far) far[["share"]] > far[["gaussian"]] + 3 * far[["noise"]]
