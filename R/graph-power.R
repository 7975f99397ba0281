#' Power analysis for a private graph
#'
#' Computes the power, the number of vertices, epsilon, or the detectable difference of groups (communities) for a
#' release of [private_graph()] from the other three, without the data. Power is the probability that
#' [spectral_embedding()] detects the groups. Leave out the quantity to compute, as with [power.t.test()].
#'
#' @details
#' # Signal and noise
#' The signal is an eigenvalue \eqn{\lambda}{lambda} of the matrix of probabilities. For k equal blocks, with
#' probability `p_in` of an edge within and `p_out` between them, it is n (p_in - p_out) / k - p_in, with multiplicity k
#' - 1. The noise is the variance of an entry of the debiased matrix, \eqn{s^2 = v + 1 / (4 \sinh^2(\epsilon / 2))}{s^2
#' = v + 1 / (4 sinh^2(epsilon / 2))}, with v the mean of p (1 - p).
#'
#' The strength of the signal is \eqn{\lambda / (s \sqrt n)}{lambda / (s sqrt(n))}. The squared overlap (cosine) between
#' the true and the observed eigenvector is 1 - strength^-2, and 0 if that is negative. The change at strength 1 is
#' sudden. These are limits for many vertices: a strength between 1 and 1.25 is uncertain. If degrees differ much,
#' eigenvalues are larger than their density alone would allow.
#'
#' # Detection
#' The eigenvalue is *detected* if [spectral_embedding()] counts it, because it is observed beyond the edge of the
#' noise, and if its limiting squared overlap is at least `overlap`. If the strength is above 1, the observed eigenvalue
#' is nearly normal, with mean \eqn{\lambda + (n - 4) s^2 / \lambda}{lambda + (n - 4) s^2 / lambda} and variance \eqn{2
#' s^2 (1 - strength^{-2})}{2 s^2 (1 - strength^-2)}. Otherwise, the power is 0. For more than two blocks, the power is
#' for one of the k - 1 eigenvalues.
#'
#' @param n `NULL` or an integer of at least 2: the number of vertices. It can be computed for blocks only.
#' @param epsilon `NULL` or one positive number. `Inf` stands for no randomized response.
#' @param ... Not used. Later arguments must be named.
#' @param p_in,p_out `NULL` or one number in \[0, 1\]: the probability of an edge within a block and between two blocks.
#'   Leave out `p_in` to compute the smallest value above `p_out` that is detected.
#' @param power `NULL` or one number in \[0, 1): the probability of detecting the signal. With 0, the result is the
#'   point at which the noise just hides it, a strength of 1. Leave out exactly one of `n`, `epsilon`, `p_in` (or
#'   `lambda`), and `power`: it is computed.
#' @param k An integer of at least 2: the number of blocks, of equal size.
#' @param lambda,v `NULL` or one number, instead of blocks: an eigenvalue of the matrix of probabilities, and the mean
#'   of p (1 - p), at most 1/4 (0 for features of a graph that is not random). Supply `v` alone to compute the smallest
#'   `lambda`.
#' @param overlap One number in \[0, 1): the smallest squared overlap at which an eigenvector counts as detected.
#'
#' @return An object of class `dptda_power_graph`, a list:
#'
#' * `asked`: the name of the quantity that was computed.
#' * `n`, `epsilon`, `p_in`, `p_out`, `k`, `lambda`, `v`, and `power`: the arguments, with the computed one filled in. A
#'   `p_in` of `Inf` means that no value is large enough.
#' * `least`: the argument `overlap`.
#' * `noise` and `strength`: the s above, and the strength of the signal.
#' * `observed`: the expected eigenvalue with noise, `NA` if the noise hides it.
#' * `overlap`: the squared overlap of the eigenvector.
#' * `accuracy`: for two blocks, the fraction of vertices that the sign of the eigenvector puts into the right block.
#' * `curve`: a data frame with the columns `epsilon`, `power`, `overlap`, and `accuracy`. `plot()` draws it, and
#'   `as.data.frame()` returns it ([answers]).
#' @references
#' Benaych-Georges, F. and Nadakuditi, R. R. (2011). The eigenvalues and eigenvectors of finite, low rank perturbations
#' of large random matrices. *Advances in Mathematics* 227, 494-521.
#'
#' Capitaine, M., Donati-Martin, C. and Féral, D. (2012). Central limit theorems for eigenvalues of deformations of
#' Wigner matrices. *Annales de l'Institut Henri Poincaré B* 48, 107-133.
#' @seealso [private_graph()], [spectral_embedding()], [power_diagram()], `vignette("graphs", package = "dptda")`
#' @examples
#' power_graph(1000, epsilon = 1, p_in = 0.3, p_out = 0.2)
#'
#' # the epsilon that detects these blocks, and that recovers them well
#' power_graph(1000, p_in = 0.3, p_out = 0.2, power = 0.95)
#' plan <- power_graph(1000, p_in = 0.3, p_out = 0.2, power = 0.95,
#'   overlap = 0.8)
#' plan
#' plot(plan)
#'
#' # the number of vertices, and the difference of blocks
#' power_graph(epsilon = 1, p_in = 0.3, p_out = 0.2, power = 0.95)
#' power_graph(1000, epsilon = 1, p_out = 0.2, power = 0.95)
#' @export
power_graph <- function(n = NULL, epsilon = NULL, ..., p_in = NULL, p_out = NULL, power = NULL, k = 2, lambda = NULL,
                        v = NULL, overlap = 0) {
  check_no_dots(...)
  if (!is.null(n)) n <- check_count(n, 2)
  if (!is.null(epsilon)) epsilon <- check_number(epsilon, 0, open_lower = TRUE, finite = FALSE)
  if (!is.null(p_in)) p_in <- check_number(p_in, 0, 1)
  if (!is.null(p_out)) p_out <- check_number(p_out, 0, 1)
  if (!is.null(power)) power <- check_number(power, 0, 1, open_upper = TRUE)
  k <- check_count(k, 2)
  if (!is.null(lambda)) lambda <- check_number(lambda)
  if (!is.null(v)) v <- check_number(v, 0, 0.25)
  overlap <- check_number(overlap, 0, 1, open_upper = TRUE)
  blocks <- blocks_or_lambda(p_in, p_out, lambda, v)
  asked <- graph_question(n, epsilon, if (blocks) p_in else lambda, power, blocks)
  if (asked != "n" && blocks && k > n) {
    stop_argument("k", "must be at most `n`, ", format_count(n), ", not ", format_count(k), ".")
  }
  plan <- list(asked = asked, n = n, epsilon = epsilon, p_in = p_in, p_out = p_out, k = if (blocks) k,
               lambda = lambda, v = v, power = power, least = overlap)
  if (asked != "power") plan[[asked]] <- graph_answer(plan, blocks, 1 / (1 - overlap))
  describe_detection(plan, blocks)
}

