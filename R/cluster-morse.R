# Merges components into clusters along the passes of the density. The kernel finds modes and passes; this file merges
# up to some hundred modes.

#' Merge mixture components into clusters (Morse tree)
#'
#' `cluster_morse()` merges the components of a Gaussian mixture into clusters of any shape. It finds the modes of the
#' density and the passes between them, and merges components across the lowest pass first. The result is an
#' [stats::hclust()] tree with the components as leaves, so [stats::cutree()], [stats::as.dendrogram()], and
#' [stats::rect.hclust()] work.
#'
#' @details
#' Heights are those of \eqn{f = -\log p}{f = -log p}. A mode is the bottom of a valley, and a pass is the lowest saddle
#' on the way between two modes.
#'
#' # Order of merges
#' Components whose centers ascend to the same mode are in one valley and merge first. After that:
#'
#' * With `order = "height"`, the two clusters with the lowest pass merge (Byun, Choi and Lee 2025). With `min_mass`,
#'   clusters that have less than this fraction of the mass merge first, across their lowest pass. Small remote
#'   components then do not stay clusters until the end.
#' * With `order = "prominence"`, the cluster with the shallowest valley merges first, across its lowest pass. The depth
#'   of a valley is measured from its bottom to this pass: this is the order of persistence.
#'
#' In the tree, no merge is drawn above a later one. With `order = "height"`, a merge is drawn at its height or at the
#' lowest of the later ones, if that is less; `merges` has the true heights. With `order = "prominence"`, the heights of
#' the tree are prominences.
#'
#' # Narrow components
#' A narrow component is a deep valley, even if it represents few rows, so it stays separate until the end. In a private
#' mixture, a component may be narrow because of noise. `floor` widens narrow components on the scale of the mixture:
#' with \eqn{G}, the covariance of the whole mixture, each \eqn{\Sigma_k} becomes the smallest matrix that is not below
#' `floor` times \eqn{G}, in the coordinates in which \eqn{G} is the identity. For private mixtures with few components
#' in several columns, `floor = 0.02` with `min_mass = 0.05` is a good choice. Thin clusters in the plane, or many small
#' ones, need a lower floor or none.
#'
#' @section Privacy:
#' The computation uses only the mixture. For a private mixture it is post-processing and costs no privacy.
#'
#' @section Implementation:
#' In C. Each center, and both sides of each saddle, ascend to a mode by steps on which the density never falls below
#' its value at the start, up to 1/800 of its logarithm. The modes joined by a saddle are therefore connected at its
#' height, and heights are at least the true ones, up to 1/400. The tree depends on the density alone, and not on a
#' metric of the ascent. Proofs: `system.file("proofs", "cluster-morse.md", package = "dptda")`. The search for saddles
#' starts at the lowest points of the ridgeline of each two components, which has all critical points of the two alone,
#' and of a relaxed string between each two modes. It also finds modes that do not belong to components (three
#' components can have four modes). If no saddle is found, the lowest point of the best path is the pass. A pass is
#' missed only if no path crosses it. In the plane, the tree was compared with [grid_persistence()]. Results do not
#' depend on units. Cost: O(K^2) paths of O(K D^2 + D^3) each.
#'
#' @param mixture An object of class `dptda_mixture` ([as_mixture()]).
#' @param ... Not used. Later arguments must be named.
#' @param order A string: `"height"` or `"prominence"`.
#' @param min_mass A number in \[0, 1\], for `order = "height"`: clusters with less than this fraction of the mass merge
#'   first. Choose it below the mass of the smallest cluster of interest.
#' @param floor A number in \[0, 1\]: the smallest variance of a component in any direction, as a fraction of the
#'   variance of the whole mixture in that direction. Narrower components are widened first. `0` changes nothing.
#' @return An object of classes `dptda_merging` and `hclust`. Beside the fields of a tree, it has
#'   \item{modes}{a data frame with one row per mode: `height` and coordinates.}
#'   \item{mode_of}{integers: the mode of each component.}
#'   \item{passes}{a data frame with one row per pair of modes: `from`, `to`, the `height` of the pass, whether it is a
#'     `saddle` that was found, and its coordinates (`NA` if not).}
#'   \item{merges}{a data frame with one row per merge of clusters of modes, in order: a mode of each (`from`, `to`)
#'     across whose pass they merge, `height`, and the `prominence` of the shallower one.}
#'   \item{diagram}{a `dptda_diagram` of dimension 0: the persistence of the modes, from the heights that were found.}
#'   \item{mixture}{the mixture, after `floor`.}
#' @references Byun, J., Choi, Y. and Lee, J. (2025). Improving the utility of differentially private clustering through
#'   dynamical processing. *Pattern Recognition* 157, 110890.
#'
#'   Ray, S. and Lindsay, B. G. (2005). The topography of multivariate normal mixtures. *Annals of Statistics* 33,
#'   2042-2065. \doi{10.1214/009053605000000417}
#'
#'   E, W., Ren, W. and Vanden-Eijnden, E. (2007). Simplified and improved string method for computing the minimum
#'   energy paths in barrier-crossing events. *Journal of Chemical Physics* 126, 164103. \doi{10.1063/1.2720838}
#' @seealso [predict.dptda_merging()], [private_mixture()], [cluster_tomato()], `vignette("clusters", package =
#'   "dptda")`
#' @examples
#' # two arcs, three components each
#' angle <- pi * c(1, 3, 5) / 6
#' arcs <- rbind(cbind(cos(angle), sin(angle)),
#'               cbind(1 - cos(angle), 0.4 - sin(angle)))
#' model <- as_mixture(list(weights = rep(1, 6), means = 3 * arcs,
#'                          covariances = rep(list(diag(0.3, 2)), 6)))
#' merging <- cluster_morse(model)
#' merging
#' plot(merging)
#' stats::cutree(merging, 2)
#' X <- simulate(model, 300, seed = 1)
#' plot(X, col = predict(merging, X, k = 2))
#' @export
cluster_morse <- function(mixture, ..., order = c("height", "prominence"), min_mass = 0, floor = 0) {
  check_no_dots(...)
  check_class(mixture, "dptda_mixture", "as_mixture()")
  order <- check_choice(order, c("height", "prominence"))
  min_mass <- check_number(min_mass, 0, 1)
  if (min_mass > 0 && order != "height") stop_argument("min_mass", "must be 0 if `order` is \"prominence\".")
  floor <- check_number(floor, 0, 1)
  if (floor > 0) mixture <- widen_components(mixture, floor)
  found <- .Call(ffi_cluster_morse, mixture$weights, unname(mixture$means), as.double(mixture$covariances),
                 kernel_options(progress = kernel_progress("Morse merging")))
  merges <- merge_modes(found, mixture$weights, order, min_mass)
  columns <- mixture_columns(mixture)
  places <- `colnames<-`(found$place, columns)
  modes <- data.frame(height = -found$levels, `colnames<-`(found$modes, columns))
  passes <- data.frame(from = found$from, to = found$to, height = -found$level,
                       saddle = !is.na(found$place[, 1]), places)
  names(modes)[-1] <- names(passes)[-(1:4)] <- columns
  tree <- merge_tree(found$mode_of, merges, -found$levels, order)
  new_result(
    c(tree, list(labels = NULL, method = order, call = match.call(), dist.method = "passes of the density",
                 modes = modes, mode_of = found$mode_of, passes = passes, merges = merges,
                 diagram = mode_diagram(found), mixture = mixture)),
    "dptda_merging", also = "hclust"
  )
}

