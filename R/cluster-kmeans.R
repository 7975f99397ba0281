#' Private k-means clustering
#'
#' `private_kmeans()` clusters rows by k-means under differential privacy. It releases `k` centers in a public box and
#' the noisy number of rows of each cluster. Distances are computed in the coordinates in which the box is `[-1, 1]` on
#' each side.
#'
#' @details
#' # Methods
#' | method | centers come from | budget | database |
#' |---|---|---|---|
#' | `"grid"` | noisy histograms, then rounds of noisy means | any | yes |
#' | `"lloyd"` | a few rounds of noisy means | any | yes |
#' | `"tree"` | noisy means of the leaves of a random tree | `rho`, `mu`, or `epsilon` with `delta` | no |
#' | `"cube"` | private exchanges among centers of cubes | any | no |
#'
#' See [kmeans_methods] and [kmeans_lloyd()]. The default is `"grid"` for several clusters and `"lloyd"` for one. In
#' simulations of 16 layouts of 150 to 50,000 rows, with `epsilon` from 0.1 to 10, the loss of `"grid"` was at most 5%
#' above the loss of the best other method in 91 of 96 settings (`inst/simulations/clusters-kmeans.R`). `"lloyd"` begins
#' at random points of the box and often missed well-separated clusters.
#'
#' # Several rows per person
#' If people have several rows, each person has a total weight of one, and `size` counts people. A person with rows in
#' two clusters counts partly in each.
#'
#' @param x A numeric matrix or data frame with one column per side of the box, or rows from [table_rows()]. For some
#'   methods also a database table; all rounds are then in one transaction ([private_mixture()]). At least one row.
#'   Columns are matched by name if both have names. Rows outside the box are moved to its nearest point, silently.
#' @param box The public box, from [domain_box()] or released by [private_bounds()], with 1 to 1,024 sides, or 1 to 64
#'   with `covariance = TRUE`. For one column also a pair `c(lower, upper)`, for several a list of pairs named by
#'   column.
#' @param k An integer from 1 to 200: the number of clusters (public).
#' @param epsilon,rho One positive number. Supply `epsilon` for pure differential privacy (with `delta`, approximate),
#'   `rho` for zero-concentrated differential privacy, or `mu`.
#' @param delta One number in (0, 1), together with `epsilon`: noise is then Gaussian. Choose it far below 1 / n.
#' @param method A string: `"grid"`, `"lloyd"`, `"tree"`, or `"cube"` ([kmeans_methods]). Or the result of
#'   [kmeans_lloyd()], to choose the number of rounds.
#' @param covariance `TRUE` or `FALSE`: whether to release the covariances of the clusters ([kmeans_covariances]).
#' @inheritParams private_mixture
#'
#' @return An object of class `dptda_private_kmeans`, a list in the units of the data. Clusters are in the order of
#' decreasing size.
#'
#' * `centers`: a matrix with one row per cluster and the column names of the data, if any.
#' * `size`: noisy numbers of rows (or people), at least 0.
#' * `covariances`, `noise`, `center_noise`, `narrowest`, with `covariance = TRUE`: see [kmeans_covariances].
#' * `least`: up to this size, a center may be anywhere. `print()` counts these centers and shows how far noise moves
#'   the others.
#' * `k`, `n`, `box`, `method`.
#'
#' `centers` and `size` have the names of [stats::kmeans()]. The labels of rows, its `cluster`, are not released.
#' Computations on this object alone cost no further privacy.
#'
#' @section Privacy:
#' Unit: one row, or one person with all rows ([table_rows()]). Neighbors differ by replacing one unit; the number of
#' units is public.
#'
#' Sensitivity: a replaced row can leave one cluster, cell, or cube and enter another, which changes two counts and two
#' sums. The methods were published for *add or remove one row*, which needs less noise; this is not the guarantee here.
#'
#' Guarantee: exact `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy.
#' The contribution of each row is rounded to integers, and their bounds are enforced in integer arithmetic. Sums are
#' integers. Integer noise is added to every cluster, empty or not, and noise scales are rounded up. Everything else
#' uses released numbers only. All rounds are charged before the first one.
#'
#' Not protected: running time, unless `options(dptda.release_time = )` is set ([dptda-package]). Missing values cause
#' an error before anything is spent; do not publish its message. `vignette("privacy-model", package = "dptda")`
#' explains these terms.
#'
#' @seealso [kmeans_methods], [kmeans_covariances], [predict.dptda_private_kmeans()], and [private_mixture()], which has
#'   noise of the size of the clusters and not of the box. Proofs: `system.file("proofs", "cluster-kmeans.md",
#'   package = "dptda")`, `"cluster-kmeans-tree.md"`, and `"cluster-kmeans-cube.md"`.
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' fit <- private_kmeans(X, box, k = 2, epsilon = 1)
#' fit
#' plot(fit)
#' @export
private_kmeans <- function(x, box, k, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, columns = NULL,
                           method = NULL, covariance = FALSE, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(x)) stop_missing("x")
  box <- check_kmeans_box(box, covariance)
  k <- check_count(k, 1, max_components)
  method <- check_kmeans_method(method, k)
  cost <- method_cost(method, epsilon, rho, delta, mu)
  read <- function(x) check_point_rows(x, columns, box, arg = "x")
  make <- function(units, rows) {
    check_kmeans_rows(rows, method)
    units <- check_public_units(units, exact = TRUE)
    units$n <- as.double(units$n)
    kmeans_mechanism(units, rows$columns, box, k, cost, method, covariance)
  }
  release(x, budget, rng, read, make, columns = check_public_columns(columns, box))
}

