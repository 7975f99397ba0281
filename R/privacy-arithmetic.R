# Results computed from released numbers keep their guarantee, if R dispatches the operation on a class. A function of
# releases and of public numbers costs what the releases cost, and each draw counts once. The proof is in
# inst/proofs/privacy-arithmetic.md.
#
# Every method computes with plain numbers and passes the result to keep_guarantee(), with all of its operands. A result
# stores its sources: the mark of each draw (draw_release()), its guarantee, and its title. It does not store their
# numbers, because a user who rounds a release or drops cells would publish them in the saved file.

#' Arithmetic with released values (postprocessing)
#'
#' Computes with released values and keeps their guarantee. A result computed from a release without using the rows
#' again (postprocessing) is as private as the release. For example, `round(count)`, `histogram / sum(histogram)`,
#' `2 * mean - 1`, and `x[x > 10]` carry the guarantee of their inputs ([privacy()]) and cost nothing.
#'
#' @details
#' # Operations that keep the guarantee
#' * Arithmetic, comparison, and logic (`+`, `/`, `^`, `%%`, `<`, `!`, ...) between a release and plain numbers, or
#'   between releases.
#' * The groups `Math` (`round()`, `log()`, `cumsum()`, ...) and `Summary` (`sum()`, `max()`, `range()`, ...).
#' * `mean()`, `median()`, `quantile()`, `diff()`, `unique()`, `sort()`, `rev()`, `rep()`, `t()`, `head()`, and
#'   `tail()`.
#' * `[`, `[[`, `c()`, `ifelse()`, and changes by `[<-`, `[[<-`, `names<-`, `dim<-`, `dimnames<-`, and `length<-`.
#'
#' # Plain numbers are taken as public
#' Names and indices, which may be text, are taken as public as well. Their origin cannot be checked. If you use rows,
#' or a number computed from rows, the result states a guarantee that does not hold, as in `count - sum(x)`. The same is
#' true of names from rows, as in `setNames(x, names(table(rows)))`.
#'
#' The cost of a release that was made plain (`x$value`) is not counted again. In `if (x > 5) y else z`, the influence
#' of `x` is not recorded. Use `ifelse()`, which records it.
#'
#' # Several releases
#' A result from several releases carries their composed guarantee ([privacy_compose()]). A release that is used twice,
#' as in `x / sum(x)`, counts once, because each draw has a random mark. Seeded releases have no mark and count as one
#' if their numbers and guarantees are equal. A release made before marks existed counts each time that it is used.
#' [privacy_compose()] itself adds up everything that you pass to it.
#'
#' Releases for different units, neighboring relations, or kinds of people (patients and doctors) are refused with an
#' error of class `dptda_error_relation`.
#'
#' # Operations that drop the guarantee
#' `as.numeric()`, `as.vector()`, `as.list()`, `unclass()`, and `x$value` return plain values silently, by design.
#'
#' The operations above return a plain result, with one message of class `dptda_message_guarantee` per call, if an input
#' is not known to be public. Examples are an object of another class, text other than names and indices, and a value
#' that was changed after its release.
#'
#' R handles some functions without method dispatch, or dispatches on the first argument only. These silently return
#' plain values or values without a guarantee: `pmax()` and `pmin()` (use `x[x < 0] <- 0`), `max(0, x)` (use
#' `max(x, 0)`), `c(0, x)`, `cbind()`, `log(2, x)`, `which()`, `order()`, `sd()`, `outer()`, `x %*% y`, and loops over
#' elements. Arithmetic with dates and other classes that have their own methods is left to R, which warns. Its result
#' has no guarantee.
#'
#' # Lists and tables by groups
#' Arithmetic with results that are lists (covariances, clusters, mixtures, plans), or tables by groups, is an error
#' that names their fields. `round()` and `signif()` accept sums and means by groups and round all of their numbers.
#' Fields such as `x$cov` and `x$centers` are plain values and as private as the release. State `privacy(x)` beside
#' anything that you compute from them.
#'
#' # Noise
#' The noise of a result is known in three cases, if noise was added to the released numbers: for multiples of
#' them plus a constant, for selections by public positions, and for such results joined by `c()`, if their noise is of
#' one kind. For other results, such as quotients, rounded values, sums (also of two releases), sorted values, and
#' selections by a condition on released numbers, no interval is printed, and `confint()` is an error. Each interval
#' refers to one position, chosen before its number was seen. `filter()` and `arrange()` of dplyr pass only positions,
#' so they also keep intervals of numbers that were selected or ordered by their values. Do not use these intervals.
#'
#' @return An object of class `dptda_private_derived`: a [private_value] of numbers or logical values, with names and
#'   dimensions. `x$value` are the plain values. `x$noise` is the noise, in units of `step`, or `NULL`.
#'
#' @section Privacy:
#' Post-processing and composition. The statement and its proof are in
#' `system.file("proofs", "privacy-arithmetic.md", package = "dptda")`.
#' @references
#' Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy. *Foundations and Trends in
#' Theoretical Computer Science* 9, 211-407.
#' @seealso [private_value], [privacy()], [privacy_compose()]
#' @examples
#' color <- private_table(rep(c("red", "blue"), c(60, 40)),
#'                        levels = c("red", "blue"), epsilon = 2)
#' color[color < 0] <- 0
#' round(100 * color / max(sum(color), 1))
#'
#' # twice the number, twice the noise
#' smokers <- private_count(rep(c(TRUE, FALSE), c(30, 70)), epsilon = 1)
#' 2 * smokers
#'
#' # two releases, and the guarantee of both
#' drinkers <- private_count(rep(c(TRUE, FALSE), c(60, 40)), epsilon = 0.5)
#' privacy(smokers / drinkers)$ledger
#' privacy(smokers / smokers)$ledger
#' @name private_arithmetic
NULL

