#' Landmarks from a release, or from public data
#'
#' Chooses landmarks ([domain_landmarks()]) where the data are, as far as a release tells: draws points from a private
#' mixture or clustering, and keeps those that are spread best. What is computed from a release alone costs no
#' privacy; the landmarks carry the guarantee of the release, and a private diagram on them has both in its ledger.
#'
#' @param model A private mixture ([private_mixture()], or [as_mixture()] of a [private_kmeans()] with covariances), or that
#'   clustering itself; any other mixture, if it is **public**; or a numeric matrix or data frame of **public** points, such
#'   as data of the same kind from elsewhere. Never the private rows, nor anything that was fitted to them without a
#'   guarantee.
#' @param size One whole number from 1 to 5,000: how many landmarks; of public points, at most as many as there are.
#' @param ... Must be empty: what follows is given by name.
#' @param slack One number of at least 0, or `NULL` for two times the median distance of a landmark to its fifth neighbor.
#' @param least_weight One number from 0 to 1, below the largest weight: components of at most this weight are left out.
#'   `NULL`: one and a half times the weight that a component has of which [private_mixture()] saw nothing; for other
#'   mixtures 0.
#' @param box As in [domain_landmarks()].
#'
#' @details
#' From a mixture, four times as many points are drawn as are wanted. Along the axis j of a component they have the standard
#' deviation \eqn{s_j (s_j / s_1)}{s_j (s_j / s_1)} instead of \eqn{s_j}, which draws them toward the ridge of the component and
#' keeps them out of the noise around it. Then the farthest from all that were taken so far is taken again and again.
#' The draws take R's stream: what is drawn from a release is as public as the release, and [set.seed()] repeats it.
#' @return An object of class `dptda_landmarks`, with the guarantee of `model` if it has one.
#' @seealso `vignette("high-dimension", package = "dptda")`
#' @examples
#' # a circle in a plane of R^5
#' set.seed(1)
#' angle <- stats::runif(5000, 0, 2 * pi)
#' X <- cbind(cos(angle), sin(angle), 0, 0, 0) + stats::rnorm(25000, sd = 0.05)
#' mixture <- private_mixture(X, domain_box(rep(-2, 5), rep(2, 5)), k0 = 8, epsilon = 0.5, delta = 1e-6)
#' landmarks <- landmarks_from(mixture, 100)
#' landmarks
#' plot(landmarks)
#' @export
landmarks_from <- function(model, size, ..., slack = NULL, least_weight = NULL, box = NULL) {
  check_no_dots(...)
  if (missing(model)) stop_missing("model")
  size <- check_count(size, 1, most_landmarks)
  if (!is.null(slack)) slack <- check_number(slack, 0)
  if (inherits(model, "dptda_private_kmeans")) model <- as_mixture(model)
  space <- as_metric("euclidean")
  places <- if (inherits(model, "dptda_mixture")) {
    drawn <- draw_places(check_whole(model, "dptda_mixture"), 4 * size, least_weight)
    thin_places(space, drawn, size)
  } else {
    public_places(space, model, size)
  }
  if (is.null(slack)) slack <- usual_slack(space, places)
  landmarks <- domain_landmarks(t(places), box = box, slack = slack)
  guarantee <- if (inherits(model, "dptda_mixture")) privacy(model)
  if (is.null(guarantee)) landmarks else attach_guarantee(landmarks, guarantee)
}

public_places <- function(space, points, size) {
  if (!is.matrix(points) && !is.data.frame(points)) {
    stop_argument("model", "must be a mixture, a private clustering, or a matrix or data frame of public points, not ",
                  describe(points), ".")
  }
  refuse_scaled(points, "model")
  places <- space$places(points, "model")
  if (ncol(places) < size) stop_argument("size", "must be at most the number of points, ", ncol(places), ", not ", format(size), ".")
  thin_places(space, places, size)
}

# Points of the components that saw anything, drawn toward their ridges; one column each.
draw_places <- function(mixture, count, least_weight) {
  kept <- mixture$weights > check_least_weight(least_weight, mixture)
  narrow <- mixture$covariances[, , kept, drop = FALSE]
  for (k in seq_len(sum(kept))) {
    parts <- eigen(as_square(narrow, k), symmetric = TRUE)
    values <- pmax(parts$values, 0)
    # a thousandth of the largest keeps it a covariance
    values <- pmax(values * (values / values[1]), values[1] / 1e6)
    narrow[, , k] <- parts$vectors %*% (values * t(parts$vectors))
  }
  model <- new_mixture(mixture$weights[kept] / sum(mixture$weights[kept]), mixture$means[kept, , drop = FALSE], narrow,
                       colnames(mixture$means))
  drawn <- stats::simulate(model, nsim = count)
  attr(drawn, "component") <- NULL
  t(drawn)
}

check_least_weight <- function(least_weight, mixture) {
  if (!is.null(least_weight)) {
    return(check_number(least_weight, 0, max(mixture$weights), open_upper = TRUE))
  }
  n <- privacy(mixture)$public$n
  if (!is_one_number(n)) return(0)
  min(1.5 * unseen_count(least_seen(n)) / n, 0.999 * max(mixture$weights))
}
