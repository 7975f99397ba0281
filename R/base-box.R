# The public box that data live in: base, since mechanisms on numbers and on
# shapes both need it. Documented with the grids (dtm-domain.R).

# Sums over the columns of a row in integers of 40 digits are then exact. Releases that need a lower limit have it.
max_box_dimension <- 1024

# `columns`: the names of the sides, or NULL, and then not a field of the box. `classes`: the meaning of the numbers
# (base-dates.R), or NULL for plain numbers.
new_domain_box <- function(lower, upper, columns = NULL, classes = NULL) {
  box <- list(lower = lower, upper = upper)
  box$columns <- columns
  if (!is.null(classes)) box$classes <- known_classes_of(classes)
  new_result(box, "dptda_box")
}

# Kernels that run after a charge rely on this: doubles without dimensions, and sides of positive width.
is_corner <- function(x) {
  is_plain_numeric(x) && is.double(x) && is.null(dim(x)) && length(x) %in% seq_len(max_box_dimension) &&
    all(is.finite(x))
}
define_class("dptda_box", "domain_box()", lower = is_corner, upper = is_corner,
             columns = is_null_or(function(x) is.character(x) && are_names(x)), classes = is_null_or(are_class_names),
             .valid = function(x) {
               length(x$classes) %in% c(0, length(x$lower)) &&
               length(x$lower) == length(x$upper) && length(x$columns) %in% c(0, length(x$lower)) &&
                 all(x$lower < x$upper) && all(is.finite(x$upper - x$lower))
             })

# Refuses an object of a family above that stands for a box that was not found, with the reason.
refuse_no_box <- function(box, arg) UseMethod("refuse_no_box")

refuse_no_box.default <- function(box, arg) invisible()

# A box that rows are moved into. A pair of numbers is a box with one side.
check_box <- function(box, arg = deparse1(substitute(box))) {
  force(arg)
  if (missing(box)) {
    stop_missing(arg, paste0("public bounds of the data, a pair c(lower, upper) or domain_box()", registered$finds_box))
  }
  refuse_no_box(box, arg)
  if (inherits(box, "dptda_box")) return(check_valid(box, "dptda_box", arg))
  if (is.list(box) && !is.object(box)) check_side_count(length(box), arg)
  if (is_list_of_pairs(box)) return(join_sides(box, arg))
  pairs <- pairs_of_names(box)
  if (!is.null(pairs)) return(join_sides(pairs, arg))
  problem <- box_problem(box)
  if (!is.null(problem)) {
    stop_argument(arg, "must be a pair c(lower, upper) of finite numbers, the second above the first, a list of such ",
                  "pairs, or made by domain_box(), not ", problem, if (is_one_string(box)) {
                    c(". To name the column, write list(", show_name(box), " = c(lower, upper))")
                  } else if (is.character(box)) {
                    ". For dates, write as.Date(c(\"2024-01-01\", \"2024-12-31\"))"
                  }, ".")
  }
  ends <- class_numbers(box)
  new_domain_box(ends[1], ends[2], classes = value_class(box))
}

# Variances and covariances are about as large as the squares of the sides, and must be doubles of full precision.
check_squared_box <- function(box, what, arg = "box") {
  box <- check_box(box, arg)
  width <- box$upper - box$lower
  if (any(width < 1e-140 | width > 1e140)) {
    stop_argument(arg, "must have sides between 1e-140 and 1e140: ", what, " are about as large as their squares.")
  }
  box
}

# Whether an object is a list with a pair for each column, like lists of levels and breaks with a vector for each.
is_list_of_pairs <- function(x) {
  is.list(x) && !is.object(x) && length(x) %in% seq_len(max_box_dimension) && all(vapply(x, is_pair, NA))
}

check_side_count <- function(count, arg, most = max_box_dimension, because = NULL) {
  if (count > most) {
    stop_argument(arg, "must have at most ", format_count(most), " sides, not ", format_count(count),
                  if (!is.null(because)) paste0(": ", because), ".")
  }
}

