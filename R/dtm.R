#' Distance to a measure (DTM)
#'
#' Computes the distance to a measure of a point cloud: the mean distance from a point to its nearest rows, which are
#' the fraction `m0` of all rows. A few outliers change it little, unlike the distance to the cloud. Replacing one row
#' changes it by at most [diagram_sensitivity()]. The values are not private: they are the exact function of the data.
#'
#' With a grid, each row of `x` is first moved to the nearest point of the grid's box; infinite coordinates are allowed.
#' A matrix comes without a box, so `x` must be finite.
#'
#' @param x A numeric matrix or data frame with one row per point (in one dimension, a vector); rows in memory from
#'   [table_rows()], where people may have several rows each; or bins from [bin_points()]. No missing values.
#' @param grid A grid from [domain_grid()]; landmarks from [domain_landmarks()], whose metric is then used; or a numeric
#'   matrix or data frame with one row per query point and as many columns as `x`. Columns are matched by name if both
#'   have names.
#' @param m0 One number in (0, 1]: the fraction of rows to average over. The number of neighbors is
#'   `k = ceiling(m0 * n)`, with `n` the number of rows or the total weight. If `m0 * n` is an integer up to rounding
#'   error, `k` is that integer.
#' @inheritParams private_release
#' @param r One finite number, at least 1: the exponent of the mean distance.
#' @param clip One positive number, or `Inf` for none: distances above it are set to it before averaging. This divides
#'   the sensitivity by the diagonal of the box over `clip`. Values do not change if the `k`-th neighbor is nearer than
#'   `clip`.
#' @param weights Nonnegative integers, one per row of `x`, or `NULL`: the number of times each row counts. Rows of
#'   weight zero are dropped.
#' @return For a grid, a numeric array with the dimensions of the grid. For landmarks or a matrix, a numeric vector with
#'   one value per landmark or row. In the units of `x`.
#'
#' @section Definition:
#' With \eqn{d_1 \le \dots \le d_n}{d_1 <= ... <= d_n} the distances from `x` to
#' the rows, the value is
#' \deqn{f(x) = \Bigl(\frac1k \sum_{i=1}^k \min(d_i, clip)^r\Bigr)^{1/r}.}{
#' f(x) = ((1/k) sum_(i <= k) min(d_i, clip)^r)^(1/r).}
#' With \eqn{r = 2} this is the distance to a measure of Chazal, Cohen-Steiner and Mérigot (2011), except that their
#' last neighbor has the weight \eqn{m_0 n - k + 1}. Here all `k` have full weight, so the two agree if \eqn{m_0 n} is
#' an integer. `f` is 1-Lipschitz in `x`.
#'
#' @section Implementation:
#' Exact, in C. The query points are halved recursively. Distances and the distance to the `k`-th neighbor are
#' 1-Lipschitz. So for most rows, each node can decide whether they count at all of its query points or at none, and
#' only the remaining rows are passed to its children. The cost is `k` square roots per query point. The memory is
#' proportional to the number of rows plus the number of query points, never to their product. With many rows in a
#' bounded region, use [bin_points()] first: the cost then depends on the number of occupied cells. Several threads
#' (option `dptda.threads`) give the same bits as one.
#'
#' Equal rows cost as much as one, with more than a few query points. In the worst case, no node decides anything: if
#' distinct rows are all at nearly the same distance from each query point, as in a cluster much smaller than the
#' spacing of the grid, each query point visits each row. A visit takes about 20 nanoseconds on one core (`2e4` rows and
#' `1e4` query points: 4 seconds). The number of rows times the number of query points is thus a public bound on the
#' time, and [bin_points()] gives a better one.
#' @references
#' Chazal, F., Cohen-Steiner, D. and Mérigot, Q. (2011). Geometric inference for
#' probability measures. *Foundations of Computational Mathematics* 11, 733-751.
#'
#' Kang, T., Kim, S., Sohn, J. and Awan, J. (2024). Differentially private
#' topological data analysis. *Journal of Machine Learning Research* 25.
#' @examples
#' angle <- 2 * pi * (1:200) / 200
#' X <- cbind(cos(angle), sin(angle))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.1)
#' f <- distance_to_measure(X, grid, m0 = 0.1)
#' dim(f)
#' image(grid$axes[[1]], grid$axes[[2]], f, asp = 1)
#' distance_to_measure(X, cbind(0, 0), m0 = 0.1)
#' @export
distance_to_measure <- function(x, grid, m0, ..., r = 1, clip = Inf, weights = NULL) {
  check_no_dots(...)
  if (missing(grid)) stop_missing("grid")
  queries <- if (is.data.frame(grid) || is.matrix(grid)) check_queries(grid)
  if (is.null(queries)) check_domain(grid)
  cloud <- curator_cloud(if (is.null(queries)) domain_cloud(grid, x, "x", weights) else check_cloud(x, weights))
  m0 <- check_m0(m0)
  r <- check_number(r, 1)
  clip <- check_number(clip, 0, open_lower = TRUE, finite = FALSE)
  if (is.null(queries)) return(domain_values(grid, cloud, m0, r, clip))
  cloud$points <- match_queries(cloud$points, queries)
  measure_at(cloud, queries, m0, r, clip)
}

