# The guarantee object, with its neighboring relation, cost, and caveats.

#' Privacy guarantee of a release
#'
#' `privacy()` reads the differential privacy guarantee of a result: what is protected (unit and neighboring relation),
#' how strongly (measure), by which mechanism, and what remains outside the proof. Every private result of this package
#' carries one. `vignette("privacy-model", package = "dptda")` explains how to read it.
#'
#' The unit is one row of a table, one edge of a graph, or one person with all of that person's rows, if you passed
#' `person = ` to [table_rows()]. A guarantee for one person names the column that identifies people, because patients
#' and doctors are different units. The unit is also one person if one row of each person was drawn
#' (`rows_of_person = "one"`). Guarantees for different units, or for different kinds of people, are never added up.
#'
#' @param x An object: a release, such as the result of [private_diagram()].
#' @param ... Not used.
#'
#' @return `privacy()` returns an object of class `dptda_guarantee`, or `NULL` if `x` carries no guarantee. Its fields:
#'
#'   * `unit`, `relation`, and `person`: the protected unit, the neighboring relation, and the name of a person, such as
#'     `"patient"` (`NULL` for rows and edges).
#'   * `measure`: named numbers. `epsilon`, perhaps with `delta`; `rho`; `mu` for Gaussian differential privacy; or
#'     `renyi`, the Renyi divergence of order two.
#'   * `sensitivity`, `mechanism`, and `public` (a list of the public parameters).
#'   * `sampler`: `"exact"`, or `"not known"` if the guarantee was declared and not released by this package.
#'   * `random`: `"os"`, `"R"`, or `"unknown"`.
#'   * `inexact`: the parts that still use floating point.
#'   * `bounded_range`: `TRUE` for exponential mechanisms with the factor 2.
#'   * `renyi`: `NULL`, or a list of the orders `alpha` and the divergences `epsilon`.
#'   * `ledger`: a data frame with the columns `step`, `measure`, and `value`, and one row for each number of the
#'     measure in each step. The ledger adds up to the measure (for `mu`, the squares do).
#'   * `steps` and `parts`: internal input of conversions, which may change.
#'
#'   `format()` returns the three lines that `print()` shows. `summary()` returns its argument.
#' @examples
#' circle <- cbind(cos(1:300), sin(1:300))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
#' release <- private_diagram(circle, grid, epsilon = 1, m0 = 0.1)
#' privacy(release)
#' privacy(release)$ledger
#' @export
privacy <- function(x) {
  if (missing(x)) stop_missing("x")
  guarantee <- attr(x, "privacy", exact = TRUE)
  if (!is.null(guarantee) && is_released(x, attr(x, "released", exact = TRUE))) guarantee
}

# Refuses a release that was changed: its guarantee is lost, so anything made from it would seem to cost nothing.
refuse_changed <- function(x, arg) {
  if (is.null(attr(x, "privacy", exact = TRUE)) || !is.null(privacy(x))) return(invisible(x))
  stop_argument(arg,
                "was changed after its release, so its guarantee is lost and its cost would not be counted. Use ",
                "the unchanged release, or make landmarks from it again.")
}

# Stores a guarantee together with the released values. Functions copy attributes to other data, so privacy() returns
# the guarantee only if the values are still the same.
attach_guarantee <- function(x, guarantee) {
  attr(x, "released") <- released_part(x)
  attr(x, "privacy") <- guarantee
  x
}

# Returns the released part of an object, for a comparison bit by bit. Dispatches no methods, because users can write
# their own, and must not fail for any `x`.
released_part <- function(x) known_release(x)$part(x)

is_released <- function(x, released) {
  kind <- known_release(x)
  known <- is.null(kind$attributes) || all(names(own_attributes_of(x)) %in% kind$attributes)
  known && kind$holds(kind$part(x), released)
}

# The default: a release is all fields and attributes of a list.
plain_release <- list(part = function(x) {
  fields <- unclass(x)
  attributes(fields) <- own_attributes_of(x)
  fields
}, holds = same_bits)