join_sides <- function(box, arg) {
  if (!is.null(names(box)) && !are_names(names(box))) {
    stop_argument(arg, "must have a different name for each side, or no names.")
  }
  labels <- if (is.null(names(box))) paste0("[[", seq_along(box), "]]") else paste0("$", names(box))
  sides <- Map(function(pair, label) check_box(pair, paste0(arg, label)), unname(box), labels)
  end <- function(which) vapply(sides, `[[`, 0, which)
  classes <- vapply(sides, function(side) if (is.null(side$classes)) "number" else side$classes, "")
  new_domain_box(end("lower"), end("upper"), names(box), classes)
}

# Describes why an object is not a pair of bounds. Numbers are not shown, because a user who confuses arguments may have
# passed the data.
box_problem <- function(box) {
  if (!is_pair(box)) return(describe(box))
  if (!are_ends(names(box))) return("a pair with other names than `lower` and `upper`")
  if (!is.null(value_class(box))) box <- class_numbers(box)
  if (anyNA(box)) return("a pair with a missing value")
  if (!all(is.finite(box))) return("a pair with an infinite bound")
  if (!(box[[1]] < box[[2]])) return("a pair whose second number is not above the first")
  if (!is.finite(box[[2]] - box[[1]])) "a pair whose difference is not finite"
}

is_one_end <- function(x) is.null(dim(x)) && length(x) == 1 && is.null(names(x)) && !is.null(value_class(x))

# Checks whether an object is two numbers or dates, which may be bounds. Other names would name two sides.
is_pair <- function(x) is.null(dim(x)) && length(x) == 2 && !is.null(value_class(x))
are_ends <- function(names) is.null(names) || identical(names, c("lower", "upper"))

# Recovers the list that c(age = c(15, 50), height = c(1, 2)) was meant to be. R returns a vector with the names age1,
# age2, height1, height2. Otherwise NULL.
pairs_of_names <- function(box) {
  ends <- names(box)
  size <- length(ends)
  if (!size || size %% 2 || size > 2 * max_box_dimension || !is.null(dim(box))) return(NULL)
  if (is.null(value_class(box))) return(NULL)
  stem <- sub("1$", "", ends[c(TRUE, FALSE)])
  if (!all(nzchar(stem)) || !identical(ends, paste0(rep(stem, each = 2), 1:2))) return(NULL)
  structure(lapply(seq_along(stem), function(i) unname(box[2 * i - 1:0])), names = stem)
}

# The bounds of a box that must have one side.
one_side <- function(box, arg) {
  if (length(box$lower) != 1) {
    stop_argument(arg, "must be a box with one side, such as c(lower, upper), not ", length(box$lower), ".")
  }
  c(box$lower, box$upper)
}

#' @rdname domain
#' @export
domain_box <- function(lower, upper) {
  if (missing(upper) && !missing(lower) &&
      (is_pair(lower) && are_ends(names(lower)) || is_list_of_pairs(lower))) return(check_box(lower))
  # one number or date without a name is the bound of every side
  if (!missing(lower) && !missing(upper)) {
    if (is_one_end(lower)) lower <- rep(lower, max(1, length(upper)))
    else if (is_one_end(upper)) upper <- rep(upper, max(1, length(lower)))
  }
  from <- check_corner(lower, "lower")
  classes <- attr(from, "classes")
  to <- check_corner(upper, "upper", classes)
  if (length(from) != length(to)) {
    stop_argument("upper", "must be as long as `lower` (", length(from), "), not of length ", length(to), ".")
  }
  columns <- names(from)
  if (is.null(columns)) columns <- names(to)
  if (!is.null(names(from)) && !is.null(names(to))) {
    if (!setequal(names(to), columns)) {
      stop_argument("upper", "must have the names of `lower`, ", quote_names(columns), ", or none, not ",
                    quote_names(names(to)), ".")
    }
    attr(to, "classes") <- attr(to, "classes")[match(columns, names(to))]
    to <- structure(to[columns], classes = attr(to, "classes"))
  }
  if (!identical(unname(classes), unname(attr(to, "classes")))) {
    stop_argument("upper", "must have the same class as `lower` on each side: numbers with numbers, dates with dates.")
  }
  from <- as.double(from)
  to <- as.double(to)
  if (!all(from < to)) {
    stop_argument("upper", "must be above `lower` on every side, but side ", which(!(from < to))[1], " has a zero or ",
                  "negative width.")
  }
  if (!all(is.finite(to - from))) {
    stop_argument("upper", "must be close enough to `lower` that their difference is finite.")
  }
  new_domain_box(from, to, columns, unname(classes))
}

