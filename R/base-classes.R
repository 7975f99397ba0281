# Defines the fields of the objects of this package. Users can change an object,
# or make one by hand with a class and no content. Functions that receive an
# object check it here before reading it, so that they fail with a classed error
# and not with R's error about a missing field.
#
# The classes are defined while the package is built, each beside its
# constructor: this file must come first in the alphabet.

# Builds a result: its own classes, then the class of all results, then R's classes (`also`: "data.frame", "hclust").
# Shared methods are in base-fields.R, privacy-verbs.R, and privacy-verbs-arithmetic.R. `...`: further
# attributes.
new_result <- function(fields, class, ..., also = NULL) structure(fields, ..., class = c(class, "dptda_result", also))

known_classes <- new.env(parent = emptyenv())
known_fields <- new.env(parent = emptyenv())

# Declares a class: the function that makes its objects, and a check of each
# field, a function that returns TRUE or FALSE. The check of an optional field
# accepts NULL. `.valid`: check of all fields together; `.bare`: check of the
# object without its class.
define_class <- function(class, maker, ..., .valid = function(x) TRUE,
                         .bare = function(x) is.list(x) || is.environment(x)) {
  fields <- list(...)
  known_classes[[class]] <- list(maker = maker, fields = fields, whole = .valid, bare = .bare)
  known_fields[[class]] <- names(fields)
}

# Classes of releases: the part of an object that was drawn, and a test whether such a part is a released one.
# privacy() runs the test before it accepts a guarantee. Keyed by the name of the class, as above.
release_kinds <- new.env(parent = emptyenv())

# -0 differs from 0, and a missing value has many bit patterns.
same_bits <- function(part, released) identical(part, released, num.eq = FALSE, single.NA = FALSE)

# `attributes`: names that an object of the class may have beside its marks, if `part` does not compare all attributes.
define_release <- function(class, part, holds = same_bits, attributes = NULL) {
  release_kinds[[class]] <- list(part = part, holds = holds, attributes = attributes)
}

# Values that families up to `privacy` take from families above, each registered beside its definition: words of
# messages that name a release, and `refuse_call`, a function that refuses more calls (privacy-calls.R).
registered <- new.env(parent = emptyenv())

register <- function(...) list2env(list(...), registered)

# Attributes that releases carry beside their content. Others, unless expected of the class, were added.
release_marks <- c("class", "privacy", "released")

own_attributes_of <- function(x) {
  own <- attributes(x)
  own[!names(own) %in% release_marks]
}

# Checks that row names are row numbers, not text.
are_row_numbers <- function(x) {
  names <- attr(x, "row.names", exact = TRUE)
  is.integer(names) && is.null(attributes(names))
}

# Checks for numbers without a class. A class may give the bits of a double another
# meaning (64-bit integers are read as denormals without their class) or another
# unit (days, seconds). Unsupported classes are refused in this function
# only.
is_plain_numeric <- function(x) is.numeric(x) && !is.object(x)

is_numbers <- function(x) is_plain_numeric(x) && !anyNA(x)
is_one_number <- function(x) is_plain_numeric(x) && length(x) == 1 && !is.na(x)
is_number_or_na <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1
is_row_count <- function(x) is_one_number(x) && is.finite(x) && x >= 1
are_sizes <- function(x) is.integer(x) && length(x) > 0 && !anyNA(x) && all(x > 0)
is_one_string <- function(x) is.character(x) && length(x) == 1 && !is.na(x)
is_one_flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)
is_number_matrix <- function(x) is_numbers(x) && is.matrix(x)
is_made <- function(class) function(x) inherits(x, class) && is_valid(x, class)
is_null_or <- function(good) function(x) is.null(x) || good(x)

# Whether an object is valid. If a check fails with an error, the object is damaged.
is_valid <- function(x, class) {
  known <- known_classes[[class]]
  field_holds <- function(name) isTRUE(known$fields[[name]](.subset2(x, name)))
  value_or(known$bare(x) && all(vapply(names(known$fields), field_holds, NA)) && isTRUE(known$whole(x)), FALSE)
}

# For methods: dispatch guarantees that `x` has the class.
check_valid <- function(x, class, arg = deparse1(substitute(x))) {
  if (!is.null(known_classes[[class]]) && !is_valid(x, class)) {
    stop_argument(arg, "must be as ", known_classes[[class]]$maker, " made it, but a part of it is missing or was ",
                  "changed.")
  }
  x
}

# Checks an object by the first of its classes with declared fields.
check_result <- function(x, arg = "x") {
  known <- intersect(class(x), names(known_classes))
  if (length(known) == 0) stop_argument(arg, "must be as a function of this package made it.")
  check_valid(x, known[1], arg)
}

# Returns the name of an object for print and pictures, such as "private mean".
release_title <- function(x) gsub("_", " ", sub("^dptda_", "", class(x)[1]))
