#' Private k-means
#'
#' Clusters rows that live in a public box: `k` centers, and the noisy number of rows of each, are released.
#' Distances are those of the coordinates in which the box is `[-1, 1]` on each side.
#'
#' * `"lloyd"` is Lloyd's algorithm by private looks (DPLloyd): in each of a few rounds the centers of the round before tell
#'   every row where it belongs, and the noisy counts and coordinate sums of the clusters give the next centers. A center whose count
#'   does not clear its noise stays where it is. It begins with random centers far apart in the box.
#' * `"grid"` counts the rows in the cells of a grid once, and then runs k-means on the centers of the cells with the noisy
#'   counts as weights (EUGkM). For few columns: with many, a cell is as wide as half of the box.
#' * `"tree"` halves the rows by random planes again and again while the noisy counts are large, and runs k-means on the noisy means of
#'   the last halves, with their noisy counts as weights (DPTree). It takes `rho`, or `epsilon` with `delta`.
#' * `"cube"` halves randomly shifted cubes while their noisy counts are large; their centers are candidates. Centers are exchanged for
#'   candidates by the exponential mechanism, and the noisy means of the rows nearest to those chosen are released (DPCube). In more than
#'   five columns the first two steps look at a random projection.
#'
#' With `covariance = TRUE` one more look releases the covariance of each cluster, and moves its center to the noisy mean of its rows. It is
#' paid by a part of the budget, as large as its part of all noisy numbers (a method other than `"lloyd"` counts as five rounds
#' of it). [as_mixture()] then makes a mixture of Gaussians of the result, which costs nothing more and carries the same guarantee.
#'
#' @param X A numeric matrix or data frame with one row per point and one
#'   column for each side of the box, matched by name where both have names; at
#'   least one row. Rows outside the box are moved to its nearest point, silently. For `method = "lloyd"` and `method = "grid"`
#'   also a table of an engine ([table_rows()]); all looks are then in one transaction, see [private_mixture()].
#' @param k One whole number from 1 to 200: the number of clusters, public.
#' @param epsilon,rho One positive number, one of the two: `epsilon`, the parameter of pure differential privacy or, together with
#'   `delta`, of approximate differential privacy; or `rho`, that of zero-concentrated differential privacy.
#' @param delta `NULL`, or one number in (0, 1), given with `epsilon`: noise is then Gaussian, and the largest `rho` is spent that
#'   is known to keep both.
#' @param method `"lloyd"`, `"tree"`, `"cube"` or `"grid"`.
#' @param rounds `NULL`, or one whole number from 1 to 1000: how many rounds of `"lloyd"`, or of looks at the means of `"cube"`.
#'   `NULL`: for `"lloyd"` from two to seven, by the public numbers of rows and columns, `k` and the budget, and one of one cluster; for
#'   `"cube"` one.
#' @param covariance `TRUE` or `FALSE`: whether the covariances of the clusters are released, too.
#' @param columns `NULL` or, for a data frame, a tibble or a table of an engine, a character vector: the names of the
#'   columns that are looked at, see [table_rows()]. For `plot()`: `NULL`, or names or numbers of the two columns to show.
#' @param ... Must be empty: what follows is given by name. For `plot()`, graphical parameters of the circles ([graphics::points()]).
#' @inheritParams private_mixture
#'
#' @return An object of class `dptda_private_kmeans`, a list of `centers` (a `k` x D matrix in the units of the data, with the names of the
#'   columns if they have any), `size` (`k` noisy numbers of rows of at least 0), `covariances` (a D x D x `k` array of positive definite
#'   matrices, or `NULL`), `n`, `box` and `method`. What is computed from it alone is as private as it is.
#'
#'   `predict()`: for each row of `newdata` the number of the nearest center, the first of equally near ones; `NA` for rows
#'   with missing values. Labels of private rows are as private as the rows. `summary()`: a data frame with one row for each cluster, its size
#'   and its center. `print()` and `plot()`: `x`, invisibly; the picture shows the centers as circles with areas like their sizes, and the ellipses that hold
#'   95 percent of each Gaussian where there are covariances.
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public.
#' Sensitivity: a row that leaves a cluster, a cell or a cube for another one changes two counts and two sums. Under *add or remove one row*, for which the methods
#' were published, less noise would do; that guarantee is not the one given here. Guarantee: `epsilon`-differential privacy,
#' `rho`-zero-concentrated differential privacy, or (`epsilon`, `delta`)-differential privacy, exactly: what a row adds is rounded to
#' whole numbers whose bounds are enforced in integers, the sums are integers, noise is drawn and added in integers to every cluster, empty or not,
#' and its scales are rounded up. Everything else works on what was released. All looks are paid for before the first one.
#' A missing value is an error before that; the message is
#' for the curator and not part of a release. Running time is not protected.
#' What these words promise: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' A round costs `nrow(X) * k * ncol(X)` operations, the look at covariances `nrow(X) * k * ncol(X)^2`, a tree `200 * nrow(X) * ncol(X)`, an
#' exchange of a center some hundred times `nrow(X) * ncol(X)`. The k-means on a grid costs up to a thousand times `k * ncol(X)` for each of
#' its cells, of which there are up to 65536: minutes for a hundred centers in fifty columns. The proofs are in
#' `system.file("proofs", "cluster-kmeans.md", package = "dptda")`, `"cluster-kmeans-tree.md"` and `"cluster-kmeans-cube.md"`.
#'
#' @references
#' Balcan, M.-F., Dick, T., Liang, Y., Mou, W. and Zhang, H. (2017). Differentially private clustering in high-dimensional Euclidean
#' spaces. *International Conference on Machine Learning*, 322-331.
#'
#' Chang, A., Ghazi, B., Kumar, R. and Manurangsi, P. (2021). Locally private k-means in one round. *International Conference on Machine
#' Learning*, 1441-1451.
#'
#' Su, D., Cao, J., Li, N., Bertino, E., Lyu, M. and Jin, H. (2017). Differentially private k-means clustering and a hybrid approach to
#' private optimization. *ACM Transactions on Privacy and Security* 20, 16.
#'
#' Blum, A., Dwork, C., McSherry, F. and Nissim, K. (2005). Practical privacy: the SuLQ framework. *ACM Symposium on Principles of
#' Database Systems*, 128-138.
#' @seealso [private_mixture()], which has noise of the size of the clusters and not of the box
#' @examples
#' X <- rbind(matrix(stats::rnorm(1000, -2), ncol = 2), matrix(stats::rnorm(1000, 2), ncol = 2))
#' box <- domain_box(c(-8, -8), c(8, 8))
#' fit <- private_kmeans(X, box, k = 2, epsilon = 1)
#' fit
#' table(predict(fit, rbind(c(-2, -2), c(2, 2), c(3, 1))))
#' plot(fit)
#'
#' as_mixture(private_kmeans(X, box, k = 2, rho = 0.1, covariance = TRUE))
#' @export
private_kmeans <- function(X, box, k, epsilon = NULL, rho = NULL, ..., delta = NULL, columns = NULL,
                           method = c("lloyd", "tree", "cube", "grid"), rounds = NULL, covariance = FALSE, budget = NULL,
                           rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(X)) stop_missing("X")
  box <- check_look_box(box)
  rows <- check_point_rows(X, columns, box, arg = "X")
  k <- check_count(k, 1, max_components)
  spent <- check_kmeans_budget(epsilon, rho, delta)
  method <- check_choice(method, c("lloyd", "tree", "cube", "grid"))
  if (!is.null(rounds)) rounds <- check_count(rounds, 1, 1000)
  covariance <- check_flag(covariance)
  rng <- check_choice(rng, c("os", "R"))
  check_kmeans_rows(rows, method)
  draw_release(kmeans_mechanism(as.double(rows$n), rows$columns, box, k, spent, method, rounds, covariance), rows, budget, rng)
}