known_release <- function(x) {
  known <- intersect(class(x), names(release_kinds))
  if (length(known)) release_kinds[[known[1]]] else plain_release
}

# The neighboring relations: two for tables, one for people with several rows, and one for graphs. A guarantee under one
# relation implies nothing under another, so they never add up. The same holds for different `person`, such as patients
# and doctors.
relation_replace <- "replace one row, n public"
relation_add_remove <- "add or remove one row"
relation_person <- "replace one person, number of people public"
relation_edge <- "add or remove one edge, vertices public"
relations <- c(replace = relation_replace, add_remove = relation_add_remove, person = relation_person,
               edge = relation_edge)

# Returns the unit that a guarantee under this relation protects.
relation_unit <- function(relation) {
  units <- c("one person", "one edge")[match(relation, c(relation_person, relation_edge))]
  if (is.na(units)) "one row" else units
}

# `measure`: named numbers, in one of the forms
#   epsilon | epsilon, delta | rho | mu | renyi
# Here `renyi` is the divergence of order two. The argument `renyi` is the whole curve, a list of `alpha` and
# `epsilon`. `bounded_range`: an exponential mechanism that keeps its factor 2, or `times` independent ones with equal
# shares of `measure`. `spent`: the measure for all computations, if a different one was declared. `sampler`: "exact" if
# stated by a release of this package. `steps`: replaces the arguments for one step if there are several. `person`: the
# name of people (base-people.R), because patients and doctors are different units.
new_guarantee <- function(measure, sensitivity, mechanism, public, sampler = "not known", random = "os",
                          inexact = character(), step = mechanism, person = NULL,
                          relation = if (is.null(person)) relation_replace else relation_person,
                          unit = relation_unit(relation), bounded_range = FALSE, renyi = NULL, times = 1,
                          spent = measure,
                          steps = list(new_step(step, measure, bounded_range, renyi, times, spent))) {
  fields <- c(list(unit = unit, relation = relation), if (!is.null(person)) list(person = person),
              list(sensitivity = sensitivity, mechanism = mechanism, public = public, sampler = sampler,
                   random = random, inexact = inexact))
  assemble_guarantee(steps, fields)
}

# Builds one entry of a ledger. Its parts contain everything known about it, beyond its measure.
new_step <- function(step, measure, bounded_range = FALSE, renyi = NULL, times = 1, spent = measure) {
  list(step = step, measure = measure, parts = measure_parts(spent, bounded_range, renyi, times))
}

# Computes everything that follows from the steps: measure, ledger, curve.
assemble_guarantee <- function(steps, fields) {
  kind <- join_kinds(steps)
  ledger <- steps_ledger(steps, kind)
  parts <- add_parts(lapply(steps, `[[`, "parts"))
  fields$public <- as.list(fields$public)
  new_result(
    c(fields, list(measure = ledger_total(ledger, kind), ledger = ledger,
                   bounded_range = length(parts$range) > 0 &&
                     identical(parts, replace(no_parts, "range", parts["range"])),
                   renyi = parts$renyi, parts = parts, steps = steps)),
    "dptda_guarantee"
  )
}

# `parts` must be composed of the parts of the steps, because everything is computed from it. `person` exists only for
# people.
define_class(
  "dptda_guarantee", "privacy() or privacy_declare()", unit = is_one_string, relation = is_one_string,
  person = is_null_or(is_one_string), sensitivity = function(x) is_plain_numeric(x), mechanism = is_one_string,
  public = is.list, sampler = is_one_string,
  random = function(x) is_one_string(x) && x %in% c("os", "R", "unknown"), inexact = is_null_or(is.character),
  measure = function(x) is_measure(x), steps = function(x) is.list(x) && length(x) > 0 && all(vapply(x, is_step, NA)),
  .valid = function(x) {
    identical(x$parts, add_parts(lapply(x$steps, `[[`, "parts"))) &&
      is.null(.subset2(x, "person")) == (x$relation != relation_person)
  }
)

