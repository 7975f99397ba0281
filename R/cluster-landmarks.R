#' Landmarks from a private release or public data
#'
#' `landmarks_from()` chooses landmarks ([domain_landmarks()]) near the data, from a release: it draws points from a
#' private mixture or clustering and keeps the points that are spread best. Computations on a release cost no further
#' privacy. The landmarks carry the guarantee of the release, and the ledger of a private diagram on them contains both.
#'
#' Public points may be data of the same kind from another source. Never pass the private rows as `model`, nor a model
#' that was fitted to them without a guarantee.
#'
#' @param model A private mixture ([private_mixture()], or [as_mixture()] of a [private_kmeans()] with covariances), or
#'   that clustering itself. Or something **public**: another mixture, or a numeric matrix or data frame of points (for
#'   a manifold, in one of the forms of [manifold]).
#' @param size An integer from 1 to 5,000: the number of landmarks. There are fewer if there are fewer different points.
#' @param metric As in [domain_landmarks()].
#' @param ... Not used. Later arguments must be named.
#' @param map `NULL`, or a function that maps a matrix of points drawn from `model` (one per row) to points of the space
#'   of `metric`, in one of their forms. It reverses the coordinates in which the mixture was fitted, e.g. logarithms of
#'   matrices. By default, points are moved onto the manifold as they are.
#' @param slack `NULL`, or one number, at least 0. By default, two times the median distance of a landmark to its fifth
#'   neighbor.
#' @param least_weight `NULL`, or one number from 0 to 1, below the largest weight: components with at most this weight
#'   are left out. By default, components of a [private_mixture()] that noise may have placed are left out. The default
#'   for public mixtures is 0.
#' @param box As in [domain_landmarks()].
#'
#' @details
#' # Choice of points
#' From a mixture, eight times as many points are drawn as there will be landmarks. Along axis j of a component, points
#' have the standard deviation \eqn{s_j \sqrt{s_j / s_1}}{s_j sqrt(s_j / s_1)} instead of \eqn{s_j}. This draws them
#' toward the ridge of the component and away from the noise around it. Half of the points are drawn between a component
#' and one of its three nearest components, because a mixture may have gaps that the data do not have. Without
#' rows in a gap, these landmarks have no effect. Then the point that is farthest from all chosen points is chosen
#' repeatedly.
#'
#' Draws use R's stream, because draws from a release are as public as the release. [set.seed()] makes them
#' reproducible.
#'
#' # Light components
#' The default of `least_weight` is the weight that a component of [private_mixture()] must exceed to be fitted in its
#' last round, a public number (`privacy(model)$public$seen`). Lighter components are where noise has left them.
#' @return An object of class `dptda_landmarks`, with the guarantee of `model` if it has one.
#' @seealso `vignette("diagrams", package = "dptda")`
#' @examples
#' # a circle in a plane of R^5
#' set.seed(1)
#' angle <- stats::runif(5000, 0, 2 * pi)
#' X <- cbind(cos(angle), sin(angle), 0, 0, 0) + stats::rnorm(25000, sd = 0.05)
#' box <- domain_box(rep(-2, 5), rep(2, 5))
#' mixture <- private_mixture(X, box, k = 8, epsilon = 0.5, delta = 1e-6)
#' landmarks <- landmarks_from(mixture, 100)
#' landmarks
#' plot(landmarks)
#' @export
landmarks_from <- function(model, size, metric = "euclidean", ..., map = NULL, slack = NULL, least_weight = NULL,
                           box = NULL) {
  check_no_dots(...)
  if (missing(model)) stop_missing("model")
  size <- check_count(size, 1, most_landmarks)
  space <- as_metric(metric)
  if (!is.null(map) && !is.function(map)) {
    stop_argument("map", "must be NULL or a function of a matrix of points, not ", describe(map), ".")
  }
  if (!is.null(slack)) slack <- check_number(slack, 0)
  box <- check_landmark_box(box, metric)
  refuse_changed(model, "model")
  if (inherits(model, "dptda_private_kmeans")) model <- as_mixture(model)
  released <- inherits(model, "dptda_mixture")
  candidates <- if (released) {
    t(draw_places(check_valid(model, "dptda_mixture"), 8 * size, least_weight))
  } else {
    public_points(model)
  }
  places <- thin_places(space, candidate_places(candidates, space, map, released), size)
  if (is.null(slack)) slack <- usual_slack(space, places)
  made_of(checked_landmarks(places, metric, box, slack), model)
}

public_points <- function(points) {
  if (inherits(points, c("dptda_diagram", "dptda_rows")) ||
      !(is.data.frame(points) || is.numeric(points) || is.list(points))) {
    stop_argument("model", "must be a mixture, a private clustering, or public points, not ", describe(points), ".")
  }
  refuse_scaled(points, "model")
  points
}

# Candidates in the space of the metric, one column each. Draws need not lie on a manifold: they are moved onto it.
candidate_places <- function(candidates, space, map, drawn) {
  if (!is.null(map)) return(some_places(space$places(blame_argument("map", map(candidates)), "map"), "map"))
  if (!drawn) return(some_places(space$places(candidates, "model"), "model"))
  places <- space$read(candidates, "model")
  places <- places[, colSums(!is.finite(places)) == 0, drop = FALSE]
  if (ncol(places) == 0) {
    stop_argument("model", "must give points in the space of `metric`, but none of the drawn points is in it.")
  }
  places
}

