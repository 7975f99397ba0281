#' What can be seen of a graph after its flips?
#'
#' Answers, without the data, how well [spectral_embedding()] will find the groups of a graph from [private_graph()],
#' and inversely how many vertices, how much epsilon or how different groups it needs.
#'
#' The matrix of probabilities has an eigenvalue \eqn{\lambda}{lambda}, for k equal blocks with the probabilities `p_in`
#' within and `p_out` between them (n (p_in - p_out) / k) - p_in, which counts k - 1 times. An entry of the debiased
#' matrix varies by \eqn{s^2 = v + 1 / (4 \sinh^2(\epsilon / 2))}{s^2 = v + 1 / (4 sinh^2(epsilon / 2))}, v being the
#' mean of p (1 - p). With the strength \eqn{\lambda / (s \sqrt n)}{lambda / (s sqrt(n))} of a signal the squared
#' overlap (cosine) between its eigenvector and the one found is 1 - strength^-2, and 0 where that is negative: the
#' change is sudden. These are limits for many vertices; a strength between 1 and 1.25 is uncertain. Degrees that differ
#' much make eigenvalues larger than their density alone would allow.
#'
#' @param n One whole number of at least 2: how many vertices. Leave it out to ask how many are needed (of blocks).
#' @param epsilon `NULL` or one positive number; `Inf` for no flips. Leave it out to ask how much is needed.
#' @param ... Must be empty: what follows is given by name.
#' @param p_in,p_out `NULL` or one number in \[0, 1\]: the probability of an edge within a block and between two. Leave
#'   `p_in` out to ask for the least above `p_out` that is seen.
#' @param k One whole number of at least 2: how many blocks, of equal size.
#' @param lambda,v `NULL` or one number: an eigenvalue of the matrix of probabilities and the mean of p (1 - p), at most
#'   1/4 (0 for what is seen of a graph that is not random), in place of blocks. Give `v` alone to ask for the least
#'   `lambda`.
#' @param overlap One number in \[0, 1): the squared overlap that what is asked for must reach; 0 asks where it begins.
#'
#' @return An object of class `dptda_graph_detection`, a list of `asked`, the name of what was left out, or `"overlap"`
#'   if nothing was; `n`, `epsilon`, `p_in`, `p_out`, `k`, `lambda` and `v`, of which the one asked for is filled in
#'   (`Inf`: nothing is enough); `noise`, the s above; `strength`; `observed`, the eigenvalue as noise will show it, on
#'   average (`NA` if it hides it); `overlap`; `accuracy`, for two blocks the part of the vertices that the sign of the
#'   eigenvector puts on the right side; `curve`, a data frame with the columns `epsilon`, `overlap` and `accuracy`.
#'   `plot()` draws it, `as.data.frame()` gives it: see [answers].
#' @references
#' Benaych-Georges, F. and Nadakuditi, R. R. (2011). The eigenvalues and eigenvectors of finite, low rank perturbations
#' of large random matrices. *Advances in Mathematics* 227, 494-521.
#' @seealso [private_graph()], [spectral_embedding()], `vignette("graphs", package = "dptda")`
#' @examples
#' graph_detectable(1000, epsilon = 1, p_in = 0.3, p_out = 0.2)
#'
#' # how much epsilon is needed to see these blocks at all, and well
#' graph_detectable(1000, p_in = 0.3, p_out = 0.2)
#' plan <- graph_detectable(1000, p_in = 0.3, p_out = 0.2, overlap = 0.8)
#' plan
#' plot(plan)
#'
#' # how many vertices, and how different blocks
#' graph_detectable(epsilon = 1, p_in = 0.3, p_out = 0.2, overlap = 0.8)
#' graph_detectable(1000, epsilon = 1, p_out = 0.2, overlap = 0.8)
#' @export
graph_detectable <- function(n, epsilon = NULL, ..., p_in = NULL, p_out = NULL, k = 2, lambda = NULL, v = NULL,
                             overlap = 0) {
  check_no_dots(...)
  n <- if (!missing(n) && !is.null(n)) check_count(n, 2)
  if (!is.null(epsilon)) epsilon <- check_number(epsilon, 0, open_lower = TRUE, finite = FALSE)
  if (!is.null(p_in)) p_in <- check_number(p_in, 0, 1)
  if (!is.null(p_out)) p_out <- check_number(p_out, 0, 1)
  k <- check_count(k, 2)
  if (!is.null(lambda)) lambda <- check_number(lambda)
  if (!is.null(v)) v <- check_number(v, 0, 0.25)
  overlap <- check_number(overlap, 0, 1, open_upper = TRUE)
  blocks <- blocks_or_lambda(p_in, p_out, lambda, v)
  asked <- graph_question(n, epsilon, if (blocks) p_in else lambda, blocks)
  if (asked != "n" && blocks && k > n) {
    stop_argument("k", "must be at most `n`, ", format_count(n), ", not ", format_count(k), ".")
  }
  plan <- list(asked = asked, n = n, epsilon = epsilon, p_in = p_in, p_out = p_out, k = if (blocks) k,
               lambda = lambda, v = v)
  plan[asked] <- if (asked != "overlap") list(graph_answer(plan, blocks, 1 / (1 - overlap)))
  describe_detection(plan, blocks)
}