kmeans_mechanism <- function(n, columns, box, k, spent, method, rounds, covariance) {
  plan <- public_plan("private_kmeans", n = n, columns = columns, box = box, k = k, method = method,
                      steps = plan_kmeans(n, box, k, spent, method, rounds, covariance))
  new_mechanism(plan, kmeans_guarantee(spent, plan))
}

# What each method takes, and its two functions. `plan(n, box, k, spent)` sees public numbers alone and gives a list with
# `steps`, a data frame of each step and what it costs, and `mechanism`, words; `draw(rows, box, k, plan, rng)` gives
# `centers`, D x k in the coordinates of the box, and `size`, k noisy weights of at least 0 or NULL; `parts(plan)` is how many
# kernels or statements that takes at most, for the bar. A method with a
# `statistic(rows, plan)` gets that in the place of the rows: it is computed before anything is paid, and can be computed
# in an engine.
kmeans_methods <- function() {
  every <- c("epsilon", "rho", "epsilon, delta")
  list(
    lloyd = list(takes = every, plan = plan_kmeans_lloyd, draw = draw_kmeans_lloyd, parts = function(plan) plan$rounds),
    tree = list(takes = every[-1], plan = plan_kmeans_tree, draw = draw_kmeans_tree, parts = function(plan) plan$depth + 2),
    cube = list(takes = every, plan = plan_kmeans_cube, draw = draw_kmeans_cube,
                parts = function(plan) plan$shifts * plan$depth + plan$swaps + plan$rounds + 2),
    grid = list(takes = every, plan = plan_kmeans_grid, draw = draw_kmeans_grid, parts = function(plan) 1,
                statistic = count_kmeans_grid)
  )
}