# The mixture with no component narrower than `floor` times the whole, in the coordinates in which the covariance of the
# whole is the identity. In units of the whole, so that nothing overflows.
widen_components <- function(mixture, floor) {
  D <- ncol(mixture$means)
  center <- colSums(mixture$weights * mixture$means)
  away <- t(mixture$means) - center
  sd <- sqrt(apply(mixture$covariances, 3, function(S) S[(seq_len(D) - 1) * D + seq_len(D)]))
  unit <- row_maxima(cbind(abs(away), matrix(sd, D)))
  if (any(unit > 1e150)) stop_argument("mixture", "must not spread over more than 1e150 if `floor` is not 0.")
  away <- away / unit
  scaled <- mixture$covariances / unit / rep(unit, each = D)
  whole <- away %*% (mixture$weights * t(away)) + matrix(matrix(scaled, D^2) %*% mixture$weights, D)
  e <- eigen((whole + t(whole)) / 2, symmetric = TRUE)
  root <- sqrt(pmax(e$values, 1e-14 * e$values[1]))
  for (k in seq_along(mixture$weights)) {
    C <- crossprod(e$vectors, as_square(scaled, k) %*% e$vectors) / root / rep(root, each = D)
    parts <- eigen((C + t(C)) / 2, symmetric = TRUE)
    lacking <- pmax(floor - parts$values, 0)
    if (all(lacking == 0)) next
    more <- unit * (e$vectors %*% (root * parts$vectors)) # its directions, in the units of the mixture
    S <- as_square(mixture$covariances, k) + more %*% (lacking * t(more))
    mixture$covariances[, , k] <- (S + t(S)) / 2
  }
  mixture
}