blocks_or_lambda <- function(p_in, p_out, lambda, v) {
  blocks <- !is.null(p_out)
  if (blocks && !(is.null(lambda) && is.null(v))) {
    stop_argument("p_out", "must not be given together with `lambda` or `v`.")
  }
  if (!blocks && is.null(v)) stop_argument("p_out", "must be given for blocks, or `v` for other graphs.")
  if (!blocks && !is.null(p_in)) stop_argument("p_in", "must be NULL without `p_out`: both describe blocks.")
  blocks
}

graph_question <- function(n, epsilon, signal, power, blocks) {
  open <- c(n = is.null(n), epsilon = is.null(epsilon), signal = is.null(signal), power = is.null(power))
  names(open)[3] <- if (blocks) "p_in" else "lambda"
  asked <- what_is_asked(open)
  if (asked == "n" && !blocks) {
    stop_argument("n", "must be given with `lambda`, which depends on it. To compute `n`, give `p_in` and `p_out`.")
  }
  asked
}

# 1 / (4 sinh^2(epsilon / 2)), or 0 without randomized response.
flip_variance <- function(epsilon) ifelse(epsilon < 1400, 1 / (4 * sinh(epsilon / 2)^2), 0)

blocks_eigenvalue <- function(n, p_in, p_out, k) n * (p_in - p_out) / k - p_in
blocks_variance <- function(p_in, p_out, k) (p_in * (1 - p_in) + (k - 1) * p_out * (1 - p_out)) / k