# `measure`: what was declared; `epsilon` where it is pure, else NA; `rho`: else what is spent.
check_kmeans_budget <- function(epsilon, rho, delta) {
  measure <- check_measure(epsilon, rho)
  if (names(measure) == "rho" || !is.null(delta)) {
    budget <- check_look_budget(epsilon, rho, delta)
    return(c(budget, list(epsilon = NA_real_, delta = if (is.null(delta)) 0 else delta)))
  }
  list(measure = measure, rho = NA_real_, epsilon = measure[["epsilon"]], delta = 0)
}

# A part of it, as a budget of its own.
share_budget <- function(spent, share) {
  cost <- share * spent_cost(spent)
  list(measure = cost, rho = share * spent$rho, epsilon = share * spent$epsilon, delta = 0)
}

check_kmeans_rows <- function(rows, method) UseMethod("check_kmeans_rows")

check_kmeans_rows.dptda_memory_rows <- function(rows, method) invisible()

check_kmeans_rows.dptda_database_rows <- function(rows, method) {
  if (!method %in% c("lloyd", "grid")) {
    stop_argument("X", "must be rows in memory; of a table of an engine only `method = \"lloyd\"` and `method = \"grid\"` ",
                  "are possible.")
  }
}

# ---- what is public --------------------------------------------------------------------

plan_kmeans <- function(n, box, k, spent, method, rounds, covariance) {
  one <- kmeans_methods()[[method]]
  declared <- paste(names(spent$measure), collapse = ", ")
  if (!declared %in% one$takes) {
    words <- function(kinds) paste0("`", gsub(", ", "` with `", kinds), "`", collapse = " or ")
    stop_argument("method", "\"", method, "\" takes ", words(one$takes), ", not ", words(declared), ".")
  }
  if (!is.null(rounds) && !method %in% c("lloyd", "cube")) {
    stop_argument("rounds", "goes with `method = \"lloyd\"` and `method = \"cube\"` alone.")
  }
  dimension <- length(box$lower)
  given <- if (!is.null(rounds)) list(rounds = rounds)
  if (!covariance) return(list(method = do.call(one$plan, c(list(n, box, k, spent), given))))
  if (method == "lloyd" && is.null(rounds)) given <- list(rounds = lloyd_rounds(n, dimension, k, spent))
  numbers <- (if (method == "lloyd") given$rounds else 5) * (1 + dimension)
  more <- 1 + dimension + dimension * (dimension + 1) / 2
  share <- more / (more + numbers)
  look <- plan_kmeans_look(n, dimension, k, share_budget(spent, share))
  if (is.null(look)) refuse_much_noise(spent)
  list(method = do.call(one$plan, c(list(n, box, k, share_budget(spent, 1 - share)), given)), look = look)
}

# The look at covariances: whitened, by hard assignment, at a public spread.
plan_kmeans_look <- function(n, dimension, k, spent) {
  options <- list(whitened = TRUE, hard = TRUE, lengthen = TRUE, noise = spent_noise(spent))
  if (options$noise == "gaussian") return(plan_look(n, dimension, spent$rho, options, k))
  # counts, sums and products: what their variances weigh, and how far a row moves them
  weight <- c(1 / 2 + dimension / 4, dimension / 2, dimension * (dimension + 1) / 8)
  l1 <- c(2, 2 * dimension, dimension * (dimension + 1))
  share <- (weight * l1^2)^(1 / 3)
  l1 <- l1 / (share / sum(share) * look_margin)
  bits <- floor(min(20, (52 - log2(n * dimension)) / 2, (39.5 - log2(max(l1) / spent$epsilon)) / 2))
  if (bits < 0) return(NULL)
  scale <- noise_scale(c(epsilon = spent$epsilon), l1 = l1 * 2^(bits * 0:2))
  c(options, list(n = n, epsilon = spent$epsilon, bits = c(bits, 0),
                  scale = rep(scale, c(1, dimension, dimension * (dimension + 1) / 2)),
                  unit = look_units(dimension, c(bits, 0))))
}