# Centers alone need no products of columns.
check_kmeans_box <- function(box, covariance) {
  check_query_box(box, "box", if (check_flag(covariance)) max_query_dimension else max_box_dimension)
}

# A single center is a mean. Several centers are found best from a histogram (inst/simulations/clusters-kmeans.R).
check_kmeans_method <- function(method, k) {
  if (!is.null(method)) return(check_method(method, "kmeans"))
  default_method("kmeans", if (is_one_number(k) && k == 1) "lloyd" else "grid")
}

rows_for.private_kmeans <- function(plan, x) {
  rows <- check_point_rows(x, if (is_table(x)) plan$columns, plan$box, arg = "x")
  check_kmeans_rows(rows, plan$method)
  rows
}

kmeans_mechanism <- function(units, columns, box, k, cost, method, covariance) {
  steps <- plan_at_one_weight(units, digits_of = kmeans_digits, plan_at = function(digits) {
    plan_kmeans(units$n, box, k, cost, method, covariance, digits)
  })
  plan <- public_plan("private_kmeans", n = units$n, columns = columns, box = box, k = k, method = method,
                      steps = steps, units = units_noun(units$person))
  new_mechanism(plan, kmeans_guarantee(cost, plan, units))
}

# Returns binary digits of a person's weight, for the method and for the rounds of covariances.
kmeans_digits <- function(steps) c(log2(steps$method$weight), query_digits(list(queries = steps$queries)))

# ---- interface of a method -----------------------------------------------------------------

# Plans a method from public numbers alone. Returns a list with the method's own numbers for its draws, and
# * `steps`, a data frame of the steps and their costs, and `words` of the guarantee;
# * `weight`: weight of a unit in the sums, one for rows, and at most 2^digits for people (`digits` is NULL for rows);
# * `noise`, its kind, and `stated`, the noise scales of counts of rows, named by the counted thing;
# * `table`, cells whose rows are counted before the charge, or NULL; `means`, the digits of means by cluster
#   that a database will compute, or NULL; `parts`, the largest number of kernels or statements, for the bar;
# * `least`: a center with more rows or people than this differs from noise if the other centers are right;
#   `least_all`: the same if all k centers have as many;
# * `sd`: the standard deviations of the last round's noise, on a count (0 if public) and on a coordinate of a
#   sum, in the box [-1, 1]; NULL without such a round.
# See also method_cost().
method_plan <- function(method, n, box, k, cost, digits = NULL) UseMethod("method_plan")

# Returns the method with the settings that depend on the whole cost, before covariances get a fraction of it, and the
# number of `queries` that it counts as, beside covariances.
method_settled <- function(method, n, dimension, k, cost) UseMethod("method_settled")

method_settled.default <- function(method, n, dimension, k, cost) list(method = method, queries = usual_queries)

usual_queries <- 5