# Warns if fewer than half of the releases would show two communities that share no edge, in an unusually dense graph.
weakness_of.private_graph <- function(plan) {
  if (plan$n < 2) return(NULL)
  question <- list(asked = "power", n = plan$n, epsilon = plan$response$epsilon, p_in = 2 * weak_density, p_out = 0,
                   k = 2, power = 1 / 2, least = 0)
  if (graph_power(question, TRUE) >= question$power) return(NULL)
  enough <- function(asked) {
    value_or(graph_answer(replace(question, c("asked", asked), list(asked, NULL)), TRUE, 1), NULL)
  }
  n <- if (plan$response$epsilon > 0) enough("n")
  epsilon <- enough("epsilon")
  ways <- c(if (!is.null(n)) paste(format_count(signif_up(n)), "vertices"),
            if (!is.null(epsilon) && is.finite(epsilon)) paste("epsilon =", format(signif_up(epsilon), digits = 4)))
  weak("power", "not even two communities that share no edge would be detected if ", format_percent(weak_density),
       " of all pairs were connected",
       remedy = paste0(if (length(ways)) paste0("Use about ", paste(ways, collapse = ", or "), ". See ")
                       else "Plan the release with ", "power_graph()."))
}

# The fraction of pairs that are connected: larger than in most graphs of people.
weak_density <- 1 / 10

# Computes the argument that was left out: first for a squared strength of `wanted`, then larger until the power is
# reached.
graph_answer <- function(plan, blocks, wanted) {
  first <- reaching_strength(plan, blocks, wanted)
  reached <- function(x) graph_power(replace(plan, plan$asked, x), blocks) >= plan$power
  if (is.infinite(first)) {
    if (plan$asked %in% c("n", "epsilon")) refuse_hidden(plan, "the noise hides it")
    return(first)
  }
  # a power of 0 needs no more, and is not computed because rounding may have moved the strength to either side
  if (plan$power == 0 || reached(first)) return(first)
  switch(plan$asked,
    n = first_whole(reached, first, 2^52, function() refuse_hidden(plan, "it has this power")),
    p_in = if (reached(1)) first_above(reached, first, 1) else Inf,
    {
      upper <- max(2 * first, 1)
      while (is.finite(upper) && !reached(upper)) upper <- 2 * upper
      if (is.infinite(upper) && !reached(upper)) refuse_hidden(plan, "it does not have this power")
      first_above(reached, first, min(upper, .Machine$double.xmax))
    }
  )
}

refuse_hidden <- function(plan, result) {
  stop_argument(plan$asked, "cannot be large enough: ", if (plan$asked == "n") "with any number of vertices" else
                "even without randomized response", " ", result, ".")
}

# The power of a complete plan. The zeros on the diagonal shift all eigenvalues of blocks by -p_in, signal and noise.
# n - 4 includes the means of the next order that lower the eigenvalue (the zeros, the change of the vector), but not
# the mean that raises it near a strength of 1. The edge equals the one in spectral_embedding(), which uses the mean
# density alone.
graph_power <- function(plan, blocks) {
  n <- plan$n
  signal <- signal_of(plan, blocks, n)
  response <- flip_variance(plan$epsilon)
  noise <- sqrt(signal$v + response)
  strength <- strength_of(signal$lambda, noise, n)
  if (strength <= 1 || 1 - strength^-2 < plan$least * (1 - 1e-9)) return(0)
  density <- if (blocks) (plan$p_in + (plan$k - 1) * plan$p_out) / plan$k
  edge <- noise_edge(n, sqrt((if (blocks) density * (1 - density) else signal$v) + response))
  shift <- if (blocks) plan$p_in else 0
  whole <- signal$lambda + shift
  excess <- sign(signal$lambda) * (whole + max(n - 4, 0) * noise^2 / whole - shift) - edge
  sd <- noise * sqrt(2 * (1 - strength^-2))
  if (sd > 0) stats::pnorm(excess / sd) else as.double(excess > 0)
}

