#' Public landmarks: a domain in any dimension and metric space
#'
#' Makes a public domain of points, the landmarks, for data in any dimension or metric space (grids have at most four
#' dimensions). The distance to a measure is evaluated at the landmarks, and a complex over them gives the diagram. The
#' points are public, or were released before ([landmarks_from()]).
#'
#' [distance_to_measure()], [dtm_persistence()], [private_diagram()], [plan_private_diagram()], [power_diagram()], and
#' [diagram_sensitivity()] accept landmarks in place of a grid, with the same sensitivity.
#'
#' @param points The landmarks, **public**: a numeric matrix or data frame with one row per landmark, or points of the
#'   manifold in one of the forms of [manifold]. 1 to 5,000 of them. They must not be rows of the private data, and must
#'   not be chosen based on the private data.
#' @param metric `"euclidean"`; a manifold, such as [manifold_sphere()] or [manifold_spd()], for its geodesic distance;
#'   or a function of two points (numeric vectors, as in the rows of `points`) that returns one number and depends on
#'   these two points only.
#' @param ... Not used. Later arguments must be named.
#' @param box For Euclidean distances, `NULL`, a box from [domain_box()], or a pair `c(lower, upper)` for one column:
#'   rows are first moved into it. Landmarks may be outside it. Without a box, a finite `clip` must bound distances. A
#'   box lowers the sensitivity only if its diagonal is shorter than the clip.
#' @param slack One nonnegative number (public), in the units of the distance: subtracted from each distance between two
#'   landmarks, so that neighboring landmarks count as one place.
#'
#' @details
#' # Choosing metric and slack
#' A function as `metric` is slow, because it is called once for each row and landmark. It need not satisfy the triangle
#' inequality. A function that remembers earlier rows or draws random numbers has no known sensitivity. Releases do not
#' keep the function, because it carries the environment in which it was written.
#'
#' `slack` removes loops that are only due to sparse landmarks. It must stay well below the size of the loops of the
#' data. [landmarks_from()] uses twice the median distance to the fifth neighbor.
#'
#' # Filtration
#' With f the distance to a measure and d the distances between landmarks, landmark i enters at \eqn{f_i}, and the edge
#' ij at
#' \deqn{\max(f_i, f_j, (f_i + f_j + \max(d_{ij} - slack, 0)) / 2).}{max(f_i, f_j, (f_i + f_j + max(d_ij - slack, 0)) /
#' 2).} A clique enters with its last edge. Without slack, this is the weighted Rips filtration of Anai and others
#' (2020), `p = 1`. No value exceeds `clip` (or the largest possible value): classes alive there end there. Landmarks
#' with f = clip, which have no data nearby, have no effect.
#'
#' @section Privacy:
#' Sensitivity: whatever the distances between landmarks, each value of the filtration changes by at most as much as the
#' values at the landmarks. So does the diagram, in every dimension. Replacing one row changes it by at most
#' \eqn{\min(clip, D) / k^{1/r}}{min(clip, D) / k^(1/r)}, with `D` the diagonal of the box, or the diameter of the
#' manifold if it has one. The proof is in `system.file("proofs/dtm-landmarks.md", package = "dptda")`.
#'
#' Released landmarks: landmarks made from a release carry its guarantee, and a diagram on them lists both in its
#' ledger. [privacy_compose()] of the landmarks and a diagram, or of two diagrams on the same landmarks, therefore
#' counts the landmarks twice. This is safe, but more than was spent. Landmarks that were released and then changed are
#' refused. All other landmarks count as public: you declare that.
#'
#' Rows far from all landmarks have no effect on the diagram. More landmarks cost time, not privacy.
#'
#' Rows not on the manifold are moved to its nearest point, however far. Some rows have no nearest point (e.g., a
#' singular covariance matrix), or the function fails or does not return a number. The distance of such a row counts as
#' infinite, before `clip`. Nothing about the row is visible, except for output or objects that the function itself
#' prints, draws, or stores. If the function signals any condition, even one without a handler, the distance also counts
#' as infinite.
#'
#' @section Implementation:
#' Loops and higher classes need the package `ripserr`. Loops usually take 0.1 seconds for 500 landmarks and 10 seconds
#' for 2,000, but minutes and gigabytes if thousands of landmarks crowd. Ripser cannot be interrupted.
#'
#' @return An object of class `dptda_landmarks`: a list of `points` (a matrix with one row per landmark), `metric`,
#'   `box`, and `slack`. `as.matrix()` returns the points, with the guarantee of a release if they have one. Landmarks
#'   made from that matrix keep the guarantee. `plot()` draws the landmarks, in more than two dimensions by classical
#'   scaling of their distances. If the metric is a function (or a manifold of functions), do not publish the landmarks:
#'   a function carries the environment in which it was written.
#' @references
#' Anai, H., Chazal, F., Glisse, M., Ike, Y., Inakoshi, H., Tinarrage, R. and Umeda, Y. (2020). DTM-based filtrations.
#' *Topological Data Analysis*, Abel Symposia 15, 33-66. \doi{10.1007/978-3-030-43408-3_2}
#' @seealso [landmarks_from()], [domain_grid()]
#' @examples
#' # a circle among five columns, and public landmarks
#' angle <- seq(0, 2 * pi, length.out = 2001)[-1]
#' X <- cbind(cos(angle), sin(angle), 0, 0, 0) + rep_len(c(-0.02, 0.02), 5 * 2000)
#' places <- 2 * pi * (1:60) / 60
#' landmarks <- domain_landmarks(rbind(cbind(cos(places), sin(places), 0, 0, 0),
#'                                     matrix(0, 1, 5)))
#' landmarks
#' distance_to_measure(X, landmarks, m0 = 0.05)[c(1, 61)]
#' @examplesIf requireNamespace("ripserr", quietly = TRUE)
#' private_diagram(X, landmarks, epsilon = 1, m0 = 0.05, clip = 1, dimensions = 1)
#' @export
domain_landmarks <- function(points, metric = "euclidean", ..., box = NULL, slack = 0) {
  check_no_dots(...)
  if (missing(points)) stop_missing("points")
  refuse_scaled(points, "points")
  space <- as_metric(metric)
  refuse_changed(points, "points")
  box <- check_landmark_box(box, metric)
  made_of(checked_landmarks(space$places(points, "points"), metric, box, slack), points)
}