kmeans_steps <- function(plan) {
  steps <- plan$method$steps
  if (is.null(plan$look)) return(steps)
  cost <- if (plan$look$noise == "laplace") c(epsilon = plan$look$epsilon) else c(rho = plan$look$rho)
  rbind(steps, cost_steps("look at covariances", cost))
}

kmeans_guarantee <- function(spent, plan) {
  public <- list(n = plan$n, box = plan$box, k = plan$k, method = plan$method, steps = kmeans_steps(plan$steps))
  mechanism <- paste0(plan$steps$method$mechanism, if (!is.null(plan$steps$look)) ", one look at covariances")
  if (is.na(spent$epsilon)) return(look_guarantee(spent, mechanism, public, "private_kmeans"))
  new_guarantee(spent$measure, NA_real_, mechanism, public, sampler = "exact", step = "private_kmeans")
}

# ---- the release -------------------------------------------------------------------------

# What a method sees, before anything is paid: its statistic, or the rows, which are made ready for the looks to come.
statistic_of.private_kmeans <- function(plan, rows) {
  one <- plan$steps$method
  look <- plan$steps$look
  ready_looks(rows, plan$box, list(clusters = plan$k, looks = if (!is.null(look)) list(look),
                                   means = if (plan$method == "lloyd") one$bits))
  statistic <- kmeans_methods()[[plan$method]]$statistic
  list(rows = rows, statistic = if (is.null(statistic)) rows else statistic(rows, one))
}

draw_of.private_kmeans <- function(plan, seen, rng) {
  how <- kmeans_methods()[[plan$method]]
  one <- plan$steps$method
  look <- plan$steps$look
  with_shared_bar("Looks at the rows", how$parts(one) + (!is.null(look)), {
    fit <- how$draw(seen$statistic, plan$box, plan$k, one, rng)
    if (is.null(look)) fit else draw_kmeans_look(seen$rows, fit$centers, plan$box, look, rng)
  })
}

# Gaussians of a public size at the centers.
kmeans_model <- function(centers) {
  dimension <- nrow(centers)
  k <- ncol(centers)
  S <- diag(start_spread(k, dimension) / 3, dimension)
  list(weights = rep(1 / k, k), means = centers, covariances = array(S, c(dimension, dimension, k)))
}

# Refitted by one look.
draw_kmeans_look <- function(rows, centers, box, look, rng) {
  model <- kmeans_model(centers)
  seen <- draw_look(looked_at(rows), model, box, look, rng)
  model <- refit_model(model, seen, look, least_seen(rows$n))
  list(centers = model$means, size = pmax(seen$count, 0), covariances = model$covariances)
}

result_of.private_kmeans <- function(plan, drawn) {
  half <- (plan$box$upper - plan$box$lower) / 2
  centers <- points_of_box(drawn$centers, plan$box)
  if (!is.null(plan$columns)) colnames(centers) <- plan$columns
  covariances <- if (!is.null(drawn$covariances)) drawn$covariances * as.vector(tcrossprod(half))
  structure(list(centers = centers, size = if (!is.null(drawn$size)) as.double(drawn$size), covariances = covariances,
                 n = plan$n, box = plan$box, method = plan$method), class = "dptda_private_kmeans")
}

define_class("dptda_private_kmeans", "private_kmeans()",
             centers = function(x) is_number_matrix(x) && is.double(x) && all(is.finite(x)) && length(x) > 0,
             size = is_null_or(function(x) is_numbers(x) && all(x >= 0 & is.finite(x))),
             covariances = is_null_or(function(x) is_numbers(x) && length(dim(x)) == 3 && are_covariances(x)),
             n = function(x) is_one_number(x) && x >= 1 && is.finite(x), box = is_made("dptda_box"), method = is_one_string,
             .whole = function(x) {
               k <- nrow(x$centers)
               D <- ncol(x$centers)
               length(x$box$lower) == D && (is.null(x$size) || length(x$size) == k) &&
                 (is.null(x$covariances) || identical(dim(x$covariances), as.integer(c(D, D, k))))
             })

# ---- what follows from it -----------------------------------------------------------------

