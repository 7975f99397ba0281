# Checks arguments. Each check returns its argument, in the type of the kernels, or
# raises `dptda_error_argument`. `arg` is the name as the user typed it.
# Use `describe()` only on public arguments, never on data.

# Optional arguments follow `...` and must be named: a typing error in a name
# must be an error, not a default.
check_no_dots <- function(...) {
  frame <- sys.parent()
  refuse_partial(frame)
  # without evaluating the values, which may be data
  names <- setdiff(names(match.call(expand.dots = FALSE)$...), "")
  registered$refuse_call(frame, names)
  if (...length() == 0) return(invisible())
  # one argument of as.data.frame() is not for users
  known <- setdiff(if (frame > 0) names(formals(sys.function(frame))), "stringsAsFactors")
  if (length(names)) {
    others <- setdiff(known, "...")
    stop_argument("...", "must be empty, because there is no argument ", paste0("`", names, "`", collapse = ", "),
                  if (length(others) > 1) c(". The arguments are ", quote_names(others, 20)), ".")
  }
  after <- known[seq_along(known) > match("...", known, length(known))]
  stop_argument("...", "must be empty, because later arguments must be named",
                if (length(after)) c(": ", quote_names(after, 20)), ".")
}

# Refuses abbreviated names. R completes the names of arguments before `...`: `eps` would be
# `epsilon`, and a typing error that begins another name would select that argument.
refuse_partial <- function(frame) {
  if (frame == 0) return(invisible())
  known <- names(formals(sys.function(frame)))
  for (name in setdiff(typed_names(frame), c("", known))) {
    meant <- known[startsWith(known, name) & seq_along(known) < match("...", known, 0)]
    if (length(meant)) stop_argument(name, "is not an argument. Write names in full, as in `", meant[1], "`.")
  }
}

# The names in the call of a frame as typed. If it passes on `...`, includes the names in its
# caller's call. Nothing is evaluated.
typed_names <- function(frame) {
  given <- as.list(sys.call(frame))[-1]
  handed_on <- vapply(given, identical, NA, quote(...))
  dots <- if (any(handed_on)) as.list(substitute(alist(...), sys.frame(sys.parents()[frame])))[-1]
  as.character(c(names(given)[!handed_on], names(dots)))
}

# The same for as.data.frame(), to which data.frame() passes an argument that is irrelevant here.
check_frame_dots <- function(..., stringsAsFactors) check_no_dots(...)

# `hint`: the meaning of the argument, and how to get it.
stop_missing <- function(arg, hint = NULL) {
  stop_argument(arg, "must be given", if (!is.null(hint)) c(": ", hint), ".")
}

check_number <- function(x, lower = -Inf, upper = Inf, arg = deparse1(substitute(x)),
                         open_lower = FALSE, open_upper = FALSE, finite = TRUE) {
  if (missing(x)) stop_missing(arg)
  good <- is_plain_numeric(x) && is.null(dim(x)) && length(x) == 1 && !is.na(x) &&
    (!finite || is.finite(x)) &&
    (if (open_lower) x > lower else x >= lower) &&
    (if (open_upper) x < upper else x <= upper)
  if (!good) {
    stop_argument(arg, "must be one ", if (finite) "finite ", "number",
                  range_words(lower, upper, open_lower, open_upper), ", not ", describe(x), ".")
  }
  as.double(x)
}

range_words <- function(lower, upper, open_lower, open_upper) {
  above <- if (is.finite(lower)) paste(if (open_lower) "above" else "at least", format(lower))
  below <- if (is.finite(upper)) paste(if (open_upper) "below" else "at most", format(upper))
  words <- paste(c(above, below), collapse = " and ")
  if (nzchar(words)) paste0(" ", words) else ""
}

# An integer, returned as a double: counts may exceed R's integer range.
check_count <- function(x, lower = 0, upper = 2^52, arg = deparse1(substitute(x))) {
  if (missing(x)) stop_missing(arg)
  good <- is_plain_numeric(x) && is.null(dim(x)) && length(x) == 1 && !is.na(x) &&
    x == floor(x) && x >= lower && x <= upper
  if (!good) {
    # the largest possible count is shown only if it is exceeded
    large <- is_plain_numeric(x) && length(x) == 1 && !is.na(x) && x > upper
    stop_argument(arg, "must be one integer",
                  range_words(lower, if (upper < 2^52 || large) upper else Inf, FALSE, FALSE), ", not ", describe(x),
                  ".")
  }
  as.double(x)
}