# Adds the guarantee of their source, if any, to landmarks.
made_of <- function(landmarks, origin) {
  guarantee <- privacy(origin)
  if (is.null(guarantee)) landmarks else attach_guarantee(landmarks, guarantee)
}

check_landmark_box <- function(box, metric) {
  if (is.null(box)) return(NULL)
  box <- check_box(box)
  if (!is_euclidean(metric)) stop_argument("box", "must be NULL unless `metric = \"euclidean\"`.")
  box
}

# Makes landmarks from valid points of the space, one per column.
checked_landmarks <- function(places, metric, box, slack) {
  space <- as_metric(metric)
  if (!ncol(places) %in% seq_len(most_landmarks)) {
    stop_argument("points", "must be 1 to ", format_count(most_landmarks), " points, not ",
                  format_count(ncol(places)), ".")
  }
  if (!is.null(box)) places <- t(match_box(t(places), box))
  place_distances(space, places, if (is.function(metric)) "metric" else "points")
  new_landmarks(t(places), if (is.character(metric)) "euclidean" else metric, box, check_number(slack, 0))
}

# Ranks of edges are exact in single precision up to this number (persistence-rips.R), and more would take too long.
most_landmarks <- 5000

new_landmarks <- function(points, metric, box, slack) {
  storage.mode(points) <- "double"
  names <- if (are_names(colnames(points))) colnames(points)
  dimnames(points) <- if (!is.null(names)) list(NULL, names)
  new_result(list(points = points, metric = metric, box = box, slack = slack), "dptda_landmarks")
}

match_box <- function(points, box) {
  if (ncol(points) != length(box$lower)) {
    stop_argument("points", "must have ", count_of(length(box$lower), "column"), ", one per side of the box, not ",
                  ncol(points), ".")
  }
  match_columns(points, box$columns, "points")
}