#' @export
as_mixture.dptda_private_kmeans <- function(x, ...) {
  check_no_dots(...)
  check_whole(x, "dptda_private_kmeans")
  if (is.null(x$covariances)) {
    stop_argument("x", "has no covariances; `private_kmeans(covariance = TRUE)` releases them, for a part of its budget.")
  }
  # as refitted mixtures have them: no weight is nothing
  weights <- pmax(x$size, unseen_count(least_seen(x$n)))
  mixture <- new_mixture(weights / sum(weights), x$centers, x$covariances)
  guarantee <- privacy(x)
  if (is.null(guarantee)) return(mixture)
  class(mixture) <- c("dptda_private_mixture", class(mixture))
  attach_guarantee(mixture, guarantee)
}

#' @rdname private_kmeans
#' @param object,x An object of class `dptda_private_kmeans`.
#' @param newdata A numeric matrix or data frame with a column for each of those of the centers, matched by name where both have names; a
#'   numeric vector in one dimension. Rows outside the box count as its nearest points.
#' @export
predict.dptda_private_kmeans <- function(object, newdata, ...) {
  check_no_dots(...)
  check_whole(object, "dptda_private_kmeans")
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
  label
}

check_kmeans_points <- function(X, fit, arg = "newdata") {
  columns <- colnames(fit$centers)
  X <- match_columns(plain_matrix(X, ncol(fit$centers) == 1, arg, columns), columns, arg, "the clustering")
  if (ncol(X) != ncol(fit$centers)) {
    stop_argument(arg, "must have ", count_of(ncol(fit$centers), "column"), ", as the centers, not ", ncol(X), ".")
  }
  storage.mode(X) <- "double"
  X
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

#' @rdname private_kmeans
#' @export
summary.dptda_private_kmeans <- function(object, ...) {
  check_no_dots(...)
  check_whole(object, "dptda_private_kmeans")
  kmeans_frame(object)
}

#' @export
print.dptda_private_kmeans <- function(x, ...) {
  check_whole(x, "dptda_private_kmeans")
  print_release(x, {
    k <- nrow(x$centers)
    cat(count_of(k, "cluster"), " in ", count_of(ncol(x$centers), "column"), ", method \"", x$method, "\"",
        if (!is.null(x$covariances)) ", with covariances", "\n", sep = "")
    frame <- kmeans_frame(x)
    if (!is.null(x$size)) frame <- frame[order(-x$size), , drop = FALSE]
    shown <- utils::head(frame, 20)
    if (!is.null(x$size)) shown[[1]] <- round(shown[[1]])
    print(shown, digits = 4)
    if (k > 20) cat("... and", k - 20, "more\n")
  })
}

#' @rdname private_kmeans
#' @param data A numeric matrix or data frame with the columns of the centers, or `NULL`: points to draw beneath. A picture of private
#'   points is not private.
#' @param col A vector of colors, one for each cluster, or `NULL`.
#' @param main A string or `NULL`: the title.
#' @export
plot.dptda_private_kmeans <- function(x, columns = NULL, data = NULL, col = NULL, main = NULL, ...) {
  check_whole(x, "dptda_private_kmeans")
  shown <- check_kmeans_pair(columns, x)
  if (!is.null(data)) data <- check_kmeans_points(data, x, "data")
  if (!is.null(main) && !is_one_string(main)) stop_argument("main", "must be NULL or one string, not ", describe(main), ".")
  col <- check_mixture_colors(col, nrow(x$centers))
  names <- kmeans_columns(x)[shown]
  # one column is a line
  second <- function(X) if (length(shown) == 2) X[, shown[2]] else double(nrow(X))
  ends <- rbind(x$box$lower, x$box$upper)
  plane <- length(shown) == 2
  graphics::plot(ends[, shown[1]], if (plane) second(ends) else c(-1, 1), type = "n", xlab = names[1],
                 ylab = if (plane) names[2] else "", yaxt = if (plane) "s" else "n", main = main, las = 1)
  if (!is.null(data)) graphics::points(data[, shown[1]], second(data), pch = ".", cex = 2, col = "gray60")
  size <- if (is.null(x$size) || max(x$size) == 0) rep(1, nrow(x$centers)) else x$size / max(x$size)
  if (!is.null(x$covariances) && plane) draw_kmeans_ellipses(x, shown, col)
  style <- utils::modifyList(list(pch = 1, cex = 0.5 + 4 * sqrt(size), lwd = 2, col = col), list(...))
  do.call(graphics::points, c(list(x$centers[, shown[1]], second(x$centers)), style))
  graphics::points(x$centers[, shown[1]], second(x$centers), pch = 3, col = col)
  invisible(x)
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
