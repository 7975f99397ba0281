#' How persistent must a feature be to appear in a private diagram?
#'
#' Answers, without the data, the question to ask before a release: how
#' persistent a feature must be so that the private diagram shows it with a
#' stated probability, and inversely how many rows or how much epsilon a
#' feature of a given persistence needs.
#'
#' A feature *appears* if the release has a point of its dimension within half
#' its persistence of it (in the maximum norm), so nearer to it than to the
#' diagonal. The probability is computed by the sampler of the release itself
#' on a diagram that consists of this one feature, in the middle of the public
#' range, in one dimension and nothing in the others. Only public quantities
#' enter. More features in the data compete for the points of the release and
#' leave less room for spurious ones.
#'
#' @param n One whole number: the number of rows. Leave it out to ask how many
#'   are needed for a feature of the given `persistence`.
#' @param epsilon One positive number. Leave it (and `rho`) out to ask how much
#'   is needed for a feature of the given `persistence`.
#' @param persistence `NULL` or one positive number, in the units of the data:
#'   the persistence of the feature. Given exactly if `n` or `epsilon` is left
#'   out.
#' @param probability One number in (0, 1): how surely the feature must appear.
#' @param draws One whole number: how many releases are drawn for each
#'   probability. Its standard error is at most `0.5 / sqrt(draws)`. The draws
#'   use a fixed public key, so that the answer is reproducible.
#' @inheritParams private_diagram
#' @param x A result of `detectable_persistence()`.
#' @param ... Passed on to [graphics::plot.default()] by `plot()`, else not
#'   used.
#'
#' @return A list of class `dptda_detection` with the numbers `n`, `epsilon` (or
#'   `rho`), `persistence` and `probability`, of which the one that was asked
#'   for is filled in (`Inf`: nothing is enough); `asked`, its name;
#'   `sensitivity` and `bound`, the sensitivity and the largest possible value
#'   of the distance to the measure; and `curve`, a data frame with the columns
#'   `persistence` and `probability`. `plot()` draws the curve.
#' @seealso [private_diagram()]
#' @examples
#' grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)
#' plan <- detectable_persistence(4000, grid, epsilon = 1, m0 = 0.2, clip = 1.6)
#' plan
#' plot(plan)
#'
#' # rows needed for a feature of persistence 0.5
#' detectable_persistence(grid = grid, epsilon = 1, m0 = 0.2, clip = 1.6,
#'   persistence = 0.5)
#' @export
detectable_persistence <- function(n, grid, epsilon, m0, r = 1, clip = Inf, max_dimension = 1, max_points = 10,
                                   learn_points = TRUE, utility = c("max", "sum"), rho = NULL, persistence = NULL,
                                   probability = 0.9, draws = 2000) {
  check_class(grid, "dptda_grid", "domain_grid()")
  asked <- what_is_asked(missing(n), missing(epsilon) && is.null(rho), persistence)
  measure <- if (asked == "epsilon") c(epsilon = 1) else check_measure(if (missing(epsilon)) NULL else epsilon, rho)
  m0 <- check_number(m0, 0, 1, open_lower = TRUE)
  mechanism <- check_mechanism(
    if (asked == "n") ceiling(1 / m0) else check_count(n, 1), grid, measure,
    m0 = m0,
    r = check_number(r, 1),
    clip = check_number(clip, 0, open_lower = TRUE, finite = FALSE),
    max_dimension = check_count(max_dimension),
    max_points = check_count(max_points, 1, most_points),
    learn_points = check_flag(learn_points),
    utility = check_utility(if (missing(utility)) NULL else utility, measure)
  )
  probability <- check_number(probability, 0, 1, open_lower = TRUE, open_upper = TRUE)
  draws <- check_count(draws, 100, 1e7)

  plan <- list(n = mechanism$n, persistence = persistence, probability = probability, asked = asked)
  plan[[names(measure)]] <- unname(measure)
  if (asked == "persistence") {
    plan$persistence <- least_persistence(mechanism, probability, draws)
  } else {
    persistence <- check_number(persistence, 0, mechanism$bound, open_lower = TRUE)
    rate <- least_rate(mechanism, persistence, probability, draws)
    if (asked == "epsilon") {
      plan$epsilon <- rate / mechanism$groups[[1]]$rate
    } else {
      plan$n <- least_rows(mechanism, grid, mechanism_epsilon(measure, max_dimension + 1, mechanism$utility) / (2 * rate))
    }
    mechanism$groups[[1]]$rate <- rate
  }
  plan$sensitivity <- if (is.finite(plan$n)) diagram_sensitivity(plan$n, grid, m0, r = r, clip = clip) else 0
  plan$bound <- mechanism$bound
  plan$curve <- detection_curve(mechanism, plan$persistence, draws)
  structure(plan, class = "dptda_detection")
}

is_plan_answer <- function(x) is_one_string(x) && x %in% c("n", "epsilon", "persistence")
define_class("dptda_detection", "detectable_persistence()", asked = is_plan_answer, n = is_one_number,
             persistence = is_one_number, probability = is_one_number, sensitivity = is_one_number, bound = is_one_number,
             epsilon = is_null_or(is_one_number), rho = is_null_or(is_one_number),
             curve = is.data.frame, .whole = function(x) is.null(x$epsilon) != is.null(x$rho))

