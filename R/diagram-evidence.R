# Finds the points of a release that are evidence of a feature, from the release alone.

#' Test which points of a private diagram are features
#'
#' Returns a lower confidence bound on the number of features of the data, and tests which points of a private
#' persistence diagram are features rather than noise. The test uses only the release and its public parameters, so it
#' costs no privacy.
#'
#' @details
#' # Features
#' A *feature* is a point of the true diagram (the diagram of the distance to the measure, without noise) whose
#' persistence exceeds `least`. The true diagram may have any number of smaller points. In dimension 0, a feature is one
#' component besides the first; with `essential = "cap"`, the first component counts also.
#'
#' # Test
#' The points are tested one by one, the most persistent first. Dimensions that share their noise are tested together.
#' A point is evidence of one more feature of its dimension if its persistence exceeds the *threshold*. Suppose that the
#' more persistent points are exactly the features. Then no spurious point exceeds the threshold, with
#' the given probability. The first point that does not exceed its threshold ends the test. Thresholds rise from step to
#' step, because noise grows with the number of features: each feature multiplies the volume at a distance t from the
#' true diagram by t^2.
#'
#' # Error rate
#' If each dimension has at most `max_points` features, the test claims more features than there are with probability at
#' most 1 - `level`. This is proved for highly persistent features without other points, and simulated otherwise
#' ([evidence_error_rate] has exceptions). The claim is a number of features. It does not bound their persistence,
#' beyond `least`, or their location.
#'
#' # Where the features are
#' A released point has a *region* if it is evidence and its persistence exceeds twice a radius: the noise radius for
#' one feature more than was counted. The region is the square of points whose birth and death both differ from the
#' released ones by at most this radius. With probability `level`, either the data have more features than were counted,
#' or all regions are right: each contains a point of the true diagram, a different one for each region. This is proved
#' if all features are highly persistent and there are no other points, and simulated otherwise.
#'
#' A release does not show whether more features are hidden. If several features are about as persistent as the noise,
#' many regions are wrong (simulated: in up to 16% of releases in one dimension, and 64% if two dimensions share their
#' noise). The true point may be less persistent than the released one by up to twice the radius. A point without a
#' region may represent a feature in another place.
#'
#' # Population
#' The test is about the diagram of the rows. If rows are independent draws, a point marked `population` is also
#' evidence of a feature of the population, by the proved bound of [population_band()]. With a private histogram,
#' [population_band()] usually finds more of these points.
#'
#' @section Implementation:
#' The test draws no random numbers. The proof is in `system.file("proofs", "diagram-evidence.md", package = "dptda")`.
#'
#' @param release A release of [private_diagram()] with `learn_points = TRUE`, unchanged. You may have dropped rows: all
#'   released points are tested regardless. Or all results of `simulate()` for a mechanism of `private_diagram()` (also
#'   with `learn_points = FALSE`), to study how often the test is right.
#' @param ... For `plot()`: passed on to [graphics::plot.default()]. Otherwise not used; later arguments must be named.
#' @param level One number in (0, 1): the probability that the data have at least as many features as claimed.
#' @param least One number, at least 0 (public), in the units of the data: points of the true diagram with at most this
#'   persistence do not count as features. The default is 4 times the mean of the exponential distribution in the
#'   mechanism, which is 8 times the sensitivity divided by `epsilon`.
#' @param x A result of `feature_evidence()`.
#' @return A list of class `dptda_evidence`:
#'
#' * `steps`: a data frame with one row per step of the test and the columns `dimension`, `step` (within the dimension),
#'   `birth`, `death`, `persistence` (of the released point, or `NA` if there was no further point), `threshold`,
#'   `evidence`, `region` (half the side of the region, or `NA`), and `population` (`NA` for releases that
#'   [population_band()] refuses).
#' * `features`: a data frame with one row per dimension. `features` is the lower bound on their number. `band` is the
#'   last threshold: a further point below it may be noise (`NA` after `max_points` features). A further feature of
#'   persistence `detectable` would have been detected with the given probability (`Inf`: none would). `radius` bounds
#'   the bottleneck distance to the true diagram with that probability.
#' * `radii`: a data frame with the radius for other numbers of features in one dimension.
#' * `level`, `least`, and `joint`. If `joint` is `TRUE`, several dimensions share their noise, and `level` refers to
#'   the total number of features.
#'
#' `as.data.frame()` returns `steps`. `plot()` draws the persistence and threshold of each step.
#'
#' For a simulation, the result is a data frame with one row per draw and dimension, and the columns `draw`,
#' `dimension`, `features`, `band`, and `region` (half the side of the regions).
#' @references
#' Kang, T., Kim, S., Sohn, J. and Awan, J. (2024). Differentially private
#' topological data analysis. *Journal of Machine Learning Research* 25, 1-42.
#' @seealso [power_diagram()] before a release.
#' @examples
#' angle <- 2 * pi * (1:1000) / 1000
#' X <- cbind(cos(angle), sin(angle))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1)
#' release <- private_diagram(X, grid, epsilon = 1, m0 = 0.2, clip = 1.5)
#' evidence <- feature_evidence(release)
#' evidence
#' as.data.frame(evidence)
#' plot(release)
#' @export
feature_evidence <- function(release, ..., level = 0.95, least = NULL) {
  check_no_dots(...)
  if (missing(release)) stop_missing("release")
  if (inherits(release, "dptda_simulation")) return(simulated_evidence(release, level, least))
  plan <- check_released_plan(release)
  level <- check_evidence_level(level)
  test_points(plan, released_rows(release), level, check_least(least))
}

