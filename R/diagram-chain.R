# The Metropolis chain of the paper, for comparison with the exact sampler.

# Runs the chain at the rate of the first group. The chain moves all dimensions together, and all groups have the same
# rate, whatever the utility.
run_chain <- function(plan, diagrams, chain, rng) {
  run <- .Call(
    ffi_diagram_chain, diagrams, plan$bound, plan$groups[[1]]$rate, plan$max_points,
    plan$utility == "sum", chain$steps, chain$step_sd,
    kernel_options(rng, kernel_progress("Metropolis chain"))
  )
  dimnames(run$points) <- list(NULL, c("draw", "dimension", "birth", "death"))
  run
}

define_class("dptda_nonprivate_chain", "nonprivate_chain()", last = is.data.frame,
             distances = function(x) is_number_matrix(x) && nrow(x) > 0 && !is.null(colnames(x)))

#' Trace of the Metropolis chain for a diagram (not private)
#'
#' Runs the Metropolis chain for persistence diagrams of Kang, Kim, Sohn and Awan (2024), Algorithm 1. It keeps the
#' bottleneck distance of each state from the true diagram, which a release must not show. Use it to study how far such
#' a chain is from the mechanism that it approximates. **Nothing in the result is private.**
#'
#' The published algorithm starts in the range of the true diagram. This chain starts in a public triangle and never
#' leaves it.
#'
#' @inheritParams private_diagram
#' @param steps An integer: the length of the chain.
#' @param step_sd One positive number: the standard deviation of its Gaussian
#'   moves, in the units of the data.
#' @param x A chain.
#' @param ... For `plot()`: passed on to [graphics::matplot()]. Otherwise not used; later arguments must be named.
#'
#' @return A list of class `dptda_nonprivate_chain`: `last`, the last state, a `dptda_diagram` without a guarantee;
#'   `distances`, a matrix with one row per step and one column per dimension; and the mechanism's `utility`, `rate`,
#'   and `bound`.
#' @inherit private_diagram references
#' @examples
#' circle <- cbind(cos(1:300), sin(1:300))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
#' chain <- nonprivate_chain(circle, grid, epsilon = 5, m0 = 0.1,
#'   max_points = 3, steps = 2000, step_sd = 0.1)
#' chain
#' plot(chain)
#' @export
nonprivate_chain <- function(x, grid, epsilon = NULL, rho = NULL, ..., mu = NULL, m0, r = 1, clip = Inf,
                             max_dimension = NULL, dimensions = NULL, max_points = 10,
                             essential = c("drop", "cap"), utility = NULL, steps, step_sd, rng = c("R", "os")) {
  check_no_dots(...)
  rng <- check_choice(rng, c("R", "os"))
  check_domain(grid)
  dimensions <- check_released(dimensions, max_dimension, grid)
  setup <- release_setup(x, grid, epsilon, rho, m0, r, clip, dimensions, max_points, learn_points = FALSE, essential,
                         utility, mu = mu)
  plan <- setup$plan
  chain <- list(steps = check_count(steps, 1, 1e8), step_sd = check_number(step_sd, 0, open_lower = TRUE))
  diagrams <- lapply(true_diagrams(plan, setup$cloud), `*`, plan$step)
  run <- run_chain(plan, diagrams, chain, rng)
  colnames(run$distances) <- paste("dimension", plan$dimensions)
  last <- new_diagram(as.integer(run$points[, "dimension"]), unname(run$points[, "birth"]),
                      unname(run$points[, "death"]),
                      software = "Metropolis chain, not private")
  new_result(
    list(last = last, distances = run$distances, utility = plan$utility, rate = plan$groups[[1]]$rate,
         bound = plan$bound),
    "dptda_nonprivate_chain"
  )
}

#' @rdname nonprivate_chain
#' @export
print.dptda_nonprivate_chain <- function(x, ...) {
  check_valid(x, "dptda_nonprivate_chain")
  distances <- paste0(colnames(x$distances), " ", format(x$distances[nrow(x$distances), ], digits = 3), collapse = ", ")
  writeLines(c("<Metropolis chain>", wrap_lines(c(
    paste("NOT PRIVATE:", count_of(format_count(nrow(x$distances)), "step")),
    paste("bottleneck distance of the last state:", distances)
  ))))
  invisible(x)
}

#' @rdname nonprivate_chain
#' @export
plot.dptda_nonprivate_chain <- function(x, ...) {
  check_valid(x, "dptda_nonprivate_chain")
  col <- diagram_colors[(seq_len(ncol(x$distances)) - 1) %% length(diagram_colors) + 1]
  settings <- utils::modifyList(
    list(x = seq_len(nrow(x$distances)), y = x$distances, type = "l", lty = 1, col = col,
         xlab = "step", ylab = "bottleneck distance (not private)"),
    list(...)
  )
  do.call(graphics::matplot, settings)
  graphics::legend("topright", colnames(x$distances), col = settings$col, lty = 1, bty = "n")
  invisible(x)
}
