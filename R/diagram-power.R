#' Power analysis for a private persistence diagram
#'
#' Computes one of power, number of rows, epsilon, and detectable persistence of a [private_diagram()] from the other
#' three, without data. As in [power.t.test()], leave out the quantity to compute.
#'
#' @details
#' # Detection
#' A feature is *detected* if two conditions hold. A released point of its dimension lies within half the feature's
#' persistence of it in the maximum norm, and so is nearer to it than to the diagonal. That point is also more
#' persistent than the threshold of [feature_evidence()], which spurious points exceed with probability at most
#' 1 - `level`.
#'
#' # Other features
#' All four quantities depend on how many other features the data have (`others`). K features multiply the volume of the
#' diagrams within a distance t of the true one by t^(2K), so noise grows with K. If you do not know how many there are,
#' plan with a generous number: the result has a table for several values. Highly persistent features count alike. Any
#' number of small points is allowed for, up to the persistence `least` of [feature_evidence()].
#'
#' # Error
#' `error` is the expected bottleneck distance between the release and the true diagram, if the true diagram has
#' `others` + 1 highly persistent features in this dimension. It is 2 (`others` + 1) times the scale of the noise, which
#' [privacy_price()] shows. With `learn_points = FALSE` it is `others` + 1 + `max_points` times the scale. If dimensions
#' share their noise (`utility = "max"`), it is the largest error of all dimensions: `max_points` counts once for each,
#' and features of other dimensions count like `others`.
#'
#' The value is the limit for a given diagram if `n * epsilon` grows, and at most half of `bound`. A feature that is not
#' detected costs half of its persistence instead. Small features of the sample count, too, if they are well above the
#' noise. Proof: `system.file("proofs", "diagram-accuracy.md", package = "dptda")`.
#'
#' @param n An integer: the number of rows; or [unseen()], if people have several rows each. Left out, it is computed
#'   as a number of rows or of people.
#' @param epsilon,rho One positive number: the budget of [private_diagram()]. At most one of `epsilon`, `rho`, and `mu`
#'   can be given. Leave out all to compute the smallest `epsilon`.
#' @param ... Not used. Later arguments must be named.
#' @param persistence One positive number, in the units of the data: the persistence of the feature.
#' @param power One number in (0, 1): the probability of detecting the feature. Exactly one of `n`, `epsilon` (with
#'   `rho` and `mu`), `persistence`, and `power` is left out and computed.
#' @param others An integer below `max_points`: the number of other features of the data in the same dimension.
#' @param level One number in (0, 1): the probability that no spurious point is taken for a feature, as in
#'   [feature_evidence()].
#' @inheritParams private_diagram
#'
#' @section Implementation:
#' Both probabilities are computed without random draws. They are exact for a diagram of highly persistent features that
#' are far from each other. `persistence` and `epsilon` are rounded to the side where `power` is reached. For `n`, the
#' smallest value that reaches `power` is returned. If no possible number of rows reaches it, that is an error.
#'
#' @return An object of class `dptda_power_diagram`, a list with these elements:
#'
#' * `n`, `epsilon` (or `rho` or `mu`), `persistence`, and `power`: numbers, one of them computed. A `persistence` of
#'   `Inf` means that no feature can be detected.
#' * `level` and `others`, as supplied. `asked`: the name of the quantity that was computed.
#' * `spurious`: the persistence that spurious points exceed with probability at most 1 - `level`.
#' * `error`: the expected error of a release, see above.
#' * `sensitivity` and `bound`: the sensitivity and the largest possible value of the distance to the measure.
#' * `table`: a data frame with the columns `others`, `spurious`, `persistence` (detected with probability `power`), and
#'   `error` at the same `n` and `epsilon`.
#' * `curve`: a data frame with the columns `persistence` and `power`.
#'
#' `as.data.frame()` returns `table`, and `plot()` draws the curve: see [answers].
#' @seealso [private_diagram()], [feature_evidence()], [power_graph()]
#' @examples
#' grid <- domain_grid(domain_box(c(-3.5, -3.5), c(3.5, 3.5)), by = 0.1)
#'
#' # the persistence that is detected with probability 0.95
#' plan <- power_diagram(4000, grid, epsilon = 1, power = 0.95, m0 = 0.2,
#'   clip = 1.6)
#' plan
#' plot(plan)
#'
#' # the number of rows for a third feature beside two others
#' power_diagram(grid = grid, epsilon = 1, persistence = 0.5, power = 0.95,
#'   others = 2, m0 = 0.2, clip = 1.6)
#' @export
power_diagram <- function(n = NULL, grid, epsilon = NULL, rho = NULL, ..., mu = NULL, persistence = NULL,
                          power = NULL, m0, r = 1, clip = Inf, max_dimension = NULL, dimensions = NULL, max_points = 10,
                          learn_points = TRUE, utility = NULL, others = 0, level = 0.95) {
  check_no_dots(...)
  check_domain(grid)
  dimensions <- check_released(dimensions, max_dimension, grid)
  asked <- what_is_asked(n = is.null(n), epsilon = is.null(epsilon) && is.null(rho) && is.null(mu),
                         persistence = is.null(persistence), power = is.null(power))
  cost <- if (asked == "epsilon") new_cost(c(epsilon = 1)) else check_diagram_cost(epsilon, rho, mu = mu)
  m0 <- check_m0(m0)
  r <- check_number(r, 1)
  clip <- check_number(clip, 0, open_lower = TRUE, finite = FALSE)
  max_points <- check_count(max_points, 1, most_points)
  learn_points <- check_flag(learn_points)
  utility <- check_utility(utility, cost)
  plan_of <- function(n, cost) {
    diagram_plan(n, grid, cost, m0 = m0, r = r, clip = clip, dimensions = dimensions, max_points = max_points,
                 learn_points = learn_points, utility = utility)
  }
  if (asked == "n") n <- ceiling(1 / m0) else if (!is_unseen(n)) n <- check_count(n, 1)
  plan <- plan_of(n, cost)
  if (asked != "persistence") persistence <- check_number(persistence, 0, plan$bound, open_lower = TRUE)
  if (asked != "power") power <- check_number(power, 0, 1, open_lower = TRUE, open_upper = TRUE)
  others <- check_count(others, 0, max_points - 1)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)

  chance <- function(plan) plan_chance(plan, persistence, others, plan_threshold(plan, others, level))
  if (asked == "n") plan <- least_rows(function(n) plan_of(n, cost), chance, power, m0)
  if (asked == "epsilon") {
    rate <- least_rate(plan, chance, power, persistence)
    plan <- least_epsilon(function(epsilon) plan_of(n, new_cost(c(epsilon = epsilon))), chance, power,
                          rate / plan$groups[[1]]$rate)
  }
  if (asked == "power") power <- chance(plan)
  if (asked == "persistence") persistence <- plan_at(plan, others, power, level)$persistence
  counts <- sort(unique(c(others, seq.int(0, min(4, max_points - 1)))))
  table <- do.call(rbind, lapply(counts, plan_at, plan = plan, power = power, level = level))
  own <- table[counts == others, ]
  new_answer("dptda_power_diagram", c(
    list(n = plan$n), as.list(plan$measure),
    list(persistence = persistence, power = power, level = level, spurious = own$spurious, others = others,
         error = own$error, asked = asked,
         sensitivity = diagram_sensitivity(plan$n, grid, m0, r = r, clip = clip), bound = plan$bound, table = table,
         curve = power_curve(plan, persistence, others, own$spurious))
  ))
}