blocks_or_lambda <- function(p_in, p_out, lambda, v) {
  blocks <- !is.null(p_out)
  if (blocks && !(is.null(lambda) && is.null(v))) stop_argument("p_out", "or `lambda` and `v` must be given, not both.")
  if (!blocks && is.null(v)) stop_argument("p_out", "must be given, for blocks, or `v`, for any graph.")
  if (!blocks && !is.null(p_in)) stop_argument("p_in", "is for blocks, which `p_out` describes, not `v`.")
  blocks
}

graph_question <- function(n, epsilon, signal, blocks) {
  name <- if (blocks) "p_in" else "lambda"
  open <- c("n", "epsilon", name)[c(is.null(n), is.null(epsilon), is.null(signal))]
  if (length(open) > 1) {
    stop_argument(open[2], "must be given: at most one of `n`, `epsilon` and `", name, "` can be asked for.")
  }
  if (identical(open, "n") && !blocks) {
    stop_argument("n", "must be given with `lambda`, which depends on it; with `p_in` and `p_out` it can be asked for.")
  }
  if (length(open)) open else "overlap"
}

# 1 / (4 sinh^2(epsilon / 2)); 0 without flips
flip_variance <- function(epsilon) ifelse(epsilon < 1400, 1 / (4 * sinh(epsilon / 2)^2), 0)

blocks_eigenvalue <- function(n, p_in, p_out, k) n * (p_in - p_out) / k - p_in
blocks_variance <- function(p_in, p_out, k) (p_in * (1 - p_in) + (k - 1) * p_out * (1 - p_out)) / k

# What was left out, such that the square of the strength is `wanted`.
graph_answer <- function(plan, blocks, wanted) {
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

# The least n at which lambda^2 reaches wanted n s^2, where lambda has the sign of the difference.
least_vertices <- function(plan, wanted) {
  difference <- (plan$p_in - plan$p_out) / plan$k
  if (difference == 0) return(Inf)
  # n^2 a^2 - n (2 a p_in + wanted s^2) + p_in^2 = 0, the larger root
  s2 <- blocks_variance(plan$p_in, plan$p_out, plan$k) + flip_variance(plan$epsilon)
  half <- difference * plan$p_in + wanted * s2 / 2
  root <- (half + sqrt(max(half^2 - (difference * plan$p_in)^2, 0))) / difference^2
  least <- max(ceiling(root * (1 - 1e-12)), plan$k)
  # what rounding took away: of groups of one vertex nothing is seen
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
  answered <- plan$asked == "overlap" || is.finite(plan[[plan$asked]]) || plan$asked == "epsilon"
  strength <- noise <- observed <- overlap <- NA_real_
  curve <- data.frame(epsilon = double(), overlap = double(), accuracy = double())
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
    curve <- data.frame(epsilon = at, overlap = pmax(0, 1 - strengths^-2))
    curve$accuracy <- sign_accuracy(curve$overlap, plan$k)
  }
  made <- c(plan[lengths(plan) > 0], list(noise = noise, strength = strength, observed = observed, overlap = overlap,
                                          accuracy = sign_accuracy(overlap, plan$k), curve = curve))
  new_answer("dptda_graph_detection", made)
}