# Matrices of the passes between each two modes.
pass_heights <- function(found) {
  m <- length(found$levels)
  heights <- matrix(Inf, m, m)
  heights[cbind(found$from, found$to)] <- heights[cbind(found$to, found$from)] <- -found$level
  heights
}

# One row for each merge of clusters of modes. A cluster is identified by its first mode. `heights` are kept between
# clusters; `between` identifies their pass.
merge_modes <- function(found, weights, order, min_mass) {
  m <- length(found$levels)
  heights <- pass_heights(found)
  between <- matrix(seq_len(m * m), m)
  bottom <- -found$levels
  mass <- as.vector(tapply(weights, factor(found$mode_of, seq_len(m)), sum, default = 0))
  alive <- rep(TRUE, m)
  rows <- vector("list", max(m - 1, 0))
  for (time in seq_along(rows)) {
    lowest <- row_minima(heights)
    rank <- if (order == "prominence") lowest - bottom else lowest
    small <- alive & mass < min_mass
    candidates <- which(if (any(small)) small else alive)
    i <- candidates[which.min(rank[candidates])]
    j <- which.min(heights[i, ])
    pass <- arrayInd(between[i, j], c(m, m))
    rows[[time]] <- data.frame(from = pass[1], to = pass[2], height = heights[i, j],
                               prominence = heights[i, j] - max(bottom[c(i, j)]), first = i, second = j)
    # j goes up in i
    nearer <- heights[j, ] < heights[i, ]
    heights[i, nearer] <- heights[j, nearer]
    between[i, nearer] <- between[j, nearer]
    heights[i, i] <- Inf
    heights[, i] <- heights[i, ]
    between[, i] <- transposed_cells(between[i, ], m)
    heights[j, ] <- heights[, j] <- Inf
    bottom[i] <- min(bottom[c(i, j)])
    mass[i] <- sum(mass[c(i, j)])
    alive[j] <- FALSE
  }
  if (m < 2) {
    return(data.frame(from = double(), to = double(), height = double(), prominence = double(), first = double(),
                      second = double()))
  }
  do.call(rbind, rows)
}

row_minima <- function(x) do.call(pmin, lapply(seq_len(ncol(x)), function(k) x[, k]))

# Numbers of cells of an m x m matrix, for those across the diagonal.
transposed_cells <- function(cells, m) ((cells - 1) %% m) * m + (cells - 1) %/% m + 1

# Builds the tree over the components: first the components of one mode, then the clusters of modes. A cluster of modes
# without components leaves no trace.
merge_tree <- function(mode_of, merges, bottoms, order) {
  K <- length(mode_of)
  node <- rep(0, length(bottoms)) # of each cluster of modes: what stands for it, negative for a leaf, 0 for nothing
  merge <- matrix(0L, 0, 2)
  height <- double()
  join <- function(a, b, at) {
    merge <<- rbind(merge, as.integer(ordered_pair(a, b)))
    height <<- c(height, at)
    nrow(merge)
  }
  for (k in seq_len(K)) {
    mode <- mode_of[k]
    node[mode] <- if (node[mode] == 0) -k else join(node[mode], -k, if (order == "prominence") 0 else bottoms[mode])
  }
  for (row in seq_len(nrow(merges))) {
    a <- merges$first[row]
    b <- merges$second[row]
    at <- if (order == "prominence") merges$prominence[row] else merges$height[row]
    node[a] <- if (node[a] == 0) node[b] else if (node[b] == 0) node[a] else join(node[a], node[b], at)
  }
  list(merge = merge, height = rev(cummin(rev(height))), order = leaf_order(merge, K))
}