check_evidence_level <- function(level) check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)

check_least <- function(least) if (!is.null(least)) check_number(least, 0)

# Returns the evidence that every release prints and plots by default, or NULL for other diagrams.
default_evidence <- function(x) {
  plan <- released_plan(x)
  if (!is.null(plan)) test_points(plan, released_rows(x), evidence_level)
}

evidence_level <- 0.95

check_released_plan <- function(release) {
  plan <- if (inherits(release, "dptda_diagram")) released_plan(release)
  if (is.null(plan)) {
    stop_argument("release", "must be an unchanged release of private_diagram() with `learn_points = TRUE`, not ",
                  describe(release), ".")
  }
  plan
}

# Rebuilds the plan that a diagram was drawn from, from the public parameters of its guarantee.
# Returns NULL if the diagram is not a release.
released_plan <- function(x) {
  guarantee <- privacy(x)
  needed <- c("n", "grid", "m0", "r", "clip", "dimensions", "max_points", "learn_points", "utility")
  if (is.null(guarantee) || !is_valid(guarantee, "dptda_guarantee")) return(NULL)
  public <- guarantee$public
  if (!all(needed %in% names(public)) || !isTRUE(public$learn_points)) return(NULL)
  # a guarantee edited by hand may not describe a plan
  if (!all(vapply(public[c("n", "m0", "r", "clip", "max_points")], is_one_number, NA)) || is.null(public$dimensions)) {
    return(NULL)
  }
  value_or({
    public$dimensions <- check_released(public$dimensions, NULL, check_domain(public$grid))
    # the diagram is the last step, after the steps that made the landmarks
    measure <- as.list(guarantee$steps[[length(guarantee$steps)]]$measure)
    cost <- check_diagram_cost(measure$epsilon, measure$rho, mu = measure$mu)
    if (!is.null(guarantee$person)) {
      take <- if (isTRUE(public$weight > 1)) "all" else "one" # a weight of 1 means one row per person
      public$n <- new_unseen(public$n, guarantee$person, take, complete = TRUE)
    }
    do.call(diagram_plan, c(list(cost = cost), public[needed]))
  }, NULL)
}

# All points that were released, even if a selection of rows dropped some of them.
released_rows <- function(x) {
  fields <- strsplit(attr(x, "released", exact = TRUE)$rows, " ", fixed = TRUE)
  number <- function(i) vapply(fields, function(field) as.numeric(field[i]), 0)
  points <- data.frame(dimension = as.integer(number(1)), birth = number(2), death = number(3))
  points$persistence <- points$death - points$birth
  points[order(-points$persistence), , drop = FALSE]
}

