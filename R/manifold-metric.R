# A manifold as a metric (base-metric.R).

#' @export
as_metric.dptda_manifold <- function(metric, arg = "metric") {
  manifold <- check_manifold(metric, arg)
  list(
    title = paste("geodesic distance,", manifold$title), diameter = manifold_diameter(manifold),
    places = function(points, arg) check_manifold_points(points, manifold, arg),
    read = function(x, arg) {
      # rows from table_rows() are a matrix of all numbers
      side_by_side <- is.matrix(x) && is.null(manifold$shape) && ncol(x) == manifold$size
      P <- if (side_by_side) t(unname(x)) else read_points(x, manifold, arg)
      if (ncol(P) < 1) stop_argument(arg, "must have at least 1 point.")
      by_column(P, manifold$size, function(P) {
        nearest <- project_points(P, manifold)
        nearest$value[, !is.finite(nearest$stray)] <- NaN # no nearest point
        nearest$value
      })
    },
    distances = function(place, rows) {
      known <- colSums(!is.finite(rows)) == 0
      values <- rep(NaN, ncol(rows))
      values[known] <- by_column(rows[, known, drop = FALSE], 1, function(P) {
        .Call(ffi_manifold_distances, manifold, matrix(place), P, kernel_options())
      })
      values
    },
    foreign = has_functions(manifold)
  )
}

# Applies `f` to the columns of P, with `size` numbers for each. A column that is not a point (zeros as a direction, a
# matrix without an inverse) must not be visible from outside. If `f` fails for all columns together, it is called for
# each column, and failures become NaN. Conditions of a user's functions are suppressed.
by_column <- function(P, size, f) {
  together <- unheard(f(P))
  if (!is.null(together)) return(matrix(together, size))
  alone <- function(i) {
    value <- unheard(as.double(f(P[, i, drop = FALSE])))
    if (length(value) == size) value else rep(NaN, size)
  }
  matrix(vapply(seq_len(ncol(P)), alone, double(size)), size)
}
