# The picture of a mixture: a curve in one dimension, otherwise the ellipse of each component over each pair of columns.

#' @rdname as_mixture
#' @export
plot.dptda_mixture <- function(x, columns = NULL, level = 0.95, data = NULL, col = NULL, main = NULL, ...) {
  check_valid(x, "dptda_mixture")
  words <- if (is.null(columns)) tell_columns(check_shown_columns(columns, x), mixture_columns(x))
  columns <- check_shown_columns(columns, x)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  if (!is.null(data)) data <- check_newdata(data, x, "data")
  if (!is.null(main) && !is_one_string(main)) {
    stop_argument("main", "must be NULL or one string, not ", describe(main), ".")
  }
  col <- check_mixture_colors(col, length(x$weights))
  main <- picture_title(x, main)
  if (length(columns) == 1) {
    plot_mixture_curve(x, columns, data[, columns], col, main, ...)
  } else if (length(columns) == 2) {
    plot_mixture_pair(x, columns, level, data, col, main, ...)
  } else {
    plot_mixture_pairs(x, columns, level, data, col, main, words, ...)
  }
  invisible(x)
}

check_shown_columns <- function(columns, x) {
  names <- mixture_columns(x)
  if (is.null(columns)) return(seq_len(min(4, length(names))))
  chosen <- if (is.character(columns)) match(columns, names) else columns
  good <- is_numbers(chosen) && length(chosen) > 0 && all(chosen %in% seq_along(names)) && !anyDuplicated(chosen)
  if (!good) stop_argument("columns", "must be NULL, or names or numbers of columns of the mixture, each once.")
  as.integer(chosen)
}

check_mixture_colors <- function(col, K) {
  if (is.null(col)) return(rep_len(c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999"), K))
  good <- is.atomic(col) && length(col) > 0 && !is.null(value_or(grDevices::col2rgb(col), NULL))
  if (!good) stop_argument("col", "must be NULL or colors, one for each component.")
  rep_len(as.vector(col), K)
}

# How far components reach along a column.
mixture_reach <- function(x, column, times) {
  half <- times * sqrt(x$covariances[column, column, ])
  range(x$means[, column] - half, x$means[, column] + half)
}

plot_mixture_curve <- function(x, column, data, col, main, ...) {
  reach <- mixture_reach(x, column, 3.5)
  at <- seq(reach[1], reach[2], length.out = 501)
  sd <- sqrt(x$covariances[column, column, ])
  parts <- vapply(seq_along(sd), function(k) x$weights[k] * stats::dnorm(at, x$means[k, column], sd[k]), at)
  saved <- open_picture(reach, c(0, max(rowSums(parts))), mixture_columns(x)[column], "Density")
  on.exit(graphics::par(saved))
  tell_on_picture("dashed: components", main = main)
  if (length(data)) graphics::rug(data[is.finite(data)], col = "gray50")
  for (k in seq_along(sd)) graphics::lines(at, parts[, k], col = col[k], lty = 2)
  graphics::lines(at, rowSums(parts), ...)
}

plot_mixture_pair <- function(x, columns, level, data, col, main, ...) {
  times <- sqrt(stats::qchisq(level, 2))
  names <- mixture_columns(x)[columns]
  saved <- open_picture(mixture_reach(x, columns[1], times), mixture_reach(x, columns[2], times), names[1], names[2])
  on.exit(graphics::par(saved))
  tell_on_picture(mixture_words(level), main = main)
  draw_mixture_pair(x, columns, times, data, col, ...)
}

mixture_words <- function(level) {
  paste0("ellipses: ", format_percent(level), " of each component; thicker for larger weights")
}

draw_mixture_pair <- function(x, columns, times, data, col, ...) {
  if (!is.null(data)) graphics::points(data[, columns, drop = FALSE], pch = ".", cex = 2, col = "gray60")
  angle <- 2 * pi * (0:128) / 128
  for (k in order(x$weights)) {
    root <- t(chol(x$covariances[columns, columns, k]))
    ellipse <- x$means[k, columns] + times * root %*% rbind(cos(angle), sin(angle))
    style <- utils::modifyList(list(border = col[k], lwd = 1 + 3 * sqrt(x$weights[k])), list(...))
    do.call(graphics::polygon, c(list(ellipse[1, ], ellipse[2, ]), style))
    graphics::points(x$means[k, columns[1]], x$means[k, columns[2]], pch = 3, col = col[k])
  }
}

plot_mixture_pairs <- function(x, columns, level, data, col, main, words, ...) {
  times <- sqrt(stats::qchisq(level, 2))
  names <- mixture_columns(x)[columns]
  m <- length(columns)
  marks <- lapply(columns, function(j) format(pretty(mixture_reach(x, j, times))))
  left <- max(3, 1 + 0.55 * max(nchar(unlist(marks))))
  old <- graphics::par(mfrow = c(m, m), mar = rep(0.4, 4), oma = c(3, left, 3.5, 1))
  on.exit(graphics::par(old))
  for (i in seq_len(m)) for (j in seq_len(m)) {
    graphics::plot(mixture_reach(x, columns[j], times), mixture_reach(x, columns[i], times), type = "n", xlab = "",
                   ylab = "", xaxt = if (i == m) "s" else "n", yaxt = if (j == 1) "s" else "n", las = 1)
    if (i == j) {
      usr <- graphics::par("usr")
      graphics::text(mean(usr[1:2]), mean(usr[3:4]), names[i], cex = 1.4)
    } else {
      draw_mixture_pair(x, columns[c(j, i)], times, data, col, ...)
    }
  }
  graphics::mtext(main, outer = TRUE, line = 1.5, font = 2)
  tell_on_picture(paste(c(mixture_words(level), words), collapse = "; "), outer = TRUE)
}