# Orders leaves first, then earlier merges, as hclust() does.
ordered_pair <- function(a, b) {
  if (a < 0 && b < 0) return(c(max(a, b), min(a, b)))
  if (a < 0 || b < 0) return(c(min(a, b), max(a, b)))
  c(min(a, b), max(a, b))
}

leaf_order <- function(merge, K) {
  if (nrow(merge) == 0) return(1L)
  leaves <- list()
  leaves_of <- function(node) if (node < 0) -node else leaves[[node]]
  for (row in seq_len(nrow(merge))) leaves[[row]] <- c(leaves_of(merge[row, 1]), leaves_of(merge[row, 2]))
  as.integer(leaves[[K - 1]])
}

# The elder rule along the lowest passes.
mode_diagram <- function(found) {
  bottoms <- -found$levels
  merges <- merge_modes(found, rep(0, length(found$mode_of)), "height", 0)
  elder <- bottoms
  birth <- double()
  for (row in seq_len(nrow(merges))) {
    pair <- c(merges$first[row], merges$second[row])
    birth <- c(birth, max(elder[pair]))
    elder[pair[1]] <- min(elder[pair])
  }
  birth <- c(min(bottoms), birth)
  death <- c(Inf, merges$height)
  by <- order(-(death - birth), birth)
  new_diagram(rep(0L, length(birth)), birth[by], pmax(birth, death)[by], software = "morse", parameters = list())
}

define_class("dptda_merging", "cluster_morse()",
             merge = function(x) is.matrix(x) && is.integer(x) && ncol(x) == 2, height = function(x) is.double(x) &&
               is_numbers(x),
             order = is_numbers, labels = is.null, method = is_one_string, dist.method = is_one_string,
             call = is.call,
             modes = function(x) is.data.frame(x) && all(vapply(x, is.double, NA)), mode_of = is_numbers,
             passes = function(x) is.data.frame(x) && identical(names(x)[1:4], c("from", "to", "height", "saddle")),
             merges = function(x) {
               is.data.frame(x) && identical(names(x), c("from", "to", "height", "prominence", "first", "second")) &&
                 all(vapply(x, is_numbers, NA))
             },
             diagram = is_made("dptda_diagram"), mixture = is_made("dptda_mixture"),
             .valid = function(x) {
               K <- length(x$mixture$weights)
               K == length(x$mode_of) && K == nrow(x$merge) + 1 && nrow(x$merge) == length(x$height) && K ==
                 length(x$order) &&
                 all(x$mode_of %in% seq_len(nrow(x$modes))) && nrow(x$merges) == nrow(x$modes) - 1 &&
                 ncol(x$modes) == ncol(x$mixture$means) + 1 &&
                 all(c(x$merges$first, x$merges$second) %in% seq_len(nrow(x$modes)))
             })

# Returns the cluster of each mode among k. A mode without components joins the first mode it merges with.
clusters_of_modes <- function(x, k) {
  of_component <- cut_components(x, k)
  m <- nrow(x$modes)
  cluster <- rep(NA_integer_, m)
  cluster[x$mode_of] <- of_component
  members <- as.list(seq_len(m))
  for (row in seq_len(nrow(x$merges))) {
    a <- x$merges$first[row]
    b <- x$merges$second[row]
    known <- function(i) stats::na.omit(cluster[members[[i]]])[1]
    # across the pass itself, if its mode has one
    for (pair in list(c(a, b), c(b, a))) {
      if (is.na(known(pair[1])) && !is.na(known(pair[2]))) cluster[members[[pair[1]]]] <- known(pair[2])
    }
    members[[a]] <- c(members[[a]], members[[b]])
  }
  cluster
}

# cutree() does not accept a tree with one leaf.
cut_components <- function(x, k) if (nrow(x$merge)) as.integer(stats::cutree(plain_tree(x), k)) else 1L

plain_tree <- function(x) {
  structure(unclass(x)[c("merge", "height", "order", "labels", "method", "call", "dist.method")], class = "hclust",
            names = c("merge", "height", "order", "labels", "method", "call", "dist.method"))
}

