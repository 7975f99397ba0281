# Clusters as tables, and rows with their clusters.

#' @exportS3Method
result_table.dptda_mixture <- function(x) cbind(component = seq_along(x$weights), summary(x))

#' @exportS3Method
result_table.dptda_private_kmeans <- function(x) cbind(cluster = seq_len(x$k), kmeans_frame(x))

# One row for each pair of columns, each pair once.
#' @exportS3Method
result_table.dptda_private_covariance <- function(x) {
  names <- covariance_columns(x)
  pair <- which(upper.tri(x$cov, diag = TRUE), arr.ind = TRUE)
  scale <- sqrt(diag(x$cov))
  scale <- scale[pair[, 1]] * scale[pair[, 2]]
  data.frame(first = names[pair[, 1]], second = names[pair[, 2]], cov = x$cov[pair], cor = x$cov[pair] / scale,
             noise = x$noise[pair])
}

#' @export
confint.dptda_mixture <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "what noise does to a mixture goes through all rounds.",
                   " privacy_price() of its mechanism says how large it is in each.")
}

#' @export
confint.dptda_private_kmeans <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "the noise of all rounds affects the centers. ",
                   "Centers of clusters larger than `{x}$least` were found, and privacy_price() of its mechanism ",
                   "states the noise of their sizes.")
}

#' @export
confint.dptda_private_covariance <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "`{x}$noise` has the standard deviation of the noise of ",
                   "each number of `{x}$cov`.")
}

#' @export
confint.dptda_private_covariances <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "`{x}[[1]]$noise` has the standard deviation of the noise ",
                   "of each number of `{x}[[1]]$cov`.")
}

#' @export
confint.dptda_private_pca <- function(object, parm, level = 0.95, of = "data", ...) {
  refuse_intervals(object, deparse1(substitute(object)), "`{x}$noise` has the standard deviation of the noise of ",
                   "each of `{x}$sdev`, and plot() shows it.")
}

# Returns one row per column, with the noise of its standard deviation, and correlations.
#' @export
summary.dptda_private_covariance <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_covariance")
  names <- covariance_columns(object)
  sd <- sqrt(diag(object$cov))
  cor <- object$cov / tcrossprod(sd)
  colnames(cor) <- paste0("cor.", names)
  found <- data.frame(column = names, mean = unname(object$center), sd = unname(sd),
                      noise = unname(diag(object$noise) / (2 * sd)), cor, row.names = NULL, check.names = FALSE)
  found[!is.finite(found$noise), -1] <- NA # nothing was seen
  found
}

#' @export
summary.dptda_private_covariances <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_covariances")
  lines <- lapply(seq_along(object), function(k) {
    one <- object[[k]]
    names <- covariance_columns(one)
    sd <- sqrt(diag(one$cov))
    if (!all(is.finite(one$noise))) sd[] <- one$center[] <- NA
    c(n.obs = one$n.obs, stats::setNames(c(one$center, sd), paste0(rep(c("mean.", "sd."), each = length(sd)), names)))
  })
  cbind(attr(object, "groups", exact = TRUE), do.call(rbind, lines), row.names = NULL)
}

#' @exportS3Method
result_table.dptda_merging <- function(x) summary(x)

#' @exportS3Method
result_table.dptda_tomato <- function(x) {
  data.frame(row = seq_along(x$labels), cluster = x$labels, density = x$density)
}

#' @exportS3Method generics::augment
augment.dptda_mixture <- function(x, data, ...) {
  check_no_dots(...)
  check_result(x)
  if (missing(data)) stop_missing("data")
  add_clusters(data, stats::predict(x, model_columns(data, x$means)), length(x$weights))
}

# Selects the model's columns of a table. Labels may be added to a table with more columns.
model_columns <- function(data, points) {
  columns <- colnames(points)
  if (is.null(columns) || is.null(colnames(data)) || !all(columns %in% colnames(data))) return(data)
  data[, columns, drop = FALSE]
}

#' @exportS3Method generics::augment
augment.dptda_private_kmeans <- function(x, data, ...) {
  check_no_dots(...)
  check_result(x)
  if (missing(data)) stop_missing("data")
  add_clusters(data, stats::predict(x, model_columns(data, x$centers)), x$k)
}

#' @exportS3Method generics::augment
augment.dptda_merging <- function(x, data, k, ...) {
  check_no_dots(...)
  check_result(x)
  if (missing(data)) stop_missing("data")
  add_clusters(data, stats::predict(x, model_columns(data, x$mixture$means), k), k)
}

#' @exportS3Method generics::augment
augment.dptda_tomato <- function(x, data, ...) {
  check_no_dots(...)
  check_result(x)
  if (missing(data)) stop_missing("data")
  if (NROW(data) != length(x$labels)) {
    stop_argument("data", "must be the rows that were clustered, one for each label.")
  }
  add_clusters(data, x$labels, length(x$peaks))
}

# ---- pictures --------------------------------------------------------------------------------------------------------