what_is_asked <- function(no_rows, no_measure, persistence) {
  open <- c(n = no_rows, epsilon = no_measure, persistence = is.null(persistence))
  if (sum(open) != 1) {
    stop_argument("persistence", "is to be given exactly if one of `n` and `epsilon` is left out, the one that is asked for.")
  }
  names(open)[open]
}

# A fixed public key: the plan is the same each time, and no stream is touched.
planning_key <- c(2024, 25, 1, 42)

# Probability that one feature of the given persistence appears in the release.
detection_probability <- function(mechanism, persistence, rate, draws) {
  birth <- (mechanism$bound - persistence) / 2
  feature <- cbind(birth, birth + persistence)
  group <- mechanism$groups[[1]]
  diagrams <- lapply(group$dimensions, function(dimension) {
    if (dimension == group$dimensions[1]) feature else matrix(double(), 0, 2)
  })
  drawn <- .Call(ffi_topology_private_draws, diagrams, mechanism$bound, rate, mechanism$max_points,
                 mechanism$learn_points, draws, kernel_options(planning_key))$points
  near <- drawn[, 2] == 0 & pmax(abs(drawn[, 3] - feature[1]), abs(drawn[, 4] - feature[2])) < persistence / 2
  length(unique(drawn[near, 1])) / draws
}

# Smallest x in [lower, upper] with chance(x) >= probability for a chance that
# increases but for its Monte Carlo error, to a relative precision of 1/1000,
# by bisection on the logarithm; Inf if there is none.
first_reaching <- function(chance, probability, lower, upper) {
  if (chance(upper) < probability) return(Inf)
  if (chance(lower) >= probability) return(lower)
  while (upper > lower * 1.001) {
    middle <- sqrt(lower * upper)
    if (chance(middle) >= probability) upper <- middle else lower <- middle
  }
  upper
}

least_persistence <- function(mechanism, probability, draws) {
  chance <- function(persistence) detection_probability(mechanism, persistence, mechanism$groups[[1]]$rate, draws)
  first_reaching(chance, probability, mechanism$bound * 1e-6, mechanism$bound)
}

least_rate <- function(mechanism, persistence, probability, draws) {
  chance <- function(rate) detection_probability(mechanism, persistence, rate, draws)
  first_reaching(chance, probability, 1e-3 / mechanism$bound, 1e9 / persistence)
}

# Fewest rows with a sensitivity of at most `sensitivity`.
least_rows <- function(mechanism, grid, sensitivity) {
  if (!(sensitivity > 0)) return(Inf)
  reach <- diagram_sensitivity(1, grid, 1, r = mechanism$r, clip = mechanism$clip) # that of k = 1
  k <- ceiling((reach / sensitivity)^mechanism$r * (1 - 1e-12))
  n <- max(1, floor((k - 1) / mechanism$m0))
  while (neighbor_count(n, mechanism$m0) < k) n <- n + 1
  n
}

detection_curve <- function(mechanism, persistence, draws) {
  top <- if (is.finite(persistence)) min(2.5 * persistence, mechanism$bound) else mechanism$bound
  persistence <- seq(0, top, length.out = 41)[-1]
  probability <- vapply(persistence, function(p) {
    detection_probability(mechanism, p, mechanism$groups[[1]]$rate, draws)
  }, 0)
  data.frame(persistence = persistence, probability = probability)
}

#' @rdname detectable_persistence
#' @export
print.dptda_detection <- function(x, ...) {
  check_whole(x, "dptda_detection")
  measure <- intersect(c("epsilon", "rho"), names(x))
  value <- function(what) format(x[[what]], digits = 3, big.mark = ",")
  answer <- switch(x$asked,
    persistence = paste0("a feature must have a persistence of ", value("persistence"),
                         " to appear with probability ", value("probability"), " (n = ", value("n"), ", ", measure,
                         " = ", value(measure), ")"),
    n = paste0("a feature of persistence ", value("persistence"), " needs ", value("n"),
               " rows to appear with probability ", value("probability"), " (", measure, " = ", value(measure), ")"),
    epsilon = paste0("a feature of persistence ", value("persistence"), " needs epsilon = ", value("epsilon"),
                     " to appear with probability ", value("probability"), " (n = ", value("n"), ")")
  )
  cat("<detectable persistence> ", answer, "\n", sep = "")
  cat("sensitivity ", format(x$sensitivity, digits = 4), "; values from 0 to ", format(x$bound, digits = 4), "\n", sep = "")
  invisible(x)
}

#' @rdname detectable_persistence
#' @export
plot.dptda_detection <- function(x, ...) {
  check_whole(x, "dptda_detection")
  settings <- utils::modifyList(
    list(x = x$curve$persistence, y = x$curve$probability, type = "l", lwd = 2, ylim = c(0, 1), las = 1,
         xlab = "persistence of the feature", ylab = "probability that the release shows it"),
    list(...)
  )
  do.call(graphics::plot.default, settings)
  graphics::abline(h = x$probability, col = "gray60", lty = 3)
  if (is.finite(x$persistence)) {
    graphics::abline(v = x$persistence, col = "gray60", lty = 3)
    graphics::points(x$persistence, x$probability, pch = 19)
  }
  invisible(x)
}