is_power_question <- function(x) is_one_string(x) && x %in% c("n", "epsilon", "persistence", "power")
define_class("dptda_power_diagram", "power_diagram()", asked = is_power_question, n = is_one_number,
             persistence = is_one_number, power = is_one_number, level = is_one_number, sensitivity = is_one_number,
             bound = is_one_number,
             epsilon = is_null_or(is_one_number), rho = is_null_or(is_one_number), mu = is_null_or(is_one_number),
             spurious = is_one_number, others = is_one_number, error = is_one_number, table = is.data.frame,
             curve = is.data.frame,
             .valid = function(x) sum(lengths(x[c("epsilon", "rho", "mu")])) == 1)

# Sets the rates of a plan. They stay finite, because an infinite rate would mean no noise.
at_rate <- function(plan, rate) {
  plan$groups <- lapply(plan$groups, function(group) {
    group$rate <- min(rate, 2^40 / plan$bound)
    group
  })
  plan
}

# The threshold in the first dimension, given `others` features in it. Groups of dimensions are independent and share
# the probability of an error.
plan_threshold <- function(plan, others, level) {
  setting <- noise_setting(plan, plan$groups[[1]])
  spurious_height(setting, features_in_first(setting, others), level^(1 / length(plan$groups)))
}

plan_at <- function(plan, others, power, level) {
  setting <- noise_setting(plan, plan$groups[[1]])
  spurious <- plan_threshold(plan, others, level)
  persistence <- detected_persistence(setting, features_in_first(setting, others), power, spurious)
  data.frame(others = others, spurious = spurious, persistence = persistence,
             error = expected_error(plan, others + 1))
}

