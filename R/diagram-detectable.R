#' How persistent must a feature be to appear in a private diagram?
#'
#' Answers, without the data, the questions to ask before a release: how tall
#' spurious points get, how persistent a feature must be so that the private
#' diagram shows it with a stated probability, and inversely how many rows or how
#' much epsilon a feature of a given persistence needs.
#'
#' A feature is *detected* if the release has a point of its dimension within half
#' its persistence of it (in the maximum norm), so nearer to it than to the
#' diagonal, and that point is taller than spurious ones get: by the threshold of
#' [feature_evidence()], which no spurious point exceeds with the same
#' `probability`. Only public quantities enter.
#'
#' Both numbers depend on how many `others` the data have besides, and grow with
#' it: K features multiply the volume of the diagrams within a distance t of the
#' true one by t^(2K), so that the mechanism goes farther from it. The result
#' therefore has a table for several K. What is not known beforehand should be
#' planned for generously. Where the other features lie, and how persistent they are,
#' does not matter as long as they are tall; small points of the true diagram are
#' allowed for in any number, up to the persistence `least` of [feature_evidence()].
#'
#' @param n One whole number: the number of rows. Leave it out to ask how many
#'   are needed for a feature of the given `persistence`.
#' @param epsilon `NULL` or one positive number. Leave it (and `rho`) out to ask how
#'   much is needed for a feature of the given `persistence`.
#' @param ... Must be empty: what follows is given by name.
#' @param persistence `NULL` or one positive number, in the units of the data:
#'   the persistence of the feature. Given exactly if `n` or `epsilon` is left
#'   out.
#' @param others One whole number, below `max_points`: how many other features
#'   the data have, in the same dimension.
#' @param probability One number in (0, 1): how surely the feature must be detected,
#'   and how surely spurious points must be told from it.
#' @inheritParams private_diagram
#'
#' @section Implementation:
#' Both probabilities are integrals over one number, done by a sum, exact for a
#' diagram of tall features far from each other; no random draws.
#'
#' @return A list of class `dptda_detection` with the numbers `n`, `epsilon` (or
#'   `rho`), `persistence` and `probability`, of which the one that was asked
#'   for is filled in (`Inf`: nothing is enough, or nothing is detectable); `spurious`, the
#'   height that spurious points exceed with a probability of at most 1 -
#'   `probability`; `others`; `asked`, the name of what was asked for; `sensitivity` and
#'   `bound`, the sensitivity and the largest possible value of the distance to the
#'   measure; `table`, a data frame with the columns `others`, `spurious` and
#'   `persistence` (detected with that probability) at the same `n` and `epsilon`;
#'   and `curve`, a data frame with the columns `persistence` and `probability`.
#'   `as.data.frame()` gives `table`, `plot()` draws the curve: see [answers].
#' @seealso [private_diagram()], [feature_evidence()]
#' @examples
#' grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)
#' plan <- detectable_persistence(4000, grid, epsilon = 1, m0 = 0.2, clip = 1.6)
#' plan
#' plot(plan)
#'
#' # rows needed for a third feature of persistence 0.5 beside two others
#' detectable_persistence(grid = grid, epsilon = 1, m0 = 0.2, clip = 1.6,
#'   persistence = 0.5, others = 2)
#' @export
detectable_persistence <- function(n, grid, epsilon = NULL, rho = NULL, ..., m0, r = 1, clip = Inf,
                                   max_dimension = NULL, dimensions = NULL, max_points = 10, learn_points = TRUE,
                                   utility = NULL, persistence = NULL,
                                   others = 0, probability = 0.95) {
  check_no_dots(...)
  check_domain(grid)
  dimensions <- check_released(dimensions, max_dimension, grid)
  asked <- what_is_asked(missing(n), is.null(epsilon) && is.null(rho), persistence)
  measure <- if (asked == "epsilon") c(epsilon = 1) else check_measure(epsilon, rho)
  m0 <- check_number(m0, 0, 1, open_lower = TRUE)
  plan <- diagram_plan(
    if (asked == "n") ceiling(1 / m0) else check_count(n, 1), grid, measure,
    m0 = m0,
    r = check_number(r, 1),
    clip = check_number(clip, 0, open_lower = TRUE, finite = FALSE),
    dimensions = dimensions,
    max_points = check_count(max_points, 1, most_points),
    learn_points = check_flag(learn_points),
    utility = check_utility(utility, measure)
  )
  others <- check_count(others, 0, max_points - 1)
  probability <- check_number(probability, 0, 1, open_lower = TRUE, open_upper = TRUE)

  found <- list(n = plan$n, persistence = persistence, probability = probability, others = others, asked = asked)
  found[[names(measure)]] <- unname(measure)
  if (asked == "persistence") {
    found$persistence <- plan_at(plan, others, probability)$persistence
  } else {
    persistence <- check_number(persistence, 0, plan$bound, open_lower = TRUE)
    rate <- least_rate(plan, persistence, others, probability)
    if (asked == "epsilon") {
      found$epsilon <- rate / plan$groups[[1]]$rate
    } else {
      found$n <- least_rows(plan, grid, plan_epsilon(measure, length(dimensions), plan$utility) / (2 * rate))
    }
    plan <- at_rate(plan, rate)
  }
  found$sensitivity <- if (is.finite(found$n)) diagram_sensitivity(found$n, grid, m0, r = r, clip = clip) else 0
  found$bound <- plan$bound
  counts <- sort(unique(c(others, seq.int(0, min(4, max_points - 1)))))
  rows <- lapply(counts, plan_at, plan = plan, probability = probability)
  found$table <- do.call(rbind, rows)
  found$spurious <- found$table$spurious[counts == others]
  found$curve <- detection_curve(plan, found$persistence, others, found$spurious)
  new_answer("dptda_detection", found)
}