# `centers`, D x k in the coordinates of the box, and `size`, k noisy weights of at least 0 or NULL. `statistic`: the
# `rows`, and the `counts` of the plan's table.
method_draw <- function(method, statistic, box, k, plan, rng) UseMethod("method_draw")

# The root mean square distance by which the noise of the last round moves centers: for `places`, one per row, and
# `size`, in the box [-1, 1].
method_noise <- function(method, plan, places, size) UseMethod("method_noise")

# Centers are noisy sums over noisy counts.
method_noise.default <- function(method, plan, places, size) {
  sqrt(ncol(places) * plan$sd[2]^2 + rowSums(places^2) * plan$sd[1]^2) / size
}

check_kmeans_rows <- function(rows, method) {
  if (works_in_database(class(method)[1])) return(invisible())
  able <- Filter(function(name) works_in_database(paste0("kmeans_", name)), method_names("kmeans"))
  in_memory_only(rows, "x", "must be rows in memory for method \"", method_name(method),
                 "\". For a database table, use ", paste0("\"", able, "\"", collapse = " or "), ".")
}

# ---- public numbers --------------------------------------------------------------------

plan_kmeans <- function(n, box, k, cost, method, covariance, digits = NULL) {
  dimension <- length(box$lower)
  settled <- method_settled(method, n, dimension, k, cost)
  if (!covariance) return(list(method = method_plan(settled$method, n, box, k, cost, digits)))
  share <- covariance_share(dimension, settled$queries)
  queries <- plan_cluster_covariances(n, dimension, k, share_cost(cost, share), digits)
  if (is.null(queries)) refuse_much_noise(cost$measure)
  list(method = method_plan(settled$method, n, box, k, share_cost(cost, 1 - share), digits), queries = queries)
}

# The fraction of the budget for covariances: their fraction of all noisy numbers of a cluster, with `rounds` rounds of
# the method and two for covariances.
covariance_share <- function(dimension, rounds) {
  numbers <- 2 * (1 + dimension + dimension * (dimension + 1) / 2)
  numbers / (numbers + rounds * (1 + dimension))
}

kmeans_steps <- function(plan) {
  steps <- plan$method$steps
  if (is.null(plan$queries)) return(steps)
  more <- data.frame(step = paste("covariances, round", seq_along(plan$queries)),
                     cost = vapply(plan$queries, `[[`, 0, names(steps)[2]))
  rbind(steps, stats::setNames(more, names(steps)))
}

kmeans_guarantee <- function(cost, plan, units) {
  public <- c(list(n = plan$n, box = plan$box, k = plan$k, method = method_name(plan$method),
                   steps = kmeans_steps(plan$steps)),
              weight_words(units, plan$steps$weight))
  words <- paste0(plan$steps$method$words, if (!is.null(plan$steps$queries)) {
    paste0(", ", count_of(length(plan$steps$queries), "round"), " for covariances")
  })
  query_guarantee(cost, words, public, "private_kmeans", person = units$person)
}

# ---- the release -------------------------------------------------------------------------

# The rows for later rounds, and the counts of a grid, which a database computes itself.
statistic_of.private_kmeans <- function(plan, rows) {
  one <- plan$steps$method
  rows <- weigh_rows(rows, plan$steps$weight)
  counts <- if (!is.null(one$table)) count_table(rows, one$table)
  rounds <- length(plan$steps$queries) + if (is.null(one$means)) 0 else one$rounds
  list(rows = if (rounds > 0) fetch_rows(rows, rounds) else rows, counts = counts)
}

draw_of.private_kmeans <- function(plan, statistic, rng) {
  one <- plan$steps$method
  queries <- plan$steps$queries
  with_shared_bar("Rounds over the rows", one$parts + length(queries), {
    fit <- method_draw(plan$method, statistic, plan$box, plan$k, one, rng)
    if (is.null(queries)) fit else draw_cluster_covariances(statistic$rows, fit$centers, plan$box, queries, rng)
  })
}

weakness_of.private_kmeans <- function(plan) {
  each <- plan$steps$method$least_all
  if (plan$n > plan$k * each) return(NULL)
  weak_shares(plan$n, plan$k, each, "center", plan$units)
}