# Computes the values at the rows of `queries`, by Euclidean distances.
measure_at <- function(cloud, queries, m0, r, clip) {
  .Call(ffi_dtm_values, cloud$points, cloud$weights, queries, cloud_neighbors(cloud, m0), r, clip,
        kernel_options(progress = kernel_progress("Distance to measure")))
}

# Relative error of a computed value for any data and settings, proved in inst/proofs/dtm-sensitivity.md.
dtm_rounding <- 2^-44

check_m0 <- function(m0) {
  if (missing(m0)) {
    stop_missing("m0", paste("the fraction of nearest rows to average over, such as 0.1. Larger values give less noise",
                             "and less detail"))
  }
  check_number(m0, 0, 1, "m0", open_lower = TRUE)
}

# The only rule for the number of neighbors: ceiling(m0 n). A product such as 0.07 * 100 = 7.000000000000001 counts as
# the integer that it stands for.
neighbor_count <- function(n, m0) {
  mass <- m0 * n
  nearest <- round(mass)
  k <- ifelse(abs(mass - nearest) <= 1e-12 * mass, nearest, ceiling(mass))
  pmin(pmax(k, 1), n)
}

# Largest total weight of the nearest rows if distances are integers (dtm-lattice.R).
most_neighbors <- 2^31

check_queries <- function(grid) {
  if (is.data.frame(grid)) {
    check_plain_columns(grid, "grid")
    grid <- as.matrix(grid)
  }
  if (!is.matrix(grid) || !is_plain_numeric(grid)) {
    stop_argument("grid", "must be made by domain_grid() or be a numeric matrix with one row per query point, not ",
                  describe(grid), ".")
  }
  if (nrow(grid) == 0 || ncol(grid) == 0) stop_argument("grid", "must have at least one row and one column.")
  if (!all(is.finite(grid))) stop_argument("grid", "must be finite.")
  storage.mode(grid) <- "double"
  grid
}

# Matches points with queries if no box can hold the points. Then points must be finite and have as many columns as the
# queries. Columns are matched by name if both have names.
match_queries <- function(x, queries) {
  if (ncol(x) != ncol(queries)) {
    stop_argument("x", "must have as many columns as `grid` (", ncol(queries), "), not ", ncol(x), ".")
  }
  if (!all(is.finite(x))) {
    stop_argument("x", "must be finite if `grid` is a matrix, because there is no box to move it into.")
  }
  match_columns(x, if (are_names(colnames(queries))) colnames(queries), "x", "`grid`")
}

binning_advice <- "; on a grid, use bin_points(x, grid), which counts them in the database"

# Reads points with weights from a matrix, rows, or bins: list(points, weights, total, binned). For people
# (base-people-points.R), `total` is their number.
check_cloud <- function(x, weights, box = NULL, columns = length(box$lower), arg = "x") {
  if (missing(x)) stop_missing(arg)
  refuse_database(x, arg, binning_advice)
  if (inherits(x, "dptda_rows")) {
    x <- read_points_of_rows(x, arg, box, if (length(columns) && columns > 0) columns)
    if (is_of_people(x)) return(people_cloud(list(points = x$data, binned = FALSE), x, weights, arg))
    x <- x$data
  }
  if (inherits(x, "dptda_bins") && is_of_people(x)) {
    check_valid(x, "dptda_bins", arg)
    points <- check_points(x$points, if (length(columns) && columns > 0) columns, arg, box = box)
    return(people_cloud(list(points = points, weights = x$weights, binned = TRUE), x, weights, arg, unit = x$unit))
  }
  binned <- inherits(x, "dptda_bins")
  if (binned) {
    check_valid(x, "dptda_bins", arg)
    if (!is.null(weights)) {
      stop_argument("weights", "must be NULL if `x` is made by bin_points(), which has its own weights.")
    }
    weights <- x$weights
    x <- x$points
  }
  x <- check_points(x, if (length(columns) && columns > 0) columns, arg, box = box,
                    advice = "; `missing` of table_rows() gives them a public value")
  weights <- check_weights(weights, nrow(x))
  list(points = x, weights = weights, total = if (is.null(weights)) nrow(x) else sum(weights), binned = binned)
}