is_plan_answer <- function(x) is_one_string(x) && x %in% c("n", "epsilon", "persistence")
define_class("dptda_detection", "detectable_persistence()", asked = is_plan_answer, n = is_one_number,
             persistence = is_one_number, probability = is_one_number, sensitivity = is_one_number,
             bound = is_one_number,
             epsilon = is_null_or(is_one_number), rho = is_null_or(is_one_number),
             spurious = is_one_number, others = is_one_number, table = is.data.frame, curve = is.data.frame,
             .whole = function(x) is.null(x$epsilon) != is.null(x$rho))

what_is_asked <- function(no_rows, no_measure, persistence) {
  open <- c(n = no_rows, epsilon = no_measure, persistence = is.null(persistence))
  if (sum(open) != 1) {
    stop_argument("persistence",
                  "is to be given exactly if one of `n` and `epsilon` is left out, the one that is asked for.")
  }
  names(open)[open]
}

# A finite rate: at an infinite one there is no noise left to speak of.
at_rate <- function(plan, rate) {
  plan$groups <- lapply(plan$groups, function(group) {
    group$rate <- min(rate, 2^40 / plan$bound)
    group
  })
  plan
}

# The threshold beside `others` in the first dimension. Groups of
# dimensions are independent, and share the error.
plan_threshold <- function(plan, others, probability) {
  setting <- noise_setting(plan, plan$groups[[1]])
  spurious_height(setting, features_in_first(setting, others), probability^(1 / length(plan$groups)))
}

plan_at <- function(plan, others, probability) {
  setting <- noise_setting(plan, plan$groups[[1]])
  spurious <- plan_threshold(plan, others, probability)
  persistence <- detected_persistence(setting, features_in_first(setting, others), probability, spurious)
  data.frame(others = others, spurious = spurious, persistence = persistence)
}

plan_chance <- function(plan, persistence, others, height) {
  setting <- noise_setting(plan, plan$groups[[1]])
  detection_chance(setting, features_in_first(setting, others), persistence, height)
}

least_rate <- function(plan, persistence, others, probability) {
  chance <- function(rate) {
    plan <- at_rate(plan, rate)
    plan_chance(plan, persistence, others, plan_threshold(plan, others, probability))
  }
  first_reaching(chance, probability, 1e-3 / plan$bound, 1e9 / persistence)
}

# Fewest rows with a sensitivity of at most `sensitivity`.
least_rows <- function(plan, grid, sensitivity) {
  if (!(sensitivity > 0)) return(Inf)
  reach <- diagram_sensitivity(1, grid, 1, r = plan$r, clip = plan$clip) # that of k = 1
  k <- ceiling((reach / sensitivity)^plan$r * (1 - 1e-12))
  n <- max(1, floor((k - 1) / plan$m0))
  while (neighbor_count(n, plan$m0) < k) n <- n + 1
  n
}

detection_curve <- function(plan, persistence, others, spurious) {
  top <- if (is.finite(persistence)) min(2.5 * persistence, plan$bound) else plan$bound
  persistence <- seq(0, top, length.out = 41)[-1]
  probability <- vapply(persistence, function(p) plan_chance(plan, p, others, spurious), 0)
  data.frame(persistence = persistence, probability = probability)
}

answer_blocks.dptda_detection <- function(x, n) {
  measure <- intersect(c("epsilon", "rho"), names(x))
  value <- function(what) format(x[[what]], digits = 3, big.mark = ",")
  beside <- if (x$others > 0) paste0(" beside ", count_of(x$others, "other"))
  chance <- paste0(" with probability ", value("probability"), beside)
  this <- paste("a feature of persistence", value("persistence"))
  nothing <- is.infinite(x[[x$asked]])
  answer <- switch(x$asked,
    persistence = if (nothing) "nothing is detectable" else {
      paste0("a feature must have a persistence of ", value("persistence"), " to be detected")
    },
    n = if (nothing) paste(this, "is not detectable with any number of rows") else {
      paste(this, "needs", value("n"), "rows to be detected")
    },
    epsilon = if (nothing) paste(this, "is not detectable with any epsilon") else {
      paste(this, "needs epsilon =", value("epsilon"), "to be detected")
    }
  )
  given <- c(if (x$asked != "n") paste("n =", value("n")), if (x$asked != "epsilon")
             paste(measure, "=", value(measure)))
  answer <- paste0(answer, chance, " (", paste(given, collapse = ", "), ")")
  shown <- x$table
  shown$persistence <- ifelse(is.finite(shown$persistence), format(shown$persistence, digits = 2), "none")
  names(shown) <- c("other features", "spurious height", "detectable persistence")
  list(
    "detectable persistence" = answer,
    if (x$spurious == 0) "any point is evidence" else {
      paste("spurious points are taller than", value("spurious"), "with probability",
            format(1 - x$probability, digits = 3), "at most")
    },
    shown_table(shown, digits = 2),
    paste0("sensitivity ", format(x$sensitivity, digits = 4), "; values from 0 to ", format(x$bound, digits = 4))
  )
}

answer_table.dptda_detection <- function(x) x$table

answer_curve.dptda_detection <- function(x) {
  list(x = x$curve$persistence, y = x$curve$probability, xlab = "persistence of the feature",
       ylab = "probability that it is detected", level = x$probability, at = c(x$persistence, x$probability))
}