# Tests each group of dimensions. Groups are independent and share the probability of an error.
test_points <- function(plan, points, level, least = NULL) {
  groups <- lapply(plan$groups, function(group) {
    setting <- noise_setting(plan, group, least)
    test_group(setting, points[points$dimension %in% group$dimensions, , drop = FALSE],
               level^(1 / length(plan$groups)), level)
  })
  bind <- function(what) {
    rows <- do.call(rbind, lapply(groups, `[[`, what))
    rows <- rows[order(rows$dimension), , drop = FALSE]
    row.names(rows) <- NULL
    rows
  }
  setting <- noise_setting(plan, plan$groups[[1]], least)
  steps <- bind("steps")
  steps$population <- is_of_population(plan, steps, level)
  new_answer("dptda_evidence", list(
    steps = steps, features = bind("features"), radii = radius_table(setting, level^(1 / length(groups))),
    level = level, least = setting$least * setting$bound,
    joint = any(lengths(lapply(plan$groups, `[[`, "dimensions")) > 1)
  ))
}

# Returns whether each point is evidence by the proved band of population_band(), or NA if the release has no such band.
is_of_population <- function(plan, points, level) {
  if (!is.null(population_fault(plan))) return(rep(NA, nrow(points)))
  band <- proved_band(plan, (1 - level) / 2)
  !is.na(points$persistence) & points$persistence > 2 * band$radius[match(points$dimension, band$dimension)]
}

radius_table <- function(setting, each_level) {
  features <- seq.int(0, min(4, setting$most))
  radius <- vapply(features, function(count) noise_radius(setting, features_in_first(setting, count), each_level), 0)
  data.frame(features = features, radius = radius)
}

# Tests the points of one group, the tallest first. Returns `counts`, the number of points of each dimension that are
# evidence, and `heights`, the threshold of every step. The last threshold ended the test.
# `threshold` is the function from counts to the next height.
walk_points <- function(points, setting, threshold) {
  counts <- rep(0, length(setting$dimensions))
  heights <- threshold(counts)
  while (sum(counts) < nrow(points) && points$persistence[sum(counts) + 1] > heights[sum(counts) + 1]) {
    here <- match(points$dimension[sum(counts) + 1], setting$dimensions)
    counts[here] <- counts[here] + 1
    heights <- c(heights, threshold(counts))
  }
  list(counts = counts, heights = heights)
}

# Counts the features that many simulated results of one mechanism show, all at once.
simulated_evidence <- function(simulation, level, least) {
  plan <- attr(check_valid(simulation, "dptda_simulation", "release"), "mechanism")$plan
  if (!inherits(plan, "private_diagram") || !is_list_of_diagrams(simulation)) {
    stop_argument("release",
                  "must be a simulation of a mechanism of private_diagram(), with all its results. Call simulate() ",
                  "on private_diagram(unseen(n), ...).")
  }
  level <- check_evidence_level(level)
  least <- check_least(least)
  each <- function(what) as.double(unlist(lapply(simulation, .subset2, what)))
  points <- data.frame(draw = rep(seq_along(simulation), lengths(lapply(simulation, .subset2, "birth"))),
                       dimension = each("dimension"), persistence = each("death") - each("birth"))
  found <- do.call(rbind, lapply(plan$groups, function(group) {
    setting <- noise_setting(plan, group, least)
    each_level <- level^(1 / length(plan$groups))
    threshold <- function(counts) spurious_height(setting, counts, each_level)
    found <- walk_draws(points[points$dimension %in% group$dimensions, ], length(simulation), setting, threshold)
    found$region <- regions_of_draws(found, length(simulation), setting, each_level)
    found
  }))
  found <- found[order(found$draw, found$dimension), ]
  row.names(found) <- NULL
  found
}

is_list_of_diagrams <- function(x) is.list(x) && all(vapply(unclass(x), inherits, NA, what = "dptda_diagram"))