# ---- sources and guarantees ----------------------------------------------------------------------------------------

# Checks only the class of the guarantee. Guarantees are validated when they are composed or shown, not at each step.
is_source <- function(x) is.list(x) && inherits(x$guarantee, "dptda_guarantee") && is_one_string(x$title)

are_sources <- function(x) is.list(x) && length(x) > 0 && all(vapply(x, is_source, NA))

define_class("dptda_private_derived", "arithmetic with a release",
             .bare = function(x) is_number_like(unclass(x)),
             .valid = function(x) {
               noise <- attr(x, "noise", exact = TRUE)
               classes <- attr(x, "classes", exact = TRUE)
               are_sources(attr(x, "sources", exact = TRUE)) && (is.null(noise) || is_noise(noise)) &&
                 (is.null(classes) || are_class_names(classes) && length(classes) == length(x))
             })

# Returns plain `result`: with the guarantee of `operands` if they are public numbers and releases, otherwise unchanged.
# `operation`: its name in messages. `places`: indices and names, which may be text. `noise`: the noise of the result,
# or NULL if it is not known (evaluated only for a result with a guarantee). `classes`: the classes of its numbers.
keep_guarantee <- function(result, operands, operation, noise = NULL, places = list(), classes = NULL) {
  given <- c(operands, places)
  known <- vapply(given, has_guarantee, NA)
  kept <- given[known]
  doubts <- unlist(lapply(which(!known), function(i) doubt_of(given[[i]], words = i > length(operands))))
  if (!length(doubts) && !is_number_like(result)) doubts <- "a result that is neither numeric nor logical"
  if (length(doubts)) {
    # simulated values never had a guarantee, so none is lost
    if (length(kept) || any(vapply(given, had_guarantee, NA))) {
      tell_dptda("guarantee", "The result of `", operation, "` carries no guarantee, because it was computed with ",
                 doubts[1], ".")
    }
    return(result)
  }
  if (!length(kept)) return(result)
  sources <- join_sources(lapply(kept, sources_of))
  guarantee <- joint_guarantee(sources, kept)
  if (!is.numeric(result) || !all(is.finite(result)) || length(result) == 0) noise <- NULL
  new_derived(result, noise, sources, guarantee, classes)
}