# The noise of the counts of rows.
noise_of.private_kmeans <- function(plan) {
  one <- plan$steps$method
  count <- function(quantity, ...) noise_table(paste("the", plan$units, "of a", quantity), new_noise(...))
  do.call(rbind, c(
    Map(function(quantity, scale) count(quantity, one$noise, scale, 1 / plan$steps$weight), names(one$stated),
        one$stated, USE.NAMES = FALSE),
    lapply(unique(plan$steps$queries), function(query) {
      count("cluster, each round for covariances", query$noise, query$scale[1], query$unit[1])
    })
  ))
}

result_of.private_kmeans <- function(plan, drawn) {
  half <- (plan$box$upper - plan$box$lower) / 2
  centers <- points_of_box(drawn$centers, plan$box)
  if (!is.null(plan$columns)) colnames(centers) <- plan$columns
  size <- if (!is.null(drawn$size)) as.double(drawn$size)
  by_size <- if (is.null(size)) seq_len(plan$k) else order(-size) # the first is the largest
  square <- function(x) if (!is.null(x)) (x * as.vector(tcrossprod(half)))[, , by_size, drop = FALSE]
  fit <- list(centers = centers[by_size, , drop = FALSE], size = size[by_size],
              covariances = square(drawn$covariances), k = plan$k, n = plan$n,
              least = plan$steps$method$least, box = plan$box, method = method_name(plan$method))
  if (!is.null(drawn$covariances)) {
    fit$noise <- square(drawn$noise)
    fit$center_noise <- drawn$center_noise[by_size, , drop = FALSE] * rep(half, each = plan$k)
    fit$narrowest <- drawn$narrowest[by_size] / 2
  }
  new_result(fit, "dptda_private_kmeans")
}

define_class("dptda_private_kmeans", "private_kmeans()",
             centers = function(x) is_number_matrix(x) && is.double(x) && all(is.finite(x)) && length(x) > 0,
             size = is_null_or(function(x) is_numbers(x) && all(x >= 0 & is.finite(x))),
             covariances = is_null_or(function(x) is_numbers(x) && length(dim(x)) == 3 && are_covariances(x)),
             k = is_one_number, n = function(x) is_one_number(x) && x >= 1 && is.finite(x), least = is_one_number,
             box = is_made("dptda_box"), method = is_one_string, noise = is_null_or(is_numbers),
             center_noise = is_null_or(is_numbers), narrowest = is_null_or(is_numbers),
             .valid = function(x) {
               k <- nrow(x$centers)
               D <- ncol(x$centers)
               same <- function(a, b) identical(dim(a), dim(b))
               x$k == k && length(x$box$lower) == D && (is.null(x$size) || length(x$size) == k) &&
                 (is.null(x$covariances) || identical(dim(x$covariances), as.integer(c(D, D, k))) &&
                    same(x$noise, x$covariances) && same(x$center_noise, x$centers) && length(x$narrowest) == k)
             })

# ---- methods of the result ----------------------------------------------------------------

#' @export
as_mixture.dptda_private_kmeans <- function(x, ...) {
  check_no_dots(...)
  check_valid(x, "dptda_private_kmeans")
  if (is.null(x$covariances)) {
    stop_argument("x",
                  "must have covariances. Release them with `private_kmeans(covariance = TRUE)`, which takes part of ",
                  "its budget.")
  }
  # as in refitted mixtures, every weight is positive
  weights <- pmax(x$size, unseen_count(least_seen(x$n)))
  mixture <- new_mixture(weights / sum(weights), x$centers, x$covariances)
  guarantee <- privacy(x)
  if (is.null(guarantee)) return(mixture)
  class(mixture) <- c("dptda_private_mixture", class(mixture))
  attach_guarantee(mixture, guarantee)
}

