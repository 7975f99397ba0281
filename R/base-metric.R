# Metrics between points of any kind, for releases that only need distances from a few public points. A metric is a list
# of
#   title      its name, for printing
#   diameter   upper bound of all distances; Inf if unknown
#   places     function(points, arg): public points, checked, as the columns of a matrix
#   read       function(X, arg): rows as the columns of a matrix. Checks only their form and missing values
#   distances  function(place, rows): one number for each column of `rows`. For any rows it returns numbers, perhaps NaN
#              or Inf, without an error
#   foreign    whether it has functions of the user, which carry their environment
# Families above add methods for their own objects (manifolds).

as_metric <- function(metric, arg = "metric") UseMethod("as_metric")

#' @export
as_metric.default <- function(metric, arg = "metric") {
  stop_argument(arg, "must be \"euclidean\", a manifold, or a function of two points, not ", describe(metric), ".")
}

#' @export
as_metric.character <- function(metric, arg = "metric") {
  if (!identical(as.vector(metric), "euclidean")) as_metric.default(metric, arg)
  list(
    title = "Euclidean distance", diameter = Inf,
    places = function(points, arg) {
      points <- plain_matrix(points, FALSE, arg)
      attributes(points) <- attributes(points)[c("dim", "dimnames")]
      if (ncol(points) < 1) stop_argument(arg, "must have at least 1 column.")
      # so that a clip may be added to them
      if (!isTRUE(all(abs(points) <= 2^1000))) stop_argument(arg, "must be finite, at most 2^1000 in absolute value.")
      t(points)
    },
    read = function(x, arg) {
      refuse_scaled(x, arg)
      t(check_points(x, NULL, arg))
    },
    distances = function(place, rows) column_lengths(rows - place),
    foreign = FALSE
  )
}

# Lengths of columns, scaled by a power of two so that squares neither overflow nor vanish.
column_lengths <- function(x) {
  if (nrow(x) == 0) return(double(ncol(x)))
  largest <- do.call(pmax, lapply(seq_len(nrow(x)), function(j) abs(x[j, ])))
  scale <- 2^floor(log2(largest))
  scale[!(is.finite(scale) & scale > 0)] <- 1
  scale * sqrt(colSums((x / rep(scale, each = nrow(x)))^2))
}

# Wraps a function of two points, given as vectors of matrix rows. Its behavior at a private row must not be visible:
# every result other than one number becomes NaN, and NA does not count as a number.
#' @export
as_metric.function <- function(metric, arg = "metric") {
  one <- function(x, y) {
    value <- unheard(metric(x, y))
    if (is_plain_numeric(value) && length(value) == 1 && !is.na(value)) as.double(value) else NaN
  }
  euclidean <- as_metric.character("euclidean")
  list(
    title = "a function of the user", diameter = Inf, places = euclidean$places, read = euclidean$read,
    distances = function(place, rows) vapply(seq_len(ncol(rows)), function(i) one(place, rows[, i]), 0),
    foreign = TRUE
  )
}

# Returns the value of a user's function, or NULL if it fails with any condition or jumps to the top level. Warnings and
# messages of any class are muffled. Only events that a row cannot cause pass: the user's interrupt and R's time limit.
# (Not undone: output, drawings, and stored values of such a function, restarts of other names, and interrupts and time
# limits of its own.) `signals`: whether it may signal other conditions, which handlers of the caller then hear.
unheard <- function(code, signals = FALSE) {
  interrupted <- FALSE
  hear <- function(condition) {
    # errors go to the handler of value_or(), after the stack unwinds, and interrupts to the outer handler
    if (inherits(condition, c("error", "interrupt"))) return()
    # no handler of errors gets a condition of another class from stop()
    if (identical(sys.function(-1), stop)) invokeRestart("unheard")
    restarts <- vapply(computeRestarts(condition), `[[`, "", 1)
    answer <- intersect(restarts, c("muffleWarning", "muffleMessage", "unheard"))[1]
    if (answer != "unheard" || !signals) invokeRestart(answer)
  }
  run <- function() value_or(withCallingHandlers(code, condition = hear), NULL)
  # an interrupt goes to the top level by the innermost `abort`, defined here; its handler is outside of it
  value <- withCallingHandlers(
    withRestarts(run(), unheard = function(...) NULL, abort = function(...) NULL),
    interrupt = function(condition) interrupted <<- TRUE
  )
  if (interrupted) invokeRestart("abort")
  value
}

# R keeps the message of the last error, which may be about a row. This error always replaces it.
forget_error <- function() invisible(try(stop("no error", call. = FALSE), silent = TRUE))

# Returns all distances between public points, a symmetric matrix. Errors in them are also public.
place_distances <- function(metric, places, arg) {
  count <- ncol(places)
  lengths <- vapply(seq_len(count), function(i) as.double(metric$distances(places[, i], places)), double(count))
  lengths <- matrix(lengths, count, count)
  if (!all(is.finite(lengths))) stop_argument(arg, "must give finite distances between all of the points.")
  if (any(lengths < 0)) stop_argument(arg, "must not give negative distances.")
  if (any(abs(lengths - t(lengths)) > 1e-8 * pmax(lengths, t(lengths)))) {
    stop_argument(arg, "must be symmetric: the distance between two points must be the same in both directions.")
  }
  lengths <- pmax(lengths, t(lengths))
  diag(lengths) <- 0
  lengths
}