# Runs walk_points() for many draws, step by step, and computes each threshold once.
walk_draws <- function(points, draws, setting, threshold) {
  points <- points[order(points$draw, -points$persistence), ]
  first <- match(seq_len(draws), points$draw)
  number <- tabulate(points$draw, draws)
  counts <- matrix(0L, draws, length(setting$dimensions))
  height <- rep(threshold(0 * setting$dimensions), draws)
  known <- list()
  open <- seq_len(draws)
  for (step in seq_len(max(number, 0))) {
    open <- open[number[open] >= step]
    at <- first[open] + step - 1
    taller <- points$persistence[at] > height[open]
    open <- open[taller]
    if (!length(open)) break
    here <- cbind(open, match(points$dimension[at[taller]], setting$dimensions))
    counts[here] <- counts[here] + 1L
    states <- do.call(paste, as.data.frame(counts[open, , drop = FALSE]))
    for (i in which(!duplicated(states))) {
      if (is.null(known[[states[i]]])) known[[states[i]]] <- threshold(counts[open[i], ])
    }
    height[open] <- unlist(known[states], use.names = FALSE)
  }
  data.frame(draw = rep(seq_len(draws), ncol(counts)), dimension = rep(as.integer(setting$dimensions), each = draws),
             features = as.vector(counts), band = ifelse(as.vector(counts) < setting$most, height, NA_real_))
}

# Computes the radius once for each distinct state of the test.
regions_of_draws <- function(found, draws, setting, each_level) {
  counts <- matrix(found$features, draws)
  states <- do.call(paste, as.data.frame(counts))
  first <- which(!duplicated(states))
  radius <- vapply(first, function(i) region_radius(setting, counts[i, ], each_level), 0)
  rep(radius[match(states, states[first])], ncol(counts))
}

# Rows of the result for one group.
test_group <- function(setting, points, each_level, level) {
  dimensions <- setting$dimensions
  walk <- walk_points(points, setting, function(counts) spurious_height(setting, counts, each_level))
  counts <- walk$counts
  height <- walk$heights[sum(counts) + 1]
  evident <- seq_len(nrow(points)) <= sum(counts)
  taken <- points[evident, , drop = FALSE]
  taken <- step_rows(taken, occurrence(taken$dimension), walk$heights[seq_len(sum(counts))], rep(TRUE, sum(counts)),
                     region_radius(setting, counts, each_level))
  # the step that ended the test, for each dimension that could have had one more point
  left <- points[!evident, , drop = FALSE]
  last <- lapply(which(counts < setting$most), function(here) {
    following <- left[left$dimension == dimensions[here], , drop = FALSE][1, , drop = FALSE]
    following$dimension <- dimensions[here]
    step_rows(following, counts[here] + 1, height, FALSE)
  })
  room <- counts < setting$most
  features <- data.frame(
    dimension = as.integer(dimensions), features = as.integer(counts),
    band = ifelse(room, height, NA_real_),
    detectable = vapply(seq_along(dimensions), function(here) {
      detected_persistence(setting, c(counts[here], counts[-here]), level, height)
    }, 0),
    radius = noise_radius(setting, counts, each_level)
  )
  list(steps = do.call(rbind, c(list(taken), last)), features = features)
}

# Rows of the table of steps. If a released point is farther from the diagonal than the release from the truth, a true
# point of its own lies within this distance. Lower points get no region.
step_rows <- function(points, step, threshold, evidence, region = NA_real_) {
  data.frame(dimension = as.integer(points$dimension), step = as.integer(step), birth = points$birth,
             death = points$death, persistence = points$persistence, threshold = threshold, evidence = evidence,
             region = as.double(ifelse(evidence & points$persistence > 2 * region, region, NA)))
}

# Bound on that distance if there is one feature more than was counted. Noise grows with the number of features, so a
# hidden feature makes it larger.
region_radius <- function(setting, counts, each_level) {
  more <- lapply(which(counts < setting$most), function(here) replace(counts, here, counts[here] + 1))
  if (!length(more)) more <- list(counts)
  max(vapply(more, function(counts) noise_radius(setting, counts, each_level), 0))
}

no_steps <- data.frame(dimension = integer(), step = integer(), birth = double(), death = double(),
                       persistence = double(), threshold = double(), evidence = logical(), region = double(),
                       population = logical())