#' Private k-means: labels, tables, and plot
#'
#' Labels rows by the centers of [private_kmeans()], tabulates the centers, and draws them.
#'
#' `plot()` draws the centers as circles whose areas are proportional to cluster sizes. If there are covariances, it
#' adds ellipses that contain 95% of each Gaussian.
#'
#' @param object,x An object of class `dptda_private_kmeans`.
#' @param newdata A numeric matrix or data frame with the columns of the centers, matched by name if both have names.
#'   For one column, a vector. Rows outside the box count as its nearest points.
#' @param columns Names or numbers of the two columns to show. By default, the first two.
#' @param data A numeric matrix or data frame with the columns of the centers: points to draw below the centers. A
#'   picture of private points is not private.
#' @param col A vector of colors, one per cluster.
#' @param main A string: the title. By default, the name of the release. Use `""` for no title.
#' @param ... For `plot()`, graphical parameters of the circles ([graphics::points()]). Otherwise not used.
#' @return `predict()` returns the number of the nearest center for each row of `newdata` (the first one if several are
#'   equally near), or `NA` for rows with missing values. It keeps row names. Labels of private rows are as private as
#'   the rows. `summary()` returns a data frame with one row per cluster: size and center. `plot()` returns `x`,
#'   invisibly.
#' @seealso [private_kmeans()]
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2),
#'            matrix(stats::rnorm(1000, 2), ncol = 2))
#' fit <- private_kmeans(X, domain_box(c(-8, -8), c(8, 8)), k = 2, epsilon = 1)
#' table(predict(fit, rbind(c(-2, -2), c(2, 2), c(3, 1))))
#' summary(fit)
#' plot(fit)
#' @export
predict.dptda_private_kmeans <- function(object, newdata, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_kmeans")
  if (missing(newdata)) stop_missing("newdata")
  X <- clamp_to_box(check_kmeans_points(newdata, object), object$box)
  centers <- object$centers
  width <- object$box$upper - object$box$lower
  least <- rep(Inf, nrow(X))
  label <- rep(NA_integer_, nrow(X))
  for (k in seq_len(nrow(centers))) {
    square <- double(nrow(X))
    for (j in seq_along(width)) square <- square + ((X[, j] - centers[k, j]) / width[j])^2
    nearer <- which(square < least)
    least[nearer] <- square[nearer]
    label[nearer] <- k
  }
  name_rows(label, newdata)
}

check_kmeans_points <- function(x, fit, arg = "newdata") {
  columns <- colnames(fit$centers)
  x <- match_columns(plain_matrix(x, ncol(fit$centers) == 1, arg, columns), columns, arg, "the clustering")
  if (ncol(x) != ncol(fit$centers)) {
    stop_argument(arg, "must have ", count_of(ncol(fit$centers), "column"), ", like the centers, not ", ncol(x), ".")
  }
  storage.mode(x) <- "double"
  x
}

kmeans_columns <- function(x) {
  if (is.null(colnames(x$centers))) paste0("x", seq_len(ncol(x$centers))) else colnames(x$centers)
}

kmeans_frame <- function(x) {
  frame <- as.data.frame(x$centers, row.names = NULL)
  names(frame) <- kmeans_columns(x)
  if (!is.null(x$size)) frame <- cbind(size = x$size, frame)
  frame
}

#' @rdname predict.dptda_private_kmeans
#' @export
summary.dptda_private_kmeans <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_kmeans")
  kmeans_frame(object)
}

#' @export
print.dptda_private_kmeans <- function(x, ...) {
  check_valid(x, "dptda_private_kmeans")
  print_release(x, {
    k <- nrow(x$centers)
    cat(count_of(k, "cluster"), " in ", count_of(ncol(x$centers), "column"), ", method \"", x$method, "\"",
        if (!is.null(x$covariances)) ", with covariances", "\n", sep = "")
    frame <- kmeans_frame(x)
    shown <- utils::head(frame, 20)
    if (!is.null(x$size)) shown[[1]] <- round(shown[[1]])
    shown <- show_places(shown, ncol(shown) - ncol(x$centers) + seq_len(ncol(x$centers)), x$box)
    lost <- lost_centers(x)
    if (any(lost) && k > 1) shown$found <- ifelse(lost[seq_len(nrow(shown))], "no", "yes")
    print(shown, digits = 4)
    if (k > 20) cat("... and", k - 20, "more\n")
    writeLines(c(lost_words(x, lost), wrap_lines(c(center_words(x, lost), covariance_words(x)))))
    if (!is.null(x$size) && k > 1) {
      cat("sizes: noisy, so they need not add up to ", format_count(x$n), "\n", sep = "")
    }
  })
}

# Centers whose sizes do not exceed the noise. They are still at the method's start, or at a random place.
lost_centers <- function(x) if (is.null(x$size)) rep(x$n <= x$least, nrow(x$centers)) else x$size <= x$least