#' Morse tree: labels and plot
#'
#' Labels points by the clusters of [cluster_morse()], and draws the tree.
#'
#' @param object,x An object of class `dptda_merging`.
#' @param newdata A numeric matrix or data frame with the columns of the mixture. For one column, a vector. Rows with
#'   missing values give `NA`.
#' @param k An integer from 1 to the number of components: the number of clusters.
#' @param assign A string. `"component"` assigns a row to the cluster of its most probable component. `"basin"` assigns
#'   it to the cluster of the mode to which it ascends, which is slower. If `k` exceeds the number of modes, only
#'   components can distinguish the clusters, and `"component"` is used.
#' @param xlab,ylab,main,sub Strings or `NULL`: titles.
#' @param ... For `plot()`, arguments of [stats::plot.hclust()]. Otherwise not used.
#' @return `predict()` returns one integer per row, numbered as by [stats::cutree()]. `plot()` returns `x`, invisibly.
#'   `as.hclust()` returns the tree alone, and `summary()` returns the merges.
#' @seealso [cluster_morse()]
#' @examples
#' model <- as_mixture(list(weights = c(1, 1, 1), means = c(-3, 0, 0.5),
#'                          covariances = c(0.2, 0.2, 0.2)))
#' merging <- cluster_morse(model)
#' predict(merging, c(-2, 0, 2), k = 2)
#' plot(merging)
#' @importFrom stats predict
#' @export
predict.dptda_merging <- function(object, newdata, k, assign = c("component", "basin"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_merging")
  if (missing(newdata)) stop_missing("newdata")
  X <- check_newdata(newdata, object$mixture)
  K <- length(object$mode_of)
  k <- check_count(k, 1, K)
  assign <- check_choice(assign, c("component", "basin"))
  component <- largest_part(mixture_log_parts(object$mixture, X))
  label <- cut_components(object, k)[component]
  if (assign == "component" || k > length(unique(object$mode_of))) return(name_rows(label, newdata))
  mixture <- object$mixture
  basin <- .Call(ffi_cluster_basins, mixture$weights, unname(mixture$means), as.double(mixture$covariances),
                 unname(as.matrix(object$modes[-1])), unname(X), kernel_options(progress = kernel_progress("Basins")))
  found <- basin > 0
  label[found] <- clusters_of_modes(object, k)[basin[found]]
  name_rows(label, newdata)
}

#' @importFrom stats as.hclust
#' @export
as.hclust.dptda_merging <- function(x, ...) plain_tree(check_valid(x, "dptda_merging"))

#' @importFrom stats as.dendrogram
#' @export
as.dendrogram.dptda_merging <- function(object, ...) {
  stats::as.dendrogram(check_tree(check_valid(object, "dptda_merging"), "object"), ...)
}

check_tree <- function(x, arg) {
  if (length(x$mode_of) < 2) stop_argument(arg, "must have at least two components to be a tree.")
  plain_tree(x)
}

#' @rdname predict.dptda_merging
#' @export
plot.dptda_merging <- function(x, main = NULL, xlab = "Component", sub = "", ylab = NULL, ...) {
  check_valid(x, "dptda_merging")
  for (arg in c("main", "xlab", "sub", "ylab")) {
    if (!is.null(get(arg)) && !is_one_string(get(arg))) {
      stop_argument(arg, "must be NULL or one string, not ", describe(get(arg)), ".")
    }
  }
  if (is.null(ylab)) ylab <- if (x$method == "height") "Height of the pass (-log density)" else "Prominence"
  tree <- check_tree(x, "x")
  # R draws no such tree of two leaves
  if (length(tree$order) == 2) tree <- stats::as.dendrogram(tree)
  graphics::plot(tree, main = main, xlab = xlab, sub = sub, ylab = ylab, ...)
  invisible(x)
}

#' @export
print.dptda_merging <- function(x, ...) {
  check_valid(x, "dptda_merging")
  found <- sum(x$passes$saddle)
  cat("<merging> ", count_of(length(x$mode_of), "component"), ", ", count_of(nrow(x$modes), "mode"), ", ",
      nrow(x$passes), if (nrow(x$passes) == 1) " pass" else " passes", " (", count_of(found, "saddle"), " found), by ",
      x$method, "\n", sep = "")
  if (nrow(x$merges)) print(utils::tail(x$merges[c("from", "to", "height", "prominence")], 8), digits = 4)
  invisible(x)
}

#' @export
summary.dptda_merging <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_merging")
  object$merges[c("from", "to", "height", "prominence")]
}