# The limit of the mean distance of a release from a true diagram with `features` highly persistent points, all in the
# first dimension (inst/proofs/diagram-accuracy.md, theorem 2). With a learned number, max_points does not matter. No
# distance exceeds half the range.
expected_error <- function(plan, features) {
  group <- plan$groups[[1]]
  shape <- if (plan$learn_points) 2 * features else features + plan$max_points * length(group$dimensions)
  min(shape / group$rate, plan$bound / 2)
}

plan_chance <- function(plan, persistence, others, height) {
  setting <- noise_setting(plan, plan$groups[[1]])
  detection_chance(setting, features_in_first(setting, others), persistence, height)
}

least_rate <- function(plan, chance, power, persistence) {
  first_reaching(function(rate) chance(at_rate(plan, rate)), power, 1e-3 / plan$bound, 1e9 / persistence, 1e-6)
}

# Returns the plan of the smallest epsilon. `epsilon` is the value for an infinitely fine lattice, so it may need more.
least_epsilon <- function(plan_of, chance, power, epsilon) {
  for (larger in c(0, 1e-6, 1e-4, 1e-2)) {
    if (epsilon * (1 + larger) > most_epsilon) break
    plan <- plan_of(epsilon * (1 + larger))
    if (chance(plan) >= power) return(plan)
  }
  stop_argument("epsilon", "cannot be large enough: even with ", format_count(most_epsilon),
                ", the largest value that has an effect, the power is below ", format(power), ".")
}

# Half of the nearest rows that the lattice of a release can hold.
most_planned_neighbors <- 2^30

# Returns the plan with the fewest rows. Only k matters, the number of nearest rows. Since the power grows with k,
# bisection finds the smallest one.
least_rows <- function(plan_of, chance, power, m0) {
  tried <- function(k) {
    plan <- plan_of(rows_of_neighbors(k, m0))
    if (chance(plan) >= power) plan
  }
  lower <- 0
  upper <- 1
  while (is.null(found <- tried(upper))) {
    lower <- upper
    upper <- 2 * upper
    if (upper > most_planned_neighbors || upper / m0 > 2^52) {
      stop_argument("n", "cannot be large enough: even with ",
                    format(rows_of_neighbors(lower, m0), digits = 3, big.mark = ",", decimal.mark = "."),
                    " rows, the power is below ", format(power), ". Larger numbers cannot be planned.")
    }
  }
  while (upper - lower > 1) {
    middle <- floor((lower + upper) / 2)
    plan <- tried(middle)
    if (is.null(plan)) lower <- middle else {
      upper <- middle
      found <- plan
    }
  }
  found
}

# The fewest rows for which the fraction m0 is k rows.
rows_of_neighbors <- function(k, m0) {
  n <- max(1, floor((k - 1) / m0) - 1)
  while (neighbor_count(n, m0) < k) n <- n + 1
  n
}

# Checks whether even features with the largest possible persistence, the only ones of their dimension, would be
# detected by fewer than half of all releases.
weakness_of.private_diagram <- function(plan) {
  if (plan$max_points == 0) return(NULL)
  narrow <- narrow_side(plan, plan$grid)
  power <- plan_chance(plan, c(plan$bound, narrow$bound), 0, plan_threshold(plan, 0, weak_level))
  if (power[1] >= weak_power) return(if (!is.null(narrow)) narrow_weakness(narrow, power[2]))
  weak("power", "even the most persistent feature that the grid allows, of persistence ",
       format(plan$bound, digits = 3), ", is ", seen_words(power[1]), ", even if it is the only one",
       remedy = paste0("Use more ", units_noun(plan$person), ", a larger ", names(plan$measure),
                       ", a larger `m0`, or a smaller `clip`. power_diagram() computes their effect."))
}