some_places <- function(places, arg) {
  if (ncol(places) == 0) stop_argument(arg, "must give at least 1 point.")
  places
}

# Returns `count` points of the components with enough weight, one column each: half of them about a component, and half
# about a place between it and one of its three nearest ones.
draw_places <- function(mixture, count, least_weight) {
  kept <- which(mixture$weights > check_least_weight(least_weight, mixture))
  means <- t(mixture$means[kept, , drop = FALSE])
  roots <- lapply(kept, function(k) narrow_root(as_square(mixture$covariances, k)))
  from <- sample.int(length(kept), count, replace = TRUE, prob = mixture$weights[kept])
  to <- near_components(mixture, kept)[cbind(from, sample.int(3, count, replace = TRUE))]
  part <- stats::runif(count) * (stats::runif(count) < 0.5)
  normal <- matrix(stats::rnorm(nrow(means) * count), nrow(means))
  spread <- function(which) {
    for (k in unique(which)) normal[, which == k] <- roots[[k]] %*% normal[, which == k, drop = FALSE]
    normal
  }
  weighed <- function(x, part) x * rep(part, each = nrow(means))
  weighed(means[, from, drop = FALSE] + spread(from), 1 - part) + weighed(means[, to, drop = FALSE] + spread(to), part)
}

# The root of a covariance, its axes shrunk to the standard deviations s_j sqrt(s_j / s_1).
narrow_root <- function(S) {
  parts <- eigen(S, symmetric = TRUE)
  sd <- sqrt(pmax(parts$values, 0))
  parts$vectors %*% (sd * sqrt(sd / sd[1]) * t(parts$vectors))
}

# The three components nearest to each, by their means in units of the covariances. With fewer components, some repeat,
# or are the component itself.
near_components <- function(mixture, kept) {
  nearest <- function(k) {
    square <- vapply(kept, function(l) {
      away <- mixture$means[k, ] - mixture$means[l, ]
      sum(away * solve(as_square(mixture$covariances, k) + as_square(mixture$covariances, l), away, tol = 0))
    }, 0)
    order(kept == k, square)[pmin(1:3, max(1, length(kept) - 1))]
  }
  t(vapply(kept, nearest, integer(3)))
}

check_least_weight <- function(least_weight, mixture) {
  if (!is.null(least_weight)) {
    return(check_number(least_weight, 0, max(mixture$weights), open_upper = TRUE))
  }
  public <- privacy(mixture)$public
  least <- if (is_one_number(public$seen)) {
    public$seen
  } else if (is_one_number(public$n)) {
    1.5 * unseen_count(least_seen(public$n)) / public$n # of private_kmeans()
  } else {
    0
  }
  min(least, 0.999 * max(mixture$weights))
}

# ---- for audits ------------------------------------------------------------------------------------

# On a manifold one row raises its landmark by the whole sensitivity.
example_of.diagram_on_manifold <- function(plan) {
  poles <- rbind(c(0, 0, 1), c(0, 0, 1))
  same <- array(diag(2), c(2, 2, 4))
  list(
    landmark_example("directions", domain_landmarks(rbind(c(0, 0, 1)), manifold_sphere(2)), poles,
                     rbind(poles[1, ], -poles[1, ]),
                     2, clip = Inf, epsilon = 6, dimensions = 0),
    landmark_example("matrices", domain_landmarks(list(diag(2)), manifold_spd(2)), same, replace(same, c(13, 16), 1e9),
                     4,
                     clip = 2, epsilon = 6, dimensions = 0)
  )
}

# A mixture, then a diagram on landmarks from it: one mechanism.
mixture_then_diagram <- function(n, box, epsilon, delta, clip) {
  mixture <- private_mixture(unseen(n), box, 1, epsilon = epsilon, delta = delta, rounds = 1)
  step_mechanism("mixture_then_diagram", c(epsilon = 2 * epsilon, delta = delta), n = n, mixture = mixture,
                 epsilon = epsilon,
                 clip = clip)
}

rows_for.mixture_then_diagram <- function(plan, x) list(points = x, rows = rows_for(plan$mixture$plan, x))

statistic_of.mixture_then_diagram <- function(plan, rows) {
  list(points = rows$points, mixture = statistic_of(plan$mixture$plan, rows$rows))
}

draw_of.mixture_then_diagram <- function(plan, statistic, rng) {
  first <- plan$mixture
  mixture <- result_of(first$plan, draw_by_questions(first$plan, statistic$mixture, first$adaptive, rng))
  first$guarantee$random <- rng
  landmarks <- landmarks_from(attach_guarantee(mixture, first$guarantee), 3, slack = 0)
  second <- private_diagram(unseen(plan$n), landmarks, epsilon = plan$epsilon, m0 = 1 / plan$n, clip = plan$clip,
                              dimensions = 0,
                              essential = "cap", learn_points = FALSE, max_points = 1)
  found <- statistic_of(second$plan, rows_for(second$plan, statistic$points))
  list(mean = as.double(mixture$means), diagram = result_of(second$plan, draw_of(second$plan, found, rng)))
}

# The mean of the only component, and the components of the diagram.
example_of.mixture_then_diagram <- function(plan) {
  example <- step_example("private_diagram(landmarks, after a mixture)",
                          mixture_then_diagram(60, domain_box(-1, 1), 2, 1e-9, 2),
                          matrix(rep(c(-1, 1), c(1, 59))), matrix(rep(1, 60)))
  example$slow <- TRUE
  list(example)
}