is_metric <- function(x) is_euclidean(x) || is.function(x) || is_made("dptda_manifold")(x)
define_class("dptda_landmarks", "domain_landmarks()",
             points = function(x) is_number_matrix(x) && is.double(x) && nrow(x) > 0 && ncol(x) > 0 &&
               all(is.finite(x)),
             metric = is_metric, box = is_null_or(is_made("dptda_box")),
             slack = function(x) is_one_number(x) && is.finite(x) && x >= 0,
             .valid = function(x) {
               nrow(x$points) <= most_landmarks &&
                 (is.null(x$box) || is_euclidean(x$metric) && length(x$box$lower) == ncol(x$points))
             })

# Compares all fields except a metric that is a function, because it changes when it is saved and read.
define_release("dptda_landmarks", function(x) {
  fields <- plain_release$part(x)
  if (is.list(fields)) fields[!(names(fields) == "metric" & vapply(fields, is.function, NA))]
}, attributes = "names")

#' @export
as.matrix.dptda_landmarks <- function(x, ...) made_of(check_valid(x, "dptda_landmarks")$points, x)

# One line about the origin of the landmarks.
landmark_origin <- function(x) {
  guarantee <- privacy(x)
  if (!is.null(guarantee)) return(paste("released:", format(guarantee)[1]))
  if (is.null(attr(x, "privacy", exact = TRUE))) {
    "declared public by the user"
  } else {
    "released, then changed: releases refuse them"
  }
}

#' @export
print.dptda_landmarks <- function(x, ...) {
  check_valid(x, "dptda_landmarks")
  points <- paste0(count_of(format_count(nrow(x$points)), "point"), ", ", count_of(ncol(x$points), "number"), " each, ",
                   as_metric(x$metric)$title, if (x$slack > 0) paste0(", slack ", format(x$slack, digits = 4)))
  writeLines(c("<landmarks>", wrap_lines(c(
    points, if (!is.null(x$box)) paste0("box    ", format_box(x$box)), paste0("origin ", landmark_origin(x)),
    if (as_metric(x$metric)$foreign) "Do not publish: its functions carry the environment they were written in."
  ))))
  invisible(x)
}

#' @rdname domain_landmarks
#' @param x Landmarks.
#' @export
plot.dptda_landmarks <- function(x, ...) {
  check_valid(x, "dptda_landmarks")
  points <- landmark_picture(x)
  settings <- utils::modifyList(
    list(x = points$at, asp = 1, pch = 21, bg = "#0072B2", col = "white", cex = 1.1, las = 1, xlab = points$names[1],
         ylab = points$names[2], main = NULL),
    list(...)
  )
  do.call(graphics::plot, settings)
  invisible(x)
}

# Two plot coordinates for each landmark.
landmark_picture <- function(x) {
  if (is_euclidean(x$metric) && ncol(x$points) <= 2) {
    at <- if (ncol(x$points) == 2) x$points else cbind(x$points, 0)
    names <- c(colnames(x$points), "x1", "x2")[seq_len(2)]
    if (ncol(x$points) == 1) names[2] <- ""
    return(list(at = unname(at), names = names))
  }
  lengths <- landmark_distances(x)
  count <- nrow(lengths)
  flat <- matrix(0, count, 2)
  if (count > 2 && max(lengths) > 0) {
    scaled <- suppressWarnings(stats::cmdscale(lengths / max(lengths), k = 2)) # fewer if all lie on a line
    flat[, seq_len(ncol(scaled))] <- scaled * max(lengths)
  } else {
    flat[, 1] <- lengths[1, ]
  }
  list(at = flat, names = c("first direction of classical scaling", "second direction"))
}

landmark_distances <- function(x) {
  place_distances(as_metric(x$metric), t(x$points), if (is.function(x$metric)) "metric" else "points")
}

# Chooses at most `size` places (columns). Each next place is the farthest from all previous ones.
thin_places <- function(space, places, size) {
  taken <- 1
  away <- space$distances(places[, 1], places)
  while (length(taken) < size && isTRUE(max(away) > 0)) {
    taken <- c(taken, which.max(away))
    away <- pmin(away, space$distances(places[, taken[length(taken)]], places))
  }
  places[, taken, drop = FALSE]
}

# Twice the median distance to the fifth nearest landmark, or to the last one if there are fewer.
usual_slack <- function(space, places) {
  count <- ncol(places)
  if (count < 2) return(0)
  lengths <- place_distances(space, places, "model")
  2 * stats::median(apply(lengths, 1, function(row) sort(row)[min(6, count)]))
}

