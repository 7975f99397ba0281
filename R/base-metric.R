# Metrics between points of any kind, for what needs no more of a space than the distances from a few public places. A
# metric is a list of
#   title      what it is, for printing
#   diameter   no distance exceeds it; Inf where that is not known
#   places     function(points, arg): public points, checked, as the columns of a matrix
#   read       function(X, arg): rows as the columns of a matrix. Only their form and missing values are looked at
#   distances  function(place, rows): one number for each column of `rows`. Whatever the rows hold it gives numbers, NaN
#              and Inf among them, and no error
#   rows       function(places): the same places, one row each, for people
# Families above add methods for the objects that they have (manifolds).

as_metric <- function(metric, arg = "metric") UseMethod("as_metric")

#' @export
as_metric.default <- function(metric, arg = "metric") {
  stop_argument(arg, "must be \"euclidean\", a manifold or a function of two points, not ", describe(metric), ".")
}

#' @export
as_metric.character <- function(metric, arg = "metric") {
  if (!identical(as.vector(metric), "euclidean")) as_metric.default(metric, arg)
  list(
    title = "Euclidean distance", diameter = Inf,
    places = function(points, arg) {
      points <- plain_matrix(points, FALSE, arg)
      if (ncol(points) < 1) stop_argument(arg, "must have at least 1 column.")
      # so that a clip may be added to them
      if (!isTRUE(all(abs(points) <= 2^1000))) stop_argument(arg, "must be finite, and at most 2^1000 in size.")
      t(points)
    },
    read = function(X, arg) {
      refuse_scaled(X, arg)
      t(check_points(X, NULL, arg))
    },
    distances = function(place, rows) column_lengths(rows - place),
    rows = t
  )
}

# For each column a power of two that keeps squares from overflowing, and from vanishing.
column_lengths <- function(x) {
  if (nrow(x) == 0) return(double(ncol(x)))
  largest <- do.call(pmax, lapply(seq_len(nrow(x)), function(j) abs(x[j, ])))
  scale <- 2^floor(log2(largest))
  scale[!(is.finite(scale) & scale > 0)] <- 1
  scale * sqrt(colSums((x / rep(scale, each = nrow(x)))^2))
}

# A function of two points, vectors as they stand in the rows of a matrix. What it does with a private row must not be
# seen, so that an error or anything else but one number is NaN, and warnings and messages are not shown.
#' @export
as_metric.function <- function(metric, arg = "metric") {
  one <- function(x, y) {
    value <- tryCatch(unheard(metric(x, y)), error = function(condition) NaN)
    if (is_plain_numeric(value) && length(value) == 1) as.double(value) else NaN
  }
  euclidean <- as_metric.character("euclidean")
  list(
    title = "a function of the user", diameter = Inf, places = euclidean$places, read = euclidean$read,
    distances = function(place, rows) vapply(seq_len(ncol(rows)), function(i) one(place, rows[, i]), 0),
    rows = t
  )
}

# Without the warnings and messages of functions that are not ours.
unheard <- function(code) suppressMessages(suppressWarnings(code))

# All distances between places, a symmetric matrix. They are public, and so is whatever is wrong with them.
place_distances <- function(metric, places, arg) {
  count <- ncol(places)
  lengths <- vapply(seq_len(count), function(i) as.double(metric$distances(places[, i], places)), double(count))
  lengths <- matrix(lengths, count, count)
  if (!all(is.finite(lengths))) stop_argument(arg, "must give finite distances between all of the points.")
  if (any(lengths < 0)) stop_argument(arg, "must not give negative distances.")
  if (any(abs(lengths - t(lengths)) > 1e-8 * pmax(lengths, t(lengths)))) {
    stop_argument(arg, "must be symmetric: the distance from one point to another is that of the way back.")
  }
  lengths <- pmax(lengths, t(lengths))
  diag(lengths) <- 0
  lengths
}