new_derived <- function(value, noise, sources, guarantee, classes = NULL) {
  x <- new_private_value(bare_numbers(value), noise, sources = sources, classes = classes,
                         class = "dptda_private_derived")
  attach_guarantee(x, guarantee)
}

is_private_value <- function(x) inherits(x, "dptda_private_value")

had_guarantee <- function(x) !is.null(attr(x, "privacy", exact = TRUE))

has_guarantee <- function(x) {
  is_private_value(x) && inherits(privacy(x), "dptda_guarantee") &&
    (!inherits(x, "dptda_private_derived") || are_sources(attr(x, "sources", exact = TRUE)))
}

# Returns why `x` without a guarantee may not be public, stating its type only, or NULL for public numbers.
doubt_of <- function(x, words) {
  if (had_guarantee(x)) return("a value that was changed since it was released")
  if (is_private_value(x)) return("a value that is not a release")
  if (is.null(x) || is_number_like(x) || words && is.character(x) && !is.object(x)) return(NULL)
  paste0(describe_data(x), ", which is not known to be public")
}

sources_of <- function(x) {
  if (inherits(x, "dptda_private_derived")) return(attr(x, "sources", exact = TRUE))
  list(list(mark = mark_of(x), guarantee = privacy(x), title = release_title(x)))
}

# Identifies seeded draws by their values. No guarantee depends on this.
mark_of <- function(x) {
  mark <- attr(x, "draw", exact = TRUE)
  if (is_one_string(mark)) return(mark)
  if (!identical(privacy(x)$random, "R")) return(NULL)
  plain <- as.vector(unclass(x))
  sprintf("seeded %s %.0f %a %a", class(x)[1], length(plain), sum(plain), sum(plain * cos(seq_along(plain))))
}

# Keeps each draw once. Sources without a mark count as separate draws.
join_sources <- function(all) {
  sources <- unlist(all, recursive = FALSE)
  if (length(sources) == 1) return(sources)
  marks <- vapply(seq_along(sources), function(i) {
    mark <- sources[[i]]$mark
    if (is.null(mark)) paste("no mark", i) else mark
  }, "")
  first <- match(marks, marks)
  again <- first < seq_along(sources) & vapply(seq_along(sources), function(i) {
    identical(sources[[i]]$guarantee, sources[[first[i]]]$guarantee)
  }, NA)
  sources[!again]
}

# Reuses the guarantee of an operand that already includes all sources.
joint_guarantee <- function(sources, kept) {
  if (length(sources) == 1) return(sources[[1]]$guarantee)
  for (x in kept) if (length(sources_of(x)) == length(sources)) return(privacy(x))
  privacy_compose(lapply(sources, `[[`, "guarantee"))
}

# ---- noise ---------------------------------------------------------------------------------------------------------

# Returns the noise of the numbers at `places` of `x`, each multiplied by its `factor`, or NULL if it is not known.
noise_at <- function(x, places = seq_along(x), factor = 1) {
  noise <- added_noise(x)
  if (!is_noise(noise) || !is.numeric(factor)) return(NULL)
  pick <- function(values) if (length(values) == 1) values else rep_len(values, length(x))[places]
  noise <- new_noise(noise$kind, pick(noise$scale), abs(pick(noise$step) * as.vector(factor)))
  if (all(is.finite(noise$scale)) && all(is.finite(noise$step))) noise
}

# Returns the noise of an operation between a release and a public operand, or NULL if it is not known.
combined_noise <- function(operation, e1, e2, size) {
  first <- is_private_value(e1)
  if (first && is_private_value(e2) || !operation %in% c("+", "-", "*", if (first) "/")) return(NULL)
  x <- if (first) e1 else e2
  other <- if (first) e2 else e1
  if (!length(x) || !length(other)) return(NULL)
  factor <- switch(operation, `*` = other, `/` = 1 / other, 1)
  noise_at(x, rep_len(seq_along(x), size), if (length(factor) == 1) factor else rep_len(factor, size))
}

