# Text for diagrams. For a private diagram it includes the points that are evidence (diagram-evidence.R).

#' @rdname persistence_diagram
#' @export
format.dptda_diagram <- function(x, ...) {
  check_valid(x, "dptda_diagram")
  sizes <- table(x$dimension)
  parts <- c(
    if (!isTRUE(attr(x, "sublevel"))) "superlevel",
    if (length(sizes)) paste0("dimension ", paste0(names(sizes), ": ", sizes, collapse = ", ")),
    if (any(is.infinite(x$death))) paste(sum(is.infinite(x$death)), "never dying"),
    if (!is.null(attr(x, "software"))) paste("by", attr(x, "software"))
  )
  paste0(if (is.null(privacy(x))) "<persistence diagram> " else "<private persistence diagram> ",
         count_of(nrow(x), "point"), if (length(parts)) paste0(" (", paste(parts, collapse = "; "), ")"))
}

#' @rdname persistence_diagram
#' @export
print.dptda_diagram <- function(x, n = 10, ...) {
  n <- check_count(n)
  cat(format(x), "\n", sep = "")
  shown <- strip_diagram(x)[seq_len(min(n, nrow(x))), , drop = FALSE]
  if (nrow(shown)) print(shown, ...)
  if (nrow(x) > nrow(shown)) cat("... and ", nrow(x) - nrow(shown), " more\n", sep = "")
  guarantee <- privacy(x)
  evidence <- default_evidence(x)
  if (!is.null(evidence)) cat(wrap_lines(format(evidence)), clip_words(guarantee, evidence), "\n", sep = "")
  writeLines(as.character(people_words(x)))
  if (!is.null(guarantee)) print(guarantee)
  invisible(x)
}

# Recommends `clip`, the setting that matters most, if no feature was found and `clip` has its default, no effect.
clip_words <- function(guarantee, evidence) {
  if (any(evidence$features$features > 0) || !identical(guarantee$public$clip, Inf)) return(NULL)
  "\nA public `clip` would reduce the noise. plan_private_diagram() compares values."
}

#' @rdname persistence_diagram
#' @export
summary.dptda_diagram <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_diagram")
  evidence <- default_evidence(object)
  dimensions <- sort(unique(c(object$dimension, evidence$features$dimension)))
  persistence <- split(diagram_persistence(object), factor(object$dimension, dimensions))
  finite <- lapply(persistence, function(bars) bars[is.finite(bars)])
  measure <- function(f) vapply(finite, function(bars) if (length(bars)) f(bars) else NA_real_, 0, USE.NAMES = FALSE)
  table <- data.frame(
    dimension = dimensions,
    points = lengths(persistence, use.names = FALSE),
    essential = lengths(persistence, use.names = FALSE) - lengths(finite, use.names = FALSE),
    largest = measure(max), median = measure(stats::median), total = measure(sum)
  )
  if (!is.null(evidence)) {
    table <- cbind(table, evidence$features[match(dimensions, evidence$features$dimension), -1], row.names = NULL)
  }
  guarantee <- privacy(object)
  new_result(table, "summary.dptda_diagram", also = "data.frame", header = format(object), evidence = evidence,
             guarantee = if (!is.null(guarantee)) format(guarantee)[1])
}

define_class("summary.dptda_diagram", "summary()", .bare = is.data.frame)

#' @export
print.summary.dptda_diagram <- function(x, ...) {
  if (!is_one_string(attr(x, "header"))) stop_argument("x", "must be made by summary().")
  cat(attr(x, "header"), "\n", sep = "")
  evidence <- attr(x, "evidence")
  if (!is.null(evidence)) check_valid(evidence, "dptda_evidence", "x")
  table <- as.data.frame(x)
  if (nrow(table)) {
    cat("persistence by dimension (without `essential` points):\n")
    print(table, row.names = FALSE, ...)
  }
  if (!is.null(evidence)) cat(format(evidence), format_detectable(evidence), format_radius(evidence), sep = "\n")
  if (is_one_string(attr(x, "guarantee"))) cat(attr(x, "guarantee"), "\n", sep = "")
  invisible(x)
}

#' @export
as.data.frame.summary.dptda_diagram <- function(x, ...) {
  attr(x, "header") <- attr(x, "evidence") <- attr(x, "guarantee") <- NULL
  class(x) <- "data.frame"
  as.data.frame(x, ...)
}