# Bounds the persistence of loops and higher features by the sides of the grid other than the longest. Moving all points
# onto a line along the longest side closes them. Points then move by at most half the diagonal of the other sides, and
# so does the distance to a measure. With columns in different units, noise grows with the longest side and hides them.
# Returns NULL if this gives no bound.
narrow_side <- function(own, grid) {
  if (!inherits(grid, "dptda_grid") || !any(own$dimensions > 0)) return(NULL)
  sides <- vapply(grid$axes, function(axis) diff(range(axis)), 0)
  longest <- which.max(sides)
  bound <- sqrt(sum(sides[-longest]^2)) / 2
  name <- grid$box$columns[longest]
  if (bound < own$bound) {
    list(bound = bound, side = if (is.null(name)) paste("side", longest) else paste0("`", name, "`"))
  }
}

# `power`: the probability to detect a feature of that persistence.
narrow_weakness <- function(narrow, power) {
  if (narrow$bound == 0) power <- 0
  if (power >= weak_power) return(NULL)
  weak("power", "a loop cannot be more persistent than ", format(narrow$bound, digits = 3),
       ", half the diagonal of the grid without ", narrow$side, ", and is ", seen_words(power),
       remedy = "Bring the columns into comparable units with domain_rescale(), which needs only a public box.")
}

# Words for a probability. One in a thousand or less counts as never.
seen_words <- function(power) {
  if (power < 0.001) return("practically never detected")
  paste("detected only with probability", format(power, digits = 2))
}

# A release is called weak if fewer than half of all draws show what it is for.
weak_power <- 1 / 2
weak_level <- 0.95

power_curve <- function(plan, persistence, others, spurious) {
  top <- if (is.finite(persistence)) min(2.5 * persistence, plan$bound) else plan$bound
  persistence <- seq(0, top, length.out = 41)[-1]
  data.frame(persistence = persistence, power = plan_chance(plan, persistence, others, spurious))
}

answer_blocks.dptda_power_diagram <- function(x, n) {
  title <- switch(x$asked, n = "smallest number of rows", epsilon = "smallest epsilon",
                  persistence = "smallest detectable persistence", power = "probability of detection")
  shown <- x$table
  shown$persistence <- ifelse(is.finite(shown$persistence), format(shown$persistence, digits = 2), "none")
  names(shown) <- c("other features", "threshold", "detectable", "error")
  list(
    "private diagram power" = title,
    c("", named_numbers(x, intersect(c("n", "epsilon", "rho", "mu", "persistence", "power", "others", "level"),
                                     names(x))),
      ""),
    shown_table(shown, digits = 2),
    c("", wrap_lines(c(
      if (is.infinite(x$persistence)) "No feature can be detected." else if (x$asked != "power") {
        paste0("`", x$asked, "` is the smallest value that reaches `power`.")
      },
      if (x$spurious == 0) "Any released point is evidence of a feature." else {
        paste0("Spurious points exceed a persistence of ", format(x$spurious, digits = 3), " with probability at most ",
               format(1 - x$level, digits = 3), ".")
      },
      error_words(x),
      paste0("sensitivity: ", format(x$sensitivity, digits = 4), ", range of values: 0 to ",
             format(x$bound, digits = 4))
    )))
  )
}

error_words <- function(x) {
  paste0("With ", count_of(x$others + 1, "highly persistent feature"), ", a release has an expected error of about ",
         format(x$error, digits = 2), " (bottleneck distance).")
}

answer_table.dptda_power_diagram <- function(x) x$table

answer_curve.dptda_power_diagram <- function(x) {
  list(x = x$curve$persistence, y = x$curve$power, xlab = "persistence of the feature",
       ylab = "probability of detection", level = x$power, at = c(x$persistence, x$power))
}