# Two columns, or one with its density; `columns` as plot() has it.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_mixture <- function(object, columns = NULL, level = 0.95, data = NULL, ...) {
  check_no_dots(...)
  check_result(object, "object")
  if (is.null(columns)) columns <- seq_len(min(2, ncol(object$means)))
  columns <- check_shown_columns(columns, object)
  if (length(columns) > 2) stop_argument("columns", "must be names or numbers of one or two columns of the mixture.")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (!is.null(data)) data <- check_newdata(data, object, "data")
  names <- mixture_columns(object)
  if (length(columns) == 1) {
    reach <- mixture_reach(object, columns, 3.5)
    at <- seq(reach[1], reach[2], length.out = 501)
    sd <- sqrt(object$covariances[columns, columns, ])
    part <- function(k) object$weights[k] * stats::dnorm(at, object$means[k, columns], sd[k])
    parts <- vapply(seq_along(sd), part, at)
    return(ggplot2::ggplot(data.frame(x = at, y = rowSums(parts)), ggplot2::aes(x = .data$x, y = .data$y)) +
             ggplot2::geom_line(color = picture_colors[1]) +
             picture_labels(object, tell_columns(columns, names), x = names[columns], y = "Density") +
             picture_theme())
  }
  cluster_picture(object, object$means[, columns], object$covariances[columns, columns, , drop = FALSE],
                  object$weights, level,
                  data[, columns], names[columns], tell_columns(columns, names))
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_kmeans <- function(object, columns = NULL, data = NULL, ...) {
  check_no_dots(...)
  check_result(object, "object")
  columns <- check_kmeans_pair(columns, object)
  if (!is.null(data)) data <- check_kmeans_points(data, object, "data")
  names <- kmeans_columns(object)
  # one column is a line
  pair <- function(x) if (length(columns) == 2) x[, columns, drop = FALSE] else cbind(x[, columns], 0)
  covariances <- if (length(columns) == 2) object$covariances[columns, columns, , drop = FALSE]
  ends <- pair(rbind(object$box$lower, object$box$upper))
  picture <- cluster_picture(object, pair(object$centers), covariances, object$size, 0.95,
                             if (!is.null(data)) pair(data), c(names[columns], "")[1:2], tell_columns(columns, names)) +
    ggplot2::expand_limits(x = ends[, 1], y = ends[, 2])
  if (length(columns) == 2) return(picture)
  picture + ggplot2::scale_y_continuous(breaks = NULL, name = NULL)
}

# Draws centers with areas proportional to their sizes, and with covariances the ellipse of each.
cluster_picture <- function(x, centers, covariances, size, level, data, names, words) {
  centers <- matrix(centers, ncol = 2)
  k <- nrow(centers)
  cluster <- factor(seq_len(k))
  frame <- data.frame(x = centers[, 1], y = centers[, 2], cluster = cluster, size = if (is.null(size)) 1 else size)
  picture <- ggplot2::ggplot(frame, ggplot2::aes(x = .data$x, y = .data$y, color = .data$cluster))
  if (!is.null(data)) {
    rows <- data.frame(x = data[, 1], y = data[, 2])
    picture <- picture + ggplot2::geom_point(data = rows, color = "gray60", size = 0.5, na.rm = TRUE)
  }
  if (!is.null(covariances)) {
    angle <- 2 * pi * (0:128) / 128
    ellipses <- lapply(seq_len(k), function(j) {
      outline <- centers[j, ] + sqrt(stats::qchisq(level, 2)) * t(chol(covariances[, , j])) %*%
        rbind(cos(angle), sin(angle))
      data.frame(x = outline[1, ], y = outline[2, ], cluster = cluster[j])
    })
    picture <- picture + ggplot2::geom_path(data = do.call(rbind, ellipses))
  }
  picture + ggplot2::geom_point(ggplot2::aes(size = .data$size), shape = 1, stroke = 1) +
    ggplot2::scale_color_manual(values = rep_len(picture_colors, k)) +
    ggplot2::scale_size_area(guide = "none") +
    picture_labels(x, paste(c(cluster_words(!is.null(size), !is.null(covariances), level), words), collapse = "; "),
                   x = names[1], y = names[2], color = "cluster") + picture_theme()
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_tomato <- function(object, ...) {
  check_result(object, "object")
  band <- if (is.finite(object$prominence) && object$prominence > 0) object$prominence else FALSE
  autoplot.dptda_diagram(object$diagram, band = band, ...)
}

# The tree of the components.
#' @exportS3Method ggplot2::autoplot
autoplot.dptda_merging <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  tree <- check_tree(object, "object")
  components <- length(tree$order)
  low <- min(tree$height, 0)
  x <- c(order(tree$order), double(components - 1)) # leaves, then inner nodes
  y <- c(rep(low, components), tree$height)
  node <- function(end) if (end < 0) -end else components + end
  lines <- lapply(seq_len(components - 1), function(i) {
    ends <- vapply(tree$merge[i, ], node, 0)
    x[components + i] <<- mean(x[ends])
    data.frame(x = c(x[ends], x[ends[1]]), y = c(y[ends], tree$height[i]), xend = c(x[ends], x[ends[2]]),
               yend = tree$height[i])
  })
  ggplot2::ggplot(do.call(rbind, lines), ggplot2::aes(x = .data$x, y = .data$y)) +
    ggplot2::geom_segment(ggplot2::aes(xend = .data$xend, yend = .data$yend)) +
    ggplot2::scale_x_continuous(breaks = seq_len(components), labels = tree$order) +
    ggplot2::labs(x = "Component", y = if (object$method == "height") "Height of the pass (-log density)" else
      "Prominence") + picture_theme()
}