# Methods of a public domain for a release (dtm-domain.R) ------------------------------------------------------------

#' @export
domain_facts.dptda_landmarks <- function(domain) {
  count <- nrow(domain$points)
  released <- !is.null(privacy(domain))
  # limits the number of simplices in the highest dimension of Ripser, so that it takes minutes at most
  possible <- vapply(1:3, function(q) count >= q + 2 && choose(count, q + 2) < 1.5e10, NA)
  list(title = paste0(count_of(count, "landmark"), if (is_euclidean(domain$metric) && is.null(domain$box))
                      " without a box"),
       origin = paste0(", landmarks ", if (released) "of the release before it in the ledger" else
                       "declared public by the user"),
       top = max(0, which(possible)))
}

# The largest distance that is useful for planning.
domain_width <- function(domain) {
  if (is.null(field_of(domain, "points"))) return(domain_diameter(domain))
  width <- min(domain_diameter(domain), max(landmark_distances(domain)))
  if (width > 0) width else 1
}

#' @export
farthest_sides.dptda_landmarks <- function(domain, box, place = identity) {
  side <- function(j) {
    at <- place(domain$points[, j])
    pmax(abs(at - place(box$lower[j])), abs(at - place(box$upper[j])))
  }
  matrix(vapply(seq_along(box$lower), side, double(nrow(domain$points))), nrow(domain$points))
}

#' @export
domain_values.dptda_landmarks <- function(domain, cloud, m0, r, clip) {
  if (is_euclidean(domain$metric)) {
    if (clip < Inf || !is.null(domain$box)) cloud$points <- clamp_to_box(cloud$points, euclidean_box(domain, clip))
    if (!all(is.finite(cloud$points))) {
      stop_argument("x",
                    "must be finite if landmarks have no box and distances no clip, because there is no box to move ",
                    "it into.")
    }
    return(measure_at(cloud, domain$points, m0, r, clip))
  }
  space <- as_metric(domain$metric)
  k <- cloud_neighbors(cloud, m0)
  weights <- if (is.null(cloud$weights)) rep(1, ncol(cloud$points)) else cloud$weights
  at <- function(i) {
    away <- space$distances(domain$points[i, ], cloud$points)
    away[is.na(away)] <- Inf
    power_mean(pmin(pmax(away, 0), clip, space$diameter), weights, k, r)
  }
  on.exit(forget_error())
  vapply(seq_len(nrow(domain$points)), at, 0)
}

# The mean of the r-th powers of the smallest values, with a total weight of k, to the power 1/r.
power_mean <- function(values, weights, k, r) {
  order <- order(values)
  values <- values[order]
  before <- cumsum(c(0, weights[order]))[seq_along(values)]
  weights <- pmin(pmax(k - before, 0), weights[order])
  used <- weights > 0
  top <- max(values[used])
  if (top == 0 || top == Inf) return(top)
  top * (sum(weights[used] * (values[used] / top)^r) / k)^(1 / r)
}

#' @export
lattice_values.dptda_landmarks <- function(domain, cloud, lattice, K) {
  if (is_euclidean(domain$metric)) {
    cloud$points <- clamp_to_box(cloud$points, euclidean_box(domain, lattice$clip))
    return(euclidean_values(cloud, domain$points, lattice, K, landmark_values))
  }
  space <- as_metric(domain$metric)
  tell <- kernel_progress("Distance to measure")
  count <- nrow(domain$points)
  weights <- point_weights(cloud, lattice$weight)
  at <- function(i) {
    if (!is.null(tell)) tell((i - 1) / count)
    away <- space$distances(domain$points[i, ], cloud$points)
    distance_steps(matrix(away), weights, lattice$k * lattice$weight, lattice$r, lattice$cap, lattice$scale,
                   lattice$change, K, lattice$weight)
  }
  on.exit(forget_error())
  vapply(seq_len(count), at, 0)
}

# The domain as a release stores it. A metric that is a function keeps its environment, and maybe rows in it. A stub
# replaces it, and preserves the only public fact about it: nothing bounds its distances.
domain_to_keep <- function(domain) {
  if (as_metric(metric_of(domain))$foreign) domain$metric <- hidden_metric
  domain
}

hidden_metric <- function(x, y) stop("The function is not kept with a release, since it may hold rows.")