# Returns the fields in `names` that a guarantee has. Only guarantees for people have `person`.
fields_of <- function(guarantee, names) {
  guarantee <- unclass(guarantee)
  guarantee[names[names %in% names(guarantee)]]
}

unit_fields <- c("unit", "relation", "person")
plain_fields <- c(unit_fields, "sensitivity", "mechanism", "public", "sampler", "random", "inexact")

is_measure <- function(x) {
  known <- c("epsilon", "delta", "rho", "mu", "renyi")
  is_numbers(x) && length(x) > 0 && !is.null(names(x)) && all(names(x) %in% known) && all(x >= 0)
}

is_step <- function(x) is.list(x) && is_one_string(x$step) && is_measure(x$measure) && is_parts(x$parts)

is_parts <- function(x) {
  numbers <- c("pure", "range", "leak", "leak_epsilon", "mu", "rho")
  plain <- function(value) is.numeric(value) && !is.object(value) && !anyNA(value) && all(value >= 0)
  is.list(x) && all(vapply(unclass(x)[numbers], plain, NA)) && is_one_number(x$mu) && is_one_number(x$rho) &&
    length(x$leak) == length(x$leak_epsilon) && (is.null(x$renyi) || is_curve(x$renyi))
}

is_curve <- function(x) {
  is.list(x) && is.numeric(x$alpha) && is.numeric(x$epsilon) && length(x$alpha) == length(x$epsilon) &&
    !anyNA(x$alpha) && all(x$alpha > 1) && !is.unsorted(x$alpha, strictly = TRUE) && !anyNA(x$epsilon) &&
    all(x$epsilon >= 0) && is_sample(x$poisson) && is_sample(x$batches)
}

# Returns the names of the measure for all steps together: their own measure if they share it, otherwise the strongest
# measure that all steps have.
join_kinds <- function(steps) {
  kinds <- lapply(steps, function(step) names(step$measure))
  base <- unique(vapply(kinds, `[`, "", 1))
  if (length(base) > 1) base <- if (any(vapply(steps, function(step) has_curve(step$parts), NA))) "renyi" else "rho"
  leaks <- any(vapply(kinds, function(kind) "delta" %in% kind, NA))
  if (leaks) c(if (base == "mu") "rho" else base, "delta") else base
}

step_value <- function(step, name, kind) {
  measured <- names(step$measure)
  if (name %in% measured && measured[1] == kind[1]) return(step$measure[[name]])
  switch(name, rho = parts_rho(step$parts), mu = parts_mu(step$parts), renyi = parts_renyi(step$parts, 1),
         delta = parts_leak(step$parts))
}

steps_ledger <- function(steps, kind) {
  values <- lapply(steps, function(step) vapply(kind, function(name) step_value(step, name, kind), 0))
  data.frame(step = rep(vapply(steps, `[[`, "", "step"), each = length(kind)), measure = rep(kind, length(steps)),
             value = unlist(values, use.names = FALSE))
}

# Adds up each measure of a ledger. Values of mu are combined by the root of the sum of squares.
ledger_total <- function(ledger, kind) {
  vapply(kind, function(name) {
    values <- ledger$value[ledger$measure == name]
    if (length(values) == 1) values else if (name == "mu") root_sum(values) else sum(sort.int(values))
  }, 0)
}

#' @rdname privacy
#' @export
format.dptda_guarantee <- function(x, ...) {
  check_valid(x, "dptda_guarantee")
  c(
    paste(guarantee_words(x), collapse = " "),
    paste0(x$mechanism, if (!anyNA(x$sensitivity)) paste0(", sensitivity ", format_numbers(x$sensitivity)),
           ", sampler: ", x$sampler),
    if (identical(x$public$rows_of_person, "one")) {
      "one row of each person is drawn first: the stated noise excludes the error of this draw"
    },
    paste0("randomness: ", c(os = "operating system", R = "R's stream", unknown = "not known")[[x$random]],
           if (length(x$inexact)) paste0("; computed in floating point: ", paste(x$inexact, collapse = ", ")))
  )
}