define_class("dptda_evidence", "feature_evidence()",
             steps = function(x) is.data.frame(x) && identical(lapply(x, typeof), lapply(no_steps, typeof)),
             features = function(x) {
               is.data.frame(x) && is.integer(x$dimension) && is.integer(x$features) && nrow(x) > 0 &&
                 all(vapply(x[c("band", "detectable", "radius")], is.double, NA))
             },
             radii = is.data.frame, level = is_one_number, least = is_one_number, joint = is_one_flag)

format_height <- function(x) format(signif(x, 2), digits = 2)

# Lower bound on the number of features, in one line.
#' @rdname feature_evidence
#' @export
format.dptda_evidence <- function(x, ...) {
  check_valid(x, "dptda_evidence")
  paste0(format_counts(x), "; ", format_bands(x), if (!any(x$features$features > 0)) format_seen_from(x))
}

# States which persistence would have been detected if nothing was found. It is larger than the threshold for evidence.
format_seen_from <- function(x) {
  seen_from <- x$features$detectable
  if (!all(is.finite(seen_from))) return(NULL)
  heights <- unique(vapply(seen_from, format_height, ""))
  paste0(", and a feature of persistence ", paste(heights, collapse = " or "), " would have been detected")
}

format_counts <- function(x) {
  seen <- x$features[x$features$features > 0, ]
  noun <- c(if (nrow(seen)) if (seen$features[1] == 1) " feature" else " features", rep("", max(nrow(seen) - 1, 0)))
  surely <- paste0(" (", format_percent(x$level), ")")
  if (nrow(seen) == 0) {
    looked <- paste(x$features$dimension, collapse = if (nrow(x$features) > 2) ", " else " or ")
    return(paste0("no evidence of a feature of dimension ", looked, surely))
  }
  if (!x$joint) {
    return(paste0("at least ", paste0(seen$features, noun, " of dimension ", seen$dimension, collapse = " and "),
                  surely))
  }
  # if all dimensions share one noise, the level holds for the total
  total <- sum(seen$features)
  each <- paste0(if (nrow(seen) > 1) paste0(seen$features, " "), "of dimension ", seen$dimension, collapse = " and ")
  paste0("at least ", total, " feature", if (total > 1) "s", surely, if (nrow(seen) > 1) ": " else ", ", each)
}

format_bands <- function(x) {
  open <- x$features[!is.na(x$features$band), ]
  further <- if (any(x$features$features > 0)) "further "
  if (nrow(open) == 0) return("no further point was possible")
  none_left <- all(is.na(x$steps$persistence[!x$steps$evidence]))
  if (all(open$band == 0)) {
    return(if (none_left)
           paste0("any ", further, "point would have been evidence") else "the other points lie on the diagonal")
  }
  heights <- unique(format_height(open$band))
  below <- if (length(heights) == 1) heights else {
    paste0(vapply(open$band, format_height, ""), " (dimension ", open$dimension, ")", collapse = " or ")
  }
  if (none_left) return(paste0("a ", further, "point with persistence above ", below, " would have been evidence"))
  paste0(further, "points with persistence below ", below, " may be noise")
}

answer_blocks.dptda_evidence <- function(x, n) {
  list(
    "private diagram evidence" = format(x),
    paste0("feature: point of the true diagram with persistence above ", format_height(x$least)),
    if (nrow(x$steps)) shown_table(x$steps, digits = 3) else character(),
    format_radius(x),
    format_population(x)
  )
}

# Returns no line if no point is evidence of a feature of the rows, or if the release has no proved band.
format_population <- function(x) {
  found <- x$steps$population[x$steps$evidence]
  if (length(found) && !anyNA(found)) {
    paste0("evidence about the population (independent rows): ", sum(found), " of ", length(found),
           "; see population_band()")
  }
}

format_radius <- function(x) {
  each <- vapply(x$features$radius, format_height, "")
  by_dimension <- paste0(each, " (dimension ", x$features$dimension, ")", collapse = ", ")
  paste0("noise radius (", format_percent(x$level), "): ", if (length(unique(each)) == 1)
         each[1] else by_dimension,
         "; with ", paste0(x$radii$features, collapse = ", "), " features of one dimension: ",
         paste0(vapply(x$radii$radius, format_height, ""), collapse = ", "))
}