value_half_width.dptda_private_derived <- function(x, level = 0.95) {
  noise <- x$noise
  scales <- unique(noise$scale)
  half <- noise_half_width(noise$kind, scales, level)[match(noise$scale, scales)]
  rep_len(half * noise$step, length(x))
}

# Returns the noise of values joined by c(), or NULL if it is not known. Constants get noise with step 0.
joined_noise <- function(parts) {
  noises <- lapply(parts, function(x) if (is_private_value(x)) noise_at(x) else new_noise(NULL, 1, 0))
  if (any(vapply(noises, is.null, NA))) return(NULL)
  kind <- unique(unlist(lapply(noises, `[[`, "kind")))
  if (length(kind) != 1) return(NULL)
  each <- function(name) {
    unlist(Map(function(noise, x) rep_len(noise[[name]], length(x)), noises, parts), use.names = FALSE)
  }
  new_noise(kind, each("scale"), each("step"))
}

# ---- groups of functions -------------------------------------------------------------------------------------------

# One method serves all classes of values: R also uses it if the operands have different classes.
#' @export
Ops.dptda_private_value <- function(e1, e2) {
  operation <- get(.Generic, mode = "function")
  if (missing(e2)) {
    return(keep_guarantee(operation(plain_value(e1, "e1")), list(e1), .Generic, if (.Generic != "!") noise_at(e1)))
  }
  result <- operation(plain_value(e1, "e1"), plain_value(e2, "e2"))
  keep_guarantee(result, list(e1, e2), .Generic, combined_noise(.Generic, e1, e2, length(result)))
}

#' @export
Math.dptda_private_value <- function(x, ...) {
  operation <- get(.Generic, mode = "function")
  result <- do.call(operation, c(list(plain_value(x)), lapply(list(...), plain_value)), quote = TRUE)
  keep_guarantee(result, list(x, ...), paste0(.Generic, "()"))
}

#' @export
Summary.dptda_private_value <- function(..., na.rm = FALSE) {
  operation <- get(.Generic, mode = "function")
  result <- do.call(operation, c(lapply(list(...), plain_value), na.rm = na.rm), quote = TRUE)
  keep_guarantee(result, list(...), paste0(.Generic, "()"))
}

# ---- single functions ----------------------------------------------------------------------------------------------

# Applies `f` to plain numbers and to other arguments, which may be text (`method = "radix"`). The noise of the result
# is not known.
processed <- function(f, operation, x, ...) {
  result <- do.call(f, c(list(plain_value(x)), lapply(list(...), plain_value)), quote = TRUE)
  keep_guarantee(result, list(x), operation, places = list(...))
}

#' @export
mean.dptda_private_value <- function(x, ...) processed(mean, "mean()", x, ...)

#' @rawNamespace S3method(stats::median, dptda_private_value)
median.dptda_private_value <- function(x, na.rm = FALSE, ...) {
  processed(stats::median, "median()", x, na.rm = na.rm, ...)
}

#' @rawNamespace S3method(stats::quantile, dptda_private_value)
quantile.dptda_private_value <- function(x, ..., na.rm = FALSE) {
  if (!isTRUE(na.rm) && anyNA(plain_value(x))) {
    stop_argument("x", "must not have missing numbers (the logarithm of a negative number is missing). Use ",
                  "`na.rm = TRUE` to drop them.")
  }
  processed(stats::quantile, "quantile()", x, ..., na.rm = na.rm)
}

#' @export
diff.dptda_private_value <- function(x, ...) processed(diff, "diff()", x, ...)

#' @export
unique.dptda_private_value <- function(x, incomparables = FALSE, ...) {
  processed(unique, "unique()", x, incomparables = incomparables, ...)
}