# Returns the words of the first line. The name of people and the warning for a seeded release are one word each,
# because lines are not broken within words.
guarantee_words <- function(x) {
  words <- function(...) strsplit(paste0(...), " ", fixed = TRUE)[[1]]
  # a row may be what one person has, such as "one diagram"
  row <- x$public$row
  c(words(format_measure(x$measure), " for ", if (is_one_string(row)) "one person" else x$unit),
    if (is.null(x$person)) words("(", if (is_one_string(row)) paste0(row, "; "), x$relation, ")") else
      c(words("(all rows with the same"), paste0(quote_person(x$person), ";"), words(x$relation, ")")),
    caveat_words(x))
}

caveat_words <- function(x) {
  c(if (x$random == "R") "-- SEEDED: NOT PRIVATE",
    if (is_one_string(x$public$caveat)) strsplit(paste("--", x$public$caveat), " ", fixed = TRUE)[[1]])
}

# Quotes the name of people for display. The name comes from the user's table and may contain anything, so this removes
# line breaks and marks that change the writing direction, escapes quotes, and shortens long names.
quote_person <- function(person, quote = "`") {
  shown <- gsub("[\\p{Cf}\\p{Zl}\\p{Zp}]", "?", encodeString(person, quote = quote), perl = TRUE)
  if (nchar(shown) > 60) paste0(substr(shown, 1, 50), "...", quote) else shown
}

# Formats numbers, and prints a value only once if all columns share it.
format_numbers <- function(x) {
  shown <- vapply(x, format, "", digits = 4)
  if (length(x) > 1 && all(shown == shown[1])) paste(shown[1], "each") else paste(shown, collapse = ", ")
}

format_measure <- function(measure) {
  values <- vapply(measure, format, "", digits = 6)
  name <- c(
    epsilon = "differential privacy", rho = "zero-concentrated differential privacy",
    mu = "Gaussian differential privacy", renyi = "Renyi differential privacy of order 2"
  )[[names(measure)[1]]]
  # the parameter of a Renyi guarantee of one order is called epsilon
  symbols <- sub("renyi", "epsilon", names(measure))
  paste0(paste(symbols, "=", values, collapse = ", "), " ",
         if (identical(names(measure), c("rho", "delta"))) "approximate ", name)
}

#' @rdname privacy
#' @param object A guarantee.
#' @export
summary.dptda_guarantee <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_guarantee")
}

#' @rdname privacy
#' @export
print.dptda_guarantee <- function(x, ...) {
  lines <- format(x) # also checks the guarantee
  cat(wrap_words(guarantee_words(x)), wrap_lines(lines[-1]), sep = "\n")
  invisible(x)
}

# Wraps lines as strwrap() does, but keeps spaces within a word.
wrap_words <- function(words, width = getOption("width")) {
  lines <- words[1]
  for (word in words[-1]) {
    longer <- paste(lines[length(lines)], word)
    if (nchar(longer, "width") < width) lines[length(lines)] <- longer else lines <- c(lines, paste0("  ", word))
  }
  lines
}

check_relation <- function(relation, arg = deparse1(substitute(relation))) {
  relations[[check_choice(relation, names(relations), arg)]]
}

# Combines the arguments `relation` and `person` into a list of the relation and, for people, their name.
check_units <- function(relation, person) {
  choice <- check_choice(relation, names(relations), "relation")
  if (is.null(person)) {
    if (choice == "person") {
      stop_argument("person", "must be given with `relation = \"person\"`: the name of a person, such as ",
                    "\"patient\".")
    }
    return(list(relation = relations[[choice]]))
  }
  person <- check_person(person)
  if (choice %in% c("add_remove", "edge")) {
    stop_argument("relation", "must be \"person\" if you give `person`, not \"", choice, "\", because people are ",
                  "replaced and their number is public.")
  }
  list(relation = relation_person, person = person)
}
