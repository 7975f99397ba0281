# What the objects of this package are made of. An object may be changed by
# hand, or made by hand with a class and nothing in it; whoever is given one
# looks here before reading it, so that the answer is an error with a class and
# not whatever R says of a missing field.
#
# The classes are defined while the package is built, each beside its
# constructor: this file must come first in the alphabet.

# Behind its own classes each object has that of all results, and then what R knows it as (`also`: "data.frame",
# "hclust"). Its methods are written once: base-fields.R, privacy-verbs.R, privacy-verbs-arithmetic.R. `...`: further
# attributes.
new_result <- function(fields, class, ..., also = NULL) structure(fields, ..., class = c(class, "dptda_result", also))

known_classes <- new.env(parent = emptyenv())
known_fields <- new.env(parent = emptyenv())

# Says how an object of a class is made, and what must hold of each field: a
# function of the field that is TRUE or FALSE. A field that may be missing has
# a function that takes NULL. `.valid`: what must hold of the fields together;
# `.bare`: what the object is without its class.
define_class <- function(class, maker, ..., .valid = function(x) TRUE,
                         .bare = function(x) is.list(x) || is.environment(x)) {
  fields <- list(...)
  known_classes[[class]] <- list(maker = maker, fields = fields, whole = .valid, bare = .bare)
  known_fields[[class]] <- names(fields)
}

# Of the classes of releases, what of an object was drawn, and when such a part is one of what was
# released: what privacy() asks before it believes a guarantee. Looked up by the name of the class, as above.
release_kinds <- new.env(parent = emptyenv())

# -0 is not 0, and a missing value has many forms.
same_bits <- function(part, released) identical(part, released, num.eq = FALSE, single.NA = FALSE)

# `attributes`: those that an object of the class may have beside its marks, where `part` does not compare them all.
define_release <- function(class, part, holds = same_bits, attributes = NULL) {
  release_kinds[[class]] <- list(part = part, holds = holds, attributes = attributes)
}

# What functions below `privacy` take from families above, each registered beside what knows it: words of messages that
# name a release, and `refuse_call`, a function that refuses more calls (privacy-calls.R).
registered <- new.env(parent = emptyenv())

register <- function(...) list2env(list(...), registered)

# What an object carries beside its content; attributes that are neither these nor known to its class were added.
release_marks <- c("class", "privacy", "released")

own_attributes_of <- function(x) {
  own <- attributes(x)
  own[!names(own) %in% release_marks]
}

# Row names that are numbers of rows, and no text.
are_row_numbers <- function(x) {
  names <- attr(x, "row.names", exact = TRUE)
  is.integer(names) && is.null(attributes(names))
}

# Numbers that are what they seem. A class may give the bits of a double another
# meaning (64-bit integers are read as denormals, once the class is gone) or
# another unit (days, seconds): what is not understood is refused, here and
# nowhere else.
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

# For methods: `x` has the class, or there would be no call.
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

# "private mean": what an object is called in print and in pictures.
release_title <- function(x) gsub("_", " ", sub("^dptda_", "", class(x)[1]))