# Drops the noise: the smallest noisy number leaves its interval more often than a number chosen in advance.
#' @export
sort.dptda_private_value <- function(x, decreasing = FALSE, ...) {
  processed(sort, "sort()", x, decreasing = decreasing, ...)
}

# ---- positions -----------------------------------------------------------------------------------------------------

# Returns the position of each number, with names and dimensions.
place_numbers <- function(plain) {
  structure(seq_along(plain), dim = dim(plain), dimnames = dimnames(plain),
            names = if (is.null(dim(plain))) names(plain))
}

# Applies `f`, which moves or drops numbers. If a release is among its arguments `others`, noise is not known.
moved <- function(f, operation, x, others) {
  plain <- plain_value(x)
  noise <- function() if (!any(vapply(others, is_private_value, NA))) noise_at(x, as.vector(f(place_numbers(plain))))
  keep_guarantee(f(plain), list(x), operation, noise(), places = others, classes = moved_classes(f, x, plain))
}

# Returns the classes of moved numbers: dates remain dates.
moved_classes <- function(f, x, plain) {
  classes <- attr(x, "classes", exact = TRUE)
  if (is.null(classes)) return(NULL)
  place <- as.vector(f(place_numbers(plain)))
  if (length(place) && !anyNA(place)) classes[place]
}

# Returns the indices that are present, such as the first one in `x[1, ]`, without the named `drop` and `exact`.
places_given <- function(...) {
  typed <- eval(substitute(alist(...)))
  given <- !vapply(typed, identical, NA, quote(expr = ))
  if (!is.null(names(typed))) given <- given & !names(typed) %in% c("drop", "exact")
  lapply(which(given), function(i) ...elt(i))
}

# vctrs, and therefore dplyr, combines values only if all attributes are equal, so they come from the same draws.
#' @exportS3Method vctrs::vec_restore
vec_restore.dptda_private_value <- function(x, to, ...) {
  x <- bare_numbers(x)
  if (has_guarantee(to)) keep_guarantee(x, list(to), "vec_restore") else x
}

#' @export
`[.dptda_private_value` <- function(x, ...) moved(function(x) x[...], "[", x, places_given(...))

#' @export
`[[.dptda_private_value` <- function(x, ...) moved(function(x) x[[...]], "[[", x, places_given(...))

#' @export
`[<-.dptda_private_value` <- function(x, ..., value) {
  changed <- plain_value(x)
  changed[...] <- plain_value(value)
  keep_guarantee(changed, list(x, value), "[<-", places = places_given(...))
}

#' @export
`[[<-.dptda_private_value` <- function(x, ..., value) {
  changed <- plain_value(x)
  changed[[...]] <- plain_value(value)
  keep_guarantee(changed, list(x, value), "[[<-", places = places_given(...))
}

#' @export
`names<-.dptda_private_value` <- function(x, value) {
  moved(function(x) `names<-`(x, value), "names<-", x, list(value))
}

#' @export
`dim<-.dptda_private_value` <- function(x, value) {
  moved(function(x) `dim<-`(x, plain_value(value)), "dim<-", x, list(value))
}

#' @export
`dimnames<-.dptda_private_value` <- function(x, value) {
  moved(function(x) `dimnames<-`(x, value), "dimnames<-", x, if (is.object(value)) list(value) else as.list(value))
}

#' @export
`length<-.dptda_private_value` <- function(x, value) {
  moved(function(x) `length<-`(x, plain_value(value)), "length<-", x, list(value))
}

#' @export
rep.dptda_private_value <- function(x, ...) {
  told <- list(...)
  moved(function(x) do.call(rep, c(list(x), lapply(told, plain_value))), "rep()", x, told)
}

#' @export
t.dptda_private_value <- function(x) moved(t, "t()", x, list())

#' @export
c.dptda_private_value <- function(..., recursive = FALSE, use.names = TRUE) {
  parts <- list(...)
  result <- do.call(c, c(lapply(parts, plain_value), recursive = recursive, use.names = use.names), quote = TRUE)
  keep_guarantee(result, unname(parts), "c()", joined_noise(parts))
}