# The smallest integer above `lower` for which `reached` is true. It is false for `lower`.
first_whole <- function(reached, lower, most, refuse) {
  upper <- 2 * lower
  while (!reached(upper)) {
    lower <- upper
    upper <- 2 * upper
    if (upper > most) refuse()
  }
  while (upper - lower > 1) {
    middle <- floor((lower + upper) / 2)
    if (reached(middle)) upper <- middle else lower <- middle
  }
  upper
}

# Does the same for real numbers, to 12 digits.
first_above <- function(reached, lower, upper) {
  while (upper - lower > 1e-12 * upper) {
    middle <- (lower + upper) / 2
    if (middle <= lower || middle >= upper) break
    if (reached(middle)) upper <- middle else lower <- middle
  }
  upper
}

reaching_strength <- function(plan, blocks, wanted) {
  n <- plan$n
  switch(plan$asked,
    epsilon = {
      signal <- signal_of(plan, blocks, n)
      room <- signal$lambda^2 / n / wanted - signal$v
      if (room > 0) 2 * asinh(1 / (2 * sqrt(room))) else Inf
    },
    lambda = sqrt(n * wanted * (plan$v + flip_variance(plan$epsilon))),
    p_in = least_difference(plan, wanted),
    n = least_vertices(plan, wanted)
  )
}

signal_of <- function(plan, blocks, n) {
  if (!blocks) return(list(lambda = plan$lambda, v = plan$v))
  list(lambda = blocks_eigenvalue(n, plan$p_in, plan$p_out, plan$k), v = blocks_variance(plan$p_in, plan$p_out, plan$k))
}

# The smallest n at which lambda^2 reaches wanted n s^2 and lambda has the sign of the difference.
least_vertices <- function(plan, wanted) {
  difference <- (plan$p_in - plan$p_out) / plan$k
  if (difference == 0) return(Inf)
  # n^2 a^2 - n (2 a p_in + wanted s^2) + p_in^2 = 0, the larger root
  s2 <- blocks_variance(plan$p_in, plan$p_out, plan$k) + flip_variance(plan$epsilon)
  half <- difference * plan$p_in + wanted * s2 / 2
  root <- (half + sqrt(max(half^2 - (difference * plan$p_in)^2, 0))) / difference^2
  least <- max(ceiling(root * (1 - 1e-12)), plan$k)
  # corrects rounding: groups of one vertex have no signal
  lambda <- blocks_eigenvalue(least, plan$p_in, plan$p_out, plan$k)
  if (lambda * difference > 0) least else least + 1
}

least_difference <- function(plan, wanted) {
  gain <- function(p_in) {
    lambda <- blocks_eigenvalue(plan$n, p_in, plan$p_out, plan$k)
    sign(lambda) * lambda^2 - wanted * plan$n * (blocks_variance(p_in, plan$p_out, plan$k) +
                                                 flip_variance(plan$epsilon))
  }
  lower <- plan$p_out
  upper <- 1
  if (gain(upper) < 0 || blocks_eigenvalue(plan$n, upper, plan$p_out, plan$k) <= 0) return(Inf)
  while (upper - lower > 1e-12) {
    middle <- (lower + upper) / 2
    if (gain(middle) >= 0) upper <- middle else lower <- middle
  }
  upper
}

describe_detection <- function(plan, blocks) {
  answered <- plan$asked == "power" || is.finite(plan[[plan$asked]])
  strength <- noise <- observed <- overlap <- NA_real_
  curve <- data.frame(epsilon = double(), power = double(), overlap = double(), accuracy = double())
  if (answered) {
    signal <- signal_of(plan, blocks, plan$n)
    plan$lambda <- signal$lambda
    plan$v <- signal$v
    noise <- sqrt(signal$v + flip_variance(plan$epsilon))
    strength <- strength_of(signal$lambda, noise, plan$n)
    overlap <- max(0, 1 - strength^-2)
    if (strength > 1) observed <- signal$lambda + plan$n * noise^2 / signal$lambda
    about <- if (is.finite(plan$epsilon)) plan$epsilon else 1
    at <- exp(seq(log(about / 20), log(about * 20), length.out = 121))
    strengths <- strength_of(signal$lambda, sqrt(signal$v + flip_variance(at)), plan$n)
    curve <- data.frame(epsilon = at, power = vapply(at, function(epsilon) {
      graph_power(replace(plan, "epsilon", epsilon), blocks)
    }, 0), overlap = pmax(0, 1 - strengths^-2))
    curve$accuracy <- sign_accuracy(curve$overlap, plan$k)
    if (plan$asked == "power") plan$power <- graph_power(plan, blocks)
  }
  made <- c(plan[lengths(plan) > 0], list(noise = noise, strength = strength, observed = observed, overlap = overlap,
                                          accuracy = sign_accuracy(overlap, plan$k), curve = curve))
  new_answer("dptda_power_graph", made)
}