check_flag <- function(x, arg = deparse1(substitute(x))) {
  if (!(is.logical(x) && length(x) == 1 && !is.na(x))) {
    stop_argument(arg, "must be TRUE or FALSE, not ", describe(x), ".")
  }
  as.vector(x)
}

# One of the given words. The vector of all words (an untouched default)
# means the first.
check_choice <- function(x, choices, arg = deparse1(substitute(x))) {
  if (identical(x, choices)) return(choices[1])
  # the word itself, regardless of its class
  plain <- unclass(x)
  if (!is.character(plain) || !isTRUE(plain %in% choices)) plain <- any_case(plain, choices)
  if (!(is.character(plain) && length(plain) == 1 && plain %in% choices)) {
    stop_argument(arg, "must be one of ", paste0("\"", choices, "\"", collapse = ", "), ", not ", describe(x), ".")
  }
  choices[match(plain, choices)]
}

# The choice that matches regardless of case. Otherwise `x` unchanged.
any_case <- function(x, choices) {
  if (!is_one_string(x) || x %in% choices || !validEnc(x)) return(x)
  meant <- match(tolower(x), tolower(choices))
  if (is.na(meant)) x else choices[meant]
}

check_class <- function(x, class, maker, arg = deparse1(substitute(x))) {
  force(arg)
  if (missing(x)) stop_missing(arg)
  if (!inherits(x, class)) {
    stop_argument(arg, "must be made by ", maker, ", not ", describe(x), ".")
  }
  check_valid(x, class, arg)
}

# Points as the rows of a double matrix. Data frames are accepted where
# matrices are. A missing value is an error, raised before anything is drawn,
# for the curator's eyes; infinite values pass, they are clamped later.
# `box`: the public box of the rows, with one side for each column, matched
# by name if both have names. `columns`: the required number of columns (NULL: any).
# This function alone names the columns: the result has the names of the box,
# or otherwise the names of the data, if these are distinct.
check_points <- function(x, columns = length(box$lower), arg = deparse1(substitute(x)), min_rows = 1, box = NULL,
                         advice = NULL) {
  force(arg) # once X is assigned to, substitute() would give the data
  if (missing(x)) stop_missing(arg)
  if (!is.null(box)) refuse_scaled(x, arg, if (has_columns(names(x), box$columns)) box$columns)
  # absent columns are reported before columns of other types
  if (is.data.frame(x) && !is.null(box$columns) && are_names(names(x)) && !all(box$columns %in% names(x))) {
    stop_argument(arg, "has no column ", quote_names(setdiff(box$columns, names(x))), ", which the box names. Its ",
                  "columns are ", quote_names(names(x)), ".")
  }
  if (is.data.frame(x) && has_columns(names(x), box$columns)) {
    refuse_groups(x, arg) # of columns that are left out, too
    x <- x[box$columns]
  }
  if (is.matrix(x) && has_columns(colnames(x), box$columns)) x <- x[, box$columns, drop = FALSE]
  x <- plain_matrix(x, identical(as.integer(columns), 1L), arg, box$columns, box)
  if (!is.null(box)) x <- match_columns(x, box$columns, arg)
  if (length(columns) && columns > 0 && ncol(x) != columns) {
    stop_argument(arg, "must have ", columns, " column", if (columns != 1) "s", ", one for each side of the box, not ",
                  ncol(x), if (!is.null(colnames(x))) c(" (", quote_names(colnames(x)), ")"),
                  if (ncol(x) > columns) c(". ", extra_columns_words(x, box)) else ".")
  }
  if (nrow(x) < min_rows) stop_argument(arg, "must have at least ", min_rows, " row", if (min_rows != 1) "s", ".")
  if (!is.double(x)) storage.mode(x) <- "double"
  if (anyNA(x)) {
    # for the curator only: columns are searched only now
    found <- if (are_names(colnames(x))) colnames(x)[colSums(is.na(x)) > 0][1]
    stop_argument(paste(c(arg, found), collapse = "$"), "must not contain missing values", advice, ".")
  }
  names <- if (!is.null(box$columns)) box$columns else if (are_names(colnames(x))) colnames(x)
  wanted <- if (!is.null(names)) list(NULL, names)
  # each assignment is a copy of all rows
  if (!identical(dimnames(x), wanted)) dimnames(x) <- wanted
  x
}