lost_words <- function(x, lost) {
  if (!any(lost)) return(character())
  which <- if (nrow(x$centers) == 1) "the center" else paste(sum(lost), "of", count_of(nrow(x$centers), "center"))
  strwrap(paste0(which, " not found: with ", count_units(ceiling(x$least), privacy(x)$person),
                 " or fewer, a center cannot be distinguished from noise or from its starting value"), exdent = 2)
}

# The distance by which noise moves the other centers, and the distance of the nearest two centers, in sides of the box.
center_words <- function(x, lost) {
  noise <- last_round_noise(x)
  lost <- lost | is.na(noise)
  if (is.null(noise) || all(lost)) return(NULL)
  noise <- noise[!lost]
  each <- unique(vapply(100 * range(noise), format, "", digits = 2))
  apart <- stats::dist(sweep(x$centers[!lost, , drop = FALSE], 2, x$box$upper - x$box$lower, "/"))
  of_round <- if (any(grepl("round", privacy(x)$public$steps$step))) " of the last round"
  paste0("noise", of_round, " moves ", if (length(noise) > 1) "centers" else "the center", " by ",
         # the number of leaves of a center is not known
         if (x$method == "tree" && is.null(x$covariances)) "at most ", "about ",
         paste(each, collapse = " to "), "% of a side of the box",
         if (length(apart)) paste0(" (closest two: ", format(100 * min(apart), digits = 2), "% apart)"))
}

# The root mean square distance by which the noise of the last round moves each center, in sides of the box, from the
# steps of the guarantee.
last_round_noise <- function(x) {
  guarantee <- privacy(x)
  if (is.null(guarantee) || is.null(x$size)) return(NULL)
  if (!is.null(x$covariances)) {
    noise <- sqrt(rowSums(sweep(x$center_noise, 2, x$box$upper - x$box$lower, "/")^2))
    return(ifelse(is.finite(noise), noise, NA))
  }
  steps <- guarantee$public$steps
  cost <- new_cost(structure(sum(steps[[2]]), names = names(steps)[2]))
  method <- default_method("kmeans", x$method)
  method$rounds <- sum(grepl("^(round|means)", steps$step))
  middle <- (x$box$lower + x$box$upper) / 2
  places <- sweep(sweep(x$centers, 2, middle), 2, (x$box$upper - x$box$lower) / 2, "/")
  method_noise(method, method_plan(method, x$n, x$box, x$k, cost), places, x$size) / 2
}

#' @rdname predict.dptda_private_kmeans
#' @export
plot.dptda_private_kmeans <- function(x, columns = NULL, data = NULL, col = NULL, main = NULL, ...) {
  check_valid(x, "dptda_private_kmeans")
  shown <- check_kmeans_pair(columns, x)
  if (!is.null(data)) data <- check_kmeans_points(data, x, "data")
  if (!is.null(main) && !is_one_string(main)) {
    stop_argument("main", "must be NULL or one string, not ", describe(main), ".")
  }
  col <- check_mixture_colors(col, nrow(x$centers))
  names <- kmeans_columns(x)[shown]
  # one column is a line
  second <- function(X) if (length(shown) == 2) X[, shown[2]] else double(nrow(X))
  ends <- rbind(x$box$lower, x$box$upper)
  plane <- length(shown) == 2
  saved <- open_picture(ends[, shown[1]], if (plane) second(ends) else c(-1, 1), names[1], if (plane) names[2] else "",
                        xaxt = "n", yaxt = if (plane) "s" else "n",
                        left = if (plane) class_of_side(x$box, shown[2]) else "number")
  on.exit(graphics::par(saved))
  draw_class_axis(ends[, shown[1]], class_of_side(x$box, shown[1]))
  words <- c(cluster_words(!is.null(x$size), !is.null(x$covariances) && plane, 0.95),
             if (is.null(columns)) tell_columns(shown, kmeans_columns(x)))
  tell_on_picture(paste(words, collapse = "; "), main = picture_title(x, main))
  if (!is.null(data)) graphics::points(data[, shown[1]], second(data), pch = ".", cex = 2, col = "gray60")
  size <- if (is.null(x$size) || max(x$size) == 0) rep(1, nrow(x$centers)) else x$size / max(x$size)
  if (!is.null(x$covariances) && plane) draw_kmeans_ellipses(x, shown, col)
  style <- utils::modifyList(list(pch = 1, cex = 0.5 + 4 * sqrt(size), lwd = 2, col = col), list(...))
  do.call(graphics::points, c(list(x$centers[, shown[1]], second(x$centers)), style))
  graphics::points(x$centers[, shown[1]], second(x$centers), pch = 3, col = col)
  invisible(x)
}