strength_of <- function(lambda, noise, n) if (lambda == 0) rep(0, length(noise)) else abs(lambda) / (noise * sqrt(n))

# For two blocks, the fraction of correct signs.
sign_accuracy <- function(overlap, k) {
  if (!identical(k, 2)) return(rep(NA_real_, length(overlap)))
  stats::pnorm(sqrt(overlap / (1 - overlap)))
}

define_class("dptda_power_graph", "power_graph()",
             asked = function(x) is_one_string(x) && x %in% c("n", "epsilon", "p_in", "lambda", "power"),
             n = is_one_number,
             epsilon = is_one_number, p_in = is_null_or(is_one_number), p_out = is_null_or(is_one_number),
             k = is_null_or(is_one_number),
             lambda = is_null_or(is_one_number), v = is_null_or(is_one_number), power = is_one_number,
             least = is_one_number, noise = is_number_or_na, strength = is_number_or_na,
             observed = is_number_or_na, overlap = is_number_or_na, accuracy = is_number_or_na,
             curve = function(x) is.data.frame(x) && identical(names(x), c("epsilon", "power", "overlap", "accuracy")),
             .valid = function(x) !is.null(x$p_out) || !is.null(x$v))

answer_blocks.dptda_power_graph <- function(x, n) {
  title <- c(n = "smallest number of vertices", epsilon = "smallest epsilon", p_in = "smallest difference",
             lambda = "smallest eigenvalue", power = "probability of detection")[[x$asked]]
  shown <- c("n", "epsilon", "p_in", "p_out", "k", "lambda", "v", "power")
  if (!is.null(x$p_out)) shown <- setdiff(shown, "v")
  nothing <- is.infinite(x[[x$asked]]) && x$asked != "epsilon"
  list("private graph power" = title, c("", named_numbers(x, intersect(shown, names(x))), ""),
       if (nothing) paste0("No `", x$asked, "` is large enough.") else c(
         if (x$asked != "power") {
           paste0("`", x$asked, "` is the smallest value that reaches `power`",
                  if (x$least > 0) paste(" and a squared overlap of", format(x$least, digits = 3)), ".")
         },
         paste0("strength of the signal: ", format(x$strength, digits = 3),
                if (x$strength > 1 && x$strength < 1.25) " (uncertain: below 1.25)"),
         paste0("squared overlap of the eigenvector: ", format(round(x$overlap, 6), digits = 3)),
         outcome_lines(x)
       ))
}

outcome_lines <- function(x) {
  # at or below the point at which noise just hides the signal
  if (x$strength <= 1 + 1e-9) return("The noise hides the signal.")
  value <- function(x) format(x, digits = 3, big.mark = ",", decimal.mark = ".")
  c(paste0("eigenvalue: ", value(x$lambda), ", observed near ", value(x$observed), "; edge of the noise: ",
           value(2 * x$noise * sqrt(x$n))),
    if (!is.na(x$accuracy)) paste0("vertices in the right block: ", format_percent(round(x$accuracy, 4))))
}

answer_table.dptda_power_graph <- function(x) x$curve

answer_curve.dptda_power_graph <- function(x) {
  if (nrow(x$curve) == 0) stop_argument("x", "must have a solution to be drawn.")
  sided <- !all(is.na(x$curve$accuracy))
  list(x = x$curve$epsilon, y = x$curve$power, xlab = "epsilon", ylab = "probability, or fraction", log = "x",
       second = x$curve$overlap, third = if (sided) x$curve$accuracy,
       told = paste0("solid: power; dashed: squared overlap", if (sided) "; dotted: accuracy"),
       at = c(x$epsilon, x$power))
}