# Returns the plain elements that lapply() uses.
#' @export
as.list.dptda_private_value <- function(x, ...) as.list(plain_value(x), ...)

# ---- printing ------------------------------------------------------------------------------------------------------

derived_title <- function(x) {
  titles <- unique(vapply(attr(x, "sources", exact = TRUE), `[[`, "", "title"))
  paste("post-processed", paste(c(utils::head(titles, 3), if (length(titles) > 3) "..."), collapse = ", "))
}

#' @export
format.dptda_private_derived <- function(x, ...) format.dptda_result(x, ...)

#' @export
print.dptda_private_derived <- function(x, level = 0.95, ...) {
  if (is.null(privacy(x))) return(NextMethod())
  check_value(x)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  print_release(x, if (has_noise(x) && is.null(dim(x))) print_value_table(x, level) else print_numbers(x, ...),
                title = derived_title(x))
}

print_numbers <- function(x, ...) {
  plain <- in_classes(plain_value(x), attr(x, "classes", exact = TRUE))
  if (!is.null(dim(plain))) return(print(plain, ...))
  print(utils::head(plain, 200), ...)
  print_rest(length(plain) - 200)
}

#' @export
as.data.frame.dptda_private_derived <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_value(x)
  if (is.null(dim(x))) return(value_frame(x, 0.95, row.names))
  as.data.frame(plain_value(x), row.names = row.names, optional = optional)
}

#' @rdname private_value
#' @export
summary.dptda_private_value <- function(object, level = 0.95, ...) {
  check_no_dots(...)
  if (is.null(privacy(object))) return(summary(plain_value(object, "object")))
  check_value(object)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  title <- if (inherits(object, "dptda_private_derived")) derived_title(object) else release_title(object)
  new_result(list(title = title, table = summary_table(object, level), level = level, guarantee = privacy(object)),
             "summary.dptda_private_value")
}

define_class("summary.dptda_private_value", "summary()", title = is_one_string, table = is.data.frame,
             level = is_one_number, guarantee = is_made("dptda_guarantee"),
             .valid = function(x) length(x$table$value) == nrow(x$table))

summary_table <- function(x, level) {
  table <- data.frame(value = in_classes(as.vector(plain_value(x)), attr(x, "classes", exact = TRUE)))
  if (!is.null(names(x))) table <- cbind(name = names(x), table)
  if (!has_noise(x)) return(table)
  if (!is.null(added_noise(x))) table$sd <- added_noise_sd(x)
  ends <- unname(confint(x, level = level))
  table$lower <- ends[, 1]
  table$upper <- ends[, 2]
  table
}

#' @export
print.summary.dptda_private_value <- function(x, ...) {
  check_valid(x, "summary.dptda_private_value")
  cat("<", x$title, ">\n", sep = "")
  shown <- utils::head(x$table, 20)
  if (all(c("lower", "upper") %in% names(shown))) {
    class <- value_class(shown$value)
    half <- (as.double(shown$upper) - as.double(shown$lower)) / 2
    beside <- function(values) {
      vapply(seq_along(values), function(i) format_classed(as.double(values[i]), half[i], class), "")
    }
    interval <- paste(beside(shown$lower), "to", beside(shown$upper))
    shown$value <- beside(shown$value)
    shown$lower <- shown$upper <- NULL
    if (!is.null(shown$sd)) shown$sd <- vapply(shown$sd, format, "", digits = 3)
    names(shown)[names(shown) == "sd"] <- "noise sd"
    shown[[paste0("interval (", format_percent(x$level), ")")]] <- interval
  }
  print(shown, row.names = FALSE)
  print_rest(nrow(x$table) - nrow(shown))
  print(x$guarantee)
  invisible(x)
}

#' @export
as.data.frame.summary.dptda_private_value <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  check_valid(x, "summary.dptda_private_value")
  as.data.frame(x$table, row.names = row.names, optional = optional)
}