# The meaning of circles and ellipses.
cluster_words <- function(sizes, ellipses, level) {
  c(if (sizes) "circles: larger for larger clusters",
    if (ellipses) paste0("ellipses: ", format_percent(level), " of a Gaussian cluster"))
}

draw_kmeans_ellipses <- function(x, shown, col) {
  angle <- 2 * pi * (0:128) / 128
  for (k in seq_len(nrow(x$centers))) {
    root <- t(chol(x$covariances[shown, shown, k]))
    ellipse <- x$centers[k, shown] + sqrt(stats::qchisq(0.95, 2)) * root %*% rbind(cos(angle), sin(angle))
    graphics::polygon(ellipse[1, ], ellipse[2, ], border = col[k])
  }
}

check_kmeans_pair <- function(columns, x) {
  D <- ncol(x$centers)
  if (is.null(columns)) return(seq_len(min(2, D)))
  chosen <- if (is.character(columns)) match(columns, colnames(x$centers)) else columns
  good <- is_numbers(chosen) && length(chosen) == min(2, D) && all(chosen %in% seq_len(D)) && !anyDuplicated(chosen)
  if (!good) stop_argument("columns", "must be NULL, or names or numbers of two columns of the centers.")
  as.integer(chosen)
}

# All rows except one are at the same point: the result is the center of that point, and its number of rows. Later
# rounds depend on the noise of earlier ones.
example_of.private_kmeans <- function(plan) {
  line <- domain_box(-1, 1)
  last_of <- function(fit) {
    last <- order(fit$centers)
    c(fit$size[last], fit$centers[last])
  }
  places <- function(note, ...) {
    release_example("kmeans", note, matrix(rep(c(-1, 1), c(1, 59))), matrix(rep(1, 60)), list(box = line, k = 2, ...),
                    part = last_of)
  }
  # one cluster, and one row that moves from one side to the other: the noisy mean of all rows
  center <- function(note, ...) {
    x <- matrix(rep(c(0, 1), c(39, 1)))
    release_example("kmeans", note, x, -x, list(box = line, k = 1, ...), part = function(fit) as.double(fit$centers))
  }
  # the same for people, with the noise of one row each
  crowd <- example_crowd(-1, 1)
  people <- function(note, ...) {
    release_example("kmeans", note, crowd$x, crowd$neighbor, list(box = domain_box(c(x = -1), 1), k = 2, ...),
                    part = last_of)
  }
  # one row moves between two places. There are enough rows that only cells with rows are divided
  zoom <- function(low) matrix(rep(c(-1, 1), c(low, 1300 - low)))
  # one row moves from side to side, and low noise lets many rounds find how narrow the others are
  rounds <- function(end) matrix(rep(c(end, 0), c(1, 299)))
  list(
    places("lloyd", method = "lloyd", epsilon = 2), places("lloyd, rho", method = "lloyd", rho = 0.5),
    places("lloyd, mu", method = "lloyd", mu = 1),
    people("people", method = "lloyd", epsilon = 2),
    people("people, covariance", method = "lloyd", covariance = TRUE, rho = 0.5),
    people("people, grid", method = "grid", epsilon = 2), people("people, tree", method = "tree", rho = 0.5),
    people("people, cube", method = "cube", epsilon = 2),
    places("lloyd, covariance", method = "lloyd", covariance = TRUE, epsilon = 2),
    release_example("kmeans", "lloyd, covariance, rounds", rounds(1), rounds(-1),
                    list(box = line, k = 1, rho = 0.5, covariance = TRUE), slow = TRUE,
                    part = function(fit) c(fit$centers, log(fit$covariances))),
    places("grid", method = "grid", epsilon = 2),
    release_example("kmeans", "grid, divided", zoom(650), zoom(649),
                    list(box = line, k = 2, epsilon = 2, method = new_method("kmeans_grid", rounds = 0)),
                    part = last_of),
    center("tree", method = "tree", rho = 0.5), center("cube", method = "cube", epsilon = 2)
  )
}