format_detectable <- function(x) {
  tall <- x$features$detectable
  if (all(is.infinite(tall))) return("no further feature could have been detected")
  each <- ifelse(is.infinite(tall), "Inf", vapply(tall, format_height, ""))
  by_dimension <- paste0(each, " (dimension ", x$features$dimension, ")", collapse = " or ")
  paste0("a further feature would have been detected (", format_percent(x$level), ") with persistence ",
         if (length(unique(each)) == 1) each[1] else by_dimension)
}

answer_table.dptda_evidence <- function(x) x$steps

#' @rdname feature_evidence
#' @export
plot.dptda_evidence <- function(x, ...) {
  check_valid(x, "dptda_evidence")
  steps <- x$steps[order(!x$steps$evidence, x$steps$threshold, -x$steps$persistence), ]
  place <- seq_len(nrow(steps))
  color <- diagram_colors[steps$dimension %% length(diagram_colors) + 1]
  top <- max(c(steps$persistence, steps$threshold), 0, na.rm = TRUE)
  settings <- utils::modifyList(
    list(x = place, y = steps$persistence, type = "n", xlim = c(0.5, max(1, nrow(steps)) + 0.5), las = 1, xaxt = "n",
         ylim = c(0, if (top > 0) 1.05 * top else 1), xlab = "step", ylab = "persistence", main = NULL),
    list(...)
  )
  do.call(graphics::plot.default, settings)
  if (nrow(steps) == 0) return(invisible(x))
  graphics::axis(1, at = place, labels = place)
  graphics::rect(place - 0.4, 0, place + 0.4, steps$threshold, col = "#F3D9C6", border = NA)
  symbol <- diagram_symbols[steps$dimension %% length(diagram_symbols) + 1]
  graphics::points(place, steps$persistence, cex = 1.25, pch = symbol, bg = ifelse(steps$evidence, color, "white"),
                   col = color)
  first <- order(steps$dimension)[!duplicated(sort(steps$dimension))]
  graphics::legend("topright", legend = c(paste("dimension", steps$dimension[first]), "threshold"), bty = "n",
                   pch = c(symbol[first], 15), col = c(color[first], "#F3D9C6"), pt.bg = c(color[first], NA))
  invisible(x)
}

#' Error rate of `feature_evidence()`
#'
#' States what is proved and what was simulated about the number of features that [feature_evidence()] claims.
#'
#' @details
#' # Error rate
#' If each dimension has at most `max_points` features, the test claims more features than there are with probability at
#' most 1 - `level`. This is proved for any number of highly persistent features in any place (close pairs and points at
#' the frame included) with no other points. It was simulated with thousands of points up to `least`, and for features
#' near the noise. Exceptions:
#'
#' * With `utility = "max"`, the dimension of a claim may be wrong if *another* dimension has several features about as
#'   persistent as the noise (in up to 22% of simulated releases). The total number over all dimensions is still right.
#'   With `utility = "sum"`, dimensions do not affect each other.
#' * Every point of the true diagram above `least` is a feature, whether it is of interest or not.
#' * If a dimension has more than `max_points` features, nothing is guaranteed.
#'
#' Releases with `learn_points = FALSE` are refused, because all their points must be placed somewhere. If a feature of
#' moderate persistence is missed, several points rise together: a second feature was claimed in up to 39% of the
#' releases of a diagram that has one.
#'
#' The claim is a number of features. It does not bound their persistence, beyond `least`, or their location. The page
#' `system.file("proofs", "diagram-evidence.md", package = "dptda")` has the proof and the tables.
#' @seealso [feature_evidence()]
#' @examples
#' # how often would a release show the circle, if it were the only feature?
#' angle <- 2 * pi * (1:1000) / 1000
#' X <- cbind(cos(angle), sin(angle))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1)
#' mechanism <- private_diagram(unseen(1000), grid, epsilon = 1, m0 = 0.2,
#'                              clip = 1.5)
#' seen <- feature_evidence(simulate(mechanism, 200, seed = 1, x = X))
#' mean(seen$features[seen$dimension == 1] >= 1)
#' @name evidence_error_rate
NULL