strength_of <- function(lambda, noise, n) if (lambda == 0) rep(0, length(noise)) else abs(lambda) / (noise * sqrt(n))

# Of two blocks: how many signs are right.
sign_accuracy <- function(overlap, k) {
  if (!identical(k, 2)) return(rep(NA_real_, length(overlap)))
  stats::pnorm(sqrt(overlap / (1 - overlap)))
}

is_number_or_na <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1

define_class("dptda_graph_detection", "graph_detectable()",
             asked = function(x) is_one_string(x) && x %in% c("n", "epsilon", "p_in", "lambda", "overlap"),
             n = is_one_number,
             epsilon = is_one_number, p_in = is_null_or(is_one_number), p_out = is_null_or(is_one_number),
             k = is_null_or(is_one_number),
             lambda = is_null_or(is_one_number), v = is_null_or(is_one_number), noise = is_number_or_na,
             strength = is_number_or_na,
             observed = is_number_or_na, overlap = is_number_or_na, accuracy = is_number_or_na,
             curve = function(x) is.data.frame(x) && identical(names(x), c("epsilon", "overlap", "accuracy")),
             .whole = function(x) !is.null(x$p_out) || !is.null(x$v))

answer_blocks.dptda_graph_detection <- function(x, n) {
  value <- function(name, digits = 3) format(x[[name]], digits = digits, big.mark = ",")
  signal <- if (!is.null(x$p_out)) {
    paste0(value("k"), " equal blocks", if (x$asked == "p_in") ", " else paste0(" of ", value("p_in"), " and "),
           value("p_out"), " between them")
  } else if (x$asked != "lambda") paste("an eigenvalue of", value("lambda")) else "an eigenvalue"
  given <- c(if (x$asked != "n") paste("n =", value("n")),
             if (x$asked != "epsilon") paste("epsilon =", value("epsilon")))
  head <- list("graph detection" = paste0(signal, " (", paste(given, collapse = ", "), ")"))
  if (x$asked != "overlap") {
    nothing <- is.infinite(x[[x$asked]])
    begins <- !nothing && x$overlap < 1e-6
    head <- c(head, if (nothing) paste0("not enough with any `", x$asked, "`") else {
      paste0(if (begins) "seen from " else "needed: ", x$asked, " = ", value(x$asked), if (begins) " on")
    })
    if (nothing || begins) return(head)
  }
  c(head, paste0("strength of the signal ", value("strength"), if (x$strength > 1 && x$strength < 1.25)
                 " (uncertain: below 1.25)",
                 "; squared overlap of the eigenvector ", value("overlap")), outcome_lines(x, value))
}

outcome_lines <- function(x, value) {
  if (x$strength <= 1) return("the noise hides it")
  c(paste0("eigenvalue ", value("lambda"), ", observed near ", value("observed"), "; the noise ends at ",
           format(2 * x$noise * sqrt(x$n), digits = 3, big.mark = ",")),
    if (!is.na(x$accuracy)) paste0(format_percent(round(x$accuracy, 4)), " of the vertices on the right side"))
}

answer_table.dptda_graph_detection <- function(x) x$curve

answer_curve.dptda_graph_detection <- function(x) {
  if (nrow(x$curve) == 0) stop_argument("x", "has nothing to draw: what was asked for does not exist.")
  list(x = x$curve$epsilon, y = x$curve$overlap, xlab = "epsilon", ylab = "squared overlap", log = "x",
       second = if (!all(is.na(x$curve$accuracy))) x$curve$accuracy, at = c(x$epsilon, x$overlap))
}