# Remedies if there are more columns than sides.
extra_columns_words <- function(x, box) {
  if (length(box$lower) != 1) return("Leave the others out.")
  ends <- if (is.null(box$classes)) format(c(box$lower, box$upper), digits = 4, trim = TRUE) else c("lower", "upper")
  each <- paste0("domain_box(rep(", ends[1], ", ", ncol(x), "), rep(", ends[2], ", ", ncol(x), "))")
  if (!are_names(colnames(x)) || !is.null(box$columns)) return(c("For one side per column, write ", each, "."))
  named <- paste0("list(", show_name(colnames(x)[1]), " = c(", ends[1], ", ", ends[2], "))")
  c("For one of the columns, write ", named, ". For one side per column, write ", each, ".")
}

# Refuses rows of a database, if each point is used many times.
refuse_database <- function(x, arg, advice = NULL) {
  if (!inherits(x, c("tbl_lazy", "dptda_database_rows"))) return(invisible())
  stop_argument(arg, "must be rows in memory here, not in a database", advice, ".")
}

# `line`: whether a vector is one column. `names`: the public names of the columns, if any.
# `box`: columns must have the class of its sides, such as dates. Without classes they are numbers.
plain_matrix <- function(x, line, arg, names = NULL, box = NULL) {
  refuse_database(x, arg)
  x <- dense_matrix(x, arg)
  if (is.data.frame(x)) {
    refuse_groups(x, arg)
    check_side_classes(x, box, arg)
    x <- number_columns(x, box)
    check_plain_columns(x, arg, names)
    x <- as.matrix(x)
    if (nrow(x) == 0) storage.mode(x) <- "double" # without rows it is logical
  }
  if (is.matrix(x) && is.logical(x) && !is.object(x)) storage.mode(x) <- "double"
  if (line && is.atomic(x) && is.null(dim(x)) && !is.null(x)) {
    check_side_classes(list(x), box, arg)
    class <- side_class(1, box)
    if (holds_class(x, class)) x <- class_numbers(x, class)
    if (is_plain_numeric(x)) x <- one_column(x)
  }
  if (!is.matrix(x) || !is_plain_numeric(x)) {
    stop_argument(arg, "must be a numeric ", if (line) "vector, matrix, or" else "matrix or",
                  " data frame with one row per point, not ", describe_data(x), if (is.object(x)) class_hint(x),
                  rows_hint(x), ".")
  }
  x
}

# Whether a table has the columns that a box names, each once, and more columns. It is then used by these names.
has_columns <- function(names, columns) {
  !is.null(columns) && length(names) > length(columns) && identical(sum(names %in% columns), length(columns)) &&
    all(columns %in% names)
}

# The columns of X in the order of `columns`, the names of the sides of the box
# (or of `owner`), if both have names. Otherwise, in their own order.
match_columns <- function(x, columns, arg, owner = "the box") {
  if (is.null(colnames(x)) || is.null(columns)) return(x)
  x[, match_names(colnames(x), columns, arg, paste("the columns that", owner, "names")), drop = FALSE]
}

# The positions of `columns` in `names`. `wanted`: words for the required names.
match_names <- function(names, columns, arg, wanted) {
  if (!are_names(names) || length(names) != length(columns) || !setequal(names, columns)) {
    absent <- setdiff(columns, names)
    extra <- setdiff(names, columns)
    stop_argument(arg, "must have ", wanted, ", ", paste0("`", columns, "`", collapse = ", "),
                  ", each once and no others", if (length(absent)) c(". Missing: ", quote_names(absent)),
                  if (length(extra)) c(". Not needed: ", quote_names(extra)), ".")
  }
  match(columns, names)
}

# Sets dimensions without copying the numbers, as matrix() would.
one_column <- function(x) {
  if (!is.null(attributes(x))) return(matrix(x, ncol = 1))
  dim(x) <- c(length(x), 1L)
  x
}

# Advice for numbers with a class whose unit or origin would be lost. The curator decides.
number_hint <- function(x) {
  if (inherits(x, "difftime")) return(". Use as.numeric() to get its numbers, in public `units`")
  if (inherits(x, c("Date", "POSIXct", "integer64")) || is_released_number(x)) ". Use as.numeric() to get its numbers"
}

# Advice for columns of a class.
class_hint <- function(x) {
  if (is.factor(x) || is.data.frame(x) || inherits(x, "dptda_unseen")) return(NULL)
  if (is_released_number(x)) return(number_hint(x))
  if (inherits(x, "table")) {
    return(paste(". It has counts already, and releases count rows. Make rows of it: x <- as.data.frame(x), then",
                 "x <- x[rep(seq_len(nrow(x)), x$Freq), ]"))
  }
  if (inherits(x, c("survey.design", "svyrep.design"))) {
    return(". Releases do not use the weights and strata of a survey. Its rows are x$variables, each of weight one")
  }
  type_remedy(object_type(x))
}