# Bounds as doubles, with their names and their meaning, `classes`, in the units of `like` if given.
check_corner <- function(x, arg, like = NULL) {
  if (missing(x)) stop_missing(arg)
  # a vector has one class, so sides of several classes form a list
  parts <- if (is.list(x) && !is.object(x)) x else if (!is.null(value_class(x))) list(x)
  classes <- lapply(parts, value_class)
  if (is.null(dim(x)) && length(parts) > 0) check_side_count(length(x), arg)
  good <- is.null(dim(x)) && length(x) > 0 && length(parts) > 0 &&
    !any(vapply(classes, is.null, NA)) && (length(parts) == 1 || all(lengths(parts) == 1))
  if (!good) {
    stop_argument(arg, "must be a numeric vector of length 1 to ", format_count(max_box_dimension),
                  ", a vector of dates, or a list with one number or date for each side, not ", describe(x), ".")
  }
  names <- names(x)
  classes <- rep_len(unlist(classes), length(x))
  places <- if (is.null(names) || is.null(names(like))) seq_along(classes) else match(names, names(like))
  # a bound in hours beside one in days is converted to days, and a time in another zone is the same time
  wanted <- if (length(like) == length(classes)) unname(like[places]) else classes
  same <- !is.na(wanted) & same_class(wanted, classes)
  classes[same] <- wanted[same]
  x <- if (length(parts) == 1) class_numbers(parts[[1]], classes[1]) else mapply(class_numbers, unname(parts), classes)
  names(x) <- names
  if (!all(is.finite(x))) stop_argument(arg, "must be finite, but side ", which(!is.finite(x))[1], " is not.")
  if (!is.null(names(x)) && !are_names(names(x))) {
    stop_argument(arg, "must have a different name for each side, or no names.")
  }
  structure(as.double(x), names = names(x), classes = structure(classes, names = names))
}

#' @export
print.dptda_box <- function(x, ...) {
  check_valid(x, "dptda_box")
  cat("<", release_title(x), "> ", format_box(x), "\n", sep = "")
  invisible(x)
}

format_box <- function(box) format_sides(box$lower, box$upper, box$columns, box$classes)

format_sides <- function(lower, upper, columns = NULL, classes = NULL) {
  shown <- function(x) {
    if (is.null(classes)) return(vapply(x, format, "", digits = 4))
    mapply(function(number, class) if (class == "number") format(number, digits = 4) else class_labels(number, class),
           x, classes, USE.NAMES = FALSE)
  }
  paste0(if (!is.null(columns)) paste0(columns, " "), "[", shown(lower), ", ", shown(upper), "]", collapse = " x ")
}

# Moves each row to the nearest point of the box, row by row and silently:
# whether a row was outside is private. Infinite coordinates end on the
# boundary.
clamp_to_box <- function(x, box) {
  for (j in seq_along(box$lower)) x[, j] <- pmin(pmax(x[, j], box$lower[j]), box$upper[j])
  x
}

box_diameter <- function(box) euclidean_length(box$upper - box$lower)

# In the order of a plain loop, as the kernels add: sum() may use long doubles,
# and a bound must not fall short of what it bounds by a rounding. The power of
# two keeps squares from overflowing and changes no digit.
euclidean_length <- function(x) {
  if (all(x == 0)) return(0)
  scale <- 2^floor(log2(max(abs(x))))
  scale * sqrt(Reduce(`+`, (x / scale)^2))
}