# `units`: rows or bins of people. `weights`: the user's argument.
people_cloud <- function(fields, units, weights, arg, columns = FALSE, unit = NULL) {
  if (!is.null(weights)) {
    stop_argument("weights", "must be NULL if `", arg, "` has rows of people, because all people weigh the same.")
  }
  people_points(c(fields, list(total = as.double(units$n))), units, columns, unit)
}

# For results without a guarantee: weights people as in a release.
curator_cloud <- function(cloud) {
  if (!is_of_people(cloud)) return(cloud)
  weigh_rows(settle_rows(cloud, "R"), people_unit(check_public_units(public_units(cloud), exact = TRUE)))
}

# The weight of a person for which all k, up to the number of people, can be counted (dtm-lattice.R).
people_unit <- function(units) units_weight(units, log2(most_neighbors / units$n))

cloud_neighbors <- function(cloud, m0) {
  neighbor_count(cloud$total, m0) * if (is_of_people(cloud)) cloud$unit else 1
}

# Reads points for a domain with a box, and moves them into it.
box_cloud <- function(x, box, arg, weights) {
  cloud <- check_cloud(x, weights, box, arg = arg)
  cloud$points <- clamp_to_box(cloud$points, box)
  cloud
}

# Checks rows and returns list(points, weights, total, binned). Rows are moved into the box of the domain, if any.
domain_cloud <- function(domain, x, arg, weights = NULL) {
  if (is_euclidean(metric_of(domain))) {
    if (!is.null(domain$box)) return(box_cloud(x, domain$box, arg, weights))
    refuse_scaled(x, arg)
    cloud <- check_cloud(x, weights, columns = ncol(domain$points), arg = arg)
    cloud$points <- match_columns(cloud$points, colnames(domain$points), arg, "the domain")
    return(cloud)
  }
  if (missing(x)) stop_missing(arg)
  if (inherits(x, "dptda_bins")) stop_argument(arg, "must be points, not bins, because the metric is not Euclidean.")
  units <- if (inherits(x, "dptda_rows")) read_points_of_rows(x, arg)
  rows <- as_metric(domain$metric)$read(if (is.null(units)) x else units$data, arg)
  if (nrow(rows) != ncol(domain$points)) {
    stop_argument(arg, "must have ", count_of(ncol(domain$points), "number"), " per point, like the landmarks, not ",
                  nrow(rows), ".")
  }
  # points of a manifold have no column names
  if (is.function(domain$metric)) rows <- t(match_columns(t(rows), colnames(domain$points), arg, "the domain"))
  if (is_of_people(units)) {
    return(people_cloud(list(points = rows, binned = FALSE), units, weights, arg, columns = TRUE))
  }
  weights <- check_weights(weights, ncol(rows))
  list(points = rows, weights = weights, total = if (is.null(weights)) ncol(rows) else sum(weights), binned = FALSE)
}

check_weights <- function(weights, n) {
  if (is.null(weights)) return(NULL)
  if (!is_plain_numeric(weights) || !is.null(dim(weights)) || length(weights) != n) {
    stop_argument("weights", "must be a numeric vector with one value for each row of `x`.")
  }
  if (anyNA(weights) || any(weights < 0 | weights != floor(weights))) {
    stop_argument("weights", "must be nonnegative integers.")
  }
  total <- sum(as.double(weights))
  if (total < 1 || total > 2^52) stop_argument("weights", "must have a sum of at least 1 and at most 2^52.")
  as.double(weights)
}

#' @export
domain_values.dptda_grid <- function(domain, cloud, m0, r, clip) {
  array(measure_at(cloud, grid_vertices(domain), m0, r, clip), grid_size(domain))
}