# Advice for data that are not numbers.
rows_hint <- function(x) {
  if (is.data.frame(x)) return(NULL)
  if (is.character(x) && is.matrix(x)) {
    return(". as.matrix() converts a table with text to text. Select the numeric columns first")
  }
  if (is.factor(x)) return(registered$counts_categories)
  if (is.character(x)) return(". Use as.numeric() to convert text to numbers")
  if (is.null(x)) return(". The operator `$` returns NULL for a column that does not exist")
}

# Requires one number per row in each column of a data frame. as.matrix() would turn a matrix
# column into several columns, or none.
check_plain_columns <- function(X, arg, names = NULL) {
  refuse_groups(X, arg)
  plain <- vapply(X, function(x) is_plain_numeric(x) && length(dim(x)) < 2 && length(x) == nrow(X), NA)
  if (all(plain)) return(invisible())
  known <- names(X)
  first <- which(!plain)[1]
  column <- .subset2(X, first)
  # the columns of the box if they are numeric, otherwise all numeric columns
  wanted <- if (is.null(names) || !all(names %in% known[plain])) known[plain] else names
  way_out <- if (length(wanted) && length(wanted) <= 12) {
    paste0(". Without it, use ", arg, "[, c(", paste0(encodeString(wanted, quote = "\""), collapse = ", "), ")]")
  }
  stop_argument(arg, "must have numeric columns only, with one number per row: column `", known[first], "` is ",
                describe_column(column),
                if (length(dim(column)) < 2) c(if (is.object(column)) class_hint(column), rows_hint(column)),
                way_out, ".")
}

# Converts each string separately to one form for comparison, and to NA if it is not valid
# text. R raises an error when it compares some of these with some
# others: a single row would then decide whether a release fails.
canonical_strings <- function(x) {
  text <- Encoding(x) != "bytes" & validEnc(x)
  if (all(text)) return(enc2utf8(x))
  replace(rep(NA_character_, length(x)), text, enc2utf8(x[text]))
}

# Whether names distinguish all columns.
are_names <- function(names) {
  names <- canonical_strings(as.character(names))
  length(names) > 0 && !anyNA(names) && all(nzchar(names)) && !anyDuplicated(names)
}

# Refuses groups that nothing uses: the result would be about all rows together, which is not what the user of
# group_by() expects.
refuse_groups <- function(x, arg, grouped = inherits(x, c("grouped_df", "rowwise_df"))) {
  if (!grouped) return(invisible())
  stop_argument(arg,
                "must not be grouped by dplyr::group_by() or dplyr::rowwise(), because groups are not used here, and ",
                "all rows are taken together. Remove the groups with dplyr::ungroup().")
}

# Refuses rows that were centered or scaled by numbers computed from all of them: one
# row moves the others, so the sensitivity of any result is unknown.
# scale() leaves its attributes on a matrix or on a column of a data frame.
# `columns`: the used columns of a data frame, or NULL for all.
refuse_scaled <- function(x, arg = deparse1(substitute(x)), columns = NULL) {
  force(arg)
  if (is.data.frame(x) && are_names(names(x))) {
    for (name in intersect(names(x), if (is.character(columns)) columns else names(x))) {
      refuse_scaled(.subset2(x, name), paste0(arg, "$", name))
    }
    if (!is_scaled(x, 0)) return(invisible())
  }
  if (!is_scaled(x)) return(invisible())
  stop_argument(arg, "must not be centered or scaled by its own rows, but it has the attributes that scale() leaves. ",
                "One row would then change all others, and no guarantee would hold. Pass the original rows, or use ",
                "domain_rescale(), which needs only a public box. If each row was scaled separately, or by public ",
                "numbers, remove the attributes.")
}

# Searches lists: columns of a data frame, points, factors of nested products. An object with its own class may return
# more objects of that class as its elements, and is refused elsewhere.
is_scaled <- function(x, depth = 4) {
  if (!is.null(attr(x, "scaled:center", exact = TRUE)) || !is.null(attr(x, "scaled:scale", exact = TRUE))) return(TRUE)
  if (depth == 0 || !is.list(x) || (is.object(x) && !is.data.frame(x))) return(FALSE)
  for (i in which(vapply(unclass(x), function(part) is.list(part) || !is.null(attributes(part)), NA))) {
    if (is_scaled(.subset2(x, i), depth - 1)) return(TRUE)
  }
  FALSE
}

# Checks the field that `$` requests.
check_field <- function(name, fields) {
  if (!name %in% fields) stop_field(name, fields)
  name
}
