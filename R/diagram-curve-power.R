#' Power analysis for a private test of two groups of diagrams
#'
#' Estimates the probability that [private_curve_test()] shows a difference of two groups, before you have data, from
#' public look-alikes: simulated diagrams, or diagrams of an earlier study. Nothing is released or charged.
#'
#' @details
#' Groups of `n` people are drawn from the look-alikes, with replacement, and tested `runs` times with the same code. If
#' the look-alikes are few, or differ from your data, so does the power. To see the rate of false decisions, pass the
#' same diagrams twice.
#'
#' @param public_a,public_b Lists of persistence diagrams that look like the diagrams of the two groups. They must be
#'   public.
#' @param n Two integers: the numbers of people in both groups.
#' @param radius `NULL`, or one positive number. By default, the median length of the curves of all look-alikes. Pass
#'   the same one to [private_curve_test()].
#' @param runs One integer: the number of simulated pairs of groups.
#' @param seed One integer or `NULL`: the seed of the simulation ([set.seed()]). The state of the generator is restored
#'   afterwards.
#' @inheritParams private_curve_test
#'
#' @return An object of class `dptda_power_curve_test`, a list with these elements:
#'
#' * `n`, `epsilon`, `alpha`, `radius`, `permutations`, `smooth`, and `runs`, as used.
#' * `power`: the estimated probability of the decision `"differ"`, and `error`, its standard error.
#' * `noiseless`: the power of the same test without noise, which no budget exceeds by much.
#' * `curve`: a data frame with the columns `epsilon` and `power`. `plot()` draws it, and `as.data.frame()` returns it
#'   ([answers]).
#' @seealso [private_curve_test()], [power_diagram()], [power_graph()]
#' @examples
#' loop <- function(persistence) {
#'   persistence_diagram(1, 0.2, 0.2 + persistence)
#' }
#' a <- lapply(seq(0.5, 0.8, length.out = 50), loop)
#' b <- lapply(seq(0.1, 0.7, length.out = 50), loop)
#' plan <- power_curve_test(a, b, curve_landscape(c(0, 1), dimension = 1),
#'   n = c(60, 40), epsilon = 1, runs = 50)
#' plan
#' plot(plan)
#' @export
power_curve_test <- function(public_a, public_b, curve, n = c(100, 100), epsilon, ..., radius = NULL, alpha = 0.05,
                             permutations = 199, smooth = 10, runs = 200, seed = NULL) {
  check_no_dots(...)
  public_a <- check_diagrams(public_a)
  public_b <- check_diagrams(public_b)
  curve <- check_released_curve(curve)
  if (!is_numbers(n) || length(n) != 2) {
    stop_argument("n", "must be two integers, the sizes of both groups, not ", describe(n), ".")
  }
  n <- vapply(n, check_count, 0, 1, arg = "n")
  if (missing(epsilon)) stop_missing("epsilon")
  values <- list(curve_values(public_a, curve, arg = "public_a"), curve_values(public_b, curve, arg = "public_b"))
  if (is.null(radius)) radius <- median_length(values, curve)
  plan <- private_curve_test(unseen(sum(n)), rep(1:2, n), curve, radius, epsilon, alpha = alpha,
                             permutations = permutations, smooth = smooth)$plan
  runs <- check_count(runs, 10)
  cut <- lapply(values, smooth_curves, plan)
  at <- epsilon * 2^(-4:4 / 2)
  scales <- vapply(at, function(epsilon) noise_scale(c(epsilon = epsilon), l1 = 2 * plan$moved), 0)
  power <- with_seed(seed, rowMeans(vapply(seq_len(runs), function(run) curve_test_run(plan, cut, scales), double(10))))
  power <- unname(power)
  chance <- power[5]
  new_answer("dptda_power_curve_test", list(
    n = n, epsilon = epsilon, power = chance, error = sqrt(chance * (1 - chance) / runs), noiseless = power[10],
    alpha = plan$alpha, radius = plan$radius, permutations = plan$permutations, smooth = plan$smooth, runs = runs,
    curve = data.frame(epsilon = at, power = power[1:9])
  ))
}

# Returns cut and smoothed curves, exact integers, with one column for each row of `V`.
smooth_curves <- function(V, plan) tcrossprod(plan$map, cut_values(plan, V))

median_length <- function(values, curve) {
  length <- stats::median(sqrt(rowSums(do.call(rbind, values)^2) / curve$size))
  if (length > 0) return(length)
  stop_argument("radius", "must be given, because more than half of the public curves are zero.")
}

# Draws two groups and returns whether they differ, for each scale of the noise and without noise.
curve_test_run <- function(plan, cut, scales) {
  drawn <- Map(function(V, n) V[, sample.int(ncol(V), n, replace = TRUE), drop = FALSE], cut, plan$sizes)
  distances <- divided_distances(plan, do.call(cbind, unname(drawn)), "R")
  noisy <- add_noise(rep(distances, length(scales)), rep(scales, each = length(distances)), "laplace", "R")
  noisy <- cbind(matrix(noisy, length(distances)), distances)
  colSums(noisy >= rep(noisy[1, ], each = nrow(noisy))) <= plan$most
}

define_class("dptda_power_curve_test", "power_curve_test()", n = function(x) is_numbers(x) && length(x) == 2,
             epsilon = is_one_number, power = is_one_number, error = is_one_number, noiseless = is_one_number,
             alpha = is_one_number, radius = is_one_number, permutations = is_one_number, smooth = is_one_number,
             runs = is_one_number, curve = function(x) is.data.frame(x) && identical(names(x), c("epsilon", "power")))

answer_blocks.dptda_power_curve_test <- function(x, n) {
  shown <- c(named_numbers(x, "epsilon"), paste0(format("n", width = 15, justify = "right"), " = ",
                                                 paste(format_count(x$n), collapse = ", ")))
  list("private curve test power" = "probability of showing the difference",
       c("", rev(shown), named_numbers(x, c("alpha", "radius", "power")), ""),
       wrap_lines(c(
         paste0("Estimated before the data, from ", format_count(x$runs), " pairs of groups drawn from the public ",
                "diagrams, with a standard error of ", format(x$error, digits = 2), "."),
         paste0("Without noise, the power is ", format(x$noiseless, digits = 3), "."),
         paste0("Pass the same `radius` to private_curve_test().")
       )))
}

answer_table.dptda_power_curve_test <- function(x) x$curve

answer_curve.dptda_power_curve_test <- function(x) {
  list(x = x$curve$epsilon, y = x$curve$power, xlab = "epsilon", ylab = "probability of showing the difference",
       log = "x", second = rep(x$noiseless, nrow(x$curve)), told = "solid: with noise; dashed: without noise",
       level = x$alpha, at = c(x$epsilon, x$power))
}
